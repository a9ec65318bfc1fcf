//! Butterworth low-pass filter, applied forward and backward.

use std::f64::consts::PI;

/// A Butterworth filter as a cascade of sections of first or second order. Each has the
/// coefficients `b₀ b₁ b₂` and `a₁ a₂`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Butterworth {
    sections: Vec<([f64; 3], [f64; 2])>,
    /// Number of samples until the response to a jump has decayed.
    rest: usize,
}

impl Butterworth {
    /// Creates a filter that halves the power at the cutoff frequency when it is applied forward
    /// and backward. `cutoff` is in Hz, `rate` in samples per second. `None` if the rate is too low
    /// for the cutoff.
    ///
    /// The filter is the bilinear transform of the analog filter, with prewarped frequency (S.
    /// Butterworth, *On the theory of filter amplifiers*, 1930).
    pub fn new(cutoff: f64, order: u32, rate: f64) -> Option<Self> {
        let order = order.clamp(1, 8);
        // The cutoff of each pass is higher, so that both passes together have −3 dB at `cutoff`:
        // D. A. Winter, *Biomechanics and motor control of human movement*, 2009, section 2.4.4.1.
        let wider = (2.0f64.sqrt() - 1.0).powf(-0.5 / f64::from(order));
        let frequency = cutoff * wider / rate;
        if !(frequency > 0.0 && frequency < 0.499) {
            return None;
        }
        let k = (PI * frequency).tan();
        let mut sections = Vec::new();
        for pair in 0..order / 2 {
            let angle = PI * f64::from(2 * pair + 1) / (2.0 * f64::from(order));
            let damping = 2.0 * angle.sin();
            let scale = 1.0 / (1.0 + damping * k + k * k);
            let gain = k * k * scale;
            let a = [2.0 * (k * k - 1.0) * scale, (1.0 - damping * k + k * k) * scale];
            sections.push(([gain, 2.0 * gain, gain], a));
        }
        if order % 2 == 1 {
            let scale = 1.0 / (1.0 + k);
            sections.push(([k * scale, k * scale, 0.0], [(k - 1.0) * scale, 0.0]));
        }
        let rest = (f64::from(order) * 8.0 / (2.0 * PI * frequency)).ceil() as usize + 3;
        Some(Self { sections, rest })
    }

    /// Filters samples forward and backward. The samples are extended beyond both ends by point
    /// reflection, or as a loop.
    pub fn both_ways(&self, row: &mut [f64], loops: bool) {
        let count = row.len();
        if count < 2 {
            return;
        }
        let pad = if loops { self.rest } else { self.rest.min(count - 1) };
        let mut all = super::window::padded(row, pad, loops);
        for _ in 0..2 {
            self.forward(&mut all);
            all.reverse();
        }
        row.copy_from_slice(&all[pad..pad + count]);
    }

    /// One pass in transposed direct form II, which starts in the steady state of the first sample.
    fn forward(&self, row: &mut [f64]) {
        let Some(start) = row.first().copied() else { return };
        for ([b0, b1, b2], [a1, a2]) in &self.sections {
            // Steady state for a constant input, for which the gain is 1.
            let mut second = start * (b2 - a2);
            let mut first = start * (b1 - a1) + second;
            for value in row.iter_mut() {
                let x = *value;
                let y = b0 * x + first;
                first = b1 * x - a1 * y + second;
                second = b2 * x - a2 * y;
                *value = y;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_low_pass_has_the_butterworth_gain_without_delay() {
        for order in 1..=5 {
            let filter = Butterworth::new(6.0, order, 120.0).unwrap();
            for hz in [1.0, 3.0, 6.0, 12.0] {
                let wave = |k: usize| (2.0 * PI * hz * k as f64 / 120.0).sin();
                let mut row: Vec<f64> = (0..1200).map(wave).collect();
                filter.both_ways(&mut row, true);
                // The bilinear transform warps frequencies. The gain halves the power at 6 Hz.
                let warped = |f: f64| (PI * f / 120.0).tan();
                let wider = (2.0f64.sqrt() - 1.0).powf(-0.5 / f64::from(order));
                let ratio = warped(hz) / warped(6.0 * wider);
                let gain = 1.0 / (1.0 + ratio.powi(2 * order as i32));
                for (k, value) in row.iter().enumerate() {
                    assert!((value - gain * wave(k)).abs() < 2e-3, "{order} {hz} {k}: {value}");
                }
                if hz == 6.0 {
                    assert!((gain - 0.5f64.sqrt()).abs() < 0.01, "{gain}");
                }
            }
            // A straight line is not changed.
            let mut line: Vec<f64> = (0..90).map(|k| f64::from(k) * 0.3 - 4.0).collect();
            filter.both_ways(&mut line, false);
            for (k, value) in line.iter().enumerate() {
                assert!((value - (k as f64 * 0.3 - 4.0)).abs() < 0.02, "{order} {k} {value}");
            }
        }
        assert!(Butterworth::new(60.0, 2, 100.0).is_none());
    }
}
