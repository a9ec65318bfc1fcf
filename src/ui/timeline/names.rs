//! Row names on the left of the sheet, with values and context menus.

use egui::{Align2, Painter, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;

use super::{
    domain::{SelectHow, TimelineAction},
    rows::{Row, Rows},
    state::TimelineState,
    values::{Channel, morph_ui, values_ui},
};
use crate::ui::{
    Action, Actions, OutlinerAction, Theme, View, ViewportAction,
    menu_rows::{MenuRows, Row as MenuRow, context_menu},
    popups::opens_menu,
    theme::Font,
    widgets::{elided, node_icon, paint_icon, thousands},
};
use ulna_edit::command::{
    ChangeKeys, RenameNode, SetKey, ValueAbout, ValueHow, ViewCommand, WhichKeys,
    field::{ClipName, KeyParts, Nodes, Numbers, Seconds},
};
use ulna_model::{ClipId, Document, KeySet, KeyTimes, NodeId, Property};
use ulna_render::ColorRole;

/// Area of a row's name.
struct NameArea<'a> {
    painter: &'a Painter,
    area: Rect,
    /// Part of the area that the ruler does not cover.
    seen: Rect,
}

impl NameArea<'_> {
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

/// Shows the name of a row in `rect`. Only the part inside `clip` is visible.
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
    let place = NameArea { painter: &ui.painter_at(clip), area, seen: area.intersect(clip) };
    if !place.seen.is_positive() {
        return;
    }
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
        // These rows draw their names with their curves or in the curve list.
        Row::Strength(_) | Row::Contacts(_) | Row::Component(..) => {}
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
    place: &NameArea<'_>,
    actions: &mut Actions,
) {
    let (theme, area, painter) = (view.theme, place.area, place.painter);
    let label = document.node(node).label(node);
    let selected = view.selection.nodes.contains(&node);
    let response = ui.interact(place.seen, ui.scope_id().with(("track", node.0)), Sense::click());
    response.widget_info(|| {
        WidgetInfo::selected(Role::TreeItem, true, selected, format!("Track {label}"))
    });
    if response.gained_focus() {
        // Scroll a part of the next row into view, so that Tab can reach it.
        let (clip, edge) = (place.painter.clip_rect(), area.height() * 0.5);
        let below = area.bottom() + edge - clip.bottom();
        let above = clip.top() + edge - area.top();
        state.scroll += if below > 0.0 { below } else { -above.max(0.0) };
        ui.ctx().request_repaint();
    }
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
    if opens_menu(&response) && !selected {
        actions.push(OutlinerAction::Select { node, toggle: false });
    }
    context_menu(&response, Some(place.seen), view, actions, |rows| {
        track_rows(state, rows, document, (node, &label, pinned));
    });
    if response.hovered() {
        actions.push(ViewportAction::Hover(Some(node)));
    }
    if response.clicked() {
        let toggle = ui.input(|i| i.modifiers.command || i.modifiers.shift);
        actions.push(OutlinerAction::Select { node, toggle });
    }
    // The click before selected the joint, so this opens its name in the outliner like the key.
    if response.double_clicked() {
        actions.push(Action::Invoke(RenameNode::spec()));
    }
}

/// Adds rows that scale the motion of a joint about the mean of its keys. Translations can also be
/// scaled along one axis.
fn amplitude_rows(rows: &mut MenuRows<'_>, id: ClipId, node: NodeId) {
    let view = rows.view;
    let Some(clip) = view.session.and_then(|s| view.keys_clip(s.document(), id)) else { return };
    for (property, label) in
        [(Property::Translation, "Translation"), (Property::Rotation, "Rotation")]
    {
        if clip.track(node, property).is_none_or(|(_, t)| t.times.len() < 2) {
            continue;
        }
        rows.submenu(MenuRow::new(format!("{label} amplitude")), |rows| {
            factor_rows(rows, (id, node, property), |by| vec![by]);
            if property == Property::Translation {
                rows.separator();
                for (axis, name) in ["X", "Y", "Z"].into_iter().enumerate() {
                    rows.submenu(MenuRow::new(format!("{name} only")), |rows| {
                        let along =
                            |by: f64| (0..3).map(|k| if k == axis { by } else { 1.0 }).collect();
                        factor_rows(rows, (id, node, property), along);
                    });
                }
            }
        });
    }
}

/// Adds one row per scale factor of a joint's keys. `numbers` converts a factor to one number per
/// component, or one for all.
fn factor_rows(
    rows: &mut MenuRows<'_>,
    (id, node, property): (ClipId, NodeId, Property),
    numbers: impl Fn(f64) -> Vec<f64>,
) {
    const TIMES: [(f64, &str); 5] =
        [(0.5, "½"), (0.75, "¾"), (1.25, "1¼"), (1.5, "1½"), (2.0, "2")];
    for (by, text) in TIMES {
        rows.run(MenuRow::new(format!("× {text}")), || {
            let which = WhichKeys {
                node: Some(Nodes::one(node)),
                parts: Some(KeyParts(vec![property])),
                ..WhichKeys::default()
            };
            ChangeKeys {
                clip: ClipName::Id(id),
                how: ValueHow::Scale,
                by: Numbers(numbers(by)),
                about: Some(ValueAbout::Mean),
                order: None,
                which,
            }
            .into()
        });
    }
}

/// Adds rows for the tracks of a joint.
fn track_rows(
    state: &mut TimelineState,
    rows: &mut MenuRows<'_>,
    document: &Document,
    (node, label, pinned): (NodeId, &str, bool),
) {
    let view = rows.view;
    let home = view.keys_home();
    let clip = home.and_then(|home| view.keys_clip(document, home.clip));
    let count: usize = clip.map_or(0, |clip| {
        clip.tracks.values().filter(|t| t.target == node).map(|t| t.times.len()).sum()
    });
    let about = if count == 1 { "1 key".to_owned() } else { format!("{} keys", thousands(count)) };
    rows.header(label, &about);
    let select = MenuRow::new("Select all its keys").icon(icons::ICON_ADS_CLICK.codepoint);
    if rows.row(select)
        && let Some((home, clip)) = home.zip(clip)
    {
        let keys = KeySet::of(clip, |_, t| match t.target == node {
            true => KeyTimes::part(&t.times, 0..t.times.len()),
            false => KeyTimes::default(),
        });
        rows.actions.push(TimelineAction::SelectKeys { home, keys, how: SelectHow::Only });
    }
    rows.command_as(ViewCommand::FrameSelected.spec(), "Frame the joint");
    if let Some(id) = view.shown_clip() {
        rows.separator();
        let key = MenuRow::of(view, SetKey::spec()).title(format!("Key {label} here")).enabled();
        rows.run(key, || {
            let time = Seconds(view.timeline.playback.time as f32);
            let interpolation = Some(view.settings.new_keys);
            let key = SetKey::new(ClipName::Id(id), time, Nodes::one(node));
            SetKey { interpolation, ..key }.into()
        });
        amplitude_rows(rows, id, node);
    }
    rows.separator();
    let icon = icons::ICON_KEEP.codepoint;
    if rows.row(MenuRow::new(if pinned { "Unpin" } else { "Pin to the top" }).icon(icon))
        && !state.filter.pinned.remove(&node)
    {
        state.filter.pinned.insert(node);
    }
    if rows.row(MenuRow::new("Open all rows").icon(icons::ICON_UNFOLD_MORE.codepoint)) {
        state.open.extend(document.node_ids());
    }
    if rows.row(MenuRow::new("Close all rows").icon(icons::ICON_UNFOLD_LESS.codepoint)) {
        state.open.clear();
    }
}
