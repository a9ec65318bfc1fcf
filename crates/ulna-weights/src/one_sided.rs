//! Detection of skins that cover one side of a body, while the mirror joints belong to other skins.

use std::collections::BTreeSet;

use ulna_model::{Document, NodeId, SkinId};
use ulna_motion::Mirror;

/// Whether a skin covers only one side, because the mirror joints of its joints belong to other
/// skins.
pub fn is_one_sided(document: &Document, skin: SkinId) -> bool {
    if document.skins.len() < 2 {
        return false;
    }
    let mirror = Mirror::of(document);
    let joints = &document.skin(skin).joints;
    let own: BTreeSet<NodeId> = joints.iter().copied().collect();
    let others: BTreeSet<NodeId> = document
        .skins
        .iter()
        .filter(|(s, _)| *s != skin)
        .flat_map(|(_, s)| s.joints.iter().copied())
        .collect();
    let partners = || joints.iter().filter_map(|j| mirror.partner(*j).filter(|p| p != j));
    partners().all(|p| !own.contains(&p)) && partners().any(|p| others.contains(&p))
}
