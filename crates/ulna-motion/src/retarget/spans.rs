//! Replacement of the keys of a track in some time spans.

use crate::insert_key;
use ulna_model::{Interpolation, Property, Track};

/// Maximum distance of an old key from a new span for the old key to be replaced, seconds.
const NEAR: f32 = 1e-4;

/// New keys of a time span: times in seconds, rising, with their values. The first and the last
/// value equal the track's values at these times.
pub(super) type SpanKeys = Vec<(f32, Vec<f32>)>;

/// Replaces the keys of a track in some time spans, which are in rising order and do not overlap.
/// Outside of the spans, the motion is unchanged. In a CUBICSPLINE track, new keys get tangents of
/// a smooth curve.
pub(super) fn with_spans(track: &Track, spans: &[SpanKeys]) -> Track {
    let spans: Vec<&SpanKeys> = spans.iter().filter(|s| s.len() > 1).collect();
    let cubic = track.interpolation == Interpolation::CubicSpline;
    let mut base = track.clone();
    let ends = spans.iter().flat_map(|s| [s[0].0, s[s.len() - 1].0]);
    // LINEAR and STEP segments keep their shape when they are cut. A curve must be split by a key.
    for time in ends.filter(|_| cubic) {
        let (start, end) = (base.times[0], base.times[base.times.len() - 1]);
        if time > start && time < end {
            base = insert_key(&base, time, None, true).track;
        }
    }
    let mut made = Assembly::new(&base);
    let mut next = 0;
    for span in &spans {
        let (first, last) = (span[0].0, span[span.len() - 1].0);
        let below = base.times.partition_point(|t| *t < first - NEAR);
        made.keep(next..below.max(next));
        made.put(span);
        next = base.times.partition_point(|t| *t <= last + NEAR).max(next);
    }
    made.keep(next..base.times.len());
    let within =
        |time: f32| spans.iter().any(|s| time >= s[0].0 - NEAR && time <= s[s.len() - 1].0 + NEAR);
    let (times, values) = (made.times, made.values);
    let kinds = base.kinds.iter().filter(|(t, _)| !within(*t)).collect();
    let modes = base.modes.replaced(base.modes.iter().filter(|(t, _)| !within(*t)));
    Track { times: times.into(), values: values.into(), kinds, modes, ..base }
}

/// A track under construction. Signs of quaternions are consistent from key to key.
struct Assembly<'a> {
    base: &'a Track,
    times: Vec<f32>,
    values: Vec<f32>,
}

impl<'a> Assembly<'a> {
    fn new(base: &'a Track) -> Self {
        let (times, values) =
            (Vec::with_capacity(base.times.len()), Vec::with_capacity(base.values.len()));
        Self { base, times, values }
    }

    /// Offset of a key's value within its numbers: after the in-tangent for CUBICSPLINE, else 0.
    fn skip(&self) -> usize {
        if self.base.interpolation == Interpolation::CubicSpline { self.base.width } else { 0 }
    }

    /// Returns −1 if a rotation must be negated to be consistent with the last key, else 1.
    fn sign(&self, value: &[f32]) -> f32 {
        let (stride, width) = (self.base.stride(), self.base.width);
        let Some(start) = self.values.len().checked_sub(stride) else { return 1.0 };
        let last = &self.values[start + self.skip()..][..width];
        let dot: f32 = last.iter().zip(value).map(|(a, b)| a * b).sum();
        if self.base.property == Property::Rotation && dot < 0.0 { -1.0 } else { 1.0 }
    }

    /// Appends unchanged keys of the old track.
    fn keep(&mut self, keys: std::ops::Range<usize>) {
        let stride = self.base.stride();
        if keys.is_empty() {
            return;
        }
        let sign = self.sign(self.base.value(keys.start));
        self.times.extend(&self.base.times[keys.clone()]);
        let values = &self.base.values[keys.start * stride..keys.end * stride];
        self.values.extend(values.iter().map(|v| v * sign));
    }

    /// Appends new keys.
    fn put(&mut self, keys: &[(f32, Vec<f32>)]) {
        let (width, stride) = (self.base.width, self.base.stride());
        let cubic = self.skip() > 0;
        let start = self.values.len();
        for (time, value) in keys {
            let sign = self.sign(value);
            self.times.push(*time);
            if cubic {
                self.values.extend(std::iter::repeat_n(0.0, width));
            }
            self.values.extend(value.iter().map(|v| v * sign));
            if cubic {
                self.values.extend(std::iter::repeat_n(0.0, width));
            }
        }
        if !cubic {
            return;
        }
        for k in 0..keys.len() {
            let (a, b) = (k.saturating_sub(1), (k + 1).min(keys.len() - 1));
            let time = (keys[b].0 - keys[a].0).max(1e-6);
            for c in 0..width {
                let of = |k: usize| self.values[start + k * stride + width + c];
                let slope = (of(b) - of(a)) / time;
                let own = start + k * stride + c;
                // The outer tangents at both ends of the span are set to the old ones below.
                self.values[own] = slope;
                self.values[own + 2 * width] = slope;
            }
        }
        let ends = [(0, keys[0].0, 0), (keys.len() - 1, keys[keys.len() - 1].0, 2 * width)];
        for (k, time, half) in ends {
            let Some(old) = self.base.key_at(time, NEAR) else { continue };
            let old = old * stride;
            let at = start + k * stride;
            let dot: f32 = (0..width)
                .map(|c| self.base.values[old + width + c] * self.values[at + width + c])
                .sum();
            let turns = self.base.property == Property::Rotation;
            let sign = if turns && dot < 0.0 { -1.0 } else { 1.0 };
            for c in 0..width {
                self.values[at + half + c] = self.base.values[old + half + c] * sign;
            }
        }
    }
}
