//! Decides who receives a key: an open menu or dialog, the focused widget, the panel entered last,
//! or the window.

use egui::{Context, Event, Popup};

use super::{App, key_gate::is_panel};
use crate::ui::{Dialog, Pane, loose_focus_id, request_menu_by_key};

/// Topmost receiver of keys, before the panels and the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topmost {
    /// A menu or a drop-down list.
    Popup,
    /// A dialog, or the palette.
    Dialog,
    /// A text field or another focused widget. It receives text, Space, Enter and arrow keys.
    Widget,
    /// Nothing is open or focused, so the panels receive the keys.
    Panels,
}

impl App {
    /// Reads the keys of the frame before any panel runs, and updates the panel entered last.
    pub(super) fn begin_keys(&mut self, ctx: &Context) {
        let back = std::mem::take(&mut self.window.routing.kept().back);
        let (at, entered) = ctx.input_mut(|i| {
            i.events.extend(back);
            let moved = i.events.iter().any(|e| matches!(e, Event::PointerMoved(_)));
            (i.pointer.latest_pos(), moved || i.pointer.any_pressed())
        });
        // A menu covers panels, so the pointer does not enter them.
        let entered = entered && !Popup::is_any_open(ctx);
        if let Some(pane) = at.filter(|_| entered).and_then(|at| self.panels.layout().pane_at(at)) {
            self.window.routing.entered = Some(pane);
            self.window.routing.in_dialog = false;
        }
    }

    /// Opens a context menu if the menu key or `Shift+F10` is pressed: that of the focused widget,
    /// of its panel or, without a focus, of the selection.
    pub(super) fn context_menu_key(&self, ctx: &Context) {
        if self.program.welcome || self.retargeting.is_some() {
            return;
        }
        let entered = match self.entered() {
            _ if self.dialogs.covers() => None,
            Some(Pane::Timeline) => Some(Pane::Timeline),
            _ => Some(Pane::Viewport),
        };
        let layout = self.panels.layout();
        request_menu_by_key(ctx, entered, |at| layout.pane_at(at));
    }

    /// The topmost receiver of keys in this frame.
    pub(super) fn topmost(&self, ctx: &Context) -> Topmost {
        let focused = ctx.memory(|m| m.focused());
        match () {
            () if Popup::is_any_open(ctx) => Topmost::Popup,
            () if self.dialogs.covers() => Topmost::Dialog,
            () if focused.is_some() && !is_panel(focused) => Topmost::Widget,
            () => Topmost::Panels,
        }
    }

    /// True if a panel as a whole has the keyboard focus.
    pub(super) fn is_on_panel(&self, ctx: &Context) -> bool {
        is_panel(ctx.memory(|m| m.focused()))
    }

    /// The panel that was entered last.
    pub(super) const fn entered(&self) -> Option<Pane> {
        self.window.routing.entered
    }

    /// True if Escape already has another effect, such as canceling typed text or removing the
    /// focus.
    pub(super) fn escape_is_taken(&self) -> bool {
        self.window.routing.kept().focused.is_some() || self.panels.holds_escape()
    }

    /// Records the state that decides the key routing of the next frame.
    pub(super) fn end_keys(&self, ctx: &Context) {
        let mut kept = self.window.routing.kept();
        (kept.focused, kept.dialog) = (ctx.memory(|m| m.focused()), self.dialogs.covers());
        kept.painting = self.mode.spec().paints_weights;
    }

    /// Moves the keyboard focus to the next or previous visible panel. An open dialog beside the
    /// panels counts as the last one.
    pub(super) fn next_panel(&mut self, ctx: &Context, back: bool) {
        let reachable = self.panels.layout().reachable();
        let loose = self.dialogs.open.as_ref().is_some_and(Dialog::is_loose);
        let seen: Vec<Option<Pane>> =
            reachable.into_iter().map(Some).chain(loose.then_some(None)).collect();
        let routing = &mut self.window.routing;
        let at = match (routing.in_dialog && loose, routing.entered) {
            (true, _) => seen.len().checked_sub(1),
            (false, entered) => entered.and_then(|p| seen.iter().position(|s| *s == Some(p))),
        };
        let step = if back { seen.len().saturating_sub(1) } else { 1 };
        let next = at.map_or_else(|| seen.first(), |at| seen.get((at + step) % seen.len()));
        let Some(next) = next.copied() else { return };
        log::debug!("the keyboard goes to {next:?}");
        routing.in_dialog = next.is_none();
        routing.entered = next.or(routing.entered);
        if let Some(pane) = next {
            self.panels.layout_mut().bring_forward(pane);
        }
        let focus = next.map_or_else(loose_focus_id, Pane::focus_id);
        ctx.memory_mut(|m| m.request_focus(focus));
    }
}
