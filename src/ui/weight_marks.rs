//! Colors and marks for weights, shared by the viewport and the panels of Paint mode.

use egui::{Color32, Rect, Ui, pos2};

use super::{Theme, View};
use ulna_render::{ColorRole, heat};
use ulna_weights::layers::{LayerTarget, Painted};

/// Gray level of a mask value in 0..=1. It is never quite black or white, so that the shape stays
/// visible.
pub fn mask_gray(mask: f32) -> u8 {
    (8.0 + mask.clamp(0.0, 1.0) * 208.0).round() as u8
}

/// Name of the painted layer, and the painted part of it.
pub fn painted_layer<'a>(view: &View<'a>) -> Option<(&'a str, Painted)> {
    let name = match view.paint.layering.target? {
        LayerTarget::Base => "Base",
        LayerTarget::Layer(id) => {
            &*view
                .session?
                .document()
                .aids
                .weight_layers
                .get(&view.paint.surface()?.skin)?
                .layer(id)?
                .name
        }
    };
    Some((name, view.paint.layering.painted))
}

/// Color of the heat ramp for a weight, in egui's type.
pub fn heat_color(weight: f32) -> Color32 {
    let ulna_render::Color([r, g, b, _]) = heat(weight);
    Color32::from_rgb(r, g, b)
}

/// Draws diagonal lines over a bar, which mark locked weights.
pub fn hatch(ui: &Ui, area: Rect, theme: &Theme) {
    let painter = ui.painter().with_clip_rect(area);
    let mut x = area.left() - area.height();
    while x < area.right() {
        let line = [pos2(x, area.bottom()), pos2(x + area.height(), area.top())];
        painter.line_segment(line, egui::Stroke::new(1.0, theme.color(ColorRole::SurfacePanel)));
        x += 4.0;
    }
}
