//! Animation curves of an FBX take, and the properties that they animate.

use std::collections::{BTreeMap, BTreeSet};

use ufbx::{AnimCurve, AnimStack, ExtrapolationMode, Interpolation};

use super::segments::Kinds;

/// Maximum number of key times that the repetition of a curve may add.
const MOST_REPEATED: usize = 20_000;
/// Time difference, in seconds, below which two times are merged.
const SAME: f64 = 1e-6;

/// Curves of an animation stack, grouped by the property that they animate.
pub(super) struct Curves<'a> {
    /// Animated properties by element id: name and curve, for all layers of the stack.
    of: BTreeMap<u32, Vec<(&'a str, &'a AnimCurve)>>,
    /// Curves of layer weights. They affect all properties.
    layers: Vec<&'a AnimCurve>,
    /// Number of curves whose extrapolation beyond their keys is not constant.
    pub(super) endless: usize,
}

impl<'a> Curves<'a> {
    pub(super) fn of(stack: &'a AnimStack) -> Self {
        let mut made = Self { of: BTreeMap::new(), layers: Vec::new(), endless: 0 };
        let layers: Vec<u32> = stack.layers.into_iter().map(|l| l.element.element_id).collect();
        for layer in &stack.layers {
            for prop in layer.anim_props.as_ref() {
                let curves = prop.anim_value.curves.iter().flatten();
                let curves = curves.filter(|c| c.keyframes.count > 0);
                for curve in curves {
                    let curve: &AnimCurve = curve;
                    made.endless += usize::from(is_endless(curve));
                    let element = prop.element.element_id;
                    if layers.contains(&element) {
                        made.layers.push(curve);
                    } else {
                        made.of.entry(element).or_default().push((&prop.prop_name, curve));
                    }
                }
            }
        }
        made
    }

    /// Names of properties that change in the stack, once per element.
    pub(super) fn changing(&self) -> Vec<&'a str> {
        let changes = |curve: &AnimCurve| {
            let keys = curve.keyframes.as_ref();
            keys.iter().any(|k| k.value != keys[0].value)
        };
        let mut made = Vec::new();
        for list in self.of.values() {
            let names = list.iter().filter(|(_, curve)| changes(curve)).map(|(name, _)| *name);
            made.extend(names.collect::<BTreeSet<_>>());
        }
        made
    }

    /// Curves of the given properties of an element.
    pub(super) fn some(&self, element: u32, names: &[&str]) -> Vec<&'a AnimCurve> {
        let list = self.of.get(&element).map_or(&[][..], Vec::as_slice);
        list.iter().filter(|(name, _)| names.contains(name)).map(|(_, curve)| *curve).collect()
    }

    /// Adds the curves of layer weights, unless `curves` is empty.
    pub(super) fn with_layers(&self, mut curves: Vec<&'a AnimCurve>) -> Vec<&'a AnimCurve> {
        if !curves.is_empty() {
            curves.extend(&self.layers);
        }
        curves
    }

    /// Times of the first and the last key of all curves; `None` if there are no keys.
    pub(super) fn extent(&self) -> Option<(f64, f64)> {
        let all = self.of.values().flatten().map(|(_, curve)| *curve).chain(self.layers.clone());
        let times = all.flat_map(|c| {
            let keys = c.keyframes.as_ref();
            keys.first().into_iter().chain(keys.last()).map(|k| k.time)
        });
        times.filter(|t| t.is_finite()).fold(None, |span, t| {
            let (from, to) = span.unwrap_or((t, t));
            Some((t.min(from), t.max(to)))
        })
    }
}

fn is_endless(curve: &AnimCurve) -> bool {
    let keys = curve.keyframes.count > 1;
    let goes = |mode: ExtrapolationMode| mode != ExtrapolationMode::Constant;
    keys && (goes(curve.pre_extrapolation.mode) || goes(curve.post_extrapolation.mode))
}

/// Key times of curves within a range. An end of the range is included if a curve crosses it.
pub(super) fn times(curves: &[&AnimCurve], (from, to): (f64, f64)) -> Vec<f64> {
    let mut made: Vec<f64> = Vec::new();
    for curve in curves {
        let keys = curve.keyframes.as_ref();
        let (Some(first), Some(last)) = (keys.first(), keys.last()) else { continue };
        made.extend(keys.iter().map(|k| k.time));
        if is_endless(curve) {
            made.extend([from, to]);
            let period = last.time - first.time;
            let is_repeated = |mode: ExtrapolationMode| {
                !matches!(mode, ExtrapolationMode::Constant | ExtrapolationMode::Slope)
            };
            if period > SAME {
                if is_repeated(curve.post_extrapolation.mode) {
                    repeat(&mut made, keys, (first.time, period), 1.0, to);
                }
                if is_repeated(curve.pre_extrapolation.mode) {
                    repeat(&mut made, keys, (first.time, period), -1.0, from);
                }
            }
        }
        let is_over = |t: f64| first.time < t - SAME && t + SAME < last.time;
        made.extend([from, to].into_iter().filter(|t| is_over(*t)));
    }
    made.retain(|t| t.is_finite() && (from - SAME..=to + SAME).contains(t));
    made.iter_mut().for_each(|t| *t = t.clamp(from, to));
    if made.is_empty() && !curves.is_empty() {
        // All keys are outside the range, so the curve is constant in it.
        made.push(from);
    }
    made.sort_by(f64::total_cmp);
    made.dedup_by(|a, b| (*a - *b).abs() <= SAME);
    made
}

/// Adds repetitions of key times up to an end time, both forward and mirrored.
fn repeat(
    made: &mut Vec<f64>,
    keys: &[ufbx::Keyframe],
    (first, period): (f64, f64),
    way: f64,
    end: f64,
) {
    let rounds = ((end - first).abs() / period).ceil().min(1e6) as usize + 1;
    let most = (MOST_REPEATED / (keys.len() * 2)).max(1);
    for round in 1..=rounds.min(most) {
        let shift = way * period * round as f64;
        made.extend(keys.iter().map(|k| k.time + shift));
        made.extend(keys.iter().map(|k| first + period - (k.time - first) + shift));
    }
}

/// Kinds of curve segments in a time span.
pub(super) fn kinds(curves: &[&AnimCurve], (from, to): (f64, f64)) -> Kinds {
    let mut made = Kinds::default();
    let middle = 0.5 * (from + to);
    for curve in curves {
        let keys = curve.keyframes.as_ref();
        let after = keys.partition_point(|k| k.time <= middle);
        if is_endless(curve) && (after == 0 || after == keys.len()) {
            // A repetition can be a copy of any segment, and can jump at its start.
            let any = |kind| keys.iter().any(|k| k.interpolation == kind);
            made.has_cubics |= any(Interpolation::Cubic);
            made.has_lines = true;
            made.has_steps = true;
        }
        let Some(before) = after.checked_sub(1).map(|k| &keys[k]) else { continue };
        if after == keys.len() {
            continue;
        }
        match before.interpolation {
            Interpolation::ConstantPrev | Interpolation::ConstantNext => made.has_steps = true,
            Interpolation::Linear => made.has_lines = true,
            Interpolation::Cubic => made.has_cubics = true,
        }
    }
    made
}
