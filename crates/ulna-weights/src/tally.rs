//! Weight statistics with incremental updates, because a stroke changes only a few of many
//! vertices.

use rayon::prelude::*;

use super::{
    Fault, Faults, Maps, SkinnedSurface, fault_in,
    ids::{numbers, to_index},
    influences::slots_of,
    tools::is_stray,
};
use ulna_geometry::PointId;
use ulna_model::JointSlot;

/// Optional joint index in 2 bytes; the maximum value means none. It is kept small because each
/// vertex has at least four.
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

/// Maximum overlap between the weights of an outlier and those of its neighbors, `0..=1`.
pub const STRAY: f32 = 0.4;

/// Queue of items to count again, without duplicates.
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
    /// Creates a queue of all items, in this order.
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

/// Weight statistics of a surface: vertices with invalid weights, vertices per joint, and outliers.
///
/// The caller reports changed vertices with [`WeightStats::touch`]. Each [`WeightStats::step`]
/// counts only some of them, so that the window stays responsive. Until then, the statistics are
/// those of the last count.
#[derive(Clone, Debug, Default)]
pub struct WeightStats {
    limit: usize,
    faults: Faults,
    used: Vec<u32>,
    strays: usize,
    /// Fault of each vertex at the last count.
    fault_of: Vec<Option<Fault>>,
    /// Joints of each vertex at the last count, `wide` entries per vertex.
    held: Vec<HeldJoint>,
    wide: usize,
    /// Whether each point is an outlier; empty until the topology of the surface is ready.
    stray: Vec<bool>,
    vertices: Queue<u32>,
    points: Queue<PointId>,
}

impl WeightStats {
    /// Creates statistics in which no vertex is counted yet. More than `limit` influences count as
    /// a fault.
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

    /// Returns the number of vertices per fault.
    pub const fn faults(&self) -> Faults {
        self.faults
    }

    /// Returns the number of vertices with weight on each joint of the skin.
    pub fn used(&self) -> &[u32] {
        &self.used
    }

    /// Returns the number of outlier points.
    pub const fn strays(&self) -> usize {
        self.strays
    }

    /// Whether a point was an outlier at the last count.
    pub fn is_stray(&self, point: PointId) -> bool {
        self.stray.get(point.index()).copied().unwrap_or(false)
    }

    /// Whether all vertices are counted. Outliers may not all be counted yet.
    pub fn has_vertices(&self) -> bool {
        self.vertices.list.is_empty()
    }

    /// Whether all vertices and outliers are counted.
    pub fn is_done(&self) -> bool {
        self.has_vertices() && self.points.list.is_empty() && !self.stray.is_empty()
    }

    /// Changes the influence limit. All vertices are then counted again.
    pub fn set_limit(&mut self, limit: usize) {
        if self.limit != limit {
            self.limit = limit;
            numbers(self.fault_of.len()).rev().for_each(|v| self.vertices.push(v, to_index(v)));
        }
    }

    /// Reports vertices whose weights changed, so that they are counted again.
    pub fn touch(&mut self, vertices: impl IntoIterator<Item = u32>) {
        vertices.into_iter().for_each(|v| self.vertices.push(v, to_index(v)));
    }

    /// Whether these statistics can be used for the maps. If the maps have more slots per vertex
    /// than before, new statistics are needed.
    pub fn fits(&self, canvas: &SkinnedSurface, maps: &Maps<'_>) -> bool {
        canvas.vertex_count() == self.fault_of.len()
            && (0..canvas.parts().len()).all(|k| maps.part(k).stride() <= self.wide)
    }

    /// Counts at most `most` vertices. When all are counted and the surface [is
    /// ready](SkinnedSurface::is_ready), it counts points instead. Points that became outliers, or
    /// stopped being outliers, are added to `moved`. Returns `false` if nothing was left to count.
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
                // Whether a point is an outlier depends on the point and its neighbors.
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
