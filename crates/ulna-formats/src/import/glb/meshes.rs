//! Adds meshes to a GLB.

use serde_json::{Value, json};

use super::GlbBuilder;

/// Triangles of a mesh that have the same material.
#[derive(Clone, Debug, Default)]
pub struct PrimitiveOut {
    /// Index of the material.
    pub material: Option<usize>,
    /// Vertex indices, three per triangle, counterclockwise as seen from the front.
    pub indices: Vec<u32>,
}

/// Joint weights of a mesh's vertices. Vertices with equal weights share a list.
#[derive(Clone, Debug, Default)]
pub struct InfluencesOut {
    /// Lists of influences: the joint index in the skin, and the weight. Each list is sorted from
    /// strongest to weakest, and has a sum of 1.
    pub lists: Vec<Vec<(u16, f32)>>,
    /// Index into `lists` for each vertex.
    pub list_of: Vec<u32>,
}

/// A morph target to write.
#[derive(Clone, Debug, Default)]
pub struct MorphOut {
    /// Name of the morph target.
    pub name: String,
    /// Position offset of each vertex.
    pub positions: Vec<[f32; 3]>,
    /// Normal offset of each vertex; may be empty.
    pub normals: Vec<[f32; 3]>,
    /// Default weight of the morph target.
    pub weight: f32,
}

/// A mesh to write: vertex attributes, and triangles by material. Each attribute list is empty or
/// has one entry per vertex.
#[derive(Clone, Debug, Default)]
pub struct MeshOut {
    /// Name of the mesh.
    pub name: String,
    /// Vertex positions.
    pub positions: Vec<[f32; 3]>,
    /// Unit vertex normals.
    pub normals: Vec<[f32; 3]>,
    /// Vertex tangents, with the sign of the bitangent in w.
    pub tangents: Vec<[f32; 4]>,
    /// Sets of texture coordinates.
    pub uvs: Vec<Vec<[f32; 2]>>,
    /// Sets of linear vertex colors.
    pub colors: Vec<Vec<[f32; 4]>>,
    /// Joint weights; `None` for an unskinned mesh.
    pub influences: Option<InfluencesOut>,
    /// Morph targets.
    pub morphs: Vec<MorphOut>,
    /// Triangles, grouped by material.
    pub primitives: Vec<PrimitiveOut>,
}

impl GlbBuilder {
    /// Adds a mesh. Returns its index.
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
            let indices = self.indices(&made.indices, mesh.positions.len());
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

    /// Adds an accessor of vertex indices in the smallest type that holds them. Returns its index.
    fn indices(&mut self, list: &[u32], vertices: usize) -> usize {
        // The largest value of a type must not be used as an index (glTF 2.0, *Meshes*).
        if vertices < usize::from(u16::MAX) {
            let short: Vec<u16> = list.iter().map(|i| *i as u16).collect();
            return self.accessor(bytemuck::cast_slice(&short), 5123, "SCALAR", list.len(), None);
        }
        self.accessor(bytemuck::cast_slice(list), 5125, "SCALAR", list.len(), None)
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
            let short: Option<Vec<u8>> = joints.iter().map(|j| u8::try_from(*j).ok()).collect();
            let ids = match short {
                Some(short) => self.accessor(&short, 5121, "VEC4", count, None),
                None => self.accessor(bytemuck::cast_slice(&joints), 5123, "VEC4", count, None),
            };
            attributes[format!("JOINTS_{set}")] = ids.into();
            attributes[format!("WEIGHTS_{set}")] = self.floats(&weights, "VEC4", 4, false).into();
        }
    }
}
