//! Selecting vertices in Paint mode: by a box, a lasso, or the brush.

use egui::{PointerButton, Rect, Ui};
use glam::Vec2;

use crate::ui::{Actions, PaintAction, VertexArea, VertexPick, View};
use ulna_render::ColorRole;
use ulna_weights::Radius;

/// Selects vertices by a drag with Ctrl and Alt held, using a box, a lasso or the brush. Shift adds
/// to the selection.
pub fn vertices_ui(
    picking: &mut Option<Vec<egui::Pos2>>,
    ui: &Ui,
    view: &View<'_>,
    rect: Rect,
    actions: &mut Actions,
) {
    let Some(line) = picking else { return };
    let theme = view.theme;
    let painter = ui.painter_at(rect);
    if let Some(at) = ui.input(|i| i.pointer.hover_pos())
        && line.last().is_none_or(|last| last.distance(at) > 2.0)
    {
        line.push(at);
    }
    let (Some(from), Some(to)) = (line.first().copied(), line.last().copied()) else { return };
    let stroke = egui::Stroke::new(1.0, theme.color(ColorRole::TimelineBoxStroke));
    let radius = match view.paint.options.brush.radius {
        Radius::Pixels(points) => points,
        Radius::Scene(meters) => {
            meters
                / view
                    .viewport
                    .camera
                    .meters_per_point(view.viewport.camera.distance, rect.height())
                    .max(1e-12)
        }
    };
    match view.paint.options.pick {
        VertexPick::Box => {
            let area = Rect::from_two_pos(from, to);
            painter.rect(
                area,
                0.0,
                theme.color(ColorRole::TimelineBoxFill),
                stroke,
                egui::StrokeKind::Inside,
            );
        }
        VertexPick::Lasso => {
            let mut closed = line.clone();
            closed.push(from);
            painter.add(egui::Shape::line(closed, stroke));
        }
        VertexPick::Brush => {
            painter.circle_stroke(to, radius, stroke);
            painter.add(egui::Shape::line(line.clone(), stroke));
        }
    }
    if ui.input(|i| i.pointer.button_down(PointerButton::Primary)) {
        return;
    }
    let local = |p: egui::Pos2| Vec2::new(p.x - rect.left(), p.y - rect.top());
    let path: Vec<Vec2> = line.iter().copied().map(local).collect();
    let still = path.iter().all(|p| p.distance(path[0]) < 3.0);
    let box_of = Rect::from_two_pos(from, to);
    let area = match view.paint.options.pick {
        _ if still => VertexArea::Here,
        VertexPick::Box => VertexArea::Box(local(box_of.min), local(box_of.max)),
        VertexPick::Lasso => VertexArea::Lasso(path),
        VertexPick::Brush => VertexArea::Brush(path, radius),
    };
    let size = Vec2::new(rect.width(), rect.height());
    actions.push(PaintAction::SelectVerticesIn {
        area,
        size,
        add: ui.input(|i| i.modifiers.shift),
    });
    *picking = None;
}
