//! What needs a graphics device, be it one that is a program.
#![cfg(feature = "render")]

#[path = "../common/mod.rs"]
mod common;

mod devices;
mod pictures;
