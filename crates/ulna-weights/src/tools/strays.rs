//! Detection of outliers: points whose weights overlap little with those of their neighbors.

use rayon::prelude::*;

use crate::{Influences, Maps, SkinnedSurface, means::mean};
use ulna_geometry::PointId;

/// Returns the overlap of two lists, `Σ min(a, b)`; `0..=1` if both sum to 1.
pub fn in_common(a: &Influences, b: &Influences) -> f32 {
    a.iter().map(|(j, w)| w.min(b.get(j))).sum()
}

/// Finds outliers: points whose weights overlap little with the mean of their neighbors, while each
/// neighbor overlaps much with that mean. `most_in_common` is the maximum overlap of an outlier.
pub fn strays(canvas: &SkinnedSurface, maps: &Maps<'_>, most_in_common: f32) -> Vec<PointId> {
    let is_stray = |point: &PointId| is_stray(canvas, maps, *point, most_in_common);
    (0..canvas.point_count())
        .into_par_iter()
        .with_min_len(1024)
        .map(PointId::from)
        .filter(is_stray)
        .collect()
}

/// Whether a point is an outlier; see [`strays`].
pub(crate) fn is_stray(
    canvas: &SkinnedSurface,
    maps: &Maps<'_>,
    point: PointId,
    most_in_common: f32,
) -> bool {
    let ring = canvas.ring(point);
    if ring.len() <= 2 {
        return false;
    }
    let own = |p: PointId| {
        let (map, v) = maps.map_of(canvas.first_at(p));
        Influences::of(map, v)
    };
    let mut around = Influences::default();
    mean(canvas, maps, point, &mut around);
    in_common(&own(point), &around) < most_in_common
        && ring.iter().all(|p| in_common(&own(*p), &around) > 2.0 * most_in_common)
}
