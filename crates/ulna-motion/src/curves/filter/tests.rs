use glam::{DQuat, Quat};
use proptest::prelude::*;

use super::*;
use crate::clip_edit::tests::any_track;
use crate::curves::{CurveSpace, EulerOrder};
use ulna_model::{NodeId, transform::angle_between};

fn filters() -> impl Strategy<Value = Filter> {
    prop_oneof![
        (1u32..9).prop_map(|passes| Filter::Smooth { passes }),
        (0.5f64..20.0, 2u32..5).prop_map(|(cutoff_hz, order)| Filter::LowPass { cutoff_hz, order }),
        (0.01f64..1.0).prop_map(|seconds| Filter::Gaussian { seconds }),
        (1.0f64..5.0).prop_map(|limit| Filter::Peaks { limit }),
        (0.1f64..20.0, 0.5f64..20.0, any::<u64>()).prop_map(|(amount, hz, seed)| Filter::Noise {
            amount,
            hz,
            seed
        }),
    ]
}

/// Creates a track of evenly spaced keys from a function of time.
fn even(turns: bool, count: usize, rate: f32, of: impl Fn(f64) -> f64) -> Track {
    let value = |k: usize| {
        let v = of(f64::from(k as f32 / rate)) as f32;
        if turns { Quat::from_rotation_x(v).to_array().to_vec() } else { vec![v, -v, 0.25 * v] }
    };
    Track {
        target: NodeId(3),
        property: if turns { Property::Rotation } else { Property::Translation },
        interpolation: Interpolation::Linear,
        times: (0..count).map(|k| k as f32 / rate).collect(),
        values: (0..count).flat_map(value).collect(),
        width: if turns { 4 } else { 3 },
        kinds: Default::default(),
        modes: Default::default(),
    }
}

/// Returns the first number of each key, or its angle about x.
fn seen(track: &Track) -> Vec<f64> {
    (0..track.times.len())
        .map(|k| {
            let v = track.value(k);
            if track.property == Property::Rotation {
                2.0 * f64::from(v[0]).atan2(f64::from(v[3]))
            } else {
                f64::from(v[0])
            }
        })
        .collect()
}

fn all(track: &Track) -> (f32, f32) {
    (track.times[0], track.times[track.times.len() - 1])
}

proptest! {
    #[test]
    fn a_filter_keeps_key_times_end_keys_and_protected_ranges(track in any_track(),
        filter in filters(), strength in 0.0f64..1.0, across_loop: bool, from in 0.0f32..3.0,
        long in 0.0f32..1.0) {
        let protect = vec![(from, from + long)];
        let options =
            FilterOptions { strength, across_loop, protect, ..FilterOptions::new(filter) };
        let made = filtered(&track, all(&track), &options, None);
        prop_assert!(made.track.validate().is_ok());
        prop_assert_eq!(&made.track.times, &track.times);
        let last = track.times.len() - 1;
        let stride = track.stride();
        for (k, time) in track.times.iter().enumerate() {
            let end = !across_loop && (k == 0 || k == last);
            if end || (from..=from + long).contains(time) {
                prop_assert_eq!(&made.track.values[k * stride..(k + 1) * stride],
                    &track.values[k * stride..(k + 1) * stride]);
            }
        }
        let none = FilterOptions { strength: 0.0, ..options };
        prop_assert_eq!(filtered(&track, all(&track), &none, None).track, track);
    }

    #[test]
    fn a_filter_keeps_other_components_and_keys_outside_the_range(track in any_track(),
        filter in filters(), from in 0usize..12, to in 0usize..12) {
        let count = track.times.len();
        let (from, to) = (from.min(to).min(count - 1), from.max(to).min(count - 1));
        let span = (track.times[from], track.times[to]);
        let space = match track.property {
            Property::Rotation => CurveSpace::Euler(EulerOrder::Xyz),
            _ => CurveSpace::Stored,
        };
        let chosen = Some(ChosenComponents { list: &[1], space });
        let made = filtered(&track, span, &FilterOptions::new(filter), chosen).track;
        for key in 0..count {
            if key <= from || key >= to {
                prop_assert_eq!(made.value(key), track.value(key));
            } else if track.property != Property::Rotation {
                prop_assert_eq!(made.value(key)[0], track.value(key)[0]);
            }
        }
    }
}

#[test]
fn a_low_pass_removes_high_and_keeps_low_frequencies() {
    let slow = |t: f64| 0.7 * (t * 5.0).sin() + 0.2 * t;
    for turns in [false, true] {
        let track = even(turns, 361, 120.0, |t| slow(t) + 0.01 * (t * 150.0).sin());
        let filter = Filter::LowPass { cutoff_hz: 6.0, order: 4 };
        let made = filtered(&track, all(&track), &FilterOptions::new(filter), None);
        let now = seen(&made.track);
        for (k, value) in now.iter().enumerate().skip(20).take(321) {
            assert!((value - slow(k as f64 / 120.0)).abs() < 1e-3, "{turns} {k} {value}");
        }
        let moved = if turns { made.largest.angle } else { made.largest.value };
        assert!((0.008..0.012).contains(&moved), "{:?}", made.largest);
    }
}

#[test]
fn a_smooth_rotation_of_several_turns_is_unchanged() {
    let track = even(true, 241, 60.0, |t| t * 9.0);
    for filter in [
        Filter::LowPass { cutoff_hz: 6.0, order: 2 },
        Filter::Gaussian { seconds: 0.1 },
        Filter::Smooth { passes: 3 },
        Filter::Peaks { limit: 3.0 },
    ] {
        let made = filtered(&track, all(&track), &FilterOptions::new(filter), None);
        assert!(made.largest.angle < 2e-3, "{filter:?} {:?}", made.largest);
    }
}

#[test]
fn a_loop_stays_closed_and_is_filtered_through_its_seam() {
    let track = even(true, 121, 60.0, |t| 0.4 * (t * std::f64::consts::PI).sin());
    let mut values = track.values.to_vec();
    let kick = Quat::from_rotation_x(0.05).to_array();
    values[..4].copy_from_slice(&kick);
    values[480..].copy_from_slice(&kick);
    let track = Track { values: values.into(), ..track };
    for filter in [Filter::LowPass { cutoff_hz: 6.0, order: 4 }, Filter::Smooth { passes: 6 }] {
        let options = FilterOptions { across_loop: true, ..FilterOptions::new(filter) };
        let made = filtered(&track, all(&track), &options, None).track;
        let ends = [made.value(0), made.value(120)].map(Quat::from_slice);
        assert!(angle_between(ends[0], ends[1]) < 1e-4);
        assert!(seen(&made)[0].abs() < 0.02, "{filter:?} {}", seen(&made)[0]);
    }
}

#[test]
fn a_peak_is_removed_and_its_neighbors_are_unchanged() {
    let slow = |t: f64| (t * 2.0).sin();
    let track = even(false, 61, 30.0, |t| slow(t) + if (t - 1.0).abs() < 0.01 { 0.8 } else { 0.0 });
    let filter = Filter::Peaks { limit: 3.0 };
    let made = filtered(&track, all(&track), &FilterOptions::new(filter), None).track;
    for (k, value) in seen(&made).iter().enumerate() {
        let most = if k == 30 { 0.1 } else { 1e-6 };
        assert!((value - slow(k as f64 / 30.0)).abs() <= most, "{k} {value}");
    }
}

#[test]
fn noise_has_the_stated_amplitude_and_is_reproducible_by_seed() {
    let track = even(true, 301, 60.0, |_| 0.3);
    let noise = |seed| {
        let filter = Filter::Noise { amount: 2.0, hz: 3.0, seed };
        filtered(&track, all(&track), &FilterOptions::new(filter), None)
    };
    assert_eq!(noise(1), noise(1));
    assert_ne!(noise(1).track, noise(2).track);
    let most = noise(1).largest.angle.to_degrees();
    assert!((1.0..2.0 * 3.0f32.sqrt()).contains(&most), "{most}");
    let other = Track { target: NodeId(4), ..track.clone() };
    let filter = Filter::Noise { amount: 2.0, hz: 3.0, seed: 1 };
    let moved = filtered(&other, all(&other), &FilterOptions::new(filter), None).track;
    assert_ne!(moved.values, noise(1).track.values);
}

#[test]
fn free_tangents_follow_the_filtered_curve() {
    // Analytic slopes of a wave on a line.
    let (fast, track) = (40.0, even(true, 181, 60.0, |t| 0.5 * t + 0.01 * (t * 40.0).sin()));
    let mut values = Vec::new();
    for k in 0..181 {
        let rate = 0.5 + 0.01 * fast * (k as f64 / 60.0 * fast).cos();
        let v = track.value(k);
        let q = DQuat::from_xyzw(v[0].into(), v[1].into(), v[2].into(), v[3].into());
        let slope = q * DQuat::from_xyzw(rate * 0.5, 0.0, 0.0, 0.0);
        let slope = slope.to_array().map(|s| s as f32);
        values.extend([&slope[..], v, &slope[..]].concat());
    }
    let track = Track { interpolation: Interpolation::CubicSpline, values: values.into(), ..track };
    let filter = Filter::LowPass { cutoff_hz: 2.0, order: 4 };
    let made = filtered(&track, all(&track), &FilterOptions::new(filter), None).track;
    for k in 60..120 {
        let own = &made.values[k * 12..(k + 1) * 12];
        let (q, t) = (Quat::from_slice(&own[4..8]), Quat::from_slice(&own[8..]));
        let rate = 2.0 * (q.conjugate() * t).x;
        assert!((rate - 0.5).abs() < 0.03, "{k}: {rate}");
    }
}
