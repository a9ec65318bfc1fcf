//! Marks over the model in Paint mode: the rim of the brush, vertices, and the points with the
//! worst deformation.

use egui::{Align2, Color32, Painter, Pos2, Rect, Shape, Stroke, Ui, pos2, vec2};
use glam::{Vec2, Vec3};

use super::{
    super::haloed::haloed,
    brush_plates::{faults, legend, plate},
};
use crate::ui::{BrushNumber, Theme, View, theme::Font, widgets::elided};
use ulna_render::ColorRole;
use ulna_weights::{Radius, faces_eye};

/// Draws marks of vertices on the model, below all overlays.
pub fn vertex_marks_ui(ui: &Ui, view: &View<'_>, rect: Rect) {
    let painter = ui.painter_at(rect);
    unpaired(&painter, view, rect);
    selected(&painter, view, rect);
}

/// Draws the brush and the overlays of Paint mode. `lists_joints`: whether the context menu lists
/// the joints of a point.
pub fn brush_overlay_ui(lists_joints: bool, ui: &Ui, view: &View<'_>, rect: Rect) {
    let painter = ui.painter_at(rect);
    pins(ui, &painter, view, rect);
    if let Some(hover) = view.paint.hover() {
        ring(&painter, view, rect, &hover.rim, false);
        ring(&painter, view, rect, &hover.half, true);
        let at = rect.min + vec2(hover.at.x, hover.at.y);
        painter.circle(at, 2.5, Color32::TRANSPARENT, Stroke::new(3.0, casing(view.theme)));
        painter.circle(
            at,
            2.5,
            Color32::TRANSPARENT,
            Stroke::new(1.2, view.theme.color(ColorRole::ViewportBrush)),
        );
    }
    adjusting(ui, &painter, view, rect);
    if view.paint.surface().is_some() {
        legend(ui, &painter, view, rect);
        faults(&painter, view, rect);
    }
    // The context menu shows the same joints in the same area.
    if let Some(hover) = view.paint.hover().filter(|_| !lists_joints) {
        plate(ui, &painter, view, rect, hover);
    }
}

/// Draws vertices without a mirror vertex as diamonds while the brush is mirrored. If there are
/// very many, only those near the brush are drawn.
fn unpaired(painter: &Painter, view: &View<'_>, rect: Rect) {
    const FEW: usize = 200;
    /// Number of unpaired vertices above which no marks are drawn, because the model is not
    /// symmetric and drawing would be slow.
    const MOST: usize = 50_000;
    const HALF: f32 = 3.0;
    /// Distance from the brush within which marks are drawn, in brush radii.
    const ABOUT: f32 = 1.5;
    let list = view.paint.unpaired().filter(|l| view.paint.options.brush.mirror && l.len() <= MOST);
    let (Some(canvas), Some(list)) = (view.paint.surface(), list) else { return };
    let camera = &view.viewport.camera;
    let project = camera.projector(Vec2::new(rect.width(), rect.height()));
    let brush = view.paint.hover().map(|hover| {
        let rim = hover.rim.iter().filter_map(|p| project(*p));
        (hover.at, rim.map(|(at, _)| at.distance(hover.at)).fold(0.0, f32::max) * ABOUT)
    });
    if list.len() > FEW && brush.is_none() {
        return;
    }
    let about = |at: Vec2| {
        list.len() <= FEW || brush.is_some_and(|(middle, far)| at.distance(middle) <= far)
    };
    let (fill, rim) = (view.theme.color(ColorRole::SeverityWarning), casing(view.theme));
    let mut marks = egui::Mesh::default();
    let mut diamond = |at: Pos2, half: f32, color: Color32| {
        let first = marks.vertices.len() as u32;
        [vec2(0.0, -half), vec2(half, 0.0), vec2(0.0, half), vec2(-half, 0.0)]
            .into_iter()
            .for_each(|way| marks.colored_vertex(at + way, color));
        marks.add_triangle(first, first + 1, first + 2);
        marks.add_triangle(first, first + 2, first + 3);
    };
    for v in list {
        let Some(place) = view.paint.posed().positions.get(*v as usize).filter(|p| p.is_finite())
        else {
            continue;
        };
        let sight = if camera.orthographic { camera.forward() } else { *place - camera.eye() };
        let Some((at, _)) = project(*place).filter(|(at, _)| about(*at)) else { continue };
        let at = pos2(at.x + rect.left(), at.y + rect.top());
        if rect.contains(at) && faces_eye(canvas, view.paint.posed(), *v, sight) {
            diamond(at, HALF + 1.0, rim);
            diamond(at, HALF, fill);
        }
    }
    painter.add(Shape::mesh(marks));
}

/// Draws the selected vertices as dots, all in one mesh.
fn selected(painter: &Painter, view: &View<'_>, rect: Rect) {
    const MOST: usize = 20_000;
    /// Number of vertices above which rims are not drawn, because they would overlap.
    const RIMMED: usize = 4_000;
    let rimmed = view.paint.vertices().len() <= RIMMED;
    let size = Vec2::new(rect.width(), rect.height());
    let color = view.theme.color(ColorRole::SelectionBase);
    let halo = view.theme.color(ColorRole::SelectionOutline);
    let mut dots = egui::Mesh::default();
    let project = view.viewport.camera.projector(size);
    for v in view.paint.vertices().iter().take(MOST) {
        let Some(at) = view.paint.posed().positions.get(*v as usize).and_then(|p| project(*p))
        else {
            continue;
        };
        let at = pos2(at.0.x + rect.left(), at.0.y + rect.top());
        if !rect.contains(at) {
            continue;
        }
        if rimmed {
            dots.add_colored_rect(Rect::from_center_size(at, vec2(5.0, 5.0)), halo);
        }
        dots.add_colored_rect(Rect::from_center_size(at, vec2(3.5, 3.5)), color);
    }
    painter.add(Shape::mesh(dots));
}

/// Draws numbered pins at the points with the worst deformation in the current pose. The current
/// point also has a label with its time and joint.
fn pins(ui: &Ui, painter: &Painter, view: &View<'_>, rect: Rect) {
    const SIZE: f32 = 9.0;
    /// Distance from the brush within which pins are faded, in points, and their remaining opacity.
    const NEAR: f32 = 70.0;
    const FADED: f32 = 0.25;
    let theme = view.theme;
    let (Some(canvas), Some(session)) = (view.paint.surface(), view.session) else { return };
    if view.paint.is_stroking() {
        return;
    }
    let document = session.document();
    let size = Vec2::new(rect.width(), rect.height());
    let (dark, light) = (casing(theme), theme.color(ColorRole::ViewportBrush));
    // Draw the point with the worst deformation on top.
    for (k, spot) in view.paint.spots().iter().enumerate().rev() {
        let part =
            canvas.parts().iter().find(|p| p.node == spot.node && p.primitive == spot.primitive);
        let Some(vertex) = part.map(|p| p.first + spot.vertex) else { continue };
        let Some(place) =
            view.paint.posed().positions.get(vertex as usize).filter(|p| p.is_finite())
        else {
            continue;
        };
        let Some((at, _)) = view.viewport.camera.project(*place, size) else { continue };
        let at = pos2(at.x + rect.left(), at.y + rect.top());
        let head = at + vec2(0.0, -22.0);
        // Leave the toolbar visible.
        if head.y < rect.top() + 56.0 || !rect.contains(at) {
            continue;
        }
        let gone_to = view.paint.worst.and_then(|w| w.current) == Some(k);
        // Fade pins near the brush, so that the painted area is visible.
        let hover = view.paint.hover().map(|h| rect.min + vec2(h.at.x, h.at.y));
        let near = hover.is_some_and(|h| h.distance(at).min(h.distance(head)) < NEAR);
        let [dark, light] = [dark, light].map(|c| if near { c.gamma_multiply(FADED) } else { c });
        let fill = if gone_to {
            theme.color(ColorRole::AccentBase)
        } else {
            theme.color(ColorRole::ViewportOverlay)
        };
        let fill = if near { fill.gamma_multiply(FADED) } else { fill };
        painter.line_segment([at, head], Stroke::new(3.0, dark));
        painter.line_segment([at, head], Stroke::new(1.5, light));
        painter.circle(at, 2.5, light, Stroke::new(1.0, dark));
        if near {
            continue;
        }
        painter.circle(head, SIZE, fill, Stroke::new(1.5, if gone_to { light } else { dark }));
        let color =
            theme.color(if gone_to { ColorRole::TextOnAccent } else { ColorRole::TextPrimary });
        let number = (k + 1).to_string();
        painter.text(head, Align2::CENTER_CENTER, number, Theme::font(Font::NumberSmall), color);
        // The text box at the cursor would cover the label.
        if gone_to && view.paint.hover().is_none() {
            let clip =
                spot.clip.map_or_else(|| "Range of motion".to_owned(), |c| document.clip_label(c));
            let (map, own) = canvas.maps(document).map_of(vertex);
            let strongest = map.vertex(own).max_by(|a, b| a.1.total_cmp(&b.1));
            let joint = strongest.and_then(|(j, _)| canvas.joints().get(usize::from(j)));
            let joint =
                joint.map_or_else(String::new, |n| format!(" · {}", document.node(*n).label(*n)));
            let text = format!("{clip}, {:.2} s{joint} · {:.2}", spot.time, spot.score);
            let small = Theme::font(Font::Caption);
            let text = elided(ui, &text, &small, 260.0);
            let text = painter.layout_no_wrap(text, small, theme.color(ColorRole::TextPrimary));
            let room = text.size() + vec2(16.0, 8.0);
            let aside = SIZE + 6.0 + room.x * 0.5;
            let fits = head.x + aside + room.x * 0.5 <= rect.right() - 8.0;
            let plate =
                Rect::from_center_size(head + vec2(if fits { aside } else { -aside }, 0.0), room);
            painter.rect_filled(plate, 4.0, theme.color(ColorRole::ViewportOverlay));
            painter.galley(plate.min + vec2(8.0, 4.0), text, theme.color(ColorRole::TextPrimary));
        }
    }
}

/// Dark outline of the brush's white line, which is white in all themes.
pub fn casing(theme: &Theme) -> Color32 {
    theme.color(ColorRole::JointEdge)
}

/// Draws a closed white line with a dark outline along the surface. The inner line is dashed.
fn ring(painter: &Painter, view: &View<'_>, rect: Rect, points: &[Vec3], dashed: bool) {
    let size = Vec2::new(rect.width(), rect.height());
    let mut line: Vec<Pos2> = points
        .iter()
        .filter_map(|p| view.viewport.camera.project(*p, size))
        .map(|(p, _)| pos2(p.x + rect.left(), p.y + rect.top()))
        .collect();
    if line.len() < 3 {
        return;
    }
    line.push(line[0]);
    let white = view.theme.color(ColorRole::ViewportBrush);
    if dashed {
        painter.extend(Shape::dashed_line(
            &line,
            Stroke::new(2.5, casing(view.theme).gamma_multiply(0.4)),
            4.0,
            4.0,
        ));
        painter.extend(Shape::dashed_line(
            &line,
            Stroke::new(1.0, white.gamma_multiply(0.75)),
            4.0,
            4.0,
        ));
    } else {
        painter.add(Shape::line(line.clone(), Stroke::new(3.5, casing(view.theme))));
        painter.add(Shape::line(line, Stroke::new(1.5, white)));
    }
}

/// Draws the value of the dragged brush property beside the pointer.
fn adjusting(ui: &Ui, painter: &Painter, view: &View<'_>, rect: Rect) {
    let Some(number) = view.paint.adjusting else { return };
    let brush = view.paint.options.brush;
    let text = match number {
        BrushNumber::Radius => match brush.radius {
            Radius::Pixels(r) => format!("Radius {r:.0} px"),
            Radius::Scene(r) => {
                let unit = view.settings.length;
                format!("Radius {:.3} {}", r * unit.per_meter(), unit.sign())
            }
        },
        BrushNumber::Strength => format!("Strength {:.2}", brush.strength),
        BrushNumber::Value => format!("Value {:.2}", brush.value),
    };
    let at = ui.input(|i| i.pointer.hover_pos()).unwrap_or(rect.center());
    haloed(
        painter,
        at + vec2(0.0, -24.0),
        Align2::CENTER_CENTER,
        &text,
        Theme::font(Font::Heading),
        view.theme.color(ColorRole::ViewportLabel),
        view.theme,
    );
}
