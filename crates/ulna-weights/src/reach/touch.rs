//! The posed surface, and the point where a brush touches it.

use glam::Vec3;
use rayon::prelude::*;

use crate::ids::to_number;

/// The point where a brush touches the posed surface.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Touched position in scene space.
    pub at: Vec3,
    /// Surface indices of the touched triangle's vertices.
    pub corners: [u32; 3],
    /// Unit vector from the eye to the touched position.
    pub direction: Vec3,
    /// Position of the eye in scene space; `None` for an orthographic camera.
    pub eye: Option<Vec3>,
    /// Brush radius at the touched position, in meters.
    pub radius: f32,
}

/// A posed surface: positions and normals by vertex, in scene space.
///
/// The lists are copied from `ulna_motion::Surface`, and not skinned again. They cannot be views of
/// it. A [`SkinnedSurface`](crate::SkinnedSurface) has each primitive only once, although several
/// nodes can show it. It also includes points and lines. Hidden vertices are NaN, so that loops
/// over all vertices need no mask.
#[derive(Clone, Copy, Debug)]
pub struct PosedSurface<'a> {
    /// Vertex positions in scene space; NaN for hidden vertices.
    pub positions: &'a [Vec3],
    /// Unit normals of the vertices; empty if not requested.
    pub normals: &'a [Vec3],
}

impl PosedSurface<'_> {
    /// Returns the vertices whose index and position satisfy `is`, in ascending order. The test
    /// runs in parallel.
    pub fn vertices_where(&self, is: impl Fn(u32, Vec3) -> bool + Sync) -> Vec<u32> {
        let all = self.positions.par_iter().enumerate().with_min_len(1024);
        all.map(|(v, p)| (to_number(v), *p)).filter(|(v, p)| is(*v, *p)).map(|(v, _)| v).collect()
    }
}
