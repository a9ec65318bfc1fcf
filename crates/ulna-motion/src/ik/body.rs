//! Full-body IK: the spine leans and the hips follow if a limb cannot reach its target. Pinned
//! nodes stay in place while other nodes move.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3, Mat3, Vec3};

use super::{Goal, SOFT, arc, body_of, limb_of, limbs::Limb, line::Line, solve};
use crate::{Pose, rig::Rig};
use ulna_model::{Components, Document, NodeId, Pin};

/// Maximum rotation of a spine joint, radians.
const BEND: f64 = 0.3;
/// Number of iterations in which the spine leans.
const ROUNDS: usize = 16;

/// Maximum distance of positions that count as equal. It is relative to the distance from the
/// origin, or to one meter if that is larger.
const SAME: f32 = 1e-7;

/// Moves the nodes above a limb so that the limb reaches its target. First the spine leans. Then
/// the hips move, as far as pinned limbs allow. The result is empty if the limb reaches without
/// help.
pub fn lean(
    document: &Document,
    pose: &Pose,
    limb: &Limb,
    goal: &Goal,
    pins: &BTreeMap<NodeId, Pin>,
) -> Vec<(NodeId, Components)> {
    let (Some(first), Some(end)) = (limb.root(), limb.end()) else { return Vec::new() };
    let place = |n: NodeId| pose.world[n.index()].w_axis.truncate().as_dvec3();
    let target = goal.target.as_dvec3();
    let (root, tip) = (place(first), pose.world[end.index()].transform_point3(goal.tip).as_dvec3());
    let most = length_of(pose, limb, goal.tip);
    let far = (most * if goal.soft { SOFT } else { 1.0 }).max(root.distance(tip).min(most));
    let need = root.distance(target) - far;
    let body = body_of(document, end);
    if need <= 0.0 || !need.is_finite() || most <= 0.0 {
        return Vec::new();
    }
    let wanted = root + (target - root).normalize_or_zero() * need;
    let mut found = Vec::new();
    let mut got = root;
    let mut spine: Vec<NodeId> =
        std::iter::successors(document.node(first).parent, |n| document.node(*n).parent)
            .take_while(|n| *n != body)
            .collect();
    spine.reverse();
    let rig = Rig::of(document);
    // Helper nodes rotate with the joint above them.
    let turning: Vec<usize> = (0..spine.len()).filter(|k| rig.carries(spine[*k])).collect();
    if !turning.is_empty() && document.is_above(body, first) {
        spine.push(first);
        let mut line = Line::new(document, pose, &spine, DVec3::ZERO);
        let mut turned = vec![0.0; turning.len()];
        for _ in 0..ROUNDS {
            for (k, turned) in turning.iter().copied().zip(&mut turned) {
                let here = line.place(k);
                let (now, to) = (line.end() - here, wanted - here);
                let (axis, angle) = arc(now, to, now.any_orthonormal_vector()).to_axis_angle();
                let by = (angle * 0.5).min(BEND - *turned);
                if by > 1e-9 && axis.is_finite() {
                    line.turn(k, DQuat::from_axis_angle(axis, by));
                    *turned += by;
                }
            }
        }
        got = line.end();
        let rotation = |k| Components { rotation: Some(line.rotation(k)), ..Components::default() };
        found.extend(turning.into_iter().map(|k| (spine[k], rotation(k))));
    }
    let mut by = wanted - got;
    if by.length() > most * 1e-6 {
        let held: Vec<(DVec3, DVec3, f64)> = pins
            .iter()
            .filter(|(node, pin)| pin.place && **node != end && document.is_above(body, **node))
            .filter_map(|(node, _)| {
                let limb = limb_of(document, pose, *node, None, false)?;
                Some((place(limb.root()?), place(*node), length_of(pose, &limb, Vec3::ZERO)))
            })
            .collect();
        for _ in 0..16 {
            for (root, pin, most) in &held {
                let way = *pin - (*root + by);
                let over = way.length() - most.max(root.distance(*pin)) * 0.9995;
                if over > 0.0 {
                    by += way.normalize_or_zero() * over;
                }
            }
        }
        found.extend(moved(document, pose, body, by));
    }
    found
}

/// Moves a joint by a vector in the scene. Returns its new local translation.
fn moved(
    document: &Document,
    pose: &Pose,
    node: NodeId,
    by: DVec3,
) -> Option<(NodeId, Components)> {
    let node = Rig::of(document).mover(document, node);
    let parent = pose.parent_world(document, node).as_dmat4();
    let step = ulna_model::transform::is_invertible(parent.determinant())
        .then(|| parent.inverse().transform_vector3(by))?;
    let to = pose.local[node.index()].transform().translation + step.as_vec3();
    Some((node, Components { translation: Some(to), ..Components::default() }))
}

/// Length in meters of a limb from its root joint to the point `tip`.
fn length_of(pose: &Pose, limb: &Limb, tip: Vec3) -> f64 {
    let mut places: Vec<Vec3> =
        limb.turns.iter().map(|k| pose.world[limb.nodes[*k].index()].w_axis.truncate()).collect();
    places.extend(limb.end().map(|n| pose.world[n.index()].transform_point3(tip)));
    places.windows(2).map(|p| f64::from(p[0].distance(p[1]))).sum()
}

/// Restores pinned nodes to their positions in `before`, after other nodes were moved in `after`.
/// Returns the changes of the joints of their limbs. Pinned nodes for which `posed` is true were
/// moved by the user and are skipped.
pub fn hold(
    document: &Document,
    before: &Pose,
    after: &Pose,
    pins: &BTreeMap<NodeId, Pin>,
    posed: &dyn Fn(NodeId) -> bool,
) -> Vec<(NodeId, Components)> {
    let mut found: BTreeMap<NodeId, Components> = BTreeMap::new();
    let mut now: Option<Pose> = None;
    let mut order: Vec<(NodeId, Pin)> = pins
        .iter()
        .map(|(n, p)| (*n, *p))
        .filter(|(n, _)| before.world.get(n.index()).is_some() && !posed(*n))
        .collect();
    order.sort_by_key(|(n, _)| {
        std::iter::successors(document.node(*n).parent, |p| document.node(*p).parent).count()
    });
    for (node, pin) in order {
        let pose = now.as_ref().unwrap_or(after);
        let (was, is) = (before.world[node.index()], pose.world[node.index()]);
        let target = was.w_axis.truncate();
        let near = SAME * target.abs().max_element().max(1.0);
        let strays = pin.place && target.distance(is.w_axis.truncate()) > near;
        let turned = pin.angle && !Mat3::from_mat4(was).abs_diff_eq(Mat3::from_mat4(is), 1e-6);
        let mut put: Vec<(NodeId, Components)> = Vec::new();
        let limb = if strays { limb_of(document, pose, node, None, false) } else { None };
        let rotation = |rotation| Components { rotation: Some(rotation), ..Components::default() };
        if let Some(limb) = limb {
            let keeps = pin.angle.then_some(was);
            let goal = Goal { tip: Vec3::ZERO, target, swivel: 0.0, keeps, soft: false };
            put.extend(
                solve(document, pose, &limb, &goal)
                    .rotations
                    .into_iter()
                    .map(|(n, r)| (n, rotation(r))),
            );
        } else if turned {
            let alone = Limb { nodes: vec![node], turns: Vec::new() };
            let goal = Goal { tip: Vec3::ZERO, target, swivel: 0.0, keeps: Some(was), soft: false };
            put.extend(
                solve(document, pose, &alone, &goal)
                    .rotations
                    .into_iter()
                    .map(|(n, r)| (n, rotation(r))),
            );
        }
        if !put.is_empty() {
            now = Some(pose.with(document, &put));
            found.extend(put);
        }
    }
    found.into_iter().collect()
}
