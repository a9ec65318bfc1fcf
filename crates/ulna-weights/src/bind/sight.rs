//! Nearest visible bone of each point. A bone along the surface normal counts as up to twice as
//! near. A limb is thus bound to the bone inside it, not to a bone beside it.

use std::sync::atomic::{AtomicBool, Ordering};

use glam::Vec3;
use rayon::prelude::*;

use super::{BindBone, BindError, facing::Facing, surface::BindSurface};
use ulna_geometry::{Bvh, Ray};
use ulna_model::JointSlot;

/// Number of nearest bones per point that are tested for visibility.
const CANDIDATES: usize = 8;
/// Maximum distance of a visible bone, relative to the nearest bone. A farther bone belongs to
/// another limb. Under clothes, the heat of neighboring points gives better weights.
const FARTHEST: f32 = 2.0;
/// Maximum relative difference of distances that count as equal.
const TIE: f32 = 1e-4;
/// Distance between a point and the end of a ray toward it, relative to the size of the surface.
/// The triangles around the point therefore cannot hide the point.
const RAY_END: f32 = 1e-4;
/// Points per parallel task.
const CHUNK: usize = 1024;

/// The nearest visible bones of one point.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PointSight {
    /// Distance to the nearest visible bone, relative to the size of the surface.
    pub distance: f32,
    joints: [JointSlot; CANDIDATES],
    count: usize,
}

impl PointSight {
    /// Returns the joints of the visible bones, without duplicates; empty if the point sees no
    /// bone.
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

/// Finds the nearest visible bones of each point. Bones and surface are in unit space.
pub(super) fn sights(
    surface: &BindSurface,
    bones: &[BindBone],
    cancel: &AtomicBool,
) -> Result<Vec<PointSight>, BindError> {
    let indices = surface.triangles.as_flattened();
    let bvh = Bvh::build(&surface.points, indices);
    let facing = Facing::new(surface);
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
        nearest.extend(bones.iter().enumerate().map(|(b, bone)| {
            let way = point - bone.closest(point);
            (way.length() * 2.0 / (1.0 + facing.part(k, way)), b)
        }));
        if nearest.len() > CANDIDATES {
            nearest
                .select_nth_unstable_by(CANDIDATES, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            nearest.truncate(CANDIDATES);
        }
        nearest.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut farthest = nearest.first().map_or(0.0, |(distance, _)| distance * FARTHEST);
        for (distance, b) in nearest.iter() {
            if *distance > farthest {
                break;
            }
            let closest = bones[*b].closest(point);
            if is_visible(closest, point) {
                if sight.is_hidden() {
                    sight.distance = point.distance(closest);
                    farthest = distance * (1.0 + TIE);
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

#[cfg(test)]
mod tests {
    use super::super::BindMesh;
    use super::*;

    #[test]
    fn a_bone_along_the_surface_normal_counts_as_nearer() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::X + Vec3::Y, Vec3::Y];
        let triangles = [0, 1, 2, 0, 2, 3];
        let bone = |joint: u16, head: Vec3| BindBone { joint: JointSlot(joint), head, tail: head };
        let bones = [bone(0, Vec3::new(0.0, 0.0, -0.3)), bone(1, Vec3::new(-0.25, 0.0, 0.0))];
        let mesh = BindMesh { positions: &positions, triangles: &triangles };
        let surface = BindSurface::new(&[mesh], &bones);
        let found = sights(&surface, &surface.unit_bones(&bones), &AtomicBool::new(false));
        let first = found.unwrap()[0];
        assert_eq!(first.joints(), [JointSlot(0)]);
        assert!((first.distance - 0.3).abs() < 1e-5, "{}", first.distance);
    }

    #[test]
    fn a_far_visible_bone_does_not_replace_a_near_hidden_one() {
        let corners = |z: f32, from: f32, to: f32| {
            [(from, from), (to, from), (to, to), (from, to)].map(|(x, y)| Vec3::new(x, y, z))
        };
        // A surface with a smaller surface below it that hides the bone.
        let positions = [corners(0.0, 0.0, 1.0), corners(-0.15, -0.2, 0.2)].concat();
        let triangles = [0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7];
        let point = |joint: u16, z: f32| {
            let head = Vec3::Z * z;
            BindBone { joint: JointSlot(joint), head, tail: head }
        };
        let mesh = BindMesh { positions: &positions, triangles: &triangles };
        let seen = |z: f32| {
            let bones = [point(0, -0.3), point(1, z)];
            let surface = BindSurface::new(&[mesh], &bones);
            let found = sights(&surface, &surface.unit_bones(&bones), &AtomicBool::new(false));
            found.unwrap()[0].joints().to_vec()
        };
        assert_eq!(seen(0.5), [JointSlot(1)]);
        assert!(seen(0.7).is_empty());
    }
}
