//! Saves are carried out one at a time, beside the window. What is written is taken from the
//! document when its save begins, with what is known of the file then; none is dropped, and none is
//! left behind when another file is opened.

use egui::Context;

use super::{
    App,
    files::name_of,
    jobs::JobResult,
    save_queue::{Purpose, QueuedSave, SaveTo},
};
use crate::ui::{DeferredAction, Dialog, ToastKind};
use ulna_session::{SaveRequest, SavedFile, Session, incremented};

impl App {
    /// Whether a save is running or queued.
    pub(super) fn is_saving(&self) -> bool {
        self.jobs.save.is_some() || !self.saves.is_empty()
    }

    /// Puts a save at the end of the queue; it begins at once where there is no other.
    pub(super) fn queue_save(
        &mut self,
        ctx: &Context,
        to: SaveTo,
        request: SaveRequest,
        purpose: Purpose,
    ) {
        self.end_gesture(ctx);
        let Some(session) = &self.session else { return };
        let save = QueuedSave { session: session.id(), to, request, purpose };
        // One that waits will write the document as it is by then, and so what another one would.
        let is_same = save.to == SaveTo::Own && self.saves.waiting.back() == Some(&save);
        if !is_same {
            self.saves.waiting.push_back(save);
        }
        self.begin_save(ctx);
    }

    /// Starts the next save if none is running. Waits for the end of a gesture, because a gesture
    /// is one step.
    pub(super) fn begin_save(&mut self, ctx: &Context) {
        if self.jobs.save.is_some()
            || self.saves.waiting.front().is_none()
            || self.is_gesture_open()
        {
            return;
        }
        let Some(mut save) = self.saves.waiting.pop_front() else { return };
        let disk = self.files.disk.clone();
        let Some(session) = self.session_of(save.session) else { return };
        match (&save.to, session.path()) {
            (SaveTo::Own, Some(path)) => save.request.path = path.to_owned(),
            (SaveTo::NextNumber, Some(path)) => save.request.path = incremented(path),
            (SaveTo::Asked, _) | (_, None) => {}
        }
        let saving = match save.purpose {
            Purpose::Own => session.saving(save.request.clone()),
            Purpose::Copy => session.saving_copy(save.request.clone()),
        };
        self.saves.running = Some(save.session);
        let label = format!("Saving {}", name_of(&save.request.path));
        self.start_save(ctx, label, move |_| {
            JobResult::Saved(saving.run(&*disk).map(Box::new), save)
        });
    }

    /// The session of a number: the one that is shown, or one that has saves to come.
    fn session_of(&mut self, id: u64) -> Option<&mut Session> {
        self.session.iter_mut().chain(&mut self.saves.parted).find(|s| s.id() == id)
    }

    /// Parts with the session that is shown: for good, or until its saves are done.
    pub(super) fn part_with_session(&mut self) {
        let Some(session) = self.session.take() else { return };
        if self.saves.has(session.id()) {
            self.saves.parted.push(session);
        } else {
            end_journal(session);
        }
    }

    /// Reports the result of a save to its session. Returns whether that session is displayed.
    pub(super) fn tell_saved(&mut self, save: &QueuedSave, saved: Option<&SavedFile>) -> bool {
        self.saves.running = None;
        let shown = self.session.as_ref().is_some_and(|s| s.id() == save.session);
        if let (Some(saved), Some(session)) = (saved, self.session_of(save.session)) {
            // A copy over the file itself is a save.
            let is_own = save.purpose == Purpose::Own || session.is_at(&saved.path);
            if is_own {
                session.take_saved(saved);
            }
        }
        if !shown && !self.saves.has(save.session) {
            let at = self.saves.parted.iter().position(|s| s.id() == save.session);
            let parted = at.map(|at| self.saves.parted.remove(at));
            // What failed is in the journal still, and is offered at the next start.
            if let Some(session) = parted.filter(|_| saved.is_some()) {
                end_journal(session);
            }
        }
        shown
    }

    /// Asks about a save that was refused, now or when the dialog that is open is closed.
    pub(super) fn ask_about_refused(&mut self, dialog: Dialog) {
        if self.dialogs.open.is_none() {
            self.dialogs.open = Some(dialog);
        } else {
            self.saves.refused.push_back(dialog);
        }
    }

    /// Continues after saves that finished in the previous frame: further saves, dialogs about
    /// them, and closing the window.
    pub(super) fn follow_saves(&mut self, ctx: &Context) {
        if self.dialogs.open.is_none() && self.files.browsing.is_none() {
            self.dialogs.open = self.saves.refused.pop_front();
        }
        self.begin_save(ctx);
        if self.window.closes_after_work && !self.is_writing() {
            self.window.closes_after_work = false;
            if self.window.may_close {
                self.perform(ctx, DeferredAction::Quit);
            } else {
                self.wish(ctx, DeferredAction::Quit);
            }
        }
    }

    /// Whether files are being written, or are to be.
    pub(super) fn is_writing(&self) -> bool {
        self.is_saving() || self.jobs.is_writing()
    }

    /// The window is to close, and files are being written: it closes after them.
    pub(super) fn close_after_work(&mut self, ctx: &Context) {
        if !std::mem::replace(&mut self.window.closes_after_work, true) {
            let what =
                self.jobs.shown().map_or_else(|| "Saving".to_owned(), |job| job.label.clone());
            self.toast(
                ctx,
                ToastKind::Note,
                format!("{what} is still running. The window will close when it finishes."),
            );
        }
    }
}

fn end_journal(mut session: Session) {
    if let Err(error) = session.end_journal() {
        log::warn!("the journal could not be removed: {error}");
    }
}
