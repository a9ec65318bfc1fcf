//! Meshes: faces become triangles, and corners that are alike become one vertex.

use std::collections::{BTreeMap, HashMap};

use glam::Vec3;
use ufbx::{Mesh, Node, VertexStream};

use super::{
    Builder,
    math::{finite, floats3, unit3, vec3},
};
use crate::{
    gltf::{Progress, ReadError},
    import::{Content, MeshOut, PrimitiveOut},
};

/// Sets of texture coordinates and of colors, at most.
const MOST_SETS: usize = 8;

/// Corners of the triangles of a mesh, side by side, with what each has; a list may be empty.
#[derive(Default)]
struct Corners {
    /// The vertex of the file.
    places: Vec<u32>,
    normals: Vec<[f32; 3]>,
    tangents: Vec<[f32; 4]>,
    uvs: Vec<Vec<[f32; 2]>>,
    colors: Vec<Vec<[f32; 4]>>,
}

/// A mesh without what differs between nodes that show it.
struct Surface {
    mesh: MeshOut,
    /// The vertex of the file of each vertex.
    places: Vec<u32>,
    /// Triangles by the number of their material in the mesh.
    parts: BTreeMap<u32, Vec<u32>>,
}

impl<'a> Builder<'a> {
    /// All meshes, on their nodes.
    pub(super) fn meshes(&mut self, progress: &Progress) -> Result<(), ReadError> {
        let scene = self.scene;
        let count = scene.meshes.count.max(1) as f32;
        let mut shared: HashMap<(u32, Vec<Option<usize>>), usize> = HashMap::new();
        for (k, mesh) in scene.meshes.into_iter().enumerate() {
            progress.reach(0.5 + 0.25 * k as f32 / count)?;
            let Some(surface) = self.surface(mesh)? else { continue };
            for node in &mesh.element.instances {
                // A node shows one; others are counted.
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

    /// A mesh on a node. Nodes with the same materials and without a skin share it.
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

    /// Triangles of a mesh; nothing where it has none.
    fn surface(&mut self, mesh: &Mesh) -> Result<Option<Surface>, ReadError> {
        let triangles = mesh.num_triangles as u64;
        // Corners with all that they have, twice.
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
            // Usual: the node has a name, its mesh none.
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
    /// Tells what corners of a mesh have, in an order.
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
        if mesh.vertex_normal.exists && mesh.vertex_tangent.exists && mesh.vertex_bitangent.exists {
            made.tangents = tangents(mesh, order).unwrap_or_default();
        }
        for set in mesh.uv_sets.as_ref().iter().take(MOST_SETS).filter(|s| s.vertex_uv.exists) {
            let uv = |c: &u32| {
                let uv = set.vertex_uv[at(c)];
                // In FBX V goes up.
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

    /// Puts corners that are alike in one place; the vertex of each corner, and how many there are.
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
            // Without memory for it each corner is a vertex.
            Err(_) => ((0..corners as u32).collect(), corners),
        }
    }
}

/// Tangents of corners with the sign of the bitangent; nothing where one has no direction.
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
