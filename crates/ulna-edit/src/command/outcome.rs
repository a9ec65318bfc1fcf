//! Result of commands on the document.

use super::{bind_report::BindReport, rig_report::RigReport};
use crate::Edit;
use ulna_model::{ClipId, KeySet, Notice};

/// What a tool comes to.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What is to be changed.
    pub edits: Vec<Edit>,
    /// What is to be said of it, as a sentence without its full stop: what it left as it was and
    /// why, what it replaced, what it could not keep. Nothing where it did just what was asked.
    pub notes: Vec<Notice>,
    /// Which keys of a clip are selected then; those that were unless said.
    pub keys: Option<(ClipId, KeySet)>,
    /// Effects of a change of the skeleton on the clips and the skin.
    pub rig: Option<Box<RigReport>>,
    /// Connected pieces and joints of automatic weights.
    pub bind: Option<Box<BindReport>>,
}

impl Outcome {
    /// Nothing is changed; and why.
    pub(super) fn noted(code: &'static str, message: impl Into<String>) -> Self {
        Self { notes: vec![Notice::new(code, message)], ..Self::default() }
    }
}

impl From<Vec<Edit>> for Outcome {
    fn from(edits: Vec<Edit>) -> Self {
        Self { edits, ..Self::default() }
    }
}
