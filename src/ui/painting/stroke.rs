//! Current brush stroke.

use glam::{Vec2, Vec3};

use super::{layering::LayerStroke, sights::Sights};
use ulna_weights::Brush;

/// Current brush stroke.
pub struct PaintStroke {
    /// Brush of the stroke, including changes by held keys.
    pub brush: Brush,
    /// Label of the undo step.
    pub label: &'static str,
    /// Last dab: its position in viewport points, and its position on the surface in scene space.
    pub last: Option<(Vec2, Option<Vec3>)>,
    /// Brush position in viewport points. A stabilized brush trails behind the pointer.
    pub pen: Vec2,
    /// End of the last stroke segment, in viewport points. Dabs may not have reached it yet.
    pub to: Vec2,
    /// Stroke into the painted layer; `None` if the skin has no layers.
    pub layer: Option<LayerStroke>,
    /// Reason why a dab was not applied.
    pub fault: Option<String>,
    /// Cache of the vertices visible from the camera.
    pub sights: Sights,
}

impl PaintStroke {
    /// Starts a stroke at a point of the viewport.
    pub fn new(brush: Brush, label: &'static str, at: Vec2, layer: Option<LayerStroke>) -> Self {
        let sights = Sights::default();
        Self { brush, label, last: None, pen: at, to: at, layer, fault: None, sights }
    }

    /// Whether the stroke changes a mask.
    pub fn is_of_mask(&self) -> bool {
        self.layer.as_ref().is_some_and(LayerStroke::is_of_mask)
    }
}
