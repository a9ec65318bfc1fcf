//! The bones of a skin, and weights by the distance to them.

use glam::Vec3;
use rayon::prelude::*;

use crate::Influences;
use ulna_model::{JointSlot, Slice, WeightEncoding, WeightMap};

/// A bone: the segment from a joint to the next, or the joint alone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BindBone {
    /// The joint that the bone moves with.
    pub joint: JointSlot,
    /// Position of the joint.
    pub head: Vec3,
    /// The other end; the head for a bone without length.
    pub tail: Vec3,
}

impl BindBone {
    /// The nearest point of the bone.
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
    /// Sorted by joint.
    bones: Vec<BindBone>,
}

impl Bones {
    /// The bones of all joints from their positions in mesh space and their parents. A joint
    /// without a joint below goes on for half the length of the bone that leads to it.
    pub fn new(heads: &[Vec3], parents: &[Option<JointSlot>]) -> Self {
        Self::of_joints(heads, parents, &vec![true; heads.len()])
    }

    /// As [`Self::new`] for some of the joints. A bone then ends at the next of these joints below,
    /// or at the joints right below if none of those is meant.
    pub fn of_joints(heads: &[Vec3], parents: &[Option<JointSlot>], is_meant: &[bool]) -> Self {
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
            // No more steps than joints, whatever the list of parents says.
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
            let tail = above.map_or(head, |above| head + (head - *above) * 0.5);
            bones.push(BindBone { joint, head, tail });
        }
        bones.sort_by_key(|bone| bone.joint);
        Self { bones }
    }

    /// The bones, sorted by joint.
    pub fn list(&self) -> &[BindBone] {
        &self.bones
    }

    /// The joint whose bone is nearest to a position, of those that count; the first of several.
    /// `None` where none of them has a bone.
    pub fn nearest(&self, position: Vec3, counts: impl Fn(JointSlot) -> bool) -> Option<JointSlot> {
        let counted = self.bones.iter().filter(|bone| counts(bone.joint));
        let near = counted.map(|bone| (bone.distance(position), bone.joint));
        near.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(_, joint)| joint)
    }

    /// Weights by distance, `1 / d⁴`, of the `most` nearest joints. Nothing where there are no
    /// bones.
    pub fn weights(&self, positions: &[Vec3], most: usize) -> Option<WeightMap> {
        if self.bones.is_empty() {
            return None;
        }
        let sets = most.clamp(1, 16).div_ceil(4);
        let stride = sets * 4;
        let one = |p: &Vec3| -> (Vec<u16>, Vec<f32>) {
            let mut nearest: Vec<(f32, JointSlot)> = Vec::with_capacity(self.bones.len());
            for bones in self.bones.chunk_by(|a, b| a.joint == b.joint) {
                let away = bones.iter().map(|bone| bone.distance(*p)).fold(f32::MAX, f32::min);
                nearest.push((away, bones[0].joint));
            }
            nearest.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            nearest.truncate(most.clamp(1, stride));
            let least = nearest[0].0.max(f32::MIN_POSITIVE);
            let share = |d: f32| (least / d.max(least)).powi(4);
            let sum: f32 = nearest.iter().map(|(d, _)| share(*d)).sum();
            let mut list = Influences::default();
            nearest.iter().for_each(|(d, j)| list.add(j.0, share(*d) / sum));
            let (mut joints, mut weights) = (vec![0; stride], vec![0.0; stride]);
            list.write(&mut joints, &mut weights);
            (joints, weights)
        };
        let all: Vec<(Vec<u16>, Vec<f32>)> =
            positions.par_iter().with_min_len(1024).map(one).collect();
        let (joints, weights): (Vec<Vec<u16>>, Vec<Vec<f32>>) = all.into_iter().unzip();
        Some(WeightMap {
            sets,
            joints: Slice::from(joints.concat()),
            weights: Slice::from(weights.concat()),
            encoding: WeightEncoding::Float,
            not_numbers: [].into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_on_a_bone_is_its_own_and_between_two_it_is_shared() {
        let heads = [Vec3::ZERO, Vec3::Y, Vec3::Y * 2.0];
        let bones = Bones::new(&heads, &[None, Some(JointSlot(0)), Some(JointSlot(1))]);
        let spots = [Vec3::Y * 0.5, Vec3::new(0.1, 1.0, 0.0), Vec3::Y * 2.4, Vec3::NAN];
        let map = bones.weights(&spots, 2).expect("there are bones");
        assert!(map.weight(0, 0) > 0.999, "{:?}", map.vertex(0).collect::<Vec<_>>());
        assert!((map.weight(1, 0) - 0.5).abs() < 1e-5 && (map.weight(1, 1) - 0.5).abs() < 1e-5);
        assert!(
            map.weight(2, 2) > 0.999,
            "the last bone goes on: {:?}",
            map.vertex(2).collect::<Vec<_>>()
        );
        for v in 0..spots.len() {
            assert!((map.vertex(v).map(|(_, w)| w).sum::<f32>() - 1.0).abs() < 1e-6);
        }
        assert!(Bones::new(&[], &[]).weights(&spots, 4).is_none());
        let nearest = [Vec3::Y * 0.6, Vec3::new(0.4, 1.4, 0.0), Vec3::Y * 9.0];
        let found = |skipped: u16| nearest.map(|p| bones.nearest(p, |j| j.0 != skipped));
        assert_eq!(found(9), [0, 1, 2].map(|k| Some(JointSlot(k))));
        assert_eq!(found(1), [0, 0, 2].map(|k| Some(JointSlot(k))));
    }

    #[test]
    fn bones_of_some_joints_reach_to_the_next_of_them() {
        // Hip, knee with a twist joint between, foot, and a leaf.
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
