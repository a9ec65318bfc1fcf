//! Unusual curves. After any command, the document is valid, all numbers are finite, the saved file
//! matches the display, and undo is exact.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_model::{Document, Interpolation, Property, Track};
use ulna_motion::curves::{CurveSpace, EulerOrder, TrackCurves};
use ulna_session::Session;

use super::curves_drawn::file;
use crate::common::{floats, glb, split};

fn line(text: &Value) -> CommandLine {
    CommandLine::parse(&text.to_string()).unwrap()
}

/// Returns commands on curves that apply to all keys of the clip.
fn commands(document: &Document) -> Vec<Value> {
    let clip = document.clips.values().next().unwrap();
    let track = clip.tracks.values().next().unwrap();
    let (first, last) = (track.times[0], track.times[track.times.len() - 1]);
    let middle = f64::from(first) + f64::from(last - first) * 0.41;
    let mut all = vec![
        json!({"do": "key.insert", "time": middle}),
        json!({"do": "key.insert", "time": middle, "exact": true}),
        json!({"do": "key.insert", "time": middle, "tangents": "auto"}),
        json!({"do": "key.value", "how": "add", "by": [3]}),
        json!({"do": "key.value", "how": "scale", "by": [-2], "order": "ZYX"}),
        json!({"do": "key.slope", "slope": 1e6, "from": 0, "to": 1e4}),
        json!({"do": "key.slope", "slope": 0, "from": 0, "to": 1e4, "side": "out"}),
        json!({"do": "key.slide", "how": "scale from average", "amount": -0.5, "from": 0,
            "to": 1e4}),
        json!({"do": "key.slide", "how": "time offset", "amount": 0.5, "from": 0, "to": 1e4}),
        json!({"do": "key.proportional", "how": "add", "by": [5], "radius": 0.5, "from": 0,
            "to": 0.6}),
        json!({"do": "key.ease", "shape": "elastic"}),
        json!({"do": "key.match_seam"}),
        json!({"do": "key.scale", "factor": 0.5, "about": 0}),
        json!({"do": "track.euler_filter"}),
        json!({"do": "clip.reverse"}),
        json!({"do": "key.clean"}),
    ];
    for filter in ["smooth", "low-pass", "gaussian", "peaks", "noise"] {
        all.push(json!({"do": "track.filter", "filter": filter}));
    }
    for tangents in ["auto", "smooth", "flat", "linear", "broken", "sharp"] {
        all.push(json!({"do": "key.tangents", "tangents": tangents}));
    }
    for interpolation in ["linear", "hold", "smooth"] {
        for more in [json!({}), json!({"keep_motion": true})] {
            let mut text = more;
            text["do"] = json!("track.interpolation");
            text["interpolation"] = json!(interpolation);
            all.push(text);
        }
        all.push(json!({"do": "track.interpolation", "interpolation": interpolation,
            "spans": true, "from": first, "to": middle}));
    }
    for text in &mut all {
        text["clip"] = json!("#0");
    }
    all
}

/// Asserts that the curves of a track have finite values everywhere.
fn finite(track: &Track) {
    assert!(track.values.iter().all(|v| v.is_finite()), "{:?}", track.property);
    let spaces = [CurveSpace::Stored, CurveSpace::Euler(EulerOrder::best_first(track)[0].0)];
    for space in spaces {
        let curves = TrackCurves::new(track, space);
        let (first, last) = (track.times[0], track.times[track.times.len() - 1]);
        for component in 0..curves.components() {
            for k in 0..=64 {
                let time = f64::from(first) + f64::from(last - first) * f64::from(k) / 64.0;
                assert!(curves.value(component, time).is_finite(), "{component} at {time}");
            }
            let mut points = Vec::new();
            let keys = track.times.len().min(200);
            (0..keys).for_each(|k| curves.sample_segment(k, component, &mut points, (1e-4, 1e-3)));
            assert!(points.iter().all(|p| p.0.is_finite() && p.1.is_finite()));
        }
    }
}

/// Runs all commands on a file, each from the opened state. Returns the number of commands that
/// changed the file, and the codes of the refusals.
fn all_commands(bytes: &[u8]) -> (usize, Vec<&'static str>) {
    let mut session = Session::open_bytes(bytes).unwrap();
    let opened = session.document().clone();
    opened.clips.values().flat_map(|c| c.tracks.values()).for_each(|t| finite(t));
    let (mut done, mut refused) = (0, Vec::new());
    for text in commands(&opened) {
        match session.run_line(&line(&text)) {
            Ok(true) => done += 1,
            Ok(false) => {
                assert!(*session.document() == opened, "{text}");
                assert!(session.take_sentence().is_some() || text["do"] != "key.insert", "{text}");
                continue;
            }
            Err(error) => {
                assert!(*session.document() == opened, "{text}");
                refused.push(error.code());
                continue;
            }
        }
        session.document().check().unwrap_or_else(|e| panic!("{text}: {e}"));
        let clip = session.document().clips.values().next().unwrap();
        clip.tracks.values().for_each(|t| finite(t));
        let saved = session.pack("model").unwrap_or_else(|e| panic!("{text}: {e}")).bytes;
        let again = Session::open_bytes(&saved).unwrap();
        let now = again.document().clips.values().next().unwrap();
        for (id, track) in &clip.tracks {
            assert!(now.tracks[id].same_keys(track), "{text}: saved otherwise");
        }
        assert!(session.undo().is_some());
        assert!(*session.document() == opened, "{text}: undo is not exact");
    }
    refused.sort_unstable();
    refused.dedup();
    (done, refused)
}

fn turn(degrees: f32, length: f32) -> [f32; 4] {
    let half = degrees.to_radians() * 0.5;
    [0.6 * half.sin(), 0.0, 0.8 * half.sin(), half.cos()].map(|v| v * length)
}

/// Returns CUBICSPLINE outputs for these values, all with the same slope.
fn spline<const N: usize>(values: &[[f32; N]], slope: f32) -> Vec<u8> {
    floats(&values.iter().flat_map(|v| [[slope; N], *v, [-slope; N]].concat()).collect::<Vec<_>>())
}

const TIMES: [f32; 4] = [0.0, 0.5, 1.0, 1.75];
const PLACES: [[f32; 3]; 4] =
    [[0.0, 1e6, 1e-3], [1.0, -1e6, 2e-3], [2.0, 3e5, -1e-3], [0.0, 1e6, 1e-3]];

#[test]
fn zero_and_enormous_tangents_can_be_edited() {
    let turns = [turn(0.0, 1.0), turn(80.0, 1.0), turn(-40.0, 1.0), turn(0.0, 1.0)];
    for slope in [0.0, 1e5, 1e12] {
        let (done, refused) = all_commands(&file(
            &TIMES,
            &[
                ("rotation", "CUBICSPLINE", 5126, 12, spline(&turns, slope)),
                ("translation", "CUBICSPLINE", 5126, 12, spline(&PLACES, slope)),
            ],
        ));
        assert!(done > 25 && refused.is_empty(), "{slope}: {done} {refused:?}");
    }
}

#[test]
fn tracks_with_integer_accessors_store_the_values_that_were_set() {
    let turns = [turn(0.0, 1.0), turn(80.0, 1.0), turn(-40.0, 1.0), turn(0.0, 1.0)];
    let numbers: Vec<f32> =
        turns.iter().flat_map(|q| [[0.25; 4], *q, [-0.25; 4]].concat()).collect();
    let short: Vec<u8> =
        numbers.iter().flat_map(|v| ((v * 32767.0).round() as i16).to_le_bytes()).collect();
    let byte: Vec<u8> = numbers.iter().map(|v| (v * 127.0).round() as i8 as u8).collect();
    for (component, output) in [(5122, short), (5120, byte)] {
        let bytes = file(&TIMES, &[("rotation", "CUBICSPLINE", component, 12, output)]);
        let (done, refused) = all_commands(&bytes);
        assert!(done > 25 && refused.is_empty(), "{component}: {done} {refused:?}");
        // Normalized integers cannot store tangents above 1 per second.
        let mut session = Session::open_bytes(&bytes).unwrap();
        let text = json!({"do": "key.slope", "clip": "#0", "slope": 900, "order": "YXZ",
            "keys": {"A": {"rotation.y": [0.5]}}});
        session.run_line(&line(&text)).unwrap();
        let again = Session::open_bytes(&session.pack("model").unwrap().bytes).unwrap();
        let track = again.document().clips.values().next().unwrap().tracks.values().next().unwrap();
        let curves = TrackCurves::new(track, CurveSpace::Euler(EulerOrder::Yxz));
        let (arrive, leave) = curves.key_slopes(1, 1).unwrap();
        assert!((leave - 900.0).abs() < 0.1 && (arrive - 900.0).abs() < 0.1, "{arrive} {leave}");
    }
}

#[test]
fn a_single_key_has_no_curve_to_shape() {
    for kind in ["LINEAR", "STEP"] {
        let bytes = file(
            &[0.5],
            &[
                ("rotation", kind, 5126, 1, floats(&turn(30.0, 1.0))),
                ("translation", kind, 5126, 1, floats(&[1.0, 2.0, 3.0])),
            ],
        );
        let (_, refused) = all_commands(&bytes);
        let wanted = ["no_span_between_keys", "seam_does_not_meet", "single_key"];
        assert_eq!(refused, wanted, "{kind}");
        let mut session = Session::open_bytes(&bytes).unwrap();
        let text = json!({"do": "key.insert", "clip": "#0", "time": 1.5,
            "interpolation": "smooth"});
        session.run_line(&line(&text)).unwrap();
        for track in session.document().clips.values().next().unwrap().tracks.values() {
            assert_eq!((&*track.times, track.value(0)), (&[0.5, 1.5][..], track.value(1)));
            assert_eq!(track.interpolation, Interpolation::CubicSpline);
        }
    }
}

#[test]
fn keys_a_microsecond_apart_can_be_edited() {
    let times = [0.25, 0.5, 0.500_001, 1.75];
    let turns = [turn(0.0, 1.0), turn(120.0, 1.0), turn(-40.0, 1.0), turn(0.0, 1.0)];
    for (kind, slope) in [("CUBICSPLINE", 3.0), ("LINEAR", 0.0), ("STEP", 0.0)] {
        let of = |cubic: Vec<u8>, plain: Vec<u8>| match kind {
            "CUBICSPLINE" => (12, cubic),
            _ => (4, plain),
        };
        let (count, turning) = of(spline(&turns, slope), floats(&turns.concat()));
        let (_, moving) = of(spline(&PLACES, slope), floats(&PLACES.concat()));
        let (done, refused) = all_commands(&file(
            &times,
            &[("rotation", kind, 5126, count, turning), ("translation", kind, 5126, count, moving)],
        ));
        let allowed = ["keys_too_close", "track_is_stepped"];
        assert!(refused.iter().all(|c| allowed.contains(c)), "{kind}: {refused:?}");
        assert!(done > 18, "{kind}: {done}");
    }
}

#[test]
fn quaternions_of_any_length_and_sign_can_be_edited() {
    let turns = [turn(0.0, 0.3), turn(80.0, -2.5), turn(-40.0, 1.0), turn(100.0, -1.0)];
    for (kind, count, output) in [
        ("CUBICSPLINE", 12, spline(&turns, 0.5)),
        ("LINEAR", 4, floats(&turns.concat())),
        ("STEP", 4, floats(&turns.concat())),
    ] {
        let bytes = file(&TIMES, &[("rotation", kind, 5126, count, output)]);
        let (done, refused) = all_commands(&bytes);
        let allowed = ["seam_does_not_meet", "track_is_stepped"];
        assert!(refused.iter().all(|c| allowed.contains(c)), "{kind}: {refused:?}");
        assert!(done > 18, "{kind}: {done}");
        let mut session = Session::open_bytes(&bytes).unwrap();
        assert!(
            session.run_line(&line(&json!({"do": "track.euler_filter", "clip": "#0"}))).unwrap()
        );
    }
}

#[test]
fn scales_through_zero_can_be_edited() {
    let scales = [[1.0, 1.0, 1.0], [-1.0, 0.0, 1.0], [0.0, -2.0, 1.0], [1.0, 1.0, 1.0]];
    let bytes = file(&TIMES, &[("scale", "CUBICSPLINE", 5126, 12, spline(&scales, 1.0))]);
    let (done, refused) = all_commands(&bytes);
    assert!(done > 25 && refused.is_empty(), "{done} {refused:?}");
    // Values are scaled about 1. A scale of 1 therefore stays, and a scale of 0 changes.
    let mut session = Session::open_bytes(&bytes).unwrap();
    let text = json!({"do": "key.value", "clip": "#0", "how": "scale", "by": [2],
        "keys": {"A": {"scale.y": TIMES}}});
    session.run_line(&line(&text)).unwrap();
    let track = session.document().clips.values().next().unwrap().tracks.values().next().unwrap();
    let y: Vec<f32> = (0..4).map(|k| track.value(k)[1]).collect();
    assert_eq!(y, [1.0, -1.0, -5.0, 1.0]);
    assert_eq!(track.value(1)[0], -1.0);
}

#[test]
fn values_of_a_million_and_a_thousandth_keep_their_precision() {
    let bytes = file(&TIMES, &[("translation", "CUBICSPLINE", 5126, 12, spline(&PLACES, 0.0))]);
    let mut session = Session::open_bytes(&bytes).unwrap();
    let track = |session: &Session| {
        (**session.document().clips.values().next().unwrap().tracks.values().next().unwrap())
            .clone()
    };
    let before = track(&session);
    for text in [
        json!({"do": "key.value", "how": "add", "by": [0.5]}),
        json!({"do": "key.slide", "how": "push and pull", "amount": 0.5}),
        json!({"do": "key.ease", "shape": "cubic"}),
        json!({"do": "key.slope", "slope": 7}),
    ] {
        let mut text = text;
        text["clip"] = json!("#0");
        text["keys"] = json!({"A": {"translation.z": TIMES}});
        session.run_line(&line(&text)).unwrap();
    }
    let after = track(&session);
    let (was, now) = (
        TrackCurves::new(&before, CurveSpace::Stored),
        TrackCurves::new(&after, CurveSpace::Stored),
    );
    // Only the last component changed, and the component with a value of a million is exact.
    for k in 0..=200 {
        let time = f64::from(k) * 0.01;
        assert!((was.value(0, time) - now.value(0, time)).abs() < 1e-5);
        assert!((was.value(1, time) - now.value(1, time)).abs() < 0.5);
    }
    assert!((now.key_value(0, 2) - 0.501).abs() < 1e-6, "{}", now.key_value(0, 2));
}

#[test]
fn twenty_thousand_keys_can_be_edited() {
    const COUNT: usize = 20_000;
    let times: Vec<f32> = (0..COUNT).map(|k| k as f32 / 120.0).collect();
    let turns: Vec<[f32; 4]> =
        times.iter().map(|t| turn(60.0 * (t * 3.0).sin() + (t * 70.0).sin(), 1.0)).collect();
    let bytes = file(&times, &[("rotation", "LINEAR", 5126, COUNT, floats(&turns.concat()))]);
    let opened = Session::open_bytes(&bytes).unwrap();
    for (text, more) in [
        (json!({"do": "track.filter", "filter": "low-pass", "axes": "XYZ"}), "rotation.x"),
        (json!({"do": "key.slide", "how": "scale from average", "amount": 0.3}), "rotation.y"),
        (json!({"do": "key.value", "how": "add", "by": [4]}), "rotation.z"),
        (
            json!({"do": "track.interpolation", "interpolation": "smooth", "keep_motion": true}),
            "rotation",
        ),
        (json!({"do": "key.tangents", "tangents": "smooth"}), "rotation"),
        (json!({"do": "track.euler_filter"}), "rotation"),
    ] {
        let mut session = Session::open_bytes(&bytes).unwrap();
        let mut text = text;
        text["clip"] = json!("#0");
        text["keys"] = json!({"A": {more: {"from": 0, "to": 1e4}}});
        let done = session.run_line(&line(&text)).unwrap();
        assert_eq!(done, text["do"] != "track.euler_filter", "{text}");
        session.document().check().unwrap();
        if done {
            session.undo();
        }
        assert!(session.document() == opened.document(), "{text}");
    }
}

#[test]
fn editing_a_track_shared_by_clips_changes_only_one_clip() {
    let turns = [turn(0.0, 1.0), turn(80.0, 1.0), turn(-40.0, 1.0), turn(0.0, 1.0)];
    let bytes = file(&TIMES, &[("rotation", "LINEAR", 5126, 4, floats(&turns.concat()))]);
    let (mut json, bin) = split(&bytes);
    let mut second = json["animations"][0].clone();
    second["name"] = json!("Second");
    json["animations"].as_array_mut().unwrap().push(second);
    let bytes = glb(json, &bin);
    let (done, refused) = all_commands(&bytes);
    assert!(done > 25 && refused.is_empty(), "{done} {refused:?}");
    let mut session = Session::open_bytes(&bytes).unwrap();
    let own = |session: &Session, clip: usize| {
        let clip = session.document().clips.values().nth(clip).unwrap().clone();
        (**clip.tracks.values().find(|t| t.property == Property::Rotation).unwrap()).clone()
    };
    let before = own(&session, 1);
    let text = json!({"do": "key.value", "clip": "#0", "how": "add", "by": [20], "order": "XYZ",
        "keys": {"A": {"rotation.y": [0.5]}}});
    session.run_line(&line(&text)).unwrap();
    let again = Session::open_bytes(&session.pack("model").unwrap().bytes).unwrap();
    assert!(own(&again, 1).same_keys(&before));
    assert!(own(&again, 0).same_keys(&own(&session, 0)));
    assert!(!own(&again, 0).same_keys(&before));
}

#[test]
fn easing_too_many_keys_is_refused_and_a_part_is_accepted() {
    const KEYS: usize = 6000;
    let times: Vec<f32> = (0..KEYS).map(|k| k as f32 * 0.01).collect();
    let values: Vec<f32> = (0..KEYS).flat_map(|k| [(k % 7) as f32, 0.0, 0.0]).collect();
    let bin = [floats(&times), floats(&values)].concat();
    let (a, b) = (KEYS * 4, KEYS * 12);
    let bytes = glb(
        json!({"nodes": [{"name": "a"}], "scenes": [{"nodes": [0]}],
            "bufferViews": [{"buffer": 0, "byteLength": a},
                {"buffer": 0, "byteOffset": a, "byteLength": b}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": KEYS, "type": "SCALAR",
                "min": [0.0], "max": [times[KEYS - 1]]},
                {"bufferView": 1, "componentType": 5126, "count": KEYS, "type": "VEC3"}],
            "animations": [{"samplers": [{"input": 0, "output": 1}],
                "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]}]}),
        &bin,
    );
    let mut session = Session::open_bytes(&bytes).expect("a small file");
    let all = json!({"do": "key.ease", "clip": "#0", "shape": "cubic"});
    let error = session.run_line(&line(&all)).expect_err("too many");
    assert_eq!(error.code(), "too_many_to_ease", "{error}");
    let some = json!({"do": "key.ease", "clip": "#0", "shape": "cubic",
        "keys": {"a": {"translation": [times[10], times[11]]}}});
    assert!(session.run_line(&line(&some)).expect("two keys"));
}
