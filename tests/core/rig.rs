//! Orienting, moving, inserting, dissolving, removing and reparenting joints. Every clip moves as
//! before, and deviations are reported.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::collections::BTreeMap;

use glam::{DMat4, DQuat, EulerRot, Mat4, Quat, Vec3};
use serde_json::{Value, json};
use ulna_edit::{CommandLine, command::RigReport};
use ulna_formats::gltf::Progress;
use ulna_model::{Document, LayerHome, NodeId};
use ulna_motion::{Pose, SeenPoints, Stack};
use ulna_session::Session;

use crate::common::{named, run, sample};

fn line(name: &str) -> CommandLine {
    CommandLine::new(name)
}

/// Runs a command on the skeleton. Returns its report.
fn act(session: &mut Session, line: CommandLine) -> RigReport {
    run(session, line.clone());
    session.document().check().unwrap_or_else(|e| panic!("{line}: {e}"));
    *session.take_rig_report().unwrap_or_else(|| panic!("{line}: no report"))
}

/// Saves the document and opens it again. Saving also checks the written data.
fn again(session: &Session) -> Session {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.glb");
    session.write_to(&path).unwrap_or_else(|e| panic!("{e}"));
    Session::open(&path, &Progress::default()).unwrap()
}

/// Returns the stacks to compare: the pose, and five times of each clip with its layers.
fn stacks(document: &Document) -> Vec<Stack> {
    let mut all = vec![Stack::shown(document, None, 0.0)];
    for (id, clip) in document.clips.iter() {
        let length = f64::from(clip.length());
        let times = [0.0, 0.23, 0.5, 0.81, 1.0].map(|part| length * part);
        all.extend(times.map(|t| Stack::shown(document, Some(id), t)));
    }
    all
}

fn poses(document: &Document) -> Vec<Pose> {
    stacks(document).iter().map(|stack| Pose::evaluate(document, stack)).collect()
}

/// Returns the largest difference of world matrices between nodes with the same name. The nodes in
/// `but` are left out.
fn apart(before: &Document, after: &Document, but: &[&str]) -> f32 {
    let mut worst = 0.0f32;
    for (a, b) in poses(before).iter().zip(poses(after)) {
        for id in before.node_ids() {
            let name = before.node(id).name.clone().unwrap();
            let here = |n: &NodeId| after.node(*n).name.as_ref() == Some(&name);
            let Some(other) = after.node_ids().find(here) else { continue };
            if but.contains(&&*name) {
                continue;
            }
            let (a, b) = (a.world[id.index()].to_cols_array(), b.world[other.index()]);
            let off = a.iter().zip(b.to_cols_array()).map(|(a, b)| (a - b).abs());
            worst = worst.max(off.fold(0.0, f32::max));
        }
    }
    worst
}

/// Returns the largest distance between points of both skins, in meters.
fn skin_apart(before: &Document, after: &Document) -> f32 {
    let points = |d: &Document| -> Vec<Vec<Vec3>> {
        let seen = SeenPoints::of(d, usize::MAX);
        poses(d).iter().map(|pose| seen.at(pose)).collect()
    };
    let (a, b) = (points(before), points(after));
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

/// Returns the number of keys by clip, node and property.
fn keys(document: &Document) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    for (id, clip) in document.clips.iter() {
        for track in clip.tracks.values() {
            let node = document.node(track.target).label(track.target);
            let name = format!("{} {node} {}", document.clip_label(id), track.property.path());
            all.insert(name, track.times.len());
        }
    }
    all
}

fn undone(session: &mut Session) {
    session.undo();
    assert!(session.pack("x").unwrap().bytes == session.source().bytes);
}

/// Returns the first elbow or knee of the sample, with its parent and its child.
fn elbow(document: &Document) -> (NodeId, NodeId, NodeId) {
    let joints: Vec<NodeId> = document.skins.values().flat_map(|s| s.joints.to_vec()).collect();
    let fits = |n: &NodeId| {
        let parent = document.node(*n).parent;
        let moves = document.clips.values().any(|c| c.tracks.values().any(|t| t.target == *n));
        parent.is_some_and(|p| joints.contains(&p) && document.node(p).parent.is_some())
            && document.children(*n).iter().any(|c| joints.contains(c))
            && moves
            && document.node(*n).name.as_deref().is_some_and(|n| {
                n.to_lowercase().contains("fore") || n.to_lowercase().contains("lower")
            })
    };
    let joint = joints.iter().copied().find(fits).expect("a limb");
    let parent = document.node(joint).parent.unwrap();
    (parent, joint, document.children(joint)[0])
}

fn label(document: &Document, node: NodeId) -> String {
    document.node(node).label(node)
}

#[test]
fn orienting_a_joint_changes_only_its_axes() {
    let mut session = sample();
    let before = session.document().clone();
    let (_, joint, _) = elbow(&before);
    let name = label(&before, joint);
    let report = act(
        &mut session,
        line("joint.orient").with("node", &*name).with("degrees", json!([20, -35, 50])),
    );
    let after = session.document().clone();
    assert_eq!((report.deviation.worst_mm, report.tracks.baked), (0.0, 0));
    assert!(report.tracks.exact > 0 && report.clips > 0);
    assert_eq!(keys(&after), keys(&before));
    assert!(apart(&before, &after, &[&name]) < 1e-5);
    assert!(skin_apart(&before, &after) < 1e-5);
    let q = DQuat::from_euler(
        EulerRot::XYZ,
        20f64.to_radians(),
        -35f64.to_radians(),
        50f64.to_radians(),
    );
    for (a, b) in poses(&before).iter().zip(poses(&after)) {
        let wanted = a.world[joint.index()].as_dmat4() * DMat4::from_quat(q);
        assert!(b.world[joint.index()].as_dmat4().abs_diff_eq(wanted, 1e-5));
    }
    let saved = again(&session);
    assert!(skin_apart(&before, saved.document()) < 1e-5);
    assert!(apart(&after, saved.document(), &[]) < 1e-6);
    undone(&mut session);
}

#[test]
fn joints_can_copy_the_axes_of_another_joint_or_the_scene() {
    let mut session = sample();
    let (parent, joint, _) = elbow(session.document());
    let names = [parent, joint].map(|n| label(session.document(), n));
    let turn = |document: &Document, node: NodeId| {
        let at = document.clone();
        let pose = Pose::evaluate(&at, &Stack::default());
        Quat::from_mat4(&pose.world[node.index()]).normalize()
    };
    act(&mut session, line("joint.orient").with("node", &*names[1]).with("like", &*names[0]));
    // The sample is in its rest pose.
    let [a, b] = [parent, joint].map(|n| turn(session.document(), n));
    assert!(a.angle_between(b) < 1e-3, "{}", a.angle_between(b));
    act(&mut session, line("joint.orient").with("node", &*names[1]).with("world", true));
    assert!(turn(session.document(), joint).angle_between(Quat::IDENTITY) < 1e-3);
}

#[test]
fn a_moved_pivot_keeps_the_skin_within_the_stated_deviation() {
    let mut session = sample();
    let before = session.document().clone();
    let (_, joint, _) = elbow(&before);
    let name = label(&before, joint);
    let by = Vec3::new(0.03, -0.02, 0.04);
    let report = act(
        &mut session,
        line("joint.move").with("node", &*name).with("by", json!([0.03, -0.02, 0.04])),
    );
    let after = session.document().clone();
    let rest = |d: &Document| Pose::evaluate(d, &Stack::default()).world[joint.index()].w_axis;
    let moved = (rest(&after) - rest(&before)).truncate();
    assert!(moved.distance(by) < 1e-5, "{moved}");
    let stated = report.deviation.worst_mm as f32 / 1000.0;
    assert!(stated < 5e-4, "{stated}");
    assert!(skin_apart(&before, &after) <= 1.2 * stated + 1e-5);
    assert!(apart(&before, &after, &[&name]) < 2e-3);
    undone(&mut session);
}

#[test]
fn inserted_joints_move_with_the_parent_and_get_weights_without_a_visible_change() {
    let mut session = sample();
    let before = session.document().clone();
    let (parent, joint, _) = elbow(&before);
    let names = [parent, joint].map(|n| label(&before, n));
    let report = act(
        &mut session,
        line("joint.insert").with("node", &*names[1]).with("count", 2).with("name", "twist"),
    );
    let after = session.document().clone();
    assert_eq!((report.deviation.worst_mm, report.tracks.baked), (0.0, 0));
    assert_eq!(after.nodes.ids().count(), before.nodes.ids().count() + 2);
    assert!(apart(&before, &after, &[]) < 1e-5);
    let [low, high] = ["twist", "twist2"].map(|n| named(&after, n));
    assert_eq!(after.node(joint).parent, Some(low));
    assert_eq!((after.node(low).parent, after.node(high).parent), (Some(high), Some(parent)));
    let (id, skin) = after.skins.iter().next().unwrap();
    let palettes = poses(&after).into_iter().map(|pose| pose.palette(&after, id));
    let slot = |n: NodeId| skin.joints.iter().position(|j| *j == n).unwrap();
    for palette in palettes {
        let [a, b, c]: [Mat4; 3] = [low, high, parent].map(|n| palette[slot(n)]);
        assert!(a.abs_diff_eq(c, 1e-5) && b.abs_diff_eq(c, 1e-5));
    }
    again(&session);
    undone(&mut session);
}

#[test]
fn dissolving_a_joint_keeps_the_motion_below_it() {
    for weights in ["parent", "fit"] {
        let mut session = sample();
        let before = session.document().clone();
        let (parent, joint, child) = elbow(&before);
        let name = label(&before, joint);
        let child_name = label(&before, child);
        let report =
            act(&mut session, line("joint.dissolve").with("node", &*name).with("weights", weights));
        let after = session.document().clone();
        let child = named(&after, &child_name);
        assert_eq!(after.node(child).parent, Some(parent));
        assert!(!after.skins.values().any(|s| s.joints.contains(&joint)));
        assert!(apart(&before, &after, &[]) < 2e-3);
        let stated = report.deviation.worst_mm as f32 / 1000.0;
        assert!(stated > 0.0 && skin_apart(&before, &after) <= 1.2 * stated + 1e-5);
        assert_eq!(report.fitted.changed > 0, weights == "fit");
        let saved = again(&session);
        assert!(skin_apart(&after, saved.document()) < 1e-4);
        undone(&mut session);
    }
}

#[test]
fn a_joint_reparented_to_its_grandparent_and_back_moves_as_before() {
    let mut session = sample();
    let before = session.document().clone();
    let (parent, joint, _) = elbow(&before);
    let above = before.node(parent).parent.unwrap();
    let names = [above, parent, joint].map(|n| label(&before, n));
    for to in [&names[0], &names[1]] {
        let report =
            act(&mut session, line("joint.reparent").with("node", &*names[2]).with("to", &**to));
        assert!(report.deviation.worst_mm < 0.5);
        assert!(apart(&before, session.document(), &[]) < 2e-3);
        again(&session);
    }
    assert_eq!(session.document().node(joint).parent, Some(parent));
}

/// Builds bones below an armature as in FBX files: scale 0.01 and −90°, with a clip, and a box
/// attached to a hand.
fn armature() -> Value {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    json!({
        "asset": {"version": "2.0"},
        "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [
            {"name": "Armature", "children": [1], "translation": [0.0, 0.1, 0.0],
             "rotation": [-half, 0.0, 0.0, half], "scale": [0.01, 0.01, 0.01]},
            {"name": "Hips", "children": [2], "translation": [0.0, 0.0, 100.0]},
            {"name": "Arm", "children": [3, 4], "translation": [10.0, 20.0, 30.0]},
            {"name": "Hand", "translation": [0.0, 25.0, 0.0], "rotation": [0.0, 0.6, 0.0, 0.8]},
            {"name": "Socket", "translation": [5.0, 0.0, 0.0], "children": [5]},
            {"name": "Box", "mesh": 0, "translation": [1.0, 2.0, 3.0]}
        ],
        "skins": [{"joints": [1, 2, 3]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
             "min": [0, 0, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR",
             "min": [0], "max": [1]},
            {"bufferView": 2, "componentType": 5126, "count": 2, "type": "VEC3"},
            {"bufferView": 3, "componentType": 5126, "count": 2, "type": "VEC4"}
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 36},
            {"buffer": 0, "byteOffset": 36, "byteLength": 8},
            {"buffer": 0, "byteOffset": 44, "byteLength": 24},
            {"buffer": 0, "byteOffset": 68, "byteLength": 32}
        ],
        "animations": [{
            "name": "Wave",
            "channels": [
                {"sampler": 0, "target": {"node": 1, "path": "translation"}},
                {"sampler": 1, "target": {"node": 2, "path": "rotation"}}
            ],
            "samplers": [{"input": 1, "output": 2}, {"input": 1, "output": 3}]
        }],
        "buffers": [{"byteLength": 100}]
    })
}

fn armature_bytes() -> Vec<u8> {
    let numbers: [f32; 25] = [
        0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, // a triangle
        0.0, 1.0, // times
        0.0, 0.0, 100.0, 0.0, 10.0, 90.0, // translations
        0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.6, 0.8, // rotations
    ];
    numbers.iter().flat_map(|v| v.to_le_bytes()).collect()
}

#[test]
fn applying_the_transform_of_an_armature_keeps_all_motion() {
    let mut session =
        Session::open_bytes(&crate::common::glb(armature(), &armature_bytes())).unwrap();
    let before = session.document().clone();
    let report = act(&mut session, line("rig.mend_armature"));
    let after = session.document().clone();
    assert_eq!(report.deviation.worst_mm, 0.0);
    assert_eq!(keys(&after), keys(&before));
    for name in ["Armature", "Hips", "Arm", "Hand"] {
        let scale = after.node(named(&after, name)).local().transform().scale;
        assert!(scale.abs_diff_eq(Vec3::ONE, 1e-6), "{name}: {scale}");
    }
    let armature = after.node(named(&after, "Armature")).local().transform();
    assert!(armature.translation.length() < 1e-6 && armature.rotation.w > 1.0 - 1e-6);
    // The scale moves down to the nodes that are attached to joints.
    assert!(apart(&before, &after, &["Armature", "Hips", "Arm", "Hand"]) < 1e-5);
    let at = |d: &Document, n: &str| {
        let id = named(d, n);
        poses(d).into_iter().map(|p| p.world[id.index()].w_axis.truncate()).collect::<Vec<_>>()
    };
    for name in ["Hips", "Arm", "Hand"] {
        let pairs = at(&before, name).into_iter().zip(at(&after, name));
        assert!(pairs.into_iter().all(|(a, b)| a.distance(b) < 1e-5), "{name}");
    }
    let saved = again(&session);
    assert!(apart(&after, saved.document(), &[]) < 1e-6);
    undone(&mut session);
    // Running the command a second time changes nothing.
    run(&mut session, line("rig.mend_armature"));
    session.take_rig_report();
    let said = run(&mut session, line("rig.mend_armature"));
    assert!(said.iter().any(|s| s.contains("no scale and no rotation")), "{said:?}");
}

#[test]
fn nodes_attached_to_a_joint_keep_their_position() {
    let mut text = armature();
    text["nodes"][3]["mesh"] = json!(0);
    let mut session = Session::open_bytes(&crate::common::glb(text, &armature_bytes())).unwrap();
    let before = session.document().clone();
    let seen = |d: &Document| -> Vec<Vec<Vec3>> {
        let seen = SeenPoints::of(d, usize::MAX);
        poses(d).iter().map(|pose| seen.at(pose)).collect()
    };
    act(
        &mut session,
        line("joint.orient").with("node", "Hand").with("degrees", json!([0, 90, 10])),
    );
    let after = session.document();
    assert!(after.node(named(after, "Hand")).mesh.is_none());
    // The order of the two boxes may differ.
    for (a, b) in seen(&before).into_iter().zip(seen(after)) {
        assert_eq!(a.len(), b.len());
        let is_there = |p: &Vec3| b.iter().any(|q| p.distance(*q) < 1e-5);
        assert!(a.iter().all(is_there));
    }
    again(&session);
}

#[test]
fn layers_of_a_joint_follow_its_new_axes() {
    let mut session = sample();
    let (_, joint, _) = elbow(session.document());
    let name = label(session.document(), joint);
    let clip = session.document().clips.ids().next().unwrap();
    let clip_name = session.document().clip_label(clip);
    run(&mut session, line("layer.new").with("clip", &*clip_name).with("name", "Bend"));
    run(
        &mut session,
        line("layer.set")
            .with("clip", &*clip_name)
            .with("layer", "Bend")
            .with("node", &*name)
            .with("degrees", json!([10, 20, -15])),
    );
    let before = session.document().clone();
    assert!(!before.aids.layers(LayerHome::Clip(clip)).is_empty());
    act(
        &mut session,
        line("joint.orient").with("node", &*name).with("degrees", json!([70, 5, -40])),
    );
    let after = session.document();
    assert!(apart(&before, after, &[&name]) < 1e-5);
    assert!(skin_apart(&before, after) < 1e-5);
    // Dissolving the joint bakes the layer into the keys.
    act(&mut session, line("joint.dissolve").with("node", &*name));
    assert!(apart(&before, session.document(), &[]) < 2e-3);
}

#[test]
fn skeleton_changes_that_lose_data_are_refused_with_the_reason() {
    let mut text = armature();
    text["nodes"][1]["scale"] = json!([1.0, 2.0, 1.0]);
    let mut session = Session::open_bytes(&crate::common::glb(text, &armature_bytes())).unwrap();
    let mut refused = |line: CommandLine| {
        let before = session.document().clone();
        let error = session.run_line(&line).expect_err(&line.to_string());
        assert!(*session.document() == before);
        error.code().to_owned()
    };
    let orient = |node: &str, degrees: Value| {
        line("joint.orient").with("node", node).with("degrees", degrees)
    };
    assert_eq!(refused(orient("Hips", json!([30, 0, 0]))), "would_shear");
    assert_eq!(refused(line("joint.orient").with("node", "Hips")), "argument_missing");
    assert_eq!(refused(line("joint.insert").with("node", "Armature")), "no_parent");
    assert_eq!(
        refused(line("joint.insert").with("node", "Arm").with("at", 1.5)),
        "argument_out_of_range"
    );
    assert_eq!(
        refused(line("joint.reparent").with("node", "Hips").with("to", "Hand")),
        "node_cycle"
    );
    // A rotation by 90° swaps axes, so a node can still store the scale.
    run(&mut session, orient("Hips", json!([90, 0, 0])));
    let scale = session.document().node(named(session.document(), "Hips")).rest.transform().scale;
    assert!(scale.abs_diff_eq(Vec3::new(1.0, 1.0, 2.0), 1e-5), "{scale}");
}
