//! Drawn curves must match the reference evaluator, at 1,000 times per animation. Covers every
//! CUBICSPLINE file of the corpus, and edited and saved files.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::path::Path;

use ulna_edit::CommandLine;
use ulna_formats::gltf::Progress;
use ulna_model::{Document, Property, Track};
use ulna_motion::curves::{CurveSpace, EulerOrder, TrackCurves};
use ulna_session::Session;

use super::{
    curves_drawn::{edits, spline_files},
    file_motion::{composed, degrees_between},
};
use crate::common::judges::played;

/// Number of compared times per animation.
const TIMES: usize = 1000;

/// Number of compared points, and the largest errors: relative to the size of a curve, and in
/// degrees.
#[derive(Debug, Default)]
struct Compared {
    files: usize,
    points: usize,
    numbers: f64,
    degrees: f64,
}

/// Drawn lines of all components of a track, with many points.
struct Lines {
    curves: TrackCurves,
    lines: Vec<Vec<(f64, f64)>>,
    /// Tolerance of the lines of each component.
    off: Vec<f64>,
}

impl Lines {
    fn of(track: &Track, space: CurveSpace) -> Self {
        let curves = TrackCurves::new(track, space);
        let count = track.times.len();
        let (mut lines, mut off) = (Vec::new(), Vec::new());
        for component in 0..curves.components() {
            let values = (0..count).map(|key| curves.key_value(key, component));
            let (low, high) = values.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
            let near = match space {
                CurveSpace::Euler(_) => 1e-3,
                CurveSpace::Stored => (high - low).max(1e-3) * 1e-5,
            };
            let mut line = Vec::new();
            (0..count)
                .for_each(|key| curves.sample_segment(key, component, &mut line, (1e-9, near)));
            off.push(near);
            lines.push(line);
        }
        Self { curves, lines, off }
    }

    /// Returns the drawn value of a component at a time. The first and last values are held beyond
    /// the ends.
    fn at(&self, component: usize, time: f64) -> f64 {
        let line = &self.lines[component];
        let next = line.partition_point(|p| p.0 <= time);
        match (next.checked_sub(1).map(|k| line[k]), line.get(next)) {
            (Some(a), Some(b)) => a.1 + (b.1 - a.1) * (time - a.0) / (b.0 - a.0),
            _ => self.curves.value(component, time),
        }
    }
}

impl Compared {
    fn file(&mut self, document: &Document, path: &Path, label: &str) -> bool {
        let times: Vec<Vec<f64>> = document
            .clips
            .values()
            .map(|clip| {
                let keys = || clip.tracks.values().flat_map(|t| t.times.iter().copied());
                let first = keys().fold(f32::MAX, f32::min);
                let last = keys().fold(f32::MIN, f32::max);
                let span = f64::from(last) - f64::from(first);
                (0..TIMES)
                    .map(|k| f64::from(first) + span * (k as f64 + 0.37) / TIMES as f64)
                    .collect()
            })
            .collect();
        let Some(found) = played(path, &times) else { return false };
        assert_eq!(found.len(), times.len(), "{label}");
        for ((clip, times), channels) in document.clips.values().zip(&times).zip(&found) {
            assert_eq!(channels.len(), clip.tracks.len(), "{label}");
            for (node, channel, values) in channels {
                let track = clip
                    .tracks
                    .values()
                    .find(|t| u64::from(t.target.0) == *node && t.property.path() == channel);
                let label = format!("{label}, {node} {channel}");
                self.channel(track.unwrap(), (times, values), &label);
            }
        }
        self.files += 1;
        true
    }

    fn channel(&mut self, track: &Track, (times, values): (&[f64], &[Vec<f64>]), label: &str) {
        if track.property == Property::Rotation {
            for order in [EulerOrder::best_first(track)[0].0, EulerOrder::Xyz] {
                let lines = Lines::of(track, CurveSpace::Euler(order));
                for (time, wanted) in times.iter().zip(values) {
                    let angles = [0, 1, 2].map(|axis| lines.at(axis, *time));
                    let off = degrees_between(&composed(order.label(), angles), wanted);
                    assert!(off < 0.01, "{label} at {time}: {off}° by {}", order.label());
                    self.degrees = self.degrees.max(off);
                    self.points += 3;
                }
            }
            return;
        }
        let lines = Lines::of(track, CurveSpace::Stored);
        for component in 0..track.width {
            let size = track.values.iter().fold(1e-3f64, |m, v| m.max(f64::from(v.abs())));
            for (time, wanted) in times.iter().zip(values) {
                let seen = lines.at(component, *time);
                let off = (seen - wanted[component]).abs();
                let most = lines.off[component] * 1.5 + size * 1e-6;
                assert!(off <= most, "{label} {component} at {time}: {seen}, {wanted:?}");
                self.numbers = self.numbers.max(off / size);
                self.points += 1;
            }
        }
    }
}

#[test]
fn drawn_curves_equal_the_reference_playback() {
    let Some(files) = spline_files() else { return };
    let mut compared = Compared::default();
    for path in &files {
        let session = Session::open(path, &Progress::default()).unwrap();
        let label = path.file_name().unwrap().to_string_lossy().into_owned();
        if !compared.file(session.document(), path, &label) {
            return;
        }
    }
    println!("{compared:?}");
    assert_eq!(compared.files, files.len());
    assert!(compared.points >= 1000 * compared.files);
}

#[test]
fn drawn_curves_of_edited_files_equal_the_reference_playback() {
    let Some(files) = spline_files() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut compared = Compared::default();
    for (n, path) in files.iter().enumerate() {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let mut session = Session::open(path, &Progress::default()).unwrap();
        let document = session.document().clone();
        for (id, clip) in document.clips.iter() {
            let clip_name = format!("#{}", id.0);
            let middle = clip.length() * 0.37;
            let mut lines = vec![edits(&clip_name)[n % edits("").len()].clone()];
            lines.push(serde_json::json!({"do": "key.insert", "clip": clip_name, "time": middle}));
            for text in lines {
                let line = CommandLine::parse(&text.to_string()).unwrap();
                session.run_line(&line).unwrap_or_else(|e| panic!("{name}: {line}: {e}"));
            }
        }
        let to = folder.path().join(format!("{name}.glb"));
        session.write_to(&to).unwrap_or_else(|e| panic!("{name}: {e}"));
        if !compared.file(session.document(), &to, &format!("{name}, edited")) {
            return;
        }
    }
    println!("{compared:?}");
    assert_eq!(compared.files, files.len());
}
