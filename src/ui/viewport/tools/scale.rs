//! Scale boxes around the selection.

use egui_material_icons::{MaterialIcon, icons};

use super::{
    gizmo::{HandleSet, Operation},
    tool::{Press, ViewportTool, posing_hints},
};

/// Tool that scales.
#[derive(Clone, Debug, Default)]
pub struct ScaleTool;

impl ViewportTool for ScaleTool {
    fn icon(&self) -> MaterialIcon {
        icons::ICON_OPEN_IN_FULL
    }

    fn hints(&self) -> Vec<(Press, &'static str)> {
        posing_hints("Drag a box", "scale", "Ctrl", "snap 0.1")
    }

    fn handles(&self) -> HandleSet {
        let scale = Operation::Scale;
        let (boxes, outer) = (Some((78.0, true)), Some((92.0, scale)));
        HandleSet { boxes, planes: Some(scale), outer, center: Some(scale), ..HandleSet::default() }
    }

    fn begins(&self) -> Option<Operation> {
        Some(Operation::Scale)
    }
}
