//! Overlay of the balance display: center of mass, plumb line, support area, and path of the center
//! of mass over the clip.

use egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, Ui, pos2, vec2};
use glam::{Vec2, Vec3};

use crate::ui::{Theme, View, theme::Font};
use ulna_render::ColorRole;

/// Length of a dash and of the gap after it, in points.
const DASH: (f32, f32) = (5.0, 4.0);

/// Draws the mark of the center of mass: a disc in two-colored quarters.
fn mark(painter: &Painter, at: Pos2, dark: Color32, light: Color32) {
    const RADIUS: f32 = 7.0;
    painter.circle_filled(at, RADIUS, light);
    for quarter in [0, 2] {
        let arc = (0..=6).map(|k| {
            let angle = (quarter as f32 + k as f32 / 6.0) * std::f32::consts::FRAC_PI_2;
            at + vec2(angle.cos(), angle.sin()) * RADIUS
        });
        let points = std::iter::once(at).chain(arc).collect();
        painter.add(Shape::convex_polygon(points, dark, Stroke::NONE));
    }
    painter.circle_stroke(at, RADIUS, Stroke::new(1.5, dark));
}

/// Draws the center of mass, its path and the support area, if the display is on.
pub fn balance_ui(ui: &Ui, view: &View<'_>, rect: Rect) {
    let Some(balance) = view.viewport.balance else { return };
    let theme = view.theme;
    let size = Vec2::new(rect.width(), rect.height());
    let painter = ui.painter_at(rect);
    let place = |p: Vec3| {
        let (p, _) = view.viewport.camera.project(p, size)?;
        Some(pos2(p.x + rect.left(), p.y + rect.top()))
    };
    let way: Vec<Pos2> = view.viewport.balance_path.iter().filter_map(|p| place(*p)).collect();
    painter.add(Shape::line(
        way,
        Stroke::new(1.5, theme.color(ColorRole::AccentBase).gamma_multiply(0.7)),
    ));
    let falls = balance.support.is_empty() || balance.inside < 0.0;
    let line =
        theme.color(if falls { ColorRole::SeverityWarning } else { ColorRole::ViewportLabel });
    let soft = Stroke::new(1.5, line.gamma_multiply(0.6));
    let mut corners: Vec<Pos2> = balance.support.iter().filter_map(|p| place(*p)).collect();
    if corners.len() > 2 {
        painter.add(Shape::convex_polygon(
            corners.clone(),
            line.gamma_multiply(0.08),
            Stroke::NONE,
        ));
        corners.push(corners[0]);
        painter.extend(Shape::dashed_line(&corners, soft, DASH.0, DASH.1));
    }
    let foot = Vec3::new(balance.center.x, balance.ground, balance.center.z);
    if let (Some(center), Some(foot)) = (place(balance.center), place(foot)) {
        painter.extend(Shape::dashed_line(&[center, foot], soft, 2.0, 4.0));
        painter.circle_stroke(foot, 6.0, Stroke::new(1.5, line));
        mark(&painter, center, Color32::from_gray(20), Color32::from_gray(235));
        let unit = view.settings.length;
        let by = balance.inside.abs() * unit.per_meter();
        let text = if balance.support.is_empty() {
            "Center of mass: no support".to_owned()
        } else {
            let side = if falls { "outside" } else { "inside" };
            format!(
                "Center of mass {by:.*} {} {side}",
                if unit.per_meter() > 50.0 { 0 } else { 3 },
                unit.sign()
            )
        };
        let font = Theme::font(Font::Caption);
        let text = painter.layout_no_wrap(text, font, line);
        let plate = Rect::from_min_size(foot + vec2(14.0, 8.0), text.size() + vec2(12.0, 6.0));
        painter.rect_filled(plate, 4.0, theme.color(ColorRole::ViewportOverlay));
        painter.galley(plate.min + vec2(6.0, 3.0), text, line);
    }
}
