//! Layers of user-local transforms: what was added to a whole clip, or to the pose, and stays an
//! edit of its own.

use std::{collections::BTreeMap, sync::Arc};

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

use super::{
    AnyId, Clip, ClipId, IdKind, Interpolation, MixMask, NodeId, Property, References, Shared,
    Track, Transform,
    transform::{short_way, unit_or},
};

/// How much of something counts at each joint, 0 to 1, by node. What is beyond its end counts
/// nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointMask(pub Shared<[f32]>);

impl JointMask {
    /// How much counts at a node.
    pub fn at(&self, node: NodeId) -> f32 {
        self.0.get(node.index()).copied().unwrap_or(0.0)
    }

    /// Of some nodes all, of the others nothing.
    pub fn of(nodes: impl IntoIterator<Item = NodeId>) -> Self {
        let mut mask = Vec::new();
        for node in nodes {
            if mask.len() <= node.index() {
                mask.resize(node.index() + 1, 0.0);
            }
            mask[node.index()] = 1.0;
        }
        Self(mask.into())
    }

    /// The nodes at which something counts.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.0.iter().enumerate().filter(|(_, k)| **k > 0.0).map(|(node, _)| NodeId::from(node))
    }
}

/// Nodes where nothing counts are not referenced.
impl References for JointMask {
    fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
        self.nodes().for_each(|node| visit(node.into()));
    }

    fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
        let mut list: Vec<(NodeId, f32)> = self.nodes().map(|n| (n, self.at(n))).collect();
        let mut is_same = true;
        for (node, _) in &mut list {
            let before = *node;
            node.for_each_id_mut(visit);
            is_same &= *node == before;
        }
        if is_same {
            return;
        }
        let count = list.iter().map(|(node, _)| node.index() + 1).max().unwrap_or(0);
        let mut shares = vec![0.0; count];
        for (node, share) in list {
            shares[node.index()] = share;
        }
        self.0 = shares.into();
    }
}

/// Where a layer counts.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerMask {
    /// What a person chose.
    pub by: MixMask,
    /// What that comes to.
    pub counts: JointMask,
}

/// Names a layer for as long as the document is open; no two lists share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PoseLayerId(pub u32);

/// Of what a layer is: a clip, or the pose of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LayerHome {
    /// The pose that nodes have without a clip.
    Pose,
    /// A clip.
    Clip(ClipId),
}

impl LayerHome {
    /// Of a clip, or of the pose where there is none.
    pub fn of(clip: Option<ClipId>) -> Self {
        clip.map_or(Self::Pose, Self::Clip)
    }

    /// The clip.
    pub const fn clip(self) -> Option<ClipId> {
        match self {
            Self::Pose => None,
            Self::Clip(clip) => Some(clip),
        }
    }
}

/// A layer: an `Ul` for some nodes, over whatever they do. It is one transform for all times, or
/// has keys.
///
/// Invariants: `strength` is 0 to 1, and so are the values of `strength_keys`, whose width is 1;
/// the tracks of `keys` are sound, move translation, rotation or scale, and each component of a
/// node at most once; every number is finite.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseLayer {
    /// Its name while the document is open.
    pub id: PoseLayerId,
    /// What a person calls it; each name once in a list.
    pub name: Arc<str>,
    /// How much of it counts, 0 to 1, where that has no keys.
    pub strength: f32,
    /// How much of it counts, over time: a track of width 1, whose target says nothing.
    pub strength_keys: Option<Shared<Track>>,
    /// Whether it does not count at all.
    pub muted: bool,
    /// Whether it counts, and those of its list that are not so, do not.
    pub solo: bool,
    /// Where it counts; everywhere if `None`.
    pub mask: Option<LayerMask>,
    /// `U`, by node: what has no keys.
    pub moves: Shared<BTreeMap<NodeId, Transform>>,
    /// Keys of `U`: tracks as a clip has them, and nothing else of one.
    pub keys: Shared<Clip>,
}

impl PoseLayer {
    /// A layer that counts in full, everywhere.
    pub fn new(name: &str, moves: BTreeMap<NodeId, Transform>) -> Self {
        Self {
            id: PoseLayerId(0),
            name: name.into(),
            strength: 1.0,
            strength_keys: None,
            muted: false,
            solo: false,
            mask: None,
            moves: Shared::new(moves),
            keys: Shared::default(),
        }
    }

    /// Whether it is another one at another time.
    pub fn is_keyed(&self) -> bool {
        self.strength_keys.is_some() || !self.keys.tracks.is_empty()
    }

    /// Whether what it adds to a node is another at another time.
    pub fn is_keyed_at(&self, node: NodeId) -> bool {
        self.strength_keys.is_some() || self.keys.tracks.values().any(|t| t.target == node)
    }

    /// Whether it says something of a node, were it to count there.
    pub fn says(&self, node: NodeId) -> bool {
        self.moves.contains_key(&node) || self.keys.tracks.values().any(|t| t.target == node)
    }

    /// The nodes of which it says something, each once, in rising order.
    pub fn nodes(&self) -> Vec<NodeId> {
        let keyed = self.keys.tracks.values().map(|t| t.target);
        let mut all: Vec<NodeId> = self.moves.keys().copied().chain(keyed).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// `U` of a node where it has no keys; keys win over it.
    pub fn constant(&self, node: NodeId) -> Transform {
        self.moves.get(&node).copied().unwrap_or_default()
    }

    /// How much of it counts at a node at its own strength, with its mask, 0 where it is muted;
    /// nothing is looked up in `strength_keys`.
    pub fn strength_at(&self, node: NodeId) -> f32 {
        self.share(self.strength, node)
    }

    /// How much counts at a node where the strength is this one.
    pub fn share(&self, strength: f32, node: NodeId) -> f32 {
        if self.muted { 0.0 } else { strength * self.mask_at(node) }
    }

    /// How much its mask lets through at a node.
    pub fn mask_at(&self, node: NodeId) -> f32 {
        self.mask.as_ref().map_or(1.0, |m| m.counts.at(node))
    }

    /// The same with its name and number taken from another.
    #[must_use]
    pub fn named(self, id: PoseLayerId, name: Arc<str>) -> Self {
        Self { id, name, ..self }
    }

    /// Whether its numbers are sound.
    pub fn is_sound(&self) -> bool {
        let strength = |s: f32| (0.0..=1.0).contains(&s);
        let keyed = |t: &Track| {
            t.width == 1
                && t.validate().is_ok()
                && t.interpolation != Interpolation::CubicSpline
                && t.values.iter().all(|v| strength(*v))
        };
        let tracks = self.keys.tracks.values();
        let mut moved: Vec<(NodeId, Property)> =
            tracks.clone().map(|t| (t.target, t.property)).collect();
        moved.sort_unstable();
        let once = moved.windows(2).all(|pair| pair[0] != pair[1]);
        strength(self.strength)
            && self.strength_keys.as_ref().is_none_or(|t| keyed(t))
            && self.mask.as_ref().is_none_or(|m| m.counts.0.iter().all(|k| strength(*k)))
            && self.moves.values().all(Transform::is_finite)
            && once
            && tracks.clone().all(|t| {
                t.property != Property::Weights
                    && t.validate().is_ok()
                    && t.values.iter().all(|v| v.is_finite())
            })
    }
}

/// The layers of a clip, or of the pose, the first nearest to it.
///
/// They are applied one by one, `((M ∘ U₁) ∘ U₂) …`, since `∘` is not associative.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseLayers(pub Vec<Shared<PoseLayer>>);

impl PoseLayers {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &PoseLayer> + ExactSizeIterator + Clone {
        self.0.iter().map(|l| &**l)
    }

    /// Where the layer of a number is in the list.
    pub fn position(&self, id: PoseLayerId) -> Option<usize> {
        self.iter().position(|l| l.id == id)
    }

    /// The layer of a number.
    pub fn get(&self, id: PoseLayerId) -> Option<&Shared<PoseLayer>> {
        self.0.iter().find(|l| l.id == id)
    }

    /// Whether one of them is alone.
    pub fn has_solo(&self) -> bool {
        self.iter().any(|l| l.solo)
    }

    /// Whether one of them counts: it is on, and no other is alone.
    pub fn counts(&self, layer: &PoseLayer) -> bool {
        !layer.muted
            && (layer.solo || !self.has_solo())
            && (layer.strength > 0.0 || layer.strength_keys.is_some())
    }

    /// Those that count.
    pub fn counting(&self) -> impl DoubleEndedIterator<Item = &PoseLayer> + Clone {
        let solo = self.has_solo();
        let on = move |l: &&PoseLayer| {
            !l.muted && (l.solo || !solo) && (l.strength > 0.0 || l.strength_keys.is_some())
        };
        self.iter().filter(on)
    }

    /// Those that count, and say something.
    pub fn any_counts(&self) -> bool {
        self.counting().any(|l| !l.moves.is_empty() || !l.keys.tracks.is_empty())
    }
}

impl FromIterator<PoseLayer> for PoseLayers {
    fn from_iter<I: IntoIterator<Item = PoseLayer>>(layers: I) -> Self {
        Self(layers.into_iter().map(Shared::new).collect())
    }
}

/// A share of a transform, from none at 0 to all at 1: `k·t`, `slerp(1, r, k)`, `1 + k(s − 1)`.
pub fn part_of(user: &Transform, k: f32) -> Transform {
    if k == 1.0 {
        return *user;
    }
    // From the identity, a share of a rotation is that share of its angle.
    let turn = short_way(user.rotation).to_scaled_axis();
    Transform {
        translation: user.translation * k,
        rotation: unit_or(Quat::from_scaled_axis(turn * k), Quat::IDENTITY),
        scale: Vec3::ONE + (user.scale - Vec3::ONE) * k,
    }
}
