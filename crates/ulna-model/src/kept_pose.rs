//! Named poses and numbered selection sets, as stored in a scene's extras. A stored pose includes
//! the rest transform of each joint, so that it can be applied to a skeleton with another rest
//! pose.

use glam::Quat;
use serde::{Deserialize, Serialize};

use super::{NodeId, Transform};

/// The transform of one node in a stored pose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptJoint {
    /// The node's name.
    pub name: String,
    /// Index of the nearest ancestor that is in the pose's list. It is smaller than the joint's own
    /// index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// Path of the node: names from the root, joined by `/`.
    pub path: String,
    /// Local transform in the stored pose.
    pub local: Transform,
    /// Local transform in the rest pose.
    pub rest: Transform,
    /// World rotation in the rest pose.
    pub frame: Quat,
    /// World-space meters per unit of the parent's space, in the rest pose.
    pub unit: f32,
}

/// Stored morph weights of one node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptMorphs {
    /// The node's name.
    pub name: String,
    /// Weights by the names of morph targets.
    pub weights: Vec<(String, f32)>,
}

/// A named pose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptPose {
    /// The name that the user chose.
    pub name: String,
    /// Height of the skeleton in the rest pose, in meters.
    pub height: f32,
    /// Transforms of the nodes; ancestors come before descendants.
    pub joints: Vec<KeptJoint>,
    /// Morph weights by node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub morphs: Vec<KeptMorphs>,
}

impl KeptPose {
    /// Whether the pose is valid: the name is not blank, all numbers are finite, no rotation is
    /// zero, and ancestors come before descendants.
    pub fn is_valid(&self) -> bool {
        let joint = |(k, j): (usize, &KeptJoint)| {
            let turns = [j.frame, j.local.rotation, j.rest.rotation]
                .iter()
                .all(|q| q.length_squared() > 1e-6);
            j.local.is_finite()
                && j.rest.is_finite()
                && j.frame.is_finite()
                && j.unit.is_finite()
                && turns
                && j.parent.is_none_or(|p| p < k)
        };
        let morphs = self.morphs.iter().flat_map(|m| &m.weights);
        self.height.is_finite()
            && !self.name.trim().is_empty()
            && self.joints.iter().enumerate().all(joint)
            && morphs.into_iter().all(|(_, w)| w.is_finite())
    }
}

/// A numbered selection set of nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeSet {
    /// The number, `0..=9`.
    pub digit: u8,
    /// The nodes of the set.
    pub nodes: Vec<NodeId>,
}
