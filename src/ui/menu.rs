//! The menu bar: menus with all commands, the file name in the center, and the mode switch on the
//! right.

use egui::{
    Align2, FocusDirection, Id, Key, MenuBar, Popup, Response, RichText, Role, Ui, WidgetInfo,
    containers::menu::MenuConfig, vec2,
};

use super::{
    Action, Actions, Quality, Theme, View,
    menu_rows::fill,
    mode_switch::{mode_switch, mode_switch_width},
    theme::Font,
    tour,
    widgets::{elided, mark_place},
    workspace_menu::{button_width, workspace_button, workspace_lines},
};
use crate::ui::popups::menu_button;
use crate::ui::{DialogAction, ProgramAction};
use ulna_edit::{
    CommandSpec,
    command::{
        DragLimb, FileCommand, MendArmature, MirrorWeights, NewClip, Normalize, PlayCommand,
        RenameNode, ResetAll, RestFromPose, SelectCommand, SessionCommand, SetPin, Sets,
        TimelineCommand, ViewCommand, forms::is_for_programs,
    },
    find, table,
};
use ulna_render::{ColorRole, Shading};

const MENUS: [&str; 8] = ["File", "Edit", "View", "Pose", "Clip", "Weights", "Rig", "Help"];

/// Commands with a separator above them in a menu.
const FIRST_OF_GROUP: [&str; 19] = [
    FileCommand::Save.name(),
    FileCommand::Export.name(),
    FileCommand::Revert.name(),
    FileCommand::Welcome.name(),
    FileCommand::Quit.name(),
    FileCommand::Find.name(),
    RenameNode::NAME,
    SelectCommand::Joints.name(),
    ViewCommand::Hide.name(),
    DragLimb::NAME,
    SetPin::NAME,
    ResetAll::NAME,
    NewClip::NAME,
    MirrorWeights::NAME,
    Normalize::NAME,
    Sets::NAME,
    MendArmature::NAME,
    RestFromPose::NAME,
    FileCommand::Plan.name(),
];

/// Maximum number of files in *Open recent*.
const RECENT: usize = 12;

/// Keyboard navigation of the menu bar. egui itself handles up, down and entering a submenu.
#[derive(Clone, Debug, Default)]
pub struct MenuKeys {
    /// Set to open the first menu.
    pub open: bool,
    /// Index of the open menu.
    at: Option<usize>,
    items: Vec<MenuEntry>,
}

/// An item of the open menu in the last frame.
#[derive(Clone, Copy, Debug)]
struct MenuEntry {
    id: Id,
    letter: Option<char>,
    /// True if the item is in the menu itself, and does not open a submenu.
    plain: bool,
}

impl MenuEntry {
    fn new(response: &Response, title: &str, plain: bool) -> Self {
        Self {
            id: response.id,
            letter: title.chars().next().map(|c| c.to_ascii_lowercase()),
            plain,
        }
    }
}

impl MenuKeys {
    /// Index of the menu to open next, if an arrow key was pressed.
    fn turned_to(&self, ui: &Ui) -> Option<usize> {
        let at = self.at?;
        let focused = ui.memory(|m| m.focused());
        let entry = self.items.iter().find(|e| Some(e.id) == focused);
        // The left and right arrows open and close submenus.
        if entry.is_some_and(|e| !e.plain) {
            return None;
        }
        let (left, right) =
            ui.input(|i| (i.key_pressed(Key::ArrowLeft), i.key_pressed(Key::ArrowRight)));
        match (left, right) {
            (true, false) => Some((at + MENUS.len() - 1) % MENUS.len()),
            (false, true) => Some((at + 1) % MENUS.len()),
            _ => None,
        }
    }

    /// Moves the focus to the next item whose title starts with the typed letter.
    fn type_letter(&self, ui: &Ui) {
        let typed = ui.input(|i| {
            let letter = |e: &egui::Event| match e {
                egui::Event::Text(text) => text.chars().next().map(|c| c.to_ascii_lowercase()),
                _ => None,
            };
            i.events.iter().find_map(letter)
        });
        let Some(typed) = typed.filter(|_| self.at.is_some()) else { return };
        let focused = ui.memory(|m| m.focused());
        let after = self.items.iter().position(|e| Some(e.id) == focused).map_or(0, |k| k + 1);
        let next = self
            .items
            .iter()
            .cycle()
            .skip(after)
            .take(self.items.len())
            .find(|e| e.letter == Some(typed));
        if let Some(entry) = next {
            ui.memory_mut(|m| m.request_focus(entry.id));
        }
    }
}

pub fn menu_ui(keys: &mut MenuKeys, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let whole = ui.max_rect();
    let turned = keys.turned_to(ui);
    if turned.is_some() {
        ui.memory_mut(|m| m.move_focus(FocusDirection::None));
    }
    keys.type_letter(ui);
    let closes = keys.at.is_some() && ui.input(|i| i.key_pressed(Key::F10));
    let wanted = if std::mem::take(&mut keys.open) { Some(0) } else { turned };
    keys.at = None;
    let menus = MenuBar::new().config(MenuConfig::default()).ui(ui, |ui| {
        ui.set_height(whole.height());
        ui.add_space(4.0);
        ui.label(
            RichText::new("Ulna")
                .font(Theme::font(Font::Heading))
                .color(theme.color(ColorRole::TextPrimary)),
        );
        ui.add_space(8.0);
        let mut right = whole.left();
        let mut items = Vec::new();
        for (k, name) in MENUS.into_iter().enumerate() {
            let menu = menu_button(
                ui,
                RichText::new(name).color(theme.color(ColorRole::TextSecondary)),
                |ui| {
                    ui.set_min_width(240.0);
                    keys.at = Some(k);
                    items.clear();
                    menu_items(ui, view, name, &mut items, actions);
                },
            );
            if wanted == Some(k) {
                Popup::open_id(ui.ctx(), Popup::default_response_id(&menu));
                menu.request_focus();
                ui.ctx().request_repaint();
            }
            right = menu.rect.right();
            if k == 0 {
                mark_place(ui, tour::FILE_MENU, menu.rect);
            }
        }
        keys.items = items;
        // The bar itself is as wide as the window, so its own edge is no limit.
        right
    });
    if closes {
        Popup::close_all(ui.ctx());
    }
    let window = ui.ctx().content_rect().width();
    let width = mode_switch_width(window) + button_width(window);
    let modes = egui::Rect::from_min_max(
        egui::pos2(whole.right() - width, whole.top()),
        whole.right_bottom(),
    );
    title(ui, view, whole, egui::Rangef::new(menus.inner + 12.0, modes.left() - 4.0));
    // Modes need an open file.
    if view.session.is_none() {
        return;
    }
    let mut right = ui.new_child(
        egui::UiBuilder::new()
            .max_rect(modes)
            .layout(egui::Layout::right_to_left(egui::Align::Center)),
    );
    mode_switch(&mut right, view, actions);
    workspace_button(&mut right, view, actions, |ui, names, actions| {
        fill(ui, view, actions, |rows| {
            names.iter().filter_map(|name| find(name)).for_each(|spec| rows.command(spec));
        });
    });
}

/// Draws all menus of the bar as submenus of one menu.
pub fn menus_inside(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    for name in MENUS {
        menu_button(ui, name, |ui| {
            ui.set_min_width(240.0);
            menu_items(ui, view, name, &mut Vec::new(), actions);
        });
    }
}

/// Draws a menu's commands, and then its submenus.
fn menu_items(
    ui: &mut Ui,
    view: &View<'_>,
    name: &str,
    items: &mut Vec<MenuEntry>,
    actions: &mut Actions,
) {
    let here = |c: &&CommandSpec| c.menu.split('/').next() == Some(name) && !is_for_programs(c);
    let all: Vec<&'static CommandSpec> = table().iter().filter(here).collect();
    let plain: Vec<_> = all.iter().copied().filter(|c| c.menu == name).collect();
    let marks = plain.iter().any(|c| is_on(view, c).is_some());
    for (k, command) in plain.into_iter().enumerate() {
        if k > 0 && FIRST_OF_GROUP.contains(&command.name) {
            ui.separator();
        }
        items.push(item(ui, view, command, (true, marks), actions));
        if command.name == (FileCommand::Open { path: None }).name() {
            items.push(open_recent(ui, view, actions));
        }
    }
    let mut inside: Vec<&str> = Vec::new();
    for command in &all {
        if let Some((_, group)) = command.menu.split_once('/')
            && !inside.contains(&group)
        {
            inside.push(group);
        }
    }
    if !inside.is_empty() {
        ui.separator();
    }
    for group in inside {
        let within = all.iter().filter(|c| c.menu.split_once('/').is_some_and(|(_, g)| g == group));
        inside_menu(ui, view, group, within.copied(), items, actions);
    }
    if name == "View" {
        items.push(quality(ui, view, actions));
    }
}

/// Draws a submenu: commands that run at once, followed by commands that open a dialog.
fn inside_menu(
    ui: &mut Ui,
    view: &View<'_>,
    title: &str,
    commands: impl Iterator<Item = &'static CommandSpec>,
    items: &mut Vec<MenuEntry>,
    actions: &mut Actions,
) {
    let mut within = Vec::new();
    let menu = menu_button(ui, title, |ui| {
        ui.set_min_width(240.0);
        let (asking, direct): (Vec<_>, Vec<_>) = commands.partition(|c| c.asks);
        let marks = direct.iter().any(|c| is_on(view, c).is_some());
        if direct.iter().any(|c| c.name == ViewCommand::NextWorkspace.name()) {
            for line in workspace_lines(ui, view, actions) {
                within.push(MenuEntry::new(&line, "", false));
            }
            ui.separator();
        }
        let parted = !direct.is_empty() && !asking.is_empty();
        for command in direct {
            within.push(item(ui, view, command, (false, marks), actions));
        }
        if parted {
            ui.separator();
        }
        for command in asking {
            within.push(item(ui, view, command, (false, marks), actions));
        }
    });
    items.push(MenuEntry::new(&menu, title, false));
    items.extend(within);
}

/// Draws the submenu of recently opened files, newest first.
fn open_recent(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) -> MenuEntry {
    let title = "Open recent";
    let menu = menu_button(ui, title, |ui| {
        ui.set_min_width(240.0);
        let mut there = view.program.recent.iter().filter(|r| !r.missing).take(RECENT).peekable();
        if there.peek().is_none() {
            ui.add_enabled(false, egui::Button::new("No recent files"));
        }
        for file in there {
            let name = file.path.file_name().unwrap_or_default().to_string_lossy();
            let button = egui::Button::new(name.as_ref())
                .shortcut_text(
                    RichText::new(&file.when)
                        .font(Theme::font(Font::Caption))
                        .color(view.theme.color(ColorRole::TextTertiary)),
                )
                .min_size(vec2(230.0, 24.0))
                .frame_when_inactive(false);
            let response = ui.add(button);
            response
                .widget_info(|| WidgetInfo::labeled(Role::MenuItem, true, format!("Open {name}")));
            if response.on_hover_text(file.path.display().to_string()).clicked() {
                actions.push(DialogAction::OpenPath(file.path.clone()));
                ui.close();
            }
        }
    });
    MenuEntry::new(&menu, title, false)
}

/// Draws the submenu for the viewport quality during motion.
fn quality(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) -> MenuEntry {
    let title = "Quality during motion";
    let menu = menu_button(ui, title, |ui| {
        ui.set_min_width(240.0);
        let options = [
            (Quality::Auto, "Auto: adapts to the graphics device"),
            (Quality::High, "High: full quality"),
            (Quality::Fast, "Fast: half resolution"),
        ];
        for (quality, text) in options {
            if ui.radio(view.settings.quality == quality, text).clicked() {
                let settings = super::Settings { quality, ..view.settings.clone() };
                actions.push(ProgramAction::Settings(Box::new(settings)));
                ui.close();
            }
        }
    });
    MenuEntry::new(&menu, title, false)
}

/// State of the switch that a command toggles; `None` for other commands.
pub fn is_on(view: &View<'_>, command: &CommandSpec) -> Option<bool> {
    let shown = view.options;
    let switches = [
        (ViewCommand::Grid, shown.grid),
        (ViewCommand::Joints, shown.joints),
        (ViewCommand::Names, shown.names),
        (ViewCommand::Axes, shown.axes),
        (ViewCommand::OfSelected, shown.of_selected),
        (ViewCommand::Sticks, shown.sticks),
        (ViewCommand::Deforming, shown.deforming),
        (ViewCommand::Pins, shown.pins),
        (ViewCommand::Balance, shown.balance),
        (ViewCommand::MotionPaths, shown.motion_paths),
        (ViewCommand::OnionSkin, shown.onion.shown),
        (ViewCommand::Lights, shown.lights),
        (ViewCommand::Outliner, shown.outliner),
        (ViewCommand::Inspector, shown.inspector),
        (ViewCommand::Problems, shown.problems),
        (ViewCommand::Timeline, shown.timeline),
        (ViewCommand::Perspective, !view.viewport.camera.orthographic),
        (ViewCommand::Textured, shown.shading == Shading::Textured),
        (ViewCommand::Solid, shown.shading == Shading::Solid),
        (ViewCommand::Wireframe, shown.shading == Shading::Wireframe),
        (ViewCommand::XRay, shown.shading == Shading::XRay),
    ];
    let view_switch = switches.iter().find(|(c, _)| c.name() == command.name).map(|(_, on)| *on);
    view_switch.or_else(|| {
        let others = [
            (PlayCommand::Loop.name(), view.timeline.playback.repeat != ulna_model::Repeat::Once),
            (TimelineCommand::AutoKey.name(), view.timeline.auto_key),
        ];
        others.iter().find(|(name, _)| *name == command.name).map(|(_, on)| *on)
    })
}

/// Draws a command's menu item. `plain` is true directly in a menu of the bar. `marks` reserves
/// space for check marks.
fn item(
    ui: &mut Ui,
    view: &View<'_>,
    command: &'static CommandSpec,
    (plain, marks): (bool, bool),
    actions: &mut Actions,
) -> MenuEntry {
    let theme = view.theme;
    let enabled = command.check(&view.availability);
    let history = view.session.map(|s| s.history());
    let label = match history {
        Some(h) if command.name == SessionCommand::Undo.name() => h.undo_label(),
        Some(h) if command.name == SessionCommand::Redo.name() => h.redo_label(),
        _ => None,
    };
    let on = is_on(view, command);
    let title = match label {
        Some(label) => format!("{} {}", command.title, label.to_lowercase()),
        None => command.menu_title().into_owned(),
    };
    let key = RichText::new(view.settings.keys.shown(command.name))
        .font(Theme::font(Font::Caption))
        .color(theme.color(ColorRole::TextTertiary));
    // Switched-on items have a check mark, and the others an equally wide space.
    let mark =
        RichText::new(if on == Some(true) { "✔" } else { "    " }).font(Theme::font(Font::Caption));
    let mut text = egui::Atoms::new(title.as_str());
    if marks {
        text.push_left(mark.color(theme.color(ColorRole::AccentText)));
    }
    let button = egui::Button::new(text)
        .shortcut_text(key)
        .min_size(vec2(230.0, 24.0))
        .frame_when_inactive(false);
    let response = ui.add_enabled(enabled.is_ok(), button);
    response.widget_info(|| match on {
        Some(on) => WidgetInfo::selected(Role::MenuItemCheckBox, enabled.is_ok(), on, &title),
        None => WidgetInfo::labeled(Role::MenuItem, enabled.is_ok(), &title),
    });
    let response = match enabled {
        Ok(()) => response.on_hover_text(command.help),
        Err(reason) => response.on_disabled_hover_text(reason),
    };
    if response.clicked() {
        actions.push(Action::Invoke(command));
        ui.close();
    }
    MenuEntry::new(&response, &title, plain)
}

/// Draws the file name in the center of the bar with the number of unsaved steps, shortened if
/// necessary.
fn title(ui: &Ui, view: &View<'_>, whole: egui::Rect, room: egui::Rangef) {
    let theme = view.theme;
    let Some(session) = view.session else { return };
    let unsaved = session.history().unsaved_steps();
    let painter = ui.painter();
    let font = Theme::font(Font::Body);
    let shape = |name: String| {
        painter.layout_no_wrap(name, font.clone(), theme.color(ColorRole::TextPrimary))
    };
    let name = shape(session.file_name());
    let about = session.unsaved();
    let loose = about.mix || about.pose_layers > 0;
    let layers = match about.pose_layers {
        0 => String::new(),
        1 => "1 layer".to_owned(),
        n => format!("{n} layers"),
    };
    let note = match unsaved {
        0 if about.pose_layers > 0 => format!("{layers} will be baked"),
        0 if loose => "mix not saved".into(),
        0 => String::new(),
        1 if about.undone => "1 step undone since saving".into(),
        n if about.undone => format!("{n} steps undone since saving"),
        1 => "1 change not saved".into(),
        n => format!("{n} changes not saved"),
    };
    let note = if unsaved > 0 && !layers.is_empty() { format!("{note}, {layers}") } else { note };
    let mut note = painter.layout_no_wrap(
        note,
        Theme::font(Font::Caption),
        theme.color(ColorRole::TextTertiary),
    );
    let has_note = unsaved > 0 || loose;
    let spoken = if has_note {
        format!("{}, {}", session.file_name(), note.text())
    } else {
        session.file_name()
    };
    if has_note && name.size().x + 22.0 + note.size().x > room.span() {
        note = painter.layout_no_wrap(
            String::new(),
            Theme::font(Font::Caption),
            theme.color(ColorRole::TextTertiary),
        );
    }
    let mark = if has_note { 22.0 + note.size().x } else { 0.0 };
    let name = if name.size().x + mark > room.span() {
        if room.span() < mark + 40.0 {
            return;
        }
        shape(elided(ui, &session.file_name(), &font, room.span() - mark))
    } else {
        name
    };
    let width = name.size().x + mark;
    // Centered in the window, unless the menus need that space.
    let left = (whole.center().x - width * 0.5).min(room.max - width).max(room.min);
    let middle = whole.center().y;
    let at = egui::pos2(left, middle - name.size().y * 0.5);
    let after = left + name.size().x;
    painter.galley(at, name, theme.color(ColorRole::TextPrimary));
    let area = egui::Rect::from_min_size(egui::pos2(left, middle - 10.0), vec2(width, 20.0));
    ui.interact(area, ui.scope_id().with("title"), egui::Sense::hover())
        .widget_info(|| WidgetInfo::labeled(Role::Label, true, &spoken));
    if has_note {
        painter.circle_filled(
            egui::pos2(after + 11.0, middle),
            3.0,
            theme.color(ColorRole::TextSecondary),
        );
        painter.text(
            egui::pos2(after + 22.0, middle),
            Align2::LEFT_CENTER,
            note.text(),
            Theme::font(Font::Caption),
            theme.color(ColorRole::TextTertiary),
        );
    }
}
