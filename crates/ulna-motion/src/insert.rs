//! Insertion of a key between others, with a new value or without a change of the motion.

use ulna_model::{Interpolation, KeyTangents, Property, Slice, TangentMode, Track, UnkeyedAt};

use super::sample::sample_into;

/// A track with an inserted key, and the error of the insertion.
#[derive(Clone, Debug)]
pub struct Inserted {
    /// The track with the new key.
    pub track: Track,
    /// Maximum error of the motion, in radians. Only rotations between CUBICSPLINE keys have an
    /// error, because they cannot be split exactly into unit keys.
    pub error: f32,
}

/// Maximum error at sampled times of an exact insertion, in radians: 0.0085°. The error between the
/// samples is then below 0.01°.
const EXACT: f32 = 0.0085 * std::f32::consts::PI / 180.0;

/// Maximum number of halvings of a segment for an exact insertion.
const MOST_HALVES: u32 = 12;

/// Maximum number of rounds in which pieces with too large an error are halved again.
const MOST_ROUNDS: u32 = 6;

/// Inserts a key at `time` seconds. An existing key within a tenth of a millisecond gets the value
/// instead.
///
/// Without a value, the key has the sampled value, and the motion is unchanged. On a CUBICSPLINE
/// track, both tangents are the slope there, which splits a Hermite segment exactly. A rotation is
/// split at the normalized value. The components of its tangents along the value do not rotate
/// anything at the key. They are chosen for the least error in between. With `exact`, more keys are
/// added until that error is below 0.01°.
pub fn insert_key(track: &Track, time: f32, value: Option<&[f32]>, exact: bool) -> Inserted {
    if let Some(key) = track.key_at(time, UnkeyedAt::NEAR) {
        let Some(value) = value else { return Inserted { track: track.clone(), error: 0.0 } };
        return Inserted { track: track.with_key(track.times[key], value, 0.0), error: 0.0 };
    }
    let cubic = track.interpolation == Interpolation::CubicSpline;
    if !cubic {
        let seen = value.map_or_else(|| sampled(track, time), <[f32]>::to_vec);
        return Inserted { track: track.with_key(time, &seen, 0.0), error: 0.0 };
    }
    let at = track.times.partition_point(|t| *t < time);
    if at == 0 || at == track.times.len() {
        return Inserted { track: beyond(track, at, time, value), error: 0.0 };
    }
    let mut made = split(track, at - 1, time);
    let mut error = 0.0;
    if track.property == Property::Rotation && value.is_none() {
        let mut more = Vec::new();
        let (mut low, mut high) = (at - 1, at);
        for _ in 0..2 {
            error = f32::max(error, radial(track, &mut made, low, high, exact, 0, &mut more));
            (low, high) = (high, high + 1);
        }
        // Fitting the pieces together increases their error a little.
        for _ in 0..MOST_ROUNDS {
            if more.is_empty() {
                break;
            }
            let (fitted, worst, wide) = with_all(track, &more, time, at);
            (made, error) = (fitted, worst);
            if wide.is_empty() {
                break;
            }
            more.extend(wide);
        }
    }
    if let Some(value) = value {
        made = made.with_key(time, value, 0.0);
        if !made.modes.is_empty() {
            let auto = KeyTangents::both(TangentMode::Auto);
            made.modes = made.modes.with(&[time], Some(auto));
        }
    }
    Inserted { track: made, error }
}

/// Inserts keys at `time` and at `more`, fitted within the segment before the key `at`. Returns the
/// track, its error, and the middle times of segments with too large an error.
fn with_all(track: &Track, more: &[f32], time: f32, at: usize) -> (Track, f32, Vec<f32>) {
    let mut times: Vec<f32> = more.iter().copied().chain([time]).collect();
    times.sort_by(f32::total_cmp);
    times.dedup();
    let mut made = track.clone();
    for t in times {
        let at = made.times.partition_point(|k| *k < t);
        // Sample the original curve, not the approximation.
        let (value, slope) = unit_slope(track, t);
        made = with(&made, at, t, &value, &slope);
    }
    let (mut error, mut wide) = (0.0f32, Vec::new());
    for k in 0..made.times.len() - 1 {
        let (low, high) = (made.times[k], made.times[k + 1]);
        if low >= track.times[at - 1] && high <= track.times[at] {
            let own = fit(track, &mut made, k, k + 1);
            let middle = (low + high) * 0.5;
            if own >= EXACT && middle > low && middle < high {
                wide.push(middle);
            }
            error = error.max(own);
        }
    }
    (made, error, wide)
}

/// Returns the sampled value of a track at a time.
fn sampled(track: &Track, time: f32) -> Vec<f32> {
    let mut out = vec![0.0; track.width];
    sample_into(track, f64::from(time), &mut out);
    out
}

/// Inserts a key before the first or after the last key, where the value is constant. The new
/// tangents are 0.
fn beyond(track: &Track, at: usize, time: f32, value: Option<&[f32]>) -> Track {
    let w = track.width;
    let last = track.times.len() - 1;
    let end = if at == 0 { 0 } else { last };
    let mut values = track.values.to_vec();
    // The tangent on the outer side of an end had no effect before.
    let tangent = if at == 0 { 0 } else { 2 * w };
    values[end * 3 * w + tangent..end * 3 * w + tangent + w].fill(0.0);
    let flat = Track { values: values.into(), ..track.clone() };
    let value = value.map_or_else(|| track.value(end).to_vec(), <[f32]>::to_vec);
    with(&flat, at, time, &value, &vec![0.0; w])
}

/// Inserts a CUBICSPLINE key before the key at index `at`, with the same slope on both sides.
fn with(track: &Track, at: usize, time: f32, value: &[f32], slope: &[f32]) -> Track {
    let stride = track.stride();
    let mut times = track.times.to_vec();
    let mut values = track.values.to_vec();
    times.insert(at, time);
    values.splice(at * stride..at * stride, [slope, value, slope].concat());
    let modes = if track.modes.is_empty() {
        track.modes.clone()
    } else {
        // The slope preserves the motion.
        let kept = KeyTangents { linked: true, ..KeyTangents::default() };
        track.modes.with(&[time], Some(kept))
    };
    Track { times: times.into(), values: Slice::from(values), modes, ..track.clone() }
}

/// Evaluates a Hermite segment (glTF 2.0, appendix C.5), not normalized. Returns value and slope.
fn hermite(track: &Track, key: usize, time: f64) -> (Vec<f64>, Vec<f64>) {
    let w = track.width;
    let (from, to) = (
        &track.values[key * 3 * w..(key + 1) * 3 * w],
        &track.values[(key + 1) * 3 * w..(key + 2) * 3 * w],
    );
    let start = f64::from(track.times[key]);
    let span = f64::from(track.times[key + 1]) - start;
    let u = (time - start) / span;
    let (u2, u3) = (u * u, u * u * u);
    let value = (0..w).map(|i| {
        (2.0 * u3 - 3.0 * u2 + 1.0) * f64::from(from[w + i])
            + span * (u3 - 2.0 * u2 + u) * f64::from(from[2 * w + i])
            + (3.0 * u2 - 2.0 * u3) * f64::from(to[w + i])
            + span * (u3 - u2) * f64::from(to[i])
    });
    let slope = (0..w).map(|i| {
        ((6.0 * u2 - 6.0 * u) * f64::from(from[w + i])
            - (6.0 * u2 - 6.0 * u) * f64::from(to[w + i]))
            / span
            + (3.0 * u2 - 4.0 * u + 1.0) * f64::from(from[2 * w + i])
            + (3.0 * u2 - 2.0 * u) * f64::from(to[i])
    });
    (value.collect(), slope.collect())
}

/// Splits the segment after `key` at a time inside it.
fn split(track: &Track, key: usize, time: f32) -> Track {
    let (value, slope) = if track.property == Property::Rotation {
        unit_slope(track, time)
    } else {
        let (value, slope) = hermite(track, key, f64::from(time));
        (
            value.into_iter().map(|v| v as f32).collect(),
            slope.into_iter().map(|v| v as f32).collect(),
        )
    };
    with(track, key + 1, time, &value, &slope)
}

/// Returns value and slope of a normalized rotation: `n = p/|p|`, `n' = (p' − n(n·p'))/|p|`.
fn unit_slope(track: &Track, time: f32) -> (Vec<f32>, Vec<f32>) {
    let key = track.times.partition_point(|t| *t <= time).clamp(1, track.times.len() - 1) - 1;
    let (p, slope) = hermite(track, key, f64::from(time));
    let length = p.iter().map(|v| v * v).sum::<f64>().sqrt();
    if length < 1e-9 {
        return (vec![0.0, 0.0, 0.0, 1.0], vec![0.0; 4]);
    }
    let n: Vec<f64> = p.iter().map(|v| v / length).collect();
    let along: f64 = n.iter().zip(&slope).map(|(a, b)| a * b).sum();
    let turn = slope.iter().zip(&n).map(|(s, n)| ((s - n * along) / length) as f32);
    (n.iter().map(|v| *v as f32).collect(), turn.collect())
}

/// Measures the largest angle between two tracks from the key `low` of `made` to the key `high`, in
/// radians.
fn gap(track: &Track, made: &Track, low: usize, high: usize) -> f32 {
    const SAMPLES: usize = 24;
    let (from, to) = (f64::from(made.times[low]), f64::from(made.times[high]));
    let (mut a, mut b) = ([0.0f32; 4], [0.0f32; 4]);
    (1..SAMPLES).fold(0.0f32, |worst, k| {
        let t = from + (to - from) * k as f64 / SAMPLES as f64;
        sample_into(track, t, &mut a);
        sample_into(made, t, &mut b);
        worst.max(ulna_model::transform::angle_between(
            glam::Quat::from_array(a),
            glam::Quat::from_array(b),
        ))
    })
}

/// Fits the two inner tangents of a segment, and returns the remaining error in radians. Only the
/// tangents' components parallel to the keys' values change. Tangents of old keys are not changed.
fn fit(track: &Track, made: &mut Track, low: usize, high: usize) -> f32 {
    let span = made.times[high] - made.times[low];
    let mut best = gap(track, made, low, high);
    let is_new = |made: &Track, key: usize| track.key_at(made.times[key], 0.0).is_none();
    // The out-tangent of the low key, and the in-tangent of the high key.
    let sides = [(low, 2usize), (high, 0usize)];
    let mut step = 1.0 / span.max(1e-6);
    for _ in 0..24 {
        let before = best;
        for (key, part) in sides {
            if !is_new(made, key) {
                continue;
            }
            for sign in [step, -step] {
                let tried = along(made, key, part, sign);
                let found = gap(track, &tried, low, high);
                if found < best {
                    (best, *made) = (found, tried);
                    break;
                }
            }
        }
        if best >= before {
            step *= 0.5;
        }
    }
    best
}

/// Adds `by` times the value of a key to one of its tangents.
fn along(track: &Track, key: usize, part: usize, by: f32) -> Track {
    let mut values = track.values.to_vec();
    let start = key * 12;
    for i in 0..4 {
        values[start + part * 4 + i] += by * track.values[start + 4 + i];
    }
    Track { values: values.into(), ..track.clone() }
}

/// Fits a segment like [`fit`]. If the motion must be kept exactly and is not, adds the times of
/// additional keys to `more`.
fn radial(
    track: &Track,
    made: &mut Track,
    low: usize,
    high: usize,
    exact: bool,
    depth: u32,
    more: &mut Vec<f32>,
) -> f32 {
    let error = fit(track, made, low, high);
    if !exact || error < EXACT || depth >= MOST_HALVES {
        return error;
    }
    let middle = (made.times[low] + made.times[high]) * 0.5;
    if middle <= made.times[low] || middle >= made.times[high] {
        return error;
    }
    more.push(middle);
    let (value, slope) = unit_slope(track, middle);
    let mut halves = with(made, high, middle, &value, &slope);
    let first = radial(track, &mut halves, low, high, exact, depth + 1, more);
    let at = halves.times.partition_point(|t| *t <= middle);
    first.max(radial(track, &mut halves, at - 1, at, exact, depth + 1, more))
}

#[cfg(test)]
mod tests {
    use glam::Quat;
    use proptest::prelude::*;

    use super::*;
    use ulna_model::NodeId;

    fn track(property: Property, keys: &[(f32, Vec<f32>)]) -> Track {
        let width = if property == Property::Rotation { 4 } else { 3 };
        let track = Track {
            target: NodeId(0),
            property,
            interpolation: Interpolation::CubicSpline,
            times: keys.iter().map(|k| k.0).collect(),
            values: keys.iter().flat_map(|k| k.1.iter().copied()).collect(),
            width,
            kinds: Default::default(),
            modes: Default::default(),
        };
        track.validate().unwrap();
        track
    }

    fn turns() -> Track {
        let key = |angle: f32, slope: f32| {
            let q = Quat::from_rotation_y(angle);
            let s = Quat::from_rotation_x(0.3) * q;
            [(s * slope).to_array(), q.to_array(), (s * slope).to_array()].concat()
        };
        track(
            Property::Rotation,
            &[(0.0, key(0.0, 0.0)), (1.0, key(std::f32::consts::FRAC_PI_2, 0.2))],
        )
    }

    proptest! {
        #[test]
        fn inserting_a_key_without_a_value_keeps_the_motion(
            values in prop::collection::vec(-3.0f32..3.0, 27), at in 0.01f32..2.9) {
            let keys: Vec<(f32, Vec<f32>)> =
                values.chunks(9).enumerate().map(|(k, v)| (k as f32 * 1.3 + 0.2, v.to_vec()))
                    .collect();
            let track = track(Property::Translation, &keys);
            let made = insert_key(&track, at, None, false).track;
            prop_assert!(made.validate().is_ok());
            prop_assert!(made.key_at(at, 1.1e-4).is_some());
            let (mut a, mut b) = ([0.0; 3], [0.0; 3]);
            for k in 0..300 {
                let t = f64::from(k) * 0.011;
                sample_into(&track, t, &mut a);
                sample_into(&made, t, &mut b);
                for i in 0..3 {
                    prop_assert!((a[i] - b[i]).abs() < 2e-4, "{t}: {a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn splitting_a_rotation_is_approximate_or_exact_with_more_keys() {
        let track = turns();
        let degrees = |rad: f32| rad.to_degrees();
        let one = insert_key(&track, 0.3, None, false);
        assert_eq!(one.track.times.len(), 3);
        assert!(degrees(one.error) < 0.6, "{}°", degrees(one.error));
        let exact = insert_key(&track, 0.3, None, true);
        assert!(exact.track.validate().is_ok() && exact.track.times.len() > 3);
        assert!(
            degrees(exact.error) < 0.0101,
            "{}° with {} keys",
            degrees(exact.error),
            exact.track.times.len()
        );
        let (mut a, mut b) = ([0.0; 4], [0.0; 4]);
        for k in 0..=500 {
            let t = f64::from(k) / 500.0;
            sample_into(&track, t, &mut a);
            sample_into(&exact.track, t, &mut b);
            let gap =
                ulna_model::transform::angle_between(Quat::from_array(a), Quat::from_array(b));
            assert!(degrees(gap) < 0.02, "{t}: {}°", degrees(gap));
        }
    }

    #[test]
    fn a_key_after_the_end_does_not_bend_the_curve() {
        let mut keys = vec![(1.0, vec![5.0; 9]), (2.0, vec![7.0; 9])];
        keys[0].1[3..6].fill(1.0);
        let track = track(Property::Translation, &keys);
        for time in [0.25, 3.0] {
            let made = insert_key(&track, time, None, false).track;
            let (mut a, mut b) = ([0.0; 3], [0.0; 3]);
            for k in 0..80 {
                sample_into(&track, f64::from(k) * 0.05, &mut a);
                sample_into(&made, f64::from(k) * 0.05, &mut b);
                assert!((a[0] - b[0]).abs() < 1e-5, "{k}: {a:?} {b:?}");
            }
        }
    }
}
