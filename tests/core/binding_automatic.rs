//! Automatic weights of the corpus characters beside those that they come with.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::path::Path;

use glam::Vec3;
use serde_json::json;
use ulna_edit::CommandLine;
use ulna_formats::gltf::Progress;
use ulna_model::{Document, Shared};
use ulna_motion::{Pose, SeenPoints, Stack};
use ulna_session::Session;

use crate::common::{run, sample, shared, skipped};

/// A file whose body is bound again, with the mean and the largest deviation that it may have from
/// its own weights, % of the height.
const BODIES: [(&str, f64, f64); 5] = [
    ("CesiumMan/CesiumMan.glb", 0.20, 4.0),
    ("RiggedFigure/RiggedFigure.glb", 0.09, 2.5),
    ("Dragon/dragon-animations.glb", 0.30, 15.0),
    ("Knight/Knight.glb", 0.60, 20.0),
    ("Fox49/fox-animations.glb", 0.50, 9.0),
];

fn rebound(session: &mut Session) -> Vec<String> {
    run(session, CommandLine::new("weights.bind").with("rebind", "all"))
}

/// Poses of all clips, eight times each.
fn poses(document: &Document) -> Vec<Pose> {
    let mut all = Vec::new();
    for (id, clip) in document.clips.iter() {
        let times = (0..8).map(|k| f64::from(clip.length()) * f64::from(k) / 8.0);
        all.extend(times.map(|t| Pose::evaluate(document, &Stack::shown(document, Some(id), t))));
    }
    all
}

/// Mean and largest distance of the skin from where it was, % of the height at rest.
fn deviation(before: &Document, after: &Document) -> (f64, f64) {
    let points = |d: &Document| -> Vec<Vec<Vec3>> {
        let seen = SeenPoints::of(d, usize::MAX);
        poses(d).iter().map(|pose| seen.at(pose)).collect()
    };
    let rest = SeenPoints::of(before, usize::MAX).at(&Pose::evaluate(before, &Stack::default()));
    let heights = rest.iter().map(|p| f64::from(p.y));
    let (low, high) = heights.fold((f64::MAX, f64::MIN), |(l, h), y| (l.min(y), h.max(y)));
    let (a, b) = (points(before), points(after));
    let (mut sum, mut worst, mut count) = (0.0, 0.0f64, 0usize);
    for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
        let off = f64::from(a.distance(*b));
        (sum, worst, count) = (sum + off, worst.max(off), count + 1);
    }
    let part = 100.0 / (high - low).max(1e-6);
    (sum / count.max(1) as f64 * part, worst * part)
}

fn sums(document: &Document) {
    for mesh in document.meshes.values() {
        for map in mesh.primitives.iter().filter_map(|p| p.weights.as_deref()) {
            for v in 0..map.vertex_count() {
                let sum: f32 = map.vertex(v).map(|(_, w)| w).sum();
                assert!((sum - 1.0).abs() < 2e-5, "vertex {v} sums to {sum}");
            }
        }
    }
}

#[test]
fn the_sample_is_bound_nearly_as_it_was_painted() {
    let mut session = sample();
    let before = session.document().clone();
    let said = rebound(&mut session);
    assert!(said[0].contains("by heat"), "{said:?}");
    sums(session.document());
    let (mean, worst) = deviation(&before, session.document());
    assert!(mean <= 0.20 && worst <= 6.0, "{mean} {worst}");
    session.undo();
    assert!(session.pack("x").unwrap().bytes == session.source().bytes);
}

#[test]
fn characters_are_bound_nearly_as_they_were_made() {
    let Some(folder) = shared() else { return skipped("characters") };
    let mut ran = 0;
    for (name, mean_wanted, worst_wanted) in BODIES {
        let path = folder.join("corpus/characters").join(Path::new(name));
        let mut session = Session::open(&path, &Progress::default()).unwrap();
        let before = session.document().clone();
        let said = rebound(&mut session);
        sums(session.document());
        let (mean, worst) = deviation(&before, session.document());
        println!("{name}: mean {mean:.3} %, worst {worst:.2} % of the height; {said:?}");
        assert!(mean <= mean_wanted && worst <= worst_wanted, "{name}: {mean} {worst}");
        ran += 1;
    }
    assert_eq!(ran, BODIES.len());
}

#[test]
fn locked_joints_keep_their_weights_and_named_vertices_alone_change() {
    let mut session = sample();
    let before = session.document().clone();
    let lock = CommandLine::new("weights.bind")
        .with("rebind", "all")
        .with("locked", json!(["Head", "Neck"]));
    run(&mut session, lock);
    let head = crate::common::named(&before, "Head");
    let mut kept = 0;
    for (id, mesh) in before.meshes.iter() {
        for (k, p) in mesh.entries() {
            let Some(was) = p.weights.as_deref() else { continue };
            let now = session.document().mesh(id).primitives[k.index()].weights.clone().unwrap();
            let skin = before.nodes.values().find(|n| n.mesh == Some(id)).unwrap().skin.unwrap();
            let joints = &before.skin(skin).joints;
            let Some(slot) = joints.iter().position(|j| *j == head) else { continue };
            for v in 0..was.vertex_count() {
                let of = |map: &ulna_model::WeightMap| map.weight(v, slot as u16);
                assert!((of(was) - of(&now)).abs() < 1e-6, "vertex {v}");
                kept += usize::from(of(was) > 0.0);
            }
        }
    }
    assert!(kept > 50, "{kept}");
    session.undo();
    let some = CommandLine::new("weights.bind")
        .with("rebind", "vertices")
        .with("vertices", json!([0, 1, 2]));
    assert!(session.run_line(&some).is_ok(), "vertices are named by number");
    for (id, mesh) in before.meshes.iter() {
        for (k, p) in mesh.entries() {
            let now = &session.document().mesh(id).primitives[k.index()].weights;
            let (Some(was), Some(now)) = (&p.weights, now) else { continue };
            if Shared::ptr_eq(was, now) {
                continue;
            }
            for v in 3..was.vertex_count() {
                assert!(was.vertex(v).eq(now.vertex(v)), "vertex {v} was not named");
            }
        }
    }
    let refused = |line: CommandLine| sample().run_line(&line).unwrap_err().code();
    let rebind = CommandLine::new("weights.bind").with("rebind", "joints");
    assert_eq!(refused(rebind), "argument_missing");
    let sharp = CommandLine::new("weights.bind").with("sharpness", 50);
    assert_eq!(refused(sharp), "argument_out_of_range");
    assert_eq!(refused(CommandLine::new("weights.bind")), "weights_there_already");
}
