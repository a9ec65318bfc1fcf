//! Interpolation changed while the motion stays: STEP, LINEAR and CUBICSPLINE into each other, for
//! a whole track or for some spans between keys.
//!
//! A track has one interpolation in glTF. Where only some spans change, the track gets the one that
//! can hold all of them: a line in CUBICSPLINE has the slope of the line at both ends (of
//! rotations, slerp's own), and a step in LINEAR or CUBICSPLINE is two keys of one value, the
//! second just before the next key.

use glam::{DVec4, Quat};

use super::moments::{half_turn, moment, number_at, rotation, rotation_at, span, toward, turns};
use crate::{
    clip_edit::{HOLD_GAP, MotionError, held, is_hold_end, with_tangents},
    slerp,
};
use ulna_model::{Interpolation, KeyTangents, TangentMode, TangentModes, Track};

/// Turns above this are halved before they become a spline: slerp's tangents alone would be off by
/// more than 0.13° between.
const HALVED: f64 = 150.0 * std::f64::consts::PI / 180.0;

/// The mark of a key that was put into the middle of a turn: linear on both sides, and linked.
/// Other keys of lines are not linked, since lines meet at corners.
const MIDDLE: KeyTangents = KeyTangents::both(TangentMode::Linear);

/// A track with another interpolation.
#[derive(Clone, Debug, PartialEq)]
pub struct Converted {
    /// The track.
    pub track: Track,
    /// The largest deviation from the motion before, measured at 16 places between two keys, with a
    /// twentieth more; not inside of spans that were to change, nor in the millisecond of a step.
    pub error: MotionError,
    /// Keys that were added: ends of steps, and middles of long turns.
    pub added: usize,
    /// Such keys that were removed again.
    pub removed: usize,
}

/// A track with another interpolation, its motion kept as far as that can hold it.
///
/// With `spans`, key times in rising order, only what follows those keys changes: it becomes a
/// step, a line, or a curve with automatic tangents. The rest keeps its motion. Without, all spans
/// are meant, and a line or a step that becomes CUBICSPLINE moves as before.
///
/// To CUBICSPLINE, vectors stay exactly, rotations within the error: 0.01° at a turn of 90°; turns
/// above 150° get a key in the middle, which goes again on the way back. The signs of quaternions
/// are made continuous, since splines go through the numbers. Steps get a second key as long before
/// the next as `min(1 ms, span/4)`, at least four steps of `f32`; where there is no room for it the
/// curve takes the whole span. To LINEAR and STEP all other keys stay. A single key stays LINEAR,
/// since CUBICSPLINE must have two.
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

/// Steps that become lines: only those that were chosen one by one.
fn chosen_of(spans: Option<&[f32]>, chosen: &[f32]) -> Vec<f32> {
    if spans.is_some() { chosen.to_vec() } else { Vec::new() }
}

/// The number of keys of one track that the other does not have.
fn missing(of: &Track, other: &Track) -> usize {
    of.times.iter().filter(|t| other.key_at(**t, 0.0).is_none()).count()
}

/// A single key, which cannot be a spline.
fn single(track: &Track, to: Interpolation) -> Track {
    let to = if to == Interpolation::CubicSpline { Interpolation::Linear } else { to };
    Track { interpolation: to, values: track.value(0).into(), ..track.clone() }
}

/// The time at which a step from `time` to `next` ends; nothing where there is no room.
fn step_end(time: f32, next: f32) -> Option<f32> {
    let step = next - next.next_down();
    let gap = HOLD_GAP.min((next - time) / 4.0).max(4.0 * step);
    let end = next - gap;
    (end - time >= 4.0 * step && end < next).then_some(end)
}

/// Whether a key is the end of a step, also of one too short for [`is_hold_end`]; in a CUBICSPLINE
/// track nothing moves there.
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

/// Whether a spline rests at a key.
fn is_flat(track: &Track, key: usize) -> bool {
    let (stride, width) = (track.stride(), track.width);
    track.interpolation != Interpolation::CubicSpline || {
        let own = &track.values[key * stride..(key + 1) * stride];
        own[..width].iter().chain(&own[2 * width..]).all(|v| *v == 0.0)
    }
}

/// Whether a key was put into the middle of a long turn.
fn is_middle(track: &Track, key: usize) -> bool {
    /// The tolerance beside the middle, radians and parts of the span.
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
    // Between keys a few steps of `f32` apart the middle is rounded.
    let time = f32::midpoint(track.times[key - 1], track.times[key + 1]);
    let rounded = (track.times[key] - time).abs() <= time.next_up() - time;
    turn > HALVED - BESIDE
        && (rounded || ((first - second) / (first + second)).abs() < BESIDE)
        && 2.0 * beside < BESIDE
}

/// Keys and values alone, without ends of steps (for STEP) or middles of turns (for LINEAR).
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

/// A STEP track as LINEAR, in which steps are two keys, but for those after the keys at `not`;
/// of other tracks, without the steps there.
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

/// A CUBICSPLINE key that is being made.
struct Made {
    time: f32,
    value: Vec<f32>,
    arrive: Vec<f32>,
    leave: Vec<f32>,
    modes: KeyTangents,
}

impl Made {
    /// The same rotation as the other quaternion.
    fn turn_over(&mut self) {
        let Self { value, arrive, leave, .. } = self;
        [value, arrive, leave].into_iter().flatten().for_each(|v| *v = -*v);
    }

    /// Whether the other quaternion of a rotation is nearer to the key before.
    fn is_far_from(&self, before: &Self) -> bool {
        before.value.iter().zip(&self.value).map(|(a, b)| a * b).sum::<f32>() < 0.0
    }
}

/// The slopes of the line from one value to another over some seconds, leaving and arriving.
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

/// A LINEAR track as CUBICSPLINE that moves alike; CUBICSPLINE stays.
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

/// The key in the middle of a long turn; nothing where the turn is short, or no time lies between.
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

/// A CUBICSPLINE track with lines after some keys; a LINEAR one has them.
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
        // From here on all keys, so that no other span changes.
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

/// A key of a CUBICSPLINE track as it is.
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

/// A CUBICSPLINE track with automatic tangents on the sides of the spans after some keys; middles
/// of turns there are gone.
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

/// The largest deviation between two tracks, except after the keys of `before` at `changed` and
/// where a step comes to its end.
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
