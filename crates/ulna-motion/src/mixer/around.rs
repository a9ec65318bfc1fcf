//! Weights of the clips of a blend. On a line, the two clips around a value have weights. In a
//! plane, these are the three clips around a position.

use glam::DVec2;

/// Returns the weights of points on a line (in rising order) at a value. The two points around the
/// value have weights that sum to 1.
pub fn blend_weights(points: &[f32], value: f32) -> Vec<f32> {
    let mut weights = vec![0.0; points.len()];
    let after = points.partition_point(|p| *p <= value);
    match (after.checked_sub(1), after < points.len()) {
        (None, true) => weights[0] = 1.0,
        (Some(before), false) => weights[before] = 1.0,
        (Some(before), true) => {
            let part = (value - points[before]) / (points[after] - points[before]);
            (weights[before], weights[after]) = (1.0 - part, part);
        }
        (None, false) => {}
    }
    weights
}

/// Indices of three points, with their weights.
type Corners = [(usize, f64); 3];

/// Returns the weights of points in a plane at a position. At most three points have weights: the
/// barycentric coordinates in the triangle around the position. Outside of all triangles, the
/// nearest position between two points is used.
///
/// The triangles are a Delaunay triangulation: the lower hull of the points lifted to a paraboloid
/// (Edelsbrunner and Seidel, "Voronoi diagrams and arrangements", 1986). So of all triangles that
/// contain the position, the one with the least weighted mean of `|point|²` is used. For points on
/// one circle, several triangles would be valid. A small height per point makes the choice unique,
/// so that weights do not jump.
pub fn plane_weights(points: &[[f32; 2]], place: [f32; 2]) -> Vec<f32> {
    /// Maximum distance of positions that count as equal, relative to the points' extent.
    const SAME: f64 = 1e-7;
    let mut weights = vec![0.0; points.len()];
    let Some(first) = points.first() else { return weights };
    let [origin, place] = [*first, place].map(|p| DVec2::new(f64::from(p[0]), f64::from(p[1])));
    // Positions are relative to the first point, so that points far from the origin lose no
    // precision.
    let all: Vec<DVec2> =
        points.iter().map(|p| DVec2::new(f64::from(p[0]), f64::from(p[1])) - origin).collect();
    let place = place - origin;
    let spread = all.iter().map(|p| p.length()).fold(0.0, f64::max);
    if spread == 0.0 {
        weights[0] = 1.0;
        return weights;
    }
    // Collinear points deviate from their line by f32 rounding, which grows with the distance from
    // the origin.
    let largest = points.iter().flatten().fold(0.0f64, |most, v| most.max(f64::from(v.abs())));
    let near = SAME * spread + 2.0 * f64::from(f32::EPSILON) * largest;
    // The heights are square roots, since sums of two different square roots are distinct.
    let apart = |k: usize| ((k + 2) as f64).sqrt().fract() * 1e-6 * spread * spread;
    let height = |k: usize| all[k].length_squared() + apart(k);
    let cost =
        |corners: &Corners| corners.iter().map(|(k, weight)| weight * height(*k)).sum::<f64>();
    let least = |corners: &mut dyn Iterator<Item = Corners>| {
        corners.min_by(|a, b| cost(a).total_cmp(&cost(b)))
    };
    let pairs = || (0..all.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    let triples = || pairs().flat_map(|(a, b)| (b + 1..all.len()).map(move |c| [a, b, c]));
    let around =
        least(&mut triples().filter_map(|corners| within(&all, corners, place, near * spread)));
    let found = around.or_else(|| {
        let on_way = |(a, b): (usize, usize)| {
            let way = all[b] - all[a];
            let part = ((place - all[a]).dot(way) / way.length_squared().max(f64::MIN_POSITIVE))
                .clamp(0.0, 1.0);
            ((place - all[a] - way * part).length(), [(a, 1.0 - part), (b, part), (b, 0.0)])
        };
        let nearest = pairs().map(|p| on_way(p).0).fold(f64::INFINITY, f64::min);
        least(&mut pairs().map(on_way).filter(|w| w.0 <= nearest + near).map(|w| w.1))
    });
    for (k, weight) in found.into_iter().flatten() {
        weights[k] += weight as f32;
    }
    weights
}

/// Returns the barycentric coordinates of a position in a triangle. `None` if the position is
/// outside, or the triangle is degenerate.
fn within(all: &[DVec2], [a, b, c]: [usize; 3], place: DVec2, flat: f64) -> Option<Corners> {
    /// Tolerance of the coordinates for rounding.
    const INSIDE: f64 = -1e-9;
    let (u, v, p) = (all[b] - all[a], all[c] - all[a], place - all[a]);
    let area = u.perp_dot(v);
    let weights = [0.0, p.perp_dot(v) / area, u.perp_dot(p) / area];
    let weights = [1.0 - weights[1] - weights[2], weights[1], weights[2]];
    let inside = area.abs() > flat && weights.iter().all(|w| *w >= INSIDE);
    inside.then(|| [(a, weights[0].max(0.0)), (b, weights[1].max(0.0)), (c, weights[2].max(0.0))])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn mean(points: &[[f32; 2]], weights: &[f32]) -> [f32; 2] {
        let along = |axis: usize| points.iter().zip(weights).map(|(p, w)| p[axis] * w).sum();
        [along(0), along(1)]
    }

    proptest! {
        #[test]
        fn a_position_is_the_weighted_mean_of_at_most_three_points(
            points in prop::collection::vec([-4f32..4.0, -4f32..4.0], 3..9),
            shares in prop::collection::vec(0f32..1.0, 9),
        ) {
            let total: f32 = shares[..points.len()].iter().sum();
            prop_assume!(total > 0.1);
            let shares: Vec<f32> = shares[..points.len()].iter().map(|s| s / total).collect();
            let place = mean(&points, &shares);
            let weights = plane_weights(&points, place);
            let found = mean(&points, &weights);
            prop_assert!((found[0] - place[0]).abs() < 1e-4 && (found[1] - place[1]).abs() < 1e-4,
                "{found:?} {place:?}");
            prop_assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            prop_assert!(weights.iter().filter(|w| **w > 0.0).count() <= 3);
            prop_assert!(weights.iter().all(|w| (0.0..=1.0).contains(w)));
        }

        #[test]
        fn a_clip_has_full_weight_at_its_own_point(
            points in prop::collection::vec([-4i8..4, -4i8..4], 1..9),
            which in 0usize..9) {
            let points: Vec<[f32; 2]> = points.iter().map(|p| p.map(f32::from)).collect();
            let place = points[which % points.len()];
            let weights = plane_weights(&points, place);
            let there: f32 =
                weights.iter().zip(&points).filter(|(_, p)| **p == place).map(|(w, _)| w).sum();
            prop_assert!((there - 1.0).abs() < 1e-6, "{weights:?}");
        }

        /// The points are from a grid, so most of them are on a circle with others.
        #[test]
        fn a_small_step_changes_the_weights_little(
            points in prop::collection::btree_set([-3i8..4, -3i8..4], 1..10),
            place in [-5f32..5.0, -5f32..5.0],
            angle in 0f32..7.0,
        ) {
            let points: Vec<[f32; 2]> = points.iter().map(|p| p.map(f32::from)).collect();
            let step = 1e-3;
            let (a, b) =
                (plane_weights(&points, place),
                    plane_weights(&points,
                        [place[0] + step * angle.cos(), place[1] + step * angle.sin()]));
            for (a, b) in a.iter().zip(&b) {
                // The flattest triangles of the grid have a height of a tenth of a unit.
                prop_assert!((a - b).abs() < 2e-2, "{a} {b}");
            }
        }

        #[test]
        fn collinear_points_have_the_same_weights_on_a_plane_as_on_a_line(
            mut values in prop::collection::vec(-4f32..4.0, 1..7),
            value in -5f32..5.0) {
            values.sort_by(f32::total_cmp);
            prop_assume!(values.windows(2).all(|w| w[1] - w[0] > 0.01));
            let points: Vec<[f32; 2]> = values.iter().map(|v| [v * 0.6, v * 0.8]).collect();
            let (line, plane) =
                (blend_weights(&values, value), plane_weights(&points, [value * 0.6, value * 0.8]));
            for (a, b) in line.iter().zip(&plane) {
                prop_assert!((a - b).abs() < 1e-3, "{line:?} {plane:?}");
            }
        }
    }

    #[test]
    fn a_position_outside_the_polygon_uses_the_nearest_point_of_the_polygon() {
        let square = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]];
        assert_eq!(plane_weights(&square, [1.0, -3.0]), [0.5, 0.5, 0.0, 0.0]);
        assert_eq!(plane_weights(&square, [9.0, 9.0]), [0.0, 0.0, 1.0, 0.0]);
        assert_eq!(plane_weights(&[], [0.0, 0.0]), [0f32; 0]);
        assert_eq!(plane_weights(&[[1.0, 1.0]; 3], [0.0, 5.0]), [1.0, 0.0, 0.0]);
    }
}
