//! Normalization and pruning of whole maps in place. Plain vertices, which have four valid float
//! weights, are processed in groups.
//!
//! Memory bandwidth is the bottleneck, so results are written directly instead of being collected
//! first.

use rayon::prelude::*;

use super::{
    group::{LANES, Run, SLOTS, SimdNormalizer, Task},
    slot_lanes::{joint_of, key_of},
};
use crate::{WeightConstraints, ids::to_number};
use ulna_model::WeightMap;

/// Vertices per parallel task.
const CHUNK: usize = 16_384;

/// Runs a task on the slots of one chunk, in place.
struct Sweep<'a> {
    normalizer: &'a SimdNormalizer,
    task: Task,
    /// Keys of the current group of vertices.
    keys: [i32; SLOTS],
    /// Vertices that the task could not process.
    odd: Vec<u32>,
}

impl<'a> Sweep<'a> {
    const fn new(normalizer: &'a SimdNormalizer, task: Task) -> Self {
        Self { normalizer, task, keys: [0; SLOTS], odd: Vec::new() }
    }

    /// Runs the task on at most [`LANES`] vertices. `first` is the index of the first one.
    fn group(&mut self, first: u32, joints: &[u16], weights: &mut [f32]) {
        let Some(weights) = weights.as_chunks_mut::<SLOTS>().0.first_mut() else {
            let mut all = [0.0; SLOTS];
            all[..weights.len()].copy_from_slice(weights);
            self.run(first, joints, &mut all);
            weights.copy_from_slice(&all[..weights.len()]);
            return;
        };
        self.run(first, joints, weights);
    }

    fn run(&mut self, first: u32, joints: &[u16], weights: &mut [f32; SLOTS]) {
        let normalizer = self.normalizer;
        match joints.as_array::<SLOTS>() {
            // The constant length allows the compiler to vectorize the loop.
            Some(joints) if !normalizer.has_locks => {
                self.keys.iter_mut().zip(joints).for_each(|(key, joint)| *key = key_of(*joint));
            }
            _ => self
                .keys
                .iter_mut()
                .zip(joints)
                .for_each(|(key, joint)| *key = normalizer.key(*joint)),
        }
        let mut done = [0.0; SLOTS];
        let end = normalizer.end();
        let (task, keys) = (self.task, &mut self.keys[..]);
        normalizer.arch.dispatch(Run {
            weights,
            keys,
            amounts: &[0.0; SLOTS],
            done: &mut done,
            task,
            end,
        });
        if done.iter().fold(true, |all, done| all & (*done == 1.0)) {
            return;
        }
        let lanes = done.as_chunks::<4>().0.iter().take(joints.len() / 4).enumerate();
        self.odd.extend(
            lanes.filter(|(_, done)| done[0] != 1.0).map(|(lane, _)| first + to_number(lane)),
        );
    }
}

/// Returns the vertices that are not plain or not normalized. `first` is the index of the first
/// vertex.
fn not_right(normalizer: &SimdNormalizer, first: u32, joints: &[u16], weights: &[f32]) -> Vec<u32> {
    let mut sweep = Sweep::new(normalizer, Task::Check);
    for (k, (weights, joints)) in weights.chunks(SLOTS).zip(joints.chunks(SLOTS)).enumerate() {
        let mut all = [0.0; SLOTS];
        all[..weights.len()].copy_from_slice(weights);
        sweep.run(first + to_number(k * LANES), joints, &mut all);
    }
    sweep.odd
}

/// Normalizes the plain vertices of a map, and returns all others in ascending order. Returns
/// `None` if no vertex can be plain. Normalized vertices keep their bits. If all vertices are
/// normalized, the map is not written.
pub fn normalize_map(map: &mut WeightMap, rule: &WeightConstraints<'_>) -> Option<Vec<u32>> {
    let normalizer =
        SimdNormalizer::new(map.stride(), rule).filter(|_| map.not_numbers.is_empty())?;
    // A map that is already normalized is not written, so it stays shared.
    let is_right = |(weights, joints): (&[f32], &[u16])| normalizer.are_right(joints, weights);
    if map.weights.par_chunks(CHUNK * 4).zip(map.joints.par_chunks(CHUNK * 4)).all(is_right) {
        return Some(Vec::new());
    }
    if normalizer.has_locks {
        return Some(sweep(map, &normalizer, Task::NormalizeInPlace, |_| true));
    }
    let chunks = map
        .weights
        .make_mut()
        .par_chunks_mut(CHUNK * 4)
        .zip(map.joints.par_chunks(CHUNK * 4))
        .enumerate();
    let odd = chunks.map(|(chunk, (weights, joints))| {
        let first = to_number(chunk * CHUNK);
        if normalizer.normalize_open(joints, weights) {
            Vec::new()
        } else {
            not_right(&normalizer, first, joints, weights)
        }
    });
    Some(odd.collect::<Vec<Vec<u32>>>().concat())
}

/// Prunes and normalizes the plain vertices with a weight below a value. Returns the vertices that
/// are not plain, in ascending order. Returns `None` if no vertex can be plain.
pub fn prune_map(
    map: &mut WeightMap,
    below: f32,
    rule: &WeightConstraints<'_>,
) -> Option<Vec<u32>> {
    let normalizer =
        SimdNormalizer::new(map.stride(), rule).filter(|_| map.not_numbers.is_empty())?;
    let small =
        |weights: &[f32]| weights.iter().fold(false, |any, w| any | ((*w > 0.0) & (*w < below)));
    if !map.weights.par_chunks(CHUNK * 4).any(small) {
        return Some(Vec::new());
    }
    Some(sweep(map, &normalizer, Task::PruneInPlace { below }, small))
}

/// Runs a task on the groups of a map whose weights pass a test. Returns the vertices that were not
/// processed.
fn sweep(
    map: &mut WeightMap,
    normalizer: &SimdNormalizer,
    task: Task,
    test: impl Fn(&[f32]) -> bool + Sync,
) -> Vec<u32> {
    let (weights, joints) = (map.weights.make_mut(), map.joints.make_mut());
    let chunks =
        weights.par_chunks_mut(CHUNK * 4).zip(joints.par_chunks_mut(CHUNK * 4)).enumerate();
    let odd = chunks.map(|(chunk, (weights, joints))| {
        let mut sweep = Sweep::new(normalizer, task);
        for (k, (weights, joints)) in
            weights.chunks_mut(SLOTS).zip(joints.chunks_mut(SLOTS)).enumerate()
        {
            if test(weights) {
                sweep.group(to_number(chunk * CHUNK + k * LANES), joints, weights);
                joints.iter_mut().zip(&sweep.keys).for_each(|(j, key)| *j = joint_of(*key));
            }
        }
        sweep.odd
    });
    odd.collect::<Vec<Vec<u32>>>().concat()
}
