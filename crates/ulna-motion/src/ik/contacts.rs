//! Detection of foot contacts, and of the ground velocity if a clip walks in place.

use glam::Vec3;

use super::named_feet;
use crate::{Evaluator, Pose, Stack, clip_edit::travel, joint_bounds, mixer::feet};
use ulna_model::{Clip, Document, NodeId, Shared};

/// Samples per second for the analysis of a motion.
const RATE: f32 = 60.0;
/// `LOW` is the maximum height of a foot in contact, relative to its vertical range. `SLOW` is its
/// maximum speed, relative to its largest speed.
const LOW: f32 = 0.15;
const SLOW: f32 = 0.6;
/// Minimum duration of a contact, and of the time between two contacts, seconds.
const SHORTEST: f32 = 0.06;

/// A time range of a clip over which a node is held, seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HoldRange {
    /// Start of the range, seconds.
    pub from: f32,
    /// End of the range, seconds.
    pub to: f32,
}

/// Samples the positions of nodes over a clip. Returns the sample times ([`RATE`] per second), the
/// positions, and the height of the body in meters.
fn paths(
    document: &Document,
    clip: &Shared<Clip>,
    nodes: &[NodeId],
) -> (Vec<f32>, Vec<Vec<Vec3>>, f32) {
    let (mut evaluator, mut pose) = (Evaluator::default(), Pose::default());
    let length = clip.length();
    let count = ((length * RATE).ceil() as usize).clamp(2, 1 << 16);
    let times: Vec<f32> = (0..=count).map(|k| length * k as f32 / count as f32).collect();
    let mut all = vec![Vec::with_capacity(times.len()); nodes.len()];
    for time in &times {
        evaluator.update(document, &Stack::of(Some(clip), f64::from(*time)), &mut pose);
        all.iter_mut()
            .zip(nodes)
            .for_each(|(path, n)| path.push(pose.world[n.index()].w_axis.truncate()));
    }
    (times, all, height_of(document, &pose))
}

/// Height of a body in meters; 1.8 if it has no height.
pub(super) fn height_of(document: &Document, pose: &Pose) -> f32 {
    let height = joint_bounds(document, pose).map_or(1.8, |(low, high)| (high - low).max_element());
    if height > 1e-6 && height.is_finite() { height } else { 1.8 }
}

fn heights(path: &[Vec3]) -> (f32, f32) {
    path.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), p| (l.min(p.y), h.max(p.y)))
}

fn median(mut list: Vec<f32>) -> f32 {
    list.sort_by(f32::total_cmp);
    list.get(list.len() / 2).copied().unwrap_or(0.0)
}

fn median_of(list: &[Vec3]) -> Vec3 {
    Vec3::from_array([0, 1, 2].map(|axis| median(list.iter().map(|v| v[axis]).collect())))
}

/// Finds the velocity of the ground under a clip, in meters per second. It is zero if the body
/// itself travels, or if the standing feet have no common velocity. `node` counts as a foot if no
/// other foot is known.
pub fn ground_under(document: &Document, clip: &Shared<Clip>, node: NodeId) -> Vec3 {
    /// `STAYS` is the maximum travel and speed of a body in place, and `LIFTS` is the minimum lift
    /// of a step. Both are relative to the body's height.
    const STAYS: f32 = 0.1;
    const LIFTS: f32 = 0.015;
    /// Maximum height of a standing foot, relative to its vertical range.
    const STANDS: f32 = 0.2;
    /// Maximum difference between the feet's velocities, relative to the ground speed. `AGREES` is
    /// for the average, `EACH` for each foot.
    const AGREES: f32 = 0.5;
    const EACH: f32 = 0.35;
    let mut nodes: Vec<NodeId> = named_feet(document).into_iter().map(|f| f.0).collect();
    if nodes.is_empty() {
        nodes = feet(document).into_iter().map(|f| f.0).collect();
    }
    if nodes.is_empty() {
        nodes.push(node);
    }
    let (times, paths, height) = paths(document, clip, &nodes);
    let gone = travel(document, clip).map_or(0.0, |t| t.way.with_y(0.0).length());
    if gone > height * STAYS {
        return Vec3::ZERO;
    }
    let mut all: Vec<Vec3> = Vec::new();
    let mut of_feet: Vec<Vec3> = Vec::new();
    for path in &paths {
        let (low, high) = heights(path);
        if high - low <= height * LIFTS {
            continue;
        }
        let stands = |k: usize| path[k].y <= low + (high - low) * STANDS;
        let speeds: Vec<Vec3> = (1..path.len())
            .filter(|k| stands(*k) && stands(k - 1))
            .map(|k| (path[k] - path[k - 1]).with_y(0.0) / (times[k] - times[k - 1]).max(1e-6))
            .collect();
        if speeds.len() >= 3 {
            of_feet.push(median_of(&speeds));
            all.extend(speeds);
        }
    }
    // A foot that drags while the other feet are static is not a walk.
    if all.is_empty() || (nodes.len() > 1 && of_feet.len() < 2) {
        return Vec3::ZERO;
    }
    let ground = median_of(&all);
    let speed = ground.length();
    let spread = median(all.iter().map(|v| v.distance(ground)).collect());
    let agree =
        spread <= speed * AGREES && of_feet.iter().all(|v| v.distance(ground) <= speed * EACH);
    if speed <= height * STAYS || !agree {
        return Vec3::ZERO;
    }
    // Exclude samples in which the foot rolls off or lands.
    let near: Vec<Vec3> = all.iter().copied().filter(|v| v.distance(ground) <= spread).collect();
    near.iter().sum::<Vec3>() / near.len().max(1) as f32
}

/// Finds the time ranges of a clip in which a node is low and slow relative to the ground, like a
/// standing foot.
pub fn contacts(document: &Document, clip: &Shared<Clip>, node: NodeId) -> Vec<HoldRange> {
    contacts_over(document, clip, node, ground_under(document, clip, node))
}

/// Finds contacts like [`contacts`], for a given velocity of the ground in meters per second.
pub fn contacts_over(
    document: &Document,
    clip: &Shared<Clip>,
    node: NodeId,
    ground: Vec3,
) -> Vec<HoldRange> {
    let (times, mut paths, _) = paths(document, clip, &[node]);
    let Some(path) = paths.pop() else { return Vec::new() };
    let (low, high) = heights(&path);
    let speed = |a: usize, b: usize| {
        let time = (times[b] - times[a]).max(1e-6);
        ((path[b] - path[a]) / time - ground).length()
    };
    let fastest = (1..path.len()).map(|k| speed(k - 1, k)).fold(0.0, f32::max);
    if fastest <= 0.0 || !(high - low).is_finite() {
        return Vec::new();
    }
    // On moving ground, a standing foot moves with the ground.
    let slow = if ground == Vec3::ZERO { fastest } else { ground.length() } * SLOW;
    let stands = |k: usize| {
        let speed = speed(k.saturating_sub(1), (k + 1).min(path.len() - 1));
        path[k].y <= low + (high - low) * LOW && speed <= slow
    };
    let flags: Vec<(usize, bool)> = (0..path.len()).map(|k| (k, stands(k))).collect();
    let mut ranges: Vec<HoldRange> = Vec::new();
    for run in flags.chunk_by(|a, b| a.1 == b.1).filter(|run| run[0].1) {
        let range = HoldRange { from: times[run[0].0], to: times[run[run.len() - 1].0] };
        match ranges.last_mut().filter(|last| range.from - last.to < SHORTEST) {
            Some(last) => last.to = range.to,
            None => ranges.push(range),
        }
    }
    ranges.retain(|r| r.to - r.from >= SHORTEST);
    ranges
}
