//! Measurements of feet and hands in the rest pose: the sole, the toes, and the leg or arm.

use std::collections::BTreeSet;

use glam::{Mat4, Quat, Vec3};

use crate::{
    Pose, Stack,
    humanoid::{BodyPart, BodyRole},
    ik::{Bodies, Limb, Sole, legs_of, limb_of, named_feet},
    rig::Rig,
    roles::roles_of,
};
use ulna_model::{Document, GoalPoint, NodeId};

/// Shape of a foot in the rest pose, and its leg. A hand has an arm, and no sole and toes.
#[derive(Clone, Debug)]
pub(super) struct Foot {
    /// The joint: the ankle of a foot, the wrist of a hand.
    pub node: NodeId,
    /// The joint at which the toes bend; `None` if there is none.
    pub toe: Option<NodeId>,
    /// The leg from the hips to the foot, or the arm to the hand. `None` if no joint above the foot
    /// or hand can rotate.
    pub leg: Option<Limb>,
    /// The node that is lowered if the leg is too short to reach a target.
    pub hips: NodeId,
    /// Rear point of the sole, in the space of the foot joint.
    pub heel: Vec3,
    /// Position of the ball of the foot, in the space of the foot joint. `None` if the foot has no
    /// length.
    pub ball: Option<Vec3>,
    /// Horizontal direction of the toes in the rest pose, as a unit vector in the space of the toe
    /// joint. Zero without a toe joint.
    pub toe_way: Vec3,
    /// Up direction in the rest pose, as a unit vector in the space of the foot joint.
    pub up: Vec3,
    /// Vertices of the sole that can be its lowest point; empty if the foot moves no vertices.
    pub sole: Vec<SolePoint>,
    /// Length of the straight leg, meters.
    pub length: f32,
    /// Height of the sole in the rest pose, meters.
    pub level: f32,
    /// Nodes in whose space the foot has contacts, each once.
    pub spaces: Vec<NodeId>,
    /// True for a hand, which does not lower the hips.
    pub is_hand: bool,
}

/// A vertex of a sole, in the rest pose.
#[derive(Clone, Copy, Debug)]
pub(super) struct SolePoint {
    /// Position of the vertex in the space of the foot joint.
    pub foot: Vec3,
    /// Position of the vertex in the space of the toe joint.
    pub toes: Vec3,
    /// Total weight of the toe joints for the vertex, `0.0..=1.0`.
    pub share: f32,
}

/// Computes the rest pose of a document.
pub(super) fn rest_pose(document: &Document) -> Pose {
    let mut pose = Pose::evaluate(document, &Stack::default());
    for node in document.nodes.order() {
        let rest = document.node(*node).rest;
        pose.local[node.index()] = rest;
        pose.world[node.index()] = pose.parent_world(document, *node) * rest.matrix();
    }
    pose
}

/// Finds the feet of a document by its humanoid map or by names. Without these, finds the ends of
/// the limbs on which the body stands in the rest pose.
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

/// Extracts the rotation of a matrix.
pub(super) fn rotation_of(matrix: &Mat4) -> Quat {
    ulna_geometry::orthogonal_factor(&matrix.as_dmat4()).map_or(Quat::IDENTITY, |m| {
        let m = if m.determinant() < 0.0 { m * -1.0 } else { m };
        glam::DQuat::from_mat3(&m).as_quat().normalize()
    })
}

impl Foot {
    /// Measures a foot in the rest pose. `node` is the joint of the foot.
    pub fn of(document: &Document, rest: &Pose, node: NodeId) -> Self {
        /// Minimum length of a foot with a ball, relative to the leg's length. `FARTHEST` is the
        /// maximum distance of the heel behind the ankle, also relative to the leg's length.
        const LEAST: f32 = 0.05;
        const FARTHEST: f32 = 0.35;
        /// Position of the ball between the ankle (0) and the tip of the foot (1), if there is no
        /// toe joint.
        const BALL: f32 = 0.7;
        /// Maximum height of vertices of the sole, relative to the height of the ankle.
        const NEAR_GROUND: f32 = 0.35;
        let leg = limb_of(document, rest, node, None, false);
        let joints = leg.as_ref().map_or_else(
            || detached_leg(document, node),
            |leg| leg.turns.iter().map(|k| leg.nodes[*k]).chain([node]).collect(),
        );
        let places: Vec<Vec3> = joints.into_iter().map(|n| place(rest, n)).collect();
        let length: f32 = places.windows(2).map(|w| w[0].distance(w[1])).sum();
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
        // Only vertices near the ground belong to the sole, since boots reach up the leg.
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
            is_hand: false,
        }
    }

    /// Measures a hand, which has no sole and no toes. `node` is the joint of the hand, and `rest`
    /// is the rest pose.
    pub fn hand(document: &Document, rest: &Pose, node: NodeId) -> Self {
        let foot = Self::of(document, rest, node);
        Self { toe: None, ball: None, heel: Vec3::ZERO, sole: Vec::new(), is_hand: true, ..foot }
    }

    /// Position of a point in the space of the foot joint; `None` if the foot does not have the
    /// point.
    pub fn point(&self, point: GoalPoint) -> Option<Vec3> {
        match point {
            GoalPoint::Joint => Some(Vec3::ZERO),
            GoalPoint::Heel => Some(self.heel),
            GoalPoint::Ball => self.ball,
        }
    }

    /// The points that can have ground contact: the heel, and the ball if there is one. Positions
    /// are in the space of the foot joint.
    pub fn points(&self) -> Vec<(GoalPoint, Vec3)> {
        let all = [(GoalPoint::Heel, Some(self.heel)), (GoalPoint::Ball, self.ball)];
        all.into_iter().filter_map(|(point, at)| Some((point, at?))).collect()
    }

    /// Whether the limb of the foot or hand moves a node.
    pub fn moves(&self, document: &Document, node: NodeId) -> bool {
        let leg = self.leg.as_ref();
        let first = leg.and_then(|leg| leg.nodes.first().copied()).unwrap_or(self.node);
        first == node || document.is_above(first, node)
    }
}

/// The joints of a leg that does not carry its foot, from the thigh to the foot; only the foot if
/// the roles of the joints are unknown.
fn detached_leg(document: &Document, foot: NodeId) -> Vec<NodeId> {
    let roles = roles_of(document);
    let role_of = |node: NodeId| roles.iter().find(|r| r.0 == node).and_then(|r| r.1);
    let side = role_of(foot).filter(|r| r.part == BodyPart::Foot).map(|r| r.side);
    let found = |part: BodyPart| {
        let own = |r: &BodyRole| r.part == part && Some(r.side) == side;
        roles.iter().find(|r| r.1.as_ref().is_some_and(own)).map(|r| r.0)
    };
    [found(BodyPart::Thigh), found(BodyPart::Shin), Some(foot)].into_iter().flatten().collect()
}

/// Chooses the points of a sole that can be the lowest in some rotation of the foot. These are the
/// farthest points in many downward directions, separately for the foot and the toes.
fn lowest_ones(places: &[Vec3], points: &[SolePoint]) -> Vec<SolePoint> {
    /// Number of directions.
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

/// Finds the joint at which the toes of a foot bend: by its role, else the child that is farthest
/// ahead of the ankle.
fn toe_of(document: &Document, rest: &Pose, foot: NodeId, length: f32) -> Option<NodeId> {
    /// Minimum horizontal distance of the toe joint from the ankle, relative to the leg's length.
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
