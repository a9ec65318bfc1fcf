//! Identity of curves, and units of their values.

use ulna_model::{NodeId, PoseLayerId, Property, TrackId};
use ulna_motion::curves::CurveSpace;

/// Source of a curve's keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CurveSource {
    /// A track of the clip or layer whose keys are shown.
    Track(TrackId),
    /// Channel of an animation pointer, by index; it is read-only here.
    Pointer(usize),
    /// Strength of a pose layer, which is edited in its own row.
    Strength(PoseLayerId),
}

/// Identity of a curve: one component of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CurveId {
    /// Source of the keys.
    pub source: CurveSource,
    /// Index of the component: x, y, z for vectors, the axis for Euler angles, the target for morph
    /// weights.
    pub component: u16,
}

impl CurveId {
    /// Track with the curve's keys; `None` if the keys cannot be edited here.
    pub const fn track(self) -> Option<TrackId> {
        match self.source {
            CurveSource::Track(id) => Some(id),
            CurveSource::Pointer(_) | CurveSource::Strength(_) => None,
        }
    }
}

/// Animated subject of a curve, independent of the clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CurveOf {
    /// Component of an animated property of a node.
    Node(NodeId, Property, u16),
    /// Component of an animation pointer channel: index of the channel in the clip, and component.
    Pointer(usize, u16),
    /// Strength of a pose layer.
    Strength(PoseLayerId),
}

/// Unit of a curve's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// Degrees.
    Degrees = 0,
    /// Meters.
    Meters = 1,
    /// No unit: scale factors, weights, strengths, quaternion components.
    Plain = 2,
}

impl Unit {
    /// All units.
    pub const ALL: [Self; 3] = [Self::Degrees, Self::Meters, Self::Plain];

    /// Suffix for numbers in this unit.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Degrees => "°",
            Self::Meters => " m",
            Self::Plain => "",
        }
    }

    /// Minimum value range that a fit shows, so that small changes are not magnified.
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
