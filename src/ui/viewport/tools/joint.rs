//! Tool that adds joints: each click adds a joint below the selected joint.

use egui::{Painter, Pos2, Rect, Response, Shape, Stroke, Ui, pos2};
use egui_material_icons::{MaterialIcon, icons};
use glam::{Vec2, Vec3};

use super::tool::{Press, ViewportTool};
use crate::ui::{
    Actions, RigAction, View, ViewportAction,
    viewport::{domain::SnapTo, pick},
};
use ulna_edit::command::{AddJoint, ModeCommand, ToolCommand, field::Nodes};
use ulna_geometry::on_plane;
use ulna_model::NodeId;
use ulna_render::ColorRole;

/// Tool that adds joints.
#[derive(Clone, Debug, Default)]
pub struct JointTool;

impl ViewportTool for JointTool {
    fn icon(&self) -> MaterialIcon {
        icons::ICON_ADD_LOCATION_ALT
    }

    fn hints(&self) -> Vec<(Press, &'static str)> {
        vec![
            (Press::Hand("Click"), "add joint"),
            (Press::Hand("Alt"), "front part only"),
            (Press::Hand("Ctrl"), "snap to grid"),
            (Press::Hand("Click a joint"), "select it"),
            (Press::Key(ModeCommand::BothSides.name()), "both sides"),
            (Press::Key(ToolCommand::Move.name()), "move"),
        ]
    }
}

/// Shows the position of the new joint at the pointer, and adds the joint on a click. Returns
/// whether the pointer is used.
pub fn joint_ui(
    ui: &Ui,
    view: &View<'_>,
    rect: Rect,
    response: &Response,
    free: bool,
    actions: &mut Actions,
) -> bool {
    let at_rest = view.rig.clip.is_none();
    let Some(pointer) = response.hover_pos().filter(|_| free && at_rest) else { return false };
    let size = Vec2::new(rect.width(), rect.height());
    let at = Vec2::new(pointer.x - rect.left(), pointer.y - rect.top());
    if pick::bone_at(view, at, size).is_some_and(|bone| bone.is_head) {
        return false;
    }
    let modifiers = ui.input(|i| i.modifiers);
    let of = view.rig.options.depth.snap(modifiers.alt);
    if let Some(of) = of {
        actions.push(ViewportAction::SeekSpot { at, size, of, except: Vec::new() });
    }
    let parent = parent_of(view);
    let mut spot = target(view, (at, size), of, parent);
    if modifiers.command || view.viewport.snap {
        let step = view.viewport.snap_steps.length;
        spot = (spot / step).round() * step;
    }
    let camera = view.viewport.camera;
    let place = |p: Vec3| {
        let (p, _) = camera.project(p, size)?;
        Some(pos2(p.x + rect.left(), p.y + rect.top()))
    };
    let symmetric = view.viewport.symmetry;
    if symmetric {
        spot = on_mirror_plane(spot, &place);
    }
    let painter = ui.painter_at(rect);
    let color = view.theme.color(ColorRole::AccentBase);
    let head = parent.and_then(|p| Some(view.pose.world.get(p.index())?.w_axis.truncate()));
    if let (Some(from), Some(to)) = (head.and_then(place), place(spot)) {
        let line = Stroke::new(2.0, color.gamma_multiply(0.8));
        painter.extend(Shape::dashed_line(&[from, to], line, 5.0, 4.0));
    }
    if let Some(to) = place(spot) {
        marker(&painter, to, Stroke::new(2.5, color));
    }
    let twin = Vec3::new(-spot.x, spot.y, spot.z);
    if let Some(to) = place(twin).filter(|_| symmetric && spot.x != 0.0) {
        marker(&painter, to, Stroke::new(1.5, color.gamma_multiply(0.6)));
    }
    if response.clicked() {
        actions.push(RigAction::Add(AddJoint {
            parent: parent.map(Nodes::one),
            at: Some(spot),
            by: None,
            name: None,
            symmetric: symmetric.then_some(true),
        }));
    }
    true
}

/// Parent of new joints.
fn parent_of(view: &View<'_>) -> Option<NodeId> {
    let document = view.session?.document();
    let active = view.selection.active.filter(|n| document.nodes.contains(*n))?;
    // Joints are added below joints only, not below other nodes such as meshes.
    let is_joint = view.joints.get(active.index()) == Some(&true);
    is_joint.then_some(active)
}

/// Position of a new joint under the pointer. It is the snap target if there is one; otherwise it
/// is as far away as the parent or the orbit center.
fn target(
    view: &View<'_>,
    (at, size): (Vec2, Vec2),
    of: Option<SnapTo>,
    parent: Option<NodeId>,
) -> Vec3 {
    let sought = of.and_then(|of| view.viewport.sought.filter(|(sought, _)| *sought == of)?.1);
    let camera = view.viewport.camera;
    let head = parent.and_then(|p| Some(view.pose.world.get(p.index())?.w_axis.truncate()));
    let depth = head.unwrap_or(camera.target);
    let ray = camera.ray(at, size);
    let beside = || on_plane(&ray, depth, -camera.forward()).unwrap_or(depth);
    sought.unwrap_or_else(beside)
}

/// Snaps a point near the mirror plane onto the plane, so that the joint has no mirror joint.
fn on_mirror_plane(spot: Vec3, place: &dyn Fn(Vec3) -> Option<Pos2>) -> Vec3 {
    /// Snap distance on screen, in points.
    const NEAR: f32 = 12.0;
    let flat = spot.with_x(0.0);
    let is_near = place(spot).zip(place(flat)).is_some_and(|(a, b)| a.distance(b) < NEAR);
    if is_near { flat } else { spot }
}

/// Draws a ring with a dot.
fn marker(painter: &Painter, at: Pos2, stroke: Stroke) {
    painter.circle_stroke(
        at,
        8.0,
        Stroke::new(stroke.width + 2.0, egui::Color32::from_black_alpha(110)),
    );
    painter.circle_stroke(at, 8.0, stroke);
    painter.circle_filled(at, 2.0, stroke.color);
}
