//! Parts of a document that an edit touches.

use crate::Edit;
use ulna_model::{MeshId, PrimitiveId};

/// The part of a document that an edit changes, including its undo and redo.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Weights of a primitive.
    Weights {
        /// The mesh.
        mesh: MeshId,
        /// The primitive of that mesh.
        primitive: PrimitiveId,
        /// The changed vertices in ascending order; all where `None`.
        vertices: Option<Vec<u32>>,
    },
    /// A primitive got weights, lost them, or has another shape: it is another surface now.
    Bound {
        /// The mesh.
        mesh: MeshId,
        /// The primitive of that mesh.
        primitive: PrimitiveId,
    },
    /// Materials or images.
    Look,
    /// Nodes, meshes, skins or scenes: which there are, and the tree of nodes.
    Tree,
    /// Anything else.
    Other,
}

impl Change {
    /// The part that an edit touches. Its inverse touches the same.
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
