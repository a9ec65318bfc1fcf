//! The skins that a mesh is used with, and texts for messages.

use std::collections::BTreeSet;

use ulna_model::{Document, MeshId, NodeId, SkinId};

/// Returns the skin to which the weights of a mesh belong: the skin of the first visible node with
/// the mesh and a skin.
pub fn skin_of(document: &Document, mesh: MeshId) -> Option<SkinId> {
    skins_of(document, mesh).first().copied()
}

/// Returns the skins that a mesh is used with, without duplicates. Its joint indices refer to each
/// of these skins.
pub(super) fn skins_of(document: &Document, mesh: MeshId) -> Vec<SkinId> {
    let mut skins = Vec::new();
    for node in document
        .shown_nodes()
        .into_iter()
        .map(|n| document.node(n))
        .filter(|n| n.mesh == Some(mesh))
    {
        skins.extend(node.skin.filter(|s| !skins.contains(s)));
    }
    skins
}

/// Returns the skin of a mesh that contains the largest number of the given joints; the first such
/// skin if there are several.
pub(super) fn skin_for(
    document: &Document,
    mesh: MeshId,
    joints: &BTreeSet<NodeId>,
) -> Option<SkinId> {
    let skins = skins_of(document, mesh);
    let has =
        |skin: &SkinId| document.skin(*skin).joints.iter().filter(|j| joints.contains(j)).count();
    let most = skins.iter().map(has).max()?;
    skins.into_iter().find(|s| has(s) == most)
}

/// Text for skins in a sentence.
pub(super) fn skin_labels(document: &Document, skins: &[SkinId]) -> String {
    skins.iter().map(|s| skin_label(document, *s)).collect::<Vec<_>>().join(" and ")
}

/// Text for a skin in a sentence.
pub(super) fn skin_label(document: &Document, skin: SkinId) -> String {
    match document.skin(skin).name.as_deref() {
        Some(name) if !name.is_empty() => format!("the skin “{name}”"),
        _ => format!("skin {}", skin.0),
    }
}
