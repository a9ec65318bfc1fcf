//! The rows of the timeline: which there are, and their names at the left.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    rc::Rc,
};

use egui::{Align2, Painter, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;

use super::{
    TimelineState,
    filter::Listed,
    sheet::{Replaced, changed_tracks},
    values::{Channel, morph_ui, values_ui},
};
use crate::ui::popups::{context_menu, menu_button};
use crate::ui::{
    Action, Actions, OutlinerAction, Theme, TimelineAction, View, ViewportAction,
    theme::Font,
    timeline::domain::SelectHow,
    widgets::{elided, node_icon, paint_icon},
};
use ulna_edit::command::{
    ChangeKeys, SetKey, ValueAbout, ValueHow, WhichKeys,
    field::{ClipName, KeyParts, Nodes, Numbers, Seconds},
};
use ulna_model::{
    Clip, ClipId, DisplayChoice, Document, KeySet, KeyTimes, LayerHome, NodeId, PoseLayerId,
    PoseLayers, Property, Shared, Track, TrackId, Tree,
};
use ulna_render::ColorRole;

/// A node with the tracks that move it.
type Animated = (NodeId, Vec<(TrackId, Shared<Track>)>);

/// What a row shows.
#[derive(Clone, Debug)]
pub enum Row {
    Summary,
    Node(NodeId),
    Channel(NodeId, TrackId, Property),
    /// One of the morph targets that a channel moves.
    Morph(NodeId, TrackId, usize),
    /// A channel that names by a pointer what it moves: seen, not edited.
    Pointer(usize),
    /// The strength of a layer, where it has keys.
    Strength(PoseLayerId),
}

impl Row {
    /// The node that it is of.
    pub const fn node(&self) -> Option<NodeId> {
        match self {
            Self::Node(node) | Self::Channel(node, ..) | Self::Morph(node, ..) => Some(*node),
            Self::Summary | Self::Pointer(_) | Self::Strength(_) => None,
        }
    }
}

/// What rows are listed from.
#[derive(Clone, Debug, PartialEq)]
pub struct RowsOf {
    clips: (Shared<Clip>, Option<Shared<Clip>>),
    layers: Shared<PoseLayers>,
    tree: Shared<Tree>,
    shown: DisplayChoice,
    filter: Listed,
    open: BTreeSet<NodeId>,
    /// A state of the document, where names are looked for.
    named: Option<u64>,
    /// Where only selected joints are listed.
    selection: Option<BTreeSet<NodeId>>,
    /// The playhead, where only tracks with a key there are listed.
    time: Option<u64>,
}

impl RowsOf {
    fn new(
        document: &Document,
        (id, clip, behind): (ClipId, &Shared<Clip>, Option<&Shared<Clip>>),
        view: &View<'_>,
        state: &TimelineState,
    ) -> Self {
        let filter = &state.filter;
        Self {
            clips: (clip.clone(), behind.cloned()),
            layers: document.aids.layers(LayerHome::Clip(id)),
            tree: document.nodes.tree().clone(),
            shown: document.shown,
            filter: filter.listed(),
            open: state.open.clone(),
            named: view.session.map(|s| s.generation()).filter(|_| !filter.name.is_empty()),
            selection: filter.selected_only.then(|| view.selection.nodes.clone()),
            time: filter.here_only.then(|| view.timeline.playback.time.to_bits()),
        }
    }
}

impl RowsOf {
    /// Whether there are the same rows: but for keys all that they are listed from is the same.
    fn lists_as(&self, other: &Self) -> bool {
        let Self { clips, layers, tree, shown, filter, open, named, selection, time } = self;
        let targets = |clip: &Shared<Clip>| clip.tracks.targets().clone();
        let same_behind = clips.1.as_ref().map(targets) == other.clips.1.as_ref().map(targets);
        targets(&clips.0) == targets(&other.clips.0)
            && same_behind
            && clips.0.pointers == other.clips.0.pointers
            && (layers, tree) == (&other.layers, &other.tree)
            && (shown, filter, open, named)
                == (&other.shown, &other.filter, &other.open, &other.named)
            && (selection, time) == (&other.selection, &other.time)
    }
}

/// What there is to be listed.
#[derive(Clone, Debug)]
pub struct Rows {
    /// Nodes that move, with their tracks.
    nodes: Vec<Animated>,
    /// Where each is among them.
    at: HashMap<NodeId, usize>,
    /// One after the other.
    pub list: Vec<Row>,
    /// Nodes that layers of the clip move.
    pub layered: HashSet<NodeId>,
}

impl TimelineState {
    /// The rows of a clip: the same ones as long as nothing that they are listed from is another.
    pub fn rows_of(
        &mut self,
        document: &Document,
        (id, clip, behind): (ClipId, &Shared<Clip>, Option<&Shared<Clip>>),
        view: &View<'_>,
    ) -> Rc<Rows> {
        let of = RowsOf::new(document, (id, clip, behind), view, self);
        if let Some(rows) = self.rows.get().filter(|_| self.rows.is_of(&of)) {
            return rows.clone();
        }
        let moved = self.rows.take().and_then(|(was, mut rows)| {
            // Which rows there are depends on no key, unless it is asked for.
            let follows = !self.filter.is_on() && was.lists_as(&of);
            let changed = follows.then(|| changed_tracks(&was.clips.0, clip)).flatten()?;
            Rc::make_mut(&mut rows).follow(&changed).then_some(rows)
        });
        let rows = moved.unwrap_or_else(|| {
            Rc::new(Rows::of(document, (id, clip, behind.map(|c| &**c)), view, self))
        });
        self.rows.put(of, rows.clone());
        rows
    }
}

impl Rows {
    /// The rows of a clip that are not folded away or left out.
    ///
    /// Where the keys are those of a layer, `behind` is the clip below it, whose nodes have rows,
    /// too.
    fn of(
        document: &Document,
        (id, clip, behind): (ClipId, &Clip, Option<&Clip>),
        view: &View<'_>,
        state: &TimelineState,
    ) -> Self {
        let nodes = animated(document, (clip, behind), view, state);
        let layers = document.aids.layers(LayerHome::Clip(id));
        let layered = layers.counting().flat_map(|l| l.nodes()).collect();
        let keyed = layers.iter().rev().filter(|l| l.strength_keys.is_some());
        let mut list: Vec<Row> = keyed.map(|l| Row::Strength(l.id)).collect();
        for (node, tracks) in &nodes {
            list.push(Row::Node(*node));
            if state.open.contains(node) {
                list.extend(tracks.iter().flat_map(|(id, t)| channel_rows(*node, *id, t)));
            }
        }
        let needle = state.filter.name.to_lowercase();
        let pointers = clip
            .pointers
            .iter()
            .enumerate()
            .filter(|(_, p)| p.pointer.to_lowercase().contains(&needle));
        if !state.filter.selected_only && !state.filter.is_on() {
            list.extend(pointers.map(|(k, _)| Row::Pointer(k)));
        }
        let at = nodes.iter().enumerate().map(|(k, (node, _))| (*node, k)).collect();
        Self { nodes, at, list, layered }
    }

    /// Takes tracks up that stand in the place of others; not where one of those is not listed.
    fn follow(&mut self, changed: &[Replaced<'_>]) -> bool {
        changed.iter().all(|(was, is)| {
            let (Some(was), Some(is)) = (was, is) else { return false };
            let of = self.at.get(&was.target).and_then(|k| self.nodes.get_mut(*k));
            let place =
                of.and_then(|(_, tracks)| tracks.iter_mut().find(|(_, t)| Shared::ptr_eq(t, was)));
            place.is_some_and(|(_, track)| {
                let same = track.width == is.width;
                *track = (*is).clone();
                same
            })
        })
    }

    /// The tracks whose keys a row shows.
    pub fn tracks(&self, row: &Row) -> &[(TrackId, Shared<Track>)] {
        let of = |node: &NodeId| self.at.get(node).map_or(&[][..], |k| &self.nodes[*k].1);
        match row {
            Row::Node(node) => of(node),
            Row::Channel(node, id, _) | Row::Morph(node, id, _) => {
                let tracks = of(node);
                tracks.iter().position(|(k, _)| k == id).map_or(&[], |k| &tracks[k..=k])
            }
            Row::Summary | Row::Pointer(_) | Row::Strength(_) => &[],
        }
    }

    /// The tracks of all rows.
    pub fn all_tracks(&self) -> impl Iterator<Item = &(TrackId, Shared<Track>)> {
        self.nodes.iter().flat_map(|(_, tracks)| tracks)
    }

    fn track_count(&self) -> usize {
        self.nodes.iter().map(|(_, tracks)| tracks.len()).sum()
    }
}

/// The row of a channel; those of its targets where it moves morph targets.
fn channel_rows(node: NodeId, id: TrackId, track: &Track) -> Vec<Row> {
    /// More are one row: a list of hundreds is no help.
    const MOST: usize = 100;
    if track.property == Property::Weights && track.width <= MOST {
        return (0..track.width).map(|k| Row::Morph(node, id, k)).collect();
    }
    vec![Row::Channel(node, id, track.property)]
}

/// Tracks of each animated node, in the order of the tree.
fn animated(
    document: &Document,
    (clip, behind): (&Clip, Option<&Clip>),
    view: &View<'_>,
    state: &TimelineState,
) -> Vec<Animated> {
    let mut by_node: Vec<Vec<(TrackId, Shared<Track>)>> = vec![Vec::new(); document.nodes.len()];
    for (id, track) in &clip.tracks {
        by_node[track.target.index()].push((*id, track.clone()));
    }
    let mut also = vec![false; document.nodes.len()];
    for track in behind.iter().flat_map(|c| c.tracks.values()) {
        also[track.target.index()] = true;
    }
    let mut order = document.shown_nodes();
    let mut listed = vec![false; document.nodes.len()];
    for id in &order {
        listed[id.index()] = true;
    }
    order.extend(document.node_ids().filter(|id| !listed[id.index()]));
    let filter = &state.filter;
    let needle = filter.name.to_lowercase();
    let mut list: Vec<Animated> = order
        .into_iter()
        .filter_map(|id| {
            let mut tracks = std::mem::take(&mut by_node[id.index()]);
            let pinned = filter.pinned.contains(&id);
            let named =
                needle.is_empty() || document.node(id).label(id).to_lowercase().contains(&needle);
            let chosen = !filter.selected_only || view.selection.nodes.contains(&id);
            if !pinned && (!named || !chosen) {
                return None;
            }
            if !pinned {
                tracks.retain(|(id, track)| filter.lists(view, *id, track));
            }
            tracks.sort_by_key(|(_, t)| t.property);
            (!tracks.is_empty() || also[id.index()]).then_some((id, tracks))
        })
        .collect();
    // Pinned ones first, each half in the order of the tree.
    list.sort_by_key(|(id, _)| !filter.pinned.contains(id));
    list
}

/// Where a row's name is drawn.
struct Place<'a> {
    painter: &'a Painter,
    area: Rect,
    /// What of the area is not covered by the ruler.
    seen: Rect,
}

impl Place<'_> {
    fn at(&self, x: f32) -> egui::Pos2 {
        pos2(self.area.left() + x, self.area.center().y)
    }

    fn text(&self, x: f32, text: &str, font: Font, color: egui::Color32) {
        self.painter.text(self.at(x), Align2::LEFT_CENTER, text, Theme::font(font), color);
    }

    fn text_at_right(&self, text: &str, color: egui::Color32) {
        let at = pos2(self.area.right() - 10.0, self.area.center().y);
        self.painter.text(at, Align2::RIGHT_CENTER, text, Theme::font(Font::Caption), color);
    }
}

/// The name of a row, in `rect`, of which what is in `clip` is seen.
pub fn name_ui(
    state: &mut TimelineState,
    ui: &mut Ui,
    view: &View<'_>,
    (rows, row): (&Rows, &Row),
    rect: Rect,
    clip: Rect,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let area = Rect::from_min_max(rect.min, pos2(clip.right(), rect.bottom()));
    let place = Place { painter: &ui.painter_at(clip), area, seen: area.intersect(clip) };
    match row {
        Row::Summary => {
            place.painter.rect_filled(area, 0.0, theme.color(ColorRole::SurfaceTimelineSummary));
            let all = if view.joints.contains(&true) { "All joints" } else { "All nodes" };
            place.text(16.0, all, Font::Heading, theme.color(ColorRole::TextPrimary));
            let count = match rows.track_count() {
                1 => "1 track".to_owned(),
                n => format!("{n} tracks"),
            };
            place.text_at_right(&count, theme.color(ColorRole::TextTertiary));
        }
        Row::Node(node) => {
            node_name_ui(state, ui, view, document, *node, &place, actions);
            if rows.layered.contains(node) {
                let x = area.right() - if state.filter.pinned.contains(node) { 24.0 } else { 8.0 };
                let mark = Rect::from_center_size(pos2(x, area.center().y), vec2(3.0, 12.0));
                place.painter.rect_filled(mark, 1.0, theme.color(ColorRole::AccentBase));
            }
        }
        Row::Pointer(k) => {
            let clip = view.timeline.playback.clip.and_then(|c| document.clips.get(c));
            let Some(pointer) = clip.and_then(|c| c.pointers.get(*k)) else { return };
            paint_icon(
                place.painter,
                place.at(34.0),
                icons::ICON_LINK,
                14.0,
                theme.color(ColorRole::TextTertiary),
            );
            let text = elided(ui, &pointer.pointer, &Theme::font(Font::Small), area.width() - 56.0);
            place.text(46.0, &text, Font::Small, theme.color(ColorRole::TextSecondary));
            let seen = ui.interact(place.seen, ui.scope_id().with(("pointer", *k)), Sense::hover());
            let name = format!("Pointer {}", pointer.pointer);
            seen.widget_info(|| WidgetInfo::labeled(Role::Label, true, &name));
            seen.on_hover_text(format!(
                "{}\nRead-only: kept unchanged in the file",
                pointer.pointer
            ));
        }
        // Drawn with its curve.
        Row::Strength(_) => {}
        Row::Morph(node, id, target) => {
            let Some((_, track)) = rows.tracks(row).first() else { return };
            let mesh = document.node(*node).mesh.map(|m| document.mesh(m));
            let name = mesh.and_then(|m| m.target_names.get(*target));
            let name = name.map_or_else(|| format!("target {target}"), |n| n.to_string());
            place.text(32.0, "M", Font::Caption, theme.color(ColorRole::TextTertiary));
            let shown = elided(ui, &name, &Theme::font(Font::Small), area.width() - 46.0 - 92.0);
            place.text(46.0, &shown, Font::Small, theme.color(ColorRole::TextSecondary));
            if let Some(clip) = view.shown_clip() {
                let channel = Channel { clip, node: *node, track: *id, keys: track };
                morph_ui(ui, view, channel, (*target, &name), (place.area, place.seen), actions);
            }
        }
        Row::Channel(node, _, property) => {
            let mut title = property.path().to_owned();
            title[..1].make_ascii_uppercase();
            place.text(32.0, &title[..1], Font::Caption, theme.color(ColorRole::TextTertiary));
            let Some((id, track)) = rows.tracks(row).first() else { return };
            let hover =
                ui.interact(place.seen, ui.scope_id().with(("channel", id.0)), Sense::hover());
            hover.on_hover_text(format!(
                "{title}, {} keys, {}",
                track.times.len(),
                track.interpolation.label()
            ));
            if let Some(shown) = view.shown_clip().filter(|_| *property != Property::Weights) {
                let channel = Channel { clip: shown, node: *node, track: *id, keys: track };
                values_ui(ui, view, channel, place.area, place.seen, actions);
            } else {
                place.text(46.0, &title, Font::Small, theme.color(ColorRole::TextSecondary));
            }
        }
    }
}

fn node_name_ui(
    state: &mut TimelineState,
    ui: &Ui,
    view: &View<'_>,
    document: &Document,
    node: NodeId,
    place: &Place<'_>,
    actions: &mut Actions,
) {
    let (theme, area, painter) = (view.theme, place.area, place.painter);
    let label = document.node(node).label(node);
    let selected = view.selection.nodes.contains(&node);
    let response = ui.interact(place.seen, ui.scope_id().with(("track", node.0)), Sense::click());
    response.widget_info(|| {
        WidgetInfo::selected(Role::TreeItem, true, selected, format!("Track {label}"))
    });
    if selected {
        painter.rect_filled(area, 0.0, theme.color(ColorRole::SelectionTint));
        let bar = Rect::from_min_size(area.min, vec2(2.0, area.height()));
        painter.rect_filled(bar, 0.0, theme.color(ColorRole::SelectionBase));
    } else if response.hovered() {
        painter.rect_filled(area, 0.0, theme.color(ColorRole::SurfaceRowHover));
    }
    let fold = Rect::from_center_size(place.at(16.0), vec2(18.0, 20.0)).intersect(place.seen);
    let open = state.open.contains(&node);
    if fold.is_positive() {
        let arrow = ui.interact(fold, ui.scope_id().with(("open track", node.0)), Sense::click());
        arrow.widget_info(|| {
            WidgetInfo::labeled(Role::Button, true, format!("Channels of {label}"))
        });
        if arrow.clicked() && !state.open.remove(&node) {
            state.open.insert(node);
        }
    }
    let icon = if open { icons::ICON_EXPAND_MORE } else { icons::ICON_CHEVRON_RIGHT };
    paint_icon(painter, place.at(16.0), icon, 15.0, theme.color(ColorRole::TextTertiary));
    let (icon, text) = match selected {
        true => (ColorRole::SelectionBase, ColorRole::SelectionText),
        false => (ColorRole::TextSecondary, ColorRole::TextPrimary),
    };
    node_icon(painter, view, document, node, place.at(34.0), theme.color(icon));
    let shown = elided(ui, &label, &Theme::font(Font::Small), area.width() - 56.0);
    place.text(46.0, &shown, Font::Small, theme.color(text));
    let pinned = state.filter.pinned.contains(&node);
    if pinned {
        let at = pos2(area.right() - 12.0, area.center().y);
        paint_icon(painter, at, icons::ICON_KEEP, 13.0, theme.color(ColorRole::AccentText));
    }
    context_menu(&response, |ui| row_menu(state, ui, view, (node, &label, pinned), actions));
    if response.hovered() {
        actions.push(ViewportAction::Hover(Some(node)));
    }
    if response.clicked() {
        let toggle = ui.input(|i| i.modifiers.command || i.modifiers.shift);
        actions.push(OutlinerAction::Select { node, toggle });
    }
}

/// More or less of what a joint does, about the mean of its keys: of a translation also along one
/// axis.
fn amplitudes(ui: &mut Ui, view: &View<'_>, id: ClipId, node: NodeId, actions: &mut Actions) {
    let Some(clip) = view.session.and_then(|s| view.keys_clip(s.document(), id)) else { return };
    for (property, label) in
        [(Property::Translation, "Translation"), (Property::Rotation, "Rotation")]
    {
        if clip.track(node, property).is_none_or(|(_, t)| t.times.len() < 2) {
            continue;
        }
        menu_button(ui, format!("{label} amplitude"), |ui| {
            ui.set_min_width(120.0);
            factors(ui, (id, node, property), |by| vec![by], actions);
            if property == Property::Translation {
                ui.separator();
                for (axis, name) in ["X", "Y", "Z"].into_iter().enumerate() {
                    menu_button(ui, format!("{name} only"), |ui| {
                        let along =
                            |by: f64| (0..3).map(|k| if k == axis { by } else { 1.0 }).collect();
                        factors(ui, (id, node, property), along, actions);
                    });
                }
            }
        });
    }
}

/// One button per factor of the values of a joint's keys; `numbers` makes one number per component
/// of it, or one for all.
fn factors(
    ui: &mut Ui,
    (id, node, property): (ClipId, NodeId, Property),
    numbers: impl Fn(f64) -> Vec<f64>,
    actions: &mut Actions,
) {
    const TIMES: [(f64, &str); 5] =
        [(0.5, "½"), (0.75, "¾"), (1.25, "1¼"), (1.5, "1½"), (2.0, "2")];
    for (by, text) in TIMES {
        if ui.button(format!("× {text}")).clicked() {
            let which = WhichKeys {
                node: Some(Nodes::one(node)),
                parts: Some(KeyParts(vec![property])),
                ..WhichKeys::default()
            };
            let change = ChangeKeys {
                clip: ClipName::Id(id),
                how: ValueHow::Scale,
                by: Numbers(numbers(by)),
                about: Some(ValueAbout::Mean),
                which,
            };
            actions.push(Action::Run(change.into()));
            ui.close();
        }
    }
}

/// What can be done with the row of a joint.
fn row_menu(
    state: &mut TimelineState,
    ui: &mut Ui,
    view: &View<'_>,
    (node, label, pinned): (NodeId, &str, bool),
    actions: &mut Actions,
) {
    ui.set_min_width(190.0);
    let clip = view.shown_clip();
    if ui.button("Select all its keys").clicked() {
        let home = view.keys_home();
        if let (Some(home), Some(clip)) =
            (home, home.and_then(|h| view.keys_clip(view.session?.document(), h.clip)))
        {
            let keys = KeySet::of(clip, |_, t| match t.target == node {
                true => KeyTimes::part(&t.times, 0..t.times.len()),
                false => KeyTimes::default(),
            });
            actions.push(TimelineAction::SelectKeys { home, keys, how: SelectHow::Only });
        }
        ui.close();
    }
    if let Some(id) = clip
        && ui.button(format!("Key {label} here")).clicked()
    {
        let time = Seconds(view.timeline.playback.time as f32);
        let interpolation = Some(view.settings.new_keys);
        let key = SetKey { interpolation, ..SetKey::new(ClipName::Id(id), time, Nodes::one(node)) };
        actions.push(Action::Run(key.into()));
        ui.close();
    }
    if let Some(id) = clip {
        amplitudes(ui, view, id, node, actions);
    }
    ui.separator();
    if ui.button(if pinned { "Unpin" } else { "Pin to the top" }).clicked() {
        if !state.filter.pinned.remove(&node) {
            state.filter.pinned.insert(node);
        }
        ui.close();
    }
    if ui.button("Open all rows").clicked() {
        if let Some(document) = view.session.map(|s| s.document()) {
            state.open.extend(document.node_ids());
        }
        ui.close();
    }
    if ui.button("Close all rows").clicked() {
        state.open.clear();
        ui.close();
    }
}
