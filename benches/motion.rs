//! Evaluation of the pose of a skeleton from a clip.
//!
//! Targets, relative to the straightforward loop of the same run (a binary search per track, SLERP,
//! and local matrices multiplied by their parents): a dense clip with shared key times is at least
//! 6 times as fast. Tracks with their own times, and cubic tracks, are at least 3 times as fast.
//! Scrubbing takes at most 1.3 times the time of playing forward. Four mixed clips take at most 4.5
//! times the time of one.

mod common;

use std::hint::black_box;

use common::{Keys, Plain, noise, skeleton};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use glam::Quat;
use ulna_model::{Clip, Property, Shared, Track};
use ulna_motion::{Averaging, Evaluator, Instance, Lane, Pose, Stack};

const JOINTS: usize = 200;
const KEYS: usize = 300;

/// Returns the times of playing forward at 60 frames per second, or random times.
fn times(forward: bool) -> Vec<f64> {
    let length = (KEYS - 1) as f64 / 30.0;
    (0..600)
        .map(|k| if forward { f64::from(k) / 60.0 % length } else { f64::from(noise(k)) * length })
        .collect()
}

fn pose(c: &mut Criterion) {
    for (name, kind) in [
        ("shared times", Keys::Shared),
        ("own times", Keys::Own),
        ("cubic, own times", Keys::Cubic),
    ] {
        let (document, id) = skeleton(JOINTS, KEYS, kind);
        let clip = &document.clips[id];
        let mut group = c.benchmark_group(format!("pose, {name}"));
        group.throughput(Throughput::Elements(JOINTS as u64));
        for (way, forward) in [("forward", true), ("jumping", false)] {
            let times = times(forward);
            let (mut evaluator, mut pose) = (Evaluator::default(), Pose::default());
            let mut stack = Stack::of(Some(clip), 0.0);
            let mut show = |time: f64| {
                stack.lanes[0].instances[0].time = time;
                evaluator.update(&document, &stack, &mut pose);
                black_box(&pose.world);
            };
            times.iter().for_each(|time| show(*time));
            let mut next = times.iter().cycle();
            group.bench_function(BenchmarkId::new("Ulna", way), |b| {
                b.iter(|| show(next.next().copied().unwrap_or_default()));
            });
            let mut plain = Plain::new(&document);
            let mut next = times.iter().cycle();
            group.bench_function(BenchmarkId::new("plain", way), |b| {
                b.iter(|| {
                    plain.pose(clip, next.next().copied().unwrap_or_default() as f32);
                    black_box(&plain.world);
                });
            });
        }
        group.finish();
    }
}

/// Measures several clips on one skeleton, compared with one of them.
fn mix(c: &mut Criterion) {
    let (document, id) = skeleton(JOINTS, KEYS, Keys::Shared);
    let clips: Vec<_> = (0..4).map(|k| shifted(&document.clips[id], k)).collect();
    let times = times(true);
    let mut group = c.benchmark_group("mixed, shared times");
    group.throughput(Throughput::Elements(JOINTS as u64));
    for (name, count, averaging) in [
        ("one", 1, Averaging::Slerp),
        ("four", 4, Averaging::Slerp),
        ("four by NLERP", 4, Averaging::Nlerp),
    ] {
        let instances =
            clips[..count].iter().map(|clip| Instance::new(clip, 0.0).weighing(1.0 / count as f32));
        let lane = Lane { averaging, ..Lane::new(instances.collect()) };
        let mut stack = Stack { lanes: vec![lane], ..Stack::default() };
        let (mut evaluator, mut pose) = (Evaluator::default(), Pose::default());
        let mut show = |time: f64| {
            stack.lanes[0].instances.iter_mut().for_each(|i| i.time = time);
            evaluator.update(&document, &stack, &mut pose);
            black_box(&pose.world);
        };
        times.iter().for_each(|time| show(*time));
        let mut next = times.iter().cycle();
        group.bench_function(name, |b| b.iter(|| show(next.next().copied().unwrap_or_default())));
    }
    group.finish();
}

/// Returns the same motion with every joint rotated slightly, like a similar clip.
fn shifted(clip: &Shared<Clip>, by: usize) -> Shared<Clip> {
    let mut other = (**clip).clone();
    for track in other.tracks.values_mut().filter(|t| t.property == Property::Rotation) {
        let turn = Quat::from_rotation_x(0.25 * by as f32);
        let values =
            track.values.chunks(4).flat_map(|q| (Quat::from_slice(q) * turn).to_array()).collect();
        *track = Shared::new(Track { values, ..(**track).clone() });
    }
    other.into()
}

criterion_group!(benches, common::vectors, pose, mix);
criterion_main!(benches);
