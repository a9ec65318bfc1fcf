//! Words for the interpolation and the kind of keys, and for changes of their values.

use super::field::choice;
use ulna_model::{Interpolation, KeyKind, KeySide};

choice! {
    /// How values between keys come about, in words of animators.
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
    /// How a smooth curve goes through a key.
    Through {
        /// Smoothly, and not beyond the keys beside it.
        Auto = "auto",
        /// With continuous acceleration along a run of such keys.
        Smooth = "smooth",
        /// At rest.
        Flat = "flat",
        /// Toward the keys beside it, and so when they change.
        Linear = "linear",
        /// As it is now, to be changed by hand.
        Free = "free",
        /// As that, each side for itself.
        Broken = "broken",
        /// As on straight lines.
        Straight = "straight",
        /// In full flight, as a ball hits the ground.
        Sharp = "sharp",
    }
}

choice! {
    /// A side of a key.
    TangentSide {
        /// The side of the key before.
        In = "in",
        /// The side of the key after.
        Out = "out",
        /// Both sides.
        Both = "both",
    }
}

impl TangentSide {
    /// As a track has it.
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
        /// No more than a key.
        Plain = "plain",
        /// An end of a movement.
        Extreme = "extreme",
        /// How it goes from one extreme to the next.
        Breakdown = "breakdown",
        /// An in-between.
        InBetween = "in-between",
    }
}

/// The kinds of keys, and their names in the window.
pub const KINDS: [(KindName, &str); 4] = [
    (KindName::Plain, "Keyframe"),
    (KindName::Extreme, "Extreme"),
    (KindName::Breakdown, "Breakdown"),
    (KindName::InBetween, "In-between"),
];

impl KindName {
    /// As a track has it.
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
    /// glTF's word for it.
    pub const fn interpolation(self) -> Interpolation {
        match self {
            Self::Hold => Interpolation::Step,
            Self::Linear => Interpolation::Linear,
            Self::Smooth => Interpolation::CubicSpline,
        }
    }
}
