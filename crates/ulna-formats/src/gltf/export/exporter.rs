//! A file taken apart for exports.

use serde_json::Value;

use super::super::{Source, meshopt::Unpacked};

/// A file that others are made of: what is asked of all of them is done once.
pub struct Exporter<'a> {
    pub(super) source: &'a Source,
    /// Everything but what the lists below hold, which are empty in it.
    pub(super) root: Value,
    pub(super) animations: Vec<Value>,
    pub(super) accessors: Vec<Value>,
    pub(super) views: Vec<Value>,
    pub(super) unpacked: Vec<Unpacked>,
    /// An extension of accessors or views that would name other data afterwards.
    pub(super) foreign: Option<String>,
}
