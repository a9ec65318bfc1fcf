//! Display of weights, shared by the viewport and the panel of Paint mode.

use egui::{Color32, Rect, Ui, pos2};

use super::{Theme, View};
use ulna_render::{ColorRole, heat};
use ulna_weights::layers::{LayerTarget, Painted};

/// A mask as a gray, 0 to 1: not quite black and not quite white, so that the shape is still seen
/// under it.
pub fn mask_gray(mask: f32) -> u8 {
    (8.0 + mask.clamp(0.0, 1.0) * 208.0).round() as u8
}

/// The name of the layer that is painted, and what of it.
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

/// A color of the heat ramp, as egui has it.
pub fn heat_color(weight: f32) -> Color32 {
    let ulna_render::Color([r, g, b, _]) = heat(weight);
    Color32::from_rgb(r, g, b)
}

/// Diagonal lines over a bar, which mark locked weights.
pub fn hatch(ui: &Ui, area: Rect, theme: &Theme) {
    let painter = ui.painter().with_clip_rect(area);
    let mut x = area.left() - area.height();
    while x < area.right() {
        let line = [pos2(x, area.bottom()), pos2(x + area.height(), area.top())];
        painter.line_segment(line, egui::Stroke::new(1.0, theme.color(ColorRole::SurfacePanel)));
        x += 4.0;
    }
}
