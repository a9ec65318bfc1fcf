//! Ulna, an editor for rigged models: opens glTF, poses it, edits its keys, and saves it back with nothing else changed.
//!
//! The folders are layers; `docs/architecture.md` says what each holds and whom it may name.

#[cfg(feature = "gui")]
pub mod app;
pub mod edit;
pub mod formats;
pub mod geometry;
pub mod headless;
pub mod model;
pub mod motion;
#[cfg(feature = "render")]
pub mod render;
pub mod session;
#[cfg(feature = "gui")]
pub mod ui;
pub mod weights;
