//! The request for a deviation: two documents, and their corresponding nodes and vertices.

use glam::DMat4;

use crate::SeenVertex;
use ulna_model::{Document, Mix, NodeId, Shared};

/// Times at which a deviation is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exactness {
    /// Five times per clip, for changes that are exact by construction: both ends and the quarter
    /// points.
    Exact,
    /// Key times of tracks that differ, and times between them, at most
    /// [`DeviationRequest::most_times`] per clip. The maximum is refined with more times around it.
    Bounded,
}

/// A node whose world transform should satisfy `W'_after(t) = W_before(t)·C`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointFrame {
    /// Node of the document before the change.
    pub before: NodeId,
    /// The corresponding node of the document after the change.
    pub after: NodeId,
    /// `C`, the transform from the node's frame after the change to its frame before the change.
    pub before_from_after: DMat4,
}

/// A change of a rig whose deviation is measured.
#[derive(Clone, Copy, Debug)]
pub struct DeviationRequest<'a> {
    /// The document before the change.
    pub before: &'a Document,
    /// The document after the change.
    pub after: &'a Document,
    /// The mixes of both documents. They are compared if both have one.
    pub mixes: [Option<&'a Shared<Mix>>; 2],
    /// Frames of nodes that change. All other nodes of both documents correspond by id, with the
    /// identity as `C`.
    pub joints: &'a [JointFrame],
    /// Nodes of `before` whose frames are not compared, because their motion is meant to change.
    /// Their skin is still compared.
    pub excluded: &'a [NodeId],
    /// Vertices of `before` that are always measured.
    pub vertices: &'a [SeenVertex],
    /// Times at which the deviation is measured.
    pub exactness: Exactness,
    /// Approximate number of measured vertices. Vertices whose weights or rest positions differ are
    /// added, up to the same number.
    pub most_points: usize,
    /// Maximum number of times per clip for [`Exactness::Bounded`].
    pub most_times: usize,
}

impl<'a> DeviationRequest<'a> {
    /// Default number of measured vertices.
    pub const POINTS: usize = 2048;
    /// Default number of times per clip.
    pub const TIMES: usize = 240;

    /// Creates a request in which all nodes keep their frames, with the default numbers of vertices
    /// and times.
    pub const fn new(before: &'a Document, after: &'a Document, exactness: Exactness) -> Self {
        Self {
            before,
            after,
            mixes: [None; 2],
            joints: &[],
            excluded: &[],
            vertices: &[],
            exactness,
            most_points: Self::POINTS,
            most_times: Self::TIMES,
        }
    }
}
