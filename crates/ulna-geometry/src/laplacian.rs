//! The cotangent Laplacian of a triangle mesh, robust to degenerate and non-manifold meshes.

use glam::Vec3;
use rayon::prelude::*;

use super::sparse::{SparseError, SymmetricMatrix};

/// Minimum weight of an edge; a typical weight is about 0.5. Edges between obtuse triangles have a
/// negative weight, which would let solutions leave the range of their fixed values.
const LEAST_WEIGHT: f64 = 1e-6;
/// Minimum slack of the triangle inequality after mollification, relative to the mean edge length.
const MOLLIFICATION: f64 = 1e-5;

/// The discrete Laplacian of a surface: positive semidefinite, with rows that sum to 0.
#[derive(Clone, Debug)]
pub struct SurfaceLaplacian {
    /// Stiffness matrix, without a unit: scaling the surface does not change it.
    pub stiffness: SymmetricMatrix,
    /// Area of each point: a third of the area of the triangles around it, in squared units of the
    /// positions.
    pub areas: Vec<f64>,
}

/// The cotangent Laplacian of welded points (Pinkall and Polthier, *Computing discrete minimal
/// surfaces*, 1993).
///
/// Edge lengths are mollified, so triangles without area have finite cotangents (Sharp and Crane,
/// *A Laplacian for nonmanifold triangle meshes*, 2020). Negative weights are clamped. Triangles
/// with two equal corners or with positions that are not finite are skipped. A point without a
/// valid triangle has a row of zeros. Edges may have any number of triangles.
///
/// # Errors
/// There are more than 2³² points or 2³¹ edges.
///
/// # Panics
/// A corner of a triangle is not the index of a point.
pub fn cotangent_laplacian(
    points: &[Vec3],
    triangles: &[[u32; 3]],
) -> Result<SurfaceLaplacian, SparseError> {
    let valid: Vec<([u32; 3], [f64; 3])> = triangles
        .par_iter()
        .with_min_len(4096)
        .filter(|[a, b, c]| a != b && b != c && c != a)
        .map(|corners| (*corners, edge_lengths(points, *corners)))
        .filter(|(_, lengths)| lengths.iter().all(|l| l.is_finite()))
        .collect();
    let sum: f64 = valid.iter().flat_map(|(_, lengths)| lengths).sum();
    let mean = sum / (valid.len().max(1) * 3) as f64;
    // If all points are at one position, any margin works.
    let margin = MOLLIFICATION * if mean > 0.0 { mean } else { 1.0 };
    let lacking = |[a, b, c]: [f64; 3]| (a - b - c).max(b - c - a).max(c - a - b) + margin;
    let added = valid.iter().map(|(_, lengths)| lacking(*lengths)).fold(0.0, f64::max);
    let mut areas = vec![0.0; points.len()];
    let mut elements = Vec::with_capacity(valid.len() * 3);
    for (corners, lengths) in &valid {
        let lengths = lengths.map(|l| l + added);
        let area = triangle_area(lengths);
        let squares = lengths.map(|l| l * l);
        let sum: f64 = squares.iter().sum();
        for k in 0..3 {
            areas[corners[k] as usize] += area / 3.0;
            // Half the cotangent of the angle opposite the edge.
            let weight = (sum - 2.0 * squares[k]) / (8.0 * area);
            elements.push((corners[(k + 1) % 3], corners[(k + 2) % 3], -weight));
        }
    }
    let mut stiffness =
        SymmetricMatrix::new(points.len(), &elements)?.mapped(|value| value.min(-LEAST_WEIGHT));
    let diagonal: Vec<f64> = (0..points.len())
        .map(|row| stiffness.row(row).iter().fold(0.0, |sum, e| sum - e.value))
        .collect();
    stiffness.diagonal_mut().copy_from_slice(&diagonal);
    Ok(SurfaceLaplacian { stiffness, areas })
}

/// Lengths of the edges opposite the corners of a triangle.
fn edge_lengths(points: &[Vec3], corners: [u32; 3]) -> [f64; 3] {
    let [a, b, c] = corners.map(|v| points[v as usize].as_dvec3());
    [b.distance(c), c.distance(a), a.distance(b)]
}

/// Area of a triangle from its edge lengths, exact for slivers too (Kahan, *Miscalculating area and
/// angles of a needle-like triangle*, 2014).
fn triangle_area(mut lengths: [f64; 3]) -> f64 {
    lengths.sort_by(f64::total_cmp);
    let [c, b, a] = lengths;
    let product = (a + (b + c)) * (c - (a - b)) * (c + (a - b)) * (a + (b - c));
    product.max(0.0).sqrt() / 4.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn right_triangles_have_the_known_weights() {
        let points = [Vec3::ZERO, Vec3::X * 3.0, Vec3::new(3.0, 3.0, 0.0), Vec3::Y * 3.0];
        let surface = cotangent_laplacian(&points, &[[0, 1, 2], [0, 3, 2]]).unwrap();
        let weight = |a: usize, b: u32| {
            -surface.stiffness.row(a).iter().find(|e| e.column == b).unwrap().value
        };
        // The weights are the cotangents of 45° and 90°. The two triangles have opposite winding,
        // which must not matter.
        assert!((weight(0, 1) - 0.5).abs() < 1e-4, "{}", weight(0, 1));
        assert!(weight(0, 2).abs() < 1e-4 && weight(0, 2) >= LEAST_WEIGHT);
        assert!((surface.areas.iter().sum::<f64>() - 9.0).abs() < 1e-3);
        assert!((surface.areas[0] - 3.0).abs() < 1e-3);
    }

    #[test]
    fn degenerate_triangles_have_finite_weights() {
        let points =
            [Vec3::ZERO, Vec3::X, Vec3::X * 2.0, Vec3::Y, Vec3::NAN, Vec3::splat(f32::INFINITY)];
        let triangles = [[0, 1, 2], [0, 1, 3], [0, 0, 1], [0, 4, 1], [1, 2, 5]];
        let surface = cotangent_laplacian(&points, &triangles).unwrap();
        assert!(surface.stiffness.diagonal().iter().all(|d| d.is_finite()));
        assert!(surface.areas[2] > 0.0);
        assert_eq!(surface.stiffness.diagonal()[4..], [0.0, 0.0]);
    }

    proptest! {
        #[test]
        fn any_triangles_give_rows_that_sum_to_zero_with_weights_above_zero(
            corners in prop::collection::vec(prop::array::uniform3(-1.0f32..1.0), 3..20),
            picks in prop::collection::vec(prop::array::uniform3(0u32..20), 1..60),
            scale in prop::sample::select(vec![1e-4f32, 1.0, 1e4]),
        ) {
            let points: Vec<Vec3> = corners.into_iter().map(|p| Vec3::from(p) * scale).collect();
            let count = points.len() as u32;
            let triangles: Vec<[u32; 3]> =
                picks.into_iter().map(|t| t.map(|v| v % count)).collect();
            let surface = cotangent_laplacian(&points, &triangles).unwrap();
            for row in 0..points.len() {
                let elements = surface.stiffness.row(row);
                prop_assert!(elements.iter().all(|e| e.value <= -LEAST_WEIGHT));
                let sum: f64 = elements.iter().map(|e| e.value).sum();
                let diagonal = surface.stiffness.diagonal()[row];
                prop_assert!((sum + diagonal).abs() <= 1e-9 * diagonal.max(1.0));
                prop_assert!(surface.areas[row] >= 0.0 && surface.areas[row].is_finite());
                prop_assert_eq!(elements.is_empty(), surface.areas[row] == 0.0);
            }
        }
    }
}
