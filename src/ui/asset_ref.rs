//! References to things of the file that are no nodes.

use ulna_model::{Document, ImageId, MaterialId, MeshId, SkinId, label};

/// Something of the file that is no node, to be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AssetRef {
    /// A skin.
    Skin(SkinId),
    /// A mesh.
    Mesh(MeshId),
    /// A material.
    Material(MaterialId),
    /// An image.
    Image(ImageId),
}

impl AssetRef {
    /// Kind of asset, such as `Skin`.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Skin(_) => "Skin",
            Self::Mesh(_) => "Mesh",
            Self::Material(_) => "Material",
            Self::Image(_) => "Image",
        }
    }

    /// Its name, or its number.
    pub fn name(self, document: &Document) -> String {
        let (name, k) = match self {
            Self::Skin(k) => (document.skins.get(k).and_then(|s| s.name.clone()), k.0),
            Self::Mesh(k) => (document.meshes.get(k).and_then(|m| m.name.clone()), k.0),
            Self::Material(k) => (document.materials.get(k).and_then(|m| m.name.clone()), k.0),
            Self::Image(k) => (document.images.get(k.index()).and_then(|i| i.name.clone()), k.0),
        };
        label(name.as_deref(), &self.label().to_lowercase(), k)
    }
}
