//! Dragging nodes to another position in the tree. A line shows the new position.

use egui::{Align2, CursorIcon, Key, LayerId, Order, Rect, Response, Stroke, StrokeKind, Ui, vec2};

use crate::ui::{Action, Actions, RigAction, Theme, View, theme::Font};
use ulna_edit::command::{Keep, Reparent, ReparentJoint, field::Nodes};
use ulna_model::{Document, NodeId};
use ulna_render::ColorRole;

/// A drag of nodes in the tree.
#[derive(Clone, Debug, Default)]
pub struct NodeDrag {
    /// The dragged nodes.
    nodes: Vec<NodeId>,
    /// The drop position, computed in each frame.
    target: Option<DropTarget>,
    /// Bottom of the last row in this frame, in points.
    end: f32,
}

/// A position in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DropTarget {
    /// The new parent; `None` for the top level of the scene.
    parent: Option<NodeId>,
    /// The next sibling; `None` for the last position.
    before: Option<NodeId>,
}

impl DropTarget {
    /// True if the nodes can be moved to this position. Nodes cannot be moved below themselves or
    /// their own descendants.
    fn takes(self, document: &Document, nodes: &[NodeId]) -> bool {
        let is_above = |n: &NodeId| {
            self.parent.is_some_and(|p| p == *n || document.is_above(*n, p))
                || self.before == Some(*n)
        };
        !nodes.iter().any(is_above)
    }
}

/// Fraction of a row's height at its upper and lower end that means a position between rows.
const EDGE: f32 = 0.28;

/// Starts a drag at a row, and finds the drop position under the pointer.
pub fn row_drag(
    drag: &mut Option<NodeDrag>,
    ui: &Ui,
    view: &View<'_>,
    (node, depth): (NodeId, usize),
    rect: Rect,
    response: &Response,
) {
    let Some(document) = view.session.map(|s| s.document()) else { return };
    if response.drag_started_by(egui::PointerButton::Primary) {
        let selected = &view.selection.nodes;
        let nodes = if selected.contains(&node) {
            document.nodes.order().iter().copied().filter(|n| selected.contains(n)).collect()
        } else {
            vec![node]
        };
        *drag = Some(NodeDrag { nodes, ..NodeDrag::default() });
    }
    let Some(drag) = drag else { return };
    drag.end = rect.bottom();
    let Some(at) = ui.input(|i| i.pointer.latest_pos()).filter(|p| rect.contains(*p)) else {
        return;
    };
    let part = (at.y - rect.top()) / rect.height();
    let parent = document.node(node).parent;
    let siblings = siblings(document, parent);
    let next = || {
        let at = siblings.iter().position(|n| *n == node)?;
        siblings.get(at + 1).copied()
    };
    let target = match () {
        () if part < EDGE => DropTarget { parent, before: Some(node) },
        () if part > 1.0 - EDGE => DropTarget { parent, before: next() },
        () => DropTarget { parent: Some(node), before: None },
    };
    if !target.takes(document, &drag.nodes) {
        drag.target = None;
        ui.set_cursor_icon(CursorIcon::NoDrop);
        return;
    }
    drag.target = Some(target);
    ui.set_cursor_icon(CursorIcon::Grabbing);
    let color = view.theme.color(ColorRole::AccentBase);
    let painter = ui.painter();
    if target.parent == Some(node) {
        painter.rect_stroke(rect.shrink(1.0), 3.0, Stroke::new(1.5, color), StrokeKind::Inside);
        return;
    }
    let y = if part < 0.5 { rect.top() } else { rect.bottom() };
    let left = rect.left() + 14.0 + depth as f32 * ui.spacing().indent;
    painter.circle_stroke(egui::pos2(left, y), 3.0, Stroke::new(1.5, color));
    painter.hline(left + 3.0..=rect.right() - 4.0, y, Stroke::new(2.0, color));
}

/// The children of a parent in the order of the outliner.
fn siblings(document: &Document, parent: Option<NodeId>) -> Vec<NodeId> {
    match parent {
        Some(parent) => document.children(parent).to_vec(),
        None => document.node_ids().filter(|n| document.node(*n).parent.is_none()).collect(),
    }
}

/// Shows the drop position, and moves the nodes on release. `area` is the whole tree; below its
/// last row is the top level of the scene.
pub fn end_of_drag(
    drag: &mut Option<NodeDrag>,
    ui: &Ui,
    view: &View<'_>,
    area: Rect,
    actions: &mut Actions,
) {
    let Some(moved) = drag else { return };
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let (at, down, escape, local) = ui.input(|i| {
        let down = i.pointer.primary_down();
        (i.pointer.latest_pos(), down, i.key_pressed(Key::Escape), i.modifiers.command)
    });
    let is_below = at.is_some_and(|p| area.contains(p) && p.y > moved.end);
    if is_below {
        moved.target = Some(DropTarget { parent: None, before: None });
        let line = moved.end.min(area.bottom() - 2.0);
        let color = view.theme.color(ColorRole::AccentBase);
        ui.painter().hline(area.left() + 14.0..=area.right() - 4.0, line, Stroke::new(2.0, color));
    } else if !at.is_some_and(|p| area.contains(p)) {
        moved.target = None;
    }
    if escape {
        *drag = None;
        return;
    }
    if down {
        if let Some(at) = at {
            let where_to = moved.target.map(|t| match t.parent {
                Some(parent) => format!("Attach to {}", document.node(parent).label(parent)),
                None => "Move to the top of the scene".to_owned(),
            });
            let stays = if local { "keeps its transform" } else { "keeps its position" };
            let text = where_to.map_or_else(
                || "Cannot be attached here".to_owned(),
                |to| format!("{to} · {stays}"),
            );
            hint(ui, view.theme, at, &text);
        }
        moved.target = None;
        return;
    }
    let joints = document.joint_flags();
    let is_rig = view.mode.spec().edits_rest && moved.nodes.iter().any(|n| joints[n.index()]);
    if let Some(target) = moved.target.filter(|_| is_rig && !local) {
        // In Rig mode, moving bound joints becomes part of the planned changes.
        let (node, to) = (Nodes::Ids(moved.nodes.clone()), target.parent.map(Nodes::one));
        let command = Box::new(ReparentJoint { node, to }.into());
        actions.push(RigAction::Do(command, moved.nodes.clone()));
    } else if let Some(target) = moved.target {
        let command = Reparent {
            node: Nodes::Ids(moved.nodes.clone()),
            parent: target.parent.map(Nodes::one),
            before: target.before.map(Nodes::one),
            keep: Some(if local { Keep::Local } else { Keep::World }),
            force: None,
        };
        actions.push(Action::Run(command.into()));
    }
    *drag = None;
}

/// Draws a label beside the pointer.
fn hint(ui: &Ui, theme: &Theme, at: egui::Pos2, text: &str) {
    let painter =
        ui.ctx().layer_painter(LayerId::new(Order::Tooltip, egui::Id::unique("node drag")));
    let ink = theme.color(ColorRole::TextPrimary);
    let galley = painter.layout_no_wrap(text.to_owned(), Theme::font(Font::Small), ink);
    let room = ui.ctx().content_rect();
    let size = galley.size() + vec2(16.0, 8.0);
    let at = (at + vec2(14.0, 14.0)).min(room.max - size - vec2(4.0, 4.0));
    let plate = Rect::from_min_size(at, size);
    painter.rect_filled(plate, 4.0, theme.color(ColorRole::SurfaceRaised));
    painter.rect_stroke(
        plate,
        4.0,
        Stroke::new(1.0, theme.color(ColorRole::StrokeStrong)),
        StrokeKind::Inside,
    );
    let center = Align2::CENTER_CENTER.anchor_size(plate.center(), galley.size());
    painter.galley(center.min, galley, ink);
}
