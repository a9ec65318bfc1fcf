//! The posed surface, and the touch of a brush on it.

use glam::Vec3;
use rayon::prelude::*;

use crate::ids::to_number;

/// Touch of a brush on the posed surface.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Touched position in scene space.
    pub at: Vec3,
    /// Vertices of the touched triangle, as indices in the surface.
    pub corners: [u32; 3],
    /// Unit vector from the eye to the position.
    pub direction: Vec3,
    /// Position of the eye in scene space; `None` with an orthographic camera.
    pub eye: Option<Vec3>,
    /// Radius at the position, in meters.
    pub radius: f32,
}

/// A posed surface: positions and normals by vertex, in scene space.
///
/// The lists are copied from `ulna_motion::Surface`, and are not skinned again. They cannot be
/// views of it: a [`SkinnedSurface`](crate::SkinnedSurface) has each primitive once, although
/// several nodes can show it, and includes points and lines. Hidden vertices are NaN, so that loops
/// over all vertices need no mask.
#[derive(Clone, Copy, Debug)]
pub struct PosedSurface<'a> {
    /// Positions.
    pub positions: &'a [Vec3],
    /// Unit normals; empty if not requested.
    pub normals: &'a [Vec3],
}

impl PosedSurface<'_> {
    /// The vertices that satisfy a condition on index and position, in ascending order. Runs in
    /// parallel.
    pub fn vertices_where(&self, is: impl Fn(u32, Vec3) -> bool + Sync) -> Vec<u32> {
        let all = self.positions.par_iter().enumerate().with_min_len(1024);
        all.map(|(v, p)| (to_number(v), *p)).filter(|(v, p)| is(*v, *p)).map(|(v, _)| v).collect()
    }
}
