//! Commands on curves: inserting keys without changing the curve, removing full turns, changing the
//! interpolation without changing the motion, and editing single angles in any rotation order.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use glam::Quat;
use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_model::{
    Clip, Interpolation, KeyTangents, Property, TangentMode, Track, transform::angle_between,
};
use ulna_motion::{
    curves::{CurveSpace, EulerOrder, TrackCurves},
    sample_into,
};
use ulna_session::Session;

use crate::common::{named, run, sample};

fn line(text: &Value) -> CommandLine {
    CommandLine::parse(&text.to_string()).unwrap()
}

fn does(session: &mut Session, text: Value) -> Vec<String> {
    run(session, line(&text))
}

/// Runs a line that must change nothing. Returns its notes.
fn says(session: &mut Session, text: Value) -> String {
    let before = session.document().clone();
    let steps = session.history().done().len();
    assert!(!session.run_line(&line(&text)).unwrap(), "{text}");
    assert_eq!(session.history().done().len(), steps, "{text}");
    assert!(*session.document() == before, "{text}");
    session.take_notes().iter().map(|n| n.message.to_string()).collect::<Vec<_>>().join("; ")
}

fn clip(session: &Session) -> &Clip {
    session.document().clips.values().find(|c| c.name.as_deref() == Some("Walk")).unwrap()
}

fn track<'a>(session: &'a Session, node: &str, property: Property) -> &'a Track {
    clip(session).track(named(session.document(), node), property).unwrap().1
}

/// Returns the largest difference between two tracks at 1,000 times; in degrees for rotations.
fn apart(a: &Track, b: &Track) -> f32 {
    let (first, last) = (f64::from(a.times[0]), f64::from(a.times[a.times.len() - 1]));
    let (mut x, mut y) = (vec![0.0; a.width], vec![0.0; b.width]);
    (0..1000).fold(0.0f32, |worst, k| {
        let time = first - 0.1 + (last - first + 0.2) * f64::from(k) / 999.0;
        sample_into(a, time, &mut x);
        sample_into(b, time, &mut y);
        let off = if a.property == Property::Rotation {
            angle_between(Quat::from_slice(&x), Quat::from_slice(&y)).to_degrees()
        } else {
            x.iter().zip(&y).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
        };
        worst.max(off)
    })
}

/// Rotates the hips by a large angle at one key.
fn far_turn(session: &mut Session) {
    let time = track(session, "Hips", Property::Rotation).times[1];
    does(
        session,
        json!({"do": "key.value", "clip": "Walk", "how": "set", "by": [130],
            "keys": {"Hips": {"rotation": [time]}}}),
    );
}

#[test]
fn inserting_keys_keeps_the_shape_of_curves() {
    for (interpolation, most) in [("linear", 0.002), ("hold", 0.002), ("smooth", 0.02)] {
        let mut session = sample();
        does(
            &mut session,
            json!({"do": "track.interpolation", "clip": "Walk", "interpolation": interpolation}),
        );
        let before = clip(&session).clone();
        let times = track(&session, "Hips", Property::Rotation).times.to_vec();
        let at = (times[1] + times[2]) * 0.5 + 0.007;
        let said = does(
            &mut session,
            json!({"do": "key.insert", "clip": "Walk", "time": at, "exact": true}),
        );
        assert!(said[0].contains("inserted"), "{said:?}");
        let now = clip(&session).clone();
        for (id, old) in &before.tracks {
            let new = &now.tracks[id];
            assert!(new.key_at(at, 1e-4).is_some(), "{interpolation} {:?}", old.property);
            assert_eq!(new.interpolation, old.interpolation);
            let off = apart(old, new);
            assert!(off < most, "{interpolation} {:?}: {off}", old.property);
        }
        let again = says(
            &mut session,
            json!({"do": "key.insert", "clip": "Walk", "time": at, "exact": true}),
        );
        assert!(again.contains("a key is there already"), "{again}");
        session.undo();
        assert!(*clip(&session) == before);
    }
}

#[test]
fn new_keys_of_components_are_selected_and_can_have_a_mode() {
    let mut session = sample();
    let smooth = json!({"do": "track.interpolation", "clip": "Walk", "interpolation": "smooth"});
    does(&mut session, smooth);
    let times = track(&session, "Hips", Property::Rotation).times.to_vec();
    let (a, b) = ((times[0] + times[1]) * 0.5, (times[2] + times[3]) * 0.5);
    does(
        &mut session,
        json!({"do": "key.insert", "clip": "Walk", "tangents": "flat",
            "keys": {"Hips": {"rotation.x": [a, b], "rotation.z": [b], "translation": [a]}}}),
    );
    let hips = track(&session, "Hips", Property::Rotation);
    for time in [a, b] {
        assert_eq!(hips.modes.of(time), Some(KeyTangents::both(TangentMode::Flat)), "{time}");
    }
    let (_, keys) = session.take_selected_keys().unwrap();
    let id =
        |property| clip(&session).track(named(session.document(), "Hips"), property).unwrap().0;
    let (turn, shift) = (id(Property::Rotation), id(Property::Translation));
    assert_eq!((&*keys.times_of(turn, 0), &*keys.times_of(turn, 2)), (&[a, b][..], &[b][..]));
    assert!(keys.times_of(turn, 1).is_empty());
    assert!(keys.is_whole(shift, a) && !keys.contains(shift, b));
    let text = json!({"do": "key.insert", "clip": "Walk", "time": 0.1, "keys": {"Hips":
        {"rotation": [0.1]}}});
    let refused = session.run_line(&line(&text)).unwrap_err();
    assert_eq!(refused.code(), "arguments_exclusive");
    let text = json!({"do": "key.insert", "clip": "Walk", "time": 0.1, "node": "Hips",
        "parts": ["weights"]});
    assert_eq!(session.run_line(&line(&text)).unwrap_err().code(), "no_curve_there");
    let text = json!({"do": "key.insert", "clip": "Walk", "time": -0.1});
    assert_eq!(session.run_line(&line(&text)).unwrap_err().code(), "argument_out_of_range");
}

#[test]
fn keys_can_be_inserted_into_curves_of_layers() {
    let mut session = sample();
    does(&mut session, json!({"do": "layer.new", "clip": "Walk", "name": "Nod"}));
    for (time, degrees) in [(0.0, 0.0), (1.0, 20.0)] {
        does(
            &mut session,
            json!({"do": "key.set", "clip": "Walk", "layer": "Nod", "time": time, "node": "Head",
                "degrees": [degrees, 0, 0]}),
        );
    }
    let keys = |session: &Session| {
        let layers = session.document().aids.pose_layers.values().next().unwrap().clone();
        let layer = layers.iter().next().unwrap();
        (**layer.keys.tracks.values().next().unwrap()).clone()
    };
    let before = keys(&session);
    let walk = clip(&session).clone();
    let said = does(
        &mut session,
        json!({"do": "key.insert", "clip": "Walk", "layer": "Nod", "times": [0.3, 0.6],
            "node": "Head"}),
    );
    assert_eq!(said[0], "2 keys inserted");
    let now = keys(&session);
    assert_eq!(now.times.len(), before.times.len() + 2);
    assert!(apart(&before, &now) < 0.02, "{}", apart(&before, &now));
    assert!(*clip(&session) == walk);
    session.undo();
    assert!(keys(&session) == before);
}

#[test]
fn full_turns_between_rotation_keys_are_removed() {
    let mut session = sample();
    let none = says(&mut session, json!({"do": "track.euler_filter", "clip": "Walk"}));
    assert!(none.contains("no full turns"), "{none}");
    far_turn(&mut session);
    let smooth = json!({"do": "track.interpolation", "clip": "Walk", "interpolation": "smooth"});
    does(&mut session, smooth);
    let (id, clip_id) = {
        let document = session.document();
        let clip_id =
            document.clips.ids().find(|c| document.clips[*c].name.as_deref() == Some("Walk"));
        let hips = named(document, "Hips");
        (clip(&session).track(hips, Property::Rotation).unwrap().0, clip_id.unwrap())
    };
    let before = track(&session, "Hips", Property::Rotation).clone();
    let mut values = before.values.to_vec();
    values[12..24].iter_mut().for_each(|v| *v = -*v);
    let flipped = Track { values: values.into(), ..before.clone() };
    let edit = ulna_edit::Edit::SetTrack {
        clip: clip_id,
        track: id,
        to: Some(ulna_model::Shared::new(flipped.clone())),
    };
    session.preview("Other sign", vec![edit]).unwrap();
    assert!(session.commit());
    assert!(apart(&before, &flipped) > 30.0);
    let said = does(&mut session, json!({"do": "track.euler_filter", "clip": "Walk"}));
    assert!(said[0].starts_with("1 key of 1 channel changed sign"), "{said:?}");
    let now = track(&session, "Hips", Property::Rotation);
    assert!(now.same_keys(&before));
    session.undo();
    assert!(track(&session, "Hips", Property::Rotation).same_keys(&flipped));
}

#[test]
fn changing_the_interpolation_keeps_the_motion() {
    let mut session = sample();
    far_turn(&mut session);
    let before = clip(&session).clone();
    let to = |interpolation: &str, more: Value| {
        let mut text = json!({"do": "track.interpolation", "clip": "Walk",
            "interpolation": interpolation});
        text.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        text
    };
    let said = does(&mut session, to("smooth", json!({"keep_motion": true})));
    assert!(said[0].contains("tracks converted; the motion differs by at most 0.0"), "{said:?}");
    for (id, old) in &before.tracks {
        let new = &clip(&session).tracks[id];
        assert_eq!(new.interpolation, Interpolation::CubicSpline);
        assert!(apart(old, new) < 0.2, "{:?}: {}", old.property, apart(old, new));
    }
    let said = does(&mut session, to("linear", json!({"keep_motion": true})));
    assert!(said[0].contains("tracks converted"), "{said:?}");
    for (id, old) in &before.tracks {
        assert!(clip(&session).tracks[id].same_keys(old), "{:?}", old.property);
    }
    let same = says(&mut session, to("linear", json!({"keep_motion": true})));
    assert!(same.contains("already"), "{same}");
    // Only one segment changes its interpolation. The others are stored as splines with the same
    // motion.
    let hips = track(&session, "Hips", Property::Rotation).clone();
    let keys = json!({"Hips": {"rotation": [hips.times[1]]}});
    let said = does(&mut session, to("smooth", json!({"spans": true, "keys": keys})));
    let others = hips.times.len() - 2;
    let kept = format!("1 track converted after the given keys; {others} other segments kept");
    assert!(said[0].starts_with(&kept), "{said:?}");
    assert!(said[0].contains("as splines"), "{said:?}");
    let now = track(&session, "Hips", Property::Rotation);
    let (mut a, mut b) = ([0.0; 4], [0.0; 4]);
    for k in 0..1000 {
        let time = f64::from(hips.times[0]) + 3.0 * f64::from(k) / 999.0;
        let inside = (f64::from(hips.times[1])..f64::from(hips.times[2])).contains(&time);
        sample_into(&hips, time, &mut a);
        sample_into(now, time, &mut b);
        let off = angle_between(Quat::from_array(a), Quat::from_array(b)).to_degrees();
        assert!(inside || off < 0.2, "{time}: {off}");
    }
    assert_eq!(now.modes.of(hips.times[1]).unwrap().leave, TangentMode::Auto);
    session.undo();
    // Adding a step to a linear track needs one more key, which a note reports.
    let said = does(&mut session, to("hold", json!({"spans": true, "keys": keys})));
    assert!(said[0].contains("; 1 key added"), "{said:?}");
    let now = track(&session, "Hips", Property::Rotation);
    assert_eq!(now.times.len(), hips.times.len() + 1);
    assert_eq!(now.interpolation, Interpolation::Linear);
}

/// Returns the Euler angles of a key in a rotation order, in degrees.
fn angles(track: &Track, key: usize, order: EulerOrder) -> [f64; 3] {
    let curves = TrackCurves::new(track, CurveSpace::Euler(order));
    [0, 1, 2].map(|axis| curves.key_value(key, axis))
}

/// Whether two angles are equal except for full turns, within `most` degrees.
fn same(a: f64, b: f64, most: f64) -> bool {
    let off = (a - b).rem_euclid(360.0);
    off.min(360.0 - off) < most
}

#[test]
fn single_angles_change_in_the_given_euler_order() {
    let order = EulerOrder::Zxy;
    let first = sample();
    let times = track(&first, "Hips", Property::Rotation).times.to_vec();
    let keys = json!({"Hips": {"rotation.y": [times[1], times[2]]}});
    for text in [
        json!({"do": "key.value", "how": "add", "by": [12]}),
        json!({"do": "key.value", "how": "set", "by": [3]}),
        json!({"do": "key.value", "how": "scale", "by": [2], "about": "mean"}),
        json!({"do": "key.slide", "how": "blend to neighbor", "amount": -0.7}),
        json!({"do": "key.slide", "how": "scale from average", "amount": 0.7}),
        json!({"do": "key.ease", "shape": "bounce", "way": "out"}),
        json!({"do": "key.proportional", "how": "add", "by": [9], "radius": 0.01}),
        json!({"do": "track.filter", "filter": "noise", "noise": 5, "axes": "ZXY"}),
        json!({"do": "key.value", "how": "add", "by": [12], "axes": "ZXY"}),
    ] {
        let mut session = sample();
        let before = track(&session, "Hips", Property::Rotation).clone();
        let mut line = text.clone();
        line["clip"] = json!("Walk");
        line["keys"] = keys.clone();
        if line["axes"].is_null() {
            line["order"] = json!("ZXY");
        }
        if text["do"] == "track.filter" {
            line["keys"] = json!({"Hips": {"rotation.y": times[0..4]}});
        }
        does(&mut session, line);
        let now = track(&session, "Hips", Property::Rotation);
        let mut changed = false;
        for (key, time) in before.times.iter().enumerate() {
            let place = now.key_at(*time, 0.0).unwrap();
            let (was, is) = (angles(&before, key, order), angles(now, place, order));
            assert!(
                same(was[0], is[0], 0.01) && same(was[2], is[2], 0.01),
                "{text} {was:?} {is:?}"
            );
            changed |= !same(was[1], is[1], 0.01);
        }
        // The ease changes only the motion between its two keys.
        let between = now.times.len() > before.times.len();
        assert!(changed || between, "{text} changed nothing");
        session.undo();
        assert!(*track(&session, "Hips", Property::Rotation) == before, "{text}");
    }
}

#[test]
fn the_default_euler_order_is_farthest_from_gimbal_lock() {
    let mut session = sample();
    let before = track(&session, "LeftUpperArm", Property::Rotation).clone();
    let best = EulerOrder::best_first(&before)[0].0;
    does(
        &mut session,
        json!({"do": "key.slide", "clip": "Walk", "how": "blend to neighbor", "amount": 1,
            "keys": {"LeftUpperArm": {"rotation.z": [before.times[1]]}}}),
    );
    let now = track(&session, "LeftUpperArm", Property::Rotation);
    let (was, is) = (angles(&before, 1, best), angles(now, 1, best));
    assert!(same(was[0], is[0], 0.01) && same(was[1], is[1], 0.01), "{was:?} {is:?}");
    let next = angles(&before, 2, best);
    assert!(same(is[2], next[2], 0.01) && !same(is[2], was[2], 0.01), "{is:?} {next:?}");
}

#[test]
fn quaternion_components_can_be_typed() {
    let mut session = sample();
    let smooth = json!({"do": "track.interpolation", "clip": "Walk", "interpolation": "smooth"});
    does(&mut session, smooth);
    let before = track(&session, "Hips", Property::Rotation).clone();
    let time = before.times[1];
    for (component, index) in [("x", 0), ("w", 3)] {
        let mut session = sample();
        let smooth =
            json!({"do": "track.interpolation", "clip": "Walk", "interpolation": "smooth"});
        does(&mut session, smooth);
        let keys = json!({"Hips": {(format!("rotation.{component}")): [time]}});
        // A fourth number is always the fourth component of a quaternion.
        let mut text = json!({"do": "key.value", "clip": "Walk", "how": "set", "by": [0.5],
            "keys": keys});
        if index < 3 {
            text["order"] = json!("quaternion");
        }
        does(&mut session, text);
        let now = track(&session, "Hips", Property::Rotation);
        assert!((now.value(1)[index].abs() - 0.5).abs() < 1e-5, "{:?}", now.value(1));
        let length: f32 = now.value(1).iter().map(|v| v * v).sum();
        assert!((length - 1.0).abs() < 1e-5);
        for key in (0..before.times.len()).filter(|k| *k != 1) {
            assert_eq!(now.value(key), before.value(key));
        }
        does(
            &mut session,
            json!({"do": "key.slope", "clip": "Walk", "slope": 0.25, "order": "quaternion",
                "keys": keys}),
        );
        let now = TrackCurves::new(track(&session, "Hips", Property::Rotation), CurveSpace::Stored);
        let (arrive, leave) = now.key_slopes(1, index).unwrap();
        assert!((arrive - 0.25).abs() < 1e-4 && (leave - 0.25).abs() < 1e-4, "{arrive} {leave}");
    }
}

#[test]
fn values_of_layer_keys_can_be_typed() {
    let mut session = sample();
    does(&mut session, json!({"do": "layer.new", "clip": "Walk", "name": "Nod"}));
    for (time, degrees) in [(0.0, 0.0), (1.0, 20.0)] {
        does(
            &mut session,
            json!({"do": "key.set", "clip": "Walk", "layer": "Nod", "time": time, "node": "Head",
                "degrees": [degrees, 0, 0]}),
        );
    }
    let walk = clip(&session).clone();
    does(
        &mut session,
        json!({"do": "key.value", "clip": "Walk", "layer": "Nod", "how": "set", "by": [35],
            "order": "XYZ", "keys": {"Head": {"rotation.x": [1]}}}),
    );
    let layers = session.document().aids.pose_layers.values().next().unwrap().clone();
    let layer = layers.iter().next().unwrap().clone();
    let nod = layer.keys.tracks.values().next().unwrap();
    let last = angles(nod, nod.times.len() - 1, EulerOrder::Xyz);
    assert!(same(last[0], 35.0, 0.01) && same(last[1], 0.0, 0.01), "{last:?}");
    assert!(*clip(&session) == walk);
}
