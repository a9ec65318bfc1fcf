//! The panel of Paint mode for large rigs: a frame of the whole window, with and without the panel.
//!
//! Targets, as the difference of the two: the list of 1,000 joints takes less than 1 ms more than a
//! list of three joints. The table of 10,000 selected vertices takes less than 1 ms more than an
//! empty table. No pixels are drawn here.

use criterion::{Criterion, criterion_group, criterion_main};
use egui::{Event, Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use serde_json::json;

mod common;
use common::{glb, window::Window};

/// Number of vertices per side of the sheet.
const SIDE: usize = 100;

/// Builds a sheet of 10,000 vertices on a chain of `joints` joints, with four influences per
/// vertex.
fn rig(joints: usize) -> Vec<u8> {
    let mut bin: Vec<u8> = Vec::new();
    let mut views = Vec::new();
    let mut accessors = Vec::new();
    let mut add = |bytes: Vec<u8>, component: u32, kind: &str, count: usize| {
        let from = bin.len();
        bin.extend(bytes);
        bin.resize(bin.len().next_multiple_of(4), 0);
        views.push(json!({"buffer": 0, "byteOffset": from, "byteLength": bin.len() - from}));
        let accessor = json!({"bufferView": views.len() - 1, "componentType": component,
            "count": count,
                "type": kind});
        accessors.push(accessor);
        accessors.len() - 1
    };
    let floats =
        |values: Vec<f32>| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let words = |values: Vec<u16>| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let count = SIDE * SIDE;
    let at = |v: usize| [(v % SIDE) as f32 / SIDE as f32, (v / SIDE) as f32 / SIDE as f32, 0.0];
    let position = add(floats((0..count).flat_map(at).collect()), 5126, "VEC3", count);
    let first = |v: usize| (v * joints / count).min(joints - 1);
    let slots =
        |v: usize| (0..4).map(move |k| ((first(v) + k) % joints) as u16).collect::<Vec<u16>>();
    let shares = if joints < 4 { [0.6, 0.4, 0.0, 0.0] } else { [0.4, 0.3, 0.2, 0.1] };
    let slots = |v: usize| {
        if joints < 4 {
            vec![first(v) as u16, ((first(v) + 1) % joints) as u16, 0, 0]
        } else {
            slots(v)
        }
    };
    let joint = add(words((0..count).flat_map(slots).collect()), 5123, "VEC4", count);
    let weight = add(floats((0..count).flat_map(|_| shares).collect()), 5126, "VEC4", count);
    let corner = |x: usize, y: usize| (y * SIDE + x) as u16;
    let faces = (0..SIDE - 1).flat_map(|y| (0..SIDE - 1).map(move |x| (x, y)));
    let indices: Vec<u16> = faces
        .flat_map(|(x, y)| {
            let [a, b, c, d] =
                [corner(x, y), corner(x + 1, y), corner(x, y + 1), corner(x + 1, y + 1)];
            [a, b, c, c, b, d]
        })
        .collect();
    let index_count = indices.len();
    let index = add(words(indices), 5123, "SCALAR", index_count);
    accessors[position]["min"] = json!([0.0, 0.0, 0.0]);
    accessors[position]["max"] = json!([1.0 - 1.0 / SIDE as f32, 1.0 - 1.0 / SIDE as f32, 0.0]);
    let mut nodes: Vec<_> = (0..joints)
        .map(|k| {
            let mut node = json!({"name": format!("joint {k}"),
                    "translation": [0.0, 1.0 / joints as f32, 0.0]});
            if k + 1 < joints {
                node["children"] = json!([k + 1]);
            }
            node
        })
        .collect();
    nodes.push(json!({"name": "sheet", "mesh": 0, "skin": 0}));
    let document = json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, joints]}], "nodes": nodes,
        "skins": [{"joints": (0..joints).collect::<Vec<_>>()}],
        "meshes": [{"primitives": [{"indices": index,
            "attributes": {"POSITION": position, "JOINTS_0": joint, "WEIGHTS_0": weight}}]}],
        "buffers": [{"byteLength": bin.len()}], "bufferViews": views, "accessors": accessors
    });
    glb(&document, &bin)
}

fn open(joints: usize) -> (Window, tempfile::TempDir) {
    let (mut window, folder) =
        common::window::open(&rig(joints), "Paint mode", [1600.0, 1500.0], true);
    // Hides the outliner, which is not measured.
    window.key_press_modifiers(Modifiers::COMMAND, Key::Num1);
    window.run_steps(5);
    (window, folder)
}

fn panel(c: &mut Criterion) {
    for joints in [3, 1_000] {
        let (mut window, _folder) = open(joints);
        assert!(window.query_by_label("Joint joint 1").is_some(), "the list is in sight");
        let mut group = c.benchmark_group(format!("the panel with {joints} joints"));
        group.bench_function("with it", |b| b.iter(|| window.step()));
        window.key_press_modifiers(Modifiers::COMMAND, Key::P);
        window.run_steps(5);
        window.event(Event::Text("Select all vertices".into()));
        window.run_steps(5);
        window.key_press(Key::Enter);
        window.run_steps(5);
        assert!(
            window.query_by_label_contains("10,000 vertices selected").is_some(),
            "all vertices are selected"
        );
        group.bench_function("and a table of 10,000 vertices", |b| b.iter(|| window.step()));
        window.key_press_modifiers(Modifiers::COMMAND, Key::Num2);
        window.run_steps(5);
        group.bench_function("without the panel, the vertices selected", |b| {
            b.iter(|| window.step())
        });
        group.finish();
    }
}

criterion_group!(benches, panel);
criterion_main!(benches);
