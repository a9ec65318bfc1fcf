//! Scope of commands on weights: the meshes, vertices and joints that they may change.

use super::field::{Meshes, Nodes, Reach, VertexTerms};
use ulna_model::PrimitiveId;

/// Scope of the weights that a command may change, as far as its arguments limit it.
#[derive(Debug)]
pub struct Touch<'a> {
    /// Meshes.
    pub mesh: Option<&'a mut Option<Meshes>>,
    /// A primitive of them.
    pub primitive: Option<&'a mut Option<PrimitiveId>>,
    /// Vertices of them.
    pub vertices: Option<&'a mut Option<VertexTerms>>,
    /// Joints whose weights stay.
    pub locked: Option<&'a mut Option<Nodes>>,
    /// Joints a vertex has at most.
    pub most: Option<&'a mut Option<usize>>,
    /// The weight layer that takes the result.
    pub layer: Option<&'a mut Option<String>>,
    /// Whether it does to all of the surface what the brush does to a spot, so that what is hidden
    /// is not meant.
    pub of_brush: bool,
}

impl<'a> Touch<'a> {
    pub(super) fn of(reach: &'a mut Reach, of_brush: bool) -> Self {
        Self {
            mesh: Some(&mut reach.mesh),
            primitive: Some(&mut reach.primitive),
            vertices: Some(&mut reach.vertices),
            locked: Some(&mut reach.locked),
            most: Some(&mut reach.most),
            layer: Some(&mut reach.layer),
            of_brush,
        }
    }

    pub(super) const fn nothing() -> Self {
        Self {
            mesh: None,
            primitive: None,
            vertices: None,
            locked: None,
            most: None,
            layer: None,
            of_brush: false,
        }
    }
}
