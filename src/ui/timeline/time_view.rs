//! The seconds in sight of the timeline, which are scrolled and zoomed.

use super::axis::TimeAxis;

/// The seconds in sight.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeView {
    /// Seconds at the left edge.
    pub start: f64,
    /// Seconds at the right edge.
    pub end: f64,
}

impl TimeView {
    /// The axis of these seconds between two edges, points.
    pub const fn axis(&self, left: f32, right: f32) -> TimeAxis {
        TimeAxis { left, right, start: self.start, end: self.end }
    }

    /// Shows the whole clip, with a little room on both sides.
    pub fn fit(&mut self, length: f64) {
        // Of a clip without keys there is room for some.
        let length = if length > 0.0 { length } else { 2.0 };
        self.start = -length * 0.02;
        self.end = length * 1.06;
    }

    /// Shows these seconds, with a little room on both sides.
    pub fn fit_range(&mut self, from: f64, to: f64) {
        let room = ((to - from) * 0.06).max(0.05);
        (self.start, self.end) = (from - room, to + room);
    }

    /// Shows more or less, about a time that stays where it is.
    pub fn zoom(&mut self, about: f64, factor: f64) {
        let span = ((self.end - self.start) * factor).clamp(0.01, 1e7);
        let share = (about - self.start) / (self.end - self.start);
        self.start = about - span * share;
        self.end = self.start + span;
    }

    /// Moves what is in sight by so many seconds.
    pub fn shift(&mut self, by: f64) {
        self.start += by;
        self.end += by;
    }
}

/// A part of the window onto the clip that is dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grip {
    Start,
    Middle,
    End,
}
