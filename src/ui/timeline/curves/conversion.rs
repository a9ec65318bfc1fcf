//! Lines of menus that convert tracks to another interpolation and keep their motion.

use egui::Ui;

use super::asked::convert;
use crate::ui::{Action, Actions, popups, widgets::name_widget};
use ulna_edit::command::Between;
use ulna_model::{ClipId, KeySet};

/// The interpolations, by their names in glTF, with what becomes of the motion.
const WAYS: [(Between, &str, &str); 3] = [
    (Between::Linear, "To LINEAR", "Adds keys where the curves bend; the error is told after"),
    (Between::Hold, "To STEP", "Holds each value until the next key; the error is told after"),
    (Between::Smooth, "To CUBICSPLINE", "Same motion with tangents; the error is told after"),
];

/// A menu that converts the tracks of keys; with `segments_only` also one for the segments after
/// those keys alone.
pub fn conversion_menu(
    ui: &mut Ui,
    (id, keys): (ClipId, &KeySet),
    segments_only: bool,
    actions: &mut Actions,
) {
    let menus = [(false, "Convert, keeping the motion"), (true, "Convert selected segments")];
    for (segments, title) in menus.into_iter().take(if segments_only { 2 } else { 1 }) {
        ui.add_enabled_ui(!keys.is_empty(), |ui| {
            popups::menu_button(ui, title, |ui| {
                for (to, text, about) in WAYS {
                    let button = ui.button(text).on_hover_text(about);
                    let of = if segments { "segments" } else { "tracks" };
                    name_widget(ui, &button, &format!("Convert {of} {}", text.to_lowercase()));
                    if button.clicked() {
                        actions.push(Action::Run(convert(id, keys.clone(), to, segments)));
                        ui.close();
                    }
                }
            });
        });
    }
}
