//! The GLB that a file of another format becomes: nodes, meshes, skins, pictures and clips are put
//! together as its bytes.

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

/// A node to write. Not a JSON value yet: a file of a hundred thousand frames must not take a
/// gigabyte.
#[derive(Clone, Debug, Default)]
pub struct NodeOut {
    /// Its name; empty where it has none.
    pub name: String,
    /// Its local transform; none where it is the identity.
    pub transform: Option<Transform>,
    /// The node that it hangs on.
    pub parent: Option<usize>,
    /// Its mesh.
    pub mesh: Option<usize>,
    /// Its skin.
    pub skin: Option<usize>,
    /// Its camera.
    pub camera: Option<usize>,
    /// Its light.
    pub light: Option<usize>,
    /// Whether it and all below it are hidden (`KHR_node_visibility`).
    pub is_hidden: bool,
    /// Its own properties.
    pub extras: Option<Map<String, Value>>,
    /// The ones that hang on it; the builder's to fill.
    pub children: Vec<u32>,
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

/// A GLB as it is put together.
#[derive(Debug, Default)]
pub struct GlbBuilder {
    /// Nodes.
    pub nodes: Vec<NodeOut>,
    /// Clips of the file, wanted or not.
    pub clips: Vec<FoundClip>,
    wanted: Option<BTreeSet<usize>>,
    roots: Vec<usize>,
    meshes: Vec<Value>,
    skins: Vec<Value>,
    /// Joints of each skin.
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
    /// With nothing in it, for a file that is taken like this.
    pub fn new(conversion: &Conversion) -> Self {
        Self { wanted: conversion.clips.clone(), ..Self::default() }
    }

    /// Another node, on one that is there or on none; its number.
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

    /// Notes that the file uses an extension; its name.
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

    /// An accessor over these bytes, of a component type and kind as glTF numbers and names them.
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

    /// An accessor of floats, `width` to an element, with their bounds if asked for.
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

    /// A skin, with the inverse bind matrix of each joint by columns, or none; its number.
    pub fn skin(&mut self, joints: &[usize], inverse: &[f32]) -> usize {
        let mut skin = json!({"joints": joints});
        if !inverse.is_empty() {
            skin["inverseBindMatrices"] = self.floats(inverse, "MAT4", 16, false).into();
        }
        self.skins.push(skin);
        self.joints.push(joints.to_vec());
        self.skins.len() - 1
    }

    /// Puts a node above all that stand at the top, where joints of a skin have no node in common:
    /// glTF asks for one.
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

    /// A camera, as glTF has it; its number.
    pub fn camera(&mut self, camera: Value) -> usize {
        self.cameras.push(camera);
        self.cameras.len() - 1
    }

    /// A light, as `KHR_lights_punctual` has it; its number.
    pub fn light(&mut self, light: Value) -> usize {
        self.extension(LIGHTS);
        self.lights.push(light);
        self.lights.len() - 1
    }

    /// The GLB. Where its axes or unit are to be others, all of it hangs on a node that turns and
    /// scales it: the data stay as they are. Whether Z was mirrored in them matters to the axes.
    ///
    /// # Errors
    /// If it would be larger than a GLB can be.
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

    /// The GLB, as it stands.
    ///
    /// # Errors
    /// If it would be larger than a GLB can be.
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
