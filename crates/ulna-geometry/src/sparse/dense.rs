//! Elimination of the first rows of a small dense symmetric matrix.

use rayon::prelude::*;

use crate::vectors;

/// Pivots per block. Updates of a block are subtracted together, so each remaining number is loaded
/// once for all of them.
const BLOCK: usize = 8;
/// Minimum number of remaining elements for parallel tasks. Each task has `TASK_ROWS` rows.
const TASK: usize = 1 << 16;
const TASK_ROWS: usize = 16;

/// A symmetric matrix of which the upper triangle is stored, row by row. The lower triangle is not
/// used.
#[derive(Clone, Debug)]
pub(super) struct DenseSymmetric {
    pub size: usize,
    pub values: Vec<f64>,
}

impl DenseSymmetric {
    pub fn new(size: usize) -> Self {
        Self { size, values: vec![0.0; size * size] }
    }

    pub fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.values[row * self.size..][..self.size]
    }

    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.size..][..self.size]
    }

    /// Eliminates the first `least.len()` rows. They become rows of `D·Lᵀ`, and the others become
    /// the Schur complement. Returns the reciprocals of `D`.
    ///
    /// # Errors
    /// Index of the first row whose pivot is not above its value in `least`.
    pub fn eliminate(&mut self, least: &[f64]) -> Result<Vec<f64>, usize> {
        let mut inverse = vec![0.0; least.len()];
        let size = self.size;
        for first in (0..least.len()).step_by(BLOCK) {
            let last = least.len().min(first + BLOCK);
            let (panel, rest) = self.values[first * size..].split_at_mut((last - first) * size);
            let (inverse, least) = (&mut inverse[first..last], &least[first..last]);
            eliminate_panel(panel, size, first, inverse, least).map_err(|k| first + k)?;
            let panel = Panel { rows: panel, size, inverse };
            if rest.len() > TASK {
                rest.par_chunks_mut(size * TASK_ROWS)
                    .enumerate()
                    .for_each(|(task, rows)| panel.subtract(rows, last + task * TASK_ROWS));
            } else {
                panel.subtract(rest, last);
            }
        }
        Ok(inverse)
    }
}

/// Eliminates the rows of one panel among themselves. `first` is the column of the first pivot.
fn eliminate_panel(
    rows: &mut [f64],
    size: usize,
    first: usize,
    inverse: &mut [f64],
    least: &[f64],
) -> Result<(), usize> {
    for (k, least) in least.iter().enumerate() {
        let (above, row) = rows.split_at_mut(k * size);
        let row = &mut row[first + k..size];
        for (pivot_row, inverse) in above.chunks_exact(size).zip(&*inverse) {
            let pivot_row = &pivot_row[first + k..];
            let factor = pivot_row[0] * inverse;
            row.iter_mut().zip(pivot_row).for_each(|(a, b)| *a -= factor * b);
        }
        let pivot = row[0];
        if pivot.is_nan() || pivot <= *least || pivot.is_infinite() {
            return Err(k);
        }
        inverse[k] = pivot.recip();
    }
    Ok(())
}

/// Eliminated rows, at most [`BLOCK`].
struct Panel<'a> {
    rows: &'a [f64],
    size: usize,
    inverse: &'a [f64],
}

impl Panel<'_> {
    /// Subtracts the updates of the panel from later rows. `first` is the index of the first of
    /// them.
    fn subtract(&self, later: &mut [f64], first: usize) {
        vectors().dispatch(
            #[inline(always)]
            || {
                // The move makes the closure `FnOnce`. A closure that can be called twice is
                // wrapped in a shim, which is not compiled for the wide vectors.
                let later = later;
                for (k, row) in later.chunks_exact_mut(self.size).enumerate() {
                    self.subtract_from(row, first + k);
                }
            },
        );
    }

    #[inline(always)]
    fn subtract_from(&self, row: &mut [f64], column: usize) {
        // Missing rows of the last panel have a factor of 0.
        let mut factors = [0.0; BLOCK];
        let mut rows = [&self.rows[column..self.size]; BLOCK];
        for (k, (pivot_row, inverse)) in
            self.rows.chunks_exact(self.size).zip(self.inverse).enumerate()
        {
            rows[k] = &pivot_row[column..];
            factors[k] = rows[k][0] * inverse;
        }
        let row = &mut row[column..];
        let [a, b, c, d, e, f, g, h] = rows.map(|r| &r[..row.len()]);
        let [fa, fb, fc, fd, fe, ff, fg, fh] = factors;
        for (k, value) in row.iter_mut().enumerate() {
            let first = (fa * a[k] + fb * b[k]) + (fc * c[k] + fd * d[k]);
            let second = (fe * e[k] + ff * f[k]) + (fg * g[k] + fh * h[k]);
            *value -= first + second;
        }
    }
}
