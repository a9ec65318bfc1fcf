//! Frames of a clip for the evaluation of a hold: positions of a foot and its skin, and rotations
//! of its limb.

use glam::{Quat, Vec3};

use super::{HoldRange, limbs::Limb, sole::Sole};
use crate::{Evaluator, Pose, Stack};
use ulna_model::{Clip, Document, NodeId, Property, Shared, transform::angle_between};

/// Positions and rotations at a frame of a clip.
pub(super) struct Frame {
    pub time: f32,
    /// Position of the node, meters.
    pub place: Vec3,
    /// Position of the root of the node's limb, meters.
    pub root: Vec3,
    /// Scene rotation of the node.
    pub turn: Quat,
    /// Positions of the points of the node's sole, meters.
    pub sole: Vec<Vec3>,
    /// Local rotations of the nodes of the limb.
    pub locals: Vec<Quat>,
}

/// Minimum fraction of keys that must be on frames, for the guessed frame rate to be used.
const FIT: f32 = 0.9;

/// Seconds per frame of a clip. The frame rate is guessed from the key times, or else 30 frames per
/// second.
pub(crate) fn frame_of(clip: &Clip) -> f32 {
    clip.guess_fps()
        .filter(|(_, share)| *share >= FIT)
        .map_or(1.0 / 30.0, |(fps, _)| 1.0 / fps as f32)
}

/// Frame times of a clip, seconds. If the limb has a key close to a frame, the time of the key is
/// used.
pub(super) fn frame_times(clip: &Clip, limb: &Limb, frame: f32) -> Vec<f32> {
    let of_limb = |n: NodeId| limb.nodes.contains(&n);
    let tracks =
        clip.tracks.values().filter(|t| t.property == Property::Rotation && of_limb(t.target));
    let mut keys: Vec<f32> = tracks.flat_map(|t| t.times.iter().copied()).collect();
    keys.sort_by(f32::total_cmp);
    let length = clip.length();
    let count = ((f64::from(length) / f64::from(frame) + 0.25).floor() as usize).min(1 << 16);
    let mut times: Vec<f32> = (0..=count)
        .map(|k| {
            let time = (f64::from(frame) * k as f64) as f32;
            let at = keys.partition_point(|t| *t < time);
            let near = keys[at.saturating_sub(1)..(at + 1).min(keys.len())].iter().copied();
            let near = near.filter(|t| (t - time).abs() < 0.25 * frame);
            near.min_by(|a, b| (a - time).abs().total_cmp(&(b - time).abs()))
                .unwrap_or(time)
                .min(length)
        })
        .collect();
    if times.last().is_none_or(|last| length - last > 0.25 * frame) {
        times.push(length);
    } else if let Some(last) = times.last_mut() {
        *last = length;
    }
    times.dedup();
    times
}

/// Measures the frames of a clip at some times.
pub(super) fn frames(
    document: &Document,
    clip: &Shared<Clip>,
    limb: &Limb,
    sole: &Sole,
    times: &[f32],
) -> Vec<Frame> {
    let (mut evaluator, mut pose) = (Evaluator::default(), Pose::default());
    let (Some(node), Some(root)) = (limb.end(), limb.root()) else { return Vec::new() };
    let frame = |time: &f32| {
        evaluator.update(document, &Stack::of(Some(clip), f64::from(*time)), &mut pose);
        let world = pose.world[node.index()];
        Frame {
            time: *time,
            place: world.w_axis.truncate(),
            root: pose.world[root.index()].w_axis.truncate(),
            turn: world.to_scale_rotation_translation().1,
            sole: sole.at(&pose),
            locals: limb.nodes.iter().map(|n| pose.local[n.index()].transform().rotation).collect(),
        }
    };
    times.iter().map(frame).collect()
}

/// Maximum speeds of a node relative to the ground in a range, meters per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Slide {
    /// Maximum speed of the joint.
    pub joint: f32,
    /// Maximum of the mean speed of all points of the sole.
    pub skin: f32,
}

impl Slide {
    /// Returns the maximum of each speed.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self { joint: self.joint.max(other.joint), skin: self.skin.max(other.skin) }
    }
}

/// Measures the sliding of a node within a range. The ground moves by `ground` meters per second.
pub(super) fn slide(frames: &[Frame], range: HoldRange, ground: Vec3) -> Slide {
    const NEAR: f32 = 1e-4;
    let within = |f: &Frame| f.time >= range.from - NEAR && f.time <= range.to + NEAR;
    let mut found = Slide::default();
    for pair in frames.windows(2).filter(|w| within(&w[0]) && within(&w[1])) {
        let time = (pair[1].time - pair[0].time).max(1e-6);
        let speed = |a: Vec3, b: Vec3| ((b - a) / time - ground).length();
        let skin: f32 = pair[0].sole.iter().zip(&pair[1].sole).map(|(a, b)| speed(*a, *b)).sum();
        let skin = skin / pair[0].sole.len().max(1) as f32;
        found = found.max(Slide { joint: speed(pair[0].place, pair[1].place), skin });
    }
    found
}

/// Maximum speed of a node between two frames, meters per second.
pub(super) fn fastest(frames: &[Frame]) -> f32 {
    let steps = frames
        .windows(2)
        .map(|w| w[0].place.distance(w[1].place) / (w[1].time - w[0].time).max(1e-6));
    steps.fold(0.0, f32::max)
}

/// A jump that an edit caused in a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jump {
    /// Time of the jump, seconds.
    pub time: f32,
    /// Change of the node's displacement between two frames, meters.
    pub way: f32,
    /// Largest increase of the angle by which a joint rotates between two frames, radians.
    pub turn: f32,
}

/// Finds the largest change of the motion between two frames, compared to `before`. `None` if it is
/// at most `most` meters and 20°.
pub(super) fn jump(before: &[Frame], after: &[Frame], most: f32) -> Option<Jump> {
    const MOST_TURN: f32 = 20.0 * std::f32::consts::PI / 180.0;
    let mut worst: Option<(f32, Jump)> = None;
    for (was, is) in before.windows(2).zip(after.windows(2)) {
        let way = (is[1].place - was[1].place).distance(is[0].place - was[0].place);
        let steps = |w: &[Frame]| -> Vec<f32> {
            w[0].locals.iter().zip(&w[1].locals).map(|(a, b)| angle_between(*a, *b)).collect()
        };
        let turn = steps(is).iter().zip(steps(was)).map(|(is, was)| is - was).fold(0.0, f32::max);
        let size = (way / most).max(turn / MOST_TURN);
        if size > 1.0 && worst.is_none_or(|(s, _)| size > s) {
            worst = Some((size, Jump { time: is[1].time, way, turn }));
        }
    }
    worst.map(|(_, jump)| jump)
}
