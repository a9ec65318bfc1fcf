//! Root motion: moves the travel of a body from the hips to the joint above them, for engines that
//! move the character by that joint. It can also remove the travel (in place), or bake it into the
//! hips.
//!
//! `P(t)` is the position of the hips, and `Y(t)` their rotation about the vertical since the
//! start. Both contain only the requested parts. The travel in the scene is then
//! `M(t) = P(t)·Y(t)·P(0)⁻¹`. For a root joint with the world transform `W = W_q·R`:
//!
//! ```text
//!  to the root  R' = W_q⁻¹·M·W_q·R      C' = R'⁻¹·R·C    for all children C, which stay in place
//!  in place     X' = W_q⁻¹·M⁻¹·W_q·X                     for the topmost moving joint X
//!  to the hips  R' = R of the pose      C' = R'⁻¹·R·C    a part only: R' = W_q⁻¹·M_R⁻¹·W_q·R,
//!                                                        with M_R the root's own travel
//! ```
//!
//! Keys are made at all key times of the involved tracks. More keys are added where linear
//! interpolation has too large an error.

use std::collections::{BTreeMap, HashSet};

use glam::{DMat4, DQuat, DVec3, Mat4, Quat, Vec3};

use super::key_span;
use crate::{
    Evaluator, Pose, SeenPoints, Stack, ancestors::above, humanoid::BodyPart, joint_bounds,
    rig::Rig, roles::roles_of,
};
use ulna_model::{
    Clip, Document, Interpolation, NodeId, Property, Shared, Track, Transform,
    transform::angle_between,
};

/// Destination of the travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TravelTo {
    /// The joint above the hips.
    Root,
    /// No joint: the travel is removed, and the motion is in place.
    InPlace,
    /// The hips. The travel is removed from the joint above them.
    Hips,
}

/// The parts of the travel to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TravelParts {
    /// Translation along the ground.
    pub ground: bool,
    /// Translation up and down.
    pub height: bool,
    /// Rotation about the vertical.
    pub turn: bool,
}

/// The travel (root motion) of a body in a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Travel {
    /// The joint that defines the travel: the hips, or a joint found by its motion.
    pub hips: NodeId,
    /// Translation from the first key to the last, meters.
    pub way: Vec3,
    /// Rotation about the vertical from the first key to the last, radians.
    pub turn: f32,
    /// Time from the first key to the last, seconds.
    pub time: f32,
}

impl Travel {
    /// Speed along the ground, meters per second.
    pub fn speed(&self) -> f32 {
        if self.time > 0.0 {
            Vec3::new(self.way.x, 0.0, self.way.z).length() / self.time
        } else {
            0.0
        }
    }
}

/// A clip whose travel was moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// The clip after the move.
    pub clip: Clip,
    /// The node whose keys contain the travel after the move; `None` if the travel was removed.
    pub root: Option<NodeId>,
    /// Maximum errors of the nodes below `root` between keys: the distance of the skin in meters,
    /// and the angle of joints in radians.
    pub error: (f32, f32),
}

/// Reason why the travel of a clip cannot be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTravel {
    /// No node of the clip moves.
    Still,
    /// No joint above the hips can receive the travel.
    NoRoot,
    /// The given joint is not above the hips.
    NotAbove,
    /// The joint above the hips has no motion.
    RootStill,
}

struct ClipPlayer<'a> {
    document: &'a Document,
    evaluator: Evaluator,
    stack: Stack,
    pose: Pose,
}

impl<'a> ClipPlayer<'a> {
    fn new(document: &'a Document, clip: &Shared<Clip>) -> Self {
        Self {
            document,
            evaluator: Evaluator::default(),
            stack: Stack::of(Some(clip), 0.0),
            pose: Pose::default(),
        }
    }

    fn at(&mut self, time: f64) -> &Pose {
        self.stack.lanes[0].instances[0].time = time;
        self.evaluator.update(self.document, &self.stack, &mut self.pose);
        &self.pose
    }
}

pub(super) fn world(document: &Document, pose: &Pose, node: Option<NodeId>) -> DMat4 {
    node.map_or(DMat4::IDENTITY, |n| {
        std::iter::once(n).chain(above(document, n)).fold(DMat4::IDENTITY, |below, n| {
            pose.local[n.index()].transform().matrix().as_dmat4() * below
        })
    })
}

pub(super) fn turned(world: &DMat4) -> DQuat {
    let axis = |k: usize| world.col(k).truncate().try_normalize();
    match (axis(0), axis(1)) {
        (Some(x), Some(y)) => {
            let z = x.cross(y).try_normalize().unwrap_or(DVec3::Z);
            DQuat::from_mat3(&glam::DMat3::from_cols(x, z.cross(x), z)).normalize()
        }
        _ => DQuat::IDENTITY,
    }
}

/// Angle of the rotation about the vertical that is contained in a rotation, radians.
pub(super) fn about_vertical(turn: DQuat) -> f64 {
    let half = turn.y.atan2(turn.w);
    let angle = 2.0 * half;
    // The shortest path.
    angle - std::f64::consts::TAU * (angle / std::f64::consts::TAU).round()
}

/// Finds the joint that defines the travel: the hips. Without hips, it is the joint with
/// translation keys that has the most nodes below it. Without such a joint, it is the topmost joint
/// that the clip moves.
pub(super) fn traveler(document: &Document, clip: &Clip) -> Option<NodeId> {
    let moved: HashSet<NodeId> = clip
        .tracks
        .values()
        .filter(|t| t.property != Property::Weights)
        .map(|t| t.target)
        .collect();
    let moves = |n: NodeId| moved.contains(&n);
    let carried = |n: NodeId| moves(n) || above(document, n).any(moves);
    let hips = roles_of(document)
        .into_iter()
        .find(|(n, r)| r.is_some_and(|r| r.part == BodyPart::Hips) && carried(*n));
    let mapped = document.humanoid().and_then(|v| v.node("hips")).filter(|n| carried(*n));
    let rig = Rig::of(document);
    let varies = |t: &Track| (1..t.times.len()).any(|k| t.value(k) != t.value(0));
    let shifts = |n: NodeId| clip.track(n, Property::Translation).is_some_and(|(_, t)| varies(t));
    let most = || {
        // Number of nodes below each node. Children precede parents in this order.
        let mut below = vec![0usize; document.nodes.len()];
        for node in document.nodes.order().iter().rev() {
            if let Some(parent) = document.node(*node).parent {
                below[parent.index()] += below[node.index()] + 1;
            }
        }
        let shifting =
            document.nodes.order().iter().rev().copied().filter(|n| rig.carries(*n) && shifts(*n));
        // If several joints have the same number of nodes below them, the topmost one is used.
        shifting.max_by_key(|n| below[n.index()])
    };
    mapped
        .or(hips.map(|(n, _)| n))
        .or_else(most)
        .or_else(|| document.nodes.order().iter().copied().find(|n| moves(*n)))
}

/// Measures the travel of a body from the first key of a clip to the last.
pub fn travel(document: &Document, clip: &Clip) -> Option<Travel> {
    let (first, last) = key_span(clip)?;
    let hips = traveler(document, clip)?;
    let mut player = ClipPlayer::new(document, &Shared::new(clip.clone()));
    let [start, end] = [first, last].map(|t| world(document, player.at(f64::from(t)), Some(hips)));
    let way = (end.w_axis - start.w_axis).truncate().as_vec3();
    let turn = about_vertical(turned(&end) * turned(&start).conjugate()) as f32;
    Some(Travel { hips, way, turn, time: last - first })
}

/// The travel between two world transforms of the hips, as a transform in the scene. Only the parts
/// in `parts` are included.
fn traveled(parts: TravelParts, start: &DMat4, now: &DMat4) -> DMat4 {
    let meant = |p: DVec3| {
        DVec3::new(
            if parts.ground { p.x } else { 0.0 },
            if parts.height { p.y } else { 0.0 },
            if parts.ground { p.z } else { 0.0 },
        )
    };
    let (from, to) = (meant(start.w_axis.truncate()), meant(now.w_axis.truncate()));
    let turn =
        if parts.turn { about_vertical(turned(now) * turned(start).conjugate()) } else { 0.0 };
    DMat4::from_translation(to) * DMat4::from_rotation_y(turn) * DMat4::from_translation(-from)
}

/// The nodes that change when travel is moved, and how to compute their new transforms.
struct Plan {
    /// Nodes that get keys.
    nodes: Vec<NodeId>,
    /// The node whose keys contain the travel.
    root: Option<NodeId>,
    /// Destination of the travel, which decides the root's new local transform.
    to: TravelTo,
    /// For a partial move to the hips: the parts to move, and the root's world transform at the
    /// start. `None` if all of the travel is moved.
    part: Option<(TravelParts, DMat4)>,
}

impl Plan {
    /// Computes the new local matrices of the nodes for one pose.
    fn at(&self, document: &Document, pose: &Pose, travel: &DMat4) -> Vec<DMat4> {
        let local = |n: NodeId| pose.local[n.index()].transform().matrix().as_dmat4();
        match (self.to, self.root) {
            (TravelTo::InPlace, _) | (_, None) => self
                .nodes
                .iter()
                .map(|n| {
                    let parent = world(document, pose, document.node(*n).parent);
                    parent.inverse() * travel.inverse() * parent * local(*n)
                })
                .collect(),
            (to, Some(root)) => {
                let parent = world(document, pose, document.node(root).parent);
                let was = local(root);
                let now = match (to, &self.part) {
                    (TravelTo::Root, _) => parent.inverse() * travel * parent * was,
                    (_, Some((parts, start))) => {
                        let own = traveled(*parts, start, &(parent * was));
                        parent.inverse() * own.inverse() * parent * was
                    }
                    _ => document.node(root).local().transform().matrix().as_dmat4(),
                };
                let over = now.inverse() * was;
                self.nodes.iter().map(|n| if *n == root { now } else { over * local(*n) }).collect()
            }
        }
    }
}

fn plan(
    document: &Document,
    clip: &Clip,
    hips: NodeId,
    to: TravelTo,
    root: Option<NodeId>,
) -> Result<Plan, NoTravel> {
    let moves =
        |n: NodeId| clip.tracks.values().any(|t| t.target == n && t.property != Property::Weights);
    let found = match root {
        Some(root) if above(document, hips).any(|n| n == root) => Some(root),
        Some(_) => return Err(NoTravel::NotAbove),
        // Helper nodes that form one joint with the hips do not count as nodes above them.
        None => document.node(Rig::of(document).top_of_joint(document, hips)).parent,
    };
    // The transform of a skinned mesh has no effect.
    let is_skinned =
        |n: &NodeId| document.node(*n).skin.is_some() && document.children(*n).is_empty();
    let children = |n: NodeId| document.children(n).iter().copied().filter(|c| !is_skinned(c));
    match to {
        TravelTo::InPlace => {
            let top =
                std::iter::once(hips).chain(above(document, hips)).filter(|n| moves(*n)).last();
            Ok(Plan { nodes: vec![top.ok_or(NoTravel::Still)?], root: None, to, part: None })
        }
        TravelTo::Root => {
            let root = found.ok_or(NoTravel::NoRoot)?;
            let nodes = std::iter::once(root).chain(children(root)).collect();
            Ok(Plan { nodes, root: Some(root), to, part: None })
        }
        TravelTo::Hips => {
            let root = root
                .or_else(|| above(document, hips).find(|n| moves(*n)))
                .ok_or(NoTravel::RootStill)?;
            if !moves(root) {
                return Err(NoTravel::RootStill);
            }
            Ok(Plan { nodes: children(root).collect(), root: Some(root), to, part: None })
        }
    }
}

/// Moves the travel of a clip. `root` is the joint above the hips whose keys contain the travel
/// before or after the move; by default, the nearest one.
///
/// # Errors
/// The clip has no travel to move, or no joint can receive the travel.
pub fn move_travel(
    document: &Document,
    clip: &Clip,
    to: TravelTo,
    parts: TravelParts,
    root: Option<NodeId>,
) -> Result<Moved, NoTravel> {
    /// Largest errors that are invisible: meters for a body 1.8 m high, and radians.
    const NEAR: (f32, f32) = (5e-4, 2e-3);
    const ROUNDS: usize = 4;
    /// Number of sampled vertices.
    const SEEN: usize = 1024;
    let hips = traveler(document, clip).ok_or(NoTravel::Still)?;
    let (first, _) = key_span(clip).ok_or(NoTravel::Still)?;
    let mut plan = plan(document, clip, hips, to, root)?;
    let shown = Shared::new(clip.clone());
    let mut player = ClipPlayer::new(document, &shown);
    if let (TravelTo::Hips, Some(root), false) =
        (to, plan.root, parts.ground && parts.height && parts.turn)
    {
        plan.nodes.push(root);
        plan.part = Some((parts, world(document, player.at(f64::from(first)), Some(root))));
    }
    let start = world(document, player.at(f64::from(first)), Some(hips));
    let height =
        joint_bounds(document, &player.pose).map_or(1.8, |(low, high)| (high - low).max_element());
    let near = (NEAR.0 * if height > 1e-6 { height / 1.8 } else { 1.0 }, NEAR.1);
    // A node's own rotation does not affect its position.
    let over: Vec<NodeId> = above(document, hips).collect();
    let moved = |n: NodeId| n == hips || plan.nodes.contains(&n);
    let concerned = |t: &&Shared<Track>| match t.property {
        Property::Weights => false,
        _ if over.contains(&t.target) => true,
        property => moved(t.target) && (parts.turn || property == Property::Translation),
    };
    let mut times: Vec<f32> =
        clip.tracks.values().filter(concerned).flat_map(|t| t.times.iter().copied()).collect();
    times.sort_by(f32::total_cmp);
    times.dedup();
    if times.is_empty() {
        return Err(NoTravel::Still);
    }
    // The motion of the root itself is intended to change.
    let is_below = |n: NodeId| match plan.root {
        Some(root) => document.is_above(root, n),
        None => plan.nodes.iter().any(|top| *top == n || document.is_above(*top, n)),
    };
    let seen = SeenPoints::where_all(document, SEEN, &is_below);
    for round in 0.. {
        let made = keyed(document, clip, &plan, parts, &start, &times, &mut player);
        let other = Shared::new(made);
        let mut now = ClipPlayer::new(document, &other);
        let (mut error, mut more) = ((0.0f32, 0.0f32), Vec::new());
        for ends in times.windows(2) {
            let middle = f64::from(ends[0]) * 0.5 + f64::from(ends[1]) * 0.5;
            let (was, is) = (player.at(middle), now.at(middle));
            let travel = traveled(parts, &start, &world(document, was, Some(hips)));
            let (mut off, mut angle) = (0.0f32, 0.0f32);
            // The motion of the root is intended to change.
            for node in plan.nodes.iter().copied().chain([hips]).filter(|n| Some(*n) != plan.root) {
                let was = world(document, was, Some(node));
                let wanted = if to == TravelTo::InPlace { travel.inverse() * was } else { was };
                let is = world(document, is, Some(node));
                off = off.max((wanted.w_axis - is.w_axis).truncate().length() as f32);
                angle = angle.max(angle_between(turned(&wanted).as_quat(), turned(&is).as_quat()));
            }
            let back =
                if to == TravelTo::InPlace { travel.inverse().as_mat4() } else { Mat4::IDENTITY };
            off = off.max(seen.apart_after(&back, was, is));
            error = (error.0.max(off), error.1.max(angle));
            if off > near.0 || angle > near.1 {
                more.push(middle as f32);
            }
        }
        more.retain(|t| !times.contains(t));
        if more.is_empty() || round == ROUNDS {
            return Ok(Moved {
                clip: (*other).clone(),
                root: plan.root.filter(|_| to == TravelTo::Root),
                error,
            });
        }
        times.extend(more);
        times.sort_by(f32::total_cmp);
    }
    Err(NoTravel::Still)
}

/// Returns the clip with the keys of a plan.
fn keyed(
    document: &Document,
    clip: &Clip,
    plan: &Plan,
    parts: TravelParts,
    start: &DMat4,
    times: &[f32],
    player: &mut ClipPlayer<'_>,
) -> Clip {
    let Some(hips) = traveler(document, clip) else { return clip.clone() };
    let mut locals: BTreeMap<NodeId, Vec<(Transform, Transform)>> = BTreeMap::new();
    for time in times {
        let pose = player.at(f64::from(*time));
        let travel = traveled(parts, start, &world(document, pose, Some(hips)));
        for (node, local) in plan.nodes.iter().zip(plan.at(document, pose, &travel)) {
            let like = pose.local[node.index()].transform();
            let made = ulna_model::transform::decompose(&local, &like).transform;
            locals.entry(*node).or_default().push((like, made));
        }
    }
    let mut made = clip.clone();
    if let (TravelTo::Hips, Some(root), None) = (plan.to, plan.root, plan.part) {
        made.tracks.retain(|_, t| t.target != root || t.property == Property::Weights);
    }
    let shared: ulna_model::Slice<f32> = times.into();
    let size = document
        .node_ids()
        .map(|n| document.node(n).rest.transform().translation.length())
        .fold(0.0, f32::max);
    for (node, locals) in locals {
        let pose = document.node(node).local().transform();
        let is_same = |property: Property| match property {
            // Without a rotation in the travel, no rotation changes.
            Property::Rotation => {
                !parts.turn
                    || locals
                        .iter()
                        .all(|(was, is)| angle_between(was.rotation, is.rotation) <= 1e-5)
            }
            _ => locals
                .iter()
                .all(|(was, is)| was.translation.distance(is.translation) <= 1e-7 * size),
        };
        let [same_shift, same_turn] = [Property::Translation, Property::Rotation].map(is_same);
        let locals: Vec<Transform> = locals.iter().map(|(_, made)| *made).collect();
        let near = |a: Vec3, b: Vec3| a.distance(b) <= 1e-6 * b.length().max(1e-3);
        // An error within the tolerance is invisible for a body of this size.
        let strays = |property: Property, locals: &[Transform]| match property {
            Property::Rotation => {
                locals.iter().any(|l| angle_between(l.rotation, pose.rotation) > 1e-4)
            }
            _ => locals.iter().any(|l| l.translation.distance(pose.translation) > 1e-5 * size),
        };
        let is_shift = locals.iter().any(|l| !near(l.translation, pose.translation));
        let is_turn = locals.iter().any(|l| angle_between(l.rotation, pose.rotation) > 1e-5);
        let mut last = Quat::IDENTITY;
        let turns: Vec<f32> = locals
            .iter()
            .flat_map(|l| {
                last = if l.rotation.dot(last) < 0.0 { -l.rotation } else { l.rotation };
                last.to_array()
            })
            .collect();
        let shifts: Vec<f32> = locals.iter().flat_map(|l| l.translation.to_array()).collect();
        for (property, values, changes, is_same) in [
            (Property::Translation, shifts, is_shift, same_shift),
            (Property::Rotation, turns, is_turn, same_turn),
        ] {
            let own = made.track(node, property).map(|(id, _)| id);
            let leaves = plan.part.is_some() && plan.root == Some(node);
            if (own.is_none() && !changes)
                || (is_same && !leaves)
                || (property == Property::Rotation && !parts.turn)
            {
                continue;
            }
            if let (Some(id), true) =
                (own, plan.part.is_some() && plan.root == Some(node) && !strays(property, &locals))
            {
                // All of the motion of this track was moved, so the track is removed.
                made.tracks.remove(&id);
                continue;
            }
            let width = values.len() / times.len();
            let track = Track {
                target: node,
                property,
                interpolation: Interpolation::Linear,
                times: shared.clone(),
                values: values.into(),
                width,
                kinds: Default::default(),
                modes: Default::default(),
            };
            let id = own.unwrap_or_else(|| made.free_track_id());
            made.tracks.insert(id, Shared::new(track));
        }
    }
    made
}
