//! Commands on clips and keys must preserve the length, the frame rate, keys of animation pointers,
//! and other clips. They must report changes that they could not make. If possible, results are
//! checked in the saved bytes.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use glam::Quat;
use proptest::prelude::*;
use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_formats::gltf::Progress;
use ulna_model::{Clip, Interpolation, LayerHome, Property, Shared, Track, TrackId};
use ulna_motion::{sample_into, user_at};
use ulna_session::Session;

use crate::common::{floats, glb, named, run, split};

/// A channel of a small file: node, path, interpolation, key times and values.
type Channel = (usize, &'static str, &'static str, Vec<f32>, Vec<f32>);

/// Builds a file with a chain of a few nodes and several clips.
fn file(names: &[&str], clips: &[(&str, Vec<Channel>)]) -> Vec<u8> {
    let mut bin = Vec::new();
    let (mut views, mut accessors, mut animations) = (Vec::new(), Vec::new(), Vec::new());
    for (name, channels) in clips {
        let (mut list, mut samplers) = (Vec::new(), Vec::new());
        for (node, path, interpolation, times, values) in channels {
            let (kind, width) = if *path == "rotation" { ("VEC4", 4) } else { ("VEC3", 3) };
            for (numbers, kind, count) in
                [(times, "SCALAR", times.len()), (values, kind, values.len() / width)]
            {
                views.push(
                    json!({"buffer": 0, "byteOffset": bin.len(), "byteLength": numbers.len() * 4}),
                );
                let mut accessor = json!({"bufferView": views.len() - 1, "componentType": 5126,
                    "count": count,
                        "type": kind});
                if kind == "SCALAR" {
                    (accessor["min"], accessor["max"]) =
                        (json!([numbers[0]]), json!([numbers[numbers.len() - 1]]));
                }
                accessors.push(accessor);
                bin.extend(floats(numbers));
            }
            let input = accessors.len() - 2;
            samplers
                .push(json!({"input": input, "output": input + 1, "interpolation": interpolation}));
            list.push(
                json!({"sampler": samplers.len() - 1, "target": {"node": node, "path": path}}),
            );
        }
        animations.push(json!({"name": name, "channels": list, "samplers": samplers}));
    }
    let node = |(k, name): (usize, &&str)| {
        let mut node = json!({"name": name});
        if k + 1 < names.len() {
            (node["children"], node["translation"]) = (json!([k + 1]), json!([0, 0.4, 0]));
        }
        node
    };
    let nodes: Vec<Value> = names.iter().enumerate().map(node).collect();
    let json = json!({"nodes": nodes, "scenes": [{"nodes": [0]}], "scene": 0,
        "animations": animations,
        "accessors": accessors, "bufferViews": views});
    glb(json, &bin)
}

fn situation(name: &str) -> Option<Session> {
    let path = crate::common::shared()?.join("situations").join(name).join("in.glb");
    Some(Session::open(&path, &Progress::default()).unwrap())
}

fn line(value: Value) -> CommandLine {
    CommandLine::parse(&value.to_string()).unwrap()
}

fn does(session: &mut Session, value: Value) -> String {
    run(session, line(value)).join("; ")
}

fn refused(session: &mut Session, value: Value) -> String {
    let before = session.document().clone();
    let line = line(value);
    let error = session.run_line(&line).expect_err(&line.to_string()).to_string();
    assert!(*session.document() == before, "{line}");
    error
}

fn clip<'a>(session: &'a Session, name: &str) -> &'a Shared<Clip> {
    session.document().clips.values().find(|c| c.name.as_deref() == Some(name)).unwrap()
}

fn track<'a>(session: &'a Session, of: &str, node: &str, property: Property) -> &'a Track {
    clip(session, of).track(named(session.document(), node), property).unwrap().1
}

fn at(track: &Track, time: f64) -> Vec<f32> {
    let mut out = vec![0.0; track.width];
    sample_into(track, time, &mut out);
    out
}

/// Returns the difference between two tracks of one property at a time; in radians for rotations.
fn apart(a: &Track, b: &Track, time: f64) -> f32 {
    let (a, b, turns) = (at(a, time), at(b, time), a.property == Property::Rotation);
    if turns {
        return 2.0 * Quat::from_slice(&a).dot(Quat::from_slice(&b)).abs().min(1.0).acos();
    }
    a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

fn frames(rate: f64, count: usize) -> Vec<f32> {
    (0..=count).map(|k| (k as f64 / rate) as f32).collect()
}

/// Returns a rotation about x as keys at these times.
fn swing(times: &[f32], turns: f32) -> Vec<f32> {
    let angle = |t: &f32| (t * turns * std::f32::consts::TAU).sin() * 0.6;
    times.iter().flat_map(|t| Quat::from_rotation_x(angle(t)).to_array()).collect()
}

fn reopened(session: &Session) -> Session {
    Session::open_bytes(&session.pack("a").unwrap().bytes).unwrap()
}

#[test]
fn reducing_keys_keeps_the_clip_length() {
    let Some(mut session) = situation("placeholder-clip") else { return };
    for (name, length) in [("still", 5.0), ("bent", 2.0)] {
        for work in ["clip.reduce", "clip.make_editable"] {
            let before = clip(&session, name).clone();
            let others: Vec<_> = session
                .document()
                .clips
                .values()
                .filter(|c| c.name != before.name)
                .cloned()
                .collect();
            does(&mut session, json!({"do": work, "clip": name}));
            let now = clip(&session, name).clone();
            assert_eq!(now.length(), length, "{work} {name}: {now:?}");
            for (id, track) in &before.tracks {
                for k in 0..=200 {
                    let time = f64::from(length) * f64::from(k) / 200.0;
                    assert!(apart(track, &now.tracks[id], time) < 2e-3, "{work} {name} at {time}");
                }
            }
            let left: Vec<_> = session
                .document()
                .clips
                .values()
                .filter(|c| c.name != before.name)
                .cloned()
                .collect();
            assert!(left.iter().zip(&others).all(|(a, b)| Shared::ptr_eq(a, b)));
            assert_eq!(clip(&reopened(&session), name).length(), length);
            while session.undo().is_some() {}
        }
    }
    // Deleting the last key makes the clip shorter, which a note reports.
    let said = does(&mut session, json!({"do": "key.delete", "clip": "still", "time": 5}));
    assert!(said.contains("not 5.000 s"), "{said}");
}

#[test]
fn make_editable_leaves_splines_and_sparse_tracks_unchanged() {
    let Some(mut session) = situation("near-zero-segments") else { return };
    let before = clip(&session, "cut").clone();
    let said =
        does(&mut session, json!({"do": "clip.make_editable", "clip": "cut", "millimetres": 5}));
    assert!(said.contains("left unchanged"), "{said}");
    assert_eq!(clip(&session, "cut"), &before);
    // Reducing keys keeps a bounce between two equal keys, too.
    does(&mut session, json!({"do": "clip.reduce", "clip": "cut", "millimetres": 1}));
    for (id, track) in &before.tracks {
        for k in 0..=1000 {
            let time = f64::from(k) / 1000.0;
            let near = track
                .times
                .windows(2)
                .any(|w| w[1] - w[0] < 1e-4 && (f64::from(w[0]) - time).abs() < 1e-3);
            assert!(
                near || apart(track, &clip(&session, "cut").tracks[id], time) < 5e-3,
                "{id:?} at {time}"
            );
        }
    }
    // Next to baked tracks, such tracks stay unchanged, too. Only the baked ones get fewer keys.
    let times = frames(30.0, 60);
    let wide = vec![0.0, 1.0, 2.0];
    let bounce = [[0.0f32; 3], [0.0; 3], [0.0, 2.0, 0.0]].concat();
    let cubic: Vec<f32> = (0..3).flat_map(|_| bounce.clone()).collect();
    let mut session = Session::open_bytes(&file(
        &["A", "B", "C"],
        &[(
            "Mixed",
            vec![
                (0, "rotation", "LINEAR", times.clone(), swing(&times, 1.0)),
                (1, "rotation", "LINEAR", wide.clone(), swing(&[0.0, 0.3, 0.1], 1.0)),
                (2, "translation", "CUBICSPLINE", wide, cubic),
            ],
        )],
    ))
    .unwrap();
    let before = clip(&session, "Mixed").clone();
    let said = does(&mut session, json!({"do": "clip.make_editable", "clip": "Mixed"}));
    let now = clip(&session, "Mixed");
    assert!(said.contains("2 tracks were left unchanged"), "{said}");
    assert!(now.tracks[&TrackId(0)].times.len() < 20, "{said}");
    assert_eq!(
        (&now.tracks[&TrackId(1)], &now.tracks[&TrackId(2)]),
        (&before.tracks[&TrackId(1)], &before.tracks[&TrackId(2)])
    );
}

#[test]
fn clip_operations_keep_rotations_of_several_turns() {
    let Some(mut session) = situation("turns-past-180") else { return };
    let before = clip(&session, "spin").clone();
    let works = [
        json!({"do": "clip.reduce", "clip": "spin", "millimetres": 0.05}),
        json!({"do": "key.clean", "clip": "spin"}),
        json!({"do": "clip.resample", "clip": "spin", "rate": 30}),
        json!({"do": "clip.make_editable", "clip": "spin", "millimetres": 0.05}),
    ];
    for work in works {
        let said = does(&mut session, work.clone());
        let now = clip(&session, "spin").clone();
        for (id, track) in &before.tracks {
            // The tolerance is the precision of a single-precision arc cosine. `situations_keys` is
            // more exact.
            for k in 0..=600 {
                let time = f64::from(k) / 300.0;
                assert!(
                    apart(track, &now.tracks[id], time) < 5e-3,
                    "{work} {id:?} at {time}: {said}"
                );
            }
            for pair in now.tracks[id].times.windows(2).zip(0usize..) {
                let value = |k: usize| Quat::from_slice(now.tracks[id].value(k));
                assert!(
                    value(pair.1).dot(value(pair.1 + 1)).abs() > 1e-3,
                    "{work} {id:?}: half a turn"
                );
            }
        }
        session.undo();
    }
    let said = does(&mut session, json!({"do": "clip.resample", "clip": "spin", "rate": 2}));
    assert!(said.contains("180"), "{said}");
}

#[test]
fn a_reversed_step_track_ends_on_the_previously_held_value() {
    let Some(mut session) = situation("channels-of-different-lengths") else { return };
    let before = clip(&session, "late").clone();
    does(&mut session, json!({"do": "clip.reverse", "clip": "late"}));
    let last = track(&session, "late", "N2", Property::Scale);
    assert_eq!(at(last, 99.0), [1.0, 1.0, 1.0]);
    let now = clip(&reopened(&session), "late").clone();
    let mut compared = 0;
    for (id, old) in &before.tracks {
        for k in 0..=560 {
            let time = f64::from(k) * 0.005;
            let was = f64::from(0.4f32) + f64::from(2.4f32) - time;
            let step = old.interpolation == Interpolation::Step;
            if step && old.times.iter().any(|t| (f64::from(*t) - was).abs() < 1e-3) {
                continue;
            }
            assert!(apart_at(old, was, &now.tracks[id], time) < 2e-3, "{id:?} at {time}");
            compared += 1;
        }
    }
    assert!(compared > 2000, "{compared}");
    does(&mut session, json!({"do": "clip.reverse", "clip": "late"}));
    assert_eq!(clip(&session, "late").length(), before.length());
    let again = track(&session, "late", "N2", Property::Scale);
    for k in 0..300 {
        let time = 0.405 + f64::from(k) * 0.01;
        assert_eq!(at(again, time), at(&before.tracks[&TrackId(2)], time), "{time}");
    }
}

fn apart_at(a: &Track, when: f64, b: &Track, time: f64) -> f32 {
    let held = Track {
        times: [0.0].into(),
        values: at(a, when).into(),
        interpolation: Interpolation::Linear,
        ..a.clone()
    };
    apart(&held, b, time)
}

#[test]
fn operations_that_animation_pointers_cannot_follow_are_refused() {
    let Some(mut session) = situation("pointers") else { return };
    for work in [
        json!({"do": "key.ripple", "clip": "both", "time": 0.5, "by": 1}),
        json!({"do": "key.ripple", "clip": "both", "time": 0.5, "by": -0.2}),
        json!({"do": "key.scale", "clip": "both", "factor": 2}),
        json!({"do": "key.move", "clip": "both", "by": 0.5, "from": 0, "to": 9}),
        json!({"do": "key.offset", "clip": "both", "by": 0.3}),
    ] {
        let why = refused(&mut session, work);
        assert!(why.contains("animation pointer") && why.contains("node"), "{why}");
    }
    // The pointer need not follow if only keys of one node move, or only keys before those of the
    // pointer.
    does(
        &mut session,
        json!({"do": "key.ripple", "clip": "both", "time": 0.5, "by": 1, "node": "J1"}),
    );
    assert_eq!(track(&session, "both", "J1", Property::Rotation).times.last(), Some(&2.0));
    session.undo();
    let why = refused(
        &mut session,
        json!({"do": "key.morph", "clip": "both", "time": 0.5, "node": "Body"}),
    );
    assert!(why.contains("animation pointer"), "{why}");
    // An import converts the effect of pointers to keys.
    let path = crate::common::shared().unwrap().join("situations/pointers/in.glb");
    let mut other = Session::open(&path, &Progress::default()).unwrap();
    let request =
        ulna_session::ImportRequest { path, only: Some("pointers".into()), ..Default::default() };
    let (put, _) = other.import(&request, &Progress::default()).unwrap();
    other.run(&put.into()).unwrap();
    let made = other.document().clips.values().next_back().unwrap();
    let moved: Vec<_> = made.tracks.values().map(|t| (t.target.0, t.property)).collect();
    assert!(
        moved.contains(&(3, Property::Rotation)) && moved.contains(&(1, Property::Translation)),
        "{moved:?}"
    );
}

#[test]
fn a_copied_spline_of_one_key_is_valid() {
    let spline = vec![0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    let bytes =
        file(&["A"], &[("One", vec![(0, "translation", "CUBICSPLINE", vec![0.5], spline)])]);
    for work in [
        json!({"do": "clip.duplicate", "clip": "One", "name": "Two"}),
        json!({"do": "key.move", "clip": "One", "time": 0.5, "by": 0.5}),
    ] {
        let mut session = Session::open_bytes(&bytes).unwrap();
        does(&mut session, work.clone());
        let (json, _) = split(&session.pack("a").unwrap().bytes);
        let animation = json["animations"].as_array().unwrap().last().unwrap();
        for sampler in animation["samplers"].as_array().unwrap() {
            let count = |what: &str| {
                json["accessors"][sampler[what].as_u64().unwrap() as usize]["count"]
                    .as_u64()
                    .unwrap()
            };
            assert_ne!(sampler["interpolation"], "CUBICSPLINE", "{work}");
            assert_eq!((count("input"), count("output")), (1, 1), "{work}");
        }
        while session.undo().is_some() {}
        assert!(session.pack("a").unwrap().bytes[..] == bytes[..]);
    }
}

#[test]
fn keys_are_pasted_to_nodes_of_equal_path() {
    // The nodes are a chain B/B/B, and its last node exists twice.
    let (mut json, bin) = split(&file(
        &["B", "B", "B", "B"],
        &[(
            "Wave",
            vec![
                (2, "translation", "LINEAR", vec![0.0, 1.0], vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0]),
                (3, "translation", "LINEAR", vec![0.0, 1.0], vec![0.0, 0.0, 0.0, 2.0, 0.0, 0.0]),
            ],
        )],
    ));
    json["nodes"][1]["children"] = json!([2, 3]);
    json["nodes"][2].as_object_mut().unwrap().remove("children");
    let mut session = Session::open_bytes(&glb(json, &bin)).unwrap();
    does(&mut session, json!({"do": "key.copy", "clip": "Wave", "from": 0, "to": 1}));
    let before = clip(&session, "Wave").clone();
    does(&mut session, json!({"do": "key.paste", "clip": "Wave", "time": 2}));
    let now = clip(&session, "Wave");
    for (id, x) in [(0, 1.0), (1, 2.0)] {
        let (old, new) = (&before.tracks[&TrackId(id)], &now.tracks[&TrackId(id)]);
        assert_eq!(new.target, old.target);
        assert_eq!((&*new.times, new.value(3)), (&[0.0, 1.0, 2.0, 3.0][..], &[x, 0.0, 0.0][..]));
    }
}

#[test]
fn a_neutral_layer_key_keeps_the_keys_around_it() {
    let mut session = crate::common::sample();
    let walk =
        session.document().clips.iter().find(|(_, c)| c.name.as_deref() == Some("Walk")).unwrap().0;
    let head = named(session.document(), "Head");
    let length = f64::from(session.document().clips[walk].length());
    let turn = |session: &Session, time: f64| {
        let layers = session.document().aids.layers(LayerHome::Clip(walk));
        user_at(&layers.0[0], head, time).rotation.to_axis_angle().1.to_degrees()
    };
    for (times, zero) in [
        (json!({"time": 0.5}), vec![0.5]),
        (json!({"time": 0.2, "until": 0.8}), vec![0.2, 0.8]),
        (json!({"time": 0}), vec![0.0]),
    ] {
        does(&mut session, json!({"do": "layer.new", "clip": "Walk", "name": "Typed"}));
        does(
            &mut session,
            json!({"do": "layer.set", "clip": "Walk", "node": "Head", "degrees": [10, 0, 0]}),
        );
        let mut work = json!({"do": "layer.zero_key", "clip": "Walk"});
        work.as_object_mut().unwrap().extend(times.as_object().unwrap().clone());
        let said = does(&mut session, work);
        assert!(said.contains("keep the constant offset"), "{said}");
        for time in &zero {
            assert!(turn(&session, *time).abs() < 1e-3, "{}", turn(&session, *time));
        }
        let full = [0.0, length, zero[0] + 0.3]
            .into_iter()
            .filter(|t| zero.iter().all(|z| (z - t).abs() > 0.24));
        let full: Vec<f64> = full.collect();
        assert!(!full.is_empty());
        for time in full {
            assert!(
                (turn(&session, time) - 10.0).abs() < 1e-2,
                "{times} at {time}: {}",
                turn(&session, time)
            );
        }
        while session.undo().is_some() {}
    }
    // A typed key applies at its own time. At other times, the previous values are visible.
    does(&mut session, json!({"do": "layer.new", "clip": "Walk", "name": "Typed"}));
    does(
        &mut session,
        json!({"do": "layer.set", "clip": "Walk", "node": "Head", "degrees": [10, 0, 0]}),
    );
    does(
        &mut session,
        json!({"do": "layer.set", "clip": "Walk", "node": "Head", "degrees": [30, 0, 0],
            "time": 0.5, "key": true}),
    );
    assert!((turn(&session, 0.5) - 30.0).abs() < 1e-2 && (turn(&session, 0.0) - 10.0).abs() < 1e-2);
}

fn baked(rate: f64) -> Vec<u8> {
    let times = frames(rate, 60);
    let values = swing(&times, 1.0);
    file(&["A", "B"], &[("Move", vec![(0, "rotation", "LINEAR", times, values)])])
}

fn rate(session: &Session, name: &str) -> f64 {
    clip(session, name).guess_fps().unwrap().0
}

#[test]
fn a_clip_keeps_its_frame_rate() {
    for fps in [30.0, 24.0, 60.0, 30_000.0 / 1001.0, 24_000.0 / 1001.0] {
        let open = || Session::open_bytes(&baked(fps)).unwrap();
        let near = |session: &Session, name: &str| (rate(session, name) - fps).abs() < 1e-3;
        assert!(near(&open(), "Move"), "{fps}");
        for work in [
            json!({"do": "clip.retime", "clip": "Move", "factor": 1.2}),
            json!({"do": "clip.trim", "clip": "Move", "from": 0.111, "to": 0.777}),
            json!({"do": "key.scale", "clip": "Move", "factor": 0.83}),
            json!({"do": "key.move", "clip": "Move", "by": 0.0123, "from": 0, "to": 9}),
        ] {
            let mut session = open();
            does(&mut session, work.clone());
            assert!(near(&session, "Move"), "{fps} {work}: {}", rate(&session, "Move"));
            assert!(near(&reopened(&session), "Move"), "{fps} {work}");
            session.undo();
            assert!(!session.is_unsaved());
        }
        // Baking a saved layer resamples a track only where necessary.
        let mut session = open();
        does(&mut session, json!({"do": "layer.new", "clip": "Move"}));
        does(
            &mut session,
            json!({"do": "layer.set", "clip": "Move", "node": "A", "translation": [0.5, 0, 0]}),
        );
        for (time, strength) in [(0.0, 0.0), (0.437, 1.0)] {
            does(
                &mut session,
                json!({"do": "layer.strength", "clip": "Move", "strength": strength, "time": time}),
            );
        }
        let saved = reopened(&session);
        assert!(near(&saved, "Move"), "{fps} layer: {}", rate(&saved, "Move"));
        // Both parts of a split clip keep the rate that the user has set.
        let mut session = open();
        does(
            &mut session,
            json!({"do": "clip.split", "clip": "Move", "time": 0.4137, "name": "Rest"}),
        );
        assert!(near(&session, "Move") && near(&session, "Rest"), "{fps}");
        does(&mut session, json!({"do": "clip.rate", "clip": "Rest", "rate": 12}));
        assert!((rate(&reopened(&session), "Rest") - 12.0).abs() < 1e-6);
        does(&mut session, json!({"do": "clip.resample", "clip": "Move", "rate": 50}));
        assert!((rate(&session, "Move") - 50.0).abs() < 1e-6);
    }
    // A rate that the keys already have is not stored in `extras`.
    let mut session = Session::open_bytes(&baked(30.0)).unwrap();
    does(
        &mut session,
        json!({"do": "key.set", "clip": "Move", "node": "A", "time": 0.5, "degrees": [5, 0, 0]}),
    );
    let (json, _) = split(&session.pack("a").unwrap().bytes);
    assert_eq!(json["animations"][0]["extras"], Value::Null);
}

#[test]
fn a_second_key_uses_the_interpolation_of_new_keys() {
    let bytes = file(
        &["A", "B"],
        &[("Empty", vec![(1, "translation", "LINEAR", vec![0.0], vec![0.0; 3])])],
    );
    let first = json!({"do": "key.set", "clip": "Empty", "node": "A", "time": 0,
        "degrees": [20, 0, 0],
            "interpolation": "smooth"});
    for second in [
        json!({"do": "key.set", "clip": "Empty", "node": "A", "time": 1,
            "interpolation": "smooth"}),
        json!({"do": "key.duplicate", "clip": "Empty", "node": "A", "time": 0, "by": 1,
            "interpolation": "smooth"}),
        json!({"do": "key.paste", "clip": "Empty", "time": 1, "interpolation": "smooth"}),
    ] {
        let mut session = Session::open_bytes(&bytes).unwrap();
        does(&mut session, first.clone());
        does(&mut session, json!({"do": "key.copy", "clip": "Empty", "node": "A", "time": 0}));
        does(&mut session, second.clone());
        let made = track(&session, "Empty", "A", Property::Rotation);
        assert_eq!(
            (made.times.len(), made.interpolation),
            (2, Interpolation::CubicSpline),
            "{second}"
        );
        // Without this argument, the interpolation stays unchanged.
        session.undo();
        let mut plain = second.clone();
        plain.as_object_mut().unwrap().remove("interpolation");
        does(&mut session, plain);
        assert_eq!(
            track(&session, "Empty", "A", Property::Rotation).interpolation,
            Interpolation::Linear
        );
    }
}

#[test]
fn closing_a_loop_can_match_the_speed_of_its_start() {
    let times = frames(30.0, 30);
    // The poses match at both ends, but the end is faster than the start.
    let place = |t: &f32| [t * (1.0 - t) * (1.0 + 2.0 * t), 0.0, 0.0];
    let values: Vec<f32> = times.iter().flat_map(place).collect();
    let bytes = file(&["A", "B"], &[("Loop", vec![(0, "translation", "LINEAR", times, values)])]);
    let jump = |session: &Session| {
        let track = track(session, "Loop", "A", Property::Translation);
        let x = |k: f64| at(track, k / 30.0)[0];
        ((x(1.0) - x(0.0)) - (x(30.0) - x(29.0))).abs() * 30.0
    };
    for work in [
        json!({"do": "clip.close_loop", "clip": "Loop", "how": "blend", "frames": 8,
            "speed": true}),
        json!({"do": "clip.close_loop", "clip": "Loop", "speed": true}),
    ] {
        let mut session = Session::open_bytes(&bytes).unwrap();
        let before = jump(&session);
        let said = does(&mut session, work.clone());
        assert!(jump(&session) < before * 0.05, "{work}: {before} to {}, {said}", jump(&session));
        assert!(said.contains("cm/s"), "{said}");
        let track = track(&session, "Loop", "A", Property::Translation);
        assert!(at(track, 1.0)[0].abs() < 1e-5);
        // A second run changes nothing, and a note says so.
        let done = session.document().clone();
        let said = does(&mut session, work);
        assert!(*session.document() == done && said.contains("nothing was changed"), "{said}");
    }
    // An edit that would reopen the loop is refused.
    let mut session = Session::open_bytes(&bytes).unwrap();
    let why =
        refused(&mut session, json!({"do": "clip.close_loop", "clip": "Loop", "how": "drop"}));
    assert!(why.contains("open the loop"), "{why}");
}

/// Generates a channel of any kind.
fn any_channel(node: usize) -> impl Strategy<Value = Channel> {
    let kinds = prop_oneof![Just("STEP"), Just("LINEAR"), Just("CUBICSPLINE")];
    (
        kinds,
        any::<bool>(),
        prop::collection::vec((0.02f32..0.5, prop::array::uniform9(-1.0f32..1.0)), 2..9),
    )
        .prop_map(move |(kind, turns, keys)| {
            let mut time = 0.0;
            let (mut times, mut values) = (Vec::new(), Vec::new());
            for (gap, n) in keys {
                time += gap;
                times.push(time);
                let value = |from: usize| {
                    let v = glam::Vec3::from_slice(&n[from..from + 3]);
                    if turns {
                        Quat::from_scaled_axis(v).to_array().to_vec()
                    } else {
                        v.to_array().to_vec()
                    }
                };
                let slope = |from: usize| {
                    let mut v: Vec<f32> = n[from..from + 3].iter().map(|v| v * 0.3).collect();
                    v.resize(if turns { 4 } else { 3 }, 0.0);
                    v
                };
                if kind == "CUBICSPLINE" {
                    values.extend([slope(3), value(0), slope(6)].concat());
                } else {
                    values.extend(value(0));
                }
            }
            (node, if turns { "rotation" } else { "translation" }, kind, times, values)
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_clip_keeps_its_length_and_its_motion(a in any_channel(0), b in any_channel(1),
        hold in 0.5f32..6.0) {
        let last = a.3.iter().chain(&b.3).copied().fold(0.0, f32::max) + hold;
        let still = (2, "scale", "LINEAR", vec![last - 0.25, last], vec![1.5; 6]);
        let clips = [("Own", vec![a.clone(), b.clone(), still]), ("Other", vec![b])];
        let bytes = file(&["A", "B", "C"], &clips);
        // The error is 1 mm on a body of 1.8 m, for a point 9 cm from the joint along an axis. As
        // an angle, this is 0.0136 plus rounding.
        for (work, most) in [
            (json!({"do": "clip.reduce", "clip": "Own", "millimetres": 1}), 1.6e-2),
            (json!({"do": "clip.make_editable", "clip": "Own", "millimetres": 1}), 1.6e-2),
            (json!({"do": "key.clean", "clip": "Own"}), 2e-3),
            (json!({"do": "clip.resample", "clip": "Own", "rate": 240}), 0.4),
            (json!({"do": "clip.close_loop", "clip": "Own", "how": "match"}), f32::INFINITY),
            (json!({"do": "layer.split", "clip": "Own", "degrees": 20}), f32::INFINITY),
            (json!({"do": "clip.reverse", "clip": "Own"}), f32::INFINITY),
            (json!({"do": "key.offset", "clip": "Own", "by": 0.3}), f32::INFINITY),
        ] {
            let mut session = Session::open_bytes(&bytes).unwrap();
            let before = clip(&session, "Own").clone();
            let other = clip(&session, "Other").clone();
            let first = before.tracks.values().map(|t| t.times[0]).fold(f32::INFINITY, f32::min);
            if session.run_line(&line(work.clone())).is_err() {
                continue;
            }
            let now = clip(&session, "Own").clone();
            prop_assert!((now.length() - last).abs() < 1e-5, "{}: {} of {}", work, now.length(),
                last);
            prop_assert!(Shared::ptr_eq(&other, clip(&session, "Other")), "{}", work);
            for (id, old) in &before.tracks {
                let Some(new) = now.tracks.get(id).filter(|_| most < 1.0) else { continue };
                // The motion of a baked clip between its frames is unknown.
                let at_keys = work["do"] == "clip.make_editable";
                let grid = (0..=400)
                    .map(|k| f64::from(first) + f64::from(last - first) * f64::from(k) / 400.0);
                let keys = old.times.iter().map(|t| f64::from(*t));
                for time in grid.filter(|_| !at_keys).chain(keys) {
                    let near = old.times.iter().any(|t| (f64::from(*t) - time).abs() < 5e-3);
                    if old.interpolation == Interpolation::Step && near {
                        continue;
                    }
                    prop_assert!(apart(old, new, time) <= most, "{} {:?} at {}: {}", work, id, time,
                        apart(old, new, time));
                }
            }
            session.undo();
            prop_assert!(!session.is_unsaved());
        }
    }
}
