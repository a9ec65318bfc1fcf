//! Test bends of a skin, used while weights are painted. A bend is not part of the document: it is
//! not saved, unless the user saves it as a pose.
//!
//! ```text
//!  shown pose ──┐
//!  test pose ───┴► rotations about the joints' own axes ─► blend with the bind pose ─► pose
//! ```

use std::collections::{BTreeMap, BTreeSet};

use glam::{Mat3, Quat, Vec3};

use super::{
    Evaluator, Mirror, Pose, Stack,
    ik::{Bodies, Limb, limb_of},
    limits_of,
};
use ulna_model::{
    Components, Document, NodeId, Shared, SkinId, Transform,
    transform::{angle_between, is_invertible, unit_or},
};

/// A pose for testing a skin. Joints that are not listed are in the bind pose.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TestPose {
    /// Display name of the pose.
    pub name: String,
    /// Local transforms, complete or some components only.
    pub locals: BTreeMap<NodeId, Components>,
}

/// The bend of a skeleton during weight painting.
#[derive(Clone, Debug, PartialEq)]
pub struct Bend {
    /// Test pose that replaces the displayed pose; `None` keeps the displayed pose.
    pub pose: Option<Shared<TestPose>>,
    /// Rotations of joints about their own axes, applied after the pose.
    pub turns: BTreeMap<NodeId, Quat>,
    /// Blend factor between the bind pose (0) and the bent pose (1) for all joints.
    pub amount: f32,
}

impl Default for Bend {
    fn default() -> Self {
        Self { pose: None, turns: BTreeMap::new(), amount: 1.0 }
    }
}

/// Interpolates between two transforms.
fn between(from: &Transform, to: &Transform, amount: f32) -> Transform {
    let near = if from.rotation.dot(to.rotation) < 0.0 { -to.rotation } else { to.rotation };
    Transform {
        translation: from.translation.lerp(to.translation, amount),
        rotation: unit_or(super::slerp(from.rotation, near, amount), to.rotation),
        scale: from.scale.lerp(to.scale, amount),
    }
}

impl Bend {
    /// True if the bend changes nothing.
    pub fn is_none(&self) -> bool {
        self.pose.is_none() && self.turns.is_empty() && self.amount >= 1.0
    }

    /// Applies the bend to a pose. The test pose and the blend with the bind pose affect joints of
    /// the skin. Rotations affect every listed node. All other nodes are unchanged.
    #[must_use]
    pub fn applied(&self, document: &Document, skin: SkinId, shown: &Pose) -> Pose {
        let own: BTreeSet<NodeId> = document.skin(skin).joints.iter().copied().collect();
        let joints = own.iter().chain(self.turns.keys().filter(|n| !own.contains(n)));
        let wanted = joints.filter_map(|joint| {
            let now = *shown.local.get(joint.index())?;
            let rest = document.node(*joint).rest.transform();
            let mut local = now.transform();
            if let Some(pose) = self.pose.as_ref().filter(|_| own.contains(joint)) {
                local = pose.locals.get(joint).copied().unwrap_or_default().over(&rest);
            }
            if let Some(turn) = self.turns.get(joint) {
                local.rotation = unit_or(local.rotation * *turn, local.rotation);
            }
            if self.amount < 1.0 && own.contains(joint) {
                local = between(&rest, &local, self.amount.max(0.0));
            }
            // Unchanged joints keep their exact matrix.
            let Transform { translation, rotation, scale } = local;
            let all = Components {
                translation: Some(translation),
                rotation: Some(rotation),
                scale: Some(scale),
            };
            (local != now.transform() && local.is_finite()).then_some((*joint, all))
        });
        let wanted: Vec<(NodeId, Components)> = wanted.collect();
        shown.with(document, &wanted)
    }

    /// Rotates joints by an angle in radians about an axis of the scene. Each joint rotates about
    /// its own origin, so a chain of joints curls. `before` has the rotations of the bend at the
    /// start of the drag. `seen` is the bent pose at the start of the drag, with an amount of 1.
    pub fn turn(
        &mut self,
        document: &Document,
        (before, seen): (&BTreeMap<NodeId, Quat>, &Pose),
        nodes: &[NodeId],
        (axis, angle): (Vec3, f32),
    ) {
        self.turns.clone_from(before);
        for node in nodes {
            let (Some(local), Some(axis)) = (seen.local.get(node.index()), axis.try_normalize())
            else {
                continue;
            };
            // The turn is applied after the joint's rotation and before its scale.
            let parent = Mat3::from_mat4(seen.parent_world(document, *node));
            let determinant = parent.determinant();
            if !local.is_finite() || !is_invertible(f64::from(determinant)) {
                continue;
            }
            let own = local.transform().rotation.conjugate() * (parent.inverse() * axis);
            let Some(axis) = own.try_normalize() else { continue };
            // In a mirrored space, the angle changes its sign.
            let angle = if determinant < 0.0 { -angle } else { angle };
            let turn = Quat::from_axis_angle(axis, angle);
            let now = before.get(node).copied().unwrap_or_default();
            self.turns.insert(*node, unit_or(now * turn, now));
        }
        self.turns.retain(|_, turn| angle_between(*turn, Quat::IDENTITY) > 1e-5);
    }

    /// Rotates the mirror partners of joints to the mirror image after [`Bend::turn`] with the same
    /// arguments. If both joints of a pair are in `nodes`, neither is changed.
    pub fn turn_other_side(
        &mut self,
        document: &Document,
        mirror: &Mirror,
        (before, seen): (&BTreeMap<NodeId, Quat>, &Pose),
        nodes: &[NodeId],
    ) {
        let turned = |turns: &BTreeMap<NodeId, Quat>, node: NodeId| {
            turns.get(&node).copied().unwrap_or_default()
        };
        // The local transform of a node without the bend's rotations.
        let untouched = |node: NodeId| {
            let mut local = seen.local.get(node.index())?.transform();
            local.rotation =
                unit_or(local.rotation * turned(before, node).conjugate(), local.rotation);
            Some(local)
        };
        for node in nodes {
            let Some(partner) = mirror.partner(*node).filter(|p| p != node && !nodes.contains(p))
            else {
                continue;
            };
            let (Some(mut own), Some(other)) = (untouched(*node), untouched(partner)) else {
                continue;
            };
            own.rotation = unit_or(own.rotation * turned(&self.turns, *node), own.rotation);
            let Some(wanted) = mirror.pose(document, *node, &own) else { continue };
            let turn = unit_or(other.rotation.conjugate() * wanted.local.rotation, Quat::IDENTITY);
            self.turns.insert(partner, turn);
        }
        self.turns.retain(|_, turn| angle_between(*turn, Quat::IDENTITY) > 1e-5);
    }
}

/// Total number of sample times, divided among all clips. With more than 120 clips, the total is
/// larger, because each clip gets at least `LEAST` samples.
const MOMENTS: usize = 600;
/// Minimum number of sample times per clip. Samples at both ends of a loop would not be enough,
/// since the poses there are equal.
const LEAST: usize = 5;
/// Maximum number of clips to examine.
const CLIPS: usize = 400;
/// Maximum number of test poses.
const MOST: usize = 16;
/// Limbs shorter than this fraction of the skeleton's size share one test pose if they have the
/// same parent. Examples are fingers and whiskers.
const SMALL: f32 = 0.12;
/// Minimum bend of a limb in the clips, in radians. A limb that bends less gets a forward bend as
/// its test pose.
const STRAIGHT: f32 = 0.2;

/// Limbs that are bent in the same test pose.
struct BentJoints {
    name: String,
    limbs: Vec<Limb>,
    size: f32,
}

impl BentJoints {
    fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.limbs.iter().flat_map(|l| l.nodes.iter().copied())
    }
}

/// Finds the limbs of a skin for test poses, largest first.
fn parts(document: &Document, skin: SkinId, rest: &Pose) -> Vec<BentJoints> {
    let joints: BTreeSet<NodeId> = document.skin(skin).joints.iter().copied().collect();
    let below = |n: NodeId| {
        document.children(n).iter().copied().filter(|c| joints.contains(c)).collect::<Vec<_>>()
    };
    let goes_on = |n: NodeId| below(n).iter().filter(|c| !below(**c).is_empty()).count();
    let is_end = |n: NodeId| match (goes_on(n), below(n).len()) {
        (0, 0) => document.node(n).parent.is_some_and(|p| below(p).len() == 1),
        (0, count) => count > 1,
        (count, _) => count > 1,
    };
    let at = |n: NodeId| rest.world[n.index()].w_axis.truncate();
    let finite = joints.iter().map(|n| at(*n)).filter(|p| p.is_finite());
    let (low, high) =
        finite.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), p| (l.min(p), h.max(p)));
    let whole = (high - low).length();
    let bodies = Bodies::of(document);
    let mut found: Vec<(Option<NodeId>, f32, Limb)> = Vec::new();
    for end in joints.iter().copied().filter(|n| is_end(*n)) {
        let Some(mut limb) = limb_of(document, rest, end, None, true) else { continue };
        limb.nodes.retain(|n| joints.contains(n));
        // A joint without a parent joint moves the whole skeleton, so its rotation bends nothing.
        let carries = |n: &NodeId| document.node(*n).parent.is_none_or(|p| !joints.contains(&p));
        if limb.nodes.len() > 1 && limb.nodes.first().is_some_and(carries) {
            limb.nodes.remove(0);
        }
        let Some(first) = limb.nodes.first().copied().filter(|n| *n != bodies.body_of(*n)) else {
            continue;
        };
        let size = limb.nodes.windows(2).map(|w| at(w[0]).distance(at(w[1]))).sum();
        found.push((document.node(first).parent, size, limb));
    }
    let mut parts: Vec<BentJoints> = Vec::new();
    let mut small: BTreeMap<Option<NodeId>, Vec<(f32, Limb)>> = BTreeMap::new();
    let label = |n: NodeId| document.node(n).label(n);
    let name_of = |limb: &Limb| match limb.nodes[..] {
        [one] => label(one),
        [first, .., last] => format!("{} – {}", label(first), label(last)),
        [] => String::new(),
    };
    for (hangs_on, size, limb) in found {
        if size < whole * SMALL && hangs_on.is_some() {
            small.entry(hangs_on).or_default().push((size, limb));
            continue;
        }
        parts.push(BentJoints { name: name_of(&limb), limbs: vec![limb], size });
    }
    for (hangs_on, list) in small {
        let size = list.iter().map(|l| l.0).fold(0.0, f32::max);
        let name = match (&list[..], hangs_on) {
            ([(_, one)], _) => name_of(one),
            (list, Some(node)) => format!("{}, its {} limbs", label(node), list.len()),
            (list, None) => format!("{} limbs", list.len()),
        };
        parts.push(BentJoints { name, limbs: list.into_iter().map(|l| l.1).collect(), size });
    }
    parts.sort_by(|a, b| b.size.total_cmp(&a.size).then_with(|| a.name.cmp(&b.name)));
    parts.truncate(MOST);
    parts
}

/// Creates the test poses of a skin, one per limb: largest limbs first, at most 16.
///
/// For each limb, the pose is taken from the clip time at which its joints are rotated farthest
/// from the bind pose. All other joints are in the bind pose. If no clip bends the limb, each of
/// its joints is bent forward by 60 degrees.
pub fn test_poses(document: &Document, skin: SkinId) -> Vec<TestPose> {
    let bound = Bend { amount: 0.0, ..Bend::default() };
    let rest = bound.applied(document, skin, &Pose::evaluate(document, &Stack::default()));
    let parts = parts(document, skin, &rest);
    let mut best: Vec<(f32, BTreeMap<NodeId, Components>)> =
        vec![(STRAIGHT, BTreeMap::new()); parts.len()];
    let (mut evaluator, mut pose) = (Evaluator::default(), Pose::default());
    let steps = (MOMENTS / document.clips.len().max(1)).clamp(LEAST, 48);
    for (id, clip) in document.clips.iter().take(CLIPS) {
        for k in 0..steps {
            let time = f64::from(clip.length()) * k as f64 / (steps - 1) as f64;
            evaluator.update(document, &Stack::shown(document, Some(id), time), &mut pose);
            let local = |n: NodeId| pose.local[n.index()].transform();
            for (part, best) in parts.iter().zip(&mut best) {
                let turned = |n| {
                    angle_between(document.node(n).rest.transform().rotation, local(n).rotation)
                };
                let sum: f32 = part.nodes().map(turned).sum();
                if sum > best.0 {
                    let rotation = |n: NodeId| Components {
                        rotation: Some(local(n).rotation),
                        ..Components::default()
                    };
                    *best = (sum, part.nodes().map(|n| (n, rotation(n))).collect());
                }
            }
        }
    }
    let found = parts.into_iter().zip(best).map(|(part, (_, locals))| {
        let locals =
            if locals.is_empty() { bent_forward(document, &rest, &part.limbs) } else { locals };
        TestPose { name: part.name, locals }
    });
    found.filter(|pose| !pose.locals.is_empty()).collect()
}

/// Finds the scene axis for bending a bone forward. Forward is +Z in glTF (section 3.4). Bones that
/// already point forward bend down. `next` is the joint at the end of the bone.
fn forward_axis(
    document: &Document,
    rest: &Pose,
    node: NodeId,
    next: Option<NodeId>,
) -> Option<Vec3> {
    let at = |n: NodeId| rest.world[n.index()].w_axis.truncate();
    // The last bone of a chain has the direction of the bone before it.
    let bone = match (next, document.node(node).parent) {
        (Some(next), _) => at(next) - at(node),
        (None, Some(before)) => at(node) - at(before),
        (None, None) => return None,
    };
    let axis = bone.try_normalize()?.cross(Vec3::Z);
    Some(if axis.length() > 0.3 { axis } else { Vec3::X })
}

/// The main bending axis of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BendingAxis {
    /// Unit vector in the joint's own space in the rest pose. Positive angles bend in the direction
    /// in which the clips bend the joint farthest.
    pub axis: Vec3,
    /// Minimum and maximum angle from the rest in all clips, radians; `None` if no clip bends the
    /// joint.
    pub range: Option<[f32; 2]>,
}

/// Finds the main bending axis of a joint: the main axis of its rotations in all clips. If no clip
/// bends the joint, it is the axis that bends the bone forward. `rest` is the rest pose.
pub fn bending_axis(document: &Document, rest: &Pose, node: NodeId) -> Option<BendingAxis> {
    if let Some(found) = limits_of(document, &[node]).get(&node)
        && found.high.x - found.low.x > STRAIGHT
        && let Some(axis) = found.axes[0].try_normalize()
    {
        let is_back = -found.low.x > found.high.x;
        return Some(match is_back {
            true => BendingAxis { axis: -axis, range: Some([-found.high.x, -found.low.x]) },
            false => BendingAxis { axis, range: Some([found.low.x, found.high.x]) },
        });
    }
    let next = document.children(node).first().copied();
    let axis = forward_axis(document, rest, node, next)?;
    let mut bend = Bend::default();
    bend.turn(document, (&BTreeMap::new(), rest), &[node], (axis, 1.0));
    let (axis, _) = bend.turns.get(&node)?.to_axis_angle();
    Some(BendingAxis { axis: axis.try_normalize()?, range: None })
}

/// Bends each joint of some limbs forward, so that its bone moves toward +Z (glTF, section 3.4).
/// Bones that already point forward bend down.
fn bent_forward(document: &Document, rest: &Pose, limbs: &[Limb]) -> BTreeMap<NodeId, Components> {
    const ANGLE: f32 = 60.0;
    let mut locals = BTreeMap::new();
    for limb in limbs {
        for (k, node) in limb.nodes.iter().enumerate() {
            let next = limb
                .nodes
                .get(k + 1)
                .copied()
                .or_else(|| document.children(*node).first().copied());
            let Some(axis) = forward_axis(document, rest, *node, next) else { continue };
            let mut bend = Bend::default();
            bend.turn(document, (&BTreeMap::new(), rest), &[*node], (axis, ANGLE.to_radians()));
            let Some(turn) = bend.turns.get(node) else { continue };
            let rotation =
                unit_or(rest.local[node.index()].transform().rotation * *turn, Quat::IDENTITY);
            locals.insert(*node, Components { rotation: Some(rotation), ..Components::default() });
        }
    }
    locals
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tube;
    use ulna_model::{Clip, Interpolation, Property, Track, TrackId};

    const ELBOW: NodeId = NodeId(1);

    fn shown(document: &Document) -> Pose {
        Pose::evaluate(document, &Stack::default())
    }

    fn turn_of(pose: &Pose) -> Quat {
        pose.local[ELBOW.index()].transform().rotation
    }

    proptest! {
        #[test]
        fn half_a_bend_is_half_its_angle_and_no_bend_is_the_bind_pose(angle in -2.8f32..2.8,
            posed in -1.0f32..1.0, amount in 0.0f32..=1.0) {
            let mut document = tube::tube(|y| y);
            tube::bend(&mut document, Quat::from_rotation_x(posed));
            let seen = shown(&document);
            let mut bend = Bend::default();
            prop_assert!(bend.is_none() && bend.applied(&document, SkinId(0), &seen) == seen);
            bend.turn(&document, (&BTreeMap::new(), &seen), &[ELBOW], (Vec3::X, angle));
            bend.amount = amount;
            let found = turn_of(&bend.applied(&document, SkinId(0), &seen));
            let whole = Quat::from_rotation_x(posed + angle);
            let whole = if whole.w < 0.0 { -whole } else { whole };
            let wanted = Quat::IDENTITY.slerp(whole, amount);
            prop_assert!(found.angle_between(wanted) < 2e-3, "{found} {wanted}");
        }

        #[test]
        fn a_bend_rotates_about_the_scene_axis_under_any_parent(
            root in prop::array::uniform3(-3.0f32..3.0),
                axis in prop::array::uniform3(-1.0f32..1.0), angle in -2.0f32..2.0,
                    flip in any::<bool>(),
        ) {
            let axis = Vec3::from_array(axis);
            prop_assume!(axis.length() > 0.1);
            let axis = axis.normalize_or(Vec3::X);
            let mut document = tube::tube(|y| y);
            document.file.nodes.get_mut(NodeId(0)).expect("a node").set_user(Some(Transform {
                rotation: Quat::from_euler(glam::EulerRot::XYZ, root[0], root[1], root[2]),
                scale: if flip { Vec3::new(-2.0, 2.0, 2.0) } else { Vec3::splat(0.01) },
                ..Transform::IDENTITY
            }));
            let seen = shown(&document);
            let mut bend = Bend::default();
            bend.turn(&document, (&BTreeMap::new(), &seen), &[ELBOW], (axis, angle));
            let after = bend.applied(&document, SkinId(0), &seen);
            let along = |pose: &Pose| pose.world[1].transform_vector3(Vec3::Y).normalize_or_zero();
            let wanted = Quat::from_axis_angle(axis, angle) * along(&seen);
            prop_assert!(along(&after).distance(wanted) < 2e-3, "{} {wanted}", along(&after));
        }
    }

    #[test]
    fn two_drags_add_up_and_dragging_back_cancels() {
        let document = tube::tube(|y| y);
        let mut bend = Bend::default();
        for angle in [0.5f32, 0.4, -0.9] {
            let seen = bend.applied(&document, SkinId(0), &shown(&document));
            let before = bend.turns.clone();
            bend.turn(&document, (&before, &seen), &[ELBOW], (Vec3::Z, angle * 0.3));
            // The drag continues. Its angle is measured from the start of the drag, not from the
            // last call.
            bend.turn(&document, (&before, &seen), &[ELBOW], (Vec3::Z, angle));
        }
        assert!(bend.is_none(), "{bend:?}");
    }

    #[test]
    fn a_joint_bends_about_its_main_axis_in_the_clips_or_forward_without_clips() {
        let mut document = tube::tube(|y| y);
        let rest = shown(&document);
        let found = bending_axis(&document, &rest, ELBOW).expect("an axis");
        assert!((found.axis - Vec3::X).length() < 1e-5 && found.range.is_none(), "{found:?}");
        let turns = [0.0f32, 20.0, -70.0].map(|d| Quat::from_rotation_z(d.to_radians()));
        let track = Track {
            target: ELBOW,
            property: Property::Rotation,
            interpolation: Interpolation::Linear,
            times: vec![0.0, 1.0, 2.0].into(),
            values: turns.iter().flat_map(|q| q.to_array()).collect(),
            width: 4,
            kinds: Default::default(),
            modes: Default::default(),
        };
        let mut clip = Clip::default();
        clip.tracks.insert(TrackId(0), Shared::new(track));
        document.file.clips = vec![Shared::new(clip)].into();
        let found = bending_axis(&document, &rest, ELBOW).expect("an axis");
        assert!((found.axis + Vec3::Z).length() < 1e-4, "the usual way is positive: {found:?}");
        let [low, high] = found.range.expect("a range").map(f32::to_degrees);
        assert!((low + 20.0).abs() < 4.0 && (high - 70.0).abs() < 4.0, "{low} {high}");
    }

    #[test]
    fn a_limb_bends_over_its_range_in_the_clips_or_forward_without_clips() {
        let mut document = tube::tube(|y| y);
        let found = test_poses(&document, SkinId(0));
        assert_eq!(found.len(), 1);
        let angle = |pose: &TestPose| {
            pose.locals[&ELBOW].rotation.unwrap().angle_between(Quat::IDENTITY).to_degrees()
        };
        assert!((angle(&found[0]) - 60.0).abs() < 1e-2);
        // Forward: the upper half moves toward +Z.
        let bend = Bend { pose: Some(found[0].clone().into()), ..Bend::default() };
        let pose = bend.applied(&document, SkinId(0), &shown(&document));
        assert!(pose.world[1].transform_vector3(Vec3::Y).z > 0.8);
        let turns = [0.0f32, 70.0, -25.0].map(|d| Quat::from_rotation_x(d.to_radians()));
        let track = Track {
            target: ELBOW,
            property: Property::Rotation,
            interpolation: Interpolation::Linear,
            times: [0.0, 1.0, 2.0].into(),
            values: turns.iter().flat_map(|q| q.to_array()).collect(),
            width: 4,
            kinds: Default::default(),
            modes: Default::default(),
        };
        let clip = Clip { tracks: [(TrackId(0), Shared::new(track))].into(), ..Clip::default() };
        document.file.clips = vec![Shared::new(clip)].into();
        let found = test_poses(&document, SkinId(0));
        assert!((angle(&found[0]) - 70.0).abs() < 1.6, "{}", angle(&found[0]));
    }
}
