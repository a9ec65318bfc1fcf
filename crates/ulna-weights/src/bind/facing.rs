//! Orientation of the surface around a point, relative to a direction.

use glam::{Mat3, Vec3};

use super::surface::BindSurface;
use crate::ids::to_index;

/// Orientation of the surface around each point: the mean of `n·nᵀ` over the adjacent triangles,
/// weighted by their angles at the point. The sign of the normal `n` cancels, so the winding does
/// not matter.
pub(super) struct Facing {
    squares: Vec<Mat3>,
}

impl Facing {
    pub fn new(surface: &BindSurface) -> Self {
        let mut squares = vec![Mat3::ZERO; surface.points.len()];
        let mut angles = vec![0.0f32; surface.points.len()];
        for corners in &surface.triangles {
            let corners = corners.map(to_index);
            let [a, b, c] = corners.map(|p| surface.points[p]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            let square = Mat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z);
            for (point, [at, next, last]) in
                corners.into_iter().zip([[a, b, c], [b, c, a], [c, a, b]])
            {
                let (u, v) = (next - at, last - at);
                let angle = u.cross(v).length().atan2(u.dot(v));
                squares[point] += square * angle;
                angles[point] += angle;
            }
        }
        for (square, angle) in squares.iter_mut().zip(angles) {
            if angle > 0.0 {
                *square *= angle.recip();
            }
        }
        Self { squares }
    }

    /// Returns how well a direction matches the surface normal: 1 along the normal of a flat
    /// surface, 0 along a tangent. Curved surfaces give values in between. `way` is the direction,
    /// of any length.
    pub fn part(&self, point: usize, way: Vec3) -> f32 {
        let unit = way.normalize_or_zero();
        (self.squares[point] * unit).dot(unit).clamp(0.0, 1.0).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BindMesh, surface::BindSurface};
    use super::*;

    fn facing(positions: &[Vec3], triangles: &[u32]) -> Facing {
        Facing::new(&BindSurface::new(&[BindMesh { positions, triangles }], &[]))
    }

    #[test]
    fn a_flat_surface_faces_both_directions_of_its_normal_for_any_winding() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::X + Vec3::Y, Vec3::Y];
        for triangles in [[0, 1, 2, 0, 2, 3], [0, 1, 2, 0, 3, 2], [0, 2, 1, 0, 3, 2]] {
            let facing = facing(&positions, &triangles);
            let parts = [Vec3::Z, -Vec3::Z * 7.0, Vec3::X, Vec3::Y + Vec3::Z, Vec3::ZERO];
            let found = parts.map(|way| facing.part(0, way));
            for (found, wanted) in found.iter().zip([1.0, 1.0, 0.0, 0.5f32.sqrt(), 0.0]) {
                assert!((found - wanted).abs() < 1e-5, "{found} {wanted}");
            }
        }
    }

    #[test]
    fn the_corner_of_a_box_faces_all_directions_equally() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let facing = facing(&positions, &[0, 1, 2, 0, 2, 3, 0, 3, 1]);
        for way in [Vec3::X, Vec3::Z, Vec3::ONE, Vec3::new(1.0, -2.0, 0.5)] {
            let part = facing.part(0, way);
            assert!((part - (1.0f32 / 3.0).sqrt()).abs() < 1e-5, "{way} {part}");
        }
    }
}
