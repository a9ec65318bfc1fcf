//! Layers of user-local transforms at a moment, and put onto local transforms: `((M ∘ U₁) ∘ U₂) …`.
//!
//! Most layers are the same at all times. Neighbours of them are made one where that is exact, once, so that ten layers cost
//! little more than one.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};

use super::{frame::set, mix::Parts, sample::sample_into};
use crate::model::{Local, NodeId, PoseLayer, PoseLayers, Shared, Transform, part_of};

/// How much of a layer counts at a time of its clip, before its mask.
pub fn strength_of(layer: &PoseLayer, time: f64) -> f32 {
    let Some(keys) = &layer.strength_keys else { return layer.strength };
    let mut strength = [0.0];
    sample_into(keys, time, &mut strength);
    strength[0].clamp(0.0, 1.0)
}

/// `U` of a node in a layer at a time, in full.
pub fn user_at(layer: &PoseLayer, node: NodeId, time: f64) -> Transform {
    let mut user = layer.constant(node);
    let mut buffer = [0.0; 4];
    for track in layer.keys.tracks.values().filter(|t| t.target == node) {
        let out = &mut buffer[..track.width];
        sample_into(track, time, out);
        set(&mut user, track.property, out);
    }
    user
}

/// What a layer adds to a node at a time, whatever else is in its list; nothing where it does not count or says nothing of it.
pub fn added_at(layer: &PoseLayer, node: NodeId, time: f64) -> Option<Transform> {
    if !layer.says(node) {
        return None;
    }
    let share = layer.share(strength_of(layer, time), node);
    (share != 0.0).then(|| part_of(&user_at(layer, node, time), share))
}

/// A node's local transform with layers on it, at a time.
pub fn with_layers(base: &Transform, layers: &PoseLayers, node: NodeId, time: f64) -> Transform {
    let added = layers.counting().filter_map(|l| added_at(l, node, time));
    added.fold(*base, |under, user| under.compose(&user))
}

/// What a layer that is the same at all times adds.
fn constants(layer: &PoseLayer) -> impl Iterator<Item = (NodeId, Transform)> + '_ {
    layer.moves.iter().filter_map(|(node, user)| {
        let share = layer.strength_at(*node);
        (share != 0.0).then(|| (*node, part_of(user, share)))
    })
}

/// Whether `(M ∘ under) ∘ over` is `M ∘ (under ∘ over)` for every `M`: `over` does not move, or `under` does not turn.
fn are_one(under: &Transform, over: &Transform) -> bool {
    over.translation == Vec3::ZERO || under.rotation == Quat::IDENTITY
}

/// Layers made ready to be put on, again and again.
#[derive(Clone, Debug, Default)]
pub(super) struct Laid {
    layers: Shared<PoseLayers>,
    steps: Vec<Step>,
}

/// Some of the layers, in their order.
#[derive(Clone, Debug)]
enum Step {
    /// What layers add that are the same at all times, made one: each node once.
    Constant(Vec<(NodeId, Transform)>),
    /// A layer with keys, by its place in the list.
    Keyed(usize),
}

impl Laid {
    /// Takes layers up, where they are others than it has.
    pub fn take_up(&mut self, layers: &Shared<PoseLayers>) {
        let same = Shared::ptr_eq(&self.layers, layers) || (self.layers.is_empty() && layers.is_empty());
        if !same {
            *self = Self::of(layers);
        }
    }

    fn of(layers: &Shared<PoseLayers>) -> Self {
        let mut steps = Vec::new();
        let mut run: BTreeMap<NodeId, Transform> = BTreeMap::new();
        let end = |run: &mut BTreeMap<NodeId, Transform>, steps: &mut Vec<Step>| {
            if !run.is_empty() {
                steps.push(Step::Constant(std::mem::take(run).into_iter().collect()));
            }
        };
        for (k, layer) in layers.iter().enumerate().filter(|(_, l)| layers.counts(l)) {
            if layer.is_keyed() {
                end(&mut run, &mut steps);
                steps.push(Step::Keyed(k));
                continue;
            }
            if constants(layer).any(|(node, user)| run.get(&node).is_some_and(|under| !are_one(under, &user))) {
                end(&mut run, &mut steps);
            }
            for (node, user) in constants(layer) {
                run.entry(node).and_modify(|under| *under = under.compose(&user)).or_insert(user);
            }
        }
        end(&mut run, &mut steps);
        Self { layers: layers.clone(), steps }
    }

    /// Whether they do nothing.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// What they drive, by node; a node may come several times.
    pub fn drives(&self) -> Vec<(NodeId, Parts)> {
        let mut all = Vec::new();
        for step in &self.steps {
            match step {
                Step::Constant(list) => all.extend(list.iter().map(|(node, user)| (*node, Parts::moved_by(user)))),
                Step::Keyed(k) => {
                    let layer = &self.layers.0[*k];
                    all.extend(layer.moves.iter().map(|(node, user)| (*node, Parts::moved_by(user))));
                    all.extend(layer.keys.tracks.values().map(|t| (t.target, Parts::bit(t.property))));
                }
            }
        }
        all
    }

    /// Puts them on, as they are at a time.
    pub fn put(&self, time: f64, local: &mut [Local]) {
        let mut put = |node: NodeId, user: &Transform| {
            if let Some(slot) = local.get_mut(node.index()) {
                *slot = Local::Trs(slot.transform().compose(user));
            }
        };
        for step in &self.steps {
            match step {
                Step::Constant(list) => list.iter().for_each(|(node, user)| put(*node, user)),
                Step::Keyed(k) => {
                    let layer = &self.layers.0[*k];
                    let strength = strength_of(layer, time);
                    let mut users = layer.moves.clone();
                    if !layer.keys.tracks.is_empty() {
                        let users = Shared::make_mut(&mut users);
                        let mut buffer = [0.0; 4];
                        for track in layer.keys.tracks.values() {
                            let out = &mut buffer[..track.width];
                            sample_into(track, time, out);
                            set(users.entry(track.target).or_default(), track.property, out);
                        }
                    }
                    for (node, user) in users.iter() {
                        let share = layer.share(strength, *node);
                        if share != 0.0 {
                            put(*node, &part_of(user, share));
                        }
                    }
                }
            }
        }
    }
}
