//! Tangents computed from tangent modes.

use super::{
    slopes::Slopes,
    spline::{Row, solved, solved_round},
};
use ulna_model::{Interpolation, KeyTangents, TangentMode, Track};

/// Recomputes the tangents of keys with modes for which `wanted` is true, and those of all smooth
/// keys. Free tangents keep their numbers.
pub(super) fn remade(track: &Track, wanted: &dyn Fn(usize) -> bool) -> Track {
    if track.interpolation != Interpolation::CubicSpline || track.modes.is_empty() {
        return track.clone();
    }
    let slopes = Slopes::of(track);
    let named: Vec<Option<KeyTangents>> = track.times.iter().map(|t| track.modes.of(*t)).collect();
    let mut values = track.values.to_vec();
    for (key, modes) in named.iter().enumerate().filter(|(key, _)| wanted(*key)) {
        let Some(modes) = modes else { continue };
        let (before, after) = slopes.around(key);
        for (leaving, mode, span) in [(false, modes.arrive, before), (true, modes.leave, after)] {
            let slope = match mode {
                TangentMode::Free | TangentMode::Smooth => continue,
                TangentMode::Auto => slopes.auto(key),
                TangentMode::Flat => slopes.none(),
                TangentMode::Linear => {
                    span.map_or_else(|| slopes.none(), |s| slopes.span(s).1.to_vec())
                }
            };
            slopes.put(&mut values, key, leaving, &slope);
        }
    }
    Runs { slopes: &slopes, named: &named, last: named.len() - 1 }.smooth(&mut values);
    Track { values: values.into(), ..track.clone() }
}

/// Solver for runs of consecutive smooth keys. The slopes of a run are solved together.
struct Runs<'a> {
    slopes: &'a Slopes<'a>,
    named: &'a [Option<KeyTangents>],
    last: usize,
}

impl Runs<'_> {
    fn is_smooth(&self, key: usize, leaving: bool) -> bool {
        self.named[key]
            .is_some_and(|m| (if leaving { m.leave } else { m.arrive }) == TangentMode::Smooth)
    }

    fn is_linked(&self, key: usize) -> bool {
        self.named[key].is_some_and(|m| m.linked)
    }

    /// Whether the curve is smooth through a key. In a loop with a matched seam, the first key also
    /// represents the last one.
    fn joins(&self, key: usize) -> bool {
        let through = |key: usize| {
            self.is_linked(key) && self.is_smooth(key, false) && self.is_smooth(key, true)
        };
        let at_end = key == 0 || key == self.last;
        let others = !at_end || (self.slopes.is_ring() && through(self.last - key));
        through(key) && others && !self.slopes.is_still(key)
    }

    fn smooth(&self, values: &mut [f32]) {
        let any = |key: usize| self.is_smooth(key, false) || self.is_smooth(key, true);
        if self.last == 0 || !(0..=self.last).any(any) {
            return;
        }
        let ring = self.slopes.is_ring();
        let start = if ring { (0..self.last).find(|k| !self.joins(*k)) } else { Some(0) };
        let Some(start) = start else { return self.all_round(values) };
        let spans: Vec<usize> = (0..self.last).map(|k| (start + k) % self.last).collect();
        let mut from = 0;
        for at in 0..spans.len() {
            if at + 1 == spans.len() || !self.joins(spans[at] + 1) {
                self.run(&spans[from..=at], values);
                from = at + 1;
            }
        }
        self.outer(values);
    }

    /// Solves the tangents of a loop in which all keys are smooth.
    fn all_round(&self, values: &mut [f32]) {
        let slopes = self.slopes;
        let before = |key: usize| if key == 0 { self.last - 1 } else { key - 1 };
        let rows = (0..self.last).map(|k| Row::between(slopes.span(before(k)), slopes.span(k)));
        for (key, slope) in solved_round(rows.collect()).iter().enumerate() {
            self.through(values, key, slope);
        }
    }

    /// Sets one slope on both sides of a key.
    fn through(&self, values: &mut [f32], key: usize, slope: &[f64]) {
        let ends = [0, self.last];
        let own = [key];
        let keys: &[usize] = if ends.contains(&key) { &ends } else { &own };
        for key in keys {
            self.slopes.put(values, *key, false, slope);
            self.slopes.put(values, *key, true, slope);
        }
    }

    /// Solves the smooth sides of consecutive segments that are joined by smooth keys.
    fn run(&self, spans: &[usize], values: &mut [f32]) {
        let slopes = self.slopes;
        let [Some(first), Some(last)] = [spans.first(), spans.last()].map(|s| s.copied()) else {
            return;
        };
        let (start, end) = (first, last + 1);
        let [open_start, open_end] = [(start, true), (end, false)]
            .map(|(key, leaving)| self.is_smooth(key, leaving) && !slopes.is_still(key));
        for (key, leaving, open) in [(start, true, open_start), (end, false, open_end)] {
            if !open && self.is_smooth(key, leaving) {
                slopes.put(values, key, leaving, &slopes.none());
            }
        }
        let mut rows = vec![if open_start {
            Row::first(slopes.span(first).1)
        } else {
            Row::fixed(slopes.stored(values, start, true))
        }];
        rows.extend(spans.windows(2).map(|w| Row::between(slopes.span(w[0]), slopes.span(w[1]))));
        rows.push(if open_end {
            Row::last(slopes.span(last).1)
        } else {
            Row::fixed(slopes.stored(values, end, false))
        });
        let found = solved(rows);
        for (span, slope) in spans.iter().skip(1).zip(&found[1..]) {
            self.through(values, *span, slope);
        }
        if open_start {
            slopes.put(values, start, true, &found[0]);
        }
        if open_end {
            slopes.put(values, end, false, &found[spans.len()]);
        }
    }

    /// Sets the outer tangents of the first and the last key, which no segment uses. Each tangent
    /// of a linked key copies the other side. In a loop with a matched seam, each outer tangent
    /// copies the tangent at the other end.
    fn outer(&self, values: &mut [f32]) {
        let (slopes, last) = (self.slopes, self.last);
        for (key, leaving, end) in [(0, false, last), (last, true, 0)] {
            if !self.is_smooth(key, leaving) {
                continue;
            }
            let slope = if slopes.is_ring() {
                slopes.stored(values, end, leaving)
            } else if self.is_linked(key) && self.is_smooth(key, !leaving) {
                slopes.stored(values, key, !leaving)
            } else {
                slopes.none()
            };
            slopes.put(values, key, leaving, &slope);
        }
    }
}
