//! Commands that change all weights: normalizing, limiting, pruning, smoothing, and the storage
//! format.

use super::{
    commands::{
        Hammer, Limit, MergeJoints, Normalize, Prune, Quantize, Relax, Sets, Smooth, Store,
        SwapJoints,
    },
    fit::{fitted_note, has_clips, limit_by_fit, no_clips},
    run::{Job, joint_of, joints_of, run, run_for, run_on_base},
};
use crate::command::{
    CommandError, Outcome, Scene,
    field::{Bits, LimitBy, Nodes, Reach},
    rig_report::FitReport,
};
use ulna_model::{Document, WeightEncoding};
use ulna_weights::WorkingWeights;

impl Normalize {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        run(scene.document, &self.reach, "normalized", |draft, job| {
            Ok(draft.normalize(&job.scope()))
        })
    }
}

impl Limit {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let Self { most, how, mesh, primitive, vertices, locked, layer } = self.clone();
        let reach = Reach { mesh, primitive, vertices, locked, most: Some(most), layer };
        let (document, wants_fit) = (scene.document, how == Some(LimitBy::Fit));
        if !wants_fit || !has_clips(document) {
            let strongest =
                |draft: &mut WorkingWeights<'_>, job: &Job| Ok(draft.limit(&job.scope()));
            let mut done = run(document, &reach, "limited", strongest)?;
            if wants_fit && !done.edits.is_empty() {
                done.notes.push(no_clips("the strongest influences were kept"));
            }
            return Ok(done);
        }
        let mut report = FitReport::default();
        let mut done = run(document, &reach, "limited", |draft, job| {
            limit_by_fit(document, (draft, job), &mut report, scene.cancel())
        })?;
        if report.vertices > 0 {
            done.notes.push(fitted_note(&report, "mean error", "the strongest influences"));
        }
        Ok(done)
    }
}

impl Prune {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let named: Vec<&Nodes> = self.joint.iter().collect();
        run_for(scene.document, &self.reach, &named, "pruned", |draft, job| match &self.joint {
            None => Ok(draft.prune(self.below, &job.scope())),
            Some(joints) => {
                let joints = joints_of(scene.document, joints, job)?;
                Ok(draft.prune_joints(&joints, self.below, &job.scope()))
            }
        })
    }
}

impl SwapJoints {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        run_for(scene.document, &self.reach, &[&self.joint, &self.with], "swapped", |draft, job| {
            let (a, b) = (
                joint_of(scene.document, &self.joint, job)?,
                joint_of(scene.document, &self.with, job)?,
            );
            Ok(draft.swap_joints(a, b, &job.scope()))
        })
    }
}

impl MergeJoints {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        run_for(scene.document, &self.reach, &[&self.from, &self.into], "merged", |draft, job| {
            let into = joint_of(scene.document, &self.into, job)?;
            let from = joints_of(scene.document, &self.from, job)?;
            Ok(draft.merge_joints(&from, into, &job.scope()))
        })
    }
}

impl Quantize {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let steps = self.steps.clamp(1, 65535) as u32;
        run(scene.document, &self.reach, "quantized", |draft, job| {
            Ok(draft.quantize(steps, &job.scope()))
        })
    }
}

impl Smooth {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        smoothed(
            scene.document,
            (self.passes, self.amount),
            self.joint.as_ref(),
            &self.reach,
            false,
        )
    }
}

impl Relax {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let Some(kept) = self.volume else {
            return smoothed(
                scene.document,
                (self.passes, self.amount),
                self.joint.as_ref(),
                &self.reach,
                true,
            );
        };
        if !(0.0..=1.0).contains(&kept) {
            return Err(CommandError::other(
                "argument_out_of_range",
                "“volume” must be a number from 0 to 1",
            ));
        }
        if self.joint.is_some() {
            return Err(CommandError::other(
                "arguments_exclusive",
                "“volume” works only when all joints are relaxed; omit either “joint” or “volume”",
            ));
        }
        let (passes, amount) =
            (self.passes.unwrap_or(1).clamp(1, 1000), self.amount.unwrap_or(1.0).clamp(0.0, 1.0));
        run(scene.document, &self.reach, "relaxed", |draft, job| {
            Ok(draft.relax_keeping(passes, amount, kept, &job.scope()))
        })
    }
}

fn smoothed(
    document: &Document,
    (passes, amount): (Option<usize>, Option<f32>),
    joint: Option<&Nodes>,
    reach: &Reach,
    by_distance: bool,
) -> Result<Outcome, CommandError> {
    let (passes, amount) =
        (passes.unwrap_or(1).clamp(1, 1000), amount.unwrap_or(1.0).clamp(0.0, 1.0));
    let named: Vec<&Nodes> = joint.into_iter().collect();
    run_for(
        document,
        reach,
        &named,
        if by_distance { "relaxed" } else { "smoothed" },
        |draft, job| {
            let joint = joint.map(|joint| joint_of(document, joint, job)).transpose()?;
            Ok(draft.smooth(passes, amount, by_distance, joint, &job.scope()))
        },
    )
}

impl Hammer {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let common = self.in_common.unwrap_or(0.4).clamp(0.0, 0.5);
        run(scene.document, &self.reach, "hammered", |draft, job| {
            Ok(draft.hammer(common, &job.scope()).1)
        })
    }
}

impl Sets {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let Self { sets, mesh, primitive, locked } = self.clone();
        if !(1..=8).contains(&sets) {
            return Err(CommandError::other(
                "argument_out_of_range",
                "“sets” must be 1 to 8 sets of four influences",
            ));
        }
        let reach = Reach { mesh, primitive, locked, ..Reach::default() };
        // With layers, the number of sets belongs to the base weights.
        run_on_base(scene.document, &reach, "changed", |draft, job| {
            Ok(draft.set_sets(sets, &job.scope()))
        })
    }
}

impl Store {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let encoding = match self.bits {
            Bits::Byte => WeightEncoding::Byte,
            Bits::Short => WeightEncoding::Short,
            Bits::Float => WeightEncoding::Float,
        };
        let reach =
            Reach { mesh: self.mesh.clone(), primitive: self.primitive, ..Reach::default() };
        // With layers, the stored type belongs to the base weights.
        run_on_base(scene.document, &reach, "stored", |draft, job| {
            Ok(draft.store(encoding, &job.scope()))
        })
    }
}
