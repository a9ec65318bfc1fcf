//! Overlapping action of a chain: keys are delayed by a time that grows along the chain.

use crate::clip_edit::{TimeMap, TooClose, offset_in_loop, retime};
use ulna_model::Track;

/// Returns the relative delay of each joint of a chain: 0 for the first joint, 1 for the last.
/// `fade` maps the position along the chain, `0..=1`, to the delay.
pub fn lags(joints: usize, fade: impl Fn(f32) -> f32) -> Vec<f32> {
    match joints {
        0 | 1 => vec![1.0; joints],
        _ => {
            let last = (joints - 1) as f32;
            (0..joints).map(|k| fade(k as f32 / last).clamp(0.0, 1.0)).collect()
        }
    }
}

/// Delays all keys of a track by some seconds; negative values advance them. Within a loop of
/// `length` seconds, motion wraps around. Otherwise, the first value is held until the first key.
/// Keys before 0 are cut off, with a key at 0.
///
/// # Errors
/// Two keys would have the same time.
pub fn overlapped(track: &Track, by: f32, length: Option<f32>) -> Result<Track, TooClose> {
    if by == 0.0 {
        return Ok(track.clone());
    }
    if let Some(length) = length.filter(|l| *l > 0.0) {
        return offset_in_loop(track, length, by);
    }
    let Some(first) = track.times.first().copied() else { return Ok(track.clone()) };
    let mut from = track.clone();
    // Cut the motion that would be before 0.
    if first + by < 0.0 {
        let cut = -by;
        from = crate::insert_key(&from, cut, None, true).track;
        let gone: Vec<f32> =
            from.times.iter().copied().filter(|t| *t < cut - crate::clip_edit::SAME_TIME).collect();
        from = crate::clip_edit::remove_keys(&from, &gone).unwrap_or(from);
    }
    let times = from.times.to_vec();
    let first = times[0];
    let by = f64::from(by).max(-f64::from(first));
    retime(&from, &times, &TimeMap::shift(by), false).map(|made| made.track)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        clip_edit::tests::{any_track, whip},
        sample_into,
    };
    use ulna_model::{Interpolation, Property, transform::angle_between};

    #[test]
    fn the_last_joint_has_the_largest_lag() {
        assert_eq!(lags(3, |p| p), [0.0, 0.5, 1.0]);
        assert_eq!(lags(3, |p| p * p), [0.0, 0.25, 1.0]);
        assert_eq!(lags(1, |p| p), [1.0]);
        assert!(lags(0, |p| p).is_empty());
    }

    proptest! {
        #[test]
        fn overlap_delays_the_motion_without_changing_its_values(
            track in any_track(), by in -1.0f32..1.0, at in 0.0f64..3.0) {
            let made = overlapped(&track, by, None).unwrap();
            prop_assert!(made.validate().is_ok() && made.times[0] >= 0.0);
            let (mut a, mut b) = (vec![0.0; track.width], vec![0.0; track.width]);
            let was = at - f64::from(by);
            prop_assume!(was >= 0.0);
            // Skip jumps of a STEP track.
            let near = track.times.iter().any(|t| (f64::from(*t) - was).abs() < 1e-4);
            prop_assume!(!(near && track.interpolation == Interpolation::Step));
            sample_into(&track, was, &mut a);
            sample_into(&made, at, &mut b);
            if track.property == Property::Rotation {
                let [a, b] = [a, b].map(|v| glam::Quat::from_slice(&v));
                prop_assert!(angle_between(a, b) < 3e-3 + whip(&track, was));
            } else {
                for (a, b) in a.iter().zip(&b) {
                    prop_assert!((a - b).abs() < 3e-3, "{a} {b}");
                }
            }
        }
    }
}
