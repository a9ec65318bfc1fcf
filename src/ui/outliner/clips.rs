//! The list of clips.

use egui::{RichText, ScrollArea, Ui, pos2};
use egui_material_icons::icons;

use super::OutlinerState;
use crate::render::ColorRole;
use crate::ui::TimelineAction;
use crate::{
    edit::command::NewClip,
    ui::{
        Action, Actions, Theme, View,
        theme::Font,
        widgets::{elided, icon_button, paint_icon, panel_title, row},
    },
};

pub fn clips_ui(state: &mut OutlinerState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let Some(session) = view.session else { return };
    let document = session.document();
    egui::Frame::new().inner_margin(egui::Margin { left: 12, right: 8, top: 4, bottom: 2 }).show(ui, |ui| {
        ui.horizontal(|ui| {
            panel_title(ui, theme, "Clips");
            ui.label(
                RichText::new(document.clips.count().to_string())
                    .font(Theme::font(Font::Caption))
                    .color(theme.color(ColorRole::TextTertiary)),
            );
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if icon_button(ui, theme, icons::ICON_ADD, "New clip", "", false, Ok(())).clicked() {
                    actions.push(Action::Run(NewClip { name: None }.into()));
                }
            });
        });
    });
    if document.clips.is_empty() {
        ui.vertical_centered(|ui| {
            ui.label(
                RichText::new("None yet").font(Theme::font(Font::Small)).color(theme.color(ColorRole::TextTertiary)),
            );
        });
        return;
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    let ids: Vec<_> = document.clips.ids().collect();
    let mut list = ScrollArea::vertical().auto_shrink([false, false]).id_salt("clips");
    let shown = view.shown_clip();
    if state.clip_seen != shown {
        // The clip that is shown is in sight.
        state.clip_seen = shown;
        if let Some(at) = ids.iter().position(|id| Some(*id) == shown) {
            let middle = (ui.available_height() - 24.0) * 0.5;
            list = list.vertical_scroll_offset((at as f32 * 24.0 - middle).max(0.0));
        }
    }
    list.show_rows(ui, 24.0, ids.len(), |ui, range| {
        for id in &ids[range] {
            let clip = &document.clips[*id];
            let label = document.clip_label(*id);
            let shown = view.shown_clip() == Some(*id);
            let (rect, response) =
                ui.push_id(("clip", id.0), |ui| row(ui, theme, 24.0, &format!("Clip {label}"), false)).inner;
            if shown {
                ui.painter().rect_filled(rect, 0.0, theme.color(ColorRole::SurfaceRowHover));
            }
            let middle = rect.center().y;
            let (icon, color) = if shown {
                (icons::ICON_PLAY_ARROW, theme.color(ColorRole::AccentBase))
            } else {
                (icons::ICON_MOVIE, theme.color(ColorRole::TextSecondary))
            };
            paint_icon(ui.painter(), pos2(rect.left() + 20.0, middle), icon, 16.0, color);
            let font = Theme::font(if shown { Font::Heading } else { Font::Body });
            let facts = format!("{:.2} s", clip.length());
            let width = rect.width() - 34.0 - 64.0;
            let text = elided(ui, &label, &font, width);
            ui.painter().text(
                pos2(rect.left() + 34.0, middle),
                egui::Align2::LEFT_CENTER,
                text,
                font,
                theme.color(ColorRole::TextPrimary),
            );
            ui.painter().text(
                pos2(rect.right() - 12.0, middle),
                egui::Align2::RIGHT_CENTER,
                facts,
                Theme::font(Font::NumberSmall),
                theme.color(ColorRole::TextTertiary),
            );
            if response.clicked() {
                actions.push(TimelineAction::ShowClip(*id));
            }
        }
    });
}
