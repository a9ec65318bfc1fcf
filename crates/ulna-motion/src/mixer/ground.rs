//! Feet and the ground: contact times of the feet, and the velocity of the ground under them.
//!
//! The visible skin is measured. A foot with a low joint stands while its lowest vertices, heel or
//! toe, are on the ground. The vertices alone are not enough: in many clips, the toes of a swinging
//! foot pass through the ground.

use glam::Vec3;

use crate::{
    Evaluator, Pose, Stack,
    clip_edit::travel,
    ik::{Sole, body_of, legs_of, named_feet},
    joint_bounds,
    mirror_pairs::Side,
    rig::Rig,
};
use ulna_model::{Clip, Document, NodeId, Shared};

/// Samples per second.
pub(super) const RATE: f64 = 120.0;
/// Maximum height of the joint of a standing foot, relative to the joint's vertical range.
const LOW: f32 = 0.2;
/// Minimum lift of a step, relative to the body's height.
const LIFTS: f32 = 0.015;
/// Maximum distance of a standing foot's lowest point from the ground, relative to the body's
/// height.
const TOUCHES: f32 = 0.008;
/// Maximum number of samples by which a contact may extend before and after the phase in which the
/// joint is low.
const AROUND: usize = 12;
/// Minimum number of samples with the skin on the ground. With fewer samples, the height of the
/// joint alone decides.
const FEWEST: usize = 6;
/// Maximum height of the standing points of a foot above its lowest point, relative to the body's
/// height.
const FLAT: f32 = 0.006;
/// Minimum duration of a contact, seconds.
const SHORTEST: f64 = 0.05;

/// Finds the feet of a document, with their sides if known.
pub(crate) fn feet(document: &Document) -> Vec<(NodeId, Option<Side>)> {
    let known = named_feet(document);
    if !known.is_empty() {
        return known;
    }
    // Without named feet, use the ends of all legs on which the body stands in the rest pose. Their
    // sides are unknown.
    let rig = Rig::of(document);
    // Use the end of any limb, since the body is found above it.
    let Some(leaf) = document.nodes.order().iter().rev().copied().find(|n| rig.carries(*n)) else {
        return Vec::new();
    };
    let body = body_of(document, leaf);
    let pose = Pose::evaluate(document, &Stack::default());
    legs_of(document, &pose, body).into_iter().map(|n| (n, None)).collect()
}

/// Finds the joints of the feet: by name, or else the ends of the legs in the rest pose.
pub fn foot_joints(document: &Document) -> Vec<NodeId> {
    feet(document).into_iter().map(|(node, _)| node).collect()
}

/// Number of feet, and number of feet with a known side.
pub fn known_feet(document: &Document) -> (usize, usize) {
    let feet = feet(document);
    (
        feet.len(),
        feet.iter().filter(|(_, side)| matches!(side, Some(Side::Left | Side::Right))).count(),
    )
}

/// The position of a node in the scene.
pub(super) fn at(pose: &Pose, node: NodeId) -> Vec3 {
    pose.world[node.index()].w_axis.truncate()
}

/// Finds the soles of some feet in the rest pose.
pub(super) fn soles(document: &Document, feet: &[NodeId]) -> Vec<Sole> {
    let rest = Pose::evaluate(document, &Stack::default());
    feet.iter().map(|foot| Sole::of(document, &rest, *foot)).collect()
}

/// Measured path of a foot, with one value per sample.
#[derive(Default)]
pub(super) struct FootPath {
    is_skin: bool,
    /// Heights of the joint, meters.
    joint: Vec<f32>,
    /// Heights of the lowest point of the sole, meters.
    low: Vec<f32>,
    /// Mean displacement of the standing points between consecutive samples, meters.
    pub(super) ways: Vec<Vec3>,
    last: Vec<Vec3>,
}

impl FootPath {
    pub(super) fn of(sole: &Sole) -> Self {
        Self { is_skin: sole.is_skin, ..Self::default() }
    }

    pub(super) fn push(&mut self, joint: Vec3, points: Vec<Vec3>, height: f32) {
        let lowest = |points: &[Vec3]| points.iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
        let low = lowest(&points);
        if !self.last.is_empty() {
            let near = |p: &Vec3, low: f32| p.y <= low + height * FLAT;
            let before = lowest(&self.last);
            let pairs = || self.last.iter().zip(&points);
            // Use points that are low at both times. If the foot rolls from heel to toe in between,
            // use points that are low at one of them.
            let both: Vec<Vec3> = pairs()
                .filter(|(a, b)| near(a, before) && near(b, low))
                .map(|(a, b)| *b - *a)
                .collect();
            let one = || {
                pairs()
                    .filter(|(a, b)| near(a, before) || near(b, low))
                    .map(|(a, b)| *b - *a)
                    .collect()
            };
            let ways: Vec<Vec3> = if both.is_empty() { one() } else { both };
            self.ways.push(ways.iter().sum::<Vec3>() / ways.len().max(1) as f32);
        }
        self.joint.push(joint.y);
        self.low.push(low);
        self.last = points;
    }

    /// Returns one flag per sample: whether the foot stands. All flags are false if the foot takes
    /// no steps.
    pub(super) fn stands(&self, height: f32) -> Vec<bool> {
        let range = |(l, h): (f32, f32), y: &f32| (l.min(*y), h.max(*y));
        let (low, high) = self.joint.iter().fold((f32::INFINITY, f32::NEG_INFINITY), range);
        let lifts = high - low > height * LIFTS;
        let flags: Vec<bool> =
            self.joint.iter().map(|y| lifts && *y <= low + (high - low) * LOW).collect();
        if self.is_skin { self.touching(&flags, height * TOUCHES) } else { flags }
    }

    /// Returns one flag per sample: whether the skin is on the ground in a phase in which the joint
    /// is low. `flags` are the samples with a low joint. The ground is the median height in the
    /// phase.
    fn touching(&self, flags: &[bool], near: f32) -> Vec<bool> {
        let mut made = vec![false; flags.len()];
        let places: Vec<(usize, bool)> = flags.iter().copied().enumerate().collect();
        for run in places.chunk_by(|a, b| a.1 == b.1).filter(|run| run[0].1) {
            let (from, to) = (run[0].0, run[run.len() - 1].0);
            let mut heights = self.low[from..=to].to_vec();
            heights.sort_by(f32::total_cmp);
            let ground = heights[heights.len() / 2];
            // While the joint is low, points below the ground count as touching. Before and after
            // the phase, such points belong to moving toes.
            let touches = |k: &usize| self.low[*k] - ground <= near;
            let stays = |k: &usize| (self.low[*k] - ground).abs() <= near;
            let (Some(mut first), Some(mut last)) =
                ((from..=to).find(touches), (from..=to).rev().find(touches))
            else {
                continue;
            };
            if last - first < FEWEST {
                (first, last) = (from, to);
            }
            if first == from {
                first = (from.saturating_sub(AROUND)..from)
                    .rev()
                    .take_while(stays)
                    .last()
                    .unwrap_or(from);
            }
            if last == to {
                last = (to + 1..(to + 1 + AROUND).min(flags.len()))
                    .take_while(stays)
                    .last()
                    .unwrap_or(to);
            }
            made[first..=last].fill(true);
        }
        made
    }
}

/// The height of a body in the rest pose, meters.
pub(super) fn height_of(document: &Document) -> f32 {
    let rest = Pose::evaluate(document, &Stack::default());
    let height =
        joint_bounds(document, &rest).map_or(1.8, |(low, high)| (high - low).max_element());
    if height > 1e-6 && height.is_finite() { height } else { 1.8 }
}

/// Samples the paths of some feet over a clip. Returns the times and the paths.
fn paths(
    document: &Document,
    clip: &Shared<Clip>,
    feet: &[NodeId],
    height: f32,
) -> (Vec<f64>, Vec<FootPath>) {
    let length = f64::from(clip.length());
    let count = ((length * RATE).ceil() as usize).clamp(2, 1 << 16);
    let times: Vec<f64> = (0..=count).map(|k| length * k as f64 / count as f64).collect();
    let (mut evaluator, mut pose) = (Evaluator::default(), Pose::default());
    let soles = soles(document, feet);
    let mut all: Vec<FootPath> = soles.iter().map(FootPath::of).collect();
    let mut stack = Stack::of(Some(clip), 0.0);
    for time in &times {
        stack.lanes[0].instances[0].time = *time;
        evaluator.update(document, &stack, &mut pose);
        for ((path, sole), foot) in all.iter_mut().zip(&soles).zip(feet) {
            path.push(at(&pose, *foot), sole.at(&pose), height);
        }
    }
    (times, all)
}

/// Finds the times at which the feet of a clip land, with the side of the foot, `L` or `R`. Empty
/// if the feet take no steps.
pub fn footfalls(document: &Document, clip: &Shared<Clip>) -> Vec<(f64, &'static str)> {
    let feet = feet(document);
    let nodes: Vec<NodeId> = feet.iter().map(|f| f.0).collect();
    let height = height_of(document);
    let (times, paths) = paths(document, clip, &nodes, height);
    let mut marks = Vec::new();
    for ((_, side), path) in feet.iter().zip(&paths) {
        let side = match side {
            Some(Side::Left) => "L",
            Some(Side::Right) => "R",
            _ => continue,
        };
        let flags: Vec<(usize, bool)> = path.stands(height).into_iter().enumerate().collect();
        let runs: Vec<(usize, usize)> = flags
            .chunk_by(|a, b| a.1 == b.1)
            .filter(|r| r[0].1)
            .map(|r| (r[0].0, r[r.len() - 1].0))
            .collect();
        // In a loop, a contact that continues across the seam is counted once, at its start before
        // the seam.
        let wraps = runs.len() > 1 && runs[0].0 == 0 && runs[runs.len() - 1].1 == times.len() - 1;
        for (from, to) in runs.into_iter().skip(usize::from(wraps)) {
            let lasts = times[to] - times[from] >= SHORTEST || (wraps && to == times.len() - 1);
            if lasts {
                marks.push((times[from], side));
            }
        }
    }
    marks.sort_by(|a, b| a.0.total_cmp(&b.0));
    marks
}

/// Returns the velocity of the ground under a clip, in meters per second. It is 0 if the body
/// itself travels, else the velocity of its standing feet.
pub fn ground_velocity(document: &Document, clip: &Shared<Clip>) -> Vec3 {
    let nodes: Vec<NodeId> = feet(document).iter().map(|f| f.0).collect();
    let height = height_of(document);
    let (times, paths) = paths(document, clip, &nodes, height);
    let gone = travel(document, clip).map_or(0.0, |t| Vec3::new(t.way.x, 0.0, t.way.z).length());
    if gone > height * 0.1 {
        return Vec3::ZERO;
    }
    let mut speeds: Vec<Vec3> = Vec::new();
    for path in &paths {
        let flags = path.stands(height);
        for (k, way) in path.ways.iter().enumerate().filter(|(k, _)| flags[*k] && flags[k + 1]) {
            speeds.push(way.with_y(0.0) / (times[k + 1] - times[k]) as f32);
        }
    }
    if speeds.is_empty() {
        return Vec3::ZERO;
    }
    // The median of each component ignores feet that roll off or land.
    Vec3::from_array([0, 1, 2].map(|axis| {
        let mut list: Vec<f32> = speeds.iter().map(|v| v[axis]).collect();
        list.sort_by(f32::total_cmp);
        list[list.len() / 2]
    }))
}

/// Returns the speed of a body over the ground in a clip, in meters per second: by its travel, or
/// by its feet if the clip is in place.
pub fn ground_speed(document: &Document, clip: &Shared<Clip>) -> f32 {
    let stays = ground_velocity(document, clip);
    if stays != Vec3::ZERO {
        stays.length()
    } else {
        travel(document, clip).map_or(0.0, |t| t.speed())
    }
}

/// Returns the velocity of a body over the ground, in meters per second: to its right and ahead.
/// The axes are those of the body in the rest pose. Ahead is +Z if no foot has a known side.
pub fn ground_place(document: &Document, clip: &Shared<Clip>) -> [f32; 2] {
    let stays = ground_velocity(document, clip);
    let goes = match stays == Vec3::ZERO {
        true => {
            travel(document, clip).filter(|t| t.time > 0.0).map_or(Vec3::ZERO, |t| t.way / t.time)
        }
        false => -stays,
    };
    let rest = Pose::evaluate(document, &Stack::default());
    let feet = feet(document);
    let mean = |side: Side| {
        let own: Vec<Vec3> =
            feet.iter().filter(|f| f.1 == Some(side)).map(|f| at(&rest, f.0)).collect();
        (!own.is_empty()).then(|| own.iter().sum::<Vec3>() / own.len() as f32)
    };
    let right = match (mean(Side::Left), mean(Side::Right)) {
        (Some(left), Some(right)) => (right - left).with_y(0.0).normalize_or(Vec3::NEG_X),
        _ => Vec3::NEG_X,
    };
    [goes.dot(right), goes.dot(Vec3::Y.cross(right))]
}
