//! Sparse symmetric matrices, stored by rows.

use super::SparseError;
use crate::{Csr, CsrCounter};

/// An off-diagonal element of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Element {
    /// Column of the element.
    pub column: u32,
    /// Value of the element.
    pub value: f64,
}

/// Sparse symmetric matrix. Each row stores its elements on both sides of the diagonal, by
/// ascending column.
#[derive(Clone, Debug, Default)]
pub struct SymmetricMatrix {
    diagonal: Vec<f64>,
    rows: Csr<Element>,
}

impl SymmetricMatrix {
    /// Creates a matrix of `size` rows from elements `(row, column, value)` of one triangle. An
    /// off-diagonal element also sets its mirror image. Elements of the same row and column are
    /// added.
    ///
    /// # Errors
    /// An element is outside the matrix or not finite, or the matrix is too large.
    pub fn new(size: usize, elements: &[(u32, u32, f64)]) -> Result<Self, SparseError> {
        if u32::try_from(size).is_err() || elements.len() > i32::MAX as usize {
            return Err(SparseError::TooLarge);
        }
        let mut counter = CsrCounter::new(size);
        for (row, column, value) in elements.iter().copied() {
            if row.max(column) as usize >= size {
                return Err(SparseError::OutOfRange { row, column });
            }
            if !value.is_finite() {
                return Err(SparseError::NotFinite { row });
            }
            if row != column {
                counter.add(row as usize, 1);
                counter.add(column as usize, 1);
            }
        }
        let mut diagonal = vec![0.0; size];
        let mut filler = counter.filler(Element { column: 0, value: 0.0 });
        for (row, column, value) in elements.iter().copied() {
            if row == column {
                diagonal[row as usize] += value;
            } else {
                filler.push(row as usize, [Element { column, value }]);
                filler.push(column as usize, [Element { column: row, value }]);
            }
        }
        let rows = filler.finish().shortened(|_, row| {
            // A stable sort adds the elements of both mirror images in the same order.
            row.sort_by_key(|e| e.column);
            let mut kept = 0;
            for k in 0..row.len() {
                if kept > 0 && row[kept - 1].column == row[k].column {
                    row[kept - 1].value += row[k].value;
                } else {
                    row[kept] = row[k];
                    kept += 1;
                }
            }
            kept
        });
        Ok(Self { diagonal, rows })
    }

    /// Number of rows.
    pub const fn size(&self) -> usize {
        self.diagonal.len()
    }

    /// Diagonal elements, one per row.
    pub fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// Mutable access to the diagonal elements.
    pub fn diagonal_mut(&mut self) -> &mut [f64] {
        &mut self.diagonal
    }

    /// Off-diagonal elements of a row.
    ///
    /// # Panics
    /// There is no such row.
    pub fn row(&self, row: usize) -> &[Element] {
        self.rows.row(row)
    }

    /// Maps the off-diagonal values. `value` must be a pure function, so that both mirror images
    /// have the same result.
    #[must_use]
    pub fn mapped(self, value: impl Fn(f64) -> f64) -> Self {
        let rows = self.rows.map(|e| Element { column: e.column, value: value(e.value) });
        Self { diagonal: self.diagonal, rows }
    }

    /// Product of the matrix with a vector of one value per row.
    ///
    /// # Panics
    /// The vector has fewer values than the matrix has rows.
    pub fn product(&self, vector: &[f64]) -> Vec<f64> {
        let one = |(row, diagonal): (usize, &f64)| {
            let others = self.row(row).iter().map(|e| e.value * vector[e.column as usize]);
            diagonal * vector[row] + others.sum::<f64>()
        };
        self.diagonal.iter().enumerate().map(one).collect()
    }
}
