//! Euler angles of rotations in any of six orders, in double precision, and their rates of change.

use glam::{DMat3, DQuat, DVec3};
use std::f64::consts::{PI, TAU};

use ulna_model::{Interpolation, Property, Track};

use super::moments::{Key, rotation_at};

/// Minimum determinant of the three axes, which is the cosine of the middle angle. If it is
/// smaller, two axes are nearly parallel (gimbal lock), and slopes of single angles cannot be set.
pub(super) const LOCKED: f64 = 1e-3;

/// Minimum cosine of the middle angle for which the other two angles are distinct. Below it, only
/// their sum is determined.
const ONE_AXIS: f64 = 1e-7;

/// The order of three rotations: `q = q₁(a)·q₂(b)·q₃(c)`. Each axis is rotated by the rotations
/// before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EulerOrder {
    /// About x, then y, then z.
    #[default]
    Xyz,
    /// About x, then z, then y.
    Xzy,
    /// About y, then x, then z.
    Yxz,
    /// About y, then z, then x.
    Yzx,
    /// About z, then x, then y.
    Zxy,
    /// About z, then y, then x.
    Zyx,
}

impl EulerOrder {
    /// All orders, in menu order.
    pub const ALL: [Self; 6] = [Self::Xyz, Self::Xzy, Self::Yxz, Self::Yzx, Self::Zxy, Self::Zyx];

    /// The three axes as letters, such as “XYZ”.
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

    /// Indices of the axes (0, 1, 2 for x, y, z) of the three angles. For XZY, they are 0, 2, 1.
    pub const fn axes(self) -> [usize; 3] {
        match self {
            Self::Xyz => [0, 1, 2],
            Self::Xzy => [0, 2, 1],
            Self::Yxz => [1, 0, 2],
            Self::Yzx => [1, 2, 0],
            Self::Zxy => [2, 0, 1],
            Self::Zyx => [2, 1, 0],
        }
    }

    /// 1 if the axes are a cyclic permutation of x, y, z, else −1.
    const fn sign(self) -> f64 {
        match self {
            Self::Xyz | Self::Yzx | Self::Zxy => 1.0,
            Self::Xzy | Self::Yxz | Self::Zyx => -1.0,
        }
    }

    /// Position of an axis (0, 1, 2 for x, y, z) in the order.
    pub(super) fn place(self, axis: usize) -> usize {
        self.axes().iter().position(|a| *a == axis).unwrap_or(0)
    }

    /// Renames the axes of a rotation, so that the axes of this order become x, y, z.
    fn own(self, q: DQuat) -> DQuat {
        let [i, j, k] = self.axes();
        let (v, s) = (q.xyz(), self.sign());
        DQuat::from_xyzw(s * v[i], s * v[j], s * v[k], q.w)
    }

    /// The sine of the middle angle: ±1 at gimbal lock. `q` must have length 1.
    pub(super) fn middle_sine(self, q: DQuat) -> f64 {
        let o = self.own(q);
        self.sign() * 2.0 * (o.x * o.z + o.w * o.y)
    }

    /// Converts three angles in radians, in the order of [`axes`](Self::axes), to a rotation.
    pub fn rotation(self, angles: [f64; 3]) -> DQuat {
        let axes = self.axes();
        let turn = |n: usize| DQuat::from_axis_angle(DVec3::AXES[axes[n]], angles[n]);
        turn(0) * turn(1) * turn(2)
    }

    /// Converts a unit rotation to three angles in radians. Equivalent triples are
    /// `a + π, π − b, c + π`, and full turns of each angle. The triple nearest to `near` is
    /// returned. At gimbal lock, the last angle is that of `near`.
    pub fn angles(self, q: DQuat, near: [f64; 3]) -> [f64; 3] {
        let s = self.sign();
        let o = self.own(q);
        let (x, y, z, w) = (o.x, o.y, o.z, o.w);
        let first = [2.0 * (w * x - y * z), 1.0 - 2.0 * (x * x + y * y)];
        let last = [2.0 * (w * z - x * y), 1.0 - 2.0 * (y * y + z * z)];
        let (sine, cosine) = (2.0 * (x * z + w * y), last[0].hypot(last[1]));
        let b = sine.atan2(cosine);
        let (a, c) = if cosine < ONE_AXIS {
            let c = s * near[2];
            let both = (2.0 * (x * y + w * z)).atan2(1.0 - 2.0 * (x * x + z * z));
            (if sine > 0.0 { both - c } else { c - both }, c)
        } else {
            (first[0].atan2(first[1]), last[0].atan2(last[1]))
        };
        let nearest = |angles: [f64; 3]| {
            let mut found = angles;
            for (angle, near) in found.iter_mut().zip(near) {
                *angle += TAU * ((near - *angle) / TAU).round();
            }
            found
        };
        let (one, other) =
            (nearest([s * a, s * b, s * c]), nearest([s * a + PI, PI - s * b, s * c + PI]));
        let off = |to: [f64; 3]| to.iter().zip(near).map(|(a, n)| (a - n).powi(2)).sum::<f64>();
        if off(other) < off(one) { other } else { one }
    }

    /// Axes of the three angles in the parent's frame, as the columns of `M`: `u₁`, `q₁·u₂`,
    /// `q₁q₂·u₃`. The angular velocity is `ω = M·(a', b', c')`. It follows from `∂q/∂a = ½u₁q`,
    /// `∂q/∂b = q₁·½u₂·q₂q₃` and `∂q/∂c = q·½u₃`.
    fn turning(self, angles: [f64; 3]) -> DMat3 {
        let [i, j, k] = self.axes().map(|axis| DVec3::AXES[axis]);
        let first = DQuat::from_axis_angle(i, angles[0]);
        let second = first * DQuat::from_axis_angle(j, angles[1]);
        DMat3::from_cols(i, first * j, second * k)
    }

    /// Whether single angles cannot change independently (gimbal lock): the determinant of their
    /// axes is below 1e-3.
    pub(super) fn is_locked(self, angles: [f64; 3]) -> bool {
        angles[1].cos().abs() < LOCKED
    }

    /// Converts the angular velocity `omega` in the parent's frame to the rates of the three
    /// angles, in radians per second. `None` at gimbal lock.
    pub(super) fn rates(self, angles: [f64; 3], omega: DVec3) -> Option<[f64; 3]> {
        (!self.is_locked(angles)).then(|| (self.turning(angles).inverse() * omega).to_array())
    }

    /// Converts the rates of the three angles to the angular velocity in the parent's frame, in
    /// radians per second.
    pub(super) fn omega(self, angles: [f64; 3], rates: [f64; 3]) -> DVec3 {
        self.turning(angles) * DVec3::from_array(rates)
    }

    /// Sorts the orders for a track of rotations by their proximity to gimbal lock. The proximity
    /// is the largest `|sin b|` at keys and between them, 1 at gimbal lock. The best order is
    /// first; ties are in menu order.
    pub fn best_first(track: &Track) -> [(Self, f32); 6] {
        /// Samples per segment.
        const PLACES: usize = 4;
        let mut found = Self::ALL.map(|order| (order, 0.0f32));
        if track.property != Property::Rotation || track.width != 4 {
            return found;
        }
        let places = if track.interpolation == Interpolation::Step { 1 } else { PLACES };
        let last = track.times.len().saturating_sub(1);
        for key in 0..track.times.len() {
            for place in 0..if key < last { places } else { 1 } {
                let q = rotation_at(track, Key { key, part: place as f64 / PLACES as f64 });
                for (order, worst) in &mut found {
                    *worst = worst.max(order.middle_sine(q).abs().min(1.0) as f32);
                }
            }
        }
        found.sort_by(|a, b| a.1.total_cmp(&b.1));
        found
    }
}

#[cfg(test)]
mod tests {
    use glam::EulerRot;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn euler_angles_match_the_rotation_and_are_nearest_to_the_previous(
            order in prop::sample::select(EulerOrder::ALL.to_vec()),
            angles in prop::array::uniform3(-9.0f64..9.0),
            off in prop::array::uniform3(-0.7f64..0.7),
        ) {
            let q = order.rotation(angles);
            let glam = match order {
                EulerOrder::Xyz => EulerRot::XYZ,
                EulerOrder::Xzy => EulerRot::XZY,
                EulerOrder::Yxz => EulerRot::YXZ,
                EulerOrder::Yzx => EulerRot::YZX,
                EulerOrder::Zxy => EulerRot::ZXY,
                EulerOrder::Zyx => EulerRot::ZYX,
            };
            let theirs = DQuat::from_euler(glam, angles[0], angles[1], angles[2]);
            prop_assert!(q.dot(theirs).abs() > 1.0 - 1e-12);
            prop_assert!((order.middle_sine(q) - angles[1].sin()).abs() < 1e-12);
            let near: [f64; 3] = std::array::from_fn(|n| angles[n] + off[n]);
            let found = order.angles(q, near);
            prop_assert!(order.rotation(found).dot(q).abs() > 1.0 - 1e-12);
            if angles[1].cos().abs() > 1e-4 {
                for n in 0..3 {
                    prop_assert!((found[n] - angles[n]).abs() < 1e-6, "{found:?} {angles:?}");
                }
            }
        }

        #[test]
        fn rates_are_the_derivatives_of_the_angles(
            order in prop::sample::select(EulerOrder::ALL.to_vec()),
            angles in prop::array::uniform3(-3.0f64..3.0),
            rates in prop::array::uniform3(-5.0f64..5.0),
        ) {
            prop_assume!(angles[1].cos().abs() > 0.02);
            const DT: f64 = 1e-6;
            let at = |t: f64| order.rotation(std::array::from_fn(|n| angles[n] + rates[n] * t));
            let omega = order.omega(angles, rates);
            let turn = (at(DT) * at(-DT).inverse()).to_scaled_axis() / (2.0 * DT);
            prop_assert!((turn - omega).length() < 1e-4, "{turn} {omega}");
            let back = order.rates(angles, omega).unwrap();
            prop_assert!(back.iter().zip(rates).all(|(a, b)| (a - b).abs() < 1e-9));
        }
    }

    #[test]
    fn at_gimbal_lock_the_last_angle_is_kept_and_there_is_no_rate() {
        for order in EulerOrder::ALL {
            for b in [PI / 2.0, -PI / 2.0] {
                let q = order.rotation([0.4, b, 0.3]);
                let found = order.angles(q, [0.0, b, 1.0]);
                assert!((found[2] - 1.0).abs() < 1e-9, "{found:?}");
                assert!(order.rotation(found).dot(q).abs() > 1.0 - 1e-12);
                assert!(order.rates(found, DVec3::X).is_none());
            }
        }
    }

    #[test]
    fn the_order_farthest_from_gimbal_lock_is_first() {
        let turns = |axis: DVec3| Track {
            target: ulna_model::NodeId(0),
            property: Property::Rotation,
            interpolation: Interpolation::Linear,
            times: [0.0, 1.0].into(),
            values: [0.0, 1.5]
                .map(|a| DQuat::from_axis_angle(axis, a).as_quat().to_array())
                .concat()
                .into(),
            width: 4,
            kinds: Default::default(),
            modes: Default::default(),
        };
        let best = EulerOrder::best_first(&turns(DVec3::Y));
        assert_eq!(best[0], (EulerOrder::Xzy, 0.0));
        assert!(matches!(best[5].0, EulerOrder::Xyz | EulerOrder::Zyx) && best[5].1 > 0.99);
    }
}
