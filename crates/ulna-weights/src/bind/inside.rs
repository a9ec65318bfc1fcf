//! Test whether bones are inside a body.

use std::f32::consts::{PI, TAU};

use glam::Vec3;
use rayon::prelude::*;

use super::{BindBone, BindMesh, surface::BindSurface};
use crate::ids::to_f32;
use ulna_geometry::{ClosestSurface, Ray};
use ulna_model::JointSlot;

/// Maximum distance of points that count as near the surface, relative to the size of the surface.
const NEAR: f32 = 0.03;
/// Maximum distance of points that count as on the surface, relative to the size of the surface.
const ON: f32 = 0.01;
/// Sample points per bone.
const SAMPLES: usize = 9;
/// Rays per point.
const RAYS: usize = 18;
/// Minimum number of rays of a point that must hit a triangle if the point is inside.
const ENCLOSED: usize = 14;

/// Fractions of a bone inside the meshes, `0..=1`, with two tolerances.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InsidePart {
    /// Fraction of sample points that are inside, or near the surface.
    pub near: f32,
    /// Fraction of sample points that are inside, or on the surface.
    pub on: f32,
}

impl InsidePart {
    /// Returns the maximum of each field.
    #[must_use]
    pub const fn max(self, other: Self) -> Self {
        Self { near: self.near.max(other.near), on: self.on.max(other.on) }
    }
}

/// Computes the fraction of each joint's bones that is inside the meshes. A joint with several
/// bones gets the maximum; a joint without a bone gets 0.
///
/// A point is inside if nearly all rays from it hit a triangle. The winding and small holes do not
/// matter. Without triangles, all fractions are 1.
pub fn parts_inside(meshes: &[BindMesh<'_>], bones: &[BindBone], joints: usize) -> Vec<InsidePart> {
    let surface = BindSurface::new(meshes, bones);
    if surface.triangles.is_empty() {
        return vec![InsidePart { near: 1.0, on: 1.0 }; joints];
    }
    let bones = surface.unit_bones(bones);
    let body = ClosestSurface::new(surface.points, surface.triangles.into_flattened());
    let directions = directions();
    let is_enclosed = |point: Vec3| {
        let is_hit =
            |direction: &&Vec3| body.is_hit(&Ray { origin: point, direction: **direction });
        directions.iter().filter(is_hit).count() >= ENCLOSED
    };
    let part = |bone: &BindBone| -> (JointSlot, InsidePart) {
        let (mut near, mut on) = (0, 0);
        for k in 0..SAMPLES {
            let point = bone.head.lerp(bone.tail, to_f32(k) / to_f32(SAMPLES - 1));
            let distance = body.nearest(point).map_or(f32::INFINITY, |found| found.distance);
            let is_inside = distance > ON && is_enclosed(point);
            near += usize::from(is_inside || distance <= NEAR);
            on += usize::from(is_inside || distance <= ON);
        }
        let part = |count: usize| to_f32(count) / to_f32(SAMPLES);
        (bone.joint, InsidePart { near: part(near), on: part(on) })
    };
    let mut parts = vec![InsidePart::default(); joints];
    for (joint, part) in bones.par_iter().map(part).collect::<Vec<_>>() {
        if let Some(most) = parts.get_mut(joint.index()) {
            *most = most.max(part);
        }
    }
    parts
}

/// Returns ray directions, distributed evenly over the sphere along a spiral. None is parallel to
/// an axis.
fn directions() -> [Vec3; RAYS] {
    let golden = PI * (3.0 - 5.0f32.sqrt());
    std::array::from_fn(|k| {
        let z = 1.0 - (2.0 * to_f32(k) + 1.0) / to_f32(RAYS);
        let (sin, cos) = (to_f32(k) * golden + 0.1).rem_euclid(TAU).sin_cos();
        let radius = (1.0 - z * z).sqrt();
        Vec3::new(radius * cos, radius * sin, z)
    })
}
