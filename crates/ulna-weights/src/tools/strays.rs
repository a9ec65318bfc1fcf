//! Stray vertices: those that have little in common with their neighbors.

use rayon::prelude::*;

use crate::{Influences, Maps, SkinnedSurface, means::mean};

/// Overlap of two lists, `Σ min(a, b)`: `0..=1` if both sum to 1.
pub fn in_common(a: &Influences, b: &Influences) -> f32 {
    a.iter().map(|(j, w)| w.min(b.get(j))).sum()
}

/// Places that have little in common with the mean of their neighbors, though each neighbor has
/// much in common with it.
pub fn strays(canvas: &SkinnedSurface, maps: &Maps<'_>, most_in_common: f32) -> Vec<u32> {
    let is_stray = |place: &u32| is_stray(canvas, maps, *place, most_in_common);
    (0..canvas.place_count() as u32).into_par_iter().with_min_len(1024).filter(is_stray).collect()
}

/// Whether a place is one of [`strays`].
pub(crate) fn is_stray(
    canvas: &SkinnedSurface,
    maps: &Maps<'_>,
    place: u32,
    most_in_common: f32,
) -> bool {
    let ring = canvas.ring(place);
    if ring.len() <= 2 {
        return false;
    }
    let own = |p: u32| {
        let (map, v) = maps.map_of(canvas.first_at(p));
        Influences::of(map, v)
    };
    let mut around = Influences::default();
    mean(canvas, maps, place, &mut around);
    in_common(&own(place), &around) < most_in_common
        && ring.iter().all(|p| in_common(&own(*p), &around) > 2.0 * most_in_common)
}
