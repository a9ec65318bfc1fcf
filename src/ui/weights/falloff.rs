//! The falloff of the brush: its curve, and the choice of the affected vertices.

use egui::{Color32, RichText, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;

use crate::ui::{
    Theme,
    drop_down::{combo_box, option_row, option_value},
    theme::Font,
    widgets::paint_icon,
};
use ulna_render::ColorRole;
use ulna_weights::{Brush, Falloff, Reach};

/// Width of the panel in points below which the curve is narrower.
const NARROW: f32 = 300.0;

/// Draws the falloff curve, and the choice of the affected vertices: connected surface, sphere, or
/// all depths.
pub fn falloff_ui(ui: &mut Ui, theme: &Theme, brush: &mut Brush) {
    // Side by side if the panel is wide enough.
    let line = if ui.available_width() < 250.0 {
        egui::Layout::top_down(egui::Align::Min)
    } else {
        egui::Layout::left_to_right(egui::Align::Min)
    };
    ui.with_layout(line, |ui| {
        curve_ui(ui, theme, brush);
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 4.0;
            labeled(ui, theme, "Fall-off", |ui| {
                combo(ui, "Fall-off", brush.falloff.label(), |ui| {
                    for falloff in Falloff::PRESETS {
                        option_value(ui, &mut brush.falloff, falloff, falloff.label());
                    }
                    let own = Falloff::Own(brush.falloff.to_own());
                    if option_row(ui, matches!(brush.falloff, Falloff::Own(_)), "Custom curve")
                        .clicked()
                    {
                        brush.falloff = own;
                    }
                });
            });
            labeled(ui, theme, "Reach", |ui| {
                combo(ui, "Reach", brush.reach.label(), |ui| {
                    for reach in Reach::ALL {
                        option_value(ui, &mut brush.reach, reach, reach.label());
                    }
                });
            });
        });
    });
}

/// Draws the falloff curve from the rim to the center. A drag edits a custom curve.
fn curve_ui(ui: &mut Ui, theme: &Theme, brush: &mut Brush) {
    let width = if ui.available_width() < NARROW { 72.0 } else { 118.0 };
    let (rect, response) = ui.allocate_exact_size(vec2(width, 52.0), Sense::click_and_drag());
    response.widget_info(|| {
        WidgetInfo::labeled(Role::Image, true, format!("Fall-off curve: {}", brush.falloff.label()))
    });
    if (response.dragged() || response.clicked())
        && let Some(at) = response.interact_pointer_pos()
    {
        let mut points = brush.falloff.to_own();
        let part = 1.0 - ((at.x - rect.left()) / rect.width()).clamp(0.0, 1.0);
        let k = (part * 6.0).round() as usize;
        points[k] = 1.0 - ((at.y - rect.top() - 4.0) / (rect.height() - 8.0)).clamp(0.0, 1.0);
        brush.falloff = Falloff::Own(points);
    }
    let painter = ui.painter();
    painter.rect(
        rect,
        4.0,
        theme.color(ColorRole::SurfaceField),
        theme.field_edge(),
        egui::StrokeKind::Inside,
    );
    let inner = rect.shrink2(vec2(0.0, 5.0));
    let place = |k: usize| {
        let part = k as f32 / 48.0;
        pos2(
            rect.left() + part * rect.width(),
            inner.bottom() - brush.falloff.at(1.0 - part) * inner.height(),
        )
    };
    let line: Vec<egui::Pos2> = (0..=48).map(place).collect();
    let fill = theme.color(ColorRole::AccentTint);
    let mut area = egui::Mesh::default();
    for at in &line {
        area.colored_vertex(*at, fill);
        area.colored_vertex(pos2(at.x, inner.bottom()), fill);
    }
    for k in 0..line.len() as u32 - 1 {
        let at = k * 2;
        area.add_triangle(at, at + 1, at + 2);
        area.add_triangle(at + 1, at + 2, at + 3);
    }
    painter.add(Shape::mesh(area));
    painter.add(Shape::line(line, Stroke::new(1.5, theme.color(ColorRole::AccentBase))));
    if let Falloff::Own(points) = brush.falloff {
        for (k, v) in points.iter().enumerate() {
            let at = pos2(
                rect.right() - k as f32 / 6.0 * rect.width(),
                inner.bottom() - v * inner.height(),
            );
            painter.circle(
                at,
                2.5,
                theme.color(ColorRole::TextPrimary),
                Stroke::new(1.0, Color32::BLACK),
            );
        }
    }
    response.on_hover_text(
        "Strength from the center of the brush to its rim. Drag to draw a custom curve",
    );
}

fn labeled(ui: &mut Ui, theme: &Theme, name: &str, add: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(56.0, 24.0), Sense::hover());
        ui.painter().text(
            rect.left_center() + vec2(4.0, 0.0),
            egui::Align2::LEFT_CENTER,
            name,
            Theme::font(Font::Small),
            theme.color(ColorRole::TextSecondary),
        );
        add(ui);
    });
}

/// Draws a list of choices over the available width.
pub fn combo(ui: &mut Ui, name: &str, now: &str, add: impl FnOnce(&mut Ui)) {
    let width = ui.available_width().max(70.0);
    let response = combo_box(name)
        .selected_text(RichText::new(now))
        .width(width)
        .icon(|ui, rect, visuals, _open| {
            paint_icon(
                ui.painter(),
                rect.center(),
                icons::ICON_KEYBOARD_ARROW_DOWN,
                16.0,
                visuals.fg_stroke.color,
            );
        })
        .show_ui(ui, add)
        .response;
    response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, format!("{name}: {now}")));
}
