//! Contacts of hands: on the ground or a wall, on a prop, on the body.

use glam::{Mat4, Vec3};
use rayon::prelude::*;

use super::{
    feet::Foot,
    path_ranges::{ranges, speeds},
    sampling::{each_pose, even_times},
    touch::{TouchPart, scale_of, touch_parts},
};
use crate::{Pose, humanoid::BodyPart, roles::roles_of};
use ulna_model::{Clip, Document, Goal, GoalPoint, NodeId, Shared};

/// Speeds in arm lengths per second. A contact begins below the first speed and ends above the
/// second.
const SLOW: [f32; 2] = [0.08, 0.16];
/// Distances between two surfaces in arm lengths. A contact begins below the first distance and
/// ends above the second.
const NEAR: [f32; 2] = [0.06, 0.09];
/// Distances in arm lengths at which a contact begins and ends, for a hand without a surface. They
/// are measured from its joint and from the middle of its palm.
const NEAR_JOINT: [f32; 2] = [0.11, 0.16];
/// Minimum duration of a contact, seconds. At the ends of a swing, a hand stops for a shorter time.
const SHORTEST: f32 = 0.2;

/// The hand joints of a document, by its humanoid map or joint names.
pub(super) fn hands_of(document: &Document) -> Vec<NodeId> {
    let roles = roles_of(document).into_iter();
    roles.filter(|(_, r)| r.is_some_and(|r| r.part == BodyPart::Hand)).map(|(n, _)| n).collect()
}

/// Whether a node is a hand joint, by the humanoid map or joint names.
pub fn is_hand_joint(document: &Document, node: NodeId) -> bool {
    hands_of(document).contains(&node)
}

/// The surfaces of a document that its hands may touch.
pub(super) fn parts_of(document: &Document, rest: &Pose, hands: &[Foot]) -> Vec<TouchPart> {
    /// Distance between sample points in arm lengths.
    const SPACING: f32 = 0.03;
    let arm = hands.iter().map(|h| h.length).fold(0.0, f32::max);
    if arm > 0.0 { touch_parts(document, rest, SPACING * arm) } else { Vec::new() }
}

/// A range in which a hand stays in place.
struct Candidate {
    from: f32,
    to: f32,
    /// The node that the hand touches; `None` for a place in the scene.
    space: Option<NodeId>,
    /// Mean distance of the hand from the surface of the node `space`, meters; infinite for a place
    /// in the scene.
    distance: f32,
}

impl Candidate {
    /// Returns the parts of the range that are outside of another range. Parts shorter than
    /// `SHORTEST` are left out.
    fn without(self, other: &Self) -> Vec<Self> {
        if other.to <= self.from || other.from >= self.to {
            return vec![self];
        }
        let parts = [(self.from, other.from), (other.to, self.to)];
        let long = parts.into_iter().filter(|(from, to)| to - from >= SHORTEST);
        long.map(|(from, to)| Self { from, to, ..self }).collect()
    }
}

/// Finds the time ranges in which hands stay in place: near the surface of a [`TouchPart`] and slow
/// relative to it, or slow in the scene. Nearer parts have priority over farther ones, and all
/// parts over the scene.
pub(super) fn contacts_of_hands(
    document: &Document,
    clip: &Shared<Clip>,
    hands: &[Foot],
    parts: &[TouchPart],
) -> Vec<Goal> {
    let times = even_times(clip.length(), 1.0 / 60.0);
    let mut made: Vec<Goal> = Vec::new();
    for hand in hands {
        let free: Vec<&TouchPart> =
            parts.iter().filter(|p| !hand.moves(document, p.node)).collect();
        let own = parts.iter().find(|p| p.node == hand.node);
        let probes = Probes::of(document, hand, own);
        let mut all = on_parts(document, clip, &probes, &free, &times);
        all.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        all.extend(in_scene(document, clip, hand, &times));
        let mut kept: Vec<Candidate> = Vec::new();
        for candidate in all {
            // If two hands touch each other, only one contact is kept: a hand cannot follow the
            // other hand while the other hand follows it.
            let holds_back = |goal: &Goal| {
                let other = hands.iter().find(|h| h.node == goal.node && h.node != hand.node);
                let held = |(other, space): (&Foot, NodeId)| other.moves(document, space);
                goal.space.is_some_and(|s| hand.moves(document, s))
                    && other.zip(candidate.space).is_some_and(held)
                    && goal.from < candidate.to
                    && goal.to > candidate.from
            };
            if made.iter().any(holds_back) {
                continue;
            }
            let mut left = vec![candidate];
            for other in &kept {
                left = left.into_iter().flat_map(|c| c.without(other)).collect();
            }
            kept.extend(left);
        }
        made.extend(kept.into_iter().map(|c| Goal {
            node: hand.node,
            point: GoalPoint::Joint,
            space: c.space,
            from: c.from,
            to: c.to,
            blend: None,
            place: None,
        }));
    }
    made
}

/// Ranges in which a hand stays in place in the scene.
fn in_scene(
    document: &Document,
    clip: &Shared<Clip>,
    hand: &Foot,
    times: &[f32],
) -> Vec<Candidate> {
    let places: Vec<Vec3> = each_pose(document, clip, times, |_, pose| place(pose, hand.node));
    let speeds = speeds(&places, times, Vec3::ZERO);
    let is = |k: usize, end: usize| speeds[k] <= SLOW[end] * hand.length;
    let found = ranges(times, |k| is(k, 0), |k| is(k, 1)).into_iter();
    found
        .filter(|(from, to)| to - from >= SHORTEST)
        .map(|(from, to)| Candidate { from, to, space: None, distance: f32::INFINITY })
        .collect()
}

/// Points of a hand whose distance from other surfaces is measured.
struct Probes<'a> {
    hand: &'a Foot,
    /// Points in the space of the hand.
    points: Vec<Vec3>,
    /// Distances at which a contact begins and ends, meters.
    near: [f32; 2],
}

impl<'a> Probes<'a> {
    /// Maximum number of points.
    const MOST: usize = 32;

    /// Returns points of the hand's surface, or the joint and the middle of the palm if the hand
    /// has no surface.
    fn of(document: &Document, hand: &'a Foot, surface: Option<&TouchPart>) -> Self {
        let (points, near) = match surface {
            Some(part) => {
                let step = part.points.len().div_ceil(Self::MOST).max(1);
                (part.points.iter().copied().step_by(step).collect(), NEAR)
            }
            None => (vec![Vec3::ZERO, palm_of(document, hand.node)], NEAR_JOINT),
        };
        Self { hand, points, near: near.map(|near| near * hand.length) }
    }
}

/// Ranges in which a hand is close to a part and slow relative to it.
fn on_parts(
    document: &Document,
    clip: &Shared<Clip>,
    Probes { hand, points, near }: &Probes<'_>,
    parts: &[&TouchPart],
    times: &[f32],
) -> Vec<Candidate> {
    // `part_from_hand` of each part, by time.
    let seen: Vec<Vec<Mat4>> = each_pose(document, clip, times, |_, pose| {
        let own = pose.world[hand.node.index()];
        parts.iter().map(|part| pose.world[part.node.index()].inverse() * own).collect()
    });
    let on_part = |(number, part): (usize, &&TouchPart)| {
        let distance = |part_from_hand: &Mat4| {
            let places = points.iter().map(|p| part_from_hand.transform_point3(*p));
            places.map(|p| part.distance(p, near[1])).fold(f32::INFINITY, f32::min)
        };
        let distances: Vec<f32> = seen.iter().map(|all| distance(&all[number])).collect();
        if distances.iter().all(|d| *d > near[0]) {
            return Vec::new();
        }
        let place = |all: &Vec<Mat4>| all[number].w_axis.truncate() * part.scale;
        let places: Vec<Vec3> = seen.iter().map(place).collect();
        let speeds = speeds(&places, times, Vec3::ZERO);
        let is = |k: usize, end: usize| {
            distances[k] <= near[end] && speeds[k] <= SLOW[end] * hand.length
        };
        let long = ranges(times, |k| is(k, 0), |k| is(k, 1)).into_iter();
        let candidate = |(from, to): (f32, f32)| {
            let within = times.iter().zip(&distances).filter(|(t, _)| (from..=to).contains(*t));
            let (sum, count) =
                within.fold((0.0, 0usize), |(sum, count), (_, d)| (sum + d, count + 1));
            let distance = sum / count.max(1) as f32;
            Candidate { from, to, space: Some(part.node), distance }
        };
        long.filter(|(from, to)| to - from >= SHORTEST).map(candidate).collect::<Vec<_>>()
    };
    parts.par_iter().enumerate().flat_map_iter(on_part).collect()
}

/// Scene position of a node, meters.
fn place(pose: &Pose, node: NodeId) -> Vec3 {
    pose.world[node.index()].w_axis.truncate()
}

/// Middle of the palm in the space of the hand: halfway to the mean of its child joints.
fn palm_of(document: &Document, hand: NodeId) -> Vec3 {
    let joints = document.joint_flags();
    let below = document.children(hand).iter().filter(|n| joints[n.index()]);
    let places: Vec<Vec3> = below.map(|n| document.node(*n).rest.transform().translation).collect();
    places.iter().sum::<Vec3>() / (2 * places.len()).max(1) as f32
}

/// Mean position of a hand relative to a node during a contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct HandPlace {
    /// Position of the hand in the space of the node.
    pub place: Vec3,
    /// Scale of the node, scene meters per unit of its space.
    pub scale: f32,
}

/// Mean position of a hand in the space of a node over a range of a clip; `None` if it is not
/// finite.
pub(super) fn mean_place(
    document: &Document,
    clip: &Shared<Clip>,
    (hand, node): (NodeId, NodeId),
    (from, to): (f32, f32),
) -> Option<HandPlace> {
    /// Number of samples.
    const LOOKS: usize = 8;
    let times: Vec<f32> =
        (0..LOOKS).map(|k| from + (to - from) * k as f32 / (LOOKS - 1) as f32).collect();
    let seen = each_pose(document, clip, &times, |_, pose| {
        let space = pose.world[node.index()];
        (space.inverse().transform_point3(place(pose, hand)), scale_of(&space))
    });
    let mean = seen.iter().map(|s| s.0).sum::<Vec3>() / LOOKS as f32;
    let scale = seen.iter().map(|s| s.1).sum::<f32>() / LOOKS as f32;
    mean.is_finite().then_some(HandPlace { place: mean, scale })
}
