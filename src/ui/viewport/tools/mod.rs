//! What the pointer does in the viewport, a tool a file. Each draws its handles and asks for what a drag means; the maths of a
//! drag is in `geometry`, where it is tested without a window.

mod brush;
mod rotate;
mod select;
mod vertices;

use egui::{Rect, Response, Ui};
use egui_material_icons::MaterialIcon;

pub use self::{
    brush::{brush_overlay_ui, brush_ui, joint_list_ui},
    select::select_ui,
    vertices::vertices_ui,
};
use crate::{
    edit::command::ToolCommand,
    ui::{Actions, View},
};

/// A tool of Pose and Animate mode, with what it keeps of a drag.
pub trait ViewportTool {
    /// Its sign in the toolbar.
    fn icon(&self) -> MaterialIcon;

    /// What can be done with it while something is selected, for the status bar.
    fn hints(&self) -> Vec<(Press, &'static str)>;

    /// Draws its handles over the picture in `rect`, and asks for what is done with them; whether the pointer is its own.
    fn ui(&mut self, ui: &Ui, view: &View<'_>, rect: Rect, response: &Response, actions: &mut Actions) -> bool;

    /// Whether a drag is under way that takes digits and letters of axes as its own.
    fn takes_numbers(&self) -> bool {
        false
    }

    /// Its drag was ended elsewhere; whether there was one.
    fn end(&mut self) -> bool;
}

/// What a person presses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Press {
    /// On the mouse, or a key that is held.
    Hand(&'static str),
    /// The key of a command, by its name.
    Key(&'static str),
}

/// All tools.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    select: select::SelectTool,
    rotate: rotate::RotateTool,
}

impl Tools {
    /// The tool that a command takes up.
    pub fn of(&mut self, tool: ToolCommand) -> &mut dyn ViewportTool {
        match tool {
            ToolCommand::Select => &mut self.select,
            ToolCommand::Rotate => &mut self.rotate,
        }
    }

    /// Whether a drag is under way that takes digits and letters of axes as its own.
    pub fn takes_numbers(&mut self) -> bool {
        ToolCommand::ALL.iter().any(|tool| self.of(*tool).takes_numbers())
    }

    /// Ends the drag that is under way; whether there was one.
    pub fn end(&mut self) -> bool {
        // Each is asked, whatever another says.
        ToolCommand::ALL.map(|tool| self.of(tool).end()).contains(&true)
    }
}

/// A tool's sign.
pub fn icon_of(tool: ToolCommand) -> MaterialIcon {
    Tools::default().of(tool).icon()
}

/// What can be done with a tool.
pub fn hints_of(tool: ToolCommand) -> Vec<(Press, &'static str)> {
    Tools::default().of(tool).hints()
}
