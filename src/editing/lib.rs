//! How models change, and how they are read and saved: edits, history, formats, open files. No window and no device.
//!
//! A package of its own, so that the compiler keeps the wall, and makes this part beside the others. The folders are layers;
//! `docs/architecture.md` says what each holds and whom it may name. Those below it are named as if they were here.

pub mod edit;
pub mod formats;
pub mod session;

use ulna_core::{geometry, model, motion, weights};
