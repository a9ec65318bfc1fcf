//! The BIN chunk of an export, and stretches of bytes that are copied into it.

use std::ops::Range;

use super::super::Source;

/// The bytes of a BIN chunk, or only how many they are.
#[derive(Default)]
pub(super) struct Bin {
    pub(super) bytes: Vec<u8>,
    pub(super) length: usize,
    /// Whether they are counted and not kept.
    pub(super) is_counted: bool,
}

impl Bin {
    /// Adds bytes, so many past a multiple of four; where they begin.
    pub(super) fn put(&mut self, bytes: &[u8], past: usize) -> usize {
        let at = self.length.next_multiple_of(4) + past;
        self.length = at + bytes.len();
        if !self.is_counted {
            self.bytes.resize(at, 0);
            self.bytes.extend_from_slice(bytes);
        }
        at
    }
}

/// Bytes of buffers that views name, each once.
pub(super) struct Stretches(Vec<(usize, Range<usize>)>);

impl Stretches {
    /// What these ranges cover together; what overlaps or touches is one.
    pub(super) fn of(ranges: impl Iterator<Item = (usize, Range<usize>)>) -> Self {
        let mut all: Vec<(usize, Range<usize>)> = ranges.collect();
        all.sort_by_key(|(buffer, range)| (*buffer, range.start, range.end));
        let mut merged: Vec<(usize, Range<usize>)> = Vec::new();
        for (buffer, range) in all {
            match merged.last_mut() {
                Some((last, known)) if *last == buffer && range.start < known.end => {
                    known.end = known.end.max(range.end)
                }
                _ => merged.push((buffer, range)),
            }
        }
        Self(merged)
    }

    /// Copies them; each begins as far past a multiple of four as it did.
    pub(super) fn copy(self, source: &Source, bin: &mut Bin) -> Places {
        self.copy_from(&|buffer, range| source.buffer(buffer).and_then(|b| b.get(range)), bin)
    }

    pub(super) fn copy_from<'b>(
        self,
        bytes: &dyn Fn(usize, Range<usize>) -> Option<&'b [u8]>,
        bin: &mut Bin,
    ) -> Places {
        let mut places = Vec::with_capacity(self.0.len());
        for (buffer, range) in self.0 {
            let start = range.start;
            let at = bin.put(bytes(buffer, range).unwrap_or_default(), start % 4);
            places.push((buffer, start, at));
        }
        Places(places)
    }
}

/// Where stretches of buffers came to lie: buffer, start there, start here; in order.
pub(super) struct Places(Vec<(usize, usize, usize)>);

impl Places {
    pub(super) fn of(&self, buffer: usize, start: usize) -> usize {
        let after = self.0.partition_point(|(b, from, _)| (*b, *from) <= (buffer, start));
        after.checked_sub(1).map_or(0, |k| self.0[k].2 + (start - self.0[k].1))
    }
}
