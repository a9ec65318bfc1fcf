//! Joints of the *Bind* panel over the viewport. Checked joints are filled and drawn with their
//! bones; others are hollow.

use egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, Ui, pos2};
use glam::{Vec2, Vec3};

use crate::ui::{Dialog, View};
use ulna_edit::command::field::BindBy;
use ulna_model::NodeId;
use ulna_render::ColorRole;

/// Radius of the joint marks, in points.
const RADIUS: f32 = 4.0;
/// Maximum number of drawn joints, because more would hide the model.
const MOST: usize = 512;

/// Draws the joints to bind to, while the panel is open.
pub fn bind_joints_ui(ui: &Ui, view: &View<'_>, rect: Rect) {
    let (Some(Dialog::Bind { draft }), Some(session)) = (view.dialogs.open, view.session) else {
        return;
    };
    let document = session.document();
    let painter = ui.painter_at(rect);
    let size = Vec2::new(rect.width(), rect.height());
    let place = |node: NodeId| {
        let at = view.pose.world.get(node.index())?.w_axis.truncate();
        let (p, _) = view.viewport.camera.project(at, size)?;
        Some(pos2(p.x + rect.left(), p.y + rect.top()))
    };
    let theme = view.theme;
    let (accent, amber) =
        (theme.color(ColorRole::AccentBase), theme.color(ColorRole::SelectionBase));
    let quiet = theme.color(ColorRole::TextTertiary);
    let joints = view.dialogs.bind.joints;
    let is_there = |node: NodeId| document.nodes.contains(node);
    for joint in joints.iter().filter(|j| is_there(j.node)).take(MOST) {
        let Some(at) = place(joint.node) else { continue };
        if !draft.is_ticked(joint) {
            painter.circle_stroke(at, RADIUS - 1.0, Stroke::new(1.0, quiet));
            continue;
        }
        let above = document.node(joint.node).parent;
        let is_listed = |node: &NodeId| {
            joints.iter().any(|other| other.node == *node && draft.is_ticked(other))
        };
        if let Some(parent) = above.filter(is_listed).and_then(place) {
            painter.line_segment([parent, at], Stroke::new(1.5, accent.gamma_multiply(0.7)));
        }
        let factor = draft.envelope.filter(|_| draft.method == BindBy::Distance);
        if let Some(factor) = factor {
            let of_joint = view.viewport.bones.iter().filter(|bone| bone.joint == joint.node);
            for bone in of_joint {
                let radius = factor * bone.head.distance(bone.tail);
                let color = accent.gamma_multiply(0.45);
                capsule(&painter, view, (rect, size), [bone.head, bone.tail], (radius, color));
            }
        }
        let is_selected = view.selection.nodes.contains(&joint.node);
        let is_pointed = view.hover == Some(joint.node);
        let color = if is_selected { amber } else { accent };
        let radius = if is_pointed { RADIUS + 2.0 } else { RADIUS };
        painter.circle(at, radius, color, Stroke::new(1.0, Color32::BLACK));
    }
}

/// Draws the outline of an envelope: all points within a distance of a bone.
fn capsule(
    painter: &Painter,
    view: &View<'_>,
    (rect, size): (Rect, Vec2),
    ends: [Vec3; 2],
    (radius, color): (f32, Color32),
) {
    /// Number of segments of each half circle.
    const STEPS: usize = 16;
    let camera = &view.viewport.camera;
    let seen = ends.map(|end| {
        let (at, depth) = camera.project(end, size)?;
        let unit = camera.meters_per_point(depth, size.y);
        Some((at, radius / unit.max(f32::MIN_POSITIVE)))
    });
    let [Some((a, near)), Some((b, far))] = seen else { return };
    let along = (b - a).try_normalize().unwrap_or(Vec2::X);
    let half = |center: Vec2, radius: f32, forward: Vec2| {
        (0..=STEPS).map(move |k| {
            let angle = std::f32::consts::PI * (k as f32 / STEPS as f32 - 0.5);
            let p = center + Vec2::from_angle(angle).rotate(forward) * radius;
            pos2(p.x + rect.left(), p.y + rect.top())
        })
    };
    let outline: Vec<Pos2> = half(b, far, along).chain(half(a, near, -along)).collect();
    painter.add(Shape::closed_line(outline, Stroke::new(1.0, color)));
}
