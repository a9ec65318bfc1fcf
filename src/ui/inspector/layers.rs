//! The layers of what is seen: of the shown clip, or of the pose. The clip's keys are the bottom
//! row, and the list grows upward.

use egui::{
    Align, Align2, Layout, Rect, RichText, Role, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};
use egui_material_icons::icons;

use super::{
    fields::{Order, Shape, Triple, triple_ui},
    sections::section,
};
use crate::ui::popups::{lasting_menu_button, menu_button};
use crate::ui::{
    Action, Actions, LayerAction, Theme, View, edits,
    theme::Font,
    widgets::{
        check, cut, diamond, filter_field, icon_button, mask_words, name_widget, paint_icon,
        panel_title, select_all,
    },
};
use ulna_edit::command::{
    ClearInLayer, ClipList, CopyLayer, DuplicateLayer, ExtractLayer, FoldLayers, InvertLayer,
    LayerOf, LayerStrength, LayerStrengthKeys, MaskPoseLayer, MergeLayerDown, MovePoseLayer,
    MuteLayer, NewLayer, RemovePoseLayer, RenamePoseLayer, SetInLayer, SoloLayer, SplitLayer,
    field::{ClipName, Nodes, Numbers, Seconds},
};
use ulna_model::{
    ClipId, Derived, Document, LayerHome, MixMask, NodeId, PoseLayer, PoseLayerId, PoseLayers,
    Property, Shared, part_of,
};
use ulna_motion::{Folded, SeenPoints, fold_clip, fold_error, fold_pose, strength_of, user_at};
use ulna_render::ColorRole;

/// What the section keeps.
#[derive(Clone, Debug, Default)]
pub struct LayersState {
    /// The layer that gets another name, and what is typed.
    renamed: Option<(PoseLayerId, String)>,
    /// The layer that is dragged to another place.
    dragged: Option<PoseLayerId>,
    /// What is typed to find clips in that list.
    search: String,
    /// The clips that get a copy, while they are chosen.
    copied_to: std::collections::BTreeSet<ClipId>,
    /// Whether the list is open where edits do not go to layers.
    open: bool,
    /// What folding the layers of a clip would come to.
    fold: Derived<(u64, ClipId), Option<(Folded, f32)>>,
}

/// Height of a layer's row.
const ROW: f32 = 52.0;

/// The section; nothing where neither a clip nor the pose is seen.
pub fn layers_ui(
    state: &mut LayersState,
    degrees: &mut dyn FnMut(glam::Quat) -> glam::Vec3,
    rotation: &mut dyn FnMut(glam::Vec3) -> glam::Quat,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    actions: &mut Actions,
) {
    let Some(home) = view.layers.home else { return };
    let layers = document.aids.layers(home);
    let pose = home == LayerHome::Pose;
    let writes = if pose { view.layers.written.is_some() } else { view.layers.into };
    // Stays open where the pose's own offsets are chosen next, in this list.
    state.open |= pose && writes;
    header(state, ui, view, document, (home, &layers), writes, actions);
    if !(writes || state.open) {
        ui.add_space(2.0);
        return;
    }
    for layer in layers.iter().rev() {
        layer_row(state, ui, view, document, (home, &layers, layer), actions);
    }
    bottom_row(ui, view, document, home, actions);
    if !layers.is_empty() {
        foot(state, ui, view, document, (home, &layers), actions);
    }
    if let Some(node) = view.selection.active {
        // The chosen one, and all others that say something of the joint.
        let shown = |l: &&PoseLayer| view.layers.chosen == Some(l.id) || l.says(node);
        for layer in layers.iter().rev().filter(shown) {
            ui.push_id(layer.id.0, |ui| {
                in_layer(degrees, rotation, ui, view, document, (home, layer, node), actions);
            });
        }
    }
    ui.add_space(2.0);
    let (line, _) = ui.allocate_exact_size(vec2(ui.available_width(), 1.0), Sense::hover());
    ui.painter().rect_filled(line, 0.0, view.theme.color(ColorRole::StrokeControl));
    ui.add_space(2.0);
}

fn header(
    state: &mut LayersState,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    (home, layers): (LayerHome, &PoseLayers),
    writes: bool,
    actions: &mut Actions,
) {
    let theme = view.theme;
    ui.horizontal(|ui| {
        ui.set_height(26.0);
        if !writes {
            let icon = if state.open {
                icons::ICON_KEYBOARD_ARROW_DOWN
            } else {
                icons::ICON_KEYBOARD_ARROW_RIGHT
            };
            let name = if state.open { "Collapse layers" } else { "Expand layers" };
            if icon_button(ui, theme, icon, name, "", false, Ok(())).clicked() {
                state.open = !state.open;
            }
        }
        panel_title(ui, theme, "Layers");
        let of = match home {
            LayerHome::Pose => "of the file's pose".to_owned(),
            LayerHome::Clip(id) => format!("of {}", document.clip_label(id)),
        };
        let note = match layers.0.len() {
            0 => format!("{of}: none"),
            n if !(writes || state.open) => format!("{of}: {n}"),
            _ => of,
        };
        let note = RichText::new(note)
            .font(Theme::font(Font::Small))
            .color(theme.color(ColorRole::TextTertiary));
        ui.scope(|ui| {
            ui.set_max_width((ui.available_width() - 64.0).max(0.0));
            ui.add(egui::Label::new(note).truncate());
        });
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let more = menu_button(ui, "⋯", |ui| {
                ui.set_min_width(200.0);
                let mut keeps = document.aids.keeps_layers;
                let keep = check(ui, theme, &mut keeps, "Keep layers in the file");
                if keep
                    .on_hover_text(
                        "Saves the layers so that they stay editable. The keys in the file contain \
                            their result anyway",
                    )
                    .clicked()
                {
                    actions.push(Action::Run(
                        ulna_edit::command::KeepLayers { on: Some(keeps) }.into(),
                    ));
                }
                if ui.add_enabled(!layers.is_empty(), egui::Button::new("Bake all")).clicked() {
                    actions.push(fold(home, None));
                }
                if let LayerHome::Clip(id) = home {
                    from_keys_ui(ui, view, document, id, actions);
                }
            });
            name_widget(ui, &more, "More layer commands");
            if icon_button(ui, theme, icons::ICON_ADD, "New layer", "", false, Ok(())).clicked() {
                state.open = true;
                actions.push(Action::Run(
                    NewLayer { clip: home.clip().map(ClipName::Id), name: None }.into(),
                ));
                actions.push(LayerAction::Into(true));
            }
        });
    });
}

/// Layers made of what is there: of the clip's own keys, of an unkeyed pose, of another clip.
fn from_keys_ui(
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    id: ClipId,
    actions: &mut Actions,
) {
    ui.separator();
    let clip = || ClipName::Id(id);
    let split = ui.button("Split into simple keys and a layer");
    if split
        .on_hover_text("Keeps a few keys in the clip and moves the remaining detail into a layer")
        .clicked()
    {
        actions.push(Action::Run(SplitLayer { clip: clip(), degrees: None, name: None }.into()));
    }
    let unkeyed = view.timeline.unkeyed;
    let pose = ui.add_enabled(unkeyed.is_some(), egui::Button::new("Layer from unkeyed pose"));
    let pose = pose.on_hover_text("Applies the unkeyed pose over the whole clip");
    if let Some(at) = unkeyed.filter(|_| pose.clicked()) {
        let time = Some(Seconds(at.time()));
        actions
            .push(Action::Run(ExtractLayer { clip: clip(), other: None, time, name: None }.into()));
    }
    let others: Vec<ClipId> = document.clips.ids().filter(|other| *other != id).collect();
    ui.add_enabled_ui(!others.is_empty(), |ui| {
        menu_button(ui, "Layer from difference to clip", |ui| {
            egui::ScrollArea::vertical().max_height(320.0).show(ui, |ui| {
                for other in others {
                    if ui.button(document.clip_label(other)).clicked() {
                        let other = Some(ClipName::Id(other));
                        actions.push(Action::Run(
                            ExtractLayer { clip: clip(), other, time: None, name: None }.into(),
                        ));
                        ui.close();
                    }
                }
            });
        });
    });
}

fn fold(home: LayerHome, layer: Option<PoseLayerId>) -> Action {
    let layer = layer.map(ulna_edit::command::LayerName::Id);
    Action::Run(FoldLayers { clip: home.clip().map(ClipName::Id), layer }.into())
}

/// How a layer is written as a row: what it moves, in few words.
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

fn layer_row(
    state: &mut LayersState,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    (home, layers, layer): (LayerHome, &Shared<PoseLayers>, &PoseLayer),
    actions: &mut Actions,
) {
    let theme = view.theme;
    let of = || LayerOf::of(home, layer.id);
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
    {
        let ui = &mut line(ui, 1.0, 24.0, "layer");
        let eye = if layer.muted { icons::ICON_VISIBILITY_OFF } else { icons::ICON_VISIBILITY };
        if icon_button(ui, theme, eye, &format!("{} on", layer.name), "", false, Ok(())).clicked() {
            actions.push(Action::Run(MuteLayer { of: of(), muted: None }.into()));
        }
        if !rename_ui(state, ui, home, layer, actions) {
            let text =
                cut(ui, &layer.name, &Theme::font(Font::Heading), ui.available_width() - 84.0);
            let color =
                theme.color(if counts { ColorRole::TextPrimary } else { ColorRole::TextTertiary });
            let label = RichText::new(text).font(Theme::font(Font::Heading)).color(color);
            let label = ui.add(egui::Label::new(label).sense(Sense::click()).selectable(false));
            let label = label.on_hover_text("Double-click to rename");
            if label.double_clicked() {
                state.renamed = Some((layer.id, layer.name.to_string()));
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
                let (place, mark) = ui.allocate_exact_size(vec2(16.0, 24.0), Sense::click());
                mark.widget_info(|| {
                    WidgetInfo::labeled(
                        Role::Button,
                        true,
                        format!("Keys of the strength of {}", layer.name),
                    )
                });
                let color = theme.color(ColorRole::KeyInbetween);
                diamond(ui.painter(), place.center(), 9.0, color, color);
                let constant = ui.input(|i| i.modifiers.shift);
                let mark = mark.on_hover_text(
                    "The strength is animated. Click to set a key here. Shift-click to make it \
                        constant",
                );
                if mark.clicked() && constant {
                    actions.push(Action::Run(
                        LayerStrengthKeys {
                            of: of(),
                            keys: Numbers(Vec::new()),
                            interpolation: None,
                        }
                        .into(),
                    ));
                } else if mark.clicked() {
                    let time = view.timeline.playback.time;
                    let strength = strength_of(layer, time);
                    actions.push(Action::Run(
                        LayerStrength { of: of(), strength, time: Some(Seconds(time as f32)) }
                            .into(),
                    ));
                }
            }
        });
    }
    {
        let ui = &mut line(ui, 28.0, 20.0, "strength");
        ui.add_space(28.0);
        strength_ui(ui, view, (home, layer), actions);
        ui.add_space(4.0);
        let text = joints_words(document, layer);
        let short =
            cut(ui, &text, &Theme::font(Font::Small), (ui.available_width() - 20.0).max(30.0));
        let menu = menu_button(ui, RichText::new(short).font(Theme::font(Font::Small)), |ui| {
            mask_ui(ui, view, document, (home, layer), actions);
        });
        name_widget(ui, &menu, &format!("Mask of {}: {text}", layer.name));
        menu.on_hover_text("Joints that the layer affects");
    }
}

/// A row is dragged by itself to another place.
fn drag_row(
    state: &mut LayersState,
    ui: &Ui,
    (home, layers, layer): (LayerHome, &PoseLayers, &PoseLayer),
    (row, rect): (&egui::Response, Rect),
    theme: &Theme,
    actions: &mut Actions,
) {
    if row.drag_started() {
        state.dragged = Some(layer.id);
    }
    let Some(dragged) = state.dragged else { return };
    let Some(at) = ui.input(|i| i.pointer.latest_pos()) else { return };
    // Where it would come to stand: the row under the pointer, above or below its middle.
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
                // The list grows upward.
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

fn rename_ui(
    state: &mut LayersState,
    ui: &mut Ui,
    home: LayerHome,
    layer: &PoseLayer,
    actions: &mut Actions,
) -> bool {
    let Some((_, text)) = state.renamed.as_mut().filter(|(of, _)| *of == layer.id) else {
        return false;
    };
    let field = ui.add(
        egui::TextEdit::singleline(text).align(egui::Align2::LEFT_CENTER).desired_width(140.0),
    );
    name_widget(ui, &field, "Name of the layer");
    if !field.has_focus() && !field.lost_focus() {
        field.request_focus();
        select_all(ui.ctx(), field.id, text);
    }
    if field.lost_focus() {
        let name = text.trim().to_owned();
        let keeps = !ui.input(|i| i.key_pressed(egui::Key::Escape))
            && !name.is_empty()
            && *layer.name != *name;
        state.renamed = None;
        if keeps {
            actions.push(Action::Run(
                RenamePoseLayer { of: LayerOf::of(home, layer.id), name }.into(),
            ));
        }
    }
    true
}

/// How much of it counts: drawn as far as it does.
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

fn mask_ui(
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    (home, layer): (LayerHome, &PoseLayer),
    actions: &mut Actions,
) {
    let mut chosen: Option<Option<MixMask>> = None;
    let now = layer.mask.as_ref().map(|m| &m.by);
    let mut line = |ui: &mut Ui, text: &str, mask: Option<MixMask>| {
        if ui.selectable_label(now == mask.as_ref(), text).clicked() {
            chosen = Some(mask);
            ui.close();
        }
    };
    line(ui, "Whole body", None);
    line(ui, "Upper body", Some(MixMask::Upper));
    line(ui, "Lower body", Some(MixMask::Lower));
    line(ui, "Left side", Some(MixMask::Left));
    line(ui, "Right side", Some(MixMask::Right));
    if let Some(joint) = view.selection.active {
        let label = document.node(joint).label(joint);
        line(ui, &format!("{label} and below"), Some(MixMask::Below { joint, falloff: 0 }));
        line(
            ui,
            &format!("From {label} on, fading in over 3 joints"),
            Some(MixMask::Below { joint, falloff: 2 }),
        );
    }
    let selected = &view.selection.nodes;
    if !selected.is_empty() {
        let text = if selected.len() == 1 {
            "The selected joint".to_owned()
        } else {
            format!("The {} selected joints", selected.len())
        };
        line(ui, &text, Some(MixMask::Painted(selected.iter().map(|n| (*n, 1.0)).collect())));
    }
    if let Some(mask) = chosen {
        actions.push(Action::Run(
            MaskPoseLayer::with(LayerOf::of(home, layer.id), mask.as_ref()).into(),
        ));
    }
}

fn more(
    state: &mut LayersState,
    ui: &mut Ui,
    view: &View<'_>,
    (home, layers, layer): (LayerHome, &PoseLayers, &PoseLayer),
    actions: &mut Actions,
) {
    let of = || LayerOf::of(home, layer.id);
    let at = layers.position(layer.id).unwrap_or_default();
    let menu = menu_button(ui, "⋯", |ui| {
        ui.set_min_width(210.0);
        let mut line =
            |ui: &mut Ui, enabled: bool, text: &str, action: &mut dyn FnMut() -> Action| {
                if ui
                    .add_enabled(
                        enabled,
                        egui::Button::new(text).frame(false).min_size(vec2(200.0, 22.0)),
                    )
                    .clicked()
                {
                    actions.push(action());
                    ui.close();
                }
            };
        let mut renames = false;
        line(ui, true, "Rename", &mut || {
            renames = true;
            LayerAction::Choose(home, Some(layer.id)).into()
        });
        line(ui, true, "Duplicate", &mut || {
            Action::Run(DuplicateLayer { of: of(), name: None }.into())
        });
        line(ui, true, "Invert", &mut || Action::Run(InvertLayer { of: of() }.into()));
        line(ui, at + 1 < layers.0.len(), "Move up", &mut || {
            Action::Run(MovePoseLayer { of: of(), up: Some(true), place: None }.into())
        });
        line(ui, at > 0, "Move down", &mut || {
            Action::Run(MovePoseLayer { of: of(), up: Some(false), place: None }.into())
        });
        line(ui, at > 0, "Merge down", &mut || Action::Run(MergeLayerDown { of: of() }.into()));
        line(ui, !view.selection.nodes.is_empty(), "Remove selected joints", &mut || {
            let node = Some(Nodes::Ids(view.selection.nodes.iter().copied().collect()));
            Action::Run(ClearInLayer { of: of(), node }.into())
        });
        if home != LayerHome::Pose {
            line(ui, true, "Key strength here", &mut || {
                let time = view.timeline.playback.time;
                let strength = strength_of(layer, time);
                Action::Run(
                    LayerStrength { of: of(), strength, time: Some(Seconds(time as f32)) }.into(),
                )
            });
        }
        ui.separator();
        line(ui, true, "Bake this and lower layers", &mut || fold(home, Some(layer.id)));
        line(ui, true, "Remove", &mut || Action::Run(RemovePoseLayer { of: of() }.into()));
        if renames {
            state.renamed = Some((layer.id, layer.name.to_string()));
        }
    });
    name_widget(ui, &menu, &format!("More commands for {}", layer.name));
}

/// What lies below all layers.
fn bottom_row(
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    home: LayerHome,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let (rect, row) = ui.allocate_exact_size(vec2(ui.available_width(), 26.0), Sense::click());
    let (icon, text, facts) = match home {
        LayerHome::Pose => {
            let posed = document.nodes.values().filter(|n| n.pose.is_some()).count();
            (icons::ICON_ACCESSIBILITY_NEW, "Pose offset", format!("{posed} joints"))
        }
        LayerHome::Clip(id) => {
            let keys = document.clips.get(id).map_or(0, |c| c.key_count());
            (
                icons::ICON_MOVIE,
                "Keys of the clip",
                format!("{} base keys", crate::ui::widgets::thousands(keys)),
            )
        }
    };
    let written = view.layers.written.is_none() && home == LayerHome::Pose;
    row.widget_info(|| WidgetInfo::selected(Role::TreeItem, true, written, text));
    if written && document.aids.pose_layers.contains_key(&home) {
        ui.painter().rect_filled(
            rect.expand2(vec2(12.0, 0.0)),
            0.0,
            theme.color(ColorRole::AccentTint),
        );
    }
    if row.clicked() {
        actions.push(LayerAction::Choose(home, None));
    }
    let y = rect.center().y;
    paint_icon(
        ui.painter(),
        pos2(rect.left() + 12.0, y),
        icon,
        15.0,
        theme.color(ColorRole::TextTertiary),
    );
    let small = Theme::font(Font::Small);
    let at = pos2(rect.left() + 30.0, y);
    ui.painter().text(
        at,
        Align2::LEFT_CENTER,
        text,
        Theme::font(Font::Body),
        theme.color(ColorRole::TextSecondary),
    );
    let at = pos2(rect.right(), y);
    ui.painter().text(at, Align2::RIGHT_CENTER, facts, small, theme.color(ColorRole::TextTertiary));
}

fn foot(
    state: &mut LayersState,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    (home, layers): (LayerHome, &PoseLayers),
    actions: &mut Actions,
) {
    let session = view.session.filter(|s| !s.history().is_open());
    if let (Some(session), LayerHome::Clip(id)) = (session, home) {
        state.fold.update((session.generation(), id), |_| foreseen(document, id));
    }
    ui.horizontal(|ui| {
        let text = if home == LayerHome::Pose { "Bake into pose" } else { "Bake into keys" };
        let fold_button = ui.add_enabled(layers.any_counts(), egui::Button::new(text));
        if fold_button
            .on_hover_text("Replaces all enabled layers with keys. The error is shown at the right")
            .clicked()
        {
            actions.push(fold(home, None));
        }
        let Some(layer) = view.layers.chosen.and_then(|id| layers.get(id)) else { return };
        let button = lasting_menu_button(ui, egui::Button::new("Copy to clips…"), |ui| {
            ui.set_min_width(220.0);
            filter_field(ui, view.theme, &mut state.search, "Find clips");
            let needle = state.search.to_lowercase();
            let fits = |id: &ClipId| {
                home.clip() != Some(*id)
                    && document.clip_label(*id).to_lowercase().contains(&needle)
            };
            let shown: Vec<ClipId> = document.clips.ids().filter(fits).collect();
            if ui.button(format!("Select all {}", shown.len())).clicked() {
                state.copied_to.extend(&shown);
            }
            egui::ScrollArea::vertical().max_height(280.0).show(ui, |ui| {
                for id in shown {
                    let mut on = state.copied_to.contains(&id);
                    if check(ui, view.theme, &mut on, document.clip_label(id)).clicked() {
                        if on {
                            state.copied_to.insert(id)
                        } else {
                            state.copied_to.remove(&id)
                        };
                    }
                }
            });
            ui.separator();
            let n = state.copied_to.len();
            let text =
                if n == 1 { "Copy to 1 clip".to_owned() } else { format!("Copy to {n} clips") };
            if ui.add_enabled(n > 0, egui::Button::new(text)).clicked() {
                let to = ClipList::Ids(std::mem::take(&mut state.copied_to).into_iter().collect());
                actions.push(Action::Run(CopyLayer { of: LayerOf::of(home, layer.id), to }.into()));
                ui.close();
            }
        });
        name_widget(ui, &button, "Copy to clips…");
    });
    let foreseen = state.fold.get().and_then(Option::as_ref).filter(|_| home != LayerHome::Pose);
    if let Some((folded, off)) = foreseen {
        let text = match folded.sampled {
            0 => "Bake error: none".to_owned(),
            _ => format!("Bake error: {:.2} mm", off * 1000.0),
        };
        let about = match folded.sampled {
            0 => format!("All {} tracks keep their keys unchanged", folded.exact),
            n => format!(
                "Largest distance on the skin. {n} of {} tracks are resampled, which adds {} keys",
                n + folded.exact,
                folded.keys_added
            ),
        };
        let text = RichText::new(text)
            .font(Theme::font(Font::NumberSmall))
            .color(view.theme.color(ColorRole::TextSecondary));
        ui.label(text).on_hover_text(about);
    }
}

/// What folding the layers of a clip would come to, and how far a joint would be off; nothing where
/// they are too much to be tried beside the window.
fn foreseen(document: &Document, id: ClipId) -> Option<(Folded, f32)> {
    /// Keys of a clip up to which it is tried.
    const MOST: usize = 20_000;
    /// Times that are looked at, and vertices.
    const LOOKS: usize = 40;
    const POINTS: usize = 512;
    let clip = document.clips.get(id).filter(|c| c.key_count() <= MOST)?;
    let layers = document.aids.layers(LayerHome::Clip(id));
    if !layers.any_counts() {
        return None;
    }
    let file = fold_pose(&document.file, &document.aids.layers(LayerHome::Pose));
    let folded = fold_clip(&file, clip, &layers);
    let seen = || SeenPoints::of(document, POINTS);
    let off = if folded.sampled == 0 {
        0.0
    } else {
        fold_error(document, id, &folded.clip, (&seen(), LOOKS)).0
    };
    Some((folded, off))
}

/// `Ul` of the active joint in the chosen layer, by number.
fn in_layer(
    degrees: &mut dyn FnMut(glam::Quat) -> glam::Vec3,
    rotation: &mut dyn FnMut(glam::Vec3) -> glam::Quat,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    (home, layer, node): (LayerHome, &PoseLayer, NodeId),
    actions: &mut Actions,
) {
    let theme = view.theme;
    let time = view.timeline.playback.time;
    let label = document.node(node).label(node);
    let reset = layer.says(node);
    let note = format!("in {}", layer.name);
    if section(ui, theme, "Ul", &label, &note, reset) {
        let node = Some(Nodes::one(node));
        actions.push(Action::Run(ClearInLayer { of: LayerOf::of(home, layer.id), node }.into()));
    }
    let user = user_at(layer, node, time);
    let seen = part_of(&user, layer.share(strength_of(layer, time), node));
    // Those of the chosen one have the plain names.
    let names = match view.layers.chosen == Some(layer.id) {
        true => ["Layer translation", "Layer rotation", "Layer scale"],
        false => ["Other translation", "Other rotation", "Other scale"],
    };
    for property in Property::TRS {
        let (values, triple, name) = match property {
            Property::Translation => {
                (user.translation, Triple::length(names[0], view.settings.length), "Move")
            }
            Property::Rotation => (degrees(user.rotation), Triple::angle(names[1]), "Rotate"),
            Property::Scale | Property::Weights => (user.scale, Triple::factor(names[2]), "Scale"),
        };
        let shape = Shape { mixed: [false; 3], ..triple.shape(user.rotation, Order::default()) };
        let edited = triple_ui(ui, theme, &triple, values, true, &shape);
        if edited.values.is_some() || edited.quaternion.is_some() {
            let mut wanted = user;
            let values = edited.values.unwrap_or(values);
            match property {
                Property::Translation => wanted.translation = values,
                Property::Rotation => {
                    wanted.rotation = edited.quaternion.unwrap_or_else(|| rotation(values))
                }
                Property::Scale | Property::Weights => wanted.scale = values,
            }
            let command = SetInLayer {
                of: LayerOf::of(home, layer.id),
                node: Nodes::one(node),
                to: edits::component(&wanted, property),
                time: Some(Seconds(time as f32)),
                key: (view.timeline.auto_key && home != LayerHome::Pose).then_some(true),
            };
            let label = format!("{name} {label} in {}", layer.name);
            actions.push(Action::Preview { label, commands: vec![command.into()] });
        }
        if edited.done {
            actions.push(Action::Commit);
        }
    }
    let share = layer.share(strength_of(layer, time), node);
    if share != 1.0 && layer.says(node) {
        let angle = seen.rotation.to_scaled_axis().length().to_degrees();
        let text = format!("{angle:.1}° at {:.0} % strength", share * 100.0);
        ui.label(
            RichText::new(text)
                .font(Theme::font(Font::Small))
                .color(theme.color(ColorRole::TextTertiary)),
        );
    }
}
