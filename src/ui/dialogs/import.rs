//! *Import clips* dialog: clips of other files, their fit to this skeleton, and the choice of
//! clips.

use egui::{Align, Align2, Key, Layout, Modifiers, Rect, ScrollArea, Sense, Ui, pos2, vec2};
use egui_material_icons::icons;

use super::import_details::{details_ui, open_ui, picture_ui};
use super::parts::{head, many, plain, primary, small, warning};
use crate::ui::{
    Actions, Dialog, DialogAction, ImportDraft, ImportFile, ImportRow, ImportView, Theme, View,
    theme::Font,
    widgets::{check, cut, name_widget, paint_icon, row, segment, segments, thousands},
};
use ulna_edit::command::{KeysHow, TakenName};
use ulna_model::rate_in_words;
use ulna_render::ColorRole;
use ulna_session::Fit;

const ROW: f32 = 44.0;
const LIST: f32 = 628.0;

pub fn import_ui(ui: &mut Ui, view: &View<'_>, draft: &ImportDraft, actions: &mut Actions) {
    let theme = view.theme;
    let Some(found) = view.dialogs.import else { return };
    let mut now = draft.clone();
    let count = now.ticked.iter().filter(|t| **t).count();
    let title = format!("Import {} into {}", many(count, "clip"), found.model);
    let read = match found.waiting.len() {
        0 => format!("{} read.", many(found.files.len(), "file")),
        left => format!(
            "Reading {} of {}…",
            found.files.len() + 1,
            many(found.files.len() + left, "file")
        ),
    };
    let words = format!("{read} Only clips are added; the model is not changed.");
    head(ui, theme, None, &title, &words, actions);
    keys(ui, found, &mut now);
    // In a low window, both sides scroll and the buttons stay visible.
    let height = (ui.ctx().content_rect().height() - 216.0).clamp(160.0, 440.0);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 16.0;
        let room = ui.available_width();
        let list = LIST.min(room * 0.66);
        ui.allocate_ui_with_layout(vec2(list, height), Layout::top_down(Align::Min), |ui| {
            list_ui(ui, theme, found, &mut now, height - 40.0, actions);
        });
        ui.allocate_ui_with_layout(
            vec2(room - list - 16.0, height),
            Layout::top_down(Align::Min),
            |ui| {
                let document = view.session.map(|s| s.document());
                ScrollArea::vertical().auto_shrink([false, false]).id_salt("import details").show(
                    ui,
                    |ui| {
                        details_ui(ui, theme, document, found, &mut now, actions);
                    },
                );
            },
        );
    });
    ui.add_space(10.0);
    ui.horizontal(|ui| {
        small(ui, theme, "If the name exists");
        segments(ui, theme, |ui| {
            for (taken, text) in [
                (TakenName::Number, "Add a number"),
                (TakenName::Replace, "Replace"),
                (TakenName::Skip, "Skip"),
            ] {
                if segment(ui, theme, text, now.taken == taken, false).clicked() {
                    now.taken = taken;
                }
            }
        });
        ui.add_space(12.0);
        small(ui, theme, "If rest poses differ");
        segments(ui, theme, |ui| {
            for (how, text) in
                [(KeysHow::Rests, "Retarget"), (KeysHow::Copy, "Copy keys as they are")]
            {
                if segment(ui, theme, text, now.how == how, false).clicked() {
                    now.how = how;
                }
            }
        });
    });
    ui.add_space(8.0);
    foot_ui(ui, theme, found, draft, now, actions);
}

/// Arrow keys select a row, and Space includes or excludes it.
fn keys(ui: &Ui, found: &ImportView, now: &mut ImportDraft) {
    if ui.memory(|m| m.focused().is_some()) || found.rows.is_empty() {
        return;
    }
    let pressed = |key| ui.input_mut(|i| i.consume_key(Modifiers::NONE, key));
    if pressed(Key::ArrowDown) {
        now.shown = (now.shown + 1).min(found.rows.len() - 1);
    }
    if pressed(Key::ArrowUp) {
        now.shown = now.shown.saturating_sub(1);
    }
    if pressed(Key::Space)
        && let Some(tick) = now.ticked.get_mut(now.shown)
    {
        *tick = !*tick && !found.rows[now.shown].is_empty;
    }
}

fn list_ui(
    ui: &mut Ui,
    theme: &Theme,
    found: &ImportView,
    now: &mut ImportDraft,
    height: f32,
    actions: &mut Actions,
) {
    let able = found.rows.iter().filter(|r| !r.is_empty).count();
    let count = now.ticked.iter().filter(|t| **t).count();
    ui.horizontal(|ui| {
        let mut all = count == able && able > 0;
        if check(ui, theme, &mut all, format!("{count} of {} selected", found.rows.len())).changed()
        {
            for (tick, row) in now.ticked.iter_mut().zip(&found.rows) {
                *tick = all && !row.is_empty;
            }
        }
    });
    ui.add_space(4.0);
    let shown = now.shown;
    theme.well().show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.spacing_mut().item_spacing.y = 0.0;
        ScrollArea::vertical()
            .auto_shrink([false, false])
            .max_height(height)
            .id_salt("import rows")
            .show_rows(
                ui,
                ROW,
                found.rows.len() + faulty(found).count() + found.waiting.len(),
                |ui, range| {
                    for k in range {
                        match found.rows.get(k) {
                            Some(_) => row_ui(ui, theme, found, now, k, k == shown),
                            None => {
                                let k = k - found.rows.len();
                                match faulty(found).nth(k) {
                                    Some(file) => fault_ui(ui, theme, file, actions),
                                    None => waiting_ui(
                                        ui,
                                        theme,
                                        found.waiting.get(k - faulty(found).count()),
                                    ),
                                }
                            }
                        }
                    }
                },
            );
    });
}

/// Files from which nothing can be imported.
fn faulty(found: &ImportView) -> impl Iterator<Item = &ImportFile> {
    found.files.iter().filter(|f| f.fault.is_some())
}

/// Shows a file that has not been read yet.
fn waiting_ui(ui: &mut Ui, theme: &Theme, name: Option<&String>) {
    let Some(name) = name else { return };
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    let font = Theme::font(Font::Body);
    let text = cut(ui, name, &font, rect.width() - 200.0);
    let left = pos2(rect.left() + 36.0, rect.center().y);
    ui.painter().text(left, Align2::LEFT_CENTER, text, font, theme.color(ColorRole::TextTertiary));
    let bar =
        Rect::from_min_size(pos2(rect.right() - 132.0, rect.center().y - 1.5), vec2(120.0, 3.0));
    ui.painter().rect_filled(bar, 1.5, theme.color(ColorRole::SurfaceControl));
    // Period of two seconds.
    let part = (ui.input(|i| i.time) as f32 * std::f32::consts::PI).sin() * 0.5 + 0.5;
    let lit = Rect::from_min_size(pos2(bar.left() + part * 90.0, bar.top()), vec2(30.0, 3.0));
    ui.painter().rect_filled(lit, 1.5, theme.color(ColorRole::AccentBase));
}

fn fault_ui(ui: &mut Ui, theme: &Theme, file: &ImportFile, actions: &mut Actions) {
    /// Width of the buttons for opening the file, in points.
    const WAYS: f32 = 240.0;
    let (whole, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    let rect = if file.path.is_some() { whole.with_max_x(whole.right() - WAYS) } else { whole };
    let place = whole.with_min_x(whole.right() - WAYS).shrink2(vec2(8.0, 8.0));
    let mut place =
        ui.new_child(egui::UiBuilder::new().max_rect(place).id_salt(("ways", &file.name)));
    place.with_layout(Layout::right_to_left(Align::Center), |ui| open_ui(ui, file, actions));
    let at = pos2(rect.left() + 18.0, rect.center().y);
    paint_icon(
        ui.painter(),
        at,
        icons::ICON_WARNING,
        16.0,
        theme.color(ColorRole::SeverityWarning),
    );
    let why = file.fault.as_deref().unwrap_or_default();
    let room = rect.width() - 48.0;
    let (name, why) = (
        cut(ui, &file.name, &Theme::font(Font::Body), room),
        cut(ui, why, &Theme::font(Font::Small), room),
    );
    let painter = ui.painter();
    let left = rect.left() + 36.0;
    painter.text(
        pos2(left, rect.top() + 14.0),
        Align2::LEFT_CENTER,
        name,
        Theme::font(Font::Body),
        theme.color(ColorRole::TextTertiary),
    );
    painter.text(
        pos2(left, rect.top() + 30.0),
        Align2::LEFT_CENTER,
        why,
        Theme::font(Font::Small),
        theme.color(ColorRole::TextTertiary),
    );
}

/// Describes the rest pose of a skeleton in two words.
const fn rest_word(fit: &Fit, is_other: bool) -> &'static str {
    match (is_other, fit.is_same()) {
        (true, _) => "other body",
        (false, true) => "same rest",
        (false, false) => "rest differs",
    }
}

fn row_ui(
    ui: &mut Ui,
    theme: &Theme,
    found: &ImportView,
    now: &mut ImportDraft,
    k: usize,
    is_shown: bool,
) {
    let about = &found.rows[k];
    let file = &found.files[about.file];
    let name = now.names.get(k).cloned().unwrap_or_default();
    let (rect, response) = row(ui, theme, ROW, &format!("Clip {name}"), is_shown);
    if response.clicked() {
        now.shown = k;
    }
    let ticked = now.ticked.get(k) == Some(&true);
    let tick = Rect::from_center_size(pos2(rect.left() + 18.0, rect.center().y), vec2(20.0, 20.0));
    let mut on = ticked;
    let mut place = ui.new_child(egui::UiBuilder::new().max_rect(tick).id_salt(("tick", k)));
    place.add_enabled_ui(!about.is_empty, |ui| {
        let response = check(ui, theme, &mut on, "");
        name_widget(ui, &response, &format!("Import {name}"));
    });
    if on != ticked
        && let Some(tick) = now.ticked.get_mut(k)
    {
        *tick = on;
    }
    let picture =
        Rect::from_min_size(pos2(rect.left() + 36.0, rect.center().y - 18.0), vec2(59.0, 36.0));
    picture_ui(ui, theme, about.picture, picture);
    let dim = if ticked { ColorRole::TextPrimary } else { ColorRole::TextSecondary };
    let left = picture.right() + 10.0;
    let columns = rect.right() - 268.0;
    let taken = found.taken.contains(&name);
    let text =
        cut(ui, &name, &Theme::font(Font::Body), columns - left - if taken { 90.0 } else { 8.0 });
    let under = cut(ui, &file.name, &Theme::font(Font::Small), columns - left - 8.0);
    let painter = ui.painter();
    let drawn = painter.text(
        pos2(left, rect.top() + 14.0),
        Align2::LEFT_CENTER,
        text,
        Theme::font(Font::Body),
        theme.color(dim),
    );
    painter.text(
        pos2(left, rect.top() + 31.0),
        Align2::LEFT_CENTER,
        under,
        Theme::font(Font::Small),
        theme.color(ColorRole::TextTertiary),
    );
    if taken {
        let at = pos2(drawn.right() + 8.0, rect.top() + 14.0);
        painter.text(
            at,
            Align2::LEFT_CENTER,
            "name taken",
            Theme::font(Font::Small),
            theme.color(ColorRole::SeverityWarning),
        );
    }
    let number = |at: f32, text: String| {
        let at = pos2(columns + at, rect.center().y);
        painter.text(
            at,
            Align2::RIGHT_CENTER,
            text,
            Theme::font(Font::NumberSmall),
            theme.color(ColorRole::TextSecondary),
        );
    };
    number(52.0, format!("{:.2} s", about.length));
    number(
        108.0,
        about.fps.map_or_else(String::new, |fps| format!("{} fps", rate_in_words(f64::from(fps)))),
    );
    if let Some(fit) = &file.fit {
        number(170.0, format!("{}/{}", fit.matched(), fit.joints));
        let at = pos2(columns + 182.0, rect.center().y);
        let role =
            if about.is_other { ColorRole::SeverityWarning } else { ColorRole::TextSecondary };
        painter.text(
            at,
            Align2::LEFT_CENTER,
            rest_word(fit, about.is_other),
            Theme::font(Font::Small),
            theme.color(role),
        );
    }
}

fn foot_ui(
    ui: &mut Ui,
    theme: &Theme,
    found: &ImportView,
    draft: &ImportDraft,
    now: ImportDraft,
    actions: &mut Actions,
) {
    let ticked: Vec<&ImportRow> =
        found.rows.iter().zip(&now.ticked).filter(|(_, t)| **t).map(|(r, _)| r).collect();
    let count = ticked.len();
    let enter = ui.memory(|m| m.focused().is_none())
        && ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Enter));
    ui.horizontal(|ui| {
        ui.vertical(|ui| {
            ui.set_width(ui.available_width() - 350.0);
            let other: Vec<&ImportFile> = found
                .files
                .iter()
                .enumerate()
                .filter(|(k, _)| found.rows.iter().any(|r| r.file == *k && r.is_other))
                .map(|(_, f)| f)
                .collect();
            if let Some(file) = other.first() {
                let joints = file.fit.as_ref().map_or(0, |f| f.joints);
                let here = file.fit.as_ref().map_or(0, Fit::matched);
                warning(
                    ui,
                    theme,
                    &format!(
                        "{} matches only {here} of {joints} joints of this character, so it is not \
                            selected.",
                        file.name
                    ),
                );
            }
            let (keys, bytes) = ticked.iter().fold((0, 0), |(k, b), r| (k + r.keys, b + r.bytes));
            small(
                ui,
                theme,
                &format!(
                    "Adds {} keys, about {} KB. All other bytes stay unchanged. One undo step.",
                    thousands(keys),
                    thousands(bytes.div_ceil(1024))
                ),
            );
        });
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let verb = format!("Import {}", many(count, "clip"));
            let ready = count > 0 && found.waiting.is_empty();
            let go = ui.add_enabled_ui(ready, |ui| primary(ui, theme, &verb).clicked()).inner
                || (enter && ready);
            let cancels = plain(ui, "Cancel").clicked();
            let file = found.rows.get(now.shown).map_or(0, |row| row.file);
            // Clips of another kind of body are retargeted on their own page.
            let is_other = found.rows.get(now.shown).is_some_and(|row| row.is_other);
            let verb = if is_other { "Retarget…" } else { "Adjust…" };
            let adjust = ui.add_enabled_ui(found.files.get(file).is_some(), |ui| plain(ui, verb));
            let hint = "Opens the page Retarget with the file of the shown clip as the source";
            if adjust.inner.on_hover_text(hint).clicked() {
                actions.push(DialogAction::AdjustImport(file));
            } else if cancels {
                actions.push(DialogAction::SetDialog(None));
            } else if go {
                actions.push(DialogAction::Import(Box::new(now)));
            } else if now.fits_otherwise(draft) {
                actions.push(DialogAction::FitImport(Box::new(now)));
            } else if now != *draft {
                actions
                    .push(DialogAction::SetDialog(Some(Dialog::Import { draft: Box::new(now) })));
            }
        });
    });
}
