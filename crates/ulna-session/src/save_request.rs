//! Request of a save: the target, and the user's consent.

use std::path::{Path, PathBuf};

/// Actions that the user has agreed to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Consent {
    /// Whether another file may be replaced.
    pub replace: bool,
    /// Whether a file that another program changed or removed may be overwritten or created again.
    pub changed: bool,
    /// Whether a file with several hard links may be separated from the others.
    pub cut_link: bool,
}

impl Consent {
    /// Consent to replace any file, as for an output path on the command line. Files with several
    /// hard links are refused.
    pub const OVER: Self = Self { replace: true, changed: true, cut_link: false };

    /// Consent to everything.
    pub const ALL: Self = Self { replace: true, changed: true, cut_link: true };
}

/// Target of a save, and the permitted actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveRequest {
    /// The file.
    pub path: PathBuf,
    /// The user's consent.
    pub consent: Consent,
    /// Whether the first replacement of a file in this session keeps a backup, `name.glb~`.
    pub backup: bool,
}

impl SaveRequest {
    /// A request without consent, with a backup.
    pub fn to(path: &Path) -> Self {
        Self { path: path.to_owned(), consent: Consent::default(), backup: true }
    }
}
