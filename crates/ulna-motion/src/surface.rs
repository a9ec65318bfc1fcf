//! The posed surface for ray hits. It is used for picking on the skin and for brushes.

use glam::{Mat4, Vec3};

use super::{Placement, Pose, Posed, skinning};
use ulna_geometry::{Bvh, LeavesOf, Ray};
use ulna_model::{Document, NodeId, Primitive, PrimitiveId, Slice, Topology};

/// A hit of a ray on the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance along the ray, meters.
    pub distance: f32,
    /// The node whose mesh was hit.
    pub node: NodeId,
    /// The primitive that was hit.
    pub primitive: PrimitiveId,
    /// Indices of the vertices of the triangle that was hit.
    pub vertices: [u32; 3],
    /// Barycentric coordinates of the hit, one per vertex. Their sum is 1.
    pub shares: [f32; 3],
}

/// One primitive of the posed surface.
#[derive(Clone, Debug)]
struct PosedMesh {
    node: NodeId,
    primitive: PrimitiveId,
    source: Source,
    base_normals: Slice<Vec3>,
    /// Vertices in scene space. If the mesh is instanced (`places`), they are in mesh space.
    posed: Posed,
    /// `scene_from_mesh` of each instance; `None` if the mesh is not instanced.
    places: Option<Vec<Mat4>>,
    /// Whether the pose hides the node.
    hidden: bool,
    bvh: Bvh,
    /// Index from vertices to leaves of the tree. For small primitives, it is built when vertices
    /// first move.
    leaves: Option<LeavesOf>,
}

/// Minimum number of vertices of a large primitive. For large primitives, the index from vertices
/// to leaves is built together with the tree, in the background. Otherwise, the first brush dab
/// would be delayed.
const MANY_VERTICES: usize = 50_000;

/// Input data of a posed mesh. The tree and the normals are reused while the data share the same
/// memory.
#[derive(Clone, Debug)]
struct Source {
    positions: Slice<Vec3>,
    normals: Slice<Vec3>,
    indices: Slice<u32>,
}

impl Source {
    fn of(primitive: &Primitive) -> Self {
        let Primitive { positions, normals, indices, .. } = primitive.clone();
        Self { positions, normals, indices }
    }

    fn is(&self, primitive: &Primitive) -> bool {
        Slice::ptr_eq(&self.positions, &primitive.positions)
            && Slice::ptr_eq(&self.normals, &primitive.normals)
            && Slice::ptr_eq(&self.indices, &primitive.indices)
    }
}

/// Vertices of one posed primitive of a surface.
#[derive(Clone, Copy, Debug)]
pub struct PartView<'a> {
    /// The node that shows the mesh.
    pub node: NodeId,
    /// The primitive of the mesh.
    pub primitive: PrimitiveId,
    /// Positions of the vertices in scene space, meters. If the mesh is instanced (`places`), they
    /// are in mesh space.
    pub positions: &'a [Vec3],
    /// Unit normals of the vertices, in the space of the positions; zero if a normal has no
    /// direction.
    pub normals: &'a [Vec3],
    /// `scene_from_mesh` of each instance; `None` if the mesh is not instanced.
    pub places: Option<&'a [Mat4]>,
}

/// All shown triangles of a document in one pose.
///
/// This is the only place where all shown vertices are skinned on the CPU. The surface has one list
/// per primitive of a node, and a hit identifies this primitive. `PosedSurface` of `ulna-weights`
/// has one list per skin, with copies of these vertices.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    parts: Vec<PosedMesh>,
}

impl Surface {
    /// Poses every shown triangle mesh.
    pub fn new(document: &Document, pose: &Pose) -> Self {
        let mut surface = Self::default();
        surface.update(document, pose);
        surface
    }

    /// Poses the surface again. If the triangles are unchanged, the tree is refitted instead of
    /// rebuilt.
    pub fn update(&mut self, document: &Document, pose: &Pose) {
        let mut old = std::mem::take(&mut self.parts).into_iter();
        for node in document.shown_nodes() {
            let Some(mesh) = document.node(node).mesh else { continue };
            for (index, primitive) in document.mesh(mesh).entries() {
                if primitive.topology != Topology::Triangles {
                    continue;
                }
                let same = |p: &PosedMesh| {
                    p.node == node && p.primitive == index && p.source.is(primitive)
                };
                let mut part = old.next().filter(same).unwrap_or_else(|| PosedMesh {
                    node,
                    primitive: index,
                    source: Source::of(primitive),
                    base_normals: skinning::base_normals(primitive),
                    posed: Posed::default(),
                    places: None,
                    hidden: false,
                    bvh: Bvh::default(),
                    leaves: None,
                });
                part.hidden = pose.hidden.contains(&node);
                part.places = skinning::instances(document, pose, node);
                let placement = part.placement(document, pose, primitive);
                let morphs = &pose.morphs[node.index()];
                skinning::skin(primitive, &part.base_normals, morphs, &placement, &mut part.posed);
                if part.bvh.triangle_count() == 0 {
                    part.bvh = Bvh::build(&part.posed.positions, &primitive.indices);
                    let count = part.posed.positions.len();
                    part.leaves =
                        (count > MANY_VERTICES).then(|| part.bvh.leaves_of_vertices(count));
                } else {
                    part.bvh.refit(&part.posed.positions);
                }
                self.parts.push(part);
            }
        }
    }

    /// Poses a few vertices of one primitive again after a change of their weights. The pose must
    /// be that of the last [`Surface::update`]. Primitives that are not shown and vertex indices
    /// out of range are ignored.
    pub fn move_vertices(
        &mut self,
        document: &Document,
        pose: &Pose,
        node: NodeId,
        primitive: PrimitiveId,
        vertices: &[u32],
    ) {
        let Some(part) = self.parts.iter_mut().find(|p| p.node == node && p.primitive == primitive)
        else {
            return;
        };
        let mesh = document.nodes.get(node).and_then(|n| n.mesh);
        let Some(source) =
            mesh.and_then(|m| document.primitive(m, primitive)).filter(|p| part.source.is(p))
        else {
            return;
        };
        let count = part.posed.positions.len();
        let there: Vec<u32> = vertices.iter().copied().filter(|v| (*v as usize) < count).collect();
        let placement = part.placement(document, pose, source);
        let morphs = &pose.morphs[node.index()];
        skinning::skin_some(
            source,
            &part.base_normals,
            morphs,
            &placement,
            &there,
            &mut part.posed,
        );
        let leaves =
            part.leaves.get_or_insert_with(|| part.bvh.leaves_of_vertices(count)).of(&there);
        part.bvh.refit_leaves(leaves, &part.posed.positions);
    }

    /// Iterates over all parts. [`Surface::around`] identifies them by index.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = PartView<'_>> {
        self.parts.iter().map(|part| PartView {
            node: part.node,
            primitive: part.primitive,
            positions: &part.posed.positions,
            normals: &part.posed.normals,
            places: part.places.as_deref(),
        })
    }

    /// Finds the posed vertices within `radius` meters of a scene position. Calls `add` with the
    /// index of a part and its vertices. A few vertices outside of the radius may be included, but
    /// no vertex is repeated. Instances and vertices without triangles are left out.
    pub fn around(&self, center: Vec3, radius: f32, add: &mut impl FnMut(usize, &[u32])) {
        for (k, part) in self.parts.iter().enumerate().filter(|(_, p)| p.places.is_none()) {
            part.bvh.around(center, radius, &mut |list| add(k, list));
        }
    }

    /// Returns the lowest and the highest corner of all visible parts, or of the hidden parts if
    /// there are no visible ones. `None` if no point is finite.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        self.bounds_of(false).or_else(|| self.bounds_of(true))
    }

    /// Returns the lowest and the highest corner of either the hidden parts or the visible parts.
    fn bounds_of(&self, hidden: bool) -> Option<(Vec3, Vec3)> {
        let mut bounds: Option<(Vec3, Vec3)> = None;
        let mut grow = |p: Vec3| {
            if p.is_finite() {
                let (low, high) = bounds.get_or_insert((p, p));
                *low = low.min(p);
                *high = high.max(p);
            }
        };
        for part in self.parts.iter().filter(|p| p.hidden == hidden) {
            match &part.places {
                // Vertices without triangles are not visible. The root box contains all other
                // vertices, if they are finite.
                None => match part
                    .bvh
                    .bounds()
                    .filter(|(low, high)| low.is_finite() && high.is_finite())
                {
                    Some((low, high)) => [low, high].into_iter().for_each(&mut grow),
                    None => part.posed.positions.iter().copied().for_each(&mut grow),
                },
                Some(places) => {
                    // Use the corners of the mesh's own box. The result may be too large, but not
                    // too small.
                    let Some((low, high)) = part.bvh.bounds() else { continue };
                    for corner in 0..8u32 {
                        let pick = |k: u32| corner >> k & 1 == 1;
                        let corner =
                            Vec3::select(glam::BVec3::new(pick(0), pick(1), pick(2)), high, low);
                        places.iter().for_each(|m| grow(m.transform_point3(corner)));
                    }
                }
            }
        }
        bounds
    }

    /// Returns the corners of a hit triangle in scene space. `None` for instances, since a hit does
    /// not identify the instance.
    pub fn corners(&self, hit: &Hit) -> Option<[Vec3; 3]> {
        let is_it = |p: &&PosedMesh| {
            (p.node, p.primitive) == (hit.node, hit.primitive) && p.places.is_none()
        };
        let part = self.parts.iter().find(is_it)?;
        let [a, b, c] = hit.vertices.map(|v| part.posed.positions.get(v as usize).copied());
        Some([a?, b?, c?])
    }

    /// Finds the nearest triangle that a ray hits, from the front or the back. Nodes for which
    /// `skip` is true are ignored.
    pub fn hit(
        &self,
        document: &Document,
        ray: &Ray,
        skip: &dyn Fn(NodeId) -> bool,
    ) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        for part in self.parts.iter().filter(|p| !skip(p.node)) {
            // The surface may have been made from an older document.
            let mesh = document.nodes.get(part.node).and_then(|n| n.mesh);
            let primitive = mesh.and_then(|m| document.primitive(m, part.primitive));
            let Some(primitive) = primitive else { continue };
            let own = std::slice::from_ref(&Mat4::IDENTITY);
            for place in part.places.as_deref().unwrap_or(own) {
                let limit = best.map_or(f32::INFINITY, |h| h.distance);
                // The direction is not normalized in mesh space, so distances along the ray are the
                // same in both spaces.
                let mesh_from_scene = place.inverse();
                let local = Ray {
                    origin: mesh_from_scene.transform_point3(ray.origin),
                    direction: mesh_from_scene.transform_vector3(ray.direction),
                };
                let found = part.bvh.hit(&part.posed.positions, &primitive.indices, &local, limit);
                let Some((distance, triangle, shares)) = found else { continue };
                let corner = &primitive.indices[triangle * 3..triangle * 3 + 3];
                best = Some(Hit {
                    distance,
                    node: part.node,
                    primitive: part.primitive,
                    vertices: [corner[0], corner[1], corner[2]],
                    shares,
                });
            }
        }
        best
    }
}

impl PosedMesh {
    fn placement(&self, document: &Document, pose: &Pose, primitive: &Primitive) -> Placement {
        match self.places {
            Some(_) => Placement::Rigid(Mat4::IDENTITY),
            None => Placement::of(document, pose, self.node, primitive),
        }
    }
}

/// Returns the joints with influence at a hit and their weights, the largest weight first.
pub fn joints_at(document: &Document, hit: &Hit) -> Vec<(NodeId, f32)> {
    let node = document.node(hit.node);
    let Some((skin, mesh)) = node.skin.zip(node.mesh) else { return Vec::new() };
    let Some(weights) = &document.mesh(mesh).primitives[hit.primitive.index()].weights else {
        return Vec::new();
    };
    let joints = &document.skin(skin).joints;
    let mut shares: std::collections::BTreeMap<NodeId, f32> = std::collections::BTreeMap::new();
    for (vertex, share) in hit.vertices.iter().zip(hit.shares) {
        for (joint, weight) in weights.vertex(*vertex as usize) {
            if let Some(joint) = joints.get(usize::from(joint)).filter(|_| weight > 0.0) {
                *shares.entry(*joint).or_default() += weight * share;
            }
        }
    }
    let mut list: Vec<_> = shares.into_iter().collect();
    list.sort_by(|a, b| b.1.total_cmp(&a.1));
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Stack, tube};
    use ulna_model::{MeshId, Shared};

    #[test]
    fn every_instance_is_hit_at_its_position() {
        let places = [Vec3::ZERO, Vec3::new(5.0, 0.0, 0.0), Vec3::new(0.0, 3.0, 1.0)];
        let mut document = Document::default();
        let triangle = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let primitive = ulna_model::Primitive {
            topology: Topology::Triangles,
            positions: triangle.into(),
            normals: Default::default(),
            tangents: Default::default(),
            uv0: Default::default(),
            uv1: Default::default(),
            colors: Default::default(),
            indices: [0, 1, 2].into(),
            material: None,
            variants: Default::default(),
            targets: Default::default(),
            weights: None,
        };
        let mesh = ulna_model::Mesh {
            name: None,
            primitives: vec![primitive],
            default_weights: Default::default(),
            target_names: Vec::new(),
            kept_weight_layers: None,
        };
        document.file.meshes = vec![Shared::new(mesh)].into();
        let scaled = |translation| ulna_model::Transform {
            translation,
            scale: Vec3::splat(2.0),
            ..ulna_model::Transform::IDENTITY
        };
        let node = ulna_model::Node {
            mesh: Some(0.into()),
            instances: Some(places.map(scaled).into()),
            ..ulna_model::Node::default()
        };
        document.file.nodes = vec![node].into();
        let pose = Pose::evaluate(&document, &Stack::default());
        let surface = Surface::new(&document, &pose);
        for place in places {
            let ray = Ray { origin: place + Vec3::new(0.5, 0.5, 10.0), direction: Vec3::NEG_Z };
            let hit = surface.hit(&document, &ray, &|_| false).expect("a hit");
            assert!((hit.distance - 10.0).abs() < 1e-5, "{}", hit.distance);
        }
        let aside = Ray { origin: Vec3::new(3.0, 0.5, 10.0), direction: Vec3::NEG_Z };
        assert!(surface.hit(&document, &aside, &|_| false).is_none());
        assert_eq!(surface.bounds(), Some((Vec3::ZERO, Vec3::new(7.0, 5.0, 1.0))));
    }
    /// A skinned tube, a rigid tube next to it, and a tube with two instances.
    fn three_tubes() -> Document {
        let mut document = tube::tube(|y| f32::from(y > 0.5));
        tube::bend(&mut document, glam::Quat::from_rotation_z(0.9));
        for (at, instanced) in [(0.15, false), (0.0, true)] {
            let mut node = tube::node(None, Vec3::new(at, 0.0, 0.0));
            node.mesh = Some(0.into());
            node.instances = instanced.then(|| {
                [0.0, 1.0]
                    .map(|x| ulna_model::Transform {
                        translation: Vec3::new(x, 0.0, 0.0),
                        ..ulna_model::Transform::IDENTITY
                    })
                    .into()
            });
            document.file.nodes.swap(&mut [(document.nodes.next_id(), Some(Box::new(node)))]);
        }
        document
    }

    #[test]
    fn a_sphere_query_returns_vertices_of_posed_parts_but_not_of_instances() {
        let document = three_tubes();
        let pose = Pose::evaluate(&document, &Stack::default());
        let surface = Surface::new(&document, &pose);
        let parts: Vec<PartView<'_>> = surface.parts().collect();
        assert_eq!(
            parts.iter().map(|p| p.places.map_or(0, <[Mat4]>::len)).collect::<Vec<_>>(),
            [0, 0, 2]
        );
        let mut seen = [0; 3];
        for center in
            [Vec3::new(0.1, 0.5, 0.0), Vec3::new(-0.4, 0.8, 0.0), Vec3::new(0.2, 0.1, 0.1)]
        {
            let mut found = Vec::new();
            surface.around(center, 0.17, &mut |part, list| {
                found.extend(list.iter().map(|v| (part, *v)))
            });
            let mut plain = Vec::new();
            for (k, part) in parts.iter().enumerate().filter(|(_, p)| p.places.is_none()) {
                let near =
                    part.positions.iter().enumerate().filter(|(_, p)| p.distance(center) <= 0.17);
                plain.extend(near.map(|(v, _)| (k, v as u32)));
            }
            found.sort_unstable();
            assert!(found.is_sorted_by(|a, b| a < b), "each once");
            found.retain(|(part, v)| parts[*part].positions[*v as usize].distance(center) <= 0.17);
            assert_eq!(found, plain);
            found.iter().for_each(|(part, _)| seen[*part] += 1);
        }
        assert!(seen[0] > 50 && seen[1] > 50 && seen[2] == 0, "{seen:?}");
    }

    #[test]
    fn posed_normals_are_perpendicular_to_the_posed_surface() {
        let document = three_tubes();
        let pose = Pose::evaluate(&document, &Stack::default());
        let surface = Surface::new(&document, &pose);
        let part = surface.parts().next().expect("the tube");
        // Away from its ends and its bend, a tube's normals point away from its axis.
        for (ring, axis) in [(10, Vec3::Y), (30, glam::Quat::from_rotation_z(0.9) * Vec3::Y)] {
            for v in ring * tube::ROUND..(ring + 1) * tube::ROUND {
                let middle =
                    part.positions[ring * tube::ROUND..][..tube::ROUND].iter().sum::<Vec3>()
                        / tube::ROUND as f32;
                let out = (part.positions[v] - middle).normalize_or_zero();
                assert!(part.normals[v].dot(axis).abs() < 1e-3);
                assert!(part.normals[v].dot(out) > 0.99, "{} {out}", part.normals[v]);
            }
        }
    }

    #[test]
    fn moving_a_few_vertices_equals_a_full_update() {
        let mut document = three_tubes();
        let pose = Pose::evaluate(&document, &Stack::default());
        let mut surface = Surface::new(&document, &pose);
        let changed = [1u32, 500, 501, 502, 700, 40_000];
        let before =
            document.mesh(0.into()).primitives[0].weights.as_deref().expect("weights").clone();
        let mut weights = before.clone();
        for v in &changed[..5] {
            let at = *v as usize * 4;
            weights.weights.make_mut()[at..at + 2].swap(0, 1);
        }
        tube::set_weights(&mut document, weights);
        surface.move_vertices(&document, &pose, tube::MESH, PrimitiveId(0), &changed);
        // Primitives that are not shown are ignored.
        surface.move_vertices(&document, &pose, NodeId(0), PrimitiveId(0), &changed);
        surface.move_vertices(&document, &pose, tube::MESH, PrimitiveId(7), &changed);
        let fresh = Surface::new(&document, &pose);
        for (found, wanted) in surface.parts().zip(fresh.parts()) {
            for v in 0..found.positions.len() {
                assert!(found.positions[v].distance(wanted.positions[v]) < 1e-6);
                assert!(found.normals[v].distance(wanted.normals[v]) < 1e-4);
            }
        }
        let moved = surface.parts().next().expect("the tube").positions[500];
        // The tree is up to date if a query at the new position finds the vertex.
        let mut near = Vec::new();
        surface.around(moved, 1e-3, &mut |part, list| near.extend(list.iter().map(|v| (part, *v))));
        assert!(near.contains(&(0, 500)));
        assert_eq!(surface.bounds(), fresh.bounds());
        // If the triangles change, the tree is rebuilt.
        let mesh = Shared::make_mut(document.file.meshes.get_mut(MeshId(0)).expect("it is there"));
        mesh.primitives[0].indices = mesh.primitives[0].indices.iter().rev().copied().collect();
        surface.update(&document, &pose);
        assert_eq!(surface.bounds(), fresh.bounds());
    }
}
