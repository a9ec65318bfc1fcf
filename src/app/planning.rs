//! Planned changes of the skeleton, and their effects, worked out beside the window.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::Instant,
};

use egui::Context;

use super::plan_joints::planned_joints;
use crate::ui::{PlanForeseen, PlanView, PlannedJoint};
use ulna_edit::{
    Command, CommandLine,
    command::{MoveJoint, RigReport},
};
use ulna_model::Document;
use ulna_motion::Pose;
use ulna_session::{Session, Worked};

/// Seconds after a change of the arguments until their effects are worked out.
const SETTLED: f64 = 0.15;

/// The commands of a plan, and the generation of the document.
type PlanOf = (Vec<CommandLine>, u64);

/// Planned changes and their effects: those wanted, those under way, and those found last.
#[derive(Default)]
pub(super) struct Planning {
    /// The planned changes, without that of an open form.
    acts: Vec<CommandLine>,
    wanted: Option<PlanOf>,
    /// Time on egui's clock since when they are wanted.
    since: f64,
    job: Option<PlanJob>,
    found: Option<FoundPlan>,
    /// Whether they are applied once they are found.
    is_applying: bool,
    /// Joints that they change, in the pose that is shown.
    joints: Vec<PlannedJoint>,
    /// Changes with the effects that were found last.
    serial: u64,
}

/// A computation under way; dropping it cancels it.
struct PlanJob {
    of: PlanOf,
    cancel: Arc<AtomicBool>,
    result: mpsc::Receiver<(Worked, f64)>,
}

impl Drop for PlanJob {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
    }
}

struct FoundPlan {
    of: PlanOf,
    /// The result that is applied; `None` where there is none.
    worked: Option<Box<Worked>>,
    foreseen: PlanForeseen,
}

impl FoundPlan {
    fn refused(of: PlanOf, why: String) -> Self {
        Self {
            of,
            worked: None,
            foreseen: PlanForeseen { report: Err(why), note: None, seconds: 0.0, refused_at: None },
        }
    }
}

impl Planning {
    /// The effects as panels show them.
    pub(super) fn view(&self) -> PlanView<'_> {
        PlanView {
            found: self.found.as_ref().map(|f| &f.foreseen),
            is_current: self.is_current(),
            is_computing: self.is_busy(),
            acts: &self.acts,
            joints: &self.joints,
        }
    }

    /// The planned changes, without that of an open form.
    pub(super) fn acts(&self) -> &[CommandLine] {
        &self.acts
    }

    pub(super) fn add(&mut self, act: CommandLine) {
        self.acts.push(act);
    }

    pub(super) fn remove(&mut self, k: usize) {
        if k < self.acts.len() {
            self.acts.remove(k);
        }
    }

    /// Makes a move of the same joints as the last planned change part of that change. Returns
    /// whether it was one.
    pub(super) fn merge_move(&mut self, line: &CommandLine) -> bool {
        let is_same = |last: &&mut CommandLine| {
            let others = |line: &CommandLine| {
                let mut line = line.clone();
                line.arguments.remove("by");
                line
            };
            line.name == MoveJoint::NAME && others(last) == others(line)
        };
        let Some(last) = self.acts.last_mut().filter(is_same) else { return false };
        let by = |line: &CommandLine| -> Option<[f64; 3]> {
            serde_json::from_value(line.arguments.get("by")?.clone()).ok()
        };
        let Some((a, b)) = by(last).zip(by(line)) else { return false };
        let sum = [0, 1, 2].map(|k: usize| a[k] + b[k]);
        last.arguments.insert("by".to_owned(), sum.to_vec().into());
        true
    }

    /// Changes with the effects that were found last.
    pub(super) const fn serial(&self) -> u64 {
        self.serial
    }

    /// The document with the effects that were found last, where they can be applied.
    pub(super) fn document_after(&self) -> Option<&Document> {
        self.found.as_ref()?.worked.as_ref()?.document_after()
    }

    /// Forgets the effects; the planned changes stay.
    pub(super) fn rest(&mut self) {
        if self.wanted.is_some() || self.found.is_some() {
            let acts = std::mem::take(&mut self.acts);
            *self = Self { acts, serial: self.serial + 1, ..Self::default() };
        }
    }

    /// Follows the pose that is shown: where the joints that change are, and where they will be.
    pub(super) fn show_joints(
        &mut self,
        document: &Document,
        pose: &Pose,
        at: impl Fn(&Document) -> Pose,
    ) {
        self.joints.clear();
        let found = self.found.as_ref().filter(|_| self.is_current());
        let Some(worked) = found.and_then(|found| found.worked.as_ref()) else { return };
        let (Some(after), Some(report)) = (worked.document_after(), self.report()) else { return };
        self.joints = planned_joints((document, pose), (after, &at(after)), report);
    }

    /// Whether effects are wanted that are not found yet.
    pub(super) fn is_busy(&self) -> bool {
        self.wanted.is_some() && !self.is_current()
    }

    fn is_current(&self) -> bool {
        self.found.as_ref().is_some_and(|f| self.wanted.as_ref() == Some(&f.of))
    }

    pub(super) fn want(&mut self, of: PlanOf, now: f64) {
        if self.wanted.as_ref() != Some(&of) {
            (self.wanted, self.since, self.is_applying) = (Some(of), now, false);
        }
    }

    /// Applies the effects that are wanted, once they are found.
    pub(super) fn apply(&mut self) {
        self.is_applying = true;
    }

    /// The effects that were found last.
    pub(super) fn report(&self) -> Option<&RigReport> {
        self.found.as_ref()?.foreseen.report.as_ref().ok()?.as_ref()
    }

    /// Takes up the result of the computation that has ended.
    pub(super) fn poll(&mut self) {
        let Some(job) = &self.job else { return };
        let found = match job.result.try_recv() {
            Err(mpsc::TryRecvError::Empty) => return,
            Err(mpsc::TryRecvError::Disconnected) => {
                let why = "the computation failed because of an error in Ulna".to_owned();
                FoundPlan::refused(job.of.clone(), why)
            }
            Ok((worked, seconds)) => FoundPlan {
                of: job.of.clone(),
                foreseen: PlanForeseen::of(&worked, seconds),
                worked: Some(Box::new(worked)),
            },
        };
        self.job = None;
        if self.wanted.as_ref() == Some(&found.of) {
            self.found = Some(found);
            self.serial += 1;
        }
    }

    /// Begins the computation of the effects that are wanted, once the arguments have settled.
    pub(super) fn follow(&mut self, ctx: &Context, session: &Session) {
        let Some(of) = self.wanted.clone() else { return };
        if self.is_current() || self.job.as_ref().is_some_and(|job| job.of == of) {
            return;
        }
        self.job = None;
        let wait = self.since + SETTLED - ctx.input(|i| i.time);
        if wait > 0.0 && self.found.is_some() && !self.is_applying {
            ctx.request_repaint_after(std::time::Duration::from_secs_f64(wait));
            return;
        }
        let commands: Result<Vec<Command>, _> = of.0.iter().map(Command::read).collect();
        let commands = match commands {
            Ok(commands) => commands,
            Err(error) => {
                self.found = Some(FoundPlan::refused(of, error.to_string()));
                return;
            }
        };
        let label = match &commands[..] {
            [one] => one.spec().title.trim_end_matches('…').to_owned(),
            several => format!("{} changes of the skeleton", several.len()),
        };
        let work = session.work(&label, commands);
        let cancel = Arc::new(AtomicBool::new(false));
        let (sender, result) = mpsc::sync_channel(1);
        let (shared, waker) = (cancel.clone(), ctx.clone());
        let run = move || {
            let started = Instant::now();
            let worked = work.run_until(&shared);
            if sender.send((worked, started.elapsed().as_secs_f64())).is_ok() {
                waker.request_repaint();
            }
        };
        match thread::Builder::new().name("ulna plan".into()).spawn(run) {
            Ok(_) => self.job = Some(PlanJob { of, cancel, result }),
            Err(error) => {
                let why = format!("the computation could not be started: {error}");
                self.found = Some(FoundPlan::refused(of, why));
            }
        }
    }

    /// The result that is to be applied, once it is found.
    pub(super) fn take_applied(&mut self) -> Option<Box<Worked>> {
        if !self.is_applying || !self.is_current() {
            return None;
        }
        self.is_applying = false;
        let found = self.found.as_mut().filter(|f| matches!(f.foreseen.report, Ok(Some(_))))?;
        found.worked.take()
    }
}
