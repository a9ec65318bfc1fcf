//! IK commands, and pins that keep nodes in place.

use std::collections::BTreeMap;

use glam::{DVec3, Vec3};

use super::{
    CommandError, Outcome, Scene,
    clip_keys::{clip_of, time_of},
    define::document_commands,
    destination::{PoseDestination, Wanted},
    field::{ClipName, Degrees, Nodes, Seconds, choice},
    hold_report::HoldReport,
    pose_target::PoseTarget,
    rules,
};
use crate::Edit;
use ulna_geometry::orthogonal_factor;
use ulna_model::{Clip, Components, Document, NodeId, Notice, Pin, Property, Shared};
use ulna_motion::{Limits, Pose, Space, Standing, ik, limits_of};

choice! {
    /// Rotation of the end joint of a limb that is moved by IK.
    EndAngle {
        /// The end joint keeps its world rotation, so that feet stay flat.
        Keep = "keep",
        /// The end joint rotates with the limb.
        Follow = "follow",
    }
}

choice! {
    /// Parts of the body that may follow if the limb cannot reach the target.
    Body {
        /// Only the limb itself.
        Limb = "limb",
        /// The whole body: the spine leans, then the hips move.
        Full = "full",
    }
}

choice! {
    /// Kind of a pin.
    PinKind {
        /// The pin keeps the position of the node.
        Place = "place",
        /// The pin keeps the world rotation of the node.
        Angle = "angle",
        /// The pin keeps the position and the world rotation of the node.
        Both = "both",
        /// No pin.
        None = "none",
    }
}

choice! {
    /// Motion of the ground under a locked foot.
    HoldGround {
        /// The motion is estimated from the planted feet: a moving ground for a walk in place,
        /// otherwise a ground at rest.
        Feet = "feet",
        /// The ground is at rest in the scene.
        Still = "still",
    }
}

impl PinKind {
    /// Returns the pin; `None` for [`PinKind::None`].
    pub const fn pin(self) -> Option<Pin> {
        match self {
            Self::Place => Some(Pin { place: true, angle: false }),
            Self::Angle => Some(Pin { place: false, angle: true }),
            Self::Both => Some(Pin { place: true, angle: true }),
            Self::None => None,
        }
    }

    /// Returns the kind of a pin.
    pub const fn of(pin: Option<Pin>) -> Self {
        match pin {
            Some(Pin { place: true, angle: true }) => Self::Both,
            Some(Pin { place: true, angle: false }) => Self::Place,
            Some(Pin { angle: true, .. }) => Self::Angle,
            Some(_) | None => Self::None,
        }
    }
}

document_commands! {
    /// Commands that move limbs by IK, and commands on pins.
    IkCommand in "Pose";

    /// Moves a joint, or a point of its skin, to a point of the scene by IK
    DragLimb {
        /// Joint to move, at the end of the limb.
        node: Nodes,
        /// Target point of the scene, in meters.
        to: Vec3,
        /// Number of joints that rotate, counted from the end of the limb; the whole limb if
        /// omitted.
        chain: Option<usize>,
        /// Angle in degrees by which the limb swivels about the line from its root to its end; 0 if
        /// omitted.
        swivel: Option<Degrees>,
        /// Point that reaches the target, in the local space of the joint, which then rotates as
        /// well; the joint's origin if omitted.
        tip: Option<Vec3>,
        /// Rotation of the end joint: `keep` keeps its world rotation, `follow` rotates it with the
        /// limb; `keep` if omitted.
        end: Option<EndAngle>,
        /// Whether the limb eases into its full length and never straightens completely; no if
        /// omitted.
        soft: Option<bool>,
        /// Whether joints stay within the range of rotation that occurs in the clips; no if
        /// omitted.
        limits: Option<bool>,
        /// Whether feet stay in place while the hips move; yes if omitted.
        plant: Option<bool>,
        /// Part of the body that moves if the limb is too short: `limb` is only the limb, `full` is
        /// the whole body; `limb` if omitted.
        body: Option<Body>,
        /// Destination of the pose: a clip at a time, a layer, or the pose of the file.
        over: PoseDestination,
    } = "pose.ik", "Move limb to a point (IK)", asks: true;
    /// Rotates a joint so that its front faces a point of the scene
    LookAt {
        /// Joints to rotate.
        node: Nodes,
        /// Point of the scene to face, in meters.
        at: Vec3,
        /// Destination of the pose: a clip at a time, a layer, or the pose of the file.
        over: PoseDestination,
    } = "pose.look_at", "Look at a point", asks: true;
    /// Pins the position or rotation of nodes while others are posed
    SetPin {
        /// Nodes to pin or unpin.
        node: Nodes,
        /// Kind of pin: `place` keeps the position, `angle` the rotation, `both` keeps both, `none`
        /// unpins. If omitted, `both`, or `none` if all nodes are already pinned.
        kind: Option<PinKind>,
    } = "pin.set", "Pin or unpin", key: "P", enabled: rules::selected;
    /// Holds a node in place over a range or over its ground contacts, so that feet do not slide
    HoldPin {
        /// Nodes to hold in place.
        node: Nodes,
        /// Clip to edit.
        clip: ClipName,
        /// Start of the range to hold, in seconds; every ground contact if omitted.
        from: Option<Seconds>,
        /// End of the range to hold, in seconds.
        to: Option<Seconds>,
        /// Blend time into and out of the hold, in seconds; 0.1 if omitted, and up to 0.4 where the
        /// node would move too fast.
        ease: Option<Seconds>,
        /// Maximum distance from the held position at any frame, in meters; 0.0005 if omitted.
        tolerance: Option<f32>,
        /// Motion of the ground: `feet` estimates it from the planted feet, `still` is a ground at
        /// rest; `feet` if omitted.
        ground: Option<HoldGround>,
        /// Whether to add keys between frames, where the node would otherwise exceed the tolerance;
        /// no if omitted.
        between: Option<bool>,
    } = "pin.hold",
        "Hold in place", key: "Shift+P", enabled: rules::joint_over_clip;
    /// Removes the pins of all nodes
    ClearPins {
        /// Nodes to unpin; all if omitted.
        node: Option<Nodes>,
    } = "pin.clear", "Remove all pins";
}

/// Returns the only node of an argument. Fails if there are several.
fn one(nodes: &Nodes, document: &Document) -> Result<NodeId, CommandError> {
    match nodes.all(document)?[..] {
        [node] => Ok(node),
        ref many => Err(CommandError::other(
            "one_node_wanted",
            format!("only one node can be moved at a time, but {} were named", many.len()),
        )),
    }
}

fn rotations(
    all: impl IntoIterator<Item = (NodeId, glam::Quat)>,
) -> impl Iterator<Item = (NodeId, Components)> {
    all.into_iter().map(|(node, rotation)| {
        (node, Components { rotation: Some(rotation), ..Components::default() })
    })
}

/// Returns the feet that stay in place while the body moves. Dragged and pinned feet are excluded.
fn planted(
    document: &Document,
    seen: &Pose,
    body: NodeId,
    dragged: &[NodeId],
) -> BTreeMap<NodeId, Pin> {
    let both = Pin { place: true, angle: true };
    let legs = ik::legs_of(document, seen, body).into_iter();
    legs.filter(|n| !dragged.contains(n) && !document.aids.pins.contains_key(n))
        .map(|n| (n, both))
        .collect()
}

/// Returns a note if the limb misses its target, with the reason, or if a bone changes its length.
fn missed(label: &str, solved: &ik::Solved, goal: &ik::Goal, has_limits: bool) -> Option<Notice> {
    /// Tolerances: position error as a fraction of the limb length, and relative change of a bone
    /// length.
    const NEAR: (f32, f32) = (1e-4, 1e-3);
    if solved.error > NEAR.0 * solved.length.max(1e-6) {
        let why = match solved.reach {
            reach if reach > 1.0 => format!("its limb reaches only {:.3} m", solved.length),
            _ if has_limits => "its joints are at their limits".to_owned(),
            _ if goal.soft => {
                "a soft reach never fully straightens the limb; turn “soft” off to reach it"
                    .to_owned()
            }
            reach if reach < solved.least => "its limb cannot bend any further".to_owned(),
            _ => "its joints cannot reach it because of nonuniform scale in a parent".to_owned(),
        };
        let said = format!("{label} is {:.3} m from its target: {why}", solved.error);
        return Some(Notice::new("target_not_reached", said));
    }
    (solved.stretch > NEAR.1).then(|| {
        let percent = solved.stretch * 100.0;
        let said = format!(
            "a bone of the limb of {label} became {percent:.1} % longer or shorter, because of \
                nonuniform scale in a parent"
        );
        Notice::new("limb_stretched", said)
    })
}

/// Excludes joints with a locked rotation from the rotating joints, unless none would remain.
fn turn_unlocked(document: &Document, limb: &mut ik::Limb) {
    let is_free = |k: &usize| !document.node(limb.nodes[*k]).locks.has_all_of(Property::Rotation);
    let free: Vec<usize> = limb.turns.iter().copied().filter(is_free).collect();
    if !free.is_empty() {
        limb.turns = free;
    }
}

impl DragLimb {
    pub(super) fn wanted(
        &self,
        place: &PoseTarget<'_>,
        document: &Document,
    ) -> Result<(Wanted, Option<Notice>), CommandError> {
        let mut node = one(&self.node, document)?;
        let seen = place.seen();
        let mut target = self.to;
        let of = |n: NodeId| {
            ik::limb_of(document, seen, n, self.chain.map(|n| n.max(1)), self.tip.is_some())
        };
        let mut limb = of(node);
        // A joint such as a thigh or a knuckle is the first of its chain and cannot move by IK
        // alone. Its parent is moved by the same offset instead.
        let bodies = ik::Bodies::of(document);
        let body = bodies.body_of(node);
        if let (None, Some(parent)) = (&limb, bodies.hangs_on(node))
            && node != body
            && !bodies.is_above_hips(node)
        {
            let above = of(parent).filter(|l| l.turns.len() > 1);
            if parent == body || above.is_some() {
                let at = |n: NodeId| seen.world[n.index()].w_axis.truncate();
                target += at(parent) - at(node);
                (node, limb) = (parent, above);
            } else {
                // A joint within a limb, such as a feather of a wing: up to two bones above the
                // joint rotate, but never the body itself.
                let bones = std::iter::successors(Some(parent), |n| bodies.hangs_on(*n));
                let bones = bones.take_while(|n| *n != body).take(2).count();
                limb = ik::limb_of(document, seen, node, Some(bones.max(1)), self.tip.is_some());
            }
        }
        let carries = self.chain.is_none() && self.tip.is_none() && bodies.body_of(node) == node;
        if let Some(limb) = &mut limb {
            turn_unlocked(document, limb);
        }
        let Some(limb) = limb.filter(|_| !carries) else {
            // A joint without ancestor joints, or the joint that moves the whole body, is
            // translated.
            let label = document.node(node).label(node);
            let at = seen.world[node.index()].transform_point3(self.tip.unwrap_or_default());
            let (body, node) = (node, bodies.mover(node));
            let parent = place.parent_world(node).as_dmat4();
            if !ulna_model::transform::is_invertible(parent.determinant()) {
                let said = format!(
                    "a parent of {label} has a scale of 0, so it cannot be moved; set the scale of \
                        the parent first"
                );
                return Err(CommandError::other("squashed_flat", said));
            }
            let step = parent.inverse().transform_vector3((target - at).as_dvec3());
            let to = place.local(node).translation + step.as_vec3();
            let mut wanted =
                vec![(node, Components { translation: Some(to), ..Components::default() })];
            // If the hips move, the feet stay planted. Joints above the hips move the feet along.
            if carries && self.plant != Some(false) && !bodies.is_above_hips(body) {
                let after = seen.with(document, &wanted);
                wanted.extend(ik::hold(
                    document,
                    seen,
                    &after,
                    &planted(document, seen, body, &[]),
                    &|_| false,
                ));
            }
            return Ok((wanted, None));
        };
        let keeps = self.end.unwrap_or(EndAngle::Keep) == EndAngle::Keep;
        let goal = ik::Goal {
            tip: self.tip.unwrap_or_default(),
            target,
            swivel: self.swivel.map_or(0.0, |d| d.0.to_radians()),
            keeps: keeps.then(|| seen.world[node.index()]),
            soft: self.soft.unwrap_or(false),
        };
        let mut wanted = Wanted::new();
        let leaned;
        let mut pose = seen;
        if self.body == Some(Body::Full) {
            let feet = if self.plant == Some(false) {
                BTreeMap::new()
            } else {
                planted(document, seen, bodies.body_of(node), &limb.nodes)
            };
            let pins = document.aids.pins.iter().chain(&feet).map(|(n, pin)| (*n, *pin)).collect();
            wanted = ik::lean(document, seen, &limb, &goal, &pins);
            let after = seen.with(document, &wanted);
            wanted.extend(ik::hold(document, seen, &after, &feet, &|_| false));
            leaned = seen.with(document, &wanted);
            pose = &leaned;
        }
        let turning: Vec<NodeId> = limb.turns.iter().map(|k| limb.nodes[*k]).collect();
        let limits =
            if self.limits == Some(true) { limits_of(document, &turning) } else { Limits::new() };
        let solved = ik::solve_within(document, pose, &limb, &goal, &limits);
        let note = missed(&document.node(node).label(node), &solved, &goal, !limits.is_empty());
        wanted.extend(rotations(solved.rotations));
        Ok((wanted, note))
    }

    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let place = PoseTarget::of(scene, &self.over)?;
        let (wanted, note) = self.wanted(&place, scene.document)?;
        place.put_noting(wanted, note)
    }
}

/// Returns the direction in the node's local space that faces +z in the rest pose. +z is forward in
/// glTF.
fn forward_at_rest(document: &Document, node: NodeId) -> Option<DVec3> {
    let above = std::iter::successors(Some(node), |n| document.node(*n).parent);
    let world = above
        .fold(glam::DMat4::IDENTITY, |below, n| document.node(n).rest.matrix().as_dmat4() * below);
    Some(orthogonal_factor(&world)?.transpose() * DVec3::Z)
}

impl LookAt {
    pub(super) fn wanted(
        &self,
        place: &PoseTarget<'_>,
        document: &Document,
    ) -> Result<Wanted, CommandError> {
        let turned = |node: NodeId| {
            let world = place.seen().world[node.index()].as_dmat4();
            let way = self.at.as_dvec3() - world.w_axis.truncate();
            let now =
                orthogonal_factor(&world).zip(forward_at_rest(document, node)).map(|(o, f)| o * f);
            let label = || document.node(node).label(node);
            let Some(now) = now else {
                return Err(CommandError::other(
                    "squashed_flat",
                    format!(
                        "{} has a scale of 0, so it has no front; set its scale first",
                        label()
                    ),
                ));
            };
            if way.length() < 1e-9 {
                return Err(CommandError::other(
                    "target_at_node",
                    format!("{} is exactly at that point; choose a point in front of it", label()),
                ));
            }
            let (axis, angle) =
                glam::DQuat::from_rotation_arc(now.normalize(), way.normalize()).to_axis_angle();
            let standing: Standing = place.standing(node, Space::World);
            let rotation = standing.turned(axis.as_vec3(), angle as f32, Space::World);
            let rotation =
                rotation.map_err(|source| CommandError::Transform { node: label(), source })?;
            Ok((node, Components { rotation: Some(rotation), ..Components::default() }))
        };
        self.node.all(document)?.into_iter().map(turned).collect()
    }

    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let place = PoseTarget::of(scene, &self.over)?;
        place.put(self.wanted(&place, scene.document)?)
    }
}

impl SetPin {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let document = scene.document;
        let nodes = self.node.all(document)?;
        let pinned = |n: &NodeId| document.aids.pins.get(n).copied();
        let kind = self.kind.unwrap_or_else(|| {
            let all = nodes.iter().all(|n| pinned(n).is_some());
            if all { PinKind::None } else { PinKind::Both }
        });
        let to = kind.pin();
        Ok(nodes
            .into_iter()
            .filter(|n| pinned(n) != to)
            .map(|node| Edit::SetPin { node, to })
            .collect())
    }
}

impl HoldPin {
    fn ranges(
        &self,
        document: &Document,
        clip: &Shared<Clip>,
        node: NodeId,
        ground: Vec3,
    ) -> Result<Vec<ik::HoldRange>, CommandError> {
        let label = document.node(node).label(node);
        match (self.from, self.to) {
            (None, None) => {
                let found = ik::contacts_over(document, clip, node, ground);
                if found.is_empty() {
                    let message = format!(
                        "no ground contact of {label} was found, because it is never low and slow \
                            at the same time; set the range to hold with “from” and “to”"
                    );
                    return Err(CommandError::other("no_contact_found", message));
                }
                Ok(found)
            }
            (Some(from), Some(to)) => {
                let (from, to) = (time_of(from)?, time_of(to)?.min(clip.length()));
                if to <= from {
                    return Err(CommandError::other(
                        "times_out_of_order",
                        format!("“to” ({to} s) must be after “from” ({from} s)"),
                    ));
                }
                Ok(vec![ik::HoldRange { from, to }])
            }
            _ => Err(CommandError::other(
                "arguments_together",
                "“from” and “to” must be used together; one of them is missing",
            )),
        }
    }

    fn holding(&self, ground: Vec3) -> Result<ik::Holding, CommandError> {
        let ease = self.ease.map(|s| s.0);
        let tolerance = self.tolerance.unwrap_or(5e-4);
        if !(ease.is_none_or(|e| e >= 0.0 && e.is_finite()) && tolerance > 0.0) {
            return Err(CommandError::other(
                "argument_out_of_range",
                "“ease” (seconds) and “tolerance” (meters) must not be negative",
            ));
        }
        let shrinks = self.from.is_none() && self.to.is_none();
        Ok(ik::Holding { ease, tolerance, shrinks, between: self.between == Some(true), ground })
    }

    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let id = self.clip.find(document)?;
        let clip = clip_of(document, id)?;
        let nodes = self.node.all(document)?;
        let moving = self.ground.unwrap_or(HoldGround::Feet) == HoldGround::Feet;
        let ground = nodes
            .first()
            .filter(|_| moving)
            .map_or(Vec3::ZERO, |n| ik::ground_under(document, clip, *n));
        let holding = self.holding(ground)?;
        let mut working = clip.clone();
        let mut report = HoldReport::default();
        for node in nodes {
            let label = document.node(node).label(node);
            let ranges = self.ranges(document, &working, node, ground)?;
            let held = ik::hold_over(document, &working, node, &ranges, &holding).ok_or_else(|| {
                CommandError::other("not_a_limb", format!(
                    "{label} is not the end of a limb, so no parent joint can rotate to hold it; \
                        choose a hand or a foot"
                ))
            })?;
            report.add(&label, &held);
            working = Shared::new(held.clip);
        }
        let notes = report.in_words(ground)?;
        let changed =
            working.tracks.iter().filter(|(track, to)| clip.tracks.get(track) != Some(to));
        let edits = changed
            .map(|(track, to)| Edit::SetTrack { clip: id, track: *track, to: Some(to.clone()) })
            .collect();
        Ok(Outcome { edits, notes, ..Outcome::default() })
    }
}

impl ClearPins {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let document = scene.document;
        let some = self.node.as_ref().map(|n| n.all(document)).transpose()?;
        let goes = |n: &&NodeId| some.as_ref().is_none_or(|some| some.contains(n));
        Ok(document
            .aids
            .pins
            .keys()
            .filter(goes)
            .map(|node| Edit::SetPin { node: *node, to: None })
            .collect())
    }
}

impl IkCommand {
    /// Returns the components that the command sets on nodes.
    ///
    /// # Errors
    /// The errors of running the command.
    pub fn wanted(&self, scene: &Scene<'_>) -> Result<Wanted, CommandError> {
        match self {
            Self::DragLimb(drag) => {
                Ok(drag.wanted(&PoseTarget::of(scene, &drag.over)?, scene.document)?.0)
            }
            Self::LookAt(look) => look.wanted(&PoseTarget::of(scene, &look.over)?, scene.document),
            Self::SetPin(_) | Self::ClearPins(_) | Self::HoldPin(_) => Ok(Wanted::new()),
        }
    }
}
