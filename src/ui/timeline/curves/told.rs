//! Facts about keys of curves: slopes, gimbal lock, tangent modes, components that can be changed.

use super::{CurveSpace, EulerOrder, ShownCurve};
use ulna_model::{Interpolation, KeyTangents, Property, TangentMode, Track};
use ulna_motion::clip_edit::mode_at;

/// Change a second of a curve before and after a key; nothing where angles are locked.
pub fn slopes(curve: &ShownCurve, key: usize) -> Option<(f64, f64)> {
    curve.curves.key_slopes(key, usize::from(curve.id.component))
}

/// Whether no angle of a rotation can be told from another one at a key.
pub fn is_gimbal_locked(curve: &ShownCurve, key: usize) -> bool {
    curve.curves.gimbal_locked(key)
}

/// How the tangents of a key are chosen.
pub fn tangents_of(track: &Track, key: usize) -> KeyTangents {
    if track.interpolation == Interpolation::Linear {
        return KeyTangents { linked: false, ..KeyTangents::both(TangentMode::Linear) };
    }
    mode_at(track, key)
}

/// How tangents of a key are chosen, as the buttons name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tangents {
    /// Monotone.
    Auto,
    /// Continuous acceleration.
    Smooth,
    /// No change at the key.
    Flat,
    /// Toward the neighbors.
    Linear,
    /// The value holds.
    Step,
    /// By hand.
    Free,
    /// By hand, each side for itself.
    Broken,
}

impl Tangents {
    /// In the order of the buttons.
    pub const ALL: [Self; 7] =
        [Self::Auto, Self::Smooth, Self::Flat, Self::Linear, Self::Step, Self::Free, Self::Broken];

    /// As the buttons name it.
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

    /// Effect of the mode, as the hints of the buttons say it.
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

    /// The tangents of a key of a track.
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

/// A component that curves show, for commands that change single components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Component {
    /// The property of the node.
    pub property: Property,
    /// The order of angles.
    pub order: Option<EulerOrder>,
}

impl Component {
    /// Of a curve; nothing where its values cannot be changed one by one: those of quaternions.
    pub fn of(curve: &ShownCurve) -> Option<Self> {
        let order = match (curve.property, curve.space) {
            (Property::Rotation, CurveSpace::Stored) => return None,
            (Property::Rotation, CurveSpace::Euler(order)) => Some(order),
            _ => None,
        };
        Some(Self { property: curve.property, order })
    }
}
