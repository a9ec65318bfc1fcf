//! Numeric factorization, one region at a time.

use std::{
    ops::Range,
    sync::atomic::{AtomicBool, Ordering},
};

use rayon::prelude::*;

use super::{Dissection, SparseError, SymmetricMatrix, dense::DenseSymmetric, dissection::Region};

/// Minimum pivot, relative to the matrix's diagonal. Rounding errors of about 1e-16 per operation
/// remain in a pivot that should be 0.
const LEAST_PIVOT: f64 = 1e-13;

/// The factorization `P·A·Pᵀ = L·D·Lᵀ` of a symmetric positive definite matrix.
#[derive(Clone, Debug)]
pub struct Factor {
    /// Matrix row at each position of the elimination order.
    pub(super) order: Vec<u32>,
    /// Blocks of all regions, children before parents.
    pub(super) blocks: Vec<FactorBlock>,
}

/// The columns of `L` of one region.
#[derive(Clone, Debug)]
pub(super) struct FactorBlock {
    /// Positions of the columns in the elimination order.
    pub own: Range<usize>,
    /// Later positions in which these columns have elements.
    pub boundary: Vec<u32>,
    /// The elements below the diagonal, column by column.
    pub columns: Vec<f64>,
    /// Reciprocals of the elements of `D`.
    pub inverse: Vec<f64>,
}

/// Result of eliminating a region: the factor blocks of the region and its descendants, and the
/// update for its ancestors.
struct Eliminated<'a> {
    blocks: Vec<FactorBlock>,
    boundary: &'a [u32],
    update: DenseSymmetric,
}

impl Factor {
    /// Factors a matrix in the order of its dissection.
    ///
    /// # Errors
    /// The matrix is not positive definite, has elements that are not finite, or has another size
    /// than the dissected one; or `cancel` was set.
    pub fn new(
        matrix: &SymmetricMatrix,
        dissection: &Dissection,
        cancel: &AtomicBool,
    ) -> Result<Self, SparseError> {
        if dissection.order.len() != matrix.size() {
            let row = dissection.order.len().min(matrix.size()) as u32;
            return Err(SparseError::OutOfRange { row, column: row });
        }
        if let Some(row) = matrix.diagonal().iter().position(|d| !d.is_finite()) {
            return Err(SparseError::NotFinite { row: row as u32 });
        }
        let elimination = Elimination { matrix, dissection, cancel };
        let trees: Vec<Vec<FactorBlock>> = dissection
            .roots
            .par_iter()
            .map(|root| elimination.eliminate(root).map(|done| done.blocks))
            .collect::<Result<_, _>>()?;
        let blocks = trees.into_iter().flatten().collect();
        Ok(Self { order: dissection.order.clone(), blocks })
    }

    /// Number of rows of the matrix.
    pub const fn size(&self) -> usize {
        self.order.len()
    }
}

/// Input of a factorization, shared by all regions.
struct Elimination<'a> {
    matrix: &'a SymmetricMatrix,
    dissection: &'a Dissection,
    cancel: &'a AtomicBool,
}

impl<'a> Elimination<'a> {
    /// Eliminates a region after its child regions.
    fn eliminate(&self, region: &'a Region) -> Result<Eliminated<'a>, SparseError> {
        let below: Vec<Eliminated<'a>> = if region.is_large() {
            region.children.par_iter().map(|c| self.eliminate(c)).collect::<Result<_, _>>()?
        } else {
            region.children.iter().map(|c| self.eliminate(c)).collect::<Result<_, _>>()?
        };
        if self.cancel.load(Ordering::Relaxed) {
            return Err(SparseError::Canceled);
        }
        let (mut dense, least) = self.assemble(region)?;
        let mut blocks = Vec::new();
        for child in below {
            let at: Vec<usize> = child.boundary.iter().map(|p| region.index_of(*p)).collect();
            for (k, to) in at.iter().enumerate() {
                let row = dense.row_mut(*to);
                at[k..].iter().zip(&child.update.row(k)[k..]).for_each(|(to, v)| row[*to] += v);
            }
            blocks.extend(child.blocks);
        }
        let inverse = dense.eliminate(&least).map_err(|k| {
            let row = self.dissection.order[region.own.start + k];
            SparseError::NotPositiveDefinite { row }
        })?;
        let own = region.own.len();
        let mut columns = Vec::with_capacity((0..own).map(|k| dense.size - 1 - k).sum::<usize>());
        for (k, inverse) in inverse.iter().enumerate() {
            columns.extend(dense.row(k)[k + 1..].iter().map(|v| v * inverse));
        }
        let mut update = DenseSymmetric::new(region.boundary.len());
        for k in 0..update.size {
            update.row_mut(k)[k..].copy_from_slice(&dense.row(own + k)[own + k..]);
        }
        let boundary = region.boundary.clone();
        blocks.push(FactorBlock { own: region.own.clone(), boundary, columns, inverse });
        Ok(Eliminated { blocks, boundary: &region.boundary, update })
    }

    /// Dense matrix of a region before the updates of its children, and the minimum of each pivot.
    fn assemble(&self, region: &Region) -> Result<(DenseSymmetric, Vec<f64>), SparseError> {
        let mut dense = DenseSymmetric::new(region.own.len() + region.boundary.len());
        let mut least = Vec::with_capacity(region.own.len());
        for (k, at) in region.own.clone().enumerate() {
            let row = self.dissection.order[at] as usize;
            let diagonal = self.matrix.diagonal()[row];
            least.push(diagonal.abs() * LEAST_PIVOT);
            let values = dense.row_mut(k);
            values[k] = diagonal;
            for element in self.matrix.row(row) {
                let column = self.dissection.position[element.column as usize];
                if column as usize > at {
                    let to = region.index_of(column);
                    let value = values.get_mut(to).ok_or(SparseError::OutOfRange {
                        row: row as u32,
                        column: element.column,
                    })?;
                    *value = element.value;
                }
            }
        }
        Ok((dense, least))
    }
}

impl Region {
    /// Index of a position among the rows of the region's dense matrix. If the position is not in
    /// the region, the index is past the last row.
    fn index_of(&self, position: u32) -> usize {
        let at = position as usize;
        if self.own.contains(&at) {
            return at - self.own.start;
        }
        let found = self.boundary.binary_search(&position);
        self.own.len() + found.unwrap_or(self.boundary.len())
    }
}
