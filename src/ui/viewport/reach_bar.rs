//! IK options bar, below the toolbar of the viewport.

use egui::{Align, Layout, Rect, RichText, Role, Ui, WidgetInfo, vec2};

use super::ViewportAction;
use crate::ui::{
    Actions, Theme, View,
    theme::Font,
    widgets::{check, segment, segments},
};
use ulna_edit::command::ToolCommand;
use ulna_render::{ColorRole, Measure};

/// Shows the bar while the IK tool is active. Returns whether the pointer is over it.
pub fn reach_bar_ui(ui: &mut Ui, view: &View<'_>, rect: Rect, actions: &mut Actions) -> bool {
    if view.tool() != Some(ToolCommand::Drag) {
        return false;
    }
    let theme = view.theme;
    let area = Rect::from_min_size(
        rect.min + vec2(8.0, 44.0),
        vec2((rect.width() - 120.0).max(200.0), 32.0),
    );
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(area));
    let frame = egui::Frame::new()
        .fill(theme.color(ColorRole::ViewportOverlay))
        .corner_radius(4)
        .inner_margin(4);
    let mut now = view.viewport.reach;
    let bar = frame.show(&mut child, |ui| {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 6.0;
            ui.spacing_mut().interact_size.y = Measure::IconButton.points() - 4.0;
            let label = |ui: &mut Ui, text: &str| {
                let text = RichText::new(text)
                    .font(Theme::font(Font::Small))
                    .color(theme.color(ColorRole::TextSecondary));
                // Make labels as high as the adjacent widgets, so that all share one line.
                ui.allocate_ui_with_layout(
                    vec2(10.0, 28.0),
                    Layout::left_to_right(Align::Center),
                    |ui| ui.label(text),
                );
            };
            label(ui, "IK");
            segments(ui, theme, |ui| {
                let limb = segment(ui, theme, "Limb", !now.full, false);
                if limb.on_hover_text("Only the limb follows, up to its full reach").clicked() {
                    now.full = false;
                }
                let full = segment(ui, theme, "Full body", now.full, false);
                if full
                    .on_hover_text(
                        "When the limb is at full reach, the spine bends, then the hips move; \
                            pinned joints stay",
                    )
                    .clicked()
                {
                    now.full = true;
                }
            });
            label(ui, "Chain");
            let mut bones = now.chain.unwrap_or(0);
            let value = egui::DragValue::new(&mut bones)
                .range(0..=32)
                .speed(0.05)
                .custom_formatter(
                    |n, _| if n < 1.0 { "limb".to_owned() } else { format!("{n:.0}") },
                )
                .custom_parser(|text| {
                    if text.trim() == "limb" { Some(0.0) } else { text.trim().parse().ok() }
                });
            let field = ui.add(value);
            field
                .widget_info(|| WidgetInfo::labeled(Role::SpinButton, true, "Joints in the chain"));
            field.on_hover_text(
                "Number of joints that follow; 0 means the whole limb. The wheel changes it while \
                    you drag",
            );
            now.chain = (bones > 0).then_some(bones);
            label(ui, "End");
            segments(ui, theme, |ui| {
                let keeps = segment(ui, theme, "Keep angle", now.keeps, false);
                if keeps
                    .on_hover_text("Hands and feet keep their world rotation: soles stay flat")
                    .clicked()
                {
                    now.keeps = true;
                }
                let follows = segment(ui, theme, "Follow", !now.keeps, false);
                if follows.on_hover_text("Hands and feet rotate with their limb").clicked() {
                    now.keeps = false;
                }
            });
            let soft = check(ui, theme, &mut now.soft, "Soft reach");
            soft.on_hover_text(
                "Slows the limb down as it straightens, which avoids knee and elbow popping",
            );
            let limits = check(ui, theme, &mut now.limits, "Limits");
            limits.on_hover_text(
                "Limits joints to the rotations that occur in the file's clips; arcs show the \
                    range",
            );
        });
    });
    if now != view.viewport.reach {
        actions.push(ViewportAction::SetReach(now));
    }
    ui.input(|i| i.pointer.hover_pos()).is_some_and(|p| bar.response.rect.contains(p))
}
