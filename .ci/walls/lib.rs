//! Nothing: what counts is what this package depends on.
