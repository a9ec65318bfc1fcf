//! Conversion of curves to keys. Spans that are constant, linear or a cubic polynomial of time are
//! kept exactly. Any other span is halved until its error is below the tolerance.
//!
//! Four values determine a cubic and its slopes at both ends, which a CUBICSPLINE of glTF stores
//! (glTF 2.0, *Animations*). FBX curves with handles at a third of the span are such cubics.

use glam::DQuat;

use ulna_model::Interpolation;

/// Maximum number of times that a span is halved.
const DEEPEST: u32 = 10;
/// Minimum length of a span after halving, in seconds.
const SHORTEST: f64 = 1e-3;
/// Maximum error of a span that counts as exact, as a fraction of the tolerance.
const EXACT: f64 = 0.01;
/// Time between the two keys of a jump, in seconds.
const GAP: f64 = 1e-3;

/// A function of time, and the tolerance for its keys.
pub(super) struct Curve<'a> {
    /// Values at a time in seconds. Their number is the same at each time.
    pub(super) value: &'a dyn Fn(f64) -> Vec<f64>,
    /// Whether the values are a quaternion `x y z w`.
    pub(super) is_rotation: bool,
    /// Maximum error of the keys; in radians for a rotation.
    pub(super) tolerance: f64,
    /// Duration of a frame of the file, in seconds. No keys are added within a frame, because
    /// programs do not display times between frames.
    pub(super) frame: f64,
}

/// Kinds of curve segments in a time span of the file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Kinds {
    /// Whether a curve can jump at an end of the span.
    pub(super) has_steps: bool,
    /// Whether any curve is cubic in the span.
    pub(super) has_cubics: bool,
    /// Whether any curve is linear in the span.
    pub(super) has_lines: bool,
}

/// Keys made from a curve, and statistics of the conversion.
#[derive(Debug, Default)]
pub(super) struct Keyed {
    pub(super) interpolation: Interpolation,
    pub(super) times: Vec<f64>,
    /// Values per key. A key of a cubic spline has an in-tangent, a value and an out-tangent.
    pub(super) values: Vec<f64>,
    /// Maximum error, except within frames.
    pub(super) worst: f64,
    /// Number of spans within frames whose error exceeds the tolerance.
    pub(super) rough: usize,
    /// Number of cubic spans in the file, and number of cubic spans that are kept exactly.
    pub(super) cubics: (usize, usize),
    /// Whether the value changes over time.
    pub(super) moves: bool,
}

/// A span of the resulting keys.
struct Piece {
    from: f64,
    to: f64,
    /// Value at the start of the span. `after` is just after the start, `before` just before the
    /// end, and `end` at the end.
    start: Vec<f64>,
    after: Vec<f64>,
    before: Vec<f64>,
    end: Vec<f64>,
    /// Slopes per second at both ends of the span.
    slopes: [Vec<f64>; 2],
}

impl Piece {
    /// Slope per second at a time in the span, as the derivative of the Hermite cubic.
    fn slope(&self, time: f64) -> Vec<f64> {
        let span = self.to - self.from;
        let u = (time - self.from) / span;
        let of = [6.0 * u * (u - 1.0), (3.0 * u - 1.0) * (u - 1.0), u * (3.0 * u - 2.0)];
        let [start, end] = &self.slopes;
        (0..start.len())
            .map(|k| {
                let rise = (self.after[k] - self.before[k]) / span;
                of[0] * rise + of[1] * start[k] + of[2] * end[k]
            })
            .collect()
    }
}

impl Curve<'_> {
    /// Converts the curve to keys at ascending times, with additional keys where the tolerance
    /// requires them. `kinds` returns the curve kinds of the span that begins at an index of
    /// `times`.
    pub(super) fn keyed(&self, times: &[f64], kinds: impl Fn(usize) -> Kinds) -> Keyed {
        let spans: Vec<Kinds> = (1..times.len()).map(|k| kinds(k - 1)).collect();
        let Some(first) = times.first() else { return Keyed::default() };
        let start = (self.value)(*first);
        let mut made = Keyed { interpolation: Interpolation::Linear, ..Keyed::default() };
        if times.len() == 1 {
            (made.times, made.values) = (vec![*first], start);
            return made;
        }
        let with = |is_cubic: bool, made: &mut Keyed| {
            let mut pieces = Vec::new();
            let mut last = start.clone();
            (made.worst, made.rough, made.cubics) = (0.0, 0, (0, 0));
            for (span, kinds) in times.windows(2).zip(&spans) {
                let work = Work { curve: self, kinds: *kinds, is_cubic };
                let before = pieces.len();
                let worst = work.pieces((span[0], span[1]), 0, &mut last, &mut pieces);
                if self.is_frame(span[1] - span[0]) && worst > self.tolerance {
                    made.rough += 1;
                } else {
                    made.worst = made.worst.max(worst);
                }
                if kinds.has_cubics {
                    made.cubics.0 += 1;
                    let is_one = pieces.len() == before + 1;
                    made.cubics.1 += usize::from(is_one && worst <= self.tolerance * EXACT);
                }
            }
            pieces
        };
        let mut is_cubic = spans.iter().any(|k| k.has_cubics) && self.bends(times, &spans);
        let mut pieces = with(is_cubic, &mut made);
        if !is_cubic && pieces.len() > spans.len() {
            // Layers can make linear curves nonlinear, which requires many linear keys. A spline
            // key stores three values, so splines are used only if they need less than a third of
            // the keys.
            let mut other = Keyed::default();
            let splines = with(true, &mut other);
            if splines.len() * 3 < pieces.len() {
                (is_cubic, pieces) = (true, splines);
                (made.worst, made.rough, made.cubics) = (other.worst, other.rough, other.cubics);
            }
        }
        made.moves = pieces.iter().any(|p| {
            [&p.after, &p.before, &p.end].into_iter().any(|v| self.off(v, &start) > self.tiny())
                || p.slopes.iter().flatten().any(|s| s.abs() * (p.to - p.from) > self.tiny())
        });
        let is_held = |p: &Piece| self.off(&p.after, &p.before) <= self.tiny();
        let all_steps = spans.iter().all(|k| k.has_steps && !k.has_lines && !k.has_cubics);
        if is_cubic {
            made.interpolation = Interpolation::CubicSpline;
        } else if all_steps && pieces.iter().all(is_held) {
            made.interpolation = Interpolation::Step;
        }
        self.write(&pieces, &mut made);
        made
    }

    /// Whether any cubic span of the file is not a straight line.
    fn bends(&self, times: &[f64], spans: &[Kinds]) -> bool {
        times.windows(2).zip(spans).filter(|(_, kinds)| kinds.has_cubics).any(|(span, kinds)| {
            let work = Work { curve: self, kinds: *kinds, is_cubic: false };
            let mut last = (self.value)(span[0]);
            let samples = work.samples((span[0], span[1]), &mut last);
            work.line_error(&samples) > self.tolerance * EXACT
        })
    }

    /// Difference of two values; in radians for rotations.
    fn off(&self, a: &[f64], b: &[f64]) -> f64 {
        if self.is_rotation {
            let (a, b) = (quat(a), quat(b));
            // The dot product is inexact for small angles.
            2.0 * (a - b).length().min((a + b).length()).min(2.0_f64.sqrt()).atan2(2.0) * 2.0
        } else {
            a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        }
    }

    /// Value at a time. For a quaternion, the sign nearest to `other` is chosen.
    fn near(&self, time: f64, other: &[f64]) -> Vec<f64> {
        let mut value = (self.value)(time);
        if self.is_rotation && quat(&value).dot(quat(other)) < 0.0 {
            value.iter_mut().for_each(|v| *v = -*v);
        }
        value
    }

    /// Whether a span is at most one frame long.
    fn is_frame(&self, span: f64) -> bool {
        span <= self.frame * 1.001
    }

    fn tiny(&self) -> f64 {
        self.tolerance * 1e-3
    }

    /// Writes spans as keys. Each jump becomes two keys close together.
    fn write(&self, pieces: &[Piece], made: &mut Keyed) {
        let Some(first) = pieces.first() else { return };
        let zero = vec![0.0; first.start.len()];
        let is_step = made.interpolation == Interpolation::Step;
        let mut put = |time: f64, slope_in: &[f64], value: &[f64], slope_out: &[f64]| {
            made.times.push(time);
            if made.interpolation == Interpolation::CubicSpline {
                made.values.extend(slope_in.iter().chain(value).chain(slope_out));
            } else {
                made.values.extend(value);
            }
        };
        // At large times, `f32` cannot represent a millisecond.
        let gap = |p: &Piece| GAP.max(p.to.abs() * 1e-6).min((p.to - p.from) / 4.0);
        let rise = |a: &[f64], b: &[f64], span: f64| -> Vec<f64> {
            a.iter().zip(b).map(|(a, b)| (b - a) / span).collect()
        };
        for (k, piece) in pieces.iter().enumerate() {
            let own = &piece.start;
            let before = k.checked_sub(1).map(|k| &pieces[k]);
            let mut slope_in = before.map_or(zero.clone(), |b| b.slopes[1].clone());
            if let Some(b) = before.filter(|b| !is_step && self.off(&b.before, own) > self.tiny()) {
                let gap = gap(b);
                let before = self.near(piece.from - gap, &b.before);
                let jump = rise(&before, own, gap);
                put(piece.from - gap, &b.slope(b.to - gap), &before, &jump);
                slope_in = jump;
            }
            if self.off(own, &piece.after) > self.tiny() {
                let gap = gap(piece);
                let after = self.near(piece.from + gap, &piece.after);
                let jump = rise(own, &after, gap);
                put(piece.from, &slope_in, own, &jump);
                put(piece.from + gap, &jump, &after, &piece.slope(piece.from + gap));
            } else {
                put(piece.from, &slope_in, own, &piece.slopes[0]);
            }
        }
        if let Some(last) = pieces.last() {
            let mut slope_in = last.slopes[1].clone();
            if !is_step && self.off(&last.before, &last.end) > self.tiny() {
                let gap = gap(last);
                let before = self.near(last.to - gap, &last.before);
                let jump = rise(&before, &last.end, gap);
                put(last.to - gap, &last.slope(last.to - gap), &before, &jump);
                slope_in = jump;
            }
            put(last.to, &slope_in, &last.end, &zero);
        }
    }
}

/// Conversion state of one span.
struct Work<'a, 'b> {
    curve: &'a Curve<'b>,
    kinds: Kinds,
    is_cubic: bool,
}

/// Samples of a span at its start and end, at thirds, and at eighths. The first and last eighths
/// are just inside the span.
struct Samples {
    start: Vec<f64>,
    eighths: [Vec<f64>; 9],
    thirds: [Vec<f64>; 2],
    end: Vec<f64>,
}

impl Work<'_, '_> {
    /// Halves a span recursively until the error is within the tolerance, and appends the resulting
    /// spans to `pieces`. Returns the largest error.
    fn pieces(
        &self,
        span: (f64, f64),
        depth: u32,
        last: &mut Vec<f64>,
        pieces: &mut Vec<Piece>,
    ) -> f64 {
        let before = last.clone();
        let samples = self.samples(span, last);
        let [after, .., end] = &samples.eighths;
        let (error, slopes) = if self.is_cubic {
            let slopes = slopes(after, &samples.thirds, end);
            (self.cubic_error(&samples, &slopes), slopes)
        } else {
            let rise: Vec<f64> = after.iter().zip(end).map(|(a, b)| b - a).collect();
            (self.line_error(&samples), [rise.clone(), rise])
        };
        let length = span.1 - span.0;
        let is_whole = depth == 0 && self.curve.is_frame(length);
        let is_off = error > self.curve.tolerance && !is_whole;
        if is_off && depth < DEEPEST && length > SHORTEST * 2.0 {
            *last = before;
            let middle = 0.5 * (span.0 + span.1);
            let left = self.pieces((span.0, middle), depth + 1, last, pieces);
            return self.pieces((middle, span.1), depth + 1, last, pieces).max(left);
        }
        let Samples { start, eighths: [after, .., end_before], end, .. } = samples;
        pieces.push(Piece {
            from: span.0,
            to: span.1,
            start,
            after,
            before: end_before,
            end,
            slopes: slopes.map(|s| s.into_iter().map(|v| v / length).collect()),
        });
        error
    }

    /// Samples a span. Quaternions have consistent signs.
    fn samples(&self, (from, to): (f64, f64), last: &mut Vec<f64>) -> Samples {
        let length = to - from;
        let mut at = |time: f64| {
            let mut value = (self.curve.value)(time);
            if self.curve.is_rotation && quat(&value).dot(quat(last)) < 0.0 {
                value.iter_mut().for_each(|v| *v = -*v);
            }
            last.clone_from(&value);
            value
        };
        // At a jump, the limit from inside the span is used.
        let inside = if self.kinds.has_steps { length * 1e-6 } else { 0.0 };
        let start = at(from);
        let mut eighths: [Vec<f64>; 9] = Default::default();
        let mut thirds: [Vec<f64>; 2] = Default::default();
        for k in 0..=8u32 {
            eighths[k as usize] = match k {
                0 if inside > 0.0 => limit(&at(from + 2.0 * inside), &at(from + inside)),
                8 if inside > 0.0 => limit(&at(to - 2.0 * inside), &at(to - inside)),
                k => at(from + length * f64::from(k) / 8.0),
            };
            // Samples in ascending time: 1/3 follows 2/8, and 2/3 follows 5/8.
            match k {
                2 => thirds[0] = at(from + length / 3.0),
                5 => thirds[1] = at(from + length * 2.0 / 3.0),
                _ => {}
            }
        }
        let end = at(to);
        if self.curve.off(&eighths[0], &start) <= self.curve.tolerance {
            eighths[0].clone_from(&start);
        }
        if self.curve.off(&eighths[8], &end) <= self.curve.tolerance {
            eighths[8].clone_from(&end);
        }
        Samples { start, eighths, thirds, end }
    }

    fn line_error(&self, samples: &Samples) -> f64 {
        let [a, .., b] = &samples.eighths;
        self.error(samples, |u| {
            if self.curve.is_rotation {
                quat(a).slerp(quat(b), u).to_array().to_vec()
            } else {
                a.iter().zip(b).map(|(a, b)| a + (b - a) * u).collect()
            }
        })
    }

    fn cubic_error(&self, samples: &Samples, [m, n]: &[Vec<f64>; 2]) -> f64 {
        let [a, .., b] = &samples.eighths;
        self.error(samples, |u| {
            let (u2, u3) = (u * u, u * u * u);
            let of = [2.0 * u3 - 3.0 * u2 + 1.0, u3 - 2.0 * u2 + u, 3.0 * u2 - 2.0 * u3, u3 - u2];
            (0..a.len())
                .map(|k| of[0] * a[k] + of[1] * m[k] + of[2] * b[k] + of[3] * n[k])
                .collect()
        })
    }

    fn error(&self, samples: &Samples, made: impl Fn(f64) -> Vec<f64>) -> f64 {
        let inner = samples.eighths.iter().enumerate().skip(1).take(7);
        inner.map(|(k, v)| self.curve.off(&made(k as f64 / 8.0), v)).fold(0.0, f64::max)
    }
}

/// Limit of a curve at a jump, by linear extrapolation from two values inside the span.
fn limit(far: &[f64], near: &[f64]) -> Vec<f64> {
    far.iter().zip(near).map(|(far, near)| 2.0 * near - far).collect()
}

/// Slopes, per length of the span, at both ends of the cubic through four values.
fn slopes(a: &[f64], [b, c]: &[Vec<f64>; 2], d: &[f64]) -> [Vec<f64>; 2] {
    let start = |k: usize| (-11.0 * a[k] + 18.0 * b[k] - 9.0 * c[k] + 2.0 * d[k]) * 0.5;
    let end = |k: usize| (-2.0 * a[k] + 9.0 * b[k] - 18.0 * c[k] + 11.0 * d[k]) * 0.5;
    [(0..a.len()).map(start).collect(), (0..a.len()).map(end).collect()]
}

/// Creates a normalized quaternion from four numbers.
fn quat(v: &[f64]) -> DQuat {
    let made = DQuat::from_xyzw(v[0], v[1], v[2], v[3]);
    if made.length_squared() > 1e-12 { made.normalize() } else { DQuat::IDENTITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUBIC: Kinds = Kinds { has_steps: false, has_cubics: true, has_lines: false };
    const STEPS: Kinds = Kinds { has_steps: true, has_cubics: false, has_lines: false };
    const LINES: Kinds = Kinds { has_steps: false, has_cubics: false, has_lines: true };

    fn curve<'a>(value: &'a dyn Fn(f64) -> Vec<f64>) -> Curve<'a> {
        Curve { value, is_rotation: false, tolerance: 1e-6, frame: 0.0 }
    }

    #[test]
    fn a_cubic_in_time_keeps_its_two_keys_and_tangents() {
        let value = |t: f64| vec![1.0 + 2.0 * t - 3.0 * t * t + t * t * t];
        let made = curve(&value).keyed(&[0.0, 2.0], |_| CUBIC);
        assert_eq!(made.interpolation, Interpolation::CubicSpline);
        assert_eq!((made.times.len(), made.cubics), (2, (1, 1)));
        let wanted = [0.0, 1.0, 2.0, 2.0, 1.0, 0.0];
        for (got, wanted) in made.values.iter().zip(wanted) {
            assert!((got - wanted).abs() < 1e-9, "{:?}", made.values);
        }
    }

    #[test]
    fn curves_that_are_not_cubic_are_subdivided_until_within_tolerance() {
        let value = |t: f64| vec![(3.0 * t).sin()];
        let made = curve(&value).keyed(&[0.0, 2.0], |_| CUBIC);
        assert!(made.times.len() > 4 && made.worst <= 1e-6 && made.cubics == (1, 0));
    }

    #[test]
    fn a_held_curve_is_stepped_and_a_later_motion_jumps_within_a_millisecond() {
        let value = |t: f64| vec![if t < 1.0 { 0.0 } else { 5.0 }];
        let made = curve(&value).keyed(&[0.0, 1.0, 2.0], |_| STEPS);
        assert_eq!(
            (made.interpolation, &made.values[..]),
            (Interpolation::Step, &[0.0, 5.0, 5.0][..])
        );
        let value = |t: f64| vec![if t < 1.0 { 0.0 } else { 5.0 + t }];
        let made = curve(&value).keyed(&[0.0, 1.0, 2.0], |k| if k == 0 { STEPS } else { LINES });
        assert_eq!(made.interpolation, Interpolation::Linear);
        assert_eq!(made.values, [0.0, 0.0, 6.0, 7.0]);
        assert!((made.times[1] - 0.999).abs() < 1e-9);
    }

    #[test]
    fn a_rotation_above_half_a_turn_keeps_its_direction() {
        let value = |t: f64| DQuat::from_rotation_z(t * 6.0).to_array().to_vec();
        let curve = Curve { value: &value, is_rotation: true, tolerance: 5e-4, frame: 0.0 };
        let made = curve.keyed(&[0.0, 1.0], |_| LINES);
        assert!(made.times.len() >= 3 && made.worst < 5e-4, "{made:?}");
        let keys: Vec<DQuat> = made.values.chunks(4).map(quat).collect();
        assert!(keys.windows(2).all(|k| k[0].dot(k[1]) >= 0.0));
    }
}
