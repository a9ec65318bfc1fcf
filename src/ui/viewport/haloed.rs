//! Text over the viewport.

use egui::{Align2, Color32, FontId, Painter, Pos2, vec2};

use crate::ui::Theme;
use ulna_render::ColorRole;

/// Draws text with a dark outline, which is readable on any background.
pub fn haloed(
    painter: &Painter,
    at: Pos2,
    anchor: Align2,
    text: &str,
    font: FontId,
    color: Color32,
    theme: &Theme,
) {
    let halo = theme.color(ColorRole::ViewportLabelHalo);
    for d in [vec2(-1.0, 0.0), vec2(1.0, 0.0), vec2(0.0, -1.0), vec2(0.0, 1.0)] {
        painter.text(at + d, anchor, text, font.clone(), halo);
    }
    painter.text(at, anchor, text, font, color);
}
