//! Commands on workspaces, and on maximized and floating panels.

use egui::Context;

use super::App;
use crate::ui::{Pane, ToastKind, ViewOptions, WorkspaceError, hide};
use ulna_edit::command::{ViewCommand, field::Panel};

/// Words of the message after a panel was maximized.
const IS_MAXIMIZED: &str = " is maximized.";

impl App {
    /// Loads the arrangement of panels from the preferences.
    pub(super) fn load_arrangement(&mut self) {
        let preferences = &mut self.program.preferences;
        preferences.workspaces = std::mem::take(&mut preferences.workspaces).checked();
        // Earlier versions stored one arrangement without the hidden panels.
        if let Some(text) = preferences.layout.take() {
            preferences.workspaces.adopt(&text);
            let (layout, _) = preferences.workspaces.arrangement();
            self.panels.set_layout(layout);
            return;
        }
        let (layout, _) = preferences.workspaces.arrangement();
        self.panels.set_layout(layout);
    }

    /// Stores the current arrangement of panels in the preferences.
    pub(super) fn keep_arrangement(&mut self) {
        let options = self.viewport.options;
        self.program.preferences.workspaces.leave(self.panels.layout(), &options);
    }

    /// Runs a command on workspaces.
    pub(super) fn workspace_command(&mut self, ctx: &Context, command: &ViewCommand) {
        let done = match command {
            ViewCommand::Workspace { workspace } => self.show_workspace(ctx, workspace),
            ViewCommand::NextWorkspace | ViewCommand::PreviousWorkspace => {
                let back = *command == ViewCommand::PreviousWorkspace;
                let name = self.program.preferences.workspaces.neighbor(back);
                // The name of the workspace may not be visible, so a message shows it.
                let shown = self.show_workspace(ctx, &name);
                self.toast(ctx, ToastKind::Note, format!("Workspace {name}"));
                shown
            }
            ViewCommand::SaveWorkspace { name } => self.save_workspace(ctx, name),
            ViewCommand::RenameWorkspace { name, workspace } => {
                self.program.preferences.workspaces.rename(workspace.as_deref(), name)
            }
            ViewCommand::DeleteWorkspace { workspace } => {
                self.delete_workspace(ctx, workspace.as_deref())
            }
            ViewCommand::ResetLayout => {
                self.program.preferences.workspaces.reset();
                self.arrange(ctx);
                Ok(())
            }
            _ => Ok(()),
        };
        if let Err(error) = done {
            self.toast(ctx, ToastKind::Error, format!("{error}."));
        }
    }

    fn show_workspace(&mut self, ctx: &Context, name: &str) -> Result<(), WorkspaceError> {
        self.keep_arrangement();
        self.program.preferences.workspaces.choose(name)?;
        self.arrange(ctx);
        Ok(())
    }

    fn save_workspace(&mut self, ctx: &Context, name: &str) -> Result<(), WorkspaceError> {
        // The previous workspace keeps its current arrangement.
        self.keep_arrangement();
        let (layout, options) = (self.panels.layout(), self.viewport.options);
        self.program.preferences.workspaces.save(name, layout, &options)?;
        self.toast(ctx, ToastKind::Ok, format!("Saved the workspace “{}”.", name.trim()));
        Ok(())
    }

    fn delete_workspace(
        &mut self,
        ctx: &Context,
        name: Option<&str>,
    ) -> Result<(), WorkspaceError> {
        let (name, was_shown) = self.program.preferences.workspaces.delete(name)?;
        if was_shown {
            self.arrange(ctx);
        }
        self.toast(ctx, ToastKind::Ok, format!("Deleted the workspace “{name}”."));
        Ok(())
    }

    /// Arranges the panels as stored in the current workspace.
    fn arrange(&mut self, ctx: &Context) {
        let (layout, hidden) = self.program.preferences.workspaces.arrangement();
        self.panels.set_layout(layout);
        hide(&mut self.viewport.options, &hidden);
        self.viewport.options.outliner_narrow = ViewOptions::default().outliner_narrow;
        // egui stores the sizes of sub-panels, which belong to the old arrangement.
        ctx.memory_mut(egui::Memory::reset_areas);
        ctx.data_mut(|d| d.remove_by_type::<egui::containers::panel::PanelState>());
    }

    /// The panel of a command's argument, or else the panel that was entered last.
    fn panel_meant(&self, panel: Option<Panel>) -> Pane {
        let entered = self.entered().filter(|pane| self.panels.layout().rect(*pane).is_some());
        panel.map(Pane::of).or(entered).unwrap_or(Pane::Viewport)
    }

    /// Maximizes a panel, or restores all panels if one is maximized.
    pub(super) fn maximize_panel(&mut self, ctx: &Context, panel: Option<Panel>) {
        if self.panels.layout().maximized().is_some() {
            self.panels.layout_mut().maximize(None);
            // The message that a panel is maximized is no longer true.
            self.dialogs.toasts.retain(|toast| !toast.text.contains(IS_MAXIMIZED));
            return;
        }
        let pane = self.panel_meant(panel);
        if !self.panels.layout().reachable().contains(&pane) {
            let text = format!("The panel {} is not shown now.", pane.title());
            self.toast(ctx, ToastKind::Note, text);
            return;
        }
        self.panels.layout_mut().maximize(Some(pane));
        let name = ViewCommand::MaximizePanel { panel: None }.name();
        let key = self.program.settings.keys.shown(name);
        let back = if key.is_empty() {
            "View › Panels › Maximize panel shows all panels again".to_owned()
        } else {
            format!("{key} shows all panels again")
        };
        let text = format!("{}{IS_MAXIMIZED} {back}.", pane.title());
        self.toast(ctx, ToastKind::Note, text);
    }

    /// Undocks a panel, or docks it again.
    pub(super) fn float_panel(&mut self, ctx: &Context, panel: Option<Panel>) {
        let pane = self.panel_meant(panel);
        if !pane.can_float() {
            let text = "The viewport cannot float. Point at another panel.";
            self.toast(ctx, ToastKind::Note, text);
            return;
        }
        let area = self.panels.layout().area();
        self.panels.layout_mut().maximize(None);
        self.panels.layout_mut().toggle_float(pane, area);
    }
}
