//! Retarget maps: chains, proportions, foot contacts and reference poses for retargeting clips
//! between two skeletons. They are stored in the scene, or as JSON.

use std::collections::BTreeMap;

use glam::Quat;
use serde::{Deserialize, Serialize};

/// Method of transferring the rotations of a chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChainRotation {
    /// Joint by joint, in order. Chains of different lengths are transferred like `Spread`.
    #[default]
    Copy,
    /// By the relative position of each joint along its chain.
    Spread,
    /// The target's joints stay in their rest pose.
    Rest,
    /// The target's joints get no keys.
    None,
}

impl ChainRotation {
    /// All values.
    pub const ALL: [Self; 4] = [Self::Copy, Self::Spread, Self::Rest, Self::None];

    /// The label in the window.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Copy => "Copy",
            Self::Spread => "Spread",
            Self::Rest => "Rest",
            Self::None => "None",
        }
    }
}

/// Method of transferring the translations of a chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChainPosition {
    /// Bones keep their lengths.
    #[default]
    Fixed,
    /// Offsets from the rest are scaled by the size ratio of the bodies.
    Scale,
}

impl ChainPosition {
    /// All values.
    pub const ALL: [Self; 2] = [Self::Fixed, Self::Scale];

    /// The label in the window.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Fixed => "Fixed",
            Self::Scale => "Scale",
        }
    }
}

/// A pair of corresponding joint chains of both skeletons.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RetargetChain {
    /// Name of the chain, such as “Left leg”; unique in its map.
    pub name: String,
    /// Source joints by name, from the root outward; may be empty.
    pub source: Vec<String>,
    /// Target joints by name, from the root outward; may be empty.
    pub target: Vec<String>,
    /// Method of transferring rotations.
    pub rotation: ChainRotation,
    /// Method of transferring translations.
    pub position: ChainPosition,
    /// Whether the chain is a leg whose foot contacts are preserved.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub contacts: bool,
}

/// Node that receives the body's travel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RootMotion {
    /// The same node as in the source, usually the hips.
    #[default]
    Hips,
    /// The joint above the hips.
    Root,
    /// No node: the travel is removed.
    InPlace,
}

impl RootMotion {
    /// All values.
    pub const ALL: [Self; 3] = [Self::Hips, Self::Root, Self::InPlace];

    /// The label in the window.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Hips => "In hips",
            Self::Root => "On root",
            Self::InPlace => "In place",
        }
    }
}

/// Settings for foot contacts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContactSettings {
    /// Whether feet are locked to the ground during contacts.
    pub lock: bool,
    /// Length of the blend into and out of a contact, in seconds, `0.0..=1.0`.
    pub blend: f32,
    /// Amount by which the toes stay flat on the ground while the heel lifts, `0.0..=1.0`.
    pub toe_roll: f32,
    /// Whether the hips are lowered if a leg is too short to reach its contact.
    pub lower_hips: bool,
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self { lock: true, blend: 0.1, toe_roll: 1.0, lower_hips: true }
    }
}

/// Settings for retargeting clips of a source skeleton to a target skeleton.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RetargetMap {
    /// Name of the map; the name of the source by default.
    pub name: String,
    /// The chains. Joints outside of all chains get no keys.
    pub chains: Vec<RetargetChain>,
    /// Factor of the vertical motion of the hips; the ratio of the hip heights if omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<f32>,
    /// Factor of the motion over the ground; the height factor if omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stride: Option<f32>,
    /// Node that receives the body's travel.
    pub root: RootMotion,
    /// Settings for foot contacts.
    pub contacts: ContactSettings,
    /// Reference pose of the source, as local rotations by joint name. Joints without an entry have
    /// their rest rotation.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub source_pose: BTreeMap<String, Quat>,
    /// Reference pose of the target, as local rotations by joint name. Joints without an entry have
    /// their rest rotation.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub target_pose: BTreeMap<String, Quat>,
}

impl RetargetMap {
    /// Whether all numbers are in range, and chain names are unique.
    pub fn is_valid(&self) -> bool {
        let factor = |f: Option<f32>| f.is_none_or(|f| f.is_finite() && f > 0.0);
        let turns = |pose: &BTreeMap<String, Quat>| {
            pose.values().all(|q| q.is_finite() && q.length_squared() > 1e-6)
        };
        let mut names: Vec<&str> = self.chains.iter().map(|c| &*c.name).collect();
        names.sort_unstable();
        names.windows(2).all(|w| w[0] != w[1])
            && factor(self.height)
            && factor(self.stride)
            && turns(&self.source_pose)
            && turns(&self.target_pose)
            && (0.0..=1.0).contains(&self.contacts.blend)
            && (0.0..=1.0).contains(&self.contacts.toe_roll)
    }

    /// Whether all maps are valid, and their names are unique and not blank.
    pub fn are_valid(maps: &[Self]) -> bool {
        let mut names: Vec<&str> = maps.iter().map(|m| &*m.name).collect();
        names.sort_unstable();
        names.windows(2).all(|w| w[0] != w[1])
            && maps.iter().all(|m| m.is_valid() && !m.name.trim().is_empty())
    }

    /// Whether all joints of the chains exist in the source and in the target, and at least one
    /// chain has joints of both.
    pub fn fits(
        &self,
        has_source: impl Fn(&str) -> bool,
        has_target: impl Fn(&str) -> bool,
    ) -> bool {
        let all = |of: fn(&RetargetChain) -> &[String], has: &dyn Fn(&str) -> bool| {
            self.chains.iter().flat_map(of).all(|name| has(name))
        };
        self.chains.iter().any(|c| !c.source.is_empty() && !c.target.is_empty())
            && all(|c| &c.source, &has_source)
            && all(|c| &c.target, &has_target)
    }
}
