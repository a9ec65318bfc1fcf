//! The nearest point of a surface. Used to transfer weights from one mesh to another.

use glam::Vec3;

use super::{Bvh, Ray};

/// A static surface for nearest-point queries.
#[derive(Clone, Debug)]
pub struct ClosestSurface {
    positions: Vec<Vec3>,
    indices: Vec<u32>,
    bvh: Bvh,
}

/// A point on a surface, found by a nearest-point query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Distance from the query point, meters.
    pub distance: f32,
    /// The vertices of the triangle that contains the point.
    pub vertices: [u32; 3],
    /// Barycentric coordinates of the point, one per vertex; sum to 1.
    pub shares: [f32; 3],
}

impl ClosestSurface {
    /// Creates a surface of triangles. All indices must be valid indices into `positions`.
    pub fn new(positions: Vec<Vec3>, indices: Vec<u32>) -> Self {
        let bvh = Bvh::build(&positions, &indices);
        Self { positions, indices, bvh }
    }

    /// The surface point nearest to `point`; `None` if the surface has no triangle.
    pub fn nearest(&self, point: Vec3) -> Option<Nearest> {
        let corners = self.indices.as_chunks::<3>().0;
        let mut best: Option<Nearest> = None;
        self.bvh.near(point, |triangle| {
            let vertices = corners[triangle];
            let (shares, spot) = on_triangle(point, vertices.map(|v| self.positions[v as usize]));
            let distance = spot.distance(point);
            if best.is_none_or(|b| distance < b.distance) {
                best = Some(Nearest { distance, vertices, shares });
            }
            best.map_or(f32::INFINITY, |b| b.distance)
        });
        best
    }

    /// Whether a ray hits a triangle, from either side.
    pub fn is_hit(&self, ray: &Ray) -> bool {
        self.bvh.is_blocked(&self.positions, &self.indices, ray, f32::INFINITY)
    }
}

/// The point of a triangle nearest to `p`, and its barycentric coordinates: Ericson, *Real-Time
/// Collision Detection* (2005), section 5.1.5.
fn on_triangle(p: Vec3, [a, b, c]: [Vec3; 3]) -> ([f32; 3], Vec3) {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    let at = |shares: [f32; 3]| (shares, a * shares[0] + b * shares[1] + c * shares[2]);
    if d1 <= 0.0 && d2 <= 0.0 {
        return at([1.0, 0.0, 0.0]);
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return at([0.0, 1.0, 0.0]);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 - d3 > 0.0 {
        let v = d1 / (d1 - d3);
        return at([1.0 - v, v, 0.0]);
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return at([0.0, 0.0, 1.0]);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 && d2 - d6 > 0.0 {
        let w = d2 / (d2 - d6);
        return at([1.0 - w, 0.0, w]);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 && (d4 - d3) + (d5 - d6) > 0.0 {
        let w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return at([0.0, 1.0 - w, w]);
    }
    let sum = va + vb + vc;
    if sum <= 0.0 {
        return at([1.0, 0.0, 0.0]);
    }
    let (v, w) = (vb / sum, vc / sum);
    at([1.0 - v - w, v, w])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_point_equals_brute_force() {
        let n = 21;
        let positions: Vec<Vec3> = (0..n * n)
            .map(|k| {
                let (x, y) = ((k % n) as f32 / 20.0 - 0.5, (k / n) as f32 / 20.0 - 0.5);
                Vec3::new(x, y, (x * 7.0).sin() * 0.2)
            })
            .collect();
        let mut indices = Vec::new();
        for y in 0..n as u32 - 1 {
            for x in 0..n as u32 - 1 {
                let (a, n) = (y * n as u32 + x, n as u32);
                indices.extend([a, a + 1, a + n, a + 1, a + n + 1, a + n]);
            }
        }
        let surface = ClosestSurface::new(positions.clone(), indices.clone());
        for k in 0..300 {
            let t = k as f32;
            let p =
                Vec3::new((t * 0.37).sin() * 0.8, (t * 0.11).cos() * 0.8, (t * 0.23).sin() * 0.5);
            let plain = indices
                .as_chunks::<3>()
                .0
                .iter()
                .map(|c| on_triangle(p, c.map(|v| positions[v as usize])).1.distance(p))
                .min_by(f32::total_cmp)
                .unwrap();
            let found = surface.nearest(p).unwrap();
            assert!((found.distance - plain).abs() < 1e-6, "{} and {plain}", found.distance);
            assert!((found.shares.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        }
        assert!(ClosestSurface::new(Vec::new(), Vec::new()).nearest(Vec3::ZERO).is_none());
    }
}
