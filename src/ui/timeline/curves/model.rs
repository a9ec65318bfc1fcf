//! Which curves there are: the rows of their list, and those that are shown.

use std::rc::Rc;

use egui::Color32;

pub use super::stub::{CurveSpace, EulerOrder, TrackCurves};
use ulna_model::{Clip, NodeId, PoseLayerId, Property, Shared, Track, TrackId};

/// Where the keys of a curve are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CurveSource {
    /// A track of the clip or layer whose keys are shown.
    Track(TrackId),
    /// A channel that names by a pointer what it moves: seen, not edited here.
    Pointer(usize),
    /// The strength of a pose layer: edited in its own row.
    Strength(PoseLayerId),
}

/// A curve: one component of a track as it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CurveId {
    /// Where its keys are.
    pub source: CurveSource,
    /// Which number of a value: x, y, z; of rotations as angles, the angle about that axis; of
    /// weights, the target.
    pub component: u16,
}

impl CurveId {
    /// The track whose keys it goes through, where they can be edited.
    pub const fn track(self) -> Option<TrackId> {
        match self.source {
            CurveSource::Track(id) => Some(id),
            CurveSource::Pointer(_) | CurveSource::Strength(_) => None,
        }
    }
}

/// What a curve is of, in whatever clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CurveOf {
    /// A component of what moves a node.
    Node(NodeId, Property, u16),
    /// A component of the channel of a pointer, by its place in the clip.
    Pointer(usize, u16),
    /// The strength of a layer.
    Strength(PoseLayerId),
}

/// What a value counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// Degrees.
    Degrees = 0,
    /// Meters.
    Meters = 1,
    /// Nothing: factors, weights, strengths, numbers of quaternions.
    Plain = 2,
}

impl Unit {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Degrees, Self::Meters, Self::Plain];

    /// What follows a number of it.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Degrees => "°",
            Self::Meters => " m",
            Self::Plain => "",
        }
    }
}

/// How a curve is dashed: points on and off in turn, none for a whole line.
pub type Dash = &'static [f32];

/// A curve that is shown.
#[derive(Clone, Debug)]
pub struct ShownCurve {
    /// Which.
    pub id: CurveId,
    /// What it is of.
    pub of: CurveOf,
    /// The node that it moves, if it moves one.
    pub node: Option<NodeId>,
    /// What of it.
    pub property: Property,
    /// The keys that it goes through.
    pub track: Shared<Track>,
    /// The track as curves, of which it is the one of `id.component`.
    pub curves: Rc<TrackCurves>,
    /// Which numbers these are.
    pub space: CurveSpace,
    /// What its values count.
    pub unit: Unit,
    /// The line's color.
    pub color: Color32,
    /// How the line is dashed.
    pub dash: Dash,
    /// As it is named at its end: *upperarm X*.
    pub name: Rc<str>,
    /// Whether it moves a selected node.
    pub selected_joint: bool,
    /// Whether it cannot be touched.
    pub locked: bool,
    /// Its own lowest and highest value, where those fill the height.
    pub normalize: Option<(f64, f64)>,
}

impl ShownCurve {
    /// The number of keys.
    pub fn len(&self) -> usize {
        self.track.times.len()
    }

    /// The time of a key, seconds.
    pub fn time(&self, key: usize) -> f64 {
        f64::from(self.track.times[key])
    }

    /// The value at a key.
    pub fn key_value(&self, key: usize) -> f64 {
        self.curves.key_value(key, usize::from(self.id.component))
    }

    /// The value at a time in seconds.
    pub fn value(&self, time: f64) -> f64 {
        self.curves.value(usize::from(self.id.component), time)
    }
}

/// What curves are found from.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelOf {
    clip: Shared<Clip>,
}

/// The curves of a clip.
#[derive(Clone, Debug, Default)]
pub struct CurvesModel {
    /// Those that are shown.
    pub shown: Rc<Vec<ShownCurve>>,
}
