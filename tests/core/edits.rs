//! Every kind of edit on random scenes. The inverse must restore the document, the document must
//! stay valid, and the saved file must contain the edit, number by number. `ULNA_EDITS` sets the
//! number of scenes; the default is 60.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{cell::RefCell, collections::BTreeMap, sync::Arc};

use glam::{EulerRot, Mat4, Quat, Vec3};
use proptest::{prelude::*, test_runner::TestRunner};
use serde_json::{Value, json};
use ulna_edit::{Command, CommandLine, Edit, apply};
use ulna_formats::gltf::{self, Opened, Progress, SaveOptions};
use ulna_model::{
    ChainRotation, Clip, ClipId, Components, Document, Goal, GoalPoint, GroupColor, Image, ImageId,
    Interpolation, JointGroup, KeptJoint, KeptMorphs, KeptPose, LayerHome, Local, MaterialId,
    MeshId, Mip, Mix, MixBar, MixLane, MixMask, Node, NodeId, NodePose, NodeSet, NodeSpace, Pin,
    PoseLayer, PoseLayerId, PoseLayers, Primitive, PrimitiveId, Property, RestGeometry,
    RetargetChain, RetargetMap, RootMotion, SceneId, Shared, Skin, SkinId, TextureRef, Track,
    Transform, UnkeyedAt, WeightEncoding, WeightLayers, WeightMap, Wrap,
};
use ulna_session::{Session, first_lost};

/// Number of kinds of edits that the tests generate.
pub(super) const KINDS: usize = 32;

/// Kinds of edits that a file can store.
const SAVED: [usize; 18] = [0, 2, 4, 5, 6, 7, 8, 9, 12, 13, 14, 21, 22, 27, 28, 29, 30, 31];

/// Pseudorandom numbers. The same seed gives the same sequence.
pub(super) struct Draw(pub u64);

impl Draw {
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % n.max(1) as u64) as usize
    }

    fn number(&mut self) -> f32 {
        (self.below(4001) as f32 - 2000.0) / 700.0
    }

    fn vec3(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }

    fn turn(&mut self) -> Quat {
        let v = self.vec3();
        Quat::from_euler(EulerRot::YXZ, v.x, v.y, v.z)
    }

    /// Returns a uniform, non-uniform, mirrored or flat scale.
    fn scale(&mut self) -> Vec3 {
        match self.below(6) {
            0 => Vec3::new(-1.0, 1.0, 1.0),
            1 => Vec3::new(1.0, 2.5, 0.25),
            2 => Vec3::new(1.0, 0.0, 1.0),
            3 => Vec3::splat(0.01),
            _ => Vec3::ONE,
        }
    }

    fn transform(&mut self) -> Transform {
        Transform { translation: self.vec3(), rotation: self.turn(), scale: self.scale() }
    }

    fn sheared(&mut self) -> Mat4 {
        let shear = Mat4::from_cols_array_2d(&[
            [1.0, 0.0, 0.0, 0.0],
            [self.number() * 0.2, 1.0, 0.0, 0.0],
            [0.0, self.number() * 0.1, 1.0, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ]);
        Mat4::from_rotation_translation(self.turn(), self.vec3()) * shear
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
    fn add(
        &mut self,
        bytes: &[u8],
        component: u32,
        kind: &str,
        count: usize,
        more: Value,
    ) -> usize {
        let at = self.bin.len();
        self.bin.extend_from_slice(bytes);
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        self.views.push(json!({"buffer": 0, "byteOffset": at, "byteLength": bytes.len()}));
        let mut accessor = json!({"bufferView": self.views.len() - 1, "componentType": component,
            "type": kind,
                "count": count});
        for (key, value) in more.as_object().into_iter().flatten() {
            accessor[key] = value.clone();
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn floats(&mut self, values: &[f32], kind: &str, width: usize, more: Value) -> usize {
        self.add(&crate::common::floats(values), 5126, kind, values.len() / width, more)
    }
}

const VERTICES: usize = 6;

/// Signature at the start of a PNG.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Builds a mesh of two primitives with two morph targets. If it is skinned, its weights have a
/// random type.
fn mesh(draw: &mut Draw, data: &mut Data, joints: Option<usize>) -> Value {
    let mut primitives = Vec::new();
    for _ in 0..2 {
        let points: Vec<f32> = (0..VERTICES * 3).map(|_| draw.number()).collect();
        let bound = |f: fn(f32, f32) -> f32| -> Vec<f32> {
            (0..3).map(|k| points.iter().skip(k).step_by(3).copied().reduce(f).unwrap()).collect()
        };
        let bounds = json!({"min": bound(f32::min), "max": bound(f32::max)});
        let mut attributes = json!({"POSITION": data.floats(&points, "VEC3", 3, bounds.clone())});
        if let Some(joints) = joints {
            let slots: Vec<u8> =
                (0..VERTICES * 4).map(|k| if k % 4 < joints { (k % 4) as u8 } else { 0 }).collect();
            attributes["JOINTS_0"] = json!(data.add(&slots, 5121, "VEC4", VERTICES, json!({})));
            let share = |k: usize| {
                if k.is_multiple_of(4) || (k % 4 == 1 && joints > 1) { 1.0 } else { 0.0 }
            };
            let even = |k: usize| if joints > 1 { share(k) * 0.5 } else { share(k) };
            attributes["WEIGHTS_0"] = json!(match draw.below(3) {
                0 => {
                    let weights: Vec<f32> = (0..VERTICES * 4).map(even).collect();
                    data.floats(&weights, "VEC4", 4, json!({}))
                }
                1 => {
                    // 127 and 128 sum to 255.
                    let byte = |k: usize| {
                        (even(k) * 255.0).floor() as u8
                            + u8::from(joints > 1 && k.is_multiple_of(4))
                    };
                    let weights: Vec<u8> = (0..VERTICES * 4).map(byte).collect();
                    data.add(&weights, 5121, "VEC4", VERTICES, json!({"normalized": true}))
                }
                _ => {
                    let word = |k: usize| {
                        (even(k) * 65535.0).floor() as u16
                            + u16::from(joints > 1 && k.is_multiple_of(4))
                    };
                    let weights: Vec<u8> =
                        (0..VERTICES * 4).flat_map(|k| word(k).to_le_bytes()).collect();
                    data.add(&weights, 5123, "VEC4", VERTICES, json!({"normalized": true}))
                }
            });
        }
        let targets: Vec<Value> = (0..2)
            .map(|_| json!({"POSITION": data.floats(&points, "VEC3", 3, bounds.clone())}))
            .collect();
        primitives.push(json!({"attributes": attributes, "targets": targets}));
    }
    json!({"primitives": primitives, "weights": [0.25, 0.0]})
}

/// Inserts a mesh that no node uses before the other meshes.
fn put_unused_mesh(mesh: Value, meshes: &mut Vec<Value>, nodes: &mut [Value]) {
    meshes.insert(0, mesh);
    for node in nodes.iter_mut().filter(|n| n.get("mesh").is_some()) {
        node["mesh"] = json!(node["mesh"].as_u64().unwrap() + 1);
    }
}

/// Builds a node with or without a name, and with a random kind of transform.
fn node(draw: &mut Draw) -> Value {
    let mut node = json!({});
    if draw.below(5) > 0 {
        node["name"] = json!(["Hips", "Arm", "左腕", "Arm"][draw.below(4)]);
    }
    match draw.below(4) {
        0 => node["matrix"] = json!(draw.sheared().to_cols_array()),
        1 => {
            let t = draw.transform();
            node["matrix"] =
                json!(Mat4::from_rotation_translation(t.rotation, t.translation).to_cols_array());
        }
        2 => {}
        _ => {
            let t = draw.transform();
            node["translation"] = json!(t.translation.to_array());
            node["rotation"] = json!(t.rotation.to_array());
            node["scale"] = json!(t.scale.to_array());
        }
    }
    node
}

/// Builds a file with a tree of nodes with all kinds of transforms, up to three skins, morph
/// targets and clips.
pub(super) fn model(draw: &mut Draw) -> Vec<u8> {
    let (mut data, count) = (Data::default(), 3 + draw.below(8));
    let mut nodes: Vec<Value> = Vec::new();
    let mut children: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for k in 0..count {
        nodes.push(node(draw));
        if k > 0 && draw.below(5) > 0 {
            children.entry(draw.below(k)).or_default().push(k);
        }
    }
    for (parent, list) in &children {
        nodes[*parent]["children"] = json!(list);
    }
    let (mut meshes, mut skins) = (Vec::new(), Vec::new());
    for _ in 0..draw.below(4) {
        let joints: Vec<usize> = (0..count).filter(|_| draw.below(3) > 0).collect();
        let joints = if joints.is_empty() { vec![0] } else { joints };
        let mut skin = json!({"joints": joints});
        if draw.below(4) > 0 {
            let mut binds = Vec::new();
            for _ in &joints {
                let bind =
                    Mat4::from_rotation_translation(draw.turn(), draw.vec3()).to_cols_array();
                // The last row of an inverse bind matrix must be exact.
                binds.extend(
                    bind.iter()
                        .enumerate()
                        .map(|(k, v)| if k % 4 == 3 { f32::from(u8::from(k == 15)) } else { *v }),
                );
            }
            skin["inverseBindMatrices"] = json!(data.floats(&binds, "MAT4", 16, json!({})));
        }
        meshes.push(mesh(draw, &mut data, Some(joints.len())));
        nodes.push(json!({"name": "Skinned", "mesh": meshes.len() - 1, "skin": skins.len()}));
        skins.push(skin);
    }
    meshes.push(mesh(draw, &mut data, None));
    nodes.push(json!({"name": "Morphs", "mesh": meshes.len() - 1, "weights": [0.5, 0.125]}));
    let free: Vec<usize> = (0..count).filter(|k| nodes[*k].get("matrix").is_none()).collect();
    let mut animations = Vec::new();
    for k in 0..draw.below(4) {
        let (mut channels, mut samplers) = (Vec::new(), Vec::new());
        for node in free.iter().filter(|_| draw.below(2) == 0).copied().collect::<Vec<_>>() {
            let property = Property::TRS[draw.below(3)];
            let track = keys(draw, property, 0);
            let span =
                json!({"min": [track.times[0]], "max": [track.times[track.times.len() - 1]]});
            let (kind, width) = if track.width == 4 { ("VEC4", 4) } else { ("VEC3", 3) };
            let input = data.floats(&track.times, "SCALAR", 1, span);
            let output = data.floats(&track.values, kind, width, json!({}));
            let target = json!({"node": node, "path": track.property.path()});
            channels.push(json!({"sampler": samplers.len(), "target": target}));
            samplers.push(json!({"input": input, "output": output,
                "interpolation": track.interpolation.label()}));
        }
        if !channels.is_empty() {
            animations.push(
                json!({"name": format!("Clip {k}"), "channels": channels, "samplers": samplers}),
            );
        }
    }
    if draw.below(2) == 0 {
        put_unused_mesh(mesh(draw, &mut data, None), &mut meshes, &mut nodes);
    }
    meshes[0]["primitives"][0]["material"] = json!(1);
    let mut file = json!({
        "materials": [{"name": "bare"}, {"name": "skin"}, {"name": "cloth"}],
        "nodes": nodes, "meshes": meshes, "accessors": data.accessors, "bufferViews": data.views,
        "scenes": [
            {"nodes": (0..nodes.len()).filter(|k| !children.values().flatten().any(|c| c == k))
                .collect::<Vec<_>>()}],
        "scene": 0
    });
    if !skins.is_empty() {
        file["skins"] = json!(skins);
    }
    if !animations.is_empty() {
        file["animations"] = json!(animations);
    }
    if draw.below(3) == 0 {
        put_node_space(&mut file);
    }
    crate::common::glb(file, &data.bin)
}

/// Adds colliders of both VRM versions and a constraint to the first nodes.
fn put_node_space(file: &mut Value) {
    file["extensionsUsed"] = json!(["VRM", "VRMC_node_constraint", "VRMC_springBone"]);
    file["extensions"] = json!({
        "VRMC_springBone": {"specVersion": "1.0", "colliders": [
            {"node": 0, "shape": {"sphere": {"offset": [0.5, 1, -2.5e-1], "radius": 1}}},
            {"node": 1, "shape": {"capsule": {"tail": [0, 1, 0], "radius": 1}}},
            {"node": 1, "shape": {}, "extensions": {"VRMC_springBone_extended_collider":
                {"specVersion": "1.0", "shape": {"plane": {"normal": [0, 1, 0]}}}}},
        ]},
        "VRM": {"secondaryAnimation": {"boneGroups": [], "colliderGroups": [
            {"node": 0, "colliders": [{"offset": {"x": 1, "y": 2, "z": 3}}, {"radius": 2}]},
        ]}},
    });
    let rotation = json!({"rotation": {"source": 0}});
    file["nodes"][1]["extensions"] =
        json!({"VRMC_node_constraint": {"specVersion": "1.0", "constraint": rotation}});
}

/// Returns keys of a property. `morphs` is the number of morph targets.
fn keys(draw: &mut Draw, property: Property, morphs: usize) -> Track {
    let width = match property {
        Property::Rotation => 4,
        Property::Weights => morphs,
        _ => 3,
    };
    let interpolation =
        [Interpolation::Step, Interpolation::Linear, Interpolation::CubicSpline][draw.below(3)];
    let count = 1 + draw.below(5);
    let count = if interpolation == Interpolation::CubicSpline { count.max(2) } else { count };
    let mut time = draw.below(10) as f32 / 30.0;
    let mut times = Vec::new();
    for _ in 0..count {
        times.push(time);
        time += (1 + draw.below(20)) as f32 / 30.0;
    }
    let mut values = Vec::new();
    for _ in 0..count * interpolation.values_per_key() {
        match property {
            Property::Rotation => values.extend(draw.turn().to_array()),
            _ => values.extend((0..width).map(|_| draw.number())),
        }
    }
    Track {
        target: NodeId(0),
        property,
        interpolation,
        times: times.into(),
        values: values.into(),
        width,
        kinds: Default::default(),
        modes: Default::default(),
    }
}

fn targets_of(document: &Document, node: NodeId) -> usize {
    let mesh = document.node(node).mesh.map(|m| document.mesh(m));
    mesh.and_then(|m| m.primitives.first()).map_or(0, |p| p.targets.len())
}

/// Returns the nodes that can be keyed, which are those without a matrix.
fn free(document: &Document) -> Vec<NodeId> {
    document.node_ids().filter(|n| matches!(document.node(*n).local(), Local::Trs(_))).collect()
}

fn is_keyed(document: &Document, node: NodeId) -> bool {
    document.clips.values().flat_map(|c| c.tracks.values()).any(|t| t.target == node)
}

/// Random elements that an edit of any kind can change.
struct Subject<'a> {
    document: &'a Document,
    node: NodeId,
    clip: ClipId,
    at: UnkeyedAt,
    /// Whether the edit removes its element.
    gone: bool,
    /// A mesh, and the skin that it is bound to.
    part: Option<(MeshId, SkinId)>,
    mesh: MeshId,
    primitive: PrimitiveId,
    /// Number of joints of the skin.
    joints: usize,
}

impl<'a> Subject<'a> {
    fn drawn(draw: &mut Draw, document: &'a Document) -> Self {
        let nodes: Vec<NodeId> = document.node_ids().collect();
        let node = nodes.get(draw.below(nodes.len())).copied().unwrap_or(NodeId(77));
        let clips: Vec<ClipId> = document.clips.ids().collect();
        let clip = clips.get(draw.below(clips.len())).copied().unwrap_or(ClipId(77));
        let at = UnkeyedAt::new(clip, draw.below(90) as f32 / 30.0);
        let gone = draw.below(4) == 0;
        let skinned: Vec<(MeshId, SkinId)> =
            document.nodes.values().filter_map(|n| Some((n.mesh?, n.skin?))).collect();
        let part = skinned.get(draw.below(skinned.len())).copied();
        let (mesh, joints) =
            part.map_or((MeshId(0), 1), |(m, s)| (m, document.skin(s).joints.len()));
        let primitive = PrimitiveId::from(draw.below(2));
        Self { document, node, clip, at, gone, part, mesh, primitive, joints }
    }

    /// Returns the weights of the primitive.
    fn map(&self) -> Option<&'a WeightMap> {
        let part = self.document.primitive(self.mesh, self.primitive);
        part.and_then(|p| p.weights.as_deref())
    }

    /// Returns a scene, which may not exist.
    fn scene(&self, draw: &mut Draw) -> SceneId {
        SceneId(draw.below(self.document.scenes.len() + 1) as u32)
    }

    /// Returns morph weights for the node; sometimes one too many.
    fn morphs(&self, draw: &mut Draw) -> Option<Shared<[f32]>> {
        let count = targets_of(self.document, self.node) + usize::from(draw.below(9) == 0);
        (!self.gone).then(|| (0..count).map(|_| draw.number()).collect())
    }

    /// Returns weights for all vertices of the primitive.
    fn weights(&self, draw: &mut Draw, sets: usize) -> WeightMap {
        let (document, joints) = (self.document, self.joints);
        let part_of = document.primitive(self.mesh, self.primitive);
        let encoding = self.map().map(|m| m.encoding).unwrap_or_default();
        let count = part_of.map_or(0, |p| p.positions.len());
        let mut fresh = WeightMap { sets, encoding, ..WeightMap::default() };
        let (mut slots, mut shares) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let first = draw.below(255) as f32 / 255.0;
            for k in 0..sets * 4 {
                let weight = if k == 0 {
                    first
                } else if k == 1 {
                    1.0 - first
                } else {
                    0.0
                };
                let weight = if joints == 1 { f32::from(u8::from(k == 0)) } else { weight };
                // Each vertex has two influences with different joints.
                slots.push(if k < 2.min(joints) {
                    ((draw.below(joints) / 2 * 2 + k) % joints) as u16
                } else {
                    0
                });
                shares.push(if weight == 0.0 || encoding == WeightEncoding::Float {
                    weight
                } else {
                    encoding.decode(encoding.encode(weight))
                });
            }
            let last = slots.len() - sets * 4;
            if joints > 1 && slots[last] == slots[last + 1] {
                slots[last + 1] = (slots[last] + 1) % joints as u16;
            }
            for k in 0..sets * 4 {
                if shares[last + k] == 0.0 {
                    slots[last + k] = 0;
                }
            }
        }
        (fresh.joints, fresh.weights) = (slots.into(), shares.into());
        fresh
    }

    /// Returns an edit that sets or removes the pose offset of a node.
    fn pose(&self, draw: &mut Draw) -> Edit {
        let &Self { document, node, gone, .. } = self;
        let (rest, user) = (document.node(node).rest, draw.transform());
        let sheared = (!is_keyed(document, node))
            .then(|| NodePose::at(&rest, Local::Matrix(draw.sheared())).ok());
        let to = if draw.below(2) == 0 { sheared.flatten() } else { None };
        // Commands leave no matrix on a keyed node, not even at rest.
        let gone = gone && !(is_keyed(document, node) && matches!(rest, Local::Matrix(_)));
        Edit::pose(node, (!gone).then(|| to.unwrap_or_else(|| NodePose::by(&rest, user))))
    }

    /// Returns an edit that sets or removes an unkeyed pose.
    fn unkeyed(&self, draw: &mut Draw) -> Edit {
        let &Self { node, at, gone, .. } = self;
        let to =
            Components { rotation: Some(draw.turn()), scale: None, translation: Some(draw.vec3()) };
        Edit::SetUnkeyed { at, node, to: (!gone).then_some(to) }
    }

    /// Returns an edit of the name or the visibility of a node.
    fn name_or_hidden(&self, draw: &mut Draw) -> Edit {
        let &Self { node, gone, .. } = self;
        let names = ["Hips", "右腕", "two\nlines", "with \"quotes\" and \\"];
        if draw.below(3) == 0 {
            return Edit::SetHidden { node, to: !gone };
        }
        Edit::SetNodeName { node, to: (!gone).then(|| names[draw.below(4)].into()) }
    }

    /// Returns an edit that changes a track of a clip.
    fn track(&self, draw: &mut Draw) -> Edit {
        let &Self { document, clip, gone, .. } = self;
        let free = free(document);
        let Some(target) = free.get(draw.below(free.len())).copied() else {
            return Edit::SetTrack { clip, track: ulna_model::TrackId(0), to: None };
        };
        let morphs = targets_of(document, target);
        let property = if morphs > 0 && draw.below(2) == 0 {
            Property::Weights
        } else {
            Property::TRS[draw.below(3)]
        };
        let found = document.clips.get(clip);
        let known = found.and_then(|c| c.track(target, property)).map(|(id, _)| id);
        let track =
            known.unwrap_or_else(|| found.map_or(ulna_model::TrackId(0), |c| c.free_track_id()));
        let to = Track { target, ..keys(draw, property, morphs) };
        Edit::SetTrack { clip, track, to: (!gone).then(|| Shared::new(to)) }
    }

    /// Returns an edit that adds, renames or removes a clip.
    fn clip(&self, draw: &mut Draw) -> Edit {
        let &Self { document, clip, gone, .. } = self;
        let Some(known) = document.clips.get(clip).filter(|_| draw.below(3) > 0) else {
            let mut fresh = Clip { name: Some("Fresh".into()), ..Clip::default() };
            if let Some(target) = free(document).first().copied() {
                let track = Track { target, ..keys(draw, Property::Rotation, 0) };
                fresh.tracks.insert(fresh.free_track_id(), Shared::new(track));
            }
            return Edit::SetClip { clip: document.clips.next_id(), to: Some(Shared::new(fresh)) };
        };
        let renamed =
            Clip { name: Some(["Walk", "歩く"][draw.below(2)].into()), ..(**known).clone() };
        Edit::SetClip { clip, to: (!gone).then(|| Shared::new(renamed)) }
    }

    /// Returns an edit that changes the weights of some vertices.
    fn patch(&self, draw: &mut Draw) -> Edit {
        let &Self { mesh, primitive, .. } = self;
        let sets = self.map().map_or(1, |m| m.sets);
        let fresh = self.weights(draw, sets);
        let some: Vec<u32> =
            (0..fresh.vertex_count() as u32).filter(|_| draw.below(2) == 0).collect();
        Edit::PatchWeights { mesh, primitive, patch: Box::new(fresh.pick(&some)) }
    }

    /// Returns an edit that reparents, adds or removes nodes.
    fn nodes(&self, draw: &mut Draw) -> Edit {
        let &Self { document, node, gone, part, .. } = self;
        let ids: Vec<NodeId> = document.node_ids().collect();
        let above = ids.get(draw.below(ids.len())).copied();
        let place = |node: Node, draw: &mut Draw| Node {
            parent: above.filter(|_| draw.below(3) > 0),
            rank: draw.below(5) as u32,
            ..node
        };
        if gone {
            // Chooses a node with all its descendants, a few random nodes, or a single node.
            let some: Vec<NodeId> = match draw.below(3) {
                0 => ids
                    .iter()
                    .copied()
                    .filter(|n| *n == node || document.is_above(node, *n))
                    .collect(),
                1 => ids.into_iter().filter(|_| draw.below(4) == 0).collect(),
                _ => vec![node],
            };
            return Edit::SetNodes(some.into_iter().map(|n| (n, None)).collect());
        }
        if draw.below(2) == 0 && !ids.is_empty() {
            return Edit::node(node, place(document.node(node).clone(), draw));
        }
        let (mesh, skin) = part.filter(|_| draw.below(3) == 0).unzip();
        let rest = if draw.below(4) == 0 {
            Local::Matrix(draw.sheared())
        } else {
            Local::Trs(draw.transform())
        };
        let fresh = Node { name: Some("neu".into()), rest, mesh, skin, ..Node::default() };
        // Edits of a flat rest pose must be storable, too.
        let fresh = Node {
            rest: if fresh.rest.transform().scale.min_element() == 0.0 {
                Local::default()
            } else {
                rest
            },
            ..fresh
        };
        let first = document.nodes.next_id();
        // The second new node is a child of the first one.
        let second = NodeId(first.0 + 1);
        let child = Node { parent: Some(first), name: Some("zwei".into()), ..Node::default() };
        let mut list = vec![(first, Some(Box::new(place(fresh, draw))))];
        list.extend((draw.below(2) == 0).then(|| (second, Some(Box::new(child)))));
        Edit::SetNodes(list)
    }

    /// Returns an edit that removes a mesh.
    fn mesh(&self, draw: &mut Draw) -> Edit {
        let mesh = MeshId(draw.below(self.document.meshes.len() + 1) as u32);
        Edit::SetMesh { mesh, to: None }
    }

    /// Returns an edit that removes a material.
    fn material(&self, draw: &mut Draw) -> Edit {
        let material = MaterialId(draw.below(self.document.materials.len() + 1) as u32);
        Edit::SetMaterial { material, to: None }
    }

    /// Returns an edit that sets or removes the layers of a clip or of the pose.
    fn pose_layers(&self, draw: &mut Draw) -> Edit {
        let &Self { node, clip, gone, .. } = self;
        let home = if draw.below(2) == 0 { LayerHome::Pose } else { LayerHome::Clip(clip) };
        let moves = [(node, draw.transform())].into_iter().collect();
        let made =
            PoseLayer { id: PoseLayerId(draw.below(3) as u32), ..PoseLayer::new("layer", moves) };
        let to = (!gone).then(|| Shared::new([made].into_iter().collect::<PoseLayers>()));
        Edit::SetPoseLayers { home, to }
    }

    /// Returns an edit that changes the shape of a primitive.
    fn shape(&self, draw: &mut Draw) -> Edit {
        let &Self { document, mesh, primitive, .. } = self;
        let found = document.primitive(mesh, primitive).map(Primitive::shape);
        let mut to = found.unwrap_or_else(|| RestGeometry {
            positions: Default::default(),
            normals: Default::default(),
            tangents: Default::default(),
            targets: Default::default(),
        });
        let by = draw.vec3();
        to.positions = to.positions.iter().map(|p| *p + by).collect::<Vec<_>>().into();
        Edit::SetShape { mesh, primitive, to: Box::new(to) }
    }

    /// Returns an edit that changes the normal map of a material.
    fn normal_map(&self, draw: &mut Draw) -> Edit {
        let material = MaterialId(draw.below(self.document.materials.len() + 1) as u32);
        let image = ImageId(draw.below(self.document.images.len() + 1) as u32);
        let to = TextureRef {
            image,
            uv_set: 0,
            wrap: [Wrap::Repeat; 2],
            nearest: false,
            nearest_min: false,
            mip: Mip::default(),
            offset: glam::Vec2::ZERO,
            rotation: 0.0,
            scale: glam::Vec2::ONE,
        };
        Edit::SetNormalMap { material, to: (!self.gone).then(|| Box::new(to)) }
    }

    /// Returns an edit that appends an image.
    fn image(&self) -> Edit {
        let count = self.document.images.len() as u32;
        if self.gone {
            return Edit::AddImage { image: ImageId(count.saturating_sub(1)), to: None };
        }
        let to = Image { name: Some("neu".into()), bytes: PNG.to_vec().into() };
        Edit::AddImage { image: ImageId(count), to: Some(to) }
    }

    /// Returns an edit that changes a skin.
    fn skin(&self, draw: &mut Draw) -> Edit {
        let &Self { document, gone, .. } = self;
        let ids: Vec<SkinId> = document.skins.ids().collect();
        let known = ids.get(draw.below(ids.len() + 1)).copied();
        let has_inverse_bind = draw.below(3) > 0;
        let count = 1 + draw.below(3.min(document.nodes.count()));
        let joints: Vec<NodeId> = document.node_ids().skip(draw.below(2)).take(count).collect();
        let bind = |draw: &mut Draw| {
            if has_inverse_bind { draw.transform().matrix() } else { Mat4::IDENTITY }
        };
        let inverse_bind = joints.iter().map(|_| bind(draw)).collect();
        let name = (draw.below(2) == 0).then(|| "皮".into());
        let to = Skin { name, joints: joints.into(), inverse_bind, has_inverse_bind };
        let skin = known.unwrap_or_else(|| document.skins.next_id());
        Edit::SetSkin { skin, to: (!gone || known.is_none()).then(|| Shared::new(to)) }
    }

    /// Returns an edit that changes the roots of a scene.
    fn roots(&self, draw: &mut Draw) -> Edit {
        let &Self { document, .. } = self;
        let roots: Vec<NodeId> =
            document.node_ids().filter(|n| document.node(*n).parent.is_none()).collect();
        let some = roots.into_iter().filter(|_| draw.below(3) > 0).collect();
        Edit::SetRoots { scene: self.scene(draw), to: some }
    }

    /// Returns an edit that changes the stored poses of a scene.
    fn kept_poses(&self, draw: &mut Draw) -> Edit {
        let scene = self.scene(draw);
        let pose = KeptPose {
            name: if draw.below(5) == 0 { String::new() } else { format!("姿 {}", draw.below(3)) },
            height: if draw.below(9) == 0 { f32::NAN } else { 1.7 },
            joints: vec![KeptJoint {
                name: "a".into(),
                parent: (draw.below(6) == 0).then_some(0),
                path: "b/a".into(),
                local: draw.transform(),
                rest: draw.transform(),
                frame: draw.transform().rotation,
                unit: 0.01,
            }],
            morphs: vec![KeptMorphs { name: "c".into(), weights: vec![("smile".into(), 0.3)] }],
        };
        Edit::SetKeptPoses { scene, to: vec![pose; draw.below(3)].into() }
    }

    /// Returns an edit that changes the sets of nodes of a scene.
    fn node_sets(&self, draw: &mut Draw) -> Edit {
        let &Self { node, gone, .. } = self;
        let scene = self.scene(draw);
        let set = |digit: u8| NodeSet { digit, nodes: vec![node] };
        let digit = draw.below(12) as u8;
        let sets = if gone { vec![] } else { vec![set(digit), set(draw.below(12) as u8)] };
        Edit::SetNodeSets { scene, to: sets.into() }
    }

    /// Returns an edit that changes the groups of joints of a scene; sometimes two have equal
    /// names.
    fn joint_groups(&self, draw: &mut Draw) -> Edit {
        let &Self { node, gone, .. } = self;
        let scene = self.scene(draw);
        let group = |draw: &mut Draw| JointGroup {
            name: format!("群 {}", draw.below(4)).into(),
            color: match draw.below(14) {
                13 => GroupColor::Free([9, 80, 200]),
                place => GroupColor::PALETTE[place],
            },
            nodes: vec![node],
            hidden: draw.below(2) == 0,
            locked: draw.below(2) == 0,
            solo: draw.below(2) == 0,
        };
        let groups: Vec<JointGroup> = (0..draw.below(3)).map(|_| group(draw)).collect();
        Edit::SetJointGroups { scene, to: if gone { vec![] } else { groups }.into() }
    }

    /// Returns an edit that changes the humanoid bones of the avatar or of a scene; sometimes they
    /// are unsorted.
    fn humanoid(&self, draw: &mut Draw) -> Edit {
        let &Self { node, gone, .. } = self;
        let scene = (draw.below(2) == 0).then(|| self.scene(draw));
        let roles = [["hips", "spine"], ["spine", "hips"], ["chest", "leftHand"]][draw.below(3)];
        let bones = roles.map(|role| (role.into(), node));
        let count = if gone { 0 } else { 1 + draw.below(2) };
        Edit::SetHumanoid { scene, to: bones.into_iter().take(count).collect() }
    }

    /// Returns an edit that changes the contacts of a clip; sometimes they are unsorted, or have an
    /// empty range.
    fn contacts(&self, draw: &mut Draw) -> Edit {
        let &Self { document, node, gone, .. } = self;
        let clip = ClipId(draw.below(document.clips.len() + 1) as u32);
        let goal = |draw: &mut Draw| {
            let from = draw.below(20) as f32 / 10.0;
            Goal {
                node,
                point: GoalPoint::ALL[draw.below(3)],
                space: (draw.below(4) == 0).then_some(node),
                from,
                to: from + draw.below(6) as f32 / 10.0,
                blend: (draw.below(3) == 0).then_some(0.05),
                place: (draw.below(3) == 0).then(|| draw.vec3()),
            }
        };
        let goals: Vec<Goal> = (0..draw.below(4)).map(|_| goal(draw)).collect();
        let goals = if draw.below(4) == 0 { goals } else { Goal::in_order(goals) };
        Edit::SetContacts { clip, to: if gone { vec![] } else { goals }.into() }
    }

    /// Returns an edit that changes the retarget maps of a scene; sometimes two have equal names,
    /// or a factor is 0.
    fn retarget_maps(&self, draw: &mut Draw) -> Edit {
        let scene = self.scene(draw);
        let map = |draw: &mut Draw| RetargetMap {
            name: format!("図 {}", draw.below(4)),
            chains: vec![RetargetChain {
                name: "Left leg".into(),
                source: vec!["thigh_l".into(), "calf_l".into()],
                target: vec!["a".into()],
                rotation: ChainRotation::ALL[draw.below(4)],
                contacts: draw.below(2) == 0,
                ..RetargetChain::default()
            }],
            height: (draw.below(2) == 0).then(|| draw.below(5) as f32 / 2.0),
            root: RootMotion::ALL[draw.below(3)],
            source_pose: [("arm".to_owned(), draw.turn())].into(),
            ..RetargetMap::default()
        };
        let maps: Vec<RetargetMap> = (0..draw.below(3)).map(|_| map(draw)).collect();
        Edit::SetRetargetMaps { scene, to: maps.into() }
    }

    /// Returns an edit that sets or removes the mix.
    fn mix(&self, draw: &mut Draw) -> Edit {
        let &Self { document, node, gone, .. } = self;
        let clip = ClipId(draw.below(document.clips.len() + 2) as u32);
        let length = if draw.below(6) == 0 { 0.0 } else { 1.5 };
        let mask = MixMask::Below { joint: node, falloff: draw.below(3) as u32 };
        let lane = MixLane {
            mask: Some(mask),
            bars: vec![MixBar::new(clip, 0.5, length)],
            ..MixLane::new("a")
        };
        Edit::SetMix { to: (!gone).then(|| Mix { lanes: vec![lane] }.into()) }
    }

    /// Returns an edit that changes vectors of extensions; sometimes one is not finite.
    fn node_space(&self, draw: &mut Draw) -> Edit {
        let space = self.document.node_space.clone();
        let mut vectors = space.vectors.to_vec();
        for vector in &mut vectors {
            if draw.below(2) == 0 {
                vector.value = draw.vec3();
            }
        }
        if let Some(first) = vectors.first_mut().filter(|_| draw.below(6) == 0) {
            first.value.y = f32::NAN;
        }
        Edit::SetNodeSpace { to: NodeSpace { vectors: vectors.into(), ..space } }
    }

    /// Returns an edit that sets or removes the mix that the file stores.
    fn kept_mix(&self, draw: &mut Draw) -> Edit {
        let &Self { gone, .. } = self;
        let scene = self.scene(draw);
        let length = if draw.below(6) == 0 { f64::NAN } else { 1.5 };
        let bar = MixBar::new("姿".to_owned(), 0.5, length);
        let lane = MixLane { bars: vec![bar], ..MixLane::new("a") };
        Edit::SetKeptMix { scene, to: (!gone).then(|| Mix { lanes: vec![lane] }.into()) }
    }
}

/// Returns the index of the kind of edits that an edit belongs to. The `match` has no default, so a
/// new variant must be added here.
fn kind_of(edit: &Edit) -> usize {
    match edit {
        Edit::SetPoses(_) => 0,
        Edit::SetUnkeyed { .. } => 1,
        Edit::SetMorphs { .. } => 2,
        Edit::SetUnkeyedMorphs { .. } => 3,
        Edit::SetNodeName { .. } | Edit::SetHidden { .. } => 4,
        Edit::SetTrack { .. } => 5,
        Edit::SetClip { .. } => 6,
        Edit::PatchWeights { .. } => 7,
        Edit::SetWeights { .. } => 8,
        Edit::BindWeights { .. } => 9,
        Edit::SetLayers { .. } => 10,
        Edit::SetPoseLayers { .. } => 11,
        Edit::SetNodes(_) => 12,
        Edit::SetSkin { .. } => 13,
        Edit::SetRoots { .. } => 14,
        Edit::SetPin { .. } => 15,
        Edit::SetKeptPoses { .. } => 16,
        Edit::SetNodeSets { .. } => 17,
        Edit::SetMix { .. } => 18,
        Edit::SetKeptMix { .. } => 19,
        Edit::SetMirrorPairs { .. } => 20,
        Edit::SetMesh { .. } => 21,
        Edit::SetMaterial { .. } => 22,
        Edit::SetShape { .. } => 23,
        Edit::SetNormalMap { .. } => 24,
        Edit::AddImage { .. } => 25,
        Edit::SetKeepsLayers { .. } => 26,
        Edit::SetNodeSpace { .. } => 27,
        Edit::SetJointGroups { .. } => 28,
        Edit::SetHumanoid { .. } => 29,
        Edit::SetContacts { .. } => 30,
        Edit::SetRetargetMaps { .. } => 31,
    }
}

/// Returns an edit of a kind. It may not fit the document.
pub(super) fn edit(draw: &mut Draw, document: &Document, kind: usize) -> Edit {
    let subject = Subject::drawn(draw, document);
    let Subject { node, at, gone, part, mesh, primitive, .. } = subject;
    match kind {
        0 => subject.pose(draw),
        1 => subject.unkeyed(draw),
        2 => Edit::SetMorphs { node, to: subject.morphs(draw) },
        3 => {
            let to = subject.morphs(draw).filter(|m| !m.is_empty());
            Edit::SetUnkeyedMorphs { at, node, to }
        }
        4 => subject.name_or_hidden(draw),
        5 => subject.track(draw),
        6 => subject.clip(draw),
        7 => subject.patch(draw),
        8 => {
            let sets = 1 + draw.below(2);
            Edit::SetWeights { mesh, primitive, to: Shared::new(subject.weights(draw, sets)) }
        }
        9 => {
            let to = (!gone).then(|| Shared::new(subject.weights(draw, 1)));
            Edit::BindWeights { mesh, primitive, to }
        }
        10 => {
            let skin = part.map_or(SkinId(0), |(_, s)| s);
            Edit::SetLayers { skin, to: (!gone).then(|| Shared::new(WeightLayers::default())) }
        }
        11 => subject.pose_layers(draw),
        12 => subject.nodes(draw),
        13 => subject.skin(draw),
        14 => subject.roots(draw),
        15 => {
            let pin = Pin { place: draw.below(2) == 0, angle: draw.below(2) == 0 };
            Edit::SetPin { node, to: (!gone).then_some(pin) }
        }
        16 => subject.kept_poses(draw),
        17 => subject.node_sets(draw),
        18 => subject.mix(draw),
        19 => subject.kept_mix(draw),
        21 => subject.mesh(draw),
        22 => subject.material(draw),
        23 => subject.shape(draw),
        24 => subject.normal_map(draw),
        25 => subject.image(),
        26 => Edit::SetKeepsLayers { to: gone },
        27 => subject.node_space(draw),
        28 => subject.joint_groups(draw),
        29 => subject.humanoid(draw),
        30 => subject.contacts(draw),
        31 => subject.retarget_maps(draw),
        _ => {
            let other = NodeId(draw.below(document.nodes.len() + 1) as u32);
            Edit::SetMirrorPairs { to: [(node, (!gone).then_some(other))].into() }
        }
    }
}

/// Returns the numbers of a local transform, and whether it is a matrix.
fn numbers(local: &Local) -> (bool, Vec<f32>) {
    match local {
        Local::Trs(t) => (
            false,
            [&t.translation.to_array()[..], &t.rotation.to_array(), &t.scale.to_array()].concat(),
        ),
        Local::Matrix(m) => (true, m.to_cols_array().to_vec()),
    }
}

/// Describes the first difference between the intended document and the one that was read, with its
/// numbers.
fn differs(meant: &Document, got: &Document) -> Option<String> {
    let same = |a: &dyn std::fmt::Debug, b: &dyn std::fmt::Debug, is: bool, place: &str| {
        (!is).then(|| format!("{place}: {a:?} was meant, {b:?} read"))
    };
    macro_rules! same {
        ($a:expr, $b:expr, $($place:tt)+) => {{
            let (a, b) = (&$a, &$b);
            if let Some(found) = same(a, b, a == b, &format!($($place)+)) {
                return Some(found);
            }
        }};
    }
    same!(meant.nodes.len(), got.nodes.len(), "nodes");
    same!(meant.nodes.count(), got.nodes.count(), "nodes");
    same!(meant.meshes.count(), got.meshes.count(), "meshes");
    same!(meant.materials, got.materials, "materials");
    same!(meant.skins, got.skins, "skins");
    same!(meant.scenes, got.scenes, "scenes");
    same!(meant.node_space, got.node_space, "vectors of extensions");
    for id in meant.node_ids() {
        let (a, b) = (meant.node(id), got.node(id));
        same!(
            (&a.name, a.parent, meant.children(id)),
            (&b.name, b.parent, got.children(id)),
            "{id:?}"
        );
        same!((a.mesh, a.skin), (b.mesh, b.skin), "{id:?}");
        same!(numbers(&a.local()), numbers(&b.local()), "{id:?}");
        let weights = |d: &Document, n: &ulna_model::Node| -> Option<Vec<f32>> {
            let own = n.morph_weights.as_deref();
            own.or_else(|| Some(&*d.mesh(n.mesh?).default_weights)).map(<[f32]>::to_vec)
        };
        same!(weights(meant, a), weights(got, b), "morphs of {id:?}");
    }
    // Clips without tracks are not written to the file.
    let clips = |d: &Document| -> Vec<Shared<Clip>> {
        d.clips.values().filter(|c| !c.tracks.is_empty()).cloned().collect()
    };
    let (a, b) = (clips(meant), clips(got));
    same!(a.len(), b.len(), "clips");
    for (a, b) in a.iter().zip(&b) {
        same!(a.name, b.name, "clip");
        same!(a.contacts, b.contacts, "contacts of clip {:?}", a.name);
        let by_target = |c: &Clip| -> BTreeMap<(NodeId, Property), Shared<Track>> {
            c.tracks.values().map(|t| ((t.target, t.property), t.clone())).collect()
        };
        same!(by_target(a), by_target(b), "clip {:?}", a.name);
    }
    for (k, (a, b)) in meant.meshes.values().zip(got.meshes.values()).enumerate() {
        for (a, b) in a.primitives.iter().zip(&b.primitives) {
            same!(a.weights.is_some(), b.weights.is_some(), "mesh {k}");
            let (Some(a), Some(b)) = (&a.weights, &b.weights) else { continue };
            for vertex in 0..a.vertex_count() {
                let shares = |m: &WeightMap| -> BTreeMap<u16, f32> {
                    let mut list = BTreeMap::new();
                    m.vertex(vertex)
                        .filter(|(_, w)| *w != 0.0)
                        .for_each(|(j, w)| *list.entry(j).or_default() += w);
                    list
                };
                // Weights are compared bit by bit, because every weight that can be set can also be
                // stored.
                same!(shares(a), shares(b), "mesh {k}, vertex {vertex}");
            }
        }
    }
    None
}

pub(super) fn open(bytes: &[u8]) -> Opened {
    gltf::open_bytes(Arc::new(bytes.to_vec()), None, &Progress::default()).unwrap()
}

/// Saves the document. Returns the bytes, and the document that reading them must give.
fn save(opened: &Opened, now: &Document) -> (Vec<u8>, Document) {
    let saved = gltf::save(&opened.source, &opened.document, now, "model", SaveOptions::default());
    let saved = saved.unwrap_or_else(|e| panic!("{e}"));
    let stored = gltf::stored(&opened.document, now, &saved);
    (saved.bytes.to_vec(), stored.into())
}

/// Generates a scene and a list of edits from one seed each. Both are shrunk, so that a failure is
/// reported with as few edits as possible.
#[test]
fn every_kind_of_edit_can_be_undone_and_is_saved_correctly() {
    let trees: u32 = std::env::var("ULNA_EDITS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let counts = RefCell::new(([0usize; KINDS], [0usize; KINDS]));
    let config = ProptestConfig { cases: trees, failure_persistence: None, ..Default::default() };
    let mut runner = TestRunner::new(config);
    let drawn = (1..u64::MAX, prop::collection::vec(1..u64::MAX, 40));
    let done = runner.run(&drawn, |(seed, steps)| {
        let opened = open(&model(&mut Draw(seed)));
        let mut now = opened.document.clone();
        now.check().unwrap();
        let mut way = Vec::new();
        for step in steps {
            let draw = &mut Draw(step);
            let kind = draw.below(KINDS);
            let edit = edit(draw, &now, kind);
            assert_eq!(kind_of(&edit), kind, "{edit:?}");
            let before = now.clone();
            let (done, refused) = &mut *counts.borrow_mut();
            match apply(&mut now, edit.clone()) {
                Ok(inverse) => {
                    now.check().unwrap_or_else(|e| panic!("{edit:?}: {e}"));
                    let after = now.clone();
                    let again = apply(&mut now, inverse.clone()).unwrap();
                    assert!(now == before, "{edit:?} is not taken back by {inverse:?}");
                    apply(&mut now, again).unwrap();
                    assert!(now == after, "{edit:?} is not done again");
                    way.push((before, inverse));
                    done[kind] += 1;
                }
                Err(_) => {
                    assert!(now == before, "{edit:?} was refused, and done in part");
                    refused[kind] += 1;
                }
            }
        }
        let (bytes, stored) = save(&opened, &now);
        stored.check().unwrap_or_else(|e| panic!("as stored: {e}"));
        let read = open(&bytes).document;
        read.check().unwrap();
        prop_assert_eq!(differs(&stored, &read), None);
        prop_assert_eq!(first_lost(&opened.document, &stored, &read), None);
        for (before, inverse) in way.into_iter().rev() {
            apply(&mut now, inverse).unwrap();
            assert!(now == before);
        }
        prop_assert!(
            save(&opened, &now).0 == opened.source.bytes.to_vec(),
            "undone, it is the file it was"
        );
        Ok(())
    });
    done.unwrap();
    let (done, refused) = counts.into_inner();
    println!("done {done:?}, refused {refused:?}");
    // Each kind occurs about 20 times or more. A much lower count would mean that a kind is not
    // generated.
    assert!(done.iter().all(|n| *n > trees as usize / 20), "{done:?}");
}

#[test]
fn every_kind_of_edit_is_saved_in_files_of_every_kind() {
    let Some(shared) = crate::common::shared() else { return };
    let small = |p: &std::path::PathBuf| std::fs::metadata(p).is_ok_and(|m| m.len() < 400_000);
    let (mut files, mut edits) = (0, 0);
    for path in crate::common::models(&shared.join("corpus")).into_iter().filter(small) {
        let Ok(opened) = gltf::open(&path, &Progress::default()) else { continue };
        let draw = &mut Draw(0x9e37_79b9_7f4a_7c15 ^ path.to_string_lossy().len() as u64);
        let mut now = opened.document.clone();
        let mut way = Vec::new();
        for _ in 0..16 {
            // Random scenes already cover weights. Here, the mesh may be missing, or shared between
            // skins.
            let kind =
                [0, 1, 2, 3, 4, 5, 6, 11, 12, 12, 13, 14, 16, 17, 20, 21, 22][draw.below(17)];
            if now.nodes.is_empty() {
                continue;
            }
            let edit = edit(draw, &now, kind);
            if let Ok(inverse) = apply(&mut now, edit) {
                way.push(inverse);
            }
        }
        if way.is_empty() {
            continue;
        }
        now.check().unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let saved =
            gltf::save(&opened.source, &opened.document, &now, "model", SaveOptions::default());
        let saved = saved.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let bytes = saved.bytes.clone();
        let read = gltf::open_beside(
            bytes,
            Some(&path),
            saved.companions.clone().into(),
            &Progress::default(),
        )
        .unwrap();
        let stored = gltf::stored(&opened.document, &now, &saved);
        assert_eq!(
            first_lost(&opened.document, &stored, &read.document),
            None,
            "{}",
            path.display()
        );
        (files, edits) = (files + 1, edits + way.len());
        while let Some(inverse) = way.pop() {
            apply(&mut now, inverse).unwrap();
        }
        assert!(now == opened.document, "{}", path.display());
    }
    println!("{files} files, {edits} edits");
    assert!(files >= 100 && edits >= 1000, "{files} files, {edits} edits");
}

#[test]
fn the_save_check_detects_a_writer_that_drops_a_change() {
    let mut dropped = [0usize; KINDS];
    for seed in 1..=120u64 {
        let draw = &mut Draw(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let opened = open(&model(draw));
        for kind in SAVED {
            let mut meant = opened.document.clone();
            let edit = edit(draw, &meant, kind);
            // Writes the file without the edit. An edit without an effect loses nothing this way.
            let without = &opened.document;
            if apply(&mut meant, edit.clone()).is_err() || differs(&meant, without).is_none() {
                continue;
            }
            let (bytes, stored) = save(&opened, &meant);
            assert!(
                first_lost(without, &stored, without).is_some(),
                "{seed}: {edit:?} could be dropped without a word"
            );
            let written = open(&bytes).document;
            assert_eq!(first_lost(without, &stored, &written), None, "{seed}: {edit:?}");
            assert_eq!(differs(&stored, &written), None, "{seed}: {edit:?}");
            dropped[kind] += 1;
        }
    }
    println!("dropped {dropped:?}");
    for kind in SAVED {
        assert!(dropped[kind] > 10, "{dropped:?}");
    }
}

/// The title counts the steps from the saved state, even if no redo leads back to it.
#[test]
fn unsaved_steps_are_counted_in_both_directions() {
    let mut session =
        Session::open_bytes(include_bytes!("../../assets/mannequin.glb")).expect("the sample");
    let step = |session: &mut Session, degrees: f64| {
        let line = CommandLine::new("pose.rotate")
            .with("node", "Head")
            .with("axis", "y")
            .with("degrees", degrees);
        assert!(session.run(&Command::read(&line).expect("a line")).expect("done"));
    };
    for k in 1..=5 {
        step(&mut session, f64::from(k));
    }
    let folder = tempfile::tempdir().expect("a folder");
    session.save(Some(&folder.path().join("saved.glb"))).expect("saved");
    assert!(!session.is_unsaved());
    session.undo();
    session.undo();
    let unsaved = session.unsaved();
    assert_eq!((unsaved.steps, unsaved.undone), (2, true));
    // Makes another branch: two steps back and three forward.
    for k in 6..=8 {
        step(&mut session, f64::from(k));
    }
    let unsaved = session.unsaved();
    assert_eq!((unsaved.steps, unsaved.undone), (5, false));
}
