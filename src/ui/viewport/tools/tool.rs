//! The trait of tools: their signs, hints and handles.

use egui_material_icons::MaterialIcon;

use super::gizmo::{HandleSet, Operation};
use ulna_edit::command::{SetKey, ViewCommand};

/// A tool of Pose and Animate mode.
pub trait ViewportTool {
    /// Its sign in the toolbar.
    fn icon(&self) -> MaterialIcon;

    /// Hints for the status bar while nodes are selected.
    fn hints(&self) -> Vec<(Press, &'static str)>;

    /// The handles around the selection; empty for tools without handles.
    fn handles(&self) -> HandleSet {
        HandleSet::default()
    }

    /// Operation that begins when the tool's key is pressed again.
    fn begins(&self) -> Option<Operation> {
        None
    }
}

/// Input of a hint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Press {
    /// On the mouse, or a key that is held.
    Hand(&'static str),
    /// The key of a command, by its name.
    Key(&'static str),
}

/// The hints that tools with handles have in common.
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
