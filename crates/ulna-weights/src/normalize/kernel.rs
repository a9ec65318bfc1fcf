//! Arithmetic of normalization, written once for any number of lanes.
//!
//! One lane processes one vertex. [`pulp::Scalar`] has one lane, wide vectors have eight or
//! sixteen. Lists of influences differ in storage, order and selection of slots; [`Slots`]
//! abstracts these. All calculations are here, so every kind of list gives the same bits.
//!
//! All functions are inlined, because a call would prevent wide vectors. Iterators and closures may
//! not be inlined, so loops use indices.

use pulp::Simd;

use super::lanes::{F32Lanes, Masks};

/// Maximum excess of the locked weights' sum over 1 that counts as rounding.
const ROOM_TOLERANCE: f32 = 1e-4;
/// Maximum remaining weight without a receiver that is ignored while painting.
pub const REST_TOLERANCE: f32 = 1e-7;
/// Maximum deviation of a scale factor from 1 for which weights keep their bits.
const FACTOR_TOLERANCE: f32 = 1e-6;
/// Maximum deviation of a sum from 1 that needs no correction: one float step.
const SUM_TOLERANCE: f32 = 1.2e-7;
/// Maximum deviation of a sum from 1 that the glTF validator accepts, per influence.
const VALIDATOR_TOLERANCE: f32 = 2e-7;

/// Class of slots, by lock of the joint and by the current brush.
#[derive(Clone, Copy)]
pub enum SlotClass {
    /// Slots of locked joints.
    Locked,
    /// Slots of unlocked joints.
    Unlocked,
    /// Slots of joints that are neither locked nor painted.
    Free,
}

/// Influences of one vertex per lane. Sums add the slots in order.
pub trait Slots {
    type Lanes: Simd;
    /// At most one chosen slot per lane.
    type Choice: Copy;

    fn simd(&self) -> Self::Lanes;
    /// Returns the number of slots.
    fn count(&self) -> usize;
    fn weight(&self, slot: usize) -> F32Lanes<Self::Lanes>;
    fn set_weight(&mut self, slot: usize, weight: F32Lanes<Self::Lanes>);
    fn is_in(&self, class: SlotClass, slot: usize) -> Masks<Self::Lanes>;
    /// Whether any slot is chosen.
    fn is_any(&self, choice: Self::Choice) -> Masks<Self::Lanes>;
    /// Returns the sum of all weights except the chosen one.
    fn sum_of_others(&self, choice: Self::Choice) -> F32Lanes<Self::Lanes>;
    /// Sets the weight of the chosen slot, in the lanes of a mask.
    fn set_chosen(
        &mut self,
        choice: Self::Choice,
        lanes: Masks<Self::Lanes>,
        weight: F32Lanes<Self::Lanes>,
    );

    /// Returns the weight of a slot if the slot belongs to a class, else 0.
    #[inline(always)]
    fn weight_in(&self, class: SlotClass, slot: usize) -> F32Lanes<Self::Lanes> {
        self.is_in(class, slot).pick(self.weight(slot), splat(self, 0.0))
    }

    /// Scales the weights of all slots of a class.
    #[inline(always)]
    fn scale(&mut self, class: SlotClass, factor: F32Lanes<Self::Lanes>) {
        for slot in 0..self.count() {
            let weight = self.weight(slot);
            let scaled = self.is_in(class, slot).pick(weight * factor, weight);
            self.set_weight(slot, scaled);
        }
    }
}

/// Returns a number in all lanes.
#[inline(always)]
pub fn splat<T: Slots + ?Sized>(list: &T, value: f32) -> F32Lanes<T::Lanes> {
    F32Lanes::all(list.simd(), value)
}

/// Returns the sum of all weights.
#[inline(always)]
pub fn sum<T: Slots>(list: &T) -> F32Lanes<T::Lanes> {
    if list.count() == 0 {
        return splat(list, 0.0);
    }
    let mut sum = list.weight(0);
    for slot in 1..list.count() {
        sum = sum + list.weight(slot);
    }
    sum
}

/// Returns the sum of the weights of a class.
#[inline(always)]
pub fn sum_of<T: Slots>(list: &T, class: SlotClass) -> F32Lanes<T::Lanes> {
    if list.count() == 0 {
        return splat(list, 0.0);
    }
    let mut sum = list.weight_in(class, 0);
    for slot in 1..list.count() {
        sum = sum + list.weight_in(class, slot);
    }
    sum
}

/// Whether the locked weights sum to at most 1, except for rounding. `room` is 1 minus this sum.
#[inline(always)]
pub fn is_room<S: Simd>(room: F32Lanes<S>) -> Masks<S> {
    room.ge(-ROOM_TOLERANCE)
}

/// Whether a sum of weights equals 1 within the tolerance of the glTF validator.
#[inline(always)]
pub fn is_valid_sum<S: Simd>(sum: F32Lanes<S>, influences: F32Lanes<S>) -> Masks<S> {
    let simd = sum.0;
    let allowed = F32Lanes::all(simd, VALIDATOR_TOLERANCE) * influences;
    !allowed.lt((sum - F32Lanes::all(simd, 1.0)).abs())
}

/// Whether the weights of a list sum to 1 within the tolerance of the glTF validator.
#[inline(always)]
pub fn is_one<T: Slots>(list: &T) -> Masks<T::Lanes> {
    let (zero, one) = (splat(list, 0.0), splat(list, 1.0));
    let mut influences = zero;
    for slot in 0..list.count() {
        influences = influences + list.weight(slot).gt(0.0).pick(one, zero);
    }
    is_valid_sum(sum(list), influences)
}

/// Sums of the locked and unlocked weights of a vertex.
pub struct Totals<S: Simd> {
    /// 1 minus the sum of the locked weights; can be negative.
    pub room: F32Lanes<S>,
    /// Sum of the unlocked weights.
    pub unlocked: F32Lanes<S>,
}

/// Sums the locked and the unlocked weights.
#[inline(always)]
pub fn totals<T: Slots>(list: &T) -> Totals<T::Lanes> {
    let one = splat(list, 1.0);
    if list.count() == 0 {
        return Totals { room: one, unlocked: splat(list, 0.0) };
    }
    let mut locked = list.weight_in(SlotClass::Locked, 0);
    let mut unlocked = list.weight_in(SlotClass::Unlocked, 0);
    for slot in 1..list.count() {
        locked = locked + list.weight_in(SlotClass::Locked, slot);
        unlocked = unlocked + list.weight_in(SlotClass::Unlocked, slot);
    }
    Totals { room: one - locked, unlocked }
}

/// Scales the unlocked weights so that all weights sum to 1. The unlocked sum must be finite and
/// above 0. A sum that is correct within rounding keeps its bits.
#[inline(always)]
pub fn scale_to_one<T: Slots>(list: &mut T, totals: &Totals<T::Lanes>) {
    let one = splat(list, 1.0);
    let factor = totals.room.above_zero() / totals.unlocked;
    let scales = (factor - one).abs().gt(FACTOR_TOLERANCE);
    if scales.may_hold() {
        list.scale(SlotClass::Unlocked, scales.pick(factor, one));
    }
}

/// Division of a vertex's weight between painted joints and other unlocked joints.
pub struct Division<S: Simd> {
    /// 1 minus the sum of the locked weights.
    pub room: F32Lanes<S>,
    /// Weight left by locked and painted joints, `0..=1`.
    pub rest: F32Lanes<S>,
    /// Whether any unlocked joint that is not painted has weight. If so, these joints received
    /// `rest`.
    pub is_shared: Masks<S>,
    /// Factor that reduces the wanted weights to the available weight, `0..=1`.
    fit: F32Lanes<S>,
}

impl<S: Simd> Division<S> {
    /// Returns the weight of a painted joint, reduced to the available weight.
    #[inline(always)]
    pub fn fitted(&self, wish: F32Lanes<S>) -> F32Lanes<S> {
        (wish.above_zero() * self.fit).min(F32Lanes::all(wish.0, 1.0))
    }
}

/// Divides the available weight. Painted joints get the wanted sum, and the other unlocked joints
/// are scaled to the remaining weight.
#[inline(always)]
pub fn divide<T: Slots>(list: &mut T, wanted: F32Lanes<T::Lanes>) -> Division<T::Lanes> {
    let one = splat(list, 1.0);
    let others = sum_of(list, SlotClass::Free);
    let room = one - sum_of(list, SlotClass::Locked);
    let available = room.above_zero();
    let fit = available.lt(wanted).pick(available / wanted, one);
    let rest = (available - wanted * fit).above_zero();
    let is_shared = others.gt(0.0);
    list.scale(SlotClass::Free, is_shared.pick(rest / others, one));
    Division { room, rest, is_shared, fit }
}

/// Scales the weights of a class up by a dropped weight, in the lanes of a mask. Returns whether
/// the class has any weight.
#[inline(always)]
pub fn distribute_dropped<T: Slots>(
    list: &mut T,
    class: SlotClass,
    dropped: F32Lanes<T::Lanes>,
    lanes: Masks<T::Lanes>,
) -> Masks<T::Lanes> {
    let sum = sum_of(list, class);
    let takes = sum.gt(0.0);
    let factor = (lanes & takes).pick((sum + dropped) / sum, splat(list, 1.0));
    list.scale(class, factor);
    takes
}

/// Sets unlocked weights below a value to 0, except the largest. Returns whether any weight was set
/// to 0.
#[inline(always)]
pub fn drop_below<T: Slots>(list: &mut T, below: f32) -> Masks<T::Lanes> {
    let zero = splat(list, 0.0);
    let mut largest = zero;
    for slot in 0..list.count() {
        largest = largest.max(list.weight(slot));
    }
    let mut any = zero.lt(zero);
    for slot in 0..list.count() {
        let weight = list.weight(slot);
        let drops = !weight.ge(below) & weight.lt(largest) & list.is_in(SlotClass::Unlocked, slot);
        any = any | drops;
        list.set_weight(slot, drops.pick(zero, weight));
    }
    any
}

/// Whether the weights sum to 1 within one float step.
#[inline(always)]
pub fn is_exact<T: Slots>(list: &T) -> Masks<T::Lanes> {
    (sum(list) - splat(list, 1.0)).abs().le(SUM_TOLERANCE)
}

/// Sets the receiver's weight to 1 minus all other weights, if the sum is not exact. Returns
/// whether its weight is positive afterward. If not, the receiver must be removed.
#[inline(always)]
pub fn give_remainder<T: Slots>(
    list: &mut T,
    is_exact: Masks<T::Lanes>,
    receiver: T::Choice,
) -> Masks<T::Lanes> {
    let remainder = splat(list, 1.0) - list.sum_of_others(receiver);
    list.set_chosen(receiver, !is_exact, remainder);
    is_exact | (list.is_any(receiver) & remainder.gt(0.0))
}
