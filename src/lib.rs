//! The window and the command line of Ulna, an editor for rigged models.
//!
//! Everything below them is a crate in `crates/`; `docs/architecture.md` says what each owns.

#[cfg(feature = "gui")]
pub mod app;
pub mod headless;
#[cfg(feature = "gui")]
pub mod ui;
