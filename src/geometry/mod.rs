//! Pure geometry on arrays and rays. Knows of no document.

mod bvh;
mod closest;
mod manipulator;
mod ray;

pub(crate) use self::bvh::LeavesOf;
pub use self::{
    bvh::Bvh,
    closest::{ClosestSurface, Nearest},
    manipulator::{RingSight, RingTurn, snapped},
    ray::Ray,
};
