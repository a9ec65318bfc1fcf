//! Pins at their joints: a click goes round place, place and angle, angle, none.

use egui::{Painter, Pos2, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};
use glam::Vec2;

use crate::{
    edit::{
        Mode,
        command::{PinKind, SetPin, field::Nodes},
    },
    model::Pin,
    render::ColorRole,
    ui::{Action, Actions, Theme, View, widgets::tooltip},
};

/// What a pin holds, in words.
pub const fn words(pin: Pin) -> &'static str {
    match pin {
        Pin { place: true, angle: true } => "place, angle",
        Pin { place: true, .. } => "place",
        Pin { .. } => "angle",
    }
}

/// The mark of a pin: a disc with a dot for the place, an open frame for the angle, the disc in the frame for both.
pub fn mark(painter: &Painter, theme: &Theme, at: Pos2, pin: Pin, lit: bool) {
    let color = theme.color(if lit { ColorRole::AccentText } else { ColorRole::AccentBase });
    let casing = theme.color(ColorRole::ViewportLabelHalo).gamma_multiply(0.7);
    if pin.angle {
        let frame = Rect::from_center_size(at, vec2(18.0, 18.0));
        painter.rect(frame, 3.0, casing, Stroke::new(2.0, color), egui::StrokeKind::Inside);
        if !pin.place {
            painter.line_segment([at + vec2(0.0, 4.0), at - vec2(0.0, 4.0)], Stroke::new(1.5, color));
            painter.line_segment([at - vec2(3.0, 1.0), at - vec2(0.0, 4.0)], Stroke::new(1.5, color));
            painter.line_segment([at - vec2(-3.0, 1.0), at - vec2(0.0, 4.0)], Stroke::new(1.5, color));
        }
    }
    if pin.place {
        let radius = if pin.angle { 5.0 } else { 7.0 };
        painter.circle(at, radius, casing, Stroke::new(2.0, color));
        painter.circle_filled(at, 2.0, color);
    }
}

/// All pins; whether the pointer is over one.
pub fn pins_ui(ui: &Ui, view: &View<'_>, rect: Rect, actions: &mut Actions) -> bool {
    let Some(document) = view.session.map(|s| s.document()) else { return false };
    if view.mode == Mode::Paint {
        return false;
    }
    let size = Vec2::new(rect.width(), rect.height());
    let mut over = false;
    for (node, pin) in &document.aids.pins {
        let head = view.pose.world.get(node.index()).map(|w| w.w_axis.truncate()).filter(|p| p.is_finite());
        let Some((p, _)) = head.and_then(|p| view.viewport.camera.project(p, size)) else { continue };
        // Beside the joint, so that what is posed can still be taken hold of.
        let at = pos2(p.x + rect.left() + 16.0, p.y + rect.top() + 16.0);
        if !rect.contains(at) {
            continue;
        }
        let label = document.node(*node).label(*node);
        let spot = Rect::from_center_size(at, vec2(22.0, 22.0));
        let response = ui.interact(spot, ui.scope_id().with(("pin", node.0)), Sense::click());
        let name = format!("Pin of {label}: {}", words(*pin));
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
        mark(&ui.painter_at(rect), view.theme, at, *pin, response.hovered());
        over |= response.hovered();
        if response.clicked() {
            let kind = Some(PinKind::of(Pin::next(Some(*pin))));
            actions.push(Action::Run(SetPin { node: Nodes::one(*node), kind }.into()));
        }
        tooltip(response, view.theme, &name, "", Ok(()));
    }
    over
}
