//! Choices of the dialog that opens a file of another format.

use std::path::PathBuf;

use ulna_model::Diagnostic;
use ulna_session::{Conversion, ImportFindings, UpAxis};

/// A file of another format that waits to be opened.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvertDraft {
    /// The file.
    pub path: PathBuf,
    /// What its format is called.
    pub format: &'static str,
    /// What is in it: meshes, vertices, joints, clips.
    pub counts: [usize; 4],
    /// What was found.
    pub found: ImportFindings,
    /// What is odd about it.
    pub findings: Vec<Diagnostic>,
    /// How large it is in its own unit.
    pub size: Option<f32>,
    /// Whether there is a model that its clips could be taken onto.
    pub onto: bool,
    /// How it is taken.
    pub conversion: Conversion,
}

impl ConvertDraft {
    /// The axis that is up, as it would be taken.
    pub(crate) fn up(&self) -> UpAxis {
        self.conversion.up.or(self.found.up).unwrap_or_default()
    }

    /// Meters of its unit, as it would be taken.
    pub(crate) fn unit(&self) -> f32 {
        self.conversion.unit.or(self.found.unit).unwrap_or(1.0)
    }
}
