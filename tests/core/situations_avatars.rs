//! Avatars with meshes rigidly bound to joints, and converted avatars. Every index in their
//! extensions must keep its meaning.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{path::Path, process::Command};

use glam::{DVec3, Vec3};
use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_model::{Document, NodeId};
use ulna_motion::{Pose, Stack};
use ulna_session::Session;

use super::avatars::avatars;
use crate::common::{glb, judges, named, run, shared, split};

/// Returns the meaning of a number in an extension: the name of its node, mesh, material or morph
/// target.
fn meaning(root: &Value, key: &str, value: &Value, around: &Value) -> Option<Value> {
    let index = value.as_u64()? as usize;
    let list = match key {
        "node" | "source" | "center" | "firstPersonBone" => "nodes",
        "mesh" => "meshes",
        "material" => "materials",
        "texture" => "textures",
        "index" => {
            // The number is a morph target of the mesh itself, or of a node's mesh.
            let mesh = around.get("mesh").cloned().or_else(|| {
                let node = around.get("node")?.as_u64()? as usize;
                root["nodes"][node].get("mesh").cloned()
            })?;
            let mesh = &root["meshes"][mesh.as_u64()? as usize];
            return Some(json!([mesh["name"], mesh["extras"]["targetNames"][index]]));
        }
        _ => return None,
    };
    Some(json!(format!("{list} {}", root[list][index]["name"])))
}

/// Returns an extension with its numbers replaced by their meanings.
fn meant(root: &Value, value: &Value) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .map(|(key, inner)| {
                let bones =
                    key == "bones" && inner.as_array().is_some_and(|l| l.iter().all(Value::is_u64));
                let what = if bones {
                    let of = |b: &Value| meaning(root, "node", b, value).unwrap();
                    Value::Array(inner.as_array().unwrap().iter().map(of).collect())
                } else {
                    meaning(root, key, inner, value).unwrap_or_else(|| meant(root, inner))
                };
                (key.clone(), what)
            })
            .collect(),
        Value::Array(list) => Value::Array(list.iter().map(|v| meant(root, v)).collect()),
        _ => value.clone(),
    }
}

/// Returns all extension data of a file, with names in place of indices.
fn said(root: &Value) -> (Value, Vec<(Value, Value)>) {
    let nodes = root["nodes"].as_array().unwrap().iter();
    let constraints = nodes.filter(|n| n.get("extensions").is_some());
    let constraints =
        constraints.map(|n| (n["name"].clone(), meant(root, &n["extensions"]))).collect();
    (meant(root, &root["extensions"]), constraints)
}

fn json_of(path: &Path) -> Value {
    let bytes = std::fs::read(path).unwrap();
    if bytes.starts_with(b"glTF") {
        split(&bytes).0
    } else {
        serde_json::from_slice(&bytes).unwrap()
    }
}

/// Returns the world positions of all nodes, by name.
fn places(document: &Document) -> Vec<(String, DVec3)> {
    let pose = Pose::evaluate(document, &Stack::default());
    let of = |n: NodeId| pose.world[n.index()].w_axis.truncate().as_dvec3();
    document.node_ids().map(|n| (document.node(n).label(n), of(n))).collect()
}

/// Returns the avatar with its prop as a hat below a node. On request, a second node uses the mesh
/// of the hat, too.
fn with_hat(bytes: &[u8], below: usize, twice: bool) -> Vec<u8> {
    let (mut root, bin) = split(bytes);
    root["scenes"][0]["nodes"] = json!([1, 21]);
    root["nodes"][0]["translation"] = json!([0.0, 0.12, 0.0]);
    let children = root["nodes"][below]
        .as_object_mut()
        .unwrap()
        .entry("children")
        .or_insert_with(|| json!([]));
    children.as_array_mut().unwrap().push(json!(0));
    if twice {
        root["nodes"]
            .as_array_mut()
            .unwrap()
            .push(json!({"name": "Spare", "mesh": 0, "translation": [3, 0, 0]}));
        root["scenes"][0]["nodes"].as_array_mut().unwrap().push(json!(22));
    }
    glb(root, &bin)
}

#[test]
fn references_stay_correct_after_binding_a_mesh() {
    let folder = tempfile::tempdir().unwrap();
    let mut tried = 0;
    for (name, bytes) in avatars() {
        for (below, twice) in [(None, false), (Some(5), false), (Some(7), false), (Some(5), true)] {
            let bytes = below.map_or_else(|| bytes.clone(), |b| with_hat(&bytes, b, twice));
            let (from, to) = (folder.path().join(name), folder.path().join("out.vrm"));
            std::fs::write(&from, &bytes).unwrap();
            let mut session = Session::open(&from, &Default::default()).unwrap();
            let stood = places(session.document());
            let joints = ["head", "hair0", "hair1"];
            run(
                &mut session,
                CommandLine::new("skin.create").with("node", "Prop").with("joint", joints),
            );
            session.write_to(&to).unwrap();
            let (was, is) = (json_of(&from), json_of(&to));
            assert_eq!(said(&is), said(&was), "{name} {below:?}");
            let skin = is["nodes"][0]["skin"].as_u64().unwrap() as usize;
            assert_eq!(is["nodes"][0]["name"], "Prop");
            let bound: Vec<&Value> = is["skins"][skin]["joints"]
                .as_array()
                .unwrap()
                .iter()
                .map(|j| &is["nodes"][j.as_u64().unwrap() as usize]["name"])
                .collect();
            assert_eq!(bound, joints);
            assert_eq!(is["skins"][0], was["skins"][0], "the body's own skin");
            // No node of the avatar moves, except the hat's own node, which no longer matters.
            let again = Session::open(&to, &Default::default()).unwrap();
            for ((label, a), (other, b)) in stood.iter().zip(places(again.document())) {
                assert_eq!(label, &other);
                assert!(label == "Prop" || a.distance(b) < 1e-6, "{name}: {label} moves");
            }
            if let Some(differ) = judges::differences(&from, &to, &[]) {
                let of_extensions: Vec<&str> =
                    differ.lines().filter(|l| l.contains("VRM")).collect();
                assert!(of_extensions.is_empty(), "{name}: {of_extensions:?}");
            }
            tried += 1;
        }
    }
    assert!(tried == 8 || shared().is_none(), "{tried}");
}

/// A node with a mesh that is a bone itself, as in robots, must keep its place in the skeleton.
#[test]
fn a_bone_with_a_mesh_stays_a_bone() {
    let mut tried = 0;
    for (name, bytes) in avatars() {
        let (mut root, bin) = split(&bytes);
        // The hat becomes the mesh of the left hand.
        root["nodes"][11]["mesh"] = json!(0);
        root["nodes"][0].as_object_mut().unwrap().remove("mesh");
        let bytes = glb(root, &bin);
        let mut session = Session::open_bytes(&bytes).unwrap();
        let stood = places(session.document());
        let line = CommandLine::new("skin.create")
            .with("node", "leftHand")
            .with("joint", ["leftLowerArm", "leftUpperArm"]);
        let notes = run(&mut session, line);
        let again = Session::open_bytes(&session.pack("a").unwrap().bytes).unwrap();
        for ((label, a), (_, b)) in stood.iter().zip(places(again.document())) {
            assert!(a.distance(b) < 1e-6, "{name}: {label} moves: {notes:?}");
        }
        let document = again.document();
        let hand = named(document, "leftHand");
        assert_eq!(document.node(hand).parent, Some(named(document, "leftLowerArm")), "{notes:?}");
        assert_eq!(document.vrm.as_ref().unwrap().node("leftHand"), Some(hand));
        assert!(document.node(hand).skin.is_some());
        tried += 1;
    }
    assert!(tried == 2 || shared().is_none());
}

fn converts(from: &Path, to: &Path) {
    let made = Command::new(env!("CARGO_BIN_EXE_ulna"))
        .arg("convert")
        .arg(from)
        .arg("-o")
        .arg(to)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

#[test]
fn references_stay_correct_after_a_conversion() {
    let mut tried = 0;
    for (name, bytes) in avatars() {
        let folder = tempfile::tempdir().unwrap();
        let at = |n: &str| folder.path().join(n);
        std::fs::write(at(name), &bytes).unwrap();
        let was = json_of(&at(name));
        let stood = places(Session::open(&at(name), &Default::default()).unwrap().document());
        // Converts to text and back, also with an edit in between.
        for (from, to) in
            [(name, "a.gltf"), ("a.gltf", "b.vrm"), (name, "c.glb"), ("c.glb", "d.gltf")]
        {
            converts(&at(from), &at(to));
            let is = json_of(&at(to));
            assert_eq!(said(&is), said(&was), "{name}: {from} to {to}");
            assert_eq!(is["extensionsUsed"], was["extensionsUsed"]);
            let again = Session::open(&at(to), &Default::default()).unwrap();
            for ((label, a), (other, b)) in stood.iter().zip(places(again.document())) {
                assert!(*label == other && a.distance(b) < 1e-9, "{label}");
            }
            let bones = |d: &Document| -> Vec<(String, String)> {
                let vrm = d.vrm.as_ref().unwrap();
                vrm.bones.iter().map(|(r, n)| (r.to_string(), d.node(*n).label(*n))).collect()
            };
            let first = Session::open_bytes(&bytes).unwrap();
            assert_eq!(bones(again.document()), bones(first.document()));
            if let Some(differ) = judges::differences(&at(name), &at(to), &[]) {
                let of_extensions: Vec<&str> =
                    differ.lines().filter(|l| l.contains("VRM")).collect();
                assert!(of_extensions.is_empty(), "{name}: {of_extensions:?}");
            }
            tried += 1;
        }
        std::fs::write(at("edit.txt"), r#"{"do":"skin.create","node":"Prop","joint":["head"]}"#)
            .unwrap();
        let program = Command::new(env!("CARGO_BIN_EXE_ulna"))
            .arg("run")
            .args([at("edit.txt"), at("d.gltf")])
            .arg("-o")
            .arg(at("e.vrm"))
            .output()
            .unwrap();
        assert!(program.status.success(), "{}", String::from_utf8_lossy(&program.stderr));
        assert_eq!(said(&json_of(&at("e.vrm"))), said(&was), "{name}: edited as text");
    }
    assert!(tried == 8 || shared().is_none(), "{tried}");
}

/// Animation files for avatars work like other models. They are found in a folder, opened, saved,
/// and imported by the humanoid map of their own skeleton.
#[test]
fn vrm_animation_files_open_save_and_import() {
    let Some(shared) = shared() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (mut root, bin) =
        split(&std::fs::read(shared.join("situations/vrm-import-by-role/walk.glb")).unwrap());
    let names: Vec<String> = root["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n["name"].as_str().unwrap_or_default().to_owned())
        .collect();
    root["asset"]["generator"] = json!("maker of motions");
    let motions = folder.path().join("motions");
    std::fs::create_dir(&motions).unwrap();
    std::fs::write(motions.join("walk.vrma"), glb(root, &bin)).unwrap();
    std::fs::write(motions.join("notes.txt"), "nothing").unwrap();
    let found = ulna_session::files_meant(&motions).unwrap();
    assert_eq!(found, [motions.join("walk.vrma")]);
    assert_eq!(ulna_session::files_meant(&motions.join("*.vrma")).unwrap(), found);
    let mut session = Session::open(&found[0], &Default::default()).unwrap();
    let node =
        session.document().node_ids().find(|n| session.document().node(*n).name.is_some()).unwrap();
    assert!(names.contains(&session.document().node(node).label(node)));
    run(
        &mut session,
        CommandLine::new("pose.move").with("node", "#0").with("by", Vec3::X.to_array()),
    );
    let to = folder.path().join("moved.vrma");
    session.write_to(&to).unwrap();
    assert_eq!(&std::fs::read(&to).unwrap()[..4], b"glTF");
    let again = Session::open(&to, &Default::default()).unwrap();
    let (meant, got) = (places(session.document()), places(again.document()));
    assert!(
        meant.iter().zip(&got).all(|(a, b)| a.0 == b.0 && a.1.distance(b.1) < 1e-6),
        "{meant:?} {got:?}"
    );
    assert_eq!(again.document().clips, session.document().clips);
    converts(&found[0], &folder.path().join("b.vrma"));
}
