//! Shared, read-only arrays of numbers, stored in their own allocation or as a part of the opened
//! file's bytes.
//!
//! Keys and vertices make up most of a file. They are not copied if the file stores them in a
//! usable layout. The file's bytes stay in memory anyway, because saving needs them.

use std::{fmt, ops::Deref, sync::Arc};

use bytemuck::AnyBitPattern;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use super::{Held, Parts, held::address};

/// Shared slice of `T`; clones are cheap. A slice of a file keeps all bytes of the file alive.
#[derive(Clone)]
pub struct Slice<T>(Storage<T>);

#[derive(Clone)]
enum Storage<T> {
    Own(Arc<Vec<T>>),
    /// Part of a file's bytes. `start..end` is within `bytes`, aligned for `T`, and a multiple of
    /// its size.
    Part {
        bytes: Arc<Vec<u8>>,
        start: usize,
        end: usize,
    },
    /// Whole list of numbers, aligned for `T` and a multiple of its size.
    Floats(Arc<Vec<f32>>),
}

/// Counts a part of a file as all bytes of the file, because the part keeps them alive.
impl<T> Held for Slice<T> {
    fn held(&self, parts: &mut Parts) {
        match &self.0 {
            Storage::Own(list) => share_list(parts, list),
            Storage::Part { bytes, start: _, end: _ } => share_list(parts, bytes),
            Storage::Floats(list) => share_list(parts, list),
        }
    }
}

fn share_list<T>(parts: &mut Parts, list: &Arc<Vec<T>>) {
    parts.share(address(&**list), size_of::<Vec<T>>() + list.capacity() * size_of::<T>(), |_| {});
}

impl<T: AnyBitPattern> Slice<T> {
    /// Creates a slice from a range of little-endian bytes, without a copy.
    ///
    /// Returns `None` if the range exceeds the bytes, is not aligned for `T`, or is not a multiple
    /// of its size. Also returns `None` on big-endian machines.
    pub fn part(bytes: &Arc<Vec<u8>>, start: usize, end: usize) -> Option<Self> {
        let lies = cfg!(target_endian = "little")
            && bytemuck::try_cast_slice::<u8, T>(bytes.get(start..end)?).is_ok();
        lies.then(|| Self(Storage::Part { bytes: bytes.clone(), start, end }))
    }
}

impl<T: AnyBitPattern> Deref for Slice<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            Storage::Own(list) => list,
            // `part` has checked range and alignment.
            Storage::Part { bytes, start, end } => bytemuck::cast_slice(&bytes[*start..*end]),
            // `grouped` has checked size and alignment.
            Storage::Floats(list) => bytemuck::cast_slice(list),
        }
    }
}

impl<T: AnyBitPattern> Slice<T> {
    /// Whether both slices refer to the same memory.
    pub fn ptr_eq(a: &Self, b: &Self) -> bool {
        std::ptr::eq::<[T]>(&**a, &**b)
    }
}

/// Minimum number of bytes for a copy with several threads. With one thread, copying the weights of
/// a million vertices would take longer than a frame, mostly for page faults.
const LARGE_COPY: usize = 1 << 20;

fn copied<T: AnyBitPattern + Send + Sync>(list: &[T]) -> Vec<T> {
    if size_of_val(list) < LARGE_COPY {
        return list.to_vec();
    }
    list.par_iter().copied().collect()
}

impl<T: AnyBitPattern + Send + Sync> Slice<T> {
    /// Mutable access; the elements are copied first if they are shared or part of a file.
    pub fn make_mut(&mut self) -> &mut [T] {
        let alone = match &mut self.0 {
            Storage::Own(list) => Arc::get_mut(list).is_some(),
            Storage::Part { .. } | Storage::Floats(_) => false,
        };
        if !alone {
            self.0 = Storage::Own(Arc::new(copied(self)));
        }
        match &mut self.0 {
            Storage::Own(list) => Arc::make_mut(list).as_mut_slice(),
            // Unreachable: the storage was replaced above.
            Storage::Part { .. } | Storage::Floats(_) => &mut [],
        }
    }
}

impl Slice<f32> {
    /// Reinterprets groups of `N` numbers as elements. No copy is made if the memory is aligned for
    /// `T`; otherwise, `make` converts each group. Excess numbers at the end are ignored.
    pub fn grouped<T: AnyBitPattern, const N: usize>(
        &self,
        make: impl Fn(&[f32; N]) -> T,
    ) -> Slice<T> {
        let size = N * size_of::<f32>();
        match &self.0 {
            Storage::Part { bytes, start, end } if size_of::<T>() == size => {
                if let Some(list) = Slice::part(bytes, *start, start + (end - start) / size * size)
                {
                    return list;
                }
            }
            Storage::Own(list)
                if size_of::<T>() == size && bytemuck::try_cast_slice::<f32, T>(list).is_ok() =>
            {
                return Slice(Storage::Floats(list.clone()));
            }
            _ => {}
        }
        self.as_chunks::<N>().0.iter().map(make).collect()
    }
}

impl<T> Default for Slice<T> {
    fn default() -> Self {
        Self(Storage::Own(Arc::default()))
    }
}

impl<T: AnyBitPattern + PartialEq> PartialEq for Slice<T> {
    fn eq(&self, other: &Self) -> bool {
        Self::ptr_eq(self, other) || **self == **other
    }
}

impl<T: AnyBitPattern + fmt::Debug> fmt::Debug for Slice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T> From<Vec<T>> for Slice<T> {
    fn from(list: Vec<T>) -> Self {
        Self(Storage::Own(Arc::new(list)))
    }
}

impl<T: Clone> From<&[T]> for Slice<T> {
    fn from(list: &[T]) -> Self {
        list.to_vec().into()
    }
}

impl<T, const N: usize> From<[T; N]> for Slice<T> {
    fn from(list: [T; N]) -> Self {
        Vec::from(list).into()
    }
}

impl<T> FromIterator<T> for Slice<T> {
    fn from_iter<I: IntoIterator<Item = T>>(list: I) -> Self {
        let mut list: Vec<T> = list.into_iter().collect();
        // The list never grows, so spare capacity is waste.
        list.shrink_to_fit();
        list.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_must_be_aligned_and_within_the_bytes() {
        let numbers = [1.0f32, 2.0, 3.0];
        let bytes = Arc::new(
            numbers.iter().flat_map(|v| v.to_le_bytes()).chain([0; 3]).collect::<Vec<u8>>(),
        );
        let own = Slice::from(numbers);
        // The alignment of the allocation determines which offset is aligned.
        let aligned = bytes.as_ptr().align_offset(align_of::<f32>());
        assert!(
            cfg!(target_endian = "big")
                || (0..4).any(|at| Slice::<f32>::part(&bytes, at, at + 12).is_some())
        );
        assert!(Slice::<f32>::part(&bytes, aligned + 1, aligned + 5).is_none(), "not aligned");
        assert!(Slice::<f32>::part(&bytes, aligned, aligned + 6).is_none(), "not whole");
        assert!(Slice::<f32>::part(&bytes, aligned, aligned + 16).is_none(), "past the end");
        assert!(Slice::<f32>::part(&bytes, 8, 4).is_none(), "backwards");
        if aligned == 0 && cfg!(target_endian = "little") {
            let part = Slice::<f32>::part(&bytes, 0, 12).unwrap();
            assert_eq!(part, own);
            assert!(Slice::ptr_eq(&part, &part.clone()) && !Slice::ptr_eq(&part, &own));
        }
    }
}
