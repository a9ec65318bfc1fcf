//! Section headers of the inspector, and the key marks beside rows.

use egui::{RichText, Ui};
use egui_material_icons::icons;

use crate::ui::{
    Theme, View,
    theme::Font,
    widgets::{diamond, icon_button},
};
use ulna_render::{ColorRole, Measure};

/// Draws the header of a section: symbol, title and note. Returns whether its reset button was
/// clicked.
pub fn section(
    ui: &mut Ui,
    theme: &Theme,
    symbol: &str,
    title: &str,
    note: &str,
    reset: bool,
) -> bool {
    // In a horizontal layout, this space would be horizontal.
    if ui.layout().is_vertical() {
        ui.add_space(4.0);
    }
    ui.horizontal(|ui| {
        // The header has the same height with and without the button, so that the layout does not
        // shift.
        ui.spacing_mut().item_spacing.x = 0.0;
        ui.allocate_exact_size(egui::vec2(0.0, Measure::IconButton.points()), egui::Sense::hover());
        ui.spacing_mut().item_spacing.x = 8.0;
        let color = theme.color(ColorRole::TextPrimary);
        let text =
            ui.painter().layout_no_wrap(symbol.to_owned(), Theme::font(Font::NumberSmall), color);
        let (rect, chip) =
            ui.allocate_exact_size(egui::vec2(text.size().x + 12.0, 18.0), egui::Sense::hover());
        chip.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, symbol));
        ui.painter().rect_filled(rect, 3.0, theme.color(ColorRole::SurfaceControl));
        ui.painter().galley(rect.center() - text.size() * 0.5, text, color);
        chip.on_hover_ui(|ui| formula(ui, theme, symbol));
        ui.label(
            RichText::new(title)
                .font(Theme::font(Font::Heading))
                .color(theme.color(ColorRole::TextPrimary)),
        );
        let note = RichText::new(note)
            .font(Theme::font(Font::Small))
            .color(theme.color(ColorRole::TextTertiary));
        ui.scope(|ui| {
            ui.set_max_width(
                (ui.available_width() - if reset { Measure::IconButton.points() } else { 0.0 })
                    .max(0.0),
            );
            ui.add(egui::Label::new(note).truncate());
        });
        if !reset {
            return false;
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            icon_button(ui, theme, icons::ICON_RESTART_ALT, "Reset to rest", "", false, Ok(()))
                .clicked()
        })
        .inner
    })
    .inner
}

/// Draws the formula `W = Wₚ · (L ∘ Ul)` with one part highlighted, and an explanation of each
/// part.
fn formula(ui: &mut Ui, theme: &Theme, marked: &str) {
    let part = |text: &str| {
        let role = if text == marked { ColorRole::AccentBase } else { ColorRole::TextPrimary };
        RichText::new(text).font(Theme::font(Font::Number)).color(theme.color(role))
    };
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 5.0;
        for text in ["W", "=", "W parent", "·", "(", "L", "∘", "Ul", ")"] {
            ui.label(part(text));
        }
    });
    egui::Grid::new("formula").num_columns(2).spacing([10.0, 2.0]).show(ui, |ui| {
        for (symbol, words) in [
            ("W", "World: the node's transform in the scene"),
            ("W parent", "World transform of the parent"),
            ("L", "Rest: transform relative to the parent, before posing"),
            ("Ul", "Pose: your change from the rest transform (user-local)"),
            ("∘", "combines translation, rotation and scale separately, as a node stores them"),
        ] {
            ui.label(part(symbol));
            ui.label(
                RichText::new(words)
                    .font(Theme::font(Font::Small))
                    .color(theme.color(ColorRole::TextSecondary)),
            );
            ui.end_row();
        }
    });
}

/// Draws the key mark of a row: a diamond, filled if the playhead is on a key. Draws nothing
/// without a track.
pub fn key_mark(ui: &Ui, view: &View<'_>, track: Option<&ulna_model::Track>, slot: egui::Pos2) {
    let Some(track) = track else { return };
    let theme = view.theme;
    let on = track.key_at(view.timeline.playback.time as f32, 1e-3).is_some();
    let fill = if on { theme.color(ColorRole::SelectionBase) } else { egui::Color32::TRANSPARENT };
    let outline = if on {
        theme.color(ColorRole::SelectionBase)
    } else {
        theme.color(ColorRole::KeyInbetween)
    };
    diamond(ui.painter(), slot, 9.0, fill, outline);
}
