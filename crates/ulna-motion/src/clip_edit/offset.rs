//! Shifting a loop in time: the same motion with another start.

use super::{TooClose, hold_end, refreshed};
use crate::{insert_key, sample_into};
use ulna_model::{Interpolation, KeyTangents, Property, TangentModes, Track};

/// Values that differ by less than this are equal at the seam, which then needs one key only.
const SAME_VALUE: f32 = 1e-5;

/// Shifts the track of a loop of `length` seconds later by `by` seconds, with wrap-around. The new
/// motion at `t` is the old motion at `t − by`. Keys are inserted at both ends and at the old seam.
/// If the values at the old seam differ, the track jumps there as before.
///
/// # Errors
/// The loop is too short for distinct key times.
pub fn offset_in_loop(track: &Track, length: f32, by: f32) -> Result<Track, TooClose> {
    let span = f64::from(length);
    let by = f64::from(by).rem_euclid(span);
    // The old time that becomes the start of the loop.
    let cut = (span - by) as f32;
    if span <= 0.0 || by == 0.0 || cut <= 0.0 || cut >= length || track.times.len() < 2 {
        return Ok(track.clone());
    }
    let mut whole = track.clone();
    for time in [0.0, length, cut] {
        whole = insert_key(&whole, time, None, true).track;
    }
    let near = |key: f32, time: f32| (key - time).abs() <= super::SAME_TIME;
    let stride = whole.stride();
    let key = |k: usize| whole.values[k * stride..(k + 1) * stride].to_vec();
    let mut made: Vec<(f32, Vec<f32>)> = Vec::with_capacity(whole.times.len() + 2);
    let count = whole.times.iter().take_while(|t| **t <= length || near(**t, length)).count();
    let middle = whole.times.iter().position(|t| near(*t, cut)).unwrap_or(0);
    let at = |time: f32, start: f64| (f64::from(time) - start) as f32;
    for k in middle..count {
        let time = if k == middle { 0.0 } else { at(whole.times[k], f64::from(cut)) };
        made.push((time, key(k)));
    }
    let seam = by as f32;
    let first = whole.times.iter().position(|t| near(*t, 0.0)).unwrap_or(0);
    let meets = same(&whole, first, count - 1);
    let cubic = whole.interpolation == Interpolation::CubicSpline;
    let width = whole.width;
    // Splines interpolate the numbers of quaternions. If the halves meet with opposite signs, one
    // of them is negated.
    let flips = meets
        && cubic
        && whole.property == Property::Rotation
        && whole.value(first).iter().zip(whole.value(count - 1)).map(|(a, b)| a * b).sum::<f32>()
            < 0.0;
    let second = |k: usize| -> Vec<f32> {
        let sign = if flips { -1.0 } else { 1.0 };
        key(k).into_iter().map(|v| v * sign).collect()
    };
    if let Some(last) = made.last_mut() {
        if meets && cubic {
            // The first and the last key of the old loop become one key. It arrives with the
            // tangent of the old end, and leaves with the tangent of the old start.
            last.1[2 * width..].copy_from_slice(&second(first)[2 * width..]);
            last.0 = seam;
        } else if meets {
            *last = (seam, key(first));
        } else {
            last.0 = hold_end(seam);
            if cubic {
                last.1[2 * width..].fill(0.0);
            }
            made.push((seam, key(first)));
        }
    }
    for k in first + 1..=middle {
        let time = if k == middle { length } else { at(whole.times[k], -by) };
        made.push((time, second(k)));
    }
    // The key at the seam is the first key of the old loop.
    let there = |(time, kind): (f32, _)| {
        let times = [f64::from(time) + by, f64::from(time) + by - span];
        let near = |t: &f64| made.iter().map(|m| m.0).find(|m| near(*m, *t as f32));
        times.iter().find_map(near).map(|t| (t, kind))
    };
    let kinds = whole.kinds.iter().filter_map(there).collect();
    let placed = |time: f64| made.iter().map(|m| m.0).find(|m| near(*m, time as f32));
    let modes = offset_modes(&whole, (first, count - 1, meets), (by, span), &placed);
    let after = Track {
        kinds,
        modes,
        times: made.iter().map(|m| m.0).collect(),
        values: made.into_iter().flat_map(|m| m.1).collect(),
        ..whole
    };
    match (1..after.times.len()).find(|k| after.times[*k] <= after.times[k - 1]) {
        Some(k) => Err(TooClose(after.times[k - 1], after.times[k])),
        None => Ok(refreshed(track, after)),
    }
}

/// The tangent modes of a loop's keys at their new times. The key that moves to both ends has its
/// modes at both. The old seam keeps its slopes if the curve was not smooth there.
fn offset_modes(
    whole: &Track,
    (first, last, meets): (usize, usize, bool),
    (by, span): (f64, f64),
    placed: &dyn Fn(f64) -> Option<f32>,
) -> TangentModes {
    if whole.modes.is_empty() {
        return whole.modes.clone();
    }
    let mut own = Vec::new();
    for (time, modes) in whole.modes.iter() {
        let later = f64::from(time) + by;
        own.extend([later, later - span].into_iter().filter_map(placed).map(|t| (t, modes)));
    }
    let [goes, comes] = [first, last].map(|k| whole.modes.of(whole.times[k]).unwrap_or_default());
    if let Some(time) = placed(by).filter(|_| meets) {
        let seam = if whole.modes.wraps() {
            let linked = comes.linked && goes.linked;
            KeyTangents { arrive: comes.arrive, leave: goes.leave, linked }
        } else {
            KeyTangents::default()
        };
        own.push((time, seam));
    }
    whole.modes.replaced(own).wrapping(true)
}

/// Whether two keys have the same value.
fn same(track: &Track, a: usize, b: usize) -> bool {
    let (mut at_a, mut at_b) = (vec![0.0; track.width], vec![0.0; track.width]);
    sample_into(track, f64::from(track.times[a]), &mut at_a);
    sample_into(track, f64::from(track.times[b]), &mut at_b);
    let gap =
        |sign: f32| at_a.iter().zip(&at_b).map(|(a, b)| (a - sign * b).abs()).fold(0.0, f32::max);
    gap(1.0) <= SAME_VALUE || (track.property == Property::Rotation && gap(-1.0) <= SAME_VALUE)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::tests::any_track, *};

    proptest! {
        #[test]
        fn offsetting_a_loop_keeps_its_motion(track in any_track(), part in 0.05f32..0.95) {
            let length = track.times[track.times.len() - 1] + 0.3;
            let by = length * part;
            // A key that is too close to the cut is merged with it.
            let near = |t: &f32| *t != length - by
                && (t - (length - by)).abs() <= 1.1 * super::super::SAME_TIME;
            prop_assume!(!track.times.iter().any(near));
            let made = offset_in_loop(&track, length, by).unwrap();
            prop_assert!(made.validate().is_ok());
            if track.times.len() < 2 {
                return Ok(());
            }
            let (mut a, mut b) = (vec![0.0; track.width], vec![0.0; track.width]);
            for k in 0..1000 {
                let time = f64::from(length) * (f64::from(k) + 0.5) / 1000.0;
                let was = (time - f64::from(by)).rem_euclid(f64::from(length));
                // Within a millisecond of the seam or of a STEP key, the value of either side is
                // valid.
                let near = |t: f64| {
                    (t - f64::from(length)).abs() < 2.5e-3 || t < 2.5e-3
                        || track.times.iter().any(|k| (f64::from(*k) - t).abs() < 2.5e-3)
                };
                if near(was) {
                    continue;
                }
                sample_into(&track, was, &mut a);
                sample_into(&made, time, &mut b);
                let turns = track.property == Property::Rotation;
                let gap = |sign: f32| a.iter().zip(&b).map(|(a, b)| (a - sign * b).abs()).fold(0.0,
                    f32::max);
                let gap = if turns { gap(1.0).min(gap(-1.0)) } else { gap(1.0) };
                prop_assert!(gap < 2e-3, "at {}: {:?} {:?}", time, a, b);
            }
        }
    }

    #[test]
    fn a_matching_seam_becomes_one_key() {
        let track = Track {
            target: ulna_model::NodeId(0),
            property: Property::Translation,
            interpolation: Interpolation::Linear,
            times: [0.0, 0.5, 1.0].into(),
            values: [1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 1.0, 0.0, 0.0].into(),
            width: 3,
            kinds: Default::default(),
            modes: Default::default(),
        };
        let made = offset_in_loop(&track, 1.0, 0.25).unwrap();
        assert_eq!(&*made.times, [0.0, 0.25, 0.75, 1.0]);
        assert_eq!((made.value(1)[0], made.value(0)[0], made.value(3)[0]), (1.0, 1.5, 1.5));
    }
}
