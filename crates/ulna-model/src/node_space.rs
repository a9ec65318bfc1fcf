//! Values that extensions express in the space of nodes, and constraints between nodes.

use std::sync::Arc;

use glam::Vec3;

use super::{NodeId, Shared};

/// Meaning of a [`NodeVector`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorKind {
    /// A point.
    Position,
    /// A direction of length 1.
    Direction,
}

/// Spelling of a [`NodeVector`] in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorForm {
    /// A list of three numbers.
    List,
    /// The members `x`, `y` and `z` of VRM 0, whose z axis points the other way.
    LeftHanded,
}

/// A vector of an extension in the space of a node, such as the offset of a collider.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeVector {
    /// The node.
    pub node: NodeId,
    /// JSON pointer to the vector in the file, without the leading `/`. The file may lack the last
    /// member.
    pub pointer: Arc<str>,
    /// Components along the axes of the node.
    pub value: Vec3,
    /// Its meaning.
    pub kind: VectorKind,
    /// Its spelling in the file.
    pub form: VectorForm,
}

/// Kind of a [`NodeConstraint`] (`VRMC_node_constraint`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintKind {
    /// The rotation of the source about an axis of the node.
    Roll,
    /// An axis of the node points at the source.
    Aim,
    /// The rotation of the source since its rest pose, about its own axes.
    Rotation,
}

/// A node whose rotation follows another node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeConstraint {
    /// The node that follows.
    pub node: NodeId,
    /// The node that it follows.
    pub source: NodeId,
    /// Part of the rotation that is followed.
    pub kind: ConstraintKind,
}

/// Everything that extensions of a file express in the space of nodes.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct NodeSpace {
    /// Vectors. Each pointer occurs once.
    pub vectors: Shared<[NodeVector]>,
    /// Constraints, in the order of the nodes in the file.
    pub constraints: Shared<[NodeConstraint]>,
}

impl NodeSpace {
    /// Whether all vectors are finite.
    pub fn is_finite(&self) -> bool {
        self.vectors.iter().all(|v| v.value.is_finite())
    }
}
