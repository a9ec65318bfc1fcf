//! Weight layers. After any operation, weights are normalized, nothing else changes, and undo
//! restores everything.

use std::collections::BTreeMap;

use proptest::prelude::*;
use ulna_edit::{CommandLine, Edit};
use ulna_geometry::PointId;
use ulna_model::{
    Document, JointSlot, LayerId, Memo, MirrorFrom, PrimitiveKey, SkinId, WeightEncoding,
    WeightLayers, WeightMap, WeightPatch,
};
use ulna_session::Session;
use ulna_weights::{
    Brush, BrushKind, Dab, Influences, Paint, PosedSurface, Reach, SkinnedSurface, Stroke, Touch,
    WeightConstraints, blend, fault,
    layers::{LayerPaint, LayerTarget, Painted, Sides, compose},
};

use crate::common::{glb, sample, split, weights::two_skins};

/// Opens the sample with another weight type. All of its weights are normalized.
fn with_encoding(encoding: WeightEncoding) -> Session {
    let mut session = sample();
    if encoding == WeightEncoding::Float {
        return session;
    }
    let mut edits = Vec::new();
    for (key, map) in maps(session.document()) {
        let weights: Vec<f32> =
            map.weights.iter().map(|w| encoding.decode(encoding.encode(*w))).collect();
        let to = WeightMap { weights: weights.into(), encoding, ..map };
        edits.push(Edit::SetWeights { mesh: key.0, primitive: key.1, to: to.into() });
    }
    session.preview("Another type", edits).expect("it fits");
    session.commit();
    session.run_line(&CommandLine::new("weights.normalize")).expect("normalizes");
    Session::open_bytes(&session.pack("x").expect("it packs").bytes)
        .expect("the sample with whole weights")
}

fn maps(document: &Document) -> BTreeMap<PrimitiveKey, WeightMap> {
    let mut all = BTreeMap::new();
    for (m, mesh) in document.meshes.iter() {
        for (p, primitive) in mesh.entries() {
            if let Some(map) = &primitive.weights {
                all.insert((m, p), (**map).clone());
            }
        }
    }
    all
}

/// Whether two maps are equal, bit for bit.
fn same(a: &WeightMap, b: &WeightMap) -> bool {
    let bits = |m: &WeightMap| m.weights.iter().map(|w| w.to_bits()).collect::<Vec<_>>();
    a.sets == b.sets && a.joints == b.joints && a.not_numbers == b.not_numbers && bits(a) == bits(b)
}

fn all_same(a: &Document, b: &Document) -> bool {
    let (a, b) = (maps(a), maps(b));
    a.len() == b.len() && a.iter().zip(&b).all(|((k, a), (l, b))| k == l && same(a, b))
}

/// One operation. Layers and vertices are given by numbers, modulo their count.
#[derive(Clone, Debug)]
enum Step {
    Add,
    Remove(usize),
    Opacity(usize, f32),
    Show(usize, bool),
    Mirror(usize, &'static str),
    Move(usize, bool),
    Rename(usize),
    Mask(usize, f32, usize, usize),
    Clear(usize),
    Merge(usize),
    Flatten,
    /// A stroke: target layer (`None` for the target layer of the tools), first vertex, vertex
    /// count, joint and amount.
    Stroke(Option<usize>, usize, usize, usize, f32),
    /// A smoothing tool: first vertex and vertex count.
    Smooth(usize, usize),
    Flood(usize, usize, usize, f32),
    Limit(usize),
    Paint(usize, usize, usize),
    Sets(usize),
    Undo,
    Redo,
}

fn steps() -> impl Strategy<Value = Step> {
    let k = 0usize..5;
    let v = 0usize..100_000;
    let n = 1usize..400;
    let half = 0.0f32..=1.0;
    prop_oneof![
        4 => Just(Step::Add),
        1 => k.clone().prop_map(Step::Remove),
        3 => (k.clone(),
            prop_oneof![half.clone(), Just(0.0), Just(1.0)]).prop_map(|(k, o)| Step::Opacity(k, o)),
        2 => (k.clone(), any::<bool>()).prop_map(|(k, s)| Step::Show(k, s)),
        2 => (k.clone(),
            prop::sample::select(vec!["left", "right", "none"])).prop_map(|(k, f)| Step::Mirror(k,
                f)),
        1 => (k.clone(), any::<bool>()).prop_map(|(k, u)| Step::Move(k, u)),
        1 => k.clone().prop_map(Step::Rename),
        3 => (k.clone(), half.clone(), v.clone(),
            n.clone()).prop_map(|(k, m, v, n)| Step::Mask(k, m, v, n)),
        1 => k.clone().prop_map(Step::Clear),
        1 => k.clone().prop_map(Step::Merge),
        1 => Just(Step::Flatten),
        8 => (prop::option::of(k.clone()), v.clone(), n.clone(), 0usize..64, half.clone())
            .prop_map(|(k, v, n, j, a)| Step::Stroke(k, v, n, j, a)),
        2 => (v.clone(), n.clone()).prop_map(|(v, n)| Step::Smooth(v, n)),
        2 => (v.clone(), n.clone(), 0usize..64,
            half).prop_map(|(v, n, j, a)| Step::Flood(v, n, j, a)),
        1 => (1usize..5).prop_map(Step::Limit),
        2 => (k, v, 0usize..64).prop_map(|(k, v, j)| Step::Paint(k, v, j)),
        1 => (1usize..3).prop_map(Step::Sets),
        1 => Just(Step::Undo),
        1 => Just(Step::Redo),
    ]
}

/// Returns the mesh, primitive and vertices of an operation.
fn spot(document: &Document, v: usize, n: usize) -> (PrimitiveKey, std::ops::Range<u32>) {
    let all = maps(document);
    let (key, map) = all.iter().nth(v % all.len()).expect("a primitive");
    let count = map.vertex_count();
    let first = v % count;
    (*key, first as u32..(first + n).min(count) as u32)
}

fn on(name: &str, document: &Document, v: usize, n: usize) -> CommandLine {
    let ((mesh, primitive), vertices) = spot(document, v, n);
    let line =
        CommandLine::new(name).with("mesh", format!("#{}", mesh.0)).with("primitive", primitive.0);
    line.with("vertices", vertices.collect::<Vec<u32>>())
}

fn joint(document: &Document, j: usize) -> String {
    let joints = &document.skins[SkinId(0)].joints;
    format!("#{}", joints[j % joints.len()].0)
}

/// Runs an operation. Returns whether it succeeded.
fn run(session: &mut Session, step: &Step) -> bool {
    let document = session.document().clone();
    let layers = document.aids.weight_layers.get(&SkinId(0));
    let ids: Vec<LayerId> =
        layers.map_or_else(Vec::new, |l| l.layers.iter().map(|l| l.id).collect());
    let id = |k: &usize| ids.get(k % ids.len().max(1)).copied().unwrap_or(LayerId(0));
    let of = |name: &str, k: &usize| CommandLine::new(name).with("layer", format!("#{}", id(k).0));
    let line = match step {
        Step::Undo => return session.undo().is_some(),
        Step::Redo => return session.redo().is_some(),
        Step::Stroke(k, v, n, j, amount) => {
            return stroke(session, k.map(|k| id(&k)), (*v, *n), *j, *amount);
        }
        Step::Add => CommandLine::new("weight_layer.add"),
        Step::Remove(k) => of("weight_layer.remove", k),
        Step::Opacity(k, opacity) => {
            of("weight_layer.opacity", k).with("opacity", f64::from(*opacity))
        }
        Step::Show(k, shown) => of("weight_layer.show", k).with("shown", *shown),
        Step::Mirror(k, from) => of("weight_layer.mirror", k).with("from", *from),
        Step::Move(k, up) => of("weight_layer.move", k).with("up", *up),
        Step::Rename(k) => of("weight_layer.rename", k).with("name", "Elbows"),
        Step::Mask(k, value, v, n) => {
            let at = on("weight_layer.mask", &document, *v, *n * 8);
            let line = of("weight_layer.mask", k).with("value", f64::from(*value));
            at.arguments.into_iter().fold(line, |line, (name, value)| line.with(&name, value))
        }
        Step::Clear(k) => of("weight_layer.clear", k),
        Step::Merge(k) => of("weight_layer.merge_down", k),
        Step::Flatten => CommandLine::new("weight_layer.flatten"),
        Step::Smooth(v, n) => on("weights.smooth", &document, *v, *n).with("passes", 2),
        Step::Flood(v, n, j, amount) => {
            let line = on("weights.flood", &document, *v, *n).with("joint", joint(&document, *j));
            line.with("how", "add").with("value", f64::from(*amount))
        }
        Step::Limit(most) => CommandLine::new("weights.limit").with("most", *most),
        Step::Paint(k, v, j) => {
            let at = on("weight_layer.paint", &document, *v, 3);
            let count = at.arguments["vertices"].as_array().map_or(0, Vec::len);
            let line = of("weight_layer.paint", k)
                .with("joints", joint(&document, *j))
                .with("of", vec![0; count * 4]);
            let line = line
                .with("weights", [1.0, 0.0, 0.0, 0.0].repeat(count))
                .with("mask", vec![0.75; count]);
            at.arguments.into_iter().fold(line, |line, (name, value)| line.with(&name, value))
        }
        Step::Sets(sets) => CommandLine::new("weights.sets").with("sets", *sets),
    };
    let steps = session.history().done().len();
    let done = session.run_line(&line);
    if done.is_err() {
        assert!(
            *session.document() == document && session.history().done().len() == steps,
            "{line} failed half"
        );
    }
    done.is_ok()
}

/// Returns a patch that moves weight of vertices to a joint.
fn toward(
    document: &Document,
    key: PrimitiveKey,
    vertices: &[u32],
    joint: u16,
    amount: f32,
) -> WeightPatch {
    let map = &maps(document)[&key];
    let mut patch = map.pick(vertices);
    patch.not_numbers.clear();
    let stride = map.stride();
    let unlocked = vec![false; document.skins[SkinId(0)].joints.len()];
    let rule = WeightConstraints {
        locked: &unlocked,
        parents: &[],
        limit: stride,
        encoding: map.encoding,
        pairs: &[],
        turned: false,
    };
    for (k, v) in vertices.iter().enumerate() {
        let mut now = Influences::of(map, *v as usize);
        let mut target = Influences::default();
        target.add(joint, 1.0);
        blend(&mut now, &target, amount, &rule).expect("it blends");
        let own = k * stride..(k + 1) * stride;
        now.write(&mut patch.joints[own.clone()], &mut patch.weights[own]);
    }
    patch
}

/// Runs a stroke that moves weight of vertices to a joint, dab by dab.
fn stroke(
    session: &mut Session,
    layer: Option<LayerId>,
    at: (usize, usize),
    j: usize,
    amount: f32,
) -> bool {
    let before = session.document().clone();
    let ((mesh, primitive), vertices) = spot(&before, at.0, at.1);
    let joint = (j % before.skins[SkinId(0)].joints.len()) as u16;
    for dab in 0..2u32 {
        let list: Vec<u32> = vertices.clone().filter(|v| (v + dab) % 3 != 0).collect();
        let patch = toward(session.document(), (mesh, primitive), &list, joint, amount);
        session.extend("Paint", mesh, primitive, patch).expect("it fits");
    }
    let shown = session.document().clone();
    let top = before
        .aids
        .weight_layers
        .get(&SkinId(0))
        .and_then(|l| l.layers.iter().rev().find(|l| l.shown).cloned());
    let steps = session.history().done().len();
    let done = match layer {
        Some(layer) if before.aids.weight_layers.contains_key(&SkinId(0)) => {
            session.commit_stroke((SkinId(0), layer))
        }
        _ => Ok(session.commit()),
    };
    match (&done, top) {
        (Ok(true), Some(top))
            if top.opacity >= 1.0 && top.mirror.is_none() && layer.is_none_or(|l| l == top.id) =>
        {
            // No layer is above, so the result equals the displayed stroke.
            assert!(all_same(session.document(), &shown));
        }
        (Ok(true), _) => {}
        _ => {
            assert!(
                *session.document() == before && session.history().done().len() == steps,
                "it failed half"
            );
        }
    }
    done.is_ok()
}

/// Computes the combined weights of a vertex with a simple implementation. `None` if no layer
/// contains the vertex.
fn expected(document: &Document, key: PrimitiveKey, vertex: usize) -> Option<BTreeMap<u16, f64>> {
    let layers = &document.aids.weight_layers[&SkinId(0)];
    let base = &layers.bases[&key];
    let sum: f64 = base.vertex(vertex).map(|(_, w)| f64::from(w)).sum();
    let mut list: BTreeMap<u16, f64> = BTreeMap::new();
    for (j, w) in base.vertex(vertex).filter(|(_, w)| *w > 0.0) {
        *list.entry(j).or_default() += f64::from(w) / sum;
    }
    let mut touched = false;
    for layer in layers.layers.iter().filter(|l| l.shown) {
        let Some(part) = layer.parts.get(&key) else { continue };
        let Some(k) = part.find(vertex as u32) else { continue };
        let amount = f64::from(layer.opacity * part.mask[k]);
        if amount > 0.0 {
            touched = true;
            list.values_mut().for_each(|w| *w *= 1.0 - amount);
            let (joints, weights) = part.slots(k);
            for (j, w) in joints.iter().zip(weights).filter(|(_, w)| **w > 0.0) {
                *list.entry(*j).or_default() += amount * f64::from(*w);
            }
        }
    }
    list.retain(|_, w| *w > 1e-9);
    touched.then_some(list)
}

/// Asserts the invariants of weight layers. Returns the number of checked vertices that a layer
/// contains.
fn check(document: &Document) -> usize {
    let Some(layers) = document.aids.weight_layers.get(&SkinId(0)) else { return 0 };
    let mirrored = layers.layers.iter().any(|l| l.mirror.is_some());
    let mut touched = 0;
    for (key, map) in maps(document) {
        let base = &layers.bases[&key];
        assert_eq!(map.sets, base.sets);
        for v in 0..map.vertex_count() {
            let (now, under): (Vec<_>, Vec<_>) =
                (map.vertex(v).collect(), base.vertex(v).collect());
            let moved =
                now.iter().zip(&under).any(|(a, b)| a.0 != b.0 || a.1.to_bits() != b.1.to_bits());
            let should = (!mirrored).then(|| expected(document, key, v)).flatten();
            assert!(
                mirrored || should.is_some() || !moved,
                "vertex {v} moved, and no layer touches it: {now:?} {under:?}"
            );
            if !moved && should.is_none() {
                continue;
            }
            touched += 1;
            assert_eq!(fault(&map, v, map.stride()), None, "vertex {v}: {now:?}");
            assert!(
                now.is_sorted_by(|a, b| a.1 >= b.1),
                "vertex {v}, not the strongest first: {now:?}"
            );
            let Some(should) = should.filter(|s| s.len() <= map.stride()) else { continue };
            // Each slot is rounded, and the largest one receives the difference.
            let slack = 2e-6 + f64::from(map.encoding.step()) * map.stride() as f64;
            let sum: f64 = should.values().sum();
            for (j, w) in &should {
                let found = f64::from(map.weight(v, *j));
                assert!(
                    (found - w / sum).abs() <= slack,
                    "vertex {v}, joint {j}: {found}, not {w}"
                );
            }
        }
    }
    touched
}

fn plans() -> impl Strategy<Value = (WeightEncoding, Vec<Step>)> {
    let encoding = prop::sample::select(vec![
        WeightEncoding::Float,
        WeightEncoding::Short,
        WeightEncoding::Byte,
    ]);
    let first = (0usize..100_000, 50usize..400, 0usize..64);
    (encoding, first, prop::collection::vec(steps(), 1..14)).prop_map(
        |(encoding, (v, n, j), more)| {
            let mut all = vec![Step::Add, Step::Stroke(None, v, n, j, 0.5)];
            all.extend(more);
            (encoding, all)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn weight_layers_keep_weights_valid_and_undo_restores_the_document(
        (encoding, plan) in plans()
    ) {
        let mut session = with_encoding(encoding);
        let opened = session.document().clone();
        let mut touched = 0;
        for step in &plan {
            run(&mut session, step);
            touched += check(session.document());
        }
        prop_assert!(touched > 0);
        let last = session.document().clone();
        let layers: Vec<LayerId> =
            last.aids.weight_layers.get(&SkinId(0)).map_or_else(Vec::new,
                |l| l.layers.iter().map(|l| l.id).collect());

        // Hiding a layer, setting its opacity to 0, and removing it give the same result.
        for id in &layers {
            let of = |name: &str| CommandLine::new(name).with("layer", format!("#{}", id.0));
            let with = |line: CommandLine| {
                let mut other = session.clone();
                other.run_line(&line).expect("it runs");
                other.document().clone()
            };
            let gone = with(of("weight_layer.remove"));
            prop_assert!(all_same(&with(of("weight_layer.show").with("shown", false)), &gone));
            prop_assert!(all_same(&with(of("weight_layer.opacity").with("opacity", 0)), &gone));
        }

        // Flattening the layers changes no weight.
        if !layers.is_empty() {
            let mut flat = session.clone();
            flat.run_line(&CommandLine::new("weight_layer.flatten")).expect("it runs");
            prop_assert!(all_same(flat.document(), &last)
                && flat.document().aids.weight_layers.is_empty());
        }

        // The saved weights are the displayed weights.
        let saved = session.pack("x").expect("it packs");
        let back = Session::open_bytes(&saved.bytes).expect("it opens");
        prop_assert_eq!(maps(back.document()), maps(&last));

        // The command lines of all steps give the same result in a newly opened file.
        let mut again = with_encoding(encoding);
        for step in session.history().done() {
            for line in step.lines(&last) {
                again.run_line(&CommandLine::parse(&line.to_string()).expect("a line"))
                    .expect("it replays");
            }
        }
        prop_assert!(*again.document() == last);

        // Undoes everything, and redoes it.
        let mut count = 0;
        while session.undo().is_some() {
            check(session.document());
            count += 1;
        }
        prop_assert!(*session.document() == opened && all_same(session.document(), &opened));
        prop_assert_eq!(&session.pack("x").expect("it packs").bytes,
            &with_encoding(encoding).pack("x").expect("it packs").bytes);
        for _ in 0..count {
            session.redo();
        }
        prop_assert!(*session.document() == last && all_same(session.document(), &last));
    }
}

/// A brush stroke into a layer or into the base.
#[derive(Clone, Debug)]
struct BrushStroke {
    /// Target layer, modulo the number of layers; `None` for the base.
    target: Option<usize>,
    mask: bool,
    kind: BrushKind,
    reach: Reach,
    build_up: bool,
    mirror: bool,
    joint: usize,
    value: f32,
    /// Center vertex and radius in meters of each dab.
    dabs: Vec<(usize, f32)>,
}

fn brush_strokes() -> impl Strategy<Value = BrushStroke> {
    let reach = prop::sample::select(vec![Reach::Surface, Reach::Volume]);
    let what = (prop::option::weighted(0.8, 0usize..5), prop::bool::weighted(0.3));
    let kind = (prop::sample::select(BrushKind::ALL.to_vec()), reach, any::<bool>(), any::<bool>());
    let dabs = prop::collection::vec((0usize..100_000, 0.02f32..0.3), 1..5);
    (what, kind, 0usize..64, 0.0f32..=1.0, dabs).prop_map(
        |((target, mask), (kind, reach, build_up, mirror), joint, value, dabs)| BrushStroke {
            target,
            mask: mask && target.is_some(),
            kind,
            reach,
            build_up,
            mirror,
            joint,
            value,
            dabs,
        },
    )
}

/// Runs a stroke in the same way as the window. Returns the number of changed vertices that were
/// checked, or `None` if the stroke was refused.
fn brush_stroke(session: &mut Session, plan: &BrushStroke) -> Option<usize> {
    let before = session.document().clone();
    let layers = before.aids.weight_layers.get(&SkinId(0))?.clone();
    let id = plan.target.map(|k| layers.layers[k % layers.layers.len()].id);
    let target = id.map_or(LayerTarget::Base, LayerTarget::Layer);
    let painted = if plan.mask { Painted::Mask } else { Painted::Weights };
    let canvas = SkinnedSurface::new(&before, SkinId(0)).expect("a canvas");
    let mut live = match LayerPaint::new(&before, &canvas, target, painted) {
        Ok(live) => live,
        Err(why) => {
            let layer = id.and_then(|i| layers.layer(i)).expect("only a layer is refused");
            let empty = plan.mask && layer.parts.is_empty();
            assert!(!layer.shown || layer.opacity == 0.0 || empty, "{why}");
            return None;
        }
    };
    let positions: Vec<_> = (0..canvas.vertex_count() as u32)
        .map(|v| canvas.rest()[canvas.point_of(v).index()])
        .collect();
    let normals = vec![glam::Vec3::Z; positions.len()];
    let posed = PosedSurface { positions: &positions, normals: &normals };
    let count = if plan.mask { 2 } else { canvas.joints().len() };
    let sides = Sides::of(&before, &canvas).expect("sides");
    let joints = if plan.mask {
        JointSlot::first(2).map(Some).collect()
    } else {
        sides.pairs.joints().to_vec()
    };
    let pairs = live.mirror().unwrap_or(&sides.pairs).with_joints(joints);
    let mirror = (plan.mirror || live.mirror().is_some()).then_some(&pairs);
    let brush = Brush {
        kind: plan.kind,
        reach: plan.reach,
        build_up: plan.build_up,
        value: plan.value,
        strength: 0.7,
        front_only: false,
        ..Brush::default()
    };
    let locked = vec![false; count];
    let joint = if plan.mask { 0 } else { (plan.joint % count) as u16 };
    let mut stroke = Stroke::new(&canvas);
    let (mut looked_at, mut last) = (0, None);
    for (vertex, radius) in &plan.dabs {
        let vertex = (vertex % positions.len()) as u32;
        let at = positions[vertex as usize];
        let direction = glam::Vec3::NEG_Z;
        let touch = Touch { at, corners: [vertex; 3], direction, eye: None, radius: *radius };
        let motion = last.map_or(glam::Vec3::ZERO, |l| at - l);
        last = Some(at);
        let dab = Dab { touch, pressure: 1.0, motion, near: None };
        let paint = Paint { brush, joint, locked: &locked, limit: 4, mirror };
        let patches = stroke.dab(&live.maps(&canvas), &canvas, posed, &dab, &paint);
        for (mesh, primitive, seen) in live.put(patches) {
            let vertices = seen.vertices.clone();
            session.extend("Paint", mesh, primitive, seen).expect("it fits");
            let map = &maps(session.document())[&(mesh, primitive)];
            looked_at += vertices.len();
            for v in vertices {
                assert_eq!(fault(map, v as usize, map.stride()), None, "vertex {v} after a dab");
            }
        }
        // The displayed weights equal a new combination of all layers, bit for bit.
        let now = live.layers().map_or_else(|| (*layers).clone(), |(_, now)| now);
        assert!(
            compose(session.document(), SkinId(0), &now).expect("sides").is_empty(),
            "seen otherwise: {plan:?}"
        );
    }
    let steps = session.history().done().len();
    let changed = session.commit_layers("Paint", live.layers()).expect("it fits");
    assert_eq!(session.history().done().len(), steps + usize::from(changed));
    let after = session.document().clone();
    assert_eq!(after == before, !changed);
    for (old, new) in layers.layers.iter().zip(&after.aids.weight_layers[&SkinId(0)].layers) {
        assert!(Some(old.id) == id || old == new, "another layer was painted");
        for (key, part) in &new.parts {
            assert!(part.fits(maps(&after)[key].vertex_count()));
            if plan.mask {
                assert_eq!(part.vertices, old.parts[key].vertices, "a mask brush adds no vertex");
                assert_eq!(
                    (&part.joints, part.sets),
                    (&old.parts[key].joints, old.parts[key].sets)
                );
            }
        }
    }
    if changed {
        undone_and_replayed(session, (&before, &after), plan);
    }
    Some(looked_at)
}

/// Checks that one undo reverts a stroke exactly, and that its command lines have the same effect.
fn undone_and_replayed(
    session: &mut Session,
    (before, after): (&Document, &Document),
    plan: &BrushStroke,
) {
    let lines = session.history().done().last().expect("a step").lines(after);
    session.undo();
    assert!(session.document() == before && all_same(session.document(), before));
    let mut again = session.clone();
    for line in lines {
        again
            .run_line(&CommandLine::parse(&line.to_string()).expect("a line"))
            .expect("it replays");
    }
    assert!(
        again.document() == after && all_same(again.document(), after),
        "replayed otherwise: {plan:?}"
    );
    session.redo();
    assert!(session.document() == after && all_same(session.document(), after));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn painting_in_any_layer_shows_the_combined_layers(
        (encoding, plan) in plans(),
        strokes in prop::collection::vec(brush_strokes(), 1..6),
    ) {
        let mut session = with_encoding(encoding);
        for step in &plan {
            run(&mut session, step);
        }
        if !session.document().aids.weight_layers.contains_key(&SkinId(0)) {
            run(&mut session, &Step::Add);
        }
        for stroke in &strokes {
            brush_stroke(&mut session, stroke);
            check(session.document());
        }
    }
}

#[test]
fn layers_below_partly_transparent_ones_are_painted_directly() {
    let mut session = sample();
    let line = |name: &str, layer: &str| CommandLine::new(name).with("layer", layer);
    for name in ["Low", "High"] {
        session
            .run_line(&CommandLine::new("weight_layer.add").with("name", name))
            .expect("it runs");
    }
    assert!(stroke(&mut session, None, (100, 300), 3, 0.7));
    for (name, opacity) in [("Low", 0.5), ("High", 0.3)] {
        session
            .run_line(&line("weight_layer.opacity", name).with("opacity", opacity))
            .expect("it runs");
    }
    let plan = BrushStroke {
        target: Some(0),
        mask: false,
        kind: BrushKind::Replace,
        reach: Reach::Surface,
        build_up: false,
        mirror: false,
        joint: 5,
        value: 1.0,
        dabs: vec![(120, 0.2), (140, 0.2)],
    };
    let layer = |session: &Session, k: usize| {
        session.document().aids.weight_layers[&SkinId(0)].layers[k].clone()
    };
    let masked = |session: &Session| -> f32 {
        layer(session, 0).parts.values().flat_map(|p| p.mask.clone()).sum()
    };
    assert!(brush_stroke(&mut session, &plan).expect("it is painted") > 20);
    assert!(!layer(&session, 0).parts.is_empty());
    let before = masked(&session);
    let mask = BrushStroke { mask: true, kind: BrushKind::Subtract, ..plan.clone() };
    assert!(brush_stroke(&mut session, &mask).expect("it is painted") > 20);
    assert!(masked(&session) < before - 5.0);
    let base = BrushStroke { target: None, ..plan };
    let bases = session.document().aids.weight_layers[&SkinId(0)].bases.clone();
    assert!(brush_stroke(&mut session, &base).expect("it is painted") > 20);
    assert_ne!(session.document().aids.weight_layers[&SkinId(0)].bases, bases);
    check(session.document());
}

#[test]
fn painting_a_mirrored_layer_from_either_side_is_equal() {
    let mut session = sample();
    session.run_line(&CommandLine::new("weights.mirror").with("from", "left")).expect("it runs");
    session.run_line(&CommandLine::new("weight_layer.add").with("name", "Arm")).expect("it runs");
    session
        .run_line(
            &CommandLine::new("weight_layer.mirror").with("layer", "Arm").with("from", "left"),
        )
        .expect("it runs");
    let canvas = SkinnedSurface::new(session.document(), SkinId(0)).expect("a canvas");
    let sides = Sides::of(session.document(), &canvas).expect("sides");
    let far =
        |point: &PointId| (canvas.rest()[point.index()][sides.axis] - sides.offset).abs() > 0.3;
    let (point, partner) = PointId::first(canvas.point_count())
        .filter(far)
        .find_map(|p| Some((p, sides.pairs.point(p)?)))
        .expect("a point");
    let pair = JointSlot::first(canvas.joints().len())
        .find_map(|j| Some((j, sides.pairs.joint(j).filter(|other| *other != j)?)));
    let (joint, other) = pair.expect("a joint with a partner");
    let mut seen = Vec::new();
    for (point, joint) in [(point, joint), (partner, other)] {
        let mut session = session.clone();
        let plan = BrushStroke {
            target: Some(0),
            mask: false,
            kind: BrushKind::Add,
            reach: Reach::Surface,
            build_up: false,
            mirror: false,
            joint: joint.index(),
            value: 0.8,
            dabs: vec![(canvas.first_at(point) as usize, 0.1)],
        };
        assert!(brush_stroke(&mut session, &plan).expect("it is painted") > 8);
        seen.push(maps(session.document()));
    }
    let (a, b) = (&seen[0], &seen[1]);
    for (key, map) in a {
        for (x, y) in map.weights.iter().zip(b[key].weights.iter()) {
            assert!((x - y).abs() < 1e-4, "{x} and {y}");
        }
    }
}

#[test]
fn cached_mirror_pairs_equal_recomputed_ones() {
    let mut session = sample();
    let line = |name: &str| CommandLine::new(name).with("layer", "Arm");
    session.run_line(&CommandLine::new("weight_layer.add").with("name", "Arm")).expect("it runs");
    for j in 0..12 {
        assert!(stroke(&mut session, None, (j * 1301, 300), j, 0.4));
    }
    session.run_line(&line("weight_layer.mirror").with("from", "left")).expect("it runs");
    // The mirror pairs depend on the joint names.
    let names = [("LeftUpperArm", "Stick"), ("RightUpperLeg", "Pole"), ("Stick", "LeftUpperArm")];
    let mut moved = 0;
    for (opacity, (from, to)) in [0.7, 0.8, 0.9].into_iter().zip(names) {
        session
            .run_line(&CommandLine::new("node.rename").with("node", from).with("name", to))
            .expect("it runs");
        let before = maps(session.document());
        session.run_line(&line("weight_layer.opacity").with("opacity", opacity)).expect("it runs");
        let anew = (*session.document().aids.weight_layers[&SkinId(0)]).clone();
        let anew = WeightLayers { keeps: false, kept: Memo::default(), ..anew };
        assert!(
            compose(session.document(), SkinId(0), &anew).expect("sides").is_empty(),
            "old pairs after {to}"
        );
        moved += usize::from(maps(session.document()) != before);
    }
    assert_eq!(moved, 3);
}

#[test]
fn undone_layers_leave_no_trace_in_the_file() {
    let bytes = include_bytes!("../../assets/mannequin.glb");
    let mut session = sample();
    session.run_line(&CommandLine::new("weight_layer.add").with("name", "Try")).expect("it runs");
    assert!(stroke(&mut session, None, (10, 200), 3, 0.5));
    assert_ne!(&session.pack("x").expect("it packs").bytes[..], bytes);
    session
        .run_line(&CommandLine::new("weight_layer.show").with("layer", "Try").with("shown", false))
        .expect("it runs");
    assert_eq!(
        &session.pack("x").expect("it packs").bytes[..],
        bytes,
        "a hidden layer changes nothing"
    );
    while session.undo().is_some() {}
    assert_eq!(&session.pack("x").expect("it packs").bytes[..], bytes);
}

/// Paints points as a stroke does: coincident vertices get equal weights.
fn paint_points(
    session: &mut Session,
    canvas: &SkinnedSurface,
    points: impl Iterator<Item = PointId>,
    joint: u16,
    amount: f32,
) {
    let mut parts: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for vertex in points.flat_map(|p| canvas.vertices_at(p)) {
        let (part, v) = canvas.part_of(*vertex);
        parts.entry(part).or_default().push(v);
    }
    for (part, vertices) in parts {
        let part = canvas.parts()[part];
        let patch =
            toward(session.document(), (part.mesh, part.primitive), &vertices, joint, amount);
        session.extend("Paint", part.mesh, part.primitive, patch).expect("it fits");
    }
    assert!(session.commit());
}

#[test]
fn a_mirrored_layer_shows_one_side_on_both() {
    let (left, right) = ((MirrorFrom::Left, "left"), (MirrorFrom::Right, "right"));
    let (float, byte) = (WeightEncoding::Float, WeightEncoding::Byte);
    for ((from, way), encoding) in [(left, float), (right, float), (left, byte), (right, byte)] {
        let mut session = with_encoding(encoding);
        session.run_line(&CommandLine::new("weights.mirror").with("from", way)).expect("it runs");
        let canvas = SkinnedSurface::new(session.document(), SkinId(0)).expect("a canvas");
        let sides = Sides::of(session.document(), &canvas).expect("sides");
        let gives = |point: PointId| {
            let high = canvas.rest()[point.index()][sides.axis] > sides.offset;
            high == (sides.left_is_high == (from == MirrorFrom::Left))
        };
        let base = session.document().clone();
        session
            .run_line(&CommandLine::new("weight_layer.add").with("name", "Arm"))
            .expect("it runs");
        // Both sides are painted differently, but both display the source side.
        for j in 0..24u16 {
            let first = usize::from(j) * 77 % canvas.point_count();
            let points = PointId::first(canvas.point_count()).skip(first).take(150);
            paint_points(&mut session, &canvas, points, j, 0.6);
        }
        session
            .run_line(
                &CommandLine::new("weight_layer.opacity").with("layer", "Arm").with("opacity", 0.7),
            )
            .expect("it runs");
        let unmirrored = session.document().clone();
        session
            .run_line(
                &CommandLine::new("weight_layer.mirror").with("layer", "Arm").with("from", way),
            )
            .expect("it runs");
        let mirrored = session.document().clone();
        let list = |document: &Document, point: PointId| {
            let maps = canvas.maps(document);
            let (map, v) = maps.map_of(canvas.vertices_at(point)[0]);
            Influences::of(map, v)
        };
        let (mut pairs, mut moved) = (0, 0);
        for point in PointId::first(canvas.point_count()) {
            let partner = sides.pairs.point(point).filter(|p| *p != point && gives(point));
            let Some(partner) = partner else { continue };
            let (left, right) = (list(&mirrored, point), list(&mirrored, partner));
            assert_eq!(left, list(&unmirrored, point), "the side that gives stays");
            for (j, w) in left.iter() {
                let other = sides.pairs.joint(JointSlot(j)).expect("a mirror joint");
                assert!((right.get(other.0) - w).abs() <= 1e-6, "{left:?} {right:?}");
            }
            assert!((right.iter().map(|(_, w)| w).sum::<f32>() - 1.0).abs() < 1e-6);
            pairs += 1;
            moved += usize::from(right != list(&base, partner));
        }
        assert!(pairs > 1000 && moved > 100, "{pairs} pairs, {moved} moved");

        // Paint on the target side is displayed on both sides.
        let pair = PointId::first(canvas.point_count())
            .filter_map(|p| Some((p, sides.pairs.point(p)?)))
            .find(|(point, partner)| partner != point && !gives(*point));
        let (taking, giving) = pair.expect("a pair of points");
        session
            .run_line(
                &CommandLine::new("weight_layer.opacity").with("layer", "Arm").with("opacity", 1),
            )
            .expect("it runs");
        paint_points(&mut session, &canvas, [taking].into_iter(), 5, 1.0);
        assert_eq!(list(session.document(), taking).get(5), 1.0);
        let other = sides.pairs.joint(JointSlot(5)).expect("a mirror joint");
        assert_eq!(list(session.document(), giving).get(other.0), 1.0);
    }
}

#[test]
fn merging_layers_changes_weights_only_by_rounding() {
    let mut session = sample();
    let line = |name: &str, layer: &str| CommandLine::new(name).with("layer", layer);
    for name in ["Low", "High"] {
        session
            .run_line(&CommandLine::new("weight_layer.add").with("name", name))
            .expect("it runs");
        for j in 0..8 {
            assert!(stroke(&mut session, None, (j * 1301, 300), j + name.len(), 0.4));
        }
    }
    session.run_line(&line("weight_layer.opacity", "High").with("opacity", 0.6)).expect("it runs");
    session.run_line(&line("weight_layer.opacity", "Low").with("opacity", 0.8)).expect("it runs");
    session
        .run_line(&line("weight_layer.mask", "Low").with("value", 0.5).with("vertices", "0-150"))
        .expect("it runs");
    for (name, left) in [("High", 1), ("Low", 0)] {
        let before = maps(session.document());
        session.run_line(&line("weight_layer.merge_down", name)).expect("it runs");
        let count =
            session.document().aids.weight_layers.get(&SkinId(0)).map_or(0, |l| l.layers.len());
        assert_eq!(count, left);
        for (key, map) in maps(session.document()) {
            for v in 0..map.vertex_count() {
                for (j, w) in before[&key].vertex(v) {
                    assert!(
                        (map.weight(v, j) - before[&key].weight(v, j)).abs() < 1e-5,
                        "{key:?} {v}: {j} {w}"
                    );
                }
            }
        }
    }
}

#[test]
fn refused_layer_edits_suggest_a_solution() {
    let mut session = sample();
    let says = |session: &mut Session, line: CommandLine, words: &str| {
        let error = session.run_line(&line).expect_err("it is refused").to_string();
        assert!(error.contains(words), "{line}: {error}");
    };
    let flood = |layer: Option<&str>| {
        let line = CommandLine::new("weights.flood").with("joint", "Hips").with("value", 0.5);
        layer.into_iter().fold(line, |line, l| line.with("layer", l))
    };
    says(&mut session, flood(Some("A")), "use weight_layer.add to add one");
    session.run_line(&CommandLine::new("weight_layer.add").with("name", "A")).expect("it runs");
    session
        .run_line(&CommandLine::new("weight_layer.opacity").with("layer", "A").with("opacity", 0.5))
        .expect("it runs");
    says(&mut session, flood(None), "add a layer above it");
    // A stroke that cannot be stored in any layer is stored in a new layer, with a note.
    let before = session.document().clone();
    assert!(stroke(&mut session, None, (0, 50), 2, 0.5));
    let notes = session.take_sentence();
    assert!(notes.iter().any(|n| n.contains("in a new layer")), "{notes:?}");
    assert_eq!(session.document().aids.weight_layers[&SkinId(0)].layers.len(), 2);
    while session.history().done().len() > 2 {
        session.undo();
    }
    assert!(*session.document() == before);
    session.run_line(&flood(Some("A"))).expect("a layer that is named takes it as far as it goes");
    session.run_line(&CommandLine::new("weight_layer.show").with("layer", "A")).expect("it runs");
    says(&mut session, flood(None), "no weight layer is visible");
    says(&mut session, flood(Some("A")), "is not visible");
    says(
        &mut session,
        CommandLine::new("weight_layer.opacity").with("layer", "A").with("opacity", 1.5),
        "0 to 1",
    );
    session.run_line(&CommandLine::new("weight_layer.add").with("name", "A")).expect("it runs");
    says(&mut session, CommandLine::new("weight_layer.remove").with("layer", "A"), "#0");
    session
        .run_line(&CommandLine::new("weight_layer.remove").with("layer", "#1"))
        .expect("it runs");
    session.run_line(&CommandLine::new("weight_layer.remove").with("layer", "A")).expect("it runs");
    assert!(session.document().aids.weight_layers.is_empty());
    says(&mut session, CommandLine::new("weight_layer.flatten"), "no weight layers");
}

/// Opens a session with two layers: an arm painted at half opacity, and a mask on the other arm.
fn with_layers() -> Session {
    let mut session = sample();
    let lines = [
        CommandLine::new("weight_layer.add").with("name", "Arm"),
        CommandLine::new("weights.flood")
            .with("joint", "LeftUpperArm")
            .with("value", 0.4)
            .with("vertices", "100-400")
            .with("layer", "Arm"),
        CommandLine::new("weight_layer.add").with("name", "Spine"),
        CommandLine::new("weights.smooth")
            .with("passes", 3)
            .with("vertices", "50-300")
            .with("layer", "Spine"),
        CommandLine::new("weight_layer.opacity").with("layer", "Spine").with("opacity", 0.6),
        CommandLine::new("weight_layer.mask")
            .with("layer", "Arm")
            .with("value", 0.75)
            .with("vertices", "150-250"),
    ];
    for line in lines {
        session.run_line(&line).unwrap_or_else(|e| panic!("{line}: {e}"));
    }
    session
}

fn layers_of(session: &Session) -> WeightLayers {
    let all = session.document().aids.weight_layers.get(&SkinId(0)).expect("layers");
    let mut all = (**all).clone();
    // Restored layers get new ids, so these are made equal first.
    for (k, layer) in all.layers.iter_mut().enumerate() {
        ulna_model::Shared::make_mut(layer).id = LayerId(k as u32);
    }
    all.next = all.layers.len() as u32;
    all
}

#[test]
fn stored_weight_layers_are_restored_unless_weights_changed() {
    let mut session = with_layers();
    let plain = session.pack("m").expect("packed").bytes.to_vec();
    assert!(!String::from_utf8_lossy(&plain).contains("ulna.weight_layers"));
    assert_eq!(session.unsaved().layers, 2);
    session.run_line(&CommandLine::new("weight_layer.keep")).expect("kept");
    assert_eq!(session.unsaved().layers, 0);
    let kept = session.pack("m").expect("packed").bytes.to_vec();
    let mut opened = Session::open_bytes(&kept).expect("opened");
    assert!(
        opened.diagnostics.iter().all(|d| d.code != "ULNA_WEIGHT_LAYERS"),
        "{:?}",
        opened.diagnostics
    );
    assert_eq!(layers_of(&opened), layers_of(&session));
    assert!(all_same(opened.document(), session.document()));
    assert!(!opened.is_unsaved());
    // Without a change, the saved bytes are the same.
    assert_eq!(opened.pack("m").expect("packed").bytes.to_vec(), kept);
    // Without the layers, the weights equal those of the original file.
    for layer in ["Spine", "Arm"] {
        opened
            .run_line(&CommandLine::new("weight_layer.remove").with("layer", layer))
            .expect("removed");
    }
    assert!(all_same(opened.document(), sample().document()));
    let without = opened.pack("m").expect("packed").bytes.to_vec();
    assert!(!String::from_utf8_lossy(&without).contains("ulna.weight_layers"));
    // If another program changed the weights, these are kept, with a finding.
    let text = String::from_utf8_lossy(&kept).into_owned();
    let at = text.find("\"hash\":\"").expect("a hash") + 8;
    let mut bytes = kept.clone();
    bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
    let stands = Session::open_bytes(&bytes).expect("opened");
    assert!(stands.document().aids.weight_layers.is_empty());
    let said = stands.diagnostics.iter().find(|d| d.code == "ULNA_WEIGHT_LAYERS").expect("said");
    assert!(said.message.contains("another program"), "{}", said.message);
    assert!(all_same(stands.document(), session.document()));
    assert_eq!(stands.pack("m").expect("packed").bytes.to_vec(), bytes);
}

#[test]
fn solo_shows_one_layer_and_split_layers_combine_to_the_same_weights() {
    let mut session = with_layers();
    let before = maps(session.document());
    session.run_line(&CommandLine::new("weight_layer.solo").with("layer", "Arm")).expect("solo");
    assert!(
        maps(session.document()).iter().zip(&before).any(|(a, b)| !same(a.1, b.1)),
        "nothing was shown alone"
    );
    session
        .run_line(&CommandLine::new("weight_layer.solo").with("layer", "Arm"))
        .expect("not solo");
    assert!(maps(session.document()).iter().zip(&before).all(|(a, b)| same(a.1, b.1)));
    let joints = session.document().skin(SkinId(0)).joints.clone();
    let names: Vec<String> = joints.iter().take(6).map(|n| format!("#{}", n.0)).collect();
    let split = CommandLine::new("weight_layer.split")
        .with("layer", "Spine")
        .with("joint", names)
        .with("name", "Trunk");
    session.run_line(&split).expect("split");
    assert_eq!(layers_of(&session).layers.len(), 3);
    for ((_, a), (_, b)) in maps(session.document()).iter().zip(&before) {
        for v in 0..a.vertex_count() {
            for j in 0..joints.len() as u16 {
                let off = (a.weight(v, j) - b.weight(v, j)).abs();
                assert!(off < 2e-5, "vertex {v}, joint {j}: off by {off}");
            }
        }
    }
    // After merging, there is one layer with the same weights, except for rounding.
    session
        .run_line(&CommandLine::new("weight_layer.merge_down").with("layer", "Trunk"))
        .expect("merged");
    for ((_, a), (_, b)) in maps(session.document()).iter().zip(&before) {
        for v in 0..a.vertex_count() {
            for j in 0..joints.len() as u16 {
                assert!((a.weight(v, j) - b.weight(v, j)).abs() < 4e-5, "vertex {v}");
            }
        }
    }
    let none = CommandLine::new("weight_layer.split").with("layer", "Arm").with("joint", "LeftToe");
    let why = session.run_line(&none).map(|_| ()).expect_err("refused").to_string();
    assert!(!why.is_empty());
}

#[test]
fn layers_of_two_skins_are_restored_and_an_invalid_one_stays_in_the_file() {
    let mut session =
        Session::open_bytes(&two_skins(1.0, 3.0, &["C", "B", "A"])).expect("two sheets");
    let line = |session: &mut Session, line: CommandLine| {
        session.run_line(&line).unwrap_or_else(|e| panic!("{line}: {e}"));
    };
    for (mesh, joint) in [("#0", "B"), ("#1", "C")] {
        line(
            &mut session,
            CommandLine::new("weight_layer.add").with("mesh", mesh).with("name", joint),
        );
        let flood = CommandLine::new("weights.flood")
            .with("mesh", mesh)
            .with("joint", joint)
            .with("value", 0.4);
        line(&mut session, flood.with("vertices", "0-9").with("layer", joint));
    }
    line(&mut session, CommandLine::new("weight_layer.keep"));
    let kept = session.pack("m").expect("packed").bytes.to_vec();
    let opened = Session::open_bytes(&kept).expect("opened");
    let names = |session: &Session, skin: u32| -> Vec<String> {
        let all = session.document().aids.weight_layers.get(&SkinId(skin));
        all.map_or_else(Vec::new, |all| all.layers.iter().map(|l| l.name.to_string()).collect())
    };
    assert_eq!([names(&opened, 0), names(&opened, 1)], [["B"], ["C"]]);
    assert!(all_same(opened.document(), session.document()));
    // Layer data that would need too much memory is refused. The other layers are restored, and the
    // bytes stay in the file.
    for (part, number) in [
        ("sets", serde_json::json!(1_000_000_000_000u64)),
        ("sets", serde_json::json!(17)),
        ("vertices", serde_json::json!("AAAA")),
    ] {
        let (mut json, bin) = split(&kept);
        json["meshes"][1]["extras"]["ulna.weight_layers"]["layers"][0]["parts"][0][part] = number;
        let bytes = glb(json, &bin);
        let broken = Session::open_bytes(&bytes).expect("opened");
        assert_eq!(
            [names(&broken, 0), names(&broken, 1)],
            [vec!["B".to_owned()], vec![]],
            "{part}"
        );
        assert!(broken.diagnostics.iter().any(|d| d.code == "ULNA_WEIGHT_LAYERS"));
        assert!(all_same(broken.document(), session.document()));
        assert_eq!(broken.pack("m").expect("packed").bytes.to_vec(), bytes);
    }
}
