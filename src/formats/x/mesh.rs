//! `Mesh` and what stands in it → a mesh of glTF: corners that share position and normal become one vertex.

use std::collections::{BTreeMap, HashMap};

use glam::Vec3;
use serde_json::{Value, json};

use super::{
    build::{Builder, Numbers, finite, linear, mirror},
    declared::Declared,
};
use crate::formats::{gltf::ReadError, import::NodeOut};

/// A vertex that is written: which of the file's, and which normal.
pub(super) type Corner = (usize, Option<usize>);

/// Normals, and those of the corners of each face.
type Normals = (Vec<[f32; 3]>, Vec<Vec<usize>>);

/// Vertices as they are written, and the triangles of each material.
#[derive(Default)]
struct Corners {
    vertices: Vec<Corner>,
    triangles: BTreeMap<usize, Vec<u32>>,
}

impl Corners {
    /// Faces cut into triangles.
    fn of(faces: &[Vec<usize>], normals: Option<&Normals>, of_face: &[usize]) -> Self {
        let mut made = Self::default();
        let mut seen: HashMap<Corner, u32> = HashMap::new();
        for (f, face) in faces.iter().enumerate() {
            let corners: Vec<u32> = face
                .iter()
                .enumerate()
                .map(|(c, position)| {
                    let key = (*position, normals.map(|(_, of)| of[f][c]));
                    *seen.entry(key).or_insert_with(|| {
                        made.vertices.push(key);
                        made.vertices.len() as u32 - 1
                    })
                })
                .collect();
            let list = made.triangles.entry(of_face.get(f).copied().unwrap_or(0)).or_default();
            for k in 1..corners.len().saturating_sub(1) {
                // Mirrored, so the other way round.
                list.extend([corners[0], corners[k + 1], corners[k]]);
            }
        }
        made.triangles.retain(|_, list| !list.is_empty());
        made
    }
}

/// Values of the file's vertices, for those that are written.
fn spread<const N: usize>(vertices: &[Corner], values: &[[f32; N]]) -> Vec<f32> {
    vertices.iter().flat_map(|(p, _)| values[*p]).collect()
}

impl Builder<'_, '_> {
    /// A mesh under a frame.
    pub(super) fn mesh(&mut self, object: usize, parent: Option<usize>) -> Result<(), ReadError> {
        let tree = self.tree;
        let mut numbers = Numbers { object: &tree[object], at: 0 };
        let count = numbers.count(3)?;
        let mut positions = Vec::with_capacity(count);
        let mut none = 0usize;
        for _ in 0..count {
            positions.push(mirror(finite(numbers.vec3()?, &mut none)));
        }
        if none > 0 {
            self.odd(object, format!("{none} of its coordinates are no numbers; they are 0"));
        }
        let faces = faces_of(&mut numbers, count)?;
        if faces.iter().any(|f| f.len() < 3) {
            self.odd(object, "some faces have fewer than three corners and are not shown");
        }
        let mut declared = self.declared(object, count)?;
        let normals = self.normals(object, &faces)?;
        if let Some(colors) = self.vertex_colors(object, count)? {
            declared.colors = Some(colors);
        }
        if let Some(uvs) = self.coordinates(object, count)? {
            declared.uvs[0] = Some(uvs);
        }
        let (of_face, materials) = self.material_list(object, faces.len())?;
        let corners = Corners::of(&faces, normals.as_ref(), &of_face);
        if corners.triangles.is_empty() {
            return Ok(());
        }
        let mut attributes =
            json!({"POSITION": self.glb.floats(&spread(&corners.vertices, &positions), "VEC3", 3, true)});
        self.attributes(&corners.vertices, normals.as_ref(), &declared, &mut attributes);
        let needs_uv = |material: &usize| self.glb.materials[*material].to_string().contains("Texture\":");
        if attributes.get("TEXCOORD_0").is_none() && materials.iter().flatten().any(needs_uv) {
            // A picture needs a place on the surface: all of it has the one.
            let zeros = vec![0.0; corners.vertices.len() * 2];
            attributes["TEXCOORD_0"] = self.glb.floats(&zeros, "VEC2", 2, false).into();
        }
        let skin = self.skin((object, parent), count, &corners.vertices, &mut attributes)?;
        let mut primitives = Vec::new();
        for (material, list) in &corners.triangles {
            let bytes: Vec<u8> = list.iter().flat_map(|i| i.to_le_bytes()).collect();
            let accessor = self.glb.accessor(&bytes, 5125, "SCALAR", list.len(), None);
            let mut primitive = json!({"attributes": attributes.clone(), "indices": accessor});
            if let Some(material) = materials.get(*material).copied().flatten() {
                primitive["material"] = material.into();
            }
            primitives.push(primitive);
        }
        let name = if tree[object].name.is_empty() { "Mesh" } else { &tree[object].name };
        let mesh = Some(self.glb.mesh(name, primitives));
        // A skinned mesh's own node does not count: it belongs at the root.
        let parent = if skin.is_some() { None } else { parent };
        self.glb.node(NodeOut { name: name.to_owned(), mesh, skin, parent, ..NodeOut::default() });
        Ok(())
    }

    /// What vertices have beside their place and weights.
    fn attributes(
        &mut self,
        vertices: &[Corner],
        normals: Option<&Normals>,
        declared: &Declared,
        attributes: &mut Value,
    ) {
        let unit = |v: [f32; 3]| Vec3::from(v).try_normalize().unwrap_or(Vec3::Y).to_array();
        let flat: Option<Vec<f32>> = match (normals, &declared.normals) {
            (Some((list, _)), _) => Some(vertices.iter().flat_map(|(_, n)| unit(list[n.unwrap_or(0)])).collect()),
            (None, Some(list)) => Some(vertices.iter().flat_map(|(p, _)| unit(list[*p])).collect()),
            (None, None) => None,
        };
        if let Some(flat) = &flat {
            attributes["NORMAL"] = self.glb.floats(flat, "VEC3", 3, false).into();
        }
        // Tangents are square to the normals that stand beside them.
        if let (Some(list), None) = (&declared.tangents, normals) {
            attributes["TANGENT"] = self.glb.floats(&spread(vertices, list), "VEC4", 4, false).into();
        }
        let mut set = 0;
        for list in declared.uvs.iter().flatten() {
            attributes[format!("TEXCOORD_{set}")] = self.glb.floats(&spread(vertices, list), "VEC2", 2, false).into();
            set += 1;
        }
        if let Some(list) = &declared.colors {
            attributes["COLOR_0"] = self.glb.floats(&spread(vertices, list), "VEC4", 4, false).into();
        }
    }

    /// The normals of a mesh, where their faces are those of the mesh.
    fn normals(&mut self, object: usize, faces: &[Vec<usize>]) -> Result<Option<Normals>, ReadError> {
        let tree = self.tree;
        let Some(child) = self.children(object, "MeshNormals").next() else { return Ok(None) };
        let mut numbers = Numbers { object: &tree[child], at: 0 };
        let count = numbers.count(3)?;
        let mut list = Vec::with_capacity(count);
        for _ in 0..count {
            list.push(mirror(finite(numbers.vec3()?, &mut 0)));
        }
        let of_faces = faces_of(&mut numbers, count)?;
        let fits = of_faces.len() == faces.len() && of_faces.iter().zip(faces).all(|(a, b)| a.len() == b.len());
        if !fits {
            self.odd(child, "its faces are not those of the mesh; the normals are left out");
        }
        Ok(fits.then_some((list, of_faces)))
    }

    /// Texture coordinates, where there is one for each vertex.
    fn coordinates(&mut self, object: usize, count: usize) -> Result<Option<Vec<[f32; 2]>>, ReadError> {
        let tree = self.tree;
        let Some(child) = self.children(object, "MeshTextureCoords").next() else { return Ok(None) };
        let mut numbers = Numbers { object: &tree[child], at: 0 };
        let found = numbers.count(2)?;
        let mut list = Vec::with_capacity(found);
        for _ in 0..found {
            let [u, v, _] = finite([numbers.next()? as f32, numbers.next()? as f32, 0.0], &mut 0);
            list.push([u, v]);
        }
        if found != count {
            self.odd(child, format!("{found} coordinates for {count} vertices; they are left out"));
        }
        Ok((found == count).then_some(list))
    }

    /// The colors of vertices, where there are some: white for those that have none.
    fn vertex_colors(&self, object: usize, count: usize) -> Result<Option<Vec<[f32; 4]>>, ReadError> {
        let tree = self.tree;
        let Some(child) = self.children(object, "MeshVertexColors").next() else { return Ok(None) };
        let mut numbers = Numbers { object: &tree[child], at: 0 };
        let given = numbers.count(5)?;
        let mut colors = vec![[1.0f32; 4]; count];
        for _ in 0..given {
            let vertex = numbers.index(count, "vertex")?;
            let rgb = [numbers.next()?, numbers.next()?, numbers.next()?].map(|v| linear(v as f32));
            let alpha = numbers.next()? as f32;
            let alpha = if alpha.is_finite() { alpha.clamp(0.0, 1.0) } else { 1.0 };
            colors[vertex] = [rgb[0], rgb[1], rgb[2], alpha];
        }
        Ok(Some(colors))
    }
}

/// Faces as lists of corners, each below `limit`.
fn faces_of(numbers: &mut Numbers<'_>, limit: usize) -> Result<Vec<Vec<usize>>, ReadError> {
    let count = numbers.count(1)?;
    let mut list = Vec::with_capacity(count);
    for _ in 0..count {
        let corners = numbers.count(1)?;
        let mut face = Vec::with_capacity(corners);
        for _ in 0..corners {
            face.push(numbers.index(limit, "vertex")?);
        }
        list.push(face);
    }
    Ok(list)
}
