//! State that all parts of the reader share: accessors, findings and JSON.

use super::super::{accessor::Accessors, json, schema};
use ulna_model::Diagnostics;

/// Reader for the parts of a file.
pub(super) struct Reader<'a> {
    pub(super) accessors: Accessors<'a>,
    pub(super) diagnostics: Diagnostics,
    pub(super) root: &'a json::RawMap<'a>,
    /// Animations that are already parsed. If present, `root` does not contain them.
    pub(super) animations: Option<Vec<schema::Animation>>,
}
