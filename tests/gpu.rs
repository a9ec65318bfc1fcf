//! What needs a graphics device, be it one that is a program.
#![cfg(feature = "render")]

mod common;

mod gpu {
    mod devices;
    mod pictures;
}
