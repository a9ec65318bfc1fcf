//! Insertion of keys on a curve without a change of its shape.

use crate::{
    Inserted,
    clip_edit::{named_modes, refreshed, with_modes},
    insert_key, sample_into,
};
use ulna_model::{Interpolation, KeySide, KeyTangents, TangentMode, TangentModes, Track};

/// Maximum relative difference of tangents that count as equal.
const ALIKE: f32 = 1e-4;

/// Inserts a key with the current value at `time`, in seconds. The track is unchanged if it has a
/// key within a tenth of a millisecond.
///
/// Without `mode`, the curve keeps its shape as in [`insert_key`]: exactly, except for rotations of
/// CUBICSPLINE tracks. Their error is returned, and is below 0.01° with `exact`. The new key is
/// free and linked. Neighboring keys whose tangents depend on their neighbors become free, too.
/// Otherwise they would change with the next edit.
///
/// With `mode`, the tangents of the new key are computed from it, and those of its neighbors are
/// recomputed.
#[must_use]
pub fn inserted(track: &Track, time: f32, exact: bool, mode: Option<TangentMode>) -> Inserted {
    let cubic = track.interpolation == Interpolation::CubicSpline;
    if let (true, Some(mode)) = (cubic, mode) {
        let mut seen = vec![0.0; track.width];
        sample_into(track, f64::from(time), &mut seen);
        let made = insert_key(track, time, Some(&seen), false).track;
        if made.times.len() == track.times.len() {
            return Inserted { track: track.clone(), error: 0.0 };
        }
        let made = refreshed(track, made);
        let linked = mode != TangentMode::Linear;
        let track = with_modes(&made, &[time], KeySide::Both, mode, Some(linked));
        return Inserted { track, error: 0.0 };
    }
    let made = insert_key(track, time, None, exact);
    if !cubic || made.track.times.len() == track.times.len() {
        return made;
    }
    Inserted { track: settled(track, made.track), error: made.error }
}

/// Makes tangents free if a later refresh would change them because of the new keys.
fn settled(before: &Track, made: Track) -> Track {
    let named = named_modes(before);
    if named.is_empty() {
        return made;
    }
    let free = KeyTangents { linked: true, ..KeyTangents::default() };
    let is_new = |t: &f32| before.key_at(*t, 0.0).is_none();
    let new: Vec<f32> = made.times.iter().copied().filter(is_new).collect();
    let made = Track { modes: named.with(&new, Some(free)), ..made };
    let again = refreshed(&made, made.clone());
    // The tangents of the track without the new keys.
    let old = Track { modes: named, ..before.clone() };
    let old = refreshed(&old, old.clone());
    let mut modes: TangentModes = made.modes.clone();
    for (key, time) in made.times.iter().enumerate() {
        let (Some(mut own), Some(was)) = (made.modes.of(*time), old.key_at(*time, 0.0)) else {
            continue;
        };
        let (width, stride) = (made.width, made.stride());
        let same = |from: usize| {
            let a = &old.values[was * stride + from..][..width];
            let b = &again.values[key * stride + from..][..width];
            let size = a.iter().fold(1e-3f32, |most, v| most.max(v.abs()));
            a.iter().zip(b).all(|(a, b)| (a - b).abs() <= size * ALIKE)
        };
        let (arrives, leaves) = (same(0), same(2 * width));
        if arrives && leaves {
            continue;
        }
        if !arrives {
            own.arrive = TangentMode::Free;
        }
        if !leaves {
            own.leave = TangentMode::Free;
        }
        modes = modes.with(&[*time], Some(own));
    }
    Track { modes, ..made }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        clip_edit::tests::any_track,
        clip_edit::{MotionError, with_interpolation},
    };
    use ulna_model::Property;

    /// Measures the largest difference of two tracks at 400 times, in radians for rotations and in
    /// track units otherwise.
    fn apart(a: &Track, b: &Track) -> MotionError {
        let (from, to) = (f64::from(a.times[0]) - 0.1, f64::from(a.times[a.times.len() - 1]) + 0.1);
        let time = |k: u32| from + (to - from) * f64::from(k) / 400.0;
        (0..=400)
            .fold(MotionError::default(), |worst, k| worst.or(MotionError::between(a, b, time(k))))
    }

    proptest! {
        #[test]
        fn an_inserted_key_keeps_the_curve_even_after_the_next_edit(
            track in any_track(),
            mode in prop::sample::select(vec![TangentMode::Auto, TangentMode::Smooth,
                TangentMode::Flat, TangentMode::Linear, TangentMode::Free]),
            part in 0.02f32..0.98,
        ) {
            let spline = with_interpolation(&track, Interpolation::CubicSpline);
            let named = with_modes(&spline, &spline.times, KeySide::Both, mode, None);
            for track in [track, spline, named] {
                let last = track.times[track.times.len() - 1];
                let time = track.times[0] + (last - track.times[0]) * part;
                if track.interpolation == Interpolation::Step
                    || track.key_at(time, 2e-4).is_some()
                {
                    continue;
                }
                let made = inserted(&track, time, true, None);
                prop_assert!(made.track.validate().is_ok());
                prop_assert!(made.track.key_at(time, 0.0).is_some());
                let size = track.values.iter().fold(1.0f32, |m, v| m.max(v.abs()));
                let near = |off: MotionError| {
                    off.angle.to_degrees() < 0.03 && off.value < size * 2e-4
                };
                let off = apart(&track, &made.track);
                prop_assert!(near(off), "{off:?}");
                // Keys that are not next to the inserted key stay automatic.
                let named = named_modes(&track);
                let auto = KeyTangents::both(TangentMode::Auto);
                let after = track.times.partition_point(|t| *t < time);
                let all = !named.is_empty() && named.iter().all(|(_, m)| m == auto);
                for (key, own) in track.times.iter().enumerate().filter(|_| all) {
                    let seam = named.wraps() && (key == 0 || *own == last);
                    let beside = key == after || key + 1 == after || seam;
                    prop_assert!(beside || made.track.modes.of(*own) == Some(auto));
                }
                // Tangents of rotations without modes differ from those computed from modes.
                let turns = track.property == Property::Rotation;
                if turns && track.modes.is_empty() {
                    continue;
                }
                let again = refreshed(&made.track, made.track.clone());
                let off = apart(&track, &again);
                prop_assert!(near(off), "after the next edit {off:?}");
            }
        }

        #[test]
        fn a_key_inserted_with_a_tangent_mode_has_the_mode_and_the_sampled_value(
            track in any_track(),
            part in 0.1f32..0.9) {
            let track = with_interpolation(&track, Interpolation::CubicSpline);
            let last = track.times[track.times.len() - 1];
            let time = track.times[0] + (last - track.times[0]) * part;
            if track.interpolation != Interpolation::CubicSpline
                || track.key_at(time, 2e-4).is_some()
            {
                return Ok(());
            }
            let made = inserted(&track, time, false, Some(TangentMode::Flat)).track;
            prop_assert!(made.validate().is_ok());
            let key = made.key_at(time, 0.0).unwrap();
            prop_assert_eq!(made.modes.of(time), Some(KeyTangents::both(TangentMode::Flat)));
            let off = MotionError::between(&track, &made, f64::from(time));
            prop_assert!(off.angle < 1e-3 && off.value < 1e-3, "{off:?}");
            let own = &made.values[key * made.stride()..(key + 1) * made.stride()];
            prop_assert!(own[..made.width].iter().all(|v| *v == 0.0));
        }
    }
}
