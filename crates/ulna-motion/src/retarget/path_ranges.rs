//! Speeds along the path of a point, and the time ranges in which it meets a condition.

use glam::Vec3;

/// Minimum duration of a range, and of the gap between two ranges, seconds.
const SHORTEST: f32 = 0.05;

/// Speed relative to the ground at each time, meters per second, by central differences.
pub(super) fn speeds(places: &[Vec3], times: &[f32], ground: Vec3) -> Vec<f32> {
    let last = places.len().saturating_sub(1);
    (0..places.len())
        .map(|k| {
            let (a, b) = (k.saturating_sub(2), (k + 2).min(last));
            let time = (times[b] - times[a]).max(1e-6);
            ((places[b] - places[a]) / time - ground).length()
        })
        .collect()
}

/// Finds ranges of consecutive samples for which `stays` is true, with at least one sample for
/// which `enters` is true. Returns their start and end times in seconds. Short gaps are closed
/// first. Then short ranges are removed.
pub(super) fn ranges(
    times: &[f32],
    enters: impl Fn(usize) -> bool,
    stays: impl Fn(usize) -> bool,
) -> Vec<(f32, f32)> {
    let mut found: Vec<(f32, f32)> = Vec::new();
    let mut k = 0;
    while k < times.len() {
        if !enters(k) {
            k += 1;
            continue;
        }
        let from = (0..k).rev().take_while(|j| stays(*j)).last().unwrap_or(k);
        let to = (k..times.len()).take_while(|j| stays(*j) || enters(*j)).last().unwrap_or(k);
        match found.last_mut().filter(|last| times[from] - last.1 < SHORTEST) {
            Some(last) => last.1 = times[to],
            None => found.push((times[from], times[to])),
        }
        k = to + 1;
    }
    found.retain(|(from, to)| to - from >= SHORTEST);
    found
}
