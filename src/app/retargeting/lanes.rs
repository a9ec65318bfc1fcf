//! Background jobs of the *Retarget* page: the shown clip, and the summary of all chosen clips.
//! Jobs with outdated choices are dropped or stopped.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
    mpsc,
};

use egui::Context;

use super::engine::{self, Bodies, ChosenClips};
use crate::ui::{RetargetResult, RetargetSummary};
use ulna_model::{ClipId, Goal, RetargetMap};
use ulna_motion::retarget::RetargetKeys;

/// Inputs of the job for the shown clip.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Inputs {
    pub map: RetargetMap,
    /// Index of the source clip.
    pub clip: usize,
    /// Manually changed contacts of the clip, if any.
    pub contacts: Option<Arc<[Goal]>>,
    /// Serial numbers of the source and of the target.
    pub bodies: [u64; 2],
}

/// Inputs of the job for the summary.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SummaryInputs {
    pub map: RetargetMap,
    pub clips: ChosenClips,
    /// Serial numbers of the source and of the target.
    pub bodies: [u64; 2],
}

/// A running job.
struct Running<I, T> {
    inputs: I,
    result: mpsc::Receiver<T>,
    stop: Arc<AtomicBool>,
}

impl<I, T> Drop for Running<I, T> {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl<I, T: Send + 'static> Running<I, T> {
    fn begin(
        ctx: &Context,
        inputs: I,
        work: impl FnOnce(&AtomicBool) -> Option<T> + Send + 'static,
    ) -> std::io::Result<Self> {
        let (sender, result) = mpsc::sync_channel(1);
        let stop = Arc::new(AtomicBool::new(false));
        let (stopped, waker) = (Arc::clone(&stop), ctx.clone());
        let run = move || {
            if let Some(made) = work(&stopped)
                && sender.send(made).is_ok()
            {
                waker.request_repaint();
            }
        };
        std::thread::Builder::new().name("retarget".into()).spawn(run)?;
        Ok(Self { inputs, result, stop })
    }
}

/// Jobs that retarget the shown clip.
#[derive(Default)]
pub(super) struct PreviewLane {
    running: Option<Running<Inputs, RetargetResult>>,
    found: Option<(Inputs, RetargetResult)>,
    /// Serial number of the last result.
    serial: u64,
    /// Inputs that made a job fail. They are not tried again.
    failed: Option<Inputs>,
}

impl PreviewLane {
    /// The last result.
    pub(super) fn result(&self) -> Option<&RetargetResult> {
        self.found.as_ref().map(|(_, result)| result)
    }

    /// Whether a job is running.
    pub(super) const fn is_busy(&self) -> bool {
        self.running.is_some()
    }

    /// Serial number of the last result.
    pub(super) const fn serial(&self) -> u64 {
        self.serial
    }

    /// True if the last result has these inputs.
    pub(super) fn is_of(&self, inputs: &Inputs) -> bool {
        self.found.as_ref().is_some_and(|(of, _)| of == inputs)
    }

    /// Takes the result of a finished job. If none is running, starts a job with these inputs.
    pub(super) fn follow(
        &mut self,
        ctx: &Context,
        bodies: &Bodies,
        inputs: Inputs,
        clips: &[ClipId],
    ) {
        if let Some(running) = &self.running {
            match running.result.try_recv() {
                Ok(result) => {
                    let of = running.inputs.clone();
                    (self.found, self.running) = (Some((of, result)), None);
                    self.serial += 1;
                }
                Err(mpsc::TryRecvError::Empty) => return,
                Err(mpsc::TryRecvError::Disconnected) => {
                    log::warn!("a clip could not be retargeted for the preview");
                    self.failed = Some(running.inputs.clone());
                    self.running = None;
                }
            }
        }
        let is_done = self.is_of(&inputs) || self.failed.as_ref() == Some(&inputs);
        let Some(id) = clips.get(inputs.clip).copied().filter(|_| !is_done) else { return };
        let (bodies, of) = (bodies.clone(), inputs.clone());
        let work = move |_: &AtomicBool| {
            Some(engine::preview(&bodies, &of.map, (of.clip, id), of.contacts.as_deref()))
        };
        self.running = Running::begin(ctx, inputs, work)
            .map_err(|error| log::warn!("the preview could not be started: {error}"))
            .ok();
    }
}

/// Jobs that compute the summary of all chosen clips.
#[derive(Default)]
pub(super) struct SummaryLane {
    running: Option<Running<SummaryInputs, RetargetSummary>>,
    found: Option<(SummaryInputs, RetargetSummary)>,
    is_stale: bool,
    /// Inputs that made a job fail. They are not tried again.
    failed: Option<SummaryInputs>,
}

impl SummaryLane {
    /// Whether a job is running.
    pub(super) const fn is_busy(&self) -> bool {
        self.running.is_some()
    }

    /// Stops the running job.
    pub(super) fn stop(&mut self) {
        self.running = None;
    }

    /// The summary, if it matches the current choices.
    pub(super) fn found(&self) -> Option<&RetargetSummary> {
        self.found.as_ref().filter(|_| !self.is_stale).map(|(_, summary)| summary)
    }

    /// Takes the summary of a finished job. If needed, starts a job with these inputs.
    pub(super) fn follow(
        &mut self,
        ctx: &Context,
        bodies: &Bodies,
        inputs: SummaryInputs,
        clips: &[ClipId],
    ) {
        if let Some(running) = &self.running {
            match running.result.try_recv() {
                Ok(summary) => {
                    let of = running.inputs.clone();
                    (self.found, self.running) = (Some((of, summary)), None);
                }
                Err(mpsc::TryRecvError::Empty) if running.inputs == inputs => return,
                Err(mpsc::TryRecvError::Empty) => self.running = None,
                Err(mpsc::TryRecvError::Disconnected) => {
                    self.failed = Some(running.inputs.clone());
                    self.running = None;
                }
            }
        }
        self.is_stale = self.found.as_ref().is_none_or(|(of, _)| *of != inputs);
        if !self.is_stale || inputs.clips.is_empty() || self.failed.as_ref() == Some(&inputs) {
            return;
        }
        let (bodies, of, clips) = (bodies.clone(), inputs.clone(), clips.to_vec());
        let work = move |stop: &AtomicBool| {
            let is_stopped = || stop.load(Ordering::Relaxed);
            let how = (&of.map, RetargetKeys::Source);
            let made = engine::all(&bodies, how, &of.clips, &clips, &is_stopped).ok()??;
            Some(engine::summary(&made))
        };
        self.running = Running::begin(ctx, inputs, work)
            .map_err(|error| log::warn!("the summary could not be started: {error}"))
            .ok();
    }
}
