use glam::Quat;
use proptest::prelude::*;

use super::*;
use crate::clip_edit::{tests::any_track, with_interpolation};
use crate::curves::EulerOrder;
use ulna_model::NodeId;

fn number(list: &[u16]) -> ChosenComponents<'_> {
    ChosenComponents { list, space: CurveSpace::Stored }
}

fn shapes() -> impl Strategy<Value = Ease> {
    let shape = prop_oneof![
        prop::sample::select(EaseShape::PRESETS.to_vec()),
        prop::array::uniform4(0.05f64..0.95).prop_map(EaseShape::Bezier),
    ];
    let way = prop::sample::select(vec![EaseWay::In, EaseWay::Out, EaseWay::InOut]);
    (shape, way, prop_oneof![Just(1.0), 0.0f64..2.0]).prop_map(|(shape, way, amount)| Ease {
        shape,
        way,
        amount,
    })
}

/// Two keys of a rotation or of numbers. Rotations are given by rotation vectors.
fn pair(turns: bool, a: [f32; 3], b: [f32; 3], interpolation: Interpolation) -> Track {
    let value = |v: [f32; 3]| {
        if turns { Quat::from_scaled_axis(v.into()).to_array().to_vec() } else { v.to_vec() }
    };
    let (property, width) =
        if turns { (Property::Rotation, 4) } else { (Property::Translation, 3) };
    let linear = Track {
        target: NodeId(0),
        property,
        interpolation: Interpolation::Linear,
        times: [0.5, 1.75].into(),
        values: [value(a), value(b)].concat().into(),
        width,
        kinds: Default::default(),
        modes: Default::default(),
    };
    with_interpolation(&linear, interpolation)
}

fn value(track: &Track, time: f64) -> Vec<f64> {
    let mut out = vec![0.0; track.width];
    sample_into(track, time, &mut out);
    out.into_iter().map(f64::from).collect()
}

proptest! {
    #[test]
    fn eased_motion_is_within_one_percent_of_the_formula(
        ease in shapes(), turns: bool, spline: bool,
        a in prop::array::uniform3(-1.5f32..1.5), b in prop::array::uniform3(-1.5f32..1.5),
    ) {
        let kind = if spline { Interpolation::CubicSpline } else { Interpolation::Linear };
        let track = pair(turns, a, b, kind);
        let made = eased(&track, 0, &ease, None);
        prop_assert!(made.track.validate().is_ok());
        prop_assert_eq!(made.track.times.len(), 2 + made.added);
        let way = Way::between(&track, 0, 1);
        // The number of added keys is the predicted one; large rotations may need more.
        if !turns {
            prop_assert_eq!(made.added, ease.keys_added());
        } else if way.turn() < 0.3 {
            prop_assert!(made.added.abs_diff(ease.keys_added()) <= 1);
        }
        let size = match &way {
            Way::Turn(_, by) => by.length(),
            Way::Line(_, by) => by.iter().fold(0.0f64, |m, v| m.max(v.abs())),
        };
        prop_assume!(size > 1e-2);
        for k in 0..=100 {
            let s = f64::from(k) / 100.0;
            let near_jump = [0.0, 0.5, 1.0].iter().any(|j| (s - j).abs() < 2e-3);
            if ease.shape == EaseShape::Step && near_jump {
                continue;
            }
            let seen = value(&made.track, 0.5 + 1.25 * s);
            let wanted = match (ease.shape, ease.way) {
                (EaseShape::Step, EaseWay::In) => 0.0,
                (EaseShape::Step, EaseWay::Out) => 1.0,
                _ => ease.at(s),
            };
            let wanted = way.value(wanted);
            let off = if turns {
                let q = DQuat::from_slice(&wanted).inverse() * DQuat::from_slice(&seen);
                short_log(q).length()
            } else {
                seen.iter().zip(&wanted).fold(0.0f64, |m, (a, b)| (a - b).abs().max(m))
            };
            prop_assert!(off <= size * 0.01 + 1e-5, "{ease:?} {s}: {off} of {size}");
        }
    }

    #[test]
    fn easing_again_removes_the_keys_of_the_first_ease(track in any_track(), first in shapes(),
        second in shapes(), key in 0usize..11) {
        if key + 1 >= track.times.len() || track.interpolation == Interpolation::Step {
            return Ok(());
        }
        // A LINEAR track is converted to a spline only if the ease requires it.
        let spline = eased(&track, key, &Ease { shape: EaseShape::Quad, ..second }, None).track;
        let start = track.times[key];
        let at = |t: &Track| t.key_at(start, 0.0).unwrap();
        let twice = eased(&spline, at(&spline), &first, None).track;
        let made = eased(&twice, at(&twice), &second, None).track;
        let direct = eased(&spline, at(&spline), &second, None).track;
        prop_assert_eq!(&*made.times, &*direct.times);
        for (a, b) in made.values.iter().zip(direct.values.iter()) {
            prop_assert!((a - b).abs() <= 1e-3 * (1.0 + a.abs()), "{a} {b}");
        }
        prop_assert_eq!(eased_spans(&made, &made.times), eased_spans(&direct, &direct.times));
    }

    #[test]
    fn easing_keeps_the_other_segments(track in any_track(), ease in shapes(), key in 0usize..11,
        part in 0.0f64..1.0) {
        if key + 1 >= track.times.len() {
            return Ok(());
        }
        let made = eased(&track, key, &ease, None).track;
        prop_assert!(made.validate().is_ok());
        let (first, last) = (track.times[0], track.times[track.times.len() - 1]);
        let time = f64::from(first) + part * f64::from(last - first);
        let end = (key + 1..track.times.len()).find(|k| is_own(&track, *k)).unwrap();
        if time >= f64::from(track.times[key]) && time <= f64::from(track.times[end]) {
            return Ok(());
        }
        let (a, b) = (value(&track, time), value(&made, time));
        // Steps jump within a millisecond, or within a quarter of the segment.
        let steps = track.interpolation == Interpolation::Step;
        let gap = |t: &f32| f64::from(*t) - time;
        if steps && track.times.iter().any(|t| (-1e-4..3e-3).contains(&gap(t))) {
            return Ok(());
        }
        let slack = f64::from(crate::clip_edit::tests::whip(&track, time)) + 6e-3;
        let off = if track.property == Property::Rotation {
            let q = DQuat::from_slice(&a).inverse() * DQuat::from_slice(&b);
            short_log(q).length()
        } else {
            a.iter().zip(&b).fold(0.0f64, |m, (a, b)| (a - b).abs().max(m))
        };
        prop_assert!(off <= slack, "{time}: {a:?} {b:?}");
    }
}

#[test]
fn easing_one_component_keeps_the_others() {
    let track = pair(false, [0.0, 1.0, 2.0], [1.0, -1.0, 2.5], Interpolation::CubicSpline);
    let bounce = Ease { shape: EaseShape::Bounce, way: EaseWay::Out, amount: 1.0 };
    let x = eased(&track, 0, &bounce, Some(number(&[0])));
    assert_eq!(x.added, 3);
    let quint = Ease { shape: EaseShape::Quint, ..bounce };
    let y = eased(&x.track, 0, &quint, Some(number(&[1])));
    assert!(y.error < 0.01 && y.removed == 0, "{y:?}");
    for k in 0..=100 {
        let s = f64::from(k) / 100.0;
        let [was, one, both] = [&track, &x.track, &y.track].map(|t| value(t, 0.5 + 1.25 * s));
        assert!((one[0] - bounce.at(s)).abs() < 0.01 && (both[0] - one[0]).abs() < 1e-4);
        assert!((one[1] - was[1]).abs() < 1e-4 && (both[2] - was[2]).abs() < 1e-4);
        assert!((both[1] - (1.0 - 2.0 * quint.at(s))).abs() < 0.02, "{s} {both:?}");
    }
    // When the ease of x is removed, its keys are removed.
    let linear = Ease { shape: EaseShape::Linear, ..bounce };
    let back = eased(&x.track, 0, &linear, Some(number(&[0])));
    assert_eq!((back.removed, back.added, back.track.times.len()), (3, 0, 2));
}

/// A LINEAR track of rotations by three angles in degrees, with one key per second.
fn angles(order: EulerOrder, keys: &[[f64; 3]]) -> Track {
    let values = keys
        .iter()
        .flat_map(|a| order.rotation(a.map(f64::to_radians)).to_array().map(|v| v as f32));
    Track {
        target: NodeId(0),
        property: Property::Rotation,
        interpolation: Interpolation::Linear,
        times: (0..keys.len()).map(|k| k as f32).collect(),
        values: values.collect(),
        width: 4,
        kinds: Default::default(),
        modes: Default::default(),
    }
}

proptest! {
    #[test]
    fn easing_one_angle_keeps_the_others_at_keys(
        order in prop::sample::select(EulerOrder::ALL.to_vec()),
        keys in prop::collection::vec((-70.0f64..70.0, -50.0f64..50.0, -70.0f64..70.0), 3..5),
        axis in 0u16..3,
        ease in shapes(),
    ) {
        let keys: Vec<[f64; 3]> = keys.into_iter().map(|(a, b, c)| [a, b, c]).collect();
        let track = angles(order, &keys);
        let space = CurveSpace::Euler(order);
        let list = [axis];
        let made = eased(&track, 1, &ease, Some(ChosenComponents { list: &list, space }));
        prop_assert!(made.track.validate().is_ok());
        let base = converted(&track, Interpolation::CubicSpline, None).track;
        let (was, now) = (TrackCurves::new(&base, space), TrackCurves::new(&made.track, space));
        let own = usize::from(axis);
        let [a, b] = [1.0, 2.0].map(|t| was.value(own, t));
        // If the middle angle crosses gimbal lock, the result is an equivalent but different triple
        // of angles.
        let swings = |k: u32| (a + (b - a) * ease.at(f64::from(k) / 100.0)).abs() > 80.0;
        prop_assume!(order.place(own) != 1 || !(0..=100).any(swings));
        for (key, time) in made.track.times.iter().enumerate() {
            let time = f64::from(*time);
            for other in (0..3).filter(|c| *c != own) {
                let off = (was.value(other, time) - now.value(other, time)).abs();
                prop_assert!(off < 0.1, "{other} at {time}: {off}");
            }
            let inside = (1.0..=2.0).contains(&time) && ease.shape != EaseShape::Step;
            if inside && (b - a).abs() > 0.01 {
                let wanted = a + (b - a) * ease.at(time - 1.0);
                let off = (now.key_value(key, own) - wanted).abs();
                prop_assert!(off < 0.01 + (b - a).abs() * 1e-3, "at {time}: {off}");
            }
        }
        // The reported error is the largest one, and small if only this angle changes.
        for k in 1..100 {
            let time = 1.0 + f64::from(k) / 100.0;
            let wanted = a + (b - a) * ease.at(time - 1.0);
            let off = (now.value(own, time) - wanted).abs();
            let step = ease.shape == EaseShape::Step;
            prop_assert!(step || off <= (b - a).abs() * made.error + 0.02, "{time}: {off}");
        }
        for time in [0.2, 0.8, 2.1] {
            for c in 0..3 {
                let off = (was.value(c, time) - now.value(c, time)).abs();
                prop_assert!(off < 0.1 || time > f64::from(track.times[track.times.len() - 1]));
            }
        }
        let alone: Vec<[f64; 3]> = (0..2).map(|k| {
            let mut all = keys[0];
            all[order.place(own)] = keys[k + 1][order.place(own)];
            all
        }).collect();
        let made = eased(&angles(order, &alone), 0, &ease, Some(ChosenComponents { list: &list,
            space }));
        // One percent, plus rounding of small changes to single precision.
        prop_assert!(made.error <= 0.011, "{}", made.error);
    }
}
