//! What a command asks for, typed: a field an argument with what it means, and a button that says what will be done.

use egui::{Key, RichText, Ui};

use super::{parts::small, plain, primary, title};
use crate::{
    edit::{ArgumentSpec, CommandLine, CommandSpec, find, typed},
    render::ColorRole,
    ui::{
        Action, Actions, Dialog, DialogAction, Theme, View,
        theme::Font,
        widgets::{name_widget, segment, segments, select_all},
    },
};

/// Points that the names of fields take, and what is between them and the fields.
const LABELS: f32 = 116.0;

/// An argument's name as a label: `from_mesh` → *From mesh*.
fn label(argument: &ArgumentSpec) -> String {
    let words = argument.name.replace('_', " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Whether a sentence says more than the name beside it does: *Whose axis; the node's own unless given*, but not *Which*.
fn says_more(help: &str) -> bool {
    help.split_whitespace().count() > 3
}

/// The argument that is typed first: what is needed and not known from what is selected.
fn first_typed(command: &CommandSpec, values: &[String]) -> usize {
    let fields = || command.arguments.iter().enumerate().filter(|(_, a)| a.kind.choices().is_none());
    let open = fields().find(|(k, a)| a.required && values[*k].is_empty());
    // What is filled in with a usual number is to be typed over.
    let usual = || fields().rfind(|(_, a)| a.required && a.kind.usual().is_some());
    // What is known already is passed over.
    let optional = || fields().find(|(k, a)| !a.required && values[*k].is_empty());
    open.or_else(usual).or_else(optional).or_else(|| fields().next()).map_or(0, |(k, _)| k)
}

/// What a command needs, typed.
pub fn arguments_ui(ui: &mut Ui, view: &View<'_>, name: &str, values: &[String], actions: &mut Actions) {
    let theme = view.theme;
    let Some(command) = find(name) else { return };
    title(ui, theme, command.title);
    ui.label(RichText::new(command.help).color(theme.color(ColorRole::TextSecondary)));
    ui.add_space(12.0);
    let mut values = values.to_vec();
    values.resize(command.arguments.len(), String::new());
    let before = values.clone();
    let mut line = CommandLine::new(command.name);
    let mut wrong: Option<String> = None;
    let first = first_typed(command, &values);
    let width = (ui.available_width() - LABELS).max(120.0);
    egui::Grid::new("arguments").num_columns(2).min_col_width(LABELS - 24.0).spacing([16.0, 8.0]).show(ui, |ui| {
        for (k, (argument, text)) in command.arguments.iter().zip(&mut values).enumerate() {
            let role = if argument.required { ColorRole::TextPrimary } else { ColorRole::TextSecondary };
            let words = RichText::new(label(argument)).color(theme.color(role));
            ui.with_layout(egui::Layout::left_to_right(egui::Align::Min), |ui| ui.label(words));
            ui.vertical(|ui| {
                ui.spacing_mut().item_spacing.y = 2.0;
                field(ui, theme, argument, text, width, k == first);
                if says_more(argument.help) {
                    small(ui, theme, argument.help);
                }
            });
            ui.end_row();
            let label = label(argument);
            match (text.trim(), typed(argument.kind, text)) {
                ("", _) if argument.required => wrong = wrong.take().or(Some(format!("{label} is needed"))),
                ("", _) => {}
                (_, Some(value)) => line = line.clone().with(argument.name, value),
                (_, None) => wrong = wrong.take().or(Some(format!("{label} should be {}", argument.kind.hint()))),
            }
        }
    });
    ui.add_space(12.0);
    if values != before {
        actions.push(DialogAction::SetDialog(Some(Dialog::Arguments { command: name.to_owned(), values })));
    }
    let enter = ui.input(|i| i.key_pressed(Key::Enter));
    ui.horizontal(|ui| {
        let note = wrong.clone().unwrap_or_default();
        ui.label(RichText::new(note).font(Theme::font(Font::Small)).color(theme.color(ColorRole::TextSecondary)));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let go = ui.add_enabled_ui(wrong.is_none(), |ui| primary(ui, theme, command.title)).inner;
            if plain(ui, "Cancel").clicked() {
                actions.push(DialogAction::SetDialog(None));
            } else if wrong.is_none() && (go.clicked() || enter) {
                actions.push(DialogAction::SetDialog(None));
                actions.push(Action::RunLine(line));
            }
        });
    });
}

/// The field of an argument: words to choose from, or text. `first` has the focus where nothing else has.
fn field(ui: &mut Ui, theme: &Theme, argument: &ArgumentSpec, text: &mut String, width: f32, first: bool) {
    if let Some(words) = argument.kind.choices() {
        segments(ui, theme, |ui| {
            for word in words {
                if segment(ui, theme, word, text == word, false).clicked() {
                    // A click on what is chosen takes it back.
                    *text = if text == word { String::new() } else { (*word).to_owned() };
                }
            }
        });
        return;
    }
    let edit = egui::TextEdit::singleline(text)
        .hint_text(argument.kind.hint())
        .desired_width(width)
        .font(egui::TextStyle::Monospace);
    let field = edit.show(ui).response.response;
    name_widget(ui, &field, argument.name);
    let begins = first && ui.memory(|m| m.focused().is_none());
    if begins {
        field.request_focus();
    }
    let by_key = field.gained_focus() && !ui.input(|i| i.pointer.any_down() || i.pointer.any_released());
    if begins || by_key {
        // What stands there already is typed over.
        select_all(ui.ctx(), field.id, text);
    }
}
