//! Best transition points between clips: the two times at which the body's pose and motion are most
//! similar.
//!
//! The position of the body on the ground and its heading are ignored, as for consecutive clips in
//! a game. The method is that of Kovar, Gleicher and Pighin, *Motion Graphs* (2002). Its point
//! cloud consists of points of the skin, or of joints if there is no skin.

use std::collections::BTreeSet;

use glam::{Quat, Vec3};
use rayon::prelude::*;

use crate::{
    Evaluator, Pose, SeenPoints, Stack, humanoid::BodyPart, ik::body_of, rig::Rig, roles::roles_of,
};
use ulna_model::{Clip, ClipId, Document, NodeId, Shared, transform::angle_between};

/// Maximum number of sampled times per clip. `RATE` is the number of samples per second.
const MOST: usize = 64;
const RATE: f64 = 20.0;
/// Number of compared skin points. `FEW` is the number of points that are used for the search.
const POINTS: usize = 256;
const FEW: usize = 24;
/// Weight of a difference of velocity relative to a difference of position, seconds: about half of
/// a cross-fade.
const SPEED: f32 = 0.1;

/// Best transition between two clips, and its discontinuity if there is no fade.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BestSeam {
    /// The first clip.
    pub from: ClipId,
    /// The second clip.
    pub to: ClipId,
    /// Transition time in the first clip, seconds.
    pub leave: f64,
    /// Transition time in the second clip, seconds.
    pub enter: f64,
    /// Largest distance of a skin point between both clips, meters. The body's position and heading
    /// are aligned.
    pub distance: f32,
    /// Largest difference of a joint's local rotation, radians.
    pub angle: f32,
    /// Largest difference of a skin point's velocity, meters per second.
    pub speed: f32,
}

/// Pose of a clip at a sampled time: positions and velocities of all points relative to the body,
/// and rotations of all joints.
struct SeamPose {
    time: f64,
    places: Vec<Vec3>,
    velocities: Vec<Vec3>,
    turns: Vec<Quat>,
}

/// Joints and skin points that are compared, and the joint that carries the body.
struct Looked {
    joints: Vec<NodeId>,
    points: SeenPoints,
    /// Indices of the points used for the search.
    few: Vec<usize>,
    body: NodeId,
}

impl Looked {
    fn new(document: &Document) -> Option<Self> {
        let rig = Rig::of(document);
        let joints: Vec<NodeId> =
            document.nodes.order().iter().copied().filter(|n| rig.carries(*n)).collect();
        let roles = roles_of(document);
        let hips = roles
            .iter()
            .find(|(_, role)| role.as_ref().is_some_and(|r| r.part == BodyPart::Hips))
            .map(|(n, _)| *n);
        let body = hips.or_else(|| joints.last().map(|leaf| body_of(document, *leaf)))?;
        let points = SeenPoints::of(document, POINTS);
        let is_named = |n: NodeId| roles.iter().any(|(node, role)| *node == n && role.is_some());
        let named: Vec<usize> =
            (0..points.len()).filter(|k| points.node(*k).is_some_and(is_named)).collect();
        // If too few joints have known names, choose among all points.
        let all = if named.len() >= 8 { named } else { (0..points.len()).collect() };
        let step = all.len().div_ceil(FEW).max(1);
        let few = all.into_iter().step_by(step).collect();
        Some(Self { joints, points, few, body })
    }

    /// Samples a clip at evenly spaced times.
    fn moments(&self, document: &Document, clip: &Shared<Clip>) -> Vec<SeamPose> {
        let length = f64::from(clip.length());
        let count = ((length * RATE).ceil() as usize).clamp(1, MOST);
        let step = (1.0f64 / 60.0).min(length);
        let (mut evaluator, mut pose, mut stack) =
            (Evaluator::default(), Pose::default(), Stack::of(Some(clip), 0.0));
        let mut at = |time: f64| -> Pose {
            stack.lanes[0].instances[0].time = time;
            evaluator.update(document, &stack, &mut pose);
            pose.clone()
        };
        let moment = |k: usize| {
            let time = length * k as f64 / count as f64;
            // The velocity is a forward difference, or a backward difference at the end.
            let (from, to) = if time + step <= length {
                (time, time + step)
            } else {
                ((time - step).max(0.0), time)
            };
            let (pose, a, b) = (at(time), at(from), at(to));
            let body = pose.world[self.body.index()];
            let turn = body.to_scale_rotation_translation().1;
            let heading = Quat::from_xyzw(0.0, turn.y, 0.0, turn.w);
            let back = if heading.length_squared() > 1e-6 {
                heading.normalize().conjugate()
            } else {
                Quat::IDENTITY
            };
            let ground = body.w_axis.truncate().with_y(0.0);
            let over = if to > from { 1.0 / (to - from) as f32 } else { 0.0 };
            SeamPose {
                time,
                places: self.points.at(&pose).into_iter().map(|p| back * (p - ground)).collect(),
                velocities: std::iter::zip(self.points.at(&a), self.points.at(&b))
                    .map(|(a, b)| back * (b - a) * over)
                    .collect(),
                turns: self
                    .joints
                    .iter()
                    .map(|n| pose.local[n.index()].transform().rotation)
                    .collect(),
            }
        };
        (0..=count).map(moment).collect()
    }

    /// Measures the dissimilarity of two sampled poses; lower is better. Stops when it exceeds
    /// `most`.
    fn unlike(&self, a: &SeamPose, b: &SeamPose, most: f32) -> f32 {
        let mut sum = 0.0;
        for k in &self.few {
            sum += a.places[*k].distance_squared(b.places[*k])
                + (a.velocities[*k] - b.velocities[*k]).length_squared() * (SPEED * SPEED);
            if sum >= most {
                break;
            }
        }
        sum
    }

    fn seam(
        &self,
        document: &Document,
        (from, to): (ClipId, ClipId),
        a: &SeamPose,
        b: &SeamPose,
    ) -> BestSeam {
        let moved = |id: ClipId| {
            document
                .clips
                .get(id)
                .map(|c| c.tracks.values().map(|t| t.target).collect::<BTreeSet<_>>())
        };
        let own: BTreeSet<NodeId> =
            [moved(from), moved(to)].into_iter().flatten().flatten().collect();
        let joints = || {
            (0..self.joints.len())
                .filter(|k| own.contains(&self.joints[*k]) && self.joints[*k] != self.body)
        };
        let most = |of: &dyn Fn(usize) -> f32| (0..self.points.len()).map(of).fold(0.0, f32::max);
        BestSeam {
            from,
            to,
            leave: a.time,
            enter: b.time,
            distance: most(&|k| a.places[k].distance(b.places[k])),
            angle: joints().map(|k| angle_between(a.turns[k], b.turns[k])).fold(0.0, f32::max),
            speed: most(&|k| a.velocities[k].distance(b.velocities[k])),
        }
    }
}

/// Finds the best transitions from each clip of `from` to each clip of `to`, in that order. Clips
/// without keys, and transitions from a clip to itself, are left out. `go_on` is called regularly
/// with the progress. If it returns false, the search stops.
pub fn best_seams(
    document: &Document,
    from: &[ClipId],
    to: &[ClipId],
    go_on: &(dyn Fn(f32) -> bool + Sync),
) -> Vec<BestSeam> {
    let Some(looked) = Looked::new(document) else { return Vec::new() };
    let wanted: BTreeSet<ClipId> = from.iter().chain(to).copied().collect();
    let plays = |id: &ClipId| document.clips.get(*id).is_some_and(|c| !c.tracks.is_empty());
    let wanted: Vec<ClipId> = wanted.into_iter().filter(plays).collect();
    let all: Vec<(ClipId, Vec<SeamPose>)> = wanted
        .par_iter()
        .filter(|_| go_on(0.0))
        .map(|id| (*id, looked.moments(document, &document.clips[*id])))
        .collect();
    let moments = |id: &ClipId| all.iter().find(|(k, _)| k == id).map(|(_, m)| m);
    let done = std::sync::atomic::AtomicUsize::new(0);
    let of = |id: &ClipId| -> Vec<BestSeam> {
        let part = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) as f32
            / from.len().max(1) as f32;
        let (Some(ours), true) = (moments(id), go_on(part)) else { return Vec::new() };
        let best = |other: &ClipId| {
            let theirs = moments(other).filter(|_| other != id)?;
            let mut found: Option<(f32, usize, usize)> = None;
            for (i, a) in ours.iter().enumerate() {
                for (j, b) in theirs.iter().enumerate() {
                    let most = found.map_or(f32::INFINITY, |f| f.0);
                    let unlike = looked.unlike(a, b, most);
                    if unlike < most {
                        found = Some((unlike, i, j));
                    }
                }
            }
            let (_, i, j) = found?;
            Some(looked.seam(document, (*id, *other), &ours[i], &theirs[j]))
        };
        to.iter().filter_map(best).collect()
    };
    from.par_iter().map(of).collect::<Vec<_>>().into_iter().flatten().collect()
}
