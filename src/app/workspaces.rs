//! Workspaces, and panels that are maximized or float.

use egui::Context;

use super::App;
use crate::ui::{Pane, ToastKind, ViewOptions, WorkspaceError, hide};
use ulna_edit::command::{ViewCommand, field::Panel};

impl App {
    /// Arranges the panels as the preferences have them.
    pub(super) fn load_arrangement(&mut self) {
        let preferences = &mut self.program.preferences;
        preferences.workspaces = std::mem::take(&mut preferences.workspaces).checked();
        // An earlier version stored one arrangement, and with it no panels that are hidden.
        if let Some(text) = preferences.layout.take() {
            preferences.workspaces.adopt(&text);
            let (layout, _) = preferences.workspaces.arrangement();
            self.panels.set_layout(layout);
            return;
        }
        let (layout, _) = preferences.workspaces.arrangement();
        self.panels.set_layout(layout);
    }

    /// Remembers how the panels are arranged.
    pub(super) fn keep_arrangement(&mut self) {
        let options = self.viewport.options;
        self.program.preferences.workspaces.leave(self.panels.layout(), &options);
    }

    /// Does what a command asks of workspaces.
    pub(super) fn workspace_command(&mut self, ctx: &Context, command: &ViewCommand) {
        let done = match command {
            ViewCommand::Workspace { workspace } => self.show_workspace(ctx, workspace),
            ViewCommand::NextWorkspace | ViewCommand::PreviousWorkspace => {
                let back = *command == ViewCommand::PreviousWorkspace;
                let name = self.program.preferences.workspaces.neighbor(back);
                // Chosen by a key, its name may be out of sight.
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
        // The one that is left stays as it is now.
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

    /// Puts the panels where the chosen workspace has them.
    fn arrange(&mut self, ctx: &Context) {
        let (layout, hidden) = self.program.preferences.workspaces.arrangement();
        self.panels.set_layout(layout);
        hide(&mut self.viewport.options, &hidden);
        self.viewport.options.outliner_narrow = ViewOptions::default().outliner_narrow;
        // The sizes that parts of panels remember are egui's.
        ctx.memory_mut(egui::Memory::reset_areas);
        ctx.data_mut(|d| d.remove_by_type::<egui::containers::panel::PanelState>());
    }

    /// The panel that a command names, else the one that was entered last.
    fn panel_meant(&self, panel: Option<Panel>) -> Pane {
        let entered = self.entered().filter(|pane| self.panels.layout().rect(*pane).is_some());
        panel.map(Pane::of).or(entered).unwrap_or(Pane::Viewport)
    }

    /// Lets a panel fill the window, or shows all of them again.
    pub(super) fn maximize_panel(&mut self, ctx: &Context, panel: Option<Panel>) {
        if self.panels.layout().maximized().is_some() {
            self.panels.layout_mut().maximize(None);
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
        let text = format!("{} is maximized. {back}.", pane.title());
        self.toast(ctx, ToastKind::Note, text);
    }

    /// Takes a panel out of the others, or docks it again.
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
