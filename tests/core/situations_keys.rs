//! Keys one float step apart, rotations of several turns, and channels of different time ranges in
//! one clip. Each clip command must keep the motion. Results are compared with an independent
//! reader, and with the original tracks at many times.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use glam::{DVec3, DVec4};
use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_formats::gltf::Progress;
use ulna_model::{Clip, Interpolation, Property, Shared, Track};
use ulna_motion::{Pose, Stack, sample_into};
use ulna_session::Session;

use crate::common::{judges, named, run};

pub fn situation(name: &str) -> Option<Session> {
    let path = crate::common::shared()?.join("situations").join(name).join("in.glb");
    Some(Session::open(&path, &Progress::default()).unwrap())
}

pub fn does(session: &mut Session, value: Value) -> String {
    run(session, CommandLine::parse(&value.to_string()).unwrap()).join("; ")
}

pub fn clip<'a>(session: &'a Session, name: &str) -> &'a Shared<Clip> {
    session.document().clips.values().find(|c| c.name.as_deref() == Some(name)).unwrap()
}

fn reopened(session: &Session) -> Session {
    Session::open_bytes(&session.pack("a").unwrap().bytes).unwrap()
}

fn at(track: &Track, time: f64) -> Vec<f64> {
    let mut out = vec![0.0; track.width];
    sample_into(track, time, &mut out);
    out.into_iter().map(f64::from).collect()
}

/// Returns the difference between two tracks, each at its own time. For rotations, it is an angle
/// in radians, computed without the noise of an arc cosine.
fn apart((a, when): (&Track, f64), (b, time): (&Track, f64)) -> f64 {
    let (x, y) = (at(a, when), at(b, time));
    if a.property != Property::Rotation {
        return x.iter().zip(&y).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    }
    let (x, y) = (DVec4::from_slice(&x).normalize(), DVec4::from_slice(&y).normalize());
    2.0 * (x - y).length().min((x + y).length())
}

/// Maximum difference of a rotation spline that is divided in two: 0.01°, in radians.
const TURNED: f64 = 1.75e-4;

/// Returns times over the whole range, including both ends, and a little before and after it.
fn all_over(from: f64, to: f64) -> Vec<f64> {
    (-20..=1020).map(|k| from + (to - from) * f64::from(k) / 1000.0).collect()
}

/// Whether a time is close to a jump of a track. Rounding can move such a time to either side of
/// the jump.
fn at_a_jump(track: &Track, time: f64) -> bool {
    let near = |t: f32| (f64::from(t) - time).abs() < 1e-5;
    let close = track.times.windows(2).any(|w| w[1] - w[0] < 1e-5 && (near(w[0]) || near(w[1])));
    close || (track.interpolation == Interpolation::Step && track.times.iter().any(|t| near(*t)))
}

/// Compares the node matrices and vertices of a file with the reference evaluator, at these times
/// of its first clip.
fn shown_as_the_reader_has_it(name: &str, times: &[f64]) {
    let Some(session) = situation(name) else { return };
    let path = crate::common::shared().unwrap().join("situations").join(name).join("in.glb");
    let document = session.document();
    for time in times {
        let Some(wanted) = judges::posed(&path, Some(0), *time) else { return };
        let pose = Pose::evaluate(document, &Stack::of(document.clips.values().next(), *time));
        let nodes = wanted["nodes"].as_array().unwrap();
        assert_eq!(nodes.len(), document.nodes.len());
        for (k, node) in nodes.iter().enumerate() {
            let world = pose.world[k].to_cols_array_2d();
            for (r, row) in node["world_rows"].as_array().unwrap().iter().enumerate() {
                for (c, value) in row.as_array().unwrap().iter().enumerate() {
                    let off = (f64::from(world[c][r]) - value.as_f64().unwrap()).abs();
                    assert!(off < 1e-5, "{name} at {time}: node {k}, {r} {c}: {off}");
                }
            }
        }
    }
}

#[test]
fn keys_one_float_step_apart_play_as_in_an_independent_reader() {
    let step = f64::from(0.5f32.next_up());
    shown_as_the_reader_has_it(
        "near-zero-segments",
        &[-1.0, 0.0, 0.25, 0.4999, 0.5, (0.5 + step) / 2.0, step, 0.5001, 0.75, 1.0, 3.0],
    );
    shown_as_the_reader_has_it("turns-past-180", &[0.05, 0.3, 0.77, 1.25, 1.9]);
    shown_as_the_reader_has_it(
        "channels-of-different-lengths",
        &[0.0, 0.45, 0.65, 0.95, 1.3, 1.9, 2.2, 9.0],
    );
}

/// Asserts that each track of a clip has the same values as before an operation. `was` maps a time
/// to the time before the operation; times with `None` are skipped.
fn is_the_motion(
    before: &Clip,
    now: &Clip,
    span: (f64, f64),
    most: f64,
    was: &dyn Fn(f64) -> Option<f64>,
    of: &str,
) {
    assert_eq!(before.tracks.len(), now.tracks.len(), "{of}");
    let (mut compared, mut worst) = (0, 0.0f64);
    for (id, old) in &before.tracks {
        let new = now.track(old.target, old.property).unwrap().1;
        for time in all_over(span.0, span.1) {
            let Some(when) = was(time) else { continue };
            if at_a_jump(old, when) || at_a_jump(new, time) {
                continue;
            }
            let off = apart((old, when), (new, time));
            worst = worst.max(off);
            assert!(
                off <= most,
                "{of}: {id:?} at {time} (was {when}): {off}, {:?} {:?}",
                at(old, when),
                at(new, time)
            );
            compared += 1;
        }
    }
    println!("{of}: {worst:e} over {compared}");
    assert!(compared > 500 * before.tracks.len(), "{of}: {compared}");
}

#[test]
fn clip_operations_keep_keys_one_float_step_apart() {
    let Some(mut session) = situation("near-zero-segments") else { return };
    let before = clip(&session, "cut").clone();
    let step = |at: f32| at.next_up() - at;
    // Reversing: times and values are exact, and tangents are reversed. Reversing twice restores
    // the file.
    does(&mut session, json!({"do": "clip.reverse", "clip": "cut"}));
    for (id, track) in &before.tracks {
        let now = &clip(&session, "cut").tracks[id];
        let wanted: Vec<f32> =
            track.times.iter().rev().map(|t| (1.0 - f64::from(*t)) as f32).collect();
        assert_eq!(now.times[..], wanted[..], "{id:?}");
        for k in 0..track.times.len() {
            assert_eq!(now.value(k), track.value(track.times.len() - 1 - k), "{id:?}");
        }
        assert!(now.times.windows(2).all(|w| w[0] < w[1]));
    }
    is_the_motion(
        &before,
        clip(&reopened(&session), "cut"),
        (0.0, 1.0),
        1e-6,
        &|t| Some(1.0 - t),
        "reverse",
    );
    does(&mut session, json!({"do": "clip.reverse", "clip": "cut"}));
    assert_eq!(clip(&session, "cut"), &before);
    // Retiming: exact at times that single precision can express. Both sides of the cut always
    // remain.
    for factor in [2.0, 0.5, 1.5, 0.3, 7.7, 100.0, 0.01] {
        while session.undo().is_some() {}
        does(&mut session, json!({"do": "clip.retime", "clip": "cut", "factor": factor}));
        let now = clip(&session, "cut").clone();
        is_the_motion(
            &before,
            &now,
            (0.0, factor),
            2e-6,
            &|t| Some(t / factor),
            &format!("retime {factor}"),
        );
        for track in now.tracks.values().filter(|t| t.times.len() == 4) {
            let gap = track.times[2] - track.times[1];
            assert!(gap > 0.0 && gap <= 2.0 * step(track.times[1]), "{factor}: {gap}");
        }
        if factor == 2.0 || factor == 0.5 {
            does(&mut session, json!({"do": "clip.retime", "clip": "cut", "factor": 1.0 / factor}));
            assert_eq!(clip(&session, "cut"), &before, "{factor}");
        }
    }
    // Trimming at different times: on the cut itself, and one float step beside it.
    for (from, to) in [
        (0.25, 0.75),
        (0.25, 0.5),
        (0.5, 1.0),
        (0.0, 0.50005),
        (0.49995, 0.9),
        (0.50005, 1.0),
        (0.1, 0.4),
    ] {
        while session.undo().is_some() {}
        does(
            &mut session,
            json!({"do": "clip.trim", "clip": "cut", "from": from, "to": to, "exact": true}),
        );
        let now = clip(&session, "cut").clone();
        // Keys less than a tenth of a millisecond from an end are moved to the end.
        let inside = |t: f64| ((2e-4..to - from - 2e-4).contains(&t)).then_some(from + t);
        // A shift of half that time at up to 4 m/s is at most 0.2 mm.
        let beside = [from, to].iter().any(|t| ((t - 0.5).abs() - 5e-5).abs() < 1e-9);
        let most = if beside { TURNED + 2e-4 } else { TURNED };
        is_the_motion(
            &before,
            &now,
            (0.0, to - from),
            most,
            &inside,
            &format!("trim {from} to {to}"),
        );
        assert!((f64::from(now.length()) - (to - from)).abs() < 1.1e-4, "{}", now.length());
        reopened(&session);
    }
    while session.undo().is_some() {}
    for time in [0.5, 0.25] {
        does(
            &mut session,
            json!({"do": "clip.split", "clip": "cut", "time": time, "name": "rest"}),
        );
        let inside = |t: f64| ((2e-4..time - 2e-4).contains(&t)).then_some(t);
        is_the_motion(
            &before,
            clip(&session, "cut"),
            (0.0, time),
            TURNED,
            &inside,
            "split, the first part",
        );
        let inside = |t: f64| ((2e-4..1.0 - time - 2e-4).contains(&t)).then_some(t + time);
        is_the_motion(
            &before,
            clip(&session, "rest"),
            (0.0, 1.0 - time),
            TURNED,
            &inside,
            "split, the second part",
        );
        session.undo();
    }
}

#[test]
fn a_key_can_be_set_beside_keys_one_float_step_apart() {
    let Some(mut session) = situation("near-zero-segments") else { return };
    let before = clip(&session, "cut").clone();
    // Without a value, a new key changes nothing by more than 0.01°, the limit for a divided
    // rotation spline. If the time has a key already, that key is used.
    for time in [0.25, 0.7, 0.5, f64::from(0.5f32.next_up()), 0.4, 0.0, 1.0] {
        for node in ["N0", "N1", "N2", "N3"] {
            let parts = if node == "N2" { "rotation" } else { "translation" };
            does(
                &mut session,
                json!({"do": "key.set", "clip": "cut", "node": node, "time": time, "parts": [parts],
                    "exact": true}),
            );
        }
        let now = clip(&session, "cut").clone();
        is_the_motion(&before, &now, (0.0, 1.0), TURNED, &Some, &format!("key.set at {time}"));
        for (id, track) in &before.tracks {
            let here = track.times.iter().any(|t| (f64::from(*t) - time).abs() < 1e-6);
            if here {
                assert_eq!(now.tracks[id].times, track.times, "{time}");
            }
        }
        while session.undo().is_some() {}
    }
    // With a value, the key at that time has the value. The other side of the cut and everything
    // else stay.
    let n0 = named(session.document(), "N0");
    for (k, time) in [(1, 0.5f32), (2, 0.5f32.next_up())] {
        does(
            &mut session,
            json!({"do": "key.set", "clip": "cut", "node": "N0", "time": f64::from(time),
                "translation": [0, 7, 0]}),
        );
        let old = before.track(n0, Property::Translation).unwrap().1;
        let now = clip(&session, "cut").track(n0, Property::Translation).unwrap().1;
        assert_eq!(now.times, old.times);
        for other in 0..4 {
            let wanted = if other == k { &[0.0, 7.0, 0.0][..] } else { old.value(other) };
            assert_eq!(now.value(other), wanted, "{time}: key {other}");
        }
        session.undo();
    }
}

/// Rotations of several turns must be kept within 1e-4 (radians for rotations). No two neighboring
/// LINEAR keys may be half a turn apart.
#[test]
fn operations_keep_rotations_of_several_turns() {
    let Some(mut session) = situation("turns-past-180") else { return };
    let before = clip(&session, "spin").clone();
    for work in [
        json!({"do": "clip.reduce", "clip": "spin"}),
        json!({"do": "clip.reduce", "clip": "spin", "millimetres": 0.05}),
        json!({"do": "key.clean", "clip": "spin"}),
        json!({"do": "clip.resample", "clip": "spin", "rate": 30}),
        json!({"do": "clip.reverse", "clip": "spin"}),
        json!({"do": "layer.split", "clip": "spin"}),
        json!({"do": "layer.split", "clip": "spin", "degrees": 20}),
    ] {
        let said = does(&mut session, work.clone());
        let back = work["do"] == "clip.reverse";
        let was = |t: f64| Some(if back { 2.0 - t } else { t });
        let saved = reopened(&session);
        let now = clip(&saved, "spin").clone();
        println!("{work}: {said}");
        is_the_motion(&before, &now, (0.0, 2.0), 1e-4, &was, &work.to_string());
        for (id, track) in
            now.tracks.iter().filter(|(_, t)| t.interpolation == Interpolation::Linear)
        {
            for k in 1..track.times.len() {
                let value = |k: usize| DVec4::from_slice(&at(track, f64::from(track.times[k])));
                assert!(
                    value(k).dot(value(k - 1)).abs() > 0.02,
                    "{work} {id:?}: half a turn at {}",
                    track.times[k]
                );
            }
        }
        // The displayed pose with its layers, before saving.
        let document = session.document();
        let id = document.clips.ids().next().unwrap();
        for time in all_over(0.0, 2.0) {
            let wanted = Pose::evaluate(document, &Stack::of(Some(&before), was(time).unwrap()));
            let seen = Pose::evaluate(document, &Stack::shown(document, Some(id), time));
            for node in document.node_ids() {
                let gap = |axis: usize| {
                    let of = |p: &Pose| p.world[node.index()].col(axis).truncate().as_dvec3();
                    DVec3::distance(of(&wanted), of(&seen))
                };
                let off = (0..4).map(gap).fold(0.0, f64::max);
                assert!(off < 1e-4, "{work} at {time}: node {} by {off}", node.0);
            }
        }
        while session.undo().is_some() {}
    }
}

/// A channel holds its first value before its first key, and its last value after its last key.
/// Every operation on the clip must preserve this.
#[test]
fn channels_of_different_lengths_hold_their_end_values() {
    let Some(mut session) = situation("channels-of-different-lengths") else { return };
    let before = clip(&session, "late").clone();
    let length = f64::from(before.length());
    let start = f64::from(0.4f32);

    does(&mut session, json!({"do": "clip.start_at_zero", "clip": "late"}));
    is_the_motion(
        &before,
        clip(&reopened(&session), "late"),
        (0.0, 2.0),
        1e-6,
        &|t| Some(t + start),
        "start at zero",
    );
    assert!(clip(&session, "late").tracks.values().any(|t| t.times[0] == 0.0));
    start_again(&mut session);

    for factor in [0.5, 3.0] {
        does(&mut session, json!({"do": "clip.retime", "clip": "late", "factor": factor}));
        let now = clip(&reopened(&session), "late").clone();
        is_the_motion(&before, &now, (0.0, length * factor), 2e-6, &|t| Some(t / factor), "retime");
        start_again(&mut session);
    }

    // Inserts time: the value is held at the inserted time, and later keys move.
    for time in [0.2, 0.55, 0.8, 1.3, 1.7] {
        does(&mut session, json!({"do": "key.ripple", "clip": "late", "time": time, "by": 0.5}));
        let now = clip(&reopened(&session), "late").clone();
        let was = |t: f64| match t {
            t if t >= time + 0.5 => Some(t - 0.5),
            t if t <= time => Some(t),
            _ => None,
        };
        // Between the two keys around the inserted time, the motion is slower. Outside these keys,
        // and before the first key, it is unchanged.
        for (id, old) in &before.tracks {
            let new = &now.tracks[id];
            let after = old.times.iter().map(|t| f64::from(*t)).find(|t| *t >= time);
            let earlier = old.times.iter().rev().map(|t| f64::from(*t)).find(|t| *t < time);
            for t in all_over(0.0, length + 0.5) {
                let Some(when) = was(t) else { continue };
                let between = earlier.is_some_and(|e| when > e) && after.is_some_and(|a| when < a);
                if between || at_a_jump(old, when) {
                    continue;
                }
                let off = apart((old, when), (new, t));
                assert!(off < 2e-6, "ripple at {time}: {id:?} at {t}: {off}");
            }
        }
        start_again(&mut session);
    }
}

fn start_again(session: &mut Session) {
    while session.undo().is_some() {}
}

/// Trimmed parts of the clip must hold the first and last values of each channel, too.
#[test]
fn trimmed_channels_of_different_lengths_hold_their_end_values() {
    let Some(mut session) = situation("channels-of-different-lengths") else { return };
    let before = clip(&session, "late").clone();
    for (from, to) in [(0.0, 2.4), (0.2, 0.5), (0.55, 1.3), (0.8, 2.0), (1.6, 2.3), (2.05, 2.4)] {
        does(
            &mut session,
            json!({"do": "clip.trim", "clip": "late", "from": from, "to": to, "exact": true}),
        );
        let now = clip(&reopened(&session), "late").clone();
        let inside = |t: f64| ((2e-4..to - from - 2e-4).contains(&t)).then_some(from + t);
        is_the_motion(
            &before,
            &now,
            (0.0, to - from),
            TURNED,
            &inside,
            &format!("trim {from} to {to}"),
        );
        start_again(&mut session);
    }
}

/// Both halves of a split clip must hold the first and last values of each channel, too.
#[test]
fn split_channels_of_different_lengths_hold_their_end_values() {
    let Some(mut session) = situation("channels-of-different-lengths") else { return };
    let before = clip(&session, "late").clone();
    let length = f64::from(before.length());
    for time in [0.2, 0.65, 1.25, 2.1] {
        does(
            &mut session,
            json!({"do": "clip.split", "clip": "late", "time": time, "name": "rest"}),
        );
        let saved = reopened(&session);
        let inside = |t: f64| ((0.0..time - 2e-4).contains(&t)).then_some(t);
        is_the_motion(
            &before,
            clip(&saved, "late"),
            (0.0, time),
            1e-4,
            &inside,
            &format!("split at {time}, before"),
        );
        let inside = |t: f64| ((2e-4..length - time).contains(&t)).then_some(t + time);
        is_the_motion(
            &before,
            clip(&saved, "rest"),
            (0.0, length - time),
            1e-4,
            &inside,
            &format!("split at {time}"),
        );
        start_again(&mut session);
    }
}

/// A clip joined before or after another one must hold the first and last values of each channel,
/// too.
#[test]
fn joined_channels_of_different_lengths_hold_their_end_values() {
    let Some(mut session) = situation("channels-of-different-lengths") else { return };
    let before = clip(&session, "late").clone();
    let other = clip(&session, "other").clone();
    let document = session.document().clone();
    for (first, second) in [("late", "other"), ("other", "late")] {
        does(&mut session, json!({"do": "clip.join", "clip": first, "with": second, "gap": 0.25}));
        let saved = reopened(&session);
        let (now, a, b) = (
            clip(&saved, first),
            if first == "late" { &before } else { &other },
            if first == "late" { &other } else { &before },
        );
        let (end, begin) = (f64::from(a.length()), f64::from(a.length()) + 0.25);
        for (times, of, shift) in
            [((0.0, end), a, 0.0), ((begin, begin + f64::from(b.length())), b, begin)]
        {
            for time in all_over(times.0, times.1)
                .into_iter()
                .filter(|t| (times.0 + 2e-3..times.1 - 2e-3).contains(t))
            {
                if of.tracks.values().any(|t| at_a_jump(t, time - shift)) {
                    continue;
                }
                // Channels missing in one of the clips have the value of the pose.
                let wanted = Pose::evaluate(&document, &Stack::of(Some(of), time - shift));
                let found = Pose::evaluate(saved.document(), &Stack::of(Some(now), time));
                for node in document.node_ids() {
                    let off =
                        (wanted.world[node.index()] - found.world[node.index()]).to_cols_array();
                    assert!(
                        off.iter().all(|v| v.abs() < 1e-4),
                        "{first} and {second} at {time}: node {}: {off:?}",
                        node.0
                    );
                }
            }
        }
        start_again(&mut session);
    }
}

/// A resampled clip must hold the first and last values of each channel, too.
#[test]
fn resampled_channels_of_different_lengths_hold_their_end_values() {
    let Some(mut session) = situation("channels-of-different-lengths") else { return };
    let before = clip(&session, "late").clone();
    let length = f64::from(before.length());
    does(&mut session, json!({"do": "clip.resample", "clip": "late", "rate": 120}));
    let now = clip(&reopened(&session), "late").clone();
    let steps: Vec<f64> = before
        .tracks
        .values()
        .filter(|t| t.interpolation == Interpolation::Step)
        .flat_map(|t| t.times.iter().map(|t| f64::from(*t)))
        .collect();
    let near_a_step = |t: f64| steps.iter().any(|s| (t - s).abs() < 1.0 / 119.0);
    is_the_motion(
        &before,
        &now,
        (0.0, length),
        3e-3,
        &|t| (!near_a_step(t)).then_some(t),
        "resample",
    );
    for (id, old) in &before.tracks {
        for t in [-1.0, 0.0, 0.2, f64::from(old.times[0]) - 0.01, length, 9.0] {
            assert!(apart((old, t), (&now.tracks[id], t)) < 1e-6, "resample: {id:?} at {t}");
        }
    }
}
