//! The source file of the *Retarget* page and its clips.

use egui::{Align, Align2, Layout, RichText, ScrollArea, Ui, pos2, vec2};
use egui_material_icons::icons;

use super::{RetargetAction, RetargetDraft, RetargetView, SOURCE, draft::BodyFacts};
use crate::ui::{
    Actions, Theme,
    theme::Font,
    widgets::{check, elided, filter_field, icon_button, name_widget, panel_title, row},
};
use ulna_render::ColorRole;

/// Height of a row, in points.
const ROW: f32 = 24.0;
/// Margin between the edge and the content, in points.
const MARGIN: f32 = 8.0;

pub(super) fn clips_ui(
    ui: &mut Ui,
    theme: &Theme,
    page: RetargetView<'_>,
    now: &mut RetargetDraft,
    actions: &mut Actions,
) {
    ui.spacing_mut().item_spacing.y = 4.0;
    let padded = |ui: &mut Ui, add: &mut dyn FnMut(&mut Ui)| {
        ui.horizontal(|ui| {
            ui.set_min_height(28.0);
            ui.add_space(MARGIN);
            add(ui);
        });
    };
    padded(ui, &mut |ui| {
        panel_title(ui, theme, "Source");
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(4.0);
            let icon = icons::ICON_FOLDER_OPEN;
            if icon_button(ui, theme, icon, "Choose a source file", "", false, Ok(())).clicked() {
                actions.push(RetargetAction::Browse);
            }
        });
    });
    let Some(source) = page.bodies[SOURCE] else {
        empty_ui(ui, theme, page, actions);
        return;
    };
    source_ui(ui, theme, source);
    ui.add_space(4.0);
    ui.painter().hline(
        ui.max_rect().x_range(),
        ui.cursor().top(),
        egui::Stroke::new(1.0, theme.color(ColorRole::StrokeSubtle)),
    );
    ui.add_space(4.0);
    padded(ui, &mut |ui| {
        panel_title(ui, theme, "Clips");
        let about = format!("{} of {}", now.taken_count(), source.clips.len());
        small(ui, theme, &about, ColorRole::TextTertiary);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(8.0);
            ui.spacing_mut().item_spacing.x = 2.0;
            for (text, on) in [("None", false), ("All", true)] {
                let button = egui::Button::new(RichText::new(text).font(Theme::font(Font::Small)));
                let response = ui.add(button.frame(false));
                name_widget(ui, &response, &format!("{text} clips"));
                if response.clicked() {
                    let listed = listed(source, &now.filter);
                    listed.into_iter().for_each(|k| now.takes[k] = on);
                }
                ui.add_space(6.0);
            }
        });
    });
    ui.horizontal(|ui| {
        ui.add_space(MARGIN);
        let room = ui.available_width() - MARGIN;
        ui.allocate_ui(vec2(room, 24.0), |ui| {
            filter_field(ui, theme, &mut now.filter, "Filter clips");
        });
    });
    list_ui(ui, theme, source, now);
}

fn small(ui: &mut Ui, theme: &Theme, text: &str, role: ColorRole) {
    let text = RichText::new(text).font(Theme::font(Font::Small)).color(theme.color(role));
    ui.add(egui::Label::new(text).truncate());
}

/// Draws facts about the source file.
fn source_ui(ui: &mut Ui, theme: &Theme, source: &BodyFacts) {
    let indented = |ui: &mut Ui, add: &mut dyn FnMut(&mut Ui)| {
        ui.horizontal(|ui| {
            ui.add_space(MARGIN);
            add(ui);
        });
    };
    indented(ui, &mut |ui| {
        let font = Theme::font(Font::Body);
        let name = elided(ui, &source.name, &font, ui.available_width() - MARGIN);
        let text = RichText::new(name).font(font).color(theme.color(ColorRole::TextPrimary));
        let response = ui.label(text);
        if let Some(path) = &source.path {
            response.on_hover_text(path.display().to_string());
        }
    });
    indented(ui, &mut |ui| {
        let clips = if source.clips.len() == 1 { "clip" } else { "clips" };
        let about = format!("{} joints, {} {clips}", source.joint_count, source.clips.len());
        small(ui, theme, &about, ColorRole::TextTertiary);
    });
}

/// Draws the buttons that choose a source, if there is none yet.
fn empty_ui(ui: &mut Ui, theme: &Theme, page: RetargetView<'_>, actions: &mut Actions) {
    egui::Frame::new().inner_margin(egui::Margin::symmetric(MARGIN as i8, 4)).show(ui, |ui| {
        let text = |ui: &mut Ui, text: &str, role: ColorRole| {
            let text = RichText::new(text).font(Theme::font(Font::Small)).color(theme.color(role));
            ui.add(egui::Label::new(text).wrap());
        };
        if let Some(name) = page.reading {
            text(ui, &format!("Reading {name}…"), ColorRole::TextSecondary);
            return;
        }
        if let Some(fault) = page.fault {
            text(ui, fault, ColorRole::SeverityError);
            ui.add_space(4.0);
        }
        text(
            ui,
            "No source yet. Choose or drop a file with clips to retarget.",
            ColorRole::TextSecondary,
        );
        ui.add_space(6.0);
        if ui.button("Choose a file…").clicked() {
            actions.push(RetargetAction::Browse);
        }
    });
}

/// Indices of the clips whose names contain the filter text.
fn listed(source: &BodyFacts, filter: &str) -> Vec<usize> {
    let filter = filter.to_lowercase();
    let fits = |k: &usize| source.clips[*k].name.to_lowercase().contains(&filter);
    (0..source.clips.len()).filter(fits).collect()
}

fn list_ui(ui: &mut Ui, theme: &Theme, source: &BodyFacts, now: &mut RetargetDraft) {
    let rows = listed(source, &now.filter);
    if rows.is_empty() {
        let text = if source.clips.is_empty() {
            "This file has no clips.".to_owned()
        } else {
            format!("No clip is named “{}”.", now.filter)
        };
        ui.horizontal(|ui| {
            ui.add_space(MARGIN);
            small(ui, theme, &text, ColorRole::TextTertiary);
        });
        return;
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    ScrollArea::vertical().id_salt("source clips").auto_shrink([false, false]).show_rows(
        ui,
        ROW,
        rows.len(),
        |ui, range| {
            for k in range {
                row_ui(ui, theme, source, now, rows[k]);
            }
        },
    );
}

fn row_ui(ui: &mut Ui, theme: &Theme, source: &BodyFacts, now: &mut RetargetDraft, clip: usize) {
    let about = &source.clips[clip];
    let is_shown = now.shown == clip;
    let name = format!("Source clip {}", about.name);
    let (rect, response) = row(ui, theme, ROW, &name, is_shown);
    let place = egui::Rect::from_min_size(
        pos2(rect.left() + MARGIN, rect.top()),
        vec2(20.0, rect.height()),
    );
    let mut inner = ui.new_child(egui::UiBuilder::new().max_rect(place).id_salt(("take", clip)));
    let mut takes = now.takes.get(clip).copied().unwrap_or(false);
    let tick = check(&mut inner, theme, &mut takes, "");
    name_widget(ui, &tick, &format!("Add {}", about.name));
    if tick.changed()
        && let Some(slot) = now.takes.get_mut(clip)
    {
        *slot = takes;
    }
    if response.clicked() {
        if !is_shown {
            (now.contact, now.clock.time) = (None, 0.0);
        }
        now.shown = clip;
    }
    let role = if is_shown { ColorRole::SelectionText } else { ColorRole::TextPrimary };
    let painter = ui.painter();
    let number = Theme::font(Font::NumberSmall);
    let length = format!("{:.2}", about.length);
    painter.text(
        pos2(rect.right() - MARGIN - 4.0, rect.center().y),
        Align2::RIGHT_CENTER,
        length,
        number,
        theme.color(ColorRole::TextTertiary),
    );
    let font = Theme::font(Font::Body);
    let left = rect.left() + MARGIN + 26.0;
    let shown = elided(ui, &about.name, &font, rect.right() - 48.0 - left);
    let is_cut = shown != about.name;
    ui.painter().text(
        pos2(left, rect.center().y),
        Align2::LEFT_CENTER,
        shown,
        font,
        theme.color(role),
    );
    if is_cut {
        response.on_hover_text(&about.name);
    }
}
