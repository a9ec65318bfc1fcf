//! Reasons for which a file cannot be opened, as sentences with the location.

use std::path::PathBuf;

use thiserror::Error;
use ulna_model::Location;

/// Reason for which a file is rejected.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The file could not be read.
    #[error("{path} could not be read: {source}. Check that the file exists and that you have \
        permission to read it", path = path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The file is not glTF.
    #[error("this is not a glTF file: {0}. Ulna opens .gltf, .glb and .vrm files of glTF 2.0")]
    NotGltf(String),
    /// The GLB container is damaged.
    #[error("the GLB container is damaged: {0}. Export the model again")]
    Container(String),
    /// The JSON cannot be parsed.
    #[error(
        "the JSON is damaged at line {line}, column {column}: {message}. Export the model again"
    )]
    Json {
        /// Line number, from 1.
        line: usize,
        /// Column number, from 1.
        column: usize,
        /// Message of the parser.
        message: String,
    },
    /// The file has an unsupported glTF version.
    #[error("this file is glTF {0}, but Ulna opens glTF 2.0. Export the model as glTF 2.0")]
    Version(String),
    /// The file requires an extension that Ulna does not support.
    #[error("this file requires the extension {name}, {why}. Export the model without it")]
    Extension {
        /// Name of the extension.
        name: String,
        /// Clause that says why this is a problem.
        why: &'static str,
    },
    /// A part of the document is too damaged for the file to be displayed.
    #[error("{place}: {message}. The file is damaged there; export the model again")]
    Place {
        /// Location of the problem, such as `accessors/3`.
        place: Location,
        /// Description of the problem.
        message: String,
    },
    /// An accessor has no elements.
    #[error("{place}: its count is 0. The file is damaged there; export the model again")]
    Empty {
        /// Location of the accessor, such as `accessors/3`.
        place: Location,
    },
    /// A referenced file is missing or not allowed.
    #[error("{place}: {message}")]
    Uri {
        /// Location of the reference.
        place: Location,
        /// Description of the problem, with advice.
        message: String,
    },
    /// Reading the file would need too much memory.
    #[error(
        "{place}: it would need {wanted} bytes of memory, far more than the size of the file \
            allows. The file is damaged or malicious; export the model again"
    )]
    Memory {
        /// Location of the element that needs the memory.
        place: Location,
        /// Required memory in bytes.
        wanted: u64,
    },
    /// A file of another format cannot be read.
    #[error("this {format} file cannot be read: {message}")]
    Foreign {
        /// Name of the format.
        format: &'static str,
        /// Description of the problem, with advice.
        message: String,
    },
    /// The user canceled the operation.
    #[error("opening was canceled")]
    Canceled,
}

impl ReadError {
    /// Stable error code for scripts, independent of the message text.
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

    /// Description of the problem without location and advice, for problems in spite of which the
    /// file is opened.
    pub fn fault(&self) -> String {
        match self {
            Self::Place { message, .. } | Self::Uri { message, .. } => message.clone(),
            Self::Empty { .. } => "its count is 0".into(),
            other => other.to_string(),
        }
    }

    /// Location of the problem, if it is known.
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

    /// Code of a finding about this error.
    pub const fn finding_code(&self) -> &'static str {
        match self {
            Self::Empty { .. } => "VALUE_NOT_IN_RANGE",
            _ => "ULNA_UNREADABLE",
        }
    }

    /// Creates an error for a problem at a location.
    pub fn at(place: impl Into<Location>, message: impl Into<String>) -> Self {
        Self::Place { place: place.into(), message: message.into() }
    }
}
