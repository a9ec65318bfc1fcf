//! Tests that need a graphics device. A software renderer is enough.
#![cfg(feature = "render")]

mod common;

mod gpu {
    mod devices;
    mod pictures;
}
