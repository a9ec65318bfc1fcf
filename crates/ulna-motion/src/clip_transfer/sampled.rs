//! Resampling of joints whose keys cannot be converted one by one. Their nearest ancestor with a
//! counterpart differs in both documents, or moving nodes without a counterpart are above them. The
//! new keys are at the key times of all nodes in between.

use std::collections::BTreeSet;

use glam::{DMat4, Quat, Vec3};

use super::{CarriedClip, ClipTransfer, JointPair, spread::SpreadJoint, standing::carrier};
use crate::{ancestors::above, sample_into};
use ulna_model::{Clip, Interpolation, NodeId, Property, Shared, Track, transform::unit_or};

impl ClipTransfer<'_> {
    /// Samples the rotations of a joint relative to its nearest ancestor with a counterpart. For a
    /// root, also samples its path through the scene.
    pub(super) fn sampled(
        &self,
        clip: &Clip,
        pair: &JointPair,
        made: &mut CarriedClip,
    ) -> Vec<Shared<Track>> {
        let own = self.line(pair.from);
        let mut tracks = self.sampled_turns(clip, pair.to, Followed::Joint(pair.from));
        let by = self.constants(pair);
        let here = carrier(self.ours, pair.to, |n| self.taken.contains(&n));
        if here.is_none() {
            tracks.extend(self.sampled_way(clip, pair, &own));
        } else if let Some((_, own)) = clip.track(pair.from, Property::Translation) {
            tracks.extend(self.through(&by, pair, own, made));
        }
        tracks
    }

    /// Returns a joint of the other document and all its ancestors.
    fn line(&self, from: NodeId) -> Vec<NodeId> {
        std::iter::once(from).chain(above(self.theirs, from)).collect()
    }

    /// Finds the source of a joint of this document: a joint or a chain of the other document.
    pub(super) fn followed(&self, to: NodeId) -> Option<Followed<'_>> {
        match self.options.spread.get(&to) {
            Some(spread) => Some(Followed::Chain(spread)),
            None => self.pairs.iter().find(|p| p.to == to).map(|p| Followed::Joint(p.from)),
        }
    }

    /// Returns the nodes of the other document that rotate the source of a joint.
    pub(super) fn lines(&self, followed: Followed<'_>) -> BTreeSet<NodeId> {
        match followed {
            Followed::Joint(from) => self.line(from).into_iter().collect(),
            Followed::Chain(spread) => spread.nodes().flat_map(|n| self.line(n)).collect(),
        }
    }

    /// Scene rotation of the source of a joint at a time, relative to its reference pose.
    fn turn_of(&self, clip: &Clip, followed: Followed<'_>, time: f32) -> Quat {
        let turn = |from: NodeId| {
            let whole = above(self.theirs, from)
                .fold(self.turn_at(clip, from, time), |below, n| {
                    self.turn_at(clip, n, time) * self.stands[0].flip(n) * below
                });
            self.turned * whole * (self.turned * self.stands[0].rotation[from.index()]).conjugate()
        };
        match followed {
            Followed::Joint(from) => turn(from),
            Followed::Chain(spread) => spread.between(turn),
        }
    }

    /// Returns the key times of some properties of some nodes.
    fn times_of(&self, clip: &Clip, nodes: &BTreeSet<NodeId>, of: &[Property]) -> Vec<f32> {
        let mut times: Vec<f32> = clip
            .tracks
            .values()
            .filter(|t| nodes.contains(&t.target) && of.contains(&t.property))
            .flat_map(|t| t.times.iter().copied())
            .collect();
        times.sort_by(f32::total_cmp);
        times.dedup();
        times
    }

    /// Samples the rotations of a joint of this document relative to its nearest ancestor with a
    /// counterpart.
    pub(super) fn sampled_turns(
        &self,
        clip: &Clip,
        to: NodeId,
        followed: Followed<'_>,
    ) -> Vec<Shared<Track>> {
        let here = carrier(self.ours, to, |n| self.taken.contains(&n));
        let there = here.and_then(|h| self.followed(h));
        let (own, base) = (self.lines(followed), there.map(|t| self.lines(t)).unwrap_or_default());
        // Common ancestors rotate both the joint and its ancestor, so their rotations cancel out.
        // In a chain, they rotate each joint differently.
        let is_joint = |f: &Followed<'_>| matches!(f, Followed::Joint(_));
        let both = is_joint(&followed) && there.as_ref().is_none_or(is_joint);
        let nodes: BTreeSet<NodeId> = if both {
            own.symmetric_difference(&base).copied().collect()
        } else {
            own.union(&base).copied().collect()
        };
        let above_here = self.frame_here(to);
        let times = self.times_of(clip, &nodes, &[Property::Rotation]);
        let mut before = Quat::IDENTITY;
        let values = times.iter().flat_map(|time| {
            let over = there.map_or(Quat::IDENTITY, |t| self.turn_of(clip, t, *time)).conjugate()
                * self.turn_of(clip, followed, *time);
            let turn = above_here.conjugate() * over * self.aligned[to.index()];
            let turn = unit_or(turn, Quat::IDENTITY);
            let turn = if turn.dot(before) < 0.0 { -turn } else { turn };
            before = turn;
            turn.to_array()
        });
        let values: Vec<f32> = values.collect();
        track(to, Property::Rotation, times, values).into_iter().collect()
    }

    /// Samples the path of a root through the scene.
    fn sampled_way(&self, clip: &Clip, pair: &JointPair, own: &[NodeId]) -> Option<Shared<Track>> {
        let by = self.constants(pair);
        let above_here = self.frame_here(pair.to);
        let nodes: BTreeSet<NodeId> = own.iter().copied().collect();
        let of = [Property::Translation, Property::Rotation, Property::Scale];
        let times = self.times_of(clip, &nodes, &of);
        let rest = self.stands[0].place(pair.from);
        let unit = self.stands[1].parent(self.ours, pair.to).1.max(f32::MIN_POSITIVE);
        let place = |time: f32| -> Vec3 {
            let world =
                own.iter().fold(DMat4::IDENTITY, |below, n| self.local_at(clip, *n, time) * below);
            world.w_axis.truncate().as_vec3()
        };
        let factors = match &self.options.travel {
            Some((nodes, factors)) if nodes.contains(&pair.to) => *factors,
            _ => Vec3::splat(self.ratio),
        };
        let values: Vec<f32> = times
            .iter()
            .flat_map(|time| {
                let way = self.way_here(place(*time) - rest) * factors;
                (by.to.translation + above_here.conjugate() * way / unit).to_array()
            })
            .collect();
        track(pair.to, Property::Translation, times, values)
    }

    fn turn_at(&self, clip: &Clip, node: NodeId, time: f32) -> Quat {
        match clip.track(node, Property::Rotation) {
            Some((_, track)) => {
                let mut value = [0.0; 4];
                sample_into(track, f64::from(time), &mut value);
                unit_or(Quat::from_array(value), Quat::IDENTITY)
            }
            None => unit_or(self.theirs.node(node).local().transform().rotation, Quat::IDENTITY),
        }
    }

    fn local_at(&self, clip: &Clip, node: NodeId, time: f32) -> DMat4 {
        let mut local = self.theirs.node(node).local().transform();
        let vector = |property: Property, old: Vec3| match clip.track(node, property) {
            Some((_, track)) => {
                let mut value = [0.0; 3];
                sample_into(track, f64::from(time), &mut value);
                Vec3::from_array(value)
            }
            None => old,
        };
        local.translation = vector(Property::Translation, local.translation);
        local.scale = vector(Property::Scale, local.scale);
        local.rotation = self.turn_at(clip, node, time);
        local.matrix().as_dmat4()
    }
}

/// Source of a joint: a joint of the other document, or a chain sampled at the joint's position
/// along it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Followed<'a> {
    Joint(NodeId),
    Chain(&'a SpreadJoint),
}

/// Creates a LINEAR track; `None` without keys.
fn track(
    target: NodeId,
    property: Property,
    times: Vec<f32>,
    values: Vec<f32>,
) -> Option<Shared<Track>> {
    (!times.is_empty()).then(|| {
        Shared::new(Track {
            target,
            property,
            interpolation: Interpolation::Linear,
            width: values.len() / times.len(),
            times: times.into(),
            values: values.into(),
            kinds: Default::default(),
            modes: Default::default(),
        })
    })
}
