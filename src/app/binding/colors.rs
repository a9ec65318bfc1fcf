//! Weights of the selected joint, or methods of connected pieces, as colors of the meshes that are
//! bound.

use crate::{
    app::{App, viewport_renderer::Painted},
    ui::{Dialog, PieceLook, TrialColors},
};
use ulna_edit::command::{BindReport, BoundPart};
use ulna_model::{Document, MeshId, NodeId, PrimitiveId};
use ulna_render::TintKind;

/// Serials of the bind and of the scene, and the joint; `None` for the methods of the pieces.
pub(super) type ColoredBy = (u64, u64, Option<NodeId>);

impl App {
    /// What the meshes are to be colored by; `None` where they show their materials.
    fn wanted_colors(&self) -> Option<ColoredBy> {
        let Some(Dialog::Bind { draft }) = &self.dialogs.open else { return None };
        let shown = self.binding.shown?;
        let joint = match draft.trial.colors {
            TrialColors::Materials => return None,
            TrialColors::Weights => Some(self.binding.trial.joint()?),
            TrialColors::Method => None,
        };
        Some((shown, self.renderer.scene_serial(), joint))
    }

    /// Whether the panel *Bind* colors the meshes.
    pub(in crate::app) fn colors_bind(&self) -> bool {
        self.wanted_colors().is_some()
    }

    /// Brings the colors of the meshes up to date.
    pub(in crate::app) fn color_bind(&mut self) {
        let wanted = self.wanted_colors();
        if self.binding.colored == wanted {
            return;
        }
        self.binding.colored = wanted;
        let (Some((.., joint)), Some(preview)) = (wanted, &self.binding.preview) else { return };
        let Some(Dialog::Bind { draft }) = &self.dialogs.open else { return };
        self.renderer.clear_tints();
        let document = &preview.document;
        let report = self.binding.foreseen.as_ref().and_then(|found| found.report.as_ref());
        for node in draft.nodes() {
            let Some(mesh) = document.node(node).mesh else { continue };
            for (index, _) in document.mesh(mesh).entries() {
                let values = match joint {
                    Some(joint) => weights_of(document, node, index, joint),
                    None => report.and_then(|report| methods_of(report, mesh, index)),
                };
                if let Some(values) = values {
                    self.renderer.tint(node, index, 0, &values);
                }
            }
        }
    }

    /// The colors for the picture.
    pub(in crate::app) fn bind_colors(&self) -> Option<Painted> {
        let (.., joint) = self.binding.colored?;
        let tint = if joint.is_some() { TintKind::Heat } else { TintKind::Colors };
        Some(Painted { tint: Some(tint), edges: false })
    }
}

/// Tints of the vertices of a primitive by their weights of a joint.
fn weights_of(
    document: &Document,
    node: NodeId,
    primitive: PrimitiveId,
    joint: NodeId,
) -> Option<Vec<u32>> {
    let about = document.node(node);
    let joints = &document.skin(about.skin?).joints;
    let slot = joints.iter().position(|j| *j == joint).and_then(|k| u16::try_from(k).ok());
    let primitive = document.mesh(about.mesh?).primitives.get(primitive.index())?;
    let map = primitive.weights.as_ref()?;
    let weight = |vertex| slot.map_or(0.0, |slot| map.weight(vertex, slot));
    Some((0..primitive.positions.len()).map(|v| TintKind::weight(weight(v))).collect())
}

/// Tints of the vertices of a primitive by the method of their piece.
fn methods_of(report: &BindReport, mesh: MeshId, primitive: PrimitiveId) -> Option<Vec<u32>> {
    let is_it = |part: &&BoundPart| (part.mesh, part.primitive) == (mesh, primitive);
    let part = report.parts.iter().find(is_it)?;
    let tint = |piece: &Option<u32>| {
        let piece = piece.and_then(|k| report.pieces.get(usize::try_from(k).ok()?));
        piece.map_or(TintKind::NONE, |piece| TintKind::color(PieceLook::of(piece).color()))
    };
    Some(part.piece_of.iter().map(tint).collect())
}
