//! Pose layers: offsets (`Ul`) applied to a whole clip, or to the pose. The offsets stay separate
//! and editable.

use std::{collections::BTreeMap, sync::Arc};

use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

use super::{
    AnyId, Clip, ClipId, IdKind, Interpolation, MixMask, NodeId, Property, References, Shared,
    Track, Transform,
    transform::{short_way, unit_or},
};

/// Weight per node, `0..=1`. Nodes beyond the end of the list have weight 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointMask(pub Shared<[f32]>);

impl JointMask {
    /// Weight of a node in the mask, `0..=1`.
    pub fn at(&self, node: NodeId) -> f32 {
        self.0.get(node.index()).copied().unwrap_or(0.0)
    }

    /// Creates a mask with weight 1 for the given nodes, and 0 for all others.
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

    /// Nodes with a weight above 0.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.0.iter().enumerate().filter(|(_, k)| **k > 0.0).map(|(node, _)| NodeId::from(node))
    }
}

/// Only nodes with a weight above 0 count as references.
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

/// Joint mask of a layer.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerMask {
    /// The mask as the user chose it.
    pub by: MixMask,
    /// Weight per node, computed from `by`.
    pub counts: JointMask,
}

/// Id of a pose layer while the document is open; unique over all lists of layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PoseLayerId(pub u32);

/// The owner of a list of layers: a clip, or the pose of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LayerHome {
    /// The static pose of the nodes, used without a clip.
    Pose,
    /// A clip.
    Clip(ClipId),
}

impl LayerHome {
    /// Owner of the layers of a clip; the pose if `clip` is `None`.
    pub fn of(clip: Option<ClipId>) -> Self {
        clip.map_or(Self::Pose, Self::Clip)
    }

    /// The clip; `None` for the pose.
    pub const fn clip(self) -> Option<ClipId> {
        match self {
            Self::Pose => None,
            Self::Clip(clip) => Some(clip),
        }
    }
}

/// A pose layer: pose offsets (`Ul`) for some nodes, applied to the pose below. The offsets are
/// constant or keyed.
///
/// Invariants: all numbers are finite. `strength`, and the values of `strength_keys`, are `0..=1`.
/// The tracks of `keys` are valid, each animates a translation, rotation or scale, and no two have
/// the same target.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseLayer {
    /// Id of the layer, unique in the document.
    pub id: PoseLayerId,
    /// The name that the user chose; unique in its list.
    pub name: Arc<str>,
    /// Strength, `0..=1`; used if `strength_keys` is `None`.
    pub strength: f32,
    /// Keys of the strength: a track of width 1, whose target has no meaning.
    pub strength_keys: Option<Shared<Track>>,
    /// Whether the layer is muted.
    pub muted: bool,
    /// Whether the layer is soloed. If any layer of a list is soloed, the others have no effect.
    pub solo: bool,
    /// Affected joints; all joints if `None`.
    pub mask: Option<LayerMask>,
    /// Constant pose offset `Ul` by node, used for components without keys.
    pub moves: Shared<BTreeMap<NodeId, Transform>>,
    /// Keys of pose offsets `Ul`, as a clip that has only tracks.
    pub keys: Shared<Clip>,
}

impl PoseLayer {
    /// Creates a layer with full strength and no mask.
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

    /// Whether the layer changes over time.
    pub fn is_keyed(&self) -> bool {
        self.strength_keys.is_some() || !self.keys.tracks.is_empty()
    }

    /// Whether the layer's effect on a node changes over time.
    pub fn is_keyed_at(&self, node: NodeId) -> bool {
        self.strength_keys.is_some() || self.keys.tracks.values().any(|t| t.target == node)
    }

    /// Whether the layer has an offset for a node, regardless of strength and mask.
    pub fn says(&self, node: NodeId) -> bool {
        self.moves.contains_key(&node) || self.keys.tracks.values().any(|t| t.target == node)
    }

    /// Nodes that the layer has offsets for, in ascending order without duplicates.
    pub fn nodes(&self) -> Vec<NodeId> {
        let keyed = self.keys.tracks.values().map(|t| t.target);
        let mut all: Vec<NodeId> = self.moves.keys().copied().chain(keyed).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Constant pose offset `Ul` of a node. Keys override it.
    pub fn constant(&self, node: NodeId) -> Transform {
        self.moves.get(&node).copied().unwrap_or_default()
    }

    /// Weight of the layer at a node: `strength` times the mask, or 0 if the layer is muted.
    /// `strength_keys` are ignored.
    pub fn strength_at(&self, node: NodeId) -> f32 {
        self.share(self.strength, node)
    }

    /// Weight of the layer at a node for the given strength: strength times the mask, or 0 if the
    /// layer is muted.
    pub fn share(&self, strength: f32, node: NodeId) -> f32 {
        if self.muted { 0.0 } else { strength * self.mask_at(node) }
    }

    /// The weight of the mask at a node, `0..=1`.
    pub fn mask_at(&self, node: NodeId) -> f32 {
        self.mask.as_ref().map_or(1.0, |m| m.counts.at(node))
    }

    /// Returns the layer with a new id and name.
    #[must_use]
    pub fn named(self, id: PoseLayerId, name: Arc<str>) -> Self {
        Self { id, name, ..self }
    }

    /// Whether the invariants of the layer hold.
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

/// Layers of a clip or of the pose, bottom to top.
///
/// They are applied one by one, `((M ∘ U₁) ∘ U₂) …`, because `∘` is not associative.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseLayers(pub Vec<Shared<PoseLayer>>);

impl PoseLayers {
    /// Whether the list has no layers.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All layers, bottom to top.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &PoseLayer> + ExactSizeIterator + Clone {
        self.0.iter().map(|l| &**l)
    }

    /// Index of a layer in the list; `None` if there is no such layer.
    pub fn position(&self, id: PoseLayerId) -> Option<usize> {
        self.iter().position(|l| l.id == id)
    }

    /// Finds a layer by its id.
    pub fn get(&self, id: PoseLayerId) -> Option<&Shared<PoseLayer>> {
        self.0.iter().find(|l| l.id == id)
    }

    /// Whether any layer is soloed.
    pub fn has_solo(&self) -> bool {
        self.iter().any(|l| l.solo)
    }

    /// Whether a layer takes effect: it is not muted, its strength is above 0 or keyed, and if any
    /// layer is soloed, it is one of them.
    pub fn counts(&self, layer: &PoseLayer) -> bool {
        !layer.muted
            && (layer.solo || !self.has_solo())
            && (layer.strength > 0.0 || layer.strength_keys.is_some())
    }

    /// The layers that take effect, bottom to top.
    pub fn counting(&self) -> impl DoubleEndedIterator<Item = &PoseLayer> + Clone {
        let solo = self.has_solo();
        let on = move |l: &&PoseLayer| {
            !l.muted && (l.solo || !solo) && (l.strength > 0.0 || l.strength_keys.is_some())
        };
        self.iter().filter(on)
    }

    /// Whether any layer that takes effect has offsets.
    pub fn any_counts(&self) -> bool {
        self.counting().any(|l| !l.moves.is_empty() || !l.keys.tracks.is_empty())
    }
}

impl FromIterator<PoseLayer> for PoseLayers {
    fn from_iter<I: IntoIterator<Item = PoseLayer>>(layers: I) -> Self {
        Self(layers.into_iter().map(Shared::new).collect())
    }
}

/// Scales a transform by `k`, from the identity at 0 to the full transform at 1: `k·t`, `slerp(1,
/// r, k)`, `1 + k(s − 1)`.
pub fn part_of(user: &Transform, k: f32) -> Transform {
    if k == 1.0 {
        return *user;
    }
    // SLERP from the identity scales the angle.
    let turn = short_way(user.rotation).to_scaled_axis();
    Transform {
        translation: user.translation * k,
        rotation: unit_or(Quat::from_scaled_axis(turn * k), Quat::IDENTITY),
        scale: Vec3::ONE + (user.scale - Vec3::ONE) * k,
    }
}
