//! Planning of the keys for an ease: the fewest keys that keep the curve within 1 % of the formula.
//!
//! Each key has the slope of the formula. If the slope jumps, the key is a corner with two slopes.
//! Segments are as long as the error allows. Keys are planned for an ease with a slow start, and
//! mirrored for the other kinds. For rotations, the error is that of the normalized quaternion
//! spline, so large angles may need more keys.

use super::ease::{Ease, EaseShape, EaseWay};

/// A planned key of an eased segment. Its time is a fraction of the segment's duration, its value a
/// fraction of the value change, and its slopes are in these units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stop {
    pub part: f64,
    pub value: f64,
    pub arrive: f64,
    pub leave: f64,
}

impl Stop {
    /// Whether the slope jumps at the key.
    pub fn is_corner(&self) -> bool {
        (self.arrive - self.leave).abs() > 1e-3 * (1.0 + self.arrive.abs())
    }

    /// Returns the corresponding key of the ease that is slow at the other end.
    fn mirrored(self) -> Self {
        Self {
            part: 1.0 - self.part,
            value: 1.0 - self.value,
            arrive: self.leave,
            leave: self.arrive,
        }
    }

    /// Returns the corresponding key in the first half of an ease that is slow at both ends.
    fn halved(self) -> Self {
        Self { part: self.part * 0.5, value: self.value * 0.5, ..self }
    }
}

/// Maximum error of an ease: 1 % of the value change, minus a margin for the rounding of times.
const TOLERANCE: f64 = 0.009_4;

/// Minimum slope that counts as infinite. Steeper slopes are replaced by a fitted one.
const STEEP: f64 = 100.0;

impl Ease {
    /// Number of keys that the ease adds between two keys, for values or small rotations.
    pub fn keys_added(&self) -> usize {
        self.stops(0.0, 0.1).len() - 2
    }

    /// Plans the keys of the ease, both ends included. `turn` is half the angle of a rotation in
    /// radians, 0 for other values. `gap` is the duration of a jump as a fraction of the segment's
    /// duration.
    pub(super) fn stops(&self, turn: f64, gap: f64) -> Vec<Stop> {
        if self.shape == EaseShape::Step {
            return stepped(self.way, gap);
        }
        let mirrored =
            |stops: &[Stop]| -> Vec<Stop> { stops.iter().rev().map(|s| s.mirrored()).collect() };
        match self.way {
            EaseWay::In => slow_start(self, TOLERANCE, turn),
            EaseWay::Out => mirrored(&slow_start(self, TOLERANCE, turn)),
            EaseWay::InOut => {
                let start = self.slope(0.0, 1.0);
                let ends = [start, start];
                if start.abs() < STEEP
                    && self.corners().is_empty()
                    && error(&|s| self.at(s), (0.0, 1.0), ends, turn) <= TOLERANCE
                {
                    let end = |value| Stop { part: value, value, arrive: start, leave: start };
                    return vec![end(0.0), end(1.0)];
                }
                let mut stops: Vec<Stop> = slow_start(self, TOLERANCE * 2.0, turn * 0.5)
                    .into_iter()
                    .map(Stop::halved)
                    .collect();
                let second = mirrored(&stops);
                if let (Some(middle), Some(next)) = (stops.last_mut(), second.first()) {
                    middle.leave = next.leave;
                }
                stops.extend_from_slice(&second[1..]);
                stops
            }
        }
    }
}

/// Plans a jump that takes the fraction `gap` of the segment's duration.
fn stepped(way: EaseWay, gap: f64) -> Vec<Stop> {
    let (from, to) = match way {
        EaseWay::In => (1.0 - gap, 1.0),
        EaseWay::Out => (0.0, gap),
        EaseWay::InOut => (0.5 - gap * 0.5, 0.5 + gap * 0.5),
    };
    let slope = 1.0 / gap;
    let mut stops = Vec::with_capacity(4);
    if from > 0.0 {
        stops.push(Stop { part: 0.0, value: 0.0, arrive: 0.0, leave: 0.0 });
    }
    stops.push(Stop { part: from, value: 0.0, arrive: 0.0, leave: slope });
    stops.push(Stop { part: to, value: 1.0, arrive: slope, leave: 0.0 });
    if to < 1.0 {
        stops.push(Stop { part: 1.0, value: 1.0, arrive: 0.0, leave: 0.0 });
    }
    stops
}

/// Plans the keys of an ease in the form with a slow start.
fn slow_start(ease: &Ease, tolerance: f64, turn: f64) -> Vec<Stop> {
    let mut stops = vec![Stop { part: 0.0, value: 0.0, arrive: 0.0, leave: 0.0 }];
    for end in ease.corners().into_iter().chain([1.0]) {
        loop {
            let last = stops.len() - 1;
            let from = stops[last].part;
            let (to, slopes) = longest(ease, (from, end), tolerance, turn);
            stops[last].leave = slopes[0];
            let value = if to >= 1.0 { 1.0 } else { ease.slow_start(to) };
            stops.push(Stop { part: to, value, arrive: slopes[1], leave: slopes[1] });
            if to >= end {
                break;
            }
        }
    }
    stops
}

/// Finds the latest possible end of a segment, and the slopes at both of its ends.
fn longest(ease: &Ease, (from, end): (f64, f64), tolerance: f64, turn: f64) -> (f64, [f64; 2]) {
    const STEPS: u32 = 48;
    const HALVES: u32 = 6;
    let tried = |to: f64| {
        let slopes = slopes(ease, from, to, turn);
        let off = error(&|u| ease.slow_start(u), (from, to), slopes, turn);
        (slopes, off <= tolerance)
    };
    let place = |k: u32| from + (end - from) * f64::from(k) / f64::from(STEPS);
    for k in (1..=STEPS).rev() {
        let (mut slopes, fits) = tried(if k == STEPS { end } else { place(k) });
        if k == STEPS && fits {
            return (end, slopes);
        }
        if !fits && k > 1 {
            continue;
        }
        let (mut good, mut bad) = (place(k), place(k + 1).min(end));
        for _ in 0..HALVES {
            let middle = 0.5 * (good + bad);
            let (own, fits) = tried(middle);
            if fits {
                (good, slopes) = (middle, own);
            } else {
                bad = middle;
            }
        }
        // Avoid a very short last segment, since its two keys would be next to each other.
        let most = from + (end - from) * 0.9;
        if good > most {
            let (own, fits) = tried(most);
            if fits {
                (good, slopes) = (most, own);
            }
        }
        return (good, slopes);
    }
    (end, slopes(ease, from, end, turn))
}

/// Returns the slopes of a segment at its ends: those of the formula, or the best fit if they are
/// infinite.
fn slopes(ease: &Ease, from: f64, to: f64, turn: f64) -> [f64; 2] {
    /// Candidate slopes, relative to the slope of the straight line.
    const TRIED: [f64; 7] = [1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0];
    let own = [ease.slope(from, 1.0), ease.slope(to, -1.0)];
    if own.iter().all(|s| s.abs() < STEEP) {
        return own;
    }
    let chord = (ease.slow_start(to) - ease.slow_start(from)) / (to - from);
    let with = |k: f64| own.map(|s| if s.abs() < STEEP { s } else { chord * k });
    let off = |k: &f64| error(&|u| ease.slow_start(u), (from, to), with(*k), turn);
    let best = TRIED.into_iter().min_by(|a, b| off(a).total_cmp(&off(b)));
    with(best.unwrap_or(1.0))
}

/// Measures the largest error of a segment against a formula. For rotations, the error is that of
/// the normalized spline on the circle.
fn error(of: &dyn Fn(f64) -> f64, (from, to): (f64, f64), slopes: [f64; 2], turn: f64) -> f64 {
    const SAMPLES: u32 = 40;
    /// Additional sample positions near the ends, as fractions of the segment. A custom curve may
    /// start steeply.
    const NEAR_ENDS: [f64; 7] = [0.003, 0.006, 0.01, 0.016, 0.033, 0.042, 0.063];
    let span = to - from;
    let ends = [of(from), of(to)];
    let mut worst = 0.0f64;
    let even = (1..SAMPLES).map(|k| f64::from(k) / f64::from(SAMPLES));
    for u in even.chain(NEAR_ENDS).chain(NEAR_ENDS.map(|u| 1.0 - u)) {
        let (u2, u3) = (u * u, u * u * u);
        let basis = [
            2.0 * u3 - 3.0 * u2 + 1.0,
            span * (u3 - 2.0 * u2 + u),
            3.0 * u2 - 2.0 * u3,
            span * (u3 - u2),
        ];
        let wanted = of(from + span * u);
        let off = if turn > 1e-3 {
            // Angles are relative to the wanted direction.
            let [a, b] = ends.map(|e| ((e - wanted) * turn).sin_cos());
            let [m, n] = slopes.map(|s| s * turn);
            let x = basis[0] * a.1 - basis[1] * m * a.0 + basis[2] * b.1 - basis[3] * n * b.0;
            let y = basis[0] * a.0 + basis[1] * m * a.1 + basis[2] * b.0 + basis[3] * n * b.1;
            y.atan2(x) / turn
        } else {
            basis[0] * ends[0] + basis[1] * slopes[0] + basis[2] * ends[1] + basis[3] * slopes[1]
                - wanted
        };
        worst = worst.max(off.abs());
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of added keys per shape, as stated in the guide: for a slow start or end, and for
    /// slow at both ends.
    const KEYS: [(EaseShape, usize, usize); 12] = [
        (EaseShape::Linear, 0, 0),
        (EaseShape::Sine, 1, 1),
        (EaseShape::Quad, 0, 1),
        (EaseShape::Cubic, 0, 1),
        (EaseShape::Quart, 1, 3),
        (EaseShape::Quint, 1, 3),
        (EaseShape::Expo, 2, 5),
        (EaseShape::Circ, 4, 7),
        (EaseShape::Back, 0, 1),
        (EaseShape::Bounce, 3, 7),
        (EaseShape::Elastic, 6, 9),
        (EaseShape::Step, 1, 2),
    ];

    #[test]
    fn eases_add_the_number_of_keys_stated_in_the_guide() {
        for (shape, one, both) in KEYS {
            let ways = [EaseWay::In, EaseWay::Out, EaseWay::InOut];
            let found = ways.map(|way| Ease { shape, way, amount: 1.0 }.keys_added());
            assert_eq!(found, [one, one, both], "{shape:?}");
        }
    }
}
