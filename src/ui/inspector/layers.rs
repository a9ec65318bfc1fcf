//! The list of layers of the shown clip or pose. The bottom row is the clip's own keys, and higher
//! layers are above it.

use egui::{Align, Align2, Layout, RichText, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;

use super::{
    fields::{Order, RowFormat, RowLocks, Triple, triple_ui},
    layer_rows::{LayersState, fold, layer_row},
    sections::section,
};
use crate::ui::popups::lasting_menu_button;
use crate::ui::{
    Action, Actions, LayerAction, Theme, View, edits,
    menu_rows::{MenuRows, Row, more_button},
    theme::Font,
    widgets::{check, filter_field, icon_button, name_widget, paint_icon, panel_title},
};
use ulna_edit::command::{
    ClearInLayer, ClipList, CopyLayer, ExtractLayer, KeepLayers, LayerOf, NewLayer, SetInLayer,
    SplitLayer,
    field::{ClipName, Nodes, Seconds},
};
use ulna_model::{ClipId, Document, LayerHome, NodeId, PoseLayer, PoseLayers, Property, part_of};
use ulna_motion::{Folded, SeenPoints, fold_clip, fold_error, fold_pose, strength_of, user_at};
use ulna_render::ColorRole;

/// Draws the list of layers. Draws nothing if neither a clip nor the pose is shown.
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
    // Choosing the pose's own offsets in this list must not collapse it.
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
        // The chosen layer, and all other layers with a change of this joint.
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
            more_button(ui, view, actions, "More layer commands", |rows| {
                more_rows(rows, document, home, layers.is_empty());
            });
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

/// Adds menu rows for commands on all layers.
fn more_rows(rows: &mut MenuRows<'_>, document: &Document, home: LayerHome, is_empty: bool) {
    let keeps = document.aids.keeps_layers;
    let keep = Row::new("Keep layers in the file").checked(keeps).help(
        "Saves the layers so that they stay editable. The keys in the file contain their result \
            anyway",
    );
    rows.run(keep, || KeepLayers { on: Some(!keeps) }.into());
    let bake = Row::new("Bake all").unless(is_empty.then_some("There are no layers"));
    rows.act(bake, || fold(home, None));
    if let LayerHome::Clip(id) = home {
        rows.separator();
        from_keys_rows(rows, document, id);
    }
}

/// Adds menu rows that create layers from the clip's own keys, from an unkeyed pose, or from
/// another clip.
fn from_keys_rows(rows: &mut MenuRows<'_>, document: &Document, id: ClipId) {
    let clip = || ClipName::Id(id);
    let split = Row::new("Split into simple keys and a layer")
        .help("Keeps a few keys in the clip and moves the remaining detail into a layer");
    rows.run(split, || SplitLayer { clip: clip(), degrees: None, name: None }.into());
    let unkeyed = rows.view.timeline.unkeyed;
    let reason = unkeyed.is_none().then_some("There is no unkeyed pose at the playhead");
    let pose = Row::new("Layer from unkeyed pose")
        .help("Applies the unkeyed pose over the whole clip")
        .unless(reason);
    rows.run(pose, || {
        let time = unkeyed.map(|at| Seconds(at.time()));
        ExtractLayer { clip: clip(), other: None, time, name: None }.into()
    });
    let others: Vec<ClipId> = document.clips.ids().filter(|other| *other != id).collect();
    let reason = others.is_empty().then_some("The file has no other clip");
    rows.submenu(Row::new("Layer from difference to clip").unless(reason), |rows| {
        for other in others {
            rows.run(Row::new(document.clip_label(other)), || {
                let other = Some(ClipName::Id(other));
                ExtractLayer { clip: clip(), other, time: None, name: None }.into()
            });
        }
    });
}

/// Draws the row of the keys or the pose below all layers.
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
        state.fold.update((session.generation(), id), |_| measure_fold(document, id));
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
    let measured = state.fold.get().and_then(Option::as_ref).filter(|_| home != LayerHome::Pose);
    if let Some((folded, off)) = measured {
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

/// Bakes the layers of a clip into keys. Returns the result and the largest error in meters.
///
/// `None` if the clip has no effective layer, or has too many keys to measure.
fn measure_fold(document: &Document, id: ClipId) -> Option<(Folded, f32)> {
    /// Maximum number of keys in a measured clip.
    const MOST: usize = 20_000;
    /// Number of times at which the error is measured.
    const LOOKS: usize = 40;
    /// Number of vertices at which the error is measured.
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

/// Draws fields for `Ul` of the active joint in one layer.
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
    // Accessible names: the fields of the chosen layer have the plain names.
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
        // The displayed Euler order is unknown here, so a rotation is locked as a whole.
        let locks = RowLocks {
            axes: document.node(node).locks.of(property),
            is_shown: false,
            as_one: property == Property::Rotation,
        };
        let shape = RowFormat { locks, ..triple.shape(user.rotation, Order::default()) };
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
