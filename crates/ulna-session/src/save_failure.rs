//! Reasons why a file was not saved.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

use thiserror::Error;

use ulna_formats::gltf::SaveError;

/// Reason why a file was not saved. The file on disk is unchanged.
#[derive(Debug, Error)]
pub enum SaveFailure {
    /// The document cannot be packed.
    #[error("{path} was not saved: {source}", path = path.display())]
    Pack {
        /// Path of the file.
        path: PathBuf,
        /// Reason why packing failed.
        source: SaveError,
    },
    /// An I/O operation failed.
    #[error("Could not save {name}: {reason}. The file on disk is unchanged", name = name_of(path),
        reason = reason(source))]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The packed data differs from the document when it is read again.
    #[error("{path} was not saved: the written data failed the check ({message}). The file on disk \
        is unchanged", path = path.display())]
    Verify {
        /// Path of the file.
        path: PathBuf,
        /// Description of the first difference.
        message: String,
    },
    /// A data file of another model already has the name that a data file of this model needs.
    #[error("{path} already exists and belongs to another model. Save into another folder, or move \
        that file away", path = path.display())]
    Stranger {
        /// Path of that data file.
        path: PathBuf,
    },
    /// Another file already exists at the path.
    #[error("{path} already exists. Use --force to replace it, or choose another name",
        path = path.display())]
    Exists {
        /// Path of the file.
        path: PathBuf,
    },
    /// Another program changed the file since it was opened.
    #[error("{path} was changed by another program since it was opened. Reload it, save under \
        another name, or confirm that it may be overwritten", path = path.display())]
    Changed {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file was removed since it was opened.
    #[error("{path} was removed since it was opened. Confirm that it may be created again, or save \
        under another name", path = path.display())]
    Gone {
        /// Path of the file.
        path: PathBuf,
    },
    /// The folder of the path does not exist.
    #[error("Could not save {name}: the folder {folder} does not exist. Create it first, or save \
        to another folder", name = name_of(path), folder = folder.display())]
    NoFolder {
        /// Path of the file.
        path: PathBuf,
        /// Path of the folder.
        folder: PathBuf,
    },
    /// The file is read-only.
    #[error("{path} is read-only. Make it writable, check it out in your version control, or save \
        under another name", path = path.display())]
    ReadOnly {
        /// Path of the file.
        path: PathBuf,
    },
    /// The path is a folder, a device or a pipe instead of a file.
    #[error("{path} is {what}, not a file. Choose another name", path = path.display())]
    NotAFile {
        /// Path to which the file was to be saved.
        path: PathBuf,
        /// Kind of the object at the path.
        what: &'static str,
    },
    /// The file has several hard links, and saving would separate them.
    #[error("{path} has {names} names (hard links), and saving would break the link to the others. \
        Save under another name, or remove {path} first", path = path.display())]
    Linked {
        /// Path of the file.
        path: PathBuf,
        /// Number of hard links of the file.
        names: u64,
    },
    /// The suffix of the path is not `.glb` or `.gltf`.
    #[error("“{0}” is not a glTF file name. Use a name that ends in .glb or .gltf")]
    Suffix(String),
    /// The document has no path to save to yet.
    #[error("this model has not been saved to a file yet. Use “Save as…”")]
    NoPath,
}

impl SaveFailure {
    /// Returns the error code for scripts, which is stable across versions.
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

/// Explains why writing failed, and what to do. Rare causes have only the text of the system.
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
    fn a_failed_write_is_reported_without_system_error_codes() {
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
