//! Builder of a GLB for importers. Nodes, meshes, skins, images and clips are written directly to
//! its bytes.

mod clips;
mod materials;
mod meshes;

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{FoundClip, conversion::Conversion};
use crate::gltf::{ReadError, build_glb};
use ulna_model::Transform;

pub use self::{
    clips::KeysOut,
    materials::{AlphaOut, MaterialOut, TextureOut},
    meshes::{InfluencesOut, MeshOut, MorphOut, PrimitiveOut},
};

/// A node to write. It is converted to JSON only at the end, because JSON values of many nodes
/// would need too much memory.
#[derive(Clone, Debug, Default)]
pub struct NodeOut {
    /// Name of the node; may be empty.
    pub name: String,
    /// Local transform; `None` for the identity.
    pub transform: Option<Transform>,
    /// Index of the parent node.
    pub parent: Option<usize>,
    /// Index of the mesh.
    pub mesh: Option<usize>,
    /// Index of the skin.
    pub skin: Option<usize>,
    /// Index of the camera.
    pub camera: Option<usize>,
    /// Index of the light.
    pub light: Option<usize>,
    /// Whether the node and its descendants are hidden (`KHR_node_visibility`).
    pub is_hidden: bool,
    /// User-defined properties, as extras.
    pub extras: Option<Map<String, Value>>,
    /// Indices of the child nodes; filled by the builder.
    pub children: Vec<u32>,
}

impl NodeOut {
    /// Appends the JSON of the node to a text.
    fn write(&self, out: &mut String) {
        let mut members: Vec<String> = Vec::new();
        if !self.name.is_empty() {
            members.push(format!("\"name\":{}", Value::from(self.name.as_str())));
        }
        if let Some(t) = &self.transform {
            let (t, r, s) = (t.translation.to_array(), t.rotation.to_array(), t.scale.to_array());
            members.push(format!(
                "\"translation\":{},\"rotation\":{},\"scale\":{}",
                json!(t),
                json!(r),
                json!(s)
            ));
        }
        if !self.children.is_empty() {
            members.push(format!("\"children\":{}", json!(self.children)));
        }
        members.extend(self.mesh.map(|m| format!("\"mesh\":{m}")));
        members.extend(self.skin.map(|s| format!("\"skin\":{s}")));
        members.extend(self.camera.map(|c| format!("\"camera\":{c}")));
        let mut extensions = Map::new();
        if let Some(light) = self.light {
            extensions.insert(LIGHTS.into(), json!({"light": light}));
        }
        if self.is_hidden {
            extensions.insert(VISIBILITY.into(), json!({"visible": false}));
        }
        if !extensions.is_empty() {
            members.push(format!("\"extensions\":{}", Value::from(extensions)));
        }
        if let Some(extras) = &self.extras {
            members.push(format!("\"extras\":{}", json!(extras)));
        }
        out.push('{');
        out.push_str(&members.join(","));
        out.push('}');
    }
}

const LIGHTS: &str = "KHR_lights_punctual";
const VISIBILITY: &str = "KHR_node_visibility";

/// State of a GLB during its construction.
#[derive(Debug, Default)]
pub struct GlbBuilder {
    /// Nodes in the order of their indices.
    pub nodes: Vec<NodeOut>,
    /// All clips in the file, including those that are not imported.
    pub clips: Vec<FoundClip>,
    wanted: Option<BTreeSet<usize>>,
    roots: Vec<usize>,
    meshes: Vec<Value>,
    skins: Vec<Value>,
    /// Joint nodes of each skin.
    joints: Vec<Vec<usize>>,
    materials: Vec<Value>,
    textures: Vec<Value>,
    samplers: Vec<Value>,
    images: Vec<Value>,
    cameras: Vec<Value>,
    lights: Vec<Value>,
    animations: Vec<Value>,
    accessors: Vec<Value>,
    views: Vec<Value>,
    extensions: BTreeSet<&'static str>,
    bin: Vec<u8>,
}

impl GlbBuilder {
    /// Creates an empty GLB. `conversion` selects the clips to import.
    pub fn new(conversion: &Conversion) -> Self {
        Self { wanted: conversion.clips.clone(), ..Self::default() }
    }

    /// Adds a node, and adds it to the children of its parent, if any. Returns its index.
    pub fn node(&mut self, node: NodeOut) -> usize {
        let at = self.nodes.len();
        match node.parent {
            None => self.roots.push(at),
            Some(parent) => self.nodes[parent].children.push(at as u32),
        }
        if node.is_hidden {
            self.extension(VISIBILITY);
        }
        self.nodes.push(node);
        at
    }

    /// Adds the name of an extension to the list of used extensions. Returns the name.
    fn extension(&mut self, name: &'static str) -> String {
        self.extensions.insert(name);
        name.to_owned()
    }

    fn view(&mut self, bytes: &[u8]) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        self.views
            .push(json!({"buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len()}));
        self.bin.extend_from_slice(bytes);
        self.views.len() - 1
    }

    /// Adds an accessor for bytes, with a glTF component type and element type. Returns its index.
    fn accessor(
        &mut self,
        bytes: &[u8],
        component: u32,
        kind: &str,
        count: usize,
        bounds: Option<(Value, Value)>,
    ) -> usize {
        let view = self.view(bytes);
        let mut accessor =
            json!({"bufferView": view, "componentType": component, "count": count, "type": kind});
        if let Some((min, max)) = bounds {
            accessor["min"] = min;
            accessor["max"] = max;
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Adds an accessor of floats with `width` components per element. If `bounds` is set, `min`
    /// and `max` are added. Returns its index.
    fn floats(&mut self, values: &[f32], kind: &str, width: usize, bounds: bool) -> usize {
        let range = bounds.then(|| {
            let fold = |start: f32, f: fn(f32, f32) -> f32| -> Value {
                (0..width)
                    .map(|k| {
                        Value::from(values.iter().skip(k).step_by(width).copied().fold(start, f))
                    })
                    .collect()
            };
            (fold(f32::INFINITY, f32::min), fold(f32::NEG_INFINITY, f32::max))
        });
        self.accessor(bytemuck::cast_slice(values), 5126, kind, values.len() / width, range)
    }

    /// Adds a skin. `inverse` contains the column-major inverse bind matrices of the joints, or is
    /// empty. Returns the index of the skin.
    pub fn skin(&mut self, joints: &[usize], inverse: &[f32]) -> usize {
        let mut skin = json!({"joints": joints});
        if !inverse.is_empty() {
            skin["inverseBindMatrices"] = self.floats(inverse, "MAT4", 16, false).into();
        }
        self.skins.push(skin);
        self.joints.push(joints.to_vec());
        self.skins.len() - 1
    }

    /// Adds a common root node if the joints of a skin have no common ancestor, because glTF
    /// requires one.
    pub fn join_roots(&mut self, name: &str) {
        let top = |node: &usize| {
            std::iter::successors(Some(*node), |n| self.nodes[*n].parent).last().unwrap_or(*node)
        };
        let tops = |joints: &Vec<usize>| joints.iter().map(top).collect::<BTreeSet<_>>().len();
        if !self.joints.iter().any(|joints| tops(joints) > 1) {
            return;
        }
        let at = self.nodes.len();
        let children = self.roots.iter().map(|r| *r as u32).collect();
        self.roots.iter().for_each(|r| self.nodes[*r].parent = Some(at));
        self.nodes.push(NodeOut { name: name.to_owned(), children, ..NodeOut::default() });
        self.roots = vec![at];
    }

    /// Adds a camera in glTF JSON. Returns its index.
    pub fn camera(&mut self, camera: Value) -> usize {
        self.cameras.push(camera);
        self.cameras.len() - 1
    }

    /// Adds a light in `KHR_lights_punctual` JSON. Returns its index.
    pub fn light(&mut self, light: Value) -> usize {
        self.extension(LIGHTS);
        self.lights.push(light);
        self.lights.len() - 1
    }

    /// Builds the GLB. If axes or unit need a conversion, a root node with a rotation and scale is
    /// added, and the data stays unchanged. `is_mirrored` states whether Z was negated in the data.
    ///
    /// # Errors
    /// The result exceeds the maximum size of a GLB.
    pub fn finish(
        mut self,
        from: &'static str,
        conversion: &Conversion,
        is_mirrored: bool,
    ) -> Result<Vec<u8>, ReadError> {
        if let Some(transform) = conversion.root(is_mirrored)
            && !self.roots.is_empty()
        {
            let children = self.roots.iter().map(|r| *r as u32).collect();
            let name = format!("From {from}");
            let at = self.nodes.len();
            self.roots.iter().for_each(|r| self.nodes[*r].parent = Some(at));
            self.nodes.push(NodeOut {
                name,
                transform: Some(transform),
                children,
                ..NodeOut::default()
            });
            self.roots = vec![at];
        }
        self.bytes(from)
    }

    /// Builds the GLB without a conversion of axes and unit.
    ///
    /// # Errors
    /// The result exceeds the maximum size of a GLB.
    pub fn bytes(self, from: &'static str) -> Result<Vec<u8>, ReadError> {
        let mut root =
            json!({"asset": {"version": "2.0", "generator": format!("Ulna, from {from}")}});
        if !self.extensions.is_empty() {
            root["extensionsUsed"] = json!(self.extensions);
        }
        if !self.lights.is_empty() {
            root["extensions"] =
                Map::from_iter([(LIGHTS.into(), json!({"lights": self.lights}))]).into();
        }
        if !self.roots.is_empty() {
            root["scene"] = 0.into();
            root["scenes"] = json!([{"nodes": self.roots}]);
        }
        let lists = [
            ("meshes", self.meshes),
            ("skins", self.skins),
            ("materials", self.materials),
            ("textures", self.textures),
            ("samplers", self.samplers),
            ("images", self.images),
            ("cameras", self.cameras),
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
        build_glb(json.as_bytes(), bin, &[], 0)
            .map_err(|e| ReadError::at(from, format!("it is too large: {e}")))
    }
}
