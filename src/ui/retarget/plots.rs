//! Plots of the ground speeds of feet and of the hip height, before and after retargeting.

use egui::{Rect, Shape, Stroke, Ui, pos2};

use crate::ui::{Theme, timeline::TimeAxis};
use ulna_render::ColorRole;

/// Margin above and below a curve, in points.
const ROOM: f32 = 6.0;

/// Two curves over time: before and after retargeting.
pub(super) struct Curves<'a> {
    pub times: &'a [f32],
    pub before: &'a [f32],
    pub after: &'a [f32],
    /// Lowest and highest value of the plot.
    pub range: [f32; 2],
}

/// Draws both curves: dashed before, solid after.
pub(super) fn curves_ui(ui: &Ui, theme: &Theme, axis: &TimeAxis, rect: Rect, of: &Curves<'_>) {
    let painter = ui.painter_at(rect);
    let [low, high] = of.range;
    let span = (high - low).max(1e-6);
    let point = |(time, value): (&f32, &f32)| {
        let part = (value - low) / span;
        let y = rect.bottom() - ROOM - part * (rect.height() - 2.0 * ROOM);
        pos2(axis.x(f64::from(*time)), y)
    };
    let line = |values: &[f32]| of.times.iter().zip(values).map(point).collect::<Vec<_>>();
    let before = Stroke::new(1.0, theme.color(ColorRole::TextTertiary));
    painter.extend(Shape::dashed_line(&line(of.before), before, 3.0, 3.0));
    let after = Stroke::new(1.5, theme.color(ColorRole::TextPrimary));
    painter.add(Shape::line(line(of.after), after));
}

/// Interpolated value at a time.
pub(super) fn value_at(times: &[f32], values: &[f32], time: f32) -> Option<f32> {
    let next = times.partition_point(|t| *t < time).min(times.len().checked_sub(1)?);
    let (to, before) = (*values.get(next)?, next.saturating_sub(1));
    let (from, start, end) = (*values.get(before)?, times[before], times[next]);
    if end <= start {
        return Some(to);
    }
    Some(from + (to - from) * ((time - start) / (end - start)).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::value_at;

    #[test]
    fn values_between_samples_are_interpolated() {
        let (times, values) = ([0.0, 1.0, 2.0], [0.0, 10.0, 30.0]);
        assert_eq!(value_at(&times, &values, 0.5), Some(5.0));
        assert_eq!(value_at(&times, &values, 2.5), Some(30.0));
        assert_eq!(value_at(&times, &values, -1.0), Some(0.0));
        assert_eq!(value_at(&[], &[], 0.0), None);
    }
}
