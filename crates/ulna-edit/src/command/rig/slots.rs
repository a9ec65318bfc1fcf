//! Replaces joint indices in weights, for skins whose joint lists change.

use std::collections::BTreeSet;

use crate::command::{CommandError, error::refuse, mesh_skins::skin_label};
use ulna_model::{Document, MeshId, NodeId, SkinId, WeightMap};

/// New joint index per old joint index; `None` for a removed joint.
pub(super) type SlotTable = Vec<Option<u16>>;

/// Returns the joint indices with nonzero weights in these meshes.
pub(super) fn used_slots(document: &Document, meshes: &BTreeSet<MeshId>) -> BTreeSet<u16> {
    let primitives = meshes.iter().flat_map(|m| &document.mesh(*m).primitives);
    let maps = primitives.filter_map(|p| p.weights.as_deref());
    let slots = maps.flat_map(|map| map.joints.iter().zip(map.weights.iter()));
    slots.filter(|(_, w)| **w != 0.0).map(|(j, _)| *j).collect()
}

/// Returns weights with new joint indices. The index of a zero weight becomes 0.
pub(super) fn renumbered(map: &WeightMap, table: &SlotTable) -> WeightMap {
    let slot = |(joint, weight): (&u16, &f32)| {
        let to = table.get(usize::from(*joint)).copied().flatten();
        if *weight == 0.0 { 0 } else { to.unwrap_or(*joint) }
    };
    let joints: Vec<u16> = map.joints.iter().zip(map.weights.iter()).map(slot).collect();
    WeightMap { joints: joints.into(), ..map.clone() }
}

/// Returns the meshes that a skin deforms.
pub(super) fn meshes_on(document: &Document, skin: SkinId) -> BTreeSet<MeshId> {
    document.nodes.values().filter(|n| n.skin == Some(skin)).filter_map(|n| n.mesh).collect()
}

/// Returns an error if the joint list of a skin cannot change, because it has weight layers or
/// weights of missing joints.
pub(super) fn refuse_fixed_slots(document: &Document, skin: SkinId) -> Result<(), CommandError> {
    let label = skin_label(document, skin);
    if document.aids.weight_layers.contains_key(&skin) {
        return refuse(
            "skin_has_layers",
            format!("{label} has weight layers; merge or remove them first"),
        );
    }
    let count = document.skin(skin).joints.len();
    let used = used_slots(document, &meshes_on(document, skin));
    if let Some(past) = used.last().filter(|slot| usize::from(**slot) >= count) {
        return refuse(
            "slot_without_joint",
            format!(
                "a mesh of {label} has weights of joint #{past}, but the skin has only {count} \
                    joints; normalize the weights first"
            ),
        );
    }
    Ok(())
}

/// Returns an error if a mesh is also used with another skin. Its joint indices would be wrong for
/// that skin.
pub(super) fn refuse_other_skins(
    document: &Document,
    mesh: MeshId,
    skins: &[SkinId],
) -> Result<(), CommandError> {
    let is_other = |s: SkinId| !skins.contains(&s);
    let other: Option<(NodeId, _)> =
        document.nodes.iter().find(|(_, n)| n.mesh == Some(mesh) && n.skin.is_some_and(is_other));
    match other {
        Some((node, about)) => refuse(
            "mesh_is_shared",
            format!(
                "“{}” uses a mesh of {} with another skin, so the weights of the mesh cannot \
                    change; merge these skins first",
                about.label(node),
                skin_label(document, skins[0])
            ),
        ),
        None => Ok(()),
    }
}
