//! Data in the space of nodes whose frame changes: vectors and constraints of extensions, and
//! positions of contacts.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};

use super::rewrite::{RigDraft, flat};
use crate::{
    Edit,
    command::{CommandError, error::refuse},
};
use ulna_model::{
    ConstraintKind, Document, Interpolation, NodeConstraint, NodeId, NodeSpace, NodeVector,
    Property, VectorKind,
};
use ulna_motion::surgery::{Chain, Factor, Moving};

/// Largest distances (in units of the node) and rotations (1 − cosine of half the angle) that count
/// as rounding.
const NONE: f64 = 1e-12;

impl RigDraft {
    /// Keeps vectors in place in the scene: `x' = C⁻¹·x`. The radius of a collider is in meters of
    /// the scene and does not change.
    pub(super) fn reframe_space(
        &mut self,
        frames: &BTreeMap<NodeId, Moving>,
    ) -> Result<(), CommandError> {
        let document = &self.draft.document;
        let NodeSpace { vectors, constraints } = &document.node_space;
        for constraint in constraints.iter() {
            refuse_other_axis(document, frames, constraint)?;
        }
        let mut made = Vec::with_capacity(vectors.len());
        for vector in vectors.iter() {
            let value = match frames.get(&vector.node) {
                Some(c) => inside(c, vector).ok_or_else(|| flat(document, vector.node))?,
                None => vector.value,
            };
            made.push(NodeVector { value, ..vector.clone() });
        }
        if made[..] != vectors[..] {
            let to = NodeSpace { vectors: made.into(), constraints: constraints.clone() };
            self.draft.put(Edit::SetNodeSpace { to })?;
        }
        self.reframe_contacts(frames)
    }

    /// Keeps the points of contacts in place in the scene: `x' = C⁻¹·x`.
    fn reframe_contacts(&mut self, frames: &BTreeMap<NodeId, Moving>) -> Result<(), CommandError> {
        let mut edits = Vec::new();
        let document = &self.draft.document;
        for (clip, found) in document.clips.iter() {
            let mut to = found.contacts.to_vec();
            for goal in &mut to {
                let (Some(space), Some(place)) = (goal.space, goal.place) else { continue };
                let Some(c) = frames.get(&space) else { continue };
                let inverse = c.inverse().ok_or_else(|| flat(document, space))?;
                goal.place = Some(inverse.matrix().transform_point3(place.as_dvec3()).as_vec3());
            }
            if to[..] != found.contacts[..] {
                edits.push(Edit::SetContacts { clip, to: to.into() });
            }
        }
        edits.into_iter().try_for_each(|edit| self.draft.put(edit).map(|_| ()))
    }
}

/// Converts a vector to the new frame of its node.
fn inside(c: &Moving, vector: &NodeVector) -> Option<glam::Vec3> {
    let value = vector.value.as_dvec3();
    Some(match vector.kind {
        VectorKind::Position => c.inverse()?.matrix().transform_point3(value).as_vec3(),
        // Directions transform like normals, so a mirrored frame negates them.
        VectorKind::Direction => (c.rotation.inverse() * value * c.scale.x.signum()).as_vec3(),
    })
}

/// Returns an error if new frames would change the effect of a constraint (`VRMC_node_constraint`
/// 1.0, *Example of Implementation* of each kind).
fn refuse_other_axis(
    document: &Document,
    frames: &BTreeMap<NodeId, Moving>,
    constraint: &NodeConstraint,
) -> Result<(), CommandError> {
    let NodeConstraint { node, source, kind } = *constraint;
    let turn =
        |n: Option<NodeId>| n.and_then(|n| frames.get(&n)).map_or(DQuat::IDENTITY, |c| c.rotation);
    let above = |n: NodeId| turn(document.node(n).parent);
    let is_alike = |a: DQuat, b: DQuat| a.dot(b).abs() >= 1.0 - NONE;
    let is_turned = |n: NodeId| !is_alike(turn(Some(n)), DQuat::IDENTITY);
    let is_moved = |n: NodeId| {
        let moved = frames.get(&n).map_or(DVec3::ZERO, |c| c.translation);
        moved.length() > NONE
    };
    let [label, other] = [node, source].map(|n| document.node(n).label(n));
    let why = match kind {
        ConstraintKind::Roll if is_turned(node) => {
            format!(
                "rolls with “{other}” about one of its own axes; leave its orientation as it is"
            )
        }
        // A roll constraint compares rotations relative to the parents.
        ConstraintKind::Roll if !is_alike(above(node), above(source)) => {
            format!("rolls with “{other}”; orient the parents of both joints alike")
        }
        ConstraintKind::Aim if is_turned(node) || is_moved(node) || is_moved(source) => format!(
            "aims one of its own axes at “{other}”; leave both pivots and the orientation of \
                “{label}” as they are"
        ),
        ConstraintKind::Rotation if !is_alike(turn(Some(node)), turn(Some(source))) => {
            format!("copies the rotation of “{other}”; orient both joints by the same angles")
        }
        _ => return Ok(()),
    };
    refuse("constraint_axis", format!("by a VRM constraint, “{label}” {why}"))
}

/// Returns an error if a new parent would change the effect of a constraint. Constraints use
/// rotations relative to the parents of both nodes.
pub(super) fn refuse_constraints(
    document: &Document,
    chains: &[Chain],
) -> Result<(), CommandError> {
    let chain = |n: NodeId| chains.iter().find(|c| c.node == n);
    // Rotation from the old to the new parent's axes, in the rest pose.
    let turn = |n: NodeId| {
        let Some(chain) = chain(n) else { return Some(DQuat::IDENTITY) };
        let above = chain.factors.iter().copied().filter(|f| *f != Factor::Local(n)).collect();
        let above = Chain { node: n, factors: above };
        let local = |n: NodeId| Moving::still(&document.node(n).rest.transform());
        above.product(local).map(|made| made.moving.rotation)
    };
    let moves = |n: NodeId| {
        let factors = chain(n).into_iter().flat_map(|c| &c.factors);
        factors.filter_map(Factor::node).any(|other| other != n && turns(document, other))
    };
    for NodeConstraint { node, source, kind } in document.node_space.constraints.iter() {
        let [label, other] = [node, source].map(|n| document.node(*n).label(*n));
        let counts = |n: NodeId| n == *node || *kind != ConstraintKind::Aim;
        let moving = [*node, *source].into_iter().find(|n| counts(*n) && moves(*n));
        if let Some(n) = moving {
            let moved = document.node(n).label(n);
            return refuse(
                "constraint_axis",
                format!(
                    "by a VRM constraint, “{label}” follows “{other}” in the axes of their \
                        parents; leave the parent of “{moved}” as it is, since clips turn it"
                ),
            );
        }
        let is_alike = || {
            let both = turn(*node).zip(turn(*source));
            both.is_some_and(|(a, b)| a.dot(b).abs() >= 1.0 - NONE)
        };
        if *kind == ConstraintKind::Roll && !is_alike() {
            return refuse(
                "constraint_axis",
                format!(
                    "by a VRM constraint, “{label}” rolls with “{other}”; leave the parents of \
                        both as they are"
                ),
            );
        }
    }
    Ok(())
}

/// Whether a clip, a layer or the pose changes a node's rotation from the rest pose.
fn turns(document: &Document, node: NodeId) -> bool {
    let about = document.node(node);
    let rest = about.rest.transform().rotation;
    let is_rest = |q: &[f32]| {
        let dot: f32 = q.iter().zip(rest.to_array()).map(|(a, b)| a * b).sum();
        dot.abs() >= 1.0 - 1e-6
    };
    let tracks = document.clips.values().filter_map(|c| c.track(node, Property::Rotation));
    let is_keyed = tracks.into_iter().any(|(_, t)| {
        let is_cubic = t.interpolation == Interpolation::CubicSpline;
        is_cubic || (0..t.times.len()).any(|k| !is_rest(t.value(k)))
    });
    let layers = document.aids.pose_layers.values().flat_map(|l| l.iter());
    let is_layered = layers.into_iter().any(|l| l.nodes().contains(&node));
    let posed = about.local().transform().rotation;
    is_keyed || is_layered || !is_rest(&posed.to_array())
}
