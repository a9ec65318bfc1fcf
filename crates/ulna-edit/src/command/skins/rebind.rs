//! Rebinds skinned meshes at the current pose of their joints.

use std::collections::BTreeSet;

use super::{
    bound::{bound, farthest, joints_of, labels, standing},
    commands::{BindSkin, BoundShape},
    plan::Plan,
};
use crate::{
    Edit,
    command::{CommandError, Outcome, Scene, draft::DocumentDraft, error::refuse},
};
use ulna_model::{Document, NodeId, SkinId};
use ulna_motion::{Pose, Stack};
use ulna_weights::{at_rest, bound_mesh};

impl BindSkin {
    /// Describes the changes that the command would make, one sentence each, without a final
    /// period.
    ///
    /// # Errors
    /// The reason, if the command cannot run.
    pub fn describe_changes(&self, document: &Document) -> Result<Vec<String>, CommandError> {
        Ok(self.plan(document)?.lines)
    }

    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        Ok(self.plan(scene.document)?.outcome())
    }

    fn plan(&self, document: &Document) -> Result<Plan, CommandError> {
        let pose = standing(document, self.clip.as_ref(), self.time)?;
        let nodes: Vec<NodeId> = match &self.node {
            Some(nodes) => nodes.all(document)?,
            None => document.node_ids().filter(|n| document.node(*n).skin.is_some()).collect(),
        };
        for node in &nodes {
            let about = document.node(*node);
            if about.mesh.is_none() || about.skin.is_none() {
                let label = about.label(*node);
                return refuse(
                    "not_skinned",
                    format!(
                        "“{label}” is not a skinned mesh; use skin.create to bind it to joints"
                    ),
                );
            }
        }
        let skins: BTreeSet<SkinId> = nodes.iter().filter_map(|n| document.node(*n).skin).collect();
        if skins.is_empty() {
            return refuse("not_skinned", "there are no skinned meshes");
        }
        let rest = Pose::evaluate(&at_rest(document), &Stack::default());
        let mut plan =
            Plan { draft: DocumentDraft::of(document), lines: Vec::new(), bare: Vec::new() };
        let mut joints: Vec<NodeId> = Vec::new();
        for skin in skins {
            let about = document.skin(skin);
            let users: Vec<NodeId> =
                document.node_ids().filter(|n| document.node(*n).skin == Some(skin)).collect();
            let own: Vec<NodeId> = users.iter().copied().filter(|n| nodes.contains(n)).collect();
            let shown = bound_mesh(document, &rest, skin);
            let to =
                bound(document, &pose, &about.joints, &shown.scene_from_mesh, about.name.clone())?;
            if self.shape == Some(BoundShape::Posed) {
                for node in &own {
                    plan.bake(document, &pose, *node, &shown.scene_from_mesh, &own)?;
                }
            }
            let far = farthest(&about.inverse_bind, &to.inverse_bind, &shown.scene_from_mesh);
            plan.lines.push(format!(
                "{} bound to {} in the current pose; the farthest joint is {:.1} cm from its \
                    previous bind position",
                labels(document, &own),
                joints_of(about.joints.len()),
                far * 100.0
            ));
            if shown.apart > 1e-4 {
                plan.lines.push(format!(
                    "its joints disagree by up to {:.1} mm about its rest position; the position \
                        given by the joint with the most weight is used",
                    shown.apart * 1000.0
                ));
            }
            // Other meshes of the skin keep their bind, so the rebound meshes get a new skin.
            let place =
                if own.len() == users.len() { skin } else { plan.draft.document.skins.next_id() };
            plan.draft.put(Edit::SetSkin { skin: place, to: Some(to) })?;
            if place != skin {
                if document.aids.weight_layers.contains_key(&skin) {
                    return refuse(
                        "layers_on_shared_skin",
                        format!(
                            "{} shares its skin with other meshes and has weight layers; flatten \
                                the layers first, or bind all meshes of the skin",
                            labels(document, &own)
                        ),
                    );
                }
                for node in &own {
                    plan.draft.skin(*node, place)?;
                }
                plan.lines.push(format!("new skin for {}", labels(document, &own)));
            }
            joints.extend(about.joints.iter().copied());
        }
        joints.sort();
        joints.dedup();
        plan.settle(&joints)?;
        Ok(plan)
    }
}
