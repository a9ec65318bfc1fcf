//! Weights of the selected joint, as colors of the meshes that are bound.

use crate::{
    app::{App, viewport_renderer::Painted},
    ui::{Dialog, TrialColors},
};
use ulna_model::NodeId;
use ulna_render::TintKind;

/// Serials of the bind and of the scene, and the joint.
pub(super) type ColoredBy = (u64, u64, NodeId);

impl App {
    /// What the meshes are to be colored by; `None` where they show their materials.
    fn wanted_colors(&self) -> Option<ColoredBy> {
        let Some(Dialog::Bind { draft }) = &self.dialogs.open else { return None };
        let shown = self.binding.shown?;
        let joint = self.binding.trial.joint()?;
        let is_wanted = draft.trial.colors == TrialColors::Weights;
        is_wanted.then(|| (shown, self.renderer.scene_serial(), joint))
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
        for node in draft.nodes() {
            let about = document.node(node);
            let (Some(mesh), Some(skin)) = (about.mesh, about.skin) else { continue };
            let joints = &document.skin(skin).joints;
            let slot = joints.iter().position(|j| *j == joint).and_then(|k| u16::try_from(k).ok());
            for (index, primitive) in document.mesh(mesh).entries() {
                let Some(map) = &primitive.weights else { continue };
                let weight = |vertex| slot.map_or(0.0, |slot| map.weight(vertex, slot));
                let vertices = 0..primitive.positions.len();
                let values: Vec<u32> = vertices.map(|v| TintKind::weight(weight(v))).collect();
                self.renderer.tint(node, index, 0, &values);
            }
        }
    }

    /// The colors for the picture.
    pub(in crate::app) fn bind_colors(&self) -> Option<Painted> {
        self.binding.colored.map(|_| Painted { tint: Some(TintKind::Heat), edges: false })
    }
}
