//! Tools that look at one vertex alone, done to a whole map where its slots lie: memory is what
//! they cost, so nothing is gathered before it is written.

use rayon::prelude::*;

use super::{JOINT, LANES, Run, SLOTS, SimdNormalizer, Task};
use crate::WeightConstraints;
use ulna_model::WeightMap;

/// Vertices that one core takes at a time.
const CHUNK: usize = 16_384;

/// Works on the slots of a chunk where they are.
struct Sweep<'a> {
    quick: &'a SimdNormalizer,
    task: Task,
    /// The present group's.
    keys: [i32; SLOTS],
    /// Vertices that are not plain.
    odd: Vec<u32>,
}

impl<'a> Sweep<'a> {
    const fn new(quick: &'a SimdNormalizer, task: Task) -> Self {
        Self { quick, task, keys: [0; SLOTS], odd: Vec::new() }
    }

    /// No more than [`LANES`] vertices, the first of which has this number.
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
        let quick = self.quick;
        match joints.as_array::<SLOTS>() {
            // Of a known length, so that it is done side by side.
            Some(joints) if !quick.locks => {
                self.keys
                    .iter_mut()
                    .zip(joints)
                    .for_each(|(key, joint)| *key = i32::from(*joint) << JOINT);
            }
            _ => self.keys.iter_mut().zip(joints).for_each(|(key, joint)| *key = quick.key(*joint)),
        }
        let mut done = [0.0; SLOTS];
        let end = (quick.keys.len() as i32) << JOINT;
        let (task, keys) = (self.task, &mut self.keys[..]);
        quick.arch.dispatch(Run {
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
        self.odd
            .extend(lanes.filter(|(_, done)| done[0] != 1.0).map(|(lane, _)| first + lane as u32));
    }
}

/// Those of some vertices that are not plain or not right, the first of which has this number.
fn not_right(quick: &SimdNormalizer, first: u32, joints: &[u16], weights: &[f32]) -> Vec<u32> {
    let mut sweep = Sweep::new(quick, Task::Look);
    for (k, (weights, joints)) in weights.chunks(SLOTS).zip(joints.chunks(SLOTS)).enumerate() {
        let mut all = [0.0; SLOTS];
        all[..weights.len()].copy_from_slice(weights);
        sweep.run(first + (k * LANES) as u32, joints, &mut all);
    }
    sweep.odd
}

/// Normalizes the vertices of a map that are plain, and gives those that are not, in rising order;
/// nothing where no vertex can be. What is right keeps its bits, and a map in which all is right is
/// not touched at all.
pub(crate) fn normalize(map: &mut WeightMap, rule: &WeightConstraints<'_>) -> Option<Vec<u32>> {
    let quick = SimdNormalizer::new(map.stride(), rule).filter(|_| map.not_numbers.is_empty())?;
    // What is right already is not written: nobody's memory becomes another's by it.
    let is_right = |(weights, joints): (&[f32], &[u16])| quick.are_right(joints, weights);
    if map.weights.par_chunks(CHUNK * 4).zip(map.joints.par_chunks(CHUNK * 4)).all(is_right) {
        return Some(Vec::new());
    }
    if quick.locks {
        return Some(sweep(map, &quick, Task::NormalizeInOrder, |_| true));
    }
    let chunks = map
        .weights
        .make_mut()
        .par_chunks_mut(CHUNK * 4)
        .zip(map.joints.par_chunks(CHUNK * 4))
        .enumerate();
    let odd = chunks.map(|(chunk, (weights, joints))| {
        let first = (chunk * CHUNK) as u32;
        if quick.normalize_open(joints, weights) {
            Vec::new()
        } else {
            not_right(&quick, first, joints, weights)
        }
    });
    Some(odd.collect::<Vec<Vec<u32>>>().concat())
}

/// Of the vertices of a map that have a weight below a value, takes unlocked ones that are so small
/// from those that are plain and normalizes what is left; gives those that are not plain, in rising
/// order; nothing where no vertex can be.
pub(crate) fn prune(
    map: &mut WeightMap,
    below: f32,
    rule: &WeightConstraints<'_>,
) -> Option<Vec<u32>> {
    let quick = SimdNormalizer::new(map.stride(), rule).filter(|_| map.not_numbers.is_empty())?;
    let small =
        |weights: &[f32]| weights.iter().fold(false, |any, w| any | ((*w > 0.0) & (*w < below)));
    if !map.weights.par_chunks(CHUNK * 4).any(small) {
        return Some(Vec::new());
    }
    Some(sweep(map, &quick, Task::PruneInPlace { below }, small))
}

/// Works on those vertices of a map that lie in groups of which the test of weights says yes; those
/// that are not plain.
fn sweep(
    map: &mut WeightMap,
    quick: &SimdNormalizer,
    task: Task,
    test: impl Fn(&[f32]) -> bool + Sync,
) -> Vec<u32> {
    let (weights, joints) = (map.weights.make_mut(), map.joints.make_mut());
    let chunks =
        weights.par_chunks_mut(CHUNK * 4).zip(joints.par_chunks_mut(CHUNK * 4)).enumerate();
    let odd = chunks.map(|(chunk, (weights, joints))| {
        let mut sweep = Sweep::new(quick, task);
        for (k, (weights, joints)) in
            weights.chunks_mut(SLOTS).zip(joints.chunks_mut(SLOTS)).enumerate()
        {
            if test(weights) {
                sweep.group((chunk * CHUNK + k * LANES) as u32, joints, weights);
                joints.iter_mut().zip(&sweep.keys).for_each(|(j, key)| *j = (key >> JOINT) as u16);
            }
        }
        sweep.odd
    });
    odd.collect::<Vec<Vec<u32>>>().concat()
}
