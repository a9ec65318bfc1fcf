//! IK drags of a limb, by a joint or by a point of the surface.

use egui::{Rect, Ui};
use egui_material_icons::{MaterialIcon, icons};
use glam::Vec2;

use super::{
    gizmo::{HandleSet, Operation},
    tool::{Press, ViewportTool},
};
use crate::ui::{Actions, View, ViewportAction, viewport::pick};
use ulna_edit::command::{SetKey, SetPin};

/// IK tool, which moves limbs to a target.
#[derive(Clone, Debug, Default)]
pub struct DragTool;

impl ViewportTool for DragTool {
    fn icon(&self) -> MaterialIcon {
        icons::ICON_PAN_TOOL
    }

    fn hints(&self) -> Vec<(Press, &'static str)> {
        vec![
            (Press::Hand("Drag the model"), "IK to a point"),
            (Press::Hand("Wheel"), "chain length"),
            (Press::Hand("X Y Z 0–9"), "axis, meters"),
            (Press::Hand("Esc"), "cancel"),
            (Press::Key(SetPin::NAME), "pin"),
            (Press::Key(SetKey::NAME), "set key"),
        ]
    }

    fn handles(&self) -> HandleSet {
        let reach = Operation::Reach;
        HandleSet {
            arrows: Some((92.0, reach)),
            planes: Some(reach),
            center: Some(reach),
            swivel: true,
            ..HandleSet::default()
        }
    }

    fn begins(&self) -> Option<Operation> {
        Some(Operation::Reach)
    }
}

/// Starts an IK drag of the joint or surface under a press outside all handles.
pub fn grab(ui: &Ui, view: &View<'_>, rect: Rect, actions: &mut Actions) {
    let Some(at) = ui.input(|i| i.pointer.press_origin()) else { return };
    let (at, size) =
        (Vec2::new(at.x - rect.left(), at.y - rect.top()), Vec2::new(rect.width(), rect.height()));
    actions.push(ViewportAction::Grab { at, size, bone: pick::bone_at(view, at, size) });
}
