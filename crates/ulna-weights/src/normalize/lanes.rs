//! Vectors of numbers, with one lane per vertex.
//!
//! The types are a thin layer over [`pulp::Simd`]. [`pulp::Scalar`] has one lane, wide vectors have
//! several. All functions are inlined, because a call would prevent wide vectors.

use std::ops::{Add, BitAnd, BitOr, Div, Mul, Not, Sub};

use pulp::Simd;

/// One float per lane.
#[derive(Clone, Copy)]
pub struct F32Lanes<S: Simd>(pub S, pub S::f32s);

/// One integer per lane.
#[derive(Clone, Copy)]
pub struct I32Lanes<S: Simd>(pub S, pub S::i32s);

/// One boolean per lane.
#[derive(Clone, Copy)]
pub struct Masks<S: Simd>(pub S, pub S::m32s);

impl<S: Simd> F32Lanes<S> {
    #[inline(always)]
    pub fn all(simd: S, value: f32) -> Self {
        Self(simd, simd.splat_f32s(value))
    }

    #[inline(always)]
    pub fn abs(self) -> Self {
        Self(self.0, self.0.abs_f32s(self.1))
    }

    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        Self(self.0, self.0.min_f32s(self.1, other.1))
    }

    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        Self(self.0, self.0.max_f32s(self.1, other.1))
    }

    /// Replaces negative values by 0.
    #[inline(always)]
    pub fn above_zero(self) -> Self {
        self.max(Self::all(self.0, 0.0))
    }

    #[inline(always)]
    pub fn lt(self, other: Self) -> Masks<S> {
        Masks(self.0, self.0.less_than_f32s(self.1, other.1))
    }

    #[inline(always)]
    pub fn eq(self, other: Self) -> Masks<S> {
        Masks(self.0, self.0.equal_f32s(self.1, other.1))
    }

    #[inline(always)]
    pub fn gt(self, value: f32) -> Masks<S> {
        Self::all(self.0, value).lt(self)
    }

    #[inline(always)]
    pub fn le(self, value: f32) -> Masks<S> {
        Masks(self.0, self.0.less_than_or_equal_f32s(self.1, self.0.splat_f32s(value)))
    }

    #[inline(always)]
    pub fn ge(self, value: f32) -> Masks<S> {
        Masks(self.0, self.0.less_than_or_equal_f32s(self.0.splat_f32s(value), self.1))
    }
}

impl<S: Simd> Add for F32Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0, self.0.add_f32s(self.1, other.1))
    }
}

impl<S: Simd> Sub for F32Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0, self.0.sub_f32s(self.1, other.1))
    }
}

impl<S: Simd> Mul for F32Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(self.0, self.0.mul_f32s(self.1, other.1))
    }
}

impl<S: Simd> Div for F32Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self(self.0, self.0.div_f32s(self.1, other.1))
    }
}

impl<S: Simd> I32Lanes<S> {
    /// Reinterprets the bits of floats as integers.
    #[inline(always)]
    pub fn of_bits(simd: S, bits: S::f32s) -> Self {
        Self(simd, simd.transmute_i32s_f32s(bits))
    }

    #[inline(always)]
    pub fn bits(self) -> S::f32s {
        self.0.transmute_f32s_i32s(self.1)
    }

    #[inline(always)]
    pub fn all(simd: S, value: i32) -> Self {
        Self(simd, simd.splat_i32s(value))
    }

    #[inline(always)]
    pub fn lt(self, other: Self) -> Masks<S> {
        Masks(self.0, self.0.less_than_i32s(self.1, other.1))
    }

    #[inline(always)]
    pub fn eq(self, other: Self) -> Masks<S> {
        Masks(self.0, self.0.equal_i32s(self.1, other.1))
    }

    /// Whether none of the given bits is set.
    #[inline(always)]
    pub fn lacks(self, bits: i32) -> Masks<S> {
        Self(self.0, self.0.and_i32s(self.1, self.0.splat_i32s(bits))).eq(Self::all(self.0, 0))
    }

    #[inline(always)]
    pub fn with(self, bits: i32) -> Self {
        Self(self.0, self.0.or_i32s(self.1, self.0.splat_i32s(bits)))
    }
}

impl<S: Simd> Masks<S> {
    /// Whether all lanes are true.
    #[inline(always)]
    pub fn holds(self) -> bool {
        self.0.first_true_m32s((!self).1) == S::F32_LANES
    }

    /// Whether work under this mask must be done. A single lane skips the work if the mask is
    /// false. With several lanes, the branch would cost more than the work.
    #[inline(always)]
    pub fn may_hold(self) -> bool {
        S::F32_LANES > 1 || self.holds()
    }

    /// Whether two masks are equal, lane by lane.
    #[inline(always)]
    pub fn eq(self, other: Self) -> Self {
        !Self(self.0, self.0.xor_m32s(self.1, other.1))
    }

    #[inline(always)]
    pub fn pick(self, yes: F32Lanes<S>, no: F32Lanes<S>) -> F32Lanes<S> {
        F32Lanes(self.0, self.0.select_f32s(self.1, yes.1, no.1))
    }

    #[inline(always)]
    pub fn pick_whole(self, yes: I32Lanes<S>, no: I32Lanes<S>) -> I32Lanes<S> {
        I32Lanes(self.0, self.0.select_i32s(self.1, yes.1, no.1))
    }
}

impl<S: Simd> BitAnd for Masks<S> {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0, self.0.and_m32s(self.1, other.1))
    }
}

impl<S: Simd> BitOr for Masks<S> {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0, self.0.or_m32s(self.1, other.1))
    }
}

impl<S: Simd> Not for Masks<S> {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self(self.0, self.0.not_m32s(self.1))
    }
}
