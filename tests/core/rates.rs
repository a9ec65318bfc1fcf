//! Frame rates of television and film: detected from the key times, and displayed with their usual
//! digits.
#![allow(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use proptest::prelude::*;
use ulna_edit::CommandLine;
use ulna_model::{
    Clip, ClipId, Interpolation, NodeId, Property, Shared, Track, TrackId, meant_rate,
    rate_in_words,
};

use crate::common::{run, sample};

fn clip(times: Vec<f32>) -> Clip {
    let track = Track {
        target: NodeId(0),
        property: Property::Translation,
        interpolation: Interpolation::Linear,
        values: times.iter().flat_map(|t| [*t, 0.0, 0.0]).collect(),
        times: times.into(),
        width: 3,
        kinds: Default::default(),
        modes: Default::default(),
    };
    Clip { tracks: [(TrackId(0), Shared::new(track))].into(), ..Clip::default() }
}

/// Television rates: the nominal rate, and its usual text.
const TELEVISION: [(f64, &str); 4] =
    [(24.0, "23.976"), (30.0, "29.97"), (60.0, "59.94"), (120.0, "119.88")];

proptest! {
    #[test]
    fn fractional_frame_rates_are_not_confused_with_whole_ones(
        which in 0usize..4, first in 0u32..3, frames in 8u32..400, step in 1u32..3, summed: bool,
    ) {
        let (whole, label) = TELEVISION[which];
        let mut time = f64::from(first) * 1001.0 / (whole * 1000.0);
        let times: Vec<f32> = (first..first + frames)
            .step_by(step as usize)
            .map(|k| {
                // Key times as most programs write them, or as written by programs that add up
                // frame durations.
                let exact = f64::from(k) * 1001.0 / (whole * 1000.0);
                let now = if summed { time } else { exact };
                time += f64::from(step) * 1001.0 / (whole * 1000.0);
                now as f32
            })
            .collect();
        let found = clip(times).guess_fps().unwrap();
        let exact = whole * 1000.0 / 1001.0;
        // Keys on every second frame fit half the rate, too.
        let half = step == 2 && (found.0 - exact / 2.0).abs() < 1e-9;
        prop_assert!((found.0 - exact).abs() < 1e-9 || half, "{:?} of {}", found, exact);
        if !half {
            prop_assert_eq!(rate_in_words(found.0), label);
        }
        prop_assert!(found.1 > 0.99);
    }

    #[test]
    fn whole_frame_rates_are_not_confused_with_fractional_ones(
        which in 0usize..5, frames in 2u32..600
    ) {
        let rate = [24.0, 25.0, 30.0, 60.0, 120.0][which];
        let found =
            clip((0..=frames).map(|k| (f64::from(k) / rate) as f32).collect()).guess_fps().unwrap();
        prop_assert_eq!(found.0, rate);
        prop_assert_eq!(rate_in_words(found.0), format!("{rate}"));
    }
}

#[test]
fn a_typed_rate_selects_the_exact_fractional_rate() {
    for (typed, meant) in [
        (23.976, 24000.0 / 1001.0),
        (23.98, 24000.0 / 1001.0),
        (29.97, 30000.0 / 1001.0),
        (59.94, 60000.0 / 1001.0),
    ] {
        assert_eq!(meant_rate(f64::from(typed as f32)), meant);
    }
    for whole in [12.0, 23.9, 24.0, 25.0, 29.5, 30.0, 50.0, 60.0] {
        assert_eq!(meant_rate(f64::from(whole as f32)), whole);
    }
    // Keys resampled at this rate are on its frames.
    let mut session = sample();
    run(&mut session, CommandLine::new("clip.resample").with("clip", "Walk").with("rate", 29.97));
    let made = &session.document().clips[ClipId(1)];
    assert_eq!(rate_in_words(made.guess_fps().unwrap().0), "29.97");
    let track = made.tracks.values().max_by_key(|t| t.times.len()).unwrap();
    let exact = |k: usize| (k as f64 * 1001.0 / 30000.0) as f32;
    assert!(
        track.times.iter().enumerate().take(track.times.len() - 1).all(|(k, t)| *t == exact(k)),
        "{:?}",
        track.times
    );
}
