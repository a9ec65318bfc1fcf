//! Refusals of weight files: the error, and the limits of numbers.

use thiserror::Error;

/// Why a text holds no weights.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum WeightFileError {
    /// It is no JSON of ours.
    #[error("it is not a JSON file with weights: {0}")]
    Json(String),
    /// It is no XML.
    #[error("it is not valid XML: {0}")]
    Xml(String),
    /// It is another XML.
    #[error("it is not an XML file of deformer weights: {0}")]
    NotWeights(String),
    /// A number is none, or out of its range.
    #[error("{place}: {what}")]
    Number {
        /// Where.
        place: String,
        /// What is wrong.
        what: String,
    },
}

impl WeightFileError {
    /// The code that stays the same for scripts, whatever the words are.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Json(_) => "weights_json_damaged",
            Self::Xml(_) => "weights_xml_damaged",
            Self::NotWeights(_) => "not_weights",
            Self::Number { .. } => "weights_number_wrong",
        }
    }
}

/// Vertices of a shape at most: numbers past that are a broken file, and nothing is allocated for
/// them.
pub(super) const MOST_VERTICES: usize = 64 << 20;

/// A weight as it may stand in a file.
pub(super) fn weight(value: f32, place: impl FnOnce() -> String) -> Result<f32, WeightFileError> {
    match value.is_finite() && (0.0..=1e6).contains(&value) {
        true => Ok(value),
        false => Err(WeightFileError::Number {
            place: place(),
            what: format!("{value} is not a weight; weights must be 0 or more"),
        }),
    }
}
