//! What Ulna is without a window and without a device: documents, what they do, how they change, and how they are read and saved.
//!
//! A package of its own, so that the compiler keeps the wall, and makes this half beside the other. The folders are layers;
//! `docs/architecture.md` says what each holds and whom it may name.

pub mod edit;
pub mod formats;
pub mod geometry;
pub mod model;
pub mod motion;
pub mod session;
pub mod weights;
