//! Undo steps: runs commands, and previews and commits gestures and brush strokes.

use std::collections::BTreeMap;

use super::{command_edits::edits_of, run_error::RunError, session::Session};
use ulna_edit::{
    Change, Command, CommandError, CommandLine, Edit, EditError, KeysHome, Scene,
    command::{
        AddLayer, BindReport, DocumentCommand, KeyEditCommand, KeysOfLayer, LayerKeysCommand,
        RigReport, field::Meshes,
    },
    layer_for, paint_into,
};
use ulna_model::{
    KeySet, LayerId, MeshId, Notice, PrimitiveId, Shared, SkinId, WeightLayers, WeightPatch,
};

/// New weights of one primitive that a stroke changed.
type StrokeChange = (MeshId, PrimitiveId, WeightPatch);

impl Session {
    /// Commits the open gesture, if there is one. Returns whether it changed anything.
    pub fn settle(&mut self) -> bool {
        self.history.is_open() && self.commit()
    }

    /// Turns the open gesture into an undo step, and writes the step to the journal.
    pub(super) fn end_gesture(&mut self) -> bool {
        self.poses.clear();
        let done = self.history.commit(&mut self.document);
        if done && let Some(step) = self.history.done().last() {
            self.journal.step(step, &self.document);
        }
        done
    }

    /// Previews several commands. Each runs on the result of the previous ones.
    ///
    /// # Errors
    /// A command fails. Nothing is previewed then.
    pub fn preview_all(&mut self, label: &str, commands: &[Command]) -> Result<(), RunError> {
        let commands = self.with_copied(commands);
        let (opened, poses) = (&self.opened, &self.poses);
        let (notes, keys) = (&mut self.notes, &mut self.selected_keys);
        let (rig, bind) = (&mut self.rig_report, &mut self.bind_report);
        (*rig, *bind) = (None, None);
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
                *rig = done.rig.or(rig.take());
                *bind = done.bind.or(bind.take());
            }
            Ok(())
        })
    }

    /// Runs several commands as one undo step. Returns whether they changed anything.
    ///
    /// # Errors
    /// A command fails. None of the commands takes effect then.
    pub fn run_all(&mut self, label: &str, commands: &[Command]) -> Result<bool, RunError> {
        self.settle();
        let before = std::mem::take(&mut self.notes);
        let shown = self.preview_all(label, commands);
        self.notes.splice(0..0, before);
        shown?;
        Ok(self.end_gesture())
    }

    /// Parses and runs the texts of several commands as one undo step, like [`Session::run_all`].
    ///
    /// # Errors
    /// A text is not a valid command, or a command fails.
    pub fn run_lines(&mut self, label: &str, lines: &[CommandLine]) -> Result<bool, RunError> {
        let commands: Result<Vec<Command>, CommandError> =
            lines.iter().map(Command::read).collect();
        self.run_all(label, &commands?)
    }

    /// Replaces the preview of the open gesture.
    ///
    /// # Errors
    /// An edit does not fit the document. Nothing is previewed then.
    pub fn preview(&mut self, label: &str, edits: Vec<Edit>) -> Result<(), EditError> {
        self.history.preview(&mut self.document, label, edits, Vec::new())
    }

    /// Adds the weights of a dab to the open gesture. Begins a gesture if none is open.
    ///
    /// # Errors
    /// The weights do not fit the primitive. Nothing is changed then.
    pub fn extend(
        &mut self,
        label: &str,
        mesh: MeshId,
        primitive: PrimitiveId,
        patch: WeightPatch,
    ) -> Result<(), EditError> {
        self.history.extend(&mut self.document, label, mesh, primitive, patch)
    }

    /// Returns the commands, with the last copied keys filled into paste commands without keys.
    pub(super) fn with_copied(&self, commands: &[Command]) -> Vec<Command> {
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

    /// Returns the last copied keys, as text for the clipboard.
    pub fn copied_keys(&self) -> Option<&str> {
        self.copied.as_deref()
    }

    /// Takes the keys that the last command selected, and the clip or layer that owns them.
    pub const fn take_selected_keys(&mut self) -> Option<(KeysHome, KeySet)> {
        self.selected_keys.take()
    }

    /// Takes the report of the last change to the skeleton.
    pub const fn take_rig_report(&mut self) -> Option<Box<RigReport>> {
        self.rig_report.take()
    }

    /// Takes the report of the last automatic weights.
    pub const fn take_bind_report(&mut self) -> Option<Box<BindReport>> {
        self.bind_report.take()
    }

    /// Takes the notes of all commands since the last call. They mention skipped elements, for
    /// example, and the reasons.
    pub fn take_notes(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notes)
    }

    /// Takes the notes as one sentence without a final period. `None` if there are no notes.
    pub fn take_sentence(&mut self) -> Option<String> {
        let notes: Vec<String> = self.take_notes().into_iter().map(|n| n.message).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }

    /// Takes the list of changes to the document since the last call.
    pub fn take_changes(&mut self) -> Vec<Change> {
        self.history.take_changes()
    }

    /// Returns a number that increases with every change of the document. Previews of gestures
    /// count, too.
    pub const fn generation(&self) -> u64 {
        self.history.generation()
    }

    /// Ends a gesture and turns its preview into one step. A brush stroke over weight layers is
    /// stored in the target layer. If that is impossible, it is stored in a new layer above, and
    /// adding that layer is a separate step. If this also fails, the stroke is reverted, and
    /// [`Session::take_lost_stroke`] returns the reason.
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

    /// Stores painted weights in new layers, above all other layers of their skins. Meshes without
    /// layers are changed directly.
    pub(super) fn put_above(&mut self, changes: &[StrokeChange]) -> Result<bool, RunError> {
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

    /// Takes the reason why the last stroke was reverted.
    pub const fn take_lost_stroke(&mut self) -> Option<String> {
        self.lost_stroke.take()
    }

    /// Ends a stroke. If the skin has weight layers, the stroke is stored in `layer`. Returns
    /// whether it changed anything.
    ///
    /// # Errors
    /// The stroke cannot be stored in the layer. The stroke is reverted then.
    pub fn commit_stroke(&mut self, layer: (SkinId, LayerId)) -> Result<bool, CommandError> {
        if let Err(error) = self.put_stroke(Some(layer)) {
            self.cancel();
            return Err(error);
        }
        Ok(self.end_gesture())
    }

    /// Ends a stroke that already changed the displayed weights dab by dab. `layers` are the new
    /// weight layers that give this result; `None` if no layer changed. Returns whether the stroke
    /// changed anything.
    ///
    /// # Errors
    /// The layers do not fit the document. The stroke is reverted then.
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

    /// Stores the weights of the open stroke in `layer`. For other skins, or if `layer` is `None`,
    /// the target layer of the tools is used.
    pub(super) fn put_stroke(
        &mut self,
        layer: Option<(SkinId, LayerId)>,
    ) -> Result<(), CommandError> {
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

    /// Cancels the open gesture, and restores the document. The notes of its preview are dropped,
    /// because nothing that they mention took effect.
    pub fn cancel(&mut self) {
        self.poses.clear();
        if self.history.is_open() {
            self.notes.clear();
        }
        self.history.cancel(&mut self.document);
    }

    /// Undoes the last step. Returns its label.
    pub fn undo(&mut self) -> Option<String> {
        self.settle();
        let label = self.history.undo(&mut self.document)?;
        self.journal.undo();
        Some(label)
    }

    /// Redoes the last undone step. Returns its label.
    pub fn redo(&mut self) -> Option<String> {
        self.settle();
        let label = self.history.redo(&mut self.document)?;
        self.journal.redo();
        Some(label)
    }
}
