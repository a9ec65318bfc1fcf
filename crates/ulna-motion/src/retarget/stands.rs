//! Stands: groups of goals of one foot or hand that overlap in time, with a common place.

use glam::{Mat4, Quat, Vec3};

use super::feet::{Foot, SolePoint, rotation_of};
use ulna_model::{Goal, GoalPoint, transform::angle_between};

/// Times closer than this count as equal, seconds.
const SAME: f32 = 1e-4;
/// Maximum gap between goals of a foot that belong to one contact, seconds.
const TOUCH: f32 = 0.05;

/// A goal, and the wanted height of its point in meters if it is known.
pub(super) type PlacedGoal = (Goal, Option<f32>);

/// Pose of a foot at one time of a clip, before its contacts are kept.
#[derive(Clone, Debug)]
pub(super) struct FootFrame {
    pub time: f32,
    /// `scene_from_foot`.
    pub foot: Mat4,
    /// `scene_from_toes`; equal to `foot` if the foot has no toe joint.
    pub toe: Mat4,
    /// Position of the first joint of the leg, meters.
    pub root: Vec3,
    /// Length of the straight leg, meters.
    pub reach: f32,
    /// `scene_from_node` of each node of [`Foot::spaces`].
    pub spaces: Vec<Mat4>,
}

impl FootFrame {
    /// Position of the foot joint in the scene, meters.
    pub fn ankle(&self) -> Vec3 {
        self.foot.w_axis.truncate()
    }
}

/// A contact of a foot that rolls over one place: its heel, its ball or both stay there. Also a
/// contact of a hand.
#[derive(Clone, Debug)]
pub(super) struct Stand {
    /// Point, start and end of each goal, seconds. In a loop, goals may be one cycle earlier or
    /// later.
    pub ranges: Vec<(GoalPoint, f32, f32)>,
    /// Start and end of the whole stand, seconds.
    range: (f32, f32),
    /// Duration of the blend before and after the range, seconds.
    pub blend: f32,
    /// Index into [`Foot::spaces`] of the node whose space holds `places`; `None` for the scene.
    space: Option<usize>,
    /// Position of joint, heel and ball in the space at the time `at`, meters.
    places: [Vec3; 3],
    at: f32,
    /// Velocity of the ground, meters per second; zero in the space of a node.
    ground: Vec3,
    /// Ranges in which heel and ball both stay in place, with the rotation that is added to the
    /// foot at both ends.
    flats: Vec<(f32, f32, [Quat; 2])>,
    /// Fraction of the rotation that lays the toes flat, `0.0..=1.0`.
    toe_roll: f32,
    /// Height of the lowest point of the sole, meters; `None` to use the heights of the points.
    low: Option<f32>,
    /// Rotation that levels the foot in the middle of the contact; used if only one point of the
    /// foot has a contact.
    tilt: Quat,
    /// Offset in meters and rotation that are added to the foot at the start and the end of the
    /// range. Outside the range they fade out, so that the motion continues without a jump.
    edges: [(Vec3, Quat); 2],
}

const fn slot(point: GoalPoint) -> usize {
    match point {
        GoalPoint::Joint => 0,
        GoalPoint::Heel => 1,
        GoalPoint::Ball => 2,
    }
}

/// Smootherstep: 0 to 1 with first and second derivatives of 0 at both ends.
fn smooth(x: f32) -> f32 {
    let x = x.clamp(0.0, 1.0);
    x * x * x * (x * (x * 6.0 - 15.0) + 10.0)
}

impl Stand {
    /// Start and end of the stand without blends, seconds.
    pub const fn range(&self) -> (f32, f32) {
        self.range
    }

    /// Start and end of the stand with blends, seconds.
    pub fn span(&self) -> (f32, f32) {
        let (from, to) = self.range();
        (from - self.blend, to + self.blend)
    }

    /// Weight of the contact of a point, `0.0..=1.0`.
    pub fn weight(&self, point: GoalPoint, time: f32) -> f32 {
        let own = self.ranges.iter().filter(|r| r.0 == point);
        own.map(|(_, from, to)| self.fades((from - time).max(time - to))).fold(0.0, f32::max)
    }

    /// Wanted scene position of a point, meters.
    pub fn place(&self, point: GoalPoint, frame: &FootFrame) -> Vec3 {
        let place = self.places[slot(point)];
        match self.space.and_then(|k| frame.spaces.get(k)) {
            Some(space) => space.transform_point3(place),
            None => place + self.ground * (frame.time - self.at),
        }
    }

    /// Vector from the wanted position of a point to its actual position, meters. Its axes are
    /// those of the node whose space the stand uses, or else of the scene.
    pub fn error(&self, (point, at): (GoalPoint, Vec3), frame: &FootFrame) -> Vec3 {
        let off = frame.foot.transform_point3(at) - self.place(point, frame);
        match self.space.and_then(|k| frame.spaces.get(k)) {
            Some(space) => rotation_of(space).inverse() * off,
            // Soles stand on their lowest point, so that heights of single points may differ.
            None => off.with_y(0.0),
        }
    }

    /// Returns the stand shifted by `time` seconds, and by `way` meters in the scene.
    fn moved(&self, time: f32, way: Vec3) -> Self {
        let mut made = self.clone();
        made.ranges.iter_mut().for_each(|r| (r.1, r.2) = (r.1 + time, r.2 + time));
        made.flats.iter_mut().for_each(|r| (r.0, r.1) = (r.0 + time, r.1 + time));
        made.range = (self.range.0 + time, self.range.1 + time);
        made.at += time;
        if self.space.is_none() {
            made.places.iter_mut().for_each(|p| *p += way);
        }
        made
    }

    /// Times at which [`Self::find_edges`] needs samples of the foot: the ends of flat ranges, then
    /// of the whole stand.
    fn edge_times(&self) -> Vec<f32> {
        let (from, to) = self.range();
        self.flats.iter().flat_map(|f| [f.0, f.1]).chain([from, to]).collect()
    }

    /// Computes the offsets at the ends of the ranges. `frames` are the samples of the foot at
    /// [`Self::edge_times`].
    fn find_edges(&mut self, foot: &Foot, frames: &[FootFrame]) {
        for (flat, frames) in self
            .flats
            .clone()
            .into_iter()
            .zip(frames.chunks(2))
            .enumerate()
            .map(|(k, (_, frames))| (k, frames))
        {
            let turns = [0, 1].map(|end| self.level_turn(foot, &frames[end]));
            self.flats[flat].2 = turns;
        }
        let ends = &frames[frames.len() - 2..];
        self.edges = [0, 1].map(|end| self.within(foot, &ends[end]));
    }

    /// Rotation that is added to the foot so that the line from heel to ball has its wanted
    /// direction.
    fn level_turn(&self, foot: &Foot, frame: &FootFrame) -> Quat {
        /// Maximum angle of the rotation, radians.
        const MOST: f32 = 0.6;
        let seen = |p: GoalPoint| foot.point(p).map(|at| frame.foot.transform_point3(at));
        let (Some(a), Some(b)) = (seen(GoalPoint::Heel), seen(GoalPoint::Ball)) else {
            return Quat::IDENTITY;
        };
        let wanted = self.place(GoalPoint::Ball, frame) - self.place(GoalPoint::Heel, frame);
        let (now, wanted) = ((b - a).normalize_or_zero(), wanted.normalize_or_zero());
        if now == Vec3::ZERO || wanted == Vec3::ZERO || now.angle_between(wanted) > MOST {
            return Quat::IDENTITY;
        }
        Quat::from_rotation_arc(now, wanted)
    }

    /// Weight at a time that is `off` seconds before the start or after the end of a range.
    fn fades(&self, off: f32) -> f32 {
        match off {
            off if off <= SAME => 1.0,
            _ if self.blend <= 0.0 => 0.0,
            off => smooth(1.0 - off / self.blend),
        }
    }

    /// Offset in meters and rotation about the ankle that are added to the foot within the range.
    fn within(&self, foot: &Foot, frame: &FootFrame) -> (Vec3, Quat) {
        let time = frame.time;
        let mut turn = (0.0, self.tilt);
        for (from, to, turns) in &self.flats {
            let weight = self.fades((from - time).max(time - to));
            if weight > turn.0 {
                let own = if time < *from {
                    turns[0]
                } else if time > *to {
                    turns[1]
                } else {
                    self.level_turn(foot, frame)
                };
                turn = (weight, Quat::IDENTITY.slerp(own, weight));
            }
        }
        let (mut sum, mut total) = (Vec3::ZERO, 0.0);
        for point in GoalPoint::ALL {
            let weight = self.weight(point, time);
            let Some(at) = foot.point(point).filter(|_| weight > 0.0) else { continue };
            // A point with full weight outweighs all others.
            let counts = if weight >= 1.0 { 1e6 } else { weight / (1.0 - weight) };
            let is = frame.ankle() + turn.1 * (frame.foot.transform_point3(at) - frame.ankle());
            sum += (self.place(point, frame) - is) * counts;
            total += counts;
        }
        let mut way = if total > 0.0 { sum / total } else { Vec3::ZERO };
        let on_ground = self.space.is_none() && self.ranges.iter().all(|r| r.0 != GoalPoint::Joint);
        if let Some(low) = self.lowest(foot, frame, turn.1).filter(|_| on_ground && total > 0.0) {
            // Keep the lowest point of the sole on the ground, whatever the foot's rotation.
            way.y = self.ground_height(frame) - low;
        }
        (way, turn.1)
    }

    /// Height of the ground, meters: `low`, or the mean height of the points in contact.
    fn ground_height(&self, frame: &FootFrame) -> f32 {
        if let Some(low) = self.low {
            return low;
        }
        let (mut sum, mut total) = (0.0, 0.0);
        for point in [GoalPoint::Heel, GoalPoint::Ball] {
            let weight = self.weight(point, frame.time);
            sum += self.place(point, frame).y * weight;
            total += weight;
        }
        if total > 0.0 { sum / total } else { self.places[slot(GoalPoint::Heel)].y }
    }

    /// Height of the lowest point of the sole after a rotation of the foot about the ankle,
    /// meters; `None` if the foot has no sole.
    fn lowest(&self, foot: &Foot, frame: &FootFrame, turn: Quat) -> Option<f32> {
        let ankle = frame.ankle();
        let turned = |p: Vec3| ankle + turn * (p - ankle);
        let joint = frame.toe.w_axis.truncate();
        let part = self.weight(GoalPoint::Ball, frame.time) * self.toe_roll;
        let level = level_toes(foot, frame, turn, part);
        let height = |point: &SolePoint| {
            let own = turned(frame.foot.transform_point3(point.foot)).y;
            if point.share <= 0.0 {
                return own;
            }
            let way = turn * (frame.toe.transform_point3(point.toes) - joint);
            let toes = (turned(joint) + level * way).y;
            own + (toes - own) * point.share
        };
        foot.sole.iter().map(height).filter(|y| y.is_finite()).reduce(f32::min)
    }

    /// Returns the weight of the stand at the time of a frame. Also returns the offset, in meters,
    /// and the rotation that are added to the foot.
    fn added(&self, foot: &Foot, frame: &FootFrame) -> (f32, Vec3, Quat) {
        let (from, to) = self.range();
        let weight = self.fades((from - frame.time).max(frame.time - to));
        let (way, turn) = match frame.time {
            _ if weight <= 0.0 => (Vec3::ZERO, Quat::IDENTITY),
            t if t < from - SAME => self.edges[0],
            t if t > to + SAME => self.edges[1],
            _ => self.within(foot, frame),
        };
        (weight, way, turn)
    }
}

/// Vector in meters by which a foot travels per cycle of a loop. `None` if the clip is not a loop:
/// its last pose must equal the first, except for the position on the ground.
pub(super) fn round_of(frames: &[FootFrame], length: f32) -> Option<Vec3> {
    const ALIKE: f32 = 3.0 * std::f32::consts::PI / 180.0;
    let (first, last) = (frames.first()?, frames.last()?);
    let turned = angle_between(rotation_of(&first.foot), rotation_of(&last.foot)) > ALIKE;
    let way = last.ankle() - first.ankle();
    let legs = (last.ankle() - last.root) - (first.ankle() - first.root);
    let is_loop = !turned && legs.length() <= 0.03 * length && way.y.abs() <= 0.03 * length;
    is_loop.then_some(way)
}

/// Input for computing the stands of one foot.
pub(super) struct StandRequest<'a> {
    pub foot: &'a Foot,
    /// Goals of the foot.
    pub goals: &'a [PlacedGoal],
    /// Samples of the foot over the whole clip, sorted by time.
    pub frames: &'a [FootFrame],
    /// Travel per cycle of the loop, meters; `None` if the clip is not a loop.
    pub round: Option<Vec3>,
    /// Length of the clip, seconds.
    pub length: f32,
    /// Duration of the blends of goals that define none, seconds.
    pub blend: f32,
    /// Fraction of the rotation that lays the toes flat, `0.0..=1.0`.
    pub toe_roll: f32,
    /// Whether feet keep their height and angle in the clip, as in cleaning. If false, feet are
    /// laid flat on the ground.
    pub keeps: bool,
    /// Velocity of the ground, meters per second.
    pub ground: Vec3,
    /// Evaluates the foot at times of the clip.
    pub evaluate: &'a dyn Fn(&[f32]) -> Vec<FootFrame>,
}

impl StandRequest<'_> {
    /// Computes the stands of the foot. For a loop, stands of the previous and the next cycle that
    /// extend into the clip are included.
    pub fn stands(&self) -> Vec<Stand> {
        let rounds: &[f32] = if self.round.is_some() { &[-1.0, 0.0, 1.0] } else { &[0.0] };
        let mut all: Vec<PlacedGoal> = Vec::new();
        for (goal, height) in self.goals {
            for round in rounds {
                let mut goal = goal.clone();
                goal.from += round * self.length;
                goal.to += round * self.length;
                if goal.space.is_none() {
                    let way = self.round.unwrap_or_default() * *round;
                    goal.place = goal.place.map(|p| p + way);
                }
                all.push((goal, *height));
            }
        }
        all.sort_by(|a, b| a.0.space.cmp(&b.0.space).then(a.0.from.total_cmp(&b.0.from)));
        let mut groups: Vec<(f32, Vec<PlacedGoal>)> = Vec::new();
        for entry in all {
            let joins = |(to, group): &&mut (f32, Vec<PlacedGoal>)| {
                entry.0.from - *to <= TOUCH && group.iter().all(|g| g.0.space == entry.0.space)
            };
            match groups.last_mut().filter(joins) {
                Some((to, group)) => {
                    *to = to.max(entry.0.to);
                    group.push(entry);
                }
                None => groups.push((entry.0.to, vec![entry])),
            }
        }
        // Compute the stands of one cycle. Those of the previous and the next cycle are copies.
        let own = |group: &[PlacedGoal]| {
            let from = group.iter().map(|g| g.0.from).fold(f32::INFINITY, f32::min);
            (-SAME..self.length - SAME).contains(&from)
        };
        let whole = groups.len() == 1 && self.round.is_some();
        let mut found: Vec<Stand> = groups
            .iter()
            .filter(|(_, group)| whole || own(group))
            .filter_map(|(_, group)| self.stand(group))
            .collect();
        // Evaluate the foot at all edges in one call: preparing a clip costs more than evaluating
        // it.
        let times: Vec<Vec<f32>> = found.iter().map(Stand::edge_times).collect();
        let frames = self.at(&times.concat());
        let mut rest = &frames[..];
        for (stand, times) in found.iter_mut().zip(&times) {
            let (own, others) = rest.split_at(times.len());
            stand.find_edges(self.foot, own);
            rest = others;
        }
        let mut made = found;
        if let Some(way) = self.round.filter(|_| !whole) {
            let rounds = [-1.0, 0.0, 1.0].into_iter().flat_map(|round| {
                made.iter().map(move |s| s.moved(round * self.length, way * round))
            });
            made = rounds.collect();
        }
        made.retain(|s| {
            let (from, to) = s.span();
            to > 0.0 && from < self.length
        });
        made.sort_by(|a, b| a.range.0.total_cmp(&b.range.0));
        made
    }

    /// Evaluates the foot at times that may be beyond the ends of a loop.
    fn at(&self, times: &[f32]) -> Vec<FootFrame> {
        let round = |time: f32| match self.round {
            Some(_) if time < -SAME => -1.0,
            Some(_) if time > self.length + SAME => 1.0,
            _ => 0.0,
        };
        let within: Vec<f32> = times.iter().map(|t| t - round(*t) * self.length).collect();
        let mut frames = (self.evaluate)(&within);
        for (frame, time) in frames.iter_mut().zip(times) {
            let way = self.round.unwrap_or_default() * round(*time);
            frame.foot.w_axis += way.extend(0.0);
            frame.root += way;
            frame.spaces.iter_mut().for_each(|space| space.w_axis += way.extend(0.0));
            frame.time = *time;
        }
        frames
    }

    /// Returns the samples in a range that may be beyond the ends of a loop. Each has its time in
    /// seconds, and the travel in meters up to its cycle.
    fn within(&self, from: f32, to: f32) -> Vec<(&FootFrame, f32, Vec3)> {
        let rounds: &[f32] = if self.round.is_some() { &[-1.0, 0.0, 1.0] } else { &[0.0] };
        let mut found = Vec::new();
        for round in rounds {
            let shift = round * self.length;
            let (a, b) = (from - shift - SAME, to - shift + SAME);
            let first = self.frames.partition_point(|f| f.time < a);
            let last = self.frames.partition_point(|f| f.time <= b);
            let way = self.round.unwrap_or_default() * *round;
            found.extend(
                self.frames[first..last.max(first)].iter().map(|f| (f, f.time + shift, way)),
            );
        }
        found
    }

    /// Rotation that levels a foot of which only the heel has contacts; identity otherwise.
    fn tilt(&self, group: &[PlacedGoal], from: f32, to: f32) -> Quat {
        /// Maximum tilt of a foot that is leveled, radians. A larger tilt is intended.
        const MOST: f32 = 0.45;
        if self.keeps
            || self.foot.ball.is_none()
            || group.iter().any(|g| g.0.point != GoalPoint::Heel || g.0.space.is_some())
        {
            return Quat::IDENTITY;
        }
        // Use only the middle of the contact, since the foot lands and lifts off at its ends.
        let span = to - from;
        let frames = self.within(from + 0.35 * span, to - 0.35 * span);
        let up: Vec3 =
            frames.iter().map(|(f, ..)| rotation_of(&f.foot) * self.foot.up).sum::<Vec3>();
        let up = up.normalize_or(Vec3::Y);
        if up.angle_between(Vec3::Y) > MOST {
            Quat::IDENTITY
        } else {
            Quat::from_rotation_arc(up, Vec3::Y)
        }
    }

    /// Computes the stand of goals that overlap in time and have the same space; `None` if its
    /// place is not finite.
    fn stand(&self, group: &[PlacedGoal]) -> Option<Stand> {
        let space = group.first().and_then(|g| g.0.space);
        let space = match space {
            Some(node) => Some(self.foot.spaces.iter().position(|n| *n == node)?),
            None => None,
        };
        let ground = if space.is_some() { Vec3::ZERO } else { self.ground };
        let keeps = self.keeps || space.is_some();
        let from = group.iter().map(|g| g.0.from).fold(f32::INFINITY, f32::min);
        let to = group.iter().map(|g| g.0.to).fold(f32::NEG_INFINITY, f32::max);
        let at = (from + to) * 0.5;
        let place = |(frame, time, way): &(&FootFrame, f32, Vec3), point: Vec3| {
            let place = frame.foot.transform_point3(point);
            match space.and_then(|k| frame.spaces.get(k)) {
                Some(space) => space.inverse().transform_point3(place),
                None => place + *way - ground * (*time - at),
            }
        };
        let point = |p: GoalPoint| self.foot.point(p).unwrap_or(self.foot.heel);
        let of = |p: GoalPoint| group.iter().filter(move |g| g.0.point == p);
        // Measure the line from heel to ball while both are in contact. If they are never in
        // contact at the same time, measure it over the whole range.
        let (mut flat, mut flats) = (Vec::new(), Vec::new());
        for (a, b) in of(GoalPoint::Heel).flat_map(|a| of(GoalPoint::Ball).map(move |b| (a, b))) {
            let (from, to) = (a.0.from.max(b.0.from), a.0.to.min(b.0.to));
            if to >= from {
                flat.extend(self.within(from, to));
                flats.push((from, to));
            }
        }
        if flat.is_empty() {
            flat = self.within(from, to);
        }
        let along = |f: &(&FootFrame, f32, Vec3)| {
            place(f, point(GoalPoint::Ball)) - place(f, point(GoalPoint::Heel))
        };
        let size = flat.iter().map(|f| along(f).length()).sum::<f32>() / flat.len().max(1) as f32;
        let way: Vec3 = flat.iter().map(along).sum();
        let way = if keeps { way } else { way.with_y(0.0) }.normalize_or_zero() * size;
        let offset = |p: GoalPoint| if p == GoalPoint::Ball { way } else { Vec3::ZERO };
        let (mut sum, mut count) = (Vec3::ZERO, 0usize);
        let mut heights = [const { Vec::<f32>::new() }; 3];
        for (goal, height) in group {
            let frames = self.within(goal.from, goal.to);
            match goal.place {
                Some(given) => {
                    sum += (given - offset(goal.point)) * frames.len().max(1) as f32;
                    count += frames.len().max(1);
                    heights[slot(goal.point)].push(given.y);
                }
                None => {
                    for f in &frames {
                        sum += place(f, point(goal.point)) - offset(goal.point);
                    }
                    count += frames.len();
                    let own = frames.iter().map(|f| place(f, point(goal.point)).y).sum::<f32>()
                        / frames.len().max(1) as f32;
                    if !frames.is_empty() || height.is_some() {
                        heights[slot(goal.point)].push(height.unwrap_or(own));
                    }
                }
            }
        }
        let anchor = sum / count.max(1) as f32;
        if count == 0 || !anchor.is_finite() {
            return None;
        }
        let places = [GoalPoint::Joint, GoalPoint::Heel, GoalPoint::Ball].map(|p| {
            let own = &heights[slot(p)];
            let y = own.iter().sum::<f32>() / own.len().max(1) as f32;
            (anchor + offset(p)).with_y(if own.is_empty() { anchor.y } else { y })
        });
        let blend = group.iter().filter_map(|g| g.0.blend).reduce(f32::max).unwrap_or(self.blend);
        let mut made = Stand {
            low: None,
            range: (from, to),
            ranges: group.iter().map(|g| (g.0.point, g.0.from, g.0.to)).collect(),
            blend,
            space,
            places,
            at,
            ground,
            toe_roll: self.toe_roll,
            tilt: self.tilt(group, from, to),
            flats: flats.into_iter().map(|(a, b)| (a, b, [Quat::IDENTITY; 2])).collect(),
            edges: [(Vec3::ZERO, Quat::IDENTITY); 2],
        };
        if self.keeps && space.is_none() && group.iter().all(|g| g.0.place.is_none()) {
            made.low = self.low(&made, from, to);
        }
        Some(made)
    }

    /// Mean height of the sole in a contact, meters, or the height in the rest pose if both are
    /// nearly equal. `None` if the foot has no sole.
    fn low(&self, stand: &Stand, from: f32, to: f32) -> Option<f32> {
        /// Maximum difference of heights that count as nearly equal, relative to the leg's length.
        const NEAR: f32 = 0.015;
        let frames = self.within(from, to);
        let lows = frames.iter().filter_map(|f| {
            let frame = FootFrame { time: f.1, ..f.0.clone() };
            stand.lowest(self.foot, &frame, Quat::IDENTITY).map(|y| y + f.2.y)
        });
        let lows: Vec<f32> = lows.collect();
        let mean = lows.iter().sum::<f32>() / lows.len().max(1) as f32;
        let near = (mean - self.foot.level).abs() <= NEAR * self.foot.length;
        (!lows.is_empty()).then_some(if near { self.foot.level } else { mean })
    }
}

/// Wanted transform of a foot at one time.
#[derive(Clone, Copy, Debug)]
pub(super) struct FootGoal {
    /// Position of the ankle, meters.
    pub ankle: Vec3,
    /// Rotation in the scene that is added to the foot's rotation in the clip.
    pub turn: Quat,
    /// Weight with which the toes stay flat on the ground, `0.0..=1.0`.
    pub flat: f32,
    /// Largest weight of the contacts, `0.0..=1.0`.
    pub weight: f32,
}

/// Rotation in the scene that lays the toes flat. It is applied after the foot's rotation `turn`.
/// `part` is the fraction of the rotation, `0.0..=1.0`.
pub(super) fn level_toes(foot: &Foot, frame: &FootFrame, turn: Quat, part: f32) -> Quat {
    let now = turn * rotation_of(&frame.toe) * foot.toe_way;
    let level = now.with_y(0.0).normalize_or_zero();
    if foot.toe.is_none() || level == Vec3::ZERO || part <= 0.0 {
        return Quat::IDENTITY;
    }
    Quat::IDENTITY.slerp(Quat::from_rotation_arc(now.normalize_or(level), level), part)
}

/// Combines all stands of a foot to its wanted transform at the time of a frame.
pub(super) fn goal_of(foot: &Foot, stands: &[Stand], frame: &FootFrame) -> FootGoal {
    let (mut sum, mut total, mut most) = (Vec3::ZERO, 0.0, (0.0, Quat::IDENTITY));
    let mut flat: f32 = 0.0;
    for stand in stands {
        let (weight, way, turn) = stand.added(foot, frame);
        if weight <= 0.0 {
            continue;
        }
        if stand.space.is_none() {
            flat = flat.max(stand.weight(GoalPoint::Ball, frame.time));
        }
        let counts = if weight >= 1.0 { 1e6 } else { weight / (1.0 - weight) };
        sum += way * counts;
        total += counts;
        if weight > most.0 {
            most = (weight, turn);
        }
    }
    let way = if total > 0.0 { sum / total * most.0 } else { Vec3::ZERO };
    FootGoal {
        ankle: frame.ankle() + way,
        turn: Quat::IDENTITY.slerp(most.1, most.0),
        flat,
        weight: most.0,
    }
}
