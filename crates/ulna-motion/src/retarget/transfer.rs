//! Retargeting of clips from one body to another, by the chains of a retarget map.

use std::collections::{BTreeMap, BTreeSet};

use glam::{Quat, Vec3};
use thiserror::Error;

use super::{
    chain_positions::positions,
    cleaned::{Cleaned, ContactSlide},
    contacts::{contacts_on_ground, ground_below},
    detached::DetachedFoot,
    feet::{Foot, rest_pose},
    hand_goals::HandPairs,
    hands::hands_of,
    lock::LockRequest,
    named::JointTable,
    passes::keep_in_place,
    sampling::each_pose,
    stands::PlacedGoal,
    twist::{TwistJoint, twist_joints},
};
use crate::{
    CarriedClip, ClipTransfer, KeysBy, Pose,
    clip_edit::{TravelParts, TravelTo, move_travel},
    clip_transfer::{SpreadJoint, TransferOptions},
    rig::Rig,
};
use ulna_model::{
    ChainPosition, ChainRotation, Clip, Document, Goal, GoalPoint, Interpolation, NodeId, Property,
    RetargetMap, RootMotion, Shared, Track, TrackId,
};

/// Reason why a retarget map cannot be used.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RetargetError {
    /// No chain has joints of both models.
    #[error(
        "no chain of the retarget map has joints of both models; choose joints for at least one \
            chain"
    )]
    NoChain,
    /// A joint of a chain does not exist.
    #[error(
        "chain “{chain}” of the retarget map names joint “{joint}”, which the {model} does not have"
    )]
    NoJoint {
        /// Name of the chain.
        chain: String,
        /// Name of the joint.
        joint: String,
        /// The model without the joint: `source` or `target`.
        model: &'static str,
    },
    /// A joint belongs to two chains.
    #[error(
        "joint “{joint}” of the {model} is in two chains of the retarget map, “{first}” and \
        “{second}”; remove it from one of them"
    )]
    Twice {
        /// Name of the joint.
        joint: String,
        /// The model of the joint: `source` or `target`.
        model: &'static str,
        /// Name of the first chain with the joint.
        first: String,
        /// Name of the second chain with the joint.
        second: String,
    },
}

impl RetargetError {
    /// Stable code of the error for scripts.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoChain => "no_chain_matches",
            Self::NoJoint { .. } => "no_joint_of_chain",
            Self::Twice { .. } => "joint_in_two_chains",
        }
    }
}

/// A clip of the source that was retargeted to the target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Retargeted {
    /// The retargeted clip, and the parts of the motion that could not be transferred.
    pub carried: CarriedClip,
    /// Ground contacts of the retargeted clip. Their joints belong to the target.
    pub contacts: Vec<Goal>,
    /// Foot sliding in each contact, before and after the feet are locked.
    pub slides: Vec<ContactSlide>,
    /// Largest distance by which the hips are lowered, meters.
    pub lowered: f32,
    /// Joints of feet whose legs cannot reach the contact position.
    pub short: Vec<NodeId>,
    /// Number of contacts of hands that are left out, because nothing in the target matches what
    /// the hand touches.
    pub lost_contacts: usize,
}

/// A chain of the retarget map, with its joints.
struct Chain {
    source: Vec<NodeId>,
    target: Vec<NodeId>,
    rotation: ChainRotation,
    position: ChainPosition,
    contacts: bool,
}

/// Retargets clips from a source to a target by a retarget map. Prepared once for a pair of
/// documents.
pub struct Retarget<'a> {
    source: &'a Document,
    target: &'a Document,
    map: &'a RetargetMap,
    chains: Vec<Chain>,
    transfer: ClipTransfer<'a>,
    /// Pairs of feet: of the source, and of the target.
    feet: Vec<(Foot, Foot)>,
    hands: HandPairs,
    hip_heights: [f32; 2],
    factors: Vec3,
    twists: Vec<TwistJoint>,
    /// Feet of the target that must follow their shins.
    detached: Vec<DetachedFoot>,
}

impl<'a> Retarget<'a> {
    /// Prepares retargeting from a source to a target.
    ///
    /// # Errors
    /// The map contains joints that do not exist or are in two chains, or no chain has joints of
    /// both models.
    pub fn new(
        source: &'a Document,
        target: &'a Document,
        map: &'a RetargetMap,
    ) -> Result<Self, RetargetError> {
        let names = [JointTable::of(source), JointTable::of(target)];
        let chains = chains_of(map, &names)?;
        if !chains.iter().any(|c| !c.source.is_empty() && !c.target.is_empty()) {
            return Err(RetargetError::NoChain);
        }
        let chosen: BTreeMap<NodeId, Option<NodeId>> = {
            let mut all: BTreeMap<NodeId, Option<NodeId>> =
                source.node_ids().map(|n| (n, None)).collect();
            for chain in chains.iter().filter(|c| c.is_copied()) {
                all.extend(
                    chain.source.iter().zip(&chain.target).map(|(from, to)| (*from, Some(*to))),
                );
            }
            all
        };
        let pose = |pose: &BTreeMap<String, Quat>, names: &JointTable| {
            pose.iter().filter_map(|(n, q)| Some((names.node(n)?, *q))).collect()
        };
        let poses = [pose(&map.source_pose, &names[0]), pose(&map.target_pose, &names[1])];
        let mut spread = BTreeMap::new();
        for chain in chains.iter().filter(|c| c.is_spread()) {
            spread.extend(chain.spread(source, target));
        }
        // The hip heights are measured before the path is scaled.
        let plain = TransferOptions { spread, poses, ..TransferOptions::default() };
        let transfer =
            ClipTransfer::with_options(source, target, KeysBy::Rests, &chosen, plain.clone());
        let rests = [rest_pose(source), rest_pose(target)];
        let hand_roles = [hands_of(source), hands_of(target)];
        let ends = chains.iter().filter(|c| c.contacts);
        let ends = ends.filter_map(|c| Some((*c.source.last()?, *c.target.last()?)));
        let (hands, feet): (Vec<_>, Vec<_>) =
            ends.partition(|(a, b)| hand_roles[0].contains(a) || hand_roles[1].contains(b));
        let pairs = |list: Vec<(NodeId, NodeId)>, of: fn(&Document, &Pose, NodeId) -> Foot| {
            let pair = |(a, b)| (of(source, &rests[0], a), of(target, &rests[1], b));
            list.into_iter().map(pair).collect::<Vec<(Foot, Foot)>>()
        };
        let (feet, hands) = (pairs(feet, Foot::of), pairs(hands, Foot::hand));
        let both: Vec<[&[NodeId]; 2]> = chains
            .iter()
            .filter(|c| c.has_both())
            .map(|c| [&c.source[..], &c.target[..]])
            .collect();
        let hands = HandPairs::new([source, target], &names, &rests, &both, hands);
        let hips = hips_of(source, target, &chains, &feet);
        let hip_heights = hips.map_or([0.0; 2], |(a, b)| {
            let low = |of: &dyn Fn(NodeId) -> Vec3, document: &Document| {
                let rig = Rig::of(document);
                let all = document.node_ids().filter(|n| rig.carries(*n));
                all.map(|n| of(n).y).filter(|y| y.is_finite()).fold(f32::INFINITY, f32::min)
            };
            let there = |n: NodeId| transfer.place_there(n);
            let here = |n: NodeId| transfer.place_here(n);
            let upright = is_upright(&transfer);
            let levels = [
                feet.iter().map(|f| f.0.level).reduce(f32::min).filter(|_| upright),
                feet.iter().map(|f| f.1.level).reduce(f32::min),
            ];
            [
                there(a).y - levels[0].unwrap_or_else(|| low(&there, source)),
                here(b).y - levels[1].unwrap_or_else(|| low(&here, target)),
            ]
        });
        let ratio = match hip_heights {
            [a, b] if a > 1e-6 && b > 1e-6 => b / a,
            _ => transfer.ratio(),
        };
        let ratio = if (ratio - 1.0).abs() < 1e-3 { 1.0 } else { ratio };
        let height = map.height.unwrap_or(ratio);
        let stride = map.stride.unwrap_or(height);
        let factors = Vec3::new(stride, height, stride);
        let carriers: BTreeSet<NodeId> = hips.map_or_else(BTreeSet::new, |(_, b)| {
            std::iter::once(b).chain(crate::ancestors::above(target, b)).collect()
        });
        let scales = map.height.is_some() || map.stride.is_some();
        let options = TransferOptions { travel: Some((carriers, factors)), scales, ..plain };
        let transfer = ClipTransfer::with_options(source, target, KeysBy::Rests, &chosen, options);
        let turned = chains.iter().filter(|c| c.is_copied() || c.is_spread());
        let twists = twist_joints(target, turned.map(|c| &c.target[..]));
        Ok(Self {
            source,
            target,
            map,
            chains,
            transfer,
            feet,
            hands,
            hip_heights,
            factors,
            twists,
            detached: DetachedFoot::to_follow(source, target),
        })
    }

    /// Scale factor of the vertical motion of the hips.
    pub const fn height(&self) -> f32 {
        self.factors.y
    }

    /// Scale factor of the path along the ground.
    pub const fn stride(&self) -> f32 {
        self.factors.x
    }

    /// Heights of the hips above the ground in the rest pose, of the source and of the target, in
    /// meters.
    pub const fn hip_heights(&self) -> [f32; 2] {
        self.hip_heights
    }

    /// Returns the largest angle between corresponding bones in both reference poses, radians. The
    /// difference of limbs that are aligned by themselves does not count.
    pub fn rest_difference(&self) -> f32 {
        let mut most: f32 = 0.0;
        for chain in self.chains.iter().filter(|c| c.is_copied()) {
            let pairs: Vec<_> = chain.source.iter().zip(&chain.target).collect();
            for pair in pairs.windows(2) {
                let there =
                    self.transfer.place_there(*pair[1].0) - self.transfer.place_there(*pair[0].0);
                let here = self.transfer.aligned_way(*pair[0].1, *pair[1].1);
                if there.length() > 1e-6 && here.length() > 1e-6 {
                    most = most.max(there.angle_between(here));
                }
            }
        }
        most
    }

    /// Returns the contacts of a clip of the source: those of feet that the clip stores, else
    /// detected ones; likewise those of hands.
    pub fn contacts(&self, clip: &Shared<Clip>) -> Vec<Goal> {
        self.contacts_on_ground(clip).0
    }

    /// Returns the contacts of a clip of the source, and the velocity of its ground in meters per
    /// second.
    fn contacts_on_ground(&self, clip: &Shared<Clip>) -> (Vec<Goal>, Vec3) {
        let feet: Vec<Foot> = self.feet.iter().map(|f| f.0.clone()).collect();
        let stored = |nodes: &[NodeId]| {
            let own = clip.contacts.iter().filter(|g| nodes.contains(&g.node));
            own.cloned().collect::<Vec<Goal>>()
        };
        let own = stored(&feet.iter().map(|f| f.node).collect::<Vec<NodeId>>());
        let (mut made, ground) = if own.is_empty() {
            contacts_on_ground(self.source, clip, &feet)
        } else {
            (own, ground_below(self.source, clip, &feet))
        };
        let hands = stored(&self.hands.of_source().map(|h| h.node).collect::<Vec<NodeId>>());
        made.extend(if hands.is_empty() { self.hands.contacts(self.source, clip) } else { hands });
        (Goal::in_order(made), ground)
    }

    /// Retargets a clip of the source to the target. `contacts` are the contacts of the source's
    /// clip; [`Retarget::contacts`] if omitted.
    pub fn clip(&self, clip: &Shared<Clip>, contacts: Option<&[Goal]>) -> Retargeted {
        let mut carried = self.transfer.clip(clip);
        self.by_chains(&mut carried);
        let clip_here = &mut carried.clip;
        for twist in &self.twists {
            if let Some(track) = twist.track(self.target, clip_here) {
                clip_here.tracks.insert(clip_here.free_track_id(), track);
            }
        }
        DetachedFoot::follow(self.target, &self.detached, &mut carried.clip);
        let mut made = Retargeted { carried, ..Retargeted::default() };
        let has_ends = !self.feet.is_empty() || !self.hands.is_empty();
        if has_ends && !made.carried.clip.tracks.is_empty() {
            self.keep_contacts(&mut made, clip, contacts);
        }
        let to = match self.map.root {
            RootMotion::Hips => return made,
            RootMotion::Root => TravelTo::Root,
            RootMotion::InPlace => TravelTo::InPlace,
        };
        let parts = TravelParts { ground: true, height: false, turn: to == TravelTo::Root };
        // If the body does not travel, the clip is unchanged.
        if let Ok(moved) = move_travel(self.target, &made.carried.clip, to, parts, None) {
            made.carried.clip = moved.clip;
        }
        made
    }

    /// Keeps the feet and hands of a retargeted clip in place. `clip` and `contacts` are those of
    /// the source.
    fn keep_contacts(&self, made: &mut Retargeted, clip: &Shared<Clip>, contacts: Option<&[Goal]>) {
        let (found, ground) = match contacts {
            Some(own) => {
                let feet: Vec<Foot> = self.feet.iter().map(|f| f.0.clone()).collect();
                (Goal::in_order(own.to_vec()), ground_below(self.source, clip, &feet))
            }
            None => self.contacts_on_ground(clip),
        };
        let mut goals = self.goals(clip, &found);
        let ground = self.transfer.way_here(ground);
        self.set_on_ground(&mut made.carried.clip, &goals);
        let shared = Shared::new(std::mem::take(&mut made.carried.clip));
        let ground = match (ground == Vec3::ZERO, self.map.stride) {
            (true, _) => Vec3::ZERO,
            (false, Some(_)) => ground * self.factors,
            // If the motion is in place, the legs alone determine the length of a step.
            (false, None) => self.ground_here(&shared, &goals, ground * self.factors),
        };
        let (hands, lost) =
            self.hands.goals(self.source, self.target, &self.transfer, (clip, &found));
        goals.extend(hands.into_iter().map(|goal| (goal, None)));
        let feet = self.feet.iter().map(|f| &f.1).chain(self.hands.of_target()).cloned().collect();
        let settings = self.map.contacts;
        let document = self.target;
        let (clip, keeps) = (&shared, false);
        let request = LockRequest { document, clip, feet, goals: &goals, settings, ground, keeps };
        let Cleaned { clip, slides, lowered, short } = keep_in_place(request);
        (made.slides, made.lowered, made.short) = (slides, lowered, short);
        made.lost_contacts = lost;
        made.contacts = Goal::in_order(goals.into_iter().map(|g| g.0).collect());
        made.carried.clip = if settings.lock { clip } else { (*shared).clone() };
    }

    /// Converts the contacts of the source's feet to goals of the target's feet. Each goal has the
    /// wanted height of its point in meters.
    fn goals(&self, clip: &Shared<Clip>, contacts: &[Goal]) -> Vec<PlacedGoal> {
        /// Maximum height of a contact that counts as on the ground, relative to the leg's length.
        const STEP: f32 = 0.06;
        let heights = self.heights(clip, contacts);
        let mut sorted: Vec<f32> = heights.iter().flatten().copied().collect();
        sorted.sort_by(f32::total_cmp);
        let ground = sorted.get(sorted.len() / 4).copied().unwrap_or(0.0);
        let mut made = Vec::new();
        for (goal, height) in contacts.iter().zip(heights) {
            let Some((from, to)) = self.feet.iter().find(|f| f.0.node == goal.node) else {
                continue;
            };
            let up = height.map_or(0.0, |h| h - ground);
            let up = if up.abs() <= STEP * from.length { 0.0 } else { up * self.factors.y };
            let point = match goal.point {
                GoalPoint::Ball if to.ball.is_none() => GoalPoint::Heel,
                point => point,
            };
            let goal = Goal { node: to.node, point, space: None, place: None, ..goal.clone() };
            made.push((goal, Some(to.level + up)));
        }
        made
    }

    /// Measures the horizontal velocity of standing feet in a clip of the target, in meters per
    /// second. It is the velocity of the ground if the clip is in place. `expected` is the velocity
    /// of the ground in the source, scaled to the target.
    fn ground_here(&self, clip: &Shared<Clip>, goals: &[PlacedGoal], expected: Vec3) -> Vec3 {
        /// Number of samples per contact. `APART` is the time between the two positions of a
        /// velocity, in seconds.
        const LOOKS: usize = 8;
        const APART: f32 = 1.0 / 60.0;
        let mut times = Vec::new();
        for (goal, _) in goals {
            // The start and the end of a contact are left out, since the foot lands and lifts off
            // there.
            let (from, span) =
                (goal.from + (goal.to - goal.from) * 0.2, (goal.to - goal.from) * 0.6);
            for k in 0..LOOKS {
                let time = from + span * k as f32 / (LOOKS - 1) as f32;
                times.extend([time - APART * 0.5, time + APART * 0.5]);
            }
        }
        let places = each_pose(self.target, clip, &times, |k, pose| {
            let goal = &goals[k / (2 * LOOKS)].0;
            let own = self.feet.iter().map(|f| &f.1).find(|f| f.node == goal.node);
            let at = own.and_then(|f| f.point(goal.point)).unwrap_or_default();
            pose.world[goal.node.index()].transform_point3(at)
        });
        let speeds: Vec<Vec3> = places.chunks(2).map(|p| (p[1] - p[0]) / APART).collect();
        // A foot that moves otherwise does not stand, even if a person marked a contact there.
        let stands = |own: &&[Vec3]| {
            let mean = own.iter().sum::<Vec3>() / own.len().max(1) as f32;
            mean.with_y(0.0).distance(expected) < expected.length()
        };
        let standing: Vec<Vec3> = speeds.chunks(LOOKS).filter(stands).flatten().copied().collect();
        let speeds = if standing.is_empty() { speeds } else { standing };
        let median = |axis: usize| {
            let mut list: Vec<f32> = speeds.iter().map(|v| v[axis]).collect();
            list.sort_by(f32::total_cmp);
            list.get(list.len() / 2).copied().unwrap_or(0.0)
        };
        Vec3::new(median(0), 0.0, median(2))
    }

    /// Measures the mean height of each contact in a clip of the source, in meters. `None` if it is
    /// unknown.
    fn heights(&self, clip: &Shared<Clip>, contacts: &[Goal]) -> Vec<Option<f32>> {
        /// Number of samples per contact.
        const LOOKS: usize = 5;
        if !is_upright(&self.transfer) {
            return vec![None; contacts.len()];
        }
        let times: Vec<f32> = contacts
            .iter()
            .flat_map(|g| {
                (0..LOOKS).map(|k| g.from + (g.to - g.from) * k as f32 / (LOOKS - 1) as f32)
            })
            .collect();
        let foot = |goal: &Goal| self.feet.iter().map(|f| &f.0).find(|f| f.node == goal.node);
        let seen = each_pose(self.source, clip, &times, |k, pose| {
            let goal = &contacts[k / LOOKS];
            let at = foot(goal).and_then(|f| f.point(goal.point))?;
            Some(pose.world[goal.node.index()].transform_point3(at).y)
        });
        seen.chunks(LOOKS)
            .map(|own| own.iter().copied().sum::<Option<f32>>().map(|y| y / LOOKS as f32))
            .collect()
    }

    /// Moves the whole body up or down, so that its standing feet have the heights of the rest
    /// pose. The rest pose of a motion capture file may be at any height.
    fn set_on_ground(&self, clip: &mut Clip, goals: &[PlacedGoal]) {
        /// Maximum invisible distance, relative to the leg's length.
        const UNSEEN: f32 = 2e-3;
        let Some((_, foot)) = self.feet.first() else { return };
        let times: Vec<f32> = goals.iter().map(|(g, _)| (g.from + g.to) * 0.5).collect();
        let shared = Shared::new(clip.clone());
        let mut off = each_pose(self.target, &shared, &times, |k, pose| {
            let (goal, height) = &goals[k];
            let own = self.feet.iter().map(|f| &f.1).find(|f| f.node == goal.node)?;
            let at = own.point(goal.point)?;
            Some((*height)? - pose.world[goal.node.index()].transform_point3(at).y)
        });
        off.retain(Option::is_some);
        let mut off: Vec<f32> = off.into_iter().flatten().filter(|y| y.is_finite()).collect();
        off.sort_by(f32::total_cmp);
        // Of the two middle values, use the one with the smaller change.
        let middle = [off.len().saturating_sub(1) / 2, off.len() / 2];
        let middle = middle.into_iter().filter_map(|k| off.get(k).copied());
        let Some(up) = middle.min_by(|a, b| a.abs().total_cmp(&b.abs())) else { return };
        if up.abs() <= UNSEEN * foot.length {
            return;
        }
        let hips = foot.hips;
        let Some((id, track)) = clip.track(hips, Property::Translation) else { return };
        let parent = rest_pose(self.target).parent_world(self.target, hips);
        let way = parent.inverse().transform_vector3(Vec3::Y * up);
        if !way.is_finite() {
            return;
        }
        let track = raised(track, way);
        clip.tracks.insert(id, Shared::new(track));
    }

    /// Removes the tracks of properties that the retarget map does not transfer. Chains that are
    /// set to rest get their rest rotation.
    fn by_chains(&self, carried: &mut CarriedClip) {
        let clip = &mut carried.clip;
        for chain in &self.chains {
            let own: BTreeSet<NodeId> = chain.target.iter().copied().collect();
            let drops = |property: Property| match property {
                Property::Rotation => {
                    matches!(chain.rotation, ChainRotation::Rest | ChainRotation::None)
                }
                Property::Translation => chain.position == ChainPosition::Fixed,
                Property::Scale => chain.rotation == ChainRotation::None,
                Property::Weights => false,
            };
            let gone: Vec<TrackId> = clip
                .tracks
                .iter()
                .filter(|(_, t)| own.contains(&t.target) && drops(t.property))
                .map(|(id, _)| *id)
                .collect();
            for id in gone {
                clip.tracks.remove(&id);
            }
            if chain.rotation == ChainRotation::Rest {
                for node in &chain.target {
                    let rest = self.target.node(*node).rest.transform().rotation;
                    let now = self.target.node(*node).local().transform().rotation;
                    if rest != now {
                        let id = clip.free_track_id();
                        clip.tracks.insert(id, Shared::new(resting(*node, rest)));
                    }
                }
            }
        }
    }
}

/// Whether the up direction of the source is also the up direction of the target.
fn is_upright(transfer: &ClipTransfer<'_>) -> bool {
    transfer.way_here(Vec3::Y).y > 0.999
}

/// Finds the joints that carry both bodies: the first joints of a chain that has all feet below it,
/// in both documents.
fn hips_of(
    source: &Document,
    target: &Document,
    chains: &[Chain],
    feet: &[(Foot, Foot)],
) -> Option<(NodeId, NodeId)> {
    let carries = |(a, b): &(NodeId, NodeId)| {
        feet.iter().all(|(x, y)| source.is_above(*a, x.node) && target.is_above(*b, y.node))
    };
    chains.iter().find_map(|c| Some((*c.source.first()?, *c.target.first()?)).filter(carries))
}

impl Chain {
    fn has_both(&self) -> bool {
        !self.source.is_empty() && !self.target.is_empty()
    }

    fn is_copied(&self) -> bool {
        let equal = self.source.len() == self.target.len();
        self.has_both() && self.rotation == ChainRotation::Copy && equal
    }

    fn is_spread(&self) -> bool {
        let moves = matches!(self.rotation, ChainRotation::Copy | ChainRotation::Spread);
        self.has_both() && moves && !self.is_copied()
    }

    /// Assigns the source joints of the chain to each of its target joints, with the target joint's
    /// position along the chain.
    fn spread(&self, source: &Document, target: &Document) -> BTreeMap<NodeId, SpreadJoint> {
        let from: Vec<(NodeId, f32)> = positions(source, &self.source);
        positions(target, &self.target)
            .into_iter()
            .map(|(to, at)| (to, SpreadJoint { from: from.clone(), at }))
            .collect()
    }
}

/// Finds the joints of the chains in a retarget map.
fn chains_of(map: &RetargetMap, names: &[JointTable; 2]) -> Result<Vec<Chain>, RetargetError> {
    let mut taken: [BTreeMap<NodeId, &str>; 2] = Default::default();
    let mut nodes = |list: &[String], chain: &'_ str, side: usize| {
        let model = ["source", "target"][side];
        list.iter()
            .map(|joint| {
                let node = names[side].node(joint).ok_or_else(|| RetargetError::NoJoint {
                    chain: chain.to_owned(),
                    joint: joint.clone(),
                    model,
                })?;
                let first = map
                    .chains
                    .iter()
                    .find(|c| {
                        let list = if side == 0 { &c.source } else { &c.target };
                        c.name != chain && list.contains(joint)
                    })
                    .map(|c| &*c.name);
                match (taken[side].insert(node, ""), first) {
                    (None, _) => Ok(node),
                    (Some(_), first) => Err(RetargetError::Twice {
                        joint: joint.clone(),
                        model,
                        first: first.unwrap_or(chain).to_owned(),
                        second: chain.to_owned(),
                    }),
                }
            })
            .collect::<Result<Vec<NodeId>, RetargetError>>()
    };
    map.chains
        .iter()
        .map(|chain| {
            Ok(Chain {
                source: nodes(&chain.source, &chain.name, 0)?,
                target: nodes(&chain.target, &chain.name, 1)?,
                rotation: chain.rotation,
                position: chain.position,
                contacts: chain.contacts,
            })
        })
        .collect()
}

/// Adds an offset to all translations of a track. Tangents are unchanged.
fn raised(track: &Track, way: Vec3) -> Track {
    let mut values = track.values.to_vec();
    let per_key = track.interpolation.values_per_key();
    for (k, value) in values.chunks_mut(track.width).enumerate() {
        if per_key == 1 || k % per_key == 1 {
            value.iter_mut().zip(way.to_array()).for_each(|(v, w)| *v += w);
        }
    }
    Track { values: values.into(), ..track.clone() }
}

/// Creates a track with one rotation key.
fn resting(target: NodeId, rotation: Quat) -> Track {
    Track {
        target,
        property: Property::Rotation,
        interpolation: Interpolation::Linear,
        times: [0.0].into(),
        width: 4,
        values: rotation.to_array().to_vec().into(),
        kinds: Default::default(),
        modes: Default::default(),
    }
}
