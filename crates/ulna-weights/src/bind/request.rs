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
    /// Corners of the triangles, three per triangle. Triangles with a corner that is no vertex are
    /// ignored, as is the winding.
    pub triangles: &'a [u32],
}

/// The first method to try.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BindMethod {
    /// The method that was measured to be nearest to painted weights: today, heat.
    #[default]
    Auto,
    /// Heat for every piece that sees a bone.
    Heat,
    /// Distance inside the body.
    Voxel,
    /// Distance in a straight line.
    Distance,
}

/// Parameters of a bind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BindSettings {
    /// The first method to try; each piece falls back to the next one where it fails.
    pub method: BindMethod,
    /// How fast the weight of a bone falls off beside it, `0.5..=8`.
    pub sharpness: f32,
    /// Number of voxels along the longest side, `64..=256`.
    pub grid: usize,
    /// The most influences per vertex, `1..=16`.
    pub limit: usize,
    /// With [`BindMethod::Distance`], radius of the envelope around each bone in lengths of the
    /// bone, at which its weight is 0. No envelopes if `None`.
    pub envelope: Option<f32>,
    /// Weights below this are dropped, `0..=0.5`.
    pub prune: f32,
    /// The most points of a simplified surface on which weights are found, for a result that is
    /// less exact and there sooner. The whole surface if `None`.
    pub most_points: Option<usize>,
    /// The most memory for the factor of the heat system, bytes. A larger surface falls back to
    /// voxels.
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
    /// The bones of the joints that may get weight. A joint may have any number of bones.
    pub bones: &'a [BindBone],
    /// Parameters.
    pub settings: BindSettings,
    /// The mirror image, if the weights are to be symmetric.
    pub mirror: Option<&'a BindMirror>,
}

/// The mirror image of meshes and joints. Weights of mirrored vertices are averaged before the
/// number of influences is limited.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BindMirror {
    /// By mesh and vertex, the mesh and vertex at the mirrored position.
    pub vertices: Vec<Vec<Option<(u32, u32)>>>,
    /// By joint, its mirror joint, or itself.
    pub joints: Vec<JointSlot>,
}

/// The method from which a piece got its weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PieceMethod {
    /// Equilibrium of heat.
    Heat,
    /// Distance inside the body.
    Voxel,
    /// The weights of the nearest point of the other pieces.
    Nearest,
    /// Distance in a straight line.
    Distance,
}

/// A joint that a whole piece could follow as a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidProposal {
    /// The joint with the most weight.
    pub joint: JointSlot,
    /// Its part of the weight over the area of the piece, `0.5..=1`.
    pub confidence: f32,
}

/// A connected piece of the surface, over all meshes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BindPiece {
    /// The method from which it got its weights.
    pub method: PieceMethod,
    /// Number of vertices.
    pub vertices: usize,
    /// Part of its welded points that see no bone, `0..=1`; 0 if no method asked.
    pub hidden: f32,
    /// The joint that has at least half of the weight. Only a proposal: the weights do not follow
    /// it.
    pub rigid: Option<RigidProposal>,
}

/// Automatic weights.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundWeights {
    /// Weights by mesh. Every vertex has weights that sum to 1.
    pub maps: Vec<WeightMap>,
    /// The pieces, by their first vertex.
    pub pieces: Vec<BindPiece>,
    /// By mesh and vertex, the index of the piece. `None` for a vertex in no triangle.
    pub piece_of: Vec<Vec<Option<u32>>>,
    /// Number of vertices in no triangle. They got the weights of the nearest point of the
    /// surface, or weights by distance.
    pub loose: usize,
}

impl BoundWeights {
    /// Gives all weight of pieces to one joint each.
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

/// Reason for which there are no weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BindError {
    /// The request has no bones.
    #[error("no joints were chosen; choose the joints to bind to")]
    NoBones,
    /// The cancel flag was set.
    #[error("binding was canceled")]
    Canceled,
}
