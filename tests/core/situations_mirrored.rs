//! A body below a mirrored armature. Rotations, positions, aims, mirrors and binds must be correct
//! in scene coordinates, measured on world matrices and vertices.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use glam::{DMat3, DMat4, DQuat, DVec3, Vec3};
use serde_json::{Value, json};
use ulna_formats::gltf::Progress;
use ulna_model::{ClipId, Document, NodeId};
use ulna_motion::{Placement, Pose, Posed, Stack, skinning};
use ulna_session::Session;

use super::situations_keys::{does, situation};
use crate::common::{glb, named, shared, split};

const BODY: &str = "mirrored-parent";
const LEFT: [&str; 6] =
    ["LeftUpperArm", "LeftLowerArm", "LeftHand", "LeftUpperLeg", "LeftLowerLeg", "LeftFoot"];

/// Returns the displayed pose, or the pose at a time of the clip with its unkeyed pose.
fn pose(document: &Document, at: Option<f64>) -> Pose {
    let clip = at.and_then(|_| document.clips.ids().next());
    let unkeyed = clip
        .zip(at)
        .and_then(|(clip, time)| document.aids.unkeyed(clip, time))
        .map(|(_, u)| u.clone());
    Pose::evaluate(document, &Stack::shown(document, clip, at.unwrap_or(0.0)).with_unkeyed(unkeyed))
}

fn world(pose: &Pose, node: NodeId) -> DMat4 {
    pose.world[node.index()].as_dmat4()
}

fn place(pose: &Pose, node: NodeId) -> DVec3 {
    world(pose, node).w_axis.truncate()
}

/// Returns the unit axes of a node's world matrix.
fn axes(pose: &Pose, node: NodeId) -> [DVec3; 3] {
    let m = DMat3::from_mat4(world(pose, node));
    [m.x_axis, m.y_axis, m.z_axis].map(DVec3::normalize)
}

/// Returns the displayed vertices in scene coordinates.
fn cloud(document: &Document, pose: &Pose) -> Vec<Vec3> {
    let mut all = Vec::new();
    for node in document.shown_nodes() {
        let Some(mesh) = document.node(node).mesh else { continue };
        for (_, primitive) in document.mesh(mesh).entries() {
            let mut out = Posed::default();
            let placement = Placement::of(document, pose, node, primitive);
            skinning::skin(primitive, &[], &pose.morphs[node.index()], &placement, &mut out);
            all.extend(out.positions);
        }
    }
    all
}

fn farthest(a: &[Vec3], b: &[Vec3]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

/// Asserts that a node and all its descendants rotated about a point of the scene, and that all
/// others stayed.
fn turned_by(
    document: &Document,
    before: &Pose,
    after: &Pose,
    node: NodeId,
    turn: DQuat,
    about: DVec3,
    of: &str,
) {
    for other in document.node_ids() {
        let moves = other == node || document.is_above(node, other);
        let (turn, about) = if moves { (turn, about) } else { (DQuat::IDENTITY, DVec3::ZERO) };
        let wanted = about + turn * (place(before, other) - about);
        let off = wanted.distance(place(after, other));
        assert!(off < 1e-5, "{of}: {} by {off}", document.node(other).label(other));
        for (was, is) in axes(before, other).into_iter().zip(axes(after, other)) {
            assert!(
                (turn * was).distance(is) < 1e-5,
                "{of}: axes of {}",
                document.node(other).label(other)
            );
        }
    }
}

#[test]
fn rotations_about_scene_axes_are_correct_under_a_mirrored_armature() {
    let Some(mut session) = situation(BODY) else { return };
    // Starts from a pose without axis-aligned limbs.
    for (k, name) in LEFT.iter().chain(&["Chest", "Hips", "RightUpperArm"]).enumerate() {
        does(
            &mut session,
            json!({"do": "pose.rotate", "node": name, "axis": (["x", "y", "z"][k % 3]),
                "degrees": (13 + 7 * k)}),
        );
    }
    let document = session.document().clone();
    for (time, over) in [(None, json!({})), (Some(0.3), json!({"clip": "Walk", "time": 0.3}))] {
        let before = pose(&document, time);
        for name in
            ["LeftUpperArm", "RightLowerArm", "Chest", "Hips", "LeftUpperLeg", "Left_clav_null"]
        {
            let node = named(&document, name);
            for (axis, degrees) in
                [([0.0, 1.0, 0.0], 40.0), ([1.0, 0.0, 0.0], -70.0), ([0.6, 0.0, 0.8], 100.0)]
            {
                let turn = DQuat::from_axis_angle(axis.into(), f64::to_radians(degrees));
                let with = |more: Value| {
                    let mut line = json!({"do": "pose.turn", "node": name, "axis": axis,
                        "degrees": degrees,
                            "space": "world"});
                    line.as_object_mut().unwrap().extend(over.as_object().unwrap().clone());
                    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                    line
                };
                for pivot in [None, Some([0.2, 0.7, -0.1])] {
                    let line = with(pivot.map_or_else(|| json!({}), |p| json!({"pivot": p})));
                    does(&mut session, line.clone());
                    let about = pivot.map_or_else(|| place(&before, node), DVec3::from);
                    turned_by(
                        &document,
                        &before,
                        &pose(session.document(), time),
                        node,
                        turn,
                        about,
                        &line.to_string(),
                    );
                    session.undo();
                }
            }
            let mut line =
                json!({"do": "pose.shift", "node": name, "by": [0.1, -0.2, 0.3], "space": "world"});
            line.as_object_mut().unwrap().extend(over.as_object().unwrap().clone());
            does(&mut session, line);
            let after = pose(session.document(), time);
            let went = place(&after, node) - place(&before, node);
            assert!(went.distance(DVec3::new(0.1, -0.2, 0.3)) < 1e-5, "{name}: {went}");
            session.undo();
        }
    }
    // Without an edit in between, the document equals the opened one, except for the pose.
    assert!(*session.document() == document);
}

#[test]
fn scene_positions_are_reached_under_a_mirrored_armature() {
    let Some(mut session) = situation(BODY) else { return };
    let document = session.document().clone();
    let before = pose(&document, None);
    for (k, name) in
        LEFT.iter().chain(&["Chest", "Head", "Hips", "RightHand", "Right_clav_null"]).enumerate()
    {
        let node = named(&document, name);
        let to = DVec3::new(0.3 - 0.05 * k as f64, 1.0 + 0.02 * k as f64, 0.2);
        does(
            &mut session,
            json!({"do": "pose.set_world", "node": name, "translation": to.to_array()}),
        );
        let after = pose(session.document(), None);
        assert!(place(&after, node).distance(to) < 1e-5, "{name}");
        for (was, is) in axes(&before, node).into_iter().zip(axes(&after, node)) {
            assert!(was.distance(is) < 1e-6, "{name}: it turns");
        }
        session.undo();
        // The axes are those of the rotation. One of them is reversed, as below any mirror.
        let turn =
            DQuat::from_euler(glam::EulerRot::XYZ, 0.4 + 0.3 * k as f64, -0.7, 0.2 * k as f64);
        does(
            &mut session,
            json!({"do": "pose.set_world", "node": name, "rotation": turn.to_array()}),
        );
        let after = pose(session.document(), None);
        assert!(place(&after, node).distance(place(&before, node)) < 1e-6, "{name} moves");
        let m = DMat3::from_quat(turn);
        let along: Vec<f64> = axes(&after, node)
            .into_iter()
            .zip([m.x_axis, m.y_axis, m.z_axis])
            .map(|(a, b)| a.dot(b))
            .collect();
        assert!(along.iter().all(|a| (a.abs() - 1.0).abs() < 1e-6), "{name}: {along:?}");
        assert_eq!(along.iter().filter(|a| **a < 0.0).count(), 1, "{name}: {along:?}");
        // Setting the same value again changes nothing.
        let stands = session.document().clone();
        does(
            &mut session,
            json!({"do": "pose.set_world", "node": name, "rotation": turn.to_array()}),
        );
        let again = pose(session.document(), None);
        for other in stands.node_ids() {
            let off = (world(&again, other) - world(&after, other)).to_cols_array();
            assert!(
                off.iter().all(|v| v.abs() < 1e-6),
                "{name}: {}",
                stands.node(other).label(other)
            );
        }
        while session.undo().is_some() {}
        let local = |s: &Session| s.document().node(node).local().transform();
        does(
            &mut session,
            json!({"do": "pose.set_world", "node": name, "scale": [-0.02, 0.02, 0.02]}),
        );
        let after = pose(session.document(), None);
        let m = DMat3::from_mat4(world(&after, node));
        for axis in [m.x_axis, m.y_axis, m.z_axis] {
            assert!((axis.length() - 0.02).abs() < 1e-6, "{name}: {axis}");
        }
        assert!(
            (local(&session).scale - Vec3::splat(2.0)).length() < 1e-4,
            "{name}: {}",
            local(&session).scale
        );
        session.undo();
    }
}

#[test]
fn look_at_works_under_a_mirrored_armature() {
    let Some(mut session) = situation(BODY) else { return };
    for (name, degrees) in [("Chest", 25), ("Hips", -40), ("LeftUpperArm", 35)] {
        does(
            &mut session,
            json!({"do": "pose.rotate", "node": name, "axis": "y", "degrees": degrees}),
        );
    }
    let document = session.document().clone();
    let rest = pose(situation(BODY).unwrap().document(), None);
    for time in [None, Some(0.4)] {
        for name in ["Head", "Chest", "LeftHand", "RightUpperArm"] {
            for at in [[0.5, 1.2, 2.0], [-1.0, 2.0, 0.3], [0.1, 0.4, -1.5]] {
                let node = named(&document, name);
                let mut line = json!({"do": "pose.look_at", "node": name, "at": at});
                if let Some(time) = time {
                    line.as_object_mut()
                        .unwrap()
                        .extend(json!({"clip": "Walk", "time": time}).as_object().unwrap().clone());
                }
                does(&mut session, line);
                let after = pose(session.document(), time);
                // The direction that faced +z at rest. Its coordinates on the node's own axes do
                // not change.
                let ahead: DVec3 = axes(&rest, node)
                    .into_iter()
                    .zip(axes(&after, node))
                    .map(|(r, a)| a * r.z)
                    .sum();
                let way = (DVec3::from(at) - place(&after, node)).normalize();
                assert!(ahead.distance(way) < 1e-5, "{name} at {at:?}, {time:?}: {ahead} {way}");
                assert!(
                    place(&after, node).distance(place(&pose(&document, time), node)) < 1e-6,
                    "{name} moves"
                );
                session.undo();
            }
        }
    }
}

fn other_side(name: &str) -> String {
    if name.contains("Left") {
        name.replace("Left", "Right")
    } else {
        name.replace("Right", "Left")
    }
}

/// Returns the largest distance of nodes from the mirror images of their partners.
fn image_gap(document: &Document, before: &Pose, after: &Pose) -> f64 {
    let mut gap = 0.0f64;
    for node in document.node_ids() {
        let name = document.node(node).label(node);
        let image = place(before, named(document, &other_side(&name))) * DVec3::new(-1.0, 1.0, 1.0);
        gap = gap.max(image.distance(place(after, node)));
    }
    gap
}

#[test]
fn mirroring_arms_and_whole_poses_works_under_a_mirrored_armature() {
    let Some(mut session) = situation(BODY) else { return };
    let document = session.document().clone();
    let notes = does(&mut session, json!({"do": "clip.mirror", "clip": "Walk"}));
    let length = f64::from(document.clips[ClipId(0)].length());
    for k in 0..=60 {
        let time = Some(length * f64::from(k) / 60.0);
        let gap = image_gap(&document, &pose(&document, time), &pose(session.document(), time));
        assert!(gap < 1e-4, "{time:?}: {gap} {notes}");
    }
    session.undo();
    does(&mut session, json!({"do": "pose.flip"}));
    assert!(session.document().nodes == document.nodes, "a symmetric rest stays");
    for (k, name) in LEFT.iter().enumerate() {
        does(
            &mut session,
            json!({"do": "pose.rotate", "node": name, "axis": (["y", "z", "x"][k % 3]),
                "degrees": (20 + 5 * k)}),
        );
    }
    let posed = pose(session.document(), None);
    let notes = does(&mut session, json!({"do": "pose.mirror", "node": LEFT}));
    let after = pose(session.document(), None);
    for name in LEFT {
        let image = place(&posed, named(&document, name)) * DVec3::new(-1.0, 1.0, 1.0);
        let is = place(&after, named(&document, &other_side(name)));
        assert!(image.distance(is) < 1e-5, "{name}: {image} {is} {notes}");
    }
    does(&mut session, json!({"do": "pose.rotate", "node": "Hips", "axis": "y", "degrees": 30}));
    let posed = pose(session.document(), None);
    does(&mut session, json!({"do": "pose.flip"}));
    let gap = image_gap(&document, &posed, &pose(session.document(), None));
    assert!(gap < 1e-5, "{gap}");
}

#[test]
fn binding_in_the_current_pose_works_under_a_mirrored_armature() {
    let Some(mut session) = situation(BODY) else { return };
    let file = session.document().clone();
    let modeled: Vec<Vec3> =
        file.meshes.values().flat_map(|m| m.primitives[0].positions.to_vec()).collect();
    for (k, name) in LEFT.iter().chain(&["Hips", "Spine"]).enumerate() {
        does(
            &mut session,
            json!({"do": "pose.rotate", "node": name, "axis": (["y", "z", "x"][k % 3]),
                "degrees": (20 + 5 * k)}),
        );
    }
    let posed = cloud(session.document(), &pose(session.document(), None));
    let joints: Vec<DVec3> =
        file.node_ids().map(|n| place(&pose(session.document(), None), n)).collect();
    assert!(farthest(&posed, &modeled) > 0.2);
    for (shape, wanted) in [("stored", &modeled), ("posed", &posed)] {
        let stands = session.document().clone();
        does(&mut session, json!({"do": "skin.bind", "shape": shape}));
        let bytes = session.pack("a").unwrap().bytes;
        for document in
            [session.document().clone(), Session::open_bytes(&bytes).unwrap().document().clone()]
        {
            let now = pose(&document, None);
            assert!(farthest(&cloud(&document, &now), wanted) < 1e-5, "{shape}");
            for node in file.node_ids() {
                assert!(
                    place(&now, node).distance(joints[node.index()]) < 1e-6,
                    "{shape}: a joint moves"
                );
            }
        }
        // After the bind, the mesh moves with its joints.
        does(
            &mut session,
            json!({"do": "pose.turn", "node": "LeftUpperArm", "axis": "z", "degrees": 50,
                "space": "world"}),
        );
        follows(
            &session,
            &stands,
            wanted,
            "LeftUpperArm",
            DQuat::from_rotation_z(f64::to_radians(50.0)),
        );
        session.undo();
        session.undo();
        assert!(*session.document() == stands);
    }
}

/// Asserts that vertices rotate about a joint by linear blend skinning. The share of a vertex is
/// its weight for the joint and its descendants.
fn follows(session: &Session, stood: &Document, before: &[Vec3], joint: &str, turn: DQuat) {
    let document = session.document();
    let after = cloud(document, &pose(document, None));
    let top = named(document, joint);
    let about = place(&pose(stood, None), top);
    let body =
        document.shown_nodes().into_iter().find(|n| document.node(*n).skin.is_some()).unwrap();
    let skin = document.skin(document.node(body).skin.unwrap());
    let map =
        document.mesh(document.node(body).mesh.unwrap()).primitives[0].weights.as_ref().unwrap();
    let (mut went, mut stayed) = (0, 0);
    for (v, (was, is)) in before.iter().zip(&after).enumerate() {
        let is_below = |slot: u16| {
            let node = skin.joints[usize::from(slot)];
            node == top || document.is_above(top, node)
        };
        let share: f32 = map.vertex(v).filter(|(j, _)| is_below(*j)).map(|(_, w)| w).sum();
        let was = was.as_dvec3();
        let wanted = was.lerp(about + turn * (was - about), f64::from(share));
        assert!(
            wanted.distance(is.as_dvec3()) < 1e-5,
            "{joint}: vertex {v} of {share}: {wanted} {is}"
        );
        went += usize::from(share > 0.5);
        stayed += usize::from(share < 0.01);
    }
    assert!(went >= 12 && stayed >= 12, "{went} {stayed}");
}

/// Opens the body without its skin. `weights` keeps its weights, and `under` puts it below the
/// armature instead of beside it.
fn unbound(weights: bool, under: bool) -> Option<Session> {
    let (mut root, bin) =
        split(&std::fs::read(shared()?.join(format!("situations/{BODY}/in.glb"))).unwrap());
    root.as_object_mut().unwrap().remove("skins");
    root["nodes"][20].as_object_mut().unwrap().remove("skin");
    if !weights {
        let attributes = root["meshes"][0]["primitives"][0]["attributes"].as_object_mut().unwrap();
        attributes.remove("JOINTS_0");
        attributes.remove("WEIGHTS_0");
    }
    if under {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        root["nodes"][20]["rotation"] = json!([half, 0, 0, half]);
        root["nodes"][20]["scale"] = json!([-100, 100, 100]);
        root["nodes"][0]["children"].as_array_mut().unwrap().push(json!(20));
        root["scenes"][0]["nodes"] = json!([0]);
    }
    let bytes = glb(root, &bin);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("unbound.glb");
    std::fs::write(&path, bytes).unwrap();
    Some(Session::open(&path, &Progress::default()).unwrap())
}

#[test]
fn a_mesh_is_bound_to_joints_under_a_mirrored_armature() {
    let Some(original) = situation(BODY) else { return };
    let skin = original.document().skins.values().next().unwrap().clone();
    let joints: Vec<String> =
        skin.joints.iter().map(|j| original.document().node(*j).label(*j)).collect();
    for (weights, under) in [(true, false), (true, true), (false, false), (false, true)] {
        let mut session = unbound(weights, under).unwrap();
        let before = cloud(session.document(), &pose(session.document(), None));
        let said =
            does(&mut session, json!({"do": "skin.create", "node": "Body", "joint": joints}));
        let stands = session.document().clone();
        let bytes = session.pack("a").unwrap().bytes;
        for document in [stands.clone(), Session::open_bytes(&bytes).unwrap().document().clone()] {
            assert!(
                farthest(&cloud(&document, &pose(&document, None)), &before) < 1e-5,
                "{weights} {under} {said}"
            );
        }
        for (joint, axis) in [("LeftUpperArm", "z"), ("RightLowerLeg", "x"), ("Chest", "y")] {
            does(
                &mut session,
                json!({"do": "pose.turn", "node": joint, "axis": axis, "degrees": 40,
                    "space": "world"}),
            );
            let axis = match axis {
                "x" => DVec3::X,
                "y" => DVec3::Y,
                _ => DVec3::Z,
            };
            follows(
                &session,
                &stands,
                &before,
                joint,
                DQuat::from_axis_angle(axis, f64::to_radians(40.0)),
            );
            session.undo();
        }
        if weights {
            // In every pose, the result agrees with the file's own skin.
            let mut file = situation(BODY).unwrap();
            for s in [&mut session, &mut file] {
                does(
                    s,
                    json!({"do": "pose.turn", "node": "Chest", "axis": "x", "degrees": 33,
                        "space": "world"}),
                );
                does(
                    s,
                    json!({"do": "pose.turn", "node": "LeftLowerLeg", "axis": "y", "degrees": -50,
                        "space": "world"}),
                );
            }
            let [a, b] = [&session, &file].map(|s| cloud(s.document(), &pose(s.document(), None)));
            assert!(farthest(&a, &b) < 1e-5, "{under}");
        }
    }
}
