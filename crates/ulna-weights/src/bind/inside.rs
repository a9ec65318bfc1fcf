//! Bones inside a body.

use std::f32::consts::{PI, TAU};

use glam::Vec3;
use rayon::prelude::*;

use super::{BindBone, BindMesh, surface::BindSurface};
use crate::ids::to_f32;
use ulna_geometry::{ClosestSurface, Ray};
use ulna_model::JointSlot;

/// Points this close to the surface count as inside, in sizes of the surface.
const NEAR: f32 = 0.03;
/// Points per bone.
const SAMPLES: usize = 9;
/// Rays per point, and how many of them must hit the surface.
const RAYS: usize = 18;
const ENCLOSED: usize = 14;

/// By joint, the part of its longest covered bone that lies inside the meshes or close to their
/// surface, `0..=1`. A point is inside if nearly all rays from it hit a triangle: the winding does
/// not matter, and small holes do not. 1 for all joints if the meshes have no triangles, 0 for a
/// joint without a bone.
pub fn parts_inside(meshes: &[BindMesh<'_>], bones: &[BindBone], joints: usize) -> Vec<f32> {
    let surface = BindSurface::new(meshes, bones);
    if surface.triangles.is_empty() {
        return vec![1.0; joints];
    }
    let bones = surface.unit_bones(bones);
    let body = ClosestSurface::new(surface.points, surface.triangles.into_flattened());
    let directions = directions();
    let is_inside = |point: Vec3| {
        let is_near = body.nearest(point).is_some_and(|found| found.distance <= NEAR);
        let is_hit =
            |direction: &&Vec3| body.is_hit(&Ray { origin: point, direction: **direction });
        is_near || directions.iter().filter(is_hit).count() >= ENCLOSED
    };
    let part = |bone: &BindBone| -> (JointSlot, f32) {
        let at = |k: usize| bone.head.lerp(bone.tail, to_f32(k) / to_f32(SAMPLES - 1));
        let inside = (0..SAMPLES).filter(|k| is_inside(at(*k))).count();
        (bone.joint, to_f32(inside) / to_f32(SAMPLES))
    };
    let mut parts = vec![0.0f32; joints];
    for (joint, part) in bones.par_iter().map(part).collect::<Vec<_>>() {
        if let Some(most) = parts.get_mut(joint.index()) {
            *most = most.max(part);
        }
    }
    parts
}

/// Even directions over the sphere, none along an axis: a spiral of equal areas.
fn directions() -> [Vec3; RAYS] {
    let golden = PI * (3.0 - 5.0f32.sqrt());
    std::array::from_fn(|k| {
        let z = 1.0 - (2.0 * to_f32(k) + 1.0) / to_f32(RAYS);
        let (sin, cos) = (to_f32(k) * golden + 0.1).rem_euclid(TAU).sin_cos();
        let radius = (1.0 - z * z).sqrt();
        Vec3::new(radius * cos, radius * sin, z)
    })
}
