//! Counting in long lists, on all cores.

use rayon::prelude::*;

/// Elements that one core looks over before another may help.
pub(super) const BLOCK: usize = 1 << 18;

/// How many elements are so: mostly none, which is seen many at once. Long lists on all cores.
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
