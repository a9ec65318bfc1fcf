//! The table by which clips of one skeleton are retargeted to another: chains of both bodies,
//! sizes, feet, reference poses. It is kept in the scene, and as JSON.

use std::collections::BTreeMap;

use glam::Quat;
use serde::{Deserialize, Serialize};

/// How the rotations of a chain come over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChainRotation {
    /// Joint by joint, in order. Chains of different lengths are spread.
    #[default]
    Copy,
    /// By the position of each joint along its chain.
    Spread,
    /// The target's joints stay at rest.
    Rest,
    /// The target's joints get no keys.
    None,
}

impl ChainRotation {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Copy, Self::Spread, Self::Rest, Self::None];

    /// Its name.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Copy => "Copy",
            Self::Spread => "Spread",
            Self::Rest => "Rest",
            Self::None => "None",
        }
    }
}

/// How the translations of a chain come over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChainPosition {
    /// Bones keep their lengths.
    #[default]
    Fixed,
    /// Differences from rest, times the ratio of the bodies.
    Scale,
}

impl ChainPosition {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Fixed, Self::Scale];

    /// Its name.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Fixed => "Fixed",
            Self::Scale => "Scale",
        }
    }
}

/// Joints of both bodies that do the same.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RetargetChain {
    /// Name of the chain, such as “Left leg”; no two chains of a map have the same.
    pub name: String,
    /// Joints of the source by name, from the one nearest the root on; may be empty.
    pub source: Vec<String>,
    /// Joints of the target by name, from the one nearest the root on; may be empty.
    pub target: Vec<String>,
    /// How rotations come over.
    pub rotation: ChainRotation,
    /// How translations come over.
    pub position: ChainPosition,
    /// Whether the chain is a leg whose contacts are kept.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub contacts: bool,
}

/// Where the travel of a body goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RootMotion {
    /// It stays where the source has it: in the hips, as a rule.
    #[default]
    Hips,
    /// To the joint above the hips.
    Root,
    /// Nowhere: the body stays on the spot.
    InPlace,
}

impl RootMotion {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Hips, Self::Root, Self::InPlace];

    /// Its name.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Hips => "In hips",
            Self::Root => "On root",
            Self::InPlace => "In place",
        }
    }
}

/// How feet are kept on the ground.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContactSettings {
    /// Whether feet stay in place in contacts.
    pub lock: bool,
    /// Seconds over which a contact takes hold and lets go, `0.0..=1.0`.
    pub blend: f32,
    /// Share of the toes that stays flat on the ground while the heel lifts, `0.0..=1.0`.
    pub toe_roll: f32,
    /// Whether the hips are lowered where a leg is too short for its contact.
    pub lower_hips: bool,
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self { lock: true, blend: 0.1, toe_roll: 1.0, lower_hips: true }
    }
}

/// How clips of one skeleton, the source, are retargeted to another, the target.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RetargetMap {
    /// Name of the map; the name of the source by default.
    pub name: String,
    /// The chains. Joints in no chain get no keys.
    pub chains: Vec<RetargetChain>,
    /// Factor of vertical movement of the hips; by the heights of both hips if omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<f32>,
    /// Factor of the path over the ground; the same as for the height if omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stride: Option<f32>,
    /// Where the travel goes.
    pub root: RootMotion,
    /// Feet.
    pub contacts: ContactSettings,
    /// Reference pose of the source: local rotations of joints that differ from its rest, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub source_pose: BTreeMap<String, Quat>,
    /// Reference pose of the target, likewise.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub target_pose: BTreeMap<String, Quat>,
}

impl RetargetMap {
    /// Whether its numbers are in range, and no name of a chain occurs twice.
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

    /// Whether maps are valid and no two have the same name, and none is without one.
    pub fn are_valid(maps: &[Self]) -> bool {
        let mut names: Vec<&str> = maps.iter().map(|m| &*m.name).collect();
        names.sort_unstable();
        names.windows(2).all(|w| w[0] != w[1])
            && maps.iter().all(|m| m.is_valid() && !m.name.trim().is_empty())
    }

    /// Whether all joints that its chains name are among those of a source and of a target.
    pub fn fits(
        &self,
        has_source: impl Fn(&str) -> bool,
        has_target: impl Fn(&str) -> bool,
    ) -> bool {
        let all = |of: fn(&RetargetChain) -> &[String], has: &dyn Fn(&str) -> bool| {
            self.chains.iter().flat_map(of).all(|name| has(name))
        };
        !self.chains.is_empty()
            && all(|c| &c.source, &has_source)
            && all(|c| &c.target, &has_target)
    }
}
