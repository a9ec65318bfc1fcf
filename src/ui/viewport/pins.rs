//! Marks of pinned joints. A click cycles through position and rotation, rotation only, and no pin.

use egui::{Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use glam::Vec2;

use crate::ui::{
    Action, Actions, View,
    widgets::{pin_mark, pin_words, tooltip},
};
use ulna_edit::command::{PinKind, SetPin, field::Nodes};
use ulna_model::Pin;

/// Draws the marks of all pins. Returns whether the pointer is over one of them.
pub fn pins_ui(ui: &Ui, view: &View<'_>, rect: Rect, actions: &mut Actions) -> bool {
    let Some(document) = view.session.map(|s| s.document()) else { return false };
    if !view.mode.spec().poses || !view.options.pins {
        return false;
    }
    let size = Vec2::new(rect.width(), rect.height());
    let mut over = false;
    for (node, pin) in &document.aids.pins {
        let head = view
            .pose
            .world
            .get(node.index())
            .map(|w| w.w_axis.truncate())
            .filter(|p| p.is_finite());
        let Some((p, _)) = head.and_then(|p| view.viewport.camera.project(p, size)) else {
            continue;
        };
        // Draw the mark beside the joint, so that the joint can still be dragged.
        let at = pos2(p.x + rect.left() + 16.0, p.y + rect.top() + 16.0);
        if !rect.contains(at) {
            continue;
        }
        let label = document.node(*node).label(*node);
        let spot = Rect::from_center_size(at, vec2(22.0, 22.0));
        let response = ui.interact(spot, ui.scope_id().with(("pin", node.0)), Sense::click());
        let name = format!("Pin of {label}: {}", pin_words(*pin));
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
        pin_mark(&ui.painter_at(rect), view.theme, at, *pin, 1.0, response.hovered());
        over |= response.hovered();
        if response.clicked() {
            let kind = Some(PinKind::of(Pin::next(Some(*pin))));
            actions.push(Action::Run(SetPin { node: Nodes::one(*node), kind }.into()));
        }
        tooltip(response, view.theme, &name, "", Ok(()));
    }
    over
}
