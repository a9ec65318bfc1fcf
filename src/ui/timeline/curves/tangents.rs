//! Tangent mode buttons of the selected keys, with their glyphs.

use egui::{Color32, Painter, Rect, Response, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::{Graph, asked::set_tangents, told::Tangents};
use crate::ui::{
    Action, Actions, Theme,
    theme::Font,
    widgets::{diamond, tooltip},
};
use ulna_render::ColorRole;

impl Tangents {
    /// Tangent mode of the selected and shown keys; `None` if they differ.
    pub fn of_selected(graph: &Graph<'_>) -> Option<Self> {
        /// Maximum number of keys examined per curve.
        const MOST: usize = 64;
        let mut found = None;
        for curve in graph.layout.curves.iter().filter(|c| !c.locked) {
            let Some(track) = curve.id.track() else { continue };
            for time in graph.keys().times_of(track, curve.id.component).iter().take(MOST) {
                let Some(key) = curve.track.key_at(*time, 0.0) else { continue };
                let own = Self::of(&curve.track, key);
                if found.is_some_and(|f| f != own) {
                    return None;
                }
                found = Some(own);
            }
        }
        found
    }

    /// Points of the curve in a glyph, from −1 to 1 in both directions, with y upward.
    fn glyph(self) -> Vec<(f32, f32)> {
        let curve = |f: &dyn Fn(f32) -> f32| {
            (0..=12).map(|k| k as f32 / 6.0 - 1.0).map(|x| (x, f(x))).collect()
        };
        match self {
            Self::Auto => curve(&|x| if x < 0.0 { x * x * x } else { 0.6 * x.powi(3) }),
            Self::Smooth => curve(&|x| (x * 1.4).sin() * 0.9),
            Self::Flat => curve(&|x| -x.abs().powf(1.8) * 0.8),
            Self::Linear => vec![(-1.0, -0.9), (1.0, 0.9)],
            Self::Step => vec![(-1.0, -0.7), (0.0, -0.7), (0.0, 0.7), (1.0, 0.7)],
            Self::Free => curve(&|x| x * 0.4 - (x * 2.6).sin() * 0.5),
            Self::Broken => vec![(-1.0, -0.8), (0.0, 0.5), (1.0, -0.3)],
        }
    }

    fn draw(self, painter: &Painter, rect: Rect, color: Color32, theme: &Theme) {
        let (center, half) = (rect.center(), rect.size() * 0.5);
        let points =
            self.glyph().into_iter().map(|(x, y)| center + vec2(x * half.x, -y * half.y)).collect();
        painter.add(egui::Shape::line(points, Stroke::new(1.3, color)));
        let key = match self {
            Self::Step => center + vec2(0.0, half.y * 0.7),
            Self::Broken => center - vec2(0.0, half.y * 0.5),
            _ => center,
        };
        let outline = theme.color(ColorRole::SurfaceTimeline);
        diamond(painter, key, 5.0, color, outline);
    }
}

/// Shows the tangent mode buttons. With too little space, only their glyphs are shown.
pub fn tangent_buttons(ui: &mut Ui, graph: &Graph<'_>, room: f32, actions: &mut Actions) {
    let now = Tangents::of_selected(graph);
    let some = !graph.keys().is_empty();
    let named = room >= NAMED;
    for (k, tangents) in Tangents::ALL.into_iter().enumerate() {
        let on = now == Some(tangents);
        let response = button(ui, graph.view.theme, tangents, (on, some, named));
        let key = if k == 0 { "V" } else { "" };
        let name = format!("{} tangents: {}", tangents.label(), tangents.help());
        let enabled = if some { Ok(()) } else { Err("Select keys first") };
        let response = tooltip(response, graph.view.theme, &name, key, enabled);
        if response.clicked() && some {
            choose(graph, tangents, actions);
        }
    }
}

/// Sets the tangent mode of the selected keys.
pub fn choose(graph: &Graph<'_>, tangents: Tangents, actions: &mut Actions) {
    let commands = set_tangents(graph.id, graph.keys().clone(), tangents);
    let label = format!("{} tangents", tangents.label());
    actions.push(Action::Preview { label, commands });
    actions.push(Action::Commit);
}

/// Width of the buttons with their names, in points.
const NAMED: f32 = 560.0;

fn button(
    ui: &mut Ui,
    theme: &Theme,
    tangents: Tangents,
    (on, some, named): (bool, bool, bool),
) -> Response {
    let color = theme.color(match (on, some) {
        (true, _) => ColorRole::AccentText,
        (false, true) => ColorRole::TextPrimary,
        (false, false) => ColorRole::TextDisabled,
    });
    let font = Theme::font(if on { Font::Heading } else { Font::Body });
    let text = ui.painter().layout_no_wrap(tangents.label().to_owned(), font, color);
    let width = if named { 34.0 + text.size().x + 8.0 } else { 32.0 };
    let sense = if some { Sense::click() } else { Sense::hover() };
    let (rect, response) = ui.allocate_exact_size(vec2(width, 26.0), sense);
    response.widget_info(|| {
        WidgetInfo::selected(Role::Button, some, on, format!("{} tangents", tangents.label()))
    });
    let fill = match on {
        true => theme.color(ColorRole::AccentTint),
        false if response.hovered() && some => theme.color(ColorRole::SurfaceControlHover),
        false => Color32::TRANSPARENT,
    };
    ui.painter().rect_filled(rect, 4.0, fill);
    let glyph = Rect::from_center_size(pos2(rect.left() + 17.0, rect.center().y), vec2(18.0, 12.0));
    tangents.draw(ui.painter(), glyph, color, theme);
    if named {
        let at = pos2(rect.left() + 32.0, rect.center().y - text.size().y * 0.5);
        ui.painter().galley(at, text, color);
    }
    response
}
