//! Rotating many selected joints by dragging a ring, measured from the pointer event to the
//! skinning matrices.
//!
//! Target: at least 3 times as fast as the same command in text form.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use glam::Vec3;
use ulna_edit::{
    Command, CommandLine,
    command::{
        Rotate,
        field::{Axis, Degrees, Nodes},
    },
};
use ulna_model::{NodeId, SkinId};
use ulna_motion::{Evaluator, Pose, Space, Stack};
use ulna_session::Session;

/// Returns the command of one pointer move.
fn turn(joints: &[NodeId], degrees: f32) -> Command {
    let node = Nodes::Ids(joints.to_vec());
    Rotate { node, axis: Axis(Vec3::Y), degrees: Degrees(degrees), space: Some(Space::Local) }
        .into()
}

fn drag(c: &mut Criterion) {
    let sample = include_bytes!("../assets/mannequin.glb");
    let Ok(mut session) = Session::open_bytes(sample) else { return };
    let skin = SkinId::from(0);
    let joints = session.document().skin(skin).joints.to_vec();
    let (mut evaluator, mut pose) =
        (Evaluator::default(), Pose::evaluate(session.document(), &Stack::default()));
    let mut degrees = 0.0;
    let mut group = c.benchmark_group(format!("a ring over {} joints", joints.len()));
    for (name, by_text) in [("by the command", false), ("by its text", true)] {
        group.bench_function(name, |b| {
            b.iter(|| {
                degrees += 0.5;
                let mut command = turn(&joints, degrees);
                if by_text {
                    let text = command.line(session.document()).to_string();
                    let read = CommandLine::parse(&text).and_then(|line| Command::read(&line));
                    command = read.unwrap_or(command);
                }
                if session.preview_all("Rotate", &[command]).is_ok() {
                    evaluator.update(session.document(), &Stack::default(), &mut pose);
                    black_box(pose.palette(session.document(), skin));
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, drag);
criterion_main!(benches);
