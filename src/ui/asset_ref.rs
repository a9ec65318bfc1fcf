//! References to elements of the file other than nodes.

use ulna_model::{Document, ImageId, MaterialId, MeshId, SkinId, label};

/// A skin, mesh, material or image that the inspector can show.
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

    /// Name of the asset, or its kind and index if it has no name.
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
