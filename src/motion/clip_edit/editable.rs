//! Baked keys made editable: splines through a few keys, where there was one on each frame, so that a captured clip can be worked on by
//! hand.
//!
//! Joints are taken by limbs: what hangs on one another without a fork. All tracks of a limb have the same key times: first where
//! the limb comes to rest, which is where its extremes and contacts are, then wherever the spline is farthest off, until all is within
//! the bound on the skin ([`super::skin_bound`]). Values at keys are the clip's own; the slopes are those with which the splines between
//! come nearest to all that lies between, in the sense of least squares, the same before and after a key, so that curves are
//! smooth.

use std::collections::BTreeMap;

use glam::Vec4;

use super::{
    key_span,
    reduce::{apart, thinned},
    skin_bound::SkinBound,
};
use crate::{
    model::{Clip, Document, Interpolation, NodeId, Property, Shared, Slice, Track, TrackId},
    motion::{humanoid::Part, ik::contacts, sample_into, transfer::roles_of},
};

/// How many samples of tracks, times the keys of a limb, are looked at again for keys that need not be.
const WORK: usize = 400_000;

/// A clip with a few keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Editable {
    /// The clip.
    pub clip: Clip,
    /// How far a vertex is off at most, metres of a body 1.8 m high.
    pub error: f32,
    /// Keys before and after.
    pub keys: [usize; 2],
}

/// A track on the times of its limb.
struct Dense<'a> {
    id: TrackId,
    track: &'a Track,
    /// One a time, rotations on one side of the sphere of quaternions.
    values: Vec<f32>,
    /// What it may be off by, where all of the bound is used.
    share: f32,
}

impl<'a> Dense<'a> {
    fn of(id: TrackId, track: &'a Track, times: &[f32], share: f32) -> Self {
        let width = track.width;
        let mut values = vec![0.0; times.len() * width];
        for (value, time) in values.chunks_mut(width).zip(times) {
            sample_into(track, f64::from(*time), value);
        }
        if track.property == Property::Rotation {
            let mut last = Vec4::ZERO;
            for value in values.chunks_mut(4) {
                let now = Vec4::from_slice(value);
                last = if now.dot(last) < 0.0 { -now } else { now };
                value.copy_from_slice(&last.to_array());
            }
        }
        Self { id, track, values, share }
    }

    fn value(&self, k: usize) -> &[f32] {
        &self.values[k * self.track.width..(k + 1) * self.track.width]
    }

    /// The slopes at some of the times, all numbers of one after those of the other.
    fn slopes(&self, times: &[f32], keys: &[usize]) -> Vec<f32> {
        let (width, count) = (self.track.width, keys.len());
        // Two unknowns a span, each shared by its neighbours: a band of three.
        let (mut diagonal, mut beside) = (vec![0.0f64; count], vec![0.0f64; count]);
        let mut wanted = vec![0.0f64; count * width];
        for (at, ends) in keys.windows(2).enumerate() {
            let (from, to) = (f64::from(times[ends[0]]), f64::from(times[ends[1]]));
            let span = to - from;
            // A slope that nothing tells lies along the chord.
            let least = 1e-4 * span * span;
            diagonal[at] += least;
            diagonal[at + 1] += least;
            for c in 0..width {
                let chord = f64::from(self.value(ends[1])[c] - self.value(ends[0])[c]) / span;
                wanted[at * width + c] += least * chord;
                wanted[(at + 1) * width + c] += least * chord;
            }
            for (k, time) in times.iter().enumerate().take(ends[1]).skip(ends[0] + 1) {
                let u = (f64::from(*time) - from) / span;
                let (u2, u3) = (u * u, u * u * u);
                let (start, end) = (span * (u3 - 2.0 * u2 + u), span * (u3 - u2));
                let next = 3.0 * u2 - 2.0 * u3;
                diagonal[at] += start * start;
                diagonal[at + 1] += end * end;
                beside[at] += start * end;
                for c in 0..width {
                    let (a, b) = (f64::from(self.value(ends[0])[c]), f64::from(self.value(ends[1])[c]));
                    let rest = f64::from(self.value(k)[c]) - (a + (b - a) * next);
                    wanted[at * width + c] += start * rest;
                    wanted[(at + 1) * width + c] += end * rest;
                }
            }
        }
        // Elimination down the band, and back (Thomas).
        for k in 1..count {
            let factor = beside[k - 1] / diagonal[k - 1];
            diagonal[k] -= factor * beside[k - 1];
            for c in 0..width {
                wanted[k * width + c] -= factor * wanted[(k - 1) * width + c];
            }
        }
        for k in (0..count).rev() {
            for c in 0..width {
                let after = if k + 1 < count { beside[k] * wanted[(k + 1) * width + c] } else { 0.0 };
                wanted[k * width + c] = (wanted[k * width + c] - after) / diagonal[k];
            }
        }
        wanted.into_iter().map(|v| v as f32).collect()
    }

    fn spline(&self, times: &[f32], keys: &[usize], shared: &Slice<f32>) -> Track {
        let (width, slopes) = (self.track.width, self.slopes(times, keys));
        let values = keys.iter().enumerate().flat_map(|(at, k)| {
            let slope = &slopes[at * width..(at + 1) * width];
            slope.iter().chain(self.value(*k)).chain(slope).copied()
        });
        let values = values.collect();
        Track {
            interpolation: Interpolation::CubicSpline,
            times: shared.clone(),
            values,
            kinds: Default::default(),
            ..self.track.clone()
        }
    }

    /// How quickly it changes at a time, in shares a second.
    fn speed(&self, times: &[f32], k: usize) -> f32 {
        let (a, b) = (k.saturating_sub(1), (k + 1).min(times.len() - 1));
        let span = times[b] - times[a];
        if span > 0.0 {
            apart(self.track.property, self.value(a), self.value(b)) / (span * self.share.max(1e-12))
        } else {
            0.0
        }
    }
}

/// Limbs by node: what hangs on one another without a fork, named by where it begins.
fn limbs(document: &Document, clip: &Clip) -> BTreeMap<NodeId, NodeId> {
    let mut carries = vec![false; document.nodes.len()];
    for track in clip.tracks.values() {
        let above = std::iter::successors(Some(track.target), |n| document.node(*n).parent);
        for node in above {
            if std::mem::replace(&mut carries[node.index()], true) {
                break;
            }
        }
    }
    let mut limbs: BTreeMap<NodeId, NodeId> = BTreeMap::new();
    for node in document.nodes.order().iter().copied().filter(|n| carries[n.index()]) {
        let parent = document.node(node).parent;
        let forks = |p: NodeId| document.children(p).iter().filter(|c| carries[c.index()]).count() > 1;
        let own = match parent {
            Some(parent) if !forks(parent) => limbs.get(&parent).copied().unwrap_or(node),
            _ => node,
        };
        limbs.insert(node, own);
    }
    limbs
}

/// Where a limb comes to rest between two movements.
fn rests(dense: &[Dense<'_>], times: &[f32]) -> Vec<usize> {
    /// How much slower than on both sides of it a rest is.
    const SLOWER: f32 = 0.5;
    let speed: Vec<f32> =
        (0..times.len()).map(|k| dense.iter().map(|d| d.speed(times, k).powi(2)).sum::<f32>().sqrt()).collect();
    let mut found = Vec::new();
    let mut k = 1;
    // The fastest since the last rest.
    let mut before = speed.first().copied().unwrap_or(0.0);
    while k + 1 < speed.len() {
        before = before.max(speed[k]);
        if speed[k] <= speed[k - 1] && speed[k] < speed[k + 1] && speed[k] <= before * SLOWER {
            // Fast again before it is slower than this?
            let after = speed[k..].iter().take_while(|s| **s >= speed[k]).fold(0.0f32, |m, s| m.max(*s));
            if speed[k] <= after * SLOWER {
                found.push(k);
                before = speed[k];
            }
        }
        k += 1;
    }
    found
}

/// The first keys of a limb: its ends, where it rests, and where a foot of it comes down and leaves the ground.
fn first_keys(dense: &[Dense<'_>], times: &[f32], contacts: &[f32]) -> Vec<usize> {
    let mut keys = rests(dense, times);
    keys.extend([0, times.len() - 1]);
    keys.extend(contacts.iter().map(|c| {
        let at = times.partition_point(|t| t < c).min(times.len() - 1);
        if at > 0 && c - times[at - 1] < times[at] - c { at - 1 } else { at }
    }));
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// When each limb with a foot comes down and leaves the ground, by the limb.
fn footfalls(document: &Document, clip: &Clip, limb_of: &BTreeMap<NodeId, NodeId>) -> BTreeMap<NodeId, Vec<f32>> {
    let shown = Shared::new(clip.clone());
    let mut found: BTreeMap<NodeId, Vec<f32>> = BTreeMap::new();
    for (node, role) in roles_of(document) {
        if let (Some(Part::Foot), Some(limb)) = (role.map(|r| r.part), limb_of.get(&node)) {
            let ranges = contacts(document, &shown, node);
            found.entry(*limb).or_default().extend(ranges.iter().flat_map(|r| [r.from, r.to]));
        }
    }
    found
}

/// How far a spline is off at most in each span between two keys: of its share, and at which time.
fn worst(dense: &Dense<'_>, track: &Track, times: &[f32], keys: &[usize], part: f32, found: &mut [(f32, usize)]) {
    let mut out = vec![0.0; track.width];
    for (at, ends) in keys.windows(2).enumerate() {
        // A key in the middle of a span serves both its halves.
        let (from, span) = (times[ends[0]], times[ends[1]] - times[ends[0]]);
        let inner = |k: usize| ((times[k] - from) / span - 0.5).abs() <= 0.2;
        let (mut most, mut at_middle) = (0.0f32, (-1.0f32, ends[0] + (ends[1] - ends[0]) / 2));
        for k in ends[0] + 1..ends[1] {
            sample_into(track, f64::from(times[k]), &mut out);
            let off = apart(track.property, &out, dense.value(k)) / (dense.share * part).max(1e-12);
            most = most.max(off);
            if inner(k) && off > at_middle.0 {
                at_middle = (off, k);
            }
        }
        if most > found[at].0 {
            found[at] = (most, at_middle.1);
        }
    }
}

/// All tracks of a limb as splines with the same key times, each within this part of its share.
fn fitted(dense: &[Dense<'_>], times: &[f32], first: &[usize], part: f32) -> Vec<(TrackId, Track)> {
    let mut keys = first.to_vec();
    loop {
        let shared: Slice<f32> = keys.iter().map(|k| times[*k]).collect();
        let made: Vec<(TrackId, Track)> = dense.iter().map(|d| (d.id, d.spline(times, &keys, &shared))).collect();
        let mut found = vec![(0.0, 0); keys.len() - 1];
        for (dense, (_, track)) in dense.iter().zip(&made) {
            worst(dense, track, times, &keys, part, &mut found);
        }
        let more: Vec<usize> = found.iter().filter(|(off, _)| *off > 1.0).map(|(_, k)| *k).collect();
        if more.is_empty() {
            return if keys.len() * times.len() * dense.len() <= WORK {
                pruned(dense, times, first, keys, part)
            } else {
                made
            };
        }
        keys.extend(more);
        keys.sort_unstable();
    }
}

/// Without the keys that turn out not to be needed, those in the middle of close neighbours first.
fn pruned(
    dense: &[Dense<'_>],
    times: &[f32],
    first: &[usize],
    mut keys: Vec<usize>,
    part: f32,
) -> Vec<(TrackId, Track)> {
    let made = |keys: &[usize]| -> Vec<(TrackId, Track)> {
        let shared: Slice<f32> = keys.iter().map(|k| times[*k]).collect();
        dense.iter().map(|d| (d.id, d.spline(times, keys, &shared))).collect()
    };
    let mut tried: Vec<usize> = keys.iter().copied().filter(|k| !first.contains(k)).collect();
    tried.sort_by_key(|k| {
        let at = keys.partition_point(|o| o < k);
        keys[at + 1] - keys[at - 1]
    });
    for key in tried {
        let fewer: Vec<usize> = keys.iter().copied().filter(|k| *k != key).collect();
        let mut found = vec![(0.0, 0); fewer.len() - 1];
        for (dense, (_, track)) in dense.iter().zip(&made(&fewer)) {
            worst(dense, track, times, &fewer, part, &mut found);
        }
        if found.iter().all(|(off, _)| *off <= 1.0) {
            keys = fewer;
        }
    }
    made(&keys)
}

/// The clip as splines through as few keys as keep every vertex within `bound` metres (of a body 1.8 m high) of where it was, at all of
/// its key times: what was baked says nothing of the moments between. Tracks that do not move have one key; STEP stays STEP.
pub fn editable(document: &Document, clip: &Clip, bound: f32) -> Editable {
    const TRIES: usize = 10;
    let keys = clip.key_count();
    let mut best = Editable { clip: clip.clone(), error: 0.0, keys: [keys; 2] };
    if key_span(clip).is_none() || bound <= 0.0 {
        return best;
    }
    let skin = SkinBound::of(document, clip, bound, false);
    let limb_of = limbs(document, clip);
    let is_curve = |t: &Track| t.interpolation != Interpolation::Step && t.times.len() > 1;
    let mut groups: BTreeMap<NodeId, Vec<(TrackId, &Track)>> = BTreeMap::new();
    for (id, track) in clip.tracks.iter().filter(|(_, t)| is_curve(t)) {
        let limb = limb_of.get(&track.target).copied().unwrap_or(track.target);
        groups.entry(limb).or_default().push((*id, track));
    }
    let footfalls = footfalls(document, clip, &limb_of);
    let groups: Vec<(Vec<f32>, Vec<f32>, Vec<Dense<'_>>)> = groups
        .into_iter()
        .map(|(limb, tracks)| {
            let mut times: Vec<f32> = tracks.iter().flat_map(|(_, t)| t.times.iter().copied()).collect();
            times.sort_by(f32::total_cmp);
            times.dedup();
            let dense = tracks.into_iter().map(|(id, t)| Dense::of(id, t, &times, skin.shares[&id])).collect();
            (times, footfalls.get(&limb).cloned().unwrap_or_default(), dense)
        })
        .collect();
    let (mut low, mut high, mut part) = (0.0f32, f32::INFINITY, 1.0f32);
    for _ in 0..TRIES {
        let mut tracks = clip.tracks.clone();
        for (times, contacts, dense) in &groups {
            let is_still = |d: &Dense<'_>| {
                (0..times.len())
                    .all(|k| apart(d.track.property, d.value(0), d.value(k)) <= d.share * part.min(1.0) * 0.5)
            };
            let (still, moving): (Vec<&Dense<'_>>, Vec<&Dense<'_>>) = dense.iter().partition(|d| is_still(d));
            for d in still {
                let one = Track {
                    interpolation: Interpolation::Linear,
                    times: [times[0]].into(),
                    values: d.value(0).iter().copied().collect(),
                    kinds: Default::default(),
                    ..d.track.clone()
                };
                tracks.insert(d.id, Shared::new(one));
            }
            // Morph weights are no part of a chain: their share is what they may have.
            let moving: Vec<Dense<'_>> = moving
                .into_iter()
                .map(|d| Dense { id: d.id, track: d.track, values: d.values.clone(), share: d.share })
                .collect();
            if !moving.is_empty() {
                let first = first_keys(&moving, times, contacts);
                for (id, track) in fitted(&moving, times, &first, part) {
                    tracks.insert(id, Shared::new(track));
                }
            }
        }
        for (id, track) in clip.tracks.iter().filter(|(_, t)| !is_curve(t)) {
            if let Some(made) = thinned(track, skin.shares[id] * part, false) {
                tracks.insert(*id, Shared::new(made));
            }
        }
        let tried = Shared::new(Clip { tracks, ..clip.clone() });
        match skin.error(document, &tried) {
            Some(error) => {
                low = part;
                if tried.key_count() < best.keys[1] {
                    best = Editable { error, keys: [keys, tried.key_count()], clip: (*tried).clone() };
                }
            }
            None => high = part,
        }
        part = if high.is_infinite() { low * 2.0 } else { (low + high) * 0.5 };
        if part < 1e-3 {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;

    fn track(property: Property, values: Vec<f32>, width: usize, rate: f32) -> Track {
        let times = (0..values.len() / width).map(|k| k as f32 / rate).collect();
        let kinds = Default::default();
        Track {
            target: NodeId(0),
            property,
            interpolation: Interpolation::Linear,
            times,
            values: values.into(),
            width,
            kinds,
        }
    }

    /// A cubic is one span, whatever its slopes, and its slopes are found.
    #[test]
    fn slopes_of_a_cubic_are_found() {
        let curve = |t: f32| 2.0 * t * t * t - 3.0 * t * t + 0.5 * t + 1.0;
        let values: Vec<f32> = (0..=30).flat_map(|k| [curve(k as f32 / 30.0), 0.0, 0.0]).collect();
        let track = track(Property::Translation, values, 3, 30.0);
        let dense = Dense::of(TrackId(0), &track, &track.times, 1e-3);
        let slopes = dense.slopes(&track.times, &[0, 30]);
        assert!((slopes[0] - 0.5).abs() < 0.02 && (slopes[3] - 0.5).abs() < 0.02, "{slopes:?}");
    }

    /// A swing of three turns has its keys where it turns round, and few others.
    #[test]
    fn keys_are_where_a_swing_turns_round() {
        let values: Vec<f32> = (0..=90)
            .flat_map(|k| Quat::from_rotation_x((k as f32 / 90.0 * std::f32::consts::TAU * 1.5).sin()).to_array())
            .collect();
        let track = track(Property::Rotation, values, 4, 30.0);
        let dense = [Dense::of(TrackId(0), &track, &track.times, 0.02)];
        let found = rests(&dense, &track.times);
        assert_eq!(found, [15, 45, 75]);
        let made = fitted(&dense, &track.times, &first_keys(&dense, &track.times, &[]), 1.0);
        assert!(made[0].1.times.len() <= 8, "{:?}", made[0].1.times);
        let mut out = [0.0; 4];
        for k in 0..=90 {
            sample_into(&made[0].1, f64::from(track.times[k]), &mut out);
            assert!(apart(Property::Rotation, &out, dense[0].value(k)) <= 0.0201);
        }
    }
}
