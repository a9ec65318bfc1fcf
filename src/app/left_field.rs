//! A press beside a field in which something is typed: the field takes its text before anything
//! else sees the press.
//!
//! A press and its release often arrive in one frame. egui tells a field only in the next frame
//! that it lost the focus, when the click has already selected another joint or moved the playhead,
//! and what was typed would be lost, or meant for the other joint.

use egui::{Context, Event, Id, Order};

/// Events that wait until a field has taken its text.
#[derive(Debug, Default)]
pub(super) struct LeftField {
    waiting: Vec<Event>,
    /// The field that gives up the focus as the next pass begins.
    leaves: Option<Id>,
    /// A field gave up the focus for the press that waits. One that asks for it again, as that of
    /// the palette, does not hold the press back again.
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
            // A list that belongs to the field is open only as long as that has the focus.
            let layer = ctx.layer_id_at(*pos);
            let on_list =
                layer.is_some_and(|l| l != field.layer_id && l.order >= Order::Foreground);
            !field.rect.contains(*pos) && !on_list
        };
        let Some(press) = events.iter().position(leaves) else { return };
        self.waiting = events.split_off(press);
        // What was typed in this very frame has to reach the field first.
        if !events.iter().any(super::key_gate::is_typed) {
            self.leaves = Some(field.id);
            self.given_up = true;
        }
        ctx.request_repaint();
    }

    /// Takes the focus from the field that is left.
    pub fn begin(&mut self, ctx: &Context) {
        if let Some(id) = self.leaves.take() {
            ctx.memory_mut(|m| m.surrender_focus(id));
        }
    }
}
