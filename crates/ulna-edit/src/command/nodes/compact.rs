//! Removes unused nodes, skins, meshes and materials.

use std::collections::BTreeSet;

use super::{
    commands::Compact,
    dependents::refuse_fixed,
    meshes::{mesh_gone, skin_gone},
    purge::without_nodes,
};
use crate::{
    Edit,
    command::{CommandError, Outcome, Scene},
};
use ulna_model::{
    AnyId, Document, IdKind, MaterialId, MeshId, NodeId, Notice, References as _, SkinId,
};

impl Compact {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let nodes = unused_nodes(document);
        let mut edits = Vec::new();
        if !nodes.is_empty() {
            edits.extend(without_nodes(document, &nodes).0);
            edits.push(Edit::SetNodes(nodes.iter().map(|n| (*n, None)).collect()));
        }
        // Elements with keys of animation pointers count as used.
        let mut keyed: BTreeSet<AnyId> = BTreeSet::new();
        document.clips.values().for_each(|c| c.for_each_id(&mut |id| _ = keyed.insert(id)));
        let left = || document.nodes.iter().filter(|(n, _)| !nodes.contains(n)).map(|(_, n)| n);
        let used: BTreeSet<SkinId> = left().filter_map(|n| n.skin).collect();
        let skins: Vec<SkinId> = document.skins.ids().filter(|s| !used.contains(s)).collect();
        edits.extend(skins.iter().flat_map(|s| skin_gone(document, *s)));
        let used: BTreeSet<MeshId> = left().filter_map(|n| n.mesh).collect();
        let meshes: Vec<MeshId> = document
            .meshes
            .ids()
            .filter(|m| !used.contains(m) && !keyed.contains(&(*m).into()))
            .collect();
        edits.extend(meshes.iter().flat_map(|m| mesh_gone(document, *m)));
        let mut used: BTreeSet<MaterialId> = BTreeSet::new();
        for mesh in document.meshes.iter().filter(|(m, _)| !meshes.contains(m)).map(|(_, m)| m) {
            mesh.for_each_id(&mut |id| {
                if id.kind == IdKind::Material {
                    used.insert(MaterialId(id.index));
                }
            });
        }
        let materials: Vec<MaterialId> = document
            .materials
            .ids()
            .filter(|m| !used.contains(m) && !keyed.contains(&(*m).into()))
            .collect();
        let gone = materials.iter().map(|m| Edit::SetMaterial { material: *m, to: None });
        edits.extend(gone);
        if edits.is_empty() {
            return Ok(Outcome::noted("nothing_unused", "everything in the file is used"));
        }
        let counts = [
            (nodes.len(), "nodes"),
            (meshes.len(), "meshes"),
            (skins.len(), "skins"),
            (materials.len(), "materials"),
        ];
        let said: Vec<String> =
            counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{what}: {n}")).collect();
        let notes = vec![Notice::new("removed", format!("removed unused {}", said.join(", ")))];
        Ok(Outcome { edits, notes, ..Outcome::default() })
    }
}

/// Returns the nodes of trees that belong to no scene, have no joints or keys, and are not
/// referred to. In a file without scenes, all nodes count as used.
fn unused_nodes(document: &Document) -> BTreeSet<NodeId> {
    if document.scenes.is_empty() {
        return BTreeSet::new();
    }
    let mut used: Vec<NodeId> = document.scenes.values().flat_map(|s| s.roots.clone()).collect();
    document.clips.values().for_each(|c| c.for_each_node(&mut |n| used.push(n)));
    document.aids.for_each_node(&mut |n| used.push(n));
    document.vrm.for_each_node(&mut |n| used.push(n));
    document.node_space.for_each_node(&mut |n| used.push(n));
    document.skins.values().for_each(|s| s.for_each_node(&mut |n| used.push(n)));
    let mut seen: BTreeSet<NodeId> = BTreeSet::new();
    // Ancestors and descendants of a used node are used.
    while let Some(node) = used.pop() {
        if document.nodes.contains(node) && seen.insert(node) {
            used.extend(document.children(node));
            used.extend(document.node(node).parent);
        }
    }
    let unused: BTreeSet<NodeId> = document.node_ids().filter(|n| !seen.contains(n)).collect();
    if refuse_fixed(document, &unused).is_err() { BTreeSet::new() } else { unused }
}
