//! Draws a ring around the widget that has the keyboard focus.

use egui::{Context, Stroke, StrokeKind};

use super::{Theme, layout::Pane};
use ulna_render::ColorRole;

/// Line width of the ring, in points.
const WIDTH: f32 = 2.0;

/// Draws the ring around the focused widget, whatever its kind. Text fields show their caret
/// instead. Whole panels draw their own ring inside their border.
pub fn focus_ring(ctx: &Context, theme: &Theme) {
    let Some(id) = ctx.memory(|m| m.focused()) else { return };
    if ctx.text_edit_focused() || Pane::ALL.iter().any(|pane| pane.focus_id() == id) {
        return;
    }
    let Some(widget) = ctx.read_response(id) else { return };
    // The ring is clipped to the visible part of the widget, so it never covers other content.
    let seen = widget.rect.intersect(widget.interact_rect);
    if !seen.is_positive() {
        return;
    }
    ctx.layer_painter(widget.layer_id).rect_stroke(
        seen,
        4.0,
        Stroke::new(WIDTH, theme.color(ColorRole::AccentBase)),
        StrokeKind::Outside,
    );
}
