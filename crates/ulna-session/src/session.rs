//! One open file: its bytes, the document as opened, the current document, and its history.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{
    findings, journal,
    layers::Folds,
    stamp::{Stamp, same_file},
    unfolded::{KnownUnsaved, Unfolded},
    weight_layers,
};
use ulna_edit::{
    History, KeysHome,
    command::{BindReport, RigReport},
};
use ulna_formats::{
    gltf::{self, Opened, Progress, ReadError, SaveOptions, Source},
    import::{Conversion, ImportFindings, importer_of},
    read_whole,
};
use ulna_model::{Diagnostic, DisplayChoice, Document, FileContent, KeySet, Notice, Severity};
use ulna_motion::RecentPoses;

/// One open file.
#[derive(Clone, Debug)]
pub struct Session {
    /// Unique number of the opened file. Copies of a session share it.
    pub(super) id: u64,
    pub(super) source: Source,
    /// The document exactly as it was read from the file.
    pub(super) decoded: Document,
    /// The document when the file was opened. Stored layers are restored, and no longer part of the
    /// keys.
    pub(super) opened: Document,
    pub(super) document: Document,
    pub(super) folds: Folds,
    pub(super) history: History,
    /// Path that *Save* writes to. `None` for the bundled sample and for imported files, until they
    /// are saved.
    pub(super) path: Option<PathBuf>,
    /// Source of the document if it was imported from another format.
    pub(super) imported: Option<Imported>,
    /// Current findings about the file.
    pub diagnostics: Vec<Diagnostic>,
    /// Findings when the file was opened.
    pub(super) opened_diagnostics: Vec<Diagnostic>,
    /// Name of the program that wrote the file, if the file names it.
    pub generator: Option<String>,
    /// Names of the extensions that the file uses.
    pub extensions_used: Vec<String>,
    /// Options for saving.
    pub save_options: SaveOptions,
    /// Cached poses of the open gesture.
    pub(super) poses: RecentPoses,
    /// Notes of commands that no caller has taken yet.
    pub(super) notes: Vec<Notice>,
    /// Keys that the last command selects, and the clip or layer that owns them.
    pub(super) selected_keys: Option<(KeysHome, KeySet)>,
    /// Report of the last change to the skeleton.
    pub(super) rig_report: Option<Box<RigReport>>,
    /// Report of the last automatic weights.
    pub(super) bind_report: Option<Box<BindReport>>,
    /// The last copied keys, as text for the clipboard.
    pub(super) copied: Option<String>,
    /// Content of the file on disk when it was last read or written.
    pub(super) saved: FileContent,
    /// State of the document from which `saved` was made.
    pub(super) saved_from: Unfolded,
    pub(super) known_unsaved: KnownUnsaved,
    /// State of the file on disk when it was last read or written.
    pub(super) stamp: Option<Stamp>,
    /// Files for which this session has made a backup.
    pub(super) backed_up: BTreeSet<PathBuf>,
    pub(super) journal: journal::Slot,
    /// Reason why the last brush stroke was reverted.
    pub(super) lost_stroke: Option<String>,
}

/// Source of a document that was imported from another format.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// Path of the imported file.
    pub path: PathBuf,
    /// Name of the file's format.
    pub format: &'static str,
    /// Options of the conversion.
    pub conversion: Conversion,
    /// Findings of the conversion.
    pub found: ImportFindings,
}

impl Session {
    /// Opens a file of any supported format with default options.
    ///
    /// # Errors
    /// The file cannot be read. The error states the cause and the location.
    pub fn open(path: &Path, progress: &Progress) -> Result<Self, ReadError> {
        Self::open_as(path, &Conversion::default(), progress)
    }

    /// Opens a file with given options. `conversion` applies to formats other than glTF.
    ///
    /// # Errors
    /// Like [`Session::open`].
    pub fn open_as(
        path: &Path,
        conversion: &Conversion,
        progress: &Progress,
    ) -> Result<Self, ReadError> {
        let bytes =
            read_whole(path).map_err(|source| ReadError::Io { path: path.to_owned(), source })?;
        if let Some(importer) = importer_of(&bytes, path) {
            let made = (importer.read)(&bytes, Some(path), conversion, progress)?;
            let (glb, mut found) = (Arc::new(made.glb), made.found);
            let mut diagnostics = made.diagnostics.finish();
            let open = |glb: Arc<Vec<u8>>, diagnostics: &[Diagnostic]| {
                let mut opened = gltf::open_bytes(glb, None, progress)?;
                opened.diagnostics.extend_from_slice(diagnostics);
                Ok::<_, ReadError>(Self::of(opened, None))
            };
            let mut session = open(glb.clone(), &diagnostics)?;
            let mends = importer.scales_armatures && !conversion.keep_armature;
            if mends && let Some((mended, told)) = session.clone().mended() {
                let message = format!("{}: {}", told.text, told.detail);
                diagnostics.push(Diagnostic::new(Severity::Info, told.code, "", message));
                found.differences.push(told);
                session = open(mended.unwrap_or(glb), &diagnostics)?;
            }
            // An imported model has no file of its own until it is saved as glTF.
            session.imported = Some(Imported {
                path: path.to_owned(),
                format: importer.name,
                conversion: conversion.clone(),
                found,
            });
            return Ok(session);
        }
        let opened = gltf::open_bytes(bytes.into(), Some(path), progress)?;
        Ok(Self::of(opened, Some(path.to_owned())))
    }

    /// Opens a copy of a glTF file. Its data files are read from the folder of the original.
    ///
    /// # Errors
    /// Like [`Session::open`].
    pub fn open_beside(copy: &Path, path: &Path, progress: &Progress) -> Result<Self, ReadError> {
        let bytes =
            read_whole(copy).map_err(|source| ReadError::Io { path: copy.to_owned(), source })?;
        Ok(Self::of(gltf::open_bytes(bytes.into(), Some(path), progress)?, None))
    }

    /// Opens bytes without a path, as for the bundled sample.
    ///
    /// # Errors
    /// Like [`Session::open`].
    pub fn open_bytes(bytes: &[u8]) -> Result<Self, ReadError> {
        Ok(Self::of(gltf::open_bytes(bytes.to_vec().into(), None, &Progress::default())?, None))
    }

    pub(super) fn of(opened: Opened, path: Option<PathBuf>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut diagnostics = opened.diagnostics;
        let decoded = opened.document;
        let mut document = decoded.clone();
        let folds = Folds::take_up(&mut document, &mut diagnostics);
        weight_layers::take_up(&mut document, &mut diagnostics);
        let document = &document;
        diagnostics.extend(findings::of_all(document));
        diagnostics.extend(findings::of_mix(document));
        diagnostics.sort_by_key(|d| std::cmp::Reverse(d.severity));
        let stamp =
            path.as_deref().map(|p| Stamp::of(p, &opened.source.bytes, opened.source.data_files()));
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            saved: decoded.file.clone(),
            saved_from: Unfolded::of(document),
            known_unsaved: KnownUnsaved::default(),
            source: opened.source,
            document: document.clone(),
            opened: document.clone(),
            decoded,
            folds,
            history: History::default(),
            path,
            imported: None,
            opened_diagnostics: diagnostics.clone(),
            diagnostics,
            generator: opened.generator,
            extensions_used: opened.extensions_used,
            save_options: SaveOptions::default(),
            poses: RecentPoses::default(),
            notes: Vec::new(),
            selected_keys: None,
            rig_report: None,
            bind_report: None,
            copied: None,
            stamp,
            backed_up: BTreeSet::new(),
            journal: journal::Slot::default(),
            lost_stroke: None,
        }
    }

    /// Returns the unique number of the opened file. Copies of the session share it.
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// Whether a path leads to the document's own file, possibly by another name.
    pub fn is_at(&self, path: &Path) -> bool {
        self.path.as_deref().is_some_and(|own| own == path || same_file(own, path))
    }

    /// Returns the current document.
    pub const fn document(&self) -> &Document {
        &self.document
    }

    /// Chooses the displayed scene and variant. This is not an edit. Ids that do not exist in the
    /// document are ignored.
    pub fn show(&mut self, shown: DisplayChoice) {
        self.document.shown = DisplayChoice {
            scene: shown.scene.filter(|s| self.document.scenes.contains(*s)),
            variant: shown.variant.filter(|v| v.index() < self.document.variants.len()),
        };
    }

    /// Returns the document as it was when the file was opened.
    pub const fn opened(&self) -> &Document {
        &self.opened
    }

    /// Returns the opened bytes.
    pub const fn source(&self) -> &Source {
        &self.source
    }

    /// Returns the history of undo steps.
    pub const fn history(&self) -> &History {
        &self.history
    }

    /// Returns the path that *Save* writes to.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns the source of the document if it was imported from another format.
    pub const fn imported(&self) -> Option<&Imported> {
        self.imported.as_ref()
    }

    pub(super) fn imported_from(&self) -> Option<&Path> {
        self.imported.as_ref().map(|i| i.path.as_path())
    }

    /// Returns the initial path for the *Save as* dialog: the file, or the imported file with the
    /// suffix `.glb`.
    pub fn suggested_path(&self) -> PathBuf {
        let imported = self.imported.as_ref().map(|i| i.path.with_extension("glb"));
        self.path.clone().or(imported).unwrap_or_else(|| "mannequin.glb".into())
    }

    /// Returns the name of the file, or of the sample.
    pub fn file_name(&self) -> String {
        let name = self.path.as_deref().or(self.imported_from()).and_then(Path::file_name);
        name.map_or_else(|| "mannequin.glb (sample)".into(), |n| n.to_string_lossy().into_owned())
    }
}
