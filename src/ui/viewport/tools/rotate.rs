//! Rotation rings around the selection.

use egui_material_icons::{MaterialIcon, icons};

use super::{
    gizmo::{HandleSet, Operation},
    tool::{Press, ViewportTool, posing_hints},
};

/// Tool that rotates.
#[derive(Clone, Debug, Default)]
pub struct RotateTool;

impl ViewportTool for RotateTool {
    fn icon(&self) -> MaterialIcon {
        icons::ICON_ROTATE_RIGHT
    }

    fn hints(&self) -> Vec<(Press, &'static str)> {
        posing_hints("Drag a ring", "rotate", "Ctrl", "snap 5°")
    }

    fn handles(&self) -> HandleSet {
        let outer = Some((92.0, Operation::Rotate));
        HandleSet {
            rings: Some(78.0),
            outer,
            center: Some(Operation::Rotate),
            roll: true,
            ..HandleSet::default()
        }
    }

    fn begins(&self) -> Option<Operation> {
        Some(Operation::Rotate)
    }
}
