//! Proportional editing: nearby keys follow the selected ones, with a falloff over time.

use glam::{DQuat, DVec3, EulerRot};

use super::{
    chart::{ChosenComponents, follow_holds, rotation, short_log, turn_key},
    warp::{KeyDestination, placed},
};
use crate::clip_edit::{HOLD_GAP, TooClose, hold_end, is_hold_end, refreshed};
use ulna_model::{Interpolation, KeyTimes, Property, Track};

/// Returns the weight of each key, `0..=1`. Keys at `times` (in rising order) have weight 1, and
/// keys within `radius` seconds of them have less. `fade` computes the weight from the proximity: 1
/// at one of `times`, 0 at the radius.
fn parts(track: &Track, times: &[f32], radius: f32, fade: &dyn Fn(f32) -> f32) -> Vec<f32> {
    let part = |t: &f32| {
        let after = times.partition_point(|k| k < t);
        let near = |k: Option<&f32>| k.map_or(f32::INFINITY, |k| (k - t).abs());
        let before = after.checked_sub(1).and_then(|k| times.get(k));
        let distance = near(times.get(after)).min(near(before));
        if distance == 0.0 {
            1.0
        } else if distance < radius {
            fade(1.0 - distance / radius).clamp(0.0, 1.0)
        } else {
            0.0
        }
    };
    track.times.iter().map(part).collect()
}

/// Adds numbers to the keys at `times`, and a fraction of them to keys within `radius` seconds. For
/// rotations, `by` has three angles in radians about x, y and z of the joint's own axes. With
/// `components`, it has one angle per selected component.
#[must_use]
pub fn add_near(
    track: &Track,
    times: &[f32],
    by: &[f32],
    components: Option<ChosenComponents<'_>>,
    (radius, fade): (f32, &dyn Fn(f32) -> f32),
) -> Track {
    let parts = parts(track, times, radius, fade);
    let angles = |part: f32| -> [f64; 4] {
        std::array::from_fn(|c| f64::from(by.get(c).copied().unwrap_or(0.0) * part))
    };
    let stride = track.stride();
    let at = if track.interpolation == Interpolation::CubicSpline { track.width } else { 0 };
    let mut values = track.values.to_vec();
    for (key, part) in parts.iter().enumerate().filter(|(_, part)| **part > 0.0) {
        if is_hold_end(track, key) {
            continue;
        }
        let own = &mut values[key * stride..(key + 1) * stride];
        if track.property == Property::Rotation {
            let was = rotation(track.value(key));
            let added = angles(*part);
            let by = match components {
                None => DQuat::from_euler(EulerRot::XYZ, added[0], added[1], added[2]),
                Some(chosen) => was.inverse() * chosen.add(was, &added),
            };
            turn_key(own, short_log(by), DVec3::ZERO);
        } else {
            for (c, by) in by.iter().enumerate().take(track.width) {
                own[at + c] += by * part;
            }
        }
    }
    follow_holds(track, &mut values);
    refreshed(track, Track { values: values.into(), ..track.clone() })
}

/// Moves the keys at `times` by some seconds, and keys within `radius` seconds by a fraction of
/// this shift. Also returns the new times of the keys at `times`. No key moves before 0.
///
/// # Errors
/// Two keys would have the same time or change their order.
pub fn move_near(
    track: &Track,
    times: &[f32],
    by: f32,
    (radius, fade): (f32, &dyn Fn(f32) -> f32),
) -> Result<(Track, KeyTimes), TooClose> {
    let parts = parts(track, times, radius, fade);
    let mut to: Vec<f32> =
        track.times.iter().zip(&parts).map(|(t, part)| (t + by * part).max(t.min(0.0))).collect();
    for key in (0..to.len()).rev() {
        if is_hold_end(track, key) && to[key + 1] > HOLD_GAP {
            to[key] = hold_end(to[key + 1]);
        }
    }
    let places: Vec<KeyDestination> =
        to.iter().map(|t| KeyDestination { time: *t, before: 1.0, after: 1.0 }).collect();
    let made = placed(track, &places)?;
    let keys: Vec<f32> = (0..to.len())
        .filter(|k| times.binary_search_by(|t| t.total_cmp(&track.times[*k])).is_ok())
        .map(|k| to[k])
        .collect();
    Ok((made, keys.into()))
}

#[cfg(test)]
mod tests {
    use glam::Quat;
    use proptest::prelude::*;

    use super::*;
    use crate::clip_edit::tests::any_track;

    proptest! {
        #[test]
        fn nearby_keys_follow_and_distant_keys_are_unchanged(track in any_track(),
            pick in 0usize..12, radius in 0.0f32..1.0, by in -0.5f32..0.5) {
            let pick = pick % track.times.len();
            let at = track.times[pick];
            let turns = track.property == Property::Rotation;
            let change = if turns { vec![0.0, by, 0.0] } else { vec![by; 3] };
            let linear = |p: f32| p;
            let made = add_near(&track, &[at], &change, None, (radius, &linear));
            prop_assert!(made.validate().is_ok());
            for (k, time) in track.times.iter().enumerate() {
                let part = if k == pick { 1.0 } else {
                    (1.0 - (time - at).abs() / radius.max(1e-9)).max(0.0)
                };
                if part == 0.0 {
                    prop_assert_eq!(made.value(k), track.value(k));
                } else if !turns {
                    prop_assert!((made.value(k)[0] - track.value(k)[0] - by * part).abs() < 1e-4);
                } else {
                    let [a, b] = [&track, &made].map(|t| Quat::from_slice(t.value(k)).normalize());
                    let angle = ulna_model::transform::angle_between(a, b);
                    prop_assert!((angle - (by * part).abs()).abs() < 2e-3);
                }
            }
            if let Ok((moved, keys)) = move_near(&track, &[at], by, (radius, &linear)) {
                prop_assert!(moved.validate().is_ok());
                prop_assert_eq!(keys.len(), 1);
                prop_assert_eq!(moved.times.len(), track.times.len());
                for (k, time) in track.times.iter().enumerate() {
                    if (time - at).abs() >= radius && k != pick {
                        prop_assert_eq!(moved.times[k], *time);
                    }
                }
            }
        }
    }
}
