//! Choices for curves on the timeline that are kept from start to start.

use serde::{Deserialize, Serialize};

use ulna_edit::command::{EaseName, Slow};
use ulna_motion::curves::Ease;

/// The difference between curves that their colors tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CurveColors {
    /// Color by axis: X red, Y green, Z blue. Dashes distinguish joints.
    #[default]
    ByAxis,
    /// One color per joint. Dashes distinguish axes.
    ByJoint,
}

/// The curves that are shown where no eye says otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CurvesOf {
    /// The curves of selected joints.
    #[default]
    Selected,
    /// The curves of all channels that move.
    Moving,
    /// None: what is isolated has its eyes.
    None,
}

/// The content of the strip under the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpeedStrip {
    /// Nothing: the strip is not there.
    #[default]
    Off,
    /// Speed of the active joint's tip, meters a second.
    Speed,
    /// Its acceleration, meters a second squared.
    Acceleration,
}

impl SpeedStrip {
    /// The next content of the strip, in turn.
    pub const fn next(self) -> Self {
        match self {
            Self::Off => Self::Speed,
            Self::Speed => Self::Acceleration,
            Self::Acceleration => Self::Off,
        }
    }
}

/// An ease that was saved under a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnEase {
    /// Its name, which no other one has.
    pub name: String,
    /// The formula.
    pub shape: EaseName,
    /// The slow end.
    pub way: Slow,
    /// The amount, 0 to [`Ease::MOST`].
    pub amount: f32,
}

impl OwnEase {
    /// An ease under a name.
    pub fn new(name: &str, ease: &Ease) -> Self {
        Self {
            name: name.to_owned(),
            shape: EaseName::of(ease.shape),
            way: ease.way.into(),
            amount: ease.amount as f32,
        }
    }

    /// The ease; nothing where its formula is not known here.
    pub fn ease(&self) -> Option<Ease> {
        let amount = f64::from(self.amount).clamp(0.0, Ease::MOST);
        Some(Ease { shape: self.shape.shape()?, way: self.way.into(), amount })
    }
}

/// Choices for curves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CurveSettings {
    /// Points of the rows of keys over the curves, where both are shown; 0 for as many as fit.
    pub split: f32,
    /// Color scheme of the curves.
    pub colors: CurveColors,
    /// The curves that are listed.
    pub of: CurvesOf,
    /// The content of the strip under the graph.
    pub strip: SpeedStrip,
    /// Eases that were saved, the oldest first.
    pub eases: Vec<OwnEase>,
}

impl CurveSettings {
    /// The same with numbers that a damaged file cannot spoil.
    pub fn clamped(mut self) -> Self {
        self.split = if self.split.is_finite() { self.split.clamp(0.0, 4000.0) } else { 0.0 };
        if self.of == CurvesOf::None {
            self.of = CurvesOf::Selected;
        }
        self.eases.retain(|e| e.amount.is_finite() && !e.name.is_empty());
        self
    }
}
