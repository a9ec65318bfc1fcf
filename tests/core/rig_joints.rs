//! Joints oriented along their bones or like their mirror joints, mirrored, merged, and removed by
//! every rule for weights. Springs and constraints of avatars must follow.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::collections::BTreeMap;

use glam::{Mat3, Quat, Vec3};
use serde_json::{Value, json};
use ulna_edit::{CommandLine, command::RigReport};
use ulna_formats::gltf::Progress;
use ulna_model::{Document, NodeId, Property};
use ulna_motion::{Pose, SeenPoints, Stack};
use ulna_session::Session;

use super::avatars::avatars;
use crate::common::{glb, named, run, sample, split};

fn line(name: &str) -> CommandLine {
    CommandLine::new(name)
}

/// Runs a command on the skeleton. Returns its report.
fn act(session: &mut Session, line: CommandLine) -> RigReport {
    run(session, line.clone());
    session.document().check().unwrap_or_else(|e| panic!("{line}: {e}"));
    *session.take_rig_report().unwrap_or_else(|| panic!("{line}: no report"))
}

/// Returns the code of the refusal, and asserts that the document is unchanged.
fn refused(session: &mut Session, line: &CommandLine) -> String {
    let before = session.document().clone();
    let error = session.run_line(line).expect_err(&line.to_string());
    assert!(*session.document() == before, "{line}");
    error.code().to_owned()
}

fn again(session: &Session) -> Session {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.glb");
    session.write_to(&path).unwrap_or_else(|e| panic!("{e}"));
    Session::open(&path, &Progress::default()).unwrap()
}

/// Returns the pose of the file, and five times of each clip.
fn poses(document: &Document) -> Vec<Pose> {
    let mut all = vec![Stack::shown(document, None, 0.0)];
    for (id, clip) in document.clips.iter() {
        let times = [0.0, 0.23, 0.5, 0.81, 1.0].map(|part| f64::from(clip.length()) * part);
        all.extend(times.map(|t| Stack::shown(document, Some(id), t)));
    }
    all.iter().map(|stack| Pose::evaluate(document, stack)).collect()
}

/// Returns the largest difference of world matrices between nodes with the same name in both
/// documents. The nodes in `but` are left out.
fn apart(before: &Document, after: &Document, but: &[&str]) -> f32 {
    let mut worst = 0.0f32;
    for (a, b) in poses(before).iter().zip(poses(after)) {
        for id in after.node_ids() {
            let name = after.node(id).name.clone();
            let here = |n: &NodeId| before.node(*n).name == name;
            let is_meant = !but.contains(&name.as_deref().unwrap());
            let Some(other) = before.node_ids().find(here).filter(|_| is_meant) else { continue };
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

/// Returns the world axes of a node at rest. The sample is in its rest pose.
fn axes(document: &Document, name: &str) -> Mat3 {
    let rest = Pose::evaluate(document, &Stack::default());
    let m = Mat3::from_mat4(rest.world[named(document, name).index()]);
    Mat3::from_cols(
        m.x_axis.normalize_or_zero(),
        m.y_axis.normalize_or_zero(),
        m.z_axis.normalize_or_zero(),
    )
}

fn place(document: &Document, name: &str) -> Vec3 {
    let rest = Pose::evaluate(document, &Stack::default());
    rest.world[named(document, name).index()].w_axis.truncate()
}

/// Returns the total weight of each vertex on some joints.
fn weights(document: &Document, names: &[&str]) -> Vec<f32> {
    let (id, skin) = document.skins.iter().next().unwrap();
    let slots: Vec<usize> = names
        .iter()
        .filter_map(|name| document.node_ids().find(|n| document.node(*n).label(*n) == *name))
        .filter_map(|node| skin.joints.iter().position(|j| *j == node))
        .collect();
    let meshes = document.nodes.values().filter(|n| n.skin == Some(id)).filter_map(|n| n.mesh);
    let primitives = meshes.flat_map(|m| document.mesh(m).primitives.iter());
    let maps = primitives.filter_map(|p| p.weights.as_deref());
    maps.flat_map(|map| {
        let of = |v: usize| {
            map.vertex(v).filter(|(j, _)| slots.contains(&usize::from(*j))).map(|(_, w)| w).sum()
        };
        (0..map.vertex_count()).map(of).collect::<Vec<f32>>()
    })
    .collect()
}

#[test]
fn one_axis_points_along_the_bone_and_another_up() {
    let mut session = sample();
    let before = session.document().clone();
    let orient = |node: &str, aim: &str| line("joint.orient").with("node", node).with("aim", aim);
    let along = |d: &Document, a: &str, b: &str| (place(d, b) - place(d, a)).normalize_or_zero();
    let report = act(&mut session, orient("LeftLowerArm", "x").with("up", "-z"));
    let after = session.document().clone();
    assert_eq!((report.deviation.worst_mm, report.tracks.baked), (0.0, 0));
    assert_eq!(keys(&after), keys(&before));
    assert!(apart(&before, &after, &["LeftLowerArm"]) < 1e-5 && skin_apart(&before, &after) < 1e-5);
    let made = axes(&after, "LeftLowerArm");
    let bone = along(&before, "LeftLowerArm", "LeftHand");
    assert!(made.x_axis.distance(bone) < 1e-4, "{} {bone}", made.x_axis);
    // The second axis points up as far as possible.
    let up = (Vec3::Y - bone * bone.y).normalize_or_zero();
    assert!(made.z_axis.distance(-up) < 1e-4, "{} {up}", made.z_axis);
    undone(&mut session);
    // Aims a negative axis, and rolls the joint about its bone.
    act(&mut session, orient("LeftLowerArm", "-y").with("up", "z").with("roll", 90));
    let made = axes(session.document(), "LeftLowerArm");
    assert!(made.y_axis.distance(-bone) < 1e-4);
    assert!(made.z_axis.dot(up).abs() < 1e-4, "{}", made.z_axis);
    undone(&mut session);
    // The last joint of a chain continues the previous bone. For a steep bone, the up axis points
    // to the front.
    act(&mut session, orient("LeftToes", "z").with("up", "y"));
    let made = axes(session.document(), "LeftToes");
    assert!(made.z_axis.distance(along(&before, "LeftFoot", "LeftToes")) < 1e-4);
    undone(&mut session);
    act(&mut session, orient("LeftLowerLeg", "y").with("up", "z"));
    let made = axes(session.document(), "LeftLowerLeg");
    let shin = along(&before, "LeftLowerLeg", "LeftFoot");
    assert!(made.y_axis.distance(shin) < 1e-4 && shin.y < -0.9);
    assert!(made.z_axis.z > 0.9, "{}", made.z_axis);
    undone(&mut session);
    // With several children, the joint points to the middle one, not to a leg or shoulder.
    for (node, below) in [("Hips", "Spine"), ("UpperChest", "Neck")] {
        act(&mut session, orient(node, "y"));
        let made = axes(session.document(), node);
        assert!(made.y_axis.distance(along(&before, node, below)) < 1e-4, "{node}");
        undone(&mut session);
    }
    // The hand points to the finger that is farthest forward.
    act(&mut session, orient("LeftHand", "y"));
    let made = axes(session.document(), "LeftHand");
    assert!(made.y_axis.distance(along(&before, "LeftHand", "LeftMiddle1")) < 1e-4);
}

#[test]
fn an_up_axis_follows_the_parent_or_is_kept() {
    let mut session = sample();
    let joints = ["LeftUpperArm", "LeftLowerArm"];
    let orient =
        line("joint.orient").with("node", json!(joints)).with("aim", "y").with("up_to", "parent");
    act(&mut session, orient);
    // All joints of the chain have new axes. Each is relative to the new axes of its parent.
    let [upper, lower] = joints.map(|n| axes(session.document(), n));
    let flat = (upper.z_axis - lower.y_axis * upper.z_axis.dot(lower.y_axis)).normalize_or_zero();
    assert!(lower.z_axis.distance(flat) < 1e-4, "{} {flat}", lower.z_axis);
    undone(&mut session);
    let now = axes(session.document(), "LeftLowerArm").x_axis;
    let stays = line("joint.orient").with("node", "LeftLowerArm").with("aim", "z");
    act(&mut session, stays.with("up", "x").with("up_to", "now"));
    let made = axes(session.document(), "LeftLowerArm");
    let bone = made.z_axis;
    assert!(made.x_axis.distance((now - bone * now.dot(bone)).normalize_or_zero()) < 1e-4);
    undone(&mut session);
    let odd = line("joint.orient").with("node", "LeftLowerArm");
    for (line, code) in [
        (odd.clone().with("aim", "x").with("up", "-x"), "arguments_together"),
        (odd.clone().with("roll", 5), "arguments_together"),
        (odd.clone().with("aim", "x").with("world", true), "argument_missing"),
        (odd.with("mirrored", false), "argument_missing"),
    ] {
        assert_eq!(refused(&mut session, &line), code, "{line}");
    }
}

#[test]
fn a_joint_gets_the_mirrored_axes_of_its_mirror_joint() {
    let mut session = sample();
    let turn = line("joint.orient").with("node", "LeftLowerArm");
    act(&mut session, turn.with("degrees", json!([40, -25, 70])));
    let before = session.document().clone();
    let mirrored = line("joint.orient").with("node", "RightLowerArm").with("mirrored", true);
    let report = act(&mut session, mirrored);
    let after = session.document().clone();
    assert_eq!(report.deviation.worst_mm, 0.0);
    assert!(apart(&before, &after, &["RightLowerArm"]) < 1e-5);
    assert!(skin_apart(&before, &after) < 1e-5);
    let (left, right) = (axes(&after, "LeftLowerArm"), axes(&after, "RightLowerArm"));
    let mut flipped = 0;
    for k in 0..3 {
        let image = left.col(k) * Vec3::new(-1.0, 1.0, 1.0);
        let along = image.dot(right.col(k));
        assert!(along.abs() > 0.9999, "{k}: {along}");
        flipped += usize::from(along < 0.0);
    }
    assert_eq!(flipped % 2, 1, "axes stay right-handed");
    again(&session);
    for (nodes, code) in [
        (json!("Spine"), "no_mirror_partner"),
        (json!(["LeftHand", "RightHand"]), "both_sides_named"),
    ] {
        let line = line("joint.orient").with("node", nodes).with("mirrored", true);
        assert_eq!(refused(&mut session, &line), code);
    }
}

#[test]
fn a_new_pivot_or_new_axes_keep_the_motion_with_the_same_key_times() {
    let mut session = sample();
    let before = session.document().clone();
    let by = Vec3::new(0.02, -0.03, 0.04);
    let moved = line("joint.move").with("node", "LeftLowerArm").with("motion", "follow");
    let report = act(&mut session, moved.with("by", json!([0.02, -0.03, 0.04])));
    let after = session.document().clone();
    assert_eq!((report.tracks.baked, report.tracks.keys_added), (0, 0));
    assert_eq!(keys(&after), keys(&before));
    let off = place(&after, "LeftLowerArm") - place(&before, "LeftLowerArm");
    assert!(off.distance(by) < 1e-5, "{off}");
    // At rest, nothing moves. For the clips, the deviation is stated.
    assert!((place(&after, "LeftHand") - place(&before, "LeftHand")).length() < 1e-5);
    let stated = report.deviation.worst_mm as f32 / 1000.0;
    assert!(stated > 1e-3 && stated < 0.2, "{stated}");
    assert!(skin_apart(&before, &after) <= 1.2 * stated + 1e-5);
    again(&session);
    undone(&mut session);
    let turn = line("joint.orient").with("node", "LeftLowerArm").with("motion", "follow");
    let report = act(&mut session, turn.with("degrees", json!([0, 30, 20])));
    let after = session.document().clone();
    assert_eq!((report.tracks.baked, report.tracks.keys_added), (0, 0));
    assert_eq!(keys(&after), keys(&before));
    assert!((place(&after, "LeftHand") - place(&before, "LeftHand")).length() < 1e-5);
    assert!(report.deviation.worst_mm > 1.0);
    // The joint rotates about its new axes by the same angles as about the old ones.
    let joint = named(&before, "LeftLowerArm");
    let own = |d: &Document, q: &[f32]| {
        d.node(joint).rest.transform().rotation.inverse() * Quat::from_slice(q)
    };
    let mut compared = 0;
    for (id, clip) in before.clips.iter() {
        let Some((track, keys)) = clip.track(joint, Property::Rotation) else { continue };
        let other = &after.clips[id].tracks[&track];
        for k in 0..keys.times.len() {
            let [a, b] = [own(&before, keys.value(k)), own(&after, other.value(k))];
            assert!(a.dot(b).abs() > 1.0 - 1e-5);
            compared += 1;
        }
    }
    assert!(compared > 10);
    again(&session);
    undone(&mut session);
}

#[test]
fn joints_cannot_merge_into_a_node_outside_the_skeleton() {
    let Some(shared) = crate::common::shared() else { return };
    let path = shared.join("corpus/synthetic/no-ibm.glb");
    let mut session = Session::open(&path, &Default::default()).unwrap();
    let merge = line("joint.merge").with("node", "#1").with("into", "#4");
    let error = session.run_line(&merge).unwrap_err();
    assert_eq!(error.code(), "joints_without_root", "{error}");
}

#[test]
fn merging_joints_moves_their_weights_and_children() {
    let mut session = sample();
    let before = session.document().clone();
    let merge = |node: &str, into: &str| line("joint.merge").with("node", node).with("into", into);
    for (node, into) in [("LeftLowerArm", "LeftUpperArm"), ("LeftUpperArm", "LeftLowerArm")] {
        let both = weights(&before, &[node, into]);
        let report = act(&mut session, merge(node, into));
        let after = session.document().clone();
        assert!(after.node_ids().all(|n| after.node(n).label(n) != node));
        let made = weights(&after, &[into]);
        assert!(both.iter().zip(&made).all(|(a, b)| (a - b).abs() < 1e-5));
        assert!(report.given.merged > 0);
        assert!(apart(&before, &after, &[]) < 2e-3);
        let stated = report.deviation.worst_mm as f32 / 1000.0;
        assert!(stated > 0.0 && skin_apart(&before, &after) <= 1.2 * stated + 1e-5);
        let [hand, into] = ["LeftHand", into].map(|n| named(&after, n));
        assert_eq!(after.node(hand).parent, Some(into));
        again(&session);
        undone(&mut session);
    }
    // An inserted joint moves exactly like its parent, so merging both is exact.
    let insert = line("joint.insert").with("node", "LeftLowerArm").with("name", "Twist");
    act(&mut session, insert);
    let twist = line("weights.merge").with("from", "LeftUpperArm").with("into", "Twist");
    run(&mut session, twist);
    let report = act(&mut session, merge("Twist", "LeftUpperArm"));
    assert!(report.deviation.worst_mm < 0.01, "{}", report.deviation.worst_mm);
    assert!(skin_apart(&before, session.document()) < 1e-5);
    assert!(apart(&before, session.document(), &[]) < 1e-5);
    // With fitted weights, the clips change less.
    let mut worst = BTreeMap::new();
    for weights in ["into", "fit"] {
        let mut session = sample();
        let merged = merge("LeftHand", "LeftLowerArm").with("weights", weights);
        worst.insert(weights, act(&mut session, merged).deviation.mean_mm);
    }
    assert!(worst["fit"] <= worst["into"], "{worst:?}");
    assert_eq!(refused(&mut session, &merge("Spine", "Spine")), "nothing_to_merge");
    assert_eq!(refused(&mut session, &merge("Hips", "No such joint")), "no_such_name");
}

#[test]
fn weights_of_a_removed_joint_are_moved_to_the_nearest_bones_or_smoothed() {
    for rule in ["nearest", "smoothed"] {
        let mut session = sample();
        let before = session.document().clone();
        let had = weights(&before, &["LeftLowerArm"]);
        let remove = line("joint.remove").with("node", "LeftLowerArm").with("weights", rule);
        let report = act(&mut session, remove);
        let after = session.document().clone();
        let given = report.given;
        let count = if rule == "nearest" { given.nearest } else { given.smoothed };
        let concerned = had.iter().filter(|w| **w > 0.0).count();
        assert!(count > 0 && count <= concerned, "{rule}: {given:?} {concerned}");
        assert_eq!(report.fitted.changed, 0);
        let stated = report.deviation.worst_mm as f32 / 1000.0;
        assert!(stated > 0.0 && skin_apart(&before, &after) <= 1.2 * stated + 1e-5, "{rule}");
        if rule == "nearest" {
            // Near the wrist, the hand receives the weights.
            let hand = weights(&after, &["LeftHand"]).into_iter();
            let more = hand.zip(weights(&before, &["LeftHand"])).filter(|(a, b)| *a > b + 0.3);
            assert!(more.count() > 0);
        }
        let joints = after.skins.values().next().unwrap().joints.len();
        for map in
            after.meshes.values().flat_map(|m| &m.primitives).filter_map(|p| p.weights.as_deref())
        {
            for v in 0..map.vertex_count() {
                let sum: f32 = map.vertex(v).map(|(_, w)| w).sum();
                assert!((sum - 1.0).abs() < 1e-3, "{sum}");
                assert!(map.vertex(v).all(|(j, w)| w == 0.0 || usize::from(j) < joints));
            }
        }
        let saved = again(&session);
        assert!(skin_apart(&after, saved.document()) < 1e-4);
        undone(&mut session);
    }
}

#[test]
fn a_missing_side_is_created_from_the_other() {
    let mut session = sample();
    let opened = session.document().clone();
    let chain = ["RightUpperArm", "RightLowerArm", "RightHand", "RightThumb1", "RightLittle3"];
    let remove = line("joint.remove").with("node", "RightUpperArm").with("below", "remove");
    act(&mut session, remove.with("weights", "parent"));
    let before = session.document().clone();
    let hand = line("joint.mirror").with("node", "LeftHand");
    assert_eq!(refused(&mut session, &hand), "no_mirror_partner", "it has no parent there");
    let report = act(&mut session, line("joint.mirror").with("node", "LeftUpperArm"));
    let after = session.document().clone();
    assert_eq!((report.nodes.added, report.nodes.reframed), (18, 0));
    assert!(report.given.mirrored > 0);
    for name in chain {
        assert!(place(&opened, name).distance(place(&after, name)) < 1e-4, "{name}");
        let [a, b] = [&opened, &after].map(|d| axes(d, name));
        assert!((0..3).all(|k| a.col(k).dot(b.col(k)) > 0.999), "{name}: {a} {b}");
        let parent = |d: &Document| {
            let node = d.node(named(d, name)).parent.unwrap();
            d.node(node).label(node)
        };
        assert_eq!(parent(&opened), parent(&after));
        let off = weights(&opened, &[name]).into_iter().zip(weights(&after, &[name]));
        let off = off.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(off < 0.05, "{name}: {off}");
    }
    assert!(apart(&before, &after, &[]) < 1e-5);
    assert!(skin_apart(&before, &after) <= 1.2e-3 * report.deviation.worst_mm as f32 + 1e-5);
    let saved = again(&session);
    assert!(apart(&after, saved.document(), &[]) < 1e-5);
    session.undo();
    assert!(*session.document() == before);
    // If requested, weights are not mirrored.
    let alone = line("joint.mirror").with("node", "LeftUpperArm").with("weights", false);
    let report = act(&mut session, alone);
    assert_eq!(report.given.mirrored, 0);
    assert!(weights(session.document(), &chain).iter().all(|w| *w == 0.0));
    assert!(skin_apart(&before, session.document()) < 1e-5);
}

#[test]
fn an_existing_side_follows_the_other_and_keeps_its_clips() {
    let mut session = sample();
    let opened = session.document().clone();
    let lower = line("joint.mirror").with("node", "LeftLowerArm").with("below", false);
    let said = run(&mut session, lower.clone());
    assert!(said[0].contains("mirror image already"), "{said:?}");
    let moved =
        line("joint.move").with("node", "LeftLowerArm").with("by", json!([0.01, 0.02, 0.03]));
    act(&mut session, moved);
    let turn = line("joint.orient").with("node", "LeftLowerArm");
    act(&mut session, turn.with("degrees", json!([0, 60, 0])));
    let before = session.document().clone();
    let report = act(&mut session, lower);
    let after = session.document().clone();
    assert_eq!((report.nodes.added, report.nodes.reframed), (0, 1));
    let wanted = place(&after, "LeftLowerArm") * Vec3::new(-1.0, 1.0, 1.0);
    assert!(place(&after, "RightLowerArm").distance(wanted) < 1e-4);
    let (left, right) = (axes(&after, "LeftLowerArm"), axes(&after, "RightLowerArm"));
    for k in 0..3 {
        assert!((left.col(k) * Vec3::new(-1.0, 1.0, 1.0)).dot(right.col(k)).abs() > 0.9999);
    }
    let stated = report.deviation.worst_mm as f32 / 1000.0;
    assert!(stated < 5e-4 && skin_apart(&before, &after) <= 1.2 * stated + 1e-5);
    assert!(apart(&before, &after, &["RightLowerArm"]) < 2e-3);
    again(&session);
    for _ in 0..2 {
        session.undo();
    }
    undone(&mut session);
    assert!(*session.document() == opened);
    for (nodes, code) in [
        (json!("Spine"), "no_mirror_partner"),
        (json!(["LeftHand", "RightHand"]), "both_sides_named"),
    ] {
        let line = line("joint.mirror").with("node", nodes).with("below", false);
        assert_eq!(refused(&mut session, &line), code);
    }
}

#[test]
fn removal_of_joints_and_animated_nodes_follows_the_rules() {
    for (below, rule) in [("remove", "remove"), ("keep-world", "keep")] {
        let mut session = sample();
        let before = session.document().clone();
        let remove = line("node.remove").with("node", "LeftHand").with("below", below);
        let report = act(&mut session, remove);
        let removed = session.document().clone();
        assert!(report.fitted.vertices > 0);
        let stated = report.deviation.worst_mm as f32 / 1000.0;
        assert!(skin_apart(&before, &removed) <= 1.2 * stated + 1e-5);
        assert!(apart(&before, &removed, &[]) < 2e-3);
        undone(&mut session);
        act(&mut session, line("joint.remove").with("node", "LeftHand").with("below", rule));
        assert!(*session.document() == removed, "{below}");
    }
    let mut session = sample();
    let local = line("node.remove").with("node", "LeftHand").with("below", "keep-local");
    assert_eq!(refused(&mut session, &local), "would_change_motion");
    run(&mut session, local.with("force", true));
}

/// Returns the names of the nodes in the springs of a saved file.
fn springs(session: &Session) -> Vec<Vec<String>> {
    let (root, _) = split(&session.pack("x").unwrap().bytes);
    let name = |node: &Value| {
        let node = &root["nodes"][node.as_u64().unwrap() as usize];
        node["name"].as_str().unwrap_or("nothing").to_owned()
    };
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let one = list(&root["extensions"]["VRMC_springBone"]["springs"]);
    let one = one.iter().map(|s| list(&s["joints"]).iter().map(|j| name(&j["node"])).collect());
    let zero = list(&root["extensions"]["VRM"]["secondaryAnimation"]["boneGroups"]);
    let zero = zero.iter().map(|s| list(&s["bones"]).iter().map(&name).collect());
    one.chain(zero).collect()
}

#[test]
fn removed_joints_are_removed_from_springs() {
    for (file, bytes) in avatars() {
        let is_one = file == "one.vrm";
        let hair = |all: &[&str]| vec![all.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>()];
        let open = || Session::open_bytes(&bytes).unwrap();
        let mut session = open();
        let all: &[&str] = if is_one { &["hair0", "hair1", "hair2"] } else { &["hair0"] };
        assert_eq!(springs(&session), hair(all));
        act(&mut session, line("joint.dissolve").with("node", "hair0"));
        let left: &[&str] = if is_one { &["hair1", "hair2"] } else { &["hair1"] };
        assert_eq!(springs(&session), hair(left), "{file}");
        let saved = again(&session);
        assert_eq!(saved.document().nodes.ids().count(), 21, "{file}: no empty node stays");
        undone(&mut session);
        // If all joints of a VRM 1 spring are removed, the spring is removed, too.
        let remove = line("joint.remove").with("node", "hair0").with("below", "remove");
        act(&mut session, remove);
        let left = if is_one { Vec::new() } else { hair(&[]) };
        assert_eq!(springs(&session), left, "{file}");
        let saved = again(&session);
        assert_eq!(saved.document().nodes.ids().count(), 19, "{file}");
        let count = saved.document().vrm.as_ref().unwrap().springs;
        assert_eq!(count, usize::from(!is_one));
        undone(&mut session);
    }
}

#[test]
fn a_constrained_joint_keeps_its_animated_parent() {
    let Some((_, bytes)) = avatars().pop() else { return };
    let with = |kind: &str, node: usize, source: usize| {
        let (mut root, bin) = split(&bytes);
        root["nodes"][17].as_object_mut().unwrap().remove("extensions");
        let mut constraint = json!({"source": source, "weight": 1.0});
        match kind {
            "roll" => constraint["rollAxis"] = json!("X"),
            "aim" => constraint["aimAxis"] = json!("PositiveX"),
            _ => {}
        }
        root["nodes"][node]["extensions"] = json!({"VRMC_node_constraint":
            {"specVersion": "1.0", "constraint": {kind: constraint}}});
        Session::open_bytes(&glb(root, &bin)).unwrap()
    };
    let attach = |node: &str, to: &str| line("joint.reparent").with("node", node).with("to", to);
    // A clip rotates the head, which is above the hair.
    for kind in ["roll", "rotation", "aim"] {
        let mut session = with(kind, 7, 17);
        assert_eq!(refused(&mut session, &attach("hair1", "chest")), "constraint_axis", "{kind}");
        // The source of the constraint can be reparented, if its old and new parents stay the same
        // in every clip.
        act(&mut session, attach("rightHand", "spine"));
    }
    for (kind, is_refused) in [("roll", true), ("rotation", true), ("aim", false)] {
        let mut session = with(kind, 17, 7);
        let line = attach("hair1", "chest");
        if is_refused {
            assert_eq!(refused(&mut session, &line), "constraint_axis", "{kind}");
        } else {
            act(&mut session, line);
        }
    }
}
