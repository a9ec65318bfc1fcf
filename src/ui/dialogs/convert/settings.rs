//! Settings for a non-glTF file: axes, unit, height and rate.

use egui::{DragValue, RichText, Sense, Ui, vec2};

use super::super::{
    drafts::UNITS,
    parts::{many, small},
};
use crate::ui::{
    ConvertDraft, Theme,
    drop_down::choices,
    widgets::{check, name_widget, segment, segments, severity_icon},
};
use ulna_model::Severity;
use ulna_render::ColorRole;
use ulna_session::{AxisDirection, USUAL_RATES, UpAxis};

pub fn settings_ui(ui: &mut Ui, theme: &Theme, now: &mut ConvertDraft) {
    row(ui, theme, "Up", |ui| axes_ui(ui, theme, now));
    row(ui, theme, "Unit", |ui| unit_ui(ui, theme, now));
    if now.height().is_some() {
        row(ui, theme, "Height", |ui| height_ui(ui, theme, now));
    }
    if let Some((meters, name)) = now.likelier_unit() {
        let tall = now.height().unwrap_or_default();
        ui.horizontal(|ui| {
            ui.set_min_height(ConvertDraft::ROW);
            let (rect, _) = ui.allocate_exact_size(vec2(16.0, 24.0), Sense::hover());
            severity_icon(ui, theme, rect.center(), Severity::Warning, 16.0);
            let factor = meters / now.unit();
            let factor = if factor < 1.0 { short(factor) } else { format!("{factor:.0}") };
            let (asks, verb) = if name.is_empty() {
                ("Is the scale right?".to_owned(), format!("Scale by {factor}"))
            } else {
                (format!("Is the unit {name}?"), format!("Use {name}"))
            };
            let text = format!("{} tall. {asks}", height_words(tall));
            small_label(ui, theme, &text);
            if ui.button(verb).clicked() {
                now.conversion.unit = Some(meters);
            }
        });
    }
    if now.found.rate.is_some() {
        row(ui, theme, "Rate", |ui| rate_ui(ui, theme, now));
    }
    if now.found.heights > 0 {
        row(ui, theme, "Bumps", |ui| bumps_ui(ui, theme, now));
    }
    if now.has_armature() {
        armature_ui(ui, theme, now);
    }
}

fn armature_ui(ui: &mut Ui, theme: &Theme, now: &mut ConvertDraft) {
    ui.spacing_mut().item_spacing.y = 0.0;
    let mut is_applied = !now.conversion.keep_armature;
    check(ui, theme, &mut is_applied, "Apply scale and rotation to the skeleton");
    now.conversion.keep_armature = !is_applied;
    ui.horizontal(|ui| {
        ui.add_space(24.0);
        let text = if is_applied {
            "Nodes above it get scale 1. Same motion."
        } else {
            "Nodes above it stay as in the file."
        };
        small_label(ui, theme, text);
    });
}

/// Text of a height in meters with three digits.
pub fn height_words(height: f32) -> String {
    match height {
        h if h < 0.01 => format!("{:.2} mm", h * 1000.0),
        h if h < 0.3 => format!("{:.1} cm", h * 100.0),
        h if h < 10.0 => format!("{h:.2} m"),
        h if h < 100.0 => format!("{h:.1} m"),
        h => format!("{h:.0} m"),
    }
}

fn row(ui: &mut Ui, theme: &Theme, label: &str, add: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        ui.set_min_height(ConvertDraft::ROW);
        ui.spacing_mut().item_spacing.x = 6.0;
        let (rect, _) = ui.allocate_exact_size(vec2(46.0, 28.0), Sense::hover());
        let font = Theme::font(crate::ui::theme::Font::Body);
        let color = theme.color(ColorRole::TextSecondary);
        ui.painter().text(rect.left_center(), egui::Align2::LEFT_CENTER, label, font, color);
        add(ui);
    });
}

/// Shows the source of a value, or a button that resets a chosen value. Returns whether the button
/// was pressed.
fn source_ui(ui: &mut Ui, theme: &Theme, of: &str, is_chosen: bool, source: &str) -> bool {
    if !is_chosen {
        if ui.available_width() < 56.0 {
            return false;
        }
        ui.label(
            RichText::new(source)
                .font(Theme::font(crate::ui::theme::Font::Small))
                .color(theme.color(ColorRole::TextTertiary)),
        );
        return false;
    }
    let button = ui.button("Reset");
    name_widget(ui, &button, &format!("Reset {of}"));
    button.on_hover_text(format!("Restores the value {source}")).clicked()
}

fn axes_ui(ui: &mut Ui, theme: &Theme, now: &mut ConvertDraft) {
    let (up, front) = (now.up(), now.front());
    segments(ui, theme, |ui| {
        for axis in UpAxis::ALL {
            let is_on = up == axis;
            let response = segment(ui, theme, axis.label(), is_on, false);
            name_widget(ui, &response, &format!("{} up", axis.label()));
            if response.clicked() && !is_on {
                now.choose_up(axis);
            }
        }
    });
    let color = theme.color(ColorRole::TextSecondary);
    ui.label(RichText::new("Front").color(color));
    segments(ui, theme, |ui| {
        ui.spacing_mut().button_padding.x = 6.0;
        let is_level = |f: &AxisDirection| f.direction().dot(up.direction()).abs() < 0.5;
        for direction in AxisDirection::ALL.into_iter().filter(is_level) {
            let is_on = front == direction;
            let response = segment(ui, theme, direction.label(), is_on, false);
            name_widget(ui, &response, &format!("Front {}", direction.label()));
            if response.clicked() && !is_on {
                now.conversion.front = Some(direction);
            }
        }
    });
    let source = if now.found.up.is_some() { "from file" } else { "assumed" };
    let is_chosen = now.conversion.up.is_some() || now.conversion.front.is_some();
    if source_ui(ui, theme, "axes", is_chosen, source) {
        (now.conversion.up, now.conversion.front) = (None, None);
    }
}

fn unit_ui(ui: &mut Ui, theme: &Theme, now: &mut ConvertDraft) {
    let unit = now.unit();
    let known = UNITS.iter().position(|(meters, _)| (meters / unit - 1.0).abs() < 1e-4);
    let mut chosen = known.unwrap_or(UNITS.len());
    let mut list: Vec<(usize, &str, &str)> =
        UNITS.iter().enumerate().map(|(k, (_, name))| (k, *name, "")).collect();
    list.push((UNITS.len(), "other", "The unit that the scale below states"));
    let was = chosen;
    choices(ui, "Unit", 128.0, &list, &mut chosen);
    if chosen != was
        && let Some((meters, _)) = UNITS.get(chosen)
    {
        now.conversion.unit = Some(*meters);
    }
    if let Some(height) = now.height() {
        let ends = if now.conversion.unit.is_some() { "" } else { "," };
        small_label(ui, theme, &format!("{} units tall{ends}", short(height / unit)));
    }
    let source = match (now.found.states_unit, now.found.unit) {
        (true, _) => "from file",
        (false, Some(_)) => "estimated",
        (false, None) => "assumed",
    };
    if source_ui(ui, theme, "unit", now.conversion.unit.is_some(), source) {
        now.conversion.unit = None;
    }
}

/// Text of a number with about four digits.
fn short(value: f32) -> String {
    match value.abs() {
        v if v >= 1000.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        v if v >= 0.01 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}

fn small_label(ui: &mut Ui, theme: &Theme, text: &str) {
    ui.label(
        RichText::new(text)
            .font(Theme::font(crate::ui::theme::Font::Small))
            .color(theme.color(ColorRole::TextSecondary)),
    );
}

fn height_ui(ui: &mut Ui, theme: &Theme, now: &mut ConvertDraft) {
    let (Some(height), unit) = (now.height(), now.unit()) else { return };
    let mut tall = height;
    let speed = height * 0.005;
    let field = DragValue::new(&mut tall).range(1e-4..=1e5).clamp_existing_to_range(false);
    let field = field.speed(speed).max_decimals(3);
    let field = ui.add_sized([84.0, 24.0], field.suffix(" m"));
    name_widget(ui, &field, "Height in meters");
    if field.changed() && tall > 0.0 {
        now.conversion.unit = Some((unit * tall / height).clamp(1e-6, 1e6));
    }
    ui.label(RichText::new("Scale").color(theme.color(ColorRole::TextSecondary)));
    let mut scale = unit;
    let field = DragValue::new(&mut scale).range(1e-6..=1e6).clamp_existing_to_range(false);
    let field = field.speed(unit * 0.005).max_decimals(6);
    let field = ui.add_sized([84.0, 24.0], field);
    name_widget(ui, &field, "Meters per unit");
    let field = field.on_hover_text("Meters per unit of the file");
    if field.changed() {
        now.conversion.unit = Some(scale);
    }
}

fn rate_ui(ui: &mut Ui, theme: &Theme, now: &mut ConvertDraft) {
    let Some(stated) = now.found.rate else { return };
    let mut rate = now.conversion.rate.unwrap_or(stated);
    let suffix = if now.found.rate_of == "frames" { " fps" } else { " ticks/s" };
    let field = DragValue::new(&mut rate).range(0.01..=1e6).clamp_existing_to_range(false);
    let field = field.max_decimals(3).suffix(suffix);
    let field = ui.add_sized([96.0, 24.0], field);
    name_widget(ui, &field, "Ticks or frames per second");
    if field.changed() {
        now.conversion.rate = Some(rate);
    }
    let lasts = |rate: f64| now.found.longest * stated / rate;
    let mut chosen = None;
    let is_likely = now.found.longest <= 0.0 || (0.1..=3600.0).contains(&lasts(rate));
    if !is_likely {
        for usual in USUAL_RATES.into_iter().filter(|r| (0.1..=600.0).contains(&lasts(*r))).take(3)
        {
            let button = ui.button(format!("{usual}"));
            let button =
                button.on_hover_text(format!("The longest clip lasts {:.2} s", lasts(usual)));
            name_widget(ui, &button, &format!("Use {usual} per second"));
            if button.clicked() {
                chosen = Some(usual);
            }
        }
    }
    if now.found.longest > 0.0 {
        let ends = if now.conversion.rate.is_some() { "" } else { "," };
        small_label(ui, theme, &format!("longest clip {:.2} s{ends}", lasts(rate)));
    }
    if chosen.is_some() {
        now.conversion.rate = chosen;
    }
    if source_ui(ui, theme, "rate", now.conversion.rate.is_some(), "from file") {
        now.conversion.rate = None;
    }
}

fn bumps_ui(ui: &mut Ui, theme: &Theme, now: &mut ConvertDraft) {
    let mut steep = now.conversion.height.unwrap_or(4.0);
    let field = ui.add_sized([72.0, 24.0], DragValue::new(&mut steep).range(0.0..=64.0).speed(0.1));
    name_widget(ui, &field, "Strength of height maps");
    if field.changed() {
        now.conversion.height = Some(steep);
    }
    let maps = many(now.found.heights, "height map");
    let words = if now.found.heights == 1 { "becomes a normal map" } else { "become normal maps" };
    small(ui, theme, &format!("{maps} {words}"));
}
