//! Why a file cannot be opened, in sentences that name the place.

use std::path::PathBuf;

use thiserror::Error;
use ulna_model::Location;

/// A file that is refused.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The file could not be read at all.
    #[error("{path} could not be read: {source}. Check that the file exists and that you have \
        permission to read it", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Nothing of glTF is in it.
    #[error("this is not a glTF file: {0}. Ulna opens .gltf, .glb and .vrm files of version 2")]
    NotGltf(String),
    /// The GLB container is broken.
    #[error("the GLB container is damaged: {0}. Export the model again")]
    Container(String),
    /// The JSON does not parse.
    #[error(
        "the JSON is damaged at line {line}, column {column}: {message}. Export the model again"
    )]
    Json {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// What the parser says.
        message: String,
    },
    /// A version Ulna does not know.
    #[error("this file is glTF {0}. Ulna opens version 2")]
    Version(String),
    /// An extension the file cannot be shown without.
    #[error(
        "this file requires the extension {name}, which Ulna does not support{why}. Export the \
            model without it"
    )]
    Extension {
        /// Its name.
        name: String,
        /// What more there is to say; begins with a comma or is empty.
        why: &'static str,
    },
    /// Something in the document that cannot be shown, not even in part.
    #[error("{place}: {message}. The file is damaged there; export the model again")]
    Place {
        /// A path such as `accessors/3`.
        place: Location,
        /// What is wrong.
        message: String,
    },
    /// An accessor holds nothing.
    #[error("{place}: its count is 0. The file is damaged there; export the model again")]
    Empty {
        /// A path such as `accessors/3`.
        place: Location,
    },
    /// A file it names is refused or missing.
    #[error("{place}: {message}")]
    Uri {
        /// Where the name stands.
        place: Location,
        /// What is wrong and what to do.
        message: String,
    },
    /// Reading it would take more memory than such a file may.
    #[error(
        "{place}: it would need {wanted} bytes of memory, far more than the size of the file \
            allows. The file is damaged or malicious"
    )]
    Memory {
        /// Where.
        place: Location,
        /// How much.
        wanted: u64,
    },
    /// A file of another format cannot be read.
    #[error("this {format} file cannot be read: {message}")]
    Foreign {
        /// What the format is called.
        format: &'static str,
        /// What is wrong and what to do.
        message: String,
    },
    /// Somebody canceled.
    #[error("opening was canceled")]
    Canceled,
}

impl ReadError {
    /// The code that stays the same for scripts, whatever the words are.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Io { .. } => "file_unreadable",
            Self::NotGltf(_) => "not_gltf",
            Self::Container(_) => "container_damaged",
            Self::Json { .. } => "json_damaged",
            Self::Version(_) => "version_unknown",
            Self::Extension { .. } => "extension_unknown",
            Self::Place { .. } => "file_damaged",
            Self::Empty { .. } => "accessor_empty",
            Self::Uri { .. } => "named_file_unusable",
            Self::Memory { .. } => "too_much_memory",
            Self::Foreign { .. } => "foreign_file_unreadable",
            Self::Canceled => "canceled",
        }
    }

    /// What is wrong, without the place and without what to do, for a fault that does not refuse
    /// the file.
    pub fn fault(&self) -> String {
        match self {
            Self::Place { message, .. } | Self::Uri { message, .. } => message.clone(),
            Self::Empty { .. } => "its count is 0".into(),
            other => other.to_string(),
        }
    }

    /// Where it is, where that is known.
    pub fn place(&self) -> Option<Location> {
        match self {
            Self::Place { place, .. } | Self::Uri { place, .. } | Self::Empty { place }
                if !place.is_file() =>
            {
                Some(place.clone())
            }
            _ => None,
        }
    }

    /// The code of a finding for it.
    pub const fn finding_code(&self) -> &'static str {
        match self {
            Self::Empty { .. } => "VALUE_NOT_IN_RANGE",
            _ => "ULNA_UNREADABLE",
        }
    }

    /// A place and what is wrong there.
    pub fn at(place: impl Into<Location>, message: impl Into<String>) -> Self {
        Self::Place { place: place.into(), message: message.into() }
    }
}
