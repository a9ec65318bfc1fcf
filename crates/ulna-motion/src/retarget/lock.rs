//! Baking of contacts: new keys for legs and arms that keep feet and hands in place.

use std::collections::BTreeSet;

use glam::{Mat4, Quat, Vec3};

use super::{
    cleaned::{Cleaned, ContactSlide},
    feet::{Foot, rotation_of},
    sampling::each_pose,
    spans::{SpanKeys, with_spans},
    stands::{FootFrame, FootGoal, PlacedGoal, Stand, StandRequest, goal_of, level_toes, round_of},
};
use crate::ik::{Goal as Reach, frame_of, solve};
use ulna_model::{Clip, ContactSettings, Document, Interpolation, NodeId, Property, Shared, Track};

/// Largest and smallest time between new keys, seconds.
const STEP: [f32; 2] = [1.0 / 23.0, 1.0 / 240.0];
/// Largest time between samples of the feet, seconds.
const LOOK: f32 = 1.01 / 60.0;
/// Maximum error of a point in contact between keys, relative to the leg's length.
const NEAR: f32 = 1e-3;
/// Times closer than this count as equal, seconds.
const SAME: f32 = STEP[1] * 0.25;
/// Maximum distance from the first joint of the leg to the foot, relative to the leg's length.
const STRAIGHT: f32 = 0.995;
/// Maximum number of passes that add keys where the error is too large.
const ROUNDS: usize = 3;

/// A foot or a hand with its stands, which are its contacts.
struct StandingFoot {
    foot: Foot,
    stands: Vec<Stand>,
}

/// Lowering of the hips over time.
#[derive(Default)]
struct Lowering {
    /// Time between samples, seconds.
    step: f32,
    /// Distance by which the hips are lowered at each multiple of `step`, meters.
    ways: Vec<f32>,
}

impl Lowering {
    /// Times at which a lowering begins or ends, seconds.
    fn ends(&self) -> Vec<f32> {
        let low = |k: usize| self.ways.get(k).is_some_and(|w| *w > 0.0);
        (0..self.ways.len())
            .filter(|k| !low(*k) && (low(k + 1) || k.checked_sub(1).is_some_and(low)))
            .map(|k| self.step * k as f32)
            .collect()
    }

    /// Distance by which the hips are lowered at a time, meters. It is interpolated linearly.
    fn at(&self, time: f32) -> f32 {
        if self.ways.is_empty() {
            return 0.0;
        }
        let place = (time / self.step).max(0.0);
        let k = (place as usize).min(self.ways.len() - 1);
        let next = (k + 1).min(self.ways.len() - 1);
        let part = (place - k as f32).clamp(0.0, 1.0);
        self.ways[k] + (self.ways[next] - self.ways[k]) * part
    }
}

/// New values at one time: local rotations of the joints of legs and arms, and the translation of
/// the hips.
type Baked = Vec<(NodeId, Property, Vec<f32>)>;

/// One pass over a clip that keeps some feet and hands in their contacts.
pub(super) struct Lock<'a> {
    document: &'a Document,
    clip: &'a Shared<Clip>,
    settings: ContactSettings,
    feet: Vec<StandingFoot>,
    hips: Option<NodeId>,
    length: f32,
    /// Time between new keys, seconds.
    step: f32,
    /// Time between samples of the feet, seconds.
    look: f32,
    /// Samples of each foot at multiples of `look`.
    frames: Vec<Vec<FootFrame>>,
    is_loop: bool,
}

/// Input of one [`Lock`].
pub(super) struct LockRequest<'a> {
    pub document: &'a Document,
    pub clip: &'a Shared<Clip>,
    /// Feet and hands of the goals, each once.
    pub feet: Vec<Foot>,
    pub goals: &'a [PlacedGoal],
    pub settings: ContactSettings,
    /// Velocity of the ground, meters per second.
    pub ground: Vec3,
    /// Whether feet keep their height and angle in the clip, as in cleaning. If false, feet are
    /// laid flat on the ground.
    pub keeps: bool,
}

impl<'a> Lock<'a> {
    /// Samples the feet and computes their stands.
    pub fn new(request: LockRequest<'a>) -> Self {
        let LockRequest { document, clip, feet, goals, settings, ground, keeps } = request;
        let length = clip.length();
        let step = frame_of(clip).clamp(STEP[1] * 2.0, STEP[0]).min(length.max(1e-3));
        let count = (length / step).round().max(1.0);
        let step = length.max(1e-3) / count;
        let finer = (step / LOOK).ceil().max(1.0);
        let look = step / finer;
        let times: Vec<f32> = (0..=(count * finer) as usize).map(|k| look * k as f32).collect();
        let frames = frames_of(document, clip, &feet, &times);
        let rounds: Vec<Option<Vec3>> =
            feet.iter().zip(&frames).map(|(foot, own)| round_of(own, foot.length)).collect();
        let is_loop = !rounds.is_empty() && rounds.iter().all(Option::is_some);
        let hips = feet.iter().find(|f| !f.is_hand).map(|f| f.hips);
        let hips = hips.or_else(|| feet.first().map(|f| f.hips));
        let feet = feet
            .into_iter()
            .zip(&frames)
            .zip(rounds)
            .map(|((foot, own), round)| {
                let goals: Vec<PlacedGoal> =
                    goals.iter().filter(|g| g.0.node == foot.node).cloned().collect();
                let request = StandRequest {
                    foot: &foot,
                    goals: &goals,
                    frames: own,
                    round: round.filter(|_| is_loop),
                    length,
                    blend: settings.blend,
                    toe_roll: settings.toe_roll,
                    keeps,
                    ground,
                    evaluate: &|times| {
                        let mut frames =
                            frames_of(document, clip, std::slice::from_ref(&foot), times);
                        frames.pop().unwrap_or_default()
                    },
                };
                let stands = request.stands();
                StandingFoot { foot, stands }
            })
            .collect();
        Self { document, clip, settings, feet, hips, length, step, look, frames, is_loop }
    }

    /// Bakes the contacts into a copy of the clip.
    pub fn clean(&self) -> Cleaned {
        let mut made = Cleaned { clip: (**self.clip).clone(), ..Cleaned::default() };
        let before = self.slides(&self.frames);
        let mut after = before.clone();
        if self.settings.lock && before.iter().any(|b| !b.is_empty()) {
            let (lowering, short) = self.lowering();
            made.lowered = lowering.ways.iter().copied().fold(0.0, f32::max);
            made.short = short;
            let mut times = self.bake_times();
            times.extend(lowering.ends());
            times.sort_by(f32::total_cmp);
            times.dedup_by(|a, b| *a - *b < SAME);
            for round in 0..=ROUNDS {
                made.clip = self.baked(&times, &lowering);
                let shared = Shared::new(made.clip.clone());
                let more = self.missing(&shared, &times);
                if more.is_empty() || round == ROUNDS {
                    let own: Vec<Foot> = self.feet.iter().map(|f| f.foot.clone()).collect();
                    let grid: Vec<f32> = self.grid();
                    after = self.slides(&frames_of(self.document, &shared, &own, &grid));
                    break;
                }
                times.extend(more);
                times.sort_by(f32::total_cmp);
                times.dedup_by(|a, b| *a - *b < SAME);
            }
        }
        // Keys between frames would hide the frame rate of the clip.
        if made.clip.rate.is_none()
            && let Some((rate, share)) = self.clip.guess_fps()
            && share >= 0.9
            && made.clip.guess_fps().is_none_or(|(now, _)| (now - rate).abs() > 1e-6)
        {
            made.clip.rate = Some(rate);
        }
        for ((foot, before), after) in self.feet.iter().zip(before).zip(after) {
            made.slides.extend(before.into_iter().zip(after).map(|((from, to, was), (.., is))| {
                ContactSlide { foot: foot.foot.node, from, to, before: was, after: is }
            }));
        }
        made.slides.sort_by(|a, b| a.from.total_cmp(&b.from));
        made
    }

    fn grid(&self) -> Vec<f32> {
        self.frames.first().map_or_else(Vec::new, |f| f.iter().map(|f| f.time).collect())
    }

    /// Start and end in seconds, and sliding in meters, of the contacts of each foot. Contacts are
    /// cut off at the ends of the clip.
    fn slides(&self, frames: &[Vec<FootFrame>]) -> Vec<Vec<(f32, f32, f32)>> {
        let of = |(own, frames): (&StandingFoot, &Vec<FootFrame>)| {
            let mut found = Vec::new();
            for stand in &own.stands {
                let (from, to) = stand.range();
                let (from, to) = (from.max(0.0), to.min(self.length));
                if to <= from {
                    continue;
                }
                let mut most: f32 = 0.0;
                for (point, a, b) in &stand.ranges {
                    let Some(at) = own.foot.point(*point) else { continue };
                    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
                    let first = frames.partition_point(|f| f.time < *a);
                    let after = frames.partition_point(|f| f.time <= *b);
                    for frame in &frames[first..after.max(first)] {
                        let off = stand.error((*point, at), frame);
                        (low, high) = (low.min(off), high.max(off));
                    }
                    if low.is_finite() {
                        most = most.max((high - low).length());
                    }
                }
                found.push((from, to, most));
            }
            found
        };
        self.feet.iter().zip(frames).map(of).collect()
    }

    /// Computes the lowering of the hips that lets legs reach their contacts. Also returns the feet
    /// and hands that still do not reach their contacts.
    fn lowering(&self) -> (Lowering, Vec<NodeId>) {
        /// Duration of the transition before and after a lowered range, seconds.
        const AROUND: f32 = 0.1;
        let count = self.grid().len();
        let (mut ways, mut short) = (vec![0.0f32; count], Vec::new());
        for (own, frames) in self.feet.iter().zip(&self.frames) {
            let mut is_short = false;
            for (k, frame) in frames.iter().enumerate() {
                let goal = goal_of(&own.foot, &own.stands, frame);
                // During a blend, the foot moves only a part of the way to its place.
                if goal.weight < 1.0 {
                    continue;
                }
                let way = goal.ankle - frame.root;
                // A leg may be as straight as it is in the clip.
                let now = frame.ankle().distance(frame.root);
                let reach = (frame.reach * STRAIGHT).max(now.min(frame.reach));
                let room = reach * reach - way.with_y(0.0).length_squared();
                let down = (-way.y) - room.max(0.0).sqrt();
                let lowers = self.settings.lower_hips && !own.foot.is_hand;
                if lowers && room > 0.0 {
                    ways[k] = ways[k].max(down.max(0.0));
                } else if way.length() > frame.reach * 1.001 {
                    is_short = true;
                }
            }
            if is_short {
                short.push(own.foot.node);
            }
        }
        let most = ways.iter().copied().fold(0.0, f32::max);
        if most <= 1e-5 {
            return (Lowering { step: self.look, ways: vec![0.0; count] }, short);
        }
        let reach = (AROUND / self.look + 0.01) as usize;
        let ways = smoothed(&ways, reach, self.is_loop);
        (Lowering { step: self.look, ways }, short)
    }

    /// Time ranges within the clip in which a foot gets new keys, seconds.
    fn spans(&self, own: &StandingFoot) -> Vec<(f32, f32)> {
        let mut all: Vec<(f32, f32)> = own
            .stands
            .iter()
            .map(|s| s.span())
            .map(|(a, b)| (a.max(0.0), b.min(self.length)))
            .filter(|(a, b)| b > a)
            .collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut made: Vec<(f32, f32)> = Vec::new();
        for span in all {
            match made.last_mut().filter(|last| span.0 <= last.1 + self.step) {
                Some(last) => last.1 = last.1.max(span.1),
                None => made.push(span),
            }
        }
        made
    }

    /// Returns the times of new keys, in seconds. They are the frames in the ranges with new keys,
    /// and the ends of these ranges and of the contacts. Existing keys of the legs and the hips in
    /// these ranges are included.
    fn bake_times(&self) -> Vec<f32> {
        let mut times: Vec<f32> = Vec::new();
        let mut own: BTreeSet<NodeId> = self.hips.into_iter().collect();
        for foot in &self.feet {
            own.extend(foot.foot.leg.iter().flat_map(|l| l.nodes.iter().copied()));
            for (from, to) in self.spans(foot) {
                times.extend([from, to]);
                let count = (self.length / self.step).round() as usize;
                let frames = (0..=count).map(|k| self.step * k as f32);
                times.extend(frames.filter(|t| *t > from && *t < to));
            }
            times.extend(
                foot.stands
                    .iter()
                    .flat_map(|s| &s.ranges)
                    .flat_map(|r| [r.1, r.2])
                    .filter(|t| *t >= 0.0 && *t <= self.length),
            );
        }
        let spans: Vec<(f32, f32)> = self.feet.iter().flat_map(|f| self.spans(f)).collect();
        let keys = self
            .clip
            .tracks
            .values()
            .filter(|t| own.contains(&t.target))
            .flat_map(|t| t.times.iter().copied());
        let mut inside: Vec<f32> = keys.collect();
        inside.sort_by(f32::total_cmp);
        inside.dedup();
        for (from, to) in spans {
            let first = inside.partition_point(|t| *t <= from);
            let after = inside.partition_point(|t| *t < to);
            times.extend(&inside[first..after.max(first)]);
        }
        times.sort_by(f32::total_cmp);
        // Of two nearly equal times the earlier one stays.
        times.dedup_by(|a, b| *a - *b < SAME);
        times
    }

    /// A copy of the clip with new keys at some times.
    fn baked(&self, times: &[f32], lowering: &Lowering) -> Clip {
        let baked = each_pose(self.document, self.clip, times, |k, pose| {
            self.solved(times[k], pose, lowering)
        });
        let mut clip = (**self.clip).clone();
        for own in &self.feet {
            let spans: Vec<std::ops::Range<usize>> = self
                .spans(own)
                .into_iter()
                .map(|(from, to)| {
                    let first = times.partition_point(|t| *t <= from - SAME);
                    let after = times.partition_point(|t| *t < to + SAME);
                    first..after.max(first)
                })
                .collect();
            for node in turned_nodes(&own.foot) {
                let keys = |span: &std::ops::Range<usize>| {
                    let keys = span.clone().filter_map(|k| {
                        let one =
                            baked[k].iter().find(|b| (b.0, b.1) == (node, Property::Rotation))?;
                        Some((times[k], one.2.clone()))
                    });
                    keys.collect::<SpanKeys>()
                };
                let keys: Vec<SpanKeys> = spans.iter().map(keys).collect();
                put(self.document, &mut clip, node, Property::Rotation, &keys);
            }
        }
        if let Some(hips) = self.hips.filter(|_| lowering.ways.iter().any(|w| *w > 0.0)) {
            self.put_hips(&mut clip, hips, times, &baked, lowering);
        }
        clip
    }

    /// Sets keys of the hips in the ranges in which they are lowered.
    fn put_hips(
        &self,
        clip: &mut Clip,
        hips: NodeId,
        times: &[f32],
        baked: &[Baked],
        lowering: &Lowering,
    ) {
        // Include the keys at which the lowering begins and ends.
        let is_low =
            |t: f32| [t - self.look, t, t + self.look].into_iter().any(|t| lowering.at(t) > 0.0);
        let all: Vec<(f32, &Baked)> = times.iter().copied().zip(baked).collect();
        let runs = all.chunk_by(|a, b| is_low(a.0) == is_low(b.0)).filter(|r| is_low(r[0].0));
        let keys = runs.map(|run| {
            let keys = run.iter().filter_map(|(t, all)| {
                let one = all.iter().find(|b| (b.0, b.1) == (hips, Property::Translation))?;
                Some((*t, one.2.clone()))
            });
            keys.collect::<SpanKeys>()
        });
        let keys: Vec<SpanKeys> = keys.collect();
        put(self.document, clip, hips, Property::Translation, &keys);
    }

    /// New rotations of legs and new translation of the hips at a time.
    fn solved(&self, time: f32, pose: &mut crate::Pose, lowering: &Lowering) -> Baked {
        let mut made = Baked::new();
        let down = lowering.at(time);
        let goals: Vec<(FootFrame, FootGoal)> = self
            .feet
            .iter()
            .map(|own| {
                let frame = frame_at(&own.foot, time, pose);
                let goal = goal_of(&own.foot, &own.stands, &frame);
                (frame, goal)
            })
            .collect();
        if let Some(hips) = self.hips {
            let way = pose.parent_world(self.document, hips).inverse();
            let way = way.transform_vector3(Vec3::NEG_Y * down);
            let local = pose.local[hips.index()].transform().translation;
            let to = if way.is_finite() { local + way } else { local };
            made.push((hips, Property::Translation, to.to_array().to_vec()));
        }
        for (own, (frame, goal)) in self.feet.iter().zip(goals) {
            let rotation = |n: NodeId| pose.local[n.index()].transform().rotation;
            let nodes = turned_nodes(&own.foot);
            let Some(leg) = own.foot.leg.as_ref().filter(|_| goal.weight > 0.0) else {
                made.extend(
                    nodes
                        .iter()
                        .map(|n| (*n, Property::Rotation, rotation(*n).to_array().to_vec())),
                );
                continue;
            };
            let lowered = self.hips.is_some_and(|h| self.document.is_above(h, leg.nodes[0]));
            let above = self.document.node(leg.nodes[0]).parent.filter(|_| lowered && down > 0.0);
            if let Some(above) = above {
                pose.world[above.index()].w_axis.y -= down;
            }
            // As far as a contact does not apply, the foot is lowered with the hips.
            let along = if above.is_some() { down * (1.0 - goal.weight) } else { 0.0 };
            let reach = Reach {
                tip: Vec3::ZERO,
                target: goal.ankle - Vec3::Y * along,
                swivel: 0.0,
                keeps: Some(Mat4::from_quat(goal.turn) * frame.foot),
                soft: false,
            };
            let solved = solve(self.document, pose, leg, &reach).rotations;
            if let Some(above) = above {
                pose.world[above.index()].w_axis.y += down;
            }
            let toe = own.foot.toe.map(|toe| (toe, self.toe(own, &frame, &goal)));
            for node in &nodes {
                let found = solved.iter().copied().chain(toe).find(|(n, _)| n == node);
                let turn = found.map_or_else(|| rotation(*node), |(_, turn)| turn);
                made.push((*node, Property::Rotation, turn.to_array().to_vec()));
            }
        }
        made
    }

    /// Local rotation of the toes: flat on the ground, by the weight of the ball's contact.
    fn toe(&self, own: &StandingFoot, frame: &FootFrame, goal: &FootGoal) -> Quat {
        let foot = goal.turn * rotation_of(&frame.foot);
        let toe = goal.turn * rotation_of(&frame.toe);
        let part = goal.flat * self.settings.toe_roll;
        let level = level_toes(&own.foot, frame, goal.turn, part);
        (foot.inverse() * level * toe).normalize()
    }

    /// Times between keys at which a foot with a contact of full weight is too far from its place,
    /// seconds.
    fn missing(&self, clip: &Shared<Clip>, times: &[f32]) -> Vec<f32> {
        let middles: Vec<f32> = times
            .windows(2)
            .filter(|w| w[1] - w[0] > STEP[1] * 1.5)
            .map(|w| (w[0] + w[1]) * 0.5)
            .collect();
        let feet: Vec<Foot> = self.feet.iter().map(|f| f.foot.clone()).collect();
        let (after, before) = (
            frames_of(self.document, clip, &feet, &middles),
            frames_of(self.document, self.clip, &feet, &middles),
        );
        let off = |k: usize| {
            let feet = self.feet.iter().zip(after.iter().zip(&before));
            feet.map(|(own, (after, before))| {
                let (is, was) = (&after[k], &before[k]);
                let goal = goal_of(&own.foot, &own.stands, was);
                let far = goal.ankle.distance(is.root) >= is.reach * 0.9999;
                if goal.weight < 1.0 || far || own.foot.leg.is_none() {
                    return 0.0;
                }
                is.ankle().distance(goal.ankle) / own.foot.length
            })
            .fold(0.0, f32::max)
        };
        (0..middles.len()).filter(|k| off(*k) > NEAR).map(|k| middles[k]).collect()
    }
}

/// The nodes that get new rotations for a foot.
fn turned_nodes(foot: &Foot) -> BTreeSet<NodeId> {
    let leg = foot.leg.iter().flat_map(|leg| leg.turns.iter().map(|k| leg.nodes[*k]));
    let own = foot.leg.is_some().then_some(foot.node);
    leg.chain(own).chain(foot.toe.filter(|_| own.is_some())).collect()
}

/// Smooths a list of values that are at least 0. No value decreases, and a value stays 0 if all
/// values within `reach` places are 0. `wraps` is true if the last value equals the first, as in a
/// loop.
fn smoothed(list: &[f32], reach: usize, wraps: bool) -> Vec<f32> {
    let count = list.len() as isize;
    // In a loop the last value repeats the first.
    let at = |list: &[f32], k: isize| {
        let k = match wraps {
            true if count > 1 => k.rem_euclid(count - 1),
            _ => k.clamp(0, count - 1),
        };
        list[k as usize]
    };
    // The mean covers at most the reach of the maximum, so that it is never below the given value.
    let (reach, half, passes) = match reach as isize {
        reach if reach >= 6 => ((reach - 1) / 2, (reach - 1) / 4, 2),
        reach => ((reach / 2).max(1), 1, 1),
    };
    let most = |k: isize| (-reach..=reach).map(|d| at(list, k + d)).fold(0.0, f32::max);
    let mut made: Vec<f32> = (0..count).map(most).collect();
    for _ in 0..passes {
        let mean = |k: isize| {
            (-half..=half).map(|d| at(&made, k + d)).sum::<f32>() / (2 * half + 1) as f32
        };
        made = (0..count).map(mean).collect();
    }
    made
}

/// Samples a foot in a pose at a time in seconds.
fn frame_at(foot: &Foot, time: f32, pose: &crate::Pose) -> FootFrame {
    let place = |n: NodeId| pose.world[n.index()].w_axis.truncate();
    let joints: Vec<Vec3> = foot.leg.as_ref().map_or_else(Vec::new, |leg| {
        leg.turns.iter().map(|k| place(leg.nodes[*k])).chain([place(foot.node)]).collect()
    });
    FootFrame {
        time,
        foot: pose.world[foot.node.index()],
        toe: pose.world[foot.toe.unwrap_or(foot.node).index()],
        root: joints.first().copied().unwrap_or_else(|| place(foot.node)),
        reach: joints.windows(2).map(|w| w[0].distance(w[1])).sum(),
        spaces: foot.spaces.iter().map(|n| pose.world[n.index()]).collect(),
    }
}

/// Samples of each foot at times of a clip.
fn frames_of(
    document: &Document,
    clip: &Shared<Clip>,
    feet: &[Foot],
    times: &[f32],
) -> Vec<Vec<FootFrame>> {
    let all = each_pose(document, clip, times, |k, pose| {
        feet.iter().map(|foot| frame_at(foot, times[k], pose)).collect::<Vec<_>>()
    });
    let mut made: Vec<Vec<FootFrame>> = vec![Vec::with_capacity(times.len()); feet.len()];
    for frames in all {
        made.iter_mut().zip(frames).for_each(|(own, frame)| own.push(frame));
    }
    made
}

/// Replaces the keys of a track within spans. Adds the track if the clip does not have it.
fn put(document: &Document, clip: &mut Clip, node: NodeId, property: Property, keys: &[SpanKeys]) {
    if keys.iter().all(|k| k.len() < 2) {
        return;
    }
    let id = clip.track(node, property).map(|(id, _)| id);
    let track = match id.and_then(|id| clip.tracks.get(&id)) {
        Some(track) => track.clone(),
        None => {
            let local = document.node(node).local().transform();
            let value = match property {
                Property::Rotation => local.rotation.to_array().to_vec(),
                _ => local.translation.to_array().to_vec(),
            };
            let end = clip.length();
            Shared::new(Track {
                target: node,
                property,
                interpolation: Interpolation::Linear,
                times: [0.0, end].into(),
                width: value.len(),
                values: [&value[..], &value[..]].concat().into(),
                kinds: Default::default(),
                modes: Default::default(),
            })
        }
    };
    let made = Shared::new(with_spans(&track, keys));
    let id = id.unwrap_or_else(|| clip.free_track_id());
    clip.tracks.insert(id, made);
}
