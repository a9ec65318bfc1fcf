//! Errors of building or factoring a sparse matrix.

use std::{error::Error, fmt};

/// Error of building or factoring a sparse system. Rows are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SparseError {
    /// An element is outside the matrix.
    OutOfRange {
        /// Row of the element.
        row: u32,
        /// Column of the element.
        column: u32,
    },
    /// An element is infinite or not a number.
    NotFinite {
        /// Row of the element.
        row: u32,
    },
    /// The matrix is not positive definite, or singular within rounding.
    NotPositiveDefinite {
        /// Row of the first pivot that is not positive.
        row: u32,
    },
    /// The matrix has more than 2³² rows or 2³¹ elements.
    TooLarge,
    /// The cancel flag was set.
    Canceled,
}

impl fmt::Display for SparseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfRange { row, column } => {
                write!(f, "the element in row {row}, column {column} is outside the matrix")
            }
            Self::NotFinite { row } => write!(f, "row {row} has an element that is not finite"),
            Self::NotPositiveDefinite { row } => {
                write!(f, "the matrix is not positive definite: row {row} has no positive pivot")
            }
            Self::TooLarge => write!(f, "the matrix has too many rows or elements"),
            Self::Canceled => write!(f, "the factorization was canceled"),
        }
    }
}

impl Error for SparseError {}
