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
    /// The clip, if it is one.
    pub const fn clip(self) -> Option<ClipId> {
        match self {
            Self::Clip(clip) => Some(clip),
            Self::Pose | Self::Mix => None,
        }
    }

    /// Its name in a document.
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
    /// The motion.
    pub motion: ComparedMotion,
    /// Seconds on the clock of the clip or the mix.
    pub time: f64,
    /// Distance between the two places, millimeters.
    pub mm: f64,
    /// Node of the mesh, or the joint where no mesh is shown, in the document before the change.
    pub node: NodeId,
    /// The mesh and its vertex; `None` for a joint.
    pub vertex: Option<(MeshId, SeenVertex)>,
    /// Place in the scene before the change, meters.
    pub before: Vec3,
    /// Place in the scene after the change, meters.
    pub after: Vec3,
}

/// The joint with the largest difference, and its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorstJoint {
    /// The motion.
    pub motion: ComparedMotion,
    /// Seconds on the clock of the clip or the mix.
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
    /// 99th percentile of the distances, millimeters, within 0.2 %.
    pub p99_mm: f64,
    /// Largest distance, millimeters; may lie between the times that the mean is taken over.
    pub worst_mm: f64,
    /// Vertex and time of the largest distance in each of the worst motions, the worst first.
    /// Motions without any distance are not among them.
    pub worst: [Option<WorstPoint>; 3],
    /// Number of motions that are not among [`Self::worst`].
    pub other_motions: usize,
    /// Largest distance in those, millimeters.
    pub other_mm: f64,
    /// Largest angle between the axes of a joint, `W'` and `W·C`, degrees.
    pub worst_degrees: f64,
    /// Joint and time of that; `None` where it is 0.
    pub worst_joint: Option<WorstJoint>,
    /// Largest distance between the origins of a joint, `W'` and `W·C`, millimeters.
    pub worst_joint_mm: f64,
    /// Joint and time of that; `None` where it is 0.
    pub farthest_joint: Option<WorstJoint>,
    /// Number of points: vertices, or joints where no mesh is shown.
    pub points: usize,
    /// Number of times, all motions together, without those around the worst.
    pub times: usize,
    /// Number of samples that were left out because they are not finite.
    pub not_finite: u64,
    /// Number of shown primitives that were left out because they have no counterpart with the
    /// same number of vertices.
    pub unmatched: usize,
    /// Diagonal of the model at rest, meters.
    pub size: f64,
    /// Height of the model at rest, meters.
    pub height: f64,
}

impl Deviation {
    /// Vertex and time of the largest distance; `None` where it is 0.
    pub const fn at(&self) -> Option<WorstPoint> {
        self.worst[0]
    }
}
