//! Joint limits, guessed from the rotations in all clips, since glTF stores no limits. A joint that
//! no clip rotates has no limits.
//!
//! Rotations from the rest are expressed as rotation vectors (axis times angle). Their principal
//! directions are the axes of a joint, the hinge axis first. The range about each axis is the
//! minimum and maximum over all keys.

use std::collections::BTreeMap;

use glam::{DMat3, DQuat, DVec3, Quat, Vec3};

use ulna_model::{Document, Interpolation, NodeId, Property, Track, transform::unit_or};

/// Margin beyond the range of the keys, radians.
const MARGIN: f64 = 0.05;

/// Range of rotation of one joint, relative to the rest pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointRange {
    /// Unit axes of rotation, in the joint's own space in the rest pose. The axis with the largest
    /// spread is first.
    pub axes: [Vec3; 3],
    /// Minimum angle about each axis, radians.
    pub low: Vec3,
    /// Maximum angle about each axis, radians.
    pub high: Vec3,
}

/// Ranges of the joints that are rotated by at least one clip.
pub type Limits = BTreeMap<NodeId, JointRange>;

/// Converts a rotation to a rotation vector, by the shortest path.
fn vector(q: DQuat) -> DVec3 {
    let q = if q.w < 0.0 { -q } else { q };
    q.normalize().to_scaled_axis()
}

/// Iterates over the rotations at the keys of a track.
fn rotations(track: &Track) -> impl Iterator<Item = Quat> + '_ {
    let (stride, skip) =
        (track.stride(), if track.interpolation == Interpolation::CubicSpline { 4 } else { 0 });
    let keys = track.values.chunks_exact(stride.max(4));
    keys.filter_map(move |v| v.get(skip..skip + 4))
        .map(|v| unit_or(Quat::from_slice(v), Quat::IDENTITY))
}

/// Finds the direction of the largest spread of vectors: the dominant eigenvector of their scatter
/// matrix, by power iteration.
fn main_axis(scatter: &DMat3) -> Option<DVec3> {
    let start = [scatter.x_axis, scatter.y_axis, scatter.z_axis]
        .into_iter()
        .max_by(|a, b| a.length().total_cmp(&b.length()))?;
    let mut axis = start.try_normalize()?;
    for _ in 0..64 {
        axis = (*scatter * axis).try_normalize()?;
    }
    Some(axis)
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

fn range_of(vectors: &[DVec3]) -> Option<JointRange> {
    let scatter = vectors.iter().fold(DMat3::ZERO, |sum, v| sum + outer(*v));
    let x = main_axis(&scatter)?;
    let without = |v: DVec3| v.reject_from(x);
    let rest = vectors.iter().fold(DMat3::ZERO, |sum, v| sum + outer(without(*v)));
    let y = main_axis(&rest)
        .map(without)
        .and_then(DVec3::try_normalize)
        .unwrap_or_else(|| x.any_orthonormal_vector());
    let axes = [x, y, x.cross(y)];
    // The rest pose always belongs to the range, even if no key has it.
    let (mut low, mut high) = (DVec3::ZERO, DVec3::ZERO);
    for v in vectors {
        let along = DVec3::from_array(axes.map(|a| v.dot(a)));
        (low, high) = (low.min(along), high.max(along));
    }
    let margin = DVec3::splat(MARGIN);
    Some(JointRange {
        axes: axes.map(|a| a.as_vec3()),
        low: (low - margin).as_vec3(),
        high: (high + margin).as_vec3(),
    })
}

/// Computes the ranges of some joints over all clips. Joints that no clip rotates are left out.
pub fn limits_of(document: &Document, joints: &[NodeId]) -> Limits {
    let mut turns: BTreeMap<NodeId, Vec<DVec3>> = BTreeMap::new();
    for track in document.clips.values().flat_map(|c| c.tracks.values()) {
        if track.property == Property::Rotation && joints.contains(&track.target) {
            let rest = document.node(track.target).rest.transform().rotation.as_dquat().inverse();
            turns
                .entry(track.target)
                .or_default()
                .extend(rotations(track).map(|r| vector(rest * r.as_dquat())));
        }
    }
    turns.into_iter().filter_map(|(node, vectors)| Some((node, range_of(&vectors)?))).collect()
}

impl JointRange {
    /// Angles of a rotation from the rest about each axis, radians.
    pub fn angles(&self, rest: Quat, rotation: Quat) -> Vec3 {
        let v = vector(rest.as_dquat().inverse() * rotation.as_dquat()).as_vec3();
        Vec3::from_array(self.axes.map(|a| v.dot(a)))
    }

    /// Clamps a rotation to the range. A rotation inside the range is returned unchanged.
    pub fn within(&self, rest: DQuat, rotation: DQuat) -> DQuat {
        let v = vector(rest.inverse() * rotation);
        let along = DVec3::from_array(self.axes.map(|a| v.dot(a.as_dvec3())));
        let kept = along.clamp(self.low.as_dvec3(), self.high.as_dvec3());
        if kept == along {
            return rotation;
        }
        let [x, y, z] = self.axes.map(|a| a.as_dvec3());
        (rest * DQuat::from_scaled_axis(x * kept.x + y * kept.y + z * kept.z)).normalize()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rotations_are_clamped_to_the_range_of_the_keys(
            turns in prop::collection::vec(prop::array::uniform3(-1.0f64..1.0), 1..20),
                to in prop::array::uniform3(-1.6f64..1.6),
        ) {
            let vectors: Vec<DVec3> = turns.iter().map(|v| DVec3::from_array(*v)).collect();
            let Some(range) = range_of(&vectors) else { return Ok(()) };
            let rest = DQuat::from_rotation_y(0.7);
            for v in &vectors {
                let q = rest * DQuat::from_scaled_axis(*v);
                prop_assert!(range.within(rest, q).angle_between(q) < 1e-5);
            }
            let kept = range.within(rest, rest * DQuat::from_scaled_axis(DVec3::from_array(to)));
            let angles = range.angles(rest.as_quat(), kept.as_quat());
            prop_assert!((angles - angles.clamp(range.low, range.high)).abs().max_element() < 1e-4);
            prop_assert!(range.within(rest, kept).angle_between(kept) < 1e-5);
        }
    }

    #[test]
    fn a_hinge_is_detected() {
        let vectors: Vec<DVec3> =
            (0..9).map(|k| DVec3::new(0.0, 0.1 + 0.2 * f64::from(k), 0.0)).collect();
        let range = range_of(&vectors).unwrap();
        assert!(range.axes[0].y.abs() > 0.999);
        let width = range.high - range.low;
        assert!((width.x - 1.8).abs() < 1e-5 && width.y < 0.11 && width.z < 0.11, "{range:?}");
    }
}
