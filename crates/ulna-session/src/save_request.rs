//! Request for a save: the target, and the user's consent.

use std::path::{Path, PathBuf};

/// Actions of a save that the user has agreed to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Consent {
    /// Whether another existing file may be replaced.
    pub replace: bool,
    /// Whether a file that another program changed may be overwritten, and a removed file created
    /// again.
    pub changed: bool,
    /// Whether a file with several hard links may be replaced, which separates it from the other
    /// links.
    pub cut_link: bool,
}

impl Consent {
    /// Consent to replace any file, as for an output path on the command line. Files with several
    /// hard links are still refused.
    pub const OVER: Self = Self { replace: true, changed: true, cut_link: false };

    /// Consent to all actions.
    pub const ALL: Self = Self { replace: true, changed: true, cut_link: true };
}

/// Target of a save, and the user's consent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveRequest {
    /// Path to save to.
    pub path: PathBuf,
    /// Actions that the user has agreed to.
    pub consent: Consent,
    /// Whether the first replacement of a file in this session makes a backup, `name.glb~`.
    pub backup: bool,
}

impl SaveRequest {
    /// Creates a request with a backup and without consent.
    pub fn to(path: &Path) -> Self {
        Self { path: path.to_owned(), consent: Consent::default(), backup: true }
    }
}
