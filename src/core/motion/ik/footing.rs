//! A node held over a range of a clip: feet that do not slide. Only the rotations of its limb get other keys, and those only where
//! it is held and eased.

use std::collections::BTreeSet;

use glam::Vec3;

use super::{Goal, limb_of, limbs::Limb, solve};
use crate::{
    model::{Clip, Document, NodeId, Property, Shared, Track, TrackId, UnkeyedAt},
    motion::{
        Evaluator, Pose, Stack,
        clip_edit::{Tangents, with_tangents},
        insert_key,
    },
};

/// Samples a second by which a motion is looked at.
const RATE: f32 = 60.0;
/// Of the way up that a foot goes, how much of it counts as low; and of its greatest speed, as slow.
const LOW: f32 = 0.15;
const SLOW: f32 = 0.6;
/// Seconds of the shortest contact.
const SHORTEST: f32 = 0.06;
/// Keys nearer to one another than this are not put, seconds.
const FINEST: f32 = 1.0 / 480.0;

/// A range of a clip over which a node is held, seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HoldRange {
    /// From when.
    pub from: f32,
    /// To when.
    pub to: f32,
}

/// How a node is held.
#[derive(Clone, Copy, Debug)]
pub struct Holding {
    /// Seconds in which it comes there before a range, and goes after it.
    pub ease: f32,
    /// How far it may be from its place, metres.
    pub tolerance: f32,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Held {
    /// The clip.
    pub clip: Clip,
    /// The fastest that the node slid over its ranges before and after, metres a second.
    pub slid: (f32, f32),
    /// How far it is from its place at the most, metres.
    pub error: f32,
}

/// Where a node is over a clip, [`RATE`] times a second.
fn path(document: &Document, clip: &Shared<Clip>, node: NodeId, from: f32, to: f32) -> Vec<(f32, Vec3)> {
    let (mut evaluator, mut pose) = (Evaluator::default(), Pose::default());
    let count = (((to - from) * RATE).ceil() as usize).clamp(2, 1 << 16);
    (0..=count)
        .map(|k| {
            let time = from + (to - from) * k as f32 / count as f32;
            evaluator.update(document, &Stack::of(Some(clip), f64::from(time)), &mut pose);
            (time, pose.world[node.index()].w_axis.truncate())
        })
        .collect()
}

/// The greatest speed on a path, metres a second.
fn speed(path: &[(f32, Vec3)]) -> f32 {
    let steps = path.windows(2).map(|w| w[0].1.distance(w[1].1) / (w[1].0 - w[0].0).max(1e-6));
    steps.fold(0.0, f32::max)
}

/// Where a node is low and slow for a while: what a foot stands on the ground.
pub fn contacts(document: &Document, clip: &Shared<Clip>, node: NodeId) -> Vec<HoldRange> {
    let path = path(document, clip, node, 0.0, clip.length());
    let heights = path.iter().map(|(_, p)| p.y);
    let (low, high) = (heights.clone().fold(f32::INFINITY, f32::min), heights.fold(f32::NEG_INFINITY, f32::max));
    let fastest = speed(&path);
    if fastest <= 0.0 || !(high - low).is_finite() {
        return Vec::new();
    }
    let stands = |k: usize| {
        let (a, b) = (path[k.saturating_sub(1)], path[(k + 1).min(path.len() - 1)]);
        let speed = a.1.distance(b.1) / (b.0 - a.0).max(1e-6);
        path[k].1.y <= low + (high - low) * LOW && speed <= fastest * SLOW
    };
    let flags: Vec<(usize, bool)> = (0..path.len()).map(|k| (k, stands(k))).collect();
    let runs = flags.chunk_by(|a, b| a.1 == b.1).filter(|run| run[0].1);
    let ranges = runs.map(|run| HoldRange { from: path[run[0].0].0, to: path[run[run.len() - 1].0].0 });
    ranges.filter(|r| r.to - r.from >= SHORTEST).collect()
}

/// How much of the held place counts at a time: all of it within the range, none beyond the easing.
fn share(time: f32, range: HoldRange, ease: f32) -> f32 {
    let beyond = (range.from - time).max(time - range.to).max(0.0);
    if ease <= 0.0 {
        return if beyond > 0.0 { 0.0 } else { 1.0 };
    }
    let part = (1.0 - beyond / ease).clamp(0.0, 1.0);
    part * part * (3.0 - 2.0 * part)
}

/// Holds a node over ranges of a clip, each at the middle of where it was there. It keeps its angle in the scene as the clip has
/// it. Nothing where no limb carries the node.
pub fn hold_over(
    document: &Document,
    clip: &Shared<Clip>,
    node: NodeId,
    ranges: &[HoldRange],
    holding: &Holding,
) -> Option<Held> {
    let length = clip.length();
    let start = Pose::evaluate(document, &Stack::of(Some(clip), f64::from(ranges.first()?.from)));
    let limb = limb_of(document, &start, node, None, false)?;
    let was = |range: &HoldRange| path(document, clip, node, range.from, range.to);
    let middle = |range: &HoldRange| {
        let path = was(range);
        path.iter().map(|(_, p)| *p).sum::<Vec3>() / path.len() as f32
    };
    let mut places: Vec<Vec3> = ranges.iter().map(middle).collect();
    // A contact over the seam of a loop is one.
    if let ([first, .., last], true) = (ranges, ranges.len() > 1)
        && first.from <= 1.0 / RATE
        && last.to >= length - 1.0 / RATE
    {
        let ends = path(document, clip, node, 0.0, length);
        if ends[0].1.distance(ends[ends.len() - 1].1) < speed(&ends) / RATE {
            let (a, b) = (first.to - first.from, last.to - last.from);
            let both = (places[0] * a + places[ranges.len() - 1] * b) / (a + b).max(1e-6);
            (places[0], places[ranges.len() - 1]) = (both, both);
        }
    }
    let mut held = Held { clip: (**clip).clone(), slid: (0.0, 0.0), error: 0.0 };
    for (range, place) in ranges.iter().zip(&places) {
        held.slid.0 = held.slid.0.max(speed(&was(range)));
        hold_one(document, clip, &mut held, &limb, *range, *place, holding);
    }
    let made = Shared::new(held.clip.clone());
    for (range, place) in ranges.iter().zip(&places) {
        let now = path(document, &made, node, range.from, range.to);
        held.slid.1 = held.slid.1.max(speed(&now));
        held.error = now.iter().map(|(_, p)| p.distance(*place)).fold(held.error, f32::max);
    }
    Some(held)
}

/// The rotation tracks of a limb, those that are not there yet with one key.
fn tracks(document: &Document, clip: &mut Clip, limb: &Limb, at: f32) -> Vec<TrackId> {
    let turning = limb.turns.iter().map(|k| limb.nodes[*k]).chain(limb.end());
    let mut ids = Vec::new();
    for node in turning {
        let id = clip.track(node, Property::Rotation).map(|(id, _)| id);
        ids.push(id.unwrap_or_else(|| {
            let id = clip.free_track_id();
            let now = document.node(node).local().transform().rotation;
            let track = Track {
                target: node,
                property: Property::Rotation,
                interpolation: crate::model::Interpolation::Linear,
                times: [at].into(),
                values: now.to_array().to_vec().into(),
                width: 4,
                kinds: Default::default(),
            };
            clip.tracks.insert(id, Shared::new(track));
            id
        }));
    }
    ids
}

fn hold_one(
    document: &Document,
    clip: &Shared<Clip>,
    held: &mut Held,
    limb: &Limb,
    range: HoldRange,
    place: Vec3,
    holding: &Holding,
) {
    let ease = holding.ease.max(0.0);
    let (begin, end) = ((range.from - ease).max(0.0), (range.to + ease).min(clip.length()));
    let ids = tracks(document, &mut held.clip, limb, begin);
    // What lies beyond stays as it was.
    for id in &ids {
        if let Some(track) = held.clip.tracks.get_mut(id) {
            let mut made = (**track).clone();
            for time in [begin, range.from, range.to, end] {
                made = insert_key(&made, time, None, true).track;
            }
            *track = Shared::new(made);
        }
    }
    let within = |t: f32| t >= begin - UnkeyedAt::NEAR && t <= end + UnkeyedAt::NEAR;
    let mut times: BTreeSet<u32> = BTreeSet::new();
    for track in ids.iter().filter_map(|id| held.clip.tracks.get(id)) {
        times.extend(track.times.iter().filter(|t| within(**t)).map(|t| t.max(0.0).to_bits()));
    }
    let Some(node) = limb.end() else { return };
    let (mut before, mut pose) = (Evaluator::default(), Pose::default());
    let mut target = |time: f32| {
        before.update(document, &Stack::of(Some(clip), f64::from(time)), &mut pose);
        let world = pose.world[node.index()];
        let at = world.w_axis.truncate();
        let goal = at + (place - at) * share(time, range, ease);
        let goal = Goal { tip: Vec3::ZERO, target: goal, swivel: 0.0, keeps: Some(world), soft: false };
        (solve(document, &pose, limb, &goal).rotations, goal.target)
    };
    let mut fresh: Vec<f32> = times.iter().map(|bits| f32::from_bits(*bits)).collect();
    for _ in 0..10 {
        for time in &fresh {
            if share(*time, range, ease) <= 0.0 {
                continue;
            }
            for ((_, rotation), id) in target(*time).0.into_iter().zip(&ids) {
                put(&mut held.clip, *id, *time, rotation.to_array());
            }
        }
        for id in &ids {
            smooth(&mut held.clip, *id, &times, begin, end);
        }
        let made = Shared::new(held.clip.clone());
        let (mut after, mut seen) = (Evaluator::default(), Pose::default());
        let mut off = |time: f32| {
            after.update(document, &Stack::of(Some(&made), f64::from(time)), &mut seen);
            seen.world[node.index()].w_axis.truncate().distance(target(time).1)
        };
        let list: Vec<f32> = times.iter().map(|bits| f32::from_bits(*bits)).collect();
        fresh.clear();
        for pair in list.windows(2).filter(|w| w[1] - w[0] > 2.0 * FINEST) {
            let worst = [0.25, 0.5, 0.75].map(|part| off(pair[0] + (pair[1] - pair[0]) * part));
            let stands = pair[0] >= range.from - UnkeyedAt::NEAR && pair[1] <= range.to + UnkeyedAt::NEAR;
            // On its way nobody sees whether it is quite on the curve.
            let most = holding.tolerance * if stands { 0.8 } else { 16.0 };
            if worst.into_iter().any(|w| w > most) {
                fresh.push((pair[0] + pair[1]) * 0.5);
            }
        }
        if fresh.is_empty() {
            return;
        }
        times.extend(fresh.iter().map(|t| t.to_bits()));
    }
}

/// Puts a rotation at a time, of its two signs the one near the key before.
fn put(clip: &mut Clip, id: TrackId, time: f32, mut value: [f32; 4]) {
    let Some(track) = clip.tracks.get_mut(&id) else { return };
    let before = track.value(track.times.partition_point(|t| *t < time).saturating_sub(1));
    if before.iter().zip(&value).map(|(a, b)| a * b).sum::<f32>() < 0.0 {
        value = value.map(|v| -v);
    }
    *track = Shared::new(insert_key(track, time, Some(&value), false).track);
}

/// Smooth tangents for the keys within, where a track has any; those at both ends keep theirs on the far side.
fn smooth(clip: &mut Clip, id: TrackId, times: &BTreeSet<u32>, begin: f32, end: f32) {
    let Some(track) = clip.tracks.get_mut(&id) else { return };
    if track.interpolation != crate::model::Interpolation::CubicSpline {
        return;
    }
    let inside: Vec<f32> = times
        .iter()
        .map(|bits| f32::from_bits(*bits))
        .filter(|t| *t > begin + UnkeyedAt::NEAR && *t < end - UnkeyedAt::NEAR)
        .collect();
    *track = Shared::new(with_tangents(track, &inside, Tangents::Auto));
}
