//! Edits of single components of keys: a number, or an angle of a rotation, and its slopes.

use glam::{DQuat, DVec3, DVec4};
use thiserror::Error;

use super::{
    CurveSpace, TrackCurves, converted,
    moments::{rotation, stored, turns},
    unwrapped::omega,
};
use crate::clip_edit::{is_auto, is_hold_end, refreshed};
use ulna_model::{Interpolation, KeySide, KeyTangents, TangentMode, TangentModes, Track};

/// Reason why the slope of a component cannot be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SlopeError {
    /// The angle cannot change independently at the key (gimbal lock).
    #[error(
        "the rotation is at gimbal lock at this key, so single angles have no slope; choose \
         another order of axes"
    )]
    GimbalLock,
    /// A STEP track has no slopes.
    #[error(
        "the track holds its values, so it has no slopes; set its interpolation to smooth first"
    )]
    Stepped,
    /// A track with a single key has no slopes.
    #[error("a track with a single key has no slopes; add a second key first")]
    SingleKey,
    /// The key or component does not exist, or the slope is not finite.
    #[error("there is no such key or component, or the slope is not a finite number")]
    Nothing,
}

impl SlopeError {
    /// Stable code of the error for scripts.
    pub const fn code(self) -> &'static str {
        match self {
            Self::GimbalLock => "gimbal_lock",
            Self::Stepped => "track_is_stepped",
            Self::SingleKey => "single_key",
            Self::Nothing => "no_key_there",
        }
    }
}

/// Sets the value of one component of a key, as [`TrackCurves::with_values`] does.
#[must_use]
pub fn with_component(
    track: &Track,
    key: usize,
    space: CurveSpace,
    component: usize,
    value: f64,
) -> Track {
    TrackCurves::new(track, space).with_values(&[(key, component, value)])
}

/// Sets the slope of one component of a key, as [`TrackCurves::with_slope`] does.
///
/// # Errors
/// As [`TrackCurves::with_slope`].
pub fn with_slope(
    track: &Track,
    key: usize,
    side: KeySide,
    space: CurveSpace,
    component: usize,
    slope: f64,
) -> Result<Track, SlopeError> {
    TrackCurves::new(track, space).with_slope(key, side, component, slope)
}

/// A CUBICSPLINE rotation key as a unit quaternion and the stored length.
struct Turning {
    q: DQuat,
    /// Length of the stored quaternion.
    length: f64,
}

impl Turning {
    fn of(track: &Track, key: usize) -> Self {
        let length = stored(track, key, 1).length();
        let usable = length.is_finite() && length > 1e-12;
        Self { q: rotation(track, key), length: if usable { length } else { 1.0 } }
    }

    /// Splits a stored tangent into the slope of the unit quaternion and the slope of its length.
    fn slope(&self, tangent: DVec4) -> (DVec4, f64) {
        let n = DVec4::from(self.q);
        let along = n.dot(tangent);
        ((tangent - n * along) / self.length, along)
    }
}

fn put(values: &mut [f32], start: usize, v: DVec4) {
    for (to, from) in values[start..start + 4].iter_mut().zip(v.to_array()) {
        *to = (from as f32).clamp(f32::MIN, f32::MAX);
    }
}

/// The slope of a unit quaternion with angular velocity `omega` in the parent's frame: `q̇ = ½ω·q`.
fn turned(omega: DVec3, q: DQuat) -> DVec4 {
    (DQuat::from_xyzw(omega.x * 0.5, omega.y * 0.5, omega.z * 0.5, 0.0) * q).into()
}

impl TrackCurves {
    /// Sets values of components. A change has a key, a component and the new value, in degrees for
    /// angles. The result is exact at the key.
    ///
    /// For angles, the other two angles and all three slopes are preserved, except at gimbal lock.
    /// For quaternion numbers, the other three are scaled to keep the length. Ends of holds follow
    /// the keys that begin them. Automatic tangents are recomputed.
    #[must_use]
    pub fn with_values(&self, changes: &[(usize, usize, f64)]) -> Track {
        let track = self.track();
        let mut values = track.values.to_vec();
        let mut done: Vec<(usize, Vec<(usize, f64)>)> = Vec::new();
        for (key, component, value) in changes {
            let there = *key < track.times.len() && *component < self.components();
            if !there || !value.is_finite() {
                continue;
            }
            match done.iter_mut().rev().find(|d| d.0 == *key) {
                Some(of) => of.1.push((*component, *value)),
                None => done.push((*key, vec![(*component, *value)])),
            }
        }
        for (key, to) in &done {
            self.put_values(&mut values, *key, to);
            if key + 1 < track.times.len() && is_hold_end(track, key + 1) {
                let (width, stride) = (track.width, track.stride());
                let skip = stride - width - if stride > width { width } else { 0 };
                let from = key * stride + skip;
                values.copy_within(from..from + width, from + stride);
            }
        }
        refreshed(track, Track { values: values.into(), ..track.clone() })
    }

    fn put_values(&self, values: &mut [f32], key: usize, to: &[(usize, f64)]) {
        let track = self.track();
        let (width, stride) = (track.width, track.stride());
        let cubic = track.interpolation == Interpolation::CubicSpline;
        let start = key * stride + if cubic { width } else { 0 };
        if !turns(track) {
            for (component, value) in to {
                values[start + component] = (*value as f32).clamp(f32::MIN, f32::MAX);
            }
            return;
        }
        let was = Turning::of(track, key);
        let q = match self.angles() {
            Some(view) => {
                let mut angles = view.at_key(key);
                for (axis, value) in to {
                    angles[view.order.place(*axis)] = value.to_radians();
                }
                view.order.rotation(angles)
            }
            None => to.iter().fold(was.q, |q, (component, value)| {
                with_number(q, *component, value * self.sign(key))
            }),
        };
        let q = self.near_neighbors(key, was.q, q);
        put(values, start, DVec4::from(q) * was.length);
        if cubic {
            for (from, part) in [(start - 4, 0), (start + 4, 2)] {
                let (slope, along) = was.slope(stored(track, key, part));
                let turn = self.carried(key, omega(was.q, slope), to);
                put(values, from, turned(turn, q) * was.length + DVec4::from(q) * along);
            }
        }
    }

    /// Returns the angular velocity at a key after a change of its angles. It preserves the rates
    /// of the three angles. At gimbal lock and for quaternion numbers, it is the old angular
    /// velocity `turn`.
    fn carried(&self, key: usize, turn: DVec3, to: &[(usize, f64)]) -> DVec3 {
        let Some(view) = self.angles() else { return turn };
        let was = view.at_key(key);
        let mut angles = was;
        for (axis, value) in to {
            angles[view.order.place(*axis)] = value.to_radians();
        }
        match view.order.rates(was, turn) {
            Some(rates) if !view.order.is_locked(angles) => view.order.omega(angles, rates),
            _ => turn,
        }
    }

    /// Returns a changed rotation with the sign that is nearer to the neighboring keys. Neighbors
    /// whose sign was inconsistent with the old value are ignored.
    fn near_neighbors(&self, key: usize, was: DQuat, q: DQuat) -> DQuat {
        let track = self.track();
        let beside = [key.checked_sub(1), Some(key + 1).filter(|k| *k < track.times.len())];
        let sum = beside
            .into_iter()
            .flatten()
            .map(|k| rotation(track, k))
            .filter(|n| n.dot(was) >= 0.0)
            .fold(DVec4::ZERO, |sum, n| sum + DVec4::from(n));
        let near = if sum.length() > 1e-3 { sum } else { was.into() };
        if near.dot(q.into()) < 0.0 { -q } else { q }
    }

    /// Sets the slope of one component at a key, per second (degrees for angles). Slopes of the
    /// other components are preserved; those of quaternion numbers change minimally.
    ///
    /// The other side of the key changes only if both sides are linked. A key without modes is
    /// linked if both of its tangents are equal. The changed sides become free, and smooth keys are
    /// recomputed. If a loop shares the tangents of its first and last key, both keys change.
    /// LINEAR tracks are first converted to CUBICSPLINE with the same motion.
    ///
    /// # Errors
    /// The key is at gimbal lock, the track is STEP or has a single key, or the arguments are
    /// invalid.
    pub fn with_slope(
        &self,
        key: usize,
        side: KeySide,
        component: usize,
        slope: f64,
    ) -> Result<Track, SlopeError> {
        let track = self.track();
        let last = track.times.len() - 1;
        if key > last || component >= self.components() || !slope.is_finite() {
            return Err(SlopeError::Nothing);
        }
        if last == 0 {
            return Err(SlopeError::SingleKey);
        }
        match track.interpolation {
            Interpolation::Step => return Err(SlopeError::Stepped),
            Interpolation::Linear => {
                let smooth = converted(track, Interpolation::CubicSpline, None).track;
                let key = smooth.key_at(track.times[key], 0.0).ok_or(SlopeError::Nothing)?;
                let curves = Self::new(&smooth, self.space());
                return curves.with_slope(key, side, component, slope);
            }
            Interpolation::CubicSpline => {}
        }
        let named = named_modes(track);
        let own = named.of(track.times[key]).unwrap_or_else(|| KeyTangents {
            linked: stored_alike(track, key),
            ..KeyTangents::default()
        });
        let side = if own.linked { KeySide::Both } else { side };
        let mut keys = vec![key];
        if track.modes.wraps() && (key == 0 || key == last) {
            keys.push(last - key);
        }
        let mut values = track.values.to_vec();
        for key in &keys {
            for leaving in [false, true] {
                if meant(side, leaving) {
                    self.put_slope(&mut values, *key, leaving, component, slope)?;
                }
            }
        }
        let mut times: Vec<f32> = keys.iter().map(|k| track.times[*k]).collect();
        times.sort_by(f32::total_cmp);
        let modes = named.changed(&times, |time| {
            let mut modes = named.of(time).unwrap_or(own);
            if meant(side, false) {
                modes.arrive = TangentMode::Free;
            }
            if meant(side, true) {
                modes.leave = TangentMode::Free;
            }
            Some(modes)
        });
        let smooth = |m: KeyTangents| [m.arrive, m.leave].contains(&TangentMode::Smooth);
        let follow = modes.iter().any(|(_, m)| smooth(m));
        let made = Track { values: values.into(), modes, ..track.clone() };
        // The acceleration stays continuous at neighboring smooth keys.
        Ok(if follow { refreshed(track, made) } else { made })
    }

    fn put_slope(
        &self,
        values: &mut [f32],
        key: usize,
        leaving: bool,
        component: usize,
        slope: f64,
    ) -> Result<(), SlopeError> {
        let track = self.track();
        let part = if leaving { 2 } else { 0 };
        let start = key * track.stride() + part * track.width;
        if !turns(track) {
            values[start + component] = (slope as f32).clamp(f32::MIN, f32::MAX);
            return Ok(());
        }
        let own = Turning::of(track, key);
        let (was, along) = own.slope(stored(track, key, part));
        let made = match self.angles() {
            Some(view) => {
                let angles = view.at_key(key);
                let mut rates =
                    view.order.rates(angles, omega(own.q, was)).ok_or(SlopeError::GimbalLock)?;
                rates[view.order.place(component)] = slope.to_radians();
                turned(view.order.omega(angles, rates), own.q)
            }
            None => {
                // The minimal change that keeps the length: along eᵢ − q·qᵢ.
                let n = DVec4::from(own.q);
                let mut way = -n * n[component];
                way[component] += 1.0;
                if way[component] < 1e-3 {
                    return Err(SlopeError::GimbalLock);
                }
                was + way * ((slope * self.sign(key) - was[component]) / way[component])
            }
        };
        put(values, start, made * own.length + DVec4::from(own.q) * along);
        Ok(())
    }
}

const fn meant(side: KeySide, leaving: bool) -> bool {
    match side {
        KeySide::Both => true,
        KeySide::Arrive => !leaving,
        KeySide::Leave => leaving,
    }
}

/// Whether both tangents of a key are equal.
fn stored_alike(track: &Track, key: usize) -> bool {
    let (stride, width) = (track.stride(), track.width);
    let own = &track.values[key * stride..(key + 1) * stride];
    own[..width] == own[2 * width..]
}

/// Returns the stored tangent modes of a track's keys. All keys are automatic if no modes are
/// stored and all tangents are automatic.
fn named_modes(track: &Track) -> TangentModes {
    if track.modes.is_empty() && is_auto(track) {
        let auto = KeyTangents::both(TangentMode::Auto);
        return track.modes.replaced(track.times.iter().map(|t| (*t, auto)));
    }
    track.modes.clone()
}

/// Sets one number of a unit quaternion, and scales the others to keep the length.
pub(super) fn with_number(q: DQuat, component: usize, value: f64) -> DQuat {
    let value = value.clamp(-1.0, 1.0);
    let mut others = DVec4::from(q);
    others[component] = 0.0;
    let rest = others.length();
    let wanted = value.mul_add(-value, 1.0).max(0.0).sqrt();
    if rest > 1e-12 {
        others *= wanted / rest;
    } else {
        others[if component == 3 { 0 } else { 3 }] = wanted;
    }
    others[component] = value;
    DQuat::from_vec4(others)
}
