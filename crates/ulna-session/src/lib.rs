//! One open file: its bytes, the document as opened and as it is now, history, the running of
//! commands, and saving.

mod difference;
mod disk;
mod edited;
mod export;
mod findings;
mod import;
mod journal;
mod layer_import;
mod layers;
mod loose;
mod placing;
mod playback;
mod recovery;
mod replay;
mod save;
mod sidecars;
mod stamp;
mod unsaved;
mod vrm_pose;
mod weight_cells;
mod weight_import;
mod weight_layers;
mod weight_source;
mod work;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use thiserror::Error;

use self::layers::Folds;
pub use self::{
    difference::{
        Comparison, Difference, DifferenceKind, Side, as_text, compare, compare_states,
        differences, first_lost,
    },
    disk::{Disk, SystemDisk, write_atomically},
    edited::{Edited, EditedThing},
    export::{ExportFailure, ExportFindings, ExportRequest, Exported, Exporting, file_name},
    findings::{surface_findings, surface_place, weight_place},
    import::{
        Arrival, ClipSource, Fit, ImportError, ImportOptions, ImportRequest, arrivals, files_meant,
        fits,
    },
    journal::{Journal, KEPT_DAYS, SaveMark, names_in},
    layer_import::{KeptLayer, kept_layers_of},
    playback::{Playback, RulerUnit},
    recovery::{KeptStep, Recovered, Recovery, RecoveryError},
    replay::{Outlook, Replayed},
    save::{Consent, SaveFailure, SaveRequest, SavedFile, Saving, incremented},
    stamp::{OnDisk, Stamp, content_hash, hard_links},
    vrm_pose::posed_bones,
    weight_cells::{CellRefused, WhyNot, cells_assigned},
    weight_import::{RowsMeant, rows_meant, weight_rows, weight_table},
    work::{NotTaken, Work, Worked},
};
use ulna_edit::{
    Availability, Change, Command, CommandError, CommandLine, Edit, EditError, History, KeysHome,
    Outcome, Scene,
    command::{
        AddLayer, DocumentCommand, KeyEditCommand, KeysHow, KeysOfLayer, LayerKeysCommand,
        LayerName, SessionCommand, copied_keys,
        field::{ClipName, Meshes, Nodes},
        layer_as_clip,
    },
    free_of_matrices, layer_for, paint_into,
};
pub use ulna_formats::{
    gltf::SaveError,
    import::{Conversion, ImportFindings, USUAL_RATES, UpAxis, endings},
    weight_files::WeightFile,
};
use ulna_formats::{
    gltf::{self, Opened, Progress, ReadError, SaveOptions, Saved, Source},
    import::importer_of,
    read_whole,
};
use ulna_model::{
    Asset, ClipId, Diagnostic, DisplayChoice, Document, KeySet, LayerHome, LayerId, MeshId, NodeId,
    Notice, PrimitiveId, Shared, SkinId, WeightLayers, WeightPatch,
};
use ulna_motion::{Folded, RecentPoses};

/// One open file.
#[derive(Clone, Debug)]
pub struct Session {
    /// No other that was opened has it; a copy does.
    id: u64,
    source: Source,
    /// What the file says, word for word.
    decoded: Document,
    /// The document as it was when the file was opened: layers that the file keeps are taken off.
    opened: Document,
    document: Document,
    folds: Folds,
    history: History,
    /// Where *Save* writes; `None` for the bundled sample until it has a place.
    path: Option<PathBuf>,
    /// The file of another format that this was made from.
    imported: Option<Imported>,
    /// What is odd about the file.
    pub diagnostics: Vec<Diagnostic>,
    /// The same as it was when the file was opened.
    opened_diagnostics: Vec<Diagnostic>,
    /// What wrote the file.
    pub generator: Option<String>,
    /// Extensions the file uses.
    pub extensions_used: Vec<String>,
    /// What saving may add.
    pub save_options: SaveOptions,
    /// Poses that the gesture under way works on.
    poses: RecentPoses,
    /// What commands had to say.
    notes: Vec<Notice>,
    /// The keys that the last command selects, with their owner.
    selected_keys: Option<(KeysHome, KeySet)>,
    /// The keys that were copied last, as text.
    copied: Option<String>,
    /// What is on disk: the file's part of the document as it was opened or saved last.
    saved: Asset,
    /// What that was made from.
    saved_from: unsaved::Unfolded,
    known_unsaved: unsaved::Known,
    /// The file on disk as it was read or written last.
    stamp: Option<Stamp>,
    /// Files of which a backup was made in this sitting.
    backed_up: BTreeSet<PathBuf>,
    journal: journal::Slot,
    /// Why a stroke could not be kept.
    lost_stroke: Option<String>,
}

/// What a stroke made of the weights of a primitive.
type StrokeChange = (MeshId, PrimitiveId, WeightPatch);

/// A file of another format that a document was made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// Where it is.
    pub path: PathBuf,
    /// What its format is called.
    pub format: &'static str,
    /// How it was taken.
    pub conversion: Conversion,
    /// What was found in it.
    pub found: ImportFindings,
}

/// What is not on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unsaved {
    /// Whether saving now would write something else than there is.
    pub file: bool,
    /// How many steps that is, at least 1 where it is something.
    pub steps: usize,
    /// Whether they are steps of the saved file that were undone since.
    pub undone: bool,
    /// Poses that are not keyed, which no file holds.
    pub unkeyed: usize,
    /// Layers of weights, where the file does not keep them; what they come to is saved.
    pub layers: usize,
    /// Layers of poses and clips, where the file does not keep them; what they come to is saved.
    pub pose_layers: usize,
    /// Pairs of joints that were said to be mirror images, which no file holds.
    pub pairs: usize,
    /// Whether a mix is not kept in the file.
    pub mix: bool,
}

impl Unsaved {
    /// Whether anything is not on disk.
    pub const fn any(&self) -> bool {
        self.file || self.aids()
    }

    /// Whether there is work that no file holds.
    pub const fn aids(&self) -> bool {
        self.unkeyed + self.layers + self.pose_layers + self.pairs > 0 || self.mix
    }
}

/// A command that is for somebody else.
#[derive(Debug, Error)]
#[error("“{0}” works only in the window of Ulna, not in a script")]
pub struct NeedsHost(&'static str);

/// Why a command line failed.
#[derive(Debug, Error)]
pub enum RunError {
    /// The command itself.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// It is the host's to do.
    #[error(transparent)]
    Host(#[from] NeedsHost),
}

impl RunError {
    /// The code that stays the same for scripts, whatever the words are.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Command(error) => error.code(),
            Self::Host(_) => "needs_window",
        }
    }
}

/// What a command of the document, or the file's own, comes to on a document; not applied.
fn edits_of(opened: &Document, scene: &Scene<'_>, command: &Command) -> Result<Outcome, RunError> {
    let document = scene.document;
    match command {
        Command::Document(command) => Ok(command.work(scene)?),
        Command::Session(SessionCommand::ResetToFile { node }) => {
            let nodes: Vec<NodeId> = match node {
                Some(nodes) => nodes.all(document).map_err(CommandError::from)?,
                None => document.node_ids().collect(),
            };
            let was = |node: NodeId| opened.nodes.get(node);
            let pose = |node: &NodeId| {
                let pose = was(*node).and_then(|n| n.pose);
                (document.node(*node).pose != pose).then_some((*node, pose))
            };
            let morphs = |node: &NodeId| {
                let (node, to) = (*node, was(*node).and_then(|n| n.morph_weights.clone()));
                (document.node(node).morph_weights != to).then_some(Edit::SetMorphs { node, to })
            };
            let poses: Vec<_> = nodes.iter().filter_map(pose).collect();
            let mut edits: Vec<Edit> = nodes.iter().filter_map(morphs).collect();
            if !poses.is_empty() {
                edits.push(Edit::SetPoses(poses));
            }
            let mut done = Outcome::from(edits);
            free_of_matrices(document, &mut done);
            Ok(done)
        }
        Command::Session(SessionCommand::Revert { clip, layer, node, mesh }) => {
            let things = reverts(
                opened,
                document,
                (clip.as_ref(), layer.as_ref(), node.as_ref(), mesh.as_ref()),
            )?;
            let mut done = Outcome::default();
            for thing in things {
                let one = edited::reverted(opened, document, thing)?;
                done.edits.extend(one.edits);
                done.notes.extend(one.notes);
            }
            free_of_matrices(document, &mut done);
            Ok(done)
        }
        Command::Session(
            SessionCommand::Undo
            | SessionCommand::Redo
            | SessionCommand::CopyKeys { .. }
            | SessionCommand::ImportLayer { .. }
            | SessionCommand::ImportWeights { .. }
            | SessionCommand::ImportClips { .. },
        )
        | Command::Host(_) => Err(NeedsHost(command.spec().name).into()),
    }
}

/// What a command that reverts names.
type Named<'a> =
    (Option<&'a ClipName>, Option<&'a LayerName>, Option<&'a Nodes>, Option<&'a Meshes>);

/// The things that it means: what is gone is named as it was.
fn reverts(
    opened: &Document,
    now: &Document,
    named: Named<'_>,
) -> Result<Vec<EditedThing>, CommandError> {
    let (clip, layer, node, mesh) = named;
    let nodes = node.map(|n| n.all(now)).transpose()?;
    let meshes = mesh.map(|m| m.find(now)).transpose()?;
    let clip = match clip {
        None => None,
        Some(clip) => Some(clip.find(now).or_else(|why| clip.find(opened).map_err(|_gone| why))?),
    };
    let ways = usize::from(clip.is_some() || layer.is_some())
        + usize::from(nodes.is_some())
        + usize::from(meshes.is_some());
    if ways != 1 {
        return Err(CommandError::other(
            "arguments_exclusive",
            "name exactly one of “clip”, “layer”, “node” and “mesh”",
        ));
    }
    if let Some(layer) = layer {
        let home = LayerHome::of(clip);
        let id =
            layer.find(now, home).or_else(|why| layer.find(opened, home).map_err(|_gone| why))?;
        return Ok(vec![EditedThing::Layer(home, id)]);
    }
    if let Some(clip) = clip {
        return Ok(vec![EditedThing::Clip(clip)]);
    }
    if let Some(nodes) = nodes {
        return Ok(nodes.into_iter().map(EditedThing::Node).collect());
    }
    Ok(meshes.unwrap_or_default().into_iter().map(EditedThing::Weights).collect())
}

impl Session {
    /// What differs from the file as it was opened, a thing a row: layers, clips, nodes, weights.
    pub fn edited(&self) -> Vec<Edited> {
        edited::edited(&self.opened, &self.document)
    }

    /// Opens a file.
    ///
    /// # Errors
    /// A sentence that says what is wrong and where.
    pub fn open(path: &Path, progress: &Progress) -> Result<Self, ReadError> {
        Self::open_as(path, &Conversion::default(), progress)
    }

    /// Opens a file, one of another format than glTF as it is asked for.
    ///
    /// # Errors
    /// As [`Session::open`].
    pub fn open_as(
        path: &Path,
        conversion: &Conversion,
        progress: &Progress,
    ) -> Result<Self, ReadError> {
        let bytes =
            read_whole(path).map_err(|source| ReadError::Io { path: path.to_owned(), source })?;
        if let Some(importer) = importer_of(&bytes, path) {
            let made = (importer.read)(&bytes, Some(path), conversion)?;
            let mut opened = gltf::open_bytes(made.glb.into(), None, progress)?;
            opened.diagnostics.extend(made.diagnostics.finish());
            // What was imported has no file of its own until it is saved as glTF.
            let imported = Imported {
                path: path.to_owned(),
                format: importer.name,
                conversion: conversion.clone(),
                found: made.found,
            };
            return Ok(Self { imported: Some(imported), ..Self::of(opened, None) });
        }
        let opened = gltf::open_bytes(bytes.into(), Some(path), progress)?;
        Ok(Self::of(opened, Some(path.to_owned())))
    }

    /// Opens a copy of a glTF file; data files that it names are looked for where the file itself
    /// lies.
    ///
    /// # Errors
    /// As [`Session::open`].
    pub fn open_beside(copy: &Path, path: &Path, progress: &Progress) -> Result<Self, ReadError> {
        let bytes =
            read_whole(copy).map_err(|source| ReadError::Io { path: copy.to_owned(), source })?;
        Ok(Self::of(gltf::open_bytes(bytes.into(), Some(path), progress)?, None))
    }

    /// Opens bytes that come from no file: the bundled sample.
    ///
    /// # Errors
    /// As [`Session::open`].
    pub fn open_bytes(bytes: &[u8]) -> Result<Self, ReadError> {
        Ok(Self::of(gltf::open_bytes(bytes.to_vec().into(), None, &Progress::default())?, None))
    }

    fn of(opened: Opened, path: Option<PathBuf>) -> Self {
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
            saved_from: unsaved::Unfolded::of(document),
            known_unsaved: unsaved::Known::default(),
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
            copied: None,
            stamp,
            backed_up: BTreeSet::new(),
            journal: journal::Slot::default(),
            lost_stroke: None,
        }
    }

    /// A number that no other file that was opened has; copies of the session have the same.
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// Whether a path leads to the document's own file.
    pub fn is_at(&self, path: &Path) -> bool {
        self.path.as_deref().is_some_and(|own| own == path || stamp::same_file(own, path))
    }

    /// Keeps a journal of what is done from now on.
    pub fn keep_journal(&mut self, home: &Path) {
        let journal = Journal::new(home, self);
        self.journal.put(journal);
        // What was done before: the edits of a file that was read again.
        for step in self.history.done() {
            self.journal.step(step, &self.document);
        }
    }

    /// Ends the journal; nothing of it is wanted again.
    ///
    /// # Errors
    /// What the system says.
    pub fn end_journal(&mut self) -> std::io::Result<()> {
        self.journal.take().map_or(Ok(()), Journal::discard)
    }

    /// Where the journal lies, if one is kept.
    pub fn journal_folder(&self) -> Option<&Path> {
        self.journal.folder()
    }

    /// Why the journal cannot be written, said once.
    pub fn take_journal_fault(&mut self) -> Option<String> {
        self.journal.take_fault()
    }

    /// The document as it is now.
    pub const fn document(&self) -> &Document {
        &self.document
    }

    /// Chooses the scene and the variant that are shown. No edit: nothing to undo and nothing to
    /// save. What the document does not have leaves the choice to the file.
    pub fn show(&mut self, shown: DisplayChoice) {
        self.document.shown = DisplayChoice {
            scene: shown.scene.filter(|s| self.document.scenes.contains(*s)),
            variant: shown.variant.filter(|v| v.index() < self.document.variants.len()),
        };
    }

    /// The document as the file was opened.
    pub const fn opened(&self) -> &Document {
        &self.opened
    }

    /// The opened bytes.
    pub const fn source(&self) -> &Source {
        &self.source
    }

    /// What is wrong with the weights of a primitive as they are now.
    pub fn weight_problems(&self, mesh: MeshId, primitive: PrimitiveId) -> Vec<Diagnostic> {
        findings::of_primitive(&self.document, mesh, primitive)
    }

    /// What is odd about the file by every rule, the worst first. Takes as long as the file is big.
    pub fn all_findings(&self) -> Vec<Diagnostic> {
        // What was imported has no file of glTF that could break its rules.
        if self.imported.is_some() {
            return self.diagnostics.clone();
        }
        findings::merged(gltf::rules::check(&self.source), &self.diagnostics)
    }

    /// As [`Session::all_findings`], of the file as a save would write it now.
    pub fn findings_now(&self) -> Vec<Diagnostic> {
        if self.document.file == self.opened.file
            && self.document.aids.pose_layers == self.opened.aids.pose_layers
        {
            return self.all_findings();
        }
        let packed = self.pack("model").ok().and_then(|saved| {
            let path = self.source.path.as_deref();
            gltf::open_beside(saved.bytes, path, saved.companions.into(), &Progress::default()).ok()
        });
        // What cannot be saved is told when it is saved.
        let Some(again) = packed else { return self.diagnostics.clone() };
        let mut own = again.diagnostics;
        own.extend(findings::of_all(&again.document));
        if self.imported.is_some() {
            own
        } else {
            findings::merged(gltf::rules::check(&again.source), &own)
        }
    }

    /// What can be undone.
    pub const fn history(&self) -> &History {
        &self.history
    }

    /// Where *Save* writes.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The file of another format that this was made from, and how.
    pub const fn imported(&self) -> Option<&Imported> {
        self.imported.as_ref()
    }

    fn imported_from(&self) -> Option<&Path> {
        self.imported.as_ref().map(|i| i.path.as_path())
    }

    /// Where *Save as* begins: the file, or beside what it was imported from, as GLB.
    pub fn suggested_path(&self) -> PathBuf {
        let imported = self.imported.as_ref().map(|i| i.path.with_extension("glb"));
        self.path.clone().or(imported).unwrap_or_else(|| "mannequin.glb".into())
    }

    /// The file's name, or that of the sample.
    pub fn file_name(&self) -> String {
        let name = self.path.as_deref().or(self.imported_from()).and_then(Path::file_name);
        name.map_or_else(|| "mannequin.glb (sample)".into(), |n| n.to_string_lossy().into_owned())
    }

    /// What of availability the open file knows.
    pub fn availability(&self) -> Availability {
        Availability {
            document: true,
            clips: !self.document.clips.is_empty(),
            morphs: self.document.meshes.values().any(|m| m.target_count() > 0),
            weights: self.document.nodes.values().any(|n| {
                let mesh = n.mesh.filter(|_| n.skin.is_some()).map(|m| self.document.mesh(m));
                mesh.is_some_and(|m| m.primitives.iter().any(|p| p.weights.is_some()))
            }),
            bare: findings::any_bare(&self.document),
            layers: !self.document.aids.weight_layers.is_empty(),
            any_pose_layers: !self.document.aids.pose_layers.is_empty(),
            lights: self.document.nodes.values().any(|n| n.light.is_some()),
            cameras: self.document.nodes.values().any(|n| n.camera.is_some()),
            undo: self.history.undo_label().is_some(),
            redo: self.history.redo_label().is_some(),
            // What was imported has no file of its own yet.
            unsaved: self.is_unsaved() || (self.path.is_none() && self.imported.is_some()),
            unkeyed: !self.document.aids.unkeyed.is_empty(),
            ..Availability::default()
        }
    }

    /// Carries a command out as one undo step; whether it changed anything.
    ///
    /// # Errors
    /// Where it cannot be done, or is the host's to do.
    pub fn run(&mut self, command: &Command) -> Result<bool, RunError> {
        match command {
            Command::Session(SessionCommand::Undo) => return Ok(self.undo().is_some()),
            Command::Session(SessionCommand::Redo) => return Ok(self.redo().is_some()),
            Command::Session(SessionCommand::CopyKeys { clip, layer, which }) => {
                let keys = match layer {
                    Some(layer) => {
                        copied_keys(&layer_as_clip(&self.document, clip, layer)?, clip, which)?
                    }
                    None => copied_keys(&self.document, clip, which)?,
                };
                self.copied = Some(keys.text());
                return Ok(false);
            }
            Command::Session(SessionCommand::ImportLayer { path, clip, layer, into }) => {
                let (clip, layer, into) = (clip.as_ref(), layer.as_ref(), into.as_ref());
                let meant = layer_import::LayerMeant { path, clip, layer, into };
                let (commands, notes) = self.layer_of_file(meant)?;
                let done = self.run_all("Import layer", &commands)?;
                self.notes.extend(notes);
                return Ok(done);
            }
            Command::Session(SessionCommand::ImportWeights { path, from, mesh, by }) => {
                let meant = weight_source::WeightsMeant {
                    path: path.as_deref(),
                    from: from.as_deref(),
                    mesh: mesh.as_ref(),
                    by: *by,
                };
                let (commands, notes) = self.weights_of_file(meant)?;
                let done = self.run_all("Import weights", &commands)?;
                self.notes.extend(notes);
                return Ok(done);
            }
            Command::Session(SessionCommand::ImportClips {
                path,
                only,
                how,
                counterparts,
                taken,
                force,
            }) => {
                let path = path.clone().ok_or_else(|| {
                    CommandError::other(
                        "no_file_named",
                        "no file was given; name a file, a folder or a pattern as “path”",
                    )
                })?;
                let chosen = counterparts.as_ref().map(|c| c.find(&self.document)).transpose();
                let chosen = chosen.map_err(CommandError::from)?.unwrap_or_default();
                let options = ImportOptions { how: how.unwrap_or(KeysHow::Rests).into(), chosen };
                let force = *force == Some(true);
                let request =
                    ImportRequest { path, only: only.clone(), taken: *taken, options, force };
                let (command, notes) = self
                    .import(&request, &Progress::default())
                    .map_err(|e| CommandError::other(e.code(), e.to_string()))?;
                let done = self.run_all("Import clips", &[command.into()])?;
                self.notes.extend(notes);
                return Ok(done);
            }
            _ => {}
        }
        let title = command.spec().title;
        self.run_all(title, std::slice::from_ref(command))
    }

    /// As [`Session::run`], of a command's text.
    ///
    /// # Errors
    /// As that, and where the text is none.
    pub fn run_line(&mut self, line: &CommandLine) -> Result<bool, RunError> {
        self.run(&Command::read(line)?)
    }

    /// Ends the gesture that is under way, if there is one, as if it had been let go.
    pub fn settle(&mut self) -> bool {
        self.history.is_open() && self.commit()
    }

    /// Makes the gesture under way a step, and writes it down.
    fn end_gesture(&mut self) -> bool {
        self.poses.clear();
        let done = self.history.commit(&mut self.document);
        if done && let Some(step) = self.history.done().last() {
            self.journal.step(step, &self.document);
        }
        done
    }

    /// Shows what several commands do together, each on what the ones before left.
    ///
    /// # Errors
    /// Where one of them cannot be done; nothing is shown then.
    pub fn preview_all(&mut self, label: &str, commands: &[Command]) -> Result<(), RunError> {
        let commands = self.with_copied(commands);
        let (opened, poses) = (&self.opened, &self.poses);
        let (notes, keys) = (&mut self.notes, &mut self.selected_keys);
        notes.clear();
        self.history.show(&mut self.document, label, commands.clone(), |showing| {
            for command in &commands {
                let mut done =
                    edits_of(opened, &Scene::during(showing.document(), poses), command)?;
                if let Some((clip, set)) = done.keys.take() {
                    *keys = Some((
                        KeysHome { clip, layer: command.keys_layer(showing.document()) },
                        set,
                    ));
                }
                showing.expect(done.edits.len());
                for edit in done.edits {
                    showing.apply(edit).map_err(CommandError::from)?;
                }
                notes.extend(done.notes);
            }
            Ok(())
        })
    }

    /// Carries several commands out as one undo step; whether they changed anything.
    ///
    /// # Errors
    /// Where one of them cannot be done; none is then.
    pub fn run_all(&mut self, label: &str, commands: &[Command]) -> Result<bool, RunError> {
        self.settle();
        let before = std::mem::take(&mut self.notes);
        let shown = self.preview_all(label, commands);
        self.notes.splice(0..0, before);
        shown?;
        Ok(self.end_gesture())
    }

    /// As [`Session::run_all`], of commands' texts.
    ///
    /// # Errors
    /// As that, and where a text is none.
    pub fn run_lines(&mut self, label: &str, lines: &[CommandLine]) -> Result<bool, RunError> {
        let commands: Result<Vec<Command>, CommandError> =
            lines.iter().map(Command::read).collect();
        self.run_all(label, &commands?)
    }

    /// Shows what a gesture would do, in place of what it showed before.
    ///
    /// # Errors
    /// Where an edit does not fit; nothing is shown then.
    pub fn preview(&mut self, label: &str, edits: Vec<Edit>) -> Result<(), EditError> {
        self.history.preview(&mut self.document, label, edits, Vec::new())
    }

    /// Adds a dab's weights to the gesture under way, or begins one.
    ///
    /// # Errors
    /// Where they do not fit; nothing is changed then.
    pub fn extend(
        &mut self,
        label: &str,
        mesh: MeshId,
        primitive: PrimitiveId,
        patch: WeightPatch,
    ) -> Result<(), EditError> {
        self.history.extend(&mut self.document, label, mesh, primitive, patch)
    }

    /// The commands, keys that were copied last in those that put some in and do not say which.
    fn with_copied(&self, commands: &[Command]) -> Vec<Command> {
        let mut commands = commands.to_vec();
        for command in &mut commands {
            let edit = match command {
                Command::Document(DocumentCommand::KeyEdit(edit)) => edit,
                Command::Document(DocumentCommand::LayerKeys(LayerKeysCommand {
                    command: KeysOfLayer::Edit(edit),
                    ..
                })) => edit,
                _ => continue,
            };
            if let KeyEditCommand::PasteKeys(paste) = edit
                && paste.text.is_none()
            {
                paste.text.clone_from(&self.copied);
            }
        }
        commands
    }

    /// The keys that were copied last, as text for the clipboard.
    pub fn copied_keys(&self) -> Option<&str> {
        self.copied.as_deref()
    }

    /// Takes the keys that the last command selects, with the clip or layer that owns them.
    pub const fn take_selected_keys(&mut self) -> Option<(KeysHome, KeySet)> {
        self.selected_keys.take()
    }

    /// What commands left as it was since this was asked last, and why: a sentence each, without
    /// its full stop.
    pub fn take_notes(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notes)
    }

    /// [`Session::take_notes`] as one sentence for a person, without its full stop; nothing where
    /// there is none.
    pub fn take_sentence(&mut self) -> Option<String> {
        let notes: Vec<String> = self.take_notes().into_iter().map(|n| n.message).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }

    /// What of the document was touched since this was asked last.
    pub fn take_changes(&mut self) -> Vec<Change> {
        self.history.take_changes()
    }

    /// Another number after every change of the document, previews of gestures too.
    pub const fn generation(&self) -> u64 {
        self.history.generation()
    }

    /// Ends a gesture: its preview becomes one step. A stroke over weight layers goes into the one
    /// that tools work on; where there is none, into a new one above them, as a step of its own
    /// before it. What cannot be kept is said: [`Session::take_lost_stroke`].
    pub fn commit(&mut self) -> bool {
        let Err(error) = self.put_stroke(None) else { return self.end_gesture() };
        let changes = self.history.stroke_changes(&self.document);
        self.cancel();
        match self.put_above(&changes) {
            Ok(done) => {
                let said = format!("the brush stroke was put in a new layer, because {error}");
                self.notes.push(Notice::new("stroke_in_new_layer", said));
                done
            }
            Err(_) => {
                self.lost_stroke = Some(error.to_string());
                false
            }
        }
    }

    /// Puts painted weights into new layers above all others of their skins; what lies under no
    /// layers, as it is.
    fn put_above(&mut self, changes: &[StrokeChange]) -> Result<bool, RunError> {
        let mut done = false;
        let mut by_skin: BTreeMap<Option<SkinId>, Vec<StrokeChange>> = BTreeMap::new();
        for change in changes {
            by_skin
                .entry(self.document.layered(change.0, change.1))
                .or_default()
                .push(change.clone());
        }
        for (skin, changes) in by_skin {
            let edits = match skin {
                None => {
                    let patch = |(mesh, primitive, patch)| Edit::PatchWeights {
                        mesh,
                        primitive,
                        patch: Box::new(patch),
                    };
                    changes.into_iter().map(patch).collect()
                }
                Some(skin) => {
                    let Some((mesh, ..)) = changes.first() else { continue };
                    let add = AddLayer { name: None, mesh: Some(Meshes::Ids(vec![*mesh])) };
                    self.run_all("Add a layer", &[add.into()])?;
                    let layer = layer_for(&self.document, skin)?;
                    paint_into(&self.document, skin, layer, &changes)?
                }
            };
            self.history
                .preview(&mut self.document, "Paint weights", edits, Vec::new())
                .map_err(CommandError::from)?;
            done |= self.end_gesture();
        }
        Ok(done)
    }

    /// Why the last stroke is in no layer and was taken back, once.
    pub const fn take_lost_stroke(&mut self) -> Option<String> {
        self.lost_stroke.take()
    }

    /// Ends a stroke: where there are weight layers, it goes into this one. Whether it changed
    /// anything.
    ///
    /// # Errors
    /// Where the layer does not take it; the stroke is taken back then.
    pub fn commit_stroke(&mut self, layer: (SkinId, LayerId)) -> Result<bool, CommandError> {
        if let Err(error) = self.put_stroke(Some(layer)) {
            self.cancel();
            return Err(error);
        }
        Ok(self.end_gesture())
    }

    /// Ends a stroke that went into layers dab by dab: what is seen of them is there already, and
    /// these are the layers that it is seen of; nothing where no layer was changed. Whether it
    /// changed anything.
    ///
    /// # Errors
    /// Where the layers do not fit; the stroke is taken back then.
    pub fn commit_layers(
        &mut self,
        label: &str,
        layers: Option<(SkinId, WeightLayers)>,
    ) -> Result<bool, EditError> {
        if let Some((skin, to)) = layers {
            let edit = Edit::SetLayers { skin, to: Some(Shared::new(to)) };
            self.history.extend_with(&mut self.document, label, vec![edit])?;
        }
        Ok(self.end_gesture())
    }

    /// Puts what the stroke under way did to weights under layers into a layer: this one, or the
    /// one that tools work on.
    fn put_stroke(&mut self, layer: Option<(SkinId, LayerId)>) -> Result<(), CommandError> {
        if self.document.aids.weight_layers.is_empty() {
            return Ok(());
        }
        let mut by_skin: BTreeMap<SkinId, Vec<(MeshId, PrimitiveId, WeightPatch)>> =
            BTreeMap::new();
        for change in self.history.stroke_changes(&self.document) {
            if let Some(skin) = self.document.layered(change.0, change.1) {
                by_skin.entry(skin).or_default().push(change);
            }
        }
        for (skin, changes) in by_skin {
            let layer = match layer {
                Some((of, layer)) if of == skin => layer,
                _ => layer_for(&self.document, skin)?,
            };
            let edits = paint_into(&self.document, skin, layer, &changes)?;
            self.history.extend_with(&mut self.document, "Paint weights", edits)?;
        }
        Ok(())
    }

    /// Ends a gesture as if it had never been.
    pub fn cancel(&mut self) {
        self.poses.clear();
        self.history.cancel(&mut self.document);
    }

    /// Takes the last step back; its label.
    pub fn undo(&mut self) -> Option<String> {
        self.settle();
        let label = self.history.undo(&mut self.document)?;
        self.journal.undo();
        Some(label)
    }

    /// Does the last undone step again; its label.
    pub fn redo(&mut self) -> Option<String> {
        self.settle();
        let label = self.history.redo(&mut self.document)?;
        self.journal.redo();
        Some(label)
    }

    /// The document as saving writes it, with what folding its layers took, by clip.
    fn folded(&self) -> (Document, BTreeMap<ClipId, Folded>) {
        self.folds.to_save(&self.document, &self.decoded)
    }

    /// The document as saving writes it: with its layers in keys and nodes.
    pub fn to_save(&self) -> Document {
        self.folded().0
    }

    /// As [`Session::to_save`], without the layers themselves: for other programs.
    fn to_export(&self) -> Document {
        self.folds.fold(&self.document, &self.decoded, false).0
    }

    /// What this file differs in from another, as both are on disk: with their layers in keys and
    /// nodes.
    pub fn compare(&self, other: &Self) -> Comparison {
        let (mine, theirs) = (gltf::unmodeled(&self.source), gltf::unmodeled(&other.source));
        compare(
            Side { asset: &self.saved, other: Some(&mine) },
            Side { asset: &other.saved, other: Some(&theirs) },
        )
    }

    /// The file on disk as text, a fact a line, for version control.
    pub fn as_text(&self) -> String {
        as_text(Side { asset: &self.saved, other: Some(&gltf::unmodeled(&self.source)) })
    }

    /// What will differ from the file on disk once the document is saved, a sentence each, in
    /// meaning; nothing where nothing will.
    ///
    /// # Errors
    /// Where it cannot be saved: see [`SaveError`].
    pub fn will_change(&self) -> Result<Vec<String>, SaveError> {
        let written = self.pack("model")?;
        let (to_save, folded) = self.folded();
        let found = compare_states(&self.saved, &to_save);
        let mut differs: Vec<String> = found.differences.iter().map(ToString::to_string).collect();
        differs.extend(found.notes.into_iter().map(|n| n.message));
        if !differs.is_empty() {
            differs.extend(layers::in_words(&self.document, &folded));
            // It comes first: a person must see it before saving.
            differs.splice(
                0..0,
                vrm_pose::warning(&self.decoded, &to_save).map(|posed| posed.message),
            );
        }
        // What is too small for a sentence is still written.
        if differs.is_empty() && self.unsaved().file { Ok(written.changes) } else { Ok(differs) }
    }

    /// What saving would write now, and the list of what it changes.
    ///
    /// # Errors
    /// See [`SaveError`].
    pub fn pack(&self, stem: &str) -> Result<Saved, SaveError> {
        gltf::save(&self.source, &self.decoded, &self.to_save(), stem, self.save_options)
    }
}
