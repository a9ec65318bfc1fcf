//! Unkeyed poses must follow changes of the skeleton, and the change of the mix must be measured.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use glam::Vec3;
use serde_json::json;
use ulna_edit::{CommandLine, command::mix_of};
use ulna_model::{Components, Document, NodeId, UnkeyedAt};
use ulna_motion::{ComparedMotion, Mixer, Pose, SeenPoints, Stack};
use ulna_session::Session;

use crate::common::{named, run, sample};

fn line(name: &str) -> CommandLine {
    CommandLine::new(name)
}

/// Returns a command line that edits the unkeyed pose of a node in the clip *Walk*, at 0.4 seconds.
fn unkeyed(name: &str, node: &str) -> CommandLine {
    line(name).with("node", node).with("clip", "Walk").with("time", 0.4)
}

/// Opens the sample with an unkeyed pose of an arm.
fn posed() -> Session {
    let mut session = sample();
    for (node, axis, degrees) in [("LeftUpperArm", "y", 35), ("LeftLowerArm", "z", -40)] {
        let turn = unkeyed("pose.turn", node).with("axis", axis).with("degrees", degrees);
        run(&mut session, turn);
    }
    assert_eq!(session.document().unkeyed_nodes().len(), 2);
    session
}

fn the_time(document: &Document) -> UnkeyedAt {
    *document.aids.unkeyed.keys().next().unwrap()
}

/// Returns the unkeyed pose, and the poses of the clip at other times.
fn poses(document: &Document, at: UnkeyedAt) -> Vec<Pose> {
    let unkeyed = document.aids.unkeyed.get(&at).cloned();
    let shown = |time: f64| Stack::shown(document, Some(at.clip), time);
    let stacks = [shown(f64::from(at.time())).with_unkeyed(unkeyed), shown(0.1), shown(0.7)];
    stacks.iter().map(|stack| Pose::evaluate(document, stack)).collect()
}

/// Returns the largest distance between both skins in these poses, in meters.
fn skin_apart(before: &Document, after: &Document, at: UnkeyedAt) -> f32 {
    let points = |d: &Document| -> Vec<Vec3> {
        let seen = SeenPoints::of(d, usize::MAX);
        poses(d, at).iter().flat_map(|pose| seen.at(pose)).collect()
    };
    let pairs = points(before).into_iter().zip(points(after));
    pairs.map(|(a, b)| a.distance(b)).fold(0.0, f32::max)
}

fn locals(document: &Document, at: UnkeyedAt, node: NodeId) -> Components {
    document.aids.unkeyed_components(&at, node)
}

#[test]
fn orienting_a_joint_keeps_its_unkeyed_pose_and_that_of_its_child() {
    let mut session = posed();
    let before = session.document().clone();
    let at = the_time(&before);
    let report = {
        let to = json!([70, 15, -40]);
        run(&mut session, line("joint.orient").with("node", "LeftUpperArm").with("degrees", to));
        session.take_rig_report().unwrap()
    };
    assert_eq!((report.deviation.worst_mm, report.tracks.baked), (0.0, 0));
    let after = session.document();
    assert!(skin_apart(&before, after, at) < 1e-5);
    for name in ["LeftUpperArm", "LeftLowerArm"] {
        let node = named(&before, name);
        let (was, now) = (locals(&before, at, node), locals(after, at, node));
        assert!(was.rotation != now.rotation);
        // Components without an unkeyed value come from the clip.
        assert_eq!((now.translation, now.scale), (None, None), "{name}");
    }
    session.undo();
    assert!(*session.document() == before);
}

#[test]
fn a_moved_pivot_follows_the_unkeyed_rotation() {
    let mut session = posed();
    let before = session.document().clone();
    let at = the_time(&before);
    run(
        &mut session,
        line("joint.move").with("node", "LeftUpperArm").with("by", json!([0, 0.05, 0])),
    );
    let stated = session.take_rig_report().unwrap().deviation.worst_mm as f32 / 1000.0;
    let after = session.document();
    let off = skin_apart(&before, after, at);
    assert!(off <= stated * 1.2 + 1e-5 && stated < 5e-4, "{off} {stated}");
    let arm = named(&before, "LeftUpperArm");
    assert!(locals(after, at, arm).translation.is_some());
}

#[test]
fn the_unkeyed_pose_of_a_dissolved_joint_moves_to_its_children() {
    let mut session = posed();
    let before = session.document().clone();
    let at = the_time(&before);
    let [arm, hand] = ["LeftLowerArm", "LeftHand"].map(|n| named(&before, n));
    run(&mut session, line("joint.dissolve").with("node", "LeftLowerArm"));
    let after = session.document();
    assert!(!after.nodes.contains(arm) && after.nodes.contains(hand));
    after.check().unwrap();
    let found = locals(after, at, hand);
    assert!(found.rotation.is_some() && found.translation.is_some());
    for (a, b) in poses(&before, at).iter().zip(poses(after, at)) {
        let (a, b) = (a.world[hand.index()], b.world[hand.index()]);
        assert!(a.abs_diff_eq(b, 2e-3), "{a} {b}");
    }
    session.undo();
    assert!(*session.document() == before);
}

#[test]
fn a_reparented_joint_keeps_its_unkeyed_pose() {
    let mut session = posed();
    let before = session.document().clone();
    let at = the_time(&before);
    let arm = named(&before, "LeftLowerArm");
    let parent = before.node(named(&before, "LeftUpperArm")).parent.unwrap();
    let to = before.node(parent).label(parent);
    run(&mut session, line("joint.reparent").with("node", "LeftLowerArm").with("to", &*to));
    let after = session.document();
    assert_eq!(after.node(arm).parent, Some(parent));
    for (a, b) in poses(&before, at).iter().zip(poses(after, at)) {
        let (a, b) = (a.world[arm.index()], b.world[arm.index()]);
        assert!(a.abs_diff_eq(b, 2e-3), "{a} {b}");
    }
}

/// Two clips are blended in equal parts. After the pivot of a joint is moved, its translations do
/// not blend like its rotations.
#[test]
fn a_mix_that_changes_more_than_its_clips_is_reported() {
    let mut session = sample();
    let clips: Vec<String> = {
        let document = session.document();
        document.clips.ids().take(2).map(|id| document.clip_label(id)).collect()
    };
    let lane = |clip: &str, weight: f64| {
        let bar = json!({"plays": {"clip": clip}, "length": 2});
        json!({"name": clip, "weight": weight, "bars": [bar]})
    };
    let mix = json!({"lanes": [lane(&clips[0], 1.0), lane(&clips[1], 0.5)]});
    run(&mut session, line("mix.set").with("mix", mix));
    let before = session.document().clone();
    let by = json!([0.0, 0.1, 0.1]);
    let said = run(&mut session, line("joint.move").with("node", "LeftUpperArm").with("by", by));
    let deviation = session.take_rig_report().unwrap().deviation;
    let after = session.document();
    let worst = deviation.at().unwrap();
    assert_eq!(worst.motion, ComparedMotion::Mix, "{said:?}");
    assert!(said.concat().contains("in the mix at"), "{said:?}");
    let (mix, mut mixer) = (mix_of(&before).unwrap(), Mixer::default());
    let mut seen = |document: &Document, time: f64| -> Vec<Vec3> {
        let pose = Pose::evaluate(document, &mixer.stack(document, &mix, time));
        SeenPoints::of(document, usize::MAX).at(&pose)
    };
    let mut most = 0.0f32;
    for k in 0..=200 {
        let time = 2.0 * f64::from(k) / 200.0;
        let pairs = seen(&before, time).into_iter().zip(seen(after, time));
        most = pairs.map(|(a, b)| a.distance(b)).fold(most, f32::max);
    }
    let stated = worst.mm as f32 / 1000.0;
    assert!(most <= stated * 1.2 && stated <= most * 1.2, "{most} {stated}");
}
