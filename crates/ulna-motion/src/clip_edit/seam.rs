//! Continuity of a loop at its seam.
//!
//! A loop is closed if the pose at its end is the pose at 0. The last key has that pose and is
//! never removed. The body's travel along the ground, and its rotation about the vertical when it
//! walks along a curve, do not count as jumps ([`Carrier`]).

use glam::Vec3;

use super::{Carrier, SAME_TIME, key_span, moments::poses, seam_speed::AROUND};
use crate::Pose;
use ulna_model::{Clip, Document, NodeId, transform::angle_between};

/// Maximum difference of a joint at the seam that does not count as a jump: radians, and meters for
/// a body 1.8 m high.
const STILL: (f32, f32) = (0.000_9, 0.000_2);

/// Maximum ratio of a step between two frames to the step before it, for the two frames to count as
/// duplicates.
const ABRUPT: f32 = 0.01;

/// Discontinuity of a node at the seam of a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// Node with the discontinuity.
    pub node: NodeId,
    /// Difference between the node's local rotations at the start and the end, radians.
    pub angle: f32,
    /// Distance between the node's positions at the start and the end, in meters of the scene.
    /// Travel of the carrier is not included.
    pub distance: f32,
    /// Difference of the node's velocity across the seam, in meters per second. Normal changes of
    /// velocity between nearby frames are subtracted.
    pub speed: f32,
    /// Line between two positions of the node in the scene. The first is its position at the end.
    /// The second is its position in the pose of time 0 after one cycle.
    pub line: [Vec3; 2],
}

/// Continuity of a loop at its seam.
#[derive(Clone, Debug, PartialEq)]
pub struct Seam {
    /// Moving nodes, largest discontinuity first.
    pub gaps: Vec<Gap>,
    /// Whether the last key of the loop is missing: the next frame would have the pose of time 0.
    pub is_short: bool,
    /// Whether the last two frames both have the pose of time 0.
    pub is_doubled: bool,
    /// The node that carries the body along the ground, if any.
    pub travels: Option<Carrier>,
    /// Whether no node jumps at the seam.
    pub is_closed: bool,
}

impl Seam {
    /// Returns the largest angle (radians), distance (meters) and difference of speed (meters per
    /// second) of all nodes.
    pub fn worst(&self) -> (f32, f32, f32) {
        let most = |value: fn(&Gap) -> f32| self.gaps.iter().map(value).fold(0.0, f32::max);
        (most(|g| g.angle), most(|g| g.distance), most(|g| g.speed))
    }
}

/// Examines the seam of a clip. `frame` is the length of a frame in seconds. `None` if the clip has
/// fewer than two key times.
pub fn seam(document: &Document, clip: &Clip, frame: f64) -> Option<Seam> {
    let (first, last) = key_span(clip).filter(|(a, b)| b > a)?;
    let end = f64::from(last);
    let frame = frame.min(end * 0.25);
    let some = ((end / frame * 0.5) as usize).clamp(2, AROUND);
    let [first_ones, last_ones] = [
        (0..=some).map(|k| k as f64 * frame).collect::<Vec<_>>(),
        (0..=some).rev().map(|k| end - k as f64 * frame).collect::<Vec<_>>(),
    ]
    .map(|times| poses(document, clip, &times));
    let [start, second, ..] = &first_ones[..] else { return None };
    let [.., third_last, before, stop] = &last_ones[..] else { return None };
    let height =
        crate::joint_bounds(document, start).map_or(1.8, |(a, b)| (b - a).max_element()).max(1e-6);
    let unit = height / 1.8;
    let place = |pose: &Pose, n: NodeId| pose.world[n.index()].w_axis.truncate();
    let travels = Carrier::of(document, clip, start, stop, height);
    let back = |p: Vec3| travels.map_or(p, |c| c.place_back(p));
    let turned = |a: &Pose, b: &Pose, n: NodeId| {
        let rotation = |p: &Pose| p.local[n.index()].transform().rotation;
        angle_between(rotation(a), rotation(b))
    };
    // Rotation between the first and the last pose, without the rotation of the carrier.
    let turned_over = |n: NodeId| {
        let rotation = |p: &Pose| p.local[n.index()].transform().rotation;
        let wanted = travels
            .filter(|c| c.node == n)
            .map_or_else(|| rotation(start), |c| c.turned_on(rotation(start)));
        angle_between(wanted, rotation(stop))
    };
    let nodes: Vec<NodeId> = {
        let mut list: Vec<NodeId> = clip.tracks.values().map(|t| t.target).collect();
        list.sort_unstable();
        list.dedup();
        list
    };
    let mut gaps: Vec<Gap> = nodes
        .iter()
        .map(|node| {
            let change = |a: [&Pose; 2], b: [&Pose; 2]| {
                let [a, b] = [a, b].map(|[from, to]| place(to, *node) - place(from, *node));
                (b - a).length() / frame as f32
            };
            // All motion changes its speed. Only the excess over other frames counts as a jump.
            let all = [&first_ones, &last_ones].into_iter().flat_map(|p| p.windows(3));
            let usual = all.map(|w| change([&w[0], &w[1]], [&w[1], &w[2]])).fold(0.0, f32::max);
            let [came, at] = [before, stop].map(|pose| back(place(pose, *node)));
            let (comes, goes) = (at - came, place(second, *node) - place(start, *node));
            Gap {
                node: *node,
                angle: turned_over(*node),
                distance: (at - place(start, *node)).length(),
                speed: ((goes - comes).length() / frame as f32 - usual).max(0.0),
                line: [
                    place(stop, *node),
                    travels.map_or(place(start, *node), |c| c.place_ahead(place(start, *node))),
                ],
            }
        })
        .collect();
    gaps.sort_by(|a, b| (b.angle + b.distance / unit).total_cmp(&(a.angle + a.distance / unit)));
    let most = |a: &Pose, b: &Pose| nodes.iter().map(|n| turned(a, b, *n)).fold(0.0, f32::max);
    let jump = nodes.iter().map(|n| turned_over(*n)).fold(0.0, f32::max);
    let steps = [most(start, second), most(before, stop)];
    let is_still = |a: &Pose, b: &Pose| most(a, b) < STILL.0;
    let is_closed = gaps.iter().all(|g| g.angle < STILL.0 && g.distance < STILL.1 * unit);
    let step = (steps[0] + steps[1]) * 0.5;
    // If the last frame is missing, the jump equals about one frame of motion, in the direction of
    // the motion. So the pose one frame before the start is near the last pose.
    let is_short = !is_closed
        && first <= SAME_TIME
        && jump > 2.0 * STILL.0
        && jump > 0.4 * step
        && jump < 1.8 * step
        && {
            let onward = |n: &NodeId| {
                let rotation = |p: &Pose| p.local[n.index()].transform().rotation;
                let next = rotation(stop) * (rotation(before).conjugate() * rotation(stop));
                angle_between(next, rotation(start))
            };
            nodes.iter().map(onward).fold(0.0, f32::max) < 0.8 * jump
        };
    // A motion that eases out slows down gradually. A duplicate frame stops it abruptly.
    let stops = |was: f32, is: f32| is <= ABRUPT * was;
    let went = |a: &Pose, b: &Pose| {
        nodes.iter().map(|n| place(a, *n).distance(place(b, *n))).fold(0.0, f32::max)
    };
    let is_doubled = is_closed
        && is_still(before, stop)
        && !is_still(third_last, before)
        && !is_still(start, second)
        && stops(most(third_last, before), most(before, stop))
        && stops(went(third_last, before), went(before, stop));
    Some(Seam { gaps, is_short, is_doubled, travels, is_closed })
}
