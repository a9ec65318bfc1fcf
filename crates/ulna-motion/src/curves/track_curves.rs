//! Curves of a track: each component as a function of time.

use glam::{DQuat, DVec4};

use super::{
    euler::EulerOrder,
    moments::{
        Key, moment, number_at, number_slope, rotation, rotation_at, rotation_slope, span, stored,
        turns,
    },
    unwrapped::{Unwrapped, omega},
};
use crate::sample_into;
use ulna_model::{Interpolation, Slice, Track};

/// Kind of numbers that the curves of a track display.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CurveSpace {
    /// The stored numbers. For rotations, the normalized quaternion.
    #[default]
    Stored,
    /// Euler angles in degrees, for rotations. Other tracks are shown as stored.
    Euler(EulerOrder),
}

/// Curves of a track: the value of each component at keys and between them, equal to the played
/// motion.
///
/// Components of rotations are the angles about x, y and z in degrees, without jumps of full turns.
/// They are indexed by axis for every Euler order. Alternatively, they are the four numbers of the
/// quaternion with consistent signs. For other tracks, they are the track's own numbers. All are
/// computed in double precision.
#[derive(Clone, Debug)]
pub struct TrackCurves {
    track: Track,
    space: CurveSpace,
    view: View,
}

#[derive(Clone, Debug)]
enum View {
    /// The track's numbers.
    Numbers,
    /// The quaternion's numbers, with a sign per key.
    Quaternion(Vec<f64>),
    /// Euler angles.
    Angles(Unwrapped),
}

/// Returns the sign for each key's quaternion that makes consecutive keys consistent. The signs of
/// splines are unchanged, since splines interpolate the stored numbers.
fn signs(track: &Track) -> Vec<f64> {
    let mut sign = 1.0;
    let mut signs = vec![sign; track.times.len()];
    if track.interpolation != Interpolation::CubicSpline {
        for (key, own) in signs.iter_mut().enumerate().skip(1) {
            if stored(track, key - 1, 1).dot(stored(track, key, 1)) < 0.0 {
                sign = -sign;
            }
            *own = sign;
        }
    }
    signs
}

/// Finds the first and the last key that differ between two tracks with the same number of keys;
/// `None` if the tracks are equal.
fn differing(a: &Track, b: &Track) -> Option<(usize, usize)> {
    let ends = |a: &Slice<f32>, b: &Slice<f32>, stride: usize| {
        if Slice::ptr_eq(a, b) {
            return None;
        }
        let differ = |(a, b): (&f32, &f32)| a.to_bits() != b.to_bits();
        let first = a.iter().zip(b.iter()).position(differ)?;
        let last = a.iter().zip(b.iter()).rposition(differ)?;
        Some((first / stride, last / stride))
    };
    let times = ends(&a.times, &b.times, 1);
    let values = ends(&a.values, &b.values, a.stride());
    let both = times.zip(values).map(|(t, v)| (t.0.min(v.0), t.1.max(v.1)));
    both.or(times).or(values)
}

impl TrackCurves {
    /// Computes the curves of a valid track.
    pub fn new(track: &Track, space: CurveSpace) -> Self {
        let view = match space {
            _ if !turns(track) => View::Numbers,
            CurveSpace::Stored => View::Quaternion(signs(track)),
            CurveSpace::Euler(order) => View::Angles(Unwrapped::new(track, order)),
        };
        Self { track: track.clone(), space, view }
    }

    /// Computes the curves of the changed track `track`. The result is that of [`Self::new`], but
    /// faster if few keys changed.
    #[must_use]
    pub fn updated(&self, track: &Track) -> Self {
        let alike = self.track.property == track.property
            && self.track.interpolation == track.interpolation
            && self.track.width == track.width
            && self.track.times.len() == track.times.len();
        match &self.view {
            View::Angles(angles) if alike => {
                let angles = match differing(&self.track, track) {
                    Some((first, last)) => angles.changed(track, first, last),
                    None => angles.clone(),
                };
                Self { track: track.clone(), space: self.space, view: View::Angles(angles) }
            }
            _ => Self::new(track, self.space),
        }
    }

    /// The track from which the curves are computed.
    pub const fn track(&self) -> &Track {
        &self.track
    }

    /// Kind of numbers that the curves display.
    pub const fn space(&self) -> CurveSpace {
        self.space
    }

    /// Number of curves: three for angles, else one per number.
    pub const fn components(&self) -> usize {
        if matches!(self.view, View::Angles(_)) { 3 } else { self.track.width }
    }

    /// The value of a component at a key.
    pub fn key_value(&self, key: usize, component: usize) -> f64 {
        self.at(Key { key, part: 0.0 }, component)
    }

    /// Interpolated value of a component at a time in seconds. Before the first and after the last
    /// key, the value is constant.
    pub fn value(&self, component: usize, time: f64) -> f64 {
        self.at(moment(&self.track, time), component)
    }

    fn at(&self, at: Key, component: usize) -> f64 {
        match &self.view {
            View::Numbers => number_at(&self.track, component, at),
            View::Quaternion(signs) => {
                signs[at.key] * DVec4::from(rotation_at(&self.track, at))[component]
            }
            View::Angles(angles) => {
                angles.at(&self.track, at)[angles.order.place(component)].to_degrees()
            }
        }
    }

    /// Slopes of a component at a key, per second, arriving and leaving. For CUBICSPLINE, these are
    /// the stored slopes, even where no segment uses them. `None` at gimbal lock, where single
    /// angles cannot change independently.
    pub fn key_slopes(&self, key: usize, component: usize) -> Option<(f64, f64)> {
        let side = |leaving: bool| match &self.view {
            View::Numbers => Some(number_slope(&self.track, key, component, leaving)),
            View::Quaternion(signs) => {
                Some(signs[key] * rotation_slope(&self.track, key, leaving)[component])
            }
            View::Angles(angles) => {
                let turn =
                    omega(rotation(&self.track, key), rotation_slope(&self.track, key, leaving));
                let rates = angles.order.rates(angles.at_key(key), turn)?;
                Some(rates[angles.order.place(component)].to_degrees())
            }
        };
        Some((side(false)?, side(true)?))
    }

    /// Whether angles at a key cannot change independently: the determinant of their axes is below
    /// 1e-3.
    pub fn gimbal_locked(&self, key: usize) -> bool {
        matches!(&self.view, View::Angles(angles) if angles.order.is_locked(angles.at_key(key)))
    }

    /// Euler angles at each key, in radians, in the sequence of the Euler order; `None` for other
    /// spaces.
    pub(super) const fn angles(&self) -> Option<&Unwrapped> {
        if let View::Angles(angles) = &self.view { Some(angles) } else { None }
    }

    /// Sign by which a key's quaternion is multiplied for display.
    pub(super) fn sign(&self, key: usize) -> f64 {
        if let View::Quaternion(signs) = &self.view { signs[key] } else { 1.0 }
    }

    /// Appends points (seconds and value) of a component's curve from a key to the next, both
    /// included. After the last key, nothing is appended.
    ///
    /// `tolerance` has the minimum distance of points in seconds, and the maximum error of the
    /// straight lines between them. A step has two points with the same value.
    pub fn sample_segment(
        &self,
        key: usize,
        component: usize,
        out: &mut Vec<(f64, f64)>,
        tolerance: (f64, f64),
    ) {
        if key + 1 >= self.track.times.len() {
            return;
        }
        let (start, end) = (f64::from(self.track.times[key]), f64::from(self.track.times[key + 1]));
        let most = ((end - start) / tolerance.0.max(1e-12)).ceil().clamp(1.0, 4096.0);
        let first = (0.0, self.key_value(key, component));
        out.push((start, first.1));
        if self.track.interpolation == Interpolation::Step {
            out.push((end, first.1));
            return;
        }
        let mut seen = |part: f64, value: f64| out.push((start + (end - start) * part, value));
        let last = self.key_value(key + 1, component);
        match &self.view {
            View::Numbers => {
                let pieces = self.pieces(key, component, tolerance.1).min(most);
                for piece in 1..pieces as u32 {
                    let part = f64::from(piece) / pieces;
                    seen(part, self.at(Key { key, part }, component));
                }
            }
            View::Quaternion(_) | View::Angles(_) => {
                let smallest = 1.0 / most;
                let mut ends: Vec<f64> = match &self.view {
                    View::Angles(angles) => angles.places(key).iter().map(|p| p.0).collect(),
                    _ => Vec::new(),
                };
                ends.push(1.0);
                let mut from = first;
                for part in ends {
                    let value =
                        if part < 1.0 { self.at(Key { key, part }, component) } else { last };
                    let to = (part, value);
                    let bend = Bend { curves: self, key, component, smallest, off: tolerance.1 };
                    bend.draw(from, to, &mut seen);
                    if part < 1.0 {
                        seen(part, value);
                    }
                    from = to;
                }
            }
        }
        out.push((end, last));
    }

    /// Number of straight pieces for a segment of plain numbers. The error of a chord over `h` is
    /// at most `h²/8` times the second derivative, which is largest at an end of a cubic.
    fn pieces(&self, key: usize, component: usize, off: f64) -> f64 {
        if self.track.interpolation != Interpolation::CubicSpline {
            return 1.0;
        }
        let seconds = span(&self.track, key);
        let (a, b) = (self.key_value(key, component), self.key_value(key + 1, component));
        let m0 = number_slope(&self.track, key, component, true) * seconds;
        let m1 = number_slope(&self.track, key + 1, component, false) * seconds;
        let (first, last) =
            (6.0 * (b - a) - 4.0 * m0 - 2.0 * m1, 6.0 * (a - b) + 2.0 * m0 + 4.0 * m1);
        let bend = first.abs().max(last.abs());
        (bend / (8.0 * off.max(1e-12))).sqrt().ceil().clamp(1.0, 4096.0)
    }

    /// Measures the largest distance between the drawn lines and the played motion, and its time.
    /// The distance is in degrees for rotations, else in the track's units.
    ///
    /// The lines are those of [`Self::sample_segment`], with at most 64 pieces per segment. The
    /// tolerance is 0.005° for rotations, and 1e-4 of the curve's range for other tracks. The
    /// distance is measured at the lines' points and midway between them.
    pub fn largest_error(&self) -> (f64, f64) {
        const PIECES: f64 = 64.0;
        let last = self.track.times.len() - 1;
        let within: Vec<f64> = (0..self.components()).map(|c| self.closeness(c)).collect();
        let mut worst = (0.0, f64::from(self.track.times[0]));
        let mut plays = vec![0.0; self.track.width];
        let mut lines = vec![Vec::new(); self.components()];
        let mut times: Vec<f64> = Vec::new();
        for key in 0..=last {
            let start = f64::from(self.track.times[key]);
            times.clear();
            times.push(start);
            for (component, line) in lines.iter_mut().enumerate() {
                line.clear();
                if key == last {
                    line.push((start, self.key_value(key, component)));
                } else {
                    let shortest = span(&self.track, key) / PIECES;
                    self.sample_segment(key, component, line, (shortest, within[component]));
                }
                times.extend(line.iter().map(|p| p.0));
            }
            times.sort_by(f64::total_cmp);
            times.dedup();
            // The end of a segment is the start of the next one.
            let between = times.windows(2).flat_map(|w| [w[0], f64::midpoint(w[0], w[1])]);
            for time in between.chain((key == last).then_some(start)) {
                sample_into(&self.track, time, &mut plays);
                let drawn: Vec<f64> = lines.iter().map(|line| on_line(line, time)).collect();
                let off = self.off(&drawn, &plays);
                if off > worst.0 {
                    worst = (off, time);
                }
            }
        }
        worst
    }

    /// Tolerance of a component's drawn line for [`Self::largest_error`].
    fn closeness(&self, component: usize) -> f64 {
        if matches!(self.view, View::Angles(_)) {
            return 0.005;
        }
        let values = (0..self.track.times.len()).map(|key| self.key_value(key, component));
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
        ((high - low) * 1e-4).max(1e-9)
    }

    /// Distance between drawn components and the played motion.
    fn off(&self, drawn: &[f64], plays: &[f32]) -> f64 {
        let seen = match &self.view {
            View::Numbers => {
                let off = |(a, b): (&f64, &f32)| (a - f64::from(*b)).abs();
                return drawn.iter().zip(plays).map(off).fold(0.0, f64::max);
            }
            View::Quaternion(_) => DVec4::from_slice(drawn),
            View::Angles(angles) => {
                let axes = angles.order.axes();
                angles.order.rotation(axes.map(|axis| drawn[axis].to_radians())).into()
            }
        };
        let plays = DVec4::from_array(std::array::from_fn(|i| f64::from(plays[i])));
        let turn = DQuat::from_vec4(seen.normalize_or(DVec4::W)).conjugate()
            * DQuat::from_vec4(plays.normalize_or(DVec4::W));
        (2.0 * turn.xyz().length().atan2(turn.w.abs())).to_degrees()
    }
}

/// Value of a polyline at a time between its ends.
fn on_line(line: &[(f64, f64)], time: f64) -> f64 {
    let next = line.partition_point(|p| p.0 <= time);
    match (next.checked_sub(1).map(|k| line[k]), line.get(next)) {
        (Some(a), Some(b)) => a.1 + (b.1 - a.1) * ((time - a.0) / (b.0 - a.0)),
        (Some(a), None) => a.1,
        (None, b) => b.map_or(0.0, |b| b.1),
    }
}

/// Recursive subdivision of a curve until its pieces are straight.
struct Bend<'a> {
    curves: &'a TrackCurves,
    key: usize,
    component: usize,
    /// Shortest piece, as a fraction of the segment.
    smallest: f64,
    off: f64,
}

impl Bend<'_> {
    fn draw(&self, from: (f64, f64), to: (f64, f64), seen: &mut impl FnMut(f64, f64)) {
        if to.0 - from.0 <= self.smallest {
            return;
        }
        // Two probes, since an S-shaped curve crosses its chord in between. A cubic differs from
        // its chord by x(1 − x)(p + qx). If both probes are within half of the tolerance, the whole
        // piece is within it.
        let probe = |place: f64| {
            let part = from.0 + (to.0 - from.0) * place;
            let value = self.curves.at(Key { key: self.key, part }, self.component);
            let chord = from.1 + (to.1 - from.1) * place;
            ((part, value), (value - chord).abs() <= self.off * 0.5)
        };
        // Normalized rotations are not cubics: they may change abruptly before both probes.
        let (split, near) = probe(0.45);
        if !near || !probe(0.75).1 || !probe(0.2).1 {
            self.draw(from, split, seen);
            seen(split.0, split.1);
            self.draw(split, to, seen);
        }
    }
}
