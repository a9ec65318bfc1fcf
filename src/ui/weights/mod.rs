//! The panels of Paint mode: the brush, with acts on many vertices; the joints with their shares;
//! the layers; and the selected vertices by number.

mod acts;
mod bend;
mod brush;
mod cells;
mod falloff;
mod joint_rows;
mod joints;
mod layers;
mod selection_key;
mod strip;
mod table;

use egui::{RichText, ScrollArea, Ui};

pub use self::{
    brush::icon as brush_icon,
    strip::{STRIP, strip_ui},
};
use super::{Actions, View, widgets::panel_title};
use ulna_edit::CommandLine;
use ulna_render::ColorRole;

/// Points above and below the content of a panel, together.
const MARGIN: f32 = 12.0;

/// State of the panels between frames.
#[derive(Clone, Debug, Default)]
pub struct WeightsState {
    acts: acts::ActsState,
    joints: joints::JointList,
    layer_name: layers::LayerRename,
    table: table::TableState,
    /// Points of height of the brush's content, as of the frame before.
    brush: Option<f32>,
}

impl WeightsState {
    /// Points of height that the brush needs, as of the frame before.
    pub fn brush_height(&self) -> f32 {
        /// Of the whole brush, before it was drawn.
        const USUAL: f32 = 430.0;
        self.brush.unwrap_or(USUAL)
    }
}

/// A panel that scrolls where its content is taller. The content is told the height of the panel;
/// returns the height of the content.
fn scrolled(ui: &mut Ui, add: impl FnOnce(&mut Ui, f32)) -> f32 {
    let (panel, inner) = (ui.available_height(), ui.spacing().scroll.floating_allocated_width);
    // The bar lies in the margin: nothing moves when it comes.
    ui.spacing_mut().scroll.floating_allocated_width = 0.0;
    let shown = ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
        ui.spacing_mut().scroll.floating_allocated_width = inner;
        let frame = egui::Frame::new().inner_margin(egui::Margin::symmetric(12, 6));
        frame.show(ui, |ui| {
            let top = ui.cursor().top();
            add(ui, panel);
            ui.cursor().top() - top + MARGIN
        })
    });
    shown.inner.inner
}

/// The brush with acts on many vertices, or why there is nothing to paint.
pub fn brush_ui(state: &mut WeightsState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let acts = &mut state.acts;
    let height = scrolled(ui, |ui, _| {
        if view.paint.surface().is_some() {
            // Its own distances of rows are not those of the acts below.
            ui.scope(|ui| brush::brush_ui(ui, view, actions));
            ui.separator();
            acts::acts_ui(acts, ui, view, actions);
        } else {
            bare_ui(ui, view, actions);
        }
    });
    if state.brush.is_none_or(|before| (before - height).abs() > 0.5) {
        state.brush = Some(height);
        ui.ctx().request_repaint();
    }
}

/// Says why nothing can be painted, with the way on.
fn bare_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    panel_title(ui, view.theme, "Brush");
    let text = RichText::new(no_weights(view)).color(view.theme.color(ColorRole::TextTertiary));
    ui.add(egui::Label::new(text).wrap());
    if view.availability.bare {
        let help = "Computes weights from the shape of the mesh and its joints";
        if ui.button("Bind automatically").on_hover_text(help).clicked() {
            let bind = CommandLine::new(ulna_edit::command::Bind::NAME);
            actions.push(super::Action::RunLine(bind));
        }
    }
}

/// The joints with their shares at the cursor. The list takes the height of the panel.
pub fn joints_ui(state: &mut WeightsState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let joints = &mut state.joints;
    scrolled(ui, |ui, panel| {
        let top = ui.cursor().top();
        let room = joints.room(panel);
        let listed = joints::joints_ui(joints, ui, view, room, actions);
        joints.measure(ui.cursor().top() - top + MARGIN + 2.0, listed);
    });
}

/// Layers of weights.
pub fn layers_ui(state: &mut WeightsState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let WeightsState { layer_name, joints, .. } = state;
    scrolled(ui, |ui, _| layers::layers_ui(layer_name, ui, view, joints, actions));
}

/// The selected vertices by number.
pub fn vertices_ui(state: &mut WeightsState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    scrolled(ui, |ui, panel| {
        table::table_ui(&mut state.table, ui, view, panel, actions);
    });
}

/// Why nothing can be painted, and what to do.
fn no_weights(view: &View<'_>) -> String {
    let document = view.session.map(|s| s.document());
    let bare = document.and_then(|d| {
        let hangs = |n: &ulna_model::NodeId| d.node(*n).mesh.is_some() && d.node(*n).skin.is_some();
        d.shown_nodes().into_iter().find(hangs).map(|n| d.node(n).label(n))
    });
    match bare {
        Some(label) => format!(
            "{label} has a skin but no vertex weights, so joints do not move it. Bind it to its \
                nearest joints \
            here, or export it again with weights."
        ),
        None => "This file has no vertex weights. Only skinned meshes can be painted.".to_owned(),
    }
}
