//! Planned changes of the skeleton. Their effects are computed in the background.

use egui::Context;

use super::{
    plan_joints::planned_joints,
    work_ahead::{Pace, WorkAhead},
};
use crate::ui::{PlanForeseen, PlanView, PlannedJoint};
use ulna_edit::{
    Command, CommandLine,
    command::{MoveJoint, RigReport},
};
use ulna_model::Document;
use ulna_motion::Pose;
use ulna_session::{Session, Worked};

/// Delay in seconds between a change of arguments and the computation of effects.
const SETTLED: f64 = 0.15;

/// Commands of a plan, and the document generation that they apply to.
type PlanOf = (Vec<CommandLine>, u64);

/// The planned changes and their effects.
#[derive(Default)]
pub(super) struct Planning {
    /// Planned changes, except that of an open form.
    acts: Vec<CommandLine>,
    ahead: WorkAhead<PlanOf>,
    /// The last computed effects.
    foreseen: Option<PlanForeseen>,
    /// Joints that the plan changes, in the displayed pose.
    joints: Vec<PlannedJoint>,
    /// Serial number of the computed effects.
    serial: u64,
}

impl Planning {
    /// State of the plan, for display in the panels.
    pub(super) fn view(&self) -> PlanView<'_> {
        PlanView {
            found: self.foreseen.as_ref(),
            is_current: self.ahead.is_current(),
            is_computing: self.is_busy(),
            acts: &self.acts,
            joints: &self.joints,
        }
    }

    /// Planned changes, except that of an open form.
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

    /// Merges a move into the last planned change if that moves the same joints. Returns whether it
    /// did.
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

    /// Serial number of the computed effects.
    pub(super) const fn serial(&self) -> u64 {
        self.serial
    }

    /// Document with the planned changes, if they were computed without an error.
    pub(super) fn document_after(&self) -> Option<&Document> {
        self.ahead.found()?.worked.as_ref().ok()?.document_after()
    }

    /// Document with the planned changes, if they were computed for this document generation.
    pub(super) fn document_of(&self, generation: u64) -> Option<&Document> {
        self.ahead.found().filter(|found| found.of.1 == generation)?;
        self.document_after()
    }

    /// Clears the preview of joint positions.
    pub(super) fn forget_joints(&mut self) {
        self.joints.clear();
    }

    /// Discards the effects, and keeps the planned changes.
    pub(super) fn rest(&mut self) {
        if !self.ahead.is_idle() {
            let acts = std::mem::take(&mut self.acts);
            *self = Self { acts, serial: self.serial + 1, ..Self::default() };
        }
    }

    /// Updates the current and planned positions of joints for the displayed pose. `at` poses the
    /// document with the planned changes.
    pub(super) fn show_joints(
        &mut self,
        document: &Document,
        pose: &Pose,
        at: impl Fn(&Document) -> Pose,
    ) {
        self.joints.clear();
        let found = self.ahead.found().filter(|_| self.ahead.is_current());
        let Some(worked) = found.and_then(|found| found.worked.as_ref().ok()) else { return };
        let (Some(after), Some(report)) = (worked.document_after(), self.report()) else { return };
        self.joints = planned_joints((document, pose), (after, &at(after)), report);
    }

    /// True while effects are being computed.
    pub(super) fn is_busy(&self) -> bool {
        self.ahead.is_busy()
    }

    pub(super) fn want(&mut self, of: PlanOf, now: f64) {
        self.ahead.want(of, now);
    }

    /// Applies the planned changes as soon as they are computed.
    pub(super) fn apply(&mut self) {
        self.ahead.apply();
    }

    /// Report of the last computed effects.
    pub(super) fn report(&self) -> Option<&RigReport> {
        self.foreseen.as_ref()?.report.as_ref().ok()?.as_ref()
    }

    /// Takes the result of a finished computation, and starts the requested one.
    pub(super) fn follow(&mut self, ctx: &Context, session: &Session) {
        let is_found = self.ahead.poll();
        let title = |line: &CommandLine| {
            let spec = ulna_edit::find(&line.name);
            spec.map_or("", |spec| spec.title).trim_end_matches('…').to_owned()
        };
        let lines = self.ahead.wanted().map_or(&[][..], |of| &of.0);
        let label = match lines {
            [one] => title(one),
            several => format!("{} changes of the skeleton", several.len()),
        };
        let pace = Pace { settled: SETTLED, is_first_late: false, label: &label };
        let is_refused = self.ahead.follow(ctx, session, &pace, |(lines, _)| {
            let commands: Result<Vec<Command>, _> = lines.iter().map(Command::read).collect();
            commands.map_err(|error| error.to_string())
        });
        if is_found || is_refused {
            self.serial += 1;
            self.foreseen = self.ahead.found().map(|found| match &found.worked {
                Ok(worked) => PlanForeseen::of(worked, found.seconds),
                Err(why) => PlanForeseen::refused(why.clone()),
            });
        }
    }

    /// Returns the result to apply, once it is computed.
    pub(super) fn take_applied(&mut self) -> Option<Box<Worked>> {
        self.ahead.take_applied()
    }
}
