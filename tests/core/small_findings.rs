//! Messages about valid files, and operations without effect: skinned meshes below identity nodes,
//! the end of a surface piece under a brush, and loops with a late start. Also motion that is
//! scaled along one axis only.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use glam::Vec3;
use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_formats::gltf::rules;
use ulna_model::{ClipId, Property, Severity, SkinId};
use ulna_motion::{Averaging, motion_paths};
use ulna_session::Session;
use ulna_weights::{
    Brush, BrushKind, Dab, Paint, PosedSurface, Reach, SkinnedSurface, Stroke, Touch,
};

use crate::common::{floats, glb, named, run, sample, split, weights::positions};

fn does(session: &mut Session, text: Value) -> Vec<String> {
    run(session, CommandLine::parse(&text.to_string()).unwrap())
}

const BELOW: &str = "NODE_SKINNED_MESH_NON_ROOT";

/// Returns the sample with its mesh below the armature, as Blender exports it. It has `more`
/// additional meshes below a node with the given transform.
fn exported(above: &Value, more: usize) -> Vec<u8> {
    let (mut root, bin) = split(include_bytes!("../../assets/mannequin.glb"));
    let nodes = root["nodes"].as_array_mut().unwrap();
    let first = nodes.len();
    for _ in 0..more {
        nodes.push(json!({"mesh": 0, "skin": 0}));
    }
    let children: Vec<usize> = [2, 1].into_iter().chain(first..first + more).collect();
    nodes[0]["children"] = json!(children);
    for (name, value) in above.as_object().unwrap() {
        nodes[0][name] = value.clone();
    }
    root["scenes"][0]["nodes"] = json!([0]);
    root.as_object_mut().unwrap().remove("buffers");
    glb(root, &bin)
}

#[test]
fn skinned_meshes_below_nodes_with_ignored_transforms_are_one_finding() {
    let still = [
        json!({}),
        json!({"translation": [0, 0, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]}),
        // Rounding errors of a node that was rotated to another axis and back.
        json!({"rotation": [-2.1e-8, 0, 0, 1], "scale": [1.000_000_1, 1, 1]}),
        json!({"matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}),
    ];
    let mut cases = 0;
    for (above, more) in still.iter().flat_map(|a| [(a, 0), (a, 3)]) {
        let session = Session::open_bytes(&exported(above, more)).unwrap();
        let found: Vec<_> =
            rules::check(session.source()).into_iter().filter(|d| d.code == BELOW).collect();
        assert_eq!(found.len(), 1, "{above}: {found:?}");
        assert_eq!(found[0].severity, Severity::Info);
        let meshes = if more == 0 { "1 skinned mesh has" } else { "4 skinned meshes have" };
        assert!(found[0].message.contains(meshes), "{}", found[0].message);
        // The window and both verbs of the command line list the same findings.
        assert_eq!(session.all_findings(), session.findings_now());
        assert!(
            session.all_findings().iter().all(|d| d.severity == Severity::Info),
            "{:?}",
            session.all_findings()
        );
        cases += 1;
    }
    let moved = [
        json!({"translation": [0, 0.1, 0]}),
        json!({"rotation": [0.6, 0, 0, 0.8]}),
        json!({"scale": [0.01, 0.01, 0.01]}),
        json!({"matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.5, 0, 0, 1]}),
    ];
    for (above, more) in moved.iter().flat_map(|a| [(a, 0), (a, 2)]) {
        let session = Session::open_bytes(&exported(above, more)).unwrap();
        let found: Vec<_> =
            rules::check(session.source()).into_iter().filter(|d| d.code == BELOW).collect();
        assert_eq!(found.len(), 1 + more, "{above}: {found:?}");
        assert!(found.iter().all(|d| d.severity == Severity::Warning));
        cases += 1;
    }
    assert_eq!(cases, 16);
}

/// Builds two squares in one mesh, side by side and disconnected, each with its own joint.
fn shells(gap: f32) -> Session {
    let square =
        |x: f32| [[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0], [x, 1.0, 0.0], [x + 1.0, 1.0, 0.0]].concat();
    let places = [square(0.0), square(1.0 + gap)].concat();
    let weights: Vec<f32> = (0..8).flat_map(|_| [1.0, 0.0, 0.0, 0.0]).collect();
    let joints: Vec<u8> = (0..8u8).flat_map(|v| [v / 4, 0, 0, 0]).collect();
    let indices: Vec<u8> =
        [0u16, 1, 2, 2, 1, 3, 4, 5, 6, 6, 5, 7].iter().flat_map(|i| i.to_le_bytes()).collect();
    let bin = [floats(&places), floats(&weights), joints, indices].concat();
    let views = [(0, 96), (96, 128), (224, 32), (256, 24)];
    let accessor = |view: usize, component: u32, kind: &str, count: usize| {
        json!({"bufferView": view, "componentType": component, "type": kind,
            "count": count})
    };
    let mut position = accessor(0, 5126, "VEC3", 8);
    position["min"] = json!([0, 0, 0]);
    position["max"] = json!([2.0 + gap, 1, 0]);
    let root = json!({
        "bufferViews": views.map(|(at,
            length)| json!({"buffer": 0, "byteOffset": at, "byteLength": length})),
        "accessors": [position, accessor(1, 5126, "VEC4", 8), accessor(2, 5121, "VEC4", 8),
            accessor(3, 5123, "SCALAR", 12)],
        "meshes": [
            {"primitives": [{"attributes": {"POSITION": 0, "WEIGHTS_0": 1, "JOINTS_0": 2},
                "indices": 3}]}],
        "nodes": [{"name": "A", "children": [1]}, {"name": "B"},
            {"name": "Body", "mesh": 0, "skin": 0}],
        "skins": [{"joints": [0, 1]}],
        "scenes": [{"nodes": [0, 2]}], "scene": 0
    });
    Session::open_bytes(&glb(root, &bin)).unwrap()
}

#[test]
fn a_surface_brush_stops_at_the_end_of_its_piece() {
    let mut cases = 0;
    // Width of the gap, reach, and radius about a corner of the first piece. Expected: whether the
    // second piece is painted, and whether the end of a piece is reported.
    for (gap, reach, radius, paints, ends) in [
        (0.2, Reach::Surface, 0.6, false, true),
        (0.2, Reach::Volume, 0.6, true, false),
        (0.2, Reach::Surface, 0.1, false, false),
        (3.0, Reach::Surface, 1.2, false, false),
    ] {
        let session = shells(gap);
        let canvas = SkinnedSurface::new(session.document(), SkinId(0)).unwrap();
        let (places, _) = positions(session.document(), &canvas);
        let posed = PosedSurface { positions: &places, normals: &[] };
        let brush = Brush {
            kind: BrushKind::Smooth,
            reach,
            strength: 1.0,
            front_only: false,
            ..Brush::default()
        };
        let paint = Paint { brush, joint: 0, locked: &[false; 2], limit: 4, mirror: None };
        let mut stroke = Stroke::new(&canvas);
        assert!(!stroke.ends_with_piece(&canvas, posed));
        let touch = Touch {
            at: Vec3::new(1.0, 0.0, 0.0),
            corners: [1, 2, 3],
            direction: Vec3::NEG_Z,
            eye: None,
            radius,
        };
        let dab = Dab { touch, pressure: 1.0, motion: Vec3::ZERO, near: None };
        let patches = stroke.dab(&canvas.maps(session.document()), &canvas, posed, &dab, &paint);
        let changed = patches.iter().any(|(_, p)| !p.vertices.is_empty());
        if reach == Reach::Surface {
            assert_eq!(changed, paints, "{gap} {radius}");
        }
        assert_eq!(stroke.ends_with_piece(&canvas, posed), ends, "{gap} {reach:?} {radius}");
        cases += 1;
    }
    assert_eq!(cases, 4);
}

#[test]
fn for_a_loop_with_a_late_start_the_command_start_at_zero_is_suggested() {
    let mut session = sample();
    does(&mut session, json!({"do": "clip.split", "clip": "Walk", "time": 0.5, "name": "Late"}));
    does(&mut session, json!({"do": "key.move", "clip": "Late", "by": 0.25, "from": 0, "to": 9}));
    let said = does(&mut session, json!({"do": "clip.close_loop", "clip": "Late", "how": "blend"}));
    assert!(said[0].contains("0.250 s") && said[0].contains("clip.start_at_zero"), "{said:?}");
    does(&mut session, json!({"do": "clip.start_at_zero", "clip": "Late"}));
    let said = does(&mut session, json!({"do": "clip.close_loop", "clip": "Late", "how": "match"}));
    assert!(!said.iter().any(|s| s.contains("clip.start_at_zero")), "{said:?}");
}

#[test]
fn a_loop_whose_layers_are_not_closed_is_not_reported_as_closed() {
    let mut session = sample();
    for text in [
        json!({"do": "layer.new", "clip": "Walk", "name": "Nod"}),
        json!({"do": "layer.set", "clip": "Walk", "layer": "Nod", "node": "Head",
            "degrees": [0, 0, 0], "time": 0, "key": true}),
        json!({"do": "layer.set", "clip": "Walk", "layer": "Nod", "node": "Head",
            "degrees": [20, 0, 0], "time": 1, "key": true}),
    ] {
        does(&mut session, text);
    }
    let said = does(&mut session, json!({"do": "clip.close_loop", "clip": "Walk"}));
    assert!(said[0].contains("“Nod”") && said[0].contains("layer.fold"), "{said:?}");
    does(
        &mut session,
        json!({"do": "layer.set", "clip": "Walk", "layer": "Nod", "node": "Head",
            "degrees": [0, 0, 0], "time": 1, "key": true}),
    );
    let said = does(&mut session, json!({"do": "clip.close_loop", "clip": "Walk"}));
    assert!(!said.iter().any(|s| s.contains("“Nod”")), "{said:?}");
}

#[test]
fn amplifying_motion_on_one_axis_keeps_the_others_exactly() {
    let mut session = sample();
    let hips = named(session.document(), "Hips");
    let track = |s: &Session| {
        s.document().clips[ClipId(1)].track(hips, Property::Translation).unwrap().1.clone()
    };
    let before = track(&session);
    does(
        &mut session,
        json!({
            "do": "key.value", "clip": "Walk", "how": "scale", "by": [1, 1.5, 1], "about": "mean",
            "node": "Hips", "parts": ["translation"],
        }),
    );
    let after = track(&session);
    let spread = |t: &ulna_model::Track, axis: usize| {
        let values = (0..t.times.len()).map(|k| t.value(k)[axis]);
        let (low, high) =
            values.fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        high - low
    };
    assert!((spread(&after, 1) - 1.5 * spread(&before, 1)).abs() < 1e-5);
    for k in 0..before.times.len() {
        assert_eq!(
            [before.value(k)[0], before.value(k)[2]],
            [after.value(k)[0], after.value(k)[2]]
        );
    }
}

#[test]
fn motion_paths_use_the_displayed_interpolation() {
    let mut session = sample();
    // The two keys are far apart, so the two interpolations differ between them.
    for text in [
        json!({"do": "clip.new", "name": "Turn"}),
        json!({"do": "key.set", "clip": "Turn", "time": 0, "node": "LeftUpperArm",
            "degrees": [0, 0, 0], "interpolation": "linear"}),
        json!({"do": "key.set", "clip": "Turn", "time": 1, "node": "LeftUpperArm",
            "degrees": [0, 160, 0], "interpolation": "linear"}),
    ] {
        does(&mut session, text);
    }
    let document = session.document();
    let id = document.clips.iter().find(|(_, c)| c.name.as_deref() == Some("Turn")).unwrap().0;
    let hand = [named(document, "LeftHand")];
    let paths = [Averaging::Slerp, Averaging::Nlerp].map(|between| {
        motion_paths(document, id, &hand, (30.0, between), 200)
            .remove(0)
            .places
            .iter()
            .map(|p| p.at)
            .collect::<Vec<_>>()
    });
    assert_eq!(paths[0].len(), paths[1].len());
    let gap = |k: usize| paths[0][k].distance(paths[1][k]);
    let last = paths[0].len() - 1;
    assert!(
        gap(0) < 1e-6 && gap(last) < 1e-6 && gap(last / 4) > 0.003,
        "{} {}",
        gap(last / 4),
        gap(last)
    );
}

#[test]
fn commands_that_need_a_clip_are_disabled_without_clips() {
    let (mut root, bin) = split(include_bytes!("../../assets/mannequin.glb"));
    root.as_object_mut().unwrap().remove("animations");
    let session = Session::open_bytes(&glb(root, &bin)).unwrap();
    let availability = session.availability();
    let needing = ulna_edit::table().iter().filter(|command| {
        let clip = |a: &ulna_edit::ArgumentSpec| a.name == "clip" && a.required;
        command.arguments.iter().any(clip)
    });
    let mut count = 0;
    for command in needing {
        assert!(command.check(&availability).is_err(), "{} is off", command.name);
        count += 1;
    }
    assert!(count > 40, "{count}");
    let new = ulna_edit::table().iter().find(|c| c.name == "clip.new").unwrap();
    assert_eq!(new.check(&availability), Ok(()));
}
