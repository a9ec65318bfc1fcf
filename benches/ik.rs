//! Inverse kinematics of limbs, measured from the pointer event to the skinning matrices.
//!
//! Targets: one limb of a body with 67 joints takes less than 0.3 ms. A full body with four pins
//! takes less than 1 ms. 200 joints dragged at once take less than 0.5 ms. For comparison, a
//! straightforward loop solves only the two bones, without document, history or skinning matrices.

mod common;

use std::hint::black_box;

use common::body::game_body;
use criterion::{Criterion, criterion_group, criterion_main};
use glam::Vec3;
use ulna_edit::{
    Command,
    command::{
        Body, DragLimb, Move, PinKind, PoseDestination, SetPin,
        field::{Factor, Nodes},
    },
};
use ulna_model::{Document, NodeId, SkinId};
use ulna_motion::{Evaluator, Pose, Space, Stack, ik};
use ulna_session::Session;

fn named(document: &Document, name: &str) -> Option<NodeId> {
    document.node_ids().find(|n| document.node(*n).name.as_deref() == Some(name))
}

/// Returns the command of one pointer move.
fn drag(node: NodeId, to: Vec3, body: Body) -> Command {
    DragLimb {
        node: Nodes::one(node),
        to,
        chain: None,
        swivel: None,
        tip: None,
        end: None,
        soft: None,
        limits: None,
        plant: None,
        body: Some(body),
        over: PoseDestination::FILE,
    }
    .into()
}

fn limbs(c: &mut Criterion) {
    let Some(mut session) = game_body(67, 1.0).and_then(|file| Session::open_bytes(&file).ok())
    else {
        return;
    };
    assert_eq!(session.document().skins[SkinId::from(0)].joints.len(), 67);
    let skin = SkinId::from(0);
    let start = Pose::evaluate(session.document(), &Stack::default());
    let (mut evaluator, mut pose) = (Evaluator::default(), start.clone());
    let Some(hand) = named(session.document(), "LeftHand") else { return };
    let at = start.world[hand.index()].w_axis.truncate();
    let mut step = 0u32;
    let mut next = move || {
        step += 1;
        (step as f32 * 0.37).sin() * 0.1
    };
    let mut group = c.benchmark_group("a hand dragged");
    group.bench_function("the solver alone", |b| {
        let document = session.document();
        let Some(limb) = ik::limb_of(document, &start, hand, None, false) else { return };
        b.iter(|| {
            let target = at + Vec3::new(next(), 0.1, 0.1);
            let goal = ik::Goal { tip: Vec3::ZERO, target, swivel: 0.0, keeps: None, soft: true };
            black_box(ik::solve(document, &start, &limb, &goal));
        });
    });
    for (name, pins, far) in
        [("from pointer to palette", false, 0.0), ("full body, four pins", true, 0.5)]
    {
        if pins {
            let all = ["LeftFoot", "RightFoot", "RightHand", "Head"]
                .map(|n| named(session.document(), n));
            let node = Nodes::Ids(all.into_iter().flatten().collect());
            if session.run(&SetPin { node, kind: Some(PinKind::Both) }.into()).is_err() {
                return;
            }
        }
        let body = if pins { Body::Full } else { Body::Limb };
        group.bench_function(name, |b| {
            b.iter(|| {
                let to = at + Vec3::new(next() + far * 0.5, 0.1, 0.1 + far);
                if session.preview_all("Drag", &[drag(hand, to, body)]).is_ok() {
                    evaluator.update(session.document(), &Stack::default(), &mut pose);
                    black_box(pose.palette(session.document(), skin));
                }
            });
        });
        session.cancel();
    }
    group.finish();
}

/// Measures a body with 200 joints in ten chains, all of which are dragged.
fn many(c: &mut Criterion) {
    let joints: Vec<String> = (0..200)
        .map(|k| {
            let children =
                if k % 20 < 19 { format!(r#","children":[{}]"#, k + 1) } else { String::new() };
            format!(r#"{{"name":"j{k}","translation":[0,0.1,0.01]{children}}}"#)
        })
        .collect();
    let roots: Vec<String> = (0..10).map(|k| (k * 20).to_string()).collect();
    let all: Vec<String> = (0..200).map(|k| k.to_string()).collect();
    let file = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[{}]}}],
            "nodes":[{}],"skins":[{{"joints":[{}]}}]}}"#,
        roots.join(","),
        joints.join(","),
        all.join(",")
    );
    let Ok(mut session) = Session::open_bytes(file.as_bytes()) else { return };
    let nodes: Vec<NodeId> = session.document().node_ids().collect();
    let (mut evaluator, mut pose) = (Evaluator::default(), Pose::default());
    let mut by = 0.0;
    c.bench_function("200 joints moved in the scene", |b| {
        b.iter(|| {
            by += 1e-4;
            let node = Nodes::Ids(nodes.clone());
            let step =
                Move { node, by: Factor(Vec3::new(by, 0.0, 0.0)), space: Some(Space::World) };
            if session.preview_all("Move", &[step.into()]).is_ok() {
                evaluator.update(session.document(), &Stack::default(), &mut pose);
                black_box(pose.palette(session.document(), SkinId::from(0)));
            }
        });
    });
}

criterion_group!(benches, limbs, many);
criterion_main!(benches);
