//! Scope of weight commands: the meshes, vertices and joints that they may change.

use super::field::{Meshes, Nodes, Reach, VertexTerms};
use ulna_model::PrimitiveId;

/// Arguments of a weight command that limit its scope. The window fills them from its selection and
/// locks. `None` stands for arguments that the command does not have.
#[derive(Debug)]
pub struct Touch<'a> {
    /// Meshes to change.
    pub mesh: Option<&'a mut Option<Meshes>>,
    /// Primitive of the meshes.
    pub primitive: Option<&'a mut Option<PrimitiveId>>,
    /// Vertices to change.
    pub vertices: Option<&'a mut Option<VertexTerms>>,
    /// Joints that keep their weights.
    pub locked: Option<&'a mut Option<Nodes>>,
    /// Maximum number of influences per vertex.
    pub most: Option<&'a mut Option<usize>>,
    /// Weight layer that receives the result.
    pub layer: Option<&'a mut Option<String>>,
    /// Whether the command has the effect of a brush on the whole surface. Hidden parts are then
    /// excluded.
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
