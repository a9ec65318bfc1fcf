//! The open gesture and its edits.

use crate::{Edit, EditError, apply, command::Command};
use ulna_model::{Document, MeshId, PrimitiveId, WeightPatch};

/// The open gesture. Its preview is already applied to the document.
#[derive(Clone, Debug)]
pub(super) struct Open {
    pub(super) label: String,
    /// The document before the gesture; `None` for brush strokes, which are reverted by vertices.
    pub(super) base: Option<Document>,
    /// Commands with the same effect as the gesture.
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

/// Changes of a primitive by the open brush stroke.
#[derive(Clone, Debug)]
pub(super) struct Stroked {
    pub(super) mesh: MeshId,
    pub(super) primitive: PrimitiveId,
    /// One flag per vertex: whether `first` contains it.
    pub(super) seen: Vec<bool>,
    /// Weights of the changed vertices before the stroke.
    pub(super) first: WeightPatch,
}

impl Stroked {
    pub(super) fn edit(&self, patch: WeightPatch) -> Edit {
        Edit::PatchWeights { mesh: self.mesh, primitive: self.primitive, patch: Box::new(patch) }
    }
}

/// A document to which the edits of a gesture are applied, one after another.
#[derive(Debug)]
pub struct GesturePreview<'a> {
    pub(super) document: &'a mut Document,
    pub(super) forward: Vec<Edit>,
    pub(super) inverse: Vec<Edit>,
}

impl GesturePreview<'_> {
    /// The document with all edits applied so far.
    pub const fn document(&self) -> &Document {
        self.document
    }

    /// Reserves memory for a number of further edits.
    pub fn expect(&mut self, edits: usize) {
        self.forward.reserve(edits);
        self.inverse.reserve(edits);
    }

    /// Applies an edit.
    ///
    /// # Errors
    /// If the edit is invalid.
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
