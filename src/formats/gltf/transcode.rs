//! From one container to the other: `.gltf` ↔ `.glb`, with everything in it kept.

use std::ops::Range;

use super::{
    Container, FileToWrite, ReadError, SaveError, Source,
    container::build_glb,
    json, meshopt, schema,
    source::{BufferData, data_uri},
    text::{Ops, rewrite},
};

/// Which container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// JSON with a `.bin` beside it.
    Gltf,
    /// Everything in one file.
    Glb,
}

/// The file in the other container, with the files to put beside it. The same container gives the same bytes.
///
/// # Errors
/// Where the source cannot be read again, or would be too large for a GLB.
pub fn transcode(source: &Source, target: Target, stem: &str) -> Result<(Vec<u8>, Vec<FileToWrite>), SaveError> {
    match (&source.container, target) {
        (Container::Gltf { .. }, Target::Glb) => to_glb(source),
        (Container::Glb { json, bin, .. }, Target::Gltf) => to_gltf(source, json.clone(), bin.clone(), stem),
        _ => Ok((source.bytes.to_vec(), Vec::new())),
    }
}

fn to_gltf(
    source: &Source,
    json: Range<usize>,
    bin: Option<Range<usize>>,
    stem: &str,
) -> Result<(Vec<u8>, Vec<FileToWrite>), SaveError> {
    let text = source.json().map_err(SaveError::Source)?;
    let mut ops = Ops::object();
    let mut files = Vec::new();
    if let (Some(bin), Some(BufferData::Bin(_))) = (bin, source.buffers.first()) {
        let name = format!("{stem}.bin");
        let uri = percent_encoding::utf8_percent_encode(&name, percent_encoding::NON_ALPHANUMERIC).to_string();
        let uri = uri.replace("%2E", ".").replace("%2D", "-").replace("%5F", "_");
        *ops.member("buffers").item(0).member("uri") = Ops::Replace(serde_json::Value::from(uri).to_string());
        files.push(FileToWrite { name, bytes: source.bytes[bin].to_vec() });
    }
    debug_assert_eq!(text.len(), json.len());
    // The padding of the chunk is the container's, not the text's.
    Ok((rewrite(text.trim_end_matches(' '), &ops).into_bytes(), files))
}

fn to_glb(source: &Source) -> Result<(Vec<u8>, Vec<FileToWrite>), SaveError> {
    let text = source.json().map_err(SaveError::Source)?;
    let root = json::split(text).map_err(SaveError::Source)?;
    let mut ops = Ops::object();
    let mut bin: Vec<u8> = Vec::new();
    // New place of each buffer: its index, and where it starts in there.
    let mut places: Vec<(usize, usize)> = Vec::new();
    let mut fallbacks = 0;
    for (k, buffer) in source.buffers.iter().enumerate() {
        if matches!(buffer, BufferData::Fallback) {
            fallbacks += 1;
            places.push((fallbacks, 0));
        } else {
            bin.resize(bin.len().next_multiple_of(4), 0);
            places.push((0, bin.len()));
            bin.extend_from_slice(source.buffer(k).unwrap_or_default());
            *ops.member("buffers").item(k) = Ops::Remove;
        }
    }
    let views = json::elements(&root, "bufferViews").map_err(SaveError::Source)?;
    for (k, raw) in views.iter().enumerate() {
        let view: schema::BufferView =
            json::typed(raw.get(), &format!("bufferViews/{k}"), &mut false).map_err(SaveError::Source)?;
        let op = ops.member("bufferViews").item(k);
        let shift = |op: &mut Ops, buffer: usize, offset: Option<json::Index>| {
            let (index, base) = places.get(buffer).copied().unwrap_or_default();
            if index != buffer {
                *op.member("buffer") = Ops::Replace(index.to_string());
            }
            if base != 0 {
                *op.member("byteOffset") = Ops::Replace((base + offset.map_or(0, |o| o.0)).to_string());
            }
        };
        shift(op, view.buffer.0, view.byte_offset);
        for name in meshopt::EXTENSIONS {
            if let Some(packed) = view.extensions.get::<Packed>(name) {
                shift(op.member("extensions").member(name), packed.buffer.0, packed.byte_offset);
            }
        }
    }
    let mut view_count = views.len();
    for (k, raw) in json::elements(&root, "images").map_err(SaveError::Source)?.iter().enumerate() {
        let Ok(image) = json::typed::<Uri>(raw.get(), "", &mut false) else { continue };
        let Some(uri) = image.uri else { continue };
        let Ok(bytes) = data_uri(&uri).unwrap_or_else(|| source.companion(&uri)) else { continue };
        bin.resize(bin.len().next_multiple_of(4), 0);
        let view = serde_json::json!({"buffer": 0, "byteOffset": bin.len(), "byteLength": bytes.len()});
        ops.member("bufferViews").push(view.to_string());
        let op = ops.member("images").item(k);
        *op.member("uri") = Ops::Remove;
        *op.member("bufferView") = Ops::Replace(view_count.to_string());
        *op.member("mimeType") = Ops::Replace(format!("\"{}\"", mime_type(&bytes)));
        view_count += 1;
        bin.extend_from_slice(&bytes);
    }
    if bin.is_empty() {
        return Ok((build_glb(rewrite(text, &Ops::Keep).as_bytes(), None, &[], 0)?, Vec::new()));
    }
    // The BIN chunk must be the first buffer; those that hold nothing come after it.
    let own = format!("{{\"byteLength\":{}}}", bin.len());
    let kept: Vec<String> = json::elements(&root, "buffers")
        .map_err(SaveError::Source)?
        .iter()
        .zip(&source.buffers)
        .filter(|(_, data)| matches!(data, BufferData::Fallback))
        .map(|(raw, _)| raw.get().to_owned())
        .collect();
    *ops.member("buffers") = Ops::Replace(format!("[{}]", [vec![own], kept].concat().join(",")));
    let start = text.trim_start_matches('\u{feff}');
    Ok((build_glb(rewrite(start, &ops).as_bytes(), Some(&bin), &[], 0)?, Vec::new()))
}

/// What an image is, by its first bytes.
pub(super) fn mime_type(bytes: &[u8]) -> &'static str {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        [0xAB, b'K', b'T', b'X', ..] => "image/ktx2",
        _ => "image/jpeg",
    }
}

#[derive(serde::Deserialize)]
struct Packed {
    buffer: json::Index,
    #[serde(rename = "byteOffset")]
    byte_offset: Option<json::Index>,
}

#[derive(serde::Deserialize)]
struct Uri {
    uri: Option<String>,
}

impl From<ReadError> for SaveError {
    fn from(error: ReadError) -> Self {
        Self::Source(error)
    }
}
