//! Vertex positions of a primitive in mesh space, with morph targets applied, and the weights of
//! its vertices.

use glam::Vec3;

use super::palettes::Series;
use ulna_model::{Document, MeshId, NodeId, Primitive, SkinId, WeightMap};
use ulna_motion::Pose;

/// A morph target with a nonzero weight in any of the poses.
#[derive(Debug)]
struct UsedTarget<'a> {
    /// Position offset of each vertex.
    deltas: &'a [Vec3],
    /// Weight of the target in each pose.
    weights: Vec<f32>,
}

/// Rest positions of a primitive, with the morph targets that the poses use.
#[derive(Debug)]
pub(super) struct MorphedPositions<'a> {
    positions: &'a [Vec3],
    targets: Vec<UsedTarget<'a>>,
}

impl<'a> MorphedPositions<'a> {
    /// Prepares the positions of a primitive in several poses. `node` gives the morph weights;
    /// without a node, no morph target is applied.
    pub fn new<'p>(
        primitive: &'a Primitive,
        node: Option<NodeId>,
        poses: impl Iterator<Item = &'p Pose> + Clone,
    ) -> Self {
        let count = primitive.positions.len();
        let weight = |pose: &Pose, k: usize| {
            node.and_then(|n| pose.morphs.get(n.index())?.get(k).copied()).unwrap_or(0.0)
        };
        let targets = primitive.targets.iter().enumerate().filter_map(|(k, target)| {
            let weights: Vec<f32> = poses.clone().map(|pose| weight(pose, k)).collect();
            let is_used = target.positions.len() == count && weights.iter().any(|w| *w != 0.0);
            is_used.then_some(UsedTarget { deltas: &target.positions, weights })
        });
        Self { positions: &primitive.positions, targets: targets.collect() }
    }

    /// Writes the positions of a vertex in all poses. `poses` is their number.
    pub fn write(&self, vertex: usize, poses: usize, out: &mut Series) {
        out.resize(3 * poses, 0.0);
        let at = self.positions[vertex].as_dvec3();
        for (axis, series) in out.chunks_exact_mut(poses).enumerate() {
            series.fill(at[axis]);
            for UsedTarget { deltas, weights } in &self.targets {
                let delta = f64::from(deltas[vertex][axis]);
                series.iter_mut().zip(weights).for_each(|(p, w)| *p += delta * f64::from(*w));
            }
        }
    }
}

/// Returns the first node with a mesh and a skin.
pub(super) fn node_of(document: &Document, mesh: MeshId, skin: SkinId) -> Option<NodeId> {
    let mut nodes = document.nodes.iter();
    nodes.find(|(_, n)| n.mesh == Some(mesh) && n.skin == Some(skin)).map(|(id, _)| id)
}

/// Reads the weights of a vertex, sorted by joint and with duplicates merged. Results therefore do
/// not depend on the order of slots.
pub(super) fn read(map: &WeightMap, vertex: usize, joints: usize, list: &mut Vec<(u16, f64)>) {
    list.clear();
    let weights = map.vertex(vertex).filter(|(j, w)| *w != 0.0 && usize::from(*j) < joints);
    list.extend(weights.map(|(j, w)| (j, f64::from(w))));
    list.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    list.dedup_by(|next, first| {
        let is_same = next.0 == first.0;
        if is_same {
            first.1 += next.1;
        }
        is_same
    });
}
