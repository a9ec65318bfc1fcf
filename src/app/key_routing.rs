//! Who gets a key: the topmost thing that is open, the widget that has the focus, the panel last
//! entered, the window.
//!
//! egui gives Tab to its focus before any panel runs. Here it is kept back where no field and no
//! list wants it, and put back when the focus has been settled, so that it is a key like any other.

use std::sync::{Arc, Mutex, PoisonError};

use egui::{Context, Event, Id, Key, PointerButton, Popup, RawInput};

use super::App;
use crate::ui::Pane;

/// What is kept from frame to frame, shared with the plugin.
#[derive(Debug, Default)]
struct Kept {
    /// What had the focus when the frame before ended: egui takes it away on Escape before anybody
    /// can ask.
    focused: Option<Id>,
    /// A dialog or the palette was open.
    dialog: bool,
    /// Keys that egui's focus does not get.
    back: Vec<Event>,
    /// Keys that came after a click and wait until it is known whether a field got the focus.
    after_click: Vec<Event>,
    /// Frames that they wait yet.
    wait: u8,
}

/// Frames from a click until the field that it opens has the focus: in the first it is asked for,
/// in the second it is there.
const FOCUS_FRAMES: u8 = 2;

/// Whether an event is typed, or is what typing means.
const fn is_typed(event: &Event) -> bool {
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

    fn input_hook(&mut self, ctx: &Context, input: &mut RawInput) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
fn is_panel(focused: Option<Id>) -> bool {
    focused.is_some_and(|id| Pane::ALL.iter().any(|p| p.focus_id() == id))
}

/// The window's half.
#[derive(Debug, Default)]
pub(super) struct KeyRouting {
    kept: Arc<Mutex<Kept>>,
    /// The panel that the pointer, or F6, entered last.
    entered: Option<Pane>,
}

/// What takes keys before the panels and the window do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topmost {
    /// A menu or a drop-down list.
    Popup,
    /// A dialog, or the palette.
    Dialog,
    /// A field or another widget that has the focus: what is typed, Space, Enter and arrows are its
    /// own.
    Widget,
    /// Nothing.
    Panels,
}

impl KeyRouting {
    pub fn install(&self, ctx: &Context) {
        ctx.add_plugin(Gate(self.kept.clone()));
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl App {
    /// Takes up the frame's keys, before any panel runs.
    pub(super) fn begin_keys(&mut self, ctx: &Context) {
        let back = std::mem::take(&mut self.window.routing.kept().back);
        let (at, entered) = ctx.input_mut(|i| {
            i.events.extend(back);
            let moved = i.events.iter().any(|e| matches!(e, Event::PointerMoved(_)));
            (i.pointer.latest_pos(), moved || i.pointer.any_pressed())
        });
        if let Some(pane) = at.filter(|_| entered).and_then(|at| self.panels.layout().pane_at(at)) {
            self.window.routing.entered = Some(pane);
        }
    }

    /// What takes keys before the panels do.
    pub(super) fn topmost(&self, ctx: &Context) -> Topmost {
        let focused = ctx.memory(|m| m.focused());
        match () {
            () if Popup::is_any_open(ctx) => Topmost::Popup,
            () if self.dialogs.covers() => Topmost::Dialog,
            () if focused.is_some() && !is_panel(focused) => Topmost::Widget,
            () => Topmost::Panels,
        }
    }

    /// Whether the keyboard is in a panel as a whole.
    pub(super) fn is_on_panel(&self, ctx: &Context) -> bool {
        is_panel(ctx.memory(|m| m.focused()))
    }

    /// The panel that was entered last.
    pub(super) const fn entered(&self) -> Option<Pane> {
        self.window.routing.entered
    }

    /// Whether Escape has something else to end: what was typed, or the focus of a widget.
    pub(super) fn escape_is_taken(&self) -> bool {
        self.window.routing.kept().focused.is_some()
    }

    /// Remembers what the next frame's keys are judged by.
    pub(super) fn end_keys(&self, ctx: &Context) {
        let mut kept = self.window.routing.kept();
        (kept.focused, kept.dialog) = (ctx.memory(|m| m.focused()), self.dialogs.covers());
    }

    /// Puts the keyboard into the next panel that is seen, or the one before.
    pub(super) fn next_panel(&mut self, ctx: &Context, back: bool) {
        let layout = self.panels.layout();
        let seen: Vec<Pane> = Pane::ALL.into_iter().filter(|p| layout.rect(*p).is_some()).collect();
        let at = self.window.routing.entered.and_then(|p| seen.iter().position(|s| *s == p));
        let step = if back { seen.len().saturating_sub(1) } else { 1 };
        if let Some(pane) =
            at.map_or_else(|| seen.first(), |at| seen.get((at + step) % seen.len())).copied()
        {
            log::debug!("the keyboard goes to {pane:?}");
            self.window.routing.entered = Some(pane);
            ctx.memory_mut(|m| m.request_focus(pane.focus_id()));
        }
    }
}
