//! Rays in scene space.

use glam::Vec3;

/// A ray in scene space.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    /// Start of the ray, meters.
    pub origin: Vec3,
    /// Unit direction of the ray.
    pub direction: Vec3,
}
