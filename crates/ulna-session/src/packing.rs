//! Packing: the document in the form that saving writes, and its changes to the file.

use std::collections::BTreeMap;

use super::{
    difference::{Comparison, Side, as_text, compare, compare_states},
    layers,
    session::Session,
    vrm_pose,
};
use ulna_formats::gltf::{self, SaveError, Saved};
use ulna_model::{ClipId, Document};
use ulna_motion::Folded;

impl Session {
    /// Returns the document in the form that saving writes, and the clips with baked layers.
    pub(super) fn folded(&self) -> (Document, BTreeMap<ClipId, Folded>) {
        self.folds.to_save(&self.document, &self.decoded)
    }

    /// Returns the document in the form that saving writes, with its layers baked into keys and
    /// nodes.
    pub fn to_save(&self) -> Document {
        self.folded().0
    }

    /// Returns the document as for [`Session::to_save`], but without stored layers, which other
    /// programs cannot read.
    pub(super) fn to_export(&self) -> Document {
        self.folds.fold(&self.document, &self.decoded, false).0
    }

    /// Compares this file with another. Both are compared as on disk, with layers baked into keys
    /// and nodes.
    pub fn compare(&self, other: &Self) -> Comparison {
        let (mine, theirs) = (gltf::unmodeled(&self.source), gltf::unmodeled(&other.source));
        compare(
            Side { asset: &self.saved, other: Some(&mine) },
            Side { asset: &other.saved, other: Some(&theirs) },
        )
    }

    /// Returns the file on disk as text with one fact per line, for version control.
    pub fn as_text(&self) -> String {
        as_text(Side { asset: &self.saved, other: Some(&gltf::unmodeled(&self.source)) })
    }

    /// Describes the changes in meaning that saving would make to the file on disk, one sentence
    /// each; empty if there are none.
    ///
    /// # Errors
    /// See [`SaveError`].
    pub fn will_change(&self) -> Result<Vec<String>, SaveError> {
        let written = self.pack("model")?;
        let (to_save, folded) = self.folded();
        let found = compare_states(&self.saved, &to_save);
        let mut differs: Vec<String> = found.differences.iter().map(ToString::to_string).collect();
        differs.extend(found.notes.into_iter().map(|n| n.message));
        if !differs.is_empty() {
            differs.extend(layers::in_words(&self.document, &folded));
            differs.extend(written.stays.iter().map(|stay| stay.message.clone()));
            // The warning comes first, so that the user sees it before saving.
            differs.splice(
                0..0,
                vrm_pose::warning(&self.decoded, &to_save).map(|posed| posed.message),
            );
        }
        // A save also writes changes that are too small to be reported as a difference. The list of
        // written elements is returned for them.
        if differs.is_empty() && self.unsaved().file { Ok(written.changes) } else { Ok(differs) }
    }

    /// Makes the file in memory. Returns its bytes and the list of changes.
    ///
    /// # Errors
    /// See [`SaveError`].
    pub fn pack(&self, stem: &str) -> Result<Saved, SaveError> {
        gltf::save(&self.source, &self.decoded, &self.to_save(), stem, self.save_options)
    }
}
