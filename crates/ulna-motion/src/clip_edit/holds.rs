//! Comparison of key times: equal times, ends of holds, and keys at given times.

use ulna_model::{Interpolation, Track, UnkeyedAt};

/// Maximum distance of two keys that count as one, seconds: much less than a frame.
pub const SAME_TIME: f32 = UnkeyedAt::NEAR;

/// Time between the end of a hold and the next key in a track that is not STEP, seconds.
pub const HOLD_GAP: f32 = 1e-3;

/// End time of a hold whose next key is at `next`. It is a millisecond earlier, and at least two
/// `f32` steps (ULPs).
pub fn hold_end(next: f32) -> f32 {
    (next - HOLD_GAP).min(next.next_down().next_down())
}

/// Whether a key is the end of a hold: it repeats the value of the previous key, just before the
/// value jumps at the next key.
pub fn is_hold_end(track: &Track, key: usize) -> bool {
    track.interpolation != Interpolation::Step && is_end(&track.times, key, &|k| track.value(k))
}

fn is_end<'a>(times: &[f32], key: usize, value: &dyn Fn(usize) -> &'a [f32]) -> bool {
    let &[time, next, ..] = &times[key..] else { return false };
    // Fast path for nearly all keys. Valid where steps of `f32` are shorter than the gap.
    if key == 0 || (next - time > HOLD_GAP * 1.2 && next < 1024.0) {
        return false;
    }
    let gap = next - hold_end(next);
    // The gap was rounded when it was stored, and again at each move of the keys.
    let slack = (HOLD_GAP * 0.02).max(1.5 * (next - next.next_down()));
    (next - time - gap).abs() <= slack
        && time - times[key - 1] > 2.0 * gap
        && value(key) == value(key - 1)
        && value(key) != value(key + 1)
}

/// One flag per key: whether it is the end of a hold. `None` if there are no holds.
pub(super) fn hold_ends(track: &Track) -> Option<Vec<bool>> {
    if track.interpolation == Interpolation::Step {
        return None;
    }
    let times: &[f32] = &track.times;
    let mut ends = None;
    for key in 1..times.len() {
        if is_end(times, key, &|k| track.value(k)) {
            ends.get_or_insert_with(|| vec![false; times.len()])[key] = true;
        }
    }
    ends
}

/// One flag per key of a track: whether it is at one of `times`, or ends the hold before such a
/// key.
pub(super) fn marks(track: &Track, times: &[f32], ends: Option<&[bool]>) -> Vec<bool> {
    let own: &[f32] = &track.times;
    let mut marks = vec![false; own.len()];
    let mut at = 0;
    for time in times {
        // Fast path: consecutive times usually belong to consecutive keys.
        if own.get(at) != Some(time) {
            at += own[at..].partition_point(|t| t < time);
        }
        if own.get(at) == Some(time) {
            marks[at] = true;
            at += 1;
        }
    }
    if let Some(ends) = ends {
        for key in 1..marks.len() {
            if marks[key] && ends[key - 1] {
                marks[key - 1] = true;
            }
        }
    }
    marks
}
