//! Combined handles: arrows, squares, rings and boxes.

use egui_material_icons::{MaterialIcon, icons};

use super::{
    gizmo::{HandleSet, Operation},
    tool::{Press, ViewportTool, posing_hints},
};

/// Tool that moves, rotates and scales.
#[derive(Clone, Debug, Default)]
pub struct CombinedTool;

impl ViewportTool for CombinedTool {
    fn icon(&self) -> MaterialIcon {
        icons::ICON_TRANSFORM
    }

    fn hints(&self) -> Vec<(Press, &'static str)> {
        posing_hints("Drag a handle", "pose", "Ctrl", "snap")
    }

    fn handles(&self) -> HandleSet {
        let moves = Some(Operation::Move);
        HandleSet {
            arrows: Some((92.0, Operation::Move)),
            planes: moves,
            rings: Some(66.0),
            outer: Some((78.0, Operation::Rotate)),
            boxes: Some((39.0, false)),
            center: moves,
            ..HandleSet::default()
        }
    }
}
