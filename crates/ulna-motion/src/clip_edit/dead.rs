//! Redundant keys: keys whose value equals the interpolation between their neighbors.

use glam::Quat;

use super::is_hold_end;
use crate::slerp;
use ulna_model::{Interpolation, Property, Track, transform::angle_between};

/// Rounding tolerance of a value, relative to a value of 1; radians for rotations.
const ROUNDED: f32 = 1e-5;

/// cos(179°/2): two rotations are almost half a turn apart if the dot product of their quaternions
/// is smaller.
const HALF_TURN: f32 = 0.0087;

/// Maximum number of consecutive redundant keys of a moving track. Constant values have no limit.
const MOST_ON_A_LINE: usize = 256;

/// Finds the keys among `times` whose removal changes the motion by at most `tolerance` plus
/// rounding. The tolerance is in the track's units, degrees for rotations. The first and the last
/// key of a track and ends of holds are kept.
pub fn dead_keys(track: &Track, times: &[f32], tolerance: f32) -> Vec<f32> {
    let count = track.times.len();
    let mut dead = Vec::new();
    let mut anchor = 0;
    let mut key = 1;
    let mut meant = times.iter().copied().peekable();
    while key + 1 < count {
        let time = track.times[key];
        while meant.next_if(|t| *t < time).is_some() {}
        let next = key + 1;
        let goes = meant.peek() == Some(&time)
            // Removing the key after a hold also removes the end of the hold.
            && !is_hold_end(track, key - 1)
            && !is_hold_end(track, key)
            && !is_hold_end(track, next)
            && spans(track, anchor, key, next, tolerance);
        if goes {
            dead.push(time);
        } else {
            anchor = key;
        }
        key += 1;
    }
    dead
}

/// Whether all keys after `anchor` up to `key` are on the straight line from `anchor` to `next`.
fn spans(track: &Track, anchor: usize, key: usize, next: usize, tolerance: f32) -> bool {
    if is_still(track, anchor, key) {
        // Between these two keys, the removed keys have the anchor's value.
        return track.interpolation == Interpolation::Step || is_still(track, key, next);
    }
    match track.interpolation {
        Interpolation::Step | Interpolation::CubicSpline => false,
        Interpolation::Linear if key - anchor > MOST_ON_A_LINE => false,
        Interpolation::Linear => {
            (anchor + 1..=key).all(|k| lies_on(track, anchor, k, next, tolerance))
        }
    }
}

/// Whether the value is constant between two keys.
fn is_still(track: &Track, a: usize, b: usize) -> bool {
    let flat = |key: usize, part: usize| {
        let from = key * track.stride() + part * track.width;
        track.values[from..from + track.width].iter().all(|v| *v == 0.0)
    };
    let cubic = track.interpolation == Interpolation::CubicSpline;
    track.value(a) == track.value(b) && (!cubic || (flat(a, 2) && flat(b, 0) && flat(b, 2)))
}

fn lies_on(track: &Track, from: usize, key: usize, to: usize, tolerance: f32) -> bool {
    let (start, end) = (f64::from(track.times[from]), f64::from(track.times[to]));
    let part = ((f64::from(track.times[key]) - start) / (end - start)) as f32;
    let (a, v, b) = (track.value(from), track.value(key), track.value(to));
    if track.property == Property::Rotation {
        // For keys half a turn apart, rounding decides which rotation direction is the shortest.
        let half = Quat::from_slice(a).dot(Quat::from_slice(b)).abs() < HALF_TURN;
        if half && from + 1 != to {
            return false;
        }
        let line = slerp(Quat::from_slice(a), Quat::from_slice(b), part);
        return angle_between(line, Quat::from_slice(v)) <= tolerance.to_radians() + ROUNDED * 10.0;
    }
    (0..track.width).all(|i| {
        let line = a[i] + (b[i] - a[i]) * part;
        (line - v[i]).abs() <= tolerance + ROUNDED * v[i].abs().max(a[i].abs()).max(1e-3)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        super::{remove_keys, tests::any_track},
        *,
    };
    use crate::{insert_key, sample_into};

    proptest! {
        #[test]
        fn removing_redundant_keys_keeps_the_motion(track in any_track(),
            at in prop::collection::vec(0.0f32..1.0, 1..6)) {
            let length = track.times[track.times.len() - 1];
            let mut more = track.clone();
            for part in at {
                more = insert_key(&more, part * length, None, false).track;
            }
            let dead = dead_keys(&more, &more.times, 0.0);
            let left = remove_keys(&more, &dead).unwrap();
            prop_assert!(left.validate().is_ok());
            if track.interpolation == Interpolation::Step {
                prop_assert!(left.times.len() <= track.times.len() + 2);
            }
            let (mut a, mut b) = (vec![0.0; track.width], vec![0.0; track.width]);
            for k in 0..100 {
                let time = f64::from(length) * f64::from(k) / 100.0;
                sample_into(&more, time, &mut a);
                sample_into(&left, time, &mut b);
                let sign = if a.iter().zip(&b).map(|(a, b)| a * b).sum::<f32>() < 0.0
                    && track.width == 4 { -1.0 } else { 1.0 };
                prop_assert!(a.iter().zip(&b).all(|(a, b)| (a - sign * b).abs() < 2e-3),
                    "{}: {:?} {:?}", time, a, b);
            }
        }
    }

    #[test]
    fn constant_keys_are_redundant_and_slow_bends_are_not() {
        let track = |values: Vec<f32>| Track {
            target: ulna_model::NodeId(0),
            property: Property::Translation,
            interpolation: Interpolation::Linear,
            times: (0..values.len()).map(|k| k as f32 * 0.1).collect(),
            values: values.iter().flat_map(|v| [*v, 0.0, 0.0]).collect(),
            width: 3,
            kinds: Default::default(),
            modes: Default::default(),
        };
        let still = track(vec![1.0; 5000]);
        assert_eq!(dead_keys(&still, &still.times, 0.0).len(), 4998);
        let bend = track((0..200).map(|k| (k as f32 * 0.01).powi(2)).collect());
        assert!(dead_keys(&bend, &bend.times, 0.0).is_empty());
        let some = dead_keys(&bend, &bend.times, 0.01);
        assert!(some.len() > 100 && some.len() < 198, "{}", some.len());
    }
}
