//! The line at the bottom in Rig mode.

use egui::{Align, Layout, RichText, Ui};
use egui_material_icons::icons;

use crate::ui::{
    Actions, DialogAction, View,
    theme::{Font, Theme},
    widgets::icon_font,
};
use ulna_render::ColorRole;

/// Height of the line, points.
pub const REST_STRIP: f32 = 44.0;

pub fn strip_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let (primary, secondary) =
        (theme.color(ColorRole::TextPrimary), theme.color(ColorRole::TextSecondary));
    egui::Frame::new().inner_margin(egui::Margin::symmetric(12, 6)).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.set_height(28.0);
            let icon = RichText::new(icons::ICON_ACCESSIBILITY_NEW.codepoint);
            ui.label(icon.font(icon_font(18.0, false)).color(theme.color(ColorRole::AccentText)));
            ui.label(RichText::new("Rest pose").color(primary));
            ui.add_space(8.0);
            if ui.available_width() > 380.0 {
                ui.label(RichText::new("Joints are changed in the rest pose.").color(secondary));
            }
            let plan = view.dialogs.plan;
            let Some(found) = plan.found.filter(|_| plan.is_current) else { return };
            let Ok(Some(report)) = &found.report else { return };
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if report.deviation.worst.first().is_some_and(Option::is_some) {
                    let show = ui.button("Show worst frame");
                    if show.on_hover_text("The clip and the vertex that change most").clicked() {
                        actions.push(DialogAction::ShowWorst(0));
                    }
                }
                let clips = view.session.map_or(0, |s| s.document().clips.count());
                let clips = if clips == 1 { "1 clip".to_owned() } else { format!("{clips} clips") };
                let words = format!("Checked {clips} in {:.1} s", found.seconds);
                let words = RichText::new(words).font(Theme::font(Font::Small));
                ui.label(words.color(secondary));
            });
        });
    });
}
