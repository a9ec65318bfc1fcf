//! Fit: finds new weights that change the clips as little as possible.
//!
//! Joints can be removed from a skin, or the influence limit of a vertex can be lowered. The new
//! weights of a vertex then minimize, over sampled poses `t`,
//!
//! ```text
//!   Σ_t |Σ_j w_j T'_j(t) p − p*(t)|²     w ≥ 0, Σw = 1
//! ```
//!
//! `p` is the rest position of the vertex, and `p*` its posed position with the old joints and
//! weights. `T'_j` is the matrix of a new joint. With `Σw = 1` this is `wᵀGw` for the Gram matrix
//! `G_ab = Σ_t (T'_a p − p*)·(T'_b p − p*)`: a quadratic program on the simplex for each vertex.
//!
//! Weights from another mesh are fitted in the same way. There, `p*` is the position to which the
//! surface of the other mesh moves the vertex.

mod palettes;
mod poses;
mod relatives;
mod shape;
mod simplex;
mod surface;
#[cfg(test)]
mod tests;
mod vertex;

pub use self::{
    poses::{FIT_POSES, FitPose, fit_poses},
    surface::CarryingSurface,
};

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
};

use rayon::prelude::*;

use self::{
    palettes::PosePalettes,
    relatives::JointMatches,
    shape::{MorphedPositions, node_of},
    surface::{PosedSource, SurfaceMotion},
    vertex::{FitScratch, FitTarget, PoseErrors, PrimitiveFit},
};
use crate::{
    SurfacePoint, WeightConstraints,
    ids::{numbers, to_f64, to_index},
    rest_scale,
};
use ulna_model::{
    Document, MeshId, NodeId, PrimitiveId, SkinId, WeightMap, WeightPatch, put_in_order,
};
use ulna_motion::Pose;

/// Vertices per task.
const CHUNK: usize = 128;

/// Vertex indices by primitive.
pub type FitVertices = BTreeMap<(MeshId, PrimitiveId), Vec<u32>>;

/// Input of [`fit_weights`]: two states of a document. The new weights are fitted to the motion of
/// the old state.
#[derive(Clone, Copy, Debug)]
pub struct FitRequest<'a> {
    /// The document with the old joints and weights.
    pub before: &'a Document,
    /// The document with the new joints. Its weights are the initial weights of the fit, and are
    /// kept where no better weights are found. A typical start moves the weight of each removed
    /// joint to the nearest ancestor joint.
    pub after: &'a Document,
    /// Skin to fit, in both documents. Joints are matched by their nodes.
    pub skin: SkinId,
    /// Vertices to fit; see [`vertices_of_joints`].
    pub vertices: &'a FitVertices,
    /// Poses to compare; see [`fit_poses`].
    pub poses: &'a [FitPose],
    /// Maximum number of influences per vertex. The number of slots is a limit, too.
    pub limit: usize,
    /// Whether a vertex can get more influences than before. More influences lower the error, but
    /// vertices that followed one joint may no longer move rigidly.
    pub adds_influences: bool,
}

/// Input of [`fit_to_surface`]: weights of a skin are fitted to the motion of other surfaces.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceFitRequest<'a> {
    /// The document. Its weights are the initial weights of the fit, and are kept where no better
    /// weights are found.
    pub document: &'a Document,
    /// Skin whose weights are fitted.
    pub skin: SkinId,
    /// Surfaces whose motion the vertices follow.
    pub surfaces: &'a [CarryingSurface<'a>],
    /// Vertices to fit by primitive, each with its point on one of the surfaces.
    pub points: &'a BTreeMap<(MeshId, PrimitiveId), Vec<(u32, SurfacePoint)>>,
    /// Poses to compare.
    pub poses: &'a [Pose],
    /// Maximum number of influences per vertex. The number of slots is a limit, too.
    pub limit: usize,
}

/// Distances between the posed positions before and after a change of weights, over all vertices
/// and poses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FitDeviation {
    /// Mean distance, in meters.
    pub mean: f64,
    /// Maximum distance, in meters.
    pub worst: f64,
}

/// Fitted weights of a skin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FittedWeights {
    /// New weights by primitive, for the document `after`. Unchanged vertices are left out.
    pub patches: Vec<(MeshId, PrimitiveId, WeightPatch)>,
    /// Number of compared vertices, including unchanged ones. Vertices without weights before the
    /// change are not compared. Neither are vertices with a non-finite position in any pose.
    pub vertices: usize,
    /// Number of vertices whose weights changed.
    pub changed: usize,
    /// Error with the initial weights, those in `after`.
    pub start: FitDeviation,
    /// Error after applying `patches`.
    pub fitted: FitDeviation,
}

/// Finds the vertices of a skin's meshes with weight on any of the given joints.
pub fn vertices_of_joints(document: &Document, skin: SkinId, joints: &[NodeId]) -> FitVertices {
    let is_meant: Vec<bool> =
        document.skin(skin).joints.iter().map(|j| joints.contains(j)).collect();
    let mut vertices = FitVertices::new();
    for node in document.nodes.values().filter(|n| n.skin == Some(skin)) {
        let Some(mesh) = node.mesh else { continue };
        for (primitive, content) in document.mesh(mesh).entries() {
            let Some(map) = content.weights.as_deref() else { continue };
            let is_on =
                |(j, w): (u16, f32)| w != 0.0 && is_meant.get(usize::from(j)) == Some(&true);
            let list: Vec<u32> = numbers(map.vertex_count())
                .filter(|v| map.vertex(to_index(*v)).any(is_on))
                .collect();
            if !list.is_empty() {
                vertices.insert((mesh, primitive), list);
            }
        }
    }
    vertices
}

/// Sums of the errors of several vertices.
#[derive(Clone, Copy, Debug, Default)]
struct ErrorSum {
    sum: f64,
    worst: f64,
}

impl ErrorSum {
    fn add(&mut self, errors: &PoseErrors) {
        self.sum += errors.sum;
        self.worst = self.worst.max(errors.worst);
    }

    fn add_all(&mut self, other: &Self) {
        self.sum += other.sum;
        self.worst = self.worst.max(other.worst);
    }

    fn error(&self, count: usize) -> FitDeviation {
        FitDeviation { mean: self.sum / to_f64(count.max(1)), worst: self.worst }
    }
}

/// Result of one parallel task.
#[derive(Debug)]
struct FittedChunk {
    patch: WeightPatch,
    vertices: usize,
    start: ErrorSum,
    fitted: ErrorSum,
}

/// One primitive to fit, with the vertices that exist in it, in ascending order.
struct FitPart<'a> {
    key: (MeshId, PrimitiveId),
    fit: PrimitiveFit<'a>,
    vertices: Vec<u32>,
}

/// Fits weights to the motion before a change. Returns `None` if `cancel` was set.
///
/// The candidates are the joints of a vertex before and after the change. For each joint that it
/// lost, the parent, children and siblings are added. Eight candidates are tried: the vertex's own
/// joints first, then those with the least individual error. The initial weights are kept unless
/// the fit has a smaller sum of squared distances over the poses.
///
/// Vertices with the same position, and the same weights before and after, get the same new
/// weights. The order of slots does not matter.
///
/// Skins, primitives and vertices that are missing in one of the documents are ignored. Primitives
/// without weights are ignored, too.
pub fn fit_weights(request: &FitRequest<'_>, cancel: &AtomicBool) -> Option<FittedWeights> {
    let FitRequest { before, after, skin, poses, .. } = *request;
    let has_skin = before.skins.contains(skin) && after.skins.contains(skin);
    let Some(rest) = poses.first().filter(|_| has_skin) else {
        return Some(FittedWeights::default());
    };
    let old = PosePalettes::new(before, skin, poses.iter().map(|p| &p.before));
    let new = PosePalettes::new(after, skin, poses.iter().map(|p| &p.after));
    let joints = JointMatches::new(before, after, skin, &rest.before);
    let locked = vec![false; new.joints()];
    let parts = parts(request, (&old, &new, &joints), &locked);
    fit_parts(&parts, poses.len(), cancel)
}

/// Fits weights to the motion of other surfaces. Returns `None` if `cancel` was set.
///
/// The candidates are the initial joints of a vertex, and the joints that move its triangle of the
/// other surface. The initial weights are kept unless the fit has a smaller sum of squared
/// distances over the poses.
pub fn fit_to_surface(
    request: &SurfaceFitRequest<'_>,
    cancel: &AtomicBool,
) -> Option<FittedWeights> {
    let SurfaceFitRequest { document, skin, poses, .. } = *request;
    let Some(rest) = poses.first().filter(|_| document.skins.contains(skin)) else {
        return Some(FittedWeights::default());
    };
    let palettes = PosePalettes::new(document, skin, poses.iter());
    let source = |of| PosedSource::new(document, of, poses);
    let sources: Vec<Option<PosedSource<'_>>> = request.surfaces.iter().map(source).collect();
    let mirrors = rest.palette(document, skin).first().is_some_and(|m| m.determinant() < 0.0);
    let scale = f64::from(rest_scale(document, skin)) * if mirrors { -1.0 } else { 1.0 };
    let locked = vec![false; palettes.joints()];
    let part = |(key, points): (&(MeshId, PrimitiveId), &Vec<(u32, SurfacePoint)>)| {
        let (mesh, primitive) = *key;
        let content = document.primitive(mesh, primitive)?;
        let start = content.weights.as_deref()?;
        let count = content.positions.len().min(start.vertex_count());
        let points = points.iter().filter(|(v, _)| to_index(*v) < count).copied();
        let target = SurfaceMotion { sources: &sources, points: points.collect(), scale };
        let mut vertices: Vec<u32> = target.points.keys().copied().collect();
        put_in_order(&mut vertices);
        let node = node_of(document, mesh, skin);
        let fit = PrimitiveFit {
            target: FitTarget::Surface(target),
            palettes: &palettes,
            shape: MorphedPositions::new(content, node, poses.iter()),
            start,
            rule: rule(start, request.limit, &locked),
        };
        Some(FitPart { key: *key, fit, vertices })
    };
    let parts: Vec<FitPart<'_>> = request.points.iter().filter_map(part).collect();
    fit_parts(&parts, poses.len(), cancel)
}

/// Fits the vertices of several primitives.
fn fit_parts(parts: &[FitPart<'_>], poses: usize, cancel: &AtomicBool) -> Option<FittedWeights> {
    let tasks: Vec<(usize, &[u32])> = parts
        .iter()
        .enumerate()
        .flat_map(|(k, part)| part.vertices.chunks(CHUNK).map(move |list| (k, list)))
        .collect();
    let done: Option<Vec<FittedChunk>> = tasks
        .par_iter()
        .map_init(FitScratch::default, |scratch, (k, list)| {
            (!cancel.load(Ordering::Relaxed)).then(|| fit_chunk(&parts[*k].fit, list, scratch))
        })
        .collect();
    let mut result = FittedWeights::default();
    let (mut start, mut fitted) = (ErrorSum::default(), ErrorSum::default());
    for ((k, _), chunk) in tasks.iter().zip(done?) {
        result.vertices += chunk.vertices;
        result.changed += chunk.patch.vertices.len();
        start.add_all(&chunk.start);
        fitted.add_all(&chunk.fitted);
        let (mesh, primitive) = parts[*k].key;
        match result.patches.last_mut() {
            Some((m, p, patch)) if (*m, *p) == (mesh, primitive) => {
                patch.vertices.extend(chunk.patch.vertices);
                patch.joints.extend(chunk.patch.joints);
                patch.weights.extend(chunk.patch.weights);
            }
            _ => result.patches.push((mesh, primitive, chunk.patch)),
        }
    }
    result.patches.retain(|(.., patch)| !patch.vertices.is_empty());
    let count = result.vertices * poses;
    (result.start, result.fitted) = (start.error(count), fitted.error(count));
    Some(result)
}

/// Returns the constraints on the new weights of a primitive.
fn rule<'a>(start: &WeightMap, limit: usize, locked: &'a [bool]) -> WeightConstraints<'a> {
    WeightConstraints {
        locked,
        parents: &[],
        limit: limit.clamp(1, start.stride().max(1)),
        encoding: start.encoding,
        pairs: &[],
        turned: false,
    }
}

/// Returns the primitives of a request that have weights in both documents.
fn parts<'a>(
    request: &FitRequest<'a>,
    (before, after, joints): (&'a PosePalettes, &'a PosePalettes, &'a JointMatches),
    locked: &'a [bool],
) -> Vec<FitPart<'a>> {
    let part = |(key, vertices): (&(MeshId, PrimitiveId), &Vec<u32>)| {
        let (mesh, primitive) = *key;
        let from = request.before.primitive(mesh, primitive)?;
        let to = request.after.primitive(mesh, primitive)?;
        let (old, start) = (from.weights.as_deref()?, to.weights.as_deref()?);
        let counts = [from.positions.len(), to.positions.len(), old.vertex_count()];
        let count = counts.into_iter().fold(start.vertex_count(), usize::min);
        let mut vertices: Vec<u32> =
            vertices.iter().copied().filter(|v| to_index(*v) < count).collect();
        put_in_order(&mut vertices);
        let node = |document| node_of(document, mesh, request.skin);
        let (poses_before, poses_after) =
            (request.poses.iter().map(|p| &p.before), request.poses.iter().map(|p| &p.after));
        let fit = PrimitiveFit {
            target: FitTarget::Weights {
                palettes: before,
                joints,
                shape: MorphedPositions::new(from, node(request.before), poses_before),
                weights: old,
                adds_influences: request.adds_influences,
            },
            palettes: after,
            shape: MorphedPositions::new(to, node(request.after), poses_after),
            start,
            rule: rule(start, request.limit, locked),
        };
        Some(FitPart { key: *key, fit, vertices })
    };
    request.vertices.iter().filter_map(part).collect()
}

fn fit_chunk(fit: &PrimitiveFit<'_>, list: &[u32], scratch: &mut FitScratch) -> FittedChunk {
    let stride = fit.start.stride();
    let mut chunk = FittedChunk {
        patch: WeightPatch::new(fit.start.sets, list.len()),
        vertices: 0,
        start: ErrorSum::default(),
        fitted: ErrorSum::default(),
    };
    for vertex in list {
        let Some(found) = fit.fit(to_index(*vertex), scratch) else { continue };
        chunk.vertices += 1;
        chunk.start.add(&found.start);
        chunk.fitted.add(&found.fitted);
        if found.is_changed {
            let patch = &mut chunk.patch;
            let first = patch.joints.len();
            patch.vertices.push(*vertex);
            patch.joints.resize(first + stride, 0);
            patch.weights.resize(first + stride, 0.0);
            scratch.list.write(&mut patch.joints[first..], &mut patch.weights[first..]);
        }
    }
    chunk
}
