//! Weight tools: after every tool, weights are normalized. The vectorized code gives the same
//! results as the general code.

use crate::common::{
    sample,
    weights::{bits, harm, harmed, map, mean, packed, partners, rule_holds, sheet},
};
use glam::Vec3;
use proptest::prelude::*;
use ulna_edit::{CommandLine, Edit};
use ulna_geometry::PointId;
use ulna_model::{
    Document, JointSlot, MeshId, PrimitiveId, Shared, SkinId, Transform, WeightEncoding, WeightMap,
};
use ulna_motion::{Placement, Pose, Posed, Stack, skinning};
use ulna_session::Session;
use ulna_weights::{
    Brush, BrushKind, Falloff, Influences, MirrorMap, PartChange, Refusal, Refused, Scope,
    SkinnedSurface, WeightConstraints, WorkingWeights, blend, fault, gradient, in_common,
    moved_by_storing, normalize,
};

/// A tool with its parameters.
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
    Swap(u16),
    Merge(u16),
    PruneOf(f32),
}

fn any_tool() -> impl Strategy<Value = Tool> {
    let kind = prop::sample::select(vec![
        BrushKind::Add,
        BrushKind::Subtract,
        BrushKind::Replace,
        BrushKind::Scale,
    ]);
    prop_oneof![
        3 => Just(Tool::Normalize),
        2 => Just(Tool::Limit),
        2 => (0.0f32..0.6).prop_map(Tool::Prune),
        1 => (1u32..40).prop_map(Tool::Quantize),
        3 => (1usize..4, 0.1f32..1.0, any::<bool>(), any::<bool>())
            .prop_map(|(passes, amount, by_distance, one)| Tool::Smooth { passes, amount,
                by_distance, one }),
        2 => (0.0f32..0.5).prop_map(Tool::Hammer),
        2 => (kind, 0.0f32..1.2, 0.1f32..1.0)
            .prop_map(|(kind, value, strength)| Tool::Flood { kind, value, strength }),
        1 => (any::<bool>(),
            0.0f32..1.0).prop_map(|(radial, value)| Tool::Gradient { radial, value }),
        1 => Just(Tool::Average),
        1 => (0.0f32..1.0).prop_map(Tool::Assign),
        1 => (2usize..4).prop_map(Tool::Sets),
        1 => (0u16..64).prop_map(Tool::Swap),
        1 => (0u16..64).prop_map(Tool::Merge),
        1 => (0.0f32..0.6).prop_map(Tool::PruneOf),
    ]
}

impl Tool {
    fn run(
        &self,
        draft: &mut WorkingWeights<'_>,
        canvas: &SkinnedSurface,
        joint: u16,
        scope: &Scope<'_>,
    ) -> Refused {
        let wanted = |v: &u32| scope.vertices.is_none_or(|l| l[*v as usize]);
        let all = |list: &Influences| -> Vec<(u32, Influences)> {
            (0..canvas.vertex_count() as u32).filter(wanted).map(|v| (v, list.clone())).collect()
        };
        match *self {
            Self::Normalize => draft.normalize(scope),
            Self::Limit => draft.limit(scope),
            Self::Swap(other) => draft.swap_joints(joint, other % scope.locked.len() as u16, scope),
            Self::Merge(other) => {
                draft.merge_joints(&[other % scope.locked.len() as u16], joint, scope)
            }
            Self::PruneOf(below) => draft.prune_joints(&[joint], below, scope),
            Self::Prune(below) => draft.prune(below, scope),
            Self::Quantize(steps) => draft.quantize(steps, scope),
            Self::Smooth { passes, amount, by_distance, one } => {
                draft.smooth(passes, amount, by_distance, one.then_some(joint), scope)
            }
            Self::Hammer(common) => draft.hammer(common, scope).1,
            Self::Flood { kind, value, strength } => draft.flood(
                &Brush { kind, value, strength, ..Brush::default() },
                joint,
                |_| 1.0,
                scope,
            ),
            Self::Gradient { radial, value } => {
                let brush =
                    Brush { kind: BrushKind::Replace, value, strength: 1.0, ..Brush::default() };
                let amount =
                    gradient(Vec3::ZERO, Vec3::new(0.2, 1.5, 0.0), radial, Falloff::Linear);
                let at = |v: u32| canvas.rest()[canvas.point_of(v).index()];
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

/// Parameters of one run of a tool.
#[derive(Clone, Debug)]
struct Job {
    encoding: WeightEncoding,
    tool: Tool,
    joint: usize,
    locked: Vec<usize>,
    limit: usize,
    /// Bit per vertex, repeated every sixteen vertices: whether the vertex is selected. `None`
    /// selects all.
    subset: Option<u16>,
    harms: Vec<u8>,
}

fn jobs() -> impl Strategy<Value = Job> {
    let encoding = prop::sample::select(vec![
        WeightEncoding::Float,
        WeightEncoding::Short,
        WeightEncoding::Byte,
    ]);
    let locked = prop::collection::vec(0usize..64, 0..20);
    let harms = prop_oneof![1 => Just(vec![0]), 2 => prop::collection::vec(0u8..8, 1..40)];
    (encoding, any_tool(), 0usize..64, locked, 1usize..6, prop::option::of(any::<u16>()), harms)
        .prop_map(|(encoding, tool, joint, locked, limit, subset, harms)| Job {
            encoding,
            tool,
            joint,
            locked,
            limit,
            subset,
            harms,
        })
}

fn edits(canvas: &SkinnedSurface, changes: Vec<(usize, PartChange)>) -> Vec<Edit> {
    let edit = |(k, change): (usize, PartChange)| {
        let (mesh, primitive) = (canvas.parts()[k].mesh, canvas.parts()[k].primitive);
        match change {
            PartChange::Patch(patch) => {
                Edit::PatchWeights { mesh, primitive, patch: Box::new(patch) }
            }
            PartChange::Whole(map) => Edit::SetWeights { mesh, primitive, to: Shared::new(map) },
        }
    };
    changes.into_iter().map(edit).collect()
}

/// Whether slots have the mirror image of other slots, in any order.
fn is_image(own: (&[u16], &[f32]), other: (&[u16], &[f32]), mirror: &MirrorMap) -> bool {
    let held = |(joints, weights): (&[u16], &[f32]), across: bool| {
        let slots = joints.iter().zip(weights).filter(|(_, w)| **w != 0.0);
        let mut list: Vec<(u16, f32)> = slots
            .map(|(j, w)| (if across { mirror.across(JointSlot(*j)).0 } else { *j }, *w))
            .collect();
        list.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        list
    };
    let (own, other) = (held(own, false), held(other, true));
    own.len() == other.len()
        && own.windows(2).all(|two| two[0].0 != two[1].0)
        && own.iter().zip(&other).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() <= 1.2e-7)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None,
        ..ProptestConfig::default() })]

    #[test]
    fn weights_stay_valid_after_every_tool_and_undo_is_exact(job in jobs()) {
        let mut session = Session::open_bytes(packed(job.encoding)).expect("the sample");
        let canvas = SkinnedSurface::new(session.document(), SkinId(0)).expect("a canvas");
        let harmed = canvas.parts().iter().map(|p| {
            let to = harm(map(session.document(), p.mesh, p.primitive), &job.harms);
            Edit::SetWeights { mesh: p.mesh, primitive: p.primitive, to: to.into() }
        });
        let harmed: Vec<Edit> = harmed.collect();
        session.preview("Harm", harmed).expect("it fits");
        session.commit();
        let start = session.document().clone();
        let steps = session.history().done().len();
        let joints = canvas.joints().len();
        let mut locked = vec![false; joints];
        job.locked.iter().for_each(|j| locked[j % joints] = true);
        let subset: Option<Vec<bool>> =
            job.subset.map(|bits| (0..canvas.vertex_count()).map(|v| bits >> (v % 16) & 1
                == 1).collect());
        let scope = Scope { locked: &locked, limit: job.limit, vertices: subset.as_deref() };
        let mut draft = WorkingWeights::new(&start, &canvas);
        let refused = job.tool.run(&mut draft, &canvas, (job.joint % joints) as u16, &scope);
        let changes = draft.changes(&start);
        let any = !changes.is_empty();
        session.preview("Tool", edits(&canvas, changes)).expect("it fits");
        prop_assert_eq!(session.commit(), any);
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
                // Added slots are empty.
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
            // Vertices that were not repaired are counted as refused.
            prop_assert_eq!(broken, refused.values().sum::<usize>(), "{:?}", refused);
        }
        let saved = session.pack("x").expect("it packs");
        let back = Session::open_bytes(&saved.bytes).expect("it opens");
        for part in canvas.parts() {
            let (now, back) =
                (map(session.document(), part.mesh, part.primitive),
                    map(back.document(), part.mesh, part.primitive));
            // A NaN weight is displayed as 0. It is saved as 0 as soon as its vertices are written.
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
    fn smoothing_moves_a_patch_toward_the_mean_of_its_neighbors(
        spot in 0usize..100_000,
        amount in 0.3f32..1.0,
        by_distance in any::<bool>(),
    ) {
        let session = sample();
        let document = session.document();
        let canvas = SkinnedSurface::new(document, SkinId(0)).expect("a canvas");
        let middle = PointId::from(spot % canvas.point_count());
        // A point with its neighbors. Every second neighbor has another joint.
        let mut places = vec![middle];
        places.extend(canvas.ring(middle));
        let mut only = vec![false; canvas.vertex_count()];
        places.iter().for_each(|p| canvas.vertices_at(*p).iter().for_each(|v| only[*v as usize] =
            true));
        let locked = vec![false; canvas.joints().len()];
        let scope = Scope { locked: &locked, limit: 16, vertices: Some(&only) };
        let mut draft = WorkingWeights::new(document, &canvas);
        // Makes room for all influences of the neighbors.
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
        let own = |draft: &WorkingWeights<'_>, p: PointId| {
            let (part, v) = canvas.part_of(canvas.vertices_at(p)[0]);
            Influences::of(draft.map(part), v as usize)
        };
        // Returns the difference between a point and the mean of its neighbors.
        let apart = |draft: &WorkingWeights<'_>| -> f32 {
            let one = |p: &PointId| {
                let mut mean = Influences::default();
                let ring = canvas.ring(*p);
                let length =
                    |q: &PointId| canvas.rest()[p.index()].distance(canvas.rest()[q.index()]);
                let part = |q: &PointId| if by_distance { 1.0 / length(q) } else { 1.0 };
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
    fn vectorized_weight_tools_equal_the_scalar_kernel(
        harms in prop::collection::vec(0u8..9, 1..60),
        factors in prop::collection::vec(0.3f32..1.7, 1..60),
        (tool, evened) in (0usize..4, any::<bool>()),
        (below, strength) in (0.0f32..0.4, 0.1f32..1.0),
        joint in 0usize..64,
        locked in prop::collection::vec(0usize..64, 0..20),
        subset in prop::option::of(any::<u16>()),
    ) {
        let session = sample();
        let canvas = SkinnedSurface::new(session.document(), SkinId(0)).expect("a canvas");
        let document = harmed(session.document(), &canvas, &harms, &factors, evened);
        let joints = canvas.joints().len();
        let joint = (joint % joints) as u16;
        let mut is_locked = vec![false; joints];
        locked.iter().for_each(|j| is_locked[j % joints] = *j % joints != usize::from(joint));
        let maps = canvas.maps(&document);
        let mut draft = WorkingWeights::new(&document, &canvas);
        let is_in = |bits: u16, v: usize| bits >> (v % 16) & 1 == 1;
        let count = canvas.vertex_count();
        let subset = subset.map(|b| (0..count).map(|v| is_in(b, v)).collect::<Vec<bool>>());
        let scope = Scope { locked: &is_locked, limit: 4, vertices: subset.as_deref() };
        let brush = Brush { kind: BrushKind::Add, value: 1.0, strength, ..Brush::default() };
        let (axis, offset, joints) = partners(&document);
        let mirror = MirrorMap::near(&canvas, axis, offset, joints);
        match tool {
            0 => draft.normalize(&scope),
            1 => draft.prune(below, &scope),
            2 => draft.flood(&brush, joint, |_| 1.0, &scope),
            _ => draft.mirror(&mirror, axis, offset, true, &scope),
        };
        let mut compared = 0;
        for v in 0..count as u32 {
            let ((part, own), point) = (canvas.part_of(v), canvas.point_of(v));
            let partner = mirror.point(point);
            let map = maps.part(part);
            let pairs = if tool == 3 { mirror.joints() } else { &[] };
            let (locked, parents, encoding) = (&is_locked[..], canvas.parents(), map.encoding);
            let rule = WeightConstraints { locked, parents, limit: 4, encoding, pairs,
                turned: tool == 3 && partner.is_some_and(|p| p < point) };
            let (mut joints, mut weights) = (maps.slots(v).0.to_vec(), maps.slots(v).1.to_vec());
            let mut list = Influences::default();
            let done = list.read(&joints, &weights, &rule).and_then(|()| match tool {
                _ if subset.as_ref().is_some_and(|l| !l[v as usize]) => Ok(false),
                0 if fault(map, own as usize, 4).is_none() => Ok(false),
                0 => normalize(&mut list, &rule).map(|()| true),
                1 => {
                    let strongest = list.iter().map(|(_, w)| w).fold(0.0, f32::max);
                    let mut kept = Influences::default();
                    let stays = |j: u16, w: f32| is_locked[usize::from(j)] || w >= below || w
                        == strongest;
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
                    ulna_weights::paint(&mut list, &[(joint, wish)], &rule, around).map(|()| true)
                }
                _ if canvas.rest()[point.index()][axis] > offset => Ok(false),
                _ => {
                    let Some(partner) = partner else { return Ok(false) };
                    let slots = maps.slots(canvas.first_at(partner));
                    // An existing mirror image is kept as stored.
                    if map.not_numbers.binary_search(&own).is_err()
                        && is_image(maps.slots(v), slots, &mirror)
                    {
                        return Ok(false);
                    }
                    let mut turned = Influences::default();
                    for (j, w) in slots.0.iter().zip(slots.1).filter(|(_, w)| **w > 0.0) {
                        turned.add(mirror.joint(JointSlot(*j)).map_or(*j, |other| other.0), *w);
                    }
                    blend(&mut list, &turned, 1.0, &rule).map(|()| true)
                }
            });
            // Not compared: vertices that normalizing fills from their neighbors, and points on the
            // mirror plane.
            if (tool == 0 && done == Err(Refusal::NobodyTakes))
                || (tool == 3 && partner == Some(point))
            {
                continue;
            }
            compared += 1;
            if done == Ok(true) {
                list.write(&mut joints, &mut weights);
            }
            let slots = own as usize * 4..own as usize * 4 + 4;
            prop_assert_eq!(&draft.map(part).joints[slots.clone()], &joints[..],
                "vertex {} from {:?}", v, maps.slots(v));
            let now = &draft.map(part).weights[slots];
            prop_assert_eq!(bits(now), bits(&weights), "vertex {} from {:?}", v, maps.slots(v));
        }
        // With locks, normalizing can fill most vertices from their neighbors.
        prop_assert!(compared > canvas.vertex_count() / 4 || tool == 0);
    }

    #[test]
    fn converting_the_weight_type_keeps_weights_within_its_precision(
        (from, to) in (encodings(), encodings()),
        named in any::<bool>(),
        keep in prop::collection::vec(0.02f32..1.0, 1..9),
    ) {
        let mut session = Session::open_bytes(packed(from)).expect("the sample");
        // Weights that no integer type stores exactly.
        let canvas = SkinnedSurface::new(session.document(), SkinId(0)).expect("a canvas");
        let mut draft = WorkingWeights::new(session.document(), &canvas);
        let locked = vec![false; canvas.joints().len()];
        let scope = Scope { locked: &locked, limit: 4, vertices: None };
        let brush = Brush { kind: BrushKind::Scale, value: 0.0, strength: 1.0, ..Brush::default() };
        draft.flood(&brush, 3, |v| keep[v as usize % keep.len()], &scope);
        let changes = draft.changes(session.document());
        session.preview("Uneven", edits(&canvas, changes)).expect("it fits");
        session.commit();
        let mut before = session.document().clone();
        // Bends the joints, so that weights affect the surface.
        let bend = Transform { rotation: glam::Quat::from_rotation_x(0.4), ..Transform::IDENTITY };
        for joint in canvas.joints().iter().step_by(3) {
            before.file.nodes.get_mut(*joint).expect("a node").set_user(Some(bend));
        }
        let bits = match to { WeightEncoding::Byte => 8, WeightEncoding::Short => 16,
            WeightEncoding::Float => 32 };
        let pose = Pose::evaluate(&before, &Stack::default());
        let foreseen = moved_by_storing(&before, &canvas, &pose, to);
        prop_assert!(from != WeightEncoding::Float || to == from
            || foreseen.iter().any(|d| *d > 0.0));
        let line = CommandLine::new("weights.store").with("bits", bits);
        let only = canvas.parts()[0];
        let line = if named { line.with("mesh", format!("#{}", only.mesh.0)) } else { line };
        prop_assert_eq!(session.run_line(&line).expect("it is stored"), from != to);
        let mut compared = 0;
        for part in canvas.parts() {
            let (old, new) =
                (map(&before, part.mesh, part.primitive),
                    map(session.document(), part.mesh, part.primitive));
            if named && part.mesh != only.mesh {
                prop_assert!(old == new);
                continue;
            }
            prop_assert_eq!(new.encoding, to);
            let step = to.step().max(from.step()).max(1e-6);
            let placed = |document: &Document| {
                let mut posed = Posed::default();
                let primitive = &document.mesh(part.mesh).primitives[part.primitive.index()];
                skinning::skin(primitive, &[], &[],
                    &Placement::of(document, &pose, part.node, primitive), &mut posed);
                posed.positions
            };
            let moved =
                placed(&before).into_iter().zip(placed(session.document())).map(|(a,
                    b)| a.distance(b));
            prop_assert!(
                moved.eq(foreseen[part.first as usize..][..part.count as usize].iter().copied()));
            for v in 0..new.vertex_count() {
                prop_assert_eq!(fault(new, v, 4), None, "vertex {}", v);
                let apart =
                    old.vertex(v).chain(new.vertex(v)).map(|(j,
                        _)| (old.weight(v, j) - new.weight(v, j)).abs());
                // Each weight is off by up to half a step. The largest one also takes the remainder
                // of the others.
                prop_assert!(apart.fold(0.0, f32::max) <= 2.01 * step, "vertex {}", v);
                compared += 1;
            }
        }
        prop_assert!(compared > 500);
        let again =
            Session::open_bytes(&session.pack("x").expect("it packs").bytes).expect("it opens");
        for part in canvas.parts() {
            let [here, there] =
                [session.document(), again.document()].map(|d| map(d, part.mesh, part.primitive));
            prop_assert!(here == there);
        }
        session.undo();
        let weights =
            |d: &Document| canvas.parts().iter().all(|p| map(d, p.mesh, p.primitive)
                == map(&before, p.mesh, p.primitive));
        prop_assert!(from == to || weights(session.document()));
    }
}

fn encodings() -> impl Strategy<Value = WeightEncoding> {
    prop::sample::select(vec![WeightEncoding::Float, WeightEncoding::Short, WeightEncoding::Byte])
}

/// A command line with vertices of two primitives reads the original weights of both before it
/// writes any. Coincident vertices therefore stay equal.
#[test]
fn coincident_vertices_of_two_primitives_stay_equal() {
    let line = |name: &str| CommandLine::new(name).with("mesh", "#0");
    let mut session = sheet(20, 2);
    let spread = line("weights.flood").with("joint", "other").with("value", 0.7);
    for part in ["0-90, 200-210", "95-130"] {
        let both = format!("0/0: {part}; 0/1: {part}");
        assert!(session.run_line(&spread.clone().with("vertices", both)).expect("it floods"));
    }
    let alike = |session: &Session| {
        let [a, b] =
            [PrimitiveId(0), PrimitiveId(1)].map(|k| map(session.document(), MeshId(0), k).clone());
        a == b && (0..a.vertex_count()).any(|v| a.weight(v, 1) > 0.0)
    };
    assert!(alike(&session));
    let before = session.document().clone();
    let tools =
        [line("weights.smooth").with("passes", 3), line("weights.relax"), line("weights.average")];
    for tool in tools {
        let ran = session
            .run_line(&tool.clone().with("vertices", "0/0: 60-150; 0/1: 60-150"))
            .expect("it runs");
        assert!(ran, "{tool} does nothing");
        assert!(alike(&session), "{tool} parts them");
        session.undo();
        assert!(*session.document() == before);
    }
    // If only one primitive changes, the two primitives differ. An invalid vertex list is refused.
    let only = line("weights.average").with("vertices", "0/1: 60-150");
    assert!(session.run_line(&only).expect("it runs") && !alike(&session));
    let wrong = line("weights.average").with("vertices", "0/1: 60-150; seven");
    assert!(session.run_line(&wrong).is_err());
}
