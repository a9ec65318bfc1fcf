//! A number drawn as a bar.

use egui::{
    Align2, CursorIcon, EventFilter, Id, Key, Rect, Response, Sense, Stroke, StrokeKind, TextEdit,
    Ui, WidgetInfo, pos2, vec2,
};

use super::{
    theme::{Font, Theme},
    widgets::{key_chips, key_width, name_widget},
};
use ulna_render::ColorRole;

/// Draws a number as a bar. It can be dragged, typed after a click, or changed with the arrow keys.
///
/// `key` is the key that drags the number over the model. It is shown beside the bar.
pub fn number_bar(
    ui: &mut Ui,
    theme: &Theme,
    name: &str,
    value: &mut f32,
    range: std::ops::RangeInclusive<f32>,
    unit: &str,
    decimals: usize,
    key: &str,
) {
    ui.horizontal(|ui| {
        let chip =
            if key.is_empty() { 0.0 } else { key_width(ui, key) + ui.spacing().item_spacing.x };
        let (rect, response) = ui
            .allocate_exact_size(vec2(ui.available_width() - chip, 20.0), Sense::click_and_drag());
        response.widget_info(|| WidgetInfo::slider(true, f64::from(*value), name));
        let (low, high) = (*range.start(), *range.end());
        let typing = ui.scope_id().with((name, "typing"));
        let typed: Option<String> = ui.data(|d| d.get_temp(typing));
        if let Some(text) = typed {
            if let Some(number) = typed_ui(ui, rect, name, typing, text) {
                *value = number.clamp(low, high);
            }
            return;
        }
        edit(ui, &response, (name, typing), value, (low, high), decimals);
        paint(ui, theme, &response, (low, high), name, (*value, unit, decimals));
        response
            .on_hover_cursor(CursorIcon::ResizeHorizontal)
            .on_hover_text("Drag, or click to type a number");
        if !key.is_empty() {
            key_chips(ui, theme, key);
        }
    });
}

/// Changes the value on a drag or arrow keys. A click or Enter starts typing.
fn edit(
    ui: &Ui,
    response: &Response,
    (name, typing): (&str, Id),
    value: &mut f32,
    (low, high): (f32, f32),
    decimals: usize,
) {
    let held = ui.scope_id().with((name, "held"));
    // The caller may round the value. A slow drag therefore continues from the unrounded value.
    let dragged = ui.scope_id().with((name, "dragged"));
    if response.drag_started() {
        ui.data_mut(|d| {
            d.insert_temp(held, *value);
            d.insert_temp(dragged, *value);
        });
    }
    let before: Option<f32> = ui.data(|d| d.get_temp(held));
    if response.dragged() && ui.input(|i| i.key_pressed(Key::Escape)) {
        // Escape restores the old value. The rest of the drag is ignored.
        ui.data_mut(|d| d.remove::<f32>(held));
        if let Some(before) = before {
            *value = before;
        }
    } else if response.dragged() && before.is_some() {
        let fine = if ui.input(|i| i.modifiers.shift) { 0.1 } else { 1.0 };
        let now: f32 = ui.data(|d| d.get_temp(dragged)).unwrap_or(*value);
        let now = now + response.drag_delta().x / response.rect.width() * (high - low) * fine;
        *value = now.clamp(low, high);
        ui.data_mut(|d| d.insert_temp(dragged, *value));
    } else if response.clicked() {
        ui.data_mut(|d| d.insert_temp(typing, format!("{value:.decimals$}")));
    }
    if response.has_focus() {
        let own = EventFilter { horizontal_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|m| m.set_focus_lock_filter(response.id, own));
        let presses = |key| ui.input(|i| i.num_presses(key) as f32);
        let steps = presses(Key::ArrowRight) - presses(Key::ArrowLeft);
        // 5 % of the range, or the smallest difference that the number of decimals shows.
        let step = ((high - low) / 20.0).max(0.1f32.powi(decimals as i32));
        let step = if ui.input(|i| i.modifiers.shift) { step * 0.1 } else { step };
        if steps != 0.0 {
            *value = (*value + steps * step).clamp(low, high);
        }
        if ui.input(|i| i.key_pressed(Key::Enter)) {
            ui.data_mut(|d| d.insert_temp(typing, format!("{value:.decimals$}")));
        }
    }
}

/// Draws the bar, filled up to the value, with its name and number.
fn paint(
    ui: &Ui,
    theme: &Theme,
    response: &Response,
    (low, high): (f32, f32),
    name: &str,
    (value, unit, decimals): (f32, &str, usize),
) {
    let rect = response.rect;
    let part = ((value - low) / (high - low)).clamp(0.0, 1.0);
    ui.painter().rect_filled(rect, 3.0, theme.color(ColorRole::SurfaceField));
    let filled = Rect::from_min_size(rect.min, vec2(rect.width() * part, rect.height()));
    let fill = if response.hovered() || response.dragged() {
        ColorRole::SurfaceControlHover
    } else {
        ColorRole::SurfaceControl
    };
    ui.painter().rect_filled(filled, 3.0, theme.color(fill));
    let edge = if response.dragged() {
        Stroke::new(1.0, theme.color(ColorRole::AccentBase))
    } else {
        theme.field_edge()
    };
    ui.painter().rect_stroke(rect, 3.0, edge, StrokeKind::Inside);
    let at = pos2(rect.left() + 6.0, rect.center().y);
    ui.painter().text(
        at,
        Align2::LEFT_CENTER,
        name,
        Theme::font(Font::Small),
        theme.color(ColorRole::TextSecondary),
    );
    let number = format!("{value:.decimals$}");
    // Degrees and factors follow the number without a space.
    let text = match unit {
        "" | "°" | "×" => format!("{number}{unit}"),
        unit => format!("{number} {unit}"),
    };
    let at = pos2(rect.right() - 6.0, rect.center().y);
    ui.painter().text(
        at,
        Align2::RIGHT_CENTER,
        text,
        Theme::font(Font::Number),
        theme.color(ColorRole::TextPrimary),
    );
}

/// Draws the text field for typing the number. Returns the number when typing ends.
fn typed_ui(ui: &mut Ui, rect: Rect, name: &str, typing: Id, mut text: String) -> Option<f32> {
    let font = Theme::font(Font::Number);
    let edit = TextEdit::singleline(&mut text).desired_width(rect.width()).font(font);
    let field = ui.put(rect, edit);
    name_widget(ui, &field, name);
    // Requesting the focus after it was lost would keep the field open forever.
    if !field.lost_focus() {
        field.request_focus();
        ui.data_mut(|d| d.insert_temp(typing, text));
        return None;
    }
    ui.data_mut(|d| d.remove::<String>(typing));
    let is_kept = !ui.input(|i| i.key_pressed(Key::Escape));
    let number = text.trim().replace('−', "-").parse::<f32>().ok();
    number.filter(|number| number.is_finite() && is_kept)
}
