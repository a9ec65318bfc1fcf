//! The brush over the model: its rim along the surface, who holds the spot, and strokes.

use egui::{
    Align2, Color32, Painter, PointerButton, Pos2, Rect, Response, Shape, Stroke, Ui, pos2, vec2,
};
use glam::{Vec2, Vec3};

use super::super::{ViewportState, overlay, pick};
use crate::ui::{
    Action, Actions, BrushHover, BrushNumber, StrokePhase, Theme, View, WeightLook,
    theme::Font,
    weight_marks::{hatch, heat_color, mask_gray, painted_layer},
    widgets::elided,
};
use crate::ui::{OutlinerAction, PaintAction, ViewportAction};
use ulna_model::{Document, Node};
use ulna_render::ColorRole;
use ulna_weights::{Radius, faces_eye, layers::Painted};

/// The pointer while painting. `free` where nothing else of the viewport has it.
pub fn brush_ui(
    state: &mut ViewportState,
    ui: &Ui,
    view: &View<'_>,
    rect: Rect,
    response: &Response,
    free: bool,
    actions: &mut Actions,
) {
    let size = Vec2::new(rect.width(), rect.height());
    let local = |p: Pos2| Vec2::new(p.x - rect.left(), p.y - rect.top());
    let pointer = ui.input(|i| i.pointer.hover_pos()).filter(|p| rect.contains(*p));
    let over = pointer.filter(|_| free && (response.hovered() || state.stroking));
    actions.push(PaintAction::BrushHover(over.map(|p| (local(p), size))));
    let (escape, enter) =
        ui.input(|i| (i.key_pressed(egui::Key::Escape), i.key_pressed(egui::Key::Enter)));
    if view.paint.adjusting.is_some() {
        if escape {
            actions.push(Action::Cancel);
        } else if enter || ui.input(|i| i.pointer.any_pressed()) {
            actions.push(PaintAction::AdjustBrush(None));
            state.swallow = true;
        }
        return;
    }
    // The click that ended a drag of a number paints nothing.
    if state.swallow {
        state.swallow = ui.input(|i| i.pointer.any_down());
        return;
    }
    // The modifiers of the press itself: those of the frame may be older.
    let held = ui.input(|i| {
        let of_press = i.events.iter().find_map(|e| match e {
            egui::Event::PointerButton {
                button: PointerButton::Primary,
                pressed: true,
                modifiers,
                ..
            } => Some(*modifiers),
            _ => None,
        });
        of_press.unwrap_or(i.modifiers)
    });
    let stroke = |phase, at: Pos2| PaintAction::Stroke {
        phase,
        at: local(at),
        size,
        pressure: pressure(ui),
        smooth: held.shift,
        invert: held.command,
    };
    if let Some(from) = state.gradient_from {
        let to = pointer.unwrap_or(from);
        if escape {
            state.gradient_from = None;
        } else if ui.input(|i| i.pointer.button_down(PointerButton::Primary)) {
            gradient(&ui.painter_at(rect), view, from, to);
        } else {
            state.gradient_from = None;
            if from.distance(to) > 2.0 {
                actions.push(PaintAction::Gradient { from: local(from), to: local(to), size });
            }
        }
        return;
    }
    if state.stroking {
        let at = response.interact_pointer_pos().or(pointer).unwrap_or(rect.center());
        if escape {
            actions.push(stroke(StrokePhase::Cancel, at));
            state.stroking = false;
        } else if !ui.input(|i| i.pointer.button_down(PointerButton::Primary)) {
            actions.push(stroke(StrokePhase::Move, at));
            actions.push(stroke(StrokePhase::End, at));
            state.stroking = false;
        } else if ui.input(|i| i.pointer.delta() != egui::Vec2::ZERO) {
            actions.push(stroke(StrokePhase::Move, at));
        }
        return;
    }
    if let Some(at) = over {
        let joint = pick::joint_at(view, local(at), size).filter(|n| {
            let canvas = view.paint.canvas;
            canvas.is_some_and(|c| c.joint(*n).is_some())
        });
        let pressed = ui.input(|i| i.pointer.button_pressed(PointerButton::Primary));
        if pressed && held.alt && held.command {
            state.picking = Some(vec![at]);
        } else if pressed && held.alt {
            // It turns the view.
        } else if pressed && view.paint.gradient.is_some() {
            state.gradient_from = Some(at);
        } else if pressed {
            actions.push(stroke(StrokePhase::Begin { joint }, at));
            state.stroking = true;
        }
        if view.paint.hover.is_none() && joint.is_some() {
            actions.push(ViewportAction::Hover(joint));
        }
        if response.secondary_clicked() {
            // Of this spot, and no other that was touched before.
            let here = view.paint.hover.filter(|h| h.at.distance(local(at)) < 4.0);
            let mut shares = here.map_or_else(Vec::new, |h| h.shares.clone());
            // The joint under the pointer, through the skin too, stands first.
            if let Some(joint) = joint {
                let share =
                    shares.iter().find(|(n, _)| *n == joint).map_or(0.0, |(_, share)| *share);
                shares.retain(|(n, _)| *n != joint);
                shares.insert(0, (joint, share));
            }
            if !shares.is_empty() {
                state.list_at = Some((at, shares));
            }
        }
    }
}

/// The line of a gradient that is being drawn: from all of the value to none.
fn gradient(painter: &Painter, view: &View<'_>, from: Pos2, to: Pos2) {
    let dark = casing(view.theme);
    let white = view.theme.color(ColorRole::ViewportBrush);
    painter.line_segment([from, to], Stroke::new(4.0, dark));
    painter.line_segment([from, to], Stroke::new(2.0, white));
    if view.paint.gradient == Some(true) {
        painter.circle_stroke(from, from.distance(to), Stroke::new(3.0, dark));
        painter.circle_stroke(from, from.distance(to), Stroke::new(1.0, white));
    }
    for (at, weight) in [(from, 1.0), (to, 0.0)] {
        painter.circle(at, 6.0, heat_color(weight), Stroke::new(3.0, dark));
        painter.circle(at, 6.0, heat_color(weight), Stroke::new(1.5, white));
    }
}

/// A pen's pressure, where the system tells it.
fn pressure(ui: &Ui) -> f32 {
    ui.input(|i| {
        i.events.iter().rev().find_map(|e| match e {
            egui::Event::Touch { force: Some(force), .. } => Some(*force),
            _ => None,
        })
    })
    .unwrap_or(1.0)
}

/// What a right click offers: the joints that hold the spot.
pub fn joint_list_ui(state: &mut ViewportState, ui: &Ui, view: &View<'_>, actions: &mut Actions) {
    let Some((at, shares)) = state.list_at.clone() else { return };
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let theme = view.theme;
    let area = egui::Area::new(egui::Id::unique("joints here"))
        .order(egui::Order::Foreground)
        .fixed_pos(at);
    let shown = area.show(ui.ctx(), |ui| {
        egui::Frame::popup(ui.style()).show(ui, |ui| {
            ui.set_min_width(180.0);
            ui.label(
                egui::RichText::new("Paint joint")
                    .font(Theme::font(Font::Caption))
                    .color(theme.color(ColorRole::TextTertiary)),
            );
            for (node, share) in &shares {
                let label = document.node(*node).label(*node);
                let number = egui::RichText::new(format!("{:.1} %", share * 100.0))
                    .font(Theme::font(Font::Number))
                    .color(theme.color(ColorRole::TextSecondary));
                let button = egui::Button::new(&label)
                    .shortcut_text(number)
                    .min_size(vec2(170.0, 24.0))
                    .frame_when_inactive(false);
                if ui.add(button).clicked() {
                    actions.push(OutlinerAction::Select { node: *node, toggle: false });
                    state.list_at = None;
                }
            }
            if shares.is_empty() {
                ui.label("No joint influences this point");
            }
        })
    });
    let elsewhere = ui.input(|i| {
        i.pointer.any_pressed()
            && i.pointer.interact_pos().is_some_and(|p| !shown.response.rect.contains(p))
    });
    if elsewhere || ui.input(|i| i.key_pressed(egui::Key::Escape)) {
        state.list_at = None;
    }
}

/// Vertices that are marked on the model: what floats over the picture covers them.
pub fn vertex_marks_ui(ui: &Ui, view: &View<'_>, rect: Rect) {
    let painter = ui.painter_at(rect);
    unpaired(&painter, view, rect);
    selected(&painter, view, rect);
}

/// What is drawn over the model while painting.
pub fn brush_overlay_ui(state: &ViewportState, ui: &Ui, view: &View<'_>, rect: Rect) {
    let painter = ui.painter_at(rect);
    pins(ui, &painter, view, rect);
    if let Some(hover) = view.paint.hover {
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
    if view.paint.canvas.is_some() {
        legend(ui, &painter, view, rect);
        faults(&painter, view, rect);
    }
    // The list of joints says the same, and lies here.
    if let (Some(hover), None) = (view.paint.hover, &state.list_at) {
        plate(ui, &painter, view, rect, hover);
    }
}

/// Where the painted side has no mirror image, while the other side is painted too: squares that
/// stand on a corner. Where there are so many that they would hide the model, those about the
/// brush.
fn unpaired(painter: &Painter, view: &View<'_>, rect: Rect) {
    const FEW: usize = 200;
    /// Beyond that nobody meant the sides to be alike, and each frame looks at all of them.
    const MOST: usize = 50_000;
    const HALF: f32 = 3.0;
    /// How far from the brush, in parts of its radius.
    const ABOUT: f32 = 1.5;
    let list = view.paint.unpaired.filter(|l| view.paint.brush.mirror && l.len() <= MOST);
    let (Some(canvas), Some(list)) = (view.paint.canvas, list) else { return };
    let camera = &view.viewport.camera;
    let project = camera.projector(Vec2::new(rect.width(), rect.height()));
    let brush = view.paint.hover.map(|hover| {
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
        let Some(place) = view.paint.posed.positions.get(*v as usize).filter(|p| p.is_finite())
        else {
            continue;
        };
        let sight = if camera.orthographic { camera.forward() } else { *place - camera.eye() };
        let Some((at, _)) = project(*place).filter(|(at, _)| about(*at)) else { continue };
        let at = pos2(at.x + rect.left(), at.y + rect.top());
        if rect.contains(at) && faces_eye(canvas, view.paint.posed, *v, sight) {
            diamond(at, HALF + 1.0, rim);
            diamond(at, HALF, fill);
        }
    }
    painter.add(Shape::mesh(marks));
}

/// Selected vertices, as dots: one mesh, however many there are.
fn selected(painter: &Painter, view: &View<'_>, rect: Rect) {
    const MOST: usize = 20_000;
    /// More lie so close that their rims would hide them.
    const RIMMED: usize = 4_000;
    let rimmed = view.paint.vertices.len() <= RIMMED;
    let size = Vec2::new(rect.width(), rect.height());
    let color = view.theme.color(ColorRole::SelectionBase);
    let halo = view.theme.color(ColorRole::SelectionOutline);
    let mut dots = egui::Mesh::default();
    let project = view.viewport.camera.projector(size);
    for v in view.paint.vertices.iter().take(MOST) {
        let Some(at) = view.paint.posed.positions.get(*v as usize).and_then(|p| project(*p)) else {
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

/// The worst spots where they are in the pose that is shown, by their numbers; the one that was
/// gone to says when and of which joint it is.
fn pins(ui: &Ui, painter: &Painter, view: &View<'_>, rect: Rect) {
    const SIZE: f32 = 9.0;
    /// Points from the brush within which a pin steps back, and what is left of it.
    const NEAR: f32 = 70.0;
    const FADED: f32 = 0.25;
    let theme = view.theme;
    let (Some(canvas), Some(session)) = (view.paint.canvas, view.session) else { return };
    if view.paint.stroking {
        return;
    }
    let document = session.document();
    let size = Vec2::new(rect.width(), rect.height());
    let (dark, light) = (casing(theme), theme.color(ColorRole::ViewportBrush));
    // The first lies over the others.
    for (k, spot) in view.paint.spots.iter().enumerate().rev() {
        let part =
            canvas.parts().iter().find(|p| p.node == spot.node && p.primitive == spot.primitive);
        let Some(vertex) = part.map(|p| p.first + spot.vertex) else { continue };
        let Some(place) = view.paint.posed.positions.get(vertex as usize).filter(|p| p.is_finite())
        else {
            continue;
        };
        let Some((at, _)) = view.viewport.camera.project(*place, size) else { continue };
        let at = pos2(at.x + rect.left(), at.y + rect.top());
        let head = at + vec2(0.0, -22.0);
        // The bar of the view lies there.
        if head.y < rect.top() + 56.0 || !rect.contains(at) {
            continue;
        }
        let gone_to = view.paint.spot == Some(k);
        // What is worked on is seen.
        let hover = view.paint.hover.map(|h| rect.min + vec2(h.at.x, h.at.y));
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
        // What the plate at the cursor says would lie over it.
        if gone_to && view.paint.hover.is_none() {
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

/// What lies under the white of the brush: dark in both themes, since white is white in both.
fn casing(theme: &Theme) -> Color32 {
    theme.color(ColorRole::JointEdge)
}

/// A closed line along the surface, white on dark; the inner one dashed.
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

/// Where a plate of a size lies in the picture beside a brush, or at its far rims where that is
/// large: to its right, its left, below it or above it; where it has room nowhere, in the corner
/// that leaves most of the brush.
fn beside(rect: Rect, ring: Rect, middle: Pos2, size: egui::Vec2) -> Rect {
    const GAP: f32 = 20.0;
    const FAR: f32 = 260.0;
    /// The bar of the view.
    const BAR: f32 = 48.0;
    let room = Rect::from_min_max(rect.min + vec2(8.0, BAR), rect.max - vec2(8.0, 8.0));
    let ring = ring.intersect(Rect::from_center_size(middle, egui::Vec2::splat(2.0 * FAR)));
    let (x, y) = (middle.x - size.x * 0.5, middle.y - size.y * 0.4);
    let along = |low: f32, least: f32, most: f32| low.clamp(least, most.max(least));
    let (x, y) = (
        along(x, room.left(), room.right() - size.x),
        along(y, room.top(), room.bottom() - size.y),
    );
    let sides = [
        pos2(ring.right() + GAP, y),
        pos2(ring.left() - GAP - size.x, y),
        pos2(x, ring.bottom() + GAP),
        pos2(x, ring.top() - GAP - size.y),
    ];
    let sides = sides.map(|at| Rect::from_min_size(at, size));
    if let Some(area) = sides.into_iter().find(|area| room.expand(0.5).contains_rect(*area)) {
        return area;
    }
    let (left, top) = (room.left(), room.top());
    let (right, bottom) = ((room.right() - size.x).max(left), (room.bottom() - size.y).max(top));
    let corners = [pos2(right, bottom), pos2(right, top), pos2(left, top), pos2(left, bottom)];
    let hidden = |area: &Rect| area.intersect(ring.expand(GAP)).size().max(egui::Vec2::ZERO);
    let corners = corners.map(|at| Rect::from_min_size(at, size));
    let least = corners.into_iter().min_by(|a, b| {
        let [a, b] = [hidden(a), hidden(b)].map(|s| s.x * s.y);
        a.total_cmp(&b)
    });
    least.unwrap_or(sides[0])
}

/// Who holds the spot, with bars, and what a dab would do.
fn plate(ui: &Ui, painter: &Painter, view: &View<'_>, rect: Rect, hover: &BrushHover) {
    let theme = view.theme;
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let size = Vec2::new(rect.width(), rect.height());
    let ring =
        hover.rim.iter().filter_map(|p| view.viewport.camera.project(*p, size)).map(|(p, _)| p);
    let middle = rect.min + vec2(hover.at.x, hover.at.y);
    let ring = ring.fold(Rect::from_center_size(middle, vec2(4.0, 4.0)), |all, p| {
        all.union(Rect::from_center_size(rect.min + vec2(p.x, p.y), egui::Vec2::ZERO))
    });
    let rows = hover.shares.len().min(5);
    let width = 220.0;
    let note = (!hover.note.is_empty()).then_some(&hover.note);
    let note = note.map(|n| {
        let color = theme.color(if hover.refused {
            ColorRole::SeverityWarning
        } else {
            ColorRole::TextTertiary
        });
        painter.layout(n.clone(), Theme::font(Font::Caption), color, width - 20.0)
    });
    let note_height = note.as_ref().map_or(0.0, |g| g.size().y + 6.0);
    let height = 28.0 + rows as f32 * 20.0 + note_height + 6.0;
    // What is written at the lower rim stays readable.
    let rim = if view.shown_clip().is_some() { 32.0 } else { 0.0 };
    let room = Rect::from_min_max(rect.min, rect.max - vec2(0.0, rim));
    let area = beside(room, ring, middle, vec2(width, height));
    painter.rect(
        area,
        4.0,
        theme.color(ColorRole::ViewportOverlay),
        Stroke::new(1.0, theme.color(ColorRole::StrokeSubtle)),
        egui::StrokeKind::Inside,
    );
    let text = |x: f32, y: f32, anchor, t: &str, font, color| {
        painter.text(pos2(x, y), anchor, t, font, color)
    };
    let y = area.top() + 15.0;
    text(
        area.left() + 10.0,
        y,
        Align2::LEFT_CENTER,
        "At the cursor",
        Theme::font(Font::Heading),
        theme.color(ColorRole::TextPrimary),
    );
    let vertex = format!("vertex {}", crate::ui::widgets::thousands(hover.vertex.1 as usize));
    text(
        area.right() - 10.0,
        y,
        Align2::RIGHT_CENTER,
        &vertex,
        Theme::font(Font::Caption),
        theme.color(ColorRole::TextTertiary),
    );
    let painted = view
        .paint
        .joint
        .zip(view.paint.canvas)
        .and_then(|(j, c)| c.joints().get(usize::from(j)).copied());
    for (k, (node, share)) in hover.shares.iter().take(rows).enumerate() {
        let y = area.top() + 36.0 + k as f32 * 20.0;
        let font = Theme::font(if painted == Some(*node) { Font::Heading } else { Font::Small });
        let color = theme.color(if painted == Some(*node) {
            ColorRole::SelectionText
        } else {
            ColorRole::TextPrimary
        });
        let label = elided(ui, &document.node(*node).label(*node), &font, 84.0);
        text(area.left() + 10.0, y, Align2::LEFT_CENTER, &label, font, color);
        let bar = Rect::from_min_max(
            pos2(area.left() + 98.0, y - 2.5),
            pos2(area.right() - 70.0, y + 2.5),
        );
        painter.rect_filled(bar, 2.0, theme.trough());
        let filled =
            Rect::from_min_size(bar.min, vec2(bar.width() * share.clamp(0.0, 1.0), bar.height()));
        painter.rect_filled(filled, 2.0, heat_color(*share));
        if view.paint.locked.contains(node) {
            hatch(ui, filled, theme);
        }
        let number = format!("{:.1} %", share * 100.0);
        text(
            area.right() - 10.0,
            y,
            Align2::RIGHT_CENTER,
            &number,
            Theme::font(Font::Number),
            theme.color(ColorRole::TextPrimary),
        );
    }
    if let Some(note) = note {
        let at = pos2(area.left() + 10.0, area.bottom() - note.size().y - 6.0);
        painter.galley(at, note, theme.color(ColorRole::TextTertiary));
    }
}

/// The number that is being dragged, beside the pointer.
fn adjusting(ui: &Ui, painter: &Painter, view: &View<'_>, rect: Rect) {
    let Some(number) = view.paint.adjusting else { return };
    let brush = view.paint.brush;
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
    overlay::haloed(
        painter,
        at + vec2(0.0, -24.0),
        Align2::CENTER_CENTER,
        &text,
        Theme::font(Font::Heading),
        view.theme.color(ColorRole::ViewportLabel),
        view.theme,
    );
}

/// Whether what is written over the model would leave little of it.
fn is_small(rect: Rect) -> bool {
    rect.width() < 520.0 || rect.height() < 460.0
}

/// The size of the legend's plate.
fn legend_size(rect: Rect) -> egui::Vec2 {
    if is_small(rect) { vec2(150.0, 54.0) } else { vec2(260.0, 60.0) }
}

/// What the colors mean.
fn legend(ui: &Ui, painter: &Painter, view: &View<'_>, rect: Rect) {
    let theme = view.theme;
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let parts = ["0", "0.25", "0.5", "0.75", "1"].map(str::to_owned);
    let stretch = ["1×", "1.4×", "2×", "2.8×", "4×"].map(str::to_owned);
    let mask = painted_layer(view).filter(|(_, p)| *p == Painted::Mask).map(|(name, _)| name);
    let (title, ends): (String, [String; 5]) = match view.paint.look {
        _ if mask.is_some() => (format!("Mask of {}", mask.unwrap_or_default()), parts),
        WeightLook::Joint => {
            let joint = view.paint.joint.zip(view.paint.canvas);
            let node = joint.and_then(|(j, c)| c.joints().get(usize::from(j)).copied());
            let Some(node) = node else { return };
            let when = if view.paint.before { ", as opened" } else { "" };
            (format!("Weight of {}{when}", document.node(node).label(node)), parts)
        }
        WeightLook::Strain => ("Stretch in this pose".into(), stretch),
        WeightLook::Volume => (
            "Volume loss in this pose".into(),
            ["0 %", "25 %", "50 %", "75 %", "100 %"].map(str::to_owned),
        ),
        WeightLook::Worst => ("Worst stretch, all poses".into(), stretch),
        WeightLook::Bytes | WeightLook::Shorts => {
            let bits = if view.paint.look == WeightLook::Bytes { 8 } else { 16 };
            let farthest = view.paint.farthest;
            if farthest > 0.0 {
                // In what it takes few digits in, whatever lengths are shown in elsewhere.
                let (unit, per_meter) = match farthest {
                    d if d >= 1.0 => ("m", 1.0),
                    d if d >= 1e-3 => ("mm", 1e3),
                    _ => ("µm", 1e6),
                };
                let most = farthest * per_meter;
                let places = (2.0 - most.log10().floor()).clamp(0.0, 3.0) as usize;
                let at = |k: usize| {
                    if k == 0 {
                        "0".into()
                    } else {
                        format!("{:.*}", places, most * k as f32 / 4.0)
                    }
                };
                (
                    format!("Error of {bits}-bit weights in this pose, {unit}"),
                    std::array::from_fn(at),
                )
            } else {
                (format!("No error with {bits}-bit weights"), Default::default())
            }
        }
        _ => return,
    };
    let clip = if view.shown_clip().is_some() { 32.0 } else { 0.0 };
    let size = legend_size(rect);
    let area =
        Rect::from_min_size(pos2(rect.left() + 8.0, rect.bottom() - 8.0 - size.y - clip), size);
    painter.rect_filled(area, 4.0, theme.color(ColorRole::ViewportOverlay));
    let small = Theme::font(Font::Caption);
    let note = match (mask.is_some(), view.paint.look) {
        _ if is_small(rect) => "",
        (true, _) => "clay: not in the layer",
        (false, WeightLook::Joint) if has_bare(document) => "gray: zero · dim: no skin",
        (false, WeightLook::Joint) => "gray: zero",
        _ => "",
    };
    let at = pos2(area.right() - 10.0, area.top() + 13.0);
    let noted = painter.text(
        at,
        Align2::RIGHT_CENTER,
        note,
        small.clone(),
        theme.color(ColorRole::TextTertiary),
    );
    let title = elided(ui, &title, &small, area.width() - noted.width() - 28.0);
    let at = area.min + vec2(10.0, 13.0);
    painter.text(
        at,
        Align2::LEFT_CENTER,
        title,
        small.clone(),
        theme.color(ColorRole::TextSecondary),
    );
    let bar = Rect::from_min_size(area.min + vec2(10.0, 25.0), vec2(area.width() - 20.0, 8.0));
    let steps = 48;
    for k in 0..steps {
        let x = |k: usize| bar.left() + bar.width() * k as f32 / steps as f32;
        let cell = Rect::from_min_max(pos2(x(k), bar.top()), pos2(x(k + 1), bar.bottom()));
        let part = (k as f32 + 0.5) / steps as f32;
        let color =
            if mask.is_some() { Color32::from_gray(mask_gray(part)) } else { heat_color(part) };
        painter.rect_filled(cell, 0.0, color);
    }
    let shown = |k: &usize| !is_small(rect) || k.is_multiple_of(4);
    for (k, text) in ends.into_iter().enumerate().filter(|(k, _)| shown(k)) {
        let anchor = match k {
            0 => Align2::LEFT_CENTER,
            4 => Align2::RIGHT_CENTER,
            _ => Align2::CENTER_CENTER,
        };
        let x = bar.left() + bar.width() * k as f32 / 4.0;
        let at = pos2(x, bar.bottom() + 13.0);
        painter.text(
            at,
            anchor,
            text,
            Theme::font(Font::NumberSmall),
            theme.color(ColorRole::TextSecondary),
        );
    }
}

/// Whether a mesh is shown that hangs on no skin.
fn has_bare(document: &Document) -> bool {
    let is_bare = |n: &Node| n.mesh.is_some() && n.skin.is_none();
    document.shown_nodes().into_iter().any(|n| is_bare(document.node(n)))
}

/// What is wrong with the weights, counted.
fn faults(painter: &Painter, view: &View<'_>, rect: Rect) {
    let theme = view.theme;
    let faults = view.paint.faults;
    let limit = view.paint.limit;
    let list = [
        (
            ColorRole::SeverityError,
            "No weights".to_owned(),
            faults.none + faults.negative + faults.not_numbers + faults.past,
        ),
        (ColorRole::SeverityWarning, format!("More than {limit}"), faults.many + faults.twice),
        (ColorRole::SeverityInfo, "Not normalized".to_owned(), faults.sum),
        (ColorRole::TimelineMarker, "Outliers".to_owned(), view.paint.strays),
    ];
    let small = Theme::font(Font::Caption);
    let shaped: Vec<_> = list
        .iter()
        .map(|(role, text, count)| {
            let color = theme.color(if *count > 0 {
                ColorRole::TextPrimary
            } else {
                ColorRole::TextSecondary
            });
            let text = painter.layout_no_wrap(text.clone(), small.clone(), color);
            let count = if view.paint.counting {
                "…".to_owned()
            } else {
                crate::ui::widgets::thousands(*count)
            };
            let number = painter.layout_no_wrap(count, Theme::font(Font::NumberSmall), color);
            (*role, text, number)
        })
        .collect();
    let width: f32 =
        shaped.iter().map(|(_, t, n)| t.size().x + n.size().x + 30.0).sum::<f32>() + 8.0;
    // Beside the legend of the ramp, where there is one; above it, where that leaves no room.
    let legend =
        !matches!(view.paint.look, WeightLook::All | WeightLook::Faults | WeightLook::Materials);
    let clip = if view.shown_clip().is_some() { 32.0 } else { 0.0 };
    let size = legend_size(rect);
    let up = if legend && width > rect.width() - size.x - 30.0 { size.y + 8.0 + clip } else { 0.0 };
    // In a small picture what is right is not said.
    let is_right = view.paint.counting || list.iter().all(|(.., count)| *count == 0);
    if width > rect.width() - 16.0 || (is_small(rect) && is_right) {
        return;
    }
    let area = Rect::from_min_size(
        pos2(rect.right() - width - 8.0, rect.bottom() - 36.0 - up),
        vec2(width, 28.0),
    );
    painter.rect_filled(area, 4.0, theme.color(ColorRole::ViewportOverlay));
    let mut x = area.left() + 12.0;
    for (role, text, number) in shaped {
        let y = area.center().y;
        painter.circle_filled(pos2(x, y), 3.5, theme.color(role));
        let color = theme.color(ColorRole::TextPrimary);
        let (tw, nw) = (text.size().x, number.size().x);
        painter.galley(pos2(x + 9.0, y - text.size().y * 0.5), text, color);
        painter.galley(pos2(x + 13.0 + tw, y - number.size().y * 0.5), number, color);
        x += tw + nw + 30.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plate_lies_in_the_picture_and_beside_the_brush_where_it_has_room() {
        let size = vec2(220.0, 120.0);
        let mut covered = 0;
        for (rect, radius) in
            [(vec2(974.0, 818.0), 64.0), (vec2(384.0, 420.0), 64.0), (vec2(384.0, 420.0), 400.0)]
        {
            let rect = Rect::from_min_size(pos2(257.0, 72.0), rect);
            for (i, j) in (0..=20).flat_map(|i| (0..=20).map(move |j| (i, j))) {
                let part = vec2(i as f32 / 20.0, j as f32 / 20.0);
                let middle = rect.min + rect.size() * part;
                let ring = Rect::from_center_size(middle, egui::Vec2::splat(2.0 * radius));
                let area = beside(rect, ring, middle, size);
                assert!(rect.contains_rect(area), "{part}: {area} of {rect}");
                if area.intersects(ring) {
                    covered += usize::from(radius < 100.0);
                }
                // What is under the pointer is seen.
                assert!(radius > 100.0 || !area.contains(middle), "{part}: {area}");
            }
        }
        // In the small picture there is no room beside a brush in its middle.
        assert!(covered < 60, "{covered}");
    }
}
