//! The dialog that is open, and messages; and what panels see of them.

use std::path::Path;

use super::{
    domain::{Dialog, RecoveryView},
    drafts::{BindView, ConvertView, ExportForeseen, ImportView, LayersThere, PlanView},
};
use crate::ui::Action;
use ulna_motion::BestSeam;

/// Kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToastKind {
    /// Success.
    Ok,
    /// There was nothing to do, and why.
    Note,
    /// Failure; the message stays until closed.
    Error,
}

/// A message.
#[derive(Clone, Debug)]
pub struct Toast {
    /// Kind of the message.
    pub kind: ToastKind,
    /// A sentence.
    pub text: String,
    /// Time of the message, on egui's clock, in seconds.
    pub said: f64,
    /// Start of the display time, on egui's clock: when the message appeared, or when the pointer
    /// left it.
    pub since: f64,
    /// Number of times it was shown.
    pub times: u32,
    /// Buttons: label and action.
    pub verbs: Vec<(&'static str, Action)>,
}

impl Toast {
    /// Adds text about the same action. The more severe kind applies, and successes come first.
    fn add(&mut self, kind: ToastKind, text: String, verbs: Vec<(&'static str, Action)>) {
        let rank = |kind: ToastKind| match kind {
            ToastKind::Ok => 0,
            ToastKind::Note => 1,
            ToastKind::Error => 2,
        };
        let whole = |text: &str| {
            if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
        };
        self.text = if rank(kind) < rank(self.kind) {
            format!("{} {}", whole(&text), self.text)
        } else {
            format!("{} {text}", whole(&self.text))
        };
        if rank(kind) > rank(self.kind) {
            self.kind = kind;
        }
        self.verbs.extend(verbs);
    }
}

/// The dialog that is open, and messages.
#[derive(Clone, Debug, Default)]
pub struct Dialogs {
    /// The dialog that is open.
    pub open: Option<Dialog>,
    /// Messages, the newest last.
    pub toasts: Vec<Toast>,
}

/// View of the dialogs for the panels.
#[derive(Clone, Copy, Debug)]
pub struct DialogsView<'a> {
    /// The dialog that is open.
    pub open: Option<&'a Dialog>,
    /// Messages.
    pub toasts: &'a [Toast],
    /// Size and problems of the export that is set up, once known.
    pub foreseen: Option<&'a ExportForeseen>,
    /// Content of the file that a form names, once known.
    pub there: Option<&'a LayersThere>,
    /// Effects of the command on the skeleton that a form is about.
    pub plan: PlanView<'a>,
    /// The bind of the panel *Bind*.
    pub bind: BindView<'a>,
    /// Clips of other files.
    pub import: Option<&'a ImportView>,
    /// Picture of a file of another format.
    pub convert: ConvertView,
    /// Best transition points between clips.
    pub seams: &'a [BestSeam],
    /// Unsaved work of crashed sessions.
    pub recoveries: &'a [RecoveryView],
    /// Folder of the journals.
    pub journal_home: Option<&'a Path>,
}

impl Dialogs {
    /// Whether what is open has the window to itself.
    pub fn covers(&self) -> bool {
        self.open.as_ref().is_some_and(|d| !d.is_loose())
    }

    /// Adds a message at a time of egui's clock. What is said again is counted, and the newest;
    /// errors stay the longest. What one act says, all in one frame, is one message.
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

    /// Messages go by themselves, but errors stay until they are closed. Seconds until the next one
    /// goes.
    pub fn age(&mut self, now: f64) -> Option<f64> {
        const STAY: f64 = 6.0;
        self.toasts.retain(|t| t.kind == ToastKind::Error || now - t.since < STAY);
        let goes =
            self.toasts.iter().filter(|t| t.kind != ToastKind::Error).map(|t| t.since + STAY - now);
        goes.min_by(f64::total_cmp)
    }

    /// The pointer is over a message: it stays.
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
