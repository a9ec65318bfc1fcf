//! Runs long commands in the background, and applies their results.

use egui::Context;

use super::{
    App, LONG,
    jobs::{JobResult, Offered, Title},
};
use crate::ui::{Action, DialogAction, ToastKind};
use ulna_edit::Command;
use ulna_session::{NotTaken, RunError, Session, Worked};

impl App {
    /// Runs commands on vertices as one undo step, in the background if the model is large.
    pub(super) fn run_on_vertices(&mut self, ctx: &Context, title: Title, commands: Vec<Command>) {
        let Some(session) = &mut self.session else { return };
        if session.document().meshes.values().map(|m| m.vertex_count()).sum::<usize>() > LONG {
            self.run_beside(ctx, title, commands);
            return;
        }
        let done = session.run_all(title.text, &commands);
        self.say_worked(ctx, done, title);
    }

    /// Runs commands in the background.
    pub(super) fn run_beside(
        &mut self,
        ctx: &Context,
        title: impl Into<Title>,
        commands: Vec<Command>,
    ) {
        let title = title.into();
        let Some(session) = &self.session else { return };
        let work = session.work(title.text, commands);
        self.start(ctx, title.text.to_owned(), true, move |progress| {
            let (cancel, permille) = progress.parts();
            JobResult::Worked(Box::new(work.run_reporting(cancel, permille)), title)
        });
    }

    /// Applies the results of long commands, in the order in which they finished. Waits for the end
    /// of an open gesture.
    pub(super) fn put_in_worked(&mut self, ctx: &Context) {
        while !self.is_gesture_open()
            && let Some((worked, title)) = self.jobs.worked.pop_front()
        {
            self.take_worked(ctx, *worked, title);
        }
    }

    fn take_worked(&mut self, ctx: &Context, worked: Worked, title: Title) {
        let Some(session) = &mut self.session else { return };
        let done = match session.take_worked(worked) {
            Err(NotTaken::Changed(worked)) => {
                self.offer_worked(ctx, worked, title);
                return;
            }
            Err(NotTaken::Failed(error)) => Err(error),
            Ok(done) => Ok(done),
        };
        self.after_worked(ctx, done, title);
    }

    fn after_worked(&mut self, ctx: &Context, done: Result<bool, RunError>, title: Title) {
        self.follow_keys(None);
        self.purge_selection();
        let wish = self.files.after_work.take().filter(|_| done.is_ok());
        self.say_worked(ctx, done, title);
        if let Some(wish) = wish {
            self.save_then(ctx, wish);
        }
    }

    /// Reports that the model changed during a computation, and asks what to do with the result.
    fn offer_worked(&mut self, ctx: &Context, worked: Box<Worked>, title: Title) {
        let number = self.jobs.offered.last().map_or(0, |o| o.number + 1);
        self.jobs.offered.push(Offered { number, worked, title });
        let text = format!(
            "{} finished, but you edited the same data while it ran. Apply the result over those \
                edits, or run it again.",
            title.text
        );
        let verb = |again| Action::Dialog(DialogAction::TakeWorked { number, again });
        let verbs = vec![("Apply the result", verb(false)), ("Run again", verb(true))];
        self.say(ctx, ToastKind::Error, text, verbs);
    }

    /// Applies a result or repeats its commands, as the user chose.
    pub(super) fn take_offered(&mut self, ctx: &Context, number: u64, again: bool) {
        let Some(at) = self.jobs.offered.iter().position(|o| o.number == number) else { return };
        self.end_gesture(ctx);
        let Offered { worked, title, .. } = self.jobs.offered.remove(at);
        self.dialogs.toasts.retain(|t| {
            let is_its = |v: &(&str, Action)| {
                matches!(&v.1, Action::Dialog(DialogAction::TakeWorked { number: n, .. }) if *n
                    == number)
            };
            !t.verbs.iter().any(is_its)
        });
        if again {
            self.run_beside(ctx, title, worked.into_commands());
            return;
        }
        let Some(session) = &mut self.session else { return };
        let done = session.put_in(*worked);
        self.after_worked(ctx, done, title);
    }

    fn say_worked(&mut self, ctx: &Context, done: Result<bool, RunError>, title: Title) {
        let Title { text: title, joints } = title;
        let notes = self.session.as_mut().and_then(Session::take_sentence);
        match (done, joints) {
            (Ok(true), Some(many)) if many > 1 => {
                self.toast(ctx, ToastKind::Ok, format!("{title}: {many} joints."))
            }
            (Ok(true), Some(_)) => {
                if let Some(note) = notes {
                    self.toast(ctx, ToastKind::Ok, format!("{title}: {note}."));
                }
            }
            (Ok(true), None) => {
                if let Some(mut note) = notes {
                    if let Some(first) = note.get_mut(..1) {
                        first.make_ascii_uppercase();
                    }
                    self.toast(ctx, ToastKind::Ok, note + ".");
                }
            }
            (Ok(false), _) => {
                let why = notes.unwrap_or_else(|| "nothing to change".into());
                self.toast(ctx, ToastKind::Note, format!("{title}: {why}."));
            }
            (Err(error), _) => {
                self.toast(ctx, ToastKind::Error, format!("{title} failed: {error}."))
            }
        }
    }
}
