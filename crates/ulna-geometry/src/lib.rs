//! Geometry algorithms on plain arrays and rays, independent of documents, files and windows.

mod bvh;
mod closest;
mod csr;
mod hull;
mod laplacian;
mod manipulator;
mod middle;
mod point_grid;
mod point_id;
mod polar;
mod ray;
pub mod sparse;
mod vectors;
mod voxels;
mod weld;

pub use self::bvh::LeavesOf;
#[cfg(target_arch = "x86_64")]
pub use self::vectors::eight_lanes;
pub use self::vectors::vectors;
pub use self::{
    bvh::Bvh,
    closest::{ClosestSurface, Nearest},
    csr::{Csr, CsrCounter, CsrFiller},
    hull::{convex_hull, depth_in},
    laplacian::{SurfaceLaplacian, cotangent_laplacian},
    manipulator::{FinePointer, RingSight, RingTurn, along_axis, ball_turn, on_plane, snapped},
    middle::{middle_along_ray, middle_of_limb, middle_of_loop},
    point_grid::PointGrid,
    point_id::PointId,
    polar::orthogonal_factor,
    ray::Ray,
    vectors::{VECTORS_VARIABLE, vectors_in_use},
    voxels::SurfaceVoxels,
    weld::weld,
};
