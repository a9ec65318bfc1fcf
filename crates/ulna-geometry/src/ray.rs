//! Rays: what a pointer is in the scene.

use glam::Vec3;

/// A ray in scene space.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    /// Where it starts.
    pub origin: Vec3,
    /// Where it goes; unit.
    pub direction: Vec3,
}
