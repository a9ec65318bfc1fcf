//! Conversion between STEP, LINEAR and CUBICSPLINE with the same motion, for a whole track or for
//! some segments.
//!
//! A glTF track has one interpolation. If only some segments change, the track gets an
//! interpolation that can represent all of them. A line in CUBICSPLINE has the slope of the line at
//! both ends (for rotations, that of slerp). A step in LINEAR or CUBICSPLINE is two keys with the
//! same value, the second just before the next key.

use glam::{DVec4, Quat};

use super::moments::{half_turn, moment, number_at, rotation, rotation_at, span, toward, turns};
use crate::{
    clip_edit::{HOLD_GAP, MotionError, held, is_hold_end, with_tangents},
    slerp,
};
use ulna_model::{Interpolation, KeyTangents, TangentMode, TangentModes, Track};

/// Minimum angle of a rotation that gets a key in its middle when it is converted to a spline,
/// radians. The tangents of slerp alone would have an error of more than 0.13°.
const HALVED: f64 = 150.0 * std::f64::consts::PI / 180.0;

/// Tangent modes that identify a key inserted in the middle of a rotation: linear on both sides,
/// and linked. Other keys of lines are not linked, since lines meet at corners.
const MIDDLE: KeyTangents = KeyTangents::both(TangentMode::Linear);

/// A track that was converted to another interpolation.
#[derive(Clone, Debug, PartialEq)]
pub struct Converted {
    /// The converted track.
    pub track: Track,
    /// The largest deviation from the old motion, measured at 16 positions per segment, plus 5 %.
    /// Segments that were meant to change and the last millisecond of a step are not measured.
    pub error: MotionError,
    /// Number of added keys: at the ends of steps, and in the middle of large rotations.
    pub added: usize,
    /// Number of removed keys: at the ends of steps, and in the middle of large rotations.
    pub removed: usize,
}

/// Changes the interpolation of a track, and keeps the motion as far as the new interpolation can
/// represent it.
///
/// With `spans`, key times in rising order, only the segments after these keys change: to a step, a
/// line, or a curve with automatic tangents. The rest keeps its motion. Without `spans`, all
/// segments change, and lines or steps that become CUBICSPLINE keep their motion.
///
/// In CUBICSPLINE tracks:
/// - Vectors are exact. Rotations have an error, such as 0.01° for an angle of 90°.
/// - Angles above 150° get a key in the middle, which the reverse conversion removes.
/// - Quaternions get consistent signs, since splines interpolate the numbers.
/// - Steps get a second key before the next key. Its distance is `min(1 ms, span/4)`, but at least
///   four steps of `f32`. If there is no space for it, the curve uses the whole segment.
///
/// In LINEAR and STEP tracks, all other keys stay. A single key becomes LINEAR, since glTF requires
/// two keys for CUBICSPLINE.
pub fn converted(track: &Track, to: Interpolation, spans: Option<&[f32]>) -> Converted {
    let count = track.times.len();
    if spans.is_none() && count > 1 && [track.interpolation, to] == [Interpolation::CubicSpline; 2]
    {
        let error = MotionError::default();
        return Converted { track: track.clone(), error, added: 0, removed: 0 };
    }
    let meant = |key: usize| {
        spans.is_none_or(|s| s.binary_search_by(|t| t.total_cmp(&track.times[key])).is_ok())
    };
    let chosen: Vec<f32> =
        (0..count.saturating_sub(1)).filter(|k| meant(*k)).map(|k| track.times[k]).collect();
    let whole = spans.is_none() || (0..count.saturating_sub(1)).all(|k| meant(k) || ends(track, k));
    let made = match (whole, to) {
        _ if count < 2 => single(track, to),
        (true, Interpolation::Step) => stripped(track, to),
        (true, Interpolation::Linear) if track.interpolation != Interpolation::Step => {
            stripped(track, to)
        }
        (_, Interpolation::CubicSpline) if spans.is_none() => cubic(&lines(track, &[])),
        (_, Interpolation::Step) => held(track, &chosen, true),
        (_, Interpolation::Linear) => straight(&lines(track, &chosen_of(spans, &chosen)), &chosen),
        (_, Interpolation::CubicSpline) => automatic(&cubic(&lines(track, &chosen)), &chosen),
    };
    let kept = if spans.is_some() { &chosen[..] } else { &[] };
    Converted {
        error: error(track, &made, kept),
        added: missing(&made, track),
        removed: missing(track, &made),
        track: made,
    }
}

/// Returns `chosen`, or an empty list if the whole track is converted. Steps become lines only in
/// individually chosen segments.
fn chosen_of(spans: Option<&[f32]>, chosen: &[f32]) -> Vec<f32> {
    if spans.is_some() { chosen.to_vec() } else { Vec::new() }
}

/// Number of keys of one track whose time has no key in the other track.
fn missing(of: &Track, other: &Track) -> usize {
    of.times.iter().filter(|t| other.key_at(**t, 0.0).is_none()).count()
}

/// Returns a track with a single key, which cannot be a spline.
fn single(track: &Track, to: Interpolation) -> Track {
    let to = if to == Interpolation::CubicSpline { Interpolation::Linear } else { to };
    Track { interpolation: to, values: track.value(0).into(), ..track.clone() }
}

/// Returns the time at which a step from `time` to `next` ends; `None` if there is no space for a
/// key.
fn step_end(time: f32, next: f32) -> Option<f32> {
    let step = next - next.next_down();
    let gap = HOLD_GAP.min((next - time) / 4.0).max(4.0 * step);
    let end = next - gap;
    (end - time >= 4.0 * step && end < next).then_some(end)
}

/// Whether a key is the end of a step, including steps too short for [`is_hold_end`]. In a
/// CUBICSPLINE track, its tangents are 0.
fn ends(track: &Track, key: usize) -> bool {
    let last = track.times.len() - 1;
    if key == 0 || key >= last || track.interpolation == Interpolation::Step {
        return false;
    }
    let (value, before, after) = (track.value(key), track.value(key - 1), track.value(key + 1));
    if value != before || value == after {
        return false;
    }
    let short = step_end(track.times[key - 1], track.times[key + 1]) == Some(track.times[key]);
    (short || is_hold_end(track, key)) && is_flat(track, key)
}

/// Whether the tangents of a key are 0.
fn is_flat(track: &Track, key: usize) -> bool {
    let (stride, width) = (track.stride(), track.width);
    track.interpolation != Interpolation::CubicSpline || {
        let own = &track.values[key * stride..(key + 1) * stride];
        own[..width].iter().chain(&own[2 * width..]).all(|v| *v == 0.0)
    }
}

/// Whether a key was inserted in the middle of a large rotation.
fn is_middle(track: &Track, key: usize) -> bool {
    /// Tolerance of the middle: radians for its rotation, and a fraction of the segment for its
    /// time.
    const BESIDE: f64 = 1e-4;
    let last = track.times.len() - 1;
    if !turns(track) || key == 0 || key >= last || track.modes.of(track.times[key]) != Some(MIDDLE)
    {
        return false;
    }
    let (before, own, after) =
        (rotation(track, key - 1), rotation(track, key), rotation(track, key + 1));
    let (a, b) = (DVec4::from(before), DVec4::from(after));
    let turn = 2.0 * half_turn(a, if a.dot(b) < 0.0 { -b } else { b });
    let (first, second) = (span(track, key - 1), span(track, key));
    let middle = DVec4::from(before.slerp(after, 0.5));
    let beside = half_turn(middle, DVec4::from(own) * middle.dot(own.into()).signum());
    // Between keys a few steps of `f32` apart, the middle time is rounded.
    let time = f32::midpoint(track.times[key - 1], track.times[key + 1]);
    let rounded = (track.times[key] - time).abs() <= time.next_up() - time;
    turn > HALVED - BESIDE
        && (rounded || ((first - second) / (first + second)).abs() < BESIDE)
        && 2.0 * beside < BESIDE
}

/// Returns the keys and values without tangents. If `to` is STEP, the keys at the ends of steps are
/// removed. Keys in the middle of large rotations are always removed.
fn stripped(track: &Track, to: Interpolation) -> Track {
    let goes = |key: usize| to == Interpolation::Step && ends(track, key);
    let kept: Vec<usize> =
        (0..track.times.len()).filter(|k| !goes(*k) && !is_middle(track, *k)).collect();
    if track.interpolation == to && kept.len() == track.times.len() {
        return track.clone();
    }
    Track {
        interpolation: to,
        times: kept.iter().map(|k| track.times[*k]).collect(),
        values: kept.iter().flat_map(|k| track.value(*k).iter().copied()).collect(),
        modes: TangentModes::default().wrapping(track.modes.wraps()),
        ..track.clone()
    }
}

/// Converts a STEP track to LINEAR with two keys per step. Steps after the keys at `not` become
/// lines instead. If the track is not STEP, only the holds after these keys are removed.
fn lines(track: &Track, not: &[f32]) -> Track {
    let is_not = |t: f32| not.binary_search_by(|n| n.total_cmp(&t)).is_ok();
    if track.interpolation != Interpolation::Step {
        return held(track, not, false);
    }
    let last = track.times.len() - 1;
    let (mut times, mut values) = (Vec::new(), Vec::new());
    for key in 0..=last {
        times.push(track.times[key]);
        values.extend_from_slice(track.value(key));
        let steps =
            key < last && !is_not(track.times[key]) && track.value(key) != track.value(key + 1);
        let end = steps.then(|| step_end(track.times[key], track.times[key + 1])).flatten();
        if let Some(end) = end {
            times.push(end);
            values.extend_from_slice(track.value(key));
        }
    }
    let interpolation = Interpolation::Linear;
    Track { interpolation, times: times.into(), values: values.into(), ..track.clone() }
}

/// A CUBICSPLINE key under construction.
struct Made {
    time: f32,
    value: Vec<f32>,
    arrive: Vec<f32>,
    leave: Vec<f32>,
    modes: KeyTangents,
}

impl Made {
    /// Negates the quaternion and its tangents, which keeps the rotation.
    fn turn_over(&mut self) {
        let Self { value, arrive, leave, .. } = self;
        [value, arrive, leave].into_iter().flatten().for_each(|v| *v = -*v);
    }

    /// Whether the negated quaternion is nearer to the key before.
    fn is_far_from(&self, before: &Self) -> bool {
        before.value.iter().zip(&self.value).map(|(a, b)| a * b).sum::<f32>() < 0.0
    }
}

/// Returns the leaving and the arriving slope of a line from `a` to `b` over some seconds. `turns`
/// is true for rotations.
fn line(a: &[f32], b: &[f32], seconds: f64, turns: bool) -> (Vec<f32>, Vec<f32>) {
    let stored = |v: f64| (v as f32).clamp(f32::MIN, f32::MAX);
    if turns {
        let four = |v: &[f32]| DVec4::from_array(std::array::from_fn(|i| f64::from(v[i])));
        let (a, b) = (four(a), four(b));
        let of = |slope: DVec4| (slope / seconds).to_array().map(stored).to_vec();
        return (of(toward(a, b)), of(-toward(b, a)));
    }
    let slope: Vec<f32> =
        a.iter().zip(b).map(|(a, b)| stored((f64::from(*b) - f64::from(*a)) / seconds)).collect();
    (slope.clone(), slope)
}

/// Converts a LINEAR track to CUBICSPLINE with the same motion; CUBICSPLINE tracks are unchanged.
fn cubic(track: &Track) -> Track {
    if track.interpolation == Interpolation::CubicSpline {
        return track.clone();
    }
    let (last, turns) = (track.times.len() - 1, turns(track));
    let none = vec![0.0; track.width];
    let corner = KeyTangents { linked: false, ..MIDDLE };
    let mut made: Vec<Made> = Vec::with_capacity(track.times.len());
    for key in 0..=last {
        let time = track.times[key];
        let mut own = Made {
            time,
            value: track.value(key).to_vec(),
            arrive: none.clone(),
            leave: none.clone(),
            modes: corner,
        };
        let Some(before) = made.last_mut() else {
            made.push(own);
            continue;
        };
        if turns && own.is_far_from(before) {
            own.turn_over();
        }
        let seconds = f64::from(time) - f64::from(before.time);
        if ends(track, key) || ends(track, key - 1) {
            (before.modes.leave, own.modes.arrive) = (TangentMode::Flat, TangentMode::Flat);
        } else if track.value(key - 1) != track.value(key) {
            let middle = if turns { halved(before, &own) } else { None };
            if let Some(mut middle) = middle {
                let half = seconds * 0.5;
                (before.leave, middle.arrive) = line(&before.value, &middle.value, half, true);
                (middle.leave, own.arrive) = line(&middle.value, &own.value, half, true);
                made.push(middle);
            } else {
                (before.leave, own.arrive) = line(&before.value, &own.value, seconds, turns);
            }
        }
        made.push(own);
    }
    together(track, made)
}

/// Returns the key in the middle of a large rotation; `None` if the angle is small, or no time is
/// between the keys.
fn halved(before: &Made, own: &Made) -> Option<Made> {
    let (a, b) = (Quat::from_slice(&before.value), Quat::from_slice(&own.value));
    let wide = 2.0 * half_turn(a.as_dquat().normalize().into(), b.as_dquat().normalize().into());
    let time = f32::midpoint(before.time, own.time);
    if wide <= HALVED || time <= before.time || time >= own.time {
        return None;
    }
    let value = slerp(a, b, 0.5).normalize().to_array().to_vec();
    Some(Made { time, value, arrive: Vec::new(), leave: Vec::new(), modes: MIDDLE })
}

fn together(track: &Track, made: Vec<Made>) -> Track {
    let modes = made.iter().map(|m| (m.time, m.modes)).collect::<Vec<_>>();
    Track {
        interpolation: Interpolation::CubicSpline,
        times: made.iter().map(|m| m.time).collect(),
        values: made.into_iter().flat_map(|m| [m.arrive, m.value, m.leave].concat()).collect(),
        modes: track.modes.replaced(modes),
        ..track.clone()
    }
}

/// Makes segments of a CUBICSPLINE track straight: those after the keys at `after`. LINEAR tracks
/// are unchanged.
fn straight(track: &Track, after: &[f32]) -> Track {
    if track.interpolation != Interpolation::CubicSpline {
        return track.clone();
    }
    let mut made: Vec<Made> = Vec::with_capacity(track.times.len());
    let mut over = false;
    for key in 0..track.times.len() {
        let mut own = taken(track, key);
        if over {
            own.turn_over();
        }
        let before = made.last_mut().filter(|_| after.contains(&track.times[key - 1]));
        let Some(before) = before else {
            made.push(own);
            continue;
        };
        // Negate all later keys, so that no other segment changes.
        if turns(track) && own.is_far_from(before) {
            own.turn_over();
            over = !over;
        }
        let seconds = f64::from(own.time) - f64::from(before.time);
        let middle = if turns(track) { halved(before, &own) } else { None };
        (before.modes.leave, own.modes.arrive) = (TangentMode::Linear, TangentMode::Linear);
        (before.modes.linked, own.modes.linked) = (false, false);
        if let Some(mut middle) = middle {
            let half = seconds * 0.5;
            (before.leave, middle.arrive) = line(&before.value, &middle.value, half, true);
            (middle.leave, own.arrive) = line(&middle.value, &own.value, half, true);
            made.push(middle);
        } else {
            (before.leave, own.arrive) = line(&before.value, &own.value, seconds, turns(track));
        }
        made.push(own);
    }
    together(track, made)
}

/// Reads a key of a CUBICSPLINE track.
fn taken(track: &Track, key: usize) -> Made {
    let (stride, width) = (track.stride(), track.width);
    let own = &track.values[key * stride..(key + 1) * stride];
    let time = track.times[key];
    Made {
        time,
        arrive: own[..width].to_vec(),
        value: own[width..2 * width].to_vec(),
        leave: own[2 * width..].to_vec(),
        modes: track.modes.of(time).unwrap_or_default(),
    }
}

/// Sets automatic tangents in some segments of a CUBICSPLINE track. `after` has the times of their
/// first keys. Keys that were inserted in the middle of large rotations are removed from these
/// segments.
fn automatic(track: &Track, after: &[f32]) -> Track {
    let inside =
        |key: usize| key > 0 && is_middle(track, key) && after.contains(&track.times[key - 1]);
    let keys: Vec<usize> = (0..track.times.len()).filter(|k| !inside(*k)).collect();
    let made: Vec<Made> = keys.iter().map(|k| taken(track, *k)).collect();
    let base = together(track, made);
    let auto = with_tangents(&base, &base.times, crate::clip_edit::Tangents::Auto);
    let mut made: Vec<Made> = Vec::with_capacity(keys.len());
    let mut over = false;
    for key in 0..base.times.len() {
        let (mut own, mut own_auto) = (taken(&base, key), taken(&auto, key));
        let meant = key > 0 && turns(&base) && after.contains(&base.times[key - 1]);
        let far = made.last().is_some_and(|before| meant && own.is_far_from(before) != over);
        over ^= far;
        if over {
            own.turn_over();
            own_auto.turn_over();
        }
        if after.contains(&own.time) && key + 1 < base.times.len() {
            own.leave = own_auto.leave;
            own.modes.leave = TangentMode::Auto;
        }
        if key > 0 && after.contains(&base.times[key - 1]) {
            own.arrive = own_auto.arrive;
            own.modes.arrive = TangentMode::Auto;
        }
        let both = own.modes.arrive == TangentMode::Auto && own.modes.leave == TangentMode::Auto;
        own.modes.linked |= both;
        made.push(own);
    }
    together(&base, made)
}

/// Measures the largest deviation between two tracks. The segments after the keys of `before` at
/// `changed` and the ends of steps are not measured.
fn error(before: &Track, after: &Track, changed: &[f32]) -> MotionError {
    const PLACES: u32 = 16;
    let mut worst = (0.0f64, 0.0f64);
    for key in 0..before.times.len() - 1 {
        if changed.binary_search_by(|t| t.total_cmp(&before.times[key])).is_ok()
            || ends(before, key)
        {
            continue;
        }
        let (start, seconds) = (f64::from(before.times[key]), span(before, key));
        for place in 0..=PLACES {
            let time = start + seconds * f64::from(place) / f64::from(PLACES);
            let (a, b) = (moment(before, time), moment(after, time));
            if a.part > 0.0 && ends(before, a.key) || b.part > 0.0 && ends(after, b.key) {
                continue;
            }
            if turns(before) {
                let (a, b) = (rotation_at(before, a).into(), rotation_at(after, b).into());
                let b = if DVec4::dot(a, b) < 0.0 { -b } else { b };
                worst.0 = worst.0.max(2.0 * half_turn(a, b));
            } else {
                for i in 0..before.width {
                    worst.1 = worst.1.max((number_at(before, i, a) - number_at(after, i, b)).abs());
                }
            }
        }
    }
    const MORE: f64 = 1.05;
    MotionError { angle: (worst.0 * MORE) as f32, value: (worst.1 * MORE) as f32 }
}

#[cfg(test)]
mod tests;
