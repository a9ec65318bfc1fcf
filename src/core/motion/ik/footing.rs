//! A node held over ranges of a clip: feet that do not slide. Only the rotations of its limb get other keys, and those only where
//! it is held and eased.
//!
//! What is added to the path of the node is one vector per time:
//!
//! ```text
//!  within a range   place + ground·(t − middle) − path(t)      it stands on the ground, which may move
//!  beside it        what was added at that end of the range, less and less: the motion goes on as it was
//! ```
//!
//! A hold is measured frame by frame on the joint and on the skin. Ranges that it would make worse are left as they are.

use std::collections::BTreeSet;

use glam::Vec3;

use super::{
    Goal,
    contacts::{HoldRange, height_of},
    frames::{Frame, Jump, Slide, fastest, frame_of, frame_times, frames, jump, slide},
    limb_of,
    limbs::Limb,
    sole::Sole,
    solve,
};
use crate::{
    model::{Clip, Document, NodeId, Property, Shared, Track, TrackId, UnkeyedAt, transform::angle_between},
    motion::{
        Evaluator, Pose, Stack,
        clip_edit::{Tangents, with_tangents},
        insert_key,
    },
};

/// Keys nearer to one another than this are not put, seconds.
const FINEST: f32 = 1.0 / 480.0;
/// Times nearer than this are one, seconds.
const SAME: f32 = 1e-4;

/// How a node is held.
#[derive(Clone, Copy, Debug)]
pub struct Holding {
    /// Seconds in which it comes there before a range, and goes on after it; as long as it takes without haste unless given.
    pub ease: Option<f32>,
    /// How far it may be from its place, in meters.
    pub tolerance: f32,
    /// Whether keys may be put between frames to keep it that near.
    pub between: bool,
    /// The velocity of the ground that it is held against, meters per second.
    pub ground: Vec3,
}

/// Why a range is left as it was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LeftOut {
    /// It stands already.
    Stands,
    /// The limb reaches no farther: how many meters it is short.
    Reach(f32),
    /// The joint would slide faster than before.
    Slides,
    /// The skin would slide faster than before, since the foot rolls or turns meanwhile.
    Rolls,
    /// It would have to move faster than anywhere in the clip to catch up.
    Hurries,
}

/// What became of a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// The range.
    pub range: HoldRange,
    /// How it slid before, and would slide then.
    pub slid: (Slide, Slide),
    /// Why it is left as it was; it is held unless given.
    pub left: Option<LeftOut>,
}

/// What came of holding a node.
#[derive(Clone, Debug)]
pub struct Held {
    /// The clip.
    pub clip: Clip,
    /// What became of each range.
    pub ranges: Vec<Judged>,
    /// How far it is from its place at most in the ranges that are held, meters.
    pub error: f32,
    /// The worst jump that it brings.
    pub jump: Option<Jump>,
}

/// Holds a node over ranges of a clip, each where it was there on average. It keeps its angle in the scene as the clip has it.
/// Ranges that would be worse for it are left as they are. Nothing where no limb carries the node.
pub fn hold_over(
    document: &Document,
    clip: &Shared<Clip>,
    node: NodeId,
    ranges: &[HoldRange],
    holding: &Holding,
) -> Option<Held> {
    let hold = Hold::new(document, clip, node, ranges.first()?.from, holding)?;
    let mut judged: Vec<Judged> = Vec::new();
    let mut open = hold.on_frames(ranges);
    let slid_before = |range: &HoldRange| hold.slide(&hold.before, *range);
    open.retain(|range| {
        let before = slid_before(range);
        let stands = before.joint <= hold.unseen && before.skin <= hold.unseen;
        if stands {
            judged.push(Judged { range: *range, slid: (before, before), left: Some(LeftOut::Stands) });
        }
        !stands
    });
    loop {
        if open.is_empty() {
            let clip = (**clip).clone();
            return Some(Held { clip, ranges: judged, error: 0.0, jump: None });
        }
        let pieces = hold.pieces(&open);
        let made = Shared::new(hold.made(&pieces));
        let after = frames(document, &made, &hold.limb, &hold.sole, &hold.times);
        let worse: Vec<Option<LeftOut>> = pieces.iter().map(|piece| hold.worse(piece, &after)).collect();
        let now = |range: &HoldRange| (slid_before(range), hold.slide(&after, *range));
        if worse.iter().all(Option::is_none) {
            judged.extend(open.iter().map(|range| Judged { range: *range, slid: now(range), left: None }));
            judged.sort_by(|a, b| a.range.from.total_cmp(&b.range.from));
            let error = pieces.iter().map(|piece| hold.error(piece, &made)).fold(0.0, f32::max);
            let jump = jump(&hold.before, &after, hold.height / 1.8 * 0.05);
            return Some(Held { clip: (*made).clone(), ranges: judged, error, jump });
        }
        let mut left = worse.iter();
        open.retain(|range| {
            let why = left.next().copied().flatten();
            if why.is_some() {
                judged.push(Judged { range: *range, slid: now(range), left: why });
            }
            why.is_none()
        });
    }
}

/// A range as it is worked on. Times may go beyond the end of a loop.
struct Piece {
    range: HoldRange,
    /// Where the node is held in the middle of the range.
    place: Vec3,
    /// Seconds before and after it.
    ease: (f32, f32),
    /// What is added to the path at its start and its end.
    edges: (Vec3, Vec3),
}

struct Hold<'a> {
    document: &'a Document,
    clip: &'a Shared<Clip>,
    limb: Limb,
    sole: Sole,
    frame: f32,
    times: Vec<f32>,
    before: Vec<Frame>,
    ground: Vec3,
    /// How far the node goes on from one round to the next, where the clip is a loop.
    round: Option<Vec3>,
    fastest: f32,
    height: f32,
    /// Speeds that nobody sees, meters per second.
    unseen: f32,
    holding: Holding,
}

impl<'a> Hold<'a> {
    fn new(
        document: &'a Document,
        clip: &'a Shared<Clip>,
        node: NodeId,
        at: f32,
        holding: &Holding,
    ) -> Option<Self> {
        let start = Pose::evaluate(document, &Stack::of(Some(clip), f64::from(at)));
        let limb = limb_of(document, &start, node, None, false)?;
        let sole = Sole::of(document, &start, node);
        let frame = frame_of(clip);
        let times = frame_times(clip, &limb, frame);
        let before = frames(document, clip, &limb, &sole, &times);
        let height = height_of(document, &start);
        let fastest = fastest(&before);
        let mut hold = Self {
            document,
            clip,
            limb,
            sole,
            frame,
            times,
            before,
            ground: holding.ground,
            round: None,
            fastest,
            height,
            unseen: 2e-3 * height / 1.8,
            holding: *holding,
        };
        hold.round = hold.loops();
        Some(hold)
    }

    fn length(&self) -> f32 {
        self.clip.length()
    }

    /// How far the node goes in a round, where the end of the clip is its start, perhaps elsewhere on the ground.
    fn loops(&self) -> Option<Vec3> {
        const ALIKE: f32 = 3.0 * std::f32::consts::PI / 180.0;
        let (first, last) = (self.before.first()?, self.before.last()?);
        let turned = first.locals.iter().zip(&last.locals).any(|(a, b)| angle_between(*a, *b) > ALIKE);
        let gone = last.place - first.place;
        let is_loop = !turned && angle_between(first.turn, last.turn) <= ALIKE && gone.y.abs() <= 0.01 * self.height;
        (is_loop && self.length() > 0.0).then_some(gone)
    }

    /// Where the node is by the clip, at a time that may lie beyond its ends in a loop.
    fn path(&self, time: f32) -> Vec3 {
        let (turns, time) = match self.round {
            Some(_) if time > self.length() + SAME => (1.0, time - self.length()),
            Some(_) if time < -SAME => (-1.0, time + self.length()),
            _ => (0.0, time),
        };
        let at = self.before.partition_point(|f| f.time < time).clamp(1, self.before.len() - 1);
        let (a, b) = (&self.before[at - 1], &self.before[at]);
        let part = ((time - a.time) / (b.time - a.time).max(1e-6)).clamp(0.0, 1.0);
        a.place.lerp(b.place, part) + self.round.unwrap_or_default() * turns
    }

    /// The ranges from frame to frame; those at both ends of a loop are one, which goes beyond its end.
    fn on_frames(&self, ranges: &[HoldRange]) -> Vec<HoldRange> {
        let near = |time: f32| {
            let nearest = self.times.iter().copied().min_by(|a, b| (a - time).abs().total_cmp(&(b - time).abs()));
            nearest.unwrap_or(time)
        };
        let mut found: Vec<HoldRange> = Vec::new();
        for range in ranges {
            let range = HoldRange { from: near(range.from), to: near(range.to) };
            match found.last_mut().filter(|last| range.from - last.to < 1.5 * self.frame) {
                Some(last) => last.to = last.to.max(range.to),
                None => found.push(range),
            }
        }
        found.retain(|r| r.to > r.from);
        let length = self.length();
        if let (Some(_), [first, .., last]) = (self.round, &mut found[..])
            && first.from <= 1.5 * self.frame
            && last.to >= length - 1.5 * self.frame
        {
            last.to = length + first.to;
            found.remove(0);
        }
        found
    }

    /// A range in the times of the clip: two where it goes beyond the end of a loop.
    fn within(&self, range: HoldRange) -> Vec<HoldRange> {
        let length = self.length();
        if range.to <= length + SAME {
            return vec![range];
        }
        vec![HoldRange { to: length, ..range }, HoldRange { from: 0.0, to: range.to - length }]
    }

    fn slide(&self, frames: &[Frame], range: HoldRange) -> Slide {
        let parts = self.within(range).into_iter().map(|part| slide(frames, part, self.ground));
        parts.fold(Slide::default(), Slide::max)
    }

    fn pieces(&self, ranges: &[HoldRange]) -> Vec<Piece> {
        let middle = |r: &HoldRange| (r.from + r.to) * 0.5;
        let place = |range: &HoldRange| {
            let count = ((range.to - range.from) / self.frame).round().max(1.0) as usize;
            let at = |k: usize| range.from + (range.to - range.from) * k as f32 / count as f32;
            let sum: Vec3 = (0..=count).map(|k| self.path(at(k)) - self.ground * (at(k) - middle(range))).sum();
            sum / (count + 1) as f32
        };
        // How much time there is between ranges; beyond the ends of what is no loop as much as it wants.
        let length = self.length();
        let room = |from: Option<&HoldRange>, to: Option<&HoldRange>| match (from, to, self.round) {
            (Some(a), Some(b), _) => b.from - a.to,
            (Some(a), None, Some(_)) => ranges[0].from + length - a.to,
            (None, Some(b), Some(_)) => b.from + length - ranges[ranges.len() - 1].to,
            _ => f32::INFINITY,
        };
        let ease = |edge: Vec3, room: f32| {
            let hasty = (self.fastest * 0.25).max(0.15 * self.height);
            let own = self.holding.ease.unwrap_or_else(|| (edge.length() * 1.5 / hasty).max(0.1));
            own.min(room.max(0.0))
        };
        let piece = |(k, range): (usize, &HoldRange)| {
            let place = place(range);
            let target = |time: f32| place + self.ground * (time - middle(range));
            let edges =
                (target(range.from) - self.path(range.from), target(range.to) - self.path(range.to));
            let before = room(k.checked_sub(1).map(|k| &ranges[k]), Some(range));
            let after = room(Some(range), ranges.get(k + 1));
            Piece { range: *range, place, ease: (ease(edges.0, before), ease(edges.1, after)), edges }
        };
        ranges.iter().enumerate().map(piece).collect()
    }

    /// The shifts at which a piece is seen.
    fn shifts(&self) -> &'static [f32] {
        if self.round.is_some() { &[-1.0, 0.0, 1.0] } else { &[0.0] }
    }

    /// Where a node is to be at a time within a piece.
    fn target(&self, piece: &Piece, time: f32) -> Vec3 {
        piece.place + self.ground * (time - (piece.range.from + piece.range.to) * 0.5)
    }

    /// What is added to the path of the node at a time; nothing where nothing is.
    fn offset(&self, pieces: &[Piece], time: f32) -> Option<Vec3> {
        let smooth = |part: f32| part * part * (3.0 - 2.0 * part);
        let mut sum: Option<Vec3> = None;
        for (piece, shift) in pieces.iter().flat_map(|p| self.shifts().iter().map(move |s| (p, *s))) {
            let time = time + shift * self.length();
            let (range, ease) = (piece.range, piece.ease);
            if time >= range.from - SAME && time <= range.to + SAME {
                return Some(self.target(piece, time) - self.path(time));
            }
            let (beyond, ease, edge) = if time < range.from {
                (range.from - time, ease.0, piece.edges.0)
            } else {
                (time - range.to, ease.1, piece.edges.1)
            };
            if beyond < ease {
                sum = Some(sum.unwrap_or_default() + edge * smooth(1.0 - beyond / ease));
            }
        }
        sum
    }

    /// The parts of the clip that get other keys, from frame to frame.
    fn windows(&self, pieces: &[Piece]) -> Vec<(f32, f32)> {
        let length = self.length();
        let down = |time: f32| self.times.iter().copied().filter(|t| *t <= time + SAME).fold(0.0, f32::max);
        let up = |time: f32| self.times.iter().copied().filter(|t| *t >= time - SAME).fold(length, f32::min);
        let mut found: Vec<(f32, f32)> = Vec::new();
        for (piece, shift) in pieces.iter().flat_map(|p| self.shifts().iter().map(move |s| (p, *s))) {
            let from = piece.range.from - piece.ease.0 - shift * length;
            let to = piece.range.to + piece.ease.1 - shift * length;
            if to > 0.0 && from < length {
                found.push((down(from.max(0.0)), up(to.min(length))));
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut merged: Vec<(f32, f32)> = Vec::new();
        for window in found {
            match merged.last_mut().filter(|last| window.0 <= last.1) {
                Some(last) => last.1 = last.1.max(window.1),
                None => merged.push(window),
            }
        }
        merged
    }

    /// The clip with the node held.
    fn made(&self, pieces: &[Piece]) -> Clip {
        let mut clip = (**self.clip).clone();
        let windows = self.windows(pieces);
        let Some(first) = windows.first() else { return clip };
        let ids = self.tracks(&mut clip, first.0);
        for window in &windows {
            self.fill(&mut clip, &ids, pieces, *window);
        }
        clip
    }

    /// The rotation tracks of the limb, those that are not there yet with one key.
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
                    interpolation: crate::model::Interpolation::Linear,
                    times: [at].into(),
                    values: now.to_array().to_vec().into(),
                    width: 4,
                    kinds: Default::default(),
                };
                clip.tracks.insert(id, Shared::new(track));
                id
            });
            ids.push((node, id));
        }
        ids
    }

    /// Sets keys in a part of the clip: those that are there, and as many more as it takes.
    fn fill(&self, clip: &mut Clip, ids: &[(NodeId, TrackId)], pieces: &[Piece], (begin, end): (f32, f32)) {
        let within = |t: f32| t >= begin - UnkeyedAt::NEAR && t <= end + UnkeyedAt::NEAR;
        let edges = pieces.iter().flat_map(|p| self.within(p.range)).flat_map(|r| [r.from, r.to]);
        let edges: Vec<f32> = [begin, end].into_iter().chain(edges.filter(|t| within(*t))).collect();
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
                let Some(offset) = self.offset(pieces, *time) else { continue };
                before.update(self.document, &Stack::of(Some(self.clip), f64::from(*time)), &mut pose);
                let world = pose.world[node.index()];
                let target = world.w_axis.truncate() + offset;
                let goal = Goal { tip: Vec3::ZERO, target, swivel: 0.0, keeps: Some(world), soft: false };
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

    /// The times at which keys are missing between those that are there.
    fn missing(&self, clip: &Clip, pieces: &[Piece], times: &BTreeSet<u32>) -> Vec<f32> {
        let made = Shared::new(clip.clone());
        let Some(node) = self.limb.end() else { return Vec::new() };
        let (mut after, mut before) = (Evaluator::default(), Evaluator::default());
        let (mut is, mut was) = (Pose::default(), Pose::default());
        let mut off = |time: f32| {
            after.update(self.document, &Stack::of(Some(&made), f64::from(time)), &mut is);
            before.update(self.document, &Stack::of(Some(self.clip), f64::from(time)), &mut was);
            let place = |pose: &Pose| pose.world[node.index()].w_axis.truncate();
            place(&is).distance(place(&was) + self.offset(pieces, time).unwrap_or_default())
        };
        let held = |time: f32| {
            let parts = pieces.iter().flat_map(|p| self.within(p.range));
            parts.into_iter().any(|r| time >= r.from - SAME && time <= r.to + SAME)
        };
        let list: Vec<f32> = times.iter().map(|bits| f32::from_bits(*bits)).collect();
        let mut found = Vec::new();
        for pair in list.windows(2) {
            // On its way nobody sees whether it is quite on the curve.
            let most = self.holding.tolerance * if held(pair[0]) && held(pair[1]) { 0.8 } else { 16.0 };
            let (low, high) = (pair[0] + 0.5 * self.frame, pair[1] - 0.5 * self.frame);
            let between: Vec<f32> = self.times.iter().copied().filter(|t| *t > low && *t < high).collect();
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

    /// How far the node is from its place at most within a piece, at frames and between them.
    fn error(&self, piece: &Piece, made: &Shared<Clip>) -> f32 {
        let middles = self.times.windows(2).map(|w| (w[0] + w[1]) * 0.5);
        let parts = self.within(piece.range);
        let within = |t: f32| parts.iter().any(|r| t >= r.from - SAME && t <= r.to + SAME);
        let times: Vec<f32> = self.times.iter().copied().chain(middles).filter(|t| within(*t)).collect();
        let seen = frames(self.document, made, &self.limb, &self.sole, &times);
        seen.iter().map(|f| self.away(piece, f)).fold(0.0, f32::max)
    }

    /// How far a node is from its place at a frame within a piece.
    fn away(&self, piece: &Piece, frame: &Frame) -> f32 {
        let beyond = piece.range.to > self.length() + SAME && frame.time < piece.range.from - SAME;
        match (beyond, self.round) {
            (true, Some(gone)) => {
                (frame.place + gone).distance(self.target(piece, frame.time + self.length()))
            }
            _ => frame.place.distance(self.target(piece, frame.time)),
        }
    }

    /// Why a piece must be left as it was; nothing where it is better than before.
    fn worse(&self, piece: &Piece, after: &[Frame]) -> Option<LeftOut> {
        let (was, is) = (self.slide(&self.before, piece.range), self.slide(after, piece.range));
        let parts = self.within(piece.range);
        let within = |f: &&Frame| parts.iter().any(|r| f.time >= r.from - SAME && f.time <= r.to + SAME);
        let short = after.iter().filter(within).map(|f| self.away(piece, f)).fold(0.0, f32::max);
        if short > 0.01 * self.height / 1.8 && short > 4.0 * self.holding.tolerance {
            return Some(LeftOut::Reach(short));
        }
        if is.joint > was.joint {
            return Some(LeftOut::Slides);
        }
        if is.skin > was.skin + self.unseen {
            return Some(LeftOut::Rolls);
        }
        let length = self.length();
        let near = |time: f32| {
            self.shifts().iter().any(|shift| {
                let time = time + shift * length;
                time >= piece.range.from - piece.ease.0 - SAME && time <= piece.range.to + piece.ease.1 + SAME
            })
        };
        let steps = after.windows(2).filter(|w| near(w[0].time) && near(w[1].time));
        let speed = |w: &[Frame]| w[0].place.distance(w[1].place) / (w[1].time - w[0].time).max(1e-6);
        let fastest = steps.map(speed).fold(0.0, f32::max);
        (fastest > self.fastest + self.unseen).then_some(LeftOut::Hurries)
    }
}

/// Puts a rotation at a time, of its two signs the one near the key before.
fn put(clip: &mut Clip, id: TrackId, time: f32, mut value: [f32; 4]) {
    let Some(track) = clip.tracks.get_mut(&id) else { return };
    let before = track.value(track.times.partition_point(|t| *t < time).saturating_sub(1));
    if before.iter().zip(&value).map(|(a, b)| a * b).sum::<f32>() < 0.0 {
        value = value.map(|v| -v);
    }
    *track = Shared::new(insert_key(track, time, Some(&value), false).track);
}

/// Smooth tangents for the keys within, where a track has any; those at both ends keep theirs on the far side.
fn smooth(clip: &mut Clip, id: TrackId, times: &BTreeSet<u32>, begin: f32, end: f32) {
    let Some(track) = clip.tracks.get_mut(&id) else { return };
    if track.interpolation != crate::model::Interpolation::CubicSpline {
        return;
    }
    let inside: Vec<f32> = times
        .iter()
        .map(|bits| f32::from_bits(*bits))
        .filter(|t| *t > begin + UnkeyedAt::NEAR && *t < end - UnkeyedAt::NEAR)
        .collect();
    *track = Shared::new(with_tangents(track, &inside, Tangents::Auto));
}
