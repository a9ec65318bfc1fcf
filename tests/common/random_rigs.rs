//! Small random rigs as files. They have joints below moving nodes, skins with shared joints,
//! blended weights, morph targets, and clips with all interpolations. One part of each file is a
//! figure of nodes with rigid meshes.

use glam::{Mat4, Quat, Vec3};
use serde_json::{Map, Value, json};

use super::{floats, glb};

/// Pseudorandom numbers. The same seed gives the same sequence.
pub struct Draw(u64);

impl Draw {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % n.max(1) as u64) as usize
    }

    /// Returns a number from −1 to 1.
    fn unit(&mut self) -> f32 {
        self.below(20001) as f32 / 10000.0 - 1.0
    }

    fn vector(&mut self, most: f32) -> Vec3 {
        Vec3::new(self.unit(), self.unit(), self.unit()) * most
    }

    fn turn(&mut self, most: f32) -> Quat {
        Quat::from_scaled_axis(self.vector(most))
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// Collects the parts of a file.
#[derive(Default)]
struct FileData {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl FileData {
    fn put(&mut self, bytes: Vec<u8>, component: usize, count: usize, kind: &str) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let view = json!({"buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len()});
        self.bytes.extend(bytes);
        self.views.push(view);
        self.accessors.push(json!({
            "bufferView": self.views.len() - 1, "componentType": component, "count": count,
            "type": kind
        }));
        self.accessors.len() - 1
    }

    fn vectors(&mut self, list: &[Vec3]) -> usize {
        let numbers: Vec<f32> = list.iter().flat_map(|v| v.to_array()).collect();
        let at = self.put(floats(&numbers), 5126, list.len(), "VEC3");
        let low = list.iter().fold(Vec3::INFINITY, |a, p| a.min(*p));
        let high = list.iter().fold(Vec3::NEG_INFINITY, |a, p| a.max(*p));
        self.accessors[at]["min"] = json!(low.to_array());
        self.accessors[at]["max"] = json!(high.to_array());
        at
    }
}

/// A node with its transforms in the file and in the bind pose.
struct RigNode {
    parent: Option<usize>,
    bind: (Vec3, Quat, f32),
    members: Map<String, Value>,
}

impl RigNode {
    fn new(name: String, parent: Option<usize>, draw: &mut Draw, reach: f32) -> Self {
        let scale = if draw.one_in(4) { 0.5 + draw.below(100) as f32 / 100.0 } else { 1.0 };
        let bind = (draw.vector(reach), draw.turn(1.2), scale);
        let mut members = Map::new();
        members.insert("name".into(), name.into());
        Self { parent, bind, members }
    }

    fn matrix(&self) -> Mat4 {
        let (t, r, s) = self.bind;
        Mat4::from_scale_rotation_translation(Vec3::splat(s), r, t)
    }
}

/// A random rig. Meshes named `Mesh…` are skinned, and `Toy` is the top node of the figure.
pub struct RandomRig {
    nodes: Vec<RigNode>,
    /// Indices of the joint nodes.
    joints: Vec<usize>,
    data: FileData,
    meshes: Vec<Value>,
    skins: Vec<Value>,
    draw: Draw,
}

/// Number of vertices per mesh.
const VERTICES: usize = 10;

impl RandomRig {
    /// Returns the file of a seed.
    pub fn bytes(seed: u64) -> Vec<u8> {
        let mut rig = Self {
            nodes: Vec::new(),
            joints: Vec::new(),
            data: FileData::default(),
            meshes: Vec::new(),
            skins: Vec::new(),
            draw: Draw::new(seed),
        };
        rig.skeleton();
        let skinned_first = rig.nodes.len();
        rig.skinned_meshes();
        let toy = rig.figure();
        rig.file(skinned_first, toy)
    }

    fn world(&self, node: usize) -> Mat4 {
        let up = std::iter::successors(Some(node), |n| self.nodes[*n].parent);
        up.fold(Mat4::IDENTITY, |below, n| self.nodes[n].matrix() * below)
    }

    /// Adds up to two nodes above the skeleton, then joints in a tree with one or two roots.
    fn skeleton(&mut self) {
        let above = self.draw.below(3);
        for k in 0..above {
            let parent = k.checked_sub(1);
            self.nodes.push(RigNode::new(format!("Above {k}"), parent, &mut self.draw, 0.4));
        }
        let roots = if above > 0 && self.draw.one_in(4) { 2 } else { 1 };
        let count = 4 + self.draw.below(4);
        for k in 0..count {
            let parent = if k < roots {
                above.checked_sub(1)
            } else {
                Some(self.joints[self.draw.below(k)])
            };
            let node = RigNode::new(format!("Joint {k}"), parent, &mut self.draw, 0.6);
            self.joints.push(self.nodes.len());
            self.nodes.push(node);
        }
    }

    /// Adds one to three skins with some of the joints, bound in one space, with one or two meshes
    /// each.
    fn skinned_meshes(&mut self) {
        let space = match self.draw.below(3) {
            0 => Mat4::IDENTITY,
            _ => Mat4::from_scale_rotation_translation(
                Vec3::splat(0.5 + self.draw.below(20) as f32 / 10.0),
                self.draw.turn(1.0),
                self.draw.vector(0.5),
            ),
        };
        for skin in 0..1 + self.draw.below(3) {
            let whole = skin == 0 || self.draw.one_in(3);
            let mut list: Vec<usize> = self.joints.clone();
            if !whole {
                list.retain(|_| !self.draw.one_in(3));
            }
            if list.is_empty() {
                list.push(self.joints[0]);
            }
            // The joint order of the skin differs from that of the tree.
            let by = self.draw.below(list.len());
            list.rotate_left(by);
            let binds: Vec<f32> = list
                .iter()
                .flat_map(|n| (self.world(*n).inverse() * space).to_cols_array())
                .map(|v| if v == 0.0 { 0.0 } else { v })
                .collect();
            let binds: Vec<f32> = binds.chunks(16).flat_map(affine).collect();
            let count = list.len();
            let binds = self.data.put(floats(&binds), 5126, count, "MAT4");
            self.skins.push(json!({
                "name": format!("Skin {skin}"), "joints": list, "inverseBindMatrices": binds
            }));
            for _ in 0..1 + self.draw.below(2) {
                self.skinned_mesh(skin, count, &space);
            }
        }
    }

    fn skinned_mesh(&mut self, skin: usize, joints: usize, space: &Mat4) {
        let back = space.inverse();
        let at: Vec<Vec3> =
            (0..VERTICES).map(|_| back.transform_point3(self.draw.vector(1.0))).collect();
        let (mut slots, mut weights) = (Vec::new(), Vec::new());
        let rigid = self.draw.one_in(4);
        // Some meshes use only some of the joints.
        let joints = if self.draw.one_in(2) { joints } else { 1 + self.draw.below(joints.min(4)) };
        for _ in 0..VERTICES {
            let most = if rigid { 1 } else { 1 + self.draw.below(4.min(joints)) };
            let first = self.draw.below(joints);
            let mut shares: Vec<usize> = (0..most).map(|_| 1 + self.draw.below(9)).collect();
            let sum: usize = shares.iter().sum();
            shares.resize(4, 0);
            for (k, share) in shares.into_iter().enumerate() {
                let slot = if share > 0 { (first + k) % joints } else { 0 };
                slots.push(slot as u8);
                weights.push(share as f32 / sum as f32);
            }
        }
        let slots = self.data.put(slots, 5121, VERTICES, "VEC4");
        let weights = self.data.put(floats(&weights), 5126, VERTICES, "VEC4");
        let name = format!("Mesh {}", self.meshes.len());
        let mut mesh = self.mesh(&name, &at);
        mesh["primitives"][0]["attributes"]["JOINTS_0"] = json!(slots);
        mesh["primitives"][0]["attributes"]["WEIGHTS_0"] = json!(weights);
        let mut node = RigNode::new(name, None, &mut self.draw, 0.0);
        node.bind = (Vec3::ZERO, Quat::IDENTITY, 1.0);
        node.members.insert("mesh".into(), self.meshes.len().into());
        node.members.insert("skin".into(), skin.into());
        self.meshes.push(mesh);
        self.nodes.push(node);
    }

    /// Builds a mesh of triangles, sometimes with a morph target.
    fn mesh(&mut self, name: &str, at: &[Vec3]) -> Value {
        let positions = self.data.vectors(at);
        let normals: Vec<Vec3> =
            at.iter().map(|_| self.draw.vector(1.0).normalize_or(Vec3::Y)).collect();
        let normals = self.data.vectors(&normals);
        let mut primitive = json!({"attributes": {"POSITION": positions, "NORMAL": normals}});
        if self.draw.one_in(3) {
            let ways: Vec<Vec3> = at.iter().map(|_| self.draw.vector(0.1)).collect();
            let ways = self.data.vectors(&ways);
            primitive["targets"] = json!([{"POSITION": ways}]);
        }
        json!({"name": name, "primitives": [primitive]})
    }

    /// Adds nodes with rigid meshes. Sometimes two nodes share one mesh.
    fn figure(&mut self) -> usize {
        let top = self.nodes.len();
        self.nodes.push(RigNode::new("Toy".into(), None, &mut self.draw, 0.5));
        let shared = self.draw.one_in(2).then_some(self.meshes.len());
        for k in 0..3 + self.draw.below(3) {
            let parent = top + self.draw.below(k + 1);
            let mut node = RigNode::new(format!("Piece {k}"), Some(parent), &mut self.draw, 0.5);
            let known = shared.filter(|m| *m < self.meshes.len() && self.draw.one_in(2));
            let mesh = known.unwrap_or(self.meshes.len());
            if known.is_none() {
                let at: Vec<Vec3> = (0..VERTICES).map(|_| self.draw.vector(0.4)).collect();
                let made = self.mesh(&format!("Block {k}"), &at);
                self.meshes.push(made);
            }
            if !self.draw.one_in(5) {
                node.members.insert("mesh".into(), mesh.into());
            }
            self.nodes.push(node);
        }
        top
    }

    fn file(mut self, first_mesh: usize, toy: usize) -> Vec<u8> {
        let animations: Vec<Value> =
            (0..1 + self.draw.below(2)).map(|k| self.clip(k, first_mesh)).collect();
        let count = self.nodes.len();
        let mut nodes: Vec<Value> = Vec::with_capacity(count);
        for k in 0..count {
            let below: Vec<usize> =
                (0..count).filter(|n| self.nodes[*n].parent == Some(k)).collect();
            // Some joints have a pose that differs from the bind pose.
            let is_posed = self.joints.contains(&k) && self.draw.one_in(5);
            let by = if is_posed { self.draw.turn(0.4) } else { Quat::IDENTITY };
            let (t, r, s) = self.nodes[k].bind;
            let mut members = self.nodes[k].members.clone();
            members.insert("translation".into(), json!(t.to_array()));
            members.insert("rotation".into(), json!((r * by).normalize().to_array()));
            members.insert("scale".into(), json!([s, s, s]));
            if !below.is_empty() {
                members.insert("children".into(), json!(below));
            }
            nodes.push(members.into());
        }
        debug_assert!(toy < count);
        let roots: Vec<usize> = (0..count).filter(|n| self.nodes[*n].parent.is_none()).collect();
        let text = json!({
            "scene": 0, "scenes": [{"nodes": roots}], "nodes": nodes, "skins": self.skins,
            "meshes": self.meshes, "animations": animations,
            "accessors": self.data.accessors, "bufferViews": self.data.views
        });
        glb(text, &self.data.bytes)
    }

    /// Adds a clip with some tracks of morph weights, and of all nodes except those with skinned
    /// meshes.
    fn clip(&mut self, index: usize, first_mesh: usize) -> Value {
        let (mut channels, mut samplers) = (Vec::new(), Vec::new());
        for node in 0..self.nodes.len() {
            let mesh = self.nodes[node].members.get("mesh").and_then(Value::as_u64);
            let is_skinned = self.nodes[node].members.contains_key("skin");
            debug_assert!(!is_skinned || node >= first_mesh);
            let has_target = mesh
                .is_some_and(|m| self.meshes[m as usize]["primitives"][0].get("targets").is_some());
            if has_target && self.draw.one_in(2) {
                self.channel(node, "weights", &mut channels, &mut samplers);
            }
            for path in ["translation", "rotation", "scale"] {
                let share = if path == "rotation" { 2 } else { 4 };
                if !is_skinned && self.draw.one_in(share) {
                    self.channel(node, path, &mut channels, &mut samplers);
                }
            }
        }
        if channels.is_empty() {
            self.channel(0, "rotation", &mut channels, &mut samplers);
        }
        json!({"name": format!("Clip {index}"), "channels": channels, "samplers": samplers})
    }

    fn channel(
        &mut self,
        node: usize,
        path: &str,
        channels: &mut Vec<Value>,
        samplers: &mut Vec<Value>,
    ) {
        let keys = 1 + self.draw.below(4);
        let kind = self.draw.below(if keys > 1 { 3 } else { 2 });
        let interpolation = ["STEP", "LINEAR", "CUBICSPLINE"][kind];
        let times: Vec<f32> = (0..keys).map(|k| k as f32 * 0.35 + 0.1).collect();
        let (t, mut turn, s) = self.nodes[node].bind;
        let mut values: Vec<f32> = Vec::new();
        for _ in 0..keys {
            turn = (turn * self.draw.turn(0.5)).normalize();
            let factor = s * (1.0 + self.draw.below(50) as f32 / 100.0);
            let value: Vec<f32> = match path {
                "translation" => (t + self.draw.vector(0.3)).to_array().to_vec(),
                "rotation" => turn.to_array().to_vec(),
                "scale" => vec![factor; 3],
                _ => vec![self.draw.below(11) as f32 / 10.0],
            };
            let slope = match path {
                // A rotation along the unit sphere.
                "rotation" => {
                    let rate = Quat::from_vec4(self.draw.vector(0.5).extend(0.0)) * turn;
                    rate.to_array().to_vec()
                }
                "scale" => vec![self.draw.unit() * 0.2; 3],
                _ => (0..value.len()).map(|_| self.draw.unit() * 0.3).collect(),
            };
            match kind {
                2 => values.extend([slope.clone(), value, slope].concat()),
                _ => values.extend(value),
            }
        }
        let kind = match path {
            "rotation" => "VEC4",
            "weights" => "SCALAR",
            _ => "VEC3",
        };
        let width = match kind {
            "VEC4" => 4,
            "SCALAR" => 1,
            _ => 3,
        };
        let input = self.data.put(floats(&times), 5126, keys, "SCALAR");
        self.data.accessors[input]["min"] = json!([times[0]]);
        self.data.accessors[input]["max"] = json!([times[keys - 1]]);
        let output = self.data.put(floats(&values), 5126, values.len() / width, kind);
        channels.push(json!({
            "sampler": samplers.len(), "target": {"node": node, "path": path}
        }));
        samplers.push(json!({"input": input, "output": output, "interpolation": interpolation}));
    }
}

/// Returns a matrix whose last row is exactly that of an affine matrix.
fn affine(columns: &[f32]) -> Vec<f32> {
    let last = |k: usize| if k == 15 { Some(1.0) } else { (k % 4 == 3).then_some(0.0) };
    columns.iter().enumerate().map(|(k, v)| last(k).unwrap_or(*v)).collect()
}
