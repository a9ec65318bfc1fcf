//! Helpers for several test files: the path of the shared test files, small files, and the sample.

#![allow(dead_code, reason = "each test file uses its own part of this")]

pub mod bodies;
#[cfg(feature = "gui")]
pub mod frames;
pub mod judges;
#[cfg(feature = "gui")]
pub mod large;
#[cfg(feature = "gui")]
pub mod paint;
pub mod random_rigs;
pub mod weights;
#[cfg(feature = "gui")]
pub mod window;

use std::{
    collections::BTreeSet,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    sync::Mutex,
};

use ulna_edit::CommandLine;
use ulna_model::{Document, NodeId};
use ulna_session::Session;

/// Pixels per point in tested windows. It is low because a software driver fills every pixel, and
/// most tests check only layout and behavior. Tests of pictures use 1.
pub const DENSITY: f32 = 0.5;

/// Opens the bundled sample.
pub fn sample() -> Session {
    Session::open_bytes(include_bytes!("../../assets/mannequin.glb")).expect("the sample")
}

/// Returns the body of the sample without its skeleton, as a modeling program exports it.
pub fn bare_body() -> Vec<u8> {
    let (mut json, bin) = split(include_bytes!("../../assets/mannequin.glb"));
    for key in ["skins", "animations", "buffers", "asset"] {
        json.as_object_mut().expect("an object").remove(key);
    }
    let nodes = json["nodes"].as_array().expect("nodes").clone();
    let meshes = nodes.iter().filter(|node| node.get("mesh").is_some());
    let bare = meshes.map(|node| serde_json::json!({"name": node["name"], "mesh": node["mesh"]}));
    let bare: Vec<_> = bare.collect();
    json["scenes"] = serde_json::json!([{"nodes": (0..bare.len()).collect::<Vec<_>>()}]);
    json["nodes"] = bare.into();
    for mesh in json["meshes"].as_array_mut().expect("meshes") {
        for primitive in mesh["primitives"].as_array_mut().expect("primitives") {
            let attributes = primitive["attributes"].as_object_mut().expect("attributes");
            attributes
                .retain(|name, _| !name.starts_with("JOINTS") && !name.starts_with("WEIGHTS"));
        }
    }
    glb(json, &bin)
}

/// Runs a command that must succeed. Returns its messages.
pub fn run(session: &mut Session, line: CommandLine) -> Vec<String> {
    session.run_line(&line).unwrap_or_else(|e| panic!("{line}: {e}"));
    session.take_sentence().into_iter().collect()
}

/// Returns the node with a name.
pub fn named(document: &Document, name: &str) -> NodeId {
    document
        .node_ids()
        .find(|n| document.node(*n).name.as_deref() == Some(name))
        .unwrap_or_else(|| panic!("{name}"))
}

/// Returns the folder of shared test files beside the repository. Without it, returns `None` and
/// reports a skipped test.
pub fn shared() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    if path.join("corpus").is_dir() {
        Some(path)
    } else {
        skipped(&format!("{} is missing", path.display()));
        None
    }
}

/// Reports an incomplete check and its reason, once per test and reason. The report bypasses the
/// test harness, which hides the output of passing tests.
pub fn skipped(why: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let thread = std::thread::current();
    let line = format!("skipped: {}: {why}\n", thread.name().unwrap_or("a test"));
    if SAID.lock().expect("what was said").insert(line.clone()) {
        std::io::stderr().write_all(line.as_bytes()).ok();
    }
}

/// Returns every glTF, GLB and VRM file below a folder, in order. The folder `bad/` is left out,
/// unless it is the folder itself.
pub fn models(folder: &Path) -> Vec<PathBuf> {
    let mut list = Vec::new();
    walk(folder, &mut list);
    list.sort();
    list
}

fn walk(folder: &Path, list: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            if path.file_name().is_some_and(|n| n != "bad") {
                walk(&path, list);
            }
        } else if path
            .extension()
            .is_some_and(|e| ["gltf", "glb", "vrm"].iter().any(|w| e.eq_ignore_ascii_case(w)))
        {
            list.push(path);
        }
    }
}

/// Builds a GLB with this JSON and binary data. `asset` and the buffer are added.
pub fn glb(mut json: serde_json::Value, bin: &[u8]) -> Vec<u8> {
    json["asset"] = serde_json::json!({"version": "2.0"});
    if !bin.is_empty() {
        json["buffers"] = serde_json::json!([{"byteLength": bin.len()}]);
    }
    let bin = (!bin.is_empty()).then_some(bin);
    ulna_formats::gltf::build_glb(json.to_string().as_bytes(), bin, &[], 0).expect("a small file")
}

/// Returns the JSON and the binary data of a GLB.
pub fn split(bytes: &[u8]) -> (serde_json::Value, Vec<u8>) {
    let length =
        |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("a length")) as usize;
    let end = 20 + length(12);
    let bin =
        if end < bytes.len() { bytes[end + 8..end + 8 + length(end)].to_vec() } else { Vec::new() };
    (serde_json::from_slice(&bytes[20..end]).expect("JSON"), bin)
}

/// Returns floats as little-endian bytes.
pub fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}
