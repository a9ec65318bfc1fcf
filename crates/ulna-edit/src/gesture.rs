//! Edits of a gesture that is under way.

use crate::{Edit, EditError, apply, command::Command};
use ulna_model::{Document, MeshId, PrimitiveId, WeightPatch};

/// A gesture that is under way: its preview is in the document already.
#[derive(Clone, Debug)]
pub(super) struct Open {
    pub(super) label: String,
    /// The document that it began with, but for strokes, which are taken back vertex by vertex.
    pub(super) base: Option<Document>,
    /// The gesture as commands.
    pub(super) commands: Vec<Command>,
    pub(super) forward: Vec<Edit>,
    pub(super) inverse: Vec<Edit>,
    pub(super) strokes: Vec<Stroked>,
}

impl Open {
    pub(super) fn new(label: &str) -> Self {
        Self {
            label: label.to_owned(),
            base: None,
            commands: Vec::new(),
            forward: Vec::new(),
            inverse: Vec::new(),
            strokes: Vec::new(),
        }
    }
}

/// Changes of a primitive by a stroke so far.
#[derive(Clone, Debug)]
pub(super) struct Stroked {
    pub(super) mesh: MeshId,
    pub(super) primitive: PrimitiveId,
    /// By vertex, whether it is in `first`.
    pub(super) seen: Vec<bool>,
    /// The vertices that were touched, as they were before.
    pub(super) first: WeightPatch,
}

impl Stroked {
    pub(super) fn edit(&self, patch: WeightPatch) -> Edit {
        Edit::PatchWeights { mesh: self.mesh, primitive: self.primitive, patch: Box::new(patch) }
    }
}

/// A document to which a gesture's edits are applied, each on what the ones before left.
#[derive(Debug)]
pub struct GesturePreview<'a> {
    pub(super) document: &'a mut Document,
    pub(super) forward: Vec<Edit>,
    pub(super) inverse: Vec<Edit>,
}

impl GesturePreview<'_> {
    /// The document with what was applied so far.
    pub const fn document(&self) -> &Document {
        self.document
    }

    /// So many edits are to come.
    pub fn expect(&mut self, edits: usize) {
        self.forward.reserve(edits);
        self.inverse.reserve(edits);
    }

    /// Applies an edit.
    ///
    /// # Errors
    /// Where it does not fit.
    pub fn apply(&mut self, edit: Edit) -> Result<(), EditError> {
        self.forward.push(edit.clone());
        match apply(self.document, edit) {
            Ok(inverse) => self.inverse.push(inverse),
            Err(error) => {
                self.forward.pop();
                return Err(error);
            }
        }
        Ok(())
    }
}
