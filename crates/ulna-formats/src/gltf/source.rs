//! The opened bytes: the file and the buffers that it refers to, kept unchanged for saving.

use std::{
    ops::Range,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use base64::Engine as _;

use super::{Container, FileToWrite, ReadError, is_sidecar, json, meshopt_view, schema};
use crate::read_whole;
use ulna_model::{IdKind, Location};

/// The bytes that a document was read from.
#[derive(Clone, Debug)]
pub struct Source {
    /// Path of the file, if it was read from one.
    pub path: Option<PathBuf>,
    /// Content of the file.
    pub bytes: Arc<Vec<u8>>,
    /// Container type, with the ranges of JSON and BIN in the bytes.
    pub container: Container,
    /// Files next to this file that are only in memory, not on disk.
    pub(super) beside: Arc<[FileToWrite]>,
    /// Location of each buffer's bytes.
    pub(super) buffers: Vec<BufferData>,
    /// URIs of image files in the JSON, for *Save as*.
    pub(super) image_uris: Vec<String>,
}

/// Location of the bytes of a buffer.
#[derive(Clone, Debug)]
pub(super) enum BufferData {
    /// A range of the file: the BIN chunk of a GLB.
    Bin(Range<usize>),
    /// Content of a file next to this file.
    File { uri: String, bytes: Arc<Vec<u8>> },
    /// Decoded content of a `data:` URI in the JSON.
    Embedded(Arc<Vec<u8>>),
    /// An empty fallback buffer of meshopt compression, which has no bytes.
    Fallback,
}

impl Source {
    /// JSON text of the file.
    ///
    /// # Errors
    /// The text is not UTF-8.
    pub fn json(&self) -> Result<&str, ReadError> {
        std::str::from_utf8(&self.bytes[self.container.json()]).map_err(|e| {
            ReadError::NotGltf(format!("its JSON is not UTF-8 (byte {})", e.valid_up_to()))
        })
    }

    /// Bytes of a buffer; `None` for a fallback buffer.
    pub(super) fn buffer(&self, index: usize) -> Option<&[u8]> {
        self.locate(index).map(|(bytes, range)| &bytes[range])
    }

    /// Bytes that contain a buffer, and the buffer's range in them.
    pub(super) fn locate(&self, index: usize) -> Option<(&Arc<Vec<u8>>, Range<usize>)> {
        match self.buffers.get(index)? {
            BufferData::Bin(range) => Some((&self.bytes, range.clone())),
            BufferData::File { bytes, .. } | BufferData::Embedded(bytes) => {
                Some((bytes, 0..bytes.len()))
            }
            BufferData::Fallback => None,
        }
    }

    /// URIs of all files that this file refers to for buffers and images, sorted.
    pub fn companion_uris(&self) -> Vec<String> {
        let buffers = self.buffers.iter().filter_map(|b| match b {
            BufferData::File { uri, .. } => Some(uri.clone()),
            _ => None,
        });
        let mut all: Vec<String> = buffers.chain(self.image_uris.iter().cloned()).collect();
        all.sort();
        all.dedup();
        all
    }

    /// Paths of the separate files that contain this file's buffers.
    pub fn data_files(&self) -> Vec<PathBuf> {
        let Some(folder) = self.folder() else { return Vec::new() };
        let file = |b: &BufferData| match b {
            BufferData::File { uri, .. } => resolve(folder, uri).ok(),
            _ => None,
        };
        self.buffers.iter().filter_map(file).collect()
    }

    /// Data files that an earlier save by Ulna wrote: relative name and content.
    pub fn sidecars(&self) -> impl Iterator<Item = (String, &[u8])> {
        self.buffers.iter().filter_map(|buffer| match buffer {
            BufferData::File { uri, bytes } if is_sidecar(uri) => {
                let name =
                    percent_encoding::percent_decode_str(uri).decode_utf8().ok()?.into_owned();
                Some((name, &bytes[..]))
            }
            _ => None,
        })
    }

    /// Folder to which the URIs in the file are relative.
    pub fn folder(&self) -> Option<&Path> {
        let folder = self.path.as_deref()?.parent()?;
        Some(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
    }

    /// Loads all buffers that the JSON refers to.
    pub(super) fn load_buffers(
        &mut self,
        list: &[schema::Buffer],
        views: &[schema::BufferView],
    ) -> Result<(), ReadError> {
        for (k, buffer) in list.iter().enumerate() {
            let place = Location::at(IdKind::Buffer, k);
            let stands_in = meshopt_view::EXTENSIONS.iter().any(|e| buffer.extensions.has(e));
            let data = match &buffer.uri {
                None => match &self.container {
                    Container::Glb { bin: Some(bin), .. } if k == 0 => BufferData::Bin(bin.clone()),
                    _ if stands_in || packed_only(views, k) => BufferData::Fallback,
                    _ => {
                        return Err(ReadError::at(
                            place,
                            "the buffer has no data: neither a URI nor a BIN chunk",
                        ));
                    }
                },
                Some(uri) => match data_uri(uri) {
                    Some(bytes) => BufferData::Embedded(
                        bytes
                            .map_err(|m| ReadError::Uri { place: place.clone(), message: m })?
                            .into(),
                    ),
                    None => match self.companion(uri) {
                        Ok(bytes) => BufferData::File { uri: uri.clone(), bytes: bytes.into() },
                        // Readers that support the compressed data need no fallback buffer.
                        Err(_) if stands_in => BufferData::Fallback,
                        Err(message) => return Err(ReadError::Uri { place, message }),
                    },
                },
            };
            self.buffers.push(data);
            if let Some(bytes) = self.buffer(k)
                && bytes.len() < buffer.byte_length.0
            {
                let message = format!(
                    "the buffer should have {} bytes, but has only {}",
                    buffer.byte_length.0,
                    bytes.len()
                );
                return Err(ReadError::at(place, message));
            }
        }
        Ok(())
    }

    /// Reads a file next to this file, by its URI.
    pub(super) fn companion(&self, uri: &str) -> Result<Vec<u8>, String> {
        let name = percent_encoding::percent_decode_str(uri).decode_utf8_lossy().replace('\\', "/");
        if let Some(file) = self.beside.iter().find(|f| f.name == name) {
            return Ok(file.bytes.clone());
        }
        let folder = self.folder().ok_or(
            "the referenced file cannot be found, because this model was not read from a folder",
        )?;
        let path = resolve(folder, uri)?;
        if self.path.as_deref().and_then(|p| p.canonicalize().ok()) == Some(path.clone()) {
            return Err("it refers to the model file itself as its data".into());
        }
        read_whole(&path).map_err(|e| {
            format!("“{}” could not be read: {e}. Put the file next to the model", shorten(uri))
        })
    }
}

/// Whether a buffer has views, and all of them have compressed data in other buffers.
fn packed_only(views: &[schema::BufferView], buffer: usize) -> bool {
    let mut own = views.iter().filter(|v| v.buffer.0 == buffer).peekable();
    own.peek().is_some()
        && own.all(|v| meshopt_view::EXTENSIONS.iter().any(|e| v.extensions.has(e)))
}

/// Decodes a `data:` URI. `None` for other URIs.
pub(super) fn data_uri(uri: &str) -> Option<Result<Vec<u8>, String>> {
    let rest = uri.strip_prefix("data:")?;
    let Some((head, payload)) = rest.split_once(',') else {
        return Some(Err("the data URI has no data. Export the model again".into()));
    };
    Some(if head.ends_with(";base64") {
        // In practice, base64 padding is optional.
        let engine = base64::engine::GeneralPurpose::new(
            &base64::alphabet::STANDARD,
            base64::engine::GeneralPurposeConfig::new()
                .with_decode_padding_mode(base64::engine::DecodePaddingMode::Indifferent)
                .with_decode_allow_trailing_bits(true),
        );
        engine.decode(payload).map_err(|e| {
            let why = e.to_string();
            let why = why.trim_end_matches('.');
            format!("the data URI is not base64: {why}. Export the model again")
        })
    } else {
        Ok(percent_encoding::percent_decode_str(payload).collect())
    })
}

/// Resolves a relative URI to a path, which must be inside `folder`.
///
/// # Errors
/// A sentence, if the path leaves the folder, does not exist, or is not a file.
pub fn resolve(folder: &Path, uri: &str) -> Result<PathBuf, String> {
    let name = percent_encoding::percent_decode_str(uri)
        .decode_utf8()
        .map_err(|e| format!("the URI is not UTF-8: {e}. Export the model again"))?;
    let name = name.replace('\\', "/");
    let short = shorten(&name);
    if name.is_empty() {
        return Err("the URI is empty; it must be the name of the data file".into());
    }
    if name.contains('\0') {
        return Err(format!("“{short}” is not a file name. Export the model again"));
    }
    if name.split('/').next().is_some_and(|first| first.contains(':')) {
        return Err(format!(
            "“{short}” is not a file next to the model. Ulna does not download files; put the file \
                next to the model"
        ));
    }
    let mut path = folder.to_path_buf();
    let mut depth = 0usize;
    for part in Path::new(&name).components() {
        match part {
            Component::Normal(part) => {
                path.push(part);
                depth += 1;
            }
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => {
                path.pop();
                depth -= 1;
            }
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(format!(
                    "“{short}” is outside the folder of the model, where Ulna does not read files; \
                        put the file next to the model"
                ));
            }
        }
    }
    let found = path
        .canonicalize()
        .map_err(|e| format!("“{short}” could not be read: {e}. Put the file next to the model"))?;
    let home = folder
        .canonicalize()
        .map_err(|e| format!("the folder of the model could not be read: {e}"))?;
    if !found.starts_with(&home) {
        return Err(format!(
            "“{short}” is a link to a file outside the folder of the model, where Ulna does not \
                read files. Put the file itself next to the model"
        ));
    }
    if !found.is_file() {
        return Err(format!("“{short}” is not a file. Put the data file next to the model"));
    }
    Ok(found)
}

/// Shortens a name for use in a sentence.
fn shorten(name: &str) -> String {
    let count = name.chars().count();
    if count <= 80 {
        return name.to_owned();
    }
    let head: String = name.chars().take(40).collect();
    let tail: String = name.chars().skip(count - 36).collect();
    format!("{head}…{tail}")
}

/// Checks the glTF version of the file.
pub(super) fn check_asset(root: &json::RawMap<'_>) -> Result<schema::Asset, ReadError> {
    let Some(raw) = root.0.get("asset") else {
        return Err(ReadError::NotGltf("it has no “asset”".into()));
    };
    let asset: schema::Asset = json::typed(raw.get(), &"asset".into(), &mut false)?;
    let number = |v: &str| -> Option<(u32, u32)> {
        let (major, minor) = v.split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    };
    match number(&asset.version) {
        Some((2, _)) => {}
        _ => return Err(ReadError::Version(asset.version)),
    }
    if let Some(least) = &asset.min_version
        && number(least).is_none_or(|v| v > (2, 0))
    {
        return Err(ReadError::Version(format!("with minVersion {least}")));
    }
    Ok(asset)
}
