//! The report of automatic weights: connected pieces, and joints without weight.

use super::bind_joints::BindJoint;
use ulna_model::{MeshId, NodeId, PrimitiveId};
use ulna_weights::PieceMethod;

/// A connected piece of the bound meshes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundPiece {
    /// The mesh of its first vertex.
    pub mesh: MeshId,
    /// The method from which it got its weights.
    pub method: PieceMethod,
    /// Number of vertices.
    pub vertices: usize,
    /// Part of its points that see no bone, `0..=1`; 0 if no method asked.
    pub hidden: f32,
    /// The joint that has at least half of its weight, and its part of the weight over the area,
    /// `0.5..=1`. The piece could follow it as a rigid body.
    pub rigid: Option<(NodeId, f32)>,
    /// Whether it does.
    pub is_rigid: bool,
}

impl BoundPiece {
    /// The method as a word of a report.
    pub const fn method_word(&self) -> &'static str {
        match self.method {
            PieceMethod::Heat => "heat",
            PieceMethod::Voxel => "voxel",
            PieceMethod::Nearest => "nearest",
            PieceMethod::Distance => "distance",
        }
    }
}

/// The pieces of the vertices of a primitive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundPart {
    /// The mesh.
    pub mesh: MeshId,
    /// The primitive.
    pub primitive: PrimitiveId,
    /// By vertex, the index of its piece in [`BindReport::pieces`]; `None` for a vertex in no
    /// triangle.
    pub piece_of: Vec<Option<u32>>,
}

/// The result of automatic weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BindReport {
    /// The pieces, in the order of skins and of their first vertices.
    pub pieces: Vec<BoundPiece>,
    /// The pieces of each vertex.
    pub parts: Vec<BoundPart>,
    /// Number of vertices in no triangle.
    pub loose: usize,
    /// Joints that got no weight by the rule, with the reason.
    pub left_out: Vec<BindJoint>,
}

impl BindReport {
    /// Adds the report of another skin. Its pieces are numbered after those that are there.
    pub(super) fn add(&mut self, other: Self) {
        let first = u32::try_from(self.pieces.len()).unwrap_or(u32::MAX);
        self.pieces.extend(other.pieces);
        self.parts.extend(other.parts.into_iter().map(|mut part| {
            part.piece_of.iter_mut().flatten().for_each(|piece| *piece += first);
            part
        }));
        self.loose += other.loose;
        for joint in other.left_out {
            if !self.left_out.iter().any(|known| known.node == joint.node) {
                self.left_out.push(joint);
            }
        }
    }
}
