//! Rows of the node tree.

use std::{
    collections::{BTreeSet, HashSet},
    rc::Rc,
    sync::Arc,
};

use egui::{Color32, Painter, Pos2, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;

use super::{
    groups::{GroupRename, group_ui},
    mask::{MaskStroke, mask_ui},
    menu::node_menu,
    moving::{NodeDrag, row_drag},
    references::reference_ui,
    things::{Section, ThingRows, section_ui, thing_ui},
};
use crate::ui::{
    Action, Actions, AssetRef, Theme, View,
    name_field::{NameCheck, NameDraft, NameEnd},
    theme::Font,
    type_ahead::TypeAhead,
    widgets::{diamond, elided, node_icon, node_kind, paint_icon, pin_mark, row},
};
use crate::ui::{OutlinerAction, ViewportAction};
use ulna_edit::command::{RenameNode, field::Nodes};
use ulna_model::{
    AnyId, Derived, Diagnostic, Document, NodeId, PoseLayers, Severity, Shared, Targets,
};
use ulna_render::{ColorRole, Measure};

/// A visible row of the tree. Its ancestors are expanded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TreeRow {
    /// A node, its depth, and whether it has children.
    Node { node: NodeId, depth: usize, parent_of_some: bool },
    /// Header of a section, with its number of rows.
    Section(Section, usize),
    /// A reference model, by its index.
    Reference(usize),
    /// A joint group, by its index.
    Group(usize),
    /// A skin, a mesh, a material or an image.
    AssetRef(AssetRef),
}

impl TreeRow {
    /// Name of the row, as used by type-ahead.
    pub fn label(&self, view: &View<'_>, document: &Document) -> String {
        match self {
            Self::Node { node, .. } => document.node(*node).label(*node),
            Self::Reference(k) => {
                view.references.all.get(*k).map_or_else(String::new, |r| r.name.clone())
            }
            Self::Section(section, _) => section.title().to_owned(),
            Self::Group(k) => {
                document.joint_groups().get(*k).map_or_else(String::new, |g| g.name.to_string())
            }
            Self::AssetRef(thing) => thing.name(document),
        }
    }

    /// The node of the row; `None` for other rows.
    pub const fn node(&self) -> Option<NodeId> {
        match self {
            Self::Node { node, .. } => Some(*node),
            _ => None,
        }
    }
}

/// Marks on the right of rows. They are computed for all nodes and cached until their sources
/// change.
#[derive(Clone, Debug, Default)]
pub struct Badges {
    animated: Derived<Option<Arc<Targets>>, HashSet<NodeId>>,
    faulty: Derived<Shared<Vec<Diagnostic>>, HashSet<NodeId>>,
    unkeyed: BTreeSet<NodeId>,
    /// Nodes that a layer of the shown clip or pose changes.
    layered: Derived<Option<Shared<PoseLayers>>, HashSet<NodeId>>,
}

impl Badges {
    pub fn update(&mut self, view: &View<'_>) {
        let Some(document) = view.session.map(|s| s.document()) else { return };
        self.unkeyed = document.unkeyed_nodes();
        let layers = view.layers.home.and_then(|home| document.aids.pose_layers.get(&home));
        self.layered.update(layers.cloned(), |layers| {
            layers.iter().flat_map(|l| l.counting()).flat_map(|l| l.nodes()).collect()
        });
        let clip = view.shown_clip().and_then(|c| document.clips.get(c));
        self.animated.update(clip.map(|c| c.tracks.targets().clone()), |targets| {
            targets.iter().flat_map(|t| t.all()).map(|(node, _)| node).collect()
        });
        self.faulty.update(view.problems.clone(), |problems| faulty_nodes(document, problems));
    }

    fn is_animated(&self, node: NodeId) -> bool {
        self.animated.get().is_some_and(|nodes| nodes.contains(&node))
    }

    fn is_layered(&self, node: NodeId) -> bool {
        self.layered.get().is_some_and(|nodes| nodes.contains(&node))
    }

    fn is_faulty(&self, node: NodeId) -> bool {
        self.faulty.get().is_some_and(|nodes| nodes.contains(&node))
    }
}

/// Nodes with a warning or an error about the node, its mesh or its skin.
fn faulty_nodes(document: &Document, problems: &[Diagnostic]) -> HashSet<NodeId> {
    // First collects the elements with problems, then checks each node once. A file may have as
    // many problems as nodes.
    let elements: HashSet<AnyId> = problems
        .iter()
        .filter(|p| p.severity > Severity::Info)
        .filter_map(|p| p.place.element)
        .collect();
    let is_meant = |id: &NodeId| {
        let node = document.node(*id);
        elements.contains(&(*id).into())
            || node.mesh.is_some_and(|m| elements.contains(&m.into()))
            || node.skin.is_some_and(|s| elements.contains(&s.into()))
    };
    document.node_ids().filter(is_meant).collect()
}

/// Inputs of the rows: document generation, number of reference models, filter, collapsed nodes,
/// and toggled sections.
pub type RowsOf = (u64, usize, String, BTreeSet<NodeId>, BTreeSet<Section>);

/// State of the tree between frames.
#[derive(Clone, Debug, Default)]
pub struct TreeState {
    /// Filter text. Rows match by name or kind.
    pub filter: String,
    closed: BTreeSet<NodeId>,
    /// First node of a range selection.
    anchor: Option<NodeId>,
    /// The node whose row is scrolled into view.
    pub scroll_to: Option<NodeId>,
    /// The active node of the last frame.
    pub seen: Option<NodeId>,
    /// Sections that differ from their default state.
    open: BTreeSet<Section>,
    /// The node that is being renamed, with the typed name.
    renaming: Option<NameDraft<NodeId>>,
    /// The joint group that is being renamed, with the typed name.
    group_renaming: GroupRename,
    /// Rows of skins, meshes, materials and images.
    pub things: ThingRows,
    /// Marks on the right of rows.
    pub badges: Badges,
    rows: Derived<RowsOf, Rc<[TreeRow]>>,
    /// Drag that paints a lane's mask over rows.
    mask: Option<MaskStroke>,
    /// Drag of nodes to another position.
    pub drag: Option<NodeDrag>,
    /// Letters typed while a row has the focus.
    pub type_ahead: TypeAhead<TreeRow>,
}

impl TreeState {
    /// Starts to rename a node.
    pub fn rename(&mut self, node: NodeId, name: String) {
        self.renaming = Some(NameDraft::new(node, name));
        self.scroll_to = Some(node);
    }

    /// Expands the ancestors of a node and scrolls to it.
    pub fn reveal(&mut self, view: &View<'_>, node: NodeId) {
        let Some(session) = view.session else { return };
        let mut at = session.document().node(node).parent;
        while let Some(parent) = at {
            self.closed.remove(&parent);
            at = session.document().node(parent).parent;
        }
        self.scroll_to = Some(node);
    }
}

/// Rows in order: the expanded part of the tree, or with a filter all matching rows and their
/// ancestors. Cached until an input changes.
pub fn visible_rows(state: &mut TreeState, view: &View<'_>) -> Rc<[TreeRow]> {
    let Some(session) = view.session else { return Rc::default() };
    let references = view.references.all.len();
    let same = |(generation, count, filter, closed, open): &RowsOf| {
        *generation == session.generation()
            && *count == references
            && *filter == state.filter
            && *closed == state.closed
            && *open == state.open
    };
    if let Some(rows) = state.rows.get().filter(|_| state.rows.key().is_some_and(same)) {
        return rows.clone();
    }
    let TreeState { filter, closed, open, .. } = &*state;
    let of = (session.generation(), references, filter.clone(), closed.clone(), open.clone());
    let rows: Rc<[TreeRow]> = find_rows(state, view, session.document()).into();
    state.rows.put(of, rows.clone());
    rows
}

fn find_rows(state: &TreeState, view: &View<'_>, document: &Document) -> Vec<TreeRow> {
    let needle = state.filter.to_lowercase();
    let mut wanted: Option<Vec<bool>> = None;
    if !needle.is_empty() {
        let mut keep = vec![false; document.nodes.len()];
        for id in document.node_ids() {
            if document.node(id).label(id).to_lowercase().contains(&needle)
                || node_kind(view, document, id) == needle
            {
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
    let references = view.references.all;
    let is_named = |k: &usize| references[*k].name.to_lowercase().contains(&needle);
    let named: Vec<usize> = (0..references.len()).filter(is_named).collect();
    if !named.is_empty() {
        rows.push(TreeRow::Section(Section::References, references.len()));
        if !needle.is_empty() || Section::References.is_open(&state.open) {
            rows.extend(named.into_iter().map(TreeRow::Reference));
        }
    }
    let groups = document.joint_groups();
    if needle.is_empty() && !groups.is_empty() {
        rows.push(TreeRow::Section(Section::Groups, groups.len()));
        if Section::Groups.is_open(&state.open) {
            rows.extend((0..groups.len()).map(TreeRow::Group));
        }
    }
    let roots: Vec<NodeId> =
        document.node_ids().filter(|id| document.node(*id).parent.is_none()).collect();
    let mut stack: Vec<(NodeId, usize)> = roots.into_iter().rev().map(|id| (id, 0)).collect();
    while let Some((node, depth)) = stack.pop() {
        if wanted.as_ref().is_some_and(|w| !w[node.index()]) {
            continue;
        }
        let children = document.children(node);
        rows.push(TreeRow::Node { node, depth, parent_of_some: !children.is_empty() });
        if wanted.is_some() || !state.closed.contains(&node) {
            stack.extend(children.iter().rev().map(|c| (*c, depth + 1)));
        }
    }
    for section in Section::ALL {
        let things = section.things(document);
        if things.is_empty() {
            continue;
        }
        if needle.is_empty() {
            rows.push(TreeRow::Section(section, things.len()));
        }
        if state.open.contains(&section) || !needle.is_empty() {
            let hit = |t: &AssetRef| {
                needle.is_empty()
                    || t.name(document).to_lowercase().contains(&needle)
                    || t.label().to_lowercase() == needle
            };
            rows.extend(things.into_iter().filter(hit).map(TreeRow::AssetRef));
        }
    }
    rows
}

pub fn row_ui(
    state: &mut TreeState,
    ui: &mut Ui,
    view: &View<'_>,
    rows: &[TreeRow],
    item: &TreeRow,
    actions: &mut Actions,
) {
    match *item {
        TreeRow::Node { node, depth, parent_of_some } => {
            let of = (node, depth, parent_of_some);
            if let Some(response) = node_ui(state, ui, view, rows, of, actions) {
                state.type_ahead.row(ui, *item, &response);
            }
        }
        TreeRow::Section(section, count) => section_ui(&mut state.open, ui, view, section, count),
        TreeRow::Reference(number) => reference_ui(ui, view, number, actions),
        TreeRow::Group(number) => {
            group_ui(&mut state.group_renaming, ui, view, number, actions);
        }
        TreeRow::AssetRef(thing) => thing_ui(&mut state.things, ui, view, thing, actions),
    }
}

fn node_ui(
    state: &mut TreeState,
    ui: &mut Ui,
    view: &View<'_>,
    rows: &[TreeRow],
    (id, depth, parent_of_some): (NodeId, usize, bool),
    actions: &mut Actions,
) -> Option<egui::Response> {
    let theme = view.theme;
    let document = view.session.map(|s| s.document())?;
    let label = document.node(id).label(id);
    let selected = view.selection.nodes.contains(&id);
    let hidden = view.is_hidden(id);
    let (rect, response) =
        ui.push_id(id.0, |ui| row(ui, theme, Measure::RowTree.points(), &label, selected)).inner;
    let indent = ui.spacing().indent;
    // The indentation of deep nodes is limited, so that their names stay visible.
    let depth = depth.min(18);
    depth_lines(ui, theme, rect, depth);
    let mut x = rect.left() + 6.0 + depth as f32 * indent;
    let middle = rect.center().y;
    if parent_of_some {
        fold_ui(state, ui, theme, (id, &label), pos2(x + 8.0, middle), actions);
    }
    x += 24.0;
    let hovered = view.hover == Some(id);
    let role = match (selected, hidden, hovered) {
        (true, ..) => ColorRole::SelectionBase,
        (_, true, _) => ColorRole::TextDisabled,
        (.., true) => ColorRole::TextPrimary,
        _ => ColorRole::TextSecondary,
    };
    let (at, color) = (pos2(x, middle), theme.color(role));
    node_icon(ui.painter(), view, document, id, at, color);
    x += 12.0;
    let over = ui.rect_contains_pointer(rect);
    let masked = mask_ui(&mut state.mask, ui, view, document, (id, &label), rect, actions);
    let right =
        masked.unwrap_or_else(|| badges_ui(state, ui, view, (id, &label), rect, over, actions));
    if state.renaming.as_ref().is_some_and(|draft| draft.of == id) {
        rename_ui(
            state,
            ui,
            view,
            id,
            Rect::from_min_max(pos2(x - 4.0, rect.top() + 1.0), pos2(right, rect.bottom() - 1.0)),
            actions,
        );
        return None;
    }
    let font = Theme::font(Font::Body);
    let text = elided(ui, &label, &font, (right - x + 2.0).max(20.0));
    let role = match (selected, hidden) {
        (true, _) => ColorRole::SelectionText,
        (_, true) => ColorRole::TextDisabled,
        _ => ColorRole::TextPrimary,
    };
    ui.painter().text(
        pos2(x, middle),
        egui::Align2::LEFT_CENTER,
        text.clone(),
        font,
        theme.color(role),
    );
    if state.mask.is_none() {
        row_drag(&mut state.drag, ui, view, (id, depth), rect, &response);
    }
    let mut renames = false;
    node_menu(&response, view, id, &mut || renames = true, actions);
    if renames {
        state.renaming = Some(NameDraft::new(id, &label));
    }
    let response = if text == label { response } else { response.on_hover_text(&label) };
    if response.hovered() && view.joints[id.index()] {
        actions.push(ViewportAction::Hover(Some(id)));
    }
    if response.clicked() {
        let modifiers = ui.input(|i| i.modifiers);
        if modifiers.shift
            && let Some(anchor) = state.anchor
            && let (Some(a), Some(b)) = (
                rows.iter().position(|r| r.node() == Some(anchor)),
                rows.iter().position(|r| r.node() == Some(id)),
            )
        {
            let nodes = rows[a.min(b)..=a.max(b)].iter().filter_map(TreeRow::node).collect();
            actions.push(OutlinerAction::SelectMany { nodes, add: modifiers.command });
        } else {
            state.anchor = Some(id);
            actions.push(OutlinerAction::Select { node: id, toggle: modifiers.command });
        }
        state.seen = Some(id);
    }
    if response.double_clicked() {
        state.renaming = Some(NameDraft::new(id, label));
    }
    Some(response)
}

/// Draws a vertical line for each ancestor of a node, at the left of its row.
fn depth_lines(ui: &Ui, theme: &Theme, rect: Rect, depth: usize) {
    let indent = ui.spacing().indent;
    let stroke = egui::Stroke::new(1.0, theme.color(ColorRole::StrokeSubtle));
    for level in 1..=depth {
        let x = rect.left() + 8.0 + (level as f32 - 0.5) * indent + 4.0;
        ui.painter().vline(x.floor() + 0.5, rect.y_range(), stroke);
    }
}

fn fold_ui(
    state: &mut TreeState,
    ui: &Ui,
    theme: &Theme,
    (id, label): (NodeId, &str),
    at: Pos2,
    actions: &mut Actions,
) {
    let arrow = Rect::from_center_size(at, vec2(16.0, 20.0));
    let open = !state.closed.contains(&id);
    let fold = ui.interact(arrow, ui.scope_id().with(("fold", id.0)), Sense::click());
    let name = format!("{} {label}", if open { "Close" } else { "Open" });
    fold.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
    let icon = if open { icons::ICON_EXPAND_MORE } else { icons::ICON_CHEVRON_RIGHT };
    let color = if fold.hovered() {
        theme.color(ColorRole::TextPrimary)
    } else {
        theme.color(ColorRole::TextTertiary)
    };
    paint_icon(ui.painter(), arrow.center(), icon, 16.0, color);
    if fold.clicked() {
        if open {
            state.closed.insert(id);
        } else {
            state.closed.remove(&id);
        }
        // A click on the arrow must not select the node.
        actions.retain(|a| !matches!(a, Action::Outliner(OutlinerAction::Select { .. })));
    }
}

/// Draws the marks and buttons on the right of a row. Returns their left edge. Visibility and lock
/// buttons appear under the pointer.
fn badges_ui(
    state: &TreeState,
    ui: &Ui,
    view: &View<'_>,
    (id, label): (NodeId, &str),
    rect: Rect,
    over: bool,
    actions: &mut Actions,
) -> f32 {
    let theme = view.theme;
    if view.session.is_none() {
        return rect.right();
    }
    let middle = rect.center().y;
    let mut right = rect.right() - 14.0;
    let mut button = |icon, on: bool, name: String, strong: bool| -> bool {
        if !over && !on {
            return false;
        }
        let area = Rect::from_center_size(pos2(right, middle), vec2(18.0, 20.0));
        let response = ui.interact(area, ui.scope_id().with((&name, id.0)), Sense::click());
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, on, &name));
        let role = if response.hovered() || strong {
            ColorRole::TextPrimary
        } else {
            ColorRole::TextTertiary
        };
        paint_icon(ui.painter(), area.center(), icon, 15.0, theme.color(role));
        right -= 18.0;
        response.on_hover_text(name).clicked()
    };
    let hidden = view.is_hidden(id);
    let locked = view.visibility.locked.contains(&id);
    let eye = if hidden { icons::ICON_VISIBILITY_OFF } else { icons::ICON_VISIBILITY };
    let verb = if hidden { "Show" } else { "Hide" };
    if button(eye, hidden, format!("{verb} {label}"), false) {
        actions.push(OutlinerAction::SetHidden { node: id, hidden: !hidden });
    }
    let lock = if locked { icons::ICON_LOCK } else { icons::ICON_LOCK_OPEN };
    let verb = if locked { "Unlock" } else { "Lock" };
    if button(lock, locked, format!("{verb} {label}"), locked) {
        actions.push(OutlinerAction::SetLocked { node: id, locked: !locked });
    }
    signs(&state.badges, ui.painter(), view, id, pos2(right, middle))
}

/// Draws the marks of a node from right to left. Returns their left edge.
fn signs(badges: &Badges, painter: &Painter, view: &View<'_>, id: NodeId, from: Pos2) -> f32 {
    let theme = view.theme;
    let Some(session) = view.session else { return from.x };
    let document = session.document();
    let node = document.node(id);
    let (mut right, middle) = (from.x, from.y);
    let unkeyed = badges.unkeyed.contains(&id);
    let opened = session.opened().nodes.get(id);
    if unkeyed {
        painter.circle_stroke(
            pos2(right, middle),
            3.0,
            egui::Stroke::new(1.5, theme.color(ColorRole::JointPending)),
        );
        right -= 12.0;
    } else if opened.is_some_and(|o| {
        o.pose != node.pose
            || o.name != node.name
            || o.hidden != node.hidden
            || o.morph_weights != node.morph_weights
            || o.parent != node.parent
    }) {
        painter.circle_filled(pos2(right, middle), 3.0, theme.color(ColorRole::JointEdited));
        right -= 12.0;
    } else if node.pose.is_some() {
        painter.circle_stroke(
            pos2(right, middle),
            2.5,
            egui::Stroke::new(1.0, theme.color(ColorRole::JointEdited)),
        );
        right -= 12.0;
    }
    if badges.is_layered(id) {
        let mark = egui::Rect::from_center_size(pos2(right - 1.0, middle), egui::vec2(3.0, 12.0));
        painter.rect_filled(mark, 1.0, theme.color(ColorRole::AccentBase));
        right -= 12.0;
    }
    if badges.is_animated(id) {
        diamond(
            painter,
            pos2(right, middle),
            7.0,
            theme.color(ColorRole::KeyInbetween),
            Color32::TRANSPARENT,
        );
        right -= 12.0;
    }
    if let Some(pin) = document.aids.pins.get(&id) {
        pin_mark(painter, theme, pos2(right - 2.0, middle), *pin, 0.75, false);
        right -= 18.0;
    }
    let weighted =
        node.mesh.is_some_and(|m| document.mesh(m).primitives.iter().any(|p| p.weights.is_some()));
    if weighted {
        paint_icon(
            painter,
            pos2(right, middle),
            icons::ICON_WATER_DROP,
            14.0,
            theme.color(ColorRole::TextTertiary),
        );
        right -= 16.0;
    }
    if badges.is_faulty(id) {
        paint_icon(
            painter,
            pos2(right, middle),
            icons::ICON_WARNING,
            15.0,
            theme.color(ColorRole::SeverityWarning),
        );
        right -= 16.0;
    }
    right
}

/// Draws the text field for renaming a node. Enter or leaving the field accepts the name, and
/// Escape cancels.
fn rename_ui(
    state: &mut TreeState,
    ui: &mut Ui,
    view: &View<'_>,
    id: NodeId,
    area: Rect,
    actions: &mut Actions,
) {
    let (Some(draft), Some(session)) = (&mut state.renaming, view.session) else { return };
    let document = session.document();
    let is_taken = |name: &str| {
        document.nodes.iter().any(|(other, n)| other != id && n.name.as_deref() == Some(name))
    };
    let kind = node_kind(view, document, id);
    let check = |name: &str| NameCheck::shared(name, kind, || is_taken(name));
    match draft.show(ui, view.theme, area, "New name", check) {
        NameEnd::Typing => return,
        NameEnd::Kept(name) if document.node(id).label(id) != name => {
            let node = Nodes::one(id);
            actions.push(Action::Run(RenameNode { node, name }.into()));
        }
        NameEnd::Kept(_) | NameEnd::Left => {}
    }
    state.renaming = None;
}
