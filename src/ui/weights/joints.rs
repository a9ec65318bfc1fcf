//! The joints of the painted skin, with their weights at the cursor and their locks. The list can
//! be flat or a tree, and several joints can be selected.

use egui::{RichText, Role, Sense, Ui, WidgetInfo, vec2};
use egui_material_icons::icons;

use super::{
    joint_rows::{Click, Numbers, ROW, Row, joint_row},
    selection_key::selection_key,
};
use crate::ui::popups::menu_button;
use crate::ui::{
    Actions, Theme, View,
    drop_down::option_row,
    theme::Font,
    type_ahead::TypeAhead,
    widgets::{filter_field, is_said, paint_icon, panel_title},
};
use crate::ui::{JointAct, OutlinerAction, PaintAction};
use ulna_model::LayerId;
use ulna_model::{Document, NodeId, SkinId};
use ulna_render::ColorRole;
use ulna_weights::SkinnedSurface;
use ulna_weights::layers::LayerTarget;

/// Minimum width in points for the filter and the limits on one line.
const ONE_LINE: f32 = 290.0;
/// Title of the panel.
const TITLE: &str = "Joints";

/// Minimum number of visible rows.
const ROWS: f32 = 5.0;

/// Filter of the listed joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JointsShown {
    /// All joints of the skin.
    #[default]
    All,
    /// Joints with weight on a vertex.
    Deforming,
    /// Joints with weight under the brush.
    Here,
    /// Joints with weight on a selected vertex.
    OnSelected,
    /// Joints in the painted layer.
    InLayer,
}

impl JointsShown {
    const ALL: [Self; 5] =
        [Self::All, Self::Deforming, Self::Here, Self::OnSelected, Self::InLayer];

    /// True if the filter depends on selected vertices or the painted layer.
    const fn is_of_some(self) -> bool {
        matches!(self, Self::OnSelected | Self::InLayer)
    }

    /// Text for an empty list.
    const fn none(self) -> &'static str {
        match self {
            Self::All => "The skin has no joints",
            Self::Deforming => "No joint deforms the mesh",
            Self::Here => "Point at the model to list its joints",
            Self::OnSelected => "No vertices are selected",
            Self::InLayer => "The painted layer is empty",
        }
    }

    const fn label(self) -> &'static str {
        match self {
            Self::All => "All joints",
            Self::Deforming => "Deforming",
            Self::Here => "Under the brush",
            Self::OnSelected => "On selected vertices",
            Self::InLayer => "In the painted layer",
        }
    }
}

/// State of the list between frames.
#[derive(Clone, Debug, Default)]
pub struct JointList {
    filter: String,
    shown: JointsShown,
    tree: bool,
    /// Selected joints; the last clicked one is at the end.
    chosen: Vec<NodeId>,
    /// Height in points of the rest of the panel.
    others: f32,
    /// The painted joint in the last frame.
    painted: Option<NodeId>,
    /// For each joint of the skin, true if selected vertices or the painted layer use it; cached
    /// with the inputs of the computation.
    held: Option<(HeldKey, Vec<bool>)>,
    /// Letters typed while a row has the focus.
    type_ahead: TypeAhead<NodeId>,
}

/// Inputs of the listed joints: document revision, skin, layer, and selected vertices.
#[derive(Clone, Debug, PartialEq)]
struct HeldKey {
    generation: u64,
    skin: SkinId,
    layer: Option<LayerId>,
    selected: (usize, u64),
}

impl JointList {
    /// The selected joints.
    pub fn chosen(&self) -> &[NodeId] {
        &self.chosen
    }

    /// Selects the painted joint after it was changed elsewhere.
    fn follow(&mut self, view: &View<'_>, canvas: &SkinnedSurface) {
        let painted = view.paint.joint().and_then(|j| canvas.joints().get(usize::from(j)).copied());
        if self.painted != painted {
            self.painted = painted;
            self.chosen = painted.into_iter().collect();
        }
    }

    /// Updates the joints that selected vertices or the painted layer use, if the filter needs them
    /// and an input changed.
    fn hold(&mut self, view: &View<'_>, document: &Document, canvas: &SkinnedSurface) {
        let layer = match view.paint.layering.target {
            Some(LayerTarget::Layer(id)) => {
                document.aids.weight_layers.get(&canvas.skin).and_then(|l| l.layer(id))
            }
            _ => None,
        };
        if self.shown == JointsShown::InLayer && layer.is_none() {
            self.shown = JointsShown::All;
        }
        if !self.shown.is_of_some() {
            return;
        }
        let of_layer = layer.filter(|_| self.shown == JointsShown::InLayer);
        let key = HeldKey {
            generation: view.session.map_or(0, ulna_session::Session::generation),
            skin: canvas.skin,
            layer: of_layer.map(|l| l.id),
            selected: if of_layer.is_some() {
                (0, 0)
            } else {
                selection_key(view.paint.vertices())
            },
        };
        // During a stroke, the list is not updated.
        let known = self
            .held
            .as_ref()
            .is_some_and(|(of, _)| *of == key || (view.paint.is_stroking() && of.skin == key.skin));
        if known {
            return;
        }
        let mut held = vec![false; canvas.joints().len()];
        let mut mark = |joints: &[u16], weights: &[f32]| {
            for (j, _) in joints.iter().zip(weights).filter(|(_, w)| **w > 0.0) {
                if let Some(held) = held.get_mut(usize::from(*j)) {
                    *held = true;
                }
            }
        };
        match of_layer {
            Some(layer) => layer.parts.values().for_each(|p| mark(&p.joints, &p.weights)),
            None => {
                let maps = canvas.maps(document);
                for v in view.paint.vertices() {
                    let (joints, weights) = maps.slots(*v);
                    mark(joints, weights);
                }
            }
        }
        self.held = Some((key, held));
    }

    /// The selected joints, if there are several.
    fn several(&self) -> Option<&[NodeId]> {
        (self.chosen.len() > 1).then_some(&self.chosen)
    }

    /// Handles a click on a joint. While several joints are selected, the painted joint stays the
    /// same, and so does the order of the list.
    fn choose(&mut self, node: NodeId, click: Click, order: &[NodeId], actions: &mut Actions) {
        let at = |n: NodeId| order.iter().position(|o| *o == n);
        match (click, self.chosen.last().copied().and_then(at).zip(at(node))) {
            (Click::Toggle, _) if self.chosen.contains(&node) => self.chosen.retain(|n| *n != node),
            (Click::Toggle, _) => self.chosen.push(node),
            (Click::To, Some((a, b))) => {
                let own = &order[a.min(b)..=a.max(b)];
                self.chosen.retain(|n| !own.contains(n));
                // The last clicked joint is the last element.
                self.chosen.extend(own.iter().filter(|n| **n != node));
                self.chosen.push(node);
            }
            (Click::Plain | Click::To, _) => {
                self.chosen = vec![node];
                self.painted = Some(node);
                actions.push(OutlinerAction::Select { node, toggle: false });
            }
        }
    }

    /// Measures the height of the rest of the panel; the list gets the remaining height.
    pub fn measure(&mut self, all: f32, own: f32) {
        self.others = all - own;
    }

    /// Returns the remaining height for the list in a panel of a given height.
    pub const fn room(&self, panel: f32) -> f32 {
        panel - self.others
    }
}

/// The listed joints in order: as a tree, or first the painted joint, then joints with weight at
/// the cursor, then all others.
fn listed(
    state: &JointList,
    view: &View<'_>,
    document: &Document,
    canvas: &SkinnedSurface,
    share: &dyn Fn(usize) -> Option<f32>,
) -> Vec<Row> {
    let needle = state.filter.to_lowercase();
    let some = state.held.as_ref().filter(|_| state.shown.is_of_some()).map(|(_, held)| held);
    let is_shown = |k: usize| match (state.shown, some) {
        (_, Some(some)) => some.get(k) == Some(&true),
        (JointsShown::Deforming, None) => {
            view.paint.used().get(k).is_some_and(|u| *u > 0) || share(k) > Some(0.0)
        }
        (JointsShown::Here, None) => share(k) > Some(0.0),
        (_, None) => true,
    };
    let named =
        |n: NodeId| needle.is_empty() || document.node(n).label(n).to_lowercase().contains(&needle);
    let joints = canvas.joints();
    let keep = |k: &usize| is_shown(*k) && named(joints[*k]);
    if state.tree {
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); joints.len()];
        let mut front = Vec::new();
        for k in (0..joints.len()).rev() {
            match canvas.parents().get(k).copied().flatten() {
                Some(parent) => below[parent.index()].push(k),
                None => front.push((k, 0)),
            }
        }
        let mut rows = Vec::new();
        while let Some((joint, depth)) = front.pop() {
            if keep(&joint) {
                rows.push(Row { joint, node: joints[joint], depth });
            }
            front.extend(below[joint].iter().map(|k| (*k, depth + 1)));
        }
        return rows;
    }
    let active = view.paint.joint().map(usize::from);
    let mut list: Vec<(usize, Option<f32>)> =
        (0..joints.len()).filter(keep).map(|k| (k, share(k))).collect();
    list.sort_by(|a, b| {
        let rank = |(k, share): &(usize, Option<f32>)| {
            (active != Some(*k), share.is_none_or(|w| w <= 0.0))
        };
        rank(a)
            .cmp(&rank(b))
            .then(b.1.unwrap_or(0.0).total_cmp(&a.1.unwrap_or(0.0)))
            .then(a.0.cmp(&b.0))
    });
    list.into_iter().map(|(joint, _)| Row { joint, node: joints[joint], depth: 0 }).collect()
}

/// Draws operations on several selected joints.
fn chosen_ui(state: &mut JointList, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let (Some(chosen), Some(canvas)) =
        (state.several().map(<[NodeId]>::to_vec), view.paint.surface())
    else {
        return;
    };
    let theme = view.theme;
    let mut clear = false;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(4.0, 4.0);
        let text = RichText::new(format!("{} joints", chosen.len())).font(Theme::font(Font::Small));
        let named =
            |n: &NodeId| view.session.map_or_else(String::new, |s| s.document().node(*n).label(*n));
        let names = chosen.iter().take(12).map(named).collect::<Vec<_>>().join(", ");
        ui.label(text.color(theme.color(ColorRole::SelectionText))).on_hover_text(names);
        let all_locked = chosen.iter().all(|n| view.paint.options.locked.contains(n));
        let lock = if all_locked { "Unlock" } else { "Lock" };
        if ui
            .small_button(lock)
            .on_hover_text("Locks or unlocks the weights of the chosen joints")
            .clicked()
        {
            actions.push(PaintAction::LockWeights { nodes: chosen.clone(), locked: !all_locked });
        }
        if ui
            .small_button("Isolate")
            .on_hover_text("Locks all other joints, so that weight moves among these only")
            .clicked()
        {
            let others = canvas.joints().iter().copied().filter(|n| !chosen.contains(n)).collect();
            actions.push(PaintAction::LockWeights { nodes: others, locked: true });
            actions.push(PaintAction::LockWeights { nodes: chosen.clone(), locked: false });
        }
        let acts = [
            (
                "Flood",
                JointAct::Flood,
                "Applies the brush operation for each joint, to the selected vertices or all",
            ),
            (
                "Smooth",
                JointAct::Smooth,
                "Averages the weights of these joints with neighboring vertices",
            ),
            ("Prune", JointAct::Prune(0.01), "Removes weights below 0.01 of these joints"),
        ];
        let pairs = [
            ("Swap", JointAct::Swap, "Swaps the weights of the two joints"),
            ("Merge", JointAct::Merge, "Moves all weights to the joint clicked last"),
            (
                "Gradient",
                JointAct::Limb,
                "Redistributes the weights along the limb from the first to the last joint, by \
                    each vertex's position",
            ),
        ];
        let skipped = usize::from(chosen.len() != 2);
        for (text, act, help) in acts.into_iter().chain(pairs.into_iter().skip(skipped)) {
            let response = ui.small_button(text).on_hover_text(help);
            // The operations on all joints have the plain names.
            let name = format!("{text} the chosen joints");
            response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
            if response.clicked() {
                actions.push(PaintAction::OnJoints { nodes: chosen.clone(), act });
            }
        }
        clear = ui.small_button("Clear").on_hover_text("Clears the choice").clicked();
    });
    if clear {
        state.chosen.clear();
    }
    ui.add_space(2.0);
}

/// Draws the title of the list, with the maximum number of influences and the lock for all joints.
fn head_ui(ui: &mut Ui, view: &View<'_>, canvas: &SkinnedSurface, actions: &mut Actions) {
    let theme = view.theme;
    let place = egui::Layout::right_to_left(egui::Align::Center);
    ui.allocate_ui_with_layout(vec2(ui.available_width(), 28.0), place, |ui| {
        // The buttons are laid out first, and the text uses the remaining width.
        limits_ui(ui, view, canvas, actions);
        ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
            panel_title(ui, theme, TITLE);
            let note = RichText::new(numbers_of(view))
                .font(Theme::font(Font::Caption))
                .color(theme.color(ColorRole::TextTertiary));
            ui.add(egui::Label::new(note).truncate());
        });
    });
}

/// Describes the numbers in the list.
fn numbers_of(view: &View<'_>) -> &'static str {
    match (view.paint.hover(), view.paint.touched()) {
        (Some(_), _) => "weights at the cursor",
        (None, Some(_)) => "weights at the last point",
        (None, None) => "vertices per joint",
    }
}

/// Draws the lock for all joints and the limit of influences, in right-to-left order.
fn limits_ui(ui: &mut Ui, view: &View<'_>, canvas: &SkinnedSurface, actions: &mut Actions) {
    let theme = view.theme;
    let all_locked = canvas.joints().iter().all(|j| view.paint.options.locked.contains(j));
    let (icon, name) = if all_locked {
        (icons::ICON_LOCK, "Unlock all joints")
    } else {
        (icons::ICON_LOCK_OPEN, "Lock all joints")
    };
    if crate::ui::widgets::icon_button(ui, theme, icon, name, "", all_locked, Ok(())).clicked() {
        actions.push(PaintAction::LockWeights {
            nodes: canvas.joints().to_vec(),
            locked: !all_locked,
        });
    }
    let text =
        format!("max {} {}", view.paint.options.limit, icons::ICON_KEYBOARD_ARROW_DOWN.codepoint);
    let menu = menu_button(ui, RichText::new(text).font(Theme::font(Font::Small)), |ui| {
        for limit in [1, 2, 3, 4, 8, 12] {
            let label = if limit == 1 {
                "1 influence per vertex".into()
            } else {
                format!("{limit} influences per vertex")
            };
            if option_row(ui, view.paint.options.limit == limit, &label).clicked() {
                actions.push(PaintAction::WeightLimit(limit));
                ui.close();
            }
        }
    });
    let name = format!("Max influences: {}", view.paint.options.limit);
    menu.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
}

/// Draws the filter and order of the list; `end` draws more widgets on the right.
fn filter_ui(
    state: &mut JointList,
    ui: &mut Ui,
    theme: &Theme,
    layered: bool,
    end: impl FnOnce(&mut Ui),
) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let menu = format!("{} {}", state.shown.label(), icons::ICON_KEYBOARD_ARROW_DOWN.codepoint);
        let button = menu_button(ui, RichText::new(menu).font(Theme::font(Font::Small)), |ui| {
            for shown in JointsShown::ALL {
                let there = shown != JointsShown::InLayer || layered;
                if there && option_row(ui, state.shown == shown, shown.label()).clicked() {
                    state.shown = shown;
                    ui.close();
                }
            }
        });
        let name = format!("Joints shown: {}", state.shown.label());
        button.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
        let (icon, name) = if state.tree {
            (icons::ICON_LISTS, "List joints by weight")
        } else {
            (icons::ICON_ACCOUNT_TREE, "List joints as a tree")
        };
        if crate::ui::widgets::icon_button(ui, theme, icon, name, "", state.tree, Ok(())).clicked()
        {
            state.tree = !state.tree;
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            end(ui);
            let width = ui.available_width();
            ui.allocate_ui_with_layout(
                vec2(width, 24.0),
                egui::Layout::left_to_right(egui::Align::Center),
                |ui| filter_field(ui, theme, &mut state.filter, "Filter joints"),
            );
        });
    });
}

/// Draws the list of joints, and returns the height of its rows in points. `room` is the height
/// that the rest of the panel leaves.
pub fn joints_ui(
    state: &mut JointList,
    ui: &mut Ui,
    view: &View<'_>,
    room: f32,
    actions: &mut Actions,
) -> f32 {
    let theme = view.theme;
    let (Some(canvas), Some(session)) = (view.paint.surface(), view.session) else { return 0.0 };
    let document = session.document();
    // If the tab already shows the title, the list needs only one line above it.
    let titled = is_said(ui, TITLE) && ui.available_width() >= ONE_LINE;
    if !titled {
        head_ui(ui, view, canvas, actions);
    }
    if let Some(note) = shared_note(document, canvas) {
        note_ui(ui, theme, note);
    }
    state.follow(view, canvas);
    let layered = document.aids.weight_layers.contains_key(&canvas.skin);
    filter_ui(state, ui, theme, layered, |ui| {
        if titled {
            limits_ui(ui, view, canvas, actions);
        }
    });
    ui.add_space(2.0);
    // Current weights of the vertex, which may have changed since the cursor was over it.
    let here = view.paint.touched().map(|last| {
        let (map, own) = canvas.maps(document).map_of(last.surface_vertex);
        ulna_weights::Influences::of(map, own)
    });
    let share = |joint: usize| Some(here.as_ref()?.get(joint as u16));
    state.hold(view, document, canvas);
    let list = listed(state, view, document, canvas, &share);
    chosen_ui(state, ui, view, actions);
    let height = (list.len() as f32).clamp(1.0, ROWS.max(room / ROW).floor()) * ROW;
    let most_used = view.paint.used().iter().copied().max().unwrap_or(1).max(1);
    let active = view.paint.joint().map(usize::from);
    let order: Vec<NodeId> = list.iter().map(|row| row.node).collect();
    // The scroll area restores the row spacing inside itself.
    let between = std::mem::replace(&mut ui.spacing_mut().item_spacing.y, 0.0);
    let mut area = egui::ScrollArea::vertical()
        .id_salt("joints of the skin")
        .max_height(height)
        .auto_shrink([false, true]);
    let name = |node: &NodeId| document.node(*node).label(*node);
    if let Some(typed) = state.type_ahead.take(ui, &order, name) {
        let middle = (typed as f32).mul_add(ROW, -(height - ROW) * 0.5);
        area = area.vertical_scroll_offset(middle.max(0.0));
    }
    area.show_rows(ui, ROW, list.len(), |ui, range| {
        for row in &list[range] {
            let used = view.paint.used().get(row.joint).copied().unwrap_or(0);
            let is_chosen = state.chosen.contains(&row.node);
            let numbers = Numbers { share: share(row.joint), used, most: most_used };
            let marks = (active == Some(row.joint), is_chosen);
            let ahead = &mut state.type_ahead;
            if let Some(click) = joint_row(ahead, ui, view, row, marks, &numbers, actions) {
                state.choose(row.node, click, &order, actions);
            }
        }
    });
    ui.spacing_mut().item_spacing.y = between;
    if list.is_empty() {
        let text = match &*state.filter {
            "" => state.shown.none().to_owned(),
            filter => format!("No joint named “{filter}”"),
        };
        ui.label(RichText::new(text).color(theme.color(ColorRole::TextTertiary)));
    }
    let text = if view.paint.options.locked.is_empty() {
        "Weight is redistributed among unlocked joints."
    } else if canvas.joints().iter().all(|j| view.paint.options.locked.contains(j)) {
        "All joints are locked: nothing can be painted."
    } else {
        "Weight moves between unlocked joints only."
    };
    // The header, if shown, already names the vertices.
    let text = match titled && view.paint.options.locked.is_empty() {
        true => format!("Numbers: {}", numbers_of(view)),
        false => text.to_owned(),
    };
    let text = RichText::new(&text)
        .font(Theme::font(Font::Caption))
        .color(theme.color(ColorRole::TextTertiary));
    ui.add(egui::Label::new(text).truncate());
    height
}

/// Draws a note with an icon.
fn note_ui(ui: &mut Ui, theme: &Theme, note: String) {
    ui.horizontal_top(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(16.0, 16.0), Sense::hover());
        let color = theme.color(ColorRole::SeverityInfo);
        paint_icon(ui.painter(), rect.center(), icons::ICON_INFO, 16.0, color);
        let text = RichText::new(note)
            .font(Theme::font(Font::Small))
            .color(theme.color(ColorRole::TextPrimary));
        ui.add(egui::Label::new(text).wrap());
    });
    ui.add_space(2.0);
}

/// Note about a mesh with several skins, which all use the same weights.
fn shared_note(document: &Document, canvas: &SkinnedSurface) -> Option<String> {
    let named = |skin: SkinId| {
        let name = document.skin(skin).name.clone().filter(|n| !n.is_empty());
        name.map_or_else(|| format!("skin {}", skin.index()), |n| format!("“{n}”"))
    };
    let part_of = |node: NodeId| {
        let mesh = document.node(node).mesh?;
        canvas.parts().iter().find(|p| p.mesh == mesh)
    };
    let shown = document.shown_nodes();
    let others: Vec<(NodeId, SkinId)> = shown
        .into_iter()
        .filter(|n| part_of(*n).is_some())
        .filter_map(|n| Some((n, document.node(n).skin.filter(|s| *s != canvas.skin)?)))
        .collect();
    let (first, skin) = *others.first()?;
    let own = part_of(first)?.node;
    let mesh = document.node(first).mesh?;
    let mesh = document
        .mesh(mesh)
        .name
        .clone()
        .filter(|n| !n.is_empty())
        .unwrap_or_else(|| "This mesh".into());
    let label = |n: NodeId| document.node(n).label(n);
    let more = match others.len() - 1 {
        0 => String::new(),
        1 => " and 1 more skin".to_owned(),
        n => format!(" and {n} more skins"),
    };
    Some(format!(
        "{mesh} is shared by {} ({}) and {} ({}){more}, so a stroke changes all of them. The \
            joints of {} are \
        listed; select {} to list the joints of {}.",
        named(canvas.skin),
        label(own),
        named(skin),
        label(first),
        named(canvas.skin),
        label(first),
        named(skin),
    ))
}
