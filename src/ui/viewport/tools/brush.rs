//! Pointer input of Paint mode: strokes, gradients, and the point of the context menu.

use egui::{Key, Modifiers, Painter, PointerButton, Pos2, Rect, Response, Stroke, Ui};
use glam::Vec2;

use super::{super::pick, brush_marks::casing};
use crate::ui::{
    Action, Actions, BrushNumber, PaintAction, PaintTool, StrokePhase, View, ViewportAction,
    weight_marks::heat_color,
};
use ulna_edit::Preset;
use ulna_model::NodeId;
use ulna_render::ColorRole;

/// State of the brush between frames.
#[derive(Clone, Debug, Default)]
pub struct BrushState {
    /// Whether a stroke is in progress.
    stroking: bool,
    /// Start of the current gradient drag, in window points.
    gradient_from: Option<Pos2>,
    /// Line of a drag that selects vertices, in window points.
    pub picking: Option<Vec<Pos2>>,
    /// Point of the last right click, while its menu is open.
    pub spot: Option<MenuSpot>,
}

/// Point of the surface under a right click.
#[derive(Clone, Debug)]
pub struct MenuSpot {
    /// Joints that influence the point, with their weights.
    pub shares: Vec<(NodeId, f32)>,
    /// Nearest vertex: its node, its index in the primitive, and its index in the surface.
    pub vertex: Option<(NodeId, u32, u32)>,
}

/// Input of one frame for the brush.
struct BrushInput {
    /// Area of the viewport, in window points.
    rect: Rect,
    pointer: Option<Pos2>,
    /// Pointer position; `None` if the pointer is outside the viewport or over another element.
    over: Option<Pos2>,
    /// Whether Escape was pressed.
    escape: bool,
    /// Modifiers of a press in this frame; otherwise the current modifiers.
    held: Modifiers,
    /// Pen pressure, `0..=1`.
    pressure: f32,
}

impl BrushInput {
    fn size(&self) -> Vec2 {
        Vec2::new(self.rect.width(), self.rect.height())
    }

    /// Converts a window position to viewport points.
    fn local(&self, p: Pos2) -> Vec2 {
        Vec2::new(p.x - self.rect.left(), p.y - self.rect.top())
    }

    fn stroke(&self, phase: StrokePhase, at: Pos2) -> PaintAction {
        PaintAction::Stroke {
            phase,
            at: self.local(at),
            size: self.size(),
            pressure: self.pressure,
            smooth: self.held.shift,
            invert: self.held.command,
        }
    }
}

/// Modifiers of a press in this frame; otherwise the current modifiers.
fn modifiers_of_press(ui: &Ui) -> Modifiers {
    ui.input(|i| {
        let of_press = i.events.iter().find_map(|e| match e {
            egui::Event::PointerButton {
                button: PointerButton::Primary,
                pressed: true,
                modifiers,
                ..
            } => Some(*modifiers),
            _ => None,
        });
        of_press.unwrap_or(i.modifiers)
    })
}

impl BrushState {
    /// Ends all drags. Returns whether a stroke was in progress.
    pub fn end(&mut self) -> bool {
        self.gradient_from = None;
        std::mem::take(&mut self.stroking)
    }

    /// Whether the context menu of a point is open.
    pub const fn has_menu(&self) -> bool {
        self.spot.is_some()
    }

    /// Continues a gradient drag. Releasing the button ends it.
    fn drag_gradient(
        &mut self,
        ui: &Ui,
        view: &View<'_>,
        from: Pos2,
        input: &BrushInput,
        actions: &mut Actions,
    ) {
        let to = input.pointer.unwrap_or(from);
        if input.escape {
            self.gradient_from = None;
        } else if ui.input(|i| i.pointer.button_down(PointerButton::Primary)) {
            gradient(&ui.painter_at(input.rect), view, from, to);
        } else {
            self.gradient_from = None;
            if from.distance(to) > 2.0 {
                actions.push(PaintAction::Gradient {
                    from: input.local(from),
                    to: input.local(to),
                    size: input.size(),
                });
            }
        }
    }

    /// Continues a stroke. Releasing the button ends it.
    fn drag_stroke(&mut self, ui: &Ui, at: Pos2, input: &BrushInput, actions: &mut Actions) {
        if input.escape {
            actions.push(input.stroke(StrokePhase::Cancel, at));
            self.stroking = false;
        } else if !ui.input(|i| i.pointer.button_down(PointerButton::Primary)) {
            actions.push(input.stroke(StrokePhase::Move, at));
            actions.push(input.stroke(StrokePhase::End, at));
            self.stroking = false;
        } else if ui.input(|i| i.pointer.delta() != egui::Vec2::ZERO) {
            actions.push(input.stroke(StrokePhase::Move, at));
        }
    }

    /// Handles the pointer over the model. A press begins a stroke, a gradient or a selection, and
    /// a right click opens the menu.
    fn hover(
        &mut self,
        ui: &Ui,
        view: &View<'_>,
        at: Pos2,
        input: &BrushInput,
        response: &Response,
        actions: &mut Actions,
    ) {
        let joint = pick::joint_at(view, input.local(at), input.size()).filter(|n| {
            let canvas = view.paint.surface();
            canvas.is_some_and(|c| c.joint(*n).is_some())
        });
        let pressed = ui.input(|i| i.pointer.button_pressed(PointerButton::Primary));
        if pressed && input.held.alt && input.held.command {
            self.picking = Some(vec![at]);
        } else if pressed && input.held.alt {
            // This press rotates the view.
        } else if pressed && view.paint.options.tool != PaintTool::Stroke {
            self.gradient_from = Some(at);
        } else if pressed {
            actions.push(input.stroke(StrokePhase::Begin { joint }, at));
            self.stroking = true;
        }
        if view.paint.hover().is_none() && joint.is_some() {
            actions.push(ViewportAction::Hover(joint));
        }
        if response.secondary_clicked() {
            // Use the last hover only if it belongs to the click position.
            let here = view.paint.hover().filter(|h| h.at.distance(input.local(at)) < 4.0);
            let mut shares = here.map_or_else(Vec::new, |h| h.shares.clone());
            // List the joint under the pointer first, even if the surface hides it.
            if let Some(joint) = joint {
                let share =
                    shares.iter().find(|(n, _)| *n == joint).map_or(0.0, |(_, share)| *share);
                shares.retain(|(n, _)| *n != joint);
                shares.insert(0, (joint, share));
            }
            let vertex = here.map(|h| (h.node, h.vertex.1, h.surface_vertex));
            self.spot = Some(MenuSpot { shares, vertex });
        }
    }
}

/// Handles the pointer in Paint mode. `swallow`: whether the button that ended another gesture is
/// still down. `free`: whether no other element uses the pointer.
pub fn brush_ui(
    state: &mut BrushState,
    swallow: &mut bool,
    ui: &Ui,
    view: &View<'_>,
    rect: Rect,
    response: &Response,
    free: bool,
    actions: &mut Actions,
) {
    let pointer = ui.input(|i| i.pointer.hover_pos()).filter(|p| rect.contains(*p));
    let input = BrushInput {
        rect,
        pointer,
        over: pointer.filter(|_| free && (response.hovered() || state.stroking)),
        escape: ui.input(|i| i.key_pressed(egui::Key::Escape)),
        held: modifiers_of_press(ui),
        pressure: pressure(ui),
    };
    actions.push(PaintAction::BrushHover(input.over.map(|p| (input.local(p), input.size()))));
    if view.paint.adjusting.is_some() {
        let enter = ui.input(|i| i.key_pressed(egui::Key::Enter));
        if input.escape {
            actions.push(Action::Cancel);
        } else if is_key_held(ui, view) {
            // Maya: a drag changes the brush property while its key is held.
            if ui.input(|i| i.pointer.button_released(PointerButton::Primary)) {
                actions.push(PaintAction::AdjustBrush(None));
            }
        } else if enter || ui.input(|i| i.pointer.any_pressed()) {
            actions.push(PaintAction::AdjustBrush(None));
            *swallow = true;
        }
        return;
    }
    // The click that ended the drag of a brush property does not paint.
    if *swallow {
        *swallow = ui.input(|i| i.pointer.any_down());
        return;
    }
    if let Some(from) = state.gradient_from {
        state.drag_gradient(ui, view, from, &input, actions);
    } else if state.stroking {
        let at = response.interact_pointer_pos().or(pointer).unwrap_or(rect.center());
        state.drag_stroke(ui, at, &input, actions);
    } else if let Some(at) = input.over {
        state.hover(ui, view, at, &input, response, actions);
    }
}

/// Whether the key of the dragged brush property is held, in Maya's key map.
fn is_key_held(ui: &Ui, view: &View<'_>) -> bool {
    let keys = &view.settings.keys;
    let number = view.paint.adjusting.filter(|_| keys.preset() == Preset::Maya);
    let command = number.map(BrushNumber::command);
    let mut held = command.iter().flat_map(|c| keys.keys(c.name())).filter_map(Key::from_name);
    held.any(|key| ui.input(|i| i.key_down(key)))
}

/// Draws the line of the current gradient, from full value to 0.
fn gradient(painter: &Painter, view: &View<'_>, from: Pos2, to: Pos2) {
    let dark = casing(view.theme);
    let white = view.theme.color(ColorRole::ViewportBrush);
    painter.line_segment([from, to], Stroke::new(4.0, dark));
    painter.line_segment([from, to], Stroke::new(2.0, white));
    if view.paint.options.tool == PaintTool::RadialGradient {
        painter.circle_stroke(from, from.distance(to), Stroke::new(3.0, dark));
        painter.circle_stroke(from, from.distance(to), Stroke::new(1.0, white));
    }
    for (at, weight) in [(from, 1.0), (to, 0.0)] {
        painter.circle(at, 6.0, heat_color(weight), Stroke::new(3.0, dark));
        painter.circle(at, 6.0, heat_color(weight), Stroke::new(1.5, white));
    }
}

/// Returns the pen pressure, or 1 if the system does not report it.
fn pressure(ui: &Ui) -> f32 {
    ui.input(|i| {
        i.events.iter().rev().find_map(|e| match e {
            egui::Event::Touch { force: Some(force), .. } => Some(*force),
            _ => None,
        })
    })
    .unwrap_or(1.0)
}
