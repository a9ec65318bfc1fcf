//! Weight tools, brushes and means of neighbors on a grid of 1,000 × 1,000 vertices, with 200
//! joints and four influences per vertex.
//!
//! Targets on a million vertices, relative to Blender 4.5: normalizing all is 150 times as fast
//! (2.8 ms), pruning 80 times (5 ms), and limiting without dropped influences 5 times (8 ms).
//! Smoothing all is 50 times as fast as Blender's fastest method (146 ms). Mirroring is 25 times as
//! fast with the search for pairs (208 ms), and 500 times with known pairs (10 ms). A dab over
//! 30,000 vertices with locked joints and a limit takes 0.5 ms.
//!
//! These targets apply to a tool on unshared arrays. “whole” includes the overhead of a command:
//! the copy of shared arrays at the first write, and the search for changes. “plain” is a
//! straightforward loop on one thread, without locks and without sorting influences.
//!
//! Fitting weights to the motion before a change, for 28,000 vertices in 64 poses, takes 2 s on two
//! cores.

mod common;

use std::{
    collections::{BTreeMap, HashMap},
    hint::black_box,
    sync::atomic::AtomicBool,
};

use common::noise;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use glam::{DVec3, Mat4, Quat, Vec3};
use ulna_geometry::{Bvh, PointId};
use ulna_model::{
    Document, FileContent, JointSlot, LayerId, LayerPart, Mesh, MeshId, Node, NodeId, Primitive,
    PrimitiveId, Shared, Skin, SkinId, Slice, Topology, WeightLayer, WeightLayers, WeightMap,
    WeightPatch,
};
use ulna_motion::Pose;
use ulna_weights::{
    Brush, BrushKind, Dab, Falloff, FitPose, FitRequest, FitVertices, MirrorMap, Paint,
    PosedSurface, Reach, Scope, SkinnedSurface, Stroke, Touch, WorkingWeights, fit_weights,
    layers::{LayerPaint, LayerTarget, Painted, compose},
};

const SIDE: usize = 1_000;
const COUNT: usize = SIDE * SIDE;
/// Number of joints along x and along y.
const JOINTS: [usize; 2] = [20, 10];
const JOINT_COUNT: usize = JOINTS[0] * JOINTS[1];

/// Returns the position of a vertex, from −1 to 1. Positions are exactly symmetric.
fn spot(vertex: usize) -> Vec3 {
    let part = |k: usize| (2.0 * k as f32 - (SIDE - 1) as f32) / (SIDE - 1) as f32;
    Vec3::new(part(vertex % SIDE), part(vertex / SIDE), 0.0)
}

/// Returns the four joints around a vertex, weighted by distance, strongest first.
fn influences(vertex: usize) -> [(u16, f32); 4] {
    let at = spot(vertex);
    let along = |axis: usize| {
        let x = (at[axis] + 1.0) * 0.5 * (JOINTS[axis] - 1) as f32;
        let low = (x as usize).min(JOINTS[axis] - 2);
        let t = x - low as f32;
        (low, t * t * (3.0 - 2.0 * t))
    };
    let ((x, s), (y, t)) = (along(0), along(1));
    let joint = |dx: usize, dy: usize| ((y + dy) * JOINTS[0] + x + dx) as u16;
    let mut list = [
        (joint(0, 0), (1.0 - s) * (1.0 - t)),
        (joint(1, 0), s * (1.0 - t)),
        (joint(0, 1), (1.0 - s) * t),
        (joint(1, 1), s * t),
    ];
    list.sort_by(|a, b| b.1.total_cmp(&a.1));
    list.map(|(j, w)| if w > 0.0 { (j, w) } else { (0, 0.0) })
}

/// Returns the weights of the grid in `sets` sets. `factor` scales the weights of each vertex.
fn weights(sets: usize, factor: impl Fn(usize) -> f32) -> WeightMap {
    let (mut joints, mut weights) = (vec![0; COUNT * sets * 4], vec![0.0; COUNT * sets * 4]);
    for v in 0..COUNT {
        for (k, (j, w)) in influences(v).into_iter().enumerate() {
            (joints[v * sets * 4 + k], weights[v * sets * 4 + k]) = (j, w * factor(v));
        }
    }
    WeightMap { sets, joints: joints.into(), weights: weights.into(), ..WeightMap::default() }
}

fn node(name: &str) -> Node {
    Node { name: Some(name.into()), ..Node::default() }
}

fn grid() -> Document {
    let mut nodes: Vec<Node> = (0..JOINT_COUNT).map(|k| node(&format!("joint {k}"))).collect();
    nodes.push(Node { mesh: Some(MeshId(0)), skin: Some(SkinId(0)), ..node("grid") });
    let mut indices = Vec::with_capacity((SIDE - 1) * (SIDE - 1) * 6);
    for y in 0..SIDE - 1 {
        for x in 0..SIDE - 1 {
            let a = (y * SIDE + x) as u32;
            let (b, c, d) = (a + 1, a + SIDE as u32, a + SIDE as u32 + 1);
            indices.extend([a, b, c, b, d, c]);
        }
    }
    let primitive = Primitive {
        topology: Topology::Triangles,
        positions: (0..COUNT).map(spot).collect(),
        normals: vec![Vec3::Z; COUNT].into(),
        tangents: [].into(),
        uv0: [].into(),
        uv1: [].into(),
        colors: [].into(),
        indices: indices.into(),
        material: None,
        variants: [].into(),
        targets: Shared::from([]),
        weights: Some(Shared::new(weights(1, |_| 1.0))),
    };
    let mesh = Mesh {
        name: None,
        primitives: vec![primitive],
        default_weights: [].into(),
        target_names: Vec::new(),
        kept_weight_layers: None,
    };
    let joints = 0..JOINT_COUNT;
    let head = |k: usize| {
        let part = |k: usize, of: usize| 2.0 * k as f32 / (of - 1) as f32 - 1.0;
        Vec3::new(part(k % JOINTS[0], JOINTS[0]), part(k / JOINTS[0], JOINTS[1]), 0.0)
    };
    let skin = Skin {
        name: None,
        joints: joints.clone().map(NodeId::from).collect(),
        inverse_bind: joints.map(|k| Mat4::from_translation(-head(k))).collect(),
        has_inverse_bind: true,
    };
    let file = FileContent {
        nodes: nodes.into(),
        meshes: vec![Shared::new(mesh)].into(),
        skins: vec![Shared::new(skin)].into(),
        ..FileContent::default()
    };
    file.into()
}

/// Returns the document with other weights, in arrays that are not shared.
fn with(document: &Document, map: &WeightMap) -> Document {
    let own = WeightMap {
        joints: Slice::from(&map.joints[..]),
        weights: Slice::from(&map.weights[..]),
        ..map.clone()
    };
    let mut document = document.clone();
    let mesh = Shared::make_mut(document.file.meshes.get_mut(MeshId(0)).expect("it is there"));
    mesh.primitives[0].weights = Some(Shared::new(own));
    document
}

/// Returns the mirror joint of each joint.
fn partners() -> Vec<Option<JointSlot>> {
    (0..JOINT_COUNT)
        .map(|k| JointSlot::new(k / JOINTS[0] * JOINTS[0] + JOINTS[0] - 1 - k % JOINTS[0]))
        .collect()
}

/// Measures a tool twice: alone, on arrays that are already copied (`tool`), and with the copy and
/// the comparison that a command needs (`whole`).
fn tool(
    c: &mut Criterion,
    name: &str,
    document: &Document,
    map: &WeightMap,
    run: impl Fn(&mut WorkingWeights<'_>, &Scope<'_>),
) {
    let canvas = SkinnedSurface::new(document, SkinId(0)).expect("a canvas");
    let locked = [false; JOINT_COUNT];
    let scope = Scope { locked: &locked, limit: 4, vertices: None };
    let document = with(document, map);
    // Computes data that depends only on the surface before the measurement.
    black_box(canvas.point_count());
    let mut group = c.benchmark_group(name);
    group.sample_size(10);
    group.bench_function("tool", |b| {
        b.iter_batched(
            || WorkingWeights::new(&with(&document, map), &canvas),
            |mut draft| {
                run(&mut draft, &scope);
                draft
            },
            BatchSize::PerIteration,
        );
    });
    group.bench_function("whole", |b| {
        b.iter(|| {
            let mut draft = WorkingWeights::new(&document, &canvas);
            run(&mut draft, &scope);
            draft.changes(&document)
        });
    });
    group.finish();
}

/// Measures the straightforward loop of a tool.
fn plain(c: &mut Criterion, name: &str, map: &WeightMap, run: impl Fn(&mut [u16], &mut [f32])) {
    let mut group = c.benchmark_group(name);
    group.sample_size(10);
    group.bench_function("plain", |b| {
        b.iter_batched(
            || (map.joints.to_vec(), map.weights.to_vec()),
            |(mut joints, mut weights)| {
                run(&mut joints, &mut weights);
                (joints, weights)
            },
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

fn scale(weights: &mut [f32]) {
    let sum: f32 = weights.iter().sum();
    if sum > 0.0 {
        weights.iter_mut().for_each(|w| *w /= sum);
    }
}

fn tools(c: &mut Criterion) {
    let document = grid();
    let map = weights(1, |_| 1.0);

    let uneven = weights(1, |v| 0.8 + 0.4 * noise(v as u32));
    tool(c, "weights, normalize all", &document, &uneven, |draft, scope| {
        assert!(draft.normalize(scope).is_empty());
    });
    plain(c, "weights, normalize all", &uneven, |_, weights| {
        weights.chunks_exact_mut(4).for_each(scale)
    });

    tool(c, "weights, prune below 0.001", &document, &map, |draft, scope| {
        assert!(draft.prune(0.001, scope).is_empty());
    });
    plain(c, "weights, prune below 0.001", &map, |_, weights| {
        for slots in weights.chunks_exact_mut(4) {
            if slots.iter().any(|w| *w > 0.0 && *w < 0.001) {
                slots.iter_mut().filter(|w| **w < 0.001).for_each(|w| *w = 0.0);
                scale(slots);
            }
        }
    });

    // Eight slots with four influences. With four slots, the limit would have nothing to check.
    let wide = weights(2, |_| 1.0);
    tool(c, "weights, limit to 4, eight slots", &document, &wide, |draft, scope| {
        assert!(draft.limit(scope).is_empty());
    });
    plain(c, "weights, limit to 4, eight slots", &wide, |joints, weights| {
        for (joints, weights) in joints.chunks_exact_mut(8).zip(weights.chunks_exact_mut(8)) {
            let mut list: Vec<(u16, f32)> =
                joints.iter().copied().zip(weights.iter().copied()).collect();
            list.retain(|(_, w)| *w > 0.0);
            if list.len() > 4 {
                list.sort_by(|a, b| b.1.total_cmp(&a.1));
                weights.fill(0.0);
                for (k, (j, w)) in list.into_iter().take(4).enumerate() {
                    (joints[k], weights[k]) = (j, w);
                }
                scale(weights);
            }
        }
    });
    tool(c, "weights, limit to 4, four slots", &document, &map, |draft, scope| {
        assert!(draft.limit(scope).is_empty());
    });

    tool(c, "weights, smooth all, one pass", &document, &map, |draft, scope| {
        assert!(draft.smooth(1, 1.0, false, None, scope).is_empty());
    });
    let canvas = SkinnedSurface::new(&document, SkinId(0)).expect("a canvas");
    plain(c, "weights, smooth all, one pass", &map, |joints, weights| {
        let (old_joints, old_weights) = (joints.to_vec(), weights.to_vec());
        for v in 0..COUNT {
            let mut list: Vec<(u16, f32)> = Vec::new();
            for around in canvas.ring(PointId::from(v)) {
                for slot in around.index() * 4..around.index() * 4 + 4 {
                    let (j, w) = (old_joints[slot], old_weights[slot]);
                    match list.iter_mut().find(|(other, _)| *other == j) {
                        Some((_, sum)) => *sum += w,
                        None => list.push((j, w)),
                    }
                }
            }
            list.sort_by(|a, b| b.1.total_cmp(&a.1));
            list.resize(4, (0, 0.0));
            for (k, (j, w)) in list.into_iter().enumerate() {
                (joints[v * 4 + k], weights[v * 4 + k]) = (j, w);
            }
            scale(&mut weights[v * 4..v * 4 + 4]);
        }
    });
}

fn mirror(c: &mut Criterion) {
    let document = grid();
    let map = weights(1, |_| 1.0);
    let canvas = SkinnedSurface::new(&document, SkinId(0)).expect("a canvas");
    black_box(canvas.point_count());
    let pairs = || MirrorMap::new(&canvas, 0, 0.0, 1e-4, partners());
    let kept = pairs();
    assert_eq!((kept.unpaired, kept.by_topology), (0, 0));
    tool(c, "weights, mirror, pairs kept", &document, &map, |draft, scope| {
        assert!(draft.mirror(&kept, 0, 0.0, true, scope).is_empty());
    });
    let mut group = c.benchmark_group("weights, mirror, first");
    group.sample_size(10);
    group.bench_function("pairs", |b| b.iter(pairs));
    group.bench_function("plain pairs", |b| {
        b.iter(|| {
            let key = |p: Vec3| (p * 1e4).round().to_array().map(|c| c as i32);
            let cells: HashMap<[i32; 3], u32> =
                (0..COUNT).map(|v| (key(spot(v)), v as u32)).collect();
            let partner = |v: usize| cells.get(&key(spot(v) * Vec3::new(-1.0, 1.0, 1.0))).copied();
            (0..COUNT).map(partner).collect::<Vec<Option<u32>>>()
        });
    });
    group.finish();
    let partner: Vec<PointId> =
        PointId::first(COUNT).map(|p| kept.point(p).expect("a mirror point")).collect();
    let names: Vec<u16> = partners().into_iter().flatten().map(|joint| joint.0).collect();
    plain(c, "weights, mirror, pairs kept", &map, |joints, weights| {
        let (old_joints, old_weights) = (joints.to_vec(), weights.to_vec());
        for v in (0..COUNT).filter(|v| spot(*v).x < 0.0) {
            for k in 0..4 {
                let from = partner[v].index() * 4 + k;
                (joints[v * 4 + k], weights[v * 4 + k]) =
                    (names[usize::from(old_joints[from])], old_weights[from]);
            }
        }
    });
}

/// Distance between neighboring vertices of the grid.
const STEP: f32 = 2.0 / (SIDE - 1) as f32;

/// Returns a touch of the brush on the grid from above.
fn touch(x: f32, radius: f32) -> Touch {
    let at = Vec3::new(x, 0.1, 0.0);
    let vertex =
        |p: Vec3| (((p.y + 1.0) / STEP) as usize * SIDE + ((p.x + 1.0) / STEP) as usize) as u32;
    let a = vertex(at);
    let (b, c, d) = (a + 1, a + SIDE as u32, a + SIDE as u32 + 1);
    // Chooses the touched triangle. The quad is split from `b` to `c`.
    let within = (at - spot(a as usize)) / STEP;
    let corners = if within.x + within.y < 1.0 { [a, b, c] } else { [b, d, c] };
    Touch { at, corners, direction: Vec3::NEG_Z, eye: None, radius }
}

/// Returns a dab of a mouse at a position. `near` is as in [`Dab::near`].
fn dab(x: f32, radius: f32, near: &[u32]) -> Dab<'_> {
    let touch = touch(x, radius);
    Dab { touch, pressure: 1.0, motion: Vec3::X * 0.01, near: Some(near) }
}

fn dabs(c: &mut Criterion) {
    const HITS: f32 = 30_000.0;
    let document = grid();
    let canvas = SkinnedSurface::new(&document, SkinId(0)).expect("a canvas");
    black_box(canvas.point_count());
    let positions: Vec<Vec3> = (0..COUNT).map(spot).collect();
    let normals = vec![Vec3::Z; COUNT];
    let posed = PosedSurface { positions: &positions, normals: &normals };
    // Every third joint is locked.
    let locked: Vec<bool> = (0..JOINT_COUNT).map(|k| k % 3 == 2).collect();
    let radius = (HITS / std::f32::consts::PI).sqrt() * STEP;
    // As in the window, the bounding volume hierarchy of the posed surface finds the vertices in
    // reach.
    let tree = Bvh::build(&positions, &document.meshes[MeshId(0)].primitives[0].indices);
    let near = |x: f32, out: &mut Vec<u32>| {
        out.clear();
        tree.around(touch(x, radius).at, radius, &mut |list| out.extend_from_slice(list));
    };
    let mut found: Vec<u32> = Vec::new();
    for reach in [Reach::Volume, Reach::Surface] {
        let brush = Brush { kind: BrushKind::Add, strength: 0.1, reach, ..Brush::default() };
        let paint = Paint { brush, joint: 105, locked: &locked, limit: 4, mirror: None };
        let mut stroke = Stroke::new(&canvas);
        let mut group = c.benchmark_group(format!("brush, a dab over 30,000, {}", reach.label()));
        group.sample_size(30);
        group.bench_function("first of a stroke", |b| {
            b.iter(|| {
                stroke.begin(&canvas);
                near(0.0, &mut found);
                let dab = dab(0.0, radius, &found);
                let patches = stroke.dab(&canvas.maps(&document), &canvas, posed, &dab, &paint);
                assert!((25_000..35_000).contains(&stroke.last_hits().count()));
                patches
            });
        });
        // Five dabs move the brush by one radius. A new stroke begins at the end of a row, so that
        // every dab has an effect.
        let mut x = 0.0f32;
        stroke.begin(&canvas);
        group.bench_function("later", |b| {
            b.iter(|| {
                x += radius * 0.2;
                if x > 0.8 {
                    x = -0.8;
                    stroke.begin(&canvas);
                }
                near(x, &mut found);
                let dab = dab(x, radius, &found);
                stroke.dab(&canvas.maps(&document), &canvas, posed, &dab, &paint)
            });
        });
        group.bench_function("later, build-up", |b| {
            let paint = Paint { brush: Brush { build_up: true, ..brush }, ..paint };
            b.iter(|| {
                x = if x > 0.8 { -0.8 } else { x + radius * 0.2 };
                near(x, &mut found);
                let dab = dab(x, radius, &found);
                stroke.dab(&canvas.maps(&document), &canvas, posed, &dab, &paint)
            });
        });
        group.finish();
    }
    plain_dabs(c, &positions, radius);
}

/// Measures the straightforward loop for a dab.
fn plain_dabs(c: &mut Criterion, positions: &[Vec3], radius: f32) {
    let map = weights(1, |_| 1.0);
    let mut weights = map.weights.to_vec();
    let mut group = c.benchmark_group("brush, a dab over 30,000, plain");
    group.bench_function("over all vertices, no locks", |b| {
        b.iter(|| {
            let mut hits = 0;
            for (v, p) in positions.iter().enumerate() {
                let way = p.distance(Vec3::new(0.0, 0.1, 0.0));
                if way < radius {
                    let slots = &mut weights[v * 4..v * 4 + 4];
                    slots[0] += 0.1 * Falloff::Smooth.at(1.0 - way / radius);
                    scale(slots);
                    hits += 1;
                }
            }
            hits
        });
    });
    group.finish();
}

/// Measures weight layers over a million vertices. “later, build-up”: a dab on the content of the
/// lower of two layers, its storage in the layer, and the new combined weights. It covers 30,000
/// vertices, and does not write the document. “beginning of a stroke”: the content of the layer,
/// expanded to all vertices. “compose after another opacity”: the list of changes for one layer
/// with 30,000 vertices.
fn layers(c: &mut Criterion) {
    const HITS: f32 = 30_000.0;
    let mut document = grid();
    let canvas = SkinnedSurface::new(&document, SkinId(0)).expect("a canvas");
    black_box(canvas.point_count());
    let positions: Vec<Vec3> = (0..COUNT).map(spot).collect();
    let normals = vec![Vec3::Z; COUNT];
    let posed = PosedSurface { positions: &positions, normals: &normals };
    let locked = [false; JOINT_COUNT];
    let step = 2.0 / (SIDE - 1) as f32;
    let radius = (HITS / std::f32::consts::PI).sqrt() * step;
    let at = |x: f32| {
        let at = Vec3::new(x, 0.1, 0.0);
        let corner =
            (((at.y + 1.0) / step) as usize * SIDE + ((at.x + 1.0) / step) as usize) as u32;
        let corners = [corner, corner + 1, corner + SIDE as u32];
        Touch { at, corners, direction: Vec3::NEG_Z, eye: None, radius }
    };
    let held: Vec<u32> =
        (0..COUNT as u32).filter(|v| spot(*v as usize).distance(at(0.0).at) < radius).collect();
    assert!((29_000..31_000).contains(&held.len()));
    let base = document.meshes[MeshId(0)].primitives[0].weights.clone().expect("weights");
    // Each vertex gets the weights of a nearby vertex.
    let near: Vec<u32> = held.iter().map(|v| v + 20).collect();
    let patch = WeightPatch { vertices: held.clone(), ..base.pick(&near) };
    let key = (MeshId(0), PrimitiveId(0));
    let layer = |id: u32, opacity: f32| {
        let parts = BTreeMap::from([(key, Shared::new(LayerPart::new(&patch, 1.0)))]);
        Shared::new(WeightLayer {
            id: LayerId(id),
            name: "Layer".into(),
            opacity,
            shown: true,
            solo: false,
            mirror: None,
            parts,
        })
    };
    let bases = BTreeMap::from([(key, base)]);
    let stack = |list: Vec<Shared<WeightLayer>>| WeightLayers {
        bases: bases.clone(),
        layers: list,
        next: 2,
        ..WeightLayers::default()
    };
    let mut group = c.benchmark_group("layers, one of 30,000 vertices");
    group.sample_size(20);
    let half = stack(vec![layer(0, 0.5)]);
    group.bench_function("compose after another opacity", |b| {
        b.iter(|| compose(&document, SkinId(0), black_box(&half)).expect("no layer is mirrored"));
    });
    group.finish();

    document
        .aids
        .weight_layers
        .insert(SkinId(0), Shared::new(stack(vec![layer(0, 0.5), layer(1, 0.5)])));
    let target = LayerTarget::Layer(LayerId(0));
    let begin = || {
        LayerPaint::new(&document, &canvas, target, Painted::Weights).expect("a layer that shows")
    };
    let brush = Brush {
        kind: BrushKind::Replace,
        build_up: true,
        reach: Reach::Volume,
        ..Brush::default()
    };
    let mut stroke = Stroke::new(&canvas);
    let tree = Bvh::build(&positions, &document.meshes[MeshId(0)].primitives[0].indices);
    let mut found: Vec<u32> = Vec::new();
    let mut group = c.benchmark_group("brush, a dab over 30,000, into a layer under another");
    group.sample_size(30);
    group.bench_function("beginning of a stroke", |b| b.iter(begin));
    let mut live = begin();
    stroke.begin(&canvas);
    let (mut x, mut value) = (0.0f32, 0.2);
    group.bench_function("later, build-up", |b| {
        b.iter(|| {
            x = if x > 0.5 { -0.5 } else { x + radius * 0.2 };
            found.clear();
            tree.around(at(x).at, radius, &mut |list| found.extend_from_slice(list));
            let dab =
                Dab { touch: at(x), pressure: 1.0, motion: Vec3::X * 0.01, near: Some(&found) };
            // The value alternates, because vertices that already have it would not be painted.
            value = 1.0 - value;
            let paint = Paint {
                brush: Brush { value, ..brush },
                joint: 105,
                locked: &locked,
                limit: 4,
                mirror: None,
            };
            let patches = stroke.dab(&live.maps(&canvas), &canvas, posed, &dab, &paint);
            let seen = live.put(patches);
            assert!(seen.iter().map(|(.., patch)| patch.vertices.len()).sum::<usize>() > 25_000);
            seen
        });
    });
    group.finish();
}

fn canvas(c: &mut Criterion) {
    let document = grid();
    let mut group = c.benchmark_group("canvas, neighbors of 1,000,000 vertices");
    group.sample_size(10);
    group.bench_function("Ulna", |b| {
        b.iter_batched(
            || SkinnedSurface::new(&document, SkinId(0)).expect("a canvas"),
            |canvas| {
                black_box(canvas.point_count());
                canvas
            },
            BatchSize::PerIteration,
        );
    });
    group.bench_function("plain", |b| {
        let primitive = &document.meshes[MeshId(0)].primitives[0];
        b.iter(|| {
            let mut places: HashMap<[u32; 3], u32> = HashMap::new();
            let place_of: Vec<u32> = primitive
                .positions
                .iter()
                .map(|p| {
                    let next = places.len() as u32;
                    *places.entry(p.to_array().map(f32::to_bits)).or_insert(next)
                })
                .collect();
            let mut rings: Vec<Vec<u32>> = vec![Vec::new(); places.len()];
            for t in primitive.indices.as_chunks::<3>().0 {
                for k in 0..3 {
                    let [a, b, c] = [0, 1, 2].map(|i| place_of[t[(k + i) % 3] as usize]);
                    rings[a as usize].extend([b, c]);
                }
            }
            for ring in &mut rings {
                ring.sort_unstable();
                ring.dedup();
            }
            rings
        });
    });
    group.finish();
}

/// Returns a pose of the grid with small random rotations and translations of all joints.
fn bent(document: &Document, seed: usize) -> Pose {
    let number = |k: usize, n: usize| noise((seed * 10_007 + k * 31 + n) as u32) - 0.5;
    let skin = &document.skins[SkinId(0)];
    let mut world = vec![Mat4::IDENTITY; document.nodes.len()];
    for (k, (joint, inverse)) in skin.joints.iter().zip(skin.inverse_bind.iter()).enumerate() {
        let vector = |n: usize| Vec3::new(number(k, n), number(k, n + 1), number(k, n + 2));
        let moved = Mat4::from_rotation_translation(
            Quat::from_scaled_axis(vector(0)),
            vector(3) * 0.02 - inverse.w_axis.truncate(),
        );
        world[joint.index()] = moved;
    }
    Pose { world, morphs: vec![Vec::new(); document.nodes.len()], ..Pose::default() }
}

/// Fits one vertex in a straightforward loop: projected gradient on the simplex of eight joints,
/// 100 steps, without an influence limit.
fn fit_plainly(at: Vec3, target: &[Vec3], palettes: &[Vec<Mat4>], joints: &[u16]) -> Vec<f64> {
    let offsets: Vec<Vec<DVec3>> = joints
        .iter()
        .map(|j| {
            let posed = palettes.iter().map(|p| p[usize::from(*j)].transform_point3(at));
            posed.zip(target).map(|(p, t)| (p - *t).as_dvec3()).collect()
        })
        .collect();
    let dot = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum::<f64>();
    let gram: Vec<Vec<f64>> =
        offsets.iter().map(|a| offsets.iter().map(|b| dot(a, b)).collect()).collect();
    let trace: f64 = (0..joints.len()).map(|k| gram[k][k]).sum();
    let mut weights = vec![1.0 / joints.len() as f64; joints.len()];
    for _ in 0..100 {
        let slope = |row: &Vec<f64>| row.iter().zip(&weights).map(|(g, w)| g * w).sum::<f64>();
        let wanted: Vec<f64> =
            gram.iter().zip(&weights).map(|(row, w)| w - slope(row) / trace).collect();
        let mut sorted = wanted.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let (mut sum, mut shift) = (0.0, 0.0);
        for (k, w) in sorted.iter().enumerate() {
            sum += w;
            let next = (sum - 1.0) / (k + 1) as f64;
            if w - next > 0.0 {
                shift = next;
            }
        }
        weights = wanted.iter().map(|w| (w - shift).max(0.0)).collect();
    }
    weights
}

/// Measures new weights for 28,000 vertices in 64 poses. Every third joint of the grid is removed
/// from the skin. Its weight moves to its parent, the previous joint in the row.
fn fit(c: &mut Criterion) {
    const FITTED: usize = 28_000;
    const POSES: usize = 64;
    let mut before = grid();
    let above = |k: usize| match k {
        0 => None,
        k if k == JOINT_COUNT => None,
        k if k % JOINTS[0] == 0 => Some(NodeId::from(k - JOINTS[0])),
        k => Some(NodeId::from(k - 1)),
    };
    let nodes = before.nodes.values().cloned().enumerate();
    let nodes: Vec<Node> = nodes.map(|(k, n)| Node { parent: above(k), ..n }).collect();
    before.file.nodes = nodes.into();
    let is_lost = |k: usize| k % JOINTS[0] % 3 == 2;
    let kept: Vec<usize> = (0..JOINT_COUNT).filter(|k| !is_lost(*k)).collect();
    let skin = &before.skins[SkinId(0)];
    let new = Skin {
        joints: kept.iter().map(|k| skin.joints[*k]).collect(),
        inverse_bind: kept.iter().map(|k| skin.inverse_bind[*k]).collect(),
        ..Skin::clone(skin)
    };
    let number = |k: usize| kept.binary_search(&k).unwrap_or_else(|next| next - 1) as u16;
    let old = weights(1, |_| 1.0);
    let (mut joints, mut start) = (old.joints.to_vec(), old.weights.to_vec());
    for (joints, weights) in joints.chunks_exact_mut(4).zip(start.chunks_exact_mut(4)) {
        joints.iter_mut().for_each(|j| *j = number(usize::from(*j)));
        for k in 1..4 {
            if let Some(first) = (0..k).find(|first| joints[*first] == joints[k]) {
                weights[first] += std::mem::take(&mut weights[k]);
                joints[k] = 0;
            }
        }
    }
    let map = WeightMap { joints: joints.into(), weights: start.into(), ..old.clone() };
    let mut after = with(&before, &map);
    after.file.skins.put(SkinId(0), Some(Shared::new(new)));
    let poses: Vec<FitPose> =
        (0..POSES).map(|k| FitPose { before: bent(&before, k), after: bent(&before, k) }).collect();
    let touched = |v: &u32| influences(*v as usize).iter().any(|(j, _)| is_lost(usize::from(*j)));
    let step = COUNT / FITTED / 2;
    let list: Vec<u32> = (0..COUNT as u32).step_by(step).filter(touched).take(FITTED).collect();
    assert_eq!(list.len(), FITTED);
    let vertices = FitVertices::from([((MeshId(0), PrimitiveId(0)), list.clone())]);
    let request = FitRequest {
        before: &before,
        after: &after,
        skin: SkinId(0),
        vertices: &vertices,
        poses: &poses,
        limit: 4,
        adds_influences: true,
    };
    let mut group = c.benchmark_group("fit, 28,000 vertices in 64 poses");
    group.sample_size(10);
    let cancel = AtomicBool::new(false);
    group.bench_function("Ulna", |b| {
        b.iter(|| {
            let fitted = fit_weights(&request, &cancel).expect("it is not canceled");
            assert!(fitted.changed > FITTED / 2 && fitted.fitted.mean < fitted.start.mean);
            fitted
        });
    });
    group.bench_function("plain", |b| {
        b.iter(|| {
            let palettes: Vec<Vec<Mat4>> =
                poses.iter().map(|p| p.before.palette(&before, SkinId(0))).collect();
            let fit = |v: &u32| {
                let at = spot(*v as usize);
                let own = influences(*v as usize);
                let posed = |p: &Vec<Mat4>| -> Vec3 {
                    own.iter().map(|(j, w)| p[usize::from(*j)].transform_point3(at) * *w).sum()
                };
                let target: Vec<Vec3> = palettes.iter().map(posed).collect();
                let around = own.iter().flat_map(|(j, _)| [*j, j.saturating_sub(1), j + 1]);
                let mut near: Vec<u16> = around.filter(|j| !is_lost(usize::from(*j))).collect();
                near.sort_unstable();
                near.dedup();
                near.truncate(8);
                fit_plainly(at, &target, &palettes, &near)
            };
            list.iter().map(fit).collect::<Vec<_>>()
        });
    });
    group.finish();
}

criterion_group!(benches, common::vectors, tools, mirror, dabs, layers, canvas, fit);
criterion_main!(benches);
