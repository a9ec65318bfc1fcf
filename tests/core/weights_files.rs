//! Weights transferred by files and by the clipboard, and operations on joints and selections.
//! Written weights are read back bit for bit, and everything else is unchanged.

use std::{fs, path::PathBuf};

use proptest::prelude::*;
use serde_json::json;
use ulna_edit::{Command, CommandLine, command::field::VertexTerms};
use ulna_formats::{
    gltf::Progress,
    weight_files::{Pasted, PastedRow, WeightFile, read_rows, write_rows},
};
use ulna_model::{Document, MeshId, PrimitiveId, SkinId, WeightEncoding, WeightMap};
use ulna_session::{Session, cells_assigned, rows_meant, weight_rows, weight_table};
use ulna_weights::{Reshape, SkinnedSurface, fault_in, reshape};

use crate::common::{
    sample, shared, split,
    weights::{sheet, two_skins, with_eight, with_encoding},
};

fn maps(document: &Document) -> Vec<((MeshId, PrimitiveId), WeightMap)> {
    let mut all = Vec::new();
    for (m, mesh) in document.meshes.iter() {
        for (p, primitive) in mesh.entries() {
            all.extend(primitive.weights.as_deref().map(|map| ((m, p), map.clone())));
        }
    }
    all
}

/// Returns, by vertex, the joints with the bits of their weights, in any slot order.
fn as_lists(map: &WeightMap) -> Vec<Vec<(u16, u32)>> {
    let list = |v: usize| {
        let mut list: Vec<(u16, u32)> =
            map.vertex(v).filter(|(_, w)| *w > 0.0).map(|(j, w)| (j, w.to_bits())).collect();
        list.sort_unstable();
        list
    };
    (0..map.vertex_count()).map(list).collect()
}

fn all_lists(document: &Document) -> Vec<Vec<Vec<(u16, u32)>>> {
    maps(document).iter().map(|(_, map)| as_lists(map)).collect()
}

/// Returns the number of vertices with invalid weights.
fn faulty(document: &Document) -> usize {
    let skin = |mesh: MeshId| {
        ulna_edit::skin_of(document, mesh).map_or(usize::MAX, |s| document.skin(s).joints.len())
    };
    let of = |((mesh, _), map): &((MeshId, PrimitiveId), WeightMap)| {
        let joints = skin(*mesh);
        (0..map.vertex_count()).filter(|v| fault_in(map, *v, usize::MAX, joints).is_some()).count()
    };
    maps(document).iter().map(of).sum()
}

fn scratch(name: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    (folder, path)
}

fn run(session: &mut Session, line: CommandLine) -> Vec<String> {
    session.run_line(&line).unwrap_or_else(|e| panic!("{line}: {e}"));
    session.take_sentence().into_iter().collect()
}

fn refusal(session: &mut Session, line: CommandLine) -> String {
    session.run_line(&line).expect_err("refused").to_string()
}

/// Removes the weights: the first joint gets all of them.
fn spoil(session: &mut Session) {
    let document = session.document();
    let mut lines = Vec::new();
    for skin in document.skins.ids() {
        let Some(canvas) = SkinnedSurface::new(document, skin) else { continue };
        let meshes: Vec<String> = canvas.parts().iter().map(|p| format!("#{}", p.mesh.0)).collect();
        let joint = format!("#{}", canvas.joints()[0].0);
        lines.push(
            CommandLine::new("weights.flood")
                .with("joint", joint)
                .with("mesh", meshes)
                .with("value", 1.0),
        );
    }
    session.run_lines("Spoil", &lines).expect("spoiled");
}

#[test]
fn corpus_weights_survive_json_and_xml() {
    let Some(shared) = shared() else { return };
    let mut checked = 0;
    for name in ["CesiumMan", "Fox", "Knight", "RiggedFigure", "Spider", "Robot"] {
        let folder = shared.join("corpus/characters").join(name);
        let Some(path) = crate::common::models(&folder).into_iter().next() else { continue };
        let mut session = Session::open(&path, &Progress::default()).expect("a character");
        // Invalid weights are repaired first, because transferred weights are always valid.
        run(&mut session, CommandLine::new("weights.normalize"));
        let meant = all_lists(session.document());
        for (kind, ending) in [(WeightFile::Json, "json"), (WeightFile::Xml, "xml")] {
            let (_folder, file) = scratch(&format!("w.{ending}"));
            fs::write(&file, kind.write(&weight_table(session.document(), &[]))).expect("written");
            // If the weights are already the same, nothing changes.
            let line =
                || CommandLine::new("weights.import").with("path", file.display().to_string());
            let before = session.history().revision();
            run(&mut session, line());
            assert_eq!(
                session.history().revision(),
                before,
                "{name} {ending}: its own weights changed something"
            );
            spoil(&mut session);
            assert_ne!(all_lists(session.document()), meant, "{name}: not spoiled");
            let notes = run(&mut session, line());
            assert!(notes.iter().any(|n| n.contains("by vertex order")), "{name}: {notes:?}");
            let off = |a: &[Vec<Vec<(u16, u32)>>]| {
                a.iter().flatten().zip(meant.iter().flatten()).filter(|(a, b)| a != b).count()
            };
            assert_eq!(off(&all_lists(session.document())), 0, "{name} {ending}");
            assert_eq!(faulty(session.document()), 0, "{name}");
            // The nearest vertices give the same result, except where several coincide.
            spoil(&mut session);
            run(&mut session, line().with("by", "surface"));
            assert_eq!(faulty(session.document()), 0, "{name}");
            while all_lists(session.document()) != meant {
                assert!(session.undo().is_some(), "{name} {ending}: not undone");
            }
            checked += 1;
        }
    }
    assert!(checked >= 8, "{checked} files of weights");
}

#[test]
fn weights_of_a_model_transfer_by_order_surface_and_uv() {
    let Some(shared) = shared() else { return };
    let mut checked = 0;
    for name in ["CesiumMan", "Knight", "RiggedFigure", "Fox"] {
        let folder = shared.join("corpus/characters").join(name);
        let Some(path) = crate::common::models(&folder).into_iter().next() else { continue };
        let mut session = Session::open(&path, &Progress::default()).expect("a character");
        run(&mut session, CommandLine::new("weights.normalize"));
        let meant = all_lists(session.document());
        let (_folder, file) = scratch("m.glb");
        fs::write(&file, &*session.pack("m").expect("packed").bytes).expect("written");
        for by in ["order", "surface", "uv"] {
            let line = || {
                CommandLine::new("weights.import")
                    .with("path", file.display().to_string())
                    .with("by", by)
            };
            let has_uv = session
                .document()
                .meshes
                .values()
                .any(|m| m.primitives.iter().any(|p| !p.uv0.is_empty()));
            if by == "uv" && !has_uv {
                assert!(refusal(&mut session, line()).contains("texture coordinates"));
                continue;
            }
            spoil(&mut session);
            run(&mut session, line());
            let now = all_lists(session.document());
            let total: usize = meant.iter().map(Vec::len).sum();
            let same: usize = meant
                .iter()
                .zip(&now)
                .map(|(a, b)| a.iter().zip(b).filter(|(a, b)| a == b).count())
                .sum();
            // The transfer is ambiguous for coincident vertices with different weights, and for
            // texture coordinates that several points share.
            let least = match by {
                "order" => 1.0,
                "surface" => 0.9,
                _ => 0.6,
            };
            assert!(same as f64 >= least * total as f64, "{name} by {by}: {same} of {total}");
            assert_eq!(faulty(session.document()), 0, "{name} by {by}");
            session.undo();
            session.undo();
            checked += 1;
        }
    }
    assert!(checked >= 8, "{checked} ways");
}

#[test]
fn weights_of_another_mesh_are_refused_with_a_message() {
    let mut session = sample();
    let before = all_lists(session.document());
    let (_folder, file) = scratch("w.xml");
    let write = |text: &str| fs::write(&file, text).expect("written");
    let line = || CommandLine::new("weights.import").with("path", file.display().to_string());
    let xml = |shape: &str, joint: &str| {
        format!(
            r#"<deformerWeight><weights source="{joint}" shape="{shape}" max="2">
            <point index="0" value="1"/><point index="1" value="1"/></weights></deformerWeight>"#
        )
    };
    write(&xml("elsewhere", "Hips"));
    let why = refusal(&mut session, line().with("by", "order"));
    assert!(why.contains("2 in the file"), "{why}");
    let why = refusal(&mut session, line());
    assert!(why.contains("no vertex positions"), "{why}");
    write("no xml");
    assert!(refusal(&mut session, line()).contains("not valid XML"));
    let missing = line().with("path", "/nowhere/w.json");
    assert!(refusal(&mut session, missing).contains("cannot be read"));
    assert!(
        refusal(&mut session, CommandLine::new("weights.import")).contains("no file was given")
    );
    // A missing joint transfers no weight, which a note reports.
    let table = weight_table(session.document(), &[]);
    let text = WeightFile::Json.write(&table).replace("\"Hips\"", "\"Unheard of\"");
    let (_other, json) = scratch("w.json");
    fs::write(&json, text).expect("written");
    let notes = run(
        &mut session,
        CommandLine::new("weights.import").with("path", json.display().to_string()),
    );
    assert!(notes.iter().any(|n| n.contains("Unheard of")), "{notes:?}");
    session.undo();
    assert_eq!(all_lists(session.document()), before);
}

#[test]
fn vertices_are_selected_by_loops_rings_and_meshes() {
    const SIDE: u32 = 6;
    let session = sheet(SIDE as u16, 1);
    let document = session.document();
    let canvas = SkinnedSurface::new(document, SkinId(0)).expect("a sheet");
    let at = |x: u32, y: u32| y * (SIDE + 1) + x;
    let sorted = |mut list: Vec<u32>| {
        list.sort_unstable();
        list
    };
    let row = |y: u32| sorted((0..=SIDE).map(|x| at(x, y)).collect());
    let column = |x: u32| sorted((0..=SIDE).map(|y| at(x, y)).collect());
    let shaped = |list: &[u32], how| reshape(document, &canvas, list, how);
    assert_eq!(shaped(&[at(2, 3), at(3, 3)], Reshape::Loop), row(3));
    assert_eq!(shaped(&[at(2, 3), at(2, 4)], Reshape::Loop), column(2));
    // A ring consists of all opposite edges: two columns of vertices.
    let ring = sorted(column(2).into_iter().chain(column(3)).collect());
    assert_eq!(shaped(&[at(2, 3), at(3, 3)], Reshape::Ring), ring);
    let grown = shaped(&[at(2, 3), at(3, 3)], Reshape::GrowLoop);
    assert_eq!(grown, sorted((1..=4).map(|x| at(x, 3)).collect()));
    // A single vertex has no loop direction.
    assert_eq!(shaped(&[at(2, 3)], Reshape::Loop), [at(2, 3)]);
    let marks = |text: &str| {
        let terms = VertexTerms::parse(text).unwrap_or_else(|| panic!("{text}"));
        let marks = terms.vertices.mark(document, &canvas, &[true]).expect("marked");
        (0..marks.len() as u32).filter(|v| marks[*v as usize]).collect::<Vec<u32>>()
    };
    assert_eq!(marks(&format!("{}, {} | loop", at(2, 3), at(3, 3))), row(3));
    assert_eq!(marks("mesh #0").len(), canvas.vertex_count());
    assert_eq!(marks(&format!("{}, {} | grow_loop 2", at(2, 3), at(3, 3))).len(), 6);
}

#[test]
fn an_edge_loop_surrounds_an_arm_and_the_mirrored_loop_surrounds_the_other_arm() {
    let session = sample();
    let document = session.document();
    let canvas = SkinnedSurface::new(document, SkinId(0)).expect("the sample");
    let mut closed = 0;
    for v in (0..canvas.vertex_count() as u32).step_by(37) {
        let point = canvas.point_of(v);
        let Some(next) = canvas.ring(point).first() else { continue };
        let two = [canvas.first_at(point), canvas.first_at(*next)];
        let found = reshape(document, &canvas, &two, Reshape::Loop);
        assert!(found.len() >= 2);
        // The selected vertices stay selected. A loop is always a small part of the surface.
        assert!(two.iter().all(|v| found.contains(v)));
        assert!(
            found.len() < canvas.vertex_count() / 4,
            "{} of {}",
            found.len(),
            canvas.vertex_count()
        );
        closed += usize::from(found.len() > 4);
        let there = reshape(document, &canvas, &found, Reshape::Mirror);
        let back = reshape(document, &canvas, &there, Reshape::Mirror);
        assert!(back.iter().all(|v| found.contains(v)) && back.len() <= found.len());
    }
    assert!(closed > 10, "{closed} loops");
}

#[test]
fn pasted_rows_set_the_weights_of_vertices() {
    let mut session = sample();
    let canvas = SkinnedSurface::new(session.document(), SkinId(0)).expect("the sample");
    let chosen: Vec<u32> = (100..130).collect();
    let text = write_rows(&weight_rows(session.document(), &canvas, &chosen));
    let pasted = read_rows(&text).expect("rows");
    let meant = rows_meant(session.document(), &canvas, &[], &pasted, &[]).expect("meant");
    assert_eq!(meant.rows.iter().map(|(v, _)| *v).collect::<Vec<_>>(), chosen);
    let before = all_lists(session.document());
    spoil(&mut session);
    let names: Vec<String> = meant.joints.iter().map(|n| format!("#{}", n.0)).collect();
    let weights: Vec<f64> =
        meant.rows.iter().flat_map(|(_, row)| row.iter().map(|w| f64::from(*w))).collect();
    let own: Vec<String> = chosen
        .iter()
        .map(|v| {
            let (part, own) = canvas.part_of(*v);
            let part = canvas.parts()[part];
            format!("{}/{}: {own}", part.mesh.0, part.primitive)
        })
        .collect();
    let line = CommandLine::new("weights.assign")
        .with("joints", names)
        .with("weights", json!(weights))
        .with("vertices", own.join("; "));
    run(&mut session, line.clone());
    let after = maps(session.document());
    for v in &chosen {
        let (part, own) = canvas.part_of(*v);
        let part = canvas.parts()[part];
        let k =
            after.iter().position(|(key, _)| *key == (part.mesh, part.primitive)).expect("a map");
        assert_eq!(as_lists(&after[k].1)[own as usize], before[k][own as usize], "vertex {v}");
    }
    // A second run changes nothing.
    let revision = session.history().revision();
    run(&mut session, line.clone());
    assert_eq!(session.history().revision(), revision);
    let why = refusal(&mut session, line.with("weights", json!(vec![1.0; 3 * meant.joints.len()])));
    assert!(why.contains("3 rows"), "{why}");
    let rows = |n: usize| Pasted {
        joints: None,
        rows: vec![PastedRow { weights: vec![1.0], ..PastedRow::default() }; n],
    };
    let document = session.document();
    let why = |n: usize, selected: &[u32], columns: &[ulna_model::NodeId]| {
        rows_meant(document, &canvas, selected, &rows(n), columns).expect_err("refused").to_string()
    };
    let joint = canvas.joints()[1];
    assert!(why(2, &[1, 2], &[]).contains("first line"), "{}", why(2, &[1, 2], &[]));
    assert!(why(2, &[1, 2, 3], &[joint]).contains("2 rows"), "{}", why(2, &[1, 2, 3], &[joint]));
    assert_eq!(
        rows_meant(document, &canvas, &[1, 2], &rows(2), &[joint]).expect("meant").rows.len(),
        2
    );
    assert_eq!(
        rows_meant(document, &canvas, &[1, 2, 3], &rows(1), &[joint]).expect("meant").rows.len(),
        3
    );
}

/// A random operation on the weights of joints.
#[derive(Clone, Debug)]
enum Act {
    Swap(usize, usize),
    Merge(usize, usize),
    PruneOf(usize, f32),
    MirrorUv,
    Transfer,
    Limb(usize, f32),
    RelaxKeeping(f32),
}

fn acts() -> impl Strategy<Value = Act> {
    prop_oneof![
        (0usize..64, 0usize..64).prop_map(|(a, b)| Act::Swap(a, b)),
        (0usize..64, 0usize..64).prop_map(|(a, b)| Act::Merge(a, b)),
        (0usize..64, 0.0f32..0.9).prop_map(|(j, w)| Act::PruneOf(j, w)),
        Just(Act::MirrorUv),
        Just(Act::Transfer),
        (0usize..64, 0.0f32..=1.0).prop_map(|(j, w)| Act::Limb(j, w)),
        (0.0f32..=1.0).prop_map(Act::RelaxKeeping),
    ]
}

impl Act {
    fn line(&self, document: &Document) -> CommandLine {
        let joints = &document.skin(SkinId(0)).joints;
        let joint = |k: usize| format!("#{}", joints[k % joints.len()].0);
        match self {
            Self::Swap(a, b) => {
                CommandLine::new("weights.swap").with("joint", joint(*a)).with("with", joint(*b))
            }
            Self::Merge(a, b) => {
                CommandLine::new("weights.merge").with("from", joint(*a)).with("into", joint(*b))
            }
            Self::PruneOf(j, w) => {
                CommandLine::new("weights.prune").with("below", *w).with("joint", joint(*j))
            }
            Self::MirrorUv => {
                CommandLine::new("weights.mirror").with("from", "left").with("by", "uv")
            }
            Self::Transfer => {
                CommandLine::new("weights.transfer").with("from", "#0").with("by", "uv")
            }
            Self::Limb(k, width) => {
                // The limb starts at most two bones above.
                let node = joints[k % joints.len()];
                let up = |n| document.node(n).parent.filter(|p| joints.contains(p));
                let from = up(node).and_then(up).or(up(node)).unwrap_or(node);
                CommandLine::new("weights.along")
                    .with("to", format!("#{}", node.0))
                    .with("from", format!("#{}", from.0))
                    .with("width", *width)
            }
            Self::RelaxKeeping(volume) => CommandLine::new("weights.relax").with("volume", *volume),
        }
    }
}

/// Returns the joints of the limb in [`Act::Limb`].
fn limb_of(document: &Document, joints: &[ulna_model::NodeId], k: usize) -> Vec<u16> {
    let up = |n: &ulna_model::NodeId| document.node(*n).parent.filter(|p| joints.contains(p));
    let chain = std::iter::successors(Some(joints[k % joints.len()]), up).take(3);
    chain.filter_map(|n| joints.iter().position(|j| *j == n).map(|j| j as u16)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn commands_on_joints_keep_weights_valid(
        encoding in prop::sample::select(vec![WeightEncoding::Float, WeightEncoding::Short,
            WeightEncoding::Byte]),
        eight in any::<bool>(),
        act in acts(),
        locked in prop::collection::vec(0usize..64, 0..3),
        some in any::<bool>(),
    ) {
        let mut session = if eight { with_eight(encoding) } else { with_encoding(encoding) };
        let document = session.document();
        let joints = document.skin(SkinId(0)).joints.clone();
        let locks: Vec<String> =
            locked.iter().map(|k| format!("#{}", joints[k % joints.len()].0)).collect();
        let mut line = act.line(document);
        if !locks.is_empty() {
            line = line.with("locked", locks);
        }
        let canvas = SkinnedSurface::new(document, SkinId(0)).expect("the sample");
        // Chooses all vertices of a point or none, so that no seam opens.
        let chosen: Vec<bool> =
            (0..canvas.vertex_count() as u32).map(|v| !some
                || canvas.point_of(v).index().is_multiple_of(3)).collect();
        if some {
            let terms = canvas.parts().iter().map(|p| {
                let own = (0..p.count).filter(|v| chosen[(p.first + v) as usize])
                    .map(|v| v.to_string());
                format!("{}/{}: {}", p.mesh.0, p.primitive, own.collect::<Vec<_>>().join(", "))
            });
            line = line.with("vertices", terms.collect::<Vec<_>>().join("; "));
        }
        let before = maps(document);
        if session.run_line(&line).is_err() {
            // Transferring a mesh to itself has no effect, and a limb cannot end at a root. Nothing
            // else is refused.
            let root = |k: usize| session.document().node(joints[k % joints.len()])
                .parent.is_none_or(|p| !joints.contains(&p));
            prop_assert!(matches!(act, Act::Transfer | Act::MirrorUv)
                || matches!(act, Act::Limb(k, _) if root(k)), "{line}");
            return Ok(());
        }
        prop_assert_eq!(faulty(session.document()), 0);
        let after = maps(session.document());
        let is_locked = |j: u16| locked.iter().any(|k| k % joints.len() == usize::from(j));
        for ((key, a), (_, b)) in before.iter().zip(&after) {
            let part = canvas.parts().iter().find(|p| (p.mesh, p.primitive)
                == *key).expect("a part");
            for v in 0..a.vertex_count() {
                if !chosen[part.first as usize + v] {
                    prop_assert_eq!(a.pick(&[v as u32]), b.pick(&[v as u32]));
                }
                for j in (0..joints.len() as u16).filter(|j| is_locked(*j)) {
                    prop_assert_eq!(a.weight(v, j).to_bits(), b.weight(v, j).to_bits());
                }
            }
        }
        let once = all_lists(session.document());
        session.run_line(&line).expect("again");
        match act {
            // Without locks, and if both joints fit, a second swap restores the weights.
            Act::Swap(..) if locked.is_empty() => {
                let was: Vec<_> = before.iter().map(|(_, m)| as_lists(m)).collect();
                prop_assert!(all_lists(session.document()) == was,
                    "{line}: twice is not as it was");
            }
            Act::Swap(..) => {}
            // A lock can keep different values on both sides, so a second run can change weights
            // again.
            Act::MirrorUv if !locked.is_empty() => {}
            // Each run relaxes further.
            Act::RelaxKeeping(_) => {}
            Act::Limb(k, _) => {
                // The limb keeps its weight and shares it in the same ratio, up to rounding of the
                // stored type.
                let step = 3.0 * match encoding {
                    WeightEncoding::Byte => 1.0 / 255.0,
                    WeightEncoding::Short => 1.0 / 65535.0,
                    WeightEncoding::Float => 1e-5,
                };
                let again = maps(session.document());
                let limb = limb_of(session.document(), &joints, k);
                for ((_, was),
                    ((_, first), (_, second))) in before.iter().zip(after.iter().zip(&again)) {
                    for v in 0..was.vertex_count() {
                        let held = |map: &WeightMap| limb.iter().map(|j| map.weight(v, *j))
                            .sum::<f32>();
                        prop_assert!((held(was) - held(first)).abs() <= step,
                            "{line}: vertex {v}, {} and {}", held(was), held(first));
                        for j in 0..joints.len() as u16 {
                            let (a, b) = (first.weight(v, j), second.weight(v, j));
                            prop_assert!((a - b).abs() <= step,
                                "{line}: vertex {v}, {a} and {b} of {j}");
                        }
                    }
                }
            }
            _ => prop_assert!(all_lists(session.document()) == once, "{line}: twice is not once"),
        }
    }
}

#[test]
fn transferring_weights_of_a_mesh_to_itself_changes_nothing() {
    let mut session = sample();
    let before = all_lists(session.document());
    let meshes: Vec<String> =
        session.document().meshes.ids().map(|m| format!("#{}", m.0)).collect();
    for by in ["surface", "uv", "order"] {
        // The source is another file. Within one file, a mesh is never its own source.
        let (_folder, file) = scratch("m.glb");
        fs::write(&file, &*session.pack("m").expect("packed").bytes).expect("written");
        let line = CommandLine::new("weights.import")
            .with("path", file.display().to_string())
            .with("by", by);
        match session.run_line(&line) {
            Ok(_) => assert_eq!(all_lists(session.document()), before, "by {by}"),
            Err(error) => assert!(by == "uv" && error.to_string().contains("texture"), "{error}"),
        }
    }
    let line = CommandLine::new("weights.transfer").with("from", meshes);
    let revision = session.history().revision();
    session.run_line(&line).expect("nothing to do");
    assert_eq!(session.history().revision(), revision);
}

#[test]
fn imported_weights_equal_those_of_the_saved_file() {
    // The imported weights are floats, and the meshes store bytes and shorts. The displayed weights
    // must equal the reopened ones.
    let plain = sample();
    let (_folder, file) = scratch("w.json");
    fs::write(&file, WeightFile::Json.write(&weight_table(plain.document(), &[])))
        .expect("written");
    for encoding in [WeightEncoding::Byte, WeightEncoding::Short] {
        let mut session = with_encoding(encoding);
        spoil(&mut session);
        for by in ["order", "surface"] {
            let line = CommandLine::new("weights.import")
                .with("path", file.display().to_string())
                .with("by", by);
            run(&mut session, line);
            assert_eq!(faulty(session.document()), 0);
            let again =
                Session::open_bytes(&session.pack("m").expect("packed").bytes).expect("opened");
            assert!(
                all_lists(again.document()) == all_lists(session.document()),
                "{encoding:?} by {by}"
            );
            for (_, map) in maps(session.document()) {
                for v in 0..map.vertex_count() {
                    let weights: Vec<f32> = map.vertex(v).map(|(_, w)| w).collect();
                    assert!(
                        weights.is_sorted_by(|a, b| a >= b),
                        "{encoding:?} by {by}: vertex {v}: {weights:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn rows_with_vertex_numbers_apply_in_any_order() {
    let session = sample();
    let document = session.document();
    let canvas = SkinnedSurface::new(document, SkinId(0)).expect("the sample");
    let chosen = [40, 41, 42];
    let pasted = read_rows(&write_rows(&weight_rows(document, &canvas, &chosen))).expect("rows");
    let plain = rows_meant(document, &canvas, &chosen, &pasted, &[]).expect("meant");
    let mut turned = pasted;
    turned.rows.reverse();
    assert_eq!(rows_meant(document, &canvas, &chosen, &turned, &[]).expect("meant"), plain);
}

#[test]
fn weight_commands_report_the_number_of_changed_vertices() {
    let mut session = sample();
    let notes = run(&mut session, CommandLine::new("weights.limit").with("most", 1));
    assert!(notes[0].starts_with("limited ") && notes[0].ends_with(" vertices"), "{notes:?}");
    let again = run(&mut session, CommandLine::new("weights.limit").with("most", 1));
    assert!(again.is_empty(), "{again:?}");
    let read = Command::read(&CommandLine::new("weights.swap").with("joint", "Hips")).map(|_| ());
    assert!(read.expect_err("refused").to_string().contains("with"));
}

#[test]
fn typed_cells_are_exact_and_unlocked_joints_receive_the_remaining_weight() {
    let mut session = sample();
    let document = session.document().clone();
    let canvas = SkinnedSurface::new(&document, SkinId(0)).expect("a canvas");
    let maps_of = |document: &Document| canvas.maps(document).part(0).clone();
    let before = maps_of(&document);
    // Chooses vertices with at least three joints, one of which is locked.
    let many = |v: &u32| before.vertex(*v as usize).filter(|(_, w)| *w > 0.05).count() >= 3;
    // One vertex per point, because coincident vertices have the same values.
    let first = |v: &u32| canvas.first_at(canvas.point_of(*v)) == *v;
    let vertices: Vec<u32> =
        (0..before.vertex_count() as u32).filter(many).filter(first).take(12).collect();
    assert!(vertices.len() > 3, "{} vertices of three joints", vertices.len());
    let strongest = |v: u32| {
        let mut list: Vec<(u16, f32)> =
            before.vertex(v as usize).filter(|(_, w)| *w > 0.0).collect();
        list.sort_by(|a, b| b.1.total_cmp(&a.1));
        list
    };
    let (column, lock) = (strongest(vertices[0])[1].0, strongest(vertices[0])[2].0);
    let locked: std::collections::BTreeSet<_> = [canvas.joints()[usize::from(lock)]].into();
    let values: Vec<f32> = (0..vertices.len()).map(|k| 0.1 + 0.01 * k as f32).collect();
    let assign = cells_assigned(&document, &canvas, (&vertices, &[column]), &values, (&locked, 4))
        .expect("assigned");
    session.run(&Command::from(assign.clone())).expect("done");
    let after = maps_of(session.document());
    for (v, value) in vertices.iter().zip(&values) {
        let own = *v as usize;
        assert!(
            (after.weight(own, column) - value).abs() < 1e-5,
            "vertex {v}: {}",
            after.weight(own, column)
        );
        assert_eq!(
            after.weight(own, lock).to_bits(),
            before.weight(own, lock).to_bits(),
            "vertex {v} is locked there"
        );
        assert!((after.vertex(own).map(|(_, w)| w).sum::<f32>() - 1.0).abs() < 1e-5);
    }
    let meant: std::collections::BTreeSet<u32> =
        vertices.iter().flat_map(|v| canvas.vertices_at(canvas.point_of(*v))).copied().collect();
    for v in 0..before.vertex_count() {
        if !meant.contains(&(v as u32)) {
            assert_eq!(
                before.vertex(v).collect::<Vec<_>>(),
                after.vertex(v).collect::<Vec<_>>(),
                "vertex {v} was not meant"
            );
        }
    }
    // A second run changes nothing.
    let again = session.document().clone();
    session.run(&Command::from(assign)).expect("done");
    assert_eq!(again.meshes, session.document().meshes);
    // The weight of a locked joint is not available.
    let refused = cells_assigned(&document, &canvas, (&vertices, &[lock]), &values, (&locked, 4));
    assert_eq!(refused.expect_err("locked").vertex, vertices[0]);
    // Values above the unlocked remainder, or above 1 in total, are refused. They are never reduced
    // silently.
    let first = &vertices[..1];
    let held = before.weight(vertices[0] as usize, lock);
    let refused =
        cells_assigned(&document, &canvas, (first, &[column]), &[1.0 - held * 0.5], (&locked, 4));
    assert!(refused.expect_err("held").why.to_string().contains(&format!("{:.3}", 1.0 - held)));
    let two = [column, strongest(vertices[0])[0].0];
    let refused =
        cells_assigned(&document, &canvas, (first, &two), &[0.9, 0.9], (&Default::default(), 4));
    assert!(refused.expect_err("too much").why.to_string().contains("1.800"));
    cells_assigned(&document, &canvas, (first, &two), &[0.5, 0.501], (&Default::default(), 4))
        .expect("rounded");
}

#[test]
fn meshes_with_equal_names_keep_their_own_weights() {
    for names in [["Left", "Right"], ["Sheet", "Sheet"]] {
        // The second mesh is stored a hundred times larger than it is displayed.
        let (mut json, bin) = split(&two_skins(0.01, 1.0, &["C", "B", "A"]));
        for (k, name) in names.iter().enumerate() {
            json["meshes"][k]["name"] = json!(name);
        }
        let mut session = Session::open_bytes(&crate::common::glb(json, &bin)).expect("two sheets");
        for (mesh, joint, vertices, value) in
            [("#0", "B", "0-7", 0.3), ("#1", "C", "3-40", 0.6), ("#1", "B", "1-5", 0.2)]
        {
            let line = CommandLine::new("weights.flood").with("joint", joint).with("mesh", mesh);
            run(&mut session, line.with("vertices", vertices).with("value", value));
        }
        let meant = all_lists(session.document());
        assert_ne!(meant[0], meant[1]);
        for (kind, ending) in [(WeightFile::Json, "json"), (WeightFile::Xml, "xml")] {
            let (_folder, file) = scratch(&format!("w.{ending}"));
            fs::write(&file, kind.write(&weight_table(session.document(), &[]))).expect("written");
            let line =
                || CommandLine::new("weights.import").with("path", file.display().to_string());
            for line in [line(), line().with("by", "order"), line().with("by", "surface")] {
                spoil(&mut session);
                assert_ne!(all_lists(session.document()), meant);
                run(&mut session, line.clone());
                assert!(all_lists(session.document()) == meant, "{names:?}: {line}");
                session.undo();
                session.undo();
            }
        }
    }
}

#[test]
fn importing_weights_in_the_background_gives_the_same_step() {
    let (_folder, file) = scratch("w.json");
    let mut other = sample();
    run(&mut other, CommandLine::new("weights.flood").with("joint", "LeftHand").with("value", 0.5));
    fs::write(&file, WeightFile::Json.write(&weight_table(other.document(), &[])))
        .expect("written");
    let line = CommandLine::new("weights.import").with("path", file.display().to_string());
    let command = Command::read(&line).expect("a command");
    let (mut here, mut there) = (sample(), sample());
    let notes = run(&mut here, line);
    let worked = there.work("Import weights", vec![command.clone()]).run();
    assert!(there.take_worked(worked).expect("taken up"));
    assert_eq!(there.take_sentence(), notes.first().cloned());
    assert!(*here.document() == *there.document());
    let lines = |session: &Session| {
        session
            .history()
            .done()
            .last()
            .expect("a step")
            .lines(session.document())
            .iter()
            .map(|l| l.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(&here), lines(&there));
    // The step contains its result, and does not need the file any more.
    assert!(lines(&there).iter().all(|l| !l.contains("weights.import")), "{:?}", lines(&there));
    // A result cannot be applied to another file opened in the meantime, even if both files are
    // unchanged.
    let worked = sample().work("Import weights", vec![command.clone()]).run();
    let mut another = sample();
    let why = another.take_worked(worked).expect_err("refused").to_string();
    assert!(why.contains("another file") && *another.document() == *sample().document(), "{why}");
    // Later changes are not overwritten.
    let worked = there.work("Import weights", vec![command]).run();
    run(&mut there, CommandLine::new("weights.flood").with("joint", "Hips").with("value", 1.0));
    let before = there.document().clone();
    let why = there.take_worked(worked).expect_err("refused").to_string();
    assert!(why.contains("while it was running") && *there.document() == before, "{why}");
}
