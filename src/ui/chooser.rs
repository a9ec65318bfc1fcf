//! A drop-down list for one choice, used where buttons side by side do not fit.

use egui::{RichText, Role, Ui, WidgetInfo};
use egui_material_icons::icons;

use super::{
    Actions, View,
    menu_rows::{Row, fill_choices},
    popups::menu_button,
};
use ulna_render::ColorRole;

/// Draws a button with the current choice `now`, which opens a list. Returns the chosen option.
pub fn chooser<T: Copy>(
    ui: &mut Ui,
    view: &View<'_>,
    name: &str,
    now: &str,
    options: &[(T, &str, bool)],
) -> Option<T> {
    let theme = view.theme;
    let mut chosen = None;
    let label = format!("{now} {}", icons::ICON_KEYBOARD_ARROW_DOWN.codepoint);
    let label = RichText::new(label).color(theme.color(ColorRole::TextPrimary));
    let button = menu_button(ui, label, |ui| {
        // The choice is returned; its rows ask for nothing else.
        fill_choices(ui, view, &mut Actions::default(), |rows| {
            for (value, title, on) in options {
                if rows.row(Row::new(*title).checked(*on)) {
                    chosen = Some(*value);
                }
            }
        });
    });
    let name = format!("{name}: {now}");
    button.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
    button.on_hover_text(name);
    chosen
}
