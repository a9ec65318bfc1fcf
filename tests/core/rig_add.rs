//! Adding joints by hand, together with their mirror joints.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use glam::Vec3;
use serde_json::json;
use ulna_edit::CommandLine;
use ulna_formats::gltf::Progress;
use ulna_model::{Document, NodeId};
use ulna_motion::{Pose, Stack};
use ulna_session::Session;

use crate::common::{bare_body, glb, named, run, sample};

fn add() -> CommandLine {
    CommandLine::new("joint.add")
}

fn place(document: &Document, node: NodeId) -> Vec3 {
    let still = ulna_weights::at_rest(document);
    Pose::evaluate(&still, &Stack::default()).world[node.index()].w_axis.truncate()
}

fn at(document: &Document, name: &str) -> Vec3 {
    place(document, named(document, name))
}

/// Returns the names of the nodes that a command adds, in order.
fn added(session: &mut Session, line: CommandLine) -> Vec<String> {
    let before = session.document().clone();
    run(session, line);
    session.document().check().unwrap();
    let document = session.document();
    let new = document.node_ids().filter(|n| !before.nodes.contains(*n));
    new.map(|n| document.node(n).label(n)).collect()
}

#[test]
fn a_skeleton_is_built_with_both_sides_at_once_and_saved() {
    let mut session = Session::open_bytes(&bare_body()).unwrap();
    let hips = added(&mut session, add().with("at", json!([0.0, 1.0, 0.0])));
    assert_eq!(hips, ["Joint"]);
    let spine = add().with("parent", "Joint").with("by", json!([0.0, 0.3, 0.0]));
    assert_eq!(
        added(&mut session, spine.with("symmetric", true)),
        ["Joint1"],
        "it is in the middle"
    );
    let arm = add().with("parent", "Joint1").with("at", json!([0.2, 1.4, 0.01]));
    let arm = arm.with("symmetric", true).with("name", "UpperArm");
    assert_eq!(added(&mut session, arm), ["UpperArm_L", "UpperArm_R"]);
    let lower = add().with("parent", "UpperArm_R").with("by", json!([-0.25, 0.0, 0.0]));
    let made = added(&mut session, lower.with("symmetric", true));
    assert_eq!(made, ["UpperArm1_R", "UpperArm1_L"], "the named side comes first");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.glb");
    session.write_to(&path).unwrap();
    let again = Session::open(&path, &Progress::default()).unwrap();
    for session in [&session, &again] {
        let document = session.document();
        let of = |name: &str| named(document, name);
        assert_eq!(document.node(of("UpperArm1_L")).parent, Some(of("UpperArm_L")));
        assert_eq!(document.node(of("UpperArm1_R")).parent, Some(of("UpperArm_R")));
        for (left, right) in [("UpperArm_L", "UpperArm_R"), ("UpperArm1_L", "UpperArm1_R")] {
            let mirrored = at(document, right) * Vec3::new(-1.0, 1.0, 1.0);
            assert!((at(document, left) - mirrored).length() < 1e-5, "{left}");
        }
        assert!((at(document, "UpperArm1_R") - Vec3::new(-0.45, 1.4, 0.01)).length() < 1e-5);
        assert_eq!(document.skins.count(), 0);
    }
}

#[test]
fn several_parents_get_one_joint_each_and_mirror_joints_are_not_added_twice() {
    let mut session = sample();
    let before = session.document().clone();
    let hands = json!(["LeftHand", "RightHand"]);
    let line = add().with("parent", hands).with("by", json!([0.0, -0.1, 0.0]));
    let made = added(&mut session, line.with("symmetric", true));
    assert_eq!(made.len(), 2, "{made:?}");
    let document = session.document();
    for (hand, made) in ["LeftHand", "RightHand"].into_iter().zip(&made) {
        assert_eq!(document.node(named(document, made)).parent, Some(named(document, hand)));
        let way = at(document, made) - at(document, hand);
        assert!((way - Vec3::new(0.0, -0.1, 0.0)).length() < 1e-5, "{way}");
    }
    assert_eq!((&document.skins, &document.clips), (&before.skins, &before.clips));
    session.undo().unwrap();
    assert_eq!(session.document(), &before);
}

#[test]
fn positions_are_in_world_space_for_any_parent_scale_and_pose() {
    let json = json!({
        "scenes": [{"nodes": [0]}],
        "nodes": [
            {
                "name": "Armature", "scale": [0.01, 0.01, 0.01], "children": [1],
                "rotation": [-0.70710677, 0.0, 0.0, 0.70710677],
            },
            {"name": "Hips", "translation": [0.0, 0.0, 100.0]},
        ],
    });
    let mut session = Session::open_bytes(&glb(json, &[])).unwrap();
    run(
        &mut session,
        CommandLine::new("pose.rotate").with("node", "Hips").with("axis", "x").with("degrees", 90),
    );
    let wanted = Vec3::new(0.3, 1.2, -0.1);
    let made =
        added(&mut session, add().with("parent", "Hips").with("at", json!(wanted.to_array())));
    let there = at(session.document(), &made[0]);
    assert!((there - wanted).length() < 1e-4, "{there}");
}

#[test]
fn impossible_joints_are_refused_with_the_reason() {
    let mut session = sample();
    let zero = json!([0, 0, 0]);
    for (line, code) in [
        (add(), "argument_missing"),
        (add().with("at", zero.clone()).with("by", zero.clone()), "argument_missing"),
        (add().with("parent", json!(["Hips", "Spine"])).with("at", zero), "arguments_together"),
    ] {
        let error = session.run_line(&line).expect_err(&line.to_string());
        assert_eq!(error.code(), code, "{line}: {error}");
    }
    assert!(session.history().done().is_empty());
}

#[test]
fn a_symmetric_move_moves_mirror_joints_and_keeps_the_clips() {
    let mut session = sample();
    let before = session.document().clone();
    let by = Vec3::new(0.03, -0.02, 0.01);
    let line = CommandLine::new("joint.move").with("node", "LeftLowerArm");
    run(&mut session, line.with("by", json!(by.to_array())).with("symmetric", true));
    let document = session.document();
    for (name, by) in [("LeftLowerArm", by), ("RightLowerArm", by * Vec3::new(-1.0, 1.0, 1.0))] {
        let moved = at(document, name) - at(&before, name);
        assert!((moved - by).length() < 1e-4, "{name}: {moved}");
    }
    let report = *session.take_rig_report().unwrap();
    assert_eq!(report.nodes.reframed, 2);
    let chest = CommandLine::new("joint.move").with("node", "Chest").with("symmetric", true);
    run(&mut session, chest.with("by", json!(by.to_array())));
    let moved = at(session.document(), "Chest") - at(&before, "Chest");
    assert!((moved - by.with_x(0.0)).length() < 1e-4, "it stays in the middle: {moved}");
    let document = session.document();
    for name in ["LeftHand", "RightHand", "LeftUpperArm"] {
        assert!((at(document, name) - at(&before, name)).length() < 1e-5, "{name} stays");
    }
}
