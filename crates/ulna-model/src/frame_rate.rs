//! Frame rate of a clip. It is inferred from the key times, and preserved when they change.

use super::{Clip, Track};

/// Common frame rates, in descending order of likelihood. NTSC rates are 1000/1001 of whole
/// numbers.
const RATES: [f64; 13] = [
    24.0,
    30.0,
    60.0,
    25.0,
    15.0,
    12.0,
    10.0,
    50.0,
    120.0,
    24_000.0 / 1001.0,
    30_000.0 / 1001.0,
    60_000.0 / 1001.0,
    120_000.0 / 1001.0,
];

/// Maximum distance of a key from its frame, in frames.
const ON_FRAME: f64 = 0.01;

/// Minimum fraction of keys on whole frames for a rate to fit, `0..=1`.
const FIT: f32 = 0.9;

/// Maximum number of key times that are examined.
const MOST_TIMES: usize = 20_000;

/// Exact frame rate for a rounded one: 29.97 becomes 30000/1001. Unknown rates are rounded to 4
/// decimals.
pub fn meant_rate(rate: f64) -> f64 {
    let near = |whole: f64| {
        let exact = whole * 1000.0 / 1001.0;
        ((exact - rate).abs() < 2e-4 * rate).then_some(exact)
    };
    let known = [24.0, 30.0, 60.0, 120.0].into_iter().find_map(near);
    // Rounding removes the single-precision error.
    known.unwrap_or((rate * 1e4).round() / 1e4)
}

/// Formats a frame rate with up to three decimals and no trailing zeros: 30, 29.97, 23.976.
pub fn rate_in_words(rate: f64) -> String {
    let text = format!("{rate:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Fit of a rate to key times. `share` is the fraction of keys on whole frames, `0..=1`. `off` is
/// the mean distance of those keys from their frames, in frames.
#[derive(Clone, Copy)]
struct Fit {
    rate: f64,
    share: f32,
    off: f64,
}

impl Fit {
    fn of(rate: f64, times: &[f32]) -> Self {
        let offs = times.iter().map(|t| {
            let frame = f64::from(*t) * rate;
            (frame - frame.round()).abs()
        });
        let (on, sum) =
            offs.filter(|o| *o < ON_FRAME).fold((0usize, 0.0), |(n, sum), off| (n + 1, sum + off));
        Self { rate, share: on as f32 / times.len().max(1) as f32, off: sum / on.max(1) as f64 }
    }
}

/// Fit of each common frame rate, in the order of [`RATES`].
fn fits(times: &[f32]) -> Vec<Fit> {
    RATES.into_iter().map(|rate| Fit::of(rate, times)).collect()
}

fn best(fits: &[Fit]) -> Option<Fit> {
    /// Error of single precision, in frames. Times that were rounded to milliseconds have larger
    /// errors.
    const EXACT: f64 = 2e-4;
    let mut best = *fits.first()?;
    for fit in &fits[1..] {
        // A short clip at an NTSC rate nearly fits the whole-number rate, too. The remaining error
        // shows the true rate.
        let nearer = (fit.share - best.share).abs() <= 0.01
            && fit.off < EXACT
            && best.off > 4.0 * fit.off.max(1e-5);
        if fit.share > best.share + 0.01
            || (nearer && fit.rate.fract() != 0.0 && best.rate / fit.rate < 1.01)
        {
            best = *fit;
        }
    }
    Some(best)
}

impl Clip {
    /// Key times above 0, in seconds. Consecutive tracks that share one list of times are counted
    /// once.
    fn some_times(&self) -> Vec<f32> {
        let mut seen: Vec<f32> = Vec::new();
        let mut last: Option<*const f32> = None;
        let pointed = self.pointers.iter().map(|p| &p.times);
        for times in self.tracks.values().map(|t| &t.times).chain(pointed) {
            if last != Some(times.as_ptr()) && seen.len() < MOST_TIMES {
                seen.extend(times.iter().copied().filter(|t| *t > 0.0));
                last = Some(times.as_ptr());
            }
        }
        seen
    }

    /// Frame rate that puts the most keys on whole frames, and the fraction of these keys
    /// (`0..=1`). A rate that is stored with the clip takes precedence.
    ///
    /// Returns `None` if no rate is stored and no key is after 0.
    pub fn guess_fps(&self) -> Option<(f64, f32)> {
        let times = self.some_times();
        if let Some(rate) = self.rate {
            return Some((rate, if times.is_empty() { 1.0 } else { Fit::of(rate, &times).share }));
        }
        if times.is_empty() {
            return None;
        }
        let found = best(&fits(&times))?;
        Some(if found.share > 0.0 { (found.rate, found.share) } else { (30.0, 0.0) })
    }

    /// Frame rate of the clip, if it is stored or unambiguous; otherwise `None`. Two keys one
    /// second apart, for example, fit every rate.
    fn sure_rate(&self) -> Option<f64> {
        if self.rate.is_some() {
            return self.rate;
        }
        let times = self.some_times();
        let all = fits(&times);
        let found = best(&all).filter(|f| f.share >= FIT && times.len() > 1)?;
        let slowest =
            all.iter().filter(|f| f.share >= FIT).map(|f| f.rate).fold(found.rate, f64::min);
        // All fitting rates must be whole multiples of the slowest one.
        let whole = |rate: f64| {
            let times = rate / slowest;
            (times - times.round()).abs() < 2e-3
        };
        all.iter().filter(|f| f.share >= FIT).all(|f| whole(f.rate)).then_some(found.rate)
    }

    /// Sets the frame rate of a clip to that of `before`, the clip that it was derived from. The
    /// rate is stored only if the key times imply another one.
    #[must_use]
    pub fn at_rate_of(self, before: &Self) -> Self {
        if self.rate.is_some() || before.has_times_of(&self) {
            return self;
        }
        match before.sure_rate() {
            Some(rate) => self.counted_at(rate),
            None => self,
        }
    }

    /// Sets the frame rate. It is stored only if the key times imply another one.
    #[must_use]
    pub fn counted_at(mut self, rate: f64) -> Self {
        self.rate = None;
        let said = self.guess_fps().filter(|(_, share)| *share >= FIT);
        if said.is_none_or(|(said, _)| (said - rate).abs() > 1e-3 * rate) {
            self.rate = Some(rate);
        }
        self
    }

    /// Whether both clips have the same tracks with the same key times, and therefore the same
    /// rate.
    fn has_times_of(&self, other: &Self) -> bool {
        let same =
            |a: &Track, b: &Track| a.times.as_ptr() == b.times.as_ptr() || a.times == b.times;
        self.tracks.len() == other.tracks.len()
            && self.tracks.iter().zip(&other.tracks).all(|((i, a), (j, b))| i == j && same(a, b))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Interpolation, NodeId, Property, Shared, TrackId};

    fn clip(times: &[f32]) -> Clip {
        let track = Track {
            target: NodeId(0),
            property: Property::Translation,
            interpolation: Interpolation::Linear,
            times: times.into(),
            values: times.iter().flat_map(|t| [*t, 0.0, 0.0]).collect(),
            width: 3,
            kinds: Default::default(),
            modes: Default::default(),
        };
        Clip { tracks: [(TrackId(0), Shared::new(track))].into(), ..Clip::default() }
    }

    fn baked(rate: f64, frames: u32) -> Clip {
        clip(&(0..=frames).map(|k| (f64::from(k) / rate) as f32).collect::<Vec<f32>>())
    }

    #[test]
    fn the_rate_is_read_from_the_frames() {
        assert_eq!(clip(&[0.0, 1.0 / 24.0, 5.0 / 24.0, 7.0 / 24.0]).guess_fps().unwrap().0, 24.0);
        for rate in
            [24.0, 25.0, 30.0, 60.0, 120.0, 24_000.0 / 1001.0, 30_000.0 / 1001.0, 60_000.0 / 1001.0]
        {
            for frames in [5, 20, 200, 3000] {
                let found = baked(rate, frames).guess_fps().unwrap();
                assert!((found.0 - rate).abs() < 1e-9, "{rate} over {frames}: {found:?}");
            }
        }
        // Rounded to milliseconds, as some exporters do.
        let rounded: Vec<f32> =
            (0..60).map(|k| (k as f32 * 1000.0 / 30.0).round() / 1000.0).collect();
        assert_eq!(clip(&rounded).guess_fps().unwrap().0, 30.0);
    }

    #[test]
    fn a_rate_is_stored_only_if_the_keys_imply_another() {
        // Keys that fit every rate do not cause a rate to be stored.
        let open = clip(&[0.0, 1.0]);
        assert_eq!(clip(&[0.0, 1.2]).at_rate_of(&open).rate, None);
        let before = baked(30.0, 60);
        assert_eq!(baked(30.0, 90).at_rate_of(&before).rate, None);
        assert_eq!(baked(25.0, 60).at_rate_of(&before).rate, Some(30.0));
        assert_eq!(baked(120.0, 60).at_rate_of(&before).guess_fps().unwrap().0, 30.0);
        assert_eq!(baked(25.0, 60).counted_at(25.0).rate, None);
    }

    proptest! {
        #[test]
        fn a_retimed_clip_keeps_its_frame_rate(which in 0usize..6, frames in 20u32..200,
            scale in 0.3f32..3.0) {
            let rate = [24.0, 25.0, 30.0, 60.0, 30_000.0 / 1001.0, 24_000.0 / 1001.0][which];
            let before = baked(rate, frames);
            let times: Vec<f32> =
                before.tracks[&TrackId(0)].times.iter().map(|t| t * scale).collect();
            let after = clip(&times).at_rate_of(&before);
            prop_assert!((after.guess_fps().unwrap().0 - rate).abs() < 1e-3 * rate, "{:?}",
                after.guess_fps());
        }
    }
}
