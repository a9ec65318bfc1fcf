//! The pose of a skeleton from a clip.
//!
//! Targets, beside the plain loop of the same run (per-track binary search, slerp, parent times local):
//! a dense clip whose tracks share their key times at least 6 times as fast; tracks with times of their own, and cubic
//! ones, at least 3 times; jumping about (scrubbing) at most 1.3 times what playing forward takes.

mod common;

use std::hint::black_box;

use common::{Keys, Plain, noise, skeleton};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ulna::motion::{Moment, Pose};

const JOINTS: usize = 200;
const KEYS: usize = 300;

/// Moments of playing forward at 60 a second, and of jumping about.
fn times(forward: bool) -> Vec<f64> {
    let length = (KEYS - 1) as f64 / 30.0;
    (0..600).map(|k| if forward { f64::from(k) / 60.0 % length } else { f64::from(noise(k)) * length }).collect()
}

fn pose(c: &mut Criterion) {
    for (name, kind) in [("shared times", Keys::Shared), ("own times", Keys::Own), ("cubic, own times", Keys::Cubic)] {
        let (document, id) = skeleton(JOINTS, KEYS, kind);
        let clip = &document.clips[id];
        let mut group = c.benchmark_group(format!("pose, {name}"));
        group.throughput(Throughput::Elements(JOINTS as u64));
        for (way, forward) in [("forward", true), ("jumping", false)] {
            let times = times(forward);
            let mut pose = Pose::default();
            for time in &times {
                pose.update(&document, Moment { clip: Some(clip), time: *time, unkeyed: None });
            }
            let mut next = times.iter().cycle();
            group.bench_function(BenchmarkId::new("Ulna", way), |b| {
                b.iter(|| {
                    let time = next.next().copied().unwrap_or_default();
                    pose.update(&document, Moment { clip: Some(clip), time, unkeyed: None });
                    black_box(&pose.world);
                });
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

criterion_group!(benches, pose);
criterion_main!(benches);
