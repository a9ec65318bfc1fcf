//! Conversion of baked keys to splines with few keys, so that a captured clip can be edited by
//! hand.
//!
//! Joints are grouped by limb: a chain without branches. All tracks of a limb get the same key
//! times. The first keys are at times when the limb rests between two movements, and at foot
//! contacts. More keys are added where the spline has the largest error, until everything is within
//! the bound on the skin ([`super::skin_bound`]). Values and slopes of keys are a least-squares fit
//! to all baked values. Both sides of a key have the same slope, so curves are smooth. The first
//! and the last key keep their values, so loops stay closed. At the end, keys that the skin does
//! not need are removed.
//!
//! Only baked tracks are converted: LINEAR tracks with a key on each frame, whose motion between
//! the keys is unknown. Splines and tracks with few keys define their motion between the keys, so
//! they are unchanged.

use std::collections::BTreeMap;

use glam::Vec4;

use super::{
    key_span,
    length::as_long_as,
    reduce::{apart, thinned},
    skin_bound::SkinBound,
};
use crate::{humanoid::BodyPart, ik::contacts, roles::roles_of, sample_into};
use ulna_model::{Clip, Document, Interpolation, NodeId, Property, Shared, Slice, Track, TrackId};

/// A clip converted to splines with few keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Editable {
    /// The converted clip.
    pub clip: Clip,
    /// Maximum vertex error at the old key times, in meters for a body 1.8 m high.
    pub error: f32,
    /// Maximum vertex error between the old key times, relative to straight lines, in meters for a
    /// body 1.8 m high. The second value is its time in seconds.
    pub between: (f32, f64),
    /// Number of unchanged tracks, which are splines or have few keys already.
    pub left: usize,
    /// Number of keys before and after the conversion.
    pub keys: [usize; 2],
}

/// A track, sampled at the key times of its limb.
struct Dense<'a> {
    id: TrackId,
    track: &'a Track,
    /// One value per time. Quaternions have consistent signs.
    values: Vec<f32>,
    /// Maximum error of this track if it uses the whole error bound, in the track's own units.
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

    /// Least-squares fit of a spline with keys at some of the times. Returns the values and the
    /// slopes at the keys, key by key. The first and the last key keep their values.
    fn fit(&self, times: &[f32], keys: &[usize]) -> (Vec<f32>, Vec<f32>) {
        /// Weight of the first and the last value in the fit, relative to the other values.
        const ENDS: f64 = 1e8;
        let (width, count) = (self.track.width, keys.len());
        // The unknowns are the value and slope of each key. Each equation involves two adjacent
        // keys, so the matrix has a band of four.
        let mut band = vec![[0.0f64; 4]; 2 * count];
        let mut wanted = vec![0.0f64; 2 * count * width];
        let mut add = |first: usize, basis: &[f64], weight: f64, value: &[f32]| {
            for (i, a) in basis.iter().enumerate() {
                for (j, b) in basis.iter().enumerate().skip(i) {
                    band[first + i][j - i] += weight * a * b;
                }
                for (c, v) in value.iter().enumerate() {
                    wanted[(first + i) * width + c] += weight * a * f64::from(*v);
                }
            }
        };
        for (at, ends) in keys.windows(2).enumerate() {
            let (from, to) = (f64::from(times[ends[0]]), f64::from(times[ends[1]]));
            let span = to - from;
            // Regularization: a slope that no value determines follows the chord.
            let chord: Vec<f32> = self
                .value(ends[0])
                .iter()
                .zip(self.value(ends[1]))
                .map(|(a, b)| ((f64::from(*b - *a)) / span) as f32)
                .collect();
            add(2 * at + 1, &[1.0], 1e-4 * span * span, &chord);
            add(2 * at + 3, &[1.0], 1e-4 * span * span, &chord);
            for (k, time) in times.iter().enumerate().take(ends[1]).skip(ends[0] + 1) {
                let u = (f64::from(*time) - from) / span;
                let (u2, u3) = (u * u, u * u * u);
                let next = 3.0 * u2 - 2.0 * u3;
                let basis = [1.0 - next, span * (u3 - 2.0 * u2 + u), next, span * (u3 - u2)];
                add(2 * at, &basis, 1.0, self.value(k));
            }
        }
        for (at, k) in keys.iter().enumerate() {
            let is_end = at == 0 || at + 1 == count;
            add(2 * at, &[1.0], if is_end { ENDS } else { 1.0 }, self.value(*k));
        }
        solve(&mut band, &mut wanted, width);
        let row = |k: usize| wanted[k * width..(k + 1) * width].iter().map(|v| *v as f32);
        let mut values: Vec<f32> = (0..count).flat_map(|at| row(2 * at)).collect();
        for (at, k) in [(0, keys[0]), (count - 1, keys[count - 1])] {
            values[at * width..(at + 1) * width].copy_from_slice(self.value(k));
        }
        if self.track.property == Property::Rotation {
            for value in values.chunks_mut(4) {
                let unit = Vec4::from_slice(value).normalize_or(Vec4::W);
                value.copy_from_slice(&unit.to_array());
            }
        }
        (values, (0..count).flat_map(|at| row(2 * at + 1)).collect())
    }

    fn spline(&self, times: &[f32], keys: &[usize], shared: &Slice<f32>) -> Track {
        let width = self.track.width;
        let (values, slopes) = self.fit(times, keys);
        let values = values
            .chunks(width)
            .zip(slopes.chunks(width))
            .flat_map(|(v, m)| [m, v, m].concat())
            .collect();
        Track {
            interpolation: Interpolation::CubicSpline,
            times: shared.clone(),
            values,
            kinds: Default::default(),
            modes: Default::default(),
            ..self.track.clone()
        }
    }

    /// Creates a track with a single key, for constant values.
    fn single(&self, time: f32) -> Track {
        Track {
            interpolation: Interpolation::Linear,
            times: [time].into(),
            values: self.value(0).into(),
            kinds: Default::default(),
            modes: Default::default(),
            ..self.track.clone()
        }
    }

    /// Speed of change at a time, in multiples of the tolerance per second.
    fn speed(&self, times: &[f32], k: usize) -> f32 {
        let (a, b) = (k.saturating_sub(1), (k + 1).min(times.len() - 1));
        let span = times[b] - times[a];
        if span > 0.0 {
            apart(self.track.property, self.value(a), self.value(b))
                / (span * self.share.max(1e-12))
        } else {
            0.0
        }
    }
}

/// Solves a symmetric banded system with three off-diagonals for `width` right-hand sides, in place
/// (square-root-free Cholesky).
fn solve(band: &mut [[f64; 4]], wanted: &mut [f64], width: usize) {
    let count = band.len();
    for k in 0..count {
        let own = band[k];
        if own[0].abs() < 1e-30 {
            continue;
        }
        for i in 1..4.min(count - k) {
            let factor = own[i] / own[0];
            for j in i..4 {
                band[k + i][j - i] -= factor * own[j];
            }
            for c in 0..width {
                wanted[(k + i) * width + c] -= factor * wanted[k * width + c];
            }
        }
    }
    for k in (0..count).rev() {
        for c in 0..width {
            let after: f64 =
                (1..4.min(count - k)).map(|i| band[k][i] * wanted[(k + i) * width + c]).sum();
            let own = if band[k][0].abs() < 1e-30 { 1.0 } else { band[k][0] };
            wanted[k * width + c] = (wanted[k * width + c] - after) / own;
        }
    }
}

/// Maps each node to its limb. A limb is a chain without branches, identified by its first node.
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
        let forks =
            |p: NodeId| document.children(p).iter().filter(|c| carries[c.index()]).count() > 1;
        let own = match parent {
            Some(parent) if !forks(parent) => limbs.get(&parent).copied().unwrap_or(node),
            _ => node,
        };
        limbs.insert(node, own);
    }
    limbs
}

/// Finds the indices of the times at which a limb rests between two movements.
fn rests(dense: &[&Dense<'_>], times: &[f32]) -> Vec<usize> {
    /// Maximum speed of a resting limb, relative to its peak speeds before and after the rest.
    const SLOWER: f32 = 0.5;
    let speed: Vec<f32> = (0..times.len())
        .map(|k| dense.iter().map(|d| d.speed(times, k).powi(2)).sum::<f32>().sqrt())
        .collect();
    let mut found = Vec::new();
    let mut k = 1;
    // Peak speed since the last rest.
    let mut before = speed.first().copied().unwrap_or(0.0);
    while k + 1 < speed.len() {
        before = before.max(speed[k]);
        if speed[k] <= speed[k - 1] && speed[k] < speed[k + 1] && speed[k] <= before * SLOWER {
            // Peak speed after this time, until the limb gets slower than at this time.
            let after =
                speed[k..].iter().take_while(|s| **s >= speed[k]).fold(0.0f32, |m, s| m.max(*s));
            if speed[k] <= after * SLOWER {
                found.push(k);
                before = speed[k];
            }
        }
        k += 1;
    }
    found
}

/// Finds the times of a limb's initial keys, before others are added: both ends, the times at which
/// the limb rests, and the start and end of each foot contact. Returns indices into `times`.
fn first_keys(dense: &[&Dense<'_>], times: &[f32], contacts: &[f32]) -> Vec<usize> {
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

/// Finds the start and end times of foot contacts, by the limb of the foot.
fn footfalls(
    document: &Document,
    clip: &Clip,
    limb_of: &BTreeMap<NodeId, NodeId>,
) -> BTreeMap<NodeId, Vec<f32>> {
    let shown = Shared::new(clip.clone());
    let mut found: BTreeMap<NodeId, Vec<f32>> = BTreeMap::new();
    for (node, role) in roles_of(document) {
        if let (Some(BodyPart::Foot), Some(limb)) = (role.map(|r| r.part), limb_of.get(&node)) {
            let ranges = contacts(document, &shown, node);
            found.entry(*limb).or_default().extend(ranges.iter().flat_map(|r| [r.from, r.to]));
        }
    }
    found
}

/// Measures the maximum error of a spline in each segment, relative to the tolerance. Also returns
/// the index of the time at which a new key is best.
fn worst(
    dense: &Dense<'_>,
    track: &Track,
    times: &[f32],
    keys: &[usize],
    part: f32,
    found: &mut [(f32, usize)],
) {
    let mut out = vec![0.0; track.width];
    for (at, ends) in keys.windows(2).enumerate() {
        // A key near the middle of a segment improves both halves.
        let (from, span) = (times[ends[0]], times[ends[1]] - times[ends[0]]);
        let inner = |k: usize| ((times[k] - from) / span - 0.5).abs() <= 0.2;
        let (mut most, mut at_middle) = (0.0f32, (-1.0f32, ends[0] + (ends[1] - ends[0]) / 2));
        for (k, time) in times.iter().enumerate().take(ends[1]).skip(ends[0] + 1) {
            sample_into(track, f64::from(*time), &mut out);
            let off = apart(track.property, &out, dense.value(k)) / (dense.share * part).max(1e-12);
            most = most.max(off).max(swings(dense, track, times, k, &mut out) / part.max(1e-6));
            if inner(k) && off > at_middle.0 {
                at_middle = (off, k);
            }
        }
        if most > found[at].0 {
            found[at] = (most, at_middle.1);
        }
    }
}

/// Measures the overshoot of a spline between two frames, relative to the tolerance. A small
/// deviation from a straight line is allowed.
fn swings(dense: &Dense<'_>, track: &Track, times: &[f32], k: usize, out: &mut [f32]) -> f32 {
    /// Allowed deviation from a straight line, relative to the distance between the frames.
    const CURVED: f32 = 0.25;
    let (a, b) = (dense.value(k - 1), dense.value(k));
    sample_into(track, (f64::from(times[k - 1]) + f64::from(times[k])) * 0.5, out);
    let middle: Vec<f32> = a.iter().zip(b).map(|(a, b)| (a + b) * 0.5).collect();
    let way = apart(track.property, a, b);
    (apart(track.property, out, &middle) - CURVED * way).max(0.0) / dense.share.max(1e-12)
}

/// Length of a frame in seconds, if a LINEAR track of the clip has a key on each frame.
fn frame_of(clip: &Clip) -> Option<f32> {
    /// Maximum length of a frame, seconds. Keys with longer intervals are made by hand.
    const SLOWEST: f32 = 0.13;
    let fullest = clip.tracks.values().filter(|t| t.interpolation == Interpolation::Linear);
    let mut gaps: Vec<f32> =
        fullest.max_by_key(|t| t.times.len())?.times.windows(2).map(|w| w[1] - w[0]).collect();
    gaps.sort_by(f32::total_cmp);
    gaps.get(gaps.len() / 2).copied().filter(|gap| *gap <= SLOWEST)
}

/// Whether a track has a key on almost every frame from its first to its last key.
fn is_baked(track: &Track, frame: Option<f32>) -> bool {
    /// Minimum fraction of key intervals that have the length of a frame.
    const MOST: f32 = 0.9;
    let Some(frame) =
        frame.filter(|_| track.interpolation == Interpolation::Linear && track.times.len() > 2)
    else {
        return false;
    };
    let steps = track.times.windows(2).filter(|w| w[1] - w[0] <= frame * 1.5).count();
    steps as f32 >= MOST * (track.times.len() - 1) as f32
}

/// Whether a LINEAR track is constant, so that one key suffices.
fn stands_still(track: &Track) -> bool {
    track.interpolation == Interpolation::Linear
        && (1..track.times.len())
            .all(|k| apart(track.property, track.value(0), track.value(k)) <= 1e-6)
}

/// Fits splines with these keys to all tracks of a limb.
fn splines(dense: &[&Dense<'_>], times: &[f32], keys: &[usize]) -> Vec<(TrackId, Track)> {
    let shared: Slice<f32> = keys.iter().map(|k| times[*k]).collect();
    dense.iter().map(|d| (d.id, d.spline(times, keys, &shared))).collect()
}

/// Finds the key indices that a limb needs to keep each track within `part` of its tolerance.
fn needed(dense: &[&Dense<'_>], times: &[f32], first: &[usize], part: f32) -> Vec<usize> {
    let mut keys = first.to_vec();
    loop {
        let mut found = vec![(0.0, 0); keys.len() - 1];
        for (dense, (_, track)) in dense.iter().zip(&splines(dense, times, &keys)) {
            worst(dense, track, times, &keys, part, &mut found);
        }
        let more: Vec<usize> =
            found.iter().filter(|(off, _)| *off > 1.0).map(|(_, k)| *k).collect();
        if more.is_empty() {
            return keys;
        }
        keys.extend(more);
        keys.sort_unstable();
    }
}

/// A limb: its moving tracks and its keys.
struct Limb<'a> {
    times: &'a [f32],
    moving: Vec<&'a Dense<'a>>,
    keys: Vec<usize>,
}

/// Removes keys that the skin does not need, starting with those that are closest to their
/// neighbors. The combined error of all joints is often smaller than the sum of the tolerances.
fn pruned(document: &Document, skin: &SkinBound, limbs: &mut [Limb<'_>], best: &mut Editable) {
    /// Maximum work of pruning, as keys times samples. Clips with more work are not pruned.
    const WORK: usize = 60_000;
    let count: usize = limbs.iter().map(|l| l.keys.len()).sum();
    if count * skin.moments() > WORK {
        return;
    }
    for _ in 0..3 {
        let mut tried: Vec<(usize, usize, f32)> = Vec::new();
        for (k, limb) in limbs.iter().enumerate() {
            tried.extend(
                limb.keys.windows(3).map(|w| (k, w[1], limb.times[w[2]] - limb.times[w[0]])),
            );
        }
        tried.sort_by(|a, b| a.2.total_cmp(&b.2));
        let before = best.keys[1];
        for (k, key, _) in tried {
            let limb = &limbs[k];
            let fewer: Vec<usize> = limb.keys.iter().copied().filter(|o| *o != key).collect();
            let mut tracks = best.clip.tracks.clone();
            for (id, track) in splines(&limb.moving, limb.times, &fewer) {
                tracks.insert(id, Shared::new(track));
            }
            let tried = Shared::new(Clip { tracks, ..best.clip.clone() });
            if let Some(error) = skin.error(document, &tried) {
                *best = Editable {
                    error,
                    keys: [best.keys[0], tried.key_count()],
                    clip: (*tried).clone(),
                    ..best.clone()
                };
                limbs[k].keys = fewer;
            }
        }
        if best.keys[1] == before {
            return;
        }
    }
}

/// Converts a clip to splines with few keys. Every vertex stays within `bound` meters (for a body
/// 1.8 m high) at all of the clip's key times.
///
/// Baked keys do not define the motion between them, so the error between the keys is only
/// reported. Constant tracks get one key. If only constant tracks have a key at the end of the
/// clip, one of them keeps it, so that the clip's length is unchanged. STEP tracks, splines and
/// tracks with few keys are unchanged.
pub fn editable(document: &Document, clip: &Clip, bound: f32) -> Editable {
    const TRIES: usize = 10;
    let keys = clip.key_count();
    let frame = frame_of(clip);
    let is_curve = |t: &Track| is_baked(t, frame);
    let is_left =
        |t: &Track| t.times.len() > 1 && t.interpolation != Interpolation::Step && !is_curve(t);
    let left = clip.tracks.values().filter(|t| is_left(t)).count();
    let mut best =
        Editable { clip: clip.clone(), error: 0.0, between: (0.0, 0.0), left, keys: [keys; 2] };
    if key_span(clip).is_none() || bound <= 0.0 {
        return best;
    }
    let skin = SkinBound::of(document, clip, bound, false);
    let limb_of = limbs(document, clip);
    let mut groups: BTreeMap<NodeId, Vec<(TrackId, &Track)>> = BTreeMap::new();
    for (id, track) in clip.tracks.iter().filter(|(_, t)| is_curve(t)) {
        let limb = limb_of.get(&track.target).copied().unwrap_or(track.target);
        groups.entry(limb).or_default().push((*id, track));
    }
    let footfalls = footfalls(document, clip, &limb_of);
    let groups: Vec<(Vec<f32>, Vec<f32>, Vec<Dense<'_>>)> = groups
        .into_iter()
        .map(|(limb, tracks)| {
            let mut times: Vec<f32> =
                tracks.iter().flat_map(|(_, t)| t.times.iter().copied()).collect();
            times.sort_by(f32::total_cmp);
            times.dedup();
            let dense = tracks
                .into_iter()
                .map(|(id, t)| Dense::of(id, t, &times, skin.shares[&id]))
                .collect();
            (times, footfalls.get(&limb).cloned().unwrap_or_default(), dense)
        })
        .collect();
    let (mut low, mut high, mut part) = (0.0f32, f32::INFINITY, 1.0f32);
    let mut kept: Vec<Limb<'_>> = Vec::new();
    for _ in 0..TRIES {
        let mut tracks = clip.tracks.clone();
        let mut limbs = Vec::new();
        for (times, contacts, dense) in &groups {
            // Morph weights are not part of a chain: they are limited to their own tolerance.
            let is_still = |d: &&Dense<'_>| {
                let near = d.share * part.min(1.0) * 0.5;
                (0..times.len()).all(|k| apart(d.track.property, d.value(0), d.value(k)) <= near)
            };
            let (still, moving): (Vec<&Dense<'_>>, Vec<&Dense<'_>>) =
                dense.iter().partition(is_still);
            for d in still {
                tracks.insert(d.id, Shared::new(d.single(d.track.times[0])));
            }
            if moving.is_empty() {
                continue;
            }
            let keys = needed(&moving, times, &first_keys(&moving, times, contacts), part);
            tracks.extend(
                splines(&moving, times, &keys).into_iter().map(|(id, t)| (id, Shared::new(t))),
            );
            limbs.push(Limb { times, moving, keys });
        }
        for (id, track) in clip.tracks.iter().filter(|(_, t)| !is_curve(t)) {
            if is_left(track) && !stands_still(track) {
                continue;
            }
            if let Some(made) = thinned(track, skin.shares[id] * part, false) {
                tracks.insert(*id, Shared::new(made));
            }
        }
        let tried = Shared::new(as_long_as(clip, Clip { tracks, ..clip.clone() }));
        match skin.error(document, &tried) {
            Some(error) => {
                low = part;
                if tried.key_count() < best.keys[1] {
                    best = Editable {
                        error,
                        keys: [keys, tried.key_count()],
                        clip: (*tried).clone(),
                        ..best
                    };
                    kept = limbs;
                }
            }
            None => high = part,
        }
        part = if high.is_infinite() { low * 2.0 } else { (low + high) * 0.5 };
        if part < 1e-3 {
            break;
        }
    }
    pruned(document, &skin, &mut kept, &mut best);
    if best.keys[1] < keys {
        best.between = skin.between(document, &Shared::new(best.clip.clone()));
    }
    best
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;

    fn track(property: Property, values: Vec<f32>, width: usize, rate: f32) -> Track {
        let times = (0..values.len() / width).map(|k| k as f32 / rate).collect();
        let (kinds, modes) = Default::default();
        Track {
            target: NodeId(0),
            property,
            interpolation: Interpolation::Linear,
            times,
            values: values.into(),
            width,
            kinds,
            modes,
        }
    }

    /// A cubic curve needs only one segment, and the fit finds its slopes.
    #[test]
    fn a_cubic_is_fitted_by_one_segment_with_its_tangents() {
        let curve = |t: f32| 2.0 * t * t * t - 3.0 * t * t + 0.5 * t + 1.0;
        let values: Vec<f32> = (0..=30).flat_map(|k| [curve(k as f32 / 30.0), 0.0, 0.0]).collect();
        let track = track(Property::Translation, values, 3, 30.0);
        let dense = Dense::of(TrackId(0), &track, &track.times, 1e-3);
        let (values, slopes) = dense.fit(&track.times, &[0, 30]);
        assert_eq!(values, [1.0, 0.0, 0.0, 0.5, 0.0, 0.0]);
        assert!((slopes[0] - 0.5).abs() < 0.02 && (slopes[3] - 0.5).abs() < 0.02, "{slopes:?}");
    }

    /// A swing of three turns has its keys at the extremes, and few others.
    #[test]
    fn a_swing_gets_keys_at_its_extremes() {
        let values: Vec<f32> = (0..=90)
            .flat_map(|k| {
                Quat::from_rotation_x((k as f32 / 90.0 * std::f32::consts::TAU * 1.5).sin())
                    .to_array()
            })
            .collect();
        let track = track(Property::Rotation, values, 4, 30.0);
        let dense = Dense::of(TrackId(0), &track, &track.times, 0.02);
        let dense = [&dense];
        let found = rests(&dense, &track.times);
        assert_eq!(found, [15, 45, 75]);
        let keys = needed(&dense, &track.times, &first_keys(&dense, &track.times, &[]), 1.0);
        let made = splines(&dense, &track.times, &keys);
        assert!(made[0].1.times.len() <= 10, "{:?}", made[0].1.times);
        let mut out = [0.0; 4];
        for k in 0..=90 {
            sample_into(&made[0].1, f64::from(track.times[k]), &mut out);
            assert!(apart(Property::Rotation, &out, dense[0].value(k)) <= 0.0201);
        }
    }
}
