//! Drawn curves must match their files: every CUBICSPLINE file of the corpus, unusual files, and
//! edited and saved files. Each drawn curve is compared with an independent reader that has its own
//! formulas.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use serde_json::{Value, json};
use std::fs;

use ulna_edit::{CommandLine, Edit};
use ulna_formats::gltf::Progress;
use ulna_model::{Clip, Document, Interpolation, KeySide, Shared, Track};
use ulna_motion::curves::{
    CurveSpace, EulerOrder, TrackCurves, converted, with_component, with_slope,
};
use ulna_session::Session;

use super::file_motion::{Motion, Raw, composed, degrees_between};
use crate::common;

/// Number of compared points per curve.
const POINTS: usize = 1000;

/// Number of comparisons, and the largest errors found.
#[derive(Debug, Default)]
struct Compared {
    files: usize,
    curves: usize,
    rotations: usize,
    points: usize,
    /// Largest error of numbers, relative to the precision of the stored numbers.
    numbers: f64,
    /// Largest error of rotations, in degrees.
    degrees: f64,
}

/// Returns the times to compare: from before the first key to after the last, and all key times.
fn times(motion: &Motion) -> Vec<f64> {
    let (first, last) = (motion.times[0], motion.times[motion.times.len() - 1]);
    let reach = (last - first).max(0.1);
    let all = (0..POINTS).map(|k| first - 0.05 * reach + 1.1 * reach * k as f64 / 999.0);
    all.chain(motion.times.iter().copied()).collect()
}

impl Compared {
    /// Compares all curves of a track with the data of the file.
    fn track(&mut self, track: &Track, motion: &Motion, label: &str) {
        assert_eq!(track.times.len(), motion.times.len(), "{label}");
        let stored = TrackCurves::new(track, CurveSpace::Stored);
        assert_eq!(stored.components(), motion.width, "{label}");
        let orders = EulerOrder::ALL
            .map(|order| (order.label(), TrackCurves::new(track, CurveSpace::Euler(order))));
        let most = motion.exactness * motion.size();
        for time in times(motion) {
            let (wanted, length) = motion.at(time);
            let mut seen: Vec<f64> = (0..motion.width).map(|i| stored.value(i, time)).collect();
            if motion.turns {
                // A quaternion and its negative are the same rotation.
                let same: f64 = seen.iter().zip(&wanted).map(|(a, b)| a * b).sum();
                seen.iter_mut().for_each(|v| *v *= same.signum());
            }
            for (seen, wanted) in seen.iter().zip(&wanted) {
                let off = (seen - wanted).abs() * length.min(1.0) / most;
                self.numbers = self.numbers.max(off);
                assert!(off < 1.0, "{label} at {time}: {seen}, not {wanted}");
            }
            self.points += motion.width;
            for (order, curves) in orders.iter().filter(|_| motion.turns) {
                let angles = [0, 1, 2].map(|axis| curves.value(axis, time));
                let off = degrees_between(&composed(order, angles), &wanted);
                self.degrees = self.degrees.max(off);
                assert!(off < 0.01, "{label} at {time}: {off}° by {order} {angles:?}");
                self.points += 3;
            }
        }
        for component in 0..motion.width {
            drawn(&stored, motion, component, label);
        }
        self.curves += motion.width + if motion.turns { 18 } else { 0 };
        self.rotations += usize::from(motion.turns);
    }

    /// Compares the tracks of a clip with an animation of the file. Returns the number of
    /// CUBICSPLINE tracks.
    fn clip(&mut self, clip: &Clip, raw: &Raw, animation: usize, label: &str) -> usize {
        let mut splines = 0;
        for (node, property, motion) in raw.motions(animation) {
            let label = format!("{label}, animation {animation}, {node:?} {property:?}");
            let Some((_, track)) = clip.track(node, property) else { panic!("{label}: no track") };
            self.track(track, &motion, &label);
            splines += usize::from(motion.kind == "CUBICSPLINE");
        }
        assert!(clip.tracks.len() <= raw.motions(animation).len(), "{label}");
        splines
    }

    fn document(&mut self, document: &Document, raw: &Raw, label: &str) -> usize {
        let count = raw.json["animations"].as_array().map_or(0, Vec::len);
        assert_eq!(document.clips.values().count(), count, "{label}");
        self.files += 1;
        let clips = document.clips.values().enumerate();
        clips.map(|(k, clip)| self.clip(clip, raw, k, label)).sum()
    }
}

/// Asserts that the points of drawn lines are on the curve, and that the lines between them stay
/// close to it.
fn drawn(curves: &TrackCurves, motion: &Motion, component: usize, label: &str) {
    let last = motion.times.len() - 1;
    let most = motion.exactness * motion.size();
    let values = (0..=last).map(|key| curves.key_value(key, component));
    let (low, high) = values.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
    let off = (high - low).max(0.01) * 1e-3;
    for key in 0..last {
        let mut line = Vec::new();
        curves.sample_segment(key, component, &mut line, (1e-9, off));
        let (start, end) = (motion.times[key], motion.times[key + 1]);
        assert_eq!((line[0].0, line[line.len() - 1].0), (start, end), "{label}");
        for pair in line.windows(2) {
            for part in [0.0, 0.25, 0.5, 0.75] {
                let time = pair[0].0 + (pair[1].0 - pair[0].0) * part;
                let at = pair[0].1 + (pair[1].1 - pair[0].1) * part;
                let seen = curves.value(component, time);
                // At a point of the line, only the rounding of its time is allowed for.
                let allowed = if part == 0.0 { off * 1e-3 } else { off * 1.5 } + most;
                assert!((at - seen).abs() <= allowed, "{label} at {time}: {at} drawn, {seen}");
            }
        }
    }
}

/// Finds the files of the corpus with CUBICSPLINE motion by reading their JSON.
pub fn spline_files() -> Option<Vec<std::path::PathBuf>> {
    let mut files = common::models(&common::shared()?.join("corpus"));
    files.retain(|path| {
        let bytes = fs::read(path).unwrap();
        bytes.windows(11).any(|w| w == b"CUBICSPLINE")
    });
    Some(files)
}

#[test]
fn drawn_curves_equal_the_data_of_files() {
    let Some(files) = spline_files() else { return };
    let (mut compared, mut splines) = (Compared::default(), 0);
    for path in files {
        let session = Session::open(&path, &Progress::default()).unwrap();
        let label = path.file_name().unwrap().to_string_lossy().into_owned();
        let found = compared.document(session.document(), &Raw::read(&path), &label);
        assert!(found > 0, "{label}");
        splines += found;
    }
    println!("{splines} splines of {compared:?}");
    assert_eq!((compared.files, splines), (13, 38));
    assert!(compared.points > 1000 * compared.curves, "{compared:?}");
}

/// Builds a file with one node and these channels: path, interpolation, component type, element
/// count and bytes.
pub fn file(times: &[f32], channels: &[(&str, &str, u32, usize, Vec<u8>)]) -> Vec<u8> {
    let mut bin = common::floats(times);
    let mut views = vec![json!({"buffer": 0, "byteLength": bin.len()})];
    let ends = json!({"min": [times[0]], "max": [times[times.len() - 1]]});
    let mut accessors = vec![json!({"bufferView": 0, "componentType": 5126, "type": "SCALAR",
        "count": times.len(), "min": ends["min"], "max": ends["max"]})];
    let (mut samplers, mut targets) = (Vec::new(), Vec::new());
    for (n, (path, kind, component, count, bytes)) in channels.iter().enumerate() {
        views.push(json!({"buffer": 0, "byteOffset": bin.len(), "byteLength": bytes.len()}));
        bin.extend(bytes);
        let wide = if *path == "rotation" { "VEC4" } else { "VEC3" };
        accessors.push(json!({"bufferView": n + 1, "componentType": component, "type": wide,
            "count": count, "normalized": *component != 5126}));
        samplers.push(json!({"input": 0, "output": n + 1, "interpolation": kind}));
        targets.push(json!({"sampler": n, "target": {"node": 0, "path": path}}));
    }
    let json = json!({"scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"name": "A"}],
        "bufferViews": views, "accessors": accessors,
        "animations": [{"name": "Odd", "samplers": samplers, "channels": targets}]});
    common::glb(json, &bin)
}

/// The files have keys a microsecond apart, tangents of a million, 16-bit and 8-bit numbers,
/// alternating signs, and rotations of nearly 180°.
#[test]
fn drawn_curves_equal_the_data_of_unusual_files() {
    let times = [0.25, 0.5, 0.500_001, 1.75];
    let turn = |degrees: f32, sign: f32| {
        let half = degrees.to_radians() * 0.5;
        [0.6 * half.sin(), 0.0, 0.8 * half.sin(), half.cos()].map(|v| v * sign)
    };
    let turns = [turn(0.0, 1.0), turn(179.0, -1.0), turn(90.0, 1.0), turn(-85.0, -1.0)];
    let keys = |slope: f32| -> Vec<f32> {
        turns
            .iter()
            .flat_map(|q| [q.map(|v| v * slope), *q, [slope, 0.1, 0.2, 0.3]].concat())
            .collect()
    };
    let wide: Vec<f32> = (0..36).map(|k| [1.0, 1e6, -1e6, 0.001, -3.0][k % 5]).collect();
    let short = |v: &f32| ((v * 32767.0).round() as i16).to_le_bytes();
    let byte = |v: &f32| (v * 127.0).round() as i8 as u8;
    let small = keys(0.5);
    let flat = turns.concat();
    let channels =
        |rotation| [rotation, ("translation", "CUBICSPLINE", 5126, 12, common::floats(&wide))];
    let kinds = [
        ("rotation", "CUBICSPLINE", 5126, 12, common::floats(&keys(-4.0))),
        ("rotation", "CUBICSPLINE", 5122, 12, small.iter().flat_map(short).collect()),
        ("rotation", "CUBICSPLINE", 5120, 12, small.iter().map(byte).collect()),
        ("rotation", "LINEAR", 5126, 4, common::floats(&flat)),
        ("rotation", "LINEAR", 5122, 4, flat.iter().flat_map(short).collect()),
        ("rotation", "STEP", 5120, 4, flat.iter().map(byte).collect()),
    ];
    let mut compared = Compared::default();
    for (n, kind) in kinds.into_iter().enumerate() {
        let bytes = file(&times, &channels(kind));
        let session = Session::open_bytes(&bytes).unwrap();
        let (json, bin) = common::split(&bytes);
        let raw = Raw { json, buffers: vec![bin] };
        compared.document(session.document(), &raw, &format!("odd file {n}"));
    }
    println!("{compared:?}");
    assert_eq!((compared.files, compared.rotations, compared.curves), (6, 6, 6 * (4 + 18 + 3)));
}

/// Returns edits of a clip to make before it is saved.
pub fn edits(clip: &str) -> Vec<Value> {
    vec![
        json!({"do": "key.value", "clip": clip, "how": "add", "by": [5]}),
        json!({"do": "key.tangents", "clip": clip, "tangents": "auto"}),
        json!({"do": "key.tangents", "clip": clip, "tangents": "flat"}),
        json!({"do": "key.hold_next", "clip": clip, "from": 0, "to": 1000}),
        json!({"do": "key.scale", "clip": clip, "factor": 1.75, "about": 0}),
        json!({"do": "track.interpolation", "clip": clip, "interpolation": "linear"}),
        json!({"do": "track.interpolation", "clip": clip, "interpolation": "hold"}),
    ]
}

#[test]
fn drawn_curves_equal_the_data_of_edited_and_saved_files() {
    let Some(files) = spline_files() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (mut compared, mut changed) = (Compared::default(), 0);
    for path in files {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        for edit in 0..edits("").len() {
            let mut session = Session::open(&path, &Progress::default()).unwrap();
            let clips: Vec<String> =
                session.document().clips.iter().map(|(id, _)| format!("#{}", id.0)).collect();
            for clip in clips {
                let line = CommandLine::parse(&edits(&clip)[edit].to_string()).unwrap();
                changed += usize::from(
                    session.run_line(&line).unwrap_or_else(|e| panic!("{name}: {line}: {e}")),
                );
            }
            let to = folder.path().join(format!("{name}-{edit}.glb"));
            session.write_to(&to).unwrap_or_else(|e| panic!("{name}: {e}"));
            let label = format!("{name} after edit {edit}");
            compared.document(session.document(), &Raw::read(&to), &label);
        }
    }
    println!("{changed} edits, {compared:?}");
    assert_eq!(compared.files, 91);
    assert!(changed >= 91 && compared.points > 1000 * compared.curves, "{changed}, {compared:?}");
}

/// Returns a track after a change of single keys, components or segments. `None` if the change is
/// impossible, or has no effect.
fn changed(track: &Track, way: usize, order: EulerOrder) -> Option<Track> {
    let (key, space) = (track.times.len() / 2, CurveSpace::Euler(order));
    let slope = |key, side| with_slope(track, key, side, space, 1 % track.width, 37.5).ok();
    let some = Some(&track.times[..key]);
    let made = match way {
        0 => with_component(track, key, space, 0, 0.375),
        1 => slope(key, KeySide::Leave)?,
        2 => slope(0, KeySide::Both)?,
        3 => converted(track, Interpolation::Linear, None).track,
        4 => converted(track, Interpolation::Step, None).track,
        5 => converted(track, Interpolation::CubicSpline, None).track,
        6 => converted(track, Interpolation::Linear, some).track,
        7 => converted(track, Interpolation::Step, some).track,
        _ => converted(track, Interpolation::CubicSpline, some).track,
    };
    // A change of tangent modes alone does not change the numbers in the file.
    let numbers = |t: &Track| (t.interpolation, t.times.clone(), t.values.clone());
    (numbers(&made) != numbers(track)).then_some(made)
}

/// Whether two channels have the same numbers, bit for bit.
fn alike(a: &Motion, b: &Motion) -> bool {
    let bits = |v: &[f64]| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    a.kind == b.kind && bits(&a.times) == bits(&b.times) && bits(&a.values) == bits(&b.values)
}

/// One track is changed at a time. Its curves must match the saved file, no other channel may
/// change, and undo must restore everything.
#[test]
fn one_changed_track_is_drawn_as_saved_and_no_other_changes() {
    let Some(files) = spline_files() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (mut compared, mut others, mut cases) = (Compared::default(), 0, [0; 9]);
    for (n, path) in files.iter().enumerate() {
        let mut session = Session::open(path, &Progress::default()).unwrap();
        let before = session.document().clone();
        let opened = Raw::read(path);
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        for (k, (clip, kept)) in before.clips.iter().enumerate() {
            for (id, track) in &kept.tracks {
                let (node, property) = (track.target, track.property);
                for (way, count) in cases.iter_mut().enumerate() {
                    let order = EulerOrder::ALL[(n + way) % 6];
                    let Some(to) = changed(track, way, order) else { continue };
                    let edit = Edit::SetTrack { clip, track: *id, to: Some(Shared::new(to)) };
                    session.preview("One track", vec![edit]).unwrap();
                    assert!(session.commit());
                    let to = folder.path().join(format!("{name}-{k}-{}-{way}.glb", id.0));
                    session.write_to(&to).unwrap_or_else(|e| panic!("{name}: {e}"));
                    let label = format!("{name}, {node:?} {property:?}, {order:?}, way {way}");
                    for (was, is) in opened.motions(k).iter().zip(&Raw::read(&to).motions(k)) {
                        let own = (is.0, is.1) == (node, property);
                        assert_ne!(own, alike(&was.2, &is.2), "{label}: {:?} {:?}", is.0, is.1);
                        if own {
                            let (_, now) =
                                session.document().clips[clip].track(node, property).unwrap();
                            compared.track(now, &is.2, &label);
                        }
                        others += usize::from(!own);
                    }
                    assert!(session.undo().is_some() && *session.document() == before, "{label}");
                    *count += 1;
                }
            }
        }
    }
    println!("{cases:?}, {others} other channels, {compared:?}");
    assert!(cases.iter().all(|n| *n >= 8), "{cases:?}");
    assert!(others >= 1000 && compared.points > 1000 * compared.curves, "{others} {compared:?}");
}
