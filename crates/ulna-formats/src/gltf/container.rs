//! The container of a file: plain JSON, or a GLB with chunks.

use std::ops::Range;

use super::ReadError;

/// Container type of a file, with the byte ranges of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Container {
    /// A `.gltf` file, which is only JSON.
    Gltf {
        /// Range of the JSON, without a byte order mark.
        json: Range<usize>,
    },
    /// A `.glb` file.
    Glb {
        /// Range of the JSON chunk's data.
        json: Range<usize>,
        /// Range of the BIN chunk's data.
        bin: Option<Range<usize>>,
        /// Range of everything after these two chunks: unknown chunks and trailing bytes, which are
        /// preserved.
        rest: Range<usize>,
        /// File length that the header states.
        declared: usize,
    },
}

const MAGIC: &[u8] = b"glTF";
const JSON: u32 = 0x4E4F_534A;
const BIN: u32 = 0x004E_4942;

impl Container {
    /// Detects the container by its content, independent of the file name.
    ///
    /// # Errors
    /// The file is neither JSON nor a complete GLB of version 2.
    pub fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        if bytes.starts_with(MAGIC) {
            return Self::parse_glb(bytes);
        }
        if bytes.is_empty() {
            return Err(ReadError::NotGltf("the file is empty".into()));
        }
        let start = if bytes.starts_with(&[0xEF, 0xBB, 0xBF]) { 3 } else { 0 };
        match bytes[start..].iter().find(|b| !b.is_ascii_whitespace()) {
            Some(b'{') => Ok(Self::Gltf { json: start..bytes.len() }),
            _ => Err(ReadError::NotGltf(
                "it starts with neither a JSON object nor a GLB header".into(),
            )),
        }
    }

    fn parse_glb(bytes: &[u8]) -> Result<Self, ReadError> {
        let fail = |message: &str| Err(ReadError::Container(message.into()));
        let (Some(version), Some(declared)) = (word(bytes, 4), word(bytes, 8)) else {
            return fail("it ends inside its header");
        };
        if version != 2 {
            return Err(ReadError::Version(version.to_string()));
        }
        let declared = declared as usize;
        if declared > bytes.len() {
            return fail("its header states a length greater than the file");
        }
        let chunk = |at: usize| -> Option<(u32, Range<usize>)> {
            let length = word(bytes, at).filter(|_| at + 8 <= declared)? as usize;
            let data = at + 8..(at + 8).checked_add(length)?;
            Some((word(bytes, at + 4)?, data))
        };
        let Some((kind, json)) = chunk(12) else { return fail("it has no JSON chunk") };
        if kind != JSON {
            return fail("its first chunk is not JSON");
        }
        if json.end > declared {
            return fail("the JSON chunk is longer than the file");
        }
        let mut end = json.end;
        let mut bin = None;
        if let Some((BIN, data)) = chunk(json.end) {
            if data.end > declared {
                return fail("the BIN chunk is longer than the file");
            }
            // A length that is not a multiple of 4 violates the specification. The bytes up to the
            // next multiple are treated as data.
            end = data.start + data.len().next_multiple_of(4);
            end = end.min(declared);
            bin = Some(data.start..end);
        }
        Ok(Self::Glb { json, bin, rest: end..bytes.len(), declared })
    }

    /// Range of the JSON.
    pub fn json(&self) -> Range<usize> {
        match self {
            Self::Gltf { json } | Self::Glb { json, .. } => json.clone(),
        }
    }

    /// Whether the container is a GLB.
    pub const fn is_glb(&self) -> bool {
        matches!(self, Self::Glb { .. })
    }
}

/// Splits the bytes after JSON and BIN into complete chunks, each with type and data. Also returns
/// the number of trailing bytes.
pub(super) fn chunks(rest: &[u8]) -> (Vec<(u32, &[u8])>, usize) {
    let (mut list, mut at) = (Vec::new(), 0);
    while let (Some(length), Some(kind)) = (word(rest, at), word(rest, at + 4)) {
        let Some(data) =
            (at + 8).checked_add(length as usize).and_then(|end| rest.get(at + 8..end))
        else {
            break;
        };
        list.push((kind, data));
        at += 8 + data.len();
    }
    (list, rest.len() - at)
}

/// Encodes a chunk, padded with zeros.
pub(super) fn chunk(kind: u32, data: &[u8]) -> Result<Vec<u8>, std::num::TryFromIntError> {
    let length = data.len().next_multiple_of(4);
    let mut out = u32::try_from(length)?.to_le_bytes().to_vec();
    out.extend_from_slice(&kind.to_le_bytes());
    out.extend_from_slice(data);
    out.resize(8 + length, 0);
    Ok(out)
}

/// Name of a chunk type: its four characters, or its number.
pub(super) fn chunk_name(kind: u32) -> String {
    match kind.to_le_bytes() {
        bytes if bytes.iter().all(|b| b.is_ascii_graphic()) => {
            String::from_utf8_lossy(&bytes).into_owned()
        }
        _ => format!("{kind:#010X}"),
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let b = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

/// Builds a GLB from its parts. `rest` follows unchanged. The last `trailing` bytes of it are not
/// counted in the header.
///
/// # Errors
/// The result exceeds the maximum size of a GLB.
pub fn build_glb(
    json: &[u8],
    bin: Option<&[u8]>,
    rest: &[u8],
    trailing: usize,
) -> Result<Vec<u8>, std::num::TryFromIntError> {
    assemble(json, bin.as_ref().map(std::slice::from_ref), rest, trailing)
}

/// Offset of the BIN chunk's data in a GLB whose JSON has this length.
pub(super) const fn bin_start(json: usize) -> usize {
    28 + json.next_multiple_of(4)
}

/// Builds a GLB like [`build_glb`], from a BIN chunk in several pieces.
pub(super) fn assemble(
    json: &[u8],
    bin: Option<&[&[u8]]>,
    rest: &[u8],
    trailing: usize,
) -> Result<Vec<u8>, std::num::TryFromIntError> {
    let json_length = json.len().next_multiple_of(4);
    let bin_length =
        bin.map_or(0, |b| b.iter().map(|b| b.len()).sum::<usize>().next_multiple_of(4));
    let total = 12 + 8 + json_length + bin.map_or(0, |_| 8 + bin_length) + rest.len();
    let mut out = Vec::with_capacity(total);
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&2u32.to_le_bytes());
    out.extend_from_slice(&u32::try_from(total - trailing)?.to_le_bytes());
    out.extend_from_slice(&u32::try_from(json_length)?.to_le_bytes());
    out.extend_from_slice(&JSON.to_le_bytes());
    out.extend_from_slice(json);
    out.resize(20 + json_length, b' ');
    if let Some(bin) = bin {
        out.extend_from_slice(&u32::try_from(bin_length)?.to_le_bytes());
        out.extend_from_slice(&BIN.to_le_bytes());
        bin.iter().for_each(|piece| out.extend_from_slice(piece));
        out.resize(28 + json_length + bin_length, 0);
    }
    out.extend_from_slice(rest);
    Ok(out)
}
