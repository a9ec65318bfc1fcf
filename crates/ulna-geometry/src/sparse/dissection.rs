//! The elimination order: nested dissection of the coordinates of the unknowns.

use std::{
    ops::Range,
    sync::atomic::{AtomicU32, Ordering},
};

use glam::Vec3;
use rayon::prelude::*;

use super::SymmetricMatrix;

/// Maximum number of rows of a region that is not split. A smaller limit needs more regions; a
/// larger limit stores more elements that are 0.
const LEAF: usize = 32;
/// Minimum number of rows of a region that is split in parallel.
const TASK: usize = 2048;

/// An elimination order that keeps the factor of a matrix sparse, and the tree of its regions.
#[derive(Clone, Debug)]
pub struct Dissection {
    /// Matrix row at each position of the elimination order.
    pub(super) order: Vec<u32>,
    /// Position in the elimination order of each matrix row.
    pub(super) position: Vec<u32>,
    /// Root regions, one per connected component of the matrix, by ascending position.
    pub(super) roots: Vec<Region>,
}

/// Region of rows that are eliminated together, after the rows of its child regions.
#[derive(Clone, Debug)]
pub(super) struct Region {
    /// First position in the elimination order of this region's descendants and of its own rows.
    pub first: usize,
    /// Positions of the region's own rows, which follow those of its descendants.
    pub own: Range<usize>,
    /// Later positions that elements of the factor connect with this region's rows, in ascending
    /// order.
    pub boundary: Vec<u32>,
    /// Child regions, which are independent of each other.
    pub children: Vec<Self>,
}

impl Region {
    /// Whether the child regions are large enough for parallel tasks.
    pub const fn is_large(&self) -> bool {
        self.own.end - self.first > TASK
    }

    fn has_rows(&self) -> bool {
        self.first < self.own.end
    }

    /// Number of off-diagonal elements of the factor in this region and its descendants.
    fn elements(&self) -> usize {
        let own = self.own.len();
        let above = own * own.saturating_sub(1) / 2 + own * self.boundary.len();
        above + self.children.iter().map(Self::elements).sum::<usize>()
    }

    /// Largest number of elements of a dense matrix of this region or a descendant.
    fn largest(&self) -> usize {
        let size = self.own.len() + self.boundary.len();
        self.children.iter().map(Self::largest).fold(size * size, usize::max)
    }
}

impl Dissection {
    /// Computes an elimination order for a matrix with one point per row. Any points are valid: the
    /// closer connected rows are, the fewer elements the factor has.
    ///
    /// # Panics
    /// There are fewer points than rows.
    pub fn new(matrix: &SymmetricMatrix, points: &[Vec3]) -> Self {
        let (mut order, ends) = components(matrix);
        let cut = Cutter {
            matrix,
            points: &points[..matrix.size()],
            halves: (0..matrix.size()).map(|_| AtomicU32::new(0)).collect(),
        };
        let mut lists = Vec::with_capacity(ends.len());
        let (mut rest, mut first) = (order.as_mut_slice(), 0);
        for end in ends {
            let (list, more) = rest.split_at_mut(end - first);
            lists.push((list, first));
            (rest, first) = (more, end);
        }
        let roots = lists.into_par_iter().map(|(list, first)| cut.regions(list, first, 1));
        let mut roots: Vec<Region> = roots.collect();
        let mut position = vec![0; order.len()];
        (0..).zip(&order).for_each(|(at, row)| position[*row as usize] = at);
        roots.par_iter_mut().for_each(|root| bound(root, matrix, &order, &position));
        Self { order, position, roots }
    }

    /// Number of elements of the factor, including the diagonal. It is known before the
    /// factorization.
    pub fn factor_elements(&self) -> usize {
        self.order.len() + self.roots.iter().map(Region::elements).sum::<usize>()
    }

    /// Bytes of the factor, plus the largest dense matrix during the factorization.
    pub fn factor_bytes(&self) -> usize {
        let largest = self.roots.iter().map(Region::largest).max().unwrap_or(0);
        (self.factor_elements() + 2 * largest) * size_of::<f64>()
    }
}

/// Matrix rows sorted by connected component, and the end of each component.
fn components(matrix: &SymmetricMatrix) -> (Vec<u32>, Vec<usize>) {
    let mut order: Vec<u32> = Vec::with_capacity(matrix.size());
    let mut is_listed = vec![false; matrix.size()];
    let mut ends = Vec::new();
    for (row, seed) in (0..matrix.size()).zip(0u32..) {
        if std::mem::replace(&mut is_listed[row], true) {
            continue;
        }
        let mut next = order.len();
        order.push(seed);
        while let Some(row) = order.get(next).map(|r| *r as usize) {
            next += 1;
            for element in matrix.row(row) {
                if !std::mem::replace(&mut is_listed[element.column as usize], true) {
                    order.push(element.column);
                }
            }
        }
        ends.push(order.len());
    }
    (order, ends)
}

/// Recursive division of rows into regions.
struct Cutter<'a> {
    matrix: &'a SymmetricMatrix,
    points: &'a [Vec3],
    /// For each row, the number of the last right half of a region that contained the row. Halves
    /// are numbered as in [`Self::regions`].
    halves: Vec<AtomicU32>,
}

impl Cutter<'_> {
    /// Sorts connected rows into elimination order. `first` is the position of the first row.
    /// `number` encodes the path from the root: 1 for the root, and `2n` and `2n + 1` for the
    /// halves of `n`.
    fn regions(&self, rows: &mut [u32], first: usize, number: u32) -> Region {
        let end = first + rows.len();
        if rows.len() <= LEAF {
            return Region { first, own: first..end, boundary: Vec::new(), children: Vec::new() };
        }
        let middle = rows.len() / 2;
        let axis = self.longest_axis(rows);
        let coordinate = |row: &u32| self.points[*row as usize][axis];
        rows.select_nth_unstable_by(middle, |a, b| {
            coordinate(a).total_cmp(&coordinate(b)).then(a.cmp(b))
        });
        let right_half = number * 2 + 1;
        for row in &rows[middle..] {
            self.halves[*row as usize].store(right_half, Ordering::Relaxed);
        }
        // Regions that other threads split at the same time have different numbers.
        let is_right = |row: u32| self.halves[row as usize].load(Ordering::Relaxed) == right_half;
        let mut left = 0;
        for k in 0..middle {
            if !self.matrix.row(rows[k] as usize).iter().any(|e| is_right(e.column)) {
                rows.swap(left, k);
                left += 1;
            }
        }
        let separator = middle - left;
        rows[left..].rotate_left(separator);
        let own = end - separator..end;
        let is_large = rows.len() > TASK;
        let (left_rows, right_rows) = rows[..own.start - first].split_at_mut(left);
        let mut below = || self.regions(left_rows, first, right_half - 1);
        let mut beside = || self.regions(right_rows, first + left, right_half);
        let (a, b) = if is_large { rayon::join(below, beside) } else { (below(), beside()) };
        let children = [a, b].into_iter().filter(|r| r.has_rows()).collect();
        Region { first, own, boundary: Vec::new(), children }
    }

    /// Axis along which the points of the rows have the largest extent.
    fn longest_axis(&self, rows: &[u32]) -> usize {
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for row in rows {
            let point = self.points[*row as usize];
            (low, high) = (low.min(point), high.max(point));
        }
        (high - low).max_position()
    }
}

/// Computes the boundaries of a region and its descendants.
fn bound(region: &mut Region, matrix: &SymmetricMatrix, order: &[u32], position: &[u32]) {
    let bound_child = |child: &mut Region| bound(child, matrix, order, position);
    if region.is_large() {
        region.children.par_iter_mut().for_each(bound_child);
    } else {
        region.children.iter_mut().for_each(bound_child);
    }
    let end = region.own.end;
    let is_later = |at: &u32| *at as usize >= end;
    let rows = order[region.own.clone()].iter().flat_map(|row| matrix.row(*row as usize));
    let neighbors = rows.map(|e| position[e.column as usize]);
    let below = region.children.iter().flat_map(|c| c.boundary.iter().copied());
    let mut boundary: Vec<u32> = neighbors.chain(below).filter(is_later).collect();
    boundary.sort_unstable();
    boundary.dedup();
    region.boundary = boundary;
}
