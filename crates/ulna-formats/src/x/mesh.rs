//! Conversion of `Mesh` objects. Corners with the same position and normal become one vertex.

use std::collections::{BTreeMap, HashMap};

use glam::Vec3;

use super::{
    builder::{Builder, Numbers, finite, linear, mirror},
    declared::Declared,
};
use crate::{
    gltf::ReadError,
    import::{MeshOut, NodeOut, PrimitiveOut},
};

/// A vertex of the converted mesh: the index of the vertex and of the normal in the file.
pub(super) type Corner = (usize, Option<usize>);

/// Normals of a mesh, and the index of the normal for each corner of each face.
type Normals = (Vec<[f32; 3]>, Faces);

/// Vertex or normal indices of the corners, grouped by face.
#[derive(Default)]
struct Faces {
    ends: Vec<u32>,
    corners: Vec<u32>,
}

impl Faces {
    /// Reads faces. All indices must be below `limit`.
    fn read(numbers: &mut Numbers<'_>, limit: usize) -> Result<Self, ReadError> {
        let count = numbers.count(1)?;
        let mut made = Self {
            ends: Vec::with_capacity(count),
            corners: Vec::with_capacity(count.saturating_mul(3)),
        };
        for _ in 0..count {
            for _ in 0..numbers.count(1)? {
                made.corners.push(numbers.index(limit, "vertex")? as u32);
            }
            made.ends.push(made.corners.len() as u32);
        }
        Ok(made)
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let mut from = 0;
        self.ends.iter().map(move |end| {
            let face = &self.corners[from as usize..*end as usize];
            from = *end;
            face
        })
    }
}

/// Mapping from corners to vertex indices. The corners of one position form a linked list. Long
/// lists continue in a hash map, so that lookups are fast for any file.
struct CornerNumbers {
    first: Vec<u32>,
    next: Vec<u32>,
    others: HashMap<Corner, u32>,
}

impl CornerNumbers {
    const NONE: u32 = u32::MAX;
    const LONG: usize = 16;

    fn new(places: usize) -> Self {
        Self { first: vec![Self::NONE; places], next: Vec::new(), others: HashMap::new() }
    }

    /// Returns the vertex index of a corner. A new corner is added to `vertices`.
    fn vertex(&mut self, key: Corner, vertices: &mut Vec<Corner>) -> u32 {
        let made = vertices.len() as u32;
        let mut at = self.first[key.0];
        for _ in 0..Self::LONG {
            if at == Self::NONE {
                vertices.push(key);
                self.next.push(self.first[key.0]);
                self.first[key.0] = made;
                return made;
            }
            if vertices[at as usize].1 == key.1 {
                return at;
            }
            at = self.next[at as usize];
        }
        let found = *self.others.entry(key).or_insert(made);
        if found == made {
            vertices.push(key);
            self.next.push(Self::NONE);
        }
        found
    }
}

/// Vertices of the converted mesh, and its triangles by material.
#[derive(Default)]
struct Corners {
    vertices: Vec<Corner>,
    triangles: BTreeMap<usize, Vec<u32>>,
}

impl Corners {
    /// Triangulates faces and collects the distinct corners.
    fn of(faces: &Faces, places: usize, normals: Option<&Normals>, of_face: &[usize]) -> Self {
        let mut made = Self::default();
        let mut known = CornerNumbers::new(places);
        let mut corners: Vec<u32> = Vec::new();
        // The faces of the positions and of the normals have the same number of corners.
        let mut at = 0;
        for (f, face) in faces.iter().enumerate() {
            corners.clear();
            for position in face {
                let normal = normals.map(|(_, of)| of.corners[at] as usize);
                corners.push(known.vertex((*position as usize, normal), &mut made.vertices));
                at += 1;
            }
            let list = made.triangles.entry(of_face.get(f).copied().unwrap_or(0)).or_default();
            for k in 1..corners.len().saturating_sub(1) {
                // The winding is reversed, because mirroring the mesh inverts it.
                list.extend([corners[0], corners[k + 1], corners[k]]);
            }
        }
        made.triangles.retain(|_, list| !list.is_empty());
        made
    }
}

/// Copies values from the file's vertices to the vertices of the converted mesh.
fn spread<const N: usize>(vertices: &[Corner], values: &[[f32; N]]) -> Vec<[f32; N]> {
    vertices.iter().map(|(p, _)| values[*p]).collect()
}

/// Sets the vertex attributes other than positions and weights.
fn attributes(
    vertices: &[Corner],
    normals: Option<&Normals>,
    declared: &Declared,
    mesh: &mut MeshOut,
) {
    let unit = |v: [f32; 3]| Vec3::from(v).try_normalize().unwrap_or(Vec3::Y).to_array();
    mesh.normals = match (normals, &declared.normals) {
        (Some((list, _)), _) => vertices.iter().map(|(_, n)| unit(list[n.unwrap_or(0)])).collect(),
        (None, Some(list)) => vertices.iter().map(|(p, _)| unit(list[*p])).collect(),
        (None, None) => Vec::new(),
    };
    // Stored tangents are used only with their stored normals, because they are perpendicular to
    // them.
    if let (Some(list), None) = (&declared.tangents, normals) {
        mesh.tangents = spread(vertices, list);
    }
    mesh.uvs = declared.uvs.iter().flatten().map(|list| spread(vertices, list)).collect();
    mesh.colors = declared.colors.iter().map(|list| spread(vertices, list)).collect();
}

impl Builder<'_, '_> {
    /// Adds a mesh to a frame.
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
            self.odd(object, format!("{none} of its coordinates are not numbers; 0 is used"));
        }
        let faces = Faces::read(&mut numbers, count)?;
        if faces.iter().any(|f| f.len() < 3) {
            self.odd(object, "some faces have fewer than three vertices and are left out");
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
        let corners = Corners::of(&faces, count, normals.as_ref(), &of_face);
        if corners.triangles.is_empty() {
            return Ok(());
        }
        let vertices = &corners.vertices;
        let mut mesh = MeshOut { positions: spread(vertices, &positions), ..MeshOut::default() };
        attributes(vertices, normals.as_ref(), &declared, &mut mesh);
        let needs_uv = |material: &usize| self.textured.contains(material);
        if mesh.uvs.is_empty() && materials.iter().flatten().any(needs_uv) {
            // A texture requires UVs, so all vertices get the same coordinates.
            mesh.uvs.push(vec![[0.0; 2]; vertices.len()]);
        }
        let skin = self.skin((object, parent), count, vertices, &mut mesh)?;
        for (material, indices) in corners.triangles {
            let material = materials.get(material).copied().flatten();
            mesh.primitives.push(PrimitiveOut { material, indices });
        }
        let name = if tree[object].name.is_empty() { "Mesh" } else { &tree[object].name };
        mesh.name = name.to_owned();
        let mesh = Some(self.glb.mesh(&mesh));
        // The transform of a skinned mesh's node is ignored, so the node is added as a root.
        let parent = if skin.is_some() { None } else { parent };
        self.glb.node(NodeOut { name: name.to_owned(), mesh, skin, parent, ..NodeOut::default() });
        Ok(())
    }

    /// Reads the normals of a mesh. `None` if their faces do not match those of the mesh.
    fn normals(&mut self, object: usize, faces: &Faces) -> Result<Option<Normals>, ReadError> {
        let tree = self.tree;
        let Some(child) = self.children(object, "MeshNormals").next() else { return Ok(None) };
        let mut numbers = Numbers { object: &tree[child], at: 0 };
        let count = numbers.count(3)?;
        let mut list = Vec::with_capacity(count);
        for _ in 0..count {
            list.push(mirror(finite(numbers.vec3()?, &mut 0)));
        }
        let of_faces = Faces::read(&mut numbers, count)?;
        let fits = of_faces.ends == faces.ends;
        if !fits {
            self.odd(child, "its faces do not match those of the mesh; the normals are left out");
        }
        Ok(fits.then_some((list, of_faces)))
    }

    /// Reads texture coordinates. `None` if there is not one per vertex.
    fn coordinates(
        &mut self,
        object: usize,
        count: usize,
    ) -> Result<Option<Vec<[f32; 2]>>, ReadError> {
        let tree = self.tree;
        let Some(child) = self.children(object, "MeshTextureCoords").next() else {
            return Ok(None);
        };
        let mut numbers = Numbers { object: &tree[child], at: 0 };
        let found = numbers.count(2)?;
        let mut list = Vec::with_capacity(found);
        for _ in 0..found {
            let [u, v, _] = finite([numbers.next()? as f32, numbers.next()? as f32, 0.0], &mut 0);
            list.push([u, v]);
        }
        if found != count {
            self.odd(
                child,
                format!(
                    "there are {found} texture coordinates for {count} vertices; they are left out"
                ),
            );
        }
        Ok((found == count).then_some(list))
    }

    /// Reads vertex colors. Vertices without a color are white.
    fn vertex_colors(
        &self,
        object: usize,
        count: usize,
    ) -> Result<Option<Vec<[f32; 4]>>, ReadError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_distinct_corner_becomes_one_vertex() {
        let (mut known, mut vertices) = (CornerNumbers::new(2), Vec::new());
        let all: Vec<Corner> = (0..500).map(|n| (n % 2, Some(n / 2))).chain([(0, None)]).collect();
        let first: Vec<u32> = all.iter().map(|key| known.vertex(*key, &mut vertices)).collect();
        let again: Vec<u32> =
            all.iter().rev().map(|key| known.vertex(*key, &mut vertices)).collect();
        assert_eq!(vertices, all);
        assert_eq!(first, (0..all.len() as u32).collect::<Vec<_>>());
        assert_eq!(again, first.into_iter().rev().collect::<Vec<_>>());
    }
}
