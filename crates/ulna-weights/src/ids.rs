//! Conversions between `usize` indices and the narrower integers in large arrays.
//!
//! Surfaces have fewer than 2³² vertices: [`SkinnedSurface`](crate::SkinnedSurface) is not created
//! for more.

/// Converts a 32-bit number to an index. `usize` has at least 32 bits on every supported platform.
#[inline(always)]
pub const fn to_index(number: u32) -> usize {
    number as usize
}

/// Converts an index to a 32-bit number. `index` must be below 2³², as all vertex indices are.
#[inline(always)]
pub const fn to_number(index: usize) -> u32 {
    index as u32
}

/// Returns the indices of the first `count` elements, in ascending order.
#[inline]
pub const fn numbers(count: usize) -> std::ops::Range<u32> {
    0..to_number(count)
}

/// Converts a count to `f32`. The result is exact up to 2²⁴, and rounded above.
#[inline(always)]
pub const fn to_f32(count: usize) -> f32 {
    count as f32
}

/// Converts a count to `f64`. The result is exact up to 2⁵³, and rounded above.
#[inline(always)]
pub const fn to_f64(count: usize) -> f64 {
    count as f64
}

/// Converts a number to the nearest value in single precision.
#[inline(always)]
pub const fn to_single(value: f64) -> f32 {
    value as f32
}

/// Returns the integer part of a number as an index; 0 for negative numbers and NaN.
#[inline(always)]
pub const fn floor_index(value: f32) -> usize {
    value as usize
}
