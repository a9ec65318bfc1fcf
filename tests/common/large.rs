//! A generated model of any size: many joints on two sides, many clips, many vertices, layers, and
//! faults in the file.

use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_session::Session;

/// Size of a generated model.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Number of joints. Half of them are on each side.
    pub joints: usize,
    /// Number of clips. Each clip moves, rotates and scales every joint.
    pub clips: usize,
    /// Number of keys per track.
    pub keys: usize,
    /// Number of vertices along each side of the skin, which is a sheet.
    pub side: usize,
    /// Number of layers over the first clip.
    pub layers: usize,
    /// Number of joints with an invalid rotation. Each causes one problem.
    pub problems: usize,
}

impl Size {
    /// A large model: 126 MB of keys on 3,000 joints, a million vertices, ten layers and 2,000
    /// problems.
    pub const LARGE: Self =
        Self { joints: 3_001, clips: 4, keys: 262, side: 1_000, layers: 10, problems: 2_000 };
    /// A small model with the same structure.
    pub const SMALL: Self =
        Self { joints: 41, clips: 2, keys: 20, side: 20, layers: 2, problems: 12 };
}

/// Number of joints in a chain.
const CHAIN: usize = 10;

/// Returns the name of a joint: the root, or its number in its chain and its side.
pub fn joint(k: usize) -> String {
    let Some(k) = k.checked_sub(1) else { return "root".to_owned() };
    let side = if k.is_multiple_of(2) { "L" } else { "R" };
    format!("limb {} {}.{side}", k / 2 / CHAIN, k / 2 % CHAIN)
}

#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    fn add(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize) -> usize {
        let from = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.push(json!({"buffer": 0, "byteOffset": from, "byteLength": bytes.len()}));
        self.accessors.push(
            json!({"bufferView": self.views.len() - 1, "componentType": component, "count": count,
                "type": kind}),
        );
        self.accessors.len() - 1
    }

    fn floats(&mut self, values: &[f32], kind: &str, width: usize) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.add(&bytes, 5126, kind, values.len() / width)
    }

    fn bounds(&mut self, accessor: usize, low: &Value, high: &Value) {
        self.accessors[accessor]["min"] = low.clone();
        self.accessors[accessor]["max"] = high.clone();
    }
}

fn nodes(size: Size) -> Vec<Value> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); size.joints];
    for k in 1..size.joints {
        let is_first = ((k - 1) / 2).is_multiple_of(CHAIN);
        children[if is_first { 0 } else { k - 2 }].push(k);
    }
    let limbs = (size.joints / 2 / CHAIN).max(1);
    let mut nodes: Vec<Value> = (0..size.joints)
        .map(|k| {
            let mut node = json!({"name": joint(k)});
            if k > 0 {
                let (side, at) = (if (k - 1).is_multiple_of(2) { 1.0 } else { -1.0 }, (k - 1) / 2);
                node["translation"] = match at % CHAIN {
                    0 => json!([side * 0.1, (at / CHAIN) as f32 / limbs as f32 * 2.0, 0.0]),
                    _ => json!([side * 0.09, 0.0, 0.02]),
                };
            }
            if (1..=size.problems).contains(&k) {
                node["rotation"] = json!([0.0, 0.0, 0.0, 1.01]);
            }
            if !children[k].is_empty() {
                node["children"] = json!(children[k]);
            }
            node
        })
        .collect();
    nodes.push(json!({"name": "sheet", "mesh": 0, "skin": 0}));
    nodes
}

/// Builds the sheet of the skin, from one side to the other. Each vertex has four consecutive
/// joints.
fn mesh(size: Size, to: &mut Buffer) -> Value {
    let (side, count) = (size.side, size.side * size.side);
    let place = |v: usize| {
        [
            (v % side) as f32 / (side - 1) as f32 * 2.0 - 1.0,
            (v / side) as f32 / (side - 1) as f32 * 2.0,
            0.0,
        ]
    };
    let positions: Vec<f32> = (0..count).flat_map(place).collect();
    let position = to.floats(&positions, "VEC3", 3);
    to.bounds(position, &json!([-1.0, 0.0, 0.0]), &json!([1.0, 2.0, 0.0]));
    let normals: Vec<f32> = (0..count).flat_map(|_| [0.0, 0.0, 1.0]).collect();
    let normal = to.floats(&normals, "VEC3", 3);
    let first = |v: usize| (v * size.joints / count).min(size.joints - 4);
    let slots: Vec<u8> = (0..count)
        .flat_map(|v| (0..4).flat_map(move |k| ((first(v) + k) as u16).to_le_bytes()))
        .collect();
    let joints = to.add(&slots, 5123, "VEC4", count);
    let shares: Vec<f32> = (0..count).flat_map(|_| [0.4, 0.3, 0.2, 0.1]).collect();
    let weights = to.floats(&shares, "VEC4", 4);
    let corner = |x: usize, y: usize| (y * side + x) as u32;
    let faces = (0..side - 1).flat_map(|y| (0..side - 1).map(move |x| (x, y)));
    let indices: Vec<u8> = faces
        .flat_map(|(x, y)| {
            let [a, b, c, d] =
                [corner(x, y), corner(x + 1, y), corner(x, y + 1), corner(x + 1, y + 1)];
            [a, b, c, c, b, d]
        })
        .flat_map(u32::to_le_bytes)
        .collect();
    let index = to.add(&indices, 5125, "SCALAR", indices.len() / 4);
    json!({"name": "sheet", "primitives": [{"indices": index,
        "attributes": {"POSITION": position, "NORMAL": normal, "JOINTS_0": joints,
            "WEIGHTS_0": weights}}]})
}

fn clip(size: Size, number: usize, times: usize, to: &mut Buffer) -> Value {
    let (mut channels, mut samplers) = (Vec::new(), Vec::new());
    let mut values: Vec<f32> = Vec::new();
    for node in 0..size.joints {
        for (path, kind, width) in
            [("translation", "VEC3", 3), ("rotation", "VEC4", 4), ("scale", "VEC3", 3)]
        {
            values.clear();
            for key in 0..size.keys {
                let wave = (key as f32 * 0.11 + node as f32 * 0.7 + number as f32).sin();
                match path {
                    "translation" if node == 0 => values.extend([0.01 * wave, 0.0, 0.0]),
                    "translation" => {
                        let side = if (node - 1).is_multiple_of(2) { 1.0 } else { -1.0 };
                        let up = ((node - 1) / 2 / CHAIN) as f32
                            / (size.joints / 2 / CHAIN).max(1) as f32
                            * 2.0;
                        match (node - 1) / 2 % CHAIN {
                            0 => values.extend([side * 0.1, up + 0.01 * wave, 0.0]),
                            _ => values.extend([side * 0.09, 0.005 * wave, 0.02]),
                        }
                    }
                    "rotation" => values.extend([0.0, 0.0, (wave * 0.1).sin(), (wave * 0.1).cos()]),
                    _ => values.extend([1.0, 1.0, 1.0 + 0.01 * wave]),
                }
            }
            let output = to.floats(&values, kind, width);
            channels
                .push(json!({"sampler": samplers.len(), "target": {"node": node, "path": path}}));
            samplers.push(json!({"input": times, "output": output}));
        }
    }
    json!({"name": format!("clip {number}"), "channels": channels, "samplers": samplers})
}

/// Builds the model without its layers.
fn bare(size: Size) -> Vec<u8> {
    let mut buffer = Buffer::default();
    let mesh = mesh(size, &mut buffer);
    let times: Vec<f32> = (0..size.keys).map(|k| k as f32 / 30.0).collect();
    let input = buffer.floats(&times, "SCALAR", 1);
    buffer.bounds(input, &json!([0.0]), &json!([times[times.len() - 1]]));
    let clips: Vec<Value> = (0..size.clips).map(|k| clip(size, k, input, &mut buffer)).collect();
    let Buffer { bytes, views, accessors } = buffer;
    let mut document = json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, size.joints]}],
            "nodes": nodes(size),
        "skins": [{"joints": (0..size.joints).collect::<Vec<_>>()}], "meshes": [mesh],
        "buffers": [{"byteLength": bytes.len()}], "bufferViews": views, "accessors": accessors
    });
    if !clips.is_empty() {
        document["animations"] = json!(clips);
    }
    glb(document.to_string().into_bytes(), &bytes)
}

fn glb(mut text: Vec<u8>, bytes: &[u8]) -> Vec<u8> {
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut glb = Vec::with_capacity(28 + text.len() + bytes.len());
    let total = 12 + 8 + text.len() + 8 + bytes.len();
    for word in [0x4654_6C67u32, 2, total as u32, text.len() as u32, 0x4E4F_534A] {
        glb.extend(word.to_le_bytes());
    }
    glb.extend(text);
    glb.extend((bytes.len() as u32).to_le_bytes());
    glb.extend(0x004E_4942u32.to_le_bytes());
    glb.extend_from_slice(bytes);
    glb
}

/// Returns the model as a GLB that stores the layers of its first clip.
pub fn model(size: Size) -> Vec<u8> {
    let bare = bare(size);
    if size.layers == 0 || size.clips == 0 {
        return bare;
    }
    let mut session = Session::open_bytes(&bare).expect("the model");
    let mut run = |line: String| {
        let line = CommandLine::parse(&line).expect("a line");
        session.run_line(&line).expect("done");
    };
    for layer in 0..size.layers {
        let (clip, name) = ("clip 0", format!("layer {layer}"));
        run(json!({"do": "layer.new", "clip": clip, "name": name}).to_string());
        let node = if layer == 0 { "*".to_owned() } else { format!("limb * {}.L", layer % CHAIN) };
        let (sine, cosine) = (0.02 + 0.01 * layer as f32).sin_cos();
        let set = json!({"do": "layer.set", "clip": clip, "layer": name, "node": node,
            "rotation": [0.0, sine, 0.0, cosine]});
        run(set.to_string());
    }
    run(json!({"do": "layer.keep", "on": true}).to_string());
    session.pack("model").expect("a file").bytes.to_vec()
}
