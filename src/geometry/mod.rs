//! Pure geometry on arrays and rays. Knows of no document.

mod bvh;
mod closest;
mod manipulator;
mod polar;
mod ray;

pub(crate) use self::bvh::LeavesOf;
pub use self::{
    bvh::Bvh,
    closest::{ClosestSurface, Nearest},
    manipulator::{FinePointer, RingSight, RingTurn, along_axis, ball_turn, on_plane, snapped},
    polar::orthogonal_factor,
    ray::Ray,
};
