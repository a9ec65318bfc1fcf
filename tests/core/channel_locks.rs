//! Locked channels: posing commands must not change them, and the file must store them.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use glam::{EulerRot, Quat};
use serde_json::{Value, json};
use ulna_edit::{CommandLine, Executor, table};
use ulna_formats::gltf::Progress;
use ulna_model::{ChannelLocks, Document, NodeId, Property, Transform, transform::angle_between};
use ulna_motion::{Pose, Stack};
use ulna_session::{Session, compare_states, differences};

use super::random::{Draw, value};
use crate::common::{glb, named, run, sample, shared, split};

fn line(name: &str) -> CommandLine {
    CommandLine::new(name)
}

fn lock(node: impl Into<Value>, channels: &str) -> CommandLine {
    line("node.lock_channels").with("node", node).with("channels", channels)
}

fn offset(document: &Document, node: NodeId) -> Transform {
    document.node(node).user().unwrap_or_default()
}

fn angles(q: Quat) -> [f32; 3] {
    let (x, y, z) = q.to_euler(EulerRot::XYZ);
    [x, y, z].map(f32::to_degrees)
}

fn saved(session: &Session) -> (Session, Value) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.glb");
    session.write_to(&path).unwrap_or_else(|e| panic!("{e}"));
    let json = split(&std::fs::read(&path).unwrap()).0;
    (Session::open(&path, &Progress::default()).unwrap(), json)
}

/// Describes the locked channel of a pose offset that changed. `None` if none did.
fn changed(locks: ChannelLocks, was: &Transform, is: &Transform) -> Option<String> {
    for k in 0..3 {
        let moved = was.translation[k].to_bits() != is.translation[k].to_bits();
        if locks.translation[k] && moved {
            return Some(format!("translation {k}: {} {}", was.translation, is.translation));
        }
        if locks.scale[k] && was.scale[k].to_bits() != is.scale[k].to_bits() {
            return Some(format!("scale {k}: {} {}", was.scale, is.scale));
        }
    }
    if locks.has_all_of(Property::Rotation) {
        let bits = |q: Quat| q.to_array().map(f32::to_bits);
        return (bits(was.rotation) != bits(is.rotation))
            .then(|| format!("rotation: {} {}", was.rotation, is.rotation));
    }
    let (a, b) = (angles(was.rotation), angles(is.rotation));
    // Near ±90° about y, the other two angles are not unique.
    if a[1].abs() > 80.0 || b[1].abs() > 80.0 {
        return None;
    }
    let differs = |k: usize| {
        let turned = (a[k] - b[k]).rem_euclid(360.0);
        // Beyond 90° about y, the same rotation has angles that differ by half turns about x and z.
        let near = |to: f32| (turned - to).abs() < 0.05;
        !(near(0.0) || near(360.0) || (k != 1 && near(180.0)))
    };
    (0..3).find(|k| locks.rotation[*k] && differs(*k)).map(|k| format!("angle {k}: {a:?} {b:?}"))
}

/// Returns a posing command with random arguments.
fn posing(draw: &mut Draw, document: &Document, into_file: bool) -> CommandLine {
    let poses = |name: &str| {
        name.starts_with("pose.")
            && !matches!(
                name,
                "pose.keep" | "pose.forget" | "pose.rename_kept" | "pose.reset_to_file"
            )
    };
    let specs: Vec<_> =
        table().iter().filter(|s| poses(s.name) && !matches!(s.executor, Executor::Host)).collect();
    let spec = specs[draw.below(specs.len())];
    let mut line = CommandLine::new(spec.name);
    for argument in &spec.arguments {
        let elsewhere = into_file && matches!(argument.name, "clip" | "time" | "layer");
        let wanted = argument.required || draw.below(4) == 0 || spec.name.starts_with("pose.set");
        if wanted && !elsewhere {
            line = line.with(argument.name, value(argument, draw, document));
        }
    }
    // A command with both `rotation` and `degrees` is refused, so one of them is removed.
    if draw.below(2) == 0 {
        line.arguments.remove("rotation");
    } else {
        line.arguments.remove("degrees");
    }
    line
}

#[test]
fn pose_commands_never_change_a_locked_channel() {
    let channels = [
        "all",
        "translation",
        "translation_x",
        "translation_z",
        "rotation",
        "rotation_x",
        "rotation_y",
        "rotation_z",
        "scale",
        "scale_y",
    ];
    let (mut done, mut noted, mut posed) = (0, 0, 0);
    for seed in 1..=12 {
        let mut session = sample();
        let mut draw = Draw(seed * 7919 + 13);
        let nodes: Vec<NodeId> = session.document().node_ids().collect();
        // The joints are locked in their current pose, which is not the rest pose.
        for _ in 0..30 {
            let line = posing(&mut draw, session.document(), true);
            let _refused = session.run_line(&line);
        }
        for node in &nodes {
            for _ in 0..draw.below(4) {
                let channels = channels[draw.below(channels.len())];
                run(&mut session, lock(format!("#{}", node.0), channels));
            }
        }
        session.take_sentence();
        for _ in 0..60 {
            let before = session.document().clone();
            let line = posing(&mut draw, &before, true);
            let Ok(is_done) = session.run_line(&line) else { continue };
            let said = session.take_sentence().unwrap_or_default();
            let after = session.document();
            done += 1;
            noted += usize::from(said.contains("locked channels of"));
            for node in &nodes {
                let locks = before.node(*node).locks;
                assert_eq!(after.node(*node).locks, locks, "{line}");
                let (was, is) = (offset(&before, *node), offset(after, *node));
                posed += usize::from(was != is && !locks.is_empty());
                if let Some(what) = changed(locks, &was, &is) {
                    panic!("{line}: {}: {what} {locks:?}", after.node(*node).label(*node));
                }
            }
            if is_done && draw.below(3) == 0 {
                session.undo();
            }
        }
        session.document().check().unwrap();
    }
    assert!(done > 300 && noted > 60 && posed > 300, "{done} {noted} {posed}");
}

#[test]
fn channel_locks_apply_to_poses_in_a_clip_but_not_to_playback() {
    let mut session = sample();
    let before = session.document().clone();
    let arm = named(&before, "LeftUpperArm");
    let clip = before.clips.ids().next().unwrap();
    let seen = |document: &Document, time: f64| {
        let held = document.aids.unkeyed(clip, time).map(|(_, pose)| pose.clone());
        let pose =
            Pose::evaluate(document, &Stack::shown(document, Some(clip), time).with_unkeyed(held));
        pose.local[arm.index()].transform()
    };
    run(&mut session, lock("LeftUpperArm", "rotation_x"));
    run(&mut session, lock("LeftUpperArm", "rotation_z"));
    for time in [0.0, 0.3, 0.7] {
        assert_eq!(seen(&before, time), seen(session.document(), time));
    }
    let rest = before.node(arm).rest.transform();
    let at = seen(&before, 0.3);
    let own = |t: &Transform| angles(rest.user_from(t).unwrap().rotation);
    let name = ulna_edit::clip_text(&before, clip);
    let turn = |axis: &str| {
        line("pose.turn")
            .with("node", "LeftUpperArm")
            .with("axis", axis)
            .with("degrees", 40)
            .with("space", "world")
            .with("clip", name.clone())
            .with("time", 0.3)
    };
    for axis in ["x", "y", "z"] {
        let said = run(&mut session, turn(axis));
        assert!(said[0].contains("locked channels of “LeftUpperArm”"), "{said:?}");
        let (a, b) = (own(&at), own(&seen(session.document(), 0.3)));
        assert!((a[0] - b[0]).abs() < 0.01 && (a[2] - b[2]).abs() < 0.01, "{a:?} {b:?}");
    }
    let moved = angle_between(at.rotation, seen(session.document(), 0.3).rotation);
    assert!(moved > 0.05, "the free angle takes its part: {moved}");
    // Typed values for an unkeyed pose and for a key keep the locked channels, too. Only unlocked
    // channels get the new value.
    let typed = |name: &str| {
        line(name)
            .with("node", "LeftUpperArm")
            .with("clip", ulna_edit::clip_text(&before, clip))
            .with("time", 0.3)
            .with("degrees", [10.0, 20.0, 30.0])
    };
    for name in ["unkeyed.set", "key.set"] {
        let said = run(&mut session, typed(name));
        assert!(said.iter().any(|s| s.contains("locked channels")), "{name}: {said:?}");
        let (a, b) = (own(&at), own(&seen(session.document(), 0.3)));
        assert!((a[0] - b[0]).abs() < 0.05 && (a[2] - b[2]).abs() < 0.05, "{a:?} {b:?}");
    }
}

#[test]
fn a_joint_whose_rotation_is_locked_is_not_turned_by_ik() {
    let mut session = sample();
    run(&mut session, lock("LeftUpperLeg", "rotation"));
    let before = session.document().clone();
    let foot = named(&before, "LeftFoot");
    let at = Pose::evaluate(&before, &Stack::default()).world[foot.index()].w_axis.truncate();
    let to = at + glam::Vec3::new(0.0, 0.1, -0.15);
    run(&mut session, line("pose.ik").with("node", "LeftFoot").with("to", to.to_array()));
    let turned = |name: &str| {
        let node = named(&before, name);
        angle_between(offset(&before, node).rotation, offset(session.document(), node).rotation)
    };
    assert_eq!(turned("LeftUpperLeg"), 0.0);
    assert!(turned("LeftLowerLeg") > 0.1, "the knee bends: {}", turned("LeftLowerLeg"));
}

#[test]
fn locks_are_set_undone_and_saved_in_the_file() {
    let mut session = sample();
    let opened = session.document().clone();
    run(&mut session, lock(json!(["Head", "Jaw"]), "translation"));
    run(&mut session, lock("Head", "rotation_y"));
    run(&mut session, lock("Jaw", "translation_y").with("on", false));
    let head = ChannelLocks {
        translation: [true; 3],
        rotation: [false, true, false],
        ..ChannelLocks::default()
    };
    let jaw = ChannelLocks { translation: [true, false, true], ..ChannelLocks::default() };
    let of = |session: &Session, name: &str| {
        let document = session.document();
        document.node(named(document, name)).locks
    };
    assert_eq!((of(&session, "Head"), of(&session, "Jaw")), (head, jaw));
    let said = run(&mut session, lock("Head", "rotation_y"));
    assert!(said[0].contains("already"), "{said:?}");
    let (mut again, json) = saved(&session);
    assert_eq!((of(&again, "Head"), of(&again, "Jaw")), (head, jaw));
    let lost = differences(&session.to_save(), &again.to_save());
    assert!(lost.is_empty(), "{lost:?}");
    let told = compare_states(&opened, again.document());
    assert!(told.differences.iter().any(|d| d.message.contains("locked channels")), "{told:?}");
    let extras = &json["nodes"][named(again.document(), "Head").index()]["extras"]["ulna.locks"];
    assert_eq!(
        *extras,
        json!({"version": 1, "translation": [true, true, true], "rotation": [false, true, false]})
    );
    // Removing a node removes its locks. The other nodes keep theirs, even if their indices change.
    run(&mut again, line("node.remove").with("node", "LeftHand"));
    let (mut fewer, _) = saved(&again);
    assert!(fewer.document().nodes.count() < opened.nodes.count());
    assert_eq!((of(&fewer, "Head"), of(&fewer, "Jaw")), (head, jaw));
    run(&mut fewer, lock("*", "all").with("on", false));
    let (free, json) = saved(&fewer);
    assert!(free.document().nodes.values().all(|n| n.locks.is_empty()));
    assert!(!json.to_string().contains("ulna.locks"));
    while session.undo().is_some() {}
    assert_eq!(*session.document(), opened);
}

#[test]
fn invalid_locks_stay_in_the_file() {
    for bad in [json!({"version": 9}), json!({"version": 1, "translation": [1, 2]}), json!(3)] {
        let file = json!({
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
            "nodes": [{"name": "a", "extras": {"ulna.locks": bad, "mine": 1}}],
        });
        let mut session = Session::open_bytes(&glb(file, &[])).unwrap();
        assert!(session.document().node(NodeId(0)).locks.is_empty(), "{bad}");
        assert!(session.diagnostics.iter().any(|d| d.code == "ULNA_CLIP_EXTRAS"));
        run(&mut session, line("node.rename").with("node", "a").with("name", "b"));
        let (_, json) = saved(&session);
        assert_eq!(json["nodes"][0]["extras"], json!({"ulna.locks": bad, "mine": 1}));
    }
}

#[test]
fn a_copy_of_a_locked_node_is_locked_and_saved() {
    let mut session = sample();
    run(&mut session, lock("LeftHand", "scale"));
    run(&mut session, line("node.duplicate").with("node", "LeftHand"));
    let copies = |session: &Session| {
        let document = session.document();
        document.nodes.values().filter(|n| n.locks.has_all_of(Property::Scale)).count()
    };
    assert_eq!(copies(&session), 2);
    assert_eq!(copies(&saved(&session).0), 2);
}

#[test]
fn locks_are_saved_in_files_of_every_kind() {
    let Some(folder) = shared() else { return };
    let mut tried = 0;
    for path in crate::common::models(&folder.join("situations")).into_iter().take(40) {
        let Ok(mut session) = Session::open(&path, &Progress::default()) else { continue };
        if session.document().nodes.count() == 0 {
            continue;
        }
        run(&mut session, lock("*", "all"));
        let before = session.document().clone();
        let turn = line("pose.turn").with("node", "*").with("axis", "x").with("degrees", 30);
        // The rotation can be refused, because a parent has zero scale.
        let _refused = session.run_line(&turn);
        let poses = |d: &Document| d.nodes.values().map(|n| n.pose).collect::<Vec<_>>();
        assert_eq!(poses(&before), poses(session.document()), "{}", path.display());
        if session.pack("a").is_ok() {
            tried += 1;
        }
    }
    assert!(tried > 3, "{tried}");
}
