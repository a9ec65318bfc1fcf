//! Consistent signs of quaternions from key to key.

use crate::clip_edit::MotionError;
use ulna_model::{Interpolation, Property, Track};

/// A track whose quaternions have consistent signs.
#[derive(Clone, Debug, PartialEq)]
pub struct Continued {
    /// The track with consistent signs.
    pub track: Track,
    /// Number of keys whose sign was changed.
    pub changed: usize,
    /// Largest change of the motion between keys. Only CUBICSPLINE tracks change, since they
    /// interpolate the stored numbers.
    pub error: MotionError,
}

/// Gives each quaternion the sign nearer to the previous key, so that no segment makes an
/// unnecessary full turn. A quaternion and its negative are the same rotation, so the motion at
/// keys is unchanged. Tangents are negated with their keys. The sign of the first key is kept or
/// changed, so that fewer keys change in total. Tracks other than rotations are unchanged.
#[must_use]
pub fn with_continued_signs(track: &Track) -> Continued {
    let unchanged =
        || Continued { track: track.clone(), changed: 0, error: MotionError::default() };
    if track.property != Property::Rotation || track.width != 4 {
        return unchanged();
    }
    let mut turned = vec![false; track.times.len()];
    for key in 1..turned.len() {
        let dot: f32 = track.value(key - 1).iter().zip(track.value(key)).map(|(a, b)| a * b).sum();
        turned[key] = turned[key - 1] != (dot < 0.0);
    }
    let count = turned.iter().filter(|t| **t).count();
    if count == 0 {
        return unchanged();
    }
    let fewer = count * 2 <= turned.len();
    let stride = track.stride();
    let mut values = track.values.to_vec();
    for (own, _) in values.chunks_mut(stride).zip(&turned).filter(|(_, t)| **t == fewer) {
        own.iter_mut().for_each(|v| *v = -*v);
    }
    let made = Track { values: values.into(), ..track.clone() };
    let changed = if fewer { count } else { turned.len() - count };
    Continued { error: between(track, &made, &turned), track: made, changed }
}

/// Measures the largest change of the motion in segments whose two keys had inconsistent signs.
fn between(before: &Track, after: &Track, turned: &[bool]) -> MotionError {
    const PLACES: u32 = 16;
    let mut worst = MotionError::default();
    if before.interpolation != Interpolation::CubicSpline {
        return worst;
    }
    for key in (1..turned.len()).filter(|k| turned[*k] != turned[*k - 1]) {
        let (from, to) = (f64::from(before.times[key - 1]), f64::from(before.times[key]));
        for place in 1..PLACES {
            let time = from + (to - from) * f64::from(place) / f64::from(PLACES);
            worst = worst.or(MotionError::between(before, after, time));
        }
    }
    worst
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::clip_edit::tests::any_track;

    proptest! {
        #[test]
        fn quaternion_signs_become_continuous_and_rotations_are_unchanged(track in any_track(),
            flips in prop::collection::vec(any::<bool>(), 64)) {
            let mut flipped = track.clone();
            let mut values = track.values.to_vec();
            for (own, flip) in values.chunks_mut(track.stride()).zip(&flips) {
                if *flip && track.property == Property::Rotation {
                    own.iter_mut().for_each(|v| *v = -*v);
                }
            }
            flipped.values = values.into();
            let made = with_continued_signs(&flipped);
            prop_assert!(made.track.validate().is_ok());
            prop_assert!(made.changed * 2 <= track.times.len());
            prop_assert_eq!(&made.track.times, &track.times);
            let mut differ = 0;
            for key in 0..track.times.len() {
                let [a, b] = [&flipped, &made.track].map(|t| {
                    &t.values[key * t.stride()..(key + 1) * t.stride()]
                });
                let negated = a.iter().zip(b).all(|(a, b)| *a == -*b);
                prop_assert!(a == b || negated);
                differ += usize::from(a != b);
                if key > 0 && track.property == Property::Rotation {
                    let [a, b] = [key - 1, key].map(|k| made.track.value(k));
                    prop_assert!(a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>() >= 0.0);
                }
            }
            prop_assert_eq!(differ, made.changed);
            prop_assert_eq!(with_continued_signs(&made.track).changed, 0);
            // A motion without an error must equal the motion of the original track between keys,
            // too.
            for k in 0..50 {
                let span = track.times[track.times.len() - 1] - track.times[0];
                let time = f64::from(track.times[0]) + f64::from(span) * f64::from(k) / 50.0;
                let off = MotionError::between(&flipped, &made.track, time);
                if made.error.angle == 0.0 {
                    prop_assert!(off.angle < 2e-3, "{off:?}");
                }
            }
        }
    }
}
