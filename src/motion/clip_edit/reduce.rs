//! Fewer keys, with the skin where it was: the bound is given where people see it, in millimetres at the furthest vertices.
//!
//! A skinned vertex is an average of what its joints do with it, so it is off by no more than the joint that is off most, and a joint's
//! matrix is affine, so that is most at a corner of the box around what hangs on it. Boxes and worlds are all that is measured: an upper
//! bound for every vertex, at a few points a joint.
//!
//! Errors of a chain add up. Each track gets a share of the bound by its lever and the length of its chain; how much of that all of them
//! together may use is found by trying, and what is measured at all old key times and midway is within the bound.

use std::collections::BTreeMap;

use glam::{Mat4, Quat, Vec3, Vec4};

use super::key_span;
use crate::{
    model::{Clip, Document, Interpolation, NodeId, Property, Shared, Slice, Track, TrackId},
    motion::{Evaluator, Pose, Stack, joint_bounds, slerp},
};

/// A body this high, metres, has the bound as it is given; others in proportion.
const BODY: f32 = 1.8;

/// How far out a joint counts on which nothing hangs, metres of such a body: something may be put in it.
const SOCKET: f32 = 0.05;

/// A clip with fewer keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduced {
    /// The clip.
    pub clip: Clip,
    /// How far a vertex is off at most, metres of a body 1.8 m high.
    pub error: f32,
    /// Keys before and after.
    pub keys: [usize; 2],
    /// Bytes of keys before and after; times that tracks share count once.
    pub bytes: [usize; 2],
}

/// Points of a node's own space that stand for all that hangs on it.
type Points = BTreeMap<NodeId, Vec<Vec3>>;

fn corners(low: Vec3, high: Vec3) -> impl Iterator<Item = Vec3> {
    (0..8).map(move |k| Vec3::select(glam::BVec3::new(k & 1 == 0, k & 2 == 0, k & 4 == 0), low, high))
}

/// What is seen of each node.
fn points(document: &Document, clip: &Clip, worlds: &[Mat4], unit: f32) -> Points {
    let mut boxes: BTreeMap<NodeId, (Vec3, Vec3)> = BTreeMap::new();
    let mut grow = |node: NodeId, at: Vec3, by: f32| {
        let found = boxes.entry(node).or_insert((at, at));
        *found = (found.0.min(at - Vec3::splat(by)), found.1.max(at + Vec3::splat(by)));
    };
    for (id, node) in document.nodes.iter() {
        let Some(mesh) = node.mesh.and_then(|m| document.meshes.get(m)) else { continue };
        let skin = node.skin.and_then(|s| document.skins.get(s));
        for primitive in &mesh.primitives {
            // Morph targets push vertices out by no more than all of them together.
            let pushed = |t: &crate::model::MorphTarget| t.positions.iter().map(|d| d.length()).fold(0.0, f32::max);
            let room: f32 = primitive.targets.iter().map(pushed).sum();
            match (skin, &primitive.weights) {
                (Some(skin), Some(weights)) => {
                    for (vertex, at) in primitive.positions.iter().enumerate() {
                        for (slot, weight) in weights.vertex(vertex) {
                            let slot = usize::from(slot);
                            if let Some(node) = skin.joints.get(slot).filter(|_| weight != 0.0) {
                                let joint_from_mesh = skin.inverse_bind.get(slot).copied().unwrap_or_default();
                                grow(*node, joint_from_mesh.transform_point3(*at), room);
                            }
                        }
                    }
                }
                _ => primitive.positions.iter().for_each(|at| grow(id, *at, room)),
            }
        }
    }
    let mut found: Points = boxes.into_iter().map(|(node, (low, high))| (node, corners(low, high).collect())).collect();
    for track in clip.tracks.values() {
        let world = worlds[track.target.index()];
        let size = |axis: Vec4| axis.truncate().length().max(1e-9);
        let out = SOCKET * unit;
        let own = found.entry(track.target).or_default();
        own.extend([
            Vec3::ZERO,
            Vec3::X * out / size(world.x_axis),
            Vec3::Y * out / size(world.y_axis),
            Vec3::Z * out / size(world.z_axis),
        ]);
    }
    found
}

/// What a track may be off by, in its own units, where all of them together may use the whole bound.
fn shares(document: &Document, clip: &Clip, worlds: &[Mat4], points: &Points, bound: f32) -> BTreeMap<TrackId, f32> {
    let moved: BTreeMap<NodeId, usize> = clip.tracks.values().fold(BTreeMap::new(), |mut all, track| {
        *all.entry(track.target).or_default() += 1;
        all
    });
    let above = |node: NodeId| std::iter::successors(Some(node), |n| document.node(*n).parent);
    // From every node with something to see up to the root: who carries it, how far away, in how long a chain.
    let mut levers: BTreeMap<NodeId, (f32, usize)> = BTreeMap::new();
    for (node, own) in points {
        let chain = above(*node).filter_map(|n| moved.get(&n)).sum::<usize>().max(1);
        let places: Vec<Vec3> = own.iter().map(|p| worlds[node.index()].transform_point3(*p)).collect();
        for carrier in above(*node).filter(|n| moved.contains_key(n)) {
            let origin = worlds[carrier.index()].w_axis.truncate();
            let far = places.iter().map(|p| p.distance(origin)).fold(0.0, f32::max);
            let lever = levers.entry(carrier).or_default();
            *lever = (lever.0.max(far), lever.1.max(chain));
        }
    }
    let share = |(id, track): (&TrackId, &Shared<Track>)| {
        let (lever, chain) = levers.get(&track.target).copied().unwrap_or((1.0, 1));
        let own = bound / chain as f32;
        let parent = document.node(track.target).parent.map_or(Mat4::IDENTITY, |p| worlds[p.index()]);
        let metres = parent.determinant().abs().cbrt().max(1e-9);
        let tolerance = match track.property {
            Property::Translation => own / metres,
            Property::Rotation => own / lever.max(1e-9),
            Property::Scale => {
                let scale = track.value(0).iter().fold(0.0f32, |a, v| a.max(v.abs()));
                own / lever.max(1e-9) * scale.max(1e-6)
            }
            Property::Weights => weight_share(document, track.target, own),
        };
        (*id, tolerance)
    };
    clip.tracks.iter().map(share).collect()
}

/// How far morph weights may be off: all targets together move no vertex by more.
fn weight_share(document: &Document, node: NodeId, own: f32) -> f32 {
    let Some(mesh) = document.node(node).mesh.and_then(|m| document.meshes.get(m)) else { return 1e-4 };
    let most = mesh.primitives.iter().map(|p| {
        let way = |t: &crate::model::MorphTarget| t.positions.iter().map(|d| d.length()).fold(0.0, f32::max);
        p.targets.iter().map(way).sum::<f32>()
    });
    // Half of the bound is the joints'.
    own * 0.5 / most.fold(0.0, f32::max).max(1e-6)
}

/// The value that lies between two keys alone, into `out`.
fn between(track: &Track, (from, to): (usize, usize), time: f32, out: &mut [f32]) {
    let span = f64::from(track.times[to]) - f64::from(track.times[from]);
    let u = ((f64::from(time) - f64::from(track.times[from])) / span) as f32;
    match track.interpolation {
        Interpolation::Step => out.copy_from_slice(track.value(from)),
        Interpolation::Linear if track.property == Property::Rotation => {
            let [a, b] = [from, to].map(|k| Quat::from_slice(track.value(k)));
            out.copy_from_slice(&slerp(a, b, u).to_array());
        }
        Interpolation::Linear => {
            for ((o, a), b) in out.iter_mut().zip(track.value(from)).zip(track.value(to)) {
                *o = a + (b - a) * u;
            }
        }
        Interpolation::CubicSpline => {
            let (w, span) = (track.width, span as f32);
            let (u2, u3) = (u * u, u * u * u);
            let out_slope = &track.values[from * 3 * w + 2 * w..(from + 1) * 3 * w];
            let in_slope = &track.values[to * 3 * w..to * 3 * w + w];
            for i in 0..w {
                out[i] = (2.0 * u3 - 3.0 * u2 + 1.0) * track.value(from)[i]
                    + span * (u3 - 2.0 * u2 + u) * out_slope[i]
                    + (3.0 * u2 - 2.0 * u3) * track.value(to)[i]
                    + span * (u3 - u2) * in_slope[i];
            }
        }
    }
}

/// How far two values are apart: rotations by about their angle, all else by the largest number.
fn apart(property: Property, a: &[f32], b: &[f32]) -> f32 {
    match property {
        Property::Rotation => {
            let [a, b] = [a, b].map(|v| Vec4::from_slice(v).normalize_or(Vec4::W));
            // The chord of the half angle.
            2.0 * (a - b).length().min((a + b).length())
        }
        Property::Translation | Property::Scale => Vec3::from_slice(a).distance(Vec3::from_slice(b)),
        Property::Weights => a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max),
    }
}

/// The keys of a track that are needed for it to be off by no more than `tolerance`.
fn needed(track: &Track, tolerance: f32) -> Vec<usize> {
    let (count, property) = (track.times.len(), track.property);
    let mut out = vec![0.0; track.width];
    let mut was = vec![0.0; track.width];
    let curved = track.interpolation == Interpolation::CubicSpline;
    let mut fits = |from: usize, to: usize| {
        if track.interpolation == Interpolation::Step {
            return (from + 1..to).all(|k| apart(property, track.value(from), track.value(k)) <= tolerance);
        }
        for k in from + 1..=to {
            if k < to {
                between(track, (from, to), track.times[k], &mut out);
                if apart(property, &out, track.value(k)) > tolerance {
                    return false;
                }
            }
            if curved {
                for part in [0.25, 0.5, 0.75] {
                    let time = track.times[k - 1] + (track.times[k] - track.times[k - 1]) * part;
                    between(track, (from, to), time, &mut out);
                    between(track, (k - 1, k), time, &mut was);
                    if apart(property, &out, &was) > tolerance {
                        return false;
                    }
                }
            }
        }
        true
    };
    let mut kept = vec![0];
    let mut from = 0;
    while from + 1 < count {
        // As far as doubling goes, then between.
        let (mut good, mut step) = (from + 1, 2);
        while from + step < count && fits(from, from + step) {
            good = from + step;
            step *= 2;
        }
        let mut bad = (from + step).min(count);
        if bad == count && good < count - 1 && fits(from, count - 1) {
            good = count - 1;
        }
        while bad - good > 1 {
            let middle = (good + bad) / 2;
            if fits(from, middle) {
                good = middle;
            } else {
                bad = middle;
            }
        }
        kept.push(good);
        from = good;
    }
    kept
}

fn with_keys(track: &Track, kept: &[usize]) -> Track {
    let stride = track.stride();
    let single = kept.len() == 1 && track.interpolation == Interpolation::CubicSpline;
    let values: Slice<f32> = kept
        .iter()
        .flat_map(|k| if single { track.value(*k) } else { &track.values[k * stride..(k + 1) * stride] })
        .copied()
        .collect();
    let times: Slice<f32> = kept.iter().map(|k| track.times[*k]).collect();
    let kinds = track.kinds.iter().filter(|(t, _)| times.contains(t)).collect();
    let interpolation = if single { Interpolation::Linear } else { track.interpolation };
    Track { times, values, kinds, interpolation, ..track.clone() }
}

/// A track with no more keys than it needs; a still one has one.
fn thinned(track: &Track, tolerance: f32, shared: bool) -> Option<Track> {
    let count = track.times.len();
    let mut kept = needed(track, tolerance);
    let still = |k: usize| apart(track.property, track.value(0), track.value(k)) <= tolerance * 0.5;
    let flat = track.interpolation != Interpolation::CubicSpline || {
        let w = track.width;
        let slopes = track.values.chunks(w).enumerate().filter(|(k, _)| k % 3 != 1);
        slopes.flat_map(|(_, v)| v).all(|v| v.abs() <= tolerance)
    };
    if flat && (0..count).all(still) {
        kept.truncate(1);
    }
    if kept.len() == count {
        return None;
    }
    // Times that others use as well cost nothing; its own do.
    let stride = track.stride();
    let before = count * stride + if shared { 0 } else { count };
    (kept.len() * (stride + 1) < before).then(|| with_keys(track, &kept))
}

fn bytes_of(clip: &Clip) -> usize {
    let mut seen: Vec<&Slice<f32>> = Vec::new();
    let mut bytes = 0;
    for track in clip.tracks.values() {
        bytes += track.values.len() * 4;
        if !seen.iter().any(|s| Slice::ptr_eq(s, &track.times)) {
            bytes += track.times.len() * 4;
            seen.push(&track.times);
        }
    }
    bytes
}

/// The clip with as few keys as keep every vertex within `bound` metres (of a body 1.8 m high) of where it was, at all of its key times
/// and midway between them. LINEAR stays LINEAR; the first and the last key of a track that moves stay.
pub fn reduced(document: &Document, clip: &Clip, bound: f32) -> Reduced {
    /// The parts of its share that a track is tried with, in turns: up to where the bound is met, then between.
    const FIRST: f32 = 1.0;
    const TRIES: usize = 9;
    let keys = clip.key_count();
    let mut best = Reduced { clip: clip.clone(), error: 0.0, keys: [keys; 2], bytes: [bytes_of(clip); 2] };
    if key_span(clip).is_none() || bound <= 0.0 {
        return best;
    }
    let shown = Shared::new(clip.clone());
    let start = Pose::evaluate(document, &Stack::of(Some(&shown), 0.0));
    let height = joint_bounds(document, &start).map_or(BODY, |(low, high)| (high - low).max_element());
    let unit = if height > 1e-9 { height / BODY } else { 1.0 };
    let points = points(document, clip, &start.world, unit);
    let morphs = clip.tracks.values().any(|t| t.property == Property::Weights);
    let seen = bound * unit * if morphs { 0.5 } else { 1.0 };
    let shares = shares(document, clip, &start.world, &points, seen);
    let lists: Vec<&Slice<f32>> = clip.tracks.values().map(|t| &t.times).collect();
    let is_shared = |t: &Track| lists.iter().filter(|l| Slice::ptr_eq(l, &t.times)).count() > 1;
    let shared: BTreeMap<TrackId, bool> = clip.tracks.iter().map(|(id, t)| (*id, is_shared(t))).collect();
    let times = all_times(clip);
    let (mut low, mut high, mut part) = (0.0f32, f32::INFINITY, FIRST);
    for _ in 0..TRIES {
        let mut tracks = clip.tracks.clone();
        for (id, track) in &mut tracks {
            // Morph weights are no part of a chain: their share is what they may have.
            let own = if track.property == Property::Weights { part.min(1.0) } else { part };
            if let Some(made) = thinned(track, shares[id] * own, shared[id]) {
                *track = Shared::new(made);
            }
        }
        let tried = Shared::new(Clip { tracks, ..clip.clone() });
        let error = gap(document, &shown, &tried, &points, &times, seen);
        if error <= seen {
            low = part;
            let (count, bytes) = (tried.key_count(), bytes_of(&tried));
            if count < best.keys[1] {
                best.error = error / unit * if morphs { 2.0 } else { 1.0 };
                (best.keys[1], best.bytes[1]) = (count, bytes);
                best.clip = (*tried).clone();
            }
        } else {
            high = part;
        }
        part = if high.is_infinite() { low * 2.0 } else { (low + high) * 0.5 };
        if part < 1e-3 {
            break;
        }
    }
    best
}

/// All key times and the middles between them.
fn all_times(clip: &Clip) -> Vec<f64> {
    let mut keys: Vec<f32> = Vec::new();
    let mut last: Option<*const f32> = None;
    for track in clip.tracks.values() {
        if last != Some(track.times.as_ptr()) {
            keys.extend(track.times.iter());
            last = Some(track.times.as_ptr());
        }
    }
    keys.sort_by(f32::total_cmp);
    keys.dedup();
    let middles = keys.windows(2).map(|w| (f64::from(w[0]) + f64::from(w[1])) * 0.5);
    let mut all: Vec<f64> = middles.chain(keys.iter().map(|t| f64::from(*t))).collect();
    all.sort_by(f64::total_cmp);
    all
}

/// How far the points are apart at most, metres in the scene; no further is looked once it is more than `enough`.
fn gap(document: &Document, a: &Shared<Clip>, b: &Shared<Clip>, points: &Points, times: &[f64], enough: f32) -> f32 {
    let mut evaluators = [Evaluator::default(), Evaluator::default()];
    let mut poses = [Pose::default(), Pose::default()];
    let mut stacks = [Stack::of(Some(a), 0.0), Stack::of(Some(b), 0.0)];
    let mut worst = 0.0f32;
    for time in times {
        for ((evaluator, pose), stack) in evaluators.iter_mut().zip(&mut poses).zip(&mut stacks) {
            stack.lanes[0].instances[0].time = *time;
            evaluator.update(document, stack, pose);
        }
        for (node, own) in points {
            let off = poses[0].world[node.index()] - poses[1].world[node.index()];
            worst = own.iter().map(|p| (off * p.extend(1.0)).truncate().length()).fold(worst, f32::max);
        }
        if worst > enough {
            break;
        }
    }
    worst
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::tests::any_track, *};
    use crate::motion::sample_into;

    proptest! {
        #[test]
        fn a_thinned_track_is_within_its_tolerance(track in any_track(), tolerance in 0.001f32..0.5) {
            prop_assume!(track.times.len() > 1);
            let kept = needed(&track, tolerance);
            prop_assert_eq!((kept[0], kept[kept.len() - 1]), (0, track.times.len() - 1));
            let made = with_keys(&track, &kept);
            prop_assert!(made.validate().is_ok());
            let (mut a, mut b) = (vec![0.0; track.width], vec![0.0; track.width]);
            for time in track.times.iter() {
                sample_into(&track, f64::from(*time), &mut a);
                sample_into(&made, f64::from(*time), &mut b);
                prop_assert!(apart(track.property, &a, &b) <= tolerance * 1.01 + 1e-5, "{}: {:?} {:?}", time, a, b);
            }
        }
    }
}
