//! The plain case of the rule, fast: four floats a vertex, and room for four joints.
//!
//! What is here does to the bit what `share` does, for many vertices side by side and without a
//! branch that depends on a weight. Where a vertex is not plain (a joint twice, a negative weight,
//! nobody who takes the rest …) it says so, and `share` has it.

mod open;
mod sweep;

use pulp::{Arch, Simd, WithSimd};

pub(super) use self::sweep::{normalize, prune};
use super::{
    Brush, BrushKind, WeightConstraints,
    lanes::{F32Lanes, I32Lanes, Masks},
};
use ulna_geometry::vectors;
use ulna_model::WeightEncoding;

/// Vertices that are worked on together.
pub(super) const LANES: usize = 16;

/// Slots of the vertices that are worked on together.
const SLOTS: usize = LANES * 4;

/// A joint of which the weight never moves: a bit below its number.
const LOCKED: i32 = 1;
/// A joint whose weight was painted.
const PAINTED: i32 = 2;
/// What keeps its weight when the rest is shared.
const FIXED: i32 = LOCKED | PAINTED;
/// Where the joint's number begins.
const JOINT: i32 = 2;

/// The slots of some vertices.
#[derive(Clone, Default)]
pub(super) struct LaneGroup {
    weights: [[f32; 4]; LANES],
    /// Joints with their bits.
    keys: [[i32; 4]; LANES],
    /// What is done to each, the same in all four.
    amounts: [[f32; 4]; LANES],
    /// 1 where it was done, as the rule has it; 0 where that remains to do. The same in all four.
    done: [[f32; 4]; LANES],
}

impl LaneGroup {
    /// Sets how much is done to a vertex.
    #[inline]
    pub const fn set_amount(&mut self, lane: usize, amount: f32) {
        self.amounts[lane] = [amount; 4];
    }

    /// Whether a vertex is done.
    #[inline]
    pub fn is_done(&self, lane: usize) -> bool {
        self.done[lane][0] == 1.0
    }

    /// The slots of a vertex that is done.
    #[inline]
    pub fn get(&self, lane: usize) -> ([u16; 4], [f32; 4]) {
        (self.keys[lane].map(|key| (key >> JOINT) as u16), self.weights[lane])
    }
}

/// What holds for a map whose vertices may be plain.
#[derive(Clone)]
pub(super) struct SimdNormalizer {
    arch: Arch,
    /// By the skin's joints.
    keys: Vec<i32>,
    /// Whether one of them is locked.
    locks: bool,
}

impl SimdNormalizer {
    /// Nothing where no vertex of a map with so many slots can be plain.
    pub fn new(stride: usize, rule: &WeightConstraints<'_>) -> Option<Self> {
        let plain = rule.encoding == WeightEncoding::Float
            && stride == 4
            && rule.limit >= 4
            && rule.pairs.is_empty();
        let key =
            |(k, locked): (usize, &bool)| (k as i32) << JOINT | if *locked { LOCKED } else { 0 };
        plain.then(|| Self {
            arch: vectors(),
            keys: rule.locked.iter().take(1 << 16).enumerate().map(key).collect(),
            locks: rule.locked.contains(&true),
        })
    }

    /// Puts a vertex in.
    #[inline]
    pub fn put(&self, group: &mut LaneGroup, lane: usize, joints: &[u16; 4], weights: &[f32; 4]) {
        group.weights[lane] = *weights;
        group.keys[lane] = joints.map(|j| self.key(j));
    }

    #[inline]
    fn key(&self, joint: u16) -> i32 {
        self.keys.get(usize::from(joint)).copied().unwrap_or_else(|| i32::from(joint) << JOINT)
    }

    /// Gives a joint, which is not locked, the weight that a brush of one joint makes of its own
    /// and the amounts.
    pub fn brush(&self, group: &mut LaneGroup, joint: u16, brush: &Brush) {
        self.run(
            group,
            Task::Brush { kind: brush.kind, value: brush.value, key: i32::from(joint) << JOINT },
        );
    }

    /// Puts slots in order, of vertices that are right but for that; others are not done.
    pub fn order(&self, group: &mut LaneGroup) {
        self.run(group, Task::Order);
    }

    /// Drops unlocked weights below a value, but never the largest, and normalizes where there was
    /// one.
    pub fn prune(&self, group: &mut LaneGroup, below: f32) {
        self.run(group, Task::PruneInPlace { below });
    }

    /// As `share::normalize`.
    pub fn normalize(&self, group: &mut LaneGroup) {
        self.run(group, Task::Normalize);
    }

    fn run(&self, group: &mut LaneGroup, task: Task) {
        let LaneGroup { weights, keys, amounts, done } = group;
        let end = (self.keys.len() as i32) << JOINT;
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

#[derive(Clone, Copy)]
enum Task {
    Brush {
        kind: BrushKind,
        value: f32,
        key: i32,
    },
    Normalize,
    Order,
    /// Whether it is right as it is.
    Look,
    NormalizeInOrder,
    PruneInPlace {
        below: f32,
    },
}

/// Work on the slots of [`LANES`] vertices, laid out as in a [`LaneGroup`].
struct Run<'a> {
    weights: &'a mut [f32],
    keys: &'a mut [i32],
    amounts: &'a [f32],
    done: &'a mut [f32],
    task: Task,
    /// The first key that is no joint's.
    end: i32,
}

impl WithSimd for Run<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let weights = S::as_mut_simd_f32s(self.weights).0.as_chunks_mut::<4>().0;
        // Whole numbers change their places as floats do.
        let keys =
            S::as_mut_simd_f32s(bytemuck::cast_slice_mut(self.keys)).0.as_chunks_mut::<4>().0;
        let amounts = S::as_simd_f32s(self.amounts).0.as_chunks::<4>().0;
        let done = S::as_mut_simd_f32s(self.done).0.as_chunks_mut::<4>().0;
        for i in 0..LANES / S::F32_LANES {
            // Slots of a vertex side by side become vertices side by side, in whatever order.
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
            let (mut five, mut plain) = FiveLanes::new(simd, slots, owners, self.end);
            let fine = match self.task {
                Task::Brush { kind, value, key } => {
                    let key = I32Lanes::all(simd, key);
                    let amount = F32Lanes(simd, simd.deinterleave_shfl_f32s(amounts[i])[0]);
                    let now = five.sum(five.slots_of(key));
                    five.paint(key, wish(kind, value, now, amount))
                }
                Task::Normalize => five.normalize(),
                Task::Order => {
                    let w = five.weights;
                    let off = (w[0] + w[1] + w[2] + w[3] - five.one).abs().gt(1.2e-7);
                    five.sort_four();
                    !off
                }
                Task::Look => five.is_one(),
                Task::NormalizeInOrder => {
                    let right = five.is_one();
                    let fine = five.normalize();
                    five.keep_but(fine & !right & plain, slots, owners);
                    right | fine
                }
                Task::PruneInPlace { below } => {
                    let small = five.prune(below);
                    let fine = five.normalize() & plain;
                    five.keep_but(fine & small, slots, owners);
                    plain = plain | !small;
                    fine | !small
                }
            };
            let one = (plain & fine).pick(five.one, five.zero).1;
            let (w, k) = (five.weights, five.keys);
            weights[i] = simd.interleave_shfl_f32s([w[0].1, w[1].1, w[2].1, w[3].1]);
            keys[i] =
                simd.interleave_shfl_f32s([k[0].bits(), k[1].bits(), k[2].bits(), k[3].bits()]);
            done[i] = simd.interleave_shfl_f32s([one; 4]);
        }
    }
}

/// As [`Brush::value_for`].
#[inline(always)]
fn wish<S: Simd>(
    kind: BrushKind,
    value: f32,
    now: F32Lanes<S>,
    amount: F32Lanes<S>,
) -> F32Lanes<S> {
    let (value, one) = (F32Lanes::all(now.0, value), F32Lanes::all(now.0, 1.0));
    let wish = match kind {
        BrushKind::Add => now + amount * value,
        BrushKind::Subtract => now - amount * value,
        BrushKind::Replace => now + amount * (value - now),
        BrushKind::Scale => now * (one + amount * (value - one)),
        _ => now,
    };
    wish.above_zero().min(one)
}

/// One vertex's weights, one more than there is room for, and whose they are: many of them, side by
/// side.
struct FiveLanes<S: Simd> {
    weights: [F32Lanes<S>; 5],
    keys: [I32Lanes<S>; 5],
    zero: F32Lanes<S>,
    one: F32Lanes<S>,
    nobody: I32Lanes<S>,
}

#[expect(clippy::needless_range_loop, reason = "an iterator may stay a call")]
impl<S: Simd> FiveLanes<S> {
    /// Slots and their owners; those without a weight are nobody's. And whether they are plain: no
    /// negative weight, no joint twice, all of them joints of the skin.
    #[inline(always)]
    fn new(simd: S, w: [F32Lanes<S>; 4], k: [I32Lanes<S>; 4], end: i32) -> (Self, Masks<S>) {
        let (zero, nobody) = (F32Lanes::all(simd, 0.0), I32Lanes::all(simd, 0));
        let used = [w[0].gt(0.0), w[1].gt(0.0), w[2].gt(0.0), w[3].gt(0.0)];
        let twice = (used[0] & used[1] & k[0].eq(k[1]))
            | (used[0] & used[2] & k[0].eq(k[2]))
            | (used[0] & used[3] & k[0].eq(k[3]))
            | (used[1] & used[2] & k[1].eq(k[2]))
            | (used[1] & used[3] & k[1].eq(k[3]))
            | (used[2] & used[3] & k[2].eq(k[3]));
        let whole = w[0].ge(0.0) & w[1].ge(0.0) & w[2].ge(0.0) & w[3].ge(0.0);
        let finite = (w[0] + w[1] + w[2] + w[3]).lt(F32Lanes::all(simd, f32::MAX));
        let end = I32Lanes::all(simd, end);
        let inside = k[0].lt(end) & k[1].lt(end) & k[2].lt(end) & k[3].lt(end);
        let five = Self {
            weights: [w[0], w[1], w[2], w[3], zero],
            keys: [
                used[0].pick_whole(k[0], nobody),
                used[1].pick_whole(k[1], nobody),
                used[2].pick_whole(k[2], nobody),
                used[3].pick_whole(k[3], nobody),
                nobody,
            ],
            zero,
            one: F32Lanes::all(simd, 1.0),
            nobody,
        };
        (five, whole & finite & inside & !twice)
    }

    /// Of which slots the joint has none of these bits.
    #[inline(always)]
    fn lacks(&self, bits: i32) -> [Masks<S>; 5] {
        let k = self.keys;
        [k[0].lacks(bits), k[1].lacks(bits), k[2].lacks(bits), k[3].lacks(bits), k[4].lacks(bits)]
    }

    /// Which slots have a weight.
    #[inline(always)]
    fn used(&self) -> [Masks<S>; 5] {
        let w = self.weights;
        [w[0].gt(0.0), w[1].gt(0.0), w[2].gt(0.0), w[3].gt(0.0), w[4].gt(0.0)]
    }

    /// Which slots are of a joint.
    #[inline(always)]
    fn slots_of(&self, key: I32Lanes<S>) -> [Masks<S>; 5] {
        let (k, w) = (self.keys, self.used());
        [
            k[0].eq(key) & w[0],
            k[1].eq(key) & w[1],
            k[2].eq(key) & w[2],
            k[3].eq(key) & w[3],
            k[4].eq(key) & w[4],
        ]
    }

    /// The weights of some slots, summed up in order.
    #[inline(always)]
    fn sum(&self, of: [Masks<S>; 5]) -> F32Lanes<S> {
        let (w, zero) = (self.weights, self.zero);
        of[0].pick(w[0], zero)
            + of[1].pick(w[1], zero)
            + of[2].pick(w[2], zero)
            + of[3].pick(w[3], zero)
            + of[4].pick(w[4], zero)
    }

    /// The weights of all slots but some, summed up in order.
    #[inline(always)]
    fn sum_without(&self, of: [Masks<S>; 5]) -> F32Lanes<S> {
        let (w, zero) = (self.weights, self.zero);
        of[0].pick(zero, w[0])
            + of[1].pick(zero, w[1])
            + of[2].pick(zero, w[2])
            + of[3].pick(zero, w[3])
            + of[4].pick(zero, w[4])
    }

    #[inline(always)]
    fn scale(&mut self, of: [Masks<S>; 5], factor: F32Lanes<S>) {
        for k in 0..5 {
            let w = self.weights[k];
            self.weights[k] = of[k].pick(w * factor, w);
        }
    }

    /// As `share::paint` with one wish.
    #[inline(always)]
    fn paint(&mut self, key: I32Lanes<S>, wish: F32Lanes<S>) -> Masks<S> {
        let mine = self.slots_of(key);
        for k in 0..4 {
            self.keys[k] = mine[k].pick_whole(self.keys[k].with(PAINTED), self.keys[k]);
        }
        let open = self.lacks(FIXED);
        let others = self.sum(open);
        let room = self.one - self.sum_without(self.lacks(LOCKED));
        let free = room.above_zero();
        let fit = free.lt(wish).pick(free / wish, self.one);
        let asked = wish * fit;
        let value = asked.min(self.one);
        let rest = (free - asked).above_zero();
        let shared = others.gt(0.0);
        self.scale(open, shared.pick(rest / others, self.one));
        for k in 0..4 {
            self.weights[k] = mine[k].pick(value, self.weights[k]);
        }
        let known = mine[0] | mine[1] | mine[2] | mine[3];
        self.weights[4] = known.pick(self.zero, value);
        self.keys[4] = known.pick_whole(self.nobody, key.with(PAINTED));
        let settled = self.settle();
        room.ge(-1e-4) & (shared | !rest.gt(1e-7)) & settled
    }

    /// Drops unlocked weights below a value, but never the largest. Which vertices have one that is
    /// so small.
    #[inline(always)]
    fn prune(&mut self, below: f32) -> Masks<S> {
        let [a, b, c, d, _] = self.weights;
        let largest = a.max(b).max(c.max(d));
        let limit = F32Lanes::all(self.one.0, below);
        let small = |w: F32Lanes<S>| w.gt(0.0) & w.lt(limit);
        let found = small(a) | small(b) | small(c) | small(d);
        for k in 0..4 {
            let w = self.weights[k];
            let goes = !w.ge(below) & w.lt(largest) & self.keys[k].lacks(LOCKED);
            self.weights[k] = goes.pick(self.zero, w);
        }
        found
    }

    /// Puts slots back as they were, but for some vertices.
    #[inline(always)]
    fn keep_but(&mut self, changed: Masks<S>, slots: [F32Lanes<S>; 4], owners: [I32Lanes<S>; 4]) {
        for k in 0..4 {
            self.weights[k] = changed.pick(self.weights[k], slots[k]);
            self.keys[k] = changed.pick_whole(self.keys[k], owners[k]);
        }
    }

    /// As `share::normalize`.
    #[inline(always)]
    fn normalize(&mut self) -> Masks<S> {
        let fine = self.scale_to_one();
        fine & self.settle()
    }

    /// Whether weights sum to 1 as the validator has it.
    #[inline(always)]
    fn is_one(&self) -> Masks<S> {
        let (w, used, zero, one) = (self.weights, self.used(), self.zero, self.one);
        let count = used[0].pick(one, zero)
            + used[1].pick(one, zero)
            + used[2].pick(one, zero)
            + used[3].pick(one, zero);
        let allowed = F32Lanes::all(one.0, 2e-7) * count;
        let sum = w[0] + w[1] + w[2] + w[3];
        !allowed.lt((sum - one).abs())
    }

    /// Scales the unlocked weights to what locked ones leave.
    #[inline(always)]
    fn scale_to_one(&mut self) -> Masks<S> {
        let open = self.lacks(LOCKED);
        let room = self.one - self.sum_without(open);
        let sum = self.sum(open);
        let factor = room.above_zero() / sum;
        let factor = (factor - self.one).abs().gt(1e-6).pick(factor, self.one);
        self.scale(open, factor);
        room.ge(-1e-4) & sum.gt(0.0)
    }

    /// As the rule settles a list of floats with room for four.
    #[inline(always)]
    fn settle(&mut self) -> Masks<S> {
        for k in 0..5 {
            let used = self.weights[k].gt(0.0);
            self.weights[k] = used.pick(self.weights[k], self.zero);
            self.keys[k] = used.pick_whole(self.keys[k], self.nobody);
        }
        // A network of nine comparators (Knuth, *The Art of Computer Programming*, 5.3.4).
        self.order(0, 3);
        self.order(1, 4);
        self.order(0, 2);
        self.order(1, 3);
        self.order(0, 1);
        self.order(2, 4);
        self.order(1, 2);
        self.order(3, 4);
        self.order(2, 3);
        // Of five, the last one goes that is neither locked nor painted, and the others move up.
        let five = self.weights[4].gt(0.0);
        let open = self.lacks(FIXED);
        // Whether it is this slot that goes, or one before it.
        let at_3 = !open[4];
        let at_2 = at_3 & !open[3];
        let at_1 = at_2 & !open[2];
        let at_0 = at_1 & !open[1];
        let mut dropped = self.weights[4];
        dropped = at_3.pick(self.weights[3], dropped);
        dropped = at_2.pick(self.weights[2], dropped);
        dropped = at_1.pick(self.weights[1], dropped);
        dropped = at_0.pick(self.weights[0], dropped);
        self.move_up(0, five & at_0);
        self.move_up(1, five & at_1);
        self.move_up(2, five & at_2);
        self.move_up(3, five & at_3);
        (self.weights[4], self.keys[4]) = (self.zero, self.nobody);
        let others = self.lacks(FIXED);
        let sum = self.sum(others);
        self.scale(others, five.pick((sum + dropped) / sum, self.one));
        let mut fine = !five | ((!at_0 | open[0]) & sum.gt(0.0));
        self.sort_four();
        fine = fine & self.give_remainder();
        self.sort_four();
        fine
    }

    /// What is left to a sum of 1 in order goes to the largest that was not painted, else to the
    /// painted one.
    #[inline(always)]
    fn give_remainder(&mut self) -> Masks<S> {
        let (w, used, plain, any) =
            (self.weights, self.used(), self.lacks(FIXED), self.lacks(LOCKED));
        let has_plain = (used[0] & plain[0])
            | (used[1] & plain[1])
            | (used[2] & plain[2])
            | (used[3] & plain[3]);
        let mut found = has_plain & !has_plain;
        let mut others = self.zero;
        let mut remainder_receiver = [found; 4];
        for k in 0..4 {
            let takes = used[k] & (plain[k] | (!has_plain & any[k])) & !found;
            found = found | takes;
            others = others + takes.pick(self.zero, w[k]);
            remainder_receiver[k] = takes;
        }
        let off = (w[0] + w[1] + w[2] + w[3] - self.one).abs().gt(1.2e-7);
        let left = self.one - others;
        for k in 0..4 {
            self.weights[k] = (off & remainder_receiver[k]).pick(left, w[k]);
        }
        !off | (found & left.gt(0.0))
    }

    /// Puts the next slot in the place of this one.
    #[inline(always)]
    fn move_up(&mut self, k: usize, up: Masks<S>) {
        self.weights[k] = up.pick(self.weights[k + 1], self.weights[k]);
        self.keys[k] = up.pick_whole(self.keys[k + 1], self.keys[k]);
    }

    #[inline(always)]
    fn sort_four(&mut self) {
        self.order(0, 1);
        self.order(2, 3);
        self.order(0, 2);
        self.order(1, 3);
        self.order(1, 2);
    }

    /// Puts two slots in order: the larger weight first, of equals the joint that comes first in
    /// the skin.
    #[inline(always)]
    fn order(&mut self, a: usize, b: usize) {
        let (v, w, i, j) = (self.weights[a], self.weights[b], self.keys[a], self.keys[b]);
        let turn = v.lt(w) | (v.eq(w) & j.lt(i));
        (self.weights[a], self.weights[b]) = (v.max(w), v.min(w));
        (self.keys[a], self.keys[b]) = (turn.pick_whole(j, i), turn.pick_whole(i, j));
    }
}
