//! Hashed grid of cells for finding nearby points.

use glam::Vec3;
use rayon::prelude::*;

use super::csr::Csr;

/// Points grouped by the grid cell that contains them. Points that are not finite are left out.
///
/// The cells are hashed into as many rows as there are points, so several cells may share one row.
/// Cells of one block have neighboring rows, so nearby points are close in memory.
#[derive(Clone, Debug)]
pub struct PointGrid {
    /// Length of a cell's edges.
    cell: f32,
    /// Offset of the cell borders from the origin, in cells.
    shift: f32,
    /// Maximum number of points per cell that a search visits.
    most: usize,
    mask: u64,
    rows: Csr,
}

/// Index of a cell along each axis.
type Cell = [i64; 3];

impl PointGrid {
    /// Creates a grid with cells of edge length `cell`, whose borders are offset by `shift` cells.
    /// A `shift` of 0 puts one border at the origin. A search visits at most `most` points per
    /// cell, so many coincident points do not slow it down.
    pub fn new(points: &[Vec3], cell: f32, shift: f32, most: usize) -> Self {
        let size = points.len().next_power_of_two();
        let mut grid = Self { cell, shift, most, mask: size as u64 - 1, rows: Csr::default() };
        let row = |p: &Vec3| if p.is_finite() { grid.row_of(grid.cell_of(*p)) } else { size };
        let row_of: Vec<usize> = points.par_iter().with_min_len(4096).map(row).collect();
        grid.rows = Csr::grouped(row_of.iter().copied(), size + 1);
        grid
    }

    /// The cell of a point. Coordinates saturate, so points far away share the outermost cells.
    #[inline]
    fn cell_of(&self, p: Vec3) -> Cell {
        (p / self.cell + self.shift).floor().to_array().map(|c| c as i64)
    }

    #[inline]
    fn row_of(&self, cell: Cell) -> usize {
        /// Base-2 logarithm of the number of cells along a side of a block.
        const SIDE: u32 = 2;
        let mix = |h: u64, c: &i64| {
            (h.rotate_left(21) ^ (*c >> SIDE) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        };
        let mixed = cell.iter().fold(0, mix);
        let within = cell.iter().fold(0, |n, c| n << SIDE | (*c as u64 & ((1 << SIDE) - 1)));
        (((mixed ^ (mixed >> 29)) << (3 * SIDE) | within) & self.mask) as usize
    }

    /// Visits the indices of all points within `radius` of `at`, each once. Some points outside the
    /// radius are visited, too. `points` must be the points that the grid was created with.
    ///
    /// The order is by cell with x fastest, then by ascending index.
    #[inline]
    pub fn visit_near(&self, points: &[Vec3], at: Vec3, radius: f32, mut visit: impl FnMut(usize)) {
        if !at.is_finite() {
            return;
        }
        let (low, high) = (self.cell_of(at - radius), self.cell_of(at + radius));
        let is_one = low == high;
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                for x in low[0]..=high[0] {
                    let cell = [x, y, z];
                    let row = self.rows.row(self.row_of(cell));
                    // Points of other cells in this row are outside the radius. They matter only if
                    // the number of visits is limited, or if their cell is visited as well.
                    if is_one && row.len() <= self.most {
                        row.iter().for_each(|k| visit(*k as usize));
                        continue;
                    }
                    row.iter()
                        .filter(|k| self.cell_of(points[**k as usize]) == cell)
                        .take(self.most)
                        .for_each(|k| visit(*k as usize));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_point_within_the_radius_is_visited_once(
            points in prop::collection::vec(prop::array::uniform3(-1.0f32..1.0), 0..80),
            at in prop::array::uniform3(-1.0f32..1.0),
            cell in 0.05f32..0.5,
            shift in prop::sample::select(vec![0.0f32, 0.5]),
        ) {
            let mut points: Vec<Vec3> = points.into_iter().map(Vec3::from).collect();
            points.push(Vec3::NAN);
            let (at, radius) = (Vec3::from(at), cell * 0.5);
            let grid = PointGrid::new(&points, cell, shift, usize::MAX);
            let mut visited = Vec::new();
            grid.visit_near(&points, at, radius, |k| visited.push(k));
            visited.sort_unstable();
            prop_assert!(visited.windows(2).all(|pair| pair[0] != pair[1]), "{visited:?}");
            for (k, p) in points.iter().enumerate() {
                // The borders of cells are exact within rounding.
                let is_near = p.distance(at) < radius * 0.9999;
                prop_assert!(!is_near || visited.binary_search(&k).is_ok(), "{k} at {p}");
            }
            prop_assert!(visited.iter().all(|k| points[*k].is_finite()));
        }
    }

    #[test]
    fn crowded_cells_are_visited_up_to_a_limit() {
        let mut points = vec![Vec3::splat(0.25); 100];
        points.push(Vec3::splat(1.25));
        let grid = PointGrid::new(&points, 1.0, 0.0, 8);
        let mut visited = Vec::new();
        grid.visit_near(&points, Vec3::splat(0.9), 0.4, |k| visited.push(k));
        assert_eq!(visited, [0, 1, 2, 3, 4, 5, 6, 7, 100]);
    }
}
