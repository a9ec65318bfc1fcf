//! Settings of the curve editor that are stored between launches.

use serde::{Deserialize, Serialize};

use ulna_edit::command::{EaseName, Slow};
use ulna_motion::curves::Ease;

/// The meaning of curve colors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CurveColors {
    /// Color by axis: X red, Y green, Z blue. Dashes distinguish joints.
    #[default]
    ByAxis,
    /// One color per joint. Dashes distinguish axes.
    ByJoint,
}

/// Curves that are listed by default. The user can also show or hide single curves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CurvesOf {
    /// Curves of the selected joints.
    #[default]
    Selected,
    /// Curves of all channels that change over the clip.
    Moving,
    /// No curves, except those that the user shows one by one.
    None,
}

/// Content of the strip below the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpeedStrip {
    /// No strip.
    #[default]
    Off,
    /// Speed of the active joint's tip, in meters per second.
    Speed,
    /// Acceleration of the active joint's tip, in meters per second squared.
    Acceleration,
}

impl SpeedStrip {
    /// The next content in the cycle: off, speed, acceleration.
    pub const fn next(self) -> Self {
        match self {
            Self::Off => Self::Speed,
            Self::Speed => Self::Acceleration,
            Self::Acceleration => Self::Off,
        }
    }
}

/// An easing curve that the user saved under a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnEase {
    /// Unique name of the ease.
    pub name: String,
    /// Formula of the ease.
    pub shape: EaseName,
    /// The slow end: start, end or both.
    pub way: Slow,
    /// Amount of the ease, 0 to [`Ease::MOST`].
    pub amount: f32,
}

impl OwnEase {
    /// Creates a named ease.
    pub fn new(name: &str, ease: &Ease) -> Self {
        Self {
            name: name.to_owned(),
            shape: EaseName::of(ease.shape),
            way: ease.way.into(),
            amount: ease.amount as f32,
        }
    }

    /// The ease as a formula with parameters; `None` if the formula is unknown to this version.
    pub fn ease(&self) -> Option<Ease> {
        let amount = f64::from(self.amount).clamp(0.0, Ease::MOST);
        Some(Ease { shape: self.shape.shape()?, way: self.way.into(), amount })
    }
}

/// Settings of the curve editor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CurveSettings {
    /// Height in points of the key rows above the curves; 0 fits as many rows as possible.
    pub split: f32,
    /// Color scheme of the curves.
    pub colors: CurveColors,
    /// The listed curves.
    pub of: CurvesOf,
    /// Content of the strip below the graph.
    pub strip: SpeedStrip,
    /// Saved eases, oldest first.
    pub eases: Vec<OwnEase>,
}

impl CurveSettings {
    /// Clamps all numbers to valid ranges, in case the stored file is damaged.
    pub fn clamped(mut self) -> Self {
        self.split = if self.split.is_finite() { self.split.clamp(0.0, 4000.0) } else { 0.0 };
        if self.of == CurvesOf::None {
            self.of = CurvesOf::Selected;
        }
        self.eases.retain(|e| e.amount.is_finite() && !e.name.is_empty());
        self
    }
}
