//! Conversions between indices into lists and the narrower numbers that large arrays hold.
//!
//! Surfaces have fewer than 2³² vertices: [`SkinnedSurface`](crate::SkinnedSurface) is not made of
//! more.

/// Index into a list, of a number that an array holds in 32 bits. `usize` has as many on every
/// platform that Ulna is built for.
#[inline(always)]
pub const fn to_index(number: u32) -> usize {
    number as usize
}

/// Number of an element of a list, for arrays that hold it in 32 bits. `index` is below 2³², as
/// that of every vertex is.
#[inline(always)]
pub const fn to_number(index: usize) -> u32 {
    index as u32
}

/// The numbers of the first elements of a list, in rising order.
#[inline]
pub const fn numbers(count: usize) -> std::ops::Range<u32> {
    0..to_number(count)
}

/// A count for calculations: exact up to 2²⁴, else the nearest number.
#[inline(always)]
pub const fn to_f32(count: usize) -> f32 {
    count as f32
}

/// A count for calculations: exact up to 2⁵³, else the nearest number.
#[inline(always)]
pub const fn to_f64(count: usize) -> f64 {
    count as f64
}

/// The nearest number in single precision.
#[inline(always)]
pub const fn to_single(value: f64) -> f32 {
    value as f32
}

/// Whole part of a number as an index into a list: 0 for negative numbers and NaN.
#[inline(always)]
pub const fn floor_index(value: f32) -> usize {
    value as usize
}
