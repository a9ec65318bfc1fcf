//! Rows of the inspector's list of layers.

use std::collections::BTreeSet;

use egui::{Align, Layout, Rect, RichText, Role, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;

use crate::ui::popups::opens_menu;
use crate::ui::{
    Action, Actions, LayerAction, Theme, View,
    menu_rows::{self, MenuRows, Row},
    name_field::{NameCheck, NameDraft, NameEnd, is_renamed},
    theme::Font,
    widgets::{cut, diamond, icon_button, mask_options, mask_words, name_widget},
};
use ulna_edit::command::{
    ClearInLayer, DuplicateLayer, FoldLayers, InvertLayer, LayerOf, LayerStrength,
    LayerStrengthKeys, MaskPoseLayer, MergeLayerDown, MovePoseLayer, MuteLayer, RemovePoseLayer,
    RenameNode, RenamePoseLayer, SoloLayer,
    field::{ClipName, Nodes, Numbers, Seconds},
};
use ulna_model::{
    ClipId, Derived, Document, LayerHome, MixMask, PoseLayer, PoseLayerId, PoseLayers, Shared,
};
use ulna_motion::{Folded, strength_of};
use ulna_render::ColorRole;

/// State of the list of layers between frames.
#[derive(Clone, Debug, Default)]
pub struct LayersState {
    /// The layer that is being renamed, with the typed name.
    pub renamed: Option<NameDraft<PoseLayerId>>,
    /// The layer that is being dragged to another position.
    pub dragged: Option<PoseLayerId>,
    /// Filter of the clips to which a layer is copied.
    pub search: String,
    /// Clips chosen as targets of a copy of the layer.
    pub copied_to: BTreeSet<ClipId>,
    /// True if the list is expanded although edits do not change layers.
    pub open: bool,
    /// Cached result of baking the layers of a clip into keys, and the largest error in meters.
    pub fold: Derived<(u64, ClipId), Option<(Folded, f32)>>,
}

/// Height of a layer's row, in points.
const ROW: f32 = 52.0;

/// Action that bakes a layer and all layers below it; all layers if `None`.
pub fn fold(home: LayerHome, layer: Option<PoseLayerId>) -> Action {
    let layer = layer.map(ulna_edit::command::LayerName::Id);
    Action::Run(FoldLayers { clip: home.clip().map(ClipName::Id), layer }.into())
}

/// Short text about the joints that a layer moves.
fn joints_words(document: &Document, layer: &PoseLayer) -> String {
    if let Some(mask) = &layer.mask {
        return mask_words(document, Some(&mask.by));
    }
    match layer.nodes()[..] {
        [] => "empty".into(),
        [one] => document.node(one).label(one),
        ref many => format!("{} joints", many.len()),
    }
}

/// Draws the row of a layer.
pub fn layer_row(
    state: &mut LayersState,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    (home, layers, layer): (LayerHome, &Shared<PoseLayers>, &PoseLayer),
    actions: &mut Actions,
) {
    let theme = view.theme;
    let counts = layers.counts(layer);
    let (rect, row) =
        ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click_and_drag());
    let chosen = view.layers.chosen == Some(layer.id);
    row.widget_info(|| {
        WidgetInfo::selected(Role::TreeItem, true, chosen, format!("Layer {}", layer.name))
    });
    if chosen && view.layers.written == Some(layer.id) {
        ui.painter().rect_filled(
            rect.expand2(vec2(12.0, 0.0)),
            0.0,
            theme.color(ColorRole::AccentTint),
        );
    } else if chosen || row.hovered() {
        ui.painter().rect_filled(
            rect.expand2(vec2(12.0, 0.0)),
            0.0,
            theme.color(ColorRole::SurfaceControl).gamma_multiply(0.6),
        );
    }
    if row.clicked() {
        let other = if chosen && home == LayerHome::Pose { None } else { Some(layer.id) };
        actions.push(LayerAction::Choose(home, other));
    }
    if is_renamed(ui, &row) {
        state.renamed = Some(NameDraft::new(layer.id, &*layer.name));
    }
    if opens_menu(&row) && !chosen {
        actions.push(LayerAction::Choose(home, Some(layer.id)));
    }
    menu_rows::context_menu(&row, Some(rect), view, actions, |rows| {
        layer_rows(state, rows, (home, layers, layer));
    });
    drag_row(state, ui, (home, layers, layer), (&row, rect), theme, actions);
    let line = |ui: &mut Ui, top: f32, height: f32, salt: &str| {
        let area =
            Rect::from_min_size(pos2(rect.left(), rect.top() + top), vec2(rect.width(), height));
        let layout = Layout::left_to_right(Align::Center);
        let id = (salt, layer.id.0);
        let mut line = ui.new_child(UiBuilder::new().max_rect(area).layout(layout).id_salt(id));
        line.spacing_mut().item_spacing = vec2(4.0, 0.0);
        line.spacing_mut().interact_size.y = height;
        if !counts {
            line.multiply_opacity(0.45);
        }
        line
    };
    let first = &mut line(ui, 1.0, 24.0, "layer");
    name_line_ui(state, first, view, (home, layers, layer), counts, actions);
    let second = &mut line(ui, 28.0, 20.0, "strength");
    strength_line_ui(second, view, document, (home, layer), actions);
}

/// Draws the first line of a row: the layer's switches, its name, and its menu.
fn name_line_ui(
    state: &mut LayersState,
    ui: &mut Ui,
    view: &View<'_>,
    (home, layers, layer): (LayerHome, &PoseLayers, &PoseLayer),
    counts: bool,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let of = || LayerOf::of(home, layer.id);
    let eye = if layer.muted { icons::ICON_VISIBILITY_OFF } else { icons::ICON_VISIBILITY };
    if icon_button(ui, theme, eye, &format!("{} on", layer.name), "", false, Ok(())).clicked() {
        actions.push(Action::Run(MuteLayer { of: of(), muted: None }.into()));
    }
    if !rename_ui(state, ui, view, (home, layers, layer), actions) {
        let text = cut(ui, &layer.name, &Theme::font(Font::Heading), ui.available_width() - 84.0);
        let color =
            theme.color(if counts { ColorRole::TextPrimary } else { ColorRole::TextTertiary });
        let label = RichText::new(text).font(Theme::font(Font::Heading)).color(color);
        let label = ui.add(egui::Label::new(label).sense(Sense::click()).selectable(false));
        let label = label.on_hover_text("Double-click to rename");
        if label.double_clicked() {
            state.renamed = Some(NameDraft::new(layer.id, &*layer.name));
        } else if label.clicked() {
            actions.push(LayerAction::Choose(home, Some(layer.id)));
        }
    }
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        more(state, ui, view, (home, layers, layer), actions);
        if icon_button(
            ui,
            theme,
            icons::ICON_HEADPHONES,
            &format!("Solo {}", layer.name),
            "",
            layer.solo,
            Ok(()),
        )
        .clicked()
        {
            actions.push(Action::Run(SoloLayer { of: of(), solo: None }.into()));
        }
        if layer.strength_keys.is_some() {
            strength_mark_ui(ui, view, (home, layer), actions);
        }
    });
}

/// Draws the key mark of a layer's strength. A click sets a key, or removes all strength keys.
fn strength_mark_ui(
    ui: &mut Ui,
    view: &View<'_>,
    (home, layer): (LayerHome, &PoseLayer),
    actions: &mut Actions,
) {
    let theme = view.theme;
    let of = || LayerOf::of(home, layer.id);
    let (place, mark) = ui.allocate_exact_size(vec2(16.0, 24.0), Sense::click());
    mark.widget_info(|| {
        WidgetInfo::labeled(Role::Button, true, format!("Keys of the strength of {}", layer.name))
    });
    let color = theme.color(ColorRole::KeyInbetween);
    diamond(ui.painter(), place.center(), 9.0, color, color);
    let constant = ui.input(|i| i.modifiers.shift);
    let mark = mark.on_hover_text(
        "The strength is animated. Click to set a key here. Shift-click to make it constant",
    );
    if mark.clicked() && constant {
        actions.push(Action::Run(
            LayerStrengthKeys { of: of(), keys: Numbers(Vec::new()), interpolation: None }.into(),
        ));
    } else if mark.clicked() {
        let time = view.timeline.playback.time;
        let strength = strength_of(layer, time);
        actions.push(Action::Run(
            LayerStrength { of: of(), strength, time: Some(Seconds(time as f32)) }.into(),
        ));
    }
}

/// Draws the second line of a row: the layer's strength and mask.
fn strength_line_ui(
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    (home, layer): (LayerHome, &PoseLayer),
    actions: &mut Actions,
) {
    ui.add_space(28.0);
    strength_ui(ui, view, (home, layer), actions);
    ui.add_space(4.0);
    let text = joints_words(document, layer);
    let short = cut(ui, &text, &Theme::font(Font::Small), (ui.available_width() - 20.0).max(30.0));
    let short = RichText::new(short).font(Theme::font(Font::Small));
    let menu = menu_rows::menu_button(ui, short, view, actions, |rows| {
        mask_rows(rows, document, (home, layer));
    });
    name_widget(ui, &menu, &format!("Mask of {}: {text}", layer.name));
    menu.on_hover_text("Joints that the layer affects");
}

/// Handles dragging a row to another position in the list.
fn drag_row(
    state: &mut LayersState,
    ui: &Ui,
    (home, layers, layer): (LayerHome, &PoseLayers, &PoseLayer),
    (row, rect): (&egui::Response, Rect),
    theme: &Theme,
    actions: &mut Actions,
) {
    if row.drag_started_by(egui::PointerButton::Primary) {
        state.dragged = Some(layer.id);
    }
    let Some(dragged) = state.dragged else { return };
    let Some(at) = ui.input(|i| i.pointer.latest_pos()) else { return };
    // The drop position is above or below the row under the pointer, depending on the half of the
    // row.
    if rect.y_range().contains(at.y) && dragged != layer.id {
        let above = at.y < rect.center().y;
        let y = if above { rect.top() } else { rect.bottom() };
        ui.painter().hline(
            rect.x_range(),
            y,
            egui::Stroke::new(2.0, theme.color(ColorRole::AccentBase)),
        );
        if ui.input(|i| i.pointer.any_released()) {
            let (from, here) = (layers.position(dragged), layers.position(layer.id));
            if let (Some(from), Some(here)) = (from, here) {
                // The list is drawn bottom-up, so a position above is a higher index.
                let place = match (above, from < here) {
                    (true, true) => here,
                    (true, false) => here + 1,
                    (false, true) => here.saturating_sub(1),
                    (false, false) => here,
                };
                let of = LayerOf::of(home, dragged);
                actions
                    .push(Action::Run(MovePoseLayer { of, up: None, place: Some(place) }.into()));
            }
        }
    }
    if dragged == layer.id && ui.input(|i| i.pointer.any_released()) {
        state.dragged = None;
    }
}

/// Draws the text field for a layer's name. Returns whether the layer is being renamed.
fn rename_ui(
    state: &mut LayersState,
    ui: &mut Ui,
    view: &View<'_>,
    (home, layers, layer): (LayerHome, &PoseLayers, &PoseLayer),
    actions: &mut Actions,
) -> bool {
    let Some(draft) = state.renamed.as_mut().filter(|draft| draft.of == layer.id) else {
        return false;
    };
    let (area, _) = ui.allocate_exact_size(vec2(140.0, 22.0), Sense::hover());
    let is_taken = |name: &str| {
        let mut others = layers.iter().filter(|other| other.id != layer.id);
        others.any(|other| *other.name == *name)
    };
    let check = |name: &str| NameCheck::unique(name, "layer", || is_taken(name));
    match draft.show(ui, view.theme, area, "Name of the layer", check) {
        NameEnd::Typing => return true,
        NameEnd::Kept(name) if *name != *layer.name => {
            let of = LayerOf::of(home, layer.id);
            actions.push(Action::Run(RenamePoseLayer { of, name }.into()));
        }
        NameEnd::Kept(_) | NameEnd::Left => {}
    }
    state.renamed = None;
    true
}

/// Draws the layer's strength as a filled bar.
fn strength_ui(
    ui: &mut Ui,
    view: &View<'_>,
    (home, layer): (LayerHome, &PoseLayer),
    actions: &mut Actions,
) {
    let time = view.timeline.playback.time;
    let mut percent = strength_of(layer, time) * 100.0;
    let field = egui::DragValue::new(&mut percent)
        .range(0.0..=100.0)
        .speed(0.5)
        .fixed_decimals(0)
        .prefix("Strength ")
        .suffix(" %");
    let field = ui.add_sized([120.0, 20.0], field);
    name_widget(ui, &field, &format!("Strength of {}", layer.name));
    let line = Rect::from_min_size(
        field.rect.left_bottom(),
        vec2(field.rect.width() * percent / 100.0, 2.0),
    );
    ui.painter().rect_filled(line, 1.0, view.theme.color(ColorRole::AccentBase));
    if field.changed() {
        let time = layer.strength_keys.as_ref().map(|_| Seconds(time as f32));
        let strength = (percent / 100.0).clamp(0.0, 1.0);
        let command = LayerStrength { of: LayerOf::of(home, layer.id), strength, time };
        actions.push(Action::Preview {
            label: format!("Strength of {}", layer.name),
            commands: vec![command.into()],
        });
    }
    if field.drag_stopped() || field.lost_focus() {
        actions.push(Action::Commit);
    }
}

/// Adds the choices for the mask of a layer.
fn mask_rows(rows: &mut MenuRows<'_>, document: &Document, (home, layer): (LayerHome, &PoseLayer)) {
    let view = rows.view;
    let now = layer.mask.as_ref().map(|m| &m.by);
    let line = |rows: &mut MenuRows<'_>, text: &str, mask: Option<MixMask>| {
        let row = Row::new(text.to_owned()).checked(now == mask.as_ref());
        rows.run(row, || MaskPoseLayer::with(LayerOf::of(home, layer.id), mask.as_ref()).into());
    };
    for (text, mask) in mask_options(document, view.selection.active) {
        line(rows, &text, mask);
    }
    let selected = &view.selection.nodes;
    if !selected.is_empty() {
        let text = if selected.len() == 1 {
            "The selected joint".to_owned()
        } else {
            format!("The {} selected joints", selected.len())
        };
        line(rows, &text, Some(MixMask::Painted(selected.iter().map(|n| (*n, 1.0)).collect())));
    }
}

/// Draws the button with the menu of a layer.
fn more(
    state: &mut LayersState,
    ui: &mut Ui,
    view: &View<'_>,
    at: (LayerHome, &PoseLayers, &PoseLayer),
    actions: &mut Actions,
) {
    let name = format!("More commands for {}", at.2.name);
    menu_rows::more_button(ui, view, actions, &name, |rows| layer_rows(state, rows, at));
}

/// Adds the menu rows of a layer.
fn layer_rows(
    state: &mut LayersState,
    rows: &mut MenuRows<'_>,
    (home, layers, layer): (LayerHome, &PoseLayers, &PoseLayer),
) {
    let view = rows.view;
    let of = || LayerOf::of(home, layer.id);
    let at = layers.position(layer.id).unwrap_or_default();
    let count = layer.nodes().len();
    let about = if count == 1 { "1 joint".to_owned() } else { format!("{count} joints") };
    rows.header(&layer.name, &format!("layer, {about}"));
    if rows.row(Row::of(view, RenameNode::spec()).enabled()) {
        rows.actions.push(LayerAction::Choose(home, Some(layer.id)));
        state.renamed = Some(NameDraft::new(layer.id, &*layer.name));
    }
    let row = |spec, title: &'static str| Row::of(view, spec).title(title).enabled();
    rows.run(row(DuplicateLayer::spec(), "Duplicate"), || {
        DuplicateLayer { of: of(), name: None }.into()
    });
    rows.run(row(InvertLayer::spec(), "Invert offsets"), || InvertLayer { of: of() }.into());
    rows.separator();
    let top = (at + 1 >= layers.0.len()).then_some("This is the top layer");
    let bottom = (at == 0).then_some("This is the bottom layer");
    let icon = icons::ICON_ARROW_UPWARD.codepoint;
    rows.run(Row::new("Move up").icon(icon).unless(top), || {
        MovePoseLayer { of: of(), up: Some(true), place: None }.into()
    });
    let icon = icons::ICON_ARROW_DOWNWARD.codepoint;
    rows.run(Row::new("Move down").icon(icon).unless(bottom), || {
        MovePoseLayer { of: of(), up: Some(false), place: None }.into()
    });
    rows.run(row(MergeLayerDown::spec(), "Merge down").unless(bottom), || {
        MergeLayerDown { of: of() }.into()
    });
    rows.separator();
    let selected = &view.selection.nodes;
    let none = selected.is_empty().then_some("Select joints first");
    rows.run(Row::new("Remove selected joints").unless(none), || {
        let node = Some(Nodes::Ids(selected.iter().copied().collect()));
        ClearInLayer { of: of(), node }.into()
    });
    if home != LayerHome::Pose {
        rows.run(Row::new("Key strength here").icon(icons::ICON_KEY.codepoint), || {
            let time = view.timeline.playback.time;
            let strength = strength_of(layer, time);
            LayerStrength { of: of(), strength, time: Some(Seconds(time as f32)) }.into()
        });
    }
    rows.separator();
    rows.act(Row::new("Bake this and lower layers"), || fold(home, Some(layer.id)));
    rows.run(row(RemovePoseLayer::spec(), "Remove"), || RemovePoseLayer { of: of() }.into());
}
