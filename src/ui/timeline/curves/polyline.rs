//! Curves as polylines with as many points as the zoom level needs, cached while scrolling.

use std::{collections::HashMap, ops::Range, rc::Rc};

use super::{
    layout::GraphLayout,
    model::{CurveId, ShownCurve, TrackCurves},
    sources::CurveState,
};
use ulna_model::Interpolation;

/// Level of detail of a polyline: the binary logarithms of seconds per point and of values per
/// point, rounded down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Level {
    seconds: i32,
    value: i32,
    /// Whether there are so many curves that short segments are drawn straight.
    crowded: bool,
}

/// Number of curves above which the graph is crowded.
const CROWD: usize = 200;

impl Level {
    fn of(layout: &GraphLayout, curve: usize) -> Self {
        let power = |step: f64| step.max(1e-300).log2().floor() as i32;
        Self {
            seconds: power(1.0 / layout.axis.scale()),
            value: power(layout.value_per_point(curve)),
            crowded: layout.curves.len() > CROWD,
        }
    }

    fn seconds(self) -> f64 {
        2f64.powi(self.seconds)
    }

    fn value(self) -> f64 {
        2f64.powi(self.value)
    }

    /// Largest error of a simplified line that stays invisible, in value units.
    fn unseen(self) -> f64 {
        self.value() * if self.crowded { 0.5 } else { 0.25 }
    }
}

/// Cached polyline of a range of keys, as seconds and values.
#[derive(Clone, Debug)]
struct Kept {
    curves: Rc<TrackCurves>,
    level: Level,
    keys: Range<usize>,
    points: Rc<Vec<(f64, f64)>>,
}

/// Cached polylines of curves.
#[derive(Clone, Debug, Default)]
pub struct Polylines {
    kept: HashMap<(CurveId, CurveState), Kept>,
}

impl Polylines {
    /// Points of the visible part of a curve and its surroundings, as seconds and values.
    pub fn of(
        &mut self,
        layout: &GraphLayout,
        (place, curve): (usize, &ShownCurve),
        state: CurveState,
    ) -> Rc<Vec<(f64, f64)>> {
        let level = Level::of(layout, place);
        let seen = seen(curve, layout.axis.start, layout.axis.end);
        let kept = self.kept.get(&(curve.id, state)).filter(|kept| {
            Rc::ptr_eq(&kept.curves, &curve.curves)
                && kept.level == level
                && kept.keys.start <= seen.start
                && seen.end <= kept.keys.end
        });
        if let Some(kept) = kept {
            return kept.points.clone();
        }
        // Include extra keys on both sides, so that scrolling can use the cache.
        let more = seen.len() / 2 + 2;
        let keys = seen.start.saturating_sub(more)..(seen.end + more).min(curve.len());
        let points = Rc::new(points(curve, keys.clone(), level));
        let kept = Kept { curves: curve.curves.clone(), level, keys, points: points.clone() };
        self.kept.insert((curve.id, state), kept);
        points
    }

    /// Drops cached curves that are not shown, if the cache is large.
    pub fn retain(&mut self, shown: &[ShownCurve]) {
        if self.kept.len() > shown.len() * 3 + 64 {
            let there: std::collections::HashSet<CurveId> = shown.iter().map(|c| c.id).collect();
            self.kept.retain(|(id, _), _| there.contains(id));
        }
    }
}

/// Keys of the visible segments, including one key beyond each edge.
pub fn seen(curve: &ShownCurve, start: f64, end: f64) -> Range<usize> {
    let times = &curve.track.times;
    let from = times.partition_point(|t| f64::from(*t) < start).saturating_sub(1);
    let to = (times.partition_point(|t| f64::from(*t) <= end) + 1).min(times.len());
    from.min(to)..to
}

/// Points of a curve over a range of keys.
fn points(curve: &ShownCurve, keys: Range<usize>, level: Level) -> Vec<(f64, f64)> {
    let Some(last) = keys.end.checked_sub(1).filter(|last| *last > keys.start) else {
        return keys.map(|k| (curve.time(k), curve.key_value(k))).collect();
    };
    let span = curve.time(last) - curve.time(keys.start);
    if span < level.seconds() * (last - keys.start) as f64 {
        return columns(curve, keys, level);
    }
    let (component, tolerance) =
        (usize::from(curve.id.component), (level.seconds(), level.value() * 0.25));
    let mut out: Vec<(f64, f64)> = Vec::with_capacity((last - keys.start) * 2);
    let step = curve.track.interpolation == Interpolation::Step;
    for key in keys.start..last {
        let (from, to) = (curve.time(key), curve.time(key + 1));
        let few = to - from < level.seconds() * if level.crowded { 12.0 } else { 3.0 };
        let plain = curve.track.interpolation == Interpolation::Linear
            && curve.track.property != ulna_model::Property::Rotation;
        if step {
            let value = curve.key_value(key);
            out.extend([(from, value), (to, value)]);
        } else if few || plain {
            out.extend([(from, curve.key_value(key)), (to, curve.key_value(key + 1))]);
        } else {
            curve.curves.sample_segment(key, component, &mut out, tolerance);
        }
        out.dedup();
    }
    out.push((curve.time(last), curve.key_value(last)));
    out.retain(|(t, v)| t.is_finite() && v.is_finite());
    fewer(&mut out, level.unseen());
    out
}

/// Simplifies a polyline of seconds and values in one pass. The result deviates by at most
/// `most`, in value units. Ends and steps are kept. From each kept point, it tracks the range of
/// slopes that stay close to all later points.
fn fewer(points: &mut Vec<(f64, f64)>, most: f64) {
    const ANY: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);
    let (mut kept, mut slopes) = (0, ANY);
    let mut waiting: Option<(f64, f64)> = None;
    for k in 1..points.len() {
        let (next, from) = (points[k], points[kept]);
        if let Some(before) = waiting {
            let slope = (next.1 - from.1) / (next.0 - from.0);
            let joins = next.0 > before.0 && slope >= slopes.0 && slope <= slopes.1;
            if !joins {
                kept += 1;
                points[kept] = before;
                slopes = ANY;
            }
        }
        let from = points[kept];
        let seconds = next.0 - from.0;
        if seconds > 0.0 {
            let slope = |value: f64| (value - from.1) / seconds;
            slopes = (slopes.0.max(slope(next.1 - most)), slopes.1.min(slope(next.1 + most)));
            waiting = Some(next);
        } else {
            kept += 1;
            points[kept] = next;
            (slopes, waiting) = (ANY, None);
        }
    }
    if let Some(last) = waiting {
        kept += 1;
        points[kept] = last;
    }
    points.truncate(kept + 1);
}

/// Minimum and maximum key of each column of pixels, for curves with more keys than points.
fn columns(curve: &ShownCurve, keys: Range<usize>, level: Level) -> Vec<(f64, f64)> {
    let mut out = Vec::new();
    let mut at = keys.start;
    while at < keys.end {
        let from = curve.time(at);
        let until = ((from / level.seconds()).floor() + 1.0) * level.seconds();
        let (mut low, mut high) = (at, at);
        let first = at;
        while at < keys.end && curve.time(at) < until || at == first {
            let value = curve.key_value(at);
            low = if value < curve.key_value(low) { at } else { low };
            high = if value > curve.key_value(high) { at } else { high };
            at += 1;
        }
        for k in [low.min(high), low.max(high)] {
            out.push((curve.time(k), curve.key_value(k)));
        }
    }
    out.retain(|(_, v)| v.is_finite());
    out.dedup();
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Distance of a line from a value at a time; 0 if the value is inside a step of the line.
    fn off(line: &[(f64, f64)], (time, value): (f64, f64)) -> f64 {
        let mut least = f64::INFINITY;
        for pair in line.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            if a.0 == b.0 && a.0 == time {
                let (low, high) = (a.1.min(b.1), a.1.max(b.1));
                least = least.min((low - value).max(value - high).max(0.0));
            } else if a.0 <= time && time <= b.0 {
                let there = a.1 + (b.1 - a.1) * (time - a.0) / (b.0 - a.0);
                least = least.min((there - value).abs());
            }
        }
        least
    }

    proptest! {
        #[test]
        fn a_simplified_line_stays_close_to_all_points(
            steps in prop::collection::vec((0u8..3, -2.0f64..2.0), 2..60),
            most in 0.01f64..3.0,
        ) {
            let mut time = 0.0;
            let mut point = |(step, value): &(u8, f64)| {
                time += f64::from(*step) * 0.5;
                (time, *value)
            };
            let points: Vec<(f64, f64)> = steps.iter().map(&mut point).collect();
            let mut line = points.clone();
            fewer(&mut line, most);
            prop_assert_eq!(line.first(), points.first());
            prop_assert_eq!(line.last(), points.last());
            prop_assert!(line.len() <= points.len());
            for point in &points {
                let far = off(&line, *point);
                prop_assert!(line.len() < 2 || far <= most + 1e-9, "{point:?} {line:?}");
            }
        }
    }

    #[test]
    fn a_straight_line_with_small_noise_becomes_two_points() {
        let noise = |k: i32| if k % 2 == 0 { 0.1 } else { -0.1 };
        let mut points: Vec<_> =
            (0..300).map(|k| (f64::from(k), f64::from(k) * 0.5 + noise(k))).collect();
        fewer(&mut points, 0.25);
        assert_eq!(points.len(), 2);
    }
}
