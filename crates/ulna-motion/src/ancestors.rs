//! Ancestors of a node.

use ulna_model::{Document, NodeId};

/// Ancestors of a node, its parent first.
pub(super) fn above(document: &Document, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    std::iter::successors(document.node(node).parent, |n| document.node(*n).parent)
}
