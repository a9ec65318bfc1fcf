//! The menu bar: every command of the table in its menu, the file's name in the middle, the modes at the right.

use egui::{Align2, MenuBar, RichText, Role, Ui, WidgetInfo, containers::menu::MenuConfig, vec2};

use super::{
    Action, Actions, Quality, Theme, View,
    theme::Font,
    widgets::{elided, segment, segments},
};
use crate::edit::{
    CommandSpec, Mode,
    command::{SessionCommand, ToolCommand},
    key_parts, table,
};

const MENUS: [&str; 7] = ["File", "Edit", "View", "Pose", "Clip", "Weights", "Help"];

pub fn menu_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let whole = ui.max_rect();
    let menus = MenuBar::new().config(MenuConfig::default()).ui(ui, |ui| {
        ui.set_height(whole.height());
        ui.add_space(4.0);
        ui.label(RichText::new("Ulna").font(Theme::font(Font::Heading)).color(theme.color("text.primary")));
        ui.add_space(8.0);
        let mut right = whole.left();
        for name in MENUS {
            let menu = ui.menu_button(RichText::new(name).color(theme.color("text.secondary")), |ui| {
                ui.set_min_width(240.0);
                menu_items(ui, view, name, actions);
            });
            right = menu.response.rect.right();
        }
        // Not the bar's own edge: that is as wide as the window.
        right
    });
    let modes = egui::Rect::from_min_max(egui::pos2(whole.right() - 230.0, whole.top()), whole.right_bottom());
    title(ui, view, whole, egui::Rangef::new(menus.inner + 12.0, modes.left() - 4.0));
    let mut right =
        ui.new_child(egui::UiBuilder::new().max_rect(modes).layout(egui::Layout::right_to_left(egui::Align::Center)));
    segments(&mut right, theme, |ui| {
        let modes = [
            (Mode::Paint, "Paint", ToolCommand::PaintMode),
            (Mode::Animate, "Animate", ToolCommand::AnimateMode),
            (Mode::Pose, "Pose", ToolCommand::PoseMode),
        ];
        for (mode, text, command) in modes {
            let response = segment(ui, theme, text, view.mode == mode, true);
            response
                .widget_info(|| WidgetInfo::selected(Role::Button, true, view.mode == mode, format!("{text} mode")));
            if response.clicked() {
                actions.push(Action::Run(command.into()));
            }
        }
    });
}

/// A menu's commands, then the menus inside it, then what always asks for numbers.
fn menu_items(ui: &mut Ui, view: &View<'_>, name: &str, actions: &mut Actions) {
    let here = |c: &&CommandSpec| c.menu.split('/').next() == Some(name);
    let all: Vec<&'static CommandSpec> = table().iter().filter(here).collect();
    for command in all.iter().filter(|c| !c.asks && c.menu == name) {
        item(ui, view, command, actions);
    }
    let mut inside: Vec<&str> = Vec::new();
    for command in &all {
        if let Some((_, group)) = command.menu.split_once('/')
            && !inside.contains(&group)
        {
            inside.push(group);
        }
    }
    let asks = all.iter().any(|c| c.asks);
    if !inside.is_empty() || asks {
        ui.separator();
    }
    for group in inside {
        ui.menu_button(group, |ui| {
            ui.set_min_width(240.0);
            for command in all.iter().filter(|c| c.menu.split_once('/').is_some_and(|(_, g)| g == group)) {
                item(ui, view, command, actions);
            }
        });
    }
    if name == "View" {
        quality(ui, view, actions);
    }
    if asks {
        ui.menu_button("With values", |ui| {
            ui.set_min_width(240.0);
            for command in all.iter().filter(|c| c.asks) {
                item(ui, view, command, actions);
            }
        });
    }
}

/// How finely the viewport is drawn while something moves.
fn quality(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    ui.menu_button("Quality while it moves", |ui| {
        ui.set_min_width(240.0);
        let options = [
            (Quality::Auto, "Auto: as finely as the device is quick"),
            (Quality::High, "High: always in full"),
            (Quality::Fast, "Fast: at half the size"),
        ];
        for (quality, text) in options {
            if ui.radio(view.settings.quality == quality, text).clicked() {
                let settings = super::Settings { quality, ..view.settings.clone() };
                actions.push(Action::Settings(Box::new(settings)));
                ui.close();
            }
        }
    });
}

fn item(ui: &mut Ui, view: &View<'_>, command: &'static CommandSpec, actions: &mut Actions) {
    let theme = view.theme;
    let enabled = (command.enabled)(&view.availability);
    let history = view.session.map(|s| s.history());
    let label = match history {
        Some(h) if command.name == SessionCommand::Undo.name() => h.undo_label(),
        Some(h) if command.name == SessionCommand::Redo.name() => h.redo_label(),
        _ => None,
    };
    let title = match label {
        Some(label) => format!("{} {}", command.title, label.to_lowercase()),
        None if command.asks => format!("{}…", command.title),
        None => command.title.to_owned(),
    };
    let key = RichText::new(key_parts(view.keys.key(command.name)).join(" "))
        .font(Theme::font(Font::Caption))
        .color(theme.color("text.tertiary"));
    let button = egui::Button::new(&title).shortcut_text(key).min_size(vec2(230.0, 24.0)).frame_when_inactive(false);
    let response = ui.add_enabled(enabled.is_ok(), button);
    response.widget_info(|| WidgetInfo::labeled(Role::MenuItem, enabled.is_ok(), &title));
    let response = match enabled {
        Ok(()) => response.on_hover_text(command.help),
        Err(reason) => response.on_disabled_hover_text(reason),
    };
    if response.clicked() {
        actions.push(Action::Invoke(command));
        ui.close();
    }
}

/// The file's name in the middle, with what is not saved; as much of it as there is room for.
fn title(ui: &Ui, view: &View<'_>, whole: egui::Rect, room: egui::Rangef) {
    let theme = view.theme;
    let Some(session) = view.session else { return };
    let unsaved = session.history().unsaved_steps();
    let painter = ui.painter();
    let font = Theme::font(Font::Body);
    let shape = |name: String| painter.layout_no_wrap(name, font.clone(), theme.color("text.primary"));
    let name = shape(session.file_name());
    let note = match unsaved {
        0 => String::new(),
        1 => "1 change not saved".into(),
        n => format!("{n} changes not saved"),
    };
    let mut note = painter.layout_no_wrap(note, Theme::font(Font::Caption), theme.color("text.tertiary"));
    let spoken = if unsaved > 0 { format!("{}, {}", session.file_name(), note.text()) } else { session.file_name() };
    if unsaved > 0 && name.size().x + 22.0 + note.size().x > room.span() {
        note = painter.layout_no_wrap(String::new(), Theme::font(Font::Caption), theme.color("text.tertiary"));
    }
    let mark = if unsaved > 0 { 22.0 + note.size().x } else { 0.0 };
    let name = if name.size().x + mark > room.span() {
        if room.span() < mark + 40.0 {
            return;
        }
        shape(elided(ui, &session.file_name(), &font, room.span() - mark))
    } else {
        name
    };
    let width = name.size().x + mark;
    // In the middle of the window, unless the menus reach that far.
    let left = (whole.center().x - width * 0.5).min(room.max - width).max(room.min);
    let middle = whole.center().y;
    let at = egui::pos2(left, middle - name.size().y * 0.5);
    let after = left + name.size().x;
    painter.galley(at, name, theme.color("text.primary"));
    let area = egui::Rect::from_min_size(egui::pos2(left, middle - 10.0), vec2(width, 20.0));
    ui.interact(area, ui.scope_id().with("title"), egui::Sense::hover())
        .widget_info(|| WidgetInfo::labeled(Role::Label, true, &spoken));
    if unsaved > 0 {
        painter.circle_filled(egui::pos2(after + 11.0, middle), 3.0, theme.color("text.secondary"));
        painter.text(
            egui::pos2(after + 22.0, middle),
            Align2::LEFT_CENTER,
            note.text(),
            Theme::font(Font::Caption),
            theme.color("text.tertiary"),
        );
    }
}
