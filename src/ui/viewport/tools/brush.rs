//! The brush over the model: strokes, gradients, and the spot of its menu.

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

/// State of the brush from frame to frame.
#[derive(Clone, Debug, Default)]
pub struct BrushState {
    /// A stroke is under way.
    stroking: bool,
    /// A gradient begins here.
    gradient_from: Option<Pos2>,
    /// The line of a drag that selects vertices.
    pub picking: Option<Vec<Pos2>>,
    /// The spot of the last right click, while its menu is open.
    pub spot: Option<MenuSpot>,
}

/// The spot of a right click.
#[derive(Clone, Debug)]
pub struct MenuSpot {
    /// Joints that hold the spot, with their influence.
    pub shares: Vec<(NodeId, f32)>,
    /// The nearest vertex: its node, its number in the mesh, and its number in the surface.
    pub vertex: Option<(NodeId, u32, u32)>,
}

/// The input of a frame, as the brush takes it.
struct BrushInput {
    /// The picture.
    rect: Rect,
    pointer: Option<Pos2>,
    /// The pointer, where nothing else of the viewport has it.
    over: Option<Pos2>,
    /// Whether Escape was pressed.
    escape: bool,
    /// The modifiers of the press itself: those of the frame may be older.
    held: Modifiers,
    /// A pen's pressure, 0 to 1.
    pressure: f32,
}

impl BrushInput {
    fn size(&self) -> Vec2 {
        Vec2::new(self.rect.width(), self.rect.height())
    }

    /// A point of the window in points of the picture.
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

/// The modifiers of the press, or those of the frame where there is none.
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
    /// A gesture was ended elsewhere; whether a stroke was under way.
    pub fn end(&mut self) -> bool {
        self.gradient_from = None;
        std::mem::take(&mut self.stroking)
    }

    /// Whether the menu of a spot is open.
    pub const fn has_menu(&self) -> bool {
        self.spot.is_some()
    }

    /// Goes on with the gradient that begins at a point, and ends it with the press.
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

    /// Goes on with a stroke, and ends it with the press.
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

    /// The pointer over the model: a press begins a stroke, a gradient or a selection; a right
    /// click lists the joints of the spot.
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
            // It turns the view.
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
            // Of this spot, and no other that was touched before.
            let here = view.paint.hover().filter(|h| h.at.distance(input.local(at)) < 4.0);
            let mut shares = here.map_or_else(Vec::new, |h| h.shares.clone());
            // The joint under the pointer, through the skin too, stands first.
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

/// The pointer while painting. `swallow`: the press that ended another gesture is still down;
/// `free`: nothing else of the viewport has the pointer.
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
            // As in Maya: the number follows a drag while its key is held.
            if ui.input(|i| i.pointer.button_released(PointerButton::Primary)) {
                actions.push(PaintAction::AdjustBrush(None));
            }
        } else if enter || ui.input(|i| i.pointer.any_pressed()) {
            actions.push(PaintAction::AdjustBrush(None));
            *swallow = true;
        }
        return;
    }
    // The click that ended a drag of a number paints nothing.
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

/// Whether the key of the number that is changed is held, in the map of Maya.
fn is_key_held(ui: &Ui, view: &View<'_>) -> bool {
    let keys = &view.settings.keys;
    let number = view.paint.adjusting.filter(|_| keys.preset() == Preset::Maya);
    let command = number.map(BrushNumber::command);
    let mut held = command.iter().flat_map(|c| keys.keys(c.name())).filter_map(Key::from_name);
    held.any(|key| ui.input(|i| i.key_down(key)))
}

/// The line of a gradient that is being drawn: from all of the value to none.
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

/// Pen pressure, if the system reports it.
fn pressure(ui: &Ui) -> f32 {
    ui.input(|i| {
        i.events.iter().rev().find_map(|e| match e {
            egui::Event::Touch { force: Some(force), .. } => Some(*force),
            _ => None,
        })
    })
    .unwrap_or(1.0)
}
