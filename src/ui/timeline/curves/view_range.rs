//! Fits the visible value range to all curves, to selected keys, or to the visible times.

use super::{
    layout::GraphLayout,
    model::{ShownCurve, Unit},
    state::{Fit, ValueView},
};
use ulna_model::KeySet;

/// Number of keys of a curve above which values between keys are not sampled.
const MOST_BETWEEN: usize = 2000;

/// Minimum and maximum of the finite numbers; `None` without any.
fn extent(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.filter(|v| v.is_finite()).fold(None, |all, v| match all {
        None => Some((v, v)),
        Some((low, high)) => Some((f64::min(low, v), f64::max(high, v))),
    })
}

/// Values of a curve between two times.
fn values(curve: &ShownCurve, from: f64, to: f64) -> impl Iterator<Item = f64> + '_ {
    let times = &curve.track.times;
    let first = times.partition_point(|t| f64::from(*t) < from);
    let last = times.partition_point(|t| f64::from(*t) <= to).max(first);
    let keys = (first..last).map(|k| curve.key_value(k));
    let steps = if last - first > MOST_BETWEEN { 0 } else { 8 };
    let around = first.saturating_sub(1)..last.min(times.len().saturating_sub(1));
    let between = around.flat_map(move |k| {
        let (a, b) = (curve.time(k).max(from), curve.time(k + 1).min(to));
        (0..=steps).map(move |s| curve.value(a + (b - a) * f64::from(s) / f64::from(steps.max(1))))
    });
    let ends = (last == first).then_some([from, to]).into_iter().flatten();
    keys.chain(between).chain(ends.filter(|t| t.is_finite()).map(|t| curve.value(t)))
}

/// Minimum and maximum value of a curve, widened for a constant curve.
pub fn own_range(curve: &ShownCurve) -> Option<(f64, f64)> {
    let (low, high) = extent(values(curve, f64::NEG_INFINITY, f64::INFINITY))?;
    let least = (low.abs().max(high.abs()) * 1e-6).max(1e-9);
    Some(if high - low < least { (low - 0.5, high + 0.5) } else { (low, high) })
}

impl ValueView {
    /// Fits a value range to the view, with a margin above and below.
    fn fit(&mut self, unit: Unit, (low, high): (f64, f64), height: f32) {
        let least = unit.least_span();
        let (low, high) = if high - low < least {
            let middle = low * 0.5 + high * 0.5;
            (middle - least * 0.5, middle + least * 0.5)
        } else {
            (low, high)
        };
        let room = (30.0 / f64::from(height.max(120.0))).min(0.25);
        let out = (high - low) * room / (1.0 - 2.0 * room);
        self.set(unit, low - out, high + out);
    }
}

impl GraphLayout {
    /// Value ranges that fit the curves.
    pub fn fitted(&self, fit: Fit, selected: &KeySet) -> ValueView {
        let mut view = self.values;
        let some = fit == Fit::Selected && self.curves.iter().any(|c| is_some(c, selected));
        for unit in Unit::ALL {
            let of_unit = self.curves.iter().filter(|c| c.unit == unit && c.normalize.is_none());
            let found = of_unit.filter_map(|curve| match fit {
                Fit::Selected if some => {
                    let keys = (0..curve.len()).filter(|k| has(curve, *k, selected));
                    extent(keys.map(|k| curve.key_value(k)))
                }
                Fit::Height => extent(values(curve, self.axis.start, self.axis.end)),
                Fit::All | Fit::Selected => extent(values(curve, f64::NEG_INFINITY, f64::INFINITY)),
            });
            if let Some(range) = extent(found.flat_map(|(low, high)| [low, high])) {
                view.fit(unit, range, self.rect.height());
            }
        }
        view
    }
}

fn has(curve: &ShownCurve, key: usize, selected: &KeySet) -> bool {
    let has = |id| selected.has(id, curve.id.component, curve.track.times[key]);
    curve.id.track().is_some_and(has)
}

fn is_some(curve: &ShownCurve, selected: &KeySet) -> bool {
    curve.id.track().is_some_and(|id| !selected.times_of(id, curve.id.component).is_empty())
}

/// Step of grid lines that are at least `least` points apart. Steps are 1, 2 or 5 times a power of
/// ten, or 15, 30, 45, 90 and so on for degrees.
pub fn grid_step(unit: Unit, per_point: f64, least: f32) -> f64 {
    let wanted = per_point * f64::from(least);
    if !(wanted.is_finite() && wanted > 0.0) {
        return 1.0;
    }
    if unit == Unit::Degrees
        && let Some(step) =
            [5.0, 10.0, 15.0, 30.0, 45.0, 90.0, 180.0, 360.0].into_iter().find(|s| *s >= wanted)
        && wanted > 2.0
    {
        return step;
    }
    let power = 10f64.powf(wanted.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|k| k * power).find(|s| *s >= wanted).unwrap_or(wanted)
}

/// Label of a grid line, with as many decimals as its step needs.
pub fn grid_label(value: f64, step: f64, unit: Unit) -> String {
    let decimals = (-step.log10().floor()).clamp(0.0, 6.0) as usize;
    let value = if value.abs() < step * 1e-6 { 0.0 } else { value };
    let text = match value.abs() {
        v if v >= 1e6 => format!("{value:.2e}"),
        _ => format!("{value:.decimals$}"),
    };
    format!("{}{}", text.replace('-', "−"), unit.sign())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn grid_lines_have_a_readable_spacing(
            power in -12.0f64..12.0, degrees: bool,
        ) {
            let unit = if degrees { Unit::Degrees } else { Unit::Meters };
            let per_point = 10f64.powf(power);
            let apart = grid_step(unit, per_point, 40.0) / per_point;
            prop_assert!((39.9..=200.1).contains(&apart), "{apart} points");
        }

        #[test]
        fn a_curve_view_always_has_a_height(low in -1e38f64..1e38, span in 0.0f64..1e-9) {
            let mut view = ValueView::default();
            view.set(Unit::Meters, low, low + span);
            let (low, high) = view.range(Unit::Meters);
            prop_assert!(high > low);
            view.zoom(0.5, 1e-9);
            view.shift(0.5);
            let (low, high) = view.range(Unit::Meters);
            prop_assert!(high > low && low.is_finite() && high.is_finite());
        }
    }

    #[test]
    fn grid_labels_are_short() {
        assert_eq!(grid_label(-20.0, 20.0, Unit::Degrees), "−20°");
        assert_eq!(grid_label(0.25, 0.05, Unit::Meters), "0.25 m");
        assert_eq!(grid_label(-1e-17, 0.5, Unit::Plain), "0.0");
        assert_eq!(grid_label(2e9, 1e9, Unit::Plain), "2.00e9");
    }
}
