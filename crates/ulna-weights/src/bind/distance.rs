//! Weights by distance, `1 / d⁴`.

use glam::Vec3;

use super::{
    BindBone,
    joint_weight::{JointWeight, TRACE},
};
use ulna_model::JointSlot;

/// Weights that sum to 1 by the distances to joints. Joints at an infinite distance get none; if
/// all are, the list is empty.
pub(super) fn by_distances(
    distances: impl Iterator<Item = (JointSlot, f32)> + Clone,
) -> Vec<JointWeight> {
    let least = distances.clone().map(|(_, d)| d).fold(f32::INFINITY, f32::min);
    if !least.is_finite() {
        return Vec::new();
    }
    let least = least.max(f32::MIN_POSITIVE);
    let part = |d: f32| (least / d.max(least)).powi(4);
    let mut list: Vec<JointWeight> =
        distances.map(|(joint, d)| (joint, part(d))).filter(|(_, w)| *w > TRACE).collect();
    let sum: f32 = list.iter().map(|(_, w)| w).sum();
    list.iter_mut().for_each(|(_, w)| *w /= sum);
    list
}

/// Weights of a point by its distance to bones, of which those of a joint lie side by side. There
/// is at least one bone. A point that is not finite goes with the first joint.
pub(super) fn by_bones(bones: &[BindBone], point: Vec3) -> Vec<JointWeight> {
    let joints = bones.chunk_by(|a, b| a.joint == b.joint);
    let distance =
        |list: &[BindBone]| list.iter().map(|b| b.distance(point)).fold(f32::INFINITY, f32::min);
    let list = by_distances(joints.map(|list| (list[0].joint, distance(list))));
    if list.is_empty() { bones.first().map(|b| (b.joint, 1.0)).into_iter().collect() } else { list }
}
