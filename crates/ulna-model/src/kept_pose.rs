//! Poses that are kept under a name, and sets of nodes under digits: what a scene's extras hold of
//! them. A kept pose says how each joint rested where it was made, so that it can be put on a
//! skeleton of another rest.

use glam::Quat;
use serde::{Deserialize, Serialize};

use super::{NodeId, Transform};

/// How one node of a kept pose stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptJoint {
    /// The node's name.
    pub name: String,
    /// The nearest node above it that is kept, too, as an index of an earlier one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// Its names from the root, with `/` between them.
    pub path: String,
    /// Its local transform.
    pub local: Transform,
    /// Its rest.
    pub rest: Transform,
    /// Its rest rotation in the scene.
    pub frame: Quat,
    /// Meters of the scene in a unit of its parent, at rest.
    pub unit: f32,
}

/// The morph weights of one node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptMorphs {
    /// The node's name.
    pub name: String,
    /// Targets by name, and their weights.
    pub weights: Vec<(String, f32)>,
}

/// A pose under a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptPose {
    /// What a person calls it.
    pub name: String,
    /// How high the skeleton is at rest, meters.
    pub height: f32,
    /// Nodes, those above first.
    pub joints: Vec<KeptJoint>,
    /// Morph weights.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub morphs: Vec<KeptMorphs>,
}

impl KeptPose {
    /// Whether its numbers are finite, its rotations are some, and those above come first.
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

/// Nodes that are selected together by a digit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeSet {
    /// 0 to 9.
    pub digit: u8,
    /// Which.
    pub nodes: Vec<NodeId>,
}
