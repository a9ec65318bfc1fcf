//! Why a file was not saved.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

use thiserror::Error;

use ulna_formats::gltf::SaveError;

/// Why a file was not saved. What was on disk before is whole.
#[derive(Debug, Error)]
pub enum SaveFailure {
    /// The bytes could not be made.
    #[error("{path} was not saved: {source}", path = path.display())]
    Pack {
        /// The file.
        path: PathBuf,
        /// Why.
        source: SaveError,
    },
    /// The disk.
    #[error("Could not save {name}: {reason}. The file on disk is unchanged", name = name_of(path),
        reason = reason(source))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// What was written is not what was meant.
    #[error("{path} was not saved: the written data failed the check ({message}). The file on disk \
        is unchanged", path = path.display())]
    Verify {
        /// The file.
        path: PathBuf,
        /// What differs.
        message: String,
    },
    /// A file of somebody else's is in the way of one that the model needs.
    #[error("{path} already exists and belongs to another model. Save into another folder, or move \
        that file away", path = path.display())]
    Stranger {
        /// The file.
        path: PathBuf,
    },
    /// Another file is there.
    #[error("{path} already exists. Use --force to replace it, or choose another name",
        path = path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Somebody changed the file since it was opened.
    #[error("{path} was changed by another program since it was opened. Reload it, save under \
        another name, or confirm that it may be overwritten", path = path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The file was removed since it was opened.
    #[error("{path} was removed since it was opened. Confirm that it may be created again, or save \
        under another name", path = path.display())]
    Gone {
        /// The file.
        path: PathBuf,
    },
    /// There is no such folder.
    #[error("Could not save {name}: the folder {folder} does not exist. Create it first, or save \
        to another folder", name = name_of(path), folder = folder.display())]
    NoFolder {
        /// The file.
        path: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
    /// The file must not be written.
    #[error("{path} is read-only. Make it writable, check it out in your version control, or save \
        under another name", path = path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// A folder, a device, a pipe.
    #[error("{path} is {what}, not a file. Choose another name", path = path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// The file has several names, and a save would part them.
    #[error("{path} has {names} names (hard links), and saving would break the link to the others. \
        Save under another name, or remove {path} first", path = path.display())]
    Linked {
        /// The file.
        path: PathBuf,
        /// How many names.
        names: u64,
    },
    /// A suffix that is not glTF's.
    #[error("“{0}” is not a glTF file name. Use a name that ends in .glb or .gltf")]
    Suffix(String),
    /// Nowhere to save to.
    #[error("this model has not been saved to a file yet. Use “Save as…”")]
    NoPath,
}

impl SaveFailure {
    /// The code that stays the same for scripts, whatever the words are.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Pack { source, .. } => source.code(),
            Self::Io { .. } => "output_not_writable",
            Self::Verify { .. } => "written_file_differs",
            Self::Stranger { .. } => "other_file_in_the_way",
            Self::Exists { .. } => "output_exists",
            Self::Changed { .. } => "file_changed_on_disk",
            Self::Gone { .. } => "file_removed_from_disk",
            Self::NoFolder { .. } => "no_such_folder",
            Self::ReadOnly { .. } => "output_is_read_only",
            Self::NotAFile { .. } => "output_is_no_file",
            Self::Linked { .. } => "output_has_hard_links",
            Self::Suffix(_) => "wrong_ending",
            Self::NoPath => "no_path",
        }
    }
}

fn name_of(path: &Path) -> String {
    path.file_name()
        .map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// The cause of a failed write, and a way out. Causes that are rare are in the system's words.
fn reason(source: &std::io::Error) -> String {
    let known = match source.kind() {
        ErrorKind::StorageFull => {
            "the disk is full. Free some disk space, or save to another folder"
        }
        ErrorKind::QuotaExceeded => {
            "your disk quota is exceeded. Free some disk space, or save to another folder"
        }
        ErrorKind::ReadOnlyFilesystem => "the disk is read-only. Save to another folder",
        ErrorKind::PermissionDenied => {
            "you have no permission to write to this folder. Save to another folder"
        }
        _ => return source.to_string(),
    };
    known.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_is_told_without_codes_of_the_system() {
        let io = |kind: ErrorKind| SaveFailure::Io {
            path: PathBuf::from("/models/Fox.glb"),
            source: kind.into(),
        };
        assert_eq!(
            io(ErrorKind::StorageFull).to_string(),
            "Could not save Fox.glb: the disk is full. Free some disk space, or save to another \
                folder. The file on disk is unchanged"
        );
        let folder = SaveFailure::NoFolder {
            path: PathBuf::from("/gone/Fox.glb"),
            folder: PathBuf::from("/gone"),
        };
        assert_eq!(
            folder.to_string(),
            "Could not save Fox.glb: the folder /gone does not exist. Create it first, or save to \
                another folder"
        );
    }
}
