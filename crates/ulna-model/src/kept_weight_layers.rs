//! Weight layers in the form that a file stores in a mesh. Joints are identified by their paths. A
//! hash detects whether another program changed the combined weights, in which case the layers no
//! longer apply.

use std::sync::Arc;

use super::{LayerPart, MirrorFrom, PrimitiveId, WeightPatch};

/// Weight layers as a file stores them in a mesh, in addition to the combined weights.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptWeightLayers {
    /// Paths of the skin's joints. Joint indices of the layers refer to this list.
    pub joints: Vec<String>,
    /// Base weights below the layers, for vertices whose base weights differ from the combined
    /// weights.
    pub bases: Vec<(PrimitiveId, WeightPatch)>,
    /// The layers, bottom to top. All meshes of a skin have the same number of layers.
    pub layers: Vec<KeptWeightLayer>,
    /// Hash of the combined weights of the mesh.
    pub hash: u64,
}

/// One stored weight layer.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptWeightLayer {
    /// Name of the layer.
    pub name: Arc<str>,
    /// The opacity, `0..=1`.
    pub opacity: f32,
    /// Whether the layer is shown.
    pub shown: bool,
    /// Whether the layer is soloed. Several layers can be soloed.
    pub solo: bool,
    /// Side that a mirrored layer shows on both sides; `None` if the layer is not mirrored.
    pub mirror: Option<MirrorFrom>,
    /// Content of the layer for the primitives of this mesh.
    pub parts: Vec<(PrimitiveId, LayerPart)>,
}
