//! Translation, rotation and scale, and the composition `∘` of rest and pose offset.

use glam::{DMat3, DMat4, DQuat, DVec3, Mat4, Quat, Vec3};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A translation, rotation and scale, as a glTF node stores them.
///
/// The matrix is `T · R · S` (glTF 2.0, 3.5.3). `rotation` is a unit quaternion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transform {
    /// Translation in meters, in the space of the parent.
    pub translation: Vec3,
    /// Rotation as a unit quaternion.
    pub rotation: Quat,
    /// Scale factors along the node's own axes; can be negative or zero.
    pub scale: Vec3,
}

/// Reason for which no pose offset can produce a wanted transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TransformError {
    /// A scale factor of the rest is 0.
    #[error("its rest scale is 0 along an axis, so no pose offset exists; set the scale first")]
    ZeroScale,
    /// The parent's matrix is not invertible.
    #[error(
        "its parent has a scale of 0, so it cannot be posed in world space; use local values \
            instead"
    )]
    SingularParent,
    /// A number in the result is not finite.
    #[error("the result is not a finite number; use smaller values")]
    NotFinite,
}

impl TransformError {
    /// Error code for scripts, which is stable across versions.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::ZeroScale => "scale_is_zero",
            Self::SingularParent => "squashed_flat",
            Self::NotFinite => "not_finite",
        }
    }
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Transform {
    /// No translation, no rotation, scale 1.
    pub const IDENTITY: Self =
        Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// Transform with only a rotation.
    pub const fn from_rotation(rotation: Quat) -> Self {
        Self { rotation, ..Self::IDENTITY }
    }

    /// The matrix `T · R · S`.
    pub fn matrix(&self) -> Mat4 {
        Mat4::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.translation.is_finite() && self.rotation.is_finite() && self.scale.is_finite()
    }

    /// `self ∘ ul`: composition by component. A node can always store the result.
    ///
    /// `t = t_A + R_A·S_A·t_B`, `r = r_A·r_B`, `s = s_A · s_B` per component. It equals the product
    /// of the matrices if the scale of `self` is uniform and positive, or if `ul` does not rotate.
    pub fn compose(&self, ul: &Self) -> Self {
        Self {
            translation: self.translation + self.rotation * (self.scale * ul.translation),
            rotation: unit_or(self.rotation * ul.rotation, self.rotation),
            scale: self.scale * ul.scale,
        }
    }

    /// Pose offset `ul` for which `self ∘ ul = local`.
    ///
    /// # Errors
    /// - [`TransformError::ZeroScale`] if a factor of `self.scale` is 0
    /// - [`TransformError::NotFinite`] if a number of the result is not finite
    pub fn user_from(&self, local: &Self) -> Result<Self, TransformError> {
        if self.scale.cmpeq(Vec3::ZERO).any() {
            return Err(TransformError::ZeroScale);
        }
        let inverse = self.rotation.conjugate();
        let user = Self {
            translation: (inverse * (local.translation - self.translation)) / self.scale,
            rotation: unit_or(inverse * local.rotation, Quat::IDENTITY),
            scale: local.scale / self.scale,
        };
        if user.is_finite() { Ok(user) } else { Err(TransformError::NotFinite) }
    }

    /// Splits a matrix into a transform and a residue.
    ///
    /// The signs of the scale follow `like`, so that a mirrored node stays mirrored along the same
    /// axes. See [`Decomposed`].
    pub fn decompose(matrix: &Mat4, like: &Self) -> Decomposed {
        decompose(&matrix.as_dmat4(), like)
    }

    /// Whether two transforms are equal within tolerances: `angle` in radians, `distance` in
    /// meters, and `1e-4` for the relative scale.
    pub fn is_close(&self, other: &Self, angle: f32, distance: f32) -> bool {
        let scale = self.scale.abs().max_element().max(1e-9);
        self.translation.distance(other.translation) <= distance
            && angle_between(self.rotation, other.rotation) <= angle
            && (self.scale - other.scale).abs().max_element() <= 1e-4 * scale
    }
}

/// Result of [`Transform::decompose`].
#[derive(Clone, Copy, Debug)]
pub struct Decomposed {
    /// The nearest transform.
    pub transform: Transform,
    /// Largest error of an element of the matrix, relative to the largest scale factor. Shear and
    /// the fourth row cannot be represented by a transform.
    pub residue: f32,
}

/// [`Transform::decompose`] in double precision, for chains of inverses.
pub fn decompose(matrix: &DMat4, like: &Transform) -> Decomposed {
    let m = DMat3::from_cols(
        matrix.x_axis.truncate(),
        matrix.y_axis.truncate(),
        matrix.z_axis.truncate(),
    );
    let mut columns = [m.x_axis, m.y_axis, m.z_axis];
    let mut scale = [columns[0].length(), columns[1].length(), columns[2].length()];
    let signs = like.scale.to_array().map(|s| if s < 0.0 { -1.0 } else { 1.0 });
    let mirrored = m.determinant() < 0.0;
    let like_mirrored = signs.iter().product::<f64>() < 0.0;
    for k in 0..3 {
        scale[k] *= signs[k];
    }
    if mirrored != like_mirrored {
        scale[0] = -scale[0];
    }
    let largest = scale.iter().fold(0.0f64, |a, s| a.max(s.abs()));
    let mut missing = Vec::new();
    for k in 0..3 {
        if scale[k].abs() > largest * 1e-12 && scale[k] != 0.0 {
            columns[k] /= scale[k];
        } else {
            missing.push(k);
        }
    }
    complete_basis(&mut columns, &missing, like);
    let basis = orthonormal(&columns);
    let rotation = DQuat::from_mat3(&basis).normalize();
    let back =
        DMat3::from_cols(basis.x_axis * scale[0], basis.y_axis * scale[1], basis.z_axis * scale[2]);
    let mut residue = 0.0f64;
    for (a, b) in back.to_cols_array().iter().zip(m.to_cols_array()) {
        residue = residue.max((a - b).abs());
    }
    let last_row = [matrix.x_axis.w, matrix.y_axis.w, matrix.z_axis.w, matrix.w_axis.w - 1.0];
    let relative = if largest > 0.0 { residue / largest } else { 0.0 };
    let transform = Transform {
        translation: matrix.w_axis.truncate().as_vec3(),
        rotation: unit_or(rotation.as_quat(), like.rotation),
        scale: DVec3::from_array(scale).as_vec3(),
    };
    Decomposed { transform, residue: last_row.iter().fold(relative, |a, v| a.max(v.abs())) as f32 }
}

/// Chooses directions for axes with a scale of 0. If all axes have a scale of 0, the directions are
/// taken from `like`.
fn complete_basis(columns: &mut [DVec3; 3], missing: &[usize], like: &Transform) {
    match missing {
        [] => {}
        [k] => {
            let (a, b) = ((k + 1) % 3, (k + 2) % 3);
            columns[*k] = columns[a].cross(columns[b]);
        }
        [a, b] => {
            let kept = (0..3).find(|k| k != a && k != b).unwrap_or(0);
            let (next, last) = ((kept + 1) % 3, (kept + 2) % 3);
            columns[next] = columns[kept].any_orthonormal_vector();
            columns[last] = columns[kept].cross(columns[next]);
        }
        _ => {
            let m = DMat3::from_quat(like.rotation.as_dquat());
            *columns = [m.x_axis, m.y_axis, m.z_axis];
        }
    }
}

/// Gram–Schmidt orthonormalization that keeps the direction of the first column. The result is
/// right-handed.
fn orthonormal(columns: &[DVec3; 3]) -> DMat3 {
    let x = columns[0].try_normalize().unwrap_or(DVec3::X);
    let y = (columns[1] - x * x.dot(columns[1]))
        .try_normalize()
        .unwrap_or_else(|| x.any_orthonormal_vector());
    DMat3::from_cols(x, y, x.cross(y))
}

/// Whether a matrix with this determinant can be inverted; false for NaN.
pub fn is_invertible(determinant: f64) -> bool {
    determinant.abs() > 1e-30
}

/// Angle in radians between two unit quaternions. It is accurate near 0, unlike `acos` of a dot
/// product in single precision.
pub fn angle_between(a: Quat, b: Quat) -> f32 {
    let d = a.as_dquat().conjugate() * b.as_dquat();
    (2.0 * d.xyz().length().atan2(d.w.abs())) as f32
}

/// Whether the angle between two unit quaternions is at most `angle` radians, which must be below
/// π. Unlike [`angle_between`], it needs no arc tangent.
pub fn is_turned_less(a: Quat, b: Quat, angle: f32) -> bool {
    let d = a.as_dquat().conjugate() * b.as_dquat();
    let half = f64::from(angle) * 0.5;
    // For a small angle, the tangent equals the angle, and the slow computation is skipped.
    let most = d.w * if half < 1e-4 { half } else { half.tan() };
    d.xyz().length_squared() <= most * most
}

/// Returns the same rotation as a quaternion with an angle of at most 180°.
pub fn short_way(q: Quat) -> Quat {
    if q.w < 0.0 { -q } else { q }
}

/// Normalizes a quaternion. Returns `fallback` if its length is almost 0 or not finite. A
/// quaternion of unit length within rounding keeps its bits, so that normalizing twice changes
/// nothing.
pub fn unit_or(q: Quat, fallback: Quat) -> Quat {
    let length = q.length();
    if length.is_finite() && length > 1e-12 {
        if (length - 1.0).abs() < 2.5e-7 { q } else { q / length }
    } else {
        fallback
    }
}

#[cfg(test)]
mod tests {
    use glam::EulerRot;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn normalizing_twice_changes_nothing(v in prop::array::uniform4(-1.0f32..1.0)) {
            let once = unit_or(Quat::from_array(v), Quat::IDENTITY);
            prop_assert_eq!(unit_or(once, Quat::IDENTITY).to_array(), once.to_array());
        }
    }

    fn transforms() -> impl Strategy<Value = Transform> {
        (
            prop::array::uniform3(-5.0f32..5.0),
            prop::array::uniform3(-3.1f32..3.1),
            prop::array::uniform3(0.2f32..4.0),
        )
            .prop_map(|(t, r, s)| Transform {
                translation: t.into(),
                rotation: Quat::from_euler(EulerRot::XYZ, r[0], r[1], r[2]),
                scale: s.into(),
            })
    }

    proptest! {
        #[test]
        fn user_from_is_the_inverse_of_compose(rest in transforms(), ul in transforms(),
            flip in prop::array::uniform3(any::<bool>())) {
            let mut rest = rest;
            for (axis, flipped) in flip.into_iter().enumerate() {
                if flipped {
                    rest.scale[axis] = -rest.scale[axis];
                }
            }
            let found = rest.user_from(&rest.compose(&ul)).unwrap();
            prop_assert!(found.is_close(&ul, 1e-3, 2e-4), "{found:?} {ul:?}");
        }

        #[test]
        fn compose_is_the_matrix_product_where_the_rest_scale_is_uniform(rest in transforms(),
            ul in transforms()) {
            let rest = Transform { scale: Vec3::splat(rest.scale.x), ..rest };
            let product = rest.matrix() * ul.matrix();
            prop_assert!(rest.compose(&ul).matrix().abs_diff_eq(product, 2e-4));
        }

        #[test]
        fn decompose_inverts_matrix(t in transforms(),
            flip in prop::array::uniform3(any::<bool>())) {
            let mut t = t;
            for (axis, flipped) in flip.into_iter().enumerate() {
                if flipped {
                    t.scale[axis] = -t.scale[axis];
                }
            }
            let found = Transform::decompose(&t.matrix(), &t);
            prop_assert!(found.residue < 1e-5);
            prop_assert!(found.transform.is_close(&t, 1e-3, 1e-4), "{found:?} {t:?}");
        }
    }

    #[test]
    fn shear_is_reported() {
        let outer = Transform { scale: Vec3::new(1.0, 2.0, 1.0), ..Transform::IDENTITY };
        let inner = Transform::from_rotation(Quat::from_rotation_z(0.5));
        let found = Transform::decompose(&(outer.matrix() * inner.matrix()), &Transform::IDENTITY);
        assert!(found.residue > 0.1, "{}", found.residue);
    }

    #[test]
    fn a_zero_scale_is_refused() {
        let rest = Transform { scale: Vec3::new(1.0, 0.0, 1.0), ..Transform::IDENTITY };
        assert_eq!(rest.user_from(&Transform::IDENTITY), Err(TransformError::ZeroScale));
    }
}
