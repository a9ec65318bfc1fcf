//! Pose layers: sampling of user-local transforms, and their composition with local transforms:
//! `((M ∘ U₁) ∘ U₂) …`.
//!
//! Most layers are constant over time. Consecutive constant layers are combined once where that is
//! exact, so that ten layers cost little more than one.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};

use super::{frame::set, mix::Parts, sample::sample_into};
use ulna_model::{Local, NodeId, PoseLayer, PoseLayers, Property, Shared, Transform, part_of};

/// Strength of a layer at a time of its clip, before its mask, `0..=1`.
pub fn strength_of(layer: &PoseLayer, time: f64) -> f32 {
    let Some(keys) = &layer.strength_keys else { return layer.strength };
    let mut strength = [0.0];
    sample_into(keys, time, &mut strength);
    strength[0].clamp(0.0, 1.0)
}

/// User-local transform `U` of a node in a layer at a time, at full strength.
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

/// Transform that a layer adds to a node at a time, independent of other layers. `None` if the
/// layer has no effect on the node.
pub fn added_at(layer: &PoseLayer, node: NodeId, time: f64) -> Option<Transform> {
    if !layer.says(node) {
        return None;
    }
    let share = layer.share(strength_of(layer, time), node);
    (share != 0.0).then(|| part_of(&user_at(layer, node, time), share))
}

/// Applies layers to a node's local transform at a time.
pub fn with_layers(base: &Transform, layers: &PoseLayers, node: NodeId, time: f64) -> Transform {
    let added = layers.counting().filter_map(|l| added_at(l, node, time));
    added.fold(*base, |under, user| under.compose(&user))
}

/// Returns the transforms that a constant layer adds, with their nodes.
fn constants(layer: &PoseLayer) -> impl Iterator<Item = (NodeId, Transform)> + '_ {
    layer.moves.iter().filter_map(|(node, user)| {
        let share = layer.strength_at(*node);
        (share != 0.0).then(|| (*node, part_of(user, share)))
    })
}

/// Layers prepared for repeated application.
#[derive(Clone, Debug, Default)]
pub(super) struct Laid {
    layers: Shared<PoseLayers>,
    steps: Vec<Step>,
}

/// One step of the application: one or several layers, in order.
#[derive(Clone, Debug)]
enum Step {
    /// Constant rotations of several layers, combined to one per node.
    Turns(Vec<(u32, Quat)>),
    /// Constant transforms of several layers, with one entry per node.
    Constant(Vec<Constant>),
    /// A layer with keys, by its index in the list.
    Keyed(usize),
}

/// Constant transforms that several layers add to a node.
#[derive(Clone, Debug)]
struct Constant {
    node: u32,
    /// All transforms combined: `(M ∘ U₁) ∘ U₂` is `M ∘ (U₁ ∘ U₂)` if `M` has a uniform scale.
    at_once: Transform,
    /// The single transforms, for non-uniform scales; empty if there is only one.
    one_by_one: Vec<Transform>,
}

impl Laid {
    /// Prepares layers, if they differ from the current ones.
    pub fn take_up(&mut self, layers: &Shared<PoseLayers>) {
        let same =
            Shared::ptr_eq(&self.layers, layers) || (self.layers.is_empty() && layers.is_empty());
        if !same {
            *self = Self::of(layers);
        }
    }

    fn of(layers: &Shared<PoseLayers>) -> Self {
        let mut steps = Vec::new();
        let mut run: BTreeMap<NodeId, Vec<Transform>> = BTreeMap::new();
        for (k, layer) in layers.iter().enumerate().filter(|(_, l)| layers.counts(l)) {
            if layer.is_keyed() {
                end_run(&mut run, &mut steps);
                steps.push(Step::Keyed(k));
                continue;
            }
            for (node, user) in constants(layer) {
                run.entry(node).or_default().push(user);
            }
        }
        end_run(&mut run, &mut steps);
        Self { layers: layers.clone(), steps }
    }

    /// True if there is nothing to apply.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns the driven components by node. A node may occur several times.
    pub fn drives(&self) -> Vec<(NodeId, Parts)> {
        let mut all = Vec::new();
        for step in &self.steps {
            match step {
                Step::Turns(list) => {
                    all.extend(
                        list.iter()
                            .map(|(node, _)| (NodeId(*node), Parts::bit(Property::Rotation))),
                    );
                }
                Step::Constant(list) => {
                    for constant in list {
                        let users = std::iter::once(&constant.at_once).chain(&constant.one_by_one);
                        all.extend(
                            users.map(|user| (NodeId(constant.node), Parts::moved_by(user))),
                        );
                    }
                }
                Step::Keyed(k) => {
                    let layer = &self.layers.0[*k];
                    all.extend(
                        layer.moves.iter().map(|(node, user)| (*node, Parts::moved_by(user))),
                    );
                    all.extend(
                        layer.keys.tracks.values().map(|t| (t.target, Parts::bit(t.property))),
                    );
                }
            }
        }
        all
    }

    /// Applies the layers to local transforms at a time.
    pub fn put(&self, time: f64, local: &mut [Local]) {
        for step in &self.steps {
            match step {
                Step::Turns(list) => turn(list, local),
                Step::Constant(list) => list.iter().for_each(|constant| constant.put(local)),
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
                        if let Some(slot) = local.get_mut(node.index()).filter(|_| share != 0.0) {
                            *slot = Local::Trs(slot.transform().compose(&part_of(user, share)));
                        }
                    }
                }
            }
        }
    }
}

/// Converts the constant layers since the last layer with keys to steps.
fn end_run(run: &mut BTreeMap<NodeId, Vec<Transform>>, steps: &mut Vec<Step>) {
    let (mut turns, mut others) = (Vec::new(), Vec::new());
    for (node, users) in std::mem::take(run) {
        let turns_only = |u: &Transform| u.translation == Vec3::ZERO && u.scale == Vec3::ONE;
        let at_once = users.iter().skip(1).fold(users[0], |all, user| all.compose(user));
        if users.iter().all(turns_only) {
            turns.push((node.0, at_once.rotation));
        } else {
            let one_by_one = if users.len() > 1 { users } else { Vec::new() };
            others.push(Constant { node: node.0, at_once, one_by_one });
        }
    }
    if !turns.is_empty() {
        steps.push(Step::Turns(turns));
    }
    if !others.is_empty() {
        steps.push(Step::Constant(others));
    }
}

/// Rotates nodes. The product of two unit quaternions needs no normalization, up to rounding.
fn turn(list: &[(u32, Quat)], local: &mut [Local]) {
    for (node, by) in list {
        match local.get_mut(*node as usize) {
            Some(Local::Trs(t)) => t.rotation *= *by,
            Some(other) => {
                let mut t = other.transform();
                t.rotation *= *by;
                *other = Local::Trs(t);
            }
            None => {}
        }
    }
}

impl Constant {
    #[inline]
    fn put(&self, local: &mut [Local]) {
        let Some(slot) = local.get_mut(self.node as usize) else { return };
        let under = slot.transform();
        let size = under.scale;
        // The combined transform is exact only for a uniform scale.
        let alike = self.one_by_one.is_empty() || (size.x == size.y && size.y == size.z);
        *slot = Local::Trs(match alike {
            true => {
                let user = &self.at_once;
                Transform {
                    translation: under.translation + under.rotation * (size * user.translation),
                    rotation: under.rotation * user.rotation,
                    scale: size * user.scale,
                }
            }
            false => self.one_by_one.iter().fold(under, |under, user| under.compose(user)),
        });
    }
}
