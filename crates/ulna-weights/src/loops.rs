//! Edge loops and edge rings on triangulated surfaces. The file format stores quads as triangles.
//!
//! ```text
//!    ·──·──·──·          A loop continues straight from edge to edge, a═b═c═d.
//!    │ ╱│ ╱│ ╱│          A ring continues across the quads, from an edge to the
//!    a══b══c══d          opposite one.
//!    │ ╱│ ╱│ ╱│
//!    ·──·──·──·
//! ```
//!
//! The original quads are unknown. A loop continues along the edge with the smallest turn, up to
//! 40°, as seen along the normal. Diagonals turn more. A ring treats the longer side of two
//! triangles as the diagonal of a quad.

use std::collections::BTreeSet;

use glam::Vec3;

use super::SkinnedSurface;
use ulna_geometry::PointId;

/// Cosine of the maximum turn between two successive edges of a loop.
const STRAIGHT: f32 = 0.766;

/// Returns the edges between selected neighbors, in both directions. Diagonals of quads are left
/// out, unless only one edge is selected.
fn edges_among(canvas: &SkinnedSurface, points: &BTreeSet<PointId>) -> Vec<(PointId, PointId)> {
    let among = |a: &PointId| {
        canvas.ring(*a).iter().filter(|b| points.contains(b)).map(|b| (*a, *b)).collect::<Vec<_>>()
    };
    let all: Vec<(PointId, PointId)> = points.iter().flat_map(among).collect();
    if all.len() <= 2 {
        return all;
    }
    all.into_iter().filter(|(a, b)| !is_diagonal(canvas, *a, *b)).collect()
}

/// Whether an edge is the longest edge of both its triangles.
fn is_diagonal(canvas: &SkinnedSurface, a: PointId, b: PointId) -> bool {
    let rest = canvas.rest();
    let length = |a: PointId, b: PointId| rest[a.index()].distance_squared(rest[b.index()]);
    let own = length(a, b) * 0.98;
    let thirds = [third(canvas, a, b), third(canvas, b, a)];
    thirds.into_iter().flatten().filter(|t| length(a, *t) < own && length(b, *t) < own).count() == 2
}

/// Returns the third point of the triangle that has the directed edge from `a` to `b`.
fn third(canvas: &SkinnedSurface, a: PointId, b: PointId) -> Option<PointId> {
    canvas.fan(a).iter().find(|[next, _]| *next == b).map(|[_, t]| *t)
}

/// Returns the normal of the surface at a point, not normalized.
fn normal(canvas: &SkinnedSurface, point: PointId) -> Vec3 {
    let rest = canvas.rest();
    let here = rest[point.index()];
    let across = |[a, b]: &[PointId; 2]| (rest[a.index()] - here).cross(rest[b.index()] - here);
    canvas.fan(point).iter().map(across).sum()
}

/// Returns the next point of a loop that runs from `a` to `b`; `None` if it would turn too much.
fn straight_on(canvas: &SkinnedSurface, a: PointId, b: PointId) -> Option<PointId> {
    let rest = canvas.rest();
    let up = normal(canvas, b).normalize_or_zero();
    let flat = |from: PointId, to: PointId| {
        let way = rest[to.index()] - rest[from.index()];
        (way - up * way.dot(up)).normalize_or_zero()
    };
    let came = flat(a, b);
    let next = canvas.ring(b).iter().copied().filter(|c| *c != a && !canvas.ring(a).contains(c));
    let found = next.map(|c| (came.dot(flat(b, c)), c)).max_by(|x, y| x.0.total_cmp(&y.0))?;
    (found.0 > STRAIGHT).then_some(found.1)
}

/// Finds the loops through the edges between selected points.
pub(super) fn edge_loops(canvas: &SkinnedSurface, points: &BTreeSet<PointId>) -> BTreeSet<PointId> {
    let mut found = points.clone();
    let mut walked = BTreeSet::new();
    for (mut a, mut b) in edges_among(canvas, points) {
        while walked.insert((a, b)) {
            let Some(c) = straight_on(canvas, a, b) else { break };
            found.insert(c);
            (a, b) = (b, c);
        }
    }
    found
}

/// Returns the selected points and the next points on their loops.
pub(super) fn grown_along(
    canvas: &SkinnedSurface,
    points: &BTreeSet<PointId>,
) -> BTreeSet<PointId> {
    let next =
        edges_among(canvas, points).into_iter().filter_map(|(a, b)| straight_on(canvas, a, b));
    points.iter().copied().chain(next).collect()
}

/// Returns the opposite edge of the quad on the left of an edge; `None` if there is no quad.
fn opposite(canvas: &SkinnedSurface, a: PointId, b: PointId) -> Option<(PointId, PointId)> {
    let rest = canvas.rest();
    let length = |a: PointId, b: PointId| rest[a.index()].distance_squared(rest[b.index()]);
    let t = third(canvas, a, b)?;
    // The diagonal is the longer one of the triangle's two other sides. The fourth corner of the
    // quad is beyond it.
    if length(a, t) > length(b, t) {
        Some((third(canvas, a, t)?, t))
    } else {
        Some((t, third(canvas, t, b)?))
    }
}

/// Finds the rings through the edges between selected points.
pub(super) fn edge_rings(canvas: &SkinnedSurface, points: &BTreeSet<PointId>) -> BTreeSet<PointId> {
    let mut found = points.clone();
    let mut walked = BTreeSet::new();
    // Each edge occurs in both directions. One direction follows the ring on each side.
    for (mut a, mut b) in edges_among(canvas, points) {
        while walked.insert((a, b)) {
            let Some((c, d)) = opposite(canvas, a, b) else { break };
            found.extend([c, d]);
            (a, b) = (c, d);
        }
    }
    found
}
