//! Operations on whole clips.
//!
//! Targets: reducing the keys of a clip of 60 s with 67 joints at 60 Hz takes less than 1 s.
//! Exporting 76 clips, one file each, takes less than 0.5 s. Importing 76 clips of another file,
//! including reading it, takes less than 0.5 s. Motion paths of twelve joints over a clip take less
//! than 2 ms, because they are computed again after each change. Trimming is compared with copying
//! the same numbers.

mod common;

use std::hint::black_box;

use common::{Keys, skeleton};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use ulna_edit::CommandLine;
use ulna_formats::gltf::Progress;
use ulna_model::NodeId;
use ulna_motion::{
    Averaging,
    clip_edit::{editable, part_of, reduced},
    motion_paths,
};
use ulna_session::{ExportRequest, ImportOptions, ImportRequest, Session, SystemDisk};

fn long_clip(c: &mut Criterion) {
    let (document, id) = skeleton(67, 3600, Keys::Shared);
    let clip = &document.clips[id];
    let mut group = c.benchmark_group("a clip of 67 joints, 3,600 frames");
    group.sample_size(10);
    group.bench_function("reduced", |b| b.iter(|| black_box(reduced(&document, clip, 0.5e-3))));
    let end = clip.length();
    group.bench_function("a part of it", |b| {
        b.iter(|| black_box(part_of(clip, end * 0.2, end * 0.8, true).is_ok()))
    });
    group.bench_function("its numbers copied", |b| {
        b.iter(|| black_box(clip.tracks.values().map(|t| t.values.to_vec()).collect::<Vec<_>>()));
    });
    group.finish();
    let (document, id) = skeleton(67, 64, Keys::Shared);
    let clip = &document.clips[id];
    let nodes: Vec<NodeId> = clip.tracks.values().map(|t| t.target).take(12).collect();
    let mut group = c.benchmark_group("a clip of 67 joints, 64 frames");
    group.bench_function("the ways of 12 joints", |b| {
        b.iter(|| black_box(motion_paths(&document, id, &nodes, (60.0, Averaging::Slerp), 240)));
    });
    group.sample_size(10);
    group
        .bench_function("made editable", |b| b.iter(|| black_box(editable(&document, clip, 2e-3))));
    group.finish();
}

/// Opens the sample with copies of a clip, 76 clips in total.
fn many_clips() -> Option<Session> {
    let mut session = Session::open_bytes(include_bytes!("../assets/mannequin.glb")).ok()?;
    while session.document().clips.count() < 76 {
        let name = format!("copy {}", session.document().clips.count());
        session
            .run_line(&CommandLine::new("clip.duplicate").with("clip", "Walk").with("name", name))
            .ok()?;
    }
    Some(session)
}

fn merge(c: &mut Criterion) {
    let (Some(session), Ok(folder)) = (many_clips(), tempfile::tempdir()) else { return };
    let path = folder.path().join("clips.glb");
    let Ok(saved) = session.pack("clips") else { return };
    if std::fs::write(&path, &*saved.bytes).is_err() {
        return;
    }
    let Ok(body) = Session::open_bytes(include_bytes!("../assets/mannequin.glb")) else { return };
    let request = ImportRequest {
        path,
        only: None,
        taken: None,
        options: ImportOptions::default(),
        force: false,
    };
    let mut group = c.benchmark_group("76 clips brought in");
    group.sample_size(10);
    group.bench_function("onto the same skeleton", |b| {
        b.iter_batched(
            || body.clone(),
            |mut body| {
                let put = body.import(&request, &Progress::default());
                black_box(put.is_ok_and(|(put, _)| body.run(&put.into()).is_ok()))
            },
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

fn export(c: &mut Criterion) {
    let Some(session) = many_clips() else { return };
    let Ok(folder) = tempfile::tempdir() else { return };
    let request = ExportRequest {
        clips: None,
        skeleton_only: true,
        rate: None,
        each: true,
        gltf: false,
        names: String::new(),
        to: folder.path().join("out"),
        replace: true,
    };
    let mut group = c.benchmark_group("76 clips exported");
    group.sample_size(10);
    for (name, each, skeleton_only) in [
        ("a file each, skeletons", true, true),
        ("a file each, whole", true, false),
        ("one file", false, false),
    ] {
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

criterion_group!(benches, long_clip, merge, export);
criterion_main!(benches);
