//! Time warp of keys: handles have new times, and times between handles are interpolated linearly.

use crate::clip_edit::{TooClose, hold_end, is_hold_end, refreshed};
use ulna_model::{Interpolation, Track};

/// The new time of a key, and the time scale factors before and after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeyDestination {
    pub time: f32,
    pub before: f64,
    pub after: f64,
}

/// Moves the keys of a track to new times in the same order. The tangents of each side are divided
/// by the time scale of that side.
pub(super) fn placed(track: &Track, places: &[KeyDestination]) -> Result<Track, TooClose> {
    let falls = |w: &[KeyDestination]| !w[1].time.is_finite() || w[1].time <= w[0].time;
    if let Some(k) = places.windows(2).position(falls) {
        return Err(TooClose(track.times[k], track.times[k + 1]));
    }
    let mut values = track.values.to_vec();
    if track.interpolation == Interpolation::CubicSpline {
        let width = track.width;
        for (own, place) in values.chunks_mut(3 * width).zip(places) {
            for (side, factor) in [(0, place.before), (2 * width, place.after)] {
                if factor != 1.0 && factor > 0.0 {
                    own[side..side + width]
                        .iter_mut()
                        .for_each(|v| *v = (f64::from(*v) / factor) as f32);
                }
            }
        }
    }
    let to = |time: f32| track.key_at(time, 0.0).map(|k| places[k].time);
    let kinds = track.kinds.iter().filter_map(|(t, kind)| Some((to(t)?, kind))).collect();
    let modes = track.modes.iter().filter_map(|(t, mode)| Some((to(t)?, mode)));
    let made = Track {
        times: places.iter().map(|p| p.time).collect(),
        values: values.into(),
        kinds,
        modes: track.modes.replaced(modes),
        ..track.clone()
    };
    Ok(refreshed(track, made))
}

/// A map of times between handles, in seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Warp {
    from: Vec<f64>,
    to: Vec<f64>,
}

impl Warp {
    /// Creates a map from handle times to new times, both strictly rising and of the same length.
    /// Times before the first and after the last handle are shifted with it. `None` for invalid
    /// lists.
    pub fn new(from: &[f64], to: &[f64]) -> Option<Self> {
        let rises = |list: &[f64]| {
            list.iter().all(|t| t.is_finite()) && list.windows(2).all(|w| w[1] > w[0])
        };
        let fits = !from.is_empty() && from.len() == to.len() && rises(from) && rises(to);
        fits.then(|| Self { from: from.to_vec(), to: to.to_vec() })
    }

    /// Maps a time to its new time, in seconds.
    pub fn at(&self, time: f64) -> f64 {
        let last = self.from.len() - 1;
        let after = self.from.partition_point(|f| *f <= time);
        if after == 0 {
            return time + (self.to[0] - self.from[0]);
        }
        // A handle is mapped exactly to its new time.
        if self.from[after - 1] == time || after > last {
            return time + (self.to[after - 1] - self.from[after - 1]);
        }
        let part = (time - self.from[after - 1]) / (self.from[after] - self.from[after - 1]);
        self.to[after - 1] + (self.to[after] - self.to[after - 1]) * part
    }

    /// The time scale factors just before and just after a time.
    fn factors(&self, time: f64) -> (f64, f64) {
        let piece = |k: usize| {
            if k == 0 || k >= self.from.len() {
                1.0
            } else {
                (self.to[k] - self.to[k - 1]) / (self.from[k] - self.from[k - 1])
            }
        };
        let before = self.from.partition_point(|f| *f < time);
        let after = self.from.partition_point(|f| *f <= time);
        (piece(before), piece(after))
    }
}

/// Warps the keys at `times` (in rising order); other keys stay. If all handles are at keys, the
/// motion between the keys is warped exactly. A segment with a handle inside is warped only at its
/// keys.
///
/// # Errors
/// Two keys would have the same time or change their order.
pub fn warped(track: &Track, times: &[f32], warp: &Warp) -> Result<Track, TooClose> {
    let near = |t: f32| {
        // Handle times may be rounded to a few digits, so they are compared with a tolerance.
        let time = f64::from(t);
        let close = |f: &&f64| (*f - time).abs() <= f64::from(crate::clip_edit::SAME_TIME);
        warp.from.iter().find(close).copied().unwrap_or(time)
    };
    let meant = |t: f32| times.binary_search_by(|k| k.total_cmp(&t)).is_ok();
    let mut places: Vec<KeyDestination> = track
        .times
        .iter()
        .map(|t| {
            let time = near(*t);
            let (before, after) = warp.factors(time);
            if meant(*t) {
                KeyDestination { time: warp.at(time) as f32, before, after }
            } else {
                KeyDestination { time: *t, before: 1.0, after: 1.0 }
            }
        })
        .collect();
    for key in 1..places.len() {
        // The end of a hold moves with the key that follows it.
        if is_hold_end(track, key) && meant(track.times[key + 1]) {
            places[key].time = hold_end(places[key + 1].time);
        }
    }
    placed(track, &places)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        clip_edit::{is_auto, tests::any_track},
        sample_into,
    };
    use ulna_model::Property;

    #[test]
    fn warp_handles_reach_their_targets_and_keys_between_follow() {
        let warp = Warp::new(&[0.0, 1.0, 2.0], &[0.0, 1.3, 2.0]).unwrap();
        for (time, to) in [(0.0, 0.0), (1.0, 1.3), (2.0, 2.0), (0.5, 0.65), (1.5, 1.65), (3.0, 3.0)]
        {
            assert!((warp.at(time) - to).abs() < 1e-12, "{time}");
        }
        assert!(Warp::new(&[0.0, 1.0], &[0.0, 0.0]).is_none());
        assert!(Warp::new(&[0.0], &[0.0, 1.0]).is_none());
    }

    proptest! {
        #[test]
        fn warping_keys_warps_the_sampled_motion(track in any_track(), longer in
            prop::collection::vec(0.3f64..3.0, 12), part in 0.0f64..1.0) {
            // A handle at each key.
            let from: Vec<f64> = track.times.iter().map(|t| f64::from(*t)).collect();
            let mut to = vec![from[0]];
            for (w, longer) in from.windows(2).zip(&longer) {
                to.push(to[to.len() - 1] + (w[1] - w[0]) * longer);
            }
            let warp = Warp::new(&from, &to).unwrap();
            let made = warped(&track, &track.times, &warp).unwrap();
            prop_assert!(made.validate().is_ok());
            let back = Warp::new(&to, &from).unwrap();
            let again = warped(&made, &made.times, &back).unwrap();
            for (a, b) in again.values.iter().zip(track.values.iter()) {
                prop_assert!((a - b).abs() < 1e-4 * (1.0 + a.abs()));
            }
            // An automatic curve is recomputed for the new times.
            let time = from[0] + (from[from.len() - 1] - from[0]) * part;
            let turns = track.property == Property::Rotation;
            if turns || from.iter().any(|f| (f - time).abs() < 1e-4) || is_auto(&track) {
                return Ok(());
            }
            let (mut a, mut b) = (vec![0.0; track.width], vec![0.0; track.width]);
            sample_into(&track, time, &mut a);
            sample_into(&made, warp.at(time), &mut b);
            for (a, b) in a.iter().zip(&b) {
                prop_assert!((a - b).abs() < 2e-3, "{a} {b}");
            }
        }
    }
}
