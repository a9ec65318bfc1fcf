//! Skins of meshes: the one that owns the weights of a mesh, and labels for messages.

use std::collections::BTreeSet;

use ulna_model::{Document, MeshId, NodeId, SkinId};

/// The skin that the weights of a mesh are for: that of the first node that shows it on one.
pub fn skin_of(document: &Document, mesh: MeshId) -> Option<SkinId> {
    skins_of(document, mesh).first().copied()
}

/// The skins that a mesh is shown on, each once. Its weights count the joints of each of them.
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

/// Of the skins that a mesh is shown on, the first that has the most of some joints.
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

/// Skins in a sentence.
pub(super) fn skin_labels(document: &Document, skins: &[SkinId]) -> String {
    skins.iter().map(|s| skin_label(document, *s)).collect::<Vec<_>>().join(" and ")
}

/// A skin in a sentence.
pub(super) fn skin_label(document: &Document, skin: SkinId) -> String {
    match document.skin(skin).name.as_deref() {
        Some(name) if !name.is_empty() => format!("the skin “{name}”"),
        _ => format!("skin {}", skin.0),
    }
}
