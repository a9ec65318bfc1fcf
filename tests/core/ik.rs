//! Inverse kinematics and pins, on random chains of any scale and sign, and on real skeletons.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use glam::{EulerRot, Mat4, Quat, Vec3};
use proptest::prelude::*;
use serde_json::json;
use ulna_edit::CommandLine;
use ulna_model::{Document, NodeId, transform::angle_between};
use ulna_motion::{Pose, Stack, ik};
use ulna_session::Session;

use crate::common::{named, run, sample};

fn pose(session: &Session) -> Pose {
    Pose::evaluate(session.document(), &Stack::default())
}

fn place(pose: &Pose, node: NodeId) -> Vec3 {
    pose.world[node.index()].w_axis.truncate()
}

/// Builds a scaled parent with a chain of joints below it. `bones` has the offset and angles of
/// each joint.
fn chain(bones: &[(Vec3, Vec3)], scale: Vec3) -> Session {
    let mut nodes = vec![json!({
        "name": "above", "children": [1], "scale": scale.to_array(),
        "rotation": Quat::from_euler(EulerRot::XYZ, 0.3, -0.8, 0.5).to_array(),
    })];
    for (k, (offset, angles)) in bones.iter().enumerate() {
        let mut node = json!({
            "name": format!("j{k}"),
            "translation": offset.to_array(),
            "rotation": Quat::from_euler(EulerRot::XYZ, angles.x, angles.y, angles.z).to_array(),
        });
        if k + 1 < bones.len() {
            node["children"] = json!([k + 2]);
        }
        nodes.push(node);
    }
    let joints: Vec<usize> = (1..=bones.len()).collect();
    let file = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }],
        "nodes": nodes, "skins": [{ "joints": joints }],
    });
    Session::open_bytes(file.to_string().as_bytes()).unwrap()
}

fn vectors(size: f32) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from)
}

/// Generates bones in any direction. Their lengths differ at most by a factor of four.
fn bones(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<(Vec3, Vec3)>> {
    let bone = (vectors(1.0), 0.25f32..1.0, vectors(1.2))
        .prop_map(|(way, length, angles)| (way.normalize_or(Vec3::Y) * length, angles));
    prop::collection::vec(bone, count)
}

/// Returns the current bone lengths of a chain.
fn lengths(pose: &Pose, document: &Document, count: usize) -> Vec<f32> {
    let at = |k: usize| place(pose, named(document, &format!("j{k}")));
    (1..count).map(|k| at(k - 1).distance(at(k))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 160, failure_persistence: None,
        ..ProptestConfig::default() })]

    /// Under any uniform scale and sign, targets within reach are reached. Bones keep their
    /// lengths, and the end of the chain keeps its orientation.
    #[test]
    fn targets_within_reach_are_reached(
        bones in bones(3..7), power in -3.0f32..3.0, flips in prop::array::uniform3(any::<bool>()),
        way in vectors(1.0), part in 0.25f32..0.9, swivel in -180.0f32..180.0,
    ) {
        let factor = 10f32.powf(power);
        let scale = Vec3::from_array(flips.map(|f| if f { -factor } else { factor }));
        let mut session = chain(&bones, scale);
        let before = pose(&session);
        let count = bones.len();
        let was = lengths(&before, session.document(), count);
        let (most, longest) = (was.iter().sum::<f32>(), was.iter().copied().fold(0.0, f32::max));
        let least = (2.0 * longest - most).max(0.0);
        let root = place(&before, named(session.document(), "j0"));
        let target = root + way.normalize_or(Vec3::X) * (least + (most * 0.92 - least) * part);
        let end = format!("j{}", count - 1);
        let line = CommandLine::new("pose.ik").with("node", end.as_str()).with("chain", count - 1);
        let notes = run(&mut session, line.with("to", target.to_array()).with("swivel", swivel));
        prop_assert!(notes.is_empty(), "{notes:?}");
        let after = pose(&session);
        let node = named(session.document(), &end);
        let away = place(&after, node).distance(target);
        prop_assert!(away < 1e-3 * most, "{away} of {most}");
        for (a, b) in lengths(&after, session.document(), count).iter().zip(&was) {
            prop_assert!((a - b).abs() < 1e-4 * most, "{a} {b}");
        }
        let (a, b) = (before.world[node.index()], after.world[node.index()]);
        for (a, b) in [(a.x_axis, b.x_axis), (a.y_axis, b.y_axis), (a.z_axis, b.z_axis)] {
            prop_assert!((a - b).length() < 1e-3 * factor, "{a} {b}");
        }
    }

    /// With non-uniform scales within 1 : 100, the end of the chain may miss the target. It must
    /// never be farther from it than before.
    #[test]
    fn nonuniform_scales_never_increase_the_distance_to_the_target(
        bones in bones(3..5), scale in vectors(1.0),
        way in vectors(1.0)) {
        let scale = scale.signum() * scale.abs().max(Vec3::splat(0.1));
        let mut session = chain(&bones, scale);
        let before = pose(&session);
        let count = bones.len();
        let end = named(session.document(), &format!("j{}", count - 1));
        let was = lengths(&before, session.document(), count);
        let target =
            place(&before,
                named(session.document(), "j0")) + way.normalize_or(Vec3::X) * was.iter()
                    .sum::<f32>() * 0.6;
        let line = CommandLine::new("pose.ik").with("node", format!("j{}", count - 1)).with("chain",
            count - 1);
        run(&mut session, line.with("to", target.to_array()));
        let now = place(&pose(&session), end).distance(target);
        let then = place(&before, end).distance(target);
        prop_assert!(now.is_finite() && now <= then * 1.05 + 1e-3 * was.iter().sum::<f32>(),
            "{now} {then}");
    }

    /// Small steps of the target cause small steps of the joints. This holds for every path that
    /// stays five degrees away from the opposite direction.
    #[test]
    fn small_steps_of_the_target_cause_small_steps_of_the_joints(
        bones in bones(3..4), from in vectors(1.0), to in vectors(1.0),
            reach in prop::array::uniform2(0.35f32..0.85),
    ) {
        let session = chain(&bones, Vec3::ONE);
        let (document, start) = (session.document(), pose(&session));
        let node = named(document, "j2");
        let limb = ik::limb_of(document, &start, node, Some(2), false).unwrap();
        let root = place(&start, named(document, "j0"));
        let was = lengths(&start, document, 3);
        let least = (was[0] - was[1]).abs() / (was[0] + was[1]);
        let line = (place(&start, node) - root).normalize_or(Vec3::Y);
        let (from, to) = (from.normalize_or(Vec3::X), to.normalize_or(Vec3::Z));
        let mut last: Option<Vec<Quat>> = None;
        for k in 0..=400 {
            let part = k as f32 / 400.0;
            let way = from.lerp(to, part).normalize_or(from);
            if way.dot(line) < -(5f32.to_radians().cos()) || from.lerp(to, part).length() < 0.2 {
                last = None;
                continue;
            }
            let far = reach[0] + (reach[1] - reach[0]) * part;
            let distance = (least + (0.92 - least) * far) * (was[0] + was[1]);
            let goal = ik::Goal { tip: Vec3::ZERO, target: root + way * distance, swivel: 0.0,
                keeps: None, soft: true };
            let solved = ik::solve(document, &start, &limb, &goal);
            let now: Vec<Quat> = solved.rotations.iter().map(|(_, r)| *r).collect();
            if let Some(last) = last {
                for (a, b) in last.iter().zip(&now) {
                    // The target rotates by less than 3° per step. Near the opposite direction, the
                    // limb rotates by up to 23 times that angle.
                    prop_assert!(angle_between(*a, *b) < 1.2, "{k}: {}",
                        angle_between(*a, *b).to_degrees());
                }
            }
            last = Some(now);
        }
    }

    /// Pinned feet keep their position and orientation while the hips move within reach.
    #[test]
    fn pinned_feet_stay_while_the_hips_move(by in vectors(0.12), lower in 0.05f32..0.25,
        turn in -25.0f32..25.0) {
        let mut session = sample();
        let feet = ["LeftFoot", "RightFoot"];
        run(&mut session, CommandLine::new("pin.set").with("node", feet).with("kind", "both"));
        let before = pose(&session);
        let step = [by.x, by.y.min(0.0) - lower, by.z];
        run(&mut session,
            CommandLine::new("pose.move").with("node", "Hips").with("by", step).with("space",
                "world"));
        let line = CommandLine::new("pose.rotate").with("node", "Hips").with("axis",
            "y").with("space", "world");
        run(&mut session, line.with("degrees", turn));
        let after = pose(&session);
        for foot in feet {
            let node = named(session.document(), foot);
            let (a, b) = (before.world[node.index()], after.world[node.index()]);
            prop_assert!((a.w_axis - b.w_axis).length() < 1e-3, "{foot}: {}",
                (a.w_axis - b.w_axis).length());
            prop_assert!((a.x_axis - b.x_axis).length() < 1e-3
                && (a.y_axis - b.y_axis).length() < 1e-3);
        }
    }
}

/// Returns the ends of a character's limbs.
fn ends(document: &Document, pose: &Pose) -> Vec<NodeId> {
    let joints = document.joint_flags();
    let bones =
        |n: &NodeId| ik::limb_of(document, pose, *n, None, false).map_or(0, |l| l.turns.len());
    document.shown_nodes().into_iter().filter(|n| joints[n.index()] && bones(n) == 2).collect()
}

/// A target at the current position moves nothing, with and without softness. A drag therefore
/// starts without a jump.
#[test]
fn a_target_at_the_current_position_moves_nothing() {
    let Some(shared) = crate::common::shared() else { return };
    let (mut files, mut limbs) = (0, 0);
    for path in crate::common::models(&shared.join("corpus/characters")) {
        if std::fs::metadata(&path).is_ok_and(|m| m.len() > 24 << 20) {
            continue;
        }
        let Ok(session) = Session::open(&path, &ulna_formats::gltf::Progress::default()) else {
            continue;
        };
        let document = session.document();
        let pose = pose(&session);
        let mut some = false;
        for node in ends(document, &pose) {
            let limb = ik::limb_of(document, &pose, node, None, false).unwrap();
            let world = pose.world[node.index()];
            let goal = |soft| ik::Goal {
                tip: Vec3::ZERO,
                target: place(&pose, node),
                swivel: 0.0,
                keeps: Some(world),
                soft,
            };
            for soft in [false, true] {
                let solved = ik::solve(document, &pose, &limb, &goal(soft));
                for (joint, rotation) in &solved.rotations {
                    let was = pose.local[joint.index()].transform().rotation;
                    let by = angle_between(was, *rotation).to_degrees();
                    assert!(
                        by < 0.05,
                        "{}: {} turns by {by}°",
                        path.display(),
                        document.node(*joint).label(*joint)
                    );
                }
            }
            limbs += 1;
            some = true;
        }
        files += usize::from(some);
    }
    assert!(files >= 8 && limbs >= 40, "{files} files, {limbs} limbs");
}

#[test]
fn hands_and_feet_are_the_ends_of_the_expected_limbs() {
    let session = sample();
    let (document, pose) = (session.document(), pose(&session));
    let limb = |name: &str| {
        let limb = ik::limb_of(document, &pose, named(document, name), None, false).unwrap();
        limb.turns
            .iter()
            .map(|k| document.node(limb.nodes[*k]).label(limb.nodes[*k]))
            .collect::<Vec<_>>()
    };
    assert_eq!(limb("LeftHand"), ["LeftUpperArm", "LeftLowerArm"]);
    assert_eq!(limb("RightFoot"), ["RightUpperLeg", "RightLowerLeg"]);
    assert_eq!(
        document.node(ik::body_of(document, named(document, "LeftHand"))).label(NodeId::from(0)),
        "Hips"
    );
}

#[test]
fn the_body_follows_a_target_out_of_reach_and_returns() {
    for pinned in [true, false] {
        let mut session = sample();
        let feet = ["LeftFoot", "RightFoot"];
        // Feet stay in place without pins, too.
        if pinned {
            run(&mut session, CommandLine::new("pin.set").with("node", feet).with("kind", "both"));
        }
        let start = session.document().clone();
        let before = pose(&session);
        let hand = named(&start, "LeftHand");
        let at = place(&before, hand);
        let far = at + Vec3::new(0.35, 0.1, 0.5);
        let drag = |to: Vec3, body: &str| {
            CommandLine::new("pose.ik")
                .with("node", "LeftHand")
                .with("to", to.to_array())
                .with("body", body)
        };
        let gap = |session: &Session| place(&pose(session), hand).distance(far);
        let notes = run(&mut session, drag(far, "limb"));
        let alone = gap(&session);
        assert!(alone > 0.1 && notes[0].contains("reaches only"), "{alone} {notes:?}");
        session.undo().unwrap();
        run(&mut session, drag(far, "full"));
        let full = gap(&session);
        assert!(full < alone * 0.5, "{full} {alone}");
        let after = pose(&session);
        for foot in feet {
            let node = named(session.document(), foot);
            assert!(place(&before, node).distance(place(&after, node)) < 1e-3, "{foot}");
        }
        assert!(
            place(&before, named(&start, "Hips")).distance(place(&after, named(&start, "Hips")))
                > 0.01
        );
        session.undo().unwrap();
        // Drags there and back within one gesture.
        let read = |to| ulna_edit::Command::read(&drag(to, "full")).unwrap();
        session.preview_all("Drag", &[read(far)]).unwrap();
        session.preview_all("Drag", &[read(at)]).unwrap();
        session.commit();
        let back = pose(&session);
        for node in start.node_ids() {
            let (a, b) =
                (&before.local[node.index()].transform(), &back.local[node.index()].transform());
            assert!(
                angle_between(a.rotation, b.rotation).to_degrees() < 0.1,
                "{}",
                start.node(node).label(node)
            );
            assert!(a.translation.distance(b.translation) < 1e-4);
        }
    }
}

#[test]
fn a_head_looks_at_a_point() {
    let mut session = sample();
    let head = named(session.document(), "Head");
    let rest = pose(&session).world[head.index()];
    let forward = rest.inverse().transform_vector3(Vec3::Z);
    for at in [Vec3::new(2.0, 1.5, 3.0), Vec3::new(-1.0, 2.5, 1.0), Vec3::new(0.5, 0.0, 4.0)] {
        run(
            &mut session,
            CommandLine::new("pose.look_at").with("node", "Head").with("at", at.to_array()),
        );
        let world: Mat4 = pose(&session).world[head.index()];
        let (looks, way) = (
            world.transform_vector3(forward).normalize_or_zero(),
            (at - world.w_axis.truncate()).normalize_or_zero(),
        );
        assert!(looks.distance(way) < 1e-3, "{looks} {way}");
    }
}

#[test]
fn setting_and_clearing_pins_are_undo_steps() {
    let mut session = sample();
    run(&mut session, CommandLine::new("pin.set").with("node", ["LeftHand", "Head"]));
    let count = |s: &Session| s.document().aids.pins.len();
    assert_eq!(count(&session), 2);
    run(&mut session, CommandLine::new("pin.set").with("node", ["LeftHand", "Head"]));
    assert_eq!(count(&session), 0, "all were pinned");
    session.undo();
    assert_eq!(count(&session), 2);
    run(&mut session, CommandLine::new("pin.clear"));
    assert_eq!(count(&session), 0);
    assert!(!session.unsaved().file, "pins are of the sitting");
}

/// The locked foot of a walk stays within 2 mm, and is slower than a hundredth of its former speed.
/// The motion outside the range is unchanged.
#[test]
fn locking_a_sliding_foot_keeps_it_in_place() {
    let Some(shared) = crate::common::shared() else { return };
    let path = shared.join("corpus/characters/Fox49/fox-animations.glb");
    let mut session = Session::open(&path, &ulna_formats::gltf::Progress::default()).unwrap();
    let document = session.document().clone();
    let walk = document.clips.ids().find(|id| document.clip_label(*id) == "Walk").unwrap();
    let foot = named(&document, "Front_Leg_Foot_L");
    let stands = ik::contacts(&document, &document.clips[walk], foot);
    assert!(!stands.is_empty() && stands.iter().all(|r| r.to - r.from > 0.05), "{stands:?}");
    let line = CommandLine::new("pin.hold")
        .with("node", "Front_Leg_Foot_L")
        .with("clip", "Walk")
        .with("ease", 0.1);
    let notes = run(&mut session, line);
    assert!(notes[0].starts_with("held over"), "{notes:?}");
    let now = session.document();
    let at = |document: &Document, time: f32| {
        let stack = Stack::of(Some(&document.clips[walk]), f64::from(time));
        place(&Pose::evaluate(document, &stack), foot)
    };
    let ease = 0.1;
    for range in &stands {
        let middle = at(now, (range.from + range.to) * 0.5);
        let mut slid = (0.0f32, 0.0f32);
        for k in 0..=200 {
            let time = range.from + (range.to - range.from) * k as f32 / 200.0;
            let next = time + (range.to - range.from) / 200.0;
            assert!(
                at(now, time).distance(middle) < 2e-3,
                "at {time}: {}",
                at(now, time).distance(middle)
            );
            if k < 200 {
                slid.0 = slid.0.max(at(&document, time).distance(at(&document, next)));
                slid.1 = slid.1.max(at(now, time).distance(at(now, next)));
            }
        }
        assert!(slid.1 < slid.0 * 0.1, "{slid:?}");
    }
    // Locked ranges and their blends end on frames.
    let frames = 2.0 / 30.0 + 1e-3;
    let beyond = |time: f32| {
        stands.iter().all(|r| time < r.from - ease - frames || time > r.to + ease + frames)
    };
    let mut some = 0;
    for (id, was) in &document.clips[walk].tracks {
        let is = &now.clips[walk].tracks[id];
        let limb = [foot]
            .into_iter()
            .chain(ik::limb_of(&document, &pose(&session), foot, None, false).unwrap().nodes);
        if !limb.into_iter().any(|n| n == was.target)
            || was.property != ulna_model::Property::Rotation
        {
            assert!(was == is, "{}", document.node(was.target).label(was.target));
            continue;
        }
        for (k, time) in was.times.iter().enumerate().filter(|(_, t)| beyond(**t)) {
            let key = is.key_at(*time, 0.0).unwrap();
            assert_eq!(was.value(k), is.value(key));
            some += 1;
        }
    }
    assert!(some > 0, "no key lies beyond");
    let seen = (0..100).map(|k| k as f32 / 100.0).filter(|t| beyond(*t));
    for time in seen {
        assert!(at(now, time).distance(at(&document, time)) < 1e-5, "{time}");
    }
    let none = CommandLine::new("pin.hold")
        .with("node", "root")
        .with("clip", "Walk")
        .with("from", 0.1)
        .with("to", 0.4);
    let error = session.run_line(&none).unwrap_err().to_string();
    assert!(error.contains("choose a hand or a foot"), "{error}");
}

/// All four feet of an animal stay in place while its hips move.
#[test]
fn four_feet_of_an_animal_stay_while_its_hips_move() {
    let Some(shared) = crate::common::shared() else { return };
    let mut compared = 0;
    for (file, hips, least) in [
        ("characters/Panda/fox-panda.glb", "Hips", 4),
        ("characters/Fox49/fox-animations.glb", "Hips", 4),
        ("characters/Dragon/dragon-animations.glb", "hips", 2),
    ] {
        let mut session =
            Session::open(&shared.join("corpus").join(file), &Default::default()).unwrap();
        run(&mut session, CommandLine::new("pose.reset_all"));
        let document = session.document().clone();
        let before = pose(&session);
        let body = named(&document, hips);
        let feet = ik::legs_of(&document, &before, body);
        let names: Vec<String> = feet.iter().map(|n| document.node(*n).label(*n)).collect();
        println!("{file}: {names:?} on {}", document.node(body).label(body));
        assert!(feet.len() >= least, "{file}: {names:?}");
        let size =
            before.world.iter().map(|w| w.w_axis.y).filter(|y| y.is_finite()).fold(0.0, f32::max);
        let to = place(&before, body) - Vec3::Y * size * 0.05;
        let line = CommandLine::new("pose.ik")
            .with("node", ulna_edit::node_text(&document, body))
            .with("to", to.to_array());
        run(&mut session, line);
        let after = pose(&session);
        for foot in &feet {
            let gap = place(&before, *foot).distance(place(&after, *foot));
            assert!(
                gap < 2e-3 * size,
                "{file} {}: {gap} of {size}",
                document.node(*foot).label(*foot)
            );
            compared += 1;
        }
    }
    assert!(compared >= 10, "{compared}");
}

/// With joint limits, no joint of a limb rotates farther than in any clip. Targets within these
/// limits are reached.
#[test]
fn ik_respects_the_rotation_limits_of_the_clips() {
    let mut session = sample();
    let document = session.document().clone();
    let names = ["LeftUpperLeg", "LeftLowerLeg"];
    let joints: Vec<NodeId> = names.iter().map(|n| named(&document, n)).collect();
    let limits = ulna_motion::limits_of(&document, &joints);
    assert_eq!(limits.len(), 2);
    let foot = named(&document, "LeftFoot");
    let start = place(&pose(&session), foot);
    let (mut free, mut kept) = (0, 0);
    for (k, way) in [[0.0, 0.15, 0.1], [0.1, 0.5, 0.4], [0.6, 0.6, 0.0], [-0.3, 0.3, -0.5]]
        .into_iter()
        .enumerate()
    {
        for on in [false, true] {
            let to = start + Vec3::from_array(way);
            let line =
                CommandLine::new("pose.ik").with("node", "LeftFoot").with("to", to.to_array());
            run(&mut session, line.with("limits", on).with("soft", false));
            for joint in &joints {
                let rest = document.node(*joint).rest.transform().rotation;
                let range = limits[joint];
                let angles = range
                    .angles(rest, session.document().node(*joint).local().transform().rotation);
                let beyond = (angles - angles.clamp(range.low, range.high)).abs().max_element();
                if on {
                    assert!(beyond < 1e-3, "{way:?}: {beyond}");
                    kept += 1;
                } else {
                    free += usize::from(beyond > 0.02);
                }
            }
            let gap = place(&pose(&session), foot).distance(to);
            assert!(k > 0 || gap < 2e-3, "{way:?} {on}: {gap}");
            session.undo();
        }
    }
    assert!(kept == 8 && free > 2, "without limits some go beyond them: {free}");
}

/// Dragging a joint inside a limb moves its parent along, so that the skin is not torn.
#[test]
fn dragging_a_knuckle_or_thigh_moves_its_parent_along() {
    for (dragged, moved) in
        [("LeftIndex1", "LeftHand"), ("LeftUpperLeg", "Hips"), ("LeftShoulder", "UpperChest")]
    {
        let mut session = sample();
        let before = pose(&session);
        let way = Vec3::new(-0.06, 0.05, 0.02);
        let node = named(session.document(), dragged);
        let to = place(&before, node) + way;
        run(
            &mut session,
            CommandLine::new("pose.ik")
                .with("node", dragged)
                .with("to", to.to_array())
                .with("soft", false),
        );
        let (document, after) = (session.document(), pose(&session));
        let carrier = named(document, moved);
        // A spine can bend only to some degree.
        let left = place(&after, carrier).distance(place(&before, carrier) + way);
        assert!(
            left < if moved == "UpperChest" { way.length() * 0.8 } else { 2e-3 },
            "{dragged}: {left}"
        );
        for n in document.node_ids().filter(|n| moved != "Hips" || *n != carrier) {
            let [a, b] = [&before, &after].map(|p| p.local[n.index()].transform().translation);
            assert!(a.distance(b) < 1e-6, "{dragged} tore {} off", document.node(n).label(n));
        }
    }
}

/// Both hands are pinned to a bar above the head. They keep position and orientation while the hips
/// move within reach.
#[test]
fn hands_pinned_to_a_bar_stay_while_the_body_swings() {
    let mut session = sample();
    let hips = place(&pose(&session), named(session.document(), "Hips"));
    for (hand, x) in [("LeftHand", 0.3), ("RightHand", -0.3)] {
        let to = [x, hips.y + 0.85, 0.12];
        run(
            &mut session,
            CommandLine::new("pose.ik").with("node", hand).with("to", to).with("soft", false),
        );
        run(&mut session, CommandLine::new("pin.set").with("node", hand).with("kind", "both"));
    }
    let bar = pose(&session);
    let arm: f32 = ["LeftUpperArm", "LeftLowerArm", "LeftHand"]
        .windows(2)
        .map(|p| {
            place(&bar, named(session.document(), p[0]))
                .distance(place(&bar, named(session.document(), p[1])))
        })
        .sum();
    let mut swings = 0;
    for k in 0..24 {
        let angle = k as f32 * 0.7;
        let way =
            Vec3::new(angle.sin() * 0.06, 0.03 + 0.03 * (angle * 0.5).cos(), angle.cos() * 0.08);
        let start = place(&pose(&session), named(session.document(), "Hips"));
        let by = hips + way - start;
        run(
            &mut session,
            CommandLine::new("pose.move")
                .with("node", "Hips")
                .with("by", by.to_array())
                .with("space", "world"),
        );
        let now = pose(&session);
        for hand in ["LeftHand", "RightHand"] {
            let node = named(session.document(), hand);
            let gap = place(&now, node).distance(place(&bar, node));
            assert!(gap < 1e-3 * arm, "{hand}, swing {k}: {gap}");
            let turned = |p: &Pose| p.world[node.index()].to_scale_rotation_translation().1;
            assert!(angle_between(turned(&now), turned(&bar)) < 2e-3, "{hand} turned");
            swings += 1;
        }
    }
    assert_eq!(swings, 48);
}

/// The dragged joint is in a wing with several feathers. The wing follows, and the body stays in
/// place.
#[test]
fn dragging_a_wing_keeps_the_body_in_place() {
    let Some(shared) = crate::common::shared() else { return };
    let path = shared.join("corpus/characters/Dragon/dragon-animations.glb");
    let mut session = Session::open(&path, &Default::default()).unwrap();
    let before = pose(&session);
    let node = named(session.document(), "wing_3_l");
    let to = place(&before, node) + Vec3::new(-0.05, 0.2, 0.0);
    run(
        &mut session,
        CommandLine::new("pose.ik")
            .with("node", "wing_3_l")
            .with("to", to.to_array())
            .with("soft", false),
    );
    let (document, after) = (session.document(), pose(&session));
    for stays in ["hips", "shoulder_l", "wing_3_r", "back_foot_l"] {
        let node = named(document, stays);
        assert!(place(&before, node).distance(place(&after, node)) < 1e-6, "{stays}");
    }
    let size = place(&before, node).distance(place(&before, named(document, "wing_1_l")));
    assert!(
        place(&after, node).distance(to) < 0.1 * size,
        "{} of {size}",
        place(&after, node).distance(to)
    );
}
