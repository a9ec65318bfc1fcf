//! Row of a layer's strength: its curve, and keys that can be dragged in time and value.

use egui::{
    Align2, Key, Mesh, PointerButton, Pos2, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2,
};
use egui_material_icons::icons;

use super::{draw, sheet_layout::Sheet};
use crate::ui::{
    Action, Actions, Theme,
    theme::Font,
    widgets::{elided, paint_icon},
};
use ulna_edit::command::{
    LayerOf, LayerStrength, LayerStrengthKeys, StrengthGoes, field::Numbers, field::Seconds,
};
use ulna_model::{Interpolation, LayerHome, PoseLayer, PoseLayerId, Track};
use ulna_motion::strength_of;
use ulna_render::ColorRole;

/// Drag of a strength key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StrengthDrag {
    layer: Option<PoseLayerId>,
    key: usize,
    /// All keys before the drag, as seconds and strength.
    before: Vec<(f32, f32)>,
}

/// Keys of a strength track, as seconds and strength.
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

/// Row of a layer's strength.
struct Row<'a> {
    sheet: &'a Sheet<'a>,
    layer: &'a PoseLayer,
    track: &'a Track,
    rect: Rect,
    /// Visible part of the row to the right of the names.
    body: Rect,
}

/// Draws the strength row of a layer in `rect`, with its name on the left, and handles drags. Only
/// the part in `seen` is visible.
pub fn strength_ui(
    drag: &mut StrengthDrag,
    ui: &Ui,
    sheet: &Sheet<'_>,
    layer: &PoseLayer,
    (rect, seen): (Rect, Rect),
    mesh: &mut Mesh,
    actions: &mut Actions,
) {
    let Some(track) = &layer.strength_keys else { return };
    let body = Rect::from_min_max(pos2(sheet.axis.left, rect.top()), rect.max).intersect(seen);
    let row = Row { sheet, layer, track, rect, body };
    row.name(ui, seen);
    row.ground(ui, actions);
    row.keys(drag, ui, mesh, actions);
    row.drag(drag, ui, actions);
}

impl Row<'_> {
    fn high(&self, strength: f32) -> f32 {
        self.rect.bottom() - 4.0 - strength * (self.rect.height() - 8.0)
    }

    fn home(&self) -> LayerHome {
        LayerHome::Clip(self.sheet.id)
    }

    fn name(&self, ui: &Ui, seen: Rect) {
        let (view, theme) = (self.sheet.view, self.sheet.view.theme);
        let names =
            Rect::from_min_max(self.rect.min, pos2(self.sheet.axis.left, self.rect.bottom()));
        let painter = ui.painter_at(names.intersect(seen));
        let at = |x: f32| pos2(x, self.rect.center().y);
        let (small, number) = (Theme::font(Font::Small), Theme::font(Font::NumberSmall));
        let color = theme.color(ColorRole::AccentText);
        paint_icon(&painter, at(names.left() + 34.0), icons::ICON_LAYERS, 14.0, color);
        let text =
            elided(ui, &format!("{}, strength", self.layer.name), &small, names.width() - 100.0);
        let color = theme.color(ColorRole::TextPrimary);
        painter.text(at(names.left() + 46.0), Align2::LEFT_CENTER, text, small, color);
        let now = format!("{:.0} %", strength_of(self.layer, view.timeline.playback.time) * 100.0);
        let color = theme.color(ColorRole::TextSecondary);
        painter.text(at(names.right() - 10.0), Align2::RIGHT_CENTER, now, number, color);
    }

    /// Handles the background with the curve. A double click sets a key.
    fn ground(&self, ui: &Ui, actions: &mut Actions) {
        let (axis, theme) = (&self.sheet.axis, self.sheet.view.theme);
        let corners = curve(self.track, axis.start, axis.end);
        let line: Vec<Pos2> = corners.map(|(t, v)| pos2(axis.x(t), self.high(v))).collect();
        ui.painter_at(self.body).line(line, Stroke::new(1.0, theme.color(ColorRole::TextTertiary)));
        let ground = ui.interact(
            self.body,
            ui.scope_id().with(("strength", self.layer.id.0)),
            Sense::click(),
        );
        let name = format!("Strength of {} over time", self.layer.name);
        ground.widget_info(|| WidgetInfo::labeled(Role::Label, true, &name));
        if let Some(at) = ground.interact_pointer_pos().filter(|_| ground.double_clicked()) {
            let time = axis.time(at.x).max(0.0) as f32;
            let strength = strength_of(self.layer, f64::from(time));
            let of = LayerOf::of(self.home(), self.layer.id);
            actions.push(Action::Run(
                LayerStrength { of, strength, time: Some(Seconds(time)) }.into(),
            ));
        }
        ground.on_hover_text(
            "Double-click to add a key. Drag a key to move it. Right-click a key to remove it",
        );
    }

    fn keys(&self, drag: &mut StrengthDrag, ui: &Ui, mesh: &mut Mesh, actions: &mut Actions) {
        let theme = self.sheet.view.theme;
        let keys = pairs(self.track);
        for (k, (time, strength)) in keys.iter().enumerate() {
            let at = pos2(self.sheet.axis.x(f64::from(*time)), self.high(*strength));
            let held = drag.layer == Some(self.layer.id) && drag.key == k;
            let role = if held { ColorRole::SelectionBase } else { ColorRole::KeyNormal };
            draw::diamond(mesh, at, 4.5, theme.color(role), theme.color(ColorRole::KeyOutline));
            let area = Rect::from_center_size(at, vec2(14.0, 14.0)).intersect(self.body);
            if !area.is_positive() {
                continue;
            }
            let id = ui.scope_id().with(("strength key", self.layer.id.0, k));
            let key = ui.interact(area, id, Sense::click_and_drag());
            let name = format!("Key {} of the strength of {}", k + 1, self.layer.name);
            key.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
            if key.drag_started_by(PointerButton::Primary) {
                *drag = StrengthDrag { layer: Some(self.layer.id), key: k, before: keys.clone() };
            }
            if key.secondary_clicked() {
                let mut left = keys.clone();
                left.remove(k);
                actions.push(Action::Run(command(self.home(), self.layer, &left).into()));
            }
        }
    }

    /// Continues the drag of a key, even if the pointer has left the row.
    fn drag(&self, drag: &mut StrengthDrag, ui: &Ui, actions: &mut Actions) {
        if drag.layer != Some(self.layer.id) {
            return;
        }
        let (at, down, escapes, modifiers) = ui.input(|i| {
            (
                i.pointer.latest_pos(),
                i.pointer.primary_down(),
                i.key_pressed(Key::Escape),
                i.modifiers,
            )
        });
        if escapes {
            *drag = StrengthDrag::default();
            actions.push(Action::Cancel);
            return;
        }
        if let Some(at) = at {
            let fps = self.sheet.view.timeline.playback.fps;
            let time = self.sheet.axis.time(at.x).max(0.0);
            let whole = !modifiers.shift && fps > 0.0;
            let time = if whole { (time * fps).round() / fps } else { time } as f32;
            let strength =
                ((self.rect.bottom() - 4.0 - at.y) / (self.rect.height() - 8.0)).clamp(0.0, 1.0);
            let (mut moved, k) = (drag.before.clone(), drag.key);
            // The key stays between its neighbors.
            let low = k.checked_sub(1).map_or(0.0, |b| moved[b].0 + 1e-3);
            let high = moved.get(k + 1).map_or(f32::MAX, |n| n.0 - 1e-3);
            moved[k] = (time.min(high).max(low), (strength * 100.0).round() / 100.0);
            let label = format!("Strength of {}", self.layer.name);
            let commands = vec![command(self.home(), self.layer, &moved).into()];
            actions.push(Action::Preview { label, commands });
        }
        if !down {
            *drag = StrengthDrag::default();
            actions.push(Action::Commit);
        }
    }
}

/// Polyline of a strength over a time range in seconds, with one point per corner.
fn curve(track: &Track, from: f64, to: f64) -> impl Iterator<Item = (f64, f32)> {
    // Extend the first value to the left edge.
    let mut all = vec![(from.min(f64::from(track.times[0])), track.values[0])];
    for (k, time) in track.times.iter().enumerate() {
        if track.interpolation == Interpolation::Step && k > 0 {
            all.push((f64::from(*time), track.values[k - 1]));
        }
        all.push((f64::from(*time), track.values[k]));
    }
    let last = track.times.len() - 1;
    all.push((to.max(f64::from(track.times[last])), track.values[last]));
    all.into_iter()
}
