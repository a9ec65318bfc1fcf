//! Means of the influences of several vertices or points.

use super::{
    Influences, MOST, Maps, SkinnedSurface,
    ids::{to_f32, to_single},
};
use ulna_geometry::PointId;
use ulna_model::JointSlot;

/// Adds the influences of a point's first vertex, each times a factor.
#[inline]
pub(super) fn add_point(
    canvas: &SkinnedSurface,
    maps: &Maps<'_>,
    point: PointId,
    factor: f32,
    out: &mut Influences,
) {
    let (joints, weights) = maps.slots(canvas.first_at(point));
    for (j, w) in joints.iter().zip(weights) {
        if *w > 0.0 && factor > 0.0 {
            out.add(*j, *w * factor);
        }
    }
}

/// Computes the mean influences of a point's neighbors.
#[inline]
pub(super) fn mean(canvas: &SkinnedSurface, maps: &Maps<'_>, point: PointId, out: &mut Influences) {
    out.clear();
    let ring = canvas.ring(point);
    let factor = 1.0 / to_f32(ring.len().max(1));
    for p in ring {
        add_point(canvas, maps, *p, factor, out);
    }
}

/// Computes the mean influences of a point's neighbors, weighted by the inverse of their rest
/// distances.
pub(super) fn near_mean(
    canvas: &SkinnedSurface,
    maps: &Maps<'_>,
    point: PointId,
    out: &mut Influences,
) {
    out.clear();
    let rest = canvas.rest();
    let here = rest[point.index()];
    let factor = |p: &PointId| 1.0 / rest[p.index()].distance(here).max(1e-12);
    let sum: f32 = canvas.ring(point).iter().map(factor).sum();
    for p in canvas.ring(point) {
        let (joints, weights) = maps.slots(canvas.first_at(*p));
        for (j, w) in joints.iter().zip(weights).filter(|(_, w)| **w > 0.0) {
            out.add(*j, *w * factor(p) / sum);
        }
    }
}

/// Computes the weighted mean of the influences of vertices. Joint indices from `joints` on are
/// ignored, and only the strongest joints are kept.
pub(super) fn weighted_mean(
    maps: &Maps<'_>,
    joints: usize,
    vertices: impl Iterator<Item = (u32, f32)>,
) -> Influences {
    let mut sums = vec![0.0f64; joints];
    let mut all = 0.0f64;
    for (v, p) in vertices {
        let (joints, weights) = maps.slots(v);
        for (j, w) in joints.iter().zip(weights) {
            if let Some(sum) = sums.get_mut(usize::from(*j)).filter(|_| *w > 0.0) {
                *sum += f64::from(*w) * f64::from(p);
                all += f64::from(*w) * f64::from(p);
            }
        }
    }
    let mut order: Vec<(JointSlot, f64)> =
        JointSlot::first(sums.len()).zip(sums).filter(|(_, sum)| *sum > 0.0).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut list = Influences::default();
    order.iter().take(MOST / 2).for_each(|(j, sum)| list.add(j.0, to_single(sum / all)));
    list
}
