//! Counts of a canvas that are kept up to date by differences: a stroke touches a few of many
//! vertices, and nobody shall wait for all of them to be counted again.

use rayon::prelude::*;

use super::{
    Fault, Faults, Maps, SkinnedSurface, fault_in,
    ids::{numbers, to_index},
    influences::slots_of,
    tools::is_stray,
};
use ulna_geometry::PointId;
use ulna_model::JointSlot;

/// Joint that a vertex holds, if any: 2 bytes, since there are four or more per vertex. The last
/// joint that a slot can name is never held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HeldJoint(u16);

impl HeldJoint {
    const NONE: Self = Self(u16::MAX);

    const fn new(joint: JointSlot) -> Self {
        Self(joint.0)
    }

    fn get(self) -> Option<JointSlot> {
        (self != Self::NONE).then_some(JointSlot(self.0))
    }
}

/// What a point has in common with those around it at most, to be a stray.
pub const STRAY: f32 = 0.4;

/// Items that have to be counted again, each once, with their indices.
#[derive(Clone, Debug)]
struct Queue<T> {
    list: Vec<T>,
    queued: Vec<bool>,
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self { list: Vec::new(), queued: Vec::new() }
    }
}

impl<T> Queue<T> {
    /// All items, which come out in this order.
    fn of_all(items: impl DoubleEndedIterator<Item = T>) -> Self {
        let list: Vec<T> = items.rev().collect();
        Self { queued: vec![true; list.len()], list }
    }

    fn push(&mut self, item: T, index: usize) {
        if !std::mem::replace(&mut self.queued[index], true) {
            self.list.push(item);
        }
    }

    fn take(&mut self, most: usize, index: impl Fn(&T) -> usize) -> Vec<T> {
        let taken = self.list.split_off(self.list.len().saturating_sub(most));
        taken.iter().for_each(|item| self.queued[index(item)] = false);
        taken
    }
}

/// What is wrong with the vertices of a canvas, how many vertices each joint moves, and which
/// points are strays. What changed is named with [`WeightStats::touch`]; [`WeightStats::step`]
/// counts some of it, so that a window can go on meanwhile. Between the two the counts are of what
/// was counted last.
#[derive(Clone, Debug, Default)]
pub struct WeightStats {
    limit: usize,
    faults: Faults,
    used: Vec<u32>,
    strays: usize,
    /// By the canvas's vertices, as they are in the counts.
    fault_of: Vec<Option<Fault>>,
    /// Joints that hold each vertex, as they are in the counts: `wide` a vertex.
    held: Vec<HeldJoint>,
    wide: usize,
    /// By points; empty until the canvas knows them.
    stray: Vec<bool>,
    vertices: Queue<u32>,
    points: Queue<PointId>,
}

impl WeightStats {
    /// Nothing counted yet, everything to be counted. More joints a vertex than `limit` are a
    /// fault.
    pub fn new(canvas: &SkinnedSurface, maps: &Maps<'_>, limit: usize) -> Self {
        let wide = (0..canvas.parts().len()).map(|k| maps.part(k).stride()).max().unwrap_or(0);
        let count = canvas.vertex_count();
        Self {
            limit,
            used: vec![0; canvas.joints().len()],
            fault_of: vec![None; count],
            held: vec![HeldJoint::NONE; count * wide],
            wide,
            vertices: Queue::of_all(numbers(count)),
            ..Self::default()
        }
    }

    /// How many vertices have which fault.
    pub const fn faults(&self) -> Faults {
        self.faults
    }

    /// By the skin's joints, how many vertices each moves.
    pub fn used(&self) -> &[u32] {
        &self.used
    }

    /// How many points are strays.
    pub const fn strays(&self) -> usize {
        self.strays
    }

    /// Whether a point is a stray, as far as is known.
    pub fn is_stray(&self, point: PointId) -> bool {
        self.stray.get(point.index()).copied().unwrap_or(false)
    }

    /// Whether every vertex is counted; strays may be looked for still.
    pub fn has_vertices(&self) -> bool {
        self.vertices.list.is_empty()
    }

    /// Whether everything is counted.
    pub fn is_done(&self) -> bool {
        self.has_vertices() && self.points.list.is_empty() && !self.stray.is_empty()
    }

    /// Another limit: all vertices are looked at again.
    pub fn set_limit(&mut self, limit: usize) {
        if self.limit != limit {
            self.limit = limit;
            numbers(self.fault_of.len()).rev().for_each(|v| self.vertices.push(v, to_index(v)));
        }
    }

    /// The weights of these vertices of the canvas changed.
    pub fn touch(&mut self, vertices: impl IntoIterator<Item = u32>) {
        vertices.into_iter().for_each(|v| self.vertices.push(v, to_index(v)));
    }

    /// Whether a map with more slots than before came in, which takes a new tally.
    pub fn fits(&self, canvas: &SkinnedSurface, maps: &Maps<'_>) -> bool {
        canvas.vertex_count() == self.fault_of.len()
            && (0..canvas.parts().len()).all(|k| maps.part(k).stride() <= self.wide)
    }

    /// Counts at most so many vertices, and once all are counted and the canvas [is
    /// ready](SkinnedSurface::is_ready), points. The points that are strays now and were none, or
    /// the other way round, are added to `moved`. Whether something could be counted.
    pub fn step(
        &mut self,
        canvas: &SkinnedSurface,
        maps: &Maps<'_>,
        most: usize,
        moved: &mut Vec<PointId>,
    ) -> bool {
        if !self.has_vertices() {
            self.count_vertices(canvas, maps, most);
            true
        } else if canvas.is_ready() {
            if self.stray.is_empty() {
                self.stray = vec![false; canvas.point_count()];
                self.points = Queue::of_all(PointId::first(canvas.point_count()));
            }
            self.count_points(canvas, maps, most, moved);
            true
        } else {
            false
        }
    }

    fn count_vertices(&mut self, canvas: &SkinnedSurface, maps: &Maps<'_>, most: usize) {
        let list = self.vertices.take(most, |v| to_index(*v));
        let limit = self.limit;
        let found = |v: &u32| {
            let (map, own) = maps.map_of(*v);
            fault_in(map, own, limit, canvas.joints().len())
        };
        let found: Vec<Option<Fault>> = list.par_iter().with_min_len(1024).map(found).collect();
        for (v, now) in list.into_iter().zip(found) {
            let before = std::mem::replace(&mut self.fault_of[to_index(v)], now);
            if before != now {
                before.into_iter().for_each(|f| self.faults.remove(f));
                now.into_iter().for_each(|f| self.faults.add(f));
            }
            let held = &mut self.held[slots_of(v, self.wide)];
            for slot in held.iter_mut() {
                if let Some(joint) = std::mem::replace(slot, HeldJoint::NONE).get() {
                    self.used[joint.index()] -= 1;
                }
            }
            let (joints, weights) = maps.slots(v);
            let mut next = 0;
            for (joint, _) in joints.iter().zip(weights).filter(|(_, w)| **w > 0.0) {
                let joint = JointSlot(*joint);
                if joint.index() < self.used.len() && !held[..next].contains(&HeldJoint::new(joint))
                {
                    held[next] = HeldJoint::new(joint);
                    next += 1;
                    self.used[joint.index()] += 1;
                }
            }
            if !self.stray.is_empty() {
                // A point is judged by itself and by those around it.
                let point = canvas.point_of(v);
                self.points.push(point, point.index());
                canvas.ring(point).iter().for_each(|p| self.points.push(*p, p.index()));
            }
        }
    }

    fn count_points(
        &mut self,
        canvas: &SkinnedSurface,
        maps: &Maps<'_>,
        most: usize,
        moved: &mut Vec<PointId>,
    ) {
        let list = self.points.take(most, |p| p.index());
        let judge = |point: &PointId| is_stray(canvas, maps, *point, STRAY);
        let found: Vec<bool> = list.par_iter().with_min_len(256).map(judge).collect();
        for (point, now) in list.into_iter().zip(found) {
            let before = std::mem::replace(&mut self.stray[point.index()], now);
            if before != now {
                self.strays = if now { self.strays + 1 } else { self.strays - 1 };
                moved.push(point);
            }
        }
    }
}
