//! Argument words for interpolations, tangents and key types.

use super::field::choice;
use ulna_model::{Interpolation, KeyKind, KeySide};

choice! {
    /// Interpolation between keys, in the terms of animators.
    Between {
        /// STEP.
        Hold = "hold",
        /// LINEAR.
        Linear = "linear",
        /// CUBICSPLINE with automatic tangents.
        Smooth = "smooth",
    }
}

choice! {
    /// Tangent mode of a key.
    Through {
        /// Smooth, without overshooting the neighboring keys.
        Auto = "auto",
        /// Smooth, with continuous acceleration along consecutive keys of this mode.
        Smooth = "smooth",
        /// Horizontal.
        Flat = "flat",
        /// Pointing to the neighboring keys, and updated when these change.
        Linear = "linear",
        /// The current slopes, which can be changed by hand.
        Free = "free",
        /// The current slopes, with independent sides.
        Broken = "broken",
        /// Fixed slopes, set to those of straight lines to the neighboring keys.
        Straight = "straight",
        /// Fixed slopes without slowing down at the key, as at the bounce of a ball.
        Sharp = "sharp",
    }
}

choice! {
    /// Side of a key.
    TangentSide {
        /// Toward the previous key.
        In = "in",
        /// Toward the next key.
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
    /// Key type.
    KindName {
        /// An ordinary key.
        Plain = "plain",
        /// An extreme: the end of a movement.
        Extreme = "extreme",
        /// A breakdown: an intermediate pose that defines the path between two extremes.
        Breakdown = "breakdown",
        /// An in-between.
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
