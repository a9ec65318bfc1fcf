//! Visible time range of the timeline, which can be scrolled and zoomed.

use super::axis::TimeAxis;

/// Visible time range.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeView {
    /// Time at the left edge, in seconds.
    pub start: f64,
    /// Time at the right edge, in seconds.
    pub end: f64,
}

impl TimeView {
    /// Returns the time axis of the visible range between two screen positions, in points.
    pub const fn axis(&self, left: f32, right: f32) -> TimeAxis {
        TimeAxis { left, right, start: self.start, end: self.end }
    }

    /// Fits the range to a clip of a given length in seconds, with a margin on both sides.
    pub fn fit(&mut self, length: f64) {
        // An empty clip gets space for new keys.
        let length = if length > 0.0 { length } else { 2.0 };
        self.start = -length * 0.02;
        self.end = length * 1.06;
    }

    /// Fits the range to two times in seconds, with a margin on both sides.
    pub fn fit_range(&mut self, from: f64, to: f64) {
        let room = ((to - from) * 0.06).max(0.05);
        (self.start, self.end) = (from - room, to + room);
    }

    /// Zooms about a time that keeps its position. A factor above 1 shows more.
    pub fn zoom(&mut self, about: f64, factor: f64) {
        let span = ((self.end - self.start) * factor).clamp(0.01, 1e7);
        let share = (about - self.start) / (self.end - self.start);
        self.start = about - span * share;
        self.end = self.start + span;
    }

    /// Scrolls by a number of seconds.
    pub fn shift(&mut self, by: f64) {
        self.start += by;
        self.end += by;
    }
}

/// Dragged part of the visible range in the overview.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grip {
    Start,
    Middle,
    End,
}
