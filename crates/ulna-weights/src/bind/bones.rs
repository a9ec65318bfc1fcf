//! Bones of a skin, and their envelopes.

use glam::{Mat3, Vec3};

use crate::ids::to_f32;
use ulna_model::JointSlot;

/// The line segment that a joint moves. Both ends are equal if the bone has no length.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BindBone {
    /// Joint that moves the bone.
    pub joint: JointSlot,
    /// Position of `joint`.
    pub head: Vec3,
    /// Position of the other end; equal to `head` if the bone has no length.
    pub tail: Vec3,
}

impl BindBone {
    /// Returns the point of the bone that is nearest to `p`.
    pub(super) fn closest(&self, p: Vec3) -> Vec3 {
        let way = self.tail - self.head;
        let along = ((p - self.head).dot(way) / way.length_squared().max(f32::MIN_POSITIVE))
            .clamp(0.0, 1.0);
        self.head + way * along
    }

    pub(super) fn distance(&self, p: Vec3) -> f32 {
        p.distance(self.closest(p))
    }
}

/// The bones of a skin at rest.
#[derive(Clone, Debug)]
pub struct Bones {
    /// All bones, sorted by joint.
    bones: Vec<BindBone>,
}

impl Bones {
    /// Creates the bones of all joints from joint positions in mesh space and parents. A joint
    /// without children gets an end bone: half as long as the bone from its parent, in the same
    /// direction.
    pub fn new(heads: &[Vec3], parents: &[Option<JointSlot>]) -> Self {
        Self::of_joints(heads, parents, &vec![true; heads.len()])
    }

    /// Creates the bones of the joints that `is_meant` selects. A bone ends at the next selected
    /// joint below, or at the direct children if none of their descendants is selected.
    pub fn of_joints(heads: &[Vec3], parents: &[Option<JointSlot>], is_meant: &[bool]) -> Self {
        Self::along_axes(heads, parents, &[], is_meant)
    }

    /// Creates the bones of selected joints, like [`Self::of_joints`]. `axes` has the local axes of
    /// the joints as unit vectors.
    ///
    /// If most bones of the skeleton point along one local axis, as in Blender, end bones use this
    /// axis. An end bone is as long as the bone from its parent.
    pub fn along_axes(
        heads: &[Vec3],
        parents: &[Option<JointSlot>],
        axes: &[Mat3],
        is_meant: &[bool],
    ) -> Self {
        let axis = BoneAxis::of(heads, parents, axes);
        let is_meant = |joint: JointSlot| is_meant.get(joint.index()) == Some(&true);
        let place_of = |joint: JointSlot| heads.get(joint.index()).filter(|p| p.is_finite());
        let parent_of = |joint: JointSlot| {
            parents.get(joint.index()).copied().flatten().filter(|p| p.index() < heads.len())
        };
        let mut bones = Vec::with_capacity(heads.len());
        let mut has_bone = vec![false; heads.len()];
        let mut add = |joint: JointSlot, tail: Vec3| {
            if let Some(head) = place_of(joint) {
                has_bone[joint.index()] = true;
                bones.push(BindBone { joint, head: *head, tail });
            }
        };
        let finite = || JointSlot::first(heads.len()).filter(|j| place_of(*j).is_some());
        for joint in finite().filter(|j| is_meant(*j)) {
            // At most one step per joint, in case the parents form a cycle.
            let ancestors = std::iter::successors(parent_of(joint), |j| parent_of(*j));
            let above = ancestors.take(heads.len()).find(|j| is_meant(*j));
            let Some(above) = above.filter(|above| *above != joint) else { continue };
            add(above, heads[joint.index()]);
        }
        let is_without = |has_bone: &[bool], j: JointSlot| is_meant(j) && !has_bone[j.index()];
        let ends = has_bone.clone();
        for joint in finite().filter(|j| !is_meant(*j)) {
            if let Some(above) = parent_of(joint).filter(|j| is_without(&ends, *j)) {
                let Some(head) = place_of(above) else { continue };
                has_bone[above.index()] = true;
                bones.push(BindBone { joint: above, head: *head, tail: heads[joint.index()] });
            }
        }
        for joint in finite().filter(|j| is_without(&has_bone, *j)) {
            let head = heads[joint.index()];
            let above = parent_of(joint).and_then(place_of);
            let along = axis.and_then(|axis| axis.direction(axes.get(joint.index())?));
            let tail = above.map_or(head, |above| match along {
                Some(along) => head + along * head.distance(*above),
                None => head + (head - *above) * 0.5,
            });
            bones.push(BindBone { joint, head, tail });
        }
        bones.sort_by_key(|bone| bone.joint);
        Self { bones }
    }

    /// Returns the bones, sorted by joint.
    pub fn list(&self) -> &[BindBone] {
        &self.bones
    }

    /// Returns the joint with the bone nearest to a position. Only joints that `counts` accepts are
    /// compared; the lowest index wins ties. `None` if none of them has a bone.
    pub fn nearest(&self, position: Vec3, counts: impl Fn(JointSlot) -> bool) -> Option<JointSlot> {
        let counted = self.bones.iter().filter(|bone| counts(bone.joint));
        let near = counted.map(|bone| (bone.distance(position), bone.joint));
        near.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(_, joint)| joint)
    }
}

/// A local axis that most bones of a skeleton follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BoneAxis {
    /// Index of the axis, `0..=2`.
    column: usize,
    is_negative: bool,
}

impl BoneAxis {
    /// Finds the axis that points to a child, for at least half of the joints with children.
    fn of(heads: &[Vec3], parents: &[Option<JointSlot>], axes: &[Mat3]) -> Option<Self> {
        /// Minimum cosine of the angle between a bone and a local axis that it follows.
        const LEAST_COSINE: f32 = 0.99;
        let mut with_child = vec![false; heads.len()];
        let mut lies_along = vec![[false; 6]; heads.len()];
        for (head, parent) in heads.iter().zip(parents) {
            let Some(parent) = parent.map(JointSlot::index) else { continue };
            let (Some(from), Some(axes)) = (heads.get(parent), axes.get(parent)) else { continue };
            let Some(way) = (*head - *from).try_normalize() else { continue };
            with_child[parent] = true;
            let cosines = (axes.transpose() * way).to_array();
            for (along, cosine) in lies_along[parent].as_chunks_mut::<2>().0.iter_mut().zip(cosines)
            {
                along[0] |= cosine > LEAST_COSINE;
                along[1] |= cosine < -LEAST_COSINE;
            }
        }
        let joints = with_child.iter().filter(|has| **has).count();
        let count = |k: usize| lies_along.iter().filter(|along| along[k]).count();
        // Ties: the first axis wins.
        let best = (0..6).rev().max_by_key(|k| count(*k))?;
        let is_usual = joints > 0 && count(best) * 2 >= joints;
        is_usual.then_some(Self { column: best / 2, is_negative: best % 2 == 1 })
    }

    /// Returns the direction of the axis; `None` if the axis has no length.
    fn direction(self, axes: &Mat3) -> Option<Vec3> {
        let way = axes.col(self.column).try_normalize()?;
        Some(if self.is_negative { -way } else { way })
    }
}

/// Returns the radii of the envelopes around bones: `factor` times the length of each bone. Bones
/// without length use the mean length of the others.
pub fn envelope_radii(bones: &[BindBone], factor: f32) -> Vec<f32> {
    let length = |bone: &BindBone| bone.head.distance(bone.tail);
    let lengths = || bones.iter().map(length).filter(|l| l.is_finite() && *l > 0.0);
    let count = lengths().count();
    let mean = if count > 0 { lengths().sum::<f32>() / to_f32(count) } else { f32::INFINITY };
    let radius = |bone| match length(bone) {
        own if own.is_finite() && own > 0.0 => own * factor,
        _ => mean * factor,
    };
    bones.iter().map(radius).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_bone_is_found_and_envelopes_grow_with_bones() {
        let heads = [Vec3::ZERO, Vec3::Y, Vec3::Y * 3.0];
        let bones = Bones::new(&heads, &[None, Some(JointSlot(0)), Some(JointSlot(1))]);
        let spots = [Vec3::Y * 0.6, Vec3::new(0.4, 1.4, 0.0), Vec3::Y * 9.0];
        let found = |skipped: u16| spots.map(|p| bones.nearest(p, |j| j.0 != skipped));
        assert_eq!(found(9), [0, 1, 2].map(|k| Some(JointSlot(k))));
        assert_eq!(found(1), [0, 0, 2].map(|k| Some(JointSlot(k))));
        assert!(Bones::new(&[], &[]).nearest(Vec3::ZERO, |_| true).is_none());
        assert_eq!(envelope_radii(bones.list(), 0.5), [0.5, 1.0, 0.5]);
        let point = BindBone::default();
        assert_eq!(envelope_radii(&[point, bones.list()[1]], 0.5), [1.0, 1.0]);
        assert_eq!(envelope_radii(&[point], 0.5), [f32::INFINITY]);
    }

    #[test]
    fn leaf_bones_point_along_the_axis_of_the_other_bones() {
        // An arm along X, and a bent hand.
        let heads = [0.0, 1.0, 2.0].map(|x| Vec3::X * x);
        let parents = [None, Some(0), Some(1)].map(|p| p.map(JointSlot));
        let tail = |axes: &[Mat3]| {
            let bones = Bones::along_axes(&heads, &parents, axes, &[true; 3]);
            bones.list()[2].tail
        };
        let turned = |x: Vec3, y: Vec3| Mat3::from_cols(x, y, x.cross(y));
        let (arm, hand) = (turned(Vec3::Y, -Vec3::X), turned(Vec3::X, Vec3::Y));
        assert!(tail(&[arm, arm, hand]).distance(Vec3::new(2.0, -1.0, 0.0)) < 1e-6);
        // No common axis, no axes, or axes without length: end bones are half as long as their
        // parent's.
        let crooked = turned(Vec3::new(0.6, 0.8, 0.0), Vec3::new(-0.8, 0.6, 0.0));
        for axes in [&[crooked, crooked, hand][..], &[], &[arm, arm, Mat3::ZERO], &[Mat3::NAN; 3]] {
            assert_eq!(tail(axes), Vec3::X * 2.5, "{axes:?}");
        }
    }

    #[test]
    fn bones_of_chosen_joints_end_at_the_next_chosen_joint() {
        // A hip, a twist joint, a knee, a foot and a leaf joint.
        let heads = [0.0, 1.0, 2.0, 3.0, 4.0].map(|y| Vec3::Y * -y);
        let parents = [None, Some(0), Some(1), Some(2), Some(3)].map(|p| p.map(JointSlot));
        let bones = Bones::of_joints(&heads, &parents, &[true, false, true, true, false]);
        let found: Vec<_> = bones.list().iter().map(|b| (b.joint.0, b.head.y, b.tail.y)).collect();
        assert_eq!(found, [(0, 0.0, -2.0), (2, -2.0, -3.0), (3, -3.0, -4.0)]);
        let alone = Bones::of_joints(&heads, &parents, &[false, false, false, false, true]);
        assert_eq!(
            alone.list(),
            [BindBone { joint: JointSlot(4), head: heads[4], tail: Vec3::Y * -4.5 }]
        );
        let circle = Bones::new(&heads[..2], &[Some(JointSlot(1)), Some(JointSlot(0))]);
        assert_eq!(circle.list().len(), 2);
    }
}
