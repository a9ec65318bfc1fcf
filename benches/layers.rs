//! Pose layers: changed by a drag, baked by a save, and played.
//!
//! Targets: a drag in a layer of 60 joints, from the event to the skinning matrices, takes less
//! than 0.5 ms. Baking a layer into 76 clips takes less than 0.5 s. Ten layers on 200 joints take
//! at most 1.6 times the time without layers.

mod common;

use std::{collections::BTreeMap, hint::black_box};

use common::{Keys, skeleton};
use criterion::{Criterion, criterion_group, criterion_main};
use glam::{Quat, Vec3};
use ulna_edit::{
    Command,
    command::{
        PoseDestination, Turn,
        field::{AnySpace, Axis, Degrees, Nodes},
    },
};
use ulna_model::{
    Document, LayerHome, NodeId, PoseLayer, PoseLayerId, PoseLayers, Shared, SkinId, Transform,
};
use ulna_motion::{Evaluator, Folder, Pose, Space, Stack};
use ulna_session::Session;

/// Creates a layer that rotates these joints, and also translates them if `moves` is set.
fn layer(id: u32, joints: impl Iterator<Item = NodeId>, moves: bool) -> PoseLayer {
    let user = Transform {
        translation: if moves { Vec3::new(0.01, 0.0, 0.0) } else { Vec3::ZERO },
        ..Transform::from_rotation(Quat::from_rotation_x(0.05))
    };
    let list: BTreeMap<NodeId, Transform> = joints.map(|n| (n, user)).collect();
    PoseLayer { strength: 0.8, ..PoseLayer::new("", list) }
        .named(PoseLayerId(id), format!("Layer {id}").into())
}

fn drag(c: &mut Criterion) {
    let Ok(mut session) = Session::open_bytes(include_bytes!("../assets/mannequin.glb")) else {
        return;
    };
    let skin = SkinId::from(0);
    let joints = session.document().skin(skin).joints.to_vec();
    let Some(clip) = session.document().clips.ids().next() else { return };
    let mut line = ulna_edit::CommandLine::new("layer.new").with("name", "Drag");
    line = line.with("clip", format!("#{}", clip.0));
    if session.run_line(&line).is_err() {
        return;
    }
    let (mut evaluator, mut pose) = (Evaluator::default(), Pose::default());
    let mut degrees = 0.0;
    let mut done = 0usize;
    c.bench_function(&format!("a drag in a layer of {} joints", joints.len()), |b| {
        b.iter(|| {
            degrees = (degrees + 0.5) % 60.0;
            let over = PoseDestination::clip(clip, 0.3).in_layer(Some(PoseLayerId(0)));
            let turn = Turn {
                node: Nodes::Ids(joints.clone()),
                axis: Axis(Vec3::Y),
                degrees: Degrees(degrees),
                space: Some(AnySpace(Space::Local)),
                pivot: None,
                children: None,
                over,
            };
            if session.preview_all("Rotate", &[Command::from(turn)]).is_ok() {
                evaluator.update(
                    session.document(),
                    &Stack::shown(session.document(), Some(clip), 0.3),
                    &mut pose,
                );
                black_box(pose.palette(session.document(), skin));
                done += 1;
            }
        });
    });
    assert!(done > 0, "a drag is refused, so that nothing was measured");
}

fn fold(c: &mut Criterion) {
    const CLIPS: usize = 76;
    let (mut document, id) = skeleton(41, 40, Keys::Shared);
    let clip = document.clips[id].clone();
    document.file.clips =
        (0..CLIPS).map(|_| Shared::new((*clip).clone())).collect::<Vec<_>>().into();
    let joints: Vec<NodeId> = document.node_ids().collect();
    let mut group = c.benchmark_group("a layer folded over 76 clips");
    for (name, moves) in [("turns", false), ("turns and ways, sampled", true)] {
        let mut layered: Document = document.clone();
        for (k, id) in document.clips.ids().enumerate() {
            let layers: PoseLayers =
                std::iter::once(layer(k as u32, joints.iter().copied(), moves)).collect();
            layered.aids.pose_layers.insert(LayerHome::Clip(id), Shared::new(layers));
        }
        group.bench_function(name, |b| b.iter(|| black_box(Folder::default().fold(&layered))));
    }
    group.finish();
}

fn play(c: &mut Criterion) {
    let (document, id) = skeleton(200, 301, Keys::Shared);
    let joints: Vec<NodeId> = document.node_ids().collect();
    let mut group = c.benchmark_group("200 joints played");
    for (name, count, moves) in [
        ("without layers", 0, false),
        ("ten layers that turn", 10, false),
        ("ten that move too", 10, true),
    ] {
        let mut layered = document.clone();
        let layers: PoseLayers =
            (0..count).map(|k| layer(k, joints.iter().copied(), moves)).collect();
        if count > 0 {
            layered.aids.pose_layers.insert(LayerHome::Clip(id), Shared::new(layers));
        }
        let (mut evaluator, mut pose) = (Evaluator::default(), Pose::default());
        let mut stack = Stack::shown(&layered, Some(id), 0.0);
        let mut time = 0.0;
        group.bench_function(name, |b| {
            b.iter(|| {
                time = (time + 1.0 / 60.0) % 10.0;
                stack.lanes[0].instances[0].time = time;
                evaluator.update(&layered, &stack, &mut pose);
                black_box(&pose);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, drag, fold, play);
criterion_main!(benches);
