//! Panels over the graph: their frame, sliders with numbers, and how they close.

use egui::{Area, Frame, Key, Margin, Order, Pos2, Rect, RichText, Ui, vec2};
use egui_material_icons::icons;

use crate::ui::{Theme, theme::Font, widgets::icon_button};
use ulna_render::ColorRole;

/// Result of showing a panel in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// The panel stays open.
    Stays,
    /// The panel closes, and its preview is kept.
    Keeps,
    /// The panel closes, and its preview is discarded.
    GivesUp,
}

/// Shows a panel with a title, a subject, a close button and the content from `fill`. Returns its
/// area, and whether it was closed.
pub fn panel(
    ui: &Ui,
    theme: &Theme,
    (name, about): (&str, &str),
    (at, width): (Pos2, f32),
    fill: impl FnOnce(&mut Ui),
) -> (Rect, bool) {
    let mut closed = false;
    let id = ui.scope_id().with(("curve panel", name));
    let screen = ui.ctx().content_rect();
    let area = Area::new(id)
        .order(Order::Middle)
        .fixed_pos(at)
        .constrain_to(screen)
        .sense(egui::Sense::click_and_drag());
    let response = area.show(ui.ctx(), |ui| {
        let frame = Frame::new()
            .fill(theme.color(ColorRole::SurfaceRaised))
            .stroke(egui::Stroke::new(1.0, theme.color(ColorRole::StrokeControl)))
            .corner_radius(8)
            .inner_margin(Margin::same(12));
        frame.show(ui, |ui| {
            ui.set_width(width - 24.0);
            ui.horizontal(|ui| {
                let title = RichText::new(name).font(Theme::font(Font::Heading));
                ui.label(title.color(theme.color(ColorRole::TextPrimary)));
                let about = RichText::new(about).font(Theme::font(Font::Small));
                ui.add(
                    egui::Label::new(about.color(theme.color(ColorRole::TextSecondary))).truncate(),
                );
                let layout = egui::Layout::right_to_left(egui::Align::Center);
                ui.with_layout(layout, |ui| {
                    let name = format!("Close {name}");
                    closed = icon_button(ui, theme, icons::ICON_CLOSE, &name, "Esc", false, Ok(()))
                        .clicked();
                });
            });
            fill(ui);
        });
    });
    (response.response.rect, closed)
}

/// Shows a number as a bar that can be dragged or typed into. Returns the new value if it changed.
pub fn bar(
    ui: &mut Ui,
    theme: &Theme,
    name: &str,
    (value, suffix): (f64, &str),
    range: std::ops::RangeInclusive<f64>,
) -> Option<f64> {
    let (low, high) = (*range.start(), *range.end());
    let mut now = value;
    let width = ui.available_width();
    let (rect, _) = ui.allocate_exact_size(vec2(width, 24.0), egui::Sense::hover());
    let share = ((value - low) / (high - low)).clamp(0.0, 1.0) as f32;
    let painter = ui.painter();
    painter.rect_filled(rect, 4.0, theme.color(ColorRole::SurfaceField));
    let full = Rect::from_min_size(rect.min, vec2(rect.width() * share, rect.height()));
    painter.rect_filled(full, 4.0, theme.color(ColorRole::AccentTint));
    painter.text(
        rect.left_center() + vec2(8.0, 0.0),
        egui::Align2::LEFT_CENTER,
        name,
        Theme::font(Font::Body),
        theme.color(ColorRole::TextPrimary),
    );
    let decimals = if high - low > 20.0 { 0 } else { 2 };
    let field = egui::DragValue::new(&mut now)
        .speed((high - low) / f64::from(width.max(1.0)))
        .range(range)
        .suffix(suffix)
        .max_decimals(decimals)
        .update_while_editing(false);
    let mut place = ui.new_child(egui::UiBuilder::new().max_rect(rect).id_salt(name));
    let visuals = place.visuals_mut();
    for state in [&mut visuals.widgets.inactive, &mut visuals.widgets.hovered] {
        state.weak_bg_fill = egui::Color32::TRANSPARENT;
        state.bg_fill = egui::Color32::TRANSPARENT;
    }
    // The whole bar can be dragged, and the number is on its right.
    place.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        let response = ui.add_sized([96.0, 24.0], field);
        crate::ui::widgets::name_widget(ui, &response, name);
    });
    let dragged = ui.interact(
        Rect::from_min_max(rect.min, egui::pos2(rect.right() - 100.0, rect.bottom())),
        ui.scope_id().with(("bar", name)),
        egui::Sense::click_and_drag(),
    );
    if let Some(at) = dragged.interact_pointer_pos().filter(|_| dragged.is_pointer_button_down_on())
    {
        now = low + (high - low) * f64::from(((at.x - rect.left()) / rect.width()).clamp(0.0, 1.0));
        let step = 10f64.powi(-(decimals as i32));
        now = (now / step).round() * step;
    }
    if dragged.hovered() {
        ui.ctx().set_cursor_icon(egui::CursorIcon::ResizeHorizontal);
    }
    (now != value).then_some(now)
}

/// Whether a key was pressed while no text field has the focus.
pub fn pressed(ui: &Ui, key: Key) -> bool {
    ui.input(|i| i.key_pressed(key)) && ui.ctx().memory(|m| m.focused()).is_none()
}
