//! The posed surface, and where a brush touches it.

use glam::Vec3;
use rayon::prelude::*;

use crate::ids::to_number;

/// Touch of a brush on the posed surface.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// The spot, scene space.
    pub at: Vec3,
    /// The canvas's vertices of the triangle that was hit.
    pub corners: [u32; 3],
    /// From the eye to the spot; unit.
    pub direction: Vec3,
    /// Place of the eye, scene space; `None` without perspective.
    pub eye: Option<Vec3>,
    /// Radius at the spot, meters.
    pub radius: f32,
}

/// The posed surface of a canvas: positions and normals by its vertices, scene space.
///
/// The lists are copied from `ulna_motion::Surface`, and are not skinned again. They cannot be
/// views of it: a canvas has each primitive once, although several nodes may show it, and includes
/// points and lines. Hidden vertices are NaN, so that loops over all vertices need no mask.
#[derive(Clone, Copy, Debug)]
pub struct PosedSurface<'a> {
    /// Positions.
    pub positions: &'a [Vec3],
    /// Unit normals; empty where nobody asked for them.
    pub normals: &'a [Vec3],
}

impl PosedSurface<'_> {
    /// The vertices, in rising order, of which something is so, told by their place; asked on all
    /// cores.
    pub fn vertices_where(&self, is: impl Fn(u32, Vec3) -> bool + Sync) -> Vec<u32> {
        let all = self.positions.par_iter().enumerate().with_min_len(1024);
        all.map(|(v, p)| (to_number(v), *p)).filter(|(v, p)| is(*v, *p)).map(|(v, _)| v).collect()
    }
}
