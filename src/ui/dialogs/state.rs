//! State of the open dialog and of messages, and its view for the panels.

use std::path::Path;

use super::{
    domain::{Dialog, RecoveryView},
    drafts::{BindView, ConvertView, ExportForeseen, ImportView, LayersThere, PlanView},
    form::capital,
};
use crate::ui::Action;
use ulna_motion::BestSeam;

/// Kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToastKind {
    /// Success.
    Ok,
    /// Information that nothing was done, with the reason.
    Note,
    /// Failure; the message stays until the user closes it.
    Error,
}

/// Message at the lower right of the window.
#[derive(Clone, Debug)]
pub struct Toast {
    /// Kind of the message.
    pub kind: ToastKind,
    /// Text of the message.
    pub text: String,
    /// Time of the message, on egui's clock, in seconds.
    pub said: f64,
    /// Start of the display time, on egui's clock: when the message appeared, or when the pointer
    /// left it.
    pub since: f64,
    /// Number of times that the message occurred.
    pub times: u32,
    /// Buttons: label and action.
    pub verbs: Vec<(&'static str, Action)>,
}

impl Toast {
    /// Adds text about the same action. The message takes the more severe kind, and the text of the
    /// less severe kind comes first.
    fn add(&mut self, kind: ToastKind, text: String, verbs: Vec<(&'static str, Action)>) {
        let rank = |kind: ToastKind| match kind {
            ToastKind::Ok => 0,
            ToastKind::Note => 1,
            ToastKind::Error => 2,
        };
        let whole = |text: &str| {
            if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
        };
        let (first, second) = if rank(kind) < rank(self.kind) {
            (text.as_str(), self.text.as_str())
        } else {
            (self.text.as_str(), text.as_str())
        };
        // The title of the command is said once.
        let title = first.split_once(": ").map(|(title, _)| title);
        let same = title.and_then(|title| second.strip_prefix(title)?.strip_prefix(": "));
        let second = same.map_or_else(|| second.to_owned(), capital);
        self.text = format!("{} {second}", whole(first));
        if rank(kind) > rank(self.kind) {
            self.kind = kind;
        }
        self.verbs.extend(verbs);
    }
}

/// Open dialog and messages.
#[derive(Clone, Debug, Default)]
pub struct Dialogs {
    /// Open dialog.
    pub open: Option<Dialog>,
    /// Messages, newest last.
    pub toasts: Vec<Toast>,
}

/// Read-only view of the dialogs for the panels.
#[derive(Clone, Copy, Debug)]
pub struct DialogsView<'a> {
    /// Open dialog.
    pub open: Option<&'a Dialog>,
    /// Messages.
    pub toasts: &'a [Toast],
    /// Forecast of the configured export, once computed.
    pub foreseen: Option<&'a ExportForeseen>,
    /// Content of the file that a form names, once read.
    pub there: Option<&'a LayersThere>,
    /// Effects of the skeleton command in the open form.
    pub plan: PlanView<'a>,
    /// State of the *Bind* panel.
    pub bind: BindView<'a>,
    /// Files and clips in the import dialog.
    pub import: Option<&'a ImportView>,
    /// Rendered preview of a non-glTF file.
    pub convert: ConvertView,
    /// Best transition points between clips.
    pub seams: &'a [BestSeam],
    /// Unsaved work of crashed sessions.
    pub recoveries: &'a [RecoveryView],
    /// Folder of the journals.
    pub journal_home: Option<&'a Path>,
}

impl Dialogs {
    /// Whether the open dialog blocks the panels.
    pub fn covers(&self) -> bool {
        self.open.as_ref().is_some_and(|d| !d.is_loose())
    }

    /// Adds a message at a time of egui's clock. A repeated message is counted and moves to the
    /// end. Messages of the same frame are merged. Among too many messages, errors are kept the
    /// longest.
    pub fn say(
        &mut self,
        now: f64,
        kind: ToastKind,
        text: String,
        verbs: Vec<(&'static str, Action)>,
    ) {
        const MOST: usize = 5;
        if let Some(last) =
            self.toasts.last_mut().filter(|t| t.said == now && t.times == 1 && t.text != text)
        {
            last.add(kind, text, verbs);
            return;
        }
        let same = self
            .toasts
            .iter()
            .position(|t| t.kind == kind && t.text == text)
            .map(|k| self.toasts.remove(k));
        let times = same.map_or(0, |t| t.times) + 1;
        self.toasts.push(Toast { kind, text, said: now, since: now, times, verbs });
        if self.toasts.len() > MOST {
            let oldest = self.toasts.iter().position(|t| t.kind != ToastKind::Error).unwrap_or(0);
            self.toasts.remove(oldest);
        }
    }

    /// Removes expired messages; errors stay until they are closed. Returns the seconds until the
    /// next one expires.
    pub fn age(&mut self, now: f64) -> Option<f64> {
        const STAY: f64 = 6.0;
        self.toasts.retain(|t| t.kind == ToastKind::Error || now - t.since < STAY);
        let goes =
            self.toasts.iter().filter(|t| t.kind != ToastKind::Error).map(|t| t.since + STAY - now);
        goes.min_by(f64::total_cmp)
    }

    /// Restarts the display time of a message, because the pointer is over it.
    pub fn hold(&mut self, now: f64, toast: usize) {
        if let Some(toast) = self.toasts.get_mut(toast) {
            toast.since = now;
        }
    }

    /// Closes a message.
    pub fn close(&mut self, toast: usize) {
        if toast < self.toasts.len() {
            self.toasts.remove(toast);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_about_the_same_command_name_it_once() {
        let mut dialogs = Dialogs::default();
        let note = "Clean contacts: largest sliding in 1 contact: 2.0 cm before.".to_owned();
        dialogs.say(1.0, ToastKind::Note, note, Vec::new());
        dialogs.say(1.0, ToastKind::Ok, "Clean contacts: Walk".to_owned(), Vec::new());
        let said = "Clean contacts: Walk. Largest sliding in 1 contact: 2.0 cm before.";
        assert_eq!(dialogs.toasts.iter().map(|t| &*t.text).collect::<Vec<_>>(), [said]);
        dialogs.say(2.0, ToastKind::Ok, "Rename: arm".to_owned(), Vec::new());
        dialogs.say(2.0, ToastKind::Note, "Clean up: nothing to do.".to_owned(), Vec::new());
        assert_eq!(dialogs.toasts[1].text, "Rename: arm. Clean up: nothing to do.");
    }
}
