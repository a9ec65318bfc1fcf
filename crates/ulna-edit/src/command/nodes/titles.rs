//! Commands that rename skins, meshes and materials.

use super::{
    commands::{RenameMaterial, RenameMesh, RenameSkin},
    meshes::{material_named, skin_named},
};
use crate::{
    Edit,
    command::{CommandError, Scene, error::refuse},
};
use ulna_model::{Material, Mesh, Shared, Skin};

/// Returns a name without surrounding white space. Fails if it is empty.
fn trimmed(name: &str) -> Result<&str, CommandError> {
    match name.trim() {
        "" => refuse("name_missing", "the new name is empty"),
        name => Ok(name),
    }
}

impl RenameSkin {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let name = Some(trimmed(&self.name)?.into());
        let id = skin_named(scene.document, &self.skin)?;
        let skin = Skin { name, ..scene.document.skin(id).clone() };
        Ok(vec![Edit::SetSkin { skin: id, to: Some(Shared::new(skin)) }])
    }
}

impl RenameMesh {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let name = Some(trimmed(&self.name)?.into());
        let id = match self.mesh.find(scene.document)?[..] {
            [id] => id,
            _ => return refuse("one_mesh_wanted", "only one mesh can be renamed at a time"),
        };
        let mesh = Mesh { name, ..scene.document.mesh(id).clone() };
        Ok(vec![Edit::SetMesh { mesh: id, to: Some(Shared::new(mesh)) }])
    }
}

impl RenameMaterial {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let name = Some(trimmed(&self.name)?.into());
        let id = material_named(scene.document, &self.material)?;
        let material = Material { name, ..scene.document.materials[id].clone() };
        Ok(vec![Edit::SetMaterial { material: id, to: Some(Box::new(material)) }])
    }
}
