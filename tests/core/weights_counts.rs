//! Incrementally updated weight statistics equal new ones, and a brush paints the touched side of a
//! surface.

use glam::Vec3;
use proptest::prelude::*;
use ulna_edit::Edit;
use ulna_model::{Document, SkinId, WeightMap};
use ulna_weights::{
    Brush, BrushKind, Dab, Paint, PosedSurface, Reach, STRAY, SkinnedSurface, Stroke, Touch,
    WeightStats, faces_eye, faults, strays,
};

use crate::common::sample;

fn finished(tally: &mut WeightStats, canvas: &SkinnedSurface, document: &Document) {
    let mut steps = 0;
    while !tally.is_done() {
        assert!(
            tally.step(canvas, &canvas.maps(document), 97, &mut Vec::new()),
            "there is something to count"
        );
        steps += 1;
        assert!(steps < 10_000, "it comes to an end");
    }
}

/// Makes weights invalid: a slot of every `every`-th vertex gets the given joint and weight.
/// Returns the changed vertices, too.
fn harmed(map: &WeightMap, every: usize, joint: u16, weight: f32) -> (WeightMap, Vec<u32>) {
    let mut map = map.clone();
    let stride = map.stride();
    let vertices: Vec<u32> = (0..map.vertex_count() as u32).step_by(every).collect();
    for v in &vertices {
        let slot = *v as usize * stride + *v as usize % stride;
        map.joints.make_mut()[slot] = joint;
        map.weights.make_mut()[slot] = weight;
    }
    (map, vertices)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn incrementally_updated_weight_stats_equal_new_ones(
        harms in prop::collection::vec((1usize..50, 0u16..4, -0.5f32..1.5), 1..5),
        limit in 1usize..5,
        other in 1usize..5,
    ) {
        let mut session = sample();
        let canvas = SkinnedSurface::new(session.document(), SkinId(0)).expect("a canvas");
        canvas.prepare();
        let mut tally = WeightStats::new(&canvas, &canvas.maps(session.document()), limit);
        finished(&mut tally, &canvas, session.document());
        for (every, joint, weight) in harms {
            for part in canvas.parts() {
                let document = session.document();
                let map = document.mesh(part.mesh)
                    .primitives[part.primitive.index()].weights.as_deref().expect("weights");
                let (to, vertices) = harmed(map, every, joint, weight);
                let edit = Edit::SetWeights { mesh: part.mesh, primitive: part.primitive,
                    to: to.into() };
                session.preview("Harm", vec![edit]).expect("it fits");
                session.commit();
                tally.touch(vertices.into_iter().map(|v| part.first + v));
            }
            // Only part of the vertices is counted before further changes.
            tally.step(&canvas, &canvas.maps(session.document()), 300, &mut Vec::new());
        }
        tally.set_limit(other);
        let document = session.document();
        finished(&mut tally, &canvas, document);
        let maps = canvas.maps(document);
        let mut fresh = WeightStats::new(&canvas, &maps, other);
        finished(&mut fresh, &canvas, document);
        prop_assert_eq!(tally.faults(), fresh.faults());
        prop_assert_eq!(tally.used(), fresh.used());
        prop_assert_eq!(tally.strays(), fresh.strays());
        // Both statistics equal a count of the whole map at once.
        let all = (0..canvas.parts().len()).map(|k| faults(maps.part(k), other));
        let (broken, many) = all.fold((0, 0), |(b, m), f| (b + f.broken(), m + f.many));
        prop_assert_eq!((tally.faults().broken(), tally.faults().many), (broken, many));
        let found = strays(&canvas, &maps, STRAY);
        prop_assert_eq!(tally.strays(), found.len());
        prop_assert!(found.iter().all(|p| tally.is_stray(*p)));
        let moved = |j: u16| {
            let holds =
                |v: &u32| { let (map, own) =
                    maps.map_of(*v); map.vertex(own).any(|(k, w)| k == j && w > 0.0) };
            (0..canvas.vertex_count() as u32).filter(holds).count() as u32
        };
        for j in 0..canvas.joints().len() as u16 {
            prop_assert_eq!(tally.used()[usize::from(j)], moved(j));
        }
    }
}

/// Whether for each point, all or none of its vertices are touched.
fn are_alike(canvas: &SkinnedSurface, hits: &[(u32, f32)]) -> bool {
    let hit: std::collections::BTreeMap<u32, u32> =
        hits.iter().map(|(v, p)| (*v, p.to_bits())).collect();
    hit.iter().all(|(v, p)| {
        canvas.vertices_at(canvas.point_of(*v)).iter().all(|other| hit.get(other) == Some(p))
    })
}

#[test]
fn the_side_facing_the_ray_is_the_front_for_any_normal_direction() {
    let session = sample();
    let document = session.document();
    let canvas = SkinnedSurface::new(document, SkinId(0)).expect("a canvas");
    let primitives: Vec<_> = canvas
        .parts()
        .iter()
        .map(|p| &document.mesh(p.mesh).primitives[p.primitive.index()])
        .collect();
    let positions: Vec<Vec3> = primitives.iter().flat_map(|p| p.positions.to_vec()).collect();
    let normals: Vec<Vec3> =
        primitives.iter().flat_map(|p| ulna_motion::skinning::base_normals(p).to_vec()).collect();
    let turned: Vec<Vec3> = normals.iter().map(|n| -*n).collect();
    let wild: Vec<Vec3> = (0..normals.len())
        .map(|k| Vec3::from([1.0, 3.0, 7.0].map(|f| (k as f32 * f).sin())))
        .collect();
    let touches = |found: &[(u32, f32)], corners: [u32; 3]| {
        corners.iter().all(|v| found.iter().any(|(w, _)| w == v))
    };
    let brush =
        Brush { kind: BrushKind::Add, reach: Reach::Through, front_only: true, ..Brush::default() };
    let locked = vec![false; canvas.joints().len()];
    let paint = Paint { brush, joint: 0, locked: &locked, limit: 4, mirror: None };
    let mut stroke = Stroke::new(&canvas);
    let (mut tried, mut turned_away) = (0, 0);
    for (part, primitive) in canvas.parts().iter().zip(&primitives) {
        for corners in primitive.indices.chunks_exact(3).step_by(61) {
            let corners = [corners[0], corners[1], corners[2]].map(|v| v + part.first);
            let [a, b, c] = corners.map(|v| positions[v as usize]);
            let out = (b - a).cross(c - a).normalize_or_zero();
            let mean = corners.map(|v| normals[v as usize]).iter().sum::<Vec3>();
            if out.dot(mean) <= 0.1 {
                continue;
            }
            let touch =
                Touch { at: (a + b + c) / 3.0, corners, direction: -out, eye: None, radius: 0.15 };
            let mut hits = |normals: &[Vec3]| {
                let posed = PosedSurface { positions: &positions, normals };
                let dab = Dab { touch, pressure: 1.0, motion: Vec3::ZERO, near: None };
                stroke.begin(&canvas);
                stroke.dab(&canvas.maps(document), &canvas, posed, &dab, &paint);
                stroke.last_hits().collect::<Vec<_>>()
            };
            let found = hits(&normals);
            assert!(touches(&found, corners), "the side that was hit is touched");
            assert!(are_alike(&canvas, &found), "copies of a vertex are touched alike");
            assert_eq!(hits(&turned), found);
            let found = hits(&wild);
            assert!(
                touches(&found, corners) && are_alike(&canvas, &found),
                "whatever normals a file has"
            );
            let posed = PosedSurface { positions: &positions, normals: &normals };
            assert!(
                corners.iter().all(|v| faces_eye(&canvas, posed, *v, -out)),
                "what is seen faces the eye"
            );
            turned_away += corners.iter().filter(|v| !faces_eye(&canvas, posed, **v, out)).count();
            tried += 1;
        }
    }
    assert!(tried > 50 && turned_away > tried, "{tried} triangles, {turned_away} corners");
}
