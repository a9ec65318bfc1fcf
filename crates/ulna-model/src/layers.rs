//! Weight layers: influences on top of a skin's base weights, with a mask and an opacity. They can
//! be removed again.
//!
//! A primitive always has the combined weights of its base and layers. Drawing and saving therefore
//! need no access to the layers. The file stores the layers themselves only on request.

use std::{collections::BTreeMap, sync::Arc};

use super::{LayerPart, Memo, MirrorFrom, PrimitiveKey, Shared, WeightMap};

/// Id of a weight layer; never reused within its skin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LayerId(pub u32);

/// One weight layer of a skin.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightLayer {
    /// Id of the layer, unique in its skin.
    pub id: LayerId,
    /// The name; not empty, but not necessarily unique.
    pub name: Arc<str>,
    /// The opacity, `0..=1`; multiplied by the mask.
    pub opacity: f32,
    /// Whether the layer is shown.
    pub shown: bool,
    /// Whether the layer is soloed. Several layers can be soloed.
    pub solo: bool,
    /// Source side of a mirrored layer; `None` if it is not mirrored. The layer's content on the
    /// other side is kept, but has no effect.
    pub mirror: Option<MirrorFrom>,
    /// Content by primitive; no part is empty.
    pub parts: BTreeMap<PrimitiveKey, Shared<LayerPart>>,
}

/// Weight layers of a skin, and the base weights. There is at least one layer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightLayers {
    /// Base weights below all layers, by primitive.
    pub bases: BTreeMap<PrimitiveKey, Shared<WeightMap>>,
    /// The layers, bottom to top.
    pub layers: Vec<Shared<WeightLayer>>,
    /// Id for the next new layer.
    pub next: u32,
    /// Whether saving also stores the layers themselves, so that they can be edited again after
    /// opening.
    pub keeps: bool,
    /// Cached mirror pairs of the skin's vertices, which are slow to compute. The cache is neither
    /// compared nor saved.
    pub kept: Memo,
}

impl WeightLayers {
    /// Whether a layer takes effect: it is shown, its opacity is above 0, and if any layer is
    /// soloed, it is one of them.
    pub fn counts(&self, layer: &WeightLayer) -> bool {
        layer.shown && layer.opacity > 0.0 && (layer.solo || self.layers.iter().all(|l| !l.solo))
    }

    /// Index of a layer in the list; 0 is the bottom.
    pub fn position(&self, id: LayerId) -> Option<usize> {
        self.layers.iter().position(|l| l.id == id)
    }

    /// Finds a layer by its id.
    pub fn layer(&self, id: LayerId) -> Option<&WeightLayer> {
        self.layers.iter().map(|l| &**l).find(|l| l.id == id)
    }
}
