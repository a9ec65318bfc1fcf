//! Finds the vertices that a brush reaches along the surface, with their distances.

use std::{cmp::Ordering, collections::BinaryHeap};

use glam::Vec3;

use super::touch::{PosedSurface, Touch};
use crate::{
    SkinnedSurface,
    ids::{floor_index, to_f32, to_index, to_number},
    topology::Topo,
};
use ulna_geometry::PointId;

/// Memory that is reused between dabs.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReachScratch {
    spots: Vec<Spot>,
    touched: Vec<PointId>,
    /// Points to visit next, in buckets by distance.
    steps: Vec<Vec<Front>>,
    heap: BinaryHeap<Front>,
    /// Points inside the sphere with their straight-line distance to the touch, and their order by
    /// this distance.
    inside: Vec<(PointId, f32)>,
    order: Vec<u32>,
    /// Number of further dabs that skip the fast method, because it failed last time.
    bent: u32,
}

/// State of a point during the search.
#[derive(Clone, Copy, Debug)]
struct Spot {
    at: Vec3,
    /// Length of the shortest known path to the point; infinite if none is known.
    way: f32,
}

impl Spot {
    const UNKNOWN: Self = Self { at: Vec3::NAN, way: f32::INFINITY };
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Front {
    way: f32,
    point: PointId,
}

impl Eq for Front {}

impl Ord for Front {
    fn cmp(&self, other: &Self) -> Ordering {
        other.way.total_cmp(&self.way).then(other.point.cmp(&self.point))
    }
}

impl PartialOrd for Front {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Maximum ratio of a path along edges to the straight-line distance for a path that counts as
/// straight. Paths across quads with parallel diagonals are longer by up to √2. A straight path
/// uses the straight-line distance, so that the brush is round.
const DETOUR: f32 = 1.44;

/// Finds the vertices within the sphere that are connected to the touched triangle. `near` are
/// candidates, if known. They must include all vertices in the sphere.
pub(super) fn along(
    canvas: &SkinnedSurface,
    posed: PosedSurface<'_>,
    touch: &Touch,
    near: Option<&[u32]>,
    scratch: &mut ReachScratch,
    out: &mut Vec<(u32, f32)>,
) {
    /// Number of dabs until the fast method is tried again. The next dabs of a stroke over
    /// a bent surface are usually on it, too.
    const PAUSE: u32 = 8;
    scratch.spots.resize(canvas.point_count(), Spot::UNKNOWN);
    let topo = canvas.topo();
    // Close to the touch, paths run around the corners of triangles.
    let [a, b, c] = touch.corners.map(|v| posed.positions[to_index(v)]);
    let slack = a.distance(b).max(b.distance(c)).max(c.distance(a));
    let slack = if slack.is_finite() { slack } else { 0.0 };
    if let Some(near) = near {
        if scratch.bent > 0 {
            scratch.bent -= 1;
        } else if outward(topo, posed, touch, slack, near, scratch, out) {
            return;
        } else {
            scratch.bent = PAUSE;
        }
    }
    shortest(topo, posed, touch, slack, scratch, out);
}

/// Number of buckets for sorting points by straight-line distance.
const SHELLS: usize = 1024;

/// Finds paths with a fast method for approximately flat surfaces. Each point is visited once,
/// nearest first, and its path uses only nearer neighbors. Such a path is never shorter than the
/// shortest path. If all paths count as straight, the straight-line distances are used. Returns
/// `false` if any point needs the exact shortest path.
fn outward(
    topo: &Topo,
    posed: PosedSurface<'_>,
    touch: &Touch,
    slack: f32,
    near: &[u32],
    scratch: &mut ReachScratch,
    out: &mut Vec<(u32, f32)>,
) -> bool {
    let ReachScratch { spots, inside, order, .. } = scratch;
    let square = touch.radius * touch.radius;
    inside.clear();
    let mut shells = [0u32; SHELLS + 1];
    let scale = to_f32(SHELLS) / touch.radius;
    let shell = |straight: f32| floor_index(straight * scale).min(SHELLS - 1);
    for v in near {
        let (Some(at), Some(point)) =
            (posed.positions.get(to_index(*v)), topo.point_of.get(to_index(*v)))
        else {
            continue;
        };
        let far = at.distance_squared(touch.at);
        if topo.firsts[point.index()] == *v && far < square {
            let straight = far.sqrt();
            spots[point.index()] = Spot { at: *at, way: f32::INFINITY };
            inside.push((*point, straight));
            shells[shell(straight) + 1] += 1;
        }
    }
    let mut flat = true;
    for corner in touch.corners {
        let spot = &mut spots[topo.point_of[to_index(corner)].index()];
        // If a triangle is larger than the brush, the exact method is needed.
        flat &= spot.at.is_finite();
        let start = spot.at.distance(touch.at);
        if start < spot.way {
            spot.way = start;
        }
    }
    if flat {
        (0..SHELLS).for_each(|k| shells[k + 1] += shells[k]);
        order.resize(inside.len(), 0);
        for (k, (_, straight)) in inside.iter().enumerate() {
            let next = &mut shells[shell(*straight)];
            order[to_index(*next)] = to_number(k);
            *next += 1;
        }
        let mut bent: Vec<PointId> = Vec::new();
        for k in order.iter() {
            let (point, straight) = inside[to_index(*k)];
            let Spot { at, mut way } = spots[point.index()];
            for next in topo.rings.row(point.index()) {
                let next = spots[next.index()];
                let there = next.way + at.distance(next.at);
                // Points outside the sphere have NaN positions.
                way = if there < way { there } else { way };
            }
            spots[point.index()].way = way;
            if way > straight * DETOUR + slack {
                bent.push(point);
            }
        }
        // Points that cannot be reached need no exact path.
        let is_known = |point: &PointId| spots[point.index()].way < f32::INFINITY;
        flat = !bent
            .iter()
            .any(|point| is_known(point) || topo.rings.row(point.index()).iter().any(is_known));
    }
    for (point, straight) in inside.iter() {
        let spot = std::mem::replace(&mut spots[point.index()], Spot::UNKNOWN);
        let p = 1.0 - straight / touch.radius;
        if flat && spot.way < f32::INFINITY && *straight < touch.radius {
            out.extend(topo.vertices.row(point.index()).iter().map(|v| (*v, p)));
        }
    }
    flat
}

/// Number of distance buckets from the center to the rim. Points within one bucket are processed in
/// any order.
const STEPS: usize = 512;

/// Exact method: finds shortest paths over the edges between points within the brush. Algorithm:
/// Dijkstra, *A note on two problems in connexion with graphs* (1959). The points to visit next are
/// in buckets as in Dial, *Algorithm 360* (1969).
///
/// Within a bucket, a point can be processed too early, and then again with the same final result.
/// If this happens too often, a heap replaces the buckets.
fn shortest(
    topo: &Topo,
    posed: PosedSurface<'_>,
    touch: &Touch,
    slack: f32,
    scratch: &mut ReachScratch,
    out: &mut Vec<(u32, f32)>,
) {
    let ReachScratch { spots, touched, steps, heap, .. } = scratch;
    steps.resize_with(STEPS, Vec::new);
    heap.clear();
    let at = |point: PointId| posed.positions[to_index(topo.firsts[point.index()])];
    let limit = touch.radius * DETOUR + slack;
    let scale = to_f32(STEPS) / limit;
    let step_of = |way: f32| floor_index(way * scale).min(STEPS - 1);
    for corner in touch.corners {
        let point = topo.point_of[to_index(corner)];
        let spot = &mut spots[point.index()];
        let start = at(point).distance(touch.at);
        if start < limit && start < spot.way {
            touched.push(point);
            *spot = Spot { at: at(point), way: start };
            steps[step_of(start)].push(Front { way: start, point });
        }
    }
    let square = touch.radius * touch.radius;
    let mut front = Way {
        topo,
        spots,
        touched,
        limit,
        at,
        within: |p: Vec3| p.distance_squared(touch.at) < square,
    };
    let mut taken = 0;
    for step in 0..STEPS {
        let mut list = std::mem::take(&mut steps[step]);
        let mut k = 0;
        while k < list.len() {
            let next = list[k];
            k += 1;
            taken += 1;
            front.expand(next, |next| {
                let s = step_of(next.way);
                if s == step { list.push(next) } else { steps[s].push(next) }
            });
            if taken > 8 * front.touched.len() + 1024 {
                heap.extend(list.drain(k..));
                steps.iter_mut().for_each(|s| heap.extend(s.drain(..)));
            }
        }
        list.clear();
        steps[step] = list;
        if !heap.is_empty() {
            break;
        }
    }
    while let Some(next) = heap.pop() {
        front.expand(next, |next| heap.push(next));
    }
    for point in touched.drain(..) {
        let Spot { at, way } = std::mem::replace(&mut spots[point.index()], Spot::UNKNOWN);
        let straight = at.distance(touch.at);
        let distance = if way <= straight * DETOUR + slack { straight } else { way };
        if distance < touch.radius {
            let p = 1.0 - distance / touch.radius;
            out.extend(topo.vertices.row(point.index()).iter().map(|v| (*v, p)));
        }
    }
}

/// Search for shortest paths, with the paths found so far.
struct Way<'a, A, W> {
    topo: &'a Topo,
    spots: &'a mut [Spot],
    touched: &'a mut Vec<PointId>,
    limit: f32,
    /// Function that returns the position of a point.
    at: A,
    /// Function that tests whether a path may pass through a position.
    within: W,
}

impl<A: Fn(PointId) -> Vec3, W: Fn(Vec3) -> bool> Way<'_, A, W> {
    /// Extends the search from a point to its neighbors.
    #[inline]
    fn expand(&mut self, Front { way: here, point }: Front, mut push: impl FnMut(Front)) {
        let from = self.spots[point.index()];
        if here > from.way {
            return;
        }
        for next in self.topo.rings.row(point.index()) {
            let spot = &mut self.spots[next.index()];
            if here >= spot.way {
                continue;
            }
            let fresh = spot.way == f32::INFINITY;
            let to = if fresh { (self.at)(*next) } else { spot.at };
            let there = here + from.at.distance(to);
            if there < self.limit && there < spot.way && (!fresh || (self.within)(to)) {
                if fresh {
                    self.touched.push(*next);
                }
                *spot = Spot { at: to, way: there };
                push(Front { way: there, point: *next });
            }
        }
    }
}
