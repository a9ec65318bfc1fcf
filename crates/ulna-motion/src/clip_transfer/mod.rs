//! Clips taken to another skeleton: from a file of animations to a character, from one rig to
//! another.
//!
//! Joints are found by name, or by what part of a body they are. Where a joint rests as its
//! counterpart does, its keys are taken as they are, to the bit. Where it does not, they go through
//! constants, the mirror's function with no reflection (see [`super::mirror`]):
//!
//! ```text
//!  r' = R_q'⁻¹·R_q · r · R_j⁻¹·R_p        t' = t_p,rest + k · R_q'⁻¹·R_q · (t − t_j,rest)
//! ```
//!
//! with `R` the rotations in the scene of `j`, of its counterpart `p`, and of what they hang on,
//! `q` and `q'`, as they stand ([`standing`]), and `k` the ratio of heights and units. Being
//! constants they go through keys and tangents alike: same times, same number. Two things are put
//! right before: a skeleton that lies along other axes is turned as a whole, by right angles; and
//! arms, legs and fingers that rest in another direction (T-pose, A-pose) are told from where the
//! other's rest. Only where nodes between two joints move that have no counterpart are keys made at
//! the times of all of them, and that is said.

mod sampled;
mod standing;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use glam::{Quat, Vec3};

use self::standing::{Standing, axis_turns, carrier};
use super::{
    counterparts::mapped_roles,
    humanoid::BodyPart,
    mirror::{is_uneven, swapped},
    transfer::{FoundBy, Sought, above, pairs, posable, roles_of, target_name},
};
use ulna_model::{
    Clip, Document, Interpolation, NodeId, Property, Shared, Track, TrackId, Transform,
    transform::{angle_between, unit_or},
};

/// How keys come over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeysBy {
    /// As they are where joints rest alike, through the rests elsewhere.
    #[default]
    Rests,
    /// As they are.
    Copy,
}

/// A joint and its counterpart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointPair {
    /// There.
    pub from: NodeId,
    /// Here.
    pub to: NodeId,
    /// What it was found by.
    pub by: FoundBy,
    /// Whether both rest alike, so that keys are taken as they are.
    pub is_same: bool,
}

/// A clip that was taken over.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CarriedClip {
    /// The clip; its tracks name nodes of the other document.
    pub clip: Clip,
    /// Nodes there that it moves, and that have no counterpart.
    pub lost: Vec<NodeId>,
    /// Names of morph targets that it moves, and that no mesh here has.
    pub lost_targets: Vec<String>,
    /// Joints here whose keys had to be made anew, since nodes without counterpart move between
    /// them.
    pub resampled: Vec<NodeId>,
    /// How many scales could not be taken over, since the axes of both joints do not lie on one
    /// another.
    pub scales_left: usize,
    /// How many of its channels move something that is no node, or are packed so that they cannot
    /// be taken.
    pub left_out: usize,
}

/// What goes before and after the values of a joint.
#[derive(Clone, Copy, Debug)]
struct Constants {
    left: Quat,
    right: Quat,
    /// Lengths here in one there.
    length: f32,
    /// How both stand.
    from: Transform,
    to: Transform,
}

impl Constants {
    fn rotation(&self, r: Quat) -> Quat {
        self.left * r * self.right
    }

    fn translation(&self, t: Vec3, is_way: bool) -> Vec3 {
        let (from, to) = if is_way {
            (Vec3::ZERO, Vec3::ZERO)
        } else {
            (self.from.translation, self.to.translation)
        };
        to + self.left * (t - from) * self.length
    }

    fn scale(&self, s: Vec3) -> Option<Vec3> {
        let factor = s / self.from.scale;
        let along = if is_uneven(factor) { swapped(self.right, factor)? } else { factor };
        along.is_finite().then(|| self.to.scale * along)
    }
}

/// Two skeletons, and what is what.
pub struct ClipTransfer<'a> {
    theirs: &'a Document,
    ours: &'a Document,
    pairs: Vec<JointPair>,
    /// Counterparts, by node there.
    to: HashMap<NodeId, usize>,
    /// Nodes here that have one.
    taken: BTreeSet<NodeId>,
    stands: [Standing; 2],
    /// How the other skeleton is turned as a whole.
    turned: Quat,
    /// Rotations in the scene here, limbs directed as there.
    aligned: Vec<Quat>,
    ratio: f32,
}

impl<'a> ClipTransfer<'a> {
    /// From one document to another. `chosen`: what some nodes there are here, whatever their
    /// names; none where it is left out.
    pub fn new(
        theirs: &'a Document,
        ours: &'a Document,
        how: KeysBy,
        chosen: &BTreeMap<NodeId, Option<NodeId>>,
    ) -> Self {
        let found = matched(theirs, ours, chosen);
        let meant: BTreeSet<NodeId> = found.iter().map(|(from, ..)| *from).collect();
        let taken: BTreeSet<NodeId> = found.iter().map(|(_, to, _)| *to).collect();
        let stands = [
            Standing::of(theirs, &|n| meant.contains(&n)),
            Standing::of(ours, &|n| taken.contains(&n)),
        ];
        let pairs: Vec<JointPair> = found
            .into_iter()
            .map(|(from, to, by)| JointPair { from, to, by, is_same: how == KeysBy::Copy })
            .collect();
        let to = pairs.iter().enumerate().map(|(k, p)| (p.from, k)).collect();
        let ratio = stands[1].height / stands[0].height;
        let ratio = if ratio.is_finite() && (ratio - 1.0).abs() > 1e-3 { ratio } else { 1.0 };
        let aligned = stands[1].rotation.clone();
        let mut made =
            Self { theirs, ours, pairs, to, taken, stands, turned: Quat::IDENTITY, aligned, ratio };
        let is_one = made.find_same(how);
        if made.pairs.iter().any(|p| !p.is_same) {
            made.turn_whole();
            if !is_one {
                made.recheck_same();
            }
            made.align_limbs();
        }
        made
    }

    /// Joints with a counterpart, those above first.
    pub fn pairs(&self) -> &[JointPair] {
        &self.pairs
    }

    /// Whether hips, arms and legs here all have a counterpart among these nodes.
    pub fn finds_body(&self, moved: &BTreeSet<NodeId>) -> bool {
        /// Hips, and two parts of each arm and leg: one may be missing from a skeleton.
        const PARTS: usize = 8;
        let is_body = |p: BodyPart| {
            matches!(
                p,
                BodyPart::Hips
                    | BodyPart::UpperArm
                    | BodyPart::LowerArm
                    | BodyPart::Thigh
                    | BodyPart::Shin
            )
        };
        let body: Vec<NodeId> = roles_of(self.ours)
            .into_iter()
            .filter(|(_, r)| r.is_some_and(|r| is_body(r.part)))
            .map(|(n, _)| n)
            .collect();
        let found =
            |node: &NodeId| self.pairs.iter().any(|p| p.to == *node && moved.contains(&p.from));
        body.len() >= PARTS && body.iter().all(found)
    }

    /// By what travel is multiplied, in the scene.
    pub const fn ratio(&self) -> f32 {
        self.ratio
    }

    fn pair_of(&self, from: NodeId) -> Option<&JointPair> {
        self.to.get(&from).map(|k| &self.pairs[*k])
    }

    /// Whether both hang on counterparts, or on nothing that has one.
    fn hang_alike(&self, pair: &JointPair) -> bool {
        let there = carrier(self.theirs, pair.from, |n| self.to.contains_key(&n));
        let here = carrier(self.ours, pair.to, |n| self.taken.contains(&n));
        there.and_then(|n| self.pair_of(n)).map(|p| p.to) == here
    }

    /// Whether both hang on the same thing with nothing between.
    fn are_neighbors(&self, pair: &JointPair) -> bool {
        let parents = (self.theirs.node(pair.from).parent, self.ours.node(pair.to).parent);
        match parents {
            (Some(there), Some(here)) => {
                self.pair_of(there).map_or(self.is_root(pair), |p| p.to == here)
            }
            (None, None) => true,
            _ => self.is_root(pair),
        }
    }

    /// Whether nothing above either of them has a counterpart.
    fn is_root(&self, pair: &JointPair) -> bool {
        !above(self.theirs, pair.from).any(|n| self.to.contains_key(&n))
            && !above(self.ours, pair.to).any(|n| self.taken.contains(&n))
    }

    /// Finds the joints that rest alike; whether that is nearly all of them, so that both skeletons
    /// are one.
    fn find_same(&mut self, how: KeysBy) -> bool {
        /// Radians, and parts of a length: what another program's rounding leaves.
        const NEAR: f32 = 1e-3;
        /// As many of the joints as make two skeletons one.
        const NEARLY_ALL: f32 = 0.9;
        if how == KeysBy::Copy {
            return true;
        }
        let close = |a: &Transform, b: &Transform| {
            a.is_close(b, NEAR, NEAR * a.translation.length().max(b.translation.length()).max(1e-6))
        };
        let [there, here] = &self.stands;
        let mut roots = Vec::new();
        let (mut same, mut rest, mut lengths, mut parts) = (vec![false; self.pairs.len()], 0, 0, 0);
        for (k, pair) in self.pairs.iter().enumerate() {
            if !self.are_neighbors(pair) {
                continue;
            }
            let rests =
                [self.theirs.node(pair.from), self.ours.node(pair.to)].map(|n| n.rest.transform());
            let bound = (there.bound[pair.from.index()], here.bound[pair.to.index()]);
            let is_same =
                close(&rests[0], &rests[1]) || matches!(bound, (Some(a), Some(b)) if close(&a, &b));
            if self.is_root(pair) {
                if is_same {
                    roots.push(k);
                }
                continue;
            }
            same[k] = is_same;
            rest += usize::from(is_same);
            parts += 1;
            let [a, b] = rests.map(|r| r.translation);
            lengths +=
                usize::from(a.distance(b) <= NEAR * a.length().max(b.length()) && a.length() > 0.0);
        }
        let share = |n: usize| parts > 0 && n as f32 >= NEARLY_ALL * parts as f32;
        for k in roots {
            let pair = self.pairs[k];
            let units = [there.parent(self.theirs, pair.from).1, here.parent(self.ours, pair.to).1];
            // A whole skeleton that stands elsewhere, or is scaled as a whole, moves as it did.
            same[k] = share(rest) || (units[0] - units[1]).abs() <= NEAR * units[1].abs();
        }
        // A file of animations without a skin may stand anywhere; bones of the same lengths along
        // the same axes are the same bones.
        let unbound = self.pairs.iter().all(|p| there.bound[p.from.index()].is_none());
        let is_one = share(rest) || (unbound && parts >= 4 && share(lengths));
        if unbound && parts >= 4 && share(lengths) {
            for (k, pair) in self.pairs.iter().enumerate() {
                same[k] |= pair.by != FoundBy::Role && self.are_neighbors(pair);
            }
        }
        for (pair, is_same) in self.pairs.iter_mut().zip(same) {
            pair.is_same = is_same;
        }
        is_one
    }

    /// Takes joints out of those that rest alike whose axes lie otherwise in the scene: a shin
    /// points down in a body that faces +Z and in one that faces −Z (VRM 0), and bends about axes
    /// that point to opposite sides.
    fn recheck_same(&mut self) {
        /// Radians.
        const LEAST: f32 = 0.1;
        if self.turned == Quat::IDENTITY {
            return;
        }
        let is_off = |turn: Quat| angle_between(turn, Quat::IDENTITY) > LEAST;
        let same: Vec<bool> = self
            .pairs
            .iter()
            .map(|pair| {
                let by = self.constants(pair);
                pair.is_same && !is_off(by.left) && !is_off(by.right)
            })
            .collect();
        for (pair, same) in self.pairs.iter_mut().zip(same) {
            pair.is_same = same;
        }
    }

    /// Finds how the other skeleton lies, where it lies along other axes.
    fn turn_whole(&mut self) {
        /// How much better another way must fit, of 1.
        const BETTER: f32 = 0.1;
        if self.pairs.len() < 4 {
            return;
        }
        let places = |side: usize| {
            let of = |p: &JointPair| self.stands[side].place(if side == 0 { p.from } else { p.to });
            let mean = self.pairs.iter().map(of).sum::<Vec3>() / self.pairs.len() as f32;
            self.pairs.iter().map(|p| of(p) - mean).collect::<Vec<_>>()
        };
        let (there, here) = (places(0), places(1));
        let size = |list: &[Vec3]| list.iter().map(|v| v.length_squared()).sum::<f32>().sqrt();
        let both = size(&there) * size(&here);
        if !both.is_finite() || both <= 0.0 {
            return;
        }
        let fit = |turn: Quat| {
            there.iter().zip(&here).map(|(a, b)| (turn * *a).dot(*b)).sum::<f32>() / both
        };
        let best = axis_turns().map(|t| (t, fit(t))).max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((turn, share)) = best
            && share > fit(Quat::IDENTITY) + BETTER
        {
            self.turned = turn;
        }
    }

    /// Directs arms, legs and fingers as they rest there.
    fn align_limbs(&mut self) {
        /// Less is how bodies differ, radians.
        const LEAST: f32 = 0.17;
        let roles: HashMap<NodeId, BodyPart> =
            roles_of(self.ours).into_iter().filter_map(|(n, r)| Some((n, r?.part))).collect();
        let is_limb = |part: BodyPart| {
            matches!(
                part,
                BodyPart::UpperArm
                    | BodyPart::LowerArm
                    | BodyPart::Thigh
                    | BodyPart::Shin
                    | BodyPart::Finger(_)
            )
        };
        let mut turns: HashMap<NodeId, Quat> = HashMap::new();
        for pair in &self.pairs {
            let Some(part) = roles.get(&pair.to).copied() else { continue };
            // The next of the limb: the one counterpart that hangs on it.
            let mut next = self.pairs.iter().filter(|p| {
                carrier(self.ours, p.to, |n| self.taken.contains(&n)) == Some(pair.to)
                    && self.hang_alike(p)
            });
            let way = |side: usize, a: NodeId, b: NodeId| {
                (self.stands[side].place(b) - self.stands[side].place(a)).try_normalize()
            };
            let own = match (next.next(), next.next()) {
                (Some(only), None) if is_limb(part) => {
                    let there = way(0, pair.from, only.from).map(|w| self.turned * w);
                    there
                        .zip(way(1, pair.to, only.to))
                        .map(|(there, here)| Quat::from_rotation_arc(here, there))
                }
                _ => None,
            };
            let own = own.filter(|turn| angle_between(*turn, Quat::IDENTITY) > LEAST);
            let above = carrier(self.ours, pair.to, |n| self.taken.contains(&n))
                .and_then(|n| turns.get(&n))
                .copied();
            let follows = matches!(part, BodyPart::Hand | BodyPart::Finger(_));
            if let Some(turn) = own.or_else(|| above.filter(|_| follows)) {
                turns.insert(pair.to, turn);
            }
        }
        for node in self.ours.nodes.order().iter().copied() {
            let own = if self.taken.contains(&node) {
                Some(node)
            } else {
                carrier(self.ours, node, |n| self.taken.contains(&n))
            };
            if let Some(turn) = own.and_then(|n| turns.get(&n)) {
                self.aligned[node.index()] = *turn * self.stands[1].rotation[node.index()];
            }
        }
    }

    fn constants(&self, pair: &JointPair) -> Constants {
        let [there, here] = &self.stands;
        let (their_parent, their_unit) = there.parent(self.theirs, pair.from);
        let our_parent =
            self.ours.node(pair.to).parent.map_or(Quat::IDENTITY, |p| self.aligned[p.index()]);
        let our_unit = here.parent(self.ours, pair.to).1;
        let length = if our_unit > 0.0 { their_unit * self.ratio / our_unit } else { 1.0 };
        Constants {
            left: our_parent.conjugate() * self.turned * their_parent,
            right: (self.turned * there.rotation[pair.from.index()]).conjugate()
                * self.aligned[pair.to.index()],
            length,
            from: there.local[pair.from.index()],
            to: here.local[pair.to.index()],
        }
    }

    /// A clip of the other document, for this one.
    pub fn clip(&self, clip: &Clip) -> CarriedClip {
        let mut made = CarriedClip {
            // What pointers play is kept, too, and comes over as keys.
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
            // What moves between it and what it hangs on, without being anything here.
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
        for (node, own) in &of {
            for track in own.iter().filter(|t| t.property == Property::Weights) {
                tracks.extend(self.morphs(track, &mut made.lost_targets).map(Shared::new));
            }
            if !self.to.contains_key(node) && moves(*node) {
                made.lost.push(*node);
            }
        }
        // Their travel went into what hangs on them.
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
            repeat: clip.repeat,
            ticks: clip.ticks,
            rate: clip.rate,
            ..Clip::default()
        };
        made
    }

    /// A track through the constants of its joint.
    fn through(
        &self,
        by: &Constants,
        pair: &JointPair,
        track: &Shared<Track>,
        made: &mut CarriedClip,
    ) -> Option<Shared<Track>> {
        let untouched = pair.is_same
            || (track.property == Property::Rotation && {
                // Both stand alike as far as single precision can say.
                let none = |q: Quat| angle_between(q, Quat::IDENTITY) < 2e-6;
                none(by.left) && none(by.right)
            });
        if untouched {
            let same = Track { target: pair.to, ..(**track).clone() };
            return Some(Shared::new(same));
        }
        let (width, stride) = (track.width, track.stride());
        let mut values = track.values.to_vec();
        for (k, value) in values.chunks_mut(width).enumerate() {
            let is_value = track.interpolation != Interpolation::CubicSpline
                || (k * width % stride) / width == 1;
            match track.property {
                Property::Rotation => {
                    value.copy_from_slice(&by.rotation(Quat::from_slice(value)).to_array())
                }
                Property::Translation => {
                    value.copy_from_slice(
                        &by.translation(Vec3::from_slice(value), !is_value).to_array(),
                    );
                }
                Property::Scale => match by.scale(Vec3::from_slice(value)) {
                    Some(scale) => value.copy_from_slice(&scale.to_array()),
                    None => {
                        made.scales_left += 1;
                        return None;
                    }
                },
                Property::Weights => return None,
            }
        }
        Some(Shared::new(Track { target: pair.to, values: values.into(), ..(**track).clone() }))
    }

    /// One key for each part of a joint that no key moves, and that is posed otherwise here than
    /// there.
    fn as_posed(
        &self,
        by: &Constants,
        pair: &JointPair,
        is_free: &dyn Fn(Property) -> bool,
    ) -> Vec<Shared<Track>> {
        /// Radians, and parts of the height.
        const SEEN: f32 = 2e-3;
        let there = self.theirs.node(pair.from).local().transform();
        let here = self.ours.node(pair.to).local().transform();
        let unit = self.stands[1].parent(self.ours, pair.to).1;
        let (rotation, translation) = if pair.is_same {
            (there.rotation, there.translation)
        } else {
            (
                unit_or(by.rotation(there.rotation), here.rotation),
                by.translation(there.translation, false),
            )
        };
        let mut made = Vec::new();
        let mut key = |property: Property, value: Vec<f32>| {
            made.push(Shared::new(Track {
                target: pair.to,
                property,
                interpolation: Interpolation::Linear,
                times: [0.0].into(),
                width: value.len(),
                values: value.into(),
                kinds: Default::default(),
            }));
        };
        if is_free(Property::Rotation) && angle_between(rotation, here.rotation) > SEEN {
            key(Property::Rotation, rotation.to_array().to_vec());
        }
        if is_free(Property::Translation)
            && translation.distance(here.translation) * unit > SEEN * self.stands[1].height
        {
            key(Property::Translation, translation.to_array().to_vec());
        }
        made
    }

    /// Weights of morph targets, for the node of that name, else for one whose targets have those
    /// names. Targets that it moves and that are not there go to `lost`.
    fn morphs(&self, track: &Track, lost: &mut Vec<String>) -> Option<Track> {
        let names = |document: &Document, node: NodeId| {
            let count = document.node(node).mesh.map_or(0, |m| document.mesh(m).target_count());
            (0..count).map(|k| target_name(document, node, k)).collect::<Vec<_>>()
        };
        let theirs = names(self.theirs, track.target);
        let label = self.theirs.node(track.target).label(track.target);
        let with_targets = || {
            self.ours.node_ids().filter(|n| {
                self.ours.node(*n).mesh.is_some_and(|m| self.ours.mesh(m).target_count() > 0)
            })
        };
        let target = with_targets().find(|n| self.ours.node(*n).label(*n) == label).or_else(|| {
            with_targets().find(|n| {
                names(self.ours, *n).iter().any(|t| !t.starts_with('#') && theirs.contains(t))
            })
        });
        let ours = target.map_or_else(Vec::new, |n| names(self.ours, n));
        let moved =
            |k: usize| track.values.iter().skip(k).step_by(track.width.max(1)).any(|v| *v != 0.0);
        let missing = (0..track.width)
            .filter(|k| theirs.get(*k).is_none_or(|name| !ours.contains(name)) && moved(*k));
        lost.extend(missing.map(|k| match theirs.get(k) {
            Some(name) if !name.starts_with('#') => name.clone(),
            _ => format!("target {k} of {label}"),
        }));
        let target = target?;
        if theirs == ours && ours.len() == track.width {
            return Some(Track { target, ..track.clone() });
        }
        let now = self.ours.morph_weights(target);
        let from: Vec<Option<usize>> = ours
            .iter()
            .map(|name| theirs.iter().position(|t| t == name).filter(|k| *k < track.width))
            .collect();
        if from.iter().all(Option::is_none) {
            return None;
        }
        let per_key = track.interpolation.values_per_key();
        let rows = track.values.chunks(track.width).enumerate();
        let values = rows
            .flat_map(|(row, values)| {
                let is_value = per_key == 1 || row % per_key == 1;
                let now = &now;
                from.iter().enumerate().map(move |(k, f)| {
                    let still = if is_value { now.get(k).copied().unwrap_or(0.0) } else { 0.0 };
                    f.map_or(still, |f| values[f])
                })
            })
            .collect();
        Some(Track { target, width: ours.len(), values, ..track.clone() })
    }
}

/// Joints of one document, and what else moves, with what they are in another.
fn matched(
    theirs: &Document,
    ours: &Document,
    chosen: &BTreeMap<NodeId, Option<NodeId>>,
) -> Vec<(NodeId, NodeId, FoundBy)> {
    let posable = posable(theirs);
    let nodes: Vec<NodeId> =
        theirs.nodes.order().iter().copied().filter(|n| posable[n.index()]).collect();
    let place: HashMap<NodeId, usize> = nodes.iter().enumerate().map(|(k, n)| (*n, k)).collect();
    let roles = mapped_roles(theirs);
    let sought: Vec<Sought> = nodes
        .iter()
        .map(|n| Sought {
            name: theirs.node(*n).label(*n),
            path: theirs.path(*n),
            parent: above(theirs, *n).find_map(|p| place.get(&p).copied()),
            role: roles.get(n).cloned(),
            rest: theirs.node(*n).rest.transform(),
        })
        .collect();
    let picked: BTreeSet<NodeId> = chosen.values().flatten().copied().collect();
    let found = pairs(ours, &sought);
    let mut made: Vec<(NodeId, NodeId, FoundBy)> = Vec::new();
    for (from, found) in nodes.iter().zip(found) {
        let to = match chosen.get(from) {
            Some(to) => to.map(|to| (to, FoundBy::Name)),
            None => found.filter(|(to, _)| !picked.contains(to)),
        };
        // Two of one cannot both move it.
        if let Some((to, by)) = to.filter(|(to, _)| made.iter().all(|(_, t, _)| t != to)) {
            made.push((*from, to, by));
        }
    }
    made
}
