//! Form of a command: an editor per argument, a note about missing input, the shortcut, and a
//! button that runs the command.

mod acts;
mod deviation;
mod fields;
mod help;
mod lists;
mod picker;
mod plan;
mod planned;

pub(super) use self::help::capital;
pub use self::planned::{plan_buttons, plan_content, plan_panel};

use egui::{Key, RichText, ScrollArea, Ui};
use serde_json::Map;

use self::{
    fields::{FieldPlace, field_ui},
    help::ArgumentHelp,
    plan::{plan_ui, step_back},
};
use super::{
    drafts::{field_count, label},
    parts::{head, plain, primary, small, title},
};
use crate::ui::{
    Action, Actions, Dialog, DialogAction, FormDraft, View,
    collapsing::collapsing,
    drop_down::{combo_box, option_row},
    edits,
    theme::{Font, Theme},
};
use ulna_edit::{
    ArgumentSpec, ArgumentType, CommandSpec,
    command::{
        field::{ArgumentPart as _, LimitBy},
        forms::{Entry, entry, is_for_programs, is_needed, needed_choice, poses_over, shorter},
    },
};
use ulna_render::ColorRole;

/// Width of the labels, and gap between labels and fields, in points.
const LABELS: f32 = 132.0;
/// Maximum number of rows before optional arguments are collapsed.
const ROWS: usize = 7;

/// Index of the argument that gets the focus: a required one that is not a time, otherwise an empty
/// optional one.
fn first_typed(spec: &CommandSpec, draft: &FormDraft) -> usize {
    let typed =
        |a: &ArgumentSpec| entry(spec, a).is_some_and(|e| field_count(&e) > 0 && e != Entry::Axis);
    let fields = || {
        spec.arguments
            .iter()
            .enumerate()
            .filter(|(_, a)| typed(a) && !draft.is_left_out(spec, a.name))
    };
    let is_when = |a: &ArgumentSpec| a.kind == ArgumentType::Seconds && a.name == "time";
    let needed = || fields().find(|(_, a)| is_needed(spec, a) && !is_when(a));
    let empty = || fields().find(|(k, a)| draft.entered[*k].value.is_none() && !is_when(a));
    needed().or_else(empty).or_else(|| fields().next()).map_or(usize::MAX, |(k, _)| k)
}

/// Indices of the visible rows, and of the collapsed rows.
fn rows(spec: &CommandSpec, draft: &FormDraft) -> (Vec<usize>, Vec<usize>) {
    let over = poses_over(spec);
    let of_over = |a: &ArgumentSpec| over && matches!(a.name, "clip" | "time" | "layer");
    let asked = |(_, a): &(usize, &ArgumentSpec)| {
        !of_over(a) && entry(spec, a) != Some(Entry::Data) && !draft.is_left_out(spec, a.name)
    };
    let all: Vec<usize> = spec.arguments.iter().enumerate().filter(asked).map(|(k, _)| k).collect();
    if all.len() <= ROWS {
        return (all, Vec::new());
    }
    let first = first_typed(spec, draft);
    // If arguments exclude each other, show all of them.
    let choice = needed_choice(spec).filter(|choice| choice.exclusive);
    let is_choice =
        |name: &str| choice.is_some_and(|c| c.groups.iter().any(|group| group.contains(&name)));
    let kept = |k: &usize| {
        let argument = &spec.arguments[*k];
        let is_keys = entry(spec, argument) == Some(Entry::Keys);
        let is_first = *k == first && argument.name != "primitive";
        let is_given = draft.entered[*k].value.is_some();
        is_needed(spec, argument) || is_choice(argument.name) || is_keys || is_given || is_first
    };
    all.into_iter().partition(kept)
}

/// Shows the form of a command.
pub fn form_ui(ui: &mut Ui, view: &View<'_>, draft: &FormDraft, actions: &mut Actions) {
    let theme = view.theme;
    let Some(spec) = draft.spec() else { return };
    let help = format!("{}.", spec.help.trim_end_matches('.'));
    if draft.has_plan {
        head(ui, theme, None, spec.title.trim_end_matches('…'), &help, actions);
        step_back(ui, actions);
    } else {
        title(ui, theme, spec.title.trim_end_matches('…'));
        let help = RichText::new(help).color(theme.color(ColorRole::TextSecondary));
        ui.add(egui::Label::new(help).wrap());
        shorter_ui(ui, view, spec);
        ui.add_space(8.0);
    }
    let for_programs = is_for_programs(spec);
    let mut now = draft.clone();
    let is_new = take_keyboard(ui);
    // Enter confirms the form unless a field inside uses it.
    let form = ui.max_rect();
    let mut typing = ui.memory(|m| m.focused()).is_none_or(|id| {
        ui.ctx().read_response(id).is_none_or(|focused| !form.contains(focused.rect.center()))
    });
    if for_programs {
        small(ui, theme, "This command takes data that scripts provide. Use it in a script.");
    } else {
        // The effects of a plan need space below the rows.
        let rest = if draft.has_plan { 520.0 } else { 260.0 };
        let most = (ui.ctx().content_rect().height() - rest).max(160.0);
        // A dialog offers only the height of its content in the previous frame.
        let area = ScrollArea::vertical()
            .max_height(most)
            .min_scrolled_height(most)
            .auto_shrink([false, true]);
        area.id_salt("form").show(ui, |ui| {
            // A floating form takes the focus only once, because the user also works beside it.
            let takes_focus = is_new || !draft.has_plan;
            typing |= rows_ui(ui, view, (spec, takes_focus), draft, &mut now, actions);
        });
    }
    ui.add_space(12.0);
    if now != *draft {
        now.is_touched = true;
        if !draft.has_plan && now.names_other_pose(draft, spec) {
            now.forget_present(spec);
        }
        actions.push(DialogAction::SetDialog(Some(Dialog::Arguments {
            draft: Box::new(now.clone()),
        })));
    }
    let line = if for_programs { Err(String::new()) } else { now.line(spec) };
    let enter = typing && ui.input(|i| i.key_pressed(Key::Enter));
    if draft.has_plan {
        plan_ui(ui, view, (spec, &now), (line, enter), actions);
        return;
    }
    ui.horizontal(|ui| {
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let go = ui
                .add_enabled_ui(line.is_ok(), |ui| {
                    primary(ui, theme, spec.title.trim_end_matches('…'))
                })
                .inner;
            let cancel = plain(ui, "Cancel");
            if let Err(wrong) = &line {
                let note = RichText::new(wrong).font(Theme::font(Font::Small));
                // Do not show an error before the user has changed anything.
                let role = if now.is_touched {
                    ColorRole::SeverityWarning
                } else {
                    ColorRole::TextSecondary
                };
                let note = egui::Label::new(note.color(theme.color(role))).wrap();
                ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| ui.add(note));
            }
            if cancel.clicked() {
                actions.push(DialogAction::SetDialog(None));
            } else if (go.clicked() || enter)
                && let Ok(line) = line
            {
                actions.push(DialogAction::SetDialog(None));
                actions.push(Action::RunLine(line));
            }
        });
    });
}

/// Takes the focus from fields behind a form that has just opened. Returns whether it opened within
/// the last frames.
fn take_keyboard(ui: &Ui) -> bool {
    /// Number of frames until the first field is laid out and has the focus.
    const NEW: u64 = 8;
    let (id, frame) = (egui::Id::unique("form shown in frame"), ui.ctx().cumulative_frame_nr());
    let shown = ui.data(|d| d.get_temp::<(u64, u64)>(id));
    let opened = shown.filter(|(_, last)| last + 1 >= frame).map(|(opened, _)| opened);
    ui.data_mut(|d| d.insert_temp(id, (opened.unwrap_or(frame), frame)));
    if opened.is_none() {
        ui.memory_mut(|m| m.focused().into_iter().for_each(|id| m.surrender_focus(id)));
    }
    opened.is_none_or(|opened| frame - opened < NEW)
}

/// Shows the shortcut of a command, and how to run it without the form.
fn shorter_ui(ui: &mut Ui, view: &View<'_>, spec: &CommandSpec) {
    let keys = &view.settings.keys;
    let key = keys.shown(spec.name);
    let mut way = if key.is_empty() { String::new() } else { format!("Press {key}. ") };
    if let Some(text) = shorter(spec) {
        // Replace command names in braces by their current shortcuts.
        for (k, part) in text.split(['{', '}']).enumerate() {
            match (k % 2, keys.shown(part)) {
                (0, _) => way.push_str(part),
                (_, key) if key.is_empty() => way.push_str("its shortcut"),
                (_, key) => way.push_str(&key),
            }
        }
    }
    if !way.is_empty() {
        ui.add_space(4.0);
        small(ui, view.theme, &format!("Faster: {}", way.trim_end()));
    }
}

/// Shows all rows. Returns whether Enter in a field confirms the form.
fn rows_ui(
    ui: &mut Ui,
    view: &View<'_>,
    (spec, takes_focus): (&'static CommandSpec, bool),
    draft: &FormDraft,
    now: &mut FormDraft,
    actions: &mut Actions,
) -> bool {
    let (seen, folded) = rows(spec, draft);
    let first = if takes_focus { first_typed(spec, draft) } else { usize::MAX };
    let mut enters = false;
    let mut grid = |ui: &mut Ui, id: &str, which: &[usize], over: bool, now: &mut FormDraft| {
        let width = (ui.available_width() - LABELS - 12.0).max(120.0);
        egui::Grid::new(("form", id))
            .num_columns(2)
            .min_col_width(LABELS - 16.0)
            .spacing([16.0, 8.0])
            .show(ui, |ui| {
                for k in which {
                    let place = FieldPlace { width, first: *k == first };
                    enters |= row_ui(ui, view, spec, *k, place, now, actions);
                    ui.end_row();
                }
                if over {
                    over_ui(ui, view, spec, width, now);
                    ui.end_row();
                }
            });
    };
    grid(ui, "seen", &seen, poses_over(spec), now);
    if !folded.is_empty() {
        let head = RichText::new(format!("More options ({})", folded.len()));
        collapsing(ui, head, ("more of the form", spec.name), |ui| {
            grid(ui, "folded", &folded, false, now);
        });
    }
    enters
}

fn row_ui(
    ui: &mut Ui,
    view: &View<'_>,
    spec: &'static CommandSpec,
    k: usize,
    place: FieldPlace,
    now: &mut FormDraft,
    actions: &mut Actions,
) -> bool {
    let argument = &spec.arguments[k];
    let Some(entry) = entry(spec, argument) else { return false };
    let role =
        if is_needed(spec, argument) { ColorRole::TextPrimary } else { ColorRole::TextSecondary };
    let words = RichText::new(label(spec, argument)).color(view.theme.color(role));
    ui.vertical(|ui| {
        // Center the label beside a field that is 24 points high.
        ui.add_space(4.0);
        ui.add(egui::Label::new(words).wrap());
    });
    ui.vertical(|ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        let enters = field_ui(ui, view, (spec, argument), &entry, (k, now), place, actions);
        if let Some(wrong) = now.entered[k].wrong.clone() {
            let text = RichText::new(wrong).font(Theme::font(Font::Small));
            ui.add(
                egui::Label::new(text.color(view.theme.color(ColorRole::SeverityWarning))).wrap(),
            );
        } else if let Some(text) = ArgumentHelp::of(argument).under(&entry) {
            small(ui, view.theme, &text);
        }
        let has_clips = view.session.is_none_or(|s| s.document().clips.count() > 0);
        if !has_clips && is_fitted_to_clips(&entry) {
            small(ui, view.theme, "This file has no clips, so there is no motion to fit to.");
        }
        enters
    })
    .inner
}

/// Whether one of the choices fits weights to the clips.
fn is_fitted_to_clips(entry: &Entry) -> bool {
    matches!(entry, Entry::Words(words) if words.contains(&LimitBy::Fit.label()))
}

/// Shows the destination of a pose: the shown clip, or the pose of the file.
fn over_ui(ui: &mut Ui, view: &View<'_>, spec: &CommandSpec, width: f32, now: &mut FormDraft) {
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let theme = view.theme;
    ui.label(RichText::new("Applies to").color(theme.color(ColorRole::TextPrimary)));
    let over = edits::over(view);
    let mut shown = Map::new();
    over.write(document, "", &mut shown);
    let layer = view.layers.written.map(|id| ulna_edit::command::pose_layer_text(document, id));
    let in_layer = layer.map_or_else(String::new, |layer| format!(", layer {layer}"));
    let words = match view.shown_clip() {
        Some(clip) => {
            format!("{} at {:.3} s{in_layer}", document.clip_label(clip), view.edit_time())
        }
        None => format!("The file's pose{in_layer}"),
    };
    let places: Vec<usize> = spec
        .arguments
        .iter()
        .enumerate()
        .filter(|(_, a)| matches!(a.name, "clip" | "time" | "layer"))
        .map(|(k, _)| k)
        .collect();
    let is_shown = |now: &FormDraft| {
        places.iter().all(|k| now.entered[*k].value.as_ref() == shown.get(spec.arguments[*k].name))
    };
    if shown.is_empty() {
        ui.label(RichText::new(words).color(theme.color(ColorRole::TextSecondary)));
        return;
    }
    let file = "The file's pose".to_owned();
    let text = if is_shown(now) { words.clone() } else { file.clone() };
    let combo = combo_box("applies to").selected_text(&text).width(width).show_ui(ui, |ui| {
        if option_row(ui, is_shown(now), &words).clicked() {
            for k in &places {
                now.entered[*k].value = shown.get(spec.arguments[*k].name).cloned();
            }
        }
        if option_row(ui, !is_shown(now), &file).clicked() {
            for k in &places {
                now.entered[*k].value = None;
            }
        }
    });
    combo.response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::ComboBox, true, format!("Applies to: {text}"))
    });
}
