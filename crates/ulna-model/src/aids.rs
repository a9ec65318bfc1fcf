//! What a document holds beside its file: undone and redone like anything else, and saved only
//! where a file can say it.

use std::collections::BTreeMap;

use super::{
    AnyId, ClipId, Components, IdKind, LayerHome, Mix, NodeId, PoseLayer, PoseLayerId, PoseLayers,
    References, Shared, SkinId, WeightLayers,
};

/// Work that no file holds by itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EditorState {
    /// Poses made while a clip is shown and not keyed yet.
    pub unkeyed: BTreeMap<UnkeyedAt, Shared<Unkeyed>>,
    /// Layers of user-local transforms over clips and over the pose. Saving folds them into keys
    /// and nodes; the file keeps them themselves where that is asked for. A list is not empty.
    pub pose_layers: BTreeMap<LayerHome, Shared<PoseLayers>>,
    /// Whether the file keeps the layers themselves, so that they are there when it is opened
    /// again.
    pub keeps_layers: bool,
    /// Layers of weights over what the file has, by skin. What they come to is in the primitives,
    /// and that is saved; the layers themselves where that is asked for.
    pub weight_layers: BTreeMap<SkinId, Shared<WeightLayers>>,
    /// Joints that were said to be each other's mirror image, a later pair over an earlier one; one
    /// with itself is of the center, one with none has no mirror image.
    pub mirror_pairs: Shared<[(NodeId, Option<NodeId>)]>,
    /// Nodes that stay while others are posed.
    pub pins: BTreeMap<NodeId, Pin>,
    /// Clips on lanes, where that was changed since the file was opened; else it is as its scene
    /// keeps it.
    pub mix: Option<Shared<Mix>>,
}

/// How a node stays in the scene while others are posed; one of both at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Where it is.
    pub place: bool,
    /// How it is turned.
    pub angle: bool,
}

impl Pin {
    /// The one after this, round all of them and none: place, both, angle, none.
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
    /// Whether there is nothing in them.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The layers of a clip, or of the pose; an empty list where there are none.
    pub fn layers(&self, home: LayerHome) -> Shared<PoseLayers> {
        self.pose_layers.get(&home).cloned().unwrap_or_default()
    }

    /// The layer of a number, and of what it is.
    pub fn pose_layer(&self, id: PoseLayerId) -> Option<(LayerHome, &Shared<PoseLayer>)> {
        self.pose_layers.iter().find_map(|(home, layers)| Some((*home, layers.get(id)?)))
    }

    /// A number that no layer has.
    pub fn free_pose_layer(&self) -> PoseLayerId {
        let all = self.pose_layers.values().flat_map(|l| l.iter()).map(|l| l.id.0);
        PoseLayerId(all.max().map_or(0, |id| id.saturating_add(1)))
    }

    /// The unkeyed pose of a clip at a time, or within a tenth of a millisecond of it.
    pub fn unkeyed(&self, clip: ClipId, time: f64) -> Option<(UnkeyedAt, &Shared<Unkeyed>)> {
        let near =
            |at: &UnkeyedAt| (f64::from(at.time()) - time).abs() <= f64::from(UnkeyedAt::NEAR);
        self.unkeyed
            .iter()
            .find(|(at, _)| at.clip == clip && near(at))
            .map(|(at, pose)| (*at, pose))
    }

    /// Components of a node that an unkeyed pose gives; none where there is no such pose.
    pub fn unkeyed_components(&self, at: &UnkeyedAt, node: NodeId) -> Components {
        self.unkeyed.get(at).and_then(|pose| pose.locals.get(&node)).copied().unwrap_or_default()
    }
}

/// Which clip an unkeyed pose was made over, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnkeyedAt {
    /// The clip.
    pub clip: ClipId,
    /// The bits of its time, which is 0 or later: their order is that of the times.
    bits: u32,
}

impl UnkeyedAt {
    /// Two times closer than this are one.
    pub const NEAR: f32 = 1e-4;

    /// A time of a clip, in seconds; one before its start is its start.
    pub fn new(clip: ClipId, time: f32) -> Self {
        let time = if time > 0.0 { time } else { 0.0 };
        Self { clip, bits: time.to_bits() }
    }

    /// Seconds on the clip's clock.
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

/// A pose that is not keyed: only what was changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unkeyed {
    /// Components of local transforms, by node.
    pub locals: BTreeMap<NodeId, Components>,
    /// Weights of all morph targets, by node.
    pub morphs: BTreeMap<NodeId, Shared<[f32]>>,
}

impl Unkeyed {
    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.locals.is_empty() && self.morphs.is_empty()
    }

    /// The nodes it changes, in the order of their ids.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        let only_morphs = self.morphs.keys().filter(|n| !self.locals.contains_key(n));
        self.locals.keys().chain(only_morphs).copied()
    }
}
