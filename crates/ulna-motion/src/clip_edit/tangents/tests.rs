use glam::{Quat, Vec3};
use proptest::prelude::*;

use super::{slopes::place, *};
use crate::{
    clip_edit::{Tangents, TimeMap, mapped, reversed, tests::any_track, with_interpolation},
    sample_into,
};
use ulna_model::{
    Clip, Interpolation, KeySide, KeyTangents, NodeId, Property, Shared, TangentMode, Track,
    TrackId,
};

const MODES: [TangentMode; 5] = [
    TangentMode::Auto,
    TangentMode::Smooth,
    TangentMode::Flat,
    TangentMode::Linear,
    TangentMode::Free,
];
const SIDES: [KeySide; 3] = [KeySide::Arrive, KeySide::Leave, KeySide::Both];

/// A change of modes: key, side, mode, and whether the key is linked afterward.
type Change = (usize, usize, usize, Option<bool>);

fn changes() -> impl Strategy<Value = Vec<Change>> {
    prop::collection::vec((0usize..20, 0usize..3, 0usize..5, any::<Option<bool>>()), 1..12)
}

fn changed(track: &Track, (key, side, mode, linked): Change) -> Track {
    let time = track.times[key % track.times.len()];
    with_modes(track, &[time], SIDES[side], MODES[mode], linked)
}

fn spline(track: &Track) -> Track {
    with_interpolation(track, Interpolation::CubicSpline)
}

fn numbers(keys: &[(f32, f32)]) -> Track {
    spline(&Track {
        target: NodeId(0),
        property: Property::Translation,
        interpolation: Interpolation::Linear,
        times: keys.iter().map(|k| k.0).collect(),
        values: keys.iter().flat_map(|k| [k.1, -k.1, 0.5 * k.1]).collect(),
        width: 3,
        kinds: Default::default(),
        modes: Default::default(),
    })
}

fn all(track: &Track, mode: TangentMode) -> Track {
    with_modes(track, &track.times, KeySide::Both, mode, Some(true))
}

fn tangent(track: &Track, key: usize, leaving: bool) -> &[f32] {
    &track.values[place(track, key, leaving)]
}

/// Accelerations of the first number at the start and the end of a segment.
fn accelerations(track: &Track, key: usize) -> (f64, f64) {
    let span = f64::from(track.times[key + 1]) - f64::from(track.times[key]);
    let [from, to] = [key, key + 1].map(|k| f64::from(track.value(k)[0]));
    let leave = f64::from(tangent(track, key, true)[0]);
    let arrive = f64::from(tangent(track, key + 1, false)[0]);
    let rise = 6.0 * (to - from) / (span * span);
    (rise - (4.0 * leave + 2.0 * arrive) / span, -rise + (2.0 * leave + 4.0 * arrive) / span)
}

fn any_keys() -> impl Strategy<Value = Vec<(f32, f32)>> {
    prop::collection::vec((0.05f32..1.0, -2.0f32..2.0), 3..12).prop_map(|list| {
        let mut time = 0.0;
        list.into_iter()
            .map(|(gap, value)| {
                time += gap;
                (time, value)
            })
            .collect()
    })
}

proptest! {
    #[test]
    fn changing_one_side_of_an_unlinked_key_keeps_the_other(
        track in any_track(), before in changes(), key in 0usize..20, leaving in any::<bool>(),
        mode in 0usize..5,
    ) {
        prop_assume!(track.times.len() > 1);
        let mut track = spline(&track);
        for change in before {
            track = changed(&track, change);
        }
        let key = key % track.times.len();
        let own = mode_at(&track, key);
        // A smooth run around the loop would change the other side, too.
        prop_assume!(!own.linked && !track.modes.wraps());
        let side = if leaving { KeySide::Leave } else { KeySide::Arrive };
        let after = with_modes(&track, &[track.times[key]], side, MODES[mode], None);
        prop_assert_eq!(tangent(&track, key, !leaving), tangent(&after, key, !leaving));
        let told = mode_at(&after, key);
        let (same, new) =
            if leaving { (told.arrive, told.leave) } else { (told.leave, told.arrive) };
        prop_assert_eq!((same, new), (if leaving { own.arrive } else { own.leave }, MODES[mode]));
        prop_assert!(!told.linked);
    }

    #[test]
    fn recomputing_tangents_changes_nothing(track in any_track(), list in changes()) {
        prop_assume!(track.times.len() > 1);
        let mut track = spline(&track);
        for change in list {
            track = changed(&track, change);
            prop_assert!(track.validate().is_ok());
            prop_assert!(track.values.iter().all(|v| v.is_finite()));
        }
        let once = refreshed(&track, track.clone());
        prop_assert_eq!(&refreshed(&once, once.clone()), &once);
        // Free tangents keep their numbers.
        for (key, time) in track.times.iter().enumerate() {
            let Some(modes) = track.modes.of(*time) else { continue };
            for (leaving, mode) in [(false, modes.arrive), (true, modes.leave)] {
                if mode == TangentMode::Free {
                    prop_assert_eq!(tangent(&track, key, leaving), tangent(&once, key, leaving));
                }
            }
        }
    }

    #[test]
    fn automatic_tangents_never_overshoot(keys in any_keys(), wraps in any::<bool>()) {
        let track = with_matched_seam(&all(&numbers(&keys), TangentMode::Auto), wraps);
        for pair in keys.windows(2) {
            let (low, high) = (pair[0].1.min(pair[1].1), pair[0].1.max(pair[1].1));
            for step in 0..=40 {
                let part = f64::from(step) / 40.0;
                let time = f64::from(pair[0].0) + f64::from(pair[1].0 - pair[0].0) * part;
                let mut seen = [0.0; 3];
                sample_into(&track, time, &mut seen);
                prop_assert!(seen[0] >= low - 1e-4 && seen[0] <= high + 1e-4);
            }
        }
    }

    #[test]
    fn acceleration_is_continuous_at_smooth_keys(keys in any_keys(), wraps in any::<bool>()) {
        let track = all(&numbers(&keys), TangentMode::Smooth);
        let track = if wraps { with_matched_seam(&track, true) } else { track };
        prop_assert_eq!(track.modes.wraps(), wraps);
        let last = keys.len() - 1;
        let size = (0..last).map(|k| accelerations(&track, k)).fold(1.0f64, |m, (a, b)| {
            m.max(a.abs()).max(b.abs())
        });
        for key in 1..last {
            let (before, after) = (accelerations(&track, key - 1).1, accelerations(&track, key).0);
            prop_assert!((before - after).abs() < 1e-4 * size, "{} {}", before, after);
        }
        let (first, end) = (accelerations(&track, 0).0, accelerations(&track, last - 1).1);
        if wraps {
            prop_assert_eq!(tangent(&track, last, false), tangent(&track, 0, true));
            prop_assert!((first - end).abs() < 1e-4 * size);
        } else {
            prop_assert!(first.abs() < 1e-4 * size && end.abs() < 1e-4 * size);
        }
    }

    #[test]
    fn rotating_the_coordinate_axes_rotates_the_tangents(
        turns in prop::collection::vec((0.05f32..1.0, prop::array::uniform3(-0.7f32..0.7)), 3..9),
        frame in prop::array::uniform3(-2.0f32..2.0),
        mode in 0usize..4,
        wraps in any::<bool>(),
    ) {
        let frame = Quat::from_scaled_axis(Vec3::from(frame));
        let mut time = 0.0;
        let mut turn = Quat::IDENTITY;
        let keys: Vec<(f32, Quat)> = turns
            .iter()
            .map(|(gap, by)| {
                time += gap;
                turn = (turn * Quat::from_scaled_axis(Vec3::from(*by))).normalize();
                (time, turn)
            })
            .collect();
        let track = |by: Quat| {
            let none = [0.0; 4];
            let made = Track {
                property: Property::Rotation,
                interpolation: Interpolation::CubicSpline,
                values: keys.iter().flat_map(|k| [none, (by * k.1).to_array(), none]).flatten()
                    .collect(),
                width: 4,
                ..numbers(&keys.iter().map(|k| (k.0, 0.0)).collect::<Vec<_>>())
            };
            let made = all(&made, MODES[mode]);
            if wraps { with_matched_seam(&made, true) } else { made }
        };
        let (plain, turned) = (track(Quat::IDENTITY), track(frame));
        for key in 0..keys.len() {
            for leaving in [false, true] {
                let own = frame * Quat::from_slice(tangent(&plain, key, leaving));
                let other = Quat::from_slice(tangent(&turned, key, leaving));
                let gap = (own - other).length();
                prop_assert!(gap < 2e-4 * (1.0 + own.length()), "{} {}", own, other);
            }
        }
    }

    #[test]
    fn scaling_time_divides_tangents_and_reversing_time_swaps_and_negates_them(
        track in any_track(), list in changes(), scale in 0.25f64..4.0,
    ) {
        prop_assume!(track.times.len() > 1);
        let mut track = spline(&track);
        for change in list {
            track = changed(&track, change);
        }
        let track = refreshed(&track, track.clone());
        let clip = Clip {
            tracks: [(TrackId(0), Shared::new(track.clone()))].into(),
            ..Clip::default()
        };
        let slow = mapped(&clip, &TimeMap { scale, ..TimeMap::shift(0.0) }).unwrap();
        let back = reversed(&clip).unwrap();
        let (slow, back) = (&slow.tracks[&TrackId(0)], &back.tracks[&TrackId(0)]);
        let last = track.times.len() - 1;
        let largest = track.values.iter().fold(1.0f32, |m, v| m.max(v.abs()));
        for key in 0..=last {
            let (own, away) = (mode_at(&track, key), mode_at(back, last - key));
            prop_assert_eq!(mode_at(slow, key), own);
            prop_assert_eq!(away, own.reversed());
            for leaving in [false, true] {
                let here = tangent(&track, key, leaving);
                let there = tangent(back, last - key, !leaving);
                for (c, v) in here.iter().enumerate() {
                    prop_assert_eq!(-v, there[c]);
                    let wanted = f64::from(*v) / scale;
                    let found = f64::from(tangent(slow, key, leaving)[c]);
                    let slack = 5e-3 * f64::from(largest) / scale;
                    prop_assert!((wanted - found).abs() < slack, "{} {}", wanted, found);
                }
            }
        }
    }
}

#[test]
fn linking_a_broken_key_gives_both_sides_one_slope() {
    let track = numbers(&[(0.0, 0.0), (1.0, 1.0), (3.0, 2.0), (4.0, 0.0)]);
    let broken = with_modes(&track, &[1.0], KeySide::Leave, TangentMode::Linear, Some(false));
    assert_ne!(tangent(&broken, 1, false), tangent(&broken, 1, true));
    let free = with_modes(&broken, &[1.0], KeySide::Both, TangentMode::Free, Some(false));
    assert_eq!(free.values, broken.values);
    for side in SIDES {
        let linked = with_modes(&free, &[1.0], side, TangentMode::Free, Some(true));
        assert_eq!(tangent(&linked, 1, false), tangent(&linked, 1, true));
        let kept = match side {
            KeySide::Arrive => tangent(&free, 1, false)[0],
            KeySide::Leave => tangent(&free, 1, true)[0],
            KeySide::Both => (tangent(&free, 1, false)[0] + tangent(&free, 1, true)[0]) * 0.5,
        };
        assert_eq!(tangent(&linked, 1, true)[0], kept);
    }
}

#[test]
fn setting_one_key_keeps_the_others_automatic() {
    let track = numbers(&[(0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (3.0, 5.0)]);
    let one = with_modes(&track, &[1.0], KeySide::Both, TangentMode::Flat, None);
    assert_eq!(mode_at(&one, 2), KeyTangents::both(TangentMode::Auto));
    let own = with_tangents(&track, &[1.0], Tangents::Flat);
    assert_eq!(own.values, one.values);
    assert!(own.modes.is_empty());
    // A loop is recognized once by its equal end values. Afterward, the matched seam is stored.
    let ring = numbers(&[(0.0, 1.0), (1.0, 2.0), (2.0, 0.0), (3.0, 1.0)]);
    let named = with_modes(&ring, &[1.0], KeySide::Both, TangentMode::Auto, None);
    assert!(named.modes.wraps());
    assert_eq!(named.values, ring.values);
    let open = with_matched_seam(&named, false);
    assert_eq!((tangent(&open, 0, true)[0], tangent(&open, 3, false)[0]), (0.0, 0.0));
    assert_eq!(with_matched_seam(&open, true).values, ring.values);
}

#[test]
fn twenty_thousand_smooth_keys_are_computed_fast() {
    let keys: Vec<(f32, f32)> = (0..20_000).map(|k| (k as f32 * 0.01, (k % 7) as f32)).collect();
    let track = numbers(&keys);
    let start = std::time::Instant::now();
    let made = all(&track, TangentMode::Smooth);
    assert!(made.values.iter().all(|v| v.is_finite()));
    assert!(start.elapsed().as_secs_f64() < 2.0, "{:?}", start.elapsed());
}
