//! Strokes in a layer. The brush changes the content of the layer, and the combination is updated
//! for the changed vertices.
//!
//! If the layer is empty, the brush starts from the combination below it. A mirrored layer is
//! always painted on both sides, so the brush can be on either side. The target side shows the
//! changes of the source side.

use std::{collections::BTreeMap, sync::Arc};

use thiserror::Error;

use super::{
    content::{Content, Entry},
    dense::Dense,
    mirrored::{Mirror, MirroredVertex, NoSides, seen, shown_sets},
    stack::Shown,
    with_part,
};
use crate::{Maps, MirrorMap, SkinnedSurface, ids::to_index, influences::slots_of};
use ulna_model::{
    Document, LayerId, MeshId, MirrorFrom, PrimitiveId, PrimitiveKey, Shared, SkinId, WeightLayer,
    WeightLayers, WeightMap, WeightPatch, put_in_order,
};

/// Target of a stroke: the base weights, or a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerTarget {
    /// The base weights below all layers.
    Base,
    /// One weight layer.
    Layer(LayerId),
}

/// Property of a layer that a stroke changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Painted {
    /// The weights. Vertices that the layer did not contain get a mask of 1.
    #[default]
    Weights,
    /// The mask. Only vertices that the layer contains are changed.
    Mask,
}

/// Reason why a layer cannot be painted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotPaintable {
    /// The skin has no layers.
    #[error("there are no weight layers; add one")]
    NoLayers,
    /// The layer no longer exists.
    #[error("the weight layer no longer exists; choose another one in the list")]
    Gone,
    /// The layer is hidden.
    #[error("weight layer “{0}” is hidden; show it before painting in it")]
    Hidden(String),
    /// The opacity of the layer is 0.
    #[error("the opacity of weight layer “{0}” is 0 %; raise it before painting in it")]
    Faint(String),
    /// The base was chosen, but only layers have a mask.
    #[error("the base has no mask; choose a layer, or switch to painting weights")]
    BaseMask,
    /// The layer is empty, so it has no mask.
    #[error("weight layer “{0}” is empty, so it has no mask; paint weights into it first")]
    Empty(String),
    /// The layer is mirrored, and the sides of the skin cannot be determined.
    #[error(transparent)]
    NoSides(#[from] NoSides),
}

impl NotPaintable {
    /// Returns the code for scripts. It is stable across versions.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoLayers => "no_weight_layers",
            Self::Gone => "no_such_weight_layer",
            Self::Hidden(_) => "layer_is_off",
            Self::Faint(_) => "layer_is_faint",
            Self::BaseMask => "base_has_no_mask",
            Self::Empty(_) => "layer_is_empty",
            Self::NoSides(why) => why.code(),
        }
    }
}

/// Returns a mask value as the weights of two joints, so that all brushes can paint it. Joint 0 has
/// the mask value, joint 1 the remainder. The remainder is never exactly 0, so that weight removed
/// from joint 0 has a receiver.
const fn mask_slots(mask: f32) -> ([u16; 4], [f32; 4]) {
    ([0, 1, 0, 0], [mask, (1.0 - mask).max(1e-30), 0.0, 0.0])
}

fn mask_map(dense: &Dense) -> WeightMap {
    let mut map = Dense::empty(&dense.map, 1).map;
    let (joints, weights) =
        (map.joints.make_mut().as_chunks_mut().0, map.weights.make_mut().as_chunks_mut().0);
    for (v, mask) in dense.mask.iter().enumerate().filter(|(v, _)| dense.held[*v]) {
        (joints[v], weights[v]) = mask_slots(*mask);
    }
    map
}

/// Painting data of one primitive, with or without layers.
struct Surface {
    /// Displayed content of the layer. For the base, and for primitives without layers, only the
    /// weight map of the content is used.
    shows: Dense,
    /// Stored content of the layer; `None` if it equals the displayed content.
    holds: Option<Dense>,
    mask: Option<WeightMap>,
    /// Whether the content of each vertex changed; empty if no vertex changed.
    changed: Vec<bool>,
    under: Under,
}

/// Relation of a primitive to the painted layers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Under {
    /// The painted layers cover the primitive.
    These,
    /// The primitive has no layers, because its mesh was added later. Its weights are painted
    /// directly.
    None,
    /// The primitive has layers of another skin. Its weights must be painted through those layers.
    Others,
}

impl Surface {
    const fn of(shows: Dense, under: Under) -> Self {
        Self { shows, holds: None, mask: None, changed: Vec::new(), under }
    }

    fn change(&mut self, vertex: u32) {
        if self.changed.is_empty() {
            self.changed.resize(self.shows.map.vertex_count(), false);
        }
        self.changed[to_index(vertex)] = true;
    }
}

/// A stroke in a layer, in progress.
pub struct LayerPaint {
    skin: SkinId,
    layers: Shared<WeightLayers>,
    target: LayerTarget,
    painted: Painted,
    shown: Shown,
    /// Mirror data, if the painted layer is mirrored.
    mirror: Option<(Arc<Mirror>, MirrorFrom)>,
    pairs: Option<MirrorMap>,
    unlocked: Vec<bool>,
    surfaces: BTreeMap<PrimitiveKey, Surface>,
    /// Key of the primitive of each surface part.
    keys: Vec<PrimitiveKey>,
}

impl LayerPaint {
    /// Begins a stroke. All vertices are visited once. The mirror pairs are searched again if the
    /// surface does not cover the whole skin.
    ///
    /// # Errors
    /// The layer cannot be painted.
    pub fn new(
        document: &Document,
        canvas: &SkinnedSurface,
        target: LayerTarget,
        painted: Painted,
    ) -> Result<Self, NotPaintable> {
        let skin = canvas.skin;
        let layers = document.aids.weight_layers.get(&skin).ok_or(NotPaintable::NoLayers)?.clone();
        let layer = paintable(&layers, target, painted)?;
        let found = Mirror::of(document, skin, &layers)?;
        let shown = Shown::of(&layers, 0..layers.layers.len(), found.as_ref());
        let unlocked = vec![false; document.skin(skin).joints.len()];
        let below = Shown::of(&layers, 0..layer.map_or(0, |(at, _)| at), found.as_ref());
        let mirror = layer.and_then(|(_, l)| found.clone().zip(l.mirror));
        let mut surfaces = BTreeMap::new();
        for (key, base) in &layers.bases {
            let Some((_, layer)) = layer else {
                let shows = Dense { map: (**base).clone(), mask: Vec::new(), held: Vec::new() };
                surfaces.insert(*key, Surface::of(shows, Under::These));
                continue;
            };
            let own = layer.parts.get(key);
            let seen =
                shown.layers.iter().find(|l| l.id == layer.id).and_then(|l| l.parts.get(key));
            let sets = if mirror.is_some() { shown_sets(layer) } else { own.map_or(0, |p| p.sets) }
                .max(base.sets);
            let under = below.stack(base, *key, &unlocked).touched();
            let mut shows = Dense::over(base, sets);
            shows.lay(&under.vertices, base.stride(), &under.joints, &under.weights);
            if let Some(part) = seen {
                shows.hold(part);
            }
            let mut surface = Surface::of(shows, Under::These);
            if mirror.is_some() {
                let mut holds = Dense::empty(base, sets);
                if let Some(part) = own {
                    holds.hold(part);
                }
                surface.holds = Some(holds);
            }
            if painted == Painted::Mask {
                surface.mask = Some(mask_map(&surface.shows));
            }
            surfaces.insert(*key, surface);
        }
        let keys: Vec<PrimitiveKey> =
            canvas.parts().iter().map(|p| (p.mesh, p.primitive)).collect();
        for (mesh, primitive) in &keys {
            let map = document.mesh(*mesh).primitives[primitive.index()].weights.as_deref();
            surfaces.entry((*mesh, *primitive)).or_insert_with(|| {
                let map = map.cloned().unwrap_or_default();
                let mask = (painted == Painted::Mask).then(|| Dense::empty(&map, 1).map);
                let under = if document.layered(*mesh, *primitive).is_some() {
                    Under::Others
                } else {
                    Under::None
                };
                Surface {
                    mask,
                    ..Surface::of(Dense { map, mask: Vec::new(), held: Vec::new() }, under)
                }
            });
        }
        let pairs = mirror.as_ref().map(|(m, _)| {
            if m.canvas.is_of_the_same(canvas) {
                m.sides.pairs.clone()
            } else {
                MirrorMap::near(
                    canvas,
                    m.sides.axis,
                    m.sides.offset,
                    m.sides.pairs.joints().to_vec(),
                )
            }
        });
        Ok(Self { skin, layers, target, painted, shown, mirror, pairs, unlocked, surfaces, keys })
    }

    /// Returns the weights that the brush reads: those of the layer, or the mask as the weight of
    /// joint 0.
    pub fn maps<'a>(&'a self, canvas: &SkinnedSurface) -> Maps<'a> {
        let map = |key: &PrimitiveKey| {
            let surface = &self.surfaces[key];
            surface.mask.as_ref().unwrap_or(&surface.shows.map)
        };
        Maps::of(canvas, self.keys.iter().map(map))
    }

    /// Returns the painted property.
    pub const fn painted(&self) -> Painted {
        self.painted
    }

    /// Returns the mirror pairs for painting a mirrored layer; `None` for other layers.
    pub const fn mirror(&self) -> Option<&MirrorMap> {
        self.pairs.as_ref()
    }

    /// Returns the mask of a vertex of a part; `None` if the layer does not contain the vertex.
    pub fn mask(&self, part: usize, vertex: u32) -> Option<f32> {
        let shows = &self.surfaces[&self.keys[part]].shows;
        let v = to_index(vertex);
        shows.held.get(v).copied().unwrap_or(false).then(|| shows.mask[v])
    }

    /// Applies the changes of a dab to [`LayerPaint::maps`]. Returns the new combined weights of
    /// the changed vertices, by primitive.
    pub fn put(
        &mut self,
        patches: Vec<(usize, WeightPatch)>,
    ) -> Vec<(MeshId, PrimitiveId, WeightPatch)> {
        let mut touched: BTreeMap<PrimitiveKey, Vec<u32>> = BTreeMap::new();
        let mut seen = Vec::new();
        for (part, patch) in patches {
            let key = self.keys[part];
            let Some(surface) = self.surfaces.get_mut(&key) else { continue };
            if surface.under != Under::These {
                if surface.under == Under::None && self.painted == Painted::Weights {
                    surface.shows.map.swap(&mut patch.clone());
                    seen.push((key.0, key.1, patch));
                }
            } else if self.mirror.is_some() {
                self.put_mirrored(key, &patch, &mut touched);
            } else {
                touched.entry(key).or_default().extend(put_plain(surface, patch, self.target));
            }
        }
        for (key, mut vertices) in touched {
            put_in_order(&mut vertices);
            seen.push((key.0, key.1, self.seen(key, vertices)));
        }
        seen
    }

    /// Applies changes to vertices of the source side, and updates the target side.
    fn put_mirrored(
        &mut self,
        key: PrimitiveKey,
        patch: &WeightPatch,
        touched: &mut BTreeMap<PrimitiveKey, Vec<u32>>,
    ) {
        let Some((mirror, from)) = self.mirror.clone() else { return };
        let canvas = &mirror.canvas;
        let Some(first) = canvas.vertex_of(key.0, key.1, 0) else { return };
        let stride = patch.sets * 4;
        let slots = patch.joints.chunks_exact(stride).zip(patch.weights.chunks_exact(stride));
        let mut follow: Vec<u32> = Vec::new();
        for (v, (joints, weights)) in patch.vertices.iter().zip(slots) {
            let vertex = first + v;
            let part = mirror.sides.part(canvas, vertex, from);
            let Some(surface) = self.surfaces.get_mut(&key) else { return };
            let Some(holds) = surface.holds.as_mut() else { return };
            if matches!(part, MirroredVertex::Takes(_)) {
                continue;
            }
            let entry = Entry { mask: 1.0, joints, weights };
            let k = to_index(*v);
            match (self.painted, holds.held[k]) {
                (Painted::Weights, held) => {
                    let mask = if held { holds.mask[k] } else { 1.0 };
                    holds.put(*v, mask, &entry.list());
                }
                (Painted::Mask, true) => holds.mask[k] = entry.list().get(0).clamp(0.0, 1.0),
                (Painted::Mask, false) => continue,
            }
            surface.change(*v);
            follow.push(vertex);
            if matches!(part, MirroredVertex::Gives)
                && let Some(partner) = mirror.sides.pairs.point(canvas.point_of(vertex))
            {
                follow.extend_from_slice(canvas.vertices_at(partner));
            }
        }
        for vertex in follow {
            let held = |vertex: u32| {
                let (part, own) = canvas.part_of(vertex);
                let part = canvas.parts()[part];
                self.surfaces.get(&(part.mesh, part.primitive))?.holds.as_ref()?.content().at(own)
            };
            let Some((mask, list)) = mirror.shown(from, vertex, held) else { continue };
            let (part, own) = canvas.part_of(vertex);
            let key = (canvas.parts()[part].mesh, canvas.parts()[part].primitive);
            let Some(surface) = self.surfaces.get_mut(&key) else { continue };
            surface.shows.put(own, mask, &list);
            if let Some(map) = &mut surface.mask {
                put_mask(map, own, mask);
            }
            touched.entry(key).or_default().push(own);
        }
    }

    /// Returns the combined weights of vertices, which must be in ascending order.
    fn seen(&self, key: PrimitiveKey, vertices: Vec<u32>) -> WeightPatch {
        let surface = &self.surfaces[&key];
        let base = match self.target {
            LayerTarget::Base => &surface.shows.map,
            LayerTarget::Layer(_) => &self.layers.bases[&key],
        };
        let layers = self.shown.layers.iter().filter_map(|layer| {
            let own = LayerTarget::Layer(layer.id) == self.target;
            let content =
                if own { surface.shows.content() } else { Content::sparse(layer.parts.get(&key)?) };
            Some((layer.opacity, content))
        });
        self.shown.stack_of(base, key, &self.unlocked, layers.collect()).seen(vertices)
    }

    /// Returns the layers after the stroke; `None` if nothing changed.
    pub fn layers(&self) -> Option<(SkinId, WeightLayers)> {
        let changed = || self.surfaces.iter().filter(|(_, s)| !s.changed.is_empty());
        changed().next()?;
        let LayerTarget::Layer(id) = self.target else {
            let mut layers = (*self.layers).clone();
            for (key, surface) in changed() {
                layers.bases.insert(*key, Shared::new(surface.shows.map.clone()));
            }
            return Some((self.skin, layers));
        };
        let at = self.layers.position(id)?;
        // The mask does not depend on slots, so painting it keeps the number of slots.
        let least = |key: &PrimitiveKey| match self.layers.layers[at].parts.get(key) {
            Some(old) if self.painted == Painted::Mask => old.sets,
            _ => self.layers.bases[key].sets,
        };
        let part = |(key, surface): (&PrimitiveKey, &Surface)| {
            let held = surface.holds.as_ref().unwrap_or(&surface.shows);
            let vertices: Vec<u32> = (0u32..)
                .zip(&surface.changed)
                .filter(|(_, is_changed)| **is_changed)
                .map(|(v, _)| v)
                .collect();
            (*key, held.part(&vertices, least(key)))
        };
        Some((self.skin, with_part(&self.layers, at, changed().map(part).collect())))
    }
}

/// Finds the layer of a target, and its index; `None` for the base.
fn paintable(
    layers: &WeightLayers,
    target: LayerTarget,
    painted: Painted,
) -> Result<Option<(usize, &WeightLayer)>, NotPaintable> {
    let LayerTarget::Layer(id) = target else {
        return if painted == Painted::Mask { Err(NotPaintable::BaseMask) } else { Ok(None) };
    };
    let at = layers.position(id).ok_or(NotPaintable::Gone)?;
    let layer = &*layers.layers[at];
    if !layer.shown || (layer.opacity > 0.0 && !layers.counts(layer)) {
        return Err(NotPaintable::Hidden(layer.name.to_string()));
    }
    if layer.opacity <= 0.0 {
        return Err(NotPaintable::Faint(layer.name.to_string()));
    }
    if painted == Painted::Mask && layer.parts.is_empty() {
        return Err(NotPaintable::Empty(layer.name.to_string()));
    }
    Ok(Some((at, layer)))
}

/// Applies a dab without mirroring. Returns the changed vertices.
fn put_plain(surface: &mut Surface, mut patch: WeightPatch, target: LayerTarget) -> Vec<u32> {
    let shows = &mut surface.shows;
    if let Some(map) = &mut surface.mask {
        let stride = patch.sets * 4;
        let slots = patch.joints.chunks_exact(stride).zip(patch.weights.chunks_exact(stride));
        let mut changed = Vec::with_capacity(patch.vertices.len());
        for (v, (joints, weights)) in patch.vertices.iter().zip(slots) {
            let k = to_index(*v);
            if shows.held[k] {
                let mask = Entry { mask: 1.0, joints, weights }.list().get(0).clamp(0.0, 1.0);
                shows.mask[k] = mask;
                put_mask(map, *v, mask);
                changed.push(*v);
            }
        }
        changed.iter().for_each(|v| surface.change(*v));
        return changed;
    }
    shows.map.swap(&mut patch);
    if target != LayerTarget::Base {
        patch.vertices.iter().for_each(|v| shows.held[to_index(*v)] = true);
    }
    patch.vertices.iter().for_each(|v| surface.change(*v));
    patch.vertices
}

fn put_mask(map: &mut WeightMap, vertex: u32, mask: f32) {
    let own = slots_of(vertex, 4);
    let (joints, weights) = mask_slots(mask);
    map.joints.make_mut()[own.clone()].copy_from_slice(&joints);
    map.weights.make_mut()[own].copy_from_slice(&weights);
}

/// Returns the displayed mask of a layer, by vertex of the surface; NaN for vertices that the layer
/// does not contain.
///
/// # Errors
/// The layer does not exist, or is mirrored and the sides cannot be determined.
pub fn masks(
    document: &Document,
    canvas: &SkinnedSurface,
    layer: LayerId,
) -> Result<Vec<f32>, NotPaintable> {
    let layers = document.aids.weight_layers.get(&canvas.skin).ok_or(NotPaintable::NoLayers)?;
    let found = layers.layer(layer).ok_or(NotPaintable::Gone)?;
    let parts = seen(found, Mirror::of(document, canvas.skin, layers)?.as_deref());
    let mut masks = vec![f32::NAN; canvas.vertex_count()];
    for part in canvas.parts() {
        let Some(held) = parts.get(&(part.mesh, part.primitive)) else { continue };
        for (v, mask) in held.vertices.iter().zip(&held.mask) {
            masks[to_index(part.first + v)] = *mask;
        }
    }
    Ok(masks)
}
