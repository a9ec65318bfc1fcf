//! Dragging keys: the cost of one move, from the command to the changed document.
//!
//! Target: moving 100,000 keys takes less than 10 ms on one core. For comparison, the benchmark
//! also copies the numbers of the tracks, which is the minimum work.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use ulna_edit::{
    Command, History, Scene,
    command::{DocumentCommand, MoveKeys, ScaleKeys, WhichKeys, field::ClipName, field::Seconds},
};
use ulna_model::{ClipId, Document, KeySet, KeyTimes, Slice};

mod common;

/// Returns all keys of a clip.
fn all(document: &Document, id: ClipId) -> KeySet {
    KeySet::of(&document.clips[id], |_, t| KeyTimes::part(&t.times, 0..t.times.len()))
}

/// Runs one preview of a gesture.
fn preview(history: &mut History, document: &mut Document, command: &Command) -> bool {
    let done: Result<(), String> =
        history.show(document, "bench", vec![command.clone()], |showing| {
            let Command::Document(command) = command else { return Ok(()) };
            let done = DocumentCommand::work(command, &Scene::new(showing.document()))
                .map_err(|e| e.to_string())?;
            for edit in done.edits {
                showing.apply(edit).map_err(|e| e.to_string())?;
            }
            Ok(())
        });
    done.is_ok()
}

/// Copies the numbers of each track with shifted times, for comparison.
fn copies(document: &Document, id: ClipId, by: f32) -> usize {
    let tracks = document.clips[id].tracks.values();
    let copied = tracks.map(|t| {
        let times: Slice<f32> = t.times.iter().map(|t| t + by).collect();
        let values: Slice<f32> = t.values.to_vec().into();
        black_box((times, values)).0.len()
    });
    copied.sum()
}

fn keys(c: &mut Criterion) {
    // 34 joints × 3 tracks × 981 keys.
    let mut group = c.benchmark_group("a move of 100,000 keys");
    for (name, kind) in [("linear", common::Keys::Own), ("cubic", common::Keys::Cubic)] {
        let (mut document, id) = common::skeleton(34, 981, kind);
        let clip = ClipName::Id(id);
        let which = WhichKeys::these(id, all(&document, id));
        let mut history = History::default();
        let mut by = 0.0f32;
        group.bench_function(format!("{name}, moved"), |b| {
            b.iter(|| {
                by += 1e-3;
                let (clip, which) = (clip.clone(), which.clone());
                let command =
                    MoveKeys { clip, by: Seconds(by), which, ripple: None, make_room: None }.into();
                assert!(preview(&mut history, &mut document, &command));
            });
        });
        group.bench_function(format!("{name}, stretched"), |b| {
            b.iter(|| {
                by += 1e-3;
                let (clip, which) = (clip.clone(), which.clone());
                let command = ScaleKeys { clip, factor: 1.0 + by, about: None, which }.into();
                assert!(preview(&mut history, &mut document, &command));
            });
        });
        history.cancel(&mut document);
        group.bench_function(format!("{name}, copied plainly"), |b| {
            b.iter(|| copies(&document, id, 0.25))
        });
    }
    group.finish();
    let (document, id) = common::skeleton(100, 20_000, common::Keys::Shared);
    c.bench_function("a box around 6 million keys", |b| {
        b.iter(|| {
            let clip = &document.clips[id];
            KeySet::of(clip, |_, t| KeyTimes::within(&t.times, 1.0, 500.0)).len()
        });
    });
}

criterion_group!(benches, keys);
criterion_main!(benches);
