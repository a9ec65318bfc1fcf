//! Edits of one command that are applied one after another.

use super::CommandError;
use crate::{Edit, apply};
use ulna_model::Document;

/// A copy of a document with the edits applied to it so far, so that each edit builds on the
/// previous ones.
#[derive(Clone)]
pub(super) struct DocumentDraft {
    pub(super) document: Document,
    pub(super) edits: Vec<Edit>,
}

impl DocumentDraft {
    pub(super) fn of(document: &Document) -> Self {
        Self { document: document.clone(), edits: Vec::new() }
    }

    pub(super) fn put(&mut self, edit: Edit) -> Result<(), CommandError> {
        apply(&mut self.document, edit.clone())?;
        self.edits.push(edit);
        Ok(())
    }

    pub(super) fn put_all(
        &mut self,
        edits: impl IntoIterator<Item = Edit>,
    ) -> Result<(), CommandError> {
        edits.into_iter().try_for_each(|edit| self.put(edit))
    }
}
