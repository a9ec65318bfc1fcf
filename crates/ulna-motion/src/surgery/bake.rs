//! CUBICSPLINE keys that approximate a motion whose rates of change are known.
//!
//! The tangents are the true rates. A rotation of θ at constant angular velocity then has an error
//! of at most `ρ·θ⁴/384` per segment, with `ρ` the distance from the axis. Keys at the times of the
//! source tracks are therefore nearly always sufficient.

use glam::{DQuat, DVec4};

use super::{
    curve::{TimeSide, slope},
    moving::Moving,
};
use crate::curves::moments;
use ulna_model::{Interpolation, NodeId, Property, Track};

/// Maximum errors of baked keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Maximum error of translations, in units of the parent's space.
    pub translation: f64,
    /// Maximum error of rotations, radians.
    pub rotation: f64,
    /// Maximum error of scale factors.
    pub scale: f64,
}

impl Bounds {
    const fn of(&self, property: Property) -> f64 {
        match property {
            Property::Translation => self.translation,
            Property::Rotation => self.rotation,
            Property::Scale | Property::Weights => self.scale,
        }
    }
}

/// Minimum length of a segment that may be halved, seconds.
const SHORTEST: f64 = 1e-3;

/// Returns the union of the key times of some tracks. A step has two times: the end of the old
/// value, and the start of the new value.
pub(super) fn times_of<'a>(tracks: impl Iterator<Item = &'a Track> + Clone) -> Times {
    let mut times: Vec<f32> = tracks.clone().flat_map(|t| t.times.iter().copied()).collect();
    times.sort_by(f32::total_cmp);
    times.dedup();
    let mut jumps: Vec<f32> = tracks
        .filter(|t| t.interpolation == Interpolation::Step)
        .flat_map(|t| {
            (1..t.times.len()).filter(|k| t.value(*k) != t.value(k - 1)).map(|k| t.times[k])
        })
        .collect();
    jumps.sort_by(f32::total_cmp);
    jumps.dedup();
    let mut made: Vec<Time> = Vec::with_capacity(times.len() + jumps.len());
    for time in times {
        let jumps = jumps.binary_search_by(|t| t.total_cmp(&time)).is_ok();
        if let Some(before) = made.last().filter(|_| jumps) {
            // A jump needs two keys. Their distance is a millisecond, or a quarter of the segment
            // if that is shorter.
            let end = time - (1e-3f32).min((time - before.time) / 4.0);
            if end > before.time && end < time {
                made.push(Time { time: end, jumps: false });
            }
        }
        made.push(Time { time, jumps });
    }
    Times(made)
}

/// Times at which keys are needed, in rising order.
pub(super) struct Times(pub(super) Vec<Time>);

/// A time at which a key is needed.
#[derive(Clone, Copy)]
pub(super) struct Time {
    pub(super) time: f32,
    /// Whether a value jumps at this time. The segment before the time is then not refined.
    pub(super) jumps: bool,
}

/// A key under construction. Vectors have four numbers; translations and scales use three of them.
#[derive(Clone, Copy)]
struct Key {
    time: f32,
    value: DVec4,
    arrive: DVec4,
    leave: DVec4,
    jumps: bool,
}

impl Key {
    fn of(property: Property, time: f32, jumps: bool, sides: [&Moving; 2]) -> Self {
        let numbers = |m: &Moving| match property {
            Property::Translation => (m.translation.extend(0.0), m.velocity.extend(0.0)),
            Property::Rotation => (DVec4::from(m.rotation), slope(m.rotation, m.spin)),
            Property::Scale | Property::Weights => (m.scale.extend(0.0), m.growth.extend(0.0)),
        };
        let ([before, after], is_turn) = (sides, property == Property::Rotation);
        let ((old, arrive), (value, leave)) = (numbers(before), numbers(after));
        let arrive = if is_turn && old.dot(value) < 0.0 { -arrive } else { arrive };
        Self { time, value, arrive, leave, jumps }
    }

    fn negated(self) -> Self {
        Self { value: -self.value, arrive: -self.arrive, leave: -self.leave, ..self }
    }
}

/// Creates a CUBICSPLINE track of a property. Keys are at some times (at least one), and between
/// them until the error is within the bound. `at` returns the motion just before or just after a
/// time. If it returns `None`, there is no track.
pub(super) fn baked(
    (target, property): (NodeId, Property),
    times: &Times,
    at: &dyn Fn(f64, TimeSide) -> Option<Moving>,
    bounds: &Bounds,
) -> Option<Track> {
    let key = |time: f32, jumps: bool| {
        let sides = [TimeSide::Before, TimeSide::After].map(|s| at(f64::from(time), s));
        let [Some(before), Some(after)] = sides else { return None };
        Some(Key::of(property, time, jumps, [&before, &after]))
    };
    let is_turn = property == Property::Rotation;
    let mut open: Vec<Key> =
        times.0.iter().rev().map(|t| key(t.time, t.jumps)).collect::<Option<_>>()?;
    let mut made: Vec<Key> = Vec::with_capacity(open.len());
    made.extend(open.pop());
    while let Some(mut next) = open.pop() {
        let Some(before) = made.last_mut() else { break };
        if is_turn && before.value.dot(next.value) < 0.0 {
            next = next.negated();
        }
        let seconds = f64::from(next.time) - f64::from(before.time);
        if next.jumps {
            let way = (next.value - before.value) / seconds;
            (before.leave, next.arrive) = (way, way);
            made.push(next);
            continue;
        }
        let middle = f32::midpoint(before.time, next.time);
        let can_halve = seconds > 2.0 * SHORTEST && middle > before.time && middle < next.time;
        if can_halve && error(property, before, &next, at)? > bounds.of(property) {
            open.push(next);
            open.push(key(middle, false)?);
        } else {
            made.push(next);
        }
    }
    Some(track(target, property, &made))
}

/// Measures the largest error at 8 positions between two keys.
fn error(
    property: Property,
    from: &Key,
    to: &Key,
    at: &dyn Fn(f64, TimeSide) -> Option<Moving>,
) -> Option<f64> {
    let (start, seconds) = (f64::from(from.time), f64::from(to.time) - f64::from(from.time));
    let mut worst = 0.0f64;
    for k in 0..8 {
        let u = (f64::from(k) + 0.5) / 8.0;
        let [p0, m0, p1, m1] = moments::weights(u, seconds);
        let made = from.value * p0 + from.leave * m0 + to.value * p1 + to.arrive * m1;
        let wanted = at(start + seconds * u, TimeSide::After)?;
        let off = match property {
            Property::Translation => made.truncate().distance(wanted.translation),
            Property::Rotation => {
                let turn = DQuat::from_vec4(made.normalize()).conjugate() * wanted.rotation;
                2.0 * turn.xyz().length().atan2(turn.w.abs())
            }
            Property::Scale | Property::Weights => made.truncate().distance(wanted.scale),
        };
        worst = worst.max(off);
    }
    Some(worst)
}

fn track(target: NodeId, property: Property, keys: &[Key]) -> Track {
    let width = if property == Property::Rotation { 4 } else { 3 };
    let numbers = |v: DVec4| v.as_vec4().to_array().into_iter().take(width);
    let is_single = keys.len() < 2;
    let interpolation = if is_single { Interpolation::Linear } else { Interpolation::CubicSpline };
    let mut values = Vec::with_capacity(keys.len() * width * 3);
    for key in keys {
        if !is_single {
            values.extend(numbers(key.arrive));
        }
        values.extend(numbers(key.value));
        if !is_single {
            values.extend(numbers(key.leave));
        }
    }
    Track {
        target,
        property,
        interpolation,
        times: keys.iter().map(|k| k.time).collect(),
        values: values.into(),
        width,
        kinds: Default::default(),
        modes: Default::default(),
    }
}
