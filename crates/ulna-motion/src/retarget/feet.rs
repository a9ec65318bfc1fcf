//! Feet as they rest: the points of the sole that stand, the toes, the leg.

use glam::{Mat4, Quat, Vec3};

use crate::{
    Pose, Stack,
    humanoid::BodyPart,
    ik::{Bodies, Limb, Sole, legs_of, limb_of, named_feet},
    rig::Rig,
    roles::roles_of,
};
use ulna_model::{Document, GoalPoint, NodeId};

/// A foot.
#[derive(Clone, Debug)]
pub(super) struct Foot {
    /// The joint: the ankle.
    pub node: NodeId,
    /// The joint at which the toes bend.
    pub toe: Option<NodeId>,
    /// The leg down to the foot; none where nothing above the foot could turn.
    pub leg: Option<Limb>,
    /// The joint that is lowered where the leg is too short.
    pub hips: NodeId,
    /// The rear of the sole, in the space of the foot.
    pub heel: Vec3,
    /// The ball, in the space of the foot; none where the foot has no length.
    pub ball: Option<Vec3>,
    /// The way that the toes point at rest, level, in the space of the toe joint.
    pub toe_way: Vec3,
    /// The leg's length at rest, meters.
    pub length: f32,
    /// How high the sole is at rest, meters.
    pub level: f32,
}

/// The pose of a document whose joints all rest.
pub(super) fn rest_pose(document: &Document) -> Pose {
    let mut pose = Pose::evaluate(document, &Stack::default());
    for node in document.nodes.order() {
        let rest = document.node(*node).rest;
        pose.local[node.index()] = rest;
        pose.world[node.index()] = pose.parent_world(document, *node) * rest.matrix();
    }
    pose
}

/// The feet of a document: by its humanoid map or names, else what it stands on at rest.
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

/// The rotation of a matrix without its scale.
pub(super) fn rotation_of(matrix: &Mat4) -> Quat {
    ulna_geometry::orthogonal_factor(&matrix.as_dmat4()).map_or(Quat::IDENTITY, |m| {
        let m = if m.determinant() < 0.0 { m * -1.0 } else { m };
        glam::DQuat::from_mat3(&m).as_quat().normalize()
    })
}

impl Foot {
    /// A foot by its joint, from how the document rests.
    pub fn of(document: &Document, rest: &Pose, node: NodeId) -> Self {
        /// Parts of the leg's length: a foot shorter than this has no ball, and a heel is no
        /// farther behind the ankle.
        const LEAST: f32 = 0.05;
        const FARTHEST: f32 = 0.35;
        /// Where the ball is between ankle and tip, where no joint says so.
        const BALL: f32 = 0.7;
        let leg = limb_of(document, rest, node, None, false);
        let length = leg.as_ref().map_or(0.0, |leg| {
            let joints = leg.turns.iter().map(|k| leg.nodes[*k]).chain([node]);
            let places: Vec<Vec3> = joints.map(|n| place(rest, n)).collect();
            places.windows(2).map(|w| w[0].distance(w[1])).sum()
        });
        let ankle = place(rest, node);
        let length = if length > 1e-6 { length } else { ankle.y.abs().max(0.1) };
        let sole = Sole::of(document, rest, node);
        let points = if sole.is_skin { sole.at(rest) } else { Vec::new() };
        let toe = toe_of(document, rest, node, length);
        let lowest = points.iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
        let level = if lowest.is_finite() {
            lowest
        } else {
            toe.map_or(ankle.y, |t| place(rest, t).y.min(ankle.y))
        };
        let level_way = |v: Vec3| v.with_y(0.0);
        let to_toe = toe.map(|t| level_way(place(rest, t) - ankle));
        let middle = points.iter().sum::<Vec3>() / points.len().max(1) as f32;
        let ways = [to_toe, (!points.is_empty()).then(|| level_way(middle - ankle))];
        let forward = ways
            .into_iter()
            .flatten()
            .find(|w| w.length() > length * LEAST)
            .map_or(Vec3::Z, Vec3::normalize);
        let along = |p: &Vec3| (*p - ankle).dot(forward);
        let rear = points.iter().map(along).fold(0.0, f32::min).max(-length * FARTHEST);
        let front = points.iter().map(along).fold(0.0, f32::max);
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
        Self {
            node,
            toe,
            leg,
            hips: bodies.mover(bodies.body_of(node)),
            heel: back.transform_point3(on_ground(ankle + forward * rear)),
            ball: ball.map(|b| back.transform_point3(b)),
            toe_way,
            length,
            level,
        }
    }

    /// A point of the foot in its own space; none where the foot has no such point.
    pub fn point(&self, point: GoalPoint) -> Option<Vec3> {
        match point {
            GoalPoint::Joint => Some(Vec3::ZERO),
            GoalPoint::Heel => Some(self.heel),
            GoalPoint::Ball => self.ball,
        }
    }

    /// The points that may stand.
    pub fn points(&self) -> Vec<(GoalPoint, Vec3)> {
        let all = [(GoalPoint::Heel, Some(self.heel)), (GoalPoint::Ball, self.ball)];
        all.into_iter().filter_map(|(point, at)| Some((point, at?))).collect()
    }
}

/// The joint at which the toes of a foot bend: by its role, else the one child that lies ahead.
fn toe_of(document: &Document, rest: &Pose, foot: NodeId, length: f32) -> Option<NodeId> {
    /// Part of the leg's length that the toes are ahead of the ankle at least.
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
