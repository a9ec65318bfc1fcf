//! A node that is held over time ranges: its target position, its path, and whether the hold
//! improves a range.

use glam::Vec3;

use crate::{
    Pose, Stack,
    ik::{
        contacts::{HoldRange, height_of},
        frames::{Frame, Slide, fastest, frame_of, frame_times, frames, slide},
        limb_of,
        limbs::Limb,
        sole::Sole,
    },
};
use ulna_model::{Clip, Document, NodeId, Shared, transform::angle_between};

/// Maximum difference of times that count as equal, seconds.
pub(super) const SAME: f32 = 1e-4;

/// Settings for holding a node.
#[derive(Clone, Copy, Debug)]
pub struct Holding {
    /// Duration of the transitions before and after a range, seconds. With `None`, the duration is
    /// chosen so that transitions are not too fast.
    pub ease: Option<f32>,
    /// Maximum distance of the node from its target position, meters.
    pub tolerance: f32,
    /// Whether a range may be shortened at both ends, where the foot rolls or lands.
    pub shrinks: bool,
    /// Whether keys may be inserted between frames to stay within the tolerance.
    pub between: bool,
    /// The velocity of the ground, meters per second.
    pub ground: Vec3,
}

/// Reason why a range is left unchanged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LeftOut {
    /// The node is already static in the range.
    Stands,
    /// The limb cannot reach the target. The value is the missing distance in meters.
    Reach(f32),
    /// The joint would slide faster than before.
    Slides,
    /// The skin would slide faster than before, since the foot rolls or rotates.
    Rolls,
    /// The transition would be faster than any motion in the clip.
    Hurries,
}

/// A range to try to hold. `slower` is the duration factor of its transitions.
#[derive(Clone, Copy)]
pub(super) struct Attempt {
    pub(super) range: HoldRange,
    /// The requested range, before it was shortened.
    pub(super) whole: HoldRange,
    pub(super) slower: f32,
}

/// A range to hold, with its target and transitions. In a loop, its times may be beyond the end.
pub(super) struct Piece {
    pub(super) range: HoldRange,
    /// The requested range, before it was shortened.
    pub(super) whole: HoldRange,
    /// Whether the range is rejected if its transitions are too fast.
    pub(super) waits: bool,
    /// Target position of the node at the middle time of the range, in scene space.
    pub(super) place: Vec3,
    /// Durations of the transitions before and after the range, seconds.
    pub(super) ease: (f32, f32),
    /// Offsets from the node's path to its target at the start and the end of the range, meters.
    pub(super) edges: (Vec3, Vec3),
}

/// A held node, and its path in the clip.
pub(super) struct Hold<'a> {
    pub(super) document: &'a Document,
    pub(super) clip: &'a Shared<Clip>,
    pub(super) limb: Limb,
    pub(super) sole: Sole,
    pub(super) frame: f32,
    pub(super) times: Vec<f32>,
    pub(super) before: Vec<Frame>,
    pub(super) ground: Vec3,
    /// Travel of the node per cycle in meters; `None` if the clip is not a loop.
    pub(super) round: Option<Vec3>,
    pub(super) fastest: f32,
    /// Length of the straight limb, meters.
    pub(super) reach: f32,
    pub(super) height: f32,
    /// Maximum speed that is invisible, meters per second.
    pub(super) unseen: f32,
    pub(super) holding: Holding,
}

impl<'a> Hold<'a> {
    pub(super) fn new(
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
        let joints: Vec<Vec3> = limb
            .turns
            .iter()
            .map(|k| limb.nodes[*k])
            .chain(limb.end())
            .map(|n| start.world[n.index()].w_axis.truncate())
            .collect();
        let reach = joints.windows(2).map(|w| w[0].distance(w[1])).sum();
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
            reach,
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

    /// Travel of the node per cycle, meters; `None` if the clip is not a loop. A loop ends in the
    /// pose of its start, possibly at another place on the ground.
    fn loops(&self) -> Option<Vec3> {
        const ALIKE: f32 = 3.0 * std::f32::consts::PI / 180.0;
        let (first, last) = (self.before.first()?, self.before.last()?);
        let turned =
            first.locals.iter().zip(&last.locals).any(|(a, b)| angle_between(*a, *b) > ALIKE);
        let gone = last.place - first.place;
        let is_loop = !turned
            && angle_between(first.turn, last.turn) <= ALIKE
            && gone.y.abs() <= 0.01 * self.height;
        (is_loop && self.length() > 0.0).then_some(gone)
    }

    /// Position of the node in the clip. In a loop, the time may be beyond its ends.
    fn path(&self, time: f32) -> Vec3 {
        self.at(time, &|f| f.place)
    }

    /// Interpolates a vector of the clip's frames at a time. In a loop, the time may be beyond its
    /// ends.
    fn at(&self, time: f32, of: &dyn Fn(&Frame) -> Vec3) -> Vec3 {
        let (turns, time) = match self.round {
            Some(_) if time > self.length() + SAME => (1.0, time - self.length()),
            Some(_) if time < -SAME => (-1.0, time + self.length()),
            _ => (0.0, time),
        };
        let at = self.before.partition_point(|f| f.time < time).clamp(1, self.before.len() - 1);
        let (a, b) = (&self.before[at - 1], &self.before[at]);
        let part = ((time - a.time) / (b.time - a.time).max(1e-6)).clamp(0.0, 1.0);
        of(a).lerp(of(b), part) + self.round.unwrap_or_default() * turns
    }

    /// Times of the frames in a range, seconds.
    fn moments(&self, range: &HoldRange) -> Vec<f32> {
        let count = ((range.to - range.from) / self.frame).round().max(1.0) as usize;
        (0..=count)
            .map(|k| range.from + (range.to - range.from) * k as f32 / count as f32)
            .collect()
    }

    /// Target position at the middle time of a range: the mean position of the node. If the limb
    /// cannot reach it during the whole range, it is replaced by the nearest position that the limb
    /// can reach.
    fn place(&self, range: &HoldRange) -> Vec3 {
        /// `REACH` is the maximum reach, relative to the limb's length. `FAR` is the maximum
        /// distance between the target and the mean position, relative to the body's height.
        const REACH: f32 = 0.99;
        const FAR: f32 = 0.15;
        let middle = (range.from + range.to) * 0.5;
        let moments = self.moments(range);
        let sum: Vec3 = moments.iter().map(|t| self.path(*t) - self.ground * (t - middle)).sum();
        let mean = sum / moments.len() as f32;
        let roots: Vec<Vec3> =
            moments.iter().map(|t| self.at(*t, &|f| f.root) - self.ground * (t - middle)).collect();
        let mut place = mean;
        for _ in 0..200 {
            for root in &roots {
                let way = place - *root;
                let over = way.length() - self.reach * REACH;
                if over > 0.0 {
                    place -= way.normalize_or_zero() * over;
                }
            }
        }
        if place.distance(mean) <= FAR * self.height { place } else { mean }
    }

    /// Extends the ranges to whole frames. In a loop, ranges at the start and at the end are joined
    /// to one range, which extends beyond the end of the loop.
    pub(super) fn on_frames(&self, ranges: &[HoldRange]) -> Vec<HoldRange> {
        // All of the requested range is held, so it is extended to the frames around it.
        let near = 0.05 * self.frame;
        let down = |time: f32| {
            self.times.iter().copied().filter(|t| *t <= time + near).fold(0.0, f32::max)
        };
        let up = |time: f32| {
            self.times.iter().copied().filter(|t| *t >= time - near).fold(self.length(), f32::min)
        };
        let mut found: Vec<HoldRange> = Vec::new();
        for range in ranges {
            let range = HoldRange { from: down(range.from), to: up(range.to) };
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

    /// Converts a range to times inside the clip. A range that extends beyond the end of a loop
    /// becomes two ranges.
    pub(super) fn within(&self, range: HoldRange) -> Vec<HoldRange> {
        let length = self.length();
        if range.to <= length + SAME {
            return vec![range];
        }
        vec![HoldRange { to: length, ..range }, HoldRange { from: 0.0, to: range.to - length }]
    }

    pub(super) fn slide(&self, frames: &[Frame], range: HoldRange) -> Slide {
        let parts = self.within(range).into_iter().map(|part| slide(frames, part, self.ground));
        parts.fold(Slide::default(), Slide::max)
    }

    /// Whether the transitions of a range may still be made longer.
    pub(super) fn can_wait(&self, attempt: &Attempt) -> bool {
        self.holding.ease.is_none() && attempt.slower < 4.0
    }

    /// Returns the next attempt for a range that became worse; `None` if there is none. Transitions
    /// that were too fast become longer. Otherwise, the range becomes one frame shorter at both
    /// ends.
    pub(super) fn again(&self, attempt: Attempt, why: LeftOut) -> Option<Attempt> {
        if why == LeftOut::Hurries && self.can_wait(&attempt) {
            return Some(Attempt { slower: attempt.slower * 2.0, ..attempt });
        }
        let range =
            HoldRange { from: attempt.range.from + self.frame, to: attempt.range.to - self.frame };
        let is_some = range.to - range.from > 1.5 * self.frame;
        (self.holding.shrinks && is_some && range.from < self.length()).then_some(Attempt {
            range,
            whole: attempt.whole,
            slower: 1.0,
        })
    }

    /// Minimum distance from the target that counts as out of reach, meters.
    pub(super) fn far(&self) -> f32 {
        (0.01 * self.height / 1.8).max(4.0 * self.holding.tolerance)
    }

    /// Maximum distance of the node from its target at the frames of a piece, meters.
    pub(super) fn short(&self, piece: &Piece, frames: &[Frame]) -> f32 {
        let parts = self.within(piece.range);
        let within =
            |f: &&Frame| parts.iter().any(|r| f.time >= r.from - SAME && f.time <= r.to + SAME);
        frames.iter().filter(within).map(|f| self.away(piece, f)).fold(0.0, f32::max)
    }

    pub(super) fn pieces(&self, open: &[Attempt]) -> Vec<Piece> {
        let ranges: Vec<HoldRange> = open.iter().map(|o| o.range).collect();
        let middle = |r: &HoldRange| (r.from + r.to) * 0.5;
        // Time available between two ranges. It is unlimited at both ends of a clip that is not a
        // loop.
        let length = self.length();
        let room = |from: Option<&HoldRange>, to: Option<&HoldRange>| match (from, to, self.round) {
            (Some(a), Some(b), _) => b.from - a.to,
            (Some(a), None, Some(_)) => ranges[0].from + length - a.to,
            (None, Some(b), Some(_)) => b.from + length - ranges[ranges.len() - 1].to,
            _ => f32::INFINITY,
        };
        let ease =
            |slower: f32, room: f32| self.holding.ease.unwrap_or(0.1 * slower).min(room.max(0.0));
        let piece = |(k, range): (usize, &HoldRange)| {
            let (place, slower) = (self.place(range), open[k].slower);
            let target = |time: f32| place + self.ground * (time - middle(range));
            let edges = (
                target(range.from) - self.path(range.from),
                target(range.to) - self.path(range.to),
            );
            let before = room(k.checked_sub(1).map(|k| &ranges[k]), Some(range));
            let after = room(Some(range), ranges.get(k + 1));
            let waits =
                self.holding.ease.is_none() && (self.holding.shrinks || self.can_wait(&open[k]));
            Piece {
                range: *range,
                whole: open[k].whole,
                waits,
                place,
                ease: (ease(slower, before), ease(slower, after)),
                edges,
            }
        };
        ranges.iter().enumerate().map(piece).collect()
    }

    /// Offsets, in cycles, at which a piece may have an effect. In a loop, a piece also affects the
    /// previous and the next cycle.
    fn shifts(&self) -> &'static [f32] {
        if self.round.is_some() { &[-1.0, 0.0, 1.0] } else { &[0.0] }
    }

    /// Target position of the node at a time within a piece.
    fn target(&self, piece: &Piece, time: f32) -> Vec3 {
        piece.place + self.ground * (time - (piece.range.from + piece.range.to) * 0.5)
    }

    /// Offset that is added to the node's path at a time; `None` if there is no offset. `now` is
    /// the node's exact position in the clip. Between frames, the path is an arc, so the
    /// interpolated position is not enough to keep held nodes in place.
    pub(super) fn offset(&self, pieces: &[Piece], time: f32, now: Vec3) -> Option<Vec3> {
        let arc = now - self.path(time);
        let smooth = |part: f32| part * part * (3.0 - 2.0 * part);
        let mut sum: Option<Vec3> = None;
        for (piece, shift) in pieces.iter().flat_map(|p| self.shifts().iter().map(move |s| (p, *s)))
        {
            let time = time + shift * self.length();
            let (range, ease) = (piece.range, piece.ease);
            if time >= range.from - SAME && time <= range.to + SAME {
                return Some(self.target(piece, time) - self.path(time) - arc);
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

    /// Time ranges of the clip that get new keys, aligned to frames.
    pub(super) fn windows(&self, pieces: &[Piece]) -> Vec<(f32, f32)> {
        let length = self.length();
        let down = |time: f32| {
            self.times.iter().copied().filter(|t| *t <= time + SAME).fold(0.0, f32::max)
        };
        let up = |time: f32| {
            self.times.iter().copied().filter(|t| *t >= time - SAME).fold(length, f32::min)
        };
        let mut found: Vec<(f32, f32)> = Vec::new();
        for (piece, shift) in pieces.iter().flat_map(|p| self.shifts().iter().map(move |s| (p, *s)))
        {
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

    /// Maximum distance of the node from its target within a piece, at frames and between them, in
    /// meters.
    pub(super) fn error(&self, piece: &Piece, made: &Shared<Clip>) -> f32 {
        /// Fractions of a frame at which the motion is checked: the middle, and positions away from
        /// halves and quarters, where keys can be.
        const LOOKS: [f32; 5] = [0.19, 0.37, 0.5, 0.63, 0.81];
        let between =
            self.times.windows(2).flat_map(|w| LOOKS.map(|part| w[0] + (w[1] - w[0]) * part));
        let parts = self.within(piece.range);
        let within = |t: f32| parts.iter().any(|r| t >= r.from - SAME && t <= r.to + SAME);
        let mut times: Vec<f32> =
            self.times.iter().copied().chain(between).filter(|t| within(*t)).collect();
        times.sort_by(f32::total_cmp);
        let seen = frames(self.document, made, &self.limb, &self.sole, &times);
        seen.iter().map(|f| self.away(piece, f)).fold(0.0, f32::max)
    }

    /// Returns the distance of the node from its target at a frame of the range, in meters.
    fn away(&self, piece: &Piece, frame: &Frame) -> f32 {
        let beyond = piece.range.to > self.length() + SAME && frame.time < piece.range.from - SAME;
        match (beyond, self.round) {
            (true, Some(gone)) => {
                (frame.place + gone).distance(self.target(piece, frame.time + self.length()))
            }
            _ => frame.place.distance(self.target(piece, frame.time)),
        }
    }

    /// Returns the reason to leave the range unchanged; `None` if the result is better than before.
    pub(super) fn worse(&self, piece: &Piece, after: &[Frame]) -> Option<LeftOut> {
        // If a range was shortened, the rest of the requested range must not become worse.
        let of =
            |frames: &[Frame]| [piece.range, piece.whole].map(|range| self.slide(frames, range));
        let (before, then) = (of(&self.before), of(after));
        let part =
            (0..2).find(|k| then[*k].joint > before[*k].joint || then[*k].skin > before[*k].skin);
        let short = self.short(piece, after);
        // An improvement is kept, even if the limb does not reach the target.
        match part {
            Some(_) if short > self.far() => return Some(LeftOut::Reach(short)),
            Some(k) if then[k].joint > before[k].joint => return Some(LeftOut::Slides),
            Some(_) => return Some(LeftOut::Rolls),
            None if !piece.waits => return None,
            None => {}
        }
        let length = self.length();
        let near = |time: f32| {
            self.shifts().iter().any(|shift| {
                let time = time + shift * length;
                time >= piece.range.from - piece.ease.0 - SAME
                    && time <= piece.range.to + piece.ease.1 + SAME
            })
        };
        let steps = after.windows(2).filter(|w| near(w[0].time) && near(w[1].time));
        let speed =
            |w: &[Frame]| w[0].place.distance(w[1].place) / (w[1].time - w[0].time).max(1e-6);
        let fastest = steps.map(speed).fold(0.0, f32::max);
        (fastest > self.fastest + self.unseen).then_some(LeftOut::Hurries)
    }
}
