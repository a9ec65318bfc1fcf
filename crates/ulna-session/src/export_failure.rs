//! Why an export failed.

use std::{io, path::PathBuf};

use thiserror::Error;

use ulna_formats::gltf::{ExportError, ReadError, SaveError};

/// Why nothing was exported.
#[derive(Debug, Error)]
pub enum ExportFailure {
    /// No clip is meant.
    #[error(
        "no clip is selected, so there is nothing to export; select clips, or export a single file"
    )]
    NoClip,
    /// A path that says nothing.
    #[error("give the file a name that ends in .glb or .gltf")]
    NoName,
    /// A rate that makes no frames.
    #[error("the frame rate {0} is invalid; use 0.01 to 10000 frames per second")]
    Rate(f64),
    /// Something is there already.
    #[error("{} already exists; choose another name, or allow replacing it", .0.display())]
    IsThere(PathBuf),
    /// The document's own file is not what an export may replace.
    #[error("{} is the open file; choose another name, or use “Save”", .0.display())]
    IsOpen(PathBuf),
    /// The file has several hard links, and an export would part them.
    #[error("{} has {names} names (hard links), and exporting would break the link to the others. \
        Choose another name, or remove the file first", .path.display())]
    Linked {
        /// The file.
        path: PathBuf,
        /// How many names.
        names: u64,
    },
    /// The document cannot be packed.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// It does not read back.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It cannot be written anew.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// The system does not let it be written.
    #[error("{} could not be written: {error}. \
        {}", .path.display(), left_behind(*.written, *.count))]
    Write {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
        /// How many replaced others and could not be put back.
        written: usize,
        /// How many there were to be.
        count: usize,
    },
}

impl ExportFailure {
    /// The code that stays the same for scripts, whatever the words are.
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

    /// Whether somebody canceled it.
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
