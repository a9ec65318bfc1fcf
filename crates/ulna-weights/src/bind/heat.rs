//! Weights by heat equilibrium: `(L + A·H)·w = A·H·p` for each joint.
//!
//! `L` is the cotangent Laplacian. `A` is the area of each point, and `H` the heat that its visible
//! bones give per area. `p` is the fraction of this heat that comes from the joint: 1 divided by
//! the number of joints with visible bones, or 0. The solution `w` is the weight of the joint on
//! each point.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::{
    BindError, BindSettings,
    joint_weight::{JointWeight, PointWeights, TRACE},
    sight::PointSight,
    surface::BindSurface,
};
use crate::ids::{to_index, to_number, to_single};
use ulna_geometry::{
    cotangent_laplacian,
    sparse::{Dissection, Factor, LANES, SparseError},
};
use ulna_model::JointSlot;

/// Minimum distance to a bone, relative to the size of the surface.
const LEAST_DISTANCE: f64 = 1e-4;
/// Minimum heat at the warmest point of a piece, relative to the diagonal of the Laplacian. Fainter
/// heat is scaled up, because rounding errors would dominate. Scaling all heat of a piece does not
/// change its weights.
const LEAST_HEAT: f64 = 1e-6;

/// Solves for the weights of all points of the wanted pieces. Each of these pieces must have a
/// point that sees a bone.
///
/// Returns `None` if the system is too large, or numerically singular.
pub(super) fn heat(
    surface: &BindSurface,
    sights: &[PointSight],
    wanted: &[bool],
    settings: &BindSettings,
    (progress, cancel): (&(dyn Fn(f32) + Sync), &AtomicBool),
) -> Result<Option<Vec<PointWeights>>, BindError> {
    let is_wanted = |piece: Option<u32>| piece.is_some_and(|k| wanted[to_index(k)]);
    let rows: Vec<usize> =
        (0..surface.points.len()).filter(|k| is_wanted(surface.piece_of[*k])).collect();
    let mut row_of = vec![0; surface.points.len()];
    (0..).zip(&rows).for_each(|(row, point)| row_of[*point] = row);
    let triangles =
        surface.triangles.iter().filter(|t| is_wanted(surface.piece_of[to_index(t[0])]));
    let triangles: Vec<[u32; 3]> = triangles.map(|t| t.map(|p| row_of[to_index(p)])).collect();
    let points: Vec<_> = rows.iter().map(|k| surface.points[*k]).collect();
    let Ok(laplacian) = cotangent_laplacian(&points, &triangles) else { return Ok(None) };
    let mut matrix = laplacian.stiffness;
    let heat =
        heat_of_rows(surface, sights, settings, &rows, (matrix.diagonal(), &laplacian.areas));
    matrix.diagonal_mut().iter_mut().zip(&heat).for_each(|(d, h)| *d += h);
    progress(0.1);
    let dissection = Dissection::new(&matrix, &points);
    if dissection.factor_bytes() > settings.memory {
        return Ok(None);
    }
    progress(0.2);
    let factor = match Factor::new(&matrix, &dissection, cancel) {
        Ok(factor) => factor,
        Err(SparseError::Canceled) => return Err(BindError::Canceled),
        Err(_) => return Ok(None),
    };
    drop((matrix, dissection));
    progress(0.6);
    let lists = solve(&factor, &rows, sights, &heat, cancel)?;
    progress(1.0);
    let mut weights: Vec<PointWeights> = rows.iter().map(|point| (*point, Vec::new())).collect();
    for (row, weight) in lists.into_iter().flatten() {
        weights[to_index(row)].1.push(weight);
    }
    Ok(Some(weights))
}

/// Computes `A·H`, the heat that each point receives, per matrix row.
fn heat_of_rows(
    surface: &BindSurface,
    sights: &[PointSight],
    settings: &BindSettings,
    rows: &[usize],
    (diagonal, areas): (&[f64], &[f64]),
) -> Vec<f64> {
    let sharpness = f64::from(settings.sharpness);
    let mut heat: Vec<f64> = (rows.iter().map(|point| &sights[*point]).zip(areas))
        .map(|(sight, area)| {
            let distance = f64::from(sight.distance).max(LEAST_DISTANCE);
            if sight.is_hidden() { 0.0 } else { area * sharpness / (distance * distance) }
        })
        .collect();
    let piece = |row: usize| surface.piece_of[rows[row]].map_or(0, to_index);
    let mut warmest = vec![0.0f64; surface.piece_points.len()];
    for (row, heat) in heat.iter().enumerate() {
        let warmest = &mut warmest[piece(row)];
        *warmest = warmest.max(heat / diagonal[row]);
    }
    for (row, heat) in heat.iter_mut().enumerate() {
        let warmest = warmest[piece(row)];
        if warmest < LEAST_HEAT && warmest > 0.0 {
            *heat *= LEAST_HEAT / warmest;
        }
    }
    heat
}

/// Solves the system for all joints, several joints at once. Negligible weights are left out.
fn solve(
    factor: &Factor,
    rows: &[usize],
    sights: &[PointSight],
    heat: &[f64],
    cancel: &AtomicBool,
) -> Result<Vec<Vec<(u32, JointWeight)>>, BindError> {
    let mut joints: Vec<JointSlot> =
        rows.iter().flat_map(|point| sights[*point].joints()).copied().collect();
    joints.sort_unstable();
    joints.dedup();
    let groups: Vec<&[JointSlot]> = joints.chunks(LANES).collect();
    let solve_group = |group: &&[JointSlot]| {
        if cancel.load(Ordering::Relaxed) {
            return Err(BindError::Canceled);
        }
        let mut values = vec![[0.0; LANES]; rows.len()];
        for ((value, heat), point) in values.iter_mut().zip(heat).zip(rows) {
            let visible = sights[*point].joints();
            for joint in visible {
                if let Ok(lane) = group.binary_search(joint) {
                    value[lane] = heat / crate::ids::to_f64(visible.len());
                }
            }
        }
        factor.solve(&mut values);
        let mut found = Vec::new();
        for (row, value) in values.iter().enumerate() {
            for (joint, weight) in group.iter().zip(value) {
                let weight = to_single(*weight);
                if weight > TRACE {
                    found.push((to_number(row), (*joint, weight)));
                }
            }
        }
        Ok(found)
    };
    groups.par_iter().map(solve_group).collect()
}
