//! Locked feet in the clips of the corpus, checked by the foot positions of every frame. Also limbs
//! of unusual bodies: with helper nodes between joints, without skins, and under a mirrored parent.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::path::PathBuf;

use glam::{Quat, Vec3};
use proptest::prelude::*;
use serde_json::json;
use ulna_edit::CommandLine;
use ulna_model::{ClipId, Document, NodeId, Property};
use ulna_motion::{Pose, Stack, ik};
use ulna_session::Session;

use crate::common::{named, run, shared};

fn at(document: &Document, clip: Option<ClipId>, time: f64) -> Pose {
    Pose::evaluate(document, &Stack::of(clip.map(|c| &document.clips[c]), time))
}

fn place(pose: &Pose, node: NodeId) -> Vec3 {
    pose.world[node.index()].w_axis.truncate()
}

fn clip_named(document: &Document, name: &str) -> ClipId {
    document
        .clips
        .ids()
        .find(|id| document.clip_label(*id) == name)
        .unwrap_or_else(|| panic!("{name}"))
}

fn situation(name: &str) -> Option<PathBuf> {
    Some(shared()?.join("situations").join(name)).filter(|p| {
        let there = p.exists();
        if !there {
            crate::common::skipped(&format!("{} is not there", p.display()));
        }
        there
    })
}

fn open(path: &std::path::Path) -> Session {
    Session::open(path, &Default::default()).unwrap()
}

/// Returns the highest speed of a node between two frames of a clip, relative to a moving ground.
/// The first value is within the ranges, the second over the whole clip.
fn speeds(
    document: &Document,
    clip: ClipId,
    node: NodeId,
    ranges: &[(f64, f64)],
    rate: f64,
    ground: Vec3,
) -> (f32, f32) {
    let length = f64::from(document.clips[clip].length());
    let count = (length * rate).round() as usize;
    let path: Vec<(f64, Vec3)> = (0..=count)
        .map(|k| (k as f64 / rate).min(length))
        .map(|time| (time, place(&at(document, Some(clip), time), node)))
        .collect();
    let (mut held, mut all) = (0.0f32, 0.0f32);
    for pair in path.windows(2) {
        let time = (pair[1].0 - pair[0].0).max(1e-6) as f32;
        let step = (pair[1].1 - pair[0].1) / time;
        all = all.max(step.length());
        let near = 1e-4;
        if ranges.iter().any(|r| pair[0].0 >= r.0 - near && pair[1].0 <= r.1 + near) {
            held = held.max((step - ground).length());
        }
    }
    (held, all)
}

/// Returns the largest number of keys that a track gained within one frame.
fn keys_per_frame(before: &Document, after: &Document, clip: ClipId, rate: f64) -> usize {
    let mut most = 0;
    for track in after.clips[clip].tracks.values() {
        let was = before.clips[clip]
            .track(track.target, track.property)
            .map_or(&[][..], |(_, t)| &t.times[..]);
        let mut frames = std::collections::BTreeMap::new();
        for time in track.times.iter().filter(|t| !was.iter().any(|w| (*w - **t).abs() < 1e-5)) {
            *frames.entry((f64::from(*time) * rate + 0.01).floor() as i64).or_insert(0) += 1;
        }
        most = most.max(frames.values().copied().max().unwrap_or(0));
    }
    most
}

/// Locks the feet in clips that travel, turn, stand, and walk in place. No locked foot may slide
/// more than before, or move faster than the fastest speed in the clip. At most one key per frame
/// is added. A clip that cannot be locked is refused and stays unchanged.
#[test]
fn locking_feet_never_increases_sliding() {
    let Some(shared) = shared() else { return };
    let cases = [
        ("Knight/Knight.glb", "Walking_A", "foot.l"),
        ("Knight/Knight.glb", "Walking_Backwards", "foot.r"),
        ("Knight/Knight.glb", "Running_A", "foot.l"),
        ("Knight/Knight.glb", "Running_Strafe_Left", "foot.l"),
        ("Knight/Knight.glb", "2H_Melee_Attack_Spin", "foot.l"),
        ("Knight/Knight.glb", "2H_Melee_Attack_Spinning", "foot.r"),
        ("Knight/Knight.glb", "1H_Melee_Attack_Chop", "foot.l"),
        ("Knight/Knight.glb", "Dodge_Left", "foot.r"),
        ("Fox49/fox-animations.glb", "Walk", "Front_Leg_Foot_L"),
        ("Fox/Fox.glb", "Walk", "b_LeftFoot01_017"),
        ("Fox/Fox.glb", "Run", "b_RightFoot01_021"),
        ("CesiumMan/CesiumMan.glb", "*", "leg_joint_L_3"),
        ("Knight/Knight.glb", "Walking_C", "foot.r"),
    ];
    let (mut held, mut refused, mut moving) = (0, 0, 0);
    for (file, name, foot) in cases {
        let mut session = open(&shared.join("corpus/characters").join(file));
        let document = session.document().clone();
        let Some(clip) =
            document.clips.ids().find(|id| name == "*" || document.clip_label(*id) == name)
        else {
            println!("{file} has no clip {name}");
            continue;
        };
        let is_foot = |n: &NodeId| document.node(*n).name.as_deref() == Some(foot);
        let Some(node) = document.node_ids().find(is_foot) else {
            println!("{file} has no {foot}");
            continue;
        };
        let rate = document.clips[clip].guess_fps().map_or(30.0, |(fps, _)| fps);
        let ground = ik::ground_under(&document, &document.clips[clip], node);
        let ranges: Vec<(f64, f64)> = ik::contacts(&document, &document.clips[clip], node)
            .iter()
            .map(|r| {
                ((f64::from(r.from) * rate).round() / rate, (f64::from(r.to) * rate).round() / rate)
            })
            .collect();
        let line = CommandLine::new("pin.hold")
            .with("node", ulna_edit::node_text(&document, node).as_str())
            .with("clip", format!("#{}", clip.0).as_str());
        let label = document.clip_label(clip);
        match session.run_line(&line) {
            Err(error) => {
                println!("{file} {label}: refused: {error}");
                assert!(session.document() == &document, "a refusal changes nothing");
                let error = error.to_string();
                assert!(
                    error.contains("was left unchanged") || error.contains("never low and slow"),
                    "{error}"
                );
                refused += 1;
                continue;
            }
            Ok(_) => println!("{file} {label}: {:?}", session.take_sentence()),
        }
        let now = session.document();
        let (before, after) = (
            speeds(&document, clip, node, &ranges, rate, ground),
            speeds(now, clip, node, &ranges, rate, ground),
        );
        let keys = keys_per_frame(&document, now, clip, rate);
        println!(
            "  held {:.3} → {:.3} m/s, fastest {:.3} → {:.3}, {keys} keys per frame, ground \
                {ground}",
            before.0, after.0, before.1, after.1
        );
        assert!(after.0 <= before.0 + 2e-3, "{file} {label}: {before:?} {after:?}");
        assert!(after.1 <= before.1 + 4e-3, "{file} {label}: {before:?} {after:?}");
        assert!(keys <= 1, "{file} {label}: {keys} keys");
        held += 1;
        moving += usize::from(ground != Vec3::ZERO);
    }
    println!("{held} held, {refused} refused, {moving} over a moving ground");
    assert!(
        held >= 6 && held + refused >= 9 && moving >= 2,
        "{held} held, {refused} refused, {moving} moving"
    );
}

/// Keys of the root make a walk in place travel and turn. Its feet slide a little, and must slide
/// less after locking.
#[test]
fn feet_of_a_walk_that_travels_and_turns_are_locked_to_the_ground() {
    let Some(shared) = shared() else { return };
    let mut session = open(&shared.join("corpus/characters/Knight/Knight.glb"));
    let clip = clip_named(session.document(), "Walking_A");
    let node = named(session.document(), "foot.l");
    let ground = ik::ground_under(session.document(), &session.document().clips[clip], node);
    assert!(ground.length() > 0.2, "{ground}");
    let (rate, turn) = (30.0, 0.6f32);
    let length = session.document().clips[clip].length();
    let (mut at_root, mut last) = (Vec3::ZERO, 0.0);
    for k in 0..=(length * rate).round() as usize {
        let time = k as f32 / rate;
        let heading = Quat::from_rotation_y(turn * time);
        at_root -= heading * ground * (time - last);
        last = time;
        let line = CommandLine::new("key.set")
            .with("clip", "Walking_A")
            .with("time", time)
            .with("node", "root");
        run(
            &mut session,
            line.with("translation", at_root.to_array()).with("rotation", heading.to_array()),
        );
    }
    let document = session.document().clone();
    assert_eq!(
        ik::ground_under(&document, &document.clips[clip], node),
        Vec3::ZERO,
        "the body travels itself"
    );
    let ranges: Vec<(f64, f64)> = ik::contacts(&document, &document.clips[clip], node)
        .iter()
        .map(|r| {
            ((f64::from(r.from) * 30.0).round() / 30.0, (f64::from(r.to) * 30.0).round() / 30.0)
        })
        .collect();
    let notes = run(
        &mut session,
        CommandLine::new("pin.hold").with("node", "foot.l").with("clip", "Walking_A"),
    );
    println!("{notes:?}");
    let before = speeds(&document, clip, node, &ranges, 30.0, Vec3::ZERO);
    let after = speeds(session.document(), clip, node, &ranges, 30.0, Vec3::ZERO);
    assert!(after.0 < before.0 * 0.5 && after.1 <= before.1 + 4e-3, "{before:?} {after:?}");
    assert!(keys_per_frame(&document, session.document(), clip, 30.0) <= 1);
}

/// Locked feet must stay in place on bodies with helper nodes between their joints, without a skin,
/// and under a mirrored parent.
#[test]
fn feet_are_locked_with_helper_nodes_and_without_skins() {
    let (mut held, mut exact) = (0, 0);
    for (folder, clip, foot) in [
        ("nulls-between-joints", "Walk", "LeftFoot"),
        ("nulls-between-joints", "Walk", "RightFoot"),
        ("mirrored-parent", "Walk", "LeftFoot"),
        ("fbx-helper-nodes", "mixamo.com", "mixamorig:LeftFoot"),
        ("fbx-helper-nodes", "mixamo.com", "mixamorig:RightFoot"),
        ("rigid-figure", "walk", "left_foot"),
    ] {
        let Some(path) = situation(&format!("{folder}/in.glb")) else { return };
        let mut session = open(&path);
        let document = session.document().clone();
        let (clip, node) = (clip_named(&document, clip), named(&document, foot));
        let line = CommandLine::new("pin.hold")
            .with("node", foot)
            .with("clip", format!("#{}", clip.0).as_str());
        let notes =
            run(&mut session, line.with("from", 0.3).with("to", 0.6).with("ground", "still"));
        println!("{folder} {foot}: {notes:?}");
        let now = session.document();
        let (from, to) = (0.3, 0.6);
        let places: Vec<Vec3> = (0..=20)
            .map(|k| place(&at(now, Some(clip), from + (to - from) * f64::from(k) / 20.0), node))
            .collect();
        let off = places.iter().map(|p| p.distance(places[10])).fold(0.0, f32::max);
        let was: Vec<Vec3> = (0..=20)
            .map(|k| {
                place(&at(&document, Some(clip), from + (to - from) * f64::from(k) / 20.0), node)
            })
            .collect();
        let went = was.iter().map(|p| p.distance(was[10])).fold(0.0, f32::max);
        if notes.iter().any(|n| n.contains("cannot reach any farther")) {
            // The legs are already straight while the hips move on, so the foot can only get as
            // near as possible.
            assert!(off < went, "{folder} {foot}: {off} of {went}");
        } else {
            // Between frames, the joints rotate from key to key on their own arcs. At the frames
            // themselves, the foot is nearer; see `situations_limbs`.
            assert!(off < 0.005, "{folder} {foot}: {off} of {went}");
            exact += 1;
        }
        for limb in ["LeftHand", "left_hand"] {
            if let Some(other) =
                document.node_ids().find(|n| document.node(*n).name.as_deref() == Some(limb))
            {
                for k in 0..10 {
                    let time = f64::from(k) * 0.1;
                    let moved = place(&at(now, Some(clip), time), other)
                        .distance(place(&at(&document, Some(clip), time), other));
                    assert!(moved < 1e-6, "{folder}: the hand moved by {moved}");
                }
            }
        }
        held += 1;
    }
    println!("{exact} of {held} reach their place");
    assert!(held == 6 && exact >= 2, "{exact} of {held}");
}

/// Returns the distances between consecutive nodes in a pose.
fn lengths(pose: &Pose, nodes: &[NodeId]) -> Vec<f32> {
    nodes.windows(2).map(|w| place(pose, w[0]).distance(place(pose, w[1]))).collect()
}

/// Hands and feet of the same bodies must reach their targets, and bones must keep their lengths.
#[test]
fn hands_and_feet_reach_their_targets() {
    let bodies: [(&str, &[[&str; 3]]); 4] = [
        (
            "nulls-between-joints",
            &[
                ["LeftUpperArm", "LeftLowerArm", "LeftHand"],
                ["LeftUpperLeg", "LeftLowerLeg", "LeftFoot"],
                ["RightUpperArm", "RightLowerArm", "RightHand"],
            ],
        ),
        (
            "mirrored-parent",
            &[
                ["LeftUpperArm", "LeftLowerArm", "LeftHand"],
                ["RightUpperArm", "RightLowerArm", "RightHand"],
                ["RightUpperLeg", "RightLowerLeg", "RightFoot"],
            ],
        ),
        (
            "rigid-figure",
            &[["left_arm", "left_forearm", "left_hand"], ["right_leg", "right_shin", "right_foot"]],
        ),
        (
            "fbx-helper-nodes",
            &[
                ["mixamorig:LeftArm", "mixamorig:LeftForeArm", "mixamorig:LeftHand"],
                ["mixamorig:RightUpLeg", "mixamorig:RightLeg", "mixamorig:RightFoot"],
            ],
        ),
    ];
    let mut tried = 0;
    for (folder, limbs) in bodies {
        let Some(path) = situation(&format!("{folder}/in.glb")) else { return };
        for limb in limbs {
            for (k, part) in [0.45f32, 0.6, 0.75, 0.9, 0.97].into_iter().enumerate() {
                let mut session = open(&path);
                let document = session.document().clone();
                let before = at(&document, None, 0.0);
                let nodes = limb.map(|n| named(&document, n));
                let was = lengths(&before, &nodes);
                let angle = 0.9 * k as f32;
                let way = Vec3::new(angle.cos(), -0.4 + 0.2 * k as f32, angle.sin())
                    .normalize_or(Vec3::Y);
                // Directions that are unreachable under a non-uniform scale are not tested here.
                let part = if limb[0] == "RightUpperArm" && folder == "nulls-between-joints" {
                    part.min(0.75)
                } else {
                    part
                };
                let target = place(&before, nodes[0]) + way * (was[0] + was[1]) * part;
                let notes = run(
                    &mut session,
                    CommandLine::new("pose.ik").with("node", limb[2]).with("to", target.to_array()),
                );
                let after = at(session.document(), None, 0.0);
                let off = place(&after, nodes[2]).distance(target);
                assert!(off < 1e-4, "{folder} {limb:?} {part}: {off} {notes:?}");
                for (was, is) in was.iter().zip(lengths(&after, &nodes)) {
                    assert!(
                        (was - is).abs() < 1e-4
                            || notes.iter().any(|n| n.contains("nonuniform scale")),
                        "{folder} {limb:?}: {was} {is} {notes:?}"
                    );
                }
                for node in document.node_ids() {
                    let (a, b) = (
                        before.local[node.index()].transform(),
                        after.local[node.index()].transform(),
                    );
                    assert!(
                        a.translation == b.translation && a.scale == b.scale,
                        "{folder}: {} is torn off",
                        document.node(node).label(node)
                    );
                }
                tried += 1;
            }
        }
    }
    assert_eq!(tried, 50);
}

/// Builds a chain of joints with helper nodes between them. Each node has an offset, angles and a
/// scale, and a flag for joints.
fn chain(nodes: &[(Vec3, Vec3, f32, bool)]) -> Session {
    let all: Vec<_> = nodes
        .iter()
        .enumerate()
        .map(|(k, (offset, angles, scale, joint))| {
            let mut node = json!({
                "name": if *joint { format!("j{k}") } else { format!("null{k}") },
                "translation": offset.to_array(), "scale": Vec3::splat(*scale).to_array(),
                "rotation": Quat::from_euler(glam::EulerRot::XYZ, angles.x, angles.y,
                    angles.z).to_array(),
            });
            if k + 1 < nodes.len() {
                node["children"] = json!([k + 1]);
            }
            node
        })
        .collect();
    let joints: Vec<usize> = (0..nodes.len()).filter(|k| nodes[*k].3).collect();
    let file = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }],
        "nodes": all, "skins": [{ "joints": joints }],
    });
    Session::open_bytes(file.to_string().as_bytes()).unwrap()
}

fn vectors(size: f32) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 160, failure_persistence: None,
        ..ProptestConfig::default() })]

    /// Helper nodes between joints have any rotation, offset, size and sign. The end of the chain
    /// must reach targets within its range. Bones keep their lengths, and only rotations of joints
    /// change.
    #[test]
    fn helper_nodes_between_joints_do_not_affect_ik(
        bones in prop::collection::vec((vectors(1.0), 0.3f32..1.0, vectors(1.5), 0usize..3), 3..5),
        helpers in prop::collection::vec((vectors(0.2), vectors(2.0), 0.6f32..1.6, any::<bool>()),
            12),
        whole in -2.0f32..2.0, way in vectors(1.0), part in 0.1f32..0.97,
    ) {
        let mut free = helpers.iter();
        let mut nodes = vec![(Vec3::ZERO, Vec3::new(0.4, -0.7, 0.2), 10f32.powf(whole), false)];
        for (offset, length, angles, count) in &bones {
            for (offset, angles, scale, mirrored) in free.by_ref().take(*count) {
                nodes.push((*offset, *angles, if *mirrored { -scale } else { *scale }, false));
            }
            nodes.push((offset.normalize_or(Vec3::Y) * *length, *angles, 1.0, true));
        }
        let mut session = chain(&nodes);
        let document = session.document().clone();
        let before = at(&document, None, 0.0);
        let flags = document.joint_flags();
        let joints: Vec<NodeId> = document.node_ids().filter(|n| flags[n.index()]).collect();
        let was = lengths(&before, &joints);
        let (most, longest) = (was.iter().sum::<f32>(), was.iter().copied().fold(0.0, f32::max));
        prop_assume!(was.iter().all(|l| *l > 0.05 * most));
        let least = (2.0 * longest - most).max(0.0);
        let target =
            place(&before, joints[0]) + way.normalize_or(Vec3::X) * (least + (most - least) * part);
        let end = joints[joints.len() - 1];
        let line = CommandLine::new("pose.ik").with("node", document.node(end).label(end).as_str());
        let notes =
            run(&mut session, line.with("chain", joints.len() - 1).with("to", target.to_array()));
        let after = at(session.document(), None, 0.0);
        let off = place(&after, end).distance(target);
        prop_assert!(off < 1e-4 * most, "{off} of {most}: {notes:?}");
        prop_assert!(notes.is_empty(), "{notes:?}");
        for (a, b) in lengths(&after, &joints).iter().zip(&was) {
            prop_assert!((a - b).abs() < 1e-4 * most, "{a} {b}");
        }
        for node in document.node_ids() {
            let (a, b) =
                (before.local[node.index()].transform(), after.local[node.index()].transform());
            prop_assert!(a.translation == b.translation && a.scale == b.scale);
            prop_assert!(flags[node.index()] || a.rotation == b.rotation, "a helper turns");
        }
    }
}

/// The rig has a root above the hips, and control nodes next to them. When the hips are dragged,
/// the root, the controls and the feet stay in place.
#[test]
fn dragging_the_hips_keeps_their_root() {
    let Some(shared) = shared() else { return };
    let mut session = open(&shared.join("corpus/characters/Knight/Knight.glb"));
    let document = session.document().clone();
    let before = at(&document, None, 0.0);
    let hips = named(&document, "hips");
    let target = place(&before, hips) + Vec3::new(0.04, -0.06, 0.02);
    run(
        &mut session,
        CommandLine::new("pose.ik").with("node", "hips").with("to", target.to_array()),
    );
    let after = at(session.document(), None, 0.0);
    assert!(place(&after, hips).distance(target) < 1e-4);
    let legs = ["hips", "upperleg.l", "lowerleg.l", "foot.l", "upperleg.r", "lowerleg.r", "foot.r"];
    for node in document.node_ids() {
        let same = before.local[node.index()].transform() == after.local[node.index()].transform();
        let label = document.node(node).label(node);
        assert_eq!(same, !legs.contains(&label.as_str()), "{label}");
    }
    for foot in ["foot.l", "foot.r"] {
        let node = named(&document, foot);
        assert!(place(&before, node).distance(place(&after, node)) < 1e-4, "{foot}");
    }
}

/// The figure has no skin. Steps are detected, and body parts that cannot be found are named.
#[test]
fn steps_of_a_figure_without_a_skin_are_detected() {
    let Some(path) = situation("rigid-figure/in.glb") else { return };
    let mut session = open(&path);
    let notes = run(&mut session, CommandLine::new("clip.footfalls").with("clip", "walk"));
    assert!(notes[0].contains("steps marked"), "{notes:?}");
    let Some(path) = situation("turns-past-180/in.glb") else { return };
    let mut session = open(&path);
    let clip = session.document().clips.ids().next().unwrap();
    let line = CommandLine::new("clip.footfalls").with("clip", format!("#{}", clip.0).as_str());
    let error = session.run_line(&line).unwrap_err().to_string();
    assert!(error.contains("no feet were found"), "{error}");
}

/// Removing travel, or moving it to a root, changes only translations. The feet keep their motion
/// relative to the hips.
#[test]
fn root_motion_changes_no_rotation_and_keeps_the_motion_of_the_feet() {
    let mut tried = 0;
    for (folder, clip, hips, feet, carrier) in [
        ("rigid-figure", "walk", "body", ["left_foot", "right_foot"], "root"),
        ("nulls-between-joints", "Walk", "Hips", ["LeftFoot", "RightFoot"], "Armature"),
        ("mirrored-parent", "Walk", "Hips", ["LeftFoot", "RightFoot"], "Armature"),
        (
            "fbx-helper-nodes",
            "mixamo.com",
            "mixamorig:Hips",
            ["mixamorig:LeftFoot", "mixamorig:RightFoot"],
            "Scene",
        ),
    ] {
        for to in ["in place", "root"] {
            let Some(path) = situation(&format!("{folder}/in.glb")) else { return };
            let mut session = open(&path);
            let document = session.document().clone();
            let id = clip_named(&document, clip);
            let line = CommandLine::new("clip.root_motion")
                .with("clip", format!("#{}", id.0).as_str())
                .with("to", to);
            let notes = run(&mut session, line);
            println!("{folder} {to}: {notes:?}");
            let now = session.document();
            for (track, was) in
                document.clips[id].tracks.iter().filter(|(_, t)| t.property == Property::Rotation)
            {
                assert!(
                    now.clips[id].tracks[track] == *was,
                    "{folder} {to}: a rotation track is another one"
                );
            }
            let added = now.clips[id]
                .tracks
                .values()
                .filter(|t| document.clips[id].track(t.target, t.property).is_none());
            for track in added {
                let label = now.node(track.target).label(track.target);
                assert_eq!(
                    (label.as_str(), track.property),
                    (carrier, Property::Translation),
                    "{folder} {to}"
                );
            }
            let hips = named(&document, hips);
            let start = place(&at(now, Some(id), 0.0), hips);
            for k in 0..=20 {
                let time = f64::from(k) * 0.05;
                let (was, is) = (at(&document, Some(id), time), at(now, Some(id), time));
                for foot in feet.map(|f| named(&document, f)) {
                    let (a, b) = (
                        place(&was, foot) - place(&was, hips),
                        place(&is, foot) - place(&is, hips),
                    );
                    assert!(a.distance(b) < 2e-3, "{folder} {to} at {time}: {a} {b}");
                }
                if to == "in place" {
                    let gone = place(&is, hips) - start;
                    assert!(gone.with_y(0.0).length() < 2e-3, "{folder} at {time}: {gone}");
                } else {
                    assert!(
                        place(&was, hips).distance(place(&is, hips)) < 2e-3,
                        "{folder} at {time}"
                    );
                }
            }
            tried += 1;
        }
    }
    assert_eq!(tried, 8);
}
