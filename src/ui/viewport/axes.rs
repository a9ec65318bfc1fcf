//! Axes in the viewport: the corner gizmo, which also rotates the view, and the axes of joints.

use egui::{Align2, Painter, Pos2, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};
use glam::{Vec2, Vec3};

use super::haloed::haloed;
use crate::ui::{Action, Actions, Theme, View, theme::Font, widgets::tooltip};
use ulna_edit::command::ViewCommand;
use ulna_model::NodeId;
use ulna_render::ColorRole;

/// Distance from the center of the corner gizmo to the disc at each end, and the radius of a disc,
/// in points.
const ARM: f32 = 27.0;
const BALL: f32 = 8.5;
/// Length of a joint's axis, in points.
const JOINT_AXIS: f32 = 22.0;
/// Maximum number of joints with axes, because more would be unreadable.
const MOST_JOINTS: usize = 600;

/// End of an axis of the corner gizmo, with the view command of a click.
struct End {
    axis: Vec3,
    letter: &'static str,
    role: ColorRole,
    positive: bool,
    name: &'static str,
    command: ViewCommand,
}

static ENDS: [End; 6] = {
    const fn end(
        axis: Vec3,
        letter: &'static str,
        role: ColorRole,
        positive: bool,
        name: &'static str,
        command: ViewCommand,
    ) -> End {
        End { axis, letter, role, positive, name, command }
    }
    [
        end(Vec3::X, "X", ColorRole::AxisX, true, "View from +X", ViewCommand::Side),
        end(Vec3::NEG_X, "X", ColorRole::AxisX, false, "View from −X", ViewCommand::OtherSide),
        end(Vec3::Y, "Y", ColorRole::AxisY, true, "View from +Y", ViewCommand::Top),
        end(Vec3::NEG_Y, "Y", ColorRole::AxisY, false, "View from −Y", ViewCommand::Bottom),
        end(Vec3::Z, "Z", ColorRole::AxisZ, true, "View from +Z", ViewCommand::Front),
        end(Vec3::NEG_Z, "Z", ColorRole::AxisZ, false, "View from −Z", ViewCommand::Back),
    ]
};

/// Draws the corner gizmo at the top right. Returns whether the pointer is over it.
pub fn corner_ui(ui: &Ui, view: &View<'_>, rect: Rect, actions: &mut Actions) -> bool {
    let theme = view.theme;
    // Move the gizmo below the toolbar if the toolbar reaches this far.
    let down = if rect.width() < 560.0 { 92.0 } else { 48.0 };
    let center = pos2(rect.right() - 48.0, rect.top() + down);
    if rect.height() < down + 48.0 {
        return false;
    }
    let area = Rect::from_center_size(center, vec2(2.0 * (ARM + BALL), 2.0 * (ARM + BALL)));
    let over = ui.input(|i| i.pointer.hover_pos()).is_some_and(|p| area.expand(4.0).contains(p));
    if over {
        ui.painter().circle_filled(
            center,
            ARM + BALL + 4.0,
            theme.color(ColorRole::ViewportOverlay).gamma_multiply(0.7),
        );
    }
    let (right, up, back) =
        (view.viewport.camera.right(), view.viewport.camera.up(), -view.viewport.camera.forward());
    let mut ends: Vec<(f32, Pos2, &End)> = ENDS
        .iter()
        .map(|end| {
            let at = center + vec2(end.axis.dot(right), -end.axis.dot(up)) * ARM;
            (end.axis.dot(back), at, end)
        })
        .collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (depth, at, end) in ends {
        let hit = Rect::from_center_size(at, vec2(2.0 * BALL + 3.0, 2.0 * BALL + 3.0));
        let response = ui.interact(hit, ui.scope_id().with(("axis", end.name)), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, end.name));
        let dim = 0.55 + 0.45 * (depth * 0.5 + 0.5);
        let base = if response.hovered() {
            theme.color(ColorRole::AxisHover)
        } else {
            theme.color(end.role).gamma_multiply(dim)
        };
        let painter = ui.painter();
        if end.positive {
            painter.line_segment([center, at], Stroke::new(2.0, base));
            painter.circle_filled(at, BALL, base);
            painter.text(
                at,
                Align2::CENTER_CENTER,
                end.letter,
                Theme::font(Font::Caption),
                theme.color(ColorRole::ViewportLabelHalo).to_opaque(),
            );
        } else {
            painter.circle_filled(
                at,
                BALL - 2.5,
                theme.color(ColorRole::ViewportBackground).gamma_multiply(0.8),
            );
            painter.circle_stroke(at, BALL - 2.5, Stroke::new(1.5, base));
        }
        if tooltip(response, theme, end.name, view.settings.keys.key(end.command.name()), Ok(()))
            .clicked()
        {
            actions.push(Action::Run(end.command.clone().into()));
        }
    }
    over
}

/// Draws the axes of all or of the selected joints, if the display is on.
pub fn joints_ui(painter: &Painter, view: &View<'_>, rect: Rect) {
    let Some(document) = view.session.map(|s| s.document()).filter(|_| view.options.axes) else {
        return;
    };
    let theme = view.theme;
    let size = Vec2::new(rect.width(), rect.height());
    let place = |p: Vec3| {
        view.viewport
            .camera
            .project(p, size)
            .map(|(p, d)| (pos2(p.x + rect.left(), p.y + rect.top()), d))
    };
    let meant = |id: &NodeId| view.joints[id.index()] && !view.options.of_selected;
    let joints = document.node_ids().filter(meant).take(MOST_JOINTS);
    let selected: Vec<NodeId> = view.selection.nodes.iter().copied().collect();
    for node in joints.filter(|id| !selected.contains(id)).chain(selected.iter().copied()) {
        let Some(world) = view.pose.world.get(node.index()) else { continue };
        let head = world.w_axis.truncate();
        let Some((from, depth)) = place(head).filter(|_| head.is_finite()) else { continue };
        let long = view.viewport.camera.meters_per_point(depth, size.y) * JOINT_AXIS;
        let chosen = selected.contains(&node);
        let columns = [world.x_axis, world.y_axis, world.z_axis];
        for ((column, role), letter) in columns
            .iter()
            .zip([ColorRole::AxisX, ColorRole::AxisY, ColorRole::AxisZ])
            .zip(["X", "Y", "Z"])
        {
            let Some(direction) = column.truncate().try_normalize() else { continue };
            let Some((to, _)) = place(head + direction * long * if chosen { 1.5 } else { 1.0 })
            else {
                continue;
            };
            let color = theme.color(role);
            painter.line_segment(
                [from, to],
                Stroke::new(
                    if chosen { 4.0 } else { 3.0 },
                    theme.color(ColorRole::ViewportLabelHalo).gamma_multiply(0.45),
                ),
            );
            painter.line_segment([from, to], Stroke::new(if chosen { 2.5 } else { 1.5 }, color));
            if chosen {
                let away = (to - from).normalized() * 8.0;
                haloed(
                    painter,
                    to + away,
                    Align2::CENTER_CENTER,
                    letter,
                    Theme::font(Font::Caption),
                    color,
                    theme,
                );
            }
        }
    }
}
