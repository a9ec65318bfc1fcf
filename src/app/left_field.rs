//! Handles a press outside of a text field with typed text. The field must accept its text before
//! the press has an effect.
//!
//! A press and its release often arrive in one frame. egui tells the field only in the next frame
//! that it lost the focus. By then, the click could have selected another joint, so the text would
//! apply to the wrong joint.

use egui::{Context, Event, Id, Order};

/// Events that wait until the text field has accepted its text.
#[derive(Debug, Default)]
pub(super) struct LeftField {
    waiting: Vec<Event>,
    /// The text field that loses the focus at the start of the next pass.
    leaves: Option<Id>,
    /// True if a field lost the focus for the waiting press. A field that requests the focus again,
    /// like that of the palette, must not delay the press again.
    given_up: bool,
}

impl LeftField {
    /// Delays a press outside the focused field, and the events after it. Does nothing while
    /// disabled.
    pub fn hold(&mut self, ctx: &Context, events: &mut Vec<Event>, off: bool) {
        let mut all = std::mem::take(&mut self.waiting);
        all.append(events);
        *events = all;
        if std::mem::take(&mut self.given_up) || off || !ctx.text_edit_focused() {
            return;
        }
        let Some(field) = ctx.memory(|m| m.focused()).and_then(|id| ctx.read_response(id)) else {
            return;
        };
        let leaves = |event: &Event| {
            let Event::PointerButton { pos, pressed: true, .. } = event else { return false };
            // A drop-down list that belongs to the field closes when the field loses the focus.
            let layer = ctx.layer_id_at(*pos);
            let on_list =
                layer.is_some_and(|l| l != field.layer_id && l.order >= Order::Foreground);
            !field.rect.contains(*pos) && !on_list
        };
        let Some(press) = events.iter().position(leaves) else { return };
        self.waiting = events.split_off(press);
        // Text typed in this frame must reach the field first.
        if !events.iter().any(super::key_gate::is_typed) {
            self.leaves = Some(field.id);
            self.given_up = true;
        }
        ctx.request_repaint();
    }

    /// Removes the focus from the text field that was left.
    pub fn begin(&mut self, ctx: &Context) {
        if let Some(id) = self.leaves.take() {
            ctx.memory_mut(|m| m.surrender_focus(id));
        }
    }
}
