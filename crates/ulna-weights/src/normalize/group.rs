//! Groups of vertices that are normalized, painted or pruned together in parallel SIMD lanes.

use pulp::{Arch, Simd, WithSimd};

use super::{
    kernel,
    lanes::{F32Lanes, I32Lanes},
    slot_lanes::{JOINT_SHIFT, LOCKED, SlotLanes, joint_of, key_of},
};
use crate::{Brush, BrushKind, WeightConstraints};
use ulna_geometry::vectors;
use ulna_model::WeightEncoding;

/// Vertices per group: the number of lanes of the widest vectors.
pub const LANES: usize = 16;

/// Slots per group: four per vertex.
pub const SLOTS: usize = LANES * 4;

/// Slots of [`LANES`] vertices, in arrays for vector instructions.
#[derive(Clone, Default)]
pub struct LaneGroup {
    weights: [[f32; 4]; LANES],
    /// Joint of each slot, combined with its class bits.
    keys: [[i32; 4]; LANES],
    /// Brush amount of each vertex, repeated for its four slots.
    amounts: [[f32; 4]; LANES],
    /// 1 for a processed vertex, 0 for a vertex that `super::list` must process; repeated for its
    /// four slots.
    done: [[f32; 4]; LANES],
}

impl LaneGroup {
    /// Sets the brush amount of a vertex.
    #[inline]
    pub const fn set_amount(&mut self, lane: usize, amount: f32) {
        self.amounts[lane] = [amount; 4];
    }

    /// Whether a vertex was processed.
    #[inline]
    pub fn is_done(&self, lane: usize) -> bool {
        self.done[lane][0] == 1.0
    }

    /// Returns the slots of a processed vertex.
    #[inline]
    pub fn get(&self, lane: usize) -> ([u16; 4], [f32; 4]) {
        (self.keys[lane].map(joint_of), self.weights[lane])
    }
}

/// Vectorized normalizer for plain vertices: four float weights that are finite and not negative,
/// and no duplicate joint. Other vertices are left to `list`.
#[derive(Clone)]
pub struct SimdNormalizer {
    pub(super) arch: Arch,
    /// Sort key of each joint of the skin.
    keys: Vec<i32>,
    /// Whether any joint is locked.
    pub(super) has_locks: bool,
}

impl SimdNormalizer {
    /// Creates a normalizer for maps with `stride` slots per vertex. Returns `None` if the map or
    /// the constraints need the general normalizer in `list`.
    pub fn new(stride: usize, rule: &WeightConstraints<'_>) -> Option<Self> {
        let plain = rule.encoding == WeightEncoding::Float
            && stride == 4
            && rule.limit >= 4
            && rule.pairs.is_empty();
        let key = |(joint, locked): (u16, &bool)| key_of(joint) | if *locked { LOCKED } else { 0 };
        plain.then(|| Self {
            arch: vectors(),
            keys: (0..=u16::MAX).zip(rule.locked).map(key).collect(),
            has_locks: rule.locked.contains(&true),
        })
    }

    /// Writes the slots of a vertex to a lane.
    #[inline]
    pub fn put(&self, group: &mut LaneGroup, lane: usize, joints: &[u16; 4], weights: &[f32; 4]) {
        group.weights[lane] = *weights;
        group.keys[lane] = joints.map(|j| self.key(j));
    }

    /// Returns the smallest sort key above the keys of all joints.
    pub(super) const fn end(&self) -> i32 {
        self.joint_count() << JOINT_SHIFT
    }

    /// Returns the number of joints, at most 2¹⁶.
    pub(super) const fn joint_count(&self) -> i32 {
        self.keys.len() as i32
    }

    #[inline]
    pub(super) fn key(&self, joint: u16) -> i32 {
        self.keys.get(usize::from(joint)).copied().unwrap_or_else(|| key_of(joint))
    }

    /// Paints an unlocked joint with a brush that changes one joint.
    pub fn brush(&self, group: &mut LaneGroup, joint: u16, brush: &Brush) {
        self.run(group, Task::Brush { kind: brush.kind, value: brush.value, key: key_of(joint) });
    }

    /// Sorts the slots of vertices whose weights sum to 1. Other vertices are not processed.
    pub fn order(&self, group: &mut LaneGroup) {
        self.run(group, Task::Order);
    }

    /// Drops unlocked weights below a value, except the largest. A vertex is normalized if any of
    /// its weights was dropped.
    pub fn prune(&self, group: &mut LaneGroup, below: f32) {
        self.run(group, Task::PruneInPlace { below });
    }

    /// Normalizes the vertices like [`super::normalize`].
    pub fn normalize(&self, group: &mut LaneGroup) {
        self.run(group, Task::Normalize);
    }

    fn run(&self, group: &mut LaneGroup, task: Task) {
        let LaneGroup { weights, keys, amounts, done } = group;
        let end = self.end();
        self.arch.dispatch(Run {
            weights: weights.as_flattened_mut(),
            keys: keys.as_flattened_mut(),
            amounts: amounts.as_flattened(),
            done: done.as_flattened_mut(),
            task,
            end,
        });
    }
}

/// Operation on a group of vertices.
#[derive(Clone, Copy, Debug)]
pub enum Task {
    Brush {
        kind: BrushKind,
        value: f32,
        key: i32,
    },
    Normalize,
    Order,
    /// Tests whether vertices are normalized, and changes nothing.
    Check,
    /// Normalizes vertices. A vertex keeps its slots if it is already normalized, or if it cannot
    /// be normalized.
    NormalizeInPlace,
    /// Prunes vertices. A vertex keeps its slots if it has no weight below `below`, or if it cannot
    /// be normalized.
    PruneInPlace {
        below: f32,
    },
}

/// A task on the slots of [`LANES`] vertices, in the layout of a [`LaneGroup`].
pub struct Run<'a> {
    pub weights: &'a mut [f32],
    pub keys: &'a mut [i32],
    pub amounts: &'a [f32],
    pub done: &'a mut [f32],
    pub task: Task,
    /// Smallest sort key above the keys of all joints.
    pub end: i32,
}

impl WithSimd for Run<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let weights = S::as_mut_simd_f32s(self.weights).0.as_chunks_mut::<4>().0;
        // Integers are shuffled as floats, which keeps their bits.
        let keys =
            S::as_mut_simd_f32s(bytemuck::cast_slice_mut(self.keys)).0.as_chunks_mut::<4>().0;
        let amounts = S::as_simd_f32s(self.amounts).0.as_chunks::<4>().0;
        let done = S::as_mut_simd_f32s(self.done).0.as_chunks_mut::<4>().0;
        for i in 0..LANES / S::F32_LANES {
            // Transposes the slots of vertices to one vector per slot. The order of lanes does not
            // matter.
            let w = simd.deinterleave_shfl_f32s(weights[i]);
            let k = simd.deinterleave_shfl_f32s(keys[i]);
            let slots = [
                F32Lanes(simd, w[0]),
                F32Lanes(simd, w[1]),
                F32Lanes(simd, w[2]),
                F32Lanes(simd, w[3]),
            ];
            let owners = [
                I32Lanes::of_bits(simd, k[0]),
                I32Lanes::of_bits(simd, k[1]),
                I32Lanes::of_bits(simd, k[2]),
                I32Lanes::of_bits(simd, k[3]),
            ];
            let (mut four, mut is_plain) = SlotLanes::read(slots, owners, self.end);
            let before = SlotLanes { weights: slots, keys: owners };
            let is_done = match self.task {
                Task::Brush { kind, value, key } => {
                    let key = I32Lanes::all(simd, key);
                    let amount = F32Lanes(simd, simd.deinterleave_shfl_f32s(amounts[i])[0]);
                    let weight = four.weight_of(key);
                    four.paint(key, kind.weight_for(value, weight, amount))
                }
                Task::Normalize => four.normalize(),
                Task::Order => {
                    let is_exact = kernel::is_exact(&four);
                    four.sort();
                    is_exact
                }
                Task::Check => kernel::is_one(&four),
                Task::NormalizeInPlace => {
                    let is_right = kernel::is_one(&four);
                    let is_normalized = four.normalize();
                    four.replace_in(!(is_plain & is_normalized & !is_right), &before);
                    is_right | is_normalized
                }
                Task::PruneInPlace { below } => {
                    let is_small = four.has_below(below);
                    kernel::drop_below(&mut four, below);
                    let is_normalized = four.normalize() & is_plain;
                    four.replace_in(!(is_normalized & is_small), &before);
                    is_plain = is_plain | !is_small;
                    is_normalized | !is_small
                }
            };
            let one = F32Lanes::all(simd, 1.0);
            let one = (is_plain & is_done).pick(one, F32Lanes::all(simd, 0.0)).1;
            let (w, k) = (four.weights, four.keys);
            weights[i] = simd.interleave_shfl_f32s([w[0].1, w[1].1, w[2].1, w[3].1]);
            keys[i] =
                simd.interleave_shfl_f32s([k[0].bits(), k[1].bits(), k[2].bits(), k[3].bits()]);
            done[i] = simd.interleave_shfl_f32s([one; 4]);
        }
    }
}
