//! History: gestures that become one step each, and the way back and forth between them.

use super::{Edit, EditError, apply, command::CommandLine};
use crate::model::Document;

/// One undo step.
#[derive(Clone, Debug)]
pub struct Transaction {
    /// What a person did, for the menu and the list.
    pub label: String,
    /// Its text form: what replays it.
    pub lines: Vec<CommandLine>,
    forward: Vec<Edit>,
    inverse: Vec<Edit>,
    revision: u64,
}

/// A gesture that is under way: its preview is in the document already.
#[derive(Clone, Debug)]
struct Open {
    label: String,
    forward: Vec<Edit>,
    inverse: Vec<Edit>,
}

/// What was done and can be undone. Bounded by bytes; "unsaved" is `revision != saved`.
#[derive(Clone, Debug)]
pub struct History {
    done: Vec<Transaction>,
    undone: Vec<Transaction>,
    open: Option<Open>,
    next: u64,
    /// Revision below the oldest step that is kept.
    floor: u64,
    saved: u64,
    budget: usize,
}

impl Default for History {
    fn default() -> Self {
        Self { done: Vec::new(), undone: Vec::new(), open: None, next: 1, floor: 0, saved: 0, budget: 256 << 20 }
    }
}

impl History {
    /// Shows what a gesture would do: takes its last preview back and applies these edits.
    ///
    /// # Errors
    /// Where an edit does not fit; the document is then as before the gesture.
    pub fn preview(&mut self, document: &mut Document, label: &str, edits: Vec<Edit>) -> Result<(), EditError> {
        self.cancel(document);
        let mut open = Open { label: label.to_owned(), forward: Vec::with_capacity(edits.len()), inverse: Vec::new() };
        for edit in edits {
            open.forward.push(edit.clone());
            match apply(document, edit) {
                Ok(inverse) => open.inverse.push(inverse),
                Err(error) => {
                    undo_all(document, open.inverse);
                    return Err(error);
                }
            }
        }
        self.open = Some(open);
        Ok(())
    }

    /// Whether a gesture is under way.
    pub const fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Takes the gesture's preview back.
    pub fn cancel(&mut self, document: &mut Document) {
        if let Some(open) = self.open.take() {
            undo_all(document, open.inverse);
        }
    }

    /// Makes the gesture's preview a step. One that changed nothing leaves none; whether it left one is returned.
    pub fn commit(&mut self, document: &Document, lines: Vec<CommandLine>) -> bool {
        let Some(open) = self.open.take() else { return false };
        // Swap semantics: a slot that is written twice is changed only if its last value is not its first.
        let changed = {
            let mut probe = document.clone();
            undo_all(&mut probe, open.inverse.clone());
            probe != *document
        };
        if !changed {
            return false;
        }
        self.undone.clear();
        let transaction =
            Transaction { label: open.label, lines, forward: open.forward, inverse: open.inverse, revision: self.next };
        self.next += 1;
        self.done.push(transaction);
        self.trim();
        true
    }

    /// Takes the last step back; its label.
    pub fn undo(&mut self, document: &mut Document) -> Option<String> {
        self.cancel(document);
        let step = self.done.pop()?;
        undo_all(document, step.inverse.clone());
        let label = step.label.clone();
        self.undone.push(step);
        Some(label)
    }

    /// Does the last undone step again; its label.
    pub fn redo(&mut self, document: &mut Document) -> Option<String> {
        self.cancel(document);
        let step = self.undone.pop()?;
        for edit in &step.forward {
            if let Err(error) = apply(document, edit.clone()) {
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
    pub fn done(&self) -> &[Transaction] {
        &self.done
    }

    /// Steps that were undone; redo does the last one first.
    pub fn undone(&self) -> &[Transaction] {
        &self.undone
    }

    /// A number for the document's present state; the same state by undo and redo has the same number.
    pub fn revision(&self) -> u64 {
        self.done.last().map_or(self.floor, |t| t.revision)
    }

    /// Steps between the saved state and now, at least 1 where they differ.
    pub fn unsaved_steps(&self) -> usize {
        if self.revision() == self.saved {
            return 0;
        }
        let at = |revision: u64| self.done.iter().position(|t| t.revision == revision).map(|k| k + 1);
        match at(self.saved).or((self.saved == self.floor).then_some(0)) {
            Some(saved) => self.done.len() - saved,
            None => self
                .undone
                .iter()
                .rev()
                .position(|t| t.revision == self.saved)
                .map_or(self.done.len().max(1), |k| k + 1),
        }
    }

    /// The present state is the one on disk.
    pub fn mark_saved(&mut self) {
        self.mark_saved_at(self.revision());
    }

    /// The state of this revision is the one on disk.
    pub fn mark_saved_at(&mut self, revision: u64) {
        self.saved = revision;
    }

    fn trim(&mut self) {
        let size = |t: &Transaction| t.forward.iter().chain(&t.inverse).map(Edit::size).sum::<usize>();
        let mut total: usize = self.done.iter().map(size).sum();
        while total > self.budget && self.done.len() > 1 {
            let oldest = self.done.remove(0);
            total -= size(&oldest);
            self.floor = oldest.revision;
        }
    }
}

fn undo_all(document: &mut Document, inverse: Vec<Edit>) {
    for edit in inverse.into_iter().rev() {
        if let Err(error) = apply(document, edit) {
            // The inverse of an edit that was applied always fits; if not, that is a fault of ours.
            log::error!("an edit could not be taken back: {error}");
        }
    }
}
