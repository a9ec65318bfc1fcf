//! Writes the figure as one GLB file.

use glam::{DAffine3, DQuat, DVec3, Quat, Vec3};
use serde_json::{Value, json};

use crate::body::{Joint, Skeleton};
use crate::keys::{Clip, FRAME_RATE, Keys};
use crate::morphs::Morph;
use crate::pictures::Pictures;
use crate::unwrap::Unwrapped;
use crate::weights::Influence;

const FLOAT: u32 = 5126;
const BYTE: u32 = 5121;
const SHORT: u32 = 5123;
const INT: u32 = 5125;
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;
const LINEAR: u32 = 9729;
const LINEAR_MIPMAP_LINEAR: u32 = 9987;
const CLAMP: u32 = 33071;
/// Index of the mesh node. Node 0 is the armature.
const MESH: usize = 1;
/// Index of the first joint node. The other joints follow.
const FIRST: usize = 2;

/// The binary chunk, with its buffer views and accessors.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    /// Adds a buffer view, and returns its index.
    fn view(&mut self, bytes: &[u8], target: Option<u32>) -> usize {
        let mut view = json!({
            "buffer": 0,
            "byteOffset": self.bytes.len(),
            "byteLength": bytes.len(),
        });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.push(view);
        self.views.len() - 1
    }

    /// Adds an accessor over a whole view, and returns its index.
    fn accessor(&mut self, view: usize, component: u32, count: usize, kind: &str) -> usize {
        self.accessors.push(json!({
            "bufferView": view,
            "componentType": component,
            "count": count,
            "type": kind,
        }));
        self.accessors.len() - 1
    }

    fn floats(&mut self, values: &[f32], kind: &str, width: usize, target: Option<u32>) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let view = self.view(&bytes, target);
        self.accessor(view, FLOAT, values.len() / width, kind)
    }

    /// Adds a sparse accessor: it is zero except at a few vertices.
    fn sparse(&mut self, values: &[Vec3]) -> usize {
        let kept: Vec<usize> = (0..values.len()).filter(|&v| values[v] != Vec3::ZERO).collect();
        let wide = values.len() > usize::from(u16::MAX);
        let index = |&v: &usize| {
            if wide { (v as u32).to_le_bytes().to_vec() } else { (v as u16).to_le_bytes().to_vec() }
        };
        let indices: Vec<u8> = kept.iter().flat_map(index).collect();
        let places: Vec<u8> =
            kept.iter().flat_map(|&v| values[v].to_array()).flat_map(f32::to_le_bytes).collect();
        let (indices, places) = (self.view(&indices, None), self.view(&places, None));
        self.accessors.push(json!({
            "componentType": FLOAT,
            "count": values.len(),
            "type": "VEC3",
            "sparse": {
                "count": kept.len(),
                "indices": { "bufferView": indices,
                    "componentType": if wide { INT } else { SHORT } },
                "values": { "bufferView": places },
            },
        }));
        self.accessors.len() - 1
    }

    /// Sets the bounds of the values, which glTF requires in some places.
    fn range(&mut self, accessor: usize, values: &[f32], width: usize) {
        let fold = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
            (0..width)
                .map(|c| values.iter().skip(c).step_by(width).copied().reduce(pick))
                .map(|v| v.unwrap_or(0.0))
                .collect()
        };
        self.accessors[accessor]["min"] = short(&fold(f32::min));
        self.accessors[accessor]["max"] = short(&fold(f32::max));
    }
}

/// Returns the local translation and rotation of a joint.
fn local(skeleton: &Skeleton, joint: &Joint) -> (Vec3, Quat) {
    let Some(parent) = joint.parent.map(|p| &skeleton.joints[p]) else {
        return (joint.head, joint.rotation);
    };
    let back = parent.rotation.inverse();
    let turn = (back * joint.rotation).normalize();
    (back * (joint.head - parent.head), turn)
}

/// Returns the inverse bind matrices, computed from the exact numbers that are written for the
/// nodes.
fn inverse_binds(skeleton: &Skeleton) -> Vec<f32> {
    let mut world: Vec<DAffine3> = Vec::with_capacity(skeleton.joints.len());
    for joint in &skeleton.joints {
        let (place, turn) = local(skeleton, joint);
        let turn = DQuat::from_array(turn.to_array().map(f64::from)).normalize();
        let place = DVec3::from_array(place.to_array().map(f64::from));
        let own = DAffine3::from_rotation_translation(turn, place);
        world.push(joint.parent.map_or(own, |p| world[p] * own));
    }
    let columns = |m: &DAffine3| {
        let m = m.inverse();
        let c = [m.x_axis, m.y_axis, m.z_axis, m.translation];
        let ends = [0.0, 0.0, 0.0, 1.0];
        let column = move |i: usize| [c[i].x, c[i].y, c[i].z, ends[i]];
        (0..4).flat_map(column).map(|v| v as f32).collect::<Vec<_>>()
    };
    world.iter().flat_map(columns).collect()
}

/// Returns numbers with the fewest digits that preserve all bits.
fn short(values: &[f32]) -> Value {
    let number = |v: &f32| v.to_string().parse::<f64>().unwrap_or(f64::from(*v));
    json!(values.iter().map(number).collect::<Vec<f64>>())
}

fn flat(points: &[Vec3]) -> Vec<f32> {
    points.iter().flat_map(|p| p.to_array()).collect()
}

/// The figure without its clips.
pub struct Figure<'a> {
    /// Skeleton of the figure.
    pub skeleton: &'a Skeleton,
    /// Surface in the rest pose, with texture coordinates.
    pub unwrapped: &'a Unwrapped,
    /// Influences of each mesh vertex.
    pub binding: &'a [Influence],
    /// Morph targets of the mesh.
    pub morphs: &'a [Morph],
    /// Painted textures.
    pub pictures: &'a Pictures,
}

fn primitive(buffer: &mut Buffer, figure: &Figure<'_>) -> Value {
    let (mesh, binding) = (&figure.unwrapped.mesh, figure.binding);
    let count = mesh.positions.len();
    let places = flat(&mesh.positions);
    let position = buffer.floats(&places, "VEC3", 3, Some(VERTICES));
    buffer.range(position, &places, 3);
    let normal = buffer.floats(&flat(&mesh.normals), "VEC3", 3, Some(VERTICES));
    let uvs: Vec<f32> = figure.unwrapped.uvs.iter().flat_map(|uv| uv.to_array()).collect();
    let uv = buffer.floats(&uvs, "VEC2", 2, Some(VERTICES));
    let tangents: Vec<f32> = figure.unwrapped.tangents.iter().flat_map(|t| t.to_array()).collect();
    let tangent = buffer.floats(&tangents, "VEC4", 4, Some(VERTICES));
    let joints: Vec<u8> = binding.iter().flat_map(|i| i.joints).collect();
    let view = buffer.view(&joints, Some(VERTICES));
    let joints = buffer.accessor(view, BYTE, count, "VEC4");
    let weights: Vec<f32> = binding.iter().flat_map(|i| i.weights).collect();
    let weights = buffer.floats(&weights, "VEC4", 4, Some(VERTICES));
    let corners = mesh.triangles.iter().flatten();
    let (bytes, component): (Vec<u8>, u32) = if count <= usize::from(u16::MAX) {
        (corners.flat_map(|&v| (v as u16).to_le_bytes()).collect(), SHORT)
    } else {
        (corners.flat_map(|v| v.to_le_bytes()).collect(), INT)
    };
    let view = buffer.view(&bytes, Some(INDICES));
    let indices = buffer.accessor(view, component, mesh.triangles.len() * 3, "SCALAR");
    let target = |morph: &Morph| {
        let position = buffer.sparse(&morph.positions);
        buffer.range(position, &flat(&morph.positions), 3);
        json!({ "POSITION": position, "NORMAL": buffer.sparse(&morph.normals) })
    };
    let targets: Vec<Value> = figure.morphs.iter().map(target).collect();
    json!({
        "attributes": {
            "POSITION": position,
            "NORMAL": normal,
            "TANGENT": tangent,
            "TEXCOORD_0": uv,
            "JOINTS_0": joints,
            "WEIGHTS_0": weights,
        },
        "indices": indices,
        "material": 0,
        "targets": targets,
    })
}

/// Writes one clip. Tracks with keys on the same frames share their times.
fn animation(buffer: &mut Buffer, clip: &Clip) -> Value {
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    let mut inputs: Vec<(&[u32], usize)> = Vec::new();
    for track in &clip.tracks {
        let known = inputs.iter().find(|(frames, _)| *frames == track.frames);
        let input = known.map(|&(_, input)| input).unwrap_or_else(|| {
            let seconds = |&f: &u32| f as f32 / FRAME_RATE;
            let times: Vec<f32> = track.frames.iter().map(seconds).collect();
            let input = buffer.floats(&times, "SCALAR", 1, None);
            buffer.range(input, &times, 1);
            inputs.push((&track.frames, input));
            input
        });
        let (output, path) = match &track.keys {
            Keys::Rotation(keys) => {
                let values: Vec<f32> = keys.iter().flat_map(|q| q.to_array()).collect();
                (buffer.floats(&values, "VEC4", 4, None), "rotation")
            }
            Keys::Translation(keys) => (buffer.floats(&flat(keys), "VEC3", 3, None), "translation"),
            Keys::Weights(keys) => {
                (buffer.floats(keys.as_flattened(), "SCALAR", 1, None), "weights")
            }
        };
        let sampler = samplers.len();
        samplers.push(json!({ "input": input, "interpolation": "LINEAR", "output": output }));
        let target = json!({ "node": track.joint.map_or(MESH, |j| FIRST + j), "path": path });
        channels.push(json!({ "sampler": sampler, "target": target }));
    }
    json!({ "name": clip.name, "samplers": samplers, "channels": channels })
}

/// Returns the bytes of the GLB file.
pub fn write(figure: &Figure<'_>, clips: &[Clip]) -> Result<Vec<u8>, serde_json::Error> {
    let skeleton = figure.skeleton;
    let names: Vec<&str> = figure.morphs.iter().map(|m| m.name).collect();
    let mut buffer = Buffer::default();
    let primitive = primitive(&mut buffer, figure);
    let binds = buffer.floats(&inverse_binds(skeleton), "MAT4", 16, None);
    let animations: Vec<Value> = clips.iter().map(|clip| animation(&mut buffer, clip)).collect();
    let color = buffer.view(&figure.pictures.color, None);
    let normal = buffer.view(&figure.pictures.normal, None);
    let mut nodes = vec![
        json!({ "name": "Armature", "children": [FIRST] }),
        json!({ "name": "Mannequin", "mesh": 0, "skin": 0 }),
    ];
    for (j, joint) in skeleton.joints.iter().enumerate() {
        let (place, turn) = local(skeleton, joint);
        let mut node = json!({
            "name": joint.name,
            "translation": short(&place.to_array()),
            "rotation": short(&turn.to_array()),
        });
        let children: Vec<usize> = skeleton.children(j).map(|c| FIRST + c).collect();
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        nodes.push(node);
    }
    let joints: Vec<usize> = (0..skeleton.joints.len()).map(|j| FIRST + j).collect();
    let document = json!({
        "asset": { "version": "2.0", "generator": "Ulna mannequin" },
        "scene": 0,
        "scenes": [{ "name": "Mannequin", "nodes": [0, 1] }],
        "nodes": nodes,
        "meshes": [{
            "name": "Mannequin",
            "primitives": [primitive],
            "weights": vec![0.0; names.len()],
            "extras": { "targetNames": names },
        }],
        "skins": [{
            "name": "Armature",
            "inverseBindMatrices": binds,
            "skeleton": FIRST,
            "joints": joints,
        }],
        "materials": [{
            "name": "Mannequin",
            "pbrMetallicRoughness": {
                "baseColorTexture": { "index": 0 },
                "metallicFactor": 0.0,
                "roughnessFactor": 0.6,
            },
            "normalTexture": { "index": 1 },
        }],
        "textures": [{ "sampler": 0, "source": 0 }, { "sampler": 0, "source": 1 }],
        "samplers": [{ "magFilter": LINEAR, "minFilter": LINEAR_MIPMAP_LINEAR, "wrapS": CLAMP,
            "wrapT": CLAMP }],
        "images": [
            { "name": "Mannequin color", "mimeType": "image/png", "bufferView": color },
            { "name": "Mannequin normal", "mimeType": "image/png", "bufferView": normal },
        ],
        "animations": animations,
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{ "byteLength": buffer.bytes.len() }],
    });
    let mut text = serde_json::to_vec(&document)?;
    text.resize(text.len().next_multiple_of(4), b' ');
    let total = 12 + 8 + text.len() + 8 + buffer.bytes.len();
    let mut file = Vec::with_capacity(total);
    file.extend_from_slice(b"glTF");
    for word in [2, total as u32, text.len() as u32] {
        file.extend_from_slice(&word.to_le_bytes());
    }
    file.extend_from_slice(b"JSON");
    file.extend_from_slice(&text);
    file.extend_from_slice(&(buffer.bytes.len() as u32).to_le_bytes());
    file.extend_from_slice(b"BIN\0");
    file.extend_from_slice(&buffer.bytes);
    Ok(file)
}
