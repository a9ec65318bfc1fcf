//! Painted weight layer, and strokes that change its weights or mask.

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

/// Painted layer, with caches for strokes and the mask.
#[derive(Default)]
pub struct Layering {
    /// Painted layer or base weights; `None` if the skin has no layers.
    pub target: Option<LayerTarget>,
    /// Whether the weights or the mask are painted.
    pub painted: Painted,
    /// Skin, and the id for its next layer. A larger id means that a layer was added.
    known: Option<(SkinId, u32)>,
    /// Cache of the weights that the next stroke would change, for a preview of its effect.
    next: Derived<LayerState, Option<LayerPaint>>,
    /// Displayed mask.
    pub mask: ShownMask,
}

/// Cache key of a layer: the layer, all layers and mirror pairs, and the painted surface.
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

/// Stroke that changes a layer.
pub struct LayerStroke {
    /// Weights or mask that the stroke changes.
    pub paint: LayerPaint,
    /// Mirror pairs, if the layer has its own or a mask is mirrored.
    pub pairs: Option<MirrorMap>,
    /// Document generation after the last dab. A different generation means a change from
    /// elsewhere.
    pub generation: u64,
}

/// Displayed mask of a layer.
#[derive(Default)]
pub struct ShownMask {
    /// One mask value per vertex of the surface, `0..=1`; NaN for vertices outside the layer.
    pub values: Derived<(LayerId, Shared<WeightLayers>), Vec<f32>>,
    /// Serial number, increased whenever all values are recomputed.
    pub serial: u64,
    /// Vertices that the stroke changed since their tints were updated.
    pub touched: Vec<u32>,
}

impl Layering {
    /// Updates the painted layer: a new layer is selected, and the topmost one replaces a removed
    /// layer.
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
            // A new layer is empty and has no mask yet.
            (self.target, self.painted) = (newest, Painted::Weights);
        } else if is_new || gone {
            self.target = topmost;
        }
        self.known = Some((skin, layers.next));
        if !matches!(self.target, Some(LayerTarget::Layer(_))) {
            self.painted = Painted::Weights;
        }
    }

    /// Layer whose mask is painted; `None` while weights are painted.
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

    /// Computes the weights that the next stroke would change.
    pub fn update_next(&mut self, document: &Document, canvas: &Arc<SkinnedSurface>) {
        let layers = document.aids.weight_layers.get(&canvas.skin);
        let (Some(target), Some(layers)) = (self.target, layers) else {
            self.next.clear();
            return;
        };
        let (of, pairs) = (layers.clone(), document.aids.mirror_pairs.clone());
        // The reason for a refusal is reported when the user paints.
        let make =
            |_: &LayerState| LayerPaint::new(document, canvas, target, Painted::Weights).ok();
        self.next.update(LayerState { target, of, pairs, canvas: canvas.clone() }, make);
    }

    /// Discards the weights computed for the next stroke, because a stroke is in progress.
    pub fn forget_next(&mut self) {
        self.next.clear();
    }

    /// Weights that the next stroke would change; `None` without layers.
    pub fn next_maps(&self, canvas: &SkinnedSurface) -> Option<Maps<'_>> {
        Some(self.next.get()?.as_ref()?.maps(canvas))
    }

    /// Mask value at a vertex of the surface; `None` if no mask is shown or the layer lacks the
    /// vertex.
    pub fn mask_at(&self, vertex: u32) -> Option<f32> {
        self.masked()?;
        self.mask.values.get()?.get(vertex as usize).copied().filter(|m| !m.is_nan())
    }
}

impl LayerStroke {
    /// Begins a stroke that changes a layer. `mirror` contains the pairs for a mirrored brush.
    ///
    /// # Errors
    /// If the layer cannot be painted.
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
            // The mask is stored as the weight of joint 0 of two joints, which are their own mirror
            // joints.
            Painted::Mask => paint
                .mirror()
                .or(mirror)
                .map(|pairs| pairs.with_joints(JointSlot::first(2).map(Some).collect())),
        };
        Ok(Self { paint, pairs, generation })
    }

    /// Whether the stroke changes a mask.
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
