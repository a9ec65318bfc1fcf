//! What models are, how they move, and what is done to their weights: no file, no window, no device.
//!
//! A package of its own, so that the compiler keeps the wall, and makes this part beside the others. The folders are layers;
//! `docs/architecture.md` says what each holds and whom it may name.

pub mod geometry;
pub mod model;
pub mod motion;
pub mod weights;
