//! The state of the mixer: what is found of a mix once, as long as nothing of it changes.

use std::collections::{BTreeMap, HashMap};

use super::{holding::Holding, inertia::Inertia, rounds::Group};
use ulna_model::{Clip, ClipId, JointMask, LayerHome, Mix, Nodes, PoseLayers, Shared};

/// Seconds of a step of what is integrated.
pub const STEP: f64 = 1.0 / 240.0;

/// Works out mixes. It keeps what was found of the last one, as long as neither it nor what it
/// plays changes.
#[derive(Clone, Debug, Default)]
pub struct Mixer {
    pub(super) mix: Shared<Mix>,
    /// What is played, as it was.
    pub(super) clips: Vec<(ClipId, Shared<Clip>)>,
    /// The layers that were on it.
    pub(super) layers: BTreeMap<LayerHome, Shared<PoseLayers>>,
    /// The nodes that masks, contacts and poses were found on.
    pub(super) nodes: Nodes,
    pub(super) lanes: Vec<Planned>,
    pub(super) groups: Vec<Group>,
    /// Poses that bars come in over, as clips of one key.
    pub(super) frozen: HashMap<(usize, usize), Shared<Clip>>,
    pub(super) cuts: Vec<Cut>,
    /// Bars that hold their last pose under a fade.
    pub(super) holdings: Vec<Holding>,
}

/// What is found of a lane once.
#[derive(Clone, Debug, Default)]
pub(super) struct Planned {
    /// Bars as they come in.
    pub(super) order: Vec<usize>,
    /// By place in that order, when the last of the bars up to it ends.
    pub(super) ends: Vec<f64>,
    pub(super) mask: Option<JointMask>,
    /// By bar.
    pub(super) bars: Vec<PlannedBar>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct PlannedBar {
    pub(super) mask: Option<JointMask>,
    /// Its clips, those that are there; in a blend on a line in the order of their values.
    pub(super) voices: Vec<(ClipId, Shared<Clip>)>,
    /// How much each counts of it.
    pub(super) weights: Vec<f32>,
    /// The length of each, seconds.
    pub(super) lengths: Vec<f64>,
    /// With which others it keeps step.
    pub(super) group: Option<usize>,
}

/// A bar that comes in by inertia.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    pub(super) lane: usize,
    /// Its place in the lane's order.
    pub(super) place: usize,
    pub(super) start: f64,
    pub(super) length: f64,
    pub(super) found: Option<Shared<Inertia>>,
}
