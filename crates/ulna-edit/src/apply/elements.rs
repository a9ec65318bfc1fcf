//! Application of edits that add, replace or remove nodes, skins, meshes and materials.

use std::collections::BTreeSet;

use crate::edit::{Edit, EditError};
use ulna_model::{
    AnyId, Document, IdKind, Material, MaterialId, Mesh, MeshId, Node, NodeId, Property,
    References, Shared, Skin, SkinId, SlotId, Slots,
};

/// Maximum number of empty slots before a new element. Undo can restore an element beyond the end
/// of a list, because empty slots at the end are dropped. A higher id is refused.
const MOST_EMPTY_SLOTS: usize = 1 << 20;

/// Whether an element with this id is within [`MOST_EMPTY_SLOTS`] of the end of the list.
fn is_in_reach<I: SlotId, T>(slots: &Slots<I, T>, id: I) -> bool {
    id.index() <= slots.len() + MOST_EMPTY_SLOTS
}

pub(super) fn set_nodes(
    document: &mut Document,
    mut nodes: Vec<(NodeId, Option<Box<Node>>)>,
) -> Result<Edit, EditError> {
    let mut last = None;
    for (id, to) in &nodes {
        if last.replace(*id).is_some_and(|l| l >= *id) {
            return Err(EditError::Twice(id.0));
        }
        if to.as_ref().is_some_and(|to| !is_in_reach(document.nodes.list(), *id) || !is_sound(to)) {
            return Err(EditError::Unsound { what: "node", id: id.0 });
        }
    }
    document.file.nodes.swap(&mut nodes);
    let changed = nodes;
    match nodes_fit(document, &changed) {
        Ok(()) => Ok(Edit::SetNodes(changed)),
        Err(error) => {
            let mut back = changed;
            document.file.nodes.swap(&mut back);
            Err(error)
        }
    }
}

/// Whether the values of a node are finite, and instances occur only together with a mesh.
fn is_sound(node: &Node) -> bool {
    node.pose.is_none_or(|p| p.is_finite())
        && node.rest.is_finite()
        && node.morph_weights.as_ref().is_none_or(|w| w.iter().all(|v| v.is_finite()))
        && (node.mesh.is_some() || node.instances.is_none())
}

/// Checks that replaced nodes fit the document. `before` contains their previous values.
fn nodes_fit(document: &Document, before: &[(NodeId, Option<Box<Node>>)]) -> Result<(), EditError> {
    for (id, was) in before {
        let Some(to) = document.nodes.get(*id) else { continue };
        match document.missing(to) {
            // A node that this edit removes is reported as `Needed` below.
            Some(AnyId { kind: IdKind::Node, index })
                if !before.iter().any(|(n, was)| n.0 == index && was.is_some()) =>
            {
                return Err(EditError::NoNode(index));
            }
            Some(AnyId { kind: IdKind::Node, .. }) | None => {}
            Some(_) => return Err(EditError::Unsound { what: "node", id: id.0 }),
        }
        morphs_fit(document, *id, was.as_deref(), to)?;
    }
    let removed: BTreeSet<NodeId> =
        before.iter().map(|(id, _)| *id).filter(|id| !document.nodes.contains(*id)).collect();
    if !removed.is_empty() {
        let mut needed = None;
        document.for_each_node(&mut |node| {
            if removed.contains(&node) {
                needed.get_or_insert(node);
            }
        });
        if let Some(node) = needed {
            return Err(EditError::Needed { what: "node", id: node.0 });
        }
    }
    // Nodes of a cycle are missing in the evaluation order.
    if document.nodes.order().len() < document.nodes.count() {
        let in_order: BTreeSet<NodeId> = document.nodes.order().iter().copied().collect();
        let cycle = before
            .iter()
            .map(|(id, _)| *id)
            .find(|id| document.nodes.contains(*id) && !in_order.contains(id));
        return Err(EditError::Cycle(cycle.map_or(0, |id| id.0)));
    }
    Ok(())
}

/// Checks that a node and its keys have one morph weight per morph target of its mesh.
fn morphs_fit(
    document: &Document,
    id: NodeId,
    was: Option<&Node>,
    to: &Node,
) -> Result<(), EditError> {
    let targets = to.mesh.map_or(0, |m| document.mesh(m).target_count());
    // A file can contain a wrong number of weights. Undo must be able to restore it.
    if was.is_some_and(|b| b.mesh == to.mesh && b.morph_weights == to.morph_weights) {
        return Ok(());
    }
    let mut tracks = document.clips.values().flat_map(|c| c.tracks.values());
    let is_unfit = to.morph_weights.as_ref().is_some_and(|w| w.len() != targets)
        || tracks.any(|t| t.target == id && t.property == Property::Weights && t.width != targets);
    if is_unfit { Err(EditError::Morphs { node: id.0, targets }) } else { Ok(()) }
}

/// Inserts or replaces the element with an id, or removes an element without references. Returns
/// the previous element.
fn put<I: SlotId + Into<AnyId>, T: Clone + References>(
    document: &mut Document,
    (what, id): (&'static str, I),
    to: Option<T>,
    is_sound: impl FnOnce(&T) -> bool,
    slots: impl Fn(&mut Document) -> &mut Slots<I, T>,
) -> Result<Option<T>, EditError> {
    let any: AnyId = id.into();
    match &to {
        Some(to) => {
            let is_sound =
                is_in_reach(slots(document), id) && is_sound(to) && document.missing(to).is_none();
            is_sound.then_some(()).ok_or(EditError::Unsound { what, id: any.index })?;
        }
        None if document.names(any) => return Err(EditError::Needed { what, id: any.index }),
        None => {}
    }
    Ok(slots(document).put(id, to))
}

pub(super) fn set_skin(
    document: &mut Document,
    skin: SkinId,
    to: Option<Shared<Skin>>,
) -> Result<Edit, EditError> {
    let is_sound = |to: &Shared<Skin>| {
        !to.joints.is_empty() && to.joints.len() == to.inverse_bind.len() && to.is_valid()
    };
    let was = put(document, ("skin", skin), to, is_sound, |d| &mut d.file.skins)?;
    Ok(Edit::SetSkin { skin, to: was })
}

pub(super) fn set_mesh(
    document: &mut Document,
    mesh: MeshId,
    to: Option<Shared<Mesh>>,
) -> Result<Edit, EditError> {
    // A mesh can only be renamed. Another mesh with this id would have other primitives, layers and
    // morph targets.
    if let (Some(to), Some(was)) = (&to, document.meshes.get(mesh))
        && **to != (Mesh { name: to.name.clone(), ..(**was).clone() })
    {
        return Err(EditError::Unsound { what: "mesh", id: mesh.0 });
    }
    let is_sound = |to: &Shared<Mesh>| to.is_valid();
    let was = put(document, ("mesh", mesh), to, is_sound, |d| &mut d.file.meshes)?;
    Ok(Edit::SetMesh { mesh, to: was })
}

pub(super) fn set_material(
    document: &mut Document,
    material: MaterialId,
    to: Option<Box<Material>>,
) -> Result<Edit, EditError> {
    let to = to.map(|m| *m);
    let was = put(document, ("material", material), to, |_| true, |d| &mut d.file.materials)?;
    Ok(Edit::SetMaterial { material, to: was.map(Box::new) })
}
