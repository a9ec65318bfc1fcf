//! Which layer is painted into, whether its weights or its mask, and the stroke into it that is
//! under way.

use std::sync::Arc;

use ulna_edit::{BASE, layer_text};
use ulna_model::{Derived, Document, LayerId, NodeId, Shared, SkinId, WeightLayers};
use ulna_weights::{
    Maps, MirrorMap, SkinnedSurface,
    layers::{LayerPaint, LayerTarget, NotPaintable, Painted},
};

/// What painting keeps of layers.
#[derive(Default)]
pub struct Layering {
    /// What is painted of the layers; nothing where the skin has none.
    pub target: Option<LayerTarget>,
    pub painted: Painted,
    /// The number that the skin's next layer gets: where it grew there is a new layer.
    known: Option<(SkinId, u32)>,
    pub live: Option<Live>,
    /// What a stroke would work on, for telling what it would do; while none is under way.
    next: Derived<LayerState, Option<LayerPaint>>,
    pub(super) mask: Mask,
}

/// What a layer's state is made from: which one, of which layers and pairs, on which canvas.
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
pub struct Live {
    pub paint: LayerPaint,
    /// Where it is mirrored by the layer, or it is a mask that is.
    pub pairs: Option<MirrorMap>,
    /// The state of the document that it knows: another one is not its own doing.
    pub generation: u64,
}

/// The mask that is shown.
#[derive(Default)]
pub(super) struct Mask {
    /// By the canvas's vertices; NaN where the layer does not have them.
    pub(super) values: Derived<(LayerId, Shared<WeightLayers>), Vec<f32>>,
    /// Another number whenever all of it was made anew.
    pub(super) serial: u64,
    /// Vertices that the stroke changed since they were tinted.
    pub(super) touched: Vec<u32>,
}

impl Layering {
    /// Takes up other layers: a new one is painted, and where the painted one is gone, the topmost.
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

    /// What names the painted layer in a line.
    pub fn text(&self, document: &Document, skin: SkinId) -> Option<String> {
        Some(match self.target? {
            LayerTarget::Base => BASE.to_owned(),
            LayerTarget::Layer(id) => layer_text(document, skin, id),
        })
    }

    /// Looks at the painted layer as a stroke would, where it is not known yet.
    pub(super) fn know_layer(&mut self, document: &Document, canvas: &Arc<SkinnedSurface>) {
        let layers = document.aids.weight_layers.get(&canvas.skin);
        let (Some(target), Some(layers), None) = (self.target, layers, &self.live) else {
            self.next.clear();
            return;
        };
        let (of, pairs) = (layers.clone(), document.aids.mirror_pairs.clone());
        // Why it takes no paint is said when it is painted.
        let make =
            |_: &LayerState| LayerPaint::new(document, canvas, target, Painted::Weights).ok();
        self.next.update(LayerState { target, of, pairs, canvas: canvas.clone() }, make);
    }

    /// The weights that a stroke works on, or would; nothing where there are no layers.
    pub(super) fn maps(&self, canvas: &SkinnedSurface) -> Option<Maps<'_>> {
        let live = self.live.as_ref().map(|l| &l.paint);
        Some(live.or(self.next.get().and_then(Option::as_ref))?.maps(canvas))
    }

    /// The stroke was taken back, and what it did to the shown mask too.
    pub fn forget_stroke(&mut self) {
        self.live = None;
        self.mask.values.clear();
    }

    /// The mask of a vertex of the canvas; nothing where the layer does not have it, or no mask is
    /// shown.
    pub fn mask_at(&self, vertex: u32) -> Option<f32> {
        self.masked()?;
        self.mask.values.get()?.get(vertex as usize).copied().filter(|m| !m.is_nan())
    }
}

impl Live {
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
            Painted::Mask => paint.mirror().or(mirror).map(|pairs| pairs.with_joints(vec![0, 1])),
        };
        Ok(Self { paint, pairs, generation })
    }
}
