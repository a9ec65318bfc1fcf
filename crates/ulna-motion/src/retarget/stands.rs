//! Where feet stand: goals of one foot that overlap, with one place for all of them.

use glam::{Mat4, Quat, Vec3};

use super::feet::{Foot, rotation_of};
use ulna_model::{Goal, GoalPoint, transform::angle_between};

/// Times nearer than this are one, seconds.
const SAME: f32 = 1e-4;
/// Goals of a foot that lie no farther apart than this are one contact, seconds.
const TOUCH: f32 = 0.05;

/// A foot at a time of a clip, before its contacts are kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct FootFrame {
    pub time: f32,
    /// `scene_from_foot`.
    pub foot: Mat4,
    /// Rotation of the toes in the scene.
    pub toe: Quat,
    /// Where the leg begins, meters.
    pub root: Vec3,
    /// The leg's length when straight, meters.
    pub reach: f32,
}

impl FootFrame {
    pub fn ankle(&self) -> Vec3 {
        self.foot.w_axis.truncate()
    }
}

/// A foot that rolls over one place: its heel, its ball or both stay there.
#[derive(Clone, Debug)]
pub(super) struct Stand {
    /// Ranges of the points, seconds; a round earlier or later in a loop.
    pub ranges: Vec<(GoalPoint, f32, f32)>,
    /// Seconds over which it takes hold and lets go.
    pub blend: f32,
    /// Where each point is at the time `at`, meters: joint, heel, ball.
    places: [Vec3; 3],
    at: f32,
    ground: Vec3,
    /// Ranges in which heel and ball both stand, with how the foot is turned at both ends.
    flats: Vec<(f32, f32, [Quat; 2])>,
    /// What is added to the foot at both ends of the range: its way in meters, and its turn. Beside
    /// the range that is added less and less, so that the motion goes on as it was.
    edges: [(Vec3, Quat); 2],
}

const fn slot(point: GoalPoint) -> usize {
    match point {
        GoalPoint::Joint => 0,
        GoalPoint::Heel => 1,
        GoalPoint::Ball => 2,
    }
}

/// From 0 to 1 with slopes and bends of 0 at both ends.
fn smooth(x: f32) -> f32 {
    let x = x.clamp(0.0, 1.0);
    x * x * x * (x * (x * 6.0 - 15.0) + 10.0)
}

impl Stand {
    /// From when to when anything of it stays in place.
    pub fn range(&self) -> (f32, f32) {
        let all = self.ranges.iter();
        all.fold((f32::INFINITY, f32::NEG_INFINITY), |(a, b), r| (a.min(r.1), b.max(r.2)))
    }

    /// From when to when it changes anything.
    pub fn span(&self) -> (f32, f32) {
        let (from, to) = self.range();
        (from - self.blend, to + self.blend)
    }

    /// How far a point is held, `0.0..=1.0`.
    pub fn weight(&self, point: GoalPoint, time: f32) -> f32 {
        let own = self.ranges.iter().filter(|r| r.0 == point);
        own.map(|(_, from, to)| self.fades((from - time).max(time - to))).fold(0.0, f32::max)
    }

    /// Where a point is to be, meters.
    pub fn place(&self, point: GoalPoint, time: f32) -> Vec3 {
        self.places[slot(point)] + self.ground * (time - self.at)
    }

    fn moved(&self, time: f32, way: Vec3) -> Self {
        let mut made = self.clone();
        made.ranges.iter_mut().for_each(|r| (r.1, r.2) = (r.1 + time, r.2 + time));
        made.flats.iter_mut().for_each(|r| (r.0, r.1) = (r.0 + time, r.1 + time));
        made.at += time;
        made.places.iter_mut().for_each(|p| *p += way);
        made
    }

    /// The times that its edges are to be known at.
    fn edge_times(&self) -> Vec<f32> {
        let (from, to) = self.range();
        self.flats.iter().flat_map(|f| [f.0, f.1]).chain([from, to]).collect()
    }

    /// Finds what is added at the edges, by the foot at the edge times.
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

    /// How the foot is turned so that heel and ball are in their places.
    fn level_turn(&self, foot: &Foot, frame: &FootFrame) -> Quat {
        /// Radians by which a foot is turned at most.
        const MOST: f32 = 0.6;
        let seen = |p: GoalPoint| foot.point(p).map(|at| frame.foot.transform_point3(at));
        let (Some(a), Some(b)) = (seen(GoalPoint::Heel), seen(GoalPoint::Ball)) else {
            return Quat::IDENTITY;
        };
        let wanted = self.places[slot(GoalPoint::Ball)] - self.places[slot(GoalPoint::Heel)];
        let (now, wanted) = ((b - a).normalize_or_zero(), wanted.normalize_or_zero());
        if now == Vec3::ZERO || wanted == Vec3::ZERO || now.angle_between(wanted) > MOST {
            return Quat::IDENTITY;
        }
        Quat::from_rotation_arc(now, wanted)
    }

    /// How far something that ended or begins at a distance in time still counts.
    fn fades(&self, off: f32) -> f32 {
        match off {
            off if off <= SAME => 1.0,
            _ if self.blend <= 0.0 => 0.0,
            off => smooth(1.0 - off / self.blend),
        }
    }

    /// What is added to the foot within the range: its way, and its turn about the ankle.
    fn within(&self, foot: &Foot, frame: &FootFrame) -> (Vec3, Quat) {
        let time = frame.time;
        let mut turn = (0.0, Quat::IDENTITY);
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
            // What is held fully counts for all.
            let counts = if weight >= 1.0 { 1e6 } else { weight / (1.0 - weight) };
            let is = frame.ankle() + turn.1 * (frame.foot.transform_point3(at) - frame.ankle());
            sum += (self.place(point, time) - is) * counts;
            total += counts;
        }
        (if total > 0.0 { sum / total } else { Vec3::ZERO }, turn.1)
    }

    /// What is added to the foot at any time, with how far it counts.
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

/// How far a foot goes in a round, where the end of a clip is its start, perhaps elsewhere on the
/// ground.
pub(super) fn round_of(frames: &[FootFrame], length: f32) -> Option<Vec3> {
    const ALIKE: f32 = 3.0 * std::f32::consts::PI / 180.0;
    let (first, last) = (frames.first()?, frames.last()?);
    let turned = angle_between(rotation_of(&first.foot), rotation_of(&last.foot)) > ALIKE;
    let way = last.ankle() - first.ankle();
    let legs = (last.ankle() - last.root) - (first.ankle() - first.root);
    let is_loop = !turned && legs.length() <= 0.03 * length && way.y.abs() <= 0.03 * length;
    is_loop.then_some(way)
}

/// What stands of a foot are made from.
pub(super) struct StandRequest<'a> {
    pub foot: &'a Foot,
    /// Goals of the foot, each with the height that its point is to have, where that is known.
    pub goals: &'a [(Goal, Option<f32>)],
    /// The foot over the whole clip, in the order of time.
    pub frames: &'a [FootFrame],
    /// How far it goes in a round; not a loop if omitted.
    pub round: Option<Vec3>,
    /// Seconds of the clip.
    pub length: f32,
    /// Seconds of a blend, where the goal says none.
    pub blend: f32,
    /// Velocity of the ground, meters per second.
    pub ground: Vec3,
    /// The foot at some times of the clip.
    pub evaluate: &'a dyn Fn(&[f32]) -> Vec<FootFrame>,
}

impl StandRequest<'_> {
    /// The stands of the foot. Of a loop those of the rounds before and after are among them, as
    /// far as they matter.
    pub fn stands(&self) -> Vec<Stand> {
        let rounds: &[f32] = if self.round.is_some() { &[-1.0, 0.0, 1.0] } else { &[0.0] };
        let mut all: Vec<(Goal, Option<f32>)> = Vec::new();
        for (goal, height) in self.goals {
            for round in rounds {
                let mut goal = goal.clone();
                goal.from += round * self.length;
                goal.to += round * self.length;
                let way = self.round.unwrap_or_default() * *round;
                goal.place = goal.place.map(|p| p + way);
                all.push((goal, *height));
            }
        }
        all.sort_by(|a, b| a.0.from.total_cmp(&b.0.from));
        let mut groups: Vec<(f32, Vec<(Goal, Option<f32>)>)> = Vec::new();
        for entry in all {
            match groups.last_mut().filter(|(to, _)| entry.0.from - *to <= TOUCH) {
                Some((to, group)) => {
                    *to = to.max(entry.0.to);
                    group.push(entry);
                }
                None => groups.push((entry.0.to, vec![entry])),
            }
        }
        // Those of one round; the others are the same a round earlier and later.
        let own = |group: &[(Goal, Option<f32>)]| {
            let from = group.iter().map(|g| g.0.from).fold(f32::INFINITY, f32::min);
            (-SAME..self.length - SAME).contains(&from)
        };
        let whole = groups.len() == 1 && self.round.is_some();
        let mut made: Vec<Stand> = Vec::new();
        for (_, group) in &groups {
            if !(own(group) || whole) {
                continue;
            }
            let Some(mut stand) = self.stand(group) else { continue };
            let times = stand.edge_times();
            stand.find_edges(self.foot, &self.at(&times));
            if whole || self.round.is_none() {
                made.push(stand);
                continue;
            }
            let way = self.round.unwrap_or_default();
            for round in [-1.0, 0.0, 1.0] {
                made.push(stand.moved(round * self.length, way * round));
            }
        }
        made.retain(|s| {
            let (from, to) = s.span();
            to > 0.0 && from < self.length
        });
        made
    }

    /// The foot at some times, which may lie beyond the ends of a loop.
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
            frame.time = *time;
        }
        frames
    }

    /// The frames of a range that may lie beyond the ends of a loop, with their time and how far
    /// the rounds go.
    fn within(&self, from: f32, to: f32) -> Vec<(FootFrame, f32, Vec3)> {
        let rounds: &[f32] = if self.round.is_some() { &[-1.0, 0.0, 1.0] } else { &[0.0] };
        let mut found = Vec::new();
        for round in rounds {
            let shift = round * self.length;
            let (a, b) = (from - shift - SAME, to - shift + SAME);
            let first = self.frames.partition_point(|f| f.time < a);
            let last = self.frames.partition_point(|f| f.time <= b);
            let way = self.round.unwrap_or_default() * *round;
            found.extend(
                self.frames[first..last.max(first)].iter().map(|f| (*f, f.time + shift, way)),
            );
        }
        found
    }

    fn stand(&self, group: &[(Goal, Option<f32>)]) -> Option<Stand> {
        let from = group.iter().map(|g| g.0.from).fold(f32::INFINITY, f32::min);
        let to = group.iter().map(|g| g.0.to).fold(f32::NEG_INFINITY, f32::max);
        let at = (from + to) * 0.5;
        let place = |(frame, time, way): &(FootFrame, f32, Vec3), point: Vec3| {
            frame.foot.transform_point3(point) + *way - self.ground * (*time - at)
        };
        let point = |p: GoalPoint| self.foot.point(p).unwrap_or(self.foot.heel);
        let of = |p: GoalPoint| group.iter().filter(move |g| g.0.point == p);
        // From the heel to the ball while both stand; all the while where they never do.
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
        let along = |f: &(FootFrame, f32, Vec3)| {
            place(f, point(GoalPoint::Ball)) - place(f, point(GoalPoint::Heel))
        };
        let size = flat.iter().map(|f| along(f).length()).sum::<f32>() / flat.len().max(1) as f32;
        let way: Vec3 = flat.iter().map(along).sum();
        let way = way.with_y(0.0).normalize_or_zero() * size;
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
        Some(Stand {
            ranges: group.iter().map(|g| (g.0.point, g.0.from, g.0.to)).collect(),
            blend,
            places,
            at,
            ground: self.ground,
            flats: flats.into_iter().map(|(a, b)| (a, b, [Quat::IDENTITY; 2])).collect(),
            edges: [(Vec3::ZERO, Quat::IDENTITY); 2],
        })
    }
}

/// What a foot is to do at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct FootGoal {
    /// Where the ankle is to be, meters.
    pub ankle: Vec3,
    /// How the foot is turned in the scene from how the clip has it.
    pub turn: Quat,
    /// How much of the toes stays flat, `0.0..=1.0`.
    pub flat: f32,
    /// How far any point is held, `0.0..=1.0`.
    pub weight: f32,
}

/// What a foot is to do by its stands.
pub(super) fn goal_of(foot: &Foot, stands: &[Stand], frame: &FootFrame) -> FootGoal {
    let (mut sum, mut total, mut most) = (Vec3::ZERO, 0.0, (0.0, Quat::IDENTITY));
    let mut flat: f32 = 0.0;
    for stand in stands {
        let (weight, way, turn) = stand.added(foot, frame);
        if weight <= 0.0 {
            continue;
        }
        flat = flat.max(stand.weight(GoalPoint::Ball, frame.time));
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
