//! State that the curves keep from frame to frame: the view, and the gesture in progress.

use std::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
};

use super::{
    drawing::Lines,
    model::{CurveId, CurveOf, CurvesModel, EulerOrder, ModelOf, ShownCurve, Unit},
    sources::{CurveCache, CurveState},
    speed::Strip,
    tools::{CurveGesture, CurvePopup, ToolState},
};
use ulna_model::{Derived, KeySet, NodeId, Property, Shared, Track};

/// The values in sight, by unit: the lowest and the highest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueView {
    ranges: [(f64, f64); 3],
}

impl Default for ValueView {
    fn default() -> Self {
        Self { ranges: [(-90.0, 90.0), (-1.0, 1.0), (-1.0, 1.0)] }
    }
}

impl ValueView {
    /// The lowest and the highest value of a unit, the lowest being less.
    pub const fn range(&self, unit: Unit) -> (f64, f64) {
        self.ranges[unit as usize]
    }

    /// Shows from one value to another of a unit. Ranges that are too narrow to count with are made
    /// wider, and numbers that are none are not taken.
    pub fn set(&mut self, unit: Unit, low: f64, high: f64) {
        /// Values beyond these cannot be stored in a file.
        const MOST: f64 = 1e38;
        if !(low.is_finite() && high.is_finite()) {
            return;
        }
        let (low, high) = (low.clamp(-MOST, MOST), high.clamp(-MOST, MOST));
        let middle = (low + high) * 0.5;
        let least = (middle.abs() * 1e-6).max(1e-6);
        self.ranges[unit as usize] = if high - low < least {
            (middle - least * 0.5, middle + least * 0.5)
        } else {
            (low, high)
        };
    }

    /// Moves what is in sight up by a share of its height.
    pub fn shift(&mut self, share: f64) {
        for unit in Unit::ALL {
            let (low, high) = self.range(unit);
            let by = (high - low) * share;
            self.set(unit, low + by, high + by);
        }
    }

    /// Shows more or less of all values, about a share of the height, from its foot.
    pub fn zoom(&mut self, share: f64, factor: f64) {
        for unit in Unit::ALL {
            let (low, high) = self.range(unit);
            let about = low + (high - low) * share;
            self.set(unit, about + (low - about) * factor, about + (high - about) * factor);
        }
    }
}

/// The numbers that curves show of rotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RotationView {
    /// Euler angles, degrees.
    Euler(EulerOrder),
    /// The four numbers of the quaternion as they are stored.
    Quaternion,
}

/// The difference between curves that their colors tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CurveColors {
    /// X red, Y green, Z blue; joints are told apart by dashes.
    #[default]
    ByAxis,
    /// A color a joint; axes are told apart by dashes.
    ByJoint,
}

/// The curves that are shown where no eye says otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CurvesOf {
    /// The curves of selected joints.
    #[default]
    Selected,
    /// The curves of all channels that move.
    Moving,
    /// None: what is isolated has its eyes.
    None,
}

/// The effect of a press on the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CurveTool {
    /// Selects and moves keys.
    Select,
    /// Boxes keys, and scales them in a box.
    #[default]
    Box,
    /// Inserts keys on curves.
    Insert,
}

/// The range that the graph is to show next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// All keys.
    All,
    /// The selected keys, or all where none is selected.
    Selected,
    /// The values of the times in sight.
    Height,
}

/// The content of the strip under the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpeedStrip {
    /// Nothing: the strip is not there.
    #[default]
    Off,
    /// Speed of the active joint's tip, meters a second.
    Speed,
    /// Its acceleration, meters a second squared.
    Acceleration,
}

impl SpeedStrip {
    /// The next content of the strip, in turn.
    pub const fn next(self) -> Self {
        match self {
            Self::Off => Self::Speed,
            Self::Speed => Self::Acceleration,
            Self::Acceleration => Self::Off,
        }
    }
}

/// Curves that were kept to be compared with and swapped.
#[derive(Clone, Debug, Default)]
pub struct BufferCurves {
    /// A track as it was, by what it moves.
    pub tracks: BTreeMap<(NodeId, Property), Shared<Track>>,
}

/// A part of the list that can be folded away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fold {
    /// A node's channels.
    Node(NodeId),
    /// A channel's components.
    Channel(NodeId, Property),
}

/// Choices for curves: the curves that are shown, and how.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurveChoices {
    /// How a node's rotations are shown, where that was chosen.
    pub rotations: BTreeMap<NodeId, RotationView>,
    /// Curves that are shown, or not, whatever is selected.
    pub eyes: BTreeMap<CurveOf, bool>,
    /// The curves that are shown where no eye says otherwise.
    pub of: CurvesOf,
    /// Curves that cannot be touched.
    pub locked: BTreeSet<CurveOf>,
    /// The only curves that are shown, unless empty.
    pub solo: BTreeSet<CurveOf>,
    /// Curves that fill the height with their own range.
    pub normalized: BTreeSet<CurveOf>,
    /// Parts of the list that are open, or not, whatever is shown.
    pub folds: BTreeMap<Fold, bool>,
    /// How curves are told apart.
    pub colors: CurveColors,
}

/// State of the curves, kept from frame to frame.
#[derive(Clone, Debug, Default)]
pub struct CurvesState {
    /// Points of the sheet's rows over the curves, where both are shown; 0 before they were.
    pub split: f32,
    /// The values in sight.
    pub values: ValueView,
    /// The range to show next.
    pub fit: Option<Fit>,
    /// The curves that are shown, and how.
    pub choices: CurveChoices,
    /// The effect of a press.
    pub tool: CurveTool,
    /// The curves to compare with.
    pub buffer: Option<BufferCurves>,
    /// The strip under the graph.
    pub speed: SpeedStrip,
    /// The gesture in progress.
    pub gesture: CurveGesture,
    /// The panel that is open over the graph.
    pub popup: CurvePopup,
    /// Further state of the tools.
    pub tools: ToolState,
    /// The curves of the last fit; when none of them is shown any more, another fit is due.
    pub(super) fitted: Vec<CurveId>,
    pub(super) cache: CurveCache,
    pub(super) model: Derived<ModelOf, Rc<CurvesModel>>,
    pub(super) lines: Lines,
    /// Curves as they were when the file was opened, and as they were kept, where they differ.
    pub(super) behind: Rc<Vec<(CurveState, ShownCurve)>>,
    pub(super) strip: Strip,
}

impl CurvesState {
    /// Subjects of the shown curves that have some of `keys`.
    pub fn of_keys(&self, keys: &KeySet) -> Vec<CurveOf> {
        let Some(model) = self.model.get() else { return Vec::new() };
        let some = |c: &&ShownCurve| {
            let some = |id| !keys.times_of(id, c.id.component).is_empty();
            c.id.track().is_some_and(some)
        };
        model.shown.iter().filter(some).map(|c| c.of).collect()
    }

    /// Puts the curves of keys into a set; takes them out, where all are in it.
    pub fn flip_of(
        &mut self,
        keys: &KeySet,
        set: impl Fn(&mut CurveChoices) -> &mut BTreeSet<CurveOf>,
    ) {
        let of = self.of_keys(keys);
        let set = set(&mut self.choices);
        if of.iter().all(|of| set.contains(of)) {
            set.retain(|have| !of.contains(have));
        } else {
            set.extend(of);
        }
    }

    /// Whether no hand is at curves.
    pub const fn is_still(&self) -> bool {
        matches!(self.gesture, CurveGesture::None) && !self.popup.takes_presses()
    }

    /// Whether a gesture of the document is open for what a hand does, or for an open panel.
    pub const fn previews(&self) -> bool {
        self.gesture.edits() || self.popup.takes_presses()
    }

    /// Ends the gesture in progress and closes panels that take presses.
    pub fn end_gestures(&mut self) {
        self.gesture = CurveGesture::default();
        if self.popup.takes_presses() {
            self.popup = CurvePopup::None;
        }
    }

    /// The keys of another clip or layer are shown.
    pub fn leave_keys(&mut self) {
        self.gesture = CurveGesture::default();
        self.popup = CurvePopup::None;
        self.cache.forget();
        self.fitted.clear();
    }
}
