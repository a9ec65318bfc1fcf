//! The cached state of the mixer, computed once per mix.

use std::collections::{BTreeMap, HashMap};

use super::{holding::Holding, inertia::Inertia, rounds::StepGroup};
use ulna_model::{Clip, ClipId, JointMask, LayerHome, Mix, Nodes, PoseLayers, Shared};

/// Integration step, seconds.
pub const STEP: f64 = 1.0 / 240.0;

/// Evaluates mixes. It caches the plan of the last mix until the mix, its clips or the pose layers
/// change.
#[derive(Clone, Debug, Default)]
pub struct Mixer {
    pub(super) mix: Shared<Mix>,
    /// The clips of the mix, with their ids.
    pub(super) clips: Vec<(ClipId, Shared<Clip>)>,
    /// The pose layers of the document.
    pub(super) layers: BTreeMap<LayerHome, Shared<PoseLayers>>,
    /// The nodes of the document.
    pub(super) nodes: Nodes,
    pub(super) lanes: Vec<Planned>,
    pub(super) groups: Vec<StepGroup>,
    /// Frozen poses over which bars fade in, by lane and bar. Each is a clip with one key.
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
    /// Running maximum of the bars' end times, in the sequence of `order`, in seconds of the mix.
    pub(super) ends: Vec<f64>,
    pub(super) mask: Option<JointMask>,
    /// Plans of the bars, by bar.
    pub(super) bars: Vec<PlannedBar>,
}

/// Plan of a bar.
#[derive(Clone, Debug, Default)]
pub(super) struct PlannedBar {
    pub(super) mask: Option<JointMask>,
    /// Clips of the bar that exist in the document. For a blend on a line, they are in the order of
    /// their values.
    pub(super) voices: Vec<(ClipId, Shared<Clip>)>,
    /// Weight of each clip within the bar.
    pub(super) weights: Vec<f32>,
    /// Length of each clip, seconds.
    pub(super) lengths: Vec<f64>,
    /// Index of the bar's group of synchronized bars; `None` if it is not synchronized.
    pub(super) group: Option<usize>,
}

/// The start of a bar with an inertial transition.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    pub(super) lane: usize,
    /// Place of the bar in the lane's order.
    pub(super) place: usize,
    pub(super) start: f64,
    pub(super) length: f64,
    pub(super) found: Option<Shared<Inertia>>,
}
