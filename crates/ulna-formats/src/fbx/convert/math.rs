//! Numbers of the library as those of `glam`.

use glam::{DMat4, DQuat, DVec3, DVec4, Mat4, Quat, Vec3};

use ulna_model::Transform;

pub(super) const fn vec3(v: ufbx::Vec3) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

pub(super) const fn quat(q: ufbx::Quat) -> DQuat {
    DQuat::from_xyzw(q.x, q.y, q.z, q.w)
}

/// Three numbers; 0 in place of what is not finite in `f32`.
pub(super) fn floats3(v: ufbx::Vec3) -> [f32; 3] {
    [finite(v.x), finite(v.y), finite(v.z)]
}

/// A number as `f32`; 0 where it is not finite there.
pub(super) fn finite(v: f64) -> f32 {
    let v = v as f32;
    if v.is_finite() { v } else { 0.0 }
}

/// A direction of length 1, or up.
pub(super) fn unit3(v: ufbx::Vec3) -> [f32; 3] {
    vec3(v).try_normalize().map_or(Vec3::Y, |v| v.as_vec3()).to_array()
}

/// A transform; what is not finite in it is as in the identity.
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

/// A matrix, by columns.
pub(super) const fn matrix(m: &ufbx::Matrix) -> DMat4 {
    DMat4::from_cols(
        DVec4::new(m.m00, m.m10, m.m20, 0.0),
        DVec4::new(m.m01, m.m11, m.m21, 0.0),
        DVec4::new(m.m02, m.m12, m.m22, 0.0),
        DVec4::new(m.m03, m.m13, m.m23, 1.0),
    )
}

/// A matrix of `f32`; the identity where it is not finite there.
pub(super) fn matrix32(m: &ufbx::Matrix) -> Mat4 {
    let m = matrix(m).as_mat4();
    if m.is_finite() { m } else { Mat4::IDENTITY }
}
