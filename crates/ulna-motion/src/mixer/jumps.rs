//! Jumps of a mix: times at which the pose is discontinuous.

use super::{Mixer, lanes::wrapped};
use crate::{Evaluator, Pose, Stack};
use ulna_model::Mix;
use ulna_model::{Document, MixBar, NodeId, Shared, transform::angle_between};

/// A jump: a difference between the poses just before and just after a time of the mix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jump {
    /// Time of the jump, seconds of the mix.
    pub time: f64,
    /// The node that jumps the most.
    pub node: NodeId,
    /// Largest distance of a node in the scene, meters.
    pub meters: f32,
    /// Largest rotation of a node relative to its parent, degrees.
    pub degrees: f32,
}

impl Jump {
    /// Minimum distance between two poses that counts as a jump, meters.
    pub const METERS: f32 = 0.05;
    /// Minimum rotation between two poses that counts as a jump, degrees.
    pub const DEGREES: f32 = 20.0;

    /// Finds the largest jump between two poses; `None` if no node exceeds the minimum.
    fn between(document: &Document, time: f64, before: &Pose, after: &Pose) -> Option<Self> {
        let one = |node: NodeId| {
            let k = node.index();
            let place = |pose: &Pose| pose.world.get(k).map(|w| w.w_axis.truncate());
            let turn = |pose: &Pose| pose.local.get(k).map(|l| l.transform().rotation);
            let meters = place(before)?.distance(place(after)?);
            let degrees = angle_between(turn(before)?, turn(after)?).to_degrees();
            Some(Self { time, node, meters, degrees })
        };
        let all: Vec<Self> = document.node_ids().filter_map(one).collect();
        let worst = *all.iter().max_by(|a, b| a.size().total_cmp(&b.size()))?;
        let meters = all.iter().map(|j| j.meters).fold(0.0, f32::max);
        let degrees = all.iter().map(|j| j.degrees).fold(0.0, f32::max);
        (worst.size() > 1.0).then_some(Self { meters, degrees, ..worst })
    }

    /// Size of the jump relative to the minimum distance and rotation.
    fn size(&self) -> f32 {
        (self.meters / Self::METERS).max(self.degrees / Self::DEGREES)
    }
}

/// Time offset before and after a time at which the poses are compared, seconds.
const BESIDE: f64 = 1e-5;
/// Maximum number of compared times. If there are more, only the first ones are compared.
const MOST: usize = 2000;

/// Finds the jumps of a mix between two of its times, in order.
///
/// The poses are compared at the times when bars begin, end, finish fading in or start fading out,
/// and at the ends of open loops. Steps within a clip belong to the clip, and are not jumps of the
/// mix.
pub fn jumps(document: &Document, mix: &Shared<Mix>, (from, to): (f64, f64)) -> Vec<Jump> {
    let mut mixer = Mixer::default();
    mixer.prepare(document, mix);
    let mut times: Vec<f64> = mixer.hold_times().collect();
    for (l, lane) in mix.lanes.iter().enumerate().filter(|(_, l)| l.on && l.weight > 0.0) {
        for (b, bar) in lane.bars.iter().enumerate() {
            times.extend([bar.start, bar.end(), bar.start + bar.fade_in, bar.end() - bar.fade_out]);
            times.extend(rounds(document, mix, &mut mixer, (l, b), bar));
        }
    }
    times.retain(|t| *t > from + BESIDE && *t < to - BESIDE);
    times.sort_by(f64::total_cmp);
    times.dedup_by(|a, b| (*a - *b).abs() < BESIDE);
    times.truncate(MOST);
    let (mut evaluator, mut before, mut after) =
        (Evaluator::default(), Pose::default(), Pose::default());
    let mut found = Vec::new();
    for time in times {
        evaluator.update(document, &mixer.stack(document, mix, time - BESIDE), &mut before);
        evaluator.update(document, &mixer.stack(document, mix, time + BESIDE), &mut after);
        found.extend(Jump::between(document, time, &before, &after));
    }
    found
}

/// Returns the times at which the clip of a bar repeats. Empty if the ends of the clip match.
fn rounds(
    document: &Document,
    mix: &Shared<Mix>,
    mixer: &mut Mixer,
    at: (usize, usize),
    bar: &MixBar,
) -> Vec<f64> {
    let goes_round = |id: &ulna_model::ClipId| {
        let clip = document.clips.get(*id)?;
        let length = f64::from(clip.length());
        let span = bar.length * bar.speed.abs();
        if !bar.repeat || length <= 0.0 || wrapped(bar.offset, length, true) + span <= length {
            return None;
        }
        let pose = |time: f64| Pose::evaluate(document, &Stack::of(Some(clip), time));
        Jump::between(document, 0.0, &pose(length), &pose(0.0))
    };
    if !bar.clips().any(|id| goes_round(id).is_some()) {
        return Vec::new();
    }
    let Some(clock) = mixer.clock(document, mix, at) else { return Vec::new() };
    clock.passings(0.0).into_iter().map(|p| p.time).collect()
}
