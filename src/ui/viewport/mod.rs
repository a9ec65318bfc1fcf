//! The viewport: the picture of the model, what the pointer does in it, and what is drawn over it.

mod axes;
mod brush;
mod gizmo;
mod overlay;
mod pick;

use egui::{PointerButton, Rect, Role, Sense, Ui, WidgetInfo, pos2};
use glam::Vec2;

use super::{Action, Actions, Tool, VertexArea, VertexPick, View, settings::Orbit};
use crate::render::ColorRole;
use crate::{edit::Mode, render::Camera, weights::Radius};

/// What the viewport keeps.
#[derive(Clone, Debug, Default)]
pub struct ViewportState {
    ring: Option<gizmo::RingDrag>,
    marquee: Option<egui::Pos2>,
    /// A stroke is under way.
    stroking: bool,
    /// The press that ended another gesture is still down.
    swallow: bool,
    /// On egui's clock: since when there is a file without a picture.
    empty_since: Option<f64>,
    /// A gradient begins here.
    gradient_from: Option<egui::Pos2>,
    /// The line of a drag that selects vertices.
    picking: Option<Vec<egui::Pos2>>,
    /// Where the joints of a spot are offered, and which.
    list_at: Option<(egui::Pos2, Vec<(crate::model::NodeId, f32)>)>,
}

impl ViewportState {
    /// A gesture was ended elsewhere: the press that is still down means nothing any more.
    pub fn end_gestures(&mut self) {
        self.swallow |= self.ring.take().is_some() || std::mem::take(&mut self.stroking);
        self.marquee = None;
        self.gradient_from = None;
    }
}

pub fn viewport_ui(state: &mut ViewportState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let rect = ui.available_rect_before_wrap();
    let response = ui.allocate_rect(rect, Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, "Viewport"));
    let painter = ui.painter_at(rect);
    actions.push(Action::ViewportSize(Vec2::new(rect.width(), rect.height())));
    if let Some(texture) = view.texture {
        painter.image(texture, rect, Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0)), egui::Color32::WHITE);
    } else {
        painter.rect_filled(rect, 0.0, theme.color(ColorRole::ViewportBackground));
    }
    if view.session.is_none() {
        let text = if view.job.is_some() { "Opening…" } else { "Drop a glTF file here, or open one with Ctrl+O" };
        painter.text(
            rect.center(),
            egui::Align2::CENTER_CENTER,
            text,
            super::Theme::font(super::theme::Font::Body),
            theme.color(ColorRole::TextSecondary),
        );
        return;
    }
    let size = Vec2::new(rect.width(), rect.height());
    let local = |p: egui::Pos2| Vec2::new(p.x - rect.left(), p.y - rect.top());
    // What lies over the picture is seen from where the picture will be, which is drawn when the frame's input is taken up.
    let moved;
    let view = if let Some(camera) = navigate(ui, view, &response, rect) {
        actions.push(Action::Camera(camera));
        moved = View { camera, ..view.clone() };
        &moved
    } else {
        view
    };
    say_what_is_awaited(state, ui, view, rect);
    let pointer = response.hover_pos().or(response.interact_pointer_pos());
    let over_overlay = overlay::buttons_ui(ui, view, rect, actions) | axes::corner_ui(ui, view, rect, actions);
    if view.mode == Mode::Paint {
        brush::brush_ui(state, ui, view, rect, &response, !over_overlay, actions);
        vertex_drag(state, ui, view, rect, actions);
        brush::overlay_ui(state, ui, view, rect);
        brush::list_ui(state, ui, view, actions);
        overlay::overlay_ui(ui, view, rect);
        return;
    }
    // What was let go elsewhere is let go until the button is.
    state.swallow &= ui.input(|i| i.pointer.any_down());
    let gizmo_has_it = state.swallow
        || view.tool == Tool::Rotate && gizmo::gizmo_ui(&mut state.ring, ui, view, rect, &response, actions);
    let covered = view.dialog.is_some() || egui::Popup::is_any_open(ui.ctx());
    if !gizmo_has_it && !over_overlay && !covered {
        let modifiers = ui.input(|i| i.modifiers);
        let joint = pointer.filter(|_| response.hovered()).and_then(|p| pick::joint_at(view, local(p), size));
        if response.hovered() && joint.is_some() {
            actions.push(Action::Hover(joint));
        }
        let toggle = modifiers.shift || modifiers.command;
        if response.clicked()
            && !modifiers.alt
            && let Some(at) = response.interact_pointer_pos()
        {
            match pick::joint_at(view, local(at), size) {
                Some(node) => actions.push(Action::Select { node, toggle }),
                None => actions.push(Action::PickSurface { at: local(at), size, toggle }),
            }
        }
        if response.drag_started_by(PointerButton::Primary) && !modifiers.alt {
            state.marquee = ui.input(|i| i.pointer.press_origin());
        }
    }
    if let Some(from) = state.marquee {
        let to = ui.input(|i| i.pointer.hover_pos()).unwrap_or(from);
        let area = Rect::from_two_pos(from, to);
        painter.rect(
            area,
            0.0,
            theme.color(ColorRole::TimelineBoxFill),
            egui::Stroke::new(1.0, theme.color(ColorRole::TimelineBoxStroke)),
            egui::StrokeKind::Inside,
        );
        if response.drag_stopped() {
            let inside = |p: Vec2| area.contains(pos2(p.x + rect.left(), p.y + rect.top()));
            let nodes = pick::joints_in(view, size, &inside);
            actions.push(Action::SelectMany { nodes, add: ui.input(|i| i.modifiers.shift) });
            state.marquee = None;
        } else if !response.dragged() {
            state.marquee = None;
        }
    }
    overlay::overlay_ui(ui, view, rect);
}

/// Vertices are selected with Ctrl and Alt held: by a box, a lasso, or the brush; with Shift, too, it adds.
fn vertex_drag(state: &mut ViewportState, ui: &Ui, view: &View<'_>, rect: Rect, actions: &mut Actions) {
    let Some(line) = &mut state.picking else { return };
    let theme = view.theme;
    let painter = ui.painter_at(rect);
    if let Some(at) = ui.input(|i| i.pointer.hover_pos())
        && line.last().is_none_or(|last| last.distance(at) > 2.0)
    {
        line.push(at);
    }
    let (Some(from), Some(to)) = (line.first().copied(), line.last().copied()) else { return };
    let stroke = egui::Stroke::new(1.0, theme.color(ColorRole::TimelineBoxStroke));
    let radius = match view.paint.brush.radius {
        Radius::Pixels(points) => points,
        Radius::Scene(metres) => metres / view.camera.metres_per_point(view.camera.distance, rect.height()).max(1e-12),
    };
    match view.paint.pick {
        VertexPick::Box => {
            let area = Rect::from_two_pos(from, to);
            painter.rect(area, 0.0, theme.color(ColorRole::TimelineBoxFill), stroke, egui::StrokeKind::Inside);
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
    let area = match view.paint.pick {
        _ if still => VertexArea::Here,
        VertexPick::Box => VertexArea::Box(local(box_of.min), local(box_of.max)),
        VertexPick::Lasso => VertexArea::Lasso(path),
        VertexPick::Brush => VertexArea::Brush(path, radius),
    };
    let size = Vec2::new(rect.width(), rect.height());
    actions.push(Action::SelectVerticesIn { area, size, add: ui.input(|i| i.modifiers.shift) });
    state.picking = None;
}

/// A file's tree is there before its picture.
fn say_what_is_awaited(state: &mut ViewportState, ui: &Ui, view: &View<'_>, rect: Rect) {
    // Seconds after which it is said: most pictures come sooner.
    const PATIENCE: f64 = 0.3;
    if view.texture.is_some() {
        state.empty_since = None;
        return;
    }
    let now = ui.input(|i| i.time);
    let left = *state.empty_since.get_or_insert(now) + PATIENCE - now;
    if left > 0.0 {
        ui.ctx().request_repaint_after_secs(left as f32);
        return;
    }
    let text = if view.job.is_some() { "Preparing the picture…" } else { "There is no picture of this file" };
    let font = super::Theme::font(super::theme::Font::Body);
    let color = view.theme.color(ColorRole::TextSecondary);
    ui.painter_at(rect).text(rect.center(), egui::Align2::CENTER_CENTER, text, font, color);
}

/// Orbit, pan and zoom: the camera, if it moves.
fn navigate(ui: &Ui, view: &View<'_>, response: &egui::Response, rect: Rect) -> Option<Camera> {
    let mut camera = view.camera;
    let (modifiers, scroll, zoom) = ui.input(|i| (i.modifiers, i.smooth_scroll_delta(), i.zoom_delta()));
    let drag = response.drag_delta();
    let drag = Vec2::new(drag.x, drag.y);
    let settings = view.settings;
    let turn = |camera: &mut Camera| match settings.orbit {
        Orbit::Turntable => camera.orbit(drag * settings.orbit_speed),
        Orbit::Trackball => camera.tumble(drag * settings.orbit_speed),
    };
    let middle = response.dragged_by(PointerButton::Middle);
    // While painting, Ctrl beside it is a box around vertices.
    let picks = view.mode == Mode::Paint && modifiers.command;
    let primary = response.dragged_by(PointerButton::Primary) && modifiers.alt && !picks;
    let secondary = response.dragged_by(PointerButton::Secondary);
    if (middle && !modifiers.shift && !modifiers.alt) || primary {
        turn(&mut camera);
    } else if middle || (secondary && modifiers.shift) {
        camera.pan(drag, rect.height());
    } else if secondary && modifiers.alt {
        camera.zoom(
            (-drag.x * 0.01).exp(),
            Vec2::new(rect.width(), rect.height()) * 0.5,
            Vec2::new(rect.width(), rect.height()),
        );
    } else if secondary {
        turn(&mut camera);
    }
    if response.hovered()
        && let Some(at) = response.hover_pos()
    {
        let factor = if zoom == 1.0 {
            (-scroll.y * if settings.reverse_wheel { -0.0022 } else { 0.0022 }).exp()
        } else {
            1.0 / zoom
        };
        if factor != 1.0 {
            let middle = Vec2::new(rect.width(), rect.height()) * 0.5;
            let under = Vec2::new(at.x - rect.left(), at.y - rect.top());
            let at = if settings.zoom_to_pointer { under } else { middle };
            camera.zoom(factor, at, Vec2::new(rect.width(), rect.height()));
        }
    }
    (camera != view.camera).then_some(camera)
}
