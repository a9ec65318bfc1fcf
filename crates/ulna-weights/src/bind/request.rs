//! Input and result of automatic binding.

use std::collections::BTreeMap;

use glam::Vec3;
use thiserror::Error;

use super::BindBone;
use ulna_model::{JointSlot, WeightMap};

/// A mesh to bind.
#[derive(Clone, Copy, Debug)]
pub struct BindMesh<'a> {
    /// Positions in the bind space that all meshes and bones of a request share.
    pub positions: &'a [Vec3],
    /// Corner indices, three per triangle. Triangles with an invalid index are ignored. The winding
    /// does not matter.
    pub triangles: &'a [u32],
}

/// The first method to try.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BindMethod {
    /// The method with the results nearest to painted weights in measurements: currently heat.
    #[default]
    Auto,
    /// Heat for every piece with a visible bone.
    Heat,
    /// Distance inside the body, by voxels.
    Voxel,
    /// Distance in a straight line.
    Distance,
}

/// Parameters of a bind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BindSettings {
    /// The first method to try. Each piece falls back to the next method if it fails.
    pub method: BindMethod,
    /// Falloff of a bone's weight beside it, `0.5..=8`; higher values fall off faster.
    pub sharpness: f32,
    /// Number of voxels along the longest side, `64..=256`.
    pub grid: usize,
    /// Maximum number of influences per vertex, `1..=16`.
    pub limit: usize,
    /// Radius of the envelope around each bone, relative to the length of the bone. The weight is 0
    /// at the envelope. It applies to [`BindMethod::Distance`]. `None`: no envelopes.
    pub envelope: Option<f32>,
    /// Minimum weight; smaller ones are dropped. Range `0..=0.5`.
    pub prune: f32,
    /// Maximum number of points of a simplified surface, for a faster and less accurate result.
    /// `None`: the whole surface.
    pub most_points: Option<usize>,
    /// Memory limit for factoring the heat system, in bytes. Larger surfaces fall back to voxels.
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

/// Meshes to bind to bones. All meshes are one surface: coincident vertices get the same weights.
#[derive(Clone, Copy, Debug)]
pub struct BindRequest<'a> {
    /// The meshes.
    pub meshes: &'a [BindMesh<'a>],
    /// Bones of the joints that can receive weight. A joint can have any number of bones.
    pub bones: &'a [BindBone],
    /// Parameters.
    pub settings: BindSettings,
    /// The mirror mapping, for symmetric weights.
    pub mirror: Option<&'a BindMirror>,
}

/// Mirror mapping of meshes and joints. Weights of mirrored vertices are averaged before the
/// influence limit applies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BindMirror {
    /// The mesh and vertex at the mirrored position, by mesh and vertex.
    pub vertices: Vec<Vec<Option<(u32, u32)>>>,
    /// The mirror joint of each joint; can be the joint itself.
    pub joints: Vec<JointSlot>,
}

/// The method that produced the weights of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PieceMethod {
    /// Equilibrium of heat.
    Heat,
    /// Distance inside the body.
    Voxel,
    /// The weights of the nearest point of other pieces.
    Nearest,
    /// Distance in a straight line.
    Distance,
}

/// A joint that a whole piece could follow as a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidProposal {
    /// The joint with the most weight.
    pub joint: JointSlot,
    /// Its share of the weight over the area of the piece, `0.5..=1`.
    pub confidence: f32,
}

/// A connected piece of the surface, over all meshes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BindPiece {
    /// The method that produced its weights.
    pub method: PieceMethod,
    /// Number of vertices.
    pub vertices: usize,
    /// Fraction of its welded points that see no bone, `0..=1`; 0 if visibility was not computed.
    pub hidden: f32,
    /// The joint with at least half of the weight. This is only a proposal, which the weights do
    /// not use.
    pub rigid: Option<RigidProposal>,
}

/// The result of automatic binding.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundWeights {
    /// Weights by mesh. The weights of every vertex are normalized.
    pub maps: Vec<WeightMap>,
    /// The pieces, sorted by their first vertex.
    pub pieces: Vec<BindPiece>,
    /// The index of the piece, by mesh and vertex. `None` for a vertex outside of all triangles.
    pub piece_of: Vec<Vec<Option<u32>>>,
    /// Number of vertices outside of all triangles. They have the weights of the nearest point of
    /// the surface, or weights by distance.
    pub loose: usize,
}

impl BoundWeights {
    /// Assigns the whole weight of pieces to one joint each.
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
