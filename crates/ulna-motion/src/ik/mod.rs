//! Inverse kinematics: moves a point of a limb to a target by rotations of its joints. It needs no
//! setup, and the result is plain joint rotations.
//!
//! The solution depends only on the pose at the start of the gesture and on the target. So it is
//! independent of the pointer's path, and moving back restores the start pose:
//!
//! ```text
//!  start ──► rotate so that the line from root to end points at the target ──► swivel about it
//!        ──► two bones: bend in their plane, by the law of cosines
//!            more: forward and backward reaching (Aristidou and Lasenby, FABRIK, 2011)
//!        ──► damped least squares for the error caused by non-uniform scales
//!        ──► the end keeps its scene rotation, or follows
//! ```

mod body;
mod contacts;
mod footing;
mod frames;
mod limbs;
mod line;
mod sole;

use glam::{DMat3, DMat4, DQuat, DVec3, Mat4, Quat, Vec3};

use self::line::Line;
pub use self::{
    body::{hold, lean},
    contacts::{HoldRange, contacts, contacts_over, ground_under},
    footing::{Held, Holding, Judged, LeftOut, hold_over},
    frames::{Jump, Slide},
    limbs::{Bodies, Limb, body_of, legs_of, limb_of},
};
pub(crate) use self::{frames::frame_of, limbs::named_feet, sole::Sole};
use super::{JointRange, Limits, Pose, Stack};
use ulna_geometry::orthogonal_factor;
use ulna_model::{Document, NodeId};

/// Start of the soft part of the reach, relative to the chain's length.
pub const SOFT: f64 = 0.92;
/// Maximum error of a reached target, relative to the chain's length.
const NEAR: f64 = 1e-6;
/// Minimum sine of a bend. A straighter limb bends in the direction of its rest pose or its clips.
const STRAIGHT: f64 = 0.03;

/// Target of a chain of joints.
#[derive(Clone, Copy, Debug)]
pub struct Goal {
    /// The point to move to the target, in the space of the chain's last node.
    pub tip: Vec3,
    /// Target position in the scene.
    pub target: Vec3,
    /// Rotation of the limb about the line from its root to its end, radians.
    pub swivel: f32,
    /// World matrix with the orientation that the last node keeps. With `None`, the last node
    /// follows its limb.
    pub keeps: Option<Mat4>,
    /// Whether the limb extends more slowly when it is nearly straight, and never becomes
    /// completely straight.
    pub soft: bool,
}

/// Solution of an IK chain.
#[derive(Clone, Debug)]
pub struct Solved {
    /// Local rotations of the nodes.
    pub rotations: Vec<(NodeId, Quat)>,
    /// Distance of the point from the target, meters.
    pub error: f32,
    /// Distance of the target from the root, relative to the chain's length.
    pub reach: f32,
    /// Minimum distance from the root to which the chain can fold, relative to its length.
    pub least: f32,
    /// The chain's length, meters.
    pub length: f32,
    /// Largest relative change of a bone's length, caused by non-uniform scales.
    pub stretch: f32,
}

/// Rotates the joints of a limb so that a point of its end is at the target, or as near as
/// possible.
pub fn solve(document: &Document, pose: &Pose, limb: &Limb, goal: &Goal) -> Solved {
    solve_within(document, pose, limb, goal, &Limits::new())
}

/// Solves like [`solve`], with joint limits.
pub fn solve_within(
    document: &Document,
    pose: &Pose,
    limb: &Limb,
    goal: &Goal,
    limits: &Limits,
) -> Solved {
    let mut line = Line::new(document, pose, &limb.nodes, goal.tip.as_dvec3());
    let last = limb.nodes.len() - 1;
    let target = goal.target.as_dvec3();
    let bones = lengths(&line, &limb.turns);
    let length: f64 = bones.iter().sum();
    let reach = match limb.turns[..] {
        [] => 0.0,
        _ => reach_for(document, &mut line, &limb.turns, goal, target, limits),
    };
    // The last node follows its limb if it is one of the rotating nodes.
    let kept = goal.keeps.filter(|_| limb.turns.last() != Some(&last));
    let kept = kept.and_then(|world| orthogonal_factor(&world.as_dmat4()));
    if let Some(kept) = &kept {
        line.turn_to(last, kept);
    }
    let changed =
        bones.iter().zip(lengths(&line, &limb.turns)).filter(|(was, _)| **was > length * 1e-4);
    let stretch = changed.map(|(was, is)| (is / was - 1.0).abs()).fold(0.0, f64::max);
    let longest = bones.iter().copied().fold(0.0, f64::max);
    let turned = limb.turns.iter().copied().chain(kept.map(|_| last));
    Solved {
        rotations: turned.map(|k| (line.nodes[k], line.rotation(k))).collect(),
        error: line.end().distance(target) as f32,
        reach: reach as f32,
        least: ((2.0 * longest - length) / length.max(1e-30)).max(0.0) as f32,
        length: length as f32,
        stretch: stretch as f32,
    }
}

/// Returns the shortest rotation between two directions. If they are opposite, it is about `axis`.
fn arc(from: DVec3, to: DVec3, axis: DVec3) -> DQuat {
    let (from, to) = (from.normalize_or_zero(), to.normalize_or_zero());
    if from == DVec3::ZERO || to == DVec3::ZERO {
        return DQuat::IDENTITY;
    }
    if from.dot(to) < -1.0 + 1e-9 {
        return DQuat::from_axis_angle(
            axis.normalize_or(from.any_orthonormal_vector()),
            std::f64::consts::PI,
        );
    }
    DQuat::from_rotation_arc(from, to)
}

/// Softens a distance near the limit: it is unchanged up to `from`, and then approaches `most`
/// asymptotically.
///
/// Exponential approach, as is usual for soft IK: `a + s(1 − e^(−(d − a)/s))`, `s = most − a`.
fn softened(distance: f64, most: f64, from: f64) -> f64 {
    let room = most - from;
    if distance <= from || room <= 0.0 {
        return distance.min(most);
    }
    from + room * (1.0 - (-(distance - from) / room).exp())
}

/// Returns the distances between consecutive rotating joints, and from the last one to the end
/// point.
fn lengths(line: &Line, turns: &[usize]) -> Vec<f64> {
    let next = |k: usize| turns.get(k + 1).map_or_else(|| line.end(), |j| line.place(*j));
    (0..turns.len()).map(|k| line.place(turns[k]).distance(next(k))).collect()
}

/// Moves the end point of a line to a target. Returns the distance of the target from the root,
/// relative to the chain's length.
fn reach_for(
    document: &Document,
    line: &mut Line,
    turns: &[usize],
    goal: &Goal,
    target: DVec3,
    limits: &Limits,
) -> f64 {
    let root = line.place(turns[0]);
    let bones = lengths(line, turns);
    let most: f64 = bones.iter().sum();
    if most <= 0.0 || !target.is_finite() {
        return 0.0;
    }
    let longest = bones.iter().copied().fold(0.0, f64::max);
    let least = (2.0 * longest - most).max(0.0);
    let start = line.end() - root;
    let first = turns.get(1).map_or_else(|| line.end(), |k| line.place(*k)) - root;
    let from =
        if start.length() > most * 1e-9 { start.normalize() } else { first.normalize_or(DVec3::Y) };
    let normal = bend_normal(document, line, turns, from);
    let way = target - root;
    let to = if way.length() > most * 1e-9 { way.normalize() } else { from };
    let distance = if goal.soft {
        // A limb that is already nearly straight at the start must not jump.
        softened(way.length(), most, (most * SOFT).max(start.length().min(most)))
    } else {
        way.length()
    };
    let distance = distance.clamp(least, most);
    let carried = arc(from, to, normal);
    let swivel = DQuat::from_axis_angle(to, f64::from(goal.swivel));
    let turn = swivel * carried;
    let normal = turn * normal;
    let goal = root + to * distance;
    let (was, start) = (line.clone(), line.end());
    line.turn(turns[0], turn);
    match turns.len() {
        1 => {}
        2 => fold(line, turns, &bones, to, normal, distance),
        _ => shape(line, turns, &bones, goal, normal, most),
    }
    let ranges: Vec<(usize, DQuat, JointRange)> = turns
        .iter()
        .filter_map(|k| {
            let node = line.nodes[*k];
            let rest = document.node(node).rest.transform().rotation.as_dquat().normalize();
            Some((*k, rest, *limits.get(&node)?))
        })
        .collect();
    let keep =
        |line: &mut Line| ranges.iter().for_each(|(k, rest, range)| line.keep(*k, *rest, range));
    settle(line, turns, goal, most, &keep);
    if line.end().distance(goal) > start.distance(goal) && line.end().distance(goal) > most * NEAR {
        // With non-uniform scales or joint limits, the rotation of the whole limb may increase the
        // distance from the target. That rotation is then undone.
        *line = was;
        settle(line, turns, goal, most, &keep);
    }
    way.length() / most
}

/// Solves two bones: sets the angles of the triangle, in the plane of the bend.
fn fold(line: &mut Line, turns: &[usize], bones: &[f64], to: DVec3, normal: DVec3, distance: f64) {
    let (a, b) = (bones[0], bones[1]);
    if a <= 0.0 || b <= 0.0 {
        return;
    }
    let cos = if distance > 1e-12 {
        (a * a + distance * distance - b * b) / (2.0 * a * distance)
    } else {
        0.0
    };
    let wanted = cos.clamp(-1.0, 1.0).acos();
    let along = line.place(turns[1]) - line.place(turns[0]);
    let now = along.cross(to).dot(normal).atan2(along.dot(to));
    // The joint is on the side of the line where the normal is `to × out`.
    line.turn(turns[0], DQuat::from_axis_angle(normal, now + wanted));
    let (elbow, goal) = (line.place(turns[1]), line.place(turns[0]) + to * distance);
    let (now, wanted) = (line.end() - elbow, goal - elbow);
    let by = now.cross(wanted).dot(normal).atan2(now.dot(wanted));
    line.turn(turns[1], DQuat::from_axis_angle(normal, by));
}

/// Solves more than two bones: forward and backward reaching (FABRIK) of the joints from their
/// rotated positions.
fn shape(line: &mut Line, turns: &[usize], bones: &[f64], goal: DVec3, normal: DVec3, most: f64) {
    let mut places: Vec<DVec3> = turns.iter().map(|k| line.place(*k)).collect();
    places.push(line.end());
    let root = places[0];
    let count = bones.len();
    // A straight chain would stay straight.
    let out = normal.cross(goal - root).normalize_or(normal.any_orthonormal_vector());
    let straight = places[1..count]
        .iter()
        .all(|p| (*p - root).reject_from(goal - root).length() < most * 1e-3);
    if straight && root.distance(goal) < most * 0.9999 {
        for (k, place) in places.iter_mut().enumerate().take(count).skip(1) {
            *place += out * most * 0.02 * (std::f64::consts::PI * k as f64 / count as f64).sin();
        }
    }
    for _ in 0..256 {
        if places[count].distance(goal) < most * NEAR && (places[0] - root).length() < most * NEAR {
            break;
        }
        places[count] = goal;
        for k in (0..count).rev() {
            let way = (places[k] - places[k + 1]).normalize_or(out);
            places[k] = places[k + 1] + way * bones[k];
        }
        places[0] = root;
        for k in 0..count {
            let way = (places[k + 1] - places[k]).normalize_or(out);
            places[k + 1] = places[k] + way * bones[k];
        }
    }
    for k in 0..count {
        let next = turns.get(k + 1).map_or_else(|| line.end(), |j| line.place(*j));
        let here = line.place(turns[k]);
        line.turn(turns[k], arc(next - here, places[k + 1] - here, normal));
    }
}

/// Corrects the error from non-uniform scales above the joints by damped least squares (Buss,
/// *Introduction to Inverse Kinematics*, 2004). Each joint rotates in its own parent's space;
/// lengths may change. The error never increases. `keep` applies joint limits after each step.
fn settle(line: &mut Line, turns: &[usize], goal: DVec3, most: f64, keep: &dyn Fn(&mut Line)) {
    let mut damping = 1e-3 * most * most;
    keep(line);
    for _ in 0..120 {
        let away = goal - line.end();
        if away.length() < most * NEAR {
            return;
        }
        let moves: Vec<[DVec3; 3]> = turns.iter().map(|k| line.moves(*k)).collect();
        let mut square = DMat3::from_diagonal(DVec3::splat(damping));
        for m in moves.iter().flatten() {
            square += DMat3::from_cols(*m * m.x, *m * m.y, *m * m.z);
        }
        let step = square.inverse() * away;
        let before = line.clone();
        for (k, m) in turns.iter().zip(&moves) {
            line.turn_in_parent(*k, DVec3::new(m[0].dot(step), m[1].dot(step), m[2].dot(step)));
        }
        keep(line);
        if step.is_finite() && goal.distance(line.end()) < away.length() {
            damping *= 0.4;
        } else {
            *line = before;
            damping *= 6.0;
            if damping > 1e6 * most * most {
                return;
            }
        }
    }
}

/// Returns the sum of the cross products of consecutive bones. It is the axis of the bend.
fn bend(places: &[DVec3]) -> DVec3 {
    places.windows(3).map(|p| (p[1] - p[0]).cross(p[2] - p[1])).sum()
}

/// Returns the axis of a limb's bend, a unit vector perpendicular to `from`. It is the axis of the
/// current bend. A straight limb uses the bend in its rest pose or its clips, or else bends knees
/// forward and elbows back.
fn bend_normal(document: &Document, line: &Line, turns: &[usize], from: DVec3) -> DVec3 {
    let mut places: Vec<DVec3> = turns.iter().map(|k| line.place(*k)).collect();
    places.push(line.end());
    let size: f64 = places.windows(2).map(|p| p[0].distance(p[1])).sum();
    let square = |v: DVec3| v.reject_from(from).try_normalize();
    let now = bend(&places);
    if now.length() > STRAIGHT * size * size * 0.25
        && let Some(normal) = square(now)
    {
        // Sign convention of the bend: `to × out`.
        return -normal;
    }
    let own = |pose: &dyn Fn(NodeId) -> DMat4| {
        // Axes are relative to the space of the first rotating node.
        let mut world = DMat4::IDENTITY;
        let mut places = vec![DVec3::ZERO];
        for (k, node) in line.nodes.iter().enumerate().skip(turns[0] + 1) {
            world *= pose(*node);
            if turns.contains(&k) {
                places.push(world.w_axis.truncate());
            }
        }
        places.push(world.transform_point3(line.tip));
        let size: f64 = places.windows(2).map(|p| p[0].distance(p[1])).sum();
        bend(&places) / (size * size).max(1e-30)
    };
    let axes = line.turning(turns[0]).unwrap_or(DMat3::IDENTITY);
    let rest = own(&|n| document.node(n).rest.transform().matrix().as_dmat4());
    if rest.length() > 1e-3
        && let Some(normal) = square(axes * rest)
    {
        return -normal;
    }
    let mut sum = DVec3::ZERO;
    for clip in document.clips.values().take(6) {
        let length = f64::from(clip.length());
        for k in 0..4 {
            let seen =
                Pose::evaluate(document, &Stack::of(Some(clip), length * f64::from(k) / 4.0));
            sum += own(&|n| seen.local[n.index()].matrix().as_dmat4());
        }
    }
    if sum.length() > 1e-3
        && let Some(normal) = square(axes * sum)
    {
        return -normal;
    }
    let forward = if from.y < -0.7 { DVec3::Z } else { DVec3::NEG_Z };
    square(from.cross(forward)).unwrap_or_else(|| from.any_orthonormal_vector())
}
