//! Weights copied from the nearest point of a surface that is already solved.

use super::{joint_weight::JointWeight, surface::BindSurface};
use crate::ids::to_index;
use ulna_geometry::ClosestSurface;

/// The part of a surface with known weights: triangles whose three corners all have weights.
pub(super) struct SolvedSurface<'a> {
    weights: &'a [Vec<JointWeight>],
    surface: ClosestSurface,
}

impl<'a> SolvedSurface<'a> {
    pub fn new(surface: &BindSurface, weights: &'a [Vec<JointWeight>]) -> Self {
        let solved = surface
            .triangles
            .iter()
            .filter(|t| t.iter().all(|p| !weights[to_index(*p)].is_empty()));
        let indices: Vec<u32> = solved.flatten().copied().collect();
        Self { weights, surface: ClosestSurface::new(surface.points.clone(), indices) }
    }

    /// Returns the weights at the point of the surface nearest to `point`; empty if no triangle is
    /// solved.
    pub fn weights(&self, point: glam::Vec3) -> Vec<JointWeight> {
        self.weights_where(point, |_| true).unwrap_or_default()
    }

    /// Returns the weights at the point of the surface nearest to `point`. `None` if `is_meant`
    /// rejects the first corner of its triangle.
    pub fn weights_where(
        &self,
        point: glam::Vec3,
        is_meant: impl Fn(u32) -> bool,
    ) -> Option<Vec<JointWeight>> {
        let mut list: Vec<JointWeight> = Vec::new();
        let found = self.surface.nearest(point).filter(|found| is_meant(found.vertices[0]))?;
        for (vertex, part) in found.vertices.iter().zip(found.shares) {
            for (joint, weight) in &self.weights[to_index(*vertex)] {
                match list.iter_mut().find(|(j, _)| j == joint) {
                    Some((_, sum)) => *sum += weight * part,
                    None => list.push((*joint, weight * part)),
                }
            }
        }
        Some(list)
    }
}
