//! Findings about a file, made while reading it. They are listed in the Problems panel and by `ulna
//! check`.

use std::fmt;

use serde::{Serialize, Serializer};

use super::Location;

/// Severity of a finding, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Information only.
    Info,
    /// Other programs may display the file differently.
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

/// Command that repairs a finding with one click. Variants are in the order of execution: weights
/// must exist before they can be normalized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Repair {
    /// Computes automatic weights.
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
    /// Severity of the finding.
    pub severity: Severity,
    /// The Khronos validator's code if it has one, else a code of Ulna with the prefix `ULNA_`.
    pub code: &'static str,
    /// One sentence, with the number of cases first, without a final period.
    pub message: String,
    /// Location in the file. JSON output contains it as a path such as `nodes/3` or
    /// `animations/0/samplers/2`.
    pub place: Location,
    /// The command that repairs the finding, if there is one.
    pub fix: Option<Repair>,
}

impl Diagnostic {
    /// Creates a finding without a repair command.
    pub fn new(
        severity: Severity,
        code: &'static str,
        place: impl Into<Location>,
        message: impl Into<String>,
    ) -> Self {
        Self { severity, code, message: message.into(), place: place.into(), fix: None }
    }
}

/// Collection of findings. Up to a limit, each finding is stored with its location; further ones
/// are only counted.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    left_out: usize,
}

impl Diagnostics {
    /// Maximum number of stored findings, so that a malicious file cannot fill the memory.
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

    /// Adds the findings of another collection.
    pub fn append(&mut self, mut other: Self) {
        self.list.append(&mut other.list);
        self.left_out += other.left_out;
    }

    /// All findings, sorted by descending severity, then by the order in which they were found.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        if self.left_out > 0 {
            let message = format!("{} more problems are not listed", self.left_out);
            self.list.push(Diagnostic::new(Severity::Info, "ULNA_MORE", "", message));
        }
        self.list.sort_by_key(|d| std::cmp::Reverse(d.severity));
        self.list
    }
}
