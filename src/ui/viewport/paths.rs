//! Motion paths of the selected joints over the clip. Each frame is a dot, so the spacing shows the
//! speed; keys are paler dots. Dragging a key moves the joint at the key's time, and its limb
//! follows.

use egui::{Pos2, Rect, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};
use glam::{Vec2, Vec3};

use crate::ui::{Action, Actions, Theme, TimelineAction, View, theme::Font};
use ulna_edit::{
    Command, Scene,
    command::{
        Body, DocumentCommand, DragLimb, EndAngle, KeyCommand, PoseDestination, SetKey,
        field::{ClipName, Nodes, Seconds},
    },
};
use ulna_model::{ClipId, Document, NodeId};
use ulna_motion::MotionPath;
use ulna_render::ColorRole;

/// Drag of a key on a motion path.
#[derive(Clone, Debug)]
pub struct PathDrag {
    node: NodeId,
    time: f32,
    /// Position of the key at the start of the drag, in scene space.
    from: Vec3,
    /// Document at the start of the drag, used to find the joints that follow.
    document: Document,
    /// Pointer at the start of the drag.
    start: Pos2,
}

/// Maximum distance of the pointer from a dot under it, in points.
const NEAR: f32 = 8.0;
/// Maximum number of keys for draggable handles. Motion capture has a key per frame, which would be
/// too many.
const HANDLES: usize = 160;

pub fn paths_ui(
    drag: &mut Option<PathDrag>,
    ui: &Ui,
    view: &View<'_>,
    rect: Rect,
    actions: &mut Actions,
) -> bool {
    let paths = view.viewport.paths;
    if paths.is_empty() && drag.is_none() {
        return false;
    }
    let size = Vec2::new(rect.width(), rect.height());
    let place = |p: Vec3| {
        let (p, _) = view.viewport.camera.project(p, size)?;
        Some(pos2(p.x + rect.left(), p.y + rect.top()))
    };
    let painter = ui.painter_at(rect);
    let color = view.theme.color(ColorRole::ViewportPath);
    let pale = view.theme.color(ColorRole::ViewportLabel);
    let now = view.timeline.playback.time as f32;
    let mut pointed: Option<(f32, &MotionPath, usize, Pos2)> = None;
    let pointer = ui.input(|i| i.pointer.hover_pos()).filter(|p| rect.contains(*p));
    for path in paths {
        let seen: Vec<Option<Pos2>> = path.places.iter().map(|p| place(p.at)).collect();
        for (k, ends) in seen.windows(2).enumerate() {
            let ([Some(a), Some(b)], is_past) = ([ends[0], ends[1]], path.places[k].time < now)
            else {
                continue;
            };
            let strength = if is_past { 0.45 } else { 0.9 };
            painter.line_segment([a, b], Stroke::new(1.5, color.gamma_multiply(strength)));
        }
        // Seen from afar, the dots of a motion capture would cover the path.
        let length: f32 = seen.windows(2).filter_map(|w| Some(w[0]?.distance(w[1]?))).sum();
        let key_size = (length / seen.len() as f32 * 0.45).clamp(1.8, 4.0);
        for (k, (at, about)) in seen.iter().zip(&path.places).enumerate() {
            let Some(at) = *at else { continue };
            if about.is_key {
                painter.circle(at, key_size, pale, Stroke::new(1.0, color));
            } else {
                painter.circle_filled(at, key_size.min(1.8), color);
            }
            let far = pointer.map_or(f32::INFINITY, |p| p.distance(at))
                - if about.is_key { 2.0 } else { 0.0 };
            if far < NEAR && pointed.is_none_or(|(best, ..)| far < best) {
                pointed = Some((far, path, k, at));
            }
        }
        // Mark the current position.
        if let Some(at) = seen
            .iter()
            .zip(&path.places)
            .find(|(_, p)| p.time >= now - 1e-4)
            .and_then(|(at, _)| *at)
        {
            painter.circle_stroke(at, 6.5, Stroke::new(1.5, color));
        }
    }
    let taken = handles(drag, ui, view, rect, actions, &place);
    if let (Some((_, path, k, at)), true) = (pointed, drag.is_none()) {
        let about = path.places[k];
        let frame = f64::from(about.time) * view.timeline.playback.fps;
        let unit = view.settings.length;
        let speed = path.speed(k) * unit.per_meter();
        let label = view
            .session
            .map_or_else(String::new, |s| s.document().node(path.node).label(path.node));
        let text = format!(
            "{label}, frame {frame:.0}, {speed:.*} {}/s",
            if unit.per_meter() > 50.0 { 0 } else { 2 },
            unit.sign()
        );
        plate(&painter, view.theme, at, text);
    }
    taken
}

/// Draws a text label beside a point.
fn plate(painter: &egui::Painter, theme: &Theme, at: Pos2, text: String) {
    let ink = theme.color(ColorRole::ViewportLabel);
    let text = painter.layout_no_wrap(text, Theme::font(Font::Caption), ink);
    let plate = Rect::from_min_size(at + vec2(12.0, -26.0), text.size() + vec2(12.0, 6.0));
    painter.add(Shape::rect_filled(plate, 4.0, theme.color(ColorRole::ViewportOverlay)));
    painter.galley(plate.min + vec2(6.0, 3.0), text, ink);
}

/// Handles of the keys. A click moves the playhead to the key's time, and a drag moves the joint at
/// that time.
fn handles(
    drag: &mut Option<PathDrag>,
    ui: &Ui,
    view: &View<'_>,
    rect: Rect,
    actions: &mut Actions,
    place: &dyn Fn(Vec3) -> Option<Pos2>,
) -> bool {
    let (Some(session), Some(clip)) = (view.session, view.shown_clip()) else { return false };
    let document = session.document();
    let mut taken = drag.is_some();
    let keys: usize =
        view.viewport.paths.iter().map(|p| p.places.iter().filter(|k| k.is_key).count()).sum();
    let pointer = ui.input(|i| i.pointer.latest_pos());
    let mut handled = Vec::new();
    for path in view.viewport.paths.iter().filter(|_| keys <= HANDLES) {
        for about in path.places.iter().filter(|p| p.is_key) {
            // The gizmo is at the joint's current position.
            let is_now = drag.is_none()
                && (f64::from(about.time) - view.timeline.playback.time).abs() < 1e-3;
            if let Some(at) = place(about.at).filter(|at| rect.contains(*at) && !is_now) {
                handled.push((pointer.map_or(0.0, |p| p.distance(at)), path, about, at));
            }
        }
    }
    // Put the handle nearest to the pointer on top of the others.
    handled.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, path, about, at) in handled {
        let frame = (f64::from(about.time) * view.timeline.playback.fps).round();
        let id = ui.scope_id().with(("path key", path.node, about.time.to_bits()));
        let response =
            ui.interact(Rect::from_center_size(at, vec2(12.0, 12.0)), id, Sense::click_and_drag());
        let label = document.node(path.node).label(path.node);
        response.widget_info(|| {
            WidgetInfo::labeled(Role::Button, true, format!("Path key of {label} at frame {frame}"))
        });
        taken |= response.hovered() || response.dragged();
        if response.clicked() {
            actions.push(TimelineAction::Seek(f64::from(about.time)));
        }
        if response.drag_started() && drag.is_none() {
            let start = ui.input(|i| i.pointer.press_origin()).unwrap_or(at);
            *drag = Some(PathDrag {
                node: path.node,
                time: about.time,
                from: about.at,
                document: document.clone(),
                start,
            });
            actions.push(TimelineAction::Seek(f64::from(about.time)));
        }
    }
    drag_ui(drag, ui, view, rect, clip, actions) || taken
}

/// Moves the dragged key to the pointer. Returns whether a key is being dragged.
fn drag_ui(
    drag: &mut Option<PathDrag>,
    ui: &Ui,
    view: &View<'_>,
    rect: Rect,
    clip: ClipId,
    actions: &mut Actions,
) -> bool {
    let Some(held) = drag else { return false };
    if ui.input(|i| i.key_pressed(egui::Key::Escape)) {
        actions.push(Action::Cancel);
        *drag = None;
        return true;
    }
    let Some(at) = ui.input(|i| i.pointer.latest_pos()) else { return true };
    if at.distance(held.start) > 1.0
        && let Some(preview) = held.moved(view, rect, clip, at)
    {
        actions.push(preview);
    }
    if ui.input(|i| !i.pointer.primary_down()) {
        actions.push(Action::Commit);
        *drag = None;
    }
    true
}

impl PathDrag {
    /// Creates the edit that moves the joint to the pointer at the key's time.
    fn moved(&self, view: &View<'_>, rect: Rect, clip: ClipId, at: Pos2) -> Option<Action> {
        let size = Vec2::new(rect.width(), rect.height());
        let ray = |p: Pos2| {
            view.viewport.camera.ray(Vec2::new(p.x - rect.left(), p.y - rect.top()), size)
        };
        // Move in the plane through the start position that faces the camera.
        let normal = view.viewport.camera.forward();
        let meets = |p: Pos2| {
            let ray = ray(p);
            let along = ray.direction.dot(normal);
            (along.abs() > 1e-6).then(|| {
                ray.origin + ray.direction * ((self.from - ray.origin).dot(normal) / along)
            })
        };
        let (begin, end) = (meets(self.start)?, meets(at)?);
        let label = format!("Move {} on its path", self.document.node(self.node).label(self.node));
        let reach = view.viewport.reach;
        let make = |over: PoseDestination| DragLimb {
            node: Nodes::one(self.node),
            to: self.from + (end - begin),
            chain: reach.chain,
            swivel: None,
            tip: None,
            end: Some(if reach.keeps { EndAngle::Keep } else { EndAngle::Follow }),
            soft: Some(reach.soft),
            limits: reach.limits.then_some(true),
            plant: None,
            body: Some(Body::Limb),
            over,
        };
        let over = PoseDestination::clip(clip, self.time).in_layer(view.layers.written);
        let asked = DocumentCommand::Ik(make(over.clone()).into());
        let nodes: Vec<NodeId> = asked
            .wanted(&Scene::new(&self.document))
            .unwrap_or_default()
            .into_iter()
            .map(|(n, _)| n)
            .collect();
        if nodes.is_empty() {
            return None;
        }
        let key = SetKey {
            interpolation: Some(view.settings.new_keys),
            ..SetKey::new(ClipName::Id(clip), Seconds(self.time), Nodes::Ids(nodes))
        };
        // Without a layer, the joint is keyed at this time. If a layer is edited, the move itself
        // changes the layer: at this time if the joint has keys there, otherwise over the whole
        // clip.
        let mut commands = vec![Command::from(make(over))];
        if view.layers.written.is_none() {
            commands.push(KeyCommand::from(key).into());
        }
        Some(Action::Preview { label, commands })
    }
}
