//! Evaluation of the lanes of a mix at a time to the lanes of a [`Stack`].

use super::{
    Mixer,
    shares::{Share, product},
};
use crate::{Additive, Averaging, Evaluator, Instance, Lane, Pose, Reference, Stack, mix::Parts};
use ulna_model::{
    Clip, Document, Enter, Interpolation, LayerHome, Local, MixLane, MixReference, NodeId,
    PoseLayers, Property, Shared, Track, TrackId,
};

/// A clip of a bar, sampled at a time of the mix.
pub(super) struct BlendInput {
    /// Index of the clip in the bar.
    pub(super) clip: usize,
    /// Time in the clip, seconds.
    pub(super) time: f64,
    /// Weight of the clip within the bar, `0..=1`.
    pub(super) weight: f32,
    /// Playback rate, in clip seconds per mix second.
    pub(super) rate: f64,
}

/// A time at which the mix is sampled, and options of the sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct MixSample {
    pub(super) time: f64,
    /// Length of the interval in which velocities are measured, seconds; 0 if velocities are not
    /// needed. Each clip advances on its own clock and never wraps: near the clip's end, the whole
    /// interval is moved before the end.
    pub(super) step: f64,
    /// Whether the end of the interval is sampled instead of its start.
    pub(super) far: bool,
    /// A lane and a place in the lane's order. If given, only the bars before this place are
    /// sampled.
    pub(super) until: Option<(usize, usize)>,
    /// Whether a loop that ends exactly at this time is sampled at its end instead of its start.
    pub(super) ending: bool,
}

impl MixSample {
    pub(super) const fn at(time: f64) -> Self {
        Self { time, step: 0.0, far: false, until: None, ending: false }
    }
}

/// Converts a time to a time inside a clip: wrapped around if the clip repeats, else clamped to its
/// ends.
pub(super) fn wrapped(local: f64, length: f64, repeat: bool) -> f64 {
    match repeat {
        // Times within the first cycle are unchanged, its end included.
        true if length > 0.0 && !(0.0..=length).contains(&local) => local.rem_euclid(length),
        true => local,
        false => local.clamp(0.0, length),
    }
}

impl Mixer {
    /// Returns the clips of a bar at a time of the mix. With `ending`, a loop that ends exactly at
    /// this time is sampled at its end.
    pub(super) fn voices(
        &self,
        lane: usize,
        bar: usize,
        time: f64,
        ending: bool,
    ) -> Vec<BlendInput> {
        /// Tolerance for the end of a loop, seconds, since sums of times are rounded.
        const AT_END: f64 = 1e-6;
        let (mix, planned) = (&self.mix.lanes[lane].bars[bar], &self.lanes[lane].bars[bar]);
        // During a key transition, the clip waits at its first key.
        let waits = if mix.enter == Enter::Keys { mix.fade_in } else { 0.0 };
        let goes = time >= mix.start + waits;
        let local = mix.offset
            + if goes || waits == 0.0 { (time - mix.start - waits) * mix.speed } else { 0.0 };
        let phase = planned.group.map(|g| (g, self.phase_found(g, time)));
        // At its very end, a bar has the pose of the clip's end, not of the start of another cycle.
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

    /// Evaluates the lanes at a time, without the offsets of inertial transitions.
    pub(super) fn lanes_at(&mut self, document: &Document, look: MixSample) -> Stack {
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
            // Weights also advance, unless a bar begins or ends in the interval.
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
                // The clips of held bars do not advance.
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

    /// Returns the frozen pose over which a bar fades in, as a clip. It has one key for every
    /// component that the bars before this bar drive.
    fn frozen(&mut self, document: &Document, lane: usize, bar: usize) -> Shared<Clip> {
        if let Some(found) = self.frozen.get(&(lane, bar)) {
            return found.clone();
        }
        // Frozen poses that this one depends on are computed first, to avoid recursion.
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

    /// Returns the pose of the bars before a place of a lane at a time, as a clip with one key per
    /// track.
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
                // The lane's own weight and mask are applied later, as for any bar.
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
                modes: Default::default(),
            };
            (TrackId(k as u32), Shared::new(track))
        });
        Clip { tracks: tracks.collect(), ..Clip::default() }
    }
}

/// Lists the properties of nodes that layers change, with the number of components of each.
pub(super) fn moved_by_layers(layers: &PoseLayers) -> Vec<(NodeId, Property, usize)> {
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
