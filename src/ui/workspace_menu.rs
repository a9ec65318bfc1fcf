//! The workspaces as rows of a menu, and the button in the menu bar that opens it.

use egui::{RichText, Role, Ui, WidgetInfo};
use egui_material_icons::icons;

use super::{
    Actions, Theme, View,
    menu_rows::{MenuRows, Row, menu_button},
    theme::Font,
    widgets::{cut, icon_font},
};
use ulna_edit::command::ViewCommand;
use ulna_render::ColorRole;

/// Width of the button with and without the name of the workspace, in points.
const WIDTH: (f32, f32) = (132.0, 32.0);

/// Width of the button in points, for a window width.
pub fn button_width(window: f32) -> f32 {
    match window {
        wide if wide >= 1280.0 => WIDTH.0,
        medium if medium >= 900.0 => WIDTH.1,
        _ => 0.0,
    }
}

/// Adds a row for each workspace, with a check mark on the current one.
pub fn workspace_rows(rows: &mut MenuRows<'_>) {
    for workspace in rows.view.program.workspaces {
        let row = Row::new(workspace.name.as_str())
            .checked(workspace.is_shown)
            .said(format!("Workspace {}", workspace.name))
            .help(workspace.help);
        rows.run(row, || ViewCommand::Workspace { workspace: workspace.name.clone() }.into());
    }
}

/// Draws the button with the name of the current workspace, which opens the workspace menu.
pub fn workspace_button(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let room = button_width(ui.ctx().content_rect().width());
    if room == 0.0 {
        return;
    }
    let shown = view.program.workspaces.iter().find(|row| row.is_shown);
    let current = shown.map_or("", |row| row.name.as_str());
    let color = theme.color(ColorRole::TextSecondary);
    let icon = RichText::new(icons::ICON_DASHBOARD.codepoint).font(icon_font(16.0, false));
    let mut text = egui::Atoms::new(icon.color(color));
    if room > WIDTH.1 {
        let font = Theme::font(Font::Body);
        let name = cut(ui, current, &font, room - 44.0);
        text.push_right(RichText::new(name).font(font).color(color));
    }
    let button = menu_button(ui, text, view, actions, |rows| {
        workspace_rows(rows);
        rows.separator();
        rows.command(ViewCommand::SaveWorkspace { name: String::new() }.spec());
        rows.command(ViewCommand::RenameWorkspace { name: String::new(), workspace: None }.spec());
        rows.command(ViewCommand::DeleteWorkspace { workspace: None }.spec());
        rows.command(ViewCommand::ResetLayout.spec());
    });
    let name = format!("Workspace: {current}");
    button.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
    button.on_hover_text(format!("{name}. Workspaces arrange the panels"));
}
