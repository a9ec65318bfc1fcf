//! Options, results and errors of saving.

use std::{fmt, sync::Arc};

use thiserror::Error;

use super::ReadError;
use ulna_model::{Notice, Renumbering};

/// Reason for which a document cannot be saved. The file on disk is not changed.
#[derive(Debug, Error)]
pub enum SaveError {
    /// The opened bytes cannot be read again.
    #[error("the opened file cannot be read again: {0}")]
    Source(ReadError),
    /// The file would exceed 4 GiB, the maximum size of a GLB.
    #[error("the file would exceed the maximum size of a GLB (4 GiB). Save it as .gltf")]
    TooLarge(#[from] std::num::TryFromIntError),
    /// A change cannot be expressed in the file.
    #[error("{0}")]
    Unsupported(String),
}

impl SaveError {
    /// Stable error code for scripts, independent of the message text.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Source(error) => error.code(),
            Self::TooLarge(_) => "too_large_for_glb",
            Self::Unsupported(_) => "change_not_storable",
        }
    }

    /// Creates an error for a change that cannot be expressed in the file yet.
    pub(super) fn no_form(place: impl fmt::Display, what: &str) -> Self {
        Self::Unsupported(format!(
            "{place}: {what} cannot be saved yet. Undo that edit, then save again"
        ))
    }
}

/// A file to write next to the main file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileToWrite {
    /// Path relative to the folder of the main file.
    pub name: String,
    /// Content of the file.
    pub bytes: Vec<u8>,
}

/// Result of a save in memory.
#[derive(Clone, Debug)]
pub struct Saved {
    /// Bytes of the saved file.
    pub bytes: Arc<Vec<u8>>,
    /// Data files of Ulna to write next to a `.gltf`.
    pub companions: Vec<FileToWrite>,
    /// One sentence per changed element.
    pub changes: Vec<String>,
    /// Notices about placeholders that stay in the file for removed elements, with the reason.
    pub stays: Vec<Notice>,
    /// Mapping from document ids to indices in the saved file. They differ if elements were
    /// removed.
    pub renumbering: Renumbering,
    /// Number of springs of a VRM avatar that were removed because all their nodes were removed.
    pub springs_removed: usize,
}

/// A file converted to the other container.
#[derive(Clone, Debug)]
pub struct Transcoded {
    /// Bytes of the converted file.
    pub bytes: Vec<u8>,
    /// Files to write next to the converted file.
    pub beside: Vec<FileToWrite>,
    /// Notices about content that the other container cannot store.
    pub lost: Vec<Notice>,
}

/// Optional data that saving may add to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SaveOptions {
    /// Whether the rest pose of a posed node is stored in its `extras` if no skin defines it.
    /// *Reset to rest* then also works after reopening the file.
    pub remember_rest: bool,
}

impl Default for SaveOptions {
    fn default() -> Self {
        Self { remember_rest: true }
    }
}
