//! Tools of the viewport, one per file. Each tool has its handles and creates the commands of a
//! drag. The mathematics of drags is in `ulna-geometry`, where it is tested without a window.

mod brush;
mod brush_marks;
mod brush_menu;
mod brush_plates;
mod combined;
mod drag;
mod gizmo;
mod joint;
mod rotate;
mod scale;
mod select;
mod tool;
mod translate;
mod vertices;

use egui::{Rect, Response, Ui};
use egui_material_icons::MaterialIcon;

pub use self::{
    brush::{BrushState, brush_ui},
    brush_marks::{brush_overlay_ui, vertex_marks_ui},
    brush_menu::brush_menu_ui,
    drag::grab,
    gizmo::waits_for_numbers,
    joint::joint_ui,
    select::{Selecting, select_ui},
    tool::Press,
    vertices::vertices_ui,
};
use self::{gizmo::Gizmo, tool::ViewportTool};
use crate::ui::{Actions, View};
use ulna_edit::command::ToolCommand;

/// Tool that a command selects.
fn tool_of(tool: ToolCommand) -> &'static dyn ViewportTool {
    match tool {
        ToolCommand::Select => &select::SelectTool,
        ToolCommand::Move => &translate::MoveTool,
        ToolCommand::Rotate => &rotate::RotateTool,
        ToolCommand::Scale => &scale::ScaleTool,
        ToolCommand::Combined => &combined::CombinedTool,
        ToolCommand::Drag => &drag::DragTool,
        ToolCommand::Joint => &joint::JointTool,
    }
}

/// State of the tools between frames.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    gizmo: Gizmo,
}

impl Tools {
    /// Draws the handles of a tool and handles their input. Returns whether they use the pointer.
    pub fn ui(
        &mut self,
        tool: ToolCommand,
        ui: &Ui,
        view: &View<'_>,
        rect: Rect,
        response: &Response,
        actions: &mut Actions,
    ) -> bool {
        let handles = tool_of(tool).handles().scaled(view.options.gizmo_size);
        self.gizmo.ui(&handles, ui, view, rect, response, actions)
    }

    /// Starts the operation of a tool at once, without a handle. Returns false if the tool has no
    /// operation.
    pub fn begin(&mut self, tool: ToolCommand) -> bool {
        let operation = tool_of(tool).begins();
        operation.map(|o| self.gizmo.begin(o)).is_some()
    }

    /// Starts to add a joint below each selected joint.
    pub fn extrude(&mut self) {
        self.gizmo.begin(gizmo::Operation::Extrude);
    }

    /// Prepares a tool that was chosen by its key. Typing an axis or a number soon after starts its
    /// operation.
    pub fn wait(&mut self, tool: ToolCommand, now: f64) {
        match tool_of(tool).begins() {
            Some(operation) => self.gizmo.wait(operation, now + gizmo::PATIENCE),
            None => _ = self.gizmo.wait_no_longer(),
        }
    }

    /// Whether a tool that was chosen by its key waits for an axis or a number.
    pub fn waits(&self, now: f64) -> bool {
        self.gizmo.waits(now)
    }

    /// Stops waiting for an axis or a number. Returns whether a tool was waiting.
    pub fn wait_no_longer(&mut self) -> bool {
        self.gizmo.wait_no_longer()
    }

    /// Starts an IK drag of the active node's limb. `tip` is the dragged point in node space,
    /// `from` the same point in scene space.
    pub fn reach(&mut self, tip: Option<glam::Vec3>, from: glam::Vec3, at: glam::Vec2) {
        self.gizmo.reach(tip, from, at);
    }

    /// Whether an IK drag is in progress.
    pub fn is_reaching(&self) -> bool {
        self.gizmo.is_reaching()
    }

    /// Whether the current gesture lasts while a mouse button is held; `None` without a gesture.
    pub fn under_way(&self) -> Option<bool> {
        self.gizmo.under_way()
    }

    /// Ends the current gesture. Returns whether there was one.
    pub fn end(&mut self) -> bool {
        self.gizmo.end()
    }
}

/// Icon of a tool.
pub fn icon_of(tool: ToolCommand) -> MaterialIcon {
    tool_of(tool).icon()
}

/// Hints of a tool for the status bar.
pub fn hints_of(tool: ToolCommand) -> Vec<(Press, &'static str)> {
    tool_of(tool).hints()
}
