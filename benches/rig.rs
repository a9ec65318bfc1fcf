//! Changes of a skeleton of 67 joints with 76 clips of 90 keys, and a skin of 10,000 vertices.
//!
//! Targets, on two cores: new joint orientations for all joints take less than 0.5 s, including the
//! deviation over all clips. The deviation of a moved joint, compared at 240 times per clip, takes
//! less than 1 s.

mod common;

use std::{hint::black_box, sync::atomic::AtomicBool};

use common::{glb, noise};
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_motion::{Deviation, DeviationRequest, Exactness};
use ulna_session::Session;

const JOINTS: usize = 67;
const CLIPS: usize = 76;
const KEYS: usize = 90;
const SIDE: usize = 100;

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
}

/// Builds a body of chains with five joints. Every clip rotates all joints, and moves the root.
fn body() -> Vec<u8> {
    let parent = |k: usize| match k {
        0 => None,
        k if k % 5 == 1 => Some(0),
        k => Some(k - 1),
    };
    let mut nodes: Vec<Value> = (0..JOINTS)
        .map(|k| {
            let below: Vec<usize> = (0..JOINTS).filter(|c| parent(*c) == Some(k)).collect();
            let chain = (k / 5) as f32;
            let place = match parent(k) {
                None => [0.0, 1.0, 0.0],
                Some(0) => [0.1 * chain.cos(), 0.1 * chain.sin(), 0.02],
                Some(_) => [0.1, 0.01, 0.0],
            };
            let mut node = json!({"name": format!("joint {k}"), "translation": place});
            if !below.is_empty() {
                node["children"] = json!(below);
            }
            node
        })
        .collect();
    nodes.push(json!({"mesh": 0, "skin": 0}));
    let mut buffer = Buffer::default();
    let count = SIDE * SIDE;
    let part = |k: usize| (k as f32 / SIDE as f32) - 0.5;
    let places: Vec<f32> =
        (0..count).flat_map(|v| [part(v % SIDE), part(v / SIDE) + 1.0, 0.0]).collect();
    let positions = buffer.floats(&places, "VEC3", 3);
    buffer.accessors[positions]["min"] = json!([-0.5, 0.5, 0.0]);
    buffer.accessors[positions]["max"] = json!([0.5, 1.5, 0.0]);
    let joints: Vec<u8> = (0..count)
        .flat_map(|v| (0..4).map(move |k| ((v * JOINTS / count + k) % JOINTS) as u8))
        .collect();
    let joints = buffer.add(&joints, 5121, "VEC4", count);
    let weights = buffer.floats(&[0.4, 0.3, 0.2, 0.1].repeat(count), "VEC4", 4);
    let corners = |v: usize| [v, v + 1, v + SIDE, v + 1, v + SIDE + 1, v + SIDE];
    let quads = (0..count - SIDE).filter(|v| v % SIDE + 1 < SIDE);
    let indices: Vec<u8> = quads.flat_map(corners).flat_map(|v| (v as u32).to_le_bytes()).collect();
    let indices = buffer.add(&indices, 5125, "SCALAR", indices.len() / 4);
    let times: Vec<f32> = (0..KEYS).map(|k| k as f32 / 30.0).collect();
    let input = buffer.floats(&times, "SCALAR", 1);
    buffer.accessors[input]["min"] = json!([0.0]);
    buffer.accessors[input]["max"] = json!([times[KEYS - 1]]);
    let clips: Vec<Value> = (0..CLIPS).map(|k| clip(k, input, &mut buffer)).collect();
    let attributes = json!({"POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights});
    let document = json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, JOINTS]}],
        "nodes": nodes, "animations": clips,
        "skins": [{"joints": (0..JOINTS).collect::<Vec<_>>()}],
        "meshes": [{"primitives": [{"attributes": attributes, "indices": indices}]}],
        "buffers": [{"byteLength": buffer.bytes.len()}],
        "bufferViews": buffer.views, "accessors": buffer.accessors,
    });
    glb(&document, &buffer.bytes)
}

fn clip(number: usize, input: usize, buffer: &mut Buffer) -> Value {
    let (mut channels, mut samplers) = (Vec::new(), Vec::new());
    let mut add = |node: usize, path: &str, output: usize| {
        let target = json!({"node": node, "path": path});
        channels.push(json!({"sampler": samplers.len(), "target": target}));
        samplers.push(json!({"input": input, "output": output}));
    };
    for joint in 0..JOINTS {
        let phase = noise((number * JOINTS + joint) as u32) * 6.0;
        let turn = |key: usize| {
            let wave = (key as f32 * 0.11 + phase).sin() * 0.4;
            glam::Quat::from_euler(glam::EulerRot::XYZ, wave, 0.3 * wave, 0.1).to_array()
        };
        let values: Vec<f32> = (0..KEYS).flat_map(turn).collect();
        add(joint, "rotation", buffer.floats(&values, "VEC4", 4));
    }
    let step = |key: usize| [0.01 * key as f32, 1.0, 0.0];
    let values: Vec<f32> = (0..KEYS).flat_map(step).collect();
    add(0, "translation", buffer.floats(&values, "VEC3", 3));
    json!({"name": format!("clip {number}"), "channels": channels, "samplers": samplers})
}

fn acts(c: &mut Criterion) {
    let mut session = Session::open_bytes(&body()).expect("the body");
    let before = session.document().clone();
    assert_eq!((before.clips.count(), before.skins.len()), (CLIPS, 1));
    let mut group = c.benchmark_group("skeleton of 67 joints under 76 clips");
    group.sample_size(10);
    let orient = CommandLine::new("joint.orient")
        .with("node", "joint *")
        .with("degrees", json!([20, -35, 50]));
    let shift =
        CommandLine::new("joint.move").with("node", "joint 7").with("by", json!([0.02, 0.01, 0.0]));
    let remove = CommandLine::new("joint.remove").with("node", "joint 7").with("weights", "fit");
    for (name, line) in [
        ("orientation of every joint", orient.clone()),
        ("pivot moved", shift.clone()),
        ("joint removed, weights fitted", remove),
    ] {
        group.bench_function(name, |b| {
            b.iter(|| {
                session.run_line(&line).expect("it is done");
                let report = session.take_rig_report().expect("a report");
                session.undo();
                report
            });
        });
    }
    for (name, line, exactness) in [
        ("deviation of the orientation", orient, Exactness::Exact),
        ("deviation of the moved pivot", shift, Exactness::Bounded),
    ] {
        session.run_line(&line).expect("it is done");
        let after = session.document().clone();
        session.undo();
        let request = DeviationRequest::new(&before, &after, exactness);
        let cancel = AtomicBool::new(false);
        group.bench_function(name, |b| {
            b.iter(|| black_box(Deviation::measure(&request, &cancel, &Default::default())));
        });
    }
    group.finish();
}

criterion_group!(benches, common::vectors, acts);
criterion_main!(benches);
