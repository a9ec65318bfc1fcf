//! Mirror joints, also for skeletons that are not bound yet.

use std::sync::Arc;

use glam::{DMat4, DVec3};

use super::rename::other_side;
use ulna_model::{Document, NodeId};
use ulna_motion::Mirror;

/// Mirror joints of a document, and reflections of the scene.
pub(super) struct Twins<'d> {
    document: &'d Document,
    mirror: Arc<Mirror>,
}

impl<'d> Twins<'d> {
    pub(super) fn of(document: &'d Document) -> Self {
        Self { document, mirror: Mirror::of(document) }
    }

    /// Returns the mirror joint, by the mirror pairs or else by name.
    pub(super) fn partner(&self, node: NodeId) -> Option<NodeId> {
        let pair = self.mirror.partner(node).filter(|p| *p != node);
        pair.or_else(|| partner_by_name(self.document, node))
    }

    /// Whether a joint is in the middle of its body.
    pub(super) fn is_center(&self, node: NodeId) -> bool {
        self.mirror.partner(node) == Some(node)
    }

    /// Returns the reflection of a joint's body, or of the scene at the yz plane.
    pub(super) fn reflection(&self, node: Option<NodeId>) -> DMat4 {
        let up = |n: &NodeId| self.document.node(*n).parent;
        let known = std::iter::successors(node, up).find_map(|n| self.mirror.reflection(n));
        known.unwrap_or(DMat4::from_scale(DVec3::new(-1.0, 1.0, 1.0)))
    }
}

/// Returns the node with the same name except for the side.
pub(super) fn partner_by_name(document: &Document, node: NodeId) -> Option<NodeId> {
    let name = other_side(document.node(node).name.as_deref()?)?;
    let mut all = document.nodes.iter();
    all.find(|(_, n)| n.name.as_deref() == Some(&*name)).map(|(id, _)| id)
}
