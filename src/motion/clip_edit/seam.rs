//! Where a loop meets itself: how far it jumps there, and ways to close it.
//!
//! A loop is closed when the pose at its end is the pose at 0; its last key is that pose and is never taken away. The root's travel
//! over the ground is no jump.

use glam::{Quat, Vec3};

use super::{SAME_TIME, TooClose, key_span, part_of, whole::rising};
use crate::{
    model::{
        Clip, Document, Interpolation, NodeId, Property, Shared, Track,
        transform::{angle_between, short_way},
    },
    motion::{Evaluator, Pose, Stack, insert_key, sample_into},
};

/// Below these a joint does not jump: radians, and metres of a body 1.8 m high.
const STILL: (f32, f32) = (0.000_9, 0.000_2);

/// So many frames on each side say how fast a motion changes.
const AROUND: usize = 12;

/// How far a node jumps at the seam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// Which node.
    pub node: NodeId,
    /// Of its local rotation, radians.
    pub angle: f32,
    /// Of its place in the scene without the root's travel, metres.
    pub distance: f32,
    /// Of its velocity, metres a second, as far as it is more than from frame to frame around.
    pub speed: f32,
}

/// How a loop meets itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Seam {
    /// The nodes that move, those that jump farthest first.
    pub gaps: Vec<Gap>,
    /// The last frame is the one before the pose at 0: the loop was made without its last key.
    pub is_short: bool,
    /// The last two frames are both the pose at 0.
    pub is_doubled: bool,
    /// The node that carries the body over the ground, where one does.
    pub travels: Option<NodeId>,
    /// Whether nothing jumps.
    pub is_closed: bool,
}

impl Seam {
    /// The greatest angle (radians), distance (metres) and difference of speed (metres a second).
    pub fn worst(&self) -> (f32, f32, f32) {
        let most = |value: fn(&Gap) -> f32| self.gaps.iter().map(value).fold(0.0, f32::max);
        (most(|g| g.angle), most(|g| g.distance), most(|g| g.speed))
    }
}

/// Poses of a clip at some moments.
fn poses(document: &Document, clip: &Clip, times: &[f64]) -> Vec<Pose> {
    let clip = Shared::new(clip.clone());
    let mut evaluator = Evaluator::default();
    let pose = |time: &f64| {
        let mut pose = Pose::default();
        evaluator.update(document, &Stack::of(Some(&clip), *time), &mut pose);
        pose
    };
    times.iter().map(pose).collect()
}

/// Looks at the seam of a clip whose frames are so many seconds long; nothing where it has no two keys.
pub fn seam(document: &Document, clip: &Clip, frame: f64) -> Option<Seam> {
    let (first, last) = key_span(clip).filter(|(a, b)| b > a)?;
    let end = f64::from(last);
    let frame = frame.min(end * 0.25);
    let some = ((end / frame * 0.5) as usize).clamp(2, AROUND);
    let [first_ones, last_ones] = [
        (0..=some).map(|k| k as f64 * frame).collect::<Vec<_>>(),
        (0..=some).rev().map(|k| end - k as f64 * frame).collect::<Vec<_>>(),
    ]
    .map(|times| poses(document, clip, &times));
    let [start, second, ..] = &first_ones[..] else { return None };
    let [.., third_last, before, stop] = &last_ones[..] else { return None };
    let height = crate::motion::joint_bounds(document, start).map_or(1.8, |(a, b)| (b - a).max_element()).max(1e-6);
    let unit = height / 1.8;
    // The topmost node with keys of its place carries the body.
    let moved = |n: NodeId, p: Property| clip.track(n, p).is_some();
    let root = document.nodes.order().iter().copied().find(|n| moved(*n, Property::Translation));
    let place = |pose: &Pose, n: NodeId| pose.world[n.index()].w_axis.truncate();
    let way = root.map_or(Vec3::ZERO, |n| (place(stop, n) - place(start, n)) * Vec3::new(1.0, 0.0, 1.0));
    let travels = root.filter(|_| way.length() > 0.05 * height);
    let way = if travels.is_some() { way } else { Vec3::ZERO };
    let turned = |a: &Pose, b: &Pose, n: NodeId| {
        let rotation = |p: &Pose| p.local[n.index()].transform().rotation;
        angle_between(rotation(a), rotation(b))
    };
    let nodes: Vec<NodeId> = {
        let mut list: Vec<NodeId> = clip.tracks.values().map(|t| t.target).collect();
        list.sort_unstable();
        list.dedup();
        list
    };
    let mut gaps: Vec<Gap> = nodes
        .iter()
        .map(|node| {
            let change = |a: [&Pose; 2], b: [&Pose; 2]| {
                let [a, b] = [a, b].map(|[from, to]| place(to, *node) - place(from, *node));
                (b - a).length() / frame as f32
            };
            // A motion changes its speed all the time; what counts is by how much more than elsewhere.
            let all = [&first_ones, &last_ones].into_iter().flat_map(|p| p.windows(3));
            let usual = all.map(|w| change([&w[0], &w[1]], [&w[1], &w[2]])).fold(0.0, f32::max);
            Gap {
                node: *node,
                angle: turned(start, stop, *node),
                distance: (place(stop, *node) - way - place(start, *node)).length(),
                speed: (change([before, stop], [start, second]) - usual).max(0.0),
            }
        })
        .collect();
    gaps.sort_by(|a, b| (b.angle + b.distance / unit).total_cmp(&(a.angle + a.distance / unit)));
    let most = |a: &Pose, b: &Pose| nodes.iter().map(|n| turned(a, b, *n)).fold(0.0, f32::max);
    let (jump, steps) = (most(stop, start), [most(start, second), most(before, stop)]);
    let is_still = |a: &Pose, b: &Pose| most(a, b) < STILL.0;
    let is_closed = gaps.iter().all(|g| g.angle < STILL.0 && g.distance < STILL.1 * unit);
    let step = (steps[0] + steps[1]) * 0.5;
    // A jump of about a frame's way, on from where it comes: the pose a frame before the start lies near the last one.
    let is_short =
        !is_closed && first <= SAME_TIME && jump > 2.0 * STILL.0 && jump > 0.4 * step && jump < 1.8 * step && {
            let onward = |n: &NodeId| {
                let rotation = |p: &Pose| p.local[n.index()].transform().rotation;
                let next = rotation(stop) * (rotation(before).conjugate() * rotation(stop));
                angle_between(next, rotation(start))
            };
            nodes.iter().map(onward).fold(0.0, f32::max) < 0.8 * jump
        };
    let is_doubled = is_closed && is_still(before, stop) && !is_still(third_last, before);
    Some(Seam { gaps, is_short, is_doubled, travels, is_closed })
}

/// A way to close a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Closing {
    /// The last key becomes the pose at 0.
    Match,
    /// Frames before the end are bent to it, the more the later.
    Blend {
        /// How many.
        frames: u32,
        /// Whether the end goes on as fast as the start goes.
        speed: bool,
    },
    /// A frame is added that is the pose at 0.
    AddFrame,
    /// The last frame goes.
    DropFrame,
}

/// The clip as a closed loop. What carries the body over the ground goes on, but for its height.
///
/// # Errors
/// Where keys fall together.
pub fn closed(clip: &Clip, how: Closing, frame: f64, travels: Option<NodeId>) -> Result<Clip, TooClose> {
    let Some((_, last)) = key_span(clip) else { return Ok(clip.clone()) };
    if how == Closing::DropFrame {
        return Ok(part_of(clip, 0.0, (f64::from(last) - frame) as f32, true)?.0);
    }
    let mut made = clip.clone();
    for track in made.tracks.values_mut().filter(|t| t.times.len() > 1) {
        let goes_on = |k: usize| Some(track.target) == travels && track.property == Property::Translation && k != 1;
        let closed = match how {
            Closing::AddFrame => with_frame(track, last, frame, &goes_on),
            Closing::Blend { frames, speed } if track.interpolation != Interpolation::Step => {
                let from = (f64::from(last) - f64::from(frames.max(1)) * frame).max(0.0) as f32;
                bent(track, (from, last), speed.then_some(frame), &goes_on)
            }
            Closing::Match | Closing::Blend { .. } | Closing::DropFrame => matched(track, last, &goes_on),
        };
        rising(&closed.times)?;
        *track = Shared::new(closed);
    }
    Ok(made)
}

fn sampled(track: &Track, time: f64) -> Vec<f32> {
    let mut out = vec![0.0; track.width];
    sample_into(track, time, &mut out);
    out
}

/// The value at 0 as it comes after another, and what goes on as it is there.
fn aim(track: &Track, near: &[f32], goes_on: &dyn Fn(usize) -> bool) -> Vec<f32> {
    let mut to = sampled(track, 0.0);
    if track.property == Property::Rotation && to.iter().zip(near).map(|(a, b)| a * b).sum::<f32>() < 0.0 {
        to.iter_mut().for_each(|v| *v = -*v);
    }
    for (k, v) in to.iter_mut().enumerate() {
        if goes_on(k) {
            *v = near[k];
        }
    }
    to
}

fn matched(track: &Track, last: f32, goes_on: &dyn Fn(usize) -> bool) -> Track {
    let whole = insert_key(track, last, None, true).track;
    let key = whole.times.len() - 1;
    let to = aim(track, whole.value(key), goes_on);
    if to == whole.value(key) { track.clone() } else { whole.with_key(whole.times[key], &to, 0.0) }
}

fn with_frame(track: &Track, last: f32, frame: f64, goes_on: &dyn Fn(usize) -> bool) -> Track {
    let mut whole = insert_key(track, last, None, true).track;
    let key = whole.times.len() - 1;
    let at = f64::from(last);
    let end = (at + frame) as f32;
    let near: Vec<f32> = match track.property {
        Property::Rotation => whole.value(key).to_vec(),
        // On as it went.
        _ => sampled(track, at).iter().zip(sampled(track, at - frame)).map(|(b, a)| b + (b - a)).collect(),
    };
    let to = aim(track, &near, goes_on);
    if whole.interpolation == Interpolation::CubicSpline {
        let (w, stride) = (whole.width, whole.stride());
        let mut values = whole.values.to_vec();
        // Beyond the last key the tangents were not used: they go on as they came, and come in as the loop goes out.
        let into: Vec<f32> = values[key * stride..key * stride + w].to_vec();
        values[key * stride + 2 * w..].copy_from_slice(&into);
        let out: Vec<f32> = values[2 * w..3 * w].to_vec();
        values.extend(out.iter().chain(&to).chain(&out));
        let times = whole.times.iter().copied().chain([end]).collect();
        whole = Track { times, values: values.into(), ..whole };
        return whole;
    }
    whole.with_key(end, &to, 0.0)
}

/// By how much faster a track goes at its start than at its end, each over a frame: a second, turns as vectors in the joint's own space.
fn faster(track: &Track, last: f32, frame: f64) -> Vec<f32> {
    let end = f64::from(last);
    let way = |from: f64, to: f64| -> Vec<f32> {
        let (a, b) = (sampled(track, from), sampled(track, to));
        if track.property == Property::Rotation {
            let turn = Quat::from_slice(&a).conjugate() * Quat::from_slice(&b);
            return short_way(turn).to_scaled_axis().to_array().to_vec();
        }
        b.iter().zip(&a).map(|(b, a)| b - a).collect()
    };
    let [start, stop] = [way(0.0, frame), way(end - frame, end)];
    start.iter().zip(&stop).map(|(a, b)| (a - b) / frame as f32).collect()
}

/// The keys from one time to the last bent to the value at 0; with a frame's seconds, to the speed there as well: `d(u) = Δ·(3u² − 2u³) +
/// Δv·T·(u³ − u²)`, which begins at nothing and at rest.
fn bent(track: &Track, (from, last): (f32, f32), frame: Option<f64>, goes_on: &dyn Fn(usize) -> bool) -> Track {
    let stop = sampled(track, f64::from(last));
    let to = aim(track, &stop, goes_on);
    let faster = frame.map(|frame| faster(track, last, frame)).filter(|f| f.iter().any(|v| *v != 0.0));
    if to == stop && faster.is_none() {
        return track.clone();
    }
    let whole = insert_key(&insert_key(track, from, None, true).track, last, None, true).track;
    let span = f64::from(last) - f64::from(from);
    let (w, stride, cubic) = (whole.width, whole.stride(), whole.interpolation == Interpolation::CubicSpline);
    let turn = (track.property == Property::Rotation)
        .then(|| short_way(Quat::from_slice(&stop).conjugate() * Quat::from_slice(&to)).to_scaled_axis());
    // What is added, over the last frame, makes up the whole difference of speed.
    let gap: Vec<f32> =
        turn.map_or_else(|| to.iter().zip(&stop).map(|(a, b)| a - b).collect(), |t| t.to_array().into());
    let rates: Vec<f32> = match (faster, frame) {
        (Some(faster), Some(frame)) if span > 1.5 * frame => {
            let n = (frame / span) as f32;
            let (moved, left) = ((3.0 - 2.0 * n) * n * n / frame as f32, (1.0 - n) * (1.0 - n));
            faster.iter().zip(&gap).map(|(v, gap)| (v - gap * moved) / left).collect()
        }
        _ => vec![0.0; gap.len()],
    };
    let mut values = whole.values.to_vec();
    for (key, time) in whole.times.iter().enumerate().filter(|(_, t)| **t > from) {
        let u = ((f64::from(*time) - f64::from(from)) / span).clamp(0.0, 1.0) as f32;
        // Eased at both ends, and its slope.
        let (part, slope) = (u * u * (3.0 - 2.0 * u), 6.0 * u * (1.0 - u) / span as f32);
        let (more_part, more_slope) = (u * u * (u - 1.0) * span as f32, u * (3.0 * u - 2.0));
        let value = whole.value(key).to_vec();
        let own = &mut values[key * stride..(key + 1) * stride];
        let at = if cubic { w } else { 0 };
        match turn {
            Some(turn) => {
                let rates = Vec3::from_slice(&rates);
                let by = Quat::from_scaled_axis(turn * part + rates * more_part);
                let made = Quat::from_slice(&value) * by;
                let rate = (turn * slope + rates * more_slope) * 0.5;
                let more = made * Quat::from_xyzw(rate.x, rate.y, rate.z, 0.0);
                for tangent in if cubic { vec![0, 2 * w] } else { Vec::new() } {
                    let bent = Quat::from_slice(&own[tangent..tangent + w]) * by + more;
                    own[tangent..tangent + w].copy_from_slice(&bent.to_array());
                }
                own[at..at + w].copy_from_slice(&made.to_array());
            }
            None => {
                for k in 0..w {
                    own[at + k] += gap[k] * part + rates[k] * more_part;
                    if cubic {
                        let more = gap[k] * slope + rates[k] * more_slope;
                        own[k] += more;
                        own[2 * w + k] += more;
                    }
                }
            }
        }
        if u >= 1.0 {
            let exact = aim(&whole, &own[at..at + w], goes_on);
            own[at..at + w].copy_from_slice(&exact);
        }
    }
    Track { values: values.into(), ..whole }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        super::{MotionError, tests::any_track},
        *,
    };
    use crate::model::TrackId;

    /// How far a track is from where it begins, at its end.
    fn gap_of(track: &Track, last: f32) -> MotionError {
        let held = Track {
            times: [0.0].into(),
            values: sampled(track, 0.0).into(),
            interpolation: Interpolation::Linear,
            ..track.clone()
        };
        MotionError::between(track, &held, f64::from(last))
    }

    proptest! {
        #[test]
        fn a_closed_loop_ends_as_it_begins_and_is_what_it_was_before(track in any_track(), frames in 1u32..6, which in 0usize..4) {
            prop_assume!(track.times.len() > 1);
            let clip = Clip { tracks: [(TrackId(0), Shared::new(track.clone()))].into(), ..Clip::default() };
            let last = clip.length();
            let frame = f64::from(last) / 8.0;
            let how = [
                Closing::Match,
                Closing::Blend { frames, speed: false },
                Closing::AddFrame,
                Closing::Blend { frames, speed: true },
            ][which];
            let made = closed(&clip, how, frame, None).unwrap();
            let now = &made.tracks[&TrackId(0)];
            prop_assert!(now.validate().is_ok(), "{:?}", now);
            let gap = gap_of(now, made.length());
            prop_assert!(gap.angle < 1e-3 && gap.value < 1e-4, "{:?}", gap);
            // What lies before the part that is bent is not touched.
            let free = match how {
                Closing::Blend { .. } if track.interpolation != Interpolation::Step => f64::from(last) - f64::from(frames) * frame,
                Closing::AddFrame => f64::from(last),
                _ => f64::from(track.times[track.times.len() - 2]),
            };
            for k in 0..100 {
                let time = (free - 1e-3) * f64::from(k) / 100.0;
                let off = MotionError::between(&track, now, time);
                prop_assert!(off.angle < 4e-4 && off.value < 1e-3, "{:?} at {}: {:?}", how, time, off);
            }
        }
    }

    #[test]
    fn a_blended_tail_takes_on_the_speed_of_the_start() {
        let frame = 1.0 / 30.0;
        let track = Track {
            target: NodeId(0),
            property: Property::Translation,
            interpolation: Interpolation::Linear,
            times: (0..=30).map(|k| k as f32 * frame as f32).collect(),
            // Falls ever faster, and begins by rising.
            values: (0..=30).flat_map(|k| [k as f32 * 0.01, 0.02 * k as f32 - 0.002 * (k * k) as f32, 0.0]).collect(),
            width: 3,
            kinds: Default::default(),
        };
        let clip = Clip { tracks: [(TrackId(0), Shared::new(track.clone()))].into(), ..Clip::default() };
        let off = |speed| {
            let made = closed(&clip, Closing::Blend { frames: 8, speed }, frame, None).unwrap();
            let gap = gap_of(&made.tracks[&TrackId(0)], made.length());
            assert!(gap.value < 1e-5, "{gap:?}");
            faster(&made.tracks[&TrackId(0)], made.length(), frame)[1].abs()
        };
        assert!(off(false) > 0.5, "{}", off(false));
        assert!(off(true) < 1e-3, "{}", off(true));
    }

    #[test]
    fn a_loop_without_its_last_key_and_one_with_two_are_told() {
        let turns = |angles: &[f32]| {
            let frame = 1.0 / 30.0;
            Track {
                target: NodeId(0),
                property: Property::Rotation,
                interpolation: Interpolation::Linear,
                times: (0..angles.len()).map(|k| k as f32 * frame).collect(),
                values: angles.iter().flat_map(|a| Quat::from_rotation_x(*a).to_array()).collect(),
                width: 4,
                kinds: Default::default(),
            }
        };
        let document = crate::motion::tube::tube(|_| 0.0);
        let clip = |t: Track| Clip { tracks: [(TrackId(0), Shared::new(t))].into(), ..Clip::default() };
        let wave: Vec<f32> = (0..=30).map(|k| (k as f32 / 30.0 * std::f32::consts::TAU).sin() * 0.5).collect();
        let frame = 1.0 / 30.0;
        let whole = seam(&document, &clip(turns(&wave)), frame).unwrap();
        assert!(whole.is_closed && !whole.is_short && !whole.is_doubled, "{whole:?}");
        let short = clip(turns(&wave[..30]));
        let found = seam(&document, &short, frame).unwrap();
        assert!(found.is_short && !found.is_closed, "{found:?}");
        let mended = closed(&short, Closing::AddFrame, frame, None).unwrap();
        assert_eq!(mended.key_count(), 31);
        assert!(seam(&document, &mended, frame).unwrap().is_closed);
        let doubled = clip(turns(&[&wave[..], &[0.0]].concat()));
        let found = seam(&document, &doubled, frame).unwrap();
        assert!(found.is_doubled, "{found:?}");
        let mended = closed(&doubled, Closing::DropFrame, frame, None).unwrap();
        assert_eq!(mended.key_count(), 31);
        // A jump is neither.
        let open: Vec<f32> = wave.iter().enumerate().map(|(k, a)| a + k as f32 * 0.01).collect();
        let found = seam(&document, &clip(turns(&open)), frame).unwrap();
        assert!(!found.is_short && !found.is_doubled && !found.is_closed, "{found:?}");
        assert!((found.worst().0 - 0.3).abs() < 1e-3);
    }
}
