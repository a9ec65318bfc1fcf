//! Posing commands on real skeletons: mirroring and flipping, rotating, moving and scaling about
//! any axes, and posing over clips and layers.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use glam::{EulerRot, Mat4, Quat, Vec3};
use ulna_edit::CommandLine;
use ulna_formats::gltf::Progress;
use ulna_model::{
    Components, Document, JointMask, LayerMask, MixMask, NodeId, PoseLayer, PoseLayerId,
    PoseLayers, Shared, SkinId, Transform, transform::angle_between,
};
use ulna_motion::{LayerWriteError, Mirror, MirrorPairs, Pose, RecentPoses, Stack, under_layers};
use ulna_session::Session;

use crate::common::{named, run, sample};

fn turn(session: &mut Session, node: &str, degrees: [f64; 3]) {
    run(session, CommandLine::new("pose.set").with("node", node).with("degrees", degrees));
}

fn worlds(document: &Document) -> Vec<Mat4> {
    Pose::evaluate(document, &Stack::default()).world
}

const LEFT: [&str; 3] = ["LeftUpperArm", "LeftLowerArm", "LeftHand"];

fn pose_left(session: &mut Session) {
    for (node, degrees) in
        LEFT.iter().zip([[20.0, -35.0, 50.0], [10.0, 60.0, -15.0], [-25.0, 5.0, 30.0]])
    {
        turn(session, node, degrees);
    }
}

#[test]
fn mirroring_one_side_works_at_any_body_position() {
    for turned in [false, true] {
        let mut session = sample();
        pose_left(&mut session);
        if turned {
            turn(&mut session, "Hips", [0.0, 90.0, 30.0]);
            run(
                &mut session,
                CommandLine::new("pose.set")
                    .with("node", "Hips")
                    .with("translation", [5.0, 0.0, 1.0]),
            );
        }
        let before = session.document().clone();
        run(&mut session, CommandLine::new("pose.mirror").with("node", LEFT));
        let document = session.document();
        let (world, was) = (worlds(document), worlds(&before));
        let hips = named(document, "Hips").index();
        let at = |name: &str| {
            (world[hips].inverse() * world[named(document, name).index()]).w_axis.truncate()
        };
        for name in ["LowerArm", "Hand", "Index1", "Thumb2", "Little3"] {
            let (left, right) = (at(&format!("Left{name}")), at(&format!("Right{name}")));
            let image = Vec3::new(-left.x, left.y, left.z);
            assert!(image.distance(right) < 2e-3, "{name}: {image} {right}");
        }
        for name in ["LeftHand", "LeftUpperLeg", "RightFoot", "Head"] {
            let node = named(document, name).index();
            assert_eq!(world[node], was[node], "{name} stays");
        }
        assert_eq!(session.undo().as_deref(), Some("Mirror pose"));
        assert!(*session.document() == before);
    }
}

#[test]
fn mirroring_reports_joints_of_both_sides_and_unpaired_joints() {
    let mut session = sample();
    let both = CommandLine::new("pose.mirror").with("node", ["LeftHand", "RightHand"]);
    assert!(
        session
            .run_line(&both)
            .unwrap_err()
            .to_string()
            .contains("name only the joints of one side")
    );
    let none = CommandLine::new("pose.mirror").with("node", "Head");
    assert!(session.run_line(&none).unwrap_err().to_string().contains("no"));
    turn(&mut session, "LeftHand", [0.0, 20.0, 0.0]);
    let notes =
        run(&mut session, CommandLine::new("pose.mirror").with("node", ["LeftHand", "Head"]));
    assert_eq!(notes, ["1 joint has no mirror joint"]);
}

#[test]
fn mirroring_a_pose_in_a_clip_makes_an_unkeyed_pose() {
    let mut session = sample();
    let before = session.document().clone();
    let clip = |name: &str| CommandLine::new(name).with("clip", "Walk").with("time", 0.25);
    run(&mut session, clip("pose.mirror").with("node", LEFT));
    let document = session.document();
    assert!(document.clips == before.clips && document.nodes == before.nodes);
    let walk = document.clips.ids().find(|id| document.clip_label(*id) == "Walk").unwrap();
    let (_, held) = document.aids.unkeyed(walk, 0.25).unwrap();
    assert_eq!(held.nodes().count(), 3);
    let stack = Stack::of(Some(&document.clips[walk]), 0.25).with_unkeyed(Some(held.clone()));
    let pose = Pose::evaluate(document, &stack);
    let mirror = Mirror::of(document);
    for name in LEFT {
        let node = named(document, name);
        let made = mirror.pose(document, node, &pose.local[node.index()].transform()).unwrap();
        let there = pose.local[made.node.index()].transform();
        assert!(angle_between(made.local.rotation, there.rotation) < 1e-4, "{name}");
    }
    let alone = CommandLine::new("pose.mirror").with("node", "LeftHand").with("clip", "Walk");
    assert!(session.run_line(&alone).unwrap_err().to_string().contains("“time” is missing"));
}

/// A random pose of all joints below the roots is flipped. On every skeleton that is symmetric at
/// rest, each joint must be at the mirror image of its partner. Flipping again restores the pose.
#[test]
fn a_flipped_pose_is_the_mirror_image_on_the_corpus() {
    let Some(shared) = crate::common::shared() else { return };
    let (mut files, mut images) = (0, 0);
    let mut seed = 7_u64;
    let mut draw = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 40) as f32 / (1u64 << 24) as f32 - 0.5
    };
    for path in crate::common::models(&shared.join("corpus/characters")) {
        if std::fs::metadata(&path).is_ok_and(|m| m.len() > 24 << 20) {
            continue;
        }
        let Ok(mut session) = Session::open(&path, &Progress::default()) else { continue };
        let document = session.document();
        let Some((skin, _)) = document.skins.iter().next() else { continue };
        let mirror = Mirror::of(document);
        let joints: Vec<NodeId> = document.skin(skin).joints.to_vec();
        let moved: Vec<NodeId> = joints
            .iter()
            .copied()
            .filter(|n| {
                document.node(*n).parent.is_some_and(|p| joints.contains(&p))
                    && mirror.partner(*n).is_some()
            })
            .collect();
        let pairs = moved.iter().filter(|n| mirror.partner(**n) != Some(**n)).count();
        if pairs < 8 {
            continue;
        }
        // Resets all joints to rest, so that only this test poses them.
        run(&mut session, CommandLine::new("pose.reset_all"));
        let gap =
            |before: &Document, after: &Document| image_gap(before, after, skin, &mirror, &moved);
        let rest = session.document().clone();
        if gap(&rest, &rest) > 0.004 {
            continue;
        }
        for node in &moved {
            let [x, y, z] = [draw(), draw(), draw()].map(|v| f64::from(v) * 60.0);
            let line =
                CommandLine::new("pose.set").with("node", ulna_edit::node_text(&rest, *node));
            run(&mut session, line.with("degrees", [x, y, z]));
        }
        let posed = session.document().clone();
        run(&mut session, CommandLine::new("pose.flip"));
        let there = gap(&posed, session.document());
        assert!(there < 0.01, "{path:?}: {there}");
        images += 1;
        run(&mut session, CommandLine::new("pose.flip"));
        for node in &moved {
            let [a, b] = [&posed, session.document()].map(|d| d.node(*node).local().transform());
            assert!(angle_between(a.rotation, b.rotation) < 2e-3, "{path:?} {node:?}");
        }
        files += 1;
    }
    println!("{files} skeletons");
    assert!(files >= 4 && images == files, "{files} {images}");
}

/// Returns the largest distance of joints from the mirror images of their partners, relative to the
/// size of the skeleton.
fn image_gap(
    before: &Document,
    after: &Document,
    skin: SkinId,
    mirror: &Mirror,
    nodes: &[NodeId],
) -> f32 {
    let pairs = MirrorPairs::of(before, skin);
    let (was, is) = (worlds(before), worlds(after));
    // Uses a joint that was not posed to convert from the scene to the bind pose.
    let root = before.skin(skin).joints.iter().position(|n| !nodes.contains(n)).unwrap_or(0);
    let joint_from_mesh = before.skin(skin).inverse_bind.get(root).copied().unwrap_or_default();
    let mesh_from_scene = (was[before.skin(skin).joints[root].index()] * joint_from_mesh).inverse();
    let at =
        |worlds: &[Mat4], node: NodeId| (mesh_from_scene * worlds[node.index()]).w_axis.truncate();
    let places: Vec<Vec3> = nodes.iter().map(|n| at(&was, *n)).collect();
    let low = places.iter().copied().reduce(Vec3::min).unwrap_or_default();
    let size = (places.iter().copied().reduce(Vec3::max).unwrap_or_default() - low)
        .max_element()
        .max(1e-9);
    let gap = |node: &NodeId| {
        let partner = mirror.partner(*node)?;
        Some(pairs.mirrored(at(&was, *node)).distance(at(&is, partner)) / size)
    };
    nodes.iter().filter_map(gap).fold(0.0, f32::max)
}

#[test]
fn a_rotation_is_mirrored_about_the_plane() {
    let session = sample();
    let document = session.document();
    let mirror = Mirror::of(document);
    let head = named(document, "Head");
    let rest = document.node(head).rest.transform();
    let turned = ulna_model::Transform {
        rotation: rest.rotation * Quat::from_euler(EulerRot::XYZ, 0.1, 0.4, -0.2),
        ..rest
    };
    let made = mirror.pose(document, head, &turned).unwrap();
    assert_eq!(made.node, head);
    let back = mirror.pose(document, head, &made.local).unwrap();
    assert!(angle_between(back.local.rotation, turned.rotation) < 1e-5);
    let side = |n: &str| named(document, n);
    assert!(mirror.is_same_side(side("LeftHand"), side("LeftFoot")));
    assert!(!mirror.is_same_side(side("LeftHand"), side("RightFoot")));
}

fn local(document: &Document, name: &str) -> ulna_model::Transform {
    document.node(named(document, name)).local().transform()
}

/// Opens the sample with an arm rotated so that no axes coincide.
fn posed_arm() -> Session {
    let mut session = sample();
    pose_left(&mut session);
    turn(&mut session, "Hips", [10.0, 40.0, -20.0]);
    session
}

#[test]
fn a_rotation_is_about_the_axis_of_its_space() {
    let angle = 25f32.to_radians();
    for space in ["local", "parent", "world", "gimbal", "rest"] {
        for (k, word) in ["x", "y", "z"].into_iter().enumerate() {
            let mut session = posed_arm();
            let before = session.document().clone();
            let (was, node) = (local(&before, "LeftLowerArm"), named(&before, "LeftLowerArm"));
            let line =
                CommandLine::new("pose.turn").with("node", "LeftLowerArm").with("axis", word);
            run(&mut session, line.with("degrees", 25.0).with("space", space));
            let now = local(session.document(), "LeftLowerArm");
            assert_eq!(
                (now.translation, now.scale),
                (was.translation, was.scale),
                "{space} {word}"
            );
            let e = [Vec3::X, Vec3::Y, Vec3::Z][k];
            let axis = match space {
                "local" => was.rotation * e,
                "parent" => e,
                "rest" => before.node(node).rest.transform().rotation * e,
                "world" => {
                    let parent = worlds(&before)[before.node(node).parent.unwrap().index()];
                    parent.to_scale_rotation_translation().1.inverse() * e
                }
                _ => {
                    // One angle grows, and the others stay.
                    let angles = |q: Quat| q.to_euler(EulerRot::XYZ);
                    let (a, b) = (angles(was.rotation), angles(now.rotation));
                    let by = [b.0 - a.0, b.1 - a.1, b.2 - a.2];
                    for (i, by) in by.into_iter().enumerate() {
                        let wanted = if i == k { angle } else { 0.0 };
                        assert!((by - wanted).abs() < 2e-5, "{word}: {by} {i}");
                    }
                    continue;
                }
            };
            let wanted = Quat::from_axis_angle(axis.normalize_or_zero(), angle) * was.rotation;
            assert!(angle_between(wanted, now.rotation) < 1e-5, "{space} {word}");
        }
    }
}

#[test]
fn several_joints_rotate_rigidly_about_one_pivot() {
    let mut session = posed_arm();
    let before = worlds(session.document());
    let names = ["LeftHand", "RightHand", "Head"];
    let pivot = Vec3::new(0.1, 1.2, -0.3);
    let line = CommandLine::new("pose.turn").with("node", names).with("axis", [0.6, 0.0, 0.8]);
    run(
        &mut session,
        line.with("degrees", 70.0).with("space", "world").with("pivot", pivot.to_array()),
    );
    let now = worlds(session.document());
    let turn = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 70f32.to_radians());
    for name in names {
        let node = named(session.document(), name).index();
        let (was, is) = (before[node], now[node]);
        let to = pivot + turn * (was.w_axis.truncate() - pivot);
        assert!(to.distance(is.w_axis.truncate()) < 1e-5, "{name}");
        let turned = Mat4::from_quat(turn) * was;
        assert!(turned.x_axis.distance(is.x_axis) < 1e-5, "{name}");
    }
    let odd =
        CommandLine::new("pose.turn").with("node", "Head").with("axis", "x").with("degrees", 5.0);
    let error = session.run_line(&odd.with("pivot", [0.0, 0.0, 0.0])).unwrap_err().to_string();
    assert!(error.contains("set “space” to “world”"), "{error}");
}

#[test]
fn a_move_along_any_axes_has_the_given_length() {
    for space in ["local", "parent", "world", "gimbal", "rest"] {
        let mut session = posed_arm();
        let before = worlds(session.document());
        let line =
            CommandLine::new("pose.shift").with("node", "LeftHand").with("by", [0.1, 0.0, 0.0]);
        run(&mut session, line.with("space", space));
        let now = worlds(session.document());
        let node = named(session.document(), "LeftHand").index();
        let way = now[node].w_axis - before[node].w_axis;
        assert!((way.length() - 0.1).abs() < 1e-5, "{space}: {way}");
        assert!(space != "world" || way.truncate().distance(Vec3::X * 0.1) < 1e-5);
    }
}

#[test]
fn scaling_along_skewed_axes_reports_the_remaining_difference() {
    let scale = |space: &str, degrees: f64, by: [f64; 3]| {
        let mut session = sample();
        turn(&mut session, "Hips", [0.0, degrees, 0.0]);
        let was = local(session.document(), "Hips");
        let line = CommandLine::new("pose.resize")
            .with("node", "Hips")
            .with("by", by)
            .with("space", space);
        let notes = run(&mut session, line);
        let now = local(session.document(), "Hips");
        assert_eq!((now.rotation, now.translation), (was.rotation, was.translation));
        (now.scale / was.scale, notes)
    };
    let (factors, notes) = scale("local", 30.0, [2.0, 1.0, 1.0]);
    assert!(factors.distance(Vec3::new(2.0, 1.0, 1.0)) < 1e-6 && notes.is_empty());
    // After a rotation by 90°, the x axis of the scene is the z axis of the joint.
    let (factors, notes) = scale("world", 90.0, [2.0, 1.0, 1.0]);
    assert!(
        factors.distance(Vec3::new(1.0, 1.0, 2.0)) < 1e-4 && notes.is_empty(),
        "{factors} {notes:?}"
    );
    let (factors, notes) = scale("world", 45.0, [2.0, 1.0, 1.0]);
    assert!(
        (factors.x - factors.z).abs() < 1e-4 && factors.x > 1.4 && factors.y == 1.0,
        "{factors}"
    );
    assert!(notes[0].contains("would shear it"), "{notes:?}");
    let (factors, notes) = scale("world", 45.0, [1.5, 1.5, 1.5]);
    assert!(factors.distance(Vec3::splat(1.5)) < 1e-6 && notes.is_empty());
}

#[test]
fn transform_parts_are_reset_separately_and_in_a_clip_as_an_unkeyed_pose() {
    let mut session = sample();
    turn(&mut session, "LeftHand", [10.0, 20.0, 30.0]);
    run(&mut session, CommandLine::new("pose.move").with("node", "LeftHand").with("by", 0.1));
    run(&mut session, CommandLine::new("pose.scale").with("node", "LeftHand").with("by", 1.5));
    let user = |session: &Session| {
        let document = session.document();
        document.node(named(document, "LeftHand")).user().unwrap_or_default()
    };
    run(&mut session, CommandLine::new("pose.reset_rotation").with("node", "LeftHand"));
    assert_eq!(user(&session).rotation, Quat::IDENTITY);
    assert!(user(&session).translation != Vec3::ZERO && user(&session).scale != Vec3::ONE);
    run(&mut session, CommandLine::new("pose.reset_translation").with("node", "LeftHand"));
    assert_eq!(user(&session).translation, Vec3::ZERO);
    run(&mut session, CommandLine::new("pose.reset_scale").with("node", "LeftHand"));
    assert_eq!(user(&session), ulna_model::Transform::IDENTITY);

    let before = session.document().clone();
    let over = |line: CommandLine| line.with("clip", "Walk").with("time", 0.25);
    run(&mut session, over(CommandLine::new("pose.reset_rotation").with("node", "LeftUpperArm")));
    let document = session.document();
    assert!(document.nodes == before.nodes && document.clips == before.clips);
    let walk = document.clips.ids().find(|id| document.clip_label(*id) == "Walk").unwrap();
    let (_, held) = document.aids.unkeyed(walk, 0.25).unwrap();
    let node = named(document, "LeftUpperArm");
    let to = held.locals[&node];
    assert_eq!(to.rotation, Some(document.node(node).rest.transform().rotation));
    assert_eq!((to.translation, to.scale), (None, None));
}

#[test]
fn poses_blend_toward_other_poses_and_back() {
    let mut session = sample();
    turn(&mut session, "LeftHand", [0.0, 60.0, 0.0]);
    let angle = |session: &Session| {
        let user = session
            .document()
            .node(named(session.document(), "LeftHand"))
            .user()
            .unwrap_or_default();
        user.rotation.to_axis_angle().1.to_degrees()
    };
    run(&mut session, CommandLine::new("pose.blend").with("toward", "rest").with("amount", 0.25));
    assert!((angle(&session) - 45.0).abs() < 1e-3);
    run(&mut session, CommandLine::new("pose.to_rest").with("node", "LeftHand"));
    assert!((angle(&session) - 40.5).abs() < 1e-3);
    run(&mut session, CommandLine::new("pose.blend").with("toward", "rest").with("amount", 1.0));
    assert_eq!(angle(&session), 0.0);

    let over = |line: CommandLine, time: f64| line.with("clip", "Walk").with("time", time);
    let walk = |d: &Document| d.clips.ids().find(|id| d.clip_label(*id) == "Walk").unwrap();
    let before = session.document().clone();
    let (clip, arm) = (walk(&before), named(&before, "LeftUpperArm"));
    let (_, track) = before.clips[clip].track(arm, ulna_model::Property::Rotation).unwrap();
    let (a, b) = (track.times[2], track.times[3]);
    let time = a + (b - a) * 0.3;
    let seen = |session: &Session, time: f32| {
        let document = session.document();
        let held = document.aids.unkeyed(clip, f64::from(time)).map(|(_, pose)| pose.clone());
        let stack = Stack::of(Some(&document.clips[clip]), f64::from(time)).with_unkeyed(held);
        Pose::evaluate(document, &stack).local[arm.index()].transform().rotation
    };
    let (from, to) = (seen(&session, a), seen(&session, b));
    for (part, wanted) in [(0.0, from), (1.0, to), (0.5, from.slerp(to, 0.5))] {
        let line =
            CommandLine::new("pose.breakdown").with("node", "LeftUpperArm").with("part", part);
        run(&mut session, over(line, f64::from(time)));
        assert!(angle_between(seen(&session, time), wanted) < 1e-4, "{part}");
        session.undo();
    }
    // On a straight line, *Relax* changes nothing. *Exaggerate* leaves the line, and *Relax*
    // returns to it.
    let whole = angle_between(from, to);
    run(
        &mut session,
        over(
            CommandLine::new("pose.breakdown").with("node", "LeftUpperArm").with("part", 0.8),
            f64::from(time),
        ),
    );
    let line = || CommandLine::new("pose.relax").with("node", "LeftUpperArm").with("amount", 0.5);
    run(&mut session, over(line(), f64::from(time)));
    let off = angle_between(seen(&session, time), from);
    assert!((off - whole * 0.55).abs() < 1e-3 * whole.max(0.1), "{off} of {whole}");
    assert!(session.document().clips == before.clips, "no key is changed");
    let error = session
        .run_line(&CommandLine::new("pose.push").with("node", "Head"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("add “clip” and “time”"), "{error}");
}

#[test]
fn the_center_of_mass_of_a_standing_body_is_central_and_moves_with_it() {
    use ulna_model::Components;
    use ulna_motion::Masses;
    let session = sample();
    let document = session.document();
    let masses = Masses::of(document);
    let pose = Pose::evaluate(document, &Stack::default());
    let balance = masses.balance(document, &pose, &|_| false).unwrap();
    let hips = named(document, "Hips");
    let at = pose.world[hips.index()].w_axis.truncate();
    assert!(
        balance.center.x.abs() < 0.01 && (balance.center.y - at.y).abs() < 0.25,
        "{balance:?} {at}"
    );
    assert!(
        balance.support.len() > 3 && balance.inside > 0.0 && balance.ground.abs() < 0.05,
        "{balance:?}"
    );
    // The masses match the skinned vertices: moving the whole body moves the center by the same
    // vector.
    let rest = document.node(hips).rest.transform();
    let moved =
        Components { translation: Some(rest.translation + Vec3::X), ..Components::default() };
    let away = masses.center(document, &pose.with(document, &[(hips, moved)])).unwrap();
    assert!((away - balance.center).distance(Vec3::X) < 1e-4, "{away}");
    let spine = named(document, "Spine");
    let lean = Quat::from_rotation_x(0.9) * document.node(spine).rest.transform().rotation;
    let lean = Components { rotation: Some(lean), ..Components::default() };
    let leaning =
        masses.balance(document, &pose.with(document, &[(spine, lean)]), &|_| false).unwrap();
    assert!(
        leaning.center.z > balance.center.z + 0.1 && leaning.inside < balance.inside,
        "{leaning:?}"
    );
}

#[test]
fn children_keep_position_or_orientation_while_their_joint_is_posed() {
    for command in ["turn", "shift", "resize"] {
        for how in ["place", "angle"] {
            let mut session = posed_arm();
            let before = worlds(session.document());
            let line = CommandLine::new(&format!("pose.{command}"))
                .with("node", "LeftUpperArm")
                .with("children", how);
            let line = match command {
                "turn" => line.with("axis", [0.3, 0.8, -0.2]).with("degrees", 35.0),
                "shift" => line.with("by", [0.05, -0.1, 0.02]),
                _ => line.with("by", 1.5),
            };
            let notes = run(&mut session, line);
            assert!(notes.is_empty(), "{notes:?}");
            let now = worlds(session.document());
            let (arm, child, hand) = ["LeftUpperArm", "LeftLowerArm", "LeftHand"]
                .map(|n| named(session.document(), n).index())
                .into();
            assert!(!before[arm].abs_diff_eq(now[arm], 1e-3), "it is posed");
            if how == "place" {
                assert!(
                    before[child].abs_diff_eq(now[child], 1e-5)
                        && before[hand].abs_diff_eq(now[hand], 1e-5)
                );
            } else {
                let turned = |w: &Mat4| w.to_scale_rotation_translation().1;
                assert!(
                    angle_between(turned(&before[child]), turned(&now[child])) < 1e-3,
                    "{command}"
                );
                assert!(
                    command != "turn" || before[child].w_axis.distance(now[child].w_axis) > 0.01
                );
            }
        }
    }
    // Under a non-uniform scale, a child cannot be kept in place. A note reports it.
    let mut session = posed_arm();
    let line =
        CommandLine::new("pose.resize").with("node", "LeftUpperArm").with("by", [1.0, 2.0, 1.0]);
    let notes = run(&mut session, line.with("children", "place"));
    assert!(notes[0].contains("would shear it"), "{notes:?}");
}

/// Builds a file of nested nodes with these translations, Euler angles and scales.
fn nested(nodes: &[(Vec3, Vec3, Vec3)]) -> Session {
    let last = nodes.len() - 1;
    let nodes: Vec<serde_json::Value> = nodes
        .iter()
        .enumerate()
        .map(|(k, (t, r, s))| {
            let mut node = serde_json::json!({
                "name": format!("n{k}"), "translation": t.to_array(), "scale": s.to_array(),
                "rotation": Quat::from_euler(EulerRot::XYZ, r.x, r.y, r.z).to_array(),
            });
            if k < last {
                node["children"] = serde_json::json!([k + 1]);
            }
            node
        })
        .collect();
    let file = serde_json::json!({"scene": 0, "scenes": [{"nodes": [0]}], "nodes": nodes});
    Session::open_bytes(&crate::common::glb(file, &[])).unwrap()
}

mod properties {
    use glam::DMat4;
    use proptest::prelude::*;
    use ulna_model::transform::decompose;

    use super::*;

    /// Generates scales from 1e-3 to 1e3 with any signs. Within a node, their ratio is at most
    /// `uneven`.
    fn scale(uneven: f32) -> impl Strategy<Value = Vec3> {
        let sign = prop::array::uniform3(prop_oneof![Just(-1.0f32), Just(1.0)]);
        (-2.0f32..2.0, prop::array::uniform3(0.0f32..1.0), sign).prop_map(
            move |(size, uneven_by, sign)| {
                let own = |k: usize| sign[k] * 10f32.powf(size) * uneven.powf(uneven_by[k] - 0.5);
                Vec3::new(own(0), own(1), own(2))
            },
        )
    }

    fn place() -> impl Strategy<Value = (Vec3, Vec3)> {
        let three = || prop::array::uniform3(-3.0f32..3.0).prop_map(Vec3::from_array);
        (three(), three())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// A scene position that translation, rotation and scale can express is reached. Otherwise
        /// there is a note.
        #[test]
        fn a_node_reaches_its_scene_position_or_reports_the_difference(
            above in prop::collection::vec((place(), prop_oneof![scale(1.0), scale(4.0)]), 1..3),
            own in (place(), scale(2.0)), to in place(), size in scale(1.0),
        ) {
            let mut nodes: Vec<_> = above.iter().map(|((t, r), s)| (*t, *r, *s)).collect();
            nodes.push((own.0.0, own.0.1, own.1));
            let mut session = nested(&nodes);
            let name = format!("n{}", nodes.len() - 1);
            let node = named(session.document(), &name);
            let turn = Quat::from_euler(EulerRot::XYZ, to.1.x, to.1.y, to.1.z);
            let line = CommandLine::new("pose.set_world").with("node",
                name.as_str()).with("translation", to.0.to_array());
            let line = line.with("rotation", turn.to_array()).with("scale", size.to_array());
            let notes = run(&mut session, line);
            let document = session.document();
            // Computed in f64 from the stored numbers.
            let world = |node: NodeId| {
                let up = std::iter::successors(Some(node), |n| document.node(*n).parent);
                up.fold(DMat4::IDENTITY, |below,
                    n| document.node(n).local().transform().matrix().as_dmat4() * below)
            };
            let wanted = DMat4::from_scale_rotation_translation(size.as_dvec3(),
                turn.as_dquat().normalize(), to.0.as_dvec3());
            let parent = world(document.node(node).parent.unwrap());
            let local = parent.inverse() * wanted;
            let like = document.node(node).local().transform();
            let residue = decompose(&local, &like).residue;
            let largest = |m: DMat4| m.to_cols_array().into_iter().fold(0.0f64, |a,
                v| a.max(v.abs()));
            let bound =
                1e-5 * largest(parent) * largest(document.node(node).local().transform().matrix()
                    .as_dmat4());
            let off = largest(world(node) - wanted);
            if residue < 1e-6 {
                prop_assert!(off <= bound.max(1e-5 * largest(wanted)), "{off} over {bound}");
            } else if residue > 3e-4 {
                prop_assert!(notes.iter().any(|n| n.contains("would shear")),
                    "{residue}: {notes:?}");
            }
        }

        /// Under a parent with non-uniform scale, a rotation leaves scale and translation
        /// unchanged, bit for bit.
        #[test]
        fn a_rotation_keeps_scale_and_translation_exactly(
            above in (place(), scale(100.0)), own in (place(), scale(100.0)),
                axis in prop::array::uniform3(-1.0f64..1.0), degrees in -170.0f64..170.0,
        ) {
            prop_assume!(axis.iter().any(|v| v.abs() > 0.1));
            let nodes = [(above.0.0, above.0.1, above.1), (own.0.0, own.0.1, own.1)];
            let mut session = nested(&nodes);
            let before = local(session.document(), "n1");
            let line = CommandLine::new("pose.rotate").with("node", "n1").with("axis",
                axis).with("degrees", degrees);
            run(&mut session, line.with("space", "world"));
            let after = local(session.document(), "n1");
            prop_assert_eq!((before.translation, before.scale), (after.translation, after.scale));
            prop_assert!((angle_between(before.rotation,
                after.rotation).to_degrees() - degrees.abs() as f32).abs() < 0.05);
        }

        /// Posing through one of several layers must give the requested displayed transform,
        /// whatever is below and above.
        #[test]
        fn posing_through_any_layer_gives_the_requested_transform(
            base in (place(), scale(3.0)),
            layers in prop::collection::vec((place(), scale(2.0), 0.55f32..1.0, any::<bool>(),
                prop::option::of(0.9f32..1.0)), 1..5),
            chosen in any::<prop::sample::Index>(), to in place(), size in 0.3f32..3.0,
                which in 1u8..8,
        ) {
            let session = nested(&[(base.0.0, base.0.1, base.1)]);
            let document = session.document();
            let node = named(document, "n0");
            let angles = |r: Vec3| Quat::from_euler(EulerRot::XYZ, r.x, r.y, r.z);
            let mut layers: PoseLayers =
                layers.into_iter().enumerate().map(|(k, ((t, r), s, strength, muted, mask))| {
                let user = Transform { translation: t, rotation: angles(r), scale: s };
                let mask = mask.map(|m| LayerMask { by: MixMask::Upper,
                    counts: JointMask([m].into()) });
                PoseLayer { strength, muted, mask,
                    ..PoseLayer::new("of many", [(node, user)].into()) }
                    .named(PoseLayerId(k as u32), "of many".into())
            }).collect();
            let at = chosen.index(layers.0.len());
            Shared::make_mut(&mut layers.0[at]).muted = false;
            let chosen = layers.0[at].id;
            let seen = |layers: &PoseLayers| {
                let stack = Stack { layers: Shared::new(layers.clone()), ..Stack::default() };
                Pose::evaluate(document, &stack).local[node.index()].transform()
            };
            let before = seen(&layers);
            let wanted = Components {
                translation: (which & 1 != 0).then_some(to.0),
                rotation: (which & 2 != 0).then(|| angles(to.1)),
                scale: (which & 4 != 0).then(|| before.scale * size),
            };
            let base = document.node(node).local().transform();
            let written = match under_layers(&base, &layers, chosen, (node, 0.0), &wanted) {
                Ok(written) => written,
                // A weak layer can rotate a joint only by a limited angle.
                Err(LayerWriteError::TooWeak(_)) => return Ok(()),
                Err(other) => return Err(TestCaseError::fail(other.to_string())),
            };
            let written_into = Shared::make_mut(&mut layers.0[at]);
            let old = Shared::make_mut(&mut written_into.moves).insert(node, written).unwrap();
            let (now, asked) = (seen(&layers), wanted.over(&before));
            let most = layers.iter().fold(base.translation.length(), |a: f32,
                l| a.max(l.moves[&node].translation.length()));
            let reach =
                1e-4 * (now.translation.abs().max_element() + most * base.scale.abs()
                    .max_element() + before.scale.abs().max_element());
            prop_assert!(angle_between(now.rotation, asked.rotation) < 2e-3, "{now:?} {asked:?}");
            prop_assert!((now.scale - asked.scale).abs().max_element() <= 1e-4 * asked.scale.abs()
                .max_element());
            prop_assert!(now.translation.distance(asked.translation) <= reach.max(1e-3),
                "{now:?} {asked:?}");
            // Only the requested components change.
            prop_assert!(which & 2 != 0 || written.rotation == old.rotation);
            prop_assert!(which & 4 != 0 || written.scale == old.scale);
        }
    }

    /// A layer with strength 0.9 can rotate a joint by at most 0.9 of a half turn, in both
    /// directions.
    #[test]
    fn a_weak_layer_rotates_as_far_as_possible_in_the_requested_direction() {
        let session = nested(&[(Vec3::ZERO, Vec3::ZERO, Vec3::ONE)]);
        let node = named(session.document(), "n0");
        let mut layers: PoseLayers = [PoseLayer {
            strength: 0.9,
            ..PoseLayer::new("weak", [(node, Transform::IDENTITY)].into())
        }
        .named(PoseLayerId(0), "weak".into())]
        .into_iter()
        .collect();
        let reach = 0.9 * std::f32::consts::PI;
        for past in [-1e-2, -1e-4, -1e-6, 0.0, 1e-6, 5e-5, 1e-2] {
            let asked = Quat::from_rotation_y(reach + past);
            let wanted = Components { rotation: Some(asked), ..Components::default() };
            let written =
                under_layers(&Transform::IDENTITY, &layers, PoseLayerId(0), (node, 0.0), &wanted);
            if past > 1e-3 {
                assert!(matches!(written, Err(LayerWriteError::TooWeak(_))), "{written:?}");
                continue;
            }
            Shared::make_mut(&mut Shared::make_mut(&mut layers.0[0]).moves)
                .insert(node, written.unwrap());
            let stack = Stack { layers: Shared::new(layers.clone()), ..Stack::default() };
            let now = Pose::evaluate(session.document(), &stack).local[node.index()].transform();
            assert!(angle_between(now.rotation, asked) < 2e-3, "{past}: {now:?}");
        }
    }

    #[test]
    fn a_layer_without_effect_is_not_written() {
        let session = nested(&[(Vec3::ZERO, Vec3::ZERO, Vec3::ONE)]);
        let node = named(session.document(), "n0");
        let turned = Transform::from_rotation(Quat::from_rotation_x(0.5));
        let zero = Transform { scale: Vec3::new(1.0, 0.0, 1.0), ..Transform::IDENTITY };
        let (limp, flat) = (
            PoseLayer::new("limp", [(node, turned)].into()),
            PoseLayer::new("flat", [(node, zero)].into()),
        );
        let muted = PoseLayer { muted: true, ..limp.clone() };
        let weak = PoseLayer { strength: 0.1, ..limp.clone() };
        let wanted =
            Components { rotation: Some(Quat::from_rotation_y(2.0)), ..Components::default() };
        let refused = |layers: &[PoseLayer], chosen: u32| {
            let number = |(k, l): (usize, &PoseLayer)| {
                l.clone().named(PoseLayerId(k as u32), l.name.clone())
            };
            let layers: PoseLayers = layers.iter().enumerate().map(number).collect();
            let at = (node, 0.0);
            under_layers(&Transform::IDENTITY, &layers, PoseLayerId(chosen), at, &wanted)
                .unwrap_err()
                .to_string()
        };
        assert!(refused(&[muted], 0).contains("is muted"));
        assert!(refused(&[weak], 0).contains("raise its strength"));
        assert!(refused(&[limp.clone(), flat], 0).contains("“flat” above it scales to 0"));
        assert!(refused(&[limp], 1).contains("does not exist"));
    }
}

/// Cached poses of a gesture must depend only on the document and the stack.
#[test]
fn a_cached_pose_equals_a_new_evaluation() {
    let mut session = sample();
    let clip = session.document().clips.ids().next().expect("a clip");
    let (recent, mut compared) = (RecentPoses::default(), 0);
    let mut same = |session: &Session| {
        let document = session.document();
        for (clip, time) in [(None, 0.0), (Some(clip), 0.3), (Some(clip), 0.7), (Some(clip), 0.3)] {
            let unkeyed =
                clip.and_then(|c| document.aids.unkeyed(c, time)).map(|(_, pose)| pose.clone());
            let stack = Stack::shown(document, clip, time).with_unkeyed(unkeyed);
            let kept = recent.evaluate(document, &stack);
            let anew = Pose::evaluate(document, &stack);
            assert_eq!(kept.local, anew.local, "at {time} s");
            let apart =
                kept.world.iter().zip(&anew.world).map(|(a, b)| (*a - *b).abs().to_cols_array());
            assert!(apart.flatten().all(|d| d < 1e-5));
            assert!(kept.morphs == anew.morphs && kept.hidden == anew.hidden);
            compared += 1;
        }
    };
    same(&session);
    // Nodes, an unkeyed pose and keys change in turn.
    turn(&mut session, "LeftHand", [0.0, 20.0, 0.0]);
    same(&session);
    let over =
        CommandLine::new("pose.turn").with("node", "Head").with("axis", "x").with("degrees", 25.0);
    let name = session.document().clip_label(clip).to_owned();
    run(&mut session, over.with("clip", name.clone()).with("time", 0.3));
    same(&session);
    let key = CommandLine::new("key.set").with("clip", name).with("time", 0.3);
    run(&mut session, key.with("node", "Head"));
    same(&session);
    assert_eq!(compared, 16);
}
