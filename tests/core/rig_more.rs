//! Skeletons that are cleaned up, or that get leaf joints, other names or other bind matrices.
//! Every clip must move as before.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::collections::BTreeSet;

use glam::{Mat4, Vec3};
use serde_json::{Value, json};
use ulna_edit::{CommandLine, command::RigReport};
use ulna_formats::gltf::Progress;
use ulna_model::{Document, NodeId};
use ulna_motion::{Pose, SeenPoints, Stack};
use ulna_session::Session;

use crate::common::{glb, named, run, sample, shared};

fn line(name: &str) -> CommandLine {
    CommandLine::new(name)
}

/// Runs a command on the skeleton. Returns its report and notes.
fn act(session: &mut Session, line: CommandLine) -> (RigReport, Vec<String>) {
    let said = run(session, line.clone());
    session.document().check().unwrap_or_else(|e| panic!("{line}: {e}"));
    let report = *session.take_rig_report().unwrap_or_else(|| panic!("{line}: {said:?}"));
    (report, said)
}

fn again(session: &Session) -> Session {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.glb");
    session.write_to(&path).unwrap_or_else(|e| panic!("{e}"));
    Session::open(&path, &Progress::default()).unwrap()
}

fn situation(name: &str) -> Option<Session> {
    let path = shared()?.join("situations").join(name).join("in.glb");
    Some(Session::open(&path, &Progress::default()).unwrap())
}

/// Returns the pose of the file, and the poses at five times of each clip.
fn poses(document: &Document) -> Vec<Pose> {
    let mut all = vec![Stack::shown(document, None, 0.0)];
    for (id, clip) in document.clips.iter() {
        let times = [0.0, 0.23, 0.5, 0.81, 1.0].map(|part| f64::from(clip.length()) * part);
        all.extend(times.map(|t| Stack::shown(document, Some(id), t)));
    }
    all.iter().map(|stack| Pose::evaluate(document, stack)).collect()
}

/// Returns the largest difference of world matrices between nodes with the same name in both
/// documents.
fn apart(before: &Document, after: &Document) -> f32 {
    let mut worst = 0.0f32;
    for (a, b) in poses(before).iter().zip(poses(after)) {
        for id in after.node_ids() {
            let name = after.node(id).name.clone();
            let Some(other) = before.node_ids().find(|n| before.node(*n).name == name) else {
                continue;
            };
            let (a, b) = (a.world[other.index()].to_cols_array(), b.world[id.index()]);
            let off = a.iter().zip(b.to_cols_array()).map(|(a, b)| (a - b).abs());
            worst = worst.max(off.fold(0.0, f32::max));
        }
    }
    worst
}

fn skin_apart(before: &Document, after: &Document) -> f32 {
    let points = |d: &Document| -> Vec<Vec<Vec3>> {
        let seen = SeenPoints::of(d, usize::MAX);
        poses(d).iter().map(|pose| seen.at(pose)).collect()
    };
    let (a, b) = (points(before), points(after));
    assert_eq!(a.iter().flatten().count(), b.iter().flatten().count());
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

fn keys(document: &Document) -> usize {
    document.clips.values().map(|c| c.key_count()).sum()
}

fn joints(document: &Document) -> BTreeSet<NodeId> {
    document.skins.values().flat_map(|s| s.joints.to_vec()).collect()
}

fn names(document: &Document) -> BTreeSet<String> {
    document.node_ids().map(|n| document.node(n).label(n)).collect()
}

fn undone(session: &mut Session) {
    session.undo();
    assert!(session.pack("x").unwrap().bytes == session.source().bytes);
}

#[test]
fn assimp_helper_nodes_are_removed_and_their_keys_move_to_joints() {
    let Some(mut session) = situation("fbx-helper-nodes") else { return };
    let before = session.document().clone();
    let (report, said) = act(&mut session, line("rig.clean").with("what", "helpers"));
    let after = session.document().clone();
    assert_eq!((report.deviation.worst_mm, report.tracks.baked), (0.0, 0));
    assert!(names(&after).iter().all(|n| !n.contains("$AssimpFbx$")), "{:?}", names(&after));
    assert_eq!((before.nodes.ids().count(), after.nodes.ids().count()), (66, 18));
    assert_eq!(keys(&after), keys(&before));
    assert!(apart(&before, &after) < 1e-5 && skin_apart(&before, &after) < 1e-5);
    assert!(said[0].contains("48 helper nodes"), "{said:?}");
    let saved = again(&session);
    assert!(skin_apart(&before, saved.document()) < 1e-5);
    undone(&mut session);
}

#[test]
fn nulls_between_joints_are_removed_if_the_motion_is_unchanged() {
    let Some(mut session) = situation("nulls-between-joints") else { return };
    let before = session.document().clone();
    let (report, said) = act(&mut session, line("rig.clean").with("what", "helpers"));
    let after = session.document().clone();
    assert_eq!(report.deviation.worst_mm, 0.0);
    let left = names(&after);
    assert!(!left.contains("Left_clav_null"), "{left:?}");
    // The first one moves, so it is kept. The other one has a non-uniform scale above a joint that
    // rotates.
    assert!(left.contains("Hips_null") && left.contains("Right_clav_null"), "{left:?}");
    assert!(
        said.iter().any(|s| s.contains("Right_clav_null") && s.contains("sheared")),
        "{said:?}"
    );
    assert!(apart(&before, &after) < 1e-5 && skin_apart(&before, &after) < 1e-5);
    undone(&mut session);
}

/// Builds a chain of joints with four static helper nodes between each two joints, an unused branch
/// and two leaves.
fn helped() -> Session {
    let mut nodes = vec![json!({"name": "Root"})];
    let mut joints = vec![0];
    let mut above = 0;
    for limb in 1..=3 {
        for k in 0..4 {
            let mut node = json!({
                "name": format!("Null {limb}.{k}"),
                "translation": [0.1 * f64::from(k), 0.3, 0.0],
                "rotation": [0.0, 0.6, 0.0, 0.8]
            });
            if k == 2 {
                node["scale"] = json!([2.0, 2.0, 2.0]);
            }
            attach(&mut nodes, above, node);
            above = nodes.len() - 1;
        }
        let joint = json!({"name": format!("Limb {limb}"), "translation": [0.0, 0.25, 0.1]});
        attach(&mut nodes, above, joint);
        above = nodes.len() - 1;
        joints.push(above);
    }
    let tip = above;
    for (parent, name) in [(tip, "Limb 3_end"), (joints[1], "Twig"), (joints[2], "Toe0Nub")] {
        attach(&mut nodes, parent, json!({"name": name, "translation": [0.0, 0.2, 0.0]}));
        joints.push(nodes.len() - 1);
    }
    // A socket is not a joint, and is kept.
    attach(&mut nodes, tip, json!({"name": "Socket", "translation": [0.1, 0.0, 0.0]}));
    nodes.push(json!({"name": "Body", "mesh": 0, "skin": 0}));
    let body = nodes.len() - 1;
    let text = json!({
        "scene": 0, "scenes": [{"nodes": [0, body]}],
        "nodes": nodes,
        "skins": [{"joints": joints}],
        "meshes": [{"primitives": [
            {"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}}
        ]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
             "min": [0, 0, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5121, "count": 4, "type": "VEC4"},
            {"bufferView": 2, "componentType": 5126, "count": 4, "type": "VEC4"},
            {"bufferView": 3, "componentType": 5126, "count": 3, "type": "SCALAR",
             "min": [0], "max": [1]},
            {"bufferView": 4, "componentType": 5126, "count": 3, "type": "VEC4"}
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 16},
            {"buffer": 0, "byteOffset": 64, "byteLength": 64},
            {"buffer": 0, "byteOffset": 128, "byteLength": 12},
            {"buffer": 0, "byteOffset": 140, "byteLength": 48}
        ],
        "animations": [{
            "name": "Wave",
            "channels": [
                {"sampler": 0, "target": {"node": joints[1], "path": "rotation"}},
                {"sampler": 0, "target": {"node": joints[3], "path": "rotation"}}
            ],
            "samplers": [{"input": 3, "output": 4}]
        }]
    });
    let mut bytes: Vec<u8> = Vec::new();
    let mut numbers = |values: &[f32]| bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
    numbers(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0]);
    bytes.extend([0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
    let mut numbers = |values: &[f32]| bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
    (0..4).for_each(|_| numbers(&[1.0, 0.0, 0.0, 0.0]));
    numbers(&[0.0, 0.5, 1.0]);
    numbers(&[0.0, 0.0, 0.0, 1.0, 0.6, 0.0, 0.0, 0.8, 0.0, 0.0, 0.28, 0.96]);
    Session::open_bytes(&glb(text, &bytes)).unwrap()
}

fn attach(nodes: &mut Vec<Value>, parent: usize, node: Value) {
    nodes.push(node);
    let child = nodes.len() - 1;
    let list = &mut nodes[parent]["children"];
    if !list.is_array() {
        *list = json!([]);
    }
    list.as_array_mut().unwrap().push(json!(child));
}

#[test]
fn helper_nodes_unused_joints_and_leaf_joints_are_removed_by_kind() {
    let mut session = helped();
    let before = session.document().clone();
    let count = |d: &Document| d.nodes.ids().count();
    for (what, removed, said_of) in [
        ("helpers", 12, "12 helper nodes"),
        ("unused", 1, "1 unused joint (“Twig”)"),
        ("leaves", 2, "2 leaf joints"),
    ] {
        let (report, said) = act(&mut session, line("rig.clean").with("what", what));
        assert_eq!(report.deviation.worst_mm, 0.0, "{what}");
        assert_eq!(count(session.document()), count(&before) - removed, "{what}");
        assert!(said[0].contains(said_of), "{said:?}");
        undone(&mut session);
    }
    // A single unused joint at the end of a chain may be a socket.
    let (report, said) = act(&mut session, line("rig.clean"));
    let after = session.document().clone();
    assert_eq!((report.deviation.worst_mm, report.tracks.baked), (0.0, 0));
    let wanted = ["Body", "Limb 1", "Limb 2", "Limb 3", "Root", "Socket", "Twig"];
    assert_eq!(names(&after), BTreeSet::from(wanted.map(ToOwned::to_owned)));
    assert!(said.iter().any(|s| s.contains("“Twig”") && s.contains("games attach")), "{said:?}");
    assert_eq!((joints(&before).len(), joints(&after).len()), (7, 5));
    assert_eq!(keys(&after), keys(&before));
    assert!(apart(&before, &after) < 1e-5 && skin_apart(&before, &after) < 1e-5);
    let saved = again(&session);
    assert!(apart(&after, saved.document()) < 1e-6);
    // A second run finds nothing to clean.
    let said = run(&mut session, line("rig.clean"));
    assert!(said[0].contains("no helper nodes"), "{said:?}");
    assert!(*session.document() == after);
}

#[test]
fn leaf_joints_can_be_added_and_removed() {
    let mut session = sample();
    let before = session.document().clone();
    let (report, _) = act(&mut session, line("joint.leaf"));
    let after = session.document().clone();
    assert_eq!(report.deviation.worst_mm, 0.0);
    let new: BTreeSet<NodeId> = joints(&after).difference(&joints(&before)).copied().collect();
    assert!(new.len() >= 4, "{}", new.len());
    let rest = Pose::evaluate(&after, &Stack::default());
    let at = |n: NodeId| rest.world[n.index()].w_axis.truncate();
    for leaf in &new {
        let end = after.node(*leaf).parent.unwrap();
        assert_eq!(after.node(*leaf).label(*leaf), format!("{}_end", after.node(end).label(end)));
        // The new joint is half as long as the last bone, in the same direction.
        let above = after.node(end).parent.unwrap();
        let bone = at(end) - at(above);
        assert!((at(*leaf) - at(end)).distance(bone * 0.5) < 1e-4);
    }
    assert!(apart(&before, &after) < 1e-6 && skin_apart(&before, &after) < 1e-6);
    again(&session);
    let said = run(&mut session, line("joint.leaf"));
    assert!(said[0].contains("no joint at the end"), "{said:?}");
    let (report, said) = act(&mut session, line("joint.leaf").with("remove", true));
    assert_eq!(report.deviation.worst_mm, 0.0);
    assert!(said[0].contains(&format!("removed {} leaf joints", new.len())), "{said:?}");
    assert_eq!(names(session.document()), names(&before));
    let said = run(&mut session, line("joint.leaf").with("remove", true));
    assert!(said[0].contains("no leaf joint"), "{said:?}");
    // Adds a leaf joint at a given distance, only below a named joint.
    session.undo();
    undone(&mut session);
    let end = new.iter().next().and_then(|leaf| after.node(*leaf).parent).unwrap();
    let name = before.node(end).label(end);
    act(&mut session, line("joint.leaf").with("node", &*name).with("length", 0.25));
    let document = session.document();
    let leaf = named(document, &format!("{name}_end"));
    let rest = Pose::evaluate(document, &Stack::default());
    let [a, b] = [leaf, end].map(|n| rest.world[n.index()].w_axis.truncate());
    assert!((a.distance(b) - 0.25).abs() < 1e-5);
    assert_eq!(joints(document).len(), joints(&before).len() + 1);
    undone(&mut session);
    let error = session.run_line(&line("joint.leaf").with("length", 0.0)).expect_err("no length");
    assert_eq!(error.code(), "argument_out_of_range");
}

#[test]
fn joints_are_renamed_in_bulk() {
    let mut session = sample();
    let before = session.document().clone();
    let own: Vec<NodeId> = joints(&before).into_iter().collect();
    let all = |d: &Document| own.iter().map(|n| d.node(*n).label(*n)).collect::<Vec<_>>();
    let is_sided = |n: &&String| n.starts_with("Left") || n.starts_with("Right");
    let sided = all(&before).iter().filter(is_sided).count();
    assert!(sided > 10);
    let said = run(&mut session, line("joint.rename").with("side", ".L").with("from_side", "Left"));
    assert!(said[0].contains(&format!("{sided} nodes renamed")), "{said:?}");
    assert!(said[0].contains(&format!("{} names have no side", own.len() - sided)), "{said:?}");
    let made = all(session.document());
    let ends = made.iter().filter(|n| n.ends_with(".L") || n.ends_with(".R"));
    assert_eq!(ends.count(), sided);
    run(&mut session, line("joint.rename").with("side", "Left"));
    assert_eq!(all(session.document()), all(&before));
    run(&mut session, line("joint.rename").with("prefix", "rig:").with("suffix", "_j"));
    assert!(all(session.document()).iter().all(|n| n.starts_with("rig:") && n.ends_with("_j")));
    run(&mut session, line("joint.rename").with("find", "rig:*_j").with("replace", "*"));
    assert_eq!(all(session.document()), all(&before));
    // Other nodes keep their names.
    let others = |d: &Document| {
        d.node_ids().filter(|n| !own.contains(n)).map(|n| d.node(n).label(n)).collect::<Vec<_>>()
    };
    assert_eq!(others(session.document()), others(&before));
    let [a, b] = [&all(&before)[0], &all(&before)[1]].map(Clone::clone);
    let said = run(
        &mut session,
        line("joint.rename").with("table", format!("old,new\n{a},{b}\nTail,x\n")),
    );
    assert!(said.iter().any(|s| s.contains("several nodes are now named")), "{said:?}");
    assert!(said.iter().any(|s| s.contains("“Tail”")), "{said:?}");
    session.undo();
    run(
        &mut session,
        line("joint.rename")
            .with("node", &*a)
            .with("find", "*")
            .with("replace", "b##")
            .with("number", 7),
    );
    assert_eq!(session.document().node(own[0]).label(own[0]), "b07");
    let code = |line: CommandLine| sample().run_line(&line).map(|_| ()).map_err(|e| e.code());
    assert_eq!(code(line("joint.rename")), Err("argument_missing"));
    assert_eq!(code(line("joint.rename").with("replace", "x")), Err("argument_missing"));
    let prefixed = line("joint.rename").with("prefix", "x");
    assert_eq!(code(prefixed.clone().with("replace", "x")), Err("arguments_together"));
    assert_eq!(code(prefixed.with("from_side", "L_")), Err("arguments_together"));
    assert_eq!(code(line("joint.rename").with("find", "no such")), Err("no_such_name"));
    assert_eq!(code(line("joint.rename").with("table", "a")), Err("table_line_unclear"));
    let more = line("joint.rename").with("find", "a*").with("replace", "**");
    assert_eq!(code(more), Err("pattern_unclear"));
}

#[test]
fn bind_matrices_can_be_set_from_the_rest_pose_and_applied_to_nodes() {
    let mut session = sample();
    let said = run(&mut session, line("skin.inverse_binds").with("how", "from_nodes"));
    assert!(said[0].contains("already fit"), "{said:?}");
    // A joint that is posed in the file returns to its rest pose, and clips keep their poses.
    let before = session.document().clone();
    let joint = joints(&before)
        .into_iter()
        .find(|n| before.clips.values().all(|c| c.tracks.values().all(|t| t.target != *n)))
        .expect("a joint without keys");
    let name = before.node(joint).label(joint);
    run(
        &mut session,
        line("pose.rotate").with("node", &*name).with("axis", "x").with("degrees", 30),
    );
    let posed = again(&session);
    let mut session = Session::open_bytes(&posed.pack("x").unwrap().bytes).unwrap();
    let opened = session.document().clone();
    assert!(opened.node(named(&opened, &name)).pose.is_some());
    let (report, _) = act(&mut session, line("skin.inverse_binds").with("how", "to_nodes"));
    let after = session.document();
    assert!(after.node_ids().all(|n| after.node(n).pose.is_none()));
    assert!(report.deviation.worst_mm > 0.0);
    // Each clip has one additional key.
    assert_eq!(keys(after), keys(&opened) + opened.clips.ids().count());
    for (a, b) in poses(&opened).iter().zip(poses(after)).skip(1) {
        let off = a.world.iter().zip(&b.world).all(|(a, b)| a.abs_diff_eq(*b, 1e-4));
        assert!(off);
    }
    undone(&mut session);
}

#[test]
fn bind_matrices_are_omitted_if_all_are_identity() {
    let mut session = sample();
    let error = session.run_line(&line("skin.inverse_binds").with("how", "drop"));
    assert_eq!(error.map(|_| ()).map_err(|e| e.code()), Err("binds_not_identity"));
    // A skin without bind matrices gets them from its nodes.
    let mut session = helped();
    let said = run(&mut session, line("skin.inverse_binds").with("how", "drop"));
    assert!(said[0].contains("already fit"), "{said:?}");
    let (report, _) = act(&mut session, line("skin.inverse_binds").with("how", "from_nodes"));
    assert!(report.deviation.worst_mm > 0.0);
    let document = session.document();
    let (_, skin) = document.skins.iter().next().unwrap();
    assert!(skin.has_inverse_bind);
    let rest = Pose::evaluate(document, &Stack::default());
    for (joint, bind) in skin.joints.iter().zip(skin.inverse_bind.iter()) {
        assert!((rest.world[joint.index()] * *bind).abs_diff_eq(Mat4::IDENTITY, 1e-4));
    }
    again(&session);
    undone(&mut session);
}

#[test]
fn humanoid_joints_are_renamed_to_a_programs_convention_and_back() {
    let mut session = sample();
    let act = |session: &mut Session, names: &str| {
        run(session, line("joint.rename").with("humanoid", names));
        session.document().check().unwrap();
        self::names(session.document())
    };
    let vrm = act(&mut session, "VRM");
    for name in ["hips", "spine", "leftUpperArm", "rightLowerLeg", "leftIndexProximal"] {
        assert!(vrm.contains(name), "{name}: {vrm:?}");
    }
    let mixamo = act(&mut session, "Mixamo");
    for name in ["Hips", "Spine", "LeftArm", "RightLeg", "LeftHandIndex1", "LeftToeBase"] {
        assert!(mixamo.contains(&format!("mixamorig:{name}")), "{name}: {mixamo:?}");
    }
    let unreal = act(&mut session, "Unreal");
    for name in ["pelvis", "spine_01", "upperarm_l", "calf_r", "index_01_l", "ball_l"] {
        assert!(unreal.contains(name), "{name}: {unreal:?}");
    }
    // Every name of one scheme identifies the joint for another scheme.
    assert_eq!(act(&mut session, "VRM"), vrm);
    assert_eq!(act(&mut session, "Mixamo"), mixamo);
    let plain = glb(
        json!({"asset": {"version": "2.0"}, "nodes": [{"name": "box"}],
        "scenes": [{"nodes": [0]}]}),
        &[],
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("box.glb");
    std::fs::write(&path, plain).unwrap();
    let mut session = Session::open(&path, &Progress::default()).unwrap();
    let refused = session.run_line(&line("joint.rename").with("humanoid", "VRM"));
    assert_eq!(refused.unwrap_err().code(), "not_a_humanoid");
}

#[test]
fn tangent_modes_stay_with_their_keys_after_an_earlier_joint_is_removed() {
    let mut session = sample();
    let hand = "LeftHand";
    for clip in ["Walk", "Run"] {
        let seam = line("key.match_seam").with("clip", clip).with("on", false);
        run(&mut session, seam.with("parts", "rotation"));
    }
    run(&mut session, line("joint.remove").with("node", hand));
    let kept = again(&session);
    let (before, after) = (session.document(), kept.document());
    let mut modes = 0;
    for (id, clip) in before.clips.iter() {
        for track in clip.tracks.values() {
            let name = before.node(track.target).name.clone();
            let node = after.node_ids().find(|n| after.node(*n).name == name).unwrap();
            let saved = after.clips[id].track(node, track.property).unwrap().1;
            assert_eq!(saved.modes, track.modes, "{name:?}");
            modes += usize::from(saved.modes != Default::default());
        }
    }
    assert!(modes > 50, "{modes}");
}
