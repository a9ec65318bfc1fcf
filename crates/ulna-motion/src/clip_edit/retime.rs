//! Moving keys in time: shift, stretch about a time, copy; with or without the keys after them.

use thiserror::Error;

use super::{
    HOLD_GAP, SAME_TIME, hold_end,
    holds::{hold_ends, marks},
    refreshed,
};
use ulna_model::{Interpolation, KeyTimes, TangentModes, Track};

/// A linear map of key times: `t' = about + (t − about)·scale + by`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeMap {
    /// Fixed point of the stretch, seconds.
    pub about: f64,
    /// Factor of the stretch, above 0.
    pub scale: f64,
    /// Shift, seconds.
    pub by: f64,
}

impl TimeMap {
    /// Creates a shift by some seconds.
    pub const fn shift(by: f64) -> Self {
        Self { about: 0.0, scale: 1.0, by }
    }

    /// Returns the new time of a key.
    pub fn at(&self, time: f32) -> f32 {
        // Without a stretch, only one rounding takes place.
        let stretched = if self.scale == 1.0 {
            f64::from(time)
        } else {
            self.about + (f64::from(time) - self.about) * self.scale
        };
        (stretched + self.by) as f32
    }
}

/// A track with moved keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Retimed {
    /// The track with the moved keys.
    pub track: Track,
    /// New times of the moved keys, without ends of holds.
    pub keys: KeyTimes,
    /// Number of keys that moved keys replaced.
    pub replaced: usize,
}

/// Two keys that would have the same time in single precision.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error(
    "the keys at {0} s and {1} s would land on the same time, because key times are stored in \
    single precision"
)]
pub struct TooClose(pub f32, pub f32);

/// A key during the move: its new time, whether it moved, and its old index.
#[derive(Clone, Copy)]
struct Going {
    time: f32,
    moved: bool,
    from: usize,
}

/// Moves or copies the keys of a track at `times`. With `copies`, the old keys stay. A moved key
/// replaces a key at the same time. Tangents keep their shape: their slopes are divided by the
/// stretch.
///
/// # Errors
/// Two moved keys would have the same time, or a time is out of range.
pub fn retime(
    track: &Track,
    times: &[f32],
    map: &TimeMap,
    copies: bool,
) -> Result<Retimed, TooClose> {
    let ends = hold_ends(track);
    let marks = marks(track, times, ends.as_deref());
    let is_end = |k: usize| ends.as_ref().is_some_and(|e| e[k]);
    let own: &[f32] = &track.times;
    let mut going = Vec::with_capacity(marks.len());
    let mut before: Option<(f32, f32)> = None;
    for (k, time) in own.iter().copied().enumerate() {
        let stays = Going { time, moved: false, from: k };
        if !marks[k] {
            going.push(stays);
            continue;
        }
        if copies {
            going.push(stays);
        }
        let to =
            if is_end(k) && marks[k + 1] { hold_end(map.at(own[k + 1])) } else { map.at(time) };
        if let Some((last, was)) = before
            && to <= last
        {
            return Err(TooClose(was, time));
        }
        if !to.is_finite() {
            return Err(TooClose(time, time));
        }
        before = Some((to, time));
        going.push(Going { time: to, moved: true, from: k });
    }
    going.sort_by(|a, b| a.time.total_cmp(&b.time).then(a.moved.cmp(&b.moved)));
    let (kept, mut replaced) = settle(going);
    let after = gather(track, &kept, map.scale);
    // A moved key may have replaced the start of a hold, or the key after it. The end of such a
    // hold is now a normal key.
    let left = hold_ends(&after);
    let count = |ends: Option<&Vec<bool>>| ends.map_or(0, |e| e.iter().filter(|e| **e).count());
    replaced = replaced.saturating_sub(count(ends.as_ref()).saturating_sub(count(left.as_ref())));
    let stays_end = |k: usize| left.as_ref().is_some_and(|e| e[k]);
    let moved = kept.iter().enumerate().filter(|(k, key)| key.moved && !stays_end(*k));
    let moved: Vec<f32> = moved.map(|(_, key)| key.time).collect();
    Ok(Retimed { track: refreshed(track, after), keys: moved.into(), replaced })
}

/// Resolves collisions of keys sorted by time. Returns the remaining keys, and the number of
/// replaced ones. Only a moved key can replace an unmoved one; the distances within each group are
/// preserved.
fn settle(going: Vec<Going>) -> (Vec<Going>, usize) {
    let mut kept: Vec<Going> = Vec::with_capacity(going.len());
    let mut replaced = 0;
    for key in going {
        if let Some(last) = kept.last_mut()
            && (key.time <= last.time
                || (key.moved != last.moved && key.time - last.time <= SAME_TIME))
        {
            replaced += 1;
            if key.moved || !last.moved {
                *last = key;
            }
            continue;
        }
        kept.push(key);
    }
    (kept, replaced)
}

/// Builds a track from these keys. Tangents of moved keys are divided by `scale`.
fn gather(track: &Track, kept: &[Going], scale: f64) -> Track {
    let (stride, width, own) = (track.stride(), track.width, &track.values[..]);
    let mut values = Vec::with_capacity(kept.len() * stride);
    for key in kept {
        let from = &own[key.from * stride..(key.from + 1) * stride];
        let at = values.len();
        values.extend_from_slice(from);
        if key.moved && scale != 1.0 && track.interpolation == Interpolation::CubicSpline {
            for part in [at..at + width, at + 2 * width..at + 3 * width] {
                values[part].iter_mut().for_each(|v| *v = (f64::from(*v) / scale) as f32);
            }
        }
    }
    let kind = |key: &Going| track.kinds.of(track.times[key.from]).map(|kind| (key.time, kind));
    let kinds = if track.kinds.is_empty() {
        track.kinds.clone()
    } else {
        kept.iter().filter_map(kind).collect()
    };
    let modes = if track.modes.is_empty() {
        track.modes.clone()
    } else {
        let own = |key: &Going| Some((key.time, track.modes.of(track.times[key.from])?));
        track.modes.replaced(kept.iter().filter_map(own))
    };
    Track {
        times: kept.iter().map(|k| k.time).collect(),
        values: values.into(),
        kinds,
        modes,
        ..track.clone()
    }
}

/// Removes the keys at `times`; `None` if no key remains. A CUBICSPLINE track with a single
/// remaining key becomes LINEAR, since glTF requires two.
pub fn remove_keys(track: &Track, times: &[f32]) -> Option<Track> {
    let ends = hold_ends(track);
    let mut marks = marks(track, times, ends.as_deref());
    // The end of a hold is removed with the key that begins it.
    if let Some(ends) = &ends {
        for key in 1..marks.len() {
            marks[key] |= marks[key - 1] && ends[key];
        }
    }
    let kept: Vec<Going> = (0..marks.len())
        .filter(|k| !marks[*k])
        .map(|k| Going { time: track.times[k], moved: false, from: k })
        .collect();
    if kept.is_empty() {
        return None;
    }
    let left = gather(track, &kept, 1.0);
    if left.interpolation == Interpolation::CubicSpline && left.times.len() < 2 {
        return Some(Track {
            interpolation: Interpolation::Linear,
            values: left.value(0).into(),
            modes: TangentModes::default(),
            ..left
        });
    }
    Some(refreshed(track, left))
}

/// Removes `length` seconds of a track from the time `from` on. Keys in this range are removed, and
/// later keys move earlier. `None` if no key remains.
///
/// # Errors
/// As [`retime`].
pub fn remove_time(track: &Track, from: f32, length: f32) -> Result<Option<Track>, TooClose> {
    let to = from + length;
    let inside = KeyTimes::within(&track.times, from, to.next_down());
    let Some(left) = remove_keys(track, &inside) else { return Ok(None) };
    let later = KeyTimes::within(&left.times, to, f32::MAX);
    retime(&left, &later, &TimeMap::shift(-f64::from(length)), false).map(|r| Some(r.track))
}

// The gap of a hold must be longer than the tolerance of equal times.
const _: () = assert!(HOLD_GAP > SAME_TIME * 2.0);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::tests::any_track, *};
    use crate::sample_into;

    proptest! {
        #[test]
        fn key_times_increase_after_any_move(track in any_track(),
            picks in prop::collection::vec(any::<bool>(), 12),
                                     by in -1.0f64..1.0, scale in 0.2f64..3.0, about in 0.0f64..3.0,
                                         copies: bool) {
            let times: Vec<f32> =
                track.times.iter().zip(&picks).filter(|(_, p)| **p).map(|(t, _)| *t).collect();
            let map = TimeMap { about, scale, by };
            let made = retime(&track, &times, &map, copies).unwrap();
            prop_assert!(made.track.validate().is_ok());
            for time in &times {
                prop_assert!(made.track.key_at(map.at(*time), 0.0).is_some());
            }
            if !copies {
                prop_assert_eq!(made.track.times.len() + made.replaced, track.times.len());
            }
            // Unmoved keys keep their numbers.
            for (k, time) in track.times.iter().enumerate().filter(|(k, _)| !picks[*k]) {
                if let Some(now) =
                    made.track.key_at(*time, 0.0).filter(|_| !made.keys.contains(*time)) {
                    prop_assert_eq!(made.track.value(now), track.value(k));
                }
            }
        }

        #[test]
        fn scaling_times_by_a_factor_and_its_inverse_restores_them(
            track in any_track(), scale in 0.1f64..8.0, about in 0.0f64..4.0) {
            let map = TimeMap { about, scale, by: 0.0 };
            let there = retime(&track, &track.times, &map, false).unwrap().track;
            let back = TimeMap { scale: 1.0 / scale, ..map };
            let again = retime(&there, &there.times, &back, false).unwrap().track;
            let length = track.times.iter().chain(there.times.iter()).copied().fold(about as f32,
                f32::max);
            let step = length.next_up() - length;
            let most = 2.0 * step / scale.min(1.0) as f32;
            for (a, b) in track.times.iter().zip(again.times.iter()) {
                prop_assert!((a - b).abs() <= most, "{} {} {}", a, b, most);
            }
        }

        #[test]
        fn scaling_all_times_slows_the_motion(track in any_track(), scale in 0.3f64..4.0,
            at in 0.0f64..1.0) {
            let map = TimeMap { about: 0.0, scale, by: 0.0 };
            let slow = retime(&track, &track.times, &map, false).unwrap().track;
            let length = f64::from(track.times[track.times.len() - 1]);
            // Skip jumps of a STEP track, where a rounded time may be on either side.
            let near = track.times.iter().any(|t| (f64::from(*t) - at * length).abs() < 1e-4);
            let (mut a, mut b) = (vec![0.0; track.width], vec![0.0; track.width]);
            sample_into(&track, at * length, &mut a);
            sample_into(&slow, at * length * scale, &mut b);
            for (a, b) in a.iter().zip(&b).filter(|_| !near) {
                prop_assert!((a - b).abs() < 2e-3, "{} {}", a, b);
            }
        }
    }

    fn track(times: &[f32]) -> Track {
        Track {
            target: ulna_model::NodeId(0),
            property: ulna_model::Property::Translation,
            interpolation: Interpolation::Linear,
            times: times.into(),
            values: times.iter().flat_map(|t| [*t, 0.0, 0.0]).collect(),
            width: 3,
            kinds: Default::default(),
            modes: Default::default(),
        }
    }

    #[test]
    fn a_moved_key_replaces_others_and_they_are_counted() {
        let made =
            retime(&track(&[0.0, 0.5, 1.0]), &[0.0, 0.5], &TimeMap::shift(0.5), false).unwrap();
        assert_eq!((&*made.track.times, made.replaced), (&[0.5, 1.0][..], 1));
        assert_eq!(made.track.value(1), [0.5, 0.0, 0.0]);
        let copied =
            retime(&track(&[0.0, 0.5, 1.0]), &[0.0, 0.5], &TimeMap::shift(2.0), true).unwrap();
        assert_eq!(&*copied.track.times, [0.0, 0.5, 1.0, 2.0, 2.5]);
        assert_eq!(&*copied.keys, [2.0, 2.5]);
    }

    #[test]
    fn keys_at_excessive_times_are_refused() {
        assert!(retime(&track(&[0.0, 0.001]), &[0.0, 0.001], &TimeMap::shift(1e9), false).is_err());
    }

    #[test]
    fn removing_the_last_key_removes_the_track() {
        assert!(remove_keys(&track(&[0.5]), &[0.5]).is_none());
        assert_eq!(&*remove_keys(&track(&[0.0, 0.5]), &[0.5]).unwrap().times, [0.0]);
    }

    #[test]
    fn removing_time_closes_the_gap() {
        let left = remove_time(&track(&[0.0, 0.5, 1.0, 1.5]), 0.5, 0.75).unwrap().unwrap();
        assert_eq!(&*left.times, [0.0, 0.75]);
        assert_eq!(left.value(1), [1.5, 0.0, 0.0]);
    }
}
