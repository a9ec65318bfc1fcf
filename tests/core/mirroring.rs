//! Mirrored poses and clips, measured without the mirroring code: skin vertices and nodes must be
//! at the mirrored positions.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{collections::HashMap, path::Path};

use glam::{IVec3, Mat3, Mat4, Quat, Vec3};
use proptest::prelude::*;
use serde_json::json;
use ulna_edit::{CommandLine, node_text};
use ulna_formats::gltf::Progress;
use ulna_model::{ClipId, Document, NodeId};
use ulna_motion::{Pose, Stack, skinning};
use ulna_session::Session;

use crate::common::{glb, named, run, shared, split};

fn situation(name: &str) -> Option<Session> {
    Some(
        Session::open(&shared()?.join(format!("situations/{name}/in.glb")), &Progress::default())
            .unwrap(),
    )
}

/// Returns the displayed pose, at a time of a clip or without a clip.
fn seen(document: &Document, at: Option<(ClipId, f64)>) -> Pose {
    let stack =
        at.map_or_else(Stack::default, |(clip, time)| Stack::of(document.clips.get(clip), time));
    Pose::evaluate(document, &stack)
}

fn place(pose: &Pose, node: NodeId) -> Vec3 {
    pose.world[node.index()].w_axis.truncate()
}

/// Returns the name with left and right swapped.
fn swapped(name: &str) -> String {
    let pairs = [("Left", "Right"), ("left", "right")];
    for (l, r) in pairs {
        if name.contains(l) {
            return name.replace(l, r);
        }
        if name.contains(r) {
            return name.replace(r, l);
        }
    }
    name.to_owned()
}

/// Returns the largest distance between nodes and the mirror images of their partners across `x =
/// 0`. Partners are found by name; only nodes that `wanted` accepts are compared.
fn named_gap(
    document: &Document,
    before: &Pose,
    after: &Pose,
    wanted: &dyn Fn(&str) -> bool,
) -> f32 {
    let mut gap = 0.0f32;
    let mut count = 0;
    for node in document.node_ids() {
        let name = document.node(node).label(node);
        if !wanted(&name) {
            continue;
        }
        let there = place(before, named(document, &swapped(&name)));
        gap = gap.max((there * Vec3::new(-1.0, 1.0, 1.0)).distance(place(after, node)));
        count += 1;
    }
    assert!(count > 3, "{count} nodes");
    gap
}

fn rotate(session: &mut Session, node: &str, axis: &str, degrees: f64) {
    let line = CommandLine::new("pose.rotate")
        .with("node", node)
        .with("axis", axis)
        .with("degrees", degrees);
    run(session, line);
}

#[test]
fn a_joint_with_scale_minus_one_is_paired_with_a_joint_with_scale_one() {
    let Some(mut session) = situation("joint-scale-minus-one") else { return };
    let rest = session.document().clone();
    run(&mut session, CommandLine::new("pose.flip"));
    assert!(session.document().nodes == rest.nodes, "a symmetric rest stays");
    let left = ["LeftUpperArm", "LeftLowerArm", "LeftHand"];
    run(&mut session, CommandLine::new("pose.mirror").with("node", left));
    assert!(session.document().nodes == rest.nodes);
    rotate(&mut session, "LeftUpperArm", "z", 30.0);
    rotate(&mut session, "LeftLowerArm", "y", -50.0);
    let before = seen(session.document(), None);
    run(&mut session, CommandLine::new("pose.mirror").with("node", left));
    let document = session.document();
    let after = seen(document, None);
    let hand = place(&after, named(document, "RightHand"));
    assert!(hand.distance(Vec3::new(-0.76908, 2.12856, 0.32642)) < 1e-4, "{hand}");
    let image = place(&before, named(document, "LeftHand")) * Vec3::new(-1.0, 1.0, 1.0);
    assert!(hand.distance(image) < 1e-5);
    let scale = document.node(named(document, "RightUpperArm")).local().transform().scale;
    assert!(scale.distance(Vec3::splat(-1.0)) < 1e-6, "{scale}");

    let mut session = situation("joint-scale-minus-one").unwrap();
    let notes = run(&mut session, CommandLine::new("clip.mirror").with("clip", "wave"));
    let document = session.document();
    let after = seen(document, Some((ClipId(0), 1.0)));
    for (name, wanted) in
        [("LeftHand", [0.54142, 1.20864, 0.30284]), ("RightHand", [-0.88284, 1.8, 0.30284])]
    {
        let is = place(&after, named(document, name));
        assert!(is.distance(wanted.into()) < 1e-4, "{name}: {is} {notes:?}");
    }
}

/// Mirrors the clip of a file in the folder `shared`. Returns the largest gap of the accepted nodes
/// over many times, and the notes.
fn clip_gap(name: &str, wanted: &dyn Fn(&str) -> bool) -> Option<(f32, Vec<String>)> {
    let mut session = situation(name)?;
    let before = session.document().clone();
    let clip = before.clip_label(ClipId(0));
    let notes = run(&mut session, CommandLine::new("clip.mirror").with("clip", clip));
    let length = f64::from(before.clips[ClipId(0)].length());
    let mut worst = 0.0f32;
    for k in 0..=40 {
        let at = Some((ClipId(0), length * f64::from(k) / 40.0));
        let (was, is) = (seen(&before, at), seen(session.document(), at));
        worst = worst.max(named_gap(&before, &was, &is, wanted));
    }
    Some((worst, notes))
}

#[test]
fn nodes_between_joints_are_mirrored_with_the_joints() {
    // The right clavicle has a non-uniform scale, so joints below it cannot be exact. A note
    // reports this.
    let uneven = |n: &str| n.contains("Arm") || n.contains("Hand");
    let Some((gap, notes)) = clip_gap("nulls-between-joints", &|n| n != "Body" && !uneven(n))
    else {
        return;
    };
    assert!(gap < 1e-4, "{gap} {notes:?}");
    assert!(notes.iter().all(|n| !n.contains("no mirror joint")), "{notes:?}");
    let (all, notes) = clip_gap("nulls-between-joints", &|n| n != "Body").unwrap();
    assert!(
        all < 0.05 && (all < 1.5e-3 || notes.iter().any(|n| n.contains("from the mirror image"))),
        "{all} {notes:?}"
    );
}

#[test]
fn motion_on_helper_nodes_and_on_bodies_without_a_skin_is_mirrored() {
    let all = |n: &str| n.starts_with("mixamorig");
    let Some((gap, notes)) = clip_gap("fbx-helper-nodes", &all) else { return };
    assert!(gap < 1e-4 && notes.is_empty(), "{gap} {notes:?}");
    let (gap, notes) = clip_gap("rigid-figure", &|_| true).unwrap();
    assert!(gap < 1e-4 && notes.is_empty(), "{gap} {notes:?}");
    let (gap, notes) =
        clip_gap("mirrored-parent", &|n| n != "Body" && !n.contains("Arm") && !n.contains("Hand"))
            .unwrap();
    assert!(gap < 1e-4, "{gap} {notes:?}");

    let mut session = situation("rigid-figure").unwrap();
    let rest = session.document().clone();
    run(&mut session, CommandLine::new("pose.flip"));
    assert!(session.document().nodes == rest.nodes);
    rotate(&mut session, "left_arm", "x", 40.0);
    rotate(&mut session, "body", "z", 15.0);
    rotate(&mut session, "right_shin", "x", 25.0);
    let posed = session.document().clone();
    run(&mut session, CommandLine::new("pose.flip"));
    let gap = named_gap(&rest, &seen(&posed, None), &seen(session.document(), None), &|_| true);
    assert!(gap < 1e-5, "{gap}");
    session.undo();
    let notes = run(
        &mut session,
        CommandLine::new("pose.mirror").with("node", ["left_arm", "left_forearm"]),
    );
    let pose = seen(session.document(), None);
    // Both hands must be symmetric relative to the rotated body.
    let body = pose.world[named(&rest, "body").index()].inverse();
    let to_body = |n: &str| body.transform_point3(place(&pose, named(&rest, n)));
    let gap = to_body("left_hand").distance(to_body("right_hand") * Vec3::new(-1.0, 1.0, 1.0));
    assert!(gap < 1e-5 && notes.is_empty(), "{gap} {notes:?}");
}

/// Returns all displayed vertices.
fn cloud(document: &Document, pose: &Pose) -> Vec<Vec3> {
    let mut all = Vec::new();
    for node in document.shown_nodes() {
        let Some(mesh) = document.node(node).mesh else { continue };
        for (_, primitive) in document.mesh(mesh).entries() {
            let mut out = skinning::Posed::default();
            let placement = skinning::Placement::of(document, pose, node, primitive);
            let normals = skinning::base_normals(primitive);
            skinning::skin(primitive, &normals, &pose.morphs[node.index()], &placement, &mut out);
            all.extend(out.positions);
        }
    }
    if all.is_empty() { pose.world.iter().map(|w| w.w_axis.truncate()).collect() } else { all }
}

fn bounds(places: &[Vec3]) -> (Vec3, Vec3) {
    let low = places.iter().copied().reduce(Vec3::min).unwrap();
    (low, places.iter().copied().reduce(Vec3::max).unwrap())
}

/// Returns the distance of mirrored points from the nearest points of a cloud: the 98th percentile,
/// at most a tenth of `size`.
fn distance(from: &[Vec3], to: &[Vec3], image: &dyn Fn(Vec3) -> Vec3, size: f32) -> f32 {
    let cell = size * 0.02;
    let key = |p: Vec3| (p / cell).floor().as_ivec3();
    let mut grid: HashMap<IVec3, Vec<Vec3>> = HashMap::new();
    to.iter().for_each(|p| grid.entry(key(*p)).or_default().push(*p));
    let step = (from.len() / 400).max(1);
    let nearest = |p: Vec3| {
        let mut best = size * 0.1;
        for ring in 0i32..=5 {
            if best <= (ring - 1) as f32 * cell {
                break;
            }
            for x in -ring..=ring {
                for y in -ring..=ring {
                    for z in -ring..=ring {
                        if x.abs().max(y.abs()).max(z.abs()) == ring
                            && let Some(there) = grid.get(&(key(p) + IVec3::new(x, y, z)))
                        {
                            best = there.iter().fold(best, |b, q| b.min(q.distance(p)));
                        }
                    }
                }
            }
        }
        best
    };
    let mut gaps: Vec<f32> = from.iter().step_by(step).map(|p| nearest(image(*p))).collect();
    gaps.sort_by(f32::total_cmp);
    gaps[(gaps.len() - 1) * 98 / 100]
}

/// A measurement: the operation, the asymmetry of the body and the gap of the result as fractions
/// of the size, and the notes.
type Measured = (&'static str, f32, f32, Vec<String>);

/// Flips and mirrors the poses of a file at rest and posed, and mirrors its longest clip.
fn measured(path: &Path) -> Option<Vec<Measured>> {
    let mut session = Session::open(path, &Progress::default()).ok()?;
    let sided = |d: &Document, n: NodeId| ulna_motion::joint_key(&d.node(n).label(n)).0.is_some();
    let document = session.document();
    if document.node_ids().filter(|n| sided(document, *n)).count() < 8 {
        return None;
    }
    run(&mut session, CommandLine::new("pose.reset_all"));
    let rest = session.document().clone();
    let still = cloud(&rest, &seen(&rest, None));
    let (low, high) = bounds(&still);
    let size = (high - low).max_element();
    // Finds the plane about which the rest positions are most symmetric.
    let mut best = (f32::INFINITY, 0, 0.0);
    for axis in 0..3 {
        for offset in [0.0, (low[axis] + high[axis]) * 0.5] {
            let mirror = |mut p: Vec3| {
                p[axis] = 2.0 * offset - p[axis];
                p
            };
            let uneven = distance(&still, &still, &mirror, size);
            if uneven < best.0 - 1e-4 * size {
                best = (uneven, axis, offset);
            }
        }
    }
    let (uneven, axis, offset) = best;
    let image = |mut p: Vec3| {
        p[axis] = 2.0 * offset - p[axis];
        p
    };
    let mut found = Vec::new();
    let notes = run(&mut session, CommandLine::new("pose.flip"));
    let now = cloud(session.document(), &seen(session.document(), None));
    found.push(("rest", uneven / size, distance(&still, &now, &image, size) / size, notes));
    session.undo();
    let turned =
        rest.node_ids().filter(|n| sided(&rest, *n) && !rest.children(*n).is_empty()).take(24);
    for (k, node) in turned.collect::<Vec<_>>().into_iter().enumerate() {
        let degrees =
            [(k * 7 % 11) as f64 - 5.0, (k * 5 % 13) as f64 - 6.0, (k * 3 % 17) as f64 - 8.0];
        let line = CommandLine::new("pose.set")
            .with("node", node_text(&rest, node))
            .with("degrees", degrees);
        run(&mut session, line);
    }
    let posed = cloud(session.document(), &seen(session.document(), None));
    let notes = run(&mut session, CommandLine::new("pose.flip"));
    let now = cloud(session.document(), &seen(session.document(), None));
    found.push(("pose", uneven / size, distance(&posed, &now, &image, size) / size, notes));
    let mut session = Session::open(path, &Progress::default()).ok()?;
    let before = session.document().clone();
    let longest = before
        .clips
        .ids()
        .filter(|id| before.clips[*id].key_count() > 0)
        .max_by(|a, b| before.clips[*a].length().total_cmp(&before.clips[*b].length()));
    if let Some(id) = longest {
        let line = CommandLine::new("clip.mirror").with("clip", before.clip_label(id));
        if session.run_line(&line).is_ok() {
            let notes: Vec<String> = session.take_sentence().into_iter().collect();
            let length = f64::from(before.clips[id].length());
            let gap = |k: u32| {
                let at = Some((id, length * f64::from(k) / 4.0));
                let was = cloud(&before, &seen(&before, at));
                distance(
                    &was,
                    &cloud(session.document(), &seen(session.document(), at)),
                    &image,
                    size,
                ) / size
            };
            found.push(("clip", uneven / size, (0..=4).map(gap).fold(0.0, f32::max), notes));
        }
    }
    Some(found)
}

/// If the body is symmetric, the skin must be the mirror image within 1 % of the size. Otherwise,
/// there must be a note.
#[test]
fn flipping_and_mirroring_give_the_mirror_image_on_many_skeletons() {
    let Some(shared) = shared() else { return };
    let mut files = crate::common::models(&shared.join("corpus/characters"));
    files.extend(crate::common::models(&shared.join("corpus/vrm")));
    files.extend(crate::common::models(&shared.join("retarget")));
    for name in [
        "joint-scale-minus-one",
        "nulls-between-joints",
        "fbx-helper-nodes",
        "rigid-figure",
        "mirrored-parent",
    ] {
        files.push(shared.join(format!("situations/{name}/in.glb")));
    }
    let (mut skeletons, mut images, mut clips) = (0, 0, 0);
    let mut wrong = Vec::new();
    for path in files.iter().filter(|p| std::fs::metadata(p).is_ok_and(|m| m.len() < 6 << 20)) {
        let Some(found) = measured(path) else { continue };
        skeletons += 1;
        for (what, uneven, gap, notes) in found {
            println!("{}: {what}: body {uneven:.4}, result {gap:.4} {notes:?}", path.display());
            let said = notes
                .iter()
                .any(|n| n.contains("from the mirror image") || n.contains("not symmetric"));
            images += usize::from(gap < 0.01);
            clips += usize::from(what == "clip");
            if gap > 0.01 + uneven && !said {
                wrong.push(format!("{}: {what}: {gap} {notes:?}", path.display()));
            }
        }
    }
    println!("{skeletons} skeletons, {images} images, {clips} clips");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(skeletons >= 12 && images >= 20 && clips >= 8, "{skeletons} {images} {clips}");
}

/// Opens the sample with a tilted top joint in the file, as if it was saved at a frame of a clip.
/// Its bind pose is unchanged.
fn leaning() -> Session {
    let (mut file, bin) = split(include_bytes!("../../assets/mannequin.glb"));
    let hips = file["nodes"].as_array().unwrap().iter().position(|n| n["name"] == "Hips").unwrap();
    let lean = Quat::from_rotation_z(0.4) * Quat::from_rotation_y(0.35);
    file["nodes"][hips]["rotation"] = json!(lean.to_array());
    file["nodes"][hips]["translation"][0] = json!(0.04);
    Session::open_bytes(&glb(file, &bin)).unwrap()
}

#[test]
fn a_tilted_root_joint_is_mirrored_about_the_upright_plane() {
    let mut session = leaning();
    let before = session.document().clone();
    let image = |p: Vec3| p * Vec3::new(-1.0, 1.0, 1.0);
    let gap = |before: &Document, after: &Document, at| {
        let (was, is) = (cloud(before, &seen(before, at)), cloud(after, &seen(after, at)));
        distance(&was, &is, &image, 1.8)
    };
    run(&mut session, CommandLine::new("pose.flip"));
    let off = gap(&before, session.document(), None);
    assert!(off < 0.004, "rest: {off}");
    session.undo();
    for clip in before.clips.ids() {
        let mut session = leaning();
        let notes = run(
            &mut session,
            CommandLine::new("clip.mirror").with("clip", before.clip_label(clip)),
        );
        for k in 0..5 {
            let at = Some((clip, f64::from(before.clips[clip].length()) * f64::from(k) / 4.0));
            let off = gap(&before, session.document(), at);
            assert!(off < 0.004, "{} {k}: {off} {notes:?}", before.clip_label(clip));
        }
    }
    assert!(before.clips.ids().count() > 0);
}

/// A node of a random skeleton: name, parent, position, rotation, and sign of the scale.
#[derive(Clone, Debug)]
struct Drawn {
    name: String,
    parent: Option<usize>,
    place: Vec3,
    turn: Quat,
    sign: f32,
}

/// Generates a symmetric skeleton: a chain in the middle, and limbs with random axes on both sides.
/// Some joints are mirrored by a scale of −1. Helper nodes between joints are on both sides or only
/// on one.
fn skeleton() -> impl Strategy<Value = Vec<Drawn>> {
    let number = -1.0f32..1.0;
    let limb = (prop::array::uniform8(number.clone()), 0u8..4, any::<bool>());
    (prop::collection::vec(prop::array::uniform4(number), 2..5), prop::collection::vec(limb, 3..10))
        .prop_map(|(middle, limbs)| {
            let turn = |v: &[f32]| Quat::from_scaled_axis(Vec3::from_slice(v) * 2.0);
            let mut nodes: Vec<Drawn> = Vec::new();
            for (k, v) in middle.iter().enumerate() {
                let place = Vec3::new(0.0, k as f32 * 0.4 + 1.0, v[3] * 0.2);
                let parent = k.checked_sub(1);
                nodes.push(Drawn {
                    name: format!("Spine{k}"),
                    parent,
                    place,
                    turn: turn(&v[..3]),
                    sign: 1.0,
                });
            }
            let mut ends: Vec<[usize; 2]> = (0..middle.len()).map(|k| [k, k]).collect();
            for (k, (v, helper, is_mirrored)) in limbs.iter().enumerate() {
                let on = ends[(v[6].abs() * 0.999 * ends.len() as f32) as usize];
                let place = nodes[on[0]].place * Vec3::new(1.0, 0.9, 1.0)
                    + Vec3::new(0.15 + v[3].abs() * 0.3, v[4] * 0.3 + 0.01 * k as f32, v[5] * 0.3);
                let left = turn(&v[..3]);
                let flip = Mat3::from_diagonal(Vec3::new(-1.0, 1.0, 1.0));
                let (right, sign) = if *is_mirrored {
                    (Quat::from_mat3(&(flip * Mat3::from_quat(left) * -1.0)), -1.0)
                } else {
                    (Quat::from_mat3(&(flip * Mat3::from_quat(left) * flip)), 1.0)
                };
                let mut made = [0, 0];
                for (s, side) in ["Left", "Right"].into_iter().enumerate() {
                    let (place, turn, sign) = if s == 0 {
                        (place, left, 1.0)
                    } else {
                        (place * Vec3::new(-1.0, 1.0, 1.0), right, sign)
                    };
                    let mut parent = on[s];
                    if *helper == 1 || (*helper == 2 && s == 0) {
                        let name = if *helper == 1 {
                            format!("{side}Null{k}")
                        } else {
                            format!("extra{k}")
                        };
                        let off = Vec3::new(if s == 0 { 0.03 } else { -0.03 }, 0.05, 0.02);
                        nodes.push(Drawn {
                            name,
                            parent: Some(parent),
                            place: place - off,
                            turn: Quat::IDENTITY,
                            sign: 1.0,
                        });
                        parent = nodes.len() - 1;
                    }
                    nodes.push(Drawn {
                        name: format!("{side}Limb{k}"),
                        parent: Some(parent),
                        place,
                        turn,
                        sign,
                    });
                    made[s] = nodes.len() - 1;
                }
                ends.push(made);
            }
            nodes
        })
}

fn opened(nodes: &[Drawn]) -> Session {
    let world =
        |d: &Drawn| Mat4::from_scale_rotation_translation(Vec3::splat(d.sign), d.turn, d.place);
    let list: Vec<_> = nodes
        .iter()
        .enumerate()
        .map(|(k, node)| {
            let above = node.parent.map(|p| &nodes[p]);
            let place =
                above.map_or(node.place, |p| world(p).inverse().transform_point3(node.place));
            let turn = above.map_or(node.turn, |p| p.turn.inverse() * node.turn);
            let sign = node.sign / above.map_or(1.0, |p| p.sign);
            let children: Vec<usize> =
                (0..nodes.len()).filter(|c| nodes[*c].parent == Some(k)).collect();
            let mut made = json!({"name": node.name, "translation": place.to_array(),
                "rotation": turn.normalize().to_array(), "scale": [sign, sign, sign]});
            if !children.is_empty() {
                made["children"] = json!(children);
            }
            made
        })
        .collect();
    let file =
        json!({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": list});
    Session::open_bytes(&glb(file, &[])).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn flipping_a_skeleton_without_a_skin_gives_its_mirror_image_and_flipping_again_restores_it(
        nodes in skeleton(),
        turns in prop::collection::vec(prop::array::uniform3(-60.0f64..60.0), 40),
    ) {
        let mut session = opened(&nodes);
        let rest = session.document().clone();
        run(&mut session, CommandLine::new("pose.flip"));
        for node in rest.node_ids() {
            let [a, b] = [&rest, session.document()].map(|d| d.node(node).local().transform());
            prop_assert!(a.is_close(&b, 1e-4, 1e-5), "{} at rest: {a:?} {b:?}",
                rest.node(node).label(node));
        }
        session.undo();
        for (node, degrees) in nodes.iter().zip(&turns) {
            run(&mut session,
                CommandLine::new("pose.set").with("node", node.name.as_str()).with("degrees",
                    *degrees));
        }
        let posed = session.document().clone();
        run(&mut session, CommandLine::new("pose.flip"));
        let (was, is) = (seen(&posed, None), seen(session.document(), None));
        let gap = named_gap(&rest, &was, &is, &|n| !n.starts_with("extra"));
        prop_assert!(gap < 1e-3, "{gap}");
        run(&mut session, CommandLine::new("pose.flip"));
        let again = seen(session.document(), None);
        for node in rest.node_ids() {
            let off = (was.world[node.index()] - again.world[node.index()]).to_cols_array();
            prop_assert!(off.iter().all(|v| v.abs() < 2e-3), "{} {off:?}",
                rest.node(node).label(node));
        }
    }
}
