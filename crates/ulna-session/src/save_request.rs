//! Request of a save: the target, and what a person has agreed to.

use std::path::{Path, PathBuf};

/// What a person has agreed to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Consent {
    /// That another file is replaced.
    pub replace: bool,
    /// That what somebody changed or removed meanwhile is written over or made again.
    pub changed: bool,
    /// That a file of several names is parted from the others.
    pub cut_link: bool,
}

impl Consent {
    /// To whatever file is there: what a command line names as its output. Several hard links are
    /// refused.
    pub const OVER: Self = Self { replace: true, changed: true, cut_link: false };

    /// To everything.
    pub const ALL: Self = Self { replace: true, changed: true, cut_link: true };
}

/// Where to save, and what may be done there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveRequest {
    /// The file.
    pub path: PathBuf,
    /// What was agreed to.
    pub consent: Consent,
    /// Whether a file that is replaced for the first time in this sitting is kept beside it, as
    /// `name.glb~`.
    pub backup: bool,
}

impl SaveRequest {
    /// To a file, asking about everything, with a backup.
    pub fn to(path: &Path) -> Self {
        Self { path: path.to_owned(), consent: Consent::default(), backup: true }
    }
}
