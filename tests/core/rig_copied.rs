//! Skeletons of other files, copied and fitted to a mesh.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::path::{Path, PathBuf};

use glam::{DMat4, DVec3, Quat, Vec3};
use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_formats::gltf::Progress;
use ulna_model::{Document, Local, NodeId};
use ulna_session::Session;

use crate::common::{floats, glb, named, run, sample, shared};

/// Builds a model of one box between two corners.
fn body(low: [f32; 3], high: [f32; 3]) -> Vec<u8> {
    let corner = |k: usize| [0, 1, 2].map(|axis| if k >> axis & 1 == 0 { low } else { high }[axis]);
    let points: Vec<f32> = (0..8).flat_map(corner).collect();
    let mut bin = floats(&points);
    let indices: [u16; 6] = [0, 1, 2, 5, 6, 7];
    bin.extend(indices.iter().flat_map(|i| i.to_le_bytes()));
    let file = json!({
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "Body", "mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3", "min": low,
                "max": high},
            {"bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR"}],
        "bufferViews": [{"buffer": 0, "byteLength": 96},
            {"buffer": 0, "byteOffset": 96, "byteLength": 12}],
    });
    glb(file, &bin)
}

fn open(bytes: &[u8]) -> Session {
    Session::open_bytes(bytes).unwrap()
}

fn copy(from: &Path) -> CommandLine {
    CommandLine::new("rig.copy_skeleton").with("path", from.to_string_lossy().into_owned())
}

fn written(folder: &tempfile::TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn world(document: &Document, node: NodeId) -> DMat4 {
    let up = std::iter::successors(Some(node), |n| document.node(*n).parent);
    up.fold(DMat4::IDENTITY, |below, n| document.node(n).rest.matrix().as_dmat4() * below)
}

fn at(document: &Document, name: &str) -> DVec3 {
    world(document, named(document, name)).w_axis.truncate()
}

fn refused(session: &mut Session, line: CommandLine) -> (String, String) {
    let before = session.document().clone();
    let why = session.run_line(&line).unwrap_err();
    assert_eq!(*session.document(), before, "{line}");
    (why.code().to_owned(), why.to_string())
}

/// Checks the new joints and returns them. They must have no scale.
fn checked(session: &Session, from: usize) -> Vec<NodeId> {
    let document = session.document();
    document.check().unwrap();
    let made: Vec<NodeId> = document.node_ids().skip(from).collect();
    for node in &made {
        let Local::Trs(local) = document.node(*node).rest else { panic!("a matrix") };
        assert_eq!(local.scale, Vec3::ONE);
        assert!(local.is_finite() && (local.rotation.length() - 1.0).abs() < 1e-5);
    }
    made
}

#[test]
fn a_copied_skeleton_is_scaled_by_heights_and_placed_on_the_ground_center() {
    let mannequin = sample();
    let theirs = mannequin.document();
    let joints = theirs.joint_flags().iter().filter(|j| **j).count();
    let mut session = open(&body([4.0, 1.0, -1.0], [6.0, 4.4, 1.0]));
    let said = run(&mut session, copy(Path::new("sample"))).join(" ");
    assert!(said.contains(&format!("{joints} joints were copied at")), "{said}");
    let made = checked(&session, 1);
    assert_eq!(made.len(), joints);
    let ours = session.document();
    assert_eq!(ours.skins.count(), 0, "binding makes the skin");
    // The joints have the same relative positions and rotations at another size.
    let [hips, head] = ["Hips", "Head"].map(|n| (at(theirs, n), at(ours, n)));
    let ratio = (head.1 - hips.1).length() / (head.0 - hips.0).length();
    assert!((1.5..2.5).contains(&ratio), "{ratio}");
    for node in &made {
        let label = ours.node(*node).label(*node);
        let theirs_at = named(theirs, &label);
        let (a, b) = (world(theirs, theirs_at), world(ours, *node));
        let moved = (a.w_axis.truncate() - hips.0) * ratio + hips.1;
        assert!(moved.distance(b.w_axis.truncate()) < 1e-5, "{label}");
        let turn = |m: &DMat4| m.to_scale_rotation_translation().1;
        assert!(turn(&a).angle_between(turn(&b)) < 1e-3, "{label}");
    }
    // The skeleton is on the ground, centered below the mesh: this is the point between the feet.
    let feet = (at(ours, "LeftFoot") + at(ours, "RightFoot")) * 0.5;
    assert!((feet.x - 5.0).abs() < 0.1 && (0.95..1.5).contains(&feet.y), "{feet}");
    // Copying is one step. It can be undone, redone, saved and read.
    run(&mut session, CommandLine::new("edit.undo"));
    assert_eq!(session.document().nodes.count(), 1);
    run(&mut session, CommandLine::new("edit.redo"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.glb");
    session.write_to(&path).unwrap_or_else(|e| panic!("{e}"));
    let again = Session::open(&path, &Progress::default()).unwrap();
    let place = |d: &Document| at(d, "LeftHand");
    assert!(place(again.document()).distance(place(session.document())) < 1e-6);
}

#[test]
fn redoing_a_copied_skeleton_does_not_need_the_other_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(&folder, "other.glb", include_bytes!("../../assets/mannequin.glb"));
    let home = folder.path().join("journal");
    let mut session = open(&body([-1.0, 0.0, -0.2], [1.0, 2.0, 0.2]));
    session.keep_journal(&home);
    run(&mut session, copy(&path).with("prefix", "new_").with("symmetric", true));
    std::fs::remove_file(&path).unwrap();
    let step = session.history().done().last().unwrap();
    let line = step.lines(session.document()).remove(0);
    assert_eq!(line.name, "rig.put_skeleton");
    let mut other = open(&body([-1.0, 0.0, -0.2], [1.0, 2.0, 0.2]));
    run(&mut other, line);
    assert_eq!(other.document(), session.document());
    assert!(at(other.document(), "new_Hips").y > 0.5);
}

#[test]
fn matched_points_are_reached_and_joints_between_follow() {
    let mut session = open(&body([-1.0, 0.0, -0.3], [1.0, 2.0, 0.3]));
    let points = json!([
        "Hips=0.01 1.0 0.02",
        "Head=0 1.75 0.05",
        "LeftHand=0.9 1.1 0.1",
        "LeftFoot=0.2,0.1,-0.02",
        "LeftUpperArm=0.25 1.55 0"
    ]);
    let line = copy(Path::new("sample")).with("points", points).with("symmetric", true);
    let said = run(&mut session, line).join(" ");
    assert!(said.contains("exactly at the matched points"), "{said}");
    checked(&session, 1);
    let ours = session.document();
    let meets = |name: &str, x: f64, y: f64, z: f64| {
        let (found, wanted) = (at(ours, name), DVec3::new(x, y, z));
        assert!(found.distance(wanted) < 1e-6, "{name}: {found}");
    };
    meets("Hips", 0.0, 1.0, 0.02);
    meets("Head", 0.0, 1.75, 0.05);
    meets("LeftHand", 0.9, 1.1, 0.1);
    meets("RightHand", -0.9, 1.1, 0.1);
    meets("RightFoot", -0.2, 0.1, -0.02);
    // The elbow is between shoulder and hand, symmetrically on both sides.
    let (left, right) = (at(ours, "LeftLowerArm"), at(ours, "RightLowerArm"));
    assert!(left.distance(DVec3 { x: -right.x, ..right }) < 1e-4, "{left} {right}");
    assert!((0.3..0.85).contains(&left.x) && (1.1..1.6).contains(&left.y), "{left}");
    // Joints beyond the last matched point follow with the overall scale.
    let theirs = sample();
    let finger = |d: &Document| (at(d, "LeftIndex3") - at(d, "LeftHand")).length();
    let bone = |d: &Document| (at(d, "LeftIndex2") - at(d, "LeftIndex1")).length();
    let ratio = |of: &dyn Fn(&Document) -> f64| of(ours) / of(theirs.document());
    assert!((ratio(&finger) - ratio(&bone)).abs() < 1e-3, "{} {}", ratio(&finger), ratio(&bone));
}

#[test]
fn one_matched_point_moves_and_two_scale_and_rotate() {
    let theirs = sample();
    let mut session = open(&body([-1.0, 0.0, -0.3], [1.0, 2.0, 0.3]));
    run(&mut session, copy(Path::new("sample")).with("points", "Head=3 4 5"));
    assert!(at(session.document(), "Head").distance(DVec3::new(3.0, 4.0, 5.0)) < 1e-6);
    // Rotates by 90° about the vertical axis.
    let [left, right] = ["LeftHand", "RightHand"].map(|n| at(theirs.document(), n));
    let half = (left - right).length();
    let mut session = open(&body([-1.0, 0.0, -0.3], [1.0, 2.0, 0.3]));
    let points = format!("LeftHand=0 1 {};RightHand=0 1 {}", -half, half);
    let said = run(&mut session, copy(Path::new("sample")).with("points", points)).join(" ");
    assert!(said.contains("2.0000 times their size, turned by 90°"), "{said}");
    let ours = session.document();
    assert!(at(ours, "LeftHand").distance(DVec3::new(0.0, 1.0, -half)) < 1e-4);
    let rotation =
        |d: &Document, n: &str| world(d, named(d, n)).to_scale_rotation_translation().1.as_quat();
    let wanted = Quat::from_rotation_y(90f32.to_radians()) * rotation(theirs.document(), "Head");
    assert!(rotation(ours, "Head").angle_between(wanted) < 1e-3);
}

#[test]
fn inconsistent_points_are_refused() {
    let mut session = open(&body([-1.0, 0.0, -0.3], [1.0, 2.0, 0.3]));
    let mut code =
        |points: Value| refused(&mut session, copy(Path::new("sample")).with("points", points)).0;
    assert_eq!(code(json!("Nobody=0 0 0")), "no_such_source_joint");
    assert_eq!(code(json!(["Head=0 0 0", "Head=0 1 0"])), "named_twice");
    assert_eq!(code(json!(["Head=0 1 0", "Hips=0 1 0"])), "points_do_not_fit");
    assert_eq!(code(json!(["Head=0 0 0", "Hips=0 2 0"])), "points_do_not_fit");
    assert_eq!(code(json!("Head=0 0")), "argument_type");
    assert_eq!(code(json!(["Head=1e300 0 0"])), "not_finite");
    let mut line = |line: CommandLine| refused(&mut session, line);
    let joint = line(copy(Path::new("sample")).with("joint", "Nobody"));
    assert_eq!(joint.0, "no_such_name");
    assert_eq!(line(copy(Path::new("nowhere.glb"))).0, "no_such_file");
}

#[test]
fn existing_names_get_a_number() {
    let mut session = sample();
    let before = session.document().nodes.len();
    let said = run(&mut session, copy(Path::new("sample")).with("joint", "LeftUpperArm")).join(" ");
    assert!(said.contains("taken already and got a number: “LeftUpperArm2”"), "{said}");
    let made = checked(&session, before);
    let top = made[0];
    assert_eq!(session.document().node(top).parent, None);
    assert!(session.document().shown_nodes().contains(&top));
    assert_eq!(session.document().node(top).label(top), "LeftUpperArm2");
    // The third copy gets the next number. With a prefix, all names are unused.
    run(&mut session, copy(Path::new("sample")).with("joint", "LeftUpperArm"));
    named(session.document(), "LeftUpperArm3");
    let line = copy(Path::new("sample")).with("joint", "LeftUpperArm").with("prefix", "b.");
    let said = run(&mut session, line).join(" ");
    assert!(!said.contains("taken"), "{said}");
    named(session.document(), "b.LeftUpperArm");
}

/// Builds an armature in centimeters, rotated and mirrored. It has a duplicate joint name, a helper
/// node between joints, a matrix, a joint with scale 0, and a joint outside the scene.
fn odd_skeleton() -> Vec<u8> {
    let mut bin = Vec::new();
    bin.extend(floats(&[0.0; 9]));
    bin.extend([0u8; 12]);
    bin.extend([255u8, 0, 0, 0].repeat(3));
    glb(
        json!({
            "scene": 0,
            "scenes": [{"nodes": [0, 7]}],
            "nodes": [
                {"name": "Armature", "children": [1], "scale": [-0.01, 0.01, 0.01],
                    "rotation": [-0.70710677, 0.0, 0.0, 0.70710677]},
                {"name": "Hips", "children": [2], "translation": [0.0, 0.0, 100.0]},
                {"name": "Helper", "children": [3], "translation": [0.0, 0.0, 20.0]},
                {"name": "Spine", "children": [4, 5], "translation": [0.0, 0.0, 10.0]},
                {"name": "Arm", "matrix": [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0,
                    0.0, 30.0, 0.0, 10.0, 1.0]},
                {"name": "Arm", "children": [6], "scale": [0.0, 0.0, 0.0],
                    "translation": [-30.0, 0.0, 10.0]},
                {"name": "Hand", "translation": [-20.0, 0.0, 0.0]},
                {"name": "Skin", "mesh": 0, "skin": 0},
                {"name": "Outside", "translation": [0.0, 5.0, 0.0]}],
            "skins": [{"joints": [1, 3, 4, 5, 6, 8]}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1,
                "WEIGHTS_0": 2}}]}],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
                    "min": [0.0, 0.0, 0.0], "max": [0.0, 0.0, 0.0]},
                {"bufferView": 1, "componentType": 5121, "count": 3, "type": "VEC4"},
                {"bufferView": 2, "componentType": 5121, "normalized": true, "count": 3,
                    "type": "VEC4"}],
            "bufferViews": [{"buffer": 0, "byteLength": 36},
                {"buffer": 0, "byteOffset": 36, "byteLength": 12},
                {"buffer": 0, "byteOffset": 48, "byteLength": 12}],
        }),
        &bin,
    )
}

#[test]
fn unusual_skeletons_are_copied_without_scale() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(&folder, "odd.glb", &odd_skeleton());
    // If this model has no mesh, all joints keep their positions.
    let mut session = open(&glb(json!({"scene": 0, "scenes": [{}]}), &[]));
    let said = run(&mut session, copy(&path)).join(" ");
    assert!(said.contains("1.0000 times their size"), "{said}");
    assert!(said.contains("1 name was taken already and got a number: “Arm2”"), "{said}");
    let made = checked(&session, 0);
    assert_eq!(made.len(), 6);
    let ours = session.document();
    let is_at = |name: &str, wanted: [f64; 3]| {
        let found = at(ours, name);
        assert!(found.distance(DVec3::from(wanted)) < 1e-5, "{name}: {found}");
    };
    is_at("Hips", [0.0, 1.0, 0.0]);
    is_at("Spine", [0.0, 1.3, 0.0]);
    is_at("Arm", [-0.3, 1.4, 0.0]);
    is_at("Arm2", [0.3, 1.4, 0.0]);
    // A scale of 0 is ignored at rest.
    is_at("Hand", [0.5, 1.4, 0.0]);
    is_at("Outside", [0.0, 5.0, 0.0]);
    assert_eq!(ours.node(named(ours, "Spine")).parent, Some(named(ours, "Hips")));
    // An ambiguous name cannot be matched with a point.
    let line = copy(&path).with("points", "Arm=0 0 0");
    assert_eq!(refused(&mut session, line).0, "name_ambiguous");
    // Copies below a joint. A helper node is copied if it is named.
    let mut session = open(&body([-1.0, 0.0, -0.3], [1.0, 2.0, 0.3]));
    run(&mut session, copy(&path).with("joint", "Helper"));
    let ours = session.document();
    assert_eq!(checked(&session, 1).len(), 5);
    assert_eq!(ours.node(named(ours, "Spine")).parent, Some(named(ours, "Helper")));
    let twice = refused(&mut session, copy(&path).with("joint", "Arm"));
    assert_eq!(twice.0, "name_ambiguous");
}

#[test]
fn files_without_a_skeleton_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = written(&folder, "mesh.glb", &body([-1.0, 0.0, -0.3], [1.0, 2.0, 0.3]));
    let empty = written(&folder, "empty.glb", &glb(json!({}), &[]));
    let broken = written(&folder, "broken.glb", b"glTF");
    let mut session = sample();
    for path in [&mesh, &empty] {
        let (code, said) = refused(&mut session, copy(path));
        assert_eq!(code, "no_source_skeleton");
        assert!(said.contains("name the topmost node of the skeleton as “joint”"), "{said}");
    }
    refused(&mut session, copy(&broken));
    // A node with a mesh is not a joint.
    assert_eq!(refused(&mut session, copy(&mesh).with("joint", "Body")).0, "no_source_skeleton");
    for text in ["x", "{}", r#"{"ulna_skeleton":1,"joints":[],"bounds":[[0,0,0],[0,0,0]]}"#] {
        let line = CommandLine::new("rig.put_skeleton").with("skeleton", text);
        assert_eq!(refused(&mut session, line).0, "not_a_skeleton", "{text}");
    }
    let bad = json!({"ulna_skeleton": 1, "bounds": [[0, 0, 0], [0, 0, 0]], "joints": [
        {"name": "a", "parent": 0, "position": [0, 0, 0], "rotation": [0, 0, 0, 1]}]});
    let line = CommandLine::new("rig.put_skeleton").with("skeleton", bad.to_string());
    assert_eq!(refused(&mut session, line).0, "not_a_skeleton");
    let newer = CommandLine::new("rig.put_skeleton").with("skeleton", r#"{"ulna_skeleton":2}"#);
    assert_eq!(refused(&mut session, newer).0, "made_by_newer_version");
}

/// Copies the skeleton of every skinned model of the corpus to a box. VRM 0 models are rotated to
/// face +Z.
#[test]
fn skeletons_of_the_corpus_are_copied() {
    let Some(shared) = shared() else { return };
    let mut copied = 0;
    for path in crate::common::models(&shared.join("corpus")) {
        let small = std::fs::metadata(&path).is_ok_and(|m| m.len() < 4_000_000);
        if !small {
            continue;
        }
        let Ok(source) = Session::open(&path, &Progress::default()) else { continue };
        if source.document().skins.is_empty() {
            continue;
        }
        let mut session = open(&body([-1.0, 0.0, -0.3], [1.0, 2.0, 0.3]));
        session.run_line(&copy(&path)).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(!checked(&session, 1).is_empty(), "{}", path.display());
        copied += 1;
    }
    assert!(copied > 10, "{copied}");
}
