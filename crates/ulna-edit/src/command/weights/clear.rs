//! Meshes that lose their weights.

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
use ulna_model::Notice;

impl ClearWeights {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let meshes = meshes_of(document, Some(&self.mesh))?;
        let (mut edits, mut vertices, mut names) = (Vec::new(), 0, Vec::new());
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
        }
        if edits.is_empty() {
            return Ok(Outcome::noted("nothing_to_change", "these meshes have no weights"));
        }
        let text = format!(
            "weights of {vertices} vertices of {} were removed; bind them again before you save",
            names.join(", ")
        );
        let notes = vec![Notice::new("weights_cleared", text)];
        Ok(Outcome { edits, notes, ..Outcome::default() })
    }
}
