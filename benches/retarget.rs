//! Retargeting clips to a body of other proportions, with locked foot contacts.
//!
//! Targets: one minute at 60 keys per second with 67 joints takes less than 0.3 s. 76 clips of 1.3
//! s at 30 keys per second together take less than 2 s. For comparison, the benchmark also measures
//! the transfer without contacts.

mod common;

use std::hint::black_box;

use common::body::game_body;
use criterion::{Criterion, criterion_group, criterion_main};
use ulna_model::{Clip, Document, Interpolation, Property, Shared, Track, TrackId};
use ulna_motion::{
    retarget::{Retarget, guess_map},
    sample_into,
};
use ulna_session::Session;

/// Returns a clip repeated for `seconds`, with `rate` keys per second.
fn captured(clip: &Clip, seconds: f32, rate: f32) -> Shared<Clip> {
    let count = (seconds * rate) as usize + 1;
    let times: Vec<f32> = (0..count).map(|k| k as f32 / rate).collect();
    let track = |track: &Track| {
        let mut values = vec![0.0; track.width * count];
        for (time, value) in times.iter().zip(values.chunks_mut(track.width)) {
            sample_into(track, f64::from(time % clip.length()), value);
        }
        Track {
            interpolation: Interpolation::Linear,
            times: times.clone().into(),
            values: values.into(),
            kinds: Default::default(),
            modes: Default::default(),
            ..track.clone()
        }
    };
    let tracks = clip.tracks.values().filter(|t| t.property != Property::Weights);
    Shared::new(Clip {
        name: clip.name.clone(),
        tracks: tracks
            .enumerate()
            .map(|(k, t)| (TrackId(k as u32), Shared::new(track(t))))
            .collect(),
        ..Clip::default()
    })
}

fn document(bytes: Option<Vec<u8>>) -> Option<Document> {
    Some(Session::open_bytes(&bytes?).ok()?.document().clone())
}

fn retarget(c: &mut Criterion) {
    let (Some(source), Some(target)) =
        (document(game_body(67, 1.0)), document(game_body(67, 1.25)))
    else {
        return;
    };
    let named = |name: &str| source.clips.values().find(|c| c.name.as_deref() == Some(name));
    let Some(walk) = named("Walk") else { return };
    let map = guess_map(&source, &target);
    let mut free = map.clone();
    free.contacts.lock = false;
    free.chains.iter_mut().for_each(|chain| chain.contacts = false);
    let (Ok(kept), Ok(plain)) =
        (Retarget::new(&source, &target, &map), Retarget::new(&source, &target, &free))
    else {
        return;
    };
    let minute = captured(walk, 60.0, 60.0);
    let mut group = c.benchmark_group("a minute at 60 a second, 67 joints");
    group.sample_size(20);
    group.bench_function("with contacts", |b| b.iter(|| black_box(kept.clip(&minute, None))));
    group.bench_function("plain transfer", |b| b.iter(|| black_box(plain.clip(&minute, None))));
    group.finish();
    let short = captured(walk, 1.3, 30.0);
    let mut group = c.benchmark_group("76 clips of 1.3 s");
    group.sample_size(20);
    let all = |retarget: &Retarget<'_>| {
        (0..76).map(|_| retarget.clip(&short, None).slides.len()).sum::<usize>()
    };
    group.bench_function("with contacts", |b| b.iter(|| black_box(all(&kept))));
    group.bench_function("plain transfer", |b| b.iter(|| black_box(all(&plain))));
    group.finish();
}

criterion_group!(benches, retarget);
criterion_main!(benches);
