//! Frames a second of a clip: read from its key times, and kept while those change.

use super::{Clip, Track};

/// The rates that clips are made at, the likeliest first. Television's are a thousandth slower than
/// their names.
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

/// How far off a frame a key may lie to be on it, in frames.
const ON_FRAME: f64 = 0.01;

/// Fewer keys on frames than this share are no fit.
const FIT: f32 = 0.9;

/// More times than these say nothing new.
const MOST_TIMES: usize = 20_000;

/// A rate as it is meant: 29.97 is 30000 frames in 1001 seconds.
pub fn meant_rate(rate: f64) -> f64 {
    let near = |whole: f64| {
        let exact = whole * 1000.0 / 1001.0;
        ((exact - rate).abs() < 2e-4 * rate).then_some(exact)
    };
    let known = [24.0, 30.0, 60.0, 120.0].into_iter().find_map(near);
    // As it was typed, and not as single precision has it.
    known.unwrap_or((rate * 1e4).round() / 1e4)
}

/// A rate with no more digits than it needs: 30, 29.97, 23.976.
pub fn rate_in_words(rate: f64) -> String {
    let text = format!("{rate:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// How well a rate fits some times: the share on whole frames, and how far off those are on
/// average, in frames.
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

/// How well each rate fits, in the order of [`RATES`].
fn fits(times: &[f32]) -> Vec<Fit> {
    RATES.into_iter().map(|rate| Fit::of(rate, times)).collect()
}

fn best(fits: &[Fit]) -> Option<Fit> {
    /// Single precision is that near, in frames; what a file rounds to milliseconds is not.
    const EXACT: f64 = 2e-4;
    let mut best = *fits.first()?;
    for fit in &fits[1..] {
        // A short clip of television's rates is on the frames of whole ones as well, but never
        // quite.
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
    /// Times of keys after 0, each list of times once.
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

    /// The frame rate that puts most keys on whole frames, and the share of keys it does (0 to 1);
    /// one that is kept with the clip goes before what its keys say.
    ///
    /// Returns `None` where nothing is kept and no key lies after 0.
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

    /// The frame rate, where it is kept or nothing but that rate can be meant; two keys a second
    /// apart are on the frames of any.
    fn sure_rate(&self) -> Option<f64> {
        if self.rate.is_some() {
            return self.rate;
        }
        let times = self.some_times();
        let all = fits(&times);
        let found = best(&all).filter(|f| f.share >= FIT && times.len() > 1)?;
        let slowest =
            all.iter().filter(|f| f.share >= FIT).map(|f| f.rate).fold(found.rate, f64::min);
        // What fits besides must be of the same frames, counted more or less often.
        let whole = |rate: f64| {
            let times = rate / slowest;
            (times - times.round()).abs() < 2e-3
        };
        all.iter().filter(|f| f.share >= FIT).all(|f| whole(f.rate)).then_some(found.rate)
    }

    /// The clip with the rate of what it was made from: kept with it where its own keys say another
    /// one.
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

    /// The clip counted at a rate, which is kept with it where its keys say another one.
    #[must_use]
    pub fn counted_at(mut self, rate: f64) -> Self {
        self.rate = None;
        let said = self.guess_fps().filter(|(_, share)| *share >= FIT);
        if said.is_none_or(|(said, _)| (said - rate).abs() > 1e-3 * rate) {
            self.rate = Some(rate);
        }
        self
    }

    /// Whether all tracks have the times that they have here, so that no rate can come to be
    /// another.
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
        // Rounded to milliseconds, as some programs write it.
        let rounded: Vec<f32> =
            (0..60).map(|k| (k as f32 * 1000.0 / 30.0).round() / 1000.0).collect();
        assert_eq!(clip(&rounded).guess_fps().unwrap().0, 30.0);
    }

    #[test]
    fn a_rate_is_kept_only_where_the_keys_say_another() {
        // Of keys that fit any rate none is kept.
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
        fn a_retimed_clip_keeps_its_rate(which in 0usize..6, frames in 20u32..200,
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
