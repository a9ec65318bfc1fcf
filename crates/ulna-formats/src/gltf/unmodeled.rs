//! JSON members of a file that the model does not represent: extensions, extras, custom attributes
//! and keys of pointers. Referenced data is replaced by its content, so that files with different
//! indices can be compared.

use serde_json::{Map, Value, json};

use super::{Source, json::with_nulls, references};
use ulna_model::{IdKind, Renumbering};

/// JSON members that the model does not represent, grouped by element.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unmodeled {
    /// Top-level members of the file.
    pub root: Value,
    /// Members of each node.
    pub nodes: Vec<Value>,
    /// Members of each mesh and its primitives.
    pub meshes: Vec<Value>,
    /// Members of each skin.
    pub skins: Vec<Value>,
    /// Members of each animation.
    pub animations: Vec<Value>,
    /// Members of each material.
    pub materials: Vec<Value>,
    /// Members of each camera.
    pub cameras: Vec<Value>,
    /// Members of each scene.
    pub scenes: Vec<Value>,
}

impl Unmodeled {
    /// Copy with renumbered references. The order of its own lists does not change.
    #[must_use]
    pub fn renumbered(&self, renumbering: &Renumbering) -> Self {
        let mut made = self.clone();
        let Self { root, nodes, meshes, skins, animations, materials, cameras, scenes } = &mut made;
        references::renumber(root, renumbering);
        for (kind, list) in [
            (IdKind::Node, nodes),
            (IdKind::Mesh, meshes),
            (IdKind::Skin, skins),
            (IdKind::Clip, &mut *animations),
            (IdKind::Material, materials),
            (IdKind::Camera, cameras),
            (IdKind::Scene, scenes),
        ] {
            for value in list {
                references::renumber_element(kind, value, renumbering);
            }
        }
        for animation in animations {
            let Some(Value::Object(keys)) = animation.get_mut(KEYS) else { continue };
            let named = std::mem::take(keys).into_iter();
            *keys = named.map(|(name, v)| (renumbering.of_pointer(&name), v)).collect();
        }
        made
    }
}

/// Name of an added member of an animation. It contains the keys of pointer channels, by pointer.
const KEYS: &str = "keys";

/// Names of extras members that the model represents.
const OURS: [&str; 18] = [
    "targetNames",
    "ulna.rest",
    "ulna.markers",
    "ulna.contacts",
    "ulna.retarget",
    "ulna.keys",
    "ulna.ticks",
    "ulna.rate",
    "ulna.loop",
    "ulna.layers",
    "ulna.weight_layers",
    "ulna.sets",
    "ulna.groups",
    "ulna.locks",
    "ulna.humanoid",
    "ulna.poses",
    "ulna.mix",
    "ulna.chunk",
];

/// Extensions that the model represents completely, or that concern only storage.
const MODELED: [&str; 10] = [
    "KHR_lights_punctual",
    "KHR_materials_unlit",
    "KHR_materials_variants",
    "KHR_texture_transform",
    "KHR_draco_mesh_compression",
    "EXT_meshopt_compression",
    "KHR_meshopt_compression",
    "KHR_mesh_quantization",
    "KHR_materials_emissive_strength",
    "EXT_mesh_gpu_instancing",
];

/// Collects the members from a file. Empty if its JSON cannot be parsed.
pub fn unmodeled(source: &Source) -> Unmodeled {
    let Some(root) = source.json().ok().and_then(with_nulls) else { return Unmodeled::default() };
    let file = File { source, root: &root };
    let each = |key: &str, make: &dyn Fn(&Value) -> Value| -> Vec<Value> {
        file.list(key).iter().map(make).collect()
    };
    let plain = |v: &Value| file.rest_of(v);
    Unmodeled {
        root: file.of_root(),
        nodes: each("nodes", &plain),
        meshes: each("meshes", &|v| file.of_mesh(v)),
        skins: each("skins", &plain),
        animations: each("animations", &|v| file.of_animation(v)),
        materials: each("materials", &plain),
        cameras: each("cameras", &plain),
        scenes: each("scenes", &plain),
    }
}

struct File<'a> {
    source: &'a Source,
    root: &'a Value,
}

impl File<'_> {
    fn list(&self, key: &str) -> &[Value] {
        self.root.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Extensions and extras of an object that the model does not represent.
    fn rest_of(&self, element: &Value) -> Value {
        let mut out = Map::new();
        let keep = |key: &str, known: &dyn Fn(&str) -> bool| -> Option<Value> {
            let value = element.get(key)?;
            let Some(members) = value.as_object() else { return Some(value.clone()) };
            let left: Map<String, Value> = members
                .iter()
                .filter(|(name, _)| !known(name))
                .map(|(name, value)| (name.clone(), self.resolved(value)))
                .filter(|(_, value)| !is_empty(value))
                .collect();
            (!left.is_empty()).then_some(Value::Object(left))
        };
        let extensions = keep("extensions", &|name| MODELED.contains(&name));
        let extras = keep("extras", &|name| OURS.contains(&name));
        extensions
            .into_iter()
            .for_each(|v| drop(out.insert("extensions".into(), visible(transmitted(v)))));
        extras.into_iter().for_each(|v| drop(out.insert("extras".into(), v)));
        out.retain(|_, v| !is_empty(v));
        Value::Object(out)
    }

    fn of_root(&self) -> Value {
        let mut out = self.rest_of(self.root);
        let asset = self.root.get("asset").map(|a| self.rest_of(a)).filter(|a| !is_empty(a));
        let copyright = self.root.get("asset").and_then(|a| a.get("copyright")).cloned();
        if let Value::Object(members) = &mut out {
            asset.into_iter().for_each(|a| drop(members.insert("asset".into(), a)));
            copyright.into_iter().for_each(|c| drop(members.insert("copyright".into(), c)));
        }
        out
    }

    fn of_mesh(&self, mesh: &Value) -> Value {
        let mut out = self.rest_of(mesh);
        let primitives =
            mesh.get("primitives").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for (k, primitive) in primitives.iter().enumerate() {
            let mut rest = self.rest_of(primitive);
            let attributes = self.attributes(primitive.get("attributes"), &|name| {
                ["POSITION", "NORMAL", "TANGENT", "TEXCOORD_0", "TEXCOORD_1", "COLOR_0"]
                    .contains(&name)
                    || name.starts_with("JOINTS_")
                    || name.starts_with("WEIGHTS_")
            });
            let targets: Vec<Value> = primitive
                .get("targets")
                .and_then(Value::as_array)
                .map_or(&[][..], Vec::as_slice)
                .iter()
                .map(|t| self.attributes(Some(t), &|name| matches!(name, "POSITION" | "NORMAL")))
                .collect();
            let Value::Object(members) = &mut rest else { continue };
            if !is_empty(&attributes) {
                members.insert("attributes".into(), attributes);
            }
            if targets.iter().any(|t| !is_empty(t)) {
                members.insert("targets".into(), targets.into());
            }
            if let Value::Object(all) = &mut out
                && !members.is_empty()
            {
                all.insert(format!("primitive {k}"), rest);
            }
        }
        out
    }

    fn attributes(&self, list: Option<&Value>, is_modeled: &dyn Fn(&str) -> bool) -> Value {
        let members = list.and_then(Value::as_object).into_iter().flatten();
        let other = members.filter(|(name, _)| !is_modeled(name));
        other
            .map(|(name, index)| (name.clone(), self.content(index)))
            .collect::<Map<String, Value>>()
            .into()
    }

    /// Channels of an animation that are not tracks of nodes: their targets, and the content of
    /// their keys.
    fn of_animation(&self, animation: &Value) -> Value {
        let mut out = self.rest_of(animation);
        let list =
            |key: &str| animation.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let samplers = list("samplers");
        let mut channels: Vec<(String, Value)> = Vec::new();
        for channel in list("channels") {
            let Some(target) = channel.get("target") else { continue };
            let path = target.get("path").and_then(Value::as_str).unwrap_or_default();
            if target.get("node").is_some()
                && matches!(path, "translation" | "rotation" | "scale" | "weights")
            {
                continue;
            }
            let sampler = channel
                .get("sampler")
                .and_then(Value::as_u64)
                .and_then(|k| samplers.get(k as usize));
            let part = |key: &str| {
                sampler.and_then(|s| s.get(key)).map_or(Value::Null, |i| self.content(i))
            };
            let shape = sampler
                .and_then(|s| s.get("interpolation"))
                .cloned()
                .unwrap_or_else(|| "LINEAR".into());
            let pointer =
                target.pointer("/extensions/KHR_animation_pointer/pointer").and_then(Value::as_str);
            let name = pointer.map_or_else(|| target.to_string(), ToOwned::to_owned);
            // Channels of nodes are compared as tracks elsewhere.
            if !name.starts_with("/nodes/") {
                channels.push((name, json!([shape, part("input"), part("output")])));
            }
        }
        channels.sort_by(|a, b| a.0.cmp(&b.0));
        if let Value::Object(members) = &mut out
            && !channels.is_empty()
        {
            members
                .insert(KEYS.into(), channels.into_iter().collect::<Map<String, Value>>().into());
        }
        out
    }

    /// Copies a value with normalized numbers. Texture references are replaced by the texture's
    /// content.
    fn resolved(&self, value: &Value) -> Value {
        match value {
            Value::Number(n) => n.as_f64().map_or_else(|| value.clone(), |v| json!(v)),
            Value::Array(list) => list.iter().map(|v| self.resolved(v)).collect(),
            Value::Object(members) => members
                .iter()
                .map(|(key, v)| {
                    // Textures are detected by the suffix that glTF uses for them. This covers
                    // extensions that are missing from the table of references.
                    let is_texture =
                        key.ends_with("Texture") && v.get("index").is_some_and(Value::is_u64);
                    let v = if is_texture { self.texture(v) } else { self.resolved(v) };
                    (key.clone(), v)
                })
                .collect::<Map<String, Value>>()
                .into(),
            other => other.clone(),
        }
    }

    fn texture(&self, info: &Value) -> Value {
        let mut out = match self.resolved(info) {
            Value::Object(members) => members,
            other => return other,
        };
        let at = |key: &str, index: Option<&Value>| {
            index.and_then(Value::as_u64).and_then(|k| self.list(key).get(usize::try_from(k).ok()?))
        };
        let texture = at("textures", info.get("index"));
        let sampler = at("samplers", texture.and_then(|t| t.get("sampler")));
        let image = at("images", texture.and_then(|t| t.get("source")));
        let bytes = image.and_then(|i| self.image_bytes(i));
        out.insert("index".into(), bytes.map_or(Value::Null, |b| fingerprint(&b)));
        let member = |key: &str| sampler.and_then(|s| s.get(key)).cloned().unwrap_or(Value::Null);
        out.insert(
            "sampler".into(),
            ["wrapS", "wrapT", "magFilter", "minFilter"].map(member).to_vec().into(),
        );
        Value::Object(out)
    }

    fn image_bytes(&self, image: &Value) -> Option<Vec<u8>> {
        match image.get("uri").and_then(Value::as_str) {
            Some(uri) => {
                super::source::data_uri(uri).unwrap_or_else(|| self.source.companion(uri)).ok()
            }
            None => Some(self.view(image.get("bufferView")?)?.0.to_vec()),
        }
    }

    fn view(&self, index: &Value) -> Option<(&[u8], Option<usize>)> {
        let view = self.list("bufferViews").get(usize::try_from(index.as_u64()?).ok()?)?;
        let number =
            |key: &str| view.get(key).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        let bytes = self.source.buffer(number("buffer")?)?;
        let start = number("byteOffset").unwrap_or(0);
        Some((bytes.get(start..start.checked_add(number("byteLength")?)?)?, number("byteStride")))
    }

    /// Describes an accessor by its type and a hash of its elements.
    fn content(&self, index: &Value) -> Value {
        let accessor =
            index.as_u64().and_then(|k| self.list("accessors").get(usize::try_from(k).ok()?));
        let Some(accessor) = accessor else { return Value::Null };
        let number = |key: &str| {
            accessor.get(key).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok())
        };
        let kind = accessor.get("type").and_then(Value::as_str).unwrap_or_default();
        let width = match kind {
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" | "MAT2" => 4,
            "MAT3" => 9,
            "MAT4" => 16,
            _ => 1,
        };
        let size = match number("componentType") {
            Some(5120 | 5121) => width,
            Some(5122 | 5123) => 2 * width,
            _ => 4 * width,
        };
        let (count, start) = (number("count").unwrap_or(0), number("byteOffset").unwrap_or(0));
        let mut bytes = Vec::new();
        if let Some((all, stride)) = accessor.get("bufferView").and_then(|v| self.view(v)) {
            for element in all
                .get(start..)
                .unwrap_or_default()
                .chunks(stride.unwrap_or(size).max(1))
                .take(count)
            {
                bytes.extend_from_slice(&element[..size.min(element.len())]);
            }
        }
        let mut facts = vec![json!(kind), json!(count), fingerprint(&bytes)];
        facts.extend(
            ["componentType", "normalized"].iter().filter_map(|k| accessor.get(*k).cloned()),
        );
        for part in ["indices", "values"] {
            let place = accessor.pointer(&format!("/sparse/{part}"));
            if let Some((all, _)) =
                place.and_then(|p| p.get("bufferView")).and_then(|v| self.view(v))
            {
                facts.push(fingerprint(all));
            }
        }
        facts.into()
    }
}

fn fingerprint(bytes: &[u8]) -> Value {
    format!("#{:016x}", xxhash_rust::xxh3::xxh3_64(bytes)).into()
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_object().is_some_and(Map::is_empty)
}

/// Removes the transmission factor, which the model represents.
fn transmitted(mut extensions: Value) -> Value {
    if let Some(Value::Object(members)) = extensions.get_mut("KHR_materials_transmission") {
        members.remove("transmissionFactor");
    }
    if let Value::Object(members) = &mut extensions {
        members.retain(|_, v| !is_empty(v));
    }
    extensions
}

/// Removes a node visibility that has the default value.
fn visible(mut extensions: Value) -> Value {
    if let Value::Object(members) = &mut extensions {
        members.retain(|name, v| {
            name != "KHR_node_visibility" || v.get("visible") == Some(&Value::Bool(false))
        });
    }
    extensions
}
