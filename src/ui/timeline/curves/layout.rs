//! Layout of the curves: conversion between times, values and positions, and hit tests.

use std::rc::Rc;

use egui::{Pos2, Rect, pos2};

use super::{
    super::axis::TimeAxis,
    model::{ShownCurve, Unit},
    state::ValueView,
};

/// Laid-out curves of one frame.
#[derive(Clone, Debug)]
pub struct GraphLayout {
    /// Area of the curves on screen.
    pub rect: Rect,
    /// Conversion between seconds and horizontal positions.
    pub axis: TimeAxis,
    /// Visible value ranges.
    pub values: ValueView,
    /// Shown curves.
    pub curves: Rc<Vec<ShownCurve>>,
}

impl GraphLayout {
    /// Margin above and below a normalized curve, in points.
    const ROOM: f32 = 24.0;
    /// Pick distance around a key, in points.
    const KEY_REACH: f32 = 7.0;
    /// Pick distance around a curve, in points.
    const CURVE_REACH: f32 = 6.0;

    /// Horizontal position of a time, in points.
    pub fn x(&self, time: f64) -> f32 {
        self.axis.x(time)
    }

    /// Time at a horizontal position, in seconds.
    pub fn time(&self, x: f32) -> f64 {
        self.axis.time(x)
    }

    /// Values of a curve at the bottom and the top of the graph.
    pub fn range(&self, curve: usize) -> (f64, f64) {
        let curve = &self.curves[curve];
        let Some((low, high)) = curve.normalize else { return self.values.range(curve.unit) };
        let height = f64::from(self.rect.height().max(1.0));
        let inner = (height - f64::from(Self::ROOM) * 2.0).max(height * 0.25);
        let out = (high - low) * (height / inner - 1.0) * 0.5;
        (low - out, high + out)
    }

    /// Units of the labels on the left and on the right.
    pub fn units(&self) -> (Option<Unit>, Option<Unit>) {
        let mut there = Unit::ALL
            .into_iter()
            .filter(|unit| self.curves.iter().any(|c| c.unit == *unit && c.normalize.is_none()));
        (there.next(), there.next())
    }

    /// Vertical position of a value in a unit, in points.
    pub fn unit_y(&self, unit: Unit, value: f64) -> f32 {
        self.height(self.values.range(unit), value)
    }

    /// Vertical position of a value of a curve, in points. Positions far outside the graph are
    /// clamped.
    pub fn y(&self, curve: usize, value: f64) -> f32 {
        self.height(self.range(curve), value)
    }

    fn height(&self, (low, high): (f64, f64), value: f64) -> f32 {
        let share = ((value - low) / (high - low)).clamp(-1e4, 1e4);
        self.rect.bottom() - (share * f64::from(self.rect.height())) as f32
    }

    /// Value of a curve at a vertical position.
    pub fn value(&self, curve: usize, y: f32) -> f64 {
        let (low, high) = self.range(curve);
        low + (high - low) * f64::from((self.rect.bottom() - y) / self.rect.height().max(1.0))
    }

    /// Value of a curve per point of height.
    pub fn value_per_point(&self, curve: usize) -> f64 {
        let (low, high) = self.range(curve);
        (high - low) / f64::from(self.rect.height().max(1.0))
    }

    /// Position of a key on screen.
    pub fn key_pos(&self, curve: usize, key: usize) -> Pos2 {
        let shown = &self.curves[curve];
        pos2(self.x(shown.time(key)), self.y(curve, shown.key_value(key)))
    }

    /// Index of the curve and of the key under the pointer. Locked curves are ignored, and selected
    /// joints are preferred.
    pub fn hit_key(&self, at: Pos2) -> Option<(usize, usize)> {
        let reach = f64::from(Self::KEY_REACH) / self.axis.scale();
        let wanted = self.time(at.x);
        let mut best: Option<(f32, usize, usize)> = None;
        for (k, curve) in self.curves.iter().enumerate().filter(|(_, c)| !c.locked) {
            let times = &curve.track.times;
            let from = times.partition_point(|t| f64::from(*t) < wanted - reach);
            for key in from..times.len() {
                if f64::from(times[key]) > wanted + reach {
                    break;
                }
                let far = self.key_pos(k, key).distance(at);
                let far = if curve.selected_joint { far - 1.0 } else { far };
                if far <= Self::KEY_REACH && best.is_none_or(|b| far < b.0) {
                    best = Some((far, k, key));
                }
            }
        }
        best.map(|(_, curve, key)| (curve, key))
    }

    /// Unlocked curve under the pointer, and the time there.
    pub fn hit_curve(&self, at: Pos2) -> Option<(usize, f64)> {
        let time = self.time(at.x);
        let step = 1.0 / self.axis.scale();
        let mut best: Option<(f32, usize)> = None;
        for (k, curve) in self.curves.iter().enumerate().filter(|(_, c)| !c.locked) {
            let point = |dx: f64| pos2(at.x + dx as f32, self.y(k, curve.value(time + dx * step)));
            // Test short segments on both sides, because steep curves are near horizontally.
            let far = [(-3.0, 0.0), (0.0, 3.0)]
                .into_iter()
                .map(|(from, to)| distance(at, point(from), point(to)))
                .fold(f32::MAX, f32::min);
            let far = if curve.selected_joint { far - 1.0 } else { far };
            if far <= Self::CURVE_REACH && best.is_none_or(|b| far < b.0) {
                best = Some((far, k));
            }
        }
        best.map(|(_, curve)| (curve, time))
    }
}

/// Distance of a point from a line segment.
fn distance(at: Pos2, from: Pos2, to: Pos2) -> f32 {
    let (line, there) = (to - from, at - from);
    let share = (there.dot(line) / line.length_sq().max(1e-6)).clamp(0.0, 1.0);
    (there - line * share).length()
}
