//! Joints that get other axes or another pivot.

use std::collections::BTreeMap;

use glam::{DQuat, EulerRot};

use super::{
    commands::{MoveJoint, OrientJoint},
    finish::finish,
    rewrite::RigDraft,
};
use crate::command::{
    CommandError, Outcome, Scene,
    error::refuse,
    nodes::{RestOrPose, world},
};
use ulna_model::{Document, NodeId, transform::decompose};
use ulna_motion::surgery::Moving;

/// The rotation of a node in the scene, in the rest pose.
fn axes(document: &Document, node: NodeId) -> DQuat {
    let world = world(document, Some(node), RestOrPose::Rest);
    let like = document.node(node).rest.transform();
    decompose(&world, &like).transform.rotation.as_dquat().normalize()
}

impl OrientJoint {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let nodes = self.node.all(document)?;
        let like = self.like.as_ref().map(|like| like.all(document)).transpose()?;
        let is_world = self.world.unwrap_or(false);
        let wanted = match (self.degrees, like.as_deref(), is_world) {
            (None, Some([like]), false) => Some(axes(document, *like)),
            (None, None, true) => Some(DQuat::IDENTITY),
            (Some(_), None, false) => None,
            _ => {
                return refuse(
                    "argument_missing",
                    "use one of “degrees”, “like”, which is one joint, or “world”",
                );
            }
        };
        let degrees = self.degrees.unwrap_or_default().as_dvec3();
        let [x, y, z] = degrees.to_array().map(f64::to_radians);
        let by = DQuat::from_euler(EulerRot::XYZ, x, y, z);
        let turn = |n: NodeId| {
            let q = wanted.map_or(by, |wanted| axes(document, n).conjugate() * wanted);
            (n, Moving::turned(q.normalize()))
        };
        let frames: BTreeMap<NodeId, Moving> = nodes.into_iter().map(turn).collect();
        let mut rig = RigDraft::of(document);
        rig.reframe(&frames)?;
        finish(rig, scene, None)
    }
}

impl MoveJoint {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let nodes = self.node.all(document)?;
        let by = self.by.as_dvec3();
        let frame = |n: NodeId| {
            let world = world(document, Some(n), RestOrPose::Rest);
            let d = world.inverse().transform_vector3(by);
            if !d.is_finite() {
                let label = document.node(n).label(n);
                return refuse(
                    "squashed_flat",
                    format!("“{label}” is scaled to zero, so its pivot cannot be moved"),
                );
            }
            Ok((n, Moving::moved(d)))
        };
        let frames: BTreeMap<NodeId, Moving> =
            nodes.into_iter().map(frame).collect::<Result<_, _>>()?;
        let mut rig = RigDraft::of(document);
        rig.reframe(&frames)?;
        finish(rig, scene, None)
    }
}
