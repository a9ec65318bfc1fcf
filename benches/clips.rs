//! What is done to whole clips.
//!
//! Targets: a clip of 60 s of 67 joints at 60 Hz, its keys reduced, under 1 s; 76 clips exported, a file each, under 0.5 s; a part cut
//! out of such a clip, for comparison, beside its numbers copied.

mod common;

use std::hint::black_box;

use common::{Keys, skeleton};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use ulna::{
    edit::CommandLine,
    formats::gltf::Progress,
    motion::clip_edit::{part_of, reduced},
    session::{ExportRequest, Session, SystemDisk},
};

fn long_clip(c: &mut Criterion) {
    let (document, id) = skeleton(67, 3600, Keys::Shared);
    let clip = &document.clips[id];
    let mut group = c.benchmark_group("a clip of 67 joints, 3,600 frames");
    group.sample_size(10);
    group.bench_function("reduced", |b| b.iter(|| black_box(reduced(&document, clip, 0.5e-3))));
    let end = clip.length();
    group.bench_function("a part of it", |b| b.iter(|| black_box(part_of(clip, end * 0.2, end * 0.8, true).is_ok())));
    group.bench_function("its numbers copied", |b| {
        b.iter(|| black_box(clip.tracks.values().map(|t| t.values.to_vec()).collect::<Vec<_>>()));
    });
    group.finish();
}

fn export(c: &mut Criterion) {
    let Ok(mut session) = Session::open_bytes(include_bytes!("../assets/mannequin.glb")) else { return };
    while session.document().clips.count() < 76 {
        let name = format!("copy {}", session.document().clips.count());
        if session.run_line(&CommandLine::new("clip.duplicate").with("clip", "Walk").with("name", name)).is_err() {
            return;
        }
    }
    let Ok(folder) = tempfile::tempdir() else { return };
    let request = ExportRequest {
        clips: None,
        skeleton_only: true,
        rate: None,
        each: true,
        gltf: false,
        to: folder.path().join("out"),
        replace: true,
    };
    let mut group = c.benchmark_group("76 clips exported");
    group.sample_size(10);
    for (name, each, skeleton_only) in
        [("a file each, skeletons", true, true), ("a file each, whole", true, false), ("one file", false, false)]
    {
        let to = if each { folder.path().join(name) } else { folder.path().join("all.glb") };
        let request = ExportRequest { each, skeleton_only, to, ..request.clone() };
        group.bench_function(name, |b| {
            b.iter_batched(
                || session.exporting(request.clone()),
                |work| black_box(work.run(&SystemDisk, &Progress::default()).is_ok()),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, long_clip, export);
criterion_main!(benches);
