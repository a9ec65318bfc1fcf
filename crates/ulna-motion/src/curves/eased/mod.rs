//! Eases between two keys of a track.

mod angles;

use glam::{DQuat, DVec3};

use super::{
    CurveSpace, TrackCurves,
    chart::{ChosenComponents, exp, is_meant, rotation, short_log},
    conversion::converted,
    ease::{Ease, EaseShape, EaseWay},
    ease_plan::Stop,
};
use crate::{
    clip_edit::{HOLD_GAP, MotionError, SAME_TIME, held, hold_end, is_auto, is_hold_end},
    insert_key, sample_into,
};
use ulna_model::{Interpolation, KeyKind, KeyTangents, Property, TangentMode, TangentModes, Track};

/// A track with an eased segment.
#[derive(Clone, Debug, PartialEq)]
pub struct Eased {
    /// The track with the ease.
    pub track: Track,
    /// Number of keys that the ease added, after the keys of an earlier ease were removed.
    pub added: usize,
    /// Number of removed keys of an earlier ease.
    pub removed: usize,
    /// The largest error against the formula, relative to the change of value.
    pub error: f64,
    /// Deviation of the other segments from their old motion, if the track was converted to a
    /// spline.
    pub others: MotionError,
}

/// Whether a key was inserted by an ease: its kind is in-between, and its tangents are both free.
/// No other command makes such keys, and both properties survive saving.
pub fn is_of_ease(track: &Track, key: usize) -> bool {
    let time = track.times[key];
    let free = |m: KeyTangents| (m.arrive, m.leave) == (TangentMode::Free, TangentMode::Free);
    track.kinds.of(time) == Some(KeyKind::InBetween) && track.modes.of(time).is_some_and(free)
}

/// Whether a key was not inserted by an ease or a hold.
fn is_own(track: &Track, key: usize) -> bool {
    !is_of_ease(track, key) && !is_hold_end(track, key)
}

/// Finds the start times of the segments to ease: segments between neighboring keys of `times` (in
/// rising order). Keys that an ease inserted belong to the segment of that ease.
pub fn eased_spans(track: &Track, times: &[f32]) -> Vec<f32> {
    let own: Vec<f32> =
        (0..track.times.len()).filter(|k| is_own(track, *k)).map(|k| track.times[k]).collect();
    let meant = |t: &f32| times.binary_search_by(|k| k.total_cmp(t)).is_ok();
    own.windows(2).filter(|w| meant(&w[0]) && meant(&w[1])).map(|w| w[0]).collect()
}

/// Applies an ease between a key and the next, within 1 % of the formula. If a cubic suffices, only
/// tangents change; otherwise keys are added.
///
/// Rotations follow slerp, `slerp(q₀, q₁, e(s))`. Alternatively, some of their Euler angles are
/// eased, and the other angles keep their values at keys. Single quaternion numbers are eased like
/// the whole rotation. For other values, `components` restricts the ease.
///
/// Tracks with another interpolation are converted to splines. Their other segments keep their
/// motion. Keys of an earlier ease between the two keys are removed first.
pub fn eased(
    track: &Track,
    key: usize,
    ease: &Ease,
    components: Option<ChosenComponents<'_>>,
) -> Eased {
    let nothing = |track: Track, removed| Eased {
        track,
        added: 0,
        removed,
        error: 0.0,
        others: MotionError::default(),
    };
    if key + 1 >= track.times.len() || !is_own(track, key) {
        return nothing(track.clone(), 0);
    }
    let start = track.times[key];
    let turns = track.property == Property::Rotation;
    let components = components.filter(|c| !c.is_all(track));
    let components = components.filter(|c| !turns || c.space != CurveSpace::Stored);
    let (cleared, removed) = cleared(track, start, components);
    let cleared_is_spline = cleared.interpolation == Interpolation::CubicSpline;
    let step = (ease.shape, ease.way) == (EaseShape::Step, EaseWay::In);
    if step && !cleared_is_spline && components.is_none() {
        let made = held(&cleared, &[start], true);
        let added = (made.times.len() + removed).saturating_sub(track.times.len());
        return Eased { added, ..nothing(made, removed) };
    }
    let linear = cleared.interpolation == Interpolation::Linear && (!turns || components.is_none());
    if linear && ease.shape == EaseShape::Linear {
        return nothing(cleared, removed);
    }
    let Some(end) = end_of(&cleared, start) else { return nothing(cleared, removed) };
    let made = converted(&cleared, Interpolation::CubicSpline, None);
    let (mut spline, others) = (made.track, made.error);
    // Remove keys that the conversion inserted, unless other components may need them.
    let ends = (spline.key_at(start, 0.0), spline.key_at(end, 0.0));
    if let ((Some(from), Some(to)), None) = (ends, components)
        && !cleared_is_spline
    {
        spline = without(&spline, from + 1, to);
    }
    let before = spline.times.len();
    let (track, error) = match components {
        Some(chosen) if turns => angles::put(&spline, (start, end), ease, chosen),
        _ => put(&spline, (start, end), ease, components),
    };
    Eased { added: track.times.len() - before, track, removed, error, others }
}

/// Removes the keys of an earlier ease or hold after the key at `start`. Returns the number of
/// removed keys. With `components`, keys that other components need stay.
fn cleared(track: &Track, start: f32, components: Option<ChosenComponents<'_>>) -> (Track, usize) {
    let made = held(track, &[start], false);
    let Some(key) = made.key_at(start, 0.0) else { return (track.clone(), 0) };
    let end = (key + 1..made.times.len()).find(|k| is_own(&made, *k));
    let Some(end) = end.filter(|end| *end > key + 1) else {
        let removed = track.times.len() - made.times.len();
        return (made, removed);
    };
    let without = without(&made, key + 1, end);
    // Compare the other components with and without the keys.
    let mut stays = false;
    if let Some(chosen) = components {
        let count = if made.property == Property::Rotation { 3 } else { made.width };
        let others: Vec<usize> = (0..count).filter(|c| !is_meant(components, *c)).collect();
        let [with, bare] = [(&made, end), (&without, key + 1)]
            .map(|(t, last)| TrackCurves::new(&part(t, key, last), chosen.space));
        let (from, to) = (f64::from(made.times[key]), f64::from(made.times[end]));
        for k in 1..64 {
            let time = from + (to - from) * f64::from(k) / 64.0;
            stays |= others.iter().any(|c| {
                let size = with.value(*c, from).abs().max(with.value(*c, to).abs());
                let most = if count < made.width { 0.02 } else { 1e-5 * (1.0 + size) };
                (with.value(*c, time) - bare.value(*c, time)).abs() > most
            });
        }
    }
    let left = if stays { made } else { without };
    let removed = track.times.len() - left.times.len();
    (left, removed)
}

/// Returns the keys of a track in a range, both ends included, without tangent modes.
fn part(track: &Track, from: usize, to: usize) -> Track {
    let stride = track.stride();
    Track {
        times: track.times[from..=to].into(),
        values: track.values[from * stride..(to + 1) * stride].into(),
        kinds: Default::default(),
        modes: Default::default(),
        ..track.clone()
    }
}

/// Returns the track without the keys `from..to`.
fn without(track: &Track, from: usize, to: usize) -> Track {
    let stride = track.stride();
    let gone: Vec<f32> = track.times[from..to].to_vec();
    let mut times = track.times.to_vec();
    let mut values = track.values.to_vec();
    times.drain(from..to);
    values.drain(from * stride..to * stride);
    Track {
        times: times.into(),
        values: values.into(),
        kinds: track.kinds.with(&gone, None),
        modes: track.modes.with(&gone, None),
        ..track.clone()
    }
}

/// End time of the segment after the key at `start`.
fn end_of(track: &Track, start: f32) -> Option<f32> {
    let key = track.key_at(start, 0.0)?;
    (key + 1..track.times.len()).find(|k| is_own(track, *k)).map(|k| track.times[k])
}

/// The change of value between two keys.
enum Way {
    /// Start rotation, and rotation vector of the change.
    Turn(DQuat, DVec3),
    /// Start value and change of plain numbers.
    Line(Vec<f64>, Vec<f64>),
}

impl Way {
    fn between(track: &Track, from: usize, to: usize) -> Self {
        let (a, b) = (track.value(from), track.value(to));
        if track.property == Property::Rotation {
            let q = rotation(a);
            return Self::Turn(q, short_log(q.inverse() * rotation(b)));
        }
        let numbers = |v: &[f32]| -> Vec<f64> { v.iter().map(|v| f64::from(*v)).collect() };
        let by = a.iter().zip(b).map(|(a, b)| f64::from(*b) - f64::from(*a)).collect();
        Self::Line(numbers(a), by)
    }

    /// Half the angle of a rotation, radians; 0 for other values.
    fn turn(&self) -> f64 {
        if let Self::Turn(_, by) = self { by.length() * 0.5 } else { 0.0 }
    }

    fn value(&self, part: f64) -> Vec<f64> {
        match self {
            Self::Turn(from, by) => (*from * exp(*by * part)).to_array().to_vec(),
            Self::Line(from, by) => from.iter().zip(by).map(|(f, b)| f + b * part).collect(),
        }
    }

    /// Rate of change of the value at the fraction `part` of the change. `slope` is the rate of
    /// change of the fraction.
    fn slope(&self, part: f64, slope: f64) -> Vec<f64> {
        match self {
            Self::Turn(from, by) => {
                let turn = *by * (slope * 0.5);
                let q = *from * exp(*by * part) * DQuat::from_xyzw(turn.x, turn.y, turn.z, 0.0);
                q.to_array().to_vec()
            }
            Self::Line(_, by) => by.iter().map(|b| b * slope).collect(),
        }
    }
}

/// Writes the ease to a spline, between the keys at two times.
fn put(
    track: &Track,
    (start, end): (f32, f32),
    ease: &Ease,
    components: Option<ChosenComponents<'_>>,
) -> (Track, f64) {
    let mut made = track.clone();
    let (Some(first), Some(last)) = (made.key_at(start, 0.0), made.key_at(end, 0.0)) else {
        return (made, 0.0);
    };
    made = turned_over(made, first, last);
    let track = made.clone();
    let from = f64::from(start);
    let span = f64::from(end) - from;
    let way = Way::between(&made, first, last);
    let turns = made.property == Property::Rotation;
    let value = |part: f64| turns.then(|| way.value(part).iter().map(|v| *v as f32).collect());
    let (stops, added) = with_stops(&mut made, (start, end), ease, way.turn(), &value);
    let ends = [(start, stops[0]), (end, stops[stops.len() - 1])];
    let mut values = made.values.to_vec();
    for (time, stop) in added.iter().chain(&ends) {
        let Some(key) = made.key_at(*time, 0.0) else { continue };
        let own = &mut values[key * 3 * made.width..(key + 1) * 3 * made.width];
        let sides = (*time != start, *time != end);
        write(own, &way, stop, (sides, span), components);
        // Constant values are copied exactly.
        let held = [(0.0, first), (1.0, last)].into_iter().find(|(v, _)| stop.value == *v);
        if let (Some((_, from)), (true, true)) = (held, sides) {
            let stored = track.value(from);
            (0..made.width)
                .filter(|c| is_meant(components, *c))
                .for_each(|c| own[made.width + c] = stored[c]);
        }
    }
    made = Track { values: values.into(), ..made };
    made = marked(made, &added, (start, end));
    let error = off(&made, &way, ease, (from, span), components);
    (made, error)
}

/// Inserts the keys that an ease needs into a segment. Returns all planned keys, and the times of
/// all keys within the segment with their plans. `turn` is half the angle of a rotation in radians.
/// `value` returns the value of a key at a fraction of the change; with `None`, keys are inserted
/// on the current curve.
fn with_stops(
    made: &mut Track,
    (start, end): (f32, f32),
    ease: &Ease,
    turn: f64,
    value: &dyn Fn(f64) -> Option<Vec<f32>>,
) -> (Vec<Stop>, Vec<(f32, Stop)>) {
    let from = f64::from(start);
    let span = f64::from(end) - from;
    let gap = f64::from(HOLD_GAP).max(f64::from(end - hold_end(end))).min(span * 0.25) / span;
    let mut stops = ease.stops(turn, gap);
    // Existing keys, such as those of another component's ease, also become keys of this ease.
    let kept: Vec<f32> = made.times.iter().copied().filter(|t| *t > start && *t < end).collect();
    let mut added = Vec::new();
    for stop in &mut stops {
        let inside = stop.part > 0.0 && stop.part < 1.0;
        if !inside {
            continue;
        }
        let time = (from + span * stop.part) as f32;
        let there = made.key_at(time, SAME_TIME).is_some();
        if there || time <= start || time >= end {
            continue;
        }
        let count = made.times.len();
        *made = insert_key(made, time, value(stop.value).as_deref(), false).track;
        if made.times.len() > count {
            if !stop.is_corner() {
                // Recompute the planned key for its rounded time.
                *stop = stop_at(ease, (f64::from(time) - from) / span, stop);
            }
            added.push((time, *stop));
        }
    }
    for time in kept {
        let part = (f64::from(time) - from) / span;
        let none = Stop { part, value: 0.0, arrive: 0.0, leave: 0.0 };
        added.push((time, stop_at(ease, part, &none)));
    }
    (stops, added)
}

/// Returns the planned key at the fraction `part` of the time. If the formula has no slope there,
/// the slopes of the plan are kept.
fn stop_at(ease: &Ease, part: f64, planned: &Stop) -> Stop {
    const H: f64 = 1e-5;
    let value = ease.at(part);
    let side = |h: f64| (ease.at(part + h) - value) / h;
    if planned.value == 0.0 && planned.part == part {
        return Stop { part, value, arrive: side(-H), leave: side(H) };
    }
    Stop { part, value, ..*planned }
}

/// Writes a planned key to the track: its value, and the tangents inside the segment. The first and
/// the last key keep their values.
fn write(
    own: &mut [f32],
    way: &Way,
    stop: &Stop,
    ((before, after), span): ((bool, bool), f64),
    components: Option<ChosenComponents<'_>>,
) {
    let width = own.len() / 3;
    let mut put = |from: usize, numbers: Vec<f64>| {
        for (c, number) in numbers.iter().enumerate().filter(|(c, _)| is_meant(components, *c)) {
            own[from + c] = *number as f32;
        }
    };
    if before && after {
        put(width, way.value(stop.value));
    }
    if before {
        put(0, way.slope(stop.value, stop.arrive / span));
    }
    if after {
        put(2 * width, way.slope(stop.value, stop.leave / span));
    }
}

/// Negates the quaternions of a spline from key `last` on, if the path from `first` is then the
/// shortest. The motion is unchanged.
fn turned_over(track: Track, first: usize, last: usize) -> Track {
    let dot = track.value(first).iter().zip(track.value(last)).map(|(a, b)| a * b).sum::<f32>();
    if track.property != Property::Rotation || dot >= 0.0 {
        return track;
    }
    let mut values = track.values.to_vec();
    values[last * track.stride()..].iter_mut().for_each(|v| *v = -*v);
    Track { values: values.into(), ..track }
}

/// Marks the added keys as keys of an ease, and sets the tangent modes of the changed sides of both
/// ends.
fn marked(track: Track, added: &[(f32, Stop)], (start, end): (f32, f32)) -> Track {
    let mut modes = track.modes.clone();
    if modes.is_empty() && is_auto_beside(&track, (start, end), added) {
        let auto = KeyTangents::both(TangentMode::Auto);
        let all = TangentModes::default().wrapping(modes.wraps());
        modes = all.with(&track.times, Some(auto));
    }
    let own = |time: f32| modes.of(time).unwrap_or_default();
    let free = TangentMode::Free;
    let first = KeyTangents { leave: free, linked: false, ..own(start) };
    let last = KeyTangents { arrive: free, linked: false, ..own(end) };
    let mut modes = modes.with(&[start], Some(first)).with(&[end], Some(last));
    let mut times: Vec<f32> = Vec::with_capacity(added.len());
    for (time, stop) in added {
        let mode = KeyTangents { linked: !stop.is_corner(), ..KeyTangents::both(free) };
        modes = modes.with(&[*time], Some(mode));
        times.push(*time);
    }
    times.sort_by(f32::total_cmp);
    let kinds = track.kinds.with(&times, Some(KeyKind::InBetween));
    Track { kinds, modes, ..track }
}

/// Whether the tangents outside of the eased segment equal the automatic ones of the track without
/// the added keys.
fn is_auto_beside(track: &Track, (start, end): (f32, f32), added: &[(f32, Stop)]) -> bool {
    let mut bare = track.clone();
    for (time, _) in added {
        if let Some(key) = bare.key_at(*time, 0.0) {
            bare = without(&bare, key, key + 1);
        }
    }
    let auto = crate::clip_edit::with_auto_tangents(&bare);
    let (width, stride) = (bare.width, bare.stride());
    let same = (0..bare.times.len()).all(|k| {
        let time = bare.times[k];
        let [a, b] = [&bare, &auto].map(|t| &t.values[k * stride..(k + 1) * stride]);
        (time == end || a[..width] == b[..width])
            && (time == start || a[2 * width..] == b[2 * width..])
    });
    same && !is_auto(track)
}

/// Measures the largest error of the curve against the formula, relative to the change of value.
fn off(
    track: &Track,
    way: &Way,
    ease: &Ease,
    (from, span): (f64, f64),
    components: Option<ChosenComponents<'_>>,
) -> f64 {
    const SAMPLES: u32 = 100;
    let mut out = vec![0.0; track.width];
    let mut worst = 0.0f64;
    // A jump may have any value in between, so it is not sampled.
    let samples = if ease.shape == EaseShape::Step { 0 } else { SAMPLES };
    for k in 1..samples {
        let s = f64::from(k) / f64::from(SAMPLES);
        sample_into(track, from + span * s, &mut out);
        let wanted = way.value(ease.at(s));
        let own = match way {
            Way::Turn(_, by) if by.length() > 1e-6 => {
                let wanted = DQuat::from_slice(&wanted);
                short_log(wanted.inverse() * rotation(&out)).length() / by.length()
            }
            Way::Turn(..) => 0.0,
            Way::Line(_, by) => (0..track.width)
                .filter(|c| is_meant(components, *c) && by[*c].abs() > 1e-9)
                .map(|c| (f64::from(out[c]) - wanted[c]).abs() / by[c].abs())
                .fold(0.0, f64::max),
        };
        worst = worst.max(own);
    }
    worst
}

#[cfg(test)]
mod tests;
