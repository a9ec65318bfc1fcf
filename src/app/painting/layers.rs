//! Display of a weight layer's mask.

use crate::{
    app::{ranges::ranges, viewport_renderer::ViewportRenderer},
    ui::{Layering, mask_gray},
};
use ulna_model::{Document, Shared};
use ulna_render::{Color, TintKind};
use ulna_weights::{SkinnedSurface, layers::masks};

impl Layering {
    /// Updates the displayed mask. Returns its serial number; `None` if no mask is displayed.
    pub(super) fn follow_mask(
        &mut self,
        document: &Document,
        canvas: &SkinnedSurface,
    ) -> Option<u64> {
        let layer = self.masked()?;
        let layers = document.aids.weight_layers.get(&canvas.skin)?;
        let mask = &mut self.mask;
        let known =
            mask.values.key().is_some_and(|(l, of)| *l == layer && Shared::ptr_eq(of, layers));
        if !known || mask.values.get().is_none_or(|values| values.len() != canvas.vertex_count()) {
            // Painting the mask reports why there are no values.
            let values = masks(document, canvas, layer)
                .unwrap_or_else(|_| vec![f32::NAN; canvas.vertex_count()]);
            mask.values.put((layer, layers.clone()), values);
            mask.serial += 1;
            mask.touched.clear();
        }
        Some(mask.serial)
    }

    /// Tints all vertices with the mask, or only the changed ones.
    pub(super) fn tint_mask(
        &mut self,
        canvas: &SkinnedSurface,
        stage: &mut ViewportRenderer,
        whole: bool,
    ) {
        let mut touched = std::mem::take(&mut self.mask.touched);
        touched.sort_unstable();
        let values = self.mask.values.get().map_or(&[][..], Vec::as_slice);
        for part in canvas.parts() {
            let end = part.first + part.count;
            let own =
                touched.partition_point(|v| *v < part.first)..touched.partition_point(|v| *v < end);
            let own: Vec<u32> = touched[own].iter().map(|v| v - part.first).collect();
            let wanted = if whole {
                std::iter::once(0..part.count as usize).collect()
            } else {
                ranges(&own)
            };
            for range in wanted {
                let from = part.first as usize;
                let tints: Vec<u32> = values[from + range.start..from + range.end]
                    .iter()
                    .map(|m| mask_tint(*m))
                    .collect();
                stage.tint(part.node, part.primitive, range.start, &tints);
            }
        }
    }
}

/// Tint for a mask value. Smaller values are darker.
fn mask_tint(mask: f32) -> u32 {
    if mask.is_nan() {
        return TintKind::NONE;
    }
    let gray = mask_gray(mask);
    TintKind::color(Color([gray, gray, gray, 255]))
}
