//! Kinds of editor state that a file does not store, and the kind that an edit changes.

use ulna_edit::{Edit, command::is_mix_loose};
use ulna_model::{Document, EditorState, SkinId};

/// Lists the kinds of editor state in a document that saving does not store.
pub(super) fn loose_aids(document: &Document) -> Vec<String> {
    let EditorState {
        unkeyed,
        pose_layers,
        keeps_layers,
        weight_layers,
        mirror_pairs,
        pins: _,
        mix: _,
    } = &document.aids;
    let mut loose = Vec::new();
    if !unkeyed.is_empty() {
        loose.push("unkeyed".to_owned());
    }
    if !pose_layers.is_empty() && !keeps_layers {
        loose.push("pose_layers".to_owned());
    }
    loose.extend(weight_layers.iter().filter(|(_, l)| !l.keeps).map(|(skin, _)| of_skin(*skin)));
    if !mirror_pairs.is_empty() {
        loose.push("mirror_pairs".to_owned());
    }
    if is_mix_loose(document) {
        loose.push("mix".to_owned());
    }
    loose
}

fn of_skin(skin: SkinId) -> String {
    format!("weight_layers {}", skin.0)
}

/// Returns the kind of editor state that an edit changes, if a file may not store this kind.
pub(super) fn aid_of(edit: &Edit) -> Option<String> {
    match edit {
        Edit::SetUnkeyed { .. } | Edit::SetUnkeyedMorphs { .. } => Some("unkeyed".to_owned()),
        Edit::SetPoseLayers { .. } | Edit::SetKeepsLayers { .. } => Some("pose_layers".to_owned()),
        Edit::SetLayers { skin, .. } => Some(of_skin(*skin)),
        Edit::SetMirrorPairs { .. } => Some("mirror_pairs".to_owned()),
        Edit::SetMix { .. } | Edit::SetKeptMix { .. } => Some("mix".to_owned()),
        Edit::SetPoses(_)
        | Edit::SetMorphs { .. }
        | Edit::SetNodes(_)
        | Edit::SetSkin { .. }
        | Edit::SetMesh { .. }
        | Edit::SetMaterial { .. }
        | Edit::SetRoots { .. }
        | Edit::SetNodeName { .. }
        | Edit::SetHidden { .. }
        | Edit::SetTrack { .. }
        | Edit::SetClip { .. }
        | Edit::PatchWeights { .. }
        | Edit::SetWeights { .. }
        | Edit::BindWeights { .. }
        | Edit::SetShape { .. }
        | Edit::SetNormalMap { .. }
        | Edit::AddImage { .. }
        // A pin only fixes a node while other nodes are posed, so losing it loses no work.
        | Edit::SetPin { .. }
        | Edit::SetKeptPoses { .. }
        | Edit::SetContacts { .. }
        | Edit::SetRetargetMaps { .. }
        | Edit::SetNodeSets { .. }
        | Edit::SetJointGroups { .. }
        | Edit::SetHumanoid { .. }
        | Edit::SetNodeSpace { .. } => None,
    }
}
