//! Weight layers: influences laid over a skin's weights, with a mask and an opacity, that can be
//! taken away again.
//!
//! The weights of a primitive are always what base and layers come to, so that nobody else has to
//! know of them, and what is saved is what is seen. The file keeps the layers themselves where that
//! is asked for.

use std::{
    any::Any,
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    Document, Held, MeshId, Parts, PrimitiveId, Shared, SkinId, WeightMap, WeightPatch,
    held::address,
};

/// A primitive: its mesh, and which of the mesh's.
pub type PrimitiveKey = (MeshId, PrimitiveId);

/// A layer of a skin: a number that no other layer of that skin had before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LayerId(pub u32);

/// The side whose content a mirrored layer shows on both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MirrorFrom {
    /// The character's left gives.
    Left,
    /// The character's right gives.
    Right,
}

/// What a layer holds of one primitive. Invariants, which [`LayerPart::fits`] checks: vertices
/// rise, each has a mask of 0 to 1 and `sets × 4` slots of finite weights, none negative and at
/// least one positive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayerPart {
    /// Sets of four slots a vertex; may differ from the mesh's.
    pub sets: usize,
    /// The vertices that are in the layer.
    pub vertices: Vec<u32>,
    /// How much of it counts, by vertex, 0 to 1.
    pub mask: Vec<f32>,
    /// The joints it wants, slot by slot: indices into the skin's list.
    pub joints: Vec<u16>,
    /// Their weights.
    pub weights: Vec<f32>,
}

impl LayerPart {
    /// A patch as it is, with one mask for all of it; vertices are put in order.
    pub fn new(patch: &WeightPatch, mask: f32) -> Self {
        let mut order: Vec<usize> = (0..patch.vertices.len()).collect();
        order.sort_unstable_by_key(|k| patch.vertices[*k]);
        let mut part = Self { sets: patch.sets, ..Self::default() };
        let stride = part.stride();
        for k in order {
            let range = k * stride..(k + 1) * stride;
            part.push(patch.vertices[k], mask, &patch.joints[range.clone()], &patch.weights[range]);
        }
        part
    }

    /// Slots a vertex.
    pub const fn stride(&self) -> usize {
        self.sets * 4
    }

    /// Where a vertex is among its own.
    #[inline]
    pub fn find(&self, vertex: u32) -> Option<usize> {
        self.vertices.binary_search(&vertex).ok()
    }

    /// The slots of its `k`-th vertex.
    #[inline]
    pub fn slots(&self, k: usize) -> (&[u16], &[f32]) {
        let range = k * self.stride()..(k + 1) * self.stride();
        (&self.joints[range.clone()], &self.weights[range])
    }

    /// Adds a vertex after all others. Fewer slots than its own are filled up with nothing.
    pub fn push(&mut self, vertex: u32, mask: f32, joints: &[u16], weights: &[f32]) {
        self.vertices.push(vertex);
        self.mask.push(mask);
        let most = self.stride();
        self.joints.extend(joints.iter().copied().chain(std::iter::repeat(0)).take(most));
        self.weights.extend(weights.iter().copied().chain(std::iter::repeat(0.0)).take(most));
    }

    /// With another part put in: its vertices replace these.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        let mut all = Self { sets: self.sets.max(other.sets), ..Self::default() };
        let (mut a, mut b) = (0, 0);
        while a < self.vertices.len() || b < other.vertices.len() {
            let (mine, yours) = (self.vertices.get(a), other.vertices.get(b));
            let take_mine = yours.is_none_or(|v| mine.is_some_and(|m| m < v));
            let (from, k) = if take_mine { (self, a) } else { (other, b) };
            let (joints, weights) = from.slots(k);
            all.push(from.vertices[k], from.mask[k], joints, weights);
            if take_mine {
                a += 1;
            } else {
                a += usize::from(mine == yours);
                b += 1;
            }
        }
        all
    }

    /// The vertices that another part, an older one, does not have just so.
    pub fn since(&self, old: Option<&Self>) -> Self {
        let mut new = Self { sets: self.sets, ..Self::default() };
        for (k, v) in self.vertices.iter().enumerate() {
            let (joints, weights) = self.slots(k);
            let same = old.and_then(|o| Some((o, o.find(*v)?))).is_some_and(|(o, i)| {
                o.sets == self.sets
                    && o.slots(i) == (joints, weights)
                    && o.mask[i].to_bits() == self.mask[k].to_bits()
            });
            if !same {
                new.push(*v, self.mask[k], joints, weights);
            }
        }
        new
    }

    /// Whether it keeps its invariants, for a primitive of so many vertices.
    pub fn fits(&self, count: usize) -> bool {
        let many = self.vertices.len();
        self.sets > 0
            && self.mask.len() == many
            && self.joints.len() == many * self.stride()
            && self.weights.len() == self.joints.len()
            && self.vertices.is_sorted_by(|a, b| a < b)
            && self.vertices.last().is_none_or(|v| (*v as usize) < count)
            && self.mask.iter().all(|m| (0.0..=1.0).contains(m))
            && self.weights.iter().all(|w| *w >= 0.0 && w.is_finite())
            && self.weights.chunks_exact(self.stride()).all(|ws| ws.iter().any(|w| *w > 0.0))
    }
}

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
    /// What was worked out from them; no part of what they are.
    pub kept: Memo,
}

/// Something that took long to work out and is of use as long as it fits; clones share it.
#[derive(Clone, Default)]
pub struct Memo(Arc<Mutex<Option<Arc<dyn Any + Send + Sync>>>>);

/// Whatever is kept: it is no part of the value.
impl PartialEq for Memo {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Memo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept")
    }
}

/// Only the value itself counts: what it is made of is the document's, or made anew when it is
/// asked for.
impl Held for Memo {
    fn held(&self, parts: &mut Parts) {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        parts.share(address(&*self.0), size_of::<Mutex<Option<Arc<dyn Any>>>>(), |parts| {
            if let Some(kept) = kept {
                parts.own += size_of_val(&*kept);
            }
        });
    }
}

impl Memo {
    /// What is kept, if it is of this type and fits.
    pub fn find<T: Send + Sync + 'static>(&self, fits: impl FnOnce(&T) -> bool) -> Option<Arc<T>> {
        // Whoever panicked while he held it had changed nothing: it is swapped whole.
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        kept.and_then(|k| k.downcast::<T>().ok()).filter(|k| fits(k))
    }

    /// Keeps something in place of what was.
    pub fn keep<T: Send + Sync + 'static>(&self, value: Arc<T>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
    }
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

    /// Whether these can be the layers of a skin in a document. What the document has already is
    /// not looked at again.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn part(entries: &[(u32, f32)]) -> LayerPart {
        let mut part = LayerPart { sets: 1, ..LayerPart::default() };
        entries.iter().for_each(|(v, w)| part.push(*v, 1.0, &[0], &[*w]));
        part
    }

    #[test]
    fn what_is_put_in_replaces_and_keeps_the_order() {
        let old = part(&[(1, 0.1), (4, 0.4), (9, 0.9)]);
        let new = part(&[(0, 0.5), (4, 0.5), (12, 0.5)]);
        let all = old.with(&new);
        assert_eq!(all, part(&[(0, 0.5), (1, 0.1), (4, 0.5), (9, 0.9), (12, 0.5)]));
        assert_eq!(all.since(Some(&old)), new);
        assert_eq!(all.since(None), all);
        assert!(all.fits(13) && !all.fits(12));
        assert_eq!(part(&[]).with(&new), new);
        assert_eq!(new.with(&part(&[])), new);
    }
}
