//! Operations on whole clips: cut, reverse, stretch, resample. Pointers of the clip are unchanged;
//! callers reject clips with pointers.

use super::{SAME_TIME, TimeMap, TooClose, retime};
use crate::{insert_key, sample_into};
use ulna_model::{
    Clip, Goal, Interpolation, Marker, Property, Shared, Slice, TangentModes, Track,
    transform::angle_between,
};

/// Maximum difference between two motions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MotionError {
    /// Difference of rotations, radians.
    pub angle: f32,
    /// Difference of other values, in the units of the track.
    pub value: f32,
}

impl MotionError {
    /// Returns the larger angle and the larger value of two errors.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self { angle: self.angle.max(other.angle), value: self.value.max(other.value) }
    }

    /// Text that states the error, for the end of a message; `None` if the error is invisible.
    pub fn in_words(self) -> Option<String> {
        let angle = (self.angle > 2e-4).then(|| format!("{:.2}°", self.angle.to_degrees()));
        let value = (self.value > 1e-5).then(|| format!("{:.5} units", self.value));
        let both: Vec<String> = [angle, value].into_iter().flatten().collect();
        (!both.is_empty()).then(|| format!("the motion differs by at most {}", both.join(" and ")))
    }

    /// Returns the difference of two tracks of the same property at a time.
    pub(crate) fn between(a: &Track, b: &Track, time: f64) -> Self {
        let sampled = |track: &Track| {
            let mut out = vec![0.0; track.width];
            sample_into(track, time, &mut out);
            out
        };
        let (a, b, turns) = (sampled(a), sampled(b), a.property == Property::Rotation);
        if turns {
            let turn = |v: &[f32]| glam::Quat::from_slice(v);
            return Self { angle: angle_between(turn(&a), turn(&b)), value: 0.0 };
        }
        Self { angle: 0.0, value: a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max) }
    }
}

/// Times of the first and the last key of a clip, seconds; `None` without keys.
pub fn key_span(clip: &Clip) -> Option<(f32, f32)> {
    let ends = |t: &Shared<Track>| Some((*t.times.first()?, *t.times.last()?));
    clip.tracks.values().filter_map(ends).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
}

/// Applies `make` to each track, and `at` to the times of markers and contacts. Markers for which
/// `is_kept` is false and empty contacts are removed.
fn each_track(
    clip: &Clip,
    make: impl Fn(&Track) -> Result<Track, TooClose>,
    at: impl Fn(f32) -> f32,
    is_kept: impl Fn(f32) -> bool,
) -> Result<Clip, TooClose> {
    let mut tracks = clip.tracks.clone();
    for track in tracks.values_mut() {
        *track = Shared::new(make(track)?);
    }
    let markers = clip.markers.iter().filter(|m| is_kept(m.time));
    let markers = markers.map(|m| Marker { time: at(m.time), ..m.clone() });
    let contacts = clip.contacts.iter().filter_map(|goal| goal.retimed(&at));
    Ok(Clip {
        tracks,
        markers: Marker::in_order(markers.collect()).into(),
        contacts: Goal::in_order(contacts.collect()).into(),
        ..clip.clone()
    })
}

/// Cuts out the part of a clip between `from` and `to` in seconds, and moves it to start at 0. Keys
/// are inserted at both ends, so that the motion between them is unchanged. With `exact`, this also
/// holds for rotations of CUBICSPLINE tracks to 0.01°, with more keys. Otherwise, their error is
/// returned.
///
/// # Errors
/// Two keys would have the same time.
pub fn part_of(
    clip: &Clip,
    from: f32,
    to: f32,
    exact: bool,
) -> Result<(Clip, MotionError), TooClose> {
    let worst = std::cell::Cell::new(MotionError::default());
    let inside = |t: f32| t >= from - SAME_TIME && t <= to + SAME_TIME;
    let at = |t: f32| (f64::from(t.clamp(from, to)) - f64::from(from)) as f32;
    let cut = |track: &Track| -> Result<Track, TooClose> {
        let mut whole = track.clone();
        let ends = |t: &Track| (t.times[0], t.times[t.times.len() - 1]);
        for (time, wanted) in
            [(from, ends(track).0 < from - SAME_TIME), (to, ends(track).1 > to + SAME_TIME)]
        {
            if wanted {
                let made = insert_key(&whole, time, None, exact);
                worst.set(worst.get().or(MotionError { angle: made.error, value: 0.0 }));
                whole = made.track;
            }
        }
        let taken = near_ends(&whole.times, from, to);
        keys_of(&whole, &|t| ((from..=to).contains(&t) || taken.contains(&Some(t))).then(|| at(t)))
    };
    let made = each_track(clip, cut, at, inside)?;
    Ok((made, worst.get()))
}

/// Finds keys just outside a part that can be moved to its ends. There is one per end, or `None` if
/// the end has a key already or no key is near. Keys that are closer together than the tolerance,
/// such as those of a cut, are never merged.
fn near_ends(times: &[f32], from: f32, to: f32) -> [Option<f32>; 2] {
    let any = |low: f32, high: f32| times.iter().any(|t| (low..=high).contains(t));
    let before = times.iter().copied().rfind(|t| *t < from).filter(|t| *t >= from - SAME_TIME);
    let after = times.iter().copied().find(|t| *t > to).filter(|t| *t <= to + SAME_TIME);
    [
        before.filter(|_| !any(from, to.min(from + SAME_TIME))),
        after.filter(|_| !any(from.max(to - SAME_TIME), to)),
    ]
}

/// Returns a track with the keys for which `place` returns a time, with their exact values. A track
/// with a single CUBICSPLINE key becomes LINEAR.
fn keys_of(track: &Track, place: &dyn Fn(f32) -> Option<f32>) -> Result<Track, TooClose> {
    let stride = track.stride();
    let kept: Vec<(usize, f32)> =
        track.times.iter().enumerate().filter_map(|(k, t)| Some((k, place(*t)?))).collect();
    let times: Vec<f32> = kept.iter().map(|(_, t)| *t).collect();
    rising(&times)?;
    let kinds = track.kinds.iter().filter_map(|(t, kind)| Some((place(t)?, kind))).collect();
    let single = track.interpolation == Interpolation::CubicSpline && kept.len() == 1;
    let values = kept.iter().flat_map(|(k, _)| {
        let all = &track.values[k * stride..(k + 1) * stride];
        if single { track.value(*k) } else { all }.iter().copied()
    });
    let interpolation = if single { Interpolation::Linear } else { track.interpolation };
    let placed = track.modes.iter().filter_map(|(t, own)| Some((place(t)?, own)));
    let modes = if single { TangentModes::default() } else { track.modes.replaced(placed) };
    Ok(Track {
        times: times.into(),
        values: values.collect(),
        interpolation,
        kinds,
        modes,
        ..track.clone()
    })
}

pub(super) fn rising(times: &[f32]) -> Result<(), TooClose> {
    match times.windows(2).find(|w| !w[1].is_finite() || w[1] <= w[0]) {
        Some(w) => Err(TooClose(w[0], w[1])),
        None => Ok(()),
    }
}

/// Applies a time map to all keys and markers of a clip.
///
/// # Errors
/// Two keys would have the same time.
pub fn mapped(clip: &Clip, map: &TimeMap) -> Result<Clip, TooClose> {
    each_track(clip, |t| retime(t, &t.times, map, false).map(|r| r.track), |t| map.at(t), |_| true)
}

/// Reverses a clip between its first and its last key: the new value at `t` is the old value at
/// `first + last − t`.
///
/// Values of a STEP track shift by one key, since each holds until the next key. The last key gets
/// the value before the first. The value of the old last key, which was held for an instant only,
/// is held for an instant at the start. CUBICSPLINE tangents are swapped and negated. Reversing
/// twice restores the clip.
///
/// # Errors
/// Two keys would have the same time.
pub fn reversed(clip: &Clip) -> Result<Clip, TooClose> {
    key_span(clip).map_or_else(|| Ok(clip.clone()), |span| reversed_within(clip, span))
}

/// Reverses a clip: the new value at `t` is the old value at `first + last − t`. All keys must be
/// between `first` and `last`.
pub(super) fn reversed_within(clip: &Clip, (first, last): (f32, f32)) -> Result<Clip, TooClose> {
    let sum = f64::from(first) + f64::from(last);
    let at = |t: f32| (sum - f64::from(t)) as f32;
    let turn = |track: &Track| -> Result<Track, TooClose> {
        let made = match track.interpolation {
            Interpolation::Step if track.times.len() > 1 => step_reversed(track, (first, last)),
            _ => turned_round(track, &at),
        };
        rising(&made.times)?;
        Ok(made)
    };
    each_track(clip, turn, at, |t| at(t) >= 0.0)
}

/// Reverses a track that is not STEP.
fn turned_round(track: &Track, at: &dyn Fn(f32) -> f32) -> Track {
    let (stride, width, count) = (track.stride(), track.width, track.times.len());
    let mut values = Vec::with_capacity(track.values.len());
    for k in (0..count).rev() {
        let key = &track.values[k * stride..(k + 1) * stride];
        if track.interpolation == Interpolation::CubicSpline {
            values.extend(key[2 * width..].iter().map(|v| -v));
            values.extend_from_slice(&key[width..2 * width]);
            values.extend(key[..width].iter().map(|v| -v));
        } else {
            values.extend_from_slice(key);
        }
    }
    let times = track.times.iter().rev().map(|t| at(*t)).collect();
    let kinds = track.kinds.iter().map(|(t, kind)| (at(t), kind)).collect();
    let modes = track.modes.replaced(track.modes.iter().map(|(t, own)| (at(t), own.reversed())));
    Track { times, values: values.into(), kinds, modes, ..track.clone() }
}

/// Reverses a STEP track.
fn step_reversed(track: &Track, (first, last): (f32, f32)) -> Track {
    let sum = f64::from(first) + f64::from(last);
    let at = |t: f32| (sum - f64::from(t)) as f32;
    let count = track.times.len();
    // Two keys this close at the start come from a previous reversal. The first one was the last
    // key before that reversal, and is held for an instant only.
    let moment =
        track.times[0] <= first && is_moment(track.times[1] - track.times[0], track.times[1]);
    let from = usize::from(moment && count > 2);
    let place =
        |k: usize| if k == from && from > 0 { at(track.times[0]) } else { at(track.times[k]) };
    let mut keys: Vec<(f32, &[f32])> = Vec::with_capacity(count + 1);
    let end = track.times[count - 1];
    let differs = track.value(count - 1) != track.value(count - 2);
    if end < last - SAME_TIME {
        // After its last key, the track held that key's value.
        keys.push((first, track.value(count - 1)));
    } else if differs {
        keys.push((at(end), track.value(count - 1)));
    }
    for k in (from..count).rev() {
        let held = track.value(k.saturating_sub(1));
        let time = match keys.last() {
            Some((start, _)) if k == count - 1 && place(k) <= *start => {
                after_moment(*start, end - track.times[k - 1])
            }
            _ => place(k),
        };
        keys.push((time, held));
    }
    let there = |t: f32| keys.iter().any(|(k, _)| *k == t);
    let kinds =
        track.kinds.iter().map(|(t, kind)| (at(t), kind)).filter(|(t, _)| there(*t)).collect();
    Track {
        times: keys.iter().map(|(t, _)| *t).collect(),
        values: keys.iter().flat_map(|(_, v)| v.iter().copied()).collect(),
        kinds,
        ..track.clone()
    }
}

/// Duration in seconds of the first value in a reversed STEP track. This value belonged to the old
/// last key, which was held for an instant only. Long enough that both keys have distinct times.
const MOMENT: f32 = 1.5 * SAME_TIME;

/// End time of the first value in a reversed STEP track, which is held for an instant only.
fn after_moment(start: f32, span: f32) -> f32 {
    (start + MOMENT.min(span * 0.25)).max(start.next_up().next_up())
}

/// Whether the first key of a track is held only for an instant, as in a reversed STEP track.
fn is_moment(span: f32, time: f32) -> bool {
    span <= MOMENT * 1.02 + 2.0 * (time.next_up() - time)
}

/// Resamples a clip to one key per frame, from its first key to its last. Tracks with one key are
/// unchanged. STEP tracks stay STEP; all others become LINEAR. Also returns the error between the
/// frames.
pub fn resampled(clip: &Clip, frames_per_second: f64) -> (Clip, MotionError) {
    let Some((first, last)) = key_span(clip) else { return (clip.clone(), MotionError::default()) };
    let span = f64::from(last) - f64::from(first);
    // An almost complete last frame counts as a frame.
    let frames = (span * frames_per_second + 1e-3).floor() as usize;
    let mut times: Vec<f32> =
        (0..=frames).map(|k| (f64::from(first) + k as f64 / frames_per_second) as f32).collect();
    match times.last_mut() {
        Some(end) if f64::from(last - *end) * frames_per_second <= 2e-3 => *end = last,
        _ => times.push(last),
    }
    times.dedup();
    let times: Slice<f32> = times.into();
    let mut error = MotionError::default();
    let mut tracks = clip.tracks.clone();
    for track in tracks.values_mut().filter(|t| t.times.len() > 1) {
        let made = sampled_at(track, &times);
        let halves = times.windows(2).map(|w| (f64::from(w[0]) + f64::from(w[1])) * 0.5);
        // Measure at keys between frames and midway, where the error is largest.
        let all = track.times.iter().map(|t| f64::from(*t)).chain(halves);
        error = all.fold(error, |worst, t| worst.or(MotionError::between(track, &made, t)));
        *track = Shared::new(made);
    }
    (Clip { tracks, ..clip.clone() }, error)
}

/// Samples a track at some times. Quaternions get consistent signs.
fn sampled_at(track: &Track, times: &Slice<f32>) -> Track {
    let width = track.width;
    let mut values = vec![0.0; times.len() * width];
    for (k, time) in times.iter().enumerate() {
        let (before, own) = values.split_at_mut(k * width);
        let own = &mut own[..width];
        sample_into(track, f64::from(*time), own);
        let turned = track.property == Property::Rotation && k > 0;
        if turned
            && before[(k - 1) * width..].iter().zip(own.iter()).map(|(a, b)| a * b).sum::<f32>()
                < 0.0
        {
            own.iter_mut().for_each(|v| *v = -*v);
        }
    }
    let interpolation = match track.interpolation {
        Interpolation::Step => Interpolation::Step,
        Interpolation::Linear | Interpolation::CubicSpline => Interpolation::Linear,
    };
    Track {
        times: times.clone(),
        values: values.into(),
        interpolation,
        kinds: Default::default(),
        modes: Default::default(),
        ..track.clone()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        super::tests::{any_track, whip},
        *,
    };
    use ulna_model::{NodeId, TrackId};

    fn any_clip() -> impl Strategy<Value = Clip> {
        prop::collection::vec(any_track(), 1..4).prop_map(|tracks| {
            let tracks = tracks.into_iter().enumerate();
            let tracks = tracks.map(|(k, t)| {
                (TrackId(k as u32), Shared::new(Track { target: NodeId(k as u32), ..t }))
            });
            Clip { tracks: tracks.collect(), ..Clip::default() }
        })
    }

    /// Whether a time is so close to a key of a STEP track that rounding may put it on either side.
    fn at_a_step(track: &Track, time: f64) -> bool {
        track.interpolation == Interpolation::Step
            && track.times.iter().any(|t| (f64::from(*t) - time).abs() < 1e-4)
    }

    proptest! {
        #[test]
        fn a_reversed_clip_plays_backward_and_reversing_it_again_restores_it(clip in any_clip()) {
            let (first, last) = key_span(&clip).unwrap();
            let back = reversed(&clip).unwrap();
            let again = reversed(&back).unwrap();
            let mut compared = 0;
            for (id, track) in &clip.tracks {
                let (made, twice) = (&back.tracks[id], &again.tracks[id]);
                prop_assert!(made.validate().is_ok());
                for k in 0..=1000 {
                    let time = f64::from(first) + f64::from(last - first) * (f64::from(k) / 1000.0);
                    let was = f64::from(first) + f64::from(last) - time;
                    if at_a_step(track, was) || at_a_step(made, time) {
                        continue;
                    }
                    let mut a = vec![0.0; track.width];
                    let mut b = a.clone();
                    sample_into(track, was, &mut a);
                    sample_into(made, time, &mut b);
                    let gap = |sign: f32| a.iter().zip(&b).map(|(a, b)| (a - sign * b).abs())
                        .fold(0.0, f32::max);
                    let turns = track.property == Property::Rotation;
                    prop_assert!(gap(1.0) < 1e-3 || (turns && gap(-1.0) < 1e-3), "{}: {:?} {:?}",
                        time, a, b);
                    compared += 1;
                }
                // A STEP track now has keys at both ends; all others have their original keys.
                for (time, k) in track.times.iter().zip(0..) {
                    let found = twice.key_at(*time, 2.0 * (last.next_up() - last));
                    prop_assert!(found.is_some_and(|f| twice.value(f) == track.value(k)),
                        "{}: {:?}", time, twice);
                }
            }
            prop_assert!(compared > 500);
        }

        #[test]
        fn a_trimmed_clip_has_the_motion_of_its_range(clip in any_clip(),
            cut in prop::array::uniform2(0.0f32..1.0)) {
            let (first, last) = key_span(&clip).unwrap();
            let place = |p: f32| first + (last - first) * p;
            let (from, to) = (place(cut[0].min(cut[1])), place(cut[0].max(cut[1])));
            prop_assume!(to - from > 0.01);
            // A key that is too close to a cut is moved to it.
            let near = |t: &f32| [from,
                to].iter().any(|cut| t != cut && (t - cut).abs() <= 1.01 * SAME_TIME);
            prop_assume!(!clip.tracks.values().any(|track| track.times.iter().any(near)));
            let (part, said) = part_of(&clip, from, to, true).unwrap();
            for (id, track) in &clip.tracks {
                let made = &part.tracks[id];
                prop_assert!(made.validate().is_ok(), "{:?}", made);
                prop_assert!(made.times[0] >= 0.0
                    && made.times[made.times.len() - 1] <= to - from + 1e-6);
                for k in 1..1000 {
                    let time = f64::from(to - from) * f64::from(k) / 1000.0;
                    let was = f64::from(from) + time;
                    if at_a_step(track, was) {
                        continue;
                    }
                    let moved =
                        Track { times: made.times.iter()
                            .map(|t| (f64::from(*t) + f64::from(from)) as f32).collect(),
                                ..(**made).clone() };
                    let off = MotionError::between(track, &moved, was);
                    // The reported error, or 0.01° if it is 0, plus the effect of time rounding on
                    // fast motion.
                    let most = said.angle.max(0.000_175) + 0.000_35 + whip(track, was);
                    prop_assert!(off.angle < most && off.value < 1e-3, "{}: {:?} {:?}", was, off,
                        said);
                }
            }
        }

        #[test]
        fn resampling_is_within_the_reported_error(clip in any_clip(),
            rate in 20.0f64..120.0) {
            let (made, error) = resampled(&clip, rate);
            for (id, track) in &clip.tracks {
                let (first, last) =
                    (made.tracks[id].times[0], *made.tracks[id].times.last().unwrap());
                prop_assert!(made.tracks[id].validate().is_ok());
                if track.interpolation == Interpolation::Linear && track.times.len() > 1 {
                    for k in 0..=500 {
                        let time = f64::from(first) + f64::from(last - first) * f64::from(
                            k) / 500.0;
                        let off = MotionError::between(track, &made.tracks[id], time);
                        prop_assert!(off.value <= error.value * 1.001 + 1e-4, "{:?} over {:?}", off,
                            error);
                    }
                }
            }
        }
    }

    #[test]
    fn reversing_a_step_track_twice_restores_its_values() {
        let track = |times: &[f32], values: &[f32]| Track {
            target: NodeId(0),
            property: Property::Translation,
            interpolation: Interpolation::Step,
            times: times.into(),
            values: values.iter().flat_map(|v| [*v, 0.0, 0.0]).collect(),
            width: 3,
            kinds: Default::default(),
            modes: Default::default(),
        };
        let clip = |track: Track| Clip {
            tracks: [(TrackId(0), Shared::new(track))].into(),
            ..Clip::default()
        };
        let whole = clip(track(&[0.0, 0.25, 1.0], &[1.0, 2.0, 3.0]));
        let back = reversed(&whole).unwrap();
        assert_eq!(
            *back.tracks[&TrackId(0)],
            track(&[0.0, MOMENT, 0.75, 1.0], &[3.0, 2.0, 1.0, 1.0])
        );
        assert_eq!(reversed(&back).unwrap(), whole);
        // A track that starts after the clip and ends before it: the values held outside of its
        // keys are preserved.
        let mut late = clip(track(&[0.5, 1.0, 1.5], &[1.0, 2.0, 3.0]));
        let long = Track { target: NodeId(1), ..track(&[0.25, 2.25], &[7.0, 7.0]) };
        late.tracks.insert(TrackId(1), Shared::new(long));
        let back = reversed(&late).unwrap();
        assert_eq!(*back.tracks[&TrackId(0)], track(&[0.25, 1.0, 1.5, 2.0], &[3.0, 2.0, 1.0, 1.0]));
    }
}
