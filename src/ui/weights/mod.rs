//! The panel of Paint mode: the brush, acts on many vertices, the joints with their shares, the
//! layers, and the selected vertices by number. The joints take what the rest leaves.

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

pub use self::strip::{STRIP, strip_ui};
use super::{Actions, View};
use ulna_edit::CommandLine;
use ulna_render::ColorRole;

/// Margin above and below the content of the panel, in points.
const MARGIN: f32 = 14.0;

/// State of the panel between frames.
#[derive(Clone, Debug, Default)]
pub struct WeightsState {
    acts: acts::ActsState,
    joints: joints::JointList,
    layer_name: layers::LayerRename,
    table: table::TableState,
}

pub fn weights_ui(state: &mut WeightsState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let (panel, inner) = (ui.available_height(), ui.spacing().scroll.floating_allocated_width);
    // The bar lies in the margin: nothing moves when it comes.
    ui.spacing_mut().scroll.floating_allocated_width = 0.0;
    ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
        ui.spacing_mut().scroll.floating_allocated_width = inner;
        egui::Frame::new().inner_margin(egui::Margin::symmetric(12, 6)).show(ui, |ui| {
            if view.paint.surface().is_none() {
                super::widgets::panel_title(ui, theme, "Brush");
                let text = no_weights(view);
                ui.add(
                    egui::Label::new(
                        RichText::new(text).color(theme.color(ColorRole::TextTertiary)),
                    )
                    .wrap(),
                );
                if view.availability.bare {
                    let button = egui::Button::new("Bind automatically");
                    if ui
                        .add(button)
                        .on_hover_text("Computes weights from the shape of the mesh and its joints")
                        .clicked()
                    {
                        let bind = CommandLine::new(ulna_edit::command::Bind::NAME);
                        actions.push(super::Action::RunLine(bind));
                    }
                }
                return;
            }
            let top = ui.cursor().top();
            brush::brush_ui(ui, view, actions);
            ui.separator();
            acts::acts_ui(&mut state.acts, ui, view, actions);
            ui.separator();
            let room = state.joints.room(panel);
            let listed = joints::joints_ui(&mut state.joints, ui, view, room, actions);
            ui.separator();
            layers::layers_ui(&mut state.layer_name, ui, view, &state.joints, actions);
            ui.separator();
            table::table_ui(&mut state.table, ui, view, actions);
            state.joints.measure(ui.cursor().top() - top + MARGIN, listed);
        });
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
