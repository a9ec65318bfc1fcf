//! Convex hulls in the plane, used for the support polygon of a body.

use glam::Vec2;

/// Corners of the convex hull of points, counter-clockwise, without collinear corners. Returns
/// fewer than three corners if all points are collinear.
///
/// Andrew, *Another efficient algorithm for convex hulls in two dimensions*, 1979.
pub fn convex_hull(points: &[Vec2]) -> Vec<Vec2> {
    let mut sorted: Vec<Vec2> = points.iter().copied().filter(|p| p.is_finite()).collect();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    sorted.dedup();
    if sorted.len() < 3 {
        return sorted;
    }
    let half = |points: &mut dyn Iterator<Item = Vec2>| {
        let mut chain: Vec<Vec2> = Vec::new();
        for p in points {
            while let [.., a, b] = chain[..]
                && (b - a).perp_dot(p - b) <= 0.0
            {
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut hull = half(&mut sorted.iter().copied());
    hull.extend(half(&mut sorted.iter().rev().copied()));
    hull
}

/// Depth of a point inside a convex polygon with counter-clockwise corners. Outside, it is the
/// negative distance to the polygon. It is never positive if the polygon is a line or a point.
pub fn depth_in(hull: &[Vec2], p: Vec2) -> f32 {
    let edges = || (0..hull.len()).map(|k| (hull[k], hull[(k + 1) % hull.len()]));
    let to_edge = |(a, b): (Vec2, Vec2)| {
        let along = ((p - a).dot(b - a) / (b - a).length_squared().max(1e-20)).clamp(0.0, 1.0);
        p.distance(a.lerp(b, along))
    };
    let nearest = edges().map(to_edge).fold(f32::INFINITY, f32::min);
    let inside = hull.len() > 2 && edges().all(|(a, b)| (b - a).perp_dot(p - a) >= 0.0);
    if inside { nearest } else { -nearest }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn all_points_are_inside_their_hull(points in prop::collection::vec((-1.0f32..1.0,
            -1.0f32..1.0), 3..40)) {
            let points: Vec<Vec2> = points.into_iter().map(Vec2::from).collect();
            let hull = convex_hull(&points);
            prop_assert!(hull.iter().all(|h| points.contains(h)));
            prop_assert!(points.iter().all(|p| depth_in(&hull, *p) >= -1e-5));
            prop_assert_eq!(convex_hull(&hull).len(), hull.len());
        }
    }

    #[test]
    fn depth_in_a_polygon_is_negative_outside() {
        let square = convex_hull(&[Vec2::ZERO, Vec2::X, Vec2::Y, Vec2::ONE, Vec2::splat(0.5)]);
        assert_eq!(square.len(), 4);
        assert!((depth_in(&square, Vec2::new(0.5, 0.2)) - 0.2).abs() < 1e-6);
        assert!((depth_in(&square, Vec2::new(1.5, 0.5)) + 0.5).abs() < 1e-6);
        assert!(depth_in(&[Vec2::ZERO, Vec2::X], Vec2::new(0.5, 0.1)) < 0.0);
    }
}
