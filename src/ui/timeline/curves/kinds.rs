//! Names of curves and units of their values.

use ulna_model::{NodeId, PoseLayerId, Property, TrackId};
use ulna_motion::curves::CurveSpace;

/// The owner of the keys of a curve.
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
    /// The owner of its keys.
    pub source: CurveSource,
    /// Index of a number of a value: x, y, z; of rotations as angles, the angle about that axis; of
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

/// The subject of a curve, in whatever clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CurveOf {
    /// A component of what moves a node.
    Node(NodeId, Property, u16),
    /// A component of the channel of a pointer, by its place in the clip.
    Pointer(usize, u16),
    /// The strength of a layer.
    Strength(PoseLayerId),
}

/// Unit of a value.
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

    /// The sign after a number of this unit.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Degrees => "°",
            Self::Meters => " m",
            Self::Plain => "",
        }
    }

    /// Values that are nearer to one another than this fill no more of the height by themselves.
    pub const fn least_span(self) -> f64 {
        match self {
            Self::Degrees => 2.0,
            Self::Meters => 0.02,
            Self::Plain => 0.1,
        }
    }

    /// Unit of the values of a property.
    pub const fn of(property: Property, space: CurveSpace) -> Self {
        match (property, space) {
            (Property::Rotation, CurveSpace::Euler(_)) => Self::Degrees,
            (Property::Translation, _) => Self::Meters,
            _ => Self::Plain,
        }
    }
}
