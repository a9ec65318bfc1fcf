use proptest::prelude::*;

use super::*;
use crate::{clip_edit::tests::any_track, sample_into};
use ulna_model::{NodeId, Property, transform::angle_between};

fn off(a: &Track, b: &Track, time: f64) -> (f32, f32) {
    let at = |track: &Track| {
        let mut out = vec![0.0; track.width];
        sample_into(track, time, &mut out);
        out
    };
    let (x, y) = (at(a), at(b));
    if a.property == Property::Rotation {
        return (angle_between(Quat::from_slice(&x), Quat::from_slice(&y)), 0.0);
    }
    (0.0, x.iter().zip(&y).map(|(x, y)| (x - y).abs()).fold(0.0, f32::max))
}

/// Whether a time is within a millisecond of a step of a STEP track.
fn steps(track: &Track, time: f64) -> bool {
    track.interpolation == Interpolation::Step
        && track.times.iter().any(|t| (f64::from(*t) - time).abs() < 1.01e-3)
}

fn same_keys(a: &Track, b: &Track) {
    assert_eq!(&*a.times, &*b.times);
    assert_eq!(a.interpolation, b.interpolation);
    for key in 0..a.times.len() {
        let bits = |t: &Track| t.value(key).iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        let other: Vec<u32> = b.value(key).iter().map(|v| (-v).to_bits()).collect();
        let same = bits(a) == bits(b);
        // The signs of quaternions may change: they are made consistent, since splines interpolate
        // the numbers.
        assert!(same || turns(a) && bits(a) == other, "{key}");
    }
}

fn sources() -> impl Strategy<Value = Track> {
    (any_track(), any::<bool>()).prop_map(|(track, step)| {
        let to = if step { Interpolation::Step } else { Interpolation::Linear };
        crate::clip_edit::with_interpolation(&track, to)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn converting_there_and_back_keeps_keys_and_motion(track in sources(),
        short in prop::collection::vec(prop::option::weighted(0.2, 1e-6f32..4e-3), 12)) {
        // Some segments are shorter than any hold.
        let mut times = track.times.to_vec();
        for k in 1..times.len() {
            let gap = short[k % 12].unwrap_or(track.times[k] - track.times[k - 1]);
            times[k] = (times[k - 1] + gap).max(times[k - 1].next_up());
        }
        let track = Track { times: times.into(), ..track };
        let smooth = converted(&track, Interpolation::CubicSpline, None);
        prop_assert!(smooth.track.validate().is_ok());
        let back = converted(&smooth.track, track.interpolation, None);
        same_keys(&track, &back.track);
        prop_assert_eq!((smooth.removed, back.added), (0, 0));
        prop_assert_eq!(smooth.added, back.removed);
        if track.interpolation == Interpolation::Linear && !turns(&track) {
            prop_assert_eq!(smooth.added, 0);
        }
        // In segments of a few steps of `f32`, the time of the middle key is rounded.
        let rounded = track
            .times
            .windows(2)
            .map(|w| 180.0 * (w[1].next_up() - w[1]) / (w[1] - w[0]))
            .fold(0.0, f32::max);
        prop_assert!(smooth.error.angle.to_degrees() < 0.15 + rounded);
        let length = f64::from(track.times[track.times.len() - 1]);
        for k in 0..=1000 {
            let time = length * f64::from(k) / 1000.0;
            if steps(&track, time) {
                continue;
            }
            let (angle, value) = off(&track, &smooth.track, time);
            prop_assert!(angle <= smooth.error.angle + 5e-4, "{angle} {:?}", smooth.error);
            // The tolerance covers rounding of fast motion.
            prop_assert!(value <= smooth.error.value + 2e-4, "{value} {:?}", smooth.error);
        }
    }

    #[test]
    fn the_stated_error_is_an_upper_bound(track in any_track(),
        to in prop::sample::select(vec![Interpolation::Linear, Interpolation::CubicSpline]),
        picks in prop::collection::vec(any::<bool>(), 12), some in any::<bool>()) {
        let spans: Vec<f32> =
            track.times.iter().zip(&picks).filter(|p| *p.1).map(|p| *p.0).collect();
        let made = converted(&track, to, some.then_some(&spans[..]));
        prop_assert!(made.track.validate().is_ok());
        let length = f64::from(track.times[track.times.len() - 1]);
        for k in 0..=500 {
            let time = length * f64::from(k) / 500.0;
            let span = moment(&track, time);
            if steps(&track, time)
                || some && spans.contains(&track.times[span.key])
                || crate::clip_edit::tests::whip(&track, time) > 1e-3 {
                continue;
            }
            let (angle, value) = off(&track, &made.track, time);
            prop_assert!(angle <= made.error.angle * 1.1 + 1e-3, "{angle} {:?}", made.error);
            prop_assert!(value <= made.error.value * 1.1 + 5e-4, "{value} {:?}", made.error);
        }
    }

    #[test]
    fn selected_segments_become_step_or_linear(track in any_track(),
        picks in prop::collection::vec(any::<bool>(), 12), hold in any::<bool>(),
        part in 0.01f64..0.97) {
        let to = if hold { Interpolation::Step } else { Interpolation::Linear };
        let count = track.times.len();
        let spans: Vec<f32> =
            track.times.iter().zip(&picks).filter(|p| *p.1).map(|p| *p.0).collect();
        let made = converted(&track, to, Some(&spans)).track;
        for key in (0..count - 1).filter(|k| picks[*k]) {
            let (from, to) = (f64::from(track.times[key]), f64::from(track.times[key + 1]));
            let time = from + (to - from) * part;
            if hold && to - time < 1.5e-3 {
                continue;
            }
            let own = Track {
                interpolation: if hold { Interpolation::Step } else { Interpolation::Linear },
                times: [track.times[key], track.times[key + 1]].into(),
                values: [track.value(key), track.value(key + 1)].concat().into(),
                ..track.clone()
            };
            let (angle, value) = off(&own, &made, time);
            // A rotation by half a turn may go in either direction.
            let wide = || 2.0 * half_turn(rotation(&own, 0).into(), rotation(&own, 1).into());
            if turns(&own) && (wide() - std::f64::consts::PI).abs() < 1e-3 {
                continue;
            }
            prop_assert!(angle < 3e-3 && value < 5e-4, "{angle} {value}");
        }
    }
}

#[test]
fn a_long_rotation_is_split_and_an_existing_middle_key_is_kept() {
    let turn = Quat::from_rotation_y;
    let make = |angles: &[f32]| Track {
        target: NodeId(0),
        property: Property::Rotation,
        interpolation: Interpolation::Linear,
        times: (0..angles.len()).map(|k| k as f32 * 0.5).collect(),
        values: angles.iter().flat_map(|a| turn(*a).to_array()).collect(),
        width: 4,
        kinds: Default::default(),
        modes: Default::default(),
    };
    for (track, added) in [(make(&[0.0, 3.0]), 1), (make(&[0.0, 1.5, 3.0]), 0)] {
        let made = converted(&track, Interpolation::CubicSpline, None);
        assert_eq!((made.track.times.len(), made.added), (track.times.len() + added, added));
        assert!(made.error.angle.to_degrees() < 0.011, "{:?}", made.error);
        let back = converted(&made.track, Interpolation::Linear, None);
        assert_eq!(back.removed, added);
        same_keys(&back.track, &track);
    }
    let right_angle = converted(&make(&[0.0, 1.57]), Interpolation::CubicSpline, None).error;
    assert!((0.008..0.0115).contains(&right_angle.angle.to_degrees()), "{right_angle:?}");
}

#[test]
fn making_one_segment_smooth_keeps_the_others_linear() {
    let track = Track {
        target: NodeId(0),
        property: Property::Translation,
        interpolation: Interpolation::Linear,
        times: [0.0, 1.0, 2.0, 3.0].into(),
        values: [0.0, 1.0, 3.0, 4.0].into_iter().flat_map(|v| [v, 0.0, 0.0]).collect(),
        width: 3,
        kinds: Default::default(),
        modes: Default::default(),
    };
    let made = converted(&track, Interpolation::CubicSpline, Some(&[1.0]));
    assert_eq!(made.track.interpolation, Interpolation::CubicSpline);
    assert!(made.error.value < 1e-6 && off(&track, &made.track, 1.25).1 > 0.01);
    let modes = made.track.modes.of(1.0).unwrap();
    assert_eq!((modes.arrive, modes.leave), (TangentMode::Linear, TangentMode::Auto));
}
