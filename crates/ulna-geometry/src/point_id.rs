//! Ids of surface points.

use std::num::NonZeroU32;

/// A point of a surface: all vertices at one position.
///
/// The number is stored plus 1, so that an `Option` takes no more memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PointId(NonZeroU32);

impl PointId {
    /// The first point.
    pub const FIRST: Self = Self(NonZeroU32::MIN);

    /// Index into arrays with one entry per point.
    #[inline]
    pub const fn index(self) -> usize {
        (self.0.get() - 1) as usize
    }

    /// Ids of the first `count` points, in ascending order.
    pub fn first(
        count: usize,
    ) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (0..count).map(Self::from)
    }
}

impl From<usize> for PointId {
    #[inline]
    fn from(index: usize) -> Self {
        Self(NonZeroU32::MIN.saturating_add(u32::try_from(index).unwrap_or(u32::MAX)))
    }
}
