//! The local transform of one node in a clip: values and rates at any time.

use glam::{DQuat, DVec3, DVec4};

use super::moving::Moving;
use crate::curves::moments;
use ulna_model::{Clip, Interpolation, NodeId, Property, Track, Transform};

/// The side from which a time is approached. At a key, values may jump and rates may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeSide {
    /// Just before the time.
    Before,
    /// Just after the time.
    After,
}

/// The animated local transform of a node in a clip.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeCurve<'a> {
    base: Moving,
    /// Tracks of translation, rotation and scale.
    tracks: [Option<&'a Track>; 3],
}

impl<'a> NodeCurve<'a> {
    /// Finds the tracks of a node in a clip. Components without a track have the values of `local`.
    pub(super) fn of(clip: &'a Clip, node: NodeId, local: &Transform) -> Self {
        let track = |p| clip.track(node, p).map(|(_, t)| &**t);
        Self { base: Moving::still(local), tracks: Property::TRS.map(track) }
    }

    /// The track of a property.
    pub(super) fn track(&self, property: Property) -> Option<&'a Track> {
        match property {
            Property::Translation => self.tracks[0],
            Property::Rotation => self.tracks[1],
            Property::Scale => self.tracks[2],
            Property::Weights => None,
        }
    }

    /// The track of a property; `None` if its value is constant.
    pub(super) fn moving(&self, property: Property) -> Option<&'a Track> {
        self.track(property).filter(|t| changes(t))
    }

    /// Whether the translation is not 0 at some time.
    pub(super) fn translates(&self) -> bool {
        self.tracks[0].map_or(self.base.translation != DVec3::ZERO, |track| {
            changes(track) || track.value(0).iter().any(|v| *v != 0.0)
        })
    }

    /// Whether the scale is non-uniform at some time.
    pub(super) fn is_uneven(&self) -> bool {
        let is_even = |v: &[f32]| {
            let most = v.iter().fold(0.0f32, |a, b| a.max(b.abs()));
            v.iter().all(|x| (x - v[0]).abs() <= 1e-6 * most)
        };
        self.tracks[2].map_or(!self.base.is_uniform(), |t| !t.values.chunks(3).all(is_even))
    }

    /// Evaluates values and rates at a time in seconds.
    pub(super) fn at(&self, time: f64, side: TimeSide) -> Moving {
        let mut made = self.base;
        if let Some(track) = self.tracks[0] {
            (made.translation, made.velocity) = three(track, time, side);
        }
        if let Some(track) = self.tracks[1] {
            (made.rotation, made.spin) = rotation(track, time, side);
        }
        if let Some(track) = self.tracks[2] {
            (made.scale, made.growth) = three(track, time, side);
        }
        made
    }
}

/// Whether the value of a track changes over time.
pub(super) fn changes(track: &Track) -> bool {
    let first = track.value(0);
    let bends = |key: usize| {
        let own = &track.values[key * track.stride()..(key + 1) * track.stride()];
        let (arrive, leave) = (&own[..track.width], &own[2 * track.width..]);
        arrive.iter().chain(leave).any(|v| *v != 0.0)
    };
    let count = track.times.len();
    (1..count).any(|k| track.value(k) != first)
        || (count > 1 && track.interpolation == Interpolation::CubicSpline && (0..count).any(bends))
}

/// Position of a time in a track. Either the segment, the fraction of it (`0..=1`) and its length
/// in seconds, or the key whose value is constant.
enum TrackMoment {
    Held(usize),
    Inside { key: usize, part: f64, seconds: f64 },
}

fn moment(track: &Track, time: f64, side: TimeSide) -> TrackMoment {
    let times: &[f32] = &track.times;
    let last = times.len() - 1;
    // Number of keys before the time.
    let passed = match side {
        TimeSide::After => times.partition_point(|t| f64::from(*t) <= time),
        TimeSide::Before => times.partition_point(|t| f64::from(*t) < time),
    };
    if passed == 0 {
        return TrackMoment::Held(0);
    }
    if passed > last {
        return TrackMoment::Held(last);
    }
    let key = passed - 1;
    let seconds = moments::span(track, key);
    TrackMoment::Inside { key, part: (time - f64::from(times[key])) / seconds, seconds }
}

/// Returns the weights of value, out-tangent, next value and next in-tangent in a Hermite segment
/// (glTF 2.0, appendix C.5), and their time derivatives.
fn hermite(u: f64, span: f64) -> ([f64; 4], [f64; 4]) {
    let u2 = u * u;
    let rise = 6.0 * (u2 - u) / span;
    (moments::weights(u, span), [rise, 3.0 * u2 - 4.0 * u + 1.0, -rise, 3.0 * u2 - 2.0 * u])
}

fn three(track: &Track, time: f64, side: TimeSide) -> (DVec3, DVec3) {
    let value = |key: usize| {
        let v = track.value(key);
        DVec3::new(v[0].into(), v[1].into(), v[2].into())
    };
    let slope = |key: usize, leaving: bool| {
        let of = |i| moments::tangent(track, key, i, leaving);
        DVec3::new(of(0), of(1), of(2))
    };
    match moment(track, time, side) {
        TrackMoment::Held(key) => (value(key), DVec3::ZERO),
        TrackMoment::Inside { key, part, seconds } => match track.interpolation {
            Interpolation::Step => (value(key), DVec3::ZERO),
            Interpolation::Linear => {
                let way = value(key + 1) - value(key);
                (value(key) + way * part, way / seconds)
            }
            Interpolation::CubicSpline => {
                let all = [value(key), slope(key, true), value(key + 1), slope(key + 1, false)];
                let (by, rate) = hermite(part, seconds);
                let sum = |w: [f64; 4]| all.iter().zip(w).map(|(v, w)| *v * w).sum::<DVec3>();
                (sum(by), sum(rate))
            }
        },
    }
}

/// Evaluates a rotation, and its angular velocity in the axes of the parent.
fn rotation(track: &Track, time: f64, side: TimeSide) -> (DQuat, DVec3) {
    match moment(track, time, side) {
        TrackMoment::Held(key) => (moments::rotation(track, key), DVec3::ZERO),
        TrackMoment::Inside { key, part, seconds } => match track.interpolation {
            Interpolation::Step => (moments::rotation(track, key), DVec3::ZERO),
            Interpolation::Linear => {
                let q = moments::rotation_at(track, moments::Key { key, part });
                let (a, b) = (moments::rotation(track, key), moments::rotation(track, key + 1));
                // The angular velocity is constant in the segment.
                (q, spin(a, moments::toward(a.into(), b.into()) / seconds))
            }
            Interpolation::CubicSpline => {
                let all = [
                    moments::stored(track, key, 1),
                    moments::stored(track, key, 2),
                    moments::stored(track, key + 1, 1),
                    moments::stored(track, key + 1, 0),
                ];
                let (by, rate) = hermite(part, seconds);
                let sum = |w: [f64; 4]| all.iter().zip(w).map(|(v, w)| *v * w).sum::<DVec4>();
                let (p, rate) = (sum(by), sum(rate));
                let length = p.length();
                if !(length.is_finite() && length > 1e-12) {
                    return (DQuat::IDENTITY, DVec3::ZERO);
                }
                let n = p / length;
                let q = DQuat::from_vec4(n);
                (q, spin(q, (rate - n * n.dot(rate)) / length))
            }
        },
    }
}

/// Converts the slope of a unit quaternion to an angular velocity in the parent's axes:
/// `ω = 2·q̇·q*`.
pub(super) fn spin(q: DQuat, slope: DVec4) -> DVec3 {
    let made = DQuat::from_vec4(slope) * q.conjugate();
    DVec3::new(made.x, made.y, made.z) * 2.0
}

/// Converts an angular velocity in the parent's axes to the slope of a unit quaternion:
/// `q̇ = ½·ω·q`.
pub(super) fn slope(q: DQuat, spin: DVec3) -> DVec4 {
    let made = DQuat::from_xyzw(spin.x, spin.y, spin.z, 0.0) * q;
    DVec4::from(made) * 0.5
}
