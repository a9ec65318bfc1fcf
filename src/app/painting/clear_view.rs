//! What lies over the brush steps back: joints near it fade, and the weights that the file was opened with can be seen in place
//! of what was made of them.

use std::collections::BTreeSet;

use glam::Vec2;

use super::Painting;
use crate::{
    app::App,
    edit::{Change, Mode},
    model::{Document, NodeId, Shared},
    motion::Bone,
    render::Camera,
    session::Session,
    ui::Compare,
};

/// Joints nearer to the brush than this part of its radius fade.
const NEAR: f32 = 1.15;

/// The distance of a point from a segment of the picture.
fn distance(p: Vec2, [a, b]: [Vec2; 2]) -> f32 {
    let way = b - a;
    let part = if way.length_squared() > 0.0 { ((p - a).dot(way) / way.length_squared()).clamp(0.0, 1.0) } else { 0.0 };
    p.distance(a + way * part)
}

impl Painting {
    /// Joints whose bones lie over the brush; the painted one, which is drawn as an outline, is none of them.
    pub fn faded(&self, bones: &[Bone], camera: &Camera, size: Vec2) -> BTreeSet<NodeId> {
        let Some(hover) = &self.hover else { return BTreeSet::new() };
        let rim = hover.rim.iter().filter_map(|p| camera.project(*p, size));
        let radius = rim.map(|(p, _)| p.distance(hover.at)).fold(0.0, f32::max) * NEAR;
        let own = self.joint_node();
        let near = |bone: &&Bone| {
            let ends = [bone.head, bone.tail].map(|p| camera.project(p, size).map(|(p, _)| p));
            match ends {
                [Some(a), Some(b)] => distance(hover.at, [a, b]) < radius,
                _ => false,
            }
        };
        bones.iter().filter(|b| Some(b.joint) != own).filter(near).map(|b| b.joint).collect()
    }

    /// The primitives of the canvas whose weights are others than the file was opened with; nothing where they cannot be
    /// shown in place of each other.
    fn reweighed(&self, session: &Session) -> Option<Vec<Change>> {
        let (canvas, document, opened) = (self.canvas.as_ref()?, session.document(), session.opened());
        let mut changes = Vec::new();
        for part in canvas.parts() {
            let of = |d: &Document| d.primitive(part.mesh, part.primitive).and_then(|p| p.weights.clone());
            let (now, before) = (of(document)?, of(opened)?);
            let alike = now.sets == before.sets && now.vertex_count() == before.vertex_count();
            if !alike || opened.nodes.get(part.node)?.skin != document.node(part.node).skin {
                return None;
            }
            if !Shared::ptr_eq(&now, &before) {
                changes.push(Change::Weights { mesh: part.mesh, primitive: part.primitive, vertices: None });
            }
        }
        (canvas.joints() == &opened.skins.get(canvas.skin)?.joints[..]).then_some(changes)
    }
}

impl App {
    /// Shows the weights that the file was opened with while those are compared with, and the present ones else.
    pub(super) fn compare_weights(&mut self, changes: &[Change]) {
        let Some(session) = &self.session else { return };
        let wanted = self.mode == Mode::Paint && self.viewport.compared() == Compare::File;
        let moved = changes.iter().any(|c| matches!(c, Change::Weights { .. } | Change::Bound { .. }));
        if moved && self.painting.before {
            // What is done is seen.
            self.viewport.compare = Compare::Edited;
        }
        let before = wanted && !moved;
        if before == self.painting.before || (before && !self.painting.is_ready()) {
            return;
        }
        let Some(list) = self.painting.reweighed(session) else {
            self.painting.before = false;
            return;
        };
        self.painting.before = before;
        self.painting.tint_anew();
        self.painting.strain.clear();
        let shown = if before { session.opened() } else { session.document() };
        self.renderer.show_weights(shown, &list);
    }
}
