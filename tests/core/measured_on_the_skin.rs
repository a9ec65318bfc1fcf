//! Errors that commands report are measured at the farthest vertices of the skin, not at the
//! joints.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use glam::Vec3;
use serde_json::{Value, json};
use ulna_edit::{CommandLine, command::mix_of};
use ulna_formats::gltf::Progress;
use ulna_model::{Clip, ClipId, Document, Interpolation, LayerHome, Property, Shared};
use ulna_motion::{
    Mixer, Pose, SeenPoints, Stack, best_seams,
    clip_edit::{TravelParts, TravelTo, move_travel},
    fold_clip, fold_error, footfalls, ground_speed,
    skinning::{Placement, Posed, base_normals, skin},
};
use ulna_session::Session;

use crate::common::{models, named, run, sample, shared};

fn does(session: &mut Session, text: Value) -> Vec<String> {
    run(session, CommandLine::parse(&text.to_string()).unwrap())
}

/// Returns all displayed vertices, computed by the code that draws them.
fn vertices(document: &Document, pose: &Pose) -> Vec<Vec3> {
    let mut all = Vec::new();
    for node in document.shown_nodes() {
        let Some(mesh) = document.node(node).mesh else { continue };
        for primitive in &document.mesh(mesh).primitives {
            let placement = Placement::of(document, pose, node, primitive);
            let mut out = Posed::default();
            skin(
                primitive,
                &base_normals(primitive),
                &pose.morphs[node.index()],
                &placement,
                &mut out,
            );
            all.extend(out.positions);
        }
    }
    all
}

fn apart(document: &Document, a: &Pose, b: &Pose) -> f32 {
    vertices(document, a)
        .iter()
        .zip(vertices(document, b))
        .map(|(a, b)| a.distance(b))
        .fold(0.0, f32::max)
}

fn at(document: &Document, clip: &Clip, time: f64) -> Pose {
    Pose::evaluate(document, &Stack::of(Some(&Shared::new(clip.clone())), time))
}

/// Returns the number after `before` in a message.
fn millimeters(said: &str, before: &str) -> f32 {
    let rest = said.split(before).nth(1).unwrap_or_else(|| panic!("{said}"));
    rest.trim_start().split(' ').next().unwrap().parse().unwrap()
}

#[test]
fn sample_points_are_at_vertices_and_a_few_find_the_same_deviation_as_all() {
    let document = sample().document().clone();
    let (walk, run_clip) = (&document.clips[ClipId(1)], &document.clips[ClipId(2)]);
    let (a, b) = (at(&document, walk, 0.3), at(&document, run_clip, 0.2));
    let all = SeenPoints::of(&document, usize::MAX);
    assert_eq!(all.len(), vertices(&document, &a).len());
    let off = all
        .at(&a)
        .iter()
        .zip(vertices(&document, &a))
        .map(|(a, b)| a.distance(b))
        .fold(0.0, f32::max);
    assert!(off < 1e-5, "{off}");
    let (all, exact) = (all.apart(&a, &b), apart(&document, &a, &b));
    assert!((all - exact).abs() < 1e-4, "{all} {exact}");
    let few = SeenPoints::of(&document, 512);
    assert!(
        few.len() < 1400 && few.apart(&a, &b) > 0.9 * exact,
        "{} points: {} of {exact}",
        few.len(),
        few.apart(&a, &b)
    );
    assert_eq!(few.label(), "the skin");
    // The poses differ only in one arm.
    let shoulder = named(&document, "LeftUpperArm");
    let arm =
        SeenPoints::where_all(&document, 512, &|n| n == shoulder || document.is_above(shoulder, n));
    assert!(
        !arm.is_empty()
            && (0..arm.len()).all(|k| {
                let n = arm.node(k).unwrap();
                n == shoulder || document.is_above(shoulder, n)
            })
    );
}

#[test]
fn baking_layers_reports_the_deviation_of_the_skin() {
    let mut session = sample();
    for text in [
        json!({"do": "layer.new", "clip": "Run", "name": "A"}),
        json!({"do": "layer.set", "clip": "Run", "layer": "A", "node": "Hips",
            "degrees": [0, 70, 0], "time": 0.1, "key": true}),
        json!({"do": "layer.set", "clip": "Run", "layer": "A", "node": "Hips",
            "degrees": [40, -70, 0], "time": 0.5, "key": true}),
        json!({"do": "layer.strength_keys", "clip": "Run", "layer": "A",
            "keys": [0.0, 0.2, 0.3, 1.0, 0.6, 0.4]}),
    ] {
        does(&mut session, text);
    }
    let before = session.document().clone();
    let id = ClipId(2);
    let folded =
        fold_clip(&before.file, &before.clips[id], &before.aids.layers(LayerHome::Clip(id))).clip;
    let seen = SeenPoints::of(&before, SeenPoints::MANY);
    let (off, _) = fold_error(&before, id, &folded, (&seen, 120));
    let length = f64::from(before.clips[id].length());
    let exact = (0..=120).map(|k| {
        let time = length * f64::from(k) / 120.0;
        let shown = Pose::evaluate(&before, &Stack::shown(&before, Some(id), time));
        apart(&before, &shown, &at(&before, &folded, time))
    });
    let exact = exact.fold(0.0, f32::max);
    assert!(off > 0.8 * exact && off <= exact * 1.001 + 1e-6, "{off} {exact}");
    // The deviation is larger than at any joint, because the hips move the whole body.
    let said = does(&mut session, json!({"do": "layer.fold", "clip": "Run"}));
    let number = millimeters(&said[0], "max error of the skin:");
    assert!((number - off * 1000.0).abs() < 0.006, "{said:?} {off}");
}

#[test]
fn the_root_motion_command_reports_the_deviation_of_the_skin_and_keeps_rotations() {
    let mut compared = 0;
    for (name, id) in [("Walk", ClipId(1)), ("Run", ClipId(2))] {
        let mut session = sample();
        // The body rotates, and has few keys that are far apart.
        does(
            &mut session,
            json!({"do": "key.set", "clip": name, "time": 0.6, "node": "Hips",
                "translation": [0.3, 1.0, 1.5]}),
        );
        let before = session.document().clone();
        let rotations = |d: &Document| {
            let tracks = d.clips[id].tracks.values().filter(|t| t.property == Property::Rotation);
            tracks.map(|t| (t.target, t.clone())).collect::<Vec<_>>()
        };
        does(&mut session, json!({"do": "clip.root_motion", "clip": name, "to": "in place"}));
        assert_eq!(rotations(session.document()), rotations(&before), "{name}");
        // A body that walks straight ahead does not rotate.
        let parts = TravelParts { ground: true, height: false, turn: true };
        let made = move_travel(&before, &before.clips[id], TravelTo::InPlace, parts, None).unwrap();
        for (target, track) in
            rotations(&before).into_iter().filter(|(n, _)| *n != named(&before, "Hips"))
        {
            let (_, now) = made.clip.track(target, Property::Rotation).unwrap();
            assert_eq!(*now, track);
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
}

/// The body has long legs. The foot joint is high above the sole, and the sole touches the ground.
#[test]
fn feet_touch_the_ground_at_their_lowest_vertices() {
    let document = sample().document().clone();
    let walk = &document.clips[ClipId(1)];
    let points = SeenPoints::of(&document, usize::MAX);
    let falls = footfalls(&document, walk);
    assert!(falls.len() >= 2, "{falls:?}");
    // A footfall is the time at which the lowest vertices of the foot reach the ground.
    for (time, side) in &falls {
        let foot = named(&document, if *side == "L" { "LeftFoot" } else { "RightFoot" });
        let of_foot =
            |k: &usize| points.node(*k).is_some_and(|n| n == foot || document.is_above(foot, n));
        let own: Vec<usize> = (0..points.len()).filter(of_foot).collect();
        let low = |t: f64| {
            let places = points.at(&at(&document, walk, t));
            own.iter().map(|k| places[*k].y).fold(f32::INFINITY, f32::min)
        };
        let all: Vec<f32> =
            (0..=60).map(|k| low(f64::from(walk.length()) * f64::from(k) / 60.0)).collect();
        let (bottom, top) =
            all.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), y| (l.min(*y), h.max(*y)));
        assert!(
            low(*time) <= bottom + 0.5 * (top - bottom),
            "{side} at {time}: {} of {bottom}..{top}",
            low(*time)
        );
    }
}

/// All walking characters of the corpus must have equal numbers of footfalls on both sides, and a
/// ground speed on which both feet agree.
#[test]
fn both_feet_have_equal_numbers_of_footfalls_on_the_corpus() {
    let Some(shared) = shared() else { return };
    let (mut walks, mut uneven) = (0, Vec::new());
    for path in models(&shared.join("corpus/characters")) {
        let Ok(session) = Session::open(&path, &Progress::default()) else { continue };
        let document = session.document();
        for (id, clip) in document.clips.iter() {
            let name = document.clip_label(id).to_lowercase();
            if !["walk", "run"].iter().any(|w| name.contains(w)) || clip.length() > 4.0 {
                continue;
            }
            let falls = footfalls(document, clip);
            let of = |side: &str| falls.iter().filter(|(_, s)| *s == side).count();
            if of("L") + of("R") == 0 {
                continue;
            }
            walks += 1;
            if of("L").abs_diff(of("R")) > 1 || !ground_speed(document, clip).is_finite() {
                uneven.push(format!(
                    "{} {name}: {} left, {} right",
                    path.display(),
                    of("L"),
                    of("R")
                ));
            }
        }
    }
    assert!(walks >= 2, "{walks}");
    assert!(uneven.len() * 5 <= walks, "{walks} walks, uneven: {uneven:#?}");
}

#[test]
fn seams_between_clips_are_measured_on_the_skin() {
    let document = sample().document().clone();
    let found = best_seams(&document, &[ClipId(1)], &[ClipId(2)], &|_| true);
    let seam = found[0];
    let poses = [(seam.from, seam.leave), (seam.to, seam.enter)]
        .map(|(id, t)| at(&document, &document.clips[id], t));
    // Aligns the poses in position and direction.
    let hips = named(&document, "Hips");
    let placed = poses.each_ref().map(|pose| {
        let body = pose.world[hips.index()];
        let turn = body.to_scale_rotation_translation().1;
        let back = glam::Quat::from_xyzw(0.0, turn.y, 0.0, turn.w).normalize().conjugate();
        let ground = body.w_axis.truncate().with_y(0.0);
        vertices(&document, pose).into_iter().map(|p| back * (p - ground)).collect::<Vec<_>>()
    });
    let exact = placed[0].iter().zip(&placed[1]).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(
        seam.distance <= exact * 1.001 && seam.distance > 0.85 * exact,
        "{} of {exact}",
        seam.distance
    );
}

#[test]
fn baking_a_mix_reports_the_deviation_of_the_skin() {
    let mut session = sample();
    does(&mut session, json!({"do": "mix.over", "clip": "Run", "over": "Wave"}));
    let said =
        does(&mut session, json!({"do": "mix.bake", "name": "Both", "rate": 12, "millimetres": 0}));
    let number = millimeters(&said[0], "between frames:");
    let document = session.document();
    let mix = mix_of(document).unwrap();
    let both = document.clips.iter().find(|(_, c)| c.name.as_deref() == Some("Both")).unwrap().1;
    let (mut mixer, mut worst) = (Mixer::default(), 0.0f32);
    for k in 0..=200 {
        let time = mix.length() * f64::from(k) / 200.0;
        let shown = Pose::evaluate(document, &mixer.stack(document, &mix, time));
        worst = worst.max(apart(document, &shown, &at(document, both, time)));
    }
    assert!(worst > 1e-3 && number > 0.8e3 * worst && number < 1.2e3 * worst, "{said:?} {worst}");
}

#[test]
fn reducing_and_fitting_keep_every_vertex_within_the_stated_deviation() {
    let document = sample().document().clone();
    let id = ClipId(1);
    let mut cases = 0;
    for command in ["clip.reduce", "clip.make_editable"] {
        let mut session = sample();
        let said = does(&mut session, json!({"do": command, "clip": "Walk"}));
        let made = &session.document().clips[id];
        assert!(made.tracks.values().any(|t| t.interpolation != Interpolation::Step));
        let mut worst = 0.0f32;
        for k in 0..=64 {
            let time = f64::from(made.length()) * f64::from(k) / 64.0;
            worst = worst.max(apart(
                &document,
                &at(&document, &document.clips[id], time),
                &at(&document, made, time),
            ));
        }
        let number = millimeters(&said[0], "max error");
        let between = said[0]
            .split("between its old keys ")
            .nth(1)
            .map_or(0.0, |s| s.split(' ').next().unwrap().parse().unwrap());
        let height = 1.8f32;
        assert!(
            worst * 1000.0 <= number.max(between) * 1.05 * (2.0 / height) + 0.01,
            "{command}: {worst} {said:?}"
        );
        cases += 1;
    }
    assert_eq!(cases, 2);
}
