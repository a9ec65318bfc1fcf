//! The BIN chunk of an export, and the byte ranges that are copied into it.

use std::ops::Range;

use super::super::Source;

/// Content of a BIN chunk, or only its size.
#[derive(Default)]
pub(super) struct Bin {
    pub(super) bytes: Vec<u8>,
    pub(super) length: usize,
    /// Whether bytes are counted but not stored.
    pub(super) is_counted: bool,
}

impl Bin {
    /// Appends bytes at an offset that is `past` bytes after a multiple of 4. Returns the offset.
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

/// Byte ranges of buffers without overlaps: buffer index and range.
pub(super) struct Stretches(Vec<(usize, Range<usize>)>);

impl Stretches {
    /// Union of the given ranges. Overlapping and adjacent ranges are merged.
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

    /// Copies the ranges to a BIN chunk. Their offsets modulo 4 stay the same.
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

/// New offsets of copied ranges: buffer, old start and new start, sorted.
pub(super) struct Places(Vec<(usize, usize, usize)>);

impl Places {
    pub(super) fn of(&self, buffer: usize, start: usize) -> usize {
        let after = self.0.partition_point(|(b, from, _)| (*b, *from) <= (buffer, start));
        after.checked_sub(1).map_or(0, |k| self.0[k].2 + (start - self.0[k].1))
    }
}
