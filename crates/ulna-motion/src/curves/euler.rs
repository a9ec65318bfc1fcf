//! Rotations as Euler angles, in any of the six orders of three axes.
//!
//! `q = q₁(a)·q₂(b)·q₃(c)`: the factors turn about the axes of the order, in their order. The
//! formulas are those of rotation matrices `R = R₁(a)·R₂(b)·R₃(c)`.

use glam::{DMat3, DQuat, DVec3};

use ulna_model::{Property, Track};

/// The order of the axes of Euler angles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EulerOrder {
    /// X, then Y, then Z, each about the axes that the ones before have turned.
    #[default]
    Xyz,
    /// X, Z, Y.
    Xzy,
    /// Y, X, Z.
    Yxz,
    /// Y, Z, X.
    Yzx,
    /// Z, X, Y.
    Zxy,
    /// Z, Y, X.
    Zyx,
}

/// Below this determinant of the angles' rates, two axes nearly coincide (gimbal lock).
const LOCKED: f64 = 1e-3;

impl EulerOrder {
    /// All six.
    pub const ALL: [Self; 6] = [Self::Xyz, Self::Xzy, Self::Yxz, Self::Yzx, Self::Zxy, Self::Zyx];

    /// The axes, such as `XYZ`.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Xyz => "XYZ",
            Self::Xzy => "XZY",
            Self::Yxz => "YXZ",
            Self::Yzx => "YZX",
            Self::Zxy => "ZXY",
            Self::Zyx => "ZYX",
        }
    }

    /// The axes of the three factors: 0, 1 and 2 are x, y and z.
    const fn axes(self) -> [usize; 3] {
        match self {
            Self::Xyz => [0, 1, 2],
            Self::Xzy => [0, 2, 1],
            Self::Yxz => [1, 0, 2],
            Self::Yzx => [1, 2, 0],
            Self::Zxy => [2, 0, 1],
            Self::Zyx => [2, 1, 0],
        }
    }

    /// 1 where the axes are in cyclic order, else −1.
    const fn parity(self) -> f64 {
        match self {
            Self::Xyz | Self::Yzx | Self::Zxy => 1.0,
            Self::Xzy | Self::Yxz | Self::Zyx => -1.0,
        }
    }

    /// All orders for a rotation track, the one farthest from gimbal lock first; with each, the
    /// largest `|sin b|` of its middle angle at the keys, 1 at gimbal lock.
    pub fn best_first(track: &Track) -> [(Self, f32); 6] {
        let mut all = Self::ALL.map(|order| (order, 0.0f32));
        if track.property == Property::Rotation {
            for key in 0..track.times.len() {
                let matrix = DMat3::from_quat(unit(track.value(key)));
                for (order, most) in &mut all {
                    let [i, _, k] = order.axes();
                    *most = most.max(matrix.col(k)[i].abs() as f32);
                }
            }
        }
        // Orders that differ by less than anyone sees stay as they are listed.
        all.sort_by_key(|(_, most)| (most * 1e3) as i64);
        all
    }

    /// The rotation of three angles in radians, about x, y and z.
    pub(super) fn quat(self, angles: DVec3) -> DQuat {
        let [i, j, k] = self.axes();
        turn(i, angles[i]) * turn(j, angles[j]) * turn(k, angles[k])
    }

    /// The angles of a rotation, radians, about x, y and z: of all that make it, those nearest to
    /// `near`.
    pub(super) fn angles(self, q: DQuat, near: DVec3) -> DVec3 {
        let [i, j, k] = self.axes();
        let parity = self.parity();
        let m = DMat3::from_quat(q);
        let at = |row: usize, column: usize| m.col(column)[row];
        let cos = at(j, k).hypot(at(k, k));
        let mut angles = DVec3::ZERO;
        angles[j] = (parity * at(i, k)).atan2(cos);
        if cos < 1e-7 {
            // Only the sum of the outer angles is known: the last one stays.
            angles[k] = near[k];
            let m = m * DMat3::from_quat(turn(k, -near[k]));
            angles[i] = (parity * m.col(j)[k]).atan2(m.col(j)[j]);
            return wrapped(angles, near);
        }
        angles[i] = (-parity * at(j, k)).atan2(at(k, k));
        angles[k] = (-parity * at(i, j)).atan2(at(i, i));
        let mut other = angles;
        other[i] += std::f64::consts::PI;
        other[j] = std::f64::consts::PI - angles[j];
        other[k] += std::f64::consts::PI;
        let (first, second) = (wrapped(angles, near), wrapped(other, near));
        if first.distance_squared(near) <= second.distance_squared(near) { first } else { second }
    }

    /// The axes about which a change of each angle turns, in the parent's frame: the columns about
    /// x, y and z. Its determinant is ± the cosine of the middle angle.
    pub(super) fn rates(self, angles: DVec3) -> DMat3 {
        let [i, j, k] = self.axes();
        let first = DMat3::from_quat(turn(i, angles[i]));
        let both = first * DMat3::from_quat(turn(j, angles[j]));
        let mut rates = DMat3::ZERO;
        *rates.col_mut(i) = DVec3::AXES[i];
        *rates.col_mut(j) = first * DVec3::AXES[j];
        *rates.col_mut(k) = both * DVec3::AXES[k];
        rates
    }

    /// The rates of the angles of a rotation that turns with an angular velocity (radians per
    /// second, in the parent's frame). Nothing at gimbal lock.
    pub(super) fn slopes(self, angles: DVec3, velocity: DVec3) -> Option<DVec3> {
        let rates = self.rates(angles);
        (rates.determinant().abs() >= LOCKED).then(|| rates.inverse() * velocity)
    }

    /// Whether two axes nearly coincide at these angles.
    pub(super) fn is_locked(self, angles: DVec3) -> bool {
        self.rates(angles).determinant().abs() < LOCKED
    }
}

fn turn(axis: usize, angle: f64) -> DQuat {
    DQuat::from_axis_angle(DVec3::AXES[axis], angle)
}

/// Each angle by whole turns as near as can be to another.
fn wrapped(angles: DVec3, near: DVec3) -> DVec3 {
    let full = std::f64::consts::TAU;
    angles + ((near - angles) / full).round() * full
}

/// Four stored numbers as a unit quaternion.
pub(super) fn unit(values: &[f32]) -> DQuat {
    let [x, y, z, w] = [0, 1, 2, 3].map(|i| values.get(i).copied().map_or(0.0, f64::from));
    let q = DQuat::from_xyzw(x, y, z, w);
    if q.length_squared() > 1e-18 { q.normalize() } else { DQuat::IDENTITY }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Angles make the rotation that they are of, in all six orders, and are near those asked
        /// for.
        #[test]
        fn angles_make_their_rotation(angles in prop::array::uniform3(-7.0f64..7.0)) {
            let angles = DVec3::from_array(angles);
            for order in EulerOrder::ALL {
                let q = order.quat(angles);
                let far = order.angles(q, DVec3::ZERO);
                prop_assert!(order.quat(far).angle_between(q).min(
                    order.quat(far).angle_between(-q)) < 1e-6);
                if !order.is_locked(angles) {
                    prop_assert!(order.angles(q, angles).distance(angles) < 1e-6);
                }
            }
        }

        /// Rates of angles are the derivatives of the rotation.
        #[test]
        fn rates_are_derivatives(angles in prop::array::uniform3(-3.0f64..3.0),
            slopes in prop::array::uniform3(-2.0f64..2.0)) {
            let (angles, slopes) = (DVec3::from_array(angles), DVec3::from_array(slopes));
            let step = 1e-6;
            for order in EulerOrder::ALL {
                let (before, after) =
                    (order.quat(angles - slopes * step), order.quat(angles + slopes * step));
                let velocity = (after * before.inverse()).to_scaled_axis() / (2.0 * step);
                prop_assert!((order.rates(angles) * slopes).distance(velocity) < 1e-5);
                if let Some(back) = order.slopes(angles, velocity) {
                    prop_assert!(back.distance(slopes) < 1e-4 / LOCKED);
                }
            }
        }
    }

    #[test]
    fn at_gimbal_lock_the_last_angle_stays() {
        let right = std::f64::consts::FRAC_PI_2;
        for order in EulerOrder::ALL {
            let [i, j, k] = order.axes();
            for b in [right, -right] {
                let mut angles = DVec3::ZERO;
                (angles[i], angles[j], angles[k]) = (0.4, b, 0.3);
                let back = order.angles(order.quat(angles), angles);
                assert!(back.distance(angles) < 1e-6, "{order:?} {back}");
                assert!(order.is_locked(angles));
            }
        }
    }
}
