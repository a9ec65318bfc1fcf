//! Vectors and constraints of extensions in the space of nodes that get another frame.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};

use super::rewrite::{RigDraft, flat};
use crate::{
    Edit,
    command::{CommandError, error::refuse},
};
use ulna_model::{
    ConstraintKind, Document, NodeConstraint, NodeId, NodeSpace, NodeVector, VectorKind,
};
use ulna_motion::surgery::Moving;

/// Distances (units of the node) and rotations (1 − cosine of half the angle) up to this are
/// rounding.
const NONE: f64 = 1e-12;

impl RigDraft {
    /// Vectors keep their place in the scene: `x' = C⁻¹·x`. The radius of a collider is in meters
    /// of the scene and stays.
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
        Ok(())
    }
}

/// A vector in the new frame of its node.
fn inside(c: &Moving, vector: &NodeVector) -> Option<glam::Vec3> {
    let value = vector.value.as_dvec3();
    Some(match vector.kind {
        VectorKind::Position => c.inverse()?.matrix().transform_point3(value).as_vec3(),
        // As normals: a mirrored frame turns them over.
        VectorKind::Direction => (c.rotation.inverse() * value * c.scale.x.signum()).as_vec3(),
    })
}

/// Refuses frames in which a constraint would do something else (`VRMC_node_constraint` 1.0,
/// *Example of Implementation* of each kind).
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
        // The rotation of the source is followed in the axes of the parents.
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
