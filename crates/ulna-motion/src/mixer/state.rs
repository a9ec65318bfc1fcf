//! The state of the mixer: what is found of a mix once, as long as nothing of it changes.

use std::collections::{BTreeMap, HashMap};

use super::{holding::Holding, inertia::Inertia, rounds::StepGroup};
use ulna_model::{Clip, ClipId, JointMask, LayerHome, Mix, Nodes, PoseLayers, Shared};

/// Step of integration, seconds.
pub const STEP: f64 = 1.0 / 240.0;

/// Evaluates mixes. It caches the plan of the last mix until the mix, its clips or its layers
/// change.
#[derive(Clone, Debug, Default)]
pub struct Mixer {
    pub(super) mix: Shared<Mix>,
    /// The clips of the mix.
    pub(super) clips: Vec<(ClipId, Shared<Clip>)>,
    /// The pose layers of the document.
    pub(super) layers: BTreeMap<LayerHome, Shared<PoseLayers>>,
    /// The nodes of the document.
    pub(super) nodes: Nodes,
    pub(super) lanes: Vec<Planned>,
    pub(super) groups: Vec<StepGroup>,
    /// Poses that bars come in over, as clips of one key.
    pub(super) frozen: HashMap<(usize, usize), Shared<Clip>>,
    pub(super) cuts: Vec<Cut>,
    /// Bars that hold their last pose under a fade.
    pub(super) holdings: Vec<Holding>,
}

/// Plan of a lane.
#[derive(Clone, Debug, Default)]
pub(super) struct Planned {
    /// Indices of the bars in the order of their starts.
    pub(super) order: Vec<usize>,
    /// Running maximum of the bars' end times, by place in `order`, seconds of the mix.
    pub(super) ends: Vec<f64>,
    pub(super) mask: Option<JointMask>,
    /// Plans of the bars, by bar.
    pub(super) bars: Vec<PlannedBar>,
}

/// Plan of a bar.
#[derive(Clone, Debug, Default)]
pub(super) struct PlannedBar {
    pub(super) mask: Option<JointMask>,
    /// Clips of the bar that exist; for a blend on a line, in the order of their values.
    pub(super) voices: Vec<(ClipId, Shared<Clip>)>,
    /// Weight of each clip within the bar.
    pub(super) weights: Vec<f32>,
    /// Length of each clip, seconds.
    pub(super) lengths: Vec<f64>,
    /// Index of its group, if it keeps step with other bars.
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
