//! Objects → a GLB: frames become nodes, skins and clips become glTF's, and the left hand becomes the right.
//!
//! `.x` is left-handed with row vectors. A matrix laid out for row vectors reads the same as one for columns laid out by
//! columns, as glTF's are; mirroring z changes the signs of what touches z once.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::Path,
};

use glam::{Mat4, Vec3};
use serde_json::{Value, json};

use super::objects::{Inside, Object, Tree};
use crate::{
    formats::gltf::{ReadError, build_glb},
    model::{Diagnostics, Severity, Transform},
};

pub(super) fn fail<T>(object: &Object, message: impl std::fmt::Display) -> Result<T, ReadError> {
    let name = if object.name.is_empty() { String::new() } else { format!(" “{}”", object.name) };
    Err(ReadError::at(format!(".x {}{name}", object.kind), message.to_string()))
}

/// Builds the GLB.
pub fn build(tree: Tree, path: Option<&Path>, diagnostics: &mut Diagnostics) -> Result<Vec<u8>, ReadError> {
    let mut builder = Builder {
        tree: &tree,
        path,
        diagnostics,
        nodes: Vec::new(),
        roots: Vec::new(),
        by_name: HashMap::new(),
        pending: Vec::new(),
        meshes: Vec::new(),
        skins: Vec::new(),
        materials: Vec::new(),
        textures: Vec::new(),
        images: Vec::new(),
        taken: HashMap::new(),
        animations: Vec::new(),
        accessors: Vec::new(),
        views: Vec::new(),
        bin: Vec::new(),
        named_materials: HashMap::new(),
    };
    builder.named_materials()?;
    builder.frames()?;
    builder.meshes()?;
    builder.animations()?;
    builder.finish()
}

/// A node to write. Not a JSON value yet: a file of a hundred thousand frames must not take a gigabyte.
#[derive(Default)]
pub(super) struct NodeOut {
    pub name: String,
    pub transform: Option<Transform>,
    pub children: Vec<u32>,
    pub parent: Option<usize>,
    pub mesh: Option<usize>,
    pub skin: Option<usize>,
}

impl NodeOut {
    /// Its JSON, added to a text.
    fn write(&self, out: &mut String) {
        let mut members: Vec<String> = Vec::new();
        if !self.name.is_empty() {
            members.push(format!("\"name\":{}", Value::from(self.name.as_str())));
        }
        if let Some(t) = &self.transform {
            let (t, r, s) = (t.translation.to_array(), t.rotation.to_array(), t.scale.to_array());
            members.push(format!("\"translation\":{},\"rotation\":{},\"scale\":{}", json!(t), json!(r), json!(s)));
        }
        if !self.children.is_empty() {
            members.push(format!("\"children\":{}", json!(self.children)));
        }
        members.extend(self.mesh.map(|m| format!("\"mesh\":{m}")));
        members.extend(self.skin.map(|s| format!("\"skin\":{s}")));
        out.push('{');
        out.push_str(&members.join(","));
        out.push('}');
    }
}

pub(super) struct Builder<'a, 'd> {
    pub(super) tree: &'a Tree,
    pub(super) path: Option<&'a Path>,
    pub(super) diagnostics: &'d mut Diagnostics,
    pub(super) nodes: Vec<NodeOut>,
    roots: Vec<usize>,
    pub(super) by_name: HashMap<String, usize>,
    /// Meshes to make: the object, and the node it hangs under.
    pending: Vec<(usize, Option<usize>)>,
    meshes: Vec<Value>,
    pub(super) skins: Vec<Value>,
    materials: Vec<Value>,
    pub(super) textures: Vec<Value>,
    pub(super) images: Vec<Value>,
    /// Textures that are in the file already, by name.
    pub(super) taken: HashMap<String, Option<usize>>,
    pub(super) animations: Vec<Value>,
    accessors: Vec<Value>,
    pub(super) views: Vec<Value>,
    pub(super) bin: Vec<u8>,
    named_materials: HashMap<String, usize>,
}

/// Numbers of an object, read one after the other.
pub(super) struct Numbers<'a> {
    pub object: &'a Object,
    pub at: usize,
}

impl Numbers<'_> {
    pub fn next(&mut self) -> Result<f64, ReadError> {
        let Some(value) = self.object.numbers.get(self.at) else {
            return fail(self.object, "it has fewer numbers than it says");
        };
        self.at += 1;
        Ok(*value)
    }

    /// A count, no larger than the numbers that are left could make it.
    pub fn count(&mut self, least_each: usize) -> Result<usize, ReadError> {
        let value = self.next()?;
        let left = self.object.numbers.len() - self.at;
        if !(0.0..=4e9).contains(&value) || value.fract() != 0.0 {
            return fail(self.object, format!("{value} is not a count"));
        }
        let count = value as usize;
        if count.saturating_mul(least_each) > left {
            return fail(self.object, format!("it announces {count} elements and has {left} numbers"));
        }
        Ok(count)
    }

    fn vec3(&mut self) -> Result<[f32; 3], ReadError> {
        Ok([self.next()? as f32, self.next()? as f32, self.next()? as f32])
    }

    pub fn index(&mut self, limit: usize, what: &str) -> Result<usize, ReadError> {
        let value = self.next()?;
        if value >= 0.0 && value.fract() == 0.0 && value < limit as f64 {
            Ok(value as usize)
        } else {
            fail(self.object, format!("it names {what} {value} of {limit}"))
        }
    }
}

/// What is no number is 0, and counted.
fn finite(values: [f32; 3], none: &mut usize) -> [f32; 3] {
    values.map(|v| {
        if v.is_finite() {
            return v;
        }
        *none += 1;
        0.0
    })
}

/// A value of color as files of this kind hold it, sRGB, as glTF does: linear.
fn linear(v: f32) -> f32 {
    let v = if v.is_finite() { v.clamp(0.0, 1.0) } else { 0.0 };
    if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}

/// A mirrored point.
pub(super) const fn mirror([x, y, z]: [f32; 3]) -> [f32; 3] {
    [x, y, -z]
}

/// A matrix of sixteen numbers, mirrored.
pub(super) fn matrix(values: &[f64]) -> Mat4 {
    let mut m = [0.0f32; 16];
    for (k, v) in values.iter().take(16).enumerate() {
        let (column, row) = (k / 4, k % 4);
        let sign = if (column == 2) == (row == 2) { 1.0 } else { -1.0 };
        m[k] = *v as f32 * sign;
    }
    Mat4::from_cols_array(&m)
}

impl<'a> Builder<'a, '_> {
    pub(super) fn children(&self, object: usize, kind: &'static str) -> impl Iterator<Item = usize> + use<'a> {
        let tree = self.tree;
        tree[object].children.iter().copied().filter(move |c| tree[*c].kind == kind)
    }

    pub(super) fn odd(&mut self, object: usize, message: impl Into<String>) {
        let place = format!(".x {} {}", self.tree[object].kind, self.tree[object].name);
        self.diagnostics.add(Severity::Error, "ULNA_X_REPAIRED", place.trim_end(), message);
    }

    /// Materials with a name that stand outside of a list: lists refer to them.
    fn named_materials(&mut self) -> Result<(), ReadError> {
        let tree = self.tree;
        let listed: HashSet<usize> =
            tree.iter().filter(|o| o.kind == "MeshMaterialList").flat_map(|o| o.children.iter().copied()).collect();
        for (k, object) in tree.iter().enumerate() {
            if object.kind == "Material" && !object.name.is_empty() && !listed.contains(&k) {
                let material = self.material(k)?;
                self.named_materials.insert(object.name.clone(), material);
            }
        }
        Ok(())
    }

    /// Frames to nodes, without recursion. What a frame refers to hangs on it: a mesh, or a frame that stands elsewhere.
    fn frames(&mut self) -> Result<(), ReadError> {
        let tree = self.tree;
        let mut named: HashMap<&str, usize> = HashMap::new();
        for (k, object) in tree.iter().enumerate() {
            if matches!(object.kind.as_str(), "Frame" | "Mesh") && !object.name.is_empty() {
                named.entry(object.name.as_str()).or_insert(k);
            }
        }
        let frames = tree.iter().filter(|o| o.kind == "Frame");
        let referred: HashSet<usize> =
            frames.flat_map(|o| &o.references).filter_map(|name| named.get(name.as_str()).copied()).collect();
        let mut placed: HashSet<usize> = HashSet::new();
        let mut stack: Vec<(usize, Option<usize>)> = vec![(0, None)];
        while let Some((object, parent)) = stack.pop() {
            let own = tree[object].children.iter().copied().filter(|c| object != 0 || !referred.contains(c));
            let mut inside: Vec<usize> = own.collect();
            if tree[object].kind == "Frame" {
                for reference in &tree[object].references {
                    match named.get(reference.as_str()) {
                        Some(found) => inside.push(*found),
                        None => self.odd(object, format!("it refers to “{reference}”, which is not there")),
                    }
                }
            }
            for child in inside {
                match tree[child].kind.as_str() {
                    "Frame" if !placed.insert(child) => {
                        self.odd(
                            object,
                            format!("the frame “{}” hangs on several; it is with the first", tree[child].name),
                        );
                    }
                    "Frame" => {
                        let node = self.frame(child, parent)?;
                        stack.push((child, Some(node)));
                    }
                    "Mesh" => self.pending.push((child, parent)),
                    _ => {}
                }
            }
        }
        if self.nodes.is_empty() && self.pending.is_empty() {
            self.odd(0, "the file has no frames and no meshes");
        }
        Ok(())
    }

    fn frame(&mut self, object: usize, parent: Option<usize>) -> Result<usize, ReadError> {
        let mut node = NodeOut::default();
        if let Some(child) = self.children(object, "FrameTransformMatrix").next() {
            let values = &self.tree[child].numbers;
            if values.len() < 16 {
                return fail(&self.tree[child], format!("{} numbers where 16 are needed", values.len()));
            }
            let found = matrix(values);
            if found.is_finite() {
                let split = Transform::decompose(&found, &Transform::IDENTITY);
                if split.residue > 1e-3 {
                    self.odd(object, "its matrix is sheared; the nearest without shear is used");
                }
                node.transform = Some(split.transform);
            } else {
                self.odd(object, "its matrix has numbers that are not finite; it is left out");
            }
        }
        let name = self.tree[object].name.clone();
        let index = self.nodes.len();
        if !name.is_empty() {
            node.name.clone_from(&name);
            if self.by_name.insert(name.clone(), index).is_some() {
                self.odd(object, format!("two frames are named “{name}”; keys and weights mean the later one"));
            }
        }
        self.nodes.push(node);
        self.hang(index, parent);
        Ok(index)
    }

    pub(super) fn hang(&mut self, node: usize, parent: Option<usize>) {
        self.nodes[node].parent = parent;
        match parent {
            None => self.roots.push(node),
            Some(parent) => self.nodes[parent].children.push(node as u32),
        }
    }

    pub(super) fn accessor(
        &mut self,
        bytes: &[u8],
        component: u32,
        kind: &str,
        count: usize,
        bounds: Option<(Value, Value)>,
    ) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        self.views.push(json!({"buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len()}));
        self.bin.extend_from_slice(bytes);
        let mut accessor =
            json!({"bufferView": self.views.len() - 1, "componentType": component, "count": count, "type": kind});
        if let Some((min, max)) = bounds {
            accessor["min"] = min;
            accessor["max"] = max;
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    pub(super) fn floats(&mut self, values: &[f32], kind: &str, width: usize, bounds: bool) -> usize {
        let range = bounds.then(|| {
            let fold = |start: f32, f: fn(f32, f32) -> f32| -> Value {
                (0..width).map(|k| Value::from(values.iter().skip(k).step_by(width).copied().fold(start, f))).collect()
            };
            (fold(f32::INFINITY, f32::min), fold(f32::NEG_INFINITY, f32::max))
        });
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.accessor(&bytes, 5126, kind, values.len() / width, range)
    }

    fn meshes(&mut self) -> Result<(), ReadError> {
        for (object, parent) in std::mem::take(&mut self.pending) {
            self.mesh(object, parent)?;
        }
        Ok(())
    }

    /// A mesh: corners that share position, normal and coordinates become one vertex.
    fn mesh(&mut self, object: usize, parent: Option<usize>) -> Result<(), ReadError> {
        let tree = self.tree;
        let source = &tree[object];
        let mut numbers = Numbers { object: source, at: 0 };
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
        let normals = match self.children(object, "MeshNormals").next() {
            None => None,
            Some(child) => {
                let mut numbers = Numbers { object: &tree[child], at: 0 };
                let count = numbers.count(3)?;
                let mut list = Vec::with_capacity(count);
                for _ in 0..count {
                    list.push(mirror(finite(numbers.vec3()?, &mut 0)));
                }
                let of_faces = faces_of(&mut numbers, count)?;
                let fits =
                    of_faces.len() == faces.len() && of_faces.iter().zip(&faces).all(|(a, b)| a.len() == b.len());
                if !fits {
                    self.odd(child, "its faces are not those of the mesh; the normals are left out");
                }
                fits.then_some((list, of_faces))
            }
        };
        let uvs = match self.children(object, "MeshTextureCoords").next() {
            None => None,
            Some(child) => {
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
                (found == count).then_some(list)
            }
        };
        let colors = self.vertex_colors(object, count)?;
        let (of_face, materials) = self.material_list(object, faces.len())?;
        let mut vertices: Vec<(usize, Option<usize>)> = Vec::new();
        let mut seen: HashMap<(usize, Option<usize>), u32> = HashMap::new();
        let mut indices: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for (f, face) in faces.iter().enumerate() {
            let corners: Vec<u32> = face
                .iter()
                .enumerate()
                .map(|(c, position)| {
                    let key = (*position, normals.as_ref().map(|(_, of)| of[f][c]));
                    *seen.entry(key).or_insert_with(|| {
                        vertices.push(key);
                        vertices.len() as u32 - 1
                    })
                })
                .collect();
            let list = indices.entry(of_face.get(f).copied().unwrap_or(0)).or_default();
            for k in 1..corners.len().saturating_sub(1) {
                // Mirrored, so the other way round.
                list.extend([corners[0], corners[k + 1], corners[k]]);
            }
        }
        indices.retain(|_, list| !list.is_empty());
        if indices.is_empty() || vertices.is_empty() {
            return Ok(());
        }
        let flat: Vec<f32> = vertices.iter().flat_map(|(p, _)| positions[*p]).collect();
        let mut attributes = json!({"POSITION": self.floats(&flat, "VEC3", 3, true)});
        if let Some((list, _)) = &normals {
            let flat: Vec<f32> = vertices
                .iter()
                .flat_map(|(_, n)| Vec3::from(list[n.unwrap_or(0)]).try_normalize().unwrap_or(Vec3::Y).to_array())
                .collect();
            attributes["NORMAL"] = self.floats(&flat, "VEC3", 3, false).into();
        }
        if let Some(list) = &uvs {
            let flat: Vec<f32> = vertices.iter().flat_map(|(p, _)| list[*p]).collect();
            attributes["TEXCOORD_0"] = self.floats(&flat, "VEC2", 2, false).into();
        }
        let textured = |m: &usize| self.materials[*m]["pbrMetallicRoughness"].get("baseColorTexture").is_some();
        if uvs.is_none() && materials.iter().flatten().any(textured) {
            // A picture needs a place on the surface: all of it has the one.
            attributes["TEXCOORD_0"] = self.floats(&vec![0.0; vertices.len() * 2], "VEC2", 2, false).into();
        }
        if let Some(list) = &colors {
            let flat: Vec<f32> = vertices.iter().flat_map(|(p, _)| list[*p]).collect();
            attributes["COLOR_0"] = self.floats(&flat, "VEC4", 4, false).into();
        }
        let skin = self.skin((object, parent), count, &vertices, &mut attributes)?;
        let mut primitives = Vec::new();
        for (material, list) in &indices {
            let bytes: Vec<u8> = list.iter().flat_map(|i| i.to_le_bytes()).collect();
            let accessor = self.accessor(&bytes, 5125, "SCALAR", list.len(), None);
            let mut primitive = json!({"attributes": attributes.clone(), "indices": accessor});
            if let Some(material) = materials.get(*material).copied().flatten() {
                primitive["material"] = material.into();
            }
            primitives.push(primitive);
        }
        let name = if source.name.is_empty() { "Mesh" } else { &source.name };
        self.meshes.push(json!({"name": name, "primitives": primitives}));
        let mut node = NodeOut { name: name.to_owned(), mesh: Some(self.meshes.len() - 1), ..NodeOut::default() };
        // A skinned mesh's own node does not count: it belongs at the root.
        let parent = if let Some(skin) = skin {
            node.skin = Some(skin);
            None
        } else {
            parent
        };
        self.nodes.push(node);
        let index = self.nodes.len() - 1;
        self.hang(index, parent);
        Ok(())
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

    /// The material of each face, and the materials.
    fn material_list(&mut self, object: usize, faces: usize) -> Result<(Vec<usize>, Vec<Option<usize>>), ReadError> {
        let tree = self.tree;
        let Some(child) = self.children(object, "MeshMaterialList").next() else { return Ok((Vec::new(), Vec::new())) };
        // In the order in which they stand: faces name them by their place. One that is not there keeps its place.
        let mut materials = Vec::new();
        for inside in &tree[child].inside {
            match inside {
                Inside::Child(inner) if tree[*inner].kind == "Material" => materials.push(Some(self.material(*inner)?)),
                Inside::Child(_) => {}
                Inside::Reference(k) => {
                    let name = &tree[child].references[*k];
                    let found = self.named_materials.get(name).copied();
                    if found.is_none() {
                        self.odd(child, format!("the material “{name}” is not there; its faces have none"));
                    }
                    materials.push(found);
                }
            }
        }
        let mut numbers = Numbers { object: &tree[child], at: 0 };
        numbers.next()?;
        let count = numbers.count(1)?;
        let mut of_face = Vec::with_capacity(count);
        for _ in 0..count {
            of_face.push(numbers.next()?.max(0.0) as usize);
        }
        // One number stands for all faces.
        if let ([one], true) = (of_face.as_slice(), faces > 1) {
            of_face = vec![*one; faces];
        }
        Ok((of_face, materials))
    }

    fn material(&mut self, object: usize) -> Result<usize, ReadError> {
        let tree = self.tree;
        let mut numbers = Numbers { object: &tree[object], at: 0 };
        let mut next = || numbers.next().map(|v| if v.is_finite() { v as f32 } else { 0.0 });
        // sRGB in the file, linear in glTF.
        let face = [linear(next()?), linear(next()?), linear(next()?), next()?.clamp(0.0, 1.0)];
        // Older files end here.
        let power = next().unwrap_or(0.0);
        let specular = [next().unwrap_or(0.0), next().unwrap_or(0.0), next().unwrap_or(0.0)];
        let emissive = [next(), next(), next()].map(|v| linear(v.unwrap_or(0.0)));
        // A highlight of Blinn's exponent is as wide as one of this roughness; without one the surface is dull.
        let shines = specular.iter().any(|v| *v > 0.0) && power > 0.0;
        let roughness = if shines { (2.0 / (power + 2.0)).sqrt().sqrt().clamp(0.2, 1.0) } else { 0.9 };
        let mut pbr = json!({"baseColorFactor": face, "metallicFactor": 0, "roughnessFactor": roughness});
        let texture =
            self.tree[object].children.iter().find(|c| tree[**c].kind.eq_ignore_ascii_case("TextureFilename"));
        if let Some(name) = texture.and_then(|t| tree[*t].texts.first())
            && let Some(texture) = self.texture(object, name)
        {
            pbr["baseColorTexture"] = json!({"index": texture});
        }
        let mut material = json!({"pbrMetallicRoughness": pbr, "doubleSided": true});
        if emissive.iter().any(|v| *v > 0.0) {
            material["emissiveFactor"] = json!(emissive);
        }
        if face[3] < 1.0 {
            material["alphaMode"] = "BLEND".into();
        }
        if !tree[object].name.is_empty() {
            material["name"] = tree[object].name.as_str().into();
        }
        self.materials.push(material);
        Ok(self.materials.len() - 1)
    }

    fn finish(self) -> Result<Vec<u8>, ReadError> {
        let mut root = json!({"asset": {"version": "2.0", "generator": "Ulna, from .x"}});
        if !self.roots.is_empty() {
            root["scene"] = 0.into();
            root["scenes"] = json!([{"nodes": self.roots}]);
        }
        let lists = [
            ("meshes", self.meshes),
            ("skins", self.skins),
            ("materials", self.materials),
            ("textures", self.textures),
            ("images", self.images),
            ("animations", self.animations),
            ("accessors", self.accessors),
            ("bufferViews", self.views),
        ];
        for (name, list) in lists {
            if !list.is_empty() {
                root[name] = list.into();
            }
        }
        if !self.bin.is_empty() {
            root["buffers"] = json!([{"byteLength": self.bin.len()}]);
        }
        let mut json = root.to_string();
        if !self.nodes.is_empty() {
            json.truncate(json.len() - 1);
            json.push_str(",\"nodes\":[");
            for (k, node) in self.nodes.iter().enumerate() {
                if k > 0 {
                    json.push(',');
                }
                node.write(&mut json);
            }
            json.push_str("]}");
        }
        let bin = (!self.bin.is_empty()).then_some(self.bin.as_slice());
        build_glb(json.as_bytes(), bin, &[], 0).map_err(|e| ReadError::at(".x", format!("it is too large: {e}")))
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
