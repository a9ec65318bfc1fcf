//! Curves → keys. Between two keys a curve is held, straight, or a cubic of time, and is kept so;
//! where it is none of these, keys are added halfway until it is near enough.
//!
//! A cubic of time is known by four of its values; its slopes at the ends are those of Hermite's
//! form, which glTF has (glTF 2.0, *Animations*: CUBICSPLINE). Curves of FBX whose handles lie at a
//! third of the span are such cubics.

use glam::DQuat;

use ulna_model::Interpolation;

/// Halvings of a span, at most.
const DEEPEST: u32 = 10;
/// A span that is shorter is not halved, seconds.
const SHORTEST: f64 = 1e-3;
/// Tells what a value may be off for a span to count as kept exactly, of the tolerance.
const EXACT: f64 = 0.01;
/// Between the two keys of a jump, seconds, at most.
const GAP: f64 = 1e-3;

/// A function of time, with how near keys must come to it.
pub(super) struct Curve<'a> {
    /// Its values at a time, as many at each.
    pub(super) value: &'a dyn Fn(f64) -> Vec<f64>,
    /// Whether they are a rotation, `x y z w`.
    pub(super) is_rotation: bool,
    /// Tells how far off values may be; radians of a rotation.
    pub(super) tolerance: f64,
}

/// Tells what the curves of a file are in a span.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Kinds {
    /// Whether one of them jumps at an end.
    pub(super) has_steps: bool,
    /// Whether one of them is neither held nor straight.
    pub(super) has_cubics: bool,
    /// Whether one of them is straight.
    pub(super) has_lines: bool,
}

/// Keys of a curve.
#[derive(Debug, Default)]
pub(super) struct Keyed {
    pub(super) interpolation: Interpolation,
    pub(super) times: Vec<f64>,
    /// Values, key by key; of a cubic spline in-tangent, value and out-tangent of each.
    pub(super) values: Vec<f64>,
    /// Tells how far off the keys are at worst.
    pub(super) worst: f64,
    /// Spans that are cubics in the file, and those of them that are kept exactly.
    pub(super) cubics: (usize, usize),
    /// Whether the values differ anywhere.
    pub(super) moves: bool,
}

/// A span as it is written.
struct Piece {
    from: f64,
    to: f64,
    /// At the start, just after it, just before the end, and at the end.
    start: Vec<f64>,
    after: Vec<f64>,
    before: Vec<f64>,
    end: Vec<f64>,
    /// Slopes a second.
    slopes: [Vec<f64>; 2],
}

impl Curve<'_> {
    /// Keys at these times, which rise, and where more are needed. `kinds` tells what the file has
    /// in the span that begins at a time of the list.
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
            (made.worst, made.cubics) = (0.0, (0, 0));
            for (span, kinds) in times.windows(2).zip(&spans) {
                let work = Work { curve: self, kinds: *kinds, is_cubic };
                let before = pieces.len();
                let worst = work.pieces((span[0], span[1]), 0, &mut last, &mut pieces);
                made.worst = made.worst.max(worst);
                if kinds.has_cubics {
                    made.cubics.0 += 1;
                    let is_one = pieces.len() == before + 1;
                    made.cubics.1 += usize::from(is_one && worst <= self.tolerance * EXACT);
                }
            }
            pieces
        };
        let has_cubics = spans.iter().any(|k| k.has_cubics) && self.bends(times, &spans);
        let pieces = with(has_cubics, &mut made);
        made.moves = pieces.iter().any(|p| {
            [&p.after, &p.before, &p.end].into_iter().any(|v| self.off(v, &start) > self.tiny())
                || p.slopes.iter().flatten().any(|s| s.abs() * (p.to - p.from) > self.tiny())
        });
        let is_held = |p: &Piece| self.off(&p.after, &p.before) <= self.tiny();
        let all_steps = spans.iter().all(|k| k.has_steps && !k.has_lines && !k.has_cubics);
        if has_cubics {
            made.interpolation = Interpolation::CubicSpline;
        } else if all_steps && pieces.iter().all(is_held) {
            made.interpolation = Interpolation::Step;
        }
        self.write(&pieces, &mut made);
        made
    }

    /// Whether a span that is a cubic in the file is not straight.
    fn bends(&self, times: &[f64], spans: &[Kinds]) -> bool {
        times.windows(2).zip(spans).filter(|(_, kinds)| kinds.has_cubics).any(|(span, kinds)| {
            let work = Work { curve: self, kinds: *kinds, is_cubic: false };
            let mut last = (self.value)(span[0]);
            let samples = work.samples((span[0], span[1]), &mut last);
            work.line_error(&samples) > self.tolerance * EXACT
        })
    }

    /// Tells how far two values are from one another: radians of rotations.
    fn off(&self, a: &[f64], b: &[f64]) -> f64 {
        if self.is_rotation {
            let (a, b) = (quat(a), quat(b));
            // Of small angles the dot product says little.
            2.0 * (a - b).length().min((a + b).length()).min(2.0_f64.sqrt()).atan2(2.0) * 2.0
        } else {
            a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        }
    }

    /// The value at a time, a rotation with the sign of another one.
    fn near(&self, time: f64, other: &[f64]) -> Vec<f64> {
        let mut value = (self.value)(time);
        if self.is_rotation && quat(&value).dot(quat(other)) < 0.0 {
            value.iter_mut().for_each(|v| *v = -*v);
        }
        value
    }

    fn tiny(&self) -> f64 {
        self.tolerance * 1e-3
    }

    /// Writes pieces as keys. Where values jump there are two keys near one another.
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
        let gap = |p: &Piece| GAP.min((p.to - p.from) / 4.0);
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
                put(piece.from - gap, &slope_in, &before, &jump);
                slope_in = jump;
            }
            if self.off(own, &piece.after) > self.tiny() {
                let gap = gap(piece);
                let after = self.near(piece.from + gap, &piece.after);
                let jump = rise(own, &after, gap);
                put(piece.from, &slope_in, own, &jump);
                put(piece.from + gap, &jump, &after, &piece.slopes[0]);
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
                put(last.to - gap, &slope_in, &before, &jump);
                slope_in = jump;
            }
            put(last.to, &slope_in, &last.end, &zero);
        }
    }
}

/// The work on one span.
struct Work<'a, 'b> {
    curve: &'a Curve<'b>,
    kinds: Kinds,
    is_cubic: bool,
}

/// Values along a span: at its start, at eighths of it from just after the start to just before the
/// end, at thirds, and at its end.
struct Samples {
    start: Vec<f64>,
    eighths: [Vec<f64>; 9],
    thirds: [Vec<f64>; 2],
    end: Vec<f64>,
}

impl Work<'_, '_> {
    /// The pieces of a span; how far off they are at worst.
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
        if error > self.curve.tolerance && depth < DEEPEST && span.1 - span.0 > SHORTEST * 2.0 {
            *last = before;
            let middle = 0.5 * (span.0 + span.1);
            let left = self.pieces((span.0, middle), depth + 1, last, pieces);
            return self.pieces((middle, span.1), depth + 1, last, pieces).max(left);
        }
        let Samples { start, eighths: [after, .., end_before], end, .. } = samples;
        let length = span.1 - span.0;
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

    /// Values along a span, rotations without a change of sign.
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
        // Where curves jump, the ends are looked at from within.
        let inside = if self.kinds.has_steps { length * 1e-6 } else { 0.0 };
        let start = at(from);
        let mut eighths: [Vec<f64>; 9] = Default::default();
        let mut thirds: [Vec<f64>; 2] = Default::default();
        for k in 0..=8u32 {
            let time = match k {
                0 => from + inside,
                8 => to - inside,
                k => from + length * f64::from(k) / 8.0,
            };
            eighths[k as usize] = at(time);
            // In the order of time: 1/3 lies after 2/8, 2/3 after 5/8.
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

/// Slopes at the ends of the cubic through four values, over the span.
fn slopes(a: &[f64], [b, c]: &[Vec<f64>; 2], d: &[f64]) -> [Vec<f64>; 2] {
    let start = |k: usize| (-11.0 * a[k] + 18.0 * b[k] - 9.0 * c[k] + 2.0 * d[k]) * 0.5;
    let end = |k: usize| (-2.0 * a[k] + 9.0 * b[k] - 18.0 * c[k] + 11.0 * d[k]) * 0.5;
    [(0..a.len()).map(start).collect(), (0..a.len()).map(end).collect()]
}

/// A rotation of length 1.
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
        Curve { value, is_rotation: false, tolerance: 1e-6 }
    }

    #[test]
    fn a_cubic_of_time_keeps_its_two_keys_and_its_slopes() {
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
    fn another_curve_is_halved_until_it_is_near_enough() {
        let value = |t: f64| vec![(3.0 * t).sin()];
        let made = curve(&value).keyed(&[0.0, 2.0], |_| CUBIC);
        assert!(made.times.len() > 4 && made.worst <= 1e-6 && made.cubics == (1, 0));
    }

    #[test]
    fn a_curve_that_is_held_is_stepped_and_one_that_then_moves_jumps_within_a_millisecond() {
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
    fn a_turn_of_more_than_half_is_not_taken_the_short_way() {
        let value = |t: f64| DQuat::from_rotation_z(t * 6.0).to_array().to_vec();
        let curve = Curve { value: &value, is_rotation: true, tolerance: 5e-4 };
        let made = curve.keyed(&[0.0, 1.0], |_| LINES);
        assert!(made.times.len() >= 3 && made.worst < 5e-4, "{made:?}");
        let keys: Vec<DQuat> = made.values.chunks(4).map(quat).collect();
        assert!(keys.windows(2).all(|k| k[0].dot(k[1]) >= 0.0));
    }
}
