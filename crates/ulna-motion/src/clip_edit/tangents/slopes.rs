//! Slopes from which a track's tangents are computed. For rotations, a slope is the rotation vector
//! per second in the parent's frame.

use glam::{DQuat, DVec3};

use super::auto::limited;
use crate::clip_edit::holds::hold_ends;
use ulna_model::{Property, Track};

/// Rates of change between the keys of a track with at least two keys.
pub(super) struct Slopes<'a> {
    track: &'a Track,
    /// Numbers per slope.
    size: usize,
    /// Rates of change per second: one slope per segment.
    rates: Vec<f64>,
    ends: Option<Vec<bool>>,
}

impl<'a> Slopes<'a> {
    pub(super) fn of(track: &'a Track) -> Self {
        let turns = track.property == Property::Rotation;
        let last = track.times.len().saturating_sub(1);
        let size = if turns { 3 } else { track.width };
        let mut rates = Vec::with_capacity(last * size);
        for key in 0..last {
            let span = f64::from(track.times[key + 1]) - f64::from(track.times[key]);
            if turns {
                let turn = unit(track, key + 1) * unit(track, key).inverse();
                let turn = if turn.w < 0.0 { -turn } else { turn };
                rates.extend((turn.to_scaled_axis() / span).to_array());
            } else {
                let pairs = track.value(key).iter().zip(track.value(key + 1));
                rates.extend(pairs.map(|(a, b)| (f64::from(*b) - f64::from(*a)) / span));
            }
        }
        Self { track, size, rates, ends: hold_ends(track) }
    }

    fn last(&self) -> usize {
        self.track.times.len() - 1
    }

    /// Length of a segment in seconds, and its rate of change per second.
    pub(super) fn span(&self, key: usize) -> (f64, &[f64]) {
        let times = &self.track.times;
        let rate = &self.rates[key * self.size..(key + 1) * self.size];
        (f64::from(times[key + 1]) - f64::from(times[key]), rate)
    }

    /// Whether the track is a loop with a matched seam: the tangents continue from the last key to
    /// the first.
    pub(super) fn is_ring(&self) -> bool {
        self.track.modes.wraps() && self.last() >= 2
    }

    /// Indices of the segments before and after a key. `None` at an open end.
    pub(super) fn around(&self, key: usize) -> (Option<usize>, Option<usize>) {
        let (ring, last) = (self.is_ring(), self.last());
        let before = if key > 0 { Some(key - 1) } else { ring.then(|| last - 1) };
        (before, if key < last { Some(key) } else { ring.then_some(0) })
    }

    /// Whether a hold begins or ends at a key or next to it, so that the slope is 0.
    pub(super) fn is_still(&self, key: usize) -> bool {
        let Some(ends) = &self.ends else { return false };
        let last = self.last();
        let near =
            |key: usize| ends[key] || (key > 0 && ends[key - 1]) || (key < last && ends[key + 1]);
        near(key) || (self.is_ring() && (key == 0 || key == last) && near(last - key))
    }

    /// Returns a slope of 0.
    pub(super) fn none(&self) -> Vec<f64> {
        vec![0.0; self.size]
    }

    /// Returns the monotone slope at a key, which is 0 at open ends and next to holds.
    pub(super) fn auto(&self, key: usize) -> Vec<f64> {
        let (Some(before), Some(after)) = self.around(key) else { return self.none() };
        if self.is_still(key) {
            return self.none();
        }
        let ((h0, d0), (h1, d1)) = (self.span(before), self.span(after));
        if self.track.property != Property::Rotation {
            return d0.iter().zip(d1).map(|(a, b)| limited(*a, *b, h0, h1)).collect();
        }
        let (d0, d1) = (DVec3::from_slice(d0), DVec3::from_slice(d1));
        if d0.dot(d1) <= 0.0 {
            return self.none();
        }
        let (a, b) = (d0.length(), d1.length());
        let way = (d0 / a + d1 / b).normalize_or_zero();
        (way * limited(a, b, h0, h1)).to_array().to_vec()
    }

    /// Returns the stored slope of one side of a key.
    pub(super) fn stored(&self, values: &[f32], key: usize, leaving: bool) -> Vec<f64> {
        let own = &values[place(self.track, key, leaving)];
        if self.track.property != Property::Rotation {
            return own.iter().map(|v| f64::from(*v)).collect();
        }
        let q = quaternion(self.track.value(key));
        let length = q.length_squared();
        if length < 1e-18 {
            return self.none();
        }
        let rate = quaternion(own) * q.conjugate();
        (DVec3::new(rate.x, rate.y, rate.z) * (2.0 / length)).to_array().to_vec()
    }

    /// Stores the slope of one side of a key. For rotations, the stored numbers are `½ω·q`.
    pub(super) fn put(&self, values: &mut [f32], key: usize, leaving: bool, slope: &[f64]) {
        let own = &mut values[place(self.track, key, leaving)];
        let narrow = |v: f64| (v as f32).clamp(f32::MIN, f32::MAX);
        if self.track.property != Property::Rotation {
            own.iter_mut().zip(slope).for_each(|(v, s)| *v = narrow(*s));
            return;
        }
        let half = DVec3::from_slice(slope) * 0.5;
        let q = quaternion(self.track.value(key));
        let tangent = DQuat::from_xyzw(half.x, half.y, half.z, 0.0) * q;
        own.iter_mut().zip(tangent.to_array()).for_each(|(v, t)| *v = narrow(t));
    }
}

/// Index range of one tangent of a key in the values of a CUBICSPLINE track.
pub(super) fn place(track: &Track, key: usize, leaving: bool) -> std::ops::Range<usize> {
    let start = key * track.stride() + if leaving { 2 * track.width } else { 0 };
    start..start + track.width
}

fn quaternion(v: &[f32]) -> DQuat {
    DQuat::from_xyzw(v[0].into(), v[1].into(), v[2].into(), v[3].into())
}

fn unit(track: &Track, key: usize) -> DQuat {
    let q = quaternion(track.value(key));
    if q.length_squared() > 1e-18 { q.normalize() } else { DQuat::IDENTITY }
}
