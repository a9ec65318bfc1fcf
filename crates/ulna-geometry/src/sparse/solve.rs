//! Solving for many right-hand sides at once.

use super::Factor;
use crate::vectors;

/// Right-hand sides that are solved together: two cache lines of double precision per row. Each
/// element of the factor is loaded once for all of them.
pub const LANES: usize = 16;

/// One value per right-hand side.
type Lanes = [f64; LANES];

impl Factor {
    /// Replaces right-hand sides by solutions. `values` has one entry per row of the matrix.
    ///
    /// Solutions are computed in double precision, like the factor. In nearly singular systems,
    /// single precision would lose the digits in which the solutions differ.
    ///
    /// # Panics
    /// There are fewer values than rows.
    pub fn solve(&self, values: &mut [Lanes]) {
        let mut ordered: Vec<Lanes> = self.order.iter().map(|r| values[*r as usize]).collect();
        let (x, scratch) = (ordered.as_mut_slice(), &mut Vec::new());
        vectors().dispatch(
            #[inline(always)]
            || {
                // The move makes the closure `FnOnce`. A closure that can be called twice is
                // wrapped in a shim, which is not compiled for the wide vectors.
                let (x, scratch) = (x, scratch);
                self.substitute(x, scratch);
            },
        );
        self.order.iter().zip(&ordered).for_each(|(row, x)| values[*row as usize] = *x);
    }

    #[inline(always)]
    fn substitute(&self, x: &mut [Lanes], scratch: &mut Vec<Lanes>) {
        // Forward substitution L·y = b. The values of each block are gathered into contiguous
        // memory.
        for block in &self.blocks {
            let own = block.own.len();
            scratch.clear();
            scratch.extend_from_slice(&x[block.own.clone()]);
            scratch.extend(block.boundary.iter().map(|p| x[*p as usize]));
            let mut columns = &block.columns[..];
            for k in 0..own {
                let (done, later) = scratch.split_at_mut(k + 1);
                let (column, rest) = columns.split_at(later.len());
                let value = done[k];
                for (later, element) in later.iter_mut().zip(column) {
                    (0..LANES).for_each(|lane| later[lane] -= element * value[lane]);
                }
                columns = rest;
            }
            x[block.own.clone()].copy_from_slice(&scratch[..own]);
            for (at, value) in block.boundary.iter().zip(&scratch[own..]) {
                x[*at as usize] = *value;
            }
        }
        // Backward substitution D·Lᵀ·x = y.
        for block in self.blocks.iter().rev() {
            let own = block.own.len();
            scratch.clear();
            scratch.extend_from_slice(&x[block.own.clone()]);
            scratch.extend(block.boundary.iter().map(|p| x[*p as usize]));
            let mut columns = &block.columns[..];
            for k in (0..own).rev() {
                let (done, later) = scratch.split_at_mut(k + 1);
                let (rest, column) = columns.split_at(columns.len() - later.len());
                let mut value = done[k].map(|v| v * block.inverse[k]);
                for (later, element) in later.iter().zip(column) {
                    (0..LANES).for_each(|lane| value[lane] -= element * later[lane]);
                }
                done[k] = value;
                columns = rest;
            }
            x[block.own.clone()].copy_from_slice(&scratch[..own]);
        }
    }
}
