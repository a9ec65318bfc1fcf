//! Motion of points on another surface: the target when weights of one mesh are fitted to another.

use std::collections::HashMap;

use glam::{DMat3, DVec3, Vec3};

use super::{
    palettes::{PosePalettes, Series, add_scaled},
    shape::{MorphedPositions, node_of, read},
};
use crate::{SurfacePoint, ids::to_index};
use ulna_model::{Document, MeshId, PrimitiveId, SkinId, WeightMap};
use ulna_motion::Pose;

/// A primitive whose surface other vertices follow.
#[derive(Clone, Copy, Debug)]
pub struct CarryingSurface<'a> {
    /// Mesh and primitive.
    pub key: (MeshId, PrimitiveId),
    /// Skin of the primitive.
    pub skin: SkinId,
    /// Rest positions of the vertices, in the mesh space of the fitted mesh.
    pub positions: &'a [Vec3],
    /// Matching joint of the fitted skin for each joint of this skin; `None` if there is none.
    pub joints: &'a [Option<u16>],
}

/// A surface prepared for posing in many poses.
#[derive(Debug)]
pub(super) struct PosedSource<'a> {
    palettes: PosePalettes,
    shape: MorphedPositions<'a>,
    weights: &'a WeightMap,
    positions: &'a [Vec3],
    joints: &'a [Option<u16>],
}

/// Motion of a primitive's vertices, each attached to a point on another surface.
#[derive(Debug)]
pub(super) struct SurfaceMotion<'a> {
    /// Source surfaces, indexed by [`SurfacePoint::source`]; `None` for a surface without weights.
    pub sources: &'a [Option<PosedSource<'a>>],
    /// Surface point that each vertex follows, by vertex.
    pub points: HashMap<u32, SurfacePoint>,
    /// Scene meters per unit of the fitted mesh at rest; negative if the skin mirrors the mesh.
    pub scale: f64,
}

/// Reused memory, one per thread.
#[derive(Debug, Default)]
pub(super) struct CornerScratch {
    own: Vec<(u16, f64)>,
    points: Series,
    moved: Series,
    corners: [Series; 3],
}

impl<'a> PosedSource<'a> {
    /// Prepares a surface in several poses of a document. `None` if its vertex counts do not match.
    pub fn new(document: &'a Document, of: &CarryingSurface<'a>, poses: &[Pose]) -> Option<Self> {
        let (mesh, primitive) = of.key;
        let content = document.primitive(mesh, primitive)?;
        let weights = content.weights.as_deref()?;
        let count = content.positions.len();
        if weights.vertex_count() != count || of.positions.len() != count {
            return None;
        }
        let shape = MorphedPositions::new(content, node_of(document, mesh, of.skin), poses.iter());
        let palettes = PosePalettes::new(document, of.skin, poses.iter());
        let (positions, joints) = (of.positions, of.joints);
        Some(Self { palettes, shape, weights, positions, joints })
    }
}

/// Returns orthonormal axes of a triangle: along its first edge, across this edge in its plane, and
/// its normal. `None` for a triangle without area.
fn axes([a, b, c]: [DVec3; 3]) -> Option<DMat3> {
    let along = (b - a).try_normalize()?;
    let normal = (b - a).cross(c - a).try_normalize()?;
    Some(DMat3::from_cols(along, normal.cross(along), normal))
}

/// Returns the point in pose `t` of `poses` poses.
fn at(series: &[f64], poses: usize, t: usize) -> DVec3 {
    DVec3::new(series[t], series[poses + t], series[2 * poses + t])
}

impl SurfaceMotion<'_> {
    /// Writes the position of a vertex in each pose as it follows the surface. Also writes the
    /// joints of the fitted skin that move the surface there.
    ///
    /// `own` is the vertex in mesh space, in each pose. The vertex moves with its surface point,
    /// and its offset from the point rotates with the triangle. Returns `None` if the vertex has no
    /// surface point, or if its triangle has no area.
    pub fn write(
        &self,
        vertex: usize,
        own: &[f64],
        target: &mut Series,
        joints: &mut Vec<(u16, f64)>,
        scratch: &mut CornerScratch,
    ) -> Option<()> {
        let point = self.points.get(&u32::try_from(vertex).ok()?)?;
        let source = self.sources.get(point.source)?.as_ref()?;
        let poses = source.palettes.poses();
        let CornerScratch { own: weights, points, moved, corners } = scratch;
        moved.resize(3 * poses, 0.0);
        joints.clear();
        for (corner, place) in point.triangle.iter().zip(corners.iter_mut()) {
            read(source.weights, to_index(*corner), source.palettes.joints(), weights);
            source.shape.write(to_index(*corner), poses, points);
            place.clear();
            place.resize(3 * poses, 0.0);
            for (joint, weight) in weights.iter() {
                source.palettes.transform(*joint, points, moved);
                add_scaled(place, moved, *weight);
                let here = source.joints.get(usize::from(*joint)).copied().flatten();
                joints.extend(here.map(|joint| (joint, 0.0)));
            }
        }
        let shares = point.barycentric.map(f64::from);
        let mix = |p: [DVec3; 3]| p[0] * shares[0] + p[1] * shares[1] + p[2] * shares[2];
        let rest = point.triangle.map(|v| source.positions[to_index(v)].as_dvec3());
        let to_axes = axes(rest)?.transpose();
        let sign = DVec3::new(1.0, 1.0, self.scale.signum());
        target.resize(3 * poses, 0.0);
        for t in 0..poses {
            let offset = to_axes * (at(own, poses, t) - mix(rest)) * sign * self.scale.abs();
            let posed = [0, 1, 2].map(|k| at(&corners[k], poses, t));
            let place = mix(posed) + axes(posed)? * offset;
            for axis in 0..3 {
                target[axis * poses + t] = place[axis];
            }
        }
        target.iter().all(|v| v.is_finite()).then_some(())
    }
}
