//! Sampling of a track in double precision, with the same formulas as [`sample_into`], and slopes.
//!
//! [`sample_into`]: crate::sample_into

use glam::{DQuat, DVec4};

use ulna_model::{Interpolation, Property, Track};

/// Position of a time between two keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Key {
    /// Index of the last key at or before the time.
    pub(crate) key: usize,
    /// Fraction of the segment: 0 at the key `key`, toward 1 at the next key.
    pub(crate) part: f64,
}

/// Position of a time among a track's keys, clamped to the first and the last key.
pub(super) fn moment(track: &Track, time: f64) -> Key {
    let times: &[f32] = &track.times;
    let last = times.len() - 1;
    let key = times.partition_point(|t| f64::from(*t) <= time).saturating_sub(1);
    let start = f64::from(times[key]);
    if key == last || time <= start {
        return Key { key, part: 0.0 };
    }
    Key { key, part: (time - start) / (f64::from(times[key + 1]) - start) }
}

/// Length of the segment after a key, seconds.
pub(crate) fn span(track: &Track, key: usize) -> f64 {
    f64::from(track.times[key + 1]) - f64::from(track.times[key])
}

/// The four numbers of one part of a rotation key: in-tangent (0), value (1) or out-tangent (2).
pub(crate) fn stored(track: &Track, key: usize, part: usize) -> DVec4 {
    let cubic = track.interpolation == Interpolation::CubicSpline;
    let start = if cubic { key * 12 + part * 4 } else { key * 4 };
    let v = &track.values[start..start + 4];
    DVec4::new(v[0].into(), v[1].into(), v[2].into(), v[3].into())
}

/// A quaternion from four stored numbers, not normalized.
pub(crate) fn quaternion(v: &[f32]) -> DQuat {
    DQuat::from_xyzw(v[0].into(), v[1].into(), v[2].into(), v[3].into())
}

/// Normalizes a rotation; returns the identity for a quaternion of length 0.
fn unit(v: DVec4) -> DQuat {
    let length = v.length();
    let unit = if length.is_finite() && length > 1e-12 { v / length } else { DVec4::W };
    DQuat::from_vec4(unit)
}

/// The rotation at a key, of length 1, with the stored sign.
pub(crate) fn rotation(track: &Track, key: usize) -> DQuat {
    unit(stored(track, key, 1))
}

/// Spherical interpolation along the shortest path from `a`, like [`crate::slerp`]. The inputs need
/// not have length 1.
fn slerp(a: DVec4, b: DVec4, u: f64) -> DQuat {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    let angle = half_turn(a, b);
    if angle < 1e-8 {
        return unit(a + (b - a) * u);
    }
    let sin = angle.sin();
    unit(a * (((1.0 - u) * angle).sin() / sin) + b * ((u * angle).sin() / sin))
}

/// Angle between two unit 4-vectors, which is half of the rotation angle. It is also exact for
/// small angles.
pub(super) fn half_turn(a: DVec4, b: DVec4) -> f64 {
    2.0 * (a - b).length().atan2((a + b).length())
}

/// Weights of value, out-tangent, next value and next in-tangent in a Hermite segment of `span`
/// seconds (glTF 2.0, appendix C.5).
pub(crate) fn weights(u: f64, span: f64) -> [f64; 4] {
    let (u2, u3) = (u * u, u * u * u);
    [2.0 * u3 - 3.0 * u2 + 1.0, span * (u3 - 2.0 * u2 + u), 3.0 * u2 - 2.0 * u3, span * (u3 - u2)]
}

/// Rotation at a position between keys, of length 1. Between LINEAR keys, its sign is that of the
/// key before.
pub(crate) fn rotation_at(track: &Track, at: Key) -> DQuat {
    let Key { key, part } = at;
    if part <= 0.0 {
        return rotation(track, key);
    }
    match track.interpolation {
        Interpolation::Step => rotation(track, key),
        Interpolation::Linear => slerp(stored(track, key, 1), stored(track, key + 1, 1), part),
        Interpolation::CubicSpline => {
            let [p0, m0, p1, m1] = weights(part, span(track, key));
            unit(
                stored(track, key, 1) * p0
                    + stored(track, key, 2) * m0
                    + stored(track, key + 1, 1) * p1
                    + stored(track, key + 1, 0) * m1,
            )
        }
    }
}

/// Slope of the unit rotation at a key, per second, with the key's sign: `n' = (p' − n(n·p'))/|p|`.
/// `leaving` selects the slope after the key instead of the slope before it. On the outer side of
/// the first and the last key, it is the stored slope for CUBICSPLINE, else 0.
pub(super) fn rotation_slope(track: &Track, key: usize, leaving: bool) -> DVec4 {
    let last = track.times.len() - 1;
    let p = stored(track, key, 1);
    let slope = match track.interpolation {
        Interpolation::CubicSpline => stored(track, key, if leaving { 2 } else { 0 }),
        _ if key == if leaving { last } else { 0 } => return DVec4::ZERO,
        Interpolation::Step => return DVec4::ZERO,
        Interpolation::Linear => {
            let other = if leaving { key + 1 } else { key - 1 };
            let away = toward(p, stored(track, other, 1)) / span(track, key.min(other));
            if leaving { away } else { -away }
        }
    };
    let length = p.length();
    if !(length.is_finite() && length > 1e-12) {
        return DVec4::ZERO;
    }
    let n = p / length;
    (slope - n * n.dot(slope)) / length
}

/// Slope of a slerp at its start, over a segment of length 1: `θ/sin θ·(b − cos θ·a)`. `b` is used
/// with its nearer sign.
pub(crate) fn toward(a: DVec4, b: DVec4) -> DVec4 {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    let angle = half_turn(a, b);
    let factor = if angle < 1e-8 { 1.0 } else { angle / angle.sin() };
    (b - a * angle.cos()) * factor
}

/// Interpolated value of one component at a position between keys. Not for rotations.
pub(super) fn number_at(track: &Track, component: usize, at: Key) -> f64 {
    let Key { key, part } = at;
    let value = |key: usize| f64::from(track.value(key)[component]);
    if part <= 0.0 || track.interpolation == Interpolation::Step {
        return value(key);
    }
    if track.interpolation == Interpolation::Linear {
        let (a, b) = (value(key), value(key + 1));
        return a + (b - a) * part;
    }
    let [p0, m0, p1, m1] = weights(part, span(track, key));
    value(key) * p0
        + tangent(track, key, component, true) * m0
        + value(key + 1) * p1
        + tangent(track, key + 1, component, false) * m1
}

/// Stored tangent of one component of a CUBICSPLINE key, per second.
pub(crate) fn tangent(track: &Track, key: usize, component: usize, leaving: bool) -> f64 {
    let part = if leaving { 2 } else { 0 };
    f64::from(track.values[key * track.stride() + part * track.width + component])
}

/// Slope of one component at a key, per second. `leaving` selects the slope after the key instead
/// of the slope before it. Not for rotations. CUBICSPLINE tracks have the stored slope, LINEAR
/// tracks that of the line. It is 0 for STEP, and on the outer side of the first and the last
/// LINEAR key.
pub(super) fn number_slope(track: &Track, key: usize, component: usize, leaving: bool) -> f64 {
    let last = track.times.len() - 1;
    match track.interpolation {
        Interpolation::CubicSpline => tangent(track, key, component, leaving),
        _ if key == if leaving { last } else { 0 } => 0.0,
        Interpolation::Step => 0.0,
        Interpolation::Linear => {
            let from = if leaving { key } else { key - 1 };
            let value = |key: usize| f64::from(track.value(key)[component]);
            (value(from + 1) - value(from)) / span(track, from)
        }
    }
}

/// Whether a track contains rotations as quaternions. A rotation track that does not have four
/// components is treated as plain numbers.
pub(super) fn turns(track: &Track) -> bool {
    track.property == Property::Rotation && track.width == 4
}
