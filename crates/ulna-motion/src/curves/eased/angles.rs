//! Eases of single Euler angles of a rotation.

use super::{marked, part, turned_over, with_stops};
use crate::curves::{
    ChosenComponents, TrackCurves,
    chart::rotation,
    ease::{Ease, EaseShape},
    ease_plan::Stop,
};
use ulna_model::{KeySide, KeyTangents, Track};

/// Writes an ease of some Euler angles to a spline, between the keys at two times. Returns the
/// track and its largest error, relative to the change of value. At keys, the other angles and
/// their slopes are preserved. At gimbal lock, where an angle has no slope of its own, the slopes
/// are unchanged.
pub(super) fn put(
    track: &Track,
    (start, end): (f32, f32),
    ease: &Ease,
    chosen: ChosenComponents<'_>,
) -> (Track, f64) {
    let mut made = track.clone();
    let ends = (made.key_at(start, 0.0), made.key_at(end, 0.0));
    let (Some(first), Some(last)) = ends else { return (made, 0.0) };
    made = turned_over(made, first, last);
    // Only the segment between the two keys is processed, independent of the track's length.
    let whole = TrackCurves::new(&part(&made, first, last), chosen.space);
    let span = Span {
        ends: (f64::from(start), f64::from(end)),
        ways: (chosen.list.iter())
            .map(|c| usize::from(*c))
            .filter(|c| *c < whole.components())
            .map(|c| (c, whole.key_value(0, c), whole.key_value(last - first, c)))
            .collect(),
    };
    let turn = span.ways.iter().map(|(_, a, b)| (b - a).abs()).fold(0.0, f64::max);
    let turn = turn.to_radians() * 0.5;
    let (stops, added) = with_stops(&mut made, (start, end), ease, turn, &|_| None);
    let Some(last) = made.key_at(end, 0.0) else { return (made, 0.0) };
    let mut piece = part(&made, first, last);
    // Free and not linked, so that a side without a new slope is unchanged.
    let free = KeyTangents { linked: false, ..KeyTangents::default() };
    piece.modes = piece.modes.with(&piece.times, Some(free));
    let mut curves = TrackCurves::new(&piece, chosen.space);
    let values: Vec<(usize, usize, f64)> = added
        .iter()
        .filter_map(|(time, stop)| Some((curves.track().key_at(*time, 0.0)?, stop)))
        .flat_map(|(key, stop)| {
            span.ways.iter().map(move |(c, a, b)| (key, *c, a + (b - a) * stop.value))
        })
        .collect();
    curves = curves.updated(&signed(&curves, &values));
    let outer = [(start, stops[0]), (end, stops[stops.len() - 1])];
    for (time, stop) in added.iter().chain(&outer) {
        curves = span.sloped(curves, *time, stop);
    }
    let stride = made.stride();
    let mut values = made.values.to_vec();
    values[first * stride..(last + 1) * stride].copy_from_slice(&curves.track().values);
    made.values = values.into();
    let error = span.error(&curves, ease);
    (marked(made, &added, (start, end)), error)
}

/// Sets values of keys, and makes the quaternions' signs follow the angles. Angles may change by
/// more than half a turn between two keys.
fn signed(curves: &TrackCurves, to: &[(usize, usize, f64)]) -> Track {
    let track = curves.with_values(to);
    let Some(view) = curves.angles() else { return track };
    let lifted = |key: usize| {
        let mut angles = view.at_key(key);
        for (_, component, value) in to.iter().filter(|v| v.0 == key) {
            angles[view.order.place(*component)] = value.to_radians();
        }
        view.order.rotation(angles).dot(rotation(track.value(key)))
    };
    let (stride, last) = (track.stride(), track.times.len() - 1);
    let first = lifted(0);
    let mut values = track.values.to_vec();
    for key in (1..last).filter(|k| lifted(*k) * first < 0.0) {
        values[key * stride..(key + 1) * stride].iter_mut().for_each(|v| *v = -*v);
    }
    Track { values: values.into(), ..track }
}

/// The segment to which an ease is applied.
struct Span {
    /// Times of the start and the end, seconds.
    ends: (f64, f64),
    /// Eased components with their values at both ends, degrees.
    ways: Vec<(usize, f64, f64)>,
}

impl Span {
    /// Sets the slopes of a planned key.
    fn sloped(&self, curves: TrackCurves, time: f32, stop: &Stop) -> TrackCurves {
        let Some(key) = curves.track().key_at(time, 0.0) else { return curves };
        let seconds = self.ends.1 - self.ends.0;
        let mut made = curves;
        for (component, a, b) in &self.ways {
            for (side, slope) in [(KeySide::Arrive, stop.arrive), (KeySide::Leave, stop.leave)] {
                let at_end = f64::from(time)
                    == if side == KeySide::Arrive { self.ends.0 } else { self.ends.1 };
                if at_end {
                    continue;
                }
                let slope = (b - a) * slope / seconds;
                if let Ok(track) = made.with_slope(key, side, *component, slope) {
                    made = made.updated(&track);
                }
            }
        }
        made
    }

    /// Measures the largest error of the angles against the formula, relative to the change of
    /// value.
    fn error(&self, curves: &TrackCurves, ease: &Ease) -> f64 {
        const SAMPLES: u32 = 100;
        // A jump may have any value in between, so it is not sampled.
        let samples = if ease.shape == EaseShape::Step { 0 } else { SAMPLES };
        let (from, to) = self.ends;
        let mut worst = 0.0f64;
        for k in 1..samples {
            let s = f64::from(k) / f64::from(SAMPLES);
            for (component, a, b) in self.ways.iter().filter(|w| (w.2 - w.1).abs() > 1e-4) {
                let wanted = a + (b - a) * ease.at(s);
                let seen = curves.value(*component, from + (to - from) * s);
                worst = worst.max(((seen - wanted) / (b - a)).abs());
            }
        }
        worst
    }
}
