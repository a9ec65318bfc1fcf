//! List of the planned changes of the skeleton.

use egui::{Align2, Sense, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;
use serde_json::Value;

use super::super::drafts::label;
use crate::ui::{
    Actions, DialogAction, View,
    theme::{Font, Theme},
    widgets::{cut, icon_button, paint_icon},
};
use ulna_edit::{CommandLine, CommandSpec, find};
use ulna_render::ColorRole;

/// Height of a row, in points.
const ROW: f32 = 26.0;

/// Shows one row per planned change; nothing without changes.
pub(super) fn acts_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let plan = view.dialogs.plan;
    let refused_at = plan.found.filter(|_| plan.is_current).and_then(|found| found.refused_at);
    ui.spacing_mut().item_spacing.y = 0.0;
    for (k, line) in plan.acts.iter().enumerate() {
        act_ui(ui, view.theme, (k, line), refused_at == Some(k), actions);
    }
    ui.spacing_mut().item_spacing.y = 4.0;
    if !plan.acts.is_empty() {
        ui.add_space(8.0);
    }
}

fn act_ui(
    ui: &mut Ui,
    theme: &Theme,
    (k, line): (usize, &CommandLine),
    is_refused: bool,
    actions: &mut Actions,
) {
    let spec = find(&line.name);
    let title = spec.map_or(line.name.as_str(), |spec| spec.title.trim_end_matches('…'));
    let details = spec.map_or_else(String::new, |spec| details(spec, line));
    ui.horizontal(|ui| {
        let size = vec2((ui.available_width() - 44.0).max(60.0), ROW);
        let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
        let name = format!("Change {}: {title}, {details}", k + 1);
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, &name));
        let y = rect.center().y;
        let secondary = theme.color(ColorRole::TextSecondary);
        let font = Theme::font(Font::Body);
        let at = pos2(rect.left() + 8.0, y);
        if is_refused {
            let color = theme.color(ColorRole::SeverityError);
            paint_icon(ui.painter(), at, icons::ICON_ERROR, 16.0, color);
        } else {
            let number = format!("{}", k + 1);
            ui.painter().text(at, Align2::CENTER_CENTER, number, font.clone(), secondary);
        }
        let at = pos2(rect.left() + 26.0, y);
        let primary = theme.color(ColorRole::TextPrimary);
        let drawn = ui.painter().text(at, Align2::LEFT_CENTER, title, font, primary);
        let small = Theme::font(Font::Small);
        let at = pos2(drawn.right() + 8.0, y);
        let text = cut(ui, &details, &small, (rect.right() - at.x).max(0.0));
        ui.painter().text(at, Align2::LEFT_CENTER, text, small, secondary);
        response.on_hover_text(&details);
        let remove = format!("Remove change {}", k + 1);
        if icon_button(ui, theme, icons::ICON_CLOSE, &remove, "", false, Ok(())).clicked() {
            actions.push(DialogAction::RemoveFromPlan(k));
        }
    });
}

/// Nodes and other arguments of a change, in few words.
fn details(spec: &CommandSpec, line: &CommandLine) -> String {
    let mut words = Vec::new();
    for argument in &spec.arguments {
        let Some(value) = line.arguments.get(argument.name) else { continue };
        let text = plain_words(value);
        words.push(match argument.name {
            "node" => text,
            _ => format!("{}: {text}", label(spec, argument).to_lowercase()),
        });
    }
    words.join(", ")
}

/// Text of a value without quotes and brackets.
fn plain_words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => {
            let is_text = list.iter().any(Value::is_string);
            let words: Vec<String> = list.iter().map(plain_words).collect();
            words.join(if is_text { ", " } else { " " })
        }
        Value::Bool(is_on) => if *is_on { "yes" } else { "no" }.to_owned(),
        Value::Number(number) => match number.as_f64() {
            Some(value) => format!("{}", (value * 1e4).round() / 1e4),
            None => number.to_string(),
        },
        other => other.to_string(),
    }
}
