//! Weights of real and unusual files are changed, saved and reopened. Nothing else may change, and
//! all glTF rules must be kept.

use std::{fs, path::Path};

use crate::common::{
    floats, glb,
    judges::{differences, validate},
};
use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_formats::gltf::{Container, Progress};
use ulna_model::{Document, MeshId, Shared, SkinId, WeightEncoding, WeightMap};
use ulna_motion::{Placement, Pose, Posed, Stack, skinning};
use ulna_session::Session;
use ulna_weights::{SkinnedSurface, faults};

fn open(path: &Path) -> Session {
    Session::open(path, &Progress::default()).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Returns every primitive with weights, by mesh and index.
fn weighted(document: &Document) -> Vec<(usize, usize)> {
    let primitives = |(m, mesh): (MeshId, &Shared<ulna_model::Mesh>)| -> Vec<(usize, usize)> {
        let bound = |p: &usize| mesh.primitives[*p].weights.is_some();
        (0..mesh.primitives.len()).filter(bound).map(|p| (m.index(), p)).collect()
    };
    document.meshes.iter().flat_map(primitives).collect()
}

fn map(document: &Document, (mesh, primitive): (usize, usize)) -> &WeightMap {
    document.mesh(mesh.into()).primitives[primitive].weights.as_deref().expect("weights")
}

/// Returns the primitives with a displayed skin, which the tools change.
fn painted(document: &Document) -> Vec<(usize, usize)> {
    let canvases =
        (0..document.skins.len()).filter_map(|s| SkinnedSurface::new(document, SkinId(s as u32)));
    let mut list: Vec<(usize, usize)> = canvases
        .flat_map(|c| {
            c.parts().iter().map(|p| (p.mesh.index(), p.primitive.index())).collect::<Vec<_>>()
        })
        .collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// Returns a document without its weights, for comparing everything else.
fn bare(document: &Document) -> Document {
    let mut document = document.clone();
    for mesh in document.file.meshes.values_mut() {
        for primitive in &mut Shared::make_mut(mesh).primitives {
            primitive.weights = None;
        }
    }
    document
}

/// Asserts that all vertices the tools can change have valid weights. Returns the number of
/// vertices.
fn clean(document: &Document, name: &str) -> usize {
    for part in painted(document) {
        let map = map(document, part);
        let found = faults(map, map.stride());
        assert_eq!(found.broken(), 0, "{name}: {part:?}: {found:?}");
    }
    painted(document).len()
}

/// Allowed differences: weights and joints of the first eight sets, and their accessors.
const WEIGHTS_ONLY: [&str; 4] = [
    "geometry-values meshes[*].primitives[*].WEIGHTS_*",
    "geometry-values meshes[*].primitives[*].JOINTS_*",
    "accessor-minmax meshes[*].primitives[*].WEIGHTS_*",
    "accessor-minmax meshes[*].primitives[*].JOINTS_*",
];

#[test]
fn normalizing_changes_only_weights_in_the_file() {
    let Some(shared) = crate::common::shared() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (mut files, mut changed, mut judged, mut parts) = (0, 0, 0, 0);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for path in crate::common::models(&shared.join("corpus")) {
        let mut session = open(&path);
        if weighted(session.document()).is_empty() {
            continue;
        }
        files += 1;
        let name = path.display().to_string();
        let ran = session
            .run_line(&CommandLine::new("weights.normalize"))
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        parts += clean(session.document(), &name);
        assert!(bare(session.document()) == bare(session.opened()), "{name}");
        let shown = painted(session.document());
        for part in weighted(session.document()) {
            let (now, was) = (map(session.document(), part), map(session.opened(), part));
            assert!(shown.contains(&part) || now == was, "{name}: {part:?} is not shown");
        }
        // A second run needs no change.
        assert!(
            !session.run_line(&CommandLine::new("weights.normalize")).expect("normalizes"),
            "{name}"
        );
        // Most files of the corpus are valid, so a second tool runs to change them.
        let ran = session
            .run_line(&CommandLine::new("weights.quantize").with("steps", 7))
            .expect("quantises")
            || ran;
        clean(session.document(), &name);
        if !ran {
            assert!(*session.document() == *session.opened(), "{name}");
            continue;
        }
        changed += 1;
        let own = folder.path().join(changed.to_string());
        fs::create_dir(&own).expect("a folder");
        let saved = own.join(path.file_name().expect("a name"));
        let sentences = session.write_to(&saved).unwrap_or_else(|e| panic!("{name}: {e}")).changes;
        let spoken = |s: &String| s.contains("weights of") || s.contains("accessors");
        assert!(!sentences.is_empty() && sentences.iter().all(spoken), "{name}: {sentences:?}");
        let again = open(&saved);
        clean(again.document(), &format!("{name}, saved"));
        for part in weighted(session.document()) {
            assert!(
                map(session.document(), part) == map(again.document(), part),
                "{name}: {part:?}"
            );
        }
        assert!(bare(session.document()) == bare(again.document()), "{name}");
        let packed = name.contains("-draco") || name.contains("-meshopt");
        let mut allowed = WEIGHTS_ONLY.to_vec();
        if name.ends_with("preserve-everything.glb") {
            // Numbers in its extensions can be accessors. Such accessors stay unchanged, and new
            // accessors are used.
            let notes = ["extras-lost", "ext-lost", "name-changed"]
                .map(|what| format!("{what} meshes[*].primitives[*].*_0(accessor)*"));
            allowed.extend(notes.map(|n| &*n.leak()));
        }
        if !packed && let Some(text) = differences(&path, &saved, &allowed) {
            assert_eq!(text, "", "{name}");
            judged += 1;
        }
        before.push(path);
        after.push(saved);
    }
    println!("{files} files with weights, {changed} changed, {judged} judged, {parts} primitives");
    assert!(files >= 55 && changed >= 30 && parts >= 85, "{files} {changed} {parts}");
    if let (Some(was), Some(is)) = (validate(&before), validate(&after)) {
        for ((was, _), (is, text)) in was.iter().zip(&is) {
            assert!(is <= was, "{text}");
            assert!(!text.contains("ACCESSOR_WEIGHTS") && !text.contains("JOINTS"), "{text}");
        }
    }
}

#[test]
fn invalid_weights_are_repaired_and_saved() {
    let Some(shared) = crate::common::shared() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let mut saved = Vec::new();
    for entry in fs::read_dir(shared.join("corpus/bad")).expect("a folder") {
        let path = entry.expect("a file").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if !name.starts_with("weights-") || name.contains("not-normalized") {
            continue;
        }
        let mut session = open(&path);
        let broken: usize = weighted(session.document())
            .iter()
            .map(|p| faults(map(session.document(), *p), 64).broken())
            .sum();
        // The file with half a set has no fault in its complete sets.
        assert_eq!(broken > 0, name != "weights-set-1-only.gltf", "{name}: {broken}");
        let ran = session.run_line(&CommandLine::new("weights.normalize"));
        if broken == 0 {
            continue;
        }
        assert!(ran.unwrap_or_else(|e| panic!("{name}: {e}")), "{name}");
        assert!(clean(session.document(), &name) > 0, "{name}");
        let own = folder.path().join(&name);
        session.write_to(&own).unwrap_or_else(|e| panic!("{name}: {e}"));
        let again = open(&own);
        assert!(clean(again.document(), &name) > 0, "{name}");
        for part in weighted(again.document()) {
            assert!(map(session.document(), part) == map(again.document(), part), "{name}");
        }
        assert!(session.undo().is_some() && *session.document() == *session.opened(), "{name}");
        saved.push(own);
    }
    assert!(saved.len() >= 6, "{saved:?}");
    for (errors, text) in validate(&saved).unwrap_or_default() {
        assert_eq!(errors, 0, "{text}");
        assert!(!text.contains("ACCESSOR_WEIGHTS"), "{text}");
    }
}

#[test]
fn characters_keep_their_weights_in_another_type() {
    let Some(shared) = crate::common::shared() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (mut before, mut after, mut kinds) = (Vec::new(), Vec::new(), 0);
    for path in crate::common::models(&shared.join("corpus/characters")) {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if name.ends_with(".gltf") {
            continue;
        }
        let mut session = open(&path);
        let parts = painted(session.document());
        if parts.is_empty() || fs::metadata(&path).expect("a file").len() > 4 << 20 {
            continue;
        }
        session
            .run_line(&CommandLine::new("weights.normalize"))
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let start = session.document().clone();
        for (bits, encoding) in
            [(8, WeightEncoding::Byte), (16, WeightEncoding::Short), (32, WeightEncoding::Float)]
        {
            let changed = parts.iter().any(|p| map(&start, *p).encoding != encoding);
            let ran = session.run_line(&CommandLine::new("weights.store").with("bits", bits));
            assert_eq!(ran.unwrap_or_else(|e| panic!("{name}: {e}")), changed, "{name} {bits}");
            kinds += usize::from(changed);
            clean(session.document(), &name);
            assert!(bare(session.document()) == bare(&start), "{name} {bits}: nothing but weights");
            let own = folder.path().join(format!("{bits}-{name}.glb"));
            let bytes = session.pack("x").unwrap_or_else(|e| panic!("{name}: {e}")).bytes;
            fs::write(&own, bytes.as_slice()).expect("a file");
            let again = open(&own);
            for part in &parts {
                assert_eq!(map(again.document(), *part).encoding, encoding, "{name}");
                assert!(
                    map(again.document(), *part) == map(session.document(), *part),
                    "{name} {bits}"
                );
            }
            before.push(path.clone());
            after.push(own);
            if changed {
                session.undo();
            }
            assert!(*session.document() == start, "{name}");
        }
    }
    println!("{} files of which {kinds} have weights in another type than before", after.len());
    assert!(after.len() >= 30 && kinds >= 20, "{} {kinds}", after.len());
    if let (Some(was), Some(is)) = (validate(&before), validate(&after)) {
        for ((was, _), (is, text)) in was.iter().zip(&is) {
            assert!(is <= was, "{text}");
            assert!(!text.contains("ACCESSOR_WEIGHTS") && !text.contains("JOINTS"), "{text}");
        }
    }
}

#[test]
fn adding_and_removing_influence_sets_keeps_the_weights() {
    let Some(shared) = crate::common::shared() else { return };
    let sets = |count: usize| CommandLine::new("weights.sets").with("sets", count);
    let mut session = open(&shared.join("corpus/characters/CesiumMan/CesiumMan.glb"));
    session.run_line(&CommandLine::new("weights.normalize")).expect("normalizes");
    let part = painted(session.document())[0];
    let before = session.document().clone();
    assert!(session.run_line(&sets(2)).expect("more"));
    let (narrow, wide) = (map(&before, part), map(session.document(), part));
    assert_eq!((narrow.sets, wide.sets), (1, 2));
    for v in 0..narrow.vertex_count() {
        assert!(
            wide.vertex(v).take(4).eq(narrow.vertex(v))
                && wide.vertex(v).skip(4).all(|(j, w)| j == 0 && w == 0.0)
        );
    }
    // Saves and opens the file.
    let bytes = session.pack("x").expect("it packs").bytes;
    let mut again = Session::open_bytes(&bytes).expect("it opens");
    assert!(map(again.document(), part) == wide);
    assert!(again.run_line(&sets(1)).expect("fewer"));
    let after = map(again.document(), part);
    for v in 0..narrow.vertex_count() {
        let used = |m: &WeightMap| {
            let mut list: Vec<(u16, f32)> = m.vertex(v).filter(|(_, w)| *w > 0.0).collect();
            list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            list
        };
        assert_eq!(used(after), used(narrow), "vertex {v}");
    }
    let bytes = again.pack("x").expect("it packs").bytes;
    let last = Session::open_bytes(&bytes).expect("it opens");
    assert!(map(last.document(), part) == after);
    assert!(bare(last.document()) == bare(&before));
}

#[test]
fn vertices_with_many_influences_are_painted_and_limited_to_one_set() {
    let Some(shared) = crate::common::shared() else { return };
    for (name, sets) in [("influences-8.glb", 2), ("influences-12-u16.glb", 3)] {
        let mut session = open(&shared.join("corpus/synthetic").join(name));
        let part = painted(session.document())[0];
        assert_eq!(map(session.document(), part).sets, sets, "{name}");
        let joint = session.document().skins[SkinId(0)].joints[1];
        let line = CommandLine::new("weights.flood")
            .with("joint", format!("#{}", joint.0))
            .with("value", 0.3)
            .with("how", "add")
            .with("mesh", format!("#{}", part.0));
        assert!(session.run_line(&line).expect("it floods"), "{name}");
        clean(session.document(), name);
        let full = map(session.document(), part).clone();
        assert!(
            session.run_line(&CommandLine::new("weights.limit").with("most", 4)).expect("limits"),
            "{name}"
        );
        clean(session.document(), name);
        let limited = map(session.document(), part).clone();
        for v in 0..full.vertex_count() {
            let used = |m: &WeightMap| m.vertex(v).filter(|(_, w)| *w > 0.0).collect::<Vec<_>>();
            let (all, kept) = (used(&full), used(&limited));
            assert_eq!(kept.len(), all.len().min(4), "{name} {v}");
            assert!(kept.is_sorted_by(|a, b| a.1 >= b.1), "{name} {v}: {kept:?}");
            // Dropped influences are not stronger than the kept ones, and kept joints existed
            // before.
            let weakest = kept.iter().map(|(j, _)| full.weight(v, *j)).fold(1.0, f32::min);
            let gone = all.iter().filter(|(j, _)| kept.iter().all(|(k, _)| k != j));
            assert!(
                weakest > 0.0 && gone.clone().all(|(_, w)| *w <= weakest),
                "{name} {v}: {all:?} {kept:?}"
            );
        }
        assert!(
            session
                .run_line(&CommandLine::new("weights.sets").with("sets", 1))
                .expect("fewer sets"),
            "{name}"
        );
        let bytes = session.pack("x").expect("it packs").bytes;
        let again = Session::open_bytes(&bytes).expect("it opens");
        let after = map(again.document(), part);
        assert!(after == map(session.document(), part), "{name}");
        assert_eq!((after.sets, after.encoding), (1, full.encoding), "{name}");
        for v in 0..after.vertex_count() {
            assert!(after.vertex(v).eq(limited.vertex(v).take(4)), "{name} {v}");
        }
        clean(again.document(), name);
        let json: Value = serde_json::from_slice(json_of(&bytes)).expect("JSON");
        let attributes = json["meshes"][part.0]["primitives"][part.1]["attributes"]
            .as_object()
            .expect("attributes");
        assert_eq!(
            attributes
                .keys()
                .filter(|k| k.starts_with("WEIGHTS_") || k.starts_with("JOINTS_"))
                .count(),
            2
        );
    }
}

fn json_of(glb: &[u8]) -> &[u8] {
    let length = u32::from_le_bytes(glb[12..16].try_into().expect("four")) as usize;
    &glb[20..20 + length]
}

fn bin_of(glb: &[u8]) -> &[u8] {
    let from = 20 + json_of(glb).len() + 8;
    &glb[from..]
}

/// Returns the positions of a row of triangles with `count` vertices.
fn positions(count: usize) -> Vec<u8> {
    floats(&(0..count).flat_map(|k| [(k / 2) as f32, (k % 2) as f32, 0.0]).collect::<Vec<_>>())
}

/// Builds a skinned row of triangles with one vertex per entry of `influences`. The joints form a
/// chain.
fn rigged(joints: usize, influences: &[[(u8, f32); 4]]) -> (Value, Vec<u8>) {
    let count = influences.len();
    let mut bin = positions(count);
    bin.extend(influences.iter().flatten().map(|(j, _)| *j));
    bin.extend(floats(&influences.iter().flatten().map(|(_, w)| *w).collect::<Vec<_>>()));
    let indices: Vec<u8> = (0..count as u8 - 2).flat_map(|k| [k, k + 1, k + 2]).collect();
    let start = bin.len();
    bin.extend(&indices);
    bin.resize(bin.len().next_multiple_of(4), 0);
    let view =
        |from: usize, length: usize| json!({"buffer": 0, "byteOffset": from, "byteLength": length});
    let mut nodes: Vec<Value> = (0..joints)
        .map(|k| {
            let mut node = json!({"name": format!("J{k}"), "translation": [1, 0, 0]});
            if k + 1 < joints {
                node["children"] = json!([k + 1]);
            }
            node
        })
        .collect();
    nodes.push(json!({"name": "Body", "mesh": 0, "skin": 0}));
    let json = json!({
        "scene": 0,
        "scenes": [{"nodes": [0, joints]}],
        "nodes": nodes,
        "skins": [{"joints": (0..joints).collect::<Vec<_>>()}],
        "meshes": [{"primitives": [{
            "attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}, "indices": 3,
        }]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": count, "type": "VEC3",
             "min": [0, 0, 0], "max": [((count - 1) / 2) as f32, 1, 0]},
            {"bufferView": 1, "componentType": 5121, "count": count, "type": "VEC4"},
            {"bufferView": 2, "componentType": 5126, "count": count, "type": "VEC4"},
            {"bufferView": 3, "componentType": 5121, "count": indices.len(), "type": "SCALAR"},
        ],
        "bufferViews": [
            view(0, count * 12), view(count * 12, count * 4), view(count * 16, count * 16),
                view(start, indices.len()),
        ],
    });
    (json, bin)
}

fn session(json: Value, bin: &[u8]) -> Session {
    Session::open_bytes(&glb(json, bin)).expect("a small file")
}

const HALVES: [(u8, f32); 4] = [(0, 0.5), (1, 0.5), (0, 0.0), (0, 0.0)];
const TWICE: [(u8, f32); 4] = [(0, 0.25), (1, 0.5), (0, 0.25), (0, 0.0)];

#[test]
fn interleaved_vertices_are_written_in_place_and_bytes_between_are_unchanged() {
    // POSITION, JOINTS_0, WEIGHTS_0 and four unused bytes: 36 bytes per vertex.
    let count = 6;
    let (mut json, _) = rigged(2, &[HALVES; 6]);
    let mut bin = Vec::new();
    for k in 0..count {
        bin.extend(&positions(count)[k * 12..k * 12 + 12]);
        bin.extend([0, 1, 0, 0]);
        bin.extend(floats(&[0.75, 0.5, 0.0, 0.0]));
        bin.extend([0xA0 + k as u8; 4]);
    }
    let indices: Vec<u8> = (0..4).flat_map(|k| [k, k + 1, k + 2]).collect();
    bin.extend(&indices);
    json["bufferViews"] = json!([
        {"buffer": 0, "byteOffset": 0, "byteLength": 36 * count, "byteStride": 36},
        {"buffer": 0, "byteOffset": 36 * count, "byteLength": indices.len()},
    ]);
    for (k, offset) in [0, 12, 16].into_iter().enumerate() {
        json["accessors"][k]["bufferView"] = 0.into();
        json["accessors"][k]["byteOffset"] = offset.into();
    }
    json["accessors"][3]["bufferView"] = 1.into();
    let mut session = session(json.clone(), &bin);
    let line = CommandLine::new("weights.flood")
        .with("joint", "J1")
        .with("value", 0.9)
        .with("vertices", "1-4");
    assert!(session.run_line(&line).expect("it floods"));
    let bytes = session.pack("x").expect("it packs").bytes;
    let after = bin_of(&bytes);
    assert_eq!(after.len(), bin.len());
    let mut differ = 0;
    for (at, (a, b)) in bin.iter().zip(after).enumerate() {
        if a != b {
            let (vertex, within) = (at / 36, at % 36);
            assert!((1..=4).contains(&vertex) && (12..32).contains(&within), "byte {at}");
            differ += 1;
        }
    }
    assert!(differ > 0);
    let mut saved: Value = serde_json::from_slice(json_of(&bytes)).expect("JSON");
    for name in ["asset", "buffers"] {
        saved.as_object_mut().expect("an object").remove(name);
    }
    assert_eq!(saved, json);
    let again = Session::open_bytes(&bytes).expect("it opens");
    assert!(*again.document() == *session.document());
}

#[test]
fn interleaved_vertices_of_the_corpus_stay_interleaved() {
    let Some(shared) = crate::common::shared() else { return };
    let mut woven = 0;
    for path in crate::common::models(&shared.join("corpus")) {
        let mut session = open(&path);
        let Some(part) = painted(session.document()).first().copied() else { continue };
        let Container::Glb { .. } = &session.source().container else { continue };
        let before = fs::read(&path).expect("bytes");
        let json: Value = serde_json::from_slice(json_of(&before)).expect("JSON");
        let attributes = &json["meshes"][part.0]["primitives"][part.1]["attributes"];
        let accessor =
            |name: &str| &json["accessors"][attributes[name].as_u64().unwrap_or(u64::MAX) as usize];
        let view = |name: &str| {
            &json["bufferViews"][accessor(name)["bufferView"].as_u64().unwrap_or(u64::MAX) as usize]
        };
        let element = if accessor("WEIGHTS_0")["componentType"] == 5126 { 16 } else { 4 };
        if view("WEIGHTS_0")["byteStride"].as_u64().is_none_or(|s| s <= element)
            || view("WEIGHTS_0")["extensions"].is_object()
        {
            continue;
        }
        let users = json["meshes"]
            .to_string()
            .matches(&format!("\"WEIGHTS_0\":{}", attributes["WEIGHTS_0"]))
            .count();
        let name = path.display();
        let joint = session.document().skins[SkinId(0)].joints[0];
        let line = CommandLine::new("weights.flood")
            .with("joint", format!("#{}", joint.0))
            .with("value", 0.37)
            .with("mesh", format!("#{}", part.0));
        if !session.run_line(&line).unwrap_or_else(|e| panic!("{name}: {e}")) {
            continue;
        }
        let bytes = session.pack("x").expect("it packs").bytes;
        let again = Session::open_bytes(&bytes).expect("it opens");
        assert!(map(again.document(), part) == map(session.document(), part), "{name}");
        assert!(bare(again.document()) == bare(session.document()), "{name}");
        if users == 1 && view("WEIGHTS_0") == view("JOINTS_0") {
            assert_eq!(bin_of(&bytes).len(), bin_of(&before).len(), "{name}: written in place");
        }
        woven += 1;
    }
    println!("{woven} files with woven weights");
    assert!(woven >= 1, "{woven}");
}

#[test]
fn shared_accessors_are_not_overwritten() {
    // Two meshes share accessors. Only one of them changes.
    let (mut json, bin) = rigged(2, &[HALVES; 6]);
    let mesh = json["meshes"][0].clone();
    json["meshes"].as_array_mut().expect("a list").push(mesh);
    json["nodes"].as_array_mut().expect("a list").push(json!({"mesh": 1, "skin": 0}));
    json["scenes"][0]["nodes"].as_array_mut().expect("a list").push(3.into());
    let mut session = session(json, &bin);
    let line = CommandLine::new("weights.flood")
        .with("joint", "J1")
        .with("value", 0.75)
        .with("mesh", "#1");
    assert!(session.run_line(&line).expect("it floods"));
    assert!(map(session.document(), (0, 0)) == map(session.opened(), (0, 0)));
    let bytes = session.pack("x").expect("it packs").bytes;
    assert_eq!(bin_of(&bytes)[..bin.len()], bin);
    let again = Session::open_bytes(&bytes).expect("it opens");
    assert!(*again.document() == *session.document());
    assert!(map(again.document(), (0, 0)) != map(again.document(), (1, 0)));

    // A view is also shared if an image, or an accessor for another attribute, uses it.
    let (mut json, bin) = rigged(2, &[HALVES; 6]);
    json["accessors"].as_array_mut().expect("a list").push(
        json!({"bufferView": 2, "componentType": 5126, "count": 6, "type": "VEC4", "name": "kept"}),
    );
    json["meshes"][0]["primitives"][0]["attributes"]["_OTHER"] = 4.into();
    let mut session = self::session(json, &bin);
    let line = CommandLine::new("weights.flood").with("joint", "J1").with("value", 0.75);
    assert!(session.run_line(&line).expect("it floods"));
    let bytes = session.pack("x").expect("it packs").bytes;
    let weights = 6 * 16..6 * 32;
    assert_eq!(bin_of(&bytes)[weights.clone()], bin[weights]);
    assert!(*Session::open_bytes(&bytes).expect("it opens").document() == *session.document());
}

#[test]
fn new_weights_can_be_saved_in_compressed_files() {
    let Some(shared) = crate::common::shared() else { return };
    for name in ["Fox-draco.glb", "Fox-meshopt.glb"] {
        let mut session = open(&shared.join("corpus/pipeline").join(name));
        let part = painted(session.document())[0];
        let joint = session.document().skins[SkinId(0)].joints[3];
        let line = CommandLine::new("weights.flood")
            .with("joint", format!("#{}", joint.0))
            .with("value", 0.25)
            .with("vertices", "10-99");
        session.run_line(&CommandLine::new("weights.normalize")).expect("normalizes");
        assert!(session.run_line(&line).expect("it floods"), "{name}");
        let bytes = session.pack("x").unwrap_or_else(|e| panic!("{name}: {e}")).bytes;
        let again = Session::open_bytes(&bytes).expect("it opens");
        assert!(map(again.document(), part) == map(session.document(), part), "{name}");
        assert!(map(again.document(), part) != map(session.opened(), part), "{name}");
        assert!(bare(again.document()) == bare(session.document()), "{name}");
        clean(again.document(), name);
        // Changes the weights again, in the saved data.
        let mut again = again;
        let line = line.with("value", 0.5);
        assert!(again.run_line(&line).expect("it floods"), "{name}");
        let bytes = again.pack("x").unwrap_or_else(|e| panic!("{name}: {e}")).bytes;
        let last = Session::open_bytes(&bytes).expect("it opens");
        assert!(*last.document() == *again.document(), "{name}");
    }
}

#[test]
fn a_mesh_on_two_skins_is_changed_once() {
    let (mut json, bin) = rigged(2, &[TWICE; 6]);
    json["skins"].as_array_mut().expect("a list").push(json!({"joints": [1, 0]}));
    json["nodes"].as_array_mut().expect("a list").push(json!({"mesh": 0, "skin": 1}));
    json["scenes"][0]["nodes"].as_array_mut().expect("a list").push(3.into());
    let mut session = session(json, &bin);
    let line = CommandLine::new("weights.flood")
        .with("joint", "J0")
        .with("value", 0.125)
        .with("how", "add");
    assert!(session.run_line(&line).expect("it floods"));
    let after = map(session.document(), (0, 0));
    // In the first skin, joint 0 is J0. Its weight is added once, not once per skin.
    for v in 0..6 {
        assert_eq!((after.weight(v, 0), after.weight(v, 1)), (0.625, 0.375));
    }
    assert_eq!(clean(session.document(), "two skins"), 1);
    let again = Session::open_bytes(&session.pack("x").expect("it packs").bytes).expect("it opens");
    assert!(*again.document() == *session.document());
    assert!(session.undo().is_some() && *session.document() == *session.opened());
}

#[test]
fn a_skin_of_one_joint_keeps_all_weight() {
    let (json, bin) = rigged(1, &[[(0, 0.5), (0, 0.0), (0, 0.0), (0, 0.0)]; 6]);
    let mut session = session(json, &bin);
    assert!(session.run_line(&CommandLine::new("weights.normalize")).expect("normalizes"));
    let all: Vec<(u16, f32)> = map(session.document(), (0, 0)).vertex(0).collect();
    assert_eq!(all, [(0, 1.0), (0, 0.0), (0, 0.0), (0, 0.0)]);
    let before = session.document().clone();
    let done =
        session.run_line(&CommandLine::new("weights.flood").with("joint", "J0").with("value", 0.5));
    assert!(!done.expect("it is said, and no failure"));
    let message = session.take_sentence().unwrap_or_default();
    assert!(message.contains("no unlocked joint can receive the remaining weight"), "{message}");
    assert!(*session.document() == before);
    for line in ["weights.smooth", "weights.relax", "weights.hammer", "weights.average"] {
        session.run_line(&CommandLine::new(line)).unwrap_or_else(|e| panic!("{line}: {e}"));
        clean(session.document(), line);
        for v in 0..6 {
            assert!((map(session.document(), (0, 0)).weight(v, 0) - 1.0).abs() <= 2e-7, "{line}");
        }
    }
}

#[test]
fn if_all_joints_are_locked_nothing_changes_and_the_reason_is_reported() {
    // The weights of each vertex sum to 0.75.
    let (json, bin) = rigged(2, &[[(0, 0.5), (1, 0.25), (0, 0.0), (0, 0.0)]; 6]);
    let mut session = session(json, &bin);
    let locked = |name: &str| CommandLine::new(name).with("locked", "J*");
    let lines = [
        locked("weights.normalize"),
        locked("weights.limit").with("most", 1),
        locked("weights.prune").with("below", 0.3),
        locked("weights.quantize").with("steps", 3),
        locked("weights.smooth").with("amount", 0.5),
        locked("weights.flood").with("joint", "J1").with("value", 0.5),
        locked("weights.average"),
        locked("weights.assign").with("joints", vec!["J0"]).with("weights", vec![1.0]),
    ];
    for line in lines {
        assert!(!session.run_line(&line).expect(&line.name), "{}", line.name);
        let refused = session.take_sentence().unwrap_or_default();
        assert!(
            refused.contains("lock") && refused.contains("6 vertices"),
            "{}: {refused}",
            line.name
        );
        assert!(*session.document() == *session.opened(), "{}", line.name);
    }
    assert!(session.history().done().is_empty());
}

#[test]
fn a_skinned_mesh_without_weights_is_unchanged() {
    let (mut json, bin) = rigged(2, &[HALVES; 6]);
    let attributes =
        json["meshes"][0]["primitives"][0]["attributes"].as_object_mut().expect("attributes");
    attributes.remove("JOINTS_0");
    attributes.remove("WEIGHTS_0");
    let mut session = session(json, &bin);
    let refused = session
        .run_line(&CommandLine::new("weights.normalize"))
        .expect_err("there are none")
        .to_string();
    assert!(refused.contains("name a skinned mesh"), "{refused}");
    assert!(*session.document() == *session.opened());
}

#[test]
fn joints_outside_the_skin_have_no_effect_and_are_repaired() {
    // One vertex has half of its weight on a missing joint, and one lists the missing joint with
    // weight 0.
    let past = [[(0, 0.5), (9, 0.5), (1, 0.0), (0, 0.0)], [(0, 0.5), (1, 0.5), (9, 0.0), (0, 0.0)]];
    let fine = [(0, 0.5), (1, 0.5), (0, 0.0), (0, 0.0)];
    let (json, bin) = rigged(2, &[past[0], past[1], past[0], past[1], fine, fine]);
    let mut session = session(json, &bin);
    let found: Vec<_> =
        session.diagnostics.iter().filter(|d| d.code == "ACCESSOR_JOINTS_INDEX_OOB").collect();
    assert!(
        found.len() == 1 && found[0].fix.is_some() && found[0].message.contains("4 vertices"),
        "{found:?}"
    );
    // The vertex is posed, and the missing joint has no effect.
    let document = session.document();
    let pose = Pose::evaluate(document, &Stack::default());
    let node = document.node_ids().find(|n| document.node(*n).mesh.is_some()).expect("a mesh");
    let primitive = &document.mesh(0.into()).primitives[0];
    let placement = Placement::of(document, &pose, node, primitive);
    let mut posed = Posed::default();
    skinning::skin(primitive, &skinning::base_normals(primitive), &[], &placement, &mut posed);
    assert!(posed.positions.len() == 6 && posed.positions.iter().all(|p| p.is_finite()));
    assert!(session.run_line(&CommandLine::new("weights.normalize")).expect("normalizes"));
    let again = Session::open_bytes(&session.pack("x").expect("it packs").bytes).expect("it opens");
    assert!(again.diagnostics.iter().all(|d| d.fix.is_none()), "{:?}", again.diagnostics);
    let after = map(again.document(), (0, 0));
    let used = |v: usize| after.vertex(v).filter(|(_, w)| *w > 0.0).collect::<Vec<_>>();
    assert_eq!(
        [used(0), used(1), used(4)],
        [vec![(0, 1.0)], vec![(0, 0.5), (1, 0.5)], vec![(0, 0.5), (1, 0.5)]]
    );
    assert!(after.joints.iter().all(|j| *j < 2));
}

#[test]
fn duplicate_joints_of_a_vertex_are_merged() {
    for encoding in [WeightEncoding::Float, WeightEncoding::Byte] {
        let (mut json, mut bin) = rigged(2, &[TWICE; 6]);
        if encoding == WeightEncoding::Byte {
            let at = 6 * 16;
            for k in 0..24 {
                bin[at + k] = encoding.encode(TWICE[k % 4].1) as u8;
            }
            json["accessors"][2]["componentType"] = 5121.into();
            json["accessors"][2]["normalized"] = true.into();
        }
        let mut session = session(json, &bin);
        let before = map(session.document(), (0, 0));
        assert_eq!((before.encoding, faults(before, 4).twice), (encoding, 6));
        assert!(session.run_line(&CommandLine::new("weights.normalize")).expect("normalizes"));
        let again =
            Session::open_bytes(&session.pack("x").expect("it packs").bytes).expect("it opens");
        assert!(*again.document() == *session.document());
        assert_eq!(clean(again.document(), "twice"), 1);
        let after = map(again.document(), (0, 0));
        let step = encoding.step() * 1.5;
        for v in 0..6 {
            let used: Vec<u16> =
                after.vertex(v).filter(|(_, w)| *w > 0.0).map(|(j, _)| j).collect();
            assert_eq!(used.len(), 2);
            assert!(
                (after.weight(v, 0) - 0.5).abs() <= step
                    && (after.weight(v, 1) - 0.5).abs() <= step
            );
        }
    }
}
