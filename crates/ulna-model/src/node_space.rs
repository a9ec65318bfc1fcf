//! Vectors that extensions express in the space of nodes, and constraints between nodes.

use std::sync::Arc;

use glam::Vec3;

use super::{NodeId, Shared};

/// Kind of a [`NodeVector`]: position or direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorKind {
    /// A position, which rotation, scale and translation of the node affect.
    Position,
    /// A direction of length 1.
    Direction,
}

/// JSON representation of a [`NodeVector`] in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorForm {
    /// A list of three numbers.
    List,
    /// The members `x`, `y` and `z` of VRM 0, whose z axis has the opposite direction.
    LeftHanded,
}

/// Vector of an extension in the space of a node, such as the offset of a collider.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeVector {
    /// Node whose space the vector is in.
    pub node: NodeId,
    /// JSON pointer to the vector in the file, without the leading `/`. The last member may be
    /// missing in the file.
    pub pointer: Arc<str>,
    /// Components along the axes of the node.
    pub value: Vec3,
    /// Kind of the vector: position or direction.
    pub kind: VectorKind,
    /// JSON representation of the vector in the file.
    pub form: VectorForm,
}

/// Kind of a [`NodeConstraint`] (`VRMC_node_constraint`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstraintKind {
    /// The node copies the rotation of the source about one axis of the node.
    Roll,
    /// One axis of the node points at the source.
    Aim,
    /// The node copies the rotation of the source since its rest pose, about the source's own axes.
    Rotation,
}

/// Constraint of a node whose rotation follows another node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeConstraint {
    /// The constrained node.
    pub node: NodeId,
    /// The node whose rotation or position is followed.
    pub source: NodeId,
    /// Kind of the constraint.
    pub kind: ConstraintKind,
}

/// All vectors and constraints that extensions of a file express in the space of nodes.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct NodeSpace {
    /// Vectors. No two have the same pointer.
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
