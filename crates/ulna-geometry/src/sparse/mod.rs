//! Sparse symmetric positive definite systems, solved by a direct `LDLᵀ` factorization.
//!
//! The elimination order is a nested dissection of the coordinates of the unknowns (George, *Nested
//! dissection of a regular finite element mesh*, 1973). Each region is split at its median. The
//! vertices of one half that touch the other half are eliminated after both halves. The regions
//! form the elimination tree. Each region is eliminated as one small dense matrix, to which its
//! child regions add their updates. This is the multifrontal method (Duff and Reid, *The
//! multifrontal solution of indefinite sparse symmetric linear equations*, 1983). Sibling regions
//! are independent and run in parallel.

mod dense;
mod dissection;
mod error;
mod factor;
mod matrix;
mod solve;
#[cfg(test)]
mod tests;

pub use self::{
    dissection::Dissection,
    error::SparseError,
    factor::Factor,
    matrix::{Element, SymmetricMatrix},
    solve::LANES,
};
