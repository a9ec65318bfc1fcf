//! The window and the command line of Ulna, an editor for rigged models.
//!
//! The underlying libraries are crates in `crates/`. `docs/architecture.md` lists the contents of
//! each crate.

#[cfg(feature = "gui")]
pub mod app;
pub mod headless;
#[cfg(feature = "gui")]
pub mod ui;
