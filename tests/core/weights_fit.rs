//! Weights fitted to the motion of the clips: after lowering the influence limit, and after a
//! transfer from another mesh.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use glam::Vec3;
use serde_json::json;
use ulna_edit::CommandLine;
use ulna_model::{Document, MeshId, PrimitiveId, WeightEncoding};
use ulna_motion::{Pose, SeenPoints, Stack};
use ulna_session::Session;

use crate::common::{
    glb, run, split,
    weights::{map, two_skins, with_eight},
};

fn line(name: &str) -> CommandLine {
    CommandLine::new(name)
}

/// Returns all vertices at nine times of each clip.
fn seen(document: &Document) -> Vec<Vec3> {
    let points = SeenPoints::of(document, usize::MAX);
    let mut all = Vec::new();
    for (id, clip) in document.clips.iter() {
        for k in 0..=8 {
            let time = f64::from(clip.length()) * f64::from(k) / 8.0;
            let pose = Pose::evaluate(document, &Stack::shown(document, Some(id), time));
            all.extend(points.at(&pose));
        }
    }
    all
}

/// Returns the mean distance between two lists of points, in meters.
fn mean_apart(a: &[Vec3], b: &[Vec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    let sum: f64 = a.iter().zip(b).map(|(a, b)| f64::from(a.distance(*b))).sum();
    sum / a.len() as f64
}

/// Returns the numbers before “mm” in the messages: after the fit, and before it.
fn stated(said: &[String]) -> [f64; 2] {
    let said = said.join("; ");
    let (_, rest) = said.split_once("in the clips: ").unwrap_or_else(|| panic!("{said}"));
    let mut numbers = rest.split(" mm").map(|part| part.rsplit(' ').next().unwrap());
    [numbers.next().unwrap(), numbers.next().unwrap()].map(|n| n.parse().unwrap())
}

fn most_influences(document: &Document) -> usize {
    let map = map(document, MeshId(0), PrimitiveId(0));
    (0..map.vertex_count()).map(|v| map.vertex(v).filter(|(_, w)| *w > 0.0).count()).max().unwrap()
}

#[test]
fn fewer_influences_change_the_clips_less_if_they_are_fitted() {
    for encoding in [WeightEncoding::Float, WeightEncoding::Byte] {
        for most in [4, 2, 1] {
            let mut session = with_eight(encoding);
            let before = seen(session.document());
            assert!(most_influences(session.document()) > 4);
            let limited = |session: &mut Session, how: &str| {
                let limit = line("weights.limit").with("most", most).with("how", how);
                let said = run(session, limit);
                assert!(most_influences(session.document()) <= most);
                session.document().check().unwrap();
                let off = mean_apart(&before, &seen(session.document()));
                session.undo();
                (off, said)
            };
            let (strongest, said) = limited(&mut session, "strongest");
            assert!(!said.concat().contains("mean error"), "{said:?}");
            let (fitted, said) = limited(&mut session, "fit");
            let [after, start] = stated(&said);
            let wanted = if most == 1 { 1.0 } else { 0.9 };
            assert!(after < start && fitted < strongest * wanted, "{most}: {fitted} {strongest}");
            // The note is about changed vertices only, whose error is larger than the mean of all.
            let is_near = |stated: f64, mean: f64| stated * 1e-3 > mean * 0.9;
            assert!(is_near(start, strongest) && is_near(after, fitted), "{said:?}");
        }
    }
}

#[test]
fn limiting_keeps_the_strongest_influences_by_default() {
    let mut session = with_eight(WeightEncoding::Float);
    run(&mut session, line("weights.limit").with("most", 4));
    let plain = session.document().clone();
    session.undo();
    run(&mut session, line("weights.limit").with("most", 4).with("how", "strongest"));
    assert!(*session.document() == plain);
}

#[test]
fn locked_joints_keep_their_weights_when_a_limit_is_fitted() {
    let mut session = with_eight(WeightEncoding::Float);
    let before = map(session.document(), MeshId(0), PrimitiveId(0)).clone();
    let skin = session.document().skins.values().next().unwrap().clone();
    let locked = 4u16;
    let name = session.document().node(skin.joints[4]).label(skin.joints[4]);
    let limit = line("weights.limit").with("most", 3).with("how", "fit").with("locked", &*name);
    run(&mut session, limit);
    let after = map(session.document(), MeshId(0), PrimitiveId(0));
    let mut count = 0;
    for v in (0..before.vertex_count()).filter(|v| before.weight(*v, locked) > 0.0) {
        assert_eq!(before.weight(v, locked).to_bits(), after.weight(v, locked).to_bits(), "{v}");
        count += 1;
    }
    assert!(count > 20, "{count}");
}

#[test]
fn without_clips_the_strongest_influences_are_kept_with_a_note() {
    // The two sheets have separate weights, so that the second one keeps its own.
    let bytes = two_skins(1.0, 0.05, &["A", "B", "C"]);
    let mut session = Session::open_bytes(&bytes).unwrap();
    run(
        &mut session,
        line("weights.assign")
            .with("mesh", "#0")
            .with("joints", json!(["A", "B", "C"]))
            .with("weights", json!([0.5, 0.3, 0.2])),
    );
    let said = run(&mut session, line("weights.limit").with("most", 2).with("how", "fit"));
    assert!(said.concat().contains("no clips"), "{said:?}");
    let map = map(session.document(), MeshId(0), PrimitiveId(0));
    assert!((map.weight(0, 0) - 0.625).abs() < 1e-6 && map.weight(0, 2) == 0.0);
    let said = run(
        &mut session,
        line("weights.transfer").with("from", "#0").with("mesh", "#1").with("how", "fit"),
    );
    assert!(said.concat().contains("no clips"), "{said:?}");
}

/// Builds two sheets on the joints A, B and C, with a clip that rotates all joints. The second is
/// `offset` meters to the right. With `apart`, the second sheet has its own joints with the same
/// names.
fn animated_sheets(offset: f32, apart: bool) -> Vec<u8> {
    let (mut json, mut bin) = split(&two_skins(1.0, offset, &["C", "A", "B"]));
    if apart {
        let nodes = json["nodes"].as_array_mut().unwrap();
        nodes.extend([
            json!({"name": "A", "children": [6]}),
            json!({"name": "B", "children": [7]}),
            json!({"name": "C"}),
        ]);
        json["scenes"][0]["nodes"] = json!([0, 1, 2, 5]);
        json["skins"][1]["joints"] = json!([7, 5, 6]);
    }
    let (mut views, mut accessors) = (
        json["bufferViews"].as_array().unwrap().clone(),
        json["accessors"].as_array().unwrap().clone(),
    );
    let mut add = |values: &[f32], kind: &str, count: usize| {
        bin.resize(bin.len().next_multiple_of(4), 0);
        let (offset, length) = (bin.len(), values.len() * 4);
        views.push(json!({"buffer": 0, "byteOffset": offset, "byteLength": length}));
        bin.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        let mut made = json!({"bufferView": views.len() - 1, "componentType": 5126,
            "count": count, "type": kind});
        if kind == "SCALAR" {
            (made["min"], made["max"]) = (json!([0]), json!([count - 1]));
        }
        accessors.push(made);
        accessors.len() - 1
    };
    let times = add(&[0.0, 1.0, 2.0, 3.0], "SCALAR", 4);
    let (mut channels, mut samplers) = (Vec::new(), Vec::new());
    for (k, axis) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
        let turn = |angle: f32| glam::Quat::from_axis_angle(axis, angle).to_array();
        let values = [0.0, 0.9, -0.5, 0.3].map(turn);
        let output = add(values.as_flattened(), "VEC4", 4);
        samplers.push(json!({"input": times, "output": output}));
        channels.push(json!({"sampler": k, "target": {"node": 2 + k, "path": "rotation"}}));
    }
    (json["bufferViews"], json["accessors"]) = (views.into(), accessors.into());
    json["animations"] = json!([{"name": "Turn", "channels": channels, "samplers": samplers}]);
    glb(json, &bin)
}

/// Opens the sheets with weights that vary over the vertices of the first one.
fn weighted_sheets(offset: f32, apart: bool) -> Session {
    let mut session = Session::open_bytes(&animated_sheets(offset, apart)).unwrap();
    let count = map(session.document(), MeshId(0), PrimitiveId(0)).vertex_count();
    let row = |v: usize| {
        let part = (v % 9) as f32 / 8.0;
        [1.0 - part, part * 0.6, part * 0.4]
    };
    let rows: Vec<[f32; 3]> = (0..count).map(row).collect();
    let joints = json!(["#2", "#3", "#4"]);
    let assign = line("weights.assign").with("mesh", "#0").with("joints", joints);
    run(&mut session, assign.with("weights", json!(rows.as_flattened())));
    session
}

fn transfer() -> CommandLine {
    line("weights.transfer").with("from", "#0").with("mesh", "#1")
}

#[test]
fn transferred_weights_are_fitted_to_the_motion_of_the_source() {
    let mut session = weighted_sheets(0.05, false);
    run(&mut session, transfer());
    let copied = map(session.document(), MeshId(1), PrimitiveId(0)).clone();
    session.undo();
    let said = run(&mut session, transfer().with("how", "fit"));
    let [after, start] = stated(&said);
    assert!(start > 0.5 && after < start * 0.8, "{said:?}");
    let fitted = map(session.document(), MeshId(1), PrimitiveId(0));
    assert!(*fitted != copied);
    session.document().check().unwrap();
    for v in 0..fitted.vertex_count() {
        let sum: f32 = fitted.vertex(v).map(|(_, w)| w).sum();
        assert!((sum - 1.0).abs() < 1e-6 && fitted.vertex(v).all(|(_, w)| w >= 0.0));
    }
    let refused = session.run_line(&transfer().with("how", "fit").with("by", "order"));
    assert_eq!(refused.expect_err("no point of the surface").code(), "arguments_exclusive");
}

#[test]
fn a_mesh_with_unrelated_joints_is_not_fitted() {
    let mut session = weighted_sheets(0.05, true);
    let said = run(&mut session, transfer().with("how", "fit"));
    assert!(said.concat().contains("no joint in common"), "{said:?}");
    let map = map(session.document(), MeshId(1), PrimitiveId(0));
    assert!((0..map.vertex_count()).any(|v| map.vertex(v).filter(|(_, w)| *w > 0.0).count() > 1));
}
