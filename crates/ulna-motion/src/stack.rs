//! What is seen, as a value: everything that makes a pose, in the order in which it is put on.
//!
//! ```text
//!  the file's pose  L∘Ul ── its layers ──┐
//!                                        ▼
//!  lanes, lowest first    clip instance ── its layers ─┐
//!                         clip instance ── its layers ─┴─ averaged, over what lies below
//!                                        ▼
//!  additive lanes ─► transition offsets ─► unkeyed pose ─► constraints ─► worlds ─► palettes
//! ```
//!
//! The window, the command line, thumbnails, the search for the worst pose and baking hand the same
//! stack to the same [`Evaluator`](super::Evaluator); its caches live there, and a
//! [`Pose`](super::Pose) is plain data.

use glam::{Mat4, Quat, Vec3};

use ulna_model::{
    Clip, ClipId, Document, JointMask, LayerHome, NodeId, PoseLayers, Shared, Unkeyed,
};

/// What a pose is made of. Empty, it is the file's own pose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stack {
    /// Layers over the file's pose, the first nearest to it.
    pub layers: Shared<PoseLayers>,
    /// What plays, lowest first.
    pub lanes: Vec<Lane>,
    /// What is added to that, in this order.
    pub additive: Vec<Additive>,
    /// What is left of the pose that a transition began with.
    pub offsets: Vec<Offset>,
    /// The same of weights of morph targets.
    pub morph_offsets: Vec<MorphOffset>,
    /// How linear rotations go from key to key: on the sphere as glTF asks (appendix C.4), or by
    /// the normalized sum, as older players did.
    pub between: Averaging,
    /// What was posed and not keyed yet: it wins over everything below.
    pub unkeyed: Option<Shared<Unkeyed>>,
    /// What a gesture under way holds, in this order.
    pub constraints: Vec<Constraint>,
}

/// A clip at a time, over the pose.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// The clip.
    pub clip: Shared<Clip>,
    /// The clip's own layers, the first nearest to it.
    pub layers: Shared<PoseLayers>,
    /// Seconds on its clock.
    pub time: f64,
    /// How much it counts, 0 or more.
    pub weight: f32,
    /// Where it counts; everywhere if `None`.
    pub mask: Option<JointMask>,
}

impl Instance {
    /// A clip at a time that counts in full.
    pub fn new(clip: &Shared<Clip>, time: f64) -> Self {
        Self { clip: clip.clone(), layers: Shared::default(), time, weight: 1.0, mask: None }
    }

    /// One that counts so much.
    #[must_use]
    pub fn weighing(self, weight: f32) -> Self {
        Self { weight, ..self }
    }
}

/// How rotations of a lane are averaged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Averaging {
    /// The mean on the sphere, which for two is SLERP.
    #[default]
    Slerp,
    /// The normalized weighted sum: for fast previews and cross-fades of what is close.
    Nlerp,
}

/// Clips that are averaged.
///
/// Their weights, after masks, are divided by their sum where that is above 1. The share that is
/// missing to 1 is what lies below, and so is every component that no clip of the lane drives. A
/// clip drives a component where it has a channel, or where one of its layers moves it.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    /// What is averaged; the order does not matter.
    pub instances: Vec<Instance>,
    /// How much of the average covers what lies below, 0 to 1.
    pub weight: f32,
    /// Where it does; everywhere if `None`.
    pub mask: Option<JointMask>,
    /// How rotations are averaged.
    pub averaging: Averaging,
}

impl Lane {
    /// A lane that covers what lies below.
    pub const fn new(instances: Vec<Instance>) -> Self {
        Self { instances, weight: 1.0, mask: None, averaging: Averaging::Slerp }
    }
}

/// What an additive lane adds is the difference of its clip to this.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reference {
    /// The rest of each node.
    Rest,
    /// The clip's first key.
    FirstKey,
    /// The clip at this time, seconds.
    At(f64),
}

/// A clip whose difference to a reference is added: `t + w(t_a − t_ref)`,
/// `r · slerp(1, r_ref⁻¹·r_a, w)`, `s · (s_a/s_ref)^w`, where the clip drives them.
#[derive(Clone, Debug, PartialEq)]
pub struct Additive {
    /// The clip; its weight is `w`.
    pub instance: Instance,
    /// The difference to what.
    pub reference: Reference,
}

/// What is added to a node in its parent's space: `t + o_t`, `o_r · r`, `s · o_s`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offset {
    /// Which node.
    pub node: NodeId,
    /// Meters in the parent's space.
    pub translation: Vec3,
    /// Unit quaternion, on the parent's side.
    pub rotation: Quat,
    /// Factors.
    pub scale: Vec3,
}

/// What is added to the weights of a node's morph targets.
#[derive(Clone, Debug, PartialEq)]
pub struct MorphOffset {
    /// Which node.
    pub node: NodeId,
    /// By target.
    pub weights: Vec<f32>,
}

/// What a gesture holds while it moves other things.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constraint {
    /// A node stays where it is in the scene.
    Hold {
        /// Which node.
        node: NodeId,
        /// Where.
        scene_from_node: Mat4,
    },
}

impl Stack {
    /// The same with linear rotations that go so from key to key.
    #[must_use]
    pub fn going(self, between: Averaging) -> Self {
        Self { between, ..self }
    }

    /// The pose of a clip at a time, or the file's where there is none.
    pub fn of(clip: Option<&Shared<Clip>>, time: f64) -> Self {
        let lane = |clip| Lane::new(vec![Instance::new(clip, time)]);
        Self { lanes: clip.map(lane).into_iter().collect(), ..Self::default() }
    }

    /// What is seen of a document with a clip at a time, or of its pose: with the layers of both.
    pub fn shown(document: &Document, clip: Option<ClipId>, time: f64) -> Self {
        let there = clip.and_then(|id| Some((id, document.clips.get(id)?)));
        Self::of(there.map(|(_, clip)| clip), time).with_layers(document, there.map(|(id, _)| id))
    }

    /// With the layers of the pose, and those of the clip that plays alone.
    #[must_use]
    pub fn with_layers(mut self, document: &Document, clip: Option<ClipId>) -> Self {
        self.layers = document.aids.layers(LayerHome::Pose);
        if let (Some(clip), [Lane { instances, .. }]) = (clip, &mut self.lanes[..])
            && let [instance] = &mut instances[..]
        {
            instance.layers = document.aids.layers(LayerHome::Clip(clip));
        }
        self
    }

    /// Without the layers of what plays; those of the pose stay.
    #[must_use]
    pub fn without_layers_of_clips(mut self) -> Self {
        self.lanes
            .iter_mut()
            .flat_map(|l| &mut l.instances)
            .for_each(|i| i.layers = Shared::default());
        self
    }

    /// With an unkeyed pose over it.
    #[must_use]
    pub fn with_unkeyed(self, unkeyed: Option<Shared<Unkeyed>>) -> Self {
        Self { unkeyed, ..self }
    }

    /// The one clip that plays, where it counts in full.
    pub(super) fn alone(&self) -> Option<&Instance> {
        let [Lane { instances, weight, mask: None, .. }] = &self.lanes[..] else { return None };
        let [instance] = &instances[..] else { return None };
        let whole = *weight >= 1.0 && instance.weight >= 1.0 && instance.mask.is_none();
        whole.then_some(instance)
    }
}
