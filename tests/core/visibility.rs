//! Hidden nodes of a file: read, played by a clip, set by a command, and written without any other
//! change.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_model::{ClipId, Document};
use ulna_motion::{Pose, Stack, Surface};
use ulna_session::Session;

use crate::common::{floats, glb, named, run, shared, split};

/// Builds a body with a box on it, and a lid below the box. The clip shows the box from 0.5 s on.
fn file(visibility: Option<Value>, pointer: bool) -> Vec<u8> {
    let positions = floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let times = floats(&[0.0, 0.5]);
    let bin = [positions, times, vec![0, 1, 0, 0]].concat();
    let mut boxed = json!({"name": "Box", "mesh": 0, "children": [2], "translation": [5, 0, 0]});
    if let Some(visibility) = &visibility {
        boxed["extensions"] = json!({ "KHR_node_visibility": visibility });
    }
    let mut used = Vec::new();
    if visibility.is_some() {
        used.push("KHR_node_visibility");
    }
    let mut json = json!({
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [
            {"name": "Body", "mesh": 0, "children": [1]},
            boxed,
            {"name": "Lid", "mesh": 0, "translation": [0, 2, 0]},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 36},
            {"buffer": 0, "byteOffset": 36, "byteLength": 8},
            {"buffer": 0, "byteOffset": 44, "byteLength": 2},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0],
                "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0.0],
                "max": [0.5]},
            {"bufferView": 2, "componentType": 5121, "count": 2, "type": "SCALAR"},
        ],
    });
    if pointer {
        let name = "/nodes/1/extensions/KHR_node_visibility/visible";
        json["animations"] = json!([{
            "name": "Show",
            "samplers": [{"input": 1, "output": 2, "interpolation": "STEP"}],
            "channels": [{"sampler": 0, "target": {
                "path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": name}},
            }}],
        }]);
        used.push("KHR_animation_pointer");
    }
    if !used.is_empty() {
        json["extensionsUsed"] = json!(used);
    }
    glb(json, &bin)
}

fn open(bytes: &[u8]) -> Session {
    Session::open_bytes(bytes).expect("a file")
}

fn bytes_of(session: &Session) -> Vec<u8> {
    session.pack("x").expect("saved").bytes.to_vec()
}

/// Returns the names of the hidden nodes, in the file's pose or at a time of its first clip.
fn hidden(document: &Document, time: Option<f64>) -> BTreeSet<String> {
    let stack = Stack::shown(document, time.map(|_| ClipId(0)), time.unwrap_or(0.0));
    let pose = Pose::evaluate(document, &stack);
    pose.hidden.iter().map(|n| document.node(*n).label(*n)).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|n| (*n).to_owned()).collect()
}

#[test]
fn hidden_nodes_hide_their_descendants_and_a_clip_shows_them() {
    let session = open(&file(Some(json!({"visible": false})), true));
    let document = session.document();
    assert_eq!(hidden(document, None), set(&["Box", "Lid"]));
    for (time, wanted) in
        [(0.0, &["Box", "Lid"][..]), (0.49, &["Box", "Lid"]), (0.5, &[]), (3.0, &[])]
    {
        assert_eq!(hidden(document, Some(time)), set(wanted), "{time} s");
    }
    assert!(
        session.diagnostics.iter().all(|d| !d.message.contains("pointer")),
        "{:?}",
        session.diagnostics
    );
    // Hidden nodes do not contribute to bounds.
    let high = |stack: &Stack| {
        let pose = Pose::evaluate(document, stack);
        Surface::new(document, &pose).bounds().expect("bounds").1.x
    };
    assert_eq!(high(&Stack::shown(document, None, 0.0)), 1.0);
    assert_eq!(high(&Stack::shown(document, Some(ClipId(0)), 1.0)), 6.0);
    // Nodes are visible by default.
    for visibility in [json!({}), json!({"visible": true})] {
        assert!(hidden(open(&file(Some(visibility), false)).document(), None).is_empty());
    }
}

#[test]
fn setting_visibility_is_saved_undone_and_changes_nothing_else() {
    let line = |visible: bool| {
        CommandLine::new("node.visibility").with("node", "Box").with("visible", visible)
    };
    let cases = [
        (None, false, json!({"visible": false})),
        (
            Some(json!({"visible": false, "extras": 1.50})),
            true,
            json!({"visible": true, "extras": 1.50}),
        ),
        (Some(json!({})), false, json!({"visible": false})),
    ];
    for (before, visible, wanted) in cases {
        let bytes = file(before.clone(), false);
        let mut session = open(&bytes);
        run(&mut session, line(visible));
        let saved = bytes_of(&session);
        let (mut now, data) = split(&saved);
        let (mut was, old) = split(&bytes);
        assert_eq!(data, old, "no data changes");
        assert_eq!(now["nodes"][1]["extensions"]["KHR_node_visibility"], wanted);
        assert_eq!(now["extensionsUsed"], json!(["KHR_node_visibility"]));
        for json in [&mut now, &mut was] {
            json.as_object_mut().expect("an object").remove("extensionsUsed");
            json["nodes"][1].as_object_mut().expect("a node").remove("extensions");
        }
        assert_eq!(now, was, "nothing else changes");
        let again = open(&saved);
        assert_eq!(hidden(again.document(), None).is_empty(), visible);
        // Undo restores the opened file, byte for byte.
        session.undo();
        assert_eq!(bytes_of(&session), bytes);
        if before.is_some() {
            run(&mut session, line(visible));
            run(&mut session, line(!visible));
            assert_eq!(bytes_of(&session), bytes);
        }
    }
}

#[test]
fn the_sword_of_the_test_file_is_hidden_for_the_first_half_second() {
    let Some(shared) = shared() else { return };
    let bytes =
        std::fs::read(shared.join("situations/visibility-required/used.glb")).expect("the file");
    let session = open(&bytes);
    let document = session.document();
    assert_eq!(hidden(document, None), set(&["Sword", "Gem"]));
    assert_eq!(hidden(document, Some(0.25)), set(&["Sword", "Gem"]));
    assert!(hidden(document, Some(0.5)).is_empty());
    assert!(!document.node(named(document, "Shield")).hidden, "the default is visible");
    assert_eq!(bytes_of(&session), bytes);
}
