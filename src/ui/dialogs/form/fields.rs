//! Editors of command arguments in a form.

use egui::{RichText, TextEdit, Ui, vec2};
use serde_json::Value;

use super::{
    help::{ArgumentHelp, by_default, capital, default_word},
    lists::{Listed, listed, selected_keys},
    picker::picker_ui,
};
use crate::ui::{
    Actions, FormDraft, View,
    dialogs::{drafts::label, parts::small},
    drop_down::{combo_box, option_row},
    theme::{Font, Theme},
    widgets::{check, edged, name_widget, segment, segments, select_all},
};
use ulna_edit::{
    ArgumentSpec, CommandSpec,
    command::{
        KINDS,
        forms::{Entry, Quantity, Unit, Unset, is_needed},
    },
};
use ulna_model::{GroupColor, Property};
use ulna_render::ColorRole;

/// Placement of a field.
#[derive(Clone, Copy, Debug)]
pub struct FieldPlace {
    /// Available width, in points.
    pub width: f32,
    /// Whether the field gets the focus if no other widget has it.
    pub first: bool,
}

/// Shows the editor of an argument. Returns whether Enter in the editor confirms the form.
pub fn field_ui(
    ui: &mut Ui,
    view: &View<'_>,
    (spec, argument): (&CommandSpec, &ArgumentSpec),
    entry: &Entry,
    (k, now): (usize, &mut FormDraft),
    place: FieldPlace,
    actions: &mut Actions,
) -> bool {
    let theme = view.theme;
    let name = label(spec, argument);
    let help = ArgumentHelp::of(argument);
    let unset = help.shown_by(entry);
    let optional = !is_needed(spec, argument);
    match entry {
        Entry::Words(words) => {
            let default = help.unset.and_then(|u| default_word(words, u)).filter(|_| optional);
            words_ui(ui, (&name, words), (optional, default), (k, now), place.width);
        }
        Entry::Flag(unset) => flag_ui(ui, theme, (&name, *unset), optional, (k, now), place.width),
        Entry::Parts(morphs) => parts_ui(ui, theme, *morphs, (k, now)),
        Entry::Keys => keys_ui(ui, view, (spec, argument), (k, now)),
        Entry::StrengthKeys => return strength_keys_ui(ui, theme, (k, now), place),
        Entry::Axis => return axis_ui(ui, theme, &name, (k, now), place),
        Entry::Number(q) | Entry::Numbers(q) => {
            let said = (q.unit.sign(), unset.as_deref().filter(|_| optional));
            return typed_ui(ui, theme, (&name, entry), said, (k, now), place);
        }
        Entry::Vector(q) | Entry::Factor(q) => {
            return triple_ui(ui, theme, (&name, entry), q, (k, now), place);
        }
        Entry::Text | Entry::Vertices => {
            return typed_ui(ui, theme, (&name, entry), ("", None), (k, now), place);
        }
        Entry::Path => {
            return ui
                .horizontal(|ui| {
                    let narrow = FieldPlace { width: place.width - 84.0, ..place };
                    let enters = typed_ui(ui, theme, (&name, entry), ("", None), (k, now), narrow);
                    if ui
                        .button("Choose…")
                        .on_hover_text("Opens the system's file dialog")
                        .clicked()
                    {
                        actions.push(crate::ui::DialogAction::BrowseForm);
                    }
                    enters
                })
                .inner;
        }
        Entry::Color => {
            let unset = unset.unwrap_or_else(|| "Unchanged".to_owned());
            color_ui(ui, (&name, &unset), &mut now.entered[k].value, place.width);
        }
        Entry::Data => {}
        _ => {
            if let Some(mut list) = listed(entry, argument.name, view, now) {
                list.unset = unset.unwrap_or(list.unset);
                pick_ui(ui, view, &name, optional, list, (k, now), place.width);
            }
        }
    }
    false
}

/// Shows a list to pick from, with a button that picks the selected elements.
fn pick_ui(
    ui: &mut Ui,
    view: &View<'_>,
    name: &str,
    optional: bool,
    list: Listed<'_>,
    (k, now): (usize, &mut FormDraft),
    width: f32,
) {
    let chosen: Vec<String> = match &now.entered[k].value {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(list)) => {
            list.iter().filter_map(Value::as_str).map(ToOwned::to_owned).collect()
        }
        Some(Value::Number(number)) => vec![number.to_string()],
        _ => Vec::new(),
    };
    let shown = match &chosen[..] {
        [] if optional => list.unset.clone(),
        [] => "Pick…".to_owned(),
        texts => texts.iter().map(|t| (list.label)(t)).collect::<Vec<_>>().join(", "),
    };
    let (many, by_number) = (list.many, list.by_number);
    let selected = list.selected.clone();
    ui.horizontal(|ui| {
        let (cross, take) = (vec2(24.0, 24.0), vec2(74.0, 24.0));
        let gap = ui.spacing().item_spacing.x;
        let extra = if selected.is_empty() { 0.0 } else { take.x + gap }
            + if optional && !chosen.is_empty() { cross.x + gap } else { 0.0 };
        let picked =
            picker_ui(ui, view.theme, name, (&shown, many), &chosen, width - extra, || {
                (list.all)()
            });
        let picked = if optional && !chosen.is_empty() {
            let clear = ui.add_sized(cross, egui::Button::new("✕"));
            name_widget(ui, &clear, &format!("Clear {}", name.to_lowercase()));
            if clear.clicked() { Some(Vec::new()) } else { picked }
        } else {
            picked
        };
        let picked = if selected.is_empty() {
            picked
        } else {
            let button = ui.add_sized(take, egui::Button::new("Selected"));
            name_widget(ui, &button, &format!("Selected for {}", name.to_lowercase()));
            if button.on_hover_text("Uses the current selection").clicked() {
                Some(selected)
            } else {
                picked
            }
        };
        if let Some(mut texts) = picked {
            now.entered[k].value = match texts.len() {
                0 => None,
                1 if by_number => texts.pop().and_then(|t| serde_json::from_str(&t).ok()),
                1 => texts.pop().map(Value::from),
                _ => Some(texts.into()),
            };
        }
    });
}

/// Shows the palette colors and a custom color. `unset`: text for no color.
fn color_ui(ui: &mut Ui, (name, unset): (&str, &str), value: &mut Option<Value>, width: f32) {
    let color = value.as_ref().and_then(Value::as_str).and_then(GroupColor::parse);
    let word = |color: GroupColor| match color {
        GroupColor::Free(_) => "Custom".to_owned(),
        _ => capital(&color.text()),
    };
    let shown = color.map_or_else(|| unset.to_owned(), word);
    ui.horizontal(|ui| {
        let combo = combo_box(("color", name))
            .selected_text(&shown)
            .width(width.min(220.0))
            .show_ui(ui, |ui| {
                if option_row(ui, color.is_none(), unset).clicked() {
                    *value = None;
                }
                let free = color.filter(|c| c.place().is_none());
                let free = free.unwrap_or(GroupColor::Free([128, 128, 128]));
                for choice in GroupColor::PALETTE.into_iter().chain([free]) {
                    if option_row(ui, color == Some(choice), &word(choice)).clicked() {
                        *value = Some(choice.text().into());
                    }
                }
            });
        combo.response.widget_info(|| {
            egui::WidgetInfo::labeled(egui::Role::ComboBox, true, format!("{name}: {shown}"))
        });
        if let Some(GroupColor::Free(mut rgb)) = color {
            let button = ui.color_edit_button_srgb(&mut rgb);
            name_widget(ui, &button, &format!("Custom {}", name.to_lowercase()));
            if button.changed() {
                *value = Some(GroupColor::Free(rgb).text().into());
            }
        }
    });
}

/// Shows a list of words. `default`: the word that applies without a choice.
fn words_ui(
    ui: &mut Ui,
    (name, words): (&str, &[&'static str]),
    (optional, default): (bool, Option<&'static str>),
    (k, now): (usize, &mut FormDraft),
    width: f32,
) {
    let entered = &mut now.entered[k].value;
    let word_text =
        |word: &str| if default == Some(word) { by_default(word) } else { in_words(word) };
    let shown = match (entered.as_ref(), default) {
        (Some(value), _) => word_text(&plain(value)),
        (None, Some(word)) => word_text(word),
        (None, None) if optional => "Default".to_owned(),
        (None, None) => "Pick…".to_owned(),
    };
    let combo = combo_box(("words", name)).selected_text(&shown).width(width.min(220.0)).show_ui(
        ui,
        |ui| {
            if optional
                && default.is_none()
                && option_row(ui, entered.is_none(), "Default").clicked()
            {
                *entered = None;
            }
            for word in words {
                let is_default = default == Some(*word);
                let on = entered.as_ref().map_or(is_default, |v| plain(v) == *word);
                if option_row(ui, on, &word_text(word)).clicked() {
                    *entered = (!is_default).then(|| (*word).into());
                }
            }
        },
    );
    combo.response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::ComboBox, true, format!("{name}: {shown}"))
    });
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

/// Text of a command word in the window.
fn in_words(word: &str) -> String {
    let kind = KINDS.iter().find(|(kind, _)| kind.label() == word);
    // Show naming patterns unchanged, because *l_arm* differs from *L_Arm*.
    let is_spelling =
        word.starts_with('-') || word.contains(['_', '.']) || word.contains(char::is_uppercase);
    match kind {
        Some((_, text)) => (*text).to_owned(),
        None if is_spelling => word.to_owned(),
        None => capital(&word.replace('-', " ")),
    }
}

/// Shows the editor of a flag: a checkbox if an omitted flag is off or on, otherwise a list with
/// *Yes*, *No* and the behavior if omitted.
fn flag_ui(
    ui: &mut Ui,
    theme: &Theme,
    (name, unset): (&str, Unset),
    optional: bool,
    (k, now): (usize, &mut FormDraft),
    width: f32,
) {
    let entered = &mut now.entered[k].value;
    let given = entered.as_ref().and_then(Value::as_bool);
    let third = match unset {
        Unset::Toggles => "Toggle",
        Unset::Fits => "Automatic",
        Unset::Off | Unset::On => {
            let mut on = given.unwrap_or(unset == Unset::On);
            let response = check(ui, theme, &mut on, "");
            response
                .widget_info(|| egui::WidgetInfo::selected(egui::Role::CheckBox, true, on, name));
            if response.changed() {
                // Omit an optional argument if it equals the default.
                *entered = (!optional || on != (unset == Unset::On)).then_some(Value::Bool(on));
            }
            return;
        }
    };
    let shown = match given {
        None => third,
        Some(true) => "Yes",
        Some(false) => "No",
    };
    let combo =
        combo_box(("flag", name)).selected_text(shown).width(width.min(140.0)).show_ui(ui, |ui| {
            for (value, text) in [(None, third), (Some(true), "Yes"), (Some(false), "No")] {
                if option_row(ui, given == value, text).clicked() {
                    *entered = value.map(Value::Bool);
                }
            }
        });
    combo.response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::ComboBox, true, format!("{name}: {shown}"))
    });
}

/// Shows checkboxes for translation, rotation and scale. Without any check, all apply.
fn parts_ui(ui: &mut Ui, theme: &Theme, morphs: bool, (k, now): (usize, &mut FormDraft)) {
    let entered = &mut now.entered[k].value;
    let mut chosen: Vec<String> = match entered.as_ref() {
        Some(Value::Array(list)) => {
            list.iter().filter_map(Value::as_str).map(ToOwned::to_owned).collect()
        }
        Some(Value::String(text)) => vec![text.clone()],
        _ => Vec::new(),
    };
    let mut all = vec![Property::Translation, Property::Rotation, Property::Scale];
    if morphs {
        all.push(Property::Weights);
    }
    ui.horizontal_wrapped(|ui| {
        for property in all {
            let path = property.path();
            let mut on = chosen.iter().any(|c| c == path);
            if check(ui, theme, &mut on, capital(path)).changed() {
                chosen.retain(|c| c != path);
                if on {
                    chosen.push(path.to_owned());
                }
                *entered = (!chosen.is_empty()).then(|| chosen.clone().into());
            }
            ui.add_space(6.0);
        }
    });
}

/// Shows the selected keys as the argument. Without them, the rows for times and nodes choose keys.
fn keys_ui(
    ui: &mut Ui,
    view: &View<'_>,
    (spec, argument): (&CommandSpec, &ArgumentSpec),
    (k, now): (usize, &mut FormDraft),
) {
    const OTHER_WAYS: [&str; 6] = ["time", "times", "from", "to", "node", "parts"];
    let count = view.selected_keys().len();
    let mut on = now.entered[k].value.is_some();
    let is_narrowed = spec
        .arguments
        .iter()
        .zip(&now.entered)
        .any(|(a, e)| !a.required && OTHER_WAYS.contains(&a.name) && e.value.is_some());
    let text = match count {
        0 if is_narrowed => "Keys at these times, of these nodes (no key is selected)".to_owned(),
        0 => "All keys of the clip (no key is selected)".to_owned(),
        1 => "The selected key".to_owned(),
        n => format!("The {n} selected keys"),
    };
    if count == 0 && !on {
        small(ui, view.theme, &text);
        return;
    }
    if !check(ui, view.theme, &mut on, text).changed() {
        return;
    }
    now.entered[k].value = if on { selected_keys(view, spec, argument) } else { None };
}

/// Shows a text field with its unit. An empty field shows its default as a hint.
fn typed_ui(
    ui: &mut Ui,
    theme: &Theme,
    (name, entry): (&str, &Entry),
    (sign, unset): (&str, Option<&str>),
    (k, now): (usize, &mut FormDraft),
    place: FieldPlace,
) -> bool {
    let is_number = matches!(entry, Entry::Number(_));
    // Hide the unit if the typed text has its own.
    let has_unit = now.entered[k].texts.iter().any(|t| t.contains(char::is_alphabetic));
    let room = if sign.is_empty() { place.width } else { place.width - 36.0 };
    let width = if is_number { room.min(120.0) } else { room };
    let hint = match entry {
        Entry::Vertices => "0-99, 120",
        Entry::Numbers(_) => "0, 0.5, 1",
        Entry::Path => "Folder or file",
        _ => unset.unwrap_or_default(),
    };
    ui.horizontal(|ui| {
        let (changed, enters) =
            text_ui(ui, (name, hint), &mut now.entered[k].texts, 0, width, place.first);
        if !sign.is_empty() && !has_unit {
            let sign = RichText::new(sign).font(Theme::font(Font::Small));
            ui.label(sign.color(theme.color(ColorRole::TextTertiary)));
        }
        if changed {
            now.read(k, entry);
        }
        enters
    })
    .inner
}

/// Shows one row per strength key: its time and its strength.
fn strength_keys_ui(
    ui: &mut Ui,
    theme: &Theme,
    (k, now): (usize, &mut FormDraft),
    place: FieldPlace,
) -> bool {
    let unit = |ui: &mut Ui, sign: &str| {
        let sign = RichText::new(sign).font(Theme::font(Font::Small));
        ui.label(sign.color(theme.color(ColorRole::TextTertiary)));
    };
    let (mut changed, mut enters, mut removed) = (false, false, None);
    let keys = now.entered[k].texts.len() / 2;
    for key in 0..keys {
        ui.horizontal(|ui| {
            for (column, (what, sign)) in [("Time", "s"), ("Strength", "%")].into_iter().enumerate()
            {
                let name = format!("{what} of key {}", key + 1);
                let (texts, at) = (&mut now.entered[k].texts, 2 * key + column);
                let (edited, entered) =
                    text_ui(ui, (&name, ""), texts, at, 90.0, place.first && at == 0);
                unit(ui, sign);
                changed |= edited;
                enters |= entered;
            }
            let remove = ui.add_enabled(keys > 1, egui::Button::new("✕"));
            name_widget(ui, &remove, &format!("Remove key {}", key + 1));
            if remove.clicked() {
                removed = Some(key);
            }
        });
    }
    if let Some(key) = removed {
        now.entered[k].texts.drain(2 * key..2 * key + 2);
        changed = true;
    }
    if ui.button("Add key").clicked() {
        now.entered[k].texts.extend([String::new(), String::new()]);
        changed = true;
    }
    if changed {
        now.read(k, &Entry::StrengthKeys);
    }
    enters
}

/// Shows three fields, one per axis.
fn triple_ui(
    ui: &mut Ui,
    theme: &Theme,
    (name, entry): (&str, &Entry),
    q: &Quantity,
    (k, now): (usize, &mut FormDraft),
    place: FieldPlace,
) -> bool {
    let sign = q.unit.sign();
    let all = matches!(entry, Entry::Factor(_));
    let width = ((place.width - 28.0 - 3.0 * 22.0) / 3.0).clamp(44.0, 90.0);
    let mut enters = false;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let mut changed = false;
        for (axis, letter, role) in
            [(0, "X", ColorRole::AxisX), (1, "Y", ColorRole::AxisY), (2, "Z", ColorRole::AxisZ)]
        {
            ui.label(RichText::new(letter).font(Theme::font(Font::Small)).color(theme.color(role)));
            // A single number applies to all axes.
            let first = now.entered[k].texts[0].trim().to_owned();
            let stands_for = now.entered[k].present.get(axis).cloned().unwrap_or_default();
            let hint = if all && axis > 0 { &first } else { &stands_for };
            let field = format!("{name} {letter}");
            let (edited, entered) = text_ui(
                ui,
                (&field, hint),
                &mut now.entered[k].texts,
                axis,
                width,
                place.first && axis == 0,
            );
            changed |= edited;
            enters |= entered;
        }
        let sign = RichText::new(sign).font(Theme::font(Font::Small));
        ui.label(sign.color(theme.color(ColorRole::TextTertiary)));
        if changed {
            now.read(k, entry);
        }
    });
    enters
}

/// Shows a choice of an axis, or a direction by its components.
fn axis_ui(
    ui: &mut Ui,
    theme: &Theme,
    name: &str,
    (k, now): (usize, &mut FormDraft),
    place: FieldPlace,
) -> bool {
    let chosen =
        now.entered[k].value.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
    let by_numbers = now.entered[k].texts.iter().any(|t| !t.is_empty());
    ui.horizontal(|ui| {
        segments(ui, theme, |ui| {
            for axis in ["x", "y", "z"] {
                let response = segment(ui, theme, &axis.to_uppercase(), chosen == axis, false);
                name_widget(ui, &response, &format!("{name} {}", axis.to_uppercase()));
                if response.clicked() {
                    now.entered[k].value = Some(axis.into());
                    now.entered[k].wrong = None;
                    now.entered[k].texts = vec![String::new(); 3];
                }
            }
            let response = segment(ui, theme, "Direction", by_numbers, false);
            if response.clicked() && !by_numbers {
                now.entered[k].texts = ["0", "1", "0"].map(str::to_owned).to_vec();
                now.read(k, &Entry::Axis);
            }
        });
    });
    if !by_numbers {
        return false;
    }
    let q = Quantity { unit: Unit::Plain, range: -1e6..=1e6, whole: false };
    triple_ui(ui, theme, (name, &Entry::Axis), &q, (k, now), place)
}

/// Shows a text field. Returns whether it was changed, and whether Enter ended it.
fn text_ui(
    ui: &mut Ui,
    (name, hint): (&str, &str),
    texts: &mut [String],
    at: usize,
    width: f32,
    first: bool,
) -> (bool, bool) {
    let Some(text) = texts.get_mut(at) else { return (false, false) };
    // Use a fixed id, because an automatic id depends on the widgets above, and a change would lose
    // the focus.
    let id = egui::Id::unique(("field of a form", name, at));
    let edit = TextEdit::singleline(text).id(id).hint_text(hint).desired_width(width);
    let edit = edit.font(egui::TextStyle::Monospace).align(egui::Align2::LEFT_CENTER);
    let field = edged(ui, |ui| edit.show(ui).response.response);
    name_widget(ui, &field, name);
    // Read Enter before the field can get the focus again.
    let enters = field.lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter));
    let begins = first
        && !field.lost_focus()
        && ui.memory(|m| m.focused().is_none())
        && !ui.input(|i| i.pointer.any_down());
    if begins {
        field.request_focus();
    }
    let by_key =
        field.gained_focus() && !ui.input(|i| i.pointer.any_down() || i.pointer.any_released());
    if begins || by_key {
        // Select the text, so that typing replaces it.
        select_all(ui.ctx(), field.id, text);
    }
    (field.changed(), enters || ui.memory(|m| m.has_focus(field.id)))
}
