//! Argument words for eases, sliders, filters and falloffs.

use crate::command::field::choice;
use ulna_motion::curves::{EaseShape, EaseWay, Slide};
use ulna_weights::Falloff;

choice! {
    /// Shape of an ease.
    EaseName {
        /// An ease with constant speed.
        Linear = "linear",
        /// An ease in the shape of a quarter sine wave.
        Sine = "sine",
        /// An ease with the second power of the time.
        Quad = "quad",
        /// An ease with the third power of the time.
        Cubic = "cubic",
        /// An ease with the fourth power of the time.
        Quart = "quart",
        /// An ease with the fifth power of the time.
        Quint = "quint",
        /// An exponential ease: the speed doubles every tenth of the segment.
        Expo = "expo",
        /// An ease in the shape of a quarter circle.
        Circ = "circ",
        /// An ease that starts with a movement in the opposite direction.
        Back = "back",
        /// An ease that moves like a bouncing ball.
        Bounce = "bounce",
        /// An ease that moves like an oscillating spring.
        Elastic = "elastic",
        /// A jump to the next value at the end of the segment.
        Step = "step",
        /// An ease by a custom Bézier curve.
        Custom = "custom",
    }
}

impl EaseName {
    /// Returns the shape; `None` for a custom curve.
    pub const fn shape(self) -> Option<EaseShape> {
        Some(match self {
            Self::Linear => EaseShape::Linear,
            Self::Sine => EaseShape::Sine,
            Self::Quad => EaseShape::Quad,
            Self::Cubic => EaseShape::Cubic,
            Self::Quart => EaseShape::Quart,
            Self::Quint => EaseShape::Quint,
            Self::Expo => EaseShape::Expo,
            Self::Circ => EaseShape::Circ,
            Self::Back => EaseShape::Back,
            Self::Bounce => EaseShape::Bounce,
            Self::Elastic => EaseShape::Elastic,
            Self::Step => EaseShape::Step,
            Self::Custom => return None,
        })
    }

    /// Returns the word for a shape.
    pub const fn of(shape: EaseShape) -> Self {
        match shape {
            EaseShape::Linear => Self::Linear,
            EaseShape::Sine => Self::Sine,
            EaseShape::Quad => Self::Quad,
            EaseShape::Cubic => Self::Cubic,
            EaseShape::Quart => Self::Quart,
            EaseShape::Quint => Self::Quint,
            EaseShape::Expo => Self::Expo,
            EaseShape::Circ => Self::Circ,
            EaseShape::Back => Self::Back,
            EaseShape::Bounce => Self::Bounce,
            EaseShape::Elastic => Self::Elastic,
            EaseShape::Step => Self::Step,
            EaseShape::Bezier(_) => Self::Custom,
        }
    }
}

choice! {
    /// End at which an ease is slow.
    Slow {
        /// The ease is slow at the start.
        In = "in",
        /// The ease is slow at the end.
        Out = "out",
        /// The ease is slow at both ends.
        Both = "in and out" | "in_out" | "both",
    }
}

impl From<Slow> for EaseWay {
    fn from(slow: Slow) -> Self {
        match slow {
            Slow::In => Self::In,
            Slow::Out => Self::Out,
            Slow::Both => Self::InOut,
        }
    }
}

impl From<EaseWay> for Slow {
    fn from(way: EaseWay) -> Self {
        match way {
            EaseWay::In => Self::In,
            EaseWay::Out => Self::Out,
            EaseWay::InOut => Self::Both,
        }
    }
}

choice! {
    /// Effect of a slider on keys.
    SlideName {
        /// Blends toward the value of a neighboring key.
        Neighbor = "blend to neighbor" | "blend_to_neighbor",
        /// Blends toward an ease between the neighboring keys.
        Ease = "ease",
        /// Scales the difference from the previous key.
        Left = "scale from left" | "scale_from_left",
        /// Scales the difference from the next key.
        Right = "scale from right" | "scale_from_right",
        /// Scales the difference from the mean of the keys.
        Average = "scale from average" | "scale_from_average",
        /// Adds a fraction of the difference between the neighboring keys, which grows from left to
        /// right.
        Shear = "shear",
        /// Scales the difference from the line between the neighboring keys.
        Push = "push and pull" | "push_and_pull",
        /// Blends toward the straight line that continues the neighboring curve.
        Slope = "match slope" | "match_slope",
        /// Shifts the curve earlier or later.
        Time = "time offset" | "time_offset",
    }
}

impl From<SlideName> for Slide {
    fn from(name: SlideName) -> Self {
        match name {
            SlideName::Neighbor => Self::BlendNeighbor,
            SlideName::Ease => Self::Ease,
            SlideName::Left => Self::ScaleLeft,
            SlideName::Right => Self::ScaleRight,
            SlideName::Average => Self::ScaleAverage,
            SlideName::Shear => Self::Shear,
            SlideName::Push => Self::PushPull,
            SlideName::Slope => Self::MatchSlope,
            SlideName::Time => Self::TimeOffset,
        }
    }
}

impl From<Slide> for SlideName {
    fn from(slide: Slide) -> Self {
        match slide {
            Slide::BlendNeighbor => Self::Neighbor,
            Slide::Ease => Self::Ease,
            Slide::ScaleLeft => Self::Left,
            Slide::ScaleRight => Self::Right,
            Slide::ScaleAverage => Self::Average,
            Slide::Shear => Self::Shear,
            Slide::PushPull => Self::Push,
            Slide::MatchSlope => Self::Slope,
            Slide::TimeOffset => Self::Time,
        }
    }
}

choice! {
    /// Filter for keys.
    FilterName {
        /// Moves each key toward the mean of its neighbors.
        Smooth = "smooth",
        /// Removes fast motion.
        LowPass = "low-pass" | "low_pass",
        /// Replaces each key by a Gaussian-weighted mean.
        Gaussian = "gaussian",
        /// Removes spikes.
        Peaks = "peaks",
        /// Adds noise.
        Noise = "noise",
        /// Removes keys whose removal barely changes the skin.
        Simplify = "simplify",
    }
}

choice! {
    /// Property of keys that a proportional edit changes.
    NearHow {
        /// Key values.
        Add = "add",
        /// Key times.
        Move = "move",
    }
}

choice! {
    /// Falloff of an edit with the distance.
    Fade {
        /// No falloff: the edit has full effect at all distances.
        Constant = "constant",
        /// Linear falloff.
        Linear = "linear",
        /// A falloff that is smooth at both ends: a cubic polynomial.
        Smooth = "smooth",
        /// A falloff that is smooth at both ends: a polynomial of the fifth degree.
        Smoother = "smoother",
        /// Square of the linear falloff.
        Sharp = "sharp",
        /// Fourth power of the linear falloff.
        Sharper = "sharper",
        /// Square root of the linear falloff.
        Root = "root",
        /// A falloff in the shape of a quarter circle.
        Sphere = "sphere",
    }
}

impl From<Fade> for Falloff {
    fn from(fade: Fade) -> Self {
        match fade {
            Fade::Constant => Self::Constant,
            Fade::Linear => Self::Linear,
            Fade::Smooth => Self::Smooth,
            Fade::Smoother => Self::Smoother,
            Fade::Sharp => Self::Sharp,
            Fade::Sharper => Self::Sharper,
            Fade::Root => Self::Root,
            Fade::Sphere => Self::Sphere,
        }
    }
}
