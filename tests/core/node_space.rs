//! Colliders, look-at origins and constraints of VRM files, which are stored in node space. When a
//! joint gets other axes, they keep their position, or the command is refused.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use glam::{DQuat, DVec3, EulerRot, Vec3};
use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_formats::gltf::Progress;
use ulna_model::Document;
use ulna_motion::{Pose, Stack};
use ulna_session::Session;

use super::avatars::avatars;
use crate::common::{glb, named, run, split};

const SPRINGS: &str = "/extensions/VRMC_springBone/colliders";
const EXTENDED: &str = "VRMC_springBone_extended_collider";

/// Adds colliders of every shape to the head and to the tip of the hair of the VRM 1 avatar.
fn with_colliders(bytes: &[u8]) -> Vec<u8> {
    let (mut root, bin) = split(bytes);
    root["extensions"]["VRMC_springBone"]["colliders"] = json!([
        {"node": 5, "shape": {"sphere": {"offset": [0, 0.05, 0], "radius": 0.1}}},
        {"node": 5, "shape": {"capsule": {"radius": 0.1, "tail": [0.1, 0.2, -0.3]}}},
        {"node": 5, "shape": {"sphere": {"offset": [0, -10000, 0], "radius": 0}},
            "extensions": {EXTENDED: {"specVersion": "1.0",
                "shape": {"plane": {"offset": [0.1, 0, 0.2], "normal": [0, 0.6, 0.8]}}}}},
        {"node": 5, "shape": {}, "extensions": {EXTENDED: {"specVersion": "1.0",
            "shape": {"plane": {}}}}},
        {"node": 8, "shape": {"sphere": {"offset": [0.01, 0.02, 0.03], "radius": 0.1}}},
    ]);
    glb(root, &bin)
}

fn one() -> Option<Vec<u8>> {
    let (_, bytes) = avatars().pop()?;
    Some(with_colliders(&bytes))
}

fn list(value: &Value, default: DVec3) -> DVec3 {
    let Some(list) = value.as_array() else { return default };
    DVec3::from_slice(&list.iter().map(|v| v.as_f64().unwrap()).collect::<Vec<_>>())
}

/// Reads a vector of VRM 0, whose z axis has the opposite direction.
fn members(value: &Value) -> DVec3 {
    let of = |name: &str| value[name].as_f64().unwrap_or(0.0);
    DVec3::new(of("x"), of("y"), -of("z"))
}

/// Returns the points and directions of a file in the scene at rest, read from its JSON. The flag
/// is true for points.
fn in_scene(bytes: &[u8]) -> Vec<(DVec3, bool)> {
    let (root, _) = split(bytes);
    let session = Session::open_bytes(bytes).unwrap();
    let document = session.document();
    let rest = Pose::evaluate(document, &Stack::default());
    let world = |node: &Value| rest.world[node.as_u64().unwrap() as usize].as_dmat4();
    let mut all = Vec::new();
    let mut point = |node: &Value, v: DVec3| all.push((world(node).transform_point3(v), true));
    let extensions = &root["extensions"];
    let zero = &extensions["VRM"];
    if zero.is_object() {
        let first = &zero["firstPerson"];
        point(&first["firstPersonBone"], members(&first["firstPersonBoneOffset"]));
    }
    for group in zero["secondaryAnimation"]["colliderGroups"].as_array().into_iter().flatten() {
        for collider in group["colliders"].as_array().unwrap() {
            point(&group["node"], members(&collider["offset"]));
        }
    }
    let one = &extensions["VRMC_vrm"];
    if one.is_object() {
        let head = &one["humanoid"]["humanBones"]["head"]["node"];
        point(head, list(&one["lookAt"]["offsetFromHeadBone"], DVec3::ZERO));
    }
    let mut normals = Vec::new();
    for collider in root.pointer(SPRINGS).and_then(Value::as_array).into_iter().flatten() {
        let node = &collider["node"];
        for shape in [&collider["shape"], &collider["extensions"][EXTENDED]["shape"]] {
            for (kind, own) in shape.as_object().into_iter().flatten() {
                point(node, list(&own["offset"], DVec3::ZERO));
                if kind == "capsule" {
                    point(node, list(&own["tail"], DVec3::ZERO));
                }
            }
            if let Some(plane) = shape.get("plane") {
                normals.push((node.clone(), list(&plane["normal"], DVec3::Z)));
            }
        }
    }
    // In this skeleton, no node has a scale, so directions only rotate.
    all.extend(normals.iter().map(|(node, n)| (world(node).transform_vector3(*n), false)));
    all
}

/// Returns the largest difference of points, relative to their distance from the origin, or of
/// directions.
fn apart(a: &[(DVec3, bool)], b: &[(DVec3, bool)]) -> f64 {
    assert_eq!(a.len(), b.len());
    let off =
        |((a, _), (b, _)): (&(DVec3, bool), &(DVec3, bool))| a.distance(*b) / a.length().max(1.0);
    a.iter().zip(b).map(off).fold(0.0, f64::max)
}

fn saved(session: &Session) -> Vec<u8> {
    session.pack("x").unwrap().bytes.to_vec()
}

/// Returns the extensions of a file without the vectors that may change.
fn without_vectors(bytes: &[u8]) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(members) => {
                for name in ["offset", "tail", "normal", "offsetFromHeadBone"] {
                    members.remove(name);
                }
                members.remove("firstPersonBoneOffset");
                members.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut extensions = split(bytes).0["extensions"].take();
    strip(&mut extensions);
    extensions
}

#[test]
fn colliders_keep_their_position_if_their_joint_frame_changes() {
    let mut files = avatars();
    files.extend(one().map(|bytes| ("colliders.vrm", bytes)));
    for (name, bytes) in &files {
        let before = in_scene(bytes);
        assert!(before.len() >= 2, "{name}: {before:?}");
        let mut session = Session::open_bytes(bytes).unwrap();
        let lines = [
            CommandLine::new("joint.move")
                .with("node", "head")
                .with("by", json!([0.03, -0.05, 0.02])),
            CommandLine::new("joint.orient")
                .with("node", "head")
                .with("degrees", json!([20, -35, 50])),
        ];
        for line in &lines {
            run(&mut session, line.clone());
            let now = saved(&session);
            let is = in_scene(&now);
            assert!(apart(&before, &is) < 1e-6, "{name} {line}: {before:?} {is:?}");
            assert_eq!(without_vectors(&now), without_vectors(bytes), "{name}");
            let document = Session::open_bytes(&now).unwrap();
            assert_eq!(document.document().node_space, session.document().node_space);
            assert_ne!(raw(&now), raw(bytes), "{name} {line}: nothing was written");
        }
        let changes = session.pack("x").unwrap().changes;
        let said = |what: &str| changes.iter().any(|c| c == what);
        match *name {
            "zero.vrm" => assert!(
                said("extensions.VRM: place of 1 collider")
                    && said("extensions.VRM: firstPersonBoneOffset"),
                "{changes:?}"
            ),
            "one.vrm" => assert!(
                said("extensions.VRMC_springBone: place of 1 collider")
                    && said("extensions.VRMC_vrm: offsetFromHeadBone"),
                "{changes:?}"
            ),
            _ => assert!(said("extensions.VRMC_springBone: place of 4 colliders"), "{changes:?}"),
        }
        for _ in &lines {
            session.undo();
        }
        assert!(saved(&session) == *bytes, "{name}: undone");
    }
}

/// Returns the extensions of a file.
fn raw(bytes: &[u8]) -> Value {
    split(bytes).0["extensions"].take()
}

#[test]
fn unchanged_components_keep_their_number_format() {
    let Some(bytes) = one() else { return };
    let (mut root, bin) = split(&bytes);
    root["extensions"]["VRMC_springBone"]["colliders"][4]["shape"]["sphere"]["offset"] =
        json!([0.10000000149011612, 0.5, 0.25]);
    let bytes = glb(root, &bin);
    let mut session = Session::open_bytes(&bytes).unwrap();
    let line = CommandLine::new("joint.move").with("node", "hair2").with("by", json!([0, 0.25, 0]));
    run(&mut session, line);
    let bytes = saved(&session);
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("[0.10000000149011612,0.25,0.25]"), "{text}");
}

#[test]
fn malformed_vectors_are_unchanged() {
    let Some(bytes) = one() else { return };
    let (mut root, bin) = split(&bytes);
    let odd = json!([
        null, 7, {"node": 5}, {"node": 99, "shape": {"sphere": {"offset": [0, 0, 1]}}},
        {"node": -1, "shape": {"sphere": {"offset": [0, 0, 1]}}},
        {"node": 5, "shape": {"sphere": {"offset": [0, 1]}}},
        {"node": 5, "shape": {"sphere": {"offset": [0, 1, "x"]}}},
        {"node": 5, "shape": {"sphere": {"offset": {"x": 1}}}},
        {"node": 5, "shape": {"sphere": {"offset": [0, 1e300, 0]}}},
        {"node": 5, "shape": {"sphere": [1, 2, 3]}},
        {"node": 5, "shape": ["sphere"]},
        {"node": 5, "shape": {"capsule": {"offset": null, "tail": [1, 2, 3]}}},
    ]);
    root["extensions"]["VRMC_springBone"]["colliders"] = odd.clone();
    root["extensions"]["VRMC_vrm"]["lookAt"]["offsetFromHeadBone"] = json!("up");
    let constraint = json!({"VRMC_node_constraint": {"constraint": {"roll": {"source": 99},
        "aim": [], "rotation": {"source": "x"}}}});
    root["nodes"][17]["extensions"] = constraint;
    let bytes = glb(root, &bin);
    let mut session = Session::open_bytes(&bytes).unwrap();
    let space = session.document().node_space.clone();
    let read: Vec<&str> = space.vectors.iter().map(|v| &*v.pointer).collect();
    assert_eq!(read, [format!("{}/11/shape/capsule/tail", &SPRINGS[1..])]);
    assert!(space.constraints.is_empty());
    let by = json!([0.5, 0, 0]);
    run(&mut session, CommandLine::new("joint.move").with("node", "head").with("by", by));
    let now = raw(&saved(&session));
    let mut wanted = odd;
    wanted[11]["shape"]["capsule"]["tail"] = json!([0.5, 2, 3]);
    assert_eq!(now.pointer(&SPRINGS["/extensions".len()..]), Some(&wanted));
}

#[test]
fn colliders_of_a_removed_joint_stay_in_the_file() {
    let Some(bytes) = one() else { return };
    let mut session = Session::open_bytes(&bytes).unwrap();
    let count = session.document().node_space.vectors.len();
    let before = session.document().clone();
    let error = session.run_line(&CommandLine::new("joint.dissolve").with("node", "hair2"));
    assert_eq!(error.unwrap_err().code(), "carries_object");
    assert!(*session.document() == before);
    let remove = CommandLine::new("node.remove").with("node", "hair2").with("force", true);
    run(&mut session, remove);
    assert_eq!(session.document().node_space.vectors.len(), count - 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.vrm");
    // Saving also checks the written data.
    session.write_to(&path).unwrap();
    let again = Session::open(&path, &Progress::default()).unwrap();
    assert_eq!(again.document().node_space.vectors.len(), count);
    // The removed joint must be missing in the spring.
    let joints = "/VRMC_springBone/springs/0/joints";
    let mut wanted = raw(&bytes);
    wanted.pointer_mut(joints).unwrap().as_array_mut().unwrap().pop();
    assert_eq!(raw(&std::fs::read(&path).unwrap()), wanted);
    session.undo();
    assert!(saved(&session) == bytes);
}

/// Opens the avatar with another constraint from the left hand to the right hand.
fn constrained(bytes: &[u8], constraint: Value) -> Session {
    let (mut root, bin) = split(bytes);
    root["nodes"][17]["extensions"]["VRMC_node_constraint"]["constraint"] = constraint;
    Session::open_bytes(&glb(root, &bin)).unwrap()
}

/// Returns the world rotation that the specification requires for a constrained node. Both hands
/// are rotated, and a clip or the user rotates the left one by `bend`.
fn constrained_turn(document: &Document, constraint: &Value, bend: DQuat) -> DQuat {
    let (node, source) = (named(document, "rightHand"), named(document, "leftHand"));
    let local = |n| {
        let t = document.node(n).rest.transform();
        (t.rotation.as_dquat().normalize(), t.translation.as_dvec3())
    };
    let rest = Pose::evaluate(document, &Stack::default());
    let world = |n: ulna_model::NodeId| {
        let (_, rotation, at) = rest.world[n.index()].as_dmat4().to_scale_rotation_translation();
        (rotation, at)
    };
    let above = |n| world(document.node(n).parent.unwrap()).0;
    let (own, theirs) = (local(node).0, local(source).0);
    // The source rotates by `bend` in the scene.
    let turned = above(source).inverse() * bend * above(source) * theirs;
    let delta = theirs.inverse() * turned;
    let (kind, about) = constraint.as_object().unwrap().iter().next().unwrap();
    let local = match kind.as_str() {
        "rotation" => own * delta,
        "roll" => {
            let axis = match about["rollAxis"].as_str().unwrap() {
                "X" => DVec3::X,
                "Y" => DVec3::Y,
                _ => DVec3::Z,
            };
            let in_parent = theirs * delta * theirs.inverse();
            let here = own.inverse() * in_parent * own;
            own * DQuat::from_rotation_arc(axis, here * axis).inverse() * here
        }
        _ => {
            let to = (world(source).1 - world(node).1).normalize();
            let from = above(node) * own * DVec3::Y;
            above(node).inverse() * DQuat::from_rotation_arc(from, to) * above(node) * own
        }
    };
    above(node) * local
}

#[test]
fn a_constraint_is_kept_or_the_command_is_refused() {
    let Some(bytes) = one() else { return };
    let rotation = json!({"rotation": {"source": 11, "weight": 0.5}});
    let roll = json!({"roll": {"source": 11, "rollAxis": "Y"}});
    let aim = json!({"aim": {"source": 11, "aimAxis": "PositiveY"}});
    let orient = |nodes: Value| {
        CommandLine::new("joint.orient").with("node", nodes).with("degrees", json!([0, 30, 45]))
    };
    let shift = |nodes: Value| {
        CommandLine::new("joint.move").with("node", nodes).with("by", json!([0, 0.1, 0]))
    };
    let (hand, other) = (json!("rightHand"), json!("leftHand"));
    let both = json!(["rightHand", "leftHand"]);
    let (arm, arms) = (json!("leftLowerArm"), json!(["leftLowerArm", "rightLowerArm"]));
    let bend = DQuat::from_euler(EulerRot::XYZ, 0.4, -0.3, 0.7);
    let (mut kept, mut refused) = (0, 0);
    for (constraint, line, is_kept) in [
        (&rotation, orient(hand.clone()), false),
        (&rotation, orient(other.clone()), false),
        (&rotation, orient(both.clone()), true),
        (&rotation, shift(hand.clone()), true),
        (&rotation, orient(arm.clone()), true),
        (&roll, orient(hand.clone()), false),
        (&roll, orient(other.clone()), true),
        (&roll, orient(arm.clone()), false),
        (&roll, orient(arms.clone()), true),
        (&roll, shift(both.clone()), true),
        (&aim, orient(hand.clone()), false),
        (&aim, orient(other.clone()), true),
        (&aim, orient(arm), true),
        (&aim, shift(hand.clone()), false),
        (&aim, shift(other), false),
    ] {
        let mut session = constrained(&bytes, constraint.clone());
        let before = session.document().clone();
        match session.run_line(&line) {
            Ok(_) => {
                assert!(is_kept, "{constraint} {line}");
                let after = session.document();
                let node = named(after, "rightHand");
                // The axes of the hand itself may have changed.
                let own = |d: &Document| {
                    let rest = Pose::evaluate(d, &Stack::default());
                    rest.world[node.index()].to_scale_rotation_translation().1.as_dquat()
                };
                let turn = |d: &Document| {
                    let of = constrained_turn(d, constraint, bend);
                    (of * own(d).inverse()).normalize()
                };
                let (a, b) = (turn(&before), turn(after));
                assert!(a.dot(b).abs() > 1.0 - 1e-9, "{constraint} {line}: {a} {b}");
                kept += 1;
            }
            Err(error) => {
                assert!(!is_kept, "{constraint} {line}: {error}");
                assert_eq!(error.code(), "constraint_axis", "{error}");
                let said = error.to_string();
                assert!(said.contains("“rightHand”") && said.contains("“leftHand”"), "{said}");
                assert!(*session.document() == before);
                refused += 1;
            }
        }
    }
    assert_eq!((kept, refused), (8, 7));
}

#[test]
fn a_position_is_in_meters_of_its_node() {
    let Some(bytes) = one() else { return };
    let session = Session::open_bytes(&bytes).unwrap();
    let space = &session.document().node_space;
    let of = |end: &str| space.vectors.iter().find(|v| v.pointer.ends_with(end)).unwrap();
    assert_eq!(of("4/shape/sphere/offset").value, Vec3::new(0.01, 0.02, 0.03));
    assert_eq!(of("1/shape/capsule/offset").value, Vec3::ZERO);
    let (_, zero) = avatars().remove(0);
    let (mut root, bin) = split(&zero);
    root["extensions"]["VRM"]["secondaryAnimation"]["colliderGroups"][0]["colliders"] =
        json!([{"offset": {"x": 1, "y": 2, "z": 3}, "radius": 1}]);
    root["extensions"]["VRM"]["firstPerson"]["firstPersonBone"] = json!(-1);
    let session = Session::open_bytes(&glb(root, &bin)).unwrap();
    let document = session.document();
    let values: Vec<(Vec3, _)> =
        document.node_space.vectors.iter().map(|v| (v.value, v.node)).collect();
    let head = named(document, "head");
    assert_eq!(values, [(Vec3::new(0.0, 0.06, 0.0), head), (Vec3::new(1.0, 2.0, -3.0), head)]);
}
