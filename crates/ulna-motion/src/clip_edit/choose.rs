//! Selection of keys by kind, by value, and by a range of values.

use std::{collections::HashSet, ops::RangeInclusive};

use glam::{EulerRot, Quat};

use super::is_hold_end;
use ulna_model::{KeyKind, KeyTimes, Property, Track, transform::unit_or};

/// Finds the keys of a kind. With `None`, finds the keys without a kind.
pub fn keys_of_kind(track: &Track, kind: Option<KeyKind>) -> KeyTimes {
    chosen(track, |k| track.kinds.of(track.times[k]) == kind)
}

/// Finds the keys whose value equals that of a key at one of `times`, to four decimals. Rotations
/// are equal with either quaternion sign.
pub fn keys_of_value(track: &Track, times: &[f32]) -> KeyTimes {
    let rounded = |value: &[f32], sign: f32| -> Vec<i64> {
        value.iter().map(|v| (f64::from(v * sign) * 1e4).round() as i64).collect()
    };
    let meant = times.iter().filter_map(|t| track.key_at(*t, 0.0));
    let wanted: HashSet<Vec<i64>> = meant.map(|k| rounded(track.value(k), 1.0)).collect();
    let signs: &[f32] = if track.property == Property::Rotation { &[1.0, -1.0] } else { &[1.0] };
    chosen(track, |k| signs.iter().any(|sign| wanted.contains(&rounded(track.value(k), *sign))))
}

/// Finds the keys with a number inside a range. `component` is the index of an axis or a morph
/// target; with `None`, any number of the key may be inside. Rotations are compared as Euler angles
/// in degrees.
pub fn keys_in_range(
    track: &Track,
    range: &RangeInclusive<f32>,
    component: Option<usize>,
) -> KeyTimes {
    chosen(track, |k| {
        let value = track.value(k);
        let inside = |list: &[f32]| match component {
            Some(c) => list.get(c).is_some_and(|v| range.contains(v)),
            None => list.iter().any(|v| range.contains(v)),
        };
        if track.property != Property::Rotation {
            return inside(value);
        }
        let (x, y, z) = unit_or(Quat::from_slice(value), Quat::IDENTITY).to_euler(EulerRot::XYZ);
        inside(&[x, y, z].map(f32::to_degrees))
    })
}

/// Finds the keys for which `is` is true. Ends of holds are excluded: they belong to the keys that
/// begin the holds.
fn chosen(track: &Track, is: impl Fn(usize) -> bool) -> KeyTimes {
    let keys = (0..track.times.len()).filter(|k| is(*k) && !is_hold_end(track, *k));
    keys.map(|k| track.times[k]).collect::<Vec<_>>().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ulna_model::{Interpolation, NodeId};

    fn track(property: Property, values: &[&[f32]]) -> Track {
        Track {
            target: NodeId(0),
            property,
            interpolation: Interpolation::Linear,
            times: (0..values.len()).map(|k| k as f32).collect(),
            values: values.concat().into(),
            width: values[0].len(),
            kinds: Default::default(),
            modes: Default::default(),
        }
    }

    #[test]
    fn keys_of_equal_rotation_are_found_with_either_quaternion_sign() {
        let q = [0.0, 0.0, 0.6, 0.8];
        let n = q.map(|v: f32| -v);
        let found =
            keys_of_value(&track(Property::Rotation, &[&q, &[0.0, 0.0, 0.0, 1.0], &n, &q]), &[0.0]);
        assert_eq!(&*found, [0.0, 2.0, 3.0]);
    }

    #[test]
    fn a_value_range_applies_to_one_axis_or_any_axis() {
        let moved =
            track(Property::Translation, &[&[1.0, 5.0, 0.0], &[3.0, 0.5, 0.0], &[9.0, 9.0, 9.0]]);
        assert_eq!(&*keys_in_range(&moved, &(0.9..=3.5), Some(0)), [0.0, 1.0]);
        assert_eq!(&*keys_in_range(&moved, &(4.0..=6.0), None), [0.0]);
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let turned = track(Property::Rotation, &[&[0.0, 0.0, 0.0, 1.0], &[half, 0.0, 0.0, half]]);
        assert_eq!(&*keys_in_range(&turned, &(89.0..=91.0), Some(0)), [1.0]);
    }

    #[test]
    fn keys_are_selected_by_their_kind() {
        let mut moved = track(Property::Translation, &[&[1.0, 5.0, 0.0], &[3.0, 0.5, 0.0]]);
        moved.kinds = moved.kinds.with(&[1.0], Some(KeyKind::Extreme));
        assert_eq!(&*keys_of_kind(&moved, Some(KeyKind::Extreme)), [1.0]);
        assert_eq!(&*keys_of_kind(&moved, None), [0.0]);
    }
}
