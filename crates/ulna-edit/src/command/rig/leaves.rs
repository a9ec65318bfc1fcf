//! Adds and removes leaf joints at the ends of chains.

use std::collections::BTreeSet;

use glam::DVec3;

use super::{
    clean::{NodeUses, names},
    commands::LeafJoints,
    finish::finish,
    rewrite::RigDraft,
    tree::{free_name, join_skins},
};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene,
        error::refuse,
        nodes::{RestOrPose, last_rank, refuse_fixed, world},
    },
};
use ulna_model::{Local, Node, NodeId, Notice, Transform};
use ulna_motion::surgery::Moving;

/// Length of a leaf joint if the chain has no bone, as a fraction of the skeleton size.
const STUB: f64 = 0.05;

impl LeafJoints {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let named = self.node.as_ref().map(|n| n.all(document)).transpose()?;
        match self.remove.unwrap_or(false) {
            true => remove(scene, named.as_deref()),
            false => self.add(scene, named.as_deref()),
        }
    }

    fn add(&self, scene: &Scene<'_>, named: Option<&[NodeId]>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        if self.length.is_some_and(|l| !(l > 0.0 && l.is_finite())) {
            return refuse("argument_out_of_range", "“length” must be more than 0 m");
        }
        let uses = NodeUses::of(document);
        let is_end = |n: &NodeId| named.is_none_or(|all| all.contains(n)) && uses.is_chain_end(*n);
        let ends: Vec<NodeId> = document.nodes.order().iter().copied().filter(is_end).collect();
        if ends.is_empty() {
            return Ok(Outcome::noted(
                "no_chain_ends",
                "there is no joint at the end of a chain that has no leaf joint yet",
            ));
        }
        let mut rig = RigDraft::of(document);
        for end in &ends {
            let way = self.way(&rig, &uses, *end)?;
            add_leaf(&mut rig, *end, way)?;
        }
        finish(rig, scene, None)
    }

    /// Returns the local translation of a leaf joint below the last joint of a chain.
    fn way(&self, rig: &RigDraft, uses: &NodeUses<'_>, end: NodeId) -> Result<DVec3, CommandError> {
        let document = rig.document();
        let own = world(document, Some(end), RestOrPose::Rest);
        let head = own.w_axis.truncate();
        let above = uses.joint_above(end).map(|p| world(document, Some(p), RestOrPose::Rest));
        let bone = above.map_or(DVec3::ZERO, |p| head - p.w_axis.truncate());
        let bone = match bone.length() > 1e-6 * rig.size() {
            true => bone * 0.5,
            false => DVec3::Y * STUB * rig.size(),
        };
        let bone = match self.length {
            Some(length) => bone.normalize() * f64::from(length),
            None => bone,
        };
        let way = own.inverse().transform_vector3(bone);
        if !way.is_finite() {
            let label = document.node(end).label(end);
            return refuse(
                "squashed_flat",
                format!(
                    "“{label}” is scaled to 0, so no joint can be added below it; set another \
                        scale first"
                ),
            );
        }
        Ok(way)
    }
}

fn add_leaf(rig: &mut RigDraft, end: NodeId, way: DVec3) -> Result<(), CommandError> {
    let document = rig.document();
    let name = free_name(document, format!("{}_end", document.node(end).label(end)));
    let id = document.nodes.next_id();
    let made = Node {
        name: Some(name.into()),
        parent: Some(end),
        rank: last_rank(document, Some(end)),
        rest: Local::Trs(Transform { translation: way.as_vec3(), ..Transform::IDENTITY }),
        ..Node::default()
    };
    rig.draft.put(Edit::node(id, made))?;
    join_skins(rig, id, Some(end), end, &Moving::moved(way))
}

/// Removes leaf joints without weights or keys: all of them, or those at or below the given
/// joints.
fn remove(scene: &Scene<'_>, named: Option<&[NodeId]>) -> Result<Outcome, CommandError> {
    let document = scene.document;
    let is_meant = |n: &NodeId| {
        let here = |all: &[NodeId]| all.iter().any(|a| a == n || document.is_above(*a, *n));
        named.is_none_or(here)
    };
    let leaves = NodeUses::of(document).leaves();
    let leaves: BTreeSet<NodeId> = leaves.into_iter().filter(is_meant).collect();
    if leaves.is_empty() {
        return Ok(Outcome::noted(
            "no_leaf_joints",
            "there is no leaf joint without weights and keys; leaf joints are named “_end”, \
                “_leaf” or “Nub”",
        ));
    }
    refuse_fixed(document, &leaves)?;
    let mut rig = RigDraft::of(document);
    rig.dissolve(&leaves)?;
    let mut done = finish(rig, scene, None)?;
    let all: Vec<NodeId> = leaves.into_iter().collect();
    let joints = if all.len() == 1 { "leaf joint" } else { "leaf joints" };
    let removed = format!("removed {} {joints} ({})", all.len(), names(document, &all));
    done.notes.insert(0, Notice::new("leaves_removed", removed));
    Ok(done)
}
