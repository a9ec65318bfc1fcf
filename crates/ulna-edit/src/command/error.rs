//! Why a command could not be read or done.

use thiserror::Error;

use crate::EditError;
use ulna_model::{Notice, TransformError};

/// Why a command could not be done. The document is unchanged then.
#[derive(Debug, Error)]
pub enum CommandError {
    /// No such command.
    #[error("there is no command “{name}”{near}; `ulna commands` lists them")]
    Unknown {
        /// Requested name.
        name: String,
        /// A name that is close, in parentheses; or empty.
        near: String,
    },
    /// The line is not an object with a `do`.
    #[error(
        "a command is an object such as {{\"do\":\"pose.reset\",\"node\":\"Hips\"}}; this is \
        {0}"
    )]
    Shape(String),
    /// An argument is missing, unknown or of the wrong type.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    /// A transform cannot be reached.
    #[error("{node}: {source}")]
    Transform {
        /// The node's name.
        node: String,
        /// Why.
        source: TransformError,
    },
    /// The edit does not fit.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// Something else, as a sentence.
    #[error("{0}")]
    Other(Notice),
}

impl CommandError {
    /// Something that has no variant of its own: its code, and a sentence.
    pub fn other(code: &'static str, message: impl Into<String>) -> Self {
        Self::Other(Notice::new(code, message))
    }

    /// The code that stays the same for scripts, whatever the words are.
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

/// Refuses a command: a stable code, and a sentence.
pub(super) fn refuse<T>(code: &'static str, message: impl Into<String>) -> Result<T, CommandError> {
    Err(CommandError::other(code, message))
}

/// Checks that an argument is in `0..=1`.
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
    /// It is needed.
    #[error("{command} needs the argument “{name}”")]
    Missing {
        /// The command.
        command: String,
        /// The argument.
        name: &'static str,
    },
    /// The command has no such argument.
    #[error("{command} has no argument “{name}”{near}")]
    Unknown {
        /// The command.
        command: String,
        /// The argument.
        name: String,
        /// A name that is close, in parentheses; or empty.
        near: String,
    },
    /// It is of another type.
    #[error("“{name}” should be {wanted}, but is {found}")]
    Type {
        /// The argument.
        name: String,
        /// Expected type.
        wanted: &'static str,
        /// Given value.
        found: String,
    },
    /// It is none of the words that can stand there.
    #[error("“{name}” should be one of {wanted}, but is {found}{near}")]
    Choice {
        /// The argument.
        name: String,
        /// The words.
        wanted: String,
        /// Given word.
        found: String,
        /// A word that is close, in parentheses; or empty.
        near: String,
    },
    /// Nothing of that name.
    #[error("there is no node, clip or mesh named “{name}”{near}")]
    NotFound {
        /// The name.
        name: String,
        /// A name that is close, in parentheses; or empty.
        near: String,
    },
    /// Several of that name.
    #[error("“{name}” matches {count} nodes; use {ways}")]
    Ambiguous {
        /// The name, the path or the pattern.
        name: String,
        /// Number of matches.
        count: usize,
        /// Texts that mean one of them, or all of them, as part of a sentence.
        ways: String,
    },
    /// Several clips of that name, or that fit a pattern where one is wanted.
    #[error("“{name}” matches {count} clips; use {ways}")]
    AmbiguousClip {
        /// The name, or the pattern.
        name: String,
        /// Number of matches.
        count: usize,
        /// Texts that mean one of them, as part of a sentence.
        ways: String,
    },
    /// A list that must name something names nothing.
    #[error("“{0}” is an empty list; add at least one element, or omit it")]
    Empty(String),
    /// Something is named twice, or in two ways that exclude each other.
    #[error("“{0}” and “{1}” exclude each other; use only one of them")]
    Both(&'static str, &'static str),
    /// No clip of that name.
    #[error("there is no clip named “{name}”{near}; {there}")]
    NoClip {
        /// The name.
        name: String,
        /// A name that is close, in parentheses; or empty.
        near: String,
        /// Existing names.
        there: String,
    },
}

impl ArgumentError {
    /// The code that stays the same for scripts, whatever the words are.
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
