//! The plain case of normalising, fast: four floats a vertex, nothing locked, nothing odd.

use rayon::prelude::*;

use super::fault;
use crate::model::{WeightEncoding, WeightMap};

const CHUNK: usize = 16_384;

/// Normalises the vertices of a map that are plain, and gives those that are not, in rising order; nothing where the map is
/// none for this. A vertex is plain if its weights are positive and then 0, strongest first, each joint there once and
/// within the skin. What is not plain is left as it is, and a map in which all is right is not touched at all.
pub(super) fn normalize(map: &mut WeightMap, joint_count: usize, limit: usize) -> Option<Vec<u32>> {
    if map.encoding != WeightEncoding::Float || map.stride() != 4 || limit < 4 || !map.not_numbers.is_empty() {
        return None;
    }
    let joints = map.joints.as_chunks::<4>().0;
    let right = |(v, (j, w)): (usize, (&[u16; 4], &[f32; 4]))| match scaled(*j, *w, joint_count) {
        Some(s) => s == *w,
        None => fault(map, v, 4).is_none(),
    };
    let weights = map.weights.as_chunks::<4>().0;
    if joints.par_iter().zip(weights).enumerate().with_min_len(CHUNK).all(right) {
        return Some(Vec::new());
    }
    // The sum is looked at and the weights are scaled in one go: memory is what it costs.
    let weights = map.weights.make_mut().as_chunks_mut::<4>().0;
    let chunks = weights.par_chunks_mut(CHUNK).zip(joints.par_chunks(CHUNK)).enumerate();
    let odd = chunks.map(|(chunk, (weights, joints))| {
        let mut odd = Vec::new();
        for (k, (w, j)) in weights.iter_mut().zip(joints).enumerate() {
            match scaled(*j, *w, joint_count) {
                Some(s) => *w = s,
                None => odd.push((chunk * CHUNK + k) as u32),
            }
        }
        odd
    });
    Some(odd.collect::<Vec<Vec<u32>>>().concat())
}

/// The weights of a plain vertex, summing to 1 in slot order within the validator's limit, to the bit as `share::normalize`
/// has them: the first, which is the largest, takes the remainder. Nothing where it is not plain.
#[inline(always)]
fn scaled(j: [u16; 4], w: [f32; 4], joint_count: usize) -> Option<[f32; 4]> {
    let ordered = (w[0] >= w[1]) & (w[1] >= w[2]) & (w[2] >= w[3]) & (w[3] >= 0.0) & (w[0] > 0.0);
    let used = |k: usize| w[k] > 0.0;
    let twice = (used(1) & (j[1] == j[0]))
        | (used(2) & ((j[2] == j[0]) | (j[2] == j[1])))
        | (used(3) & ((j[3] == j[0]) | (j[3] == j[1]) | (j[3] == j[2])));
    // A slot that counts for nothing names joint 0.
    let idle = |k: usize| used(k) | (j[k] == 0);
    let tidy = idle(1) & idle(2) & idle(3);
    let inside = (0..4).all(|k| usize::from(j[k]) < joint_count);
    let sum = w[0] + w[1] + w[2] + w[3];
    if !(ordered & !twice & tidy & inside & sum.is_finite()) {
        return None;
    }
    let count = 1 + usize::from(used(1)) + usize::from(used(2)) + usize::from(used(3));
    if (sum - 1.0).abs() <= 2e-7 * count as f32 {
        return Some(w);
    }
    let factor = 1.0 / sum;
    let mut s = if (factor - 1.0).abs() > 1e-6 { w.map(|v| v * factor) } else { w };
    // Of equals, the joint that comes first; and nothing so small that scaling makes it 0.
    let sorted = |s: &[f32; 4]| {
        (0..3)
            .fold(true, |all, k| all & ((s[k] > s[k + 1]) | ((s[k] == s[k + 1]) & ((j[k] < j[k + 1]) | (s[k] == 0.0)))))
            & (1..4).fold(true, |all, k| all & (used(k) == (s[k] > 0.0)))
    };
    if !sorted(&s) {
        return None;
    }
    if (s[0] + s[1] + s[2] + s[3] - 1.0).abs() > 1.2e-7 {
        s[0] = 1.0 - (s[1] + s[2] + s[3]);
    }
    (s[0] > 0.0 && sorted(&s)).then_some(s)
}
