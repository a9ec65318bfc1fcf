//! Eases: progress between two keys as a function of time, by the formulas that animators know (R.
//! Penner, *Motion, tweening, and easing*, 2002; easings.net), and custom cubic Bézier curves as in
//! CSS.

use std::f64::consts::{FRAC_PI_2, PI};

/// The formula of an ease.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EaseShape {
    /// Constant speed.
    Linear,
    /// `1 − cos(πu/2)`
    Sine,
    /// `u²`
    Quad,
    /// `u³`
    Cubic,
    /// `u⁴`
    Quart,
    /// `u⁵`
    Quint,
    /// `(2^(10u) − 1) / 1023`
    Expo,
    /// `1 − √(1 − u²)`
    Circ,
    /// Starts with a movement in the opposite direction: `2.70158u³ − 1.70158u²`
    Back,
    /// A bouncing ball, with increasing height.
    Bounce,
    /// A spring, with increasing amplitude.
    Elastic,
    /// A jump at the end.
    Step,
    /// A custom shape: the cubic Bézier curve from (0, 0) via (x1, y1) and (x2, y2) to (1, 1). x is
    /// in `0..=1`.
    Bezier([f64; 4]),
}

impl EaseShape {
    /// The named shapes.
    pub const PRESETS: [Self; 12] = [
        Self::Linear,
        Self::Sine,
        Self::Quad,
        Self::Cubic,
        Self::Quart,
        Self::Quint,
        Self::Expo,
        Self::Circ,
        Self::Back,
        Self::Bounce,
        Self::Elastic,
        Self::Step,
    ];

    /// Display name of the shape.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Linear => "Linear",
            Self::Sine => "Sine",
            Self::Quad => "Quad",
            Self::Cubic => "Cubic",
            Self::Quart => "Quart",
            Self::Quint => "Quint",
            Self::Expo => "Expo",
            Self::Circ => "Circ",
            Self::Back => "Back",
            Self::Bounce => "Bounce",
            Self::Elastic => "Elastic",
            Self::Step => "Step",
            Self::Bezier(_) => "Custom",
        }
    }

    /// The value at `u`, `0..=1`, with a slow start.
    fn at(self, u: f64) -> f64 {
        const BACK: f64 = 1.701_58;
        match self {
            Self::Linear => u,
            Self::Sine => 1.0 - (u * FRAC_PI_2).cos(),
            Self::Quad => u * u,
            Self::Cubic => u.powi(3),
            Self::Quart => u.powi(4),
            Self::Quint => u.powi(5),
            Self::Expo => ((u * 10.0).exp2() - 1.0) / 1023.0,
            Self::Circ => 1.0 - (1.0 - u * u).max(0.0).sqrt(),
            Self::Back => (BACK + 1.0) * u.powi(3) - BACK * u * u,
            Self::Bounce => 1.0 - bounced(1.0 - u),
            Self::Elastic => {
                -(10.0 * u - 10.0).exp2() * ((u * 10.0 - 10.75) * (2.0 * PI / 3.0)).sin()
            }
            Self::Step => f64::from(u8::from(u >= 1.0)),
            Self::Bezier(handles) => bezier(handles, u),
        }
    }
}

/// Evaluates a falling ball that bounces with decreasing height.
fn bounced(u: f64) -> f64 {
    const N: f64 = 7.5625;
    let fall = |middle: f64, height: f64| {
        let v = u - middle / BOUNCES;
        N * v * v + height
    };
    if u < 1.0 / BOUNCES {
        fall(0.0, 0.0)
    } else if u < 2.0 / BOUNCES {
        fall(1.5, 0.75)
    } else if u < 2.5 / BOUNCES {
        fall(2.25, 0.9375)
    } else {
        fall(2.625, 0.984_375)
    }
}

/// Duration of all bounces, in units of the first fall's duration.
const BOUNCES: f64 = 2.75;

fn bezier([x1, y1, x2, y2]: [f64; 4], u: f64) -> f64 {
    let (x1, x2) = (x1.clamp(0.0, 1.0), x2.clamp(0.0, 1.0));
    let at = |a: f64, b: f64, t: f64| {
        let r = 1.0 - t;
        3.0 * a * r * r * t + 3.0 * b * r * t * t + t * t * t
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..52 {
        let middle = 0.5 * (low + high);
        if at(x1, x2, middle) < u {
            low = middle;
        } else {
            high = middle;
        }
    }
    at(y1, y2, 0.5 * (low + high))
}

/// The slow end of an ease.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EaseWay {
    /// Slow at the start.
    In,
    /// Slow at the end.
    Out,
    /// Slow at both ends.
    #[default]
    InOut,
}

/// Progress between two keys as a function of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ease {
    /// Formula of the progress.
    pub shape: EaseShape,
    /// End of the segment at which the ease is slow, or both ends.
    pub way: EaseWay,
    /// Amount of easing, `0..=2`: 0 is linear, 1 is the formula, 2 is twice as far from the line.
    pub amount: f64,
}

impl Ease {
    /// Maximum amount.
    pub const MOST: f64 = 2.0;

    /// Progress at the fraction `s` of the time. It is 0 at 0 and 1 at 1, and may overshoot in
    /// between.
    pub fn at(&self, s: f64) -> f64 {
        if s <= 0.0 {
            return 0.0;
        }
        if s >= 1.0 {
            return 1.0;
        }
        match self.way {
            EaseWay::In => self.slow_start(s),
            EaseWay::Out => 1.0 - self.slow_start(1.0 - s),
            EaseWay::InOut if s < 0.5 => self.slow_start(2.0 * s) * 0.5,
            EaseWay::InOut => 1.0 - self.slow_start(2.0 - 2.0 * s) * 0.5,
        }
    }

    /// Evaluates the formula with its amount, in the form with a slow start.
    pub(super) fn slow_start(&self, u: f64) -> f64 {
        let shaped = self.shape.at(u);
        if self.shape == EaseShape::Step {
            return shaped;
        }
        u + (shaped - u) * self.amount.clamp(0.0, Self::MOST)
    }

    /// The slope of [`Self::slow_start`] to the left (`-1`) or right (`1`) of `u`.
    pub(super) fn slope(&self, u: f64, side: f64) -> f64 {
        const STEP: f64 = 1e-5;
        let h = STEP * side;
        let value = |k: f64| self.slow_start(u + h * k);
        (4.0 * value(1.0) - value(2.0) - 3.0 * value(0.0)) / (2.0 * h)
    }

    /// Values of `u` at which the slope of [`Self::slow_start`] jumps.
    pub(super) fn corners(&self) -> Vec<f64> {
        match self.shape {
            EaseShape::Bounce if self.amount > 0.0 => {
                [2.5, 2.0, 1.0].iter().map(|c| 1.0 - c / BOUNCES).collect()
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eases_run_from_0_to_1_and_ease_in_mirrors_ease_out() {
        let own = EaseShape::Bezier([0.42, 0.0, 0.58, 1.0]);
        for shape in EaseShape::PRESETS.into_iter().chain([own]) {
            for amount in [0.0, 0.5, 1.0, 2.0] {
                let ease = |way| Ease { shape, way, amount };
                for way in [EaseWay::In, EaseWay::Out, EaseWay::InOut] {
                    assert_eq!((ease(way).at(0.0), ease(way).at(1.0)), (0.0, 1.0));
                }
                for k in 1..50 {
                    let s = f64::from(k) / 50.0;
                    let (into, out) = (ease(EaseWay::In).at(s), ease(EaseWay::Out).at(1.0 - s));
                    assert!((into + out - 1.0).abs() < 1e-9, "{shape:?} {s}");
                }
            }
        }
    }

    #[test]
    fn eases_have_known_values() {
        let at = |shape, way, s| Ease { shape, way, amount: 1.0 }.at(s);
        assert!((at(EaseShape::Quad, EaseWay::InOut, 0.25) - 0.125).abs() < 1e-12);
        assert!((at(EaseShape::Back, EaseWay::Out, 0.5) - 1.0877).abs() < 1e-4);
        assert!((at(EaseShape::Bounce, EaseWay::Out, 1.0 / 2.75) - 1.0).abs() < 1e-9);
        assert!(at(EaseShape::Elastic, EaseWay::Out, 0.15) > 1.3);
        // The curve of “ease-in-out” in CSS.
        let css = EaseShape::Bezier([0.42, 0.0, 0.58, 1.0]);
        assert!((at(css, EaseWay::In, 0.5) - 0.5).abs() < 1e-9);
        assert!((at(css, EaseWay::In, 0.25) - 0.1291).abs() < 1e-3);
    }
}
