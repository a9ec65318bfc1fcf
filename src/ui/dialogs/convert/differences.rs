//! Differences between a non-glTF file and glTF, and other problems of the file.

use egui::{Align2, Key, Rect, RichText, ScrollArea, Sense, Ui, UiBuilder, pos2, vec2};
use egui_material_icons::icons;

use super::{INSET, section};
use crate::ui::{
    Actions, ConvertDraft, DialogAction, Theme,
    theme::Font,
    widgets::{check, cut, edged, name_widget, paint_icon, severity_icon},
};
use ulna_model::Severity;
use ulna_render::ColorRole;

const ROW: f32 = 26.0;

/// Row of a difference or a problem.
struct DifferenceRow {
    severity: Severity,
    text: String,
    detail: String,
    times: usize,
    /// Whether the row has the checkbox *Clean up*.
    cleans: bool,
}

/// Capitalizes the first letter.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn rows(draft: &ConvertDraft) -> Vec<DifferenceRow> {
    let differences = draft.differences().map(|d| DifferenceRow {
        severity: if d.is_loss { Severity::Warning } else { Severity::Info },
        text: capital(&d.text),
        detail: d.detail.clone(),
        times: 1,
        cleans: d.code == ConvertDraft::HELPERS,
    });
    let problems = draft.problems().map(|f| DifferenceRow {
        severity: f.severity,
        text: capital(&f.message),
        detail: f.place.to_string(),
        times: 1,
        cleans: false,
    });
    let mut all: Vec<DifferenceRow> = Vec::new();
    for row in differences.chain(problems) {
        let is_same = |r: &&mut DifferenceRow| (&r.text, &r.detail) == (&row.text, &row.detail);
        match all.iter_mut().find(is_same) {
            Some(told) => told.times += 1,
            None => all.push(row),
        }
    }
    for row in all.iter_mut().filter(|r| r.times > 1) {
        let ends = if row.detail.is_empty() { "" } else { ", " };
        row.detail = format!("{}{ends}{} times", row.detail, row.times);
    }
    all.sort_by_key(|r| std::cmp::Reverse(r.severity));
    all
}

/// Height of the differences section with all its rows, in points.
pub fn height(draft: &ConvertDraft) -> f32 {
    let path = if draft.report.is_some() { 36.0 } else { 0.0 };
    28.0 + path + (rows(draft).len() + 1) as f32 * ROW
}

pub fn differences_ui(
    ui: &mut Ui,
    theme: &Theme,
    now: &mut ConvertDraft,
    height: f32,
    actions: &mut Actions,
) {
    let rows = rows(now);
    let count = if rows.is_empty() { String::new() } else { rows.len().to_string() };
    let mut asks = false;
    section(ui, theme, "Differences in glTF", &count, |ui| {
        let button = ui.button("Save report…");
        asks = button.on_hover_text("Writes this list to a text file").clicked();
    });
    if asks {
        now.report = match now.report {
            Some(_) => None,
            None => Some(now.path.with_extension("report.txt").display().to_string()),
        };
    }
    let top = ui.cursor().top();
    if now.report.is_some() {
        report_ui(ui, now, actions);
    }
    let room = height - 28.0 - (ui.cursor().top() - top);
    ScrollArea::vertical()
        .id_salt("differences")
        .max_height(room.max(ROW))
        .auto_shrink([false, true])
        .show(ui, |ui| {
            for row in &rows {
                row_ui(ui, theme, now, row);
            }
            let kept = if rows.is_empty() {
                "Everything in this file fits glTF"
            } else {
                "Names and order of the nodes are kept"
            };
            let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
            let rect = rect.shrink2(vec2(INSET, 0.0));
            let at = pos2(rect.left() + 8.0, rect.center().y);
            let color = theme.color(ColorRole::TextTertiary);
            paint_icon(ui.painter(), at, icons::ICON_LOCK, 16.0, color);
            let at = pos2(rect.left() + 24.0, rect.center().y);
            let font = Theme::font(Font::Body);
            let color = theme.color(ColorRole::TextSecondary);
            ui.painter().text(at, Align2::LEFT_CENTER, kept, font, color);
        });
}

/// Shows the path field of the report.
fn report_ui(ui: &mut Ui, now: &mut ConvertDraft, actions: &mut Actions) {
    let mut path = now.report.clone().unwrap_or_default();
    let mut is_done = false;
    ui.horizontal(|ui| {
        ui.set_min_height(36.0);
        ui.add_space(INSET);
        let room = ui.available_width() - 70.0;
        let field = egui::TextEdit::singleline(&mut path)
            .desired_width(room)
            .align(egui::Align2::LEFT_CENTER)
            .font(egui::TextStyle::Monospace);
        let field = edged(ui, |ui| ui.add_sized([room, 26.0], field));
        name_widget(ui, &field, "Path of the report");
        let enter = field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
        let save = ui.add_enabled(!path.trim().is_empty(), egui::Button::new("Save"));
        name_widget(ui, &save, "Save the report");
        is_done = save.clicked() || (enter && !path.trim().is_empty());
    });
    now.report = Some(path);
    if is_done {
        actions.push(DialogAction::SaveReport(Box::new(now.clone())));
        now.report = None;
    }
}

fn row_ui(ui: &mut Ui, theme: &Theme, now: &mut ConvertDraft, row: &DifferenceRow) {
    const CLEAN: f32 = 100.0;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    let rect = rect.shrink2(vec2(INSET, 0.0));
    let end = if row.cleans { rect.right() - CLEAN } else { rect.right() - 10.0 };
    let at = pos2(rect.left() + 8.0, rect.center().y);
    severity_icon(ui, theme, at, row.severity, 16.0);
    let (body, small) = (Theme::font(Font::Body), Theme::font(Font::Small));
    let left = rect.left() + 24.0;
    let shown = cut(ui, &row.text, &body, end - left);
    let is_cut = shown != row.text;
    let at = pos2(left, rect.center().y);
    let color = theme.color(ColorRole::TextPrimary);
    let drawn = ui.painter().text(at, Align2::LEFT_CENTER, shown, body, color);
    let room = end - drawn.right() - 8.0;
    let detail = cut(ui, &row.detail, &small, room.max(0.0));
    let is_cut = is_cut || detail != row.detail;
    let at = pos2(drawn.right() + 8.0, rect.center().y);
    let color = theme.color(ColorRole::TextSecondary);
    ui.painter().text(at, Align2::LEFT_CENTER, detail, small, color);
    let whole = if row.detail.is_empty() {
        row.text.clone()
    } else {
        format!("{}: {}", row.text, row.detail)
    };
    name_widget(ui, &response, &whole);
    if is_cut {
        response.on_hover_ui(|ui| {
            ui.add(egui::Label::new(RichText::new(&whole)).wrap());
        });
    }
    if row.cleans {
        let place =
            Rect::from_min_max(pos2(end + 10.0, rect.center().y - 12.0), rect.right_bottom());
        let mut inner = ui.new_child(UiBuilder::new().max_rect(place).id_salt("clean up"));
        let mut on = now.cleans;
        let response = check(&mut inner, theme, &mut on, "Clean up");
        name_widget(ui, &response, "Clean up helper nodes");
        response.on_hover_text("Removes these nodes after opening; undo brings them back");
        now.cleans = on;
    }
}
