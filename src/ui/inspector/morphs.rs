//! Sliders for a node's morph targets. They change the pose, or keys if a clip is shown.

use egui::{RichText, Sense, Slider, Ui, vec2};
use egui_material_icons::icons;

use super::sections::key_mark;
use crate::ui::{
    Action, Actions, Theme, View, edits,
    theme::Font,
    widgets::{elided, icon_button, name_widget},
};
use ulna_edit::command::{ResetMorphs, field::Nodes};
use ulna_model::{Document, NodeId, Property};
use ulna_motion::morph_partner;
use ulna_render::ColorRole;

/// Maximum number of listed morph targets. The command palette finds the others.
const MOST: usize = 200;

pub fn morphs_ui(
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    node: NodeId,
    actions: &mut Actions,
) {
    let Some(mesh) = document.node(node).mesh.map(|m| document.mesh(m)) else { return };
    let count = mesh.target_count();
    if count == 0 {
        return;
    }
    let theme = view.theme;
    let weights = &view.pose.morphs[node.index()];
    let clip = view.shown_clip();
    let track = clip
        .and_then(|c| document.clips.get(c))
        .and_then(|c| c.track(node, Property::Weights))
        .map(|(_, t)| t);
    ui.add_space(6.0);
    ui.horizontal(|ui| {
        ui.label(
            RichText::new("Morph targets")
                .font(Theme::font(Font::Heading))
                .color(theme.color(ColorRole::TextPrimary)),
        );
        let note = match clip {
            Some(_) => format!("at {:.3} s", view.timeline.playback.time),
            None => format!("{count}"),
        };
        ui.label(
            RichText::new(note)
                .font(Theme::font(Font::Small))
                .color(theme.color(ColorRole::TextTertiary)),
        );
        if clip.is_none() && document.node(node).morph_weights.is_some() {
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                let reset = "Reset morph targets";
                if icon_button(ui, theme, icons::ICON_RESTART_ALT, reset, "", false, Ok(()))
                    .clicked()
                {
                    actions.push(Action::Run(ResetMorphs { node: Nodes::one(node) }.into()));
                }
            });
        }
    });
    for k in 0..count.min(MOST) {
        let name =
            mesh.target_names.get(k).map_or_else(|| format!("target {k}"), |n| n.to_string());
        let mut weight = weights.get(k).copied().unwrap_or(0.0);
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 6.0;
            let (label, seen) = ui.allocate_exact_size(vec2(96.0, 24.0), Sense::hover());
            let font = Theme::font(Font::Small);
            let text = elided(ui, &name, &font, label.width());
            ui.painter().text(
                label.left_center(),
                egui::Align2::LEFT_CENTER,
                text,
                font,
                theme.color(ColorRole::TextSecondary),
            );
            seen.on_hover_text(&name);
            ui.spacing_mut().slider_width = (ui.available_width() - 84.0).max(60.0);
            let slider = Slider::new(&mut weight, 0.0..=1.0)
                .clamping(egui::SliderClamping::Never)
                .fixed_decimals(3)
                .update_while_editing(false);
            let response = ui.add(slider);
            name_widget(ui, &response, &format!("Morph {name}"));
            if response.changed() {
                let other =
                    morph_partner(document, node, k).filter(|p| *p != k && view.viewport.symmetry);
                let both = std::iter::once(k).chain(other);
                let commands = both.map(|k| edits::set_morph(view, node, k, weight)).collect();
                actions.push(Action::Preview { label: format!("Morph {name}"), commands });
            }
            if response.drag_stopped() || (response.changed() && !response.dragged()) {
                actions.push(Action::Commit);
            }
            if k == 0 {
                let (slot, _) = ui.allocate_exact_size(vec2(12.0, 24.0), Sense::hover());
                key_mark(ui, view, track.map(|t| &**t), slot.center());
            }
        });
    }
    if count > MOST {
        let text = format!(
            "{} more are not listed. Use the command “Set a morph target” for them.",
            count - MOST
        );
        ui.label(
            RichText::new(text)
                .font(Theme::font(Font::Small))
                .color(theme.color(ColorRole::TextTertiary)),
        );
    }
}
