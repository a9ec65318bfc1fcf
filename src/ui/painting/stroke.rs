//! The current stroke.

use glam::{Vec2, Vec3};

use super::{layering::LayerStroke, sights::Sights};
use ulna_weights::Brush;

/// The current stroke.
pub struct PaintStroke {
    /// Brush of the stroke, with the changes by held keys.
    pub brush: Brush,
    /// Label of the undo step.
    pub label: &'static str,
    /// The last dab: its point of the picture, and its place on the surface.
    pub last: Option<(Vec2, Option<Vec3>)>,
    /// The brush, which trails behind the pointer if it is stabilized. Points of the picture.
    pub pen: Vec2,
    /// End of the last segment, which dabs may not have reached yet. Points of the picture.
    pub to: Vec2,
    /// The painted layer, where the skin has layers.
    pub layer: Option<LayerStroke>,
    /// Reason why a dab was not applied.
    pub fault: Option<String>,
    /// Vertices visible from the camera.
    pub sights: Sights,
}

impl PaintStroke {
    /// A stroke that begins at a point of the picture.
    pub fn new(brush: Brush, label: &'static str, at: Vec2, layer: Option<LayerStroke>) -> Self {
        let sights = Sights::default();
        Self { brush, label, last: None, pen: at, to: at, layer, fault: None, sights }
    }

    /// Whether a mask is painted.
    pub fn is_of_mask(&self) -> bool {
        self.layer.as_ref().is_some_and(LayerStroke::is_of_mask)
    }
}
