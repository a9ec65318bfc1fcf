//! The value of a track at a time (glTF 2.0, *Animations* and appendix C).

use glam::{Quat, Vec4};

use super::stack::Averaging;
use ulna_model::{Interpolation, Property, Track, transform::unit_or};

/// Position of a time between two keys of a track.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct KeySegment {
    /// Index of the last key at or before the time.
    pub key: usize,
    /// Fraction of the segment: 0 at the key `key`, and almost 1 just before the next key. Also 0
    /// before the first key and after the last key.
    pub part: f32,
    /// Length of the segment, seconds.
    span: f32,
}

/// Finds the segment of key times that contains `time`. The search starts at the segment `cursor`,
/// which is updated.
pub(super) fn segment(times: &[f32], time: f64, cursor: &mut usize) -> KeySegment {
    let last = times.len() - 1;
    let inside =
        |k: usize| k < last && f64::from(times[k]) <= time && time < f64::from(times[k + 1]);
    let key = if inside(*cursor) {
        *cursor
    } else if inside(*cursor + 1) {
        *cursor + 1
    } else {
        // Most keys are evenly spaced. The guess is then right or off by one, and no search is
        // needed.
        let (first, end) = (f64::from(times[0]), f64::from(times[last]));
        let guess = ((time - first) / (end - first) * last as f64).clamp(0.0, last as f64) as usize;
        let near = [guess, guess.saturating_sub(1), guess + 1];
        match near.into_iter().find(|k| inside(*k)) {
            Some(key) => key,
            None => times.partition_point(|t| f64::from(*t) <= time).saturating_sub(1),
        }
    };
    *cursor = key;
    let start = f64::from(times[key]);
    if key == last || time < start {
        return KeySegment { key, part: 0.0, span: 0.0 };
    }
    let span = f64::from(times[key + 1]) - start;
    KeySegment { key, part: ((time - start) / span) as f32, span: span as f32 }
}

/// Samples a track at `time` seconds, and writes `track.width` numbers to `out`.
///
/// Before the first and after the last key, the value is constant. At a key, the stored value is
/// used. Rotations are normalized.
pub fn sample_into(track: &Track, time: f64, out: &mut [f32]) {
    sample_by(track, time, Averaging::Slerp, out);
}

/// Samples a track like [`sample_into`]. `between` is the interpolation of LINEAR rotations.
pub(super) fn sample_by(track: &Track, time: f64, between: Averaging, out: &mut [f32]) {
    sample_at(track, segment(&track.times, time, &mut 0), between, out);
}

/// Samples a track like [`sample_by`], in a known segment.
pub(super) fn sample_at(track: &Track, at: KeySegment, between: Averaging, out: &mut [f32]) {
    let (key, u) = (at.key, at.part);
    if u <= 0.0 {
        out.copy_from_slice(track.value(key));
    } else {
        match track.interpolation {
            Interpolation::Step => out.copy_from_slice(track.value(key)),
            Interpolation::Linear if track.property == Property::Rotation => {
                let a = Quat::from_slice(track.value(key));
                let b = Quat::from_slice(track.value(key + 1));
                let turn =
                    if between == Averaging::Slerp { slerp(a, b, u) } else { nlerp(a, b, u) };
                out.copy_from_slice(&turn.to_array());
            }
            Interpolation::Linear => {
                for ((o, a), b) in out.iter_mut().zip(track.value(key)).zip(track.value(key + 1)) {
                    *o = a + (b - a) * u;
                }
            }
            Interpolation::CubicSpline => {
                let (u2, u3) = (u * u, u * u * u);
                let (w, span) = (track.width, at.span);
                let (from, to) = (
                    &track.values[key * 3 * w..(key + 1) * 3 * w],
                    &track.values[(key + 1) * 3 * w..],
                );
                let (value, slope) = (2.0 * u3 - 3.0 * u2 + 1.0, span * (u3 - 2.0 * u2 + u));
                let (next, next_slope) = (-2.0 * u3 + 3.0 * u2, span * (u3 - u2));
                for (i, o) in out.iter_mut().enumerate() {
                    *o = value * from[w + i]
                        + slope * from[2 * w + i]
                        + next * to[w + i]
                        + next_slope * to[i];
                }
            }
        }
    }
    if track.property == Property::Rotation {
        let q = unit_or(Quat::from_slice(out), Quat::IDENTITY);
        out.copy_from_slice(&q.to_array());
    }
}

/// Interpolates two rotations spherically along the shortest path (glTF 2.0, appendix C.4). It is
/// also exact for small angles.
pub fn slerp(a: Quat, b: Quat, u: f32) -> Quat {
    let (a4, mut b4) = (Vec4::from(a), Vec4::from(b));
    if a4.dot(b4) < 0.0 {
        b4 = -b4;
    }
    // The angle is computed from both lengths. `acos(dot)` loses half its digits near 1, and is
    // undefined if rounding of stored integers makes the dot product greater than 1.
    let angle = 2.0 * (a4 - b4).length().atan2((a4 + b4).length());
    // Below this angle, slerp and nlerp are equal in f32, and 1/sin would be inaccurate.
    if angle < 1.5e-3 {
        return unit_or(Quat::from_vec4(a4 + (b4 - a4) * u), a);
    }
    let sin = angle.sin();
    Quat::from_vec4(a4 * (((1.0 - u) * angle).sin() / sin) + b4 * ((u * angle).sin() / sin))
}

/// Interpolates two rotations linearly along the shortest path, and normalizes the result. It is
/// used for cross-fades and for previews between close rotations.
pub fn nlerp(a: Quat, b: Quat, u: f32) -> Quat {
    let (a4, mut b4) = (Vec4::from(a), Vec4::from(b));
    if a4.dot(b4) < 0.0 {
        b4 = -b4;
    }
    unit_or(Quat::from_vec4(a4 + (b4 - a4) * u), a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ulna_model::NodeId;

    fn track(
        property: Property,
        interpolation: Interpolation,
        times: &[f32],
        values: &[f32],
        width: usize,
    ) -> Track {
        let track = Track {
            target: NodeId(0),
            property,
            interpolation,
            times: times.into(),
            values: values.into(),
            width,
            kinds: Default::default(),
            modes: Default::default(),
        };
        track.validate().unwrap();
        track
    }

    fn at(track: &Track, time: f64) -> Vec<f32> {
        let mut out = vec![0.0; track.width];
        sample_into(track, time, &mut out);
        out
    }

    #[test]
    fn values_hold_beyond_the_ends_and_step_keeps_the_previous_key() {
        let t = track(
            Property::Scale,
            Interpolation::Step,
            &[1.0, 2.0],
            &[1.0, 1.0, 1.0, 5.0, 5.0, 5.0],
            3,
        );
        assert_eq!(at(&t, 0.0)[0], 1.0);
        assert_eq!(at(&t, 1.99)[0], 1.0);
        assert_eq!(at(&t, 2.0)[0], 5.0);
        assert_eq!(at(&t, 9.0)[0], 5.0);
    }

    #[test]
    fn slerp_takes_the_shortest_path_at_constant_speed() {
        let a = Quat::from_rotation_y(0.2);
        let b = Quat::from_rotation_y(1.2);
        for sign in [1.0, -1.0] {
            let b = Quat::from_vec4(Vec4::from(b) * sign);
            let found = slerp(a, b, 0.25);
            assert!(found.dot(Quat::from_rotation_y(0.45)).abs() > 1.0 - 1e-6);
        }
    }

    #[test]
    fn slerp_between_equal_quaternions_below_unit_length_is_constant() {
        // A quaternion of 16-bit integers, as in quantized files.
        let q = Quat::from_array([0.0, 0.0, -19346.0 / 32767.0, 26446.0 / 32767.0]);
        assert!(q.length() < 1.0 - 5e-6);
        for u in [0.0, 0.3, 1.0] {
            assert!(slerp(q, q, u).dot(q) > 0.9999, "{u}");
        }
    }

    #[test]
    fn a_cubic_with_linear_tangents_is_a_line() {
        let values = [2.0, 0.0, 2.0, 2.0, 4.0, 2.0];
        let t = track(Property::Weights, Interpolation::CubicSpline, &[0.0, 2.0], &values, 1);
        for k in 0..=10 {
            let time = f64::from(k) * 0.2;
            assert!((f64::from(at(&t, time)[0]) - 2.0 * time).abs() < 1e-5);
        }
    }

    #[test]
    fn a_single_key_is_constant() {
        let t = track(Property::Translation, Interpolation::Linear, &[3.0], &[1.0, 2.0, 3.0], 3);
        assert_eq!(at(&t, 0.0), [1.0, 2.0, 3.0]);
        assert_eq!(at(&t, 7.0), [1.0, 2.0, 3.0]);
    }
}
