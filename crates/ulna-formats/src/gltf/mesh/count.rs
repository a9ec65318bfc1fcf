//! Parallel counting in long lists.

use rayon::prelude::*;

/// Number of elements per parallel task.
pub(super) const BLOCK: usize = 1 << 18;

/// Number of elements for which `is` returns true. Counting is fastest if there are few such
/// elements. Long lists are counted on all cores.
pub(super) fn count_in<T: Sync>(list: &[T], is: impl Fn(&T) -> bool + Sync) -> usize {
    let count = |part: &[T]| -> usize {
        let mut count = 0;
        for part in part.chunks(512) {
            let mut some = false;
            for v in part {
                some |= is(v);
            }
            if some {
                count += part.iter().filter(|v| is(v)).count();
            }
        }
        count
    };
    if list.len() <= BLOCK { count(list) } else { list.par_chunks(BLOCK).map(count).sum() }
}
