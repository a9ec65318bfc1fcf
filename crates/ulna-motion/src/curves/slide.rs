//! Sliders: edits of a run of keys relative to its neighbors.
//!
//! A run is a sequence of selected keys without a gap. Its neighbors are the keys before and after
//! it. At an end of the track, the run's own first or last key is used instead. The computation
//! uses numbers, or for rotations, rotation vectors relative to the key before the run. Blender's
//! graph editor has sliders with the same names.

use super::chart::{Chart, ChosenComponents, KeyVector, follow_holds, is_meant, only_angles};
use crate::{
    clip_edit::{is_hold_end, refreshed},
    sample_into,
};
use ulna_model::{Property, Track};

/// The effect of a slider on a run of keys. The amount is from −1 to 1, and 0 changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slide {
    /// Moves keys toward the value of the key before the run (−1) or after it (1).
    BlendNeighbor,
    /// Moves keys toward a curve between the neighbors, which has a slow start (−1) or a slow end
    /// (1).
    Ease,
    /// Scales the differences from the key before the run: to 0 (−1), or to twice their size (1).
    ScaleLeft,
    /// Scales the differences from the key after the run: to 0 (−1), or to twice their size (1).
    ScaleRight,
    /// Scales the differences from the mean of the run: to 0 (−1), or to twice their size (1).
    ScaleAverage,
    /// Adds a fraction of the difference between the neighbors, which grows from the start of the
    /// run to its end.
    Shear,
    /// Scales the differences from the line between the neighbors: to 0 (−1), or to twice their
    /// size (1).
    PushPull,
    /// Moves keys toward the straight line that continues the curve before the run (−1) or after it
    /// (1).
    MatchSlope,
    /// Shifts the curve earlier (−1) or later (1) by the interval between keys of the run. The key
    /// times stay.
    TimeOffset,
}

impl Slide {
    /// All sliders.
    pub const ALL: [Self; 9] = [
        Self::BlendNeighbor,
        Self::Ease,
        Self::ScaleLeft,
        Self::ScaleRight,
        Self::ScaleAverage,
        Self::Shear,
        Self::PushPull,
        Self::MatchSlope,
        Self::TimeOffset,
    ];

    /// Display name of the slider.
    pub const fn label(self) -> &'static str {
        match self {
            Self::BlendNeighbor => "Blend to neighbor",
            Self::Ease => "Ease",
            Self::ScaleLeft => "Scale from left",
            Self::ScaleRight => "Scale from right",
            Self::ScaleAverage => "Scale from average",
            Self::Shear => "Shear",
            Self::PushPull => "Push and pull",
            Self::MatchSlope => "Match slope",
            Self::TimeOffset => "Time offset",
        }
    }
}

/// Applies a slider with an amount from −1 to 1 to the keys at `times` (in rising order). Tangents
/// change with the curve, and automatic ones are recomputed.
#[must_use]
pub fn slid(
    track: &Track,
    times: &[f32],
    slide: Slide,
    amount: f64,
    components: Option<ChosenComponents<'_>>,
) -> Track {
    let amount = if amount.is_finite() { amount.clamp(-1.0, 1.0) } else { 0.0 };
    let own: Vec<usize> = (0..track.times.len()).filter(|k| !is_hold_end(track, *k)).collect();
    let meant = |k: usize| times.binary_search_by(|t| t.total_cmp(&track.times[k])).is_ok();
    let mut values = track.values.to_vec();
    let mut from = 0;
    while from < own.len() && amount != 0.0 {
        if !meant(own[from]) {
            from += 1;
            continue;
        }
        let count = own[from..].iter().take_while(|k| meant(**k)).count();
        let run = Run::of(track, &own, from, count);
        run.slide(slide, amount, components, &mut values);
        from += count;
    }
    follow_holds(track, &mut values);
    only_angles(track, &mut values, components);
    refreshed(track, Track { values: values.into(), ..track.clone() })
}

/// A run (selected keys without a gap) and its neighbors.
struct Run<'a> {
    track: &'a Track,
    chart: Chart<'a>,
    /// Indices in the track of the keys in the run.
    keys: Vec<usize>,
    vectors: Vec<KeyVector>,
    /// Times of the keys in the run, seconds.
    times: Vec<f64>,
    /// Time and value of the neighbor before the run. `right` is the neighbor after it.
    left: (f64, Vec<f64>),
    right: (f64, Vec<f64>),
    /// Slopes per second of the straight lines that continue the curve into the run, from the left
    /// and from the right.
    slopes: [Option<Vec<f64>>; 2],
}

/// Returns `a + b·factor`, per component.
fn sum(a: &[f64], b: &[f64], factor: f64) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b * factor).collect()
}

impl<'a> Run<'a> {
    fn of(track: &'a Track, own: &[usize], from: usize, count: usize) -> Self {
        let before = from.saturating_sub(1);
        let after = (from + count).min(own.len() - 1);
        let chart = Chart::at_key(track, own[before]);
        let first = before.saturating_sub(1);
        let last = (after + 1).min(own.len() - 1);
        // Read the keys in order, so that rotation vectors are continuous.
        let mut all: Vec<KeyVector> = vec![chart.read(own[before], None)];
        for key in &own[before + 1..=last] {
            let near = all.last().map(|v| v.value.clone());
            all.push(chart.read(*key, near.as_deref()));
        }
        let time = |k: usize| f64::from(track.times[own[k]]);
        let value = |k: usize| all[k - before].value.clone();
        let line = |a: (f64, &[f64]), b: (f64, &[f64])| {
            let slope: Vec<f64> = sum(b.1, a.1, -1.0).iter().map(|d| d / (b.0 - a.0)).collect();
            slope
        };
        let come = (first < before).then(|| {
            let earlier = chart.value(track.value(own[first]), Some(&all[0].value));
            line((time(first), &earlier), (time(before), &all[0].value))
        });
        let go =
            (last > after).then(|| line((time(after), &value(after)), (time(last), &value(last))));
        Self {
            track,
            keys: own[from..from + count].to_vec(),
            times: (from..from + count).map(time).collect(),
            left: (time(before), value(before)),
            right: (time(after), value(after)),
            vectors: all[from - before..from - before + count].to_vec(),
            chart,
            slopes: [come, go],
        }
    }

    fn slide(
        &self,
        slide: Slide,
        amount: f64,
        components: Option<ChosenComponents<'_>>,
        values: &mut [f32],
    ) {
        let stride = self.track.stride();
        let turns = self.track.property == Property::Rotation;
        let mean = self.mean();
        for (k, key) in self.keys.iter().enumerate() {
            let was = &self.vectors[k];
            let Some((to, keeps, adds)) = self.moved(k, slide, amount, &mean) else { continue };
            let slope = |s: &[f64]| -> Vec<f64> {
                s.iter().zip(&adds).map(|(s, a)| s * keeps + a).collect()
            };
            let mut now = KeyVector {
                value: to,
                arrive: slope(&was.arrive),
                leave: slope(&was.leave),
                ..was.clone()
            };
            if !turns {
                for c in (0..self.track.width).filter(|c| !is_meant(components, *c)) {
                    now.value[c] = was.value[c];
                    now.arrive[c] = was.arrive[c];
                    now.leave[c] = was.leave[c];
                }
            }
            self.chart.write(&now, &mut values[key * stride..(key + 1) * stride]);
        }
    }

    fn mean(&self) -> Vec<f64> {
        let none = vec![0.0; self.left.1.len()];
        let part = 1.0 / self.vectors.len() as f64;
        self.vectors.iter().fold(none, |all, v| sum(&all, &v.value, part))
    }

    /// Returns the new value of a key of the run, the factor of its slopes, and the addition to
    /// them. `None` if the slider has no reference value.
    fn moved(
        &self,
        k: usize,
        slide: Slide,
        amount: f64,
        mean: &[f64],
    ) -> Option<(Vec<f64>, f64, Vec<f64>)> {
        let value = &self.vectors[k].value;
        let (left, right) = (&self.left.1, &self.right.1);
        let (span, none) = (self.right.0 - self.left.0, vec![0.0; value.len()]);
        let by = sum(right, left, -1.0);
        let part = if span > 0.0 { (self.times[k] - self.left.0) / span } else { 0.0 };
        let (much, more) = (amount.abs(), 1.0 + amount);
        // Blends toward a value and its slope.
        let toward = |to: Vec<f64>, slope: Vec<f64>| {
            let moved = sum(value, &sum(&to, value, -1.0), much);
            (moved, 1.0 - much, slope.iter().map(|s| s * much).collect())
        };
        // Scales the difference from a value and its slope.
        let larger = |about: Vec<f64>, slope: Vec<f64>| {
            let moved = sum(&about, &sum(value, &about, -1.0), more);
            (moved, more, slope.iter().map(|s| s * (1.0 - more)).collect())
        };
        let scaled =
            |v: &[f64], factor: f64| -> Vec<f64> { v.iter().map(|b| b * factor).collect() };
        Some(match slide {
            Slide::BlendNeighbor if amount < 0.0 => toward(left.clone(), none),
            Slide::BlendNeighbor => toward(right.clone(), none),
            Slide::ScaleLeft => larger(left.clone(), none),
            Slide::ScaleRight => larger(right.clone(), none),
            Slide::ScaleAverage => larger(mean.to_vec(), none),
            _ if span <= 0.0 => return None,
            Slide::Ease => {
                let (at, slope) = if amount < 0.0 {
                    (part.powi(3), 3.0 * part * part)
                } else {
                    let rest = 1.0 - part;
                    (1.0 - rest.powi(3), 3.0 * rest * rest)
                };
                toward(sum(left, &by, at), scaled(&by, slope / span))
            }
            Slide::Shear => (sum(value, &by, part * amount), 1.0, scaled(&by, amount / span)),
            Slide::PushPull => larger(sum(left, &by, part), scaled(&by, 1.0 / span)),
            Slide::MatchSlope => {
                let (from, slope) = if amount < 0.0 {
                    (&self.left, self.slopes[0].as_ref()?)
                } else {
                    (&self.right, self.slopes[1].as_ref()?)
                };
                toward(sum(&from.1, slope, self.times[k] - from.0), slope.clone())
            }
            Slide::TimeOffset => {
                let apart = span / (self.keys.len() + 1) as f64;
                let time = self.times[k] - amount * apart;
                let near = self.sampled(time, value);
                let h = apart * 1e-3;
                let slope =
                    sum(&self.sampled(time + h, &near), &self.sampled(time - h, &near), -1.0);
                (near, 0.0, scaled(&slope, 0.5 / h))
            }
        })
    }

    /// Samples the curve at a time, as a vector.
    fn sampled(&self, time: f64, near: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.track.width];
        sample_into(self.track, time, &mut out);
        self.chart.value(&out, Some(near))
    }
}

#[cfg(test)]
mod tests {
    use glam::Quat;
    use proptest::prelude::*;

    use super::{super::chart::rotation, *};
    use crate::{
        clip_edit::tests::any_track,
        curves::{CurveSpace, EulerOrder},
    };
    use ulna_model::{Interpolation, NodeId, transform::angle_between};

    fn apart(a: &Track, b: &Track, key: usize) -> f32 {
        if a.property == Property::Rotation {
            let [a, b] = [a, b].map(|t| Quat::from_slice(t.value(key)).normalize());
            return angle_between(a, b);
        }
        a.value(key).iter().zip(b.value(key)).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    }

    fn numbers(keys: &[(f32, f32)]) -> Track {
        Track {
            target: NodeId(0),
            property: Property::Translation,
            interpolation: Interpolation::Linear,
            times: keys.iter().map(|k| k.0).collect(),
            values: keys.iter().flat_map(|k| [k.1, -k.1, 0.5]).collect(),
            width: 3,
            kinds: Default::default(),
            modes: Default::default(),
        }
    }

    fn x(track: &Track) -> Vec<f32> {
        (0..track.times.len()).map(|k| track.value(k)[0]).collect()
    }

    proptest! {
        #[test]
        fn sliders_change_only_the_given_keys_and_no_times(track in any_track(),
            slide in prop::sample::select(Slide::ALL.to_vec()), amount in -1.0f64..1.0,
            picks in prop::collection::vec(any::<bool>(), 12)) {
            let times: Vec<f32> =
                track.times.iter().zip(&picks).filter(|(_, p)| **p).map(|(t, _)| *t).collect();
            let made = slid(&track, &times, slide, amount, None);
            prop_assert!(made.validate().is_ok());
            prop_assert_eq!(&made.times, &track.times);
            for key in (0..track.times.len()).filter(|k| !picks[*k]) {
                prop_assert_eq!(made.value(key), track.value(key));
            }
            prop_assert_eq!(slid(&track, &times, slide, 0.0, None), track);
        }

        #[test]
        fn sliders_reach_their_targets_at_full_amount(track in any_track(), pick in 1usize..10) {
            if pick + 1 >= track.times.len() {
                return Ok(());
            }
            let time = [track.times[pick]];
            let value = |track: &Track, key: usize| Track {
                times: [0.0].into(),
                values: track.value(key).into(),
                interpolation: Interpolation::Linear,
                ..track.clone()
            };
            let at = |slide, amount| value(&slid(&track, &time, slide, amount, None), pick);
            let (left, right) = (value(&track, pick - 1), value(&track, pick + 1));
            for (made, wanted) in [
                (at(Slide::BlendNeighbor, -1.0), &left),
                (at(Slide::BlendNeighbor, 1.0), &right),
                (at(Slide::ScaleLeft, -1.0), &left),
                (at(Slide::ScaleRight, -1.0), &right),
                (at(Slide::ScaleAverage, 1.0), &value(&track, pick)),
            ] {
                prop_assert!(apart(&made, wanted, 0) < 2e-3);
            }
            // The line and the eases stay between the values of the neighbors. For rotations, they
            // may follow the longer path.
            if track.property == Property::Rotation {
                return Ok(());
            }
            let whole = apart(&left, &right, 0);
            for made in [at(Slide::PushPull, -1.0), at(Slide::Ease, -1.0), at(Slide::Ease, 1.0)] {
                let way = apart(&left, &made, 0).max(apart(&made, &right, 0));
                prop_assert!(way <= whole + 2e-3);
            }
        }

        #[test]
        fn sliders_transform_tangents_with_the_values(
            a in -2.0f32..2.0, b in -2.0f32..2.0, amount in -1.0f64..1.0,
            slide in prop::sample::select(Slide::ALL.to_vec())) {
            // A straight line with its own slope at every key stays smooth under operations that
            // map lines to lines.
            let keys: Vec<(f32, f32)> =
                (0..6).map(|k| (k as f32 * 0.5, a + b * k as f32 * 0.5)).collect();
            let linear = numbers(&keys);
            let mut values = Vec::new();
            for k in 0..6 {
                values.extend([b, -b, 0.0]);
                values.extend_from_slice(linear.value(k));
                values.extend([b, -b, 0.0]);
            }
            let track = Track {
                interpolation: Interpolation::CubicSpline, values: values.into(), ..linear
            };
            prop_assume!(!matches!(slide, Slide::Ease));
            let made = slid(&track, &track.times, slide, amount, None);
            let slope = |k: usize, part: usize| made.values[k * 9 + part * 3];
            let now = x(&made);
            let wanted = (now[3] - now[2]) / 0.5;
            let flat = matches!(slide, Slide::TimeOffset) && amount != 0.0;
            if !flat {
                prop_assert!((slope(2, 0) - wanted).abs() < 1e-3 && (slope(2, 2) - wanted).abs()
                    < 1e-3, "{slide:?} {} {wanted}", slope(2, 0));
            }
        }
    }

    #[test]
    fn each_group_of_consecutive_keys_slides_relative_to_its_own_neighbors() {
        let track = numbers(&[(0.0, 0.0), (1.0, 3.0), (2.0, 1.0), (3.0, 4.0), (4.0, 8.0)]);
        let slide = |times: &[f32], slide, amount| x(&slid(&track, times, slide, amount, None));
        assert_eq!(slide(&[1.0, 3.0], Slide::BlendNeighbor, -1.0), [0.0, 0.0, 1.0, 1.0, 8.0]);
        assert_eq!(slide(&[1.0, 2.0], Slide::ScaleLeft, 1.0), [0.0, 6.0, 2.0, 4.0, 8.0]);
        assert_eq!(slide(&[1.0, 2.0], Slide::ScaleAverage, -1.0), [0.0, 2.0, 2.0, 4.0, 8.0]);
        assert_eq!(slide(&[1.0, 3.0], Slide::PushPull, -1.0), [0.0, 0.5, 1.0, 4.5, 8.0]);
        assert_eq!(slide(&[3.0], Slide::MatchSlope, -1.0), [0.0, 3.0, 1.0, -1.0, 8.0]);
        assert_eq!(slide(&[1.0], Slide::MatchSlope, 1.0), [0.0, -2.0, 1.0, 4.0, 8.0]);
        assert_eq!(slide(&[1.0], Slide::Shear, 1.0), [0.0, 3.5, 1.0, 4.0, 8.0]);
        assert_eq!(slide(&[1.0, 2.0, 3.0], Slide::TimeOffset, 1.0), [0.0, 0.0, 3.0, 1.0, 8.0]);
        assert_eq!(slide(&[1.0], Slide::Ease, -1.0)[1], 0.125);
        assert_eq!(slide(&[1.0], Slide::Ease, 1.0)[1], 0.875);
        let second = ChosenComponents { list: &[1], space: CurveSpace::Stored };
        let one = slid(&track, &[1.0], Slide::BlendNeighbor, -1.0, Some(second));
        assert_eq!(one.value(1), [3.0, 0.0, 0.5]);
    }

    #[test]
    fn a_slider_can_change_one_angle_of_a_rotation() {
        let angles = [[0.1f32, 0.2, 0.3], [0.6, -0.4, 0.9], [0.2, 0.1, -0.3]];
        let turn = |a: [f32; 3]| Quat::from_euler(glam::EulerRot::XYZ, a[0], a[1], a[2]);
        let track = Track {
            property: Property::Rotation,
            width: 4,
            values: angles.iter().flat_map(|a| turn(*a).to_array()).collect(),
            ..numbers(&[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)])
        };
        let space = CurveSpace::Euler(EulerOrder::Xyz);
        let second = ChosenComponents { list: &[1], space };
        let made = slid(&track, &[1.0], Slide::BlendNeighbor, -1.0, Some(second));
        let wanted = turn([0.6, 0.2, 0.9]);
        assert!(angle_between(Quat::from_slice(made.value(1)), wanted) < 1e-3);
    }

    proptest! {
        #[test]
        fn a_slider_changes_only_the_chosen_angle_in_any_euler_order(
            order in prop::sample::select(EulerOrder::ALL.to_vec()),
            keys in prop::collection::vec((-1.2f64..1.2, -1.0f64..1.0, -1.2f64..1.2), 4),
            axis in 0u16..3,
            amount in -1.0f64..1.0,
            slide in prop::sample::select(Slide::ALL.to_vec()),
        ) {
            let turn = |k: &(f64, f64, f64)| order.rotation([k.0, k.1, k.2]).as_quat().to_array();
            let track = Track {
                property: Property::Rotation,
                width: 4,
                values: keys.iter().flat_map(turn).collect(),
                ..numbers(&[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (3.0, 0.0)])
            };
            let space = CurveSpace::Euler(order);
            let chosen = ChosenComponents { list: &[axis], space };
            let made = slid(&track, &[1.0, 2.0], slide, amount, Some(chosen));
            for key in 0..4 {
                let [was, now] = [&track, &made].map(|t| rotation(t.value(key)));
                let own = order.angles(was, [0.0; 3]);
                let [a, b, c] = order.angles(now, own);
                // The same rotation is also described by another triple of Euler angles.
                let half = std::f64::consts::PI;
                let same = [[a, b, c], [a + half, half - b, c + half]].iter().any(|found| {
                    (0..3).filter(|n| *n != order.place(usize::from(axis))).all(|n| {
                        let off = (found[n] - own[n]).rem_euclid(2.0 * half);
                        off.min(2.0 * half - off) < 2e-4
                    })
                });
                let locked = order.middle_sine(now).abs() > 0.9999;
                prop_assert!(same || locked, "{key}: {own:?} {a} {b} {c}");
            }
        }
    }
}
