//! Mirror pairs of points across a plane. Points are paired by position, then by topology.

use std::collections::HashMap;

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::{SkinnedSurface, one_sided::is_one_sided};
use ulna_geometry::{PointGrid, PointId};
use ulna_model::{Document, JointSlot};
use ulna_motion::MirrorPairs;

/// Mirror pairs of a surface's points and of its skin's joints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MirrorMap {
    points: Vec<Option<PointId>>,
    joints: Vec<Option<JointSlot>>,
    /// For each joint, the joint that receives its weight on the other side.
    across: Vec<JointSlot>,
    parents: Vec<Option<JointSlot>>,
    /// Number of points without a mirror partner.
    pub unpaired: usize,
    /// Number of points that were paired by topology instead of position.
    pub by_topology: usize,
}

impl MirrorMap {
    /// Pairs the points of a surface across the plane `axis = offset` in mesh space. `joints` are
    /// the mirror joints of the skin's joints. A center joint is its own mirror joint.
    ///
    /// Two points form a pair if each is the nearest point to the mirrored position of the other,
    /// within `tolerance` meters. On a surface of several skins, points of the same skin are
    /// preferred.
    ///
    /// Remaining points are paired by their neighbors. If both points of a pair have exactly one
    /// unpaired neighbor, these neighbors form a pair. Finally, points are paired triangle by
    /// triangle.
    pub fn new(
        canvas: &SkinnedSurface,
        axis: usize,
        offset: f32,
        tolerance: f32,
        joints: Vec<Option<JointSlot>>,
    ) -> Self {
        /// Maximum number of overlapping meshes that are told apart.
        const LAYERS: usize = 4;
        let rest = canvas.rest();
        let mirrored = |p: Vec3| {
            let mut p = p;
            p[axis] = 2.0 * offset - p[axis];
            p
        };
        // Planes through 0 contain many points, so no cell border may be there.
        let cell = (tolerance * 24.0).max(f32::MIN_POSITIVE);
        let grid = PointGrid::new(rest, cell, 0.5, CROWD);
        let nearest_of =
            |accept: &(dyn Fn(PointId, PointId) -> bool + Sync)| -> Vec<Option<PointId>> {
                let one = |(k, p): (usize, &Vec3)| {
                    nearest(&grid, rest, mirrored(*p), tolerance, |q| accept(k.into(), q))
                };
                rest.par_iter().enumerate().with_min_len(1024).map(one).collect()
            };
        let owners = canvas.owners();
        if owners.is_empty() {
            return Self::completed(
                canvas,
                mutual(&nearest_of(&|_, _| true)),
                axis,
                offset,
                joints,
            );
        }
        // The same skin is searched first, because meshes of other skins can overlap.
        let is_same = |a: PointId, b: PointId| owners[a.index()] == owners[b.index()];
        let mut points = mutual(&nearest_of(&is_same));
        // Each overlapping mesh of another skin needs one more pass.
        for _ in 0..LAYERS {
            let is_open = |p: PointId| points[p.index()].is_none();
            let others = mutual(&nearest_of(&|a, b| is_open(a) && is_open(b) && !is_same(a, b)));
            let found = others.iter().zip(&mut points).filter(|(other, _)| other.is_some());
            if found.map(|(other, point)| *point = *other).count() == 0 {
                break;
            }
        }
        Self::completed(canvas, points, axis, offset, joints)
    }

    /// Pairs points with equal texture coordinates, or with coordinates mirrored about the center
    /// of the texture. The points must be on different sides of the plane. If several match, the
    /// one nearest to the mirrored position is chosen. Points on the plane are their own partners.
    /// The remaining points are paired as by [`MirrorMap::new`].
    pub fn by_uv(
        canvas: &SkinnedSurface,
        uv_of: &dyn Fn(u32) -> Option<Vec2>,
        axis: usize,
        offset: f32,
        joints: Vec<Option<JointSlot>>,
    ) -> Self {
        /// Number of grid cells along each side of the texture. Coordinates in the same cell count
        /// as equal.
        const STEPS: f32 = 4_096.0;
        /// Maximum absolute value of valid texture coordinates.
        const FAR: f32 = 1e6;
        let rest = canvas.rest();
        let size = rest
            .iter()
            .map(|p| (p[axis] - offset).abs())
            .filter(|d| d.is_finite())
            .fold(0.0, f32::max);
        let cell = |uv: Vec2| ((uv.x * STEPS).round() as i64, (uv.y * STEPS).round() as i64);
        let uvs: Vec<Option<Vec2>> = PointId::first(rest.len())
            .map(|p| uv_of(canvas.first_at(p)).filter(|uv| uv.abs().max_element() < FAR))
            .collect();
        let mut grid: HashMap<(i64, i64), Vec<PointId>> = HashMap::new();
        for (p, uv) in PointId::first(uvs.len()).zip(&uvs) {
            if let Some(uv) = uv {
                grid.entry(cell(*uv)).or_default().push(p);
            }
        }
        let side = |p: PointId| rest[p.index()][axis] - offset;
        let owners = canvas.owners();
        // Points of the same skin are preferred, because meshes of other skins can use the same
        // texture.
        let is_other =
            |p: PointId, q: PointId| !owners.is_empty() && owners[p.index()] != owners[q.index()];
        let partner = |(p, uv): (PointId, &Option<Vec2>)| {
            let Some(uv) = uv else { return None };
            if side(p).abs() <= size * 1e-4 {
                return Some(p);
            }
            let mut image = rest[p.index()];
            image[axis] = 2.0 * offset - image[axis];
            let mut best: Option<(bool, f32, PointId)> = None;
            for uv in [*uv, Vec2::new(1.0 - uv.x, uv.y)] {
                let (x, y) = cell(uv);
                let around = (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (x + dx, y + dy)));
                // A texel with thousands of points cannot identify a single point.
                for q in
                    around.filter_map(|c| grid.get(&c)).flat_map(|list| list.iter().take(CROWD))
                {
                    let found = (is_other(p, *q), rest[q.index()].distance_squared(image), *q);
                    let is_better = match best {
                        Some(best) => found < best,
                        None => (found.0, found.1) <= (true, f32::INFINITY),
                    };
                    if side(*q) * side(p) < 0.0 && is_better {
                        best = Some(found);
                    }
                }
            }
            best.map(|(.., q)| q)
        };
        let one_way: Vec<Option<PointId>> =
            PointId::first(uvs.len()).zip(&uvs).map(partner).collect();
        Self::completed(canvas, mutual(&one_way), axis, offset, joints)
    }

    /// Pairs the remaining points by topology.
    fn completed(
        canvas: &SkinnedSurface,
        mut points: Vec<Option<PointId>>,
        axis: usize,
        offset: f32,
        joints: Vec<Option<JointSlot>>,
    ) -> Self {
        let by_topology = by_neighbors(canvas, &mut points, axis, offset)
            + by_triangles(canvas, &mut points, axis, offset);
        let unpaired = points.iter().filter(|p| p.is_none()).count();
        let parents = canvas.parents().to_vec();
        Self { points, across: across(&joints, &parents), joints, parents, unpaired, by_topology }
    }

    /// Pairs the points of a surface by the mirror pairs of its joints. If the joints of the other
    /// side belong to another skin, no point has a partner.
    pub fn of(document: &Document, canvas: &SkinnedSurface, roles: &MirrorPairs) -> Self {
        let joints = roles.mirror_joints();
        if !is_one_sided(document, canvas.skin) {
            return Self::near(canvas, roles.axis(), roles.offset(), joints);
        }
        let (count, parents) = (canvas.point_count(), canvas.parents().to_vec());
        let across = across(&joints, &parents);
        Self { points: vec![None; count], across, joints, parents, unpaired: count, by_topology: 0 }
    }

    /// Pairs points like [`MirrorMap::new`], with a tolerance of 1/10,000 of the surface's size.
    pub fn near(
        canvas: &SkinnedSurface,
        axis: usize,
        offset: f32,
        joints: Vec<Option<JointSlot>>,
    ) -> Self {
        let bounds = canvas
            .rest()
            .iter()
            .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
        let tolerance = ((bounds.1 - bounds.0).length() * 1e-4).max(1e-7);
        Self::new(canvas, axis, offset, tolerance, joints)
    }

    /// Returns the same point pairs with other joint pairs.
    #[must_use]
    pub fn with_joints(&self, joints: Vec<Option<JointSlot>>) -> Self {
        Self { across: across(&joints, &self.parents), joints, ..self.clone() }
    }

    /// Returns the mirror partner of a point, if it has one.
    #[inline]
    pub fn point(&self, point: PointId) -> Option<PointId> {
        self.points.get(point.index()).copied().flatten()
    }

    /// Returns the points without a partner, in ascending order.
    pub fn alone(&self) -> impl Iterator<Item = PointId> + '_ {
        let all = PointId::first(self.points.len()).zip(&self.points);
        all.filter(|(_, other)| other.is_none()).map(|(point, _)| point)
    }

    /// Returns the mirror joint of each joint of the skin.
    pub fn joints(&self) -> &[Option<JointSlot>] {
        &self.joints
    }

    /// Returns the mirror joint of a joint, if it has one.
    #[inline]
    pub fn joint(&self, joint: JointSlot) -> Option<JointSlot> {
        self.joints.get(joint.index()).copied().flatten()
    }

    /// Returns the joint that receives a joint's weight on the other side. This is its mirror
    /// joint, else the mirror joint of the nearest ancestor that has one, else the joint itself.
    /// The second case occurs for an object held in one hand.
    #[inline]
    pub fn across(&self, joint: JointSlot) -> JointSlot {
        self.across.get(joint.index()).copied().unwrap_or(joint)
    }
}

/// Keeps only the pairs that were found from both of their points.
fn mutual(one_way: &[Option<PointId>]) -> Vec<Option<PointId>> {
    let all = PointId::first(one_way.len()).zip(one_way);
    all.map(|(p, q)| q.filter(|q| one_way[q.index()] == Some(p))).collect()
}

/// Computes [`MirrorMap::across`] for every joint.
fn across(joints: &[Option<JointSlot>], parents: &[Option<JointSlot>]) -> Vec<JointSlot> {
    let of = |list: &[Option<JointSlot>], joint: JointSlot| -> Option<JointSlot> {
        list.get(joint.index()).copied().flatten()
    };
    let one = |joint: JointSlot| {
        let mut at = joint;
        // At most one step per joint, in case the parents form a cycle.
        for _ in 0..joints.len() {
            if let Some(partner) = of(joints, at) {
                return partner;
            }
            let Some(parent) = of(parents, at) else { break };
            at = parent;
        }
        joint
    };
    JointSlot::first(joints.len()).map(one).collect()
}

/// Maximum number of points per cell that are compared by position. Points beyond it are paired by
/// topology.
const CROWD: usize = 256;

/// Returns the accepted point nearest to a position, within the tolerance.
fn nearest(
    grid: &PointGrid,
    rest: &[Vec3],
    at: Vec3,
    tolerance: f32,
    accept: impl Fn(PointId) -> bool,
) -> Option<PointId> {
    let mut best: Option<(f32, PointId)> = None;
    grid.visit_near(rest, at, tolerance, |k| {
        let (square, point) = (rest[k].distance_squared(at), PointId::from(k));
        let is_better = best.is_none_or(|best| (square, point) < best);
        if square <= tolerance * tolerance && is_better && accept(point) {
            best = Some((square, point));
        }
    });
    best.map(|(_, point)| point)
}

/// Pairs the remaining points by their paired neighbors. Returns the number of newly paired points.
///
/// The unpaired neighbors of a point and of its mirror point are candidates. If each of the two
/// points has exactly one, these are paired. Otherwise, two candidates are paired if each is the
/// nearest to the other's mirrored position, within half of the distance to the paired point.
fn by_neighbors(
    canvas: &SkinnedSurface,
    points: &mut [Option<PointId>],
    axis: usize,
    offset: f32,
) -> usize {
    // Only points next to unpaired points can lead to new pairs.
    let open = PointId::first(points.len()).filter(|p| points[p.index()].is_none());
    let mut front: Vec<PointId> = open.flat_map(|p| canvas.ring(p)).copied().collect();
    front.retain(|p| points[p.index()].is_some());
    front.sort_unstable();
    front.dedup();
    let mut paired = 0;
    let rest = canvas.rest();
    let side = |p: PointId| (rest[p.index()][axis] - offset).signum();
    let away = |a: PointId, b: PointId| {
        let mut image = rest[a.index()];
        image[axis] = 2.0 * offset - image[axis];
        image.distance(rest[b.index()])
    };
    while !front.is_empty() {
        let mut next = Vec::new();
        for p in front {
            let Some(q) = points[p.index()] else { continue };
            let open = |of: PointId, points: &[Option<PointId>]| -> Vec<PointId> {
                canvas.ring(of).iter().copied().filter(|n| points[n.index()].is_none()).collect()
            };
            /// Maximum number of neighbor pairs to compare. A point with thousands of neighbors
            /// cannot identify a single pair.
            const MOST: usize = 4_096;
            let (here, there) = (open(p, points), open(q, points));
            if here.len() * there.len() > MOST {
                continue;
            }
            let nearest = |a: PointId, list: &[PointId]| {
                list.iter().copied().min_by(|x, y| away(a, *x).total_cmp(&away(a, *y)))
            };
            for a in &here {
                let Some(b) = nearest(*a, &there) else { continue };
                let alone = here.len() == 1 && there.len() == 1;
                let near = || away(*a, b) < rest[p.index()].distance(rest[a.index()]) * 0.5;
                if !alone && (nearest(b, &here) != Some(*a) || !near()) {
                    continue;
                }
                // Two points on the same side cannot be a pair. A point that is its own partner
                // must be on the plane.
                let wrong = if *a == b { !near() } else { side(*a) == side(b) };
                if wrong || points[a.index()].is_some() || points[b.index()].is_some() {
                    continue;
                }
                points[a.index()] = Some(b);
                points[b.index()] = Some(*a);
                paired += if *a == b { 1 } else { 2 };
                next.extend([*a, b]);
            }
        }
        front = next;
    }
    paired
}

/// Pairs the remaining points triangle by triangle, regardless of position. Returns the number of
/// newly paired points. If an edge has a mirror edge, the triangles next to both edges mirror each
/// other. Their third points are paired if they have the same number of edges.
fn by_triangles(
    canvas: &SkinnedSurface,
    points: &mut [Option<PointId>],
    axis: usize,
    offset: f32,
) -> usize {
    let rest = canvas.rest();
    let side = |p: PointId| rest[p.index()][axis] - offset;
    let mut front: Vec<PointId> =
        PointId::first(points.len()).filter(|p| points[p.index()].is_some()).collect();
    let mut paired = 0;
    while let Some(a) = front.pop() {
        let Some(image_of_a) = points[a.index()] else { continue };
        let mut found = Vec::new();
        for [b, third] in canvas.fan(a) {
            let Some(image_of_b) = points[b.index()].filter(|_| points[third.index()].is_none())
            else {
                continue;
            };
            // Mirroring reverses the winding of a triangle: a, b, t becomes b', a', t'.
            let Some([_, t]) = canvas.fan(image_of_b).iter().find(|[next, _]| *next == image_of_a)
            else {
                continue;
            };
            let alike = canvas.ring(*third).len() == canvas.ring(*t).len();
            if alike && points[t.index()].is_none() && t != third && side(*t) * side(*third) < 0.0 {
                found.push((*third, *t));
            }
        }
        for (p, q) in found {
            if points[p.index()].is_none() && points[q.index()].is_none() {
                (points[p.index()], points[q.index()]) = (Some(q), Some(p));
                paired += 2;
                front.extend([a, p, q]);
            }
        }
    }
    paired
}
