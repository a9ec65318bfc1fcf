//! Keeps the surface under the brush visible. Joints near the brush fade, and the original weights
//! can be shown in place of the edited ones.

use std::collections::BTreeSet;

use glam::Vec2;

use super::{
    context::{BrushContext, SurfaceContext},
    sights::in_sight,
};
use crate::ui::{Compare, ComparedProperty, OriginalWeights, PaintSession, Painting, VertexArea};
use ulna_edit::Change;
use ulna_model::{Document, NodeId, Shared};
use ulna_motion::Bone;
use ulna_render::Camera;
use ulna_session::Session;
use ulna_weights::PosedSurface;

/// Distance as a factor of the brush's radius within which joints fade.
const NEAR: f32 = 1.15;

/// Distance of a point from a line segment, in the picture.
fn distance(p: Vec2, [a, b]: [Vec2; 2]) -> f32 {
    let way = b - a;
    let part = if way.length_squared() > 0.0 {
        ((p - a).dot(way) / way.length_squared()).clamp(0.0, 1.0)
    } else {
        0.0
    };
    p.distance(a + way * part)
}

impl PaintSession {
    /// Joints whose bones cover the brush, except the painted joint, which is drawn as an outline.
    pub fn faded(&self, bones: &[Bone], camera: &Camera, size: Vec2) -> BTreeSet<NodeId> {
        let Some(hover) = self.hover() else { return BTreeSet::new() };
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

    /// Primitives of the painted surface whose weights differ from the file as opened. `None` if
    /// the original weights do not fit the current skin.
    fn reweighed(&self, session: &Session) -> Option<Vec<Change>> {
        let (canvas, document, opened) = (&self.surface, session.document(), session.opened());
        let mut changes = Vec::new();
        for part in canvas.parts() {
            let of = |d: &Document| {
                d.primitive(part.mesh, part.primitive).and_then(|p| p.weights.clone())
            };
            let (now, before) = (of(document)?, of(opened)?);
            let alike = now.sets == before.sets && now.vertex_count() == before.vertex_count();
            if !alike || opened.nodes.get(part.node)?.skin != document.node(part.node).skin {
                return None;
            }
            if !Shared::ptr_eq(&now, &before) {
                changes.push(Change::Weights {
                    mesh: part.mesh,
                    primitive: part.primitive,
                    vertices: None,
                });
            }
        }
        (canvas.joints() == &opened.skins.get(canvas.skin)?.joints[..]).then_some(changes)
    }
}

impl BrushContext<'_> {
    /// Vertices of the painted surface within an area of the picture.
    pub(in crate::app) fn vertices_in(&mut self, area: &VertexArea, size: Vec2) -> Vec<u32> {
        let (document, camera, hidden) = (self.session.document(), self.camera, self.hidden);
        let surface = self.renderer.surface(document);
        let in_sight =
            |posed: PosedSurface<'_>, v: u32| in_sight(surface, document, camera, hidden, posed, v);
        let Some(painted) = self.painting.session() else { return Vec::new() };
        painted.vertices_in(&self.painting.options.brush, camera, area, size, &in_sight)
    }
}

impl SurfaceContext<'_> {
    /// Shows the current weights in place of the original ones.
    fn show_present_weights(&mut self) {
        let document = self.session.document();
        let there = |change: &Change| match change {
            Change::Weights { mesh, primitive, .. } => {
                document.primitive(*mesh, *primitive).is_some()
            }
            _ => false,
        };
        let list = self.painting.original.take().map_or_else(Vec::new, |o| o.changes);
        let list: Vec<Change> = list.into_iter().filter(there).collect();
        self.renderer.show_weights(document, &list);
        self.painting.invalidate_colors();
    }

    /// Shows the original weights while they are compared, and otherwise the current ones.
    pub(super) fn compare_weights(&mut self, changes: &[Change]) {
        let of = self.painting.session().map(|s| (s.scene, s.skin()));
        if self.painting.original.as_ref().is_some_and(|o| Some((o.scene, o.skin)) != of) {
            // Another skin or scene is active, so the previous skin shows its current weights
            // again.
            self.show_present_weights();
        }
        let session = self.session;
        // During a stroke, the comparison is not shown.
        let wanted = self.mode.compares == ComparedProperty::Weights
            && self.compared == Compare::File
            && !self.painting.is_stroking();
        let moved =
            changes.iter().any(|c| matches!(c, Change::Weights { .. } | Change::Bound { .. }));
        if moved && self.painting.original.is_some() {
            // After an edit, its result is shown.
            *self.compare = Compare::Edited;
        }
        let before = wanted && !moved;
        if before == self.painting.original.is_some()
            || (before && matches!(self.painting.state, Painting::Preparing(..)))
        {
            return;
        }
        if !before {
            self.show_present_weights();
            return;
        }
        let reweighed = |s: &PaintSession| Some((s.scene, s.skin(), s.reweighed(session)?));
        let Some((scene, skin, changes)) = self.painting.session().and_then(reweighed) else {
            // The original weights do not fit, so the comparison ends.
            *self.compare = Compare::Edited;
            return;
        };
        self.painting.invalidate_colors();
        self.renderer.show_weights(session.opened(), &changes);
        self.painting.original = Some(OriginalWeights { scene, skin, changes });
    }
}
