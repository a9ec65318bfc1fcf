//! Selecting: a click on a joint or on the skin, a box around joints.

use egui::{PointerButton, Pos2, Rect, Response, Ui, pos2};
use egui_material_icons::{MaterialIcon, icons};
use glam::Vec2;

use super::{super::pick, Press, ViewportTool};
use crate::{
    edit::command::{SelectCommand, SetKey, ToolCommand, ViewCommand},
    render::ColorRole,
    ui::{Actions, OutlinerAction, View, ViewportAction},
};

/// The tool that moves nothing: clicks and boxes select, as they do beside the handles of all others.
#[derive(Clone, Debug, Default)]
pub struct SelectTool;

impl ViewportTool for SelectTool {
    fn icon(&self) -> MaterialIcon {
        icons::ICON_ARROW_SELECTOR_TOOL
    }

    fn hints(&self) -> Vec<(Press, &'static str)> {
        vec![
            (Press::Key(ToolCommand::Rotate.name()), "rotate"),
            (Press::Key(SetKey::NAME), "set key"),
            (Press::Key(ViewCommand::FrameSelected.name()), "frame"),
            (Press::Key(SelectCommand::Parent.name()), "parent"),
            (Press::Key(SelectCommand::Child.name()), "child"),
        ]
    }
}

/// `free`: nothing else has the pointer.
pub fn select_ui(
    marquee: &mut Option<Pos2>,
    ui: &Ui,
    view: &View<'_>,
    rect: Rect,
    response: &Response,
    free: bool,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let size = Vec2::new(rect.width(), rect.height());
    let local = |p: Pos2| Vec2::new(p.x - rect.left(), p.y - rect.top());
    let pointer = response.hover_pos().or(response.interact_pointer_pos());
    if free {
        let modifiers = ui.input(|i| i.modifiers);
        let joint = pointer.filter(|_| response.hovered()).and_then(|p| pick::joint_at(view, local(p), size));
        if response.hovered() && joint.is_some() {
            actions.push(ViewportAction::Hover(joint));
        }
        let toggle = modifiers.shift || modifiers.command;
        if response.clicked()
            && !modifiers.alt
            && let Some(at) = response.interact_pointer_pos()
        {
            match pick::joint_at(view, local(at), size) {
                Some(node) => actions.push(OutlinerAction::Select { node, toggle }),
                None => actions.push(ViewportAction::PickSurface { at: local(at), size, toggle }),
            }
        }
        if response.drag_started_by(PointerButton::Primary) && !modifiers.alt {
            *marquee = ui.input(|i| i.pointer.press_origin());
        }
    }
    if let Some(from) = *marquee {
        let to = ui.input(|i| i.pointer.hover_pos()).unwrap_or(from);
        let area = Rect::from_two_pos(from, to);
        ui.painter_at(rect).rect(
            area,
            0.0,
            theme.color(ColorRole::TimelineBoxFill),
            egui::Stroke::new(1.0, theme.color(ColorRole::TimelineBoxStroke)),
            egui::StrokeKind::Inside,
        );
        if response.drag_stopped() {
            let inside = |p: Vec2| area.contains(pos2(p.x + rect.left(), p.y + rect.top()));
            let nodes = pick::joints_in(view, size, &inside);
            actions.push(OutlinerAction::SelectMany { nodes, add: ui.input(|i| i.modifiers.shift) });
            *marquee = None;
        } else if !response.dragged() {
            *marquee = None;
        }
    }
}
