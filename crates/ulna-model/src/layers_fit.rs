//! Validation of weight layers against a document.

use super::{
    Document, LayerId, LayerPart, PrimitiveKey, Shared, SkinId, WeightLayer, WeightLayers,
    WeightMap,
};

impl WeightLayers {
    /// Whether the layers are valid for a skin of a document. Parts that are already in the
    /// document are not checked again.
    pub fn fits(&self, document: &Document, skin: SkinId) -> bool {
        let now = document.aids.weight_layers.get(&skin);
        let count_of = |(mesh, primitive): &PrimitiveKey| {
            let found = document.primitive(*mesh, *primitive);
            found.and_then(|p| p.weights.as_deref()).map(WeightMap::vertex_count)
        };
        let others = || document.aids.weight_layers.iter().filter(|(s, _)| **s != skin);
        let bases = self.bases.iter().all(|(key, base)| {
            let sound = base.sets > 0
                && base.joints.len() == base.weights.len()
                && count_of(key) == Some(base.vertex_count())
                && base.joints.len() == base.vertex_count() * base.stride();
            let known = now.and_then(|n| n.bases.get(key)).is_some_and(|b| Shared::ptr_eq(b, base));
            sound
                && others().all(|(_, l)| !l.bases.contains_key(key))
                && (known || base.weights.iter().all(|w| w.is_finite()))
        });
        let part_fits = |id: LayerId, key: &PrimitiveKey, part: &Shared<LayerPart>| {
            let was = now.and_then(|n| n.layer(id)).and_then(|l| l.parts.get(key));
            let Some(base) = self.bases.get(key) else { return false };
            was.is_some_and(|w| Shared::ptr_eq(w, part))
                || (part.fits(base.vertex_count()) && !part.vertices.is_empty())
        };
        let layer_fits = |(k, layer): (usize, &Shared<WeightLayer>)| {
            (0.0..=1.0).contains(&layer.opacity)
                && layer.id.0 < self.next
                && !layer.name.is_empty()
                && self.layers[..k].iter().all(|l| l.id != layer.id)
                && layer.parts.iter().all(|(key, part)| part_fits(layer.id, key, part))
        };
        document.skins.contains(skin)
            && !self.layers.is_empty()
            && bases
            && self.layers.iter().enumerate().all(layer_fits)
    }
}
