//! Edits of one command, made one after another.

use super::CommandError;
use crate::{Edit, apply};
use ulna_model::Document;

/// Edits under construction: each is applied to a copy of the document, so that the next one is
/// based on its result.
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
