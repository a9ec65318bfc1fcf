//! The workspaces as menu items, and the menu bar button that opens them.

use egui::{Response, RichText, Role, Ui, WidgetInfo, vec2};
use egui_material_icons::icons;

use super::{
    Action, Actions, Theme, View,
    popups::menu_button,
    program::WorkspaceRow,
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

/// Draws a menu item for each workspace. The current one has a check mark.
pub fn workspace_lines(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) -> Vec<Response> {
    let line = |row: &WorkspaceRow| {
        let mark = if row.is_shown { "✔" } else { "    " };
        let mark = RichText::new(mark).font(Theme::font(Font::Caption));
        let mut text = egui::Atoms::new(row.name.as_str());
        text.push_left(mark.color(view.theme.color(ColorRole::AccentText)));
        let button = egui::Button::new(text).min_size(vec2(230.0, 24.0));
        let response = ui.add(button.frame_when_inactive(false));
        let label = format!("Workspace {}", row.name);
        let role = Role::MenuItemCheckBox;
        response.widget_info(|| WidgetInfo::selected(role, true, row.is_shown, &label));
        let response = response.on_hover_text(row.help);
        if response.clicked() {
            let command = ViewCommand::Workspace { workspace: row.name.clone() };
            actions.push(Action::Run(command.into()));
            ui.close();
        }
        response
    };
    view.program.workspaces.iter().map(line).collect()
}

/// Draws the button with the name of the current workspace, which opens the menu of workspaces.
/// `lines` adds further menu items.
pub fn workspace_button(
    ui: &mut Ui,
    view: &View<'_>,
    actions: &mut Actions,
    lines: impl FnOnce(&mut Ui, &[&str], &mut Actions),
) {
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
    let button = menu_button(ui, text, |ui| {
        ui.set_min_width(240.0);
        workspace_lines(ui, view, actions);
        ui.separator();
        let names = [
            ViewCommand::SaveWorkspace { name: String::new() }.name(),
            ViewCommand::RenameWorkspace { name: String::new(), workspace: None }.name(),
            ViewCommand::DeleteWorkspace { workspace: None }.name(),
            ViewCommand::ResetLayout.name(),
        ];
        lines(ui, &names, actions);
    });
    let name = format!("Workspace: {current}");
    button.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
    button.on_hover_text(format!("{name}. Workspaces arrange the panels"));
}
