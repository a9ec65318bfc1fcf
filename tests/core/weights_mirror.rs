//! Mirrored weights: both sides must be equal after the mirror tool, and after strokes with
//! mirroring.

use std::{collections::BTreeSet, path::Path};

use crate::common::{sample, weights::partners};
use glam::Vec3;
use ulna_edit::CommandLine;
use ulna_geometry::PointId;
use ulna_model::{Document, JointSlot, MeshId, Shared};
use ulna_session::Session;
use ulna_weights::{
    Brush, BrushKind, Dab, Influences, MirrorMap, Paint, PosedSurface, SkinnedSurface, Stroke,
    Touch, layers::Sides,
};

/// Returns the largest difference between a point and its mirror image over all pairs, and the
/// number of pairs. With `rings`, only points with mirrored neighbors are compared. Edges can cross
/// a quad in the same direction on both sides, which makes neighbors asymmetric.
fn worst_difference(
    document: &Document,
    canvas: &SkinnedSurface,
    mirror: &MirrorMap,
    rings: bool,
) -> (f32, usize) {
    let maps = canvas.maps(document);
    let list = |point: PointId| {
        let (map, own) = maps.map_of(canvas.vertices_at(point)[0]);
        Influences::of(map, own)
    };
    let (mut worst, mut pairs) = (0.0f32, 0);
    for point in PointId::first(canvas.point_count()) {
        let Some(partner) = mirror.point(point) else { continue };
        let around = |of: PointId| canvas.ring(of).iter().map(|p| Some(*p)).collect();
        let same_ring = || -> BTreeSet<Option<PointId>> {
            canvas.ring(point).iter().map(|p| mirror.point(*p)).collect()
        };
        if rings && same_ring() != around(partner) {
            continue;
        }
        pairs += 1;
        let (here, there) = (list(point), list(partner));
        // A joint without a mirror partner is not compared.
        for (j, w) in here.iter() {
            if let Some(other) = mirror.joint(JointSlot(j)) {
                worst = worst.max((w - there.get(other.0)).abs());
            }
        }
    }
    (worst, pairs)
}

/// Mirrors the weights of a file, then paints with every brush in mirror mode.
fn mirrored(session: &mut Session, name: &str) {
    session.run_line(&CommandLine::new("weights.normalize")).expect("normalizes");
    session.run_line(&CommandLine::new("weights.mirror").with("from", "left")).expect("mirrors");
    let canvas = SkinnedSurface::new(session.document(), 0.into()).expect("a canvas");
    let (axis, offset, joints) = partners(session.document());
    let mirror = MirrorMap::near(&canvas, axis, offset, joints);
    let (worst, pairs) = worst_difference(session.document(), &canvas, &mirror, false);
    assert!(
        pairs * 10 > canvas.point_count() * 9,
        "{name}: {pairs} of {} places are paired",
        canvas.point_count()
    );
    assert!(worst <= 1e-6, "{name}: after the tool {worst}");
    let positions: Vec<Vec3> = canvas
        .parts()
        .iter()
        .flat_map(|p| {
            session.document().mesh(p.mesh).primitives[p.primitive.index()].positions.to_vec()
        })
        .collect();
    let posed = PosedSurface { positions: &positions, normals: &[] };
    let size = positions.iter().fold(0.0f32, |s, p| s.max(p.length()));
    let locked = vec![false; canvas.joints().len()];
    let mut done = 0;
    let kinds =
        BrushKind::ALL.into_iter().map(|kind| (kind, false)).chain([(BrushKind::Smooth, true)]);
    for (k, (kind, keep_volume)) in kinds.enumerate() {
        let brush = Brush {
            kind,
            keep_volume,
            strength: 0.6,
            value: 0.7,
            front_only: false,
            ..Brush::default()
        };
        let joint = (k * 7 % canvas.joints().len()) as u16;
        let paint = Paint { brush, joint, locked: &locked, limit: 4, mirror: Some(&mirror) };
        let mut stroke = Stroke::new(&canvas);
        let mut touched = 0;
        // Brushes that mix neighbors spread the differences of asymmetric neighbors. Therefore,
        // each starts from a symmetric state and paints one dab.
        let rings = matches!(kind, BrushKind::Smooth | BrushKind::Sharpen | BrushKind::Smear);
        session
            .run_line(&CommandLine::new("weights.mirror").with("from", "left"))
            .expect("mirrors");
        for step in 0..if rings { 1 } else { 6 } {
            let vertex = ((k * 131 + step * 17) * 97 % canvas.vertex_count()) as u32;
            let at = positions[vertex as usize];
            let touch = Touch {
                at,
                corners: [vertex; 3],
                direction: Vec3::NEG_Z,
                eye: None,
                radius: size * 0.12,
            };
            let dab = Dab { touch, pressure: 1.0, motion: Vec3::X * 0.01, near: None };
            for (part, patch) in
                stroke.dab(&canvas.maps(session.document()), &canvas, posed, &dab, &paint)
            {
                let part = canvas.parts()[part];
                touched += patch.vertices.len();
                session.extend("Paint", part.mesh, part.primitive, patch).expect("it fits");
            }
            let (worst, pairs) = worst_difference(session.document(), &canvas, &mirror, rings);
            assert!(pairs > 20, "{name}: {pairs} pairs");
            assert!(worst <= 1e-6, "{name}: {kind:?} {keep_volume}, dab {step}: {worst}");
        }
        session.commit();
        done += touched;
    }
    assert!(done > 100, "{name}: {done} vertices painted");
}

#[test]
fn mirrored_weights_of_the_sample_are_symmetric() {
    let mut session = sample();
    mirrored(&mut session, "the sample");
}

#[test]
fn given_mirror_pairs_override_guesses_and_can_be_undone() {
    let mut session = sample();
    let canvas = SkinnedSurface::new(session.document(), 0.into()).expect("a canvas");
    let (axis, offset, guessed) = partners(session.document());
    let text = |joint: u16| format!("#{}", canvas.joints()[usize::from(joint)].0);
    // Two limbs that have other mirror partners are given as a pair.
    let is_first = |j: u16| guessed[usize::from(j)].is_some_and(|other| other.0 > j);
    let sided: Vec<u16> = (0..guessed.len() as u16).filter(|j| is_first(*j)).collect();
    let [a, b] = [sided[0], sided[1]];
    let pair = |a: u16| CommandLine::new("joints.pair").with("joint", text(a));
    session.run_line(&pair(a).with("with", text(b))).expect("pairs");
    let (_, _, joints) = partners(session.document());
    assert_eq!([a, b].map(|j| joints[usize::from(j)]), [b, a].map(|j| Some(JointSlot(j))));
    let left_alone = [a, b].map(|j| joints[guessed[usize::from(j)].expect("a pair").index()]);
    assert_eq!(left_alone, [None; 2], "what they were paired with has no mirror image");
    session.run_line(&CommandLine::new("weights.mirror").with("from", "left")).expect("mirrors");
    let mirror = MirrorMap::near(&canvas, axis, offset, joints);
    let maps = canvas.maps(session.document());
    let list = |point: PointId| {
        let (map, own) = maps.map_of(canvas.first_at(point));
        Influences::of(map, own)
    };
    let mut given = 0;
    for point in PointId::first(canvas.point_count()) {
        let Some(partner) = mirror.point(point).filter(|p| *p != point) else { continue };
        let (here, there) = (list(point), list(partner));
        if here.get(a) > 0.0 {
            assert!(
                (here.get(a) - there.get(b)).abs() <= 1e-6,
                "{} and {}",
                here.get(a),
                there.get(b)
            );
            given += 1;
        }
    }
    assert!(given > 10, "{given} places");
    // Mirrored layers use the given pair, too, because it belongs to the document.
    let sides = Sides::of(session.document(), &canvas).expect("sides");
    assert_eq!(sides.pairs.joint(JointSlot(a)), Some(JointSlot(b)));
    session.run_line(&pair(a).with("with", text(a))).expect("it is of the center");
    assert_eq!(partners(session.document()).2[usize::from(a)], Some(JointSlot(a)));
    session.run_line(&pair(a)).expect("it has none");
    assert_eq!(partners(session.document()).2[usize::from(a)], None);
    for _ in 0..4 {
        assert!(session.undo().is_some());
    }
    assert_eq!(partners(session.document()).2, guessed);
    let mesh_node = CommandLine::new("joints.pair").with("joint", "#0").with("with", text(a));
    let is_joint = canvas.joints().iter().any(|j| j.0 == 0);
    assert!(is_joint || session.run_line(&mesh_node).is_err());
}

/// The left side of the model is not exactly the mirror image of the right side.
#[test]
fn vertices_without_an_exact_mirror_position_pair_by_their_neighbors() {
    let session = sample();
    let exact = SkinnedSurface::new(session.document(), 0.into()).expect("a canvas");
    let sides = Sides::of(session.document(), &exact).expect("sides");
    assert_eq!(sides.pairs.by_topology, 0);
    let mut document = session.document().clone();
    let mesh = Shared::make_mut(document.file.meshes.get_mut(MeshId(0)).expect("it is there"));
    let mut moved = BTreeSet::new();
    for (v, p) in mesh.primitives[0].positions.make_mut().iter_mut().enumerate() {
        let point = exact.point_of(v as u32);
        // Patches of the left side are slightly displaced: whole rings, and the rings around them.
        let left =
            (p[sides.axis] > sides.offset) == sides.left_is_high && p[sides.axis] != sides.offset;
        if left && (p.y * 9.0).sin() > 0.75 {
            let away = |k: u32| {
                (f64::from((point.index() as u32).wrapping_mul(2_654_435_761).wrapping_add(k * 77))
                    .sin()
                    * 8e-4) as f32
            };
            *p += Vec3::new(away(1), away(2), away(3));
            moved.insert(point);
        }
    }
    assert!(moved.len() > 500, "{} places are off", moved.len());
    let canvas = SkinnedSurface::new(&document, 0.into()).expect("a canvas");
    assert_eq!(canvas.point_count(), exact.point_count());
    let (axis, offset, joints) = partners(&document);
    let pairs = MirrorMap::near(&canvas, axis, offset, joints);
    let (mut right, mut wrong) = (0, 0);
    for point in moved {
        let wanted = sides.pairs.point(point);
        match pairs.point(point) {
            None => {}
            found if found == wanted => right += 1,
            _ => wrong += 1,
        }
    }
    assert!(pairs.by_topology > 500, "{} by their neighbors", pairs.by_topology);
    assert!(
        wrong * 100 < right && right > 400,
        "{right} right, {wrong} wrong, {} unpaired",
        pairs.unpaired
    );
    // The word `unpaired` selects the remaining vertices.
    let mut session = session;
    let none = CommandLine::new("weights.normalize").with("vertices", "unpaired");
    assert!(
        session.run_line(&none).is_err() || sides.pairs.unpaired > 0,
        "every vertex of the sample has its mirror image"
    );
}

/// Only one hand has weights, and its joint has no mirror joint.
#[test]
fn a_joint_without_a_mirror_is_painted_on_its_own_side_and_mirrored_as_its_parent() {
    let mut session = sample();
    let canvas = SkinnedSurface::new(session.document(), 0.into()).expect("a canvas");
    let (.., guessed) = partners(session.document());
    let holds = |session: &Session, joint: u16| -> Vec<u32> {
        let maps = canvas.maps(session.document());
        let list = (0..canvas.vertex_count() as u32).filter(|v| {
            let (map, own) = maps.map_of(*v);
            map.weight(own, joint) > 0.0
        });
        list.collect()
    };
    let sides = Sides::of(session.document(), &canvas).expect("sides");
    let is_left =
        |j: u16| (canvas.heads()[usize::from(j)][sides.axis] > sides.offset) == sides.left_is_high;
    let of_a_pair = |j: &u16| {
        let (other, parent) = (guessed[usize::from(*j)], canvas.parents()[usize::from(*j)]);
        let has_pair = |parent: JointSlot| guessed[parent.index()] != Some(parent);
        other.is_some_and(|other| other.0 != *j) && parent.is_some_and(has_pair)
    };
    let candidates = (0..guessed.len() as u16).filter(|j| of_a_pair(j) && is_left(*j));
    let held = candidates.max_by_key(|j| holds(&session, *j).len()).expect("a joint of a limb");
    let other = guessed[usize::from(held)].expect("of a pair").0;
    let name = format!("#{}", canvas.joints()[usize::from(held)].0);
    session
        .run_line(&CommandLine::new("joints.pair").with("joint", name.as_str()))
        .expect("it has none");
    let sides = Sides::of(session.document(), &canvas).expect("sides");
    let parent = canvas.parents()[usize::from(held)].expect("a parent");
    let stand_in = guessed[parent.index()].expect("a mirror joint");
    let held_slot = JointSlot(held);
    assert_eq!((sides.pairs.joint(held_slot), sides.pairs.across(held_slot)), (None, stand_in));
    let stand_in = stand_in.0;

    // A stroke on the left must not change the right side.
    let rest: Vec<Vec3> = (0..canvas.vertex_count() as u32)
        .map(|v| canvas.rest()[canvas.point_of(v).index()])
        .collect();
    let locked = vec![false; canvas.joints().len()];
    let mut painted = 0;
    for kind in [BrushKind::Add, BrushKind::Replace, BrushKind::Scale] {
        let brush =
            Brush { kind, value: 0.8, strength: 0.7, front_only: false, ..Brush::default() };
        let paint =
            Paint { brush, joint: held, locked: &locked, limit: 4, mirror: Some(&sides.pairs) };
        let at = holds(&session, held)[0];
        let spot = rest[at as usize];
        let touch =
            Touch { at: spot, corners: [at; 3], direction: Vec3::NEG_Z, eye: None, radius: 0.12 };
        let dab = Dab { touch, pressure: 1.0, motion: Vec3::ZERO, near: None };
        let posed = PosedSurface { positions: &rest, normals: &[] };
        for (part, patch) in
            Stroke::new(&canvas).dab(&canvas.maps(session.document()), &canvas, posed, &dab, &paint)
        {
            for v in &patch.vertices {
                let p = rest[(canvas.parts()[part].first + v) as usize];
                assert!(
                    (p[sides.axis] > sides.offset) == sides.left_is_high,
                    "{kind:?} painted {p}"
                );
            }
            painted += patch.vertices.len();
            session
                .extend("Paint", canvas.parts()[part].mesh, canvas.parts()[part].primitive, patch)
                .expect("it fits");
        }
        session.commit();
    }
    assert!(painted > 10, "{painted} vertices painted");

    session.run_line(&CommandLine::new("weights.mirror").with("from", "left")).expect("mirrors");
    let maps = canvas.maps(session.document());
    let mut given = 0;
    for v in holds(&session, held) {
        let point = canvas.point_of(v);
        let Some(partner) = sides.pairs.point(point).filter(|p| *p != point) else { continue };
        let list = |vertex: u32| {
            let (map, own) = maps.map_of(vertex);
            Influences::of(map, own)
        };
        let (here, there) = (list(v), list(canvas.first_at(partner)));
        let wanted: f32 = here
            .iter()
            .filter(|(j, _)| sides.pairs.across(JointSlot(*j)).0 == stand_in)
            .map(|(_, w)| w)
            .sum();
        assert!(
            (there.get(stand_in) - wanted).abs() <= 1e-6,
            "{} for {wanted}",
            there.get(stand_in)
        );
        assert_eq!((there.get(held), there.get(other)), (0.0, 0.0));
        given += 1;
    }
    assert!(given > 10, "{given} vertices");
}

#[test]
fn mirrored_weights_of_symmetric_characters_are_symmetric() {
    let Some(shared) = crate::common::shared() else { return };
    let mut done = 0;
    for path in crate::common::models(&shared.join("corpus/characters")) {
        let Ok(mut session) = Session::open(&path, &Default::default()) else { continue };
        let document = session.document();
        if document.skins.len() != 1 {
            continue;
        }
        let Some(canvas) = SkinnedSurface::new(document, 0.into()) else { continue };
        let float = (0..canvas.parts().len())
            .all(|k| canvas.maps(document).part(k).encoding.one().is_none());
        let (axis, offset, joints) = partners(document);
        let paired =
            joints.iter().enumerate().filter(|(k, j)| j.is_some_and(|j| j.index() != *k)).count();
        let mirror = MirrorMap::near(&canvas, axis, offset, joints);
        // Asymmetric meshes, and meshes with coarsely stored positions, are not a valid test.
        if float && paired >= 8 && mirror.unpaired * 20 < canvas.point_count() {
            mirrored(&mut session, &name(&path));
            done += 1;
        }
    }
    assert!(done >= 2, "{done} symmetric characters");
}

fn name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned())
}

/// A pair given before or after mirroring a layer leads to the same displayed weights.
#[test]
fn mirrored_layers_follow_changed_pairs() {
    let text = |line: &str| CommandLine::parse(line).expect("a line");
    let pair = text(r#"{"do":"joints.pair","joint":"LeftHand","with":"RightLowerArm"}"#);
    let layer = [
        text(r#"{"do":"weight_layer.add","mesh":"Mannequin"}"#),
        text(
            r#"{"do":"weights.flood","joint":"LeftHand","value":0.6,
            "vertices":"of LeftLowerArm 0.3..1"}"#,
        ),
        text(r#"{"do":"weight_layer.mirror","layer":"Layer 1","from":"left"}"#),
    ];
    let run = |lines: &[&CommandLine]| {
        let mut session = sample();
        for line in lines {
            session.run_line(line).unwrap_or_else(|e| panic!("{line}: {e}"));
        }
        session
    };
    let [add, flood, mirror] = &layer;
    let first = run(&[&pair, add, flood, mirror]);
    let mut after = run(&[add, flood, mirror, &pair]);
    let without = run(&[add, flood, mirror]);
    assert!(first.document().meshes == after.document().meshes, "the same is seen");
    assert!(
        first.document().meshes != without.document().meshes,
        "and it is another thing than before"
    );
    assert!(after.undo().is_some());
    assert!(
        after.document().meshes == without.document().meshes
            && after.document().aids.mirror_pairs.is_empty()
    );
}
