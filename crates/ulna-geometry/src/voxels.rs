//! Voxelization of a surface, and path lengths through the solid cells.

use std::{
    num::NonZeroU32,
    sync::atomic::{AtomicBool, Ordering},
};

use glam::Vec3;

/// Maximum number of samples on all triangles. Cells are enlarged to stay below it.
const MOST_SAMPLES: f64 = 3e8;
/// Minimum number of cells along the longest side of the surface's box.
const FEWEST_CELLS: usize = 16;
/// Maximum number of cells along the longest side of the surface's box, which allows 17 million
/// cells in all.
const MOST_CELLS: usize = 256;
/// Spacing of samples, in cells. No point of a triangle is farther than 0.41 cells from a sample.
/// Paths through the faces of cells therefore cannot cross the surface between marked cells.
const SPACING: f64 = 0.7;
/// Step lengths to a neighbor along one, two and three axes, in units of 1/[`STEP`] of a cell. They
/// are within 1 % of √2 and √3.
const STEPS: [u32; 3] = [12, 17, 21];
const STEP: f32 = 12.0;
/// Number of distance buckets; must be greater than the longest step.
const BUCKETS: usize = 32;
/// Minimum number of axis directions in which the surface must cover an outside cell for the cell
/// to count as enclosed.
const ENCLOSING_SIDES: u8 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Inside,
    Surface,
    Outside,
}

/// The cells on and inside a surface.
#[derive(Clone, Debug)]
pub struct SurfaceVoxels {
    /// Number of cells along each axis. The outermost layer of cells is always outside the surface.
    sides: [usize; 3],
    low: Vec3,
    /// Length of a cell's edges.
    size: f32,
    cells: Vec<Cell>,
    /// Number of each cell among the solid cells, counted from 1; `None` for cells outside.
    numbers: Vec<Option<NonZeroU32>>,
    /// Indices of the solid cells: all cells on or inside the surface.
    solid: Vec<u32>,
}

impl SurfaceVoxels {
    /// Creates the grid of a surface with `count` cells along the longest side of its box. Cells
    /// that a flood fill from the corner does not reach are inside. Returns `None` if no triangle
    /// has finite corners, or if `cancel` is set before the end.
    ///
    /// # Panics
    /// A corner of a triangle is not the index of a position.
    pub fn new(
        positions: &[Vec3],
        triangles: &[[u32; 3]],
        count: usize,
        cancel: &AtomicBool,
    ) -> Option<Self> {
        let corners = |t: &[u32; 3]| t.map(|v| positions[v as usize]);
        let valid = || triangles.iter().map(corners).filter(|t| t.iter().all(|p| p.is_finite()));
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for point in valid().flatten() {
            (low, high) = (low.min(point), high.max(point));
        }
        let longest = (high - low).max_element();
        if !longest.is_finite() {
            return None;
        }
        let longest = longest.max(f32::MIN_POSITIVE * 1e6);
        let mut count = count.clamp(FEWEST_CELLS, MOST_CELLS);
        let samples = |count: usize| -> f64 {
            let size = f64::from(longest) / count as f64;
            valid().map(|t| f64::from(subdivisions(t, size) + 2).powi(2) / 2.0).sum()
        };
        while count > FEWEST_CELLS && samples(count) > MOST_SAMPLES {
            count = (count / 2).max(FEWEST_CELLS);
        }
        let size = longest / count as f32;
        let side = |length: f32| ((length / size).floor() as usize).min(count) + 3;
        let sides = (high - low).to_array().map(side);
        let cells = vec![Cell::Inside; sides.iter().product()];
        let low = low - size;
        let mut grid = Self { sides, low, size, cells, numbers: Vec::new(), solid: Vec::new() };
        for (k, triangle) in valid().enumerate() {
            if k % 1024 == 0 && cancel.load(Ordering::Relaxed) {
                return None;
            }
            grid.mark(triangle);
        }
        grid.flood();
        grid.list_solid();
        Some(grid)
    }

    /// Edge length of a cell, in the unit of the positions.
    pub const fn cell_size(&self) -> f32 {
        self.size
    }

    /// Number of solid cells.
    pub const fn solid_count(&self) -> usize {
        self.solid.len()
    }

    /// Marks the cells that a triangle passes through.
    fn mark(&mut self, [a, b, c]: [Vec3; 3]) {
        let steps = subdivisions([a, b, c], f64::from(self.size));
        let part = (steps as f32).recip();
        for i in 0..=steps {
            for j in 0..=steps - i {
                let at = a + (b - a) * (i as f32 * part) + (c - a) * (j as f32 * part);
                if let Some(cell) = self.cell_at(at) {
                    self.cells[cell] = Cell::Surface;
                }
            }
        }
    }

    /// Flood fill: marks all cells that are reachable from the corner through faces of cells as
    /// outside.
    fn flood(&mut self) {
        let mut stack = vec![0];
        self.cells[0] = Cell::Outside;
        let [width, height, depth] = self.sides;
        while let Some(cell) = stack.pop() {
            let [x, y, z] = self.coordinates(cell);
            let neighbors = [
                (x > 0, cell.wrapping_sub(1)),
                (x + 1 < width, cell + 1),
                (y > 0, cell.wrapping_sub(width)),
                (y + 1 < height, cell + width),
                (z > 0, cell.wrapping_sub(width * height)),
                (z + 1 < depth, cell + width * height),
            ];
            for (_, next) in neighbors.into_iter().filter(|(is_there, _)| *is_there) {
                if self.cells[next] == Cell::Inside {
                    self.cells[next] = Cell::Outside;
                    stack.push(next);
                }
            }
        }
    }

    fn list_solid(&mut self) {
        self.solid.clear();
        self.numbers = vec![None; self.cells.len()];
        for (cell, kind) in self.cells.iter().enumerate() {
            if *kind != Cell::Outside {
                self.solid.push(cell as u32);
                self.numbers[cell] = NonZeroU32::new(self.solid.len() as u32);
            }
        }
    }

    /// Fills the space that an open surface encloses, such as a sleeve. An outside cell is filled
    /// if the surface covers it in at least four of the six axis directions. The orientation of
    /// triangles does not matter.
    pub fn fill_enclosed(&mut self) {
        let mut covered = vec![0u8; self.cells.len()];
        let [width, height, _] = self.sides;
        for (axis, stride) in [1, width, width * height].into_iter().enumerate() {
            let length = self.sides[axis];
            let firsts = (0..self.cells.len()).filter(|c| (c / stride).is_multiple_of(length));
            for first in firsts {
                let mut visit = |line: &mut dyn Iterator<Item = usize>| {
                    let mut is_covered = false;
                    for k in line {
                        let cell = first + k * stride;
                        covered[cell] += u8::from(is_covered);
                        is_covered |= self.cells[cell] == Cell::Surface;
                    }
                };
                visit(&mut (0..length));
                visit(&mut (0..length).rev());
            }
        }
        for (cell, sides) in self.cells.iter_mut().zip(covered) {
            if *cell == Cell::Outside && sides >= ENCLOSING_SIDES {
                *cell = Cell::Inside;
            }
        }
        self.list_solid();
    }

    fn coordinates(&self, cell: usize) -> [usize; 3] {
        let [width, height, _] = self.sides;
        [cell % width, cell / width % height, cell / (width * height)]
    }

    /// Index of the cell that contains a point; `None` outside the grid. Points in the outermost
    /// layer are assigned to the adjacent inner layer, because they are outside the surface's box
    /// by less than a cell.
    fn cell_at(&self, point: Vec3) -> Option<usize> {
        let at = ((point - self.low) / self.size).floor();
        // The comparisons also reject NaN.
        let is_inside = (0..3).all(|k| at[k] >= 0.0 && at[k] < self.sides[k] as f32);
        let [x, y, z] = [0, 1, 2].map(|k| (at[k] as usize).clamp(1, self.sides[k] - 2));
        is_inside.then(|| (z * self.sides[1] + y) * self.sides[0] + x)
    }

    /// Number of the solid cell that contains a point, and the distance from the point to the
    /// cell's center.
    pub fn solid_at(&self, point: Vec3) -> Option<(usize, f32)> {
        let cell = self.cell_at(point)?;
        let number = self.numbers[cell]?.get() as usize - 1;
        Some((number, self.center(cell).distance(point)))
    }

    fn center(&self, cell: usize) -> Vec3 {
        let at = Vec3::from(self.coordinates(cell).map(|c| c as f32 + 0.5));
        self.low + at * self.size
    }

    /// Solid cells along a segment, each with the minimum distance from its center to a sample of
    /// the segment. Samples are half a cell apart.
    pub fn solid_along(&self, head: Vec3, tail: Vec3) -> Vec<(usize, f32)> {
        let high = self.low + Vec3::from(self.sides.map(|s| s as f32)) * self.size;
        let way = tail - head;
        // Clip the segment to the box of the grid.
        let (mut from, mut to) = (0.0f32, 1.0f32);
        for axis in 0..3 {
            let (a, b) = (self.low[axis] - head[axis], high[axis] - head[axis]);
            if way[axis] != 0.0 {
                let (enter, leave) = (a / way[axis], b / way[axis]);
                (from, to) = (from.max(enter.min(leave)), to.min(enter.max(leave)));
            } else if a > 0.0 || b < 0.0 {
                return Vec::new();
            }
        }
        if from.is_nan() || to.is_nan() || from > to {
            return Vec::new();
        }
        let steps = ((to - from) * way.length() / (self.size * 0.5)).ceil().clamp(1.0, 1e5);
        let sample = |k: usize| head + way * (from + (to - from) * (k as f32 / steps));
        let mut found: Vec<(usize, f32)> =
            (0..=steps as usize).filter_map(|k| self.solid_at(sample(k))).collect();
        found.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        found.dedup_by_key(|(cell, _)| *cell);
        found
    }

    /// Lengths of the shortest paths through solid cells from `starts`, each of which has an
    /// initial distance. The length is infinite for cells without a path. Paths step to the 26
    /// neighbors of a cell, so they are up to 8 % longer than straight lines.
    pub fn distances(&self, starts: &[(usize, f32)]) -> Vec<f32> {
        let units = STEP / self.size;
        let mut lengths = vec![u32::MAX; self.solid.len()];
        let mut buckets: Vec<Vec<u32>> = vec![Vec::new(); BUCKETS];
        let mut waiting = 0usize;
        for (cell, start) in starts {
            let start = (start * units).round().clamp(0.0, (BUCKETS - 1) as f32) as u32;
            if start < lengths[*cell] {
                lengths[*cell] = start;
                buckets[start as usize].push(*cell as u32);
                waiting += 1;
            }
        }
        let steps = self.steps();
        let mut length = 0u32;
        while waiting > 0 {
            let mut bucket = std::mem::take(&mut buckets[length as usize % BUCKETS]);
            waiting -= bucket.len();
            for cell in bucket.drain(..) {
                if lengths[cell as usize] != length {
                    continue;
                }
                let at = self.solid[cell as usize] as usize;
                for (offset, step) in &steps {
                    // Solid cells are never in the outermost layer, so all neighbors exist.
                    let Some(next) = self.numbers[at.wrapping_add_signed(*offset)] else {
                        continue;
                    };
                    let (next, reached) = (next.get() - 1, length + step);
                    if reached < lengths[next as usize] {
                        lengths[next as usize] = reached;
                        buckets[reached as usize % BUCKETS].push(next);
                        waiting += 1;
                    }
                }
            }
            buckets[length as usize % BUCKETS] = bucket;
            length += 1;
        }
        let real = |length: u32| match length {
            u32::MAX => f32::INFINITY,
            length => length as f32 / units,
        };
        lengths.into_iter().map(real).collect()
    }

    /// Steps to the neighbors of a cell: the offset of the cell index, and the length of the step.
    fn steps(&self) -> Vec<(isize, u32)> {
        let [width, height, _] = self.sides.map(|s| s as isize);
        let mut steps = Vec::with_capacity(26);
        for z in -1isize..=1 {
            for y in -1isize..=1 {
                for x in -1isize..=1 {
                    let axes = [x, y, z].iter().filter(|c| **c != 0).count();
                    if axes > 0 {
                        steps.push(((z * height + y) * width + x, STEPS[axes - 1]));
                    }
                }
            }
        }
        steps
    }
}

/// Number of parts to divide a triangle's edges into, so that samples are at most [`SPACING`] cells
/// apart.
fn subdivisions([a, b, c]: [Vec3; 3], size: f64) -> u32 {
    let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
    (f64::from(longest) / (SPACING * size)).ceil().clamp(1.0, 1e4) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box from −1 to 1 on all axes, without the top if `is_open`.
    fn closed_box(is_open: bool) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let corner =
            |k: usize| Vec3::from([k & 1, k >> 1 & 1, k >> 2].map(|b| b as f32 * 2.0 - 1.0));
        let positions = (0..8).map(corner).collect();
        let quads =
            [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [0, 2, 6, 4], [1, 5, 7, 3], [2, 3, 7, 6]];
        let count = if is_open { 5 } else { 6 };
        let triangles =
            quads[..count].iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
        (positions, triangles)
    }

    fn voxels(is_open: bool, count: usize) -> SurfaceVoxels {
        let (positions, triangles) = closed_box(is_open);
        SurfaceVoxels::new(&positions, &triangles, count, &AtomicBool::new(false)).unwrap()
    }

    #[test]
    fn a_closed_box_is_filled_and_an_open_one_only_on_request() {
        let closed = voxels(false, 20);
        assert!(closed.solid_at(Vec3::ZERO).is_some());
        assert!(closed.solid_at(Vec3::splat(1.2)).is_none());
        assert!(closed.solid_at(Vec3::NAN).is_none());
        let mut open = voxels(true, 20);
        assert!(open.solid_at(Vec3::ZERO).is_none());
        assert!(open.solid_at(Vec3::X).is_some());
        open.fill_enclosed();
        assert!(open.solid_at(Vec3::ZERO).is_some());
        assert!(open.solid_at(Vec3::Y * 1.2).is_none());
    }

    #[test]
    fn paths_inside_a_box_are_nearly_straight() {
        let voxels = voxels(false, 40);
        let starts = voxels.solid_along(Vec3::ZERO, Vec3::ZERO);
        let distances = voxels.distances(&starts);
        for goal in
            [Vec3::X * 0.9, Vec3::new(0.8, 0.8, 0.0), Vec3::splat(-0.7), Vec3::new(0.9, 0.4, 0.0)]
        {
            let (cell, rest) = voxels.solid_at(goal).unwrap();
            // Each end has an error of up to the distance from a corner of a cell to its center.
            let error = distances[cell] + rest - goal.length();
            let most = 0.09 * goal.length() + 2.0 * voxels.cell_size();
            assert!((-voxels.cell_size()..most).contains(&error), "{goal}: {error}");
        }
    }

    #[test]
    fn unconnected_cells_have_infinite_distance() {
        // Two boxes side by side that do not touch.
        let (mut positions, mut triangles) = closed_box(false);
        let (others, more) = closed_box(false);
        positions.extend(others.iter().map(|p| *p * 0.5 + Vec3::X * 3.0));
        triangles.extend(more.iter().map(|t| t.map(|v| v + 8)));
        let voxels =
            SurfaceVoxels::new(&positions, &triangles, 60, &AtomicBool::new(false)).unwrap();
        let distances = voxels.distances(&voxels.solid_along(Vec3::Y * -5.0, Vec3::Y * 5.0));
        let (island, _) = voxels.solid_at(Vec3::X * 3.0).unwrap();
        let (near, _) = voxels.solid_at(Vec3::new(0.5, 0.5, 0.0)).unwrap();
        assert!(distances[island].is_infinite());
        assert!((distances[near] - 0.5).abs() < 0.1, "{}", distances[near]);
        assert!(voxels.solid_along(Vec3::splat(50.0), Vec3::splat(60.0)).is_empty());
        assert!(voxels.solid_along(Vec3::splat(1e30), Vec3::splat(f32::NAN)).is_empty());
    }

    #[test]
    fn empty_input_and_canceled_work_give_no_grid() {
        let (positions, triangles) = closed_box(false);
        let off = AtomicBool::new(false);
        assert!(SurfaceVoxels::new(&positions, &[], 20, &off).is_none());
        assert!(SurfaceVoxels::new(&[Vec3::NAN; 3], &[[0, 1, 2]], 20, &off).is_none());
        assert!(SurfaceVoxels::new(&positions, &triangles, 20, &AtomicBool::new(true)).is_none());
        // All corners at one position.
        let point = SurfaceVoxels::new(&[Vec3::ONE; 3], &[[0, 1, 2]], 20, &off).unwrap();
        assert_eq!(point.solid_count(), 1);
    }
}
