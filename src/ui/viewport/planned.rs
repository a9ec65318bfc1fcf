//! Preview of a plan over the viewport: current joint positions (dashed) and new ones.

use egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, Ui, pos2, vec2};
use glam::{Vec2, Vec3};

use crate::ui::{PlannedJoint, View};
use ulna_render::ColorRole;

/// Radius of the rings, in points.
const RING: f32 = 6.0;
/// Length of the new axes, in points.
const AXIS: f32 = 34.0;

/// Draws the joint changes of the current plan.
pub fn planned_ui(ui: &Ui, view: &View<'_>, rect: Rect) {
    let joints = view.dialogs.plan.joints;
    if joints.is_empty() {
        return;
    }
    let painter = ui.painter_at(rect);
    let size = Vec2::new(rect.width(), rect.height());
    let camera = view.viewport.camera;
    let place = |p: Vec3| {
        let (p, _) = camera.project(p, size)?;
        Some(pos2(p.x + rect.left(), p.y + rect.top()))
    };
    let (before, after) =
        (view.theme.color(ColorRole::ViewportGhostBefore), view.theme.color(ColorRole::AccentBase));
    for joint in joints {
        let [was, now, parent] =
            [joint.before, joint.after, joint.parent].map(|p| p.and_then(place));
        if let (Some(now), Some(parent)) = (now, parent) {
            let soft = Stroke::new(1.5, after.gamma_multiply(0.8));
            painter.extend(Shape::dashed_line(&[parent, now], soft, 4.0, 3.0));
        }
        let moves = was.zip(now).filter(|(was, now)| was.distance(*now) > 1.5);
        if let Some(was) = was.filter(|_| moves.is_some() || now.is_none()) {
            ring(&painter, was, before);
        }
        if let Some((was, now)) = moves {
            painter.extend(Shape::dotted_line(&[was, now], before, 4.0, 1.0));
        }
        if let Some(now) = now {
            if joint.is_turned {
                axes(&painter, view, now, joint, &place);
            }
            painter.circle(now, RING - 2.0, after, Stroke::new(1.5, Color32::BLACK));
        }
    }
}

/// Draws a dashed ring.
fn ring(painter: &Painter, at: Pos2, color: Color32) {
    let points: Vec<Pos2> = (0..=24)
        .map(|k| {
            let angle = k as f32 / 24.0 * std::f32::consts::TAU;
            at + vec2(angle.cos(), angle.sin()) * RING
        })
        .collect();
    painter.extend(Shape::dashed_line(&points, Stroke::new(1.5, color), 3.0, 2.5));
}

/// Draws the new axes of a joint, foreshortened as seen by the camera.
fn axes(
    painter: &Painter,
    view: &View<'_>,
    at: Pos2,
    joint: &PlannedJoint,
    place: &dyn Fn(Vec3) -> Option<Pos2>,
) {
    let Some(middle) = joint.after else { return };
    let roles = [ColorRole::AxisX, ColorRole::AxisY, ColorRole::AxisZ];
    // A small step relative to the camera distance shows the direction without perspective
    // distortion.
    let step = view.viewport.camera.eye().distance(middle) * 0.01;
    let ends = joint.axes.map(|axis| place(middle + axis * step).map(|end| end - at));
    let longest = ends.iter().flatten().map(|way| way.length()).fold(0.0, f32::max);
    if longest <= 0.0 {
        return;
    }
    for (way, role) in ends.into_iter().zip(roles) {
        let Some(way) = way else { continue };
        let end = at + way * (AXIS / longest);
        painter.line_segment([at, end], Stroke::new(2.5, view.theme.color(role)));
    }
}
