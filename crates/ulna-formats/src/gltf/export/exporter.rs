//! A parsed source file for several exports.

use serde_json::Value;

use super::super::{Source, meshopt::Unpacked};

/// A parsed source file. The work that all exports have in common is done once.
pub struct Exporter<'a> {
    pub(super) source: &'a Source,
    /// Root object of the JSON. Lists that other fields store are empty in it.
    pub(super) root: Value,
    pub(super) animations: Vec<Value>,
    pub(super) accessors: Vec<Value>,
    pub(super) views: Vec<Value>,
    pub(super) unpacked: Vec<Unpacked>,
    /// An extension of accessors or buffer views whose indices cannot be updated.
    pub(super) foreign: Option<String>,
}
