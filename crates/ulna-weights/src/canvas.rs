//! Paintable surface of one skin. All its primitives are joined, and coincident vertices are welded
//! to points with neighbors.
//!
//! A file splits a vertex where normals, texture coordinates or materials differ, and between
//! primitives and meshes. The resulting coincident vertices share one point. They always get the
//! same weights, because results depend only on the point.

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
    /// First node with this mesh and skin.
    pub node: NodeId,
    /// Mesh of the primitive.
    pub mesh: MeshId,
    /// Primitive within the mesh.
    pub primitive: PrimitiveId,
    /// Index of the part's first vertex in the surface.
    pub first: u32,
    /// Number of vertices of the part.
    pub count: u32,
}

/// Rest positions and connectivity of a part.
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

/// Joined surface of all primitives of one skin. Vertices are numbered consecutively, part by part.
#[derive(Debug)]
pub struct SkinnedSurface {
    /// Skin of all parts.
    pub skin: SkinId,
    parts: Vec<SurfacePart>,
    shapes: Vec<Drawn>,
    /// Index of each part's skin; empty if all parts have the same skin. Coincident vertices of
    /// different skins are different points.
    owners: Vec<u16>,
    count: u32,
    joints: Shared<[NodeId]>,
    heads: Vec<Vec3>,
    parents: Vec<Option<JointSlot>>,
    /// Topology of the surface. It is computed on demand, because single-vertex queries do not need
    /// it.
    topo: OnceLock<Topo>,
    flaws: OnceLock<WeightIssues>,
    branches: OnceLock<Branches>,
}

impl SkinnedSurface {
    /// Creates the surface of a skin from the shown scene. `None` if no primitive has weights.
    pub fn new(document: &Document, skin: SkinId) -> Option<Self> {
        Self::of_nodes(document, skin, document.shown_nodes())
    }

    /// Creates the surface of a skin from all scenes. `None` if no primitive has weights.
    pub fn whole(document: &Document, skin: SkinId) -> Option<Self> {
        Self::of_nodes(document, skin, document.node_ids())
    }

    /// Creates the surface of a skin from the meshes at some nodes.
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

    /// Combines several surfaces into one. Each surface has a matrix to the common space. `joints`
    /// lists the joints of all surfaces, and `heads` their positions in that space. A primitive
    /// that occurs in several surfaces is included once.
    ///
    /// Also returns, per part, the index of its surface and its index within that surface. Returns
    /// `None` if there are too many vertices.
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

    /// Returns the index of each point's skin; empty if all points have the same skin.
    pub(super) fn owners(&self) -> Vec<u16> {
        if self.owners.is_empty() {
            return Vec::new();
        }
        self.topo().firsts.iter().map(|v| self.owners[self.part_of(*v).0]).collect()
    }

    /// Returns the topology. Callers with many queries keep the reference.
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
                    // A primitive of single points has no edges, so its points have no neighbors.
                    Topology::Points => {}
                }
            }
            Topo::of(point_of, rest, corners, &ends)
        })
    }

    /// Whether the topology is already computed. Otherwise, the first query computes it and blocks.
    pub fn is_ready(&self) -> bool {
        self.topo.get().is_some()
    }

    /// Computes the topology in advance. A background thread calls this, so that later queries do
    /// not block.
    pub fn prepare(&self) {
        self.flaws();
    }

    /// Returns the problems of the triangles, such as open edges.
    pub fn flaws(&self) -> &WeightIssues {
        self.flaws.get_or_init(|| WeightIssues::of(self.topo(), self.point_count()))
    }

    /// Returns the primitives of the surface.
    pub fn parts(&self) -> &[SurfacePart] {
        &self.parts
    }

    /// Returns the number of vertices.
    pub const fn vertex_count(&self) -> usize {
        to_index(self.count)
    }

    /// Returns the number of welded points.
    pub fn point_count(&self) -> usize {
        self.topo().rest.len()
    }

    /// Returns the joints of the skin.
    pub fn joints(&self) -> &[NodeId] {
        &self.joints
    }

    /// Returns the joint positions in the bind pose, in mesh space.
    pub fn heads(&self) -> &[Vec3] {
        &self.heads
    }

    /// Returns the index of a joint in the skin.
    pub fn joint(&self, node: NodeId) -> Option<u16> {
        let mut slots = JointSlot::first(self.joints.len()).zip(self.joints.iter());
        slots.find(|(_, joint)| **joint == node).map(|(slot, _)| slot.0)
    }

    /// Returns the nearest ancestor joint of each joint.
    pub fn parents(&self) -> &[Option<JointSlot>] {
        &self.parents
    }

    /// Returns the subtrees of the joints.
    pub(super) fn branches(&self) -> &Branches {
        self.branches.get_or_init(|| Branches::of(&self.parents))
    }

    /// Returns the welded point of a vertex.
    #[inline]
    pub fn point_of(&self, vertex: u32) -> PointId {
        self.topo().point_of[to_index(vertex)]
    }

    /// Returns the first vertex of a point. Its weights are read for the whole point.
    #[inline]
    pub fn first_at(&self, point: PointId) -> u32 {
        self.topo().firsts[point.index()]
    }

    /// Returns all vertices of a point; at least one.
    #[inline]
    pub fn vertices_at(&self, point: PointId) -> &[u32] {
        self.topo().vertices.row(point.index())
    }

    /// Returns the neighbors of a point: the points that share an edge with it.
    #[inline]
    pub fn ring(&self, point: PointId) -> &[PointId] {
        self.topo().rings.row(point.index())
    }

    /// Returns the triangles around a point. Each triangle is given by its two other points.
    pub(super) fn fan(&self, point: PointId) -> &[[PointId; 2]] {
        self.topo().fan(point)
    }

    /// Returns the rest positions of the points, in mesh space.
    pub fn rest(&self) -> &[Vec3] {
        &self.topo().rest
    }

    /// Returns the part of a vertex, and the index of the vertex in that part.
    pub fn part_of(&self, vertex: u32) -> (usize, u32) {
        let part = self.parts.partition_point(|p| p.first <= vertex) - 1;
        (part, vertex - self.parts[part].first)
    }

    /// Returns the surface index of a primitive's vertex.
    pub fn vertex_of(&self, mesh: MeshId, primitive: PrimitiveId, vertex: u32) -> Option<u32> {
        let part = self.parts.iter().find(|p| p.mesh == mesh && p.primitive == primitive)?;
        (vertex < part.count).then_some(part.first + vertex)
    }

    /// Returns the weight maps of all parts, for repeated reads.
    pub fn maps<'a>(&self, document: &'a Document) -> Maps<'a> {
        let map = |p: &SurfacePart| {
            document.mesh(p.mesh).primitives[p.primitive.index()].weights.as_deref()
        };
        Maps::of(self, self.parts.iter().filter_map(map))
    }

    /// Whether two surfaces have the same primitives and joints. Their points then have the same
    /// indices.
    pub(super) fn is_of_the_same(&self, other: &Self) -> bool {
        self.skin == other.skin
            && self.parts == other.parts
            && self.joints == other.joints
            && self.shapes.iter().zip(&other.shapes).all(|(a, b)| a.is_same(b))
    }

    /// Whether a document still has all parts, with the same numbers of vertices.
    pub fn fits(&self, document: &Document) -> bool {
        self.parts.iter().all(|p| {
            document.primitive(p.mesh, p.primitive).is_some_and(|primitive| {
                primitive.positions.len() == to_index(p.count) && primitive.weights.is_some()
            })
        })
    }
}

/// The weight maps of a surface's parts.
#[derive(Clone, Debug)]
pub struct Maps<'a> {
    parts: Vec<MapPart<'a>>,
}

/// A weight map with direct references to its slots. This avoids a lookup per vertex.
#[derive(Clone, Copy, Debug)]
struct MapPart<'a> {
    first: u32,
    stride: usize,
    map: &'a WeightMap,
    joints: &'a [u16],
    weights: &'a [f32],
}

impl<'a> Maps<'a> {
    /// Creates the list from weights that are being edited, one map per part.
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

    /// Returns the map of a vertex, and the index of the vertex in that map.
    #[inline]
    pub fn map_of(&self, vertex: u32) -> (&'a WeightMap, usize) {
        let part = self.find(vertex);
        (part.map, to_index(vertex - part.first))
    }

    /// Returns the joint indices and weights of a vertex, as stored.
    #[inline]
    pub fn slots(&self, vertex: u32) -> (&'a [u16], &'a [f32]) {
        let part = self.find(vertex);
        let at = to_index(vertex - part.first) * part.stride;
        (&part.joints[at..at + part.stride], &part.weights[at..at + part.stride])
    }

    /// Returns the map of a part.
    pub fn part(&self, part: usize) -> &'a WeightMap {
        self.parts[part].map
    }

    /// Reads the influences of a vertex.
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

/// Returns the joint positions of a skin in the bind pose, in mesh space.
pub fn joint_heads(document: &Document, skin: SkinId) -> Vec<Vec3> {
    document
        .skin(skin)
        .inverse_bind
        .iter()
        .map(|inverse| inverse.inverse().w_axis.truncate())
        .collect()
}

/// Returns the joint axes of a skin in the bind pose, in mesh space, as unit vectors; zero for an
/// axis without length.
pub fn joint_axes(document: &Document, skin: SkinId) -> Vec<Mat3> {
    let axes = |inverse: &Mat4| {
        let bound = inverse.inverse();
        let unit = |axis: Vec4| axis.truncate().normalize_or_zero();
        Mat3::from_cols(unit(bound.x_axis), unit(bound.y_axis), unit(bound.z_axis))
    };
    document.skin(skin).inverse_bind.iter().map(axes).collect()
}

/// Returns the nearest ancestor joint of each joint of a skin.
pub fn joint_parents(document: &Document, skin: SkinId) -> Vec<Option<JointSlot>> {
    joints_above(document, &document.skin(skin).joints)
}

/// Returns, for each of the given joints, its nearest ancestor among them.
pub fn joints_above(document: &Document, joints: &[NodeId]) -> Vec<Option<JointSlot>> {
    let mut by_node = vec![None; document.nodes.len()];
    // A node that is listed twice uses its first index.
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
