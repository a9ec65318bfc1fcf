//! Interpolation between keys: stepped, linear or smooth.

use super::{hold_end, is_hold_end, refreshed, with_auto_tangents};
use ulna_model::{Interpolation, Property, TangentModes, Track};

/// Returns the values of a track without its tangents.
fn plain(track: &Track) -> Vec<f32> {
    (0..track.times.len()).flat_map(|k| track.value(k).iter().copied()).collect()
}

/// Changes the interpolation of a track; values and times stay. A conversion to CUBICSPLINE adds
/// automatic tangents, and makes the signs of quaternions consistent, since splines interpolate the
/// numbers. A single key becomes LINEAR instead, since glTF requires two keys. A conversion from
/// CUBICSPLINE drops the tangents, and a conversion to STEP drops the ends of holds.
#[must_use]
pub fn with_interpolation(track: &Track, to: Interpolation) -> Track {
    if track.interpolation == to {
        return track.clone();
    }
    let to = if to == Interpolation::CubicSpline && track.times.len() < 2 {
        Interpolation::Linear
    } else {
        to
    };
    let ends: Vec<bool> = (0..track.times.len())
        .map(|k| to == Interpolation::Step && is_hold_end(track, k))
        .collect();
    let kept: Vec<usize> = (0..track.times.len()).filter(|k| !ends[*k]).collect();
    let mut values: Vec<f32> = kept.iter().flat_map(|k| track.value(*k).iter().copied()).collect();
    if to == Interpolation::CubicSpline && track.property == Property::Rotation {
        for key in 1..kept.len() {
            let (before, own) = values.split_at_mut(key * 4);
            let before = &before[(key - 1) * 4..];
            if before.iter().zip(&own[..4]).map(|(a, b)| a * b).sum::<f32>() < 0.0 {
                own[..4].iter_mut().for_each(|v| *v = -*v);
            }
        }
    }
    let times = kept.iter().map(|k| track.times[*k]).collect();
    if to != Interpolation::CubicSpline {
        // Only splines have tangents.
        let modes = TangentModes::default().wrapping(track.modes.wraps());
        let values = values.into();
        return Track { interpolation: to, times, values, modes, ..track.clone() };
    }
    let none = vec![0.0; track.width];
    let spaced = values.chunks(track.width).flat_map(|v| [&none, v, &none].concat()).collect();
    with_auto_tangents(&Track { interpolation: to, times, values: spaced, ..track.clone() })
}

/// Adds holds from the keys at `times` to their next keys, or removes them. STEP tracks are
/// unchanged.
#[must_use]
pub fn held(track: &Track, times: &[f32], hold: bool) -> Track {
    if track.interpolation == Interpolation::Step {
        return track.clone();
    }
    let cubic = track.interpolation == Interpolation::CubicSpline;
    let (width, stride) = (track.width, track.stride());
    let values = plain(track);
    let last = track.times.len() - 1;
    let mut made: Vec<(f32, Vec<f32>)> = Vec::with_capacity(track.times.len() + times.len());
    for key in 0..=last {
        let begins = |k: usize| times.binary_search_by(|t| t.total_cmp(&track.times[k])).is_ok();
        let ends = is_hold_end(track, key);
        if ends && begins(key - 1) && !hold {
            continue;
        }
        let mut own = track.values[key * stride..(key + 1) * stride].to_vec();
        let holds = hold && begins(key) && key < last && !is_hold_end(track, key + 1) && !ends;
        let end =
            (key < last).then(|| hold_end(track.times[key + 1])).filter(|e| *e > track.times[key]);
        let value = &values[key * width..(key + 1) * width];
        let same = key < last && value == &values[(key + 1) * width..(key + 2) * width];
        if let Some(end) = end.filter(|_| holds && !same) {
            if cubic {
                own[2 * width..].fill(0.0);
            }
            made.push((track.times[key], own));
            let flat = vec![0.0; if cubic { width } else { 0 }];
            made.push((end, [&flat, value, &flat].concat()));
        } else {
            made.push((track.times[key], own));
        }
    }
    let after = Track {
        times: made.iter().map(|m| m.0).collect(),
        values: made.into_iter().flat_map(|m| m.1).collect(),
        ..track.clone()
    };
    refreshed(track, after)
}

#[cfg(test)]
mod tests {
    use glam::Quat;
    use proptest::prelude::*;

    use super::{
        super::{Tangents, TimeMap, is_auto, remove_keys, retime, tests::any_track, with_tangents},
        *,
    };
    use crate::sample_into;
    use ulna_model::{NodeId, transform::angle_between};

    fn values(keys: &[(f32, f32)]) -> Track {
        Track {
            target: NodeId(0),
            property: Property::Translation,
            interpolation: Interpolation::Linear,
            times: keys.iter().map(|k| k.0).collect(),
            values: keys.iter().flat_map(|k| [k.1, -k.1, 0.0]).collect(),
            width: 3,
            kinds: Default::default(),
            modes: Default::default(),
        }
    }

    fn at(track: &Track, time: f64) -> f32 {
        let mut out = [0.0; 3];
        sample_into(track, time, &mut out);
        out[0]
    }

    proptest! {
        #[test]
        fn smooth_tangents_never_overshoot_the_keys(keys in prop::collection::vec((0.01f32..1.0,
            -3.0f32..3.0), 2..9), part in 0.0f64..1.0) {
            let mut time = 0.0;
            let keys: Vec<(f32, f32)> =
                keys.into_iter().map(|(gap, v)| { time += gap; (time, v) }).collect();
            let track = with_interpolation(&values(&keys), Interpolation::CubicSpline);
            prop_assert!(track.validate().is_ok() && is_auto(&track));
            for pair in keys.windows(2) {
                let (low, high) = (pair[0].1.min(pair[1].1), pair[0].1.max(pair[1].1));
                let seen = at(&track,
                    f64::from(pair[0].0) + part * f64::from(pair[1].0 - pair[0].0));
                prop_assert!(seen >= low - 1e-4 && seen <= high + 1e-4, "{} not in {}..{}", seen,
                    low, high);
            }
        }

        #[test]
        fn smooth_rotations_about_one_axis_never_overshoot_the_keys(
            keys in prop::collection::vec((0.02f32..1.0, -1.5f32..1.5), 2..9),
            axis in prop::array::uniform3(-1.0f32..1.0),
            part in 0.0f64..1.0,
        ) {
            let axis = glam::Vec3::from(axis).try_normalize().unwrap_or(glam::Vec3::Y);
            let mut time = 0.0;
            let mut angle = 0.0;
            let keys: Vec<(f32, f32)> =
                keys.into_iter().map(|(gap, turn)| { time += gap; angle += turn; (time, angle) })
                    .collect();
            let linear = Track {
                property: Property::Rotation,
                values: keys.iter().flat_map(|k| Quat::from_axis_angle(axis, k.1).to_array())
                    .collect(),
                width: 4,
                ..values(&keys)
            };
            let track = with_interpolation(&linear, Interpolation::CubicSpline);
            prop_assert!(is_auto(&track));
            for pair in keys.windows(2) {
                let mut out = [0.0; 4];
                sample_into(&track, f64::from(pair[0].0) + part * f64::from(pair[1].0 - pair[0].0),
                    &mut out);
                let seen = Quat::from_array(out);
                // All rotations are about the same axis. The path via the result is no longer than
                // the direct path, so the result is between both keys.
                let [a, b] = [pair[0].1, pair[1].1].map(|angle| Quat::from_axis_angle(axis, angle));
                let way = angle_between(a, seen) + angle_between(seen, b);
                prop_assert!(way <= angle_between(a, b) + 2e-3, "{} {}", way, angle_between(a, b));
            }
        }

        #[test]
        fn holds_move_and_are_removed_as_a_whole(track in any_track(),
            picks in prop::collection::vec(any::<bool>(), 12), by in 0.5f64..2.0) {
            let times: Vec<f32> =
                track.times.iter().zip(&picks).filter(|(_, p)| **p).map(|(t, _)| *t).collect();
            let holds = held(&track, &times, true);
            prop_assert!(holds.validate().is_ok());
            // The value is constant until the end of the hold.
            if track.interpolation != Interpolation::Step {
                for time in &times {
                    let key = holds.key_at(*time, 0.0).unwrap();
                    let ends = (key + 1..holds.times.len()).find(|k| is_hold_end(&holds, *k));
                    if ends == Some(key + 1) {
                        let (mut a, mut b) = (vec![0.0; track.width], vec![0.0; track.width]);
                        sample_into(&holds, f64::from(*time), &mut a);
                        sample_into(&holds, f64::from(holds.times[key + 1]) - 1e-4, &mut b);
                        for (a, b) in a.iter().zip(&b) {
                            prop_assert!((a - b).abs() < 1e-5);
                        }
                    }
                }
            }
            // A move of all keys also moves the ends of holds. Removing the holds restores the
            // original keys.
            let moved = retime(&holds, &track.times, &TimeMap::shift(by), false).unwrap();
            prop_assert_eq!(moved.keys.len(), track.times.len());
            let ends = |t: &Track| (0..t.times.len()).filter(|k| is_hold_end(t, *k)).count();
            prop_assert_eq!(ends(&moved.track), ends(&holds));
            let back = held(&holds, &times, false);
            prop_assert_eq!(&*back.times, &*track.times);
            let left = remove_keys(&holds, &track.times[..1]);
            prop_assert!(left.is_none_or(|t| t.validate().is_ok() && ends(&t) <= ends(&holds)));
        }
    }

    #[test]
    fn a_hold_ends_a_millisecond_before_the_next_key() {
        for kind in [Interpolation::Linear, Interpolation::CubicSpline] {
            let track = with_interpolation(&values(&[(0.0, 1.0), (1.0, 2.0), (2.0, 3.0)]), kind);
            let holds = held(&track, &[0.0], true);
            assert_eq!(holds.times.len(), 4);
            assert!(is_hold_end(&holds, 1) && (holds.times[1] - 0.999).abs() < 1e-6);
            assert_eq!((at(&holds, 0.5), at(&holds, 0.998)), (1.0, 1.0));
            let moved = retime(&holds, &[1.0], &TimeMap::shift(0.5), false).unwrap();
            assert!((moved.track.times[1] - 1.499).abs() < 1e-6 && moved.track.times[2] == 1.5);
            assert_eq!((&*moved.keys, moved.replaced), (&[1.5][..], 0));
            // The key that begins a hold is removed together with the hold's end.
            assert_eq!(&*remove_keys(&holds, &[0.0]).unwrap().times, [1.0, 2.0]);
            assert_eq!(&*remove_keys(&holds, &[1.0]).unwrap().times, [0.0, 2.0]);
        }
    }

    #[test]
    fn automatic_tangents_stay_automatic_and_others_are_unchanged() {
        let auto = with_interpolation(
            &values(&[(0.0, 0.0), (1.0, 2.0), (2.0, 3.0)]),
            Interpolation::CubicSpline,
        );
        let moved = retime(&auto, &[1.0], &TimeMap::shift(0.25), false).unwrap().track;
        assert!(is_auto(&moved) && moved.values != auto.values);
        let mut values = auto.values.to_vec();
        values[9 + 6] += 1.0;
        let own = Track { values: values.clone().into(), ..auto };
        let moved = retime(&own, &[1.0], &TimeMap::shift(0.25), false).unwrap().track;
        assert_eq!(&*moved.values, values);
    }

    #[test]
    fn smooth_tangents_are_continuous_across_the_loop_seam() {
        let track = values(&[(0.0, 1.0), (1.0, 2.0), (2.0, 0.0), (3.0, 1.0)]);
        let track = with_interpolation(&track, Interpolation::CubicSpline);
        let slope = |key: usize, part: usize| track.values[key * 9 + part * 3];
        assert!(slope(0, 2) > 0.5);
        assert_eq!(slope(0, 2), slope(3, 0));
    }

    proptest! {
        /// Between two neighboring keys, the curve stays between their values for all kinds of
        /// tangents.
        #[test]
        fn tangents_of_all_kinds_stay_between_neighboring_keys(
            keys in prop::collection::vec((0.05f32..1.0, -2.0f32..2.0,
            0usize..4), 3..8)) {
            let mut now = 0.0;
            let keys: Vec<(f32, f32, usize)> =
                keys.into_iter().map(|(gap, v, how)| { now += gap; (now, v, how) }).collect();
            let linear = values(&keys.iter().map(|k| (k.0, k.1)).collect::<Vec<_>>());
            let mut track = with_interpolation(&linear, Interpolation::CubicSpline);
            for (time, _, how) in &keys {
                let how = [Tangents::Auto, Tangents::Flat, Tangents::Straight,
                    Tangents::Sharp][*how];
                track = with_tangents(&track, &[*time], how);
            }
            for pair in keys.windows(2) {
                let (low, high) = (pair[0].1.min(pair[1].1), pair[0].1.max(pair[1].1));
                for step in 0..=40 {
                    let time = f64::from(pair[0].0) + f64::from(pair[1].0 - pair[0].0) * f64::from(
                        step) / 40.0;
                    let seen = at(&track, time);
                    prop_assert!(seen >= low - 1e-4 && seen <= high + 1e-4, "{} not in {}..{}",
                        seen, low, high);
                }
            }
        }
    }

    #[test]
    fn a_bounce_of_three_keys_follows_a_parabola() {
        let linear = values(&[(0.0, 1.0), (0.5, 0.0), (1.0, 1.0)]);
        let ball = with_tangents(
            &with_interpolation(&linear, Interpolation::CubicSpline),
            &[0.5],
            Tangents::Sharp,
        );
        for k in 0..=100 {
            let time = f64::from(k) / 100.0;
            let fallen = if time < 0.5 { time } else { 1.0 - time } / 0.5;
            assert!(
                (f64::from(at(&ball, time)) - (1.0 - fallen * fallen)).abs() < 1e-5,
                "{time}: {}",
                at(&ball, time)
            );
        }
    }
}
