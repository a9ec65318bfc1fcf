//! Weight layers as a mesh keeps them: joints by their paths, what lies below the layers where they
//! change it, and a number for what the file has there, so that they can be taken up again where
//! nobody changed that.

use std::sync::Arc;

use super::{LayerPart, MirrorFrom, PrimitiveId, WeightPatch};

/// Layers that a mesh keeps beside the weights that they come to.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptWeightLayers {
    /// The joints of the skin, by their paths: numbers of joints count these.
    pub joints: Vec<String>,
    /// What lies under the layers, of vertices where it is something else than what the file has.
    pub bases: Vec<(PrimitiveId, WeightPatch)>,
    /// The layers, the lowest first: as many in every mesh of a skin.
    pub layers: Vec<KeptWeightLayer>,
    /// Of the mesh's weights, the layers in them.
    pub hash: u64,
}

/// One layer.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptWeightLayer {
    /// Its name.
    pub name: Arc<str>,
    /// How much of it counts.
    pub opacity: f32,
    /// Whether it counts at all.
    pub shown: bool,
    /// Whether it alone counts, with others of which this is said.
    pub solo: bool,
    /// The side that it shows on both.
    pub mirror: Option<MirrorFrom>,
    /// What it holds of this mesh.
    pub parts: Vec<(PrimitiveId, LayerPart)>,
}
