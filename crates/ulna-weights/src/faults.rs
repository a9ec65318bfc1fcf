//! Violations of the glTF rules for weights (glTF 2.0, *Skinned Mesh Attributes*).

use rayon::prelude::*;

use super::{ids::to_number, normalize::is_valid_sum};
use ulna_model::{WeightEncoding, WeightMap};

/// A problem with the weights of a vertex. If a vertex has several problems, the first variant is
/// reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// A weight is not a number (NaN).
    NotNumber,
    /// A weight is negative.
    Negative,
    /// All weights are 0.
    None,
    /// The same joint has two nonzero weights.
    Twice,
    /// The weights do not sum to 1. Integer weights must match exactly. Float weights must be
    /// within the validator's tolerance, `2e-7 × count`, when added in slot order.
    Sum,
    /// A joint index is beyond the joints of the skin. The influence has no effect.
    Past,
    /// The vertex has more influences than wanted. This does not violate glTF.
    Many,
}

/// Finds the problem of a vertex. `most` is the wanted maximum number of influences.
pub fn fault(map: &WeightMap, vertex: usize, most: usize) -> Option<Fault> {
    let stride = map.stride();
    if !map.not_numbers.is_empty() && map.not_numbers.binary_search(&to_number(vertex)).is_ok() {
        return Some(Fault::NotNumber);
    }
    let range = vertex * stride..(vertex + 1) * stride;
    fault_of(&map.joints[range.clone()], &map.weights[range], map.encoding, most)
}

/// Finds the problem of a vertex, like [`fault`]. It also checks every joint index against the
/// number of joints, even of weights that are 0.
pub fn fault_in(map: &WeightMap, vertex: usize, most: usize, joint_count: usize) -> Option<Fault> {
    let found = fault(map, vertex, most);
    let slots = &map.joints[vertex * map.stride()..(vertex + 1) * map.stride()];
    let past = || slots.iter().any(|j| usize::from(*j) >= joint_count);
    if matches!(found, None | Some(Fault::Many)) && past() { Some(Fault::Past) } else { found }
}

/// Finds the problem of stored slots of one vertex.
pub(super) fn fault_of(
    joints: &[u16],
    weights: &[f32],
    encoding: WeightEncoding,
    most: usize,
) -> Option<Fault> {
    let mut sum = 0.0f32;
    let mut whole = 0u32;
    let mut used = 0usize;
    let mut twice = false;
    for (k, w) in weights.iter().enumerate() {
        if *w < 0.0 {
            return Some(Fault::Negative);
        }
        if *w != 0.0 {
            sum += *w;
            whole = whole.saturating_add(encoding.encode(*w));
            used += 1;
            twice |= weights[..k].iter().zip(joints).any(|(v, j)| *v != 0.0 && *j == joints[k]);
        }
    }
    let off = match encoding.one() {
        Some(one) => whole != one,
        None => !is_valid_sum(sum, used),
    };
    match (used, twice, off) {
        (0, ..) => Some(Fault::None),
        (_, true, _) => Some(Fault::Twice),
        (_, _, true) => Some(Fault::Sum),
        _ if used > most => Some(Fault::Many),
        _ => None,
    }
}

/// Number of vertices per problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Vertices with [`Fault::Sum`].
    pub sum: usize,
    /// Vertices with [`Fault::Negative`].
    pub negative: usize,
    /// Vertices with [`Fault::NotNumber`].
    pub not_numbers: usize,
    /// Vertices with [`Fault::Twice`].
    pub twice: usize,
    /// Vertices with [`Fault::None`].
    pub none: usize,
    /// Vertices with [`Fault::Past`].
    pub past: usize,
    /// Vertices with [`Fault::Many`].
    pub many: usize,
}

impl Faults {
    /// Adds one to the count of a problem.
    pub const fn add(&mut self, fault: Fault) {
        match fault {
            Fault::Sum => self.sum += 1,
            Fault::Negative => self.negative += 1,
            Fault::NotNumber => self.not_numbers += 1,
            Fault::Twice => self.twice += 1,
            Fault::None => self.none += 1,
            Fault::Past => self.past += 1,
            Fault::Many => self.many += 1,
        }
    }

    /// Subtracts one from the count of a problem.
    pub const fn remove(&mut self, fault: Fault) {
        match fault {
            Fault::Sum => self.sum -= 1,
            Fault::Negative => self.negative -= 1,
            Fault::NotNumber => self.not_numbers -= 1,
            Fault::Twice => self.twice -= 1,
            Fault::None => self.none -= 1,
            Fault::Past => self.past -= 1,
            Fault::Many => self.many -= 1,
        }
    }

    /// Returns the number of vertices that violate glTF.
    pub const fn broken(&self) -> usize {
        self.sum + self.negative + self.not_numbers + self.twice + self.none + self.past
    }
}

/// Counts the vertices of a map by problem. `most` is the wanted maximum number of influences.
pub fn faults(map: &WeightMap, most: usize) -> Faults {
    faults_in(map, most, usize::MAX)
}

/// Counts the vertices of a map by problem, like [`faults`]. It also checks joint indices against
/// the number of joints.
pub fn faults_in(map: &WeightMap, most: usize, joint_count: usize) -> Faults {
    /// Vertices per parallel task.
    const BLOCK: usize = 1 << 16;
    let plain = map.encoding.one().is_none()
        && map.stride() == 4
        && most >= 4
        && map.not_numbers.is_empty();
    let count = map.vertex_count();
    let block = |first: usize| {
        let range = first..(first + BLOCK).min(count);
        let mut faults = Faults::default();
        if plain {
            let joints = &map.joints.as_chunks::<4>().0[range.clone()];
            let weights = &map.weights.as_chunks::<4>().0[range.clone()];
            let odd = range
                .zip(joints.iter().zip(weights))
                .filter(|(_, (j, w))| !is_valid(j, w) | !are_inside(j, joint_count));
            odd.filter_map(|(v, _)| fault_in(map, v, most, joint_count))
                .for_each(|f| faults.add(f));
        } else {
            range.filter_map(|v| fault_in(map, v, most, joint_count)).for_each(|f| faults.add(f));
        }
        faults
    };
    let sum = |a: Faults, b: Faults| Faults {
        sum: a.sum + b.sum,
        negative: a.negative + b.negative,
        not_numbers: a.not_numbers + b.not_numbers,
        twice: a.twice + b.twice,
        none: a.none + b.none,
        past: a.past + b.past,
        many: a.many + b.many,
    };
    let blocks = count.div_ceil(BLOCK);
    (0..blocks).into_par_iter().map(|k| block(k * BLOCK)).reduce(Faults::default, sum)
}

/// Whether all joint indices are below the number of joints.
pub(super) fn are_inside(joints: &[u16; 4], joint_count: usize) -> bool {
    joints.iter().fold(true, |inside, j| inside & (usize::from(*j) < joint_count))
}

/// Fast test without branches. True only for vertices without problems, which are most vertices.
pub(super) fn is_valid(joints: &[u16; 4], weights: &[f32; 4]) -> bool {
    let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    let twice = |(a, b): (usize, usize)| {
        (joints[a] == joints[b]) & (weights[a] != 0.0) & (weights[b] != 0.0)
    };
    let sum = weights[0] + weights[1] + weights[2] + weights[3];
    weights.iter().fold(true, |sound, w| sound & (*w >= 0.0))
        & ((sum - 1.0).abs() <= 2e-7)
        & !pairs.into_iter().fold(false, |any, pair| any | twice(pair))
}
