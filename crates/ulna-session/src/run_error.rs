//! Why a command failed.

use thiserror::Error;

use ulna_edit::CommandError;

/// A command that is for somebody else.
#[derive(Debug, Error)]
#[error("“{0}” works only in the window of Ulna, not in a script")]
pub struct NeedsHost(pub(super) &'static str);

/// Why a command line failed.
#[derive(Debug, Error)]
pub enum RunError {
    /// The command itself.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// It is the host's to do.
    #[error(transparent)]
    Host(#[from] NeedsHost),
}

impl RunError {
    /// The code that stays the same for scripts, whatever the words are.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Command(error) => error.code(),
            Self::Host(_) => "needs_window",
        }
    }
}
