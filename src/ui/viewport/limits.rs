//! Rotation limits of the joints of a dragged limb: an arc per joint, with a needle at the current
//! angle.

use egui::{Align2, Pos2, Rect, Shape, Stroke, Ui, pos2, vec2};
use glam::{Mat3, Vec2, Vec3};

use super::haloed::haloed;
use crate::ui::{Theme, View, theme::Font};
use ulna_edit::command::ToolCommand;
use ulna_geometry::orthogonal_factor;
use ulna_model::NodeId;
use ulna_motion::{ik, limits_of};
use ulna_render::ColorRole;

const RADIUS: f32 = 52.0;
/// Angle from the end of the range within which a joint counts as at its limit, in radians.
const AT_END: f32 = 0.07;

/// Draws the rotation limits while the IK tool is active and limits are on.
pub fn limits_ui(ui: &Ui, view: &View<'_>, rect: Rect) {
    let drags = view.tool() == Some(ToolCommand::Drag);
    let Some(document) =
        view.session.map(|s| s.document()).filter(|_| drags && view.viewport.reach.limits)
    else {
        return;
    };
    let Some(active) = view.selection.active else { return };
    let Some(limb) = ik::limb_of(document, view.pose, active, view.viewport.reach.chain, false)
    else {
        return;
    };
    let joints: Vec<NodeId> = limb.turns.iter().map(|k| limb.nodes[*k]).collect();
    let theme = view.theme;
    let painter = ui.painter_at(rect);
    let size = Vec2::new(rect.width(), rect.height());
    let camera = &view.viewport.camera;
    for (node, range) in limits_of(document, &joints) {
        let world = view.pose.world[node.index()];
        let head = world.w_axis.truncate();
        let Some((at, depth)) = camera.project(head, size) else { continue };
        let Some(parent) = orthogonal_factor(&view.pose.parent_world(document, node).as_dmat4())
        else {
            continue;
        };
        let rest = document.node(node).rest.transform().rotation;
        let rotation = view.pose.local[node.index()].transform().rotation;
        let angles = range.angles(rest, rotation);
        // Show the rotation about the main axis only.
        let from_rest = parent.as_mat3() * Mat3::from_quat(rest);
        let axis = from_rest * range.axes[0];
        let next = limb.nodes.iter().position(|n| *n == node).and_then(|k| limb.nodes.get(k + 1));
        let bone = next.map_or(Vec3::Y, |n| document.node(*n).rest.transform().translation);
        let zero = (from_rest * bone).reject_from(axis).normalize_or(axis.any_orthonormal_vector());
        let side = axis.cross(zero);
        let reach = camera.meters_per_point(depth, size.y) * RADIUS;
        let on = |angle: f32| -> Option<Pos2> {
            let (p, _) =
                camera.project(head + (zero * angle.cos() + side * angle.sin()) * reach, size)?;
            Some(pos2(p.x + rect.left(), p.y + rect.top()))
        };
        let center = pos2(at.x + rect.left(), at.y + rect.top());
        let (low, high, now) = (range.low.x, range.high.x, angles.x);
        let arc: Vec<Pos2> =
            (0..=32).filter_map(|k| on(low + (high - low) * k as f32 / 32.0)).collect();
        let ends = now < low + AT_END || now > high - AT_END;
        let color =
            theme.color(if ends { ColorRole::SeverityWarning } else { ColorRole::ViewportLabel });
        for pair in arc.windows(2) {
            let part = vec![center, pair[0], pair[1]];
            painter.add(Shape::convex_polygon(part, color.gamma_multiply(0.1), Stroke::NONE));
        }
        for end in [low, high] {
            if let Some(tick) = on(end) {
                let out = (tick - center).normalized() * 4.0;
                painter.line_segment([tick - out, tick + out], Stroke::new(1.5, color));
            }
        }
        painter.add(Shape::line(arc, Stroke::new(1.5, color.gamma_multiply(0.85))));
        if let Some(hand) = on(now) {
            painter.line_segment([center, hand], Stroke::new(2.0, color));
            let text =
                format!("{:.0}° of {:.0}°", (now - low).to_degrees(), (high - low).to_degrees());
            let font = Theme::font(Font::NumberSmall);
            haloed(&painter, hand + vec2(8.0, 0.0), Align2::LEFT_CENTER, &text, font, color, theme);
        }
    }
}
