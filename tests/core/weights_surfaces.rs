//! Surfaces without weights are bound. Open edges, non-manifold edges and duplicate triangles are
//! reported. Vertices are selected by words.

use std::collections::BTreeSet;

use crate::common::{
    floats, glb,
    judges::{differences, validate},
    sample,
    weights::{map, rule_holds},
};
use serde_json::{Value, json};
use ulna_edit::CommandLine;
use ulna_geometry::PointId;
use ulna_model::{Document, MeshId, PrimitiveId, Repair, SkinId};
use ulna_session::{Session, surface_findings};
use ulna_weights::{Influences, SkinnedSurface};

/// Returns the JSON and the binary data of a file.
fn parts(bytes: &[u8]) -> (Value, Vec<u8>) {
    let word =
        |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
    let end = 20 + word(12);
    let json = serde_json::from_slice(&bytes[20..end]).expect("its text");
    (json, bytes[end + 8..end + 8 + word(end)].to_vec())
}

/// Removes the weights of some primitives from a file.
fn stripped(bytes: &[u8], which: impl Fn(usize, usize) -> bool) -> Vec<u8> {
    let (mut json, bin) = parts(bytes);
    for (m, mesh) in json["meshes"].as_array_mut().expect("meshes").iter_mut().enumerate() {
        for (k, primitive) in
            mesh["primitives"].as_array_mut().expect("primitives").iter_mut().enumerate()
        {
            if which(m, k) {
                let attributes = primitive["attributes"].as_object_mut().expect("attributes");
                attributes.retain(|name, _| {
                    !name.starts_with("JOINTS_") && !name.starts_with("WEIGHTS_")
                });
            }
        }
    }
    glb(json, &bin)
}

fn bare_findings(session: &Session) -> usize {
    let all = session.document().meshes.iter();
    let keys = all.flat_map(|(m, mesh)| mesh.entries().map(move |(k, _)| (m, k)));
    keys.flat_map(|(m, k)| session.weight_problems(m, k))
        .filter(|d| d.code == "ULNA_NO_WEIGHTS")
        .count()
}

#[test]
fn a_mesh_without_weights_is_bound_by_one_command() {
    let whole = sample();
    let bytes = stripped(include_bytes!("../../assets/mannequin.glb"), |_, _| true);
    let mut session = Session::open_bytes(&bytes).expect("the sample without weights");
    let before = session.document().clone();
    assert_eq!(bare_findings(&session), 1);
    let found =
        session.diagnostics.iter().find(|d| d.code == "ULNA_NO_WEIGHTS").expect("it is said");
    assert_eq!(
        (found.fix, &*found.place.to_string()),
        (Some(Repair::Bind), "meshes/0/primitives/0")
    );
    assert!(session.availability().bare && !whole.availability().bare);
    assert!(session.run_line(&CommandLine::new("weights.bind")).expect("binds"));
    assert_eq!(bare_findings(&session), 0);
    let (bound, wanted) = (
        map(session.document(), MeshId(0), PrimitiveId(0)),
        map(whole.document(), MeshId(0), PrimitiveId(0)),
    );
    let all: Vec<u32> = (0..bound.vertex_count() as u32).collect();
    rule_holds(bound, bound, &all, &vec![false; whole.document().skin(SkinId(0)).joints.len()], 4);
    // The weights are close to the original ones: the strongest joint is the same, or a neighbor of
    // it.
    let canvas = SkinnedSurface::new(session.document(), SkinId(0)).expect("a canvas");
    let strongest = |map: &ulna_model::WeightMap, v: u32| {
        map.vertex(v as usize).max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(j, _)| j)
    };
    let parent = |j: u16| canvas.parents()[usize::from(j)].map(|p| p.0);
    let near = |v: &&u32| {
        let (a, b) = (strongest(bound, **v), strongest(wanted, **v));
        a == b || parent(a) == Some(b) || parent(b) == Some(a)
    };
    let alike = all.iter().filter(near).count();
    assert!(alike * 10 > all.len() * 8, "{alike} of {} vertices", all.len());
    // Coincident vertices have the same weights.
    let list = |v: u32| Influences::of(bound, v as usize);
    for point in PointId::first(canvas.point_count()) {
        let first = list(canvas.first_at(point));
        assert!(canvas.vertices_at(point).iter().all(|v| list(*v) == first), "{point:?}");
    }
    let saved = session.pack("x").expect("it packs");
    assert!(
        saved.changes.iter().any(|c| c.contains("which had no weights")),
        "{:?}",
        saved.changes
    );
    let again = Session::open_bytes(&saved.bytes).expect("it opens");
    assert_eq!(map(again.document(), MeshId(0), PrimitiveId(0)), bound);
    assert!(session.undo().is_some());
    assert_eq!(*session.document(), before);
    assert!(
        session.pack("x").expect("it packs").bytes.as_slice() == bytes,
        "undone, the file is as it was"
    );
    assert!(session.redo().is_some());
    let error = session
        .run_line(&CommandLine::new("weights.bind"))
        .expect_err("there is nothing left")
        .to_string();
    assert!(error.contains("has weights"), "{error}");
}

#[test]
fn characters_without_weights_are_bound_and_the_validator_agrees() {
    let Some(shared) = crate::common::shared() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let (mut files, mut before, mut after) = (0, Vec::new(), Vec::new());
    for path in crate::common::models(&shared.join("corpus/characters")) {
        let bytes = std::fs::read(&path).expect("it is there");
        if !bytes.starts_with(b"glTF") || bytes.len() > 8 << 20 || files == 5 {
            continue;
        }
        // Removes the weights of every other primitive, or of all.
        for (kind, every) in [("all", 1), ("some", 2)] {
            let name = format!(
                "{}-{kind}.glb",
                path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into())
            );
            let bare = stripped(&bytes, |_, k| k % every == 0);
            let Ok(mut session) = Session::open_bytes(&bare) else { continue };
            if bare_findings(&session) == 0 {
                continue;
            }
            session
                .run_line(&CommandLine::new("weights.bind"))
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(bare_findings(&session), 0, "{name}");
            let (was, now) =
                (folder.path().join(format!("bare-{name}")), folder.path().join(&name));
            std::fs::write(&was, &bare).expect("it writes");
            session.write_to(&now).expect("it saves");
            let allowed = [
                "geometry-values meshes[*].primitives[*].WEIGHTS_*",
                "geometry-values meshes[*].primitives[*].JOINTS_*",
                "* meshes[*].primitives[*].WEIGHTS_*",
                "* meshes[*].primitives[*].JOINTS_*",
            ];
            if let Some(found) = differences(&was, &now, &allowed) {
                assert!(found.is_empty(), "{name}: {found}");
            }
            before.push(was);
            after.push(now);
            files += usize::from(kind == "all");
        }
    }
    assert!(files >= 3, "{files} files");
    let (Some(before), Some(after)) = (validate(&before), validate(&after)) else { return };
    for ((was, _), (now, line)) in before.iter().zip(&after) {
        assert!(now <= was, "{was} errors before, and now {line}");
    }
}

#[test]
fn a_vertex_at_the_position_of_a_weighted_one_gets_its_weights() {
    // Two primitives are on the same sheet. The second one has no weights.
    let mut session = crate::common::weights::sheet(6, 2);
    let gradient = CommandLine::new("weights.gradient").with("joint", "other");
    session
        .run_line(&gradient.with("from", vec![0.0, 0.0, 0.0]).with("to", vec![1.0, 0.0, 0.0]))
        .expect("a gradient");
    let bytes = stripped(&session.pack("x").expect("it packs").bytes, |_, k| k == 1);
    let mut bare = Session::open_bytes(&bytes).expect("a sheet");
    assert_eq!(bare_findings(&bare), 1);
    let refused = bare
        .run_line(&CommandLine::new("weights.bind"))
        .expect_err("it has no bind matrices")
        .to_string();
    assert!(refused.contains("no inverse bind matrices"), "{refused}");
    // The same with inverse bind matrices.
    let (mut json, mut bin) = parts(&bytes);
    let one = |k: usize| if (k % 16).is_multiple_of(5) { 1.0 } else { 0.0 };
    json["bufferViews"]
        .as_array_mut()
        .expect("views")
        .push(json!({"buffer": 0, "byteOffset": bin.len(), "byteLength": 128}));
    bin.extend(floats(&(0..32).map(one).collect::<Vec<f32>>()));
    let view = json["bufferViews"].as_array().expect("views").len() - 1;
    let accessors = json["accessors"].as_array_mut().expect("accessors");
    accessors.push(json!({"bufferView": view, "componentType": 5126, "count": 2, "type": "MAT4"}));
    json["skins"][0]["inverseBindMatrices"] = (accessors.len() - 1).into();
    let mut bare = Session::open_bytes(&glb(json, &bin)).expect("a sheet with bind matrices");
    bare.run_line(&CommandLine::new("weights.bind")).expect("binds");
    let (first, second) = (
        map(bare.document(), MeshId(0), PrimitiveId(0)),
        map(bare.document(), MeshId(0), PrimitiveId(1)),
    );
    assert_eq!(
        first,
        map(session.document(), MeshId(0), PrimitiveId(0)),
        "what had weights keeps them"
    );
    let mut shared = 0;
    for v in 0..first.vertex_count() {
        let (a, b) = (Influences::of(first, v), Influences::of(second, v));
        assert_eq!(a, b, "vertex {v}");
        shared += usize::from(a.len() == 2);
    }
    assert!(shared > 20, "{shared} vertices of two joints");
}

/// Builds triangles over these points, with a skin of two joints.
fn surface(spots: &[[f32; 3]], triangles: &[[u16; 3]]) -> Session {
    let mut bin: Vec<u8> = spots.iter().flat_map(|p| floats(p)).collect();
    bin.extend(vec![0; spots.len() * 4]);
    bin.extend(spots.iter().flat_map(|_| floats(&[1.0, 0.0, 0.0, 0.0])));
    let end = bin.len();
    bin.extend(triangles.as_flattened().iter().flat_map(|k| k.to_le_bytes()));
    let bound = |how: fn(f32, f32) -> f32| {
        let axis = |k: usize| spots.iter().map(|p| p[k]).fold(spots[0][k], how);
        [axis(0), axis(1), axis(2)]
    };
    let view =
        |at: usize, length: usize| json!({"buffer": 0, "byteOffset": at, "byteLength": length});
    let count = spots.len();
    let json = json!({
        "scenes": [{"nodes": [0, 1, 2]}],
        "nodes": [{"mesh": 0, "skin": 0}, {"name": "joint"}, {"name": "other"}],
        "skins": [{"joints": [1, 2]}],
        "meshes": [
            {"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2},
                "indices": 3}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": count, "type": "VEC3",
                "min": bound(f32::min), "max": bound(f32::max)},
            {"bufferView": 1, "componentType": 5121, "count": count, "type": "VEC4"},
            {"bufferView": 2, "componentType": 5126, "count": count, "type": "VEC4"},
            {"bufferView": 3, "componentType": 5123, "count": triangles.len() * 3, "type": "SCALAR"}
        ],
        "bufferViews": [view(0, count * 12), view(count * 12, count * 4),
            view(count * 16, count * 16),
            view(end, bin.len() - end)]
    });
    Session::open_bytes(&glb(json, &bin)).expect("a surface")
}

#[test]
fn boundary_non_manifold_and_duplicate_triangles_are_reported() {
    let tetrahedron =
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]];
    let closed: [[u16; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
    let codes = |triangles: &[[u16; 3]]| -> Vec<(&'static str, BTreeSet<u32>)> {
        let mut session = surface(&tetrahedron, triangles);
        let canvas = SkinnedSurface::new(session.document(), SkinId(0)).expect("a canvas");
        let flaws = canvas.flaws();
        let numbers =
            |list: &[PointId]| -> Vec<u32> { list.iter().map(|p| p.index() as u32).collect() };
        let found = surface_findings(&canvas);
        assert!(found.iter().all(|d| d.place.to_string() == "skins/0" && d.fix.is_none()));
        for (code, list, word) in [
            ("ULNA_MESH_OPEN", &flaws.open, "open"),
            ("ULNA_MESH_CROWDED", &flaws.crowded, "crowded"),
            ("ULNA_MESH_DOUBLED", &flaws.doubled, "doubled"),
        ] {
            assert_eq!(found.iter().any(|d| d.code == code), !list.is_empty(), "{code}");
            // Selects the same vertices by words.
            let line = CommandLine::new("weights.assign")
                .with("joints", vec!["other"])
                .with("weights", vec![1.0]);
            let done = session.run_line(&line.with("vertices", word));
            assert_eq!(done.is_ok(), !list.is_empty(), "{word}");
            let moved = |v: &u32| {
                map(session.document(), MeshId(0), PrimitiveId(0)).weight(*v as usize, 1) > 0.0
            };
            assert_eq!((0..5).filter(moved).collect::<Vec<u32>>(), numbers(list), "{word}");
            session.undo();
        }
        let lists =
            [("open", &flaws.open), ("crowded", &flaws.crowded), ("doubled", &flaws.doubled)];
        lists.map(|(name, list)| (name, numbers(list).into_iter().collect())).to_vec()
    };
    let none = BTreeSet::new();
    assert_eq!(
        codes(&closed),
        [("open", none.clone()), ("crowded", none.clone()), ("doubled", none.clone())]
    );
    let hole = codes(&closed[..3]);
    assert_eq!(hole[0].1, BTreeSet::from([0, 2, 3]), "the rim of the hole");
    assert!(hole[1].1.is_empty() && hole[2].1.is_empty());
    // A fin is attached to the common edge of two triangles.
    let fin = codes(&[&closed[..], &[[0, 1, 4]]].concat());
    assert_eq!((&fin[0].1, &fin[1].1), (&BTreeSet::from([0, 1, 4]), &BTreeSet::from([0, 1])));
    // One triangle occurs twice, the second time reversed. None of its edges counts as
    // non-manifold.
    let twice = codes(&[&closed[..], &[[0, 1, 2]]].concat());
    assert_eq!((&twice[0].1, &twice[1].1, &twice[2].1), (&none, &none, &BTreeSet::from([0, 1, 2])));
    // A triangle without area is not reported.
    let flat = codes(&[&closed[..], &[[0, 0, 1]]].concat());
    assert!(flat.iter().all(|(_, list)| list.is_empty()), "{flat:?}");
}

/// Returns the vertices of the surface that a command changed.
fn changed(before: &Document, after: &Document, canvas: &SkinnedSurface) -> BTreeSet<u32> {
    let differs = |v: &u32| {
        let ((a, own), (b, _)) = (canvas.maps(before).map_of(*v), canvas.maps(after).map_of(*v));
        !a.vertex(own).eq(b.vertex(own))
    };
    (0..canvas.vertex_count() as u32).filter(differs).collect()
}

#[test]
fn vertices_can_be_selected_by_queries() {
    let mut session = sample();
    let before = session.document().clone();
    let canvas = SkinnedSurface::new(&before, SkinId(0)).expect("a canvas");
    let node = before
        .node_ids()
        .find(|n| before.node(*n).name.as_deref() == Some("LeftLowerArm"))
        .expect("an arm");
    let joint = canvas.joint(node).expect("a joint");
    let weight = |v: u32| {
        let (map, own) = canvas.maps(&before).map_of(v);
        map.weight(own, joint)
    };
    let all = || 0..canvas.vertex_count() as u32;
    let weight = &weight;
    let of = |from: f32, to: f32| {
        all().filter(move |v| weight(*v) > 0.0 && (from..=to).contains(&weight(*v)))
    };
    let grown = |list: &BTreeSet<u32>| -> BTreeSet<u32> {
        let points: BTreeSet<PointId> = list.iter().map(|v| canvas.point_of(*v)).collect();
        let more = points.iter().flat_map(|p| canvas.ring(*p).iter().copied().chain([*p]));
        more.flat_map(|p| canvas.vertices_at(p).to_vec()).collect()
    };
    let some: BTreeSet<u32> = of(0.2, 0.8).collect();
    let twice = grown(&grown(&some));
    assert!(some.len() > 20 && twice.len() > some.len());
    let mut tell = |words: &str| -> BTreeSet<u32> {
        // No vertex uses this joint yet, so all of them change.
        let line = CommandLine::new("weights.assign")
            .with("joints", vec!["RightFoot"])
            .with("weights", vec![1.0]);
        session.run_line(&line.with("vertices", words)).unwrap_or_else(|e| panic!("{words}: {e}"));
        let found = changed(&before, session.document(), &canvas);
        assert!(session.undo().is_some());
        found
    };
    assert_eq!(tell("of LeftLowerArm 0.2..0.8"), some);
    assert_eq!(tell("of LeftLowerArm"), of(0.0, 1.0).collect());
    assert_eq!(tell("of LeftLowerArm 0.2..0.8 | grow 2"), twice);
    assert_eq!(tell("of LeftLowerArm 0.2..0.8 | grow | grow | invert | invert"), twice);
    let shrunk = tell("of LeftLowerArm 0.2..0.8 | grow 3 | shrink 2");
    assert!(shrunk.is_superset(&some) && shrunk.len() < grown(&twice).len());
    let linked = tell("of LeftLowerArm 0.2..0.8 | linked");
    let by_ring = |v: &u32| {
        canvas.ring(canvas.point_of(*v)).iter().all(|p| linked.contains(&canvas.first_at(*p)))
    };
    assert!(linked.is_superset(&twice) && linked.iter().all(by_ring));
    assert_eq!(tell("5-7; of LeftLowerArm 0.2..0.8"), some.iter().copied().chain(5..=7).collect());
    assert_eq!(tell("0/0: 5-7"), (5..=7).collect());
    for (words, says) in [
        ("of Nobody", "there is no node, clip or mesh named"),
        ("most of them", "of JOINT 0.2..0.8"),
        ("faulty", "matches no vertex"),
        ("0-9999999", "do not exist"),
    ] {
        let line = CommandLine::new("weights.normalize").with("vertices", words);
        let error = session.run_line(&line).expect_err(words).to_string();
        assert!(error.contains(says), "{words}: {error}");
    }
    assert!(session.history().done().is_empty() && *session.document() == before);
}
