//! `EXT_meshopt_compression` and `KHR_meshopt_compression`: unpacks compressed buffer views.
//!
//! Source: the specification of the extensions (appendix A, *Bitstream*, and appendix B,
//! *Filters*). For any input, decoding returns the requested number of elements or an error.

use thiserror::Error;

use super::{
    ReadError, Source,
    meshopt_view::{EXTENSIONS, Packed},
    schema,
};
use ulna_model::{Diagnostics, IdKind, Location, Severity};

/// State of a buffer view's bytes with respect to compression.
#[derive(Debug)]
pub enum Unpacked {
    /// The view is not compressed; its bytes are in the buffer.
    Plain,
    /// Decompressed bytes of the view.
    Bytes(Vec<u8>),
    /// The compressed data is damaged, and there is no uncompressed fallback. Contains the reason.
    Damaged(&'static str),
}

/// Reason for which compressed bytes cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Damage {
    /// The members of the extension contradict each other.
    #[error("its {0} is not allowed by the extension")]
    Member(&'static str),
    /// The format or version is unknown.
    #[error("its first byte is not a known format")]
    Header,
    /// Bytes are missing at the end.
    #[error("its data is incomplete")]
    Short,
    /// There are excess bytes at the end.
    #[error("it has superfluous bytes")]
    Long,
    /// The data contains an invalid code.
    #[error("it has an invalid code")]
    Code,
}

/// Decompresses all compressed buffer views of a file, within a memory budget in bytes. A damaged
/// view becomes a finding.
///
/// # Errors
/// The budget is too small for the requested sizes.
pub fn unpack(
    source: &Source,
    views: &[schema::BufferView],
    budget: &mut u64,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<Unpacked>, ReadError> {
    let mut list = Vec::with_capacity(views.len());
    for (k, view) in views.iter().enumerate() {
        let Some(extension) = EXTENSIONS.into_iter().find(|e| view.extensions.has(e)) else {
            list.push(Unpacked::Plain);
            continue;
        };
        let place = Location::at(IdKind::View, k);
        let wanted = view.byte_length.0 as u64;
        if wanted > *budget {
            return Err(ReadError::Memory { place, wanted });
        }
        let found = match view.extensions.get::<Packed>(extension) {
            Some(packed) => unpack_one(source, view, &packed),
            None => Err(Damage::Member("object")),
        };
        list.push(match found {
            Ok(bytes) => {
                *budget -= wanted;
                Unpacked::Bytes(bytes)
            }
            Err(damage) => {
                let plain = source.buffer(view.buffer.0).is_some();
                let shown = if plain {
                    "the unpacked copy is displayed"
                } else {
                    "the parts that need it stay in the file, but are not displayed"
                };
                let message = format!(
                    "The data packed with {extension} cannot be unpacked: {damage}; {shown}"
                );
                diagnostics.add(Severity::Error, "ULNA_PACKED", place, message);
                if plain { Unpacked::Plain } else { Unpacked::Damaged(extension) }
            }
        });
    }
    Ok(list)
}

fn unpack_one(
    source: &Source,
    view: &schema::BufferView,
    packed: &Packed,
) -> Result<Vec<u8>, Damage> {
    let (count, stride) = (packed.count.0, packed.byte_stride.0);
    if count.checked_mul(stride) != Some(view.byte_length.0) {
        return Err(Damage::Member("count"));
    }
    let start = packed.byte_offset.map_or(0, |o| o.0);
    let bytes = start
        .checked_add(packed.byte_length.0)
        .and_then(|end| source.buffer(packed.buffer.0)?.get(start..end))
        .ok_or(Damage::Member("buffer, byteOffset or byteLength"))?;
    decode(&packed.mode, packed.filter.as_deref().unwrap_or("NONE"), count, stride, bytes)
}

/// Decodes `count` elements of `stride` bytes. The caller must check the memory budget.
///
/// # Errors
/// The bytes or the parameters are invalid.
pub fn decode(
    mode: &str,
    filter: &str,
    count: usize,
    stride: usize,
    packed: &[u8],
) -> Result<Vec<u8>, Damage> {
    if mode == "ATTRIBUTES" {
        if !(4..=256).contains(&stride) || !stride.is_multiple_of(4) {
            return Err(Damage::Member("byteStride"));
        }
        let fits = match filter {
            "NONE" | "EXPONENTIAL" => true,
            "OCTAHEDRAL" | "COLOR" => stride == 4 || stride == 8,
            "QUATERNION" => stride == 8,
            _ => return Err(Damage::Member("filter")),
        };
        if !fits {
            return Err(Damage::Member("byteStride"));
        }
        let mut elements = attributes(packed, count, stride)?;
        match filter {
            "OCTAHEDRAL" => octahedral(&mut elements, stride),
            "QUATERNION" => quaternion(&mut elements),
            "EXPONENTIAL" => exponential(&mut elements),
            "COLOR" => color(&mut elements, stride),
            _ => {}
        }
        return Ok(elements);
    }
    if filter != "NONE" {
        return Err(Damage::Member("filter"));
    }
    if stride != 2 && stride != 4 {
        return Err(Damage::Member("byteStride"));
    }
    let list = match mode {
        "TRIANGLES" if count.is_multiple_of(3) => triangles(packed, count / 3)?,
        "TRIANGLES" => return Err(Damage::Member("count")),
        "INDICES" => indices(packed, count)?,
        _ => return Err(Damage::Member("mode")),
    };
    Ok(match stride {
        2 => list.iter().flat_map(|v| (*v as u16).to_le_bytes()).collect(),
        _ => list.iter().flat_map(|v| v.to_le_bytes()).collect(),
    })
}

/// Reader of consecutive bytes.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Damage> {
        let (head, rest) = self.0.split_at_checked(count).ok_or(Damage::Short)?;
        self.0 = rest;
        Ok(head)
    }

    fn byte(&mut self) -> Result<u8, Damage> {
        Ok(self.take(1)?[0])
    }

    /// Reads an unsigned LEB128 integer of at most five bytes.
    fn varint(&mut self) -> Result<u32, Damage> {
        let mut value = 0u32;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Damage::Code)
    }

    fn end(&self) -> Result<(), Damage> {
        if self.0.is_empty() { Ok(()) } else { Err(Damage::Long) }
    }
}

/// Number of elements per group.
const GROUP: usize = 16;

/// Decodes mode 0, *attributes*.
fn attributes(packed: &[u8], count: usize, stride: usize) -> Result<Vec<u8>, Damage> {
    let newer = match packed.first() {
        Some(0xa0) => false,
        Some(0xa1) => true,
        _ => return Err(Damage::Header),
    };
    let channels = if newer { stride / 4 } else { 0 };
    let tail = (stride + channels).max(if newer { 24 } else { 32 });
    let split = (packed.len() - 1).checked_sub(tail).ok_or(Damage::Short)?;
    let (body, tail) = packed[1..].split_at(split);
    let modes = &tail[tail.len() - channels..];
    if modes.iter().any(|m| m & 15 > 2 || (m & 15 < 2 && m >> 4 != 0)) {
        return Err(Damage::Code);
    }
    let mut last = tail[tail.len() - channels - stride..tail.len() - channels].to_vec();
    let most = ((8192 / stride) & !(GROUP - 1)).min(256);
    let mut body = Bytes(body);
    let mut out = Vec::with_capacity(count * stride);
    let mut planes = vec![0u8; most * stride];
    while out.len() < count * stride {
        let block = most.min(count - out.len() / stride);
        let groups = block.div_ceil(GROUP);
        let controls = body.take(channels)?;
        for (k, plane) in planes.chunks_exact_mut(most).enumerate() {
            let plane = &mut plane[..groups * GROUP];
            let control = controls.get(k / 4).map(|c| (c >> (k % 4 * 2)) & 3);
            match control {
                None => deltas(&mut body, [0, 2, 4, 8], plane)?,
                Some(0) => deltas(&mut body, [0, 1, 2, 4], plane)?,
                Some(1) => deltas(&mut body, [1, 2, 4, 8], plane)?,
                Some(2) => plane.fill(0),
                Some(_) => plane[..block].copy_from_slice(body.take(block)?),
            }
        }
        for element in 0..block {
            for (channel, last) in last.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                let delta = [0, 1, 2, 3].map(|k| planes[(channel * 4 + k) * most + element]);
                *last = next(*last, delta, modes.get(channel).copied().unwrap_or(0));
            }
            out.extend_from_slice(&last);
        }
    }
    body.end()?;
    Ok(out)
}

/// Computes four bytes of an element from the bytes of the previous element and a delta.
fn next(last: [u8; 4], delta: [u8; 4], mode: u8) -> [u8; 4] {
    match mode & 15 {
        0 => {
            let step =
                |k: usize| last[k].wrapping_add((delta[k] >> 1) ^ (delta[k] & 1).wrapping_neg());
            [step(0), step(1), step(2), step(3)]
        }
        1 => {
            let half = |k: usize| {
                let d = u16::from_le_bytes([delta[k], delta[k + 1]]);
                let v = u16::from_le_bytes([last[k], last[k + 1]]);
                v.wrapping_add((d >> 1) ^ (d & 1).wrapping_neg()).to_le_bytes()
            };
            let (low, high) = (half(0), half(2));
            [low[0], low[1], high[0], high[1]]
        }
        _ => {
            let turned = u32::from_le_bytes(delta).rotate_right(u32::from(mode >> 4));
            (u32::from_le_bytes(last) ^ turned).to_le_bytes()
        }
    }
}

/// Decodes one byte of each element of a block. `bits` are the four bit widths that a group header
/// can select.
fn deltas(body: &mut Bytes<'_>, bits: [usize; 4], plane: &mut [u8]) -> Result<(), Damage> {
    let groups = plane.len() / GROUP;
    let headers = body.take(groups.div_ceil(4))?;
    for (k, group) in plane.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
        let width = bits[usize::from(headers[k / 4] >> (k % 4 * 2) & 3)];
        match width {
            0 => group.fill(0),
            8 => group.copy_from_slice(body.take(GROUP)?),
            _ => {
                let small = body.take(width * GROUP / 8)?;
                let sentinel = (1u8 << width) - 1;
                for (k, delta) in group.iter_mut().enumerate() {
                    let bit = k * width;
                    // Deltas of one bit start at the lowest bit. Deltas of two and four bits start
                    // at the highest bit.
                    let shift = if width == 1 { bit % 8 } else { 8 - width - bit % 8 };
                    *delta = small[bit / 8] >> shift & sentinel;
                    if *delta == sentinel {
                        *delta = body.byte()?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Ring buffer of the last sixteen pushed items. Reading an item that was never pushed is an error.
struct Fifo<T> {
    entries: [T; 16],
    pushed: usize,
}

impl<T: Copy + Default> Fifo<T> {
    fn new() -> Self {
        Self { entries: [T::default(); 16], pushed: 0 }
    }

    fn push(&mut self, value: T) {
        self.entries[self.pushed % 16] = value;
        self.pushed += 1;
    }

    /// Returns a pushed item. `back` counts from 0, the newest item.
    fn get(&self, back: u8) -> Result<T, Damage> {
        let back = usize::from(back);
        if back >= self.pushed.min(16) {
            return Err(Damage::Code);
        }
        Ok(self.entries[(self.pushed - 1 - back) % 16])
    }
}

/// Decoder state of mode 1 between triangles.
struct Corners<'a> {
    data: Bytes<'a>,
    next: u32,
    last: u32,
    vertices: Fifo<u32>,
}

impl Corners<'_> {
    fn fresh(&mut self) -> u32 {
        let vertex = self.next;
        self.next = vertex.wrapping_add(1);
        vertex
    }

    fn explicit(&mut self) -> Result<u32, Damage> {
        self.last = self.last.wrapping_add(unzigzag(self.data.varint()?));
        Ok(self.last)
    }

    /// Decodes a corner from a nibble: 0 is a new vertex, 15 an explicit one, and the others are
    /// recent vertices. The flag states whether the vertex must be pushed.
    fn corner(&mut self, nibble: u8) -> Result<(u32, bool), Damage> {
        Ok(match nibble {
            0 => (self.fresh(), true),
            15 => (self.explicit()?, true),
            back => (self.vertices.get(back - 1)?, false),
        })
    }
}

/// Decodes mode 1, *triangles*.
fn triangles(packed: &[u8], count: usize) -> Result<Vec<u32>, Damage> {
    if packed.first() != Some(&0xe1) {
        return Err(Damage::Header);
    }
    let mut body = Bytes(&packed[1..]);
    let codes = body.take(count)?;
    let split = body.0.len().checked_sub(16).ok_or(Damage::Short)?;
    let (data, table) = body.0.split_at(split);
    let mut state = Corners { data: Bytes(data), next: 0, last: 0, vertices: Fifo::new() };
    let mut edges: Fifo<(u32, u32)> = Fifo::new();
    let mut out = Vec::with_capacity(count * 3);
    for code in codes {
        let (high, low) = (code >> 4, code & 15);
        let [a, b, c] = if high < 15 {
            let (a, b) = edges.get(high)?;
            let (c, remember) = match low {
                13 | 14 => {
                    state.last = if low == 13 {
                        state.last.wrapping_sub(1)
                    } else {
                        state.last.wrapping_add(1)
                    };
                    (state.last, true)
                }
                0 => (state.fresh(), true),
                15 => (state.explicit()?, true),
                back => (state.vertices.get(back)?, false),
            };
            if remember {
                state.vertices.push(c);
            }
            [a, b, c]
        } else {
            let (a, pair) = if low < 14 {
                let pair = table[usize::from(low)];
                if pair >> 4 == 15 || pair & 15 == 15 {
                    return Err(Damage::Code);
                }
                (state.fresh(), pair)
            } else {
                let pair = state.data.byte()?;
                if pair == 0 {
                    state.next = 0;
                }
                (if low == 14 { state.fresh() } else { state.explicit()? }, pair)
            };
            let (b, remember_b) = state.corner(pair >> 4)?;
            let (c, remember_c) = state.corner(pair & 15)?;
            edges.push((b, a));
            state.vertices.push(a);
            if remember_b {
                state.vertices.push(b);
            }
            if remember_c {
                state.vertices.push(c);
            }
            [a, b, c]
        };
        edges.push((c, b));
        edges.push((a, c));
        out.extend([a, b, c]);
    }
    state.data.end()?;
    Ok(out)
}

/// Decodes mode 2, *indices*.
fn indices(packed: &[u8], count: usize) -> Result<Vec<u32>, Damage> {
    if packed.first() != Some(&0xd1) {
        return Err(Damage::Header);
    }
    let split = packed.len().checked_sub(4).filter(|s| *s >= 1).ok_or(Damage::Short)?;
    let mut data = Bytes(&packed[1..split]);
    // Each index needs at least one byte.
    if data.0.len() < count {
        return Err(Damage::Short);
    }
    let mut last = [0u32; 2];
    let mut out = Vec::with_capacity(count);
    for _ in 0..count {
        let code = data.varint()?;
        let line = &mut last[code as usize & 1];
        *line = line.wrapping_add(unzigzag(code >> 1));
        out.push(*line);
    }
    data.end()?;
    Ok(out)
}

const fn unzigzag(v: u32) -> u32 {
    (v >> 1) ^ (v & 1).wrapping_neg()
}

/// Applies a filter to elements of four signed components, which are bytes or shorts. `largest` is
/// the integer that represents 1.
fn signed(elements: &mut [u8], stride: usize, filter: impl Fn([f32; 4], f32) -> [f32; 4]) {
    if stride == 4 {
        for e in elements.as_chunks_mut::<4>().0 {
            *e = filter(e.map(|v| f32::from(v.cast_signed())), 127.0)
                .map(|v| (v.round() as i8).cast_unsigned());
        }
    } else {
        for e in elements.as_chunks_mut::<8>().0 {
            let from = |k: usize| f32::from(i16::from_le_bytes([e[k], e[k + 1]]));
            let found = filter([from(0), from(2), from(4), from(6)], 32767.0)
                .map(|v| (v.round() as i16).to_le_bytes());
            e.copy_from_slice(found.as_flattened());
        }
    }
}

/// Filter 1: unit vectors in octahedral encoding.
fn octahedral(elements: &mut [u8], stride: usize) {
    signed(elements, stride, |[x, y, one, rest], largest| {
        let (x, y) = (x / one, y / one);
        let z = 1.0 - x.abs() - y.abs();
        let fold = z.min(0.0);
        let (x, y) = (x - fold.copysign(x), y - fold.copysign(y));
        let scale = largest / (x * x + y * y + z * z).sqrt();
        // For vectors of zero length, the cast converts NaN to 0.
        [x * scale, y * scale, z * scale, rest]
    });
}

/// Filter 2: unit quaternions stored without their largest component.
fn quaternion(elements: &mut [u8]) {
    for e in elements.as_chunks_mut::<8>().0 {
        let part = |k: usize| i16::from_le_bytes([e[k * 2], e[k * 2 + 1]]);
        let last = part(3);
        let scale = std::f32::consts::FRAC_1_SQRT_2 / f32::from(last | 3);
        let [x, y, z] = [0, 1, 2].map(|k| f32::from(part(k)) * scale);
        let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
        let largest = usize::from(last.cast_unsigned() & 3);
        for (k, v) in [w, x, y, z].into_iter().enumerate() {
            let at = (largest + k) % 4 * 2;
            e[at..at + 2].copy_from_slice(&((v * 32767.0).round() as i16).to_le_bytes());
        }
    }
}

/// Filter 3: floats stored as an integer mantissa with a power of 2.
fn exponential(elements: &mut [u8]) {
    for e in elements.as_chunks_mut::<4>().0 {
        let v = i32::from_le_bytes(*e);
        let power = f64::from_bits(((i64::from(v >> 24) + 1023).cast_unsigned()) << 52);
        *e = ((f64::from(v << 8 >> 8) * power) as f32).to_le_bytes();
    }
}

/// Filter 4: colors stored as luma and chroma.
fn color(elements: &mut [u8], stride: usize) {
    let rgba = |y: i32, orange: i32, green: i32, alpha: i32, largest: f32| {
        let bits = 32 - alpha.leading_zeros();
        let full = (1i64 << bits) as i32 - 1;
        let alpha = alpha & (full >> 1);
        let scale = if full > 0 { largest / full as f32 } else { 0.0 };
        [y + orange - green, y + green, y - orange - green, alpha << 1 | alpha & 1]
            .map(|v| (v as f32 * scale).round())
    };
    if stride == 4 {
        for e in elements.as_chunks_mut::<4>().0 {
            let [y, orange, green, alpha] = *e;
            let (orange, green) = (i32::from(orange.cast_signed()), i32::from(green.cast_signed()));
            *e = rgba(y.into(), orange, green, alpha.into(), 255.0).map(|v| v as u8);
        }
    } else {
        for e in elements.as_chunks_mut::<8>().0 {
            let part = |k: usize| u16::from_le_bytes([e[k], e[k + 1]]);
            let (orange, green) =
                (i32::from(part(2).cast_signed()), i32::from(part(4).cast_signed()));
            let found = rgba(part(0).into(), orange, green, part(6).into(), 65535.0)
                .map(|v| (v as u16).to_le_bytes());
            e.copy_from_slice(found.as_flattened());
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len() / 2)
            .map(|k| u8::from_str_radix(&hex[k * 2..k * 2 + 2], 16).unwrap())
            .collect()
    }

    /// Compares with a tolerance of one step of the filter's output, which the specification
    /// allows. Floats must be exactly equal.
    fn close(filter: &str, stride: usize, a: &[u8], b: &[u8]) -> bool {
        let wide = |v: &[u8]| -> Vec<i32> {
            v.as_chunks::<2>().0.iter().map(|b| i16::from_le_bytes(*b).into()).collect()
        };
        let narrow = |v: &[u8]| -> Vec<i32> { v.iter().map(|b| b.cast_signed().into()).collect() };
        match (filter, stride) {
            ("OCTAHEDRAL" | "QUATERNION", 8) => {
                wide(a).iter().zip(wide(b)).all(|(a, b)| (a - b).abs() <= 1)
            }
            ("COLOR", 8) => wide(a).iter().zip(wide(b)).all(|(a, b)| ((a - b) as i16).abs() <= 1),
            ("OCTAHEDRAL", 4) => narrow(a).iter().zip(narrow(b)).all(|(a, b)| (a - b).abs() <= 1),
            ("COLOR", 4) => {
                narrow(a).iter().zip(narrow(b)).all(|(a, b)| ((a - b) as i8).abs() <= 1)
            }
            _ => a == b,
        }
    }

    /// Test data, packed by meshoptimizer 1.3.0 and unpacked by its reference decoder. Columns:
    /// mode, filter, count, stride, packed bytes, unpacked bytes.
    const SAMPLES: &str = include_str!("../../../../tests/data/meshopt.tsv");

    #[test]
    fn data_packed_by_the_reference_encoder_is_decoded_identically() {
        let mut seen = std::collections::BTreeSet::new();
        for line in SAMPLES.lines() {
            let [mode, filter, count, stride, packed, plain] =
                line.split('\t').collect::<Vec<_>>().try_into().unwrap();
            let (packed, plain) = (bytes(packed), bytes(plain));
            let stride: usize = stride.parse().unwrap();
            let found = decode(mode, filter, count.parse().unwrap(), stride, &packed).unwrap();
            assert!(close(filter, stride, &found, &plain), "{mode} {filter} {count} × {stride}");
            // Truncated data and wrong counts cause errors.
            assert!(decode(mode, filter, 3, stride, &packed[..packed.len() - 1]).is_err());
            seen.insert((mode.to_owned(), filter.to_owned(), stride, packed[0]));
        }
        assert!(seen.len() >= 20, "{seen:?}");
    }

    #[test]
    fn the_example_of_the_specification_decodes_to_its_deltas() {
        let packed = [0x17, 0x5f, 0xf0, 0xbc, 0x77, 0xa9, 0x21, 0x00, 0x34, 0xb5];
        let mut plane = [0u8; 16];
        let with_header = [&[2u8][..], &packed].concat();
        deltas(&mut Bytes(&with_header), [0, 2, 4, 8], &mut plane).unwrap();
        let found = plane.map(|d| ((d >> 1) ^ (d & 1).wrapping_neg()).cast_signed());
        assert_eq!(found, [-1, -4, -3, 26, -91, 0, -6, 6, -4, -4, 5, -5, 1, -1, 0, 0]);
    }

    #[test]
    fn leftover_bytes_are_an_error() {
        let line = SAMPLES.lines().find(|l| l.starts_with("INDICES")).unwrap();
        let parts: Vec<&str> = line.split('\t').collect();
        let count: usize = parts[2].parse().unwrap();
        assert_eq!(
            decode("INDICES", "NONE", count - 1, parts[3].parse().unwrap(), &bytes(parts[4])),
            Err(Damage::Long)
        );
    }

    proptest! {
        #[test]
        fn random_bytes_give_the_requested_size_or_an_error_without_a_panic(
            mut packed in prop::collection::vec(any::<u8>(), 0..400),
            mode in prop::sample::select(vec!["ATTRIBUTES", "TRIANGLES", "INDICES", "?"]),
            filter in prop::sample::select(vec!["NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL",
                "COLOR"]),
            header in prop::sample::select(vec![0xa0u8, 0xa1, 0xe1, 0xd1, 0]),
            (count, stride) in (0usize..600, 0usize..70),
        ) {
            if let Some(first) = packed.first_mut() {
                *first = header;
            }
            if let Ok(found) = decode(mode, filter, count, stride, &packed) {
                prop_assert_eq!(found.len(), count * stride);
            }
        }

        #[test]
        fn samples_with_a_byte_changed_never_panic(line in 0usize..1000,
            at in any::<prop::sample::Index>(), to in any::<u8>()) {
            let lines: Vec<&str> = SAMPLES.lines().collect();
            let parts: Vec<&str> = lines[line % lines.len()].split('\t').collect();
            let mut packed = bytes(parts[4]);
            let at = at.index(packed.len());
            packed[at] = to;
            let (count, stride) =
                (parts[2].parse::<usize>().unwrap(), parts[3].parse::<usize>().unwrap());
            if let Ok(found) = decode(parts[0], parts[1], count, stride, &packed) {
                prop_assert_eq!(found.len(), count * stride);
            }
        }
    }
}
