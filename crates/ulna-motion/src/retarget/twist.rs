//! Twist joints of the target. A twist joint is next to a bone, and gets a part of the twist of the
//! joint at the bone's end. Without it, the skin would collapse (candy-wrapper effect).

use std::f32::consts::PI;

use glam::{Quat, Vec3};

use crate::{names::words_of, rig::Rig};
use ulna_model::{
    Clip, Document, Interpolation, NodeId, Property, Shared, Track, transform::unit_or,
};

/// Minimum twist for which a track is created, radians.
const LEAST: f32 = 0.01;

/// A twist joint next to the bone of a chain.
#[derive(Clone, Debug)]
pub(super) struct TwistJoint {
    node: NodeId,
    /// The joint at the end of the bone.
    next: NodeId,
    /// Direction of the bone, as a unit vector in the space of the joint at its start.
    axis: Vec3,
    /// Position along the bone, `0.0..=1.0`, which is also the fraction of the twist.
    part: f32,
}

/// Finds the twist joints next to the bones of chains, by their names. Joints that belong to a
/// chain are left out.
pub(super) fn twist_joints<'a>(
    document: &Document,
    chains: impl Iterator<Item = &'a [NodeId]> + Clone,
) -> Vec<TwistJoint> {
    let rig = Rig::of(document);
    let taken = |node: NodeId| chains.clone().any(|c| c.contains(&node));
    let mut found = Vec::new();
    for pair in chains.clone().flat_map(|c| c.windows(2)) {
        let (joint, next) = (pair[0], pair[1]);
        if document.node(next).parent != Some(joint) {
            continue;
        }
        let way = document.node(next).rest.transform().translation;
        let Some(axis) = way.try_normalize() else { continue };
        for node in document.children(joint).iter().copied() {
            let label = document.node(node).label(node);
            let is_twist = words_of(&label).iter().any(|w| w.contains("twist"));
            if node == next || !is_twist || taken(node) || !rig.carries(node) {
                continue;
            }
            let at = document.node(node).rest.transform().translation;
            let part = (at.dot(axis) / way.length()).clamp(0.0, 1.0);
            found.push(TwistJoint { node, next, axis, part });
        }
    }
    found
}

impl TwistJoint {
    /// Creates the track of the twist joint, with keys at the key times of the joint at the bone's
    /// end. `None` if this joint has no rotation keys or does not twist.
    pub fn track(&self, document: &Document, clip: &Clip) -> Option<Shared<Track>> {
        if self.part <= 0.0 || clip.track(self.node, Property::Rotation).is_some() {
            return None;
        }
        let (_, source) = clip.track(self.next, Property::Rotation)?;
        let rest = |n: NodeId| unit_or(document.node(n).rest.transform().rotation, Quat::IDENTITY);
        let (own, next) = (rest(self.node), rest(self.next));
        let mut before = 0.0;
        let mut most: f32 = 0.0;
        let mut values = Vec::with_capacity(source.times.len() * 4);
        for key in 0..source.times.len() {
            let turn = Quat::from_slice(source.value(key)) * next.conjugate();
            let angle = 2.0 * turn.xyz().dot(self.axis).atan2(turn.w);
            // Of all equivalent angles, use the one nearest to the previous key.
            let angle = angle - 2.0 * PI * ((angle - before) / (2.0 * PI)).round();
            before = angle;
            most = most.max(angle.abs());
            let turn = Quat::from_axis_angle(self.axis, angle * self.part);
            values.extend((turn * own).normalize().to_array());
        }
        (most > LEAST && values.iter().all(|v| v.is_finite())).then(|| {
            Shared::new(Track {
                target: self.node,
                property: Property::Rotation,
                interpolation: match source.interpolation {
                    Interpolation::Step => Interpolation::Step,
                    _ => Interpolation::Linear,
                },
                times: source.times.clone(),
                width: 4,
                values: values.into(),
                kinds: Default::default(),
                modes: Default::default(),
            })
        })
    }
}
