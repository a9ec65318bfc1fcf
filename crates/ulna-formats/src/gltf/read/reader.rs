//! Data that all parts of the reader need: accessors, findings and JSON.

use super::super::{accessor::Accessors, json, schema};
use ulna_model::Diagnostics;

/// Reads the parts of a file.
pub(super) struct Reader<'a> {
    pub(super) accessors: Accessors<'a>,
    pub(super) diagnostics: Diagnostics,
    pub(super) root: &'a json::RawMap<'a>,
    /// The animations if they are already parsed; then `root` does not contain them.
    pub(super) animations: Option<Vec<schema::Animation>>,
}
