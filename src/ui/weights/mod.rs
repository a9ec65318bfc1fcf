//! The panels of Paint mode: the brush with operations on many vertices, the joint list, the weight
//! layers, and the table of selected vertices.

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

/// Sum of the margins above and below a panel's content, in points.
const MARGIN: f32 = 12.0;

/// State of the panels between frames.
#[derive(Clone, Debug, Default)]
pub struct WeightsState {
    acts: acts::ActsState,
    joints: joints::JointList,
    layer_name: layers::LayerRename,
    table: table::TableState,
    /// Height of the brush panel's content in the last frame, in points.
    brush: Option<f32>,
}

impl WeightsState {
    /// Height in points that the brush panel needs, as measured in the last frame.
    pub fn brush_height(&self) -> f32 {
        /// Height in points to assume before the panel was drawn.
        const USUAL: f32 = 430.0;
        self.brush.unwrap_or(USUAL)
    }
}

/// Draws a panel that scrolls if its content is too tall. `add` receives the panel's height.
/// Returns the height of the content.
fn scrolled(ui: &mut Ui, add: impl FnOnce(&mut Ui, f32)) -> f32 {
    let (panel, inner) = (ui.available_height(), ui.spacing().scroll.floating_allocated_width);
    // The scroll bar is in the margin, so that the content does not shift when it appears.
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

/// Draws the brush and operations on many vertices, or the reason why there is nothing to paint.
pub fn brush_ui(state: &mut WeightsState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let acts = &mut state.acts;
    let height = scrolled(ui, |ui, _| {
        if view.paint.surface().is_some() {
            // The brush section has its own row spacing.
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

/// Draws the reason why nothing can be painted, and buttons that help.
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

/// Draws the joint list. It fills the height of the panel.
pub fn joints_ui(state: &mut WeightsState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let joints = &mut state.joints;
    scrolled(ui, |ui, panel| {
        let top = ui.cursor().top();
        let room = joints.room(panel);
        let listed = joints::joints_ui(joints, ui, view, room, actions);
        joints.measure(ui.cursor().top() - top + MARGIN + 2.0, listed);
    });
}

/// Draws the weight layers.
pub fn layers_ui(state: &mut WeightsState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let WeightsState { layer_name, joints, .. } = state;
    scrolled(ui, |ui, _| layers::layers_ui(layer_name, ui, view, joints, actions));
}

/// Draws the table of the selected vertices.
pub fn vertices_ui(state: &mut WeightsState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    scrolled(ui, |ui, panel| {
        table::table_ui(&mut state.table, ui, view, panel, actions);
    });
}

/// Explains why nothing can be painted, and what to do.
fn no_weights(view: &View<'_>) -> String {
    let document = view.session.map(|s| s.document());
    let bare = document.and_then(|d| {
        let hangs = |n: &ulna_model::NodeId| d.node(*n).mesh.is_some() && d.node(*n).skin.is_some();
        d.shown_nodes().into_iter().find(hangs).map(|n| d.node(n).label(n))
    });
    match bare {
        Some(label) => format!(
            "{label} has a skin but no vertex weights, so joints do not move it. Choose \
                Bind automatically, or export the model again with weights."
        ),
        None => "This file has no vertex weights. Only skinned meshes can be painted.".to_owned(),
    }
}
