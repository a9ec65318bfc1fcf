//! Rig mode: its options, the change that is under way, and which joints are bound. Changes of
//! joints that meshes are bound to or clips move join the plan; others are made at once.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DMat4, Mat4, Vec3};

use crate::ui::{Mode, RigOptions, RigStep, RigView};
use ulna_edit::{Command, Selection};
use ulna_model::{Document, NodeId};
use ulna_motion::Mirror;

/// Rig mode's options, and the change that is under way.
#[derive(Default)]
pub(super) struct RigMode {
    pub(super) options: RigOptions,
    pub(super) step: Option<RigStep>,
    /// `scene_from_joint` of joints that were dragged, until the plan says where they are.
    pub(super) moved: BTreeMap<NodeId, Mat4>,
    /// Changes with `moved`.
    pub(super) serial: u64,
    /// State of the plan and of `moved` from which bones were shown last.
    pub(super) shown: Option<(u64, u64, u64)>,
}

impl RigMode {
    pub(super) fn forget(&mut self) {
        if !self.moved.is_empty() {
            self.moved.clear();
            self.serial += 1;
        }
    }

    pub(super) fn put(&mut self, worlds: impl IntoIterator<Item = (NodeId, Mat4)>) {
        self.moved.extend(worlds);
        self.serial += 1;
    }

    /// Rig mode as panels see it.
    pub(super) fn view(
        &self,
        document: Option<&Document>,
        selection: &Selection,
        mode: Mode,
    ) -> RigView<'_> {
        let selected: Vec<NodeId> = selection.nodes.iter().copied().collect();
        let added = self.step.as_ref().map_or(&[][..], |step| &step.added);
        let plans = mode.spec().edits_rest && document.is_some_and(|d| is_bound(d, &selected));
        RigView { options: self.options, added, plans }
    }

    /// Commands of the change that is under way, where it is planned.
    pub(super) fn dragged(&self) -> &[Command] {
        match &self.step {
            Some(step) if !self.moved.is_empty() => &step.commands,
            _ => &[],
        }
    }
}

/// Whether a change of these joints could change what is seen: meshes are bound to them or to
/// joints below them, or clips or layers move these.
pub(super) fn is_bound(document: &Document, nodes: &[NodeId]) -> bool {
    let joints = document.joint_flags();
    let there = nodes.iter().filter(|n| document.nodes.contains(**n));
    let meant: BTreeSet<NodeId> =
        there.flat_map(|n| document.children(*n).iter().chain([n])).copied().collect();
    let is_keyed = document
        .clips
        .values()
        .any(|clip| clip.tracks.values().any(|track| meant.contains(&track.target)));
    is_keyed || meant.iter().any(|n| joints[n.index()])
}

/// The middle of a limb around a point: the mean of opposite points of the skin, square to the
/// bone. `hit`: the distance to the skin from a point along a direction. `None` where the point is
/// not inside.
pub(super) fn middle_of_limb(
    at: Vec3,
    way: Vec3,
    extent: f32,
    hit: &dyn Fn(Vec3, Vec3) -> Option<f32>,
) -> Option<Vec3> {
    /// Pairs of opposite directions, and repetitions from the middle that was found.
    const PAIRS: usize = 12;
    const ROUNDS: usize = 6;
    let way = if way.length() > extent * 1e-6 { way } else { Vec3::Y };
    let (u, v) = way.normalize_or(Vec3::Y).any_orthonormal_pair();
    let mut middle = at;
    for _ in 0..ROUNDS {
        let mut sum = Vec3::ZERO;
        for k in 0..PAIRS {
            let angle = std::f32::consts::PI * k as f32 / PAIRS as f32;
            let direction = u * angle.cos() + v * angle.sin();
            let (there, back) = hit(middle, direction).zip(hit(middle, -direction))?;
            sum += direction * ((there - back) * 0.5);
        }
        let step = sum / PAIRS as f32;
        middle += step;
        if step.length() < extent * 1e-5 {
            break;
        }
    }
    Some(middle)
}

/// The middle of the narrowest loop around a point inside a limb: of all directions, the one of the
/// limb has the shortest way around. `hit` is as for [`middle_of_limb`].
pub(super) fn middle_of_loop(
    at: Vec3,
    extent: f32,
    hit: &dyn Fn(Vec3, Vec3) -> Option<f32>,
) -> Option<Vec3> {
    /// Directions that are tried, over half a sphere.
    const DIRECTIONS: usize = 48;
    /// Pairs of opposite points of a loop.
    const PAIRS: usize = 8;
    let width = |way: Vec3| -> Option<f32> {
        let (u, v) = way.any_orthonormal_pair();
        let mut sum = 0.0;
        for k in 0..PAIRS {
            let angle = std::f32::consts::PI * k as f32 / PAIRS as f32;
            let direction = u * angle.cos() + v * angle.sin();
            sum += hit(at, direction)? + hit(at, -direction)?;
        }
        Some(sum)
    };
    // Points of a spiral are spread evenly.
    let direction = |k: usize| {
        let height = (k as f32 + 0.5) / DIRECTIONS as f32;
        let angle = k as f32 * 2.399_963;
        let radius = (1.0 - height * height).sqrt();
        Vec3::new(angle.cos() * radius, height, angle.sin() * radius).normalize_or(Vec3::Y)
    };
    let all = (0..DIRECTIONS).map(direction).filter_map(|way| Some((width(way)?, way)));
    let (_, way) = all.min_by(|a, b| a.0.total_cmp(&b.0))?;
    middle_of_limb(at, way, extent, hit)
}

/// The mirror joints of dragged joints, where they will be.
pub(super) fn twins(document: &Document, worlds: &[(NodeId, Mat4)]) -> Vec<(NodeId, Mat4)> {
    let mirror = Mirror::of(document);
    let twin = |(node, world): &(NodeId, Mat4)| {
        let partner = mirror.partner(*node)?;
        let reflection: DMat4 = mirror.reflection(*node)?;
        if partner == *node {
            // In the middle of the body it stays there.
            let was = mirror.stand(*node).w_axis.truncate();
            let by = (world.w_axis.truncate() - was).as_dvec3();
            let by = ((by + reflection.transform_vector3(by)) / 2.0).as_vec3();
            let mut there = *world;
            there.w_axis = (was + by).extend(1.0);
            return Some((partner, there));
        }
        let at = reflection.transform_point3(world.w_axis.truncate().as_dvec3()).as_vec3();
        let mut there = mirror.stand(partner);
        there.w_axis = at.extend(1.0);
        Some((partner, there))
    };
    let is_center = |node: &NodeId| mirror.partner(*node) == Some(*node);
    let is_dragged = |node: &NodeId| worlds.iter().any(|(n, _)| n == node);
    let meant = |(node, _): &(NodeId, Mat4)| is_center(node) || !is_dragged(node);
    worlds.iter().filter_map(twin).filter(meant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Distance to a tube around an axis through a point, with a radius.
    fn tube(axis: Vec3, center: Vec3, radius: f32) -> impl Fn(Vec3, Vec3) -> Option<f32> {
        move |origin, direction| {
            let flat = |v: Vec3| v - axis * v.dot(axis);
            let (o, d) = (flat(origin - center), flat(direction));
            let (a, b, c) = (d.dot(d), 2.0 * o.dot(d), o.dot(o) - radius * radius);
            // Along the tube there is a cap, far away.
            if a < 1e-9 {
                return Some(10.0);
            }
            let root = (b * b - 4.0 * a * c).sqrt();
            ((-b + root) / (2.0 * a)).is_finite().then_some((-b + root) / (2.0 * a))
        }
    }

    #[test]
    fn the_middle_of_a_limb_is_on_its_axis_wherever_the_joint_is() {
        let axis = Vec3::new(1.0, 0.4, -0.2).normalize_or(Vec3::X);
        let center = Vec3::new(0.2, 1.0, 0.1);
        let hit = tube(axis, center, 0.05);
        let (u, _) = axis.any_orthonormal_pair();
        let at = center + u * 0.03 + axis * 0.2;
        let off = |p: Vec3| (p - center).reject_from(axis).length();
        let limb = middle_of_limb(at, axis, 2.0, &hit).unwrap();
        assert!(off(limb) < 1e-3, "{limb}");
        assert!(((limb - at).dot(axis)).abs() < 1e-4, "square to the bone");
        let ring = middle_of_loop(at, 2.0, &hit).unwrap();
        assert!(off(ring) < 0.004, "the direction is found: {}", off(ring));
    }

    #[test]
    fn outside_of_all_limbs_there_is_no_middle() {
        assert_eq!(middle_of_limb(Vec3::ZERO, Vec3::Y, 1.0, &|_, _| None), None);
        assert_eq!(middle_of_loop(Vec3::ZERO, 1.0, &|_, _| None), None);
    }
}
