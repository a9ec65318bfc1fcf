//! Commands that add joints to skins and remove them.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    bound::{add_below, bound, joints_of, labels, refuse_meshes},
    commands::{AddSkinJoints, RemoveSkinJoints},
};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene,
        bind_joints::movers_of,
        error::refuse,
        mesh_skins::skin_label,
        nodes::{refuse_apart, skin_named, skin_without},
    },
};
use ulna_model::{Document, MeshId, NodeId, Notice, Shared, Skin, SkinId};
use ulna_motion::{Pose, Stack};
use ulna_weights::{at_rest, bound_mesh};

impl AddSkinJoints {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let mut joints = self.joint.in_order(document)?;
        let id = match &self.skin {
            Some(name) => skin_named(document, name)?,
            None => only_skin(document)?,
        };
        let skin = document.skin(id);
        refuse_meshes(document, &joints)?;
        if self.below == Some(true) {
            add_below(document, &mut joints);
        }
        let mut new: Vec<NodeId> = Vec::new();
        for joint in joints {
            if !skin.joints.contains(&joint) && !new.contains(&joint) {
                new.push(joint);
            }
        }
        let label = skin_label(document, id);
        if new.is_empty() {
            return Ok(Outcome::noted(
                "nothing_to_change",
                format!("these joints already belong to {label}"),
            ));
        }
        let rest = Pose::evaluate(&at_rest(document), &Stack::default());
        let scene_from_mesh = bound_mesh(document, &rest, id).scene_from_mesh;
        let added = bound(document, &rest, &new, &scene_from_mesh, None)?;
        let to = Skin {
            joints: [&skin.joints[..], &new[..]].concat().into(),
            inverse_bind: [&skin.inverse_bind[..], &added.inverse_bind[..]].concat().into(),
            has_inverse_bind: true,
            ..skin.clone()
        };
        refuse_apart(document, id, &to.joints)?;
        let text = format!(
            "{} added to {label}, without weights: {}",
            joints_of(new.len()),
            labels(document, &new)
        );
        Ok(Outcome {
            edits: vec![Edit::SetSkin { skin: id, to: Some(Shared::new(to)) }],
            notes: vec![Notice::new("skin_joints_added", text)],
            ..Outcome::default()
        })
    }
}

impl RemoveSkinJoints {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let gone: BTreeSet<NodeId> = self.joint.all(document)?.into_iter().collect();
        let has = |id: &SkinId| document.skin(*id).joints.iter().any(|j| gone.contains(j));
        let skins: Vec<SkinId> = match &self.skin {
            Some(name) => vec![skin_named(document, name)?],
            None => document.skins.ids().collect(),
        };
        let skins: Vec<SkinId> = skins.into_iter().filter(has).collect();
        if skins.is_empty() {
            return refuse(
                "no_joints_meant",
                "none of the named nodes is a joint of the skin; name joints of the skin",
            );
        }
        if self.give != Some(true) {
            refuse_weighted(document, &skins, &gone)?;
        }
        let (mut edits, mut notes) = (Vec::new(), Vec::new());
        for id in &skins {
            let (own, said) = skin_without(document, *id, &gone, &BTreeMap::new())?;
            edits.extend(own);
            let count = document.skin(*id).joints.iter().filter(|j| gone.contains(j)).count();
            let label = skin_label(document, *id);
            notes.push(Notice::new(
                "skin_joints_removed",
                format!("{} removed from {label}", joints_of(count)),
            ));
            notes.extend(said);
        }
        Ok(Outcome { edits, notes, ..Outcome::default() })
    }
}

/// Returns the only skin of a file. Fails if there are none or several.
fn only_skin(document: &Document) -> Result<SkinId, CommandError> {
    let mut all = document.skins.ids();
    match (all.next(), all.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => refuse("not_skinned", "the file has no skin; bind a mesh to joints first"),
        _ => refuse("argument_missing", "the file has several skins; name one as “skin”"),
    }
}

/// Returns an error if a joint to remove has weight on a mesh of these skins.
fn refuse_weighted(
    document: &Document,
    skins: &[SkinId],
    gone: &BTreeSet<NodeId>,
) -> Result<(), CommandError> {
    for id in skins {
        let on_skin = document.nodes.values().filter(|n| n.skin == Some(*id));
        let meshes: BTreeSet<MeshId> = on_skin.filter_map(|n| n.mesh).collect();
        let primitives = meshes.iter().flat_map(|m| &document.mesh(*m).primitives);
        let movers = movers_of(document, *id, primitives);
        let weighted: Vec<NodeId> = movers.intersection(gone).copied().collect();
        if !weighted.is_empty() {
            return refuse(
                "joints_have_weights",
                format!(
                    "{} of {} would lose their weights; move the weights to other joints first, \
                        or set “give” to give them to the joints above",
                    labels(document, &weighted),
                    skin_label(document, *id)
                ),
            );
        }
    }
    Ok(())
}
