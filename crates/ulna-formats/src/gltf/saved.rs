//! Saving: its options, its results and its errors.

use std::{fmt, sync::Arc};

use thiserror::Error;

use super::ReadError;
use ulna_model::{Notice, Renumbering};

/// Why a document cannot be saved. The file on disk is untouched then.
#[derive(Debug, Error)]
pub enum SaveError {
    /// The opened bytes, which saving starts from, no longer read as they did.
    #[error("the opened file cannot be read again: {0}")]
    Source(ReadError),
    /// A GLB cannot hold more than 4 GiB.
    #[error("the file would exceed the maximum size of a GLB (4 GiB). Save it as .gltf")]
    TooLarge(#[from] std::num::TryFromIntError),
    /// A change this writer has no form for.
    #[error("{0}")]
    Unsupported(String),
}

impl SaveError {
    /// The code that stays the same for scripts, whatever the words are.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Source(error) => error.code(),
            Self::TooLarge(_) => "too_large_for_glb",
            Self::Unsupported(_) => "change_not_storable",
        }
    }

    /// A change of this kind, there, has no form yet.
    pub(super) fn no_form(place: impl fmt::Display, what: &str) -> Self {
        Self::Unsupported(format!(
            "{place}: {what} cannot be saved yet. Undo that edit, then save again"
        ))
    }
}

/// A file to put beside the main one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileToWrite {
    /// Relative to the folder of the main file.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What saving writes, and what of the file it changes.
#[derive(Clone, Debug)]
pub struct Saved {
    /// The file.
    pub bytes: Arc<Vec<u8>>,
    /// Data of ours beside a `.gltf`.
    pub companions: Vec<FileToWrite>,
    /// Sentences: what changes in the file, element by element.
    pub changes: Vec<String>,
    /// Sentences: what stays in the file in place of removed elements, and why.
    pub stays: Vec<Notice>,
    /// Indices in the file by the ids of the document: others where elements were removed.
    pub renumbering: Renumbering,
    /// Number of springs of a VRM avatar that the file lacks now, because all their nodes were
    /// removed.
    pub springs_removed: usize,
}

/// A file in the other container.
#[derive(Clone, Debug)]
pub struct Transcoded {
    /// The file.
    pub bytes: Vec<u8>,
    /// Files to put beside it.
    pub beside: Vec<FileToWrite>,
    /// Sentences: what the other container has no place for.
    pub lost: Vec<Notice>,
}

/// What saving may add to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SaveOptions {
    /// Whether the rest of a posed node is remembered in its `extras` where no skin carries it, so
    /// that *Reset to rest* works after opening the file again.
    pub remember_rest: bool,
}

impl Default for SaveOptions {
    fn default() -> Self {
        Self { remember_rest: true }
    }
}
