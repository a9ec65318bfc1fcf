//! What a file of another format becomes: nodes, meshes, skins, pictures and clips, put together as
//! the bytes of a GLB.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::conversion::Conversion;
use crate::gltf::{ReadError, build_glb};
use ulna_model::Transform;

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
    /// Those that hang on it; the builder's to fill.
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
        out.push('{');
        out.push_str(&members.join(","));
        out.push('}');
    }
}

/// Keys of a node: the path of glTF, key times in seconds, and values.
#[derive(Clone, Debug, PartialEq)]
pub struct KeysOut {
    /// Which node.
    pub node: usize,
    /// `translation`, `rotation` or `scale`.
    pub path: &'static str,
    /// Key times, seconds, rising.
    pub times: Vec<f32>,
    /// Values, key by key.
    pub values: Vec<f32>,
}

/// A GLB as it is put together.
#[derive(Debug, Default)]
pub struct GlbBuilder {
    /// Nodes.
    pub nodes: Vec<NodeOut>,
    /// Materials as glTF has them.
    pub materials: Vec<Value>,
    roots: Vec<usize>,
    meshes: Vec<Value>,
    skins: Vec<Value>,
    textures: Vec<Value>,
    images: Vec<Value>,
    animations: Vec<Value>,
    accessors: Vec<Value>,
    views: Vec<Value>,
    bin: Vec<u8>,
}

impl GlbBuilder {
    /// Another node, on one that is there or on none; its number.
    pub fn node(&mut self, node: NodeOut) -> usize {
        let at = self.nodes.len();
        match node.parent {
            None => self.roots.push(at),
            Some(parent) => self.nodes[parent].children.push(at as u32),
        }
        self.nodes.push(node);
        at
    }

    fn view(&mut self, bytes: &[u8]) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        self.views
            .push(json!({"buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len()}));
        self.bin.extend_from_slice(bytes);
        self.views.len() - 1
    }

    /// An accessor over these bytes, of a component type and kind as glTF numbers and names them.
    pub fn accessor(
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
    pub fn floats(&mut self, values: &[f32], kind: &str, width: usize, bounds: bool) -> usize {
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
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.accessor(&bytes, 5126, kind, values.len() / width, range)
    }

    /// A mesh of these primitives; its number.
    pub fn mesh(&mut self, name: &str, primitives: Vec<Value>) -> usize {
        self.meshes.push(json!({"name": name, "primitives": primitives}));
        self.meshes.len() - 1
    }

    /// A skin, with the inverse bind matrix of each joint by columns, or none; its number.
    pub fn skin(&mut self, joints: &[usize], inverse: &[f32]) -> usize {
        let mut skin = json!({"joints": joints});
        if !inverse.is_empty() {
            skin["inverseBindMatrices"] = self.floats(inverse, "MAT4", 16, false).into();
        }
        self.skins.push(skin);
        self.skins.len() - 1
    }

    /// A texture of a picture; its number.
    pub fn texture(&mut self, name: &str, mime: &str, bytes: &[u8]) -> usize {
        let view = self.view(bytes);
        self.images.push(json!({"name": name, "mimeType": mime, "bufferView": view}));
        self.textures.push(json!({"source": self.images.len() - 1}));
        self.textures.len() - 1
    }

    /// A clip; nothing where it has no keys. Tracks whose times are the same share them.
    pub fn animation(&mut self, name: &str, tracks: &[KeysOut], extras: Option<Value>) {
        let (mut channels, mut samplers) = (Vec::new(), Vec::new());
        let mut inputs: HashMap<&[u8], usize> = HashMap::new();
        for track in tracks.iter().filter(|t| !t.times.is_empty()) {
            let (kind, width) = if track.path == "rotation" { ("VEC4", 4) } else { ("VEC3", 3) };
            let times = bytemuck::cast_slice(&track.times);
            let input = *inputs
                .entry(times)
                .or_insert_with(|| self.floats(&track.times, "SCALAR", 1, true));
            let output = self.floats(&track.values, kind, width, false);
            channels.push(json!({"sampler": samplers.len(),
                "target": {"node": track.node, "path": track.path}}));
            samplers.push(json!({"input": input, "output": output}));
        }
        if channels.is_empty() {
            return;
        }
        let mut clip = json!({"channels": channels, "samplers": samplers});
        if !name.is_empty() {
            clip["name"] = name.into();
        }
        if let Some(extras) = extras {
            clip["extras"] = extras;
        }
        self.animations.push(clip);
    }

    /// The GLB. Where its axes or unit are to be others, all of it hangs on a node that turns and
    /// scales it: the data stay as they are. Whether Z was mirrored in them matters to the axes.
    ///
    /// # Errors
    /// Where it would be larger than a GLB can be.
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
        let mut root =
            json!({"asset": {"version": "2.0", "generator": format!("Ulna, from {from}")}});
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
        build_glb(json.as_bytes(), bin, &[], 0)
            .map_err(|e| ReadError::at(from, format!("it is too large: {e}")))
    }
}
