//! Weights by the shortest path from a bone to a point through the inside of the body.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::{
    BindBone, BindError, distance::by_distances, joint_weight::PointWeights, surface::BindSurface,
};
use crate::ids::to_index;
use ulna_geometry::SurfaceVoxels;
use ulna_model::JointSlot;

/// Computes the weights of all points in the wanted pieces. Points without a path get an empty
/// list. Bones and surface are in unit space.
pub(super) fn voxel(
    surface: &BindSurface,
    bones: &[BindBone],
    wanted: &[bool],
    grid: usize,
    (progress, cancel): (&(dyn Fn(f32) + Sync), &AtomicBool),
) -> Result<Vec<PointWeights>, BindError> {
    let is_canceled = || cancel.load(Ordering::Relaxed);
    let is_wanted = |point: &usize| surface.piece_of[*point].is_some_and(|k| wanted[to_index(k)]);
    let points: Vec<usize> = (0..surface.points.len()).filter(is_wanted).collect();
    let Some(mut voxels) = SurfaceVoxels::new(&surface.points, &surface.triangles, grid, cancel)
    else {
        return if is_canceled() { Err(BindError::Canceled) } else { Ok(Vec::new()) };
    };
    progress(0.2);
    let mut starts = starts_of_joints(&voxels, bones);
    if starts.iter().any(|(_, cells)| cells.is_empty()) {
        // A joint without a cell so far is in a body with holes, or outside all bodies.
        voxels.fill_enclosed();
        starts = starts_of_joints(&voxels, bones);
    }
    starts.retain(|(_, cells)| !cells.is_empty());
    let cells: Vec<Option<(usize, f32)>> =
        points.par_iter().map(|k| voxels.solid_at(surface.points[*k])).collect();
    let mut needed: Vec<usize> = cells.iter().flatten().map(|(cell, _)| *cell).collect();
    needed.sort_unstable();
    needed.dedup();
    let distances = starts
        .par_iter()
        .map(|(_, starts)| {
            if is_canceled() {
                return Err(BindError::Canceled);
            }
            let all = voxels.distances(starts);
            Ok(needed.iter().map(|cell| all[*cell]).collect())
        })
        .collect::<Result<Vec<Vec<f32>>, _>>()?;
    progress(0.8);
    let weights = |point: &usize, cell: &Option<(usize, f32)>| {
        let found = cell.and_then(|(cell, rest)| Some((needed.binary_search(&cell).ok()?, rest)));
        let list = found.map(|(at, rest)| {
            by_distances(
                starts.iter().zip(&distances).map(|((joint, _), d)| (*joint, d[at] + rest)),
            )
        });
        (*point, list.unwrap_or_default())
    };
    Ok(points.par_iter().zip(&cells).with_min_len(1024).map(|(p, c)| weights(p, c)).collect())
}

/// Finds the start cells of each joint: the cells that its bones pass through, with their
/// distances.
fn starts_of_joints(
    voxels: &SurfaceVoxels,
    bones: &[BindBone],
) -> Vec<(JointSlot, Vec<(usize, f32)>)> {
    let mut bones = bones.to_vec();
    bones.sort_by_key(|b| b.joint);
    let cells = |b: &BindBone| voxels.solid_along(b.head, b.tail);
    let joints = bones.chunk_by(|a, b| a.joint == b.joint);
    joints.map(|list| (list[0].joint, list.iter().flat_map(cells).collect())).collect()
}
