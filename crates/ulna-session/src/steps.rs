//! Steps of the history: commands, gestures and brush strokes, shown and made one step each.

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

/// What a stroke made of the weights of a primitive.
type StrokeChange = (MeshId, PrimitiveId, WeightPatch);

impl Session {
    /// Ends the gesture that is under way, if there is one, as if it had been let go.
    pub fn settle(&mut self) -> bool {
        self.history.is_open() && self.commit()
    }

    /// Makes the gesture under way a step, and writes it down.
    pub(super) fn end_gesture(&mut self) -> bool {
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

    /// The keys that were copied last, as text for the clipboard.
    pub fn copied_keys(&self) -> Option<&str> {
        self.copied.as_deref()
    }

    /// Takes the keys that the last command selects, with the clip or layer that owns them.
    pub const fn take_selected_keys(&mut self) -> Option<(KeysHome, KeySet)> {
        self.selected_keys.take()
    }

    /// Takes the report of the last change of the skeleton.
    pub const fn take_rig_report(&mut self) -> Option<Box<RigReport>> {
        self.rig_report.take()
    }

    /// Takes the report of the last automatic weights.
    pub const fn take_bind_report(&mut self) -> Option<Box<BindReport>> {
        self.bind_report.take()
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
}
