//! The nearest bone that each point sees.

use std::sync::atomic::{AtomicBool, Ordering};

use glam::Vec3;
use rayon::prelude::*;

use super::{BindBone, BindError, surface::BindSurface};
use ulna_geometry::{Bvh, Ray};
use ulna_model::JointSlot;

/// The bones of which the nearest visible one is searched.
const CANDIDATES: usize = 8;
/// Bones that are this much farther are as near.
const TIE: f32 = 1e-4;
/// The end of a ray, as part of the size of the surface: triangles around the point do not hide it.
const RAY_END: f32 = 1e-4;
/// Points per task.
const CHUNK: usize = 1024;

/// The nearest visible bones of a point.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PointSight {
    /// Distance, in sizes of the surface.
    pub distance: f32,
    joints: [JointSlot; CANDIDATES],
    count: usize,
}

impl PointSight {
    /// The joints of the bones, each once; none if the point sees no bone.
    pub fn joints(&self) -> &[JointSlot] {
        &self.joints[..self.count]
    }

    pub const fn is_hidden(&self) -> bool {
        self.count == 0
    }

    fn add(&mut self, joint: JointSlot) {
        if !self.joints().contains(&joint) {
            self.joints[self.count] = joint;
            self.count += 1;
        }
    }
}

/// The nearest visible bones of each point. Bones and surface are in unit space.
pub(super) fn sights(
    surface: &BindSurface,
    bones: &[BindBone],
    cancel: &AtomicBool,
) -> Result<Vec<PointSight>, BindError> {
    let indices = surface.triangles.as_flattened();
    let bvh = Bvh::build(&surface.points, indices);
    let is_visible = |from: Vec3, point: Vec3| {
        let distance = from.distance(point);
        let limit = distance - RAY_END;
        if limit <= 0.0 {
            return true;
        }
        let ray = Ray { origin: from, direction: (point - from) / distance };
        !bvh.is_blocked(&surface.points, indices, &ray, limit)
    };
    let one = |nearest: &mut Vec<(f32, usize)>, k: usize| {
        let mut sight = PointSight::default();
        if surface.piece_of[k].is_none() {
            return sight;
        }
        let point = surface.points[k];
        nearest.clear();
        nearest.extend(bones.iter().enumerate().map(|(b, bone)| (bone.distance(point), b)));
        if nearest.len() > CANDIDATES {
            nearest
                .select_nth_unstable_by(CANDIDATES, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            nearest.truncate(CANDIDATES);
        }
        nearest.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (distance, b) in nearest.iter() {
            if !sight.is_hidden() && *distance > sight.distance * (1.0 + TIE) {
                break;
            }
            if is_visible(bones[*b].closest(point), point) {
                if sight.is_hidden() {
                    sight.distance = *distance;
                }
                sight.add(bones[*b].joint);
            }
        }
        sight
    };
    let chunks = surface.points.len().div_ceil(CHUNK);
    let lists: Vec<Vec<PointSight>> = (0..chunks)
        .into_par_iter()
        .map_init(Vec::new, |nearest, chunk| {
            if cancel.load(Ordering::Relaxed) {
                return Err(BindError::Canceled);
            }
            let end = surface.points.len().min((chunk + 1) * CHUNK);
            Ok((chunk * CHUNK..end).map(|k| one(nearest, k)).collect())
        })
        .collect::<Result<_, _>>()?;
    Ok(lists.concat())
}
