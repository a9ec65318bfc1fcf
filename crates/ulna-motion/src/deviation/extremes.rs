//! Largest values over points, joints and times.

use super::points::PointIndex;

/// The largest value so far, with its time and its point or joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extreme<T> {
    pub value: f64,
    pub time: f64,
    pub at: Option<T>,
}

impl<T> Default for Extreme<T> {
    fn default() -> Self {
        Self { value: 0.0, time: 0.0, at: None }
    }
}

impl<T: Copy> Extreme<T> {
    /// Replaces the value if the new one is larger. The first of equal values is kept, so that
    /// results do not depend on the order of threads.
    pub fn take(&mut self, value: f64, time: f64, at: T) {
        if value > self.value {
            *self = Self { value, time, at: Some(at) };
        }
    }

    pub fn merge(&mut self, other: &Self) {
        if let Some(at) = other.at {
            self.take(other.value, other.time, at);
        }
    }
}

/// Extremes of one motion, over points and joints.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extremes {
    pub point: Extreme<PointIndex>,
    /// Largest angle between joint axes, with the index of the compared node.
    pub angle: Extreme<usize>,
    pub distance: Extreme<usize>,
}

impl Extremes {
    pub fn merge(&mut self, other: &Self) {
        self.point.merge(&other.point);
        self.angle.merge(&other.angle);
        self.distance.merge(&other.distance);
    }
}
