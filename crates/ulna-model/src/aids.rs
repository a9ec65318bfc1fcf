//! The editor state of a document: everything besides the file content that is undone and redone.
//! It is saved only as far as the file format can store it.

use std::collections::BTreeMap;

use super::{
    AnyId, ClipId, Components, IdKind, LayerHome, Mix, NodeId, PoseLayer, PoseLayerId, PoseLayers,
    References, Shared, SkinId, WeightLayers,
};

/// Editor state of a document, in addition to its file content.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EditorState {
    /// Unkeyed poses: changes that the user made to the pose of a clip at a time, and that are not
    /// stored in keys yet.
    pub unkeyed: BTreeMap<UnkeyedAt, Shared<Unkeyed>>,
    /// Layers of pose offsets (`Ul`) over clips and over the pose. No list is empty.
    ///
    /// Saving bakes them into keys and nodes. If [`Self::keeps_layers`] is set, the file stores the
    /// layers, too.
    pub pose_layers: BTreeMap<LayerHome, Shared<PoseLayers>>,
    /// Whether saving also stores the layers themselves, so that they can be edited again after
    /// opening.
    pub keeps_layers: bool,
    /// Weight layers by skin. The primitives already contain the combined weights, which are saved.
    /// The layers themselves are saved only on request.
    pub weight_layers: BTreeMap<SkinId, Shared<WeightLayers>>,
    /// Mirror partners set by the user; later pairs override earlier ones. A joint paired with
    /// itself is on the center plane. A joint paired with `None` has no mirror partner.
    pub mirror_pairs: Shared<[(NodeId, Option<NodeId>)]>,
    /// Pinned nodes, which keep their world position or rotation while other nodes are posed.
    pub pins: BTreeMap<NodeId, Pin>,
    /// Mix of clips on lanes, if it was changed since the file was opened. `None`: use the mix that
    /// the scene stores.
    pub mix: Option<Shared<Mix>>,
}

/// Pinned components of a node's world transform; at least one is pinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Whether the position is pinned.
    pub place: bool,
    /// Whether the rotation is pinned.
    pub angle: bool,
}

impl Pin {
    /// Next state of a toggled pin, in the cycle none, position, both, rotation.
    pub const fn next(pin: Option<Self>) -> Option<Self> {
        match pin {
            None => Some(Self { place: true, angle: false }),
            Some(Self { angle: false, .. }) => Some(Self { place: true, angle: true }),
            Some(Self { place: true, .. }) => Some(Self { place: false, angle: true }),
            Some(_) => None,
        }
    }
}

impl EditorState {
    /// Whether the editor state is empty: all members have their default values.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Layers of a clip or of the pose; empty if there are none.
    pub fn layers(&self, home: LayerHome) -> Shared<PoseLayers> {
        self.pose_layers.get(&home).cloned().unwrap_or_default()
    }

    /// Finds a layer by its id. Also returns the clip or pose that it belongs to.
    pub fn pose_layer(&self, id: PoseLayerId) -> Option<(LayerHome, &Shared<PoseLayer>)> {
        self.pose_layers.iter().find_map(|(home, layers)| Some((*home, layers.get(id)?)))
    }

    /// Unused id for a new layer.
    pub fn free_pose_layer(&self) -> PoseLayerId {
        let all = self.pose_layers.values().flat_map(|l| l.iter()).map(|l| l.id.0);
        PoseLayerId(all.max().map_or(0, |id| id.saturating_add(1)))
    }

    /// Finds the unkeyed pose of a clip at a time in seconds, with a tolerance of
    /// [`UnkeyedAt::NEAR`].
    pub fn unkeyed(&self, clip: ClipId, time: f64) -> Option<(UnkeyedAt, &Shared<Unkeyed>)> {
        let near =
            |at: &UnkeyedAt| (f64::from(at.time()) - time).abs() <= f64::from(UnkeyedAt::NEAR);
        self.unkeyed
            .iter()
            .find(|(at, _)| at.clip == clip && near(at))
            .map(|(at, pose)| (*at, pose))
    }

    /// Components of a node's local transform that an unkeyed pose sets; empty if there is no such
    /// pose.
    pub fn unkeyed_components(&self, at: &UnkeyedAt, node: NodeId) -> Components {
        self.unkeyed.get(at).and_then(|pose| pose.locals.get(&node)).copied().unwrap_or_default()
    }
}

/// Clip and time of an unkeyed pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnkeyedAt {
    /// Clip over which the pose was made.
    pub clip: ClipId,
    /// The bits of the time. Times are at least 0, so the bits sort in the same order.
    bits: u32,
}

impl UnkeyedAt {
    /// Tolerance in seconds, below which two times count as the same.
    pub const NEAR: f32 = 1e-4;

    /// Creates the key of an unkeyed pose at a time in seconds. Negative times and NaN become 0.
    pub fn new(clip: ClipId, time: f32) -> Self {
        let time = if time > 0.0 { time } else { 0.0 };
        Self { clip, bits: time.to_bits() }
    }

    /// Time on the clip's clock, in seconds.
    pub fn time(self) -> f32 {
        f32::from_bits(self.bits)
    }
}

impl References for UnkeyedAt {
    fn for_each_id(&self, visit: &mut dyn FnMut(AnyId)) {
        let Self { clip, bits: _ } = self;
        clip.for_each_id(visit);
    }

    fn for_each_id_mut(&mut self, visit: &mut dyn FnMut(IdKind, &mut u32)) {
        let Self { clip, bits: _ } = self;
        clip.for_each_id_mut(visit);
    }
}

/// An unkeyed pose, which contains only the changed components and morph weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unkeyed {
    /// Changed components of local transforms, by node.
    pub locals: BTreeMap<NodeId, Components>,
    /// Weights of all morph targets, by node.
    pub morphs: BTreeMap<NodeId, Shared<[f32]>>,
}

impl Unkeyed {
    /// Whether the pose contains no changes.
    pub fn is_empty(&self) -> bool {
        self.locals.is_empty() && self.morphs.is_empty()
    }

    /// Nodes that the pose changes: first nodes with changed transforms, then nodes with only
    /// changed morph weights. Both are in the order of their ids.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        let only_morphs = self.morphs.keys().filter(|n| !self.locals.contains_key(n));
        self.locals.keys().chain(only_morphs).copied()
    }
}
