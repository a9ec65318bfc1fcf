//! Keys of a hold: existing keys get new values, and keys are inserted on frames as needed.

use std::collections::BTreeSet;

use glam::Vec3;

use super::hold::{Hold, Piece, SAME};
use crate::{
    Evaluator, Pose, Stack,
    clip_edit::{Tangents, with_tangents},
    ik::{Goal, solve},
    insert_key,
};
use ulna_model::{Clip, Interpolation, NodeId, Property, Shared, Track, TrackId, UnkeyedAt};

/// Minimum distance of inserted keys, seconds.
const FINEST: f32 = 1.0 / 480.0;

impl Hold<'_> {
    /// Returns the clip in which the node is held.
    pub(super) fn made(&self, pieces: &[Piece]) -> Clip {
        let mut clip = (**self.clip).clone();
        let windows = self.windows(pieces);
        let Some(first) = windows.first() else { return clip };
        let ids = self.tracks(&mut clip, first.0);
        for window in &windows {
            self.fill(&mut clip, &ids, pieces, *window);
        }
        clip
    }

    /// Finds the rotation tracks of the limb. Missing tracks are created with one key.
    fn tracks(&self, clip: &mut Clip, at: f32) -> Vec<(NodeId, TrackId)> {
        let turning = self.limb.turns.iter().map(|k| self.limb.nodes[*k]).chain(self.limb.end());
        let mut ids = Vec::new();
        for node in turning {
            let id = clip.track(node, Property::Rotation).map(|(id, _)| id);
            let id = id.unwrap_or_else(|| {
                let id = clip.free_track_id();
                let now = self.document.node(node).local().transform().rotation;
                let track = Track {
                    target: node,
                    property: Property::Rotation,
                    interpolation: Interpolation::Linear,
                    times: [at].into(),
                    values: now.to_array().to_vec().into(),
                    width: 4,
                    kinds: Default::default(),
                    modes: Default::default(),
                };
                clip.tracks.insert(id, Shared::new(track));
                id
            });
            ids.push((node, id));
        }
        ids
    }

    /// Sets keys in a part of the clip: changes existing keys, and adds as many as needed.
    fn fill(
        &self,
        clip: &mut Clip,
        ids: &[(NodeId, TrackId)],
        pieces: &[Piece],
        (begin, end): (f32, f32),
    ) {
        let within = |t: f32| t >= begin - UnkeyedAt::NEAR && t <= end + UnkeyedAt::NEAR;
        let edges = pieces.iter().flat_map(|p| self.within(p.range)).flat_map(|r| [r.from, r.to]);
        let edges: Vec<f32> =
            [begin, end].into_iter().chain(edges.filter(|t| within(*t))).collect();
        for (_, id) in ids {
            if let Some(track) = clip.tracks.get_mut(id) {
                let mut made = (**track).clone();
                for time in &edges {
                    made = insert_key(&made, *time, None, self.holding.between).track;
                }
                *track = Shared::new(made);
            }
        }
        let mut times: BTreeSet<u32> = BTreeSet::new();
        for track in ids.iter().filter_map(|(_, id)| clip.tracks.get(id)) {
            times.extend(track.times.iter().filter(|t| within(**t)).map(|t| t.max(0.0).to_bits()));
        }
        let Some(node) = self.limb.end() else { return };
        let (mut before, mut pose) = (Evaluator::default(), Pose::default());
        let mut fresh: Vec<f32> = times.iter().map(|bits| f32::from_bits(*bits)).collect();
        for _ in 0..12 {
            for time in &fresh {
                before.update(
                    self.document,
                    &Stack::of(Some(self.clip), f64::from(*time)),
                    &mut pose,
                );
                let world = pose.world[node.index()];
                let now = world.w_axis.truncate();
                let Some(offset) = self.offset(pieces, *time, now) else { continue };
                let target = now + offset;
                let goal =
                    Goal { tip: Vec3::ZERO, target, swivel: 0.0, keeps: Some(world), soft: false };
                for (turned, rotation) in solve(self.document, &pose, &self.limb, &goal).rotations {
                    if let Some((_, id)) = ids.iter().find(|(n, _)| *n == turned) {
                        put(clip, *id, *time, rotation.to_array());
                    }
                }
            }
            for (_, id) in ids {
                smooth(clip, *id, &times, begin, end);
            }
            fresh = self.missing(clip, pieces, &times);
            if fresh.is_empty() {
                return;
            }
            times.extend(fresh.iter().map(|t| t.to_bits()));
        }
    }

    /// Finds the times at which additional keys are needed.
    fn missing(&self, clip: &Clip, pieces: &[Piece], times: &BTreeSet<u32>) -> Vec<f32> {
        let made = Shared::new(clip.clone());
        let Some(node) = self.limb.end() else { return Vec::new() };
        let (mut after, mut before) = (Evaluator::default(), Evaluator::default());
        let (mut is, mut was) = (Pose::default(), Pose::default());
        let mut off = |time: f32| {
            after.update(self.document, &Stack::of(Some(&made), f64::from(time)), &mut is);
            before.update(self.document, &Stack::of(Some(self.clip), f64::from(time)), &mut was);
            let place = |pose: &Pose| pose.world[node.index()].w_axis.truncate();
            let now = place(&was);
            place(&is).distance(now + self.offset(pieces, time, now).unwrap_or_default())
        };
        let held = |time: f32| {
            let parts = pieces.iter().flat_map(|p| self.within(p.range));
            parts.into_iter().any(|r| time >= r.from - SAME && time <= r.to + SAME)
        };
        let list: Vec<f32> = times.iter().map(|bits| f32::from_bits(*bits)).collect();
        let mut found = Vec::new();
        for pair in list.windows(2) {
            // During a transition, larger deviations are invisible.
            let most =
                self.holding.tolerance * if held(pair[0]) && held(pair[1]) { 0.8 } else { 16.0 };
            let (low, high) = (pair[0] + 0.5 * self.frame, pair[1] - 0.5 * self.frame);
            let between: Vec<f32> =
                self.times.iter().copied().filter(|t| *t > low && *t < high).collect();
            if !between.is_empty() {
                if between.iter().any(|t| off(*t) > most) {
                    found.push(between[between.len() / 2]);
                }
            } else if self.holding.between && pair[1] - pair[0] > 2.0 * FINEST {
                let at = |part: f32| pair[0] + (pair[1] - pair[0]) * part;
                if [0.25, 0.5, 0.75].into_iter().any(|part| off(at(part)) > most) {
                    found.push(at(0.5));
                }
            }
        }
        found
    }
}

/// Sets a rotation at a time. The sign of the quaternion is consistent with the previous key.
fn put(clip: &mut Clip, id: TrackId, time: f32, mut value: [f32; 4]) {
    let Some(track) = clip.tracks.get_mut(&id) else { return };
    let before = track.value(track.times.partition_point(|t| *t < time).saturating_sub(1));
    if before.iter().zip(&value).map(|(a, b)| a * b).sum::<f32>() < 0.0 {
        value = value.map(|v| -v);
    }
    *track = Shared::new(insert_key(track, time, Some(&value), false).track);
}

/// Sets automatic tangents for the keys inside a range of a CUBICSPLINE track. Keys at both ends
/// are unchanged.
fn smooth(clip: &mut Clip, id: TrackId, times: &BTreeSet<u32>, begin: f32, end: f32) {
    let Some(track) = clip.tracks.get_mut(&id) else { return };
    if track.interpolation != Interpolation::CubicSpline {
        return;
    }
    let inside: Vec<f32> = times
        .iter()
        .map(|bits| f32::from_bits(*bits))
        .filter(|t| *t > begin + UnkeyedAt::NEAR && *t < end - UnkeyedAt::NEAR)
        .collect();
    *track = Shared::new(with_tangents(track, &inside, Tangents::Auto));
}
