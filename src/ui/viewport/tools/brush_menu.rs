//! Context menu of Paint mode: the joints that influence the point, and commands for it.

use egui::{Response, RichText, Ui};
use egui_material_icons::icons;

use super::brush::{BrushState, MenuSpot};
use crate::ui::{
    Action, Actions, OutlinerAction, PaintAction, Pane, Theme, View,
    menu_rows::{MenuRows, Row, panel_menu},
    theme::Font,
    viewport::menu::empty_rows,
    widgets::thousands,
};
use ulna_edit::command::{BrushCommand, Smooth, VertexCommand, ViewCommand};
use ulna_model::{Document, NodeId};
use ulna_render::ColorRole;

/// Maximum number of joints listed at the top.
const JOINTS: usize = 6;

/// Shows the context menu of Paint mode.
pub fn brush_menu_ui(
    state: &mut BrushState,
    response: &Response,
    view: &View<'_>,
    actions: &mut Actions,
) {
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let spot = state.spot.clone();
    panel_menu(response, (Pane::Viewport, None), view, actions, |rows| match &spot {
        Some(spot) if !spot.shares.is_empty() => spot_rows(rows, document, spot),
        _ => empty_rows(rows),
    });
    if !egui::Popup::is_id_open(&response.ctx, egui::Popup::default_response_id(response)) {
        state.spot = None;
    }
}

/// Adds rows for a point of the surface.
fn spot_rows(rows: &mut MenuRows<'_>, document: &Document, spot: &MenuSpot) {
    let view = rows.view;
    let vertex = spot.vertex.map(|(_, vertex, _)| thousands(vertex as usize));
    let about = vertex.map_or_else(String::new, |number| format!("vertex {number}"));
    rows.header("Paint joint", &about);
    let canvas = view.paint.surface();
    let painted = view.paint.joint().zip(canvas);
    let painted = painted.and_then(|(joint, c)| c.joints().get(usize::from(joint)).copied());
    for (node, share) in spot.shares.iter().take(JOINTS) {
        let row = Row::new(document.node(*node).label(*node)).joint().share(*share);
        let row = match painted == Some(*node) {
            true => row.color(view.theme.color(ColorRole::SelectionText)),
            false => row,
        };
        rows.act(row, || OutlinerAction::Select { node: *node, toggle: false });
    }
    rows.separator();
    let joint = painted.or(spot.shares.first().map(|(node, _)| *node));
    if let Some(joint) = joint {
        sample_row(rows, spot, joint);
        lock_row(rows, document, joint);
    }
    if let Some((node, _, vertex)) = spot.vertex {
        let smooth = Row::of(view, Smooth::spec()).title("Smooth here").keyless();
        rows.submenu(smooth, |rows| smooth_rows(rows, vertex));
        let icon = icons::ICON_HELP.codepoint;
        rows.submenu(Row::new("Explain this vertex").icon(icon), |rows| {
            let about = explained(view, document, (node, vertex), spot);
            rows.own(|ui, _| explanation_ui(ui, view.theme, &about));
        });
    }
    rows.separator();
    let select = Row::new("Select vertices").icon(icons::ICON_SELECT.codepoint);
    rows.submenu(select, |rows| select_rows(rows, spot));
    rows.command(VertexCommand::Copy.spec());
    paste_row(rows);
    rows.separator();
    rows.command_as(BrushCommand::Bend.spec(), "Test bend");
    if let Some((node, ..)) = spot.vertex {
        isolate_row(rows, document, node);
    }
}

/// Adds the row that sets the brush value to the painted joint's weight at the point.
fn sample_row(rows: &mut MenuRows<'_>, spot: &MenuSpot, joint: NodeId) {
    let weight = spot.shares.iter().find(|(node, _)| *node == joint).map_or(0.0, |(_, w)| *w);
    let row = Row::of(rows.view, BrushCommand::Sample.spec()).title("Sample weight");
    let brush = rows.view.paint.options.brush;
    rows.act(row.note(format!("{:.1} %", weight * 100.0)), || {
        PaintAction::Brush(Box::new(ulna_weights::Brush { value: weight, ..brush }))
    });
}

/// Adds the row that pastes weights. It is disabled until weights were copied and vertices are
/// selected.
fn paste_row(rows: &mut MenuRows<'_>) {
    let view = rows.view;
    let reason = match (view.paint.has_copied, view.paint.vertices().is_empty()) {
        (false, _) => Some("Copy weights first"),
        (_, true) => Some("Select vertices to paste weights onto"),
        _ => None,
    };
    rows.run(Row::of(view, VertexCommand::Paste.spec()).unless(reason), || {
        VertexCommand::Paste.into()
    });
}

fn lock_row(rows: &mut MenuRows<'_>, document: &Document, joint: NodeId) {
    let locked = rows.view.paint.options.locked.contains(&joint);
    let icon = if locked { icons::ICON_LOCK_OPEN } else { icons::ICON_LOCK };
    let verb = if locked { "Unlock" } else { "Lock" };
    let title = format!("{verb} {}", document.node(joint).label(joint));
    let row = Row::of(rows.view, BrushCommand::Lock.spec()).title(title).icon(icon.codepoint);
    rows.act(row, || PaintAction::LockWeights { nodes: vec![joint], locked: !locked });
}

/// Adds rows that smooth the weights around a vertex.
fn smooth_rows(rows: &mut MenuRows<'_>, vertex: u32) {
    for (edges, title) in [(1, "Within 1 edge"), (3, "Within 3 edges"), (6, "Within 6 edges")] {
        if rows.row(Row::new(title)) {
            let before = rows.view.paint.vertices().to_vec();
            rows.actions.push(PaintAction::SelectVertices { vertices: vec![vertex], add: false });
            let grow = std::iter::repeat_n(VertexCommand::Grow, edges);
            rows.actions.extend(grow.map(|command| Action::Run(command.into())));
            rows.actions.push(Action::Invoke(Smooth::spec()));
            rows.actions.push(PaintAction::SelectVertices { vertices: before, add: false });
        }
    }
}

fn select_rows(rows: &mut MenuRows<'_>, spot: &MenuSpot) {
    if let Some((.., vertex)) = spot.vertex {
        rows.act(Row::new("This vertex"), || PaintAction::SelectVertices {
            vertices: vec![vertex],
            add: false,
        });
        rows.separator();
    }
    for command in [
        VertexCommand::OfJoint,
        VertexCommand::Mesh,
        VertexCommand::All,
        VertexCommand::Nothing,
        VertexCommand::Invert,
    ] {
        rows.run(Row::of(rows.view, command.spec()).plain(), || command.into());
    }
    rows.separator();
    for command in [VertexCommand::Grow, VertexCommand::Shrink, VertexCommand::Linked] {
        rows.command(command.spec());
    }
    rows.separator();
    rows.command(VertexCommand::Faulty.spec());
    rows.command(VertexCommand::Stray.spec());
}

/// Adds the row that hides all other meshes.
fn isolate_row(rows: &mut MenuRows<'_>, document: &Document, node: NodeId) {
    let view = rows.view;
    let has_mesh = |n: &NodeId| *n != node && document.node(*n).mesh.is_some();
    let others: Vec<NodeId> =
        document.node_ids().filter(has_mesh).filter(|n| !view.is_hidden(*n)).collect();
    let none = others.is_empty().then_some("No other mesh is shown");
    let row = Row::of(view, ViewCommand::Isolate.spec()).title("Isolate mesh").enabled();
    if rows.row(row.keyless().unless(none)) {
        let hide = |node| OutlinerAction::SetHidden { node, hidden: true };
        rows.actions.extend(others.into_iter().map(hide));
    }
}

/// Explains the weights of a vertex in sentences.
fn explained(
    view: &View<'_>,
    document: &Document,
    (node, vertex): (NodeId, u32),
    spot: &MenuSpot,
) -> Vec<String> {
    let mut lines = Vec::new();
    let number = spot.vertex.map_or(vertex, |(_, number, _)| number);
    let mesh = document.node(node).label(node);
    lines.push(format!("Vertex {} of {mesh}", thousands(number as usize)));
    let held: Vec<&(NodeId, f32)> = spot.shares.iter().filter(|(_, w)| *w > 0.0).collect();
    for (joint, weight) in &held {
        let locked = view.paint.options.locked.contains(joint);
        let note = if locked { ", locked" } else { "" };
        let name = document.node(*joint).label(*joint);
        lines.push(format!("{:.1} % {name}{note}", weight * 100.0));
    }
    let sum: f32 = held.iter().map(|(_, w)| w).sum();
    let limit = view.paint.options.limit;
    lines.push(format!("{} of {limit} influences, sum {sum:.3}", held.len()));
    lines
}

fn explanation_ui(ui: &mut Ui, theme: &Theme, lines: &[String]) {
    for (k, line) in lines.iter().enumerate() {
        let font = Theme::font(if k == 0 { Font::Heading } else { Font::Small });
        let role = if k == 0 { ColorRole::TextPrimary } else { ColorRole::TextSecondary };
        ui.label(RichText::new(line).font(font).color(theme.color(role)));
    }
}
