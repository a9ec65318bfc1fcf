//! Merges joints into another joint.

use std::collections::{BTreeMap, BTreeSet};

use glam::Mat4;

use super::{
    commands::{Heirs, MergeJoint, MergedWeights},
    finish::finish,
    rewrite::{RigDraft, affine},
    tree::refuse_attached,
};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene,
        error::refuse,
        nodes::{RestOrPose, refuse_apart, world},
    },
};
use ulna_model::{Document, NodeId, Shared, Skin};
use ulna_weights::vertices_of_joints;

impl MergeJoint {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let nodes = self.node.all(document)?;
        let [into] = self.into.all(document)?[..] else {
            return refuse("one_node_wanted", "“into” must be one joint");
        };
        let gone: BTreeSet<NodeId> = nodes.into_iter().filter(|n| *n != into).collect();
        if gone.is_empty() {
            return refuse(
                "nothing_to_merge",
                "name at least one joint other than the joint that stays",
            );
        }
        for node in &gone {
            refuse_attached(document, *node)?;
        }
        let mut rig = RigDraft::of(document);
        join(&mut rig, document, &gone, into)?;
        rig.given.merged = document
            .skins
            .ids()
            .flat_map(|skin| {
                let gone: Vec<NodeId> = gone.iter().copied().collect();
                vertices_of_joints(document, skin, &gone).into_values().map(|list| list.len())
            })
            .sum();
        let heirs: BTreeMap<NodeId, NodeId> = gone.iter().map(|n| (*n, into)).collect();
        rig.dissolve_into(&gone, &heirs)?;
        let heirs = match self.weights.unwrap_or(MergedWeights::Into) {
            MergedWeights::Into => Heirs::Parent,
            MergedWeights::Fit => Heirs::Fit,
        };
        if heirs == Heirs::Fit {
            rig.given.merged = 0;
        }
        finish(rig, scene, Some(heirs))
    }
}

/// Adds the remaining joint to every skin that contains a merged joint but not the remaining one.
/// Both joints have the same skinning matrix in the rest pose: `B = W⁻¹·W_m·B_m`, with world
/// transforms `W` and bind matrices `B`. The index `m` marks the merged joint.
fn join(
    rig: &mut RigDraft,
    document: &Document,
    gone: &BTreeSet<NodeId>,
    into: NodeId,
) -> Result<(), CommandError> {
    for (id, skin) in document.skins.iter() {
        let merged = skin.joints.iter().position(|j| gone.contains(j));
        let Some(slot) = merged.filter(|_| !skin.joints.contains(&into)) else { continue };
        let at = |n: NodeId| world(document, Some(n), RestOrPose::Rest);
        let bind = at(into).inverse() * at(skin.joints[slot]) * skin.inverse_bind[slot].as_dmat4();
        if !bind.is_finite() {
            let label = document.node(into).label(into);
            return refuse(
                "squashed_flat",
                format!(
                    "“{label}” is scaled to 0 at rest, so it cannot receive weights; set another \
                        scale first"
                ),
            );
        }
        let matrix = affine(bind);
        let binds: Vec<Mat4> = skin.inverse_bind.iter().copied().chain([matrix]).collect();
        let to = Skin {
            joints: skin.joints.iter().copied().chain([into]).collect(),
            inverse_bind: binds.into(),
            has_inverse_bind: skin.has_inverse_bind || matrix != Mat4::IDENTITY,
            ..(**skin).clone()
        };
        refuse_apart(document, id, &to.joints)?;
        rig.joints.extend(to.joints.iter().copied());
        rig.draft.put(Edit::SetSkin { skin: id, to: Some(Shared::new(to)) })?;
    }
    Ok(())
}
