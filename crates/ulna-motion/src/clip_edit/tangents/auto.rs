//! Tangents of tracks without stored tangent modes: automatic ones, and ones with a chosen shape.

use glam::{DQuat, DVec3};

use crate::clip_edit::is_hold_end;
use ulna_model::{Interpolation, KeyTangents, Property, TangentMode, Track};

/// Returns the slope at a key that causes no overshoot on either side. It is 0 at an extreme, else
/// the weighted harmonic mean of both sides' slopes (F. N. Fritsch and J. Butland, *A method for
/// constructing local monotone piecewise cubic interpolants*, 1984).
pub(super) fn limited(before: f64, after: f64, h_before: f64, h_after: f64) -> f64 {
    if before * after <= 0.0 {
        return 0.0;
    }
    let (a, b) = (2.0 * h_after + h_before, h_after + 2.0 * h_before);
    (a + b) / (a / before + b / after)
}

/// The segment between two keys: its length in seconds, and its rate of change per second. For
/// rotations, the rotation vector in the joint's own axes.
struct Piece {
    span: f64,
    rate: Vec<f64>,
}

fn rotation(track: &Track, key: usize) -> DQuat {
    let v = track.value(key);
    let q = DQuat::from_xyzw(v[0].into(), v[1].into(), v[2].into(), v[3].into());
    if q.length_squared() > 1e-18 { q.normalize() } else { DQuat::IDENTITY }
}

/// The segment from one key to a later one over `span` seconds.
fn piece(track: &Track, from: usize, to: usize, span: f64) -> Piece {
    let rate = if track.property == Property::Rotation {
        let turn = rotation(track, from).inverse() * rotation(track, to);
        let turn = if turn.w < 0.0 { -turn } else { turn };
        (turn.to_scaled_axis() / span).to_array().to_vec()
    } else {
        let (a, b) = (track.value(from), track.value(to));
        a.iter().zip(b).map(|(a, b)| (f64::from(*b) - f64::from(*a)) / span).collect()
    };
    Piece { span, rate }
}

/// Returns the automatic tangent at a key, the same for both sides. It is flat at extremes, at both
/// ends, and where a hold begins or ends, so that curves do not overshoot their keys. If the last
/// key repeats the first one, the track is treated as a loop and is smooth across the seam.
fn auto_tangent(track: &Track, key: usize) -> Vec<f32> {
    let last = track.times.len() - 1;
    let span = |k: usize| f64::from(track.times[k + 1]) - f64::from(track.times[k]);
    let flat = || vec![0.0; track.width];
    let at_end = key == 0 || key == last;
    let loops = last >= 2 && track.value(0) == track.value(last);
    let jumps = |k: usize| is_hold_end(track, k);
    if (at_end && !loops)
        || jumps(key)
        || (key > 0 && jumps(key - 1))
        || (key < last && jumps(key + 1))
    {
        return flat();
    }
    let (before, after) = if at_end {
        if jumps(last - 1) || jumps(1) {
            return flat();
        }
        (piece(track, last - 1, last, span(last - 1)), piece(track, 0, 1, span(0)))
    } else {
        (piece(track, key - 1, key, span(key - 1)), piece(track, key, key + 1, span(key)))
    };
    let slope: Vec<f64> = before
        .rate
        .iter()
        .zip(&after.rate)
        .map(|(a, b)| limited(*a, *b, before.span, after.span))
        .collect();
    if track.property != Property::Rotation {
        return slope.into_iter().map(|s| s as f32).collect();
    }
    turning(track, key, &slope)
}

/// The tangent of a rotation with an angular velocity of `rate` in the joint's own axes: q' = ½ q
/// ω, with the stored sign.
fn turning(track: &Track, key: usize, rate: &[f64]) -> Vec<f32> {
    let v = track.value(key);
    let q = DQuat::from_xyzw(v[0].into(), v[1].into(), v[2].into(), v[3].into());
    let turn = DVec3::from_slice(rate) * 0.5;
    (q * DQuat::from_xyzw(turn.x, turn.y, turn.z, 0.0)).to_array().map(|c| c as f32).to_vec()
}

/// Shape of a curve at a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tangents {
    /// Smooth, without overshoot beyond the neighboring keys.
    Auto,
    /// Slope 0.
    Flat,
    /// Slopes of the straight lines to the neighboring keys.
    Straight,
    /// Full speed on both sides, like a bouncing ball. The slope is twice that of the straight
    /// line. If the other end of a segment has slope 0, the segment is a parabola.
    Sharp,
}

/// Sets the tangents of the keys at `times` in a CUBICSPLINE track. Other tracks are unchanged. For
/// every kind of tangents, the curve between two keys stays within the range of their values (F. N.
/// Fritsch and R. E. Carlson, *Monotone piecewise cubic interpolation*, 1980).
#[must_use]
pub fn with_tangents(track: &Track, times: &[f32], how: Tangents) -> Track {
    if track.interpolation != Interpolation::CubicSpline {
        return track.clone();
    }
    let (width, stride, last) = (track.width, track.stride(), track.times.len() - 1);
    let span = |k: usize| f64::from(track.times[k + 1]) - f64::from(track.times[k]);
    let mut values = track.values.to_vec();
    for key in
        (0..=last).filter(|k| times.binary_search_by(|t| t.total_cmp(&track.times[*k])).is_ok())
    {
        let slope = |factor: f64, from: usize| -> Vec<f32> {
            let rate: Vec<f64> = piece(track, from, from + 1, span(from))
                .rate
                .into_iter()
                .map(|r| r * factor)
                .collect();
            match track.property {
                Property::Rotation => turning(track, key, &rate),
                _ => rate.into_iter().map(|r| r as f32).collect(),
            }
        };
        let flat = || vec![0.0; width];
        let sides = |factor: f64| {
            let before = if key > 0 { slope(factor, key - 1) } else { flat() };
            (before, if key < last { slope(factor, key) } else { flat() })
        };
        let (before, after) = match how {
            Tangents::Auto => (auto_tangent(track, key), auto_tangent(track, key)),
            Tangents::Flat => (flat(), flat()),
            Tangents::Straight => sides(1.0),
            Tangents::Sharp => sides(2.0),
        };
        let own = &mut values[key * stride..(key + 1) * stride];
        own[..width].copy_from_slice(&before);
        own[2 * width..].copy_from_slice(&after);
    }
    let modes = if track.modes.is_empty() {
        track.modes.clone()
    } else {
        track.modes.with(times, Some(how.modes()))
    };
    Track { values: values.into(), modes, ..track.clone() }
}

impl Tangents {
    /// Returns the equivalent tangent modes, for tracks that have modes.
    const fn modes(self) -> KeyTangents {
        match self {
            Self::Auto => KeyTangents::both(TangentMode::Auto),
            Self::Flat => KeyTangents::both(TangentMode::Flat),
            Self::Straight => KeyTangents::both(TangentMode::Linear),
            Self::Sharp => {
                KeyTangents { arrive: TangentMode::Free, leave: TangentMode::Free, linked: false }
            }
        }
    }
}

/// Returns a CUBICSPLINE track with automatic tangents. Other tracks are unchanged.
#[must_use]
pub fn with_auto_tangents(track: &Track) -> Track {
    if track.interpolation != Interpolation::CubicSpline {
        return track.clone();
    }
    let width = track.width;
    let mut values = Vec::with_capacity(track.values.len());
    for key in 0..track.times.len() {
        let tangent = auto_tangent(track, key);
        values.extend_from_slice(&tangent);
        values.extend_from_slice(track.value(key));
        values.extend_from_slice(&tangent);
    }
    debug_assert_eq!(values.len(), track.times.len() * 3 * width);
    Track { values: values.into(), ..track.clone() }
}

/// Whether every tangent of a track is exactly the automatic one.
pub fn is_auto(track: &Track) -> bool {
    let width = track.width;
    track.interpolation == Interpolation::CubicSpline
        && (0..track.times.len()).all(|key| {
            let tangent = auto_tangent(track, key);
            let stored = &track.values[key * 3 * width..(key + 1) * 3 * width];
            stored[..width] == tangent[..] && stored[2 * width..] == tangent[..]
        })
}
