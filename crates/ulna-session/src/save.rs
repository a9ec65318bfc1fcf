//! Saves to disk: atomically, with a check of the written data before the old file is replaced, and
//! never over another program's changes without consent.
//!
//! A killed process leaves a complete file on disk: the old one or the new one. First, new data
//! files are written next to the model under unused names. Then the old file is kept under its
//! backup name. Then one rename replaces the file. Finally, data files of Ulna that no file names
//! any more are removed.
//!
//! ```text
//!  the opened bytes ─┐
//!  file as opened ───┼─► gltf::write ─► new bytes ─► read again ─► equal? ─ no ─► refused, with
//!  file as it is ────┘   (touched                                    │ yes        the lost step
//!                         elements only)                             ▼
//!                     is the file there absent, or as we left it? ─ no ─► refused until confirmed
//!                                                                    │ yes
//!       data beside it ─► file~ (as it was) ─► temporary file, synced ─► rename
//!                                          ─► journal: saved ─► unreferenced files removed
//! ```

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use super::{
    Session,
    difference::first_lost,
    disk::{Disk, SystemDisk, clear, folder_of, holds, same_content, temporary},
    layers::Folds,
    loose::loose_aids,
    save_failure::SaveFailure,
    save_paths::{followed, permissions, suffixed, target_of},
    save_request::{Consent, SaveRequest},
    sidecars::remove_unnamed,
    stamp::{OnDisk, Stamp, content_hash, names, same_file},
    unfolded::Unfolded,
    vrm_pose,
};
use ulna_formats::gltf::{
    self, FileToWrite, Progress, SaveError, SaveOptions, Source, TargetContainer, resolve_uri,
};
use ulna_model::{Diagnostic, Document, FileContent, Notice, Severity};

/// Input of a save. The save can run on another thread while the document is edited.
#[derive(Clone, Debug)]
pub struct Saving {
    /// Id of the session that makes the save.
    session: u64,
    request: SaveRequest,
    source: Source,
    opened: Document,
    /// The document when the save was requested. Its layers are baked when the save runs, on
    /// another thread.
    state: Document,
    folds: Folds,
    folded: OnceLock<Document>,
    options: SaveOptions,
    /// State of the document's own file when it was last read or written.
    own: Option<Stamp>,
    own_path: Option<PathBuf>,
    /// Codes of the errors that the file already had when it was opened.
    known: Vec<&'static str>,
    revision: u64,
    /// Kinds of editor state that the file does not store.
    loose: Vec<String>,
    /// Journal entry that is written just before the file is replaced.
    about_to: Option<super::journal::SaveMark>,
}

/// Result of a save.
#[derive(Clone, Debug)]
pub struct SavedFile {
    /// Path of the file.
    pub path: PathBuf,
    /// One sentence per change to the file.
    pub changes: Vec<String>,
    /// One sentence per kind of data that is lost, or that other programs read differently.
    pub lost: Vec<Notice>,
    /// Path of the backup; `None` if none was made.
    pub backup: Option<PathBuf>,
    session: u64,
    stamp: Stamp,
    document: Document,
    from: Unfolded,
    revision: u64,
    loose: Vec<String>,
}

/// The packed document, ready to be written.
struct Packed {
    bytes: Arc<Vec<u8>>,
    beside: Arc<[FileToWrite]>,
    changes: Vec<String>,
    lost: Vec<Notice>,
    /// Content that reading the written file must give.
    stored: FileContent,
}

/// Content of a data file next to the model.
enum Content<'a> {
    Bytes(&'a [u8]),
    /// The content of an existing file.
    File(PathBuf),
}

impl Content<'_> {
    fn is_at(&self, disk: &dyn Disk, place: &Path) -> bool {
        match self {
            Self::Bytes(bytes) => holds(disk, place, bytes).unwrap_or(false),
            Self::File(from) => same_content(disk, from, place).unwrap_or(false),
        }
    }

    fn write(&self, disk: &dyn Disk, staged: &Path) -> std::io::Result<()> {
        match self {
            Self::Bytes(bytes) => disk.write_new(staged, bytes, None),
            Self::File(from) => disk.copy_new(from, staged),
        }
    }
}

impl Session {
    /// Collects the input for a save of the current document.
    pub fn saving(&self, request: SaveRequest) -> Saving {
        let saving = self.saving_copy(request);
        let about_to = self.journal.save_mark(saving.revision, &saving.loose);
        Saving { about_to, ..saving }
    }

    /// Collects the input for saving a copy. The document keeps its own file, and the journal gets
    /// no entry.
    pub fn saving_copy(&self, request: SaveRequest) -> Saving {
        Saving {
            session: self.id,
            request: SaveRequest {
                backup: request.backup && !self.backed_up.contains(&request.path),
                ..request
            },
            source: self.source.clone(),
            opened: self.decoded.clone(),
            state: self.document.clone(),
            folds: self.folds.clone(),
            folded: OnceLock::new(),
            options: self.save_options,
            own: self.stamp.clone(),
            own_path: self.path.clone(),
            known: errors(&self.opened_diagnostics),
            revision: self.history.revision(),
            loose: loose_aids(&self.document),
            about_to: None,
        }
    }

    /// Saves the document to its own file, or to another path. That path then becomes the
    /// document's own file.
    ///
    /// # Errors
    /// See [`SaveFailure`]. The existing file is unchanged then.
    pub fn save(&mut self, to: Option<&Path>) -> Result<SavedFile, SaveFailure> {
        let path =
            to.map(Path::to_owned).or_else(|| self.path.clone()).ok_or(SaveFailure::NoPath)?;
        self.save_with(SaveRequest::to(&path), &SystemDisk)
    }

    /// Saves the document like [`Session::save`], with the consent in `request`, on any disk.
    ///
    /// # Errors
    /// See [`SaveFailure`]. The existing file is unchanged then.
    pub fn save_with(
        &mut self,
        request: SaveRequest,
        disk: &dyn Disk,
    ) -> Result<SavedFile, SaveFailure> {
        let saved = self.saving(request).run(disk)?;
        self.take_saved(&saved);
        Ok(saved)
    }

    /// Records that the saved state is now on disk. Returns `false` and changes nothing if another
    /// session made the save.
    pub fn take_saved(&mut self, saved: &SavedFile) -> bool {
        if saved.session != self.id {
            return false;
        }
        let last = saved.revision == self.history.revision();
        self.journal.saved(&saved.path, saved.stamp.hash, saved.revision, last, &saved.loose);
        self.path = Some(saved.path.clone());
        self.stamp = Some(saved.stamp.clone());
        self.backed_up.insert(saved.path.clone());
        (self.saved, self.saved_from) = (saved.document.file.clone(), saved.from.clone());
        self.history.mark_saved_at(saved.revision);
        self.forget_unsaved();
        true
    }

    /// Writes the document to another file. The document keeps its own file. An existing file is
    /// replaced, unless it has several hard links.
    ///
    /// # Errors
    /// See [`SaveFailure`].
    pub fn write_to(&self, path: &Path) -> Result<SavedFile, SaveFailure> {
        let request = SaveRequest { path: path.to_owned(), consent: Consent::OVER, backup: false };
        self.saving_copy(request).run(&SystemDisk)
    }

    /// Returns how the document's file changed on disk since it was last read or written.
    pub fn on_disk(&self) -> OnDisk {
        self.stamp.as_ref().map_or(OnDisk::Same, Stamp::look)
    }

    /// Returns the index of the step that prevents saving. `None` if the document can be saved, or
    /// if it could not be saved even before the first step.
    pub fn unsavable_step(&self) -> Option<usize> {
        let saving = self.saving_copy(SaveRequest::to(Path::new("model.glb")));
        let saves = |document: &Document| {
            let saving =
                Saving { state: document.clone(), folded: OnceLock::new(), ..saving.clone() };
            let target = if saving.source.container.is_glb() {
                TargetContainer::Glb
            } else {
                TargetContainer::Gltf
            };
            saving
                .pack(target, "model")
                .is_ok_and(|packed| saving.prove(&packed, Path::new("model")).is_ok())
        };
        if saves(&self.document) {
            return None;
        }
        let mut document = self.document.clone();
        for step in (0..self.history.done().len()).rev() {
            self.history.done()[step].take_back(&mut document);
            if saves(&document) {
                return Some(step);
            }
        }
        None
    }
}

fn errors(diagnostics: &[Diagnostic]) -> Vec<&'static str> {
    diagnostics.iter().filter(|d| d.severity == Severity::Error).map(|d| d.code).collect()
}

impl Saving {
    /// Returns the document to write, with its layers baked into keys and nodes.
    fn document(&self) -> &Document {
        self.folded.get_or_init(|| self.folds.to_save(&self.state, &self.opened).0)
    }

    /// Packs the document as a GLB. Nothing is written to disk.
    pub(super) fn glb(&self) -> Result<Arc<Vec<u8>>, SaveError> {
        Ok(self.pack(TargetContainer::Glb, "model")?.bytes)
    }

    /// Packs, checks and writes the file.
    ///
    /// # Errors
    /// See [`SaveFailure`]. The existing file is unchanged then.
    pub fn run(&self, disk: &dyn Disk) -> Result<SavedFile, SaveFailure> {
        let path = self.place()?;
        let target = target_of(&path)?;
        let stem =
            path.file_stem().map_or_else(|| "model".into(), |s| s.to_string_lossy().into_owned());
        let packed = self
            .pack(target, &stem)
            .map_err(|source| SaveFailure::Pack { path: path.clone(), source })?;
        let beside = self.beside(disk, &path, target, &packed)?;
        self.prove(&packed, &path)
            .map_err(|message| SaveFailure::Verify { path: path.clone(), message })?;
        let io = |path: &Path| {
            let path = path.to_owned();
            move |source| SaveFailure::Io { path, source }
        };
        self.put_beside(disk, &path, &beside)?;
        if let Some(mark) = &self.about_to {
            mark.write(&path, content_hash(&packed.bytes)).map_err(io(&path))?;
        }
        let staged = temporary(&path);
        let like = permissions(&path);
        let backup = disk
            .write_new(&staged, &packed.bytes, like.as_ref())
            .and_then(|()| self.keep_old(disk, &path));
        let done = backup.and_then(|backup| {
            disk.replace(&staged, &path)?;
            disk.sync_folder(folder_of(&path))?;
            Ok(backup)
        });
        let backup = done.map_err(|source| {
            clear(disk, &staged);
            io(&path)(source)
        })?;
        if self.source.folder().is_some_and(|home| same_file(home, folder_of(&path))) {
            remove_unnamed(disk, &path, &packed.bytes);
        }
        let stamp = Stamp::of(
            &path,
            &packed.bytes,
            beside.iter().map(|(place, _)| place.clone()).collect(),
        );
        Ok(SavedFile {
            path: self.request.path.clone(),
            changes: packed.changes,
            lost: packed.lost,
            backup,
            session: self.session,
            stamp,
            document: self.document().clone(),
            from: Unfolded::of(&self.state),
            revision: self.revision,
            loose: self.loose.clone(),
        })
    }

    /// Returns the path to write, with symbolic links resolved. Fails if the target may not be
    /// replaced.
    fn place(&self) -> Result<PathBuf, SaveFailure> {
        let asked = &self.request.path;
        let consent = self.request.consent;
        target_of(asked)?;
        let path = followed(asked);
        let folder = folder_of(&path);
        if !folder.is_dir() {
            let folder = folder.to_owned();
            return Err(SaveFailure::NoFolder { path: asked.clone(), folder });
        }
        let own = self.own_path.as_deref().filter(|own| *own == asked || same_file(own, &path));
        let on_disk = own.and(self.own.as_ref()).map_or(OnDisk::Same, Stamp::look);
        let path_of = || asked.clone();
        let Ok(about) = fs::metadata(&path) else {
            let gone = own.is_some() && matches!(on_disk, OnDisk::Gone | OnDisk::FolderGone);
            return if gone && !consent.changed {
                Err(SaveFailure::Gone { path: path_of() })
            } else {
                Ok(path)
            };
        };
        if !about.is_file() {
            let what = if about.is_dir() { "a folder" } else { "a device or a pipe" };
            return Err(SaveFailure::NotAFile { path: path_of(), what });
        }
        // The mode bits are checked, because root can write read-only files, too.
        if about.permissions().readonly() {
            return Err(SaveFailure::ReadOnly { path: path_of() });
        }
        if own.is_none() && !consent.replace {
            return Err(SaveFailure::Exists { path: path_of() });
        }
        if on_disk == OnDisk::Changed && !consent.changed {
            return Err(SaveFailure::Changed { path: path_of() });
        }
        let names = names(&about);
        if names > 1 && !consent.cut_link {
            return Err(SaveFailure::Linked { path: path_of(), names });
        }
        Ok(path)
    }

    /// Packs the document in the container that the file name requires.
    fn pack(&self, target: TargetContainer, stem: &str) -> Result<Packed, SaveError> {
        let saved = gltf::save(&self.source, &self.opened, self.document(), stem, self.options)?;
        let t_pose = vrm_pose::warning(&self.opened, self.document());
        let stored = gltf::stored(&self.opened, self.document(), &saved);
        if (target == TargetContainer::Glb) == self.source.container.is_glb() {
            let (bytes, beside, changes) = (saved.bytes, saved.companions.into(), saved.changes);
            let lost = saved.stays.into_iter().chain(t_pose).collect();
            return Ok(Packed { bytes, beside, changes, lost, stored });
        }
        let again = gltf::open_beside(
            saved.bytes,
            self.source.path.as_deref(),
            saved.companions.into(),
            &Progress::default(),
        )?;
        let made = gltf::transcode(&again.source, target, stem)?;
        let lost = saved.stays.into_iter().chain(t_pose).chain(made.lost).collect();
        Ok(Packed {
            bytes: Arc::new(made.bytes),
            beside: made.beside.into(),
            changes: saved.changes,
            lost,
            stored,
        })
    }

    /// Returns the files to write next to the model: data files of Ulna, and files that must be
    /// copied to another folder.
    fn beside<'a>(
        &self,
        disk: &dyn Disk,
        path: &Path,
        target: TargetContainer,
        packed: &'a Packed,
    ) -> Result<Vec<(PathBuf, Content<'a>)>, SaveFailure> {
        let folder = folder_of(path);
        let mut files: Vec<(PathBuf, Content<'_>)> = packed
            .beside
            .iter()
            .map(|f| (folder.join(&f.name), Content::Bytes(&f.bytes)))
            .collect();
        let home = self.source.folder().and_then(|f| f.canonicalize().ok());
        let elsewhere = home.is_some_and(|old| folder.canonicalize().is_ok_and(|new| new != old));
        // A `.gltf` that is saved as `.glb` embeds all its data.
        let embeds = target == TargetContainer::Glb && !self.source.container.is_glb();
        if elsewhere && !embeds {
            files.extend(
                self.companions()
                    .into_iter()
                    .map(|(name, from)| (folder.join(name), Content::File(from))),
            );
        }
        for (place, content) in &files {
            if fs::symlink_metadata(place).is_ok() && !content.is_at(disk, place) {
                return Err(SaveFailure::Stranger { path: place.clone() });
            }
        }
        Ok(files)
    }

    /// Returns the files next to the opened file that the document still refers to, with their
    /// decoded relative names.
    fn companions(&self) -> Vec<(String, PathBuf)> {
        let Some(folder) = self.source.folder() else { return Vec::new() };
        let find = |uri: String| {
            let name =
                percent_encoding::percent_decode_str(&uri).decode_utf8().ok()?.replace('\\', "/");
            let path = resolve_uri(folder, &uri).ok().filter(|p| p.is_file())?;
            Some((name, path))
        };
        self.source.companion_uris().into_iter().filter_map(find).collect()
    }

    /// Reads the packed bytes again, and compares them with the document. The error describes the
    /// first difference.
    fn prove(&self, packed: &Packed, path: &Path) -> Result<(), String> {
        // The data files are still in the folder of the opened file until they are copied.
        let near = self.source.path.as_deref().unwrap_or(path);
        let got = gltf::open_beside(
            packed.bytes.clone(),
            Some(near),
            packed.beside.clone(),
            &Progress::default(),
        )
        .map_err(|e| e.to_string())?;
        if let Some(lost) = first_lost(&self.opened, &packed.stored, &got.document) {
            return Err(lost.to_string());
        }
        match errors(&got.diagnostics).into_iter().find(|code| !self.known.contains(code)) {
            Some(code) => {
                let found = got.diagnostics.iter().find(|d| d.code == code);
                Err(found
                    .map_or_else(|| code.to_owned(), |d| format!("{}: {}", d.place, d.message)))
            }
            None => Ok(()),
        }
    }

    /// Writes the files next to the model under unused names. An existing file with equal content
    /// is kept instead.
    fn put_beside(
        &self,
        disk: &dyn Disk,
        path: &Path,
        files: &[(PathBuf, Content<'_>)],
    ) -> Result<(), SaveFailure> {
        let io = |source| SaveFailure::Io { path: path.to_owned(), source };
        let mut folders: Vec<PathBuf> = Vec::new();
        for (place, content) in files {
            if content.is_at(disk, place) {
                continue;
            }
            let folder = folder_of(place);
            if !folder.is_dir() {
                disk.make_folder(folder).map_err(io)?;
            }
            let staged = temporary(place);
            let done = content.write(disk, &staged).and_then(|()| disk.place(&staged, place));
            if let Err(error) = done {
                clear(disk, &staged);
                if error.kind() == std::io::ErrorKind::AlreadyExists {
                    return Err(SaveFailure::Stranger { path: place.clone() });
                }
                return Err(io(error));
            }
            if !folders.iter().any(|f| f == folder) {
                folders.push(folder.to_owned());
            }
        }
        folders.iter().try_for_each(|folder| disk.sync_folder(folder)).map_err(io)
    }

    /// Keeps the old file as a backup next to it. If a backup exists, the new one gets a number.
    fn keep_old(&self, disk: &dyn Disk, path: &Path) -> std::io::Result<Option<PathBuf>> {
        if !self.request.backup || !path.exists() {
            return Ok(None);
        }
        let kept = suffixed(path, "~");
        if kept.exists() {
            if same_file(&kept, path) || same_content(disk, &kept, path).unwrap_or(false) {
                return Ok(Some(kept));
            }
            let mut number = 1;
            let free = loop {
                let name = suffixed(path, &format!("~{number}"));
                if fs::symlink_metadata(&name).is_err() {
                    break name;
                }
                number += 1;
            };
            disk.place(&kept, &free)?;
        }
        disk.keep(path, &kept)?;
        Ok(Some(kept))
    }
}
