//! Words for eases, sliders, filters and fall-offs.

use crate::command::field::choice;
use ulna_motion::curves::{EaseShape, EaseWay, Slide};
use ulna_weights::Falloff;

choice! {
    /// The formula of an ease.
    EaseName {
        /// At one speed.
        Linear = "linear",
        /// A quarter of a wave.
        Sine = "sine",
        /// Squared.
        Quad = "quad",
        /// To the third power.
        Cubic = "cubic",
        /// To the fourth power.
        Quart = "quart",
        /// To the fifth power.
        Quint = "quint",
        /// Twice as fast in each tenth.
        Expo = "expo",
        /// Along a quarter of a circle.
        Circ = "circ",
        /// A step back first.
        Back = "back",
        /// As a ball.
        Bounce = "bounce",
        /// As a spring.
        Elastic = "elastic",
        /// A jump.
        Step = "step",
        /// A Bézier curve of one's own.
        Custom = "custom",
    }
}

impl EaseName {
    /// The formula; nothing for an own curve.
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

    /// The word of a formula.
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
    /// The slow end of an ease.
    Slow {
        /// The start.
        In = "in",
        /// The end.
        Out = "out",
        /// Both.
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
    /// The effect of a slider.
    SlideName {
        /// Toward a neighbor.
        Neighbor = "blend to neighbor" | "blend_to_neighbor",
        /// Onto an ease between the neighbors.
        Ease = "ease",
        /// From the key before.
        Left = "scale from left" | "scale_from_left",
        /// From the key after.
        Right = "scale from right" | "scale_from_right",
        /// From the mean.
        Average = "scale from average" | "scale_from_average",
        /// Aslant.
        Shear = "shear",
        /// From the line between the neighbors.
        Push = "push and pull" | "push_and_pull",
        /// Onto the line of a neighbor.
        Slope = "match slope" | "match_slope",
        /// Earlier or later.
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
    /// The effect of a filter.
    FilterName {
        /// Toward what lies between the neighbors.
        Smooth = "smooth",
        /// Removes fast motion.
        LowPass = "low-pass" | "low_pass",
        /// A weighted mean.
        Gaussian = "gaussian",
        /// Removes spikes.
        Peaks = "peaks",
        /// Wavering is added.
        Noise = "noise",
        /// Keys go that the skin does not need.
        Simplify = "simplify",
    }
}

choice! {
    /// The part of nearby keys that follows.
    NearHow {
        /// Values.
        Add = "add",
        /// Times.
        Move = "move",
    }
}

choice! {
    /// The falloff from near to far.
    Fade {
        /// All.
        Constant = "constant",
        /// Evenly less.
        Linear = "linear",
        /// Softly at both ends.
        Smooth = "smooth",
        /// More softly.
        Smoother = "smoother",
        /// Less at once.
        Sharp = "sharp",
        /// Even less at once.
        Sharper = "sharper",
        /// Less toward the rim.
        Root = "root",
        /// As a ball is round.
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
