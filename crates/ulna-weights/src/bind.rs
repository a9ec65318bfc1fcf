//! First weights for a surface that has none: each vertex goes to the bones that it lies nearest
//! to, softly.

use glam::Vec3;
use rayon::prelude::*;

use super::Influences;
use ulna_model::{JointSlot, Slice, WeightEncoding, WeightMap};

/// A bone of a skin: from a joint to the next, or the joint alone.
#[derive(Clone, Copy, Debug)]
struct Bone {
    joint: JointSlot,
    head: Vec3,
    tail: Vec3,
}

impl Bone {
    fn distance(&self, p: Vec3) -> f32 {
        let way = self.tail - self.head;
        let along = ((p - self.head).dot(way) / way.length_squared().max(f32::MIN_POSITIVE))
            .clamp(0.0, 1.0);
        p.distance(self.head + way * along)
    }
}

/// The bones of a skin at rest.
#[derive(Clone, Debug)]
pub struct Bones {
    /// Those of one joint side by side.
    bones: Vec<Bone>,
}

impl Bones {
    /// From where the joints are in mesh space, and which joint each hangs on. A joint without a
    /// joint below goes on for half the length of the bone that leads to it.
    pub fn new(heads: &[Vec3], parents: &[Option<JointSlot>]) -> Self {
        let mut bones = Vec::with_capacity(heads.len());
        let mut has_child = vec![false; heads.len()];
        let place_of = |joint: JointSlot| heads.get(joint.index()).filter(|p| p.is_finite());
        for (joint, (head, parent)) in heads.iter().zip(parents).enumerate() {
            let Some(parent) = *parent else { continue };
            let Some(above) = place_of(parent).filter(|_| head.is_finite()) else { continue };
            has_child[parent.index()] = true;
            if parent.index() != joint {
                bones.push(Bone { joint: parent, head: *above, tail: *head });
            }
        }
        for (joint, head) in JointSlot::first(heads.len())
            .zip(heads)
            .filter(|(j, head)| !has_child[j.index()] && head.is_finite())
        {
            let above = parents.get(joint.index()).copied().flatten().and_then(place_of);
            let tail = above.map_or(*head, |above| *head + (*head - *above) * 0.5);
            bones.push(Bone { joint, head: *head, tail });
        }
        bones.sort_by_key(|bone| bone.joint);
        Self { bones }
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
        assert_eq!(found(1), [0, 2, 2].map(|k| Some(JointSlot(k))));
    }
}
