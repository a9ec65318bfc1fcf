//! Normalizing where no joint is locked, in place: the commonest tool on the largest maps, so it
//! has steps of its own. What they do is what [`super::FiveLanes`] does, less what locks and
//! another order of slots would need.

use std::slice::from_mut;

use pulp::{Simd, WithSimd};

use super::{SLOTS, SimdNormalizer};
use crate::lanes::{F32Lanes, I32Lanes, Masks};

impl SimdNormalizer {
    /// Whether these slots are plain and right, all of them.
    pub(super) fn are_right(&self, joints: &[u16], weights: &[f32]) -> bool {
        let end = self.keys.len() as i32;
        let ((weights, rest), joints) = (weights.as_chunks(), joints.as_chunks());
        self.arch.dispatch(AreRight { weights, joints: joints.0, end })
            && (rest.is_empty() || {
                let (weights, joints) = padded(rest, joints.1);
                self.arch.dispatch(AreRight { weights: &[weights], joints: &[joints], end })
            })
    }

    /// Normalizes the plain ones of these slots, as long as that keeps their order; whether that
    /// was all of them. Others stay as they are, and so does what is right.
    pub(super) fn normalize_open(&self, joints: &[u16], weights: &mut [f32]) -> bool {
        let end = self.keys.len() as i32;
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

/// Slots, and after them vertices that are right.
fn padded(some: &[f32], some_joints: &[u16]) -> ([f32; SLOTS], [u16; SLOTS]) {
    let (mut weights, mut joints) = ([0.0; SLOTS], [0; SLOTS]);
    weights.iter_mut().step_by(4).for_each(|w| *w = 1.0);
    weights[..some.len()].copy_from_slice(some);
    joints[..some.len()].copy_from_slice(some_joints);
    (weights, joints)
}

struct AreRight<'a> {
    weights: &'a [[f32; SLOTS]],
    joints: &'a [[u16; SLOTS]],
    /// The first number that is no joint's.
    end: i32,
}

impl WithSimd for AreRight<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let mut right = Four::yes(simd);
        for (weights, joints) in self.weights.iter().zip(self.joints) {
            let keys = keys(joints);
            for i in 0..SLOTS / 4 / S::F32_LANES {
                let four = Four::load(simd, weights, &keys, i);
                right = right & four.is_plain(self.end) & four.is_one();
            }
        }
        holds(right)
    }
}

struct Normalize<'a> {
    weights: &'a mut [[f32; SLOTS]],
    joints: &'a [[u16; SLOTS]],
    /// The first number that is no joint's.
    end: i32,
}

impl WithSimd for Normalize<'_> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let mut done = Four::yes(simd);
        for (weights, joints) in self.weights.iter_mut().zip(self.joints) {
            let keys = keys(joints);
            for i in 0..SLOTS / 4 / S::F32_LANES {
                let four = Four::load(simd, weights, &keys, i);
                let plain = four.is_plain(self.end);
                let right = four.is_one();
                let (new, fine) = four.normalized();
                let now = four.keep_but(plain & fine & !right, new);
                S::as_mut_simd_f32s(weights).0.as_chunks_mut::<4>().0[i] =
                    simd.interleave_shfl_f32s(now);
                done = done & plain & (right | fine);
            }
        }
        holds(done)
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

/// Whether it does for all.
#[inline(always)]
fn holds<S: Simd>(mask: Masks<S>) -> bool {
    mask.0.first_true_m32s((!mask).1) == S::F32_LANES
}

/// The slots of several vertices, none of whose joints is locked.
struct Four<S: Simd> {
    weights: [F32Lanes<S>; 4],
    joints: [I32Lanes<S>; 4],
    used: [Masks<S>; 4],
    /// In order of the slots.
    sum: F32Lanes<S>,
    one: F32Lanes<S>,
    zero: F32Lanes<S>,
}

// Iterators and closures may stay calls, which would lose the wide vectors.
impl<S: Simd> Four<S> {
    #[inline(always)]
    fn load(simd: S, weights: &[f32; SLOTS], keys: &[i32; SLOTS], i: usize) -> Self {
        let w = simd.deinterleave_shfl_f32s(S::as_simd_f32s(weights).0.as_chunks::<4>().0[i]);
        let keys = bytemuck::cast_slice::<i32, f32>(keys);
        let k = simd.deinterleave_shfl_f32s(S::as_simd_f32s(keys).0.as_chunks::<4>().0[i]);
        let (a, b, c, d) = (
            F32Lanes(simd, w[0]),
            F32Lanes(simd, w[1]),
            F32Lanes(simd, w[2]),
            F32Lanes(simd, w[3]),
        );
        Self {
            weights: [a, b, c, d],
            joints: [
                I32Lanes::of_bits(simd, k[0]),
                I32Lanes::of_bits(simd, k[1]),
                I32Lanes::of_bits(simd, k[2]),
                I32Lanes::of_bits(simd, k[3]),
            ],
            used: [a.gt(0.0), b.gt(0.0), c.gt(0.0), d.gt(0.0)],
            sum: a + b + c + d,
            one: F32Lanes::all(simd, 1.0),
            zero: F32Lanes::all(simd, 0.0),
        }
    }

    #[inline(always)]
    fn yes(simd: S) -> Masks<S> {
        F32Lanes::all(simd, 0.0).eq(F32Lanes::all(simd, 0.0))
    }

    /// No negative weight, no joint twice, all of them joints of the skin.
    #[inline(always)]
    fn is_plain(&self, end: i32) -> Masks<S> {
        let ([a, b, c, d], [i, j, k, l], used) = (self.weights, self.joints, self.used);
        let simd = self.one.0;
        // Numbers that no joint has, for slots without a weight.
        let x = used[1].pick_whole(j, I32Lanes::all(simd, -1));
        let y = used[2].pick_whole(k, I32Lanes::all(simd, -2));
        let z = used[3].pick_whole(l, I32Lanes::all(simd, -3));
        let twice = used[0] & (i.eq(x) | i.eq(y) | i.eq(z)) | x.eq(y) | x.eq(z) | y.eq(z);
        let whole = a.min(b).min(c.min(d)).ge(0.0);
        let finite = self.sum.lt(F32Lanes::all(simd, f32::MAX));
        let end = I32Lanes::all(simd, end);
        whole & finite & i.lt(end) & j.lt(end) & k.lt(end) & l.lt(end) & !twice
    }

    /// Whether weights sum to 1 as the validator has it.
    #[inline(always)]
    fn is_one(&self) -> Masks<S> {
        let (used, one, zero) = (self.used, self.one, self.zero);
        let count = used[0].pick(one, zero)
            + used[1].pick(one, zero)
            + used[2].pick(one, zero)
            + used[3].pick(one, zero);
        let allowed = F32Lanes::all(one.0, 2e-7) * count;
        !allowed.lt((self.sum - self.one).abs())
    }

    /// Weights with a sum of 1, and where that is done and nothing but weights changes.
    #[inline(always)]
    fn normalized(&self) -> ([F32Lanes<S>; 4], Masks<S>) {
        let (w, used, one, joints) = (self.weights, self.used, self.one, self.joints);
        // A slot without a weight is joint 0's when it is written.
        let nobody = I32Lanes::all(one.0, 0);
        let clean = (used[0] | joints[0].eq(nobody))
            & (used[1] | joints[1].eq(nobody))
            & (used[2] | joints[2].eq(nobody))
            & (used[3] | joints[3].eq(nobody));
        let factor = one / self.sum;
        let factor = (factor - one).abs().gt(1e-6).pick(factor, one);
        let (a, b, c, d) = (w[0] * factor, w[1] * factor, w[2] * factor, w[3] * factor);
        let stays = a.gt(0.0).eq(used[0])
            & b.gt(0.0).eq(used[1])
            & c.gt(0.0).eq(used[2])
            & d.gt(0.0).eq(used[3]);
        // The first is the largest, so it takes the remainder.
        let before = self.follows(0, a, b) & self.follows(1, b, c) & self.follows(2, c, d);
        let left = one - (b + c + d);
        let off = (a + b + c + d - one).abs().gt(1.2e-7);
        let first = off.pick(left, a);
        let fine = used[0] & stays & before & first.gt(0.0) & self.follows(0, first, b);
        ([first, b, c, d], fine & clean)
    }

    /// Whether a weight is larger than that of the next slot, of equals the joint that comes first.
    #[inline(always)]
    fn follows(&self, k: usize, v: F32Lanes<S>, w: F32Lanes<S>) -> Masks<S> {
        w.lt(v) | (v.eq(w) & (self.joints[k].lt(self.joints[k + 1]) | !v.gt(0.0)))
    }

    /// The weights, but for some vertices these.
    #[inline(always)]
    fn keep_but(&self, changed: Masks<S>, new: [F32Lanes<S>; 4]) -> [S::f32s; 4] {
        let w = self.weights;
        [
            changed.pick(new[0], w[0]).1,
            changed.pick(new[1], w[1]).1,
            changed.pick(new[2], w[2]).1,
            changed.pick(new[3], w[3]).1,
        ]
    }
}
