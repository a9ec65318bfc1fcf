//! Reasons why a command can fail.

use thiserror::Error;

use ulna_edit::CommandError;

/// Error for a command that only the window can run.
#[derive(Debug, Error)]
#[error("“{0}” works only in the window of Ulna, not in a script")]
pub struct NeedsHost(pub(super) &'static str);

/// Reason why a command line failed.
#[derive(Debug, Error)]
pub enum RunError {
    /// The command failed or was refused.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// Only the window can run the command.
    #[error(transparent)]
    Host(#[from] NeedsHost),
}

impl RunError {
    /// Returns the error code for scripts, which is stable across versions.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Command(error) => error.code(),
            Self::Host(_) => "needs_window",
        }
    }
}
