//! Gizmo: handles around the selection, and gestures started by handles or keys. Each tool chooses
//! its handles, and the result of a gesture is a command.
//!
//! ```text
//!  tool ──► handles ──► press ─┐
//!  key of the tool, again ─────┴► gesture ─► value ─► command ─► preview … commit or cancel
//! ```

mod draw;
mod frame;
mod gesture;
mod gesture_command;
mod gesture_reference;
mod handles;
mod locks;
mod operation;
mod reference;
mod rig;

use egui::{Event, Key, PointerButton, Pos2, Rect, Response, Role, Sense, Ui, WidgetInfo, vec2};
use glam::{Vec2, Vec3};
use ulna_edit::Preset;

use self::gesture::Next;
pub use self::{
    frame::Frame,
    gesture::Gesture,
    handles::{Handle, HandleSet},
    operation::{Limit, Operation},
};
use crate::ui::{
    Action, Actions, BendAction, ReachOptions, ReferenceAction, RigAction, View, ViewportAction,
    viewport::domain::SnapTo,
};

/// State of the gizmo between frames.
#[derive(Clone, Debug, Default)]
pub struct Gizmo {
    gesture: Option<Gesture>,
    /// Operation requested by a key, to start in the next frame.
    wanted: Option<Operation>,
    /// Operation of a tool that was chosen by its key. Typing an axis or a number starts it before
    /// the end time, in seconds on egui's clock.
    waiting: Option<(Operation, f64)>,
    /// Request to start an IK drag: dragged point in node space, the same point in scene space, and
    /// the press in viewport points.
    grabbed: Option<(Option<Vec3>, Vec3, Vec2)>,
}

/// Time that a tool waits for an axis or a number after its key was pressed, in seconds.
pub const PATIENCE: f64 = 1.0;

impl Gizmo {
    /// Requests an IK drag. `tip` is the dragged point in node space, `from` the same point in
    /// scene space, `at` the press in viewport points.
    pub const fn reach(&mut self, tip: Option<Vec3>, from: Vec3, at: Vec2) {
        self.grabbed = Some((tip, from, at));
    }

    /// Whether an IK drag is in progress.
    pub fn is_reaching(&self) -> bool {
        self.gesture.as_ref().is_some_and(|g| g.operation == Operation::Reach)
    }

    /// Requests an operation without a handle.
    pub const fn begin(&mut self, operation: Operation) {
        self.wanted = Some(operation);
    }

    /// Prepares the operation of a tool that was chosen by its key. Typing an axis or a number
    /// before `until` starts it.
    pub const fn wait(&mut self, operation: Operation, until: f64) {
        self.waiting = Some((operation, until));
    }

    /// Whether a tool that was chosen by its key waits for an axis or a number.
    pub fn waits(&self, now: f64) -> bool {
        self.waiting.is_some_and(|(_, until)| now < until)
    }

    /// Stops waiting for an axis or a number. Returns whether a tool was waiting.
    pub fn wait_no_longer(&mut self) -> bool {
        self.waiting.take().is_some()
    }

    /// Whether the current gesture lasts while a mouse button is held; `None` without a gesture.
    pub fn under_way(&self) -> Option<bool> {
        self.gesture.as_ref().map(|g| g.held).or(self.wanted.map(|_| false))
    }

    /// Ends the gesture and all requests. Returns whether there was a gesture.
    pub fn end(&mut self) -> bool {
        (self.wanted, self.waiting) = (None, None);
        self.gesture.take().is_some()
    }

    /// Draws the handles and handles their input. Returns whether they use the pointer.
    pub fn ui(
        &mut self,
        set: &HandleSet,
        ui: &Ui,
        view: &View<'_>,
        rect: Rect,
        response: &Response,
        actions: &mut Actions,
    ) -> bool {
        let size = Vec2::new(rect.width(), rect.height());
        let local = |p: Pos2| Vec2::new(p.x - rect.left(), p.y - rect.top());
        let wanted = self.wanted.take();
        let now = ui.input(|i| i.time);
        if wanted.is_some() || ui.input(|i| i.pointer.any_pressed()) {
            self.waiting = None;
        }
        self.waiting = self.waiting.filter(|(_, until)| now < *until);
        // The rings of Paint mode accept typed values at any time. In Maya's key map, digits keep
        // their commands after the key of a tool, so only an axis starts the tool.
        let rings = view.mode.spec().bends.then_some(Operation::Rotate);
        let numbers = self.waiting.is_none() || waits_for_numbers(view.settings.keys.preset());
        let typed = self
            .waiting
            .map(|(operation, _)| operation)
            .or(rings)
            .filter(|_| begins_value(ui, numbers));
        let Some(frame) = Frame::of(view, size) else {
            if let Some(gesture) = self.gesture.take() {
                end(&gesture, view, false, actions);
            }
            return false;
        };
        let shown = self
            .gesture
            .as_ref()
            .and_then(|g| g.seen(&view.viewport.camera, size))
            .unwrap_or(frame);
        let shapes = handles::shapes(set, &shown, &view.viewport.camera, size);
        let shapes = locks::usable(shapes, set, &shown, view);
        let modifiers = ui.input(|i| i.modifiers);
        let pointer = ui.input(|i| i.pointer.hover_pos()).filter(|p| rect.contains(*p));
        let hovered = pointer
            .filter(|_| self.gesture.is_none() && (response.hovered() || response.dragged()))
            .and_then(|p| handles::under(&shapes, local(p)));
        if let Some((tip, from, at)) = self.grabbed.take()
            && response.dragged_by(PointerButton::Primary)
        {
            self.gesture = Gesture::begin(view, frame, Operation::Reach, Limit::Free, at, true);
            if let Some(gesture) = &mut self.gesture {
                gesture.hold_by(tip, from);
            }
        }
        if self.gesture.is_none() {
            let pressed = ui.input(|i| i.pointer.press_origin()).map(local);
            if wanted == Some(Operation::Extrude) {
                // A new joint is placed at the pointer, not moved by the pointer's distance.
                let at = shown.center;
                self.gesture =
                    Gesture::begin(view, frame, Operation::Extrude, Limit::Free, at, false);
            } else if let Some(operation) = wanted {
                let at = pointer
                    .or_else(|| ui.input(|i| i.pointer.latest_pos()))
                    .map_or(shown.center, local);
                let limit = if operation.is_turn() { Limit::View } else { Limit::Free };
                self.gesture = Gesture::begin(view, frame, operation, limit, at, false);
            } else if let Some(operation) = typed {
                let at = pointer
                    .or_else(|| ui.input(|i| i.pointer.latest_pos()))
                    .map_or(shown.center, local);
                let limit = if operation.is_turn() { Limit::View } else { Limit::Free };
                self.gesture = Gesture::begin(view, frame, operation, limit, at, false);
                self.waiting = None;
            } else if response.drag_started_by(PointerButton::Primary)
                && !modifiers.alt
                && let Some(at) = pressed
                && let Some(handle) = handles::under(&shapes, at)
            {
                let (operation, limit) = set.meaning(handle);
                self.gesture = Gesture::begin(view, frame, operation, limit, at, true);
            }
        }
        let active = self.gesture.is_some();
        // The key press that starts a gesture must not also end it.
        if wanted.is_none() {
            self.go_on(ui, view, rect, response, actions);
        }
        if self.gesture.is_none() {
            name_handles(ui, rect, set, &shapes);
        }
        draw::draw(ui, view, rect, &shown, set, &shapes, hovered, self.gesture.as_ref());
        if let Some((operation, until)) = self.waiting.filter(|_| self.gesture.is_none()) {
            draw::awaited(ui, view, rect, &shown, set, operation);
            ui.ctx().request_repaint_after_secs((until - now).max(0.0) as f32);
        }
        active || hovered.is_some()
    }

    /// Updates the current gesture for one frame.
    fn go_on(
        &mut self,
        ui: &Ui,
        view: &View<'_>,
        rect: Rect,
        response: &Response,
        actions: &mut Actions,
    ) {
        let size = Vec2::new(rect.width(), rect.height());
        let local = |p: Pos2| Vec2::new(p.x - rect.left(), p.y - rect.top());
        let Some(gesture) = &mut self.gesture else { return };
        let mut next = gesture.take_keys(ui, view);
        let preset = view.settings.keys.preset();
        let (now, mut modifiers) = ui.input(|i| (i.time, i.modifiers));
        // In Maya's key map, J snaps to steps as Ctrl does.
        if preset == Preset::Maya && ui.input(|i| i.key_down(Key::J)) {
            modifiers |= egui::Modifiers::COMMAND;
        }
        if ui.input(|i| i.pointer.button_pressed(PointerButton::Secondary)) {
            next = Next::Dropped;
        }
        let at = ui.input(|i| i.pointer.latest_pos()).filter(|_| next != Next::Dropped);
        gesture.snap_to = SnapTo::keys(preset, gesture.held)
            .into_iter()
            .find(|(key, ..)| gesture.operation.is_way() && ui.input(|i| i.key_down(*key)))
            .map(|(_, to, _)| to)
            .or_else(|| new_joint_snap(view, gesture.operation, modifiers.alt));
        if let (Some(of), Some(at)) = (gesture.snap_to.filter(|to| to.is_sought()), at) {
            // In Rig mode the surface does not move with dragged joints, so it can be a snap
            // target.
            let stays = view.mode.spec().edits_rest && of != SnapTo::Joint;
            let except = if stays { Vec::new() } else { gesture.nodes.clone() };
            actions.push(ViewportAction::SeekSpot { at: local(at), size, of, except });
            // The snap target is available in the next frame.
            if view.viewport.sought.is_none_or(|(sought, _)| sought != of) {
                ui.ctx().request_repaint();
            }
        }
        if gesture.reference.is_some() {
            let moved =
                at.and_then(|at| gesture.follow_reference(view, local(at), size, modifiers, now));
            actions.extend(moved.map(|(id, place)| ReferenceAction::Place(id, place)));
        } else if let Some(at) = at
            && view.mode.spec().bends
        {
            if let Some((axis, degrees)) =
                gesture.follow_bend(view, local(at), size, modifiers, now)
            {
                actions.push(BendAction::Turn { nodes: gesture.nodes.clone(), axis, degrees });
            }
        } else if let Some(at) = at
            && view.mode.spec().edits_rest
        {
            if let Some(step) = gesture.follow_rig(view, local(at), size, modifiers, now) {
                actions.push(RigAction::Drag(step));
            }
        } else if let Some(at) = at
            && let Some(commands) = gesture.follow(view, local(at), size, modifiers, now)
        {
            actions.push(Action::Preview { label: gesture.label(), commands });
        }
        if gesture.operation == Operation::Reach {
            scroll_chain(ui, view, actions);
        }
        let let_go = if gesture.held {
            !response.dragged_by(PointerButton::Primary)
        } else {
            ui.input(|i| i.pointer.button_pressed(PointerButton::Primary))
        };
        match next {
            Next::Goes if let_go => {
                end(gesture, view, true, actions);
                self.gesture = None;
            }
            Next::Goes => {}
            Next::Kept => {
                end(gesture, view, true, actions);
                self.gesture = None;
            }
            Next::Dropped => {
                end(gesture, view, false, actions);
                self.gesture = None;
            }
            Next::Another(operation) => {
                end(gesture, view, false, actions);
                self.gesture = None;
                self.wanted = Some(operation);
                ui.ctx().request_repaint();
            }
        }
    }
}

/// Snap target of a new joint. `front`: use only the frontmost part instead of the whole body.
fn new_joint_snap(view: &View<'_>, operation: Operation, front: bool) -> Option<SnapTo> {
    (operation == Operation::Extrude).then(|| view.rig.options.depth.snap(front)).flatten()
}

/// Ends the preview of a gesture. Bends of Paint mode and moves of reference models are not edits.
fn end(gesture: &Gesture, view: &View<'_>, kept: bool, actions: &mut Actions) {
    if let Some(reference) = &gesture.reference {
        if !kept {
            actions.push(ReferenceAction::Place(reference.id, reference.start));
        }
    } else if view.mode.spec().bends {
        actions.push(BendAction::End { kept });
    } else if view.mode.spec().edits_rest {
        actions.push(RigAction::End { kept });
    } else {
        actions.push(if kept { Action::Commit } else { Action::Cancel });
    }
}

/// Whether a typed number starts a tool that was just chosen by its key. In Maya's key map, the
/// digits are keys of frequent commands, such as *Wireframe*.
pub const fn waits_for_numbers(preset: Preset) -> bool {
    !matches!(preset, Preset::Maya)
}

/// Whether the text typed in this frame is an axis or, with `numbers`, the start of a number.
fn begins_value(ui: &Ui, numbers: bool) -> bool {
    if ui
        .ctx()
        .memory(|m| m.focused())
        .is_some_and(|id| !crate::ui::Pane::ALL.iter().any(|p| p.focus_id() == id))
    {
        return false;
    }
    ui.input(|i| {
        i.events.iter().any(|e| match e {
            Event::Key { key: Key::X | Key::Y | Key::Z, pressed: true, modifiers, .. } => {
                !modifiers.any() || modifiers.shift_only()
            }
            Event::Text(text) if numbers => {
                text.chars().any(|c| c.is_ascii_digit() || "+-−.(".contains(c))
            }
            _ => false,
        })
    })
}

/// Names the handles for screen readers and scripts, without changing pointer input.
fn name_handles(ui: &Ui, rect: Rect, set: &HandleSet, shapes: &[handles::HandleShape]) {
    for shape in shapes {
        let Some(grip) = shape.grip(shapes) else { continue };
        let spot = Rect::from_center_size(rect.left_top() + vec2(grip.x, grip.y), vec2(8.0, 8.0));
        let name = shape.name(set);
        let response = ui.interact(spot, ui.scope_id().with(&name), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Slider, true, &name));
    }
}

/// Changes the length of the IK chain by the mouse wheel.
fn scroll_chain(ui: &Ui, view: &View<'_>, actions: &mut Actions) {
    let notch = |e: &egui::Event| match e {
        egui::Event::MouseWheel { delta, .. } if delta.y != 0.0 => Some(delta.y.signum() as i32),
        _ => None,
    };
    let notches: i32 = ui.input(|i| i.events.iter().filter_map(notch).sum());
    if notches != 0 {
        let now = view.viewport.reach;
        let chain = now.chain.unwrap_or(2) as i32 + notches;
        actions.push(ViewportAction::SetReach(ReachOptions {
            chain: Some(chain.clamp(1, 32) as usize),
            ..now
        }));
    }
}
