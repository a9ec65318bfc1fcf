//! Removes nodes, with the skins and meshes that only they used.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    commands::Below,
    dependents::{refuse_fixed, refuse_rootless},
    meshes::{mesh_gone, skin_gone},
    purge::without_nodes,
    worlds::kept_in_world,
};
use crate::{
    Edit,
    command::{CommandError, Outcome, error::refuse, mesh_skins::skin_label},
};
use ulna_model::{
    Document, MeshId, Node, NodeId, Notice, PrimitiveId, References as _, SceneId, Shared, Skin,
    SkinId, WeightEncoding, WeightMap,
};

/// Returns the nodes that have no ancestor in the set, parents before children.
pub(in crate::command) fn uppermost(document: &Document, nodes: &BTreeSet<NodeId>) -> Vec<NodeId> {
    let mut below: BTreeSet<NodeId> = BTreeSet::new();
    let mut top = Vec::new();
    for id in document.nodes.order() {
        let is_below = document.node(*id).parent.is_some_and(|p| below.contains(&p));
        if is_below || nodes.contains(id) {
            below.insert(*id);
        }
        if !is_below && nodes.contains(id) {
            top.push(*id);
        }
    }
    top
}

/// Returns the nodes and all their descendants.
pub(in crate::command) fn with_below(document: &Document, nodes: &[NodeId]) -> BTreeSet<NodeId> {
    let mut all = BTreeSet::new();
    let mut open = nodes.to_vec();
    while let Some(node) = open.pop() {
        if all.insert(node) {
            open.extend(document.children(node));
        }
    }
    all
}

/// Removes nodes from a document. The weights of a removed joint are added to its entry in `heirs`,
/// if that is a joint of the same skin. Otherwise they are added to the nearest remaining ancestor.
pub(in crate::command) fn without(
    document: &Document,
    removed: &BTreeSet<NodeId>,
    below: Below,
    heirs: &BTreeMap<NodeId, NodeId>,
) -> Result<Outcome, CommandError> {
    refuse_fixed(document, removed)?;
    let left = left_skins(document, removed, heirs)?;
    let kept: Vec<(SkinId, Vec<NodeId>)> = document
        .skins
        .iter()
        .filter(|(id, _)| !left.skins.contains(id))
        .map(|(id, skin)| {
            (id, skin.joints.iter().copied().filter(|j| !removed.contains(j)).collect())
        })
        .collect();
    let above = |n: NodeId| {
        let all = std::iter::successors(document.node(n).parent, |n| document.node(*n).parent);
        all.into_iter().find(|n| !removed.contains(n))
    };
    refuse_rootless(document, kept.iter().map(|(id, j)| (*id, &j[..])), above)?;
    let (mut edits, channels) = without_nodes(document, removed);
    edits.extend(left.edits);
    let (nodes, roots) = attached(document, removed, below)?;
    for (scene, to) in roots {
        edits.push(Edit::SetRoots { scene, to });
    }
    // Nodes refer to skins, and skins refer to joints. So skins are removed from the nodes first.
    let bare: Vec<_> = removed
        .iter()
        .map(|n| (*n, document.node(*n)))
        .filter(|(_, node)| node.skin.is_some_and(|s| left.skins.contains(&s)))
        .map(|(n, node)| (n, Some(Box::new(Node { skin: None, ..node.clone() }))))
        .collect();
    if !bare.is_empty() {
        edits.push(Edit::SetNodes(bare));
    }
    edits.extend(left.skins.iter().flat_map(|s| skin_gone(document, *s)));
    let mut nodes: Vec<(NodeId, Option<Box<Node>>)> = nodes;
    nodes.extend(removed.iter().map(|n| (*n, None)));
    nodes.sort_by_key(|(n, _)| *n);
    edits.push(Edit::SetNodes(nodes));
    let meshes = unused_meshes(document, removed);
    edits.extend(meshes.iter().flat_map(|m| mesh_gone(document, *m)));
    let counted = |n: usize, one: &str, many: &str| match n {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {many}")),
    };
    let parts: Vec<String> = [
        counted(removed.len(), "node", "nodes"),
        counted(meshes.len(), "mesh", "meshes"),
        counted(left.skins.len(), "skin", "skins"),
        counted(channels, "channel of keys", "channels of keys"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut notes = vec![Notice::new("removed", format!("removed {}", parts.join(", ")))];
    notes.extend(left.notes);
    Ok(Outcome { edits, notes, ..Outcome::default() })
}

/// Nodes with their new parents, and new lists of the scenes' roots.
type Attached = (Vec<(NodeId, Option<Box<Node>>)>, Vec<(SceneId, Vec<NodeId>)>);

/// Reparents children of removed nodes to the nearest remaining ancestor.
fn attached(
    document: &Document,
    removed: &BTreeSet<NodeId>,
    below: Below,
) -> Result<Attached, CommandError> {
    let mut nodes = Vec::new();
    // New roots for each removed root. They are inserted at its position.
    let mut instead: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for id in document.nodes.order().iter().filter(|n| !removed.contains(n)) {
        let node = document.node(*id);
        let Some(mut at) = node.parent.filter(|p| removed.contains(p)) else { continue };
        let parent = loop {
            match document.node(at).parent {
                Some(parent) if removed.contains(&parent) => at = parent,
                parent => break parent,
            }
        };
        if parent.is_none() {
            instead.entry(at).or_default().push(*id);
        }
        let to = match below {
            Below::KeepWorld => kept_in_world(document, *id, parent)?,
            Below::KeepLocal | Below::Remove => Node { parent, ..node.clone() },
        };
        nodes.push((*id, Some(Box::new(to))));
    }
    let mut roots = Vec::new();
    for (scene, found) in document.scenes.iter() {
        if found.roots.iter().any(|n| removed.contains(n)) {
            let to = found.roots.iter().flat_map(|root| match removed.contains(root) {
                true => instead.get(root).cloned().unwrap_or_default(),
                false => vec![*root],
            });
            roots.push((scene, to.collect()));
        }
    }
    Ok((nodes, roots))
}

/// Returns the meshes that only removed nodes use.
fn unused_meshes(document: &Document, removed: &BTreeSet<NodeId>) -> Vec<MeshId> {
    let shown = |is_removed: bool| -> BTreeSet<MeshId> {
        let nodes = document.nodes.iter().filter(|(n, _)| removed.contains(n) == is_removed);
        nodes.filter_map(|(_, node)| node.mesh).collect()
    };
    // Meshes with keys of animation pointers stay.
    let is_keyed = |m: &MeshId| document.clips.values().any(|c| c.names(*m));
    shown(true).difference(&shown(false)).copied().filter(|m| !is_keyed(m)).collect()
}

/// Edits of skins for removed nodes.
#[derive(Default)]
struct LeftSkins {
    /// New joints and weights of skins that are still used.
    edits: Vec<Edit>,
    /// Skins that only removed nodes used.
    skins: Vec<SkinId>,
    notes: Vec<Notice>,
}

fn left_skins(
    document: &Document,
    removed: &BTreeSet<NodeId>,
    heirs: &BTreeMap<NodeId, NodeId>,
) -> Result<LeftSkins, CommandError> {
    let mut left = LeftSkins::default();
    for (id, skin) in document.skins.iter() {
        let users: Vec<NodeId> =
            document.nodes.iter().filter(|(_, n)| n.skin == Some(id)).map(|(n, _)| n).collect();
        let has_removed_joint = skin.joints.iter().any(|j| removed.contains(j));
        let is_unused = users.iter().all(|n| removed.contains(n));
        if is_unused && (has_removed_joint || !users.is_empty()) {
            left.skins.push(id);
        } else if has_removed_joint {
            without_joints(document, (id, skin), (removed, heirs), &mut left)?;
        }
    }
    Ok(left)
}

/// Returns the edits that remove joints from a skin, with notes. Weights are moved as by
/// [`without`].
pub(in crate::command) fn skin_without(
    document: &Document,
    skin: SkinId,
    removed: &BTreeSet<NodeId>,
    heirs: &BTreeMap<NodeId, NodeId>,
) -> Result<(Vec<Edit>, Vec<Notice>), CommandError> {
    let mut left = LeftSkins::default();
    without_joints(document, (skin, document.skin(skin)), (removed, heirs), &mut left)?;
    Ok((left.edits, left.notes))
}

/// Removes joints from a skin. Their weights are added to the joints in `heirs`, or to the nearest
/// remaining ancestors.
fn without_joints(
    document: &Document,
    (id, skin): (SkinId, &Skin),
    (removed, heirs): (&BTreeSet<NodeId>, &BTreeMap<NodeId, NodeId>),
    left: &mut LeftSkins,
) -> Result<(), CommandError> {
    let label = skin_label(document, id);
    if document.aids.weight_layers.contains_key(&id) {
        return refuse(
            "skin_has_layers",
            format!("{label} has weight layers; merge or remove them first"),
        );
    }
    let kept: Vec<usize> =
        (0..skin.joints.len()).filter(|k| !removed.contains(&skin.joints[*k])).collect();
    if kept.is_empty() {
        return refuse(
            "last_joint",
            format!("{label} would lose its last joint; remove the skin or its meshes first"),
        );
    }
    let new_slot: BTreeMap<NodeId, u16> =
        kept.iter().enumerate().map(|(new, old)| (skin.joints[*old], new as u16)).collect();
    // New joint index per old joint index.
    let mut table = Vec::with_capacity(skin.joints.len());
    for joint in skin.joints.iter() {
        let heir = heirs.get(joint).filter(|heir| new_slot.contains_key(heir));
        let mut at = Some(*heir.unwrap_or(joint));
        while let Some(node) = at.filter(|n| !new_slot.contains_key(n)) {
            at = document.node(node).parent;
        }
        table.push(at.and_then(|n| new_slot.get(&n)).copied());
    }
    let mut meshes: Vec<MeshId> =
        document.nodes.values().filter(|n| n.skin == Some(id)).filter_map(|n| n.mesh).collect();
    meshes.sort_unstable();
    meshes.dedup();
    let mut given = 0;
    for mesh in meshes {
        let other = document
            .nodes
            .values()
            .any(|n| n.mesh == Some(mesh) && n.skin.is_some_and(|s| s != id));
        if other {
            return refuse(
                "mesh_is_shared",
                format!(
                    "a mesh of {label} is used with another skin, too, and would change there; \
                        merge the skins first"
                ),
            );
        }
        for (primitive, found) in document.mesh(mesh).entries() {
            let Some(map) = found.weights.as_deref() else { continue };
            let to = remapped(map, |_, slot| slot_of(&table, slot))
                .ok_or_else(|| no_heir(document, skin, &table, &label))?;
            given += to.1;
            edit_weights(mesh, primitive, to.0, &mut left.edits);
        }
    }
    let pick = |k: &usize| skin.inverse_bind[*k];
    let to = Skin {
        joints: kept.iter().map(|k| skin.joints[*k]).collect::<Vec<_>>().into(),
        inverse_bind: kept.iter().map(pick).collect::<Vec<_>>().into(),
        ..skin.clone()
    };
    left.edits.push(Edit::SetSkin { skin: id, to: Some(Shared::new(to)) });
    if given > 0 {
        let vertices = if given == 1 { "vertex" } else { "vertices" };
        left.notes.push(Notice::new(
            "weights_given",
            format!("weights of {given} {vertices} of {label} were given to the joints above"),
        ));
    }
    Ok(())
}

fn edit_weights(mesh: MeshId, primitive: PrimitiveId, to: WeightMap, edits: &mut Vec<Edit>) {
    edits.push(Edit::SetWeights { mesh, primitive, to: Shared::new(to) });
}

fn no_heir(document: &Document, skin: &Skin, table: &[Option<u16>], label: &str) -> CommandError {
    let joint = skin.joints.iter().zip(table).find(|(_, slot)| slot.is_none());
    let joint = joint.map(|(j, _)| document.node(*j).label(*j)).unwrap_or_default();
    CommandError::other(
        "no_joint_above",
        format!(
            "“{joint}” has weights, but {label} has no joint above it to receive them; move the \
            weights to another joint first"
        ),
    )
}

/// Rounds summed weights to the stored type. A sum of 1 is preserved, because the tolerance of
/// glTF is smaller for fewer weights (glTF 2.0, *Skinned Mesh Attributes*).
fn settle(encoding: WeightEncoding, before: &[f32], list: &mut [(u16, f32)]) {
    /// Tolerance for a sum of float weights of 1.
    const NEAR: f32 = 1e-4;
    if encoding != WeightEncoding::Float {
        for (_, weight) in list {
            *weight = encoding.decode(encoding.encode(*weight));
        }
        return;
    }
    if (before.iter().sum::<f32>() - 1.0).abs() > NEAR {
        return;
    }
    if let Some(largest) = (0..list.len()).max_by(|a, b| list[*a].1.total_cmp(&list[*b].1)) {
        let others: f32 = (0..list.len()).filter(|k| *k != largest).map(|k| list[k].1).sum();
        list[largest].1 = 1.0 - others;
    }
}

/// Returns the new joint index of an old one. Invalid indices, beyond the joints, stay the same.
fn slot_of(table: &[Option<u16>], slot: u16) -> Option<u16> {
    table.get(usize::from(slot)).copied().unwrap_or(Some(slot))
}

/// Returns weights with new joint indices. `slot_of` maps a vertex and an old index to the new
/// index. If several weights of a vertex get the same index, they are added up. The number of these
/// vertices is also returned. The result is `None` if a weight has no new index.
pub(in crate::command) fn remapped(
    map: &WeightMap,
    slot_of: impl Fn(usize, u16) -> Option<u16>,
) -> Option<(WeightMap, usize)> {
    let stride = map.stride();
    let (mut joints, mut weights) = (map.joints.to_vec(), map.weights.to_vec());
    let mut changed = 0;
    for vertex in 0..map.vertex_count() {
        let range = vertex * stride..(vertex + 1) * stride;
        let mut list: Vec<(u16, f32)> = Vec::with_capacity(stride);
        let mut is_given = false;
        for (slot, weight) in map.joints[range.clone()].iter().zip(&map.weights[range.clone()]) {
            if *weight == 0.0 {
                continue;
            }
            let to = slot_of(vertex, *slot)?;
            match list.iter_mut().find(|(other, _)| *other == to) {
                Some((_, sum)) => {
                    *sum += *weight;
                    is_given = true;
                }
                None => list.push((to, *weight)),
            }
        }
        if is_given {
            settle(map.encoding, &map.weights[range.clone()], &mut list);
        }
        changed += usize::from(is_given);
        let (joints, weights) = (&mut joints[range.clone()], &mut weights[range]);
        joints.fill(0);
        weights.fill(0.0);
        for (k, (slot, weight)) in list.into_iter().enumerate() {
            (joints[k], weights[k]) = (slot, weight);
        }
    }
    Some((WeightMap { joints: joints.into(), weights: weights.into(), ..map.clone() }, changed))
}
