//! What curves draw is what files say: each drawn curve of every CUBICSPLINE file of the corpus,
//! of odd files, and of files edited with commands and saved, against a reader and a formula of
//! this file's own, in 64 bits. The reader takes the keys from the JSON and the buffers; the formula
//! is Bézier's construction and the quaternion logarithm, where the program has Hermite's weights
//! and sines.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use serde_json::{Value, json};
use std::{fs, path::Path};

use ulna_edit::CommandLine;
use ulna_formats::gltf::Progress;
use ulna_model::{Clip, Document, NodeId, Property, Track};
use ulna_motion::curves::{CurveSpace, EulerOrder, TrackCurves};
use ulna_session::Session;

use crate::common;

/// Points of each drawn curve that are compared.
const POINTS: usize = 1000;

/// A file as its JSON and its buffers say it.
struct Raw {
    json: Value,
    buffers: Vec<Vec<u8>>,
}

impl Raw {
    fn read(path: &Path) -> Self {
        let bytes = fs::read(path).unwrap();
        if bytes.starts_with(b"glTF") {
            let (json, bin) = common::split(&bytes);
            return Self { json, buffers: vec![bin] };
        }
        let json: Value = serde_json::from_slice(&bytes).unwrap();
        let folder = path.parent().unwrap();
        let buffers = json["buffers"].as_array().into_iter().flatten().map(|buffer| {
            let name = buffer["uri"].as_str().unwrap();
            assert!(!name.contains(':') && !name.contains('%'), "{name}");
            fs::read(folder.join(name)).unwrap()
        });
        Self { buffers: buffers.collect(), json }
    }

    /// The numbers of an accessor, normalized integers as glTF 2.0, 3.6.2.2 has them.
    fn numbers(&self, accessor: &Value) -> Vec<f64> {
        let accessor = &self.json["accessors"][accessor.as_u64().unwrap() as usize];
        assert!(accessor["sparse"].is_null());
        let whole = |v: &Value| v.as_u64().unwrap_or(0) as usize;
        let wide = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            other => panic!("{other}"),
        };
        let kind = whole(&accessor["componentType"]);
        let size = [1, 1, 2, 2, 0, 4, 4][kind - 5120];
        let view = &self.json["bufferViews"][whole(&accessor["bufferView"])];
        let start = whole(&view["byteOffset"]) + whole(&accessor["byteOffset"]);
        let stride = view["byteStride"].as_u64().map_or(size * wide, |s| s as usize);
        let bytes = &self.buffers[whole(&view["buffer"])];
        let one = |at: usize| {
            let b = &bytes[at..at + size];
            let (number, most) = match kind {
                5120 => (f64::from(b[0] as i8), 127.0),
                5121 => (f64::from(b[0]), 255.0),
                5122 => (f64::from(i16::from_le_bytes([b[0], b[1]])), 32767.0),
                5123 => (f64::from(u16::from_le_bytes([b[0], b[1]])), 65535.0),
                _ => return f64::from(f32::from_le_bytes(b.try_into().unwrap())),
            };
            assert!(accessor["normalized"].as_bool().unwrap());
            (number / most).max(-1.0)
        };
        (0..whole(&accessor["count"]))
            .flat_map(|k| (0..wide).map(move |i| start + k * stride + i * size))
            .map(one)
            .collect()
    }

    /// How exactly an accessor's numbers are known in 32 bits: integers are divided.
    fn exactness(&self, accessor: &Value) -> f64 {
        let accessor = &self.json["accessors"][accessor.as_u64().unwrap() as usize];
        if accessor["componentType"] == 5126 { 1e-11 } else { 5e-7 }
    }

    /// The motions of an animation's channels that move something of a node.
    fn motions(&self, animation: usize) -> Vec<(NodeId, Property, Motion)> {
        let animation = &self.json["animations"][animation];
        let of = |channel: &Value| {
            let node = channel["target"]["node"].as_u64()?;
            let path = channel["target"]["path"].as_str()?;
            let property =
                [Property::Translation, Property::Rotation, Property::Scale, Property::Weights]
                    .into_iter()
                    .find(|p| p.path() == path)?;
            let sampler = &animation["samplers"][channel["sampler"].as_u64()? as usize];
            let times = self.numbers(&sampler["input"]);
            let values = self.numbers(&sampler["output"]);
            let kind = sampler["interpolation"].as_str().unwrap_or("LINEAR").to_owned();
            let parts = if kind == "CUBICSPLINE" { 3 } else { 1 };
            let width = values.len() / times.len() / parts;
            let turns = property == Property::Rotation;
            let exactness = self.exactness(&sampler["output"]);
            let motion = Motion { kind, times, values, width, turns, exactness };
            Some((NodeId::from(node as usize), property, motion))
        };
        animation["channels"].as_array().unwrap().iter().filter_map(of).collect()
    }
}

/// One channel of a file.
struct Motion {
    kind: String,
    times: Vec<f64>,
    values: Vec<f64>,
    width: usize,
    turns: bool,
    /// What is left to rounding, of a number of 1.
    exactness: f64,
}

impl Motion {
    fn part(&self, key: usize, part: usize) -> &[f64] {
        let parts = if self.kind == "CUBICSPLINE" { 3 } else { 1 };
        let start = (key * parts + if parts == 3 { part } else { 0 }) * self.width;
        &self.values[start..start + self.width]
    }

    /// What plays at a time, and the length of what rotations are made unit from.
    fn at(&self, time: f64) -> (Vec<f64>, f64) {
        let last = self.times.len() - 1;
        let key = self.times.iter().rposition(|t| *t <= time).unwrap_or(0);
        let part = if key == last || time < self.times[key] {
            0.0
        } else {
            (time - self.times[key]) / (self.times[key + 1] - self.times[key])
        };
        let from = self.part(key, 1);
        let found = match &*self.kind {
            _ if part == 0.0 => from.to_vec(),
            "STEP" => from.to_vec(),
            "LINEAR" if self.turns => slerped(from, self.part(key + 1, 1), part),
            "LINEAR" => mixed(from, self.part(key + 1, 1), part),
            _ => self.spline(key, part),
        };
        if !self.turns {
            return (found, 1.0);
        }
        let length = found.iter().map(|v| v * v).sum::<f64>().sqrt();
        (found.iter().map(|v| v / length).collect(), length)
    }

    /// De Casteljau's construction: the inner points are a third of the span along the tangents.
    fn spline(&self, key: usize, part: f64) -> Vec<f64> {
        let third = (self.times[key + 1] - self.times[key]) / 3.0;
        let along = |value: &[f64], slope: &[f64], by: f64| -> Vec<f64> {
            value.iter().zip(slope).map(|(v, s)| v + by * s).collect()
        };
        let mut points = vec![
            self.part(key, 1).to_vec(),
            along(self.part(key, 1), self.part(key, 2), third),
            along(self.part(key + 1, 1), self.part(key + 1, 0), -third),
            self.part(key + 1, 1).to_vec(),
        ];
        while points.len() > 1 {
            points = points.windows(2).map(|p| mixed(&p[0], &p[1], part)).collect();
        }
        points.swap_remove(0)
    }

    /// How large its numbers and the ways along its tangents are, as far as rounding goes.
    fn size(&self) -> f64 {
        let longest = self.times.windows(2).map(|t| t[1] - t[0]).fold(1.0, f64::max);
        self.values.iter().fold(1.0, |most, v| most.max(v.abs())) * longest
    }
}

fn mixed(a: &[f64], b: &[f64], part: f64) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a * (1.0 - part) + b * part).collect()
}

/// The product of two quaternions, x y z w.
fn product(a: &[f64], b: &[f64]) -> Vec<f64> {
    vec![
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2],
        a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    ]
}

/// The short way from one rotation to another: `a·(a⁻¹b)^part`, by the logarithm.
fn slerped(a: &[f64], b: &[f64], part: f64) -> Vec<f64> {
    let unit = |q: &[f64]| -> Vec<f64> {
        let length = q.iter().map(|v| v * v).sum::<f64>().sqrt();
        q.iter().map(|v| v / length).collect()
    };
    let (a, b) = (unit(a), unit(b));
    let mut way = product(&[-a[0], -a[1], -a[2], a[3]], &b);
    if way[3] < 0.0 {
        way.iter_mut().for_each(|v| *v = -*v);
    }
    let sine = way[..3].iter().map(|v| v * v).sum::<f64>().sqrt();
    let angle = sine.atan2(way[3]) * part;
    let scale = if sine < 1e-12 { part } else { angle.sin() / sine };
    product(&a, &[way[0] * scale, way[1] * scale, way[2] * scale, angle.cos()])
}

/// The angle between two rotations of length 1, degrees.
fn degrees_between(a: &[f64], b: &[f64]) -> f64 {
    let way = product(&[-a[0], -a[1], -a[2], a[3]], b);
    let sine = way[..3].iter().map(|v| v * v).sum::<f64>().sqrt();
    (2.0 * sine.atan2(way[3].abs())).to_degrees()
}

/// The rotation of angles about x, y and z in degrees, in an order such as “ZXY”.
fn composed(order: &str, angles: [f64; 3]) -> Vec<f64> {
    order.bytes().fold(vec![0.0, 0.0, 0.0, 1.0], |made, axis| {
        let axis = usize::from(axis - b'X');
        let half = angles[axis].to_radians() * 0.5;
        let mut turn = [0.0, 0.0, 0.0, half.cos()];
        turn[axis] = half.sin();
        product(&made, &turn)
    })
}

/// What was compared, and how far off the worst was.
#[derive(Debug, Default)]
struct Compared {
    files: usize,
    curves: usize,
    rotations: usize,
    points: usize,
    /// Of numbers, in units of the last bits that rounding leaves.
    numbers: f64,
    /// Of rotations, in degrees.
    degrees: f64,
}

/// Times all over a motion, from before its first key to after its last, and its keys.
fn times(motion: &Motion) -> Vec<f64> {
    let (first, last) = (motion.times[0], motion.times[motion.times.len() - 1]);
    let reach = (last - first).max(0.1);
    let all = (0..POINTS).map(|k| first - 0.05 * reach + 1.1 * reach * k as f64 / 999.0);
    all.chain(motion.times.iter().copied()).collect()
}

impl Compared {
    /// Compares all curves of a track with what the file says of it.
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
                // A quaternion and its opposite are one rotation.
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

    /// Compares the tracks of a clip with an animation; how many were CUBICSPLINE.
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

/// The lines that are drawn lie on the curve at their points, and near it between.
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
                let allowed = if part == 0.0 { most } else { off * 1.5 + most };
                assert!((at - seen).abs() <= allowed, "{label} at {time}: {at} drawn, {seen}");
            }
        }
    }
}

/// Files of the corpus that have CUBICSPLINE motion, by their JSON alone.
fn spline_files() -> Option<Vec<std::path::PathBuf>> {
    let mut files = common::models(&common::shared()?.join("corpus"));
    files.retain(|path| {
        let bytes = fs::read(path).unwrap();
        bytes.windows(11).any(|w| w == b"CUBICSPLINE")
    });
    Some(files)
}

#[test]
fn drawn_curves_are_what_files_say() {
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
    assert_eq!((compared.files, splines), (13, 36));
    assert!(compared.points > 1000 * compared.curves, "{compared:?}");
}

/// A file of one node whose channels are of these kinds, with what they hold as bytes of a
/// component type, and their counts of elements.
fn file(times: &[f32], channels: &[(&str, &str, u32, usize, Vec<u8>)]) -> Vec<u8> {
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

/// Keys a millionth of a second apart, tangents of a million, numbers of 16 and 8 bits, signs that
/// change from key to key and turns of nearly 180°.
#[test]
fn drawn_curves_are_what_odd_files_say() {
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

/// What is done to a clip before it is saved.
fn edits(clip: &str) -> Vec<Value> {
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
fn drawn_curves_are_what_edited_files_say_once_saved() {
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
