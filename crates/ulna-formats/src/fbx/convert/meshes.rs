//! Conversion of meshes: faces are triangulated, and equal corners become one vertex.

use std::collections::{BTreeMap, HashMap};

use glam::Vec3;
use ufbx::{Mesh, Node, VertexStream};

use super::{
    Builder,
    materials::normal_map,
    math::{finite, floats3, unit3, vec3},
};
use crate::{
    gltf::{Progress, ReadError},
    import::{Content, MeshOut, PrimitiveOut},
};

/// Maximum number of texture coordinate sets, and of color sets.
const MOST_SETS: usize = 8;

/// Attributes of all triangle corners of a mesh. Missing attributes have empty lists.
#[derive(Default)]
struct Corners {
    /// Vertex index in the file of each corner.
    places: Vec<u32>,
    normals: Vec<[f32; 3]>,
    tangents: Vec<[f32; 4]>,
    uvs: Vec<Vec<[f32; 2]>>,
    colors: Vec<Vec<[f32; 4]>>,
}

/// Converted content of a mesh that all of its nodes share.
struct Surface {
    mesh: MeshOut,
    /// Vertex index in the file of each vertex.
    places: Vec<u32>,
    /// Triangles by material index.
    parts: BTreeMap<u32, Vec<u32>>,
}

impl<'a> Builder<'a> {
    /// Converts all meshes, and adds them to their nodes.
    pub(super) fn meshes(&mut self, progress: &Progress) -> Result<(), ReadError> {
        let scene = self.scene;
        let count = scene.meshes.count.max(1) as f32;
        let mut shared: HashMap<(u32, Vec<Option<usize>>), usize> = HashMap::new();
        for (k, mesh) in scene.meshes.into_iter().enumerate() {
            progress.reach(0.5 + 0.25 * k as f32 / count)?;
            let Some(surface) = self.surface(mesh)? else { continue };
            for node in &mesh.element.instances {
                // A glTF node has only one mesh, so further meshes are counted as a loss.
                let is_its = node
                    .mesh
                    .as_ref()
                    .is_some_and(|m| m.element.element_id == mesh.element.element_id);
                if is_its {
                    self.instance(node, mesh, &surface, &mut shared)?;
                } else {
                    self.findings.second_meshes += 1;
                }
            }
        }
        Ok(())
    }

    /// Adds a mesh to a node. Nodes with the same materials and without a skin share one glTF mesh.
    fn instance(
        &mut self,
        node: &'a Node,
        mesh: &'a Mesh,
        surface: &Surface,
        shared: &mut HashMap<(u32, Vec<Option<usize>>), usize>,
    ) -> Result<(), ReadError> {
        let Some(at) = self.nodes.get(&node.element.typed_id).copied() else { return Ok(()) };
        let of_part: Vec<Option<usize>> =
            surface.parts.keys().map(|k| self.material_of(node, mesh, *k)).collect();
        let is_skinned = mesh.skin_deformers.count > 0;
        let key = (mesh.element.typed_id, of_part.clone());
        if !is_skinned && let Some(known) = shared.get(&key) {
            self.glb.nodes[at].mesh = Some(*known);
            self.note_morphs(node, mesh);
            return Ok(());
        }
        let mut out = surface.mesh.clone();
        out.primitives = surface
            .parts
            .values()
            .zip(of_part)
            .map(|(indices, material)| PrimitiveOut { material, indices: indices.clone() })
            .collect();
        if self.has(Content::BlendShapes) {
            out.morphs = self.morph_targets(mesh, &surface.places)?;
            self.note_morphs(node, mesh);
        }
        if is_skinned {
            self.glb.nodes[at].skin = self.skin(node, mesh, &surface.places, &mut out)?;
        }
        let made = self.glb.mesh(&out);
        self.glb.nodes[at].mesh = Some(made);
        shared.insert(key, made);
        Ok(())
    }

    /// Triangulates a mesh. `None` if it has no triangles.
    fn surface(&mut self, mesh: &Mesh) -> Result<Option<Surface>, ReadError> {
        let triangles = mesh.num_triangles as u64;
        // Memory for the attributes of all corners, twice.
        let sets =
            mesh.uv_sets.count.min(MOST_SETS) * 8 + mesh.color_sets.count.min(MOST_SETS) * 16;
        self.budget.take(triangles * 6 * (48 + sets as u64), &".fbx".into())?;
        let mut order: Vec<u32> = Vec::with_capacity(mesh.num_triangles * 3);
        let mut ends: Vec<(u32, usize)> = Vec::new();
        let mut buffer = vec![0u32; mesh.max_face_triangles * 3];
        for part in &mesh.material_parts {
            for face in &part.face_indices {
                let Some(face) = mesh.faces.as_ref().get(*face as usize).copied() else { continue };
                self.findings.ngons += usize::from(face.num_indices > 4);
                let made = mesh.triangulate_face(&mut buffer, face) as usize * 3;
                order.extend(&buffer[..made.min(buffer.len())]);
            }
            ends.push((part.index, order.len()));
        }
        if order.is_empty() {
            return Ok(None);
        }
        let mut corners = Corners::of(mesh, &order);
        let (indices, count) = corners.welded(order.len());
        let Corners { mut places, mut normals, mut tangents, mut uvs, mut colors } = corners;
        places.truncate(count);
        normals.truncate(count);
        tangents.truncate(count);
        uvs.iter_mut().for_each(|list| list.truncate(count));
        colors.iter_mut().for_each(|list| list.truncate(count));
        let mut parts: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut from = 0;
        for (part, to) in ends {
            if to > from {
                parts.entry(part).or_default().extend(&indices[from..to]);
            }
            from = to;
        }
        let vertices = mesh.vertices.as_ref();
        let at = |place: &u32| vertices.get(*place as usize).map_or([0.0; 3], |v| floats3(*v));
        let positions = places.iter().map(at).collect();
        let name = match mesh.element.name.as_ref() {
            // Usually, only the node has a name.
            "" => mesh.element.instances.into_iter().next().map(|n| n.element.name.to_string()),
            name => Some(name.to_owned()),
        };
        let mesh = MeshOut {
            name: name.filter(|n| !n.is_empty()).unwrap_or_else(|| "Mesh".to_owned()),
            positions,
            normals,
            tangents,
            uvs,
            colors,
            ..MeshOut::default()
        };
        Ok(Some(Surface { mesh, places, parts }))
    }
}

impl Corners {
    /// Reads the attributes of a mesh's corners, in the given order.
    fn of(mesh: &Mesh, order: &[u32]) -> Self {
        let places = mesh.vertex_indices.as_ref();
        let mut made = Self {
            places: order.iter().map(|c| places.get(*c as usize).copied().unwrap_or(0)).collect(),
            ..Self::default()
        };
        let at = |c: &u32| *c as usize;
        if mesh.vertex_normal.exists {
            made.normals = order.iter().map(|c| unit3(mesh.vertex_normal[at(c)])).collect();
        }
        let has_tangents = mesh.vertex_tangent.exists && mesh.vertex_bitangent.exists;
        if mesh.vertex_normal.exists && has_tangents && has_normal_map(mesh) {
            made.tangents = tangents(mesh, order).unwrap_or_default();
        }
        for set in mesh.uv_sets.as_ref().iter().take(MOST_SETS).filter(|s| s.vertex_uv.exists) {
            let uv = |c: &u32| {
                let uv = set.vertex_uv[at(c)];
                // In FBX, V increases upward.
                [finite(uv.x), finite(1.0 - uv.y)]
            };
            made.uvs.push(order.iter().map(uv).collect());
        }
        let sets = mesh.color_sets.as_ref().iter().take(MOST_SETS);
        for set in sets.filter(|s| s.vertex_color.exists) {
            let color = |c: &u32| {
                let v = set.vertex_color[at(c)];
                [finite(v.x), finite(v.y), finite(v.z), finite(v.w)].map(|v| v.clamp(0.0, 1.0))
            };
            made.colors.push(order.iter().map(color).collect());
        }
        made
    }

    /// Welds equal corners. Returns the vertex of each corner, and the number of vertices.
    fn welded(&mut self, corners: usize) -> (Vec<u32>, usize) {
        let mut indices = vec![0u32; corners];
        let mut streams = vec![VertexStream::new(&mut self.places)];
        if !self.normals.is_empty() {
            streams.push(VertexStream::new(&mut self.normals));
        }
        if !self.tangents.is_empty() {
            streams.push(VertexStream::new(&mut self.tangents));
        }
        streams.extend(self.uvs.iter_mut().map(|list| VertexStream::new(list)));
        streams.extend(self.colors.iter_mut().map(|list| VertexStream::new(list)));
        let made = ufbx::generate_indices(&mut streams, &mut indices, Default::default());
        drop(streams);
        match made {
            Ok(count) => (indices, count),
            // If memory is short, corners are not welded.
            Err(_) => ((0..corners as u32).collect(), corners),
        }
    }
}

/// Whether a mesh or one of its nodes uses a normal map. Otherwise, tangents are not needed.
fn has_normal_map(mesh: &Mesh) -> bool {
    let of_nodes = mesh.element.instances.into_iter().flat_map(|n| &n.materials);
    of_nodes.chain(&mesh.materials).any(|m| normal_map(m).is_some())
}

/// Tangents of corners, with the sign of the bitangent in w. `None` if a tangent has zero length.
fn tangents(mesh: &Mesh, order: &[u32]) -> Option<Vec<[f32; 4]>> {
    let tangent = |corner: &u32| {
        let at = *corner as usize;
        let normal = Vec3::from(unit3(mesh.vertex_normal[at]));
        let raw = vec3(mesh.vertex_tangent[at]).as_vec3();
        let square = (raw - normal * raw.dot(normal)).try_normalize()?;
        let up = vec3(mesh.vertex_bitangent[at]).as_vec3();
        let sign = if normal.cross(square).dot(up) < 0.0 { -1.0 } else { 1.0 };
        Some([square.x, square.y, square.z, sign])
    };
    order.iter().map(tangent).collect()
}
