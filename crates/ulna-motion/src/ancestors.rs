//! Ancestors of a node.

use ulna_model::{Document, NodeId};

/// Iterates over the ancestors of a node, starting with its parent.
pub(super) fn above(document: &Document, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    std::iter::successors(document.node(node).parent, |n| document.node(*n).parent)
}
