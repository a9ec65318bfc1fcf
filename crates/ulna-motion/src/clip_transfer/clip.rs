//! Transfer of a whole clip to this document.

use std::collections::{BTreeMap, BTreeSet};

use super::{CarriedClip, ClipTransfer};
use crate::ancestors::above;
use ulna_model::{Clip, Goal, NodeId, Property, Shared, Track, TrackId};

impl ClipTransfer<'_> {
    /// Transfers a clip of the other document to this one.
    pub fn clip(&self, clip: &Clip) -> CarriedClip {
        let mut made = CarriedClip {
            // A pointer channel with a track is transferred as keys. It is also listed in `kept`,
            // so it is subtracted twice.
            left_out: clip.pointers.len() + clip.kept.len()
                - 2 * clip.pointers.iter().filter(|p| p.track.is_some()).count(),
            ..CarriedClip::default()
        };
        let mut tracks: Vec<Shared<Track>> = Vec::new();
        let mut of: BTreeMap<NodeId, Vec<&Shared<Track>>> = BTreeMap::new();
        for track in
            clip.tracks.values().chain(clip.pointers.iter().filter_map(|p| p.track.as_ref()))
        {
            of.entry(track.target).or_default().push(track);
        }
        let moves = |n: NodeId| {
            of.get(&n).is_some_and(|t| t.iter().any(|t| t.property != Property::Weights))
        };
        let joints = self.ours.joint_flags();
        for pair in &self.pairs {
            // Whether a moving node without a counterpart is between the joint and its nearest
            // ancestor with a counterpart.
            let loose =
                above(self.theirs, pair.from).take_while(|n| !self.to.contains_key(n)).any(moves);
            let own = of.get(&pair.from).map_or(&[][..], |t| &t[..]);
            if loose || !(pair.is_same || self.hang_alike(pair)) {
                if moves(pair.from) || loose {
                    tracks.extend(self.sampled(clip, pair, &mut made));
                    made.resampled.push(pair.to);
                    tracks.extend(
                        own.iter().filter(|t| t.property == Property::Scale).filter_map(|t| {
                            self.through(&self.constants(pair), pair, t, &mut made)
                        }),
                    );
                }
                continue;
            }
            let by = self.constants(pair);
            for track in own.iter().filter(|t| t.property != Property::Weights) {
                tracks.extend(self.through(&by, pair, track, &mut made));
            }
            if joints[pair.to.index()] {
                let is_free = |p: Property| own.iter().all(|t| t.property != p);
                tracks.extend(self.as_posed(&by, pair, &is_free));
            }
        }
        for to in self.options.spread.keys() {
            let Some(followed) = self.followed(*to) else { continue };
            if self.lines(followed).into_iter().any(moves) {
                tracks.extend(self.sampled_turns(clip, *to, followed));
                made.resampled.push(*to);
            }
        }
        let chained: BTreeSet<NodeId> =
            self.options.spread.values().flat_map(super::SpreadJoint::nodes).collect();
        for (node, own) in &of {
            for track in own.iter().filter(|t| t.property == Property::Weights) {
                tracks.extend(self.morphs(track, &mut made.lost_targets).map(Shared::new));
            }
            if !self.to.contains_key(node) && !chained.contains(node) && moves(*node) {
                made.lost.push(*node);
            }
        }
        // The motion of these nodes is included in the keys of the joints below them.
        let carried: BTreeSet<NodeId> = made
            .resampled
            .iter()
            .filter_map(|to| self.pairs.iter().find(|p| p.to == *to))
            .flat_map(|p| above(self.theirs, p.from).take_while(|n| !self.to.contains_key(n)))
            .collect();
        made.lost.retain(|n| !carried.contains(n));
        tracks.sort_by_key(|t| (t.target, t.property));
        tracks.dedup_by_key(|t| (t.target, t.property));
        made.clip = Clip {
            name: clip.name.clone(),
            tracks: tracks.into_iter().enumerate().map(|(k, t)| (TrackId(k as u32), t)).collect(),
            markers: clip.markers.clone(),
            contacts: self.contacts(&clip.contacts),
            repeat: clip.repeat,
            ticks: clip.ticks,
            rate: clip.rate,
            ..Clip::default()
        };
        made
    }

    /// Transfers the contacts of joints that both documents have. Their positions are cleared,
    /// since the transferred clip defines them.
    fn contacts(&self, all: &[Goal]) -> Shared<[Goal]> {
        let to = |node: NodeId| self.to.get(&node).map(|k| self.pairs[*k].to);
        let made = all.iter().filter_map(|goal| {
            let space = match goal.space {
                None => None,
                Some(space) => Some(to(space)?),
            };
            Some(Goal { node: to(goal.node)?, space, place: None, ..goal.clone() })
        });
        Goal::in_order(made.collect()).into()
    }
}
