//! Euler angles of a track's rotations, tracked over time without jumps.

use std::{f64::consts::FRAC_PI_6, sync::Arc};

use glam::DVec4;

use super::{
    euler::EulerOrder,
    moments::{Key, rotation, rotation_at, span, stored},
};
use ulna_model::{Interpolation, Track};

/// Maximum change of an angle between two tracked positions, radians. Fast motion near gimbal lock
/// may exceed it.
const FOLLOWED: f64 = FRAC_PI_6;

/// Maximum rotation between two tracked positions, radians.
const TURN: f64 = 0.3;

/// Maximum sine of the second Euler angle at which a rotation counts as far from gimbal lock: a
/// rotation by [`TURN`] then changes the other two angles only a little.
const FAR_FROM_LOCK: f64 = 0.8;

/// Maximum number of pieces per segment. Each piece is halved at most `MOST_HALVES` times.
const MOST_PIECES: usize = 128;
const MOST_HALVES: u32 = 10;

/// A position between two keys as a fraction, and the three angles there relative to the previous
/// key.
type AnglesAt = (f64, [f64; 3]);

/// The angles at keys, and at positions between them if they change much.
#[derive(Clone, Debug)]
pub(super) struct Unwrapped {
    pub(super) order: EulerOrder,
    /// The three angles at each key, in radians, in the sequence of the Euler order.
    keys: Vec<[f64; 3]>,
    /// Tracked positions inside each segment; `None` if the angles change little.
    between: Vec<Option<Arc<[AnglesAt]>>>,
}

fn plus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Upper bound of the rotation between two keys, radians. It is twice the path length on the
/// quaternion sphere. For Hermite segments, the control polygon bounds this length.
fn longest_turn(track: &Track, key: usize) -> f64 {
    if track.interpolation == Interpolation::Step {
        return 0.0;
    }
    let (a, b) = (stored(track, key, 1), stored(track, key + 1, 1));
    let (length, path) = if track.interpolation == Interpolation::CubicSpline {
        let third = span(track, key) / 3.0;
        let (out, into) = (stored(track, key, 2) * third, stored(track, key + 1, 0) * third);
        let path = out.length() + (b - a - out - into).length() + into.length();
        (a.length() - path, path)
    } else {
        let b = if a.dot(b) < 0.0 { -b } else { b };
        (a.length().min(b.length()), (b - a).length() * std::f64::consts::FRAC_PI_2)
    };
    if length < 1e-2 || !path.is_finite() { f64::INFINITY } else { 2.0 * path / length }
}

/// State of tracking the angles along one segment.
struct Unwrapping<'a> {
    track: &'a Track,
    order: EulerOrder,
    key: usize,
    from: [f64; 3],
    places: Vec<AnglesAt>,
}

impl Unwrapping<'_> {
    fn angles(&self, part: f64, near: [f64; 3]) -> [f64; 3] {
        self.order.angles(rotation_at(self.track, Key { key: self.key, part }), near)
    }

    /// Tracks the angles from one position to a later one, with subdivision if they change much.
    /// Returns the angles at `to`.
    fn go(&mut self, from: (f64, [f64; 3]), to: f64, halves: u32) -> [f64; 3] {
        let there = if to < 1.0 {
            self.angles(to, from.1)
        } else {
            self.order.angles(rotation(self.track, self.key + 1), from.1)
        };
        let far = minus(there, from.1).iter().any(|d| d.abs() > FOLLOWED);
        if !far || halves == 0 {
            return there;
        }
        let middle = f64::midpoint(from.0, to);
        let half = self.go(from, middle, halves - 1);
        self.places.push((middle, minus(half, self.from)));
        self.go((middle, half), to, halves - 1)
    }
}

/// Tracks the angles from a key to the next. Returns the angles at the next key, and the tracked
/// positions in between.
fn follow(
    track: &Track,
    order: EulerOrder,
    key: usize,
    from: [f64; 3],
) -> ([f64; 3], Option<Arc<[AnglesAt]>>) {
    let turn = longest_turn(track, key);
    let near_lock = || order.middle_sine(rotation(track, key)).abs() > FAR_FROM_LOCK;
    if turn == 0.0 || (turn < TURN && !near_lock()) {
        return (order.angles(rotation(track, key + 1), from), None);
    }
    let pieces = ((turn / TURN).ceil().clamp(1.0, MOST_PIECES as f64)) as usize;
    let mut walk = Unwrapping { track, order, key, from, places: Vec::new() };
    let mut at = (0.0, from);
    for piece in 1..=pieces {
        let to = piece as f64 / pieces as f64;
        at = (to, walk.go(at, to, MOST_HALVES));
        if piece < pieces {
            walk.places.push((to, minus(at.1, from)));
        }
    }
    let places = (!walk.places.is_empty()).then(|| walk.places.into());
    (at.1, places)
}

impl Unwrapped {
    pub(super) fn new(track: &Track, order: EulerOrder) -> Self {
        let count = track.times.len();
        let mut made =
            Self { order, keys: Vec::with_capacity(count), between: Vec::with_capacity(count) };
        made.keys.push(order.angles(rotation(track, 0), [0.0; 3]));
        made.walk_on(track, count - 1);
        made
    }

    /// Tracks the angles up to the key `to`.
    fn walk_on(&mut self, track: &Track, to: usize) {
        for key in self.between.len()..to {
            let (next, places) = follow(track, self.order, key, self.keys[key]);
            self.keys.push(next);
            self.between.push(places);
        }
    }

    /// Updates the angles for a track that differs only in the keys from `first` to `last`.
    pub(super) fn changed(&self, track: &Track, first: usize, last: usize) -> Self {
        let count = track.times.len();
        let mut made =
            Self { order: self.order, keys: Vec::with_capacity(count), between: Vec::new() };
        made.between.reserve(count);
        if first == 0 {
            made.keys.push(self.order.angles(rotation(track, 0), [0.0; 3]));
        } else {
            made.keys.extend_from_slice(&self.keys[..first]);
            made.between.extend_from_slice(&self.between[..first - 1]);
        }
        let mut next = (last + 1).min(count - 1);
        made.walk_on(track, next);
        // If the angles changed by full turns, all later ones must be recomputed.
        if made.keys[next] == self.keys[next] {
            made.keys.extend_from_slice(&self.keys[next + 1..]);
            made.between.extend_from_slice(&self.between[next..]);
            next = count - 1;
        }
        if next < count - 1 {
            made.walk_on(track, count - 1);
        }
        made
    }

    /// The three angles at a key, in the sequence of the Euler order.
    pub(super) fn at_key(&self, key: usize) -> [f64; 3] {
        self.keys[key]
    }

    /// Tracked positions between a key and the next, without both ends.
    pub(super) fn places(&self, key: usize) -> &[AnglesAt] {
        self.between.get(key).and_then(Option::as_deref).unwrap_or_default()
    }

    /// The three angles at a position between keys.
    pub(super) fn at(&self, track: &Track, at: Key) -> [f64; 3] {
        let Key { key, part } = at;
        let from = self.keys[key];
        if part <= 0.0 || track.interpolation == Interpolation::Step {
            return from;
        }
        let places = self.places(key);
        let next = places.partition_point(|p| p.0 <= part);
        let (start, low) = if next == 0 { (0.0, [0.0; 3]) } else { places[next - 1] };
        let (end, high) =
            places.get(next).copied().unwrap_or((1.0, minus(self.keys[key + 1], from)));
        let u = (part - start) / (end - start);
        let near: [f64; 3] = std::array::from_fn(|n| low[n] + (high[n] - low[n]) * u);
        self.order.angles(rotation_at(track, at), plus(from, near))
    }
}

/// Computes the angular velocity in the parent's frame from the slope of a unit quaternion:
/// `ω = 2·q̇·q*`.
pub(super) fn omega(q: glam::DQuat, slope: DVec4) -> glam::DVec3 {
    (glam::DQuat::from_vec4(slope) * q.conjugate()).xyz() * 2.0
}
