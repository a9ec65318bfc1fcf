//! Lists in the window for large models. Measures a frame of the whole window with many joints,
//! with many clips, and with the sample for comparison.
//!
//! Targets: a frame with 3,000 joints, or with 76 clips, takes at most 1.5 times the time of a
//! frame with the sample. This holds for idle, filtered and scrolled lists. No pixels are drawn
//! here.

use criterion::{Criterion, criterion_group, criterion_main};
use egui::{Event, Modifiers};
use egui_kittest::kittest::Queryable as _;
use serde_json::{Value, json};

mod common;
use common::{
    glb,
    window::{self, Window},
};

/// The bundled sample: 53 joints and a few clips.
const SAMPLE: &[u8] = include_bytes!("../assets/mannequin.glb");

/// Builds a binary tree of `joints` joints with `clips` clips. Each clip rotates every joint by
/// three keys.
fn rig(joints: usize, clips: usize) -> Vec<u8> {
    let times = [0.0f32, 0.5, 1.0];
    let turns = [[0.0f32, 0.0, 0.0, 1.0], [0.6, 0.0, 0.0, 0.8], [0.0, 0.0, 0.0, 1.0]];
    let numbers = times.iter().chain(turns.as_flattened());
    let bin: Vec<u8> = numbers.flat_map(|v| v.to_le_bytes()).collect();
    let node = |k: usize| {
        let mut node = json!({"name": format!("joint {k}"), "translation": [0.1, 0.1, 0.0]});
        let below: Vec<usize> =
            [2 * k + 1, 2 * k + 2].into_iter().filter(|c| *c < joints).collect();
        if !below.is_empty() {
            node["children"] = json!(below);
        }
        node
    };
    let channel = |k: usize| json!({"sampler": 0, "target": {"node": k, "path": "rotation"}});
    let clip = |k: usize| {
        json!({"name": format!("clip {k}"), "samplers": [{"input": 0, "output": 1}],
            "channels": (0..joints).map(channel).collect::<Value>()})
    };
    let document = json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": (0..joints).map(node).collect::<Value>(),
        "skins": [{"joints": (0..joints).collect::<Vec<_>>()}],
        "animations": (0..clips).map(clip).collect::<Value>(),
        "buffers": [{"byteLength": bin.len()}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 12},
            {"buffer": 0, "byteOffset": 12, "byteLength": 48},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "SCALAR",
                "min": [0.0], "max": [1.0]},
            {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC4"},
        ],
    });
    glb(&document, &bin)
}

fn open(file: &[u8]) -> (Window, tempfile::TempDir) {
    window::open(file, "Animate mode", [1600.0, 1000.0], false)
}

/// Measures idle frames, frames that scroll the list with the given row, and frames in which a text
/// filters the list. `filter` has the name of the filter field and the text; `None` for a list
/// without a filter.
fn frames(c: &mut Criterion, name: &str, file: &[u8], row: &str, filter: Option<[&str; 2]>) {
    let (mut window, _folder) = open(file);
    let mut group = c.benchmark_group(name);
    group.bench_function("standing still", |b| b.iter(|| window.step()));
    let row = window.query_all_by_label(row).next().expect("the row is in sight");
    let (at, mut down) = (row.rect().center(), true);
    group.bench_function("scrolled", |b| {
        b.iter(|| {
            window::wheel(&window, at, if down { -40.0 } else { 40.0 }, Modifiers::NONE);
            down = !down;
            window.step();
        });
    });
    if let Some([field, text]) = filter {
        window.get_by_label(field).click();
        window.run_steps(3);
        window.event(Event::Text(text.into()));
        window.run_steps(5);
        group.bench_function("filtered", |b| b.iter(|| window.step()));
    }
    group.finish();
}

fn joints(c: &mut Criterion) {
    let filter = "Filter by name or kind";
    frames(c, "the outliner with the sample", SAMPLE, "Hips", Some([filter, "e"]));
    let large = rig(3_000, 1);
    frames(c, "the outliner with 3,000 joints", &large, "joint 0", Some([filter, "joint"]));
}

fn clips(c: &mut Criterion) {
    // The sample has too few clips for a filter.
    frames(c, "the clips of the sample", SAMPLE, "Clip Walk", None);
    let many = rig(53, 76);
    frames(c, "76 clips", &many, "Clip clip 0", Some(["Filter clips", "clip"]));
}

criterion_group!(benches, joints, clips);
criterion_main!(benches);
