//! Removes the weights of meshes.

use super::commands::ClearWeights;
use crate::{
    Edit,
    command::{
        CommandError, Outcome, Scene,
        error::refuse,
        field::meshes_of,
        mesh_skins::{skin_label, skins_of},
        names::mesh_label,
    },
};
use ulna_model::{Node, Notice, Primitive, PrimitiveId};

impl ClearWeights {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let meshes = meshes_of(document, Some(&self.mesh))?;
        let (mut edits, mut vertices, mut names) = (Vec::new(), 0, Vec::new());
        let mut nodes = Vec::new();
        for mesh in meshes {
            let skins = skins_of(document, mesh);
            let is_layered = |skin| document.aids.weight_layers.contains_key(skin);
            if let Some(skin) = skins.iter().find(|skin| is_layered(*skin)) {
                let label = skin_label(document, *skin);
                return refuse(
                    "skin_has_layers",
                    format!("{label} has weight layers; merge or remove them first"),
                );
            }
            let is_meant = |primitive| self.primitive.is_none_or(|only| only == primitive);
            let before = edits.len();
            for (primitive, found) in document.mesh(mesh).entries() {
                if found.weights.is_some() && is_meant(primitive) {
                    vertices += found.positions.len();
                    edits.push(Edit::BindWeights { mesh, primitive, to: None });
                }
            }
            if edits.len() > before {
                names.push(mesh_label(document, mesh));
            }
            // glTF requires JOINTS and WEIGHTS for skinned meshes (section 3.7.3.3), so the skin is
            // removed, too.
            let stays = |(primitive, found): (PrimitiveId, &Primitive)| {
                found.weights.is_some() && !is_meant(primitive)
            };
            if edits.len() > before && !document.mesh(mesh).entries().any(stays) {
                let on_skin = document.nodes.iter().filter(|(_, n)| n.mesh == Some(mesh));
                let off = on_skin.filter(|(_, n)| n.skin.is_some());
                nodes.extend(
                    off.map(|(id, n)| (id, Some(Box::new(Node { skin: None, ..n.clone() })))),
                );
            }
        }
        if edits.is_empty() {
            return Ok(Outcome::noted("nothing_to_change", "these meshes have no weights"));
        }
        let left = if nodes.is_empty() { "" } else { "; without weights a mesh has no skin" };
        let names = names.join(", ");
        let text = format!("weights of {vertices} vertices of {names} were removed{left}");
        if !nodes.is_empty() {
            edits.push(Edit::SetNodes(nodes));
        }
        let notes = vec![Notice::new("weights_cleared", text)];
        Ok(Outcome { edits, notes, ..Outcome::default() })
    }
}
