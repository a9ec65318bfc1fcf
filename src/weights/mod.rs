//! What is done *to weights*. Here: what is wrong with them, in the words of the file's own rules.

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
    let mut faults = Faults::default();
    let stride = map.stride();
    for (joints, weights) in map.joints.chunks_exact(stride).zip(map.weights.chunks_exact(stride)) {
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
    faults
}
