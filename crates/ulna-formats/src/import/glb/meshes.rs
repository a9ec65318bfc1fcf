//! Meshes of a GLB that is put together.

use serde_json::{Value, json};

use super::GlbBuilder;

/// Triangles of one material.
#[derive(Clone, Debug, Default)]
pub struct PrimitiveOut {
    /// Their material.
    pub material: Option<usize>,
    /// Three vertices each, counterclockwise seen from the front.
    pub indices: Vec<u32>,
}

/// Weights of the vertices of a mesh.
#[derive(Clone, Debug, Default)]
pub struct InfluencesOut {
    /// Joints, by their number in the skin, with weights that sum to 1; strongest first.
    pub lists: Vec<Vec<(u16, f32)>>,
    /// The list of each vertex.
    pub list_of: Vec<u32>,
}

/// A morph target.
#[derive(Clone, Debug, Default)]
pub struct MorphOut {
    /// Its name.
    pub name: String,
    /// Tells what is added to the position of each vertex.
    pub positions: Vec<[f32; 3]>,
    /// Tells what is added to the normal of each vertex; may be left out.
    pub normals: Vec<[f32; 3]>,
    /// Tells how much of it the mesh has at rest.
    pub weight: f32,
}

/// A mesh: vertices with all that they have, and the triangles of each material. A list may be
/// empty where the mesh has nothing of it; else it is as long as there are vertices.
#[derive(Clone, Debug, Default)]
pub struct MeshOut {
    /// Its name.
    pub name: String,
    /// Positions.
    pub positions: Vec<[f32; 3]>,
    /// Normals, of length 1.
    pub normals: Vec<[f32; 3]>,
    /// Tangents, with the sign of the bitangent.
    pub tangents: Vec<[f32; 4]>,
    /// Sets of texture coordinates.
    pub uvs: Vec<Vec<[f32; 2]>>,
    /// Sets of colors, linear.
    pub colors: Vec<Vec<[f32; 4]>>,
    /// Weights.
    pub influences: Option<InfluencesOut>,
    /// Morph targets.
    pub morphs: Vec<MorphOut>,
    /// Triangles.
    pub primitives: Vec<PrimitiveOut>,
}

impl GlbBuilder {
    /// A mesh; its number.
    pub fn mesh(&mut self, mesh: &MeshOut) -> usize {
        let mut attributes = json!({"POSITION": self.vectors(&mesh.positions, "VEC3", true)});
        if !mesh.normals.is_empty() {
            attributes["NORMAL"] = self.vectors(&mesh.normals, "VEC3", false).into();
        }
        if !mesh.tangents.is_empty() {
            attributes["TANGENT"] = self.vectors(&mesh.tangents, "VEC4", false).into();
        }
        for (set, uvs) in mesh.uvs.iter().enumerate() {
            attributes[format!("TEXCOORD_{set}")] = self.vectors(uvs, "VEC2", false).into();
        }
        for (set, colors) in mesh.colors.iter().enumerate() {
            attributes[format!("COLOR_{set}")] = self.vectors(colors, "VEC4", false).into();
        }
        if let Some(influences) = &mesh.influences {
            self.influences(influences, &mut attributes);
        }
        let targets: Vec<Value> = mesh.morphs.iter().map(|m| self.target(m)).collect();
        let mut primitives = Vec::new();
        for made in &mesh.primitives {
            let bytes = bytemuck::cast_slice(&made.indices);
            let indices = self.accessor(bytes, 5125, "SCALAR", made.indices.len(), None);
            let mut primitive = json!({"attributes": attributes.clone(), "indices": indices});
            if let Some(material) = made.material {
                primitive["material"] = material.into();
            }
            if !targets.is_empty() {
                primitive["targets"] = targets.clone().into();
            }
            primitives.push(primitive);
        }
        let mut out = json!({"name": mesh.name, "primitives": primitives});
        if !mesh.morphs.is_empty() {
            let names: Vec<&str> = mesh.morphs.iter().map(|m| m.name.as_str()).collect();
            out["extras"] = json!({"targetNames": names});
            out["weights"] = mesh.morphs.iter().map(|m| m.weight).collect();
        }
        self.meshes.push(out);
        self.meshes.len() - 1
    }

    fn vectors<const N: usize>(&mut self, list: &[[f32; N]], kind: &str, bounds: bool) -> usize {
        self.floats(list.as_flattened(), kind, N, bounds)
    }

    fn target(&mut self, morph: &MorphOut) -> Value {
        let mut target = json!({"POSITION": self.vectors(&morph.positions, "VEC3", true)});
        if !morph.normals.is_empty() {
            target["NORMAL"] = self.vectors(&morph.normals, "VEC3", false).into();
        }
        target
    }

    fn influences(&mut self, of: &InfluencesOut, attributes: &mut Value) {
        let sets = of.lists.iter().map(Vec::len).max().unwrap_or(1).div_ceil(4).max(1);
        let count = of.list_of.len();
        let mut joints: Vec<u16> = Vec::with_capacity(count * 4);
        let mut weights: Vec<f32> = Vec::with_capacity(count * 4);
        for set in 0..sets {
            joints.clear();
            weights.clear();
            for list in &of.list_of {
                let list = of.lists.get(*list as usize).map_or(&[][..], Vec::as_slice);
                for slot in set * 4..set * 4 + 4 {
                    let (joint, weight) = list.get(slot).copied().unwrap_or_default();
                    joints.push(joint);
                    weights.push(weight);
                }
            }
            let ids = bytemuck::cast_slice(&joints);
            attributes[format!("JOINTS_{set}")] =
                self.accessor(ids, 5123, "VEC4", count, None).into();
            attributes[format!("WEIGHTS_{set}")] = self.floats(&weights, "VEC4", 4, false).into();
        }
    }
}
