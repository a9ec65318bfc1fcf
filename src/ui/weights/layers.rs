//! The list of weight layers, topmost first, and the choice of what is painted: weights or the
//! mask.

use std::collections::BTreeSet;

use egui::{Align, DragValue, Layout, Rect, RichText, Ui, UiBuilder, pos2, vec2};
use egui_material_icons::icons;

use super::joints::JointList;
use crate::ui::PaintAction;
use crate::ui::popups::opens_menu;
use crate::ui::{
    Action, Actions, Theme, View,
    menu_rows::{MenuRows, Row as MenuRow, context_menu, menu_button},
    name_field::{NameCheck, NameDraft, NameEnd, is_renamed},
    theme::Font,
    widgets::{
        check, elided, icon_button, icon_font, name_widget, panel_title, row, segment, segments,
        thousands,
    },
};
use ulna_edit::{
    command::{
        AddLayer, ClearLayer, FlattenLayers, KeepWeightLayers, LayerOpacity, MergeLayer,
        MirrorLayer, MoveLayer, RemoveLayer, RenameLayer, RenameNode, ShowLayer, SoloWeightLayer,
        SplitWeightLayer,
        field::{LayerSide, Meshes, Nodes},
    },
    layer_text,
};
use ulna_model::{LayerId, MirrorFrom, NodeId, SkinId, WeightLayer};
use ulna_render::ColorRole;
use ulna_weights::layers::{LayerTarget, Painted};

const HEIGHT: f32 = 28.0;

/// The layer that is being renamed, with the typed name.
pub type LayerRename = Option<NameDraft<LayerId>>;

pub fn layers_ui(
    renaming: &mut LayerRename,
    ui: &mut Ui,
    view: &View<'_>,
    joints: &JointList,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let (Some(canvas), Some(session)) = (view.paint.surface(), view.session) else { return };
    let document = session.document();
    let Some(mesh) = canvas.parts().first().map(|p| Meshes::Ids(vec![p.mesh])) else { return };
    let layers = document.aids.weight_layers.get(&canvas.skin);
    let count = layers.map_or(0, |l| l.layers.len());
    ui.horizontal(|ui| {
        panel_title(ui, theme, "Layers");
        let note = if count == 0 {
            "strokes change the base weights".to_owned()
        } else {
            format!("{count} over the base")
        };
        caption(ui, theme, &note);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if icon_button(ui, theme, icons::ICON_ADD, "Add a layer", "", false, Ok(())).clicked() {
                let next = layers.map_or(0, |l| l.next) + 1;
                let add =
                    AddLayer { name: Some(format!("Layer {next}")), mesh: Some(mesh.clone()) };
                actions.push(Action::Run(add.into()));
            }
            let flat = if count == 0 { Err("There are no layers") } else { Ok(()) };
            if icon_button(ui, theme, icons::ICON_LAYERS_CLEAR, "Flatten", "", false, flat)
                .clicked()
            {
                actions.push(Action::Run(FlattenLayers { mesh: Some(mesh.clone()) }.into()));
            }
        });
    });
    let Some(layers) = layers else { return };
    painted_ui(ui, view, actions);
    ui.add_space(2.0);
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (k, layer) in layers.layers.iter().enumerate().rev() {
            let at = LayerRow {
                skin: canvas.skin,
                mesh: &mesh,
                top: k + 1 == count,
                bottom: k == 0,
                chosen: joints.chosen(),
            };
            layer_row(renaming, ui, view, layer, &at, actions);
        }
        let active = view.paint.layering.target == Some(LayerTarget::Base);
        let (rect, response) = row(ui, theme, HEIGHT, "Layer Base", active);
        let color =
            theme.color(if active { ColorRole::SelectionText } else { ColorRole::TextSecondary });
        let at = pos2(rect.left() + NAME, rect.center().y);
        ui.painter().text(at, egui::Align2::LEFT_CENTER, "Base", Theme::font(Font::Body), color);
        let note = pos2(rect.right() - 8.0, rect.center().y);
        let small = Theme::font(Font::Caption);
        ui.painter().text(
            note,
            egui::Align2::RIGHT_CENTER,
            "base weights",
            small,
            theme.color(ColorRole::TextTertiary),
        );
        if response.clicked() {
            actions.push(PaintAction::PaintLayer(LayerTarget::Base));
        }
    });
    ui.add_space(2.0);
    ui.horizontal(|ui| {
        let mut keeps = layers.keeps;
        let response = check(ui, theme, &mut keeps, "Keep layers in the file");
        response.on_hover_text(
            "Saves the layers so that they stay editable. The weights in the file contain their \
                result anyway",
        );
        if keeps != layers.keeps {
            actions.push(Action::Run(
                KeepWeightLayers { on: Some(keeps), mesh: Some(mesh.clone()) }.into(),
            ));
        }
    });
    caption(ui, theme, "Strokes change the highlighted layer. The combined result is saved.");
}

fn caption(ui: &mut Ui, theme: &Theme, text: &str) {
    let text = RichText::new(text)
        .font(Theme::font(Font::Caption))
        .color(theme.color(ColorRole::TextTertiary));
    ui.add(egui::Label::new(text).wrap());
}

/// Draws the choice between painting weights and painting the mask.
fn painted_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    ui.horizontal(|ui| {
        caption(ui, theme, "Paint");
        segments(ui, theme, |ui| {
            let masks = matches!(view.paint.layering.target, Some(LayerTarget::Layer(_)));
            for (painted, text) in [(Painted::Weights, "Weights"), (Painted::Mask, "Mask")] {
                let enabled = painted == Painted::Weights || masks;
                let response = ui
                    .add_enabled_ui(enabled, |ui| {
                        segment(ui, theme, text, view.paint.layering.painted == painted, false)
                    })
                    .inner;
                name_widget(ui, &response, &format!("Paint {}", text.to_lowercase()));
                if response.on_disabled_hover_text("The base has no mask. Choose a layer").clicked()
                {
                    actions.push(PaintAction::PaintOfLayer(painted));
                }
            }
        });
    });
}

/// Left edge of the layer names, in points.
const NAME: f32 = 36.0;
/// Width of the controls after a name, in points.
const CONTROLS: f32 = 168.0;

/// Name of a layer in a command, with its mesh.
type Named = (String, Option<Meshes>);

/// Data of a layer's row.
struct LayerRow<'a> {
    skin: SkinId,
    mesh: &'a Meshes,
    top: bool,
    bottom: bool,
    /// Joints that are selected in the joint list.
    chosen: &'a [NodeId],
}

fn layer_row(
    renaming: &mut LayerRename,
    ui: &mut Ui,
    view: &View<'_>,
    layer: &WeightLayer,
    at: &LayerRow<'_>,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let target = LayerTarget::Layer(layer.id);
    let active = view.paint.layering.target == Some(target);
    let text = layer_text(document, at.skin, layer.id);
    let named = (text, Some(at.mesh.clone()));
    let (rect, response) = row(ui, theme, HEIGHT, &format!("Layer {}", layer.name), active);
    let font = Theme::font(if active { Font::Heading } else { Font::Body });
    let color = match (active, layer.shown) {
        (_, false) => ColorRole::TextTertiary,
        (true, true) => ColorRole::SelectionText,
        (false, true) => ColorRole::TextPrimary,
    };
    let room = rect.width() - NAME - CONTROLS;
    let left = pos2(rect.left() + NAME, rect.center().y);
    if renaming.as_ref().is_some_and(|draft| draft.of == layer.id) {
        let area = Rect::from_min_size(
            pos2(left.x - 4.0, rect.top() + 3.0),
            vec2(room.max(60.0), rect.height() - 6.0),
        );
        rename_ui(renaming, ui, view, (layer, &named), area, actions);
    } else {
        let name = elided(ui, &layer.name, &font, room);
        ui.painter().text(left, egui::Align2::LEFT_CENTER, name, font, theme.color(color));
    }
    let vertices: usize = layer.parts.values().map(|p| p.vertices.len()).sum();
    let response = if response.hovered() {
        let joints = joints_of(layer).len();
        response.on_hover_text(format!("{} vertices, {joints} joints", thousands(vertices)))
    } else {
        response
    };
    let mut cells =
        |ui: &mut Ui, area: Rect, layout: Layout, add: &mut dyn FnMut(&mut Ui, &mut Actions)| {
            ui.scope_builder(UiBuilder::new().max_rect(area).layout(layout), |ui| {
                ui.spacing_mut().item_spacing.x = 2.0;
                add(ui, actions);
            });
        };
    let eye =
        Rect::from_min_max(rect.min + vec2(4.0, 0.0), pos2(rect.left() + NAME, rect.bottom()));
    cells(ui, eye, Layout::left_to_right(Align::Center), &mut |ui, actions| {
        let (icon, name) = if layer.shown {
            (icons::ICON_VISIBILITY, format!("Hide layer {}", layer.name))
        } else {
            (icons::ICON_VISIBILITY_OFF, format!("Show layer {}", layer.name))
        };
        if icon_button(ui, theme, icon, &name, "", false, Ok(())).clicked() {
            let (text, mesh) = named.clone();
            actions.push(Action::Run(
                ShowLayer { layer: text, shown: Some(!layer.shown), mesh }.into(),
            ));
        }
    });
    let rest = Rect::from_min_max(pos2(rect.right() - CONTROLS, rect.top()), rect.max);
    cells(ui, rest, Layout::right_to_left(Align::Center), &mut |ui, actions| {
        let name = format!("Remove layer {}", layer.name);
        if icon_button(ui, theme, icons::ICON_DELETE, &name, "", false, Ok(())).clicked() {
            let (text, mesh) = named.clone();
            actions.push(Action::Run(RemoveLayer { layer: text, mesh }.into()));
        }
        let up = if at.top { Err("This is the top layer") } else { Ok(()) };
        let name = format!("Move layer {} up", layer.name);
        if icon_button(ui, theme, icons::ICON_ARROW_UPWARD, &name, "", false, up).clicked() {
            let (text, mesh) = named.clone();
            actions.push(Action::Run(MoveLayer { layer: text, up: true, mesh }.into()));
        }
        mirror_ui(ui, view, layer, &named, actions);
        opacity_ui(ui, layer, &named, actions);
    });
    if response.clicked() {
        actions.push(PaintAction::PaintLayer(target));
    }
    if opens_menu(&response) && !active {
        actions.push(PaintAction::PaintLayer(target));
    }
    let about = format!("layer, {} vertices", thousands(vertices));
    let mut renames = is_renamed(ui, &response);
    context_menu(&response, Some(rect), view, actions, |rows| {
        rows.header(&layer.name, &about);
        renames |= rows.row(MenuRow::of(view, RenameNode::spec()).enabled());
        rows.separator();
        layer_rows(rows, layer, at, &named);
    });
    if renames {
        *renaming = Some(NameDraft::new(layer.id, &*layer.name));
    }
}

/// Joints to which a layer gives weight, as indices into the joints of the skin.
fn joints_of(layer: &WeightLayer) -> BTreeSet<u16> {
    let slots = layer.parts.values().flat_map(|p| p.joints.iter().zip(&p.weights));
    slots.filter(|(_, weight)| **weight > 0.0).map(|(joint, _)| *joint).collect()
}

/// Adds menu rows about a layer.
fn layer_rows(rows: &mut MenuRows<'_>, layer: &WeightLayer, at: &LayerRow<'_>, named: &Named) {
    let of = || named.clone();
    let icon = icons::ICON_HEADPHONES.codepoint;
    let solo = MenuRow::new(if layer.solo { "End solo" } else { "Solo" }).icon(icon);
    rows.run(solo.help("Shows only this layer over the base weights"), || {
        let (text, mesh) = of();
        SoloWeightLayer { layer: text, solo: Some(!layer.solo), mesh }.into()
    });
    let top = at.top.then_some("This is the top layer");
    let bottom = at.bottom.then_some("This is the bottom layer");
    for (words, up, reason) in [("Move up", true, top), ("Move down", false, bottom)] {
        let icon = if up { icons::ICON_ARROW_UPWARD } else { icons::ICON_ARROW_DOWNWARD };
        rows.run(MenuRow::new(words).icon(icon.codepoint).unless(reason), || {
            let (text, mesh) = of();
            MoveLayer { layer: text, up, mesh }.into()
        });
    }
    rows.separator();
    let merge = MenuRow::new("Merge down").help("Merges this layer into the layer below");
    rows.run(merge, || {
        let (text, mesh) = of();
        MergeLayer { layer: text, mesh }.into()
    });
    let split = match at.chosen.len() {
        0 => "Split off the chosen joints".to_owned(),
        1 => "Split off 1 joint".to_owned(),
        n => format!("Split off {n} joints"),
    };
    let about = "Moves the joints chosen in the joint list to a new layer above. The result \
        does not change";
    let none = at.chosen.is_empty().then_some("Choose joints in the joint list first");
    rows.run(MenuRow::new(split).help(about).unless(none), || {
        let (text, mesh) = of();
        let joint = Nodes::Ids(at.chosen.to_vec());
        SplitWeightLayer { layer: text, joint, name: None, mesh }.into()
    });
    rows.separator();
    let clear = MenuRow::new("Clear").help("Removes all weights from this layer");
    rows.run(clear, || {
        let (text, mesh) = of();
        ClearLayer { layer: text, mesh }.into()
    });
    rows.run(MenuRow::of(rows.view, RemoveLayer::spec()).title("Remove").enabled(), || {
        let (text, mesh) = of();
        RemoveLayer { layer: text, mesh }.into()
    });
}

fn mirror_ui(
    ui: &mut Ui,
    view: &View<'_>,
    layer: &WeightLayer,
    named: &Named,
    actions: &mut Actions,
) {
    let now = match layer.mirror {
        None => "no mirror",
        Some(MirrorFrom::Left) => "left to right",
        Some(MirrorFrom::Right) => "right to left",
    };
    let color = view.theme.color(if layer.mirror.is_some() {
        ColorRole::AccentText
    } else {
        ColorRole::TextSecondary
    });
    let icon = RichText::new(icons::ICON_FLIP.codepoint).font(icon_font(16.0, false)).color(color);
    let menu = menu_button(ui, icon, view, actions, |rows| {
        let ways = [
            ("No mirror", LayerSide::None),
            ("Mirror left to right", LayerSide::Left),
            ("Mirror right to left", LayerSide::Right),
        ];
        for (text, from) in ways {
            let on = match from {
                LayerSide::None => layer.mirror.is_none(),
                LayerSide::Left => layer.mirror == Some(MirrorFrom::Left),
                LayerSide::Right => layer.mirror == Some(MirrorFrom::Right),
            };
            rows.run(MenuRow::new(text).checked(on), || {
                let (layer, mesh) = named.clone();
                MirrorLayer { layer, from, mesh }.into()
            });
        }
    });
    let name = format!("Mirror of layer {}: {now}", layer.name);
    menu.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &name));
    menu.on_hover_text(format!("Mirror: {now}"));
}

fn opacity_ui(ui: &mut Ui, layer: &WeightLayer, named: &Named, actions: &mut Actions) {
    let mut percent = layer.opacity * 100.0;
    let field = DragValue::new(&mut percent).range(0.0..=100.0).fixed_decimals(0).suffix(" %");
    let response = ui.add_sized(vec2(54.0, 22.0), field);
    name_widget(ui, &response, &format!("Opacity of layer {}", layer.name));
    if response.changed() {
        let (layer, mesh) = named.clone();
        let commands = vec![LayerOpacity { layer, opacity: percent / 100.0, mesh }.into()];
        actions.push(Action::Preview { label: "Set weight layer opacity".into(), commands });
        if !response.dragged() {
            actions.push(Action::Commit);
        }
    } else if response.drag_stopped() {
        actions.push(Action::Commit);
    }
}

/// Draws the text field for renaming a layer.
fn rename_ui(
    renaming: &mut LayerRename,
    ui: &mut Ui,
    view: &View<'_>,
    (layer, named): (&WeightLayer, &Named),
    area: Rect,
    actions: &mut Actions,
) {
    let Some(draft) = renaming else { return };
    let layers = view.session.map(|s| &s.document().aids.weight_layers);
    let is_taken = |name: &str| {
        let all = layers.into_iter().flat_map(|l| l.values()).flat_map(|l| l.layers.iter());
        all.filter(|other| other.id != layer.id).any(|other| *other.name == *name)
    };
    let check = |name: &str| NameCheck::unique(name, "layer", || is_taken(name));
    match draft.show(ui, view.theme, area, "Name of the weight layer", check) {
        NameEnd::Typing => return,
        NameEnd::Kept(name) if *name != *layer.name => {
            let (layer, mesh) = named.clone();
            actions.push(Action::Run(RenameLayer { layer, name, mesh }.into()));
        }
        NameEnd::Kept(_) | NameEnd::Left => {}
    }
    *renaming = None;
}
