//! Reasons why an export can fail.

use std::{io, path::PathBuf};

use thiserror::Error;

use ulna_formats::gltf::{ExportError, ReadError, SaveError};

/// Reason why an export failed.
#[derive(Debug, Error)]
pub enum ExportFailure {
    /// No clip was selected for the export.
    #[error(
        "no clip is selected, so there is nothing to export; select clips, or export a single file"
    )]
    NoClip,
    /// The target path has no file name, or no suffix.
    #[error("give the file a name that ends in .glb or .gltf")]
    NoName,
    /// The frame rate is out of range.
    #[error("the frame rate {0} is invalid; use 0.01 to 10000 frames per second")]
    Rate(f64),
    /// The target already exists.
    #[error("{} already exists; choose another name, or allow replacing it", .0.display())]
    IsThere(PathBuf),
    /// The target is the open file. An export must not replace it.
    #[error("{} is the open file; choose another name, or use “Save”", .0.display())]
    IsOpen(PathBuf),
    /// The target has several hard links. Replacing it would separate them.
    #[error("{} has {names} names (hard links), and exporting would break the link to the others. \
        Choose another name, or remove the file first", .path.display())]
    Linked {
        /// Path of the target.
        path: PathBuf,
        /// Number of hard links of the target.
        names: u64,
    },
    /// The document cannot be packed.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// An exported file cannot be read back.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An exported file cannot be made.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// The system refused to write a file.
    #[error("{} could not be written: {error}. \
        {}", .path.display(), left_behind(*.written, *.count))]
    Write {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        error: io::Error,
        /// Number of replaced files that could not be restored.
        written: usize,
        /// Number of files in the export.
        count: usize,
    },
}

impl ExportFailure {
    /// Returns the error code for scripts, which is stable across versions.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoClip => "no_clip_chosen",
            Self::NoName => "wrong_ending",
            Self::Rate(_) => "argument_out_of_range",
            Self::IsThere(_) => "output_exists",
            Self::IsOpen(_) => "output_is_open_file",
            Self::Linked { .. } => "output_has_hard_links",
            Self::Save(error) => error.code(),
            Self::Read(error) => error.code(),
            Self::Export(error) => error.code(),
            Self::Write { .. } => "output_not_writable",
        }
    }

    /// Whether the failure means that the user canceled the export.
    pub const fn is_canceled(&self) -> bool {
        matches!(self, Self::Read(ReadError::Canceled))
    }
}

fn left_behind(written: usize, count: usize) -> String {
    match written {
        0 => "No file was changed; choose another folder, or free some disk space".to_owned(),
        n => format!("{n} of {count} files were replaced by new ones"),
    }
}
