//! The deviation that a command states for changes of random skeletons, compared with a dense
//! sampling of every clip.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::collections::BTreeMap;

use glam::{Mat4, Quat, Vec3};
use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_model::Document;
use ulna_motion::{Evaluator, Pose, SeenPoints, Stack};
use ulna_session::Session;

use crate::common::glb;

/// Pseudorandom numbers. The same seed gives the same sequence.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }

    /// Returns a number from −1 to 1.
    fn number(&mut self) -> f32 {
        self.below(20_001) as f32 / 10_000.0 - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }

    fn turn(&mut self, most: f32) -> Quat {
        Quat::from_scaled_axis(self.vector() * most)
    }
}

/// Binary buffer of the generated file.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    fn add(&mut self, bytes: &[u8], component: u32, kind: &str, count: usize) -> usize {
        let offset = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.push(json!({"buffer": 0, "byteOffset": offset, "byteLength": bytes.len()}));
        self.accessors.push(json!({"bufferView": self.views.len() - 1, "count": count,
            "componentType": component, "type": kind}));
        self.accessors.len() - 1
    }

    fn floats(&mut self, values: &[f32], kind: &str, width: usize) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.add(&bytes, 5126, kind, values.len() / width)
    }

    fn bounds(&mut self, accessor: usize, low: Value, high: Value) {
        (self.accessors[accessor]["min"], self.accessors[accessor]["max"]) = (low, high);
    }
}

/// Returns a track of a clip as a channel and a sampler.
fn track(draw: &mut Draw, node: usize, path: &str, at: Vec3, buffer: &mut Buffer) -> [Value; 2] {
    let keys = 2 + draw.below(4);
    let mut time = 0.0;
    let times: Vec<f32> = (0..keys)
        .map(|_| {
            time += 0.2 + 0.3 * (draw.number() + 1.0);
            time
        })
        .collect();
    let interpolation = ["STEP", "LINEAR", "LINEAR", "CUBICSPLINE"][draw.below(4)];
    let mut values = Vec::new();
    let mut number = |draw: &mut Draw, is_tangent: bool| match (path, is_tangent) {
        ("rotation", false) => values.extend(draw.turn(1.2).to_array()),
        ("rotation", true) => values.extend([0; 4].map(|_| 0.4 * draw.number())),
        ("translation", false) => values.extend((at + draw.vector() * 0.1).to_array()),
        ("translation", true) => values.extend((draw.vector() * 0.2).to_array()),
        (_, false) => values.extend([1.0 + 0.3 * draw.number(); 3]),
        (_, true) => values.extend([0.2 * draw.number(); 3]),
    };
    for _ in 0..keys {
        let parts: &[bool] =
            if interpolation == "CUBICSPLINE" { &[true, false, true] } else { &[false] };
        parts.iter().for_each(|is_tangent| number(draw, *is_tangent));
    }
    let (kind, width) = if path == "rotation" { ("VEC4", 4) } else { ("VEC3", 3) };
    let input = buffer.floats(&times, "SCALAR", 1);
    buffer.bounds(input, json!([times[0]]), json!([times[keys - 1]]));
    let output = buffer.floats(&values, kind, width);
    let target = json!({"node": node, "path": path});
    [
        json!({"sampler": 0, "target": target}),
        json!({"input": input, "output": output, "interpolation": interpolation}),
    ]
}

/// Builds a skeleton of four to seven joints below an armature, with twelve vertices and two clips.
fn file(draw: &mut Draw) -> Vec<u8> {
    let count = 4 + draw.below(4);
    let parents: Vec<usize> =
        (0..count).map(|k| if k == 0 { 0 } else { k - draw.below(2.min(k)) }).collect();
    let (mut nodes, mut worlds, mut places) = (Vec::new(), Vec::<Mat4>::new(), Vec::new());
    for node in 0..=count {
        // The armature is node 0, so joint k is node k + 1.
        let scale = match (node, draw.below(6)) {
            (0, 0) => 0.01,
            (0, 1) => -2.0,
            (_, 0) => -1.25,
            (_, 1) => 0.5,
            _ => 1.0,
        };
        let (turn, at) = (draw.turn(2.0), draw.vector() * 0.3);
        let local = Mat4::from_scale_rotation_translation(Vec3::splat(scale), turn, at);
        let parent = node.checked_sub(1).map(|joint| parents[joint]);
        worlds.push(parent.map_or(Mat4::IDENTITY, |p| worlds[p]) * local);
        places.push(at);
        let below = (0..count).filter(|k| parents[*k] == node).map(|k| k + 1);
        let below: Vec<usize> = below.filter(|child| *child != node).collect();
        let mut made = json!({"name": format!("n{node}"), "translation": at.to_array(),
            "rotation": turn.to_array(), "scale": Vec3::splat(scale).to_array()});
        if !below.is_empty() {
            made["children"] = json!(below);
        }
        nodes.push(made);
    }
    nodes.push(json!({"name": "mesh", "mesh": 0, "skin": 0}));
    let mut buffer = Buffer::default();
    let (mut points, mut joints, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..12 {
        let (a, b) = (draw.below(count), draw.below(count));
        let head = worlds[a + 1].w_axis.truncate();
        points.push(head + draw.vector() * 0.2);
        joints.extend([a as u8, b as u8, 0, 0]);
        let part = if a == b { 1.0 } else { 0.5 + 0.4 * draw.number() };
        weights.extend([part, if a == b { 0.0 } else { 1.0 - part }, 0.0, 0.0]);
        if a == b {
            let last = joints.len() - 3;
            joints[last] = 0;
        }
    }
    let numbers: Vec<f32> = points.iter().flat_map(|p| p.to_array()).collect();
    let positions = buffer.floats(&numbers, "VEC3", 3);
    let low = points.iter().copied().fold(Vec3::INFINITY, Vec3::min);
    let high = points.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
    buffer.bounds(positions, json!(low.to_array()), json!(high.to_array()));
    let joints = buffer.add(&joints, 5121, "VEC4", 12);
    let weights = buffer.floats(&weights, "VEC4", 4);
    let binds: Vec<f32> = worlds[1..].iter().flat_map(|w| w.inverse().to_cols_array()).collect();
    let binds = buffer.floats(&binds, "MAT4", 16);
    let mut clips = Vec::new();
    for number in 0..2 {
        let (mut channels, mut samplers) = (Vec::new(), Vec::new());
        for (node, at) in places.iter().enumerate().skip(1) {
            for (path, share) in [("rotation", 8), ("translation", 3), ("scale", 1)] {
                if draw.below(10) < share {
                    let [mut channel, sampler] = track(draw, node, path, *at, &mut buffer);
                    channel["sampler"] = json!(samplers.len());
                    channels.push(channel);
                    samplers.push(sampler);
                }
            }
        }
        if !channels.is_empty() {
            clips.push(json!({"name": format!("clip {number}"), "channels": channels,
                "samplers": samplers}));
        }
    }
    let attributes = json!({"POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights});
    let mut document = json!({
        "scene": 0, "scenes": [{"nodes": [0, count + 1]}], "nodes": nodes,
        "skins": [{"joints": (1..=count).collect::<Vec<_>>(), "inverseBindMatrices": binds}],
        "meshes": [{"primitives": [{"attributes": attributes}]}],
        "bufferViews": buffer.views, "accessors": buffer.accessors,
    });
    if !clips.is_empty() {
        document["animations"] = json!(clips);
    }
    glb(document, &buffer.bytes)
}

/// Returns a random change of a joint.
fn act(draw: &mut Draw, document: &Document) -> CommandLine {
    let skin = document.skins.values().next().unwrap();
    let joint = skin.joints[draw.below(skin.joints.len())];
    let other = skin.joints[draw.below(skin.joints.len())];
    let [name, to] = [joint, other].map(|n| document.node(n).label(n));
    let line = |command: &str| CommandLine::new(command).with("node", &*name);
    match draw.below(7) {
        0 => {
            let degrees = (draw.vector() * 120.0).to_array();
            line("joint.orient").with("degrees", json!(degrees))
        }
        1 => line("joint.move").with("by", json!((draw.vector() * 0.1).to_array())),
        2 => line("joint.insert").with("at", 0.3),
        3 => line("joint.dissolve").with("weights", "parent"),
        4 => line("joint.remove").with("weights", "fit"),
        5 => line("joint.reparent").with("to", &*to),
        _ => CommandLine::new("rig.mend_armature"),
    }
}

/// Returns the largest distance between both skins, in meters. It compares the pose and 201 times
/// of each clip.
fn dense(before: &Document, after: &Document) -> f32 {
    let seen = [before, after].map(|d| SeenPoints::of(d, usize::MAX));
    let (mut evaluators, mut poses) = (<[Evaluator; 2]>::default(), <[Pose; 2]>::default());
    let mut worst = 0.0f32;
    let mut compare = |stacks: [Stack; 2]| {
        for (k, document) in [before, after].into_iter().enumerate() {
            evaluators[k].update(document, &stacks[k], &mut poses[k]);
        }
        let [a, b] = [0, 1].map(|k| seen[k].at(&poses[k]));
        assert_eq!(a.len(), b.len());
        worst = a.iter().zip(&b).map(|(a, b)| a.distance(*b)).fold(worst, f32::max);
    };
    compare([before, after].map(|d| Stack::shown(d, None, 0.0)));
    for (id, clip) in before.clips.iter() {
        for k in 0..=200 {
            let time = f64::from(clip.length()) * f64::from(k) / 200.0;
            compare([before, after].map(|d| Stack::shown(d, Some(id), time)));
        }
    }
    worst
}

#[test]
fn the_stated_deviation_equals_that_of_a_dense_sampling() {
    const RIGS: u64 = 400;
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    let (mut done, mut exact) = (0, 0);
    for seed in 1..=RIGS {
        let mut draw = Draw(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut session = Session::open_bytes(&file(&mut draw)).unwrap();
        let before = session.document().clone();
        let line = act(&mut draw, &before);
        if let Err(why) = session.run_line(&line) {
            *refused.entry(format!("{} {}", line.name, why.code())).or_default() += 1;
            continue;
        }
        // A command that changes nothing makes no report.
        let Some(report) = session.take_rig_report() else { continue };
        let (stated, size) = (report.deviation.worst_mm / 1000.0, report.deviation.size);
        let found = f64::from(dense(&before, session.document()));
        assert!(found <= stated * 1.2 + 1e-5 * size, "seed {seed}, {line}: {found} {stated}");
        done += 1;
        exact += usize::from(stated == 0.0);
    }
    println!("{done} changes, {exact} of them exact; refused: {refused:?}");
    assert!(done >= 200 && exact >= 50, "{done} {exact} {refused:?}");
}
