//! Readout beside the pointer during a drag.

use egui::{Pos2, Rect, Stroke, StrokeKind, Ui, vec2};

use super::model::Unit;
use crate::ui::{Theme, theme::Font};
use ulna_render::ColorRole;

/// Draws a text label with a background above the pointer, inside the window.
pub fn readout(ui: &Ui, theme: &Theme, at: Pos2, said: &str) {
    /// Distance from the pointer to the center of the label, in points.
    const OVER: f32 = 32.0;
    let id = ui.scope_id().with("curve readout");
    let painter = ui.ctx().layer_painter(egui::LayerId::new(egui::Order::Tooltip, id));
    let ink = theme.color(ColorRole::TextPrimary);
    let text = painter.layout_no_wrap(said.to_owned(), Theme::font(Font::NumberSmall), ink);
    let size = text.size() + vec2(16.0, 10.0);
    let screen = ui.ctx().content_rect();
    let wanted = at + vec2(-size.x * 0.5, -OVER - size.y * 0.5);
    let place = wanted.max(screen.min).min((screen.max - size).to_vec2().to_pos2());
    let area = Rect::from_min_size(place, size);
    let edge = Stroke::new(1.0, theme.color(ColorRole::StrokeControl));
    painter.rect(area, 6.0, theme.color(ColorRole::SurfaceRaised), edge, StrokeKind::Inside);
    painter.galley(area.min + vec2(8.0, 5.0), text, ink);
}

/// Text of a difference in frames with its sign: *+3 frames*.
pub fn frames_in_words(frames: f64) -> String {
    let frames = if frames.is_finite() { frames } else { 0.0 };
    let whole = (frames - frames.round()).abs() < 1e-3;
    let number =
        if whole { format!("{:.0}", frames.abs()) } else { format!("{:.2}", frames.abs()) };
    let sign = if frames < -5e-4 { "−" } else { "+" };
    let word = if number == "1" { "frame" } else { "frames" };
    format!("{sign}{number} {word}")
}

/// Text of a difference in values with its sign and unit: *+5.2°*.
pub fn value_in_words(unit: Unit, value: f64) -> String {
    let sign = if value < 0.0 { "−" } else { "+" };
    format!("{sign}{}", plain_value(unit, value.abs()))
}

/// Text of a value with its unit: *−5.2°*.
pub fn plain_value(unit: Unit, value: f64) -> String {
    let text = match unit {
        Unit::Degrees => format!("{value:.1}"),
        Unit::Meters | Unit::Plain => format!("{value:.3}"),
    };
    format!("{}{}", text.replace('-', "−"), unit.sign())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_a_sign_and_a_unit() {
        assert_eq!(frames_in_words(1.0), "+1 frame");
        assert_eq!(frames_in_words(-2.5), "−2.50 frames");
        assert_eq!(value_in_words(Unit::Degrees, -5.24), "−5.2°");
        assert_eq!(plain_value(Unit::Meters, -0.0314), "−0.031 m");
    }
}
