//! Layers of user-local transforms: what was added to a whole clip, or to the pose, and stays an edit of its own.

use std::{collections::BTreeMap, sync::Arc};

use glam::{Quat, Vec3};

use super::{
    NodeId, Shared, Transform,
    transform::{short_way, unit_or},
};

/// How much of something counts at each joint, 0 to 1, by node. What is beyond its end counts nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointMask(pub Shared<[f32]>);

impl JointMask {
    /// How much counts at a node.
    pub fn at(&self, node: NodeId) -> f32 {
        self.0.get(node.index()).copied().unwrap_or(0.0)
    }
}

/// A layer: an `Ul` for some nodes, over whatever they do.
///
/// Layers are applied one by one, `((M ∘ U₁) ∘ U₂) …`, the first in the list nearest the clip, since `∘` is not associative.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseLayer {
    /// What a person calls it.
    pub name: Arc<str>,
    /// How much of it counts, 0 to 1.
    pub strength: f32,
    /// Whether it counts at all.
    pub muted: bool,
    /// Where it counts; everywhere if `None`.
    pub mask: Option<JointMask>,
    /// `U`, by node.
    pub moves: BTreeMap<NodeId, Transform>,
}

impl PoseLayer {
    /// A layer that counts in full, everywhere.
    pub fn new(name: &str, moves: BTreeMap<NodeId, Transform>) -> Self {
        Self { name: name.into(), strength: 1.0, muted: false, mask: None, moves }
    }

    /// What it adds, by node: `k·t`, `slerp(1, r, k)`, `1 + k(s − 1)`, where `k` is its strength times its mask. Nodes at
    /// which that is nothing are left out.
    pub fn added(&self) -> impl Iterator<Item = (NodeId, Transform)> + '_ {
        self.moves.keys().filter_map(|node| Some((*node, self.added_at(*node)?)))
    }

    /// What it adds to one node; nothing where it does not count or says nothing of it.
    pub fn added_at(&self, node: NodeId) -> Option<Transform> {
        let user = self.moves.get(&node)?;
        match self.strength_at(node) {
            0.0 => None,
            1.0 => Some(*user),
            k => Some(part_of(user, k)),
        }
    }

    /// How much of it counts at a node: its strength times its mask, 0 where it is muted.
    pub fn strength_at(&self, node: NodeId) -> f32 {
        if self.muted { 0.0 } else { self.strength * self.mask.as_ref().map_or(1.0, |m| m.at(node)) }
    }
}

/// A share of a transform, from none at 0 to all at 1.
fn part_of(user: &Transform, k: f32) -> Transform {
    // From the identity, a share of a rotation is that share of its angle.
    let turn = short_way(user.rotation).to_scaled_axis();
    Transform {
        translation: user.translation * k,
        rotation: unit_or(Quat::from_scaled_axis(turn * k), Quat::IDENTITY),
        scale: Vec3::ONE + (user.scale - Vec3::ONE) * k,
    }
}
