//! Writes several files as one transaction. All are first written under temporary names, and then
//! renamed.

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
};

use super::{
    disk::{Disk, clear, folder_of, holds, temporary},
    export_failure::ExportFailure,
};

/// A file to write, in memory.
pub(super) struct Made<'a> {
    pub path: PathBuf,
    pub bytes: &'a [u8],
    /// Whether the file is a data file of a `.gltf`. The name of such a file contains a hash of its
    /// content.
    pub is_data: bool,
}

/// A transaction that writes several files. If it is dropped before [`Placing::put`] succeeds, it
/// restores all files and folders.
pub(super) struct Placing<'a> {
    disk: &'a dyn Disk,
    /// Whether existing files may be replaced.
    replace: bool,
    files: Vec<Staged>,
    /// Folders that were created for the files.
    folders: Vec<PathBuf>,
    /// Total size of all files, in bytes. Existing files with equal content are included.
    bytes: usize,
    count: usize,
}

/// A file that was written under a temporary name.
struct Staged {
    staged: PathBuf,
    path: PathBuf,
    /// Whether the file replaces an existing file.
    replaces: bool,
    /// Temporary path of the replaced file.
    old: Option<PathBuf>,
    /// Whether the file already has its final name.
    is_placed: bool,
}

impl<'a> Placing<'a> {
    pub(super) fn new(disk: &'a dyn Disk, replace: bool) -> Self {
        Self { disk, replace, files: Vec::new(), folders: Vec::new(), bytes: 0, count: 0 }
    }

    /// Writes a file under a temporary name. An existing file with equal content is kept instead.
    pub(super) fn stage(&mut self, made: &Made<'_>) -> Result<(), ExportFailure> {
        self.bytes += made.bytes.len();
        self.count += 1;
        let path = &made.path;
        let replaces = path.exists();
        if replaces {
            if holds(self.disk, path, made.bytes).unwrap_or(false) {
                return Ok(());
            }
            // The name of a data file contains a hash of its content. A file with this name but
            // other content belongs to another model.
            if made.is_data && !self.replace {
                return Err(self.failed(path, io::ErrorKind::AlreadyExists.into(), 0));
            }
        }
        let folder = folder_of(path);
        let missing = |f: &&Path| !f.as_os_str().is_empty() && !f.exists();
        let made_folders: Vec<PathBuf> =
            folder.ancestors().take_while(missing).map(Path::to_owned).collect();
        if !made_folders.is_empty() {
            self.folders.extend(made_folders);
            self.disk.make_folder(folder).map_err(|error| self.failed(path, error, 0))?;
        }
        let staged = temporary(path);
        let like = std::fs::metadata(path).ok().map(|m| m.permissions());
        self.files.push(Staged {
            staged: staged.clone(),
            path: path.clone(),
            replaces,
            old: None,
            is_placed: false,
        });
        self.disk
            .write_new(&staged, made.bytes, like.as_ref())
            .map_err(|error| self.failed(path, error, 0))
    }

    /// Renames all files to their final names. Returns their total size in bytes. If one rename
    /// fails, all files are restored.
    pub(super) fn put(mut self) -> Result<usize, ExportFailure> {
        if let Err((path, error)) = self.try_put() {
            let written = self.take_back();
            return Err(self.failed(&path, error, written));
        }
        for file in self.files.drain(..) {
            if let Some(old) = file.old {
                clear(self.disk, &old);
            }
        }
        self.folders.clear();
        Ok(self.bytes)
    }

    fn try_put(&mut self) -> Result<(), (PathBuf, io::Error)> {
        for file in &mut self.files {
            if file.replaces && file.path.exists() {
                let old = temporary(&file.path);
                self.disk.keep(&file.path, &old).map_err(|error| (file.path.clone(), error))?;
                file.old = Some(old);
            }
        }
        for file in &mut self.files {
            let done = match &file.old {
                Some(_) => self.disk.replace(&file.staged, &file.path),
                // A file that another program created in the meantime is kept.
                None => self.disk.place(&file.staged, &file.path),
            };
            done.map_err(|error| (file.path.clone(), error))?;
            file.is_placed = true;
        }
        let folders: BTreeSet<&Path> = self.files.iter().map(|f| folder_of(&f.path)).collect();
        for folder in folders {
            self.disk.sync_folder(folder).map_err(|error| (folder.to_owned(), error))?;
        }
        Ok(())
    }

    /// Restores all files and folders. Returns the number of files that could not be restored.
    fn take_back(&mut self) -> usize {
        let mut left = 0;
        for file in self.files.drain(..).rev() {
            clear(self.disk, &file.staged);
            match file.old {
                Some(old) if file.is_placed => {
                    if let Err(error) = self.disk.replace(&old, &file.path) {
                        log::warn!(
                            "{} could not be restored: {error}. The original is {}",
                            file.path.display(),
                            old.display()
                        );
                        left += 1;
                    }
                }
                Some(old) => clear(self.disk, &old),
                None if file.is_placed => clear(self.disk, &file.path),
                None => {}
            }
        }
        // Inner folders are removed first. A folder that is not empty is kept.
        self.folders.sort_by_key(|f| std::cmp::Reverse(f.components().count()));
        for folder in self.folders.drain(..).filter(|f| f.is_dir()) {
            if let Err(error) = self.disk.remove_folder(&folder) {
                log::warn!("{} could not be removed: {error}", folder.display());
            }
        }
        left
    }

    fn failed(&self, path: &Path, error: io::Error, written: usize) -> ExportFailure {
        ExportFailure::Write { path: path.to_owned(), error, written, count: self.count }
    }
}

impl Drop for Placing<'_> {
    fn drop(&mut self) {
        self.take_back();
    }
}
