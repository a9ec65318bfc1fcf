//! Compressed sparse rows: lists of different lengths in one array.

use std::ops::Range;

use rayon::prelude::*;

/// Rows of different lengths, stored one after the other in one array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Csr<T = u32> {
    /// Index of the first item of each row, followed by the end of the last row.
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for Csr<T> {
    fn default() -> Self {
        Self { starts: vec![0], items: Vec::new() }
    }
}

impl<T> Csr<T> {
    /// Returns the number of rows.
    pub const fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no rows.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Items of all rows, concatenated.
    #[inline]
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// Memory of the arrays in bytes, without heap memory owned by the items.
    pub const fn bytes(&self) -> usize {
        self.starts.capacity() * size_of::<u32>() + self.items.capacity() * size_of::<T>()
    }

    /// The items of one row.
    ///
    /// # Panics
    /// There is no such row.
    #[inline]
    pub fn row(&self, row: usize) -> &[T] {
        self.rows(row..row + 1)
    }

    /// The items of one row, if there is such a row.
    #[inline]
    pub fn get(&self, row: usize) -> Option<&[T]> {
        (row < self.len()).then(|| self.row(row))
    }

    /// The items of a range of rows.
    ///
    /// # Panics
    /// The range exceeds the number of rows.
    #[inline]
    pub fn rows(&self, rows: Range<usize>) -> &[T] {
        &self.items[self.starts[rows.start] as usize..self.starts[rows.end] as usize]
    }

    /// Mutable access to the items of one row.
    ///
    /// # Panics
    /// There is no such row.
    #[inline]
    pub fn row_mut(&mut self, row: usize) -> &mut [T] {
        &mut self.items[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    /// Maps each item to a new one. The row lengths stay the same.
    pub fn map<U>(&self, item: impl FnMut(&T) -> U) -> Csr<U> {
        Csr { starts: self.starts.clone(), items: self.items.iter().map(item).collect() }
    }

    /// Adds a row after all others.
    pub fn push_row(&mut self, items: impl IntoIterator<Item = T>) {
        self.items.extend(items);
        self.starts.push(self.items.len() as u32);
    }
}

impl Csr {
    /// Groups the numbers `0..` into rows. `row_of` yields the row of number 0, of number 1, and so
    /// on. The numbers of a row are in ascending order.
    pub fn grouped(row_of: impl Iterator<Item = usize> + Clone, rows: usize) -> Self {
        let mut counter = CsrCounter::new(rows);
        row_of.clone().for_each(|row| counter.add(row, 1));
        let mut filler = counter.filler(0);
        (0u32..).zip(row_of).for_each(|(item, row)| filler.push(row, [item]));
        filler.finish()
    }
}

impl<T: Copy + Send> Csr<T> {
    /// Shortens every row. `keep` moves the items to keep to the front of a row, and returns their
    /// number.
    #[must_use]
    pub fn shortened(mut self, keep: impl Fn(usize, &mut [T]) -> usize + Sync) -> Self {
        let mut rows: Vec<&mut [T]> = Vec::with_capacity(self.starts.len() - 1);
        let mut rest = self.items.as_mut_slice();
        for ends in self.starts.windows(2) {
            let (row, more) = rest.split_at_mut((ends[1] - ends[0]) as usize);
            rows.push(row);
            rest = more;
        }
        let lengths: Vec<usize> = rows
            .par_iter_mut()
            .enumerate()
            .with_min_len(4096)
            .map(|(row, items)| keep(row, items))
            .collect();
        let mut short = Self {
            starts: Vec::with_capacity(self.starts.len()),
            items: Vec::with_capacity(lengths.iter().sum()),
        };
        short.starts.push(0);
        for (row, length) in rows.iter().zip(lengths) {
            short.items.extend_from_slice(&row[..length]);
            short.starts.push(short.items.len() as u32);
        }
        short
    }
}

/// First of two passes that build a [`Csr`]: counts the items of each row.
#[derive(Clone, Debug)]
pub struct CsrCounter {
    starts: Vec<u32>,
}

impl CsrCounter {
    /// Creates a counter with empty rows.
    pub fn new(rows: usize) -> Self {
        Self { starts: vec![0; rows + 1] }
    }

    /// Reserves space for more items in a row.
    #[inline]
    pub fn add(&mut self, row: usize, items: u32) {
        self.starts[row + 1] += items;
    }

    /// Begins the second pass. Slots that are never filled keep the value `unset`.
    pub fn filler<T: Clone>(mut self, unset: T) -> CsrFiller<T> {
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        let next = self.starts.clone();
        CsrFiller { next, csr: Csr { starts: self.starts, items: vec![unset; end as usize] } }
    }
}

/// Second of two passes that build a [`Csr`]: writes the items into the counted rows.
#[derive(Clone, Debug)]
pub struct CsrFiller<T> {
    next: Vec<u32>,
    csr: Csr<T>,
}

impl<T: Copy> CsrFiller<T> {
    /// Appends items to a row.
    #[inline]
    pub fn push<const N: usize>(&mut self, row: usize, items: [T; N]) {
        let next = &mut self.next[row];
        let start = *next as usize;
        self.csr.items[start..start + N].copy_from_slice(&items);
        *next += N as u32;
    }

    /// Returns the finished rows.
    pub fn finish(self) -> Csr<T> {
        self.csr
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn grouping_keeps_every_item_in_its_row_in_order(
            row_of in prop::collection::vec(0usize..9, 0..60),
        ) {
            let csr = Csr::grouped(row_of.iter().copied(), 9);
            prop_assert_eq!(csr.len(), 9);
            for row in 0..9 {
                let expected: Vec<u32> =
                    (0u32..).zip(&row_of).filter(|(_, r)| **r == row).map(|(k, _)| k).collect();
                prop_assert_eq!(csr.row(row), &expected[..]);
            }
            let mut pushed = Csr::default();
            (0..9).for_each(|row| pushed.push_row(csr.row(row).iter().copied()));
            prop_assert_eq!(&pushed, &csr);
            let even = csr.clone().shortened(|_, items| {
                let mut kept = 0;
                for k in 0..items.len() {
                    if items[k] % 2 == 0 {
                        items[kept] = items[k];
                        kept += 1;
                    }
                }
                kept
            });
            for row in 0..9 {
                let expected: Vec<u32> =
                    csr.row(row).iter().copied().filter(|k| k % 2 == 0).collect();
                prop_assert_eq!(even.row(row), &expected[..]);
            }
        }
    }
}
