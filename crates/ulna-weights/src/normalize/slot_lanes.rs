//! Slots of several vertices, one vertex per lane.

#![expect(clippy::needless_range_loop, reason = "an iterator may stay a call")]

use pulp::Simd;

use super::{
    kernel::{self, SlotClass, Slots},
    lanes::{F32Lanes, I32Lanes, Masks},
};

/// Bit of a sort key that is set for a locked joint.
pub const LOCKED: i32 = 1;
/// Bit of a sort key that is set for a painted joint.
pub const PAINTED: i32 = 2;
/// Number of bits below the joint index in a sort key.
pub const JOINT_SHIFT: u32 = 2;

/// Returns the sort key of a slot with an unlocked joint.
#[inline(always)]
pub fn key_of(joint: u16) -> i32 {
    i32::from(joint) << JOINT_SHIFT
}

/// Returns the joint of a sort key. The key must not be negative.
#[inline(always)]
pub const fn joint_of(key: i32) -> u16 {
    (key >> JOINT_SHIFT) as u16
}

/// `N` slots of one vertex per lane: four, or five while a painted joint may exceed the limit.
///
/// A slot without a weight has the sort key 0. The order of sort keys is the order of joints.
#[derive(Clone, Copy)]
pub struct SlotLanes<S: Simd, const N: usize> {
    pub weights: [F32Lanes<S>; N],
    pub keys: [I32Lanes<S>; N],
}

impl<S: Simd> SlotLanes<S, 4> {
    /// Reads slots with the joint keys of a file. Also returns whether the kernel can process them:
    /// no negative or infinite weight, no duplicate joint, and all keys below `end`.
    #[inline(always)]
    pub fn read(weights: [F32Lanes<S>; 4], keys: [I32Lanes<S>; 4], end: i32) -> (Self, Masks<S>) {
        let (w, k) = (weights, keys);
        let simd = w[0].0;
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
        let unused = I32Lanes::all(simd, 0);
        let keys = [
            used[0].pick_whole(k[0], unused),
            used[1].pick_whole(k[1], unused),
            used[2].pick_whole(k[2], unused),
            used[3].pick_whole(k[3], unused),
        ];
        (Self { weights, keys }, whole & finite & inside & !twice)
    }

    /// Replaces the slots in the lanes of a mask.
    #[inline(always)]
    pub fn replace_in(&mut self, lanes: Masks<S>, other: &Self) {
        for slot in 0..4 {
            self.weights[slot] = lanes.pick(other.weights[slot], self.weights[slot]);
            self.keys[slot] = lanes.pick_whole(other.keys[slot], self.keys[slot]);
        }
    }

    /// Normalizes the slots like `super::normalize`. Returns whether the kernel could do it. If
    /// not, the slots are undefined.
    #[inline(always)]
    pub fn normalize(&mut self) -> Masks<S> {
        let totals = kernel::totals(self);
        kernel::scale_to_one(self, &totals);
        let is_right = self.finish();
        kernel::is_room(totals.room) & totals.unlocked.gt(0.0) & is_right
    }

    /// Paints one joint like `super::paint`. Returns whether the kernel could do it. If not, the
    /// slots are undefined.
    #[inline(always)]
    pub fn paint(&mut self, key: I32Lanes<S>, wish: F32Lanes<S>) -> Masks<S> {
        let (zero, unused) = (self.zero(), I32Lanes::all(self.simd(), 0));
        let mut mine = [zero.lt(zero); 4];
        for slot in 0..4 {
            mine[slot] = self.has(key, slot);
            self.keys[slot] = mine[slot].pick_whole(self.keys[slot].with(PAINTED), self.keys[slot]);
        }
        let division = kernel::divide(self, wish);
        let weight = division.fitted(wish);
        for slot in 0..4 {
            self.weights[slot] = mine[slot].pick(weight, self.weights[slot]);
        }
        let is_known = mine[0] | mine[1] | mine[2] | mine[3];
        let ([a, b, c, d], [i, j, k, l]) = (self.weights, self.keys);
        let five = SlotLanes {
            weights: [a, b, c, d, is_known.pick(zero, weight)],
            keys: [i, j, k, l, is_known.pick_whole(unused, key.with(PAINTED))],
        };
        let (four, fits) = five.limited_to_four();
        *self = four;
        let is_right = self.finish();
        kernel::is_room(division.room)
            & (division.is_shared | !division.rest.gt(kernel::REST_TOLERANCE))
            & fits
            & is_right
    }

    /// Whether any weight is between 0 and `below`, both excluded.
    #[inline(always)]
    pub fn has_below(&self, below: f32) -> Masks<S> {
        let ([a, b, c, d], below) = (self.weights, F32Lanes::all(self.simd(), below));
        (a.gt(0.0) & a.lt(below))
            | (b.gt(0.0) & b.lt(below))
            | (c.gt(0.0) & c.lt(below))
            | (d.gt(0.0) & d.lt(below))
    }

    /// Returns the sum of the weights of a joint.
    #[inline(always)]
    pub fn weight_of(&self, key: I32Lanes<S>) -> F32Lanes<S> {
        let (w, zero) = (self.weights, self.zero());
        self.has(key, 0).pick(w[0], zero)
            + self.has(key, 1).pick(w[1], zero)
            + self.has(key, 2).pick(w[2], zero)
            + self.has(key, 3).pick(w[3], zero)
    }

    /// Sorts by descending weight, then by ascending joint index, with a network of five
    /// comparators (Knuth, *The Art of Computer Programming*, 5.3.4).
    #[inline(always)]
    pub fn sort(&mut self) {
        self.order(0, 1);
        self.order(2, 3);
        self.order(0, 2);
        self.order(1, 3);
        self.order(1, 2);
    }

    /// Sorts the slots, and adds the difference between 1 and their sum to the strongest weight.
    /// Returns whether this succeeded.
    #[inline(always)]
    fn finish(&mut self) -> Masks<S> {
        self.clear_unused();
        self.sort();
        let receiver = self.strongest();
        let is_right = kernel::give_remainder(self, kernel::is_exact(self), receiver);
        self.sort();
        is_right
    }
}

impl<S: Simd> SlotLanes<S, 5> {
    /// Reduces five slots to four. If all five have a weight, the last free slot is dropped, and
    /// its weight is distributed to the other free slots. Also returns whether this succeeded.
    #[inline(always)]
    fn limited_to_four(mut self) -> (SlotLanes<S, 4>, Masks<S>) {
        self.clear_unused();
        self.sort();
        let is_full = self.weights[4].gt(0.0);
        let [a, b, c, d, e] = self.keys;
        let free = [
            a.lacks(LOCKED | PAINTED),
            b.lacks(LOCKED | PAINTED),
            c.lacks(LOCKED | PAINTED),
            d.lacks(LOCKED | PAINTED),
            e.lacks(LOCKED | PAINTED),
        ];
        // Whether the dropped slot is this slot or an earlier one.
        let at_3 = !free[4];
        let at_2 = at_3 & !free[3];
        let at_1 = at_2 & !free[2];
        let at_0 = at_1 & !free[1];
        let can_drop = !at_0 | free[0];
        let mut dropped = self.weights[4];
        dropped = at_3.pick(self.weights[3], dropped);
        dropped = at_2.pick(self.weights[2], dropped);
        dropped = at_1.pick(self.weights[1], dropped);
        dropped = at_0.pick(self.weights[0], dropped);
        self.move_up(0, is_full & at_0);
        self.move_up(1, is_full & at_1);
        self.move_up(2, is_full & at_2);
        self.move_up(3, is_full & at_3);
        let ([a, b, c, d, _], [i, j, k, l, _]) = (self.weights, self.keys);
        let mut four = SlotLanes { weights: [a, b, c, d], keys: [i, j, k, l] };
        let takes = kernel::distribute_dropped(&mut four, SlotClass::Free, dropped, is_full);
        (four, !is_full | (can_drop & takes))
    }

    /// Sorts five slots by descending weight, then by ascending joint index, with a network of nine
    /// comparators.
    #[inline(always)]
    fn sort(&mut self) {
        self.order(0, 3);
        self.order(1, 4);
        self.order(0, 2);
        self.order(1, 3);
        self.order(0, 1);
        self.order(2, 4);
        self.order(1, 2);
        self.order(3, 4);
        self.order(2, 3);
    }

    /// Moves the next slot into this slot, in the lanes of a mask.
    #[inline(always)]
    fn move_up(&mut self, slot: usize, lanes: Masks<S>) {
        self.weights[slot] = lanes.pick(self.weights[slot + 1], self.weights[slot]);
        self.keys[slot] = lanes.pick_whole(self.keys[slot + 1], self.keys[slot]);
    }
}

impl<S: Simd, const N: usize> SlotLanes<S, N> {
    #[inline(always)]
    fn zero(&self) -> F32Lanes<S> {
        F32Lanes::all(self.simd(), 0.0)
    }

    /// Whether a slot belongs to the joint of a key.
    #[inline(always)]
    fn has(&self, key: I32Lanes<S>, slot: usize) -> Masks<S> {
        self.keys[slot].eq(key) & self.weights[slot].gt(0.0)
    }

    #[inline(always)]
    fn clear_unused(&mut self) {
        let (zero, unused) = (self.zero(), I32Lanes::all(self.simd(), 0));
        for slot in 0..N {
            let used = self.weights[slot].gt(0.0);
            self.weights[slot] = used.pick(self.weights[slot], zero);
            self.keys[slot] = used.pick_whole(self.keys[slot], unused);
        }
    }

    /// Sorts two slots of each vertex: larger weight first, and equal weights by sort key.
    #[inline(always)]
    fn order(&mut self, a: usize, b: usize) {
        let (v, w, i, j) = (self.weights[a], self.weights[b], self.keys[a], self.keys[b]);
        let turn = v.lt(w) | (v.eq(w) & j.lt(i));
        (self.weights[a], self.weights[b]) = (v.max(w), v.min(w));
        (self.keys[a], self.keys[b]) = (turn.pick_whole(j, i), turn.pick_whole(i, j));
    }

    /// Chooses the largest weight that is neither locked nor painted, else the largest unlocked
    /// weight. The slots must be sorted.
    #[inline(always)]
    fn strongest(&self) -> [Masks<S>; N] {
        let none = self.zero().lt(self.zero());
        let mut is_any_free = none;
        for slot in 0..N {
            is_any_free =
                is_any_free | (self.weights[slot].gt(0.0) & self.is_in(SlotClass::Free, slot));
        }
        let (mut found, mut choice) = (none, [none; N]);
        for slot in 0..N {
            let takes = self.is_in(SlotClass::Free, slot)
                | (!is_any_free & self.is_in(SlotClass::Unlocked, slot));
            choice[slot] = self.weights[slot].gt(0.0) & takes & !found;
            found = found | choice[slot];
        }
        choice
    }
}

impl<S: Simd, const N: usize> Slots for SlotLanes<S, N> {
    type Lanes = S;
    type Choice = [Masks<S>; N];

    #[inline(always)]
    fn simd(&self) -> S {
        self.weights[0].0
    }

    #[inline(always)]
    fn count(&self) -> usize {
        N
    }

    #[inline(always)]
    fn weight(&self, slot: usize) -> F32Lanes<S> {
        self.weights[slot]
    }

    #[inline(always)]
    fn set_weight(&mut self, slot: usize, weight: F32Lanes<S>) {
        self.weights[slot] = weight;
    }

    #[inline(always)]
    fn is_in(&self, class: SlotClass, slot: usize) -> Masks<S> {
        match class {
            SlotClass::Locked => !self.keys[slot].lacks(LOCKED),
            SlotClass::Unlocked => self.keys[slot].lacks(LOCKED),
            SlotClass::Free => self.keys[slot].lacks(LOCKED | PAINTED),
        }
    }

    #[inline(always)]
    fn is_any(&self, choice: [Masks<S>; N]) -> Masks<S> {
        let mut any = choice[0];
        for slot in 1..N {
            any = any | choice[slot];
        }
        any
    }

    #[inline(always)]
    fn sum_of_others(&self, choice: [Masks<S>; N]) -> F32Lanes<S> {
        let zero = self.zero();
        let mut sum = choice[0].pick(zero, self.weights[0]);
        for slot in 1..N {
            sum = sum + choice[slot].pick(zero, self.weights[slot]);
        }
        sum
    }

    #[inline(always)]
    fn set_chosen(&mut self, choice: [Masks<S>; N], lanes: Masks<S>, weight: F32Lanes<S>) {
        for slot in 0..N {
            self.weights[slot] = (lanes & choice[slot]).pick(weight, self.weights[slot]);
        }
    }
}
