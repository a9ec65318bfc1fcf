//! Four clips on one skeleton at once, played forward at 60 frames per second.
//!
//! Clips of 10 s have keys for all properties at 30 per second. Their weights sum to 1, and no mask
//! is used. The benchmark measures 67 and 1,000 joints, with SLERP and NLERP, from clips to world
//! matrices.
//!
//! Targets: at least 6 times as fast as the straightforward loop of the same run. That loop uses a
//! binary search per track, mixes clips one after another, and multiplies each local matrix by its
//! parent. Also at least 1.5 times as fast as the sampling and blending jobs of ozz-animation on
//! the same clips. These jobs are measured alternately, outside this project. The mixer that
//! computes the stack is not included. Its cost must not grow with the number of joints.

mod common;

use std::hint::black_box;

use common::{Keys, skeleton};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use glam::{Mat4, Quat, Vec3};
use ulna_model::{
    Clip, ClipId, Document, Mix, MixBar, MixLane, Property, Shared, Track, Transform,
};
use ulna_motion::{Averaging, Evaluator, Instance, Lane, Mixer, Pose, Stack};

/// Number of keys in ten seconds at 30 per second.
const KEYS: usize = 301;
const WEIGHTS: [f32; 4] = [0.1, 0.2, 0.3, 0.4];

/// Returns the times of playing forward for ten seconds.
fn times() -> Vec<f64> {
    (0..600).map(|k| f64::from(k) / 60.0).collect()
}

/// Builds a skeleton with four clips. Each clip is shifted in time, and rotates every joint
/// slightly more than the previous clip.
///
/// The four rotations of a joint are on one great circle, where the order of mixing does not
/// matter. The straightforward loop must therefore give the same result.
fn document(joints: usize) -> Document {
    let (mut document, id) = skeleton(joints, KEYS, Keys::Shared);
    let clips: Vec<_> = (0..WEIGHTS.len()).map(|k| other(&document.clips[id], k)).collect();
    document.file.clips = clips.into();
    document
}

fn other(clip: &Clip, by: usize) -> Shared<Clip> {
    let mut other = clip.clone();
    for track in other.tracks.values_mut() {
        let mut values = track.values.to_vec();
        if track.property == Property::Rotation {
            let turn = Quat::from_rotation_x(0.25 * by as f32);
            values
                .chunks_exact_mut(4)
                .for_each(|q| q.copy_from_slice(&(Quat::from_slice(q) * turn).to_array()));
        } else {
            values.rotate_left(37 * by * track.width);
        }
        *track = Shared::new(Track { values: values.into(), ..(**track).clone() });
    }
    other.into()
}

/// Returns all clips at a time, on one lane.
fn stack(document: &Document, averaging: Averaging, time: f64) -> Stack {
    let weights = document.clips.values().zip(WEIGHTS);
    let instances =
        weights.map(|(clip, weight)| Instance::new(clip, time).weighing(weight)).collect();
    Stack { lanes: vec![Lane { averaging, ..Lane::new(instances) }], ..Stack::default() }
}

/// Returns the same clips as bars of a mix.
fn mix(averaging: Averaging) -> Shared<Mix> {
    let bar = |(k, weight)| MixBar { weight, along: true, ..MixBar::new(ClipId(k), 0.0, 10.0) };
    let bars = (0..).zip(WEIGHTS).map(bar).collect();
    Shared::new(Mix {
        lanes: vec![MixLane { nlerp: averaging == Averaging::Nlerp, bars, ..MixLane::new("") }],
    })
}

/// Straightforward loop, for comparison: samples every clip track by track, and blends it over the
/// previous clips.
struct Plain {
    local: Vec<Transform>,
    mixed: Vec<Transform>,
    world: Vec<Mat4>,
    parents: Vec<Option<usize>>,
}

impl Plain {
    /// Prepares a document in which parents come before their children.
    fn new(document: &Document) -> Self {
        let parents: Vec<_> =
            document.nodes.values().map(|n| n.parent.map(|p| p.index())).collect();
        let local = vec![Transform::IDENTITY; parents.len()];
        Self { mixed: local.clone(), local, world: vec![Mat4::IDENTITY; parents.len()], parents }
    }

    fn sample(&mut self, clip: &Clip, time: f32, averaging: Averaging) {
        for track in clip.tracks.values() {
            let after = track.times.partition_point(|t| *t <= time);
            let k = after.saturating_sub(1).min(track.times.len() - 2);
            let u =
                ((time - track.times[k]) / (track.times[k + 1] - track.times[k])).clamp(0.0, 1.0);
            let local = &mut self.local[track.target.index()];
            let (a, b) = (track.value(k), track.value(k + 1));
            match (track.property, averaging) {
                (Property::Translation, _) => {
                    local.translation = Vec3::from_slice(a).lerp(Vec3::from_slice(b), u)
                }
                (Property::Rotation, Averaging::Slerp) => {
                    local.rotation = Quat::from_slice(a).slerp(Quat::from_slice(b), u);
                }
                (Property::Rotation, Averaging::Nlerp) => {
                    local.rotation = Quat::from_slice(a).lerp(Quat::from_slice(b), u);
                }
                (Property::Scale | Property::Weights, _) => {
                    local.scale = Vec3::from_slice(a).lerp(Vec3::from_slice(b), u);
                }
            }
        }
    }

    /// Computes the pose of all clips at a time.
    fn pose(&mut self, document: &Document, averaging: Averaging, time: f32) {
        let mut total = 0.0;
        for (clip, weight) in document.clips.values().zip(WEIGHTS) {
            self.sample(clip, time, averaging);
            let first = total == 0.0;
            total += weight;
            for (mixed, t) in self.mixed.iter_mut().zip(&self.local) {
                if first {
                    *mixed = Transform {
                        translation: t.translation * weight,
                        rotation: if averaging == Averaging::Nlerp {
                            t.rotation * weight
                        } else {
                            t.rotation
                        },
                        scale: t.scale * weight,
                    };
                    continue;
                }
                mixed.translation += t.translation * weight;
                mixed.scale += t.scale * weight;
                mixed.rotation = match averaging {
                    Averaging::Slerp => mixed.rotation.slerp(t.rotation, weight / total),
                    Averaging::Nlerp if mixed.rotation.dot(t.rotation) < 0.0 => {
                        mixed.rotation - t.rotation * weight
                    }
                    Averaging::Nlerp => mixed.rotation + t.rotation * weight,
                };
            }
        }
        for (k, t) in self.mixed.iter().enumerate() {
            let turn =
                if averaging == Averaging::Nlerp { t.rotation.normalize() } else { t.rotation };
            let local = Mat4::from_scale_rotation_translation(t.scale, turn, t.translation);
            self.world[k] = self.parents[k].map_or(local, |p| self.world[p] * local);
        }
    }
}

/// Returns the largest difference between the elements of two lists of world matrices.
fn apart(a: &[Mat4], b: &[Mat4]) -> f32 {
    let numbers = |m: &[Mat4]| m.iter().flat_map(Mat4::to_cols_array).collect::<Vec<_>>();
    assert_eq!(a.len(), b.len());
    numbers(a).iter().zip(numbers(b)).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

/// Checks that all measured functions give the same result.
fn check(document: &Document, averaging: Averaging) {
    const ENOUGH: f32 = 1e-4;
    let mix = mix(averaging);
    let (mut mixer, mut evaluators) =
        (Mixer::default(), [Evaluator::default(), Evaluator::default()]);
    let (mut ours, mut by_mixer, mut plain) =
        (Pose::default(), Pose::default(), Plain::new(document));
    let mut moved = 0.0f32;
    for time in times().into_iter().step_by(7).map(|t| t + 0.003) {
        evaluators[0].update(document, &stack(document, averaging, time), &mut ours);
        evaluators[1].update(document, &mixer.stack(document, &mix, time), &mut by_mixer);
        let before = plain.world.clone();
        plain.pose(document, averaging, time as f32);
        moved = moved.max(apart(&before, &plain.world));
        let off = [&ours, &by_mixer].map(|pose| apart(&pose.world, &plain.world));
        assert!(off[0] < ENOUGH && off[1] < ENOUGH, "{averaging:?} at {time} s: {off:?}");
    }
    assert!(moved > 0.1, "Nothing moves.");
}

fn mixing(c: &mut Criterion) {
    for joints in [67, 1000] {
        let document = document(joints);
        for averaging in [Averaging::Slerp, Averaging::Nlerp] {
            check(&document, averaging);
            let mut group =
                c.benchmark_group(format!("four clips mixed by {averaging:?}, {joints} joints"));
            group.throughput(Throughput::Elements(joints as u64));
            let times = times();
            let (mut evaluator, mut pose) = (Evaluator::default(), Pose::default());
            let mut stack = stack(&document, averaging, 0.0);
            let mut show = |time: f64| {
                stack.lanes[0].instances.iter_mut().for_each(|i| i.time = time);
                evaluator.update(&document, &stack, &mut pose);
                black_box(&pose.world);
            };
            times.iter().for_each(|time| show(*time));
            let mut next = times.iter().cycle();
            group.bench_function("Ulna", |b| {
                b.iter(|| show(next.next().copied().unwrap_or_default()))
            });
            let (mix, mut mixer) = (mix(averaging), Mixer::default());
            let mut show = |time: f64| {
                evaluator.update(&document, &mixer.stack(&document, &mix, time), &mut pose);
                black_box(&pose.world);
            };
            let mut next = times.iter().cycle();
            group.bench_function("Ulna with its controller", |b| {
                b.iter(|| show(next.next().copied().unwrap_or_default()));
            });
            let mut plain = Plain::new(&document);
            let mut next = times.iter().cycle();
            group.bench_function("plain", |b| {
                b.iter(|| {
                    plain.pose(
                        &document,
                        averaging,
                        next.next().copied().unwrap_or_default() as f32,
                    );
                    black_box(&plain.world);
                });
            });
            group.finish();
        }
    }
}

criterion_group!(benches, common::vectors, mixing);
criterion_main!(benches);
