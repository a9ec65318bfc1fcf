//! Keys as vectors, for sums and averages: rotations as logarithms relative to a reference, other
//! values unchanged.

use glam::{DMat3, DQuat, DVec3};

use super::{CurveSpace, components::with_number};
use crate::clip_edit::is_hold_end;
use ulna_model::{Interpolation, Property, Track};

/// Reads a stored rotation, and normalizes it.
pub(super) fn rotation(v: &[f32]) -> DQuat {
    let q = DQuat::from_xyzw(v[0].into(), v[1].into(), v[2].into(), v[3].into());
    if q.length_squared() > 1e-18 { q.normalize() } else { DQuat::IDENTITY }
}

/// Converts a quaternion to a rotation vector, which depends on the sign of the quaternion and is
/// up to 360° long.
pub(super) fn log(q: DQuat) -> DVec3 {
    let v = DVec3::new(q.x, q.y, q.z);
    let sin = v.length();
    if sin < 1e-12 {
        return v * 2.0;
    }
    v * (2.0 * sin.atan2(q.w) / sin)
}

/// Converts a quaternion to the rotation vector of the shortest path.
pub(super) fn short_log(q: DQuat) -> DVec3 {
    log(if q.w < 0.0 { -q } else { q })
}

/// Converts a rotation vector to a quaternion whose sign changes continuously with the vector.
pub(super) fn exp(v: DVec3) -> DQuat {
    let half = v.length() * 0.5;
    let factor = if half < 1e-9 { 0.5 } else { half.sin() / (2.0 * half) };
    DQuat::from_xyzw(v.x * factor, v.y * factor, v.z * factor, half.cos())
}

fn cross(v: DVec3) -> DMat3 {
    DMat3::from_cols(
        DVec3::new(0.0, v.z, -v.y),
        DVec3::new(-v.z, 0.0, v.x),
        DVec3::new(v.y, -v.x, 0.0),
    )
}

/// The right Jacobian of a rotation vector. It converts the rate of the vector to an angular
/// velocity in the rotated axes (J. Solà and others, *A micro Lie theory for state estimation in
/// robotics*, 2018, equation 143).
pub(super) fn right(v: DVec3) -> DMat3 {
    let angle = v.length();
    let k = cross(v);
    if angle < 1e-4 {
        return DMat3::IDENTITY - k * 0.5 + k * k * (1.0 / 6.0);
    }
    let square = angle * angle;
    DMat3::IDENTITY - k * ((1.0 - angle.cos()) / square)
        + k * k * ((angle - angle.sin()) / (square * angle))
}

/// The inverse of the right Jacobian (J. Solà and others, 2018, equation 144).
pub(super) fn right_inverse(v: DVec3) -> DMat3 {
    let angle = v.length();
    let k = cross(v);
    let factor = if angle < 1e-4 {
        1.0 / 12.0
    } else {
        let tan = (angle * 0.5).tan();
        let cot = if tan.abs() < 1e-3 { tan.signum() * 1e3 } else { 1.0 / tan };
        1.0 / (angle * angle) - cot / (2.0 * angle)
    };
    DMat3::IDENTITY + k * 0.5 + k * k * factor
}

/// A key as vectors: its value, and its slopes per second.
#[derive(Clone, Debug)]
pub(super) struct KeyVector {
    pub value: Vec<f64>,
    pub arrive: Vec<f64>,
    pub leave: Vec<f64>,
    /// Whether the stored quaternion is the negative of the quaternion computed from the vector.
    pub flipped: bool,
    /// Components of both tangents parallel to the quaternion. They do not affect the rotation's
    /// slope at the key.
    pub radial: [f64; 2],
}

/// Conversion of a track's keys to vectors.
pub(super) struct Chart<'a> {
    track: &'a Track,
    /// Reference rotation. Rotation vectors are relative to it.
    from: DQuat,
}

impl<'a> Chart<'a> {
    /// Creates a chart with the value of a key as the reference.
    pub fn at_key(track: &'a Track, key: usize) -> Self {
        let turns = track.property == Property::Rotation;
        Self { track, from: if turns { rotation(track.value(key)) } else { DQuat::IDENTITY } }
    }

    fn turns(&self) -> bool {
        self.track.property == Property::Rotation
    }

    /// Converts a value to a vector. For rotations, returns the equivalent vector nearest to
    /// `near`.
    pub fn value(&self, stored: &[f32], near: Option<&[f64]>) -> Vec<f64> {
        const FAR: f64 = std::f64::consts::TAU - 0.7;
        if !self.turns() {
            return stored.iter().map(|v| f64::from(*v)).collect();
        }
        let v = short_log(self.from.inverse() * rotation(stored));
        let Some(near) = near.map(DVec3::from_slice) else { return v.to_array().to_vec() };
        let axis = v.normalize_or(near.normalize_or(DVec3::X));
        let turn = axis * std::f64::consts::TAU;
        let all = [v, v - turn, v + turn];
        let distance = |c: &DVec3| c.distance_squared(near);
        // Near full turns, a small change of the vector cannot represent a small rotation.
        let best = all
            .into_iter()
            .filter(|c| c.length() < FAR)
            .min_by(|a, b| distance(a).total_cmp(&distance(b)));
        best.unwrap_or(v).to_array().to_vec()
    }

    /// Reads a key as vectors. For rotations, returns the equivalent vector nearest to `near`.
    pub fn read(&self, key: usize, near: Option<&[f64]>) -> KeyVector {
        let track = self.track;
        let value = self.value(track.value(key), near);
        let (w, stride) = (track.width, track.stride());
        let stored = &track.values[key * stride..(key + 1) * stride];
        let cubic = track.interpolation == Interpolation::CubicSpline;
        if !self.turns() {
            let slope = |from: usize| -> Vec<f64> {
                let own = if cubic { &stored[from..from + w] } else { &[][..] };
                own.iter().map(|v| f64::from(*v)).chain(std::iter::repeat(0.0)).take(w).collect()
            };
            let (arrive, leave) = (slope(0), slope(2 * w));
            return KeyVector { value, arrive, leave, flipped: false, radial: [0.0; 2] };
        }
        let v = DVec3::from_slice(&value);
        let q = rotation(track.value(key));
        let flipped = (self.from * exp(v)).dot(q) < 0.0;
        let slope = |from: usize| {
            if !cubic {
                return (vec![0.0; 3], 0.0);
            }
            let t = &stored[from..from + 4];
            let t = DQuat::from_xyzw(t[0].into(), t[1].into(), t[2].into(), t[3].into());
            let turn = q.inverse() * t;
            let rate = right_inverse(v) * (DVec3::new(turn.x, turn.y, turn.z) * 2.0);
            (rate.to_array().to_vec(), turn.w)
        };
        let ((arrive, before), (leave, after)) = (slope(0), slope(8));
        KeyVector { value, arrive, leave, flipped, radial: [before, after] }
    }

    /// Writes a key to its numbers in the track.
    pub fn write(&self, key: &KeyVector, into: &mut [f32]) {
        let w = self.track.width;
        let cubic = into.len() == 3 * w;
        let at = if cubic { w } else { 0 };
        let put = |into: &mut [f32], from: &[f64]| {
            into.iter_mut().zip(from).for_each(|(i, f)| *i = *f as f32);
        };
        if !self.turns() {
            put(&mut into[at..at + w], &key.value);
            if cubic {
                put(&mut into[..w], &key.arrive);
                put(&mut into[2 * w..], &key.leave);
            }
            return;
        }
        let v = DVec3::from_slice(&key.value);
        let q = (self.from * exp(v)) * if key.flipped { -1.0 } else { 1.0 };
        put(&mut into[at..at + 4], &q.normalize().to_array());
        if cubic {
            for (from, slope, radial) in
                [(0, &key.arrive, key.radial[0]), (8, &key.leave, key.radial[1])]
            {
                let turn = right(v) * DVec3::from_slice(slope) * 0.5;
                let tangent = q * DQuat::from_xyzw(turn.x, turn.y, turn.z, radial);
                put(&mut into[from..from + 4], &tangent.to_array());
            }
        }
    }
}

/// Rotates a rotation key and its tangents in place: `q·exp(by)`, where `by` grows by `rate` per
/// second.
pub(super) fn turn_key(own: &mut [f32], by: DVec3, rate: DVec3) {
    let cubic = own.len() == 12;
    let at = if cubic { 4 } else { 0 };
    let was = rotation(&own[at..at + 4]);
    let turn = exp(by);
    let now = (was * turn).normalize();
    own[at..at + 4].copy_from_slice(&now.to_array().map(|v| v as f32));
    if cubic {
        let more = right(by) * rate;
        for from in [0, 8] {
            let t = &own[from..from + 4];
            let t = DQuat::from_xyzw(t[0].into(), t[1].into(), t[2].into(), t[3].into());
            let own_turn = was.inverse() * t;
            let rate = DVec3::new(own_turn.x, own_turn.y, own_turn.z) * 2.0;
            let all = (turn.inverse() * rate + more) * 0.5;
            let tangent = now * DQuat::from_xyzw(all.x, all.y, all.z, own_turn.w);
            own[from..from + 4].copy_from_slice(&tangent.to_array().map(|v| v as f32));
        }
    }
}

/// Selected components of a track's values, as displayed by curves.
#[derive(Clone, Copy, Debug)]
pub struct ChosenComponents<'a> {
    /// Indices of the components.
    pub list: &'a [u16],
    /// Kind of components: stored numbers or Euler angles.
    pub space: CurveSpace,
}

impl ChosenComponents<'_> {
    /// Whether all components of a track are selected.
    pub(super) fn is_all(&self, track: &Track) -> bool {
        let angles = track.property == Property::Rotation && self.space != CurveSpace::Stored;
        (0..if angles { 3 } else { track.width }).all(|c| is_meant(Some(*self), c))
    }

    /// Replaces the selected components of the rotation `was` with those of `now`.
    pub(super) fn put(&self, was: DQuat, now: DQuat) -> DQuat {
        let meant = |c: &usize| is_meant(Some(*self), *c);
        match self.space {
            CurveSpace::Stored => {
                let numbers = (if was.dot(now) < 0.0 { -now } else { now }).to_array();
                (0..4).filter(meant).fold(was, |q, c| with_number(q, c, numbers[c]))
            }
            CurveSpace::Euler(order) => {
                let mut angles = order.angles(was, [0.0; 3]);
                let other = order.angles(now, angles);
                for c in (0..3).filter(meant) {
                    angles[order.place(c)] = other[order.place(c)];
                }
                order.rotation(angles)
            }
        }
    }

    /// Adds numbers to the selected components of a rotation; radians for angles.
    pub(super) fn add(&self, was: DQuat, by: &[f64]) -> DQuat {
        let own = by.iter().enumerate().filter(|(c, _)| is_meant(Some(*self), *c));
        match self.space {
            CurveSpace::Stored => {
                let numbers = was.to_array();
                own.take(4).fold(was, |q, (c, by)| with_number(q, c, numbers[c] + by))
            }
            CurveSpace::Euler(order) => {
                let mut angles = order.angles(was, [0.0; 3]);
                own.take(3).for_each(|(c, by)| angles[order.place(c)] += by);
                order.rotation(angles)
            }
        }
    }
}

/// Whether a component is selected. `None` selects all.
pub(super) fn is_meant(components: Option<ChosenComponents<'_>>, component: usize) -> bool {
    components.is_none_or(|all| all.list.iter().any(|c| usize::from(*c) == component))
}

/// Copies the values of keys that begin holds to the ends of these holds.
pub(super) fn follow_holds(before: &Track, values: &mut [f32]) {
    let (w, stride) = (before.width, before.stride());
    let at = if before.interpolation == Interpolation::CubicSpline { w } else { 0 };
    for key in (1..before.times.len()).filter(|k| is_hold_end(before, *k)) {
        let from = (key - 1) * stride + at;
        values.copy_within(from..from + w, key * stride + at);
    }
}

/// Restricts a change of rotation keys to the selected components. Tangents are rotated with the
/// keys.
pub(super) fn only_angles(
    before: &Track,
    values: &mut [f32],
    components: Option<ChosenComponents<'_>>,
) {
    let Some(chosen) = components else { return };
    if before.property != Property::Rotation || chosen.is_all(before) {
        return;
    }
    let stride = before.stride();
    let at = if stride == 12 { 4 } else { 0 };
    for key in 0..before.times.len() {
        let own = &mut values[key * stride..(key + 1) * stride];
        let stored = &before.values[key * stride..(key + 1) * stride];
        if own == stored {
            continue;
        }
        let (was, now) = (rotation(before.value(key)), rotation(&own[at..at + 4]));
        let wanted = chosen.put(was, now);
        own.copy_from_slice(stored);
        turn_key(own, short_log(was.inverse() * wanted), DVec3::ZERO);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::clip_edit::tests::any_track;

    proptest! {
        #[test]
        fn reading_and_writing_a_key_keeps_it(track in any_track(), pick in 0usize..12) {
            let chart = Chart::at_key(&track, pick % track.times.len());
            let stride = track.stride();
            let mut near: Option<Vec<f64>> = None;
            for key in 0..track.times.len() {
                let read = chart.read(key, near.as_deref());
                let mut own = vec![0.0; stride];
                chart.write(&read, &mut own);
                for (a, b) in own.iter().zip(&track.values[key * stride..(key + 1) * stride]) {
                    prop_assert!((a - b).abs() < 1e-4, "{a} {b}");
                }
                near = Some(read.value);
            }
        }

        #[test]
        fn a_rotation_by_zero_changes_nothing(track in any_track()) {
            if track.property != Property::Rotation {
                return Ok(());
            }
            let mut values = track.values.to_vec();
            for own in values.chunks_mut(track.stride()) {
                turn_key(own, DVec3::ZERO, DVec3::ZERO);
            }
            for (a, b) in values.iter().zip(track.values.iter()) {
                prop_assert!((a - b).abs() < 1e-5);
            }
        }
    }
}
