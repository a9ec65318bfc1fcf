//! Weights: whatever is painted, and whatever tool is run, the rule holds after every dab.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use glam::Vec3;
use proptest::prelude::*;
use ulna::{
    edit::{Change, CommandLine, Edit, mirror_partners},
    model::{Document, MeshId, Primitive, SkinId, WeightEncoding, WeightMap, WeightPatch},
    session::Session,
    weights::{
        Brush, BrushKind, Canvas, Dab, Draft, Falloff, Influences, Maps, MirrorMap, NOWHERE, Paint, PartChange,
        PosedCanvas, Reach, Refusal, Refused, Rule, Scope, Stroke, Touch, blend, fault, gradient, in_common, normalize,
    },
};

fn sample() -> Session {
    Session::open_bytes(include_bytes!("../assets/mannequin.glb")).expect("the sample")
}

fn map(document: &Document, mesh: MeshId, primitive: usize) -> &WeightMap {
    document.mesh(mesh).primitives[primitive].weights.as_deref().expect("weights")
}

/// The sample with its weights kept in another type: written so, opened, and settled by *Normalise all*.
fn with_encoding(encoding: WeightEncoding) -> Session {
    let mut session = sample();
    if encoding == WeightEncoding::Float {
        return session;
    }
    let mut edits = Vec::new();
    for (mesh, m) in session.document().meshes.iter().enumerate() {
        for (primitive, p) in m.primitives.iter().enumerate() {
            let Some(map) = p.weights.as_deref() else { continue };
            let weights: Vec<f32> = map.weights.iter().map(|w| encoding.decode(encoding.encode(*w))).collect();
            let to = WeightMap { weights: weights.into(), encoding, ..map.clone() };
            edits.push(Edit::SetWeights { mesh: mesh.into(), primitive, to: to.into() });
        }
    }
    session.preview("Another type", edits).expect("it fits");
    session.commit(Vec::new());
    let bytes = session.pack("x").expect("it packs").bytes;
    let mut session = Session::open_bytes(&bytes).expect("the sample with whole weights");
    assert_eq!(map(session.document(), MeshId(0), 0).encoding, encoding);
    session.run(&CommandLine::new("weights.normalize")).expect("normalises");
    session
}

fn positions(document: &Document, canvas: &Canvas) -> (Vec<Vec3>, Vec<Vec3>) {
    let primitive =
        |p: &ulna::weights::CanvasPart| -> Primitive { document.mesh(p.mesh).primitives[p.primitive].clone() };
    let all: Vec<Primitive> = canvas.parts().iter().map(primitive).collect();
    (
        all.iter().flat_map(|p| p.positions.to_vec()).collect(),
        all.iter().flat_map(|p| ulna::motion::skinning::base_normals(p).to_vec()).collect(),
    )
}

/// What a random stroke is made of.
#[derive(Clone, Debug)]
struct Plan {
    encoding: WeightEncoding,
    brush: Brush,
    joint: usize,
    locked: Vec<usize>,
    limit: usize,
    dabs: Vec<(usize, f32)>,
}

fn plans() -> impl Strategy<Value = Plan> {
    let encoding = prop::sample::select(vec![WeightEncoding::Float, WeightEncoding::Short, WeightEncoding::Byte]);
    let kind = prop::sample::select(BrushKind::ALL.to_vec());
    let reach = prop::sample::select(Reach::ALL.to_vec());
    let falloff = prop::sample::select(Falloff::PRESETS.to_vec());
    let numbers = (0.05f32..1.0, 0.0f32..1.0, 0.02f32..0.3);
    let flags = prop::array::uniform3(any::<bool>());
    let lists = (prop::collection::vec(0usize..64, 0..6), prop::collection::vec((0usize..100_000, 0.2f32..1.0), 1..8));
    (encoding, kind, reach, falloff, numbers, flags, 0usize..64, 1usize..5, lists).prop_map(
        |(encoding, kind, reach, falloff, (strength, value, _), flags, joint, limit, (locked, dabs))| Plan {
            encoding,
            brush: Brush {
                kind,
                reach,
                falloff,
                strength,
                value,
                build_up: flags[0],
                front_only: flags[1],
                this_joint: flags[2],
                ..Brush::default()
            },
            joint,
            locked,
            limit,
            dabs,
        },
    )
}

/// Asserts the rule for every vertex that a patch touched.
fn rule_holds(before: &WeightMap, after: &WeightMap, vertices: &[u32], locked: &[bool], limit: usize) {
    for v in vertices {
        let v = *v as usize;
        let found = fault(after, v, limit.max(before.vertex(v).filter(|(_, w)| *w > 0.0).count()));
        assert_eq!(found, None, "vertex {v}: {:?}", after.vertex(v).collect::<Vec<_>>());
        let mut last = f32::INFINITY;
        for (_, w) in after.vertex(v) {
            assert!(w <= last, "not the strongest first");
            last = w;
        }
        // All slots of a joint together, as the file has them: where it gives a joint two, they become one.
        let stored = |m: &WeightMap, j: u16| match m.encoding {
            WeightEncoding::Float => m.weight(v, j).to_bits(),
            encoding => encoding.encode(m.weight(v, j)),
        };
        for (j, _) in before.vertex(v).chain(after.vertex(v)).filter(|(j, w)| locked[usize::from(*j)] && *w > 0.0) {
            assert_eq!(stored(after, j), stored(before, j), "joint {j} is locked");
        }
    }
}

/// What patches do to each vertex, to the bit.
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
    fn the_rule_holds_after_every_dab_and_undo_is_exact(plan in plans()) {
        let mut session = with_encoding(plan.encoding);
        let canvas = Canvas::new(session.document(), SkinId(0)).expect("a canvas");
        let opened = session.document().clone();
        let steps = session.history().done().len();
        let joints = canvas.joints().len();
        let mut locked = vec![false; joints];
        plan.locked.iter().for_each(|j| locked[j % joints] = true);
        let (positions, normals) = positions(session.document(), &canvas);
        let posed = PosedCanvas { positions: &positions, normals: &normals };
        let paint = Paint {
            brush: plan.brush,
            joint: (plan.joint % joints) as u16,
            locked: &locked,
            limit: plan.limit,
            mirror: None,
        };
        let mut stroke = Stroke::new(&canvas);
        // The same stroke for which a tree knows who is near, in an order of its own.
        let mut known = Stroke::new(&canvas);
        let mut near: Vec<u32> = (0..canvas.vertex_count() as u32).collect();
        near.sort_by_key(|v| (*v / 50).wrapping_mul(2_654_435_761));
        let mut touched = 0;
        let mut noted = std::collections::BTreeSet::new();
        session.take_changes();
        for (spot, radius) in &plan.dabs {
            let vertex = (spot % canvas.vertex_count()) as u32;
            let at = positions[vertex as usize];
            let touch = Touch { at, corners: [vertex; 3], direction: Vec3::NEG_Z, eye: None, radius: radius * 0.3 };
            let dab = Dab { touch, pressure: 1.0, motion: Vec3::new(0.01, 0.02, 0.0), near: None };
            let maps = canvas.maps(session.document());
            let patches = stroke.dab(&maps, &canvas, posed, &dab, &paint);
            let again = known.dab(&maps, &canvas, posed, &Dab { near: Some(&near), ..dab }, &paint);
            prop_assert_eq!(by_vertex(&again), by_vertex(&patches));
            prop_assert_eq!(known.refused(), stroke.refused());
            let hits = |s: &Stroke| s.last_hits().map(|(v, p)| (v, p.to_bits())).collect::<std::collections::BTreeSet<_>>();
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
                // Nobody else moved.
                let hit: std::collections::BTreeSet<u32> = vertices.into_iter().collect();
                for v in (0..after.vertex_count()).filter(|v| !hit.contains(&(*v as u32))) {
                    prop_assert!(before.vertex(v).eq(after.vertex(v)));
                }
            }
        }
        // What changed is told once, whichever dab it was.
        let mut told = Vec::new();
        for change in session.take_changes() {
            let Change::Weights { mesh, primitive, vertices: Some(list) } = change else { panic!("{change:?}") };
            prop_assert!(list.is_sorted_by(|a, b| a < b));
            told.extend(list.into_iter().map(|v| (mesh, primitive, v)));
        }
        prop_assert_eq!(told.iter().copied().collect::<std::collections::BTreeSet<_>>(), noted);
        let committed = session.commit(Vec::new());
        prop_assert_eq!(committed, *session.document() != opened);
        prop_assert!(touched > 0 || !committed);
        let painted = session.document().clone();
        if committed {
            // Its text form does the same, in a file that was opened anew.
            let lines = session.history().done().last().expect("a step").lines(&painted);
            let mut again = with_encoding(plan.encoding);
            for line in &lines {
                again.run(&CommandLine::parse(&line.to_string()).expect("a line")).expect("it replays");
            }
            prop_assert!(*again.document() == painted);
            // What is saved is what is shown.
            let saved = session.pack("x").expect("it packs");
            let back = Session::open_bytes(&saved.bytes).expect("it opens");
            for (k, mesh) in painted.meshes.iter().enumerate() {
                for (p, primitive) in mesh.primitives.iter().enumerate() {
                    prop_assert_eq!(&primitive.weights, &back.document().meshes[k].primitives[p].weights);
                }
            }
            session.undo();
        }
        prop_assert!(*session.document() == opened);
        prop_assert_eq!(session.history().done().len(), steps);
    }
}

/// A tool with its numbers.
#[derive(Clone, Debug)]
enum Tool {
    Normalize,
    Limit,
    Prune(f32),
    Quantize(u32),
    Smooth { passes: usize, amount: f32, by_distance: bool, one: bool },
    Hammer(f32),
    Flood { kind: BrushKind, value: f32, strength: f32 },
    Gradient { radial: bool, value: f32 },
    Average,
    Assign(f32),
    Sets(usize),
}

fn any_tool() -> impl Strategy<Value = Tool> {
    let kind = prop::sample::select(vec![BrushKind::Add, BrushKind::Subtract, BrushKind::Set, BrushKind::Scale]);
    prop_oneof![
        3 => Just(Tool::Normalize),
        2 => Just(Tool::Limit),
        2 => (0.0f32..0.6).prop_map(Tool::Prune),
        1 => (1u32..40).prop_map(Tool::Quantize),
        3 => (1usize..4, 0.1f32..1.0, any::<bool>(), any::<bool>())
            .prop_map(|(passes, amount, by_distance, one)| Tool::Smooth { passes, amount, by_distance, one }),
        2 => (0.0f32..0.5).prop_map(Tool::Hammer),
        2 => (kind, 0.0f32..1.2, 0.1f32..1.0)
            .prop_map(|(kind, value, strength)| Tool::Flood { kind, value, strength }),
        1 => (any::<bool>(), 0.0f32..1.0).prop_map(|(radial, value)| Tool::Gradient { radial, value }),
        1 => Just(Tool::Average),
        1 => (0.0f32..1.0).prop_map(Tool::Assign),
        1 => (2usize..4).prop_map(Tool::Sets),
    ]
}

impl Tool {
    fn run(&self, draft: &mut Draft<'_>, canvas: &Canvas, joint: u16, scope: &Scope<'_>) -> Refused {
        let wanted = |v: &u32| scope.vertices.is_none_or(|l| l[*v as usize]);
        let all = |list: &Influences| -> Vec<(u32, Influences)> {
            (0..canvas.vertex_count() as u32).filter(wanted).map(|v| (v, list.clone())).collect()
        };
        match *self {
            Self::Normalize => draft.normalize(scope),
            Self::Limit => draft.limit(scope),
            Self::Prune(below) => draft.prune(below, scope),
            Self::Quantize(steps) => draft.quantize(steps, scope),
            Self::Smooth { passes, amount, by_distance, one } => {
                draft.smooth(passes, amount, by_distance, one.then_some(joint), scope)
            }
            Self::Hammer(common) => draft.hammer(common, scope).1,
            Self::Flood { kind, value, strength } => {
                draft.flood(&Brush { kind, value, strength, ..Brush::default() }, joint, |_| 1.0, scope)
            }
            Self::Gradient { radial, value } => {
                let brush = Brush { kind: BrushKind::Set, value, strength: 1.0, ..Brush::default() };
                let amount = gradient(Vec3::ZERO, Vec3::new(0.2, 1.5, 0.0), radial, Falloff::Linear);
                let at = |v: u32| canvas.rest()[canvas.place_of(v) as usize];
                draft.flood(&brush, joint, |v| amount(at(v)), scope)
            }
            Self::Average => {
                let mean = draft.mean(scope);
                draft.put(scope, all(&mean))
            }
            Self::Assign(weight) => {
                let mut list = Influences::default();
                list.add(joint, weight);
                list.add((joint + 1) % canvas.joints().len() as u16, 1.0 - weight);
                draft.put(scope, all(&list))
            }
            Self::Sets(sets) => draft.set_sets(sets, scope),
        }
    }
}

/// A file with its weights in a type, packed once.
fn packed(encoding: WeightEncoding) -> &'static [u8] {
    static FILES: [OnceLock<Vec<u8>>; 3] = [const { OnceLock::new() }; 3];
    FILES[encoding as usize].get_or_init(|| with_encoding(encoding).pack("x").expect("it packs").bytes.to_vec())
}

/// Breaks every rule somewhere: vertex `v` by the `v`th of the harms, over and over; 0 is none.
fn harm(map: &WeightMap, harms: &[u8]) -> WeightMap {
    let (mut joints, mut weights) = (map.joints.to_vec(), map.weights.to_vec());
    let mut not_numbers = Vec::new();
    let stride = map.stride();
    for v in 0..map.vertex_count() {
        let range = v * stride..(v + 1) * stride;
        let (js, ws) = (&mut joints[range.clone()], &mut weights[range]);
        match harms[v % harms.len()] {
            1 => ws.iter_mut().for_each(|w| *w *= 0.7),
            2 => ws.fill(0.0),
            3 => js[1] = js[0],
            4 if map.encoding == WeightEncoding::Float => ws[3] = -0.25,
            5 if map.encoding == WeightEncoding::Float => {
                ws[0] = 0.0;
                not_numbers.push(v as u32);
            }
            6 => ws.reverse(),
            7 => ws[2] = 1.0,
            _ => {}
        }
        if map.encoding != WeightEncoding::Float {
            ws.iter_mut().for_each(|w| *w = map.encoding.decode(map.encoding.encode(*w)));
        }
    }
    WeightMap { joints: joints.into(), weights: weights.into(), not_numbers: not_numbers.into(), ..map.clone() }
}

/// The document with weights that break rules, unless `harms` says nothing else; times factors, or, `evened`, in few steps, so
/// that many are the same and ties are decided.
fn harmed(document: &Document, canvas: &Canvas, harms: &[u8], factors: &[f32], evened: bool) -> Document {
    let mut document = document.clone();
    for part in canvas.parts() {
        let mut to = harm(map(&document, part.mesh, part.primitive), harms);
        let stride = to.stride();
        for (v, slots) in to.weights.make_mut().chunks_exact_mut(stride).enumerate() {
            let factor = factors[v % factors.len()];
            slots.iter_mut().for_each(|w| *w = if evened { (*w * 4.0).ceil() / 8.0 } else { *w * factor });
        }
        // No quick way is for a map with weights that are no numbers.
        if harms.contains(&8) {
            to.not_numbers = [].into();
        }
        Arc::make_mut(&mut document.meshes[part.mesh.index()]).primitives[part.primitive].weights = Some(to.into());
    }
    document
}

/// The mean of the places around a vertex.
fn mean(canvas: &Canvas, maps: &Maps<'_>, vertex: u32, out: &mut Influences) {
    let ring = canvas.ring(canvas.place_of(vertex));
    for p in ring {
        let (joints, weights) = maps.slots(canvas.first_at(*p));
        for (j, w) in joints.iter().zip(weights).filter(|(_, w)| **w > 0.0) {
            out.add(*j, *w * (1.0 / ring.len() as f32));
        }
    }
}

fn bits(weights: &[f32]) -> Vec<u32> {
    weights.iter().map(|w| w.to_bits()).collect()
}

/// What is meant by a run of a tool.
#[derive(Clone, Debug)]
struct Job {
    encoding: WeightEncoding,
    tool: Tool,
    joint: usize,
    locked: Vec<usize>,
    limit: usize,
    /// Of sixteen neighbouring vertices, those that are meant; nothing: all.
    subset: Option<u16>,
    harms: Vec<u8>,
}

fn jobs() -> impl Strategy<Value = Job> {
    let encoding = prop::sample::select(vec![WeightEncoding::Float, WeightEncoding::Short, WeightEncoding::Byte]);
    let locked = prop::collection::vec(0usize..64, 0..20);
    let harms = prop_oneof![1 => Just(vec![0]), 2 => prop::collection::vec(0u8..8, 1..40)];
    (encoding, any_tool(), 0usize..64, locked, 1usize..6, prop::option::of(any::<u16>()), harms).prop_map(
        |(encoding, tool, joint, locked, limit, subset, harms)| Job {
            encoding,
            tool,
            joint,
            locked,
            limit,
            subset,
            harms,
        },
    )
}

fn edits(canvas: &Canvas, changes: Vec<(usize, PartChange)>) -> Vec<Edit> {
    let edit = |(k, change): (usize, PartChange)| {
        let (mesh, primitive) = (canvas.parts()[k].mesh, canvas.parts()[k].primitive);
        match change {
            PartChange::Patch(patch) => Edit::PatchWeights { mesh, primitive, patch: Box::new(patch) },
            PartChange::Whole(map) => Edit::SetWeights { mesh, primitive, to: Arc::new(map) },
        }
    };
    changes.into_iter().map(edit).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_rule_holds_after_every_tool_and_undo_is_exact(job in jobs()) {
        let mut session = Session::open_bytes(packed(job.encoding)).expect("the sample");
        let canvas = Canvas::new(session.document(), SkinId(0)).expect("a canvas");
        let harmed = canvas.parts().iter().map(|p| {
            let to = harm(map(session.document(), p.mesh, p.primitive), &job.harms);
            Edit::SetWeights { mesh: p.mesh, primitive: p.primitive, to: to.into() }
        });
        let harmed: Vec<Edit> = harmed.collect();
        session.preview("Harm", harmed).expect("it fits");
        session.commit(Vec::new());
        let start = session.document().clone();
        let steps = session.history().done().len();
        let joints = canvas.joints().len();
        let mut locked = vec![false; joints];
        job.locked.iter().for_each(|j| locked[j % joints] = true);
        let subset: Option<Vec<bool>> =
            job.subset.map(|bits| (0..canvas.vertex_count()).map(|v| bits >> (v % 16) & 1 == 1).collect());
        let scope = Scope { locked: &locked, limit: job.limit, vertices: subset.as_deref() };
        let mut draft = Draft::new(&start, &canvas);
        let refused = job.tool.run(&mut draft, &canvas, (job.joint % joints) as u16, &scope);
        let changes = draft.changes(&start);
        let any = !changes.is_empty();
        session.preview("Tool", edits(&canvas, changes)).expect("it fits");
        prop_assert_eq!(session.commit(Vec::new()), any);
        let mut broken = 0;
        for part in canvas.parts() {
            let before = map(&start, part.mesh, part.primitive);
            let after = map(session.document(), part.mesh, part.primitive);
            prop_assert_eq!(after.encoding, before.encoding);
            let limit = job.limit.min(after.stride());
            let mut touched = Vec::new();
            for v in 0..before.vertex_count() {
                let meant = subset.as_ref().is_none_or(|s| s[part.first as usize + v]);
                let not_number = |m: &WeightMap| m.not_numbers.binary_search(&(v as u32)).is_ok();
                // Slots that were added hold nothing.
                let bits = |m: &WeightMap| {
                    let all = m.vertex(v).map(|(j, w)| (j, w.to_bits()));
                    all.take(before.stride()).collect::<Vec<_>>()
                };
                if bits(before) != bits(after) || not_number(before) != not_number(after) {
                    prop_assert!(meant, "vertex {} is not meant", v);
                    touched.push(v as u32);
                }
                broken += usize::from(meant && fault(after, v, limit).is_some());
                let many = Influences::of(after, v).len() > job.limit;
                if let Tool::Limit = job.tool && meant && many {
                    prop_assert!(!refused.is_empty(), "vertex {} has too many", v);
                }
            }
            rule_holds(before, after, &touched, &locked, limit);
        }
        if let Tool::Normalize = job.tool {
            // What is not mended was refused, and is counted.
            prop_assert_eq!(broken, refused.values().sum::<usize>(), "{:?}", refused);
        }
        let saved = session.pack("x").expect("it packs");
        let back = Session::open_bytes(&saved.bytes).expect("it opens");
        for part in canvas.parts() {
            let (now, back) =
                (map(session.document(), part.mesh, part.primitive), map(back.document(), part.mesh, part.primitive));
            // A weight that is no number is saved as the 0 that is shown, once its vertices are written.
            prop_assert_eq!(&now.joints, &back.joints);
            prop_assert_eq!(&now.weights, &back.weights);
        }
        if any {
            session.undo();
        }
        prop_assert!(*session.document() == start);
        prop_assert_eq!(session.history().done().len(), steps);
    }

    #[test]
    fn a_painted_value_is_reached_where_somebody_else_can_take_the_rest(
        encoding in prop::sample::select(vec![WeightEncoding::Float, WeightEncoding::Short, WeightEncoding::Byte]),
        value in 0.0f32..1.0,
        joint in 0usize..64,
        spot in 0usize..100_000,
        radius in 0.02f32..0.4,
        locked in prop::collection::vec(0usize..64, 0..8),
    ) {
        let session = Session::open_bytes(packed(encoding)).expect("the sample");
        let document = session.document();
        let canvas = Canvas::new(document, SkinId(0)).expect("a canvas");
        let joints = canvas.joints().len();
        let joint = (joint % joints) as u16;
        let mut is_locked = vec![false; joints];
        locked.iter().for_each(|j| is_locked[j % joints] = *j % joints != usize::from(joint));
        let (positions, normals) = positions(document, &canvas);
        let vertex = (spot % canvas.vertex_count()) as u32;
        let at = positions[vertex as usize];
        let touch = Touch { at, corners: [vertex; 3], direction: Vec3::NEG_Z, eye: None, radius };
        let brush = Brush {
            kind: BrushKind::Set,
            value,
            strength: 1.0,
            falloff: Falloff::Constant,
            reach: Reach::Volume,
            front_only: false,
            ..Brush::default()
        };
        let paint = Paint { brush, joint, locked: &is_locked, limit: 4, mirror: None };
        let mut stroke = Stroke::new(&canvas);
        let posed = PosedCanvas { positions: &positions, normals: &normals };
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
            let used: Vec<(u16, f32)> = before.vertex(own as usize).filter(|(_, w)| *w > 0.0).collect();
            let held: f32 = used.iter().filter(|(j, _)| is_locked[usize::from(*j)]).map(|(_, w)| w).sum();
            let keeps = used.iter().filter(|(j, _)| is_locked[usize::from(*j)]).count();
            let others = used.iter().any(|(j, w)| *j != joint && !is_locked[usize::from(*j)] && *w > 0.0);
            let now = maps[part].weight(own as usize, joint);
            if others && keeps + 2 <= 4 {
                let wanted = value.min(1.0 - held);
                let off = (now - wanted).abs();
                prop_assert!(off <= encoding.step().max(1e-6), "vertex {v}: {now} instead of {wanted}");
            }
        }
    }

    #[test]
    fn smoothing_draws_a_patch_towards_the_mean_of_its_neighbours(
        spot in 0usize..100_000,
        amount in 0.3f32..1.0,
        by_distance in any::<bool>(),
    ) {
        let session = sample();
        let document = session.document();
        let canvas = Canvas::new(document, SkinId(0)).expect("a canvas");
        let middle = (spot % canvas.place_count()) as u32;
        // A place with those around it; every second one holds another joint.
        let mut places = vec![middle];
        places.extend(canvas.ring(middle));
        let mut only = vec![false; canvas.vertex_count()];
        places.iter().for_each(|p| canvas.vertices_at(*p).iter().for_each(|v| only[*v as usize] = true));
        let locked = vec![false; canvas.joints().len()];
        let scope = Scope { locked: &locked, limit: 16, vertices: Some(&only) };
        let mut draft = Draft::new(document, &canvas);
        // Room for all that comes from around.
        draft.set_sets(4, &scope);
        let alone = |joint: u16| {
            let mut list = Influences::default();
            list.add(joint, 1.0);
            list
        };
        let odd = places.iter().enumerate().flat_map(|(k, p)| {
            let joint = (k % 2 * 7 + 1) as u16;
            canvas.vertices_at(*p).iter().map(move |v| (*v, joint))
        });
        let odd: Vec<(u32, Influences)> = odd.map(|(v, joint)| (v, alone(joint))).collect();
        prop_assert!(draft.put(&scope, odd).is_empty());
        let own = |draft: &Draft<'_>, p: u32| {
            let (part, v) = canvas.part_of(canvas.vertices_at(p)[0]);
            Influences::of(draft.map(part), v as usize)
        };
        // What a place and the mean of its neighbours do not have in common.
        let apart = |draft: &Draft<'_>| -> f32 {
            let one = |p: &u32| {
                let mut mean = Influences::default();
                let ring = canvas.ring(*p);
                let length = |q: &u32| canvas.rest()[*p as usize].distance(canvas.rest()[*q as usize]);
                let part = |q: &u32| if by_distance { 1.0 / length(q) } else { 1.0 };
                let all: f32 = ring.iter().map(part).sum();
                ring.iter().for_each(|q| mean.add_all(&own(draft, *q), part(q) / all));
                1.0 - in_common(&own(draft, *p), &mean)
            };
            places.iter().filter(|p| !canvas.ring(**p).is_empty()).map(one).sum()
        };
        let before = apart(&draft);
        let mut last = before;
        for _ in 0..4 {
            draft.smooth(15, amount, by_distance, None, &scope);
            let now = apart(&draft);
            prop_assert!(now <= last + 1e-4, "{now} after {last}");
            last = now;
        }
        prop_assert!(before < 1e-3 || last < 0.25 * before, "{last} of {before}");
        for p in &places {
            for v in canvas.vertices_at(*p) {
                let (part, own) = canvas.part_of(*v);
                prop_assert_eq!(fault(draft.map(part), own as usize, 16), None);
            }
        }
    }

    #[test]
    fn the_quick_ways_of_tools_are_the_rule_itself(
        harms in prop::collection::vec(0u8..9, 1..60),
        factors in prop::collection::vec(0.3f32..1.7, 1..60),
        (tool, evened) in (0usize..4, any::<bool>()),
        (below, strength) in (0.0f32..0.4, 0.1f32..1.0),
        joint in 0usize..64,
        locked in prop::collection::vec(0usize..64, 0..20),
    ) {
        let session = sample();
        let canvas = Canvas::new(session.document(), SkinId(0)).expect("a canvas");
        let document = harmed(session.document(), &canvas, &harms, &factors, evened);
        let joints = canvas.joints().len();
        let joint = (joint % joints) as u16;
        let mut is_locked = vec![false; joints];
        locked.iter().for_each(|j| is_locked[j % joints] = *j % joints != usize::from(joint));
        let maps = canvas.maps(&document);
        let mut draft = Draft::new(&document, &canvas);
        let scope = Scope { locked: &is_locked, limit: 4, vertices: None };
        let brush = Brush { kind: BrushKind::Add, value: 1.0, strength, ..Brush::default() };
        let (axis, offset, partners) = mirror_partners(&document, SkinId(0));
        let mirror = MirrorMap::near(&canvas, axis, offset, partners);
        match tool {
            0 => draft.normalize(&scope),
            1 => draft.prune(below, &scope),
            2 => draft.flood(&brush, joint, |_| 1.0, &scope),
            _ => draft.mirror(&mirror, axis, offset, true, &scope),
        };
        let mut compared = 0;
        for v in 0..canvas.vertex_count() as u32 {
            let (part, own) = canvas.part_of(v);
            let place = canvas.place_of(v);
            let partner = mirror.place(place);
            let map = maps.part(part);
            let pairs = if tool == 3 { mirror.joints() } else { &[] };
            let (locked, parents, encoding) = (&is_locked[..], canvas.parents(), map.encoding);
            let rule = Rule { locked, parents, limit: 4, encoding, pairs, turned: tool == 3 && partner < place };
            let (mut joints, mut weights) = (maps.slots(v).0.to_vec(), maps.slots(v).1.to_vec());
            let mut list = Influences::default();
            let done = list.read(&joints, &weights, &rule).and_then(|()| match tool {
                0 if fault(map, own as usize, 4).is_none() => Ok(false),
                0 => normalize(&mut list, &rule).map(|()| true),
                1 => {
                    let strongest = list.iter().map(|(_, w)| w).fold(0.0, f32::max);
                    let mut kept = Influences::default();
                    let stays = |j: u16, w: f32| is_locked[usize::from(j)] || w >= below || w == strongest;
                    list.iter().filter(|(j, w)| stays(*j, *w)).for_each(|(j, w)| kept.add(j, w));
                    if list.iter().all(|(_, w)| w >= below) {
                        return Ok(false);
                    }
                    list = kept;
                    normalize(&mut list, &rule).map(|()| true)
                }
                2 => {
                    let wish = brush.value_for(list.get(joint), strength);
                    let around = |out: &mut Influences| mean(&canvas, &maps, v, out);
                    ulna::weights::paint(&mut list, &[(joint, wish)], &rule, around).map(|()| true)
                }
                _ if partner == NOWHERE || canvas.rest()[place as usize][axis] > offset => Ok(false),
                _ => {
                    let mut turned = Influences::default();
                    let (joints, weights) = maps.slots(canvas.first_at(partner));
                    for (j, w) in joints.iter().zip(weights).filter(|(_, w)| **w > 0.0) {
                        let other = mirror.joint(*j);
                        turned.add(if other == u16::MAX { *j } else { other }, *w);
                    }
                    blend(&mut list, &turned, 1.0, &rule).map(|()| true)
                }
            });
            // Left out: what normalising fills from around, and what lies on the plane.
            if (tool == 0 && done == Err(Refusal::NobodyTakes)) || (tool == 3 && partner == place) {
                continue;
            }
            compared += 1;
            if done == Ok(true) {
                list.write(&mut joints, &mut weights);
            }
            let slots = own as usize * 4..own as usize * 4 + 4;
            prop_assert_eq!(&draft.map(part).joints[slots.clone()], &joints[..], "vertex {} from {:?}", v, maps.slots(v));
            let now = &draft.map(part).weights[slots];
            prop_assert_eq!(bits(now), bits(&weights), "vertex {} from {:?}", v, maps.slots(v));
        }
        prop_assert!(compared > canvas.vertex_count() / 4);
    }

    #[test]
    fn the_quick_way_to_paint_is_the_rule_itself(
        harms in prop::collection::vec(0u8..9, 1..60),
        factors in prop::collection::vec(0.3f32..1.7, 1..60),
        kind in prop::sample::select(vec![BrushKind::Add, BrushKind::Subtract, BrushKind::Set, BrushKind::Scale]),
        (value, strength) in (0.0f32..2.0, 0.05f32..1.0),
        joint in 0usize..64,
        locked in prop::collection::vec(0usize..64, 0..30),
        evened in any::<bool>(),
    ) {
        let session = sample();
        let canvas = Canvas::new(session.document(), SkinId(0)).expect("a canvas");
        let document = harmed(session.document(), &canvas, &harms, &factors, evened);
        let joints = canvas.joints().len();
        let joint = (joint % joints) as u16;
        let mut is_locked = vec![false; joints];
        locked.iter().for_each(|j| is_locked[j % joints] = *j % joints != usize::from(joint));
        let (positions, normals) = positions(&document, &canvas);
        let posed = PosedCanvas { positions: &positions, normals: &normals };
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
        let touch = Touch { at: positions[0], corners: [0; 3], direction: Vec3::NEG_Z, eye: None, radius: 100.0 };
        let dab = Dab { touch, pressure: 1.0, motion: Vec3::ZERO, near: None };
        let maps = canvas.maps(&document);
        let patches = Stroke::new(&canvas).dab(&maps, &canvas, posed, &dab, &paint);
        let mut painted: Vec<WeightMap> = (0..canvas.parts().len()).map(|k| maps.part(k).clone()).collect();
        for (part, mut patch) in patches {
            painted[part].swap(&mut patch);
        }
        for v in 0..canvas.vertex_count() as u32 {
            let (part, own) = canvas.part_of(v);
            let rule = Rule {
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
                ulna::weights::paint(&mut list, &[(joint, wish)], &rule, around)
            });
            if done.is_ok() {
                list.write(&mut joints, &mut weights);
            }
            let slots = own as usize * 4..own as usize * 4 + 4;
            prop_assert_eq!(&painted[part].joints[slots.clone()], &joints[..], "vertex {} from {:?}", v, maps.slots(v));
            prop_assert_eq!(bits(&painted[part].weights[slots]), bits(&weights), "vertex {} from {:?}", v, maps.slots(v));
        }
    }

    #[test]
    fn a_brush_along_the_surface_takes_the_shortest_way(
        spot in 0usize..100_000,
        radius in 0.01f32..0.5,
        aside in prop::array::uniform3(-0.5f32..0.5),
    ) {
        let session = sample();
        let document = session.document();
        let canvas = Canvas::new(document, SkinId(0)).expect("a canvas");
        let (positions, normals) = positions(document, &canvas);
        let vertex = (spot % canvas.vertex_count()) as u32;
        let at = positions[vertex as usize] + Vec3::from(aside) * radius;
        let touch = Touch { at, corners: [vertex; 3], direction: Vec3::NEG_Z, eye: None, radius };
        let posed = PosedCanvas { positions: &positions, normals: &normals };
        let brush = Brush { reach: Reach::Surface, front_only: false, ..Brush::default() };
        let locked = vec![false; canvas.joints().len()];
        let paint = Paint { brush, joint: 0, locked: &locked, limit: 4, mirror: None };
        let dab = Dab { touch, pressure: 1.0, motion: Vec3::ZERO, near: None };
        // Twice in the same memory: nothing is left behind.
        let mut stroke = Stroke::new(&canvas);
        for _ in 0..2 {
            stroke.dab(&canvas.maps(document), &canvas, posed, &dab, &paint);
        }
        let mut hits: Vec<(u32, f32)> = stroke.last_hits().collect();
        // Every edge again and again, until no way gets shorter.
        let place = |p: u32| positions[canvas.first_at(p) as usize];
        let mut way = vec![f32::INFINITY; canvas.place_count()];
        let start = place(canvas.place_of(vertex)).distance(at);
        if start < 1.3 * radius {
            way[canvas.place_of(vertex) as usize] = start;
        }
        loop {
            let mut shorter = false;
            for p in 0..canvas.place_count() as u32 {
                let here = way[p as usize];
                for q in canvas.ring(p) {
                    let there = here + place(p).distance(place(*q));
                    let inside = there < 1.3 * radius && place(*q).distance_squared(at) < radius * radius;
                    if inside && there < way[*q as usize] {
                        way[*q as usize] = there;
                        shorter = true;
                    }
                }
            }
            if !shorter {
                break;
            }
        }
        let mut wanted = Vec::new();
        for p in 0..canvas.place_count() as u32 {
            let (way, straight) = (way[p as usize], place(p).distance(at));
            let distance = if way <= straight * 1.3 { straight } else { way };
            if distance < radius {
                wanted.extend(canvas.vertices_at(p).iter().map(|v| (*v, 1.0 - distance / radius)));
            }
        }
        hits.sort_by_key(|(v, _)| *v);
        wanted.sort_by_key(|(v, _)| *v);
        prop_assert_eq!(hits, wanted);
    }
}
