//! The painted layer, its weights or its mask, and strokes into it.

use std::sync::Arc;

use ulna_edit::{BASE, layer_text};
use ulna_model::{
    Derived, Document, JointSlot, LayerId, MeshId, NodeId, PrimitiveId, Shared, SkinId,
    WeightLayers, WeightPatch,
};
use ulna_weights::{
    Maps, MirrorMap, SkinnedSurface,
    layers::{LayerPaint, LayerTarget, NotPaintable, Painted},
};

/// The painted layer.
#[derive(Default)]
pub struct Layering {
    /// The painted layer, or the base; `None` where the skin has no layers.
    pub target: Option<LayerTarget>,
    /// Weights or mask.
    pub painted: Painted,
    /// The number that the skin's next layer gets: where it grew there is a new layer.
    known: Option<(SkinId, u32)>,
    /// Weights that the next stroke would change, for a preview of its effect.
    next: Derived<LayerState, Option<LayerPaint>>,
    /// The mask that is shown.
    pub mask: ShownMask,
}

/// Inputs of a layer's state: the layer, all layers and mirror pairs, and the painted surface.
#[derive(Clone)]
struct LayerState {
    target: LayerTarget,
    of: Shared<WeightLayers>,
    pairs: Shared<[(NodeId, Option<NodeId>)]>,
    canvas: Arc<SkinnedSurface>,
}

impl PartialEq for LayerState {
    fn eq(&self, other: &Self) -> bool {
        self.target == other.target
            && Shared::ptr_eq(&self.of, &other.of)
            && Shared::ptr_eq(&self.pairs, &other.pairs)
            && Arc::ptr_eq(&self.canvas, &other.canvas)
    }
}

/// A stroke into a layer.
pub struct LayerStroke {
    /// The weights or the mask that it changes.
    pub paint: LayerPaint,
    /// Mirror pairs, if the layer has its own, or if a mask is mirrored.
    pub pairs: Option<MirrorMap>,
    /// Generation of the document after the last dab. Any other generation means a change from
    /// elsewhere.
    pub generation: u64,
}

/// The mask that is shown.
#[derive(Default)]
pub struct ShownMask {
    /// One value per vertex of the surface, `0..=1`; NaN for vertices that the layer lacks.
    pub values: Derived<(LayerId, Shared<WeightLayers>), Vec<f32>>,
    /// Changes whenever all values were derived again.
    pub serial: u64,
    /// Vertices that the stroke changed since they were tinted.
    pub touched: Vec<u32>,
}

impl Layering {
    /// Follows changes of the layers: a new layer becomes the painted one, and the topmost replaces
    /// a removed one.
    pub fn follow(&mut self, document: &Document, skin: Option<SkinId>) {
        let Some((skin, layers)) =
            skin.and_then(|s| Some((s, document.aids.weight_layers.get(&s)?)))
        else {
            (self.target, self.known, self.painted) = (None, None, Painted::Weights);
            return;
        };
        let topmost = layers.layers.last().map(|l| LayerTarget::Layer(l.id));
        let is_new = match self.known {
            Some((of, next)) => of != skin || layers.next > next,
            None => true,
        };
        let gone = match self.target {
            Some(LayerTarget::Layer(id)) => layers.layer(id).is_none(),
            Some(LayerTarget::Base) => false,
            None => true,
        };
        let newest = layers.layers.iter().map(|l| l.id).max().map(LayerTarget::Layer);
        if is_new && self.known.is_some_and(|(of, _)| of == skin) {
            // It is empty, so there is no mask of it yet.
            (self.target, self.painted) = (newest, Painted::Weights);
        } else if is_new || gone {
            self.target = topmost;
        }
        self.known = Some((skin, layers.next));
        if !matches!(self.target, Some(LayerTarget::Layer(_))) {
            self.painted = Painted::Weights;
        }
    }

    /// The layer whose mask is painted.
    pub const fn masked(&self) -> Option<LayerId> {
        match (self.target, self.painted) {
            (Some(LayerTarget::Layer(id)), Painted::Mask) => Some(id),
            _ => None,
        }
    }

    /// Name of the painted layer in a command line.
    pub fn text(&self, document: &Document, skin: SkinId) -> Option<String> {
        Some(match self.target? {
            LayerTarget::Base => BASE.to_owned(),
            LayerTarget::Layer(id) => layer_text(document, skin, id),
        })
    }

    /// Derives the weights that the next stroke would change.
    pub fn update_next(&mut self, document: &Document, canvas: &Arc<SkinnedSurface>) {
        let layers = document.aids.weight_layers.get(&canvas.skin);
        let (Some(target), Some(layers)) = (self.target, layers) else {
            self.next.clear();
            return;
        };
        let (of, pairs) = (layers.clone(), document.aids.mirror_pairs.clone());
        // Why it takes no paint is said when it is painted.
        let make =
            |_: &LayerState| LayerPaint::new(document, canvas, target, Painted::Weights).ok();
        self.next.update(LayerState { target, of, pairs, canvas: canvas.clone() }, make);
    }

    /// Discards the recorded weights for the next stroke, because a stroke is in progress.
    pub fn forget_next(&mut self) {
        self.next.clear();
    }

    /// The weights that the next stroke would change; `None` where there are no layers.
    pub fn next_maps(&self, canvas: &SkinnedSurface) -> Option<Maps<'_>> {
        Some(self.next.get()?.as_ref()?.maps(canvas))
    }

    /// The mask of a vertex of the canvas; nothing where the layer does not have it, or no mask is
    /// shown.
    pub fn mask_at(&self, vertex: u32) -> Option<f32> {
        self.masked()?;
        self.mask.values.get()?.get(vertex as usize).copied().filter(|m| !m.is_nan())
    }
}

impl LayerStroke {
    /// Begins a stroke. `mirror` are the pairs that the brush is mirrored with, where it is.
    ///
    /// # Errors
    /// Where the layer takes no paint.
    pub fn new(
        document: &Document,
        canvas: &SkinnedSurface,
        (target, painted): (LayerTarget, Painted),
        mirror: Option<&MirrorMap>,
        generation: u64,
    ) -> Result<Self, NotPaintable> {
        let paint = LayerPaint::new(document, canvas, target, painted)?;
        let pairs = match painted {
            Painted::Weights => paint.mirror().cloned(),
            // The mask is joint 0 of two, on both sides.
            Painted::Mask => paint
                .mirror()
                .or(mirror)
                .map(|pairs| pairs.with_joints(JointSlot::first(2).map(Some).collect())),
        };
        Ok(Self { paint, pairs, generation })
    }

    /// Whether a mask is painted.
    pub fn is_of_mask(&self) -> bool {
        self.paint.painted() == Painted::Mask
    }

    /// Applies a dab to the layer. Returns the changes of the combined weights.
    pub fn put_dab(
        &mut self,
        canvas: &SkinnedSurface,
        mask: &mut ShownMask,
        patches: Vec<(usize, WeightPatch)>,
    ) -> Vec<(MeshId, PrimitiveId, WeightPatch)> {
        let seen = self.paint.put(patches);
        if self.is_of_mask() {
            for (mesh, primitive, patch) in &seen {
                let part = canvas
                    .parts()
                    .iter()
                    .position(|p| (p.mesh, p.primitive) == (*mesh, *primitive));
                let Some(part) = part else { continue };
                let first = canvas.parts()[part].first;
                let Some(values) = mask.values.get_mut() else { continue };
                for v in &patch.vertices {
                    if let Some(value) = values.get_mut((first + v) as usize) {
                        *value = self.paint.mask(part, *v).unwrap_or(f32::NAN);
                        mask.touched.push(first + v);
                    }
                }
            }
        }
        seen
    }
}
