//! Normalization of a whole map in place, for maps without locked joints.
//!
//! This is the most frequent operation on the largest maps. It writes no joints: vertices whose
//! slots would change their order are left to [`SlotLanes`](super::slot_lanes::SlotLanes). Plain
//! vertices have four valid float weights, and no duplicate joint.

use std::slice::from_mut;

use pulp::{Simd, WithSimd};

use super::{
    group::{SLOTS, SimdNormalizer},
    kernel::{self, SlotClass, Slots},
    lanes::{F32Lanes, I32Lanes, Masks},
};

impl SimdNormalizer {
    /// Whether all vertices are plain, and already normalized.
    pub(super) fn are_right(&self, joints: &[u16], weights: &[f32]) -> bool {
        let end = self.joint_count();
        let ((weights, rest), joints) = (weights.as_chunks(), joints.as_chunks());
        self.arch.dispatch(AreRight { weights, joints: joints.0, end })
            && (rest.is_empty() || {
                let (weights, joints) = padded(rest, joints.1);
                self.arch.dispatch(AreRight { weights: &[weights], joints: &[joints], end })
            })
    }

    /// Normalizes the plain vertices whose slots keep their order. Returns whether all vertices are
    /// normalized afterward. Vertices that are already normalized keep their bits.
    pub(super) fn normalize_open(&self, joints: &[u16], weights: &mut [f32]) -> bool {
        let end = self.joint_count();
        let ((weights, rest), joints) = (weights.as_chunks_mut(), joints.as_chunks());
        let mut all = self.arch.dispatch(Normalize { weights, joints: joints.0, end });
        if !rest.is_empty() {
            let (mut weights, joints) = padded(rest, joints.1);
            all &= self.arch.dispatch(Normalize {
                weights: from_mut(&mut weights),
                joints: &[joints],
                end,
            });
            rest.copy_from_slice(&weights[..rest.len()]);
        }
        all
    }
}

/// Copies slots into full groups. Missing vertices are padded with normalized ones.
fn padded(some: &[f32], some_joints: &[u16]) -> ([f32; SLOTS], [u16; SLOTS]) {
    let (mut weights, mut joints) = ([0.0; SLOTS], [0; SLOTS]);
    weights.iter_mut().step_by(4).for_each(|w| *w = 1.0);
    weights[..some.len()].copy_from_slice(some);
    joints[..some.len()].copy_from_slice(some_joints);
    (weights, joints)
}

pub struct AreRight<'a> {
    pub weights: &'a [[f32; SLOTS]],
    pub joints: &'a [[u16; SLOTS]],
    /// Number of joints of the skin.
    pub end: i32,
}

impl WithSimd for AreRight<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let mut right = I32Lanes::all(simd, 0).eq(I32Lanes::all(simd, 0));
        for (weights, joints) in self.weights.iter().zip(self.joints) {
            let keys = keys(joints);
            for i in 0..SLOTS / 4 / S::F32_LANES {
                let four = FourLanes::load(simd, weights, &keys, i);
                right = right & four.is_plain(self.end) & kernel::is_one(&four);
            }
        }
        right.holds()
    }
}

pub struct Normalize<'a> {
    pub weights: &'a mut [[f32; SLOTS]],
    pub joints: &'a [[u16; SLOTS]],
    /// Number of joints of the skin.
    pub end: i32,
}

impl WithSimd for Normalize<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let mut done = I32Lanes::all(simd, 0).eq(I32Lanes::all(simd, 0));
        for (weights, joints) in self.weights.iter_mut().zip(self.joints) {
            let keys = keys(joints);
            for i in 0..SLOTS / 4 / S::F32_LANES {
                let four = FourLanes::load(simd, weights, &keys, i);
                let plain = four.is_plain(self.end);
                let right = kernel::is_one(&four);
                let (normalized, fine) = four.normalized();
                let now = four.replaced_in(plain & fine & !right, &normalized);
                S::as_mut_simd_f32s(weights).0.as_chunks_mut::<4>().0[i] =
                    simd.interleave_shfl_f32s(now);
                done = done & plain & (right | fine);
            }
        }
        done.holds()
    }
}

#[inline(always)]
fn keys(joints: &[u16; SLOTS]) -> [i32; SLOTS] {
    let mut keys = [0; SLOTS];
    for k in 0..SLOTS {
        keys[k] = i32::from(joints[k]);
    }
    keys
}

/// The four slots of a vertex in each lane, for skins without locked joints.
#[derive(Clone, Copy)]
struct FourLanes<S: Simd> {
    weights: [F32Lanes<S>; 4],
    joints: [I32Lanes<S>; 4],
}

impl<S: Simd> FourLanes<S> {
    #[inline(always)]
    fn load(simd: S, weights: &[f32; SLOTS], keys: &[i32; SLOTS], i: usize) -> Self {
        let w = simd.deinterleave_shfl_f32s(S::as_simd_f32s(weights).0.as_chunks::<4>().0[i]);
        let keys = bytemuck::cast_slice::<i32, f32>(keys);
        let k = simd.deinterleave_shfl_f32s(S::as_simd_f32s(keys).0.as_chunks::<4>().0[i]);
        Self {
            weights: [
                F32Lanes(simd, w[0]),
                F32Lanes(simd, w[1]),
                F32Lanes(simd, w[2]),
                F32Lanes(simd, w[3]),
            ],
            joints: [
                I32Lanes::of_bits(simd, k[0]),
                I32Lanes::of_bits(simd, k[1]),
                I32Lanes::of_bits(simd, k[2]),
                I32Lanes::of_bits(simd, k[3]),
            ],
        }
    }

    #[inline(always)]
    fn used(&self) -> [Masks<S>; 4] {
        let [a, b, c, d] = self.weights;
        [a.gt(0.0), b.gt(0.0), c.gt(0.0), d.gt(0.0)]
    }

    /// Whether a vertex is plain: no negative or infinite weight, no duplicate joint, and all
    /// joints below `end`.
    #[inline(always)]
    fn is_plain(&self, end: i32) -> Masks<S> {
        let ([a, b, c, d], [i, j, k, l], used) = (self.weights, self.joints, self.used());
        let simd = self.simd();
        // Slots without a weight get distinct numbers that no joint has, so that they are never
        // duplicates.
        let x = used[1].pick_whole(j, I32Lanes::all(simd, -1));
        let y = used[2].pick_whole(k, I32Lanes::all(simd, -2));
        let z = used[3].pick_whole(l, I32Lanes::all(simd, -3));
        let twice = used[0] & (i.eq(x) | i.eq(y) | i.eq(z)) | x.eq(y) | x.eq(z) | y.eq(z);
        let whole = a.min(b).min(c.min(d)).ge(0.0);
        let finite = kernel::sum(self).lt(F32Lanes::all(simd, f32::MAX));
        let end = I32Lanes::all(simd, end);
        whole & finite & i.lt(end) & j.lt(end) & k.lt(end) & l.lt(end) & !twice
    }

    /// Returns the normalized weights, and whether only weights change.
    #[inline(always)]
    fn normalized(&self) -> (Self, Masks<S>) {
        let (used, joints) = (self.used(), self.joints);
        // Slots without a weight are written with joint 0.
        let unused = I32Lanes::all(self.simd(), 0);
        let clean = (used[0] | joints[0].eq(unused))
            & (used[1] | joints[1].eq(unused))
            & (used[2] | joints[2].eq(unused))
            & (used[3] | joints[3].eq(unused));
        let mut four = *self;
        kernel::scale_to_one(&mut four, &kernel::totals(self));
        let [a, b, c, d] = four.used();
        let stays = a.eq(used[0]) & b.eq(used[1]) & c.eq(used[2]) & d.eq(used[3]);
        let sorted = four.is_before(0) & four.is_before(1) & four.is_before(2);
        let is_exact = kernel::is_exact(&four);
        let is_right = kernel::give_remainder(&mut four, is_exact, ());
        (four, used[0] & stays & sorted & is_right & four.is_before(0) & clean)
    }

    /// Whether a slot and the next one are sorted: by descending weight, then by ascending joint
    /// index.
    #[inline(always)]
    fn is_before(&self, slot: usize) -> Masks<S> {
        let (v, w) = (self.weights[slot], self.weights[slot + 1]);
        w.lt(v) | (v.eq(w) & (self.joints[slot].lt(self.joints[slot + 1]) | !v.gt(0.0)))
    }

    /// Returns the weights, with the lanes of a mask replaced by those of another list.
    #[inline(always)]
    fn replaced_in(&self, lanes: Masks<S>, other: &Self) -> [S::f32s; 4] {
        let (w, v) = (self.weights, other.weights);
        [
            lanes.pick(v[0], w[0]).1,
            lanes.pick(v[1], w[1]).1,
            lanes.pick(v[2], w[2]).1,
            lanes.pick(v[3], w[3]).1,
        ]
    }
}

impl<S: Simd> Slots for FourLanes<S> {
    type Lanes = S;
    /// The receiver is always the first slot: the order was checked, so it is the strongest.
    type Choice = ();

    #[inline(always)]
    fn simd(&self) -> S {
        self.weights[0].0
    }

    #[inline(always)]
    fn count(&self) -> usize {
        4
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
    fn is_in(&self, class: SlotClass, _: usize) -> Masks<S> {
        let zero = I32Lanes::all(self.simd(), 0);
        match class {
            SlotClass::Locked => zero.lt(zero),
            SlotClass::Unlocked | SlotClass::Free => zero.eq(zero),
        }
    }

    #[inline(always)]
    fn weight_in(&self, class: SlotClass, slot: usize) -> F32Lanes<S> {
        match class {
            SlotClass::Locked => kernel::splat(self, 0.0),
            SlotClass::Unlocked | SlotClass::Free => self.weights[slot],
        }
    }

    #[inline(always)]
    fn scale(&mut self, class: SlotClass, factor: F32Lanes<S>) {
        match class {
            SlotClass::Locked => {}
            SlotClass::Unlocked | SlotClass::Free => {
                let [a, b, c, d] = self.weights;
                self.weights = [a * factor, b * factor, c * factor, d * factor];
            }
        }
    }

    #[inline(always)]
    fn is_any(&self, (): ()) -> Masks<S> {
        self.weights[0].gt(0.0)
    }

    #[inline(always)]
    fn sum_of_others(&self, (): ()) -> F32Lanes<S> {
        let [_, b, c, d] = self.weights;
        b + c + d
    }

    #[inline(always)]
    fn set_chosen(&mut self, (): (), lanes: Masks<S>, weight: F32Lanes<S>) {
        self.weights[0] = lanes.pick(weight, self.weights[0]);
    }
}
