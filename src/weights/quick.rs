//! The plain case of normalising, fast: four floats a vertex, nothing locked, nothing odd.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::model::{WeightEncoding, WeightMap};

const CHUNK: usize = 16_384;

/// Normalises the vertices of a map that are plain; whether all were. One is plain if its weights are positive and then 0,
/// strongest first, each joint there once and within the skin, and no more than the limit. What is not plain is left as it
/// is, and what is right is not touched at all.
pub(super) fn normalize(map: &mut WeightMap, joint_count: usize, limit: usize) -> bool {
    if map.encoding != WeightEncoding::Float || map.stride() != 4 || limit < 4 {
        return false;
    }
    let joints = map.joints.as_chunks::<4>().0;
    let right = |(j, w): (&[u16; 4], &[f32; 4])| scaled(*j, *w, joint_count).is_some_and(|s| s == *w);
    let weights = map.weights.as_chunks::<4>().0;
    if joints.par_iter().with_min_len(CHUNK).zip(weights).all(right) {
        return true;
    }
    let all = AtomicBool::new(true);
    // The sum is looked at and the weights are scaled in one go: memory is what it costs.
    let weights = map.weights.make_mut().as_chunks_mut::<4>().0;
    weights.par_chunks_mut(CHUNK).zip(joints.par_chunks(CHUNK)).for_each(|(weights, joints)| {
        let mut plain = true;
        for (w, j) in weights.iter_mut().zip(joints) {
            match scaled(*j, *w, joint_count) {
                Some(s) => *w = s,
                None => plain = false,
            }
        }
        if !plain {
            all.store(false, Ordering::Relaxed);
        }
    });
    all.into_inner()
}

/// The weights of a plain vertex, summing to 1 in slot order within the validator's limit; the first, which is the largest,
/// takes the remainder. Nothing where it is not plain.
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
    let scaled = w.map(|v| v * factor);
    let first = 1.0 - (scaled[1] + scaled[2] + scaled[3]);
    // Ties may put the second first by rounding: then the slow way sorts them.
    (first >= scaled[1]).then_some([first, scaled[1], scaled[2], scaled[3]])
}
