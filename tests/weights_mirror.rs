//! Mirrored weights: left equals right, after the tool and after mirrored strokes.

mod common;

use std::path::Path;

use glam::Vec3;
use ulna::{
    edit::{CommandLine, mirror_partners},
    model::Document,
    session::Session,
    weights::{
        Brush, BrushKind, Canvas, Dab, Influences, MirrorMap, NOWHERE, Paint, PosedCanvas, Stroke, Touch, pair_joints,
    },
};

/// The worst difference between a place and its mirror image, over all paired places, and how many those are. With
/// `rings`, over those alone whose neighbours are mirrored too: edges may run across a quad one way on both sides.
fn worst_difference(document: &Document, canvas: &Canvas, mirror: &MirrorMap, rings: bool) -> (f32, usize) {
    let maps = canvas.maps(document);
    let list = |place: u32| {
        let (map, own) = maps.map_of(canvas.vertices_at(place)[0]);
        Influences::of(map, own)
    };
    let (mut worst, mut pairs) = (0.0f32, 0);
    for place in 0..canvas.place_count() as u32 {
        let partner = mirror.place(place);
        let around = |of: u32| canvas.ring(of).iter().copied().collect::<std::collections::BTreeSet<u32>>();
        let same_ring =
            || around(place).into_iter().map(|p| mirror.place(p)).collect::<std::collections::BTreeSet<u32>>();
        if partner == NOWHERE || (rings && same_ring() != around(partner)) {
            continue;
        }
        pairs += 1;
        let (here, there) = (list(place), list(partner));
        for (j, w) in here.iter() {
            worst = worst.max((w - there.get(mirror.joint(j))).abs());
        }
    }
    (worst, pairs)
}

/// Mirrors a file's weights, then paints on it with every brush and the mirror on.
fn mirrored(session: &mut Session, name: &str) {
    session.run(&CommandLine::new("weights.normalize")).expect("normalises");
    session.run(&CommandLine::new("weights.mirror").with("from", "left")).expect("mirrors");
    let canvas = Canvas::new(session.document(), 0.into()).expect("a canvas");
    let (axis, offset, joints) = mirror_partners(session.document(), 0.into());
    let mirror = MirrorMap::near(&canvas, axis, offset, joints);
    let (worst, pairs) = worst_difference(session.document(), &canvas, &mirror, false);
    assert!(pairs * 10 > canvas.place_count() * 9, "{name}: {pairs} of {} places are paired", canvas.place_count());
    assert!(worst <= 1e-6, "{name}: after the tool {worst}");
    let positions: Vec<Vec3> = canvas
        .parts()
        .iter()
        .flat_map(|p| session.document().mesh(p.mesh).primitives[p.primitive].positions.to_vec())
        .collect();
    let posed = PosedCanvas { positions: &positions, normals: &[] };
    let size = positions.iter().fold(0.0f32, |s, p| s.max(p.length()));
    let locked = vec![false; canvas.joints().len()];
    let mut done = 0;
    for (k, kind) in BrushKind::ALL.into_iter().enumerate() {
        // Smearing looks along the hand's way, which the other side sees mirrored only in a mirrored pose.
        if kind == BrushKind::Smear {
            continue;
        }
        let brush = Brush { kind, strength: 0.6, value: 0.7, front_only: false, ..Brush::default() };
        let joint = (k * 7 % canvas.joints().len()) as u16;
        let paint = Paint { brush, joint, locked: &locked, limit: 4, mirror: Some(&mirror) };
        let mut stroke = Stroke::new(&canvas);
        let mut touched = 0;
        // What mixes with its neighbours spreads the differences of rings that are not mirrored: one dab from even ground.
        let rings = matches!(kind, BrushKind::Smooth | BrushKind::Sharpen);
        session.run(&CommandLine::new("weights.mirror").with("from", "left")).expect("mirrors");
        for step in 0..if rings { 1 } else { 6 } {
            let vertex = ((k * 131 + step * 17) * 97 % canvas.vertex_count()) as u32;
            let at = positions[vertex as usize];
            let touch = Touch { at, corners: [vertex; 3], direction: Vec3::NEG_Z, eye: None, radius: size * 0.12 };
            let dab = Dab { touch, pressure: 1.0, motion: Vec3::X * 0.01, near: None };
            for (part, patch) in stroke.dab(&canvas.maps(session.document()), &canvas, posed, &dab, &paint) {
                let part = canvas.parts()[part];
                touched += patch.vertices.len();
                session.extend("Paint", part.mesh, part.primitive, patch).expect("it fits");
            }
            let (worst, pairs) = worst_difference(session.document(), &canvas, &mirror, rings);
            assert!(pairs > 20, "{name}: {pairs} pairs");
            assert!(worst <= 1e-6, "{name}: {kind:?}, dab {step}: {worst}");
        }
        session.commit(Vec::new());
        done += touched;
    }
    assert!(done > 100, "{name}: {done} vertices painted");
}

#[test]
fn left_equals_right_on_the_sample() {
    let mut session = Session::open_bytes(include_bytes!("../assets/mannequin.glb")).expect("the sample");
    mirrored(&mut session, "the sample");
}

#[test]
fn a_line_names_pairs_of_joints_that_were_guessed_otherwise() {
    let mut session = Session::open_bytes(include_bytes!("../assets/mannequin.glb")).expect("the sample");
    let canvas = Canvas::new(session.document(), 0.into()).expect("a canvas");
    let (axis, offset, mut joints) = mirror_partners(session.document(), 0.into());
    let text = |joint: u16| format!("#{}", canvas.joints()[usize::from(joint)].0);
    // Two limbs that have another mirror joint each are said to be each other's.
    let sided: Vec<u16> = (0..joints.len() as u16).filter(|j| joints[usize::from(*j)] > *j).collect();
    let [a, b] = [sided[0], sided[1]];
    let odd = CommandLine::new("weights.mirror").with("from", "left").with("pairs", vec![text(a)]);
    let error = session.run(&odd).expect_err("one joint is no pair").to_string();
    assert!(error.contains("two by two"), "{error}");
    let line = CommandLine::new("weights.mirror").with("from", "left").with("pairs", vec![text(a), text(b)]);
    session.run(&line).expect("mirrors");
    pair_joints(&mut joints, a, b);
    assert_eq!([joints[usize::from(a)], joints[usize::from(b)]], [b, a]);
    let mirror = MirrorMap::near(&canvas, axis, offset, joints);
    let (worst, pairs) = worst_difference(session.document(), &canvas, &mirror, false);
    assert!(pairs > 1000 && worst <= 1e-6, "{worst} over {pairs}");
}

#[test]
fn left_equals_right_on_symmetric_characters() {
    let Some(shared) = common::shared() else { return };
    let mut done = 0;
    for path in common::models(&shared.join("corpus/characters")) {
        let Ok(mut session) = Session::open(&path, &Default::default()) else { continue };
        let document = session.document();
        if document.skins.len() != 1 {
            continue;
        }
        let Some(canvas) = Canvas::new(document, 0.into()) else { continue };
        let float = (0..canvas.parts().len()).all(|k| canvas.maps(document).part(k).encoding.one().is_none());
        let (axis, offset, joints) = mirror_partners(document, 0.into());
        let paired = joints.iter().enumerate().filter(|(k, j)| usize::from(**j) != *k).count();
        let mirror = MirrorMap::near(&canvas, axis, offset, joints);
        // What is not symmetric, or stored too coarsely, proves nothing.
        if float && paired >= 8 && mirror.unpaired * 20 < canvas.place_count() {
            mirrored(&mut session, &name(&path));
            done += 1;
        }
    }
    assert!(done >= 2, "{done} symmetric characters");
}

fn name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned())
}
