//! Evaluation of a [`Stack`] to a [`Pose`] in a fixed order, with caches that are reused between
//! consecutive times.

use std::sync::{Arc, OnceLock};

use glam::Quat;

use super::{
    compiled::Compiled,
    frame::{Block, Slots, ToBlocks, set},
    layers::Laid,
    mix::{self, BlendSource, DrivenChannels, LaneCoverage, Parts},
    pose::Pose,
    sample::sample_by,
    stack::{Additive, Averaging, Constraint, Instance, Lane, Reference, Stack},
    turn::LANES,
};
use ulna_model::{
    Clip, FileContent, Local, NodeId, PoseLayers, Property, Shared, Transform, Tree, Unkeyed,
    transform::{short_way, unit_or},
};

/// Evaluates stacks. Each view has its own evaluator, which caches the prepared clips of its last
/// stack.
#[derive(Clone, Debug, Default)]
pub struct Evaluator {
    /// One sampler per clip instance: first those of lanes, then those of additive lanes.
    players: Vec<ClipSampler>,
    walk: EvaluationOrder,
    /// Mix buffer slots of the nodes that lanes drive.
    slots: Slots,
    /// Whether the driven nodes may have changed.
    stale: bool,
    /// Indices of nodes whose pose in the file is not needed. The flag tells whether all components
    /// are replaced.
    covered: Vec<(u32, bool)>,
    /// The file's pose with its layers. Clip instances are sampled over it.
    base: Pose,
    /// The layers of the file's pose.
    laid: Laid,
    scratch: mix::Scratch,
    unscaled_nodes: Vec<NodeId>,
    /// Whether long clips are prepared on another thread.
    beside: bool,
}

/// Nodes with their parents, parents first, and the tree from which they were computed.
#[derive(Clone, Debug, Default)]
struct EvaluationOrder {
    tree: Shared<Tree>,
    nodes: Vec<(u32, Option<u32>)>,
}

impl EvaluationOrder {
    fn of(&mut self, file: &FileContent) -> &[(u32, Option<u32>)] {
        let tree = file.nodes.tree();
        if !Shared::ptr_eq(&self.tree, tree) {
            let pair = |id: &NodeId| (id.0, file.node(*id).parent.map(|p| p.0));
            *self = Self { tree: tree.clone(), nodes: tree.order().iter().map(pair).collect() };
        }
        &self.nodes
    }
}

/// Sampler of one clip instance.
#[derive(Clone, Debug, Default)]
struct ClipSampler {
    clip: Shared<Clip>,
    /// Interpolation of LINEAR rotations.
    between: Averaging,
    laid: Laid,
    /// The layers whose components are included in `drives`.
    known: Shared<PoseLayers>,
    /// Number of consecutive evaluations that requested this clip.
    asked: u32,
    compiled: Option<Compiled>,
    /// A long clip that is being prepared on another thread. Until then, it is sampled track by
    /// track.
    awaited: Option<Arc<OnceLock<Option<Compiled>>>>,
    /// Components that the clip and its layers drive, by node.
    drives: Vec<Parts>,
    /// Indices of nodes that are driven partially. Their other components come from the pose below.
    partly: Vec<usize>,
    /// Indices of nodes whose morph target weights are driven. They also start from the pose below.
    morphing: Vec<usize>,
    local: Vec<Local>,
    morphs: Vec<Vec<f32>>,
    /// Version of the slots for which the blocks are allocated.
    arranged: u64,
    frame: Vec<Block>,
    driven: Vec<DrivenChannels>,
}

impl ClipSampler {
    /// Sets the clip to sample. It is prepared for fast playback only after several requests,
    /// because preparation costs more than sampling a single time.
    fn take_up(&mut self, clip: &Shared<Clip>, between: Averaging, beside: bool) {
        const WORTH: u32 = 3;
        /// Maximum number of keys of a clip that is prepared at once, within a small part of a
        /// frame.
        const MANY: usize = 50_000;
        if !Shared::ptr_eq(&self.clip, clip) || self.between != between {
            (self.clip, self.asked, self.compiled, self.between) = (clip.clone(), 0, None, between);
            self.awaited = None;
            self.drives.clear();
        }
        self.asked = self.asked.saturating_add(1);
        if self.asked == WORTH && beside && clip.key_count() > MANY {
            let slot = Arc::new(OnceLock::new());
            let (to, clip) = (slot.clone(), clip.clone());
            rayon::spawn(move || {
                to.get_or_init(|| Compiled::new(&clip, between));
            });
            self.awaited = Some(slot);
        } else if self.asked == WORTH {
            (self.compiled, self.arranged) = (Compiled::new(clip, between), 0);
        }
        if let Some(slot) = self.awaited.take_if(|slot| slot.get().is_some()) {
            match Arc::try_unwrap(slot) {
                Ok(made) => (self.compiled, self.arranged) = (made.into_inner().flatten(), 0),
                // The other thread still has a reference to the result.
                Err(slot) => self.awaited = Some(slot),
            }
        }
    }

    /// Finds the components that the clip and these layers drive, for `nodes` nodes. Returns
    /// whether they changed.
    fn find_drives(&mut self, layers: &Shared<PoseLayers>, nodes: usize) -> bool {
        let same =
            Shared::ptr_eq(&self.known, layers) || (self.known.is_empty() && layers.is_empty());
        if self.drives.len() == nodes && same {
            return false;
        }
        self.known = layers.clone();
        self.laid.take_up(layers);
        self.drives.clear();
        self.drives.resize(nodes, Parts::default());
        let pointers = self.clip.pointers.iter().filter_map(|p| p.track.as_ref());
        let tracks =
            self.clip.tracks.values().chain(pointers).map(|t| (t.target, Parts::bit(t.property)));
        let moves = self.laid.drives();
        for (node, parts) in tracks.chain(moves) {
            if let Some(slot) = self.drives.get_mut(node.index()) {
                *slot = slot.or(parts);
            }
        }
        let which = |wanted: &dyn Fn(Parts) -> bool| {
            let all = self.drives.iter().enumerate();
            all.filter(|(_, parts)| wanted(**parts)).map(|(node, _)| node).collect::<Vec<_>>()
        };
        let partly = which(&|parts| parts.moves() && (!parts.is_whole() || !self.laid.is_empty()));
        let morphing = which(&|parts| parts.has(Property::Weights));
        (self.partly, self.morphing) = (partly, morphing);
        // Fully driven nodes must be [`Local::Trs`], as clips require.
        self.local.clear();
        self.local.resize(nodes, Local::default());
        self.morphs.resize(nodes, Vec::new());
        self.arranged = 0;
        true
    }

    /// Whether the sampler needs the pose of the lanes below.
    fn is_partial(&self) -> bool {
        !self.partly.is_empty() || !self.morphing.is_empty()
    }

    /// Samples the clip over a pose, and applies its layers. Components that are not driven are
    /// undefined afterward.
    fn sample(&mut self, time: f64, base: &Pose) {
        for node in self.partly.iter().copied() {
            self.local[node] = Local::Trs(base.local[node].transform());
        }
        for node in self.morphing.iter().copied() {
            self.morphs[node].clone_from(&base.morphs[node]);
        }
        match &mut self.compiled {
            Some(compiled) => compiled.apply(time, &mut self.local, &mut self.morphs),
            None => apply_clip(&self.clip, (time, self.between), &mut self.local, &mut self.morphs),
        }
        self.laid.put(time, &mut self.local);
    }

    /// Reallocates the blocks if the slots have changed.
    fn arrange(&mut self, slots: &Slots) {
        if self.arranged != slots.serial() {
            self.arranged = slots.serial();
            self.frame.clear();
            self.frame.resize(slots.blocks(), Block::default());
            let parts: Vec<Parts> =
                slots.nodes().iter().map(|node| self.drives[*node as usize]).collect();
            self.driven = parts.chunks(LANES).map(DrivenChannels::new).collect();
            if let Some(compiled) = &mut self.compiled {
                compiled.arrange(slots);
            }
        }
    }

    /// Samples the clip like [`sample`](Self::sample), but into the mix buffer's blocks, by slot.
    fn sample_blocks(&mut self, instance: &Instance, base: &Pose, slots: &Slots) {
        if self.laid.is_empty()
            && let Some(compiled) = &mut self.compiled
        {
            for node in self.morphing.iter().copied() {
                self.morphs[node].clone_from(&base.morphs[node]);
            }
            compiled.sample(instance.time, &mut ToBlocks(&mut self.frame), &mut self.morphs);
            return;
        }
        self.sample(instance.time, base);
        for (slot, node) in slots.nodes().iter().enumerate() {
            if self.drives[*node as usize].moves() {
                self.frame[slot / LANES].put(slot % LANES, &self.local[*node as usize].transform());
            }
        }
    }
}

/// Collects the blend sources of a lane: its instances with a weight above 0.
fn drivers<'a>(lane: &'a Lane, players: &'a [ClipSampler]) -> Vec<BlendSource<'a>> {
    let counting =
        players.iter().zip(&lane.instances).filter(|(_, instance)| instance.weight > 0.0);
    counting
        .map(|(player, instance)| BlendSource {
            frame: &player.frame,
            driven: &player.driven,
            drives: &player.drives,
            morphs: &player.morphs,
            weight: instance.weight,
            mask: instance.mask.as_ref(),
        })
        .collect()
}

fn cover(lane: &Lane) -> LaneCoverage<'_> {
    LaneCoverage {
        weight: lane.weight,
        mask: lane.mask.as_ref(),
        on_sphere: lane.averaging == Averaging::Slerp,
    }
}

impl Evaluator {
    /// Creates an evaluator for the frames of a window. Long clips are prepared on another thread,
    /// so that no frame has to wait.
    pub fn beside() -> Self {
        Self { beside: true, ..Self::default() }
    }

    /// Evaluates a stack for the nodes of a document, into an existing pose.
    pub fn update(&mut self, file: &FileContent, stack: &Stack, pose: &mut Pose) {
        self.unscaled_nodes.clear();
        let count =
            stack.lanes.iter().map(|l| l.instances.len()).sum::<usize>() + stack.additive.len();
        self.arrange(stack);
        self.laid.take_up(&stack.layers);
        if let Some(instance) = stack.alone() {
            self.play(file, (instance, stack.between), pose);
        } else {
            self.take_up(stack, file.nodes.len());
            self.find_covered(stack);
            begin(file, &self.covered, pose);
            self.laid.put(0.0, &mut pose.local);
            if self.players.iter().any(ClipSampler::is_partial) {
                self.base.local.clone_from(&pose.local);
                self.base.morphs.clone_from(&pose.morphs);
            }
            let mut first = 0;
            for lane in &stack.lanes {
                self.mix(lane, first, pose);
                first += lane.instances.len();
            }
        }
        let first = count - stack.additive.len();
        for (k, additive) in stack.additive.iter().enumerate() {
            self.add(file, stack, additive, first + k, pose);
        }
        for offset in &stack.offsets {
            if let Some(local) = pose.local.get_mut(offset.node.index()) {
                let under = local.transform();
                *local = Local::Trs(Transform {
                    translation: under.translation + offset.translation,
                    rotation: unit_or(offset.rotation * under.rotation, under.rotation),
                    scale: under.scale * offset.scale,
                });
            }
        }
        for offset in &stack.morph_offsets {
            let morphs = pose
                .morphs
                .get_mut(offset.node.index())
                .filter(|m| m.len() == offset.weights.len());
            morphs
                .into_iter()
                .flatten()
                .zip(&offset.weights)
                .for_each(|(weight, more)| *weight += more);
        }
        if let Some(unkeyed) = &stack.unkeyed {
            put_unkeyed(unkeyed, pose);
        }
        pose.find_worlds(self.walk.of(file));
        pose.hidden = super::visibility::hidden_nodes(file, stack);
        for constraint in &stack.constraints {
            let Constraint::Hold { node, scene_from_node } = constraint;
            if file.nodes.contains(*node)
                && let Ok(found) = pose.local_for_world(file, *node, scene_from_node)
            {
                pose.local[node.index()] = Local::Trs(found.transform);
                pose.find_worlds(self.walk.of(file));
            }
        }
    }

    /// Reassigns the samplers, so that each instance gets a sampler that already has its clip
    /// prepared. The position of the instance in the stack may have changed since the last
    /// evaluation.
    fn arrange(&mut self, stack: &Stack) {
        let lanes = stack.lanes.iter().flat_map(|l| &l.instances);
        let instances = || lanes.clone().chain(stack.additive.iter().map(|a| &a.instance));
        let count = instances().count();
        let fits = |(player, instance): (&ClipSampler, &Instance)| {
            Shared::ptr_eq(&player.clip, &instance.clip)
        };
        if self.players.len() == count && self.players.iter().zip(instances()).all(fits) {
            return;
        }
        self.stale = true;
        let mut old: Vec<Option<ClipSampler>> =
            std::mem::take(&mut self.players).into_iter().map(Some).collect();
        self.players = instances()
            .enumerate()
            .map(|(k, instance)| {
                let is_its =
                    |p: &Option<ClipSampler>| p.as_ref().is_some_and(|p| fits((p, instance)));
                let at = if old.get(k).is_some_and(is_its) {
                    Some(k)
                } else {
                    old.iter().position(is_its)
                };
                at.and_then(|at| old[at].take())
            })
            .collect::<Vec<_>>()
            .into_iter()
            // Reuse the memory of the remaining samplers.
            .map(|found| {
                found.or_else(|| old.iter_mut().find_map(Option::take)).unwrap_or_default()
            })
            .collect();
    }

    /// Passes each instance's clip to its sampler, and assigns slots to the nodes that lanes drive.
    fn take_up(&mut self, stack: &Stack, nodes: usize) {
        let lanes = stack.lanes.iter().flat_map(|l| &l.instances);
        let instances = lanes.chain(stack.additive.iter().map(|a| &a.instance));
        for (player, instance) in self.players.iter_mut().zip(instances) {
            player.take_up(&instance.clip, stack.between, self.beside);
            self.stale |= player.find_drives(&instance.layers, nodes);
        }
        let (drivers, _) =
            self.players.split_at_mut(stack.lanes.iter().map(|l| l.instances.len()).sum());
        if self.stale {
            self.stale = false;
            let driven = |node: &usize| drivers.iter().any(|player| player.drives[*node].moves());
            self.slots.give((0..nodes).filter(driven), nodes);
        }
        drivers.iter_mut().for_each(|player| player.arrange(&self.slots));
    }

    /// Finds the nodes that the lowest lane replaces completely.
    fn find_covered(&mut self, stack: &Stack) {
        self.covered.clear();
        let Some(lane) = stack.lanes.first() else { return };
        let players = &self.players[..lane.instances.len()];
        // Samplers of partially driven nodes need the pose below.
        if !self.laid.is_empty() || self.players.iter().any(|p| !p.partly.is_empty()) {
            return;
        }
        let drivers = drivers(lane, players);
        if !mix::covers(&drivers, cover(lane)) {
            return;
        }
        for (block, nodes) in self.slots.nodes().chunks(LANES).enumerate() {
            if drivers.iter().all(|d| d.driven[block].whole) {
                self.covered.extend(nodes.iter().map(|node| (*node, true)));
            }
        }
    }

    /// Nodes whose scale an additive lane could not change in the last stack, because the result
    /// would not be finite.
    pub fn unscaled_nodes(&self) -> &[NodeId] {
        &self.unscaled_nodes
    }

    /// Plays a single clip directly over the pose.
    fn play(
        &mut self,
        file: &FileContent,
        (instance, between): (&Instance, Averaging),
        pose: &mut Pose,
    ) {
        let player = &mut self.players[0];
        player.take_up(&instance.clip, between, self.beside);
        player.laid.take_up(&instance.layers);
        begin(file, player.compiled.as_ref().map_or(&[], |c| c.moved()), pose);
        // The layers of the file's pose come first, since the clip replaces their results.
        self.laid.put(0.0, &mut pose.local);
        match &mut player.compiled {
            Some(compiled) => compiled.apply(instance.time, &mut pose.local, &mut pose.morphs),
            None => apply_clip(
                &instance.clip,
                (instance.time, between),
                &mut pose.local,
                &mut pose.morphs,
            ),
        }
        player.laid.put(instance.time, &mut pose.local);
    }

    /// Averages the instances of a lane over the pose. The samplers of the lane start at index
    /// `first`.
    fn mix(&mut self, lane: &Lane, first: usize, pose: &mut Pose) {
        let players = &mut self.players[first..first + lane.instances.len()];
        for (player, instance) in players.iter_mut().zip(&lane.instances) {
            if instance.weight > 0.0 {
                player.sample_blocks(instance, &self.base, &self.slots);
            }
        }
        let (drivers, cover) = (drivers(lane, players), cover(lane));
        if !drivers.is_empty() && lane.weight > 0.0 {
            mix::lay(&mut pose.local, &self.slots, &drivers, cover, &mut self.scratch);
            mix::lay_morphs(&mut pose.morphs, &drivers, cover);
        }
    }

    /// Adds the difference between an additive clip and its reference to the pose.
    fn add(
        &mut self,
        file: &FileContent,
        stack: &Stack,
        additive: &Additive,
        player: usize,
        pose: &mut Pose,
    ) {
        let Additive { instance, reference } = additive;
        let player = &mut self.players[player];
        if stack.alone().is_some() {
            begin(file, &[], &mut self.base);
            self.laid.put(0.0, &mut self.base.local);
            player.take_up(&instance.clip, stack.between, self.beside);
            player.find_drives(&instance.layers, file.nodes.len());
        }
        let from = match reference {
            Reference::Rest => None,
            Reference::FirstKey => Some(f64::from(first_key(&instance.clip))),
            Reference::At(time) => Some(*time),
        };
        let from = from.map(|time| {
            player.sample(time, &self.base);
            (player.local.clone(), player.morphs.clone())
        });
        player.sample(instance.time, &self.base);
        for (id, node) in file.nodes.iter() {
            let k = id.index();
            let weight =
                instance.mask.as_ref().map_or(instance.weight, |m| instance.weight * m.at(id));
            let parts = player.drives[k];
            if parts.is_empty() || weight == 0.0 {
                continue;
            }
            let to = player.local[k].transform();
            let reference = from
                .as_ref()
                .map_or_else(|| node.rest.transform(), |(local, _)| local[k].transform());
            let mut now = pose.local[k].transform();
            if parts.has(Property::Translation) {
                now.translation += weight * (to.translation - reference.translation);
            }
            if parts.has(Property::Rotation) {
                let turn = reference.rotation.conjugate() * to.rotation;
                now.rotation = unit_or(now.rotation * power(turn, weight), now.rotation);
            }
            if parts.has(Property::Scale) {
                let factor = (to.scale / reference.scale).map(|v| v.powf(weight));
                if (now.scale * factor).is_finite() {
                    now.scale *= factor;
                } else {
                    self.unscaled_nodes.push(id);
                }
            }
            if Parts::default() != parts && (now != pose.local[k].transform()) {
                pose.local[k] = Local::Trs(now);
            }
            if parts.has(Property::Weights) && player.morphs[k].len() == pose.morphs[k].len() {
                for (target, value) in pose.morphs[k].iter_mut().enumerate() {
                    let was = from.as_ref().map_or(0.0, |(_, morphs)| morphs[k][target]);
                    *value += weight * (player.morphs[k][target] - was);
                }
            }
        }
    }
}

impl Pose {
    /// Evaluates a stack for the nodes of a document. For a series of poses, an [`Evaluator`] is
    /// faster.
    pub fn evaluate(file: &FileContent, stack: &Stack) -> Self {
        let mut pose = Self::default();
        Evaluator::default().update(file, stack, &mut pose);
        pose
    }
}

/// Scales the angle of a rotation: `slerp(1, turn, w)` along the shortest path, for any `w`.
fn power(turn: Quat, w: f32) -> Quat {
    unit_or(Quat::from_scaled_axis(short_way(turn).to_scaled_axis() * w), Quat::IDENTITY)
}

/// Time of the first key of any track, seconds; 0 without keys.
fn first_key(clip: &Clip) -> f32 {
    let first =
        clip.tracks.values().filter_map(|t| t.times.first().copied()).fold(f32::INFINITY, f32::min);
    if first.is_finite() { first } else { 0.0 }
}

/// Copies the file's pose as the base for a clip. Nodes that the clip drives become [`Local::Trs`];
/// nodes that it replaces completely are skipped. `moved` lists the driven nodes in rising order.
/// Its flag tells whether they are replaced completely.
fn begin(file: &FileContent, moved: &[(u32, bool)], pose: &mut Pose) {
    pose.local.resize(file.nodes.len(), Local::default());
    let mut next = 0;
    for (index, (slot, node)) in pose.local.iter_mut().zip(file.nodes.slots()).enumerate() {
        let Some(node) = node else { continue };
        let found = moved.get(next).filter(|(n, _)| *n as usize == index);
        next += usize::from(found.is_some());
        match found {
            // The clip supplies all components.
            Some((_, true)) if matches!(slot, Local::Trs(_)) => {}
            Some((_, true)) => *slot = Local::default(),
            Some((_, false)) => *slot = Local::Trs(node.local().transform()),
            None => *slot = node.local(),
        }
    }
    pose.morphs.resize(file.nodes.len(), Vec::new());
    for (morphs, node) in pose.morphs.iter_mut().zip(file.nodes.slots()) {
        let mesh =
            node.and_then(|n| Some((n, file.mesh(n.mesh?)))).filter(|(_, m)| m.target_count() > 0);
        let Some((node, mesh)) = mesh else {
            morphs.clear();
            continue;
        };
        let given = node.morph_weights.as_ref().unwrap_or(&mesh.default_weights);
        morphs.clear();
        morphs.extend((0..mesh.target_count()).map(|k| given.get(k).copied().unwrap_or(0.0)));
    }
}

/// Writes the values of a clip's channels to local transforms and morph target weights.
fn apply_clip(
    clip: &Clip,
    (time, between): (f64, Averaging),
    local: &mut [Local],
    morphs: &mut [Vec<f32>],
) {
    let mut buffer = [0.0f32; 4];
    let pointers = clip.pointers.iter().filter_map(|p| p.track.as_ref());
    for track in clip.tracks.values().chain(pointers) {
        let node = track.target.index();
        if track.property == Property::Weights {
            if let Some(morphs) = morphs.get_mut(node).filter(|m| m.len() == track.width) {
                sample_by(track, time, between, morphs);
            }
            continue;
        }
        let Some(slot) = local.get_mut(node) else { continue };
        let out = &mut buffer[..track.width];
        sample_by(track, time, between, out);
        let mut moved = slot.transform();
        set(&mut moved, track.property, out);
        *slot = Local::Trs(moved);
    }
}

/// Applies an unkeyed pose to an evaluated pose.
fn put_unkeyed(unkeyed: &Unkeyed, pose: &mut Pose) {
    for (node, components) in &unkeyed.locals {
        if let Some(local) = pose.local.get_mut(node.index()) {
            *local = components.seen(local);
        }
    }
    for (node, weights) in &unkeyed.morphs {
        if let Some(morphs) = pose.morphs.get_mut(node.index()).filter(|m| m.len() == weights.len())
        {
            morphs.copy_from_slice(weights);
        }
    }
}

#[cfg(test)]
mod tests;
