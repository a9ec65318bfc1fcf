//! Computes the result of commands in the background before they are applied.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use egui::Context;

use ulna_edit::Command;
use ulna_session::{Session, Worked};

/// Commands whose result is computed in the background. `K` identifies the commands and the
/// document.
pub(super) struct WorkAhead<K> {
    wanted: Option<K>,
    /// Time of the last change of the requested commands in seconds, on egui's clock.
    since: f64,
    job: Option<RunningWork<K>>,
    found: Option<WorkFound<K>>,
    /// True if the result will be applied when it is ready.
    is_applying: bool,
    /// The commands that the user canceled.
    canceled: Option<K>,
}

impl<K> Default for WorkAhead<K> {
    fn default() -> Self {
        Self {
            wanted: None,
            since: 0.0,
            job: None,
            found: None,
            is_applying: false,
            canceled: None,
        }
    }
}

/// A running computation. Dropping it cancels it.
struct RunningWork<K> {
    of: K,
    cancel: Arc<AtomicBool>,
    /// Progress in thousandths.
    progress: Arc<AtomicU32>,
    result: mpsc::Receiver<(Worked, f64)>,
}

impl<K> Drop for RunningWork<K> {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
    }
}

/// A result, or the reason why there is none.
pub(super) struct WorkFound<K> {
    /// The commands and the document of the result.
    pub(super) of: K,
    /// The result, or the reason for a failure, without a trailing period.
    pub(super) worked: Result<Box<Worked>, String>,
    /// Duration of the computation, in seconds.
    pub(super) seconds: f64,
}

/// Options for starting a computation.
pub(super) struct Pace<'a> {
    /// Delay in seconds between a change and the start of its computation.
    pub(super) settled: f64,
    /// True if the first computation is also delayed.
    pub(super) is_first_late: bool,
    /// Label of the undo step.
    pub(super) label: &'a str,
}

impl<K: Clone + PartialEq> WorkAhead<K> {
    /// The last result.
    pub(super) const fn found(&self) -> Option<&WorkFound<K>> {
        self.found.as_ref()
    }

    /// The requested commands.
    pub(super) const fn wanted(&self) -> Option<&K> {
        self.wanted.as_ref()
    }

    /// True if there is neither a request nor a result.
    pub(super) const fn is_idle(&self) -> bool {
        self.wanted.is_none() && self.found.is_none()
    }

    /// True while a requested result is not ready.
    pub(super) fn is_busy(&self) -> bool {
        self.wanted.is_some() && !self.is_current() && !self.is_canceled()
    }

    /// True if the last result belongs to the requested commands.
    pub(super) fn is_current(&self) -> bool {
        self.found.as_ref().is_some_and(|f| self.wanted.as_ref() == Some(&f.of))
    }

    /// True if the user canceled the requested computation.
    pub(super) fn is_canceled(&self) -> bool {
        self.canceled.is_some() && self.canceled == self.wanted
    }

    /// Progress of the running computation, 0..=1.
    pub(super) fn progress(&self) -> Option<f32> {
        let job = self.job.as_ref()?;
        Some(job.progress.load(Ordering::Relaxed) as f32 / 1000.0)
    }

    /// Requests the result of commands. `now` is in seconds on egui's clock.
    pub(super) fn want(&mut self, of: K, now: f64) {
        if self.wanted.as_ref() != Some(&of) {
            (self.wanted, self.since, self.is_applying) = (Some(of), now, false);
        }
    }

    /// Drops the request. The last result stays.
    pub(super) fn want_nothing(&mut self) {
        (self.wanted, self.job, self.is_applying) = (None, None, false);
    }

    /// Cancels the computation. It is not restarted for the same commands.
    pub(super) fn cancel(&mut self) {
        if !self.is_current() {
            (self.canceled, self.job, self.is_applying) = (self.wanted.clone(), None, false);
        }
    }

    /// Applies the requested result as soon as it is ready.
    pub(super) fn apply(&mut self) {
        (self.is_applying, self.canceled) = (true, None);
    }

    /// Takes the result of the finished computation. Returns whether there is a new result.
    pub(super) fn poll(&mut self) -> bool {
        let Some(job) = &self.job else { return false };
        let (worked, seconds) = match job.result.try_recv() {
            Err(mpsc::TryRecvError::Empty) => return false,
            Err(mpsc::TryRecvError::Disconnected) => {
                (Err("the computation failed because of an error in Ulna".to_owned()), 0.0)
            }
            Ok((worked, seconds)) => (Ok(Box::new(worked)), seconds),
        };
        let found = WorkFound { of: job.of.clone(), worked, seconds };
        self.job = None;
        let is_wanted = self.wanted.as_ref() == Some(&found.of);
        if is_wanted {
            self.found = Some(found);
        }
        is_wanted
    }

    /// Starts the requested computation after its delay. Returns whether there is a new result,
    /// which is then an error.
    pub(super) fn follow(
        &mut self,
        ctx: &Context,
        session: &Session,
        pace: &Pace<'_>,
        commands: impl FnOnce(&K) -> Result<Vec<Command>, String>,
    ) -> bool {
        let Some(of) = self.wanted.clone() else { return false };
        let runs = self.job.as_ref().is_some_and(|job| job.of == of);
        if self.is_current() || runs || self.is_canceled() {
            return false;
        }
        self.job = None;
        let wait = self.since + pace.settled - ctx.input(|i| i.time);
        let waits = self.found.is_some() || pace.is_first_late;
        if wait > 0.0 && waits && !self.is_applying {
            ctx.request_repaint_after(Duration::from_secs_f64(wait));
            return false;
        }
        match commands(&of).and_then(|commands| start(ctx, session, pace.label, commands)) {
            Ok(Started { cancel, progress, result }) => {
                self.job = Some(RunningWork { of, cancel, progress, result });
                false
            }
            Err(why) => {
                self.found = Some(WorkFound { of, worked: Err(why), seconds: 0.0 });
                true
            }
        }
    }

    /// Returns the result to apply, once it is ready. `None` also for a result without changes.
    pub(super) fn take_applied(&mut self) -> Option<Box<Worked>> {
        if !self.is_applying || !self.is_current() {
            return None;
        }
        self.is_applying = false;
        let changes = |worked: &Worked| matches!(worked.effects(), Ok((true, _)));
        let is_applied = self.found.as_ref()?.worked.as_ref().is_ok_and(|w| changes(w));
        let found = if is_applied { self.found.take() } else { None };
        found?.worked.ok()
    }
}

/// A started computation.
struct Started {
    cancel: Arc<AtomicBool>,
    progress: Arc<AtomicU32>,
    result: mpsc::Receiver<(Worked, f64)>,
}

/// Starts a computation on its own thread.
fn start(
    ctx: &Context,
    session: &Session,
    label: &str,
    commands: Vec<Command>,
) -> Result<Started, String> {
    let work = session.work(label, commands);
    let cancel = Arc::new(AtomicBool::new(false));
    let (sender, result) = mpsc::sync_channel(1);
    let progress = Arc::new(AtomicU32::new(0));
    let (shared, reported, waker) = (cancel.clone(), progress.clone(), ctx.clone());
    let run = move || {
        let started = Instant::now();
        let worked = work.run_reporting(&shared, &reported);
        if sender.send((worked, started.elapsed().as_secs_f64())).is_ok() {
            waker.request_repaint();
        }
    };
    match thread::Builder::new().name("ulna work".into()).spawn(run) {
        Ok(_) => Ok(Started { cancel, progress, result }),
        Err(error) => Err(format!("the computation could not be started: {error}")),
    }
}
