//! Detection of humanoid bones by the shape of the skeleton, for skeletons whose names do not help.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::collections::BTreeMap;

use serde_json::json;
use ulna_edit::CommandLine;
use ulna_formats::gltf::Progress;
use ulna_model::{Document, NodeId};
use ulna_motion::{JointNames, bones_by_shape, humanoid_names};
use ulna_session::Session;

use crate::common::{bare_body, named, run, sample, shared};

fn named_bones(document: &Document) -> BTreeMap<String, NodeId> {
    humanoid_names(document, JointNames::Vrm).into_iter().map(|(node, role)| (role, node)).collect()
}

/// Returns the bones of arms, legs and spine that shape and names assign to different joints.
fn disagreeing(document: &Document) -> Vec<String> {
    let names = named_bones(document);
    let shape = bones_by_shape(document);
    assert!(!shape.is_empty(), "no body is found");
    let other = |role: &&&str| names.get(**role).is_some_and(|n| *n != shape[*role]);
    let label = |role: &str| {
        let of = |n: NodeId| document.node(n).label(n);
        format!("{role}: {} by shape, {} by name", of(shape[role]), of(names[role]))
    };
    shape.keys().filter(other).map(|role| label(role)).collect()
}

#[test]
fn the_bones_of_the_sample_are_found_without_names() {
    let document = sample().document().clone();
    assert_eq!(disagreeing(&document), [""; 0]);
    let shape = bones_by_shape(&document);
    for role in ["hips", "spine", "head", "leftShoulder", "rightHand", "leftToes", "rightLowerLeg"]
    {
        assert!(shape.contains_key(role), "{role}");
    }
}

#[test]
fn shape_and_names_give_the_same_bones_on_the_corpus() {
    let Some(shared) = shared() else { return };
    let mut count = 0;
    for file in [
        "characters/CesiumMan/CesiumMan.glb",
        "characters/Sintel/human-sintel.glb",
        "characters/RigOnly/rig-human.glb",
        "vrm/cryptovoxels.vrm",
    ] {
        let path = shared.join("corpus").join(file);
        let session = Session::open(&path, &Progress::default()).unwrap();
        assert_eq!(disagreeing(session.document()), [""; 0], "{file}");
        count += 1;
    }
    assert_eq!(count, 4);
}

#[test]
fn a_handmade_skeleton_without_names_is_recognized_as_humanoid() {
    let mut session = Session::open_bytes(&bare_body()).unwrap();
    let mut add = |parent: Option<&str>, at: [f32; 3], name: &str| {
        let line = CommandLine::new("joint.add").with("at", json!(at)).with("name", name);
        let line = match parent {
            Some(parent) => line.with("parent", parent),
            None => line,
        };
        run(&mut session, line.with("symmetric", true));
    };
    add(None, [0.0, 0.98, 0.0], "a");
    add(Some("a"), [0.0, 1.2, 0.0], "b");
    add(Some("b"), [0.0, 1.4, 0.0], "c");
    add(Some("c"), [0.0, 1.5, 0.0], "d");
    add(Some("c"), [0.17, 1.38, 0.0], "e");
    add(Some("e_L"), [0.35, 1.2, 0.0], "f_L");
    add(Some("f_L"), [0.5, 1.02, 0.0], "g_L");
    add(Some("a"), [0.1, 0.9, 0.0], "h");
    add(Some("h_L"), [0.1, 0.5, 0.0], "i_L");
    add(Some("i_L"), [0.1, 0.08, 0.0], "j_L");
    let document = session.document();
    let shape = bones_by_shape(document);
    let of = |name: &str| named(document, name);
    let wanted = BTreeMap::from([
        ("hips", of("a")),
        ("spine", of("b")),
        ("chest", of("c")),
        ("head", of("d")),
        ("leftUpperArm", of("e_L")),
        ("leftLowerArm", of("f_L")),
        ("leftHand", of("g_L")),
        ("rightUpperArm", of("e_R")),
        ("rightLowerArm", of("f_R")),
        ("rightHand", of("g_R")),
        ("leftUpperLeg", of("h_L")),
        ("leftLowerLeg", of("i_L")),
        ("leftFoot", of("j_L")),
        ("rightUpperLeg", of("h_R")),
        ("rightLowerLeg", of("i_R")),
        ("rightFoot", of("j_R")),
    ]);
    assert_eq!(shape, wanted);
}

#[test]
fn other_shapes_are_not_recognized_as_humanoid() {
    let Some(shared) = shared() else { return };
    for file in ["Fox/Fox.glb", "RiggedSimple/RiggedSimple.glb", "Spider/Spider.glb"] {
        let path = shared.join("corpus/characters").join(file);
        if !path.is_file() {
            continue;
        }
        let session = Session::open(&path, &Progress::default()).unwrap();
        assert!(bones_by_shape(session.document()).is_empty(), "{file}");
    }
}
