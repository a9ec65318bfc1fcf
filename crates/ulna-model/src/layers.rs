//! Weight layers: influences laid over a skin's weights, with a mask and an opacity, that can be
//! taken away again.
//!
//! The weights of a primitive are always what base and layers come to, so that nobody else has to
//! know of them, and what is saved is what is seen. The file keeps the layers themselves where that
//! is asked for.

use std::{collections::BTreeMap, sync::Arc};

use super::{LayerPart, Memo, MirrorFrom, PrimitiveKey, Shared, WeightMap};

/// A layer of a skin: a number that no other layer of that skin had before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LayerId(pub u32);

/// One layer of a skin.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightLayer {
    /// Its number.
    pub id: LayerId,
    /// Its name; not empty, but others may have it too.
    pub name: Arc<str>,
    /// How much of it counts, 0 to 1, times the mask.
    pub opacity: f32,
    /// Whether it counts at all.
    pub shown: bool,
    /// Whether it alone counts, with others of which this is said.
    pub solo: bool,
    /// The side that it shows on both, where it is mirrored. What it holds of the other side waits
    /// meanwhile.
    pub mirror: Option<MirrorFrom>,
    /// What it holds; no part is empty.
    pub parts: BTreeMap<PrimitiveKey, Shared<LayerPart>>,
}

/// All layers of a skin, and the weights under them. There is at least one layer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WeightLayers {
    /// The weights under all layers.
    pub bases: BTreeMap<PrimitiveKey, Shared<WeightMap>>,
    /// The lowest first.
    pub layers: Vec<Shared<WeightLayer>>,
    /// The number that the next layer gets.
    pub next: u32,
    /// Whether the file keeps the layers themselves, so that they are there when it is opened
    /// again.
    pub keeps: bool,
    /// Cached mirror pairs of the skin's surfaces, which take long to find; not compared or saved.
    pub kept: Memo,
}

impl WeightLayers {
    /// Whether a layer of these counts: it is shown, at some opacity, and is one of those that are
    /// alone where there are such.
    pub fn counts(&self, layer: &WeightLayer) -> bool {
        layer.shown && layer.opacity > 0.0 && (layer.solo || self.layers.iter().all(|l| !l.solo))
    }

    /// Where a layer is, 0 being the lowest.
    pub fn position(&self, id: LayerId) -> Option<usize> {
        self.layers.iter().position(|l| l.id == id)
    }

    /// The layer of a number.
    pub fn layer(&self, id: LayerId) -> Option<&WeightLayer> {
        self.layers.iter().map(|l| &**l).find(|l| l.id == id)
    }
}
