//! Keys before egui sees them: what is kept back for the panels, and what is shared with them from
//! frame to frame.
//!
//! egui gives Tab to its focus before any panel runs. Here it is kept back where no field and no
//! list wants it, and put back when the focus has been settled, so that it is a key like any other.

use std::sync::{Arc, Mutex, PoisonError};

use egui::{Context, Event, Id, Key, PointerButton, Popup, RawInput};

use super::left_field::LeftField;
use crate::ui::Pane;

/// State between frames, shared with the plugin.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// Widget that had the focus at the end of the previous frame: egui removes the focus on
    /// Escape before the app can read it.
    pub focused: Option<Id>,
    /// A dialog or the palette was open.
    pub dialog: bool,
    /// Whether Paint mode is active: a table cell that loses the focus discards its typed text.
    pub painting: bool,
    /// Keys that egui's focus does not get.
    pub back: Vec<Event>,
    /// Keys that came after a click and wait until it is known whether a field got the focus.
    after_click: Vec<Event>,
    /// Frames that they wait yet.
    wait: u8,
    /// A press outside a field, which is delayed until the field has applied its text.
    left: LeftField,
}

/// Frames from a click until the field that it opens has the focus: in the first it is asked for,
/// in the second it is there.
const FOCUS_FRAMES: u8 = 2;

/// Whether an event is typed, or is what typing means.
pub(super) const fn is_typed(event: &Event) -> bool {
    matches!(
        event,
        Event::Key { .. }
            | Event::Text(_)
            | Event::Paste(_)
            | Event::Copy
            | Event::Cut
            | Event::Ime(_)
    )
}

impl Kept {
    /// Keeps back what was typed after a click. A field that is clicked has the focus a little
    /// later; without this a fast hand's Ctrl+A would select all joints, and not what is in the
    /// field.
    fn hold_after_click(&mut self, ctx: &Context, events: &mut Vec<Event>) {
        let click =
            |e: &Event| matches!(e, Event::PointerButton { button: PointerButton::Primary, .. });
        let waits = self.wait > 0;
        self.wait = self.wait.saturating_sub(1);
        let last_click = events.iter().rposition(click);
        if last_click.is_some() {
            self.wait = FOCUS_FRAMES;
        }
        if self.wait == 0 {
            let mut typed = std::mem::take(&mut self.after_click);
            typed.append(events);
            *events = typed;
            return;
        }
        let first = if waits { 0 } else { events.iter().position(click).unwrap_or(events.len()) };
        for event in events.split_off(first) {
            if is_typed(&event) { self.after_click.push(event) } else { events.push(event) }
        }
        if !self.after_click.is_empty() {
            ctx.request_repaint();
        }
    }
}

/// The plugin's half: it sees input before egui does.
struct Gate(Arc<Mutex<Kept>>);

impl egui::Plugin for Gate {
    fn debug_name(&self) -> &'static str {
        "key routing"
    }

    fn on_begin_pass(&mut self, ui: &mut egui::Ui) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).left.begin(ui.ctx());
    }

    fn input_hook(&mut self, ctx: &Context, input: &mut RawInput) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Kept { left, painting, .. } = &mut *kept;
        left.hold(ctx, &mut input.events, *painting);
        kept.hold_after_click(ctx, &mut input.events);
        let focused = ctx.memory(|m| m.focused());
        if kept.dialog || Popup::is_any_open(ctx) {
            return;
        }
        // Tab goes through widgets from a field, or from a panel that F6 entered; the panel's
        // arrows are its own.
        let is_kept = |key: Key| match key {
            Key::Tab => focused.is_none(),
            Key::ArrowUp | Key::ArrowDown | Key::ArrowLeft | Key::ArrowRight => is_panel(focused),
            _ => false,
        };
        let stays = |e: &Event| {
            matches!(e, Event::Key { key, modifiers, .. } if !modifiers.command
                && is_kept(*key))
        };
        (kept.back, input.events) = std::mem::take(&mut input.events).into_iter().partition(stays);
    }
}

/// Whether the focus is on a panel as a whole.
pub(super) fn is_panel(focused: Option<Id>) -> bool {
    focused.is_some_and(|id| Pane::ALL.iter().any(|p| p.focus_id() == id))
}

/// The window's half.
#[derive(Debug, Default)]
pub(super) struct KeyRouting {
    kept: Arc<Mutex<Kept>>,
    /// The panel that the pointer, or F6, entered last.
    pub entered: Option<Pane>,
    /// Whether F6 moved the focus to the dialog beside the panels.
    pub in_dialog: bool,
}

impl KeyRouting {
    pub fn install(&self, ctx: &Context) {
        ctx.add_plugin(Gate(self.kept.clone()));
    }

    pub fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
