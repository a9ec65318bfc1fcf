use glam::{DQuat, Quat, Vec3};
use proptest::prelude::*;

use super::*;
use crate::{
    clip_edit::tests::{any_track, whip},
    sample_into,
};
use ulna_model::{
    Interpolation, KeySide, NodeId, Property, TangentMode, Track, transform::angle_between,
};

fn spaces() -> impl Strategy<Value = CurveSpace> {
    prop_oneof![
        Just(CurveSpace::Stored),
        prop::sample::select(EulerOrder::ALL.to_vec()).prop_map(CurveSpace::Euler)
    ]
}

fn plays(track: &Track, time: f64) -> Vec<f32> {
    let mut out = vec![0.0; track.width];
    sample_into(track, time, &mut out);
    out
}

fn turn(v: &[f32]) -> Quat {
    Quat::from_slice(v)
}

/// Computes the rotation from the values of its curves.
fn shown(curves: &TrackCurves, time: f64) -> Quat {
    let at = |n: usize| curves.value(n, time);
    let q = match curves.space() {
        CurveSpace::Stored => DQuat::from_xyzw(at(0), at(1), at(2), at(3)),
        CurveSpace::Euler(order) => order.rotation(order.axes().map(|axis| at(axis).to_radians())),
    };
    q.as_quat()
}

fn length(track: &Track) -> f64 {
    f64::from(track.times[track.times.len() - 1])
}

/// Whether a rotation near a time is so close to gimbal lock that its angles may change abruptly.
fn swings(curves: &TrackCurves, time: f64) -> bool {
    let CurveSpace::Euler(order) = curves.space() else { return false };
    if curves.track().property != Property::Rotation {
        return false;
    }
    let near = |t: f64| {
        order.middle_sine(turn(&plays(curves.track(), t)).as_dquat().normalize()).abs() > 0.995
    };
    near(time) || near(time - 1e-5) || near(time + 1e-5)
}

/// Whether the interpolated quaternion of a segment becomes so short that the rotation flips
/// abruptly. The samples for drawing may miss such a flip.
fn dips(track: &Track, key: usize) -> bool {
    if track.property != Property::Rotation || track.interpolation != Interpolation::CubicSpline {
        return false;
    }
    let seconds = moments::span(track, key);
    let length = |k: u32| {
        let [p0, m0, p1, m1] = moments::weights(f64::from(k) / 64.0, seconds);
        let part = |key, part| moments::stored(track, key, part);
        (part(key, 1) * p0 + part(key, 2) * m0 + part(key + 1, 1) * p1 + part(key + 1, 0) * m1)
            .length()
    };
    let shortest = (1..64).map(length).fold(f64::INFINITY, f64::min);
    shortest < 0.6 * length(0).min(length(64))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn drawn_curves_equal_the_sampled_motion(track in any_track(), space in spaces(),
        parts in prop::collection::vec(-0.1f64..1.1, 20)) {
        let curves = TrackCurves::new(&track, space);
        for part in parts {
            let time = part * length(&track);
            let seen = plays(&track, time);
            if track.property == Property::Rotation {
                let off = angle_between(shown(&curves, time), turn(&seen));
                prop_assert!(off < 1.7e-4 + whip(&track, time), "{off} at {time}");
            } else {
                for (i, v) in seen.iter().enumerate() {
                    prop_assert!((curves.value(i, time) - f64::from(*v)).abs() < 2e-6);
                }
            }
        }
    }

    #[test]
    fn curves_are_continuous_at_and_between_keys(track in any_track(), space in spaces(),
        parts in prop::collection::vec(0.0f64..1.0, 10)) {
        const EPSILON: f64 = 1e-8;
        let curves = TrackCurves::new(&track, space);
        let keys = (0..track.times.len()).map(|k| f64::from(track.times[k]));
        let others = parts.iter().map(|p| p * length(&track));
        for time in keys.chain(others) {
            if track.interpolation == Interpolation::Step
                || swings(&curves, time) || whip(&track, time) > 2e-3 {
                continue;
            }
            for n in 0..curves.components() {
                let (a, b) = (curves.value(n, time - EPSILON), curves.value(n, time + EPSILON));
                prop_assert!((a - b).abs() < 0.1, "{n} at {time}: {a} {b}");
            }
        }
    }

    #[test]
    fn tangents_at_keys_equal_the_slopes_of_the_curve(track in any_track(), space in spaces()) {
        const EPSILON: f64 = 1e-6;
        let curves = TrackCurves::new(&track, space);
        let last = track.times.len() - 1;
        for key in 0..=last {
            let time = f64::from(track.times[key]);
            for n in 0..curves.components() {
                let Some((arrive, leave)) = curves.key_slopes(key, n) else {
                    prop_assert!(curves.gimbal_locked(key));
                    continue;
                };
                if swings(&curves, time) || track.interpolation == Interpolation::Step {
                    continue;
                }
                let at = curves.key_value(key, n);
                // Use two step sizes, since a curve near gimbal lock bends strongly within a
                // microsecond.
                let close = |told: f64, sign: f64| {
                    let slope = |e: f64| (curves.value(n, time + sign * e) - at) / (sign * e);
                    let (far, near) = (slope(EPSILON), slope(EPSILON * 0.5));
                    let off = (told - (2.0 * near - far)).abs();
                    off < 0.02 * told.abs().max(1.0) + 0.05 + 2.0 * (far - near).abs()
                };
                prop_assert!(key == 0 || close(arrive, -1.0), "arriving {n}: {arrive}");
                prop_assert!(key == last || close(leave, 1.0), "leaving {n}: {leave}");
            }
        }
    }

    #[test]
    fn a_drawn_segment_is_within_its_tolerance(track in any_track(), space in spaces(),
        off in 0.001f64..0.5, parts in prop::collection::vec(0.0f64..1.0, 8)) {
        let curves = TrackCurves::new(&track, space);
        for key in 0..track.times.len() {
            for n in 0..curves.components() {
                let mut line = Vec::new();
                curves.sample_segment(key, n, &mut line, (1e-5, off));
                if key + 1 == track.times.len() {
                    prop_assert!(line.is_empty());
                    continue;
                }
                prop_assert!(line.windows(2).all(|p| p[0].0 < p[1].0));
                prop_assert_eq!(line[0].0, f64::from(track.times[key]));
                prop_assert_eq!(line[line.len() - 1].0, f64::from(track.times[key + 1]));
                if dips(&track, key) {
                    continue;
                }
                for part in &parts {
                    let time = line[0].0 + (line[line.len() - 1].0 - line[0].0) * part;
                    if swings(&curves, time) || whip(&track, time) > 1e-3 {
                        continue;
                    }
                    let next = line.partition_point(|p| p.0 <= time).min(line.len() - 1);
                    let (a, b) = (line[next - 1], line[next]);
                    let drawn = a.1 + (b.1 - a.1) * (time - a.0) / (b.0 - a.0);
                    let seen = curves.value(n, time);
                    prop_assert!((drawn - seen).abs() <= off * 1.5 + 1e-6,
                        "{drawn} {seen} of {} points", line.len());
                }
            }
        }
    }

    #[test]
    fn updated_curves_equal_newly_built_curves(track in any_track(), space in spaces(),
        key in 0usize..12, by in prop::array::uniform3(-3.0f32..3.0), later in any::<bool>()) {
        let key = key % track.times.len();
        let mut values = track.values.to_vec();
        let start = key * track.stride()
            + if track.interpolation == Interpolation::CubicSpline { track.width } else { 0 };
        if track.property == Property::Rotation {
            let made = Quat::from_scaled_axis(by.into()) * turn(track.value(key));
            values[start..start + 4].copy_from_slice(&made.to_array());
        } else {
            values[start] += by[0];
        }
        let mut times = track.times.to_vec();
        if later && key + 1 == times.len() {
            times[key] += 0.5;
        }
        let changed = Track { times: times.into(), values: values.into(), ..track.clone() };
        let (quick, new) =
            (TrackCurves::new(&track, space).updated(&changed), TrackCurves::new(&changed, space));
        for k in 0..=60 {
            let time = length(&changed) * f64::from(k) / 60.0;
            for n in 0..new.components() {
                prop_assert_eq!(quick.value(n, time), new.value(n, time));
            }
        }
    }

    #[test]
    fn a_set_component_has_its_value_at_the_key(track in any_track(), space in spaces(),
        key in 0usize..12, component in 0usize..4, value in -1.0f64..1.0) {
        let key = key % track.times.len();
        let curves = TrackCurves::new(&track, space);
        let component = component % curves.components();
        let turns = track.property == Property::Rotation;
        let angles = turns && space != CurveSpace::Stored;
        let value = if angles { value * 170.0 } else { value };
        let made = with_component(&track, key, space, component, value);
        prop_assert!(made.validate().is_ok());
        let time = f64::from(track.times[key]);
        if !turns {
            prop_assert_eq!(made.value(key)[component], value as f32);
            for n in (0..3).filter(|n| *n != component) {
                prop_assert_eq!(made.value(key)[n].to_bits(), track.value(key)[n].to_bits());
            }
        } else if let CurveSpace::Euler(order) = space {
            let wanted = order.rotation(order.axes().map(|axis| {
                if axis == component { value } else { curves.key_value(key, axis) }.to_radians()
            }));
            let off = angle_between(wanted.as_quat(), turn(&plays(&made, time)));
            prop_assert!(off < 2e-6, "{off}");
        } else {
            let seen = TrackCurves::new(&made, space).key_value(key, component);
            prop_assert!((seen.abs() - value.abs()).abs() < 1e-6, "{seen}");
        }
        // Keys that are not adjacent are unchanged.
        for other in (0..track.times.len()).filter(|k| *k != key) {
            prop_assert_eq!(made.value(other), track.value(other));
        }
    }

    #[test]
    fn a_set_slope_is_read_back_and_nothing_else_changes(track in any_track(),
        space in spaces(), key in 0usize..12, component in 0usize..4, slope in -200.0f64..200.0,
        side in prop::sample::select(vec![KeySide::Arrive, KeySide::Leave, KeySide::Both])) {
        prop_assume!(track.times.len() > 1 && track.interpolation != Interpolation::Step);
        let key = key % track.times.len();
        let curves = TrackCurves::new(&track, space);
        let component = component % curves.components();
        let angles = track.property == Property::Rotation && space != CurveSpace::Stored;
        let slope = if angles { slope } else { slope * 0.05 };
        let time = track.times[key];
        let made = match with_slope(&track, key, side, space, component, slope) {
            Ok(made) => made,
            Err(error) => {
                prop_assert_eq!(error, SlopeError::GimbalLock);
                prop_assert!(curves.gimbal_locked(key)
                    || curves.key_value(key, component).abs() > 0.999);
                return Ok(());
            }
        };
        prop_assert!(made.validate().is_ok());
        let linear = track.interpolation == Interpolation::Linear;
        let base = if linear {
            converted(&track, Interpolation::CubicSpline, None).track
        } else {
            track
        };
        let key = base.key_at(time, 0.0).unwrap();
        let (before, after) = (TrackCurves::new(&base, space), TrackCurves::new(&made, space));
        // Near gimbal lock, the slopes of angles are less exact.
        let lost = match space {
            CurveSpace::Euler(order) if angles => {
                let q = turn(base.value(key)).as_dquat().normalize();
                1.0 / (1.0 - order.middle_sine(q).powi(2)).max(1e-8).sqrt()
            }
            _ => 1.0,
        };
        let close = |a: f64, b: f64| {
            (a - b).abs() < (2e-4 + 2e-6 * (a.abs() + slope.abs())) * lost * lost
        };
        let quaternion = base.property == Property::Rotation && !angles;
        for n in 0..after.components() {
            let (was, is) = (before.key_slopes(key, n), after.key_slopes(key, n));
            let (Some(was), Some(is)) = (was, is) else { continue };
            let free = quaternion && n != component;
            // If the angles reach the key on another path, they may be `a + π, π − b, c + π`.
            let other_way = matches!(space, CurveSpace::Euler(order) if angles
                && order.place(n) == 1
                && (after.key_value(key, n) - before.key_value(key, n)).abs() > 1e-2);
            let sign = if other_way { -1.0 } else { 1.0 };
            let wanted =
                |meant: bool, was: f64| sign * if meant && n == component { slope } else { was };
            let (arrive, leave) = (side != KeySide::Leave, side != KeySide::Arrive);
            prop_assert!(free || close(is.0, wanted(arrive, was.0)), "{is:?} {was:?} {slope}");
            prop_assert!(free || close(is.1, wanted(leave, was.1)), "{is:?} {was:?} {slope}");
        }
        let width = base.width;
        for (i, (a, b)) in base.values.iter().zip(made.values.iter()).enumerate() {
            let (at, part) = (i / (3 * width), i / width % 3);
            let own = at == key && ((part == 0 && side != KeySide::Leave)
                || (part == 2 && side != KeySide::Arrive));
            prop_assert!(own || a.to_bits() == b.to_bits(), "{at} {part}");
        }
        let modes = made.modes.of(time).unwrap();
        prop_assert_eq!(modes.arrive == TangentMode::Free || side == KeySide::Leave, true);
        prop_assert_eq!(modes.leave == TangentMode::Free || side == KeySide::Arrive, true);
    }
}

fn vector(kind: Interpolation, keys: &[(f32, Vec<f32>)]) -> Track {
    Track {
        target: NodeId(0),
        property: Property::Translation,
        interpolation: kind,
        times: keys.iter().map(|k| k.0).collect(),
        values: keys.iter().flat_map(|k| k.1.iter().copied()).collect(),
        width: 3,
        kinds: Default::default(),
        modes: Default::default(),
    }
}

fn rotations(kind: Interpolation, times: Vec<f32>, quaternions: &[Quat]) -> Track {
    Track {
        property: Property::Rotation,
        values: quaternions.iter().flat_map(|q| q.to_array()).collect(),
        times: times.into(),
        width: 4,
        ..vector(kind, &[])
    }
}

#[test]
fn a_rotation_of_several_turns_has_continuous_angles() {
    let times: Vec<f32> = (0..=40).map(|k| k as f32 * 0.1).collect();
    let turns: Vec<Quat> = times.iter().map(|t| Quat::from_rotation_y(t * 5.0)).collect();
    let track = rotations(Interpolation::Linear, times, &turns);
    for order in EulerOrder::ALL {
        let curves = TrackCurves::new(&track, CurveSpace::Euler(order));
        // The rotation is about the middle axis. The other two angles jump by half a turn where it
        // passes gimbal lock, so that the rotation continues smoothly.
        for k in 0..=400 {
            let time = f64::from(k) * 0.01;
            let off = curves.value(1, time) - (time * 5.0).to_degrees();
            assert!(off.abs() < 0.01, "{} {off} at {time}", order.label());
        }
        assert!(curves.largest_error().0 < 0.01);
    }
}

#[test]
fn linked_tangents_move_together_and_a_loop_shares_its_end_tangents() {
    let key = |slope: f32| [[slope; 3], [1.0; 3], [slope; 3]].concat();
    let track =
        vector(Interpolation::CubicSpline, &[(0.0, key(1.0)), (1.0, key(2.0)), (2.0, key(3.0))]);
    // Both tangents are equal, so the key is linked without a mode.
    let made = with_slope(&track, 1, KeySide::Leave, CurveSpace::Stored, 0, 9.0).unwrap();
    let slopes = |t: &Track, key| TrackCurves::new(t, CurveSpace::Stored).key_slopes(key, 0);
    assert_eq!(slopes(&made, 1), Some((9.0, 9.0)));
    let mut modes = made.modes.of(1.0).unwrap();
    assert_eq!(
        (modes.arrive, modes.leave, modes.linked),
        (TangentMode::Free, TangentMode::Free, true)
    );
    modes.linked = false;
    let broken = Track { modes: made.modes.with(&[1.0], Some(modes)), ..made };
    let made = with_slope(&broken, 1, KeySide::Leave, CurveSpace::Stored, 0, 7.0).unwrap();
    assert_eq!(slopes(&made, 1), Some((9.0, 7.0)));
    let wraps = Track { modes: track.modes.clone().wrapping(true), ..track };
    let made = with_slope(&wraps, 0, KeySide::Both, CurveSpace::Stored, 0, -4.0).unwrap();
    assert_eq!((slopes(&made, 0), slopes(&made, 2)), (Some((-4.0, -4.0)), Some((-4.0, -4.0))));
}

#[test]
fn a_slope_set_in_an_automatic_track_leaves_the_other_keys_automatic() {
    let track = vector(
        Interpolation::Linear,
        &[(0.0, vec![0.0; 3]), (1.0, vec![1.0; 3]), (2.0, vec![3.0; 3])],
    );
    let auto = crate::clip_edit::with_interpolation(&track, Interpolation::CubicSpline);
    let made = with_slope(&auto, 1, KeySide::Both, CurveSpace::Stored, 1, 9.0).unwrap();
    let modes: Vec<_> = made.modes.iter().map(|(_, m)| m.leave).collect();
    assert_eq!(modes, [TangentMode::Auto, TangentMode::Free, TangentMode::Auto]);
}

#[test]
fn smooth_keys_follow_the_slope_of_a_neighboring_key() {
    let keys: Vec<(f32, Vec<f32>)> =
        [0.0, 1.0, 3.0, 2.0].iter().enumerate().map(|(k, v)| (k as f32, vec![*v; 3])).collect();
    let linear = vector(Interpolation::Linear, &keys);
    let spline = crate::clip_edit::with_interpolation(&linear, Interpolation::CubicSpline);
    let times = spline.times.to_vec();
    let smooth =
        crate::clip_edit::with_modes(&spline, &times, KeySide::Both, TangentMode::Smooth, None);
    let made = with_slope(&smooth, 2, KeySide::Both, CurveSpace::Stored, 0, -3.0).unwrap();
    let curves = TrackCurves::new(&made, CurveSpace::Stored);
    assert_eq!(curves.key_slopes(2, 0), Some((-3.0, -3.0)));
    let was = TrackCurves::new(&smooth, CurveSpace::Stored).key_slopes(1, 0).unwrap();
    let now = curves.key_slopes(1, 0).unwrap();
    assert!((was.0 - now.0).abs() > 0.1 && (now.0 - now.1).abs() < 1e-5, "{was:?} {now:?}");
    // Equal acceleration on both sides: 6(v₀ − v₁) + 2m₀ + 4m₁ = 6(v₂ − v₁) − 4m₁ − 2m₂.
    let first = curves.key_slopes(0, 0).unwrap().1;
    let before = 6.0 * (0.0 - 1.0) + 2.0 * first + 4.0 * now.0;
    let after = 6.0 * (3.0 - 1.0) - 4.0 * now.1 - 2.0 * -3.0;
    assert!((before - after).abs() < 1e-4, "{before} {after}");
}

#[test]
fn impossible_slopes_return_their_error() {
    let one = vector(Interpolation::Linear, &[(0.0, vec![0.0; 3])]);
    let set = |track: &Track, space, component| {
        with_slope(track, 0, KeySide::Both, space, component, 1.0).unwrap_err()
    };
    assert_eq!(set(&one, CurveSpace::Stored, 0), SlopeError::SingleKey);
    assert_eq!(set(&one, CurveSpace::Stored, 3), SlopeError::Nothing);
    let step = vector(Interpolation::Step, &[(0.0, vec![0.0; 3]), (1.0, vec![1.0; 3])]);
    assert_eq!(set(&step, CurveSpace::Stored, 0), SlopeError::Stepped);
    let up = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    let locked = rotations(Interpolation::Linear, vec![0.0, 1.0], &[up, Quat::IDENTITY]);
    assert_eq!(set(&locked, CurveSpace::Euler(EulerOrder::Xyz), 0), SlopeError::GimbalLock);
    assert!(
        with_slope(&locked, 0, KeySide::Both, CurveSpace::Euler(EulerOrder::Yxz), 0, 1.0).is_ok()
    );
}

#[test]
fn unnormalized_and_extreme_values_stay_finite() {
    let up = Quat::from_rotation_x(1.0);
    let odd = [
        Quat::from_xyzw(0.0, 0.0, 0.0, 0.0),
        up * 3.0,
        -up,
        Quat::from_xyzw(1e-20, 0.0, 0.0, 0.0),
        up * 0.25,
    ];
    for kind in [Interpolation::Step, Interpolation::Linear] {
        let times = vec![0.0, 1.0, 1.000_001, 2.0, 3.0];
        let track = rotations(kind, times, &odd);
        for made in [track.clone(), converted(&track, Interpolation::CubicSpline, None).track] {
            assert!(made.validate().is_ok() && made.values.iter().all(|v| v.is_finite()));
            for space in [CurveSpace::Stored, CurveSpace::Euler(EulerOrder::Zxy)] {
                let curves = TrackCurves::new(&made, space);
                for k in 0..=300 {
                    let time = f64::from(k) * 0.01;
                    assert!((0..curves.components()).all(|n| curves.value(n, time).is_finite()));
                }
                assert!(curves.largest_error().0.is_finite());
            }
        }
    }
    // Huge tangents at keys a microsecond apart, and values through 0 next to 1e6.
    let key = |slope: f32, v: f32| [[slope; 3], [v, 1e6, 1e-3], [-slope; 3]].concat();
    let wild = vector(
        Interpolation::CubicSpline,
        &[(1.0, key(1e12, -1.0)), (1.000_001, key(-1e12, 1.0)), (2.0, key(0.0, -2.0))],
    );
    let curves = TrackCurves::new(&wild, CurveSpace::Stored);
    let mut line = Vec::new();
    for n in 0..3 {
        curves.sample_segment(0, n, &mut line, (1e-3, 0.1));
        curves.sample_segment(1, n, &mut line, (1e-3, 0.1));
    }
    assert!(line.len() < 4000 && line.iter().all(|p| p.0.is_finite() && p.1.is_finite()));
    for key in 0..3 {
        let made = with_slope(&wild, key, KeySide::Leave, CurveSpace::Stored, 1, 1e300).unwrap();
        assert!(made.values.iter().all(|v| v.is_finite()));
    }
}

#[test]
fn curves_of_twenty_thousand_keys_are_built_fast() {
    let times: Vec<f32> = (0..20_000).map(|k| k as f32 / 120.0).collect();
    let turns: Vec<Quat> = times
        .iter()
        .map(|t| Quat::from_scaled_axis(Vec3::new(t.sin(), (t * 0.7).cos(), t * 0.1)))
        .collect();
    let track = rotations(Interpolation::Linear, times, &turns);
    let curves = TrackCurves::new(&track, CurveSpace::Euler(EulerOrder::Xyz));
    assert!(curves.largest_error().0 < 0.01);
    let made = converted(&track, Interpolation::CubicSpline, None);
    assert_eq!((made.track.times.len(), made.added), (20_000, 0));
    assert!(made.error.angle < 1e-4);
}
