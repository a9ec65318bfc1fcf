//! New data for a file: appended or overwritten bytes, and the JSON that describes them.

use std::{collections::BTreeMap, ops::Range};

use serde_json::{Value, json};

use super::{
    SaveError, json as raw, meshopt_view, schema,
    sidecar::{as_uri, content_name, is_sidecar},
    source::{BufferData, Source},
    text::Ops,
    users::Users,
};
use ulna_model::{IdKind, Location};

/// Storage location of new data.
enum Destination {
    /// The BIN chunk of a GLB.
    Bin,
    /// A data file that Ulna writes next to a `.gltf`. Contains the stem of its name.
    Sidecar(String),
    /// A `data:` URI, for a `.gltf` that embeds all its data.
    Embedded,
}

/// Encoded vertex attribute with four numbers per vertex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stored {
    /// Component type, as a glTF code.
    pub component: usize,
    /// Whether integers are normalized.
    pub normalized: bool,
    /// Bytes per component.
    pub size: usize,
    /// Encoded components of all vertices, little-endian.
    pub values: Vec<u8>,
}

impl Stored {
    /// Stored numbers without normalization, as required for `min` and `max`.
    fn numbers(&self) -> Vec<f32> {
        let number = |b: &[u8]| match self.component {
            5126 => f32::from_le_bytes([b[0], b[1], b[2], b[3]]),
            5123 => f32::from(u16::from_le_bytes([b[0], b[1]])),
            _ => f32::from(b[0]),
        };
        self.values.chunks_exact(self.size).map(number).collect()
    }
}

/// Changes to the buffers of a file.
pub(super) struct Patch<'a> {
    source: &'a Source,
    accessors: Vec<schema::Accessor>,
    views: Vec<schema::BufferView>,
    buffers: Vec<schema::Buffer>,
    users: Users,
    /// New accessors, to be appended to the list of accessors.
    new_accessors: Vec<Value>,
    new_views: Vec<Value>,
    /// New bytes, to be appended to the buffer for new data.
    appended: Vec<u8>,
    /// Overwritten ranges of the BIN chunk, with their new bytes.
    overwritten: Vec<(Range<usize>, Vec<u8>)>,
    bounds: BTreeMap<usize, (Vec<f32>, Vec<f32>)>,
    /// New attributes, each with its buffer view and accessor. Equal content is stored once.
    stored: Vec<(Stored, usize, usize)>,
    /// Accessors that now use another buffer view: accessor and view.
    moved: Vec<(usize, usize)>,
    home: Destination,
    home_buffer: usize,
    home_length: usize,
}

/// New content of the BIN chunk: the old content and then `appended`, with the ranges of
/// `overwritten` replaced.
pub(super) struct Bin {
    pub appended: Vec<u8>,
    pub overwritten: Vec<(Range<usize>, Vec<u8>)>,
}

/// New content of the buffers of a file.
pub(super) struct Buffers {
    /// Changes of the BIN chunk, if the file is a GLB and the chunk changed or is new.
    pub bin: Option<Bin>,
    /// Name and bytes of a data file of Ulna next to the JSON.
    pub sidecar: Option<(String, Vec<u8>)>,
}

impl<'a> Patch<'a> {
    pub(super) fn new(
        source: &'a Source,
        root: &raw::RawMap<'_>,
        stem: &str,
    ) -> Result<Self, SaveError> {
        fn list<T: serde::de::DeserializeOwned>(
            root: &raw::RawMap<'_>,
            kind: IdKind,
        ) -> Result<Vec<T>, SaveError> {
            let elements = raw::elements(root, kind.list()).map_err(SaveError::Source)?;
            let typed = elements
                .iter()
                .enumerate()
                .map(|(k, e)| raw::typed(e.get(), &Location::at(kind, k), &mut false));
            typed.collect::<Result<_, _>>().map_err(SaveError::Source)
        }
        let buffers: Vec<schema::Buffer> = list(root, IdKind::Buffer)?;
        let own = || stem.to_owned();
        let (home, home_buffer) = if source.container.is_glb() {
            // If the first buffer of a GLB is stored elsewhere, a BIN chunk cannot be added without
            // moving that buffer.
            match source.buffers.first() {
                None | Some(BufferData::Bin(_)) => (Destination::Bin, 0),
                Some(_) => (Destination::Embedded, buffers.len()),
            }
        } else if let Some(k) = source
            .buffers
            .iter()
            .position(|b| matches!(b, BufferData::File { uri, .. } if is_sidecar(uri)))
        {
            (Destination::Sidecar(own()), k)
        } else if !source.buffers.is_empty()
            && source
                .buffers
                .iter()
                .all(|b| matches!(b, BufferData::Embedded(_) | BufferData::Fallback))
        {
            (Destination::Embedded, buffers.len())
        } else {
            (Destination::Sidecar(own()), buffers.len())
        };
        let home_length = if home_buffer < buffers.len() {
            source.buffer(home_buffer).map_or(0, <[u8]>::len)
        } else {
            0
        };
        Ok(Self {
            source,
            accessors: list(root, IdKind::Accessor)?,
            views: list(root, IdKind::View)?,
            users: Users::of(root),
            buffers,
            new_accessors: Vec::new(),
            new_views: Vec::new(),
            appended: Vec::new(),
            overwritten: Vec::new(),
            bounds: BTreeMap::new(),
            stored: Vec::new(),
            moved: Vec::new(),
            home,
            home_buffer,
            home_length,
        })
    }

    /// Number of accessors with changed values, and number of new accessors.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.overwritten.len() + self.moved.len(), self.new_accessors.len())
    }

    /// Number of accessors in the file.
    pub(super) const fn accessor_count(&self) -> usize {
        self.accessors.len()
    }

    /// Stores floats, and returns their accessor. `old` is overwritten in place if it has no other
    /// users and the same type and size. Otherwise, a new accessor is added.
    pub(super) fn floats(
        &mut self,
        old: Option<usize>,
        values: &[f32],
        kind: &str,
        width: usize,
        bounds: bool,
    ) -> usize {
        if let Some(old) = old
            && self.overwrite(old, values, kind, width, bounds)
        {
            return old;
        }
        self.align();
        let view = json!({
            "buffer": self.home_buffer,
            "byteOffset": self.home_length.next_multiple_of(4) + self.appended.len(),
            "byteLength": values.len() * 4,
        });
        self.appended.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        let mut accessor = json!({
            "bufferView": self.views.len() + self.new_views.len(),
            "componentType": 5126,
            "count": values.len() / width,
            "type": kind,
        });
        if bounds {
            let (min, max) = min_max(values, width);
            accessor["min"] = min.into_iter().map(number).collect();
            accessor["max"] = max.into_iter().map(number).collect();
        }
        self.new_views.push(view);
        self.new_accessors.push(accessor);
        self.accessors.len() + self.new_accessors.len() - 1
    }

    /// Stores bytes without an accessor. Returns their buffer view.
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> usize {
        self.align();
        let view = json!({
            "buffer": self.home_buffer,
            "byteOffset": self.home_length.next_multiple_of(4) + self.appended.len(),
            "byteLength": bytes.len(),
        });
        self.appended.extend_from_slice(bytes);
        self.new_views.push(view);
        self.views.len() + self.new_views.len() - 1
    }

    /// Component type of an accessor, as a glTF code.
    pub(super) fn component(&self, accessor: usize) -> Option<usize> {
        self.accessors.get(accessor).map(|a| a.component_type.0)
    }

    /// Stores four numbers per vertex, and returns their accessor. `old` is reused if it has no
    /// other users and the same type and size: it is overwritten in place, or gets a new buffer
    /// view. Otherwise, a new accessor is added. Equal data is stored once.
    pub(super) fn attribute(&mut self, old: Option<usize>, stored: Stored) -> usize {
        if let Some(old) = old
            && self.overwrite_attribute(old, &stored)
        {
            return old;
        }
        let known = self
            .stored
            .iter()
            .find(|(s, ..)| *s == stored)
            .map(|(_, view, accessor)| (*view, *accessor));
        let view = known.map_or_else(|| self.attribute_view(&stored), |(view, _)| view);
        // If the old accessor were left unused, its invalid values would remain in the file.
        let accessor = if let Some(old) = old.filter(|o| self.is_own(*o, &stored)) {
            self.moved.push((old, view));
            self.bound(old, &stored);
            old
        } else if let Some((_, accessor)) = known {
            return accessor;
        } else {
            let mut accessor = json!({
                "bufferView": view,
                "componentType": stored.component,
                "count": stored.values.len() / (stored.size * 4),
                "type": "VEC4",
            });
            if stored.normalized {
                accessor["normalized"] = true.into();
            }
            self.new_accessors.push(accessor);
            self.accessors.len() + self.new_accessors.len() - 1
        };
        if known.is_none() {
            self.stored.push((stored, view, accessor));
        }
        accessor
    }

    /// Adds a buffer view for an attribute. The view has a stride, which is required if several
    /// accessors share it.
    fn attribute_view(&mut self, stored: &Stored) -> usize {
        self.align();
        self.new_views.push(json!({
            "buffer": self.home_buffer,
            "byteOffset": self.home_length.next_multiple_of(4) + self.appended.len(),
            "byteLength": stored.values.len(),
            "byteStride": stored.size * 4,
            "target": 34962,
        }));
        self.appended.extend_from_slice(&stored.values);
        self.views.len() + self.new_views.len() - 1
    }

    /// Whether an accessor has no other users, and matches the type and size of the new data.
    fn is_own(&self, old: usize, stored: &Stored) -> bool {
        self.accessors.get(old).is_some_and(|a| {
            a.component_type.0 == stored.component
                && a.normalized == stored.normalized
                && &*a.kind == "VEC4"
                && a.count.0 == stored.values.len() / (stored.size * 4)
                && a.sparse.is_none()
        }) && self.is_single(old)
    }

    /// Whether an accessor and its view have no other users.
    fn is_single(&self, accessor: usize) -> bool {
        let view = self.accessors.get(accessor).and_then(|a| a.buffer_view).map(|v| v.0);
        self.users.is_one(accessor, view)
    }

    /// Updates the bounds of an accessor, if it has bounds.
    fn bound(&mut self, accessor: usize, stored: &Stored) {
        if self.accessors[accessor].min.is_some() || self.accessors[accessor].max.is_some() {
            self.bounds.insert(accessor, min_max(&stored.numbers(), 4));
        }
    }

    /// Overwrites an attribute in place like [`Patch::overwrite`], including integers and
    /// interleaved vertices.
    fn overwrite_attribute(&mut self, old: usize, stored: &Stored) -> bool {
        let Some(a) = self.accessors.get(old) else { return false };
        let element = stored.size * 4;
        let count = stored.values.len() / element;
        let (Destination::Bin, true, Some(view)) =
            (&self.home, self.is_own(old, stored), a.buffer_view)
        else {
            return false;
        };
        let Some(v) = self.views.get(view.0).filter(|v| v.buffer.0 == 0 && v.extensions.is_empty())
        else {
            return false;
        };
        let start = v.byte_offset.map_or(0, |i| i.0) + a.byte_offset.map_or(0, |i| i.0);
        let stride = v.byte_stride.map_or(element, |s| if s.0 == 0 { element } else { s.0 });
        let range = start..start + (count.max(1) - 1) * stride + element;
        let old_bytes = self.source.buffer(0).unwrap_or_default();
        if stride < element || old_bytes.len() < range.end {
            return false;
        }
        if self.overlaps(old, view.0, &range)
            && !(stride > element && self.is_woven_apart(old, view.0, element))
        {
            return false;
        }
        // Interleaved data of other accessors is written back unchanged.
        let mut bytes = old_bytes[range.clone()].to_vec();
        for earlier in &self.overwritten {
            let (from, to) = (earlier.0.start.max(range.start), earlier.0.end.min(range.end));
            if from < to {
                bytes[from - range.start..to - range.start]
                    .copy_from_slice(&earlier.1[from - earlier.0.start..to - earlier.0.start]);
            }
        }
        for (k, value) in stored.values.chunks_exact(element).enumerate() {
            bytes[k * stride..k * stride + element].copy_from_slice(value);
        }
        self.overwritten.push((range, bytes));
        self.bound(old, stored);
        true
    }

    /// Whether an accessor is interleaved with others in one buffer view without overlaps. The
    /// elements of all these accessors must fit into the stride of the view.
    fn is_woven_apart(&self, own: usize, own_view: usize, element: usize) -> bool {
        let Some(stride) = self.views[own_view].byte_stride.map(|s| s.0) else { return false };
        let place = |a: &schema::Accessor| a.byte_offset.map_or(0, |i| i.0) % stride;
        let mine = place(&self.accessors[own])..place(&self.accessors[own]) + element;
        let view = &self.views[own_view];
        let from = view.byte_offset.map_or(0, |i| i.0);
        let range = from..from.saturating_add(view.byte_length.0);
        let hits = |r: Range<usize>| r.start < range.end && range.start < r.end;
        let alone = self.views.iter().enumerate().all(|(k, v)| {
            let start = v.byte_offset.map_or(0, |i| i.0);
            let packed = meshopt_view::packed_range(v).is_some_and(|(b, r)| b == 0 && hits(r));
            k == own_view
                || !(packed
                    || (v.buffer.0 == 0 && hits(start..start.saturating_add(v.byte_length.0))))
        });
        alone
            && mine.end <= stride
            && self.accessors.iter().enumerate().all(|(k, a)| {
                let sparse = a.sparse.as_ref().is_some_and(|s| {
                    s.indices.buffer_view.0 == own_view || s.values.buffer_view.0 == own_view
                });
                if k == own || a.buffer_view.is_none_or(|v| v.0 != own_view) {
                    return !sparse;
                }
                let other = place(a)..place(a) + element_size(a);
                !sparse
                    && other.end <= stride
                    && (other.end <= mine.start || mine.end <= other.start)
            })
    }

    fn align(&mut self) {
        self.appended.resize(self.appended.len().next_multiple_of(4), 0);
    }

    fn overwrite(
        &mut self,
        old: usize,
        values: &[f32],
        kind: &str,
        width: usize,
        bounds: bool,
    ) -> bool {
        let Some(a) = self.accessors.get(old) else { return false };
        let same = a.component_type.0 == 5126
            && a.kind == kind
            && a.count.0 * width == values.len()
            && a.sparse.is_none();
        let (Destination::Bin, true, Some(view)) =
            (&self.home, same && self.is_single(old), a.buffer_view)
        else {
            return false;
        };
        let Some(v) = self.views.get(view.0).filter(|v| v.buffer.0 == 0 && v.extensions.is_empty())
        else {
            return false;
        };
        if v.byte_stride.is_some_and(|s| s.0 != 0 && s.0 != width * 4) {
            return false;
        }
        let start = v.byte_offset.map_or(0, |i| i.0) + a.byte_offset.map_or(0, |i| i.0);
        let range = start..start + values.len() * 4;
        if self.overlaps(old, view.0, &range) {
            return false;
        }
        self.overwritten.push((range, values.iter().flat_map(|v| v.to_le_bytes()).collect()));
        if bounds || self.accessors[old].min.is_some() || self.accessors[old].max.is_some() {
            self.bounds.insert(old, min_max(values, width));
        }
        true
    }

    /// Whether these bytes of the BIN chunk have other users, through other buffer views or other
    /// accessors of the same view.
    fn overlaps(&self, own: usize, own_view: usize, range: &Range<usize>) -> bool {
        let hits = |r: Range<usize>| r.start < range.end && range.start < r.end;
        let view_range = |v: &schema::BufferView| {
            let start = v.byte_offset.map_or(0, |i| i.0);
            start..start.saturating_add(v.byte_length.0)
        };
        let packed = |v: &schema::BufferView| {
            meshopt_view::packed_range(v).is_some_and(|(b, r)| b == 0 && hits(r))
        };
        let other_view =
            self.views.iter().enumerate().any(|(k, v)| {
                k != own_view && (packed(v) || (v.buffer.0 == 0 && hits(view_range(v))))
            });
        let in_view = self.accessors.iter().enumerate().any(|(k, a)| {
            let sparse = a.sparse.as_ref().is_some_and(|s| {
                s.indices.buffer_view.0 == own_view || s.values.buffer_view.0 == own_view
            });
            if k == own || a.buffer_view.is_none_or(|v| v.0 != own_view) {
                return sparse;
            }
            // An element of unknown type has at most sixteen floats.
            let start = self.views[own_view].byte_offset.map_or(0, |i| i.0)
                + a.byte_offset.map_or(0, |i| i.0);
            let size = element_size(a);
            let stride = self.views[own_view].byte_stride.map_or(size, |s| s.0.max(size));
            let end = start
                .saturating_add((a.count.0.saturating_sub(1)).saturating_mul(stride))
                .saturating_add(size);
            hits(start..end)
        });
        other_view || in_view
    }

    /// Adds the changes of the JSON to `ops`. Returns the new content of the buffers.
    pub(super) fn finish(mut self, ops: &mut Ops) -> Buffers {
        for (accessor, (min, max)) in &self.bounds {
            let text =
                |list: &[f32]| Value::from_iter(list.iter().copied().map(number)).to_string();
            let op = ops.member("accessors").item(*accessor);
            *op.member("min") = Ops::Replace(text(min));
            *op.member("max") = Ops::Replace(text(max));
        }
        for (accessor, view) in &self.moved {
            let op = ops.member("accessors").item(*accessor);
            *op.member("bufferView") = Ops::Replace(view.to_string());
            if self.accessors[*accessor].byte_offset.is_some() {
                *op.member("byteOffset") = Ops::Remove;
            }
        }
        for accessor in &self.new_accessors {
            ops.member("accessors").push(accessor.to_string());
        }
        for view in &self.new_views {
            ops.member("bufferViews").push(view.to_string());
        }
        if self.appended.is_empty() && self.overwritten.is_empty() {
            return Buffers { bin: None, sidecar: None };
        }
        let exists = self.home_buffer < self.buffers.len();
        if !self.appended.is_empty() {
            self.align();
            let gap = self.home_length.next_multiple_of(4) - self.home_length;
            self.appended.splice(0..0, std::iter::repeat_n(0, gap));
        }
        let grown = self.home_length + self.appended.len();
        let length = Ops::Replace(grown.to_string());
        let whole = |mut new: Vec<u8>| {
            let old =
                if exists { self.source.buffer(self.home_buffer).unwrap_or_default() } else { &[] };
            new.splice(0..0, old.iter().copied());
            new
        };
        match self.home {
            Destination::Bin => {
                if exists && grown != self.home_length {
                    *ops.member("buffers").item(0).member("byteLength") = length;
                } else if !exists {
                    ops.member("buffers").push(json!({"byteLength": grown}).to_string());
                }
                let bin = Bin { appended: self.appended, overwritten: self.overwritten };
                Buffers { bin: Some(bin), sidecar: None }
            }
            Destination::Sidecar(stem) => {
                let bytes = whole(self.appended);
                let file = content_name(&stem, &bytes);
                let uri = as_uri(&file);
                if exists {
                    let buffer = ops.member("buffers").item(self.home_buffer);
                    *buffer.member("byteLength") = length;
                    *buffer.member("uri") = Ops::Replace(Value::from(uri).to_string());
                } else {
                    ops.member("buffers")
                        .push(json!({"uri": uri, "byteLength": grown}).to_string());
                }
                Buffers { bin: None, sidecar: Some((file, bytes)) }
            }
            Destination::Embedded => {
                use base64::Engine as _;
                let text = base64::engine::general_purpose::STANDARD.encode(whole(self.appended));
                let uri = format!("data:application/octet-stream;base64,{text}");
                ops.member("buffers").push(json!({"uri": uri, "byteLength": grown}).to_string());
                Buffers { bin: None, sidecar: None }
            }
        }
    }
}

/// Size of an accessor's element in bytes, or an upper bound if its type is unknown.
fn element_size(a: &schema::Accessor) -> usize {
    let width = match &*a.kind {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" | "MAT2" => 4,
        "MAT3" => 12,
        _ => 16,
    };
    match a.component_type.0 {
        5120 | 5121 => width,
        5122 | 5123 => width * 2,
        _ => width * 4,
    }
}

fn min_max(values: &[f32], width: usize) -> (Vec<f32>, Vec<f32>) {
    let mut min = vec![f32::INFINITY; width];
    let mut max = vec![f32::NEG_INFINITY; width];
    for element in values.chunks_exact(width) {
        for (k, v) in element.iter().enumerate() {
            min[k] = min[k].min(*v);
            max[k] = max[k].max(*v);
        }
    }
    (min, max)
}

/// Converts a float to a JSON number with only the digits that single precision needs.
pub(super) fn number(value: f32) -> Value {
    // Parsing the shortest text of the `f32` avoids the additional digits of the equal `f64`.
    serde_json::from_str(&float_text(value)).unwrap_or(Value::Null)
}

/// Formats a float with the fewest digits. Integers have no decimal point.
pub(super) fn float_text(value: f32) -> String {
    if value == value.trunc() && value.abs() < 1e7 {
        // Negative zero is written as `0`, which is equal for readers.
        return format!("{}", value as i64);
    }
    serde_json::to_string(&value).unwrap_or_else(|_| "0".into())
}
