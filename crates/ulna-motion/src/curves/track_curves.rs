//! The curves of a track: what it plays, component by component, in 64 bits.

use glam::{DQuat, DVec3, DVec4};

use super::euler::{EulerOrder, unit};
use ulna_model::{Interpolation, Property, Track};

/// Which numbers of a track its curves show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CurveSpace {
    /// Those that are stored; rotations as unit quaternions.
    Stored,
    /// Euler angles, in degrees. Of tracks of other properties, the stored numbers.
    Euler(EulerOrder),
}

/// One track as curves. Cheap to clone; made anew where the track or the space is another.
///
/// A curve is exactly what plays: rotations are interpolated as quaternions and then shown as
/// angles, which go on without jumps of whole turns.
#[derive(Clone, Debug)]
pub struct TrackCurves {
    track: Track,
    order: Option<EulerOrder>,
    /// Of Euler angles: times and angles (radians about x, y, z) so near one another that the
    /// angles between two of them are no question. All keys are among them.
    places: Vec<(f64, DVec3)>,
    /// Where each key is among those.
    keys: Vec<u32>,
}

/// Angles of neighboring places differ by no more than this, radians, where they can.
const NEAR: f64 = 0.5;

/// How often the way from one key to the next is halved at most.
const MOST_HALVES: u32 = 6;

/// How often a piece of a drawn curve is halved at most.
const MOST_PIECES: u32 = 9;

impl TrackCurves {
    /// The curves of a track.
    pub fn new(track: &Track, space: CurveSpace) -> Self {
        let order = match space {
            CurveSpace::Euler(order) if track.property == Property::Rotation => Some(order),
            _ => None,
        };
        let mut curves = Self { track: track.clone(), order, places: Vec::new(), keys: Vec::new() };
        if let Some(order) = order {
            curves.place(order);
        }
        curves
    }

    /// Finds the angles at all keys, each beginning from the one before.
    fn place(&mut self, order: EulerOrder) {
        let count = self.track.times.len();
        self.places.reserve(count);
        self.keys.reserve(count);
        let mut last = DVec3::ZERO;
        for key in 0..count {
            let time = f64::from(self.track.times[key]);
            if key > 0 && self.track.interpolation != Interpolation::Step {
                self.between(order, key - 1, (0.0, 1.0), last, MOST_HALVES);
                last = self.places[self.places.len() - 1].1;
            }
            let angles = order.angles(self.rotation(key, 0.0), last);
            self.keys.push(self.places.len() as u32);
            self.places.push((time, angles));
            last = angles;
        }
    }

    /// Places between two parts of a segment, where the way between them is far.
    fn between(
        &mut self,
        order: EulerOrder,
        key: usize,
        (from, to): (f64, f64),
        start: DVec3,
        halves: u32,
    ) {
        let middle = (from + to) * 0.5;
        let (end, half) = (self.rotation(key, to), self.rotation(key, middle));
        let at_half = order.angles(half, start);
        let at_end = order.angles(end, at_half);
        let far = |a: DVec3, b: DVec3| (a - b).abs().max_element() > NEAR;
        if halves == 0 || !(far(start, at_half) || far(at_half, at_end)) {
            return;
        }
        self.between(order, key, (from, middle), start, halves - 1);
        let last = self.places[self.places.len() - 1].1;
        let at_half = order.angles(half, last);
        self.places.push((self.time_at(key, middle), at_half));
        self.between(order, key, (middle, to), at_half, halves - 1);
    }

    /// The track.
    pub const fn track(&self) -> &Track {
        &self.track
    }

    /// How many curves there are: three for Euler angles, else the numbers a value.
    pub const fn components(&self) -> usize {
        if self.order.is_some() { 3 } else { self.track.width }
    }

    /// The value of a component at a key; degrees for Euler angles.
    pub fn key_value(&self, key: usize, component: usize) -> f64 {
        match self.order {
            Some(_) => self.key_angles(key)[component].to_degrees(),
            None if self.track.property == Property::Rotation => {
                DVec4::from(unit(self.track.value(key)))[component]
            }
            None => f64::from(self.track.value(key)[component]),
        }
    }

    /// The angles at a key, radians.
    pub(super) fn key_angles(&self, key: usize) -> DVec3 {
        self.places[self.keys[key] as usize].1
    }

    /// The slopes of a component at a key, per second: on arrival and on leaving. Beyond the ends
    /// values hold, so the outer slopes are those that are stored, and 0 where none are. Nothing at
    /// gimbal lock.
    pub fn key_slopes(&self, key: usize, component: usize) -> Option<(f64, f64)> {
        let (arrive, leave) = (self.velocity(key, true), self.velocity(key, false));
        match self.order {
            Some(order) => {
                let angles = self.key_angles(key);
                let slope = |velocity: DVec4| {
                    let turned = self.angular(key, velocity);
                    order.slopes(angles, turned).map(|s| s[component].to_degrees())
                };
                Some((slope(arrive.quat())?, slope(leave.quat())?))
            }
            None => Some((arrive.at(component), leave.at(component))),
        }
    }

    /// Whether the angles at a key have no single slope, because two axes nearly coincide.
    pub fn gimbal_locked(&self, key: usize) -> bool {
        self.order.is_some_and(|order| order.is_locked(self.key_angles(key)))
    }

    /// The angular velocity in the parent's frame that a change of the stored quaternion makes
    /// (`ω = 2·q̇ₙ·qₙ*`).
    pub(super) fn angular(&self, key: usize, change: DVec4) -> DVec3 {
        let stored = self.track.value(key);
        let q = DVec4::from_array([0, 1, 2, 3].map(|i| f64::from(stored[i])));
        let length = q.length();
        if length < 1e-9 {
            return DVec3::ZERO;
        }
        let unit = q / length;
        let change = (change - unit * unit.dot(change)) / length;
        let turn = DQuat::from_vec4(change) * DQuat::from_vec4(unit).conjugate();
        DVec3::new(turn.x, turn.y, turn.z) * 2.0
    }

    /// The change of the stored numbers at a key, per second, on one side.
    pub(super) fn velocity(&self, key: usize, arrives: bool) -> Velocity<'_> {
        Velocity { curves: self, key, arrives }
    }

    /// What plays at a time, in seconds; the ends hold.
    pub fn value(&self, component: usize, time: f64) -> f64 {
        let (key, part) = self.segment(time);
        self.part_value(key, part, component)
    }

    fn part_value(&self, key: usize, part: f64, component: usize) -> f64 {
        match self.order {
            Some(order) => {
                let near = self.near(key, self.time_at(key, part));
                order.angles(self.rotation(key, part), near)[component].to_degrees()
            }
            None if self.track.property == Property::Rotation => {
                DVec4::from(self.rotation(key, part))[component]
            }
            None => self.number(key, part, component),
        }
    }

    /// The segment of a time, as the key before it and the part of the way to the next.
    fn segment(&self, time: f64) -> (usize, f64) {
        let times = &self.track.times;
        let last = times.len() - 1;
        let next = times.partition_point(|t| f64::from(*t) <= time);
        if next == 0 {
            return (0, 0.0);
        }
        let key = (next - 1).min(last);
        if key == last {
            return (last, 0.0);
        }
        let (from, to) = (f64::from(times[key]), f64::from(times[key + 1]));
        (key, (time - from) / (to - from))
    }

    fn time_at(&self, key: usize, part: f64) -> f64 {
        let times = &self.track.times;
        let from = f64::from(times[key]);
        let to = times.get(key + 1).map_or(from, |t| f64::from(*t));
        from + (to - from) * part
    }

    /// Angles near those at a time of a segment: on the line between two places.
    fn near(&self, key: usize, time: f64) -> DVec3 {
        let start = self.keys[key] as usize;
        let end = self.keys.get(key + 1).map_or(self.places.len(), |k| *k as usize + 1);
        let own = &self.places[start..end];
        let next = own.partition_point(|(t, _)| *t <= time).clamp(1, own.len());
        let (from, a) = own[next - 1];
        match own.get(next) {
            Some((to, b)) if self.track.interpolation != Interpolation::Step => {
                a + (*b - a) * ((time - from) / (to - from)).clamp(0.0, 1.0)
            }
            _ => a,
        }
    }

    /// The rotation at a part of a segment, as it plays.
    fn rotation(&self, key: usize, part: f64) -> DQuat {
        let from = unit(self.track.value(key));
        if part <= 0.0 || key + 1 >= self.track.times.len() {
            return from;
        }
        match self.track.interpolation {
            Interpolation::Step if part < 1.0 => from,
            Interpolation::Step => unit(self.track.value(key + 1)),
            Interpolation::Linear => slerp(from, unit(self.track.value(key + 1)), part),
            Interpolation::CubicSpline if part >= 1.0 => unit(self.track.value(key + 1)),
            Interpolation::CubicSpline => {
                let numbers = [0, 1, 2, 3].map(|i| self.number(key, part, i));
                let q = DVec4::from_array(numbers);
                let length = q.length();
                if length > 1e-9 { DQuat::from_vec4(q / length) } else { DQuat::IDENTITY }
            }
        }
    }

    /// A stored number at a part of a segment, as it plays (glTF 2.0, appendix C).
    fn number(&self, key: usize, part: f64, component: usize) -> f64 {
        let track = &self.track;
        let at = |key: usize| f64::from(track.value(key)[component]);
        if part <= 0.0 || key + 1 >= track.times.len() {
            return at(key);
        }
        match track.interpolation {
            Interpolation::Step => at(if part < 1.0 { key } else { key + 1 }),
            Interpolation::Linear => at(key) + (at(key + 1) - at(key)) * part,
            Interpolation::CubicSpline => {
                let (w, stride) = (track.width, track.stride());
                let span = f64::from(track.times[key + 1]) - f64::from(track.times[key]);
                let leave = f64::from(track.values[key * stride + 2 * w + component]) * span;
                let arrive = f64::from(track.values[(key + 1) * stride + component]) * span;
                let (u, u2, u3) = (part, part * part, part * part * part);
                (2.0 * u3 - 3.0 * u2 + 1.0) * at(key)
                    + (u3 - 2.0 * u2 + u) * leave
                    + (3.0 * u2 - 2.0 * u3) * at(key + 1)
                    + (u3 - u2) * arrive
            }
        }
    }

    /// Points of a curve from a key to the next, both included, as times in seconds and values:
    /// lines between them differ from the curve by about `tolerance` (seconds, value), but a piece
    /// shorter than the first is not halved.
    pub fn sample_segment(
        &self,
        key: usize,
        component: usize,
        out: &mut Vec<(f64, f64)>,
        tolerance: (f64, f64),
    ) {
        let (from, to) = (self.time_at(key, 0.0), self.time_at(key, 1.0));
        let start = self.key_value(key, component);
        if key + 1 >= self.track.times.len() {
            out.push((from, start));
            return;
        }
        let end = self.key_value(key + 1, component);
        out.push((from, start));
        match self.track.interpolation {
            Interpolation::Step => out.push((to, start)),
            Interpolation::Linear if self.order.is_none() && self.is_plain() => {}
            _ => self.halved(key, component, ((0.0, start), (1.0, end)), out, tolerance, 0),
        }
        out.push((to, end));
    }

    /// Whether numbers are interpolated one by one.
    fn is_plain(&self) -> bool {
        self.track.property != Property::Rotation
    }

    fn halved(
        &self,
        key: usize,
        component: usize,
        (from, to): ((f64, f64), (f64, f64)),
        out: &mut Vec<(f64, f64)>,
        tolerance: (f64, f64),
        depth: u32,
    ) {
        let span = self.time_at(key, 1.0) - self.time_at(key, 0.0);
        if depth >= MOST_PIECES || (to.0 - from.0) * span <= tolerance.0 {
            return;
        }
        let at = |share: f64| {
            let part = from.0 + (to.0 - from.0) * share;
            (part, self.part_value(key, part, component))
        };
        // A curve that crosses its chord in the middle is seen at one of the others.
        let (first, middle) = (at(0.27), at(0.5));
        let off = |(part, value): (f64, f64)| {
            let share = (part - from.0) / (to.0 - from.0);
            (value - (from.1 + (to.1 - from.1) * share)).abs()
        };
        if off(first).max(off(middle)) <= tolerance.1 && (depth > 0 || off(at(0.77)) <= tolerance.1)
        {
            return;
        }
        self.halved(key, component, (from, middle), out, tolerance, depth + 1);
        out.push((self.time_at(key, middle.0), middle.1));
        self.halved(key, component, (middle, to), out, tolerance, depth + 1);
    }

    /// How far the rotation of the drawn angles is from what plays, in degrees, and when that is,
    /// in seconds: measured at eight places a segment. 0 for other curves.
    pub fn largest_error(&self) -> (f64, f64) {
        let Some(order) = self.order else { return (0.0, 0.0) };
        let mut worst = (0.0, f64::from(self.track.times[0]));
        let mut played = [0.0; 4];
        for key in 0..self.track.times.len() {
            for step in 0..8 {
                let time = self.time_at(key, f64::from(step) / 8.0);
                let angles = DVec3::from_array([0, 1, 2].map(|c| self.value(c, time).to_radians()));
                crate::sample_into(&self.track, time, &mut played);
                let (drawn, played) = (order.quat(angles), unit(&played));
                let apart = drawn.conjugate() * played;
                let angle =
                    2.0 * DVec3::new(apart.x, apart.y, apart.z).length().atan2(apart.w.abs());
                if angle.to_degrees() > worst.0 {
                    worst = (angle.to_degrees(), time);
                }
            }
        }
        worst
    }
}

/// The change of the stored numbers at one side of a key.
pub(super) struct Velocity<'a> {
    curves: &'a TrackCurves,
    key: usize,
    arrives: bool,
}

impl Velocity<'_> {
    /// Of one number, per second.
    fn at(&self, component: usize) -> f64 {
        let track = &self.curves.track;
        match track.interpolation {
            Interpolation::Step => 0.0,
            Interpolation::Linear if track.property == Property::Rotation => self.quat()[component],
            Interpolation::Linear => self.line(|key| f64::from(track.value(key)[component])),
            Interpolation::CubicSpline => {
                let side = if self.arrives { 0 } else { 2 * track.width };
                f64::from(track.values[self.key * track.stride() + side + component])
            }
        }
    }

    /// The keys of the segment on this side.
    fn ends(&self) -> Option<(usize, usize)> {
        if self.arrives {
            self.key.checked_sub(1).map(|before| (before, self.key))
        } else {
            (self.key + 1 < self.curves.track.times.len()).then_some((self.key, self.key + 1))
        }
    }

    fn line(&self, value: impl Fn(usize) -> f64) -> f64 {
        let Some((from, to)) = self.ends() else { return 0.0 };
        let times = &self.curves.track.times;
        (value(to) - value(from)) / (f64::from(times[to]) - f64::from(times[from]))
    }

    /// Of a quaternion, per second.
    pub(super) fn quat(&self) -> DVec4 {
        let track = &self.curves.track;
        match track.interpolation {
            Interpolation::Step => DVec4::ZERO,
            Interpolation::CubicSpline => {
                DVec4::from_array([0, 1, 2, 3].map(|component| self.at(component)))
            }
            Interpolation::Linear => {
                let Some((from, to)) = self.ends() else { return DVec4::ZERO };
                let (a, b) = (unit(track.value(from)), unit(track.value(to)));
                let span = f64::from(track.times[to]) - f64::from(track.times[from]);
                let turn = b * a.inverse();
                let turn = if turn.w < 0.0 { -turn } else { turn };
                let half = turn.to_scaled_axis() * (0.5 / span);
                let own = unit(track.value(self.key));
                DVec4::from(DQuat::from_xyzw(half.x, half.y, half.z, 0.0) * own)
                    * length(track.value(self.key))
            }
        }
    }
}

fn length(values: &[f32]) -> f64 {
    values.iter().map(|v| f64::from(*v) * f64::from(*v)).sum::<f64>().sqrt()
}

/// Spherical interpolation on the short way.
fn slerp(a: DQuat, b: DQuat, part: f64) -> DQuat {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    let apart = (a - b).length().atan2((a + b).length()) * 2.0;
    if apart < 1e-6 {
        return (a * (1.0 - part) + b * part).normalize();
    }
    let (from, to) = (((1.0 - part) * apart).sin(), (part * apart).sin());
    (a * from + b * to).normalize()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{clip_edit::tests::any_track, sample_into};

    proptest! {
        /// A curve is what plays: each component at any time, and Euler angles composed back.
        #[test]
        fn curves_are_what_plays(track in any_track(), shares in prop::collection::vec(
            -0.2f64..1.2, 20)) {
            let end = f64::from(track.times[track.times.len() - 1]);
            let mut played = vec![0.0; track.width];
            let stored = TrackCurves::new(&track, CurveSpace::Stored);
            for share in shares {
                let time = share * end;
                sample_into(&track, time, &mut played);
                let raw = |c: usize| stored.value(c, time);
                let plain = (0..track.width).all(|c| (raw(c) - f64::from(played[c])).abs() < 1e-3);
                let flipped = track.property == Property::Rotation
                    && (0..4).all(|c| (raw(c) + f64::from(played[c])).abs() < 1e-3);
                // A spline near zero whips round within the rounding of the played numbers.
                let whips = crate::clip_edit::tests::whip(&track, time) > 1e-3;
                prop_assert!(plain || flipped || whips);
                if track.property == Property::Rotation && !whips {
                    for order in EulerOrder::ALL {
                        let curves = TrackCurves::new(&track, CurveSpace::Euler(order));
                        let angles = [0, 1, 2].map(|c| curves.value(c, time).to_radians());
                        let drawn = order.quat(DVec3::from_array(angles));
                        let apart = drawn.dot(unit(&played)).abs().min(1.0);
                        prop_assert!(apart > 1.0 - 1e-7, "{order:?} {apart}");
                    }
                }
            }
        }

        /// Points of a segment begin and end at its keys, in rising time, and lines between them
        /// stay by the curve.
        #[test]
        fn points_follow_the_curve(track in any_track()) {
            let curves = TrackCurves::new(&track, CurveSpace::Euler(EulerOrder::Xyz));
            for component in 0..curves.components() {
                for key in 0..track.times.len() - 1 {
                    let mut points = Vec::new();
                    curves.sample_segment(key, component, &mut points, (1e-4, 0.05));
                    let (first, last) = (points[0], points[points.len() - 1]);
                    prop_assert_eq!(first.1, curves.key_value(key, component));
                    prop_assert_eq!(last.1, curves.key_value(key + 1, component));
                    prop_assert!(points.windows(2).all(|p| p[0].0 <= p[1].0));
                    prop_assert!(points.len() <= 2 + (1 << MOST_PIECES));
                }
            }
        }

        /// Slopes are the derivatives of what is drawn, on both sides of a key.
        #[test]
        fn slopes_are_derivatives(track in any_track()) {
            let spaces = [CurveSpace::Stored, CurveSpace::Euler(EulerOrder::Zxy)];
            for space in spaces {
                let curves = TrackCurves::new(&track, space);
                for key in 0..track.times.len() {
                    let time = f64::from(track.times[key]);
                    for component in 0..curves.components() {
                        if space == CurveSpace::Stored && track.property == Property::Rotation {
                            continue;
                        }
                        let Some((arrive, leave)) = curves.key_slopes(key, component) else {
                            continue;
                        };
                        let at = |t: f64| curves.value(component, t);
                        let (step, here) = (1e-9, curves.key_value(key, component));
                        let close = |a: f64, b: f64| (a - b).abs() < 1e-2 * (1.0 + a.abs());
                        if key > 0 && track.interpolation != Interpolation::Step {
                            let found = (here - at(time - step)) / step;
                            prop_assert!(close(arrive, found), "{arrive} {found}");
                        }
                        if key + 1 < track.times.len() {
                            let found = (at(time + step) - here) / step;
                            prop_assert!(close(leave, found), "{leave} {found}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn angles_go_on_beyond_a_turn() {
        let angle = |k: usize| 1.3 * k as f32;
        let quats = (0..12).flat_map(|k| glam::Quat::from_rotation_y(angle(k)).to_array());
        let track = Track {
            target: ulna_model::NodeId(0),
            property: Property::Rotation,
            interpolation: Interpolation::Linear,
            times: (0..12).map(|k| k as f32).collect(),
            values: quats.collect(),
            width: 4,
            kinds: Default::default(),
            modes: Default::default(),
        };
        let curves = TrackCurves::new(&track, CurveSpace::Euler(EulerOrder::Yxz));
        for k in 0..12 {
            assert!((curves.key_value(k, 1) - f64::from(angle(k)).to_degrees()).abs() < 1e-3);
        }
        assert!((curves.value(1, 10.5) - f64::from(angle(21) / 2.0).to_degrees()).abs() < 1e-3);
        assert!(curves.largest_error().0 < 1e-3);
    }
}
