//! Opening and saving.
//!
//! Targets: a large file (long clips with 200 joints) opens in at most 1.7 times the time of
//! reading its bytes. It saves with one changed key in at most 2.5 times the time of writing its
//! bytes. Opening the bundled sample, without its images, takes at most twice the time that the
//! `gltf` crate needs to read all accessors. `ulna info` on the sample ends within 60 ms, including
//! the start of the process. `ULNA_BENCH_CLIPS` sets the number of clips in the large file (8 by
//! default, about 2.4 MB per clip).

mod common;

use std::{fs, hint::black_box, io::Write as _, path::Path};

use common::{Keys, skeleton};
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;
use ulna_edit::CommandLine;
use ulna_formats::gltf::Progress;
use ulna_model::Property;
use ulna_session::Session;

/// Builds a GLB of a skeleton with several clips. Each track has its own accessor.
fn big(clips: usize) -> Vec<u8> {
    let (document, id) = skeleton(200, 300, Keys::Shared);
    let clip = &document.clips[id];
    let mut bin: Vec<u8> = Vec::new();
    let (mut views, mut accessors, mut animations) = (Vec::new(), Vec::new(), Vec::new());
    let mut accessor = |bytes: Vec<u8>, count: usize, kind: &str, most: Option<f32>| {
        views.push(json!({"buffer": 0, "byteOffset": bin.len(), "byteLength": bytes.len()}));
        let mut made = json!({"bufferView": views.len() - 1, "componentType": 5126, "count": count,
                "type": kind});
        if let Some(most) = most {
            made["min"] = json!([0.0]);
            made["max"] = json!([most]);
        }
        accessors.push(made);
        bin.extend(bytes);
        accessors.len() - 1
    };
    let bytes = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    for k in 0..clips {
        let first = clip.tracks.values().next().expect("a track");
        let input =
            accessor(bytes(&first.times), first.times.len(), "SCALAR", first.times.last().copied());
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        for track in clip.tracks.values() {
            let kind = if track.property == Property::Rotation { "VEC4" } else { "VEC3" };
            let output = accessor(bytes(&track.values), track.times.len(), kind, None);
            channels.push(json!({"sampler": samplers.len(),
                    "target": {"node": track.target.0, "path": track.property.path()}}));
            samplers.push(json!({"input": input, "output": output}));
        }
        animations
            .push(json!({"name": format!("clip {k}"), "samplers": samplers, "channels": channels}));
    }
    let nodes: Vec<_> = document
        .nodes
        .iter()
        .map(|(id, n)| {
            let mut node = json!({"name": n.name.as_deref(), "translation": [0.0, 0.1, 0.0]});
            if !document.children(id).is_empty() {
                node["children"] = document.children(id).iter().map(|c| c.0).collect();
            }
            node
        })
        .collect();
    let mut text = serde_json::to_vec(&json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": nodes,
            "animations": animations,
        "accessors": accessors, "bufferViews": views, "buffers": [{"byteLength": bin.len()}],
    }))
    .expect("JSON");
    text.resize(text.len().next_multiple_of(4), b' ');
    let total = 12 + 8 + text.len() + 8 + bin.len();
    let mut glb = Vec::with_capacity(total);
    for word in [0x4654_6C67, 2, total as u32, text.len() as u32, 0x4E4F_534A] {
        glb.extend(word.to_le_bytes());
    }
    glb.extend(&text);
    glb.extend((bin.len() as u32).to_le_bytes());
    glb.extend(0x004E_4942u32.to_le_bytes());
    glb.extend(&bin);
    glb
}

/// Writes and syncs a file, as saving does.
fn write(path: &Path, bytes: &[u8]) {
    let mut file = fs::File::create(path).expect("a file");
    file.write_all(bytes).expect("its bytes");
    file.sync_all().expect("on the disk");
}

fn files(c: &mut Criterion) {
    let clips = std::env::var("ULNA_BENCH_CLIPS").ok().and_then(|v| v.parse().ok()).unwrap_or(8);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("big.glb");
    let bytes = big(clips);
    write(&path, &bytes);
    let mut group = c.benchmark_group(format!("big file, {} MB", bytes.len() / 1_000_000));
    group.sample_size(10);
    group.bench_function("reading its bytes", |b| {
        b.iter(|| black_box(fs::read(&path).expect("bytes")))
    });
    group.bench_function("open", |b| {
        b.iter(|| black_box(Session::open(&path, &Progress::default()).expect("a session")));
    });
    let mut session = Session::open(&path, &Progress::default()).expect("a session");
    let line = CommandLine::new("key.set")
        .with("clip", "clip 0")
        .with("time", 1.0)
        .with("node", "joint 7")
        .with("scale", vec![2.0, 2.0, 2.0]);
    session.run_line(&line).expect("a key");
    let out = folder.path().join("out.glb");
    group.bench_function("writing its bytes", |b| b.iter(|| write(&out, &bytes)));
    group.bench_function("save, one key changed", |b| {
        b.iter(|| session.write_to(&out).expect("saved"))
    });
    group.finish();

    let sample = include_bytes!("../assets/mannequin.glb");
    let mut group = c.benchmark_group("the sample");
    group.bench_function("open", |b| {
        b.iter(|| black_box(Session::open_bytes(sample).expect("a session")))
    });
    group.bench_function("the gltf crate, every accessor copied", |b| {
        b.iter(|| {
            let file = gltf::Gltf::from_slice(sample).expect("a file");
            let blob = file.blob.as_deref().unwrap_or_default();
            let all: Vec<Vec<u8>> = file
                .accessors()
                .filter_map(|a| a.view())
                .map(|v| blob[v.offset()..v.offset() + v.length()].to_vec())
                .collect();
            black_box(all)
        });
    });
    group.finish();

    // The program that Cargo built for this run.
    let ulna = env!("CARGO_BIN_EXE_ulna");
    let file = folder.path().join("sample.glb");
    write(&file, sample);
    let mut group = c.benchmark_group("start");
    group.sample_size(20);
    group.bench_function("ulna info, process and all", |b| {
        b.iter(|| {
            let run =
                std::process::Command::new(ulna).arg("info").arg(&file).output().expect("a run");
            assert!(run.status.success());
        });
    });
    group.finish();
}

criterion_group!(benches, files);
criterion_main!(benches);
