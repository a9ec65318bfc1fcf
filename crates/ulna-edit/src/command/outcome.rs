//! Results of commands on the document.

use super::{bind_report::BindReport, rig_report::RigReport};
use crate::Edit;
use ulna_model::{ClipId, KeySet, Notice};

/// Result of a command.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Edits to apply to the document.
    pub edits: Vec<Edit>,
    /// Notices, each a sentence without a final period: skipped items with the reason, replaced
    /// items, and items that could not be preserved. Empty if the command did exactly the requested
    /// change.
    pub notes: Vec<Notice>,
    /// New selection of a clip's keys; `None` keeps the selection.
    pub keys: Option<(ClipId, KeySet)>,
    /// Effects of a change of the skeleton on the clips and the skin; `None` for other commands.
    pub rig: Option<Box<RigReport>>,
    /// Connected pieces and joints of automatic weights; `None` for other commands.
    pub bind: Option<Box<BindReport>>,
}

impl Outcome {
    /// Returns a result without edits, with a notice about the reason.
    pub(super) fn noted(code: &'static str, message: impl Into<String>) -> Self {
        Self { notes: vec![Notice::new(code, message)], ..Self::default() }
    }
}

impl From<Vec<Edit>> for Outcome {
    fn from(edits: Vec<Edit>) -> Self {
        Self { edits, ..Self::default() }
    }
}
