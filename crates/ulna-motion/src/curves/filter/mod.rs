//! Filters on keys. The change is computed on samples, and applied to the track's own keys. Key
//! times do not change.
//!
//! ```text
//!  track ─► samples (even, or the keys) ─► signal ─► filter ─► signal ─► change at each key
//!           rotations: log(q_ref⁻¹ q), q_ref a running mean                 × strength × fade
//! ```
//!
//! The change fades out toward both ends of the range and toward protected ranges. Keys there are
//! unchanged, and the motion does not jump.

mod low_pass;
mod noise;
mod samples;
mod window;

use glam::DVec3;

use self::samples::{Course, Samples};
use super::chart::{ChosenComponents, follow_holds, is_meant, only_angles, turn_key};
use crate::clip_edit::{MotionError, SAME_TIME, is_hold_end, refreshed};
use ulna_model::{Interpolation, Property, Track};

/// A filter that changes the values of keys. To remove redundant keys, use
/// [`reduced`](crate::clip_edit::reduced).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Filter {
    /// Moves each key toward the line between its neighbors.
    Smooth {
        /// Number of passes.
        passes: u32,
    },
    /// Removes motion above a frequency (Butterworth, forward and backward, so that there is no
    /// delay).
    LowPass {
        /// Frequency at which the power is halved, Hz.
        cutoff_hz: f64,
        /// Order in each direction, `1..=8`: higher orders cut more sharply.
        order: u32,
    },
    /// Replaces values with the Gaussian mean of the surrounding motion.
    Gaussian {
        /// Standard deviation, seconds.
        seconds: f64,
    },
    /// Replaces keys far from the median of the surrounding keys with that median (F. R. Hampel,
    /// *The influence curve and its role in robust estimation*, 1974).
    Peaks {
        /// Maximum distance from the median, in standard deviations of the surrounding keys; 3 is
        /// usual.
        limit: f64,
    },
    /// Adds noise of one frequency, reproducible by its seed.
    Noise {
        /// Maximum change: degrees for rotations, otherwise units of the track.
        amount: f64,
        /// Frequency of the noise, Hz.
        hz: f64,
        /// Seed of the noise. Each track has its own noise.
        seed: u64,
    },
}

/// A filter and its options.
#[derive(Clone, Debug, PartialEq)]
pub struct FilterOptions {
    /// Type of the filter, with its parameters.
    pub filter: Filter,
    /// Fraction of the change to apply, `0..=1`.
    pub strength: f64,
    /// Whether the filter treats the track as a loop, with the first key after the last one. Has no
    /// effect unless the range is the whole track.
    pub across_loop: bool,
    /// Time ranges whose keys are not changed, seconds.
    pub protect: Vec<(f32, f32)>,
    /// Duration in seconds over which the change fades in from the ends of the range and from
    /// protected ranges. `None` for the default of the filter.
    pub blend_in: Option<f64>,
}

impl FilterOptions {
    /// Creates options for a filter at full strength.
    pub const fn new(filter: Filter) -> Self {
        Self { filter, strength: 1.0, across_loop: false, protect: Vec::new(), blend_in: None }
    }

    /// Duration of the fade from no change to full strength, seconds.
    fn blend(&self) -> f64 {
        let usual = match self.filter {
            Filter::LowPass { cutoff_hz, .. } => 0.5 / cutoff_hz.max(1e-3),
            Filter::Gaussian { seconds } => seconds,
            Filter::Noise { hz, .. } => 0.5 / hz.max(1e-3),
            Filter::Smooth { .. } | Filter::Peaks { .. } => 0.0,
        };
        self.blend_in.unwrap_or(usual).max(0.0)
    }
}

/// A filtered track.
#[derive(Clone, Debug, PartialEq)]
pub struct Filtered {
    /// The filtered track.
    pub track: Track,
    /// Largest change of a key.
    pub largest: MotionError,
    /// Time of the largest change, seconds.
    pub at: f32,
}

/// Filters the keys of a track in a time range. Key times do not change. The first and the last key
/// do not change either, except across a loop. Tangents are changed with the motion; automatic ones
/// are recomputed.
pub fn filtered(
    track: &Track,
    (from, to): (f32, f32),
    options: &FilterOptions,
    components: Option<ChosenComponents<'_>>,
) -> Filtered {
    let unchanged = || Filtered { track: track.clone(), largest: MotionError::default(), at: from };
    let inside = |k: &usize| {
        (from - SAME_TIME..=to + SAME_TIME).contains(&track.times[*k]) && !is_hold_end(track, *k)
    };
    let keys: Vec<usize> = (0..track.times.len()).filter(inside).collect();
    let (Some(first), Some(last)) = (keys.first(), keys.last()) else { return unchanged() };
    let whole = *first == 0 && *last + 1 == track.times.len();
    let loops = options.across_loop && whole && keys.len() > 2;
    let ends = (f64::from(track.times[*first]), f64::from(track.times[*last]));
    let Some(change) = change(track, &keys, options, loops) else { return unchanged() };
    let fade = Fade {
        ends: (!loops).then_some(ends),
        protect: &options.protect,
        blend: options.blend(),
        strength: options.strength.clamp(0.0, 1.0),
    };
    let by = |time: f64| -> Vec<f64> {
        let part = fade.at(time);
        change.at(time).into_iter().map(|d| d * part).collect()
    };
    let mut values = track.values.to_vec();
    for key in &keys {
        let time = f64::from(track.times[*key]);
        let moved = by(time);
        // Protected keys and end keys keep their exact numbers.
        if moved.iter().all(|d| *d == 0.0) {
            continue;
        }
        let h = change.apart() * 0.25;
        let (after, before) = (by(time + h), by(time - h));
        let rate: Vec<f64> = after.iter().zip(&before).map(|(a, b)| (a - b) / (2.0 * h)).collect();
        let stride = track.stride();
        let own = &mut values[key * stride..(key + 1) * stride];
        put(track, own, &moved, &rate, components);
    }
    follow_holds(track, &mut values);
    only_angles(track, &mut values, components);
    let made = refreshed(track, Track { values: values.into(), ..track.clone() });
    let (mut largest, mut at) = (MotionError::default(), from);
    for key in keys {
        let time = track.times[key];
        let off = MotionError::between(track, &made, f64::from(time));
        if off.angle > largest.angle || off.value > largest.value {
            (largest, at) = (off, time);
        }
    }
    Filtered { track: made, largest, at }
}

/// Adds a change to a key. `rate` is the growth of the change per second, for the key's tangents.
fn put(
    track: &Track,
    own: &mut [f32],
    moved: &[f64],
    rate: &[f64],
    components: Option<ChosenComponents<'_>>,
) {
    if track.property == Property::Rotation {
        turn_key(own, DVec3::from_slice(moved), DVec3::from_slice(rate));
        return;
    }
    let width = track.width;
    let cubic = track.interpolation == Interpolation::CubicSpline;
    let at = if cubic { width } else { 0 };
    for c in (0..width).filter(|c| is_meant(components, *c)) {
        own[at + c] = (f64::from(own[at + c]) + moved[c]) as f32;
        if cubic {
            for slope in [c, 2 * width + c] {
                own[slope] = (f64::from(own[slope]) + rate[c]) as f32;
            }
        }
    }
}

/// Strength of a change over time: 0 at protected times, and 1 far from them.
struct Fade<'a> {
    ends: Option<(f64, f64)>,
    protect: &'a [(f32, f32)],
    blend: f64,
    strength: f64,
}

impl Fade<'_> {
    fn at(&self, time: f64) -> f64 {
        let mut room = f64::INFINITY;
        if let Some((from, to)) = self.ends {
            room = (time - from).min(to - time);
        }
        for (from, to) in self.protect {
            let (from, to) = (f64::from(*from), f64::from(*to));
            room = room.min((from - time).max(time - to));
        }
        if room <= f64::from(SAME_TIME) {
            return 0.0;
        }
        let part = if self.blend > 0.0 { (room / self.blend).min(1.0) } else { 1.0 };
        part * part * (3.0 - 2.0 * part) * self.strength
    }
}

/// Computes the change that a filter makes; `None` if there are too few keys.
fn change(track: &Track, keys: &[usize], options: &FilterOptions, loops: bool) -> Option<Course> {
    let even = |finest: f64| Samples::even(track, keys, finest, loops);
    match options.filter {
        Filter::Smooth { passes } => {
            let samples = Samples::at_keys(track, keys, loops)?;
            Some(samples.changed(None, |times, row| {
                window::smooth(times, row, passes, samples.period());
            }))
        }
        Filter::Peaks { limit } => {
            let samples = Samples::at_keys(track, keys, loops)?;
            Some(samples.changed(None, |_, row| window::peaks(row, limit.max(0.5), loops)))
        }
        Filter::Gaussian { seconds } => {
            let samples = even(seconds / 3.0)?;
            let width = seconds / samples.step();
            Some(samples.changed(Some(seconds * 3.0), |_, row| {
                window::gaussian(row, width, loops);
            }))
        }
        Filter::LowPass { cutoff_hz, order } => {
            let samples = even(1.0 / (8.0 * cutoff_hz.max(1e-3)))?;
            let filter = low_pass::Butterworth::new(cutoff_hz, order, 1.0 / samples.step())?;
            Some(samples.changed(Some(0.48 / cutoff_hz), |_, row| filter.both_ways(row, loops)))
        }
        Filter::Noise { amount, hz, seed } => noise::course(track, keys, (amount, hz, seed), loops),
    }
}

#[cfg(test)]
mod tests;
