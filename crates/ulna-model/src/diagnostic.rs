//! What is odd about a file: found while reading, listed in Problems and by `ulna check`.

use std::fmt;

use serde::{Serialize, Serializer};

use super::Location;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Shown differently from what another program may show.
    Warning,
    /// The file breaks the specification.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// A command that mends findings at a click. In the order in which they run: weights must exist
/// before they can be normalized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Repair {
    /// Assigns the weights of the nearest joints.
    Bind,
    /// Normalizes weights.
    Normalize,
}

impl Repair {
    /// The name of the command.
    pub const fn command(self) -> &'static str {
        match self {
            Self::Bind => "weights.bind",
            Self::Normalize => "weights.normalize",
        }
    }
}

impl Serialize for Repair {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.command())
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// How bad.
    pub severity: Severity,
    /// The Khronos validator's code where it has one, else one of ours beginning with `ULNA_`.
    pub code: &'static str,
    /// A sentence, the count first, without a full stop.
    pub message: String,
    /// The location in the file; a path such as `nodes/3` or `animations/0/samplers/2` in JSON.
    pub place: Location,
    /// The command that mends it, where there is one.
    pub fix: Option<Repair>,
}

impl Diagnostic {
    /// A finding that cannot be mended at a click.
    pub fn new(
        severity: Severity,
        code: &'static str,
        place: impl Into<Location>,
        message: impl Into<String>,
    ) -> Self {
        Self { severity, code, message: message.into(), place: place.into(), fix: None }
    }
}

/// Collects findings. The same finding in many places is kept once a place, up to a limit, then
/// counted.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    left_out: usize,
}

impl Diagnostics {
    /// More than this are counted, not kept: a hostile file must not fill memory with findings.
    const MOST: usize = 2000;

    /// Adds a finding.
    pub fn add(
        &mut self,
        severity: Severity,
        code: &'static str,
        place: impl Into<Location>,
        message: impl Into<String>,
    ) {
        if self.list.len() < Self::MOST {
            self.list.push(Diagnostic::new(severity, code, place, message));
        } else {
            self.left_out += 1;
        }
    }

    /// Takes up what another collection found.
    pub fn append(&mut self, mut other: Self) {
        self.list.append(&mut other.list);
        self.left_out += other.left_out;
    }

    /// All of them, the worst first, otherwise in the order found.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        if self.left_out > 0 {
            let message = format!("{} more problems are not listed", self.left_out);
            self.list.push(Diagnostic::new(Severity::Info, "ULNA_MORE", "", message));
        }
        self.list.sort_by_key(|d| std::cmp::Reverse(d.severity));
        self.list
    }
}
