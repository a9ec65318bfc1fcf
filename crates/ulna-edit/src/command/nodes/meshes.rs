//! Commands that remove skins, meshes and materials.

use std::collections::BTreeSet;

use super::{
    commands::{RemoveMaterials, RemoveMeshes, RemoveSkins},
    purge::without_morphs,
};
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene, error::refuse, materials::find, mesh_skins::skin_label,
    },
};
use ulna_model::{
    AnyId, Document, IdKind, MaterialId, MeshId, Node, NodeId, Notice, PointerTrack,
    References as _, SkinId, label,
};

/// Returns the edits that remove a skin without users.
pub(super) fn skin_gone(document: &Document, skin: SkinId) -> Vec<Edit> {
    let layers = document.aids.weight_layers.contains_key(&skin);
    let layers = layers.then_some(Edit::SetLayers { skin, to: None });
    layers.into_iter().chain([Edit::SetSkin { skin, to: None }]).collect()
}

/// Returns the edits that remove a mesh without users, and the weight layers that contain it.
pub(super) fn mesh_gone(document: &Document, mesh: MeshId) -> Vec<Edit> {
    let layers = document.aids.weight_layers.iter().filter(|(_, layers)| layers.names(mesh));
    let mut edits: Vec<Edit> =
        layers.map(|(skin, _)| Edit::SetLayers { skin: *skin, to: None }).collect();
    edits.push(Edit::SetMesh { mesh, to: None });
    edits
}

/// Returns the index of an existing element by its name or `#index`.
fn found(
    text: &str,
    names: &[Option<&str>],
    what: &str,
    is_there: impl Fn(usize) -> bool,
) -> Result<usize, CommandError> {
    let at = find(text, names, what)?;
    match is_there(at) {
        true => Ok(at),
        false => refuse("no_such_thing", format!("{what} #{at} was removed")),
    }
}

/// Returns a skin by its name or `#index`.
pub(in crate::command) fn skin_named(
    document: &Document,
    text: &str,
) -> Result<SkinId, CommandError> {
    let names: Vec<Option<&str>> = document.skins.slots().map(|s| s?.name.as_deref()).collect();
    let is_there = |k: usize| document.skins.contains(k.into());
    found(text, &names, "skin", is_there).map(SkinId::from)
}

/// Returns a material by its name or `#index`.
pub(super) fn material_named(document: &Document, text: &str) -> Result<MaterialId, CommandError> {
    let names: Vec<Option<&str>> = document.materials.slots().map(|m| m?.name.as_deref()).collect();
    let is_there = |k: usize| document.materials.contains(k.into());
    found(text, &names, "material", is_there).map(MaterialId::from)
}

impl RemoveSkins {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let skin = skin_named(document, &self.skin)?;
        let users = document.nodes.iter().filter(|(_, n)| n.skin == Some(skin));
        let nodes: Vec<_> =
            users.map(|(id, n)| (id, Some(Box::new(Node { skin: None, ..n.clone() })))).collect();
        let count = nodes.len();
        let mut edits = Vec::new();
        if count > 0 {
            edits.push(Edit::SetNodes(nodes));
        }
        edits.extend(skin_gone(document, skin));
        let mut notes = Vec::new();
        if count > 0 {
            let (is, have) = if count == 1 { ("mesh", "has") } else { ("meshes", "have") };
            let label = skin_label(document, skin);
            notes.push(Notice::new(
                "removed",
                format!(
                    "{count} {is} of {label} {have} weights, but no skin and no deformation now"
                ),
            ));
        }
        Ok(Outcome { edits, notes, ..Outcome::default() })
    }
}

impl RemoveMeshes {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let meshes: BTreeSet<MeshId> = self.mesh.find(document)?.into_iter().collect();
        let shown: Vec<(NodeId, &Node)> = document
            .nodes
            .iter()
            .filter(|(_, n)| n.mesh.is_some_and(|m| meshes.contains(&m)))
            .collect();
        let ids: BTreeSet<NodeId> = shown.iter().map(|(id, _)| *id).collect();
        for (skin, layers) in &document.aids.weight_layers {
            let stays = |m: &MeshId| !meshes.contains(m);
            let is_named = meshes.iter().any(|m| layers.names(*m));
            if is_named && layers.bases.keys().any(|(mesh, _)| stays(mesh)) {
                let label = skin_label(document, *skin);
                return refuse(
                    "skin_has_layers",
                    format!("{label} has weight layers of other meshes, too; merge them first"),
                );
            }
        }
        refuse_pointers(document, &ids, &meshes)?;
        let (mut edits, channels) = without_morphs(document, &ids);
        let nodes: Vec<_> = shown
            .iter()
            .map(|(id, node)| {
                let to = Node {
                    mesh: None,
                    skin: None,
                    instances: None,
                    morph_weights: None,
                    ..(*node).clone()
                };
                (*id, Some(Box::new(to)))
            })
            .collect();
        if !nodes.is_empty() {
            edits.push(Edit::SetNodes(nodes));
        }
        edits.extend(meshes.iter().flat_map(|m| mesh_gone(document, *m)));
        let mut notes = Vec::new();
        if !ids.is_empty() {
            let nodes = if ids.len() == 1 { "node stays" } else { "nodes stay" };
            let keys = match channels {
                0 => String::new(),
                1 => "; 1 channel of morph weights was removed".to_owned(),
                n => format!("; {n} channels of morph weights were removed"),
            };
            let said = format!("{} {nodes} without a mesh{keys}", ids.len());
            notes.push(Notice::new("removed", said));
        }
        Ok(Outcome { edits, notes, ..Outcome::default() })
    }
}

/// Returns an error if an animation pointer animates morph weights of a removed mesh. Its keys
/// cannot be edited yet.
fn refuse_pointers(
    document: &Document,
    nodes: &BTreeSet<NodeId>,
    meshes: &BTreeSet<MeshId>,
) -> Result<(), CommandError> {
    for (id, clip) in document.clips.iter() {
        let is_meant = |p: &&PointerTrack| match p.target {
            Some(AnyId { kind: IdKind::Mesh, index }) => meshes.contains(&MeshId(index)),
            Some(AnyId { kind: IdKind::Node, index }) => {
                p.pointer.contains("/weights") && nodes.contains(&NodeId(index))
            }
            _ => false,
        };
        if let Some(pointer) = clip.pointers.iter().find(is_meant) {
            let (clip, pointer) = (document.clip_label(id), &pointer.pointer);
            return refuse(
                "keys_not_editable",
                format!(
                    "“{clip}” has keys of “{pointer}” that cannot be edited; delete the clip first"
                ),
            );
        }
    }
    Ok(())
}

impl RemoveMaterials {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let material = material_named(document, &self.material)?;
        let user = document.meshes.iter().find(|(_, m)| m.names(material));
        if let Some((id, mesh)) = user {
            let mesh = label(mesh.name.as_deref(), "mesh", id.0);
            return refuse(
                "still_needed",
                format!("the mesh “{mesh}” uses that material; remove the mesh first"),
            );
        }
        Ok(vec![Edit::SetMaterial { material, to: None }].into())
    }
}
