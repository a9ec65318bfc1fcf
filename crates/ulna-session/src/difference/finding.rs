//! Differences between two documents, and what comes of a comparison.

use serde::Serialize;

use ulna_formats::gltf::Unmodeled;
use ulna_model::{FileContent, Notice};

/// What kind of thing differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    /// A node is there or not, or has another parent, mesh or scene.
    Tree,
    /// A name.
    Name,
    /// The pose a node stands in.
    Pose,
    /// The rest of a node.
    Rest,
    /// Joints or bind poses of a skin.
    Bind,
    /// The shape of a mesh.
    Shape,
    /// Joint weights.
    Weights,
    /// A clip is there or not.
    Clip,
    /// Keys of a clip.
    Keys,
    /// Materials, images, cameras, lights.
    Looks,
    /// What the file keeps beside what is seen: layers, poses, markers, sets of nodes, mixes.
    Kept,
    /// Extensions and extras that Ulna does not interpret.
    Other,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What kind of thing.
    pub kind: DifferenceKind,
    /// Whose: a node's path, a clip's name.
    pub place: String,
    /// What, with numbers; without a full stop.
    pub message: String,
    /// The value before, where it is a short one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The value after, where it is a short one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Whether it changes what is seen: the pose, the motion, or what is drawn.
    pub seen: bool,
}

impl Difference {
    /// A difference of what is seen, without short values.
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

/// What comes of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// What differs in meaning; nothing where the files mean the same.
    pub differences: Vec<Difference>,
    /// What is stored in another way and means the same, a sentence each.
    pub notes: Vec<Notice>,
}

impl Comparison {
    /// Whether something differs in what is seen.
    pub fn is_seen(&self) -> bool {
        self.differences.iter().any(|d| d.seen)
    }
}

/// One side of a comparison: a file as it is saved, and what it has that the model has no member
/// for, where that is known.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The file.
    pub asset: &'a FileContent,
    /// Its other members, by the ids of the file as it was opened.
    pub other: Option<&'a Unmodeled>,
}
