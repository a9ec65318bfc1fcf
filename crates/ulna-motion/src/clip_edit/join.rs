//! Concatenation of two clips.

use std::collections::BTreeMap;

use glam::Quat;

use super::{MotionError, SAME_TIME, TooClose, hold_end};
use crate::insert_key;
use ulna_model::{
    Clip, Document, Goal, Interpolation, KeyKinds, Marker, NodeId, Property, Shared, TangentModes,
    Track, TrackId,
};

/// Values that differ by less than this are equal at the junction, which then needs one key only.
const SAME_VALUE: f32 = 1e-5;

/// Maximum angle between keys of a LINEAR rotation for an accurate conversion to a spline, radians.
/// At larger angles, keys are inserted first.
const WIDE_TURN: f32 = 0.25;

/// Two concatenated clips.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Joined {
    /// The concatenated clip.
    pub clip: Clip,
    /// Number of tracks that jump at the junction.
    pub jumps: usize,
    /// Number of tracks that were converted to splines, because the other clip's track was a
    /// spline.
    pub splined: usize,
    /// Error of the tracks that were converted to splines.
    pub error: MotionError,
}

/// Concatenates two clips, with a gap in seconds. If only one of them has a channel, the value of
/// the document's pose is held during the other. In a gap, LINEAR and CUBICSPLINE tracks
/// interpolate. Without a gap, a track with different values at the junction jumps.
///
/// # Errors
/// Two keys would have the same time.
pub fn joined(
    document: &Document,
    first: &Clip,
    second: &Clip,
    gap: f32,
) -> Result<Joined, TooClose> {
    let ends = [first.length(), second.length()];
    let start = (f64::from(ends[0]) + f64::from(gap)) as f32;
    let mut made =
        Joined { clip: first.clone(), jumps: 0, splined: 0, error: MotionError::default() };
    let what = |clip: &Clip| -> BTreeMap<(NodeId, Property), TrackId> {
        clip.tracks.iter().map(|(id, t)| ((t.target, t.property), *id)).collect()
    };
    let (own, others) = (what(first), what(second));
    let all = own
        .keys()
        .chain(others.keys().filter(|k| !own.contains_key(*k)))
        .copied()
        .collect::<Vec<_>>();
    for (node, property) in all {
        let key = (node, property);
        let pair = [
            own.get(&key).map(|id| &first.tracks[id]),
            others.get(&key).map(|id| &second.tracks[id]),
        ];
        let Some(like) = pair[0].or(pair[1]) else { continue };
        let [a, b] = [0, 1].map(|k| match pair[k] {
            Some(track) => (**track).clone(),
            None => still(document, like, ends[k]),
        });
        let track = put_behind(&mut made, [a, b], ends[0], start)?;
        let id = own.get(&key).copied().unwrap_or_else(|| made.clip.free_track_id());
        made.clip.tracks.insert(id, Shared::new(track));
    }
    let later = second.markers.iter().map(|m| Marker { time: m.time + start, ..m.clone() });
    made.clip.markers =
        Marker::in_order(first.markers.iter().cloned().chain(later).collect()).into();
    let later = second.contacts.iter().filter_map(|goal| goal.retimed(|t| t + start));
    made.clip.contacts =
        Goal::in_order(first.contacts.iter().cloned().chain(later).collect()).into();
    Ok(made)
}

/// Concatenates two tracks of the same component: the first until `end`, the second from `start`
/// on.
pub(super) fn put_behind(
    made: &mut Joined,
    [a, b]: [Track; 2],
    end: f32,
    start: f32,
) -> Result<Track, TooClose> {
    let (a, b) = (reaching(&a, end), reaching(&b, 0.0));
    let (a, b) = made.alike(a, b);
    made.put(a, &b, end, start)
}

/// Creates a track that holds the value of the document's pose.
fn still(document: &Document, like: &Track, end: f32) -> Track {
    let value = pose_value(document, like.target, like.property, like.width);
    let interpolation = if like.interpolation == Interpolation::Step {
        Interpolation::Step
    } else {
        Interpolation::Linear
    };
    still_at((like.target, like.property), (interpolation, end), value)
}

/// Creates a track that holds a value from 0 to `end`.
pub(super) fn still_at(
    (target, property): (NodeId, Property),
    (interpolation, end): (Interpolation, f32),
    value: Vec<f32>,
) -> Track {
    let times: Vec<f32> = if end > SAME_TIME { vec![0.0, end] } else { vec![0.0] };
    let values = times.iter().flat_map(|_| value.iter().copied()).collect();
    let (kinds, modes) = Default::default();
    Track {
        target,
        property,
        interpolation,
        times: times.into(),
        width: value.len(),
        values,
        kinds,
        modes,
    }
}

/// The value of a property of a node in the document's pose.
pub(super) fn pose_value(
    document: &Document,
    node: NodeId,
    property: Property,
    width: usize,
) -> Vec<f32> {
    let local = document.node(node).local().transform();
    match property {
        Property::Translation => local.translation.to_array().to_vec(),
        Property::Rotation => local.rotation.to_array().to_vec(),
        Property::Scale => local.scale.to_array().to_vec(),
        Property::Weights => {
            let mut weights = document.morph_weights(node).to_vec();
            weights.resize(width, 0.0);
            weights
        }
    }
}

/// Inserts a key at `time`, in seconds, without changing the motion.
fn reaching(track: &Track, time: f32) -> Track {
    insert_key(track, time, None, true).track
}

impl Joined {
    /// Converts both tracks to a common interpolation.
    fn alike(&mut self, a: Track, b: Track) -> (Track, Track) {
        use Interpolation::{CubicSpline, Step};
        if a.interpolation == b.interpolation {
            return (a, b);
        }
        let splined = a.interpolation == CubicSpline || b.interpolation == CubicSpline;
        let mut worst = MotionError::default();
        let mut change = |track: Track| {
            let track = if track.interpolation == Step { unstepped(&track) } else { track };
            if !splined || track.interpolation == CubicSpline {
                return track;
            }
            let made = as_spline(&track);
            let midway = track.times.windows(2).map(|w| (f64::from(w[0]) + f64::from(w[1])) * 0.5);
            worst = midway.fold(worst, |w, t| w.or(MotionError::between(&track, &made, t)));
            made
        };
        let both = (change(a), change(b));
        self.splined += usize::from(splined);
        self.error = self.error.or(worst);
        both
    }

    /// Concatenates two tracks with the same interpolation, the second from `start` on.
    fn put(&mut self, a: Track, b: &Track, end: f32, start: f32) -> Result<Track, TooClose> {
        let (width, stride) = (a.width, a.stride());
        let (a_kinds, a_modes) = (a.kinds.clone(), a.modes.clone());
        let cubic = a.interpolation == Interpolation::CubicSpline;
        let last = a.times.len() - 1;
        // Splines interpolate the numbers of quaternions. Negate the second track if that makes the
        // signs consistent.
        let dot: f32 = a.value(last).iter().zip(b.value(0)).map(|(a, b)| a * b).sum();
        let sign = if a.property == Property::Rotation && dot < 0.0 { -1.0 } else { 1.0 };
        let apart = a
            .value(last)
            .iter()
            .zip(b.value(0))
            .map(|(a, b)| (a - sign * b).abs())
            .fold(0.0, f32::max);
        let mut times = a.times.to_vec();
        let mut values = a.values.to_vec();
        let later = |t: f32| (f64::from(t) + f64::from(start)) as f32;
        let mut skip = 0;
        if start - end <= SAME_TIME {
            if apart <= SAME_VALUE {
                skip = 1;
                if cubic {
                    let out = &b.values[2 * width..3 * width];
                    values[last * stride + 2 * width..]
                        .iter_mut()
                        .zip(out)
                        .for_each(|(v, o)| *v = o * sign);
                }
            } else {
                self.jumps += 1;
                times.pop();
                values.truncate(last * stride);
                if a.interpolation != Interpolation::Step {
                    // The first track plays until just before the end.
                    let near = hold_end(end);
                    let cut =
                        if last == 0 || near <= a.times[last - 1] { a } else { reaching(&a, near) };
                    let kept =
                        cut.times.iter().take_while(|t| **t <= near + SAME_TIME * 0.5).count();
                    times = cut.times[..kept].to_vec();
                    values = cut.values[..kept * stride].to_vec();
                    if last == 0 {
                        // A single key is held from the start.
                        times = vec![0.0, near];
                        values = [&cut.values[..stride], &cut.values[..stride]].concat();
                    }
                }
            }
        }
        times.extend(b.times.iter().skip(skip).map(|t| later(*t)));
        values.extend(b.values.iter().skip(skip * stride).map(|v| v * sign));
        let kinds = kinds_of(&times, &a_kinds, b, later);
        let modes = modes_of(&times, a_modes, b, later);
        let made = Track { times: times.into(), values: values.into(), ..b.clone() };
        super::whole::rising(&made.times)?;
        Ok(Track { kinds, modes, ..made })
    }
}

fn kinds_of(times: &[f32], a: &KeyKinds, b: &Track, later: impl Fn(f32) -> f32) -> KeyKinds {
    let there = |t: &f32| times.binary_search_by(|k| k.total_cmp(t)).is_ok();
    let second = b.kinds.iter().map(|(t, kind)| (later(t), kind));
    a.iter().chain(second).filter(|(t, _)| there(t)).collect()
}

/// Combines the tangent modes of both tracks. A shared key has the arriving mode of the first track
/// and the leaving mode of the second.
fn modes_of(times: &[f32], a: TangentModes, b: &Track, later: impl Fn(f32) -> f32) -> TangentModes {
    let there = |t: &f32| times.binary_search_by(|k| k.total_cmp(t)).is_ok();
    let mut made: Vec<_> = a.iter().collect();
    for (time, own) in b.modes.iter() {
        let time = later(time);
        let mut own = own;
        if let Some(before) = a.of(time) {
            own.arrive = before.arrive;
            own.linked &= before.linked && before.arrive == own.leave;
        }
        made.push((time, own));
    }
    made.retain(|(t, _)| there(t));
    let wraps = a.wraps() && b.modes.wraps();
    a.replaced(made).wrapping(wraps)
}

/// Converts a STEP track to LINEAR with the same motion, except for the last millisecond before
/// each key.
fn unstepped(track: &Track) -> Track {
    let mut times = Vec::with_capacity(track.times.len() * 2);
    let mut values = Vec::new();
    for (k, time) in track.times.iter().enumerate() {
        times.push(*time);
        values.extend_from_slice(track.value(k));
        let next = track.times.get(k + 1).map(|t| hold_end(*t)).filter(|t| t > time);
        if let Some(end) = next {
            times.push(end);
            values.extend_from_slice(track.value(k));
        }
    }
    Track {
        interpolation: Interpolation::Linear,
        times: times.into(),
        values: values.into(),
        ..track.clone()
    }
}

/// Converts a LINEAR track to a spline. The tangents of each segment are its slope, which is exact
/// for everything except rotations. Large rotations get additional keys.
fn as_spline(track: &Track) -> Track {
    let turns = track.property == Property::Rotation;
    let mut whole = track.clone();
    if turns {
        for k in 1..track.times.len() {
            let [a, b] = [k - 1, k].map(|k| Quat::from_slice(track.value(k)));
            let pieces =
                (ulna_model::transform::angle_between(a, b) / WIDE_TURN).ceil().max(1.0) as usize;
            let [from, to] = [k - 1, k].map(|k| f64::from(track.times[k]));
            for piece in 1..pieces {
                whole =
                    reaching(&whole, (from + (to - from) * piece as f64 / pieces as f64) as f32);
            }
        }
    }
    let (width, count) = (whole.width, whole.times.len());
    let mut keys: Vec<Vec<f32>> = (0..count).map(|k| whole.value(k).to_vec()).collect();
    for k in 1..count {
        let dot: f32 = keys[k].iter().zip(&keys[k - 1]).map(|(a, b)| a * b).sum();
        if turns && dot < 0.0 {
            keys[k].iter_mut().for_each(|v| *v = -*v);
        }
    }
    // The slopes at both ends of a segment.
    let slopes = |k: usize| -> [Vec<f32>; 2] {
        let span = whole.times[k + 1] - whole.times[k];
        if !turns {
            let slope: Vec<f32> =
                keys[k].iter().zip(&keys[k + 1]).map(|(a, b)| (b - a) / span).collect();
            return [slope.clone(), slope];
        }
        let [a, b] = [&keys[k], &keys[k + 1]].map(|v| Quat::from_slice(v));
        // q' = q·(ω/2) for a constant angular velocity.
        let rate = (a.conjugate() * b).to_scaled_axis() * (0.5 / span);
        let rate = Quat::from_xyzw(rate.x, rate.y, rate.z, 0.0);
        [a * rate, b * rate].map(|q| q.to_array().to_vec())
    };
    let mut values = vec![0.0; count * 3 * width];
    for (k, key) in keys.iter().enumerate() {
        values[(k * 3 + 1) * width..(k * 3 + 2) * width].copy_from_slice(key);
        if k + 1 < count {
            let [out, into] = slopes(k);
            values[(k * 3 + 2) * width..(k * 3 + 3) * width].copy_from_slice(&out);
            values[(k * 3 + 3) * width..(k * 3 + 4) * width].copy_from_slice(&into);
        }
    }
    let interpolation = Interpolation::CubicSpline;
    // The result may have a single key, since the caller adds more keys.
    Track { interpolation, values: values.into(), ..whole }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        super::{
            part_of,
            tests::{any_track, whip},
        },
        *,
    };
    use crate::sample_into;

    fn clip(tracks: Vec<Track>) -> Clip {
        let tracks = tracks.into_iter().enumerate();
        Clip {
            tracks: tracks.map(|(k, t)| (TrackId(k as u32), Shared::new(t))).collect(),
            ..Clip::default()
        }
    }

    fn document() -> Document {
        crate::tube::tube(|_| 0.0)
    }

    proptest! {
        #[test]
        fn splitting_and_joining_a_clip_keeps_the_motion(
            tracks in prop::collection::vec(any_track(), 1..4), part in 0.1f32..0.9) {
            let document = document();
            let tracks =
                tracks.into_iter().enumerate().map(|(k, t)| Track { target: NodeId(k as u32),
                    ..t });
            let whole = clip(tracks.collect());
            let end = whole.length();
            let cut = end * part;
            prop_assume!(cut > 0.02 && end - cut > 0.02);
            // A key that is too close to the cut is merged with the key at the cut.
            let all = whole.tracks.values().flat_map(|t| t.times.iter().copied());
            prop_assume!(all.into_iter().all(|t| t == cut || (t - cut).abs() > SAME_TIME));
            let first = part_of(&whole, 0.0, cut, true).unwrap().0;
            let second = part_of(&whole, cut, end, true).unwrap().0;
            let made = joined(&document, &first, &second, 0.0).unwrap();
            for (id, track) in &whole.tracks {
                let now = &made.clip.tracks[id];
                prop_assert!(now.validate().is_ok(), "{:?}", now);
                for k in 0..=1000 {
                    let time = f64::from(end) * f64::from(k) / 1000.0;
                    // At steps and at the junction, the value of either side is valid.
                    let near = |t: &f32| (f64::from(*t) - time).abs() < 2.5e-3;
                    if near(&cut)
                        || (track.interpolation == Interpolation::Step
                            && track.times.iter().any(near)) {
                        continue;
                    }
                    let off = MotionError::between(track, now, time);
                    // The constant is a hundredth of a degree in radians.
                    prop_assert!(off.angle < 0.000_175 + whip(track, time) && off.value < 2e-3,
                        "{}: {:?} {:?} {:?}", time, off, track, now);
                }
            }
        }

        #[test]
        fn joined_parts_keep_their_motion_for_any_interpolation(a in any_track(), b in any_track(),
            gap in prop_oneof![Just(0.0f32), 0.05f32..1.0]) {
            let document = document();
            prop_assume!(a.property == b.property);
            let ends = [a.times[a.times.len() - 1], b.times[b.times.len() - 1]];
            let other = Track { target: NodeId(1), ..b.clone() };
            let made = joined(&document, &clip(vec![a.clone()]),
                &clip(vec![b.clone(), other.clone()]), gap).unwrap();
            let now = &made.clip.tracks[&TrackId(0)];
            prop_assert!(now.validate().is_ok(), "{:?}", now);
            let start = f64::from(ends[0]) + f64::from(gap);
            for k in 0..500 {
                let part = f64::from(k) / 500.0;
                let near = |track: &Track,
                    t: f64| track.times.iter().any(|k| (f64::from(*k) - t).abs() < 2.5e-3);
                let at = f64::from(ends[0]) * part;
                if !near(&a, at) {
                    let off = MotionError::between(&a, now, at);
                    prop_assert!(off.value < 2e-3 && off.angle < 2e-3, "first at {}: {:?}", at,
                        off);
                }
                let at = f64::from(ends[1]) * part;
                let mut values = [vec![0.0; b.width], vec![0.0; b.width]];
                sample_into(&b, at, &mut values[0]);
                sample_into(now, at + start, &mut values[1]);
                let gap = |sign: f32| values[0].iter().zip(&values[1]).map(|(a,
                    b)| (a - sign * b).abs()).fold(0.0, f32::max);
                let off = if b.width == 4 { gap(1.0).min(gap(-1.0)) } else { gap(1.0) };
                prop_assert!(near(&b, at) || at < 2.5e-3 || off < 2e-3, "second at {}: {:?}", at,
                    values);
            }
            // If the first clip has no channel, the pose is held.
            let lone = made.clip.tracks.values().find(|t| t.target == NodeId(1)).unwrap();
            let rest = pose_value(&document, NodeId(1), b.property, b.width);
            prop_assert_eq!(lone.value(0), &rest[..]);
            let mut held = vec![1.0; b.width];
            sample_into(lone, f64::from(ends[0]) - 0.005, &mut held);
            prop_assert!(held.iter().zip(&rest).all(|(a, b)| (a - b).abs() < 1e-5));
        }
    }
}
