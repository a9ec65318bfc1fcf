//! Filters key events before egui sees them.
//!
//! egui uses Tab for its focus before any panel runs. If neither a text field nor a list needs Tab,
//! it is held back here. After egui has updated the focus, the key is put back for the panels.

use std::sync::{Arc, Mutex, PoisonError};

use egui::{Context, Event, Id, Key, PointerButton, Popup, RawInput};

use super::left_field::LeftField;
use crate::ui::Pane;

/// State between frames, shared with the plugin that sees raw input.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// Widget that had the focus at the end of the last frame. egui removes the focus on Escape
    /// before the app can read it.
    pub focused: Option<Id>,
    /// True if a dialog or the palette was open.
    pub dialog: bool,
    /// True in Paint mode, where a table cell discards its typed text when it loses the focus.
    pub painting: bool,
    /// Key events that are held back from egui's focus handling.
    pub back: Vec<Event>,
    /// Key events after a click. They wait until it is known whether the click focuses a text
    /// field.
    after_click: Vec<Event>,
    /// Number of frames for which `after_click` is still held back.
    wait: u8,
    /// A press outside a field, which is delayed until the field has applied its text.
    left: LeftField,
}

/// Number of frames from a click until the text field that it opens has the focus: one to request
/// it, one to receive it.
const FOCUS_FRAMES: u8 = 2;

/// True for keyboard events: keys, text, the clipboard and IME.
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
    /// Holds back keys typed after a click, until the clicked text field has the focus. Otherwise a
    /// quick Ctrl+A would select all joints instead of the text.
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

/// Plugin that sees the input before egui does.
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
        // Tab moves between widgets only from a text field, or from a panel entered with F6. In a
        // focused panel, arrow keys belong to the panel.
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

/// True if the focus is on a panel as a whole.
pub(super) fn is_panel(focused: Option<Id>) -> bool {
    focused.is_some_and(|id| Pane::ALL.iter().any(|p| p.focus_id() == id))
}

/// State of key routing in the window.
#[derive(Debug, Default)]
pub(super) struct KeyRouting {
    kept: Arc<Mutex<Kept>>,
    /// The panel that the pointer or F6 entered last.
    pub entered: Option<Pane>,
    /// True if F6 moved the focus to the dialog beside the panels.
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
