//! Errors of an export.

use thiserror::Error;

use super::super::{ReadError, SaveError};

/// Reason for which an export failed.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The source cannot be read.
    #[error(transparent)]
    Source(#[from] ReadError),
    /// The JSON is nested too deeply to be rewritten.
    #[error(
        "the JSON of the file cannot be rewritten: {0}. Use “convert”, which copies it unchanged"
    )]
    Json(#[from] serde_json::Error),
    /// The result is too large.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// Compressed data of a buffer view cannot be decoded.
    #[error(
        "data packed with {0} is damaged and cannot be exported. Export the model from its source \
            program again, or use “convert”"
    )]
    Packed(&'static str),
    /// An unknown extension refers to data by index, and its indices cannot be updated.
    #[error(
        "the file uses the extension {0}, whose indices Ulna cannot update for an export. Use \
            “convert”, which copies everything unchanged"
    )]
    Foreign(String),
}

impl ExportError {
    /// Stable error code for scripts, independent of the message text.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Source(error) => error.code(),
            Self::Json(_) => "json_too_deep",
            Self::Save(error) => error.code(),
            Self::Packed(_) => "packed_data_damaged",
            Self::Foreign(_) => "unknown_extension_has_data",
        }
    }
}
