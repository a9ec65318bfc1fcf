//! The report of automatic weights: connected pieces of the meshes, and joints without weight.

use super::bind_joints::BindJoint;
use ulna_model::{MeshId, NodeId, PrimitiveId};
use ulna_weights::PieceMethod;

/// A connected piece of the bound meshes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundPiece {
    /// Mesh of the first vertex of the piece.
    pub mesh: MeshId,
    /// Method that computed the weights of the piece.
    pub method: PieceMethod,
    /// Number of vertices.
    pub vertices: usize,
    /// Fraction of the piece's points from which no bone is visible, `0..=1`; 0 if the method does
    /// not test visibility.
    pub hidden: f32,
    /// The joint with at least half of the piece's weight, and its fraction of the weight by area,
    /// `0.5..=1`. The piece could follow this joint as a rigid body.
    pub rigid: Option<(NodeId, f32)>,
    /// Whether the piece follows the joint in `rigid` as a rigid body.
    pub is_rigid: bool,
}

impl BoundPiece {
    /// Name of the method in a report.
    pub const fn method_word(&self) -> &'static str {
        match self.method {
            PieceMethod::Heat => "heat",
            PieceMethod::Voxel => "voxel",
            PieceMethod::Nearest => "nearest",
            PieceMethod::Distance => "distance",
        }
    }
}

/// The connected piece that each vertex of a primitive belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundPart {
    /// Mesh that has the primitive.
    pub mesh: MeshId,
    /// The bound primitive.
    pub primitive: PrimitiveId,
    /// Index in [`BindReport::pieces`] per vertex; `None` for a vertex in no triangle.
    pub piece_of: Vec<Option<u32>>,
}

/// The result of automatic weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BindReport {
    /// The connected pieces, ordered by skin, then by their first vertex.
    pub pieces: Vec<BoundPiece>,
    /// The vertices of each primitive, with their pieces.
    pub parts: Vec<BoundPart>,
    /// Number of vertices in no triangle.
    pub loose: usize,
    /// Joints that were not selected and got no weight, with the reason.
    pub left_out: Vec<BindJoint>,
}

impl BindReport {
    /// Appends the report of another skin. The piece indices of that report are shifted
    /// accordingly.
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
