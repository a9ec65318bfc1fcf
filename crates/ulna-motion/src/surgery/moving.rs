//! A local transform at a time and its rates of change, in double precision.

use glam::{DMat3, DMat4, DQuat, DVec3};

use ulna_model::Transform;

/// Translation, rotation and scale, and their rates of change per second.
///
/// If a product of two transforms contains shear, only the diagonal of its scale matrix is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moving {
    /// Translation in the space of the parent.
    pub translation: DVec3,
    /// Rotation, a unit quaternion.
    pub rotation: DQuat,
    /// Scale factors along the node's own axes.
    pub scale: DVec3,
    /// Change of the translation per second, in the space of the parent.
    pub velocity: DVec3,
    /// Angular velocity in radians per second, in the axes of the parent.
    pub spin: DVec3,
    /// Change of the scale factors per second.
    pub growth: DVec3,
}

impl Moving {
    /// The identity, without motion.
    pub const IDENTITY: Self = Self {
        translation: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
        scale: DVec3::ONE,
        velocity: DVec3::ZERO,
        spin: DVec3::ZERO,
        growth: DVec3::ZERO,
    };

    /// Creates a constant transform.
    pub fn still(of: &Transform) -> Self {
        Self {
            translation: of.translation.as_dvec3(),
            rotation: of.rotation.as_dquat().normalize(),
            scale: of.scale.as_dvec3(),
            ..Self::IDENTITY
        }
    }

    /// Creates a constant rotation.
    pub fn turned(rotation: DQuat) -> Self {
        Self { rotation, ..Self::IDENTITY }
    }

    /// Creates a constant translation.
    pub fn moved(translation: DVec3) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// Creates a constant uniform scale.
    pub fn scaled(factor: f64) -> Self {
        Self { scale: DVec3::splat(factor), ..Self::IDENTITY }
    }

    /// Converts to single precision, without the rates.
    pub fn transform(&self) -> Transform {
        Transform {
            translation: self.translation.as_vec3(),
            rotation: self.rotation.as_quat(),
            scale: self.scale.as_vec3(),
        }
    }

    /// The matrix `T·R·S`.
    pub fn matrix(&self) -> DMat4 {
        DMat4::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    /// Whether the scale is uniform.
    pub fn is_uniform(&self) -> bool {
        let most = self.scale.abs().max_element();
        (self.scale - DVec3::splat(self.scale.x)).abs().max_element() <= 1e-6 * most
    }

    /// Multiplies two transforms, `self·other`. Rates follow the product rule.
    #[must_use]
    pub fn then(&self, other: &Self) -> Self {
        let turn = self.rotation;
        let arm = turn * (self.scale * other.translation);
        let (scale, growth) = if self.is_uniform() {
            (self.scale * other.scale, self.growth * other.scale + self.scale * other.growth)
        } else {
            // R_a·S_a·R_b·S_b = R_a·R_b·(R_b⁻¹·S_a·R_b)·S_b. Only the diagonal of the part in
            // parentheses is kept.
            let b = DMat3::from_quat(other.rotation);
            let spin = cross(other.spin);
            let (s, rate) = (DMat3::from_diagonal(self.scale), DMat3::from_diagonal(self.growth));
            let between = diagonal(b.transpose() * s * b);
            let change = diagonal(b.transpose() * (rate + s * spin - spin * s) * b);
            (between * other.scale, change * other.scale + between * other.growth)
        };
        Self {
            translation: self.translation + arm,
            rotation: (turn * other.rotation).normalize(),
            scale,
            velocity: self.velocity
                + self.spin.cross(arm)
                + turn * (self.growth * other.translation + self.scale * other.velocity),
            spin: self.spin + turn * other.spin,
            growth,
        }
    }

    /// Inverts the transform. The result is exact if the scale is uniform or the rotation permutes
    /// axes. `None` if a scale factor is 0.
    pub fn inverse(&self) -> Option<Self> {
        if self.scale.abs().min_element() < 1e-12 {
            return None;
        }
        let back = self.rotation.conjugate();
        let arm = back * self.translation;
        let speed = back * (self.velocity - self.spin.cross(self.translation));
        let inverse = DVec3::ONE / self.scale;
        let shrink = -self.growth * inverse * inverse;
        let (scale, growth) = if self.is_uniform() {
            (inverse, shrink)
        } else {
            // S⁻¹·R⁻¹ = R⁻¹·(R·S⁻¹·R⁻¹). Only the diagonal of the part in parentheses is kept.
            let r = DMat3::from_quat(self.rotation);
            let spin = cross(self.spin);
            let made = r * DMat3::from_diagonal(inverse) * r.transpose();
            let rate = r * DMat3::from_diagonal(shrink) * r.transpose();
            (diagonal(made), diagonal(rate + spin * made - made * spin))
        };
        Some(Self {
            translation: -arm * inverse,
            rotation: back,
            scale,
            velocity: -speed * inverse - arm * shrink,
            spin: -(back * self.spin),
            growth,
        })
    }
}

/// Returns the matrix of the cross product `v × x`.
fn cross(v: DVec3) -> DMat3 {
    DMat3::from_cols(
        DVec3::new(0.0, v.z, -v.y),
        DVec3::new(-v.z, 0.0, v.x),
        DVec3::new(v.y, -v.x, 0.0),
    )
}

fn diagonal(m: DMat3) -> DVec3 {
    DVec3::new(m.x_axis.x, m.y_axis.y, m.z_axis.z)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn moving() -> impl Strategy<Value = Moving> {
        let three = || prop::array::uniform3(-2.0f64..2.0).prop_map(DVec3::from);
        (three(), three(), 0.3f64..3.0, three(), three(), -1.0f64..1.0).prop_map(
            |(translation, turn, scale, velocity, spin, growth)| Moving {
                translation,
                rotation: DQuat::from_scaled_axis(turn),
                scale: DVec3::splat(scale),
                velocity,
                spin,
                growth: DVec3::splat(growth),
            },
        )
    }

    /// Advances the transform by a short time with its rates.
    fn later(m: &Moving, dt: f64) -> Moving {
        Moving {
            translation: m.translation + m.velocity * dt,
            rotation: DQuat::from_scaled_axis(m.spin * dt) * m.rotation,
            scale: m.scale + m.growth * dt,
            ..*m
        }
    }

    fn rate_of(before: &Moving, after: &Moving, dt: f64) -> [DVec3; 3] {
        let turn = after.rotation * before.rotation.conjugate();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        [
            (after.translation - before.translation) / dt,
            turn.to_scaled_axis() / dt,
            (after.scale - before.scale) / dt,
        ]
    }

    proptest! {
        #[test]
        fn a_product_equals_the_matrix_product_and_its_rates_equal_finite_differences(
            a in moving(), b in moving(), uneven in prop::array::uniform3(0.5f64..2.0)) {
            const DT: f64 = 1e-6;
            let made = a.then(&b);
            prop_assert!(made.matrix().abs_diff_eq(a.matrix() * b.matrix(), 1e-9));
            // Rates are also correct for non-uniform scales.
            let a = Moving { scale: a.scale * DVec3::from(uneven), ..a };
            let made = a.then(&b);
            let rates = rate_of(&made, &later(&a, DT).then(&later(&b, DT)), DT);
            for (rate, found) in rates.into_iter().zip([made.velocity, made.spin, made.growth]) {
                prop_assert!(rate.distance(found) < 1e-3, "{rate} {found}");
            }
        }

        #[test]
        fn an_inverse_cancels_and_has_the_inverse_rates(a in moving()) {
            const DT: f64 = 1e-6;
            let back = a.inverse().unwrap();
            let none = a.then(&back);
            prop_assert!(none.matrix().abs_diff_eq(DMat4::IDENTITY, 1e-9));
            prop_assert!(none.velocity.length() + none.spin.length() < 1e-9);
            let rates = rate_of(&back, &later(&a, DT).inverse().unwrap(), DT);
            for (rate, found) in rates.into_iter().zip([back.velocity, back.spin, back.growth]) {
                prop_assert!(rate.distance(found) < 2e-3 * (1.0 + rate.length()), "{rate} {found}");
            }
        }
    }

    #[test]
    fn nonuniform_scale_is_exact_with_swapped_axes() {
        let uneven = Moving { scale: DVec3::new(1.0, 2.0, 3.0), ..Moving::IDENTITY };
        let quarter = Moving::turned(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2));
        let made = uneven.then(&quarter);
        assert!(made.matrix().abs_diff_eq(uneven.matrix() * quarter.matrix(), 1e-12));
    }
}
