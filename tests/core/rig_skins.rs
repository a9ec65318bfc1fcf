//! Merging and splitting skins, adding root joints, making a pose the rest pose, and converting
//! rigid figures to skeletons. The models are random rigs, models of the corpus, and small files.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::collections::BTreeMap;

use glam::{Mat4, Quat, Vec3};
use serde_json::{Value, json};
use ulna_edit::{CommandLine, command::RigReport};
use ulna_formats::gltf::Progress;
use ulna_model::{Document, NodeId, RestSource};
use ulna_motion::{Pose, Stack};
use ulna_session::Session;

use crate::common::{
    glb, models, named,
    random_rigs::{Draw, RandomRig},
    run, sample, shared,
};

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

fn code(session: &mut Session, line: CommandLine) -> &'static str {
    session.run_line(&line).map(|_| ()).expect_err(&line.to_string()).code()
}

/// Saves the document and opens it again. Saving also checks the written data.
fn again(session: &Session) -> Session {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.glb");
    session.write_to(&path).unwrap_or_else(|e| panic!("{e}"));
    Session::open(&path, &Progress::default()).unwrap()
}

fn undone(session: &mut Session) {
    session.undo();
    assert!(session.pack("x").unwrap().bytes == session.source().bytes);
}

/// Returns the stacks to compare: the pose of the file, and some times of each clip.
fn stacks(document: &Document, times: usize) -> Vec<Stack> {
    let mut all = vec![Stack::shown(document, None, 0.0)];
    for (id, clip) in document.clips.iter() {
        let length = f64::from(clip.length());
        let at = (0..times).map(|k| length * k as f64 / (times.max(2) - 1) as f64);
        all.extend(at.map(|t| Stack::shown(document, Some(id), t)));
    }
    all
}

/// Returns every `step`-th vertex of all displayed meshes in a pose, by node name without the
/// suffix “ mesh”. A skeleton change that moves a mesh from a joint to a new node adds this suffix.
fn points(document: &Document, pose: &Pose, step: usize) -> BTreeMap<String, Vec<Vec3>> {
    let mut all: BTreeMap<String, Vec<Vec3>> = BTreeMap::new();
    for id in document.shown_nodes() {
        let node = document.node(id);
        let Some(mesh) = node.mesh.map(|m| document.mesh(m)) else { continue };
        let label = node.label(id);
        let list = all.entry(label.strip_suffix(" mesh").unwrap_or(&label).to_owned()).or_default();
        let world = |n: NodeId| pose.world[n.index()];
        for primitive in &mesh.primitives {
            for v in (0..primitive.positions.len()).step_by(step) {
                let mut p = primitive.positions[v];
                for (target, amount) in primitive.targets.iter().zip(&pose.morphs[id.index()]) {
                    p += target.positions.get(v).copied().unwrap_or_default() * *amount;
                }
                let skin = node.skin.map(|s| document.skin(s));
                let map = primitive.weights.as_deref().filter(|w| !w.is_bare());
                list.push(match skin.zip(map) {
                    None => world(id).transform_point3(p),
                    Some((skin, map)) => map
                        .vertex(v)
                        .filter(|(_, w)| *w != 0.0)
                        .filter_map(|(slot, w)| {
                            let joint = *skin.joints.get(usize::from(slot))?;
                            let bind = skin.inverse_bind[usize::from(slot)];
                            Some((world(joint) * bind).transform_point3(p) * w)
                        })
                        .sum(),
                });
            }
        }
    }
    all
}

/// Returns the largest distance between points of two documents in the same poses, in meters, and
/// the size of the model.
fn apart(before: &Document, after: &Document, (times, step): (usize, usize)) -> (f32, f32) {
    let (mut worst, mut low, mut high) = (0.0f32, Vec3::INFINITY, Vec3::NEG_INFINITY);
    for (a, b) in stacks(before, times).iter().zip(stacks(after, times)) {
        let a = points(before, &Pose::evaluate(before, a), step);
        let b = points(after, &Pose::evaluate(after, &b), step);
        assert!(a.keys().eq(b.keys()), "{:?} {:?}", a.keys(), b.keys());
        for (list, other) in a.values().zip(b.values()) {
            assert_eq!(list.len(), other.len());
            for (p, q) in list.iter().zip(other) {
                if p.is_finite() {
                    worst = worst.max(p.distance(*q));
                    (low, high) = (low.min(*p), high.max(*p));
                    assert!(q.is_finite());
                }
            }
        }
    }
    // Rounding errors also grow with the distance from the origin.
    let far = if low.is_finite() { low.abs().max(high.abs()).length() } else { 0.0 };
    (worst, (high - low).max(Vec3::ZERO).length().max(far).max(1e-3))
}

/// Returns the largest difference between the world matrices of two documents at rest. It is
/// relative to the largest distance of a node from the origin.
fn rests_apart(before: &Document, after: &Document) -> f32 {
    let rest = |d: &Document| {
        let mut still = d.clone();
        still.file.nodes.values_mut().for_each(|n| n.pose = None);
        Pose::evaluate(&still, &Stack::default())
    };
    let (a, b) = (rest(before), rest(after));
    let size = a.world.iter().map(|m| m.w_axis.truncate().length()).fold(1e-3, f32::max);
    let of = |id: NodeId| {
        let (a, b) = (a.world[id.index()], b.world[id.index()]);
        let off = a.to_cols_array().into_iter().zip(b.to_cols_array()).map(|(a, b)| (a - b).abs());
        off.fold(0.0, f32::max) / size
    };
    before.node_ids().map(of).fold(0.0, f32::max)
}

/// Returns the commands to run on random rigs and on the corpus, and whether each is exact.
fn acts(top: &str) -> [(CommandLine, bool); 9] {
    let rest = || line("rig.rest_from_pose");
    [
        (rest(), true),
        (rest().with("mesh", "rebake").with("weights", "keep"), false),
        (rest().with("mesh", "rebake"), false),
        (line("rig.root").with("name", "Ground"), true),
        (line("skin.merge"), true),
        (line("skin.split"), true),
        (line("skin.split").with("most", 3), true),
        (line("skin.split").with("most", 4), true),
        (line("rig.skeleton_from_nodes").with("node", top), true),
    ]
}

#[test]
fn skeleton_changes_keep_the_motion_of_random_rigs_and_can_be_undone() {
    const RIGS: u64 = 216;
    let mut done: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 0..RIGS {
        let (line, is_exact) = acts("Toy")[seed as usize % 9].clone();
        let mut session = Session::open_bytes(&RandomRig::bytes(seed)).unwrap();
        let before = session.document().clone();
        let name = format!("{seed}: {line}");
        if let Err(error) = session.run_line(&line) {
            // Known refusals: a mesh has too many joints, or an object is attached to the armature.
            let known = ["too_many_joints", "carries_object", "no_mesh"];
            assert!(known.contains(&error.code()), "{name}: {error}");
            *done.entry(format!("{line}: {}", error.code())).or_default() += 1;
            continue;
        }
        session.document().check().unwrap_or_else(|e| panic!("{name}: {e}"));
        let Some(report) = session.take_rig_report() else {
            *done.entry(format!("{line}: nothing to do")).or_default() += 1;
            continue;
        };
        let baked = report.tracks.baked;
        let (worst, size) = apart(&before, session.document(), (200, 1));
        let stated = report.deviation.worst_mm as f32 / 1000.0;
        if is_exact && baked == 0 {
            assert_eq!(report.deviation.worst_mm, 0.0, "{name}");
            assert!(worst <= 1e-5 * size, "{name}: {worst} of {size}");
        } else {
            assert!(worst <= 1.2 * stated + 1e-5 * size, "{name}: {worst} against {stated}");
        }
        let saved = again(&session);
        let (lost, _) = apart(session.document(), saved.document(), (7, 1));
        assert!(lost <= 1e-5 * size, "{name}: {lost} lost");
        let rest = rests_apart(session.document(), saved.document());
        assert!(rest <= 1e-4, "{name}: rest {rest}");
        undone(&mut session);
        *done.entry(line.to_string()).or_default() += 1;
    }
    eprintln!("{done:#?}");
    for (line, _) in acts("Toy") {
        let least = if line.arguments.contains_key("most") { 1 } else { 5 };
        assert!(done.get(&line.to_string()).is_some_and(|n| *n >= least), "{line}: {done:#?}");
    }
}

/// Rotates some joints by random angles.
fn pose(session: &mut Session, draw: &mut Draw) {
    let document = session.document();
    let joints: Vec<NodeId> =
        document.skins.values().flat_map(|s| s.joints.iter().copied()).take(40).collect();
    for _ in 0..3 {
        let joint = joints[draw.below(joints.len())];
        let axis = ["x", "y", "z"][draw.below(3)];
        let turn = line("pose.rotate")
            .with("node", format!("#{}", joint.0))
            .with("axis", axis)
            .with("degrees", 10 + draw.below(25));
        if let Err(error) = session.run_line(&turn) {
            // A joint below a scale of 0 cannot be rotated.
            assert!(!error.to_string().is_empty());
        }
    }
}

#[test]
fn skeleton_changes_keep_the_motion_of_skinned_corpus_models() {
    let Some(shared) = shared() else { return };
    let small = |p: &std::path::PathBuf| std::fs::metadata(p).is_ok_and(|m| m.len() < 6 << 20);
    let mut done: BTreeMap<String, usize> = BTreeMap::new();
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    let mut files = 0;
    for path in models(&shared.join("corpus")).iter().filter(|p| small(p)) {
        let Ok(mut session) = Session::open(path, &Progress::default()) else { continue };
        let document = session.document();
        if document.skins.is_empty() || document.clips.is_empty() {
            continue;
        }
        files += 1;
        let vertices = document.shown_vertex_count();
        let step = (vertices / 400).max(1);
        for (k, (line, is_exact)) in acts("#0").into_iter().enumerate().take(8) {
            let name = format!("{}: {line}", path.display());
            let mut steps = 0;
            if line.name == "rig.rest_from_pose" {
                pose(&mut session, &mut Draw::new(k as u64 + 1));
                steps = 3;
            }
            let before = session.document().clone();
            match session.run_line(&line) {
                Err(error) => {
                    *refused.entry(format!("{line}: {}", error.code())).or_default() += 1;
                    assert!(!error.to_string().is_empty(), "{name}");
                }
                Ok(_) => {
                    let after = session.document().clone();
                    after.check().unwrap_or_else(|e| panic!("{name}: {e}"));
                    if let Some(report) = session.take_rig_report() {
                        let (worst, size) = apart(&before, &after, (5, step));
                        let stated = report.deviation.worst_mm as f32 / 1000.0;
                        if is_exact && report.tracks.baked == 0 {
                            assert_eq!(stated, 0.0, "{name}");
                            assert!(worst <= 2e-5 * size, "{name}: {worst} of {size}");
                        } else {
                            assert!(
                                worst <= 1.2 * stated + 2e-5 * size,
                                "{name}: {worst} {stated}"
                            );
                        }
                        *done.entry(line.to_string()).or_default() += 1;
                    }
                    if k % 2 == 0 {
                        let saved = again(&session);
                        let rest = rests_apart(&after, saved.document());
                        assert!(rest <= 1e-3, "{name}: rest {rest}");
                    }
                    steps += 1;
                }
            }
            (0..steps).for_each(|_| _ = session.undo());
            assert!(session.pack("x").unwrap().bytes == session.source().bytes, "{name}");
        }
    }
    eprintln!("{files} files\n{done:#?}\nrefused: {refused:#?}");
    assert!(files > 40, "{files}");
    for (what, least) in [("rig.rest_from_pose", 90), ("rig.root", 30), ("skin.", 3)] {
        let count: usize = done.iter().filter(|(l, _)| l.contains(what)).map(|(_, n)| n).sum();
        assert!(count > least, "{what}: {done:#?}");
    }
}

#[test]
fn corpus_figures_become_skeletons_with_the_same_motion() {
    let Some(shared) = shared() else { return };
    let small = |p: &std::path::PathBuf| std::fs::metadata(p).is_ok_and(|m| m.len() < 3 << 20);
    let (mut done, mut refused) = (0, BTreeMap::<&str, usize>::new());
    for path in models(&shared.join("corpus")).iter().filter(|p| small(p)) {
        let Ok(mut session) = Session::open(path, &Progress::default()) else { continue };
        let document = session.document();
        let Some(top) = document.shown_nodes().first().copied() else { continue };
        if document.clips.is_empty() || !document.skins.is_empty() {
            continue;
        }
        let before = document.clone();
        let line = line("rig.skeleton_from_nodes").with("node", format!("#{}", top.0));
        let name = format!("{}: {line}", path.display());
        match session.run_line(&line) {
            Err(error) => *refused.entry(error.code()).or_default() += 1,
            Ok(_) => {
                let report = session.take_rig_report().unwrap();
                let after = session.document().clone();
                after.check().unwrap_or_else(|e| panic!("{name}: {e}"));
                assert_eq!(
                    (report.deviation.worst_mm, report.deviation.unmatched),
                    (0.0, 0),
                    "{name}"
                );
                let is_named = before.nodes.values().all(|n| n.name.is_some());
                if is_named {
                    let (worst, size) = apart(&before, &after, (5, 7));
                    assert!(worst <= 1e-5 * size, "{name}: {worst} of {size}");
                }
                again(&session);
                undone(&mut session);
                done += 1;
            }
        }
    }
    eprintln!("{done} figures, refused: {refused:?}");
    assert!(done > 20, "{done} {refused:?}");
}

#[test]
fn a_pose_becomes_the_rest_pose_in_the_file() {
    let mut session = sample();
    let document = session.document().clone();
    let arm = document
        .skins
        .values()
        .flat_map(|s| s.joints.to_vec())
        .find(|n| document.node(*n).label(*n).contains("Arm"))
        .unwrap();
    let name = document.node(arm).label(arm);
    run(
        &mut session,
        line("pose.rotate").with("node", &*name).with("axis", "z").with("degrees", 40),
    );
    let posed = session.document().clone();
    let (report, said) = act(&mut session, line("rig.rest_from_pose"));
    let after = session.document().clone();
    assert_eq!((report.deviation.worst_mm, report.nodes.rested), (0.0, 1));
    assert!(said[0].contains("1 node has a new rest pose"), "{said:?}");
    let node = after.node(arm);
    assert!(node.pose.is_none() && node.rest == posed.node(arm).local());
    assert_eq!(node.rest_source, RestSource::Pose);
    assert_eq!(after.skins, posed.skins);
    assert_eq!(after.meshes, posed.meshes);
    let saved = again(&session);
    let found = saved.document().node(named(saved.document(), &name));
    assert!(found.pose.is_none());
    assert_eq!((found.rest, found.rest_source), (node.rest, RestSource::Pose));
    // After another pose, the file has both the rest pose and the pose.
    let mut session = saved;
    run(
        &mut session,
        line("pose.rotate").with("node", &*name).with("axis", "x").with("degrees", 20),
    );
    let both = again(&session);
    let found = both.document().node(named(both.document(), &name));
    assert!(found.pose.is_some());
    assert!(found.rest.matrix().abs_diff_eq(node.rest.matrix(), 1e-6));
    // Changing the axes of the joint keeps the rest pose.
    let mut session = both;
    act(&mut session, line("joint.orient").with("node", &*name).with("degrees", json!([0, 30, 0])));
    let document = session.document();
    let turned = document.node(named(document, &name));
    let wanted = node.rest.matrix() * Mat4::from_rotation_y(30f32.to_radians());
    assert!(turned.rest.matrix().abs_diff_eq(wanted, 1e-5));
    assert!(turned.pose.is_some());
    again(&session);
    // On request, the rest pose comes from the bind matrices again.
    run(&mut session, line("skin.inverse_binds").with("how", "to-nodes"));
    let document = session.document();
    assert_eq!(document.node(named(document, &name)).rest_source, RestSource::Bind);
    let saved = again(&session);
    let found = saved.document().node(named(saved.document(), &name));
    assert_eq!((found.rest_source, found.pose.is_none()), (RestSource::Bind, true));
    let mut session = sample();
    let said = run(&mut session, line("rig.rest_from_pose"));
    assert!(said[0].contains("no node is posed"), "{said:?}");
    let fit = line("rig.rest_from_pose").with("weights", "fit");
    assert_eq!(code(&mut session, fit), "arguments_together");
}

#[test]
fn a_rebaked_pose_is_the_bind_pose_and_fitting_reduces_the_deviation() {
    let mut means = Vec::new();
    for weights in ["keep", "fit"] {
        let mut session = sample();
        for (node, axis, degrees) in [("LeftUpperArm", "z", 45), ("RightUpperArm", "z", -45)] {
            let turn = line("pose.rotate").with("node", node).with("axis", axis);
            run(&mut session, turn.with("degrees", degrees));
        }
        let posed = session.document().clone();
        let rebake = line("rig.rest_from_pose").with("mesh", "rebake").with("weights", weights);
        let (report, said) = act(&mut session, rebake);
        let after = session.document().clone();
        assert!(said[0].contains("posed shape"), "{said:?}");
        assert!(after.nodes.values().all(|n| n.pose.is_none()));
        // In the baked pose itself, nothing moves, and all joints have the same skinning matrix.
        let still = |d: &Document| points(d, &Pose::evaluate(d, &Stack::default()), 1);
        for (a, b) in still(&posed).values().zip(still(&after).values()) {
            assert!(a.iter().zip(b).all(|(a, b)| a.distance(*b) < 1e-5));
        }
        let (_, skin) = after.skins.iter().next().unwrap();
        let rest = Pose::evaluate(&after, &Stack::default());
        let shown = |k: usize| rest.world[skin.joints[k].index()] * skin.inverse_bind[k];
        assert!((1..skin.joints.len()).all(|k| shown(k).abs_diff_eq(shown(0), 1e-4)));
        let (worst, size) = apart(&posed, &after, (40, 1));
        let stated = report.deviation.worst_mm as f32 / 1000.0;
        assert!(stated > 1e-4 && worst <= 1.2 * stated + 1e-5 * size, "{worst} {stated}");
        assert_eq!(report.fitted.changed > 0, weights == "fit");
        means.push(report.deviation.mean_mm);
        let saved = again(&session);
        assert!(rests_apart(&after, saved.document()) < 1e-4);
        assert!(saved.document().nodes.values().all(|n| n.pose.is_none()));
    }
    eprintln!("mean deviation, weights kept and fitted: {means:?} mm");
    assert!(means[1] < 0.85 * means[0], "{means:?}");
}

/// Builds a chain of three joints below a moving armature, with a box beside them and a skinned
/// triangle.
fn moving_armature(change: impl FnOnce(&mut Value)) -> Session {
    let mut text = json!({
        "scene": 0, "scenes": [{"nodes": [0, 5]}],
        "nodes": [
            {"name": "Armature", "children": [1, 4], "translation": [0.0, 1.0, 0.0],
             "rotation": [0.6, 0.0, 0.0, 0.8], "scale": [0.5, 0.5, 0.5]},
            {"name": "Hips", "children": [2], "translation": [0.0, 1.0, 0.0]},
            {"name": "Arm", "children": [3], "translation": [0.5, 0.5, 0.0]},
            {"name": "Hand", "translation": [0.0, 0.5, 0.0], "rotation": [0.0, 0.6, 0.0, 0.8]},
            {"name": "Box", "mesh": 1, "translation": [0.3, 0.0, 0.0]},
            {"name": "Body", "mesh": 0, "skin": 0}
        ],
        "skins": [{"joints": [1, 2, 3], "inverseBindMatrices": 6}],
        "meshes": [
            {"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}}]},
            {"primitives": [{"attributes": {"POSITION": 0}}]}
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
             "min": [0, 0, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5121, "count": 3, "type": "VEC4"},
            {"bufferView": 2, "componentType": 5126, "count": 3, "type": "VEC4"},
            {"bufferView": 3, "componentType": 5126, "count": 2, "type": "SCALAR",
             "min": [0], "max": [1]},
            {"bufferView": 4, "componentType": 5126, "count": 2, "type": "VEC3"},
            {"bufferView": 5, "componentType": 5126, "count": 2, "type": "VEC4"},
            {"bufferView": 6, "componentType": 5126, "count": 3, "type": "MAT4"}
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 36},
            {"buffer": 0, "byteOffset": 36, "byteLength": 12},
            {"buffer": 0, "byteOffset": 48, "byteLength": 48},
            {"buffer": 0, "byteOffset": 96, "byteLength": 8},
            {"buffer": 0, "byteOffset": 104, "byteLength": 24},
            {"buffer": 0, "byteOffset": 128, "byteLength": 32},
            {"buffer": 0, "byteOffset": 160, "byteLength": 192}
        ],
        "animations": [{
            "name": "Walk",
            "channels": [
                {"sampler": 0, "target": {"node": 0, "path": "translation"}},
                {"sampler": 1, "target": {"node": 0, "path": "rotation"}},
                {"sampler": 1, "target": {"node": 2, "path": "rotation"}}
            ],
            "samplers": [{"input": 3, "output": 4}, {"input": 3, "output": 5}]
        }]
    });
    change(&mut text);
    let mut bytes: Vec<u8> = crate::common::floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    bytes.extend([0, 0, 0, 0, 1, 0, 0, 0, 2, 1, 0, 0]);
    let mut numbers = vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0];
    numbers.extend([0.0, 1.0]);
    numbers.extend([0.0, 1.0, 0.0, 2.0, 1.0, -3.0]);
    numbers.extend([0.6, 0.0, 0.0, 0.8, 0.0, 0.6, 0.0, 0.8]);
    let up = |m: Mat4, t: [f32; 3], r: Quat| m * Mat4::from_rotation_translation(r, t.into());
    let armature = Mat4::from_scale_rotation_translation(
        Vec3::splat(0.5),
        Quat::from_xyzw(0.6, 0.0, 0.0, 0.8),
        Vec3::Y,
    );
    let hips = up(armature, [0.0, 1.0, 0.0], Quat::IDENTITY);
    let arm = up(hips, [0.5, 0.5, 0.0], Quat::IDENTITY);
    let hand = up(arm, [0.0, 0.5, 0.0], Quat::from_xyzw(0.0, 0.6, 0.0, 0.8));
    for world in [hips, arm, hand] {
        let mut bind = world.inverse();
        (bind.x_axis.w, bind.y_axis.w, bind.z_axis.w, bind.w_axis.w) = (0.0, 0.0, 0.0, 1.0);
        numbers.extend(bind.to_cols_array());
    }
    bytes.extend(crate::common::floats(&numbers));
    Session::open_bytes(&glb(text, &bytes)).unwrap()
}

#[test]
fn a_new_root_joint_gets_the_motion_of_the_armature() {
    let mut session = moving_armature(|_| ());
    let before = session.document().clone();
    let (report, said) = act(&mut session, line("rig.root"));
    let after = session.document().clone();
    assert_eq!((report.deviation.worst_mm, report.tracks.baked), (0.0, 0));
    assert!(said[0].contains("“Armature” moved onto it"), "{said:?}");
    let root = named(&after, "Root");
    let [armature, hips, boxed] = ["Armature", "Hips", "Box"].map(|n| named(&after, n));
    assert_eq!(after.node(root).parent, Some(armature));
    assert_eq!(after.node(hips).parent, Some(root));
    // The box moved with the armature, so it now moves with the root joint.
    assert_eq!(after.node(boxed).parent, Some(root));
    let (_, skin) = after.skins.iter().next().unwrap();
    assert_eq!((skin.joints.len(), skin.joints[3]), (4, root));
    let clip = after.clips.values().next().unwrap();
    let targets: Vec<NodeId> = clip.tracks.values().map(|t| t.target).collect();
    assert!(!targets.contains(&armature));
    assert_eq!(targets.iter().filter(|n| **n == root).count(), 2);
    let keys = |d: &Document| d.clips.values().map(|c| c.key_count()).sum::<usize>();
    assert_eq!(keys(&after), keys(&before));
    for (a, b) in stacks(&before, 20).iter().zip(stacks(&after, 20)) {
        let (a, b) = (Pose::evaluate(&before, a), Pose::evaluate(&after, &b));
        for name in ["Hips", "Arm", "Hand", "Box"] {
            let [one, two] = [&before, &after].map(|d| named(d, name));
            let (a, b) = (a.world[one.index()], b.world[two.index()]);
            assert!(a.abs_diff_eq(b, 1e-5), "{name}");
        }
    }
    assert!(after.node(hips).pose.is_none() && after.node(root).pose.is_none());
    let saved = again(&session);
    assert!(rests_apart(&after, saved.document()) < 1e-5);
    undone(&mut session);
    // An object on the armature node itself would lose its motion.
    let mut session = moving_armature(|text| text["nodes"][0]["mesh"] = json!(1));
    assert_eq!(code(&mut session, line("rig.root")), "carries_object");
    // If nothing above the object has keys, the object stays in place.
    let mut session = sample();
    let before = session.document().clone();
    let (report, _) = act(&mut session, line("rig.root").with("name", "Origin"));
    assert_eq!(report.deviation.worst_mm, 0.0);
    let document = session.document();
    let origin = named(document, "Origin");
    assert!(document.skins.values().all(|s| s.joints.contains(&origin)));
    assert!(apart(&before, document, (5, 3)).0 < 1e-6);
    again(&session);
    undone(&mut session);
    let mut bare = Session::open_bytes(&glb(json!({"nodes": [{"name": "A"}]}), &[])).unwrap();
    assert_eq!(code(&mut bare, line("rig.root")), "no_skeleton");
}

#[test]
fn two_roots_get_one_root_joint() {
    // The hand is a separate root outside the armature.
    let mut session = moving_armature(|text| {
        text["nodes"][2].as_object_mut().unwrap().remove("children");
        text["scenes"][0]["nodes"] = json!([0, 3, 5]);
    });
    let before = session.document().clone();
    let (report, _) = act(&mut session, line("rig.root"));
    let after = session.document().clone();
    assert_eq!(report.deviation.worst_mm, 0.0);
    let root = named(&after, "Root");
    assert_eq!(after.node(root).parent, None);
    let scene = after.scenes.values().next().unwrap();
    assert!(scene.roots.contains(&root) && !scene.roots.contains(&named(&after, "Hand")));
    assert_eq!(after.node(named(&after, "Hand")).parent, Some(root));
    assert_eq!(after.node(named(&after, "Armature")).parent, Some(root));
    assert!(apart(&before, &after, (9, 1)).0 < 1e-6);
    again(&session);
    undone(&mut session);
}

/// Builds two triangles on two skins with the same joints in different orders.
fn two_skins(change: impl FnOnce(&mut Value)) -> Session {
    moving_armature(|text| {
        text["nodes"].as_array_mut().unwrap().push(json!({"name": "Hat", "mesh": 2, "skin": 1}));
        text["scenes"][0]["nodes"] = json!([0, 5, 6]);
        for list in ["meshes", "skins"] {
            let first = text[list][0].clone();
            text[list].as_array_mut().unwrap().push(first);
        }
        change(text);
    })
}

#[test]
fn skins_with_equal_joints_can_be_merged_and_split() {
    let mut session = two_skins(|_| ());
    let before = session.document().clone();
    let (report, said) = act(&mut session, line("skin.merge"));
    let merged = session.document().clone();
    assert_eq!((report.deviation.worst_mm, report.skins), (0.0, [2, 1]));
    assert!(said[0].contains("with 3 joints"), "{said:?}");
    assert!(apart(&before, &merged, (9, 1)).0 < 1e-6);
    let said = run(&mut session, line("skin.merge"));
    assert!(said[0].contains("no two skins"), "{said:?}");
    // Both meshes use all joints, so there is nothing to split.
    let said = run(&mut session, line("skin.split"));
    assert!(said[0].contains("no skin has several"), "{said:?}");
    assert_eq!(code(&mut session, line("skin.split").with("most", 2)), "too_many_joints");
    assert_eq!(code(&mut session, line("skin.split").with("most", 0)), "argument_out_of_range");
    let saved = again(&session);
    assert!(apart(&before, saved.document(), (9, 1)).0 < 1e-6);
    undone(&mut session);
    // The skins differ in the bind matrix of a shared joint, or of all joints.
    let mut session = two_skins(|text| text["skins"][1] = json!({"joints": [1, 2, 3]}));
    assert_eq!(code(&mut session, line("skin.merge")), "binds_differ");
    let named = line("skin.merge").with("node", json!(["Body", "Box"]));
    assert_eq!(code(&mut session, named), "not_skinned");
}

#[test]
fn a_mesh_can_get_a_skin_with_only_its_used_joints() {
    // The second mesh has only weights of the first joint.
    let mut session = two_skins(|text| {
        text["nodes"][6]["skin"] = json!(0);
        text["skins"].as_array_mut().unwrap().pop();
        text["accessors"].as_array_mut().unwrap().push(json!(
            {"componentType": 5121, "count": 3, "type": "VEC4"}
        ));
        text["meshes"][2]["primitives"][0]["attributes"]["JOINTS_0"] = json!(7);
    });
    let before = session.document().clone();
    let (report, said) = act(&mut session, line("skin.split"));
    let after = session.document().clone();
    assert_eq!((report.deviation.worst_mm, report.skins), (0.0, [1, 2]));
    assert!(said[0].contains("2 skins of 3, 1 joints"), "{said:?}");
    let counts: Vec<usize> = after.skins.values().map(|s| s.joints.len()).collect();
    assert_eq!(counts, [3, 1]);
    assert!(apart(&before, &after, (9, 1)).0 < 1e-6);
    again(&session);
    let (report, _) = act(&mut session, line("skin.merge"));
    assert_eq!((report.deviation.worst_mm, report.skins), (0.0, [2, 1]));
    assert!(apart(&before, session.document(), (9, 1)).0 < 1e-6);
    again(&session);
}

/// Builds a figure of nodes with rigid meshes: two wheels that share a mesh, a camera and an empty
/// node.
fn toy(change: impl FnOnce(&mut Value)) -> Session {
    moving_armature(|text| {
        text["nodes"] = json!([
            {"name": "Toy", "children": [1, 2, 3, 4], "translation": [0.0, 1.0, 0.0]},
            {"name": "Left wheel", "mesh": 1, "translation": [1.0, 0.0, 0.0]},
            {"name": "Right wheel", "mesh": 1, "translation": [-1.0, 0.0, 0.0],
             "scale": [1.0, 2.0, 0.5]},
            {"name": "Body", "mesh": 0, "children": [5], "rotation": [0.0, 0.6, 0.0, 0.8]},
            {"name": "Eye", "camera": 0, "translation": [0.0, 1.0, 0.0]},
            {"name": "Socket", "translation": [0.0, 0.5, 0.0]}
        ]);
        text["cameras"] = json!([{"type": "perspective", "perspective": {"yfov": 1, "znear": 1}}]);
        text["scenes"][0]["nodes"] = json!([0]);
        text.as_object_mut().unwrap().remove("skins");
        for (k, node) in [(0, 0), (1, 1), (2, 3)] {
            text["animations"][0]["channels"][k]["target"]["node"] = json!(node);
        }
        change(text);
    })
}

#[test]
fn a_figure_of_nodes_becomes_a_skeleton() {
    let mut session = toy(|_| ());
    let before = session.document().clone();
    let make = || line("rig.skeleton_from_nodes").with("node", "Toy");
    let (report, said) = act(&mut session, make());
    let after = session.document().clone();
    assert_eq!((report.deviation.worst_mm, report.deviation.unmatched), (0.0, 0));
    assert!(said[0].contains("skeleton of 4 joints"), "{said:?}");
    assert!(apart(&before, &after, (20, 1)).0 < 1e-6);
    let shown: Vec<&str> = after
        .nodes
        .values()
        .filter(|n| n.mesh.is_some())
        .map(|n| n.name.as_deref().unwrap())
        .collect();
    assert_eq!(shown, ["Left wheel mesh", "Right wheel mesh", "Body mesh"]);
    let eye = named(&after, "Eye");
    assert!(after.node(eye).camera.is_some());
    let is_joint = after.joint_flags();
    assert!(!is_joint[eye.index()] && !is_joint[named(&after, "Socket").index()]);
    // The wheels share a mesh, so each wheel has its own skin.
    assert_eq!(after.skins.values().map(|s| s.joints.len()).collect::<Vec<_>>(), [4, 1, 1]);
    let saved = again(&session);
    assert!(apart(&before, saved.document(), (20, 1)).0 < 1e-6);
    assert!(rests_apart(&after, saved.document()) < 1e-5);
    undone(&mut session);
    // Everything below the root joint of the new skeleton is rigid.
    act(&mut session, make());
    act(&mut session, line("rig.root"));
    assert!(apart(&before, session.document(), (20, 1)).0 < 1e-5);
    let refused = |change: &dyn Fn(&mut Value), node: &str| {
        let mut session = toy(change);
        code(&mut session, line("rig.skeleton_from_nodes").with("node", node))
    };
    assert_eq!(refused(&|_| (), "Eye"), "no_mesh");
    assert_eq!(refused(&|_| (), "*wheel"), "one_node_wanted");
    let mirrored = |text: &mut Value| text["nodes"][3]["scale"] = json!([-1.0, 1.0, 1.0]);
    assert_eq!(refused(&mirrored, "Toy"), "mirrored_part");
    // A part has scale 0 only in the pose, not at rest.
    let mut session = toy(|text| text["nodes"][3]["scale"] = json!([0.0, 1.0, 1.0]));
    let before = session.document().clone();
    act(&mut session, make());
    assert!(apart(&before, session.document(), (20, 1)).0 < 1e-6);
    again(&session);
}
