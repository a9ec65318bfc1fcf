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
    let right = |(v, (j, w)): (usize, (&[u16; 4], &[f32; 4]))| {
        let mut s = [*w];
        if scale(&[*j], &mut s, joint_count)[0] == 0 { fault(map, v, 4).is_none() } else { s[0] == *w }
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
        let mut left = |at: usize, plain: &[u32]| {
            if plain.contains(&0) {
                let those = plain.iter().enumerate().filter(|(_, p)| **p == 0);
                odd.extend(those.map(|(k, _)| (chunk * CHUNK + at + k) as u32));
            }
        };
        let ((weights, last), (joints, last_joints)) = (weights.as_chunks_mut::<LANES>(), joints.as_chunks::<LANES>());
        for (k, (w, j)) in weights.iter_mut().zip(joints).enumerate() {
            left(k * LANES, &scale(j, w, joint_count));
        }
        for (k, (w, j)) in last.iter_mut().zip(last_joints).enumerate() {
            let mut one = [*w];
            left(weights.len() * LANES + k, &scale(&[*j], &mut one, joint_count));
            *w = one[0];
        }
        odd
    });
    Some(odd.collect::<Vec<Vec<u32>>>().concat())
}

/// Vertices that are looked at together.
const LANES: usize = 16;

/// Scales the weights of plain vertices to a sum of 1 in slot order within the validator's limit, to the bit as
/// `share::normalize` has them: the first, which is the largest, takes the remainder. Which were plain, 1 or 0; the others
/// stay as they are.
#[inline(always)]
fn scale<const N: usize>(joints: &[[u16; 4]; N], weights: &mut [[f32; 4]; N], joint_count: usize) -> [u32; N] {
    // Side by side, so that no branch depends on a weight and the compiler can take several at once.
    let w: [[f32; N]; 4] = std::array::from_fn(|k| std::array::from_fn(|l| weights[l][k]));
    let j: [[u32; N]; 4] = std::array::from_fn(|k| std::array::from_fn(|l| u32::from(joints[l][k])));
    let end = joint_count.min(usize::from(u16::MAX) + 1) as u32;
    let mut scaled = [[0.0f32; N]; 4];
    let mut plain = [0u32; N];
    for l in 0..N {
        let (w, j) = ([w[0][l], w[1][l], w[2][l], w[3][l]], [j[0][l], j[1][l], j[2][l], j[3][l]]);
        let used = |k: usize| u32::from(w[k] > 0.0);
        let sum = w[0] + w[1] + w[2] + w[3];
        let ordered =
            u32::from(w[0] >= w[1]) & u32::from(w[1] >= w[2]) & u32::from(w[2] >= w[3]) & u32::from(w[3] >= 0.0);
        let twice = (used(1) & u32::from(j[1] == j[0]))
            | (used(2) & (u32::from(j[2] == j[0]) | u32::from(j[2] == j[1])))
            | (used(3) & (u32::from(j[3] == j[0]) | u32::from(j[3] == j[1]) | u32::from(j[3] == j[2])));
        // A slot that counts for nothing names joint 0.
        let idle = |k: usize| used(k) | u32::from(j[k] == 0);
        let inside = u32::from(j[0] < end) & u32::from(j[1] < end) & u32::from(j[2] < end) & u32::from(j[3] < end);
        let tidy = ordered & used(0) & (1 - twice) & idle(1) & idle(2) & idle(3) & inside & u32::from(sum < f32::MAX);
        // Counted in f32: none is large.
        let count = 1.0
            + if w[1] > 0.0 { 1.0 } else { 0.0 }
            + if w[2] > 0.0 { 1.0 } else { 0.0 }
            + if w[3] > 0.0 { 1.0 } else { 0.0 };
        let right = (sum - 1.0).abs() <= 2e-7 * count;
        let factor = 1.0 / sum;
        let factor = if (factor - 1.0).abs() > 1e-6 { factor } else { 1.0 };
        let s = [w[0] * factor, w[1] * factor, w[2] * factor, w[3] * factor];
        // Of equals, the joint that comes first; and nothing so small that scaling makes it 0.
        let sorted = |s: &[f32; 4]| {
            let before = |k: usize| {
                u32::from(s[k] > s[k + 1])
                    | (u32::from(s[k] == s[k + 1]) & (u32::from(j[k] < j[k + 1]) | u32::from(s[k] == 0.0)))
            };
            let kept = |k: usize| 1 - (used(k) ^ u32::from(s[k] > 0.0));
            before(0) & before(1) & before(2) & kept(1) & kept(2) & kept(3)
        };
        let off = (s[0] + s[1] + s[2] + s[3] - 1.0).abs() > 1.2e-7;
        let first = if off { 1.0 - (s[1] + s[2] + s[3]) } else { s[0] };
        let fine = sorted(&s) & u32::from(first > 0.0) & sorted(&[first, s[1], s[2], s[3]]);
        let change = tidy & fine & (1 - u32::from(right));
        plain[l] = tidy & (u32::from(right) | fine);
        scaled[0][l] = if change == 1 { first } else { w[0] };
        for k in 1..4 {
            scaled[k][l] = if change == 1 { s[k] } else { w[k] };
        }
    }
    for (l, slots) in weights.iter_mut().enumerate() {
        *slots = [scaled[0][l], scaled[1][l], scaled[2][l], scaled[3][l]];
    }
    plain
}
