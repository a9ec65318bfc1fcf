//! Ranges of vertices for uploads.

use std::ops::Range;

/// Merges vertices into ranges that are uploaded at once. Nearby vertices share a range, because
/// one large upload is faster than several small ones.
pub(super) fn ranges(vertices: &[u32]) -> Vec<Range<usize>> {
    const NEAR: usize = 256;
    let mut sorted: Vec<usize> = vertices.iter().map(|v| *v as usize).collect();
    sorted.sort_unstable();
    let mut list: Vec<Range<usize>> = Vec::new();
    for v in sorted {
        match list.last_mut() {
            Some(last) if v < last.end + NEAR => last.end = last.end.max(v + 1),
            _ => list.push(v..v + 1),
        }
    }
    list
}
