//! Speed strip below the graph: the speed or acceleration of the active joint's tip.

use std::rc::Rc;

use egui::{Align2, Pos2, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2};

use super::{
    super::state::TimelineState,
    Graph,
    state::SpeedStrip,
    strokes::{self, LineStyle},
    tip_speed::{at, numbers},
};
use crate::ui::{Theme, theme::Font};
use ulna_render::ColorRole;

/// Height of the strip, in points.
pub const HEIGHT: f32 = 68.0;
pub fn strip_ui(state: &mut TimelineState, ui: &Ui, graph: &Graph<'_>, rect: Rect) {
    let (view, theme) = (graph.view, graph.view.theme);
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 0.0, theme.color(ColorRole::SurfaceTimeline));
    let edge = Stroke::new(1.0, theme.color(ColorRole::TimelineGridMajor));
    painter.hline(rect.x_range(), rect.top() + 0.5, edge);
    let acceleration = state.curves.speed == SpeedStrip::Acceleration;
    let (title, unit) = if acceleration { ("Acceleration", "m/s²") } else { ("Speed", "m/s") };
    let (small, color) = (Theme::font(Font::Caption), theme.color(ColorRole::TextTertiary));
    let node = view.selection.active.or(view.selection.nodes.first().copied());
    let (Some(session), Some(node)) = (view.session, node) else {
        let text = format!("{title}: select a joint");
        painter.text(rect.min + egui::vec2(8.0, 10.0), Align2::LEFT_CENTER, text, small, color);
        return;
    };
    let document = session.document();
    let label = document.node(node).label(node);
    let of =
        (session.generation(), graph.id, node, view.timeline.playback.fps.to_bits(), acceleration);
    // Update after a drag only, because the clip must be posed at hundreds of times.
    let still = state.curves.is_still() && !ui.input(|i| i.pointer.any_down());
    if still || state.curves.strip.0.get().is_none() {
        let find = |_: &_| Rc::new(numbers(document, graph, node, acceleration));
        state.curves.strip.0.update(of, find);
    }
    let Some(found) = state.curves.strip.0.get().cloned() else { return };
    let most = found.iter().map(|(_, v)| *v).fold(0.0, f64::max);
    let base = rect.bottom() - 5.0;
    let scale = f64::from(rect.height() - 26.0) / most.max(1e-6);
    let axis = &graph.layout.axis;
    let points: Vec<(f64, f64)> =
        found.iter().map(|(t, v)| (f64::from(axis.x(*t)), f64::from(base) - v * scale)).collect();
    let color_line = theme.color(ColorRole::TextSecondary);
    let mut mesh = egui::Mesh::default();
    let feather = painter.pixels_per_point().recip();
    strokes::clipped(&points, rect.expand(2.0), |part| {
        for pair in part.windows(2) {
            let foot = |p: Pos2| pos2(p.x, base);
            let fill = color_line.gamma_multiply(0.1);
            let corners = [pair[0], pair[1], foot(pair[1]), foot(pair[0])];
            super::super::draw::quad(&mut mesh, corners, fill);
        }
        strokes::stroke(&mut mesh, part, LineStyle { width: 1.5, color: color_line, feather });
    });
    painter.add(egui::Shape::mesh(mesh));
    if let Some((time, value)) = found.iter().max_by(|a, b| a.1.total_cmp(&b.1)) {
        let at = pos2(axis.x(*time), base - (value * scale) as f32);
        painter.circle_filled(at, 2.5, theme.color(ColorRole::TextPrimary));
        let text = format!("{value:.2} {unit}");
        super::graph::said(&painter, at + egui::vec2(6.0, -4.0), &text, theme);
    }
    let now = at(&found, view.timeline.playback.time);
    let left = rect.min + egui::vec2(8.0, 11.0);
    painter.text(left, Align2::LEFT_CENTER, title, small.clone(), color);
    let below = left + egui::vec2(0.0, 15.0);
    painter.text(below, Align2::LEFT_CENTER, &label, small.clone(), color);
    let right = pos2(rect.right() - 10.0, rect.top() + 11.0);
    let head = format!("{label} at the playhead");
    painter.text(right, Align2::RIGHT_CENTER, head, small, color);
    let (font, color) = (Theme::font(Font::NumberSmall), theme.color(ColorRole::TextPrimary));
    let below = right + egui::vec2(0.0, 16.0);
    painter.text(below, Align2::RIGHT_CENTER, format!("{now:.2} {unit}"), font, color);
    super::super::ruler::playhead_line(&painter, view, axis, rect);
    let said = format!("{title} of {label}: {now:.2} {unit}");
    let response = ui.interact(rect, ui.scope_id().with("speed strip"), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &said));
    let about = "Click to switch between speed and acceleration";
    if response.on_hover_text(about).clicked() {
        state.curves.speed = match state.curves.speed {
            SpeedStrip::Speed => SpeedStrip::Acceleration,
            SpeedStrip::Acceleration | SpeedStrip::Off => SpeedStrip::Speed,
        };
    }
}
