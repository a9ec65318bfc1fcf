//! Sample points for the comparison of poses: vertices of the skin, or joints if there is no skin.
//!
//! In small models, all vertices are sample points. In large models, half of the points are the
//! vertices that are farthest from the joint that moves them. Such vertices deviate first when the
//! joint rotates. The other half is evenly distributed.

use std::collections::BTreeMap;

use glam::{Mat4, Vec3};

use super::{Pose, Stack};
use ulna_model::{
    Document, MorphTarget, NodeId, Primitive, PrimitiveId, Skin, Transform, WeightMap,
};

/// Influence of a joint on a vertex: its weight, the vertex in the joint's space, and the offset of
/// each morph target in the joint's space.
#[derive(Clone, Debug)]
struct Influence {
    node: NodeId,
    weight: f32,
    point: Vec3,
    morphs: Vec<(u32, Vec3)>,
}

/// A vertex of the mesh of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeenVertex {
    /// Node of the mesh.
    pub node: NodeId,
    /// Primitive of the mesh.
    pub primitive: PrimitiveId,
    /// Index of the vertex.
    pub vertex: u32,
}

/// A sample point, and the node of its mesh.
#[derive(Clone, Debug)]
struct SeenPoint {
    mesh_node: NodeId,
    influences: Vec<Influence>,
}

impl SeenPoint {
    fn at(&self, pose: &Pose) -> Vec3 {
        let weights = pose.morphs.get(self.mesh_node.index());
        let place = |i: &Influence| {
            let amount = |k: u32| weights.and_then(|w| w.get(k as usize)).copied().unwrap_or(0.0);
            let point = i.morphs.iter().fold(i.point, |p, (k, way)| p + *way * amount(*k));
            pose.world[i.node.index()].transform_point3(point) * i.weight
        };
        self.influences.iter().map(place).sum()
    }
}

/// Sample points of the visible parts of a document.
#[derive(Clone, Debug)]
pub struct SeenPoints {
    points: Vec<SeenPoint>,
    on_skin: bool,
}

impl SeenPoints {
    /// Number of points for accurate measurements of errors.
    pub const MANY: usize = 4096;

    /// Chooses at most about `most` vertices of a document's shown meshes, or its joints if no mesh
    /// is shown.
    pub fn of(document: &Document, most: usize) -> Self {
        Self::where_all(document, most, &|_| true)
    }

    /// Chooses points like [`Self::of`], but only vertices that are moved only by nodes for which
    /// `moved_by` is true. Empty if there are vertices, but none is suitable.
    pub fn where_all(document: &Document, most: usize, moved_by: &dyn Fn(NodeId) -> bool) -> Self {
        let rest = Pose::evaluate(document, &Stack::default());
        let sampler = Sampler::of(document, &rest, most, moved_by);
        if sampler.sources.iter().all(|s| s.of.positions.is_empty()) {
            let joints = document.node_ids().filter(|n| moved_by(*n));
            let influence =
                |node| Influence { node, weight: 1.0, point: Vec3::ZERO, morphs: Vec::new() };
            let point = |node| SeenPoint { mesh_node: node, influences: vec![influence(node)] };
            return Self { points: joints.map(point).collect(), on_skin: false };
        }
        let point = |p: &VertexPlace| sampler.sources[p.source].point(p.vertex);
        Self { points: sampler.chosen(most).into_iter().map(point).collect(), on_skin: true }
    }

    /// Returns the vertices that [`of`](Self::of) chooses, sorted and without duplicates. Empty if
    /// no mesh is shown.
    pub(super) fn vertices(document: &Document, rest: &Pose, most: usize) -> Vec<SeenVertex> {
        let sampler = Sampler::of(document, rest, most, &|_| true);
        let named = |p: &VertexPlace| {
            let source = &sampler.sources[p.source];
            let vertex = u32::try_from(p.vertex).unwrap_or(u32::MAX);
            SeenVertex { node: source.node, primitive: source.primitive, vertex }
        };
        let mut vertices: Vec<SeenVertex> = sampler.chosen(most).into_iter().map(named).collect();
        vertices.sort_unstable();
        vertices.dedup();
        vertices
    }

    /// Display name of the kind of points.
    pub const fn label(&self) -> &'static str {
        if self.on_skin { "the skin" } else { "the joints" }
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Returns the node that has the largest influence on a point.
    pub fn node(&self, point: usize) -> Option<NodeId> {
        let influences = &self.points.get(point)?.influences;
        influences.iter().max_by(|a, b| a.weight.total_cmp(&b.weight)).map(|i| i.node)
    }

    /// Positions of the points in a pose, meters.
    pub fn at(&self, pose: &Pose) -> Vec<Vec3> {
        self.points.iter().map(|p| p.at(pose)).collect()
    }

    /// Measures the largest distance of a point between two poses, in meters.
    pub fn apart(&self, a: &Pose, b: &Pose) -> f32 {
        self.apart_after(&Mat4::IDENTITY, a, b)
    }

    /// Measures the largest distance of a point between two poses, in meters, after a transform is
    /// applied to the first pose.
    pub fn apart_after(&self, moved: &Mat4, a: &Pose, b: &Pose) -> f32 {
        let off = |p: &SeenPoint| moved.transform_point3(p.at(a)).distance(p.at(b));
        self.points.iter().map(off).filter(|d| d.is_finite()).fold(0.0, f32::max)
    }
}

/// A candidate vertex of a shown mesh.
struct VertexPlace {
    /// Index of the primitive in the list of sources.
    source: usize,
    vertex: usize,
    /// The joint with the largest influence. `reach` is its distance from the vertex in the rest
    /// pose in meters, times its weight.
    joint: NodeId,
    reach: f32,
}

/// A primitive of a shown mesh, and its skinning data.
pub(super) struct Source<'a> {
    pub node: NodeId,
    pub primitive: PrimitiveId,
    pub of: &'a Primitive,
    /// The skin and its weights; `None` for a rigid primitive.
    pub skinned: Option<(&'a Skin, &'a WeightMap)>,
    /// `node_from_mesh` of the chosen mesh instance; the identity without instances.
    pub instance: Mat4,
}

impl<'a> Source<'a> {
    /// Prepares a primitive of a node's mesh, in the mesh instance with this index; `None` if it
    /// does not exist.
    pub fn new(
        document: &'a Document,
        node: NodeId,
        primitive: PrimitiveId,
        instance: usize,
    ) -> Option<Self> {
        let found = document.node(node);
        let of = document.primitive(found.mesh?, primitive)?;
        let skin = found.skin.map(|s| document.skin(s));
        let skinned = skin.zip(of.weights.as_deref().filter(|w| !w.is_bare()));
        let instances = found.instances.as_ref().filter(|_| found.skin.is_none());
        let local = instances.and_then(|list| list.get(instance)).map(Transform::matrix);
        let instance = local.filter(Mat4::is_finite).unwrap_or(Mat4::IDENTITY);
        Some(Self { node, primitive, of, skinned, instance })
    }

    /// Index of the mesh instance of a node that is farthest from the node; 0 without instances.
    pub fn farthest_instance(document: &Document, node: NodeId) -> usize {
        let found = document.node(node);
        let list = found.instances.as_ref().filter(|_| found.skin.is_none());
        let far = list.into_iter().flat_map(|list| list.iter().enumerate());
        let finite = far.filter(|(_, t)| t.is_finite());
        let length = |t: &Transform| t.translation.length_squared();
        finite.max_by(|a, b| length(a.1).total_cmp(&length(b.1))).map_or(0, |(k, _)| k)
    }

    /// The joints and weights of a vertex, each with its inverse bind matrix.
    pub fn parts(&self, vertex: usize) -> Vec<(NodeId, f32, Mat4)> {
        let Some((skin, weights)) = self.skinned else {
            return vec![(self.node, 1.0, self.instance)];
        };
        let part = |(slot, weight): (u16, f32)| {
            let slot = usize::from(slot);
            let bind = skin.inverse_bind.get(slot).copied().unwrap_or_default();
            (weight != 0.0).then_some((*skin.joints.get(slot)?, weight, bind))
        };
        weights.vertex(vertex).filter_map(part).collect()
    }

    fn point(&self, vertex: usize) -> SeenPoint {
        let at = self.of.positions[vertex];
        let influence = |(node, weight, bind): (NodeId, f32, Mat4)| {
            let way = |(k, t): (u32, &MorphTarget)| {
                Some((k, bind.transform_vector3(*t.positions.get(vertex)?)))
            };
            let morphs = (0..)
                .zip(self.of.targets.iter())
                .filter_map(way)
                .filter(|(_, way)| *way != Vec3::ZERO)
                .collect();
            Influence { node, weight, point: bind.transform_point3(at), morphs }
        };
        SeenPoint {
            mesh_node: self.node,
            influences: self.parts(vertex).into_iter().map(influence).collect(),
        }
    }
}

/// Chooses sample points from the candidate vertices of the shown meshes.
struct Sampler<'a> {
    sources: Vec<Source<'a>>,
    places: Vec<VertexPlace>,
}

impl<'a> Sampler<'a> {
    fn of(
        document: &'a Document,
        rest: &Pose,
        most: usize,
        moved_by: &dyn Fn(NodeId) -> bool,
    ) -> Self {
        /// Maximum number of candidates per chosen vertex. It limits the time for large meshes.
        const LOOKED: usize = 64;
        let mut sources = Vec::new();
        let mut places = Vec::new();
        let nodes = document.shown_nodes();
        let meshes =
            || nodes.iter().filter_map(|n| Some((*n, document.mesh(document.node(*n).mesh?))));
        let count: usize =
            meshes().flat_map(|(_, mesh)| &mesh.primitives).map(|p| p.positions.len()).sum();
        let step = (count / most.saturating_mul(LOOKED).max(1)).max(1);
        for (node, mesh) in meshes() {
            let instance = Source::farthest_instance(document, node);
            for (primitive, of) in mesh.entries() {
                let source = Source::new(document, node, primitive, instance);
                let Some(source) = source else { continue };
                for (vertex, at) in of.positions.iter().enumerate().step_by(step) {
                    let parts = source.parts(vertex);
                    if !parts.iter().all(|(n, ..)| moved_by(*n)) {
                        continue;
                    }
                    let reach = |(node, weight, bind): &(NodeId, f32, Mat4)| {
                        let arm =
                            rest.world[node.index()].transform_vector3(bind.transform_point3(*at));
                        (*node, arm.length() * weight)
                    };
                    let most = parts.iter().map(reach).filter(|(_, r)| r.is_finite());
                    if let Some((joint, reach)) = most.max_by(|a, b| a.1.total_cmp(&b.1)) {
                        places.push(VertexPlace { source: sources.len(), vertex, joint, reach });
                    }
                }
                sources.push(source);
            }
        }
        Self { sources, places }
    }

    /// Returns the chosen vertices. If not all are chosen, these are the farthest vertices of each
    /// joint, and an even distribution of the others.
    fn chosen(&self, most: usize) -> Vec<&VertexPlace> {
        if self.places.len() <= most {
            return self.places.iter().collect();
        }
        let mut by_joint: BTreeMap<NodeId, Vec<&VertexPlace>> = BTreeMap::new();
        self.places.iter().for_each(|p| by_joint.entry(p.joint).or_default().push(p));
        // Half of the points are the farthest vertices, with at least two per joint.
        let each = (most / 2 / by_joint.len().max(1)).max(2);
        let mut chosen: Vec<&VertexPlace> = Vec::with_capacity(most + by_joint.len() * 2);
        for list in by_joint.values_mut() {
            list.sort_by(|a, b| b.reach.total_cmp(&a.reach));
            // Choose every nth vertex of the farther half, from the farthest on. The farthest
            // vertices alone would be neighbors.
            let step = (list.len() / 2 / each).max(1);
            chosen.extend(list.iter().step_by(step).take(each));
        }
        let step = (self.places.len() / (most / 2).max(1)).max(1);
        chosen.extend(self.places.iter().step_by(step));
        chosen
    }
}
