//! Small bodies for tests: each bone has a tube as its surface, on one or more skins.

use std::collections::BTreeMap;

use glam::{Mat4, Vec3};
use serde_json::{Value, json};
use ulna_model::{Document, MeshId, PrimitiveId};

use super::{floats, weights::map};

/// A mesh: a tube between two points, with vertex weights by joint names.
pub struct Tube {
    pub name: &'static str,
    /// Index of the skin of the mesh.
    pub skin: usize,
    pub from: Vec3,
    pub to: Vec3,
    /// Joints with the position along the tube at which each has full weight, `0..=1`, in ascending
    /// order.
    pub along: Vec<(&'static str, f32)>,
    /// Step between the numbers of neighboring vertices in the list; 1 numbers them in sequence.
    pub stride: usize,
}

/// Description of a body.
pub struct Body {
    /// Name, parent index, and position in the armature of each joint.
    pub joints: Vec<(&'static str, Option<usize>, Vec3)>,
    /// Joints of each skin in order, and the matrix from its mesh space to the armature.
    pub skins: Vec<(Vec<&'static str>, Mat4)>,
    pub tubes: Vec<Tube>,
    /// Transform of the armature, `scene_from_armature`.
    pub armature: Mat4,
    /// Whether weights are stored as bytes.
    pub bytes: bool,
}

const RINGS: usize = 9;
const AROUND: usize = 6;

impl Tube {
    /// Returns the position of each vertex in the armature, and its weights.
    fn vertices(&self) -> Vec<(Vec3, BTreeMap<&'static str, f32>)> {
        let way = (self.to - self.from).normalize_or_zero();
        // Axes across the tube. The tube is symmetric about x = 0 if its ends are.
        let (side, other) = if way.y.abs() > 0.5 { (Vec3::Z, Vec3::X) } else { (Vec3::Y, Vec3::Z) };
        let mut all = Vec::new();
        for ring in 0..RINGS {
            let t = ring as f32 / (RINGS - 1) as f32;
            for k in 0..AROUND {
                let angle = (k as f32 + 0.5) / AROUND as f32 * std::f32::consts::TAU;
                let out = side * angle.sin() + other * angle.cos();
                all.push((self.from.lerp(self.to, t) + out * 0.08, self.held(t)));
            }
        }
        let count = all.len();
        (0..count).map(|v| all[v * self.stride % count].clone()).collect()
    }

    fn held(&self, t: f32) -> BTreeMap<&'static str, f32> {
        let after = self.along.iter().position(|(_, at)| *at > t);
        match after {
            Some(0) => [(self.along[0].0, 1.0)].into(),
            None => [(self.along[self.along.len() - 1].0, 1.0)].into(),
            Some(k) => {
                let ((a, from), (b, to)) = (self.along[k - 1], self.along[k]);
                let part = (t - from) / (to - from);
                [(a, 1.0 - part), (b, part)].into_iter().filter(|(_, w)| *w > 0.0).collect()
            }
        }
    }

    fn indices(&self) -> Vec<u16> {
        let number = |v: usize| {
            let count = RINGS * AROUND;
            (0..count).find(|k| k * self.stride % count == v).expect("each once") as u16
        };
        let quads = (0..RINGS - 1).flat_map(|r| (0..AROUND).map(move |k| (r, k)));
        let corners = quads.flat_map(|(r, k)| {
            let at = |r: usize, k: usize| r * AROUND + k % AROUND;
            let [a, b, c, d] = [at(r, k), at(r, k + 1), at(r + 1, k + 1), at(r + 1, k)];
            [a, b, c, a, c, d]
        });
        corners.map(number).collect()
    }
}

/// Collects the binary data of a file.
#[derive(Default)]
struct Data {
    bin: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Data {
    /// Adds the data of an accessor, and returns the accessor's index.
    fn put(&mut self, bytes: Vec<u8>, mut accessor: Value) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let (offset, length) = (self.bin.len(), bytes.len());
        self.views.push(json!({"buffer": 0, "byteOffset": offset, "byteLength": length}));
        self.bin.extend(bytes);
        accessor["bufferView"] = json!(self.views.len() - 1);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}

impl Body {
    /// Returns the body as a file.
    pub fn glb(&self) -> Vec<u8> {
        let mut data = Data::default();
        let meshes: Vec<Value> = self.tubes.iter().map(|t| self.mesh(t, &mut data)).collect();
        let skins: Vec<Value> =
            self.skins.iter().map(|(list, space)| self.skin(list, *space, &mut data)).collect();
        let mut nodes = self.armature_and_joints();
        let mut roots = vec![0];
        for (k, tube) in self.tubes.iter().enumerate() {
            roots.push(nodes.len());
            nodes.push(json!({"name": format!("on {}", tube.name), "mesh": k, "skin": tube.skin}));
        }
        let json = json!({"scene": 0, "scenes": [{"nodes": roots}], "nodes": nodes, "skins": skins,
            "meshes": meshes,
            "accessors": data.accessors, "bufferViews": data.views});
        super::glb(json, &data.bin)
    }

    /// Returns the mesh of a tube in the file.
    fn mesh(&self, tube: &Tube, data: &mut Data) -> Value {
        let (list, space) = &self.skins[tube.skin];
        let vertices = tube.vertices();
        let at: Vec<Vec3> =
            vertices.iter().map(|(p, _)| space.inverse().transform_point3(*p)).collect();
        let low = at.iter().fold(Vec3::INFINITY, |a, p| a.min(*p));
        let high = at.iter().fold(Vec3::NEG_INFINITY, |a, p| a.max(*p));
        let numbers: Vec<f32> = at.iter().flat_map(|p| p.to_array()).collect();
        let count = at.len();
        let positions = data.put(
            floats(&numbers),
            json!({"componentType": 5126, "count": count, "type": "VEC3", "min": low.to_array(),
                "max": high.to_array()}),
        );
        let (mut joints, mut weights) = (Vec::<u8>::new(), Vec::<f32>::new());
        for (_, held) in &vertices {
            let slot = |name: &str| {
                list.iter().position(|n| *n == name).expect("a joint of the skin") as u8
            };
            let mut slots: Vec<(u8, f32)> = held.iter().map(|(n, w)| (slot(n), *w)).collect();
            slots.resize(4, (0, 0.0));
            joints.extend(slots.iter().map(|s| s.0));
            weights.extend(slots.iter().map(|s| s.1));
        }
        let joints =
            data.put(joints, json!({"componentType": 5121, "count": count, "type": "VEC4"}));
        let weights = self.weights(&weights, data);
        let indices = tube.indices();
        let bytes = indices.iter().flat_map(|i| i.to_le_bytes()).collect();
        let indices = data
            .put(bytes, json!({"componentType": 5123, "count": indices.len(), "type": "SCALAR"}));
        json!({"name": tube.name, "primitives": [
            {"attributes": {"POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights},
                "indices": indices}]})
    }

    /// Adds the weights of a mesh, four per vertex, as bytes or floats. Returns the accessor's
    /// index.
    fn weights(&self, weights: &[f32], data: &mut Data) -> usize {
        let count = weights.len() / 4;
        if self.bytes {
            // Both weights of a vertex are whole steps, and sum to 255.
            let bytes = weights.chunks(4).flat_map(|four| {
                let first = (four[0] * 255.0).round() as u8;
                [first, 255 - first, 0, 0]
            });
            let accessor = json!({"componentType": 5121, "normalized": true, "count": count,
                    "type": "VEC4"});
            data.put(bytes.collect(), accessor)
        } else {
            data.put(
                floats(weights),
                json!({"componentType": 5126, "count": count, "type": "VEC4"}),
            )
        }
    }

    /// Returns a skin in the file.
    fn skin(&self, list: &[&'static str], space: Mat4, data: &mut Data) -> Value {
        let place =
            |name: &str| self.joints.iter().position(|(n, ..)| *n == name).expect("a joint");
        let binds: Vec<f32> = list
            .iter()
            .flat_map(|n| {
                (Mat4::from_translation(-self.joints[place(n)].2) * space).to_cols_array()
            })
            .collect();
        let binds = data.put(
            floats(&binds),
            json!({"componentType": 5126, "count": list.len(), "type": "MAT4"}),
        );
        let numbers: Vec<usize> = list.iter().map(|n| place(n) + 1).collect();
        json!({"joints": numbers, "inverseBindMatrices": binds})
    }

    /// Returns the armature node, followed by the joint nodes.
    fn armature_and_joints(&self) -> Vec<Value> {
        let children = |parent: Option<usize>| -> Vec<usize> {
            (0..self.joints.len()).filter(|k| self.joints[*k].1 == parent).map(|k| k + 1).collect()
        };
        let mut nodes = vec![json!({"name": "Armature", "matrix": self.armature.to_cols_array(),
                "children": children(None)})];
        for (k, (name, parent, at)) in self.joints.iter().enumerate() {
            let above = parent.map_or(Vec3::ZERO, |p| self.joints[p].2);
            let mut node = json!({"name": name, "translation": (*at - above).to_array()});
            let below = children(Some(k));
            if !below.is_empty() {
                node["children"] = json!(below);
            }
            nodes.push(node);
        }
        nodes
    }

    /// Returns the weights of all vertices of all meshes: mesh, vertex, position in the armature,
    /// and weights by joint name.
    pub fn held(&self, document: &Document) -> Vec<(usize, usize, Vec3, BTreeMap<String, f32>)> {
        let mut all = Vec::new();
        for (k, tube) in self.tubes.iter().enumerate() {
            let weights = map(document, MeshId(k as u32), PrimitiveId(0));
            let list = &self.skins[tube.skin].0;
            for (v, (at, _)) in tube.vertices().into_iter().enumerate() {
                let held = weights.vertex(v).filter(|(_, w)| *w > 0.0);
                all.push((
                    k,
                    v,
                    at,
                    held.map(|(j, w)| (list[usize::from(j)].to_owned(), w)).collect(),
                ));
            }
        }
        all
    }
}

/// Builds a left and a right arm with a trunk between them, on three skins. Each skin has another
/// joint order.
pub fn three_skins(armature: Mat4, spaces: [Mat4; 3], bytes: bool) -> Body {
    let at = Vec3::new;
    let joints = vec![
        ("Hips", None, at(0.0, 1.0, 0.0)),
        ("Chest", Some(0), at(0.0, 1.4, 0.0)),
        ("Arm.L", Some(1), at(0.2, 1.4, 0.0)),
        ("Fore.L", Some(2), at(0.6, 1.4, 0.0)),
        ("Hand.L", Some(3), at(1.0, 1.4, 0.0)),
        ("Arm.R", Some(1), at(-0.2, 1.4, 0.0)),
        ("Fore.R", Some(5), at(-0.6, 1.4, 0.0)),
        ("Hand.R", Some(6), at(-1.0, 1.4, 0.0)),
    ];
    let [left, right, middle] = spaces;
    let skins = vec![
        (vec!["Arm.L", "Fore.L", "Hand.L"], left),
        (vec!["Hand.R", "Arm.R", "Fore.R"], right),
        (vec!["Chest", "Arm.R", "Hips", "Arm.L"], middle),
    ];
    let arm = |name, skin, sign: f32, along, stride| Tube {
        name,
        skin,
        from: at(sign * 0.25, 1.4, 0.0),
        to: at(sign * 1.05, 1.4, 0.0),
        along,
        stride,
    };
    let tubes = vec![
        arm("Left", 0, 1.0, vec![("Arm.L", 0.1), ("Fore.L", 0.5), ("Hand.L", 0.9)], 1),
        arm("Right", 1, -1.0, vec![("Arm.R", 0.1), ("Fore.R", 0.5), ("Hand.R", 0.9)], 5),
        Tube {
            name: "Trunk",
            skin: 2,
            from: at(0.0, 0.9, 0.0),
            to: at(0.0, 1.5, 0.0),
            along: vec![("Hips", 0.2), ("Chest", 0.8)],
            stride: 1,
        },
    ];
    Body { joints, skins, tubes, armature, bytes }
}
