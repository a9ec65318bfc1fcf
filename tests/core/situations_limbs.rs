//! Limbs of bodies with helper nodes, without skins, and below a mirrored parent. Feet lock to the
//! millimeter, step markers match foot contact, and a hand reaches its target.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use glam::Vec3;
use serde_json::json;
use ulna_model::{ClipId, Document, NodeId};
use ulna_motion::{Pose, Stack};
use ulna_session::Session;

use super::situations_keys::{does, situation};
use crate::common::named;

fn at(document: &Document, time: f64, node: NodeId) -> Vec3 {
    let pose = Pose::evaluate(document, &Stack::of(document.clips.get(ClipId(0)), time));
    pose.world[node.index()].w_axis.truncate()
}

/// Returns the largest distance of a node from its position in the middle of a range: at frames,
/// and over the whole range.
fn slides(document: &Document, node: NodeId, (from, to): (f64, f64), rate: f64) -> (f32, f32) {
    let first = (from * rate - 1e-6).ceil() as i64;
    let frames: Vec<f64> =
        (first..).map(|k| k as f64 / rate).take_while(|t| *t <= to + 1e-6).collect();
    assert!(frames.len() > 5);
    let place = at(document, frames[frames.len() / 2], node);
    let off = |time: f64| at(document, time, node).distance(place);
    let all = (0..=300).map(|k| off(from + (to - from) * f64::from(k) / 300.0)).fold(0.0, f32::max);
    (frames.into_iter().map(off).fold(0.0, f32::max), all)
}

/// Feet that can reach their locked position.
const FEET: [(&str, &str, &str); 6] = [
    ("nulls-between-joints", "Walk", "LeftFoot"),
    ("nulls-between-joints", "Walk", "RightFoot"),
    ("mirrored-parent", "Walk", "LeftFoot"),
    ("fbx-helper-nodes", "mixamo.com", "mixamorig:LeftFoot"),
    ("fbx-helper-nodes", "mixamo.com", "mixamorig:RightFoot"),
    ("rigid-figure", "walk", "left_foot"),
];

#[test]
fn locked_feet_stay_within_two_millimeters() {
    let (mut held, mut exact) = (0, 0);
    for (folder, clip, foot) in FEET {
        for between in [false, true] {
            let Some(mut session) = situation(folder) else { return };
            let before = session.document().clone();
            let node = named(&before, foot);
            let rate = before.clips[ClipId(0)].guess_fps().unwrap().0;
            let said = does(
                &mut session,
                json!({"do": "pin.hold", "node": foot, "clip": clip, "from": 0.3, "to": 0.6,
                    "ground": "still", "between": between}),
            );
            let saved = Session::open_bytes(&session.pack("a").unwrap().bytes).unwrap();
            let was = slides(&before, node, (0.3, 0.6), rate);
            let is = slides(saved.document(), node, (0.3, 0.6), rate);
            println!("{folder} {foot}, between {between}: {was:?} to {is:?}; {said}");
            held += 1;
            if said.contains("cannot reach any farther") {
                // The legs are straight while the hips move on, so only the nearest position is
                // reachable.
                assert!(is.0 < was.0 && is.1 < was.1, "{folder} {foot}: {is:?} of {was:?}");
                continue;
            }
            exact += 1;
            let words =
                said.split("stays within ").nth(1).and_then(|s| s.split(' ').next()).unwrap();
            let promised: f32 = words.parse().unwrap();
            assert!(is.1 * 1000.0 < promised + 0.3, "{folder} {foot}: {is:?} of {said}");
            // At frames, the foot stays in place. Between frames, the joints rotate on their own
            // arcs, with one key per frame by default. With more keys, the foot also stays within
            // the half millimeter that the command promises.
            assert!(is.0 < 1e-4, "{folder} {foot}: {is:?}");
            assert!(
                is.1 < if between { 1e-3 } else { 5e-3 },
                "{folder} {foot}, between {between}: {is:?}"
            );
        }
    }
    println!("{exact} of {held} reach their place");
    assert!(held == 12 && exact >= 4, "{exact} of {held}");
}

/// Returns the times of foot contact: when the foot falls below a fifth of its height range.
fn comes_down(document: &Document, foot: NodeId, length: f64) -> Vec<f64> {
    const STEPS: u32 = 2000;
    let time = |k: u32| length * f64::from(k) / f64::from(STEPS);
    let heights: Vec<f32> = (0..=STEPS).map(|k| at(document, time(k), foot).y).collect();
    let low = heights.iter().copied().fold(f32::INFINITY, f32::min);
    let high = heights.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let line = low + (high - low) * 0.2;
    (1..=STEPS)
        .filter(|k| heights[*k as usize] <= line && heights[*k as usize - 1] > line)
        .map(time)
        .collect()
}

#[test]
fn steps_are_marked_when_a_foot_touches_the_ground() {
    let Some(mut session) = situation("rigid-figure") else { return };
    let document = session.document().clone();
    let said = does(&mut session, json!({"do": "clip.footfalls", "clip": "walk"}));
    let markers = session.document().clips[ClipId(0)].markers.clone();
    let length = f64::from(document.clips[ClipId(0)].length());
    let mut marked = 0;
    for (foot, side) in [("left_foot", "L"), ("right_foot", "R")] {
        let wanted = comes_down(&document, named(&document, foot), length);
        let found: Vec<f64> =
            markers.iter().filter(|m| &*m.name == side).map(|m| f64::from(m.time)).collect();
        assert_eq!(found.len(), wanted.len(), "{foot}: {found:?} {wanted:?}; {said}");
        for (time, wanted) in found.iter().zip(&wanted) {
            // The motion is sampled 120 times per second.
            assert!(
                *time >= *wanted - 1e-3 && time - wanted < 1.0 / 120.0 + 1e-3,
                "{foot}: {found:?} {wanted:?}"
            );
        }
        marked += found.len();
    }
    assert!(marked == markers.len() && marked >= 2, "{markers:?}");
    assert!(said.contains(&format!("{marked} steps marked")), "{said}");
}

#[test]
fn the_hand_of_an_unskinned_figure_reaches_its_target() {
    let Some(mut session) = situation("rigid-figure") else { return };
    let document = session.document().clone();
    let target = Vec3::new(0.4, 1.2, 0.3);
    let place = |d: &Document, name: &str| {
        Pose::evaluate(d, &Stack::default()).world[named(d, name).index()].w_axis.truncate()
    };
    does(&mut session, json!({"do": "pose.ik", "node": "left_hand", "to": target.to_array()}));
    for document in [
        session.document().clone(),
        Session::open_bytes(&session.pack("a").unwrap().bytes).unwrap().document().clone(),
    ] {
        let off = place(&document, "left_hand").distance(target);
        assert!(off < 1e-4, "{off}");
        assert!(
            place(&document, "left_arm").distance(place(&document, "left_forearm")) - 0.35 < 1e-5
        );
        assert!(
            place(&document, "left_forearm").distance(place(&document, "left_hand")) - 0.35 < 1e-5
        );
    }
    for node in document.node_ids() {
        let [was, is] = [&document, session.document()].map(|d| d.node(node).local().transform());
        let name = document.node(node).label(node);
        assert_eq!((was.translation, was.scale), (is.translation, is.scale), "{name} is torn off");
        assert!(
            was.rotation == is.rotation
                || ["left_arm", "left_forearm", "left_hand"].contains(&&*name),
            "{name}"
        );
    }
}
