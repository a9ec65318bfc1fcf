//! History: gestures that become one step each, and the way back and forth between them.
//!
//! ```text
//!  press                move                  move                     release
//!    │  begins           │  show(commands)     │  show(commands)         │  commit
//!    ▼                   ▼                     ▼                         ▼
//!  base = a clone ─► base + commands ─► base + commands anew ─► one Transaction with its inverse;
//!  (leaves shared)    in the document      in the document       its lines of text are made only
//!                        │                     │                 when someone reads them
//!                        └── Escape: cancel ───┴─► the document is the base again; nothing is left
//! ```
//!
//! A move never adds to the one before: what is shown is the base with the commands applied once.
//! Where the one before set nothing but poses, these are swapped back in place; else the base comes
//! in again. Losing the focus, another mode and closing count as release. While a gesture is open
//! no other command runs, and one that changed nothing leaves no step. A brush stroke is too big to
//! be done anew for each dab: its patches are added up ([`History::extend`]), with what each vertex
//! was at first kept for the way back; in all else it is a gesture like the others.

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

/// Undo history, bounded by bytes. The document is unsaved if `revision != saved`.
#[derive(Clone, Debug)]
pub struct History {
    // Shared, so that a copy for work beside the window costs nothing.
    done: Vec<Arc<Transaction>>,
    undone: Vec<Arc<Transaction>>,
    open: Option<Open>,
    next: u64,
    /// Revision below the oldest step that is kept.
    floor: u64,
    saved: u64,
    /// Set if the state on disk can no longer be reached, because steps before it were undone and
    /// others done instead: the last common revision, and the number of steps from there to the
    /// state on disk.
    parted: Option<(u64, usize)>,
    budget: usize,
    /// Memory of all steps, including undone ones.
    ledger: Shared<Ledger>,
    /// Another number after every change of the document, previews too.
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
    /// Bytes that steps may hold at most, unless it is told otherwise.
    pub const BUDGET: usize = 256 << 20;

    /// Applies an edit, and notes what it touched.
    fn touch(&mut self, document: &mut Document, edit: Edit) -> Result<Edit, EditError> {
        let inverse = apply(document, edit)?;
        self.generation += 1;
        self.note(Change::by(&inverse));
        Ok(inverse)
    }

    /// Nobody may be listening: what is not fetched must not grow.
    fn note(&mut self, change: Change) {
        const MOST: usize = 256;
        const MOST_VERTICES: usize = 1 << 22;
        match (self.changes.last_mut(), change) {
            (Some(Change::Other), Change::Other) => {}
            // Dab after dab, often over the same vertices.
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

    /// Takes the changes since the last call. [`Change::Other`] also stands for changes that were
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

    /// Another number after every change of the document, previews of gestures too.
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// Shows what a gesture would do, in place of what it showed before: the work is done on the
    /// document that it began with. `commands` are what does the same.
    ///
    /// # Errors
    /// Where the work fails; the document is then as before the gesture.
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

    /// The document as the gesture began with it, or as it is where none is open; `document` is
    /// then the same.
    ///
    /// Changes of poses by a gesture are reverted in place: the nodes are not copied for
    /// every move.
    fn begin_again(&mut self, document: &mut Document) -> Document {
        let only_poses = |open: &Open| open.inverse.iter().all(|e| matches!(e, Edit::SetPoses(_)));
        let Some(open) = self.open.take_if(|o| o.strokes.is_empty() && only_poses(o)) else {
            self.cancel(document);
            return document.clone();
        };
        self.undo_all(document, open.inverse);
        open.base.unwrap_or_else(|| document.clone())
    }

    /// Shows what edits come to, as [`History::show`].
    ///
    /// # Errors
    /// Where an edit does not fit; the document is then as before the gesture.
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

    /// Adds to a gesture: the next dab of a stroke. What it did before stays; it is one step in the
    /// end.
    ///
    /// # Errors
    /// Where the patch does not fit; the document is then as before it.
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

    /// Changed weights of the current gesture's strokes: the new weights of the changed vertices.
    pub fn stroke_changes(&self, document: &Document) -> Vec<(MeshId, PrimitiveId, WeightPatch)> {
        let change = |stroke: &Stroked| {
            let mesh = document.meshes.get(stroke.mesh)?;
            let map = mesh.primitives.get(stroke.primitive.index())?.weights.as_deref()?;
            let changed = stroke.first.without_unchanged(map).vertices;
            (!changed.is_empty()).then(|| (stroke.mesh, stroke.primitive, map.pick(&changed)))
        };
        self.open.iter().flat_map(|open| &open.strokes).filter_map(change).collect()
    }

    /// Adds edits to a gesture, at its end: what a stroke means for the layer that it goes into. It
    /// stays one step.
    ///
    /// # Errors
    /// Where one does not fit; the whole gesture is taken back then.
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
            // A whole map would be taken back after the dabs before it were: as a patch it is one
            // of them.
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

    /// Whether a gesture is under way.
    pub const fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Takes the gesture's preview back.
    pub fn cancel(&mut self, document: &mut Document) {
        let Some(open) = self.open.take() else { return };
        let strokes: Vec<Edit> = open.strokes.iter().map(|s| s.edit(s.first.clone())).collect();
        self.undo_all(document, strokes);
        match open.base {
            Some(base) => {
                // What is chosen to be looked at is no part of the gesture.
                let shown = document.shown;
                *document = base;
                document.shown = shown;
                self.generation += 1;
                open.inverse.iter().for_each(|edit| self.note(Change::by(edit)));
            }
            None => self.undo_all(document, open.inverse),
        }
    }

    /// Makes the gesture's preview a step. One that changed nothing leaves none; whether it left
    /// one is returned.
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
            // To the bit: a zero of the other sign is no change, and no step would say how it came
            // about.
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
        // With the names that things had when it began.
        let given = open
            .commands
            .iter()
            .map(|c| c.line(open.base.as_ref().unwrap_or(&*document)))
            .collect();
        // What lists have beyond their content would be held as well.
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

    /// Takes the last step back; its label.
    pub fn undo(&mut self, document: &mut Document) -> Option<String> {
        self.cancel(document);
        let step = self.done.pop()?;
        self.undo_all(document, step.inverse.clone());
        let label = step.label.clone();
        self.undone.push(step);
        Some(label)
    }

    /// Does the last undone step again; its label.
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

    /// The label of the step that undo would take back.
    pub fn undo_label(&self) -> Option<&str> {
        self.done.last().map(|t| t.label.as_str())
    }

    /// The label of the step that redo would do again.
    pub fn redo_label(&self) -> Option<&str> {
        self.undone.last().map(|t| t.label.as_str())
    }

    /// Steps that are done, the oldest first.
    pub fn done(&self) -> &[Arc<Transaction>] {
        &self.done
    }

    /// Steps that were undone; redo does the last one first.
    pub fn undone(&self) -> &[Arc<Transaction>] {
        &self.undone
    }

    /// A number for the document's present state; the same state by undo and redo has the same
    /// number.
    pub fn revision(&self) -> u64 {
        self.done.last().map_or(self.floor, |t| t.revision)
    }

    /// Steps between the saved state and now, at least 1 where they differ.
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

    /// Whether the state on disk is one that was undone since: redo leads to it.
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

    /// The number of the state that is on disk.
    pub const fn saved_revision(&self) -> u64 {
        self.saved
    }

    /// The present state is the one on disk.
    pub fn mark_saved(&mut self) {
        self.mark_saved_at(self.revision());
    }

    /// The state of this revision is the one on disk.
    pub fn mark_saved_at(&mut self, revision: u64) {
        self.saved = revision;
        self.parted = None;
    }

    /// Bytes that the steps hold, those that were undone included: what several share is counted
    /// once, and what the document has as it is now is not counted.
    pub fn held(&self, document: &Document) -> usize {
        self.ledger.bytes() - self.ledger.bytes_of(&Parts::of(document))
    }

    /// Forgets the oldest steps until the others hold no more than they may; the last one stays.
    fn trim(&mut self, document: &Document) {
        // Without a look at the document it can only be less.
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
                // The inverse of an edit that was applied always fits; if not, that is a fault of
                // ours.
                log::error!("an edit could not be undone: {error}");
            }
        }
    }
}
