//! The controller: what a [`Mix`] comes to at a moment, as lanes of a [`Stack`]. The window, the
//! command line and baking use the same.
//!
//! Everything is a function of the mix and the time, worked out from the start of what plays, never
//! from the moment before: scrubbing to a time shows what playing up to it shows, to the bit. What
//! depends on its own past is integrated in steps of [`STEP`] from where it began.

mod around;
mod clock;
mod ground;
mod hold;
mod inertia;
mod jumps;
mod mask;
mod seams;
mod steps;

use std::collections::{BTreeMap, HashMap};

pub use self::around::{blend_weights, plane_weights};
pub use self::clock::{BarClock, Passing};
pub(crate) use self::ground::feet;
pub use self::ground::{
    foot_slides, footfalls, ground_place, ground_speed, ground_velocity, known_feet,
};
pub use self::jumps::{Jump, jumps};
pub use self::mask::weights as mask_weights;
pub use self::seams::{BestSeam, best_seams};
use self::{hold::Holding, inertia::Inertia, steps::Group};
use super::{
    Additive, Averaging, Evaluator, Instance, Lane, Pose, Reference, SeenPoints, Stack, mix::Parts,
};
use ulna_model::{
    Clip, ClipId, Document, Enter, Interpolation, JointMask, LayerHome, Local, Mix, MixBar,
    MixLane, MixReference, NodeId, Nodes, Plays, PoseLayers, Property, Shared, Track, TrackId,
    transform::angle_between,
};

/// Seconds of a step of what is integrated.
pub const STEP: f64 = 1.0 / 240.0;

/// A clip of a mix at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playing {
    /// Which lane.
    pub lane: usize,
    /// Which bar of it.
    pub bar: usize,
    /// Which clip.
    pub clip: ClipId,
    /// Seconds of the clip.
    pub time: f64,
    /// How much it counts in its lane, masks aside.
    pub weight: f32,
}

/// Works out mixes. It keeps what was found of the last one, as long as neither it nor what it
/// plays changes.
#[derive(Clone, Debug, Default)]
pub struct Mixer {
    mix: Shared<Mix>,
    /// What is played, as it was.
    clips: Vec<(ClipId, Shared<Clip>)>,
    /// The layers that were on it.
    layers: BTreeMap<LayerHome, Shared<PoseLayers>>,
    /// The nodes that masks, contacts and poses were found on.
    nodes: Nodes,
    lanes: Vec<Planned>,
    groups: Vec<Group>,
    /// Poses that bars come in over, as clips of one key.
    frozen: HashMap<(usize, usize), Shared<Clip>>,
    cuts: Vec<Cut>,
    /// Bars that hold their last pose under a fade.
    holdings: Vec<Holding>,
}

/// What is found of a lane once.
#[derive(Clone, Debug, Default)]
struct Planned {
    /// Bars as they come in.
    order: Vec<usize>,
    /// By place in that order, when the last of the bars up to it ends.
    ends: Vec<f64>,
    mask: Option<JointMask>,
    /// By bar.
    bars: Vec<PlannedBar>,
}

#[derive(Clone, Debug, Default)]
struct PlannedBar {
    mask: Option<JointMask>,
    /// Its clips, those that are there; in a blend on a line in the order of their values.
    voices: Vec<(ClipId, Shared<Clip>)>,
    /// How much each counts of it.
    weights: Vec<f32>,
    /// The length of each, seconds.
    lengths: Vec<f64>,
    /// With which others it keeps step.
    group: Option<usize>,
}

/// A bar that comes in by inertia.
#[derive(Clone, Debug)]
struct Cut {
    lane: usize,
    /// Its place in the lane's order.
    place: usize,
    start: f64,
    length: f64,
    found: Option<Shared<Inertia>>,
}

/// What a bar counts at a moment.
struct Share {
    bar: usize,
    weight: f32,
    mask: Option<JointMask>,
    /// Whether it is the pose that the bar comes in over, and not its clips.
    frozen: bool,
    /// When the bar ended, where it holds its last pose, seconds of the mix.
    held: Option<f64>,
}

/// A clip of a bar at a moment.
struct BlendInput {
    /// Its place among the bar's clips.
    clip: usize,
    /// Seconds of the clip.
    time: f64,
    /// How much it counts of the bar.
    weight: f32,
    /// Seconds of the clip a second of the mix.
    rate: f64,
}

/// Which moment is looked at, and how.
#[derive(Clone, Copy, Debug)]
struct MixSample {
    time: f64,
    /// How fast what is seen moves is found from here to so much later, every clip on its own clock
    /// and none round its end: where that would be, all of the way is looked at before it.
    step: f64,
    /// Whether it is the far end of that way that is looked at.
    far: bool,
    /// Of a lane only the bars before a place.
    until: Option<(usize, usize)>,
    /// Whether a loop that comes to its end just then stands there, and not at its start.
    ending: bool,
}

impl MixSample {
    const fn at(time: f64) -> Self {
        Self { time, step: 0.0, far: false, until: None, ending: false }
    }
}

/// How far NLERP of two rotations is from SLERP at most, radians, where they are an angle apart.
pub fn nlerp_gap(angle: f32) -> f32 {
    // On the sphere of quaternions they are half of that apart; the gap is greatest about a fifth
    // from either end.
    let half = f64::from(angle) * 0.5;
    let gap = |u: f64| ((u * half.sin()).atan2(1.0 - u + u * half.cos()) - u * half).abs() * 2.0;
    (0..=200).map(|k| gap(f64::from(k) / 200.0)).fold(0.0, f64::max) as f32
}

/// How far a clip that is played by NLERP is from SLERP at most, radians: where two keys of a
/// linear rotation are farthest apart.
pub fn nlerp_difference(clip: &Clip) -> f32 {
    let linear = |t: &&Shared<Track>| {
        t.property == Property::Rotation && t.interpolation == Interpolation::Linear
    };
    let turn = |track: &Track, key: usize| glam::Quat::from_slice(track.value(key)).normalize();
    let widest = |track: &Shared<Track>| {
        let angles =
            (1..track.times.len()).map(|k| angle_between(turn(track, k - 1), turn(track, k)));
        angles.filter(|a| a.is_finite()).fold(0.0, f32::max)
    };
    nlerp_gap(clip.tracks.values().filter(linear).map(widest).fold(0.0, f32::max))
}

/// The time of a clip on its own clock: round and round, or no further than its ends.
fn wrapped(local: f64, length: f64, repeat: bool) -> f64 {
    match repeat {
        // Within the first round it is not touched, its very end included.
        true if length > 0.0 && !(0.0..=length).contains(&local) => local.rem_euclid(length),
        true => local,
        false => local.clamp(0.0, length),
    }
}

fn product(a: Option<&JointMask>, b: Option<&[f32]>) -> Option<JointMask> {
    match (a, b) {
        (None, None) => None,
        (Some(mask), None) => Some(mask.clone()),
        (None, Some(b)) => Some(JointMask(b.into())),
        (Some(mask), Some(b)) => {
            Some(JointMask(mask.0.iter().zip(b).map(|(a, b)| a * b).collect()))
        }
    }
}

impl Mixer {
    /// What a mix comes to at a time, as a stack over the file's pose.
    pub fn stack(&mut self, document: &Document, mix: &Shared<Mix>, time: f64) -> Stack {
        self.prepare(document, mix);
        let mut stack = self.lanes_at(document, MixSample::at(time));
        self.put_offsets(document, time, self.cuts.len(), &mut stack);
        stack
    }

    /// The clips that play at a time, those of the lowest lane first.
    pub fn playing(&mut self, document: &Document, mix: &Shared<Mix>, time: f64) -> Vec<Playing> {
        self.prepare(document, mix);
        self.find_phases(time);
        let mut all = Vec::new();
        for lane in 0..self.lanes.len() {
            for share in
                self.shares(lane, time, None).into_iter().filter(|s| !s.frozen && s.weight > 0.0)
            {
                let voices =
                    self.voices(lane, share.bar, share.held.unwrap_or(time), share.held.is_some());
                all.extend(voices.into_iter().map(|voice| Playing {
                    lane,
                    bar: share.bar,
                    clip: self.lanes[lane].bars[share.bar].voices[voice.clip].0,
                    time: voice.time,
                    weight: voice.weight * share.weight,
                }));
            }
        }
        all
    }

    /// The mix with a bar changed such that, at a time, its step is where it was: what a slider
    /// does while it plays.
    #[must_use]
    pub fn keeping_step(
        &mut self,
        document: &Document,
        (before, mut after): (&Shared<Mix>, Mix),
        (lane, bar): (usize, usize),
        time: f64,
    ) -> Mix {
        /// The step depends on where it is, so it is found in a few rounds.
        const ROUNDS: usize = 4;
        self.prepare(document, before);
        let group = |mixer: &Self| mixer.lanes.get(lane)?.bars.get(bar)?.group;
        let Some(wanted) = group(self).map(|g| self.phase(g, time)) else { return after };
        for _ in 0..ROUNDS {
            self.prepare(document, &Shared::new(after.clone()));
            let Some(g) = group(self) else { return after };
            let off = wanted - self.phase(g, time);
            let (first, offset) = self.groups[g].offset_for(off);
            if let Some(first) = after.lanes.get_mut(lane).and_then(|l| l.bars.get_mut(first)) {
                first.offset = offset;
            }
        }
        after
    }

    /// How much the masks of a bar and its lane let through at some nodes, the mean.
    fn counts_at(&self, lane: usize, bar: usize, nodes: &[NodeId]) -> f32 {
        let Some(planned) = self.lanes.get(lane) else { return 0.0 };
        let at = |mask: Option<&JointMask>, n: NodeId| mask.map_or(1.0, |m| m.at(n));
        let one =
            |n: &NodeId| at(planned.mask.as_ref(), *n) * at(planned.bars[bar].mask.as_ref(), *n);
        nodes.iter().map(one).sum::<f32>() / nodes.len().max(1) as f32
    }

    fn prepare(&mut self, document: &Document, mix: &Shared<Mix>) {
        let clips: Vec<(ClipId, Shared<Clip>)> = {
            let mut ids: Vec<ClipId> =
                mix.lanes.iter().flat_map(|l| &l.bars).flat_map(MixBar::clips).copied().collect();
            ids.sort_unstable();
            ids.dedup();
            ids.into_iter().filter_map(|id| Some((id, document.clips.get(id)?.clone()))).collect()
        };
        // Where nodes rest matters only to poses that were kept; masks and contacts go by the tree.
        let keeps = !self.cuts.is_empty() || !self.frozen.is_empty();
        let same_nodes = Shared::ptr_eq(self.nodes.tree(), document.nodes.tree())
            && (!keeps || self.nodes == document.nodes);
        let same = self.mix == *mix
            && self.layers == document.aids.pose_layers
            && same_nodes
            && self.clips.len() == clips.len()
            && self.clips.iter().zip(&clips).all(|((a, x), (b, y))| a == b && Shared::ptr_eq(x, y));
        if same {
            return;
        }
        let layers = document.aids.pose_layers.clone();
        *self = Self {
            mix: mix.clone(),
            clips,
            layers,
            nodes: document.nodes.clone(),
            ..Self::default()
        };
        let mask = |mask: &Option<_>| mask.as_ref().map(|m| mask::weights(document, m));
        let clip =
            |id: ClipId| self.clips.iter().find(|(c, _)| *c == id).map(|(_, clip)| clip.clone());
        for lane in &mix.lanes {
            let bars = lane.bars.iter().map(|bar| {
                let there = |id: &ClipId| Some((*id, clip(*id)?));
                let (voices, weights): (Vec<(ClipId, Shared<Clip>)>, Vec<f32>) = match &bar.plays {
                    Plays::Clip(id) => (there(id).into_iter().collect(), vec![1.0]),
                    Plays::Blend { points, value } => {
                        let mut all: Vec<_> =
                            points.iter().filter_map(|(id, at)| Some((there(id)?, *at))).collect();
                        all.sort_by(|a, b| a.1.total_cmp(&b.1));
                        let (voices, places): (Vec<_>, Vec<f32>) = all.into_iter().unzip();
                        (voices, blend_weights(&places, *value))
                    }
                    Plays::Plane { points, value } => {
                        let all = points.iter().filter_map(|(id, at)| Some((there(id)?, *at)));
                        let (voices, places): (Vec<_>, Vec<[f32; 2]>) = all.unzip();
                        (voices, plane_weights(&places, *value))
                    }
                };
                let lengths = voices.iter().map(|v| f64::from(v.1.length())).collect();
                PlannedBar { mask: mask(&bar.mask), voices, weights, lengths, group: None }
            });
            let order = lane.in_order();
            let ends = order.iter().scan(0.0f64, |last, b| {
                *last = last.max(lane.bars[*b].end());
                Some(*last)
            });
            let ends = ends.collect();
            self.lanes.push(Planned { order, ends, mask: mask(&lane.mask), bars: bars.collect() });
        }
        self.find_holdings();
        self.find_groups(document);
        let solo = mix.lanes.iter().any(|l| l.solo);
        let heard = |l: &MixLane| l.on && (l.solo || !solo) && l.weight > 0.0;
        for (l, lane) in mix.lanes.iter().enumerate().filter(|(_, l)| heard(l)) {
            for (place, bar) in self.lanes[l].order.iter().map(|b| &lane.bars[*b]).enumerate() {
                if bar.enter == Enter::Inertial && bar.fade_in > 0.0 {
                    self.cuts.push(Cut {
                        lane: l,
                        place,
                        start: bar.start,
                        length: bar.fade_in,
                        found: None,
                    });
                }
            }
        }
        self.cuts.sort_by(|a, b| {
            a.start.total_cmp(&b.start).then(a.lane.cmp(&b.lane)).then(a.place.cmp(&b.place))
        });
    }

    /// What the bars of a lane count, in the order in which they came; only those before the place
    /// `until`, where that is of this lane. A later bar covers the earlier. A bar that has ended
    /// counts as it did at its end while it is held.
    ///
    /// A bar that comes in over a pose covers at once all that it will cover: by its own weight
    /// with its clips, and by what is missing to that with the pose. What it leaves free goes on
    /// below it, before, meanwhile and after.
    fn shares(&self, lane: usize, time: f64, until: Option<(usize, usize)>) -> Vec<Share> {
        let before = until.filter(|(of, _)| *of == lane).map_or(usize::MAX, |(_, place)| place);
        let held = self.held(time, until);
        let (mix, planned) = (&self.mix.lanes[lane], &self.lanes[lane]);
        let mut made: Vec<Share> = Vec::new();
        let mut left = 1.0f32;
        let mut left_by_node: Option<Vec<f32>> = None;
        let begun = planned.order.partition_point(|b| mix.bars[*b].start <= time);
        for place in (0..begun.min(before)).rev() {
            if planned.ends[place] < time {
                break;
            }
            let b = planned.order[place];
            let bar = &mix.bars[b];
            let held = held.get(&(lane, b));
            let (at, part) = held.map_or((time, 1.0), |h| (h.at, h.share));
            let weight = bar.weight_at(at) * part;
            if weight <= 0.0 {
                continue;
            }
            let own =
                product(planned.bars[b].mask.as_ref(), held.and_then(|h| h.by_node.as_deref()));
            let own = own.as_ref();
            let share = |weight: f32, frozen: bool| Share {
                bar: b,
                weight: weight * left,
                mask: product(own, left_by_node.as_deref()),
                frozen,
                held: held.map(|h| h.at),
            };
            made.push(share(weight, false));
            if bar.along {
                continue;
            }
            let holds = matches!(bar.enter, Enter::Frozen | Enter::Keys) && mix.additive.is_none();
            let covers = if holds && at < bar.start + bar.fade_in {
                bar.full_weight_at(at) * part
            } else {
                weight
            };
            if covers > weight {
                made.push(share(covers - weight, true));
            }
            match own {
                None => left *= 1.0 - covers,
                Some(mask) => {
                    let list = left_by_node.get_or_insert_with(|| vec![1.0; mask.0.len()]);
                    list.iter_mut().zip(mask.0.iter()).for_each(|(l, m)| *l *= 1.0 - covers * m);
                }
            }
            if left <= 0.0 || left_by_node.as_ref().is_some_and(|l| l.iter().all(|l| *l <= 0.0)) {
                break;
            }
        }
        made.reverse();
        made
    }

    /// The clips of a bar at a time of the mix. `ending`: see [`MixSample`].
    fn voices(&self, lane: usize, bar: usize, time: f64, ending: bool) -> Vec<BlendInput> {
        /// Seconds that are a loop's end: sums of times are rounded.
        const AT_END: f64 = 1e-6;
        let (mix, planned) = (&self.mix.lanes[lane].bars[bar], &self.lanes[lane].bars[bar]);
        // Its clip waits at its first key while the keys meet.
        let waits = if mix.enter == Enter::Keys { mix.fade_in } else { 0.0 };
        let goes = time >= mix.start + waits;
        let local = mix.offset
            + if goes || waits == 0.0 { (time - mix.start - waits) * mix.speed } else { 0.0 };
        let phase = planned.group.map(|g| (g, self.phase_found(g, time)));
        // At its very end a bar shows the end of its clip, not the start of a round that never
        // comes.
        let ending = ending || time >= mix.end();
        planned
            .voices
            .iter()
            .enumerate()
            .zip(&planned.weights)
            .filter(|(_, weight)| **weight > 0.0)
            .map(|((k, _), weight)| {
                let length = planned.lengths[k];
                let (time, rate) = match phase {
                    Some((g, phase)) => (
                        self.groups[g].time_of(bar, k, phase),
                        self.speed_of(g, (bar, k), phase, time),
                    ),
                    None => {
                        let at = wrapped(local, length, mix.repeat);
                        let stands = !goes || (!mix.repeat && !(0.0..length).contains(&local));
                        (at, if stands { 0.0 } else { mix.speed })
                    }
                };
                let is_new_round =
                    if phase.is_some() { time < AT_END } else { local > length - AT_END };
                let off = time.min((length - time).abs());
                let at_end = ending && mix.repeat && rate > 0.0 && is_new_round && off < AT_END;
                BlendInput {
                    clip: k,
                    time: if at_end { length } else { time },
                    weight: *weight,
                    rate,
                }
            })
            .collect()
    }

    /// The lanes at a moment, without what a transition left.
    fn lanes_at(&mut self, document: &Document, look: MixSample) -> Stack {
        self.find_phases(look.time.max(look.time + look.step));
        let mix = self.mix.clone();
        let solo = mix.lanes.iter().any(|l| l.solo);
        let mut stack = Stack { layers: document.aids.layers(LayerHome::Pose), ..Stack::default() };
        for (l, lane) in mix.lanes.iter().enumerate().filter(|(_, l)| l.on && (l.solo || !solo)) {
            let instances = self.instances(document, l, look);
            if instances.is_empty() || lane.weight <= 0.0 {
                continue;
            }
            match lane.additive {
                None => stack.lanes.push(Lane {
                    instances,
                    weight: lane.weight.min(1.0),
                    mask: self.lanes[l].mask.clone(),
                    averaging: if lane.nlerp { Averaging::Nlerp } else { Averaging::Slerp },
                }),
                Some(reference) => {
                    stack.additive.extend(instances.into_iter().map(|instance| Additive {
                        reference: match reference {
                            MixReference::Rest => Reference::Rest,
                            MixReference::First => Reference::FirstKey,
                            MixReference::At(time) => Reference::At(time),
                        },
                        instance: Instance {
                            weight: instance.weight * lane.weight,
                            mask: product(
                                self.lanes[l].mask.as_ref(),
                                instance.mask.as_ref().map(|m| &*m.0),
                            ),
                            ..instance
                        },
                    }))
                }
            }
        }
        stack
    }

    fn instances(&mut self, document: &Document, lane: usize, look: MixSample) -> Vec<Instance> {
        let mut shares = self.shares(lane, look.time, look.until);
        if look.far {
            // Weights go on too, but where something comes or goes between.
            let later = self.shares(lane, look.time + look.step, look.until);
            let same = |(a, b): (&Share, &Share)| {
                (a.bar, a.frozen, a.held.is_some()) == (b.bar, b.frozen, b.held.is_some())
            };
            if later.len() == shares.len() && later.iter().zip(&shares).all(same) {
                shares = later;
            }
        }
        let mut made = Vec::new();
        for share in shares {
            if share.frozen {
                let clip = self.frozen(document, lane, share.bar);
                made.push(Instance {
                    mask: share.mask,
                    ..Instance::new(&clip, 0.0).weighing(share.weight)
                });
                continue;
            }
            let (at, ending) = share.held.map_or((look.time, look.ending), |end| (end, true));
            for voice in self.voices(lane, share.bar, at, ending) {
                let planned = &self.lanes[lane].bars[share.bar];
                let ((id, clip), length) =
                    (&planned.voices[voice.clip], planned.lengths[voice.clip]);
                let layers = document.aids.layers(LayerHome::Clip(*id));
                // What is held stands.
                let way = if share.held.is_some() { 0.0 } else { voice.rate * look.step };
                let (low, high) =
                    (voice.time.min(voice.time + way), voice.time.max(voice.time + way));
                let shift = if low < 0.0 { -low } else { (length - high).min(0.0) };
                let time = match way.abs() <= length {
                    true => {
                        voice.time
                            + if look.step == 0.0 { 0.0 } else { shift }
                            + if look.far { way } else { 0.0 }
                    }
                    false => voice.time,
                };
                let instance = Instance::new(clip, time).weighing(voice.weight * share.weight);
                made.push(Instance { mask: share.mask.clone(), layers, ..instance });
            }
        }
        made
    }

    /// The pose that a bar comes in over, as a clip of one key of all that the bars before it
    /// drive.
    fn frozen(&mut self, document: &Document, lane: usize, bar: usize) -> Shared<Clip> {
        if let Some(found) = self.frozen.get(&(lane, bar)) {
            return found.clone();
        }
        // Those that it may come in over itself are made first: none is made within another.
        let place_of = |mixer: &Self, bar: usize| {
            mixer.lanes[lane].order.iter().position(|b| *b == bar).unwrap_or(0)
        };
        let place = place_of(self, bar);
        let mut wanted = vec![bar];
        let mut start = self.mix.lanes[lane].bars[bar].start;
        for place in (0..place).rev() {
            let b = self.lanes[lane].order[place];
            let under = &self.mix.lanes[lane].bars[b];
            let holds = matches!(under.enter, Enter::Frozen | Enter::Keys)
                && start < under.start + under.fade_in;
            if holds && !self.frozen.contains_key(&(lane, b)) {
                wanted.push(b);
                start = under.start;
            }
        }
        let mut made = Shared::new(Clip::default());
        for bar in wanted.into_iter().rev() {
            let place = place_of(self, bar);
            made = Shared::new(self.pose_under(
                document,
                (lane, place),
                self.mix.lanes[lane].bars[bar].start,
            ));
            self.frozen.insert((lane, bar), made.clone());
        }
        made
    }

    /// What the bars before a place of a lane drive, as it stands at a time, as a clip of one key.
    fn pose_under(&mut self, document: &Document, until: (usize, usize), time: f64) -> Clip {
        let look = MixSample { until: Some(until), ending: true, ..MixSample::at(time) };
        self.find_phases(time);
        let mix = self.mix.clone();
        let solo = mix.lanes.iter().any(|l| l.solo);
        let mut stack = Stack { layers: document.aids.layers(LayerHome::Pose), ..Stack::default() };
        let mut driven: Vec<(NodeId, Property, usize)> = Vec::new();
        let covering = |(_, l): &(usize, &MixLane)| {
            l.additive.is_none() && l.on && (l.solo || !solo) && l.weight > 0.0
        };
        for (l, lane) in mix.lanes.iter().enumerate().take(until.0 + 1).filter(covering) {
            let instances = self.instances(document, l, look);
            let averaging = if lane.nlerp { Averaging::Nlerp } else { Averaging::Slerp };
            if l == until.0 {
                for instance in &instances {
                    driven.extend(
                        instance.clip.tracks.values().map(|t| (t.target, t.property, t.width)),
                    );
                    driven.extend(moved_by_layers(&instance.layers));
                }
                // Its own weight and mask come over the pose as over any bar.
                stack.lanes.push(Lane { averaging, ..Lane::new(instances) });
            } else {
                let (weight, mask) = (lane.weight.min(1.0), self.lanes[l].mask.clone());
                stack.lanes.push(Lane { instances, weight, mask, averaging });
            }
        }
        let mut pose = Pose::default();
        Evaluator::default().update(document, &stack, &mut pose);
        driven.sort_unstable();
        driven.dedup_by_key(|(node, property, _)| (*node, *property));
        let tracks = driven.into_iter().enumerate().map(|(k, (node, property, width))| {
            let local = pose.local.get(node.index()).map(Local::transform).unwrap_or_default();
            let values: Vec<f32> = match property {
                Property::Translation => local.translation.to_array().into(),
                Property::Rotation => local.rotation.to_array().into(),
                Property::Scale => local.scale.to_array().into(),
                Property::Weights => {
                    let found = pose.morphs.get(node.index()).filter(|m| m.len() == width);
                    found.cloned().unwrap_or_else(|| vec![0.0; width])
                }
            };
            let track = Track {
                target: node,
                property,
                interpolation: Interpolation::Linear,
                times: [0.0].into(),
                values: values.into(),
                width,
                kinds: Default::default(),
            };
            (TrackId(k as u32), Shared::new(track))
        });
        Clip { tracks: tracks.collect(), ..Clip::default() }
    }
}

/// What layers drive: components of nodes, with the numbers of a value.
fn moved_by_layers(layers: &PoseLayers) -> Vec<(NodeId, Property, usize)> {
    let mut all = Vec::new();
    for layer in layers.counting() {
        for (node, user) in layer.moves.iter() {
            let parts = Parts::moved_by(user);
            all.extend(Property::TRS.into_iter().filter(|p| parts.has(*p)).map(|p| (*node, p)));
        }
        all.extend(layer.keys.tracks.values().map(|t| (t.target, t.property)));
    }
    all.into_iter().map(|(n, p)| (n, p, if p == Property::Rotation { 4 } else { 3 })).collect()
}

/// What plays between two times of a mix as a clip of one key a frame, at so many frames a second.
///
/// Rotations keep to one side of the sphere from frame to frame; what the mix does not drive has no
/// track.
pub fn baked(document: &Document, mix: &Shared<Mix>, (from, to): (f64, f64), rate: f64) -> Clip {
    let count = ((to - from) * rate).round().max(1.0) as usize;
    let times: Vec<f32> =
        (0..=count).map(|k| ((to - from) * k as f64 / count as f64) as f32).collect();
    let driven: Vec<(NodeId, Property, usize)> = {
        let bars = mix.lanes.iter().filter(|l| l.on).flat_map(|l: &MixLane| &l.bars);
        let clips: Vec<ClipId> = bars.flat_map(MixBar::clips).copied().collect();
        let pointed = |c: &Shared<Clip>| {
            c.pointers.iter().filter_map(|p| p.track.clone()).collect::<Vec<_>>()
        };
        let all =
            |c: &Shared<Clip>| c.tracks.values().cloned().chain(pointed(c)).collect::<Vec<_>>();
        let tracks = clips.iter().filter_map(|id| document.clips.get(*id)).flat_map(all);
        let layered = clips
            .iter()
            .flat_map(|id| moved_by_layers(&document.aids.layers(LayerHome::Clip(*id))));
        let mut all: Vec<_> =
            tracks.map(|t| (t.target, t.property, t.width)).chain(layered).collect();
        all.sort_unstable();
        all.dedup_by_key(|(node, property, _)| (*node, *property));
        all
    };
    let mut values: Vec<Vec<f32>> = vec![Vec::with_capacity(times.len() * 4); driven.len()];
    let (mut mixer, mut evaluator, mut pose) =
        (Mixer::default(), Evaluator::default(), Pose::default());
    for k in 0..times.len() {
        // Not the key's own time: rounded up, the last would lie past the end of what plays.
        let time = (from + (to - from) * k as f64 / count as f64).min(to);
        evaluator.update(document, &mixer.stack(document, mix, time), &mut pose);
        for ((node, property, width), values) in driven.iter().zip(&mut values) {
            let local = pose.local.get(node.index()).map(Local::transform).unwrap_or_default();
            match property {
                Property::Translation => values.extend(local.translation.to_array()),
                Property::Scale => values.extend(local.scale.to_array()),
                Property::Rotation => {
                    let turn = local.rotation;
                    let before =
                        values.len().checked_sub(4).map(|at| glam::Quat::from_slice(&values[at..]));
                    let turn = if before.is_some_and(|b| b.dot(turn) < 0.0) { -turn } else { turn };
                    values.extend(turn.to_array());
                }
                Property::Weights => {
                    let found = pose.morphs.get(node.index()).filter(|m| m.len() == *width);
                    values.extend(found.cloned().unwrap_or_else(|| vec![0.0; *width]));
                }
            }
        }
    }
    let shared: ulna_model::Slice<f32> = times.into();
    let tracks = driven.into_iter().zip(values).enumerate().map(
        |(k, ((target, property, width), values))| {
            let interpolation = Interpolation::Linear;
            let (times, values) = (shared.clone(), values.into());
            let track = Track {
                target,
                property,
                interpolation,
                times,
                values,
                width,
                kinds: Default::default(),
            };
            (TrackId(k as u32), Shared::new(track))
        },
    );
    Clip { tracks: tracks.collect(), ..Clip::default() }
}

/// How far a clip is from what plays between two times of a mix, on its frames and midway between
/// them: the point of the skin that is farthest off, meters.
pub fn baked_error(
    document: &Document,
    mix: &Shared<Mix>,
    (from, to): (f64, f64),
    clip: &Shared<Clip>,
    (seen, rate): (&SeenPoints, f64),
) -> f32 {
    let count = ((to - from) * rate).round().max(1.0) as usize;
    let (mut mixer, mut evaluators) =
        (Mixer::default(), [Evaluator::default(), Evaluator::default()]);
    let mut poses = [Pose::default(), Pose::default()];
    let mut worst = 0.0f32;
    for k in 0..=2 * count {
        let at = (to - from) * k as f64 / (2 * count) as f64;
        evaluators[0].update(
            document,
            &mixer.stack(document, mix, (from + at).min(to)),
            &mut poses[0],
        );
        evaluators[1].update(document, &Stack::of(Some(clip), at), &mut poses[1]);
        worst = worst.max(seen.apart(&poses[0], &poses[1]));
    }
    worst
}

#[cfg(test)]
mod tests;
