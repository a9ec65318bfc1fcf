//! Saving to disk: whole or not at all, and checked before the old file is replaced.

use std::{
    fs,
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use tempfile::NamedTempFile;
use thiserror::Error;

use super::Session;
use crate::formats::gltf::{self, FileToWrite, Progress, SaveError, Saved, Target};

/// Why a file was not saved. What was on disk before is whole.
#[derive(Debug, Error)]
pub enum SaveFailure {
    /// The bytes could not be made.
    #[error("{path} was not saved: {source}", path = path.display())]
    Pack {
        /// The file.
        path: PathBuf,
        /// Why.
        source: SaveError,
    },
    /// The disk.
    #[error("{path} could not be written: {source}. The old file is whole; save it elsewhere, or make room", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// What was written does not read back.
    #[error("{path} was not saved: what was written does not read back ({message}). The old file is whole", path = path.display())]
    Verify {
        /// The file.
        path: PathBuf,
        /// What differs.
        message: String,
    },
    /// A file of somebody else's is in the way.
    #[error("{path} is there already and is another file. Save into an empty folder, or move it away", path = path.display())]
    Stranger {
        /// The file.
        path: PathBuf,
    },
    /// Nowhere to save to.
    #[error("this file has no place yet. Use “Save as…”")]
    NoPath,
}

impl Session {
    /// Writes the document to its file, or to another one, which then becomes its file. The list of what changed, or
    /// nothing where it has no place yet.
    ///
    /// # Errors
    /// See [`SaveFailure`]; the old file is whole then.
    pub fn save(&mut self, to: Option<&Path>) -> Result<Option<Vec<String>>, SaveFailure> {
        let Some(path) = to.map(Path::to_owned).or_else(|| self.path.clone()) else { return Err(SaveFailure::NoPath) };
        let changes = self.write_to(&path)?;
        self.path = Some(path);
        self.history.mark_saved();
        Ok(Some(changes))
    }

    /// Writes the document to a file without making it its own.
    ///
    /// # Errors
    /// See [`SaveFailure`].
    pub fn write_to(&self, path: &Path) -> Result<Vec<String>, SaveFailure> {
        let pack = |source| SaveFailure::Pack { path: path.to_owned(), source };
        let stem = path.file_stem().map_or_else(|| "model".into(), |s| s.to_string_lossy().into_owned());
        let saved = self.pack(&stem).map_err(pack)?;
        let target = target_of(path, self.source.container.is_glb());
        let same = (target == Target::Glb) == self.source.container.is_glb();
        let (bytes, mut files) = if same {
            (saved.bytes, saved.companions)
        } else {
            let (bytes, files) = self.transcoded(&saved, target, &stem).map_err(pack)?;
            (Arc::new(bytes), files)
        };
        if target == Target::Gltf {
            files.extend(self.companions_for(path)?);
        }
        let folder = folder_of(path);
        for file in &files {
            let place = folder.join(&file.name);
            if fs::read(&place).is_ok_and(|there| there == file.bytes) {
                continue;
            }
            if place.exists() && !file.name.ends_with(".ulna.bin") && !file.name.ends_with(&format!("{stem}.bin")) {
                return Err(SaveFailure::Stranger { path: place });
            }
            write_atomically(&place, &file.bytes).map_err(|source| SaveFailure::Io { path: place.clone(), source })?;
        }
        // It must open as what it is before it may replace anything; the disk has time for that.
        let (staged, opened) = rayon::join(
            || stage(path, &bytes),
            || gltf::open_bytes(bytes.clone(), Some(path), &Progress::default()).map(drop),
        );
        opened.map_err(|e| SaveFailure::Verify { path: path.to_owned(), message: e.to_string() })?;
        staged
            .and_then(|file| replace(file, path))
            .map_err(|source| SaveFailure::Io { path: path.to_owned(), source })?;
        Ok(saved.changes)
    }

    /// The saved bytes in the other container.
    fn transcoded(&self, saved: &Saved, target: Target, stem: &str) -> Result<(Vec<u8>, Vec<FileToWrite>), SaveError> {
        let again = if saved.companions.is_empty() {
            gltf::open_bytes(saved.bytes.clone(), self.source.path.as_deref(), &Progress::default())?
        } else {
            // New data of a .gltf lies in a file that is not on disk: put both where they find each other.
            let folder =
                tempfile::tempdir().map_err(|e| SaveError::Unsupported(format!("no temporary folder: {e}")))?;
            let write = |name: &str, bytes: &[u8]| {
                let path = folder.path().join(name);
                let made = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, bytes));
                made.map_err(|e| SaveError::Unsupported(format!("{}: {e}", path.display())))
            };
            for file in &saved.companions {
                write(&file.name, &file.bytes)?;
            }
            for (name, bytes) in self.companion_files() {
                write(&name, &bytes)?;
            }
            write("model.gltf", &saved.bytes)?;
            let again = gltf::open(&folder.path().join("model.gltf"), &Progress::default())?;
            return gltf::transcode(&again.source, target, stem);
        };
        gltf::transcode(&again.source, target, stem)
    }

    /// The files beside the opened one, by their decoded relative names.
    fn companion_files(&self) -> Vec<(String, Vec<u8>)> {
        let Some(folder) = self.source.folder() else { return Vec::new() };
        let read = |uri: String| {
            let name = percent_encoding::percent_decode_str(&uri).decode_utf8().ok()?.replace('\\', "/");
            let bytes = fs::read(folder.join(&name)).ok()?;
            Some((name, bytes))
        };
        self.source.companion_uris().into_iter().filter_map(read).collect()
    }

    /// What must be copied beside a `.gltf` that is saved into another folder.
    fn companions_for(&self, path: &Path) -> Result<Vec<FileToWrite>, SaveFailure> {
        let same_folder = self
            .source
            .folder()
            .and_then(|f| f.canonicalize().ok())
            .is_some_and(|old| folder_of(path).canonicalize().is_ok_and(|new| new == old));
        if same_folder || self.source.container.is_glb() {
            return Ok(Vec::new());
        }
        Ok(self.companion_files().into_iter().map(|(name, bytes)| FileToWrite { name, bytes }).collect())
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The container a file name asks for; an unknown one keeps what there is.
fn target_of(path: &Path, is_glb: bool) -> Target {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("gltf") => Target::Gltf,
        Some("glb" | "vrm") => Target::Glb,
        _ if is_glb => Target::Glb,
        _ => Target::Gltf,
    }
}

/// Writes a file whole or not at all: to a temporary one in the same folder, synced, read back, renamed over.
///
/// # Errors
/// What the system says; the old file is whole then.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    replace(stage(path, bytes)?, path)
}

/// A temporary file beside `path` with these bytes, on the disk and read back.
fn stage(path: &Path, bytes: &[u8]) -> std::io::Result<NamedTempFile> {
    let folder = folder_of(path);
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().prefix(".ulna-").suffix(".tmp").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    if !reads_back(file.path(), bytes)? {
        return Err(std::io::Error::other("what was written reads back differently"));
    }
    Ok(file)
}

/// Whether a file holds just these bytes; it is never in memory as a whole.
fn reads_back(path: &Path, mut bytes: &[u8]) -> std::io::Result<bool> {
    let mut file = fs::File::open(path)?;
    let mut block = vec![0; 1 << 18];
    loop {
        match file.read(&mut block) {
            Ok(0) => return Ok(bytes.is_empty()),
            Ok(n) => match bytes.strip_prefix(&block[..n]) {
                Some(rest) => bytes = rest,
                None => return Ok(false),
            },
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

/// Puts a staged file in the place of what is there.
fn replace(file: NamedTempFile, path: &Path) -> std::io::Result<()> {
    if let Ok(old) = fs::metadata(path) {
        file.as_file().set_permissions(old.permissions())?;
    } else {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            // A temporary file is the owner's alone; a model is as readable as any other.
            file.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
        }
    }
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}
