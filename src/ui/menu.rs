//! The menu bar: menus with all commands, the file name in the center, and the mode switch on the
//! right.

use egui::{
    Align2, FocusDirection, Id, Key, MenuBar, Popup, RichText, Role, Ui, WidgetInfo,
    containers::menu::MenuConfig, vec2,
};

use super::{
    Action, Actions, Quality, Theme, View,
    menu_rows::{MenuRows, Row, fill_of_bar},
    mode_switch::{mode_switch, mode_switch_width},
    theme::Font,
    tour,
    widgets::{elided, mark_place},
    workspace_menu::{button_width, workspace_button, workspace_rows},
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
    table,
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

/// State of keyboard navigation in the menu bar. egui handles the up and down arrows, and the
/// arrows that enter submenus. The rows themselves handle type-ahead by their first letters.
#[derive(Clone, Debug, Default)]
pub struct MenuKeys {
    /// True to open the first menu in the next frame.
    pub open: bool,
    /// Index of the open menu.
    at: Option<usize>,
    /// Rows of the open menu that open submenus, and the rows of these submenus.
    inner: Vec<Id>,
}

impl MenuKeys {
    /// Index of the menu to open next, if an arrow key was pressed.
    fn turned_to(&self, ui: &Ui) -> Option<usize> {
        let at = self.at?;
        // The left and right arrows open and close submenus.
        if ui.memory(|m| m.focused()).is_some_and(|id| self.inner.contains(&id)) {
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
}

pub fn menu_ui(keys: &mut MenuKeys, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let whole = ui.max_rect();
    let turned = keys.turned_to(ui);
    if turned.is_some() {
        ui.memory_mut(|m| m.move_focus(FocusDirection::None));
    }
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
        let mut inner = Vec::new();
        for (k, name) in MENUS.into_iter().enumerate() {
            let menu = menu_button(
                ui,
                RichText::new(name).color(theme.color(ColorRole::TextSecondary)),
                |ui| {
                    keys.at = Some(k);
                    inner = fill_of_bar(ui, view, actions, |rows| rows_of(rows, name));
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
        keys.inner = inner;
        // The bar is as wide as the window, so the space for the file name starts at the right
        // edge of the last menu.
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
    workspace_button(&mut right, view, actions);
}

/// Adds all menus of the menu bar as submenus of one menu.
pub fn menus_inside(rows: &mut MenuRows<'_>) {
    for name in MENUS {
        rows.submenu(Row::new(name), |rows| rows_of(rows, name));
    }
}

/// Draws a menu's commands, and then its submenus.
fn rows_of(rows: &mut MenuRows<'_>, name: &str) {
    let here = |c: &&CommandSpec| c.menu.split('/').next() == Some(name) && !is_for_programs(c);
    let all: Vec<&'static CommandSpec> = table().iter().filter(here).collect();
    let plain: Vec<_> = all.iter().copied().filter(|c| c.menu == name).collect();
    leave_room_for_marks(rows, &plain);
    for command in plain {
        if FIRST_OF_GROUP.contains(&command.name) {
            rows.separator();
        }
        command_row(rows, command);
        if command.name == (FileCommand::Open { path: None }).name() {
            open_recent(rows);
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
    rows.separator();
    for group in inside {
        let within = |c: &&CommandSpec| c.menu.split_once('/').is_some_and(|(_, g)| g == group);
        let within: Vec<_> = all.iter().copied().filter(within).collect();
        rows.submenu(Row::new(group), |rows| inside_menu(rows, &within));
    }
    if name == "View" {
        quality(rows);
    }
}

/// Draws a submenu: commands that run at once, followed by commands that open a dialog.
fn inside_menu(rows: &mut MenuRows<'_>, commands: &[&'static CommandSpec]) {
    let (asking, direct): (Vec<_>, Vec<_>) = commands.iter().copied().partition(|c| c.asks);
    leave_room_for_marks(rows, &direct);
    if direct.iter().any(|c| c.name == ViewCommand::NextWorkspace.name()) {
        workspace_rows(rows);
        rows.separator();
    }
    for command in direct {
        command_row(rows, command);
    }
    rows.separator();
    for command in asking {
        command_row(rows, command);
    }
}

/// Adds a column for check marks before the icons if a command is a toggle.
fn leave_room_for_marks(rows: &mut MenuRows<'_>, commands: &[&'static CommandSpec]) {
    if commands.iter().any(|command| is_on(rows.view, command).is_some()) {
        rows.with_marks();
    }
}

/// Draws the submenu of recently opened files, newest first.
fn open_recent(rows: &mut MenuRows<'_>) {
    let there = rows.view.program.recent.iter().filter(|r| !r.missing).take(RECENT);
    let there: Vec<_> = there.collect();
    let reason = there.is_empty().then_some("No recent files");
    rows.submenu(Row::new("Open recent").unless(reason), |rows| {
        for file in there {
            let name = file.path.file_name().unwrap_or_default().to_string_lossy();
            let said = format!("Open {name}");
            let path = file.path.display().to_string();
            let row = Row::new(name).aside(&*file.when).help(path).said(said);
            rows.act(row, || DialogAction::OpenPath(file.path.clone()));
        }
    });
}

/// Draws the submenu for the viewport quality during motion.
fn quality(rows: &mut MenuRows<'_>) {
    rows.submenu(Row::new("Quality during motion"), |rows| {
        let settings = rows.view.settings;
        let options = [
            (Quality::Auto, "Auto: adapts to the graphics device"),
            (Quality::High, "High: full quality"),
            (Quality::Fast, "Fast: half resolution"),
        ];
        for (quality, text) in options {
            let row = Row::new(text).checked(settings.quality == quality);
            let settings = || super::Settings { quality, ..settings.clone() };
            rows.act(row, || ProgramAction::Settings(Box::new(settings())));
        }
    });
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

/// Adds the row of a command. Undo and redo name their step, and active toggles have a check mark.
fn command_row(rows: &mut MenuRows<'_>, command: &'static CommandSpec) {
    let view = rows.view;
    // On the *Retarget* page, they undo changes of the page, not of the file.
    let history = view.session.filter(|_| view.retarget.is_none()).map(|s| s.history());
    let label = match history {
        Some(h) if command.name == SessionCommand::Undo.name() => h.undo_label(),
        Some(h) if command.name == SessionCommand::Redo.name() => h.redo_label(),
        _ => None,
    };
    let mut row = Row::of(view, command);
    if let Some(label) = label {
        row = row.title(format!("{} {}", command.title, label.to_lowercase()));
    }
    if let Some(on) = is_on(view, command) {
        row = row.checked(on);
    }
    rows.act(row, || Action::Invoke(command));
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
