//! Loops and rings of edges: how a row of points goes on over a surface whose quads a file has cut
//! into triangles.
//!
//! ```text
//!    ·──·──·──·          a loop goes straight on from edge to edge,  a═b═c═d
//!    │ ╱│ ╱│ ╱│          over points; a ring goes across the quads, from
//!    a══b══c══d          an edge to the one that lies opposite.
//!    │ ╱│ ╱│ ╱│
//!    ·──·──·──·
//! ```
//!
//! Neither knows quads: a loop takes the edge that turns least as the surface is seen from outside,
//! never by more than 40°, which a diagonal always does; a ring takes the longer side of two
//! triangles for the diagonal of a quad.

use std::collections::BTreeSet;

use glam::Vec3;

use super::SkinnedSurface;
use ulna_geometry::PointId;

/// The cosine of the most that a loop may turn from one edge to the next.
const STRAIGHT: f32 = 0.766;

/// Directed edges between neighbors that are both chosen. Of many, diagonals of quads are left out.
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

/// Whether an edge is the longest of both its triangles.
fn is_diagonal(canvas: &SkinnedSurface, a: PointId, b: PointId) -> bool {
    let rest = canvas.rest();
    let length = |a: PointId, b: PointId| rest[a.index()].distance_squared(rest[b.index()]);
    let own = length(a, b) * 0.98;
    let thirds = [third(canvas, a, b), third(canvas, b, a)];
    thirds.into_iter().flatten().filter(|t| length(a, *t) < own && length(b, *t) < own).count() == 2
}

/// The third point of the triangle that has the edge from `a` to `b`, in this direction.
fn third(canvas: &SkinnedSurface, a: PointId, b: PointId) -> Option<PointId> {
    canvas.fan(a).iter().find(|[next, _]| *next == b).map(|[_, t]| *t)
}

/// The normal of the surface at a point, of no certain length.
fn normal(canvas: &SkinnedSurface, point: PointId) -> Vec3 {
    let rest = canvas.rest();
    let here = rest[point.index()];
    let across = |[a, b]: &[PointId; 2]| (rest[a.index()] - here).cross(rest[b.index()] - here);
    canvas.fan(point).iter().map(across).sum()
}

/// Where a loop that came from `a` to `b` goes on; nothing where it would turn.
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

/// The loops that go through the edges between chosen points.
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

/// The chosen points with those that come next on their loops.
pub(super) fn grown_along(
    canvas: &SkinnedSurface,
    points: &BTreeSet<PointId>,
) -> BTreeSet<PointId> {
    let next =
        edges_among(canvas, points).into_iter().filter_map(|(a, b)| straight_on(canvas, a, b));
    points.iter().copied().chain(next).collect()
}

/// The edge opposite to one, over the quad on the left of it; of triangles that are no quad,
/// nothing.
fn opposite(canvas: &SkinnedSurface, a: PointId, b: PointId) -> Option<(PointId, PointId)> {
    let rest = canvas.rest();
    let length = |a: PointId, b: PointId| rest[a.index()].distance_squared(rest[b.index()]);
    let t = third(canvas, a, b)?;
    // The diagonal is the longer of the two other sides; beyond it lies the fourth corner.
    if length(a, t) > length(b, t) {
        Some((third(canvas, a, t)?, t))
    } else {
        Some((t, third(canvas, t, b)?))
    }
}

/// The rings of edges that lie opposite to those between chosen points.
pub(super) fn edge_rings(canvas: &SkinnedSurface, points: &BTreeSet<PointId>) -> BTreeSet<PointId> {
    let mut found = points.clone();
    let mut walked = BTreeSet::new();
    // Both directions of each edge are there: one goes to the left, the other to the right.
    for (mut a, mut b) in edges_among(canvas, points) {
        while walked.insert((a, b)) {
            let Some((c, d)) = opposite(canvas, a, b) else { break };
            found.extend([c, d]);
            (a, b) = (c, d);
        }
    }
    found
}
