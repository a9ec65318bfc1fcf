//! Accessors: typed views into buffers. Their ranges are checked before any memory is allocated.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    sync::Arc,
};

use bytemuck::AnyBitPattern;
use rayon::prelude::*;

use super::{ReadError, Source, meshopt::Unpacked, meshopt_view::EXTENSIONS, schema};
use ulna_model::{IdKind, Location, Slice};

/// Component type of an accessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// 8-bit signed integer (5120).
    I8,
    /// 8-bit unsigned integer (5121).
    U8,
    /// 16-bit signed integer (5122).
    I16,
    /// 16-bit unsigned integer (5123).
    U16,
    /// 32-bit unsigned integer (5125).
    U32,
    /// 32-bit float (5126).
    F32,
}

impl Component {
    fn of(code: usize) -> Option<Self> {
        Some(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    /// Size of a component in bytes.
    pub const fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// Difference between neighboring values of a normalized integer type; 0 for floats.
    pub fn step(self) -> f32 {
        match self {
            Self::I8 => 1.0 / 127.0,
            Self::U8 => 1.0 / 255.0,
            Self::I16 => 1.0 / 32767.0,
            Self::U16 => 1.0 / 65535.0,
            Self::U32 | Self::F32 => 0.0,
        }
    }

    /// Decodes one component. For normalized integers, see glTF 2.0, *Animations*.
    fn float(self, b: &[u8], normalized: bool) -> f32 {
        match self {
            Self::F32 => f32::from_le_bytes([b[0], b[1], b[2], b[3]]),
            Self::U32 => u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as f32,
            Self::U16 => {
                f32::from(u16::from_le_bytes([b[0], b[1]]))
                    * if normalized { self.step() } else { 1.0 }
            }
            Self::U8 => f32::from(b[0]) * if normalized { self.step() } else { 1.0 },
            Self::I16 => {
                let v = f32::from(i16::from_le_bytes([b[0], b[1]]));
                if normalized { (v * self.step()).max(-1.0) } else { v }
            }
            Self::I8 => {
                let v = f32::from(b[0].cast_signed());
                if normalized { (v * self.step()).max(-1.0) } else { v }
            }
        }
    }

    fn integer(self, b: &[u8]) -> u32 {
        match self {
            Self::U8 | Self::I8 => u32::from(b[0]),
            Self::U16 | Self::I16 => u32::from(u16::from_le_bytes([b[0], b[1]])),
            Self::U32 | Self::F32 => u32::from_le_bytes([b[0], b[1], b[2], b[3]]),
        }
    }
}

/// Type and size of an accessor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessorShape {
    /// Component type.
    pub component: Component,
    /// Components per element: 1, 2, 3, 4, 9 or 16.
    pub width: usize,
    /// Number of elements.
    pub count: usize,
    /// Whether integers are normalized to `0..=1` or `-1..=1`.
    pub normalized: bool,
}

/// Bytes of the source, and the start offset of a range in them.
type SourceRange<'a> = (&'a Arc<Vec<u8>>, usize);

/// Encoded elements, at intervals of `stride` bytes. `None` bytes stand for zeros.
struct Elements<'a> {
    bytes: Option<Cow<'a, [u8]>>,
    stride: usize,
    /// Location of the elements in the bytes of the source. `None` if they are stored elsewhere.
    home: Option<SourceRange<'a>>,
}

impl Elements<'_> {
    /// Shares the components with the source, without a copy. `None` if they are not contiguous or
    /// not of type `T`.
    fn in_place<T: AnyBitPattern>(&self, shape: AccessorShape) -> Option<Slice<T>> {
        let (bytes, start) = self.home?;
        let size = shape.width * size_of::<T>();
        (self.stride == size).then(|| Slice::part(bytes, start, start + shape.count * size))?
    }

    /// Converts each component from its `N` bytes. Long lists are converted on all cores.
    fn convert<T: Copy + Default + Send, const N: usize>(
        &self,
        shape: AccessorShape,
        convert: impl Fn([u8; N]) -> T + Sync,
    ) -> Vec<T> {
        const BLOCK: usize = 1 << 16;
        let mut out = vec![T::default(); shape.count * shape.width];
        let Some(bytes) = &self.bytes else { return out };
        let block = |(k, out): (usize, &mut [T])| {
            if self.stride == shape.width * N {
                let components =
                    bytes.get(k * BLOCK * self.stride..).unwrap_or_default().as_chunks::<N>().0;
                out.iter_mut().zip(components).for_each(|(o, b)| *o = convert(*b));
                return;
            }
            let elements =
                bytes.get(k * BLOCK * self.stride..).unwrap_or_default().chunks(self.stride);
            for (out, b) in out.chunks_exact_mut(shape.width).zip(elements) {
                for (o, b) in out.iter_mut().zip(b.as_chunks::<N>().0) {
                    *o = convert(*b);
                }
            }
        };
        if shape.count <= BLOCK {
            block((0, &mut out));
        } else {
            out.par_chunks_mut(BLOCK * shape.width).enumerate().for_each(block);
        }
        out
    }
}

/// Reason why an accessor's values are not available.
#[derive(Debug)]
pub enum Missing {
    /// The values are compressed with an extension in a form that Ulna cannot decode. The rest of
    /// the file can still be displayed.
    Packed(&'static str),
    /// The whole file must be rejected.
    Refused(ReadError),
}

impl From<ReadError> for Missing {
    fn from(error: ReadError) -> Self {
        Self::Refused(error)
    }
}

/// Decodes accessors, each at most once, within a memory budget.
pub struct Accessors<'a> {
    source: &'a Source,
    list: Vec<schema::Accessor>,
    views: Vec<schema::BufferView>,
    /// Unpacked data of each buffer view.
    unpacked: &'a [Unpacked],
    /// Remaining memory budget, in bytes.
    budget: u64,
    /// Cached decoded floats of each accessor.
    floats: Vec<Option<Slice<f32>>>,
    /// Contiguous elements that an extension provides for an accessor.
    provided: HashMap<usize, Arc<[u8]>>,
    granted: HashSet<usize>,
}

impl<'a> Accessors<'a> {
    /// Creates a decoder. `unpacked` has one entry per buffer view, and `budget` is in bytes.
    pub fn new(
        source: &'a Source,
        list: Vec<schema::Accessor>,
        views: Vec<schema::BufferView>,
        unpacked: &'a [Unpacked],
        budget: u64,
    ) -> Self {
        Self {
            source,
            floats: vec![None; list.len()],
            list,
            views,
            unpacked,
            budget,
            provided: HashMap::new(),
            granted: HashSet::new(),
        }
    }

    /// Source that contains all accessors.
    pub const fn source(&self) -> &'a Source {
        self.source
    }

    /// Returns the bytes of a buffer view.
    pub fn view(&self, view: usize, place: &Location) -> Result<&'a [u8], Missing> {
        Ok(self.view_at(view, || place.clone())?.0)
    }

    /// Returns the bytes of a buffer view. They are shared with the source if they are part of it.
    pub fn view_slice(&self, view: usize, place: &Location) -> Result<Slice<u8>, Missing> {
        let (bytes, home) = self.view_at(view, || place.clone())?;
        let part = home.and_then(|(all, start)| Slice::part(all, start, start + bytes.len()));
        Ok(part.unwrap_or_else(|| bytes.into()))
    }

    /// Returns the bytes of a buffer view and their offset in the source. The offset is `None` if
    /// the bytes were unpacked.
    fn view_at(
        &self,
        view: usize,
        place: impl Fn() -> Location,
    ) -> Result<(&'a [u8], Option<SourceRange<'a>>), Missing> {
        let Some(v) = self.views.get(view) else {
            return Err(ReadError::at(place(), format!("buffer view {view} does not exist")).into());
        };
        match self.unpacked.get(view) {
            Some(Unpacked::Bytes(bytes)) => return Ok((bytes, None)),
            Some(Unpacked::Damaged(extension)) => return Err(Missing::Packed(extension)),
            Some(Unpacked::Plain) | None => {}
        }
        let Some((bytes, buffer)) = self.source.locate(v.buffer.0) else {
            return Err(ReadError::at(
                Location::at(IdKind::View, view),
                format!("buffer {} does not exist", v.buffer.0),
            )
            .into());
        };
        let start = v.byte_offset.map_or(0, |i| i.0);
        let found = start
            .checked_add(v.byte_length.0)
            .and_then(|end| bytes[buffer.clone()].get(start..end));
        let found = found.ok_or_else(|| {
            let message = format!("it extends beyond its buffer of {} bytes", buffer.len());
            ReadError::at(Location::at(IdKind::View, view), message)
        })?;
        Ok((found, Some((bytes, buffer.start + start))))
    }

    /// Reads the type and size of an accessor's elements.
    pub fn shape(&self, index: usize, place: &Location) -> Result<AccessorShape, ReadError> {
        let Some(a) = self.list.get(index) else {
            return Err(ReadError::at(place, format!("accessor {index} does not exist")));
        };
        let here = || Location::at(IdKind::Accessor, index);
        let Some(component) = Component::of(a.component_type.0) else {
            return Err(ReadError::at(
                here(),
                format!("component type {} is unknown", a.component_type.0),
            ));
        };
        let width = match &*a.kind {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            "MAT2" => 4,
            "MAT3" => 9,
            "MAT4" => 16,
            other => return Err(ReadError::at(here(), format!("type {other:?} is unknown"))),
        };
        if a.count.0 == 0 {
            return Err(ReadError::Empty { place: here() });
        }
        Ok(AccessorShape { component, width, count: a.count.0, normalized: a.normalized })
    }

    /// Whether the accessor exists.
    pub fn has(&self, index: usize) -> bool {
        index < self.list.len()
    }

    /// Minimum and maximum that the file states for an accessor.
    pub fn bounds(&self, index: usize) -> (Option<&[f64]>, Option<&[f64]>) {
        let a = &self.list[index];
        (a.min.as_deref(), a.max.as_deref())
    }

    /// Whether the accessor's values were compressed, which may have rounded them.
    pub fn is_packed(&self, index: usize) -> bool {
        let view = self.list.get(index).and_then(|a| self.views.get(a.buffer_view?.0));
        view.is_some_and(|v| EXTENSIONS.iter().any(|e| v.extensions.has(e)))
    }

    /// Charges memory for derived values, in bytes, to the budget.
    pub fn spend(&mut self, bytes: u64, place: &Location) -> Result<(), ReadError> {
        self.budget = self
            .budget
            .checked_sub(bytes)
            .ok_or_else(|| ReadError::Memory { place: place.into(), wanted: bytes })?;
        Ok(())
    }

    /// Enlarges the budget for compressed data that expands to more bytes than the file has. Only
    /// the first call per buffer view has an effect.
    pub fn grant(&mut self, view: usize, bytes: u64) {
        if self.granted.insert(view) {
            self.budget = self.budget.saturating_add(bytes);
        }
    }

    /// Provides the elements of an accessor, contiguous and with its own type and count.
    pub fn provide(&mut self, index: usize, bytes: Arc<[u8]>) {
        if let Some(known) = self.floats.get_mut(index) {
            *known = None;
        }
        self.provided.insert(index, bytes);
    }

    /// Whether the accessor has a buffer view.
    pub fn has_view(&self, index: usize) -> bool {
        self.list.get(index).is_some_and(|a| a.buffer_view.is_some())
    }

    /// All components of a float accessor, without a copy. `None` if they are not contiguous in the
    /// source.
    pub fn in_place(&self, index: usize) -> Option<&'a [f32]> {
        if cfg!(target_endian = "big") || self.provided.contains_key(&index) {
            return None;
        }
        let shape = self
            .shape(index, &Location::default())
            .ok()
            .filter(|s| s.component == Component::F32)?;
        let elements = self.find(index, shape).ok()?;
        let (bytes, start) =
            elements.home.filter(|_| elements.stride == shape.width * size_of::<f32>())?;
        bytemuck::try_cast_slice(&bytes[start..start + shape.count * elements.stride]).ok()
    }

    /// Checks the byte range of an accessor's elements, and charges their memory to the budget.
    fn elements(&mut self, index: usize, shape: AccessorShape) -> Result<Elements<'a>, Missing> {
        let wanted = (shape.count as u64).saturating_mul(shape.width as u64 * 4);
        if wanted > self.budget {
            return Err(
                ReadError::Memory { place: Location::at(IdKind::Accessor, index), wanted }.into()
            );
        }
        let elements = self.find(index, shape)?;
        self.budget -= wanted;
        Ok(elements)
    }

    /// Checks the byte range of an accessor's elements.
    fn find(&self, index: usize, shape: AccessorShape) -> Result<Elements<'a>, Missing> {
        let here = move || Location::at(IdKind::Accessor, index);
        let a = &self.list[index];
        let size = shape.width * shape.component.size();
        if let Some(bytes) = self.provided.get(&index).filter(|b| b.len() == size * shape.count) {
            return Ok(Elements {
                bytes: Some(Cow::Owned(bytes.to_vec())),
                stride: size,
                home: None,
            });
        }
        let Some(view) = a.buffer_view else {
            return Ok(Elements { bytes: None, stride: size, home: None });
        };
        let (bytes, home) = self.view_at(view.0, here)?;
        let stride = match self.views[view.0].byte_stride {
            None | Some(super::json::Index(0)) => size,
            Some(stride) if stride.0 < size => {
                return Err(ReadError::at(
                    Location::at(IdKind::View, view.0),
                    "its byte stride is smaller than one element",
                )
                .into());
            }
            Some(stride) => stride.0,
        };
        let start = a.byte_offset.map_or(0, |i| i.0);
        let end = (shape.count - 1)
            .checked_mul(stride)
            .and_then(|v| v.checked_add(size))
            .and_then(|v| v.checked_add(start));
        let bytes = end.and_then(|end| bytes.get(start..end)).ok_or_else(|| {
            ReadError::at(
                here(),
                format!("its {} elements extend beyond buffer view {}", shape.count, view.0),
            )
        })?;
        let home = home.filter(|_| a.sparse.is_none()).map(|(all, at)| (all, at + start));
        Ok(Elements { bytes: Some(Cow::Borrowed(bytes)), stride, home })
    }

    /// Decodes all components as floats, element after element. The result is shared with the
    /// source if possible.
    pub fn floats(&mut self, index: usize, place: &Location) -> Result<Slice<f32>, Missing> {
        if let Some(Some(found)) = self.floats.get(index) {
            return Ok(found.clone());
        }
        let shape = self.shape(index, place)?;
        let elements = self.elements(index, shape)?;
        let in_place =
            if shape.component == Component::F32 { elements.in_place(shape) } else { None };
        let list = if let Some(list) = in_place {
            list
        } else {
            let (component, normalized) = (shape.component, shape.normalized);
            let mut out = match component {
                Component::F32 => elements.convert(shape, f32::from_le_bytes),
                Component::I8 | Component::U8 => {
                    elements.convert(shape, |b: [u8; 1]| component.float(&b, normalized))
                }
                Component::I16 | Component::U16 => {
                    elements.convert(shape, |b: [u8; 2]| component.float(&b, normalized))
                }
                Component::U32 => {
                    elements.convert(shape, |b: [u8; 4]| component.float(&b, normalized))
                }
            };
            self.sparse(index, shape, &mut out, |b| component.float(b, normalized))?;
            out.into()
        };
        self.floats[index] = Some(list.clone());
        Ok(list)
    }

    /// Decodes all components as unsigned 32-bit integers, without normalization.
    pub fn integers(&mut self, index: usize, place: &Location) -> Result<Slice<u32>, Missing> {
        let shape = self.shape(index, place)?;
        let elements = self.elements(index, shape)?;
        if shape.component.size() == 4
            && let Some(list) = elements.in_place(shape)
        {
            return Ok(list);
        }
        let mut out = match shape.component.size() {
            1 => elements.convert(shape, |[b]: [u8; 1]| u32::from(b)),
            2 => elements.convert(shape, |b| u32::from(u16::from_le_bytes(b))),
            _ => elements.convert(shape, u32::from_le_bytes),
        };
        self.sparse(index, shape, &mut out, |b| shape.component.integer(b))?;
        Ok(out.into())
    }

    /// Decodes all components as unsigned 16-bit integers. Larger values are truncated.
    pub fn shorts(&mut self, index: usize, place: &Location) -> Result<Slice<u16>, Missing> {
        let shape = self.shape(index, place)?;
        let elements = self.elements(index, shape)?;
        if shape.component.size() == 2
            && let Some(list) = elements.in_place(shape)
        {
            return Ok(list);
        }
        let mut out = match shape.component.size() {
            1 => elements.convert(shape, |[b]: [u8; 1]| u16::from(b)),
            2 => elements.convert(shape, u16::from_le_bytes),
            _ => elements.convert(shape, |b| u32::from_le_bytes(b) as u16),
        };
        self.sparse(index, shape, &mut out, |b| shape.component.integer(b) as u16)?;
        Ok(out.into())
    }

    /// Replaces elements by the sparse values of the accessor.
    fn sparse<T>(
        &self,
        index: usize,
        shape: AccessorShape,
        out: &mut [T],
        convert: impl Fn(&[u8]) -> T,
    ) -> Result<(), Missing> {
        let Some(sparse) = &self.list[index].sparse else { return Ok(()) };
        let here = Location::at(IdKind::Accessor, index).member("sparse");
        let count = sparse.count.0;
        if count > shape.count {
            return Err(
                ReadError::at(here, "it replaces more elements than the accessor has").into()
            );
        }
        let index_type = match sparse.indices.component_type.and_then(|c| Component::of(c.0)) {
            Some(c @ (Component::U8 | Component::U16 | Component::U32)) => c,
            _ => {
                return Err(ReadError::at(
                    here,
                    "the type of its indices is not an unsigned integer",
                )
                .into());
            }
        };
        let part = |part: &schema::SparsePart, size: usize| -> Result<&'a [u8], Missing> {
            let bytes = self.view(part.buffer_view.0, &here)?;
            let start = part.byte_offset.map_or(0, |i| i.0);
            let end = count.checked_mul(size).and_then(|n| n.checked_add(start));
            end.and_then(|end| bytes.get(start..end))
                .ok_or_else(|| ReadError::at(&here, "it extends beyond its buffer view").into())
        };
        let size = shape.component.size();
        let indices = part(&sparse.indices, index_type.size())?;
        let values = part(&sparse.values, size * shape.width)?;
        for (i, v) in
            indices.chunks_exact(index_type.size()).zip(values.chunks_exact(size * shape.width))
        {
            let element = index_type.integer(i) as usize;
            let Some(slot) = out.get_mut(element * shape.width..(element + 1) * shape.width) else {
                return Err(ReadError::at(
                    here,
                    format!("it replaces element {element}, which does not exist"),
                )
                .into());
            };
            for (o, b) in slot.iter_mut().zip(v.chunks_exact(size)) {
                *o = convert(b);
            }
        }
        Ok(())
    }
}
