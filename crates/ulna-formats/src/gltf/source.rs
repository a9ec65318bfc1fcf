//! The opened bytes: the file itself and the buffers it names, kept as they were for saving.

use std::{
    ops::Range,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use base64::Engine as _;

use super::{Container, FileToWrite, ReadError, is_sidecar, json, meshopt_view, schema};
use crate::read_whole;
use ulna_model::{IdKind, Location};

/// The bytes a document was read from.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file, where it came from one.
    pub path: Option<PathBuf>,
    /// All its bytes.
    pub bytes: Arc<Vec<u8>>,
    /// Where JSON and BIN lie in them.
    pub container: Container,
    /// Files beside it that are not on the disk, or not yet.
    pub(super) beside: Arc<[FileToWrite]>,
    /// One for each of `buffers`.
    pub(super) buffers: Vec<BufferData>,
    /// Image files beside it that the JSON names, for *Save as*.
    pub(super) image_uris: Vec<String>,
}

/// Where the bytes of a buffer are.
#[derive(Clone, Debug)]
pub(super) enum BufferData {
    /// The GLB's BIN chunk, a range of the file.
    Bin(Range<usize>),
    /// A file beside this one.
    File { uri: String, bytes: Arc<Vec<u8>> },
    /// In the JSON itself.
    Embedded(Arc<Vec<u8>>),
    /// A stand-in of meshopt compression that holds nothing.
    Fallback,
}

impl Source {
    /// The JSON text.
    ///
    /// # Errors
    /// Where it is not UTF-8.
    pub fn json(&self) -> Result<&str, ReadError> {
        std::str::from_utf8(&self.bytes[self.container.json()]).map_err(|e| {
            ReadError::NotGltf(format!("its JSON is not UTF-8 (byte {})", e.valid_up_to()))
        })
    }

    /// The bytes of a buffer; `None` where it holds nothing by design.
    pub(super) fn buffer(&self, index: usize) -> Option<&[u8]> {
        self.locate(index).map(|(bytes, range)| &bytes[range])
    }

    /// Where the bytes of a buffer lie.
    pub(super) fn locate(&self, index: usize) -> Option<(&Arc<Vec<u8>>, Range<usize>)> {
        match self.buffers.get(index)? {
            BufferData::Bin(range) => Some((&self.bytes, range.clone())),
            BufferData::File { bytes, .. } | BufferData::Embedded(bytes) => {
                Some((bytes, 0..bytes.len()))
            }
            BufferData::Fallback => None,
        }
    }

    /// URIs of all files beside this one that it names: buffers, then images.
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

    /// The files beside this one that its data is in.
    pub fn data_files(&self) -> Vec<PathBuf> {
        let Some(folder) = self.folder() else { return Vec::new() };
        let file = |b: &BufferData| match b {
            BufferData::File { uri, .. } => resolve(folder, uri).ok(),
            _ => None,
        };
        self.buffers.iter().filter_map(file).collect()
    }

    /// Data files that an earlier save of Ulna put beside this one: name relative to its folder,
    /// and content.
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

    /// The folder its URIs start from.
    pub fn folder(&self) -> Option<&Path> {
        let folder = self.path.as_deref()?.parent()?;
        Some(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
    }

    /// Loads every buffer the JSON names.
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
                        // Who reads the packed data needs no plain copy beside it.
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

    /// Reads a file beside this one.
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

/// Whether all views of a buffer, and there is one, have their data packed elsewhere.
fn packed_only(views: &[schema::BufferView], buffer: usize) -> bool {
    let mut own = views.iter().filter(|v| v.buffer.0 == buffer).peekable();
    own.peek().is_some()
        && own.all(|v| meshopt_view::EXTENSIONS.iter().any(|e| v.extensions.has(e)))
}

/// The payload of a `data:` URI, or `None` for any other URI.
pub(super) fn data_uri(uri: &str) -> Option<Result<Vec<u8>, String>> {
    let rest = uri.strip_prefix("data:")?;
    let Some((head, payload)) = rest.split_once(',') else {
        return Some(Err("the data URI has no data".into()));
    };
    Some(if head.ends_with(";base64") {
        // Padding is optional in practice; stray line ends are not data.
        let engine = base64::engine::GeneralPurpose::new(
            &base64::alphabet::STANDARD,
            base64::engine::GeneralPurposeConfig::new()
                .with_decode_padding_mode(base64::engine::DecodePaddingMode::Indifferent)
                .with_decode_allow_trailing_bits(true),
        );
        engine.decode(payload).map_err(|e| format!("the data URI is not base64: {e}"))
    } else {
        Ok(percent_encoding::percent_decode_str(payload).collect())
    })
}

/// The file a relative URI names, inside `folder` and nowhere else.
///
/// # Errors
/// A sentence, where it leads elsewhere, is not there, or is no file.
pub fn resolve(folder: &Path, uri: &str) -> Result<PathBuf, String> {
    let name = percent_encoding::percent_decode_str(uri)
        .decode_utf8()
        .map_err(|e| format!("the URI is not UTF-8: {e}"))?;
    let name = name.replace('\\', "/");
    let short = shorten(&name);
    if name.is_empty() {
        return Err("the URI is empty; it must be the name of the data file".into());
    }
    if name.contains('\0') {
        return Err(format!("“{short}” is not a file name"));
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
                read files"
        ));
    }
    if !found.is_file() {
        return Err(format!("“{short}” is not a file"));
    }
    Ok(found)
}

/// A name short enough for a sentence.
fn shorten(name: &str) -> String {
    let count = name.chars().count();
    if count <= 80 {
        return name.to_owned();
    }
    let head: String = name.chars().take(40).collect();
    let tail: String = name.chars().skip(count - 36).collect();
    format!("{head}…{tail}")
}

/// Splits bytes into container and JSON, and checks the version and what the file requires.
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
