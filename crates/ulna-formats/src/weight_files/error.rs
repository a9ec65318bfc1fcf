//! Errors of weight files, and limits of their numbers.

use thiserror::Error;

/// Reason for which a text cannot be read as weights.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum WeightFileError {
    /// The text is not a JSON file with weights.
    #[error("it is not a JSON file with weights: {0}")]
    Json(String),
    /// The text is not valid XML.
    #[error("it is not valid XML: {0}")]
    Xml(String),
    /// The XML contains no deformer weights.
    #[error("it is not an XML file of deformer weights: {0}")]
    NotWeights(String),
    /// A number is invalid or out of range.
    #[error("{place}: {what}")]
    Number {
        /// Location of the number.
        place: String,
        /// Description of the problem.
        what: String,
    },
}

impl WeightFileError {
    /// Stable error code for scripts, independent of the message text.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Json(_) => "weights_json_damaged",
            Self::Xml(_) => "weights_xml_damaged",
            Self::NotWeights(_) => "not_weights",
            Self::Number { .. } => "weights_number_wrong",
        }
    }
}

/// Maximum number of vertices per shape. Larger numbers in a file are invalid, and no memory is
/// allocated for them.
pub(super) const MOST_VERTICES: usize = 64 << 20;

/// Checks that a weight in a file is valid, and returns it.
pub(super) fn weight(value: f32, place: impl FnOnce() -> String) -> Result<f32, WeightFileError> {
    match value.is_finite() && (0.0..=1e6).contains(&value) {
        true => Ok(value),
        false => Err(WeightFileError::Number {
            place: place(),
            what: format!("{value} is not a weight; weights must be 0 or more"),
        }),
    }
}
