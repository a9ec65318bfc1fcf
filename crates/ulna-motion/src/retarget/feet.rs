//! Feet and hands at rest: the leg or arm, and the points of a sole that touch the ground.

use std::collections::BTreeSet;

use glam::{Mat4, Quat, Vec3};

use crate::{
    Pose, Stack,
    humanoid::BodyPart,
    ik::{Bodies, Limb, Sole, legs_of, limb_of, named_feet},
    rig::Rig,
    roles::roles_of,
};
use ulna_model::{Document, GoalPoint, NodeId};

/// A foot or a hand.
#[derive(Clone, Debug)]
pub(super) struct Foot {
    /// The joint: the ankle of a foot, the wrist of a hand.
    pub node: NodeId,
    /// The joint at which the toes bend.
    pub toe: Option<NodeId>,
    /// The leg down to the foot, or the arm down to the hand; `None` if no joint above it can
    /// rotate.
    pub leg: Option<Limb>,
    /// The joint that is lowered if the leg is too short.
    pub hips: NodeId,
    /// Position of the rear of the sole in the space of the foot.
    pub heel: Vec3,
    /// Position of the ball in the space of the foot; `None` if the foot is too short to have one.
    pub ball: Option<Vec3>,
    /// Horizontal direction of the toes at rest, in the space of the toe joint.
    pub toe_way: Vec3,
    /// Direction up at rest, in the space of the foot.
    pub up: Vec3,
    /// Points of the sole; empty if the foot moves no mesh.
    pub sole: Vec<SolePoint>,
    /// Length of the leg at rest, meters.
    pub length: f32,
    /// Height of the sole at rest, meters.
    pub level: f32,
    /// Nodes in whose space the foot has contacts, each once.
    pub spaces: Vec<NodeId>,
}

/// A point of a sole.
#[derive(Clone, Copy, Debug)]
pub(super) struct SolePoint {
    /// Position in the space of the foot.
    pub foot: Vec3,
    /// Position in the space of the toe joint.
    pub toes: Vec3,
    /// Weight of the toes, `0.0..=1.0`.
    pub share: f32,
}

/// Poses all joints of a document at rest. Other nodes are in their pose.
pub(super) fn rest_pose(document: &Document) -> Pose {
    let mut pose = Pose::evaluate(document, &Stack::default());
    for node in document.nodes.order() {
        let rest = document.node(*node).rest;
        pose.local[node.index()] = rest;
        pose.world[node.index()] = pose.parent_world(document, *node) * rest.matrix();
    }
    pose
}

/// The foot joints of a document, by its humanoid map or joint names; otherwise the joints that
/// are lowest at rest.
pub(super) fn feet_of(document: &Document) -> Vec<NodeId> {
    let named = named_feet(document);
    if !named.is_empty() {
        return named.into_iter().map(|f| f.0).collect();
    }
    let rig = Rig::of(document);
    let Some(leaf) = document.nodes.order().iter().rev().copied().find(|n| rig.carries(*n)) else {
        return Vec::new();
    };
    let body = crate::ik::body_of(document, leaf);
    legs_of(document, &rest_pose(document), body)
}

fn place(pose: &Pose, node: NodeId) -> Vec3 {
    pose.world[node.index()].w_axis.truncate()
}

/// Rotation of a matrix, without its scale and mirroring.
pub(super) fn rotation_of(matrix: &Mat4) -> Quat {
    ulna_geometry::orthogonal_factor(&matrix.as_dmat4()).map_or(Quat::IDENTITY, |m| {
        let m = if m.determinant() < 0.0 { m * -1.0 } else { m };
        glam::DQuat::from_mat3(&m).as_quat().normalize()
    })
}

impl Foot {
    /// Describes the foot of a joint. `rest`: the rest pose of the document.
    pub fn of(document: &Document, rest: &Pose, node: NodeId) -> Self {
        /// As shares of the leg's length: the minimum length of a foot with a ball, and the maximum
        /// distance of the heel behind the ankle.
        const LEAST: f32 = 0.05;
        const FARTHEST: f32 = 0.35;
        /// Position of the ball between ankle and tip, if no joint marks it.
        const BALL: f32 = 0.7;
        /// Part of the ankle's height.
        const NEAR_GROUND: f32 = 0.35;
        let leg = limb_of(document, rest, node, None, false);
        let length = leg.as_ref().map_or(0.0, |leg| {
            let joints = leg.turns.iter().map(|k| leg.nodes[*k]).chain([node]);
            let places: Vec<Vec3> = joints.map(|n| place(rest, n)).collect();
            places.windows(2).map(|w| w[0].distance(w[1])).sum()
        });
        let ankle = place(rest, node);
        let length = if length > 1e-6 { length } else { ankle.y.abs().max(0.1) };
        let sole = Sole::whole(document, rest, node);
        let points = sole.at(rest);
        let toe = toe_of(document, rest, node, length);
        let lowest = points.iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
        let level = if lowest.is_finite() {
            lowest
        } else {
            toe.map_or(ankle.y, |t| place(rest, t).y.min(ankle.y))
        };
        let level_way = |v: Vec3| v.with_y(0.0);
        let to_toe = toe.map(|t| level_way(place(rest, t) - ankle));
        // Only points near the ground: boots reach up the leg.
        let near = (ankle.y - level).abs() * NEAR_GROUND;
        let low: Vec<Vec3> = points.iter().copied().filter(|p| p.y <= level + near).collect();
        let middle = low.iter().sum::<Vec3>() / low.len().max(1) as f32;
        let ways = [to_toe, (!low.is_empty()).then(|| level_way(middle - ankle))];
        let forward = ways
            .into_iter()
            .flatten()
            .find(|w| w.length() > length * LEAST)
            .map_or(Vec3::Z, |w| w.normalize_or(Vec3::Z));
        let along = |p: &Vec3| (*p - ankle).dot(forward);
        let rear = low.iter().map(along).fold(0.0, f32::min).max(-length * FARTHEST);
        let front = low.iter().map(along).fold(0.0, f32::max);
        let on_ground = |v: Vec3| v.with_y(level);
        let ball = toe.map(|t| on_ground(place(rest, t))).or_else(|| {
            (front > length * LEAST).then(|| on_ground(ankle + forward * front * BALL))
        });
        let world = rest.world[node.index()];
        let back = world.inverse();
        let back = if back.is_finite() { back } else { Mat4::IDENTITY };
        let bodies = Bodies::of(document);
        let toe_way =
            toe.map_or(Vec3::ZERO, |t| rotation_of(&rest.world[t.index()]).inverse() * forward);
        let shares = sole.shares(|n| toe.is_some_and(|t| t == n || document.is_above(t, n)));
        let toes = toe.map(|t| rest.world[t.index()].inverse()).filter(|m| m.is_finite());
        let own = points.iter().zip(shares).map(|(point, share)| SolePoint {
            foot: back.transform_point3(*point),
            toes: toes.map_or(Vec3::ZERO, |toes| toes.transform_point3(*point)),
            share: if toes.is_some() { share.clamp(0.0, 1.0) } else { 0.0 },
        });
        let own = lowest_ones(&points, &own.collect::<Vec<_>>());
        Self {
            up: (rotation_of(&world).inverse() * Vec3::Y).normalize_or(Vec3::Y),
            sole: own,
            node,
            toe,
            leg,
            hips: bodies.mover(bodies.body_of(node)),
            heel: back.transform_point3(on_ground(ankle + forward * rear)),
            ball: ball.map(|b| back.transform_point3(b)),
            toe_way,
            length,
            level,
            spaces: Vec::new(),
        }
    }

    /// Describes the hand of a joint: it has no sole and no toes. `rest`: the rest pose.
    pub fn hand(document: &Document, rest: &Pose, node: NodeId) -> Self {
        let foot = Self::of(document, rest, node);
        Self { toe: None, ball: None, heel: Vec3::ZERO, sole: Vec::new(), ..foot }
    }

    /// Position of a point in the space of the foot; `None` if the foot does not have it.
    pub fn point(&self, point: GoalPoint) -> Option<Vec3> {
        match point {
            GoalPoint::Joint => Some(Vec3::ZERO),
            GoalPoint::Heel => Some(self.heel),
            GoalPoint::Ball => self.ball,
        }
    }

    /// The points that may touch the ground, with their positions in the space of the foot.
    pub fn points(&self) -> Vec<(GoalPoint, Vec3)> {
        let all = [(GoalPoint::Heel, Some(self.heel)), (GoalPoint::Ball, self.ball)];
        all.into_iter().filter_map(|(point, at)| Some((point, at?))).collect()
    }
}

/// Keeps the points that can be the lowest one of a rotated foot: for many directions the farthest
/// point of the foot, and the farthest of the toes. `places`: scene positions at rest.
fn lowest_ones(places: &[Vec3], points: &[SolePoint]) -> Vec<SolePoint> {
    /// Number of directions, spread evenly over the lower hemisphere.
    const WAYS: usize = 56;
    let golden = std::f32::consts::PI * (3.0 - 5.0f32.sqrt());
    let mut chosen: BTreeSet<usize> = BTreeSet::new();
    for k in 0..WAYS {
        let y = -(k as f32 + 0.5) / WAYS as f32;
        let (sin, cos) = (golden * k as f32).sin_cos();
        let way = Vec3::new(cos, 0.0, sin) * (1.0 - y * y).sqrt() + Vec3::Y * y;
        for toes in [false, true] {
            let own = (0..points.len()).filter(|k| (points[*k].share > 0.5) == toes);
            chosen.extend(own.max_by(|a, b| places[*a].dot(way).total_cmp(&places[*b].dot(way))));
        }
    }
    chosen.into_iter().map(|k| points[k]).collect()
}

/// The joint at which the toes of a foot bend: a child with that role, otherwise the child farthest
/// from the ankle in horizontal direction.
fn toe_of(document: &Document, rest: &Pose, foot: NodeId, length: f32) -> Option<NodeId> {
    /// Minimum horizontal distance from the ankle, as a share of the leg's length.
    const AHEAD: f32 = 0.08;
    let role = roles_of(document)
        .into_iter()
        .find(|(n, r)| {
            r.is_some_and(|r| r.part == BodyPart::Toe) && document.node(*n).parent == Some(foot)
        })
        .map(|(n, _)| n);
    role.or_else(|| {
        let joints = document.joint_flags();
        let ahead = |n: NodeId| (place(rest, n) - place(rest, foot)).with_y(0.0).length();
        let rig = Rig::of(document);
        document
            .children(foot)
            .iter()
            .copied()
            .filter(|n| joints[n.index()] || rig.carries(*n))
            .filter(|n| ahead(*n) > length * AHEAD)
            .max_by(|a, b| ahead(*a).total_cmp(&ahead(*b)))
    })
}
