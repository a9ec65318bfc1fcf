//! Conversions from the types of the FBX library to `glam`.

use glam::{DMat4, DQuat, DVec3, DVec4, Mat4, Quat, Vec3};

use ulna_model::Transform;

pub(super) const fn vec3(v: ufbx::Vec3) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

pub(super) const fn quat(q: ufbx::Quat) -> DQuat {
    DQuat::from_xyzw(q.x, q.y, q.z, q.w)
}

/// Converts a vector; components that are not finite in `f32` become 0.
pub(super) fn floats3(v: ufbx::Vec3) -> [f32; 3] {
    [finite(v.x), finite(v.y), finite(v.z)]
}

/// Converts a number to `f32`; 0 if it is not finite.
pub(super) fn finite(v: f64) -> f32 {
    let v = v as f32;
    if v.is_finite() { v } else { 0.0 }
}

/// Normalizes a vector; returns the up direction if its length is 0.
pub(super) fn unit3(v: ufbx::Vec3) -> [f32; 3] {
    vec3(v).try_normalize().map_or(Vec3::Y, |v| v.as_vec3()).to_array()
}

/// Converts a transform. A component that is not finite is replaced by that of the identity.
pub(super) fn transform(t: &ufbx::Transform) -> Transform {
    let rotation = quat(t.rotation);
    let rotation = if rotation.is_finite() && rotation.length_squared() > 1e-12 {
        rotation.normalize().as_quat()
    } else {
        Quat::IDENTITY
    };
    let scale = vec3(t.scale).as_vec3();
    let scale = if scale.is_finite() { scale } else { Vec3::ONE };
    Transform { translation: Vec3::from(floats3(t.translation)), rotation, scale }
}

/// Converts a matrix, which is stored by columns.
pub(super) const fn matrix(m: &ufbx::Matrix) -> DMat4 {
    DMat4::from_cols(
        DVec4::new(m.m00, m.m10, m.m20, 0.0),
        DVec4::new(m.m01, m.m11, m.m21, 0.0),
        DVec4::new(m.m02, m.m12, m.m22, 0.0),
        DVec4::new(m.m03, m.m13, m.m23, 1.0),
    )
}

/// Converts a matrix to `f32`; `None` if it is not finite or not invertible.
pub(super) fn matrix32(m: &DMat4) -> Option<Mat4> {
    let made = m.as_mat4();
    let has_inverse = made.determinant() != 0.0 && made.inverse().is_finite();
    (made.is_finite() && has_inverse).then_some(made)
}
