//! The row of a layer's strength: its curve, and keys that are dragged along the time and up and down.

use egui::{Mesh, Pos2, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;

use super::{draw, sheet::Sheet};
use crate::{
    edit::command::{LayerOf, LayerStrength, LayerStrengthKeys, StrengthGoes, field::Numbers, field::Seconds},
    model::{Interpolation, LayerHome, PoseLayer, PoseLayerId, Track},
    motion::strength_of,
    render::ColorRole,
    ui::{
        Action, Actions, Theme,
        theme::Font,
        widgets::{elided, paint_icon},
    },
};

/// A key of a strength that is dragged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StrengthDrag {
    layer: Option<PoseLayerId>,
    key: usize,
    /// All keys as they were: seconds and strength.
    before: Vec<(f32, f32)>,
}

/// The keys of a strength, seconds and strength.
fn pairs(track: &Track) -> Vec<(f32, f32)> {
    track.times.iter().copied().zip(track.values.iter().copied()).collect()
}

fn command(home: LayerHome, layer: &PoseLayer, keys: &[(f32, f32)]) -> LayerStrengthKeys {
    let step = layer.strength_keys.as_ref().is_some_and(|t| t.interpolation == Interpolation::Step);
    LayerStrengthKeys {
        of: LayerOf::of(home, layer.id),
        keys: Numbers(keys.iter().flat_map(|(t, v)| [f64::from(*t), f64::from(*v)]).collect()),
        interpolation: step.then_some(StrengthGoes::Step),
    }
}

/// Draws a row in `rect`, whose name is at its left, and takes what a hand does to it. What is in `seen` is not covered.
pub fn strength_ui(
    drag: &mut StrengthDrag,
    ui: &Ui,
    sheet: &Sheet<'_>,
    layer: &PoseLayer,
    (rect, seen): (Rect, Rect),
    mesh: &mut Mesh,
    actions: &mut Actions,
) {
    let (view, theme, axis) = (sheet.view, sheet.view.theme, &sheet.axis);
    let home = LayerHome::Clip(sheet.id);
    let Some(track) = &layer.strength_keys else { return };
    let names = Rect::from_min_max(rect.min, pos2(axis.left, rect.bottom()));
    let painter = ui.painter_at(names.intersect(seen));
    let middle = rect.center().y;
    paint_icon(
        &painter,
        pos2(names.left() + 34.0, middle),
        icons::ICON_LAYERS,
        14.0,
        theme.color(ColorRole::AccentText),
    );
    let text = format!("{}, strength", layer.name);
    let text = elided(ui, &text, &Theme::font(Font::Small), names.width() - 100.0);
    let small = Theme::font(Font::Small);
    painter.text(
        pos2(names.left() + 46.0, middle),
        egui::Align2::LEFT_CENTER,
        text,
        small,
        theme.color(ColorRole::TextPrimary),
    );
    let now = format!("{:.0} %", strength_of(layer, view.timeline.playback.time) * 100.0);
    let number = Theme::font(Font::NumberSmall);
    painter.text(
        pos2(names.right() - 10.0, middle),
        egui::Align2::RIGHT_CENTER,
        now,
        number,
        theme.color(ColorRole::TextSecondary),
    );

    let body = Rect::from_min_max(pos2(axis.left, rect.top()), rect.max).intersect(seen);
    let high = |strength: f32| rect.bottom() - 4.0 - strength * (rect.height() - 8.0);
    let lines = ui.painter_at(body);
    let keys = pairs(track);
    let curve: Vec<Pos2> = curve(track, axis.start, axis.end).map(|(t, v)| pos2(axis.x(t), high(v))).collect();
    lines.line(curve, Stroke::new(1.0, theme.color(ColorRole::TextTertiary)));

    let ground = ui.interact(body, ui.scope_id().with(("strength", layer.id.0)), Sense::click());
    let name = format!("Strength of {} over time", layer.name);
    ground.widget_info(|| WidgetInfo::labeled(Role::Label, true, &name));
    if ground.double_clicked()
        && let Some(at) = ground.interact_pointer_pos()
    {
        let time = axis.time(at.x).max(0.0) as f32;
        let strength = strength_of(layer, f64::from(time));
        let of = LayerOf::of(home, layer.id);
        actions.push(Action::Run(LayerStrength { of, strength, time: Some(Seconds(time)) }.into()));
    }
    ground.on_hover_text("Double click: a key. Drag a key, up and down too; right click takes it away");

    for (k, (time, strength)) in keys.iter().enumerate() {
        let at = pos2(axis.x(f64::from(*time)), high(*strength));
        let held = drag.layer == Some(layer.id) && drag.key == k;
        let role = if held { ColorRole::SelectionBase } else { ColorRole::KeyNormal };
        draw::diamond(mesh, at, 4.5, theme.color(role), theme.color(ColorRole::KeyOutline));
        let area = Rect::from_center_size(at, vec2(14.0, 14.0)).intersect(body);
        if !area.is_positive() {
            continue;
        }
        let key = ui.interact(area, ui.scope_id().with(("strength key", layer.id.0, k)), Sense::click_and_drag());
        key.widget_info(|| {
            WidgetInfo::labeled(Role::Button, true, format!("Key {} of the strength of {}", k + 1, layer.name))
        });
        if key.drag_started() {
            *drag = StrengthDrag { layer: Some(layer.id), key: k, before: keys.clone() };
        }
        if key.secondary_clicked() {
            let mut left = keys.clone();
            left.remove(k);
            actions.push(Action::Run(command(home, layer, &left).into()));
        }
        if held && let Some(at) = ui.input(|i| i.pointer.latest_pos()) {
            let fps = view.timeline.playback.fps;
            let whole = !ui.input(|i| i.modifiers.shift);
            let frame = |t: f64| if whole && fps > 0.0 { (t * fps).round() / fps } else { t };
            let time = frame(axis.time(at.x).max(0.0)) as f32;
            let strength = ((rect.bottom() - 4.0 - at.y) / (rect.height() - 8.0)).clamp(0.0, 1.0);
            let mut moved = drag.before.clone();
            moved[k] = (time, (strength * 100.0).round() / 100.0);
            // It stays between its neighbours.
            let low = k.checked_sub(1).map(|b| moved[b].0 + 1e-3);
            let high = moved.get(k + 1).map(|n| n.0 - 1e-3);
            moved[k].0 = moved[k].0.max(low.unwrap_or(0.0)).min(high.unwrap_or(f32::MAX));
            let label = format!("Strength of {}", layer.name);
            actions.push(Action::Preview { label, commands: vec![command(home, layer, &moved).into()] });
        }
        if key.drag_stopped() {
            *drag = StrengthDrag::default();
            actions.push(Action::Commit);
        }
    }
}

/// A strength over time, from one second to another: a place at each of its corners.
fn curve(track: &Track, from: f64, to: f64) -> impl Iterator<Item = (f64, f32)> {
    let mut all = vec![(from, track.values[0])];
    for (k, time) in track.times.iter().enumerate() {
        if track.interpolation == Interpolation::Step && k > 0 {
            all.push((f64::from(*time), track.values[k - 1]));
        }
        all.push((f64::from(*time), track.values[k]));
    }
    all.push((to, track.values[track.times.len() - 1]));
    all.into_iter()
}
