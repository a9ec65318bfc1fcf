//! What needs a graphics device, be it one that is a program.
#![cfg(feature = "render")]

// Test binaries share modules; to one outside of its folder a binary gets by a path alone.
#[path = "../common/mod.rs"]
mod common;

mod devices;
mod pictures;
