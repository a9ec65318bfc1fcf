//! Channels of a node that are locked against manual posing.

use glam::{DQuat, DVec3, EulerRot, Quat};
use serde::{Deserialize, Serialize};

use super::Property;

/// Locked channels of a node, per axis. Manual posing does not change these components of its pose
/// offset (`Ul`). Playback of clips and layers ignores the locks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChannelLocks {
    /// Whether translation is locked along x, y and z, in the axes of the rest pose.
    #[serde(skip_serializing_if = "is_free")]
    pub translation: [bool; 3],
    /// Whether the Euler angle is locked about x, y and z.
    #[serde(skip_serializing_if = "is_free")]
    pub rotation: [bool; 3],
    /// Whether the scale factor is locked along x, y and z, in the node's own axes.
    #[serde(skip_serializing_if = "is_free")]
    pub scale: [bool; 3],
}

pub(super) fn is_free(locked: &[bool; 3]) -> bool {
    *locked == [false; 3]
}

const AXES: [DVec3; 3] = [DVec3::X, DVec3::Y, DVec3::Z];

impl ChannelLocks {
    /// Whether no channel is locked.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Locked axes of a property; always none for morph weights.
    pub const fn of(&self, property: Property) -> [bool; 3] {
        match property {
            Property::Translation => self.translation,
            Property::Rotation => self.rotation,
            Property::Scale => self.scale,
            Property::Weights => [false; 3],
        }
    }

    /// Whether all axes of a property are locked.
    pub fn has_all_of(&self, property: Property) -> bool {
        self.of(property) == [true; 3]
    }

    /// Locks or unlocks axes of a property.
    pub fn set(&mut self, property: Property, axes: [bool; 3], to: bool) {
        let own = match property {
            Property::Translation => &mut self.translation,
            Property::Rotation => &mut self.rotation,
            Property::Scale => &mut self.scale,
            Property::Weights => return,
        };
        for (locked, is_meant) in own.iter_mut().zip(axes) {
            *locked = if is_meant { to } else { *locked };
        }
    }
}

/// Rotation nearest to `wanted` whose locked Euler angles (XYZ) equal those of `now`.
///
/// If two angles are free, the dot product of the quaternions is a sum of two terms. One depends on
/// the sum of the angles, and the other on their difference. Each term is maximized separately.
pub(super) fn with_angles(now: Quat, wanted: Quat, locked: [bool; 3]) -> Quat {
    let to = wanted.as_dquat();
    let (x, y, z) = now.as_dquat().to_euler(EulerRot::XYZ);
    let mut angles = [x, y, z];
    let product = |angles: &[f64; 3], from: usize, to: usize| {
        (from..to).fold(DQuat::IDENTITY, |all, k| all * DQuat::from_axis_angle(AXES[k], angles[k]))
    };
    match locked {
        [true, true, true] => return now,
        [false, false, false] => return wanted,
        [false, true, false] => {
            let sum = (to.x + to.z).atan2(to.w + to.y);
            let difference = (to.x - to.z).atan2(to.w - to.y);
            (angles[0], angles[2]) = (sum + difference, sum - difference);
        }
        [true, false, false] => {
            let left = product(&angles, 0, 1).conjugate() * to;
            let sum = (left.y + left.z).atan2(left.w - left.x);
            let difference = (left.y - left.z).atan2(left.w + left.x);
            (angles[1], angles[2]) = (sum + difference, sum - difference);
        }
        [false, false, true] => {
            let left = to * product(&angles, 2, 3).conjugate();
            let sum = (left.x + left.y).atan2(left.w - left.z);
            let difference = (left.x - left.y).atan2(left.w + left.z);
            (angles[0], angles[1]) = (sum + difference, sum - difference);
        }
        _ => {
            // Both fixed factors of Rx·Ry·Rz are divided out. The free angle is the twist of the
            // remaining rotation about its axis.
            let k = locked.iter().position(|l| !l).unwrap_or(0);
            let left = product(&angles, 0, k).conjugate() * to;
            let left = left * product(&angles, k + 1, 3).conjugate();
            let about = left.xyz().dot(AXES[k]);
            if about.hypot(left.w) > 1e-9 {
                angles[k] = 2.0 * about.atan2(left.w);
            }
        }
    }
    product(&angles, 0, 3).normalize().as_quat()
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::transform::angle_between;

    pub(crate) fn euler(degrees: [f32; 3]) -> Quat {
        let [x, y, z] = degrees.map(f32::to_radians);
        Quat::from_euler(EulerRot::XYZ, x, y, z)
    }

    pub(crate) fn angles(q: Quat) -> [f32; 3] {
        let (x, y, z) = q.to_euler(EulerRot::XYZ);
        [x, y, z].map(f32::to_degrees)
    }

    #[test]
    fn a_hinge_follows_only_rotation_about_its_axis() {
        let now = euler([20.0, 0.0, 0.0]);
        let to = with_angles(now, euler([70.0, 0.0, 0.0]), [false, true, true]);
        assert!(angle_between(to, euler([70.0, 0.0, 0.0])) < 1e-5);
        // A rotation about a locked axis changes nothing.
        let to = with_angles(now, now * euler([0.0, 0.0, 40.0]), [false, true, true]);
        assert!(angle_between(to, now) < 1e-5, "{:?}", angles(to));
        // Beyond 90° about y, the other Euler angles flip; the hinge angle still follows.
        let now = euler([0.0, 60.0, 0.0]);
        let to = with_angles(now, euler([0.0, 130.0, 0.0]), [true, false, true]);
        assert!(angle_between(to, euler([0.0, 130.0, 0.0])) < 1e-5);
        let to = with_angles(to, euler([0.0, 170.0, 0.0]), [true, false, true]);
        assert!(angle_between(to, euler([0.0, 170.0, 0.0])) < 1e-5);
    }

    proptest! {
        #[test]
        fn typed_angles_apply_to_unlocked_axes_only(
            now in prop::array::uniform3(-80.0f32..80.0),
            typed in prop::array::uniform3(-80.0f32..80.0),
            locked in prop::array::uniform3(any::<bool>()),
        ) {
            let wanted = [0, 1, 2].map(|k| if locked[k] { now[k] } else { typed[k] });
            let to = with_angles(euler(now), euler(wanted), locked);
            prop_assert!(angle_between(to, euler(wanted)) < 2e-3, "{:?} {wanted:?}", angles(to));
        }
    }
}
