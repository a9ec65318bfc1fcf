//! Result of commands on the document.

use super::{bind_report::BindReport, rig_report::RigReport};
use crate::Edit;
use ulna_model::{ClipId, KeySet, Notice};

/// Result of a command.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Edits to apply.
    pub edits: Vec<Edit>,
    /// Notices, each a sentence without its full stop: items that were left unchanged with the
    /// reason, that were replaced, or that could not be kept. Empty if the command did just what
    /// was asked.
    pub notes: Vec<Notice>,
    /// New selection of a clip's keys; `None` keeps the selection.
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
