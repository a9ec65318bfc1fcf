//! Types of a comparison: a single difference, the complete result, and one side.

use serde::Serialize;

use ulna_formats::gltf::Unmodeled;
use ulna_model::{FileContent, Notice};

/// Kind of the data that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    /// Hierarchy: a node was added, removed, or has another parent, mesh or scene.
    Tree,
    /// Name of an element.
    Name,
    /// Pose of a node.
    Pose,
    /// Rest transform of a node.
    Rest,
    /// Joints or inverse bind matrices of a skin.
    Bind,
    /// Shape of a mesh.
    Shape,
    /// Joint weights of a mesh.
    Weights,
    /// A whole clip: it was added or removed.
    Clip,
    /// Keys of a clip.
    Keys,
    /// Appearance: materials, images, cameras and lights.
    Looks,
    /// Invisible data stored in `extras`: layers, poses, markers, sets of nodes and mixes.
    Kept,
    /// Extensions and `extras` that Ulna does not interpret.
    Other,
}

/// One difference between two documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Kind of the data that differs.
    pub kind: DifferenceKind,
    /// The element that differs, such as the path of a node or the name of a clip.
    pub place: String,
    /// Description with numbers, without a final period.
    pub message: String,
    /// Value before; `None` if it is too long to show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Value after; `None` if it is too long to show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Whether the difference is visible in the pose, the motion or the picture.
    pub seen: bool,
}

impl Difference {
    /// Creates a visible difference without short values.
    pub(super) fn new(
        kind: DifferenceKind,
        place: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        let (place, message) = (place.into(), message.into());
        Self { kind, place, message, before: None, after: None, seen: true }
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// Result of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// Differences in meaning; empty if both documents mean the same.
    pub differences: Vec<Difference>,
    /// One sentence per part of the file that is stored differently, but means the same.
    pub notes: Vec<Notice>,
}

impl Comparison {
    /// Whether any difference is visible in the pose, the motion or the picture.
    pub fn is_seen(&self) -> bool {
        self.differences.iter().any(|d| d.seen)
    }
}

/// One side of a comparison: the content of a file, and the members that the model does not
/// represent.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Content of the file.
    pub asset: &'a FileContent,
    /// Members that the model does not represent, with the ids of the file as opened; `None` if
    /// unknown.
    pub other: Option<&'a Unmodeled>,
}
