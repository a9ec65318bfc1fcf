//! Weights by distance `d`: proportional to `1 / d⁴`.

use glam::Vec3;

use super::{
    BindBone,
    joint_weight::{JointWeight, TRACE},
};
use ulna_model::JointSlot;

/// Computes normalized weights from the distances of joints. Joints at infinite distance get no
/// weight. The list is empty if all distances are infinite.
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

/// Computes the weights of a point from its distances to bones. `bones` is sorted by joint, and not
/// empty. A non-finite point follows only the first joint.
///
/// With envelope `radii`, the weight of a bone falls to 0 at its envelope. A point outside all
/// envelopes follows only the nearest joint.
pub(super) fn by_bones(bones: &[BindBone], radii: Option<&[f32]>, point: Vec3) -> Vec<JointWeight> {
    let joints = || bones.chunk_by(|a, b| a.joint == b.joint);
    let distance =
        |list: &[BindBone]| list.iter().map(|b| b.distance(point)).fold(f32::INFINITY, f32::min);
    let distances = joints().map(|list| (list[0].joint, distance(list)));
    if let Some(radii) = radii {
        let list = within_envelopes(bones, radii, point, distances.clone());
        if !list.is_empty() {
            return list;
        }
        let nearest = distances.min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        return nearest.map(|(joint, _)| (joint, 1.0)).into_iter().collect();
    }
    let list = by_distances(distances);
    if list.is_empty() { bones.first().map(|b| (b.joint, 1.0)).into_iter().collect() } else { list }
}

/// Computes weights by distance, times the falloff of the envelopes. The list is empty outside all
/// envelopes.
fn within_envelopes(
    bones: &[BindBone],
    radii: &[f32],
    point: Vec3,
    distances: impl Iterator<Item = (JointSlot, f32)> + Clone,
) -> Vec<JointWeight> {
    let inside = |bone: &BindBone, radius: f32| {
        let part = bone.distance(point) / radius.max(f32::MIN_POSITIVE);
        // A non-finite point gives NaN here, and counts as outside.
        if part < 1.0 { (1.0 - part * part).powi(2) } else { 0.0 }
    };
    let mut falloff: Vec<(JointSlot, f32)> = Vec::new();
    for (bone, radius) in bones.iter().zip(radii) {
        let own = inside(bone, *radius);
        match falloff.last_mut() {
            Some((joint, most)) if *joint == bone.joint => *most = most.max(own),
            _ => falloff.push((bone.joint, own)),
        }
    }
    let distances = distances.zip(&falloff).filter(|(_, (_, part))| *part > 0.0);
    let least = distances.clone().map(|((_, d), _)| d).fold(f32::INFINITY, f32::min);
    let least = least.max(f32::MIN_POSITIVE);
    let weigh = |((joint, d), (_, part)): ((JointSlot, f32), &(JointSlot, f32))| {
        (joint, (least / d.max(least)).powi(4) * part)
    };
    let mut list: Vec<JointWeight> = distances.map(weigh).collect();
    let sum: f32 = list.iter().map(|(_, w)| w).sum();
    if sum <= 0.0 {
        return Vec::new();
    }
    list.iter_mut().for_each(|(_, w)| *w /= sum);
    list.retain(|(_, w)| *w > TRACE);
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bone(joint: u16, head: f32, tail: f32) -> BindBone {
        BindBone { joint: JointSlot(joint), head: Vec3::Y * head, tail: Vec3::Y * tail }
    }

    #[test]
    fn a_vertex_on_a_bone_has_its_weight_and_one_between_two_bones_has_both() {
        let bones = [bone(0, 0.0, 1.0), bone(1, 1.0, 2.0)];
        let weights = |p| by_bones(&bones, None, p);
        let first = weights(Vec3::Y * 0.5);
        assert!(first[0].1 > 0.999, "{first:?}");
        let middle = weights(Vec3::new(0.1, 1.0, 0.0));
        assert!((middle[0].1 - 0.5).abs() < 1e-5 && (middle[1].1 - 0.5).abs() < 1e-5);
        assert_eq!(weights(Vec3::NAN), [(JointSlot(0), 1.0)]);
    }

    #[test]
    fn weights_end_at_the_envelope_and_outside_points_get_the_nearest_bone() {
        let bones = [bone(0, 0.0, 1.0), bone(1, 1.0, 2.0)];
        let radii = [0.5, 0.5];
        let weights = |p| by_bones(&bones, Some(&radii), p);
        assert_eq!(weights(Vec3::new(0.1, 0.4, 0.0)), [(JointSlot(0), 1.0)]);
        let middle = weights(Vec3::new(0.1, 1.0, 0.0));
        assert!((middle[0].1 - 0.5).abs() < 1e-5 && (middle[1].1 - 0.5).abs() < 1e-5);
        let near = weights(Vec3::new(0.1, 0.7, 0.0));
        let free = by_bones(&bones, None, Vec3::new(0.1, 0.7, 0.0));
        assert!(near[0].1 > free[0].1, "{near:?} {free:?}");
        assert_eq!(weights(Vec3::new(9.0, 1.8, 0.0)), [(JointSlot(1), 1.0)]);
        assert_eq!(weights(Vec3::NAN).len(), 1);
    }
}
