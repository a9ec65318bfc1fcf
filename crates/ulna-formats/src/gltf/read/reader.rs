//! Accessors, findings and JSON that the parts of a file are read from.

use super::super::{accessor::Accessors, json, schema};
use ulna_model::Diagnostics;

/// Reads the parts of a file.
pub(super) struct Reader<'a> {
    pub(super) accessors: Accessors<'a>,
    pub(super) diagnostics: Diagnostics,
    pub(super) root: &'a json::RawMap<'a>,
    /// Where they could be typed at once; they are not in `root` then.
    pub(super) animations: Option<Vec<schema::Animation>>,
}
