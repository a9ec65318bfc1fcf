//! Tests that all lane widths give the same bits as a list in one lane.

use proptest::prelude::*;
use pulp::{Scalar, Scalar128b, Scalar256b, Scalar512b, Simd, WithSimd as _};

use super::{
    group::{LANES, Run, SLOTS, SimdNormalizer, Task},
    in_place::{AreRight, Normalize},
    normalize, paint, prune,
    slot_lanes::{joint_of, key_of},
};
use crate::{BrushKind, Influences, Refusal, WeightConstraints, fault_in};
use ulna_geometry::vectors;
use ulna_model::{WeightEncoding, WeightMap};

/// Number of joints of the skin. Generated vertices also use one invalid index.
const JOINTS: u16 = 6;

type Slots = ([u16; SLOTS], [f32; SLOTS]);

/// Generates the slots of a group. Most vertices are plain, many need no reordering, and some
/// violate a rule.
fn group() -> impl Strategy<Value = Slots> {
    let weight = prop_oneof![
        6 => 0.0f32..1.0,
        1 => Just(0.0f32),
        1 => 0.0f32..1e-3,
        1 => Just(0.25f32),
    ];
    let joints = prop_oneof![
        8 => Just(vec![0, 1, 2, 3, 4, 5]).prop_shuffle(),
        1 => prop::collection::vec(0..=JOINTS, 6),
    ];
    let odd = prop_oneof![20 => Just(1.0f32), 1 => Just(-1.0f32), 1 => Just(f32::INFINITY)];
    let vertex = (joints, prop::array::uniform4(weight), any::<(bool, bool)>(), odd);
    prop::collection::vec(vertex, LANES).prop_map(|vertices| {
        let mut slots = ([0; SLOTS], [0.0; SLOTS]);
        let (to_joints, to_weights) = (slots.0.as_chunks_mut::<4>().0, slots.1.as_chunks_mut().0);
        for (k, (joints, mut weights, (is_sorted, is_one), odd)) in vertices.into_iter().enumerate()
        {
            let sum: f32 = weights.iter().sum();
            if is_one && sum > 0.0 {
                weights.iter_mut().for_each(|w| *w /= sum);
            }
            if is_sorted {
                weights.sort_by(|a, b| b.total_cmp(a));
            }
            // Maps never contain NaN weights.
            if weights[3] > 0.0 {
                weights[3] *= odd;
            }
            to_joints[k].copy_from_slice(&joints[..4]);
            to_weights[k] = weights;
        }
        slots
    })
}

/// Generates a task with an amount per vertex. Brushes paint an unlocked joint.
fn task() -> impl Strategy<Value = (Task, u16, f32)> {
    let kind = prop::sample::select(vec![
        BrushKind::Add,
        BrushKind::Subtract,
        BrushKind::Replace,
        BrushKind::Scale,
    ]);
    prop_oneof![
        4 => (kind, 0.0f32..2.0, 0..JOINTS, 0.0f32..1.0).prop_map(|(kind, value, joint, amount)| {
            (Task::Brush { kind, value, key: key_of(joint) }, joint, amount)
        }),
        2 => Just((Task::Normalize, 0, 0.0)),
        1 => Just((Task::NormalizeInPlace, 0, 0.0)),
        1 => (1e-4f32..0.3).prop_map(|below| (Task::PruneInPlace { below }, 0, 0.0)),
    ]
}

/// Joints, weights and processed flags per slot.
type Outcome = ([u16; SLOTS], [f32; SLOTS], [f32; SLOTS]);

/// Runs a task with one lane width.
fn run<S: Simd>(simd: S, from: &SimdNormalizer, slots: &Slots, task: Task, amount: f32) -> Outcome {
    let (mut weights, mut done) = (slots.1, [0.0; SLOTS]);
    let mut keys = slots.0.map(|j| from.key(j));
    Run {
        weights: &mut weights,
        keys: &mut keys,
        amounts: &[amount; SLOTS],
        done: &mut done,
        task,
        end: from.end(),
    }
    .with_simd(simd);
    (keys.map(joint_of), weights, done)
}

/// Compares the outcomes of two lane widths. Slots are compared only for processed vertices.
fn assert_same(a: &Outcome, b: &Outcome) -> Result<(), TestCaseError> {
    prop_assert_eq!(a.2, b.2);
    for slot in (0..SLOTS).filter(|slot| a.2[*slot] == 1.0) {
        prop_assert_eq!((a.0[slot], a.1[slot].to_bits()), (b.0[slot], b.1[slot].to_bits()));
    }
    Ok(())
}

/// Computes the slots of a vertex with the `list` normalizer, which processes one vertex at a time.
fn by_list(
    (joints, weights): ([u16; 4], [f32; 4]),
    rule: &WeightConstraints<'_>,
    (task, joint, amount): (Task, u16, f32),
) -> Result<([u16; 4], [f32; 4]), Refusal> {
    let stays = match task {
        Task::PruneInPlace { below } => !weights.iter().any(|w| *w > 0.0 && *w < below),
        Task::NormalizeInPlace => is_right(&joints, &weights),
        _ => false,
    };
    if stays {
        return Ok((joints, weights));
    }
    let mut list = Influences::default();
    list.read(&joints, &weights, rule)?;
    match task {
        Task::Brush { kind, value, .. } => {
            let brush = crate::Brush { kind, value, ..crate::Brush::default() };
            let wish = brush.value_for(list.get(joint), amount);
            paint(&mut list, &[(joint, wish)], rule, |_| {})?;
        }
        Task::PruneInPlace { below } => prune(&mut list, below, rule)?,
        _ => normalize(&mut list, rule)?,
    }
    let mut slots = (joints, weights);
    list.write(&mut slots.0, &mut slots.1);
    Ok(slots)
}

/// Whether a vertex has valid glTF weights.
fn is_right(joints: &[u16; 4], weights: &[f32; 4]) -> bool {
    let map = WeightMap {
        sets: 1,
        joints: joints.to_vec().into(),
        weights: weights.to_vec().into(),
        ..WeightMap::default()
    };
    fault_in(&map, 0, 4, usize::from(JOINTS)).is_none()
}

const fn floats(locked: &[bool]) -> WeightConstraints<'_> {
    WeightConstraints {
        locked,
        parents: &[],
        limit: 4,
        encoding: WeightEncoding::Float,
        pairs: &[],
        turned: false,
    }
}

proptest! {
    #[test]
    fn vector_groups_of_every_width_equal_the_scalar_kernel(
        slots in group(),
        mut locked in prop::array::uniform6(prop::bool::weighted(0.2)),
        task in task(),
    ) {
        if matches!(task.0, Task::Brush { .. }) {
            locked[usize::from(task.1)] = false;
        }
        let rule = floats(&locked);
        let from = SimdNormalizer::new(4, &rule).expect("a normalizer");
        let one = run(Scalar, &from, &slots, task.0, task.2);
        assert_same(&one, &run(Scalar128b, &from, &slots, task.0, task.2))?;
        assert_same(&one, &run(Scalar256b, &from, &slots, task.0, task.2))?;
        assert_same(&one, &run(Scalar512b, &from, &slots, task.0, task.2))?;
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(eight) = pulp::x86::V3::try_new() {
                assert_same(&one, &run(eight, &from, &slots, task.0, task.2))?;
            }
            if let Some(sixteen) = pulp::x86::V4::try_new() {
                assert_same(&one, &run(sixteen, &from, &slots, task.0, task.2))?;
            }
        }
        let (before, after) = (slots.0.as_chunks::<4>().0, one.0.as_chunks::<4>().0);
        let weights = (slots.1.as_chunks::<4>().0, one.1.as_chunks::<4>().0);
        for k in (0..LANES).filter(|k| one.2[k * 4] == 1.0) {
            let list = by_list((before[k], weights.0[k]), &rule, task);
            let Ok((joints, expected)) = list else {
                return Err(TestCaseError::fail(format!("lanes did what a list refuses: {list:?}")));
            };
            prop_assert_eq!((joints, expected.map(f32::to_bits)), (
                after[k],
                weights.1[k].map(f32::to_bits),
            ));
        }
    }

    #[test]
    fn normalizing_in_place_without_locks_equals_the_scalar_kernel(slots in group()) {
        let unlocked = vec![false; usize::from(JOINTS)];
        let rule = floats(&unlocked);
        let (joints, end) = ([slots.0], i32::from(JOINTS));
        let check = |weights: &[f32; SLOTS]| {
            vectors().dispatch(AreRight { weights: &[*weights], joints: &joints, end })
        };
        let mut results = Vec::new();
        let mut in_lanes = |run: &dyn Fn(Normalize<'_>) -> bool| {
            let mut weights = [slots.1];
            let all = run(Normalize { weights: &mut weights, joints: &joints, end });
            results.push((weights[0].map(f32::to_bits), all));
        };
        in_lanes(&|task| task.with_simd(Scalar));
        in_lanes(&|task| task.with_simd(Scalar256b));
        in_lanes(&|task| task.with_simd(Scalar512b));
        in_lanes(&|task| vectors().dispatch(task));
        let (bits, all) = results[0];
        prop_assert!(results.iter().all(|result| *result == (bits, all)));
        let weights = bits.map(f32::from_bits);
        let (joints, old) = (slots.0.as_chunks::<4>().0, slots.1.as_chunks::<4>().0);
        let new = weights.as_chunks::<4>().0;
        for k in (0..LANES).filter(|k| new[*k] != old[*k]) {
            let list = by_list((joints[k], old[k]), &rule, (Task::NormalizeInPlace, 0, 0.0));
            prop_assert_eq!(list.map(|(_, w)| w.map(f32::to_bits)), Ok(new[k].map(f32::to_bits)));
        }
        let is_every_right = joints.iter().zip(new).all(|(j, w)| is_right(j, w));
        prop_assert!(!all || is_every_right);
        prop_assert_eq!(check(&weights), is_every_right);
    }
}

#[test]
fn ordinary_vertices_use_the_vector_kernel() {
    let rule = floats(&[false, true, false, false, false, false]);
    let from = SimdNormalizer::new(4, &rule).expect("a normalizer");
    let (mut joints, mut weights) = ([0; SLOTS], [0.0; SLOTS]);
    for ((joint, weight), slot) in joints.iter_mut().zip(&mut weights).zip((0u16..4).cycle()) {
        (*joint, *weight) = (slot, 0.1 + 0.05 * f32::from(slot));
    }
    let key = key_of(5);
    let brush = Task::Brush { kind: BrushKind::Add, value: 0.5, key };
    for task in [brush, Task::Normalize, Task::NormalizeInPlace, Task::PruneInPlace { below: 0.12 }]
    {
        let done = run(Scalar512b, &from, &(joints, weights), task, 1.0);
        assert_eq!(done.2, [1.0; SLOTS]);
        assert!(
            done.1.as_chunks::<4>().0.iter().all(|w| (w.iter().sum::<f32>() - 1.0).abs() < 2e-7)
        );
    }
}
