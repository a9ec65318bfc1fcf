//! The ring around the widget that has the keyboard focus.

use egui::{Context, Stroke, StrokeKind};

use super::{Theme, layout::Pane};
use ulna_render::ColorRole;

/// Points of the ring's line.
const WIDTH: f32 = 2.0;

/// Draws the ring around whatever widget has the focus, so that no widget can forget it. Text
/// fields show their caret instead, and panels as a whole draw their own ring inside their edge.
pub fn focus_ring(ctx: &Context, theme: &Theme) {
    let Some(id) = ctx.memory(|m| m.focused()) else { return };
    if ctx.text_edit_focused() || Pane::ALL.iter().any(|pane| pane.focus_id() == id) {
        return;
    }
    let Some(widget) = ctx.read_response(id) else { return };
    // A widget that is scrolled out of sight has no ring over what hides it.
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
