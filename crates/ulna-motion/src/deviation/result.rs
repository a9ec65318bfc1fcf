//! Results of a comparison.

use glam::Vec3;

use crate::SeenVertex;
use ulna_model::{ClipId, Document, MeshId, NodeId};

/// A motion of a document that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparedMotion {
    /// The file's pose.
    Pose,
    /// A clip with its layers and unkeyed poses.
    Clip(ClipId),
    /// The mix of clips.
    Mix,
}

impl ComparedMotion {
    /// Id of the clip; `None` for the file's pose and the mix.
    pub const fn clip(self) -> Option<ClipId> {
        match self {
            Self::Clip(clip) => Some(clip),
            Self::Pose | Self::Mix => None,
        }
    }

    /// Display name of the motion in a document.
    pub fn label(self, document: &Document) -> String {
        match self {
            Self::Pose => "the file's pose".to_owned(),
            Self::Clip(clip) => document.clip_label(clip),
            Self::Mix => "the mix".to_owned(),
        }
    }
}

/// The point with the largest distance in a motion, and its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorstPoint {
    /// Motion in which the distance occurs.
    pub motion: ComparedMotion,
    /// Time in the clip or the mix, seconds.
    pub time: f64,
    /// Distance between the positions before and after the change, millimeters.
    pub mm: f64,
    /// Node of the mesh, or the joint if no mesh is shown, in the document before the change.
    pub node: NodeId,
    /// The mesh and its vertex; `None` for a joint.
    pub vertex: Option<(MeshId, SeenVertex)>,
    /// Scene position before the change, meters.
    pub before: Vec3,
    /// Scene position after the change, meters.
    pub after: Vec3,
}

/// The joint with the largest difference, and its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorstJoint {
    /// Motion in which the difference occurs.
    pub motion: ComparedMotion,
    /// Time in the clip or the mix, seconds.
    pub time: f64,
    /// The node in the document before the change.
    pub node: NodeId,
}

/// Differences between two documents over the file's pose, all clips and the mix.
///
/// Distances are in millimeters of the scene, where 1 unit is 1 m. Mean and percentile are over all
/// points and times. Distances below 2e-6 of the size and angles below 0.0003° are float noise and
/// count as 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Deviation {
    /// Mean distance, millimeters.
    pub mean_mm: f64,
    /// 99th percentile of the distances, millimeters. It is at most 0.2 % too large.
    pub p99_mm: f64,
    /// Largest distance, millimeters. Its time may be between the sampled times.
    pub worst_mm: f64,
    /// Vertex and time of the largest distance, for each of the three worst motions, worst first.
    /// Motions without a difference are left out.
    pub worst: [Option<WorstPoint>; 3],
    /// Number of motions outside of [`Self::worst`].
    pub other_motions: usize,
    /// Largest distance in the motions outside of [`Self::worst`], millimeters.
    pub other_mm: f64,
    /// Largest angle between the axes of a joint before and after the change (`W·C` and `W'`),
    /// degrees.
    pub worst_degrees: f64,
    /// Joint and time of the largest angle; `None` if it is 0.
    pub worst_joint: Option<WorstJoint>,
    /// Largest distance between the origins of a joint before and after the change (`W·C` and
    /// `W'`), millimeters.
    pub worst_joint_mm: f64,
    /// Joint and time of the largest distance of a joint; `None` if it is 0.
    pub farthest_joint: Option<WorstJoint>,
    /// Number of points: vertices, or joints if no mesh is shown.
    pub points: usize,
    /// Number of sampled times over all motions. The refinement around the worst ones is not
    /// counted.
    pub times: usize,
    /// Number of samples that were left out because they are not finite.
    pub not_finite: u64,
    /// Number of shown primitives that were left out because they have no counterpart with the
    /// same number of vertices.
    pub unmatched: usize,
    /// Diagonal of the model in the rest pose, meters.
    pub size: f64,
    /// Height of the model in the rest pose, meters.
    pub height: f64,
}

impl Deviation {
    /// Vertex and time of the largest distance; `None` if it is 0.
    pub const fn at(&self) -> Option<WorstPoint> {
        self.worst[0]
    }
}
