//! Converts between `.gltf` and `.glb` without loss of content.
//!
//! A `.gltf` has no chunks. Chunks of unknown type become buffers with a mark in their extras.
//! Conversion back to `.glb` restores them.

use std::ops::Range;

use serde_json::{json, value::RawValue};

use super::{
    Container, FileToWrite, ReadError, SaveError, Source, Transcoded,
    container::{build_glb, chunk, chunk_name, chunks},
    json::{self as raw_json, RawMap},
    meshopt_view, schema,
    sidecar::{as_uri, content_name},
    source::{BufferData, data_uri},
    text::{Ops, rewrite},
};
use ulna_model::{IdKind, Location, Notice};

/// Container to convert a file to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetContainer {
    /// JSON with separate data files.
    Gltf,
    /// A single binary file.
    Glb,
}

/// Converts a file to the other container. Also returns the files to write next to it. If the
/// container is already the requested one, the bytes are unchanged.
///
/// # Errors
/// The source cannot be read again, or is too large for a GLB.
pub fn transcode(
    source: &Source,
    target: TargetContainer,
    stem: &str,
) -> Result<Transcoded, SaveError> {
    match (&source.container, target) {
        (Container::Gltf { .. }, TargetContainer::Glb) => to_glb(source),
        (Container::Glb { json, bin, .. }, TargetContainer::Gltf) => {
            to_gltf(source, json.clone(), bin.clone(), stem)
        }
        _ => Ok(Transcoded { bytes: source.bytes.to_vec(), beside: Vec::new(), lost: Vec::new() }),
    }
}

fn to_gltf(
    source: &Source,
    json: Range<usize>,
    bin: Option<Range<usize>>,
    stem: &str,
) -> Result<Transcoded, SaveError> {
    let text = source.json().map_err(SaveError::Source)?;
    let mut ops = Ops::object();
    let mut files = Vec::new();
    if let (Some(bin), Some(BufferData::Bin(_))) = (bin, source.buffers.first()) {
        let bytes = source.bytes[bin].to_vec();
        let name = content_name(stem, &bytes);
        *ops.member("buffers").item(0).member("uri") =
            Ops::Replace(serde_json::Value::from(as_uri(&name)).to_string());
        files.push(FileToWrite { name, bytes });
    }
    debug_assert_eq!(text.len(), json.len());
    let mut lost = Vec::new();
    if let Container::Glb { rest, .. } = &source.container
        && !rest.is_empty()
    {
        let (all, stray) = chunks(&source.bytes[rest.clone()]);
        for (kind, data) in all {
            let (name, length) = (chunk_name(kind), data.len());
            if data.is_empty() {
                let said = format!(
                    "The empty chunk {name} is left out, because .gltf files have no chunks"
                );
                lost.push(Notice::new("chunk_left_out", said));
                continue;
            }
            let file = content_name(stem, data);
            let mark = json!({"version": 1, "type": kind});
            let buffer = json!({
                "name": format!("GLB chunk {name}"), "uri": as_uri(&file), "byteLength": length,
                "extras": {CHUNK_MARK: mark}
            });
            ops.member("buffers").push(buffer.to_string());
            let said = format!(
                "The chunk {name} ({length} bytes) is saved as a buffer in {file}, because .gltf \
                    files have no chunks. It becomes a chunk again when saved as .glb"
            );
            lost.push(Notice::new("chunk_became_buffer", said));
            if !files.iter().any(|f: &FileToWrite| f.name == file) {
                files.push(FileToWrite { name: file, bytes: data.to_vec() });
            }
        }
        if stray > 0 {
            let said = format!(
                "{stray} bytes after the last chunk are left out, because .gltf files cannot \
                    contain them"
            );
            lost.push(Notice::new("stray_bytes_left_out", said));
        }
    }
    // The padding of the chunk is not part of the JSON text.
    Ok(Transcoded {
        bytes: rewrite(text.trim_end_matches(' '), &ops).into_bytes(),
        beside: files,
        lost,
    })
}

fn to_glb(source: &Source) -> Result<Transcoded, SaveError> {
    let text = source.json().map_err(SaveError::Source)?;
    let root = raw_json::split(text).map_err(SaveError::Source)?;
    let mut ops = Ops::object();
    let mut bin: Vec<u8> = Vec::new();
    // New location of each old buffer: the index of the new buffer, and the offset in it.
    let mut places: Vec<(usize, usize)> = Vec::new();
    let mut fallbacks = 0;
    let mut rest: Vec<u8> = Vec::new();
    let all = raw_json::elements(&root, "buffers").map_err(SaveError::Source)?;
    let views = raw_json::elements(&root, "bufferViews").map_err(SaveError::Source)?;
    let marks = chunk_marks(&all, &views);
    for (k, buffer) in source.buffers.iter().enumerate() {
        if let Some(kind) = marks.get(k).copied().flatten() {
            places.push((0, 0));
            rest.extend(chunk(kind, source.buffer(k).unwrap_or_default())?);
            *ops.member("buffers").item(k) = Ops::Remove;
        } else if matches!(buffer, BufferData::Fallback) {
            fallbacks += 1;
            places.push((fallbacks, 0));
        } else {
            bin.resize(bin.len().next_multiple_of(4), 0);
            places.push((0, bin.len()));
            bin.extend_from_slice(source.buffer(k).unwrap_or_default());
            *ops.member("buffers").item(k) = Ops::Remove;
        }
    }
    move_views(&views, &places, &mut ops)?;
    embed_images(source, &root, views.len(), &mut bin, &mut ops)?;
    if bin.is_empty() {
        // Buffers without data stay unchanged.
        let mut ops = if rest.is_empty() { Ops::Keep } else { ops };
        if !rest.is_empty() && marks.iter().all(Option::is_some) {
            *ops.member("buffers") = Ops::Remove;
        }
        let bytes = build_glb(rewrite(text, &ops).as_bytes(), None, &rest, 0)?;
        return Ok(Transcoded { bytes, beside: Vec::new(), lost: Vec::new() });
    }
    // The BIN chunk must be the first buffer, so fallback buffers come after it.
    let packed = |data: &BufferData| matches!(data, BufferData::Fallback);
    let is_chunk = |k: usize| marks.get(k).is_some_and(Option::is_some);
    let listed = all.iter().zip(&source.buffers).enumerate();
    let real = listed.filter(|(k, (_, d))| !packed(d) && !is_chunk(*k));
    let real: Vec<&str> = real.map(|(_, (r, _))| r.get()).collect();
    let (own, lost) = joined_buffers(&real, bin.len());
    let kept = all
        .iter()
        .zip(&source.buffers)
        .filter(|(_, data)| packed(data))
        .map(|(raw, _)| raw.get().to_owned());
    *ops.member("buffers") = Ops::Replace(format!(
        "[{}]",
        std::iter::once(own).chain(kept).collect::<Vec<_>>().join(",")
    ));
    let start = text.trim_start_matches('\u{feff}');
    Ok(Transcoded {
        bytes: build_glb(rewrite(start, &ops).as_bytes(), Some(&bin), &rest, 0)?,
        beside: Vec::new(),
        lost,
    })
}

/// Updates the buffer and offset of buffer views. `places` contains the new location of each old
/// buffer: the index of the new buffer, and the offset in it.
fn move_views(
    views: &[&RawValue],
    places: &[(usize, usize)],
    ops: &mut Ops,
) -> Result<(), SaveError> {
    for (k, raw) in views.iter().enumerate() {
        let view: schema::BufferView =
            raw_json::typed(raw.get(), &Location::at(IdKind::View, k), &mut false)
                .map_err(SaveError::Source)?;
        let op = ops.member("bufferViews").item(k);
        let shift = |op: &mut Ops, buffer: usize, offset: Option<raw_json::Index>| {
            let (index, base) = places.get(buffer).copied().unwrap_or_default();
            if index != buffer {
                *op.member("buffer") = Ops::Replace(index.to_string());
            }
            if base != 0 {
                *op.member("byteOffset") =
                    Ops::Replace((base + offset.map_or(0, |o| o.0)).to_string());
            }
        };
        shift(op, view.buffer.0, view.byte_offset);
        for name in meshopt_view::EXTENSIONS {
            if let Some(packed) = view.extensions.get::<Packed>(name) {
                shift(op.member("extensions").member(name), packed.buffer.0, packed.byte_offset);
            }
        }
    }
    Ok(())
}

/// Copies image files and `data:` URIs into the BIN chunk.
fn embed_images(
    source: &Source,
    root: &RawMap<'_>,
    mut view_count: usize,
    bin: &mut Vec<u8>,
    ops: &mut Ops,
) -> Result<(), SaveError> {
    for (k, raw) in
        raw_json::elements(root, "images").map_err(SaveError::Source)?.iter().enumerate()
    {
        let Ok(image) = raw_json::typed::<Uri>(raw.get(), &Location::default(), &mut false) else {
            continue;
        };
        let Some(uri) = image.uri else { continue };
        let Ok(bytes) = data_uri(&uri).unwrap_or_else(|| source.companion(&uri)) else { continue };
        bin.resize(bin.len().next_multiple_of(4), 0);
        let view =
            serde_json::json!({"buffer": 0, "byteOffset": bin.len(), "byteLength": bytes.len()});
        ops.member("bufferViews").push(view.to_string());
        let op = ops.member("images").item(k);
        *op.member("uri") = Ops::Remove;
        *op.member("bufferView") = Ops::Replace(view_count.to_string());
        *op.member("mimeType") = Ops::Replace(format!("\"{}\"", mime_type(&bytes)));
        view_count += 1;
        bin.extend_from_slice(&bytes);
    }
    Ok(())
}

/// Name of a member of a buffer's extras. It marks a buffer that was a chunk of unknown type in a
/// `.glb`.
const CHUNK_MARK: &str = "ulna.chunk";

/// Original chunk type of each buffer. `None` for buffers that were no chunk, or that a buffer view
/// uses.
fn chunk_marks(buffers: &[&RawValue], views: &[&RawValue]) -> Vec<Option<u32>> {
    let kind = |raw: &&RawValue| {
        let buffer: serde_json::Value = serde_json::from_str(raw.get()).ok()?;
        let kind = buffer.get("extras")?.get(CHUNK_MARK)?.get("type")?.as_u64()?;
        u32::try_from(kind).ok()
    };
    let mut marks: Vec<Option<u32>> = buffers.iter().map(kind).collect();
    if marks.iter().any(Option::is_some) {
        for view in
            views.iter().filter_map(|raw| serde_json::from_str::<serde_json::Value>(raw.get()).ok())
        {
            let used = view
                .get("buffer")
                .and_then(serde_json::Value::as_u64)
                .and_then(|k| usize::try_from(k).ok());
            if let Some(mark) = used.and_then(|k| marks.get_mut(k)) {
                *mark = None;
            }
        }
    }
    marks
}

/// Merges the JSON of several buffers into one. Members that are equal in all buffers are kept;
/// others are lost, with a notice.
fn joined_buffers(raw: &[&str], length: usize) -> (String, Vec<Notice>) {
    let members: Vec<RawMap<'_>> =
        raw.iter().filter_map(|text| raw_json::split(text).ok()).collect();
    let mut own = format!("{{\"byteLength\":{length}");
    let mut lost = Vec::new();
    let (mut kept, mut gone) = (Vec::new(), Vec::new());
    for key in members
        .iter()
        .flat_map(|m| m.0.keys())
        .filter(|k| !matches!(k.as_str(), "uri" | "byteLength"))
    {
        let first = members.iter().find_map(|m| m.0.get(key));
        let alike = members.iter().all(|m| m.0.get(key).map(|v| v.get()) == first.map(|v| v.get()));
        let list = if alike { &mut kept } else { &mut gone };
        if !list.contains(&key) {
            list.push(key);
        }
    }
    for key in kept {
        if let Some(value) = members.iter().find_map(|m| m.0.get(key)) {
            own.push_str(&format!(",{}:{}", serde_json::Value::from(key.as_str()), value.get()));
        }
    }
    if !gone.is_empty() {
        let names: Vec<&str> = gone.iter().map(|k| k.as_str()).collect();
        let said = format!(
            "{} buffers are merged into one, and their own properties ({}) are left out",
            members.len(),
            names.join(", ")
        );
        lost.push(Notice::new("buffer_members_left_out", said));
    }
    own.push('}');
    (own, lost)
}

/// MIME type of an image, from its signature.
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
    buffer: raw_json::Index,
    #[serde(rename = "byteOffset")]
    byte_offset: Option<raw_json::Index>,
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
