//! Starts and finishes background jobs. There are two lanes: saves run at once, and all other jobs
//! wait in a queue. All jobs show their progress, and can be canceled if no data is lost.

use std::sync::mpsc;

use egui::Context;

use super::{
    App,
    jobs::{Job, JobResult, Polled, Waiting, spawn},
};
use crate::ui::{Dialog, ToastKind};
use ulna_formats::gltf::{Progress, ReadError};

impl App {
    /// Starts a long job, or queues it after the running job.
    pub(super) fn start(
        &mut self,
        ctx: &Context,
        label: String,
        cancelable: bool,
        work: impl FnOnce(&Progress) -> JobResult + Send + 'static,
    ) {
        self.start_waiting(ctx, Waiting { label, cancelable, writes: false, work: Box::new(work) });
    }

    /// Like [`App::start`], for jobs that write files at the user's request.
    pub(super) fn start_writing(
        &mut self,
        ctx: &Context,
        label: String,
        work: impl FnOnce(&Progress) -> JobResult + Send + 'static,
    ) {
        self.start_waiting(
            ctx,
            Waiting { label, cancelable: true, writes: true, work: Box::new(work) },
        );
    }

    fn start_waiting(&mut self, ctx: &Context, waiting: Waiting) {
        if self.jobs.work.is_some() {
            self.jobs.waiting.push_back(waiting);
            return;
        }
        self.jobs.work = self.spawned(ctx, waiting);
    }

    /// Starts a save. The queue ensures that no other save is running.
    pub(super) fn start_save(
        &mut self,
        ctx: &Context,
        label: String,
        work: impl FnOnce(&Progress) -> JobResult + Send + 'static,
    ) {
        let waiting = Waiting { label, cancelable: false, writes: true, work: Box::new(work) };
        self.jobs.save = self.spawned(ctx, waiting);
    }

    fn spawned(&mut self, ctx: &Context, waiting: Waiting) -> Option<Job> {
        let label = waiting.label.clone();
        match spawn(ctx, waiting) {
            Ok(job) => Some(job),
            Err(error) => {
                self.toast(
                    ctx,
                    ToastKind::Error,
                    format!("{label} could not be started: {error}."),
                );
                None
            }
        }
    }

    /// Cancels the running job if no data is lost, and clears the queue. Jobs that do not check for
    /// cancellation run to their end, and their results are discarded.
    pub(super) fn cancel_jobs(&mut self, ctx: &Context) {
        self.jobs.waiting.retain(|w| !w.cancelable);
        if let Some(job) = self.jobs.work.take_if(|job| job.cancelable) {
            job.progress.cancel();
            self.toast(ctx, ToastKind::Note, format!("{} was canceled", job.label));
        }
    }

    /// Handles the results of finished jobs, and starts queued jobs.
    pub(super) fn poll_jobs(&mut self, ctx: &Context) {
        let saved = Self::poll(&mut self.jobs.save);
        let worked = Self::poll(&mut self.jobs.work);
        for polled in [saved, worked] {
            match polled {
                Polled::Nothing => {}
                Polled::UnderWay => ctx.request_repaint_after(std::time::Duration::from_millis(60)),
                Polled::Done(done) => {
                    self.take(ctx, *done);
                    ctx.request_repaint();
                }
                Polled::Lost(label) => {
                    // The failed job may have been preparing the next scene.
                    self.renderer.give_up_scene();
                    let text = format!(
                        "{label} failed because of an error in Ulna. The open file is unchanged."
                    );
                    self.toast(ctx, ToastKind::Error, text);
                }
            }
        }
        self.put_in_worked(ctx);
        self.follow_saves(ctx);
        if self.jobs.work.is_none()
            && let Some(waiting) = self.jobs.waiting.pop_front()
        {
            self.jobs.work = self.spawned(ctx, waiting);
        }
    }

    fn poll(lane: &mut Option<Job>) -> Polled {
        let Some(job) = lane else { return Polled::Nothing };
        match job.result.try_recv() {
            Err(mpsc::TryRecvError::Empty) => Polled::UnderWay,
            Err(mpsc::TryRecvError::Disconnected) => {
                let label = std::mem::take(&mut job.label);
                *lane = None;
                Polled::Lost(label)
            }
            Ok(done) => {
                *lane = None;
                Polled::Done(Box::new(done))
            }
        }
    }

    /// Handles the result of a long job.
    pub(super) fn take(&mut self, ctx: &Context, done: JobResult) {
        match done {
            JobResult::Opened(Ok(loaded), path) => self.take_opened(ctx, *loaded, path),
            JobResult::Found(arriving) => self.found(ctx, arriving),
            JobResult::Opened(Err(ReadError::Canceled), _) => {}
            JobResult::Opened(Err(error), path) => self.say_unopened(ctx, &error, path),
            JobResult::Saved(result, save) => self.take_saved(ctx, result, save),
            JobResult::Filmed(result) => self.took_pictures(ctx, result),
            JobResult::Exported(result, request) => self.take_exported(ctx, result, request),
            JobResult::Listed(Ok(lines)) => self.dialogs.open = Some(Dialog::Changes { lines }),
            JobResult::Listed(Err(error)) => {
                self.toast(
                    ctx,
                    ToastKind::Error,
                    format!("The changes could not be listed: {error}."),
                );
            }
            JobResult::Seams(found, tree) => self.take_seams(ctx, found, &tree),
            JobResult::Worked(worked, title) => {
                self.jobs.worked.push_back((worked, title));
                self.put_in_worked(ctx);
            }
            JobResult::Reloaded(result) => self.take_reloaded(ctx, result),
            JobResult::Recovered(result, name) => self.take_recovered(ctx, result, &name),
            JobResult::Blamed(step, request, message) => {
                self.take_blamed(ctx, step, request, message)
            }
            JobResult::Retargeted(done) => self.take_retargeted(ctx, *done),
            JobResult::Referenced(loaded, request) => self.take_reference(ctx, loaded, *request),
            JobResult::Foreseen(found) => self.take_outlook(found),
            JobResult::Remade(remade) => self.take_remade(*remade),
            JobResult::Searched(found, serial) => {
                if let Some(mut brush) = self.brush_context(ctx) {
                    brush.take_search(found, serial);
                }
            }
        }
    }
}
