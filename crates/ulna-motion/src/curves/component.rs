//! One component of a key changed: its value, or its slope.

use glam::{DQuat, DVec3, DVec4};
use thiserror::Error;

use super::{
    euler::{EulerOrder, unit},
    track_curves::{CurveSpace, TrackCurves},
};
use ulna_model::{Interpolation, KeySide, KeyTangents, Property, TangentMode, Track};

/// Why a slope cannot be set.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SlopeError {
    /// The track stores no tangents.
    #[error("only CUBICSPLINE tracks store slopes; convert the track first")]
    NotSpline,
    /// Two axes nearly coincide.
    #[error(
        "the angles have no single slope at {0} s, because of gimbal lock; choose another order of \
            axes"
    )]
    GimbalLock(f32),
}

/// The order in which the angles of a track are shown, where they are.
fn order_of(track: &Track, space: CurveSpace) -> Option<EulerOrder> {
    match space {
        CurveSpace::Euler(order) if track.property == Property::Rotation => Some(order),
        _ => None,
    }
}

fn length(q: &[f32]) -> f64 {
    q.iter().map(|v| f64::from(*v) * f64::from(*v)).sum::<f64>().sqrt()
}

/// The track with another value of one component at a key; degrees for Euler angles, whose rotation
/// keeps the slopes of its angles. A component of a quaternion is set and the quaternion made unit.
#[must_use]
pub fn with_component(
    track: &Track,
    key: usize,
    space: CurveSpace,
    component: usize,
    value: f64,
) -> Track {
    let mut values = track.values.to_vec();
    let (w, stride) = (track.width, track.stride());
    let cubic = track.interpolation == Interpolation::CubicSpline;
    let at = key * stride + if cubic { w } else { 0 };
    if track.property != Property::Rotation {
        values[at + component] = value as f32;
        return Track { values: values.into(), ..track.clone() };
    }
    let old = DVec4::from(unit(track.value(key)));
    let scale = length(track.value(key));
    let curves = TrackCurves::new(track, space);
    let (new, turned): (DVec4, Option<DVec3>) = match order_of(track, space) {
        Some(order) => {
            let mut angles = curves.key_angles(key);
            angles[component] = value.to_radians();
            (DVec4::from(order.quat(angles)), Some(angles))
        }
        None => {
            let mut numbers = old;
            numbers[component] = value;
            (numbers.try_normalize().unwrap_or(old), None)
        }
    };
    let new = if new.dot(old) < 0.0 { -new } else { new };
    let store = |values: &mut [f32], at: usize, q: DVec4| {
        let own = values[at..at + 4].iter_mut().zip(q.to_array());
        own.for_each(|(to, from)| *to = from as f32);
    };
    // A quaternion of another length, as files may have them, keeps it.
    store(&mut values, at, new * if scale > 1e-9 { scale } else { 1.0 });
    if cubic {
        for (arrives, offset) in [(true, 0), (false, 2 * w)] {
            let change = curves.velocity(key, arrives).quat();
            let radial = if scale > 1e-9 { old.dot(change) } else { 0.0 };
            let velocity = match (order_of(track, space), turned) {
                (Some(order), Some(angles)) => {
                    let slopes = order.slopes(curves.key_angles(key), curves.angular(key, change));
                    slopes.map(|slopes| order.rates(angles) * slopes)
                }
                _ => None,
            };
            let velocity = velocity.unwrap_or_else(|| curves.angular(key, change));
            store(&mut values, key * stride + offset, tangent(velocity, new, scale, radial));
        }
    }
    Track { values: values.into(), ..track.clone() }
}

/// The stored tangent of a quaternion `q` of some length that turns with an angular velocity in the
/// parent's frame (`q̇ = ½·ω·q`), and along itself by `radial`.
fn tangent(velocity: DVec3, q: DVec4, length: f64, radial: f64) -> DVec4 {
    let half = velocity * 0.5;
    let turn = DQuat::from_xyzw(half.x, half.y, half.z, 0.0) * DQuat::from_vec4(q);
    DVec4::from(turn) * length + q * radial
}

/// The track with another slope of one component at a key, per second, on one side or both; degrees
/// for Euler angles. The other components keep their slopes. The sides become
/// [free](TangentMode::Free); where they are linked, the slope of the other side is set too.
///
/// # Errors
/// Where the track stores no tangents, or at gimbal lock.
pub fn with_slope(
    track: &Track,
    key: usize,
    side: KeySide,
    space: CurveSpace,
    component: usize,
    slope: f64,
) -> Result<Track, SlopeError> {
    if track.interpolation != Interpolation::CubicSpline {
        return Err(SlopeError::NotSpline);
    }
    let time = track.times[key];
    let own = track.modes.of(time).unwrap_or_else(|| told(track, key));
    let both = own.linked || side == KeySide::Both;
    let arrive = both || side == KeySide::Arrive;
    let leave = both || side == KeySide::Leave;
    let mut values = track.values.to_vec();
    let (w, stride) = (track.width, track.stride());
    let curves = TrackCurves::new(track, space);
    for (arrives, offset) in
        [(arrive, true, 0), (leave, false, 2 * w)].into_iter().filter(|s| s.0).map(|s| (s.1, s.2))
    {
        let at = key * stride + offset;
        let Some(order) = order_of(track, space) else {
            values[at + component] = slope as f32;
            continue;
        };
        let angles = curves.key_angles(key);
        let change = curves.velocity(key, arrives).quat();
        let slopes = order.slopes(angles, curves.angular(key, change));
        let mut slopes = slopes.ok_or(SlopeError::GimbalLock(time))?;
        slopes[component] = slope.to_radians();
        let q = DVec4::from(unit(track.value(key)));
        let velocity = order.rates(angles) * slopes;
        let made = tangent(velocity, q, length(track.value(key)), q.dot(change));
        values[at..at + 4].iter_mut().zip(made.to_array()).for_each(|(to, from)| *to = from as f32);
    }
    let free = |changes: bool, mode| if changes { TangentMode::Free } else { mode };
    let modes = KeyTangents {
        arrive: free(arrive, own.arrive),
        leave: free(leave, own.leave),
        linked: own.linked,
    };
    let modes = track.modes.with(&[time], Some(modes));
    Ok(Track { values: values.into(), modes, ..track.clone() })
}

/// The modes of a key that no list names: linked where both tangents are equal.
fn told(track: &Track, key: usize) -> KeyTangents {
    let (w, stride) = (track.width, track.stride());
    let own = &track.values[key * stride..(key + 1) * stride];
    KeyTangents { linked: own[..w] == own[2 * w..], ..KeyTangents::default() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::clip_edit::tests::any_track;

    fn spaces(track: &Track) -> Vec<CurveSpace> {
        match track.property {
            Property::Rotation => EulerOrder::ALL.map(CurveSpace::Euler).to_vec(),
            _ => vec![CurveSpace::Stored],
        }
    }

    /// A key's modes with both sides free, linked or not.
    fn marked(track: &Track, linked: bool) -> Track {
        let free = KeyTangents { linked, ..KeyTangents::default() };
        Track { modes: track.modes.with(&track.times, Some(free)), ..track.clone() }
    }

    proptest! {
        /// A value that is set comes back, other components keep theirs, and other keys their bits.
        #[test]
        fn values_by_component_come_back(track in any_track(), key in 0usize..12,
            value in -170.0f64..170.0, component in 0usize..3) {
            let key = key % track.times.len();
            for space in spaces(&track) {
                let was = TrackCurves::new(&track, space);
                let made = with_component(&track, key, space, component, value);
                made.validate().unwrap();
                let stride = track.stride();
                for other in (0..track.times.len()).filter(|k| *k != key) {
                    let range = other * stride..(other + 1) * stride;
                    prop_assert_eq!(&made.values[range.clone()], &track.values[range]);
                }
                if space == CurveSpace::Stored {
                    prop_assert_eq!(made.value(key)[component], value as f32);
                    continue;
                }
                let CurveSpace::Euler(order) = space else { continue };
                let mut wanted = was.key_angles(key);
                wanted[component] = value.to_radians();
                let found = unit(made.value(key));
                prop_assert!(found.dot(order.quat(wanted)).abs() > 1.0 - 1e-9);
            }
        }

        /// A slope that is set comes back; the slopes of other components stay, and the side that
        /// is not meant keeps its bits, where the sides are not linked.
        #[test]
        fn slopes_by_component_come_back(track in any_track(), key in 0usize..12,
            slope in -200.0f64..200.0, component in 0usize..3, side in 0usize..3,
            linked in any::<bool>()) {
            if track.interpolation != Interpolation::CubicSpline {
                return Ok(());
            }
            let key = key % track.times.len();
            let track = marked(&track, linked);
            let side = [KeySide::Arrive, KeySide::Leave, KeySide::Both][side];
            for space in spaces(&track) {
                let was = TrackCurves::new(&track, space);
                let made = match with_slope(&track, key, side, space, component, slope) {
                    Ok(made) => made,
                    Err(error) => {
                        prop_assert_eq!(error, SlopeError::GimbalLock(track.times[key]));
                        prop_assert!(was.gimbal_locked(key));
                        continue;
                    }
                };
                let now = TrackCurves::new(&made, space);
                let (w, stride) = (track.width, track.stride());
                let part = |t: &Track, from: usize| {
                    t.values[key * stride + from..key * stride + from + w].to_vec()
                };
                let changes = |own: KeySide| linked || side == KeySide::Both || side == own;
                for (own, from) in [(KeySide::Arrive, 0), (KeySide::Leave, 2 * w)] {
                    if !changes(own) {
                        prop_assert_eq!(part(&made, from), part(&track, from));
                    }
                }
                let near_lock = space != CurveSpace::Stored && {
                    let CurveSpace::Euler(order) = space else { unreachable!() };
                    order.rates(was.key_angles(key)).determinant().abs() < 0.02
                };
                // Two triples of angles make each rotation. Another way from the key before may lead
                // to the other triple.
                let same = space == CurveSpace::Stored || {
                    let apart = now.key_angles(key) - was.key_angles(key);
                    let turns = apart / std::f64::consts::TAU;
                    (turns - turns.round()).abs().max_element() < 1e-6
                };
                for c in (0..3).filter(|_| same && !near_lock) {
                    let (was, now) = (was.key_slopes(key, c), now.key_slopes(key, c));
                    let (Some(was), Some(now)) = (was, now) else { continue };
                    let want = |own, was| if c == component && changes(own) { slope } else { was };
                    let close = |a: f64, b: f64| (a - b).abs() < 0.05 + 1e-4 * a.abs();
                    prop_assert!(close(want(KeySide::Arrive, was.0), now.0), "{was:?} {now:?}");
                    prop_assert!(close(want(KeySide::Leave, was.1), now.1), "{was:?} {now:?}");
                }
                let modes = made.modes.of(track.times[key]).unwrap();
                prop_assert_eq!(modes, KeyTangents { linked, ..KeyTangents::default() });
            }
        }
    }
}
