//! Differences between two documents, and the result of a comparison.

use serde::Serialize;

use ulna_formats::gltf::Unmodeled;
use ulna_model::{FileContent, Notice};

/// Kind of the element that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    /// A node was added, removed, or has another parent, mesh or scene.
    Tree,
    /// A name.
    Name,
    /// The pose of a node.
    Pose,
    /// The rest of a node.
    Rest,
    /// Joints or bind poses of a skin.
    Bind,
    /// The shape of a mesh.
    Shape,
    /// Joint weights.
    Weights,
    /// A clip was added or removed.
    Clip,
    /// Keys of a clip.
    Keys,
    /// Materials, images, cameras, lights.
    Looks,
    /// Invisible data in extras: layers, poses, markers, sets of nodes, mixes.
    Kept,
    /// Extensions and extras that Ulna does not interpret.
    Other,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Kind of the element.
    pub kind: DifferenceKind,
    /// The element: the path of a node or the name of a clip.
    pub place: String,
    /// Description with numbers, without a full stop.
    pub message: String,
    /// The value before, if it is short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The value after, if it is short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Whether the pose, the motion or the picture changes.
    pub seen: bool,
}

impl Difference {
    /// A visible difference without short values.
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
    /// Differences in meaning. Empty if the files mean the same.
    pub differences: Vec<Difference>,
    /// One sentence per part that is stored differently and means the same.
    pub notes: Vec<Notice>,
}

impl Comparison {
    /// Whether any difference is visible.
    pub fn is_seen(&self) -> bool {
        self.differences.iter().any(|d| d.seen)
    }
}

/// One side of a comparison: the content of a file, and the members that the model does not
/// represent, if known.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The file.
    pub asset: &'a FileContent,
    /// The members that the model does not represent, by the ids of the file as opened.
    pub other: Option<&'a Unmodeled>,
}
