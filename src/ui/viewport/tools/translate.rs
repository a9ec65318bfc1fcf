//! Arrows and squares that move the selection.

use egui_material_icons::{MaterialIcon, icons};

use super::{
    gizmo::{HandleSet, Operation},
    tool::{Press, ViewportTool, posing_hints},
};

/// Tool that moves.
#[derive(Clone, Debug, Default)]
pub struct MoveTool;

impl ViewportTool for MoveTool {
    fn icon(&self) -> MaterialIcon {
        icons::ICON_OPEN_WITH
    }

    fn hints(&self) -> Vec<(Press, &'static str)> {
        posing_hints("Drag an arrow", "move", "Ctrl", "snap 1 cm")
    }

    fn handles(&self) -> HandleSet {
        let planes = Some(Operation::Move);
        HandleSet {
            arrows: Some((92.0, Operation::Move)),
            planes,
            center: Some(Operation::Move),
            ..HandleSet::default()
        }
    }

    fn begins(&self) -> Option<Operation> {
        Some(Operation::Move)
    }
}
