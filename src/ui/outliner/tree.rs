//! Rows of the node tree.

use egui::{Color32, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;

use super::OutlinerState;
use crate::{
    model::{Document, NodeId},
    ui::{
        Action, Actions, Theme, View,
        theme::Font,
        widgets::{diamond, elided, joint_icon, paint_icon, row},
    },
};

/// A row that is not folded away.
#[derive(Clone, Copy, Debug)]
pub struct TreeRow {
    pub node: NodeId,
    depth: usize,
    parent_of_some: bool,
}

fn kind(view: &View<'_>, document: &Document, node: NodeId) -> &'static str {
    let n = document.node(node);
    if view.joints[node.index()] {
        "joint"
    } else if n.mesh.is_some() {
        "mesh"
    } else if n.camera.is_some() {
        "camera"
    } else if n.light.is_some() {
        "light"
    } else {
        "group"
    }
}

/// Rows in order: the open part of the tree, or with a filter all that fit and those above them.
pub fn visible_rows(state: &OutlinerState, view: &View<'_>) -> Vec<TreeRow> {
    let Some(session) = view.session else { return Vec::new() };
    let document = session.document();
    let needle = state.filter.to_lowercase();
    let mut wanted: Option<Vec<bool>> = None;
    if !needle.is_empty() {
        let mut keep = vec![false; document.nodes.len()];
        for id in document.node_ids() {
            if document.node(id).label(id).to_lowercase().contains(&needle) || kind(view, document, id) == needle {
                let mut at = Some(id);
                while let Some(node) = at.filter(|n| !keep[n.index()]) {
                    keep[node.index()] = true;
                    at = document.node(node).parent;
                }
            }
        }
        wanted = Some(keep);
    }
    let mut rows = Vec::new();
    let roots: Vec<NodeId> = document.node_ids().filter(|id| document.node(*id).parent.is_none()).collect();
    let mut stack: Vec<(NodeId, usize)> = roots.into_iter().rev().map(|id| (id, 0)).collect();
    while let Some((node, depth)) = stack.pop() {
        if wanted.as_ref().is_some_and(|w| !w[node.index()]) {
            continue;
        }
        let children = &document.node(node).children;
        rows.push(TreeRow { node, depth, parent_of_some: !children.is_empty() });
        if wanted.is_some() || !state.closed.contains(&node) {
            stack.extend(children.iter().rev().map(|c| (*c, depth + 1)));
        }
    }
    rows
}

pub fn row_ui(
    state: &mut OutlinerState,
    ui: &mut Ui,
    view: &View<'_>,
    rows: &[TreeRow],
    item: &TreeRow,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let Some(session) = view.session else { return };
    let document = session.document();
    let id = item.node;
    let node = document.node(id);
    let label = node.label(id);
    let selected = view.selection.nodes.contains(&id);
    let (rect, response) = ui.push_id(id.0, |ui| row(ui, theme, Theme::size("row_tree"), &label, selected)).inner;
    let indent = ui.spacing().indent;
    // Deep trees keep their names in sight.
    let depth = item.depth.min(18);
    for level in 1..=depth {
        let x = rect.left() + 8.0 + (level as f32 - 0.5) * indent + 4.0;
        ui.painter().vline(x.floor() + 0.5, rect.y_range(), egui::Stroke::new(1.0, theme.color("stroke.subtle")));
    }
    let mut x = rect.left() + 6.0 + depth as f32 * indent;
    let middle = rect.center().y;
    if item.parent_of_some {
        let arrow = Rect::from_center_size(pos2(x + 8.0, middle), vec2(16.0, 20.0));
        let open = !state.closed.contains(&id);
        let fold = ui.interact(arrow, ui.scope_id().with(("fold", id.0)), Sense::click());
        let name = format!("{} {label}", if open { "Close" } else { "Open" });
        fold.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
        let icon = if open { icons::ICON_EXPAND_MORE } else { icons::ICON_CHEVRON_RIGHT };
        let color = if fold.hovered() { theme.color("text.primary") } else { theme.color("text.tertiary") };
        paint_icon(ui.painter(), arrow.center(), icon, 16.0, color);
        if fold.clicked() {
            if open {
                state.closed.insert(id);
            } else {
                state.closed.remove(&id);
            }
        }
    }
    x += 24.0;
    let hovered = view.hover == Some(id);
    let color = if selected {
        theme.color("selection.base")
    } else if hovered {
        theme.color("text.primary")
    } else {
        theme.color("text.secondary")
    };
    let at = pos2(x, middle);
    match kind(view, document, id) {
        "joint" => joint_icon(ui.painter(), at, color),
        "mesh" => paint_icon(ui.painter(), at, icons::ICON_DEPLOYED_CODE, 16.0, color),
        "camera" => paint_icon(ui.painter(), at, icons::ICON_VIDEOCAM, 16.0, color),
        "light" => paint_icon(ui.painter(), at, icons::ICON_LIGHTBULB, 16.0, color),
        _ => paint_icon(ui.painter(), at, icons::ICON_ACCOUNT_TREE, 15.0, color),
    }
    x += 12.0;
    let mut right = rect.right() - 8.0;
    // Badges: a key where the shown clip moves it, a dot where it is posed.
    let animated = view
        .shown_clip()
        .and_then(|c| document.clips.get(&c))
        .is_some_and(|c| c.tracks.values().any(|t| t.target == id));
    if document.pending.contains_key(&id) {
        ui.painter().circle_stroke(pos2(right, middle), 3.0, egui::Stroke::new(1.5, theme.color("joint.pending")));
        right -= 10.0;
    } else if session.opened().nodes.get(id.index()).is_some_and(|o| o.user != node.user) {
        ui.painter().circle_filled(pos2(right, middle), 3.0, theme.color("joint.edited"));
        right -= 10.0;
    } else if node.user.is_some() {
        ui.painter().circle_stroke(pos2(right, middle), 2.5, egui::Stroke::new(1.0, theme.color("joint.edited")));
        right -= 10.0;
    }
    if animated {
        diamond(ui.painter(), pos2(right, middle), 7.0, theme.color("key.inbetween"), Color32::TRANSPARENT);
        right -= 10.0;
    }
    let font = Theme::font(Font::Body);
    let text = elided(ui, &label, &font, (right - x + 2.0).max(20.0));
    let color = if selected { theme.color("selection.text") } else { theme.color("text.primary") };
    ui.painter().text(pos2(x, middle), egui::Align2::LEFT_CENTER, text.clone(), font, color);
    let response = if text == label { response } else { response.on_hover_text(&label) };
    if response.hovered() && view.joints[id.index()] {
        actions.push(Action::Hover(Some(id)));
    }
    if response.clicked() {
        let modifiers = ui.input(|i| i.modifiers);
        if modifiers.shift
            && let Some(anchor) = state.anchor
            && let (Some(a), Some(b)) =
                (rows.iter().position(|r| r.node == anchor), rows.iter().position(|r| r.node == id))
        {
            let nodes = rows[a.min(b)..=a.max(b)].iter().map(|r| r.node).collect();
            actions.push(Action::SelectMany { nodes, add: modifiers.command });
        } else {
            state.anchor = Some(id);
            actions.push(Action::Select { node: id, toggle: modifiers.command });
        }
        state.seen = Some(id);
    }
    if response.double_clicked() {
        actions.push(Action::Run(crate::edit::CommandLine::new("view.frame_selected")));
    }
}
