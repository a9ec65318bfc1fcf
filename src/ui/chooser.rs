//! A drop-down list for one choice, used where buttons side by side do not fit.

use egui::{RichText, Role, Ui, WidgetInfo, vec2};
use egui_material_icons::icons;

use super::{View, popups::menu_button};
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
    let button =
        menu_button(ui, RichText::new(label).color(theme.color(ColorRole::TextPrimary)), |ui| {
            ui.set_min_width(160.0);
            for (value, title, on) in options {
                let button = egui::Button::new(*title).min_size(vec2(150.0, 24.0)).selected(*on);
                if ui.add(button.frame_when_inactive(*on)).clicked() {
                    chosen = Some(*value);
                    ui.close();
                }
            }
        });
    let name = format!("{name}: {now}");
    button.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
    button.on_hover_text(name);
    chosen
}
