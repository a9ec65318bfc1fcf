//! Input and result of automatic binding.

use std::collections::BTreeMap;

use glam::Vec3;
use thiserror::Error;

use super::BindBone;
use ulna_model::{JointSlot, WeightMap};

/// A mesh to bind.
#[derive(Clone, Copy, Debug)]
pub struct BindMesh<'a> {
    /// Vertex positions in bind space. All meshes and bones of a request share this space.
    pub positions: &'a [Vec3],
    /// Vertex indices, three per triangle. Triangles with an invalid index are ignored. The winding
    /// does not matter.
    pub triangles: &'a [u32],
}

/// The binding method that is tried first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BindMethod {
    /// The method whose results were closest to painted weights in measurements: currently heat.
    #[default]
    Auto,
    /// Heat equilibrium, for every piece with a visible bone.
    Heat,
    /// Distance through the inside of the body, measured on voxels.
    Voxel,
    /// Straight-line distance to the bones.
    Distance,
}

/// Parameters of a bind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BindSettings {
    /// First method to try. If it fails for a piece, the piece uses the next method.
    pub method: BindMethod,
    /// Factor of the heat from bones, `0.5..=8`. With higher values, the weight of a bone falls off
    /// faster.
    pub sharpness: f32,
    /// Number of voxels along the longest side, `64..=256`.
    pub grid: usize,
    /// Maximum number of influences per vertex, `1..=16`.
    pub limit: usize,
    /// Envelope radius of each bone, relative to the bone's length. The weight is 0 at the envelope
    /// and beyond. Used only with [`BindMethod::Distance`]. `None`: no envelopes.
    pub envelope: Option<f32>,
    /// Minimum weight, `0..=0.5`. Smaller weights are dropped.
    pub prune: f32,
    /// Maximum number of points of a simplified surface, for a faster and less accurate result.
    /// `None`: the surface is not simplified.
    pub most_points: Option<usize>,
    /// Memory limit in bytes for factoring the heat system. Surfaces that need more use voxels
    /// instead.
    pub memory: usize,
}

impl Default for BindSettings {
    fn default() -> Self {
        Self {
            method: BindMethod::Auto,
            sharpness: 2.0,
            grid: 96,
            limit: 4,
            envelope: None,
            prune: 0.01,
            most_points: None,
            memory: 1 << 30,
        }
    }
}

/// Input of automatic binding. All meshes form one surface: coincident vertices get the same
/// weights.
#[derive(Clone, Copy, Debug)]
pub struct BindRequest<'a> {
    /// Meshes to bind.
    pub meshes: &'a [BindMesh<'a>],
    /// Bones of the joints that can receive weight. One joint can have several bones.
    pub bones: &'a [BindBone],
    /// Parameters of the bind.
    pub settings: BindSettings,
    /// Mirror mapping for symmetric weights; `None` for no symmetry.
    pub mirror: Option<&'a BindMirror>,
}

/// Mirror mapping of meshes and joints. The weights of mirrored vertices are averaged before the
/// influence limit applies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BindMirror {
    /// Mesh and vertex at the mirrored position, by mesh and vertex.
    pub vertices: Vec<Vec<Option<(u32, u32)>>>,
    /// Mirror joint of each joint; a center joint is its own mirror joint.
    pub joints: Vec<JointSlot>,
}

/// The method that produced the weights of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PieceMethod {
    /// Heat equilibrium.
    Heat,
    /// Distance through the inside of the body.
    Voxel,
    /// Copied from the nearest point of other pieces.
    Nearest,
    /// Straight-line distance to the bones.
    Distance,
}

/// The joint that a whole piece could follow as a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidProposal {
    /// Joint with the most weight on the piece.
    pub joint: JointSlot,
    /// Fraction of the piece's weight on this joint, weighted by area, `0.5..=1`.
    pub confidence: f32,
}

/// A connected piece of the surface. It can span several meshes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BindPiece {
    /// Method that produced the weights of the piece.
    pub method: PieceMethod,
    /// Number of vertices in the piece.
    pub vertices: usize,
    /// Fraction of welded points that see no bone, `0..=1`; 0 if visibility was not computed.
    pub hidden: f32,
    /// Joint with at least half of the piece's weight, as a proposal for a rigid piece. The
    /// computed weights do not depend on it.
    pub rigid: Option<RigidProposal>,
}

/// The result of automatic binding.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundWeights {
    /// Weights of each mesh. The weights of every vertex are normalized.
    pub maps: Vec<WeightMap>,
    /// Pieces, sorted by their first vertex.
    pub pieces: Vec<BindPiece>,
    /// Index of the piece of each vertex, by mesh and vertex. `None` for a vertex that no triangle
    /// uses.
    pub piece_of: Vec<Vec<Option<u32>>>,
    /// Number of vertices that no triangle uses. They have the weights of the nearest point of the
    /// surface, or weights by distance.
    pub loose: usize,
}

impl BoundWeights {
    /// Makes pieces rigid: all vertices of a piece get the full weight of one joint. `joints` has
    /// the joint by piece index.
    pub fn make_rigid(&mut self, joints: &BTreeMap<u32, JointSlot>) {
        if joints.is_empty() {
            return;
        }
        for (map, pieces) in self.maps.iter_mut().zip(&self.piece_of) {
            let stride = map.stride();
            let (slots, weights) = (map.joints.make_mut(), map.weights.make_mut());
            for (vertex, piece) in pieces.iter().enumerate() {
                let Some(joint) = piece.and_then(|piece| joints.get(&piece)) else { continue };
                let own = vertex * stride..(vertex + 1) * stride;
                slots[own.clone()].fill(0);
                weights[own.clone()].fill(0.0);
                (slots[own.start], weights[own.start]) = (joint.0, 1.0);
            }
        }
    }
}

/// Reason why binding produced no weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BindError {
    /// The request has no bones.
    #[error("no joints were chosen; choose the joints to bind to")]
    NoBones,
    /// The cancel flag was set.
    #[error("binding was canceled")]
    Canceled,
}
