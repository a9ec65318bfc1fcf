//! Smoothing must not leave negligible weights of distant joints: no weight below half a step of
//! the stored type, and a sum of 1.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use glam::Vec3;
use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_model::{Document, MeshId, PrimitiveId, SkinId, WeightEncoding};
use ulna_session::Session;
use ulna_weights::{
    Brush, BrushKind, Dab, MirrorMap, Paint, PosedSurface, SkinnedSurface, Stroke, Touch, fault,
};

use crate::common::{
    run,
    weights::{map, partners, positions, with_eight, with_encoding},
};

fn least(encoding: WeightEncoding) -> f32 {
    encoding.one().map_or(1e-6, |one| 0.5 / one as f32)
}

/// Returns the number of weights below half a step, over all vertices with valid weights.
fn traces(document: &Document, counted: bool) -> usize {
    let weights = map(document, MeshId(0), PrimitiveId(0));
    let least = least(weights.encoding);
    for v in (0..weights.vertex_count()).filter(|_| counted) {
        assert_eq!(
            fault(weights, v, 16),
            None,
            "vertex {v}: {:?}",
            weights.vertex(v).collect::<Vec<_>>()
        );
    }
    weights.weights.iter().filter(|w| **w > 0.0 && **w < least).count()
}

fn line(session: &mut Session, line: Value) -> Vec<String> {
    run(session, CommandLine::parse(&line.to_string()).unwrap())
}

#[test]
fn smoothing_drops_negligible_weights() {
    let encodings = [WeightEncoding::Float, WeightEncoding::Short, WeightEncoding::Byte];
    let mut done = 0;
    for (encoding, eight) in encodings.into_iter().flat_map(|e| [(e, false), (e, true)]) {
        let open = || if eight { with_eight(encoding) } else { with_encoding(encoding) };
        for act in [
            json!({"do": "weights.smooth", "passes": 30}),
            json!({"do": "weights.relax", "passes": 12, "amount": 0.6}),
            json!({"do": "weights.relax", "passes": 3, "volume": 0.9}),
            json!({"do": "weights.smooth", "passes": 12, "joint": "Spine"}),
        ] {
            let mut session = open();
            let before = traces(session.document(), true);
            line(&mut session, act.clone());
            let after = traces(session.document(), true);
            // Vertices that no pass changed can keep their negligible weights.
            assert!(
                after <= before && (encoding != WeightEncoding::Float || before > 0 || after == 0),
                "{act}: {after}, {before}"
            );
            assert!(act["joint"].is_string() || after == 0, "{encoding:?} {act}: {after}");
            done += 1;
        }
    }
    assert_eq!(done, 24);
}

#[test]
fn smoothing_keeps_weights_of_locked_joints() {
    let mut session = with_eight(WeightEncoding::Float);
    // A locked joint has a very small weight.
    let canvas = SkinnedSurface::new(session.document(), SkinId(0)).unwrap();
    let name = |j: usize| session.document().node(canvas.joints()[j]).label(canvas.joints()[j]);
    let (a, b) = (name(1), name(2));
    line(
        &mut session,
        json!({"do": "weights.set", "mesh": "#0", "joints": [a, b], "vertices": [7],
            "of": [0, 1, 0, 0, 0, 0, 0, 0],
        "weights": [0.9999999, 1e-7, 0, 0, 0, 0, 0, 0]}),
    );
    let held = |session: &Session| map(session.document(), MeshId(0), PrimitiveId(0)).weight(7, 2);
    assert!(held(&session) > 0.0);
    line(&mut session, json!({"do": "weights.smooth", "passes": 2, "amount": 0.3, "locked": b}));
    assert!((held(&session) - 1e-7).abs() < 1e-9, "{}", held(&session));
}

/// A vertex that smoothing does not reach is not repaired.
#[test]
fn smoothing_does_not_change_vertices_out_of_reach() {
    let mut session = with_encoding(WeightEncoding::Float);
    let (a, b) = {
        let canvas = SkinnedSurface::new(session.document(), SkinId(0)).unwrap();
        let name = |j: usize| session.document().node(canvas.joints()[j]).label(canvas.joints()[j]);
        (name(1), name(2))
    };
    line(
        &mut session,
        json!({"do": "weights.set", "mesh": "#0", "joints": [a, b], "vertices": [7, 900],
            "of": [0, 1, 0, 0, 0, 1, 0, 0],
        "weights": [0.9999999, 1e-7, 0, 0, 0.9999999, 1e-7, 0, 0]}),
    );
    let slots = |session: &Session| {
        let weights = map(session.document(), MeshId(0), PrimitiveId(0));
        (weights.joints[28..32].to_vec(), weights.weights[28..32].to_vec())
    };
    let before = slots(&session);
    line(&mut session, json!({"do": "weights.smooth", "vertices": "800-1000"}));
    assert_eq!(slots(&session), before);
}

#[test]
fn a_smoothing_stroke_leaves_no_negligible_weights() {
    let mut rubbed = 0;
    for (kind, mirrored) in [
        (BrushKind::Smooth, false),
        (BrushKind::Smooth, true),
        (BrushKind::Average, false),
        (BrushKind::Smear, true),
    ] {
        let mut session = with_eight(WeightEncoding::Float);
        let canvas = SkinnedSurface::new(session.document(), SkinId(0)).unwrap();
        let (places, _) = positions(session.document(), &canvas);
        let posed = PosedSurface { positions: &places, normals: &[] };
        let (axis, offset, joints) = partners(session.document());
        let mirror = MirrorMap::near(&canvas, axis, offset, joints);
        let locked = vec![false; canvas.joints().len()];
        let brush = Brush { kind, strength: 0.5, front_only: false, ..Brush::default() };
        let paint = Paint {
            brush,
            joint: 1,
            locked: &locked,
            limit: 8,
            mirror: mirrored.then_some(&mirror),
        };
        let mut stroke = Stroke::new(&canvas);
        let mut painted = std::collections::BTreeSet::new();
        let mut put =
            |session: &mut Session, patches: Vec<(usize, ulna_model::WeightPatch)>, note: bool| {
                for (part, patch) in patches {
                    let part = canvas.parts()[part];
                    if note {
                        painted.extend(patch.vertices.iter().map(|v| part.first + v));
                    } else {
                        assert!(patch.vertices.iter().all(|v| painted.contains(&(part.first + v))));
                    }
                    session.extend("Smooth weights", part.mesh, part.primitive, patch).unwrap();
                }
            };
        for step in 0..24 {
            let vertex = (1_500 + step % 4 * 3) as u32;
            let touch = Touch {
                at: places[vertex as usize],
                corners: [vertex; 3],
                direction: Vec3::NEG_Z,
                eye: None,
                radius: 0.5,
            };
            let dab = Dab { touch, pressure: 1.0, motion: Vec3::X * 0.01, near: None };
            let patches =
                stroke.dab(&canvas.maps(session.document()), &canvas, posed, &dab, &paint);
            put(&mut session, patches, true);
        }
        let of = |session: &Session, v: u32| {
            let maps = canvas.maps(session.document());
            let (map, own) = maps.map_of(v);
            (map.clone(), own)
        };
        let before = traces(session.document(), false);
        let patches = stroke.end(&canvas.maps(session.document()), &canvas, &paint);
        put(&mut session, patches, false);
        session.commit();
        for v in &painted {
            let (map, own) = of(&session, *v);
            assert_eq!(fault(&map, own, 16), None);
            assert!(
                map.vertex(own).all(|(_, w)| w <= 0.0 || w >= 1e-6),
                "{kind:?} {v}: {:?}",
                map.vertex(own).collect::<Vec<_>>()
            );
        }
        rubbed += before;
        // A second end of the stroke has nothing left to do.
        assert!(stroke.end(&canvas.maps(session.document()), &canvas, &paint).is_empty());
    }
    assert!(rubbed > 50, "{rubbed} traces were there to be dropped");
}
