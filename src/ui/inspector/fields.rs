//! Three numbers in a row, with their axes' letters, that drag and take typed values.

use egui::{Align2, DragValue, RichText, Sense, Ui, pos2, vec2};
use glam::{EulerRot, Quat, Vec3};

use crate::ui::{
    Theme,
    theme::Font,
    widgets::{name_widget, short_number},
};

/// What kind of numbers a row holds, and its name.
#[derive(Clone, Copy, Debug)]
pub struct Triple {
    name: &'static str,
    degrees: bool,
    speed: f64,
    neutral: f32,
}

impl Triple {
    pub const fn length(name: &'static str) -> Self {
        Self { name, degrees: false, speed: 0.002, neutral: 0.0 }
    }

    pub const fn angle(name: &'static str) -> Self {
        Self { name, degrees: true, speed: 0.5, neutral: 0.0 }
    }

    pub const fn factor(name: &'static str) -> Self {
        Self { name, degrees: false, speed: 0.005, neutral: 1.0 }
    }
}

/// What a person did to a row.
#[derive(Clone, Copy, Debug)]
pub struct Edited {
    /// New values, while they change.
    pub values: Option<Vec3>,
    /// Whether the change is finished.
    pub done: bool,
    /// Where a mark beside the row goes.
    pub slot: egui::Pos2,
}

/// A row of three numbers.
pub fn triple_ui(ui: &mut Ui, theme: &Theme, triple: &Triple, values: Vec3, editable: bool) -> Edited {
    let mut edited = Edited { values: None, done: false, slot: pos2(0.0, 0.0) };
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let word = triple.name.split_once(' ').map_or(triple.name, |(_, w)| w);
        let mut title = word.to_owned();
        title[..1].make_ascii_uppercase();
        let (label, _) = ui.allocate_exact_size(vec2(Theme::size("label_column"), 24.0), Sense::hover());
        ui.painter().text(
            label.left_center(),
            Align2::LEFT_CENTER,
            title,
            Theme::font(Font::Small),
            theme.color("text.secondary"),
        );
        let width = ((ui.available_width() - 24.0 - 8.0) / 3.0).max(48.0);
        for (axis, letter) in ["X", "Y", "Z"].into_iter().enumerate() {
            let mut value = values[axis];
            let name = format!("{} {letter}", triple.name);
            let (rect, _) = ui.allocate_exact_size(vec2(width, 24.0), Sense::hover());
            let field = rect.shrink2(vec2(0.0, 2.0));
            let fill = if editable { theme.color("surface.field") } else { theme.color("surface.panel") };
            let edge = if editable { theme.field_edge() } else { egui::Stroke::NONE };
            ui.painter().rect(field, 4.0, fill, edge, egui::StrokeKind::Inside);
            let color = theme.color(["axis.x", "axis.y", "axis.z"][axis]);
            ui.painter().text(
                pos2(field.left() + 6.0, field.center().y),
                Align2::LEFT_CENTER,
                letter,
                Theme::font(Font::Caption),
                color,
            );
            let neutral = (value - triple.neutral).abs() < 5e-4;
            let text_color = match (editable, neutral) {
                (_, true) => theme.color("text.tertiary"),
                (true, false) => theme.color("text.primary"),
                (false, false) => theme.color("text.secondary"),
            };
            if !editable {
                let text = short_number(value, triple.degrees);
                let at = pos2(field.right() - 6.0, field.center().y);
                ui.painter().text(at, Align2::RIGHT_CENTER, &text, Theme::font(Font::Number), text_color);
                let seen = ui.interact(field, ui.scope_id().with(&name), Sense::hover());
                seen.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, format!("{name} {text}")));
                seen.on_hover_text(format!("{value}"));
                continue;
            }
            let degrees = triple.degrees;
            let inner = egui::Rect::from_min_max(pos2(field.left() + 16.0, field.top()), field.max);
            let mut child = ui.new_child(egui::UiBuilder::new().id_salt(&name).max_rect(inner));
            let visuals = child.visuals_mut();
            for w in [&mut visuals.widgets.inactive, &mut visuals.widgets.hovered, &mut visuals.widgets.active] {
                w.weak_bg_fill = egui::Color32::TRANSPARENT;
                w.bg_fill = egui::Color32::TRANSPARENT;
            }
            visuals.widgets.inactive.fg_stroke.color = text_color;
            child.spacing_mut().button_padding = vec2(2.0, 0.0);
            child.spacing_mut().interact_size = inner.size();
            let drag = DragValue::new(&mut value)
                .speed(triple.speed)
                .update_while_editing(false)
                .custom_formatter(move |v, _| short_number(v as f32, degrees))
                .custom_parser(|text| text.replace('−', "-").trim_end_matches('°').trim().parse().ok());
            let response = child.add_sized(inner.size(), drag);
            name_widget(&child, &response, &name);
            let response = response.on_hover_text(RichText::new(format!("{name}: {}", values[axis])));
            if response.changed() {
                let mut new = values;
                new[axis] = value;
                edited.values = Some(new);
            }
            edited.done |= response.drag_stopped() || (response.changed() && !response.dragged());
        }
        let (slot, _) = ui.allocate_exact_size(vec2(16.0, 24.0), Sense::hover());
        edited.slot = slot.center();
    });
    edited
}

/// Euler angles in degrees: about x, then the new y, then the new z.
pub fn euler_degrees(q: Quat) -> Vec3 {
    let (x, y, z) = q.to_euler(EulerRot::XYZ);
    Vec3::new(x.to_degrees(), y.to_degrees(), z.to_degrees())
}

/// The other way.
pub fn from_euler_degrees(d: Vec3) -> Quat {
    Quat::from_euler(EulerRot::XYZ, d.x.to_radians(), d.y.to_radians(), d.z.to_radians())
}
