//! The section *Rest poses*: the difference between the reference poses of both bodies, and joint
//! rotations that reduce it.

use std::collections::BTreeMap;

use egui::{Align, DragValue, Layout, Sense, Ui, vec2};
use egui_material_icons::icons;
use glam::{EulerRot, Quat};

use super::{
    BodyFacts, RetargetAction, RetargetDraft, RetargetView, SOURCE, TARGET,
    parts::{number, small},
};
use crate::ui::{
    Actions, Theme,
    theme::Font,
    widgets::{elided, icon_button, name_widget, paint_icon, segment, segments},
};
use ulna_model::RetargetMap;
use ulna_render::ColorRole;

/// Difference between the reference poses in radians above which it is highlighted.
const MOST: f32 = 0.35;
/// Euler order of the displayed angles.
const ORDER: EulerRot = EulerRot::XYZ;

pub(super) fn rests_ui(
    ui: &mut Ui,
    (theme, page): (&Theme, RetargetView<'_>),
    now: &mut RetargetDraft,
    actions: &mut Actions,
) {
    ui.horizontal(|ui| {
        ui.set_min_height(26.0);
        difference_ui(ui, theme, page);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let text = if now.edits_rest.is_some() { "Done" } else { "Edit pose" };
            let hint = "Shows both bodies in their reference poses, to rotate joints of a chain";
            if ui.button(text).on_hover_text(hint).clicked() {
                now.edits_rest = if now.edits_rest.is_some() { None } else { Some(TARGET) };
            }
        });
    });
    let Some(body) = now.edits_rest else { return };
    let Some(facts) = page.bodies[body] else { return };
    ui.horizontal(|ui| {
        segments(ui, theme, |ui| {
            for which in [SOURCE, TARGET] {
                let name = page.bodies[which].map_or("", |b| &b.name);
                let font = Theme::font(Font::Body);
                let name = elided(ui, name, &font, 120.0);
                if segment(ui, theme, &name, body == which, false).clicked() {
                    now.edits_rest = Some(which);
                }
            }
        });
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let is_changed = !pose(&now.map, body).is_empty();
            if ui.add_enabled(is_changed, egui::Button::new("Use rest pose")).clicked() {
                pose_mut(&mut now.map, body).clear();
            }
            let frame = "Uses the pose of the joints at the playhead as the reference pose";
            let is_source = body == SOURCE;
            if is_source && ui.button("Use this frame").on_hover_text(frame).clicked() {
                actions.push(RetargetAction::UseFrame);
            }
        });
    });
    joints_ui(ui, theme, facts, now, body);
}

fn difference_ui(ui: &mut Ui, theme: &Theme, page: RetargetView<'_>) {
    let Some(result) = page.result.filter(|r| r.fault.is_none()) else {
        small(ui, theme, "Differences appear with the result", ColorRole::TextTertiary);
        return;
    };
    let (icon, role, text) = if result.rest_difference > MOST {
        (icons::ICON_WARNING, ColorRole::SeverityWarning, "Rest poses differ by up to")
    } else {
        (icons::ICON_CHECK_CIRCLE, ColorRole::SeverityOk, "Rest poses agree within")
    };
    let (rect, _) = ui.allocate_exact_size(vec2(18.0, 20.0), Sense::hover());
    paint_icon(ui.painter(), rect.center(), icon, 16.0, theme.color(role));
    small(ui, theme, text, ColorRole::TextPrimary);
    let degrees = result.rest_difference.to_degrees();
    number(ui, theme, &format!("{degrees:.1}°"), ColorRole::TextPrimary);
}

/// Draws fields for the rotations of the selected chain's joints, relative to the rest pose.
fn joints_ui(ui: &mut Ui, theme: &Theme, facts: &BodyFacts, now: &mut RetargetDraft, body: usize) {
    let chain = now.chain.and_then(|k| now.map.chains.get(k));
    let Some(chain) = chain.filter(|c| !RetargetDraft::joints(c, body).is_empty()) else {
        small(ui, theme, "Select a chain to rotate its joints.", ColorRole::TextTertiary);
        return;
    };
    for name in RetargetDraft::joints(chain, body).clone() {
        let Some(joint) = facts.joint(&name) else { continue };
        let rest = facts.joints[joint].rest;
        let turned = pose(&now.map, body).get(&name).copied().unwrap_or(rest);
        let (x, y, z) = (rest.inverse() * turned).to_euler(ORDER);
        let before = [x, y, z].map(|a| (a.to_degrees() * 10.0).round() / 10.0 + 0.0);
        let mut after = before;
        ui.horizontal(|ui| {
            let font = Theme::font(Font::Small);
            let (rect, _) = ui.allocate_exact_size(vec2(150.0, 24.0), Sense::hover());
            let shown = elided(ui, &name, &font, 146.0);
            let color = theme.color(ColorRole::TextSecondary);
            let at = rect.left_center();
            ui.painter().text(at, egui::Align2::LEFT_CENTER, shown, font, color);
            for (value, axis) in after.iter_mut().zip(["X", "Y", "Z"]) {
                let drag = DragValue::new(value).speed(0.5).range(-180.0..=180.0);
                let drag = drag.prefix(format!("{axis} ")).suffix("°").max_decimals(1);
                let response = ui.add_sized([74.0, 22.0], drag);
                name_widget(ui, &response, &format!("{axis} of {name} in the reference pose"));
            }
            let is_changed = pose(&now.map, body).contains_key(&name);
            if is_changed
                && icon_button(ui, theme, icons::ICON_RESTART_ALT, "Rest", "", false, Ok(()))
                    .clicked()
            {
                pose_mut(&mut now.map, body).remove(&name);
            }
        });
        if after != before {
            let [x, y, z] = after.map(f32::to_radians);
            let turned = (rest * Quat::from_euler(ORDER, x, y, z)).normalize();
            pose_mut(&mut now.map, body).insert(name, turned);
        }
    }
}

/// Reference pose of a body: rotations of the joints that differ from the rest pose.
const fn pose(map: &RetargetMap, body: usize) -> &BTreeMap<String, Quat> {
    if body == SOURCE { &map.source_pose } else { &map.target_pose }
}

const fn pose_mut(map: &mut RetargetMap, body: usize) -> &mut BTreeMap<String, Quat> {
    if body == SOURCE { &mut map.source_pose } else { &mut map.target_pose }
}
