//! The paintable surface of one skin: its triangles, lines and points, as points with neighbors.
//!
//! A file splits a vertex where normals, texture coordinates or materials differ, also over
//! primitives and meshes. Such coincident vertices share one point and are painted alike: results
//! depend only on the point.

use std::{collections::BTreeSet, sync::OnceLock};

use glam::{Mat3, Mat4, Vec3, Vec4};

use super::{
    Influences, Refusal, WeightConstraints, WeightIssues, branches::Branches, ids::to_index,
    topology::Topo,
};
use ulna_geometry::{PointId, weld};
use ulna_model::{
    Document, JointSlot, MeshId, NodeId, PrimitiveId, Shared, SkinId, Slice, Topology, WeightMap,
};

/// One primitive of a skinned surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfacePart {
    /// The first node with this mesh and skin.
    pub node: NodeId,
    /// The mesh.
    pub mesh: MeshId,
    /// The primitive within the mesh.
    pub primitive: PrimitiveId,
    /// Index of its first vertex in the surface.
    pub first: u32,
    /// Number of vertices.
    pub count: u32,
}

/// Geometry of a part.
#[derive(Debug)]
struct Drawn {
    positions: Slice<Vec3>,
    indices: Slice<u32>,
    topology: Topology,
}

impl Drawn {
    fn is_same(&self, other: &Self) -> bool {
        self.topology == other.topology
            && Slice::ptr_eq(&self.positions, &other.positions)
            && Slice::ptr_eq(&self.indices, &other.indices)
    }
}

/// All surfaces of one skin. Vertices are numbered consecutively, part by part.
#[derive(Debug)]
pub struct SkinnedSurface {
    /// The skin.
    pub skin: SkinId,
    parts: Vec<SurfacePart>,
    shapes: Vec<Drawn>,
    /// The skin of each part, as an index; empty if there is only one. Coincident vertices of
    /// different skins are different points.
    owners: Vec<u16>,
    count: u32,
    joints: Shared<[NodeId]>,
    heads: Vec<Vec3>,
    parents: Vec<Option<JointSlot>>,
    /// Computed on demand, because single-vertex queries do not need it.
    topo: OnceLock<Topo>,
    flaws: OnceLock<WeightIssues>,
    branches: OnceLock<Branches>,
}

impl SkinnedSurface {
    /// The displayed surfaces of a skin; `None` if none has weights.
    pub fn new(document: &Document, skin: SkinId) -> Option<Self> {
        Self::of_nodes(document, skin, document.shown_nodes())
    }

    /// All surfaces of a skin, including those of other scenes.
    pub fn whole(document: &Document, skin: SkinId) -> Option<Self> {
        Self::of_nodes(document, skin, document.node_ids())
    }

    /// The surfaces of a skin at these nodes.
    fn of_nodes(
        document: &Document,
        skin: SkinId,
        nodes: impl IntoIterator<Item = NodeId>,
    ) -> Option<Self> {
        let mut parts: Vec<SurfacePart> = Vec::new();
        let mut shapes = Vec::new();
        let mut known = BTreeSet::new();
        let mut first = 0u32;
        for node in nodes {
            let found = document.node(node);
            let (Some(mesh), true) = (found.mesh, found.skin == Some(skin)) else { continue };
            for (primitive, p) in document.mesh(mesh).entries() {
                if p.weights.is_some() && known.insert((mesh, primitive)) {
                    let count = u32::try_from(p.positions.len()).ok()?;
                    parts.push(SurfacePart { node, mesh, primitive, first, count });
                    let (positions, indices) = (p.positions.clone(), p.indices.clone());
                    shapes.push(Drawn { positions, indices, topology: p.topology });
                    first = first.checked_add(count)?;
                }
            }
        }
        if first == 0 {
            return None;
        }
        let joints = document.skin(skin).joints.clone();
        let (heads, parents) = (joint_heads(document, skin), joint_parents(document, skin));
        Some(Self {
            skin,
            parts,
            shapes,
            owners: Vec::new(),
            count: first,
            joints,
            heads,
            parents,
            topo: OnceLock::new(),
            flaws: OnceLock::new(),
            branches: OnceLock::new(),
        })
    }

    /// Combines several surfaces into one. Each has a matrix to the common space. `joints` has the
    /// joints of all of them, and `heads` their positions in that space. A primitive of several
    /// surfaces is included once.
    ///
    /// Also returns, per part, the index of its surface and of its part there. Returns `None` if
    /// there are too many vertices.
    pub(super) fn of_several(
        document: &Document,
        canvases: &[(&Self, Mat4)],
        joints: Shared<[NodeId]>,
        heads: Vec<Vec3>,
    ) -> Option<(Self, Vec<(usize, usize)>)> {
        let (mut parts, mut shapes, mut owners, mut origins) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut known = BTreeSet::new();
        let mut first = 0u32;
        for (k, (canvas, space)) in canvases.iter().enumerate() {
            for (own, (part, shape)) in canvas.parts.iter().zip(&canvas.shapes).enumerate() {
                if !known.insert((part.mesh, part.primitive)) {
                    continue;
                }
                let positions = if *space == Mat4::IDENTITY {
                    shape.positions.clone()
                } else {
                    shape
                        .positions
                        .iter()
                        .map(|p| space.transform_point3(*p))
                        .collect::<Vec<Vec3>>()
                        .into()
                };
                parts.push(SurfacePart { first, ..*part });
                shapes.push(Drawn {
                    positions,
                    indices: shape.indices.clone(),
                    topology: shape.topology,
                });
                owners.push(u16::try_from(k).ok()?);
                origins.push((k, own));
                first = first.checked_add(part.count)?;
            }
        }
        let parents = joints_above(document, &joints);
        let canvas = Self {
            skin: canvases.first()?.0.skin,
            parts,
            shapes,
            owners,
            count: first,
            joints,
            heads,
            parents,
            topo: OnceLock::new(),
            flaws: OnceLock::new(),
            branches: OnceLock::new(),
        };
        Some((canvas, origins))
    }

    /// The skin of each point, as an index; empty if there is only one.
    pub(super) fn owners(&self) -> Vec<u16> {
        if self.owners.is_empty() {
            return Vec::new();
        }
        self.topo().firsts.iter().map(|v| self.owners[self.part_of(*v).0]).collect()
    }

    /// The topology, for repeated queries.
    pub(super) fn topo(&self) -> &Topo {
        self.topo.get_or_init(|| {
            let (mut point_of, mut rest) = (Vec::with_capacity(self.vertex_count()), Vec::new());
            let owner = |k: usize| self.owners.get(k).copied().unwrap_or(0);
            let numbers: Vec<usize> = (0..self.parts.len()).collect();
            for run in numbers.chunk_by(|a, b| owner(*a) == owner(*b)) {
                let positions: Vec<Vec3> =
                    run.iter().flat_map(|k| self.shapes[*k].positions.iter().copied()).collect();
                let (own, points) = weld(&positions);
                let before = rest.len();
                point_of.extend(own.into_iter().map(|p| PointId::from(p.index() + before)));
                rest.extend(points);
            }
            let (mut corners, mut ends) = (Vec::new(), Vec::new());
            for (part, shape) in self.parts.iter().zip(&self.shapes) {
                let points = shape.indices.iter().map(|v| point_of[to_index(*v + part.first)]);
                match shape.topology {
                    Topology::Triangles => corners.extend(points),
                    Topology::Lines => ends.extend(points),
                    // Points have no neighbors.
                    Topology::Points => {}
                }
            }
            Topo::of(point_of, rest, corners, &ends)
        })
    }

    /// Whether the topology is computed. Otherwise, the first query computes it and blocks.
    pub fn is_ready(&self) -> bool {
        self.topo.get().is_some()
    }

    /// Computes the topology in advance, for use on another thread.
    pub fn prepare(&self) {
        self.flaws();
    }

    /// Problems of the triangles, such as open edges.
    pub fn flaws(&self) -> &WeightIssues {
        self.flaws.get_or_init(|| WeightIssues::of(self.topo(), self.point_count()))
    }

    /// The primitives.
    pub fn parts(&self) -> &[SurfacePart] {
        &self.parts
    }

    /// The number of vertices.
    pub const fn vertex_count(&self) -> usize {
        to_index(self.count)
    }

    /// The number of points.
    pub fn point_count(&self) -> usize {
        self.topo().rest.len()
    }

    /// The skin's joints.
    pub fn joints(&self) -> &[NodeId] {
        &self.joints
    }

    /// Joint positions in the bind pose, in mesh space.
    pub fn heads(&self) -> &[Vec3] {
        &self.heads
    }

    /// The index of a joint in the skin.
    pub fn joint(&self, node: NodeId) -> Option<u16> {
        let mut slots = JointSlot::first(self.joints.len()).zip(self.joints.iter());
        slots.find(|(_, joint)| **joint == node).map(|(slot, _)| slot.0)
    }

    /// The nearest ancestor joint of each joint.
    pub fn parents(&self) -> &[Option<JointSlot>] {
        &self.parents
    }

    /// The subtrees of the joints.
    pub(super) fn branches(&self) -> &Branches {
        self.branches.get_or_init(|| Branches::of(&self.parents))
    }

    /// The point of a vertex.
    #[inline]
    pub fn point_of(&self, vertex: u32) -> PointId {
        self.topo().point_of[to_index(vertex)]
    }

    /// The first vertex of a point, which represents it for reading.
    #[inline]
    pub fn first_at(&self, point: PointId) -> u32 {
        self.topo().firsts[point.index()]
    }

    /// The vertices of a point; at least one.
    #[inline]
    pub fn vertices_at(&self, point: PointId) -> &[u32] {
        self.topo().vertices.row(point.index())
    }

    /// Points that share an edge with a point.
    #[inline]
    pub fn ring(&self, point: PointId) -> &[PointId] {
        self.topo().rings.row(point.index())
    }

    /// The triangles around a point: the two next points of each.
    pub(super) fn fan(&self, point: PointId) -> &[[PointId; 2]] {
        self.topo().fan(point)
    }

    /// Rest positions of the points, in mesh space.
    pub fn rest(&self) -> &[Vec3] {
        &self.topo().rest
    }

    /// The part of a vertex, and the vertex's index in the part.
    pub fn part_of(&self, vertex: u32) -> (usize, u32) {
        let part = self.parts.partition_point(|p| p.first <= vertex) - 1;
        (part, vertex - self.parts[part].first)
    }

    /// The index in the surface of a vertex of a primitive.
    pub fn vertex_of(&self, mesh: MeshId, primitive: PrimitiveId, vertex: u32) -> Option<u32> {
        let part = self.parts.iter().find(|p| p.mesh == mesh && p.primitive == primitive)?;
        (vertex < part.count).then_some(part.first + vertex)
    }

    /// The weights of all parts, for repeated reads.
    pub fn maps<'a>(&self, document: &'a Document) -> Maps<'a> {
        let map = |p: &SurfacePart| {
            document.mesh(p.mesh).primitives[p.primitive.index()].weights.as_deref()
        };
        Maps::of(self, self.parts.iter().filter_map(map))
    }

    /// Whether both have the same surfaces and joints, so that their points have the same indices.
    pub(super) fn is_of_the_same(&self, other: &Self) -> bool {
        self.skin == other.skin
            && self.parts == other.parts
            && self.joints == other.joints
            && self.shapes.iter().zip(&other.shapes).all(|(a, b)| a.is_same(b))
    }

    /// Whether a document still has these parts, with the same number of vertices.
    pub fn fits(&self, document: &Document) -> bool {
        self.parts.iter().all(|p| {
            document.primitive(p.mesh, p.primitive).is_some_and(|primitive| {
                primitive.positions.len() == to_index(p.count) && primitive.weights.is_some()
            })
        })
    }
}

/// The weights of a surface's parts.
#[derive(Clone, Debug)]
pub struct Maps<'a> {
    parts: Vec<MapPart<'a>>,
}

/// A weight map with direct references to its slots, which avoids a lookup per vertex.
#[derive(Clone, Copy, Debug)]
struct MapPart<'a> {
    first: u32,
    stride: usize,
    map: &'a WeightMap,
    joints: &'a [u16],
    weights: &'a [f32],
}

impl<'a> Maps<'a> {
    /// Weights that are being edited, one map per part.
    pub(super) fn of(canvas: &SkinnedSurface, maps: impl Iterator<Item = &'a WeightMap>) -> Self {
        let part = |(part, map): (&SurfacePart, &'a WeightMap)| MapPart {
            first: part.first,
            stride: map.stride(),
            map,
            joints: &map.joints,
            weights: &map.weights,
        };
        Self { parts: canvas.parts.iter().zip(maps).map(part).collect() }
    }

    #[inline]
    fn find(&self, vertex: u32) -> &MapPart<'a> {
        match &self.parts[..] {
            [part] => part,
            parts => &parts[parts.partition_point(|p| p.first <= vertex) - 1],
        }
    }

    /// The map of a vertex, and the vertex's index in the map.
    #[inline]
    pub fn map_of(&self, vertex: u32) -> (&'a WeightMap, usize) {
        let part = self.find(vertex);
        (part.map, to_index(vertex - part.first))
    }

    /// The joints and weights of a vertex.
    #[inline]
    pub fn slots(&self, vertex: u32) -> (&'a [u16], &'a [f32]) {
        let part = self.find(vertex);
        let at = to_index(vertex - part.first) * part.stride;
        (&part.joints[at..at + part.stride], &part.weights[at..at + part.stride])
    }

    /// The map of a part.
    pub fn part(&self, part: usize) -> &'a WeightMap {
        self.parts[part].map
    }

    /// Reads a vertex.
    ///
    /// # Errors
    /// As for [`Influences::read`].
    #[inline]
    pub fn read(
        &self,
        vertex: u32,
        list: &mut Influences,
        rule: &WeightConstraints<'_>,
    ) -> Result<(), Refusal> {
        let (joints, weights) = self.slots(vertex);
        list.read(joints, weights, rule)
    }
}

/// Joint positions of a skin in the bind pose, in mesh space.
pub fn joint_heads(document: &Document, skin: SkinId) -> Vec<Vec3> {
    document
        .skin(skin)
        .inverse_bind
        .iter()
        .map(|inverse| inverse.inverse().w_axis.truncate())
        .collect()
}

/// Joint axes of a skin in the bind pose, in mesh space, as unit vectors; 0 for an axis without
/// length.
pub fn joint_axes(document: &Document, skin: SkinId) -> Vec<Mat3> {
    let axes = |inverse: &Mat4| {
        let bound = inverse.inverse();
        let unit = |axis: Vec4| axis.truncate().normalize_or_zero();
        Mat3::from_cols(unit(bound.x_axis), unit(bound.y_axis), unit(bound.z_axis))
    };
    document.skin(skin).inverse_bind.iter().map(axes).collect()
}

/// The nearest ancestor joint of each joint of a skin.
pub fn joint_parents(document: &Document, skin: SkinId) -> Vec<Option<JointSlot>> {
    joints_above(document, &document.skin(skin).joints)
}

/// The nearest ancestor of each joint among the given joints.
pub fn joints_above(document: &Document, joints: &[NodeId]) -> Vec<Option<JointSlot>> {
    let mut by_node = vec![None; document.nodes.len()];
    // A node that is listed twice counts at its first index.
    for (slot, joint) in JointSlot::first(joints.len()).zip(joints) {
        by_node[joint.index()].get_or_insert(slot);
    }
    let parent_of = |joint: &NodeId| {
        let mut at = document.node(*joint).parent;
        while let Some(node) = at {
            if let Some(above) = by_node[node.index()] {
                return Some(above);
            }
            at = document.node(node).parent;
        }
        None
    };
    joints.iter().map(parent_of).collect()
}
