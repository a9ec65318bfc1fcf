//! The *Keys* page of the preferences: presets, and a list of all commands. A click on a command
//! waits for a new key.

use egui::{Align2, Event, Id, Key, RichText, ScrollArea, Sense, Ui, pos2, vec2};

use crate::ui::{
    Actions, Dialog, DialogAction, PreferencePage, ProgramAction, Settings, Theme, View,
    theme::Font,
    widgets::{filter_field, key_chips, segment, segments},
};
use ulna_edit::{CommandSpec, KeyMap, Preset, table};
use ulna_render::ColorRole;

/// Request to wait for a key press for a command; `None` stops waiting.
fn listen(command: Option<&str>) -> DialogAction {
    let listening = command.map(ToOwned::to_owned);
    DialogAction::SetDialog(Some(Dialog::Preferences {
        page: PreferencePage::Keys,
        listening,
        row: None,
    }))
}

pub fn keys_ui(
    ui: &mut Ui,
    view: &View<'_>,
    settings: &mut Settings,
    listening: Option<&str>,
    actions: &mut Actions,
) {
    let theme = view.theme;
    ui.horizontal(|ui| {
        segments(ui, theme, |ui| {
            for preset in Preset::ALL {
                if segment(ui, theme, preset.title(), settings.keys.preset() == preset, false)
                    .clicked()
                {
                    settings.keys.set_preset(preset);
                }
            }
        });
        let reset = ui.add(egui::Button::new("Reset all keys"));
        if reset.on_hover_text("Restores all keys of the preset").clicked() {
            settings.keys.reset(None);
        }
        let files = [
            (false, "Import keys…", "Replaces the preset and your own keys with those of a file"),
            (true, "Export keys…", "Writes the preset and your own keys to a file"),
        ];
        for (saves, title, help) in files {
            if ui.add(egui::Button::new(title)).on_hover_text(help).clicked() {
                actions.push(ProgramAction::AskKeys { saves });
            }
        }
    });
    ui.add_space(8.0);
    let id = ui.scope_id().with("filter");
    let mut filter = ui.data_mut(|d| d.get_temp::<String>(id).unwrap_or_default());
    filter_field(ui, theme, &mut filter, "Filter commands");
    ui.data_mut(|d| d.insert_temp(id, filter.clone()));
    ui.add_space(4.0);
    let note = note(ui, settings, listening, actions);
    let words = filter.to_lowercase();
    let is_shown = |c: &&CommandSpec| {
        words.is_empty()
            || c.title.to_lowercase().contains(&words)
            || settings.keys.keys(c.name).any(|key| key.to_lowercase() == words)
    };
    let height = (ui.available_height() - 24.0).max(80.0);
    ScrollArea::vertical().max_height(height).auto_shrink([false, false]).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for command in table().iter().filter(is_shown) {
            let waits = listening == Some(command.name);
            if let Some(adds) = key_row(ui, theme, &settings.keys, command, waits) {
                ui.data_mut(|d| d.insert_temp(Id::unique(ADDS), adds));
                actions.push(listen(Some(command.name)));
            }
        }
    });
    ui.label(
        RichText::new(note)
            .font(Theme::font(Font::Small))
            .color(theme.color(ColorRole::SeverityWarning)),
    );
}

/// Assigns the pressed key. Returns the message about it, or about conflicting keys.
fn note(
    ui: &Ui,
    settings: &mut Settings,
    listening: Option<&str>,
    actions: &mut Actions,
) -> String {
    let taken = ui.scope_id().with("taken");
    let Some(command) = listening else {
        ui.data_mut(|d| d.remove::<String>(taken));
        let clash = settings.keys.clashes().first().copied();
        return clash.map_or_else(String::new, |(a, b, key)| {
            format!("{key} is assigned to both “{}” and “{}”.", a.title, b.title)
        });
    };
    match pressed(ui).as_deref() {
        Some("Escape") => actions.push(listen(None)),
        Some(key) => {
            let adds = ui.data(|d| d.get_temp::<bool>(Id::unique(ADDS)).unwrap_or_default());
            let keys = match key {
                "Backspace" => String::new(),
                key if adds => format!("{} {key}", settings.keys.text(command)),
                key => key.to_owned(),
            };
            match settings.keys.set(command, &keys) {
                Ok(()) => actions.push(listen(None)),
                Err(other) => {
                    let text = format!(
                        "{key} is used by “{}”. Press another key, or change that command first.",
                        other.title
                    );
                    ui.data_mut(|d| d.insert_temp(taken, text));
                }
            }
        }
        None => {}
    }
    let said = ui.data(|d| d.get_temp::<String>(taken));
    said.unwrap_or_else(|| "Press the new key. Esc cancels, Backspace removes the key.".into())
}

/// egui memory key of a flag: true if the new key is added to the command's other keys.
const ADDS: &str = "key is added";

/// Draws a command and its keys. If it was clicked, returns whether the new key is added to its
/// keys instead of replacing them.
fn key_row(
    ui: &mut Ui,
    theme: &Theme,
    keys: &KeyMap,
    command: &CommandSpec,
    waits: bool,
) -> Option<bool> {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 26.0), Sense::click());
    let name = format!("Key of {}", command.title);
    response.widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, true, waits, &name));
    if response.hovered() || waits {
        let role = if waits { ColorRole::AccentTint } else { ColorRole::SurfaceRowHover };
        ui.painter().rect_filled(rect, 4.0, theme.color(role));
    }
    let at = pos2(rect.left() + 8.0, rect.center().y);
    let (font, color) = (Theme::font(Font::Body), theme.color(ColorRole::TextPrimary));
    ui.painter().text(at, Align2::LEFT_CENTER, command.title, font, color);
    let layout = egui::Layout::right_to_left(egui::Align::Center);
    let mut right =
        ui.new_child(egui::UiBuilder::new().max_rect(rect.shrink2(vec2(10.0, 0.0))).layout(layout));
    let scope = command.key_scope.title();
    if waits {
        let text = RichText::new("press a key…").font(Theme::font(Font::Small));
        right.label(text.color(theme.color(ColorRole::AccentText)));
    } else {
        for key in keys.keys(command.name).collect::<Vec<_>>().into_iter().rev() {
            key_chips(&mut right, theme, key);
            right.add_space(6.0);
        }
    }
    let mut small = |text: &str, role: ColorRole| {
        right.label(RichText::new(text).font(Theme::font(Font::Caption)).color(theme.color(role)));
    };
    if !scope.is_empty() {
        small(scope, ColorRole::TextTertiary);
    }
    if keys.is_own(command.name) {
        small("changed", ColorRole::AccentText);
    }
    let help = format!("{}. Click to set its key, right-click to add one", command.help);
    let response = response.on_hover_text(help);
    (response.clicked() || response.secondary_clicked()).then(|| response.secondary_clicked())
}

/// The pressed key with its modifiers.
fn pressed(ui: &Ui) -> Option<String> {
    ui.input_mut(|i| {
        let found = i.events.iter().find_map(|e| match e {
            Event::Key { key, pressed: true, modifiers, .. } => Some((*key, *modifiers)),
            _ => None,
        });
        let (key, modifiers) = found?;
        i.consume_key(modifiers, key);
        let name = match key {
            Key::Period => ".",
            Key::Comma => ",",
            other => other.name(),
        };
        let mut text = String::new();
        for (held, word) in
            [(modifiers.command, "Ctrl+"), (modifiers.shift, "Shift+"), (modifiers.alt, "Alt+")]
        {
            if held {
                text.push_str(word);
            }
        }
        Some(text + name)
    })
}
