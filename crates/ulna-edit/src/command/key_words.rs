//! Argument words for interpolations, tangents and key types.

use super::field::choice;
use ulna_model::{Interpolation, KeyKind, KeySide};

choice! {
    /// Interpolation between keys, in the terms of animators.
    Between {
        /// STEP: the value is constant until the next key.
        Hold = "hold",
        /// LINEAR: constant speed between the keys.
        Linear = "linear",
        /// CUBICSPLINE with automatic tangents.
        Smooth = "smooth",
    }
}

choice! {
    /// Tangent mode of a key.
    Through {
        /// Smooth tangents, without overshooting the neighboring keys.
        Auto = "auto",
        /// Smooth tangents, with continuous acceleration along consecutive keys of this mode.
        Smooth = "smooth",
        /// Horizontal tangents.
        Flat = "flat",
        /// Tangents that point to the neighboring keys, and are updated when these change.
        Linear = "linear",
        /// Tangents with the current slopes, which can be changed by hand.
        Free = "free",
        /// Tangents with the current slopes, which can be changed independently on both sides.
        Broken = "broken",
        /// Tangents with fixed slopes, set to those of straight lines to the neighboring keys.
        Straight = "straight",
        /// Tangents with fixed slopes, so that the motion does not slow down at the key, as at the
        /// bounce of a ball.
        Sharp = "sharp",
    }
}

choice! {
    /// Side of a key.
    TangentSide {
        /// The side toward the previous key.
        In = "in",
        /// The side toward the next key.
        Out = "out",
        /// Both sides.
        Both = "both",
    }
}

impl TangentSide {
    /// Converts the side to the type of the model.
    pub const fn side(self) -> KeySide {
        match self {
            Self::In => KeySide::Arrive,
            Self::Out => KeySide::Leave,
            Self::Both => KeySide::Both,
        }
    }
}

choice! {
    /// Type of a key in hand animation: plain, extreme, breakdown or in-between.
    KindName {
        /// An ordinary key.
        Plain = "plain",
        /// An extreme: the end of a movement.
        Extreme = "extreme",
        /// A breakdown: an intermediate pose that defines the path between two extremes.
        Breakdown = "breakdown",
        /// An in-between: a key between extremes and breakdowns.
        InBetween = "in-between",
    }
}

/// The types of keys, with their names in the window.
pub const KINDS: [(KindName, &str); 4] = [
    (KindName::Plain, "Keyframe"),
    (KindName::Extreme, "Extreme"),
    (KindName::Breakdown, "Breakdown"),
    (KindName::InBetween, "In-between"),
];

impl KindName {
    /// Converts to the type of the model; `None` for an ordinary key.
    pub const fn kind(self) -> Option<KeyKind> {
        match self {
            Self::Plain => None,
            Self::Extreme => Some(KeyKind::Extreme),
            Self::Breakdown => Some(KeyKind::Breakdown),
            Self::InBetween => Some(KeyKind::InBetween),
        }
    }
}

impl Between {
    /// Converts to the interpolation of glTF.
    pub const fn interpolation(self) -> Interpolation {
        match self {
            Self::Hold => Interpolation::Step,
            Self::Linear => Interpolation::Linear,
            Self::Smooth => Interpolation::CubicSpline,
        }
    }
}
