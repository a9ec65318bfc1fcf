//! Ulna, an editor for rigged models: opens glTF, poses it, edits its keys, and saves it back with nothing else changed.
//!
//! The folders are layers; `docs/architecture.md` says what each holds and whom it may name. Those that need neither window nor
//! device are a package of their own, `src/core/`, and are named here as if they were not.

pub use ulna_core::{geometry, model, motion, weights};
pub use ulna_editing::{edit, formats, session};

#[cfg(feature = "gui")]
pub mod app;
pub mod headless;
#[cfg(feature = "render")]
pub mod render;
#[cfg(feature = "gui")]
pub mod ui;
