//! Commands that shape curves: eases, sliders, filters, and keys moved in time. Undo is exact, and
//! only the selected channels change in the file.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::f64::consts::{PI, TAU};

use glam::{DQuat, DVec3, Quat};
use serde_json::{Value, json};
use ulna_edit::{CommandLine, command::read_mix};
use ulna_formats::gltf::Progress;
use ulna_model::{
    Clip, ClipId, Document, Interpolation, KeyKind, Property, Shared, TangentMode, Track, TrackId,
    transform::angle_between,
};
use ulna_motion::{
    clip_edit::skin_gap,
    curves::{Ease, EaseShape, EaseWay, Filter, FilterOptions, filtered, leg_contacts},
    foot_slides, sample_into,
};
use ulna_session::Session;

use crate::common::{named, run, sample, shared};

fn line(text: Value) -> CommandLine {
    CommandLine::parse(&text.to_string()).unwrap()
}

fn does(session: &mut Session, text: Value) -> Vec<String> {
    run(session, line(text))
}

fn refused(session: &mut Session, text: Value) -> String {
    session.run_line(&line(text)).unwrap_err().to_string()
}

fn clip(session: &Session) -> &Clip {
    let document = session.document();
    document.clips.values().find(|c| c.name.as_deref() == Some("Walk")).unwrap()
}

fn track<'a>(session: &'a Session, node: &str, property: Property) -> &'a Track {
    let node = named(session.document(), node);
    clip(session).track(node, property).unwrap().1
}

fn value(track: &Track, time: f64) -> Vec<f32> {
    let mut out = vec![0.0; track.width];
    sample_into(track, time, &mut out);
    out
}

/// Returns the tracks of the saved file, with the names of their nodes.
fn saved(session: &Session) -> Vec<(String, Property, Track)> {
    let again = Session::open_bytes(&session.pack("model").unwrap().bytes).unwrap();
    let document = again.document();
    let clip = document.clips.values().find(|c| c.name.as_deref() == Some("Walk")).unwrap();
    let name = |t: &Track| document.node(t.target).label(t.target);
    let mut all: Vec<_> =
        clip.tracks.values().map(|t| (name(t), t.property, (**t).clone())).collect();
    all.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    all
}

/// Runs a line and returns its notes. Asserts that channels of other nodes stay the same in the
/// saved file, and that undo restores the document.
fn only(session: &mut Session, nodes: &[&str], text: Value) -> Vec<String> {
    let (before, file) = (session.document().clone(), saved(session));
    let said = does(session, text.clone());
    let after = saved(session);
    let mut changed = 0;
    for (was, now) in file.iter().zip(&after) {
        assert_eq!((&was.0, was.1), (&now.0, now.1));
        if was.2.same_keys(&now.2) {
            continue;
        }
        assert!(nodes.contains(&&*now.0), "{text}: {} changed", now.0);
        changed += 1;
    }
    assert!(changed > 0 || nodes.is_empty(), "{text} changed nothing: {said:?}");
    session.undo();
    assert!(session.document().clips == before.clips, "{text}: undo is not exact");
    session.redo();
    said
}

#[test]
fn eases_report_the_number_of_added_keys() {
    for (shape, way, added) in
        [("back", "out", 0), ("quad", "in", 0), ("bounce", "out", 3), ("sine", "in and out", 1)]
    {
        let mut session = sample();
        let times = track(&session, "Hips", Property::Translation).times.to_vec();
        let (a, b) = (times[1], times[2]);
        let before = track(&session, "Hips", Property::Translation).clone();
        let said = only(
            &mut session,
            &["Hips"],
            json!({"do": "key.ease", "clip": "Walk", "shape": shape, "way": way,
                "keys": {"Hips": {"translation": [a, b]}}}),
        );
        let now = track(&session, "Hips", Property::Translation);
        assert_eq!(now.times.len(), times.len() + added, "{shape}");
        let first = said.first().map_or("", |s| s.as_str());
        assert_eq!(first.contains("added"), added > 0, "{said:?}");
        assert!(added == 0 || first.starts_with(&format!("{added} key")), "{said:?}");
        assert_eq!(now.interpolation, Interpolation::CubicSpline);
        let marked = now.times.iter().filter(|t| now.kinds.of(**t) == Some(KeyKind::InBetween));
        assert_eq!(marked.count(), added);
        assert_eq!(now.modes.of(a).unwrap().leave, TangentMode::Free);
        // Between the two keys, the motion follows the ease's formula. At other times, it is
        // unchanged.
        let ease = Ease {
            shape: match shape {
                "back" => EaseShape::Back,
                "quad" => EaseShape::Quad,
                "bounce" => EaseShape::Bounce,
                _ => EaseShape::Sine,
            },
            way: match way {
                "in" => EaseWay::In,
                "out" => EaseWay::Out,
                _ => EaseWay::InOut,
            },
            amount: 1.0,
        };
        let [from, to] = [before.value(1), before.value(2)];
        let size = from.iter().zip(to).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        for k in 0..=100 {
            let s = f64::from(k) / 100.0;
            let seen = value(now, f64::from(a) + f64::from(b - a) * s);
            for c in 0..3 {
                let wanted = from[c] + (to[c] - from[c]) * ease.at(s) as f32;
                assert!((seen[c] - wanted).abs() <= size * 0.01 + 1e-5, "{shape} {s}");
            }
        }
        for k in 0..=50 {
            let time = f64::from(times[2]) + f64::from(k) * 0.01;
            let (was, is) = (value(&before, time), value(now, time));
            assert!(was.iter().zip(&is).all(|(a, b)| (a - b).abs() < 1e-4), "{shape} {time}");
        }
        // After changing the segment back to linear, no trace of the ease remains.
        let said = does(
            &mut session,
            json!({"do": "key.ease", "clip": "Walk", "shape": "linear",
                "keys": {"Hips": {"translation": [a, b]}}}),
        );
        assert_eq!(track(&session, "Hips", Property::Translation).times.to_vec(), times);
        assert_eq!(said.iter().any(|s| s.contains("earlier ease")), added > 0, "{said:?}");
    }
}

#[test]
fn impossible_eases_are_refused_with_the_reason() {
    let mut session = sample();
    let times = track(&session, "Hips", Property::Translation).times.to_vec();
    for (more, why) in [
        (json!({"shape": "custom"}), "x1, y1, x2, y2"),
        (json!({"shape": "custom", "curve": [2, 0, 0.5, 1]}), "0 to 1"),
        (json!({"shape": "quad", "amount": 3}), "“amount” is 3"),
        (json!({"shape": "quad", "keys": {"Hips": {"translation": [times[1]]}}}), "both ends"),
        (
            json!({"shape": "quad", "keys": {"Hips": {"translation": [times[0], times[2]]}}}),
            "both ends",
        ),
        (json!({"shape": "quart in"}), "quart"),
    ] {
        let mut text = json!({"do": "key.ease", "clip": "Walk"});
        text.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let said = refused(&mut session, text);
        assert!(said.contains(why), "{said}");
    }
    let keys = json!({"Hips": {"translation": [times[0], times[1]]}});
    does(
        &mut session,
        json!({"do": "key.ease", "clip": "Walk", "shape": "custom", "curve": [0.2, 0, 0.1, 1.2],
            "way": "in", "keys": keys}),
    );
}

#[test]
fn sliders_change_only_the_given_keys_of_a_file() {
    let mut session = sample();
    let times = track(&session, "Hips", Property::Rotation).times.to_vec();
    let keys = json!({"Hips": {"rotation": [times[1], times[2]]}});
    for how in [
        "blend to neighbor",
        "ease",
        "scale_from_left",
        "scale from right",
        "scale from average",
        "shear",
        "push and pull",
        "match slope",
        "time offset",
    ] {
        only(
            &mut session,
            &["Hips"],
            json!({"do": "key.slide", "clip": "Walk", "how": how, "amount": 0.5, "keys": keys}),
        );
        session.undo();
    }
    let near = |how: &str, by: Value| {
        json!({"do": "key.proportional", "clip": "Walk", "how": how, "by": by, "radius": 0.3,
            "falloff": "sphere", "keys": {"Hips": {"rotation": [times[2]]}}})
    };
    let before = track(&session, "Hips", Property::Rotation).clone();
    only(&mut session, &["Hips"], near("add", json!([10])));
    let now = track(&session, "Hips", Property::Rotation);
    let turned = |k: usize| {
        let [a, b] = [&before, now].map(|t| Quat::from_slice(t.value(k)));
        angle_between(a, b).to_degrees()
    };
    assert!((turned(2) - 10.0).abs() < 0.01 && turned(1) < 10.0);
    session.undo();
    let gap = times[2] - times[1];
    only(&mut session, &["Hips"], near("move", json!([gap * 0.1])));
    let now = track(&session, "Hips", Property::Rotation);
    assert!((now.times[2] - times[2] - gap * 0.1).abs() < 1e-6);
    session.undo();
    // Moves the keys of a chain of joints, with a delay that grows toward its end.
    let said = only(
        &mut session,
        &["LeftUpperArm", "LeftLowerArm", "LeftHand"],
        json!({"do": "key.overlap", "clip": "Walk", "by": 0.1, "falloff": "linear",
            "node": ["LeftUpperArm", "LeftLowerArm", "LeftHand"]}),
    );
    assert!(said[0].contains("by up to 0.1 s"), "{said:?}");
    session.undo();
    only(
        &mut session,
        &["Hips"],
        json!({"do": "key.retime", "clip": "Walk", "node": "Hips",
            "from": [times[0], times[1], times[2]],
                "to": [times[0], times[1] + gap * 0.3, times[2]]}),
    );
    let now = track(&session, "Hips", Property::Rotation);
    assert_eq!((now.times[0], now.times[2]), (times[0], times[2]));
    assert!((now.times[1] - times[1] - gap * 0.3).abs() < 1e-5);
    let wrong = json!({"do": "key.retime", "clip": "Walk", "from": [0, 1], "to": [1, 0.5]});
    assert!(refused(&mut session, wrong).contains("same number of times"));
}

#[test]
fn curve_tools_work_on_layer_keys_as_on_clip_keys() {
    let mut session = sample();
    does(&mut session, json!({"do": "layer.new", "clip": "Walk", "name": "Nod"}));
    for (time, degrees) in [(0.0, 0.0), (0.5, 20.0), (1.0, 0.0)] {
        does(
            &mut session,
            json!({"do": "key.set", "clip": "Walk", "layer": "Nod", "time": time, "node": "Head",
                "degrees": [degrees, 0, 0]}),
        );
    }
    let before = session.document().clone();
    let said = does(
        &mut session,
        json!({"do": "key.ease", "clip": "Walk", "layer": "Nod", "shape": "bounce", "way": "out",
            "keys": {"Head": {"rotation": [0, 0.5]}}}),
    );
    assert!(said[0].starts_with("3 keys added"), "{said:?}");
    assert!(session.document().clips == before.clips);
    session.undo();
    assert!(session.document().aids == before.aids);
}

/// Returns pseudorandom numbers in `0..1`. The same seed gives the same sequence.
fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as f64 / (1u64 << 31) as f64
}

fn turn(track: &Track, key: usize) -> DQuat {
    let v = track.value(key);
    DQuat::from_xyzw(v[0].into(), v[1].into(), v[2].into(), v[3].into()).normalize()
}

/// Returns the rotation vector from one rotation to another.
fn way(from: DQuat, to: DQuat) -> DVec3 {
    let q = from.inverse() * to;
    (if q.w < 0.0 { -q } else { q }).to_scaled_axis()
}

/// Adds noise of 0.5° (root mean square) from 15 to 30 Hz to a track.
fn noisy(track: &Track, seed: &mut u64) -> Track {
    const WAVES: usize = 12;
    let waves: Vec<[(f64, f64); WAVES]> = (0..3)
        .map(|_| std::array::from_fn(|_| (15.0 + 15.0 * random(seed), TAU * random(seed))))
        .collect();
    let size = 0.5f64.to_radians() / 3.0f64.sqrt() * (2.0 / WAVES as f64).sqrt();
    let values = (0..track.times.len()).flat_map(|k| {
        let time = f64::from(track.times[k]);
        let sum =
            |c: usize| waves[c].iter().map(|(hz, at)| (TAU * hz * time + at).sin()).sum::<f64>();
        let by = DVec3::new(sum(0), sum(1), sum(2)) * size;
        (turn(track, k) * DQuat::from_scaled_axis(by)).to_array().map(|v| v as f32)
    });
    Track { values: values.collect(), ..track.clone() }
}

/// Returns the energy of the rows below a frequency, without their mean.
fn below(rows: &[Vec<f64>; 3], rate: f64, hz: f64) -> f64 {
    let count = rows[0].len();
    let most = (hz * count as f64 / rate).floor() as usize;
    let mut energy = 0.0;
    for row in rows {
        for k in 1..=most {
            let (mut re, mut im) = (0.0, 0.0);
            for (n, v) in row.iter().enumerate() {
                let (sin, cos) = (2.0 * PI * k as f64 * n as f64 / count as f64).sin_cos();
                re += v * cos;
                im -= v * sin;
            }
            energy += re * re + im * im;
        }
    }
    energy
}

fn with_tracks(document: &Document, id: ClipId, tracks: &[(TrackId, Track)]) -> Document {
    let mut made = document.clone();
    let mut clip = (*document.clips[id]).clone();
    for (track, to) in tracks {
        clip.tracks.insert(*track, Shared::new(to.clone()));
    }
    *made.file.clips.get_mut(id).unwrap() = Shared::new(clip);
    made
}

#[test]
fn a_low_pass_removes_capture_noise_and_keeps_the_walk() {
    let Some(shared) = shared() else { return };
    let path = shared.join("situations/walk-120hz.bvh");
    if !path.is_file() {
        crate::common::skipped(&format!("{} is missing", path.display()));
        return;
    }
    let session = Session::open(&path, &Progress::default()).unwrap();
    let document = session.document();
    let id = document.clips.ids().next().unwrap();
    let clip = &document.clips[id];
    let options = FilterOptions::new(Filter::LowPass { cutoff_hz: 6.0, order: 4 });
    let (mut seed, mut noise, mut left, mut motion, mut lost) = (52, 0.0, 0.0, 0.0, 0.0);
    let (mut rough, mut smooth) = (Vec::new(), Vec::new());
    let mut protected = Vec::new();
    let contacts = leg_contacts(document, clip);
    assert!(contacts.len() >= 6, "legs: {}", contacts.len());
    for (track, clean) in clip.tracks.iter().filter(|(_, t)| t.property == Property::Rotation) {
        let clean: &Track = clean;
        let with = noisy(clean, &mut seed);
        let span = (clean.times[0], clean.times[clean.times.len() - 1]);
        let made = filtered(&with, span, &options, None).track;
        assert_eq!(made.times, clean.times);
        let alone = filtered(clean, span, &options, None).track;
        let rate = (clean.times.len() - 1) as f64 / f64::from(span.1 - span.0);
        let from = turn(clean, clean.times.len() / 2);
        let row = |of: &dyn Fn(usize) -> DVec3| -> [Vec<f64>; 3] {
            let all: Vec<DVec3> = (0..clean.times.len()).map(of).collect();
            std::array::from_fn(|c| all.iter().map(|v| v[c]).collect())
        };
        for k in 0..clean.times.len() {
            noise += way(turn(clean, k), turn(&with, k)).length_squared();
            left += way(turn(&alone, k), turn(&made, k)).length_squared();
        }
        motion += below(&row(&|k| way(from, turn(clean, k))), rate, 4.0);
        lost += below(&row(&|k| way(from, turn(clean, k)) - way(from, turn(&made, k))), rate, 4.0);
        rough.push((*track, with.clone()));
        let protect = contacts.get(&clean.target).cloned().unwrap_or_default();
        if !protect.is_empty() {
            let options = FilterOptions { protect: protect.clone(), ..options.clone() };
            let kept = filtered(&with, span, &options, None).track;
            for (k, time) in kept.times.iter().enumerate() {
                if protect.iter().any(|(a, b)| (*a..=*b).contains(time)) {
                    assert_eq!(kept.value(k), with.value(k));
                }
            }
            protected.push((*track, kept));
        } else {
            protected.push((*track, made.clone()));
        }
        smooth.push((*track, made));
    }
    println!(
        "{:.2} % of the noise left, {:.3} % of the motion below 4 Hz lost",
        left / noise * 100.0,
        lost / motion * 100.0
    );
    assert!(left < noise * 0.1, "{left} of {noise}");
    assert!(lost < motion * 0.02, "{lost} of {motion}");
    // The feet must slide no more than with the noise.
    let slides = |tracks: &[(TrackId, Track)]| -> f32 {
        let made = with_tracks(document, id, tracks);
        let name = clip.name.as_deref().unwrap();
        let spec = json!({"lanes": [{"bars": [{"plays": {"clip": name}, "length": 4}]}]});
        let mix = Shared::new(read_mix(&made, &spec).unwrap());
        let found = foot_slides(&made, &mix, (0.0, 3.9));
        assert_eq!(found.len(), 2);
        found.iter().map(|f| f.1).sum::<f32>() / 2.0
    };
    let [clean, with, now, kept] = [&[][..], &rough, &smooth, &protected].map(slides);
    println!("feet slide {clean} m/s, with noise {with}, filtered {now}, contacts kept {kept}");
    assert!(now <= with, "{now} {with}");
    let skin = |tracks: &[(TrackId, Track)]| {
        skin_gap(document, clip, &with_tracks(document, id, tracks).clips[id]).0
    };
    assert!(skin(&smooth) < skin(&rough));
}

#[test]
fn filter_commands_report_the_largest_change() {
    let mut session = sample();
    let said = only(
        &mut session,
        &["Hips"],
        json!({"do": "track.filter", "clip": "Walk", "filter": "noise", "noise": 2, "seed": 7,
            "hz": 3, "node": "Hips", "parts": ["rotation"]}),
    );
    assert!(said[0].contains("° at ") && said[0].contains("mm on the skin"), "{said:?}");
    for filter in ["smooth", "gaussian", "peaks", "low_pass"] {
        let text = json!({"do": "track.filter", "clip": "Walk", "filter": filter, "cutoff": 2,
            "node": "Hips", "parts": ["rotation"], "contacts": true, "strength": 0.5});
        does(&mut session, text);
    }
    let keys = clip(&session).key_count();
    let said = only(
        &mut session,
        &["Hips", "Spine", "Chest", "Head"],
        json!({"do": "track.filter", "clip": "Walk", "filter": "simplify", "millimetres": 20,
            "node": ["Hips", "Spine", "Chest", "Head"]}),
    );
    assert!(said[0].contains("removed; max error"), "{said:?}");
    assert!(clip(&session).key_count() < keys);
    for (more, why) in [
        (json!({"strength": 2}), "“strength” is 2"),
        (json!({"cutoff": 0}), "“cutoff” is 0"),
        (json!({"protect": [1, 0]}), "“protect”"),
    ] {
        let mut text = json!({"do": "track.filter", "clip": "Walk", "filter": "low-pass"});
        text.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let said = refused(&mut session, text);
        assert!(said.contains(why), "{said}");
    }
}
