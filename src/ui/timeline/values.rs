//! Number fields in a channel's row: the values at the playhead, which can be dragged and typed. A
//! diamond sets or removes the key. Text that starts with `*`, `/`, `+=` or `-=` applies to all
//! selected keys of the track.

use std::cell::Cell;

use egui::{DragValue, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use glam::{EulerRot, Quat, Vec3};

use crate::ui::{
    Action, Actions, Theme, View, edits,
    theme::Font,
    widgets::{diamond, name_widget, short_number},
};
use ulna_edit::{
    command::{
        ChangeKeys, DeleteKeys, KeyMorphs, SetKey, ValueAbout, ValueHow, WhichKeys,
        field::{ClipName, KeyParts, Nodes, Numbers, Parts, Seconds},
    },
    evaluate,
};
use ulna_model::{ClipId, KeySet, KeyTimes, NodeId, Property, Track, TrackId};
use ulna_motion::clip_edit::SAME_TIME;
use ulna_render::ColorRole;

/// Width of a field, and distance between fields, in points.
const FIELD: (f32, f32) = (57.0, 59.0);

/// Typed arithmetic for all selected keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Sum {
    Add(f64),
    Times(f64, ValueAbout),
}

/// Parses typed arithmetic such as `*1.5`. It starts with an operator that cannot start a number.
fn sum_of(text: &str) -> Option<Sum> {
    let text = text.trim();
    // A suffix `mean` or `first` sets the pivot of the scale; otherwise it is 0.
    let (text, about) = [("mean", ValueAbout::Mean), ("first", ValueAbout::First)]
        .into_iter()
        .find_map(|(word, about)| Some((text.strip_suffix(word)?, about)))
        .unwrap_or((text, ValueAbout::Zero));
    let number = |t: &str| evaluate(t.trim().trim_end_matches('°'));
    if let Some(rest) = text.strip_prefix('*') {
        return number(rest).map(|v| Sum::Times(v, about));
    }
    if let Some(rest) = text.strip_prefix('/') {
        return number(rest).filter(|v| *v != 0.0).map(|v| Sum::Times(1.0 / v, about));
    }
    if let Some(rest) = text.strip_prefix("+=").or_else(|| text.strip_prefix('+')) {
        return number(rest).map(Sum::Add);
    }
    text.strip_prefix("-=").and_then(number).map(|v| Sum::Add(-v))
}

/// Row of a channel: clip, node and track.
#[derive(Clone, Copy)]
pub struct Channel<'a> {
    pub clip: ClipId,
    pub node: NodeId,
    pub track: TrackId,
    pub keys: &'a Track,
}

/// Shows the number fields and the key diamond in the name column of a row.
pub fn values_ui(
    ui: &mut Ui,
    view: &View<'_>,
    channel: Channel<'_>,
    area: Rect,
    seen: Rect,
    actions: &mut Actions,
) {
    let Some(pose) = view.pose.local.get(channel.node.index()) else { return };
    let (property, local) = (channel.keys.property, pose.transform());
    let degrees = property == Property::Rotation;
    let values = match property {
        Property::Translation => local.translation,
        Property::Rotation => {
            let (x, y, z) = local.rotation.to_euler(EulerRot::XYZ);
            Vec3::new(x.to_degrees(), y.to_degrees(), z.to_degrees())
        }
        Property::Scale => local.scale,
        Property::Weights => return,
    };
    if seen.height() < area.height() - 0.5 {
        return;
    }
    let left = area.left() + 46.0;
    for axis in 0..3 {
        let place = Rect::from_min_size(
            pos2(left + axis as f32 * FIELD.1, area.top() + 2.0),
            vec2(FIELD.0, 16.0),
        );
        field_ui(ui, view, channel, (place, axis, degrees), values, actions);
    }
    slot_ui(ui, view, channel, pos2(left + 3.0 * FIELD.1 + 7.0, area.center().y), actions);
}

fn field_ui(
    ui: &mut Ui,
    view: &View<'_>,
    channel: Channel<'_>,
    (place, axis, degrees): (Rect, usize, bool),
    values: Vec3,
    actions: &mut Actions,
) {
    let name = {
        let label = view.session.map_or_else(String::new, |s| {
            let node = s.document().node(channel.node);
            node.label(channel.node)
        });
        format!(
            "{label} {} {} at the playhead",
            channel.keys.property.path(),
            ["X", "Y", "Z"][axis]
        )
    };
    let neutral = if channel.keys.property == Property::Scale { 1.0 } else { 0.0 };
    let look = NumberLook {
        salt: ("value", channel.track.0, axis),
        name: &name,
        edge: [ColorRole::AxisX, ColorRole::AxisY, ColorRole::AxisZ][axis],
        degrees,
        quiet: (values[axis] - neutral).abs() < 5e-4,
        plain: false,
    };
    let (response, value, sum) = number_ui(ui, view, place, values[axis], &look);
    let hint = format!(
        "{name}: {}\nType *1.5 or +2 to change all selected keys of the row. “*1.5 mean” scales \
            about their mean, \
        “*1.5 first” about the first key",
        values[axis]
    );
    let response = response.on_hover_text(hint);
    if let Some(sum) = sum.filter(|_| response.lost_focus()) {
        calculate(view, channel, axis, sum, values, actions);
        return;
    }
    if response.changed() {
        let mut wanted = values;
        wanted[axis] = value;
        set(view, channel, wanted, actions);
    }
    if response.drag_stopped() || (response.changed() && !response.dragged()) {
        actions.push(Action::Commit);
    }
}

/// Shows the weight of a morph target at the playhead, and its key diamond.
pub fn morph_ui(
    ui: &mut Ui,
    view: &View<'_>,
    channel: Channel<'_>,
    (target, name): (usize, &str),
    (area, seen): (Rect, Rect),
    actions: &mut Actions,
) {
    let Some(weights) = view.pose.morphs.get(channel.node.index()) else { return };
    if seen.height() < area.height() - 0.5 {
        return;
    }
    let left = area.left() + 46.0 + 2.0 * FIELD.1;
    let place = Rect::from_min_size(pos2(left, area.top() + 2.0), vec2(FIELD.0, 16.0));
    let now = weights.get(target).copied().unwrap_or(0.0);
    let salt = ("morph", channel.track.0, target);
    let said = format!("Morph {name} at the playhead");
    let look = NumberLook {
        salt,
        name: &said,
        edge: ColorRole::TextTertiary,
        degrees: false,
        quiet: now.abs() < 5e-4,
        plain: false,
    };
    let (response, value, _) = number_ui(ui, view, place, now, &look);
    if response.changed() {
        let commands = vec![edits::set_morph(view, channel.node, target, value)];
        actions.push(Action::Preview { label: format!("Morph {name}"), commands });
    }
    if response.drag_stopped() || (response.changed() && !response.dragged()) {
        actions.push(Action::Commit);
    }
    if target == 0 {
        slot_ui(ui, view, channel, pos2(left + FIELD.1 + 7.0, area.center().y), actions);
    }
}

/// Appearance and name of a number field.
pub(super) struct NumberLook<'a> {
    pub salt: (&'static str, u32, usize),
    pub name: &'a str,
    pub edge: ColorRole,
    pub degrees: bool,
    /// Whether the text is dimmed, for a neutral value or a hidden curve.
    pub quiet: bool,
    /// Whether the field has no frame.
    pub plain: bool,
}

/// Shows a number field. Returns its response, its current value, and arithmetic that was typed for
/// all selected keys.
pub(super) fn number_ui(
    ui: &mut Ui,
    view: &View<'_>,
    place: Rect,
    now: f32,
    look: &NumberLook<'_>,
) -> (egui::Response, f32, Option<Sum>) {
    let theme = view.theme;
    if !look.plain {
        let painter = ui.painter_at(place.expand(1.0));
        painter.rect(
            place,
            3.0,
            theme.color(ColorRole::SurfaceField),
            theme.field_edge(),
            egui::StrokeKind::Inside,
        );
        let edge = Rect::from_min_size(place.min + vec2(0.0, 2.0), vec2(2.0, 12.0));
        painter.rect_filled(edge, 1.0, theme.color(look.edge));
    }
    let mut child = ui.new_child(egui::UiBuilder::new().id_salt(look.salt).max_rect(place));
    let visuals = child.visuals_mut();
    for w in
        [&mut visuals.widgets.inactive, &mut visuals.widgets.hovered, &mut visuals.widgets.active]
    {
        w.weak_bg_fill = egui::Color32::TRANSPARENT;
        w.bg_fill = egui::Color32::TRANSPARENT;
        w.bg_stroke = egui::Stroke::NONE;
    }
    let text = if look.quiet { ColorRole::TextTertiary } else { ColorRole::TextPrimary };
    visuals.widgets.inactive.fg_stroke.color = theme.color(text);
    child.spacing_mut().button_padding = vec2(3.0, 0.0);
    child.spacing_mut().interact_size = place.size();
    child.style_mut().drag_value_text_style = egui::TextStyle::Small;
    child.style_mut().override_font_id = Some(Theme::font(Font::NumberSmall));
    let sum: Cell<Option<Sum>> = Cell::new(None);
    let (mut value, degrees) = (now, look.degrees);
    let drag = DragValue::new(&mut value)
        .speed(if degrees { 0.5 } else { 0.002 })
        .update_while_editing(false)
        .custom_formatter(move |v, _| short_number(v as f32, degrees))
        .custom_parser(|text| match sum_of(text) {
            Some(found) => {
                sum.set(Some(found));
                Some(f64::from(now))
            }
            None => evaluate(text.trim_end_matches('°')),
        });
    let response = child.add_sized(place.size(), drag);
    name_widget(&child, &response, look.name);
    (response, value, sum.get())
}

/// Previews a new value of the channel.
pub(super) fn set(view: &View<'_>, channel: Channel<'_>, wanted: Vec3, actions: &mut Actions) {
    let mut local = view.pose.local[channel.node.index()].transform();
    let property = channel.keys.property;
    match property {
        Property::Translation => local.translation = wanted,
        Property::Rotation => {
            let d = wanted.to_array().map(f32::to_radians);
            local.rotation = Quat::from_euler(EulerRot::XYZ, d[0], d[1], d[2]);
        }
        Property::Scale | Property::Weights => local.scale = wanted,
    }
    if let Some(command) = edits::over_shown_clip(view, channel.node, &local, property) {
        let commands = edits::with_other_side(view, &[channel.node], vec![command]);
        actions.push(Action::Preview { label: format!("Set {}", property.path()), commands });
    }
}

/// Applies arithmetic to the selected keys of the track, or to the shown value without a selection.
fn calculate(
    view: &View<'_>,
    channel: Channel<'_>,
    axis: usize,
    sum: Sum,
    values: Vec3,
    actions: &mut Actions,
) {
    let times = view.selected_keys().of_track(channel.track);
    if times.is_empty() {
        let mut wanted = values;
        wanted[axis] = match sum {
            Sum::Add(by) => values[axis] + by as f32,
            Sum::Times(by, _) => values[axis] * by as f32,
        };
        set(view, channel, wanted, actions);
        actions.push(Action::Commit);
        return;
    }
    let keys: KeySet = std::iter::once((channel.track, KeyTimes::from(times.to_vec()))).collect();
    let (how, neutral, by, about) = match sum {
        Sum::Add(by) => (ValueHow::Add, 0.0, by, None),
        Sum::Times(by, about) => (ValueHow::Scale, 1.0, by, Some(about)),
    };
    let mut all = vec![neutral; 3];
    all[axis] = by;
    // A rotation is scaled as a whole.
    if channel.keys.property == Property::Rotation && how == ValueHow::Scale {
        all = vec![by];
    }
    let which = WhichKeys::these(channel.clip, keys);
    actions.push(Action::Run(
        ChangeKeys {
            clip: ClipName::Id(channel.clip),
            how,
            by: Numbers(all),
            about,
            order: None,
            which,
        }
        .into(),
    ));
}

/// Shows the key diamond: a key here, only keys elsewhere, or an unkeyed change. A click sets or
/// removes the key.
fn slot_ui(ui: &Ui, view: &View<'_>, channel: Channel<'_>, at: egui::Pos2, actions: &mut Actions) {
    let (theme, time) = (view.theme, view.timeline.playback.time as f32);
    let property = channel.keys.property;
    let here = channel.keys.key_at(time, SAME_TIME).is_some();
    let document = view.session.map(|s| s.document());
    let pending = view.timeline.unkeyed.is_some_and(|at| {
        let pose = document.and_then(|d| d.aids.unkeyed.get(&at));
        pose.is_some_and(|p| match property {
            Property::Weights => p.morphs.contains_key(&channel.node),
            _ => p.locals.get(&channel.node).is_some_and(|c| c.has(property)),
        })
    });
    let clear = egui::Color32::TRANSPARENT;
    let (fill, rim) = match (here, pending) {
        (_, true) => (clear, theme.color(ColorRole::KeyPending)),
        (true, false) => (theme.color(ColorRole::SelectionBase), clear),
        (false, false) => (theme.color(ColorRole::KeyInbetween), clear),
    };
    let area = Rect::from_center_size(at, vec2(18.0, 18.0));
    let response =
        ui.interact(area, ui.scope_id().with(("key here", channel.track.0)), Sense::click());
    let label = document.map_or_else(String::new, |d| d.node(channel.node).label(channel.node));
    let verb = if here && !pending { "Delete" } else { "Set" };
    let name = format!("{verb} {} key of {label} here", property.path());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
    diamond(&ui.painter_at(area), at, if response.hovered() { 11.0 } else { 9.0 }, fill, rim);
    if response.on_hover_text(&name).clicked() {
        let (clip, node, time) =
            (ClipName::Id(channel.clip), Nodes::one(channel.node), Seconds(time));
        if verb == "Delete" {
            let parts = Some(KeyParts(vec![property]));
            let which =
                WhichKeys { time: Some(time), node: Some(node), parts, ..WhichKeys::default() };
            actions.push(Action::Run(DeleteKeys { clip, which }.into()));
        } else if property == Property::Weights {
            let interpolation = Some(view.settings.new_keys);
            let key = KeyMorphs { clip, time, node, target: None, weight: None, interpolation };
            actions.push(Action::Run(key.into()));
        } else {
            let parts = Some(Parts(vec![property]));
            let interpolation = Some(view.settings.new_keys);
            let key = SetKey { parts, interpolation, ..SetKey::new(clip, time, node) };
            actions.push(Action::Run(key.into()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_is_distinguished_from_a_number() {
        assert_eq!(sum_of("*1.5"), Some(Sum::Times(1.5, ValueAbout::Zero)));
        assert_eq!(sum_of("/2"), Some(Sum::Times(0.5, ValueAbout::Zero)));
        assert_eq!(sum_of("*2 mean"), Some(Sum::Times(2.0, ValueAbout::Mean)));
        assert_eq!(sum_of("+2"), Some(Sum::Add(2.0)));
        assert_eq!(sum_of("-=3°"), Some(Sum::Add(-3.0)));
        assert_eq!(sum_of("-3"), None);
        assert_eq!(sum_of("/0"), None);
        assert_eq!(sum_of("12"), None);
    }
}
