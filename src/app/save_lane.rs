//! Runs saves in the background, one at a time. A save reads the document and the file's state when
//! it starts. Waiting saves are kept, even if another file is opened.

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

    /// Adds a save to the queue. It starts at once if no other save is waiting or running.
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
        // A waiting save will write the current document, so a second identical save is not needed.
        let is_same = save.to == SaveTo::Own && self.saves.waiting.back() == Some(&save);
        if !is_same {
            self.saves.waiting.push_back(save);
        }
        self.begin_save(ctx);
    }

    /// Starts the next save, unless one is running. Waits for the end of an open gesture.
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

    /// The session with an id: the current one, or a closed one with waiting saves.
    fn session_of(&mut self, id: u64) -> Option<&mut Session> {
        self.session.iter_mut().chain(&mut self.saves.parted).find(|s| s.id() == id)
    }

    /// Closes the current session. It is kept until its waiting saves are done.
    pub(super) fn part_with_session(&mut self) {
        let Some(session) = self.session.take() else { return };
        if self.saves.has(session.id()) {
            self.saves.parted.push(session);
        } else {
            end_journal(session);
        }
    }

    /// Tells a session that its save ended. Returns whether it is the current session.
    pub(super) fn tell_saved(&mut self, save: &QueuedSave, saved: Option<&SavedFile>) -> bool {
        self.saves.running = None;
        let shown = self.session.as_ref().is_some_and(|s| s.id() == save.session);
        if let (Some(saved), Some(session)) = (saved, self.session_of(save.session)) {
            // Saving a copy over the open file counts as a save.
            let is_own = save.purpose == Purpose::Own || session.is_at(&saved.path);
            if is_own {
                session.take_saved(saved);
            }
        }
        if !shown && !self.saves.has(save.session) {
            let at = self.saves.parted.iter().position(|s| s.id() == save.session);
            let parted = at.map(|at| self.saves.parted.remove(at));
            // After a failed save, the edits remain in the journal, and are offered at the next
            // launch.
            if let Some(session) = parted.filter(|_| saved.is_some()) {
                end_journal(session);
            }
        }
        shown
    }

    /// Opens a dialog about a refused save, as soon as no other dialog is open.
    pub(super) fn ask_about_refused(&mut self, dialog: Dialog) {
        if self.dialogs.open.is_none() {
            self.dialogs.open = Some(dialog);
        } else {
            self.saves.refused.push_back(dialog);
        }
    }

    /// Continues after finished saves: starts further saves, opens dialogs about refused ones, and
    /// closes the window if requested.
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

    /// True if files are being written or waiting to be written.
    pub(super) fn is_writing(&self) -> bool {
        self.is_saving() || self.jobs.is_writing()
    }

    /// Closes the window after all files are written.
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
