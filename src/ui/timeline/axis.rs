//! Conversion between times and horizontal positions, in one place.

/// Visible range of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeAxis {
    /// Left edge, in points.
    pub left: f32,
    /// Right edge, in points.
    pub right: f32,
    /// Time at the left edge, in seconds.
    pub start: f64,
    /// Time at the right edge, in seconds.
    pub end: f64,
}

impl TimeAxis {
    /// Horizontal position of a time, in points.
    pub fn x(&self, time: f64) -> f32 {
        let share = (time - self.start) / (self.end - self.start);
        self.left + (f64::from(self.right - self.left) * share) as f32
    }

    /// Time at a horizontal position, in seconds.
    pub fn time(&self, x: f32) -> f64 {
        let share = f64::from((x - self.left) / (self.right - self.left).max(1.0));
        self.start + (self.end - self.start) * share
    }

    /// Scale in points per second.
    pub fn scale(&self) -> f64 {
        f64::from(self.right - self.left) / (self.end - self.start)
    }

    /// Number of frames between two labels of the ruler: 1, 2, 5, 10 and so on. Labels are at least
    /// 48 points apart.
    pub fn label_step(&self, fps: f64) -> f64 {
        let points = self.scale() / fps;
        let mut step = 1.0;
        for k in 0..60 {
            step = [1.0, 2.0, 5.0][k % 3] * 10f64.powi((k / 3) as i32);
            if step * points >= 48.0 {
                break;
            }
        }
        step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converting_times_to_pixels_and_back_restores_them() {
        let axis = TimeAxis { left: 100.0, right: 900.0, start: -0.5, end: 3.5 };
        for time in [-0.5, 0.0, 1.25, 3.5] {
            assert!((axis.time(axis.x(time)) - time).abs() < 1e-5);
        }
        assert_eq!(axis.label_step(30.0), 10.0);
    }

    #[test]
    fn a_key_at_an_enormous_time_does_not_hang_the_ruler() {
        let axis = TimeAxis { left: 0.0, right: 800.0, start: 0.0, end: 1e30 };
        assert!(axis.label_step(30.0).is_finite());
    }
}
