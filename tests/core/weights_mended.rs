//! Effect of weight tools on the motion. Characters with damaged and repaired weights must not be
//! strained more than before, and relaxing must keep volume on request.

use std::sync::atomic::{AtomicBool, AtomicU32};

use glam::Vec3;
use serde_json::json;
use ulna_edit::CommandLine;
use ulna_formats::gltf::Progress;
use ulna_model::{Document, Shared, SkinId};
use ulna_motion::{
    Evaluator, Pose, Sampling, Stack, Strain, StrainScratch, WorstPose, range_of_motion,
};
use ulna_session::Session;
use ulna_weights::{KEPT, SkinnedSurface, faults};

use crate::common::{named, run, sample, shared};

/// Returns the strain of the skin over all clips, at the worst time of each vertex: root mean
/// square, 99th percentile and maximum. In the root mean square, a tear counts more than the
/// same strain spread over many vertices.
fn strain_of(document: &Document) -> [f32; 3] {
    let sampling = Sampling { degrees: None, ..Sampling::default() };
    let found = WorstPose::search(document, &sampling, &AtomicBool::new(false), &AtomicU32::new(0))
        .expect("a search");
    let mut scores: Vec<f32> = Vec::new();
    for node in document.shown_nodes() {
        let Some(mesh) = document.node(node).mesh else { continue };
        for (primitive, _) in document.mesh(mesh).entries() {
            scores.extend(found.scores(node, primitive));
        }
    }
    scores.sort_by(f32::total_cmp);
    assert!(scores.len() > 100, "{} vertices were measured", scores.len());
    [mean_square(&scores), scores[scores.len() * 99 / 100], scores[scores.len() - 1]]
}

fn act(session: &mut Session, lines: &[serde_json::Value]) {
    for line in lines {
        let line: CommandLine = CommandLine::parse(&line.to_string()).expect("a line");
        run(session, line);
    }
}

/// Returns the smallest volume of each vertex relative to rest, and its worst score. Only every
/// other pose of a range of motion is used. Each joint has an odd number of poses, so the used
/// poses alternate from joint to joint.
fn bent(document: &Document, skin: SkinId, degrees: f32) -> (Vec<f32>, Vec<f32>) {
    let clip = Shared::new(range_of_motion(document, skin, Vec3::splat(degrees)));
    let (mut evaluator, mut pose, mut scratch) =
        (Evaluator::default(), Pose::default(), StrainScratch::default());
    let (mut volumes, mut scores) = (Vec::new(), Vec::new());
    let canvas = SkinnedSurface::new(document, skin).expect("a canvas");
    let mut times: Vec<f32> = clip.tracks.values().flat_map(|t| t.times.iter().copied()).collect();
    times.sort_by(f32::total_cmp);
    times.dedup();
    for part in canvas.parts() {
        let strain = Strain::of(document, part.node, part.primitive).expect("a surface");
        let mut own = vec![(1.0f32, 0.0f32); part.count as usize];
        for time in times.iter().step_by(2) {
            evaluator.update(document, &Stack::of(Some(&clip), f64::from(*time)), &mut pose);
            let mut found = Vec::new();
            strain.measure(document, &pose, &mut scratch, &mut found);
            for (own, found) in own.iter_mut().zip(found) {
                *own = (own.0.min(found.volume), own.1.max(found.score()));
            }
        }
        volumes.extend(own.iter().map(|o| o.0));
        scores.extend(own.iter().map(|o| o.1));
    }
    (volumes, scores)
}

fn mean_square(list: &[f32]) -> f32 {
    (list.iter().map(|v| v * v).sum::<f32>() / list.len().max(1) as f32).sqrt()
}

#[test]
fn commands_repair_damaged_weights_of_characters() {
    let Some(shared) = shared() else { return };
    // Each vertex follows one joint afterward, so only its strongest joint is still known.
    let spoil = [json!({"do":"weights.limit","most":1})];
    let acts = |passes: usize| {
        [
            json!({"do":"weights.smooth","passes":passes}),
            json!({"do":"weights.relax","passes":2,"volume":0.75}),
            json!({"do":"weights.limit","most":4}),
            json!({"do":"weights.normalize"}),
        ]
    };
    let list = [
        ("CesiumMan/CesiumMan.glb", acts(8)),
        ("Knight/Knight.glb", acts(4)),
        ("Dragon/dragon-animations.glb", acts(2)),
    ];
    let mut measured = 0;
    for (file, acts) in list {
        let path = shared.join("corpus/characters").join(file);
        let mut session =
            Session::open(&path, &Progress::default()).unwrap_or_else(|e| panic!("{file}: {e}"));
        let before = strain_of(session.document());
        act(&mut session, &spoil);
        let spoiled = strain_of(session.document());
        act(&mut session, &acts);
        let after = strain_of(session.document());
        eprintln!("{file}: {before:.3?}, spoiled {spoiled:.3?}, mended {after:.3?}");
        for map in session
            .document()
            .meshes
            .values()
            .flat_map(|m| &m.primitives)
            .filter_map(|p| p.weights.as_deref())
        {
            assert_eq!(faults(map, 4).broken(), 0, "{file}");
        }
        assert!(spoiled[0] > before[0] * 1.1, "{file} was hardly spoiled: {before:?} {spoiled:?}");
        for (k, what) in ["mean square", "one in a hundred", "worst"].into_iter().enumerate() {
            assert!(
                after[k] <= before[k] * 1.1,
                "{file}, {what}: {} and {} before",
                after[k],
                before[k]
            );
        }
        measured += 1;
    }
    assert_eq!(measured, 3);
}

#[test]
fn relaxing_keeps_the_requested_volume_without_more_strain() {
    let mut session = sample();
    let skin = SkinId(0);
    act(&mut session, &[json!({"do":"weights.limit","most":1})]);
    let (rigid, strained) = bent(session.document(), skin, 60.0);
    act(&mut session, &[json!({"do":"weights.smooth","passes":6})]);
    let (plain, _) = bent(session.document(), skin, 60.0);
    let lost = plain.iter().filter(|v| **v < KEPT - 1e-3).count();
    assert!(lost > 20, "smoothing alone loses volume at {lost} vertices");
    session.undo().expect("a step");
    act(&mut session, &[json!({"do":"weights.relax","passes":6,"volume":KEPT})]);
    let (kept, relaxed) = bent(session.document(), skin, 60.0);
    for (v, (kept, rigid)) in kept.iter().zip(&rigid).enumerate() {
        assert!(*kept >= rigid.min(KEPT) - 2e-3, "vertex {v} keeps {kept}, {rigid} before");
    }
    let (now, before) = (mean_square(&relaxed), mean_square(&strained));
    assert!(now < before, "{now} and {before} before");
}

#[test]
fn weights_are_valid_after_relaxing_with_volume_preservation() {
    for most in [1, 2, 3] {
        let mut session = sample();
        act(&mut session, &[json!({"do":"weights.relax","volume":KEPT,"most":most})]);
        let maps = session
            .document()
            .meshes
            .values()
            .flat_map(|m| &m.primitives)
            .filter_map(|p| p.weights.as_deref());
        for map in maps {
            assert_eq!(faults(map, most).broken(), 0, "at most {most}");
        }
    }
}

#[test]
fn a_limb_gradient_keeps_slots_of_other_joints_and_skips_vertices_without_a_bone() {
    let mut session = sample();
    let document = session.document().clone();
    let canvas = SkinnedSurface::new(&document, SkinId(0)).expect("a canvas");
    let joint = |name: &str| canvas.joint(named(&document, name)).expect("a joint");
    let chain = ["LeftUpperArm", "LeftLowerArm", "LeftHand"].map(joint);
    let others = ["Spine", "Chest", "Neck"].map(joint);
    // Chooses the arm, and puts three other joints into the slots of its vertices.
    let own = canvas.maps(&document).part(0).clone();
    let arm: Vec<String> = (0..own.vertex_count())
        .filter(|v| chain.iter().map(|j| own.weight(*v, *j)).sum::<f32>() > 0.99)
        .map(|v| v.to_string())
        .collect();
    assert!(arm.len() > 50);
    let all = ["LeftLowerArm", "Spine", "Chest", "Neck"];
    let vertices = format!("0/0: {}", arm.join(", "));
    act(
        &mut session,
        &[json!(
                {"do":"weights.assign","joints":all,"weights":[
                    0.3,0.25,0.25,0.2],"vertices":vertices})],
    );
    let before = canvas.maps(session.document()).part(0).clone();
    for _ in 0..3 {
        act(&mut session, &[json!({"do":"weights.along","to":"LeftHand"})]);
        let map = canvas.maps(session.document()).part(0).clone();
        for v in 0..map.vertex_count() {
            let held =
                |map: &ulna_model::WeightMap| chain.iter().map(|j| map.weight(v, *j)).sum::<f32>();
            assert!(
                (held(&map) - held(&before)).abs() < 1e-5,
                "vertex {v}: {} and {}",
                held(&map),
                held(&before)
            );
            for j in others {
                assert!((map.weight(v, j) - before.weight(v, j)).abs() < 1e-5, "vertex {v}");
            }
        }
    }
}

#[test]
fn a_limb_gradient_bends_evenly_and_repeating_it_changes_nothing() {
    let mut session = sample();
    let skin = SkinId(0);
    let before = session.document().clone();
    let canvas = SkinnedSurface::new(&before, skin).expect("a canvas");
    let joint = |name: &str| canvas.joint(named(&before, name)).expect("a joint");
    let chain = ["LeftUpperArm", "LeftLowerArm", "LeftHand"].map(joint);
    act(&mut session, &[json!({"do":"weights.limit","most":1})]);
    let (_, rigid) = bent(session.document(), skin, 60.0);
    let line = json!({"do":"weights.along","to":"LeftHand"});
    let was = canvas.maps(session.document()).part(0).clone();
    act(&mut session, std::slice::from_ref(&line));
    let map = canvas.maps(session.document()).part(0).clone();
    let (_, smooth) = bent(session.document(), skin, 60.0);
    let own: Vec<usize> = (0..map.vertex_count())
        .filter(|v| chain.iter().map(|j| was.weight(*v, *j)).sum::<f32>() > 0.5)
        .collect();
    assert!(own.len() > 50, "{} vertices of the arm", own.len());
    let of = |scores: &[f32]| mean_square(&own.iter().map(|v| scores[*v]).collect::<Vec<f32>>());
    assert!(of(&smooth) < of(&rigid) * 0.95, "{} and {} before", of(&smooth), of(&rigid));
    for v in 0..map.vertex_count() {
        let held =
            |map: &ulna_model::WeightMap| chain.iter().map(|j| map.weight(v, *j)).sum::<f32>();
        assert!((held(&map) - held(&was)).abs() < 1e-5, "vertex {v}: what the arm has stays");
    }
    let both = own
        .iter()
        .filter(|v| chain.iter().filter(|j| map.weight(**v, **j) > 0.05).count() == 2)
        .count();
    assert!(both > 20, "{both} vertices hang on two");
    act(&mut session, std::slice::from_ref(&line));
    let again = canvas.maps(session.document()).part(0).clone();
    for v in 0..map.vertex_count() {
        for j in chain {
            assert!((again.weight(v, j) - map.weight(v, j)).abs() < 1e-5, "vertex {v}");
        }
    }
    // If the chain is not a limb, the refusal gives advice.
    let line = CommandLine::parse(r#"{"do":"weights.along","to":"LeftHand","from":"RightHand"}"#)
        .expect("a line");
    let why = session.run_line(&line).expect_err("no limb").to_string();
    assert!(why.contains("is not a descendant of"), "{why}");
}
