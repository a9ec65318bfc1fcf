//! Parts of a document that an edit touches.

use crate::Edit;
use ulna_model::{MeshId, PrimitiveId};

/// What of a document an edit, its undoing or its redoing touched.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Weights of a primitive; these vertices, which rise, or all where there is no list.
    Weights {
        /// Its mesh.
        mesh: MeshId,
        /// Which primitive.
        primitive: PrimitiveId,
        /// Which vertices.
        vertices: Option<Vec<u32>>,
    },
    /// A primitive got weights, lost them, or has another shape: it is another surface now.
    Bound {
        /// Its mesh.
        mesh: MeshId,
        /// Which primitive.
        primitive: PrimitiveId,
    },
    /// Materials or images.
    Look,
    /// Nodes, skins or scenes: what is there, and where it hangs.
    Tree,
    /// Anything else.
    Other,
}

impl Change {
    /// What an edit touches, or its inverse.
    pub(super) fn by(edit: &Edit) -> Self {
        match edit {
            Edit::PatchWeights { mesh, primitive, patch } => Self::Weights {
                mesh: *mesh,
                primitive: *primitive,
                vertices: Some(patch.vertices.clone()),
            },
            Edit::SetWeights { mesh, primitive, .. } => {
                Self::Weights { mesh: *mesh, primitive: *primitive, vertices: None }
            }
            Edit::BindWeights { mesh, primitive, .. } | Edit::SetShape { mesh, primitive, .. } => {
                Self::Bound { mesh: *mesh, primitive: *primitive }
            }
            Edit::SetNormalMap { .. } | Edit::AddImage { .. } => Self::Look,
            Edit::SetNode { .. } | Edit::SetSkin { .. } | Edit::SetRoots { .. } => Self::Tree,
            Edit::SetPoses(_)
            | Edit::SetMorphs { .. }
            | Edit::SetUnkeyed { .. }
            | Edit::SetUnkeyedMorphs { .. }
            | Edit::SetNodeName { .. }
            | Edit::SetHidden { .. }
            | Edit::SetTrack { .. }
            | Edit::SetClip { .. }
            | Edit::SetLayers { .. }
            | Edit::SetPoseLayers { .. }
            | Edit::SetKeepsLayers { .. }
            | Edit::SetPin { .. }
            | Edit::SetKeptPoses { .. }
            | Edit::SetNodeSets { .. }
            | Edit::SetMix { .. }
            | Edit::SetKeptMix { .. }
            | Edit::SetMirrorPairs { .. } => Self::Other,
        }
    }
}
