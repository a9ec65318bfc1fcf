//! Clips retargeted from one body to another: locked feet, soles on the ground, matching bone
//! directions, and retargeting back.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::path::Path;

use glam::Vec3;
use serde_json::{Value, json};
use ulna_formats::gltf::Progress;
use ulna_model::{
    ChainRotation, Clip, ContactSettings, Document, Goal, Interpolation, NodeId, Property,
    RetargetMap, Shared, transform::angle_between,
};
use ulna_motion::{
    Pose, SeenPoints, Stack,
    retarget::{
        ContactRequest, Retarget, Retargeted, clean_contacts, find_contacts, guess_map, table_node,
    },
};
use ulna_session::Session;

use crate::common::{glb, sample, shared, split};

/// Samples per second.
const RATE: f32 = 60.0;

fn opened(folder: &Path, name: &str) -> Document {
    match name {
        "sample" => sample().document().clone(),
        LONG_SPINE => changed(with_fourth_spine_joint),
        SMALL => changed(|json| scale(json, 0.6 / height(sample().document()))),
        name => Session::open(&folder.join(name), &Progress::default()).unwrap().document().clone(),
    }
}

/// The sample with a spine of 4 joints.
const LONG_SPINE: &str = "sample with a spine of 4 joints";
/// The sample with a height of 0.6 m.
const SMALL: &str = "sample of 0.6 m";

/// The sample with changed JSON.
fn changed(change: impl FnOnce(&mut Value)) -> Document {
    let (mut json, bin) = split(include_bytes!("../../assets/mannequin.glb"));
    change(&mut json);
    Session::open_bytes(&glb(json, &bin)).unwrap().document().clone()
}

/// Inserts a joint in the middle between the first and the second joint of the spine.
fn with_fourth_spine_joint(json: &mut Value) {
    let nodes = json["nodes"].as_array_mut().unwrap();
    let at = |name: &str, nodes: &[Value]| nodes.iter().position(|n| n["name"] == name).unwrap();
    let (spine, chest) = (at("Spine", nodes), at("Chest", nodes));
    let way: Vec<f64> = nodes[chest]["translation"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_f64().unwrap() * 0.5)
        .collect();
    let new = nodes.len();
    nodes.push(json!({"name": "Spine2", "translation": way, "children": [chest]}));
    nodes[chest]["translation"] = json!(way);
    let below = nodes[spine]["children"].as_array_mut().unwrap();
    *below.iter_mut().find(|c| **c == json!(chest)).unwrap() = json!(new);
}

/// Scales everything by a node above the scene.
fn scale(json: &mut Value, factor: f32) {
    let roots = json["scenes"][0]["nodes"].take();
    let nodes = json["nodes"].as_array_mut().unwrap();
    let new = nodes.len();
    nodes.push(json!({"name": "Size", "scale": [factor, factor, factor], "children": roots}));
    json["scenes"][0]["nodes"] = json!([new]);
}

fn times(clip: &Clip) -> Vec<f32> {
    (0..=(clip.length() * RATE) as usize).map(|k| k as f32 / RATE).collect()
}

fn poses(document: &Document, clip: &Shared<Clip>, times: &[f32]) -> Vec<Pose> {
    let pose = |t: &f32| Pose::evaluate(document, &Stack::of(Some(clip), f64::from(*t)));
    times.iter().map(pose).collect()
}

fn place(pose: &Pose, node: NodeId) -> Vec3 {
    pose.world[node.index()].w_axis.truncate()
}

fn height(document: &Document) -> f32 {
    let rest = SeenPoints::of(document, 4096).at(&rest(document));
    let (low, high) =
        rest.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), p| (l.min(p.y), h.max(p.y)));
    high - low
}

fn rest(document: &Document) -> Pose {
    let mut pose = Pose::evaluate(document, &Stack::default());
    for node in document.nodes.order() {
        let own = document.node(*node).rest;
        pose.local[node.index()] = own;
        pose.world[node.index()] = pose.parent_world(document, *node) * own.matrix();
    }
    pose
}

/// Measurements of a retargeted clip.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    /// Sliding during contacts without foot locking, in meters for a body of 1.8 m. `slide` is the
    /// sliding with foot locking, and `sole` the distance of a sole from the ground.
    plain: f32,
    slide: f32,
    sole: f32,
    /// Agreement of the source's contacts with contacts detected on the target, `0.0..=1.0`.
    f1: f32,
    /// Largest angle between bones of arms and legs outside contacts, in degrees.
    bones: f32,
    /// Jerk of the feet relative to the source: with foot locking, and without.
    jerk: [f32; 2],
    contacts: usize,
}

/// Returns the joints of each chain in both bodies.
fn joints(
    map: &RetargetMap,
    source: &Document,
    target: &Document,
) -> Vec<(bool, Vec<(NodeId, NodeId)>)> {
    let pair = |(a, b): (&String, &String)| Some((table_node(source, a)?, table_node(target, b)?));
    map.chains
        .iter()
        .filter(|c| c.rotation == ChainRotation::Copy && c.source.len() > 1)
        .filter(|c| c.name.ends_with("arm") || c.name.ends_with("leg"))
        .map(|c| (c.contacts, c.source.iter().zip(&c.target).filter_map(pair).collect()))
        .collect()
}

/// Returns the root mean square of the third difference, in meters per second cubed.
fn jerk(places: &[Vec3]) -> f32 {
    let all = places
        .windows(4)
        .map(|w| ((w[3] - w[2] * 3.0 + w[1] * 3.0 - w[0]) * RATE.powi(3)).length_squared());
    (all.sum::<f32>() / places.len().max(1) as f32).sqrt()
}

/// Returns the largest distance of soles from the ground while the heel or ball is in contact, in
/// meters.
fn soles(document: &Document, made: &Retargeted, clip: &Shared<Clip>) -> f32 {
    let at_rest = rest(document);
    let mut worst: f32 = 0.0;
    let mut feet: Vec<NodeId> = made.contacts.iter().map(|g| g.node).collect();
    feet.dedup();
    let seen = SeenPoints::of(document, usize::MAX);
    let rests = seen.at(&at_rest);
    for foot in feet {
        // Takes the points below the ankle at rest that are nearer to this foot than to the other
        // one.
        let ankle = place(&at_rest, foot);
        let size = height(document) * 0.15;
        let own: Vec<usize> = (0..rests.len())
            .filter(|k| {
                let way = rests[*k] - ankle;
                way.y < 0.0 && way.x.abs() < ankle.x.abs() && way.with_y(0.0).length() < size
            })
            .collect();
        assert!(!own.is_empty(), "no vertices below the ankle");
        let low = |pose: &Pose| {
            let at = seen.at(pose);
            own.iter().map(|k| at[*k].y).fold(f32::INFINITY, f32::min)
        };
        let ground = low(&at_rest);
        for goal in made.contacts.iter().filter(|g| g.node == foot) {
            for part in [0.0, 0.25, 0.5, 0.75, 1.0] {
                let time = f64::from(goal.from + (goal.to - goal.from) * part);
                let pose = Pose::evaluate(document, &Stack::of(Some(clip), time));
                worst = worst.max((low(&pose) - ground).abs());
            }
        }
    }
    worst
}

/// Returns the agreement of two lists of contacts over time, for pairs of feet. Differences of at
/// most one sample count as equal.
fn agreement(times: &[f32], pairs: &[(NodeId, NodeId)], a: &[Goal], b: &[Goal]) -> f32 {
    let stands = |list: &[Goal], node: NodeId, time: f32| {
        list.iter().any(|g| g.node == node && g.from <= time && g.to >= time)
    };
    let (mut both, mut one) = (0, 0);
    for (x, y) in pairs {
        for time in times {
            match (stands(a, *x, *time), stands(b, *y, *time)) {
                (true, true) => both += 1,
                (false, false) => {}
                (x_stands, _) => {
                    let (list, node) = if x_stands { (b, *y) } else { (a, *x) };
                    let near = [-1.01, 1.01].map(|d| stands(list, node, time + d / RATE));
                    if near.contains(&true) { both += 1 } else { one += 1 }
                }
            }
        }
    }
    if both + one == 0 { 1.0 } else { 2.0 * both as f32 / (2 * both + one) as f32 }
}

fn measured(source: &Document, target: &Document, clip: &Shared<Clip>) -> Measured {
    let map = guess_map(source, target);
    let mut free = map.clone();
    free.contacts.lock = false;
    let retarget = Retarget::new(source, target, &map).unwrap();
    let made = retarget.clip(clip, None);
    let plain = Retarget::new(source, target, &free).unwrap().clip(clip, None);
    let times = times(clip);
    let shown = Shared::new(made.carried.clip.clone());
    let (there, here) = (poses(source, clip, &times), poses(target, &shown, &times));
    let before = poses(target, &Shared::new(plain.carried.clip), &times);
    let unit = 1.8 / height(target);
    let mut found = Measured { contacts: made.slides.len(), ..Measured::default() };
    for slide in &made.slides {
        found.plain = found.plain.max(slide.before * unit);
        found.slide = found.slide.max(slide.after * unit);
    }
    found.sole = soles(target, &made, &shown) * unit;
    let near = |goal: &Goal, time: f32| time > goal.from - 0.12 && time < goal.to + 0.12;
    // A body that faces the other way is rotated as a whole.
    let facing = |of: &Document, side: usize| {
        let legs: Vec<NodeId> = joints(&map, source, target)
            .iter()
            .filter(|c| c.0)
            .filter_map(|c| c.1.first().copied())
            .map(|p| if side == 0 { p.0 } else { p.1 })
            .collect();
        let rest = rest(of);
        (place(&rest, legs[0]) - place(&rest, legs[1])).with_y(0.0).normalize_or(Vec3::X)
    };
    let turn = glam::Quat::from_rotation_arc(facing(source, 0), facing(target, 1));
    let mut feet = Vec::new();
    for (is_leg, chain) in joints(&map, source, target) {
        for bone in chain.windows(2) {
            for (k, time) in times.iter().enumerate() {
                if is_leg && made.contacts.iter().any(|g| near(g, *time)) {
                    continue;
                }
                let a = turn * (place(&there[k], bone[1].0) - place(&there[k], bone[0].0));
                let b = place(&here[k], bone[1].1) - place(&here[k], bone[0].1);
                found.bones = found.bones.max(a.angle_between(b).to_degrees());
            }
        }
        if is_leg {
            let (from, to) = *chain.last().unwrap();
            feet.push((from, to));
            let way = |poses: &[Pose], n: NodeId| {
                jerk(&poses.iter().map(|p| place(p, n)).collect::<Vec<_>>())
            };
            let own = way(&there, from) * retarget.height();
            found.jerk[0] = found.jerk[0].max(way(&here, to) / own.max(1e-6));
            found.jerk[1] = found.jerk[1].max(way(&before, to) / own.max(1e-6));
        }
    }
    let request = ContactRequest::default();
    let again = find_contacts(target, &shown, &request);
    found.f1 = agreement(&times, &feet, &retarget.contacts(clip), &again);
    found
}

/// Source file, clip and target file.
const PAIRS: [(&str, &str, &str); 21] = [
    (KNIGHT, "Walking_A", LONG_SPINE),
    (LONG_SPINE, "Walk", KNIGHT),
    (SMALL, "Run", SINTEL),
    (CAPTURE, "", SMALL),
    (KNIGHT, "Jump_Full_Long", SMALL),
    (KNIGHT, "Walking_A", SINTEL),
    (KNIGHT, "Running_A", SINTEL),
    (KNIGHT, "Jump_Full_Long", "retarget/m2m-sample-rig.glb"),
    (KNIGHT, "Throw", SINTEL),
    (KNIGHT, "Walking_B", "sample"),
    (KNIGHT, "Running_B", CESIUM),
    ("sample", "Walk", KNIGHT),
    ("sample", "Run", "retarget/m2m-sample-rig.glb"),
    ("sample", "Walk", CESIUM),
    ("sample", "Walk", "corpus/vrm/cryptovoxels.vrm"),
    (CESIUM, "", "sample"),
    (CESIUM, "", "corpus/vrm/cryptovoxels.vrm"),
    (CAPTURE, "", CESIUM),
    (CAPTURE, "", SINTEL),
    ("corpus/fbx/cmu_91_48.fbx", "", SINTEL),
    ("corpus/fbx/cmu_91_50.fbx", "", "sample"),
];
/// Character with hips at 0.41 m, a spine of 2 joints, and 30 frames per second.
const KNIGHT: &str = "corpus/characters/Knight/Knight.glb";
/// Character with hips at 0.92 m, and a spine of 3 joints.
const SINTEL: &str = "corpus/characters/Sintel/human-sintel.glb";
const CESIUM: &str = "corpus/characters/CesiumMan/CesiumMan.glb";
const CAPTURE: &str = "situations/walk-120hz.bvh";

#[test]
fn feet_stay_in_place_on_other_bodies() {
    let Some(folder) = shared() else { return };
    let mut count = 0;
    for (source, name, target) in PAIRS {
        if source.ends_with(".fbx") && cfg!(not(feature = "fbx")) {
            continue;
        }
        let (source_file, target_file) = (opened(&folder, source), opened(&folder, target));
        let clip = source_file
            .clips
            .values()
            .find(|c| name.is_empty() || c.name.as_deref() == Some(name))
            .unwrap();
        let m = measured(&source_file, &target_file, clip);
        let what = format!("{source} {name} on {target}: {m:?}");
        println!("{what}");
        assert!(m.contacts > 1, "{what}");
        assert!(m.slide <= 0.001, "{what}");
        assert!(m.sole <= 0.005, "{what}");
        assert!(m.f1 >= 0.9, "{what}");
        assert!(m.bones <= 5.0, "{what}");
        // One step of this short walk is longer than the other, so the foot must catch up.
        let most = if source == CESIUM { 1.45 } else { 1.3 };
        assert!(m.jerk[0] <= most, "{what}");
        count += 1;
    }
    assert!(count >= 19, "{count} pairs");
}

/// Feet without toes and without a ball also stay in place, on bodies with helper nodes and without
/// a skin. The hips are lowered where the legs are too short.
#[test]
fn feet_without_a_ball_stay_in_place() {
    let Some(folder) = shared() else { return };
    let source = sample().document().clone();
    for name in ["situations/fbx-helper-nodes/in.glb", "situations/rigid-figure/in.glb"] {
        let target = opened(&folder, name);
        let map = guess_map(&source, &target);
        let retarget = Retarget::new(&source, &target, &map).unwrap();
        let unit = retarget.height().recip();
        for clip in source.clips.values().filter(|c| c.length() > 0.0) {
            let made = retarget.clip(clip, None);
            let (mut before, mut after): (f32, f32) = (0.0, 0.0);
            for slide in &made.slides {
                before = before.max(slide.before * unit);
                after = after.max(slide.after * unit);
            }
            println!("{name} {:?}: {before} → {after} m, lowered {}", clip.name, made.lowered);
            assert!(after <= 0.005, "{name} {:?}: {after} m", clip.name);
            assert!(made.short.is_empty(), "{name} {:?}: {:?}", clip.name, made.short);
        }
    }
}

/// Chains run from the root to the end, and no foot slides more than without locking, also if the
/// source's feet are not below its legs (`robot`), or poles have the names of knees (`gdbot`).
#[test]
fn legs_of_unusual_characters_run_from_the_thigh_to_the_foot() {
    let Some(folder) = shared() else { return };
    let target = sample().document().clone();
    let mut count = 0;
    for (name, clips, legs) in [
        ("corpus/characters/Robot/robot.glb", ["Robot_Walking", "Robot_Running"], ROBOT_LEG),
        ("corpus/characters/GdBot/gdbot.glb", ["walk", "run"], GDBOT_LEG),
    ] {
        let source = opened(&folder, name);
        let map = guess_map(&source, &target);
        let leg = map.chains.iter().find(|c| c.name == "Left leg").unwrap();
        assert_eq!(leg.source, legs);
        assert_eq!(leg.target, ["LeftUpperLeg", "LeftLowerLeg", "LeftFoot"]);
        assert!(leg.contacts);
        // The other way, no leg carries the foot.
        let back = guess_map(&target, &source);
        assert!(!back.chains.iter().any(|c| c.name.ends_with("leg") && c.contacts));
        let walk = target.clips.values().find(|c| c.name.as_deref() == Some("Walk")).unwrap();
        let walk = Retarget::new(&target, &source, &back).unwrap().clip(walk, None).carried.clip;
        let [shin, foot] = [1, 2].map(|k| table_node(&source, legs[k]).unwrap());
        let ankle =
            |pose: &Pose| pose.world[shin.index()].inverse().transform_point3(place(pose, foot));
        let (at_rest, unit) = (ankle(&rest(&source)), height(&source));
        let shown = Shared::new(walk);
        let mut moved: f32 = 0.0;
        for pose in poses(&source, &shown, &times(&shown)) {
            let scale = pose.world[shin.index()].transform_vector3(Vec3::Y).length();
            let off = (ankle(&pose) - at_rest).length() * scale;
            assert!(off < unit * 2e-3, "{name}: the foot is {off} m from the shin");
            moved = moved.max(place(&pose, foot).distance(place(&rest(&source), foot)));
        }
        assert!(moved > unit * 0.05, "{name}: the foot moves with the leg");
        let retarget = Retarget::new(&source, &target, &map).unwrap();
        for name in clips {
            let clip = source.clips.values().find(|c| c.name.as_deref() == Some(name)).unwrap();
            let made = retarget.clip(clip, None);
            println!("{name}: {:?}", made.slides);
            assert!(!made.slides.is_empty(), "{name}");
            for slide in &made.slides {
                assert!(slide.after <= 0.005, "{name}: {slide:?}");
            }
            count += 1;
        }
    }
    assert_eq!(count, 4);
}

const ROBOT_LEG: [&str; 3] =
    ["UpperLeg.L", "RobotArmature/Bone/Body/UpperLeg.L/LowerLeg.L", "RobotArmature/Bone/Foot.L"];
const GDBOT_LEG: [&str; 3] = ["upperleg.L", "lowerleg.L", "foot.L"];

/// Returns the largest difference of rotations in degrees, and of the hips' translation relative to
/// their height. The text names the joint.
fn apart(document: &Document, a: &Clip, b: &Clip) -> (f32, f32, String) {
    let (a, b) = (Shared::new(a.clone()), Shared::new(b.clone()));
    let times = times(&a);
    let (a, b) = (poses(document, &a, &times), poses(document, &b, &times));
    let map = guess_map(document, document);
    let joints: Vec<NodeId> =
        map.chains.iter().flat_map(|c| &c.target).filter_map(|n| table_node(document, n)).collect();
    let (mut turn, mut way, mut worst): (f32, f32, _) = (0.0, 0.0, String::new());
    for (a, b) in a.iter().zip(&b) {
        for node in &joints {
            let of = |p: &Pose| p.local[node.index()].transform();
            let own = angle_between(of(a).rotation, of(b).rotation).to_degrees();
            if own > turn {
                (turn, worst) = (own, document.node(*node).label(*node));
            }
        }
        let hips = joints[0];
        way = way.max((place(a, hips) - place(b, hips)).length() / place(a, hips).y.max(0.1));
    }
    (turn, way, worst)
}

#[test]
fn retargeting_to_another_body_and_back_keeps_the_clip() {
    let there = sample().document().clone();
    let Some(folder) = shared() else { return };
    for name in ["corpus/vrm/cryptovoxels.vrm", CESIUM] {
        let here = opened(&folder, name);
        for clip in there.clips.values().filter(|c| c.length() > 0.0) {
            let mut map = guess_map(&there, &here);
            map.contacts.lock = false;
            let mut back = guess_map(&here, &there);
            back.contacts.lock = false;
            let gone = Retarget::new(&there, &here, &map).unwrap().clip(clip, None);
            let gone = Shared::new(gone.carried.clip);
            let came = Retarget::new(&here, &there, &back).unwrap().clip(&gone, None);
            // Compares chains with the same number of joints in both bodies. Chains attached to a
            // chain that differs get new keys, so they are left out.
            let equal: Vec<NodeId> = map
                .chains
                .iter()
                .filter(|c| c.rotation == ChainRotation::Copy)
                .filter(|c| {
                    let hangs = ["houlder", "eck"].iter().any(|n| c.name.contains(n));
                    // CesiumMan has no shoulder joints above the arms.
                    !hangs && (name != CESIUM || c.name.ends_with("leg") || c.name == "Hips")
                })
                .flat_map(|c| &c.source)
                .filter_map(|n| table_node(&there, n))
                .collect();
            let own = |clip: &Clip| Clip {
                tracks: clip
                    .tracks
                    .iter()
                    .filter(|(_, t)| equal.contains(&t.target))
                    .map(|(id, t)| (*id, t.clone()))
                    .collect(),
                ..clip.clone()
            };
            let (turn, way, worst) = apart(&there, &own(clip), &own(&came.carried.clip));
            println!("{name} {:?}: {turn} {way} {worst}", clip.name);
            assert!(turn <= 1.0 && way <= 0.01, "{name}, {:?}: {turn}°, {way}, {worst}", clip.name);
        }
    }
}

#[test]
fn sliding_clips_are_cleaned_and_nothing_else_changes() {
    let Some(folder) = shared() else { return };
    let (mut count, mut slid) = (0, 0);
    for name in [KNIGHT, CESIUM, "corpus/characters/Fox49/fox-animations.glb", CAPTURE] {
        let document = opened(&folder, name);
        for clip in document.clips.values() {
            let contacts = find_contacts(&document, clip, &ContactRequest::default());
            let settings = ContactSettings::default();
            let made = clean_contacts(&document, clip, &contacts, &settings);
            let what = format!("{name} {:?}", clip.name);
            for slide in &made.slides {
                count += 1;
                // STEP keys cannot follow a body that moves between them.
                let leg = std::iter::successors(Some(slide.foot), |n| document.node(*n).parent);
                let held = leg.take(4).any(|n| {
                    clip.track(n, Property::Rotation)
                        .is_some_and(|(_, t)| t.interpolation == Interpolation::Step)
                });
                if slide.before < 0.01 || held || made.short.contains(&slide.foot) {
                    continue;
                }
                slid += 1;
                assert!(slide.after <= (slide.before * 0.1).max(0.003), "{what}: {slide:?}");
            }
            let cleaned = Shared::new(made.clip);
            let near = |goal: &Goal, time: f32| {
                // A loop continues at its start, so contacts are compared modulo its length.
                [-clip.length(), 0.0, clip.length()].iter().any(|round| {
                    let blend = settings.blend + 0.001;
                    time + round >= goal.from - blend && time + round <= goal.to + blend
                })
            };
            for time in times(clip) {
                if contacts.iter().any(|g| near(g, time)) {
                    continue;
                }
                let [a, b] = [clip, &cleaned]
                    .map(|c| Pose::evaluate(&document, &Stack::of(Some(c), f64::from(time))));
                for node in document.node_ids() {
                    let [a, b] = [&a, &b].map(|p| p.local[node.index()].transform());
                    assert!(
                        angle_between(a.rotation, b.rotation) < 2e-3
                            && a.translation.distance(b.translation)
                                <= 1e-4 * a.translation.length().max(0.1),
                        "{what} at {time}: {} {contacts:?}",
                        document.node(node).label(node)
                    );
                }
            }
        }
    }
    assert!(count > 200 && slid > 60, "{count} contacts, {slid} of them slide");
}
