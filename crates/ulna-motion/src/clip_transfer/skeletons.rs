//! Two skeletons, the pairs of their joints, and the conversion constants.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use glam::{Quat, Vec3};

use super::{
    spread::SpreadJoint,
    standing::{Standing, axis_turns, carrier},
};
use crate::{
    ancestors::above,
    counterparts::{FoundBy, Sought, pairs},
    humanoid::BodyPart,
    mirror::{is_uneven, swapped},
    roles::{mapped_roles, roles_of},
    transfer::posable,
};
use ulna_model::{Document, NodeId, Transform, transform::angle_between};

/// Method of transferring keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeysBy {
    /// Keys are copied if both joints have the same rest pose, otherwise converted between the rest
    /// poses.
    #[default]
    Rests,
    /// Keys are copied without conversion.
    Copy,
}

/// A joint and its counterpart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointPair {
    /// The joint of the other document.
    pub from: NodeId,
    /// The counterpart in this document.
    pub to: NodeId,
    /// Criterion by which the counterpart was found.
    pub by: FoundBy,
    /// Whether the joint and its counterpart have the same rest, so that keys are copied.
    pub is_same: bool,
}

/// Constants that convert the local transform of a joint to its counterpart: rotations by which the
/// joint's rotation is multiplied on the left and on the right, and the ratio of lengths.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constants {
    pub(super) left: Quat,
    pub(super) right: Quat,
    /// Ratio of lengths: this document to the other document.
    length: f32,
    /// Local transforms of both joints in the reference poses.
    from: Transform,
    pub(super) to: Transform,
    /// Conversion of the travel, for the carrier of a body. It has one scene factor per axis,
    /// instead of the single `length`.
    travel: Option<Travel>,
}

/// Conversion of the path of a body: from its carrier in the other document to the scene, and from
/// the scene to its carrier in this document. In the scene, each axis has a factor.
#[derive(Clone, Copy, Debug)]
struct Travel {
    scene_from_there: Quat,
    here_from_scene: Quat,
    factors: Vec3,
}

impl Constants {
    pub(super) fn rotation(&self, r: Quat) -> Quat {
        self.left * r * self.right
    }

    pub(super) fn translation(&self, t: Vec3, is_way: bool) -> Vec3 {
        let (from, to) = if is_way {
            (Vec3::ZERO, Vec3::ZERO)
        } else {
            (self.from.translation, self.to.translation)
        };
        let way = t - from;
        match &self.travel {
            Some(travel) => {
                let scene = (travel.scene_from_there * way) * travel.factors;
                to + travel.here_from_scene * scene
            }
            None => to + self.left * way * self.length,
        }
    }

    pub(super) fn scale(&self, s: Vec3) -> Option<Vec3> {
        let factor = s / self.from.scale;
        let along = if is_uneven(factor) { swapped(self.right, factor)? } else { factor };
        along.is_finite().then(|| self.to.scale * along)
    }
}

/// Transfer options from a retarget map, in addition to its pairs of joints.
#[derive(Clone, Debug, Default)]
pub(crate) struct TransferOptions {
    /// Joints of this document that follow a chain of the other body. The position of a joint along
    /// its own chain is used as the position along the other chain.
    pub spread: BTreeMap<NodeId, SpreadJoint>,
    /// Reference poses of the other document and of this document. Each lists the local rotations
    /// of the nodes that differ from the default pose.
    pub poses: [BTreeMap<NodeId, Quat>; 2],
    /// Nodes of this document that carry the body, and factors of the body's path along the scene
    /// axes.
    pub travel: Option<(BTreeSet<NodeId>, Vec3)>,
    /// Whether the factors of `travel` also apply if both skeletons are equal.
    pub scales: bool,
}

/// Two skeletons with their pairs of corresponding joints.
pub struct ClipTransfer<'a> {
    pub(super) theirs: &'a Document,
    pub(super) ours: &'a Document,
    pub(super) pairs: Vec<JointPair>,
    /// Index of a node's pair in `pairs`, by node of the other document.
    pub(super) to: HashMap<NodeId, usize>,
    /// Nodes of this document with a counterpart.
    pub(super) taken: BTreeSet<NodeId>,
    pub(super) stands: [Standing; 2],
    /// Rotation that is applied to the other skeleton as a whole to align its axes.
    pub(super) turned: Quat,
    /// −1 if the other skeleton is mirrored as a whole: a reflection is a rotation times −1.
    /// Otherwise 1.
    pub(super) whole: f32,
    /// Scene rotation of each node of this document, with limbs aligned to the other skeleton.
    pub(super) aligned: Vec<Quat>,
    pub(super) ratio: f32,
    pub(super) options: TransferOptions,
}

impl<'a> ClipTransfer<'a> {
    /// Prepares the transfer from one document to another. `chosen` overrides the counterparts of
    /// some nodes; `None` excludes a node.
    pub fn new(
        theirs: &'a Document,
        ours: &'a Document,
        how: KeysBy,
        chosen: &BTreeMap<NodeId, Option<NodeId>>,
    ) -> Self {
        Self::with_options(theirs, ours, how, chosen, TransferOptions::default())
    }

    /// Prepares a transfer like [`Self::new`], with the options of a retarget map.
    pub(crate) fn with_options(
        theirs: &'a Document,
        ours: &'a Document,
        how: KeysBy,
        chosen: &BTreeMap<NodeId, Option<NodeId>>,
        options: TransferOptions,
    ) -> Self {
        let found = matched(theirs, ours, chosen);
        let chained = options.spread.values().flat_map(SpreadJoint::nodes);
        let meant: BTreeSet<NodeId> = found.iter().map(|(from, ..)| *from).chain(chained).collect();
        let taken: BTreeSet<NodeId> =
            found.iter().map(|(_, to, _)| *to).chain(options.spread.keys().copied()).collect();
        let mut stands = [
            Standing::of(theirs, &|n| meant.contains(&n)),
            Standing::of(ours, &|n| taken.contains(&n)),
        ];
        for (stand, (document, pose)) in
            stands.iter_mut().zip([theirs, ours].into_iter().zip(&options.poses))
        {
            stand.take_pose(document, pose);
        }
        let pairs: Vec<JointPair> = found
            .into_iter()
            .map(|(from, to, by)| JointPair { from, to, by, is_same: how == KeysBy::Copy })
            .collect();
        let to = pairs.iter().enumerate().map(|(k, p)| (p.from, k)).collect();
        let ratio = stands[1].height / stands[0].height;
        let ratio = if ratio.is_finite() && (ratio - 1.0).abs() > 1e-3 { ratio } else { 1.0 };
        let aligned = stands[1].rotation.clone();
        let mut made = Self {
            theirs,
            ours,
            pairs,
            to,
            taken,
            stands,
            turned: Quat::IDENTITY,
            whole: 1.0,
            aligned,
            ratio,
            options,
        };
        let is_one = made.find_same(how);
        if made.options.scales
            && let Some((carriers, _)) = &made.options.travel
        {
            let own = made.pairs.iter_mut().filter(|p| carriers.contains(&p.to));
            own.for_each(|p| p.is_same = false);
        }
        if made.pairs.iter().any(|p| !p.is_same) {
            made.turn_whole();
            if !is_one {
                made.recheck_same();
            }
            made.align_limbs();
        }
        made
    }

    /// Converts a direction in the other document's scene to a direction in this document's scene.
    pub(crate) fn way_here(&self, way: Vec3) -> Vec3 {
        self.turned * way * self.whole
    }

    /// Position in meters of a joint of the other skeleton, after its alignment as a whole.
    pub(crate) fn place_there(&self, node: NodeId) -> Vec3 {
        self.way_here(self.stands[0].place(node))
    }

    /// Position in meters of a joint of this document.
    pub(crate) fn place_here(&self, node: NodeId) -> Vec3 {
        self.stands[1].place(node)
    }

    /// Converts a direction from the axes of a joint of the other skeleton to the axes of a joint
    /// of this document. Both directions agree in the reference poses.
    pub(crate) fn reference_way(&self, from: NodeId, to: NodeId, way: Vec3) -> Vec3 {
        let in_scene = self.way_here(self.stands[0].rotation[from.index()] * way);
        self.stands[1].rotation[to.index()].inverse() * in_scene
    }

    /// Pairs of joints, parents first.
    pub fn pairs(&self) -> &[JointPair] {
        &self.pairs
    }

    /// Whether hips, arms and legs of this document all have counterparts among these nodes.
    pub fn finds_body(&self, moved: &BTreeSet<NodeId>) -> bool {
        /// Minimum number of parts: hips, and two parts of each arm and leg. One may be missing.
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

    /// Factor of travel in the scene: the ratio of the heights of both skeletons.
    pub const fn ratio(&self) -> f32 {
        self.ratio
    }

    fn pair_of(&self, from: NodeId) -> Option<&JointPair> {
        self.to.get(&from).map(|k| &self.pairs[*k])
    }

    /// Whether the nearest ancestors with counterparts of both joints are counterparts of each
    /// other, or neither joint has such an ancestor.
    pub(super) fn hang_alike(&self, pair: &JointPair) -> bool {
        let there = carrier(self.theirs, pair.from, |n| self.to.contains_key(&n));
        let here = carrier(self.ours, pair.to, |n| self.taken.contains(&n));
        there.and_then(|n| self.pair_of(n)).map(|p| p.to) == here
    }

    /// Whether the parents of both joints are counterparts, with no nodes in between.
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

    /// Whether no ancestor of either joint has a counterpart.
    fn is_root(&self, pair: &JointPair) -> bool {
        !above(self.theirs, pair.from).any(|n| self.to.contains_key(&n))
            && !above(self.ours, pair.to).any(|n| self.taken.contains(&n))
    }

    /// Finds the joints with the same rest. Returns true if nearly all joints have the same rest,
    /// so that both skeletons are equal.
    fn find_same(&mut self, how: KeysBy) -> bool {
        /// Tolerance for rounding of other programs: radians, and relative lengths.
        const NEAR: f32 = 1e-3;
        /// Minimum fraction of joints with the same rest, for the skeletons to count as equal.
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
            // A skeleton that was moved or scaled as a whole keeps its keys.
            same[k] = share(rest) || (units[0] - units[1]).abs() <= NEAR * units[1].abs();
        }
        // Without a skin, an animation file may be in any pose. Bones with the same lengths along
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

    /// Clears `is_same` for joints with the same rest but other axes in the scene. For example, a
    /// shin points down in a body that faces +Z and in one that faces −Z (VRM 0). The two shins
    /// bend about opposite axes.
    fn recheck_same(&mut self) {
        /// Minimum rotation between the axes that counts as a difference, radians.
        const LEAST: f32 = 0.1;
        if self.turned == Quat::IDENTITY && self.whole > 0.0 {
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

    /// Finds the rotation of the other skeleton as a whole, if it has other axes.
    fn turn_whole(&mut self) {
        /// Minimum improvement of the fit by another rotation, `0..=1`.
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
        // A body under a negative scale is a mirror image. Bodies are nearly flat, so joint
        // positions alone do not show this.
        let [there_stands, here_stands] = &self.stands;
        let unlike = self.pairs.iter().filter(|p| {
            there_stands.is_mirrored(self.theirs, p.from)
                != here_stands.is_mirrored(self.ours, p.to)
        });
        if unlike.count() * 2 > self.pairs.len() {
            // The best fit with a reflection is the negated worst fit without one.
            let worst = axis_turns().map(|t| (t, fit(t))).min_by(|a, b| a.1.total_cmp(&b.1));
            if let Some((turn, _)) = worst {
                (self.turned, self.whole) = (turn, -1.0);
            }
            return;
        }
        let best = axis_turns().map(|t| (t, fit(t))).max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((turn, share)) = best
            && share > fit(Quat::IDENTITY) + BETTER
        {
            self.turned = turn;
        }
    }

    /// Aligns arms, legs and fingers with those of the other skeleton, except limbs that a
    /// reference pose rotates.
    fn align_limbs(&mut self) {
        /// Minimum angle between limb directions that is aligned, radians. Smaller angles are
        /// differences between bodies.
        const LEAST: f32 = 0.07;
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
        let is_of_limb =
            |n: &NodeId| roles.get(n).is_some_and(|part| is_limb(*part) || *part == BodyPart::Hand);
        // The first joint of the limb.
        let limb = |node: NodeId| {
            let up = std::iter::once(node).chain(above(self.ours, node));
            up.take_while(|n| is_of_limb(n) || !self.taken.contains(n)).filter(is_of_limb).last()
        };
        let posed: BTreeSet<NodeId> = self.posed().into_iter().filter_map(limb).collect();
        let mut turns: HashMap<NodeId, Quat> = HashMap::new();
        for pair in &self.pairs {
            if limb(pair.to).is_some_and(|limb| posed.contains(&limb)) {
                continue;
            }
            let Some(part) = roles.get(&pair.to).copied() else { continue };
            // The next joint of the limb: the only counterpart whose nearest ancestor with a
            // counterpart is this joint.
            let mut next = self.pairs.iter().filter(|p| {
                carrier(self.ours, p.to, |n| self.taken.contains(&n)) == Some(pair.to)
                    && self.hang_alike(p)
            });
            let way = |side: usize, a: NodeId, b: NodeId| {
                (self.stands[side].place(b) - self.stands[side].place(a)).try_normalize()
            };
            let own = match (next.next(), next.next()) {
                (Some(only), None) if is_limb(part) => {
                    let there = way(0, pair.from, only.from).map(|w| self.way_here(w));
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

    /// Joints of this document whose reference pose, or that of the counterpart, is not the default
    /// pose.
    fn posed(&self) -> BTreeSet<NodeId> {
        let [there, here] = &self.options.poses;
        let counterparts = self.pairs.iter().filter(|p| there.contains_key(&p.from)).map(|p| p.to);
        here.keys().copied().chain(counterparts).collect()
    }

    /// Position in meters of a joint of this document relative to another one, with the alignment
    /// of the limb that this one moves.
    pub(crate) fn aligned_way(&self, from: NodeId, to: NodeId) -> Vec3 {
        let turn = self.aligned[from.index()] * self.stands[1].rotation[from.index()].inverse();
        turn * (self.place_here(to) - self.place_here(from))
    }

    /// Scene rotation of a joint's parent space in this document, with aligned limbs.
    pub(super) fn frame_here(&self, to: NodeId) -> Quat {
        self.ours
            .node(to)
            .parent
            .map_or(Quat::IDENTITY, |p| self.aligned[p.index()] * self.stands[1].flip(p))
    }

    pub(super) fn constants(&self, pair: &JointPair) -> Constants {
        let [there, here] = &self.stands;
        let (their_parent, their_unit) = there.parent(self.theirs, pair.from);
        let our_parent = self.frame_here(pair.to);
        let our_unit = here.parent(self.ours, pair.to).1;
        let length = if our_unit > 0.0 { their_unit * self.ratio / our_unit } else { 1.0 };
        // If only one of both joints is mirrored, translations are negated.
        let mirrored =
            there.is_mirrored(self.theirs, pair.from) != here.is_mirrored(self.ours, pair.to);
        let sign = if mirrored { -self.whole } else { self.whole };
        let units = if our_unit > 0.0 { their_unit / our_unit } else { 1.0 };
        let carries = |(nodes, _): &&(BTreeSet<NodeId>, Vec3)| nodes.contains(&pair.to);
        let travel = self.options.travel.as_ref().filter(carries).map(|(_, factors)| Travel {
            scene_from_there: self.turned * their_parent,
            here_from_scene: our_parent.conjugate(),
            factors: *factors * units * sign,
        });
        Constants {
            travel,
            left: our_parent.conjugate() * self.turned * their_parent,
            right: (self.turned * there.rotation[pair.from.index()]).conjugate()
                * self.aligned[pair.to.index()],
            length: length * sign,
            from: there.local[pair.from.index()],
            to: here.local[pair.to.index()],
        }
    }
}

/// Matches joints and other moving nodes of one document with counterparts in another.
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
            Some(to) => to.map(|to| match found {
                Some((same, by)) if same == to => (to, by),
                _ => (to, FoundBy::Name),
            }),
            None => found.filter(|(to, _)| !picked.contains(to)),
        };
        // Two nodes cannot drive the same counterpart.
        if let Some((to, by)) = to.filter(|(to, _)| made.iter().all(|(_, t, _)| t != to)) {
            made.push((*from, to, by));
        }
    }
    made
}
