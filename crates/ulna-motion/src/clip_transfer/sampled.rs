//! Keys of a joint that hangs on other things here than there, or on things that move and have no
//! counterpart: made at the times of all that is between.

use std::collections::BTreeSet;

use glam::{DMat4, Quat, Vec3};

use super::{CarriedClip, ClipTransfer, JointPair, standing::carrier};
use crate::{ancestors::above, sample_into};
use ulna_model::{Clip, Interpolation, NodeId, Property, Shared, Track, transform::unit_or};

impl ClipTransfer<'_> {
    /// Turns of a joint over what its counterpart hangs on; for a root its way through the scene,
    /// too.
    pub(super) fn sampled(
        &self,
        clip: &Clip,
        pair: &JointPair,
        made: &mut CarriedClip,
    ) -> Vec<Shared<Track>> {
        let here = carrier(self.ours, pair.to, |n| self.taken.contains(&n));
        let there = here.and_then(|h| self.pairs.iter().find(|p| p.to == h)).map(|p| p.from);
        let chain = |from: NodeId| {
            std::iter::once(from).chain(above(self.theirs, from)).collect::<Vec<_>>()
        };
        let (own, base) = (chain(pair.from), there.map(chain).unwrap_or_default());
        // What both hang on takes both along.
        let nodes: BTreeSet<NodeId> = own
            .iter()
            .filter(|n| !base.contains(n))
            .chain(base.iter().filter(|n| !own.contains(n)))
            .copied()
            .collect();
        let times = |properties: &[Property]| {
            let mut times: Vec<f32> = clip
                .tracks
                .values()
                .filter(|t| nodes.contains(&t.target) && properties.contains(&t.property))
                .flat_map(|t| t.times.iter().copied())
                .collect();
            times.sort_by(f32::total_cmp);
            times.dedup();
            times
        };
        let turn = |from: NodeId, time: f32| {
            let whole = chain(from)
                .into_iter()
                .fold(Quat::IDENTITY, |below, n| self.turn_at(clip, n, time) * below);
            self.turned * whole * (self.turned * self.stands[0].rotation[from.index()]).conjugate()
        };
        let above_here =
            self.ours.node(pair.to).parent.map_or(Quat::IDENTITY, |p| self.aligned[p.index()]);
        let mut tracks = Vec::new();
        let mut track = |property, times: Vec<f32>, values: Vec<f32>| {
            if !times.is_empty() {
                tracks.push(Shared::new(Track {
                    target: pair.to,
                    property,
                    interpolation: Interpolation::Linear,
                    width: values.len() / times.len(),
                    times: times.into(),
                    values: values.into(),
                    kinds: Default::default(),
                    modes: Default::default(),
                }));
            }
        };
        let turns = times(&[Property::Rotation]);
        let values = turns.iter().flat_map(|time| {
            let over = there.map_or(Quat::IDENTITY, |n| turn(n, *time)).conjugate()
                * turn(pair.from, *time);
            unit_or(above_here.conjugate() * over * self.aligned[pair.to.index()], Quat::IDENTITY)
                .to_array()
        });
        let values: Vec<f32> = values.collect();
        track(Property::Rotation, turns, values);
        let by = self.constants(pair);
        if there.is_none() {
            let ways = times(&[Property::Translation, Property::Rotation, Property::Scale]);
            let rest = self.stands[0].place(pair.from);
            let unit = self.stands[1].parent(self.ours, pair.to).1.max(f32::MIN_POSITIVE);
            let place = |time: f32| -> Vec3 {
                let world = own
                    .iter()
                    .fold(DMat4::IDENTITY, |below, n| self.local_at(clip, *n, time) * below);
                world.w_axis.truncate().as_vec3()
            };
            let values: Vec<f32> = ways
                .iter()
                .flat_map(|time| {
                    let way = self.turned * (place(*time) - rest) * self.ratio;
                    (by.to.translation + above_here.conjugate() * way / unit).to_array()
                })
                .collect();
            track(Property::Translation, ways, values);
        } else if let Some((_, own)) = clip.track(pair.from, Property::Translation) {
            tracks.extend(self.through(&by, pair, own, made));
        }
        tracks
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
