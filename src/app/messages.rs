//! Messages (toasts) in the window.

use egui::Context;

use crate::ui::{Action, Dialogs, ToastKind};

/// Access to the messages of the window.
pub(super) struct Messages<'a> {
    pub(super) dialogs: &'a mut Dialogs,
    pub(super) ctx: &'a Context,
}

impl Messages<'_> {
    /// Shows a message.
    pub(super) fn toast(&mut self, kind: ToastKind, text: impl Into<String>) {
        let text = text.into();
        if kind == ToastKind::Error {
            log::warn!("{text}");
        }
        self.say(kind, text, Vec::new());
    }

    /// Shows a message with buttons.
    pub(super) fn say(
        &mut self,
        kind: ToastKind,
        text: String,
        verbs: Vec<(&'static str, Action)>,
    ) {
        self.dialogs.say(self.ctx.input(|i| i.time), kind, text, verbs);
        self.ctx.request_repaint();
    }
}
