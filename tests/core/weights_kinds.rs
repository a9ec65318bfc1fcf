//! Weights of primitives with different numbers of sets, without weights, and with more joints than
//! a byte can index. They are painted, repaired, saved and reopened.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::{path::PathBuf, process::Command};

use glam::DVec3;
use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_model::{Document, MeshId, PrimitiveId};
use ulna_motion::Stack;
use ulna_session::Session;

use super::odd_files::shape;
use crate::common::{judges, run, shared, split, weights::map};

fn situation(name: &str) -> Option<PathBuf> {
    Some(shared()?.join(format!("situations/{name}/in.glb")))
}

fn line(session: &mut Session, line: Value) -> Vec<String> {
    run(session, CommandLine::parse(&line.to_string()).unwrap())
}

/// Saves the file. Asserts that an independent reader places every vertex where it is displayed
/// here.
fn is_shown_as_saved(session: &Session, times: &[f64], near: f64) {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("a.glb");
    session.write_to(&to).unwrap();
    for time in times {
        let document = session.document();
        let here = shape(document, &Stack::of(document.clips.values().next(), *time));
        let Some(there) = judges::skinned(&to, *time) else { return };
        assert_eq!(here.len(), there.len());
        for (v, (a, b)) in here.iter().zip(&there).enumerate() {
            assert!(a.distance(DVec3::from(*b)) < near, "vertex {v} at {time}: {a} {b:?}");
        }
    }
}

/// Returns the elements of an accessor as stored in the file.
fn raw(file: &(Value, Vec<u8>), accessor: u64) -> Vec<u32> {
    let (root, bin) = file;
    let accessor = &root["accessors"][accessor as usize];
    let view = &root["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let number = |value: &Value| value.as_u64().unwrap_or(0) as usize;
    let size = match accessor["componentType"].as_u64() {
        Some(5121) => 1,
        Some(5123) => 2,
        _ => 4,
    };
    let stride = view.get("byteStride").map_or(size * 4, number);
    let first = number(&view["byteOffset"]) + number(&accessor["byteOffset"]);
    let one = |at: usize| (0..size).fold(0u32, |n, k| n | u32::from(bin[at + k]) << (8 * k));
    let count = number(&accessor["count"]);
    (0..count)
        .flat_map(|v| (0..4).map(move |k| (v, k)))
        .map(|(v, k)| one(first + v * stride + k * size))
        .collect()
}

fn attribute(file: &(Value, Vec<u8>), primitive: usize, name: &str) -> Option<u64> {
    file.0["meshes"][0]["primitives"][primitive]["attributes"][name].as_u64()
}

#[test]
fn primitives_keep_their_own_number_of_influence_sets() {
    let Some(path) = situation("primitive-without-joints") else { return };
    let open = || Session::open(&path, &Default::default()).unwrap();
    let session = open();
    let first = session.document().clone();
    is_shown_as_saved(&session, &[0.0, 0.4, 1.0], 1e-5);
    // The finding names the hat by its location. The position of the hat depends only on its node.
    let found: Vec<_> =
        session.all_findings().into_iter().filter(|d| d.code == "ULNA_NO_WEIGHTS").collect();
    assert!(
        matches!(&found[..], [one] if one.place.to_string() == "meshes/0/primitives/2"),
        "{found:?}"
    );
    let hat = |document: &Document, time: f64| {
        shape(document, &Stack::of(document.clips.values().next(), time)).split_off(108)
    };
    assert_eq!(hat(&first, 0.0), hat(&first, 1.0));
    let sets = |document: &Document| -> Vec<Option<usize>> {
        document
            .mesh(MeshId(0))
            .primitives
            .iter()
            .map(|p| p.weights.as_deref().map(|w| w.sets))
            .collect()
    };
    assert_eq!(sets(&first), [Some(2), Some(1), None]);
    let own = |p: u32, document: &Document| map(document, MeshId(0), PrimitiveId(p)).clone();
    for (act, wanted, changed) in [
        (
            json!({"do": "weights.flood", "joint": "H1", "value": 0.5}),
            [Some(2), Some(1), None],
            [true, true],
        ),
        (
            json!({"do": "weights.flood", "joint": "H2", "value": 0.4, "primitive": 1}),
            [Some(2), Some(1), None],
            [false, true],
        ),
        (json!({"do": "weights.smooth", "passes": 4}), [Some(2), Some(1), None], [true, true]),
        (json!({"do": "weights.quantize", "steps": 10}), [Some(2), Some(1), None], [true, true]),
        (json!({"do": "weights.mirror", "from": "left"}), [Some(2), Some(1), None], [false, false]),
        (
            json!({"do": "weights.sets", "sets": 3, "primitive": 1}),
            [Some(2), Some(3), None],
            [false, true],
        ),
        (json!({"do": "weights.sets", "sets": 1}), [Some(1), Some(1), None], [true, false]),
        (json!({"do": "weights.sets", "sets": 2}), [Some(2), Some(2), None], [false, true]),
    ] {
        let mut session = open();
        match session.run_line(&CommandLine::parse(&act.to_string()).unwrap()) {
            Ok(_) => {}
            // Mirroring is refused, because the body has only one side.
            Err(error) => assert!(act["do"] == "weights.mirror", "{act}: {error}"),
        }
        let now = session.document();
        assert_eq!(sets(now), wanted, "{act}");
        for p in [0, 1] {
            let is_other = own(p, now) != own(p, &first);
            assert!(
                is_other == changed[p as usize]
                    || act["do"] == "weights.mirror"
                    || act["do"] == "weights.quantize",
                "{act} {p}"
            );
        }
        assert_eq!(hat(now, 0.5), hat(&first, 0.5), "{act}");
        // The file agrees, and the hat gets no weights.
        let file = split(&session.pack("x").unwrap().bytes);
        for (p, sets) in wanted.iter().enumerate() {
            let many =
                (0..4).filter(|k| attribute(&file, p, &format!("WEIGHTS_{k}")).is_some()).count();
            assert_eq!(many, sets.unwrap_or(0), "{act}");
            assert_eq!(
                (0..4).filter(|k| attribute(&file, p, &format!("JOINTS_{k}")).is_some()).count(),
                many,
                "{act}"
            );
        }
        is_shown_as_saved(&session, &[0.6], 1e-5);
    }
}

#[test]
fn byte_weights_of_many_joints_sum_to_255_after_repair() {
    let Some(path) = situation("many-joints") else { return };
    let mut session = Session::open(&path, &Default::default()).unwrap();
    is_shown_as_saved(&session, &[0.0, 0.5], 3e-4);
    let sums = |bytes: &[u8]| -> Vec<u32> {
        let file = split(bytes);
        raw(&file, attribute(&file, 0, "WEIGHTS_0").unwrap())
            .chunks(4)
            .map(|four| four.iter().sum())
            .collect()
    };
    let before = sums(&std::fs::read(&path).unwrap());
    assert!([254, 255, 256].iter().all(|s| before.contains(s)) && before.len() == 660);
    let wrong = before.iter().filter(|s| **s != 255).count();
    assert_eq!(
        line(&mut session, json!({"do": "weights.normalize"})),
        [format!("normalized {wrong} vertices")]
    );
    let bytes = session.pack("x").unwrap().bytes;
    assert!(sums(&bytes).iter().all(|s| *s == 255));
    is_shown_as_saved(&session, &[0.5], 3e-4);
    // Valid data is unchanged, to the byte.
    let (old, new) = (split(&std::fs::read(&path).unwrap()), split(&bytes));
    for name in ["WEIGHTS_0", "JOINTS_0"] {
        let [a, b] = [&old, &new].map(|f| raw(f, attribute(f, 0, name).unwrap()));
        for (v, (a, b)) in
            a.chunks(4).zip(b.chunks(4)).enumerate().filter(|(v, _)| before[*v] == 255)
        {
            assert_eq!(a, b, "{name} {v}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("mended.glb");
    let made = Command::new(env!("CARGO_BIN_EXE_ulna"))
        .arg("check")
        .arg(&path)
        .args(["--fix", "-o"])
        .arg(&to)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    assert!(sums(&std::fs::read(&to).unwrap()).iter().all(|s| *s == 255));
}

#[test]
fn a_joint_with_an_index_above_255_can_be_painted() {
    let Some(path) = situation("many-joints") else { return };
    let mut session = Session::open(&path, &Default::default()).unwrap();
    let before = split(&std::fs::read(&path).unwrap());
    let is_there = |file: &(Value, Vec<u8>), v: usize| {
        let joints = raw(file, attribute(file, 0, "JOINTS_0").unwrap());
        let weights = raw(file, attribute(file, 0, "WEIGHTS_0").unwrap());
        (v * 4..v * 4 + 4).find(|k| joints[*k] == 600 && weights[*k] > 0).map(|k| weights[k])
    };
    let name = |k: usize| {
        before.0["nodes"][before.0["skins"][0]["joints"][k].as_u64().unwrap() as usize]["name"]
            .clone()
    };
    assert_eq!(name(600), "b600");
    assert!((0..10).all(|v| is_there(&before, v).is_none()));
    line(
        &mut session,
        json!({"do": "weights.flood", "joint": "b600", "value": 0.5, "vertices": "0-9"}),
    );
    let file = split(&session.pack("x").unwrap().bytes);
    let accessor = &file.0["accessors"][attribute(&file, 0, "JOINTS_0").unwrap() as usize];
    assert_eq!(accessor["componentType"], 5123);
    for v in 0..660 {
        match is_there(&file, v) {
            Some(weight) if v < 10 => assert!((127..=128).contains(&weight), "{v}: {weight}"),
            found => assert_eq!(found, is_there(&before, v), "{v}"),
        }
    }
    is_shown_as_saved(&session, &[0.5], 3e-4);
}
