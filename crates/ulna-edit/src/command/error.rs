//! Errors of reading and running commands.

use thiserror::Error;

use crate::EditError;
use ulna_model::{Notice, TransformError};

/// The reason why a command failed. The document is then unchanged.
#[derive(Debug, Error)]
pub enum CommandError {
    /// The command does not exist.
    #[error("there is no command “{name}”{near}; `ulna commands` lists them")]
    Unknown {
        /// Requested name.
        name: String,
        /// A similar name, in parentheses; or empty.
        near: String,
    },
    /// The line is not a JSON object with a member `do`.
    #[error(
        "a command must be an object such as {{\"do\":\"pose.reset\",\"node\":\"Hips\"}}, but is \
        {0}"
    )]
    Shape(String),
    /// An argument is missing, unknown or of the wrong type.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    /// A transform cannot be applied to a node.
    #[error("{node}: {source}")]
    Transform {
        /// The node's name.
        node: String,
        /// The reason why the transform cannot be applied.
        source: TransformError,
    },
    /// An edit is invalid.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// Any other reason, as a sentence.
    #[error("{0}")]
    Other(Notice),
}

impl CommandError {
    /// Returns an error without its own variant, with a code and a sentence.
    pub fn other(code: &'static str, message: impl Into<String>) -> Self {
        Self::Other(Notice::new(code, message))
    }

    /// Returns the code of the error, for scripts. It stays the same if the message changes.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "no_such_command",
            Self::Shape(_) => "not_a_command",
            Self::Argument(error) => error.code(),
            Self::Transform { source, .. } => source.code(),
            Self::Edit(error) => error.code(),
            Self::Other(notice) => notice.code,
        }
    }
}

/// Returns an error with a stable code and a sentence.
pub(super) fn refuse<T>(code: &'static str, message: impl Into<String>) -> Result<T, CommandError> {
    Err(CommandError::other(code, message))
}

/// Returns an argument if it is in `0..=1`, or else an error.
pub(super) fn share(value: f32, name: &str) -> Result<f32, CommandError> {
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        refuse("argument_out_of_range", format!("“{name}” must be 0 to 1, but is {value}"))
    }
}

/// Error in an argument.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ArgumentError {
    /// A required argument is missing.
    #[error("{command} needs the argument “{name}”")]
    Missing {
        /// Name of the command.
        command: String,
        /// Name of the argument.
        name: &'static str,
    },
    /// The command has no such argument.
    #[error("{command} has no argument “{name}”{near}")]
    Unknown {
        /// Name of the command.
        command: String,
        /// Name of the argument.
        name: String,
        /// A similar name, in parentheses; or empty.
        near: String,
    },
    /// The argument has another type.
    #[error("“{name}” should be {wanted}, but is {found}")]
    Type {
        /// Name of the argument.
        name: String,
        /// Description of the expected type.
        wanted: &'static str,
        /// The value, as text.
        found: String,
    },
    /// The argument is none of the allowed words.
    #[error("“{name}” should be one of {wanted}, but is {found}{near}")]
    Choice {
        /// Name of the argument.
        name: String,
        /// The allowed words.
        wanted: String,
        /// The value, as text.
        found: String,
        /// A similar word, in parentheses; or empty.
        near: String,
    },
    /// No node, clip or mesh has the name.
    #[error("there is no node, clip or mesh named “{name}”{near}")]
    NotFound {
        /// The name that was not found.
        name: String,
        /// A similar name, in parentheses; or empty.
        near: String,
    },
    /// Several nodes match the name.
    #[error("“{name}” matches {count} nodes; use {ways}")]
    Ambiguous {
        /// The name, the path or the pattern.
        name: String,
        /// Number of matches.
        count: usize,
        /// Unambiguous texts for the matching nodes, as part of a sentence.
        ways: String,
    },
    /// Several clips match the name or pattern, but one is needed.
    #[error("“{name}” matches {count} clips; use {ways}")]
    AmbiguousClip {
        /// The name, or the pattern.
        name: String,
        /// Number of matches.
        count: usize,
        /// Unambiguous texts for the matching clips, as part of a sentence.
        ways: String,
    },
    /// A list that must have elements is empty.
    #[error("“{0}” is an empty list; add at least one element, or omit it")]
    Empty(String),
    /// Two arguments exclude each other.
    #[error("“{0}” and “{1}” cannot be used together; use only one of them")]
    Both(&'static str, &'static str),
    /// No clip has the name.
    #[error("there is no clip named “{name}”{near}; {there}")]
    NoClip {
        /// The name that was not found.
        name: String,
        /// A similar name, in parentheses; or empty.
        near: String,
        /// List of the existing clips, as part of a sentence.
        there: String,
    },
}

impl ArgumentError {
    /// Returns the code of the error, for scripts. It stays the same if the message changes.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "argument_missing",
            Self::Unknown { .. } => "argument_unknown",
            Self::Type { .. } => "argument_type",
            Self::Choice { .. } => "argument_choice",
            Self::NotFound { .. } => "no_such_name",
            Self::Ambiguous { .. } => "name_ambiguous",
            Self::AmbiguousClip { .. } => "clip_ambiguous",
            Self::Empty(_) => "argument_empty",
            Self::Both(..) => "arguments_exclusive",
            Self::NoClip { .. } => "no_such_clip",
        }
    }
}
