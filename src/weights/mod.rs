//! What is done *to weights*. Here: what is wrong with them, in the words of the file's own rules.

use rayon::prelude::*;

use crate::model::WeightMap;

/// How many vertices break which rule (glTF 2.0, *Skinned Mesh Attributes*).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// The weights do not sum to 1 within the validator's limit, `2e-7 × count` in slot order.
    pub sum: usize,
    /// A weight is negative.
    pub negative: usize,
    /// A weight is not a number.
    pub not_finite: usize,
    /// A joint has two weights on one vertex.
    pub twice: usize,
    /// All weights are 0.
    pub none: usize,
}

/// Counts the vertices that break a rule. `step` is the smallest difference the stored type can hold (0 for floats):
/// stored integers that sum to one step less or more are off by just that.
pub fn faults(map: &WeightMap, step: f32) -> Faults {
    /// Vertices that one core looks over before another may help.
    const BLOCK: usize = 1 << 16;
    let stride = map.stride();
    let block = |(joints, weights): (&[u16], &[f32])| {
        let mut faults = Faults::default();
        if let (4, joints, weights) = (stride, joints.as_chunks::<4>().0, weights.as_chunks::<4>().0) {
            let odd = joints.iter().zip(weights).filter(|(j, w)| !is_sound(j, w));
            odd.for_each(|(j, w)| vertex_faults(j, w, step, &mut faults));
        } else {
            let vertices = joints.chunks_exact(stride).zip(weights.chunks_exact(stride));
            vertices.for_each(|(j, w)| vertex_faults(j, w, step, &mut faults));
        }
        faults
    };
    let (joints, weights): (&[u16], &[f32]) = (&map.joints, &map.weights);
    if weights.len() <= BLOCK * stride {
        return block((joints, weights));
    }
    joints.par_chunks(BLOCK * stride).zip(weights.par_chunks(BLOCK * stride)).map(block).reduce(
        Faults::default,
        |a, b| Faults {
            sum: a.sum + b.sum,
            none: a.none + b.none,
            negative: a.negative + b.negative,
            not_finite: a.not_finite + b.not_finite,
            twice: a.twice + b.twice,
        },
    )
}

/// Whether a vertex plainly breaks no rule; most do not, and this has no branches.
fn is_sound(joints: &[u16; 4], weights: &[f32; 4]) -> bool {
    let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    let twice = |(a, b): (usize, usize)| (joints[a] == joints[b]) & (weights[a] != 0.0) & (weights[b] != 0.0);
    let sum = weights[0] + weights[1] + weights[2] + weights[3];
    weights.iter().fold(true, |sound, w| sound & (*w >= 0.0))
        & ((sum - 1.0).abs() <= 2e-7)
        & !pairs.into_iter().fold(false, |any, pair| any | twice(pair))
}

fn vertex_faults(joints: &[u16], weights: &[f32], step: f32, faults: &mut Faults) {
    let mut sum = 0.0f32;
    let mut used = 0u32;
    for (k, w) in weights.iter().enumerate() {
        if !w.is_finite() {
            faults.not_finite += 1;
            break;
        }
        if *w != 0.0 {
            sum += *w;
            used += 1;
            if weights[..k].iter().zip(joints).any(|(v, j)| *v != 0.0 && *j == joints[k]) {
                faults.twice += 1;
            }
        }
    }
    faults.negative += usize::from(weights.iter().any(|w| *w < 0.0));
    if used == 0 {
        faults.none += 1;
    } else if sum.is_finite() && (sum - 1.0).abs() > (2e-7 * used as f32).max(step * 0.5) {
        faults.sum += 1;
    }
}
