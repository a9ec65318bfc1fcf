//! The clip that plays in Rig mode, and the document that it is shown on.

use super::{binding::reweighed, viewport_renderer::ViewportRenderer};
use ulna_model::{ClipId, Document, MeshId, NodeId};

/// Document generation, and serial number of the plan.
type PlannedOf = (u64, u64);

/// State of the clip that plays in Rig mode.
#[derive(Default)]
pub(super) struct RigClip {
    /// The chosen clip; `None` shows the rest pose.
    pub(super) chosen: Option<ClipId>,
    /// Document with planned changes that the viewport shows in place of the session's document.
    planned: Option<(Document, PlannedOf)>,
}

impl RigClip {
    /// The document that the viewport shows: with planned changes, or else `document`.
    pub(super) fn seen<'a>(&'a self, document: &'a Document) -> &'a Document {
        self.planned.as_ref().map_or(document, |(planned, _)| planned)
    }

    /// True if the viewport shows planned changes.
    pub(super) const fn is_planned(&self) -> bool {
        self.planned.is_some()
    }

    /// Marks the planned changes as not shown, because a new scene shows the session's document.
    pub(super) fn scene_was_made(&mut self) {
        self.planned = None;
    }

    /// Shows a document with planned changes; without one, the session's document.
    pub(super) fn show(
        &mut self,
        renderer: &mut ViewportRenderer,
        document: &Document,
        planned: Option<(&Document, PlannedOf)>,
    ) {
        let shown = self.planned.as_ref().map(|(_, of)| *of);
        if shown == planned.map(|(_, of)| of) {
            return;
        }
        let before = self.planned.take();
        let before = before.as_ref().map_or(document, |(before, _)| before);
        let next = planned.map_or(document, |(next, _)| next);
        renderer.show_in_place(next, &reweighed(before, next));
        self.planned = planned.map(|(next, of)| (next.clone(), of));
    }
}

/// True if two documents show the same meshes at the same nodes, apart from weights and skins.
pub(super) fn shows_same_meshes(a: &Document, b: &Document) -> bool {
    let shown = |document: &Document| -> Vec<(NodeId, MeshId)> {
        let nodes = document.shown_nodes().into_iter();
        nodes.filter_map(|node| Some((node, document.node(node).mesh?))).collect()
    };
    let nodes = shown(a);
    let is_same = |mesh: MeshId| {
        let (a, b) = (&a.mesh(mesh).primitives, &b.mesh(mesh).primitives);
        let is_same = |(a, b): (&ulna_model::Primitive, &ulna_model::Primitive)| {
            a.positions == b.positions && a.normals == b.normals && a.targets == b.targets
        };
        a.len() == b.len() && a.iter().zip(b.iter()).all(is_same)
    };
    nodes == shown(b) && nodes.iter().all(|(_, mesh)| is_same(*mesh))
}
