//! Undo history. Each gesture becomes one undo step.
//!
//! ```text
//!  press                move                  move                     release
//!    │  begins           │  show(commands)     │  show(commands)         │  commit
//!    ▼                   ▼                     ▼                         ▼
//!  base = a clone ─► base + commands ─► base + commands again ─► one Transaction with its inverse;
//!  (shared parts)     in the document      in the document        its text lines are made only
//!                        │                     │                  when they are read
//!                        └── Escape: cancel ───┴─► the document is the base again, without a step
//! ```
//!
//! Moves do not accumulate: the preview is the base with the commands applied once. If the previous
//! preview changed only poses, they are reverted in place. Otherwise, the document is replaced by
//! the base. Losing the focus, changing the mode, and closing count as a release. While a gesture
//! is open, no other command runs. A gesture without a change leaves no step.
//!
//! A brush stroke is too large to be repeated for each dab. [`History::extend`] adds the patches of
//! the dabs to the gesture instead, and stores the first weights of each vertex for undo. In all
//! other respects, a stroke is a normal gesture.

use std::sync::Arc;

use crate::{
    Edit, EditError, apply,
    change::Change,
    command::Command,
    gesture::{GesturePreview, Open, Stroked},
    ledger::Ledger,
    transaction::{Transaction, are_changed},
};
use ulna_model::{Document, MeshId, Parts, PrimitiveId, Shared, WeightPatch, put_in_order};

/// Undo history with a memory limit. The document has unsaved changes if `revision != saved`.
#[derive(Clone, Debug)]
pub struct History {
    // Shared, so that copies of the history for background work are cheap.
    done: Vec<Arc<Transaction>>,
    undone: Vec<Arc<Transaction>>,
    open: Option<Open>,
    next: u64,
    /// Revision before the oldest stored step.
    floor: u64,
    saved: u64,
    /// Set if no undo or redo step leads to the saved state any longer. Contains the last common
    /// revision, and the number of steps from there to the saved state.
    parted: Option<(u64, usize)>,
    budget: usize,
    /// Memory use of all steps, including undone ones.
    ledger: Shared<Ledger>,
    /// Counter that increases with every change of the document, including previews.
    generation: u64,
    changes: Vec<Change>,
}

impl Default for History {
    fn default() -> Self {
        Self {
            done: Vec::new(),
            undone: Vec::new(),
            open: None,
            next: 1,
            floor: 0,
            saved: 0,
            parted: None,
            budget: Self::BUDGET,
            ledger: Shared::default(),
            generation: 0,
            changes: Vec::new(),
        }
    }
}

impl History {
    /// Default memory limit of all steps, in bytes.
    pub const BUDGET: usize = 256 << 20;

    /// Applies an edit, and records the changed data.
    fn touch(&mut self, document: &mut Document, edit: Edit) -> Result<Edit, EditError> {
        let inverse = apply(document, edit)?;
        self.generation += 1;
        self.note(Change::by(&inverse));
        Ok(inverse)
    }

    /// Records a change. The list of changes has a maximum length, because it may never be read.
    fn note(&mut self, change: Change) {
        const MOST: usize = 256;
        const MOST_VERTICES: usize = 1 << 22;
        match (self.changes.last_mut(), change) {
            (Some(Change::Other), Change::Other) => {}
            // Dabs of one stroke often change the same vertices, so they are combined.
            (
                Some(Change::Weights { mesh, primitive, vertices: Some(all) }),
                Change::Weights { mesh: m, primitive: p, vertices: Some(more) },
            ) if (*mesh, *primitive) == (m, p) && all.len() + more.len() <= MOST_VERTICES => {
                all.extend(more)
            }
            (_, change) => {
                if self.changes.len() >= MOST {
                    self.changes.clear();
                    self.changes.push(Change::Other);
                }
                self.changes.push(change);
            }
        }
    }

    /// Returns the changes since the last call. [`Change::Other`] also stands for changes that were
    /// dropped.
    pub fn take_changes(&mut self) -> Vec<Change> {
        let mut changes = std::mem::take(&mut self.changes);
        for change in &mut changes {
            if let Change::Weights { vertices: Some(vertices), .. } = change {
                put_in_order(vertices);
            }
        }
        changes
    }

    /// Counter that increases with every change of the document, including previews of gestures.
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// Replaces the preview of the open gesture, or opens a gesture. `work` applies edits to the
    /// document from before the gesture. `commands` are commands with the same effect.
    ///
    /// # Errors
    /// The error of `work`. The document is then in the state before the gesture.
    pub fn show<E>(
        &mut self,
        document: &mut Document,
        label: &str,
        commands: Vec<Command>,
        work: impl FnOnce(&mut GesturePreview<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let base = self.begin_again(document);
        let mut showing = GesturePreview { document, forward: Vec::new(), inverse: Vec::new() };
        if let Err(error) = work(&mut showing) {
            *document = base;
            return Err(error);
        }
        let GesturePreview { forward, inverse, .. } = showing;
        self.generation += 1;
        inverse.iter().for_each(|edit| self.note(Change::by(edit)));
        self.open = Some(Open { base: Some(base), commands, forward, inverse, ..Open::new(label) });
        Ok(())
    }

    /// Reverts the preview of the open gesture, and returns a copy of the document from before it.
    ///
    /// If the preview changed only poses, they are reverted in place. The nodes are then not copied
    /// for every pointer move.
    fn begin_again(&mut self, document: &mut Document) -> Document {
        let only_poses = |open: &Open| open.inverse.iter().all(|e| matches!(e, Edit::SetPoses(_)));
        let Some(open) = self.open.take_if(|o| o.strokes.is_empty() && only_poses(o)) else {
            self.cancel(document);
            return document.clone();
        };
        self.undo_all(document, open.inverse);
        open.base.unwrap_or_else(|| document.clone())
    }

    /// Replaces the preview of the open gesture by the result of edits, as [`History::show`] does.
    ///
    /// # Errors
    /// If an edit is invalid. The document is then in the state before the gesture.
    pub fn preview(
        &mut self,
        document: &mut Document,
        label: &str,
        edits: Vec<Edit>,
        commands: Vec<Command>,
    ) -> Result<(), EditError> {
        self.show(document, label, commands, |showing| {
            edits.into_iter().try_for_each(|edit| showing.apply(edit))
        })
    }

    /// Adds the next dab of a brush stroke to the open gesture. All dabs together become one undo
    /// step.
    ///
    /// # Errors
    /// If the patch is invalid. The document is then unchanged.
    pub fn extend(
        &mut self,
        document: &mut Document,
        label: &str,
        mesh: MeshId,
        primitive: PrimitiveId,
        patch: WeightPatch,
    ) -> Result<(), EditError> {
        let inverse =
            self.touch(document, Edit::PatchWeights { mesh, primitive, patch: Box::new(patch) })?;
        let Edit::PatchWeights { patch: was, .. } = inverse else { return Ok(()) };
        let open = self.open.get_or_insert_with(|| Open::new(label));
        let at = open
            .strokes
            .iter()
            .position(|s| s.mesh == mesh && s.primitive == primitive)
            .unwrap_or_else(|| {
                let first = WeightPatch { sets: was.sets, ..WeightPatch::default() };
                open.strokes.push(Stroked { mesh, primitive, seen: Vec::new(), first });
                open.strokes.len() - 1
            });
        let stroke = &mut open.strokes[at];
        let most = was.vertices.iter().max().map_or(0, |v| *v as usize + 1);
        if stroke.seen.len() < most {
            stroke.seen.resize(most, false);
        }
        let stride = was.sets * 4;
        let entries = was.joints.chunks_exact(stride).zip(was.weights.chunks_exact(stride));
        for (v, (joints, weights)) in was.vertices.iter().zip(entries) {
            if !std::mem::replace(&mut stroke.seen[*v as usize], true) {
                stroke.first.vertices.push(*v);
                stroke.first.joints.extend_from_slice(joints);
                stroke.first.weights.extend_from_slice(weights);
            }
        }
        stroke.first.not_numbers.extend(was.not_numbers);
        Ok(())
    }

    /// Returns the changes of the open brush strokes: the changed vertices with their new weights.
    pub fn stroke_changes(&self, document: &Document) -> Vec<(MeshId, PrimitiveId, WeightPatch)> {
        let change = |stroke: &Stroked| {
            let mesh = document.meshes.get(stroke.mesh)?;
            let map = mesh.primitives.get(stroke.primitive.index())?.weights.as_deref()?;
            let changed = stroke.first.without_unchanged(map).vertices;
            (!changed.is_empty()).then(|| (stroke.mesh, stroke.primitive, map.pick(&changed)))
        };
        self.open.iter().flat_map(|open| &open.strokes).filter_map(change).collect()
    }

    /// Adds edits at the end of the open gesture, such as the effect of a stroke on a weight layer.
    /// They belong to the same undo step.
    ///
    /// # Errors
    /// If an edit is invalid. The whole gesture is then reverted.
    pub fn extend_with(
        &mut self,
        document: &mut Document,
        label: &str,
        edits: Vec<Edit>,
    ) -> Result<(), EditError> {
        for edit in edits {
            if let Err(error) = self.extend_by(document, label, edit) {
                self.cancel(document);
                return Err(error);
            }
        }
        Ok(())
    }

    fn extend_by(
        &mut self,
        document: &mut Document,
        label: &str,
        edit: Edit,
    ) -> Result<(), EditError> {
        let (mesh, primitive, patch) = match edit {
            Edit::PatchWeights { mesh, primitive, patch } => (mesh, primitive, *patch),
            // Converted to a patch, so that it is reverted in order with the dabs before it.
            Edit::SetWeights { mesh, primitive, to } => {
                let now = document.primitive(mesh, primitive);
                let now = now.and_then(|p| p.weights.as_deref()).filter(|now| {
                    now.sets == to.sets
                        && now.encoding == to.encoding
                        && now.vertex_count() == to.vertex_count()
                });
                let Some(now) = now else {
                    return Err(EditError::Weights { mesh: mesh.0, primitive });
                };
                let all: Vec<u32> = (0..to.vertex_count() as u32).collect();
                (mesh, primitive, to.pick(&all).without_unchanged(now))
            }
            edit => {
                let inverse = self.touch(document, edit.clone())?;
                let open = self.open.get_or_insert_with(|| Open::new(label));
                open.forward.push(edit);
                open.inverse.push(inverse);
                return Ok(());
            }
        };
        self.extend(document, label, mesh, primitive, patch)
    }

    /// Whether a gesture is open.
    pub const fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Cancels the open gesture, and reverts its preview.
    pub fn cancel(&mut self, document: &mut Document) {
        let Some(open) = self.open.take() else { return };
        let strokes: Vec<Edit> = open.strokes.iter().map(|s| s.edit(s.first.clone())).collect();
        self.undo_all(document, strokes);
        match open.base {
            Some(base) => {
                // The displayed scene and variant are not part of the gesture.
                let shown = document.shown;
                *document = base;
                document.shown = shown;
                self.generation += 1;
                open.inverse.iter().for_each(|edit| self.note(Change::by(edit)));
            }
            None => self.undo_all(document, open.inverse),
        }
    }

    /// Makes the open gesture an undo step. Returns whether there is a step; a gesture without a
    /// change leaves none.
    pub fn commit(&mut self, document: &mut Document) -> bool {
        let Some(mut open) = self.open.take() else { return false };
        let mut changed = are_changed(&open.forward, &open.inverse);
        for stroke in &open.strokes {
            let map = document.primitive(stroke.mesh, stroke.primitive);
            let Some(map) = map.and_then(|p| p.weights.as_deref()) else { continue };
            let before = stroke.first.without_unchanged(map);
            if !before.vertices.is_empty() {
                changed = true;
                open.forward.push(stroke.edit(map.pick(&before.vertices)));
                open.inverse.push(stroke.edit(before));
            }
        }
        if !changed {
            // Restores the base, including the signs of zeros. A changed sign is not a change of
            // the document, so there is no step to undo it.
            if let Some(base) = open.base {
                let shown = document.shown;
                *document = base;
                document.shown = shown;
            }
            return false;
        }
        if let Some(beyond) = self.undone.iter().rev().position(|t| t.revision == self.saved) {
            self.parted = Some((self.revision(), beyond + 1));
        }
        let ledger = Shared::make_mut(&mut self.ledger);
        self.undone.drain(..).for_each(|step| ledger.leave(&*step));
        // Uses the names from before the gesture.
        let given = open
            .commands
            .iter()
            .map(|c| c.line(open.base.as_ref().unwrap_or(&*document)))
            .collect();
        // Spare capacity would count as memory use.
        open.forward.shrink_to_fit();
        open.inverse.shrink_to_fit();
        let transaction = Transaction {
            label: open.label,
            given,
            forward: open.forward,
            inverse: open.inverse,
            revision: self.next,
        };
        self.next += 1;
        ledger.enter(&transaction);
        self.done.push(Arc::new(transaction));
        self.trim(document);
        true
    }

    /// Undoes the last step, and returns its label.
    pub fn undo(&mut self, document: &mut Document) -> Option<String> {
        self.cancel(document);
        let step = self.done.pop()?;
        self.undo_all(document, step.inverse.clone());
        let label = step.label.clone();
        self.undone.push(step);
        Some(label)
    }

    /// Redoes the last undone step, and returns its label.
    pub fn redo(&mut self, document: &mut Document) -> Option<String> {
        self.cancel(document);
        let step = self.undone.pop()?;
        for edit in &step.forward {
            if let Err(error) = self.touch(document, edit.clone()) {
                log::error!("redoing “{}” failed: {error}", step.label);
            }
        }
        let label = step.label.clone();
        self.done.push(step);
        Some(label)
    }

    /// Label of the step that undo would revert.
    pub fn undo_label(&self) -> Option<&str> {
        self.done.last().map(|t| t.label.as_str())
    }

    /// Label of the step that redo would repeat.
    pub fn redo_label(&self) -> Option<&str> {
        self.undone.last().map(|t| t.label.as_str())
    }

    /// The steps that can be undone, oldest first.
    pub fn done(&self) -> &[Arc<Transaction>] {
        &self.done
    }

    /// The steps that can be redone, last one first.
    pub fn undone(&self) -> &[Arc<Transaction>] {
        &self.undone
    }

    /// Number of the current state. Returning to a state by undo or redo restores its number.
    pub fn revision(&self) -> u64 {
        self.done.last().map_or(self.floor, |t| t.revision)
    }

    /// Number of steps between the saved and the current state; at least 1 if they differ.
    pub fn unsaved_steps(&self) -> usize {
        if self.revision() == self.saved {
            return 0;
        }
        if let Some(steps) = self.steps_from(self.saved) {
            return steps;
        }
        let parted = self.parted.and_then(|(at, beyond)| Some(self.steps_from(at)? + beyond));
        parted.unwrap_or(self.done.len()).max(1)
    }

    /// Whether the saved state was undone, so that redo leads to it.
    pub fn is_undone_since_saved(&self) -> bool {
        self.undone.iter().any(|t| t.revision == self.saved)
    }

    /// Number of undo or redo steps to a revision; `None` if no step leads to it.
    fn steps_from(&self, revision: u64) -> Option<usize> {
        let back =
            self.done.iter().position(|t| t.revision == revision).map(|k| self.done.len() - k - 1);
        let oldest = (revision == self.floor).then_some(self.done.len());
        let forward =
            || self.undone.iter().rev().position(|t| t.revision == revision).map(|k| k + 1);
        back.or(oldest).or_else(forward)
    }

    /// Number of the saved state.
    pub const fn saved_revision(&self) -> u64 {
        self.saved
    }

    /// Marks the current state as saved.
    pub fn mark_saved(&mut self) {
        self.mark_saved_at(self.revision());
    }

    /// Marks the state with this number as saved.
    pub fn mark_saved_at(&mut self, revision: u64) {
        self.saved = revision;
        self.parted = None;
    }

    /// Returns the memory use of all steps in bytes, including undone ones. Shared parts are
    /// counted once, and parts of the current document are not counted.
    pub fn held(&self, document: &Document) -> usize {
        self.ledger.bytes() - self.ledger.bytes_of(&Parts::of(document))
    }

    /// Drops the oldest steps until the memory use is within the limit. The last step is always
    /// kept.
    fn trim(&mut self, document: &Document) {
        // Subtracting the parts of the document can only reduce the size, so they are not needed
        // here.
        if self.ledger.bytes() <= self.budget {
            return;
        }
        let there = Parts::of(document);
        let ledger = Shared::make_mut(&mut self.ledger);
        let mut over = 0;
        while over + 1 < self.done.len() && ledger.bytes() - ledger.bytes_of(&there) > self.budget {
            ledger.leave(&*self.done[over]);
            self.floor = self.done[over].revision;
            over += 1;
        }
        self.done.drain(..over);
    }

    /// Sets the maximum size of all steps, in bytes.
    pub const fn set_budget(&mut self, bytes: usize) {
        self.budget = bytes;
    }

    fn undo_all(&mut self, document: &mut Document, inverse: Vec<Edit>) {
        for edit in inverse.into_iter().rev() {
            if let Err(error) = self.touch(document, edit) {
                // The inverse of an applied edit is always valid, so this is a bug.
                log::error!("an edit could not be undone: {error}");
            }
        }
    }
}
