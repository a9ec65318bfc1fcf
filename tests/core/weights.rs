//! Brush strokes: the weights of every vertex stay normalized after every dab.

use crate::common::sample;
use std::collections::BTreeMap;

use crate::common::weights::{
    bits, harmed, map, mean, packed, positions, rule_holds, sheet, with_eight, with_encoding,
};
use glam::Vec3;
use proptest::prelude::*;
use ulna_edit::{Change, CommandLine};
use ulna_geometry::PointId;
use ulna_model::{Document, SkinId, WeightEncoding, WeightMap, WeightPatch};
use ulna_session::Session;
use ulna_weights::{
    Brush, BrushKind, Dab, Falloff, Influences, Paint, PosedSurface, Reach, SkinnedSurface, Stroke,
    Touch, WeightConstraints, layers::Sides,
};

/// Parameters of a random stroke.
#[derive(Clone, Debug)]
struct Plan {
    encoding: WeightEncoding,
    /// Whether each vertex has two sets, so eight slots.
    eight: bool,
    mirror: bool,
    brush: Brush,
    joint: usize,
    locked: Vec<usize>,
    limit: usize,
    dabs: Vec<(usize, f32)>,
}

impl Plan {
    fn session(&self) -> Session {
        if self.eight { with_eight(self.encoding) } else { with_encoding(self.encoding) }
    }
}

fn plans() -> impl Strategy<Value = Plan> {
    let encoding = prop::sample::select(vec![
        WeightEncoding::Float,
        WeightEncoding::Short,
        WeightEncoding::Byte,
    ]);
    let kind = prop::sample::select(BrushKind::ALL.to_vec());
    let reach = prop::sample::select(Reach::ALL.to_vec());
    let falloff = prop::sample::select(Falloff::PRESETS.to_vec());
    let numbers = (0.05f32..1.0, 0.0f32..1.0, 0.02f32..0.3);
    let flags = prop::array::uniform6(any::<bool>());
    let lists = (
        prop::collection::vec(0usize..64, 0..6),
        prop::collection::vec((0usize..100_000, 0.2f32..1.0), 1..8),
    );
    (encoding, kind, reach, falloff, numbers, flags, 0usize..64, 1usize..9, lists).prop_map(
        |(
            encoding,
            kind,
            reach,
            falloff,
            (strength, value, _),
            flags,
            joint,
            limit,
            (locked, dabs),
        )| Plan {
            encoding,
            eight: flags[3],
            mirror: flags[4],
            brush: Brush {
                kind,
                reach,
                falloff,
                strength,
                value,
                build_up: flags[0],
                front_only: flags[1],
                this_joint: flags[2],
                keep_volume: flags[5],
                ..Brush::default()
            },
            joint,
            locked,
            limit,
            dabs,
        },
    )
}

/// Returns the number of points whose vertices have different weights.
fn uneven(document: &Document, canvas: &SkinnedSurface) -> usize {
    let maps = canvas.maps(document);
    let list = |v: u32| {
        let (map, own) = maps.map_of(v);
        map.vertex(own).filter(|(_, w)| *w > 0.0).map(|(j, w)| (j, w.to_bits())).collect::<Vec<_>>()
    };
    let differs = |point: &PointId| {
        let all = canvas.vertices_at(*point);
        all.len() > 1 && all[1..].iter().any(|v| list(*v) != list(all[0]))
    };
    PointId::first(canvas.point_count()).filter(differs).count()
}

/// Returns the joints and weights that patches give each vertex, as bits.
fn by_vertex(patches: &[(usize, WeightPatch)]) -> BTreeMap<(usize, u32), (Vec<u16>, Vec<u32>)> {
    let mut all = BTreeMap::new();
    for (part, patch) in patches {
        let stride = patch.sets * 4;
        let slots = patch.joints.chunks_exact(stride).zip(patch.weights.chunks_exact(stride));
        for (v, (joints, weights)) in patch.vertices.iter().zip(slots) {
            let old = all.insert((*part, *v), (joints.to_vec(), bits(weights)));
            assert!(old.is_none(), "vertex {v} comes twice");
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn weights_stay_valid_after_every_dab_and_undo_is_exact(plan in plans()) {
        let mut session = plan.session();
        let canvas = SkinnedSurface::new(session.document(), SkinId(0)).expect("a canvas");
        let opened = session.document().clone();
        let steps = session.history().done().len();
        let joints = canvas.joints().len();
        let mut locked = vec![false; joints];
        plan.locked.iter().for_each(|j| locked[j % joints] = true);
        let mirror =
            plan.mirror.then(|| Sides::of(session.document(), &canvas).expect("sides").pairs);
        let uneven_before = uneven(session.document(), &canvas);
        let (positions, normals) = positions(session.document(), &canvas);
        let posed = PosedSurface { positions: &positions, normals: &normals };
        let paint = Paint {
            brush: plan.brush,
            joint: (plan.joint % joints) as u16,
            locked: &locked,
            limit: plan.limit,
            mirror: mirror.as_ref(),
        };
        let mut stroke = Stroke::new(&canvas);
        // Runs the same stroke with the nearby vertices given, in another order.
        let mut known = Stroke::new(&canvas);
        let mut near: Vec<u32> = (0..canvas.vertex_count() as u32).collect();
        near.sort_by_key(|v| (*v / 50).wrapping_mul(2_654_435_761));
        let mut touched = 0;
        let mut noted = std::collections::BTreeSet::new();
        session.take_changes();
        for (spot, radius) in &plan.dabs {
            let vertex = (spot % canvas.vertex_count()) as u32;
            let at = positions[vertex as usize];
            let touch = Touch { at, corners: [vertex; 3], direction: Vec3::NEG_Z, eye: None,
                radius: radius * 0.3 };
            let dab = Dab { touch, pressure: 1.0, motion: Vec3::new(0.01, 0.02, 0.0), near: None };
            let maps = canvas.maps(session.document());
            let patches = stroke.dab(&maps, &canvas, posed, &dab, &paint);
            let again = known.dab(&maps, &canvas, posed, &Dab { near: Some(&near), ..dab }, &paint);
            prop_assert_eq!(by_vertex(&again), by_vertex(&patches));
            prop_assert_eq!(known.refused(), stroke.refused());
            let hits = |s: &Stroke| s.last_hits().map(|(v, p)| (v, p.to_bits()))
                .collect::<std::collections::BTreeSet<_>>();
            prop_assert_eq!(hits(&known), hits(&stroke));
            for (part, patch) in patches {
                let part = canvas.parts()[part];
                let before = map(session.document(), part.mesh, part.primitive).clone();
                let vertices = patch.vertices.clone();
                touched += vertices.len();
                noted.extend(vertices.iter().map(|v| (part.mesh, part.primitive, *v)));
                session.extend("Paint", part.mesh, part.primitive, patch).expect("it fits");
                let after = map(session.document(), part.mesh, part.primitive);
                rule_holds(&before, after, &vertices, &locked, plan.limit);
                // No other vertex may change.
                let hit: std::collections::BTreeSet<u32> = vertices.into_iter().collect();
                for v in (0..after.vertex_count()).filter(|v| !hit.contains(&(*v as u32))) {
                    prop_assert!(before.vertex(v).eq(after.vertex(v)));
                }
            }
        }
        // Over all dabs, each change is reported once.
        let mut told = Vec::new();
        for change in session.take_changes() {
            let Change::Weights { mesh, primitive, vertices: Some(list) } =
                change else { panic!("{change:?}") };
            prop_assert!(list.is_sorted_by(|a, b| a < b));
            told.extend(list.into_iter().map(|v| (mesh, primitive, v)));
        }
        prop_assert_eq!(told.iter().copied().collect::<std::collections::BTreeSet<_>>(), noted);
        let committed = session.commit();
        prop_assert_eq!(committed, *session.document() != opened);
        prop_assert!(touched > 0 || !committed);
        let painted = session.document().clone();
        // Coincident vertices that had equal weights still have equal weights.
        prop_assert!(uneven(&painted, &canvas) <= uneven_before);
        if committed {
            // The command lines of the stroke give the same result in a newly opened file.
            let lines = session.history().done().last().expect("a step").lines(&painted);
            let mut again = plan.session();
            for line in &lines {
                again.run_line(&CommandLine::parse(&line.to_string()).expect("a line"))
                    .expect("it replays");
            }
            prop_assert!(*again.document() == painted);
            // The saved weights equal the displayed weights.
            let saved = session.pack("x").expect("it packs");
            let back = Session::open_bytes(&saved.bytes).expect("it opens");
            for (k, mesh) in painted.meshes.iter() {
                for (p, primitive) in mesh.primitives.iter().enumerate() {
                    prop_assert_eq!(&primitive.weights,
                        &back.document().meshes[k].primitives[p].weights);
                }
            }
            session.undo();
        }
        prop_assert!(*session.document() == opened);
        prop_assert_eq!(session.history().done().len(), steps);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None,
        ..ProptestConfig::default() })]

    #[test]
    fn hidden_vertices_are_not_painted_but_all_others_are(plan in plans(),
        hidden in any::<u32>()) {
        let session = plan.session();
        let canvas = SkinnedSurface::new(session.document(), SkinId(0)).expect("a canvas");
        let (positions, normals) = positions(session.document(), &canvas);
        let posed = PosedSurface { positions: &positions, normals: &normals };
        let joint = (plan.joint % canvas.joints().len()) as u16;
        let locked = vec![false; canvas.joints().len()];
        let paint = Paint { brush: plan.brush, joint, locked: &locked, limit: plan.limit,
            mirror: None };
        let (spot, radius) = plan.dabs[0];
        let vertex = (spot % canvas.vertex_count()) as u32;
        let touch = Touch { at: positions[vertex as usize], corners: [vertex; 3],
            direction: Vec3::NEG_Z, eye: None, radius };
        let dab = Dab { touch, pressure: 1.0, motion: Vec3::new(0.01, 0.02, 0.0), near: None };
        // All vertices of a point are visible, or all are hidden.
        let seen = |v: u32| {
            let point = canvas.point_of(v).index() as u32;
            (point.wrapping_mul(2_654_435_761) ^ hidden) & 0x800 == 0
        };
        let maps = canvas.maps(session.document());
        let all = by_vertex(&Stroke::new(&canvas).dab(&maps, &canvas, posed, &dab, &paint));
        let some = by_vertex(&Stroke::new(&canvas).dab_where(&maps, &canvas, posed, &dab, &paint,
            Some(&seen)));
        let in_canvas = |key: &(usize, u32)| canvas.parts()[key.0].first + key.1;
        prop_assert!(some.keys().all(|key| seen(in_canvas(key))));
        // The averaging brush uses the mean of the painted vertices, which differs if fewer are
        // painted.
        if plan.brush.kind != BrushKind::Average {
            let wanted: BTreeMap<_,
                _> = all.into_iter().filter(|(key, _)| seen(in_canvas(key))).collect();
            prop_assert_eq!(some, wanted);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None,
        ..ProptestConfig::default() })]

    #[test]
    fn a_painted_value_is_reached_if_another_joint_can_receive_the_rest(
        encoding in prop::sample::select(vec![WeightEncoding::Float, WeightEncoding::Short,
            WeightEncoding::Byte]),
        value in 0.0f32..1.0,
        joint in 0usize..64,
        spot in 0usize..100_000,
        radius in 0.02f32..0.4,
        locked in prop::collection::vec(0usize..64, 0..8),
    ) {
        let session = Session::open_bytes(packed(encoding)).expect("the sample");
        let document = session.document();
        let canvas = SkinnedSurface::new(document, SkinId(0)).expect("a canvas");
        let joints = canvas.joints().len();
        let joint = (joint % joints) as u16;
        let mut is_locked = vec![false; joints];
        locked.iter().for_each(|j| is_locked[j % joints] = *j % joints != usize::from(joint));
        let (positions, normals) = positions(document, &canvas);
        let vertex = (spot % canvas.vertex_count()) as u32;
        let at = positions[vertex as usize];
        let touch = Touch { at, corners: [vertex; 3], direction: Vec3::NEG_Z, eye: None, radius };
        let brush = Brush {
            kind: BrushKind::Replace,
            value,
            strength: 1.0,
            falloff: Falloff::Constant,
            reach: Reach::Volume,
            front_only: false,
            ..Brush::default()
        };
        let paint = Paint { brush, joint, locked: &is_locked, limit: 4, mirror: None };
        let mut stroke = Stroke::new(&canvas);
        let posed = PosedSurface { positions: &positions, normals: &normals };
        let dab = Dab { touch, pressure: 1.0, motion: Vec3::ZERO, near: None };
        let patches = stroke.dab(&canvas.maps(document), &canvas, posed, &dab, &paint);
        let mut maps: Vec<WeightMap> =
            canvas.parts().iter().map(|p| map(document, p.mesh, p.primitive).clone()).collect();
        for (part, mut patch) in patches {
            maps[part].swap(&mut patch);
        }
        prop_assert!(stroke.last_hits().next().is_some());
        for (v, _) in stroke.last_hits() {
            let (part, own) = canvas.part_of(v);
            let p = canvas.parts()[part];
            let before = map(document, p.mesh, p.primitive);
            let used: Vec<(u16, f32)> =
                before.vertex(own as usize).filter(|(_, w)| *w > 0.0).collect();
            let held: f32 =
                used.iter().filter(|(j, _)| is_locked[usize::from(*j)]).map(|(_, w)| w).sum();
            let keeps = used.iter().filter(|(j, _)| is_locked[usize::from(*j)]).count();
            let others =
                used.iter().any(|(j, w)| *j != joint && !is_locked[usize::from(*j)] && *w > 0.0);
            let now = maps[part].weight(own as usize, joint);
            if others && keeps + 2 <= 4 {
                let wanted = value.min(1.0 - held);
                let off = (now - wanted).abs();
                prop_assert!(off <= encoding.step().max(1e-6),
                    "vertex {v}: {now} instead of {wanted}");
            }
        }
    }

    #[test]
    fn the_vectorized_brush_equals_the_scalar_kernel(
        harms in prop::collection::vec(0u8..9, 1..60),
        factors in prop::collection::vec(0.3f32..1.7, 1..60),
        kind in prop::sample::select(vec![BrushKind::Add, BrushKind::Subtract, BrushKind::Replace,
            BrushKind::Scale]),
        (value, strength) in (0.0f32..2.0, 0.05f32..1.0),
        joint in 0usize..64,
        locked in prop::collection::vec(0usize..64, 0..30),
        evened in any::<bool>(),
    ) {
        let session = sample();
        let canvas = SkinnedSurface::new(session.document(), SkinId(0)).expect("a canvas");
        let document = harmed(session.document(), &canvas, &harms, &factors, evened);
        let joints = canvas.joints().len();
        let joint = (joint % joints) as u16;
        let mut is_locked = vec![false; joints];
        locked.iter().for_each(|j| is_locked[j % joints] = *j % joints != usize::from(joint));
        let (positions, normals) = positions(&document, &canvas);
        let posed = PosedSurface { positions: &positions, normals: &normals };
        let brush = Brush {
            kind,
            value,
            strength,
            falloff: Falloff::Constant,
            reach: Reach::Volume,
            front_only: false,
            ..Brush::default()
        };
        let paint = Paint { brush, joint, locked: &is_locked, limit: 4, mirror: None };
        let touch = Touch { at: positions[0], corners: [0; 3], direction: Vec3::NEG_Z, eye: None,
            radius: 100.0 };
        let dab = Dab { touch, pressure: 1.0, motion: Vec3::ZERO, near: None };
        let maps = canvas.maps(&document);
        let patches = Stroke::new(&canvas).dab(&maps, &canvas, posed, &dab, &paint);
        let mut painted: Vec<WeightMap> =
            (0..canvas.parts().len()).map(|k| maps.part(k).clone()).collect();
        for (part, mut patch) in patches {
            painted[part].swap(&mut patch);
        }
        for v in 0..canvas.vertex_count() as u32 {
            let (part, own) = canvas.part_of(v);
            let rule = WeightConstraints {
                locked: &is_locked,
                parents: canvas.parents(),
                limit: 4,
                encoding: maps.part(part).encoding,
                pairs: &[],
                turned: false,
            };
            let (mut joints, mut weights) = (maps.slots(v).0.to_vec(), maps.slots(v).1.to_vec());
            let mut list = Influences::default();
            let done = list.read(&joints, &weights, &rule).and_then(|()| {
                let wish = brush.value_for(list.get(joint), strength);
                let around = |out: &mut Influences| mean(&canvas, &maps, v, out);
                ulna_weights::paint(&mut list, &[(joint, wish)], &rule, around)
            });
            if done.is_ok() {
                list.write(&mut joints, &mut weights);
            }
            let slots = own as usize * 4..own as usize * 4 + 4;
            prop_assert_eq!(&painted[part].joints[slots.clone()], &joints[..],
                "vertex {} from {:?}", v, maps.slots(v));
            prop_assert_eq!(bits(&painted[part].weights[slots]), bits(&weights),
                "vertex {} from {:?}", v, maps.slots(v));
        }
    }

    #[test]
    fn a_surface_brush_measures_shortest_paths(
        spot in 0usize..100_000,
        radius in 0.01f32..0.5,
        (beside, aside) in (any::<bool>(), prop::array::uniform3(-0.5f32..0.5)),
    ) {
        let session = sample();
        let document = session.document();
        let canvas = SkinnedSurface::new(document, SkinId(0)).expect("a canvas");
        let (positions, normals) = positions(document, &canvas);
        let part = &canvas.parts()[spot % canvas.parts().len()];
        let triangles =
            document.mesh(part.mesh).primitives[part.primitive.index()].indices.as_chunks::<3>().0;
        let corners = triangles[spot % triangles.len()].map(|v| part.first + v);
        let [a, b, c] = corners.map(|v| positions[v as usize]);
        // The touch is on the triangle, or beside it.
        let at = (a + b + c) / 3.0 + if beside { Vec3::from(aside) * radius } else { Vec3::ZERO };
        let slack = a.distance(b).max(b.distance(c)).max(c.distance(a));
        let touch = Touch { at, corners, direction: Vec3::NEG_Z, eye: None, radius };
        let posed = PosedSurface { positions: &positions, normals: &normals };
        let brush = Brush { reach: Reach::Surface, front_only: false, ..Brush::default() };
        let locked = vec![false; canvas.joints().len()];
        let paint = Paint { brush, joint: 0, locked: &locked, limit: 4, mirror: None };
        let dab = Dab { touch, pressure: 1.0, motion: Vec3::ZERO, near: None };
        // Two runs in the same memory must leave no state.
        let mut stroke = Stroke::new(&canvas);
        for _ in 0..2 {
            stroke.dab(&canvas.maps(document), &canvas, posed, &dab, &paint);
        }
        let mut hits: Vec<(u32, f32)> = stroke.last_hits().collect();
        // Given nearby vertices must lead to the same result, several times.
        let mut known = Stroke::new(&canvas);
        let near: Vec<u32> = (0..canvas.vertex_count() as u32).rev().collect();
        for _ in 0..12 {
            known.dab(&canvas.maps(document), &canvas, posed, &Dab { near: Some(&near), ..dab },
                &paint);
            let mut again: Vec<(u32, f32)> = known.last_hits().collect();
            again.sort_by_key(|(v, _)| *v);
            hits.sort_by_key(|(v, _)| *v);
            prop_assert_eq!(&again, &hits);
        }
        // Reference: relaxes every edge until no path gets shorter.
        let place = |p: PointId| positions[canvas.first_at(p) as usize];
        let mut way = vec![f32::INFINITY; canvas.point_count()];
        let limit = 1.44 * radius + slack;
        let within = |p: &PointId| place(*p).distance_squared(at) < radius * radius;
        let starts = corners.map(|corner| canvas.point_of(corner));
        let near: Vec<PointId> = PointId::first(canvas.point_count())
            .filter(|p| within(p) || starts.contains(p))
            .collect();
        for corner in corners {
            let start = place(canvas.point_of(corner)).distance(at);
            if start < limit {
                way[canvas.point_of(corner).index()] = start;
            }
        }
        loop {
            let mut shorter = false;
            for p in &near {
                let here = way[p.index()];
                for q in canvas.ring(*p) {
                    let there = here + place(*p).distance(place(*q));
                    if there < limit && within(q) && there < way[q.index()] {
                        way[q.index()] = there;
                        shorter = true;
                    }
                }
            }
            if !shorter {
                break;
            }
        }
        let mut wanted = Vec::new();
        for p in PointId::first(canvas.point_count()) {
            let (way, straight) = (way[p.index()], place(p).distance(at));
            let distance = if way <= straight * 1.44 + slack { straight } else { way };
            if distance < radius {
                wanted.extend(canvas.vertices_at(p).iter().map(|v| (*v, 1.0 - distance / radius)));
            }
        }
        wanted.sort_by_key(|(v, _)| *v);
        prop_assert_eq!(hits, wanted);
    }
}

/// Paths along edges are longer across the diagonals of quads than along them. The brush must be
/// round in spite of this.
#[test]
fn a_surface_brush_is_round_on_a_flat_surface() {
    let session = sheet(40, 1);
    let document = session.document();
    let canvas = SkinnedSurface::new(document, SkinId(0)).expect("a canvas");
    let (positions, normals) = positions(document, &canvas);
    let posed = PosedSurface { positions: &positions, normals: &normals };
    let at = Vec3::new(0.5, 0.5, 0.0);
    let middle =
        positions.iter().position(|p| p.abs_diff_eq(at, 1e-6)).expect("a vertex in the middle")
            as u32;
    let touched = |reach: Reach| {
        let paint = Paint {
            brush: Brush { reach, front_only: false, ..Brush::default() },
            joint: 0,
            locked: &[false, false],
            limit: 4,
            mirror: None,
        };
        let touch =
            Touch { at, corners: [middle; 3], direction: Vec3::NEG_Z, eye: None, radius: 0.37 };
        let mut stroke = Stroke::new(&canvas);
        let dab = Dab { touch, pressure: 1.0, motion: Vec3::ZERO, near: None };
        stroke.dab(&canvas.maps(document), &canvas, posed, &dab, &paint);
        stroke.last_hits().map(|(v, p)| (v, p.to_bits())).collect::<BTreeMap<_, _>>()
    };
    let (along, ball) = (touched(Reach::Surface), touched(Reach::Volume));
    assert!(ball.len() > 600, "{}", ball.len());
    assert_eq!(along.keys().collect::<Vec<_>>(), ball.keys().collect::<Vec<_>>());
    for (v, p) in &along {
        assert!((f32::from_bits(*p) - f32::from_bits(ball[v])).abs() < 1e-6, "vertex {v}");
    }
}
