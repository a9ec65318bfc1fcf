//! Weight layers as a mesh stores them in a file. Joints are named by their paths. A hash shows
//! whether another program changed the combined weights, in which case the layers no longer apply.

use std::sync::Arc;

use super::{LayerPart, MirrorFrom, PrimitiveId, WeightPatch};

/// Weight layers that a mesh stores beside the combined weights.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptWeightLayers {
    /// Paths of the skin's joints. Joint indices of the layers refer to this list.
    pub joints: Vec<String>,
    /// Weights below the layers, for vertices where they differ from the combined weights.
    pub bases: Vec<(PrimitiveId, WeightPatch)>,
    /// The layers, bottom to top. All meshes of a skin have the same number of layers.
    pub layers: Vec<KeptWeightLayer>,
    /// Hash of the combined weights of the mesh.
    pub hash: u64,
}

/// One stored weight layer.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptWeightLayer {
    /// The name.
    pub name: Arc<str>,
    /// The opacity, `0..=1`.
    pub opacity: f32,
    /// Whether the layer is shown.
    pub shown: bool,
    /// Whether the layer is soloed; several layers can be.
    pub solo: bool,
    /// The side that a mirrored layer shows on both sides; `None` if it is not mirrored.
    pub mirror: Option<MirrorFrom>,
    /// The layer's content for the primitives of this mesh.
    pub parts: Vec<(PrimitiveId, LayerPart)>,
}
