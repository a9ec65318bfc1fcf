use std::{
    f32::consts::TAU,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use glam::Vec3;
use proptest::prelude::*;

use super::{
    BindBone, BindError, BindMesh, BindMethod, BindMirror, BindRequest, BindSettings, BoundWeights,
    InsidePart, PieceMethod, bind_weights, parts_inside,
};
use ulna_model::{JointSlot, WeightMap};

const METHODS: [BindMethod; 4] =
    [BindMethod::Auto, BindMethod::Heat, BindMethod::Voxel, BindMethod::Distance];

/// A triangle mesh.
#[derive(Clone, Debug, Default)]
struct TestMesh {
    positions: Vec<Vec3>,
    triangles: Vec<u32>,
}

impl TestMesh {
    /// Creates a capsule of radius 0.3 along y, from −1.3 to 1.3.
    fn capsule() -> Self {
        const AROUND: u32 = 16;
        const CAP: u32 = 5;
        const ALONG: u32 = 20;
        let mut mesh = Self::default();
        let mut rings = Vec::new();
        for k in 1..=CAP {
            let angle = TAU / 4.0 * k as f32 / CAP as f32;
            rings.push((-1.0 - 0.3 * angle.cos(), 0.3 * angle.sin()));
        }
        rings.extend((1..ALONG).map(|k| (-1.0 + 2.0 * k as f32 / ALONG as f32, 0.3)));
        let caps: Vec<(f32, f32)> =
            rings[..CAP as usize].iter().rev().map(|(y, r)| (-y, *r)).collect();
        rings.extend(caps);
        mesh.positions.push(Vec3::Y * -1.3);
        for (y, radius) in &rings {
            for k in 0..AROUND {
                let angle = TAU * k as f32 / AROUND as f32;
                mesh.positions.push(Vec3::new(radius * angle.cos(), *y, radius * angle.sin()));
            }
        }
        mesh.positions.push(Vec3::Y * 1.3);
        let at = |ring: u32, k: u32| 1 + ring * AROUND + k % AROUND;
        let last = mesh.positions.len() as u32 - 1;
        for k in 0..AROUND {
            mesh.triangles.extend([0, at(0, k), at(0, k + 1)]);
            for ring in 0..rings.len() as u32 - 1 {
                let [a, b] = [at(ring, k), at(ring, k + 1)];
                let [c, d] = [at(ring + 1, k), at(ring + 1, k + 1)];
                mesh.triangles.extend([a, c, b, b, c, d]);
            }
            let top = rings.len() as u32 - 1;
            mesh.triangles.extend([at(top, k), last, at(top, k + 1)]);
        }
        mesh
    }

    /// Creates a closed box.
    fn cube(center: Vec3, half: Vec3) -> Self {
        let corner =
            |k: usize| Vec3::from([k & 1, k >> 1 & 1, k >> 2].map(|b| b as f32 * 2.0 - 1.0));
        let quads =
            [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
        Self {
            positions: (0..8).map(|k| center + corner(k) * half).collect(),
            triangles: quads.iter().flat_map(|[a, b, c, d]| [*a, *b, *c, *a, *c, *d]).collect(),
        }
    }

    fn and(mut self, other: &Self) -> Self {
        let first = self.positions.len() as u32;
        self.positions.extend(&other.positions);
        self.triangles.extend(other.triangles.iter().map(|v| v + first));
        self
    }

    fn moved(mut self, by: impl Fn(Vec3) -> Vec3) -> Self {
        self.positions.iter_mut().for_each(|p| *p = by(*p));
        self
    }

    /// Disconnects all triangles and shrinks each slightly.
    fn apart(&self) -> Self {
        let mut soup = Self::default();
        for corners in self.triangles.as_chunks::<3>().0 {
            let at = corners.map(|v| self.positions[v as usize]);
            let middle = (at[0] + at[1] + at[2]) / 3.0;
            let first = soup.positions.len() as u32;
            soup.positions.extend(at.map(|p| middle + (p - middle) * 0.9));
            soup.triangles.extend([first, first + 1, first + 2]);
        }
        soup
    }

    fn view(&self) -> BindMesh<'_> {
        BindMesh { positions: &self.positions, triangles: &self.triangles }
    }
}

fn bone(joint: u16, head: Vec3, tail: Vec3) -> BindBone {
    BindBone { joint: JointSlot(joint), head, tail }
}

/// Returns two bones in the capsule that meet at its center.
fn two_bones() -> [BindBone; 2] {
    [bone(0, Vec3::Y * -1.0, Vec3::ZERO), bone(1, Vec3::ZERO, Vec3::Y)]
}

fn bind_all(meshes: &[BindMesh<'_>], bones: &[BindBone], settings: BindSettings) -> BoundWeights {
    let request = BindRequest { meshes, bones, settings, mirror: None };
    let bound = bind_weights(&request, &|_| {}, &AtomicBool::new(false)).unwrap();
    for (mesh, map) in meshes.iter().zip(&bound.maps) {
        assert_eq!(mesh.positions.len(), map.vertex_count());
        check(map, bones, settings.limit);
    }
    bound
}

fn bind(mesh: &TestMesh, bones: &[BindBone], method: BindMethod) -> BoundWeights {
    bind_all(&[mesh.view()], bones, BindSettings { method, ..BindSettings::default() })
}

/// Checks that all vertices have valid weights, only of joints with bones.
fn check(map: &WeightMap, bones: &[BindBone], limit: usize) {
    for v in 0..map.vertex_count() {
        let list: Vec<(u16, f32)> = map.vertex(v).filter(|(_, w)| *w != 0.0).collect();
        assert!((1..=limit).contains(&list.len()), "vertex {v}: {list:?}");
        let sum: f32 = list.iter().map(|(_, w)| w).sum();
        assert!((sum - 1.0).abs() <= 2e-7 * list.len() as f32, "vertex {v}: {list:?}");
        assert!(list.windows(2).all(|pair| pair[0].1 >= pair[1].1), "vertex {v}: {list:?}");
        for (joint, weight) in &list {
            assert!(*weight > 0.0 && bones.iter().any(|b| b.joint.0 == *joint));
        }
    }
}

/// Returns the largest difference between two weight maps.
fn difference(a: &WeightMap, b: &WeightMap) -> f32 {
    assert_eq!(a.vertex_count(), b.vertex_count());
    let one =
        |v: usize| (0..2).map(|j| (a.weight(v, j) - b.weight(v, j)).abs()).fold(0.0, f32::max);
    (0..a.vertex_count()).map(one).fold(0.0, f32::max)
}

#[test]
fn a_capsule_with_two_bones_has_smooth_symmetric_weights() {
    let mesh = TestMesh::capsule();
    for method in METHODS {
        let bound = bind(&mesh, &two_bones(), method);
        assert_eq!(bound.pieces.len(), 1);
        let expected = match method {
            BindMethod::Auto | BindMethod::Heat => PieceMethod::Heat,
            BindMethod::Voxel => PieceMethod::Voxel,
            BindMethod::Distance => PieceMethod::Distance,
        };
        assert_eq!(bound.pieces[0].method, expected);
        let map = &bound.maps[0];
        // Voxels are not symmetric about the center.
        let tolerance = if method == BindMethod::Voxel { 0.12 } else { 1e-3 };
        for (v, p) in mesh.positions.iter().enumerate() {
            let mirrored = Vec3::new(p.x, -p.y, p.z);
            let other = mesh.positions.iter().position(|q| q.distance(mirrored) < 1e-4).unwrap();
            let (own, other) = (map.weight(v, 1), map.weight(other, 0));
            assert!((own - other).abs() < tolerance, "{method:?} {p}: {own} {other}");
            if p.y.abs() > 0.9 {
                assert!(map.weight(v, u16::from(p.y > 0.0)) > 0.9, "{method:?} {p}");
            } else if p.y.abs() < 1e-4 {
                assert!((own - 0.5).abs() < tolerance, "{method:?} {p}: {own}");
            }
        }
    }
}

#[test]
fn sharper_heat_blends_over_a_shorter_range() {
    let mesh = TestMesh::capsule();
    let blended = |sharpness: f32| {
        let settings = BindSettings { sharpness, ..BindSettings::default() };
        let bound = bind_all(&[mesh.view()], &two_bones(), settings);
        let weights = (0..mesh.positions.len()).map(|v| bound.maps[0].weight(v, 0));
        weights.filter(|w| (0.1..0.9).contains(w)).count()
    };
    let counts = [0.5, 2.0, 8.0].map(blended);
    assert!(counts[0] > counts[1] && counts[1] > counts[2], "{counts:?}");
}

#[test]
fn the_winding_of_triangles_does_not_matter() {
    let mesh = TestMesh::capsule();
    let mut turned = mesh.clone();
    for (k, corners) in turned.triangles.chunks_exact_mut(3).enumerate() {
        if k % 3 != 0 {
            corners.swap(0, 1);
        }
    }
    for method in METHODS {
        let maps = [&mesh, &turned].map(|m| bind(m, &two_bones(), method).maps.remove(0));
        assert!(difference(&maps[0], &maps[1]) < 1e-4, "{method:?}");
    }
}

#[test]
fn weights_do_not_depend_on_the_scale_of_the_model() {
    let mesh = TestMesh::capsule();
    for method in METHODS {
        let expected = bind(&mesh, &two_bones(), method).maps.remove(0);
        // Heights of 0.3 mm and 3 km, and a scale that is not a power of two.
        for scale in [0.0003 / 2.6, 0.37, 3000.0 / 2.6] {
            let bones = two_bones().map(|b| bone(b.joint.0, b.head * scale, b.tail * scale));
            let scaled = mesh.clone().moved(|p| p * scale);
            let found = bind(&scaled, &bones, method).maps.remove(0);
            let worst = difference(&expected, &found);
            // A point at the border of two voxels can fall into either of them.
            let tolerance = if method == BindMethod::Voxel { 0.05 } else { 1e-4 };
            assert!(worst < tolerance, "{method:?} {scale}: {worst}");
        }
    }
}

#[test]
fn meshes_bound_together_are_one_surface() {
    let mesh = TestMesh::capsule();
    let whole = bind(&mesh, &two_bones(), BindMethod::Heat);
    let (left, right): (Vec<_>, Vec<_>) = mesh
        .triangles
        .as_chunks::<3>()
        .0
        .iter()
        .partition(|t| mesh.positions[t[0] as usize].x > 0.01);
    let parts = [left, right].map(|t: Vec<&[u32; 3]>| TestMesh {
        positions: mesh.positions.clone(),
        triangles: t.into_iter().flatten().copied().collect(),
    });
    let views = [parts[0].view(), parts[1].view()];
    let bound = bind_all(&views, &two_bones(), BindSettings::default());
    assert_eq!(bound.pieces.len(), 1);
    assert_eq!(bound.loose, 0);
    for map in &bound.maps {
        assert!(difference(map, &whole.maps[0]) < 1e-4);
    }
}

#[test]
fn a_limb_gets_no_weight_of_a_nearby_limbs_bone() {
    // Voxels need a gap of more than two cells.
    for (method, x) in [(BindMethod::Auto, 0.31), (BindMethod::Voxel, 0.36)] {
        let leg = |x: f32| TestMesh::capsule().moved(|p| p + Vec3::X * x);
        let mesh = leg(-x).and(&leg(x));
        let bones = [-x, x]
            .map(|x| bone(u16::from(x > 0.0), Vec3::new(x, -1.0, 0.0), Vec3::new(x, 1.0, 0.0)));
        let bound = bind(&mesh, &bones, method);
        assert_eq!(bound.pieces.len(), 2);
        for (v, p) in mesh.positions.iter().enumerate() {
            let own = bound.maps[0].weight(v, u16::from(p.x > 0.0));
            assert!(own > 0.999, "{method:?} {p}: {own}");
        }
        for piece in &bound.pieces {
            assert!(piece.rigid.is_some_and(|r| r.confidence > 0.9));
        }
    }
}

#[test]
fn tiny_pieces_do_not_change_the_weights_of_the_body() {
    let body = TestMesh::capsule();
    let alone = bind(&body, &two_bones(), BindMethod::Auto);
    let mut mesh = body.clone();
    for k in 0..13 {
        let at = Vec3::new(if k % 2 == 0 { 0.32 } else { -0.28 }, k as f32 * 0.15 - 0.9, 0.12);
        mesh = mesh.and(&TestMesh::cube(at, Vec3::splat(0.005)));
    }
    let bound = bind(&mesh, &two_bones(), BindMethod::Auto);
    assert_eq!(bound.pieces.len(), 14);
    assert_eq!(bound.pieces[0].method, PieceMethod::Heat);
    let count = body.positions.len();
    let worst = (0..count)
        .map(|v| (bound.maps[0].weight(v, 0) - alone.maps[0].weight(v, 0)).abs())
        .fold(0.0, f32::max);
    assert!(worst < 1e-3, "{worst}");
    for v in count..mesh.positions.len() {
        let near = body.positions.iter().enumerate().min_by(|a, b| {
            a.1.distance(mesh.positions[v]).total_cmp(&b.1.distance(mesh.positions[v]))
        });
        let (own, near) = (bound.maps[0].weight(v, 0), alone.maps[0].weight(near.unwrap().0, 0));
        assert!((own - near).abs() < 0.35, "{}: {own} {near}", mesh.positions[v]);
    }
}

#[test]
fn hidden_pieces_use_the_fallbacks_in_order() {
    let body = TestMesh::capsule();
    // One thin box is in a voxel of the body, and one box is apart from the body.
    let plate = TestMesh::cube(Vec3::new(0.312, 0.5, 0.0), Vec3::new(0.005, 0.1, 0.05));
    let island = TestMesh::cube(Vec3::new(0.6, -0.6, 0.0), Vec3::splat(0.05));
    let mesh = body.and(&plate).and(&island);
    let bound = bind(&mesh, &two_bones(), BindMethod::Auto);
    let methods: Vec<PieceMethod> = bound.pieces.iter().map(|p| p.method).collect();
    assert_eq!(methods, [PieceMethod::Heat, PieceMethod::Voxel, PieceMethod::Nearest]);
    assert_eq!(bound.pieces[2].hidden, 1.0);
    let last = mesh.positions.len() - 1;
    assert_eq!(bound.piece_of[0][last], Some(2));
    assert!(bound.maps[0].weight(last, 0) > 0.9);
    // Rays hit edges exactly. No point inside the body sees a bone, and no bone is in the body.
    let outside = [bone(4, Vec3::new(9.0, 9.0, 0.0), Vec3::new(9.0, 10.0, 0.0))];
    let covered = TestMesh::cube(Vec3::ZERO, Vec3::splat(0.2))
        .and(&TestMesh::cube(Vec3::ZERO, Vec3::splat(0.3)));
    let bound = bind(&covered, &outside, BindMethod::Auto);
    let methods: Vec<PieceMethod> = bound.pieces.iter().map(|p| p.method).collect();
    assert_eq!(methods, [PieceMethod::Nearest, PieceMethod::Heat]);
}

#[test]
fn a_system_that_exceeds_memory_falls_back_to_voxels() {
    let mesh = TestMesh::capsule();
    let settings = BindSettings { memory: 1000, ..BindSettings::default() };
    let bound = bind_all(&[mesh.view()], &two_bones(), settings);
    assert_eq!(bound.pieces[0].method, PieceMethod::Voxel);
}

#[test]
fn defective_meshes_get_weights_on_every_vertex() {
    let body = TestMesh::capsule();
    let mut crowded = body.clone();
    crowded.triangles.extend_from_within(..);
    crowded.triangles.extend([0, 40, 80, 0, 40, 120, 0, 40, 160, 3, 3, 9, 0, 1, 100_000, 7, 8]);
    let mut broken = body.clone();
    broken.positions[5] = Vec3::NAN;
    broken.positions[9] = Vec3::splat(f32::INFINITY);
    broken.positions.push(Vec3::ONE);
    let flat = body.clone().moved(|p| Vec3::new(p.x, p.y, 0.0));
    let line = body.clone().moved(|p| Vec3::Y * p.y);
    let point = body.clone().moved(|_| Vec3::ONE);
    let far = body.clone().moved(|p| p + Vec3::splat(1e6));
    let huge = body.clone().moved(|p| p * 1e37);
    let three =
        TestMesh { positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y], triangles: vec![0, 1, 2] };
    let loose = TestMesh { positions: vec![Vec3::X, Vec3::NAN], triangles: Vec::new() };
    let meshes = [
        body.apart(),
        crowded,
        broken,
        flat,
        line,
        point,
        far,
        huge,
        three,
        loose,
        TestMesh::default(),
    ];
    let strange = [
        bone(0, Vec3::ZERO, Vec3::ZERO),
        bone(1, Vec3::splat(1e30), Vec3::splat(f32::NAN)),
        bone(7, Vec3::splat(-50.0), Vec3::splat(-60.0)),
        bone(9, Vec3::NAN, Vec3::ONE),
    ];
    for mesh in &meshes {
        for method in METHODS {
            bind(mesh, &two_bones(), method);
            bind(mesh, &strange, method);
            bind(mesh, &strange[3..], method);
        }
    }
    bind_all(&[], &strange, BindSettings::default());
}

#[test]
fn a_piece_is_made_rigid_on_request() {
    let body = TestMesh::capsule();
    let hat = TestMesh::cube(Vec3::Y * 1.0, Vec3::splat(0.15));
    let mesh = body.and(&hat);
    let mut bound = bind(&mesh, &two_bones(), BindMethod::Auto);
    let proposal = bound.pieces[1].rigid.unwrap();
    assert_eq!(proposal.joint, JointSlot(1));
    assert!(proposal.confidence > 0.8);
    let before = bound.clone();
    bound.make_rigid(&[(1, proposal.joint)].into());
    let first = mesh.positions.len() - 8;
    for v in 0..mesh.positions.len() {
        if v < first {
            assert!(bound.maps[0].vertex(v).eq(before.maps[0].vertex(v)));
        } else {
            assert_eq!(bound.maps[0].weight(v, 1), 1.0);
        }
    }
}

#[test]
fn missing_bones_and_cancellation_are_different_errors() {
    let mesh = TestMesh::capsule();
    let (view, bones) = ([mesh.view()], two_bones());
    let request = |bones| BindRequest {
        meshes: &view,
        bones,
        settings: BindSettings::default(),
        mirror: None,
    };
    let (on, off) = (AtomicBool::new(true), AtomicBool::new(false));
    let none = bind_weights(&request(&[]), &|_| {}, &off);
    assert_eq!(none.unwrap_err(), BindError::NoBones);
    let canceled = bind_weights(&request(&bones), &|_| {}, &on);
    assert_eq!(canceled.unwrap_err(), BindError::Canceled);
    // Sets the cancel flag at each progress step in turn.
    let steps = Mutex::new(Vec::new());
    bind_weights(&request(&bones), &|part| steps.lock().unwrap().push(part), &off).unwrap();
    let steps = steps.into_inner().unwrap();
    assert!(steps.is_sorted() && steps.last() == Some(&1.0), "{steps:?}");
    for step in &steps[..steps.len() - 2] {
        let cancel = AtomicBool::new(false);
        let report = |part: f32| {
            cancel.fetch_or(part >= *step, Ordering::Relaxed);
        };
        let canceled = bind_weights(&request(&bones), &report, &cancel);
        assert_eq!(canceled.unwrap_err(), BindError::Canceled, "{step}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn any_triangles_and_bones_give_valid_weights(
        positions in prop::collection::vec(prop::array::uniform3(-1.0f32..1.0), 1..40),
        triangles in prop::collection::vec(0u32..41, 0..120),
        bones in prop::collection::vec(
            (0u16..90, prop::array::uniform6(-1.5f32..1.5)),
            1..80,
        ),
        method in prop::sample::select(METHODS.to_vec()),
        limit in 1usize..17,
        scale in prop::sample::select(vec![1e-20f32, 1.0, 1e20]),
    ) {
        let mesh = TestMesh {
            positions: positions.into_iter().map(|p| Vec3::from(p) * scale).collect(),
            triangles,
        };
        let bones: Vec<BindBone> = bones
            .into_iter()
            .map(|(joint, [a, b, c, d, e, f])| {
                bone(joint, Vec3::new(a, b, c) * scale, Vec3::new(d, e, f) * scale)
            })
            .collect();
        let settings = BindSettings { method, limit, grid: 16, ..BindSettings::default() };
        bind_all(&[mesh.view()], &bones, settings);
    }
}

#[test]
fn bones_are_inside_regardless_of_winding() {
    let bones = [
        bone(0, Vec3::Y * -1.0, Vec3::Y),
        bone(1, Vec3::Y, Vec3::Y * 3.0),
        bone(2, Vec3::X * 2.0, Vec3::X * 3.0),
        bone(3, Vec3::X * 0.32, Vec3::new(0.32, 1.0, 0.0)),
    ];
    let mut capsule = TestMesh::capsule();
    let plain = parts_inside(&[capsule.view()], &bones, 5);
    assert_eq!(plain[0], InsidePart { near: 1.0, on: 1.0 });
    assert!(plain[1].on > 0.0 && plain[1].near < 0.5, "{plain:?}");
    assert_eq!(plain[2], InsidePart::default());
    assert!(plain[3].near > 0.9, "{plain:?}");
    assert_eq!(plain[4], InsidePart::default(), "a joint without a bone");
    capsule.triangles.as_chunks_mut::<3>().0.iter_mut().for_each(|t| t.swap(0, 1));
    assert_eq!(parts_inside(&[capsule.view()], &bones, 5), plain);
    let small = capsule.moved(|p| p * 1e-4);
    let bones = bones.map(|b| bone(b.joint.0, b.head * 1e-4, b.tail * 1e-4));
    assert_eq!(parts_inside(&[small.view()], &bones, 5), plain);
    let points = BindMesh { positions: &small.positions, triangles: &[] };
    assert!(parts_inside(&[points], &bones, 4).iter().all(|part| part.on == 1.0));
    let broken = [bone(0, Vec3::NAN, Vec3::ZERO)];
    assert_eq!(parts_inside(&[small.view()], &broken, 1), [InsidePart::default()]);
}

#[test]
fn mirrored_weights_are_averaged_before_influences_are_limited() {
    // The second bone is off the center, so the weights of both ends differ.
    let bones = [bone(0, Vec3::Y * -1.0, Vec3::Y * -0.2), bone(1, Vec3::Y * 0.6, Vec3::Y)];
    let mesh = TestMesh::capsule();
    let mirrored = |p: &Vec3| {
        let wanted = *p * Vec3::new(1.0, -1.0, 1.0);
        let at = mesh.positions.iter().position(|q| q.distance(wanted) < 1e-4);
        at.map(|at| (0, at as u32))
    };
    let mirror = BindMirror {
        vertices: vec![mesh.positions.iter().map(mirrored).collect()],
        joints: vec![JointSlot(1), JointSlot(0)],
    };
    let pairs = mirror.vertices[0].iter().flatten().count();
    assert_eq!(pairs, mesh.positions.len());
    let view = [mesh.view()];
    let off = |mirror: Option<&BindMirror>| {
        let settings = BindSettings::default();
        let request = BindRequest { meshes: &view, bones: &bones, settings, mirror };
        let bound = bind_weights(&request, &|_| {}, &AtomicBool::new(false)).unwrap();
        check(&bound.maps[0], &bones, settings.limit);
        let one = |(v, p): (usize, &Vec3)| {
            let (_, other) = mirrored(p).unwrap();
            (bound.maps[0].weight(v, 0) - bound.maps[0].weight(other as usize, 1)).abs()
        };
        mesh.positions.iter().enumerate().map(one).fold(0.0, f32::max)
    };
    assert!(off(None) > 0.1);
    assert!(off(Some(&mirror)) < 1e-5);
    // Invalid indices in the mirror mapping have no effect.
    let wrong = BindMirror { vertices: vec![vec![Some((9, 9))]], joints: Vec::new() };
    assert_eq!(off(Some(&wrong)), off(None));
}

/// Returns the largest difference between two results in the weight of one joint.
fn worst_difference(a: &BoundWeights, b: &BoundWeights, joint: u16) -> f32 {
    let pairs = a.maps.iter().zip(&b.maps);
    let worst = |(a, b): (&WeightMap, &WeightMap)| {
        let of = |map: &WeightMap, v: usize| map.weight(v, joint);
        let count = a.joints.len() / a.stride();
        (0..count).map(|v| (of(a, v) - of(b, v)).abs()).fold(0.0, f32::max)
    };
    pairs.map(worst).fold(0.0, f32::max)
}

#[test]
fn weights_of_a_simplified_surface_are_near_those_of_the_whole() {
    let body = TestMesh::capsule();
    let cube = TestMesh::cube(Vec3::new(2.0, 0.0, 0.0), Vec3::splat(0.2));
    let mesh = body.clone().and(&cube);
    for method in METHODS {
        let exact = BindSettings { method, prune: 0.0, ..BindSettings::default() };
        let coarse = BindSettings { most_points: Some(150), ..exact };
        let [whole, simple] =
            [exact, coarse].map(|settings| bind_all(&[mesh.view()], &two_bones(), settings));
        let worst = worst_difference(&whole, &simple, 0);
        assert!(worst > 0.0 && worst < 0.2, "{method:?}: {worst}");
        assert_eq!(whole.pieces.len(), simple.pieces.len());
        assert_eq!(whole.piece_of, simple.piece_of);
        // The small piece keeps all its points, so only the large surface around it is less
        // accurate.
        assert_eq!(simple.pieces[1].vertices, 8);
        // A surface with fewer points than the limit is not simplified.
        let all = BindSettings { most_points: Some(10_000), ..exact };
        assert_eq!(bind_all(&[mesh.view()], &two_bones(), all), whole);
    }
    // Disconnected triangles are all kept, even if this exceeds the requested number of points.
    let soup = body.apart();
    let few = BindSettings { most_points: Some(1), ..BindSettings::default() };
    bind_all(&[soup.view()], &two_bones(), few);
    bind_all(&[body.view()], &two_bones(), few);
}
