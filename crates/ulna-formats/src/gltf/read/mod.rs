//! Reads bytes as a document. A file with small errors opens with repairs, which are listed as
//! findings. Any other invalid file is rejected with a message.

mod asset;
mod nodes;
mod reader;
mod scenes;
mod skins;

use std::{path::Path, sync::Arc};

use self::reader::Reader;
use super::{
    Container, FileToWrite, ReadError, Source,
    accessor::Accessors,
    json, meshopt,
    outline::{self, join_if_large},
    progress::Progress,
    schema,
    source::check_asset,
    text,
};
use crate::read_whole;
use ulna_model::{Diagnostic, Diagnostics, Document, IdKind, Location, Severity};

/// Result of opening a file.
#[derive(Debug)]
pub struct Opened {
    /// Source with the opened bytes.
    pub source: Source,
    /// Document that was read from the file.
    pub document: Document,
    /// Findings about the file.
    pub diagnostics: Vec<Diagnostic>,
    /// Name of the program that wrote the file.
    pub generator: Option<String>,
    /// Names in `extensionsUsed`.
    pub extensions_used: Vec<String>,
}

/// Reads a file from disk.
///
/// # Errors
/// A sentence with the problem and its location.
pub fn open(path: &Path, progress: &Progress) -> Result<Opened, ReadError> {
    let bytes =
        read_whole(path).map_err(|source| ReadError::Io { path: path.to_owned(), source })?;
    open_bytes(bytes.into(), Some(path), progress)
}

/// Reads a file from memory. Files that it refers to are searched for in the folder of `path`.
///
/// # Errors
/// The same as [`open`].
pub fn open_bytes(
    bytes: Arc<Vec<u8>>,
    path: Option<&Path>,
    progress: &Progress,
) -> Result<Opened, ReadError> {
    open_beside(bytes, path, Arc::default(), progress)
}

/// Reads a file from memory, like [`open_bytes`]. Referenced files are taken from `beside` if it
/// contains them.
///
/// # Errors
/// The same as [`open`].
pub fn open_beside(
    bytes: Arc<Vec<u8>>,
    path: Option<&Path>,
    beside: Arc<[FileToWrite]>,
    progress: &Progress,
) -> Result<Opened, ReadError> {
    let container = Container::parse(&bytes)?;
    let path = path.map(Path::to_owned);
    let mut source =
        Source { path, bytes, container, beside, buffers: Vec::new(), image_uris: Vec::new() };
    progress.reach(0.1)?;
    let text_owner = source.bytes.clone();
    let text = std::str::from_utf8(&text_owner[source.container.json()]).map_err(|e| {
        ReadError::NotGltf(format!("its JSON is not UTF-8 (byte {})", e.valid_up_to()))
    })?;
    let (outline, survey) =
        join_if_large(text.len(), || outline::read(text), || text::survey(text));
    let (root, mut long) = outline?;
    let asset = check_asset(&root)?;
    let extensions_used: Vec<String> = names(&root, "extensionsUsed")?;
    check_required(&root, text)?;
    let buffers: Vec<schema::Buffer> = json::list(&root, IdKind::Buffer)?;
    let views = long.views(&root)?;
    source.load_buffers(&buffers, &views)?;
    progress.reach(0.2)?;
    let mut diagnostics = Diagnostics::default();
    if survey.depth > 128 {
        let message = format!(
            "The JSON is nested {} levels deep; the deepest parts stay in the file, but are \
                ignored",
            survey.depth
        );
        diagnostics.add(Severity::Warning, "ULNA_DEEP_JSON", "", message);
    }
    if survey.nulls > 0 {
        let message =
            format!("Properties that are null: {}; they are treated as missing", survey.nulls);
        diagnostics.add(Severity::Error, "TYPE_MISMATCH", "", message);
    }
    for (key, _) in &root.1 {
        diagnostics.add(
            Severity::Error,
            "DUPLICATE_PROPERTY",
            "",
            format!("“{key}” is defined twice in the file; the later one is used"),
        );
    }
    if let Container::Glb { json, bin, rest, .. } = &source.container {
        check_glb(&source.bytes, json, bin.as_ref(), rest, &mut diagnostics);
    }
    if text_owner.starts_with(&[0xEF, 0xBB, 0xBF]) {
        diagnostics.add(
            Severity::Error,
            "INVALID_JSON",
            "",
            "The file starts with a byte order mark",
        );
    }
    let companions: u64 =
        (0..source.buffers.len()).filter_map(|k| source.buffer(k)).map(|b| b.len() as u64).sum();
    let mut budget = (source.bytes.len() as u64).max(companions) * 12 + (48 << 20);
    for (k, _) in views.iter().enumerate().filter(|(_, v)| v.byte_stride == Some(json::Index(0))) {
        let message = "The byte stride is 0; the elements are read as tightly packed";
        diagnostics.add(
            Severity::Error,
            "VALUE_NOT_IN_RANGE",
            Location::at(IdKind::View, k),
            message,
        );
    }
    let unpacked = meshopt::unpack(&source, &views, &mut budget, &mut diagnostics)?;
    let mut reader = Reader {
        accessors: Accessors::new(&source, long.accessors(&root)?, views, &unpacked, budget),
        diagnostics,
        root: &root,
        animations: long.animations(),
    };
    let (file, image_uris) = reader.asset(progress)?;
    let Reader { diagnostics, .. } = reader;
    source.image_uris = image_uris;
    progress.reach(1.0)?;
    Ok(Opened {
        source,
        document: file.into(),
        diagnostics: diagnostics.finish(),
        generator: asset.generator,
        extensions_used,
    })
}

fn names(root: &json::RawMap<'_>, name: &'static str) -> Result<Vec<String>, ReadError> {
    root.0.get(name).map_or_else(
        || Ok(Vec::new()),
        |raw| json::plain_typed(raw.get(), &name.into(), &mut false),
    )
}

/// Whether a file with this glTF extension can be displayed, at least in part, and edited safely.
fn is_known(extension: &str) -> bool {
    const KNOWN: [&str; 15] = [
        "EXT_mesh_gpu_instancing",
        "EXT_meshopt_compression",
        "EXT_texture_avif",
        "EXT_texture_webp",
        "KHR_animation_pointer",
        "KHR_draco_mesh_compression",
        "KHR_lights_punctual",
        "KHR_mesh_quantization",
        "KHR_meshopt_compression",
        "KHR_node_visibility",
        "KHR_texture_basisu",
        "KHR_texture_transform",
        "KHR_xmp_json_ld",
        "MSFT_texture_dds",
        "KHR_audio",
    ];
    KNOWN.contains(&extension)
        || extension.starts_with("KHR_materials_")
        || extension.starts_with("VRM")
}

/// Rejects unknown required extensions. Compression extensions that are required but never used are
/// also rejected, because their effect is unknown.
fn check_required(root: &json::RawMap<'_>, text: &str) -> Result<(), ReadError> {
    const PACKING: [&str; 3] =
        ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"];
    for name in names(root, "extensionsRequired")? {
        if !is_known(&name) {
            return Err(ReadError::Extension { name, why: "which Ulna does not support" });
        }
        if PACKING.contains(&name.as_str()) && text.matches(&format!("\"{name}\"")).count() < 3 {
            return Err(ReadError::Extension { name, why: "but no part of the file uses it" });
        }
    }
    Ok(())
}

fn check_glb(
    bytes: &[u8],
    json: &std::ops::Range<usize>,
    bin: Option<&std::ops::Range<usize>>,
    rest: &std::ops::Range<usize>,
    diagnostics: &mut Diagnostics,
) {
    // The stated length of a chunk is stored eight bytes before its data. The range of the data is
    // already rounded up.
    let odd = |r: &std::ops::Range<usize>| !bytes[r.start - 8].is_multiple_of(4);
    if odd(json) || bin.is_some_and(odd) {
        diagnostics.add(
            Severity::Error,
            "GLB_CHUNK_LENGTH_UNALIGNED",
            "",
            "A chunk's length is not a multiple of 4",
        );
    }
    if bytes[rest.clone()].get(4..8) == Some(b"BIN\0") {
        diagnostics.add(
            Severity::Error,
            "GLB_DUPLICATE_CHUNK",
            "",
            "The file has a second BIN chunk; it stays in the file, but is ignored",
        );
    } else if !rest.is_empty() {
        diagnostics.add(
            Severity::Info,
            "GLB_UNKNOWN_CHUNK_TYPE",
            "",
            format!(
                "The file has {} bytes after its known chunks; they stay in the file",
                rest.len()
            ),
        );
    }
}
