//! The part of a document that an edit changes.

use crate::Edit;
use ulna_model::{MeshId, PrimitiveId};

/// The part of a document that an edit changes, including its undo and redo.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Weights of a primitive.
    Weights {
        /// Mesh that has the primitive.
        mesh: MeshId,
        /// The changed primitive.
        primitive: PrimitiveId,
        /// The changed vertices in ascending order; `None` means all.
        vertices: Option<Vec<u32>>,
    },
    /// A primitive got or lost weights, or its vertices changed. Its surface must be rebuilt.
    Bound {
        /// Mesh that has the primitive.
        mesh: MeshId,
        /// The changed primitive.
        primitive: PrimitiveId,
    },
    /// Materials or images.
    Look,
    /// Addition, removal or replacement of nodes, meshes or skins, and changes of scene roots.
    Tree,
    /// Anything else.
    Other,
}

impl Change {
    /// Returns the part that an edit changes. The inverse of the edit changes the same part.
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
            Edit::SetNormalMap { .. } | Edit::AddImage { .. } | Edit::SetMaterial { .. } => {
                Self::Look
            }
            Edit::SetNodes(_)
            | Edit::SetSkin { .. }
            | Edit::SetMesh { .. }
            | Edit::SetRoots { .. } => Self::Tree,
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
            | Edit::SetContacts { .. }
            | Edit::SetRetargetMaps { .. }
            | Edit::SetNodeSets { .. }
            | Edit::SetJointGroups { .. }
            | Edit::SetHumanoid { .. }
            | Edit::SetMix { .. }
            | Edit::SetKeptMix { .. }
            | Edit::SetNodeSpace { .. }
            | Edit::SetMirrorPairs { .. } => Self::Other,
        }
    }
}
