//! Facts about keys of curves: slopes, gimbal lock, tangent modes, components that can be changed.

use super::{CurveSpace, EulerOrder, ShownCurve};
use ulna_model::{Interpolation, KeyTangents, Property, TangentMode, Track};
use ulna_motion::clip_edit::mode_at;

/// Slopes of a curve before and after a key, in units per second; `None` at gimbal lock.
pub fn slopes(curve: &ShownCurve, key: usize) -> Option<(f64, f64)> {
    curve.curves.key_slopes(key, usize::from(curve.id.component))
}

/// Whether the Euler angles of a rotation are in gimbal lock at a key.
pub fn is_gimbal_locked(curve: &ShownCurve, key: usize) -> bool {
    curve.curves.gimbal_locked(key)
}

/// Tangent modes of a key.
pub fn tangents_of(track: &Track, key: usize) -> KeyTangents {
    if track.interpolation == Interpolation::Linear {
        return KeyTangents { linked: false, ..KeyTangents::both(TangentMode::Linear) };
    }
    mode_at(track, key)
}

/// Tangent mode of a key, as named on the buttons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tangents {
    /// Monotone tangents without overshoot.
    Auto,
    /// Tangents with continuous acceleration.
    Smooth,
    /// Horizontal tangents.
    Flat,
    /// Tangents toward the neighboring keys.
    Linear,
    /// The value is held until the next key.
    Step,
    /// Tangents set by hand, equal on both sides.
    Free,
    /// Tangents set by hand, independent on each side.
    Broken,
}

impl Tangents {
    /// All modes, in the order of the buttons.
    pub const ALL: [Self; 7] =
        [Self::Auto, Self::Smooth, Self::Flat, Self::Linear, Self::Step, Self::Free, Self::Broken];

    /// Label of the button.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Auto => "Auto",
            Self::Smooth => "Smooth",
            Self::Flat => "Flat",
            Self::Linear => "Linear",
            Self::Step => "Step",
            Self::Free => "Free",
            Self::Broken => "Broken",
        }
    }

    /// Description for the tooltip of the button.
    pub const fn help(self) -> &'static str {
        match self {
            Self::Auto => "Monotone: never overshoots the neighboring keys",
            Self::Smooth => "Continuous acceleration through the keys",
            Self::Flat => "Zero slope at the keys",
            Self::Linear => "Straight toward the neighboring keys",
            Self::Step => "Holds the value until the next key",
            Self::Free => "Keeps the tangents; both sides turn together",
            Self::Broken => "Keeps the tangents; each side turns by itself",
        }
    }

    /// Tangent mode of a key of a track.
    pub fn of(track: &Track, key: usize) -> Self {
        if track.interpolation == Interpolation::Step {
            return Self::Step;
        }
        let modes = tangents_of(track, key);
        match modes.leave {
            _ if modes.arrive != modes.leave => Self::Broken,
            TangentMode::Auto => Self::Auto,
            TangentMode::Smooth => Self::Smooth,
            TangentMode::Flat => Self::Flat,
            TangentMode::Linear => Self::Linear,
            TangentMode::Free if modes.linked => Self::Free,
            TangentMode::Free => Self::Broken,
        }
    }
}

/// Component of a curve, for commands that change single components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Component {
    /// Property of the node.
    pub property: Property,
    /// Euler order of the angles; `None` for other values.
    pub order: Option<EulerOrder>,
}

impl Component {
    /// Component of a curve; `None` for quaternion components, which cannot be changed one by one.
    pub fn of(curve: &ShownCurve) -> Option<Self> {
        let order = match (curve.property, curve.space) {
            (Property::Rotation, CurveSpace::Stored) => return None,
            (Property::Rotation, CurveSpace::Euler(order)) => Some(order),
            _ => None,
        };
        Some(Self { property: curve.property, order })
    }
}
