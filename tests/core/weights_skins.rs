//! Meshes with different skins on one skeleton: seams between them stay closed, and weights are
//! transferred.

use std::collections::BTreeMap;

use crate::common::weights::{SQUARES, map, rule_holds, two_skins};
use proptest::prelude::*;
use ulna_edit::CommandLine;
use ulna_model::{Document, MeshId, PrimitiveId, SkinId};
use ulna_session::Session;
use ulna_weights::{CrossSkinSeams, SkinnedSurface};

/// Number of vertices along a side of a sheet.
const ROW: usize = SQUARES as usize + 1;

fn two(scale: f32, offset: f32, second: &[&str]) -> Session {
    Session::open_bytes(&two_skins(scale, offset, second)).expect("two sheets")
}

/// Returns the weights of a vertex of a mesh's first primitive, by joint name.
fn by_name(document: &Document, mesh: u32, vertex: usize) -> BTreeMap<String, f32> {
    let joints = &document.skin(SkinId(mesh)).joints;
    let list = map(document, MeshId(mesh), PrimitiveId(0)).vertex(vertex).filter(|(_, w)| *w > 0.0);
    list.map(|(j, w)| (document.node(joints[usize::from(j)]).label(joints[usize::from(j)]), w))
        .collect()
}

/// Returns the vertices of the seam: the vertex of the first sheet, and the coincident one of the
/// second.
fn seam() -> impl Iterator<Item = (usize, usize)> {
    (0..ROW).map(|y| (y * ROW + ROW - 1, y * ROW))
}

fn closed(document: &Document) {
    for (a, b) in seam() {
        let (here, there) = (by_name(document, 0, a), by_name(document, 1, b));
        let names = here.keys().chain(there.keys());
        for name in names {
            let get = |of: &BTreeMap<String, f32>| of.get(name).copied().unwrap_or(0.0);
            assert!(
                (get(&here) - get(&there)).abs() <= 2e-7,
                "vertex {a}: {here:?}, and {there:?}"
            );
        }
    }
}

fn flood(mesh: u32, joint: &str, value: f64) -> CommandLine {
    CommandLine::new("weights.flood")
        .with("mesh", format!("#{mesh}"))
        .with("joint", joint)
        .with("value", value)
}

#[test]
fn painting_one_side_of_a_seam_paints_the_other() {
    for scale in [1.0, 0.01] {
        let mut session = two(scale, 1.0, &["C", "B", "A"]);
        let before = session.document().clone();
        closed(&before);
        assert!(session.run_line(&flood(0, "B", 0.3)).expect("floods"));
        assert!(session.take_sentence().iter().all(|n| !n.contains("left unchanged")));
        closed(session.document());
        for (a, b) in seam() {
            assert!((by_name(session.document(), 0, a)["B"] - 0.3).abs() < 1e-6);
            assert_eq!(
                by_name(session.document(), 1, b + 1),
                by_name(&before, 1, b + 1),
                "what is no seam is left alone"
            );
        }
        // Floods from the other side, and then runs one command on both sheets.
        session.run_line(&flood(1, "C", 0.5)).expect("floods");
        closed(session.document());
        session.run_line(&CommandLine::new("weights.smooth").with("passes", 3)).expect("smooths");
        closed(session.document());
        while session.undo().is_some() {}
        assert_eq!(*session.document(), before);
    }
}

#[test]
fn a_vertex_is_unchanged_if_its_coincident_vertex_cannot_follow() {
    let mut session = two(1.0, 1.0, &["A", "C"]);
    let before = session.document().clone();
    session.run_line(&flood(0, "B", 0.3)).expect("floods the others");
    let notes = session.take_sentence();
    assert!(
        matches!(&notes, Some(one) if one.contains("another skin") && one.contains("9 vertices")),
        "{notes:?}"
    );
    closed(session.document());
    for (a, _) in seam() {
        assert_eq!(by_name(session.document(), 0, a), by_name(&before, 0, a));
        assert!((by_name(session.document(), 0, a - 1)["B"] - 0.3).abs() < 1e-6);
    }
    // If only the seam is selected, nothing changes, and a note states the reason.
    let seam: Vec<String> = seam().map(|(a, _)| a.to_string()).collect();
    let line = flood(0, "B", 0.3).with("vertices", seam.join(", "));
    assert!(!session.run_line(&line).expect("it is said, and no failure"));
    let said = session.take_sentence().unwrap_or_default();
    assert!(said.contains("paint joints that both skins have"), "{said}");
}

#[test]
fn vertices_with_different_weights_are_not_a_seam() {
    let mut session = two(1.0, 1.0, &["A", "B", "C"]);
    session.run_line(&flood(1, "C", 0.4)).expect("floods");
    closed(session.document());
    // Sets the weights of single vertices on one side. The other side must not follow.
    let line = CommandLine::new("weights.set")
        .with("mesh", "#0")
        .with("joints", vec!["B"])
        .with("vertices", vec![ROW - 1]);
    let line = line.with("of", vec![0, 0, 0, 0]).with("weights", vec![1.0, 0.0, 0.0, 0.0]);
    session.run_line(&line).expect("sets");
    let apart = by_name(session.document(), 1, 0);
    session.run_line(&flood(0, "A", 0.9)).expect("floods");
    assert_eq!(by_name(session.document(), 1, 0), apart);
    for (a, b) in seam().skip(1) {
        assert_eq!(by_name(session.document(), 0, a), by_name(session.document(), 1, b));
    }
}

#[test]
fn sheets_at_different_positions_have_no_seam() {
    let session = two(1.0, 1.5, &["A", "B", "C"]);
    let canvas = SkinnedSurface::new(session.document(), SkinId(0)).expect("a canvas");
    assert!(CrossSkinSeams::of(session.document(), &canvas).is_empty());
}

/// One side has layers, the other side has none.
#[test]
fn layers_on_one_side_of_a_seam_affect_the_other() {
    let mut session = two(1.0, 1.0, &["C", "B", "A"]);
    let before = session.document().clone();
    session.run_line(&CommandLine::new("weight_layer.add").with("mesh", "#0")).expect("a layer");
    session.run_line(&flood(0, "B", 0.3)).expect("floods");
    closed(session.document());
    assert!(
        seam().all(|(_, b)| by_name(session.document(), 1, b).contains_key("B")),
        "the other side follows"
    );
    // Both sides display the layer when it is hidden or dimmed.
    let show = |shown: bool| {
        CommandLine::new("weight_layer.show").with("layer", "Layer 1").with("shown", shown)
    };
    session.run_line(&show(false)).expect("hides");
    closed(session.document());
    assert!(seam().all(|(a, b)| by_name(session.document(), 1, b) == by_name(&before, 0, a)));
    session.run_line(&show(true)).expect("shows");
    let dim =
        CommandLine::new("weight_layer.opacity").with("layer", "Layer 1").with("opacity", 0.5);
    session.run_line(&dim).expect("dims");
    closed(session.document());
    while session.undo().is_some() {}
    assert_eq!(*session.document(), before);
    // The second sheet now has layers, too. A flood of the first sheet cannot change them, so the
    // seam vertices stay and the seam remains closed.
    session.run_line(&CommandLine::new("weight_layer.add").with("mesh", "#1")).expect("a layer");
    session.run_line(&flood(0, "B", 0.3)).expect("floods the rest");
    let notes = session.take_sentence();
    assert_eq!(
        notes.iter().filter(|n| n.contains("flatten its weight layers")).count(),
        1,
        "{notes:?}"
    );
    closed(session.document());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// After all operations on one or both sheets, seams are closed, and weights are valid on both
    /// sides.
    #[test]
    fn all_weight_operations_keep_seams_closed(
        steps in prop::collection::vec((0u32..3, 0usize..6, 0usize..3, 0.0f64..1.0), 1..6),
        order in prop::sample::select(vec![["A", "B", "C"], ["C", "A", "B"], ["B", "C", "A"]]),
    ) {
        let mut session = two(0.1, 1.0, &order);
        let before = session.document().clone();
        for (mesh, tool, joint, value) in steps {
            let joint = ["A", "B", "C"][joint];
            let line = match tool {
                0 | 1 => CommandLine::new("weights.flood").with("joint", joint).with("value",
                    value),
                2 => CommandLine::new("weights.smooth").with("amount", value),
                3 => CommandLine::new("weights.quantize").with("steps", 7),
                4 => CommandLine::new("weights.prune").with("below", value * 0.3),
                _ => CommandLine::new("weights.gradient").with("joint", joint).with("value", value)
                    .with("from", vec![0.0, 0.0, 0.0]).with("to", vec![1.0, 1.0, 0.0]),
            };
            let line = if mesh < 2 { line.with("mesh", format!("#{mesh}")) } else { line };
            // An operation that has nothing to change is refused, which is fine here.
            session.run_line(&line).ok();
            closed(session.document());
            for mesh in [MeshId(0), MeshId(1)] {
                let all: Vec<u32> = (0..(ROW * ROW) as u32).collect();
                rule_holds(map(&before, mesh, PrimitiveId(0)),
                    map(session.document(), mesh, PrimitiveId(0)), &all, &[false; 3], 4);
            }
        }
        while session.undo().is_some() {}
        prop_assert_eq!(session.document(), &before);
    }
}

#[test]
fn weights_transfer_by_position_and_name_in_any_units() {
    const ASIDE: f32 = 0.03;
    for scale in [1.0, 0.01] {
        let mut session = two(scale, ASIDE, &["C", "B", "A"]);
        let gradient = CommandLine::new("weights.gradient")
            .with("mesh", "#0")
            .with("joint", "C")
            .with("value", 0.9);
        session
            .run_line(&gradient.with("from", vec![0.0, 0.0, 0.0]).with("to", vec![2.0, 0.0, 0.0]))
            .expect("a gradient");
        assert_eq!(
            by_name(session.document(), 1, 3).len(),
            1,
            "it is no seam, so nothing followed"
        );
        session
            .run_line(&CommandLine::new("weights.transfer").with("mesh", "#1").with("from", "#0"))
            .expect("carries over");
        let mut graded = 0;
        for v in (0..ROW * ROW).filter(|v| v % ROW < ROW - 1) {
            let x = (v % ROW) as f32 / f32::from(SQUARES) + ASIDE;
            let there = by_name(session.document(), 1, v);
            let wanted = 0.9 * (1.0 - x / 2.0);
            assert!(
                (there["C"] - wanted).abs() <= 1e-5,
                "vertex {v}, scale {scale}: {wanted}, and {there:?}"
            );
            assert!(
                (there["A"] - (1.0 - wanted)).abs() <= 1e-5,
                "vertex {v}, scale {scale}: {there:?}"
            );
            graded += 1;
        }
        assert_eq!(graded, ROW * (ROW - 1));
    }
}
