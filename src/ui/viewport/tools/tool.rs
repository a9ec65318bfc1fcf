//! Trait of the viewport tools: icon, hints and handles.

use egui_material_icons::MaterialIcon;

use super::gizmo::{HandleSet, Operation};
use ulna_edit::command::{SetKey, ViewCommand};

/// Tool of the viewport, such as move, rotate or scale.
pub trait ViewportTool {
    /// Icon in the toolbar.
    fn icon(&self) -> MaterialIcon;

    /// Hints for the status bar while nodes are selected.
    fn hints(&self) -> Vec<(Press, &'static str)>;

    /// Handles around the selection; empty for tools without handles.
    fn handles(&self) -> HandleSet {
        HandleSet::default()
    }

    /// Operation to start when the tool's key is pressed again.
    fn begins(&self) -> Option<Operation> {
        None
    }
}

/// Input that a hint describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Press {
    /// Mouse action or held key, by its text.
    Hand(&'static str),
    /// Key of a command, by the command's name.
    Key(&'static str),
}

/// Hints that are common to tools with handles.
pub fn posing_hints(
    drag: &'static str,
    does: &'static str,
    snap: &'static str,
    snaps: &'static str,
) -> Vec<(Press, &'static str)> {
    vec![
        (Press::Hand(drag), does),
        (Press::Hand(snap), snaps),
        (Press::Hand("X Y Z 0–9"), "axis, number"),
        (Press::Hand("Esc"), "cancel"),
        (Press::Key(SetKey::NAME), "set key"),
        (Press::Key(ViewCommand::FrameSelected.name()), "frame"),
    ]
}
