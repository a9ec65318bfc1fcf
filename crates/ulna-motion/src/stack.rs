//! The input of a pose as a value: everything that contributes to it, in order of application.
//!
//! ```text
//!  the file's pose  L∘Ul ── its layers ──┐
//!                                        ▼
//!  lanes, bottom to top   clip instance ── its layers ─┐
//!                         clip instance ── its layers ─┴─ averaged, blended over the result below
//!                                        ▼
//!  additive lanes ─► transition offsets ─► unkeyed pose ─► constraints ─► worlds ─► palettes
//! ```
//!
//! The window, the command line, thumbnails, the search for the worst pose and baking all evaluate
//! a stack with an [`Evaluator`](super::Evaluator). The evaluator has all caches; a
//! [`Pose`](super::Pose) is plain data.

use glam::{Mat4, Quat, Vec3};

use ulna_model::{
    Clip, ClipId, Document, JointMask, LayerHome, NodeId, PoseLayers, Shared, Unkeyed,
};

/// Everything that contributes to a pose. An empty stack is the file's own pose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stack {
    /// Layers over the file's pose, bottom to top.
    pub layers: Shared<PoseLayers>,
    /// Lanes, bottom to top.
    pub lanes: Vec<Lane>,
    /// Additive lanes, in order of application.
    pub additive: Vec<Additive>,
    /// Offsets of nodes from a transition, which fade out over its duration.
    pub offsets: Vec<Offset>,
    /// Offsets of morph target weights from a transition, which fade out over its duration.
    pub morph_offsets: Vec<MorphOffset>,
    /// Interpolation of LINEAR rotations: SLERP (glTF appendix C.4), or NLERP as in older players.
    pub between: Averaging,
    /// The unkeyed pose, which overrides everything below it.
    pub unkeyed: Option<Shared<Unkeyed>>,
    /// Constraints of the current gesture, in order of application.
    pub constraints: Vec<Constraint>,
}

/// A clip at a time, as one source of a lane.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Clip to sample.
    pub clip: Shared<Clip>,
    /// The clip's own layers, bottom to top.
    pub layers: Shared<PoseLayers>,
    /// Time in the clip, seconds.
    pub time: f64,
    /// Weight of the clip in the lane's average, at least 0.
    pub weight: f32,
    /// Mask by joint; `None` includes all joints.
    pub mask: Option<JointMask>,
}

impl Instance {
    /// Creates an instance of a clip at a time with a weight of 1.
    pub fn new(clip: &Shared<Clip>, time: f64) -> Self {
        Self { clip: clip.clone(), layers: Shared::default(), time, weight: 1.0, mask: None }
    }

    /// Returns the instance with another weight.
    #[must_use]
    pub fn weighing(self, weight: f32) -> Self {
        Self { weight, ..self }
    }
}

/// Averaging of rotations in a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Averaging {
    /// The mean on the sphere; for two rotations, SLERP.
    #[default]
    Slerp,
    /// The normalized weighted sum, for fast previews and cross-fades between close rotations.
    Nlerp,
}

/// Clips that are averaged and blended over the result of the lanes below.
///
/// If the sum of their weights after masks is above 1, the weights are divided by it. If it is
/// below 1, the result below supplies the rest, as for every component that no clip of the lane
/// drives. A clip drives a component if it has a channel for it, or if one of its layers moves it.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    /// The averaged clips, in any order.
    pub instances: Vec<Instance>,
    /// Opacity of the average over the result below, `0..=1`.
    pub weight: f32,
    /// Mask by joint; `None` includes all joints.
    pub mask: Option<JointMask>,
    /// Averaging of rotations.
    pub averaging: Averaging,
}

impl Lane {
    /// Creates a lane that fully covers the result of the lanes below.
    pub const fn new(instances: Vec<Instance>) -> Self {
        Self { instances, weight: 1.0, mask: None, averaging: Averaging::Slerp }
    }
}

/// Reference pose of an additive lane, which is subtracted from its clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reference {
    /// The rest pose of each node.
    Rest,
    /// The clip's pose at its first key.
    FirstKey,
    /// The clip's pose at this time in seconds.
    At(f64),
}

/// A clip whose difference from a reference pose is added to the result below. For driven
/// components, the result is `t + w(t_a − t_ref)`, `r · slerp(1, r_ref⁻¹·r_a, w)`,
/// `s · (s_a/s_ref)^w`.
#[derive(Clone, Debug, PartialEq)]
pub struct Additive {
    /// The clip at a time. Its weight is `w`.
    pub instance: Instance,
    /// The reference pose, whose components have the index `ref`.
    pub reference: Reference,
}

/// Offset of a node in its parent's space: `t + o_t`, `o_r · r`, `s · o_s`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offset {
    /// Node to transform.
    pub node: NodeId,
    /// Translation `o_t` in the parent's space, meters.
    pub translation: Vec3,
    /// Rotation `o_r`, a unit quaternion. It is multiplied on the left.
    pub rotation: Quat,
    /// Scale factors `o_s`.
    pub scale: Vec3,
}

/// Offset of the weights of a node's morph targets.
#[derive(Clone, Debug, PartialEq)]
pub struct MorphOffset {
    /// Node with the morph targets.
    pub node: NodeId,
    /// Offset of each morph target's weight.
    pub weights: Vec<f32>,
}

/// A constraint that a gesture maintains while it moves other nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constraint {
    /// A node keeps its transform in the scene.
    Hold {
        /// Node to hold.
        node: NodeId,
        /// Transform to keep.
        scene_from_node: Mat4,
    },
}

impl Stack {
    /// Returns the stack with another interpolation of LINEAR rotations.
    #[must_use]
    pub fn going(self, between: Averaging) -> Self {
        Self { between, ..self }
    }

    /// Creates a stack of a clip at a time, or of the file's pose if `clip` is `None`. It has no
    /// layers.
    pub fn of(clip: Option<&Shared<Clip>>, time: f64) -> Self {
        let lane = |clip| Lane::new(vec![Instance::new(clip, time)]);
        Self { lanes: clip.map(lane).into_iter().collect(), ..Self::default() }
    }

    /// Creates the stack of the displayed pose: a clip at a time, or the document's pose if `clip`
    /// is `None`. The layers of both are included.
    pub fn shown(document: &Document, clip: Option<ClipId>, time: f64) -> Self {
        let there = clip.and_then(|id| Some((id, document.clips.get(id)?)));
        Self::of(there.map(|(_, clip)| clip), time).with_layers(document, there.map(|(id, _)| id))
    }

    /// Adds the layers of the document's pose. If the stack has only one clip, also adds the layers
    /// of that clip.
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

    /// Removes the layers of all clips, and keeps the layers of the document's pose.
    #[must_use]
    pub fn without_layers_of_clips(mut self) -> Self {
        self.lanes
            .iter_mut()
            .flat_map(|l| &mut l.instances)
            .for_each(|i| i.layers = Shared::default());
        self
    }

    /// Sets the unkeyed pose of the stack.
    #[must_use]
    pub fn with_unkeyed(self, unkeyed: Option<Shared<Unkeyed>>) -> Self {
        Self { unkeyed, ..self }
    }

    /// Returns the clip if it is the only one in the stack, and has full weight.
    pub(super) fn alone(&self) -> Option<&Instance> {
        let [Lane { instances, weight, mask: None, .. }] = &self.lanes[..] else { return None };
        let [instance] = &instances[..] else { return None };
        let whole = *weight >= 1.0 && instance.weight >= 1.0 && instance.mask.is_none();
        whole.then_some(instance)
    }
}
