//! A body whose left and right meshes have separate skins: weights are mirrored from one skin to
//! the other.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::collections::BTreeMap;

use glam::{Mat4, Quat, Vec3};
use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_model::{Document, MeshId, PrimitiveId, SkinId};
use ulna_motion::MirrorPairs;
use ulna_session::Session;
use ulna_weights::{
    Brush, BrushKind, Dab, Influences, MirrorMap, Paint, PosedSurface, SkinnedSurface, Stroke,
    Touch, bodies, is_one_sided,
};

use crate::common::{
    bodies::{Body, three_skins},
    floats, glb, run, shared, split,
    weights::map,
};

fn line(session: &mut Session, line: Value) -> Vec<String> {
    run(session, CommandLine::parse(&line.to_string()).unwrap())
}

/// Returns the name of the mirror joint.
fn other(name: &str) -> String {
    match name.rsplit_once('.') {
        Some((stem, "L")) => format!("{stem}.R"),
        Some((stem, "R")) => format!("{stem}.L"),
        _ => name.to_owned(),
    }
}

type Held = BTreeMap<String, f32>;

fn turned(held: &Held, other: &dyn Fn(&str) -> String) -> Held {
    held.iter().map(|(name, w)| (other(name), *w)).collect()
}

fn apart(a: &Held, b: &Held) -> f32 {
    let get = |of: &Held, name: &String| of.get(name).copied().unwrap_or(0.0);
    a.keys().chain(b.keys()).map(|n| (get(a, n) - get(b, n)).abs()).fold(0.0, f32::max)
}

/// Asserts that the weights of all vertices are symmetric across x = 0. Returns the number of
/// vertices.
fn is_symmetric(
    body: &Body,
    document: &Document,
    near: f32,
    other: &dyn Fn(&str) -> String,
) -> usize {
    let all = body.held(document);
    let mut count = 0;
    for (mesh, v, at, held) in &all {
        let image = Vec3::new(-at.x, at.y, at.z);
        let across: Vec<_> = all.iter().filter(|(.., p, _)| p.distance(image) < 1e-4).collect();
        let [(.., there)] = across[..] else {
            panic!("{} vertices across from {v} of mesh {mesh}", across.len())
        };
        let off = apart(held, &turned(there, other));
        assert!(off <= near, "vertex {v} of mesh {mesh}: {held:?}, and across {there:?}");
        count += 1;
    }
    count
}

fn sums_are_one(body: &Body, document: &Document) {
    for (mesh, v, _, held) in body.held(document) {
        let sum: f32 = held.values().sum();
        assert!((sum - 1.0).abs() < 2e-6, "vertex {v} of mesh {mesh} sums to {sum}");
    }
}

#[test]
fn arms_with_separate_skins_are_mirrored() {
    let Some(shared) = shared() else { return };
    let path = shared.join("situations/mirrored-meshes/in.glb");
    let mut session = Session::open(&path, &Default::default()).unwrap();
    let first = session.document().clone();
    // The weights are already symmetric, so nothing changes, and nothing is counted.
    for from in ["left", "right"] {
        let notes = line(&mut session, json!({"do": "weights.mirror", "from": from}));
        assert_eq!(notes, ["the sides are already symmetric"]);
        assert!(*session.document() == first);
    }
    let arm = |session: &Session, mesh: u32| {
        map(session.document(), MeshId(mesh), PrimitiveId(0)).clone()
    };
    let notes = line(
        &mut session,
        json!({"do": "weights.flood", "joint": "Hand.L", "value": 0.5, "mesh": "ArmL"}),
    );
    assert_eq!(notes, ["flooded 48 vertices"]);
    assert!(
        arm(&session, 1) == *map(&first, MeshId(1), PrimitiveId(0)),
        "painting one leaves the other"
    );
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("flooded.glb");
    session.write_to(&to).unwrap();
    let again = Session::open(&to, &Default::default()).unwrap();
    assert!(arm(&again, 1) == arm(&session, 1) && arm(&again, 0) == arm(&session, 0));
    // Before the command, the left arm is not the mirror image of the right arm. Afterward, it is.
    assert!(arm(&session, 0).weights[..] != arm(&session, 1).weights[..]);
    let left = arm(&session, 0);
    assert_eq!(
        line(&mut session, json!({"do": "weights.mirror", "from": "left"})),
        ["mirrored 48 vertices"]
    );
    assert!(arm(&session, 0) == left);
    mirrored_by_place(session.document());
    assert_eq!(
        line(&mut session, json!({"do": "weights.mirror", "from": "left"})),
        ["the sides are already symmetric"]
    );
    let to = folder.path().join("mirrored.glb");
    session.write_to(&to).unwrap();
    mirrored_by_place(Session::open(&to, &Default::default()).unwrap().document());
    // Mirrors in the other direction.
    line(
        &mut session,
        json!({"do": "weights.flood", "joint": "UpperArm.R", "value": 0.25, "mesh": "ArmR"}),
    );
    line(&mut session, json!({"do": "weights.mirror", "from": "right"}));
    mirrored_by_place(session.document());
    while session.undo().is_some() {}
    assert!(*session.document() == first);
}

/// Asserts that each vertex of `ArmL` has the mirrored weights of the vertex of `ArmR` at its
/// mirrored position.
fn mirrored_by_place(document: &Document) {
    let places = |mesh: u32| document.mesh(MeshId(mesh)).primitives[0].positions.to_vec();
    let by_name = |mesh: u32, v: usize| -> Held {
        let joints = &document.skin(SkinId(mesh)).joints;
        let held = map(document, MeshId(mesh), PrimitiveId(0)).vertex(v).filter(|(_, w)| *w > 0.0);
        held.map(|(j, w)| (document.node(joints[usize::from(j)]).label(joints[usize::from(j)]), w))
            .collect()
    };
    let (left, right) = (places(0), places(1));
    assert_eq!(left.len(), 54);
    for (v, p) in left.iter().enumerate() {
        let image = Vec3::new(-p.x, p.y, p.z);
        let at = right.iter().position(|q| q.distance(image) < 1e-5).unwrap();
        assert!(apart(&turned(&by_name(0, v), &other), &by_name(1, at)) < 1e-6, "vertex {v}");
    }
}

/// Returns matrices from the mesh spaces of three skins to the armature, in three variants.
fn places() -> [[Mat4; 3]; 3] {
    let turned = Mat4::from_scale_rotation_translation(
        Vec3::splat(100.0),
        Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2),
        Vec3::new(0.5, -1.0, 0.25),
    );
    let moved = Mat4::from_translation(Vec3::new(0.0, 2.0, -3.0));
    [[Mat4::IDENTITY; 3], [turned; 3], [turned, moved, Mat4::IDENTITY]]
}

#[test]
fn three_skins_are_mirrored_as_one_body() {
    let armatures = [
        Mat4::IDENTITY,
        Mat4::from_scale_rotation_translation(
            Vec3::splat(0.01),
            Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2),
            Vec3::new(3.0, 0.0, 0.0),
        ),
        Mat4::from_rotation_y(0.6),
    ];
    let mut done = 0;
    for (armature, spaces, bytes) in armatures
        .into_iter()
        .flat_map(|a| places().into_iter().flat_map(move |s| [(a, s, false), (a, s, true)]))
    {
        let body = three_skins(armature, spaces, bytes);
        let mut session = Session::open_bytes(&body.glb()).unwrap();
        let near = if bytes { 0.5 / 255.0 } else { 2e-6 };
        let first = session.document().clone();
        assert_eq!(bodies(&first).len(), 1);
        assert_eq!(is_symmetric(&body, &first, near, &other), 162);
        assert_eq!(
            line(&mut session, json!({"do": "weights.mirror", "from": "left"})),
            ["the sides are already symmetric"]
        );
        assert!(*session.document() == first, "symmetric already");
        line(
            &mut session,
            json!({"do": "weights.flood", "joint": "Fore.L", "value": 0.7, "mesh": "Left",
                "how": "add", "amount": 0.4}),
        );
        let high: Vec<String> = body
            .held(&first)
            .iter()
            .filter(|(mesh, _, at, _)| *mesh == 2 && at.x > 0.01 && at.y > 1.3)
            .map(|(_, v, ..)| v.to_string())
            .collect();
        assert_eq!(high.len(), 6);
        let shoulder = json!({"do": "weights.flood", "joint": "Arm.L", "value": 0.4,
            "mesh": "Trunk",
                "vertices": high.join(", ")});
        line(&mut session, shoulder);
        let painted = session.document().clone();
        assert_eq!(
            line(&mut session, json!({"do": "weights.mirror", "from": "left"})),
            ["mirrored 54 vertices"]
        );
        is_symmetric(&body, session.document(), near, &other);
        sums_are_one(&body, session.document());
        // The source side is unchanged.
        let (before, after) = (body.held(&painted), body.held(session.document()));
        for ((.., at, a), (.., b)) in
            before.iter().zip(&after).filter(|((.., at, _), _)| at.x > 0.01)
        {
            assert_eq!(a, b, "{at}");
        }
        // Mirroring in the other direction restores the state before painting.
        session.undo();
        line(&mut session, json!({"do": "weights.mirror", "from": "right"}));
        is_symmetric(&body, session.document(), near, &other);
        for ((.., a), (.., b)) in body.held(&first).iter().zip(&body.held(session.document())) {
            assert!(apart(a, b) <= near, "{a:?} {b:?}");
        }
        // The saved file contains the result, and is valid.
        let bytes = session.pack("x").unwrap().bytes;
        let again = Session::open_bytes(&bytes).unwrap();
        is_symmetric(&body, again.document(), near, &other);
        done += 1;
    }
    assert_eq!(done, 18);
}

/// Only the given mesh and the unlocked joints may change.
#[test]
fn mirroring_changes_only_the_given_mesh_and_unlocked_joints() {
    let body = three_skins(Mat4::IDENTITY, [Mat4::IDENTITY; 3], false);
    let mut session = Session::open_bytes(&body.glb()).unwrap();
    line(
        &mut session,
        json!({"do": "weights.flood", "joint": "Hand.L", "value": 0.5, "mesh": "Left"}),
    );
    let painted = session.document().clone();
    let notes = line(&mut session, json!({"do": "weights.mirror", "from": "left", "mesh": "Left"}));
    assert!(
        matches!(&notes[..],
            [one] if one.contains("none of the given vertices is on the right side")),
        "{notes:?}"
    );
    line(
        &mut session,
        json!({"do": "weights.mirror", "from": "left", "mesh": "Right", "vertices": "0-9"}),
    );
    let changed =
        body.held(session.document()).into_iter().zip(body.held(&painted)).filter(|(a, b)| a != b);
    let changed: Vec<_> = changed.map(|((mesh, v, ..), _)| (mesh, v)).collect();
    assert!(
        !changed.is_empty() && changed.iter().all(|(mesh, v)| *mesh == 1 && *v < 10),
        "{changed:?}"
    );
    session.undo();
    line(&mut session, json!({"do": "weights.mirror", "from": "left", "locked": "Hand.R"}));
    let hand = |d: &Document| -> Vec<f32> {
        body.held(d)
            .iter()
            .filter(|(mesh, ..)| *mesh == 1)
            .map(|(.., h)| h.get("Hand.R").copied().unwrap_or(0.0))
            .collect()
    };
    assert_eq!(hand(session.document()), hand(&painted), "a locked joint stays");
}

#[test]
fn a_mirror_joint_missing_in_the_other_skin_is_reported_and_vertices_are_unchanged() {
    for nowhere in [false, true] {
        let mut body = three_skins(Mat4::IDENTITY, [Mat4::IDENTITY; 3], false);
        // The right hand is in no skin, or it is not a joint at all. The forearm then receives its
        // weight.
        body.skins[1].0.retain(|n| *n != "Hand.R");
        body.tubes[1].along = vec![("Arm.R", 0.1), ("Fore.R", 0.5)];
        if nowhere {
            body.joints.truncate(7);
        }
        let mut session = Session::open_bytes(&body.glb()).unwrap();
        let first = session.document().clone();
        line(
            &mut session,
            json!({"do": "weights.flood", "joint": "Arm.L", "value": 0.3, "mesh": "Left",
                "vertices": "0-29"}),
        );
        let notes = line(&mut session, json!({"do": "weights.mirror", "from": "left"}));
        let all = body.held(session.document());
        let (mut same, mut images) = (0, 0);
        for (mesh, v, at, held) in all.iter().filter(|(mesh, ..)| *mesh == 1) {
            let there = all
                .iter()
                .find(|(m, _, p, _)| *m == 0 && p.distance(Vec3::new(-at.x, at.y, at.z)) < 1e-4)
                .unwrap();
            if there.3.contains_key("Hand.L") && !nowhere {
                let before =
                    body.held(&first).into_iter().find(|(m, k, ..)| m == mesh && k == v).unwrap();
                assert_eq!(*held, before.3);
                same += 1;
            } else {
                let wanted =
                    |name: &str| if name == "Hand.L" { "Fore.R".to_owned() } else { other(name) };
                let mut image = Held::new();
                there.3.iter().for_each(|(n, w)| *image.entry(wanted(n)).or_default() += w);
                assert!(apart(held, &image) < 2e-6, "{held:?} {image:?}");
                images += 1;
            }
        }
        assert_eq!(same + images, 54);
        let said = notes.join("; ");
        if nowhere {
            assert_eq!(same, 0);
            assert!(!said.contains("left unchanged"), "{said}");
        } else {
            assert_eq!(same, 24);
            assert!(
                said.contains(
                    "24 vertices left unchanged: their mirror image needs joint “Hand.R”, which \
                        the skin of “Right” does not have"
                ),
                "{said}"
            );
        }
    }
}

/// The names of the joints do not help, so they are paired by their positions.
#[test]
fn joints_are_paired_by_their_positions_too() {
    for apart_at_the_roots in [false, true] {
        let mut body = three_skins(Mat4::IDENTITY, [Mat4::IDENTITY; 3], false);
        let plain = |name: &'static str| match name {
            "Arm.L" => "b2",
            "Fore.L" => "b3",
            "Hand.L" => "b4",
            "Arm.R" => "b9",
            "Fore.R" => "b7",
            "Hand.R" => "b8",
            "Hips" => "b0",
            _ => "b1",
        };
        if apart_at_the_roots {
            // Two arms without a body.
            body.joints = body.joints.split_off(2);
            for (k, joint) in body.joints.iter_mut().enumerate() {
                joint.1 = (k % 3 != 0).then(|| k - 1);
            }
            body.skins.truncate(2);
            body.skins[1].0 = vec!["Arm.R", "Fore.R", "Hand.R"];
            body.tubes.truncate(2);
        }
        body.joints.iter_mut().for_each(|j| j.0 = plain(j.0));
        body.skins.iter_mut().flat_map(|s| s.0.iter_mut()).for_each(|n| *n = plain(n));
        body.tubes.iter_mut().flat_map(|t| t.along.iter_mut()).for_each(|(n, _)| *n = plain(n));
        let swapped = |name: &str| {
            let pairs = [("b2", "b9"), ("b3", "b7"), ("b4", "b8")];
            let found = pairs
                .into_iter()
                .find_map(|(a, b)| if a == name { Some(b) } else { (b == name).then_some(a) });
            found.unwrap_or(name).to_owned()
        };
        let mut session = Session::open_bytes(&body.glb()).unwrap();
        line(
            &mut session,
            json!({"do": "weights.flood", "joint": "b4", "value": 0.6, "mesh": "Left",
                "vertices": "0-40"}),
        );
        let notes = line(&mut session, json!({"do": "weights.mirror", "from": "left"}));
        assert!(notes[0].starts_with("mirrored "), "{notes:?}");
        is_symmetric(&body, session.document(), 2e-6, &swapped);
    }
}

/// Mirror pairs that the user gives apply from skin to skin.
#[test]
fn given_pairs_apply_across_skins() {
    let mut body = three_skins(Mat4::IDENTITY, [Mat4::IDENTITY; 3], false);
    // Each side has a helper joint. The two have different names and positions.
    body.joints.push(("Twist", Some(3), Vec3::new(0.7, 1.4, 0.0)));
    body.joints.push(("Roll", Some(6), Vec3::new(-0.9, 1.3, 0.1)));
    body.skins[0].0.push("Twist");
    body.skins[1].0.push("Roll");
    let mut session = Session::open_bytes(&body.glb()).unwrap();
    line(&mut session, json!({"do": "joints.pair", "joint": "Twist", "with": "Roll"}));
    line(
        &mut session,
        json!({"do": "weights.flood", "joint": "Twist", "value": 0.6, "mesh": "Left",
            "vertices": "20-40"}),
    );
    line(&mut session, json!({"do": "weights.mirror", "from": "left"}));
    let swapped = |name: &str| match name {
        "Twist" => "Roll".to_owned(),
        "Roll" => "Twist".to_owned(),
        name => other(name),
    };
    is_symmetric(&body, session.document(), 2e-6, &swapped);
    assert!(
        body.held(session.document())
            .iter()
            .any(|(.., held)| held.get("Roll").is_some_and(|w| *w > 0.5))
    );
}

/// Two characters in one file have their own mirror planes, although each has a mesh on the other
/// side of the scene.
#[test]
fn two_characters_are_mirrored_separately() {
    let one = three_skins(Mat4::IDENTITY, [Mat4::IDENTITY; 3], false);
    // Both characters have the same distance from the middle of the scene. The second has one skin
    // for all meshes.
    let mut body = three_skins(Mat4::IDENTITY, [Mat4::IDENTITY; 3], false);
    let by = Vec3::new(4.0, 0.0, 0.0);
    let names =
        ["Hips.2", "Chest.2", "Arm.2.L", "Fore.2.L", "Hand.2.L", "Arm.2.R", "Fore.2.R", "Hand.2.R"];
    body.joints.iter_mut().for_each(|j| j.2 -= by);
    let second = one
        .joints
        .iter()
        .zip(names)
        .map(|((_, parent, at), name)| (name, parent.map(|p| p + 8), *at + by));
    body.joints.extend(second.collect::<Vec<_>>());
    body.skins.push((names.to_vec(), Mat4::IDENTITY));
    let renamed = |name: &str| names[one.joints.iter().position(|(n, ..)| *n == name).unwrap()];
    let mut more = Vec::new();
    for (tube, name) in one.tubes.into_iter().zip(["Left 2", "Right 2", "Trunk 2"]) {
        let along = tube.along.iter().map(|(n, at)| (renamed(n), *at)).collect();
        more.push(crate::common::bodies::Tube {
            name,
            skin: 3,
            from: tube.from + by,
            to: tube.to + by,
            along,
            ..tube
        });
    }
    for tube in &mut body.tubes {
        (tube.from, tube.to) = (tube.from - by, tube.to - by);
    }
    body.tubes.extend(more);
    let mut session = Session::open_bytes(&body.glb()).unwrap();
    let first = session.document().clone();
    assert_eq!(
        line(&mut session, json!({"do": "weights.mirror", "from": "left"})),
        ["the sides are already symmetric"]
    );
    assert!(*session.document() == first);
    line(
        &mut session,
        json!({"do": "weights.flood", "joint": "Hand.L", "value": 0.5, "mesh": "Left"}),
    );
    line(
        &mut session,
        json!({"do": "weights.flood", "joint": "Hand.2.L", "value": 0.25, "mesh": "Left 2"}),
    );
    line(&mut session, json!({"do": "weights.mirror", "from": "left"}));
    for (first, middle, hand, value) in [(0, -4.0, "Hand", 0.5), (3, 4.0, "Hand.2", 0.25)] {
        let all = body.held(session.document());
        for (.., at, held) in all.iter().filter(|(mesh, ..)| *mesh == first + 1) {
            let image = Vec3::new(2.0 * middle - at.x, at.y, at.z);
            let (.., there) = all.iter().find(|(.., p, _)| p.distance(image) < 1e-4).unwrap();
            assert!(apart(held, &turned(there, &other)) < 2e-6, "{held:?} {there:?}");
            assert!(held[&format!("{hand}.R")] >= value - 1e-6);
        }
    }
}

/// Two nodes show the same mesh, each with the skin of one side. They share the mesh's weights.
#[test]
fn a_mesh_used_with_two_skins_is_painted_once_by_a_joint_of_either_skin() {
    let Some(shared) = shared() else { return };
    let path = shared.join("situations/mesh-two-skins/in.glb");
    let (root, bin) = split(&std::fs::read(&path).unwrap());
    let mut session = Session::open(&path, &Default::default()).unwrap();
    let first = session.document().clone();
    let flood = |joint: &str| {
        json!({"do": "weights.flood", "joint": joint, "value": 1, "mesh": "Tube",
            "vertices": "0-5"})
    };
    let notes = line(&mut session, flood("B2"));
    assert!(notes[0].starts_with("flooded 6 vertices") && notes[0].contains("“A”"), "{notes:?}");
    let by_b = session.document().clone();
    session.undo();
    line(&mut session, flood("A2"));
    assert!(*session.document() == by_b, "the same weights by either name");
    let weights = map(&by_b, MeshId(0), PrimitiveId(0));
    for v in 0..weights.vertex_count() {
        let now: Vec<(u16, f32)> = weights.vertex(v).filter(|(_, w)| *w > 0.0).collect();
        if v < 6 {
            assert_eq!(now, [(2, 1.0)]);
        } else {
            assert!(
                now.iter()
                    .copied()
                    .eq(map(&first, MeshId(0), PrimitiveId(0)).vertex(v).filter(|(_, w)| *w > 0.0))
            );
        }
    }
    // In the file, the joint has index 2, too. Only weights and joints differ.
    let (saved, bytes) = split(&session.pack("x").unwrap().bytes);
    let view = |root: &Value, attribute: &str| {
        let accessor =
            root["meshes"][0]["primitives"][0]["attributes"][attribute].as_u64().unwrap() as usize;
        let view = root["accessors"][accessor]["bufferView"].as_u64().unwrap() as usize;
        root["bufferViews"][view]["byteOffset"].as_u64().unwrap_or(0) as usize
    };
    let joints = view(&saved, "JOINTS_0");
    assert!((0..6).all(|v| bytes[joints + v * 4] == 2));
    let (a, b) = (view(&saved, "POSITION"), view(&root, "POSITION"));
    assert_eq!(bytes[a..a + 648], bin[b..b + 648]);
    // Also runs other tools with joint names, vertices selected by joints, and locks.
    let mut by = |lines: [Value; 2]| {
        lines.map(|l| {
            while session.undo().is_some() {}
            session
                .run_line(&CommandLine::parse(&l.to_string()).unwrap())
                .unwrap_or_else(|e| panic!("{l}: {e}"));
            session.document().clone()
        })
    };
    let two = |f: &dyn Fn(&str) -> Value| [f("A"), f("B")];
    for pair in [
        two(&|s| json!({"do": "weights.swap", "joint": format!("{s}0"), "with": format!("{s}1")})),
        two(&|s| json!({"do": "weights.merge", "from": format!("{s}1"), "into": format!("{s}2")})),
        two(&|s| json!({"do": "weights.prune", "joint": format!("{s}1"), "below": 0.4})),
        two(&|s| json!({"do": "weights.smooth", "joint": format!("{s}1"), "passes": 2})),
        two(&|s| {
            json!({"do": "weights.smooth", "vertices": format!("of {s}1 0.2..0.8"),
                "passes": 2})
        }),
        two(&|s| json!({"do": "weights.smooth", "locked": format!("{s}0"), "passes": 2})),
        two(&|s| json!({"do": "weights.along", "from": format!("{s}0"), "to": format!("{s}2")})),
        two(&|s| {
            json!({"do": "weights.gradient", "joint": format!("{s}2"), "from": [0, 0, 0],
                "to": [0, 2, 0]})
        }),
        two(&|s| {
            json!({"do": "weights.assign", "joints": [format!("{s}2"), format!("{s}0")],
                "weights": [0.25, 0.75], "vertices": "3"})
        }),
        two(&|s| {
            json!({"do": "weights.set", "mesh": "Tube", "joints": [format!("{s}2")],
                "vertices": [3], "of": [0, 0, 0, 0],
            "weights": [1, 0, 0, 0]})
        }),
    ] {
        let text = pair[1].to_string();
        let [a, b] = by(pair);
        assert!(a != first, "{text}");
        if !text.contains("along") {
            assert!(a == b, "{text}");
        }
    }
    let mixed = json!({"do": "weights.swap", "joint": "A0", "with": "B1"});
    let said =
        session.run_line(&CommandLine::parse(&mixed.to_string()).unwrap()).unwrap_err().to_string();
    assert!(said.contains("“Tube” is used with the skin “A” and the skin “B”"), "{said}");
}

/// The skin contains only one arm, so a mirrored brush must paint like a brush without a mirror.
/// The arm itself is symmetric about a plane along it, which must not be used.
#[test]
fn a_mirrored_brush_ignores_the_mirror_on_a_skin_with_one_side() {
    let body = three_skins(Mat4::IDENTITY, [Mat4::IDENTITY; 3], false);
    let mut session = Session::open_bytes(&body.glb()).unwrap();
    let document = session.document();
    assert_eq!([0, 1, 2].map(|s| is_one_sided(document, SkinId(s))), [true, true, false]);
    let canvas = SkinnedSurface::new(document, SkinId(0)).unwrap();
    let mirror = MirrorMap::of(document, &canvas, &MirrorPairs::of(document, SkinId(0)));
    assert_eq!(mirror.unpaired, canvas.point_count());
    let positions: Vec<Vec3> = document.mesh(MeshId(0)).primitives[0].positions.to_vec();
    for kind in BrushKind::ALL {
        let brush =
            Brush { kind, strength: 0.6, value: 0.7, front_only: false, ..Brush::default() };
        let dabs = [None, Some(&mirror)].map(|mirror| {
            let paint = Paint { brush, joint: 1, locked: &[false; 3], limit: 4, mirror };
            let touch = Touch {
                at: positions[20],
                corners: [20; 3],
                direction: Vec3::NEG_Z,
                eye: None,
                radius: 0.15,
            };
            let dab = Dab { touch, pressure: 1.0, motion: Vec3::X * 0.01, near: None };
            let posed = PosedSurface { positions: &positions, normals: &[] };
            let mut now = map(document, MeshId(0), PrimitiveId(0)).clone();
            for (_, mut patch) in
                Stroke::new(&canvas).dab(&canvas.maps(document), &canvas, posed, &dab, &paint)
            {
                now.swap(&mut patch);
            }
            (0..now.vertex_count()).map(|v| Influences::of(&now, v)).collect::<Vec<_>>()
        });
        let off = |a: &Influences, b: &Influences| {
            a.iter().map(|(j, w)| (w - b.get(j)).abs()).fold(0.0, f32::max)
        };
        let worst =
            dabs[0].iter().zip(&dabs[1]).map(|(a, b)| off(a, b).max(off(b, a))).fold(0.0, f32::max);
        assert!(worst <= 1e-6, "{kind:?}: {worst}");
    }
    // Mirroring the layer is refused, and the message names the command that works.
    line(&mut session, json!({"do": "weight_layer.add", "mesh": "Left"}));
    let mirror = json!({"do": "weight_layer.mirror", "layer": "Layer 1", "from": "left"});
    let said = session
        .run_line(&CommandLine::parse(&mirror.to_string()).unwrap())
        .unwrap_err()
        .to_string();
    assert!(said.contains("belong to another skin") && said.contains("weights.mirror"), "{said}");
    // Weights painted into the layer are mirrored from the displayed weights.
    line(
        &mut session,
        json!({"do": "weights.flood", "joint": "Hand.L", "value": 0.5, "mesh": "Left"}),
    );
    line(
        &mut session,
        json!({"do": "weights.mirror", "from": "left", "mesh": ["Left", "Right", "Trunk"]}),
    );
    is_symmetric(&body, session.document(), 2e-6, &other);
}

/// The file has only the skin of one arm. The refusal states the reason.
#[test]
fn mirroring_a_single_arm_is_refused() {
    let mut body = three_skins(Mat4::IDENTITY, [Mat4::IDENTITY; 3], false);
    body.skins.truncate(1);
    body.tubes.truncate(1);
    let mut session = Session::open_bytes(&body.glb()).unwrap();
    let first = session.document().clone();
    let mirror =
        CommandLine::parse(&json!({"do": "weights.mirror", "from": "left"}).to_string()).unwrap();
    match session.run_line(&mirror) {
        Ok(_) => assert!(*session.document() == first),
        Err(error) => {
            let said = error.to_string();
            assert!(!said.contains("recognized as a left"), "{said}");
        }
    }
}

/// Slots with equal weights keep the order of the file, also within one skin. Symmetric vertices
/// are not counted.
#[test]
fn tied_influences_keep_the_order_of_the_file() {
    // A sheet across x = 0 with one skin. Every vertex has two joints with half the weight each, in
    // the order of the file.
    let at = |k: usize| [(k % 3) as f32 - 1.0, (k / 3) as f32, 0.0];
    let count = 9;
    let mut bin = floats(&(0..count).flat_map(at).collect::<Vec<f32>>());
    let joints = (0..count).flat_map(|k| match k % 3 {
        // The right side has the two joints in the reverse order.
        0 => [0u8, 2, 0, 0],
        1 => [2, 1, 0, 0],
        _ => [0, 1, 0, 0],
    });
    bin.extend(joints.collect::<Vec<u8>>());
    bin.extend(floats(&(0..count).flat_map(|_| [0.5, 0.5, 0.0, 0.0]).collect::<Vec<f32>>()));
    let indices: Vec<u16> = [0, 1, 3]
        .into_iter()
        .chain([1, 4])
        .flat_map(|a| [a, a + 1, a + 3, a + 1, a + 4, a + 3])
        .take(24)
        .collect();
    let before = bin.len();
    bin.extend(indices.iter().flat_map(|i| i.to_le_bytes()));
    let view = |offset: usize, length: usize| {
        json!({"buffer": 0, 
        "byteOffset": offset, "byteLength": length})
    };
    let bytes = glb(
        json!({
            "scenes": [{"nodes": [0, 1]}],
            "nodes": [{"mesh": 0, "skin": 0}, {"name": "Root", "children": [2, 3]},
                {"name": "Arm.L", "translation": [1, 0, 0]},
                    {"name": "Arm.R", "translation": [-1, 0, 0]}],
            "skins": [{"joints": [1, 2, 3], "inverseBindMatrices": 4}],
            "meshes": [
                {"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2},
                    "indices": 3}]}],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": count, "type": "VEC3",
                    "min": [-1, 0, 0], "max": [1, 2, 0]},
                {"bufferView": 1, "componentType": 5121, "count": count, "type": "VEC4"},
                {"bufferView": 2, "componentType": 5126, "count": count, "type": "VEC4"},
                {"bufferView": 3, "componentType": 5123, "count": indices.len(), "type": "SCALAR"},
                {"bufferView": 4, "componentType": 5126, "count": 3, "type": "MAT4"}],
            "bufferViews": [view(0, 108), view(108, 36), view(144, 144),
                view(before, indices.len() * 2),
                view((before + indices.len() * 2).next_multiple_of(4), 192)]
        }),
        &{
            bin.resize(bin.len().next_multiple_of(4), 0);
            let bind = |x: f32| Mat4::from_translation(Vec3::new(-x, 0.0, 0.0)).to_cols_array();
            bin.extend(floats(&[bind(0.0), bind(1.0), bind(-1.0)].concat()));
            bin.clone()
        },
    );
    let mut session = Session::open_bytes(&bytes).unwrap();
    let first = session.document().clone();
    for from in ["left", "right"] {
        assert_eq!(
            line(&mut session, json!({"do": "weights.mirror", "from": from})),
            ["the sides are already symmetric"]
        );
        assert!(*session.document() == first);
    }
    // Only the single different vertex is changed.
    line(
        &mut session,
        json!({"do": "weights.flood", "joint": "Arm.L", "value": 0.8, "vertices": "5"}),
    );
    assert_eq!(
        line(&mut session, json!({"do": "weights.mirror", "from": "left"})),
        ["mirrored 1 vertex"]
    );
    let weights = map(session.document(), MeshId(0), PrimitiveId(0));
    assert!((weights.weight(3, 2) - 0.8).abs() < 1e-6 && (weights.weight(3, 0) - 0.2).abs() < 1e-6);
    assert_eq!(weights.joints[..12], map(&first, MeshId(0), PrimitiveId(0)).joints[..12]);
}
