//! Tests that need a graphics device; a software renderer is enough.
#![cfg(feature = "render")]

mod common;

mod gpu {
    mod devices;
    mod pictures;
}
